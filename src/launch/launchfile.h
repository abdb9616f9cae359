/* Launch files: what a host program would do, read from YAML (docs/launch-file.md).
 *
 * A loaded file is a description for one input: buffers, launches, expected results. It knows
 * neither device memory nor kernels; whoever runs it asks for contents, parameter blocks and
 * verdicts with the functions below. One thread at a time may use a struct weir_launchfile. */
#ifndef WEIR_LAUNCH_LAUNCHFILE_H
#define WEIR_LAUNCH_LAUNCHFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "exec/tex.h"
#include "launch/expr.h"
#include "ptx/ir.h"
#include "weir/err.h"

enum {
  WEIR_LF_MODULES = 64,
  WEIR_LF_INPUTS = 256,
  WEIR_LF_BUILDS = 16,
  WEIR_INPUT_NAME = 2 * (WEIR_CONFIG_KEY + 1), /* bytes of INPUT@BUILD */
  WEIR_LF_SETS = 32,
  WEIR_LF_VARS = 1024,
  WEIR_LF_BUFFERS = 1024,
  WEIR_LF_LAUNCHES = 65536,
  WEIR_LF_ARGS = 1024,
  WEIR_LF_EXPECTS = 65536,
  WEIR_LF_REPEAT = 1000000,
  WEIR_LF_REGISTERS = 255, /* per thread */
  WEIR_LF_SHARED = 232448  /* bytes per block: the most that sm_90 can be asked for */
};
#define WEIR_LF_BYTES (UINT64_C(64) << 30) /* of all buffers together */

enum weir_contents_kind {
  WEIR_CONTENTS_ZERO,
  WEIR_CONTENTS_FORMULA,
  WEIR_CONTENTS_UNIFORM,
  WEIR_CONTENTS_VALUES,
  WEIR_CONTENTS_FILE,
  WEIR_CONTENTS_CHECKSUM /* expected results only */
};

/* How the elements of a buffer come about. */
struct weir_contents {
  enum weir_contents_kind kind;
  const struct weir_expr *formula;
  struct weir_value lo, hi; /* uniform */
  uint64_t seed;
  const void *values; /* converted already */
  const char *path;   /* as seen from the working directory */
  uint64_t checksum;
  struct weir_where where;
};

struct weir_lf_buffer {
  const char *name;
  enum ptx_type type;
  unsigned element_bytes;
  uint64_t count, bytes;
  struct weir_contents init;
  struct weir_where where; /* of the name */
};

/* A texture or surface: a buffer seen as texels. The description lacks the address. */
struct weir_lf_texture {
  const char *name;
  bool is_surface;
  uint32_t buffer;
  struct ptx_tex_desc desc;
  struct weir_where where; /* of the name */
};

struct weir_lf_field { /* of a parameter that is an array of bytes */
  enum ptx_type type;
  const struct weir_expr *value;
  struct weir_where where;
};

struct weir_lf_arg {
  const struct weir_expr *value; /* NULL: fields */
  const struct weir_lf_field *fields;
  uint32_t n_fields;
  struct weir_where where;
};

struct weir_lf_set {
  uint32_t buffer;
  const struct weir_expr *value;
};

struct weir_lf_launch {
  const char *kernel;
  struct weir_where where;                                 /* of the kernel's name */
  const struct weir_expr *grid[3], *block[3], *dyn_shared; /* NULL: 1, or 0 bytes */
  struct weir_where grid_where[3], block_where[3], shared_where;
  int registers, static_shared; /* -1: not given */
  bool cooperative;
  const struct weir_lf_arg *args;
  uint32_t n_args;
  struct weir_where args_where;
  uint32_t repeat;
  uint32_t together; /* of the first of a group: launches that are repeated in turn; else 1 */
  bool has_until;
  uint32_t until_buffer;
  const struct weir_expr *until_index, *until_equals;
  struct weir_where until_where;
  const struct weir_lf_set *sets;
  uint32_t n_sets;
};

struct weir_lf_expect {
  uint32_t buffer;
  struct weir_contents want;
  bool has_tolerance;
  double abs_max, rel_max; /* negative: not given */
  int64_t ulp_max;         /* negative: not given */
  struct weir_where where;
};

