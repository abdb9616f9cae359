// Histogram of an image with millions of bins that saturate at 255 (Parboil's histo). Four kernels:
// a sample of the image gives the range of bins that most pixels fall into, in pieces of 24576;
// each pixel becomes the four parts of its bin's place; for each piece of the range blocks go
// through all pixels and count those of their piece in shared memory, four bins of eight bits to a
// word; and the counts are put together. Pixels outside the range are counted in global memory.
//
// The image and the places are streams, read again by every piece of the range. What is scattered
// is in shared memory, but for the few pixels outside the range, and for bins that overflow. An
// addition that overflows carries into the next bin of the word; what that took from one and gave
// to the other is noted in a table in global memory, so that the sums are right in any order.
#include "../suite.h"

#define SAMPLERS 512
#define KB       24
#define PIECE    (KB * 1024)
#define ROWS     16

extern "C" __global__ void histo_prescan(unsigned *image, int pixels, unsigned *range) {
  __shared__ float mean[SAMPLERS], deviation[SAMPLERS];
  int share = pixels / gridDim.x, from = blockIdx.x * share, to = from + share / 8;
  float sum = 0.0f;
  unsigned count = 0;
  int me = threadIdx.x;
  LOOP for (int i = from + me; i < to; i += blockDim.x) {
    sum += image[i];
    count++;
  }
  float average = __fdiv_rn(sum, count);
  mean[me] = average;
  float squares = 0.0f;
  LOOP for (int i = from + me; i < to; i += blockDim.x) {
    float d = image[i] - average;
    squares = fmaf(d, d, squares);
  }
  deviation[me] = __fsqrt_rn(__fdiv_rn(squares, count));
  LOOP for (int half = SAMPLERS / 2; half >= 32; half >>= 1) {
    __syncthreads();
    if (me < half) {
      mean[me] += mean[me + half];
      deviation[me] += deviation[me + half];
    }
  }
#pragma unroll
  for (int half = 16; half >= 2; half >>= 1) {
    __syncwarp();
    if (me < half) {
      mean[me] += mean[me + half];
      deviation[me] += deviation[me + half];
    }
  }
  __syncwarp();
  if (me == 0) {
    float centre = __fdiv_rn(mean[0] + mean[1], SAMPLERS);
    float sigma = __fdiv_rn(deviation[0] + deviation[1], SAMPLERS);
    atomicMin(range, (unsigned)fmaf(-10.0f, sigma, centre) / PIECE);
    atomicMax(range + 1, (unsigned)fmaf(10.0f, sigma, centre) / PIECE);
  }
}

// Piece, upper and lower part of the word's number in the piece, bit of the bin in the word.
__device__ static uchar4 place_of(unsigned bin) {
  return make_uchar4(bin / PIECE, (bin >> 10) % KB, (bin >> 2) % 256, bin % 4 * 8);
}

extern "C" __global__ void histo_intermediates(uint2 *image, unsigned width, unsigned pitch,
                                               uchar4 *place) {
  unsigned row = ROWS * blockIdx.x, store = row * width + threadIdx.x;
  uint2 *pair = image + row * pitch + threadIdx.x;
  bool odd = width % 2 && threadIdx.x == blockDim.x - 1;
#pragma unroll 4 // so that the four kernels have about as many loads as the paper counts
  for (int i = 0; i < ROWS; i++) {
    uint2 bins = *pair;
    place[store] = place_of(bins.x);
    if (!odd) place[store + blockDim.x] = place_of(bins.y);
    pair += pitch;
    store += width;
  }
}

__device__ static unsigned bin_of(uchar4 p) {
  return p.x * PIECE + (p.y << 10) + (p.z << 2) + p.w / 8;
}

