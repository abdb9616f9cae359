/* What an opcode of a trace means. The table is sass.def. */
#ifndef WEIR_TRACE_ACCELSIM_SASS_H
#define WEIR_TRACE_ACCELSIM_SASS_H

#include "stream/stream.h"

/* The user's word for opcodes, parsed from NAME=CLASS. */
struct weir_sass_override {
  const char *name; /* the caller's text, not terminated */
  size_t n;
  enum weir_class cls;
};
enum weir_status weir_sass_override_parse(const char *text, struct weir_sass_override *out,
                                          struct weir_err *err);

/* As the tracer wrote it. */
struct weir_sass_line {
  const char *opcode;
  size_t n_opcode;
  unsigned width; /* of the trace; 0: without addresses */
  unsigned n_dst, n_src;
  uint8_t dst[WEIR_MAX_DST], src[WEIR_MAX_SRC];
  bool has_imm;
  int64_t imm;
};

enum weir_sass_trouble {
  WEIR_SASS_FINE,
  WEIR_SASS_UNKNOWN,      /* opcode, or suffix of a memory opcode */
  WEIR_SASS_NO_ADDRESS,   /* a memory access without addresses */
  WEIR_SASS_ADDRESS,      /* addresses of an instruction that accesses no memory */
  WEIR_SASS_WIDTH,        /* neither opcode nor trace give a width that exists */
  WEIR_SASS_BARRIER_COUNT /* a barrier's immediate is no barrier id */
};

/* Fills class, space, width, cache operator, hint, scope and registers of `s`. Scopes: 0 none, 1
 * the block, 3 the GPU, 4 the system; of barriers the barrier's id. `lanes`: those whose addresses
 * count. With addresses and s->width 0, they are to be dropped. */
enum weir_sass_trouble weir_sass_decode(const struct weir_sass_line *l,
                                        const struct weir_sass_override *over, size_t n_over,
                                        struct weir_static *s, uint32_t *lanes);

#endif
