#include "session/hinted.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint32_t find(const struct weir_hinted *h, const struct weir_kernel_info *k) {
  for (uint32_t i = 0; i < h->n; i++)
    if (h->v[i].n_insns == k->n_insns && strcmp(h->v[i].kernel, k->name) == 0) return i;
  return h->n;
}

static void note(struct weir_launched_with *had, const struct weir_kernel_info *k) {
  uint32_t shared = k->static_shared + k->dyn_shared;
  if (shared > had->shared_bytes) had->shared_bytes = shared;
  if (k->carveout != 0) had->carveout = k->carveout;
}

/* A copy of the kernel's instructions, once for each launch. */
static enum weir_status copy_insns(struct weir_hinted *h, const struct weir_hints *hints,
                                   const struct weir_kernel_info *k, struct weir_err *err) {
  if (k->n_insns > h->room) {
    struct weir_static *more = weir_realloc(h->insns, k->n_insns * sizeof *more);
    if (more == NULL) return weir_no_memory(err);
    h->insns = more;
    h->room = k->n_insns;
  }
  if (k->n_insns > 0) memcpy(h->insns, k->insns, k->n_insns * sizeof *h->insns);
  for (uint32_t i = 0; i < hints->n; i++)
    if (hints->insn[i] < k->n_insns)
      weir_hint_put(&h->insns[hints->insn[i]], (enum weir_hint)hints->hint[i]);
  return WEIR_OK;
}

enum weir_status weir_hinted_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err) {
  struct weir_hinted *h = self;
  const struct weir_kernel_info *kernel = source->kernel;
  uint32_t i = find(h, kernel);
  if (i == h->n) return weir_timing_kernel(h->timing, source, err);
  if (h->had != NULL) note(&h->had[i], kernel);
  enum weir_status st = copy_insns(h, &h->v[i], kernel, err);
  if (st != WEIR_OK) return st;
  struct weir_kernel_info with = *kernel;
  with.insns = h->insns;
  if (kernel->carveout == 0) with.carveout = h->v[i].carveout;
  source->kernel = &with;
  st = weir_timing_kernel(h->timing, source, err);
  source->kernel = kernel;
  return st;
}

void weir_hinted_free(struct weir_hinted *h) {
  free(h->insns);
  *h = (struct weir_hinted){0};
}
