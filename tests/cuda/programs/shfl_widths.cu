/* Segments of every width, 64-bit values, and lanes of a segment that do not take part. */
#include "common.h"

template <int width>
__device__ void row(long long *out, unsigned members, long long v, int from, int step) {
  out[0] = __shfl_sync(members, v, from, width);
  out[1] = __shfl_up_sync(members, v, step, width);
  out[2] = __shfl_down_sync(members, v, step, width);
  out[3] = __shfl_xor_sync(members, v, step, width);
}

__global__ void segments(unsigned members, int from, int step, long long *out) {
  int lane = threadIdx.x;
  long long v = 0x100000001ll * (lane + 1);
  out += lane * 20;
  if (members >> lane & 1) {
    row<2>(out, members, v, from, step);
    row<4>(out + 4, members, v, from, step);
    row<8>(out + 8, members, v, from, step);
    row<16>(out + 12, members, v, from, step);
    row<32>(out + 16, members, v, from, step);
  }
}

int main() {
  long long host[32 * 20], *out;
  const unsigned masks[] = {0xffffffffu, 0x0000ffffu, 0xaaaaaaaau,
                            0xf0f0f0f0u, 0x80000001u, 0x00ffff00u};
  OK(cudaMalloc(&out, sizeof host));
  for (unsigned m : masks)
    for (int from = 0; from < 32; from += 7) {
      OK(cudaMemset(out, 0, sizeof host));
      segments<<<1, 32>>>(m, from, from / 2 + 1, out);
      OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
      int lane = 31 - __builtin_clz(m), zeros = 0;
      for (long long x : host)
        zeros += x == 0;
      printf("%08x from %2d: %llx %llx %llx %llx, %d zeros, sum %08x\n", m, from, host[lane * 20],
             host[lane * 20 + 5], host[lane * 20 + 10], host[lane * 20 + 19], zeros,
             checksum(host, sizeof host));
    }
  return 0;
}
