/* tex_replay [--all] [FILE]: executes every case of tex_cases.c and compares the results with those
 * of an H200 (data/tex.bin.zst, as tex_gpu wrote them). Every bit must agree. --all goes on after a
 * difference and prints a table of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tex_cases.h"

static void must(enum weir_status st, const struct weir_err *err) {
  if (st == WEIR_OK) return;
  fprintf(stderr, "tex_replay: %s\n", err->msg);
  exit(1);
}

/* The texels of a case in device memory: an array, or linear memory. */
static void place_texels(struct ptx_device *dev, const struct tex_case *c, struct ptx_texels *t,
                         struct weir_err *err) {
  size_t row = (size_t)t->width * ptx_texel_bytes(t->texel), height = t->height ? t->height : 1;
  uint8_t *texels = calloc(1, tex_case_texel_bytes(c) + 1), *from = texels;
  if (texels == NULL) exit(1);
  must(ptx_array_create(dev, t, "texels", err), err);
  tex_case_texels(c, texels);
  for (uint64_t z = 0; z < ptx_texels_slices(t); z++)
    for (size_t y = 0; y < height; y++, from += row)
      memcpy(ptx_mem_host(&dev->mem, t->addr) + z * t->slice + y * t->pitch, from, row);
  free(texels);
}

static void read_back(const struct ptx_device *dev, const struct ptx_texels *t, uint8_t *out) {
  size_t row = (size_t)t->width * ptx_texel_bytes(t->texel), height = t->height ? t->height : 1;
  for (uint64_t z = 0; z < ptx_texels_slices(t); z++)
    for (size_t y = 0; y < height; y++, out += row)
      memcpy(out, ptx_mem_host(&dev->mem, t->addr) + z * t->slice + y * t->pitch, row);
}

/* WEIR_EINVAL: the texture is refused. */
static enum weir_status execute(struct ptx_device *dev, const struct tex_case *c, size_t index,
                                uint8_t *out, struct weir_err *err) {
  char text[TEX_MAX_TEXT];
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  struct ptx_image *image;
  struct ptx_program *prog;
  struct weir_func_stats stats;
  uint64_t params[3];
  struct ptx_tex_desc d = c->desc;
  place_texels(dev, c, &d.texels, err);
  enum weir_status st = c->op >= TEX_SULD ? ptx_surf_create(dev, &d.texels, &params[0], err)
                                          : ptx_tex_create(dev, &d, &params[0], err);
  if (st != WEIR_OK) return st;
  tex_case_text(c, text);
  if (ptx_parse(text, strlen(text), c->mods, &m, &diags) != WEIR_OK) {
    fprintf(stderr, "tex_replay: %s\n", diags.v[0].msg);
    exit(1);
  }
  must(ptx_image_load(dev, m, &image, err), err);
  must(ptx_program_build(image, "k", &dev->cfg, &prog, err), err);
  must(ptx_mem_alloc(&dev->mem, (uint64_t)c->n * TEX_IN_BYTES, 0, "in", false, &params[1], err),
       err);
  must(ptx_mem_alloc(&dev->mem, (uint64_t)c->n * TEX_OUT_BYTES, 0, "out", false, &params[2], err),
       err);
  tex_case_operands(c, index, ptx_mem_host(&dev->mem, params[1]));
  struct ptx_launch launch = {
      .grid = {c->n / TEX_CASE_THREADS, 1, 1}, .block = {TEX_CASE_THREADS, 1, 1}, .params = params};
  must(ptx_run_all(dev, prog, &launch, &stats, err), err);
  if (tex_case_writes(c))
    read_back(dev, &d.texels, out);
  else
    memcpy(out, ptx_mem_host(&dev->mem, params[2]), (size_t)c->n * TEX_OUT_BYTES);
  ptx_program_free(prog);
  ptx_image_free(image);
  ptx_module_free(m);
  return WEIR_OK;
}

struct record {
  uint32_t index, status, bytes;
};

