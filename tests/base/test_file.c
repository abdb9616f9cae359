#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "testing.h"

static char dir[512];

static const char *in_dir(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static int make_dir(void **state) {
  (void)state;
  const char *tmp = getenv("WEIR_TEST_TMP");
  snprintf(dir, sizeof dir, "%s/file-XXXXXX", tmp ? tmp : "/tmp");
  return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
  (void)state;
  static const char *const names[] = {"a", "big.zst", "cut.zst", "bad.zst", "empty.zst"};
  for (size_t i = 0; i < COUNT(names); i++)
    unlink(in_dir(names[i]));
  return rmdir(dir); /* fails if a temporary was left behind */
}

static void what_is_written_is_read(void **state) {
  (void)state;
  char *data;
  size_t len;
  assert_int_equal(weir_file_write(in_dir("a"), "x\0y", 3, NULL), WEIR_OK);
  assert_int_equal(weir_file_read(in_dir("a"), 3, NULL, &data, &len, NULL), WEIR_OK);
  assert_int_equal(len, 3);
  assert_memory_equal(data, "x\0y\0", 4);
  free(data);
  assert_int_equal(weir_file_write(in_dir("a"), "", 0, NULL), WEIR_OK);
  assert_int_equal(weir_file_read(in_dir("a"), 0, NULL, &data, &len, NULL), WEIR_OK);
  assert_int_equal(len, 0);
  assert_string_equal(data, "");
  free(data);
}

static void only_the_start_is_read(void **state) {
  (void)state;
  static char many[300000];
  char *data;
  size_t len;
  memset(many, 'x', sizeof many);
  assert_int_equal(weir_file_write(in_dir("a"), many, sizeof many, NULL), WEIR_OK);
  for (size_t most = sizeof many - 1; most <= sizeof many + 1; most++) {
    assert_int_equal(weir_file_read_start(in_dir("a"), most, &data, &len, NULL), WEIR_OK);
    assert_int_equal(len, most < sizeof many ? most : sizeof many);
    assert_int_equal(strlen(data), len);
    free(data);
  }
}

static void a_text_stands_in_for_a_file(void **state) {
  (void)state;
  char *data;
  size_t len;
  assert_int_equal(weir_file_write(in_dir("a"), "old", 3, NULL), WEIR_OK);
  assert_true(weir_file_stand_in(in_dir("a"), "text"));
  assert_true(weir_file_stand_in(in_dir("none"), ""));
  assert_int_equal(weir_file_read(in_dir("a"), 0, NULL, &data, &len, NULL), WEIR_OK);
  assert_string_equal(data, "text");
  assert_int_equal(len, 4);
  free(data);
  assert_int_equal(weir_file_read(in_dir("none"), 0, NULL, &data, &len, NULL), WEIR_OK);
  assert_string_equal(data, "");
  free(data);
  weir_file_stand_ins_free();
  assert_int_equal(weir_file_read(in_dir("none"), 0, NULL, &data, &len, NULL), WEIR_ENOENT);
  assert_int_equal(weir_file_read(in_dir("a"), 0, NULL, &data, &len, NULL), WEIR_OK);
  assert_string_equal(data, "old");
  free(data);
}

static void failures_say_what_and_where(void **state) {
  (void)state;
  char *data;
  size_t len;
  struct weir_err err;
  struct weir_where w = {.file = "l.yaml", .line = 3, .col = 4};
  assert_int_equal(weir_file_read(in_dir("none"), 0, &w, &data, &len, &err), WEIR_ENOENT);
  assert_contains(err.msg, "l.yaml:3:4: cannot open");
  assert_null(data);
  assert_int_equal(weir_file_read(dir, 0, NULL, &data, &len, &err), WEIR_EINVAL);
  assert_contains(err.msg, "is a folder");
  assert_int_equal(weir_file_write(in_dir("a"), "12345", 5, NULL), WEIR_OK);
  assert_int_equal(weir_file_read(in_dir("a"), 4, NULL, &data, &len, &err), WEIR_ELIMIT);
  assert_int_equal(weir_file_write(in_dir("no/a"), "", 0, &err), WEIR_ENOENT);
  assert_int_equal(weir_file_write("/dev/full", "x", 1, &err), WEIR_EIO);
}

static void zstd_is_unpacked_within_the_limit(void **state) {
  (void)state;
  size_t n = 3000000, room = ZSTD_compressBound(n);
  char *raw = malloc(n), *packed = malloc(room), *data;
  for (size_t i = 0; i < n; i++)
    raw[i] = (char)(i * i >> 7);
  size_t small = ZSTD_compress(packed, room, raw, n, 3), len;
  struct weir_err err;
  assert_int_equal(weir_file_write(in_dir("big.zst"), packed, small, NULL), WEIR_OK);
  assert_int_equal(weir_file_read(in_dir("big.zst"), n, NULL, &data, &len, NULL), WEIR_OK);
  assert_int_equal(len, n);
  assert_memory_equal(data, raw, n);
  free(data);
  assert_int_equal(weir_file_read(in_dir("big.zst"), n - 1, NULL, &data, &len, &err), WEIR_ELIMIT);
  weir_file_write(in_dir("cut.zst"), packed, small - 9, NULL);
  assert_int_equal(weir_file_read(in_dir("cut.zst"), n, NULL, &data, &len, &err), WEIR_EPARSE);
  assert_contains(err.msg, "ends in the middle");
  weir_file_write(in_dir("empty.zst"), "", 0, NULL);
  assert_int_equal(weir_file_read(in_dir("empty.zst"), n, NULL, &data, &len, &err), WEIR_EPARSE);
  weir_file_write(in_dir("bad.zst"), "hello world", 11, NULL);
  assert_int_equal(weir_file_read(in_dir("bad.zst"), n, NULL, &data, &len, &err), WEIR_EPARSE);
  assert_contains(err.msg, "not sound zstd");
  free(raw);
  free(packed);
}

static int read_big(void) {
  char *data;
  size_t len;
  int good = weir_file_read(in_dir("big.zst"), 0, NULL, &data, &len, NULL) == WEIR_OK;
  free(data);
  return good;
}

static void lack_of_memory_is_reported(void **state) {
  (void)state;
  assert_true(with_failing_memory(read_big) > 2);
}

static void names_beside_a_file(void **state) {
  (void)state;
  struct weir_arena a = {0};
  assert_string_equal(weir_file_beside(&a, "a/b.yaml", "c.ptx"), "a/c.ptx");
  assert_string_equal(weir_file_beside(&a, "b.yaml", "c.ptx"), "c.ptx");
  assert_string_equal(weir_file_beside(&a, "a/b.yaml", "/c.ptx"), "/c.ptx");
  assert_string_equal(weir_file_beside(&a, "/b.yaml", "c"), "/c");
  weir_arena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(only_the_start_is_read),
      cmocka_unit_test(a_text_stands_in_for_a_file),
      cmocka_unit_test(failures_say_what_and_where),
      cmocka_unit_test(zstd_is_unpacked_within_the_limit),
      cmocka_unit_test(lack_of_memory_is_reported),
      cmocka_unit_test(names_beside_a_file),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
