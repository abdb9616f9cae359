/* Work in pieces: pinned host memory goes in, through a kernel, and out, on three streams in turn.
 */
#include "common.h"

__global__ void square_plus(const unsigned *in, unsigned *out, int n, unsigned plus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + plus;
}

int main() {
  const int pieces = 8, piece = 1000, n = pieces * piece;
  unsigned *in, *out, *din, *dout;
  OK(cudaMallocHost(&in, n * sizeof *in));
  OK(cudaHostAlloc(&out, n * sizeof *out, cudaHostAllocPortable));
  OK(cudaMalloc(&din, n * sizeof *din));
  OK(cudaMalloc(&dout, n * sizeof *dout));
  unsigned seed = 7;
  for (int i = 0; i < n; i++)
    in[i] = next_random(&seed);
  cudaStream_t stream[3];
  for (auto &s : stream)
    OK(cudaStreamCreate(&s));
  for (int p = 0; p < pieces; p++) {
    cudaStream_t s = stream[p % 3];
    int at = p * piece;
    OK(cudaMemcpyAsync(din + at, in + at, piece * sizeof *in, cudaMemcpyHostToDevice, s));
    square_plus<<<(piece + 127) / 128, 128, 0, s>>>(din + at, dout + at, piece, p);
    OK(cudaMemcpyAsync(out + at, dout + at, piece * sizeof *out, cudaMemcpyDeviceToHost, s));
  }
  for (auto &s : stream)
    OK(cudaStreamSynchronize(s));
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += out[i] != in[i] * in[i] + i / piece;
  printf("wrong %d, sum %08x\n", wrong, checksum(out, n * sizeof *out));
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, out));
  printf("type %d, same address %d\n", (int)at.type, at.devicePointer == at.hostPointer);
  OK(cudaPointerGetAttributes(&at, dout));
  printf("type %d\n", (int)at.type);
  OK(cudaPointerGetAttributes(&at, &seed));
  printf("type %d\n", (int)at.type);
  for (auto &s : stream)
    OK(cudaStreamDestroy(s));
  OK(cudaFreeHost(in));
  OK(cudaFreeHost(out));
  OK(cudaFree(din));
  OK(cudaFree(dout));
  return wrong != 0;
}
