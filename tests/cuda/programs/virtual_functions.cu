/* Objects made on the device, used through their base class by a later kernel. */
#include "common.h"

struct shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const {
    return 0;
  }
  __device__ virtual ~shape() {}
};

struct rectangle : shape {
  float a, b;
  __device__ rectangle(float x, float y) : a(x), b(y) {}
  __device__ float area() const override {
    return a * b;
  }
  __device__ int corners() const override {
    return 4;
  }
};

struct disc : shape {
  float r;
  __device__ explicit disc(float x) : r(x) {}
  __device__ float area() const override {
    return 3.0f * r * r;
  }
};

struct square : rectangle {
  __device__ explicit square(float x) : rectangle(x, x) {}
  __device__ float area() const override {
    return rectangle::area() + 0.5f;
  }
};

__global__ void make(shape **list, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  switch (i % 3) {
  case 0:
    list[i] = new rectangle(i, 2.0f);
    break;
  case 1:
    list[i] = new disc(i * 0.5f);
    break;
  default:
    list[i] = new square(i);
    break;
  }
}

__global__ void measure(shape **list, int n, float *area, int *corners) {
  int i = threadIdx.x;
  if (i >= n) return;
  area[i] = list[i]->area();
  corners[i] = list[i]->corners();
  delete list[i];
}

int main() {
  const int n = 50;
  shape **list;
  float *area, a[n];
  int *corners, c[n], total = 0;
  OK(cudaMalloc(&list, n * sizeof *list));
  OK(cudaMalloc(&area, sizeof a));
  OK(cudaMalloc(&corners, sizeof c));
  make<<<1, 64>>>(list, n);
  measure<<<1, 64>>>(list, n, area, corners);
  OK(cudaMemcpy(a, area, sizeof a, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(c, corners, sizeof c, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    total += c[i];
  printf("%g %g %g %g, corners %d, sum %08x\n", a[0], a[1], a[2], a[49], total,
         checksum(a, sizeof a));
  return 0;
}
