// Results of those kernels in simt.cu, simt80.cu and jump_table.ptx whose launch file gives a
// checksum and no formula.
#include "../reference.h"

#include <math.h>

static void partial_masks(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++) {
    uint32_t lane = id % 32, base = id - lane + 7; // base + lane is that lane's value
    if (lane < 8)
      out[id] = base + (lane ^ 5);
    else if (lane < 24)
      out[id] = base + (lane % 8 >= 3 ? lane - 3 : lane) + 8;
    else
      out[id] = (base + (lane % 8 < 6 ? lane + 2 : lane)) * 2;
  }
}

static void divergent_loop(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++) {
    uint32_t x = id * 2654435761u, steps = 0;
    while (x != 1 && steps < 40) {
      x = x & 1 ? x * 3 + 1 : x >> 1;
      if (x % 37 == 5) break;
      steps += x % 11 == 3 ? 2 : 1;
    }
    out[id] = x ^ steps << 24;
  }
}

static uint32_t nested(uint32_t id) {
  uint32_t lane = id % 32, value = id;
  for (uint32_t i = 0; i < lane % 5 + 1; i++) {
    if (lane & 1) {
      if (lane & 2) {
        value = value * 3 + i;
        if (lane & 4) value ^= 0x55;
      } else if (lane & 8) {
        value += 17;
        if (value % 7 == 0) return value;
      }
    } else {
      for (uint32_t j = 0; j < (lane & 6); j++)
        value += j * i + 1;
      if (lane & 16) value -= 5;
    }
  }
  return value + 1;
}

static void nested_divergence(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++)
    out[id] = nested(id);
}

static uint32_t mix(uint32_t a, uint32_t b) {
  return (a ^ b) * 2654435761u + (a >> 3);
}

static void calls(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++)
    out[id] = id % 3 ? mix(id, id % 3) : (mix(id, 1) & 0xffff) + (mix(id, 2) >> 16) + 2 * id;
}

static uint32_t reverse_bits(uint32_t v) {
  uint32_t w = 0;
  for (int b = 0; b < 32; b++)
    w |= (v >> b & 1) << (31 - b);
  return w;
}

// `out` has n results, then n words for what one case stores.
static void switch_table(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  n /= 2;
  for (uint32_t id = 0; id < n; id++) {
    uint32_t v = id * 7 + 3;
    for (int i = 0; i < 3; i++) {
      uint32_t c = (v >> 2) % 10;
      if (c == 8) out[n + id] = v;
      v = c == 0   ? v * 3 + 1
          : c == 1 ? (v ^ 0x1234)
          : c == 2 ? v - id
          : c == 3 ? reverse_bits(v)
          : c == 4 ? v / 3
          : c == 5 ? ((v + (v << 5)) | 64)
          : c == 6 ? (v | 64)
          : c == 7 ? (uint32_t)__builtin_popcount(v) + id
          : c == 8 ? v
                   : ~v;
    }
    out[id] = v;
  }
}

static void jump_table(const struct ref *r, uint32_t *out, uint32_t n) {
  uint32_t threads = ref_var(r, "threads");
  for (uint32_t id = 0; id < n; id++) {
    uint32_t v = id * 7 + 3;
    for (int i = 0; i < 3; i++) {
      uint32_t c = (v >> 1) % 5;
      v = c == 0 ? v * 3 + 1 : c == 2 ? ~(v - id) : c == 4 ? ~v : v ^ 4660;
      v += id / threads % 2 ? 23 : 11;
    }
    out[id] = v;
  }
}

static void local_array(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++) {
    uint8_t order[24];
    uint32_t counts[16], sum = 0;
    for (uint32_t i = 0; i < 24; i++)
      order[i] = (uint8_t)(id + i * 3);
    for (uint32_t i = 0; i < 16; i++)
      counts[i] = id + i;
    for (uint32_t i = 0; i < 24; i++) {
      uint32_t x = ref_hash(1, (id + i * 5) % 256);
      order[x % 24] = (uint8_t)(x >> 8 | 1);
      counts[x >> 28] += order[(x >> 5) % 24];
    }
    for (uint32_t i = 0; i < 16; i++)
      sum = sum * 31 + counts[(i * 7 + id) % 16];
    out[id] = sum;
  }
}

