/* What every organisation and every policy must keep, alone and in every ordered pair that can
 * stand together. Knows none of them by name. */
#include <inttypes.h>
#include <stdio.h>

#include "../stream/util.h"
#include "bench.h"

enum { CFG_BYTES = 1024 };
static unsigned n_steps = 1200;

struct setup {
  struct weir_design d;
  char cfg[3][CFG_BYTES]; /* organisation and up to two policies */
  char replacement_cfg[CFG_BYTES];
  char name[160];
};

static const void *defaults(const struct weir_part *part, char *cfg) {
  assert_true(part->cfg_bytes <= CFG_BYTES);
  memset(cfg, 0, CFG_BYTES);
  if (part->params != NULL) weir_param_defaults(part->params, cfg);
  return cfg;
}

static void add(struct setup *s, const struct weir_policy_ops *o, char *cfg) {
  s->d.policy[s->d.n_policies].ops = o;
  s->d.policy[s->d.n_policies++].cfg = defaults(&o->part, cfg);
}

/* False: these do not go together. An organisation that needs a replacement policy gets the first
 * that goes with it. */
static bool build(struct setup *s, const struct weir_machine *m, const struct weir_org_ops *org,
                  const struct weir_policy_ops *a, const struct weir_policy_ops *b) {
  struct weir_err err;
  memset(s, 0, sizeof *s);
  s->d = (struct weir_design){.org = org, .seed = 42, .paranoid = true};
  s->d.org_cfg = defaults(&org->part, s->cfg[0]);
  if (a != NULL) add(s, a, s->cfg[1]);
  if (b != NULL) add(s, b, s->cfg[2]);
  snprintf(s->name, sizeof s->name, "%s %s %s", org->part.name, a != NULL ? a->part.name : "",
           b != NULL ? b->part.name : "");
  bool has_victim = (a != NULL && a->victim != NULL) || (b != NULL && b->victim != NULL);
  if (!org->has_victim_rule && !has_victim) {
    uint32_t n = s->d.n_policies;
    for (size_t i = 0; weir_policies[i] != NULL; i++) {
      if (weir_policies[i]->victim == NULL) continue;
      s->d.n_policies = n;
      add(s, weir_policies[i], s->replacement_cfg);
      if (weir_design_check(&s->d, m, &err) == WEIR_OK) return true;
    }
    return false;
  }
  return weir_design_check(&s->d, m, &err) == WEIR_OK;
}

static void must_be_well(const struct setup *s, const struct bench *b) {
  if (b->bad != NULL) fail_msg("%s: %s", s->name, b->bad);
}

static void start(const struct setup *s, struct bench *b, const struct weir_machine *m,
                  uint64_t seed) {
  struct weir_err err;
  if (!bench_init(b, m, &s->d, seed, &err)) fail_msg("%s: %s", s->name, err.msg);
  bench_kernel(b);
}

static void steps(const struct setup *s, struct bench *b, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    bench_step(b);
    must_be_well(s, b);
  }
}

/* Two kernels; a copy taken in the middle of the first must go the same way, whatever else runs
 * beside it, and so must a second run from the beginning. */
static void run(const struct setup *s, const struct weir_machine *m) {
  static struct bench one, two, copy, other;
  start(s, &one, m, 1);
  start(s, &other, m, 2);
  steps(s, &one, n_steps / 2);
  assert_true(bench_clone(&copy, &one));
  for (unsigned i = 0; i < n_steps / 2; i++) {
    steps(s, &other, 1);
    steps(s, &copy, 1);
  }
  steps(s, &one, n_steps / 2);
  if (bench_hash(&one) != bench_hash(&copy)) fail_msg("%s: a copy went another way", s->name);
  bench_drain(&one);
  must_be_well(s, &one);
  bench_kernel(&one);
  steps(s, &one, n_steps / 4);
  bench_drain(&one);
  must_be_well(s, &one);

  start(s, &two, m, 1);
  steps(s, &two, n_steps);
  bench_drain(&two);
  bench_kernel(&two);
  steps(s, &two, n_steps / 4);
  bench_drain(&two);
  if (bench_hash(&one) != bench_hash(&two)) fail_msg("%s: a second run differs", s->name);
  bench_free(&one);
  bench_free(&two);
  bench_free(&copy);
  bench_free(&other);
}

static const char *const machines[][8] = {
    {"l1.sets=8", "l1.ways=2", "l1.mshr_entries=4", "l1.mshr_merge=3", "l1.miss_queue=4", NULL},
    {"l1.sets=4", "l1.ways=4", "l1.line=128", "l1.banks=4", "l1.probes_per_cycle=4",
     "l1.write=through", NULL},
    {"l1.sets=1", "l1.ways=1", "l1.bypass_queue=1", "l1.miss_queue=2", "sm.inflight=6", NULL},
};

