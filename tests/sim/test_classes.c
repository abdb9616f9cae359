/* Instruction classes at the exact cycle: latency, issue interval, and who shares a unit. */
#include <stdio.h>

#include "rig.h"

enum { N = 10 };

/* GPGPU-Sim 3.2's GTX 480: add, min/max, multiply, multiply-add, divide of integers, floats and
 * doubles. */
static const struct {
  enum weir_class cls;
  unsigned latency, interval;
} fermi[] = {{WEIR_C_INT, 4, 1},   {WEIR_C_IMAX, 13, 2},  {WEIR_C_IMUL, 4, 2},
             {WEIR_C_IMAD, 5, 1},  {WEIR_C_IDIV, 145, 8}, {WEIR_C_FP32, 4, 1},
             {WEIR_C_FMAX, 13, 2}, {WEIR_C_FMUL, 4, 1},   {WEIR_C_FFMA, 5, 1},
             {WEIR_C_FDIV, 39, 4}, {WEIR_C_FP64, 8, 8},   {WEIR_C_DMAX, 19, 16},
             {WEIR_C_DMUL, 8, 8},  {WEIR_C_DFMA, 8, 8},   {WEIR_C_DDIV, 330, 130}};
enum { N_FERMI = sizeof fermi / sizeof *fermi };

/* The rig with these, and two more settings. */
static void open_fermi(struct rig *g, const char *a, const char *b) {
  static char text[2 * N_FERMI][40];
  const char *set[128];
  struct weir_sim_options o = {.threads = 1, .watchdog = 100000, .check = true};
  struct weir_err err;
  size_t n = sizeof rig_set / sizeof *rig_set;
  memcpy(set, rig_set, sizeof rig_set);
  for (unsigned i = 0; i < N_FERMI; i++) {
    const char *name = weir_class_name(fermi[i].cls);
    snprintf(text[2 * i], sizeof *text, "sm.%s_latency=%u", name, fermi[i].latency);
    snprintf(text[2 * i + 1], sizeof *text, "sm.%s_interval=%u", name, fermi[i].interval);
    set[n++] = text[2 * i];
    set[n++] = text[2 * i + 1];
  }
  set[n++] = a;
  set[n++] = b;
  set[n] = NULL;
  machine_init(&g->x, NULL, set);
  assert_int_equal(weir_sim_new(&g->x.m, NULL, &o, &g->sim, &err), WEIR_OK);
}

/* Cycle in which the last of `n` instructions issues, which one after the other are of the classes
 * given; each of `n_warps` warps has them. */
static uint64_t last_issue(struct rig *g, const enum weir_class *cls, unsigned n_classes,
                           unsigned n, unsigned n_warps, bool is_chain) {
  struct synth s;
  struct weir_sim_result r;
  uint32_t insn[4];
  synth_init(&s, 1, n_warps);
  for (unsigned c = 0; c < n_classes; c++)
    insn[c] = synth_insn(&s, cls[c], is_chain ? 0 : -1, is_chain ? 0 : -1);
  for (uint32_t w = 0; w < n_warps; w++)
    for (unsigned i = 0; i < n; i++)
      synth_put(&s, 0, w, insn[i % n_classes]);
  uint64_t at = rig_run(g, &s, &r);
  assert_int_equal(r.sm.warp_insns, n * n_warps);
  synth_free(&s);
  return at;
}

static void test_chains(void **state) {
  (void)state;
  struct rig g;
  open_fermi(&g, NULL, NULL);
  for (unsigned i = 0; i < N_FERMI; i++) {
    assert_int_equal(last_issue(&g, &fermi[i].cls, 1, N, 1, true), (N - 1) * fermi[i].latency);
    assert_int_equal(last_issue(&g, &fermi[i].cls, 1, N, 1, false), (N - 1) * fermi[i].interval);
  }
  rig_close(&g);
}

/* A class that was split from another still uses its unit: what issues behind it waits as before,
 * and who came first says how long. */
static void test_parts_share_a_unit(void **state) {
  (void)state;
  static const enum weir_class floats[] = {WEIR_C_FMAX, WEIR_C_FP32, WEIR_C_FFMA},
                               mixed[] = {WEIR_C_FMAX, WEIR_C_INT};
  struct rig g;
  open_fermi(&g, NULL, NULL);
  assert_int_equal(last_issue(&g, floats, 3, 6, 1, false), 0 + 2 + 1 + 1 + 2 + 1);
  assert_int_equal(last_issue(&g, mixed, 2, 6, 1, false), 5);
  rig_close(&g);
}

