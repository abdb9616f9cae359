/* A texture over pitched memory that a kernel writes between two reads of it. */
#include "common.h"

__global__ void blur(cudaTextureObject_t t, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f) * (dx == 0 && dy == 0 ? 8.0f : 1.0f);
  out[y * w + x] = sum * 0.0625f;
}

__global__ void write_back(char *image, size_t pitch, const float *from, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) ((float *)(image + y * pitch))[x] = from[y * w + x];
}

int main() {
  const int w = 45, h = 23;
  static float image[h][w], result[h][w];
  unsigned seed = 11;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      image[y][x] = (float)(next_random(&seed) % 4096);
  char *data;
  size_t pitch;
  OK(cudaMallocPitch((void **)&data, &pitch, sizeof image[0], h));
  printf("pitch holds a row: %d, aligned: %d\n", pitch >= sizeof image[0], pitch % 32 == 0);
  OK(cudaMemcpy2D(data, pitch, image, sizeof image[0], sizeof image[0], h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = w;
  resource.res.pitch2D.height = h;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModePoint;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &resource, &how, NULL));
  float *out;
  OK(cudaMalloc(&out, sizeof result));
  dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
  for (int round = 0; round < 3; round++) {
    blur<<<grid, block>>>(t, out, w, h);
    write_back<<<grid, block>>>(data, pitch, out, w, h);
  }
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("%.7g %.7g %.7g, sum %08x\n", result[0][0], result[11][22], result[h - 1][w - 1],
         checksum(result, sizeof result));
  cudaTextureDesc got;
  OK(cudaGetTextureObjectTextureDesc(&got, t));
  printf("filter %d, normalised %d\n", (int)got.filterMode, got.normalizedCoords);
  OK(cudaDestroyTextureObject(t));
  return 0;
}
