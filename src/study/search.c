#include "study/search.h"

#include "base/number.h"

/* ---- questions ---- */

const struct weir_study_search *weir_search_of(const struct weir_study *s, size_t column,
                                               size_t *trial) {
  for (size_t i = 0; i < s->n_searches; i++) {
    const struct weir_study_search *x = &s->searches[i];
    *trial = column == x->column ? SIZE_MAX : column - x->first;
    if (column == x->column || (column >= x->first && *trial < x->n)) return x;
  }
  return NULL;
}

/* The runs of a trial, one for each repeat. */
static struct weir_run *runs_of(const struct weir_study *s, const struct weir_study_search *x,
                                size_t workload, size_t gpu, size_t trial) {
  return weir_study_repeat(s, workload, gpu, x->first + trial, 0);
}

/* Cycles of all repeats; UINT64_MAX: some have not ended. */
static uint64_t cycles_of(const struct weir_study *s, const struct weir_run *run) {
  uint64_t sum = 0;
  for (size_t r = 0; r < weir_study_repeats(s); r++) {
    if (run[r].state != WEIR_RUN_DONE) return UINT64_MAX;
    sum += run[r].sum.cycles;
  }
  return sum;
}

size_t weir_search_best(const struct weir_study *s, const struct weir_study_search *x,
                        size_t workload, size_t gpu) {
  uint64_t least = UINT64_MAX;
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < x->n; i++) {
    uint64_t cycles = cycles_of(s, runs_of(s, x, workload, gpu, i));
    if (cycles >= least) continue;
    least = cycles;
    best = i;
  }
  return best;
}

/* Its value is none for this machine. */
static bool cannot_be(const struct weir_study *s, const struct weir_study_search *x, size_t gpu,
                      size_t trial) {
  return weir_study_setup(s, gpu, x->first + trial)->is_left;
}

bool weir_search_is_tried(const struct weir_study *s, const struct weir_study_search *x,
                          size_t workload, size_t gpu, size_t trial) {
  enum weir_run_state state = runs_of(s, x, workload, gpu, trial)->state;
  if (cannot_be(s, x, gpu, trial)) return false;
  return state == WEIR_RUN_DONE || state == WEIR_RUN_FAILED;
}

/* ---- a few first ---- */

/* So many are all tried; steps are a quarter of the value. Of four workloads (gather, spmv, vecadd,
 * stencil, fermi-s0, input profile) that finds the best protecting distance of 256, or one 0.4 %
 * slower, with 22 to 30 trials; steps of a sixteenth take 56 to 61. */
enum { FEW = 16, STEP = 4 };

/* The value that is tried first after value i. Steps grow with the values, if they are numbers that
 * do: twice as far means more where there is little. */
static size_t next_coarse(const struct weir_study_search *x, size_t i) {
  double now, then;
  if (!weir_parse_number(x->values[i], &now)) return i + 1;
  for (size_t k = i + 1; k < x->n; k++)
    if (!weir_parse_number(x->values[k], &then) || then - now >= now / STEP) return k;
  return i + 1 < x->n ? x->n - 1 : x->n;
}

static bool is_coarse(const struct weir_study_search *x, size_t trial) {
  size_t at = 0;
  if (x->is_whole || x->n <= FEW || trial + 1 == x->n) return true;
  while (at < trial)
    at = next_coarse(x, at);
  return at == trial;
}

static void set_states(const struct weir_study *s, struct weir_run *run, enum weir_run_state from,
                       enum weir_run_state to) {
  for (size_t r = 0; r < weir_study_repeats(s); r++)
    if (run[r].state == from) run[r].state = to;
}

void weir_search_begin(struct weir_study *s) {
  for (size_t i = 0; i < s->n_searches; i++)
    for (size_t k = 0; k < s->searches[i].n; k++) {
      const struct weir_study_search *x = &s->searches[i];
      if (is_coarse(x, k)) continue;
      for (size_t w = 0; w < s->n_workloads; w++)
        for (size_t g = 0; g < s->n_gpus; g++)
          set_states(s, runs_of(s, x, w, g, k), WEIR_RUN_WAITING, WEIR_RUN_LEFT);
    }
}

/* ---- then those around the best ---- */

static bool is_open(const struct weir_study *s, const struct weir_study_search *x, size_t workload,
                    size_t gpu) {
  for (size_t k = 0; k < x->n; k++) {
    const struct weir_run *run = runs_of(s, x, workload, gpu, k);
    for (size_t r = 0; r < weir_study_repeats(s); r++)
      if (run[r].state == WEIR_RUN_WAITING || run[r].state == WEIR_RUN_RUNNING) return true;
  }
  return false;
}

/* Between two that were tried, the one in the middle, or what the machine can have next to it. */
static void open_middle(struct weir_study *s, const struct weir_study_search *x, size_t workload,
                        size_t gpu, size_t low, size_t high) {
  size_t middle = (low + high) / 2;
  for (size_t d = 0; middle >= low + d || middle + d < high; d++)
    for (int side = 0; side < 2; side++) {
      size_t k = side == 0 ? middle - d : middle + d;
      if (k <= low || k >= high || cannot_be(s, x, gpu, k)) continue;
      set_states(s, runs_of(s, x, workload, gpu, k), WEIR_RUN_LEFT, WEIR_RUN_WAITING);
      return;
    }
}

static void go_on(struct weir_study *s, const struct weir_study_search *x, size_t workload,
                  size_t gpu) {
  size_t best = weir_search_best(s, x, workload, gpu), low, high;
  if (best == SIZE_MAX || is_open(s, x, workload, gpu)) return;
  for (low = best; low > 0 && (low == best || !weir_search_is_tried(s, x, workload, gpu, low));)
    low--;
  for (high = best;
       high + 1 < x->n && (high == best || !weir_search_is_tried(s, x, workload, gpu, high));)
    high++;
  open_middle(s, x, workload, gpu, low, best);
  open_middle(s, x, workload, gpu, best, high);
}

void weir_search_go_on(struct weir_study *s, size_t workload) {
  for (size_t i = 0; i < s->n_searches; i++)
    for (size_t g = 0; g < s->n_gpus; g++)
      go_on(s, &s->searches[i], workload, g);
}
