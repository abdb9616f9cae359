/* The lines of a cache of the memory side: sets, ways, sectors, least recently used first. */
#ifndef WEIR_SIM_LINES_H
#define WEIR_SIM_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/mem.h"

enum { WEIR_NO_WAY = UINT16_MAX };

struct weir_mem_line {   /* 24 bytes: there are many */
  uint64_t line;         /* line number + 1, 0 = empty */
  struct weir_link link; /* in the set's order of use */
  uint16_t mshr;         /* that waits for the pending sectors */
  uint16_t words;        /* written to each sector that is partial, four bits each */
  uint16_t marker;       /* the SM that set the mark; for statistics, hardware has the mark alone */
  uint8_t valid, dirty, pending,
      partial;  /* sectors; partial: written in part, the rest is not here */
  uint8_t near; /* halves of the SMs that have it near, a bit each */
  bool is_marked;
};

_Static_assert(sizeof(struct weir_mem_line) == 24, "no padding");

struct weir_lines {
  struct weir_mem_line *v;
  struct weir_list *order; /* ways of a set, least recently used first; empty ones come first */
  uint64_t *tags;          /* one byte per way, eight in a word: where to look for a line */
  uint32_t sets, ways, tag_words;
};

static inline struct weir_mem_line *weir_lines_set(const struct weir_lines *l, uint32_t set) {
  return &l->v[(size_t)set * l->ways];
}

/* Empty ways, in the order in which they are taken. */
static inline void weir_lines_order(struct weir_lines *l) {
  for (uint32_t set = 0; set < l->sets; set++) {
    struct weir_mem_line *w = weir_lines_set(l, set);
    l->order[set] = (struct weir_list){0};
    for (uint32_t k = 1; k <= l->ways; k++)
      weir_list_append(&l->order[set], WEIR_LINKS(w, link), k);
  }
}

/* False: out of memory; free() takes what is there. */
static inline bool weir_lines_init(struct weir_lines *l, int64_t sets, int64_t ways) {
  l->sets = (uint32_t)sets;
  l->ways = (uint32_t)ways;
  l->tag_words = (l->ways + 7) / 8;
  l->v = weir_calloc((size_t)l->sets * l->ways, sizeof *l->v);
  l->order = weir_calloc(l->sets, sizeof *l->order);
  l->tags = weir_calloc((size_t)l->sets * l->tag_words, sizeof *l->tags);
  if (l->v == NULL || l->order == NULL || l->tags == NULL) return false;
  weir_lines_order(l);
  return true;
}

/* Nothing is pending: all ways are empty, as at first. */
static inline void weir_lines_clear(struct weir_lines *l) {
  for (size_t i = 0; i < (size_t)l->sets * l->ways; i++)
    l->v[i] = (struct weir_mem_line){0};
  for (size_t i = 0; i < (size_t)l->sets * l->tag_words; i++)
    l->tags[i] = 0;
  weir_lines_order(l);
}

static inline void weir_lines_free(struct weir_lines *l) {
  free(l->v);
  free(l->order);
  free(l->tags);
}

/* The byte by which a line is looked for; 0 is that of an empty way. */
static inline uint64_t weir_lines_tag(uint64_t key) {
  uint64_t tag = key * UINT64_C(0x9e3779b97f4a7c15) >> 56;
  return tag + (tag == 0);
}

/* The line's way, or WEIR_NO_WAY. */
static inline uint32_t weir_lines_find(const struct weir_lines *l, uint32_t set, uint64_t key) {
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), each = UINT64_C(0x0101010101010101);
  const uint64_t *word = &l->tags[(size_t)set * l->tag_words];
  const struct weir_mem_line *w = weir_lines_set(l, set);
  uint64_t tag = weir_lines_tag(key) * each;
  for (uint32_t i = 0; i < l->tag_words; i++) {
    uint64_t x = word[i] ^ tag;
    /* The high bit of every byte that is zero. */
    for (uint64_t hit = ~(((x & low) + low) | x | low); hit != 0; hit &= hit - 1) {
      uint32_t way = i * 8 + (uint32_t)__builtin_ctzll(hit) / 8;
      if (w[way].line == key) return way;
    }
  }
  return WEIR_NO_WAY;
}

/* NULL for WEIR_NO_WAY. */
static inline struct weir_mem_line *weir_lines_at(const struct weir_lines *l, uint32_t set,
                                                  uint32_t way) {
  return way != WEIR_NO_WAY ? weir_lines_set(l, set) + way : NULL;
}