/* A division of six instructions keeps its scheduler for as many slots, and no other. */
static void test_slots(void **state) {
  (void)state;
  static const enum weir_class mixed[] = {WEIR_C_FDIV, WEIR_C_INT};
  for (unsigned n = 1; n <= 2; n++) {
    struct rig g;
    open_fermi(&g, n == 1 ? "sm.schedulers=1" : "sm.schedulers=2", NULL);
    assert_int_equal(last_issue(&g, mixed, 2, 4, n, false), 4 + 1); /* the unit's interval */
    rig_close(&g);
    open_fermi(&g, n == 1 ? "sm.schedulers=1" : "sm.schedulers=2", "sm.fdiv_slots=6");
    assert_int_equal(last_issue(&g, mixed, 2, 4, n, false), 6 + 1 + 6);
    rig_close(&g);
    open_fermi(&g, n == 1 ? "sm.schedulers=1" : "sm.schedulers=2", "sm.fdiv_slots=3");
    assert_int_equal(last_issue(&g, mixed, 2, 4, n, false), 3 + 1 + 3);
    rig_close(&g);
  }
}

/* One scheduler, GPGPU-Sim's pipes: everything but the SFU's stands behind one another. */
static void test_sp(void **state) {
  (void)state;
  static const enum weir_class mixed[] = {WEIR_C_FMAX, WEIR_C_INT},
                               dbl[] = {WEIR_C_DFMA, WEIR_C_MOVE},
                               mul[] = {WEIR_C_IMUL, WEIR_C_FP32, WEIR_C_FDIV};
  struct rig g;
  open_fermi(&g, "sm.units=imul-on-sfu", NULL);
  assert_int_equal(last_issue(&g, mixed, 2, 6, 1, false), 2 + 1 + 2 + 1 + 2);
  assert_int_equal(last_issue(&g, dbl, 2, 4, 1, false), 8 + 1 + 8);
  /* The multiplication occupies the SFU in cycles 0 and 1, the division from 2 to 5. */
  assert_int_equal(last_issue(&g, mul, 3, 4, 1, false), 6);
  rig_close(&g);
  open_fermi(&g, "sm.units=fp64-on-sfu", NULL);
  assert_int_equal(last_issue(&g, dbl, 2, 4, 1, false), 8 + 1);
  assert_int_equal(last_issue(&g, mul, 3, 4, 1, false), 4); /* the SP is free at 2 and at 3 */
  rig_close(&g);
}

/* Two schedulers with a warp each: the SM has one SFU, and an interval of 1 is one in a cycle. */
static void test_sfu_of_an_sm(void **state) {
  (void)state;
  static const struct {
    const char *units;
    enum weir_class cls;
    unsigned each, turns;
  } t[] = {{"sm.units=class", WEIR_C_FDIV, 4, N - 1},
           {"sm.units=imul-on-sfu", WEIR_C_FDIV, 4, 2 * N - 1},
           {"sm.units=imul-on-sfu", WEIR_C_IMUL, 2, 2 * N - 1},
           {"sm.units=imul-on-sfu", WEIR_C_IMAD, 1, 2 * N - 1},
           {"sm.units=imul-on-sfu", WEIR_C_DFMA, 8, N - 1},
           {"sm.units=imul-on-sfu", WEIR_C_INT, 1, N - 1},
           {"sm.units=fp64-on-sfu", WEIR_C_DFMA, 8, 2 * N - 1},
           {"sm.units=fp64-on-sfu", WEIR_C_IMAD, 1, N - 1}};
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
    struct rig g;
    open_fermi(&g, "sm.schedulers=2", t[i].units);
    assert_int_equal(last_issue(&g, &t[i].cls, 1, N, 2, false), t[i].turns * t[i].each);
    rig_close(&g);
  }
}

/* The schedulers take turns at the shared unit: a warp that is alone with its scheduler is not kept
 * waiting by three of the other. */
static void test_turns(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  open_fermi(&g, "sm.schedulers=2", "sm.units=imul-on-sfu");
  synth_init(&s, 1, 4); /* warps 0 and 2 of one scheduler, 1 and 3 of the other */
  uint32_t div = synth_insn(&s, WEIR_C_FDIV, -1, -1), add = synth_insn(&s, WEIR_C_INT, 0, 0);
  for (unsigned i = 0; i < 4; i++) {
    synth_put(&s, 0, 0, div);
    synth_put(&s, 0, 2, div);
  }
  synth_put(&s, 0, 1, div);
  for (unsigned i = 0; i < 20; i++)
    synth_put(&s, 0, 1, add);
  /* The second division, in cycle 4, is that of warp 1; its chain of additions ends last. */
  assert_int_equal(rig_run(&g, &s, &r), 4 + 1 + 19 * 4);
  synth_free(&s);
  rig_close(&g);
}

