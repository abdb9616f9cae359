/* The game of life on a torus: one generation through textures and surfaces, the next with bits and
 * funnel shifts. */
#include "common.h"
#include <cstring>

#define W 64
#define H 48

__global__ void through_surface(cudaTextureObject_t now, cudaSurfaceObject_t next) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int around = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy) around += tex2D<unsigned char>(now, (x + dx + 0.5f) / W, (y + dy + 0.5f) / H);
  unsigned char alive = tex2D<unsigned char>(now, (x + 0.5f) / W, (y + 0.5f) / H);
  surf2Dwrite<unsigned char>(around == 3 || (around == 2 && alive), next, x, y);
}

/* 64 cells are two words; neighbours are counted for 32 cells at once. */
__global__ void through_bits(const uint2 *now, uint2 *next) {
  int y = threadIdx.x;
  unsigned ones[2] = {}, twos[2] = {}, fours[2] = {};
  auto add = [&](int h, unsigned bits) {
    unsigned carry = ones[h] & bits;
    ones[h] ^= bits;
    unsigned carry2 = twos[h] & carry;
    twos[h] ^= carry;
    fours[h] |= carry2;
  };
  for (int dy = -1; dy <= 1; dy++) {
    uint2 row = now[(y + dy + H) % H];
    unsigned w[2] = {row.x, row.y};
#pragma unroll
    for (int h = 0; h < 2; h++) {
      add(h, __funnelshift_l(w[!h], w[h], 1));
      add(h, __funnelshift_r(w[h], w[!h], 1));
      if (dy) add(h, w[h]);
    }
  }
  uint2 me = now[y];
  next[y].x = ~fours[0] & twos[0] & (ones[0] | me.x);
  next[y].y = ~fours[1] & twos[1] & (ones[1] | me.y);
}

int main() {
  static unsigned char cells[H][W], after[H][W];
  static uint2 bits[H], bits_after[H];
  unsigned seed = 4;
  for (auto &row : cells)
    for (auto &c : row)
      c = next_random(&seed) % 3 == 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      (x < 32 ? bits[y].x : bits[y].y) |= (unsigned)cells[y][x] << x % 32;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array[2];
  cudaTextureObject_t texture[2];
  cudaSurfaceObject_t surface[2];
  for (int k = 0; k < 2; k++) {
    OK(cudaMallocArray(&array[k], &format, W, H, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array[k];
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = 1;
    OK(cudaCreateTextureObject(&texture[k], &resource, &how, nullptr));
    OK(cudaCreateSurfaceObject(&surface[k], &resource));
  }
  OK(cudaMemcpy2DToArray(array[0], 0, 0, cells, W, W, H, cudaMemcpyHostToDevice));
  uint2 *d_bits[2];
  OK(cudaMalloc(&d_bits[0], sizeof bits));
  OK(cudaMalloc(&d_bits[1], sizeof bits));
  OK(cudaMemcpy(d_bits[0], bits, sizeof bits, cudaMemcpyHostToDevice));
  for (int g = 0; g < 12; g++) {
    through_surface<<<dim3(W / 32, H / 4), dim3(32, 4)>>>(texture[g & 1], surface[~g & 1]);
    through_bits<<<1, H>>>(d_bits[g & 1], d_bits[~g & 1]);
    OK(cudaMemcpy2DFromArray(after, W, array[~g & 1], 0, 0, W, H, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(bits_after, d_bits[~g & 1], sizeof bits, cudaMemcpyDeviceToHost));
    int alive = 0, differ = 0;
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        alive += after[y][x];
        differ += after[y][x] != ((x < 32 ? bits_after[y].x : bits_after[y].y) >> x % 32 & 1);
      }
    printf("generation %d: %d alive, %08x, %d differ\n", g + 1, alive,
           checksum(after, sizeof after), differ);
  }
}
