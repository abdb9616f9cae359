/* Where an address lies: in which slice of the L2 and which set of it, at which byte of its DRAM
 * channel, in which bank and row there. Every map is one-to-one. */
#ifndef WEIR_MACHINE_ADDR_MAP_H
#define WEIR_MACHINE_ADDR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

struct weir_l2_cfg;
struct weir_dram_cfg;

/* Remainders of polynomials over GF(2), the bits of a number being the coefficients: by bytes. */
struct weir_poly {
  uint32_t part[8][256];
};
/* Divided by the smallest irreducible polynomial of that degree. */
void weir_poly_init(struct weir_poly *p, unsigned degree);
static inline uint32_t weir_poly_of(const struct weir_poly *p, uint64_t v) {
  uint32_t r = 0;
  for (unsigned i = 0; i < 8; i++)
    r ^= p->part[i][v >> (8 * i) & 0xff];
  return r;
}

enum weir_slice_hash { WEIR_SLICE_LINEAR, WEIR_SLICE_XOR, WEIR_SLICE_IPOLY, WEIR_SLICE_DEALT };

/* Blocks of addresses dealt out to slices at random, to each as many of a window: a stretch of
 * addresses much shorter than that is spread unevenly, as by chance. */
enum { WEIR_DEAL_BLOCKS = 8192, WEIR_DEAL_MOST = 255 };
struct weir_deal {
  uint64_t each;                    /* blocks of a window that a slice has */
  uint8_t slice[WEIR_DEAL_BLOCKS];  /* of each block of a window */
  uint8_t before[WEIR_DEAL_BLOCKS]; /* blocks in front of it that its slice has */
};

struct weir_addr_map {
  unsigned line_shift, inter_shift, set_shift, slice_bits;
  uint64_t slices, channels, per_channel;
  enum weir_slice_hash hash;
  bool has_poly_sets, has_plain_sets;
  struct weir_poly slice, set;
  struct weir_deal deal;
};

/* For a machine whose sizes have been checked. */
enum weir_status weir_addr_map_init(struct weir_addr_map *x, const char *machine,
                                    const struct weir_l2_cfg *l2, const struct weir_dram_cfg *dram,
                                    struct weir_err *err);
uint32_t weir_addr_slice(const struct weir_addr_map *x, uint64_t addr);
uint32_t weir_addr_set(const struct weir_addr_map *x, uint64_t addr);
/* Byte of the channel; `slice` is what weir_addr_slice says. */
uint64_t weir_addr_local(const struct weir_addr_map *x, uint64_t addr, uint32_t slice);

/* ---- inside a channel ---- */

enum { WEIR_BANK_BITS = 8 };

struct weir_bank_map {
  bool is_given;                   /* by dram.map */
  unsigned row_shift, n_banks;     /* of a row: log2 of its bytes, or where its bits begin */
  unsigned n_bits;                 /* given: bits of the bank ... */
  uint8_t bit[WEIR_BANK_BITS + 1]; /* ... and where they are, the lowest first */
};

struct weir_place {
  uint64_t row;
  uint32_t bank;
};

/* NULL, or what is wrong with dram.map. */
const char *weir_bank_map_init(struct weir_bank_map *b, const struct weir_dram_cfg *dram);
struct weir_place weir_bank_place(const struct weir_bank_map *b, uint64_t local);

#endif
