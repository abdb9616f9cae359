#include "cli/classify_program.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/job.h"

enum weir_status weir_classify_program_open(struct weir_classify_program *c, char **argv,
                                            const struct weir_settings *s, const char *gpu,
                                            const struct weir_program_choice *choice,
                                            struct weir_err *err) {
  *c = (struct weir_classify_program){0};
  return weir_program_open(&c->program, argv, s, gpu, choice, err);
}

/* ---- kernels ---- */

static enum weir_status parse_module(struct weir_classify_program *c, size_t i,
                                     struct weir_err *err) {
  const struct weir_recorded_module *m = &c->recording.modules.v[i];
  struct ptx_diags diags = {0};
  enum weir_status st = ptx_parse(m->text, m->n_text, m->name, &c->modules[i], &diags);
  if (st != WEIR_OK) *err = diags.v[0];
  ptx_diags_free(&diags);
  return st == WEIR_OK ? ptx_image_load(&c->dev, c->modules[i], &c->images[i], err) : st;
}

/* Of relocatable code, functions of other modules may be missing. */
static enum weir_status build_kernel(struct weir_classify_program *c,
                                     const struct weir_recorded_kernel *k, struct weir_err *err) {
  struct ptx_program **out = &c->programs[c->n_programs];
  if (k->module >= c->n_modules) return weir_fail(err, WEIR_ENOENT, "its PTX is not known");
  enum weir_status st = WEIR_OK;
  if (c->images[k->module] == NULL) st = parse_module(c, k->module, err);
  if (st == WEIR_OK) st = ptx_program_build(c->images[k->module], k->name, &c->dev.cfg, out, err);
  if (st != WEIR_OK) return st;
  if (ptx_program_n_insns(*out) == k->n_insns) {
    c->n_programs++;
    return WEIR_OK;
  }
  ptx_program_free(*out);
  *out = NULL;
  return weir_fail(err, WEIR_EINVAL, "it has parts from other modules");
}

static enum weir_status build_kernels(struct weir_classify_program *c,
                                      const struct ptx_exec_cfg *exec, struct weir_err *err) {
  size_t n = c->recording.modules.n;
  struct weir_err why;
  c->modules = weir_calloc(n + 1, sizeof *c->modules);
  c->images = weir_calloc(n + 1, sizeof *c->images);
  c->programs = weir_calloc(c->recording.kernels.n + 1, sizeof *c->programs);
  if (c->modules == NULL || c->images == NULL || c->programs == NULL)
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  c->n_modules = (uint32_t)n;
  enum weir_status st = ptx_device_init(&c->dev, exec, err);
  c->has_device = st == WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < c->recording.kernels.n; i++)
    if (build_kernel(c, &c->recording.kernels.v[i], &why) != WEIR_OK)
      fprintf(stderr, "weir: kernel %s is %s: %s\n", c->recording.kernels.v[i].name,
              c->left_out != NULL ? c->left_out : "not classified", why.msg);
  return st;
}

/* ---- the program ---- */

enum weir_status weir_classify_program_run(struct weir_classify_program *c,
                                           const struct ptx_exec_cfg *exec, bool is_quiet,
                                           struct weir_err *err) {
  enum weir_status st = weir_temp_make(&c->folder, err);
  if (st != WEIR_OK) return st;
  snprintf(c->trace, sizeof c->trace, "%s/program.wtrace", c->folder.path);
  c->program.options.want_modules = exec != NULL;
  c->recording = (struct weir_program_recording){.out = c->trace, .level = 1, .is_quiet = is_quiet};
  st = weir_program_record(&c->program, &c->recording, &c->result, err);
  if (st == WEIR_OK && (weir_program_is_interrupted(&c->result) || weir_cli_signal() != 0))
    st = weir_fail(err, WEIR_ELIMIT, "%s was interrupted", c->program.name);
  return st == WEIR_OK && exec != NULL ? build_kernels(c, exec, err) : st;
}

void weir_classify_program_free(struct weir_classify_program *c) {
  for (uint32_t i = 0; i < c->n_programs; i++)
    ptx_program_free(c->programs[i]);
  for (uint32_t i = 0; i < c->n_modules; i++) {
    if (c->images[i] != NULL) ptx_image_free(c->images[i]);
    if (c->modules[i] != NULL) ptx_module_free(c->modules[i]);
  }
  free(c->programs);
  free(c->images);
  free(c->modules);
  if (c->has_device) ptx_device_free(&c->dev);
  weir_program_recording_free(&c->recording);
  weir_program_result_free(&c->result);
  weir_program_free(&c->program);
  weir_temp_remove(&c->folder);
}
