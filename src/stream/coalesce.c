#include "stream/coalesce.h"

#include <string.h>

/* Multiplicative hashing: the top bits of the product depend on all bits of the line number. */
static inline unsigned hash(uint64_t line, unsigned bits) {
  return (unsigned)(line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

static inline uint32_t low_bits(unsigned n) {
  return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* Inline even where the compiler may not assume a host instruction for it. */
static inline unsigned count_bits(uint64_t v) {
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool is_power_of_two(unsigned v) {
  return v && !(v & (v - 1));
}

static void expand(const struct weir_addrs *a, uint64_t out[WEIR_LANES]) {
  uint64_t stride = a->kind == WEIR_ADDR_STRIDE ? (uint64_t)a->stride : 0;
  for (unsigned i = 0; i < WEIR_LANES; i++)
    out[i] = a->base + i * stride;
}

/* ---- requests ---- */

enum { INDEX_BITS = 7, INDEX_SLOTS = 1 << INDEX_BITS };

struct gather {
  struct weir_requests *out;
  unsigned line_shift;
  uint8_t index[INDEX_SLOTS]; /* request number + 1 by hashed line, open addressing */
};

static inline void touch(struct gather *g, uint64_t line, unsigned lane, uint32_t sectors) {
  struct weir_requests *out = g->out;
  unsigned h = hash(line, INDEX_BITS);
  uint64_t addr = line << g->line_shift;
  while (g->index[h] && out->r[g->index[h] - 1].line_addr != addr)
    h = (h + 1) % INDEX_SLOTS;
  if (!g->index[h]) {
    out->r[out->n] = (struct weir_request){.line_addr = addr};
    g->index[h] = (uint8_t)++out->n;
  }
  struct weir_request *r = &out->r[g->index[h] - 1];
  r->lanes |= UINT32_C(1) << lane;
  r->sectors |= sectors;
}

/* Sectors first..last of a line, at most 32. */
static inline uint32_t sector_range(unsigned first, unsigned last) {
  return low_bits(last - first + 1) << first;
}

void weir_coalesce(const uint64_t addr[WEIR_LANES], uint32_t mask, unsigned width,
                   unsigned line_bytes, unsigned sector_bytes, struct weir_requests *out) {
  struct gather g = {.out = out, .line_shift = (unsigned)__builtin_ctz(line_bytes)};
  unsigned sector_shift = (unsigned)__builtin_ctz(sector_bytes);
  unsigned last_sector = (line_bytes >> sector_shift) - 1;
  out->n = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    uint64_t first = addr[lane], last = first + width - 1;
    uint64_t line = first >> g.line_shift, line2 = last >> g.line_shift;
    unsigned s = (unsigned)(first >> sector_shift) & last_sector;
    unsigned s2 = (unsigned)(last >> sector_shift) & last_sector;
    if (line == line2) {
      touch(&g, line, lane, sector_range(s, s2));
    } else {
      touch(&g, line, lane, sector_range(s, last_sector));
      touch(&g, line2, lane, sector_range(0, s2));
    }
  }
}

static void coalesce_uniform(uint64_t first, uint32_t mask, unsigned width, unsigned line_bytes,
                             unsigned sector_bytes, struct weir_requests *out) {
  uint64_t last = first + width - 1, in_line = line_bytes - 1;
  uint64_t line = first & ~in_line, line2 = last & ~in_line;
  unsigned shift = (unsigned)__builtin_ctz(sector_bytes);
  unsigned s = (unsigned)(first & in_line) >> shift, s2 = (unsigned)(last & in_line) >> shift;
  bool crosses = line != line2;
  unsigned end = crosses ? (line_bytes >> shift) - 1 : s2;
  out->r[0] = (struct weir_request){line, mask, sector_range(s, end)};
  if (crosses) out->r[1] = (struct weir_request){line2, mask, sector_range(0, s2)};
  out->n = crosses ? 2 : 1;
}

/* Lane after lane without gaps, aligned: a loop over lines, and over sectors if lanes are missing.
 */
static void coalesce_dense(uint64_t base, uint32_t mask, unsigned width, unsigned line_bytes,
                           unsigned sector_bytes, struct weir_requests *out) {
  unsigned shift = (unsigned)__builtin_ctz(sector_bytes);
  unsigned n = 0, lane = 0, lanes_per_sector = sector_bytes / width;
  while (lane < WEIR_LANES) {
    uint64_t addr = base + (uint64_t)lane * width;
    unsigned at = (unsigned)addr & (line_bytes - 1), lanes = (line_bytes - at) / width;
    if (lanes > WEIR_LANES - lane) lanes = WEIR_LANES - lane;
    uint32_t in = low_bits(lanes) << lane, active = mask & in;
    if (active) {
      uint32_t sectors = 0;
      unsigned first = at >> shift, last = (at + lanes * width - 1) >> shift;
      if (active == in) {
        sectors = sector_range(first, last);
      } else {
        uint32_t rest = active >> lane;
        unsigned take = lanes_per_sector - (at & (sector_bytes - 1)) / width;
        for (unsigned s = first; s <= last; s++, take = lanes_per_sector) {
          if (rest & low_bits(take)) sectors |= UINT32_C(1) << s;
          rest = take < 32 ? rest >> take : 0;
        }
      }
      out->r[n++] = (struct weir_request){addr - at, active, sectors};
    }
    lane += lanes;
  }
  out->n = n;
}

void weir_coalesce_addrs(const struct weir_addrs *a, uint32_t mask, unsigned width,
                         unsigned line_bytes, unsigned sector_bytes, struct weir_requests *out) {
  uint64_t addr[WEIR_LANES];
  out->n = 0;
  if (!mask) return;
  if (a->kind == WEIR_ADDR_LIST) {
    weir_coalesce(a->lane, mask, width, line_bytes, sector_bytes, out);
  } else if (a->kind == WEIR_ADDR_UNIFORM || !a->stride) {
    coalesce_uniform(a->base, mask, width, line_bytes, sector_bytes, out);
  } else if (a->stride == (int64_t)width && is_power_of_two(width) && width <= sector_bytes &&
             a->base % width == 0) {
    coalesce_dense(a->base, mask, width, line_bytes, sector_bytes, out);
  } else {
    expand(a, addr);
    weir_coalesce(addr, mask, width, line_bytes, sector_bytes, out);
  }
}

/* ---- counts ---- */

enum { COUNT_BITS = 9, EPOCHS = 128, LINE_NUMBER_BITS = 57 };
_Static_assert(1 << COUNT_BITS == WEIR_COUNT_SLOTS, "hash bits");

static unsigned next_epoch(struct weir_line_counter *c) {
  if (++c->epoch == EPOCHS) {
    memset(c->key, 0, sizeof c->key);
    c->epoch = 1;
  }
  return c->epoch;
}

/* A line that is met again, or a slot that another line holds. Returns as count_sector. */
static unsigned count_again(struct weir_line_counter *c, uint64_t key, unsigned h, unsigned bit) {
  while (c->key[h] != key) {
    if (c->key[h] >> LINE_NUMBER_BITS != key >> LINE_NUMBER_BITS) {
      c->key[h] = key;
      c->sectors[h] = (uint8_t)bit;
      return 1u << 16 | 1;
    }
    h = (h + 1) % WEIR_COUNT_SLOTS;
  }
  unsigned seen = c->sectors[h];
  c->sectors[h] = (uint8_t)(seen | bit);
  return !(seen & bit);
}

/* Returns lines << 16 | sectors that are new. */
static inline unsigned count_sector(struct weir_line_counter *c, unsigned epoch, uint64_t sector) {
  uint64_t line = sector >> 2, key = (uint64_t)epoch << LINE_NUMBER_BITS | line;
  unsigned h = hash(line, COUNT_BITS), bit = 1u << (sector & 3);
  if (__builtin_expect(c->key[h] >> LINE_NUMBER_BITS == epoch, 0))
    return count_again(c, key, h, bit);
  c->key[h] = key;
  c->sectors[h] = (uint8_t)bit;
  return 1u << 16 | 1;
}

static unsigned count_far(struct weir_line_counter *c, const uint64_t *s, unsigned n,
                          unsigned *sectors) {
  unsigned sum = 0, epoch = next_epoch(c);
  for (unsigned i = 0; i < n; i++)
    sum += count_sector(c, epoch, s[i]);
  *sectors = sum & 0xffff;
  return sum >> 16;
}

/* Bit i*group is set where any of the bits i*group .. i*group+group-1 is; group is a power of two.
 */
static inline uint64_t fold_groups(uint64_t bits, unsigned group) {
  uint64_t keep = 1;
  for (unsigned n = 1; n < group; n *= 2)
    bits |= bits >> n;
  for (unsigned n = group; n < 64; n *= 2)
    keep |= keep << n;
  return bits & keep;
}

enum { NEAR_SECTORS = 128, LINE_SECTORS = WEIR_COUNT_LINE_BYTES / WEIR_SECTOR_BYTES };

/* All within 4 KB around the first: one bit per sector. False if some are outside. */
static bool count_near(const uint64_t *s, unsigned n, unsigned *lines, unsigned *sectors) {
  uint64_t from = s[0] / LINE_SECTORS * LINE_SECTORS - NEAR_SECTORS / 2;
  uint64_t low = 0, high = 0, all = 0;
  for (unsigned i = 0; i < n; i++) {
    uint64_t at = s[i] - from, bit = UINT64_C(1) << (at & 63), in_high = 0 - (at >> 6 & 1);
    all |= at;
    low |= bit & ~in_high;
    high |= bit & in_high;
  }
  if (all >= NEAR_SECTORS) return false;
  *sectors = count_bits(low) + count_bits(high);
  uint64_t lines_low = fold_groups(low, LINE_SECTORS), lines_high = fold_groups(high, LINE_SECTORS);
  *lines = count_bits(lines_low | lines_high << 1); /* only every fourth bit is in use */
  return true;
}

/* The sectors that lanes touch, as they come; at most two for each lane. */
static unsigned list_sectors(const uint64_t *addr, uint32_t mask, unsigned width, uint64_t *s) {
  unsigned n = 0;
  uint64_t all = 0;
  s[0] = 0; /* mask is not 0, which compilers cannot know */
  if (mask == UINT32_MAX) {
    for (n = 0; n < WEIR_LANES; n++) {
      all |= addr[n];
      s[n] = addr[n] / WEIR_SECTOR_BYTES;
    }
  } else {
    for (uint32_t m = mask; m; m &= m - 1, n++) {
      uint64_t a = addr[__builtin_ctz(m)];
      all |= a;
      s[n] = a / WEIR_SECTOR_BYTES;
    }
  }
  if (is_power_of_two(width) && !(all & (width - 1))) return n;
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t first = addr[__builtin_ctz(m)], s2 = (first + width - 1) / WEIR_SECTOR_BYTES;
    if (s2 != first / WEIR_SECTOR_BYTES) s[n++] = s2;
  }
  return n;
}

/* Sectors in ascending order, as where lanes walk rows one below the other: lines and sectors are
 * counted where they change. False if they are not in order. Without branches in the loop. */
static bool count_ascending(const uint64_t *s, unsigned n, unsigned *lines, unsigned *sectors) {
  const uint64_t below_top = UINT64_MAX >> 1;
  uint64_t falls = 0, new_sectors = 0, new_lines = 0;
  for (unsigned i = 1; i < n; i++) {
    uint64_t d = s[i] - s[i - 1], d_lines = s[i] / LINE_SECTORS - s[i - 1] / LINE_SECTORS;
    falls |= d; /* sector numbers have less than 63 bits: the top bit is a sign */
    new_sectors += (d + below_top) >> 63;
    new_lines += (d_lines + below_top) >> 63;
  }
  *sectors = 1 + (unsigned)new_sectors;
  *lines = 1 + (unsigned)new_lines;
  return falls >> 63 == 0;
}

static unsigned count_list(struct weir_line_counter *c, const uint64_t *addr, uint32_t mask,
                           unsigned width, unsigned *sectors) {
  uint64_t s[2 * WEIR_LANES];
  unsigned lines, n = list_sectors(addr, mask, width, s);
  if (s[n - 1] >= s[0] && count_ascending(s, n, &lines, sectors)) return lines;
  /* Two of them tell whether the cheap way is worth a try. */
  if (s[n - 1] - s[0] + NEAR_SECTORS / 2 < NEAR_SECTORS && count_near(s, n, &lines, sectors))
    return lines;
  return count_far(c, s, n, sectors);
}

/* Closed forms for n lanes from base on, stride not 0. Between two neighbours lie gap bytes. If a
 * block (line or sector) cannot lie in a gap, every block of the range is touched; if a gap is a
 * block or longer, no two lanes share one. Only accesses that cannot cross a sector come here. */
static bool count_affine(uint64_t base, int64_t stride, unsigned n, unsigned width, unsigned *lines,
                         unsigned *sectors) {
  uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
  if (step >> 58) return false; /* may meet itself modulo 2^64 */
  uint64_t lo = stride < 0 ? base - (n - 1) * step : base;
  uint64_t hi = lo + (n - 1) * step + width - 1;
  if (hi < lo) return false;
  uint64_t gap = step > width ? step - width : 0;
  *sectors =
      gap < WEIR_SECTOR_BYTES ? (unsigned)(hi / WEIR_SECTOR_BYTES - lo / WEIR_SECTOR_BYTES) + 1 : n;
  *lines = gap < WEIR_COUNT_LINE_BYTES
               ? (unsigned)(hi / WEIR_COUNT_LINE_BYTES - lo / WEIR_COUNT_LINE_BYTES) + 1
               : n;
  return true;
}

/* Lanes side by side, aligned, any mask: bit 0 stands for the first place of the first line. */
static unsigned count_dense(uint64_t base, uint32_t mask, unsigned width, unsigned *sectors) {
  unsigned per_sector = WEIR_SECTOR_BYTES / width, per_line = WEIR_COUNT_LINE_BYTES / width;
  unsigned at = (unsigned)(base % WEIR_COUNT_LINE_BYTES) / width;
  uint64_t in_sector = (uint64_t)mask << at % per_sector;
  *sectors = count_bits(fold_groups(in_sector, per_sector));
  if (per_line <= WEIR_LANES) return count_bits(fold_groups((uint64_t)mask << at, per_line));
  uint32_t in_first = mask & low_bits(per_line - at); /* two lines at most */
  return (in_first ? 1u : 0) + (in_first != mask ? 1u : 0);
}

static unsigned count_stride(struct weir_line_counter *c, const struct weir_addrs *a, uint32_t mask,
                             unsigned width, unsigned *sectors) {
  unsigned lines, first = (unsigned)__builtin_ctz(mask), n = count_bits(mask);
  bool in_row = (mask >> first) == low_bits(n);
  bool aligned = is_power_of_two(width) && ((a->base | (uint64_t)a->stride) & (width - 1)) == 0;
  if (in_row && aligned &&
      count_affine(a->base + first * (uint64_t)a->stride, a->stride, n, width, &lines, sectors))
    return lines;
  if (aligned && a->stride == (int64_t)width) return count_dense(a->base, mask, width, sectors);
  uint64_t addr[WEIR_LANES];
  expand(a, addr);
  return count_list(c, addr, mask, width, sectors);
}

unsigned weir_count_lines(struct weir_line_counter *c, const struct weir_addrs *a, uint32_t mask,
                          unsigned width, unsigned *sectors) {
  *sectors = 0;
  if (!mask) return 0;
  if (a->kind == WEIR_ADDR_LIST) return count_list(c, a->lane, mask, width, sectors);
  if (a->kind == WEIR_ADDR_STRIDE && a->stride) return count_stride(c, a, mask, width, sectors);
  uint64_t first = a->base, last = first + width - 1;
  *sectors = 1 + (first / WEIR_SECTOR_BYTES != last / WEIR_SECTOR_BYTES);
  return 1 + (first / WEIR_COUNT_LINE_BYTES != last / WEIR_COUNT_LINE_BYTES);
}

/* ---- shared memory ---- */

enum { BANKS = 32, WORD_BYTES = 4 };

static unsigned part_lanes(unsigned width) {
  return width <= 4 ? 32 : width <= 8 ? 16 : 8;
}

/* Words of one part, chained by bank. An aligned part has 32; a wide or crossing one more. */
struct banks {
  uint64_t word[WEIR_LANES * 9];
  uint16_t below[WEIR_LANES * 9];
  uint16_t top[BANKS]; /* word number + 1 */
  uint8_t depth[BANKS];
};

enum { ROW_BYTES = BANKS * WORD_BYTES, ROW_BITS = 64 };

/* Aligned accesses of a power of two of bytes stay in one row of the banks, and banks can be taken
 * together to units as wide as an access. One bit for each row that a unit must give; false if the
 * rows lie too far apart for that. */
static bool unit_passes(const uint64_t *addr, uint32_t mask, unsigned width, unsigned *passes) {
  uint64_t rows[BANKS] = {0}, all = 0, from = addr[__builtin_ctz(mask)] / ROW_BYTES - ROW_BITS / 2;
  uint8_t depth[BANKS] = {0};
  unsigned unit_shift = width <= WORD_BYTES ? 2 : (unsigned)__builtin_ctz(width);
  unsigned units = ROW_BYTES >> unit_shift, most = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t a = addr[__builtin_ctz(m)], row = a / ROW_BYTES - from;
    unsigned k = (unsigned)(a >> unit_shift) & (units - 1), bit = (unsigned)row % ROW_BITS;
    unsigned d = depth[k] + (unsigned)(~rows[k] >> bit & 1);
    all |= row;
    rows[k] |= UINT64_C(1) << bit;
    depth[k] = (uint8_t)d;
    most = d > most ? d : most;
  }
  *passes = most;
  return all < ROW_BITS;
}

/* The bits in which active lanes' addresses differ from the first one's, and all that are set. */
static inline void address_bits(const uint64_t *addr, uint32_t mask, uint64_t *differ,
                                uint64_t *set) {
  uint64_t first = addr[__builtin_ctz(mask)], x = 0, y = 0;
  if (mask == UINT32_MAX) {
    for (unsigned i = 0; i < WEIR_LANES; i++) {
      x |= addr[i] ^ first;
      y |= addr[i];
    }
  } else {
    for (uint32_t m = mask; m; m &= m - 1) {
      uint64_t a = addr[__builtin_ctz(m)];
      x |= a ^ first;
      y |= a;
    }
  }
  *differ = x;
  *set = y;
}

static unsigned part_passes(const uint64_t *addr, uint32_t mask, unsigned width) {
  uint64_t differ, set;
  unsigned fast;
  address_bits(addr, mask, &differ, &set);
  if (is_power_of_two(width) && (set & (width - 1)) == 0) {
    if (differ < ROW_BYTES) return 1; /* a row has no bank twice */
    if (unit_passes(addr, mask, width, &fast)) return fast;
  }
  struct banks b;
  unsigned n = 0, passes = 0;
  memset(b.top, 0, sizeof b.top);
  memset(b.depth, 0, sizeof b.depth);
  for (uint32_t m = mask; m; m &= m - 1) {
    uint64_t first = addr[__builtin_ctz(m)];
    unsigned words = (unsigned)(first % WORD_BYTES + width - 1) / WORD_BYTES + 1;
    for (unsigned i = 0; i < words; i++) {
      uint64_t word = (first + WORD_BYTES * (uint64_t)i) / WORD_BYTES;
      unsigned bank = (unsigned)word % BANKS, k = b.top[bank];
      while (k && b.word[k - 1] != word)
        k = b.below[k - 1];
      if (k) continue;
      b.word[n] = word;
      b.below[n] = b.top[bank];
      b.top[bank] = (uint16_t)++n;
      if (++b.depth[bank] > passes) passes = b.depth[bank];
    }
  }
  return passes;
}

unsigned weir_bank_passes(const uint64_t addr[WEIR_LANES], uint32_t mask, unsigned width) {
  unsigned passes = 0, lanes = part_lanes(width);
  for (unsigned at = 0; at < WEIR_LANES; at += lanes) {
    uint32_t part = mask & (low_bits(lanes) << at);
    if (part) passes += part_passes(addr, part, width);
  }
  return passes;
}

/* With width-sized units and a stride of t units, lanes meet in a unit-wide bank every
 * units / gcd(t, units) lanes, always with another word. */
static unsigned aligned_passes(uint64_t t, unsigned width) {
  unsigned lanes = part_lanes(width), parts = WEIR_LANES / lanes;
  uint64_t low = t & (0 - t);
  return parts * (unsigned)(low < lanes ? low : lanes);
}

unsigned weir_bank_passes_addrs(const struct weir_addrs *a, uint32_t mask, unsigned width) {
  if (a->kind == WEIR_ADDR_LIST) return weir_bank_passes(a->lane, mask, width);
  uint64_t stride = a->kind == WEIR_ADDR_STRIDE ? (uint64_t)a->stride : 0;
  if (!stride) { /* one address has no bank twice */
    unsigned passes = 0, lanes = part_lanes(width);
    for (unsigned at = 0; at < WEIR_LANES; at += lanes)
      passes += (mask & (low_bits(lanes) << at)) != 0;
    return passes;
  }
  bool fits = (width == 4 || width == 8 || width == 16) && ((a->base | stride) & (width - 1)) == 0;
  /* Addresses far apart could meet again modulo 2^64. */
  if (fits && mask == UINT32_MAX && (stride + (UINT64_C(1) << 57)) >> 58 == 0)
    return aligned_passes(stride / width, width);
  uint64_t addr[WEIR_LANES];
  expand(a, addr);
  return weir_bank_passes(addr, mask, width);
}
