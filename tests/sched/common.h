// What the kernels of this folder share. They are made to be compiled, not to compute anything:
// each isolates one thing that decides the order in which an assembler puts loads.
#ifndef WEIR_TESTS_SCHED_COMMON_H
#define WEIR_TESTS_SCHED_COMMON_H

#define KERNEL    extern "C" __global__ void
#define TID       ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define STEP      ((int)(gridDim.x * blockDim.x))
#define TEXT(...) #__VA_ARGS__
#define UNROLL(n) _Pragma(TEXT(unroll n))

// `n` dependent multiply-adds.
template <int n> __device__ __forceinline__ float mix(float v) {
#pragma unroll
  for (int k = 0; k < n; k++)
    v = fmaf(v, 1.0009765625f + (float)k, 0.5f - (float)k);
  return v;
}

template <int n> __device__ __forceinline__ unsigned hash_steps(unsigned v) {
#pragma unroll
  for (int k = 0; k < n; k++)
    v = (v ^ (v >> (5 + k % 7))) * 2654435761u + (unsigned)k;
  return v;
}

#endif