__device__ static void count_inside(unsigned *overflow, unsigned word[KB][256], unsigned piece,
                                    uchar4 p) {
  if (p.x != piece) return;
  unsigned bit = p.w, old = atomicAdd(&word[p.y][p.z], 1u << bit);
  if ((old >> bit & 255) != 255) return;
  // The bin wrapped; the carry went into the next bin of the word, and on if that was full.
  unsigned bin = bin_of(p);
  atomicAdd(&overflow[bin], 256);
  bool carry = bit < 24;
  if (carry) {
    unsigned next = old >> (bit + 8) & 255;
    atomicAdd(&overflow[bin + 1], next == 255 ? 255 : -1);
    carry = next == 255 && bit < 16;
  }
  if (carry) {
    unsigned next = old >> (bit + 16) & 255;
    atomicAdd(&overflow[bin + 2], next == 255 ? 255 : -1);
    carry = next == 255 && bit < 8;
  }
  if (carry) {
    unsigned next = old >> (bit + 24) & 255;
    atomicAdd(&overflow[bin + 3], next == 255 ? 255 : -1);
  }
}

__device__ static void count_outside(unsigned *outside, unsigned low, unsigned high, uchar4 p) {
  if (p.x >= low && p.x <= high) return;
  unsigned bin = bin_of(p), shift = bin % 2 * 16;
  if ((outside[bin / 2] >> shift & 65535) < 255) atomicAdd(&outside[bin / 2], 1u << shift);
}

extern "C" __global__ void histo_main(uchar4 *place, unsigned pixels, unsigned low, unsigned high,
                                      unsigned *inside, unsigned *outside, unsigned *overflow) {
  __shared__ unsigned word[KB][256];
  unsigned *words = &word[0][0];
  unsigned piece = low + blockIdx.y, at = blockIdx.x * blockDim.x + threadIdx.x;
  LOOP for (int i = threadIdx.x; i < PIECE / 4; i += blockDim.x) words[i] = 0;
  __syncthreads();
  if (blockIdx.y == 0) { // these also look after the pixels outside
    LOOP while (at < pixels) {
      uchar4 p = place[at];
      at += blockDim.x * gridDim.x;
      count_inside(overflow, word, piece, p);
      count_outside(outside, low, high, p);
    }
  } else {
    LOOP while (at < pixels) {
      uchar4 p = place[at];
      at += blockDim.x * gridDim.x;
      count_inside(overflow, word, piece, p);
    }
  }
  __syncthreads();
  unsigned *sum = inside + piece * PIECE;
  LOOP for (int i = threadIdx.x; i < PIECE / 4; i += blockDim.x) {
    unsigned w = words[i];
    atomicAdd(sum + i * 4, w & 255);
    atomicAdd(sum + i * 4 + 1, w >> 8 & 255);
    atomicAdd(sum + i * 4 + 2, w >> 16 & 255);
    atomicAdd(sum + i * 4 + 3, w >> 24);
  }
}

__device__ static void finish_outside(ushort4 *outside, uchar4 *result, unsigned from, unsigned to,
                                      unsigned step) {
  LOOP for (unsigned i = from; i < to; i += step) {
    ushort4 c = outside[i];
    outside[i] = make_ushort4(0, 0, 0, 0);
    result[i] = make_uchar4(min(c.x, 255), min(c.y, 255), min(c.z, 255), min(c.w, 255));
  }
}

extern "C" __global__ void histo_final(unsigned low, unsigned high, unsigned bins, unsigned *inside,
                                       ushort4 *outside, uint4 *overflow, uchar4 *result) {
  unsigned me = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned first = low * PIECE / 4, end = (high + 1) * PIECE / 4;
  finish_outside(outside, result, me, first, step);
  LOOP for (unsigned i = first + me; i < end; i += step) {
    uint4 more = overflow[i];
    overflow[i] = make_uint4(0, 0, 0, 0);
    unsigned a = inside[i * 4] + more.x, b = inside[i * 4 + 1] + more.y;
    unsigned c = inside[i * 4 + 2] + more.z, d = inside[i * 4 + 3] + more.w;
    result[i] = make_uchar4(min(a, 255), min(b, 255), min(c, 255), min(d, 255));
  }
  finish_outside(outside, result, end + me, bins / 4, step);
}
