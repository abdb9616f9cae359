/* Every built-in workload: what a trace gives back is what execution gave, byte for byte.
 *   test_wtrace_workloads FOLDER     the folder of workloads */
#include <glob.h>
#include <xxhash.h>

#include "wtrace_util.h"

#include "base/settings.h"
#include "launch/workload.h"

static const char *folder;

enum { MAX_KERNELS = 256 };

struct recording {
  struct weir_wtrace_writer *writer;
  uint64_t hash[MAX_KERNELS];
  uint32_t n;
};

/* Of the description and the table. */
static uint64_t hash_info(const struct weir_kernel_info *k) {
  uint32_t numbers[] = {k->grid[0],       k->grid[1],        k->grid[2],     k->block[0],
                        k->block[1],      k->block[2],       k->n_warps,     k->n_regs,
                        k->static_shared, k->dyn_shared,     k->local_bytes, k->regs_per_thread,
                        k->reads_clock,   k->is_interleaved, k->n_insns,     k->n_files};
  uint64_t h = XXH64(numbers, sizeof numbers, 0);
  h = XXH64(k->name, strlen(k->name), h);
  for (uint32_t i = 0; i < k->n_files; i++)
    h = XXH64(k->files[i], k->files[i] ? strlen(k->files[i]) : 0, h);
  for (uint32_t i = 0; i < k->n_insns; i++) {
    const struct weir_static *s = &k->insns[i];
    h = XXH64(s, offsetof(struct weir_static, dst), h);
    h = XXH64(s->dst, s->n_dst * sizeof *s->dst, h);
    h = XXH64(s->src, s->n_src * sizeof *s->src, h);
    h = XXH64(&s->file, 3 * sizeof s->file, h);
  }
  return h;
}

/* Of the very bytes of a block's streams. */
static uint64_t hash_block(struct weir_block_stream *b, uint64_t h) {
  for (uint32_t w = 0; w < b->n_warps; w++) {
    struct weir_span_cursor c;
    const uint8_t *bytes;
    size_t n;
    XXH64_state_t *state = XXH64_createState();
    XXH64_reset(state, h);
    XXH64_update(state, &b->warps[w].n_insns, sizeof b->warps[w].n_insns);
    weir_span_open(&c, &b->warps[w], false);
    for (;;) {
      OK(weir_span_next(&c, &bytes, &n, &err));
      if (!bytes) break;
      XXH64_update(state, bytes, n);
    }
    weir_span_close(&c);
    h = XXH64_digest(state);
    XXH64_freeState(state);
  }
  return h ^ b->id;
}

static enum weir_status record_kernel(void *self, struct weir_block_source *src,
                                      struct weir_err *e) {
  struct recording *r = self;
  struct weir_block_stream *b;
  assert_true(r->n < MAX_KERNELS);
  uint64_t *h = &r->hash[r->n++];
  *h = hash_info(src->kernel);
  enum weir_status st = weir_wtrace_kernel(r->writer, src->kernel, e);
  while (!st && !(st = src->next(src, &b, e)) && b) {
    *h = hash_block(b, *h);
    st = weir_wtrace_block(r->writer, b, e);
    src->release(src, b);
  }
  return st;
}

static void compare(const char *name, const struct recording *r) {
  struct weir_wtrace *t;
  OK(weir_wtrace_open(path, &t, &err));
  assert_int_equal(weir_wtrace_n_kernels(t), r->n);
  for (uint32_t k = 0; k < r->n; k++) {
    struct weir_block_source *src;
    struct weir_block_stream *b;
    OK(weir_wtrace_source_open(t, k, 0, &pool, &src, &err));
    uint64_t h = hash_info(src->kernel);
    for (;;) {
      OK(src->next(src, &b, &err));
      if (!b) break;
      h = hash_block(b, h);
      src->release(src, b);
    }
    weir_wtrace_source_close(src);
    if (h != r->hash[k]) fail_msg("%s: kernel %u is not what was recorded", name, k);
  }
  OK(weir_wtrace_verify(t, &err));
  weir_wtrace_close(t);
}

/* Bytes per instruction. */
static double record(const char *file) {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct weir_workload *w;
  struct weir_wtrace_counts total;
  static struct recording r;
  struct weir_settings settings;
  const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  memset(&r, 0, sizeof r);
  OK(weir_settings_init(&settings, groups, &err));
  OK(weir_settings_fill(&settings, &ptx_exec_params, &cfg, &err));
  OK(ptx_device_init(&dev, &cfg, &err));
  if (weir_workload_open(&dev, file, "test", &w, &err) != WEIR_OK)
    OK(weir_workload_open(&dev, file, NULL, &w, &err));
  OK(weir_wtrace_create(path, NULL, &r.writer, &err));
  struct weir_workload_hooks h = {.simulate = record_kernel, .self = &r, .want_streams = true};
  OK(weir_workload_run(w, &h, &err));
  OK(weir_wtrace_finish(r.writer, &total, &err));
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_settings_free(&settings);
  compare(file, &r);
  return (double)total.file_bytes / (double)total.n_insns;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void all_workloads(void **state) {
  (void)state;
  char pattern[4096];
  glob_t g;
  snprintf(pattern, sizeof pattern, "%s/*/*.yaml", folder);
  assert_int_equal(glob(pattern, 0, NULL, &g), 0);
  assert_true(g.gl_pathc > 10);
  double *per_insn = calloc(g.gl_pathc, sizeof *per_insn);
  assert_non_null(per_insn);
  for (size_t i = 0; i < g.gl_pathc; i++)
    per_insn[i] = record(g.gl_pathv[i]);
  qsort(per_insn, g.gl_pathc, sizeof *per_insn, compare_doubles);
  assert_true(per_insn[g.gl_pathc / 2] < 1.5);
  free(per_insn);
  globfree(&g);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_workloads)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
