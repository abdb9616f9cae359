/* The order of a region: loads first, with what their addresses need, as far as registers, stores
 * and barriers allow; the rest as it was.
 *
 * Loads whose addresses come from loads wait for these, so loads go by level: all that need no
 * other load of the region, then those that need one of these, and so on. When the results that
 * wait to be used have taken all registers, the program goes on in its order until some are free.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched/reorder.h"

enum { WORD = 64, MAX_READS = WEIR_MAX_SRC };

struct node { /* an instruction of the region */
  const struct weir_static *s;
  const struct weir_outline_insn *text;
  uint16_t level;            /* loads of the region that its operands need, one after the other */
  uint16_t readers;          /* of its results, that have not issued */
  uint16_t needs[MAX_READS]; /* 1 + who wrote what it reads; 0: nobody here */
  uint8_t cost;              /* registers that its results take, if it is a load */
  bool is_load;              /* one that is moved up */
  bool is_done;
  /* Of an access: its address is `at` bytes from what `base` was, the version-th time. */
  uint32_t version;
  int64_t at;
};

struct reading { /* that a later write must not overtake */
  uint16_t reader, next;
};

struct reg { /* in the region that `stamp` counts */
  uint32_t stamp, version;
  int64_t moved;             /* by steps */
  uint16_t writer, readings; /* 1 + place */
};

struct weir_orderer {
  const struct weir_reordered *r;
  struct node *node;
  uint64_t *before; /* of each node: those that must issue before it */
  uint64_t *set, *done;
  struct reg *regs;
  struct reading *readings;
  uint16_t *accesses; /* nodes that access memory */
  uint16_t *loads;    /* by level */
  uint32_t n, n_words, n_readings, n_accesses, n_loads, stamp;
  uint32_t held, budget;
  uint16_t branch; /* 1 + the last one */
  uint16_t *order;
  uint32_t n_order;
};

struct weir_orderer *weir_orderer_new(const struct weir_reordered *r) {
  struct weir_orderer *o = weir_calloc(1, sizeof *o);
  size_t n = r->window, words = (n + WORD - 1) / WORD;
  if (o == NULL) return NULL;
  o->r = r;
  o->node = weir_calloc(n, sizeof *o->node);
  o->before = weir_calloc(n * words, sizeof *o->before);
  o->set = weir_calloc(words, sizeof *o->set);
  o->done = weir_calloc(words, sizeof *o->done);
  o->regs = weir_calloc(r->info.n_regs + (size_t)1, sizeof *o->regs);
  o->readings = weir_calloc(n * MAX_READS + 1, sizeof *o->readings);
  o->accesses = weir_calloc(n, sizeof *o->accesses);
  o->loads = weir_calloc(n, sizeof *o->loads);
  if (o->node != NULL && o->before != NULL && o->set != NULL && o->done != NULL &&
      o->regs != NULL && o->readings != NULL && o->accesses != NULL && o->loads != NULL)
    return o;
  weir_orderer_free(o);
  return NULL;
}

void weir_orderer_free(struct weir_orderer *o) {
  if (o == NULL) return;
  free(o->node);
  free(o->before);
  free(o->set);
  free(o->done);
  free(o->regs);
  free(o->readings);
  free(o->accesses);
  free(o->loads);
  free(o);
}

/* ---- what must issue before what ---- */

static void put(uint64_t *set, uint32_t i) {
  set[i / WORD] |= UINT64_C(1) << i % WORD;
}

static bool has(const uint64_t *set, uint32_t i) {
  return set[i / WORD] >> i % WORD & 1;
}

static void depend(struct weir_orderer *o, uint32_t i, uint32_t on) {
  put(o->before + (size_t)i * o->n_words, on);
}

static struct reg *reg_of(struct weir_orderer *o, uint16_t number) {
  struct reg *r = &o->regs[number];
  if (r->stamp != o->stamp) *r = (struct reg){.stamp = o->stamp};
  return r;
}

static void read_regs(struct weir_orderer *o, uint32_t i) {
  struct node *n = &o->node[i];
  for (unsigned k = 0; k < n->s->n_src; k++) {
    n->needs[k] = 0;
    if (n->s->src[k] == WEIR_NO_REG) continue;
    const struct reg *r = reg_of(o, n->s->src[k]);
    if (r->writer == 0) continue;
    struct node *w = &o->node[r->writer - 1];
    depend(o, i, r->writer - 1u);
    n->needs[k] = r->writer;
    w->readers++;
    uint16_t level = (uint16_t)(w->level + w->is_load);
    if (level > n->level) n->level = level;
  }
}

