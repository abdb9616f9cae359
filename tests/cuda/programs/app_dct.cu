/* JPEG's way: 8x8 cosine transforms, quantisation, zigzag, run lengths, and back. */
#include "common.h"
#include <cmath>

#define W 64
#define H 40

__constant__ float basis[8][8];
__constant__ unsigned char quality[64];
__constant__ unsigned char zigzag[64];

__global__ void forward(const unsigned char *image, short *coded, int *runs) {
  __shared__ float in[8][9], mid[8][9];
  __shared__ int zeros;
  int u = threadIdx.x, v = threadIdx.y, t = v * 8 + u;
  if (t == 0) zeros = 0;
  in[v][u] = image[(blockIdx.y * 8 + v) * W + blockIdx.x * 8 + u] - 128.0f;
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++)
    s += basis[u][k] * in[v][k];
  mid[v][u] = s;
  __syncthreads();
  s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++)
    s += basis[v][k] * mid[k][u];
  int q = __float2int_rn(s / quality[t]);
  atomicAdd(&zeros, q == 0);
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  coded[block * 64 + zigzag[t]] = q;
  __syncthreads();
  if (t == 0) runs[block] = zeros;
}

__global__ void inverse(const short *coded, unsigned char *image) {
  __shared__ float c[64], mid[64];
  int t = threadIdx.x, x = t & 7, y = t >> 3;
  c[t] = coded[blockIdx.x * 64 + zigzag[t]] * (float)quality[t];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; k++)
    s += basis[k][x] * c[y * 8 + k];
  mid[t] = s;
  __syncthreads();
  s = 0;
  for (int k = 0; k < 8; k++)
    s += basis[k][y] * mid[k * 8 + x];
  int p = __float2int_rn(s) + 128;
  image[(blockIdx.x / (W / 8) * 8 + y) * W + blockIdx.x % (W / 8) * 8 + x] = min(255, max(0, p));
}

int main() {
  static unsigned char image[W * H], back[W * H], q[64], z[64];
  static short coded[W * H];
  static float b[8][8];
  static int runs[W * H / 64];
  /* cosines of multiples of pi/16, by halving */
  double c[33] = {1};
  c[16] = -1, c[8] = 0, c[4] = sqrt(0.5), c[2] = sqrt((1 + c[4]) / 2), c[1] = sqrt((1 + c[2]) / 2);
  c[6] = sqrt((1 - c[4]) / 2), c[3] = sqrt((1 + c[6]) / 2), c[5] = sqrt((1 - c[6]) / 2),
  c[7] = sqrt((1 - c[2]) / 2);
  for (int k = 9; k < 16; k++)
    c[k] = -c[16 - k];
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++) {
      int k = (2 * x + 1) * u % 32;
      b[u][x] = (float)(c[k > 16 ? 32 - k : k] * (u ? 0.5 : sqrt(0.125)));
    }
  for (int i = 0, n = 0; i < 15; i++)
    for (int j = 0; j <= i; j++) {
      int x = i & 1 ? i - j : j, y = i - x;
      if (x < 8 && y < 8) z[y * 8 + x] = n++;
    }
  unsigned seed = 90;
  for (int i = 0; i < 64; i++)
    q[i] = 6 + i % 8 * 3 + i / 8 * 3;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      image[y * W + x] = (x * 3 + y * 2 + (x / 11 ^ y / 7) % 3 * 40 + next_random(&seed) % 9) & 255;
  OK(cudaMemcpyToSymbol(basis, b, sizeof b));
  OK(cudaMemcpyToSymbol(quality, q, sizeof q));
  OK(cudaMemcpyToSymbol(zigzag, z, sizeof z));
  unsigned char *d_image, *d_back;
  short *d_coded;
  int *d_runs;
  OK(cudaMalloc(&d_image, sizeof image));
  OK(cudaMalloc(&d_back, sizeof image));
  OK(cudaMalloc(&d_coded, sizeof coded));
  OK(cudaMalloc(&d_runs, sizeof runs));
  OK(cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice));
  forward<<<dim3(W / 8, H / 8), dim3(8, 8)>>>(d_image, d_coded, d_runs);
  inverse<<<W * H / 64, 64>>>(d_coded, d_back);
  OK(cudaMemcpy(coded, d_coded, sizeof coded, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(back, d_back, sizeof back, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(runs, d_runs, sizeof runs, cudaMemcpyDeviceToHost));
  long error = 0, zeros = 0;
  for (int i = 0; i < W * H; i++)
    error += (image[i] - back[i]) * (image[i] - back[i]);
  for (int r : runs)
    zeros += r;
  printf("coded %08x, %ld zeros, back %08x, squared error %ld\n", checksum(coded, sizeof coded),
         zeros, checksum(back, sizeof back), error);
  for (int i = 0; i < 12; i++)
    printf("%d%s", coded[i], i < 11 ? " " : "\n");
}
