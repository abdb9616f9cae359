/* Blocks hand rows of a table on to one another by flags (edit distance by strips); a warp sorts by
 * shuffles. */
#include "common.h"
#include <cuda_pipeline.h>

#define LENGTH 256
#define STRIPS 8
#define STRIP  (LENGTH / STRIPS)

/* Block s computes columns of its strip for all rows; it needs the last column of the strip before.
 */
__global__ void distance(const char *a, const char *b, volatile int *border, volatile int *ready,
                         int *result) {
  __shared__ int above[STRIP + 1], here[STRIP + 1];
  int s = blockIdx.x, t = threadIdx.x;
  above[t + 1] = s * STRIP + t + 1;
  if (t == 0) above[0] = s * STRIP;
  __syncwarp();
  for (int row = 1; row <= LENGTH; row++) {
    int left = row;
    if (s) {
      if (t == 0)
        while (ready[s - 1] < row)
          ;
      __syncwarp();
      __threadfence();
      left = border[(s - 1) * (LENGTH + 1) + row];
    }
    int best = min(above[t + 1] + 1, above[t] + (a[row - 1] != b[s * STRIP + t]));
    /* what comes from the left costs one a column: a minimum scan */
    int key = best - t;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(~0u, key, d);
      if (t >= d) key = min(key, other);
    }
    key = min(key, left + 1);
    here[t + 1] = key + t;
    if (t == 0) here[0] = left;
    __syncwarp();
    above[t + 1] = here[t + 1];
    if (t == 0) above[0] = here[0];
    __syncwarp();
    if (t == 31) {
      border[s * (LENGTH + 1) + row] = here[32];
      __threadfence();
      ready[s] = row;
    }
  }
  if (s == STRIPS - 1 && t == 31) *result = here[32];
}

__global__ void warp_sort(const unsigned long long *in, unsigned long long *out) {
  __shared__ unsigned long long stage[32];
  unsigned lane = threadIdx.x;
  __pipeline_memcpy_async(&stage[lane], &in[blockIdx.x * 32 + lane], 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  unsigned long long v = stage[31 - lane];
  for (unsigned size = 2; size <= 32; size *= 2)
    for (unsigned stride = size / 2; stride; stride /= 2) {
      unsigned long long other = __shfl_xor_sync(~0u, v, stride);
      bool up = (lane & size) == 0, low = (lane & stride) == 0;
      v = (v < other) == (up == low) ? v : other;
    }
  out[blockIdx.x * 32 + lane] = v;
}

int main() {
  static char a[LENGTH], b[LENGTH];
  static unsigned long long keys[128];
  unsigned seed = 111;
  for (int i = 0; i < LENGTH; i++) {
    a[i] = 'a' + next_random(&seed) % 5;
    b[i] = i > 9 && next_random(&seed) % 4 ? a[i - 9] : 'a' + next_random(&seed) % 5;
  }
  for (auto &k : keys)
    k = (unsigned long long)next_random(&seed) << 40 | next_random(&seed);
  char *d_a, *d_b;
  int *d_border, *d_ready, *d_result, result;
  unsigned long long *d_keys, *d_sorted;
  OK(cudaMalloc(&d_a, sizeof a));
  OK(cudaMalloc(&d_b, sizeof b));
  OK(cudaMalloc(&d_border, STRIPS * (LENGTH + 1) * 4));
  OK(cudaMalloc(&d_ready, STRIPS * 4));
  OK(cudaMalloc(&d_result, 4));
  OK(cudaMalloc(&d_keys, sizeof keys));
  OK(cudaMalloc(&d_sorted, sizeof keys));
  OK(cudaMemset(d_ready, 0, STRIPS * 4));
  OK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));
  distance<<<STRIPS, 32>>>(d_a, d_b, d_border, d_ready, d_result);
  warp_sort<<<4, 32>>>(d_keys, d_sorted);
  OK(cudaMemcpy(&result, d_result, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(keys, d_sorted, sizeof keys, cudaMemcpyDeviceToHost));
  static int table[LENGTH + 1][LENGTH + 1];
  for (int i = 0; i <= LENGTH; i++)
    for (int j = 0; j <= LENGTH; j++) {
      if (!i || !j) {
        table[i][j] = i + j;
        continue;
      }
      int d = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d = table[i - 1][j] + 1 < d ? table[i - 1][j] + 1 : d;
      table[i][j] = table[i][j - 1] + 1 < d ? table[i][j - 1] + 1 : d;
    }
  int wrong = 0;
  for (int i = 1; i < 128; i++)
    wrong += i % 32 && keys[i - 1] > keys[i];
  printf("distance %d (host %d), sorted %08x, %d wrong\n", result, table[LENGTH][LENGTH],
         checksum(keys, sizeof keys), wrong);
}
