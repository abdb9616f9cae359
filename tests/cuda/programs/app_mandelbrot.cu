/* The Mandelbrot set in float and double, painted as text. */
#include "common.h"

template <typename T>
__global__ void escape(unsigned short *image, int w, int h, T x0, T y0, T dx, T dy, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  T cx = x0 + px * dx, cy = y0 + py * dy, x = 0, y = 0;
  int k = 0;
  while (x * x + y * y < T(4) && k < limit) {
    T t = x * x - y * y + cx;
    y = T(2) * x * y + cy;
    x = t;
    k++;
  }
  image[py * w + px] = k;
}

template <typename T> static void paint(const char *name, T x0, T y0, T size, bool show) {
  const int w = 66, h = 30;
  static unsigned short image[w * h];
  unsigned short *d;
  OK(cudaMalloc(&d, sizeof image));
  dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
  escape<T><<<grid, block>>>(d, w, h, x0, y0, size / w, size / w * T(1.8), 200);
  OK(cudaGetLastError());
  OK(cudaMemcpy(image, d, sizeof image, cudaMemcpyDeviceToHost));
  long total = 0;
  for (int i = 0; i < w * h; i++)
    total += image[i];
  printf("%s: %08x, %ld iterations\n", name, checksum(image, sizeof image), total);
  for (int y = 0; show && y < h; y += 2) {
    for (int x = 0; x < w; x++)
      putchar(" .:-=+*#%@"[image[y * w + x] * 9 / 200]);
    putchar('\n');
  }
  OK(cudaFree(d));
}

int main() {
  paint<float>("float", -2.2f, -1.3f, 3.0f, true);
  paint<double>("double", -2.2, -1.3, 3.0, false);
  paint<float>("seahorses, float", -0.7485f, 0.1f, 1e-3f, false);
  paint<double>("seahorses, double", -0.7485, 0.1, 1e-3, false);
  paint<float>("where float ends", -1.7490f, 0.0f, 1e-6f, false);
}