static unsigned for_each(void (*what)(const struct setup *, const struct weir_machine *),
                         bool pairs) {
  static struct setup s;
  unsigned n = 0;
  /* There are many pairs: one machine each, in turn, and fewer steps. */
  n_steps = pairs ? 400 : 1200;
  for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
    struct machine x;
    machine_init(&x, NULL, machines[k]);
    for (size_t o = 0; weir_organisations[o] != NULL; o++) {
      if (!pairs && build(&s, &x.m, weir_organisations[o], NULL, NULL)) what(&s, &x.m), n++;
      for (size_t i = 0; weir_policies[i] != NULL; i++) {
        if (!pairs && build(&s, &x.m, weir_organisations[o], weir_policies[i], NULL))
          what(&s, &x.m), n++;
        for (size_t j = 0; pairs && weir_policies[j] != NULL; j++)
          if (i != j && (i + j + o) % 3 == k &&
              build(&s, &x.m, weir_organisations[o], weir_policies[i], weir_policies[j]))
            what(&s, &x.m), n++;
      }
    }
    machine_free(&x);
  }
  return n;
}

static void test_alone(void **state) {
  (void)state;
  unsigned n = for_each(run, false);
  print_message("%u designs\n", n);
  assert_true(n > 0);
}

static void test_pairs(void **state) {
  (void)state;
  print_message("%u designs\n", for_each(run, true));
}

/* ---- each parameter at its ends ---- */

static void run_short(const struct setup *s, const struct weir_machine *m) {
  static struct bench b;
  struct weir_err err;
  if (!bench_init(&b, m, &s->d, 3, &err)) {
    assert_true(err.msg[0] != '\0'); /* refused with a reason */
    return;
  }
  bench_kernel(&b);
  steps(s, &b, n_steps / 4);
  bench_drain(&b);
  must_be_well(s, &b);
  bench_free(&b);
}

static void at_ends(struct setup *s, const struct weir_machine *m, const struct weir_part *part,
                    char *cfg) {
  struct weir_err err;
  char text[64], whole[sizeof s->name];
  memcpy(whole, s->name, sizeof whole);
  for (const struct weir_param *p = part->params; p != NULL && p->name != NULL; p++) {
    char choices[256];
    const char *list = p->choices;
    if (p->type == WEIR_BOOL)
      list = "true|false";
    else if (p->type != WEIR_STR) {
      snprintf(choices, sizeof choices, p->type == WEIR_INT ? "%.0f|%.0f" : "%g|%g", p->min,
               p->max);
      list = choices;
    }
    for (const char *at = list; at != NULL && *at != '\0';) {
      size_t len = strcspn(at, "|");
      snprintf(text, sizeof text, "%.*s", (int)len, at);
      memset(cfg, 0, CFG_BYTES);
      weir_param_defaults(part->params, cfg);
      assert_int_equal(weir_param_set(part->params, cfg, p->name, text, NULL, &err), WEIR_OK);
      snprintf(s->name, sizeof s->name, "%.80s %s=%s", whole, p->name, text);
      run_short(s, m);
      at += len;
      if (*at == '|') at++;
    }
  }
  memset(cfg, 0, CFG_BYTES);
  if (part->params != NULL) weir_param_defaults(part->params, cfg);
}

static void test_parameters(void **state) {
  (void)state;
  static struct setup s;
  struct machine x;
  machine_init(&x, NULL, machines[0]);
  for (size_t o = 0; weir_organisations[o] != NULL; o++) {
    if (build(&s, &x.m, weir_organisations[o], NULL, NULL))
      at_ends(&s, &x.m, &weir_organisations[o]->part, s.cfg[0]);
    for (size_t i = 0; weir_policies[i] != NULL; i++)
      if (build(&s, &x.m, weir_organisations[o], weir_policies[i], NULL))
        at_ends(&s, &x.m, &weir_policies[i]->part, s.cfg[1]);
  }
  machine_free(&x);
}

/* ---- declarations ---- */

static void check_part(const struct weir_part *part) {
  struct weir_err err;
  assert_int_equal(part->abi, WEIR_POLICY_ABI);
  if (part->name == NULL || part->help == NULL || part->help[0] == '\0')
    fail_msg("part %s: a text is missing", part->name != NULL ? part->name : "?");
  if (part->params != NULL) {
    struct weir_param_group g = {part->name, part->help, part->params, part->cfg_bytes};
    if (weir_param_group_check(&g, &err) != WEIR_OK) fail_msg("%s: %s", part->name, err.msg);
  }
  if (part->stats != NULL) {
    struct weir_stat_group g = {part->name, part->help, part->stats, NULL};
    if (weir_stat_group_check(&g, &err) != WEIR_OK) fail_msg("%s: %s", part->name, err.msg);
    for (const struct weir_stat *t = part->stats; t->name != NULL; t++)
      assert_true(t->offset + sizeof(uint64_t) <= part->stats_bytes);
    assert_true(part->stats_bytes <= WEIR_MAX_PART_STATS * sizeof(uint64_t));
  }
}

static void test_declarations(void **state) {
  (void)state;
  for (size_t i = 0; weir_organisations[i] != NULL; i++) {
    check_part(&weir_organisations[i]->part);
    assert_ptr_equal(weir_organisation_find(weir_organisations[i]->part.name),
                     weir_organisations[i]);
  }
  for (size_t i = 0; weir_policies[i] != NULL; i++) {
    check_part(&weir_policies[i]->part);
    assert_true(weir_policies[i]->axes != 0);
    assert_ptr_equal(weir_policy_find(weir_policies[i]->part.name), weir_policies[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_declarations),
                                     cmocka_unit_test(test_alone), cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
