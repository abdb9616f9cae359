#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "gen.h"

static struct weir_stream_pool pool;
static struct weir_err err;

static void start(size_t budget, const char *dir) {
  memset(&err, 0, sizeof err);
  assert_int_equal(weir_stream_pool_init(&pool, budget, dir, &err), WEIR_OK);
}

static struct weir_block_stream *begin(uint64_t id, uint32_t n_warps) {
  struct weir_block_stream *b;
  assert_int_equal(weir_block_begin(&pool, id, n_warps, &b, &err), WEIR_OK);
  return b;
}

static struct weir_block_stream *write_block(uint64_t id, uint32_t n_warps, unsigned n) {
  static struct gen gens[8];
  struct weir_block_stream *b = begin(id, n_warps);
  for (uint32_t i = 0; i < n_warps; i++)
    gen_start(&gens[i], id * 100 + i);
  for (unsigned k = 0; k < n; k++) {
    for (uint32_t i = 0; i < n_warps; i++)
      gen_put(&gens[i], &b->writers[i]);
    if (k % 512 == 511) weir_writer_park(&b->writers[k / 512 % n_warps]);
  }
  assert_int_equal(weir_block_finish(b, &err), WEIR_OK);
  return b;
}

static void check_block(struct weir_block_stream *b, unsigned n, bool consume) {
  static struct gen g;
  for (uint32_t i = 0; i < b->n_warps; i++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    gen_start(&g, b->id * 100 + i);
    weir_reader_open(&r, &b->warps[i], test_kernel(), consume);
    for (unsigned k = 0; k < n; k++)
      gen_check(&g, &r);
    assert_false(weir_next(&r, &d));
    assert_false(weir_next(&r, &d));
    assert_int_equal(weir_reader_error(&r, &err), WEIR_OK);
    weir_reader_close(&r);
    assert_int_equal(b->warps[i].n_insns, n);
  }
}

static void round_trip(void **state) {
  (void)state;
  start(SIZE_MAX, NULL);
  for (uint64_t id = 0; id < 40; id++) {
    unsigned n = id < 20 ? (unsigned)id : 3000;
    struct weir_block_stream *b = write_block(id, 1 + (uint32_t)id % 3, n);
    check_block(b, n, false);
    check_block(b, n, true);
    assert_null(b->warps[0].first);
    weir_block_release(b);
  }
  assert_int_equal(pool.n_spilled, 0);
  weir_stream_pool_free(&pool);
}

/* Blocks written ahead, read back in order; nothing may differ from the unspilled run above. */
static void spill_and_read_back(void **state) {
  (void)state;
  struct weir_block_stream *b[6];
  uint64_t one_round = 0;
  start(5 * WEIR_CHUNK_BYTES, NULL);
  for (uint64_t round = 0; round < 3; round++) {
    for (uint64_t i = 0; i < 6; i++)
      b[i] = write_block(round * 6 + i, 2, 4000);
    for (int i = 0; i < 6; i++) {
      check_block(b[i], 4000, false);
      check_block(b[i], 4000, i % 2);
      weir_block_release(b[i]);
    }
    if (!round) one_round = pool.file_end;
  }
  assert_true(pool.n_spilled > 20);
  assert_true(pool.n_reloaded > 20);
  assert_true(pool.peak_held <= 5 * WEIR_CHUNK_BYTES);
  /* Places in the file are used again, and what was read back is not written twice. */
  assert_true(pool.file_end <= one_round * 5 / 4);
  weir_stream_pool_free(&pool);
}

enum { AHEAD = 12 };
static struct weir_block_stream *ahead[AHEAD];
static pthread_mutex_t ahead_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ahead_grew = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg) {
  (void)arg;
  for (uint64_t id = 0; id < AHEAD; id++) {
    struct weir_block_stream *b = write_block(id, 3, 2500);
    pthread_mutex_lock(&ahead_lock);
    ahead[id] = b;
    pthread_cond_signal(&ahead_grew);
    pthread_mutex_unlock(&ahead_lock);
  }
  return NULL;
}

/* One thread writes ahead while another reads and releases: the engine's way of working. */
static void write_ahead(void **state) {
  (void)state;
  pthread_t t;
  test_kernel();
  start(8 * WEIR_CHUNK_BYTES, NULL);
  assert_int_equal(pthread_create(&t, NULL, produce, NULL), 0);
  for (int i = 0; i < AHEAD; i++) {
    pthread_mutex_lock(&ahead_lock);
    while (!ahead[i])
      pthread_cond_wait(&ahead_grew, &ahead_lock);
    struct weir_block_stream *b = ahead[i];
    pthread_mutex_unlock(&ahead_lock);
    check_block(b, 2500, i % 2);
    weir_block_release(b);
  }
  pthread_join(t, NULL);
  weir_stream_pool_free(&pool);
}

