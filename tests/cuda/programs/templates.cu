/* One kernel template, many instances: types, values and operations as parameters. */
#include "common.h"

struct plus {
  template <typename T> __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct most {
  template <typename T> __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

template <typename T, int Block, typename Op>
__global__ void fold(const T *in, int n, T *out, Op op) {
  __shared__ T part[Block];
  T mine = in[threadIdx.x];
  for (int i = threadIdx.x + Block; i < n; i += Block)
    mine = op(mine, in[i]);
  part[threadIdx.x] = mine;
  __syncthreads();
#pragma unroll
  for (int half = Block / 2; half > 0; half /= 2) {
    if ((int)threadIdx.x < half)
      part[threadIdx.x] = op(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

template <int N> struct power {
  template <typename T> static __device__ T of(T x) {
    return x * power<N - 1>::of(x);
  }
};
template <> struct power<0> {
  template <typename T> static __device__ T of(T) {
    return T(1);
  }
};

template <typename... Ts> __global__ void several(double *out, Ts... values) {
  *out = (... + (double)power<3>::of(values));
}

template <typename T, typename Op> static T run(int n, Op op) {
  T *in, *out, result;
  T *host = (T *)malloc(n * sizeof(T));
  unsigned seed = 5;
  for (int i = 0; i < n; i++)
    host[i] = (T)(next_random(&seed) % 1000);
  OK(cudaMalloc(&in, n * sizeof(T)));
  OK(cudaMalloc(&out, sizeof(T)));
  OK(cudaMemcpy(in, host, n * sizeof(T), cudaMemcpyHostToDevice));
  fold<T, 64><<<1, 64>>>(in, n, out, op);
  OK(cudaMemcpy(&result, out, sizeof(T), cudaMemcpyDeviceToHost));
  OK(cudaFree(in));
  OK(cudaFree(out));
  free(host);
  return result;
}

int main() {
  printf("int %d %d\n", run<int>(1000, plus()), run<int>(1000, most()));
  printf("float %g %g\n", run<float>(999, plus()), run<float>(999, most()));
  printf("double %g\n", run<double>(2000, plus()));
  printf("long long %lld\n", run<long long>(1500, plus()));
  printf("unsigned char %d\n", run<unsigned char>(200, most()));
  double *out, result;
  OK(cudaMalloc(&out, sizeof *out));
  several<<<1, 1>>>(out, 2, 1.5f, 0.5, (short)-3, 'a');
  OK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("several %.10g\n", result);
  return 0;
}
