/* The table of static instructions that streams and timing read. */
#include "exec/decode_program.h"
#include "exec/sync.h"
#include "exec/tex_insn.h"
#include "ptx/liveness.h"

static uint8_t cache_op_of(const struct ptx_insn *in) {
  static const struct {
    enum ptx_mod m;
    uint8_t op;
  } map[] = {{PTX_M_volatile, WEIR_CO_VOLATILE},
             {PTX_M_relaxed, WEIR_CO_RELAXED},
             {PTX_M_acquire, WEIR_CO_ACQUIRE},
             {PTX_M_release, WEIR_CO_RELEASE},
             {PTX_M_nc, WEIR_CO_NC},
             {PTX_M_ca, WEIR_CO_CA},
             {PTX_M_cg, WEIR_CO_CG},
             {PTX_M_cs, WEIR_CO_CS},
             {PTX_M_lu, WEIR_CO_LU},
             {PTX_M_cv, WEIR_CO_CV},
             {PTX_M_wb, WEIR_CO_WB},
             {PTX_M_wt, WEIR_CO_WT}};
  for (size_t k = 0; k < sizeof map / sizeof *map; k++)
    if (ptx_has(in, map[k].m)) return map[k].op;
  return WEIR_CO_NONE;
}

static uint8_t evict_hint_of(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_L1_evict_normal)      ? WEIR_EV_NORMAL
         : ptx_has(in, PTX_M_L1_evict_unchanged) ? WEIR_EV_UNCHANGED
         : ptx_has(in, PTX_M_L1_evict_first)     ? WEIR_EV_FIRST
         : ptx_has(in, PTX_M_L1_evict_last)      ? WEIR_EV_LAST
         : ptx_has(in, PTX_M_L1_no_allocate)     ? WEIR_EV_NO_ALLOCATE
                                                 : WEIR_EV_NONE;
}

struct static_ctx {
  struct weir_static *s;
  uint32_t base;
};
static void note_static(void *ctx, uint32_t reg, bool is_def) {
  struct static_ctx *c = ctx;
  uint32_t n = c->base + reg;
  uint16_t number = n < WEIR_NO_REG ? (uint16_t)n : WEIR_NO_REG;
  if (is_def && c->s->n_dst < WEIR_MAX_DST)
    c->s->dst[c->s->n_dst++] = number;
  else if (!is_def && c->s->n_src < WEIR_MAX_SRC)
    c->s->src[c->s->n_src++] = number;
}

static bool is_matrix(const struct ptx_insn *in) {
  return in->op == PTX_OP_mma || in->op == PTX_OP_wmma || in->op == PTX_OP_ldmatrix ||
         in->op == PTX_OP_stmatrix;
}

/* Fragments have more registers than a static instruction can name. Of a source its first and last
 * one stand for all, of a destination the first three and the last. */
static void note_fragments(const struct ptx_insn *in, struct static_ctx *c) {
  const struct ptx_form *f = ptx_form(in->form);
  if (in->guarded) note_static(c, in->guard, false);
  for (unsigned k = 0; k < in->n_opnds; k++) {
    const struct ptx_operand *o = &in->opnds[k];
    bool is_def = ptx_slot_at(f, in->n_opnds, k)->kind == 'F';
    if (o->kind == PTX_O_reg || (o->kind == PTX_O_addr && o->has_base))
      note_static(c, o->reg, is_def);
    for (unsigned i = 0; o->kind == PTX_O_vec && i < o->n_elem; i++)
      if (o->elem[i].kind == PTX_O_reg && (i == 0 || i + 1 == o->n_elem || (is_def && i < 3)))
        note_static(c, o->elem[i].reg, is_def);
  }
}

/* Of operand k, if it is a number; registers are known when they are read. */
static uint64_t number_of(const struct ptx_insn *in, unsigned k) {
  return k < in->n_opnds && in->opnds[k].kind == PTX_O_int ? in->opnds[k].imm : 0;
}

static void fill_barrier(const struct ptx_insn *in, const struct ptx_uop *u,
                         struct weir_static *s) {
  unsigned at = u->aux >= PTX_BAR_POPC ? 1 : 0;
  uint64_t id = number_of(in, at), count = u->b != UINT32_MAX ? number_of(in, at + 1) : 0;
  s->width = 1; /* its records may carry a struct weir_barrier */
  s->bar_id = id < WEIR_BARRIERS ? (uint8_t)id : 0;
  s->bar_warps = count <= 1024 ? (uint8_t)(count / LANES) : 0;
  s->bar_arrive = u->aux == PTX_BAR_ARRIVE;
}

