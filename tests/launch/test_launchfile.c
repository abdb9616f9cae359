/* Launch files that are right: contents, parameter blocks, verdicts; and running out of memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "launch/launchfile.h"

static const char *folder;

static struct weir_launchfile *load_file(const char *name, const char *input) {
  char path[4096];
  struct weir_launchfile *lf;
  struct weir_err err;
  snprintf(path, sizeof path, "%s/good/%s", folder, name);
  if (weir_launchfile_load(path, input, &lf, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return lf;
}

static struct weir_launchfile *load(const char *input) {
  return load_file("saxpy.yaml", input);
}

/* Text that needs no files beside it, read as if it stood in good/. */
static enum weir_status load_text(const char *text, struct weir_launchfile **lf,
                                  struct weir_err *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/good/text.yaml", folder);
  return weir_launchfile_parse(path, text, strlen(text), NULL, lf, err);
}

static void *contents(struct weir_launchfile *lf, const char *name) {
  struct weir_err err;
  int b = weir_launchfile_buffer(lf, name);
  assert_true(b >= 0);
  void *data = malloc(lf->buffers[b].bytes);
  assert_non_null(data);
  memset(data, 0xee, lf->buffers[b].bytes);
  if (weir_buffer_generate(lf, (uint32_t)b, data, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return data;
}

static void describes(void **state) {
  (void)state;
  struct weir_launchfile *lf = load(NULL);
  assert_string_equal(lf->name, "saxpy");
  assert_string_equal(lf->input, "profile");
  assert_int_equal(lf->n_inputs, 2);
  assert_string_equal(lf->inputs[1], "eval");
  assert_int_equal(lf->n_modules, 1);
  assert_non_null(strstr(lf->modules[0], "good/empty.ptx"));
  assert_int_equal(lf->n_buffers, 10);
  assert_int_equal(lf->buffers[0].count, 8);
  assert_int_equal(lf->buffers[0].bytes, 32);
  assert_int_equal(lf->n_launches, 4);
  assert_int_equal(lf->launches[0].together, 1);
  assert_int_equal(lf->launches[2].together, 2); /* a group */
  assert_int_equal(lf->launches[2].repeat, 4);
  assert_int_equal(lf->launches[3].repeat, 4);
  assert_int_equal(lf->launches[0].registers, 12);
  assert_int_equal(lf->launches[1].registers, -1);
  assert_int_equal(lf->launches[0].repeat, 3);
  assert_int_equal(lf->n_expects, 6); /* one is for the other input */
  weir_launchfile_free(lf);
  lf = load("eval");
  assert_string_equal(lf->input, "eval");
  assert_int_equal(lf->buffers[0].count, 64);
  weir_launchfile_free(lf);
}

static void generates(void **state) {
  (void)state;
  struct weir_launchfile *lf = load(NULL);
  float *x = contents(lf, "x"), *y = contents(lf, "y"), *z = contents(lf, "z");
  uint32_t *t = contents(lf, "t");
  char *f = contents(lf, "f"), *g = contents(lf, "g");
  double *twice = contents(lf, "twice"); /* before scan, which it reads */
  int32_t *scan = contents(lf, "scan"), sum = 5;
  int16_t *r = contents(lf, "r");
  for (int i = 0; i < 8; i++) {
    assert_true(x[i] == (float)(-1.0 + 2.0 * weir_hash32(7, (uint64_t)i) / 4294967296.0));
    assert_true(y[i] == (float)(i % 17));
    assert_true(z[i] == 0);
    if (i > 0) sum += (int32_t)t[i % 4 == 3 ? 0 : i % 4];
    assert_int_equal(scan[i], sum);
    assert_true(twice[i] == sum * 2 + 0.5);
  }
  assert_int_equal(t[1], 16);
  assert_int_equal(t[2], 12);
  assert_int_equal(t[3], 0xffffffff);
  assert_memory_equal(f, "abcdefgh", 8);
  assert_memory_equal(g, "abcdefgh", 8);
  int seen[7] = {0};
  for (int i = 0; i < 100; i++) {
    assert_in_range(r[i] + 3, 0, 6);
    assert_int_equal(r[i], -3 + (int)(weir_hash32(0, (uint64_t)i) % 7));
    seen[r[i] + 3]++;
  }
  for (int v = 0; v < 7; v++)
    assert_true(seen[v] > 0);
  free(x), free(y), free(z), free(t), free(f), free(g), free(twice), free(scan), free(r);
  weir_launchfile_free(lf);
}

static const struct weir_lf_param saxpy_params[] = {
    {"x", PTX_T_u64, 8, 0, false},  {"y", PTX_T_b64, 8, 8, false},  {"n", PTX_T_u32, 4, 16, false},
    {"a", PTX_T_f32, 4, 20, false}, {"s", PTX_T_s16, 2, 24, false},
};

static void launches(void **state) {
  (void)state;
  struct weir_launchfile *lf = load(NULL);
  struct weir_launch_shape s;
  struct weir_err err;
  uint64_t addresses[10] = {0x1000, 0x2000}, want_x, want_y;
  uint32_t want_n;
  float want_a;
  int16_t want_s;
  char block[26];
  assert_int_equal(weir_launch_shape(lf, 0, 2, &s, &err), WEIR_OK);
  assert_int_equal(s.grid[0], 2);
  assert_int_equal(s.grid[1], 2);
  assert_int_equal(s.grid[2], 1);
  assert_int_equal(s.block[0], 4);
  assert_int_equal(s.dyn_shared_bytes, 48);
  memset(block, 0xee, sizeof block);
  enum weir_status st =
      weir_launch_args(lf, 0, 2, addresses, saxpy_params, 5, block, sizeof block, &err);
  if (st != WEIR_OK) fail_msg("%s", err.msg);
  memcpy(&want_x, block, 8), memcpy(&want_y, block + 8, 8), memcpy(&want_n, block + 16, 4);
  memcpy(&want_a, block + 20, 4), memcpy(&want_s, block + 24, 2);
  assert_int_equal(want_x, 0x1000);
  assert_int_equal(want_y, 0x2008);
  assert_int_equal(want_n, 8);
  assert_true(want_a == 2.5f);
  assert_int_equal(want_s, -1);

  const struct weir_lf_param packed = {"p", PTX_T_b8, 24, 0, true};
  const unsigned char want[24] = {8, 0, 0, 0, 0, 0, 0, 0,    0,    0x10, 0,
                                  0, 0, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0xff};
  assert_int_equal(weir_launch_args(lf, 1, 0, addresses, &packed, 1, block, 24, &err), WEIR_OK);
  assert_memory_equal(block, want, 24);
  weir_launchfile_free(lf);
}

static void sets_and_until(void **state) {
  (void)state;
  struct weir_launchfile *lf = load(NULL);
  struct weir_err err;
  uint32_t t[4];
  float z[8];
  assert_int_equal(lf->launches[0].n_sets, 2);
  assert_int_equal(weir_launch_set(lf, 0, 0, 2, t, &err), WEIR_OK);
  assert_int_equal(weir_launch_set(lf, 0, 1, 2, z, &err), WEIR_OK);
  assert_int_equal(t[0] + t[3], 6);
  assert_true(z[0] + z[7] == 1.0f);
  uint64_t offset = 99;
  bool holds = false;
  assert_int_equal(weir_until_offset(lf, 0, 1, &offset, &err), WEIR_OK);
  assert_int_equal(offset, 0);
  assert_int_equal(weir_until_holds(lf, 0, 1, &(uint32_t){1}, &holds, &err), WEIR_OK);
  assert_true(holds);
  assert_int_equal(weir_until_holds(lf, 0, 2, &(uint32_t){1}, &holds, &err), WEIR_OK);
  assert_false(holds);
  weir_launchfile_free(lf);
}

static void expects(void **state) {
  (void)state;
  for (int which = 0; which < 2; which++) {
    struct weir_launchfile *lf = load(which ? "eval" : "profile");
    for (uint32_t e = 0; e < lf->n_expects; e++) {
      struct weir_err err;
      const struct weir_lf_buffer *b = &lf->buffers[lf->expects[e].buffer];
      unsigned char *got = contents(lf, b->name);
      if (weir_expect_check(lf, e, got, &err) != WEIR_OK) fail_msg("%s", err.msg);
      got[b->bytes - 1] ^= 0x40; /* high bits of the last element */
      assert_int_equal(weir_expect_check(lf, e, got, &err), WEIR_EFAULT);
      assert_non_null(strstr(err.msg, "saxpy.yaml:"));
      if (lf->expects[e].want.kind != WEIR_CONTENTS_CHECKSUM) {
        char place[64];
        snprintf(place, sizeof place, "element %d: ", (int)b->count - 1);
        assert_non_null(strstr(err.msg, place));
        assert_non_null(strstr(err.msg, "1 of "));
      }
      free(got);
    }
    weir_launchfile_free(lf);
  }
}

/* One element of `type`: is `got` within `tolerance` of `want`? */
static bool is_near(const char *type, const char *want, const char *tolerance,
                    struct weir_value got) {
  char text[512], element[8];
  struct weir_launchfile *lf;
  struct weir_err err;
  snprintf(text, sizeof text,
           "weir: 1\nmodules: [empty.ptx]\nbuffers: {b: {type: %s, count: 1}}\n"
           "launches: [{kernel: k, grid: [1], block: [1]}]\n"
           "expect: [{buffer: b, values: [%s], %s}]\n",
           type, want, tolerance);
  if (load_text(text, &lf, &err) != WEIR_OK) fail_msg("%s", err.msg);
  weir_element_store(lf->buffers[0].type, element, got);
  bool yes = weir_expect_check(lf, 0, element, &err) == WEIR_OK;
  weir_launchfile_free(lf);
  return yes;
}

static void tolerances(void **state) {
  (void)state;
  struct weir_value next = {.is_double = true, .d = 0x1.000002p0}, nan_value = {.is_double = true};
  struct weir_value inf_value = {.is_double = true, .d = (double)INFINITY};
  struct weir_value minus_zero = {.is_double = true, .d = -0.0};
  nan_value.d = (double)NAN;
  assert_false(is_near("f32", "1", "ulp: 0", next));
  assert_true(is_near("f32", "1", "ulp: 1", next));
  assert_true(is_near("f32", "1", "abs: 1.2e-7", next));
  assert_false(is_near("f32", "1", "abs: 1.1e-7", next));
  assert_true(is_near("f32", "1", "abs: 0, rel: 1.2e-7", next));
  assert_false(is_near("f32", "1", "rel: 1.1e-7", next));
  assert_true(is_near("f32", "nan", "abs: 0", nan_value));
  assert_false(is_near("f32", "1", "abs: 1e300, rel: 1e300, ulp: 1000000000", nan_value));
  assert_false(is_near("f32", "1", "abs: 1e300, rel: 1e300, ulp: 10000000000", inf_value));
  assert_true(is_near("f32", "inf", "abs: 0", inf_value));
  assert_true(is_near("f64", "0", "abs: 0", minus_zero));
  /* from -1 to 1 it is twice from 0 to 1 */
  assert_true(is_near("f64", "-1", "ulp: 2 * 0x3ff0000000000000", (struct weir_value){.i = 1}));
  assert_false(
      is_near("f64", "-1", "ulp: 2 * 0x3ff0000000000000 - 1", (struct weir_value){.i = 1}));
  assert_true(is_near("u64", "-1", "abs: 1", (struct weir_value){.i = -2}));
  assert_false(is_near("u64", "-1", "abs: 2", (struct weir_value){.i = 0}));
  assert_true(is_near("s64", "-1", "abs: 2", (struct weir_value){.i = 1}));
  assert_true(is_near("s32", "100", "rel: 0.1", (struct weir_value){.i = 110}));
  assert_false(is_near("s32", "100", "rel: 0.1", (struct weir_value){.i = 111}));
}

static void has_builds(void **state) {
  (void)state;
  static const struct {
    const char *wanted, *input, *key, *build;
    int registers[3];
    uint32_t n_expects;
  } of[] = {{NULL, "small", "small", "first", {11, 22, 11}, 0},
            {"large", "large", "large", "first", {11, 22, 11}, 1},
            {"large@first", "large", "large", "first", {11, 22, 11}, 1},
            {"large@other", "large@other", "large", "other", {33, -1, 33}, 1},
            {"@other", "small@other", "small", "other", {33, -1, 33}, 0}};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    struct weir_launchfile *lf = load_file("builds.yaml", of[i].wanted);
    assert_string_equal(lf->input, of[i].input);
    assert_string_equal(lf->input_key, of[i].key);
    assert_string_equal(lf->build, of[i].build);
    assert_int_equal(lf->n_builds, 2);
    assert_int_equal(lf->n_expects, of[i].n_expects);
    for (uint32_t l = 0; l < 3; l++)
      assert_int_equal(lf->launches[l].registers, of[i].registers[l]);
    weir_launchfile_free(lf);
  }
  struct weir_err err;
  struct weir_launchfile *lf;
  char path[4096];
  snprintf(path, sizeof path, "%s/good/builds.yaml", folder);
  assert_int_equal(weir_launchfile_load(path, "small@third", &lf, &err), WEIR_ENOENT);
  assert_int_equal(weir_launchfile_load(path, "small@", &lf, &err), WEIR_EINVAL);
  assert_int_equal(weir_launchfile_load(path, "", &lf, &err), WEIR_EINVAL);
}

static void has_origin(void **state) {
  (void)state;
  struct weir_launchfile *lf = load_file("builds.yaml", NULL);
  assert_int_equal(lf->n_sets, 2);
  assert_string_equal(lf->sets[1], "s0");
  assert_string_equal(lf->origin.program, "a program");
  assert_string_equal(lf->origin.block, "32; 64");
  assert_string_equal(lf->origin.loads, "3");
  assert_null(lf->origin.sketch);
  assert_int_equal(lf->origin.n_papers, 2);
  assert_string_equal(lf->origin.papers[1].set, "s3");
  assert_string_equal(lf->origin.papers[1].name, "a_program");
  weir_launchfile_free(lf);
}

/* Every allocation fails once; the loader must come back clean each time. */
static void out_of_memory(void **state) {
  (void)state;
  char path[4096];
  snprintf(path, sizeof path, "%s/good/saxpy.yaml", folder);
  for (long n = 0;; n++) {
    struct weir_launchfile *lf = NULL;
    struct weir_err err;
    char data[64];
    weir_malloc_fail_after(n);
    enum weir_status st = weir_launchfile_load(path, NULL, &lf, &err);
    if (st == WEIR_OK) st = weir_buffer_generate(lf, 7, data, &err); /* twice: needs scan and t */
    weir_malloc_fail_after(-1);
    weir_launchfile_free(lf);
    if (st == WEIR_OK) {
      assert_true(n > 5);
      break;
    }
    assert_int_equal(st, WEIR_ENOMEM);
    assert_true(n < 10000);
  }
}

static void is_fast(void **state) {
  (void)state;
  struct weir_launchfile *lf;
  struct weir_err err;
  const char *text = "weir: 1\nmodules: [empty.ptx]\n"
                     "buffers: {b: {type: f32, count: 1 << 24, init: {formula: i % 17}}}\n"
                     "launches: [{kernel: k, grid: [1], block: [1]}]\n";
  if (load_text(text, &lf, &err) != WEIR_OK) fail_msg("%s", err.msg);
  clock_t start = clock();
  float *b = contents(lf, "b");
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  print_message("16M elements of i %% 17: %.2f s of CPU time\n", seconds);
  assert_true(b[(1 << 24) - 1] == (float)(((1 << 24) - 1) % 17));
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  assert_true(seconds < 2.0); /* about 0.2 on a quiet machine */
#endif
  free(b);
  weir_launchfile_free(lf);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(describes),  cmocka_unit_test(generates),      cmocka_unit_test(launches),
      cmocka_unit_test(expects),    cmocka_unit_test(sets_and_until), cmocka_unit_test(tolerances),
      cmocka_unit_test(is_fast),    cmocka_unit_test(out_of_memory),  cmocka_unit_test(has_builds),
      cmocka_unit_test(has_origin),
  };
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  folder = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
