/* What designs cost in bits, as their papers or our reading of their fields say: every scheme that
 * comes with such a number. storage SOURCE_FOLDER */
#include "../sim/rig.h"

#include <stdio.h>

#include "l1/l1.h"
#include "l1/scheme.h"
#include "session/data.h"

static const char *folder;

/* The machine's parameters and those of all parts. */
enum { MOST = 128 };
static struct weir_param_group part_groups[MOST];
static const struct weir_param_group *groups[MOST];

static void add_part(const struct weir_part *part, size_t *n) {
  if (part->params == NULL) return;
  part_groups[*n] =
      (struct weir_param_group){part->name, part->help, part->params, part->cfg_bytes, NULL};
  groups[*n] = &part_groups[*n];
  ++*n;
}

static void make_groups(void) {
  static const struct weir_param_group *const machine[] = {
      &weir_core_params, &weir_sm_params, &weir_l1_params,  &weir_noc_params,
      &weir_l2_params,   &weir_l3_params, &weir_dram_params};
  size_t n = sizeof machine / sizeof *machine;
  memcpy(groups, machine, sizeof machine);
  for (size_t i = 0; weir_organisations[i] != NULL; i++)
    add_part(&weir_organisations[i]->part, &n);
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    add_part(&weir_policies[i]->part, &n);
  assert_true(n < MOST);
}

struct cost {
  const char *scheme, *gpu, *set; /* set may be NULL */
  int64_t added;                  /* to the machine's own L1, on one SM */
  uint64_t per_gpu;               /* of these, there once */
  uint64_t l2;                    /* in all of the L2 */
};

static const struct cost costs[] = {
    {"baseline", "fermi-s3", NULL, 0, 0, 0},
    {"bypass-all", "fermi-s3", NULL, 0, 0, 0},
    {"random-bypass", "fermi-s3", NULL, 0, 0, 0},
    {"decoupled", "fermi-s0", NULL, 4960, 0, 0},                      /* 620 bytes */
    {"decoupled", "fermi-s0", "decoupled.layout=listed", 5184, 0, 0}, /* 648 bytes */
    {"two-level", "pascal-s1", NULL, 31, 0, 0},
    {"miss-rate", "pascal-s1", NULL, 31, 0, 0},
    {"pc-bypass", "gcn-s2", NULL, 512 + 1792, 0,
     4096}, /* 288 bytes; the slides give 224, that of the labels alone */
    {"pemp", "fermi-s3", NULL, 128 * (20 + 1), 0, 0}, /* a copy of the tags */
    {"carb", "fermi-s3", NULL, 48 * (10 + 2) + 10, 0, 0},
    {"apcm", "fermi-s3", NULL, 16 * 35 + 64 * 30 + 128 * 4, 0, 0},
    {"mrpb", "fermi-s3", NULL, 9912, 0, 0}, /* 1.21 KB, to which its queues are fitted */
    {"access-level", "fermi-s4", NULL, 0, 0, 0},
    {"lrr", "fermi-s4", NULL, 0, 0, 0},
    {"gto", "fermi-s4", NULL, 0, 0, 0},
    {"fetch-groups", "fermi-s4", NULL, 2 * 2, 0, 0}, /* which of three groups, for each scheduler */
    {"swl", "fermi-s4", NULL, 0, 0, 0},
    {"tlp", "fermi-s4", NULL, 0, 0, 0},
    {"profiled-both", "fermi-s3", NULL, 0, 0, 0}, /* software */
    {"mrpb", "fermi-s3", NULL, 9912, 0, 0},       /* 1.21 KB, to which its queues are fitted */
    {"coordinated", "fermi-s4", NULL, 8 * 72 + 8 + 2 * 4, 0, 0}, /* 72 bytes and a few bits */
    {"dynamic", "fermi-s4", NULL, 8 * 72 + 8 + 2 * 4, 0, 0},
    {"static", "fermi-s4", NULL, 0, 0, 0},
    {"aip", "gcn-s2", NULL, 8 * 10880, 0, 0}, /* 10.625 KB */
    {"lvp", "gcn-s2", NULL, 128 * 128 * 5 + 256 * 16, 0, 0},
    {"sdbp", "gcn-s2", NULL, 8 * 452, 0, 0},
    {"pdp", "fermi-s3", NULL, 128 * 8, 0, 0},
    {"pdp-dynamic", "fermi-s3", NULL, 128 * 8 + 3116, 0, 0},
    {"sector", "fermi-s3", NULL, 512, 0, 0}, /* 0.0625 KB */
    {"dsc-2", "fermi-s3", NULL, 3712, 0,
     0}, /* 0.453 KB and 1.328 KB, to which its fields are fitted */
    {"dsc-4", "fermi-s3", NULL, 10880, 0, 0},
    {"lamar", "fermi-s3", NULL, 512, 0,
     0}, /* 0.0625 KB; the filter is not in the published figure */
    {"tsc", "fermi-s3", NULL, 4736, 0, 0},                       /* 0.578 KB */
    {"tsc", "fermi-s3", "tag-split.private_bits=5", 3584, 0, 0}, /* 0.4375 KB */
    {"tsc+", "fermi-s3", NULL, 4736 + 64, 64, 0},
};

