#include "sim/collect.h"

#include "base/mem.h"
#include "sim/sm_core.h"

enum { LONG = 256 /* results that take longer do not keep a bank from being read */ };

/* An instruction that waits for a collector. */
struct issued {
  uint64_t order; /* of issue; of one cycle the schedulers take turns at being the first */
  uint32_t slot, insn;
};

struct collector {
  uint32_t slot, insn;
  uint8_t unit, left; /* left: registers that have not been read */
};

/* Reads that wait for a bank, in order: collectors of its scheduler. */
struct bank {
  uint8_t *reader;
  uint32_t head, n;
};

struct part { /* of a scheduler */
  struct {
    uint64_t latch_free, free; /* cycles in which its latch and the unit itself are free */
  } unit[WEIR_N_CLASSES];
  uint64_t guest;         /* cycle in whose second step the last guest leaves collector 0 */
  uint64_t taken, filled; /* collectors: a bit of each; filled: all registers have been read */
  uint64_t asked;         /* banks that reads wait for */
  uint32_t waiting;       /* a bit of each place in unit_order */
  struct issued *issued;  /* by place in unit_order */
  struct collector *collectors;
  struct bank *banks;
};

/* Banks that results are written to in a cycle, those of the first scheduler in the lowest bits. */
struct writes {
  uint64_t at, banks;
};

struct weir_collect {
  uint32_t n_parts, n_units, n_banks, n_reads; /* units, banks: of a part */
  uint32_t bank_mask;                          /* their number less 1, if a power of two; or 0 */
  uint32_t n_wheel;                            /* a power of two */
  uint32_t n;                                  /* instructions here, without those that pass */
  uint64_t all;                                /* collectors of a part, a bit each */
  struct writes *wheel;
  struct part part[];
};

/* Latches are emptied in this order, which is GPGPU-Sim's: floats, approximations, matrices,
 * doubles, integers, branches. */
static const uint8_t unit_order[] = {
    WEIR_C_FP32,  WEIR_C_SFU,     WEIR_C_FDIV,  WEIR_C_DDIV,  WEIR_C_IDIV,   WEIR_C_LOAD,
    WEIR_C_STORE, WEIR_C_ATOM,    WEIR_C_TEX,   WEIR_C_FENCE, WEIR_C_TENSOR, WEIR_C_FP64,
    WEIR_C_INT,   WEIR_C_INT64,   WEIR_C_IMUL,  WEIR_C_MOVE,  WEIR_C_PRED,   WEIR_C_CVT,
    WEIR_C_WARP,  WEIR_C_BARRIER, WEIR_C_OTHER, WEIR_C_BRANCH};

static unsigned place_of(uint8_t unit) {
  unsigned i = 0;
  while (unit_order[i] != unit)
    i++;
  return i;
}

/* From the unit to the result. */
static uint64_t behind(const struct weir_machine *m, unsigned cls) {
  return (uint64_t)(m->sm.latency[cls] + m->sm.dependent_extra - WEIR_COLLECT_CYCLES);
}

static uint64_t interval(const struct weir_machine *m, unsigned cls) {
  return weir_max64((uint64_t)m->sm.interval[cls], 1);
}

/* ---- set-up ---- */

/* So many cycles before a result is written, at most, it is known when: two from issue to latch, an
 * interval to the unit, and the work there. */
static uint32_t wheel_size(const struct weir_machine *m) {
  uint64_t most = 0;
  uint32_t n = 1;
  for (unsigned i = 0; i < WEIR_N_CLASSES; i++) /* the interval is that of the one before */
    for (unsigned k = 0; k < WEIR_N_CLASSES && behind(m, i) < LONG; k++)
      if (m->unit[k] == m->unit[i]) most = weir_max64(most, 2 + interval(m, k) + behind(m, i));
  while (n < most)
    n *= 2;
  return n;
}

