/* CUB: primitives of a block, and of the device with temporary memory of the caller's. */
#include "common.h"
#include <cub/cub.cuh>

__global__ void block_work(const int *in, int *scanned, int *sorted, int *sum) {
  using reduce = cub::BlockReduce<int, 128>;
  using scan = cub::BlockScan<int, 128>;
  using sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ union {
    typename reduce::TempStorage reduce;
    typename scan::TempStorage scan;
    typename sort::TempStorage sort;
  } room;
  int t = threadIdx.x, keys[2] = {in[2 * t], in[2 * t + 1]};
  int total = reduce(room.reduce).Sum(keys[0] + keys[1]);
  __syncthreads();
  int before;
  scan(room.scan).ExclusiveSum(keys[0], before);
  __syncthreads();
  sort(room.sort).Sort(keys);
  scanned[t] = before;
  sorted[2 * t] = keys[0];
  sorted[2 * t + 1] = keys[1];
  if (t == 0) *sum = total;
}

int main() {
  const int n = 2048;
  static int host[n], result[n];
  unsigned seed = 12;
  for (int i = 0; i < n; i++)
    host[i] = (int)(next_random(&seed) % 100000) - 50000;
  int *in, *out, *sum, total;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMalloc(&sum, sizeof total));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  block_work<<<1, 128>>>(in, out, out + 128, sum);
  OK(cudaMemcpy(result, out, 384 * sizeof(int), cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  printf("block: sum %d, scan %d, sorted %d to %d, sum %08x\n", total, result[127], result[128],
         result[383], checksum(result, 384 * sizeof(int)));

  size_t bytes = 0, need = 0;
  void *room;
  OK(cub::DeviceReduce::Sum(NULL, need, in, sum, n));
  bytes = need;
  OK(cub::DeviceScan::InclusiveSum(NULL, need, in, out, n));
  bytes = need > bytes ? need : bytes;
  OK(cub::DeviceRadixSort::SortKeysDescending(NULL, need, in, out, n));
  bytes = need > bytes ? need : bytes;
  OK(cudaMalloc(&room, bytes));
  OK(cub::DeviceReduce::Sum(room, bytes, in, sum, n));
  OK(cub::DeviceScan::InclusiveSum(room, bytes, in, out, n));
  OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("device: sum %d, scan %d, sum %08x\n", total, result[n - 1],
         checksum(result, sizeof result));
  OK(cub::DeviceRadixSort::SortKeysDescending(room, bytes, in, out, n));
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("sorted %d to %d, sum %08x\n", result[0], result[n - 1], checksum(result, sizeof result));
  return 0;
}
