/* printf from kernels: every kind of conversion, and text of one thread at a time, in launch order.
 */
#include "common.h"

__global__ void numbers() {
  printf("int %d %5d|%-5d|%05d %+d\n", 42, 42, 42, 42, 42);
  printf("unsigned %u hex %x %X %#x octal %o\n", 3000000000u, 0xbeefu, 0xbeefu, 255u, 8u);
  printf("long %ld %lu %lld %llx\n", -5000000000l, 5000000000ul, -1ll, 0x123456789abcdefull);
  printf("float %f %.3f %10.2f|%-10.1f|%e %g\n", 1.5f, 2.0 / 3.0, -1234.567, 9.75, 12345.678,
         0.0001);
  printf("special %f %f %g\n", 1.0 / 0.0, -1.0 / 0.0, -0.0);
  printf("char %c string '%s' '%10s' '%-6s' percent %%\n", 'w', "text", "right", "left");
}

__global__ void none() {
  printf("no argument at all\n");
}

__global__ void chosen(int which) {
  if (threadIdx.x == (unsigned)which)
    printf("thread %d of block (%d,%d)\n", threadIdx.x, blockIdx.x, blockIdx.y);
}

template <typename T> __device__ void show(const char *name, T value) {
  printf("%s is %d bytes: %d\n", name, (int)sizeof value, (int)value);
}

__global__ void called() {
  show("short", (short)-7);
  show("char", (char)65);
  show("long long", 77ll);
  for (int i = 0; i < 3; i++)
    printf("%d%s", i, i < 2 ? "," : "\n");
  int written = printf("two %d %d\n", 1, 2);
  printf("returned %d\n", written);
}

int main() {
  printf("host first\n");
  fflush(stdout);
  numbers<<<1, 1>>>();
  none<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; i++)
    chosen<<<1, 64>>>(i * 20);
  OK(cudaDeviceSynchronize());
  printf("host between\n");
  fflush(stdout);
  called<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  size_t bytes;
  OK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
  printf("buffer is there: %d\n", bytes > 0);
  printf("host last\n");
  return 0;
}
