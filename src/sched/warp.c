/* A warp's stream in another order: a window of records, cut into regions. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "sched/reorder.h"

enum {
  LIST_BYTES = 8192, /* room for the lists of a window */
  MAX_LIST = 31 * 8,
  FOUND_BITS = 7 /* orders that an SM remembers */
};

struct record {
  uint32_t insn, mask;
  uint64_t base;
  int64_t stride;
  uint16_t list; /* where it begins */
  uint8_t kind, space, list_head;
  bool has_addr;
};

struct warp {
  struct weir_filter filter; /* first */
  struct weir_reorderer *r;
  uint32_t n, region;   /* records; of these, those of the region */
  uint32_t at, n_order; /* of the region */
  uint32_t n_lists;     /* bytes */
  bool is_over;         /* the stream has no more */
  struct record *records;
  uint16_t *order;
  uint8_t *lists;
};

/* An order that was found. A block is known by its first instruction and its length, so is that of
 * an iteration without branches; the rest is compared. */
struct found {
  uint64_t hash;
  uint32_t n, n_order; /* n 0: none */
  uint32_t *path;
  uint16_t *order;
};

struct weir_reorderer {
  const struct weir_reordered *k;
  struct weir_orderer *orderer;
  struct weir_reorder_counts counts;
  struct warp **warps;
  uint32_t n_warps, window;
  uint32_t *path;
  struct found found[1 << FOUND_BITS];
};

struct weir_reorderer *weir_reorderer_new(uint32_t n_warps, struct weir_reorder_counts counts) {
  struct weir_reorderer *r = weir_calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->counts = counts;
  r->n_warps = n_warps;
  r->warps = weir_calloc(n_warps, sizeof *r->warps);
  if (r->warps != NULL) return r;
  free(r);
  return NULL;
}

static void free_warp(struct warp *w) {
  if (w == NULL) return;
  free(w->records);
  free(w->order);
  free(w->lists);
  free(w);
}

static void forget(struct weir_reorderer *r) {
  for (uint32_t i = 0; i < 1u << FOUND_BITS; i++) {
    free(r->found[i].path);
    free(r->found[i].order);
    r->found[i] = (struct found){0};
  }
  weir_orderer_free(r->orderer);
  r->orderer = NULL;
}

static void free_windows(struct weir_reorderer *r) {
  for (uint32_t i = 0; i < r->n_warps; i++) {
    free_warp(r->warps[i]);
    r->warps[i] = NULL;
  }
  free(r->path);
  r->path = NULL;
}

void weir_reorderer_free(struct weir_reorderer *r) {
  if (r == NULL) return;
  forget(r);
  free_windows(r);
  free(r->warps);
  free(r);
}

bool weir_reorderer_kernel(struct weir_reorderer *r, const struct weir_reordered *k) {
  forget(r);
  r->k = k;
  if (k == NULL) return true;
  if (r->window != k->window || r->path == NULL) {
    free_windows(r);
    r->window = k->window;
    r->path = weir_calloc(k->window, sizeof *r->path);
  }
  r->orderer = weir_orderer_new(k);
  return r->orderer != NULL && r->path != NULL;
}

/* ---- records ---- */

static uint32_t list_bytes(uint32_t mask, uint8_t head) {
  uint32_t lanes = (uint32_t)__builtin_popcount(mask);
  return lanes > 1 ? (lanes - 1) * ((head & 7u) + 1) : 0;
}

/* One more, if there is one and room for it. */
static bool fetch(struct warp *w) {
  struct weir_dyn d;
  if (w->is_over || w->n == w->r->window || w->n_lists + MAX_LIST > LIST_BYTES) return false;
  if (!weir_next(&w->filter.in, &d)) {
    w->is_over = true;
    return false;
  }
  struct record *x = &w->records[w->n++];
  *x = (struct record){.insn = d.insn, .mask = d.mask, .has_addr = d.has_addr};
  if (!d.has_addr) return true;
  x->base = d.addrs.base;
  x->kind = (uint8_t)d.addrs.kind;
  x->space = d.addrs.space;
  x->stride = d.addrs.stride;
  if (d.addrs.kind != WEIR_ADDR_LIST) return true;
  uint32_t bytes = list_bytes(d.mask, d.list_head);
  x->list_head = d.list_head;
  x->list = (uint16_t)w->n_lists;
  memcpy(w->lists + w->n_lists, d.list, bytes);
  w->n_lists += bytes;
  return true;
}

