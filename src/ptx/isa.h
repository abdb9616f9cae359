/* isa.def, compiled: the modifier groups and operand slots of every form.
 *
 * The tables are built once, on first use, from the rows' texts; they are constant afterwards. */
#ifndef WEIR_PTX_ISA_H
#define WEIR_PTX_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ir.h"
#include "stream/stream.h"

enum { PTX_MAX_GROUPS = 16, PTX_MAX_SLOTS = 8, PTX_MAX_SEQ = 5 };

/* One alternative of a group: nearly always a single modifier; `.xorsign.abs` is a sequence. */
struct ptx_alt {
  uint8_t n;
  uint16_t mods[PTX_MAX_SEQ];
};

struct ptx_group {
  bool optional;
  uint8_t n_alts;
  const struct ptx_alt *alts;
};

enum ptx_slot_type { PTX_ST_NTH, PTX_ST_FIXED, PTX_ST_WIDE };

struct ptx_slot {
  char kind; /* the letter of isa.def */
  bool optional, wider_ok;
  enum ptx_slot_type how;
  uint8_t nth;        /* PTX_ST_NTH: which of the type modifiers, from 0 */
  enum ptx_type type; /* PTX_ST_FIXED */
};

struct ptx_form {
  enum ptx_op op;
  const char *syntax, *operands; /* as in isa.def */
  enum weir_class cls;
  bool exec;
  uint8_t n_groups, n_slots, n_required;
  struct ptx_group groups[PTX_MAX_GROUPS];
  struct ptx_slot slots[PTX_MAX_SLOTS];
};

size_t ptx_n_forms(void);
const struct ptx_form *ptx_form(size_t row);
/* Rows [first, first + n) are not contiguous per opcode in isa.def; this lists them. */
const uint16_t *ptx_forms_of(enum ptx_op op, size_t *n);

/* Does this modifier list fit the row? In the row's order, or (any_order) with non-type modifiers
 * anywhere. */
bool ptx_form_matches(const struct ptx_form *f, const uint16_t *mods, unsigned n_mods,
                      bool any_order);
/* Type of a slot for these modifiers; PTX_T_none if it has none (unchecked slots). */
enum ptx_type ptx_slot_type_of(const struct ptx_slot *s, const struct ptx_insn *in);
/* Which slot does operand i of n fill? The optional slots are filled from the left. */
const struct ptx_slot *ptx_slot_at(const struct ptx_form *f, unsigned n_opnds, unsigned i);

/* Names to numbers; PTX_N_OPS, PTX_M_none and PTX_N_SREGS when unknown. */
enum ptx_op ptx_op_find(const char *s, size_t len);
enum ptx_mod ptx_mod_find(const char *s, size_t len);   /* without the dot */
enum ptx_sreg ptx_sreg_find(const char *s, size_t len); /* with the % */

/* Parts of a register that a video instruction works on at once: 1, 2 or 4; 0: it is none. */
unsigned ptx_video_lanes(enum ptx_op op);

/* The opcode that a misspelt one probably means, or NULL. */
const char *ptx_op_nearest(const char *word);

/* NULL if the tables are sound, else what is wrong with them; for tests. */
const char *ptx_isa_check(void);

#endif