static int64_t sum(const uint64_t bits[WEIR_MAX_PARTS]) {
  int64_t n = 0;
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    n += (int64_t)bits[i];
  return n;
}

static void check_cost(const struct cost *c) {
  struct weir_settings s;
  struct weir_machine m;
  struct weir_scheme scheme;
  struct weir_design d, baseline;
  uint64_t bits[WEIR_MAX_PARTS], base[WEIR_MAX_PARTS], once = 0;
  char path[4096];
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, c->gpu);
  assert_int_equal(weir_data_machine(&s, path, NULL), WEIR_OK);
  snprintf(path, sizeof path, "%s/schemes/%s.yaml", folder, c->scheme);
  assert_int_equal(weir_scheme_load(&scheme, c->scheme, path, &s, NULL), WEIR_OK);
  if (c->set != NULL) assert_int_equal(weir_settings_assign(&s, c->set, NULL), WEIR_OK);
  assert_int_equal(weir_machine_fill(&m, c->gpu, &s, NULL), WEIR_OK);
  assert_int_equal(weir_scheme_design(&scheme, &m, &s, groups, &d, NULL), WEIR_OK);
  weir_design_baseline(&baseline, &m);
  assert_int_equal(weir_l1_storage(&m, &d, bits, NULL), WEIR_OK);
  assert_int_equal(weir_l1_storage(&m, &baseline, base, NULL), WEIR_OK);
  for (uint32_t i = 0; i < d.n_policies; i++)
    if (d.policy[i].ops->part.is_per_gpu) once += bits[i + 1];
  if (sum(bits) - sum(base) != c->added || once != c->per_gpu || weir_l2_storage(&m, &d) != c->l2)
    fail_msg("%s on %s: %lld bits added (%llu of them per GPU), %llu in the L2", c->scheme, c->gpu,
             (long long)(sum(bits) - sum(base)), (unsigned long long)once,
             (unsigned long long)weir_l2_storage(&m, &d));
  weir_scheme_free(&scheme);
  weir_settings_free(&s);
}

static void test_costs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
    check_cost(&costs[i]);
}

static void test_bits(void **state) {
  (void)state;
  static const uint32_t of[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  const struct weir_geometry g = {.sets = 3, .ways = 5};
  for (uint64_t n = 0; n < sizeof of / sizeof *of; n++)
    assert_int_equal(weir_bits(n), of[n]);
  for (uint32_t i = 1; i < 64; i++) {
    assert_int_equal(weir_bits(UINT64_C(1) << i), i);
    assert_int_equal(weir_bits((UINT64_C(1) << i) + 1), i + 1);
  }
  assert_int_equal(weir_bits(UINT64_MAX), 64);
  assert_int_equal(weir_bits_of_lines(&g, 7), 3 * 5 * 7);
  assert_int_equal(weir_bits_of_sets(&g, 7), 3 * 7);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs), cmocka_unit_test(test_bits)};
  if (argc != 2) return 2;
  folder = argv[1];
  make_groups();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