static void give(const struct warp *w, const struct record *x, struct weir_dyn *d) {
  d->insn = x->insn;
  d->mask = x->mask;
  d->has_addr = x->has_addr;
  if (!x->has_addr) return;
  d->addrs = (struct weir_addrs){.kind = (enum weir_addr_kind)x->kind,
                                 .space = x->space,
                                 .base = x->base,
                                 .stride = x->stride};
  d->list_head = x->list_head;
  d->list = w->lists + x->list;
}

/* The region was read: what lies behind it moves to the front. */
static void drop_region(struct warp *w) {
  uint32_t to = 0;
  w->n -= w->region;
  memmove(w->records, w->records + w->region, w->n * sizeof *w->records);
  for (uint32_t i = 0; i < w->n; i++) {
    struct record *x = &w->records[i];
    if (!x->has_addr || x->kind != WEIR_ADDR_LIST) continue;
    uint32_t bytes = list_bytes(x->mask, x->list_head);
    memmove(w->lists + to, w->lists + x->list, bytes);
    x->list = (uint16_t)to;
    to += bytes;
  }
  w->n_lists = to;
  w->region = w->at = w->n_order = 0;
}

/* ---- regions ---- */

/* The record with that number, fetched if need be; NULL: it is not to be had. */
static const struct record *record_at(struct warp *w, uint32_t i) {
  while (w->n <= i)
    if (!fetch(w)) return NULL;
  return &w->records[i];
}

static const struct weir_unrolled *loop_at(const struct weir_reordered *k, uint32_t insn) {
  uint32_t low = 0, high = k->n_loops;
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (k->loops[mid].first < insn)
      low = mid + 1;
    else
      high = mid;
  }
  return low < k->n_loops && k->loops[low].first == insn ? &k->loops[low] : NULL;
}

/* Nothing is moved across these. */
static bool stands_alone(const struct weir_reordered *k, const struct weir_static *s) {
  switch ((enum weir_class)s->cls) {
  case WEIR_C_ATOM:
  case WEIR_C_BARRIER:
  case WEIR_C_FENCE:
  case WEIR_C_OTHER:
    return true;
  case WEIR_C_TEX:
    return !k->moves_textures;
  default:
    return s->is_copy || s->reads_clock || s->cache_op == WEIR_CO_ACQUIRE ||
           s->cache_op == WEIR_CO_RELEASE;
  }
}

/* The records of an iteration that begins with number `from`: the number behind it; 0: not all of
 * it is there. Lanes may part in it, if they meet again before its end. */
static uint32_t iteration_end(struct warp *w, const struct weir_unrolled *l, uint32_t from) {
  const struct record *x = record_at(w, from);
  if (x == NULL || x->insn != l->first) return 0;
  const uint32_t mask = w->records[0].mask;
  if (x->mask != mask) return 0;
  for (uint32_t i = from + 1; (x = record_at(w, i)) != NULL; i++) {
    if (x->insn <= l->first || x->insn > l->last || (x->mask & ~mask) != 0) return 0;
    if (x->insn == l->last) return x->mask == mask ? i + 1 : 0;
  }
  return 0;
}

/* Iterations that are ordered together: their records become those of copies. */
static bool find_group(struct warp *w, const struct weir_unrolled *l) {
  uint32_t end[16], n = 0, size = l->unroll;
  while (n < l->unroll) {
    uint32_t to = iteration_end(w, l, n > 0 ? end[n - 1] : 0);
    if (to == 0) break;
    end[n++] = to;
  }
  while (size > n)
    size /= 2;
  if (size < 2) return false;
  for (uint32_t k = 0, i = 0; k < size; k++)
    for (; i < end[k]; i++)
      w->records[i].insn = weir_copy_of(l, w->records[i].insn, size, k);
  w->region = end[size - 1];
  return true;
}

/* A basic block, as far as its lanes are the same. */
static void find_block(struct warp *w) {
  const struct weir_kernel_info *k = w->r->k->ptx;
  uint32_t insn = w->records[0].insn, mask = w->records[0].mask;
  const struct record *x;
  w->region = 1;
  if (stands_alone(w->r->k, &k->insns[insn])) return;
  while (k->insns[insn].cls != WEIR_C_BRANCH && (x = record_at(w, w->region)) != NULL) {
    /* A texture read with further records, which follow it, is left where it is. */
    if (x->insn == insn && w->region > 1) w->region--;
    if (x->insn != ++insn || x->mask != mask || stands_alone(w->r->k, &k->insns[insn]) ||
        k->outline->insns[insn].flags & WEIR_OUTLINE_LEADER)
      return;
    w->region++;
  }
  /* The window is full, and nobody knows what follows. */
  if (w->region > 1 && !w->is_over && k->insns[insn].cls == WEIR_C_TEX) w->region--;
}

