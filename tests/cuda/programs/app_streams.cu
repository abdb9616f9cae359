/* A pipeline of three streams: copies in, two kernels, copies out, ordered by events; the pieces in
 * pinned memory. */
#include "common.h"
#include <vector>

#define PIECES 6
#define PIECE  700

__global__ void scale(const float *in, float *mid, int n, float by, float plus) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    mid[i] = in[i] * by + plus;
}

/* Each element meets its neighbours in the piece. */
__global__ void blend(const float *mid, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * mid[(i + n - 1) % n] + 0.5f * mid[i] + 0.25f * mid[(i + 1) % n];
}

__global__ void total(const float *out, int n, double *sum) {
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    s += out[i];
  for (int d = 1; d < 32; d *= 2)
    s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x == 0) *sum = s;
}

static void CUDART_CB note(void *word) {
  ++*(int *)word;
}

int main() {
  float *in, *out, *d_in[3], *d_mid[3], *d_out;
  double *sums;
  int finished = 0;
  OK(cudaHostAlloc(&in, PIECES * PIECE * 4, cudaHostAllocDefault));
  OK(cudaHostAlloc(&out, PIECES * PIECE * 4, cudaHostAllocDefault));
  OK(cudaHostAlloc(&sums, PIECES * 8, cudaHostAllocMapped));
  OK(cudaMalloc(&d_out, PIECES * PIECE * 4));
  unsigned seed = 404;
  for (int i = 0; i < PIECES * PIECE; i++)
    in[i] = next_random(&seed) / 1048576.0f;
  cudaStream_t stream[3];
  cudaEvent_t ready[PIECES], begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  for (int s = 0; s < 3; s++) {
    OK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    OK(cudaMalloc(&d_in[s], PIECE * 4));
    OK(cudaMalloc(&d_mid[s], PIECE * 4));
  }
  OK(cudaEventRecord(begin, stream[0]));
  for (int p = 0; p < PIECES; p++) {
    int s = p % 3;
    OK(cudaEventCreateWithFlags(&ready[p], cudaEventDisableTiming));
    OK(cudaMemcpyAsync(d_in[s], in + p * PIECE, PIECE * 4, cudaMemcpyHostToDevice, stream[s]));
    scale<<<2, 96, 0, stream[s]>>>(d_in[s], d_mid[s], PIECE, 1.0f + p * 0.1f, -0.3f);
    blend<<<(PIECE + 127) / 128, 128, 0, stream[s]>>>(d_mid[s], d_out + p * PIECE, PIECE);
    OK(cudaEventRecord(ready[p], stream[s]));
    /* the sum of a piece is made by the next stream */
    OK(cudaStreamWaitEvent(stream[(s + 1) % 3], ready[p], 0));
    total<<<1, 32, 0, stream[(s + 1) % 3]>>>(d_out + p * PIECE, PIECE, sums + p);
    OK(cudaMemcpyAsync(out + p * PIECE, d_out + p * PIECE, PIECE * 4, cudaMemcpyDeviceToHost,
                       stream[s]));
    OK(cudaLaunchHostFunc(stream[0], note, &finished));
  }
  for (int s = 1; s < 3; s++) {
    OK(cudaEventRecord(ready[s], stream[s]));
    OK(cudaStreamWaitEvent(stream[0], ready[s], 0));
  }
  OK(cudaEventRecord(end, stream[0]));
  OK(cudaEventSynchronize(end));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, begin, end));
  OK(cudaDeviceSynchronize());
  printf("time %s, %d notes\n", ms >= 0 ? "passes" : "goes back", finished);
  for (int p = 0; p < PIECES; p++)
    printf("piece %d: %08x, %a\n", p, checksum(out + p * PIECE, PIECE * 4), sums[p]);
}
