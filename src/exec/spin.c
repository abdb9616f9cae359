#include "exec/spin.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "exec/stray.h"

enum { MAX_FROZEN = 1 << 16, MAX_SEEN = 1 << 20 };

static bool is_window(uint64_t addr) {
  return addr >= PTX_PARAM_BASE && addr < PTX_GLOBAL_BASE;
}

static bool is_global(const struct ptx_uop *u, uint64_t addr) {
  return u->space == PTX_SPACE_global || (u->space == PTX_SPACE_none && !is_window(addr));
}

/* ---- frozen words ---- */

static struct ptx_word *slot_of(const struct ptx_words *t, uint64_t addr) {
  size_t i = (size_t)weir_splitmix64(addr) & (t->cap - 1);
  while (t->v[i].bytes != 0 && t->v[i].addr != addr)
    i = (i + 1) & (t->cap - 1);
  return &t->v[i];
}

static bool grow(struct ptx_words *t) {
  struct ptx_words more = {.cap = t->cap != 0 ? 2 * t->cap : 64, .n = t->n};
  more.v = weir_calloc(more.cap, sizeof *more.v);
  if (more.v == NULL) return false;
  for (size_t i = 0; i < t->cap; i++)
    if (t->v[i].bytes != 0) *slot_of(&more, t->v[i].addr) = t->v[i];
  free(t->v);
  *t = more;
  return true;
}

/* Makes of such a word what it was when it was first looked at. False: there is no room for it. */
static bool freeze(struct ptx_spin *s, struct ptx_word *word) {
  struct ptx_words *t = &s->frozen;
  struct ptx_word *at = t->cap != 0 ? slot_of(t, word->addr) : NULL;
  if (at == NULL || (at->bytes == 0 && 2 * t->n >= t->cap)) {
    if (t->n >= MAX_FROZEN) return false;
    if (!grow(t)) {
      s->is_out_of_memory = true;
      return false;
    }
    at = slot_of(t, word->addr);
  }
  if (at->bytes != word->bytes) {
    if (at->bytes == 0) t->n++;
    *at = *word;
    if (t->n == 1 || word->addr < s->frozen_lo) s->frozen_lo = word->addr;
    if (t->n == 1 || word->addr > s->frozen_hi) s->frozen_hi = word->addr;
  }
  word->value = at->value;
  word->at = NULL;
  return true;
}

/* The kernel stores there. An entry stays in the table, so that others are found. */
static void forget(struct ptx_spin *s, uint64_t addr, uint32_t bytes) {
  if (addr + bytes <= s->frozen_lo || addr > s->frozen_hi + 7) return;
  for (uint64_t a = addr - 7; a != addr + bytes; a++) {
    struct ptx_word *f = slot_of(&s->frozen, a);
    if (f->bytes == 0 || a + (f->bytes & 15) <= addr) continue;
    f->bytes |= 16; /* no load is so wide: the next one takes its place */
    s->is_stored = true;
  }
}

void ptx_spin_thaw(struct ptx_spin *s) {
  if (s->frozen.n > 0) memset(s->frozen.v, 0, s->frozen.cap * sizeof *s->frozen.v);
  s->frozen.n = 0;
}

/* ---- what is loaded ---- */

static uint64_t get(const struct ptx_warp *w, uint32_t at, unsigned bytes, unsigned lane) {
  uint64_t v = 0;
  memcpy(&v, w->reg + at + (size_t)lane * bytes, bytes);
  return v;
}

static uint64_t low_bytes(uint64_t v, uint32_t bytes) {
  return bytes < 8 ? v & ((UINT64_C(1) << 8 * bytes) - 1) : v;
}

/* What a load makes of the bytes it finds. */
static uint64_t as_loaded(const struct ptx_uop *u, uint64_t v) {
  unsigned shift = 64 - 8u * u->size;
  if (u->is_signed) v = (uint64_t)((int64_t)(v << shift) >> shift);
  return low_bytes(v, u->reg_bytes);
}

/* The place in the block's shared memory; NULL: not all of it is there. */
static const uint8_t *shared_place(const struct ptx_warp *w, const struct ptx_uop *u, uint64_t addr,
                                   uint32_t bytes) {
  uint64_t offset = addr - (u->space == PTX_SPACE_none ? PTX_SHARED_BASE : 0);
  uint64_t mapped = ptx_shared_mapped(w->shared_bytes);
  return offset < mapped && mapped - offset >= bytes ? w->shared + offset : NULL;
}

