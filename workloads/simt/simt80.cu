// make_ptx: compute_80
// Warp reductions in one instruction, which came with sm_80.
#define FULL 0xffffffffu

extern "C" __global__ void warp_reduce(const unsigned *in, unsigned *out) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[id];
  unsigned r = __reduce_add_sync(FULL, x) ^ __reduce_min_sync(FULL, x) ^ __reduce_max_sync(FULL, x);
  int s = __reduce_min_sync(FULL, (int)x) ^ __reduce_max_sync(FULL, (int)x);
  unsigned b = __reduce_and_sync(FULL, x | 0xff) + __reduce_or_sync(FULL, x & 0xff00) +
               __reduce_xor_sync(FULL, x);
  if (threadIdx.x % 32 < 20)
    r += __reduce_add_sync(0x000fffffu, x >> 4);
  else
    r += __reduce_max_sync(0xfff00000u, x >> 8);
  out[id] = r + (unsigned)s * 3 + b * 5;
}
