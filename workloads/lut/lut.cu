// Sums of in[i] * table[a place by hash] in several passes: two loads a step, of four whole lines each. The table's lines
// come again and fill most of the L1 of a GPU of today; the stream, of which each SM reads another part in each pass,
// evicts them. Only the stream is without a cache operator: where it bypasses the L1, the table stays.
extern "C" __global__ void lut(const uint4 *in, const uint4 *table, unsigned *out, unsigned n,
                               unsigned places, unsigned passes) {
  extern __shared__ unsigned sums[]; // of each pass and thread
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, all = gridDim.x * blockDim.x;
  for (unsigned p = 0; p < passes; p++) {
    unsigned sum = 0, shift = p * 1237 * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
      unsigned at = (i + shift) & (n - 1); // n is a power of two
      unsigned place = __umulhi((at / 32 + p) * 0x9e3779b1u, places);
      uint4 x = in[at], y = __ldca(table + place * 32 + lane);
      sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    sums[p * blockDim.x + threadIdx.x] = sum;
  }
  __syncthreads();
  for (unsigned p = warp; p < passes; p += blockDim.x / 32) {
    unsigned sum = 0;
    for (unsigned k = lane; k < blockDim.x; k += 32)
      sum += sums[p * blockDim.x + k];
    for (unsigned d = 16; d > 0; d /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) out[blockIdx.x * passes + p] = sum;
  }
}
