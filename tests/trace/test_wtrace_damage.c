/* Damaged, truncated and foreign files are refused, and the message says where. */
#include <xxhash.h>

#include "wtrace_util.h"

#include "trace/wtrace_format.h"

/* The message names the file and a place in it. */
static void says_where(void) {
  if (!strstr(err.msg, path)) fail_msg("no file name: %s", err.msg);
  if (!strstr(err.msg, "byte") && !strstr(err.msg, "version") && !strstr(err.msg, "first bytes"))
    fail_msg("no place: %s", err.msg);
}

static void truncated_file(void) {
  size_t n;
  uint8_t *bytes = slurp(&n);
  for (size_t at = 0; at < n; at += at < 100 || n - at < 200 ? 1 : n / 50) {
    spit(bytes, at);
    assert_int_equal(try_all(true), WEIR_EPARSE);
    says_where();
    if (at >= WT_MAGIC_BYTES && !strstr(err.msg, "truncated")) fail_msg("%zu: %s", at, err.msg);
  }
  /* Too long is wrong as well. */
  bytes[n] = 0;
  spit(bytes, n + 1);
  assert_int_equal(try_all(true), WEIR_EPARSE);
  says_where();
  free(bytes);
}

static void truncated(void **state) {
  (void)state;
  write_random(&(struct weir_wtrace_opts){.level = 3, .target_bytes = 4096}, 2, 10, 200);
  truncated_file();
}

/* Copies, then how the file was made. */
static void write_made(const char *text) {
  struct weir_wtrace_writer *w;
  OK(weir_wtrace_create(path, NULL, &w, &err));
  for (uint64_t i = 0; i < 40; i++)
    OK(weir_wtrace_copy(w, WEIR_EVENT_COPY_TO_DEVICE, i * i, i, &err));
  if (text) OK(weir_wtrace_provenance(w, text, &err));
  OK(weir_wtrace_finish(w, NULL, &err));
}

static void truncated_provenance(void **state) {
  (void)state;
  write_made("made by a test that says a good deal about it, so that there are bytes to lose");
  truncated_file();
}

/* It comes after everything else, whose bytes do not depend on it. */
static void provenance_is_apart(void **state) {
  (void)state;
  static const char *const texts[] = {"commit 1", "commit 12345", NULL};
  uint8_t *bytes[3];
  size_t n[3];
  uint64_t content[3];
  for (int i = 0; i < 3; i++) {
    struct weir_wtrace *t;
    write_made(texts[i]);
    bytes[i] = slurp(&n[i]);
    OK(weir_wtrace_open(path, &t, &err));
    OK(weir_wtrace_verify(t, &err));
    assert_int_equal(weir_wtrace_n_events(t), 40);
    content[i] = weir_wtrace_content_bytes(t);
    if (texts[i])
      assert_string_equal(weir_wtrace_provenance_text(t), texts[i]);
    else
      assert_null(weir_wtrace_provenance_text(t));
    weir_wtrace_close(t);
    assert_int_equal(content[i], content[0]);
    assert_memory_equal(bytes[i], bytes[0], content[0]);
  }
  assert_int_equal(n[1], n[0] + 4);
  assert_int_equal(n[2], content[2] + WT_TRAILER_BYTES);
  for (int i = 0; i < 3; i++)
    free(bytes[i]);
}

/* One bit of every byte. */
static void flipped(void **state) {
  (void)state;
  size_t n;
  struct weir_wtrace_writer *w;
  struct weir_kernel_info info = random_kernel(0, 3);
  info.n_insns = 200;
  OK(weir_wtrace_create(path, &(struct weir_wtrace_opts){.source = "text", .target_bytes = 1}, &w,
                        &err));
  OK(weir_wtrace_kernel(w, &info, &err));
  for (uint64_t id = 0; id < 3; id++) {
    struct weir_block_stream *b;
    OK(weir_block_begin(&pool, id, 1, &b, &err));
    for (uint32_t i = 0; i < 150; i++) {
      struct weir_addrs a = {.kind = WEIR_ADDR_STRIDE,
                             .space = WEIR_SP_GLOBAL,
                             .base = i * i * 77 + id * 1000,
                             .stride = 4 + i % 3};
      if (i % 3)
        weir_put(&b->writers[0], i, UINT32_MAX >> i % 32);
      else
        weir_put_mem(&b->writers[0], i, UINT32_MAX, &a);
    }
    OK(weir_block_finish(b, &err));
    OK(weir_wtrace_block(w, b, &err));
    weir_block_release(b);
  }
  OK(weir_wtrace_provenance(w, "by a test", &err));
  OK(weir_wtrace_finish(w, NULL, &err));
  OK(try_all(true));
  uint8_t *bytes = slurp(&n);
  for (size_t at = 0; at < n; at++) {
    bytes[at] ^= (uint8_t)(1 << at % 8);
    spit(bytes, n);
    if (try_all(true) != WEIR_EPARSE) fail_msg("byte %zu of %zu: not found", at, n);
    says_where();
    bytes[at] ^= (uint8_t)(1 << at % 8);
  }
  free(bytes);
}