/* ---- what a part has from the whole ---- */

static const struct {
  enum weir_class part, whole;
} parts[] = {{WEIR_C_IMAX, WEIR_C_INT},  {WEIR_C_IMAD, WEIR_C_IMUL}, {WEIR_C_FMAX, WEIR_C_FP32},
             {WEIR_C_FMUL, WEIR_C_FP32}, {WEIR_C_FFMA, WEIR_C_FP32}, {WEIR_C_DMAX, WEIR_C_FP64},
             {WEIR_C_DMUL, WEIR_C_FP64}, {WEIR_C_DFMA, WEIR_C_FP64}};

static void test_parts(void **state) {
  (void)state;
  static const char *const set[] = {
      "sm.int_latency=6",   "sm.imul_latency=7",  "sm.fp32_latency=8",
      "sm.fp64_latency=9",  "sm.int_interval=2",  "sm.imul_interval=3",
      "sm.fp32_interval=4", "sm.fp64_interval=5", NULL};
  struct machine x;
  unsigned n = 0;
  machine_init(&x, NULL, set);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    assert_int_equal(weir_class_part_of(parts[i].part), parts[i].whole);
    assert_int_equal(x.m.sm.latency[parts[i].part], x.m.sm.latency[parts[i].whole]);
    assert_int_equal(x.m.sm.interval[parts[i].part], x.m.sm.interval[parts[i].whole]);
  }
  for (enum weir_class c = 0; c < WEIR_N_CLASSES; c++)
    n += weir_class_part_of(c) != c;
  assert_int_equal(n, sizeof parts / sizeof *parts);
  assert_int_equal(x.m.sm.latency[WEIR_C_FFMA], 8);
  assert_int_equal(x.m.sm.interval[WEIR_C_DFMA], 5);
  machine_free(&x);
}

/* What sm.ffma_latency becomes if a file and the user say this (NULL: nothing). */
static void say(const char *file_part, const char *file_whole, const char *user_part,
                const char *user_whole, int64_t want, const char *origin) {
  const struct {
    enum weir_layer layer;
    const char *path, *text;
  } said[] = {{WEIR_LAYER_FILE, "sm.ffma_latency", file_part},
              {WEIR_LAYER_FILE, "sm.fp32_latency", file_whole},
              {WEIR_LAYER_SET, "sm.ffma_latency", user_part},
              {WEIR_LAYER_SET, "sm.fp32_latency", user_whole}};
  struct machine x;
  struct weir_err err;
  char buf[64];
  machine_init(&x, NULL, (const char *const[]){NULL});
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (said[i].text != NULL)
      assert_int_equal(
          weir_settings_set(&x.settings, said[i].layer, said[i].path, said[i].text, NULL, &err),
          WEIR_OK);
  for (unsigned i = 0; i < 2; i++) { /* put into the settings, it says the same */
    assert_int_equal(weir_machine_fill(&x.m, "test", &x.settings, &err), WEIR_OK);
    assert_int_equal(x.m.sm.latency[WEIR_C_FFMA], want);
    assert_int_equal(weir_machine_settle(&x.m, &x.settings, &err), WEIR_OK);
  }
  const struct weir_setting *v = weir_settings_find(&x.settings, "sm.ffma_latency");
  assert_int_equal(strtol(v->text, NULL, 10), want);
  if (origin != NULL) assert_string_equal(weir_setting_origin(v, buf, sizeof buf), origin);
  machine_free(&x);
}

static void test_said_last(void **state) {
  (void)state;
  static const char follows[] = "follows from sm.fp32_latency";
  say(NULL, NULL, NULL, NULL, 4, follows);
  say(NULL, "6", NULL, NULL, 6, follows);
  say(NULL, "6", NULL, "7", 7, follows);
  say("5", NULL, NULL, NULL, 5, NULL);
  say("5", "6", NULL, NULL, 5, NULL);
  say("5", "6", NULL, "7", 7, follows); /* what it meant before there were parts */
  say("5", "6", "9", NULL, 9, "--set");
  say("5", "6", "9", "7", 9, "--set");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains), cmocka_unit_test(test_parts_share_a_unit),
      cmocka_unit_test(test_sp),     cmocka_unit_test(test_sfu_of_an_sm),
      cmocka_unit_test(test_turns),  cmocka_unit_test(test_slots),
      cmocka_unit_test(test_parts),  cmocka_unit_test(test_said_last)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
