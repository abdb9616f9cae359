/* Rings, growing queues and lists, each against the plainest thing that does the same. */
#include "base/fifo.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/ring.h"
#include "testing.h"

struct model { /* a queue as an array from which the head is shifted out */
  uint32_t v[64], n;
};

static void model_push(struct model *m, uint32_t x) {
  m->v[m->n++] = x;
}

static void model_remove(struct model *m, uint32_t i) {
  memmove(m->v + i, m->v + i + 1, (--m->n - i) * sizeof *m->v);
}

static void a_ring_is_a_queue_of_fixed_size(void **state) {
  (void)state;
  for (uint32_t cap = 1; cap <= 9; cap++) {
    struct {
      uint32_t *v, head, n, cap;
    } r = {0}, copy = {0};
    struct model m = {.n = 0};
    assert_true(WEIR_RING_INIT(r, cap));
    for (uint32_t i = 0; i < 200; i++) {
      bool pushes = weir_hash32(cap, i) % 2 == 0;
      if (pushes && r.n < cap) {
        WEIR_RING_PUSH(r, i);
        model_push(&m, i);
      } else if (!pushes && r.n > 0) {
        WEIR_RING_POP(r);
        model_remove(&m, 0);
      }
      assert_int_equal(r.n, m.n);
      for (uint32_t k = 0; k < m.n; k++)
        assert_int_equal(r.v[weir_ring_at(r.head, k, cap)], m.v[k]);
      if (m.n > 0) assert_int_equal(WEIR_RING_HEAD(r), m.v[0]);
    }
    assert_true(WEIR_RING_INIT(copy, cap));
    WEIR_RING_COPY(copy, r);
    assert_int_equal(copy.n, r.n);
    for (uint32_t k = 0; k < m.n; k++, WEIR_RING_POP(copy))
      assert_int_equal(WEIR_RING_HEAD(copy), m.v[k]);
    free(r.v);
    free(copy.v);
  }
}

static void a_fifo_grows(void **state) {
  (void)state;
  struct {
    uint32_t *v, head, n, cap;
  } f = {0};
  uint32_t next = 0;
  for (uint32_t i = 0, popped = 0; i < 5000; i++) {
    if (weir_hash32(1, i) % 5 < 3) {
      assert_true(WEIR_FIFO_PUSH(f, next));
      next++;
    } else if (f.n > 0) {
      assert_int_equal(WEIR_FIFO_HEAD(f), popped);
      WEIR_FIFO_POP(f);
      popped++;
    }
    assert_int_equal(f.n, next - popped);
  }
  assert_true(f.n > 64);
  free(f.v);
}

/* Elements with something before and behind the link. */
struct element {
  uint64_t before;
  struct weir_link link;
  uint8_t behind;
};

static void same(const struct weir_list *l, const struct element *e, const struct model *m) {
  uint32_t n = l->first, prev = 0;
  for (uint32_t k = 0; k < m->n; k++) {
    assert_int_equal(n, m->v[k]);
    assert_int_equal(e[n - 1].link.prev, prev);
    prev = n;
    n = e[n - 1].link.next;
  }
  assert_int_equal(n, 0);
  assert_int_equal(l->last, prev);
}

static void a_list_keeps_its_order(void **state) {
  (void)state;
  enum { N = 13 };
  struct element e[N] = {0};
  struct weir_list l = {0};
  struct model m = {.n = 0};
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t x = 1 + weir_hash32(2, i) % N, at = 0;
    while (at < m.n && m.v[at] != x)
      at++;
    if (at < m.n) {
      weir_list_remove(&l, WEIR_LINKS(e, link), x);
      model_remove(&m, at);
    } else if (weir_hash32(3, i) % 2) {
      weir_list_append(&l, WEIR_LINKS(e, link), x);
      model_push(&m, x);
    } else {
      weir_list_prepend(&l, WEIR_LINKS(e, link), x);
      memmove(m.v + 1, m.v, m.n++ * sizeof *m.v);
      m.v[0] = x;
    }
    same(&l, e, &m);
  }
  for (uint32_t i = 0; i < N; i++)
    assert_true(e[i].before == 0 && e[i].behind == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_is_a_queue_of_fixed_size),
      cmocka_unit_test(a_fifo_grows),
      cmocka_unit_test(a_list_keeps_its_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
