#include "sim/collect.h"

#include "base/mem.h"
#include "sim/sm_core.h"

enum {
  WHEEL = 256, /* results that take longer do not keep a bank from being read */
  NOBODY = UINT32_MAX
};

/* An instruction between issue and unit. */
struct insn {
  uint32_t slot, insn; /* slot NOBODY: none is here */
  uint64_t order;      /* of issue; of one cycle the schedulers take turns at being the first */
  uint8_t unit, left;  /* left: registers that have not been read */
};

/* Reads that wait for a bank, in order: collectors of its scheduler. */
struct bank {
  uint8_t *reader;
  uint32_t head, n;
};

struct part { /* of a scheduler */
  struct insn issued[WEIR_N_CLASSES], collected[WEIR_N_CLASSES];
  uint64_t unit_free[WEIR_N_CLASSES];
  uint32_t has_issued, has_collected; /* a bit of each unit */
  struct insn *unit;                  /* collectors */
  struct bank *banks;
};

struct weir_collect {
  uint32_t n_parts, n_units, n_banks, n_reads; /* units, banks: of a part */
  uint32_t n;                                  /* instructions here */
  struct part part[WEIR_MAX_SCHEDULERS];
  struct {
    uint64_t at, banks[WEIR_MAX_SCHEDULERS]; /* a bit of each bank that is written */
  } wheel[WHEEL];
};

/* Latches are emptied in this order, which is GPGPU-Sim's: floats, approximations, matrices,
 * doubles, integers, branches. */
static const uint8_t unit_order[] = {
    WEIR_C_FP32,  WEIR_C_SFU,     WEIR_C_FDIV,  WEIR_C_DDIV,  WEIR_C_IDIV,   WEIR_C_LOAD,
    WEIR_C_STORE, WEIR_C_ATOM,    WEIR_C_TEX,   WEIR_C_FENCE, WEIR_C_TENSOR, WEIR_C_FP64,
    WEIR_C_INT,   WEIR_C_INT64,   WEIR_C_IMUL,  WEIR_C_MOVE,  WEIR_C_PRED,   WEIR_C_CVT,
    WEIR_C_WARP,  WEIR_C_BARRIER, WEIR_C_OTHER, WEIR_C_BRANCH};

struct weir_collect *weir_collect_new(const struct weir_machine *m) {
  struct weir_collect *x = weir_calloc(1, sizeof *x);
  if (x == NULL) return NULL;
  x->n_parts = (uint32_t)m->sm.schedulers;
  x->n_units = (uint32_t)(m->sm.collector_units / m->sm.schedulers);
  x->n_banks = (uint32_t)(m->sm.register_banks / m->sm.schedulers);
  x->n_reads = (uint32_t)m->sm.register_ports;
  for (uint32_t p = 0; p < x->n_parts; p++) {
    struct part *s = &x->part[p];
    s->unit = weir_calloc(x->n_units, sizeof *s->unit);
    s->banks = weir_calloc(x->n_banks, sizeof *s->banks);
    bool is_there = s->unit != NULL && s->banks != NULL;
    for (uint32_t b = 0; is_there && b < x->n_banks; b++) {
      s->banks[b].reader = weir_calloc(x->n_units, WEIR_MAX_SRC);
      is_there = s->banks[b].reader != NULL;
    }
    if (!is_there) {
      weir_collect_free(x);
      return NULL;
    }
  }
  weir_collect_reset(x);
  return x;
}

void weir_collect_free(struct weir_collect *x) {
  if (x == NULL) return;
  for (uint32_t p = 0; p < x->n_parts; p++) {
    for (uint32_t b = 0; x->part[p].banks != NULL && b < x->n_banks; b++)
      free(x->part[p].banks[b].reader);
    free(x->part[p].banks);
    free(x->part[p].unit);
  }
  free(x);
}

void weir_collect_reset(struct weir_collect *x) {
  x->n = 0;
  memset(x->wheel, 0, sizeof x->wheel);
  for (uint32_t p = 0; p < x->n_parts; p++) {
    struct part *s = &x->part[p];
    s->has_issued = s->has_collected = 0;
    memset(s->unit_free, 0, sizeof s->unit_free);
    for (uint32_t k = 0; k < x->n_units; k++)
      s->unit[k].slot = NOBODY;
    for (uint32_t b = 0; b < x->n_banks; b++)
      s->banks[b].head = s->banks[b].n = 0;
  }
}

bool weir_collect_is_empty(const struct weir_collect *x) {
  return x->n == 0;
}

void weir_collect_put(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_collect *x = sm->collect;
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  const uint8_t unit = sm->m->unit[s->cls];
  const uint32_t part = sm->sched_of[slot], n = x->n_parts;
  struct part *p = &x->part[part];
  p->issued[unit] = (struct insn){.slot = slot,
                                  .insn = w->next.insn,
                                  .order = now * n + (part + n - now % n) % n,
                                  .unit = unit};
  p->has_issued |= 1u << unit;
  x->n++;
  for (unsigned i = 0; i < s->n_dst; i++)
    if (s->dst[i] != WEIR_NO_REG) w->reg[s->dst[i]] = WEIR_NEVER;
  w->collecting++;
  sm->blocks[w->block].pending++; /* the slot stays the warp's */
}

static uint32_t bank_of(const struct weir_collect *x, uint32_t slot, uint16_t reg) {
  return (reg + slot) % x->n_banks;
}