/* Linked modules number their source files each for itself. */
static uint32_t file_base(const struct ptx_module *m, const struct ptx_func *f) {
  for (uint32_t i = 0; i < m->n_parts; i++)
    if (m->parts[i].module == f->module) return m->parts[i].file_base;
  return 0;
}

/* cp.async.wait_all ends a group and waits for all of them. */
static void fill_copy(const struct ptx_insn *in, struct weir_static *s) {
  bool is_copy = ptx_has(in, PTX_M_global), is_wait = ptx_has(in, PTX_M_wait_group);
  s->is_copy = is_copy;
  s->ends_copies = !is_copy && !is_wait;
  if (!is_copy && !ptx_has(in, PTX_M_commit_group)) {
    uint64_t keep = is_wait ? number_of(in, 0) : 0;
    s->waits_copies = (uint8_t)(keep < UINT8_MAX ? keep + 1 : UINT8_MAX);
  }
}

static bool reads_clock(const struct ptx_insn *in) {
  for (unsigned k = 0; k < in->n_opnds; k++)
    if (in->opnds[k].kind == PTX_O_sreg && ptx_sreg_is_clock(in->opnds[k].sreg)) return true;
  return false;
}

static bool is_fetch(const struct ptx_tex_op *op) {
  return op->action == PTX_TEX_SAMPLE && op->is_integer && op->geometry.dim == 1 &&
         !op->geometry.is_layered;
}

/* Of the return at the end of a function that the text does not have. */
static uint8_t implied_class(void) {
  size_t n;
  const uint16_t *forms = ptx_forms_of(PTX_OP_ret, &n);
  return n > 0 ? (uint8_t)ptx_form(forms[0])->cls : WEIR_C_BRANCH;
}

static bool reads_param(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_param) || ptx_has(in, PTX_M_param_entry) ||
         ptx_has(in, PTX_M_param_func);
}

void dec_fill_static(struct decoder *d, uint32_t pc, bool is_implied) {
  static const uint8_t spaces[] = {
      [PTX_SPACE_none] = WEIR_SP_GENERIC,  [PTX_SPACE_const] = WEIR_SP_CONST,
      [PTX_SPACE_global] = WEIR_SP_GLOBAL, [PTX_SPACE_local] = WEIR_SP_LOCAL,
      [PTX_SPACE_param] = WEIR_SP_PARAM,   [PTX_SPACE_shared] = WEIR_SP_SHARED,
      [PTX_SPACE_tex] = WEIR_SP_TEX};
  const struct ptx_insn *in = d->prog->insn[pc];
  const struct ptx_uop *u = &d->prog->code[pc];
  const struct ptx_func *ir = d->prog->funcs[d->prog->func_of[pc]].ir;
  struct weir_static *s = &d->prog->statics[pc];
  s->pc = pc * 8;
  if (is_implied) {
    s->cls = implied_class();
    return;
  }
  s->cls = (uint8_t)ptx_form(in->form)->cls;
  s->ptx_line = in->line;
  if ((u->kind == PTX_K_MEM && u->size != 0) ||
      (u->kind == PTX_K_SYNC && u->aux == PTX_SYNC_MATRIX_MEM)) {
    s->space = spaces[u->space];
    /* A texel's size is known only when it is read, but it never crosses a sector. */
    s->width = u->h == PTX_H_tex && s->cls == WEIR_C_TEX ? 1 : (uint8_t)(u->size * u->n_vec);
    s->cache_op = cache_op_of(in);
    s->evict_hint = evict_hint_of(in);
  }
  /* A parameter of the kernel is a slot: it has no address, but a machine may have to fetch it. */
  if (in->op == PTX_OP_ld && s->width == 0 && reads_param(in)) s->space = WEIR_SP_PARAM;
  if (s->cls == WEIR_C_TEX && u->h == PTX_H_tex && s->width != 0) s->is_fetch = is_fetch(u->x.tex);
  if (u->kind == PTX_K_BAR) fill_barrier(in, u, s);
  if (in->op == PTX_OP_cp && !ptx_has(in, PTX_M_mbarrier)) fill_copy(in, s);
  s->reads_clock = reads_clock(in);
  d->prog->reads_clock |= s->reads_clock;
  if (in->loc != 0) {
    s->file = ir->locs[in->loc - 1].file + file_base(d->image->module, ir);
    s->line = ir->locs[in->loc - 1].line;
  }
  struct static_ctx c = {s, d->reg_base[d->prog->func_of[pc]]};
  if (is_matrix(in))
    note_fragments(in, &c);
  else
    ptx_visit_regs(in, note_static, &c);
}
