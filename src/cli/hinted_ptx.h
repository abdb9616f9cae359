/* The PTX of a workload or a program with hints on its loads, as files: for classify and advise. */
#ifndef WEIR_CLI_HINTED_PTX_H
#define WEIR_CLI_HINTED_PTX_H

#include "cli/classify_program.h"
#include "stream/hint.h"
#include "study/profile.h"

struct weir_hinted_ptx {
  const char *const *paths; /* of a workload one for each module, of a program that of the first */
  uint32_t n_paths;
  const struct weir_profile *profile;
  const struct weir_classify_program *program;                              /* NULL: a workload */
  enum weir_hint (*hint)(const void *self, uint32_t kernel, uint32_t load); /* of the kernel */
  const void *self;
  enum weir_hint otherwise; /* for loads that have none, or of which kernels disagree */
  bool is_quiet;
  struct weir_arena *arena;
};

enum weir_status weir_hinted_ptx_write(const struct weir_hinted_ptx *h, struct weir_err *err);
/* -o must be there for no module of the launch file or for each. */
enum weir_status weir_hinted_ptx_check(const char *path, const struct weir_launchfile *lf,
                                       uint32_t n_paths, struct weir_err *err);

#endif
