/* Textures and surfaces: what is asked of an H200 and of the interpreter alike.
 *
 * A case is a kernel, a texture or surface, and coordinates. Texels, coordinates and the kernels'
 * texts are made here from tables and hashes alone, so that only results need to be stored. Thread
 * i of the kernel gets 32 bytes of operands at in + 32 * i and writes 16 bytes at out + 16 * i;
 * what surface writes leave behind is the array itself. */
#ifndef WEIR_TESTS_TEX_CASES_H
#define WEIR_TESTS_TEX_CASES_H

#include "exec/tex.h"

enum {
  TEX_CASE_THREADS = 64, /* a case has a multiple of these */
  TEX_IN_BYTES = 32,
  TEX_OUT_BYTES = 16,
  TEX_MAX_TEXT = 4096
};

enum tex_op {
  TEX_TEX,
  TEX_LEVEL,
  TEX_GRAD,
  TEX_OFFSET,
  TEX_TLD4,
  TEX_TXQ,
  TEX_SULD,
  TEX_SUST,
  TEX_SURED,
  TEX_SUQ
};

/* How coordinates are chosen. */
enum tex_coords {
  TEX_ANY,   /* edges, borders between texels, special values, random ones */
  TEX_SWEEP, /* small steps from texel 0 to texel 1 and on */
  TEX_DIRECTION
};

struct tex_case {
  enum tex_op op;
  const char *mods; /* of the instruction, all of them: ".2d.v4.f32.f32" */
  bool is_integer;  /* coordinates */
  enum tex_coords coords;
  bool is_pitched;          /* 2D in linear memory */
  bool has_specials;        /* infinities and NaNs among texels that are filtered */
  uint32_t n;               /* threads */
  struct ptx_tex_desc desc; /* addr, pitch and slice are not set */
};

/* All cases, in a fixed order; malloc'ed with their strings. NULL when out of memory. */
struct tex_case *tex_cases(size_t *n);
void tex_cases_free(struct tex_case *cases, size_t n);

/* The module with kernel 'k'. */
void tex_case_text(const struct tex_case *c, char text[TEX_MAX_TEXT]);
void tex_case_operands(const struct tex_case *c, size_t index, uint8_t *in);
/* Texels row after row, slice after slice, without padding. */
size_t tex_case_texel_bytes(const struct tex_case *c);
void tex_case_texels(const struct tex_case *c, uint8_t *texels);
/* Bytes of a result: of all threads, or of the array. */
bool tex_case_writes(const struct tex_case *c);
size_t tex_case_result_bytes(const struct tex_case *c);

#endif
