/* Which array does an instruction access? Addresses are followed back through the registers to the
 * kernel parameter, or the variable, that they start from.
 *
 * Registers are looked at without regard to where in the function they are written: all their
 * definitions count. A parameter that is known to be a pointer (it is declared .ptr, or goes
 * through cvta) wins over one that is only added to it; two pointers in one address are not told
 * apart, and neither is one that was loaded from memory, be it only on one of several ways. */
#ifndef WEIR_PTX_ARRAYS_H
#define WEIR_PTX_ARRAYS_H

#include "ptx/ir.h"

struct weir_array { /* where addresses start */
  const struct ptx_var *var;
  uint64_t offset; /* within a parameter */
};

#define WEIR_NO_ARRAY UINT32_MAX

struct weir_arrays {
  const struct ptx_func *func;
  struct weir_array *v;
  uint32_t n;
  struct weir_origin { /* of each register */
    uint8_t level;
    uint32_t array;
  } * origin;
  struct weir_arena arena;
};

enum weir_status weir_arrays_find(struct weir_arrays *a, const struct ptx_func *f,
                                  struct weir_err *err);
void weir_arrays_free(struct weir_arrays *a);

/* Index of the array that an operand, which is an address, lies in; WEIR_NO_ARRAY: not known. */
uint32_t weir_array_at(const struct weir_arrays *a, const struct ptx_operand *o);
/* Index of the array that a load or store accesses, WEIR_NO_ARRAY if it is not known. */
uint32_t weir_array_of(const struct weir_arrays *a, const struct ptx_insn *in);

#endif
