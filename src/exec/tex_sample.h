/* Reading a texture at a place: which texels, and what becomes of them. */
#ifndef WEIR_EXEC_TEX_SAMPLE_H
#define WEIR_EXEC_TEX_SAMPLE_H

#include "exec/tex.h"

enum { PTX_TEX_MAX_TEXELS = 8 };

struct ptx_tex_point {
  bool is_integer;
  float f[3];        /* coordinates, or */
  int32_t s[3];      /* integers */
  uint32_t layer;    /* of layered ones */
  int32_t offset[3]; /* added to the texel's index */
};

struct ptx_tex_touch { /* texels read: their distances in bytes from the first one */
  unsigned n;
  uint64_t at[PTX_TEX_MAX_TEXELS];
};

/* `texels` is where desc->texels.addr lies in the host's memory. The result are the bits of four
 * floats or integers. */
void ptx_tex_sample(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, uint32_t out[4], struct ptx_tex_touch *t);
/* One channel of the four texels that a linear filter would mix. */
void ptx_tex_gather(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, unsigned channel, uint32_t out[4],
                    struct ptx_tex_touch *t);

/* A texel as four channels of 32 bits, and back: integers that do not fit become the nearest that
 * does, floats are cut. */
void ptx_texel_load(struct ptx_texel x, const uint8_t *from, uint32_t out[4]);
void ptx_texel_store(struct ptx_texel x, uint8_t *to, const uint32_t in[4]);

#endif