/* ---- orders ---- */

static bool remember(const struct weir_reorderer *r, struct found *f, uint64_t hash, uint32_t n) {
  uint32_t *path = weir_realloc(f->path, r->window * sizeof *f->path);
  if (path != NULL) f->path = path;
  uint16_t *order = weir_realloc(f->order, r->window * sizeof *f->order);
  if (order != NULL) f->order = order;
  f->n = 0;
  if (path == NULL || order == NULL) return false;
  f->hash = hash;
  f->n = n;
  memcpy(f->path, r->path, n * sizeof *f->path);
  return true;
}

static void find_order(struct warp *w) {
  struct weir_reorderer *r = w->r;
  uint32_t n = w->region;
  for (uint32_t i = 0; i < n; i++)
    r->path[i] = w->records[i].insn;
  uint64_t hash = XXH3_64bits(r->path, n * sizeof *r->path);
  struct found *f = &r->found[hash >> (64 - FOUND_BITS)];
  if (f->n != n || f->hash != hash || memcmp(f->path, r->path, n * sizeof *r->path) != 0) {
    if (!remember(r, f, hash, n)) { /* it is found again each time */
      w->n_order = weir_order_find(r->orderer, r->path, n, w->order);
      return;
    }
    f->n_order = weir_order_find(r->orderer, r->path, n, f->order);
  }
  w->n_order = f->n_order;
  memcpy(w->order, f->order, f->n_order * sizeof *w->order);
}

static void count_left_out(const struct warp *w) {
  const struct weir_reorderer *r = w->r;
  for (uint32_t i = 0; i < w->region; i++) {
    if (!r->k->is_left_out[w->records[i].insn]) continue;
    ++*r->counts.warp_insns;
    ++*r->counts.left_out;
    *r->counts.thread_insns += (unsigned)__builtin_popcount(w->records[i].mask);
  }
}

static bool moves(const struct weir_reordered *k, uint32_t insn) {
  const uint8_t cls = k->info.insns[insn].cls;
  return cls == WEIR_C_LOAD || (cls == WEIR_C_TEX && k->moves_textures) ||
         (cls == WEIR_C_BRANCH && k->moves_tests);
}

static bool has_any(const struct warp *w) {
  for (uint32_t i = 1; i < w->region; i++)
    if (moves(w->r->k, w->records[i].insn)) return true;
  return false;
}

static bool next_region(struct warp *w) {
  drop_region(w);
  const struct record *x = record_at(w, 0);
  if (x == NULL) return false;
  const struct weir_unrolled *l = loop_at(w->r->k, x->insn);
  bool is_group = l != NULL && find_group(w, l);
  if (!is_group) find_block(w);
  if (is_group || has_any(w)) {
    find_order(w);
    if (is_group) count_left_out(w);
    return true;
  }
  w->n_order = w->region;
  for (uint32_t i = 0; i < w->region; i++)
    w->order[i] = (uint16_t)i;
  return true;
}

static bool next_record(struct weir_filter *f, struct weir_dyn *d) {
  struct warp *w = (struct warp *)f;
  if (w->at == w->n_order && !next_region(w)) return false;
  give(w, &w->records[w->order[w->at++]], d);
  return true;
}

/* ---- opening ---- */

static struct warp *new_warp(struct weir_reorderer *r) {
  struct warp *w = weir_calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->r = r;
  w->filter.next = next_record;
  w->records = weir_calloc(r->window, sizeof *w->records);
  w->order = weir_calloc(r->window, sizeof *w->order);
  w->lists = weir_calloc(1, LIST_BYTES + 8); /* numbers are read eight bytes at a time */
  if (w->records != NULL && w->order != NULL && w->lists != NULL) return w;
  free_warp(w);
  return NULL;
}

bool weir_reorderer_open(struct weir_reorderer *r, uint32_t warp, struct weir_warp_reader *reader,
                         struct weir_warp_stream *s, bool consume) {
  if (r->warps[warp] == NULL) r->warps[warp] = new_warp(r);
  struct warp *w = r->warps[warp];
  if (w == NULL) return false;
  w->n = w->region = w->at = w->n_order = w->n_lists = 0;
  w->is_over = false;
  weir_reader_open(&w->filter.in, s, r->k->ptx, consume);
  weir_reader_open_filter(reader, &w->filter);
  return true;
}
