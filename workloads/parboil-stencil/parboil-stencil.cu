// One sweep of a seven-point stencil over a box (Parboil's stencil), from one copy of the box to
// another. A block of 32 x 4 threads holds 64 x 4 columns, two for each thread, and climbs through
// the planes: the plane at hand is in shared memory, the ones below and above in registers.
//
// Each cell is loaded once by the block that owns it, two full lines for a row of the tile; in
// each plane the row in front of the tile, the row behind it and the cells to its left and right
// come from global memory once more, where the neighbouring blocks need them at about that time.
#include "../suite.h"

extern "C" __global__ void stencil_sweep(float centre, float around, float *from, float *to,
                                         int nx, int ny, int nz) {
  extern __shared__ float tile[];
  int width = 2 * blockDim.x;
  int x1 = blockIdx.x * width + threadIdx.x, x2 = x1 + blockDim.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int t1 = threadIdx.y * width + threadIdx.x, t2 = t1 + blockDim.x;
  tile[t1] = 0.0f;
  tile[t2] = 0.0f;
  __syncthreads();

  bool in1 = x1 < nx && y < ny, in2 = x2 < nx && y < ny;
  bool inside1 = x1 > 0 && y > 0 && x1 < nx - 1 && y < ny - 1;
  bool inside2 = y > 0 && x2 < nx - 1 && y < ny - 1;
  bool left = threadIdx.x == 0, right = threadIdx.x == blockDim.x - 1;
  bool front = threadIdx.y == 0, back = threadIdx.y == blockDim.y - 1;
  int plane = nx * ny, at = y * nx;

  float below1 = 0.0f, below2 = 0.0f, above1 = 0.0f, above2 = 0.0f;
  if (in1) {
    below1 = from[at + x1];
    tile[t1] = from[plane + at + x1];
  }
  if (in2) {
    below2 = from[at + x2];
    tile[t2] = from[plane + at + x2];
  }
  __syncthreads();

  LOOP for (int z = 1; z < nz - 1; z++) {
    at += plane;
    if (in1) above1 = from[at + plane + x1];
    if (inside1) {
      float l = left ? from[at + x1 - 1] : tile[t1 - 1];
      float f = front ? from[at - nx + x1] : tile[t1 - width];
      float b = back ? from[at + nx + x1] : tile[t1 + width];
      to[at + x1] = fmaf(l + tile[t1 + 1] + b + f + above1 + below1, around, -(tile[t1] * centre));
    }
    if (in2) above2 = from[at + plane + x2];
    if (inside2) {
      float r = right ? from[at + x2 + 1] : tile[t2 + 1];
      float f = front ? from[at - nx + x2] : tile[t2 - width];
      float b = back ? from[at + nx + x2] : tile[t2 + width];
      to[at + x2] = fmaf(r + tile[t2 - 1] + b + f + above2 + below2, around, -(tile[t2] * centre));
    }
    __syncthreads();
    below1 = tile[t1];
    tile[t1] = above1;
    below2 = tile[t2];
    tile[t2] = above2;
    __syncthreads();
  }
}
