/* Registers per thread that weir takes kernels to have where nobody has counted them.
 *
 *   sched_estimate FILE.ptx...      a line for each kernel: name of the file, kernel, registers */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exec/core.h"
#include "exec/exec.h"
#include "ptx/ir.h"

static int die(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  return 2;
}

static int print_kernels(const char *path, const struct ptx_module *m,
                         const struct ptx_image *image, const struct ptx_exec_cfg *cfg) {
  const char *slash = strrchr(path, '/');
  struct weir_err err;
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_program *p = NULL;
    if (!m->funcs[i]->is_entry || !m->funcs[i]->has_body) continue;
    if (ptx_program_build(image, m->funcs[i]->name, cfg, &p, &err) != WEIR_OK)
      return die(path, err.msg);
    printf("%s\t%s\t%u\n", slash != NULL ? slash + 1 : path, m->funcs[i]->name, p->regs_estimate);
    ptx_program_free(p);
  }
  return 0;
}

static int print_file(const char *path) {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct ptx_module *m = NULL;
  struct ptx_image *image = NULL;
  struct ptx_diags diags = {0};
  struct weir_err err;
  char *text;
  size_t len;
  if (weir_file_read(path, (size_t)1 << 30, NULL, &text, &len, &err)) return die(path, err.msg);
  weir_param_defaults(ptx_exec_table, &cfg);
  enum weir_status status = ptx_parse(text, len, path, &m, &diags);
  free(text);
  int code = 2;
  if (status != WEIR_OK) {
    code = die(path, diags.n > 0 ? diags.v[0].msg : "cannot be parsed");
  } else if (ptx_device_init(&dev, &cfg, &err) != WEIR_OK) {
    code = die(path, err.msg);
  } else {
    code = ptx_image_load(&dev, m, &image, &err) != WEIR_OK ? die(path, err.msg)
                                                            : print_kernels(path, m, image, &cfg);
    ptx_image_free(image);
    ptx_device_free(&dev);
  }
  ptx_module_free(m);
  ptx_diags_free(&diags);
  return code;
}

int main(int argc, char **argv) {
  int worst = 0;
  for (int i = 1; i < argc; i++) {
    int code = print_file(argv[i]);
    if (code > worst) worst = code;
  }
  return worst;
}
