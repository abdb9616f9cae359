/* Small hashes whose values are part of file formats: they never change. */
#ifndef WEIR_BASE_HASH_H
#define WEIR_BASE_HASH_H

#include <stdint.h>

/* The output function of splitmix64 (Steele, Lea, Flood, OOPSLA 2014), with its increment: maps a
 * state to the number that the generator returns for it. */
static inline uint64_t weir_splitmix64(uint64_t x) {
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* hash(seed, x) of launch files. */
static inline uint32_t weir_hash32(uint64_t seed, uint64_t x) {
  return (uint32_t)(weir_splitmix64(seed * UINT64_C(0x9E3779B97F4A7C15) + x) >> 32);
}

#endif