static bool is_shared_with_host(const struct ptx_warp *w, uint64_t addr) {
  const struct ptx_alloc *a = ptx_mem_find(w->mem, addr);
  return a != NULL && (a->is_hosts || a->is_adopted);
}

static void record(struct ptx_spin *s, struct ptx_word word) {
  if (!s->is_recording) return;
  if (s->seen.n >= MAX_SEEN)
    s->is_cut = true;
  else if (!WEIR_PUSH(s->seen, word))
    s->is_out_of_memory = true;
}

/* One element of one lane. Returns what the lane sees. */
static uint64_t look(struct ptx_warp *w, const struct ptx_uop *u, uint64_t addr, uint64_t value) {
  struct ptx_spin *s = w->spin;
  struct ptx_word word = {.addr = addr,
                          .value = low_bytes(value, u->size),
                          .bytes = u->size,
                          .is_global = is_global(u, addr)};
  word.at = word.is_global ? ptx_mem_host(w->mem, addr) : shared_place(w, u, addr, u->size);
  if (word.at == NULL) return value; /* parameters, or the thread's own */
  bool observes = (u->watch & PTX_WATCH_OBSERVES) != 0;
  if (word.is_global && observes && s->observing != NULL && is_shared_with_host(w, addr) &&
      freeze(s, &word))
    value = as_loaded(u, word.value);
  record(s, word);
  return value;
}

static uint64_t mix(uint64_t h, uint64_t v) {
  return weir_splitmix64(h ^ v);
}

/* The same loads in another order, or more often, are the same. */
static void sign(struct ptx_warp *w, uint64_t h) {
  struct ptx_signature *g = &w->signature;
  if (g->n == 0 || h > g->max) g->max = h;
  if (g->n == 0 || h < g->min) g->min = h;
  g->bits |= UINT64_C(1) << (h & 63);
  g->n++;
}

/* All elements of one lane. Returns what they give to the signature. */
static uint64_t look_lane(struct ptx_warp *w, const struct ptx_uop *u, unsigned lane,
                          uint64_t addr) {
  unsigned n = u->n_vec > 1 ? u->n_vec : 1;
  uint64_t h = addr;
  for (unsigned k = 0; k < n; k++) {
    uint32_t at = n == 1 ? u->d : u->x.list[k];
    if (at == UINT32_MAX) continue;
    uint64_t v = get(w, at, u->reg_bytes, lane), seen = look(w, u, addr + k * u->size, v);
    if (seen != v) memcpy(w->reg + at + (size_t)lane * u->reg_bytes, &seen, u->reg_bytes);
    h = mix(h, seen);
  }
  return h;
}

/* Lanes that load one word see the same. */
static uint32_t same_lanes(const struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                           const uint64_t *addr, unsigned lane) {
  uint32_t same = UINT32_C(1) << lane;
  if (u->n_vec > 1 || u->d == UINT32_MAX) return same;
  uint64_t v = get(w, u->d, u->reg_bytes, lane);
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (addr[i] == addr[lane] && get(w, u->d, u->reg_bytes, i) == v) same |= UINT32_C(1) << i;
  }
  return same;
}

static uint32_t bytes_of(const struct ptx_uop *u) {
  return u->size * (u->n_vec > 1 ? u->n_vec : 1u);
}

/* NULL: it is the thread's own, or a parameter, or there is nothing. */
static const uint8_t *place_of(const struct ptx_warp *w, const struct ptx_uop *u, uint64_t addr,
                               uint32_t bytes) {
  if (!is_global(u, addr)) return shared_place(w, u, addr, bytes);
  const struct ptx_alloc *a = ptx_mem_find(w->mem, addr);
  bool is_there =
      (a != NULL && a->bytes - (addr - a->base) >= bytes) || ptx_mem_is_mapped(w->mem, addr, bytes);
  return is_there ? ptx_mem_host(w->mem, addr) : NULL;
}

