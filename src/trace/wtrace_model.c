#include "trace/wtrace_model.h"

#include <stdlib.h>

#include "base/mem.h"

bool wt_model_init(struct wt_model *m, const struct weir_kernel_info *k) {
  *m = (struct wt_model){.n_warps = k->n_warps, .n_insns = k->n_insns};
  m->slot_of = weir_malloc((k->n_insns + (size_t)1) * sizeof *m->slot_of);
  if (!m->slot_of) return false;
  for (uint32_t i = 0; i < k->n_insns; i++)
    m->slot_of[i] = k->insns[i].width ? m->n_slots++ : UINT32_MAX;
  size_t firsts = (size_t)m->n_slots * k->n_warps;
  m->n_firsts = firsts < WT_MODEL_FIRSTS ? (uint32_t)firsts : WT_MODEL_FIRSTS;
  m->slot = weir_calloc(m->n_slots + (size_t)1, sizeof *m->slot);
  m->firsts = weir_calloc(m->n_firsts + (size_t)1, sizeof *m->firsts);
  if (!m->slot || !m->firsts) {
    wt_model_free(m);
    return false;
  }
  for (uint32_t i = 0; i < k->n_insns; i++) {
    if (m->slot_of[i] == UINT32_MAX) continue;
    struct wt_slot *s = &m->slot[m->slot_of[i]];
    uint8_t space = k->insns[i].space, width = k->insns[i].width;
    s->own_space = space == WEIR_SP_NONE || space == WEIR_SP_GENERIC ? WEIR_SP_GLOBAL : space;
    s->own_stride = width;
    s->align = (uint8_t)__builtin_ctz(width);
  }
  wt_model_reset(m);
  return true;
}

void wt_model_free(struct wt_model *m) {
  free(m->slot);
  free(m->slot_of);
  free(m->firsts);
  *m = (struct wt_model){0};
}

void wt_model_reset(struct wt_model *m) {
  for (uint32_t i = 0; i < m->n_slots; i++) {
    struct wt_slot *s = &m->slot[i];
    *s = (struct wt_slot){.own_space = s->own_space,
                          .own_stride = s->own_stride,
                          .align = s->align,
                          .space = s->own_space,
                          .stride = s->own_stride};
  }
  memset(m->firsts, 0, m->n_firsts * sizeof *m->firsts);
  m->last = 0;
  m->warp = 0;
  m->warp_serial = 0;
}
