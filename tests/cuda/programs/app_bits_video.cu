/* Images as packed bytes with SIMD intrinsics, Morton and Hilbert order, Gray codes, bit matrices.
 */
#include "common.h"

__global__ void motion(const unsigned *now, const unsigned *before, unsigned *best) {
  /* the shift with the least difference, as video coders search */
  int block = threadIdx.x;
  unsigned least = ~0u;
  for (int shift = -8; shift <= 8; shift++) {
    unsigned sum = 0;
    for (int w = 0; w < 4; w++) {
      int at = block * 4 + w, from = (at * 4 + shift) & 511;
      unsigned lo = before[from / 4], hi = before[(from / 4 + 1) & 127];
      unsigned moved = __funnelshift_r(lo, hi, (from & 3) * 8);
      sum += __vsadu4(now[at], moved);
    }
    least = min(least, sum << 8 | (unsigned)(shift + 8));
  }
  best[block] = least;
}

__global__ void effects(const unsigned *in, unsigned *out) {
  unsigned v = in[threadIdx.x], w = in[(threadIdx.x + 5) & 127];
  unsigned r = __vaddus4(v, 0x20202020);
  r = __vsubss4(r, 0x10f01008);
  r ^= __vavgu4(v, w);
  r += __vmaxu4(v, w) - __vminu4(v, w);
  r ^= __vabsdiffs2(v, w) + __vcmpgtu4(v, w);
  r = __vaddss2(r, v) ^ __vnegss2(w) ^ __vhaddu4(v, w);
  r = __byte_perm(r, v, 0x1652) + __dp4a((int)v, (int)w, 7) + __usad(v, w, 3u);
  out[threadIdx.x] = r + __vsetltu2(v, w);
}

__device__ unsigned spread(unsigned x) {
  x &= 0xffff;
  x = (x | x << 8) & 0x00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}

__global__ void orders(unsigned *out) {
  unsigned x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  unsigned morton = spread(x) | spread(y) << 1, hilbert = 0, hx = x, hy = y;
  for (int s = 8; s; s /= 2) {
    unsigned rx = (hx & s) != 0, ry = (hy & s) != 0;
    hilbert += s * s * (3 * rx ^ ry);
    if (!ry) {
      if (rx) {
        hx = 15 - hx;
        hy = 15 - hy;
      }
      unsigned swap = hx;
      hx = hy;
      hy = swap;
    }
  }
  unsigned gray = t ^ t >> 1, back = gray;
  for (int s = 1; s < 32; s *= 2)
    back ^= back >> s;
  out[t] = morton | hilbert << 8 | (back == t) << 16 | (unsigned)__popc(gray) << 20 |
           (unsigned)__clz(t) << 24;
}

/* A matrix of 32x32 bits is transposed by a warp, then multiplied with itself over GF(2). */
__global__ void bit_matrix(unsigned *m) {
  unsigned lane = threadIdx.x, row = m[lane], col = 0;
  for (int k = 0; k < 32; k++) {
    unsigned votes = __ballot_sync(~0u, row >> k & 1);
    if (lane == k) col = votes;
  }
  unsigned product = 0;
  for (int k = 0; k < 32; k++) {
    unsigned other = __shfl_sync(~0u, col, k);
    product |= (__popc(row & other) & 1u) << k;
  }
  unsigned long long both = (unsigned long long)product << 32 | col;
  m[lane] = product ^ __brev(col) ^ (unsigned)__popcll(both) ^ (unsigned)__ffsll(both & ~0xffull) ^
            (unsigned)__clzll(both >> lane);
  asm("bfi.b32 %0, %1, %0, 5, 9;" : "+r"(m[lane]) : "r"(col));
  int field;
  asm("bfe.s32 %0, %1, 3, 11;" : "=r"(field) : "r"(product));
  asm("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(m[lane]) : "r"(field), "r"(row));
}

int main() {
  static unsigned now[128], before[128], out[128], order[256], best[32];
  unsigned seed = 500;
  for (int i = 0; i < 128; i++)
    before[i] = next_random(&seed) ^ next_random(&seed) << 8;
  for (int i = 0; i < 512; i++)
    ((unsigned char *)now)[i] = ((unsigned char *)before)[(i + i / 64 - 3) & 511] + (i % 37 == 0);
  unsigned *d_now, *d_before, *d_out;
  OK(cudaMalloc(&d_now, sizeof now));
  OK(cudaMalloc(&d_before, sizeof before));
  OK(cudaMalloc(&d_out, 1024));
  OK(cudaMemcpy(d_now, now, sizeof now, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_before, before, sizeof before, cudaMemcpyHostToDevice));
  motion<<<1, 32>>>(d_now, d_before, d_out);
  OK(cudaMemcpy(best, d_out, sizeof best, cudaMemcpyDeviceToHost));
  for (int b = 0; b < 32; b += 4)
    printf("block %d moved %d (%u)\n", b, (int)(best[b] & 255) - 8, best[b] >> 8);
  effects<<<1, 128>>>(d_now, d_out);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  printf("effects %08x: %08x %08x\n", checksum(out, sizeof out), out[0], out[127]);
  orders<<<1, dim3(16, 16)>>>(d_out);
  OK(cudaMemcpy(order, d_out, sizeof order, cudaMemcpyDeviceToHost));
  printf("orders %08x: %08x %08x\n", checksum(order, sizeof order), order[37], order[255]);
  bit_matrix<<<1, 32>>>(d_before);
  OK(cudaMemcpy(before, d_before, sizeof before, cudaMemcpyDeviceToHost));
  printf("matrix %08x: %08x %08x\n", checksum(before, 128), before[0], before[31]);
}