struct weir_lf_paper { /* a set, and what its paper calls the workload */
  const char *set, *name;
};
/* What a workload was made after, and what of it is missing; for people. NULL where not given. */
struct weir_lf_origin {
  const char *program, *kernels, *launches, *block, *shared, *loads, *size, *lost, *sketch;
  const struct weir_lf_paper *papers;
  uint32_t n_papers;
};

struct weir_launchfile {
  const char *path, *name, *about; /* about: "" if not given */
  const char *input; /* the one chosen, with @BUILD if that is not the first; "" if there is none */
  const char *input_key, *build; /* the same in two parts; "" if the file has none */
  const char *const *inputs;     /* all, in order */
  const char *const *builds;     /* all, in order */
  const char *const *sets;       /* names of groups of workloads that it belongs to */
  uint32_t n_inputs, n_builds, n_sets;
  struct weir_lf_origin origin;
  const char *const *modules; /* paths as seen from the working directory */
  const struct weir_where *module_where;
  uint32_t n_modules;
  bool link; /* the modules make one program */
  const struct weir_lf_buffer *buffers;
  uint32_t n_buffers;
  uint64_t total_bytes;
  const struct weir_lf_texture *textures; /* and surfaces */
  uint32_t n_textures;
  const struct weir_lf_launch *launches;
  uint32_t n_launches;
  const struct weir_lf_expect *expects; /* those for this input */
  uint32_t n_expects;
  /* private */
  struct weir_config config;
  struct weir_arena arena;
  struct weir_expr_array *arrays; /* initial contents that at() needed so far, one per buffer */
};

/* Read `path` for the input named, or the first: INPUT, INPUT@BUILD or @BUILD. */
enum weir_status weir_launchfile_load(const char *path, const char *input,
                                      struct weir_launchfile **out, struct weir_err *err);
/* The same from text in memory; `path` is for messages and relative names. */
enum weir_status weir_launchfile_parse(const char *path, const char *text, size_t len,
                                       const char *input, struct weir_launchfile **out,
                                       struct weir_err *err);
void weir_launchfile_free(struct weir_launchfile *lf);
/* Does the file have this input? */
bool weir_launchfile_has_input(const struct weir_launchfile *lf, const char *input);
/* Index of a buffer, or -1. */
int weir_launchfile_buffer(const struct weir_launchfile *lf, const char *name);

/* Initial contents of a buffer into `dst` (buffers[index].bytes). */
enum weir_status weir_buffer_generate(struct weir_launchfile *lf, uint32_t index, void *dst,
                                      struct weir_err *err);

struct weir_launch_shape {
  uint32_t grid[3], block[3];
  uint32_t dyn_shared_bytes;
};
/* `k` counts the repetitions of a launch from 0, here and below. */
enum weir_status weir_launch_shape(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                   struct weir_launch_shape *out, struct weir_err *err);

/* A kernel's parameter, as the caller's parser knows it. */
struct weir_lf_param {
  const char *name;
  enum ptx_type type;
  uint64_t bytes, offset;
  bool is_array;
};
/* The parameter block of a launch: `block_bytes` bytes at `block`. `addresses` has one entry per
 * buffer, then one per texture or surface: its handle. */
enum weir_status weir_launch_args(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                  const uint64_t *addresses, const struct weir_lf_param *params,
                                  uint32_t n_params, void *block, size_t block_bytes,
                                  struct weir_err *err);

/* Contents that `sets[set]` gives its buffer before repetition `k`, into `dst` (the buffer's
 * bytes). */
enum weir_status weir_launch_set(const struct weir_launchfile *lf, uint32_t launch, uint32_t set,
                                 uint32_t k, void *dst, struct weir_err *err);

/* `until`: where in until_buffer the element stands, and whether its bytes end the repetition. */
enum weir_status weir_until_offset(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                   uint64_t *offset, struct weir_err *err);
enum weir_status weir_until_holds(const struct weir_launchfile *lf, uint32_t launch, uint32_t k,
                                  const void *element, bool *holds, struct weir_err *err);

/* Compare final contents (the buffer's bytes) with an expected result. WEIR_EFAULT: they differ;
 * the message has the first difference and the number of them. */
enum weir_status weir_expect_check(struct weir_launchfile *lf, uint32_t expect, const void *actual,
                                   struct weir_err *err);

#endif
