/* From traffic to the loads that use the L1. */
#include "../base/testing.h"
#include "analysis/traffic.h"

enum { MOST = 80 };

/* Loads in the groups given, fixed where it is WEIR_NO_GROUP; there is room for anything. */
struct rig {
  struct weir_static_load v[MOST];
  struct weir_loads l;
  uint64_t bypassed[MOST], alone[MOST];
  struct weir_load_pair pairs[WEIR_MOST_PAIRS];
  struct weir_line_use uses[8];
  struct weir_traffic t;
  enum weir_tag tag[MOST];
};

static void rig_init(struct rig *r, const uint32_t *groups, uint32_t n) {
  *r = (struct rig){0};
  for (uint32_t i = 0; i < n; i++)
    r->v[i] = (struct weir_static_load){.group = groups[i], .is_fixed = groups[i] == WEIR_NO_GROUP};
  r->l = (struct weir_loads){.v = r->v, .n = n};
  r->t = (struct weir_traffic){.bypassed = r->bypassed,
                               .alone = r->alone,
                               .pairs = r->pairs,
                               .n_pairs = weir_load_pairs(&r->l, r->pairs),
                               .uses = r->uses,
                               .room = 100};
}

static void load_is(struct rig *r, uint32_t i, uint64_t bypassed, uint64_t alone) {
  r->bypassed[i] = bypassed;
  r->alone[i] = alone;
}

static void use_is(struct rig *r, uint64_t loads, uint64_t lines) {
  r->uses[r->t.n_uses++] = (struct weir_line_use){loads, lines};
}

/* Letters: a for ca, g for cg, - for none. */
static void expect(struct rig *r, const char *want) {
  char got[MOST + 1] = "";
  weir_traffic_choose(&r->l, &r->t, r->tag);
  for (uint32_t i = 0; i < r->l.n; i++)
    got[i] = r->tag[i] == WEIR_TAG_CA ? 'a' : r->tag[i] == WEIR_TAG_CG ? 'g' : '-';
  assert_string_equal(got, want);
}

/* Each by itself: what saves nothing, or fetches more than it saves, bypasses. */
static void alone(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 1, WEIR_NO_GROUP, 2, 3}, 5);
  assert_int_equal(r.t.n_pairs, 0);
  load_is(&r, 0, 100, 40);
  load_is(&r, 1, 100, 100);
  load_is(&r, 2, 100, 0); /* its own words decide */
  load_is(&r, 3, 100, 101);
  load_is(&r, 4, 0, 0); /* did not run */
  expect(&r, "ag-gg");
  assert_int_equal(weir_traffic_saved(&r.t, r.tag, 0), 60);
  assert_int_equal(weir_traffic_saved(&r.t, r.tag, 3), -1);
}

/* Two loads that each fetch the other's lines: the second saves only with the first. */
static void pair(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 0}, 2);
  assert_int_equal(r.t.n_pairs, 1);
  load_is(&r, 0, 100, 80);
  load_is(&r, 1, 100, 130);
  r.pairs[0].together = 90; /* 80 + 130 - 90: 120 more than apart */
  assert_int_equal(weir_traffic_saved(&r.t, r.tag, 1), -30);
  expect(&r, "aa");
  assert_int_equal(weir_traffic_saved(&r.t, r.tag, 1), 90);
  /* Neither gains alone: nothing begins it, though both would. */
  load_is(&r, 0, 100, 100);
  expect(&r, "gg");
}

/* Two loads in each other's way: alone 60 and 50 are saved, together 60 + 50 - 70. */
static void negative(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 0}, 2);
  load_is(&r, 0, 100, 40);
  load_is(&r, 1, 100, 50);
  r.pairs[0].together = 160;
  expect(&r, "ag");
  assert_int_equal(weir_traffic_saved(&r.t, r.tag, 1), 50 - 70);
  r.pairs[0].together = 139; /* one sector is left of it */
  expect(&r, "aa");
  r.pairs[0].together = 140;
  expect(&r, "ag");
}

