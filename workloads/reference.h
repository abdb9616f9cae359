// What every workload's CPU reference needs: the input formulas of docs/launch-file.md and the
// printer of expect lines.
//
// A reference is run as `reference INPUT NAME=VALUE...`, the variables being those of the launch
// file's input, and prints the launch file's expect lines for that input.
#ifndef WEIR_WORKLOADS_REFERENCE_H
#define WEIR_WORKLOADS_REFERENCE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct ref {
  const char *launch;
  const char *input;
  int argc;
  char **argv;
};

static inline struct ref ref_begin(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s LAUNCH INPUT NAME=VALUE...\n", argv[0]);
    exit(2);
  }
  return (struct ref){.launch = argv[1], .input = argv[2], .argc = argc, .argv = argv};
}

static inline uint32_t ref_var(const struct ref *r, const char *name) {
  size_t length = strlen(name);
  for (int a = 3; a < r->argc; a++) {
    if (strncmp(r->argv[a], name, length) == 0 && r->argv[a][length] == '=')
      return (uint32_t)strtoul(r->argv[a] + length + 1, NULL, 10);
  }
  fprintf(stderr, "%s: no variable %s\n", r->input, name);
  exit(2);
}

// Zeroed, as a device buffer without `init` is.
static inline void *ref_alloc(size_t count, size_t size) {
  void *p = calloc(count, size);
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return p;
}

// hash(seed, x) of launch files.
static inline uint32_t ref_hash(uint64_t seed, uint64_t x) {
  uint64_t z = seed * 0x9E3779B97F4A7C15u + x;
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (uint32_t)(z >> 32);
}

// An f32 buffer with `init: {uniform: [lo, hi], seed: seed}`.
static inline float *ref_uniform_f32(size_t count, double lo, double hi, uint64_t seed) {
  float *p = ref_alloc(count, sizeof *p);
  for (size_t i = 0; i < count; i++)
    p[i] = (float)(lo + (hi - lo) * ref_hash(seed, i) / 4294967296.0);
  return p;
}

// A 32-bit integer buffer with `init: {formula: "hash(seed, i)"}`.
static inline uint32_t *ref_hash_u32(size_t count, uint64_t seed) {
  uint32_t *p = ref_alloc(count, sizeof *p);
  for (size_t i = 0; i < count; i++)
    p[i] = ref_hash(seed, i);
  return p;
}

// Start of each of `rows` groups of `average` elements on average, 1 to 2 * average - 1 each, `rows
// * average` in all: the formula "i == 0 || i == rows ? i * average : i * average + hash(seed, i) %
// average".
static inline uint32_t *ref_row_start(uint32_t rows, uint32_t average, uint64_t seed) {
  uint32_t *p = ref_alloc((size_t)rows + 1, sizeof *p);
  for (uint32_t i = 1; i < rows; i++)
    p[i] = i * average + ref_hash(seed, i) % average;
  p[rows] = rows * average;
  return p;
}

static inline void ref_expect(const struct ref *r, const char *buffer, const void *data,
                              size_t bytes) {
  printf("  - {buffer: %s, input: %s, checksum: xxh64:%016" PRIx64 "}\n", buffer, r->input,
         (uint64_t)XXH64(data, bytes, 0));
}

#endif
