/* Fat binaries: what nvcc made (data/README.md says how), and damaged and hand-made ones. */
#include "../base/testing.h"

#include <lz4.h>
#include <stdio.h>
#include <zstd.h>

#include "base/file.h"
#include "cuda/fatbin.h"
#include "ptx/ir.h"

enum { HEADER = 16, ENTRY = 64, ROOM = 4096 };

static const char *data_dir;
static struct weir_err err;

struct bytes {
  uint8_t *v;
  size_t n;
};

static struct bytes load(const char *name) {
  char path[600], *v;
  struct bytes b = {0};
  snprintf(path, sizeof path, "%s/%s.fatbin", data_dir, name);
  if (weir_file_read(path, 0, NULL, &v, &b.n, &err) != WEIR_OK) fail_msg("%s", err.msg);
  /* Exactly as long, so that a sanitizer sees a byte too far. */
  b.v = malloc(b.n);
  memcpy(b.v, v, b.n);
  free(v);
  return b;
}

static struct weir_fatbin open_bytes(const struct bytes *b) {
  struct weir_fatbin f;
  if (weir_fatbin_open(&f, b->v, b->n, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return f;
}

static const struct weir_fatbin_entry *choose(const struct weir_fatbin *f, unsigned image,
                                              unsigned sm) {
  const struct weir_fatbin_entry *e;
  if (weir_fatbin_choose(f, image, sm, &e, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return e;
}

static char *text_of(const struct weir_fatbin_entry *e) {
  char *text;
  size_t n;
  if (weir_fatbin_text(e, &text, &n, &err) != WEIR_OK) fail_msg("%s", err.msg);
  assert_int_equal(strlen(text), n);
  return text;
}

/* The text of the PTX in an image for a machine. */
static char *text_for(const char *name, unsigned sm) {
  struct bytes b = load(name);
  struct weir_fatbin f = open_bytes(&b);
  assert_int_equal(f.n_images, 1);
  char *text = text_of(choose(&f, 0, sm));
  weir_fatbin_free(&f);
  free(b.v);
  return text;
}

/* --- what nvcc makes --- */

static void every_compression_gives_the_same_text(void **state) {
  (void)state;
  static const char *const names[] = {"speed", "size", "balance", "rdc", "two"};
  char *raw = text_for("none", 75);
  assert_contains(raw, ".version 9.0\n.target sm_75\n");
  assert_contains(raw, ".visible .entry _Z4axpyPfPKffi(");
  for (size_t i = 0; i < COUNT(names); i++) {
    char *text = text_for(names[i], 75);
    assert_string_equal(text, raw);
    free(text);
  }
  free(raw);
}

static void the_text_is_a_module_that_parses(void **state) {
  (void)state;
  char *text = text_for("balance", 75);
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  assert_int_equal(ptx_parse(text, strlen(text), "balance", &m, &diags), WEIR_OK);
  ptx_module_free(m);
  ptx_diags_free(&diags);
  free(text);
}

static void entries_say_what_they_are(void **state) {
  (void)state;
  static const struct {
    const char *image;
    unsigned n, kind[3], sm[3];
    uint64_t flags[3];
  } want[] = {
      {"none", 1, {1}, {75}, {0x11}},
      {"speed", 1, {1}, {75}, {0x2011}},
      {"size", 1, {1}, {75}, {0x8011}},
      {"balance", 1, {1}, {75}, {0x8011}},
      {"rdc", 1, {1}, {75}, {0x8011}},
      {"sass", 1, {2}, {75}, {0x11}},
      {"two", 3, {1, 1, 2}, {75, 90, 90}, {0x8011, 0x8011, 0x11}},
      {"special", 3, {1, 1, 1}, {90, 90, 100}, {0x108011, 0x8011, 0x208011}},
      {"lineinfo", 2, {2, 1}, {75, 75}, {0x11, 0x8011}},
      {"lto", 1, {8}, {75}, {0x18011}},
  };
  for (size_t i = 0; i < COUNT(want); i++) {
    struct bytes b = load(want[i].image);
    struct weir_fatbin f = open_bytes(&b);
    assert_int_equal(f.n, want[i].n);
    for (unsigned k = 0; k < want[i].n; k++) {
      assert_int_equal(f.v[k].image, 0);
      assert_int_equal(f.v[k].kind, want[i].kind[k]);
      assert_int_equal(f.v[k].sm, want[i].sm[k]);
      assert_int_equal(f.v[k].flags, want[i].flags[k]);
      if (f.v[k].kind != WEIR_FATBIN_PTX) continue;
      assert_int_equal(f.v[k].version[0], 9);
      assert_int_equal(f.v[k].version[1], 0);
    }
    weir_fatbin_free(&f);
    free(b.v);
  }
}

static void names_and_options_are_found(void **state) {
  (void)state;
  struct bytes b = load("lineinfo"), rdc = load("rdc");
  struct weir_fatbin f = open_bytes(&b);
  assert_int_equal(f.v[1].name_bytes, 7);
  assert_memory_equal(f.v[1].name, "tiny.cu", 7);
  assert_int_equal(f.v[1].options_bytes, 22);
  assert_memory_equal(f.v[1].options, " --generate-line-info ", 22);
  weir_fatbin_free(&f);
  f = open_bytes(&rdc);
  assert_null(f.v[0].name);
  assert_int_equal(f.v[0].options_bytes, 16);
  assert_memory_equal(f.v[0].options, "--compile-only  ", 16);
  weir_fatbin_free(&f);
  free(b.v);
  free(rdc.v);
}

static void images_of_a_section_follow_each_other(void **state) {
  (void)state;
  struct bytes a = load("speed"), b = load("two");
  static const uint8_t empty[HEADER] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16};
  struct bytes all = {malloc(a.n + b.n + HEADER), a.n + b.n + HEADER};
  memcpy(all.v, empty, HEADER);
  memcpy(all.v + HEADER, a.v, a.n);
  memcpy(all.v + HEADER + a.n, b.v, b.n);
  struct weir_fatbin f = open_bytes(&all);
  assert_int_equal(f.n_images, 2);
  assert_int_equal(choose(&f, 0, 90)->sm, 75);
  assert_int_equal(choose(&f, 1, 90)->sm, 90);
  const struct weir_fatbin_entry *e;
  assert_int_equal(weir_fatbin_choose(&f, 2, 90, &e, &err), WEIR_EINVAL);
  assert_contains(err.msg, "no image 2, there are 2");
  weir_fatbin_free(&f);
  free(all.v);
  free(a.v);
  free(b.v);
}

/* --- which PTX a machine runs --- */

static void the_highest_that_the_machine_runs(void **state) {
  (void)state;
  struct bytes b = load("two");
  struct weir_fatbin f = open_bytes(&b);
  assert_int_equal(choose(&f, 0, 75)->sm, 75);
  assert_int_equal(choose(&f, 0, 89)->sm, 75);
  assert_int_equal(choose(&f, 0, 90)->sm, 90);
  assert_int_equal(choose(&f, 0, 121)->sm, 90);
  weir_fatbin_free(&f);
  free(b.v);
}

static void special_code_runs_where_it_may(void **state) {
  (void)state;
  struct bytes b = load("special");
  struct weir_fatbin f = open_bytes(&b);
  assert_int_equal(choose(&f, 0, 90)->flags, 0x8011);    /* not compute_90a: the same everywhere */
  assert_int_equal(choose(&f, 0, 100)->flags, 0x208011); /* compute_100f */
  assert_int_equal(choose(&f, 0, 103)->flags, 0x208011); /* same family */
  assert_int_equal(choose(&f, 0, 110)->flags, 0x8011);   /* another one */
  f.v[1].kind = WEIR_FATBIN_SASS;                        /* without compute_90 */
  assert_int_equal(choose(&f, 0, 90)->flags, 0x108011);  /* compute_90a */
  const struct weir_fatbin_entry *e;
  assert_int_equal(weir_fatbin_choose(&f, 0, 120, &e, &err), WEIR_ENOENT);
  assert_contains(err.msg, "no PTX in this program that a machine of compute capability 12.0 runs, "
                           "only PTX for compute_90a, PTX for compute_100f\n");
  f.v[1] = f.v[0]; /* of the same, the first */
  assert_ptr_equal(choose(&f, 0, 90), &f.v[0]);
  f.v[1].flags = WEIR_FATBIN_FAMILY;
  assert_ptr_equal(choose(&f, 0, 90), &f.v[1]);
  weir_fatbin_free(&f);
  free(b.v);
}

static void no_match(const char *image, unsigned sm, const char *what, const char *flag) {
  struct bytes b = load(image);
  struct weir_fatbin f = open_bytes(&b);
  const struct weir_fatbin_entry *e = f.v;
  assert_int_equal(weir_fatbin_choose(&f, 0, sm, &e, &err), WEIR_ENOENT);
  assert_null(e);
  assert_contains(err.msg, what);
  assert_contains(err.msg, "remedy: compile it with nvcc ");
  assert_contains(err.msg, flag);
  assert_int_equal(weir_fatbin_choose(&f, 0, sm, &e, NULL), WEIR_ENOENT);
  weir_fatbin_free(&f);
  free(b.v);
}

static void what_there_is_and_a_remedy_when_nothing_fits(void **state) {
  (void)state;
  no_match("sass", 90, "no PTX in this program, which is what weir executes, only SASS for sm_75",
           "-gencode arch=compute_75,code=compute_75");
  no_match("lto", 75, "only link-time IR for sm_75", "-gencode arch=compute_75,code=compute_75");
  no_match("two", 70, "compute capability 7.0 runs, only PTX for compute_75, PTX for compute_90\n",
           "-gencode arch=compute_70,code=compute_70");
}

static void long_lists_are_cut(void **state) {
  (void)state;
  struct weir_fatbin_entry v[40] = {0};
  for (size_t i = 0; i < COUNT(v); i++)
    v[i] = (struct weir_fatbin_entry){.kind = 0xffff, .sm = UINT32_MAX, .flags = WEIR_FATBIN_ARCH};
  v[0].kind = WEIR_FATBIN_LTO;
  struct weir_fatbin f = {.v = v, .n = COUNT(v), .n_images = 1};
  const struct weir_fatbin_entry *e;
  assert_int_equal(weir_fatbin_choose(&f, 0, 75, &e, &err), WEIR_ENOENT);
  assert_contains(err.msg, "link-time IR for sm_4294967295a, kind 65535 for sm_4294967295a, ");
  assert_contains(err.msg, ", ...\n  remedy");
}

/* --- from memory, as a program registers it --- */

static void a_wrapper_of_one_image(void **state) {
  (void)state;
  struct bytes b = load("balance");
  struct weir_fatbin_wrapper w = {.magic = WEIR_FATBIN_MAGIC, .version = 1, .data = b.v};
  uint8_t skewed[sizeof w + 1];
  memcpy(skewed + 1, &w, sizeof w);
  struct weir_fatbin f;
  assert_int_equal(weir_fatbin_open_wrapper(&f, skewed + 1, &err), WEIR_OK);
  assert_int_equal(f.n_images, 1);
  char *text = text_of(choose(&f, 0, 90));
  assert_contains(text, "_Z4axpyPfPKffi");
  free(text);
  weir_fatbin_free(&f);
  free(b.v);
}

static void a_wrapper_of_linked_objects(void **state) {
  (void)state;
  struct bytes a = load("rdc"), b = load("lto"), linked = load("sass");
  static const uint8_t empty[HEADER] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16};
  const void *list[] = {a.v, empty, b.v, NULL};
  struct weir_fatbin_wrapper w = {
      .magic = WEIR_FATBIN_MAGIC, .version = 2, .data = linked.v, .aux = list};
  struct weir_fatbin f;
  const struct weir_fatbin_entry *e;
  assert_int_equal(weir_fatbin_open_wrapper(&f, &w, &err), WEIR_OK);
  assert_int_equal(f.n_images, 2);
  assert_int_equal(choose(&f, 0, 75)->sm, 75);
  assert_int_equal(weir_fatbin_choose(&f, 1, 75, &e, &err), WEIR_ENOENT);
  weir_fatbin_free(&f);
  free(a.v);
  free(b.v);
  free(linked.v);
}

static void wrapper_fails(const struct weir_fatbin_wrapper *w, enum weir_status code,
                          const char *what) {
  struct weir_fatbin f;
  assert_int_equal(weir_fatbin_open_wrapper(&f, w, &err), code);
  assert_contains(err.msg, what);
  assert_null(f.v);
  assert_int_equal(f.n_images, 0);
}

static void wrong_wrappers(void **state) {
  (void)state;
  static const uint8_t wrong[HEADER] = {0x50, 0xed, 0x55, 0xbb, 1, 0, 16};
  struct bytes b = load("rdc");
  const void *list[] = {b.v, wrong, NULL};
  struct weir_fatbin_wrapper w = {.magic = WEIR_FATBIN_MAGIC, .version = 1};
  wrapper_fails(NULL, WEIR_EINVAL, "wrapper is NULL");
  wrapper_fails(&w, WEIR_EPARSE, "holds no fat binary");
  w.data = wrong;
  wrapper_fails(&w, WEIR_EPARSE, "its first word is 0xbb55ed50, not 0xba55ed50");
  w.version = 2;
  wrapper_fails(&w, WEIR_EPARSE, "version 2 and no list of linked objects");
  w.aux = list;
  wrapper_fails(&w, WEIR_EPARSE, "image 1, byte 0: no fat binary begins there");
  w.version = 3;
  wrapper_fails(&w, WEIR_EPARSE, "has version 3; known are 1 and 2");
  w.magic = 1;
  wrapper_fails(&w, WEIR_EPARSE, "its first word is 0x00000001, not 0x466243b1");
  free(b.v);
}

/* --- damaged --- */

/* Writes `bytes` low bytes of a value. */
static void put(uint8_t *p, size_t bytes, uint64_t value) {
  for (size_t i = 0; i < bytes; i++)
    p[i] = (uint8_t)(value >> 8 * i);
}

/* An image of one PTX entry for sm_75 around `data`. */
static struct bytes make(uint64_t flags, uint64_t packed, uint64_t text, const void *data,
                         size_t n) {
  struct bytes b = {calloc(1, HEADER + ENTRY + n), HEADER + ENTRY + n};
  put(b.v, 4, 0xba55ed50);
  put(b.v + 4, 2, 1);
  put(b.v + 6, 2, HEADER);
  put(b.v + 8, 8, ENTRY + n);
  uint8_t *e = b.v + HEADER;
  put(e, 2, WEIR_FATBIN_PTX);
  put(e + 2, 2, 0x0101);
  put(e + 4, 4, ENTRY);
  put(e + 8, 8, n);
  put(e + 16, 4, packed);
  put(e + 26, 2, 9);
  put(e + 28, 4, 75);
  put(e + 40, 8, flags);
  put(e + 56, 8, text);
  if (n > 0) memcpy(e + ENTRY, data, n);
  return b;
}

static void damage_of_headers_is_named(void **state) {
  (void)state;
  static const struct {
    size_t at, bytes;
    uint64_t value;
    const char *what;
  } want[] = {
      {0, 4, 0x464c457f,
       "image 0, byte 0: no fat binary begins there: its first word is 0x464c457f"},
      {4, 2, 2, "version 2 with a header of 16 bytes; known is version 1 with 16"},
      {6, 2, 24, "version 1 with a header of 24 bytes"},
      {8, 8, 473, "byte 0: truncated: the image has 473 bytes, and 472 are left"},
      {8, 8, UINT64_MAX, "truncated: the image has 18446744073709551615 bytes"},
      {8, 8, 471, "byte 16: truncated: the entry has 392 bytes, and 391 are left in the image"},
      {8, 8, 63, "truncated: an entry's header has 64 bytes or more, and the image ends after 63"},
      {18, 2, 0x0201, "byte 16: no entry begins there: its version is 0x0201, not 0x0101"},
      {20, 4, 63, "the entry's header has 63 bytes: at least 64, and 472 are left in the image"},
      {20, 4, 473, "the entry's header has 473 bytes: at least 64"},
      {24, 8, 393, "byte 16: truncated: the entry has 393 bytes, and 392 are left"},
      {24, 8, UINT64_MAX - 79, "truncated: the entry has 18446744073709551536 bytes"},
      {24, 8, 384, "the entry has 392 compressed bytes, and room for 384"},
      {32, 4, UINT32_MAX, "the entry has 4294967295 compressed bytes, and room for 392"},
      {36, 4, 73, "the entry's options (at 73) are outside its header of 80 bytes"},
      {36, 4, 8, "the entry's options (at 8) are outside its header"},
      {36, 4, UINT32_MAX, "the entry's options (at 4294967295) are outside its header"},
      {84, 4, 9, "the entry's options (9 bytes at 72) are outside its header of 80 bytes"},
      {80, 8, UINT64_C(1) << 32, "the entry's options (1 bytes at 0) are outside"},
      {80, 8, UINT64_MAX, "the entry's options (4294967295 bytes at 4294967295) are outside"},
      {52, 4, 1, "the entry's name (1 bytes at 0) is outside its header of 80 bytes"},
      {48, 8, UINT64_C(17) << 32 | 64, "the entry's name (17 bytes at 64) is outside"},
      {48, 8, UINT64_MAX, "the entry's name (4294967295 bytes at 4294967295) is outside"},
  };
  for (size_t i = 0; i < COUNT(want); i++) {
    struct bytes b = load("balance");
    struct weir_fatbin f;
    put(b.v + want[i].at, want[i].bytes, want[i].value);
    assert_int_equal(weir_fatbin_open(&f, b.v, b.n, &err), WEIR_EPARSE);
    assert_contains(err.msg, want[i].what);
    assert_null(f.v);
    free(b.v);
  }
}

static void every_cut_is_found(void **state) {
  (void)state;
  static const char *const names[] = {"none", "speed", "lineinfo", "two"};
  for (size_t i = 0; i < COUNT(names); i++) {
    struct bytes b = load(names[i]);
    for (size_t n = 0; n < b.n; n++) {
      struct weir_fatbin f;
      uint8_t *cut = malloc(n > 0 ? n : 1);
      memcpy(cut, b.v, n);
      assert_int_equal(weir_fatbin_open(&f, cut, n, &err), WEIR_EPARSE);
      assert_contains(err.msg, "truncated: ");
      free(cut);
    }
    free(b.v);
  }
}

static void only_zeros_up_to_the_next_image_are_padding(void **state) {
  (void)state;
  struct bytes b = make(0x11, 0, 0, ".version 9.0\n", 13);
  struct weir_fatbin f;
  b.v = realloc(b.v, b.n + 11);
  memset(b.v + b.n, 0, 11);
  assert_int_equal(b.n % 8, 5);
  assert_int_equal(weir_fatbin_open(&f, b.v, b.n + 3, &err), WEIR_OK);
  weir_fatbin_free(&f);
  assert_int_equal(weir_fatbin_open(&f, b.v, b.n + 11, &err), WEIR_EPARSE);
  assert_contains(err.msg, "image 1, byte 96: truncated: a header has 16 bytes, and 8 are left");
  b.v[b.n] = 1;
  assert_int_equal(weir_fatbin_open(&f, b.v, b.n + 3, &err), WEIR_EPARSE);
  free(b.v);
}

/* The text of a hand-made entry is refused with `code` and a message. */
static void text_fails(uint64_t flags, uint64_t packed, uint64_t text, const void *data, size_t n,
                       enum weir_status code, const char *what) {
  struct bytes b = make(flags, packed, text, data, n);
  struct weir_fatbin f = open_bytes(&b);
  char *out = (char *)b.v;
  size_t len = 1;
  assert_int_equal(weir_fatbin_text(f.v, &out, &len, &err), code);
  assert_contains(err.msg, what);
  assert_null(out);
  assert_int_equal(len, 0);
  weir_fatbin_free(&f);
  free(b.v);
}

static void raw_text_is_checked(void **state) {
  (void)state;
  static const char ptx[] = ".version 9.0\n";
  text_fails(0x11, 0, 0, NULL, 0, WEIR_EPARSE, "image 0, PTX for compute_75: it has no text");
  text_fails(0x11, 0, 0, "\0\0\0\0", 4, WEIR_EPARSE, "it has no text");
  text_fails(0x11, 0, 0, "\n\n \0", 4, WEIR_EPARSE, "it has no text");
  text_fails(0x11, 0, 0, ".ver\0sion\0", 10, WEIR_EPARSE, "byte 4 of 9 of its text is a NUL");
  text_fails(0x11, 4, 0, ptx, 13, WEIR_EPARSE, "its flags (0x11) say that it is not compressed");
  text_fails(0x11, 0, 4, ptx, 13, WEIR_EPARSE, "its sizes (0 and 4 bytes) that it is");
  text_fails(0x51, 0, 0, ptx, 13, WEIR_EPARSE, "flags 0x40 are not known (0x51 in all)");
  text_fails(UINT64_C(1) << 63, 0, 0, ptx, 13, WEIR_EPARSE,
             "flags 0x8000000000000000 are not known");
}

static void compressed_text_is_checked(void **state) {
  (void)state;
  char text[600], lz4[ROOM], zstd[ROOM];
  memset(text, ' ', sizeof text);
  memcpy(text, ".version 9.0\n", 13);
  size_t a = (size_t)LZ4_compress_default(text, lz4, sizeof text, sizeof lz4);
  size_t b = ZSTD_compress(zstd, sizeof zstd, text, sizeof text, 3);
  text_fails(0xa011, a, 600, lz4, a, WEIR_EPARSE, "its flags (0xa011) say LZ4 and zstd");
  text_fails(0x2011, 0, 600, lz4, a, WEIR_EPARSE, "compressed, but its sizes are 0 and 600 bytes");
  text_fails(0x8011, b, 0, zstd, b, WEIR_EPARSE, "compressed, but its sizes are");
  text_fails(0x2011, a, 599, lz4, a, WEIR_EPARSE,
             "becomes more than the 599 bytes that it declares");
  text_fails(0x2011, a, 601, lz4, a, WEIR_EPARSE,
             "it has 600 bytes and not the 601 that it declares");
  text_fails(0x2011, a - 1, 600, lz4, a, WEIR_EPARSE, "its LZ4 data is damaged near byte");
  text_fails(0x8011, b, 599, zstd, b, WEIR_EPARSE, "its zstd data cannot be decompressed: ");
  text_fails(0x8011, b, 601, zstd, b, WEIR_EPARSE,
             "has 600 bytes and not the 601 that it declares");
  text_fails(0x8011, b - 1, 600, zstd, b, WEIR_EPARSE, "its zstd data cannot be decompressed: ");
  text_fails(0x8011, a, 600, lz4, a, WEIR_EPARSE, "its zstd data cannot be decompressed: Unknown");
  zstd[7] |= 6; /* a block of a type that does not exist */
  text_fails(0x8011, b, 600, zstd, b, WEIR_EPARSE, "decompressed: Data corruption detected");
}

/* Few bytes cannot ask for much memory. */
static void sizes_that_cannot_be_are_refused(void **state) {
  (void)state;
  static const char some[8] = {0};
  text_fails(0x2011, 8, 255 * 9, some, 8, WEIR_EPARSE, "8 compressed bytes cannot become the 2295");
  text_fails(0x8011, 8, 9 << 15, some, 8, WEIR_EPARSE, "cannot become the 294912 that it declares");
  text_fails(0x8011, 8, (256 << 20) + 1, some, 8, WEIR_ELIMIT,
             "268435457 bytes of text; 268435456 are allowed");
  text_fails(0x2011, 8, UINT64_MAX, some, 8, WEIR_ELIMIT, "18446744073709551615 bytes of text");
}

/* Sizes beyond the limit are refused before the bytes are looked at. */
static void large_entries_are_refused(void **state) {
  (void)state;
  static const uint8_t byte;
  struct weir_fatbin_entry e = {.kind = WEIR_FATBIN_PTX, .data = &byte};
  char *text;
  size_t n;
  e.data_bytes = (size_t)WEIR_FATBIN_MAX_TEXT + 1;
  assert_int_equal(weir_fatbin_text(&e, &text, &n, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "268435457 bytes of text; 268435456 are allowed");
  e.flags = WEIR_FATBIN_LZ4;
  e.packed_bytes = e.data_bytes;
  e.text_bytes = 1;
  assert_int_equal(weir_fatbin_text(&e, &text, &n, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "268435457 compressed bytes; 268435456 are allowed");
}

static void what_is_not_ptx_has_no_text(void **state) {
  (void)state;
  static const struct {
    unsigned kind;
    const char *what;
  } want[] = {{2, "SASS for sm_75: this is not PTX"},
              {8, "link-time IR for sm_75: this is not PTX"},
              {12, "kind 12 for sm_75: this is not PTX"}};
  for (size_t i = 0; i < COUNT(want); i++) {
    struct weir_fatbin_entry e = {.kind = want[i].kind, .sm = 75};
    char *text;
    size_t n;
    assert_int_equal(weir_fatbin_text(&e, &text, &n, &err), WEIR_EINVAL);
    assert_contains(err.msg, want[i].what);
    assert_int_equal(weir_fatbin_text(&e, &text, &n, NULL), WEIR_EINVAL);
  }
}

/* An entry of a kind or with flags that nobody knows does not spoil the others. */
static void what_is_unknown_is_kept_and_not_chosen(void **state) {
  (void)state;
  struct bytes b = load("two");
  size_t second = HEADER + 80 + 392;
  put(b.v + second, 2, 77);
  put(b.v + second + 40, 8, UINT64_MAX & ~(uint64_t)(WEIR_FATBIN_ARCH | WEIR_FATBIN_FAMILY));
  struct weir_fatbin f = open_bytes(&b);
  assert_int_equal(choose(&f, 0, 90)->sm, 75);
  const struct weir_fatbin_entry *e;
  assert_int_equal(weir_fatbin_choose(&f, 0, 70, &e, &err), WEIR_ENOENT);
  assert_contains(err.msg, "only PTX for compute_75\n");
  f.v[0].kind = WEIR_FATBIN_SASS;
  assert_int_equal(weir_fatbin_choose(&f, 0, 70, &e, &err), WEIR_ENOENT);
  assert_contains(err.msg, "only SASS for sm_75, kind 77 for sm_90, SASS for sm_90");
  weir_fatbin_free(&f);
  free(b.v);
}

static struct bytes given;
static int use_all(void) {
  struct weir_fatbin f;
  const struct weir_fatbin_entry *e;
  char *text;
  size_t n;
  if (weir_fatbin_open(&f, given.v, given.n, &err) != WEIR_OK) {
    assert_int_equal(err.code, WEIR_ENOMEM);
    return 0;
  }
  int good = 1;
  for (size_t i = 0; i < f.n; i++)
    if (f.v[i].kind == WEIR_FATBIN_PTX) {
      enum weir_status st = weir_fatbin_text(&f.v[i], &text, &n, &err);
      assert_true(st == WEIR_OK || st == WEIR_ENOMEM);
      good &= st == WEIR_OK;
      free(text);
    }
  assert_int_equal(weir_fatbin_choose(&f, 0, 10, &e, &err), WEIR_ENOENT);
  good &= strstr(err.msg, "out of memory") == NULL;
  weir_fatbin_free(&f);
  return good;
}

static void without_memory_it_says_so(void **state) {
  (void)state;
  static const char *const names[] = {"none", "speed", "two"};
  for (size_t i = 0; i < COUNT(names); i++) {
    given = load(names[i]);
    assert_true(with_failing_memory(use_all) >= 3);
    free(given.v);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_compression_gives_the_same_text),
      cmocka_unit_test(the_text_is_a_module_that_parses),
      cmocka_unit_test(entries_say_what_they_are),
      cmocka_unit_test(names_and_options_are_found),
      cmocka_unit_test(images_of_a_section_follow_each_other),
      cmocka_unit_test(the_highest_that_the_machine_runs),
      cmocka_unit_test(special_code_runs_where_it_may),
      cmocka_unit_test(what_there_is_and_a_remedy_when_nothing_fits),
      cmocka_unit_test(long_lists_are_cut),
      cmocka_unit_test(a_wrapper_of_one_image),
      cmocka_unit_test(a_wrapper_of_linked_objects),
      cmocka_unit_test(wrong_wrappers),
      cmocka_unit_test(damage_of_headers_is_named),
      cmocka_unit_test(every_cut_is_found),
      cmocka_unit_test(only_zeros_up_to_the_next_image_are_padding),
      cmocka_unit_test(raw_text_is_checked),
      cmocka_unit_test(compressed_text_is_checked),
      cmocka_unit_test(sizes_that_cannot_be_are_refused),
      cmocka_unit_test(large_entries_are_refused),
      cmocka_unit_test(what_is_not_ptx_has_no_text),
      cmocka_unit_test(what_is_unknown_is_kept_and_not_chosen),
      cmocka_unit_test(without_memory_it_says_so),
  };
  if (argc != 2) return 2;
  data_dir = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
