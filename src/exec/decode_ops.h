/* One function for each kind of instruction: it fills d->uop from d->insn (decode_ops.def). */
#ifndef WEIR_EXEC_DECODE_OPS_H
#define WEIR_EXEC_DECODE_OPS_H

#include "exec/decode.h"

#define DEC(op, name) void dec_##name(struct decoder *d);
#include "exec/decode_ops.def"
#undef DEC
/* The part of cp.* that copies. */
void dec_copy_async(struct decoder *d);

#endif
