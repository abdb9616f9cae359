struct point { int x; float y[3]; };
__device__ point origin = {1, {2.f, 3.f, 4.f}};
template <int N> __device__ __forceinline__ float twice(float v) { return v * N; }
__global__ void debugged(float *out, point p, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += twice<2>(p.y[i % 3]) + origin.y[0];
  out[threadIdx.x] = sum;
}
