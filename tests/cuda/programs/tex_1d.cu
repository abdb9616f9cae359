/* Textures over linear memory, read by element: out of range is zero, small integers become floats.
 */
#include "common.h"

__global__ void fetch(cudaTextureObject_t ints, cudaTextureObject_t bytes,
                      cudaTextureObject_t pairs, int *i_out, float4 *f_out, float *s_out) {
  int i = threadIdx.x;
  i_out[i] = tex1Dfetch<int>(ints, i - 4);
  f_out[i] = tex1Dfetch<float4>(bytes, i);
  float2 p = tex1Dfetch<float2>(pairs, 63 - i);
  s_out[i] = p.x * 2 - p.y;
}

template <typename T>
static cudaTextureObject_t texture(const T *host, int n, cudaTextureReadMode mode) {
  T *data;
  OK(cudaMalloc(&data, n * sizeof(T)));
  OK(cudaMemcpy(data, host, n * sizeof(T), cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = n * sizeof(T);
  cudaTextureDesc how = {};
  how.readMode = mode;
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
  return object;
}

int main() {
  const int n = 64;
  int ints[n];
  uchar4 bytes[n];
  float2 pairs[n];
  unsigned seed = 3;
  for (int i = 0; i < n; i++) {
    ints[i] = 1000 + i * 7;
    unsigned r = next_random(&seed);
    bytes[i] = make_uchar4(r & 255, (r >> 8) & 255, (r >> 16) & 255, i);
    pairs[i] = make_float2(i * 0.5f, -(float)i);
  }
  int *i_out, i_host[n];
  float4 *f_out, f_host[n];
  float *s_out, s_host[n];
  OK(cudaMalloc(&i_out, sizeof i_host));
  OK(cudaMalloc(&f_out, sizeof f_host));
  OK(cudaMalloc(&s_out, sizeof s_host));
  cudaTextureObject_t a = texture(ints, n - 8, cudaReadModeElementType);
  cudaTextureObject_t b = texture(bytes, n, cudaReadModeNormalizedFloat);
  cudaTextureObject_t c = texture(pairs, n, cudaReadModeElementType);
  fetch<<<1, n>>>(a, b, c, i_out, f_out, s_out);
  OK(cudaMemcpy(i_host, i_out, sizeof i_host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(f_host, f_out, sizeof f_host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(s_host, s_out, sizeof s_host, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d\n", i_host[0], i_host[4], i_host[59], i_host[60]);
  printf("%.8g %.8g %.8g %.8g\n", f_host[1].x, f_host[1].y, f_host[1].z, f_host[63].w);
  printf("%g %g\n", s_host[0], s_host[40]);
  printf("sums %08x %08x %08x\n", checksum(i_host, sizeof i_host), checksum(f_host, sizeof f_host),
         checksum(s_host, sizeof s_host));
  OK(cudaDestroyTextureObject(a));
  OK(cudaDestroyTextureObject(b));
  OK(cudaDestroyTextureObject(c));
  return 0;
}