/* Results of an instruction that has a unit since cycle `now`. */
static void write_results(struct weir_sm *sm, uint32_t part, const struct insn *in, uint64_t at,
                          uint64_t now) {
  struct weir_collect *x = sm->collect;
  const struct weir_static *s = &sm->kernel->insns[in->insn];
  for (unsigned i = 0; i < s->n_dst; i++) {
    if (s->dst[i] == WEIR_NO_REG) continue;
    sm->warps[in->slot].reg[s->dst[i]] = at;
    if (at - now >= WHEEL) continue;
    if (x->wheel[at % WHEEL].at != at) {
      memset(&x->wheel[at % WHEEL], 0, sizeof x->wheel[0]);
      x->wheel[at % WHEEL].at = at;
    }
    x->wheel[at % WHEEL].banks[part] |= UINT64_C(1) << bank_of(x, in->slot, s->dst[i]);
  }
}

/* Units that are free take what has its registers. */
static void start_units(struct weir_sm *sm, uint32_t part, uint64_t now) {
  struct part *p = &sm->collect->part[part];
  for (uint32_t left = p->has_collected; left != 0; left &= left - 1) {
    const unsigned unit = (unsigned)__builtin_ctz(left);
    if (p->unit_free[unit] > now) continue;
    const struct insn *in = &p->collected[unit];
    struct weir_sm_warp *w = &sm->warps[in->slot];
    const uint8_t cls = sm->kernel->insns[in->insn].cls;
    const int64_t behind = sm->m->sm.latency[cls] + sm->m->sm.dependent_extra - WEIR_COLLECT_CYCLES;
    p->unit_free[unit] = now + weir_max64((uint64_t)sm->m->sm.interval[cls], 1);
    p->has_collected &= ~(1u << unit);
    sm->collect->n--;
    w->collecting--;
    sm->blocks[w->block].pending--;
    write_results(sm, part, in, now + (uint64_t)behind, now);
    if (w->state == WEIR_W_RUN && sm->ready_at[in->slot] == WEIR_NEVER)
      weir_sm_find_ready(sm, in->slot, 0);
  }
}

/* What has all its registers leaves its collector, if the latch of its unit is free. */
static void leave_units(struct weir_collect *x, struct part *p) {
  for (uint32_t k = 0; k < x->n_units; k++) {
    struct insn *in = &p->unit[k];
    if (in->slot == NOBODY || in->left > 0 || p->has_collected >> in->unit & 1) continue;
    p->collected[in->unit] = *in;
    p->has_collected |= 1u << in->unit;
    in->slot = NOBODY;
  }
}

/* A register of each bank that is not written. */
static void read_banks(struct weir_collect *x, struct part *p, uint64_t written) {
  for (uint32_t b = 0; b < x->n_banks; b++) {
    struct bank *q = &p->banks[b];
    if (q->n == 0 || written >> b & 1) continue;
    p->unit[q->reader[q->head]].left--;
    q->head = (q->head + 1) % (x->n_units * WEIR_MAX_SRC);
    q->n--;
  }
}

static bool is_repeated(const struct weir_static *s, unsigned i) {
  for (unsigned k = 0; k < i; k++)
    if (s->src[k] == s->src[i]) return true;
  return false;
}

static void ask_banks(struct weir_sm *sm, struct part *p, uint32_t k) {
  struct weir_collect *x = sm->collect;
  struct insn *in = &p->unit[k];
  const struct weir_static *s = &sm->kernel->insns[in->insn];
  for (unsigned i = 0; i < s->n_src; i++) {
    if (s->src[i] == WEIR_NO_REG || is_repeated(s, i)) continue;
    struct bank *q = &p->banks[bank_of(x, in->slot, s->src[i])];
    q->reader[(q->head + q->n++) % (x->n_units * WEIR_MAX_SRC)] = (uint8_t)k;
    in->left++;
  }
}

/* The oldest of a kind of unit gets a collector. False: there is none, or nothing waits. */
static bool enter_unit(struct weir_sm *sm, unsigned unit) {
  struct weir_collect *x = sm->collect;
  uint32_t oldest = NOBODY, k = 0;
  for (uint32_t i = 0; i < x->n_parts; i++)
    if (x->part[i].has_issued >> unit & 1 &&
        (oldest == NOBODY || x->part[i].issued[unit].order < x->part[oldest].issued[unit].order))
      oldest = i;
  if (oldest == NOBODY) return false;
  struct part *p = &x->part[oldest];
  while (k < x->n_units && p->unit[k].slot != NOBODY)
    k++;
  if (k == x->n_units) return false;
  p->unit[k] = p->issued[unit];
  p->has_issued &= ~(1u << unit);
  sm->sched[oldest].unit_free[unit] = 0;
  sm->is_dirty = true;
  ask_banks(sm, p, k);
  return true;
}

static void enter_units(struct weir_sm *sm) {
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < sm->collect->n_parts; i++)
    waiting |= sm->collect->part[i].has_issued;
  for (bool any = waiting != 0; any;) {
    any = false;
    for (unsigned i = 0; i < sizeof unit_order / sizeof *unit_order; i++)
      if (waiting >> unit_order[i] & 1) any |= enter_unit(sm, unit_order[i]);
  }
}

void weir_collect_run(struct weir_sm *sm, uint64_t now) {
  struct weir_collect *x = sm->collect;
  for (uint32_t i = 0; i < x->n_parts; i++)
    start_units(sm, i, now);
  for (uint32_t step = 0; step < x->n_reads; step++) {
    const bool writes = step == 0 && x->wheel[now % WHEEL].at == now;
    for (uint32_t i = 0; i < x->n_parts; i++) {
      leave_units(x, &x->part[i]);
      read_banks(x, &x->part[i], writes ? x->wheel[now % WHEEL].banks[i] : 0);
    }
    enter_units(sm);
  }
}
