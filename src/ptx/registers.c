#include "ptx/registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/isa.h"
#include "ptx/outline.h"

static bool has(const uint64_t *set, uint32_t reg) {
  return set[reg >> 6] >> (reg & 63) & 1;
}

static void put(uint64_t *set, uint32_t reg) {
  set[reg >> 6] |= UINT64_C(1) << (reg & 63);
}

/* ---- the peak ---- */

struct peak {
  const struct ptx_func *f;
  const struct ptx_liveness *l;
  const uint64_t *first;
  uint8_t *cost;    /* of each register; whole words of a set */
  uint8_t *n_defs;  /* of each register: instructions that write it; 2 = several */
  uint32_t *def_at; /* of each register: 1 + the instruction that wrote it last */
  uint8_t *early;   /* of each instruction: enum early */
  uint32_t *order;  /* of a block's instructions */
  uint64_t *live;   /* where a walk is */
  uint32_t *more;   /* of each block: what other iterations of its loop add, if loads rise */
  uint8_t *counts;  /* of each instruction: what is live before it; NULL: nobody asks */
  uint32_t n;       /* what these cost */
  uint32_t at, segment;
  bool is_fixed, guarded;
};

/* Where an instruction may stand in its block. */
enum early { STAYS, MAY_RISE, RISES };

static void count_def(void *ctx, uint32_t reg, bool is_def) {
  uint8_t *n = ((struct peak *)ctx)->n_defs;
  if (is_def && n[reg] < 2) n[reg]++;
}

static bool is_plain_load(const struct ptx_insn *in) {
  return ptx_form(in->form)->cls == WEIR_C_LOAD && !ptx_has(in, PTX_M_param) &&
         !ptx_has(in, PTX_M_volatile) && !ptx_has(in, PTX_M_acquire) && !ptx_has(in, PTX_M_relaxed);
}

/* Loads are not moved across these. */
static bool ends_segment(const struct ptx_insn *in) {
  switch (ptx_form(in->form)->cls) {
  case WEIR_C_STORE:
  case WEIR_C_ATOM:
  case WEIR_C_BRANCH:
  case WEIR_C_BARRIER:
  case WEIR_C_WARP:
  case WEIR_C_FENCE:
  case WEIR_C_OTHER:
    return true;
  case WEIR_C_LOAD:
    return !is_plain_load(in) && !ptx_has(in, PTX_M_param);
  default:
    return false;
  }
}

/* What was written in this segment must be able to rise as well, and once: a register that several
 * instructions write holds another value above. */
static void check_reg(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  uint32_t def = p->def_at[reg];
  if (is_def)
    p->is_fixed |= p->n_defs[reg] > 1;
  else
    p->is_fixed |= def > p->segment && p->early[def - 1] == STAYS;
}

static void note_place(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  if (is_def) p->def_at[reg] = p->at + 1;
}

static void raise_source(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  uint32_t def = p->def_at[reg];
  if (!is_def && def > p->segment && def <= p->at) p->early[def - 1] = RISES;
}

/* Loads rise to the beginning of their segment, with what their addresses need. */
static void raise_loads(struct peak *p, uint32_t begin, uint32_t end) {
  p->segment = begin;
  for (p->at = begin; p->at < end; p->at++) {
    const struct ptx_insn *in = &p->f->insns[p->at];
    p->is_fixed = in->guarded;
    ptx_visit_regs(in, check_reg, p);
    p->early[p->at] = p->is_fixed ? STAYS : MAY_RISE;
    ptx_visit_regs(in, note_place, p);
  }
  for (p->at = end; p->at-- > begin;) {
    const struct ptx_insn *in = &p->f->insns[p->at];
    if (p->early[p->at] == MAY_RISE && is_plain_load(in)) p->early[p->at] = RISES;
    if (p->early[p->at] == RISES) ptx_visit_regs(in, raise_source, p);
  }
}