/* All of it lies in one piece, most of which is used together. */
static size_t whole(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

static size_t part_bytes(const struct weir_machine *m) {
  const size_t n_units = (size_t)(m->sm.collector_units / m->sm.schedulers),
               n_banks = (size_t)(m->sm.register_banks / m->sm.schedulers);
  return whole(WEIR_N_CLASSES * sizeof(struct issued)) + whole(n_units * sizeof(struct collector)) +
         whole(n_banks * sizeof(struct bank)) + n_banks * whole(n_units * WEIR_MAX_SRC);
}

size_t weir_collect_bytes(const struct weir_machine *m) {
  const struct weir_collect *x = NULL;
  const size_t n_parts = (size_t)m->sm.schedulers;
  if (m->sm.collector_units == 0) return 0;
  return whole(sizeof *x + n_parts * sizeof *x->part) + wheel_size(m) * sizeof *x->wheel +
         n_parts * part_bytes(m);
}

static void *cut(char **rest, size_t bytes) {
  char *p = *rest;
  *rest += whole(bytes);
  return p;
}

struct weir_collect *weir_collect_new(const struct weir_machine *m) {
  struct weir_collect *x = weir_calloc(1, weir_collect_bytes(m));
  if (x == NULL) return NULL;
  char *rest = (char *)x;
  x->n_parts = (uint32_t)m->sm.schedulers;
  x->n_units = (uint32_t)(m->sm.collector_units / m->sm.schedulers);
  x->n_banks = (uint32_t)(m->sm.register_banks / m->sm.schedulers);
  x->n_reads = (uint32_t)m->sm.register_ports;
  x->bank_mask = (x->n_banks & (x->n_banks - 1)) == 0 ? x->n_banks - 1 : 0;
  x->all = UINT64_MAX >> (64 - x->n_units);
  x->n_wheel = wheel_size(m);
  cut(&rest, sizeof *x + x->n_parts * sizeof *x->part);
  x->wheel = cut(&rest, x->n_wheel * sizeof *x->wheel);
  for (uint32_t i = 0; i < x->n_parts; i++) {
    struct part *p = &x->part[i];
    p->issued = cut(&rest, WEIR_N_CLASSES * sizeof *p->issued);
    p->collectors = cut(&rest, x->n_units * sizeof *p->collectors);
    p->banks = cut(&rest, x->n_banks * sizeof *p->banks);
    for (uint32_t b = 0; b < x->n_banks; b++)
      p->banks[b].reader = cut(&rest, (size_t)x->n_units * WEIR_MAX_SRC);
  }
  return x;
}

void weir_collect_free(struct weir_collect *x) {
  free(x);
}

void weir_collect_reset(struct weir_sm *sm) {
  struct weir_collect *x = sm->collect;
  sm->collect_at = WEIR_NEVER;
  x->n = 0;
  memset(x->wheel, 0, x->n_wheel * sizeof *x->wheel);
  for (uint32_t i = 0; i < x->n_parts; i++) {
    struct part *p = &x->part[i];
    *p = (struct part){.issued = p->issued, .collectors = p->collectors, .banks = p->banks};
    for (uint32_t b = 0; b < x->n_banks; b++)
      p->banks[b].head = p->banks[b].n = 0;
  }
}

/* ---- banks ---- */

static uint64_t bank_bit(const struct weir_collect *x, uint32_t slot, uint16_t reg) {
  const uint32_t i = reg + slot;
  return UINT64_C(1) << (x->bank_mask != 0 ? i & x->bank_mask : i % x->n_banks);
}

static uint64_t written(const struct weir_collect *x, uint32_t part, uint64_t now) {
  const struct writes *v = &x->wheel[now & (x->n_wheel - 1)];
  return v->at == now ? v->banks >> part * x->n_banks : 0;
}

static void write_banks(struct weir_collect *x, uint32_t part, uint64_t banks, uint64_t at) {
  struct writes *v = &x->wheel[at & (x->n_wheel - 1)];
  if (v->at != at) *v = (struct writes){.at = at};
  v->banks |= banks << part * x->n_banks;
}

static bool is_repeated(const struct weir_static *s, unsigned i) {
  for (unsigned k = 0; k < i; k++)
    if (s->src[k] == s->src[i]) return true;
  return false;
}

/* Banks that an instruction reads; those that it reads twice, at least; the most reads of one, as
 * far as 3. */
struct reads {
  uint64_t once, twice;
  unsigned most;
};

static struct reads reads_of(const struct weir_collect *x, const struct weir_static *s,
                             uint32_t slot) {
  struct reads r = {0};
  uint64_t thrice = 0;
  for (unsigned i = 0; i < s->n_src; i++) {
    if (s->src[i] == WEIR_NO_REG || is_repeated(s, i)) continue;
    const uint64_t bit = bank_bit(x, slot, s->src[i]);
    thrice |= r.twice & bit;
    r.twice |= r.once & bit;
    r.once |= bit;
  }
  r.most = (unsigned)(r.once != 0) + (r.twice != 0) + (thrice != 0);
  return r;
}

/* ---- to the unit ---- */

/* An instruction leaves its collector in cycle `now`; nothing comes between it and its unit, so
 * that it is known when it has that, and its results. */
static inline void leave(struct weir_sm *sm, uint32_t part, uint32_t slot,
                         const struct weir_static *s, uint64_t now) {
  struct weir_collect *x = sm->collect;
  struct weir_sm_warp *w = &sm->warps[slot];
  const uint8_t unit = sm->m->unit[s->cls];
  struct part *p = &x->part[part];
  const uint64_t start = weir_max64(now + 1, p->unit[unit].free),
                 at = start + behind(sm->m, s->cls);
  uint64_t banks = 0;
  p->unit[unit].latch_free = start;
  p->unit[unit].free = start + interval(sm->m, s->cls);
  for (unsigned i = 0; i < s->n_dst; i++) {
    if (s->dst[i] == WEIR_NO_REG) continue;
    w->reg[s->dst[i]] = at;
    banks |= bank_bit(x, slot, s->dst[i]);
  }
  if (banks != 0 && at - start < LONG) write_banks(x, part, banks, at);
  w->collected_at = weir_max64(w->collected_at, start);
}

/* What has all its registers leaves, if the latch of its unit is free. */
static void leave_collectors(struct weir_sm *sm, uint32_t part, uint64_t now) {
  struct part *p = &sm->collect->part[part];
  for (uint64_t left = p->filled; left != 0; left &= left - 1) {
    const struct collector *k = &p->collectors[__builtin_ctzll(left)];
    struct weir_sm_warp *w = &sm->warps[k->slot];
    struct weir_sm_block *b = &sm->blocks[w->block];
    if (p->unit[k->unit].latch_free > now) continue;
    p->taken &= ~(left & -left);
    p->filled &= ~(left & -left);
    sm->collect->n--;
    leave(sm, part, k->slot, &sm->kernel->insns[k->insn], now);
    w->collecting--;
    b->pending--;
    b->busy_until = weir_max64(b->busy_until, w->collected_at); /* should the warp have ended */
    if (w->state == WEIR_W_RUN && sm->ready_at[k->slot] == WEIR_NEVER)
      weir_sm_find_ready(sm, k->slot, 0);
  }
}

/* ---- issue ---- */

/* Does an instruction here go to that unit? */
static bool has_unit(const struct part *p, uint8_t unit) {
  for (uint64_t left = p->taken; left != 0; left &= left - 1)
    if (p->collectors[__builtin_ctzll(left)].unit == unit) return true;
  return false;
}

/* Will each scheduler have a collector for an instruction that issues now? If so, none waits for
 * one now: it would be for one that is not there. */
static bool is_roomy(const struct weir_collect *x, uint64_t now) {
  if (x->n == 0 && x->n_units > 1) return true;
  for (uint32_t i = 0; i < x->n_parts; i++)
    if ((x->part[i].taken | (x->part[i].guest == now + 1)) == x->all) return false;
  return true;
}

/* The cycle in which an instruction that issues now leaves its collector, if no other can make a
 * difference to that or notice that it was here; else 0. It has a collector in the first step of
 * the next cycle, reads each bank once in each step after that, and leaves in the step behind the
 * last read. What issues later has its collector a cycle later. A guest is still here then, by a
 * step: in collector 0, from which it leaves before others do. */
static uint64_t pass_at(struct weir_collect *x, uint32_t part, uint8_t unit, struct reads r,
                        uint64_t now) {
  struct part *p = &x->part[part];
  if (x->n_reads < 2 || r.most > 2 || p->unit[unit].latch_free > now + 2 || !is_roomy(x, now))
    return 0;
  if (x->n > 0 && ((p->asked & r.once) != 0 || has_unit(p, unit))) return 0;
  const uint64_t at = now + 1 + (r.most + 1 >= x->n_reads); /* steps are numbered from 0 */
  if (r.most + 1 > x->n_reads) {                            /* a guest */
    if (p->taken != 0 || p->guest == now + 1 || (written(x, part, now + 2) & r.twice) != 0)
      return 0;
    p->guest = now + 2;
  }
  return weir_max64(at, p->unit[unit].latch_free);
}

bool weir_collect_put(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_collect *x = sm->collect;
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  const uint8_t unit = sm->m->unit[s->cls];
  const uint32_t part = sm->sched_of[slot], n = x->n_parts;
  const uint64_t at = sm->is_literal ? 0 : pass_at(x, part, unit, reads_of(x, s, slot), now);
  if (at != 0) {
    leave(sm, part, slot, s, at);
    return true;
  }
  const unsigned place = place_of(unit);
  x->part[part].issued[place] = (struct issued){
      .order = now * n + (part + n - now % n) % n, .slot = slot, .insn = w->next.insn};
  x->part[part].waiting |= 1u << place;
  x->n++;
  sm->collect_at = now + 1;
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = WEIR_NEVER;
  w->collecting++;
  sm->blocks[w->block].pending++; /* the slot stays the warp's */
  return false;
}

/* ---- collectors ---- */

/* A register of each bank that is not written. */
static void read_banks(const struct weir_collect *x, struct part *p, uint64_t not_these) {
  for (uint64_t left = p->asked & ~not_these; left != 0; left &= left - 1) {
    struct bank *q = &p->banks[__builtin_ctzll(left)];
    const uint8_t k = q->reader[q->head];
    if (--p->collectors[k].left == 0) p->filled |= UINT64_C(1) << k;
    q->head = (q->head + 1) % (x->n_units * WEIR_MAX_SRC);
    if (--q->n == 0) p->asked &= ~(left & -left);
  }
}

static void ask_banks(const struct weir_sm *sm, struct part *p, uint32_t k) {
  const struct weir_collect *x = sm->collect;
  struct collector *in = &p->collectors[k];
  const struct weir_static *s = &sm->kernel->insns[in->insn];
  for (unsigned i = 0; i < s->n_src; i++) {
    if (s->src[i] == WEIR_NO_REG || is_repeated(s, i)) continue;
    const uint64_t bit = bank_bit(x, in->slot, s->src[i]);
    struct bank *q = &p->banks[__builtin_ctzll(bit)];
    q->reader[(q->head + q->n++) % (x->n_units * WEIR_MAX_SRC)] = (uint8_t)k;
    p->asked |= bit;
    in->left++;
  }
  if (in->left == 0) p->filled |= UINT64_C(1) << k;
}

/* The oldest of a kind of unit gets a collector. False: there is none, or nothing waits. */
static bool enter_one(struct weir_sm *sm, unsigned place, uint64_t now, uint32_t step) {
  struct weir_collect *x = sm->collect;
  struct part *p = NULL;
  for (uint32_t i = 0; i < x->n_parts; i++) {
    struct part *q = &x->part[i];
    if (q->waiting >> place & 1 && (p == NULL || q->issued[place].order < p->issued[place].order))
      p = q;
  }
  if (p == NULL) return false;
  const bool has_guest = p->guest > now || (p->guest == now && step == 0);
  const uint64_t none = x->all & ~(p->taken | has_guest);
  if (none == 0) return false;
  const uint32_t k = (uint32_t)__builtin_ctzll(none);
  p->collectors[k] = (struct collector){
      .slot = p->issued[place].slot, .insn = p->issued[place].insn, .unit = unit_order[place]};
  p->taken |= UINT64_C(1) << k;
  p->waiting &= ~(1u << place);
  sm->sched[p - x->part].unit_free[unit_order[place]] = 0;
  sm->is_dirty = true;
  ask_banks(sm, p, k);
  return true;
}

static uint32_t all_waiting(const struct weir_collect *x) {
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < x->n_parts; i++)
    waiting |= x->part[i].waiting;
  return waiting;
}

