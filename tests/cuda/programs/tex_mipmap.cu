/* A texture with smaller copies of itself, chosen by the kernel; four texels at once;
 * one-dimensional layers. */
#include "common.h"

__global__ void levels(cudaTextureObject_t t, float *out, int n) {
  int i = threadIdx.x;
  out[i] = tex2DLod<float>(t, (i % 8 + 0.5f) / 8, (i / 8 % 4 + 0.5f) / 4, (float)(i / 32) * 0.5f);
}

__global__ void four(cudaTextureObject_t t, float4 *out) {
  int i = threadIdx.x;
  out[i] = tex2Dgather<float4>(t, (i % 8) + 0.9375f, i / 8 + 0.9375f, 0);
}

int main() {
  const int w = 16, h = 8;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t all;
  OK(cudaMallocMipmappedArray(&all, &format, make_cudaExtent(w, h, 0), 3));
  for (int level = 0; level < 3; level++) {
    float image[h][w];
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        image[y][x] = (float)(level * 1000 + y * 32 + x);
    cudaArray_t one;
    OK(cudaGetMipmappedArrayLevel(&one, all, level));
    OK(cudaMemcpy2DToArray(one, 0, 0, image, sizeof image[0], (w >> level) * sizeof(float),
                           h >> level, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = all;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  how.maxMipmapLevelClamp = 2;
  cudaTextureObject_t t;
  float *out, result[160];
  OK(cudaMalloc(&out, sizeof result));
  for (int linear = 0; linear < 2; linear++) {
    how.filterMode = how.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    OK(cudaCreateTextureObject(&t, &resource, &how, NULL));
    levels<<<1, 160>>>(t, out, 160);
    OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g, sum %08x\n", result[0], result[45], result[75], result[159],
           checksum(result, sizeof result));
  }
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
  OK(cudaCreateTextureObject(&t, &flat, &raw, NULL));
  four<<<1, 32>>>(t, (float4 *)out);
  float4 quads[32];
  OK(cudaMemcpy(quads, out, sizeof quads, cudaMemcpyDeviceToHost));
  printf("%g %g %g %g, sum %08x\n", quads[9].x, quads[9].y, quads[9].z, quads[9].w,
         checksum(quads, sizeof quads));
  return 0;
}