static void order_block(struct peak *p, const struct ptx_block *b, bool raise) {
  uint32_t n = 0, begin = b->first;
  for (uint32_t i = b->first; i <= b->last; i++) {
    bool is_end = ends_segment(&p->f->insns[i]);
    uint32_t end = is_end ? i : i + 1;
    if (!is_end && i < b->last) continue;
    memset(p->early + begin, STAYS, end - begin);
    if (raise) raise_loads(p, begin, end);
    for (uint32_t k = begin; k < end; k++)
      if (p->early[k] == RISES) p->order[n++] = k;
    for (uint32_t k = begin; k < end; k++)
      if (p->early[k] != RISES) p->order[n++] = k;
    if (is_end) p->order[n++] = i;
    begin = i + 1;
  }
}

static void add_live(struct peak *p, uint32_t reg) {
  if (!has(p->live, reg)) p->n += p->cost[reg];
  put(p->live, reg);
}

/* A result takes a register even where nobody needs it. */
static void write_result(void *ctx, uint32_t reg, bool is_def) {
  if (is_def) add_live(ctx, reg);
}

static void leave_result(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  if (!is_def || (p->guarded && !has(p->first, reg)) || !has(p->live, reg)) return;
  p->live[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
  p->n -= p->cost[reg];
}

static void read_source(void *ctx, uint32_t reg, bool is_def) {
  if (!is_def) add_live(ctx, reg);
}

/* Backward through a block in its order. */
static uint32_t walk_block(struct peak *p, size_t block) {
  const struct ptx_block *b = &p->f->cfg.blocks[block];
  uint32_t most = 0;
  p->n = 0;
  for (size_t k = 0; k < p->l->words; k++) {
    p->live[k] = ptx_live_out(p->f, p->l, block, k);
    for (uint64_t left = p->live[k]; left != 0; left &= left - 1)
      p->n += p->cost[k * 64 + (size_t)__builtin_ctzll(left)];
  }
  for (uint32_t i = b->last - b->first + 1; i-- > 0;) {
    const struct ptx_insn *in = &p->f->insns[p->order[i]];
    p->guarded = in->guarded;
    ptx_visit_regs(in, write_result, p);
    if (p->n > most) most = p->n;
    ptx_visit_regs(in, leave_result, p);
    ptx_visit_regs(in, read_source, p);
    if (p->n > most) most = p->n;
    if (p->counts != NULL) p->counts[p->order[i]] = (uint8_t)(p->n < UINT8_MAX ? p->n : UINT8_MAX);
  }
  return most;
}

static void find_costs(struct peak *p) {
  for (uint32_t i = 0; i < p->f->n_insns; i++)
    ptx_visit_regs(&p->f->insns[i], count_def, p);
  for (uint32_t r = 0; r < p->f->n_regs; r++)
    if (p->f->regs[r].type != PTX_T_pred)
      p->cost[r] = (uint8_t)((ptx_type_bytes(p->f->regs[r].type) + 3) / 4);
}

/* ---- what machine code has no register for ---- */

static bool gives_constant(const struct ptx_insn *in) {
  if (in->op != PTX_OP_mov || in->n_opnds != 2) return false;
  enum ptx_opnd_kind kind = in->opnds[1].kind;
  return kind == PTX_O_int || kind == PTX_O_f32 || kind == PTX_O_f64 || kind == PTX_O_var;
}

/* Of an entry these lie in a bank of constants. */
static bool reads_parameter(const struct ptx_func *f, const struct ptx_insn *in) {
  return f->is_entry && in->op == PTX_OP_ld && ptx_form(in->form)->cls == WEIR_C_MOVE;
}

static bool copies_free(const struct peak *p, const struct ptx_insn *in) {
  return (in->op == PTX_OP_mov || in->op == PTX_OP_cvta) && in->n_opnds == 2 &&
         in->opnds[1].kind == PTX_O_reg && p->n_defs[in->opnds[1].reg] == 1 &&
         p->cost[in->opnds[1].reg] == 0;
}

static void free_result(void *ctx, uint32_t reg, bool is_def) {
  struct peak *p = ctx;
  if (is_def && p->n_defs[reg] == 1) p->cost[reg] = 0;
}

/* Constants and parameters are operands of machine code, wherever they are needed. */
static void free_operands(struct peak *p) {
  for (uint32_t i = 0; i < p->f->n_insns; i++) {
    const struct ptx_insn *in = &p->f->insns[i];
    if (!in->guarded && (gives_constant(in) || reads_parameter(p->f, in) || copies_free(p, in)))
      ptx_visit_regs(in, free_result, p);
  }
}

/* ---- loops that are unrolled ---- */

/* As sched.unroll, .full, .body and .window have it (docs/scheduling.md). */
enum { UNROLL = 4, MOST_UNROLLED = 16, MOST_BODY = 44, WINDOW = 256 };

static bool reads_clock(const struct ptx_insn *in) {
  return in->n_opnds == 2 && in->opnds[1].kind == PTX_O_sreg &&
         ptx_sreg_is_clock(in->opnds[1].sreg);
}

static uint32_t unroll_of(const struct ptx_func *f, const struct weir_outline_loop *l,
                          const struct weir_outline_insn *text) {
  uint32_t size = l->last - l->first + 1, body = size, n = UNROLL;
  for (uint32_t i = l->first; i <= l->last; i++) {
    if (reads_clock(&f->insns[i])) return 1;
    body -= (text[i].flags & WEIR_OUTLINE_CONSTANT) != 0;
  }
  if (l->flags != 0 || body > MOST_BODY) return 1;
  if (l->trips != 0) n = l->trips < MOST_UNROLLED ? l->trips : MOST_UNROLLED;
  while (n > 1 && n * size > WINDOW)
    n /= 2;
  return n;
}

/* Can a load of one iteration not be moved into the one before? A store to the same base is known
 * to lie elsewhere, or to be what is read. */
static bool is_kept_by_store(const struct ptx_func *f, const struct weir_outline_loop *l,
                             const struct weir_outline_insn *text, uint32_t load) {
  const struct ptx_insn *in = &f->insns[load];
  if (ptx_has(in, PTX_M_nc) || ptx_has(in, PTX_M_const)) return false;
  for (uint32_t i = l->first; i <= l->last; i++) {
    const struct ptx_insn *store = &f->insns[i];
    if (ptx_form(store->form)->cls == WEIR_C_STORE &&
        ptx_has(store, PTX_M_shared) == ptx_has(in, PTX_M_shared) &&
        (text[i].base == WEIR_NO_REG || text[i].base != text[load].base))
      return true;
  }
  return false;
}

struct sum {
  const struct peak *p;
  uint32_t n;
};

static void add_result(void *ctx, uint32_t reg, bool is_def) {
  struct sum *s = ctx;
  if (is_def) s->n += s->p->cost[reg];
}

/* Registers of the loads of all iterations of a group but one, which wait together. */
static uint32_t more_of(const struct peak *p, const struct weir_outline_loop *l,
                        const struct weir_outline_insn *text) {
  struct sum s = {.p = p};
  for (uint32_t i = l->first; i <= l->last; i++)
    if (is_plain_load(&p->f->insns[i]) && !is_kept_by_store(p->f, l, text, i))
      ptx_visit_regs(&p->f->insns[i], add_result, &s);
  return s.n * (unroll_of(p->f, l, text) - 1);
}

static bool find_more(struct peak *p) {
  struct ptx_outline_loops loops = {0};
  struct weir_outline_insn *text = weir_calloc(p->f->n_insns + (size_t)1, sizeof *text);
  bool ok = text != NULL && ptx_outline_find(p->f, 0, text, &loops);
  for (size_t i = 0; ok && i < loops.n; i++) {
    uint32_t more = more_of(p, &loops.v[i], text);
    for (uint32_t k = loops.v[i].first; k <= loops.v[i].last; k++)
      p->more[p->f->cfg.block_of[k]] = more;
  }
  free(loops.v);
  free(text);
  return ok;
}

/* ---- the most ---- */

enum {
  /* The stack pointer, and the median of what is missing beside it (tests/sched/README.md). */
  OVERHEAD = 7,
  REGISTER_FILE = 65536
};

/* Loads are moved up only as far as all threads that an SM has room for keep their registers. */
static uint32_t most_for_loads(unsigned sm) {
  unsigned threads = sm == 75 ? 1024 : sm == 86 || sm == 87 || sm == 89 || sm >= 120 ? 1536 : 2048;
  return REGISTER_FILE / threads / 8 * 8 - OVERHEAD;
}

static uint32_t find_peak(struct peak *p, unsigned sm) {
  uint32_t peak = 0, raised = 0, limit = most_for_loads(sm);
  for (size_t b = 0; b < p->f->cfg.n_blocks; b++) {
    const struct ptx_block *block = &p->f->cfg.blocks[b];
    if (!block->reachable) continue;
    order_block(p, block, false);
    uint32_t n = walk_block(p, b);
    if (n > peak) peak = n;
    order_block(p, block, true);
    n = walk_block(p, b) + p->more[b];
    if (n > raised) raised = n;
  }
  if (raised > limit) raised = limit;
  return raised > peak ? raised : peak;
}

/* What is live at the entry (`l`) holds nothing yet. */
static bool new_peak(struct peak *p, const struct ptx_func *f, const struct ptx_liveness *l,
                     struct ptx_liveness *held) {
  size_t regs = f->n_regs + (size_t)64, insns = f->n_insns + (size_t)1;
  if (!ptx_liveness_find(f, l->in, held)) return false;
  *p = (struct peak){.f = f,
                     .l = held,
                     .first = l->in,
                     .cost = weir_calloc(regs, 1),
                     .n_defs = weir_calloc(regs, 1),
                     .def_at = weir_calloc(regs, sizeof *p->def_at),
                     .early = weir_calloc(insns, 1),
                     .order = weir_calloc(insns, sizeof *p->order),
                     .more = weir_calloc(f->cfg.n_blocks + (size_t)1, sizeof *p->more),
                     .live = weir_calloc(held->words, sizeof *p->live)};
  bool ok = p->cost != NULL && p->n_defs != NULL && p->def_at != NULL && p->early != NULL &&
            p->order != NULL && p->more != NULL && p->live != NULL;
  if (ok) find_costs(p);
  return ok;
}

static void free_peak(struct peak *p, struct ptx_liveness *held) {
  ptx_liveness_free(held);
  free(p->cost);
  free(p->n_defs);
  free(p->def_at);
  free(p->early);
  free(p->order);
  free(p->more);
  free(p->live);
}

bool ptx_peak_registers(const struct ptx_func *f, const struct ptx_liveness *l, unsigned sm,
                        uint32_t *peak) {
  struct ptx_liveness held = {0};
  struct peak p = {0};
  *peak = 0;
  if (f->n_insns == 0) return true;
  bool ok = new_peak(&p, f, l, &held);
  if (ok) free_operands(&p);
  ok = ok && find_more(&p);
  if (ok) *peak = find_peak(&p, sm);
  free_peak(&p, &held);
  return ok;
}

bool ptx_live_counts(const struct ptx_func *f, const struct ptx_liveness *l, uint8_t *live) {
  struct ptx_liveness held = {0};
  struct peak p = {0};
  if (f->n_insns == 0) return true;
  bool ok = new_peak(&p, f, l, &held);
  p.counts = live;
  for (size_t b = 0; ok && b < f->cfg.n_blocks; b++) {
    order_block(&p, &f->cfg.blocks[b], false);
    walk_block(&p, b);
  }
  free_peak(&p, &held);
  return ok;
}

/* ---- registers of a kernel ---- */

static uint32_t at_most(uint32_t v, uint64_t limit) {
  return v < limit ? v : (uint32_t)limit;
}

uint32_t ptx_estimate_registers(const struct ptx_func *kernel, unsigned sm, uint32_t peak) {
  const uint32_t *n = kernel->maxntid[0] != 0 ? kernel->maxntid : kernel->reqntid;
  uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
  uint64_t blocks = kernel->minnctapersm != 0 ? kernel->minnctapersm : 1;
  uint32_t regs = at_most(peak + OVERHEAD, sm < 35 ? 63 : 255);
  /* ptxas keeps to what lets the promised threads be resident. */
  if (threads != 0 && threads <= 1024 && blocks <= 32)
    regs = at_most(regs, REGISTER_FILE / ((threads + 31) / 32 * 32 * blocks) / 8 * 8);
  return kernel->maxnreg != 0 ? at_most(regs, kernel->maxnreg) : regs;
}
