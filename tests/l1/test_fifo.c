/* First in, first out. */
#include "rig_rep.h"

static void test_order(void **state) {
  (void)state;
  rep_open(&weir_policy_fifo, DEFAULTS);
  rep_reads(0, "abcd");
  assert_int_equal(rep_read(0, 'a'), WEIR_HIT); /* makes no difference */
  rep_read(0, 'e');
  EXPECT(0, "e b c d");
  assert_int_equal(rep_read(0, 'b'), WEIR_HIT);
  rep_reads(0, "fg");
  EXPECT(0, "e f g d");
  rep_store(0, 'f');
  EXPECT(0, "e - g d");
  rep_read(0, 'h'); /* a free way first; it is the youngest now */
  EXPECT(0, "e h g d");
  rep_reads(0, "ijkl");
  EXPECT(0, "j l k i");
  rig_close(&g);
}

static void test_pending(void **state) {
  (void)state;
  rep_open(&weir_policy_fifo, DEFAULTS);
  rep_reads(0, "abcd");
  rep_store(0, 'a');
  rep_ask(0, 'e');
  EXPECT(0, "e* b c d");
  rep_ask(0, 'f');
  rep_ask(0, 'g');
  rep_ask(0, 'h');
  EXPECT(0, "e* f* g* h*");
  assert_int_equal(rep_ask(0, 'i'), RIG_REFUSED + WEIR_NO_LINE);
  rig_reply(&g, 2);
  rep_ask(0, 'i'); /* the only one that can go */
  EXPECT(0, "e* f* i* h*");
  rig_reply(&g, 0);
  rig_reply(&g, 0);
  rep_ask(0, 'j');
  EXPECT(0, "j* f i* h*");
  rig_close(&g);
}

/* Where lines get their way on arrival, that is when they came. */
static void test_on_fill(void **state) {
  (void)state;
  rep_init(&weir_policy_fifo, DEFAULTS);
  g.lines.on_fill = true;
  rig_open(&g, NULL);
  for (const char *s = "abcd"; *s != '\0'; s++)
    rep_ask(0, *s);
  rig_reply(&g, 2);
  rig_settle(&g);
  EXPECT(0, "c a b d");
  rep_reads(0, "ef");
  EXPECT(0, "e f b d");
  rig_close(&g);
}

static void test_next_kernel(void **state) {
  (void)state;
  rep_open(&weir_policy_fifo, DEFAULTS);
  rep_reads(0, "abcd");
  rig_kernel(&g);
  EXPECT(0, "- - - -");
  rep_reads(0, "dcba");
  rep_read(0, 'e');
  EXPECT(0, "e c b a");
  rig_close(&g);
}

static void test_storage(void **state) {
  (void)state;
  static const unsigned want[][2] = {{1, 0}, {2, 32}, {4, 64}, {6, 96}, {8, 96}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    char ways[32];
    snprintf(ways, sizeof ways, "l1.ways=%u", want[i][0]);
    rep_init(&weir_policy_fifo, DEFAULTS);
    rig_open(&g, "l1.sets=32", ways, NULL);
    assert_int_equal(weir_policy_fifo.part.storage_bits(weir_cfg(rig_part(&g, 1)),
                                                        weir_geometry(rig_part(&g, 1))),
                     want[i][1]);
    rig_close(&g);
  }
}

static void test_verify(void **state) {
  (void)state;
  rep_open(&weir_policy_fifo, DEFAULTS);
  rep_reads(0, "abcd");
  assert_null(weir_policy_fifo.part.verify(rig_part(&g, 1)));
  uint64_t *came = weir_line_edit(rig_part(&g, 1), 0, 3);
  *came = 5;
  assert_non_null(weir_policy_fifo.part.verify(rig_part(&g, 1)));
  *came = 4;
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  rep_engine(&weir_policy_fifo, DEFAULTS, 20, NULL);
  assert_true(rep_workload(&weir_policy_fifo, "spmv", 0, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),   cmocka_unit_test(test_pending),
      cmocka_unit_test(test_on_fill), cmocka_unit_test(test_next_kernel),
      cmocka_unit_test(test_storage), cmocka_unit_test(test_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
