/* Slices, sets, banks and rows: every map is one-to-one, spreads what it should, and is the one
 * that was asked for. */
#include "synth.h"

#include "../stream/util.h"

static void open_map(struct machine *x, const char *hash, const char *slices, const char *map) {
  const char *const set[] = {hash, slices, "dram.channels=4", "l2.interleave=256", "l2.sets=32",
                             map,  NULL};
  machine_init(x, NULL, set);
}

/* x^5 + x^2 + 1 and x^6 + x + 1 are the smallest that cannot be divided. */
static void test_poly(void **state) {
  (void)state;
  static struct weir_poly p;
  weir_poly_init(&p, 5);
  assert_int_equal(weir_poly_of(&p, 31), 31);
  assert_int_equal(weir_poly_of(&p, 32), 5);
  assert_int_equal(weir_poly_of(&p, 37), 0);
  weir_poly_init(&p, 6);
  assert_int_equal(weir_poly_of(&p, 64), 3);
  assert_int_equal(weir_poly_of(&p, 64 + 3), 0);
  assert_int_equal(weir_poly_of(&p, UINT64_C(1) << 11), 35); /* x^11 = x^5 (x + 1) = x^5 + x + 1 */
  assert_int_equal(weir_poly_of(&p, UINT64_C(0x9876543210)),
                   weir_poly_of(&p, UINT64_C(0x9800003210)) ^ weir_poly_of(&p, 0x76540000));
  weir_poly_init(&p, 0);
  assert_int_equal(weir_poly_of(&p, 12345), 0);
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* No two lines lie at the same byte of a channel. */
static void check_one_to_one(const struct weir_machine *m) {
  enum { LINES = 4096 };
  static uint64_t seen[LINES];
  for (uint64_t i = 0; i < LINES; i++) {
    uint64_t addr = UINT64_C(0x7fa200000000) + i * 128;
    uint32_t slice = weir_addr_slice(&m->map, addr);
    assert_in_range(slice, 0, m->l2.slices - 1);
    assert_in_range(weir_addr_set(&m->map, addr), 0, m->l2.sets - 1);
    seen[i] = weir_addr_local(&m->map, addr, slice) << 8 | slice / m->map.per_channel;
  }
  qsort(seen, LINES, sizeof *seen, by_value);
  for (unsigned i = 1; i < LINES; i++)
    assert_int_not_equal(seen[i], seen[i - 1]);
}

static void test_one_to_one(void **state) {
  (void)state;
  static const char *const hash[] = {"l2.hash=linear", "l2.hash=xor", "l2.hash=ipoly",
                                     "l2.hash=dealt"};
  static const char *const slices[] = {"l2.slices=4", "l2.slices=8", "l2.slices=64",
                                       "l2.slices=12"};
  for (unsigned h = 0; h < 4; h++)
    for (unsigned s = 0; s < (h != 2 ? 4 : 3); s++) {
      struct machine x;
      open_map(&x, hash[h], slices[s], "l2.index=ipoly");
      check_one_to_one(&x.m);
      machine_free(&x);
    }
}

/* Blocks from one on that the fullest slice has. */
static unsigned fullest(const struct weir_machine *m, uint64_t first, unsigned blocks) {
  unsigned n[96] = {0}, most = 0;
  for (uint64_t i = first; i < first + blocks; i++) {
    const unsigned k = ++n[weir_addr_slice(&m->map, i * (uint64_t)m->l2.interleave)];
    if (k > most) most = k;
  }
  return most;
}

/* Dealt out, few blocks lie unevenly, as by chance, and a window of them evenly. An H200
 * (tools/hw/results, count_slices) has 4, 8, 18 and 50 of 64, 256, 1,024 and 4,096 lines in a row
 * on the fullest of its pairs of slices, where 1, 3, 11 and 43 would be even. */
static void test_dealt(void **state) {
  (void)state;
  enum { SLICES = 96, EACH = WEIR_DEAL_BLOCKS / SLICES, PLACES = 32 };
  static const struct {
    unsigned blocks, least, most;
  } cases[] = {{64, 3, 5}, {256, 6, 10}, {1024, 16, 24}, {4096, 48, 62}};
  struct machine x;
  open_map(&x, "l2.hash=dealt", "l2.slices=96", "l2.index=xor");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    unsigned sum = 0;
    for (unsigned p = 0; p < PLACES; p++)
      sum += fullest(&x.m, 4099 * p, cases[k].blocks);
    assert_in_range(sum / PLACES, cases[k].least, cases[k].most);
  }
  for (unsigned w = 0; w < PLACES; w++)
    assert_int_equal(fullest(&x.m, (uint64_t)w * EACH * SLICES, EACH * SLICES), EACH);
  machine_free(&x);
}

/* Neighbouring blocks visit every slice equally often, and so does any stride of a power of two
 * that would find the same slice again and again without the hash; the sets of a slice likewise. */
