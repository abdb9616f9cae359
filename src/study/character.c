#include "study/character.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static enum weir_status read_tape(void *self, const struct weir_timing *t, uint32_t sm,
                                  const struct weir_tape *tape, struct weir_err *err) {
  struct weir_character *c = self;
  (void)t;
  return weir_locality_tape(&c->locality, sm, tape, err);
}

enum weir_status weir_character_begin(struct weir_character *c, const struct weir_setup *setup,
                                      const struct weir_timing_options *o, const char *workload,
                                      uint32_t stretch, struct weir_err *err) {
  struct weir_timing_options with = *o;
  *c = (struct weir_character){.setup = setup};
  with.read_tape = read_tape;
  with.tape_self = c;
  weir_timing_begin(&c->timing, setup, &with);
  enum weir_status st = weir_locality_begin(&c->locality, &setup->machine, stretch, err);
  return st == WEIR_OK ? weir_timing_workload(&c->timing, workload, NULL, err) : st;
}

void weir_character_free(struct weir_character *c) {
  for (size_t i = 0; i < c->known.n; i++)
    weir_loads_free(&c->known.v[i]);
  free(c->known.v);
  weir_timing_end(&c->timing);
  weir_locality_free(&c->locality);
  *c = (struct weir_character){0};
}

enum weir_status weir_character_know(struct weir_character *c, const struct ptx_program *prog,
                                     struct weir_err *err) {
  struct weir_loads loads;
  for (size_t i = 0; i < c->known.n; i++)
    if (c->known.v[i].module == ptx_program_module(prog) &&
        strcmp(c->known.v[i].kernel, ptx_program_entry(prog)->name) == 0)
      return WEIR_OK;
  enum weir_status st = weir_loads_find(&loads, prog, false, err);
  if (st != WEIR_OK || WEIR_PUSH(c->known, loads)) return st;
  weir_loads_free(&loads);
  return weir_no_memory(err);
}

/* The number that the timing gives the kernel when it has run: that of an earlier launch, or the
 * next. */
static uint32_t number_of(const struct weir_timing *t, const struct weir_kernel_info *k) {
  for (size_t i = 0; i < t->kernels.n; i++)
    if (strcmp(t->kernels.v[i].kernel, k->name) == 0 && t->kernels.v[i].n_insns == k->n_insns)
      return (uint32_t)i;
  return (uint32_t)t->kernels.n;
}

enum weir_status weir_character_kernel(void *self, struct weir_block_source *source,
                                       struct weir_err *err) {
  struct weir_character *c = self;
  const struct weir_kernel_info *k = source->kernel;
  enum weir_status st =
      weir_locality_launch(&c->locality, number_of(&c->timing, k), k->n_insns, k->n_warps, err);
  return st == WEIR_OK ? weir_timing_kernel(&c->timing, source, err) : st;
}

enum weir_status weir_character_end(struct weir_character *c, bool check, struct weir_err *err) {
  return check ? weir_timing_check(&c->timing, err) : weir_timing_rewind(&c->timing, err);
}

/* ---- loads ---- */

const struct weir_timed_kernel *weir_character_timed(const struct weir_character *c,
                                                     uint32_t kernel) {
  return &c->timing.kernels.v[kernel];
}

const struct weir_static *weir_character_insn(const struct weir_character *c, uint32_t load) {
  const struct weir_locality_load *l = &c->locality.loads.v[load];
  return &weir_character_timed(c, l->kernel)->insns[l->insn];
}

const char *weir_character_array(const struct weir_character *c, uint32_t load) {
  const struct weir_locality_load *l = &c->locality.loads.v[load];
  const struct weir_timed_kernel *k = weir_character_timed(c, l->kernel);
  for (size_t i = 0; i < c->known.n; i++) {
    const struct weir_loads *of = &c->known.v[i];
    if (strcmp(of->kernel, k->kernel) != 0 || of->n_insns != k->n_insns) continue;
    for (uint32_t n = 0; n < of->n; n++) {
      const char *array = of->v[n].array;
      if (of->v[n].insn != l->insn || array == NULL) continue;
      size_t len = strlen(of->kernel); /* parameters are called after their kernels */
      return strncmp(array, of->kernel, len) == 0 && array[len] == '_' ? array + len + 1 : array;
    }
  }
  return NULL;
}

const char *weir_character_source(const struct weir_character *c, uint32_t load, char *text,
                                  size_t len) {
  const struct weir_timed_kernel *k = weir_character_timed(c, c->locality.loads.v[load].kernel);
  const struct weir_static *s = weir_character_insn(c, load);
  const char *file = s->file < k->n_files ? k->files[s->file] : NULL;
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  if (s->line > 0 && file != NULL)
    snprintf(text, len, "%s:%u", slash != NULL ? slash + 1 : file, s->line);
  else if (s->ptx_line > 0)
    snprintf(text, len, "PTX line %u", s->ptx_line);
  else
    snprintf(text, len, "0x%x", s->pc);
  return text;
}

static int by_place(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

uint32_t *weir_character_loads(const struct weir_character *c, size_t *n) {
  const struct weir_locality_set *s = &c->locality;
  *n = s->loads.n;
  uint64_t *place = weir_malloc((*n + 1) * sizeof *place);
  uint32_t *out = weir_malloc((*n + 1) * sizeof *out);
  if (place == NULL || out == NULL) {
    free(place);
    free(out);
    return NULL;
  }
  for (size_t i = 0; i < *n; i++)
    place[i] = (uint64_t)s->loads.v[i].kernel << 32 | s->loads.v[i].insn;
  qsort(place, *n, sizeof *place, by_place);
  for (size_t i = 0; i < *n; i++)
    out[i] = s->kernels.v[place[i] >> 32].load[(uint32_t)place[i]] - 1;
  free(place);
  return out;
}