static void write_regs(struct weir_orderer *o, uint32_t i) {
  const struct weir_static *s = o->node[i].s;
  for (unsigned k = 0; k < s->n_dst; k++) {
    if (s->dst[k] == WEIR_NO_REG) continue;
    const struct reg *r = reg_of(o, s->dst[k]);
    if (r->writer != 0 && r->writer - 1u != i) depend(o, i, r->writer - 1u);
    for (uint16_t at = r->readings; at != 0; at = o->readings[at - 1].next)
      depend(o, i, o->readings[at - 1].reader);
  }
  for (unsigned k = 0; k < s->n_src; k++) {
    if (s->src[k] == WEIR_NO_REG) continue;
    struct reg *r = reg_of(o, s->src[k]);
    o->readings[o->n_readings++] = (struct reading){.reader = (uint16_t)i, .next = r->readings};
    r->readings = (uint16_t)o->n_readings;
  }
  for (unsigned k = 0; k < s->n_dst; k++) {
    if (s->dst[k] == WEIR_NO_REG) continue;
    struct reg *r = reg_of(o, s->dst[k]);
    r->writer = (uint16_t)(i + 1);
    r->readings = 0;
  }
}

/* Bases are registers of the PTX; a step moves one, whatever else writes it gives it another value.
 */
static void move_bases(struct weir_orderer *o, uint32_t insn,
                       const struct weir_outline_insn *text) {
  const struct weir_static *s = &o->r->ptx->insns[insn];
  for (unsigned k = 0; k < s->n_dst; k++) {
    if (s->dst[k] == WEIR_NO_REG) continue;
    struct reg *r = reg_of(o, s->dst[k]);
    if (text->flags & WEIR_OUTLINE_STEP)
      r->moved += text->offset;
    else
      r->version++;
  }
}

/* ---- memory ---- */

static bool is_ordered(const struct weir_static *s) {
  return s->cache_op == WEIR_CO_VOLATILE || s->cache_op == WEIR_CO_RELAXED ||
         s->cache_op == WEIR_CO_CV;
}

static bool is_read_only(const struct weir_static *s) {
  return s->space == WEIR_SP_CONST || s->space == WEIR_SP_PARAM || s->cache_op == WEIR_CO_NC;
}

static bool may_meet(const struct node *a, const struct node *b) {
  if (is_read_only(a->s) || is_read_only(b->s)) return false;
  if (a->s->space != b->s->space && a->s->space != WEIR_SP_GENERIC &&
      b->s->space != WEIR_SP_GENERIC)
    return false;
  if (a->text->base == WEIR_NO_REG || a->text->base != b->text->base || a->version != b->version)
    return true;
  return a->at < b->at + b->s->width && b->at < a->at + a->s->width;
}

static bool keeps_order(const struct node *a, const struct node *b) {
  if (a->s->cls == WEIR_C_LOAD && b->s->cls == WEIR_C_LOAD)
    return is_ordered(a->s) && is_ordered(b->s);
  return may_meet(a, b);
}

static void access_memory(struct weir_orderer *o, uint32_t i) {
  struct node *n = &o->node[i];
  if (n->text->base != WEIR_NO_REG) {
    const struct reg *r = reg_of(o, n->text->base);
    n->version = r->version;
    n->at = r->moved + n->text->offset;
  }
  for (uint32_t k = 0; k < o->n_accesses; k++)
    if (keeps_order(&o->node[o->accesses[k]], n)) depend(o, i, o->accesses[k]);
  o->accesses[o->n_accesses++] = (uint16_t)i;
}

/* ---- the region ---- */

static bool is_access(const struct weir_static *s) {
  return s->cls == WEIR_C_LOAD || s->cls == WEIR_C_STORE;
}

/* Whatever a branch jumps over comes behind it. */
static void follow_branches(struct weir_orderer *o, uint32_t i) {
  const struct node *n = &o->node[i];
  bool is_branch = n->s->cls == WEIR_C_BRANCH;
  if (o->branch != 0 && (is_branch || n->text->flags & WEIR_OUTLINE_COVERED))
    depend(o, i, o->branch - 1u);
  if (is_branch) o->branch = (uint16_t)(i + 1);
}

/* That its results take. */
static uint8_t registers_of(const struct weir_static *s) {
  uint8_t n = 0;
  if (s->cls != WEIR_C_TEX) return (uint8_t)(s->width > 4 ? s->width / 4 : 1);
  for (unsigned i = 0; i < s->n_dst; i++)
    n = (uint8_t)(n + (s->dst[i] != WEIR_NO_REG));
  return n;
}

static void add_node(struct weir_orderer *o, uint32_t i, uint32_t insn) {
  uint32_t origin = o->r->origin[insn];
  struct node *n = &o->node[i];
  *n = (struct node){.s = &o->r->info.insns[insn], .text = &o->r->ptx->outline->insns[origin]};
  if (o->r->is_left_out[insn]) {
    n->is_done = true;
    put(o->done, i);
    move_bases(o, origin, n->text);
    return;
  }
  n->is_load =
      (n->s->cls == WEIR_C_LOAD && n->s->space != WEIR_SP_CONST && n->s->space != WEIR_SP_PARAM) ||
      (n->s->cls == WEIR_C_TEX && o->r->moves_textures);
  n->cost = n->is_load ? registers_of(n->s) : 0;
  read_regs(o, i);
  if (is_access(n->s)) access_memory(o, i);
  follow_branches(o, i);
  write_regs(o, i);
  move_bases(o, origin, n->text);
}