static void match_vote(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t id = 0; id < n; id++) {
    uint32_t key = ref_hash(1, id) % 6, wide = ref_hash(1, id);
    uint32_t same = 0, same64 = 0, odd = 0, small = 0, one = 0;
    for (uint32_t l = 0; l < 32; l++) {
      uint32_t x = ref_hash(1, id / 32 * 32 + l), other = x % 6;
      same |= (uint32_t)(other == key) << l;
      same64 |= (uint32_t)(x % 3 == wide % 3 && x % 2 == wide % 2) << l;
      odd |= (other & 1) << l;
      small |= (uint32_t)(other < 3) << l;
      one |= (uint32_t)(other == 1) << l;
    }
    uint32_t all_small = small == 0xffffffffu;
    uint32_t mask = key < 3 ? one + all_small * 3 : ~small + all_small * 5;
    // The kernel's match_all finds all lanes equal: a full mask and a predicate of 1, which add up
    // to 0.
    out[id] = same ^ same64 * 3 ^ odd * 7 ^ mask * 11;
  }
}

static void module_vars(const struct ref *r, uint32_t *out, uint32_t n) {
  static const uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6}, bytes[5] = {1, 2, 3, 254, 255};
  static const double weights[3] = {0.5, -2.1, 1e3};
  uint64_t bits;
  (void)r;
  memcpy(&bits, &weights[1], sizeof bits);
  for (uint32_t t = 0; t < n; t++) {
    double w = fma(weights[t % 3], 4.0, (double)(1.5f * (float)t));
    out[t] = (t + table[t % 8]) * 1000 + (uint32_t)(int32_t)w + bytes[t % 5] +
             (t < 16 ? 42 : (uint32_t)bits);
  }
}

static void warp_pipe(const struct ref *r, uint32_t *out, uint32_t n) {
  uint32_t rounds = ref_var(r, "rounds");
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t round = 0; round < rounds; round++)
      out[i] = out[i] * 3 + round * 1000 + (i % 32 ^ 1) + i / 32;
  }
}

static void dimensions(const struct ref *r, uint32_t *out, uint32_t n) {
  (void)r;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t b = i / 40, t = i % 40;
    out[i] = (b % 3 | b / 3 % 2 << 2 | b / 6 << 4 | t % 5 << 6 | t / 5 % 4 << 10 | t / 20 << 13) +
             (t % 32 << 16) + (t % 32 << 24);
  }
}

static uint32_t reduce_warp(const uint32_t *x, uint32_t lane) {
  uint32_t sum = 0, min = UINT32_MAX, max = 0, and = UINT32_MAX, or = 0, xor = 0, sum_low = 0,
           max_high = 0;
  int32_t smin = INT32_MAX, smax = INT32_MIN;
  for (uint32_t l = 0; l < 32; l++) {
    int32_t s = (int32_t)x[l];
    sum += x[l];
    min = x[l] < min ? x[l] : min;
    max = x[l] > max ? x[l] : max;
    smin = s < smin ? s : smin;
    smax = s > smax ? s : smax;
    and &= x[l] | 0xff;
    or |= x[l] & 0xff00;
    xor ^= x[l];
    if (l < 20) sum_low += x[l] >> 4;
    if (l >= 20 && x[l] >> 8 > max_high) max_high = x[l] >> 8;
  }
  return (sum ^ min ^ max) + (lane < 20 ? sum_low : max_high) + (uint32_t)(smin ^ smax) * 3 +
         (and+ or +xor) * 5;
}

static void warp_reduce(const struct ref *r, uint32_t *out, uint32_t n) {
  uint32_t *in = ref_hash_u32(n, 1);
  (void)r;
  for (uint32_t id = 0; id < n; id++)
    out[id] = reduce_warp(in + id / 32 * 32, id % 32);
  free(in);
}

static void atomics64(const struct ref *r) {
  uint64_t blocks = ref_var(r, "blocks"), threads = ref_var(r, "threads");
  uint64_t *out = ref_alloc(6 + 2 * blocks, sizeof *out);
  out[1] = UINT64_MAX;
  int64_t top = -(INT64_C(1) << 62);
  for (uint64_t id = 0; id < blocks * threads; id++) {
    uint64_t *block = out + 6 + id / threads * 2;
    uint64_t high = id * 0x123456789abu % 0xfffffffbu << 20;
    uint64_t low = (id + 5) * 0x9E3779B97F4A7C15u;
    int64_t big = (int64_t)(id * 0x9E3779B97F4A7C15u);
    block[0] += id << 33 | id;
    if (high > block[1]) block[1] = high;
    out[0] += 0x100000001u * id;
    if (low < out[1]) out[1] = low;
    if (big > top) top = big;
    out[3] |= UINT64_C(1) << id % 64;
    out[4] ^= id * id << 20;
    out[5] += id + 0x100000000u;
  }
  out[2] = (uint64_t)top;
  ref_expect(r, "out", out, (6 + 2 * blocks) * sizeof *out);
  free(out);
}

