// out = table[index], one element per thread: two streams and a random gather in which half of the
// accesses fall into a small hot part of the table and half anywhere.
extern "C" __global__ void gather(const unsigned *__restrict__ index,
                                  const unsigned *__restrict__ table, unsigned *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}
