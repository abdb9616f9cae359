// Blocks fetch work items from a queue: one thread takes the next number by an atomic, the block
// works on that item (a group of words, each advanced a number of steps that depends on it) and
// comes back. Which block does which item is the machine's choice; the results do not depend on it.
extern "C" __global__ void workqueue(unsigned *queue, const unsigned *start, const unsigned *in,
                                     unsigned *out, unsigned *sums, unsigned items) {
  __shared__ unsigned item, sum;
  for (;;) {
    if (threadIdx.x == 0) {
      item = atomicAdd(queue, 1);
      sum = 0;
    }
    __syncthreads();
    unsigned mine = item;
    if (mine >= items) break;
    unsigned share = 0;
    unsigned end = start[mine + 1];
    for (unsigned j = start[mine] + threadIdx.x; j < end; j += blockDim.x) {
      unsigned word = in[j];
      unsigned steps = word >> 28;
      for (unsigned s = 0; s < steps; s++)
        word = word * 1664525u + 1013904223u;
      out[j] = word;
      share += word;
    }
    atomicAdd(&sum, share);
    __syncthreads();
    if (threadIdx.x == 0) sums[mine] = sum;
  }
}