static void atomics32(const struct ref *r) {
  uint32_t n = ref_var(r, "blocks") * ref_var(r, "threads");
  uint32_t out[11] = {[2] = UINT32_MAX, [4] = UINT32_MAX};
  int32_t top = INT32_MIN;
  float sum32 = 0;
  double sum64 = 0;
  for (uint32_t id = 0; id < n; id++) {
    uint32_t scattered = id * 2654435761u;
    out[0] += id;
    out[1] -= id;
    if ((scattered | 1) < out[2]) out[2] = scattered | 1;
    if ((int32_t)scattered > top) top = (int32_t)scattered;
    out[4] &= ~(1u << id % 29);
    out[5] |= 1u << id % 23;
    out[6] ^= id << id % 7;
    out[7] = out[7] >= 99 ? 0 : out[7] + 1;
    out[8] = out[8] == 0 || out[8] > 99 ? 99 : out[8] - 1;
    out[10] += out[9]++;
    sum32 += (float)(id % 64) * 0.25f;
    sum64 += (double)id * 0.125;
  }
  out[3] = (uint32_t)top;
  ref_expect(r, "out", out, sizeof out);
  ref_expect(r, "sum32", &sum32, sizeof sum32);
  ref_expect(r, "sum64", &sum64, sizeof sum64);
}

static void vectors(const struct ref *r) {
  size_t n = (size_t)ref_var(r, "blocks") * ref_var(r, "threads");
  float *f = ref_uniform_f32(4 * n, -8, 8, 1);
  float *g = ref_alloc(4 * n, sizeof *g);
  uint32_t *out = ref_alloc(2 * n, sizeof *out);
  for (size_t i = 0; i < n; i++) {
    const float *v = f + 4 * i;
    g[4 * i] = v[3];
    g[4 * i + 1] = v[2] + v[0];
    g[4 * i + 2] = v[1] * 0.5f;
    g[4 * i + 3] = -v[0];
    for (size_t b = 0; b < 4; b++)
      out[2 * i] += (ref_hash(2, 4 * i + b) & 255) << (8 * b);
    out[2 * i] += ((ref_hash(3, 2 * i) & 0xffff) ^ 0x8000) - 0x8000; // sign-extended
    out[2 * i + 1] = (uint32_t)((int16_t)ref_hash(3, 2 * i + 1) * (int8_t)ref_hash(4, i));
  }
  ref_expect(r, "g", g, 4 * n * sizeof *g);
  ref_expect(r, "out", out, 2 * n * sizeof *out);
  free(f);
  free(g);
  free(out);
}

// Kernels with one result buffer `out` of u32.
static const struct {
  const char *name;
  void (*fill)(const struct ref *r, uint32_t *out, uint32_t n);
} kernels[] = {
    {"partial_masks", partial_masks},
    {"divergent_loop", divergent_loop},
    {"nested_divergence", nested_divergence},
    {"calls", calls},
    {"switch_table", switch_table},
    {"jump_table", jump_table},
    {"local_array", local_array},
    {"match_vote", match_vote},
    {"module_vars", module_vars},
    {"warp_pipe", warp_pipe},
    {"dimensions", dimensions},
    {"warp_reduce", warp_reduce},
};

static uint32_t out_count(const struct ref *r) {
  if (strcmp(r->launch, "module_vars") == 0) return ref_var(r, "threads");
  if (strcmp(r->launch, "warp_pipe") == 0) return ref_var(r, "blocks") * 32;
  uint32_t n = ref_var(r, "blocks") * ref_var(r, "threads");
  return strcmp(r->launch, "switch_table") == 0 ? 2 * n : n;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  if (strcmp(r.launch, "atomics64") == 0) atomics64(&r);
  if (strcmp(r.launch, "atomics32") == 0) atomics32(&r);
  if (strcmp(r.launch, "vectors") == 0) vectors(&r);
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (strcmp(r.launch, kernels[k].name) != 0) continue;
    uint32_t n = out_count(&r);
    uint32_t *out = ref_alloc(n, sizeof *out);
    kernels[k].fill(&r, out, n);
    ref_expect(&r, "out", out, n * sizeof *out);
    free(out);
  }
  return 0;
}