/* By level, and in the order of the program. */
static void sort_loads(struct weir_orderer *o) {
  o->n_loads = 0;
  for (uint16_t level = 0, more = 1; more; level++) {
    more = 0;
    for (uint32_t i = 0; i < o->n; i++) {
      if (!o->node[i].is_load || o->node[i].is_done) continue;
      if (o->node[i].level == level) o->loads[o->n_loads++] = (uint16_t)i;
      more |= o->node[i].level > level;
    }
  }
}

/* ---- issue ---- */

static void issue(struct weir_orderer *o, uint32_t i) {
  struct node *n = &o->node[i];
  n->is_done = true;
  put(o->done, i);
  o->order[o->n_order++] = (uint16_t)i;
  o->held += n->cost;
  for (unsigned k = 0; k < n->s->n_src; k++) {
    if (n->needs[k] == 0) continue;
    struct node *w = &o->node[n->needs[k] - 1];
    if (--w->readers == 0) o->held -= w->cost;
  }
}

static bool can_rise(const struct node *n) {
  return n->s->cls <= WEIR_C_SFU || (n->s->cls == WEIR_C_LOAD && !n->is_load);
}

/* With all that must issue before it, if that can rise too. */
static void raise(struct weir_orderer *o, uint32_t node) {
  memset(o->set, 0, o->n_words * sizeof *o->set);
  put(o->set, node);
  for (uint32_t i = node + 1; i-- > 0;) {
    if (!has(o->set, i)) continue;
    if (i != node && !can_rise(&o->node[i])) return;
    const uint64_t *before = o->before + (size_t)i * o->n_words;
    for (uint32_t k = 0; k < o->n_words; k++)
      o->set[k] |= before[k] & ~o->done[k];
  }
  for (uint32_t i = 0; i <= node; i++)
    if (has(o->set, i)) issue(o, i);
}

/* Until registers are used up. */
static void raise_loads(struct weir_orderer *o) {
  for (uint32_t i = 0; i < o->n_loads; i++) {
    const struct node *n = &o->node[o->loads[i]];
    if (n->is_done) continue;
    if (o->held + n->cost > o->budget) return;
    raise(o, o->loads[i]);
  }
}

/* What branches depend on, behind the first loads, unless it needs a load of the region itself. */
static void raise_tests(struct weir_orderer *o) {
  for (uint32_t i = 0; i < o->n; i++) {
    const struct node *n = &o->node[i];
    if (n->s->cls != WEIR_C_BRANCH || n->is_done || n->level > 0) continue;
    for (unsigned k = 0; k < n->s->n_src; k++) {
      const uint32_t on = n->needs[k];
      if (on != 0 && !o->node[on - 1].is_done && can_rise(&o->node[on - 1])) raise(o, on - 1);
    }
  }
}

/* Registers for results of loads that wait. What the text needs is there in any case. */
static uint32_t find_budget(const struct weir_orderer *o) {
  uint32_t most = 0, first = o->node[0].text->live, all = o->r->budget;
  for (uint32_t i = 0; i < o->n; i++)
    if (o->node[i].text->live > most) most = o->node[i].text->live;
  if (all < most) all = (most + 7) / 8 * 8;
  return all > first ? all - first : 1;
}

uint32_t weir_order_find(struct weir_orderer *o, const uint32_t *path, uint32_t n,
                         uint16_t *order) {
  o->n = n;
  o->n_words = (n + WORD - 1) / WORD;
  o->n_readings = o->n_accesses = o->n_order = o->held = 0;
  o->branch = 0;
  o->order = order;
  if (++o->stamp == 0) { /* after so many regions no old stamp may look new */
    memset(o->regs, 0, (o->r->info.n_regs + (size_t)1) * sizeof *o->regs);
    o->stamp = 1;
  }
  memset(o->before, 0, (size_t)n * o->n_words * sizeof *o->before);
  memset(o->done, 0, o->n_words * sizeof *o->done);
  for (uint32_t i = 0; i < n; i++)
    add_node(o, i, path[i]);
  sort_loads(o);
  o->budget = find_budget(o);
  raise_loads(o);
  if (o->r->moves_tests) raise_tests(o);
  for (uint32_t i = 0; i < n; i++) {
    if (o->node[i].is_done) continue;
    uint32_t held = o->held;
    issue(o, i);
    if (o->held < held || !can_rise(&o->node[i])) raise_loads(o);
  }
  return o->n_order;
}
