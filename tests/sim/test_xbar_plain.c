/* The crossbar beside one that does what xbar.h says in the plainest way: in every cycle each head
 * asks for its output, and each output looks at every input. Random shapes and traffic. */
#include "rig.h"

#include "base/hash.h"
#include "sim/xbar.h"

enum { MAX_PORTS = 130, MAX_PACKETS = 800, HOP = 25, BACK = 10, HELD = 15, ROUNDS = 120 };

struct packet {
  uint32_t in, out, flits;
  uint64_t at, left; /* offered; gone, WEIR_NEVER: not yet */
};

struct traffic {
  struct weir_xbar_shape shape;
  uint32_t n;
  struct packet v[MAX_PACKETS];
  uint64_t end;
};

static uint32_t draw(uint64_t *seed, uint32_t n) {
  return (uint32_t)(weir_splitmix64((*seed)++) >> 11) % n;
}

/* Senders offer a flit per cycle at most, as those of a machine do. */
static void make(struct traffic *t, uint64_t seed) {
  uint64_t s = seed * 1000003;
  *t = (struct traffic){.shape = {.n_in = 1 + draw(&s, seed % 3 == 0 ? MAX_PORTS : 8),
                                  .n_out = 1 + draw(&s, seed % 4 == 0 ? MAX_PORTS : 8),
                                  .most = 1 + draw(&s, 5),
                                  .speedup = 1 + draw(&s, 3),
                                  .hop = HOP,
                                  .credit_cyc = BACK}};
  t->shape.first_out = t->shape.n_in;
  t->shape.room = t->shape.most + draw(&s, 40);
  const uint32_t outputs = draw(&s, 3) == 0 ? 1 : t->shape.n_out, rate = 1 + draw(&s, 20);
  uint64_t free_at[MAX_PORTS] = {0};
  for (uint64_t now = 0; now < 400; now++)
    for (uint32_t i = 0; i < t->shape.n_in && t->n < MAX_PACKETS; i++) {
      if (free_at[i] > now || draw(&s, rate) > 0) continue;
      struct packet *p = &t->v[t->n++];
      *p = (struct packet){.in = i,
                           .out = draw(&s, outputs),
                           .flits = 1 + draw(&s, t->shape.most),
                           .at = now,
                           .left = WEIR_NEVER};
      free_at[i] = now + p->flits;
    }
  t->end = 100000;
}

/* ---- plainly ---- */

struct plain {
  uint32_t head[MAX_PORTS], sent[MAX_PORTS], given[MAX_PORTS]; /* of inputs; head: a packet, or n */
  uint32_t room[MAX_PORTS], next[MAX_PORTS];                   /* of outputs */
};

static uint32_t next_of(const struct traffic *t, uint32_t in, uint32_t from) {
  while (from < t->n && t->v[from].in != in)
    from++;
  return from;
}

static bool may_give(const struct traffic *t, const struct plain *x, uint32_t in, uint32_t out,
                     uint64_t now) {
  if (x->head[in] == t->n || x->given[in] == t->shape.speedup) return false;
  const struct packet *p = &t->v[x->head[in]];
  return p->out == out && p->at + x->sent[in] <= now &&
         (x->sent[in] > 0 || x->room[out] >= t->shape.most);
}

/* Returns how many packets have left. */
static uint32_t step(struct traffic *t, struct plain *x, uint64_t now) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->v[k].left != WEIR_NEVER && t->v[k].left + HOP + HELD == now)
      x->room[t->v[k].out] += t->v[k].flits;
  memset(x->given, 0, sizeof x->given);
  for (uint32_t out = 0; out < t->shape.n_out; out++)
    for (uint32_t k = 0; k < t->shape.n_in; k++) {
      const uint32_t in = (x->next[out] + k) % t->shape.n_in;
      if (!may_give(t, x, in, out, now)) continue;
      struct packet *p = &t->v[x->head[in]];
      x->next[out] = (in + 1) % t->shape.n_in;
      x->given[in]++;
      if (x->sent[in]++ == 0) x->room[out] -= p->flits;
      if (x->sent[in] == p->flits) {
        p->left = now;
        n++;
        x->sent[in] = 0;
        x->head[in] = next_of(t, in, x->head[in] + 1);
      }
      break;
    }
  return n;
}

static void run_plainly(struct traffic *t) {
  static struct plain x;
  x = (struct plain){0};
  for (uint32_t i = 0; i < t->shape.n_in; i++)
    x.head[i] = next_of(t, i, 0);
  for (uint32_t i = 0; i < t->shape.n_out; i++)
    x.room[i] = t->shape.room;
  uint32_t n = 0;
  for (uint64_t now = 0; n < t->n; now++) {
    assert_true(now < t->end);
    n += step(t, &x, now);
  }
}

/* ---- beside it ---- */

struct sink {
  const struct traffic *t;
  uint32_t n, n_credits;
  struct weir_msg got[MAX_PACKETS];
};

static void take(void *self, const struct weir_msg *m) {
  struct sink *s = self;
  if (m->kind == WEIR_MSG_CREDIT) {
    s->n_credits++;
    return;
  }
  assert_true(s->n < MAX_PACKETS);
  const struct packet *p = &s->t->v[m->id];
  assert_int_equal(m->at, p->left + HOP);
  assert_int_equal(m->dst, s->t->shape.first_out + p->out);
  s->got[s->n++] = *m;
}

/* In windows, as an engine does: places come back when a packet was known to have arrived. */
static void run_windows(const struct traffic *t, uint64_t window) {
  static struct sink s;
  struct weir_xbar x;
  s.t = t;
  s.n = s.n_credits = 0;
  assert_true(weir_xbar_init(&x, &t->shape));
  const struct weir_xbar_sink sink = {.put = take, .self = &s};
  uint32_t offered = 0, known = 0;
  for (uint64_t from = 0; s.n < t->n; from += window) {
    assert_true(from < t->end);
    for (; offered < t->n && t->v[offered].at < from + window; offered++) {
      const struct packet *p = &t->v[offered];
      const struct weir_msg m = {.at = p->at,
                                 .id = offered,
                                 .src = (uint16_t)p->in,
                                 .dst = (uint16_t)(t->shape.first_out + p->out),
                                 .flits = (uint16_t)p->flits,
                                 .kind = WEIR_MSG_READ};
      assert_true(weir_xbar_put(&x, &m));
    }
    weir_xbar_run(&x, from, from + window, &sink);
    for (; known < s.n; known++) {
      const struct weir_msg m = {
          .at = s.got[known].at + HELD, .src = s.got[known].dst, .flits = s.got[known].flits};
      assert_true(weir_xbar_credit(&x, &m));
    }
  }
  assert_int_equal(s.n_credits, t->n);
  assert_null(weir_xbar_rest(&x));
  weir_xbar_free(&x);
}

static void test_beside_plain(void **state) {
  (void)state;
  static struct traffic t;
  uint32_t n = 0, waited = 0, wide = 0;
  for (uint64_t seed = 0; seed < ROUNDS; seed++) {
    make(&t, seed);
    run_plainly(&t);
    run_windows(&t, 1 + seed % 35); /* at most a hop and what a receiver holds */
    n += t.n;
    for (uint32_t k = 0; k < t.n; k++)
      waited += t.v[k].left >= t.v[k].at + t.v[k].flits;
    wide += t.shape.n_in > 64 && t.n > 0;
  }
  assert_in_range(waited, n / 4, n); /* else it would have shown nothing */
  assert_in_range(wide, ROUNDS / 10, ROUNDS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside_plain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