/* Lines that several loads share count once; what does not fit gives way to what does. */
static void room(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 1, 2, 3}, 4);
  load_is(&r, 0, 100, 10);
  load_is(&r, 1, 100, 20);
  load_is(&r, 2, 100, 30);
  load_is(&r, 3, 100, 40);
  use_is(&r, 1 << 0, 50);
  use_is(&r, 1 << 1, 51);
  use_is(&r, 1 << 0 | 1 << 2, 30);
  use_is(&r, 1 << 2 | 1 << 3, 20);
  expect(&r, "agaa"); /* 80, then 131 is too many, then 100, and load 3 adds none */
  r.t.room = 99;
  expect(&r, "aggg"); /* 80; both others that remain bring 20 more */
  r.t.room = 80;
  expect(&r, "aggg");
  r.t.room = 79;
  expect(&r, "gaga"); /* load 0 alone is too many; 51, and with load 3 71 */
  r.t.room = 20;
  expect(&r, "ggga");
  r.t.room = 19;
  expect(&r, "gggg");
}

/* Of equals the first of the kernel, where there is room for one only. */
static void ties(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 1, 2}, 3);
  load_is(&r, 0, 50, 30);
  load_is(&r, 1, 50, 20);
  load_is(&r, 2, 70, 40);
  for (uint32_t i = 0; i < 3; i++)
    use_is(&r, 1u << i, 60);
  expect(&r, "gag");
}

/* From the 64th on loads have one bit, and their lines are all counted for each. */
static void many(void **state) {
  (void)state;
  struct rig r;
  uint32_t groups[MOST];
  for (uint32_t i = 0; i < MOST; i++)
    groups[i] = i;
  rig_init(&r, groups, MOST);
  load_is(&r, 62, 10, 0);
  load_is(&r, 63, 10, 0);
  load_is(&r, 79, 10, 0);
  use_is(&r, weir_load_bit(62), 40);
  use_is(&r, weir_load_bit(63), 30);
  use_is(&r, weir_load_bit(79) | weir_load_bit(62), 30);
  weir_traffic_choose(&r.l, &r.t, r.tag);
  assert_int_equal(r.tag[62], WEIR_TAG_CA);
  assert_int_equal(r.tag[63], WEIR_TAG_CA);
  assert_int_equal(r.tag[79], WEIR_TAG_CA);
  r.t.room = 99;
  weir_traffic_choose(&r.l, &r.t, r.tag);
  assert_int_equal(r.tag[62], WEIR_TAG_CA);
  assert_int_equal(r.tag[63], WEIR_TAG_CG);
  assert_int_equal(r.tag[79], WEIR_TAG_CG);
}

/* Neighbours first, only within a group, and not for ever. */
static void pairs(void **state) {
  (void)state;
  struct rig r;
  rig_init(&r, (const uint32_t[]){0, 1, 0, WEIR_NO_GROUP, 0, 1, WEIR_NO_GROUP}, 7);
  static const uint32_t want[][2] = {{0, 2}, {2, 4}, {0, 4}, {1, 5}};
  assert_int_equal(r.t.n_pairs, COUNT(want));
  for (size_t i = 0; i < COUNT(want); i++) {
    assert_int_equal(r.pairs[i].a, want[i][0]);
    assert_int_equal(r.pairs[i].b, want[i][1]);
  }
  uint32_t groups[MOST] = {0};
  rig_init(&r, groups, 12);
  assert_int_equal(r.t.n_pairs, WEIR_MOST_PAIRS);
  assert_int_equal(r.pairs[0].b, 1);
  /* 11 + 10 + ... + 6 = 51 of distances 1 to 6, 5 of 7, 4 of 8, 3 of 9, and 1 of 10. */
  assert_int_equal(r.pairs[WEIR_MOST_PAIRS - 1].a, 0);
  assert_int_equal(r.pairs[WEIR_MOST_PAIRS - 1].b, 10);
  rig_init(&r, groups, 1);
  assert_int_equal(r.t.n_pairs, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(alone),    cmocka_unit_test(pair),
                                     cmocka_unit_test(negative), cmocka_unit_test(room),
                                     cmocka_unit_test(ties),     cmocka_unit_test(many),
                                     cmocka_unit_test(pairs)};
  return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
