/* Loads, stores, atomics, barriers in memory. */
#include "exec/decode_fp.h"
#include "exec/decode_ops.h"
#include "exec/sync.h"

uint8_t dec_space(const struct decoder *d) {
  if (dec_has(d, PTX_M_global)) return PTX_SPACE_global;
  if (dec_has(d, PTX_M_shared) || dec_has(d, PTX_M_shared_cta)) return PTX_SPACE_shared;
  if (dec_has(d, PTX_M_local)) return PTX_SPACE_local;
  if (dec_has(d, PTX_M_const)) return PTX_SPACE_const;
  if (dec_has(d, PTX_M_param) || dec_has(d, PTX_M_param_entry) || dec_has(d, PTX_M_param_func))
    return PTX_SPACE_param;
  return PTX_SPACE_none;
}

static unsigned vector_of(const struct decoder *d) {
  return dec_has(d, PTX_M_v2) ? 2 : dec_has(d, PTX_M_v4) ? 4 : dec_has(d, PTX_M_v8) ? 8 : 1;
}

/* Base register and offset of an address. */
void dec_address(struct decoder *d, const struct ptx_operand *o) {
  struct ptx_uop *u = d->uop;
  u->imm = o->imm;
  if (o->var != NULL) {
    u->imm += dec_var_addr(d, o->var);
    u->base_kind = PTX_BASE_CONST;
    if (o->var->space == PTX_SPACE_local) u->base_kind = PTX_BASE_FRAME;
    if (u->space == PTX_SPACE_none) { /* a generic access through a name */
      if (o->var->space == PTX_SPACE_shared) u->imm += PTX_SHARED_BASE;
      if (o->var->space == PTX_SPACE_local) u->imm += PTX_LOCAL_BASE;
      if (o->var->space == PTX_SPACE_param) u->imm += PTX_PARAM_BASE;
    }
    return;
  }
  if (!o->has_base) { /* an absolute address */
    u->base_kind = PTX_BASE_CONST;
    return;
  }
  u->a = dec_reg(d, o->reg);
  u->base_kind = dec_reg_bytes(d, o->reg) == 4 ? PTX_BASE_REG32 : PTX_BASE_REG64;
}

void dec_data(struct decoder *d, const struct ptx_operand *o, bool is_store) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  u->size = (uint8_t)ptx_type_bytes(t);
  u->n_vec = (uint8_t)vector_of(d);
  u->is_signed = ptx_type_is_signed(t);
  u->reg_bytes = u->size;
  unsigned n = o->kind == PTX_O_vec ? o->n_elem : 1;
  for (unsigned k = 0; k < n; k++) {
    const struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[k] : o;
    if (e->kind == PTX_O_reg) u->reg_bytes = (uint8_t)dec_reg_bytes(d, e->reg);
  }
  uint32_t *list = dec_list(d, n);
  if (list == NULL) return;
  for (unsigned k = 0; k < n; k++) {
    const struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[k] : o;
    if (e->kind == PTX_O_sink)
      list[k] = UINT32_MAX;
    else if (e->kind == PTX_O_reg) {
      if (dec_reg_bytes(d, e->reg) != u->reg_bytes) {
        dec_fail(d, "the registers of a vector must have one size");
        return;
      }
      list[k] = dec_reg(d, e->reg);
    } else
      list[k] = dec_const(d, dec_imm_bits(e, t), u->reg_bytes);
  }
  u->x.list = list;
  if (is_store)
    u->b = list[0];
  else
    u->d = list[0];
}

