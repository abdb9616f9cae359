/* Device printf: every conversion that CUDA documents, and what it does with others. Each line ends
 * with what printf returned.
 *
 *   nvcc -arch=sm_75 -ptx -o printf.ptx printf.cu                       what the test runs
 *   nvcc -arch=sm_90 -DWITH_MAIN -o printf_gpu printf.cu && ./printf_gpu > printf_h200.txt
 *
 * On the GPU each format has a process of its own, as some of them end in CUDA's driver. */
#include <cstdio>

#define P(...) r = printf(__VA_ARGS__); printf(" -> %d\n", r)

__device__ char own[8] = "device";
__constant__ char fixed[8] = "consts";

extern "C" __global__ void conversions(int which, int i, double d) {
  int r;
  const char *null = nullptr;
  __shared__ char shared[4];
  char local[4] = {'l', 'o', 'c', 0};
  shared[0] = 's'; shared[1] = 'h'; shared[2] = 0;
  local[0] = (char)('a' + i - 5);
  switch (which) {
  case 0: P("%d|%i|%u|%o|%x|%X", -i, i, -1, 8, 0xabcdef, 0xabcdef); break;
  case 1: P("%+d|% d|%05d|%-5d|%5d|%#x|%#X|%#o|%+05d|%- 5d", i, i, i, i, i, 255, 255, 8, i, i); break;
  case 2: P("%.3d|%8.4x|%-8.4x|%.0d|%08.3d", i, 0x1f, 0x1f, 0, i); break;
  case 3: P("%hd|%hu|%hx|%hhd|%hhu|%hhx", 0x18000, 0x1ffff, -1, 0x1ff, 0x1ff, -1); break;
  case 4: P("%ld|%lu|%lx|%lld|%llu|%llx|%llo|%llX", -3L, 3UL, 0x123456789abcL, -4LL, ~0ULL, 0x123456789abcdef0LL, 8LL, 255LL); break;
  case 5: P("%d|%lld|%d|%lld", 1, 2LL, 3, 4LL); break;
  case 6: P("%zu|%zd|%jd|%ju|%td", (size_t)7, (size_t)8, 9LL, 10ULL, 11LL); break;
  case 7: P("%c|%c|%5c|%-5c|", 'A', 66, 'C', 'D'); break;
  case 8: P("%f|%F|%e|%E|%g|%G|%a|%A", d, d, d, d, d, d, d, d); break;
  case 9: P("%.2f|%10.3f|%-10.1f|%+.0f|%#.0f|%010.2f|% f", d, d, d, d, d, d, d); break;
  case 10: P("%.10e|%.0e|%.3g|%#g|%g|%g|%g", d, d, d, d, 1e-5, 1e20, 100000.0); break;
  case 11: P("%f|%f|%f|%e|%g|%F", 1.0 / 0.0 * d, -1.0 / 0.0 * d, 0.0 / 0.0 * d, 1e308 * d * 10, -0.0, 1.0 / 0.0); break;
  case 12: P("%f|%g", (float)d, (float)0.1f); break;
  case 13: P("%.3a|%20a|%a|%a", d, d, 1.0, 5e-324); break;
  case 14: P("%Lf|%lf|%le", d, d, d); break;
  case 15: P("%s|%10s|%-10s|%.2s|%10.3s|", "word", "word", "word", "word", "word"); break;
  case 16: P("%s|%s|%s|%s", own, fixed, shared, local); break;
  case 17: P("%s|", null); break;
  case 18: P("%.3s|%10s|", null, null); break;
  case 19: P("%p|%p|%20p|%-20p|", (void *)0, (void *)0x7f0000001234, (void *)0x10, (void *)0x10); break;
  case 20: P("%ls|%lc", "wide?", 'w'); break;
  case 21: P("%*d|%-*d|%.*f|%*.*f|%*d|%.*d", 6, i, 6, i, 1, d, 8, 2, d, -6, i, -1, i); break;
  case 22: P("100%%|%5%|%-5%|"); break;
  case 23: P("%k|%5y|%!"); break;
  case 24: P("%d %", 7); break;
  case 25: P("end %"); break;
  case 26: P(""); break;
  case 27: P("no arguments"); break;
  case 28: P("%n|%d", 1, 2); break;
  case 29: P("%m|%d", 3); break;
  case 30: P("%'d|%I d", 1234567, 8); break;
  case 31: P("%hhhd|%llld", 5, 6LL); break;
  case 32: P("%.d|%.f|%.s|", i, d, "abc"); break;
  case 33: P("%--5d|%++d|%  d|%##x|%00005d", i, i, i, 255, i); break;
  case 34: P("%30.20d|%-30.20d|", i, i); break;
  case 35: P("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32); break;
  case 36: P("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34); break;
  case 37: P("tab\tquote\"back\\bell\a%c%cnul", 0, 1); break;
  }
}

#ifdef WITH_MAIN
#include <cstdlib>

int main(int argc, char **argv) {
  if (argc == 2) {
    conversions<<<1, 1>>>(atoi(argv[1]), 5, 3.14159265358979);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("ERROR %d %s\n", (int)e, cudaGetErrorName(e));
    return fflush(stdout);
  }
  for (int i = 0; i < 38; i++) {
    char cmd[600];
    snprintf(cmd, sizeof cmd, "%s %d", argv[0], i);
    printf("#%d\n", i);
    fflush(stdout);
    if (system(cmd) != 0) printf("it ended in the driver\n");
    fflush(stdout);
  }
  return 0;
}
#endif
