/* PTX text: parsing, printing, control-flow graphs, loading and decoding. */
#include <string.h>

#include "fuzz.h"
#include "ptx/exec.h"

static struct ptx_module *parse(const char *text, size_t n) {
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  enum weir_status st = ptx_parse(text, n, "fuzz.ptx", &m, &diags);
  PROMISE((st == WEIR_OK) == (m != NULL));
  PROMISE(st == WEIR_OK || diags.n > 0);
  for (size_t i = 0; i < diags.n; i++)
    PROMISE(memchr(diags.v[i].msg, 0, WEIR_ERR_TEXT) != NULL);
  ptx_diags_free(&diags);
  return m;
}

/* Printed text is PTX that means and prints the same. */
static void round_trip(const struct ptx_module *m) {
  char *once = ptx_print(m);
  PROMISE(once != NULL);
  struct ptx_module *again = parse(once, strlen(once));
  PROMISE(again != NULL);
  char *twice = ptx_print(again);
  PROMISE(twice != NULL && strcmp(once, twice) == 0);
  PROMISE(ptx_unsupported(m, NULL, 0) == ptx_unsupported(again, NULL, 0));
  free(once);
  free(twice);
  ptx_module_free(again);
}

static void draw(const struct ptx_module *m) {
  for (uint32_t f = 0; f < m->n_funcs; f++) {
    if (!m->funcs[f]->has_body) continue;
    char *dot = ptx_print_dot(m->funcs[f]);
    PROMISE(dot != NULL);
    free(dot);
  }
}

static void build(const struct ptx_module *m) {
  struct ptx_device dev;
  struct ptx_exec_cfg cfg;
  struct ptx_image *image;
  weir_param_defaults(ptx_exec_table, &cfg);
  cfg.device_memory = 1 << 20;
  PROMISE(ptx_device_init(&dev, &cfg, NULL) == WEIR_OK);
  if (ptx_image_load(&dev, m, &image, NULL) == WEIR_OK) {
    for (uint32_t f = 0; f < m->n_funcs; f++) {
      struct ptx_program *prog;
      if (!m->funcs[f]->is_entry || !m->funcs[f]->has_body) continue;
      if (ptx_program_build(image, m->funcs[f]->name, &cfg, &prog, NULL) == WEIR_OK)
        ptx_program_free(prog);
    }
    ptx_image_free(image);
  }
  PROMISE(dev.mem.n_allocs == 0);
  ptx_device_free(&dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ptx_module *m = parse((const char *)data, size);
  if (m == NULL) return 0;
  struct ptx_unsupported list[4];
  size_t n_unsupported = ptx_unsupported(m, list, 4);
  for (size_t i = 0; i < n_unsupported && i < 4; i++)
    PROMISE(list[i].what != NULL);
  round_trip(m);
  draw(m);
  if (n_unsupported == 0) build(m);
  ptx_module_free(m);
  return 0;
}
