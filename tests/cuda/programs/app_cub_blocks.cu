/* CUB inside a kernel: block loads, sorts, scans, run lengths and reductions of 4 items a thread.
 */
#include "common.h"
#include <cub/cub.cuh>

#define BLOCK 64
#define EACH  4

struct Larger {
  __device__ int operator()(int a, int b) const {
    return a > b ? a : b;
  }
};
struct Differ {
  __device__ bool operator()(int a, int b) const {
    return a != b;
  }
};

__global__ void tile(const int *in, int *sorted, int *ranks, int *heads, int *top) {
  using Load = cub::BlockLoad<int, BLOCK, EACH, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, BLOCK, EACH, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, BLOCK, EACH>;
  using Scan = cub::BlockScan<int, BLOCK>;
  using Reduce = cub::BlockReduce<int, BLOCK>;
  using Heads = cub::BlockDiscontinuity<int, BLOCK>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
    typename Heads::TempStorage heads;
  } s;
  int base = blockIdx.x * BLOCK * EACH, item[EACH], flag[EACH], rank[EACH];
  Load(s.load).Load(in + base, item);
  __syncthreads();
  Sort(s.sort).Sort(item, 0, 12);
  __syncthreads();
  Heads(s.heads).FlagHeads(flag, item, Differ());
  __syncthreads();
  int groups;
  Scan(s.scan).InclusiveSum(flag, rank, groups);
  __syncthreads();
  int largest = Reduce(s.reduce).Reduce(item[0] * 3 ^ item[3], Larger());
  if (threadIdx.x == 0) {
    heads[blockIdx.x] = groups;
    top[blockIdx.x] = largest;
  }
  __syncthreads();
  Store(s.store).Store(sorted + base, item);
  __syncthreads();
  Store(s.store).Store(ranks + base, rank);
}

int main() {
  const int blocks = 5, n = blocks * BLOCK * EACH;
  static int in[n], sorted[n], ranks[n], heads[blocks], top[blocks];
  unsigned seed = 707;
  for (int &v : in)
    v = next_random(&seed) % 300;
  int *d[5];
  for (int *&p : d)
    OK(cudaMalloc(&p, sizeof in));
  OK(cudaMemcpy(d[0], in, sizeof in, cudaMemcpyHostToDevice));
  tile<<<blocks, BLOCK>>>(d[0], d[1], d[2], d[3], d[4]);
  OK(cudaMemcpy(sorted, d[1], sizeof in, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(ranks, d[2], sizeof in, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(heads, d[3], sizeof heads, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(top, d[4], sizeof top, cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; b++)
    printf("block %d: %d groups, top %d, first %d, last %d\n", b, heads[b], top[b], sorted[b * 256],
           sorted[b * 256 + 255]);
  printf("sorted %08x ranks %08x\n", checksum(sorted, sizeof sorted),
         checksum(ranks, sizeof ranks));
}
