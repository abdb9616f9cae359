/* A two-dimensional array, sampled between its texels under each way of treating coordinates
 * outside. */
#include "common.h"

__global__ void sample(cudaTextureObject_t t, float *out, int w, int h, float scale_x,
                       float scale_y) {
  int x = threadIdx.x, y = threadIdx.y;
  float u = (x * 0.40625f - 1.5f) * scale_x, v = (y * 0.59375f - 1.0f) * scale_y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(t, u, v);
}

int main() {
  const int width = 10, height = 6, w = 32, h = 12;
  float image[height][width], result[h][w];
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      image[y][x] = (float)(y * 16 + x * x);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, width, height));
  OK(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], height,
                         cudaMemcpyHostToDevice));
  float *out;
  OK(cudaMalloc(&out, sizeof result));
  cudaTextureAddressMode modes[] = {cudaAddressModeClamp, cudaAddressModeBorder,
                                    cudaAddressModeWrap, cudaAddressModeMirror};
  for (int linear = 0; linear < 2; linear++)
    for (int m = 0; m < 4; m++) {
      cudaResourceDesc resource = {};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array;
      cudaTextureDesc how = {};
      how.addressMode[0] = how.addressMode[1] = modes[m];
      how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
      how.readMode = cudaReadModeElementType;
      how.normalizedCoords = modes[m] == cudaAddressModeWrap || modes[m] == cudaAddressModeMirror;
      cudaTextureObject_t t;
      OK(cudaCreateTextureObject(&t, &resource, &how, NULL));
      /* normalised coordinates are steps of a power of two, so that all machines round them alike
       */
      float sx = how.normalizedCoords ? 1.0f / 8 : 1, sy = how.normalizedCoords ? 1.0f / 4 : 1;
      sample<<<1, dim3(w, h)>>>(t, out, w, h, sx, sy);
      OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
      printf("%s mode %d: %.7g %.7g %.7g %.7g, sum %08x\n", linear ? "linear" : "point", m,
             result[0][0], result[4][9], result[5][20], result[11][31],
             checksum(result, sizeof result));
      OK(cudaDestroyTextureObject(t));
    }
  cudaChannelFormatDesc got;
  cudaExtent extent;
  unsigned flags;
  OK(cudaArrayGetInfo(&got, &extent, &flags, array));
  printf("array %zu x %zu x %zu, %d bits, flags %u\n", extent.width, extent.height, extent.depth,
         got.x, flags);
  OK(cudaFreeArray(array));
  return 0;
}
