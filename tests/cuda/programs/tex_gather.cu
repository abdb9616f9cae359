/* Four texels at once: the ones that a linear filter would mix, in their order. */
#include "common.h"

__global__ void four(cudaTextureObject_t t, float4 *out) {
  int i = threadIdx.x;
  out[i] = tex2Dgather<float4>(t, (i % 8) + 0.9375f, i / 8 + 0.9375f, 0);
}

int main() {
  const int w = 16, h = 8;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t plain;
  float image[h][w];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      image[y][x] = (float)(y * 100 + x);
  OK(cudaMallocArray(&plain, &format, w, h, cudaArrayTextureGather));
  OK(cudaMemcpy2DToArray(plain, 0, 0, image, sizeof image[0], sizeof image[0], h,
                         cudaMemcpyHostToDevice));
  cudaResourceDesc flat = {};
  flat.resType = cudaResourceTypeArray;
  flat.res.array.array = plain;
  cudaTextureDesc raw = {};
  raw.addressMode[0] = raw.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &flat, &raw, NULL));
  float4 *out, quads[32];
  OK(cudaMalloc(&out, sizeof quads));
  four<<<1, 32>>>(t, out);
  OK(cudaMemcpy(quads, out, sizeof quads, cudaMemcpyDeviceToHost));
  printf("%g %g %g %g, sum %08x\n", quads[9].x, quads[9].y, quads[9].z, quads[9].w,
         checksum(quads, sizeof quads));
  OK(cudaDestroyTextureObject(t));
  OK(cudaFreeArray(plain));
  return 0;
}
