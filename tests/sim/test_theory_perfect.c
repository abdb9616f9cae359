/* An L1 in which every load hits: it cannot be slower than a real one when one warp runs alone, and
 * hardly ever otherwise (a load that comes back sooner can get in the way of another warp's). */
#include <inttypes.h>
#include <stdlib.h>

#include "rig.h"

static uint64_t run_on(const struct machine *x, bool is_perfect, struct synth *s) {
  struct machine m = *x;
  struct weir_sim_options o = {.threads = 1, .watchdog = 500000};
  struct weir_sim_result r;
  m.m.l1.perfect = is_perfect;
  synth_run(&m, NULL, &s, 1, &o, &r);
  return r.cycles;
}

/* Loads of few lines, some of them with all lanes apart, their uses, and stores. */
static void one_warp(struct synth *s, uint64_t seed) {
  uint64_t x = seed + 1;
  synth_init(s, 1, 1);
  struct code c = rig_code(s, seed % 5 == 0 ? WEIR_SP_LOCAL : WEIR_SP_GLOBAL);
  for (unsigned i = 0; i < 300; i++) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t v = (uint32_t)(x >> 33), line = v % (4 + (uint32_t)seed % 60);
    uint32_t ld = v % 3 == 0 ? c.ld0 : v % 3 == 1 ? c.ld1 : c.ld2;
    switch (v >> 8 & 7) {
    case 0:
      synth_stride(s, 0, 0, c.st, UINT32_MAX, 128 * (uint64_t)line, 4);
      break;
    case 1:
    case 2:
      synth_put(s, 0, 0, v & 1 ? c.use0 : v & 2 ? c.use1 : c.use2);
      break;
    case 3:
      synth_stride(s, 0, 0, ld, UINT32_MAX, 128 * (uint64_t)line, 32 << (v >> 12 & 3));
      break;
    default:
      synth_stride(s, 0, 0, ld, UINT32_MAX, 128 * (uint64_t)line, 4);
    }
  }
}

static void test_one_warp(void **state) {
  (void)state;
  uint32_t n_refused = 0;
  uint64_t n = getenv("WEIR_LONG_TESTS") != NULL ? 2000 : 100, faster = 0;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct machine x;
    struct synth s;
    machine_random(&x, seed + 40000, &n_refused);
    x.m.sm.registers = 65536;
    one_warp(&s, seed);
    uint64_t real = run_on(&x, false, &s), perfect = run_on(&x, true, &s);
    if (perfect > real) {
      machine_print(&x);
      fail_msg("case %" PRIu64 ": %" PRIu64 " cycles, perfect %" PRIu64, seed, real, perfect);
    }
    faster += perfect < real;
    synth_free(&s);
    machine_free(&x);
  }
  assert_true(faster > n / 2);
}

/* Many warps: more than 1 % slower is listed, and must stay rare. */
static void test_many_warps(void **state) {
  (void)state;
  uint32_t n_refused = 0, slower = 0, done = 0;
  uint64_t n = getenv("WEIR_LONG_TESTS") != NULL ? 1000 : 60;
  for (uint64_t seed = 0; seed < n; seed++) {
    struct machine x;
    struct synth s;
    const char *why;
    machine_random(&x, seed + 50000, &n_refused);
    synth_random(&s, seed + 50000);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      uint64_t real = run_on(&x, false, &s), perfect = run_on(&x, true, &s);
      done++;
      if (perfect > real + real / 100) {
        print_message("case %" PRIu64 ": %" PRIu64 " cycles, perfect %" PRIu64 "\n", seed, real,
                      perfect);
        slower++;
      }
    }
    synth_free(&s);
    machine_free(&x);
  }
  print_message("%u of %u slower by more than 1 %%\n", slower, done);
  assert_true(done > n / 4 && slower * 20 <= done);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_warp),
                                     cmocka_unit_test(test_many_warps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
