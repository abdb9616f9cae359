// Merge sort of keys with values, as the CUDA SDK's mergeSort: blocks of 512 threads first sort
// 1024 pairs each in shared memory. Then, for each doubling of the sorted stretches, merge_ranks
// finds for every 128th key of a stretch its place in the other one, merge_limits sorts these
// places into limits (one launch for each of the two stretches), and blocks of 128 threads merge
// the pieces between two limits (128 of each stretch at most) in shared memory.
//
// What is streamed (the sort and the merge) is loaded and stored once per level. The searches of
// merge_ranks are chains of dependent loads which spread over half of the keys and meet again only
// in their first steps.
#include "../suite.h"

#define SORTED 1024 // pairs of a block of the first launch
#define SAMPLE 128  // distance of the keys that are searched

// How many of the n ascending numbers are less than x (or equal to it, if `equal`); `stride` is the
// least power of two that is not below n.
template <bool equal>
__device__ static inline unsigned rank_of(unsigned x, unsigned *sorted, unsigned n,
                                          unsigned stride) {
  if (n == 0) return 0;
  unsigned place = 0;
  LOOP
  for (; stride > 0; stride /= 2) {
    unsigned next = min(place + stride, n);
    if (equal ? sorted[next - 1] <= x : sorted[next - 1] < x) place = next;
  }
  return place;
}
__device__ static inline unsigned power_from(unsigned n) { return 1u << (32 - __clz(n - 1)); }
__device__ static inline unsigned samples_of(unsigned n) { return (n + SAMPLE - 1) / SAMPLE; }

extern "C" __global__ void sort_shared(unsigned *to_key, unsigned *to_value, unsigned *from_key,
                                       unsigned *from_value, unsigned length) {
  __shared__ unsigned keys[SORTED], values[SORTED];
  unsigned t = threadIdx.x, first = blockIdx.x * SORTED + t;
  keys[t] = from_key[first];
  values[t] = from_value[first];
  keys[t + SORTED / 2] = from_key[first + SORTED / 2];
  values[t + SORTED / 2] = from_value[first + SORTED / 2];
  LOOP
  for (unsigned stretch = 1; stretch < length; stretch *= 2) {
    unsigned i = t & (stretch - 1), base = 2 * (t - i);
    __syncthreads();
    unsigned key_a = keys[base + i], value_a = values[base + i];
    unsigned key_b = keys[base + i + stretch], value_b = values[base + i + stretch];
    unsigned to_a = i + rank_of<false>(key_a, keys + base + stretch, stretch, stretch);
    unsigned to_b = i + rank_of<true>(key_b, keys + base, stretch, stretch);
    __syncthreads();
    keys[base + to_a] = key_a;
    values[base + to_a] = value_a;
    keys[base + to_b] = key_b;
    values[base + to_b] = value_b;
  }
  __syncthreads();
  to_key[first] = keys[t];
  to_value[first] = values[t];
  to_key[first + SORTED / 2] = keys[t + SORTED / 2];
  to_value[first + SORTED / 2] = values[t + SORTED / 2];
}

extern "C" __global__ void merge_ranks(unsigned *ranks_a, unsigned *ranks_b, unsigned *key,
                                       unsigned stretch, unsigned n, unsigned threads) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned i = t & (stretch / SAMPLE - 1), base = (t - i) * (2 * SAMPLE);
  unsigned length_b = min(stretch, n - base - stretch);
  key += base;
  ranks_a += base / SAMPLE;
  ranks_b += base / SAMPLE;
  if (i < samples_of(stretch)) {
    ranks_a[i] = i * SAMPLE;
    ranks_b[i] = rank_of<false>(key[i * SAMPLE], key + stretch, length_b, power_from(length_b));
  }
  if (i < samples_of(length_b)) {
    ranks_b[stretch / SAMPLE + i] = i * SAMPLE;
    ranks_a[stretch / SAMPLE + i] =
        rank_of<true>(key[stretch + i * SAMPLE], key, stretch, power_from(stretch));
  }
}

extern "C" __global__ void merge_limits(unsigned *limits, unsigned *ranks, unsigned stretch,
                                        unsigned n, unsigned threads) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned i = t & (stretch / SAMPLE - 1), base = (t - i) * (2 * SAMPLE);
  unsigned of_a = samples_of(stretch), of_b = samples_of(min(stretch, n - base - stretch));
  ranks += (t - i) * 2;
  limits += (t - i) * 2;
  if (i < of_a) {
    unsigned place = rank_of<false>(ranks[i], ranks + of_a, of_b, power_from(of_b)) + i;
    limits[place] = ranks[i];
  }
  if (i < of_b) {
    unsigned place = rank_of<true>(ranks[of_a + i], ranks, of_a, power_from(of_a)) + i;
    limits[place] = ranks[of_a + i];
  }
}

extern "C" __global__ void merge_pieces(unsigned *to_key, unsigned *to_value, unsigned *from_key,
                                        unsigned *from_value, unsigned *limits_a,
                                        unsigned *limits_b, unsigned stretch, unsigned n) {
  __shared__ unsigned keys[2 * SAMPLE], values[2 * SAMPLE];
  __shared__ unsigned start_a, start_b, count_a, count_b, to_a, to_b;
  unsigned t = threadIdx.x;
  unsigned piece = blockIdx.x & (2 * stretch / SAMPLE - 1);
  unsigned base = (blockIdx.x - piece) * SAMPLE;
  from_key += base;
  from_value += base;
  to_key += base;
  to_value += base;
  if (t == 0) {
    unsigned length_b = min(stretch, n - base - stretch);
    bool last = piece + 1 >= samples_of(stretch) + samples_of(length_b);
    start_a = limits_a[blockIdx.x];
    start_b = limits_b[blockIdx.x];
    count_a = (last ? stretch : limits_a[blockIdx.x + 1]) - start_a;
    count_b = (last ? length_b : limits_b[blockIdx.x + 1]) - start_b;
    to_a = start_a + start_b;
    to_b = to_a + count_a;
  }
  __syncthreads();
  if (t < count_a) {
    keys[t] = from_key[start_a + t];
    values[t] = from_value[start_a + t];
  }
  if (t < count_b) {
    keys[t + SAMPLE] = from_key[stretch + start_b + t];
    values[t + SAMPLE] = from_value[stretch + start_b + t];
  }
  __syncthreads();
  unsigned key_a, value_a, key_b, value_b, place_a, place_b;
  if (t < count_a) {
    key_a = keys[t];
    value_a = values[t];
    place_a = rank_of<false>(key_a, keys + SAMPLE, count_b, SAMPLE) + t;
  }
  if (t < count_b) {
    key_b = keys[t + SAMPLE];
    value_b = values[t + SAMPLE];
    place_b = rank_of<true>(key_b, keys, count_a, SAMPLE) + t;
  }
  __syncthreads();
  if (t < count_a) {
    keys[place_a] = key_a;
    values[place_a] = value_a;
  }
  if (t < count_b) {
    keys[place_b] = key_b;
    values[place_b] = value_b;
  }
  __syncthreads();
  if (t < count_a) {
    to_key[to_a + t] = keys[t];
    to_value[to_a + t] = values[t];
  }
  if (t < count_b) {
    to_key[to_b + t] = keys[count_a + t];
    to_value[to_b + t] = values[count_a + t];
  }
}
