/* Executes the kernels of gen.py and compares what they store with an H200's results.
 *
 *   replay FOLDER TRUTH [--unequal FILE] [--literal] [--raw FILE]
 *
 * TRUTH has a line for each kernel: its name and the hash of its results; '#' begins a comment. The
 * kernels named in --unequal (first word of a line) must differ, all others must not. --literal:
 * exec.contract=false; kernels that differ are counted only, and there must be many. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

enum { OUT_BYTES = 2048, MAX_KERNELS = 8192 };

struct kernel {
  uint64_t hash;
  bool is_known, is_unequal, is_seen;
};
static struct kernel kernels[MAX_KERNELS];

static void die(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(2);
}

static char *slurp(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  size_t cap = 1 << 22;
  char *b = malloc(cap);
  if (b == NULL) die(path, "out of memory");
  *n = fread(b, 1, cap - 1, f);
  b[*n] = '\0';
  fclose(f);
  return b;
}

/* The kernel that a line begins with, and what follows its name. */
static struct kernel *kernel_at(const char *line, const char **rest) {
  char *end;
  if (line[0] != 'k') return NULL;
  unsigned long k = strtoul(line + 1, &end, 10);
  *rest = end;
  return k < MAX_KERNELS ? &kernels[k] : NULL;
}

static void read_truth(const char *path) {
  size_t n;
  const char *rest;
  char *text = slurp(path, &n);
  if (text == NULL) die(path, "cannot be read");
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    struct kernel *k = kernel_at(line, &rest);
    if (k == NULL) continue;
    k->is_known = true;
    k->hash = strtoull(rest, NULL, 16);
  }
  free(text);
}

static void read_unequal(const char *path) {
  size_t n;
  const char *rest;
  char *text = slurp(path, &n);
  if (text == NULL) die(path, "cannot be read");
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    struct kernel *k = kernel_at(line, &rest);
    if (k != NULL) k->is_unequal = true;
  }
  free(text);
}

static uint64_t hash_of(const uint8_t *b, size_t n) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ b[i]) * UINT64_C(0x100000001b3);
  return h;
}

struct machine {
  struct ptx_device dev;
  uint64_t in, out;
  struct weir_err err;
  FILE *raw;
};

static void start(struct machine *m, const struct ptx_exec_cfg *cfg, const char *folder) {
  char path[4096];
  size_t n;
  snprintf(path, sizeof path, "%s/in.bin", folder);
  char *data = slurp(path, &n);
  if (data == NULL) die(path, "cannot be read");
  if (ptx_device_init(&m->dev, cfg, &m->err) != WEIR_OK ||
      ptx_mem_alloc(&m->dev.mem, n, 0, "in", false, &m->in, &m->err) != WEIR_OK ||
      ptx_mem_alloc(&m->dev.mem, OUT_BYTES, 0, "out", false, &m->out, &m->err) != WEIR_OK)
    die("device", m->err.msg);
  memcpy(ptx_mem_host(&m->dev.mem, m->in), data, n);
  free(data);
}

static uint64_t run_kernel(struct machine *m, const struct ptx_image *image, const char *name) {
  struct {
    uint64_t in, out;
    uint32_t n;
  } params = {m->in, m->out, 3};
  struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &params};
  struct weir_func_stats stats;
  struct ptx_program *prog;
  uint8_t *out = ptx_mem_host(&m->dev.mem, m->out);
  memset(out, 0, OUT_BYTES);
  if (ptx_program_build(image, name, &m->dev.cfg, &prog, &m->err) != WEIR_OK ||
      ptx_run_all(&m->dev, prog, &launch, &stats, &m->err) != WEIR_OK)
    die(name, m->err.msg);
  ptx_program_free(prog);
  if (m->raw != NULL) fwrite(out, 1, OUT_BYTES, m->raw);
  return hash_of(out, OUT_BYTES);
}

static void run_module(struct machine *m, const char *path, unsigned *n_equal, unsigned *n_wrong,
                       bool is_literal) {
  size_t n;
  const char *rest;
  char *text = slurp(path, &n);
  struct ptx_module *module;
  struct ptx_image *image;
  struct ptx_diags diags = {0};
  if (text == NULL) die(path, "cannot be read");
  if (ptx_parse(text, n, path, &module, &diags) != WEIR_OK) die(path, diags.v[0].msg);
  if (ptx_image_load(&m->dev, module, &image, &m->err) != WEIR_OK) die(path, m->err.msg);
  for (uint32_t i = 0; i < module->n_funcs; i++) {
    const char *name = module->funcs[i]->name;
    struct kernel *k = kernel_at(name, &rest);
    if (k == NULL || !k->is_known) die(name, "the truth has no such kernel");
    bool is_equal = run_kernel(m, image, name) == k->hash;
    k->is_seen = true;
    *n_equal += is_equal;
    if (is_literal || is_equal != k->is_unequal) continue;
    printf("%s: %s\n", name, is_equal ? "equals the H200, but is listed as unequal" : "differs");
    ++*n_wrong;
  }
  ptx_image_free(image);
  ptx_module_free(module);
  ptx_diags_free(&diags);
  free(text);
}

int main(int argc, char **argv) {
  struct ptx_exec_cfg cfg;
  struct machine m = {0};
  bool is_literal = false;
  unsigned n_equal = 0, n_wrong = 0, n_known = 0;
  if (argc < 3) die("replay", "FOLDER TRUTH [--unequal FILE] [--literal] [--raw FILE]");
  read_truth(argv[2]);
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--literal") == 0) is_literal = true;
    if (strcmp(argv[i], "--unequal") == 0 && i + 1 < argc) read_unequal(argv[++i]);
    if (strcmp(argv[i], "--raw") == 0 && i + 1 < argc) m.raw = fopen(argv[++i], "wb");
  }
  weir_param_defaults(ptx_exec_table, &cfg);
  cfg.contract = !is_literal;
  start(&m, &cfg, argv[1]);
  for (unsigned k = 0; k < MAX_KERNELS; k++)
    n_known += kernels[k].is_known;
  for (unsigned k = 0; k < (n_known + 49) / 50; k++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/m%02u.ptx", argv[1], k);
    run_module(&m, path, &n_equal, &n_wrong, is_literal);
  }
  for (unsigned k = 0; k < MAX_KERNELS; k++)
    if (kernels[k].is_known && !kernels[k].is_seen)
      die("replay", "a kernel of the truth is missing");
  ptx_device_free(&m.dev);
  if (m.raw != NULL) fclose(m.raw);
  printf("%u of %u kernels equal the H200\n", n_equal, n_known);
  if (is_literal) return n_equal > n_known / 2;
  return n_wrong != 0;
}