/* Prints the first difference; the number of 32-bit words that differ. */
static size_t compare(const struct tex_case *c, size_t index, const uint8_t *want,
                      const uint8_t *got, size_t bytes) {
  size_t n = 0, first = 0;
  for (size_t i = 0; i + 4 <= bytes; i += 4)
    if (memcmp(want + i, got + i, 4) != 0) {
      if (n++ == 0) first = i;
    }
  for (size_t i = bytes & ~(size_t)3; i < bytes; i++)
    if (want[i] != got[i] && n++ == 0) first = i & ~(size_t)3;
  if (n == 0) return 0;
  const struct ptx_tex_desc *d = &c->desc;
  printf("case %zu op %d %s: %u x %u bits kind %u, address %u%u%u, filter %u, read %u, norm %d%s: "
         "%zu of %zu words",
         index, (int)c->op, c->mods, d->texels.texel.channels, d->texels.texel.bits,
         d->texels.texel.kind, d->address[0], d->address[1], d->address[2], d->filter, d->read,
         d->is_normalised, c->is_pitched ? " pitched" : "", n, bytes / 4);
  if (first + 4 <= bytes && !tex_case_writes(c)) {
    uint32_t x[8], w, g;
    uint8_t *in = calloc(c->n, TEX_IN_BYTES);
    if (in == NULL) exit(1);
    tex_case_operands(c, index, in);
    memcpy(x, in + first / TEX_OUT_BYTES * TEX_IN_BYTES, sizeof x);
    memcpy(&w, want + first, 4);
    memcpy(&g, got + first, 4);
    printf("; thread %zu.%zu at %08x %08x %08x layer %08x: want %08x, got %08x",
           first / TEX_OUT_BYTES, first % TEX_OUT_BYTES / 4, x[0], x[1], x[2], x[3], w, g);
    free(in);
  }
  printf("\n");
  return n;
}

int main(int argc, char **argv) {
  bool goes_on = argc > 1 && strcmp(argv[1], "--all") == 0;
  const char *path = argc > (goes_on ? 2 : 1) ? argv[argc - 1] : TRUTH_DATA "/tex.bin.zst";
  struct weir_err err = {0};
  size_t n, len, at = 0, n_wrong = 0, n_refused = 0;
  char *data;
  struct tex_case *cases = tex_cases(&n);
  if (cases == NULL) return 1;
  must(weir_file_read(path, 64 << 20, NULL, &data, &len, &err), &err);
  for (size_t i = 0; i < n && (goes_on || n_wrong == 0); i++) {
    struct record r;
    struct ptx_exec_cfg cfg;
    struct ptx_device dev;
    size_t bytes = tex_case_result_bytes(&cases[i]);
    uint8_t *out = calloc(1, bytes + 1);
    if (len - at < sizeof r || out == NULL) {
      fprintf(stderr, "tex_replay: %s ends at case %zu of %zu\n", path, i, n);
      return 1;
    }
    memcpy(&r, data + at, sizeof r);
    at += sizeof r;
    if (r.index != i || r.bytes > len - at || (r.status == 0 && r.bytes != bytes)) {
      fprintf(stderr, "tex_replay: %s is not of these cases (case %zu)\n", path, i);
      return 1;
    }
    weir_param_defaults(ptx_exec_table, &cfg);
    cfg.device_memory = 64 << 20;
    must(ptx_device_init(&dev, &cfg, &err), &err);
    if (r.status == 0 || goes_on) {
      enum weir_status st = execute(&dev, &cases[i], i, out, &err);
      if (r.status != 0 || st != WEIR_OK) {
        printf("case %zu %s: the GPU's driver says %u, weir %s\n", i, cases[i].mods, r.status,
               st == WEIR_OK ? "runs it" : err.msg);
        n_wrong += st != WEIR_OK && r.status == 0;
      } else {
        n_wrong += compare(&cases[i], i, (const uint8_t *)data + at, out, bytes) != 0;
      }
    }
    n_refused += r.status != 0;
    at += r.bytes;
    ptx_device_free(&dev);
    free(out);
  }
  printf("%zu cases, %zu refused by the driver, %zu differ\n", n, n_refused, n_wrong);
  tex_cases_free(cases, n);
  free(data);
  return n_wrong != 0;
}
