#include "machine/addr_map.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "machine/machine.h"

static bool is_power_of_two(uint64_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

static unsigned log2_of(int64_t v) {
  return (unsigned)__builtin_ctzll((uint64_t)v);
}

/* Most machines have powers of two of everything. */
static uint64_t divide(uint64_t v, uint64_t by) {
  return is_power_of_two(by) ? v >> __builtin_ctzll(by) : v / by;
}

/* ---- polynomials ---- */

static uint64_t remainder_of(uint64_t v, uint64_t divisor) {
  int degree = 63 - __builtin_clzll(divisor);
  for (int i = 63; i >= degree; i--)
    if (v >> i & 1) v ^= divisor << (i - degree);
  return v;
}

static bool is_irreducible(uint64_t p, unsigned degree) {
  for (uint64_t q = 2; q < UINT64_C(1) << (degree / 2 + 1); q++)
    if (remainder_of(p, q) == 0) return false;
  return true;
}

void weir_poly_init(struct weir_poly *p, unsigned degree) {
  uint64_t divisor = UINT64_C(1) << degree | 1;
  while (degree > 0 && !is_irreducible(divisor, degree))
    divisor += 2;
  for (unsigned i = 0; i < 8; i++)
    for (unsigned v = 0; v < 256; v++)
      p->part[i][v] = degree > 0 ? (uint32_t)remainder_of((uint64_t)v << (8 * i), divisor) : 0;
}

/* ---- slices and sets ---- */

static void deal_out(struct weir_deal *d, uint64_t slices) {
  uint8_t dealt[WEIR_DEAL_MOST + 1] = {0};
  uint64_t state = 0;
  d->each = WEIR_DEAL_BLOCKS / slices;
  if (d->each > WEIR_DEAL_MOST) d->each = WEIR_DEAL_MOST;
  const uint64_t n = d->each * slices;
  for (uint64_t i = 0; i < n; i++)
    d->slice[i] = (uint8_t)(i % slices);
  for (uint64_t i = n; i-- > 1;) { /* Fisher and Yates' shuffle */
    const uint64_t k = (weir_splitmix64(state++) >> 32) * (i + 1) >> 32;
    const uint8_t at = d->slice[i];
    d->slice[i] = d->slice[k];
    d->slice[k] = at;
  }
  for (uint64_t i = 0; i < n; i++)
    d->before[i] = dealt[d->slice[i]]++;
}

/* The window that a block is in, and which block of it. */
static uint64_t window_of(const struct weir_addr_map *x, uint64_t block, uint64_t *at) {
  const uint64_t n = x->deal.each * x->slices, window = block / n;
  *at = block - window * n;
  return window;
}

/* Blocks of its slice that have lower addresses. */
static uint64_t before(const struct weir_addr_map *x, uint64_t block) {
  uint64_t at;
  if (x->hash != WEIR_SLICE_DEALT) return divide(block, x->slices);
  const uint64_t window = window_of(x, block, &at);
  return window * x->deal.each + x->deal.before[at];
}

enum weir_status weir_addr_map_init(struct weir_addr_map *x, const char *machine,
                                    const struct weir_l2_cfg *l2, const struct weir_dram_cfg *dram,
                                    struct weir_err *err) {
  struct weir_bank_map banks;
  *x = (struct weir_addr_map){.line_shift = log2_of(l2->line),
                              .inter_shift = log2_of(l2->interleave),
                              .set_shift = log2_of(l2->sets),
                              .slices = (uint64_t)l2->slices,
                              .channels = (uint64_t)dram->channels,
                              .per_channel = (uint64_t)(l2->slices / dram->channels),
                              .has_poly_sets = l2->index == WEIR_L2_INDEX_IPOLY,
                              .has_plain_sets = l2->index == WEIR_L2_INDEX_LINEAR};
  x->hash = l2->hash == WEIR_L2_HASH_LINEAR  ? WEIR_SLICE_LINEAR
            : l2->hash == WEIR_L2_HASH_XOR   ? WEIR_SLICE_XOR
            : l2->hash == WEIR_L2_HASH_DEALT ? WEIR_SLICE_DEALT
                                             : WEIR_SLICE_IPOLY;
  if (x->hash == WEIR_SLICE_DEALT) {
    if (x->slices > WEIR_DEAL_MOST)
      return weir_fail(err, WEIR_EINVAL,
                       "machine %s: l2.hash dealt needs at most %d of l2.slices (%" PRId64 ")",
                       machine, WEIR_DEAL_MOST, l2->slices);
    deal_out(&x->deal, x->slices);
  }
  if (x->hash == WEIR_SLICE_IPOLY) {
    if (!is_power_of_two(x->slices) || !is_power_of_two(x->channels))
      return weir_fail(err, WEIR_EINVAL,
                       "machine %s: l2.hash ipoly needs powers of two of l2.slices (%" PRId64
                       ") and dram.channels (%" PRId64 ")",
                       machine, l2->slices, dram->channels);
    x->slice_bits = log2_of(l2->slices);
    weir_poly_init(&x->slice, x->slice_bits);
  }
  if (x->has_poly_sets) weir_poly_init(&x->set, x->set_shift);
  const char *why = weir_bank_map_init(&banks, dram);
  if (why != NULL) return weir_fail(err, WEIR_EINVAL, "machine %s: dram.map: %s", machine, why);
  return WEIR_OK;
}

uint32_t weir_addr_slice(const struct weir_addr_map *x, uint64_t addr) {
  uint64_t block = addr >> x->inter_shift, q = divide(block, x->slices);
  switch (x->hash) {
  case WEIR_SLICE_LINEAR:
    return (uint32_t)(block - q * x->slices);
  case WEIR_SLICE_XOR:
    /* Any function of the quotient keeps the map one-to-one. */
    block += (q ^ q >> 7 ^ q >> 15) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    return (uint32_t)(block - divide(block, x->slices) * x->slices);
  case WEIR_SLICE_DEALT: { /* each window by another turn of the same deal */
    uint64_t at;
    const uint64_t turn = weir_splitmix64(window_of(x, block, &at)) >> 32;
    return (uint32_t)((x->deal.slice[at] + turn) % x->slices);
  }
  case WEIR_SLICE_IPOLY:
    break;
  }
  /* Blocks go round the channels; the slice of a channel is chosen by the bits above. */
  uint64_t round = divide(block, x->channels);
  uint64_t plain = (block & (x->channels - 1)) * x->per_channel + (round & (x->per_channel - 1));
  return weir_poly_of(&x->slice, q << x->slice_bits | plain);
}

static uint64_t in_block(const struct weir_addr_map *x, uint64_t addr) {
  return addr & ((UINT64_C(1) << x->inter_shift) - 1);
}

uint32_t weir_addr_set(const struct weir_addr_map *x, uint64_t addr) {
  uint64_t block = before(x, addr >> x->inter_shift);
  uint64_t n = block << (x->inter_shift - x->line_shift) | in_block(x, addr) >> x->line_shift;
  if (x->has_poly_sets) return weir_poly_of(&x->set, n);
  if (!x->has_plain_sets) n ^= n >> x->set_shift;
  return (uint32_t)(n & ((UINT64_C(1) << x->set_shift) - 1));
}

/* The slices of a channel are interleaved as they are in memory. */
uint64_t weir_addr_local(const struct weir_addr_map *x, uint64_t addr, uint32_t slice) {
  uint64_t block = addr >> x->inter_shift;
  uint64_t local = x->hash == WEIR_SLICE_IPOLY
                       ? divide(block, x->channels)
                       : before(x, block) * x->per_channel + slice % x->per_channel;
  return local << x->inter_shift | in_block(x, addr);
}

/* ---- banks and rows ---- */

/* The letters of dram.map, the lowest bit first, without what only makes it readable. */
static unsigned letters(const char *map, char out[65]) {
  unsigned n = 0;
  for (size_t i = strlen(map); i > 0 && n < 65; i--)
    if (map[i - 1] != '.') out[n++] = map[i - 1];
  return n;
}

const char *weir_bank_map_init(struct weir_bank_map *b, const struct weir_dram_cfg *dram) {
  char letter[65];
  unsigned columns = 0, n;
  *b = (struct weir_bank_map){.n_banks = (unsigned)dram->banks};
  if (dram->map == NULL || strcmp(dram->map, "rotate") == 0) {
    b->row_shift = log2_of(dram->row_bytes);
    return NULL;
  }
  b->is_given = true;
  n = letters(dram->map, letter);
  for (; b->row_shift < n && letter[b->row_shift] != 'R'; b->row_shift++) {
    char l = letter[b->row_shift];
    if (l != 'B' && l != 'C' && l != 'S') return "letters other than R, B, C and S";
    columns += l != 'B';
    if (l == 'B' && b->n_bits <= WEIR_BANK_BITS) b->bit[b->n_bits++] = (uint8_t)b->row_shift;
  }
  for (unsigned i = b->row_shift; i < n; i++)
    if (letter[i] != 'R') return "the bits of the row (R) must be the highest";
  if (b->row_shift == n || n > 64) return "1 to 64 bits, one of the row (R) at least";
  if (dram->banks != INT64_C(1) << b->n_bits) return "B does not give dram.banks";
  if (dram->row_bytes != INT64_C(1) << columns) return "C and S do not give dram.row_bytes";
  return NULL;
}

struct weir_place weir_bank_place(const struct weir_bank_map *b, uint64_t local) {
  struct weir_place p = {.row = local >> b->row_shift};
  if (b->is_given) {
    for (unsigned i = 0; i < b->n_bits; i++)
      p.bank |= (uint32_t)(local >> b->bit[i] & 1) << i;
    return p;
  }
  uint64_t page = p.row, n = b->n_banks;
  p.row = divide(page, n);
  /* A stride of whole rows does not stay in one bank. */
  p.bank = (uint32_t)(page + p.row - divide(page + p.row, n) * n);
  return p;
}
