// One step of a five-point stencil on a w by h grid with a fixed border. `grid` holds two planes of
// w * h; the step reads the plane at `from` and writes the one at `to`. Neighbouring rows are
// reused by the warps above and below.
extern "C" __global__ void stencil(float *grid, unsigned from, unsigned to, unsigned w, unsigned h,
                                   float centre, float side) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float *in = grid + from;
  unsigned i = y * w + x;
  float value = in[i];
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    float sum = (in[i - w] + in[i + w]) + (in[i - 1] + in[i + 1]);
    value = fmaf(centre, value, __fmul_rn(side, sum));
  }
  grid[to + i] = value;
}
