/* k-means: the centres in constant memory, sums in fixed point so that their order does not matter.
 */
#include "common.h"

#define K   5
#define DIM 3

__constant__ float centre[K][DIM];

struct Sums {
  long long total[K][DIM];
  int count[K];
};

__global__ void assign(const float *points, unsigned char *label, int n, Sums *sums, int *changed) {
  __shared__ Sums local;
  for (int i = threadIdx.x; i < sizeof(Sums) / 4; i += blockDim.x)
    ((int *)&local)[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool differs = false;
  if (i < n) {
    float p[DIM], best = 3e38f;
    int which = 0;
#pragma unroll
    for (int d = 0; d < DIM; d++)
      p[d] = points[d * n + i];
    for (int k = 0; k < K; k++) {
      float far = 0;
#pragma unroll
      for (int d = 0; d < DIM; d++)
        far += (p[d] - centre[k][d]) * (p[d] - centre[k][d]);
      if (far < best) {
        best = far;
        which = k;
      }
    }
    differs = label[i] != which;
    label[i] = which;
    for (int d = 0; d < DIM; d++)
      atomicAdd((unsigned long long *)&local.total[which][d],
                (unsigned long long)__float2ll_rn(p[d] * 65536.0f));
    atomicAdd(&local.count[which], 1);
  }
  int differing = __syncthreads_count(differs);
  if (threadIdx.x == 0) atomicAdd(changed, differing);
  if (threadIdx.x < K * DIM)
    atomicAdd((unsigned long long *)&sums->total[0][0] + threadIdx.x,
              (unsigned long long)(&local.total[0][0])[threadIdx.x]);
  if (threadIdx.x < K) atomicAdd(&sums->count[threadIdx.x], local.count[threadIdx.x]);
}

__global__ void recentre(const Sums *sums, float *to) {
  int k = threadIdx.y, d = threadIdx.x;
  if (sums->count[k]) to[k * DIM + d] = (float)sums->total[k][d] / (65536.0f * sums->count[k]);
}

int main() {
  const int n = 1000;
  static float points[DIM * n], centres[K][DIM];
  static unsigned char labels[n];
  unsigned seed = 64;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < DIM; d++)
      points[d * n + i] = (i * 7 % K) * (d + 1.5f) + next_random(&seed) / 8388608.0f;
  for (int k = 0; k < K; k++)
    for (int d = 0; d < DIM; d++)
      centres[k][d] = points[d * n + k * 31];
  float *d_points;
  unsigned char *d_labels;
  Sums *d_sums;
  int *d_changed, changed = 1;
  void *d_centre;
  OK(cudaMalloc(&d_points, sizeof points));
  OK(cudaMalloc(&d_labels, n));
  OK(cudaMalloc(&d_sums, sizeof(Sums)));
  OK(cudaMalloc(&d_changed, 4));
  OK(cudaMemcpy(d_points, points, sizeof points, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_labels, 255, n));
  OK(cudaMemcpyToSymbol(centre, centres, sizeof centres));
  OK(cudaGetSymbolAddress(&d_centre, centre));
  for (int round = 0; changed && round < 20; round++) {
    OK(cudaMemset(d_sums, 0, sizeof(Sums)));
    OK(cudaMemset(d_changed, 0, 4));
    assign<<<(n + 127) / 128, 128>>>(d_points, d_labels, n, d_sums, d_changed);
    float *to;
    OK(cudaMalloc(&to, sizeof centres));
    OK(cudaMemcpy(to, d_centre, sizeof centres, cudaMemcpyDeviceToDevice));
    recentre<<<1, dim3(DIM, K)>>>(d_sums, to);
    OK(cudaMemcpyToSymbol(centre, to, sizeof centres, 0, cudaMemcpyDeviceToDevice));
    OK(cudaFree(to));
    OK(cudaMemcpy(&changed, d_changed, 4, cudaMemcpyDeviceToHost));
    printf("round %d: %d changed\n", round, changed);
  }
  OK(cudaMemcpyFromSymbol(centres, centre, sizeof centres));
  OK(cudaMemcpy(labels, d_labels, n, cudaMemcpyDeviceToHost));
  for (int k = 0; k < K; k++)
    printf("centre %a %a %a\n", centres[k][0], centres[k][1], centres[k][2]);
  printf("labels %08x\n", checksum(labels, n));
}
