/* Which combinations of a form's modifiers become variants. */
#include <stdlib.h>
#include <string.h>

#include "truth.h"

enum { MAX_VALUES = 24 };

/* Value 0 of an optional group is its absence. */
static unsigned group_values(const struct ptx_group *g) {
  return g->n_alts + (g->optional ? 1u : 0u);
}

static uint64_t product(const struct ptx_form *f) {
  uint64_t n = 1;
  for (unsigned g = 0; g < f->n_groups; g++)
    n *= group_values(&f->groups[g]);
  return n;
}

static void decode(const struct ptx_form *f, uint64_t at, uint8_t *value, struct ptx_insn *in) {
  in->op = (uint16_t)f->op;
  in->n_mods = 0;
  for (unsigned g = 0; g < f->n_groups; g++) {
    const struct ptx_group *grp = &f->groups[g];
    unsigned n = group_values(grp), v = (unsigned)(at % n);
    at /= n;
    value[g] = (uint8_t)v;
    if (grp->optional && v == 0) continue;
    const struct ptx_alt *alt = &grp->alts[v - (grp->optional ? 1 : 0)];
    for (unsigned i = 0; i < alt->n && in->n_mods < PTX_MAX_MODS; i++)
      in->mods[in->n_mods++] = alt->mods[i];
  }
}

typedef bool pair_set[PTX_MAX_GROUPS][MAX_VALUES][PTX_MAX_GROUPS][MAX_VALUES];

static unsigned new_pairs(const struct ptx_form *f, const uint8_t *value, pair_set seen,
                          bool mark) {
  unsigned n = 0;
  for (unsigned g = 0; g < f->n_groups; g++)
    for (unsigned h = g + 1; h < f->n_groups; h++) {
      bool *s = &seen[g][value[g]][h][value[h]];
      if (!*s) n++;
      if (mark) *s = true;
    }
  return n;
}

struct truth_combo *truth_combos(const struct ptx_form *f, size_t limit,
                                 bool (*valid)(const struct ptx_insn *in), size_t *n) {
  static pair_set seen;
  memset(seen, 0, sizeof seen);
  uint64_t total = product(f);
  struct truth_combo *out = NULL;
  size_t cap = 0;
  *n = 0;
  uint64_t n_valid = 0;
  uint8_t value[PTX_MAX_GROUPS];
  struct ptx_insn in = {0};
  for (uint64_t i = 0; i < total && n_valid <= limit; i++) {
    decode(f, i, value, &in);
    n_valid += valid(&in);
  }
  bool all = n_valid <= limit;
  /* A stride that shares no factor with small products walks them in a scattered order; a
   * combination is first taken only if it brings many new pairs. */
  static const unsigned least[] = {8, 4, 2, 1};
  for (unsigned pass = all ? 3 : 0; pass < 4; pass++) {
    for (uint64_t i = 0; i < total; i++) {
      decode(f, all ? i : i * UINT64_C(1000003) % total, value, &in);
      if (!all && new_pairs(f, value, seen, false) < least[pass]) continue;
      if (!valid(&in)) continue;
      if (*n == cap) {
        cap = cap ? 2 * cap : 64;
        struct truth_combo *more = realloc(out, cap * sizeof *out);
        if (!more) {
          free(out);
          *n = 0;
          return NULL;
        }
        out = more;
      }
      struct truth_combo *c = &out[(*n)++];
      c->n_mods = in.n_mods;
      memcpy(c->mods, in.mods, sizeof c->mods);
      new_pairs(f, value, seen, true);
    }
  }
  return out;
}