/* A parameter of the kernel: a slot that is moved, or an access to the parameter block. */
static void decode_kernel_param(struct decoder *d, const struct ptx_operand *addr) {
  struct ptx_uop *u = d->uop;
  const struct ptx_func *f = dec_func(d);
  if (addr->var == NULL || u->n_vec != 1 || u->size >= 16) {
    u->space = PTX_SPACE_param;
    dec_address(d, addr);
    u->kind = PTX_K_MEM;
    u->h = PTX_H_ldparam;
    return;
  }
  uint64_t at = addr->var->offset + addr->imm;
  if (at > f->param_bytes || f->param_bytes - at < u->size) {
    dec_fail(d, "the access lies outside of the kernel's parameters");
    return;
  }
  u->a = dec_param(d, (uint32_t)at, u->size, u->reg_bytes, u->is_signed);
  dec_set_handler(d, u->reg_bytes == 1   ? PTX_H_mov_b8
                     : u->reg_bytes == 2 ? PTX_H_mov_b16
                     : u->reg_bytes == 4 ? PTX_H_mov_b32
                                         : PTX_H_mov_b64);
}

/* ld.param and st.param: parameters of the kernel are slots; those of functions are records in the
 * register block. */
static void decode_param_access(struct decoder *d, bool is_store) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *addr = &d->insn->opnds[is_store ? 0 : 1],
                           *data = &d->insn->opnds[is_store ? 1 : 0];
  dec_data(d, data, is_store);
  if (d->is_failed) return;
  const struct ptx_func *f = dec_func(d);
  bool is_kernel_param = false;
  for (uint32_t i = 0; f->is_entry && i < f->n_params; i++)
    is_kernel_param |= addr->var == &f->params[i];
  if (addr->var == NULL || is_kernel_param) {
    if (is_store)
      dec_fail(d, "a kernel's parameters cannot be stored to");
    else
      decode_kernel_param(d, addr);
    return;
  }
  if (addr->imm > addr->var->bytes || addr->var->bytes - addr->imm < (uint64_t)u->size * u->n_vec) {
    dec_fail(d, "the access lies outside of parameter '%s' (%llu bytes)", addr->var->name,
             (unsigned long long)addr->var->bytes);
    return;
  }
  u->imm = addr->var->bytes;
  u->c = (uint32_t)addr->imm;
  if (is_store)
    u->d = dec_place(d, addr->var);
  else
    u->a = dec_place(d, addr->var);
  u->kind = PTX_K_PLAIN;
  u->h = is_store ? PTX_H_param_st : PTX_H_param_ld;
}

void dec_access(struct decoder *d) {
  bool is_store = d->insn->op == PTX_OP_st;
  struct ptx_uop *u = d->uop;
  u->space = dec_space(d);
  if (u->space == PTX_SPACE_param) {
    decode_param_access(d, is_store);
    return;
  }
  const struct ptx_operand *addr = &d->insn->opnds[is_store ? 0 : 1],
                           *data = &d->insn->opnds[is_store ? 1 : 0];
  dec_data(d, data, is_store);
  dec_address(d, addr);
  u->kind = PTX_K_MEM;
  bool simple = u->n_vec == 1 && u->size == u->reg_bytes && (is_store || u->d != UINT32_MAX);
  if (simple && u->space == PTX_SPACE_global && u->size == 4)
    u->h = is_store ? PTX_H_stg_b32 : PTX_H_ldg_b32;
  else if (simple && u->space == PTX_SPACE_global && u->size == 8)
    u->h = is_store ? PTX_H_stg_b64 : PTX_H_ldg_b64;
  else if (simple && u->space == PTX_SPACE_shared && u->size == 4)
    u->h = is_store ? PTX_H_sts_b32 : PTX_H_lds_b32;
  else
    u->h = is_store ? PTX_H_st : PTX_H_ld;
}