/* The least recently used way that waits for nothing, or WEIR_NO_WAY. */
static inline uint32_t weir_lines_choose(const struct weir_lines *l, uint32_t set) {
  const struct weir_mem_line *w = weir_lines_set(l, set);
  uint32_t n = l->order[set].first;
  while (n != 0 && w[n - 1].pending != 0)
    n = w[n - 1].link.next;
  return n != 0 ? n - 1 : WEIR_NO_WAY;
}

static inline void weir_lines_touch(struct weir_lines *l, uint32_t set, uint32_t way) {
  struct weir_mem_line *w = weir_lines_set(l, set);
  if (l->order[set].last == way + 1) return;
  weir_list_remove(&l->order[set], WEIR_LINKS(w, link), way + 1);
  weir_list_append(&l->order[set], WEIR_LINKS(w, link), way + 1);
}

/* The line becomes near for a half of the SMs, of which as many lines of a set are as is its share;
 * if there are as many already, the least recently used one of them is no more. False: it was near.
 */
static inline bool weir_lines_bring(const struct weir_lines *l, uint32_t set, uint32_t way,
                                    unsigned half, uint32_t halves) {
  struct weir_mem_line *w = weir_lines_set(l, set);
  const uint8_t bit = (uint8_t)(1u << half);
  const uint32_t most = l->ways > halves ? l->ways / halves : 1;
  uint32_t n = 0, oldest = 0;
  if (w[way].near & bit) return false;
  for (uint32_t k = l->order[set].last; k != 0; k = w[k - 1].link.prev)
    if (w[k - 1].near & bit) {
      n++;
      oldest = k;
    }
  if (n >= most && oldest != 0) w[oldest - 1].near &= (uint8_t)~bit;
  w[way].near |= bit;
  return true;
}

/* One that comes becomes near for the half that its number says. */
static inline void weir_lines_settle(const struct weir_lines *l, uint32_t set, uint32_t way,
                                     uint32_t halves) {
  const uint64_t line = weir_lines_set(l, set)[way].line - 1;
  weir_lines_bring(l, set, way, (unsigned)__builtin_parityll(line) % halves, halves);
}

/* A sector written in part keeps what it has; if it has nothing, a read will fetch the rest. */
static inline void weir_line_write(struct weir_mem_line *l, uint8_t sectors, uint8_t full) {
  uint8_t whole = full & sectors, in_part = (uint8_t)(sectors & ~full & ~l->valid);
  l->valid |= whole;
  l->partial = (uint8_t)((l->partial | in_part) & ~whole);
  l->dirty |= sectors;
}

/* Words that were written to sectors in part, four bits each: one is whole when it has eight. */
static inline void weir_line_add(struct weir_mem_line *l, uint8_t sectors, uint16_t words) {
  for (unsigned left = sectors & l->partial; left != 0; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left), at = 4 * i;
    const unsigned n = (l->words >> at & 15u) + (words >> at & 15u);
    l->words = (uint16_t)((l->words & ~(15u << at)) | (n < 8 ? n : 0) << at);
    if (n < 8) continue;
    l->valid |= (uint8_t)(1u << i);
    l->partial &= (uint8_t) ~(1u << i);
  }
}

static inline void weir_line_fill(struct weir_mem_line *l, uint8_t sectors) {
  l->pending &= (uint8_t)~sectors;
  l->valid |= sectors;
  l->partial &= (uint8_t)~sectors;
}

/* What must be written back. A line that is one piece has one dirty bit. */
static inline uint8_t weir_line_dirty(const struct weir_mem_line *l, bool is_whole) {
  return is_whole && l->dirty != 0 ? (uint8_t)(l->valid | l->partial) : l->dirty;
}

/* Sectors to send for, given those that are here or on their way; `l` may be NULL. They come in
 * aligned groups of `together`, a power of two. */
static inline uint8_t weir_line_fetch(const struct weir_mem_line *l, uint8_t missing,
                                      unsigned together) {
  unsigned here = l != NULL ? l->pending | l->valid : 0, fetch = missing & ~here, all = 0;
  if (together == 1) return (uint8_t)fetch;
  for (const unsigned group = (1u << together) - 1; fetch != 0; fetch &= ~all)
    all |= group << ((unsigned)__builtin_ctz(fetch) & ~(together - 1));
  return (uint8_t)(all & ~here);
}

/* Another line instead of what the way held. */
static inline struct weir_mem_line *weir_lines_take(struct weir_lines *l, uint32_t set,
                                                    uint32_t way, uint64_t key) {
  struct weir_mem_line *w = weir_lines_set(l, set) + way;
  uint64_t *word = &l->tags[(size_t)set * l->tag_words + way / 8];
  unsigned shift = way % 8 * 8;
  *w = (struct weir_mem_line){.line = key, .link = w->link};
  *word = (*word & ~(UINT64_C(0xff) << shift)) | weir_lines_tag(key) << shift;
  return w;
}

#endif
