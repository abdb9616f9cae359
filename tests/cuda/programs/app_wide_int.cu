/* Integers of 128 and 256 bits: carry chains in PTX, Montgomery products, factorials, and modular
 * powers. */
#include "common.h"

struct U128 {
  unsigned long long lo, hi;
};

__device__ U128 add(U128 a, U128 b) {
  U128 r;
  asm("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;"
      : "=l"(r.lo), "=l"(r.hi)
      : "l"(a.lo), "l"(a.hi), "l"(b.lo), "l"(b.hi));
  return r;
}
__device__ U128 sub(U128 a, U128 b, unsigned &borrow) {
  U128 r;
  asm("{ sub.cc.u64 %0, %3, %5; subc.cc.u64 %1, %4, %6; subc.u32 %2, 0, 0; }"
      : "=l"(r.lo), "=l"(r.hi), "=r"(borrow)
      : "l"(a.lo), "l"(a.hi), "l"(b.lo), "l"(b.hi));
  return r;
}

__global__ void fibonacci(U128 *out) {
  U128 a = {threadIdx.x, 0}, b = {1, 0};
  for (int k = 0; k < 180; k++) {
    U128 c = add(a, b);
    a = b;
    b = c;
  }
  unsigned borrow;
  out[2 * threadIdx.x] = sub(b, a, borrow);
  out[2 * threadIdx.x + 1] = sub(a, b, borrow);
  out[2 * threadIdx.x + 1].hi ^= borrow;
}

/* 8 words of 32 bits times one, by madc chains. */
__global__ void factorial(unsigned *out, int base) {
  unsigned n[8] = {1};
  for (int f = 2; f <= base + (int)threadIdx.x; f++) {
    unsigned lo[8], carry = f;
#pragma unroll
    for (int i = 0; i < 8; i++)
      lo[i] = n[i];
    asm("{\n mul.lo.u32 %0, %8, %16;\n mul.lo.u32 %1, %9, %16;\n mul.lo.u32 %2, %10, %16;\n "
        "mul.lo.u32 %3, %11, %16;\n"
        " mul.lo.u32 %4, %12, %16;\n mul.lo.u32 %5, %13, %16;\n mul.lo.u32 %6, %14, %16;\n "
        "mul.lo.u32 %7, %15, %16;\n"
        " mad.hi.cc.u32 %1, %8, %16, %1;\n madc.hi.cc.u32 %2, %9, %16, %2;\n madc.hi.cc.u32 %3, "
        "%10, %16, %3;\n"
        " madc.hi.cc.u32 %4, %11, %16, %4;\n madc.hi.cc.u32 %5, %12, %16, %5;\n madc.hi.cc.u32 %6, "
        "%13, %16, %6;\n"
        " madc.hi.u32 %7, %14, %16, %7;\n}"
        : "=&r"(n[0]), "=&r"(n[1]), "=&r"(n[2]), "=&r"(n[3]), "=&r"(n[4]), "=&r"(n[5]), "=&r"(n[6]),
          "=&r"(n[7])
        : "r"(lo[0]), "r"(lo[1]), "r"(lo[2]), "r"(lo[3]), "r"(lo[4]), "r"(lo[5]), "r"(lo[6]),
          "r"(lo[7]), "r"(carry));
  }
  for (int i = 0; i < 8; i++)
    out[threadIdx.x * 8 + i] = n[i];
}

__device__ unsigned long long montgomery(unsigned long long a, unsigned long long b,
                                         unsigned long long m, unsigned long long inverse) {
  unsigned long long lo = a * b, hi = __umul64hi(a, b), q = lo * inverse, t = __umul64hi(q, m);
  return hi >= t ? hi - t : hi - t + m;
}

__global__ void powers(unsigned long long m, unsigned long long *out) {
  unsigned long long inverse = 1;
  for (int k = 0; k < 6; k++)
    inverse *= 2 - m * inverse;
  unsigned long long r = (~0ull % m) + 1, base = threadIdx.x + 2;
  /* into Montgomery's form by doubling 64 times */
  for (int k = 0; k < 64; k++)
    base = base >= m - base ? base - (m - base) : base * 2;
  unsigned long long result = r == m ? 0 : r;
  for (unsigned long long e = m - 2; e; e >>= 1) {
    if (e & 1) result = montgomery(result, base, m, inverse);
    base = montgomery(base, base, m, inverse);
  }
  out[threadIdx.x] = montgomery(result, 1, m, inverse);
}

__global__ void native128(const unsigned long long *in, unsigned long long *out) {
  unsigned __int128 x = in[threadIdx.x], y = x * x + 12345;
  y = (y << 7) ^ (y >> 3);
  unsigned long long d = threadIdx.x * 2654435761ull + 99;
  out[2 * threadIdx.x] = (unsigned long long)(y / d);
  out[2 * threadIdx.x + 1] =
      (unsigned long long)(y % d) + (unsigned long long)((__int128)(y >> 1) - (__int128)x * 5 < 0);
}

int main() {
  const unsigned long long prime = 0xffffffffffffffc5ull;
  U128 *d_fib, fib[64];
  unsigned *d_fact, fact[32 * 8];
  unsigned long long *d_pow, *d_nat, power[32], native[64];
  OK(cudaMalloc(&d_fib, sizeof fib));
  OK(cudaMalloc(&d_fact, sizeof fact));
  OK(cudaMalloc(&d_pow, sizeof power));
  OK(cudaMalloc(&d_nat, sizeof native));
  fibonacci<<<1, 32>>>(d_fib);
  factorial<<<1, 32>>>(d_fact, 20);
  powers<<<1, 32>>>(prime, d_pow);
  native128<<<1, 32>>>(d_pow, d_nat);
  OK(cudaMemcpy(fib, d_fib, sizeof fib, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(fact, d_fact, sizeof fact, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(power, d_pow, sizeof power, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(native, d_nat, sizeof native, cudaMemcpyDeviceToHost));
  printf("fibonacci %016llx%016llx, %08x\n", fib[0].hi, fib[0].lo, checksum(fib, sizeof fib));
  printf("51! = ");
  for (int i = 7; i >= 0; i--)
    printf("%08x", fact[31 * 8 + i]);
  printf(", %08x\n", checksum(fact, sizeof fact));
  int inverses = 0;
  for (int i = 0; i < 32; i++)
    inverses += (unsigned long long)((unsigned __int128)power[i] * (i + 2) % prime) == 1;
  printf("%d inverses, %08x; native %016llx, %08x\n", inverses, checksum(power, sizeof power),
         native[5], checksum(native, sizeof native));
}
