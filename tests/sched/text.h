/* PTX files and their kernels, decoded. */
#ifndef TESTS_SCHED_TEXT_H
#define TESTS_SCHED_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "exec/core.h"
#include "exec/exec.h"
#include "ptx/ir.h"

struct text {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct ptx_module *m;
  struct ptx_image *image;
};

/* NULL, or what is wrong; it stays valid until the next call. */
static inline const char *text_load(struct text *t, const char *ptx, size_t len, const char *name) {
  static struct weir_err err;
  struct ptx_diags diags = {0};
  *t = (struct text){0};
  weir_param_defaults(ptx_exec_table, &t->cfg);
  enum weir_status st = ptx_parse(ptx, len, name, &t->m, &diags);
  if (st != WEIR_OK && diags.n > 0) err = diags.v[0];
  ptx_diags_free(&diags);
  if (st != WEIR_OK) return err.msg;
  if (ptx_device_init(&t->dev, &t->cfg, &err) != WEIR_OK) return err.msg;
  return ptx_image_load(&t->dev, t->m, &t->image, &err) != WEIR_OK ? err.msg : NULL;
}

static inline const char *text_open(struct text *t, const char *path) {
  static struct weir_err err;
  char *ptx;
  size_t len;
  if (weir_file_read(path, (size_t)1 << 30, NULL, &ptx, &len, &err)) return err.msg;
  const char *why = text_load(t, ptx, len, path);
  free(ptx);
  return why;
}

static inline void text_close(struct text *t) {
  ptx_image_free(t->image);
  ptx_device_free(&t->dev);
  ptx_module_free(t->m);
}

/* As a launch of it would be described, but for its shape. */
static inline struct weir_kernel_info text_kernel(const struct ptx_program *p) {
  return (struct weir_kernel_info){.name = p->entry->name,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .n_warps = 1,
                                   .n_regs = p->n_stream_regs,
                                   .regs_per_thread = p->regs_estimate,
                                   .regs_estimated = true,
                                   .n_insns = p->n_code,
                                   .insns = p->statics,
                                   .outline = p->outline};
}

#endif
