/* Copies of rectangles and boxes, from and to the middle of others, through pitched memory and
 * arrays. */
#include "common.h"
#include <cstring>

int main() {
  const int w = 37, h = 21, d = 5;
  static short box[d][h][w], back[d][h][w], flat[h][w];
  for (int z = 0; z < d; z++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        box[z][y][x] = (short)(z * 1000 + y * 40 + x);
  char *plane;
  size_t pitch;
  OK(cudaMallocPitch((void **)&plane, &pitch, sizeof box[0][0], h));
  OK(cudaMemset2D(plane, pitch, 0xff, sizeof box[0][0], h));
  OK(cudaMemcpy2D(plane + 3 * pitch + 10, pitch, &box[1][2][4], sizeof box[0][0],
                  20 * sizeof(short), 9, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(flat, sizeof flat[0], plane, pitch, sizeof flat[0], h, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d, sum %08x\n", flat[0][0], flat[3][5], flat[11][24], flat[12][5],
         checksum(flat, sizeof flat));

  cudaPitchedPtr volume;
  cudaExtent whole = make_cudaExtent(sizeof box[0][0], h, d);
  OK(cudaMalloc3D(&volume, whole));
  OK(cudaMemset3D(volume, 0, whole));
  cudaMemcpy3DParms in = {}, out = {};
  in.srcPtr = make_cudaPitchedPtr(box, sizeof box[0][0], w, h);
  in.srcPos = make_cudaPos(6 * sizeof(short), 3, 1);
  in.dstPtr = volume;
  in.dstPos = make_cudaPos(2 * sizeof(short), 5, 2);
  in.extent = make_cudaExtent(25 * sizeof(short), 11, 3);
  in.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&in));
  memset(back, 0x11, sizeof back);
  out.srcPtr = volume;
  out.dstPtr = make_cudaPitchedPtr(back, sizeof back[0][0], w, h);
  out.extent = whole;
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3DAsync(&out, 0));
  OK(cudaStreamSynchronize(0));
  printf("%d %d %d, sum %08x\n", back[1][5][2], back[2][5][2], back[4][15][26],
         checksum(back, sizeof back));

  /* array to array in the middle: extents are in elements */
  cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  cudaArray_t a, b;
  OK(cudaMalloc3DArray(&a, &format, make_cudaExtent(w, h, d)));
  OK(cudaMalloc3DArray(&b, &format, make_cudaExtent(w, h, d)));
  cudaMemcpy3DParms to = {}, across = {}, from = {};
  to.srcPtr = in.srcPtr;
  to.dstArray = a;
  to.extent = make_cudaExtent(w, h, d);
  to.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&to));
  across.srcArray = a;
  across.srcPos = make_cudaPos(30, 1, 0);
  across.dstArray = b;
  across.dstPos = make_cudaPos(0, 2, 1);
  across.extent = make_cudaExtent(7, 18, 4);
  across.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3D(&across));
  from.srcArray = b;
  from.srcPos = make_cudaPos(0, 2, 1);
  from.dstPtr = make_cudaPitchedPtr(back, sizeof back[0][0], w, h);
  from.extent = across.extent;
  from.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&from));
  printf("%d %d %d\n", back[0][0][0], back[0][0][6], back[3][17][6]);
  SHOW(cudaMemcpy2D(plane, 10, box, sizeof box[0][0], 20, 2, cudaMemcpyHostToDevice));
  return 0;
}
