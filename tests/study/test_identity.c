/* What a workload is found by in a store: its contents, and how its registers were estimated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/identity.h"
#include "testing.h"

static const char *source;

#define LAUNCH_FILE(part)                                                                          \
  "weir: 1\nname: one\nmodules: [one.ptx]\nbuffers: {out: {type: u32, count: 32}}\n"               \
  "launches: [{kernel: k, grid: [1], block: [32], " part "args: [$out]}]\n"
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 out)\n{\n  ret;\n}\n";

static void put_file(const char *dir, const char *name, const char *body) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(body, f);
  fclose(f);
}

/* Is a workload identified by what its files hold, and nothing else? */
static bool is_contents_alone(const char *path) {
  struct weir_study_workload w = {.name = "one", .path = path};
  struct weir_workload_identity identity;
  struct weir_err err;
  char hash[WEIR_HASH_TEXT];
  bool is_estimated;
  if (weir_workload_identity(&w, &identity, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_int_equal(weir_hash_launchfile(path, NULL, hash, NULL, &is_estimated, &err), WEIR_OK);
  bool is_same = strcmp(hash, identity.hash) == 0;
  assert_int_equal(is_same, !is_estimated);
  assert_int_equal(strlen(identity.hash), strlen(hash));
  return is_same;
}

static void counted_registers_have_no_version(void **state) {
  (void)state;
  char dir[] = "/tmp/weir-identity-XXXXXX", path[300];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/one.yaml", dir);
  put_file(dir, "one.ptx", ptx);
  put_file(dir, "one.yaml", LAUNCH_FILE("registers: 8, "));
  assert_true(is_contents_alone(path));
  put_file(dir, "one.yaml", LAUNCH_FILE(""));
  assert_false(is_contents_alone(path));
  unlink(path);
  snprintf(path, sizeof path, "%s/one.ptx", dir);
  unlink(path);
  rmdir(dir);
}

/* Those that come with weir, also where a build gives the registers. */
static void workloads_are_counted(void **state) {
  (void)state;
  static const char *const names[] = {"vecadd", "lud", "rodinia-nw", "mars-wc"};
  for (size_t i = 0; i < COUNT(names); i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/workloads/%s/%s.yaml", source, names[i], names[i]);
    assert_true(is_contents_alone(path));
  }
}

int main(int argc, char **argv) {
  source = argc > 1 ? argv[1] : ".";
  const struct CMUnitTest tests[] = {cmocka_unit_test(counted_registers_have_no_version),
                                     cmocka_unit_test(workloads_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
