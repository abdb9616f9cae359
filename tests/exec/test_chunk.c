/* Where allocations lie and what is mapped around them, compared with an H200
 * (tests/truth/data/oob_h200.txt). */
#include "vm.h"

#include <inttypes.h>
#include <stdio.h>

#include "exec/mem.h"

static const char *source_root;

static const struct {
  const char *name;
  enum ptx_pool pool;
} kinds[] = {{"malloc", PTX_POOL_DEVICE},   {"host", PTX_POOL_PINNED},
             {"mapped", PTX_POOL_PINNED},   {"wc", PTX_POOL_PINNED},
             {"managed", PTX_POOL_MANAGED}, {"managed_dev", PTX_POOL_MANAGED},
             {"async", PTX_POOL_ASYNC}};

static bool pool_of(const char *name, enum ptx_pool *pool) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) {
      *pool = kinds[i].pool;
      return true;
    }
  return false;
}

static void open_memory(struct ptx_mem *m) {
  struct weir_err err;
  if (ptx_mem_init_same(m, UINT64_C(8) << 30, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static uint64_t get(struct ptx_mem *m, enum ptx_pool pool, uint64_t bytes) {
  uint64_t addr;
  struct weir_err err;
  if (ptx_mem_alloc_in(m, pool, bytes, 0, "x", false, &addr, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  return addr;
}

/* How far from an allocation memory is mapped, up to `cap` bytes. */
static uint64_t mapped_from(const struct ptx_mem *m, uint64_t base, uint64_t bytes, bool up,
                            uint64_t cap) {
  uint64_t n = 0;
  while (n < cap && ptx_mem_is_mapped(m, up ? base + bytes + n : base - 1 - n, 1)) {
    uint64_t at = up ? base + bytes + n : base - 1 - n;
    n += up ? 512 - at % 512 : at % 512 + 1;
  }
  return n;
}

/* "walk KIND BYTES +0: ... good to distance G, first bad at B (...), ERROR; ..." On the device the
 * walk took steps of up to 64 KiB, so the end lies between the two. */
static unsigned check_walk(const char *line) {
  char kind[32], sign, error[40];
  uint64_t bytes, good, bad;
  int op;
  enum ptx_pool pool;
  const char *rest = strstr(line, "good to distance "), *why = strstr(line, "), ");
  if (sscanf(line, "walk %31s %" SCNu64 " %c%d:", kind, &bytes, &sign, &op) != 4 || rest == NULL ||
      sscanf(rest, "good to distance %" SCNu64 ", first bad at %" SCNu64, &good, &bad) != 2 ||
      why == NULL || sscanf(why, "), %39[a-zA-Z];", error) != 1 || !pool_of(kind, &pool))
    return 0;
  struct ptx_mem m;
  open_memory(&m);
  uint64_t base = get(&m, pool, bytes);
  if ((pool == PTX_POOL_DEVICE || pool == PTX_POOL_PINNED) &&
      bytes <= 2 << 20) /* a page of the program's module was there */
    get(&m, PTX_POOL_MODULE, 4);
  bool has_end = strcmp(error, "none") != 0;
  /* How much of the driver's is around is only known to be much. */
  uint64_t n = mapped_from(&m, base, bytes, sign == '+', has_end ? 200 << 20 : 1 << 20);
  bool is_same = has_end ? n >= good && n <= bad : n >= 1 << 20;
  if (!is_same)
    fail_msg("%.60s: mapped for %" PRIu64 " bytes here, %" PRIu64 " to %" PRIu64 " there", line, n,
             good, bad);
  ptx_mem_free_all(&m);
  return 1;
}

/* "layout BYTES: first ...; +D +D ...": addresses of allocations of one size. Very large distances
 * are the driver's choice of another range of addresses. */
static unsigned check_layout(const char *line) {
  uint64_t bytes;
  const char *p = strchr(line, ';');
  if (sscanf(line, "layout %" SCNu64 ":", &bytes) != 1 || p == NULL) return 0;
  struct ptx_mem m;
  open_memory(&m);
  uint64_t last = get(&m, PTX_POOL_DEVICE, bytes);
  int64_t want;
  int used;
  for (p++; sscanf(p, " %" SCNd64 "%n", &want, &used) == 1; p += used) {
    if (want < 0 || want > 100 << 20) break;
    uint64_t at = get(&m, PTX_POOL_DEVICE, bytes);
    if ((int64_t)(at - last) != want)
      fail_msg("%.30s: the next one lies %" PRId64 " behind, not %" PRId64, line,
               (int64_t)(at - last), want);
    last = at;
  }
  ptx_mem_free_all(&m);
  return 1;
}

static void as_on_the_device(void **state) {
  (void)state;
  char path[1000], line[4000];
  unsigned walks = 0, layouts = 0;
  snprintf(path, sizeof path, "%s/tests/truth/data/oob_h200.txt", source_root);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f) != NULL) {
    if (strncmp(line, "walk ", 5) == 0) walks += check_walk(line);
    if (strncmp(line, "layout ", 7) == 0) layouts += check_layout(line);
  }
  fclose(f);
  assert_true(walks >= 45 && layouts >= 10);
}

/* The holes that were left are filled first, from below. */
static void reuse(void **state) {
  (void)state;
  struct ptx_mem m;
  uint64_t a[8];
  open_memory(&m);
  for (int i = 0; i < 8; i++)
    a[i] = get(&m, PTX_POOL_DEVICE, 1000);
  for (const int *i = (const int[]){2, 5, 4, -1}; *i >= 0; i++)
    assert_int_equal(ptx_mem_release(&m, a[*i], NULL), WEIR_OK);
  assert_true(get(&m, PTX_POOL_DEVICE, 1000) == a[0] + 2048);
  assert_true(get(&m, PTX_POOL_DEVICE, 2500) == a[0] + 8192);
  assert_true(get(&m, PTX_POOL_DEVICE, 100) == a[0] + 4096);
  assert_true(get(&m, PTX_POOL_DEVICE, 100) == a[0] + 4608);
  ptx_mem_free_all(&m);
}

/* Freed memory keeps its contents while its chunk is used; what is allocated is zero. */
static void freed(void **state) {
  (void)state;
  struct ptx_mem m;
  open_memory(&m);
  uint64_t a = get(&m, PTX_POOL_DEVICE, 1000), b = get(&m, PTX_POOL_DEVICE, 1000);
  memset(ptx_mem_host(&m, b), 0x5a, 1000);
  assert_int_equal(ptx_mem_release(&m, b, NULL), WEIR_OK);
  assert_null(ptx_mem_find(&m, b));
  assert_true(ptx_mem_is_mapped(&m, b, 1000));
  assert_int_equal(ptx_mem_host(&m, b)[999], 0x5a);
  assert_true(get(&m, PTX_POOL_DEVICE, 1000) == b);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(ptx_mem_host(&m, b)[i], 0);
  ptx_mem_host(&m, b)[0] = 1;
  uint64_t large = get(&m, PTX_POOL_DEVICE, 8 << 20);
  assert_int_equal(ptx_mem_release(&m, large, NULL), WEIR_OK);
  assert_false(ptx_mem_is_mapped(&m, large, 1));
  assert_int_equal(ptx_mem_release(&m, a, NULL), WEIR_OK);
  assert_int_equal(ptx_mem_release(&m, b, NULL), WEIR_OK);
  assert_false(ptx_mem_is_mapped(&m, b, 1));
  assert_true(get(&m, PTX_POOL_DEVICE, 4000) == a);
  assert_int_equal(ptx_mem_host(&m, b)[0], 0);
  ptx_mem_free_all(&m);
}

/* Whatever was allocated and freed before, allocations are apart, zero and mapped. */
static void random_order(void **state) {
  (void)state;
  enum { MAX = 300, ROUNDS = 6000 };
  static const uint64_t sizes[] = {1, 512, 513, 4000, 100000, 700000, 1500000, 3 << 20, 40 << 20};
  static struct { uint64_t base, bytes; } v[MAX];
  struct ptx_mem m;
  size_t n = 0;
  uint32_t x = 1;
  open_memory(&m);
  for (int round = 0; round < ROUNDS; round++) {
    x = x * 1664525 + 1013904223;
    if (n == MAX || (n > 0 && (x >> 24) % 5 < 2)) {
      size_t i = (x >> 8) % n;
      assert_int_equal(ptx_mem_release(&m, v[i].base, NULL), WEIR_OK);
      v[i] = v[--n];
      continue;
    }
    uint64_t bytes = sizes[(x >> 8) % 9 < 7 ? (x >> 8) % 7 : (x >> 16) % 9];
    uint64_t at = get(&m, (enum ptx_pool)((x >> 12) % PTX_POOL_DRIVER), bytes);
    assert_true(at % 512 == 0 && ptx_mem_is_mapped(&m, at, bytes));
    for (size_t i = 0; i < n; i++)
      assert_true(at + bytes <= v[i].base || v[i].base + v[i].bytes <= at);
    uint8_t *host = ptx_mem_host(&m, at);
    assert_true(host[0] == 0 && host[bytes - 1] == 0 && host[bytes / 2] == 0);
    host[0] = host[bytes - 1] = host[bytes / 2] = 1;
    v[n].base = at;
    v[n++].bytes = bytes;
  }
  while (n > 0)
    assert_int_equal(ptx_mem_release(&m, v[--n].base, NULL), WEIR_OK);
  assert_int_equal(m.n_allocs, 0);
  assert_int_equal(m.chunks.n, 2); /* the driver's */
  ptx_mem_free_all(&m);
}

/* Registered memory of the host's is there in whole pages. */
static void pages_of_the_host(void **state) {
  (void)state;
  struct ptx_mem m;
  open_memory(&m);
  char *p = aligned_alloc(4096, 8 * 4096);
  assert_non_null(p);
  uint64_t at = (uint64_t)(uintptr_t)p + 4096 + 128;
  assert_int_equal(ptx_mem_adopt(&m, at, 1000, "mine", false, NULL), WEIR_OK);
  assert_int_equal(mapped_from(&m, at, 1000, true, 1 << 20), 4096 - 128 - 1000);
  assert_int_equal(mapped_from(&m, at, 1000, false, 1 << 20), 128);
  assert_int_equal(ptx_mem_release(&m, at, NULL), WEIR_OK);
  assert_false(ptx_mem_is_mapped(&m, at, 1));
  free(p);
  ptx_mem_free_all(&m);
}

int main(int argc, char **argv) {
  source_root = argc > 1 ? argv[1] : ".";
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_on_the_device), cmocka_unit_test(reuse),
                                     cmocka_unit_test(freed), cmocka_unit_test(random_order),
                                     cmocka_unit_test(pages_of_the_host)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
