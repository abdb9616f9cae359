/* One PTX instruction to one micro-operation: which handler, which slots. */
#include "exec/decode_ops.h"

static void (*const decoders[PTX_N_OPS])(struct decoder *d) = {
#define DEC(op, name) [PTX_OP_##op] = dec_##name,
#include "exec/decode_ops.def"
#undef DEC
};

bool dec_instruction(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  const struct ptx_insn *in = d->insn;
  u->guard = in->guarded ? dec_reg(d, in->guard) : SLOT_TRUE;
  u->guard_xor = in->guard_neg ? FULL : 0;
  u->rpc = PTX_NO_RPC;
  u->n_vec = 1;
  if (decoders[in->op] == NULL)
    return dec_fail(d, "'%s' is not executed", ptx_op_name((enum ptx_op)in->op));
  decoders[in->op](d);
  return !d->is_failed;
}
