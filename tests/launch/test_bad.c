/* Launch files that are wrong: each bad/NAME.yaml must fail with exactly the text of bad/NAME.err.
 *
 * A file that loads is taken further: buffers are generated, arguments packed for the kernels named
 * below, and expected results compared with the initial contents. With a second argument the .err
 * files are written instead: read them before committing. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "launch/launchfile.h"

static const struct weir_lf_param three[] = {{"p_data", PTX_T_u64, 8, 0, false},
                                             {"p_n", PTX_T_u32, 4, 8, false},
                                             {"p_scale", PTX_T_f32, 4, 12, false}},
                                  packed[] = {{"p_struct", PTX_T_b8, 16, 0, true}},
                                  half[] = {{"p_half", PTX_T_b16, 2, 0, false}};

static const struct {
  const char *name;
  const struct weir_lf_param *params;
  uint32_t n;
} kernels[] = {{"three", three, 3}, {"packed", packed, 1}, {"half", half, 1}};

static enum weir_status use_launch(struct weir_launchfile *lf, uint32_t l, uint32_t k,
                                   const uint64_t *addresses, struct weir_err *err) {
  struct weir_launch_shape shape;
  char block[64];
  enum weir_status st = weir_launch_shape(lf, l, k, &shape, err);
  for (size_t n = 0; n < sizeof kernels / sizeof kernels[0] && !st; n++)
    if (strcmp(kernels[n].name, lf->launches[l].kernel) == 0)
      st = weir_launch_args(lf, l, k, addresses, kernels[n].params, kernels[n].n, block,
                            sizeof block, err);
  return st;
}

static enum weir_status use(struct weir_launchfile *lf, struct weir_err *err) {
  void *data[8] = {NULL};
  uint64_t addresses[8];
  enum weir_status st = WEIR_OK;
  if (lf->n_buffers > 8) return weir_fail(err, WEIR_EBUG, "too many buffers for this test");
  for (uint32_t b = 0; b < lf->n_buffers && !st; b++) {
    addresses[b] = 4096 * (b + 1);
    data[b] = malloc(lf->buffers[b].bytes);
    st = data[b] ? weir_buffer_generate(lf, b, data[b], err)
                 : weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  for (uint32_t l = 0; l < lf->n_launches; l++)
    for (uint32_t k = 0; k < lf->launches[l].repeat && !st; k++)
      st = use_launch(lf, l, k, addresses, err);
  for (uint32_t e = 0; e < lf->n_expects && !st; e++)
    st = weir_expect_check(lf, e, data[lf->expects[e].buffer], err);
  for (uint32_t b = 0; b < lf->n_buffers; b++)
    free(data[b]);
  return st;
}

static int check(const char *name, int update) {
  char golden[512], *want;
  size_t len;
  struct weir_launchfile *lf;
  struct weir_err err = {0}, read_err;
  snprintf(golden, sizeof golden, "%.*s.err", (int)(strlen(name) - strlen(".yaml")), name);
  enum weir_status st = weir_launchfile_load(name, NULL, &lf, &err);
  if (st == WEIR_OK) st = use(lf, &err);
  weir_launchfile_free(lf);
  if (st == WEIR_OK) {
    fprintf(stderr, "%s: accepted\n", name);
    return 1;
  }
  if (st != err.code) {
    fprintf(stderr, "%s: returned %s, recorded %s\n", name, weir_status_name(st),
            weir_status_name(err.code));
    return 1;
  }
  char got[WEIR_ERR_TEXT + 64];
  snprintf(got, sizeof got, "%s\n[%s, exit %d]\n", err.msg, weir_status_name(st),
           weir_status_exit(st));
  if (update) return weir_file_write(golden, got, strlen(got), &read_err) != WEIR_OK;
  if (weir_file_read(golden, 0, NULL, &want, &len, &read_err) != WEIR_OK) {
    fprintf(stderr, "%s\n", read_err.msg);
    return 1;
  }
  int differs = strcmp(want, got) != 0;
  if (differs) fprintf(stderr, "%s: expected\n%sgot\n%s\n", name, want, got);
  free(want);
  return differs;
}

static int is_launch_file(const struct dirent *d) {
  size_t n = strlen(d->d_name);
  return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

int main(int argc, char **argv) {
  struct dirent **files;
  int failed = 0, n;
  if (argc < 2 || chdir(argv[1]) != 0 ||
      (n = scandir(".", &files, is_launch_file, alphasort)) < 0) {
    fprintf(stderr, "usage: %s FOLDER [update]\n", argv[0]);
    return 2;
  }
  for (int f = 0; f < n; f++) {
    failed += check(files[f]->d_name, argc > 2);
    free(files[f]);
  }
  free(files);
  printf("%d files, %d failed\n", n, failed);
  return failed != 0 || n < 25;
}
