/* SHA-256 of many messages and a search for a hash that begins with zeros. */
#include "common.h"
#include <cstring>

__constant__ unsigned k256[64];

struct Sha {
  unsigned h[8];
  __device__ void start() {
    const unsigned first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++)
      h[i] = first[i];
  }
  __device__ static unsigned turn(unsigned x, int n) {
    return __funnelshift_r(x, x, n);
  }
  __device__ void block(const unsigned *m) {
    unsigned w[64];
    for (int i = 0; i < 16; i++)
      w[i] = m[i];
    for (int i = 16; i < 64; i++) {
      unsigned s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
      unsigned s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], x = h[7];
    for (int i = 0; i < 64; i++) {
      unsigned t1 =
          x + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k256[i] + w[i];
      unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      x = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += x;
  }
};

__global__ void digest(const char *text, const int *start, unsigned *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned char *p = (const unsigned char *)text + start[i];
  int length = start[i + 1] - start[i];
  Sha sha;
  sha.start();
  for (int done = 0; done < length + 9; done += 64) {
    unsigned m[16];
    for (int w = 0; w < 16; w++) {
      m[w] = 0;
      for (int b = 0; b < 4; b++) {
        int at = done + 4 * w + b;
        m[w] = m[w] << 8 | (at < length ? p[at] : at == length ? 0x80 : 0);
      }
    }
    if (done + 64 >= length + 9) {
      m[14] = 0;
      m[15] = length * 8;
    }
    sha.block(m);
  }
  for (int w = 0; w < 8; w++)
    out[i * 8 + w] = sha.h[w];
}

__global__ void mine(unsigned *nonce, unsigned mask) {
  unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (*(volatile unsigned *)nonce < n) return;
  unsigned m[16] = {0x77656972, n, 0x80000000};
  m[15] = 64;
  Sha sha;
  sha.start();
  sha.block(m);
  if ((sha.h[0] & mask) == 0) atomicMin(nonce, n);
}

int main() {
  unsigned k[64];
  int primes = 0;
  /* the first 32 bits of the fractions of the cube roots of primes */
  for (int p = 2; primes < 64; p++) {
    bool prime = true;
    for (int q = 2; q * q <= p; q++)
      prime &= p % q != 0;
    if (!prime) continue;
    unsigned __int128 want = (unsigned __int128)p << 96;
    unsigned long long root = 0;
    for (int bit = 35; bit >= 0; bit--) {
      unsigned __int128 r = root | 1ull << bit;
      if (r * r * r <= want) root = (unsigned long long)r;
    }
    k[primes++] = (unsigned)root;
  }
  OK(cudaMemcpyToSymbol(k256, k, sizeof k));
  static char text[4000];
  static int start[41];
  static unsigned out[40 * 8];
  memcpy(text, "abc", 3);
  start[1] = 3;
  for (int i = 1; i < 40; i++) {
    start[i + 1] = start[i] + i * 4 - 4;
    for (int c = start[i]; c < start[i + 1]; c++)
      text[c] = 'a' + (c * 7 + i) % 26;
  }
  char *d_text;
  int *d_start;
  unsigned *d_out, *d_nonce, nonce = ~0u;
  OK(cudaMalloc(&d_text, sizeof text));
  OK(cudaMalloc(&d_start, sizeof start));
  OK(cudaMalloc(&d_out, sizeof out));
  OK(cudaMalloc(&d_nonce, 4));
  OK(cudaMemcpy(d_text, text, sizeof text, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_start, start, sizeof start, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_nonce, &nonce, 4, cudaMemcpyHostToDevice));
  digest<<<2, 32>>>(d_text, d_start, d_out, 40);
  mine<<<16, 64>>>(d_nonce, 0xff800000u);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&nonce, d_nonce, 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 2; i++) {
    for (int w = 0; w < 8; w++)
      printf("%08x", out[i * 8 + w]);
    printf("\n");
  }
  printf("all %08x, nonce %u\n", checksum(out, sizeof out), nonce);
}
