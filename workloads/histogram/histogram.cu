// Histogram of the bytes of n words, once with atomics straight on global memory and once with a
// histogram per block in shared memory that is added to the global one at the end. The data are
// skewed, so that some bins are contended.
#define BINS 256

extern "C" __global__ void histogram_global(const unsigned *data, unsigned *bins, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned word = data[i];
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
  }
}

extern "C" __global__ void histogram_shared(const unsigned *data, unsigned *bins, unsigned n) {
  __shared__ unsigned local[BINS];
  for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned word = data[i];
    atomicAdd(&local[word & 255], 1);
    atomicAdd(&local[word >> 8 & 255], 1);
    atomicAdd(&local[word >> 16 & 255], 1);
    atomicAdd(&local[word >> 24], 1);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x)
    atomicAdd(&bins[b], local[b]);
}
