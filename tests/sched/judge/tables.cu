// make_ptx: compute_90
// Keys, codes and strings: hashes, tables, decoders.

// Open addressing; a key of 0 is an empty place.
extern "C" __global__ void probe(const unsigned *__restrict__ keys,
                                 const unsigned *__restrict__ values,
                                 const unsigned *__restrict__ wanted, unsigned *__restrict__ out,
                                 int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = wanted[i];
  unsigned at = (key * 2654435769u) & mask;
  unsigned result = 0xffffffffu;
  while (keys[at] != 0) {
    if (keys[at] == key) {
      result = values[at];
      break;
    }
    at = (at + 1) & mask;
  }
  out[i] = result;
}

extern "C" __global__ void fnv1a(const unsigned char *text, const int *offsets, unsigned *out,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = 2166136261u;
  for (int k = offsets[i]; k < offsets[i + 1]; k++)
    h = (h ^ text[k]) * 16777619u;
  out[i] = h;
}

extern "C" __global__ void crc32(const unsigned *__restrict__ table,
                                 const unsigned char *__restrict__ blocks,
                                 unsigned *__restrict__ out, int n, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned crc = ~0u;
  const unsigned char *p = blocks + (size_t)i * size;
  for (int k = 0; k < size; k++)
    crc = table[(crc ^ p[k]) & 255] ^ (crc >> 8);
  out[i] = ~crc;
}

// Is each key in the filter? Seven bits are asked for.
extern "C" __global__ void bloom(const unsigned *filter, const unsigned long long *keys,
                                 unsigned char *out, int n, unsigned bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = keys[i] * 0x9e3779b97f4a7c15ull;
  unsigned a = (unsigned)h, b = (unsigned)(h >> 32) | 1;
  bool all = true;
  for (int k = 0; k < 7; k++) {
    unsigned bit = (a + k * b) % bits;
    all &= (filter[bit >> 5] >> (bit & 31)) & 1;
  }
  out[i] = all;
}

extern "C" __global__ void cuckoo(const uint2 *first, const uint2 *second, const unsigned *keys,
                                  unsigned *out, int n, unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned key = keys[i];
    uint2 a = first[(key ^ (key >> 15)) & mask];
    uint2 b = second[(key * 0x85ebca6bu >> 7) & mask];
    out[i] = a.x == key ? a.y : b.x == key ? b.y : 0;
  }
}

// Codes of 12 bits, packed, into the values that they stand for.
extern "C" __global__ void dictionary(const unsigned *__restrict__ packed,
                                      const double *__restrict__ words, double *__restrict__ out,
                                      int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    long long bit = 12ll * i;
    unsigned low = packed[bit >> 5], high = packed[(bit >> 5) + 1];
    unsigned code = __funnelshift_r(low, high, bit & 31) & 0xfff;
    out[i] = words[code];
  }
}

extern "C" __global__ void deltas(const short *delta, const int *start, int *out, int groups) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  int value = start[g];
  for (int k = 0; k < 128; k++) {
    value += delta[g * 128 + k];
    out[g * 128 + k] = value;
  }
}

// Numbers of seven bits a byte, until a byte without its highest bit.
extern "C" __global__ void varints(const unsigned char *bytes, const int *at, unsigned *out,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *p = bytes + at[i];
  unsigned value = 0, shift = 0;
  unsigned char c;
  do {
    c = *p++;
    value |= (unsigned)(c & 127) << shift;
    shift += 7;
  } while (c & 128);
  out[i] = value;
}

extern "C" __global__ void base64(const uchar4 *in, unsigned char *out, const signed char *value,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 c = in[i];
  int v = value[c.x] << 18 | value[c.y] << 12 | value[c.z] << 6 | value[c.w];
  out[3 * i] = v >> 16;
  out[3 * i + 1] = v >> 8;
  out[3 * i + 2] = v;
}

extern "C" __global__ void mixed_words(const unsigned *keys, unsigned *out, int n, int words,
                                       unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = seed;
  for (int w = 0; w < words; w++) {
    unsigned k = keys[w * n + i] * 0xcc9e2d51u;
    k = __funnelshift_l(k, k, 15) * 0x1b873593u;
    h ^= k;
    h = __funnelshift_l(h, h, 13) * 5 + 0xe6546b64u;
  }
  out[i] = h ^ (h >> 16);
}

// How alike two sets of bits are.
extern "C" __global__ void tanimoto(const unsigned long long *__restrict__ prints,
                                    const unsigned long long *__restrict__ one,
                                    float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int both = 0, any = 0;
  for (int k = 0; k < 16; k++) {
    unsigned long long a = prints[(size_t)i * 16 + k], b = one[k];
    both += __popcll(a & b);
    any += __popcll(a | b);
  }
  out[i] = any ? (float)both / any : 0.0f;
}

// Two sorted lists: how many values they share.
extern "C" __global__ void intersect(const int *a, const int *b, const int2 *pairs,
                                     const int *begin, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 p = pairs[i];
  int x = begin[p.x], x_end = begin[p.x + 1], y = begin[p.y], y_end = begin[p.y + 1], same = 0;
  while (x < x_end && y < y_end) {
    int u = a[x], v = b[y];
    same += u == v;
    x += u <= v;
    y += v <= u;
  }
  out[i] = same;
}

extern "C" __global__ void xor_parity(const uint4 *__restrict__ disks, uint4 *__restrict__ parity,
                                      int n_disks, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 p = make_uint4(0, 0, 0, 0);
    for (int d = 0; d < n_disks; d++) {
      uint4 v = disks[(size_t)d * n + i];
      p.x ^= v.x;
      p.y ^= v.y;
      p.z ^= v.z;
      p.w ^= v.w;
    }
    parity[i] = p;
  }
}
