/* Filling memory: bytes, in a stream, rectangles, boxes, zero bytes, and a device-to-device copy
 * after it. */
#include "common.h"

__global__ void bump(unsigned char *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i]++;
}

static void show(const char *what, const void *device, size_t bytes) {
  static unsigned char host[16384];
  OK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  printf("%s: %02x %02x %02x, sum %08x\n", what, host[0], host[bytes / 2], host[bytes - 1],
         checksum(host, bytes));
}

int main() {
  const int n = 6001;
  unsigned char *x, *y;
  OK(cudaMalloc(&x, 16384));
  OK(cudaMalloc(&y, 16384));
  OK(cudaMemset(x, 0x5a, n));
  show("bytes", x, n);
  OK(cudaMemset(x + 17, -1, 3)); /* only the low byte counts */
  OK(cudaMemset(x + 20, 0x1234, 2));
  show("unaligned", x, 64);
  OK(cudaMemset(x, 0, 0));
  show("nothing", x, n);

  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaMemsetAsync(x, 9, n, s));
  bump<<<(n + 255) / 256, 256, 0, s>>>(x, n);
  OK(cudaMemcpyAsync(y, x, n, cudaMemcpyDeviceToDevice, s));
  OK(cudaMemsetAsync(x, 1, n, s));
  OK(cudaStreamSynchronize(s));
  show("in a stream", y, n);
  show("after it", x, n);

  OK(cudaMemset(x, 0, 16384));
  OK(cudaMemset2D(x + 5, 128, 0xaa, 40, 20)); /* rows of 40 bytes, 128 apart */
  show("rectangle", x, 128 * 20);
  OK(cudaMemset2DAsync(x, 64, 0xbb, 64, 10, s)); /* rows without gaps */
  OK(cudaStreamSynchronize(s));
  show("dense rectangle", x, 128 * 20);
  OK(cudaMemset(y, 0, 16384));
  OK(cudaMemset3D(make_cudaPitchedPtr(y, 64, 64, 16), 0xcc, make_cudaExtent(33, 7, 5)));
  show("box", y, 64 * 16 * 5);
  SHOW(cudaMemset(NULL, 0, 4));
  SHOW(cudaMemset2D(x, 16, 0, 32, 4));
  return 0;
}
