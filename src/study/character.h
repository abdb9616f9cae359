/* A workload characterised: one timed run of the machine's own L1, and what the L1s accepted in it,
 * analysed (analysis/locality.h). */
#ifndef WEIR_STUDY_CHARACTER_H
#define WEIR_STUDY_CHARACTER_H

#include "analysis/loads.h"
#include "analysis/locality.h"
#include "session/timing.h"
#include "study/run_classes.h"
#include "study/store.h"

struct weir_study_workload;

struct weir_character {
  const struct weir_setup *setup;
  struct weir_timing timing; /* its kernels are numbered as those of the analysis */
  struct weir_locality_set locality;
  struct {
    struct weir_loads *v; /* of kernels whose PTX is known, for the arrays that loads read */
    size_t n, cap;
  } known;
};

/* The setup is that of the machine's own L1, and outlives it. Of the options, the tape is taken.
 * After a failure it is to be freed, too. */
enum weir_status weir_character_begin(struct weir_character *c, const struct weir_setup *setup,
                                      const struct weir_timing_options *o, const char *workload,
                                      uint32_t stretch, struct weir_err *err);
void weir_character_free(struct weir_character *c);
/* A kernel of the workload; its module outlives `c`. */
enum weir_status weir_character_know(struct weir_character *c, const struct ptx_program *prog,
                                     struct weir_err *err);
/* Consumes the blocks of a launch: a `simulate` hook of weir_workload_run and a hook of
 * weir_replay. `self` is the struct weir_character. */
enum weir_status weir_character_kernel(void *self, struct weir_block_source *source,
                                       struct weir_err *err);
/* After the last one; with `check`, the conservation rules, too. */
enum weir_status weir_character_end(struct weir_character *c, bool check, struct weir_err *err);

/* ---- in a store ---- */

struct weir_character_run {
  const struct weir_study_workload *workload;
  const struct weir_settings *settings; /* of the setup */
  const char *gpu;
  const char *provenance;                 /* JSON; NULL: none */
  const struct weir_run_classes *classes; /* NULL: none */
};
/* As a run of its own, beside one that was only timed, with "characterize" as its scheme: with the
 * statistics characterize.NAME of analysis/traits.h, of the workload and of its kernels. */
enum weir_status weir_character_keep(const struct weir_character *c,
                                     const struct weir_character_run *r, struct weir_store *store,
                                     struct weir_err *err);

/* ---- its loads ---- */

const struct weir_timed_kernel *weir_character_timed(const struct weir_character *c,
                                                     uint32_t kernel);
/* The static instruction of a load. */
const struct weir_static *weir_character_insn(const struct weir_character *c, uint32_t load);
/* What its array is called, without the kernel's name before it; NULL: not known. */
const char *weir_character_array(const struct weir_character *c, uint32_t load);
/* "spmv.cu:14", or what else says where it is. Returns `text`. */
const char *weir_character_source(const struct weir_character *c, uint32_t load, char *text,
                                  size_t len);
/* The numbers of its loads with some reference or a way past the L1, in the order of kernels and
 * instructions; free() them. NULL: no memory. */
uint32_t *weir_character_loads(const struct weir_character *c, size_t *n);

#endif