/* What is loaded is in no register as it was (mbarriers), or does not fit into one: by words. */
static uint64_t look_in_memory(struct ptx_warp *w, const struct ptx_uop *u, uint64_t addr) {
  uint32_t bytes = bytes_of(u);
  const uint8_t *p = place_of(w, u, addr, bytes);
  uint64_t h = addr;
  for (uint32_t k = 0; p != NULL && k < bytes; k += 8) {
    struct ptx_word word = {
        .addr = addr + k, .at = p + k, .bytes = 8, .is_global = is_global(u, addr)};
    memcpy(&word.value, p + k, sizeof word.value);
    record(w->spin, word);
    h = mix(h, word.value);
  }
  return h;
}

static void note_load(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                      const uint64_t *addr) {
  bool has_values = u->size <= 8 && (u->watch & PTX_WATCH_VALUES) != 0;
  uint64_t h = mix((uint64_t)(u - w->code), mask);
  for (uint32_t left = mask; left != 0;) {
    unsigned i = (unsigned)__builtin_ctz(left);
    uint32_t same = has_values ? same_lanes(w, u, left, addr, i) : UINT32_C(1) << i;
    h = mix(h, has_values ? look_lane(w, u, i, addr[i]) : look_in_memory(w, u, addr[i]));
    left &= ~same;
    for (uint32_t m = same & (same - 1); m != 0; m &= m - 1)
      memcpy(w->reg + u->d + (size_t)__builtin_ctz(m) * u->reg_bytes,
             w->reg + u->d + (size_t)i * u->reg_bytes, u->reg_bytes);
  }
  if (w->spin->is_checking) sign(w, h);
}

/* ---- what is stored ---- */

/* False: not all lanes' places are known. */
static bool hash_places(const struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask,
                        const uint64_t *addr, uint64_t *hash) {
  *hash = 0;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    const uint8_t *p = place_of(w, u, addr[__builtin_ctz(m)], bytes_of(u));
    if (p == NULL) return false;
    for (uint32_t k = 0; k < bytes_of(u); k++)
      *hash = (*hash ^ p[k]) * UINT64_C(0x100000001b3);
    *hash = mix(*hash, mask);
  }
  return true;
}

static bool is_plain_store(const struct ptx_uop *u) {
  return (u->watch & PTX_WATCH_STORES) != 0 && (u->watch & PTX_WATCH_LOADS) == 0;
}

struct ptx_spin_before ptx_spin_before(const struct ptx_warp *w, const struct ptx_uop *u,
                                       uint32_t mask, const uint64_t *addr) {
  struct ptx_spin_before b = {.is_stored = w->is_stored};
  if (w->spin->is_checking && is_plain_store(u))
    b.is_known = hash_places(w, u, mask, addr, &b.bytes);
  return b;
}

void ptx_spin_note(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask, const uint64_t *addr,
                   const struct ptx_spin_before *before) {
  uint64_t now;
  if (before->is_known && hash_places(w, u, mask, addr, &now) && now == before->bytes)
    w->is_stored = before->is_stored;
  if ((u->watch & PTX_WATCH_STORES) != 0)
    for (uint32_t m = w->spin->frozen.n > 0 ? mask : 0; m != 0; m &= m - 1) {
      unsigned i = (unsigned)__builtin_ctz(m);
      if (is_global(u, addr[i])) forget(w->spin, addr[i], bytes_of(u));
    }
  if ((u->watch & PTX_WATCH_LOADS) != 0) note_load(w, u, mask, addr);
}

/* ---- recorded words ---- */

static int by_address(const void *a, const void *b) {
  const struct ptx_word *x = a, *y = b;
  if (x->addr != y->addr) return x->addr < y->addr ? -1 : 1;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
  return x->value < y->value ? -1 : x->value > y->value;
}

static void once_each(struct ptx_words *words) {
  size_t n = 0;
  if (words->n == 0) return;
  qsort(words->v, words->n, sizeof *words->v, by_address);
  for (size_t i = 0; i < words->n; i++)
    if (n == 0 || by_address(&words->v[i], &words->v[n - 1]) != 0) words->v[n++] = words->v[i];
  words->n = n;
}

void ptx_spin_take(struct ptx_spin *s, struct ptx_words *out) {
  size_t n = 0;
  for (size_t i = 0; i < s->seen.n; i++)
    if (s->seen.v[i].is_global) s->seen.v[n++] = s->seen.v[i];
  s->seen.n = n;
  for (size_t i = 0; n == 0 && i < s->frozen.cap; i++)
    if (s->frozen.v[i].bytes != 0 && s->frozen.v[i].bytes <= 8 &&
        !WEIR_PUSH(s->seen, s->frozen.v[i]))
      s->is_out_of_memory = true;
  struct ptx_words taken = s->seen;
  s->seen = *out;
  s->seen.n = 0;
  *out = taken;
  once_each(out);
}

