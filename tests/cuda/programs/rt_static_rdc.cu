/* The runtime linked into a program at fixed addresses, of two units that were linked for the
 * device, too, with a default stream for each thread. */
#include <thread>

#include "common.h"

extern __device__ int step(int value);
int second_unit(int *data, int n);

__global__ void collatz(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int steps = 0;
  for (int v = i + 1; v != 1; v = step(v))
    steps++;
  data[i] = steps;
}

static void work(int number, unsigned *sum) {
  const int n = 1000 + number;
  int *data, *host = new int[n];
  OK(cudaMalloc(&data, n * sizeof(int)));
  collatz<<<(n + 63) / 64, 64>>>(data, n);
  OK(cudaMemcpyAsync(host, data, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
  OK(cudaStreamSynchronize(0));
  *sum = checksum(host, n * sizeof(int));
  OK(cudaFree(data));
  delete[] host;
}

int main() {
  unsigned sums[3];
  for (int i = 0; i < 3; i++) {
    std::thread t(work, i, &sums[i]);
    t.join();
  }
  printf("%08x %08x %08x\n", sums[0], sums[1], sums[2]);
  int *data;
  OK(cudaMallocManaged(&data, 256 * sizeof(int)));
  int longest = second_unit(data, 256);
  printf("longest %d, sum %08x\n", longest, checksum(data, 256 * sizeof(int)));
  OK(cudaFree(data));
  return 0;
}