static void enter_all(struct weir_sm *sm, uint64_t now, uint32_t step) {
  for (bool any = true; any;) {
    any = false;
    for (uint32_t left = all_waiting(sm->collect); left != 0; left &= left - 1)
      any |= enter_one(sm, (unsigned)__builtin_ctz(left), now, step);
  }
}

/* The next cycle in which something moves, if nothing issues. What waits for a collector does so
 * for one of those that are taken, but for guests: while one of these is here, nothing waits. */
static uint64_t next_move(const struct weir_collect *x, uint64_t now) {
  uint64_t at = WEIR_NEVER;
  for (uint32_t i = 0; i < x->n_parts; i++) {
    const struct part *p = &x->part[i];
    if (p->asked != 0) at = now + 1;
    for (uint64_t left = p->filled; left != 0; left &= left - 1) {
      const uint8_t unit = p->collectors[__builtin_ctzll(left)].unit;
      at = weir_min64(at, weir_max64(p->unit[unit].latch_free, now + 1));
    }
  }
  return at;
}

void weir_collect_run(struct weir_sm *sm, uint64_t now) {
  struct weir_collect *x = sm->collect;
  for (uint32_t step = 0; step < x->n_reads; step++) {
    for (uint32_t i = 0; i < x->n_parts; i++) {
      leave_collectors(sm, i, now);
      if (x->part[i].asked != 0) read_banks(x, &x->part[i], step == 0 ? written(x, i, now) : 0);
    }
    enter_all(sm, now, step);
  }
  sm->collect_at = next_move(x, now);
}