static void spilled_file_has_no_name(void **state) {
  (void)state;
  char dir[] = "/tmp/weir-test-XXXXXX";
  assert_non_null(mkdtemp(dir));
  start(1, dir);
  struct weir_block_stream *b = write_block(1, 2, 5000);
  assert_true(pool.n_spilled > 0);
  DIR *d = opendir(dir);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));)
    assert_int_equal(e->d_name[0], '.');
  closedir(d);
  check_block(b, 5000, true);
  weir_block_release(b);
  weir_stream_pool_free(&pool);
  assert_int_equal(rmdir(dir), 0);
}

static void no_directory(void **state) {
  (void)state;
  start(1, "/nonexistent/weir");
  struct weir_block_stream *b = begin(0, 1);
  static struct gen g;
  gen_start(&g, 1);
  for (int i = 0; i < 20000; i++)
    gen_put(&g, &b->writers[0]);
  assert_int_equal(weir_stream_pool_status(&pool, &err), WEIR_EIO);
  assert_int_equal(weir_block_finish(b, &err), WEIR_EIO);
  assert_non_null(strstr(err.msg, "/nonexistent/weir"));
  weir_block_release(b);
  weir_stream_pool_free(&pool);
}

/* A limit on the file size stands for a full disk: both end in a failing write. */
static void disk_full(void **state) {
  (void)state;
  struct rlimit old, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  small = old;
  small.rlim_cur = 50000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  start(1, NULL);
  struct weir_block_stream *b = begin(0, 1);
  static struct gen g;
  gen_start(&g, 1);
  for (int i = 0; i < 40000; i++)
    gen_put(&g, &b->writers[0]);
  enum weir_status st = weir_block_finish(b, &err);
  weir_block_release(b);
  weir_stream_pool_free(&pool);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  assert_int_equal(st, WEIR_EIO);
  assert_non_null(strstr(err.msg, "remedy"));
}

static void out_of_memory(void **state) {
  (void)state;
  bool succeeded = false;
  for (long n = 0; !succeeded; n++) {
    assert_true(n < 200);
    weir_malloc_fail_after(n);
    struct weir_block_stream *b = NULL;
    enum weir_status st = weir_stream_pool_init(&pool, 1, NULL, &err);
    if (!st) {
      static struct gen g;
      gen_start(&g, 3);
      st = weir_block_begin(&pool, 0, 1, &b, &err);
      for (int i = 0; !st && i < 2000; i++)
        gen_put(&g, &b->writers[0]);
      if (!st) st = weir_block_finish(b, &err);
      weir_block_release(b);
      weir_stream_pool_free(&pool);
    }
    assert_true(st == WEIR_OK || st == WEIR_ENOMEM);
    succeeded = !st;
  }
  weir_malloc_fail_after(-1);
}

static void sizes(void **state) {
  (void)state;
  start(SIZE_MAX, NULL);
  struct weir_block_stream *b = begin(0, 1);
  struct weir_warp_writer *w = &b->writers[0];
  for (uint64_t i = 0; i < 1000; i++) { /* a loop of ten with two loads */
    struct weir_addrs x = {.kind = WEIR_ADDR_STRIDE, .space = WEIR_SP_GLOBAL, .stride = 4};
    x.base = 0x7f0000000000 + i * 128;
    weir_put_mem(w, 30, UINT32_MAX, &x);
    x.base = 0x7f0010000000 + i * 4096;
    weir_put_mem(w, 33, UINT32_MAX, &x);
    weir_put_run(w, 34, 8, UINT32_MAX);
  }
  assert_int_equal(weir_block_finish(b, &err), WEIR_OK);
  assert_int_equal(b->warps[0].n_insns, 10000);
  assert_in_range(b->warps[0].n_bytes, 5000, 8000);
  weir_block_release(b);
  weir_stream_pool_free(&pool);
}

static size_t bytes_of(struct weir_warp_stream *s, uint8_t *out, size_t max) {
  struct weir_span_cursor c;
  const uint8_t *p;
  size_t n, total = 0;
  weir_span_open(&c, s, false);
  while (!weir_span_next(&c, &p, &n, &err) && p) {
    assert_true(total + n <= max);
    memcpy(out + total, p, n);
    total += n;
  }
  weir_span_close(&c);
  return total;
}