static void test_strides(void **state) {
  (void)state;
  struct machine x;
  open_map(&x, "l2.hash=ipoly", "l2.slices=64", "l2.index=ipoly");
  for (unsigned shift = 13; shift < 24; shift++) {
    unsigned n[64] = {0};
    for (uint64_t i = 0; i < 256; i++)
      n[weir_slice_of(&x.m, i << (shift == 13 ? 8 : shift))]++;
    for (unsigned i = 0; i < 64; i++)
      assert_int_equal(n[i], 4);
  }
  for (unsigned shift = 14; shift < 24; shift++) {
    unsigned n[32] = {0};
    for (uint64_t i = 0; i < 256; i++)
      n[weir_addr_set(&x.m.map, i << shift)]++;
    for (unsigned i = 0; i < 32; i++)
      assert_int_equal(n[i], 8);
  }
  machine_free(&x);
}

/* The lines of a slice one after the other, as GPGPU-Sim 3.2 counts them: the slice's number is cut
 * out of the address, and the low bits of what is left are the set. */
static void test_linear_sets(void **state) {
  (void)state;
  struct machine x;
  open_map(&x, "l2.hash=linear", "l2.slices=12", "l2.index=linear");
  for (uint64_t block = 0; block < 12 * 40; block++)
    for (uint64_t half = 0; half < 2; half++) {
      uint64_t addr = block * 256 + half * 128;
      assert_int_equal(weir_slice_of(&x.m, addr), block % 12);
      assert_int_equal(weir_addr_set(&x.m.map, addr), (block / 12 * 2 + half) % 32);
    }
  machine_free(&x);
}

/* Blocks go round the channels, and the bits above choose the slice: that is what the hash is
 * about.
 */
static void test_ipoly_order(void **state) {
  (void)state;
  struct machine x;
  open_map(&x, "l2.hash=ipoly", "l2.slices=8", "l2.index=xor");
  for (uint64_t block = 0; block < 8; block++)
    assert_int_equal(weir_slice_of(&x.m, block * 256), block % 4 * 2 + block / 4);
  assert_int_equal(weir_slice_of(&x.m, 8 * 256), 3); /* x^3 = x + 1 */
  assert_int_equal(weir_addr_local(&x.m.map, 5 * 256 + 40, 3), 256 + 40);
  machine_free(&x);
}

static void test_bank_map(void **state) {
  (void)state;
  struct weir_dram_cfg d = {.banks = 16, .row_bytes = 2048, .map = "RR.RBBBCCCB.CCCSSSSS"};
  struct weir_bank_map b;
  assert_null(weir_bank_map_init(&b, &d));
  struct weir_place p = weir_bank_place(&b, 1 << 8);
  assert_int_equal(p.bank, 1);
  assert_int_equal(p.row, 0);
  p = weir_bank_place(&b, 5 << 12 | 7 << 9 | 255);
  assert_int_equal(p.bank, 10);
  assert_int_equal(p.row, 0);
  p = weir_bank_place(&b, UINT64_C(0x123450000));
  assert_int_equal(p.bank, 0);
  assert_int_equal(p.row, 0x123450000 >> 15); /* the row goes on upwards */
  d.map = "rotate";
  assert_null(weir_bank_map_init(&b, &d));
  p = weir_bank_place(&b, 17 * 2048 + 5);
  assert_int_equal(p.bank, 2); /* the second row begins with the second bank */
  assert_int_equal(p.row, 1);
}

static void refuse(const char *set, const char *other, const char *why) {
  const char *const all[] = {"dram.banks=16", "dram.row_bytes=2048", set, other, NULL};
  struct machine x;
  struct weir_err err;
  assert_int_equal(machine_try(&x, NULL, all, &err), WEIR_EINVAL);
  if (strstr(err.msg, why) == NULL) fail_msg("'%s' is not in: %s", why, err.msg);
  machine_free(&x);
}

static void test_refused(void **state) {
  (void)state;
  refuse("dram.map=RBBBBCCCCCCXSSSS", NULL, "dram.map: letters other than R, B, C and S");
  refuse("dram.map=BRBBBCCCCCCSSSSS", NULL,
         "dram.map: the bits of the row (R) must be the highest");
  refuse("dram.map=BBBBCCCCCCSSSSS", NULL, "dram.map: 1 to 64 bits");
  refuse("dram.map=RBBBCCCCCCSSSSS", NULL, "dram.map: B does not give dram.banks");
  refuse("dram.map=RBBBBBBBBBBBBBCCCCCCSSSSS", NULL, "dram.map: B does not give dram.banks");
  refuse("dram.map=RBBBBCCCCCSSSSS", NULL, "dram.map: C and S do not give dram.row_bytes");
  refuse("l2.hash=ipoly", "l2.slices=12", "l2.hash ipoly needs powers of two");
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_poly),        T(test_one_to_one),  T(test_dealt),    T(test_strides),
      T(test_linear_sets), T(test_ipoly_order), T(test_bank_map), T(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
