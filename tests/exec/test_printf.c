/* printf FOLDER: device printf against what an H200 printed (FOLDER/printf.cu says how). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "exec/exec.h"

/* Formats of which CUDA makes nonsense (it reads the wrong arguments, or ends), and weir what C
 * says. */
static const struct {
  int number;
  const char *why;
} other[] = {
    {3, "%hhd reads no argument there"},
    {14, "%Lf reads no argument there"},
    {20, "%ls takes a string of wide characters there"},
    {21, "arguments behind a star are read from the wrong place there"},
    {28, "%n ends the program there"},
    {29, "%m is left to the host there"},
    {36,
     "arguments after the 32nd are read from anywhere there; the manual has it as weir does it"},
};

static void keep(void *self, const char *text, size_t n) {
  weir_text_add(self, text, n);
}

static bool print(struct ptx_device *dev, const struct ptx_program *prog, int which,
                  struct weir_text *out) {
  struct {
    int which, i;
    double d;
  } params = {which, 5, 3.14159265358979};
  struct ptx_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &params};
  struct weir_err err;
  out->n = 0;
  dev->output = (struct ptx_output){.self = out, .print = keep};
  if (ptx_run_all(dev, prog, &l, NULL, &err) == WEIR_OK) return true;
  printf("format %d: %s\n", which, err.msg);
  return false;
}

static bool is_other(int number) {
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (other[i].number == number) return true;
  return false;
}

/* Sections of the H200's output: "#3\n", then the text, which may hold any byte. Returns how many
 * differ. */
static int compare(struct ptx_device *dev, const struct ptx_program *prog, const char *want,
                   size_t len, int *n_same) {
  int n_bad = 0, number;
  struct weir_text got = {0};
  for (const char *s = want; s < want + len && *s == '#'; s++) {
    number = atoi(s + 1);
    s = strchr(s, '\n') + 1;
    size_t left = len - (size_t)(s - want), n = 0;
    while (n + 1 < left && memcmp(s + n, "\n#", 2) != 0)
      n++;
    bool ok = print(dev, prog, number, &got);
    if (ok && !is_other(number)) {
      ok = got.n == n + 1 && memcmp(got.v, s, n) == 0;
      if (!ok)
        printf("format %d:\n  the H200 prints %.*s\n  weir prints     %s", number, (int)n, s,
               got.v);
      *n_same += ok;
    }
    n_bad += !ok;
    s += n;
  }
  weir_text_free(&got);
  return n_bad;
}

int main(int argc, char **argv) {
  char path[4096], *ptx, *want;
  size_t len, n;
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct ptx_module *m;
  struct ptx_image *image;
  struct ptx_program *prog;
  struct ptx_diags diags = {0};
  if (argc != 2) return 2;
  weir_param_defaults(ptx_exec_table, &cfg);
  snprintf(path, sizeof path, "%s/printf.ptx", argv[1]);
  if (weir_file_read(path, 0, NULL, &ptx, &len, &err) != WEIR_OK ||
      ptx_parse(ptx, len, path, &m, &diags) != WEIR_OK)
    return 1;
  snprintf(path, sizeof path, "%s/printf_h200.txt", argv[1]);
  if (weir_file_read(path, 0, NULL, &want, &n, &err) != WEIR_OK ||
      ptx_device_init(&dev, &cfg, &err) != WEIR_OK ||
      ptx_image_load(&dev, m, &image, &err) != WEIR_OK ||
      ptx_program_build(image, "conversions", &cfg, &prog, &err) != WEIR_OK) {
    printf("%s\n", err.msg);
    return 1;
  }
  int n_same = 0, n_bad = compare(&dev, prog, want, n, &n_same);
  printf("%d formats print what the H200 prints, %d do not\n", n_same, n_bad);
  ptx_program_free(prog);
  ptx_image_free(image);
  ptx_device_free(&dev);
  ptx_module_free(m);
  ptx_diags_free(&diags);
  free(ptx);
  free(want);
  return n_bad != 0 || n_same == 0;
}
