/* Separable and full convolutions: filters in constant memory, a transpose between the passes, box
 * sums of bytes. */
#include "common.h"

#define W      64
#define H      64
#define RADIUS 5

__constant__ float gauss[2 * RADIUS + 1];
__constant__ int edge[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

__global__ void rows(const float *in, float *out) {
  extern __shared__ float line[];
  const float *row = in + blockIdx.x * W;
  int x = threadIdx.x;
  line[x + RADIUS] = row[x];
  if (x < RADIUS) {
    line[x] = row[RADIUS - x];
    line[W + RADIUS + x] = row[W - 2 - x];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++)
    sum += gauss[RADIUS + k] * line[x + RADIUS + k];
  out[blockIdx.x * W + x] = sum;
}

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * W + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    out[(y + k) * H + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void sobel(const float *in, unsigned char *out) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
  float gx = 0, gy = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      float v = in[min(max(y + j, 0), H - 1) * W + min(max(x + i, 0), W - 1)];
      gx += edge[i + 1][j + 1] * v;
      gy += edge[j + 1][i + 1] * v;
    }
  float length = hypotf(gx, gy);
  out[y * W + x] = length > 255.0f ? 255 : (unsigned char)length;
}

__global__ void box(const uchar4 *in, ushort4 *sums, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ushort4 s = {0, 0, 0, 0};
  for (int k = -1; k <= 1; k++) {
    uchar4 v = in[(i + k + quads) % quads];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  sums[i] = s;
}

int main() {
  static float image[W * H], filter[2 * RADIUS + 1];
  static unsigned char edges[W * H];
  static unsigned short sums[W * H];
  unsigned seed = 18;
  for (int i = 0; i < W * H; i++)
    image[i] = (i % W - 30) * (i % W - 30) + (i / W - 20) * (i / W - 20) < 250
                   ? 200.0f
                   : next_random(&seed) % 60;
  float total = 0;
  for (int k = -RADIUS; k <= RADIUS; k++)
    total += filter[k + RADIUS] = 1.0f / (1 + k * k);
  for (float &f : filter)
    f /= total;
  OK(cudaMemcpyToSymbol(gauss, filter, sizeof filter));
  float *a, *b;
  unsigned char *d_edges;
  ushort4 *d_sums;
  OK(cudaMalloc(&a, sizeof image));
  OK(cudaMalloc(&b, sizeof image));
  OK(cudaMalloc(&d_edges, sizeof edges));
  OK(cudaMalloc(&d_sums, sizeof sums));
  OK(cudaMemcpy(a, image, sizeof image, cudaMemcpyHostToDevice));
  for (int pass = 0; pass < 2; pass++) {
    rows<<<H, W, (W + 2 * RADIUS) * sizeof(float)>>>(a, b);
    transpose<<<dim3(W / 32, H / 32), dim3(32, 8)>>>(b, a);
  }
  sobel<<<dim3(1, H), W>>>(a, d_edges);
  box<<<W * H / 4 / 128, 128>>>((uchar4 *)d_edges, d_sums, W * H / 4);
  OK(cudaMemcpy(image, a, sizeof image, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(edges, d_edges, sizeof edges, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
  printf("smooth %08x edges %08x sums %08x\n", checksum(image, sizeof image),
         checksum(edges, sizeof edges), checksum(sums, sizeof sums));
  printf("%a %a %a\n", image[0], image[W * 20 + 30], image[W * H - 1]);
}
