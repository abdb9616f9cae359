// C = A * B of matrices stored by rows, a 16x16 tile of C per block, as the CUDA SDK's matrixMul:
// tiles of A and B pass through shared memory, one word a thread, between two barriers.
//
// A warp loads two half lines of 64 bytes. The other half of each is the tile of the same block's
// next step (A) or of the block beside (B), and all blocks of a row or column of C load the same
// tiles: what comes back from the L1 is what neighbours on the same SM load at about the same time.
#include "../suite.h"

#define TILE 16

// For a Fermi, as many registers as let five blocks run on an SM; compilers of its time kept fewer
// words of the unrolled loop in flight than today's.
#ifdef WEIR_FERMI
#define REGISTERS __maxnreg__(24)
#else
#define REGISTERS
#endif

extern "C" __global__ void REGISTERS matmul(float *c, float *a, float *b, int width_a,
                                            int width_b) {
  __shared__ float from_a[TILE][TILE], from_b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int at_a = (blockIdx.y * TILE + y) * width_a + x, end = at_a + width_a;
  int at_b = y * width_b + blockIdx.x * TILE + x;
  float sum = 0.0f;
  LOOP
  for (; at_a < end; at_a += TILE, at_b += TILE * width_b) {
    from_a[y][x] = a[at_a];
    from_b[y][x] = b[at_b];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++)
      sum = fmaf(from_a[y][k], from_b[k][x], sum);
    __syncthreads();
  }
  c[(blockIdx.y * TILE + y) * width_b + blockIdx.x * TILE + x] = sum;
}
