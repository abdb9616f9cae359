/* The first program of every introduction: three arrays, one of them the sum of the others. */
#include "common.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 10007; /* not a multiple of the block */
  size_t bytes = n * sizeof(float);
  float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
  unsigned seed = 1;
  for (int i = 0; i < n; i++) {
    a[i] = (float)next_random(&seed) / 1024.0f;
    b[i] = (float)next_random(&seed) / 4096.0f;
  }
  float *da, *db, *dc;
  OK(cudaMalloc(&da, bytes));
  OK(cudaMalloc(&db, bytes));
  OK(cudaMalloc(&dc, bytes));
  OK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  OK(cudaGetLastError());
  OK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += c[i] != a[i] + b[i];
  printf("wrong %d, first %.6g, last %.6g, sum %08x\n", wrong, c[0], c[n - 1], checksum(c, bytes));
  OK(cudaFree(da));
  OK(cudaFree(db));
  OK(cudaFree(dc));
  free(a);
  free(b);
  free(c);
  return wrong != 0;
}
