/* MSHRs against a plain list of those who wait. */
#include "../base/testing.h"
#include "base/hash.h"
#include "machine/mshr.h"

enum { ENTRIES = 3, WAITERS = 7 };

struct waiting {
  uint32_t waiter, entry, wait;
};

struct model {
  struct waiting v[WAITERS]; /* in order of arrival */
  uint32_t n;
  bool is_open[ENTRIES];
};

static uint32_t waiters_of(const struct model *m, uint32_t e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < m->n; i++)
    n += m->v[i].entry == e;
  return n;
}

static void add(struct weir_mshrs *t, struct model *m, uint32_t e, uint32_t wait) {
  struct waiting w = {.waiter = weir_mshr_wait(t, e, wait), .entry = e, .wait = wait};
  for (uint32_t i = 0; i < m->n; i++)
    assert_true(m->v[i].waiter != w.waiter);
  m->v[m->n++] = w;
}

/* Those whose last sectors come are given back in order of arrival. */
static void arrive(struct weir_mshrs *t, struct model *m, uint32_t e, uint32_t sectors) {
  uint32_t w = weir_mshr_arrive(t, e, sectors), kept = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    struct waiting x = m->v[i];
    bool waits = x.entry == e && x.wait != 0;
    if (waits) x.wait &= ~sectors;
    if (waits && x.wait == 0) {
      assert_int_equal(w, x.waiter);
      w = weir_mshr_release(t, w);
    } else
      m->v[kept++] = x;
  }
  m->n = kept;
  assert_int_equal(w, WEIR_NO_WAITER);
}

static void release_one_that_waits_for_nothing(struct weir_mshrs *t, struct model *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    if (m->v[i].wait != 0) continue;
    assert_int_equal(weir_mshr_release(t, m->v[i].waiter), WEIR_NO_WAITER);
    memmove(m->v + i, m->v + i + 1, (--m->n - i) * sizeof *m->v);
    return;
  }
}

static void step(struct weir_mshrs *t, struct model *m, uint32_t x) {
  uint32_t e = x / 8 % ENTRIES, sectors = x / 64 % 16;
  switch (x % 4) {
  case 0:
    if (t->free_entry != WEIR_NO_ENTRY) {
      e = weir_mshr_open(t);
      assert_false(m->is_open[e]);
      m->is_open[e] = true;
    }
    break;
  case 1:
    if (m->is_open[e] && t->free_waiter != WEIR_NO_WAITER) add(t, m, e, sectors);
    break;
  case 2:
    if (m->is_open[e]) arrive(t, m, e, sectors);
    break;
  default:
    release_one_that_waits_for_nothing(t, m);
    if (!m->is_open[e] || waiters_of(m, e) > 0) break;
    weir_mshr_close(t, e);
    m->is_open[e] = false;
  }
}

static void waiters_are_answered_in_order(void **state) {
  (void)state;
  struct weir_mshrs t, copy;
  struct model m = {.n = 0};
  assert_true(weir_mshrs_init(&t, ENTRIES, WAITERS));
  assert_true(weir_mshrs_init(&copy, ENTRIES, WAITERS));
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t open = 0;
    step(&t, &m, weir_hash32(1, i));
    for (uint32_t e = 0; e < ENTRIES; e++) {
      open += m.is_open[e];
      if (m.is_open[e]) assert_int_equal(t.v[e].n, waiters_of(&m, e));
    }
    assert_int_equal(t.n, open);
    bool is_free = open == 0 && m.n == 0;
    weir_mshrs_copy(&copy, &t);
    assert_true((weir_mshrs_verify(&copy) == NULL) == is_free);
  }
  weir_mshrs_free(&t);
  weir_mshrs_free(&copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waiters_are_answered_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
