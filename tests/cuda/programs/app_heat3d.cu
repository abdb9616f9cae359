/* Heat in a box: a 7-point stencil that walks along z with registers and a tile in shared memory.
 */
#include "common.h"
#include <utility>

#define NX 32
#define NY 24
#define NZ 16
#define TX 16
#define TY 8

__global__ void diffuse(const float *in, float *out, float alpha) {
  __shared__ float tile[TY + 2][TX + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  auto at = [&](int i, int j, int k) {
    i = min(max(i, 0), NX - 1);
    j = min(max(j, 0), NY - 1);
    return in[(k * NY + j) * NX + i];
  };
  float below = at(x, y, 0), here = below, above = at(x, y, 1);
  for (int z = 0; z < NZ; z++) {
    tile[ty][tx] = here;
    if (threadIdx.x == 0) {
      tile[ty][0] = at(x - 1, y, z);
      tile[ty][TX + 1] = at(x + TX, y, z);
    }
    if (threadIdx.y == 0) {
      tile[0][tx] = at(x, y - 1, z);
      tile[TY + 1][tx] = at(x, y + TY, z);
    }
    __syncthreads();
    float sum =
        tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above;
    out[(z * NY + y) * NX + x] = here + alpha * (sum - 6.0f * here);
    below = here;
    here = above;
    if (z + 2 < NZ) above = at(x, y, z + 2);
    __syncthreads();
  }
}

int main() {
  const int n = NX * NY * NZ;
  static float t[n];
  unsigned seed = 88;
  for (float &v : t)
    v = next_random(&seed) % 50 == 0 ? 1000.0f : 20.0f;
  float *a, *b;
  OK(cudaMalloc(&a, sizeof t));
  OK(cudaMalloc(&b, sizeof t));
  OK(cudaMemcpy(a, t, sizeof t, cudaMemcpyHostToDevice));
  for (int step = 1; step <= 20; step++) {
    diffuse<<<dim3(NX / TX, NY / TY), dim3(TX, TY)>>>(a, b, 0.11f);
    std::swap(a, b);
    if (step % 5 == 0) {
      OK(cudaMemcpy(t, a, sizeof t, cudaMemcpyDeviceToHost));
      float low = t[0], high = t[0];
      for (float v : t) {
        low = v < low ? v : low;
        high = v > high ? v : high;
      }
      printf("step %d: %08x low %a high %a\n", step, checksum(t, sizeof t), low, high);
    }
  }
}
