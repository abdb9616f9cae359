/* Shuffles whose mask leaves out lanes that others read from: the usual sum of fewer than 32
 * values. */
#include "common.h"

__global__ void sum_some(const int *data, int n, int *out) {
  int lane = threadIdx.x;
  int v = data[lane];
  unsigned members = __ballot_sync(0xffffffffu, lane < n);
  if (lane < n) {
    for (int d = 16; d > 0; d /= 2) {
      int other = __shfl_down_sync(members, v, d);
      v += other;
    }
    out[lane] = v;
  } else {
    out[lane] = -v;
  }
}

__global__ void sum_even(const int *data, int *out) {
  int lane = threadIdx.x;
  int v = data[lane];
  if (lane % 2 == 0)
    for (int d = 1; d < 32; d *= 2)
      v += __shfl_xor_sync(0x55555555u, v, d); /* d = 1 asks lanes that are not members */
  out[lane] = v;
}

int main() {
  unsigned seed = 77;
  int data[32], host[32], *in, *out;
  for (int i = 0; i < 32; i++)
    data[i] = next_random(&seed) % 10000 + 1;
  OK(cudaMalloc(&in, sizeof data));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(in, data, sizeof data, cudaMemcpyHostToDevice));
  for (int n = 1; n <= 32; n += 4) {
    sum_some<<<1, 32>>>(in, n, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int want = 0;
    for (int i = 0; i < n; i++)
      want += data[i];
    printf("%2d values: %d (%s), lane 3 has %d, sum %08x\n", n, host[0],
           host[0] == want ? "right" : "wrong", host[3], checksum(host, sizeof host));
  }
  sum_even<<<1, 32>>>(in, out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("even lanes: %d %d %d %d, sum %08x\n", host[0], host[1], host[2], host[30],
         checksum(host, sizeof host));
  return 0;
}