bool ptx_spin_sleep(struct ptx_spin *s, struct ptx_warp *w) {
  enum { MOST = 64 };
  once_each(&s->seen);
  w->sleeps_on.n = 0;
  w->is_asleep = s->seen.n <= MOST && !s->is_cut && !s->is_out_of_memory;
  for (size_t i = 0; w->is_asleep && i < s->seen.n; i++)
    w->is_asleep = WEIR_PUSH(w->sleeps_on, s->seen.v[i]);
  s->seen.n = 0;
  return w->is_asleep;
}

bool ptx_spin_wakes(const struct ptx_warp *w) {
  for (size_t i = 0; i < w->sleeps_on.n; i++) {
    const struct ptx_word *x = &w->sleeps_on.v[i];
    uint64_t now = 0;
    if (x->at == NULL) continue;
    memcpy(&now, x->at, x->bytes);
    if (now != x->value) return true;
  }
  return false;
}

bool ptx_words_changed(const struct ptx_words *words, const struct ptx_mem *mem) {
  for (size_t i = 0; i < words->n; i++) {
    const struct ptx_word *x = &words->v[i];
    uint64_t now = 0;
    if (ptx_mem_find(mem, x->addr) == NULL && !ptx_mem_is_mapped(mem, x->addr, x->bytes))
      return true; /* it goes on, and faults */
    memcpy(&now, ptx_mem_host(mem, x->addr), x->bytes);
    if (now != x->value) return true;
  }
  return false;
}

/* ---- states ---- */

uint64_t ptx_warp_state(const struct ptx_warp *w) {
  uint64_t h = (uint64_t)(uint32_t)w->current, v;
  for (uint32_t at = 0; at + sizeof v <= w->prog->fixed_lo; at += sizeof v) {
    memcpy(&v, w->reg + at, sizeof v);
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  for (uint32_t i = 0; i < w->n_splits; i++) {
    const struct ptx_split *s = &w->splits[i];
    h = mix(h, s->state);
    if (s->state == PTX_S_FREE) continue;
    h = mix(h, (uint64_t)s->pc << 32 | s->mask);
    h = mix(h, (uint64_t)s->expected << 32 | s->n_back);
    h = mix(h, (uint64_t)s->rpc << 32 | (uint32_t)s->parent);
    h = mix(h, (uint64_t)s->local_base << 32 | s->depth);
  }
  return h;
}

/* ---- set-up ---- */

static bool is_memory(const struct ptx_uop *u) {
  return u->kind == PTX_K_MEM && u->watch != 0 &&
         (u->space == PTX_SPACE_global || u->space == PTX_SPACE_none ||
          u->space == PTX_SPACE_shared);
}

static struct ptx_uop *exchange(const struct ptx_program *prog, const struct ptx_uop *plain,
                                ptx_fn watch, uint8_t which) {
  struct ptx_uop *code = weir_malloc(prog->n_code * sizeof *code);
  if (code == NULL) return NULL;
  memcpy(code, plain, prog->n_code * sizeof *code);
  for (uint32_t i = 0; i < prog->n_code; i++)
    if (is_memory(&code[i]) && (code[i].watch & which) != 0) code[i].fn = watch;
  return code;
}

bool ptx_spin_init(struct ptx_spin *s, const struct ptx_program *prog, const struct ptx_uop *plain,
                   ptx_fn watch, bool freezes) {
  *s = (struct ptx_spin){.plain = plain};
  s->watching = exchange(prog, plain, watch, PTX_WATCH_LOADS | PTX_WATCH_STORES);
  if (freezes) s->observing = exchange(prog, plain, watch, PTX_WATCH_OBSERVES | PTX_WATCH_STORES);
  return s->watching != NULL && (s->observing != NULL || !freezes);
}

void ptx_spin_free(struct ptx_spin *s) {
  free(s->observing);
  free(s->watching);
  free(s->frozen.v);
  free(s->seen.v);
  *s = (struct ptx_spin){0};
}
