/* Surfaces: kernels write an array, a later kernel reads it through a surface and through a
 * texture. */
#include "common.h"

__global__ void draw(cudaSurfaceObject_t s, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    surf2Dwrite(make_uchar4(x * 5, y * 7, x ^ y, 255 - x), s, x * (int)sizeof(uchar4), y);
}

__global__ void turn(cudaSurfaceObject_t s, cudaTextureObject_t t, uchar4 *out, uchar4 *copy, int w,
                     int h) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * w + x] = surf2Dread<uchar4>(s, (w - 1 - x) * (int)sizeof(uchar4), h - 1 - y);
  copy[y * w + x] = tex2D<uchar4>(t, x, y);
}

__global__ void outside(cudaSurfaceObject_t s, int w, int *out) {
  int x = (int)threadIdx.x - 2;
  int4 v;
  surf2Dread(&v.x, s, x * 4, 0, cudaBoundaryModeZero);
  surf2Dread(&v.y, s, x * 4, 3, cudaBoundaryModeClamp);
  out[threadIdx.x] = v.x ^ v.y;
}

int main() {
  const int w = 24, h = 10;
  static uchar4 out[h][w], copy[h][w];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &resource));
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &resource, &how, NULL));
  uchar4 *dout, *dcopy;
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&dcopy, sizeof copy));
  draw<<<dim3(2, 2), dim3(16, 8)>>>(s, w, h);
  turn<<<h, w>>>(s, t, dout, dcopy, w, h);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(copy, dcopy, sizeof copy, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      wrong += out[y][x].x != copy[h - 1 - y][w - 1 - x].x || copy[y][x].z != (x ^ y);
  printf("wrong %d, sums %08x %08x\n", wrong, checksum(out, sizeof out),
         checksum(copy, sizeof copy));
  OK(cudaMemcpy2DFromArray(out, sizeof out[0], array, 4 * 4, 2, 8 * 4, 5, cudaMemcpyDeviceToHost));
  printf("part: %d %d %d %d\n", out[0][0].x, out[0][0].y, out[4][7].z, out[4][7].w);
  int edge[w + 4];
  outside<<<1, w + 4>>>(s, w, (int *)dout);
  OK(cudaMemcpy(edge, dout, sizeof edge, cudaMemcpyDeviceToHost));
  printf("edges %08x %08x %08x %08x, sum %08x\n", edge[0], edge[2], edge[w + 1], edge[w + 3],
         checksum(edge, sizeof edge));
  OK(cudaDestroySurfaceObject(s));
  OK(cudaFreeArray(array));
  return wrong != 0;
}
