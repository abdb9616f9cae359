/* What contract_half and contract_bf16 share: random numbers of 16 bits go through both kernels. */
#ifndef PROGRAMS_CONTRACT_16_H
#define PROGRAMS_CONTRACT_16_H
#include "common.h"

/* Of either sign; `exponent` is the least of three, above `bits` bits of fraction. */
template <class one, class two>
static void show(void (*scalar)(const one *, one *, int), void (*pairs)(const two *, two *, int),
                 unsigned seed, unsigned exponent, unsigned bits) {
  const int n = 64;
  static unsigned short in[6 * n], out[8 * n];
  one *din, *d_out;
  for (int i = 0; i < 6 * n; i++) {
    unsigned high = (exponent + next_random(&seed) % 3) << bits;
    in[i] = (unsigned short)(high | (next_random(&seed) & (0x8000 | ((1u << bits) - 1))));
  }
  OK(cudaMalloc((void **)&din, sizeof in));
  OK(cudaMalloc((void **)&d_out, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  scalar<<<1, n>>>(din, d_out, n);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 6; k++)
    printf("%d: %04x %04x %04x %08x\n", k, out[k * n], out[k * n + 1], out[k * n + 2],
           checksum(out + k * n, n * sizeof *out));
  pairs<<<1, n>>>((const two *)din, (two *)d_out, n);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    printf("pairs %d: %04x%04x %08x\n", k, out[2 * k * n + 1], out[2 * k * n],
           checksum(out + 2 * k * n, 2 * n * sizeof *out));
}

#endif
