/* A cache for texture reads beside the L1, for machines that have one (sm.texture_bytes): tags of
 * whole lines, least recently used. What it lacks is read past the L1; who asks for a line on its
 * way waits for it. A kernel finds it empty. */
#ifndef WEIR_SIM_TEXTURE_H
#define WEIR_SIM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct weir_machine;
struct weir_texture;

/* NULL: out of memory. */
struct weir_texture *weir_texture_new(const struct weir_machine *m);
void weir_texture_free(struct weir_texture *t);
void weir_texture_empty(struct weir_texture *t);

enum weir_texel { WEIR_TEXEL_HERE, WEIR_TEXEL_PENDING, WEIR_TEXEL_AWAY };
enum weir_texel weir_texture_find(const struct weir_texture *t, uint64_t addr);
/* A read finds the line here; waits for it, as `load`; has sent for it (no line is given up that
 * others wait for: if a set has no other, it is not kept). */
void weir_texture_hit(struct weir_texture *t, uint64_t addr);
void weir_texture_wait(struct weir_texture *t, uint64_t addr, uint32_t load);
void weir_texture_sent(struct weir_texture *t, uint64_t addr);
/* A line has come: one load after the other that has waited, in the order in which they came, then
 * UINT32_MAX. */
uint32_t weir_texture_came(struct weir_texture *t, uint64_t addr);

#endif