static void decode_all(const uint8_t *bytes, size_t n, bool must_fail) {
  /* Exactly the promised slack, so that a sanitizer sees every byte read beyond it. */
  uint8_t *copy = malloc(n + WEIR_STREAM_SLACK);
  assert_non_null(copy);
  memcpy(copy, bytes, n);
  memset(copy + n, 0xff, WEIR_STREAM_SLACK);
  struct weir_warp_reader r;
  struct weir_dyn d;
  uint64_t lanes[WEIR_LANES];
  weir_reader_open_bytes(&r, copy, n, test_kernel());
  while (weir_next(&r, &d)) {
    assert_true(d.insn < TEST_INSNS);
    assert_true(r.p <= r.end); /* nothing is made of bytes that are not there */
    if (d.has_addr) weir_expand(&d, lanes);
  }
  if (must_fail) assert_int_equal(r.status, WEIR_EPARSE);
  weir_reader_error(&r, &err);
  weir_reader_close(&r);
  free(copy);
}

static void malformed_bytes(void **state) {
  (void)state;
  enum { MAX = 1 << 16 };
  static uint8_t bytes[MAX], bad[MAX];
  start(SIZE_MAX, NULL);
  struct weir_block_stream *b = write_block(7, 1, 600);
  size_t n = bytes_of(&b->warps[0], bytes, MAX);
  assert_int_equal(n, b->warps[0].n_bytes);
  weir_block_release(b);
  weir_stream_pool_free(&pool);
  decode_all(bytes, n, false);
  for (size_t cut = 0; cut < n; cut += cut < 600 ? 1 : 37)
    decode_all(bytes, cut, true);
  uint64_t rng = 5;
  for (int i = 0; i < 4000; i++) {
    size_t len = 1 + below(&rng, i % 2 ? 400 : (uint32_t)n);
    memcpy(bad, bytes, len);
    for (uint32_t k = 1 + below(&rng, 8); k; k--)
      bad[below(&rng, (uint32_t)len)] = (uint8_t)rnd(&rng);
    if (i % 5 == 0)
      for (size_t k = 1; k < len; k++)
        bad[k] = (uint8_t)rnd(&rng);
    decode_all(bad, len, false);
  }
}

static void fails_with(const uint8_t *bytes, size_t n, const char *why) {
  decode_all(bytes, n, true);
  assert_non_null(strstr(err.msg, why));
}

static void malformed_messages(void **state) {
  (void)state;
  fails_with((const uint8_t[]){2, WEIR_T_END}, 2, "version");
  fails_with((const uint8_t[]){1, 0xeb}, 2, "unknown token");
  fails_with((const uint8_t[]){1, WEIR_T_END, 0}, 3, "after the end");
  fails_with((const uint8_t[]){1, WEIR_T_JUMP_BACK, 0, 0, WEIR_T_END}, 5, "beyond");
  fails_with((const uint8_t[]){1, WEIR_T_LONG, 0, 0, 0, 0, WEIR_T_END}, 7, "beyond");
  fails_with((const uint8_t[]){1, 0, WEIR_T_MEM, WEIR_T_END}, 4, "no memory");
  fails_with((const uint8_t[]){1, WEIR_T_SPACE, WEIR_T_MEM, WEIR_T_END}, 4, "space");
  fails_with((const uint8_t[]){1, WEIR_T_RANGE, 1, WEIR_T_END}, 4, "empty range");
  fails_with((const uint8_t[]){1, WEIR_T_MEM | 0x30, 0x80, WEIR_T_END}, 4, "list");
  fails_with((const uint8_t[]){1, 0}, 2, "middle");
  decode_all((const uint8_t[]){1, WEIR_T_END}, 2, false);
  assert_int_equal(err.code, WEIR_EPARSE); /* untouched by a good stream */
}

static void class_names(void **state) {
  (void)state;
  assert_string_equal(weir_class_name(WEIR_C_INT), "int");
  assert_string_equal(weir_class_name(WEIR_C_OTHER), "other");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(spill_and_read_back),
      cmocka_unit_test(spilled_file_has_no_name),
      cmocka_unit_test(no_directory),
      cmocka_unit_test(disk_full),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(sizes),
      cmocka_unit_test(malformed_bytes),
      cmocka_unit_test(malformed_messages),
      cmocka_unit_test(class_names),
      cmocka_unit_test(write_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
