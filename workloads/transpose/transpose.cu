// Transposing copy: a thread copies one row of `in` (points by features) into a column of `out`.
// The 32 lanes of a warp read 32 different lines, 4 bytes of each, and come back to the next 4
// bytes only after the other warps have had their turn: of each 128-byte line one 32-byte chunk is
// reused soon. The pattern of kmeans' invert_mapping kernel.
extern "C" __global__ void transpose(const float *in, float *out, unsigned points,
                                     unsigned features) {
  unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  for (unsigned f = 0; f < features; f++)
    out[f * points + point] = in[point * features + f];
}
