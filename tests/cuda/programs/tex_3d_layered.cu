/* A volume, a stack of layers and a cube map: three shapes of array and the fetches that go with
 * them. */
#include "common.h"

__global__ void volume(cudaTextureObject_t t, float *out) {
  int i = threadIdx.x;
  out[i] = tex3D<float>(t, 0.5f + (i & 7), 0.5f + (i >> 3 & 3), (i >> 5) + 0.75f);
}

__global__ void layers(cudaTextureObject_t t, float *out) {
  int i = threadIdx.x;
  out[i] = tex2DLayered<float>(t, (i & 7) + 0.5f, (i >> 3 & 3) + 0.5f, 2 - (i >> 5));
}

__global__ void cube(cudaTextureObject_t t, float *out) {
  int i = threadIdx.x;
  float axis[3] = {0.25f, -0.25f, 0.125f};
  axis[i / 2 % 3] = i % 2 ? -1.0f : 1.0f;
  out[i] = texCubemap<float>(t, axis[0], axis[1], axis[2]);
}

static cudaTextureObject_t texture(cudaExtent extent, unsigned flags, float *data, bool linear) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMemcpy3DParms copy = {};
  OK(cudaMalloc3DArray(&copy.dstArray, &format, extent, flags));
  copy.srcPtr =
      make_cudaPitchedPtr(data, extent.width * sizeof(float), extent.width, extent.height);
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = copy.dstArray;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = (flags & cudaArrayCubemap) != 0;
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
  return object;
}

int main() {
  float data[6 * 32], result[96], *out;
  for (int i = 0; i < 6 * 32; i++)
    data[i] = (float)(i * 3 % 128);
  OK(cudaMalloc(&out, sizeof result));

  volume<<<1, 96>>>(texture(make_cudaExtent(8, 4, 3), 0, data, true), out);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("volume %g %g %g, sum %08x\n", result[0], result[40], result[95],
         checksum(result, sizeof result));

  layers<<<1, 96>>>(texture(make_cudaExtent(8, 4, 3), cudaArrayLayered, data, false), out);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("layers %g %g %g, sum %08x\n", result[0], result[40], result[95],
         checksum(result, sizeof result));

  cube<<<1, 6>>>(texture(make_cudaExtent(4, 4, 6), cudaArrayCubemap, data, false), out);
  OK(cudaMemcpy(result, out, 6 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 6; i++)
    printf("%sface %d: %g", i ? ", " : "", i, result[i]);
  printf("\n");
  return 0;
}