void dec_atom(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool is_red = d->insn->op == PTX_OP_red;
  enum ptx_type t = dec_type(d, 0);
  static const struct {
    enum ptx_mod m;
    enum ptx_atom a;
  } ops[] = {{PTX_M_add, PTX_ATOM_ADD}, {PTX_M_min, PTX_ATOM_MIN}, {PTX_M_max, PTX_ATOM_MAX},
             {PTX_M_inc, PTX_ATOM_INC}, {PTX_M_dec, PTX_ATOM_DEC}, {PTX_M_and, PTX_ATOM_AND},
             {PTX_M_or, PTX_ATOM_OR},   {PTX_M_xor, PTX_ATOM_XOR}, {PTX_M_exch, PTX_ATOM_EXCH},
             {PTX_M_cas, PTX_ATOM_CAS}};
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (dec_has(d, ops[k].m)) u->aux = (uint8_t)ops[k].a;
  u->aux2 = t == PTX_T_f32 || t == PTX_T_f64     ? PTX_ATOM_FLOAT
            : t == PTX_T_f16 || t == PTX_T_f16x2 ? PTX_ATOM_F16
            : dec_is_half(t)                     ? PTX_ATOM_BF16
            : ptx_type_is_signed(t)              ? PTX_ATOM_SIGNED
                                                 : PTX_ATOM_UNSIGNED;
  u->size = (uint8_t)ptx_type_bytes(t);
  u->reg_bytes = u->size;
  u->n_vec = 1;
  u->space = dec_space(d);
  unsigned k = is_red ? 0 : 1;
  u->d = is_red ? UINT32_MAX : dec_dst(d, 0);
  dec_address(d, &d->insn->opnds[k]);
  u->b = dec_src(d, k + 1, t);
  if (u->aux == PTX_ATOM_CAS) u->c = dec_src(d, k + 2, t);
  u->kind = PTX_K_MEM;
  u->h = PTX_H_atom;
}

void dec_mbarrier(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  /* Copies are done at once: what an arrival without .noinc adds to be waited for is taken off
   * again. */
  if (d->insn->op == PTX_OP_cp && !dec_has(d, PTX_M_noinc)) {
    u->kind = PTX_K_NOP;
    return;
  }
  if (dec_has(d, PTX_M_pending_count)) {
    u->d = dec_dst(d, 0);
    u->a = dec_src(d, 1, PTX_T_b64);
    dec_set_handler(d, PTX_H_mbarrier_pending);
    return;
  }
  bool is_arrival = dec_has(d, PTX_M_arrive) || dec_has(d, PTX_M_arrive_drop);
  bool tests = dec_has(d, PTX_M_test_wait) || dec_has(d, PTX_M_try_wait);
  u->aux = dec_has(d, PTX_M_init)                      ? PTX_MB_INIT
           : dec_has(d, PTX_M_inval)                   ? PTX_MB_INVAL
           : tests && dec_has(d, PTX_M_parity)         ? PTX_MB_PARITY
           : tests                                     ? PTX_MB_TEST
           : is_arrival && dec_has(d, PTX_M_expect_tx) ? PTX_MB_ARRIVE_EXPECT
           : is_arrival                                ? PTX_MB_ARRIVE
           : dec_has(d, PTX_M_expect_tx)               ? PTX_MB_EXPECT
                                                       : PTX_MB_COMPLETE;
  u->aux2 = dec_has(d, PTX_M_arrive_drop);
  u->size = u->reg_bytes = 8;
  u->space = dec_space(d);
  unsigned k = (is_arrival && d->insn->op == PTX_OP_mbarrier) || tests ? 1 : 0; /* the address */
  u->d = k == 1 ? dec_dst(d, 0) : UINT32_MAX;
  dec_address(d, &d->insn->opnds[k]);
  u->b = d->insn->n_opnds > k + 1 ? dec_src(d, k + 1, u->aux == PTX_MB_TEST ? PTX_T_b64 : PTX_T_u32)
                                  : dec_const(d, 1, 4);
  u->kind = PTX_K_MEM;
  u->h = PTX_H_mbarrier;
}

/* A cache policy changes nothing that a program can see, and its bits mean nothing to it. */
void dec_policy(struct decoder *d) {
  d->uop->d = dec_dst(d, 0);
  d->uop->a = dec_const(d, 0, 8);
  dec_set_handler(d, PTX_H_mov_b64);
}

void dec_cp(struct decoder *d) {
  if (dec_has(d, PTX_M_mbarrier))
    dec_mbarrier(d);
  else
    dec_copy_async(d);
}