static void names_the_group(void **state) {
  (void)state;
  size_t n;
  struct weir_wtrace *t;
  struct weir_block_source *src;
  struct weir_block_stream *b;
  write_random(&(struct weir_wtrace_opts){.level = 3, .target_bytes = 1}, 2, 6, 200);
  uint8_t *bytes = slurp(&n);
  /* The fourth group of the second kernel. */
  size_t at = 0;
  for (int groups = 0; groups < 6 + 4; at++)
    if (bytes[at] == WT_GROUP && bytes[at + 1] && bytes[at + 1] <= WT_N_PARTS && !bytes[at + 2] &&
        !bytes[at + 3] &&
        wt_load64(bytes + at + 8) ==
            XXH64(bytes + at + 16, weir_load32(bytes + at + 4), XXH64(bytes + at, 8, at)))
      groups++;
  at--;
  bytes[at + 40] ^= 1;
  spit(bytes, n);
  OK(weir_wtrace_open(path, &t, &err)); /* the index is whole */
  OK(weir_wtrace_source_open(t, 1, 0, &pool, &src, &err));
  for (int i = 0; i < 3; i++) {
    OK(src->next(src, &b, &err));
    src->release(src, b);
  }
  assert_int_equal(src->next(src, &b, &err), WEIR_EPARSE);
  char place[64];
  snprintf(place, sizeof place, "block group 3 of kernel 1 (section at byte %zu)", at);
  if (!strstr(err.msg, place) || !strstr(err.msg, "checksum is")) fail_msg("%s", err.msg);
  weir_wtrace_source_close(src);
  OK(weir_wtrace_source_open(t, 1, 4, &pool, &src, &err)); /* what follows can be read */
  OK(src->next(src, &b, &err));
  assert_int_equal(b->id, 4);
  src->release(src, b);
  weir_wtrace_source_close(src);
  weir_wtrace_close(t);
  free(bytes);
}

static void foreign(void **state) {
  (void)state;
  size_t n;
  static const char text[] = "#!/bin/sh\necho this is another kind of file, and a longer one\n";
  spit((const uint8_t *)text, sizeof text);
  assert_int_equal(try_all(true), WEIR_EPARSE);
  assert_non_null(strstr(err.msg, "not a .wtrace"));
  write_random(NULL, 1, 1, 10);
  uint8_t *bytes = slurp(&n);
  for (uint32_t version = 0; version <= 5; version += 5) {
    wt_store32(bytes + 8, version);
    spit(bytes, n);
    assert_int_equal(try_all(true), WEIR_EPARSE);
    assert_non_null(strstr(err.msg, version ? "of version 5" : "of version 0"));
    assert_non_null(strstr(err.msg, "reads versions 1 to 4"));
  }
  free(bytes);
  unlink(path);
  assert_int_equal(try_all(true), WEIR_ENOENT);
}

static void reseal(uint8_t *bytes, size_t at) {
  wt_store64(bytes + at + 8,
             XXH64(bytes + at + 16, weir_load32(bytes + at + 4), XXH64(bytes + at, 8, at)));
}

/* Numbers that ask for much memory, under checksums that are right. */
static void huge_counts(void **state) {
  (void)state;
  size_t n;
  struct weir_wtrace_writer *w;
  struct weir_kernel_info info = {.name = "x", .block = {1, 1, 1}, .n_warps = 1};
  OK(weir_wtrace_create(path, &(struct weir_wtrace_opts){.level = -1}, &w, &err));
  OK(weir_wtrace_kernel(w, &info, &err));
  OK(weir_wtrace_finish(w, NULL, &err));
  uint8_t *bytes = slurp(&n), *copy = malloc(n);
  assert_non_null(copy);
  size_t table = 24, index = (size_t)wt_load64(bytes + n - WT_TRAILER_BYTES);
  assert_int_equal(bytes[table], WT_TABLE);
  assert_int_equal(bytes[index], WT_INDEX);
  size_t sections[] = {table, index};
  for (int s = 0; s < 2; s++) {
    size_t at = sections[s], payload = weir_load32(bytes + at + 4);
    for (size_t i = 0; i + 1 <= payload; i++) {
      memcpy(copy, bytes, n);
      /* The largest number that fits from here on; at i = 0 and 1 the sizes of the part. */
      for (size_t k = i; k < payload && k < i + 5; k++)
        copy[at + 16 + k] = k + 1 < payload && k < i + 4 ? 0xff : 0x0f;
      reseal(copy, at);
      spit(copy, n);
      enum weir_status st = try_all(true);
      if (st != WEIR_EPARSE) fail_msg("section %d, byte %zu: %s", s, i, weir_status_name(st));
    }
  }
  /* A section that says it is larger than the file, and one larger than any may be. */
  memcpy(copy, bytes, n);
  wt_store32(copy + table + 4, UINT32_MAX);
  spit(copy, n);
  assert_int_equal(try_all(false), WEIR_EPARSE);
  free(bytes);
  free(copy);
}

/* Without checksums anything may arrive at the decoder. It answers, one way or the other. */
static void any_bytes(void **state) {
  (void)state;
  size_t n;
  uint64_t rng = 1;
  unsigned refused = 0;
  write_random(&(struct weir_wtrace_opts){.level = -1, .target_bytes = 2048}, 2, 4, 60);
  uint8_t *bytes = slurp(&n), *copy = malloc(n);
  assert_non_null(copy);
  /* Tables of 20,000 instructions are most of the file: aim behind them. */
  size_t from = n > 40000 ? n - 40000 : 0;
  for (int round = 0; round < 600; round++) {
    memcpy(copy, bytes, n);
    for (unsigned k = 1 + below(&rng, 4); k; k--)
      copy[from + below(&rng, (uint32_t)(n - from))] = (uint8_t)rnd(&rng);
    spit(copy, n);
    enum weir_status st = try_all(false);
    refused += st != WEIR_OK;
    if (st && st != WEIR_EPARSE) fail_msg("%s: %s", weir_status_name(st), err.msg);
  }
  assert_true(refused > 100);
  free(bytes);
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(truncated),           cmocka_unit_test(truncated_provenance),
      cmocka_unit_test(provenance_is_apart), cmocka_unit_test(flipped),
      cmocka_unit_test(names_the_group),     cmocka_unit_test(foreign),
      cmocka_unit_test(huge_counts),         cmocka_unit_test(any_bytes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
