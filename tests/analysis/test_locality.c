/* What is said about reuse: against tapes worked out by hand, and against plain searches through
 * random tapes that know nothing of trees and lists. */
#include "testing.h"

#include <stdio.h>

#include "analysis/locality.h"
#include "analysis/stack.h"
#include "l1/opt.h"

enum { MOST = 4096, LINE = 128 };

static struct weir_taped room[MOST];

static struct weir_machine machine_of(uint32_t sets, uint32_t ways, bool is_sectored) {
  return (struct weir_machine){.sm.count = 2,
                               .l1 = {.enabled = true,
                                      .sectored = is_sectored,
                                      .line = LINE,
                                      .sector = 32,
                                      .sets = sets,
                                      .ways = ways,
                                      .index = WEIR_L1_LINEAR}};
}

/* "abA": lower case is a load of line a, b; upper case a store that ends it; '+x' a store that
 * fills it; '=x' a store after which it stays; '!x' a load that goes past; '|' a launch that begins
 * with an empty L1, '/' one that does not. A digit before a load is its instruction (else 0). Line
 * 'a' is line number 0. */
static struct weir_tape tape_of(const char *text, uint32_t lines) {
  struct weir_tape t = {.v = room};
  uint64_t launch = 0;
  room[t.n++] = (struct weir_taped){.as = WEIR_TAPED_KERNEL, .lines = lines, .is_flushed = true};
  for (const char *s = text; *s != '\0'; s++) {
    struct weir_taped r = {.as = WEIR_TAPED_MISS, .op = WEIR_LOAD, .sectors = 1};
    if (*s >= '0' && *s <= '9') r.insn = (uint32_t)(*s++ - '0');
    if (*s == '|' || *s == '/') {
      r = (struct weir_taped){
          .as = WEIR_TAPED_KERNEL, .lines = lines, .addr = ++launch, .is_flushed = *s == '|'};
      room[t.n++] = r;
      continue;
    }
    if (*s == '+' || *s == '=') {
      r.op = WEIR_STORE;
      r.as = *s++ == '+' ? WEIR_TAPED_FILLS : WEIR_TAPED_STORE;
    } else if (*s == '!') {
      r.as = WEIR_TAPED_PAST;
      s++;
    } else if (*s < 'a') {
      r.op = WEIR_STORE;
      r.as = WEIR_TAPED_ENDS;
    }
    r.addr = (uint64_t)(*s - (*s < 'a' ? 'A' : 'a')) * LINE;
    room[t.n++] = r;
  }
  return t;
}

static void analyse(struct weir_locality_set *s, const struct weir_machine *m,
                    const struct weir_tape *t, uint32_t n_insns, uint32_t warps, uint32_t stretch) {
  assert_int_equal(weir_locality_begin(s, m, stretch, NULL), WEIR_OK);
  for (size_t i = 0; i < t->n; i++)
    if (t->v[i].as == WEIR_TAPED_KERNEL)
      assert_int_equal(weir_locality_launch(s, 0, n_insns, warps, NULL), WEIR_OK);
  assert_int_equal(weir_locality_tape(s, 0, t, NULL), WEIR_OK);
}

static struct weir_locality sum_of(const char *text, const struct weir_machine *m) {
  struct weir_tape t = tape_of(text, (uint32_t)(m->l1.sets * m->l1.ways));
  struct weir_locality_set s;
  struct weir_locality sum;
  analyse(&s, m, &t, 10, 1, 4);
  weir_locality_sum(&s, UINT32_MAX, &sum);
  weir_locality_free(&s);
  return sum;
}

/* ---- by hand ---- */

static void test_bins(void **state) {
  (void)state;
  static const struct {
    uint64_t distance;
    uint32_t bin;
  } v[] = {{0, 0},  {1, 1},  {2, 2},     {3, 3},     {4, 3},     {5, 4},     {8, 4},       {9, 5},
           {16, 5}, {17, 6}, {1024, 11}, {1025, 12}, {2048, 12}, {2049, 13}, {1 << 30, 13}};
  for (size_t i = 0; i < COUNT(v); i++)
    assert_int_equal(weir_distance_bin(v[i].distance), v[i].bin);
  static const uint64_t most[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 0};
  for (uint32_t i = 0; i < WEIR_DISTANCES; i++)
    assert_int_equal(weir_distance_most(i), most[i]);
}

static void test_distances(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 4, false);
  struct weir_locality v = sum_of("abca", &m);
  assert_int_equal(v.references, 4);
  assert_int_equal(v.first, 3);
  assert_int_equal(v.access[2], 1);
  assert_int_equal(v.stack[2], 1);
  v = sum_of("aa", &m);
  assert_int_equal(v.access[0], 1);
  assert_int_equal(v.stack[0], 1);
  v = sum_of("abba", &m); /* two requests in between, one line */
  assert_int_equal(v.access[0], 1);
  assert_int_equal(v.access[2], 1);
  assert_int_equal(v.stack[0], 1);
  assert_int_equal(v.stack[1], 1);
  v = sum_of("a=b!cDa", &m); /* none of these is a reference */
  assert_int_equal(v.access[0], 1);
  assert_int_equal(v.past, 1);
  assert_int_equal(v.references, 2);
}

static void test_reuse(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 4, false);
  struct weir_locality v = sum_of("abacaada", &m); /* a five times; b, c, d once */
  static const uint64_t want[] = {3, 0, 0, 1};
  assert_memory_equal(v.reuse, want, sizeof want);
  assert_int_equal(v.lines, 4);
  assert_int_equal(v.lone, 3);
  v = sum_of("aAaa|aa/a", &m); /* once; twice; three times */
  static const uint64_t ended[] = {1, 1, 1, 0};
  assert_memory_equal(v.reuse, ended, sizeof ended);
  assert_int_equal(v.lone, 1);
  assert_int_equal(v.first, 3);
  assert_int_equal(v.cause[WEIR_COMPULSORY], 2);
  assert_int_equal(v.cause[WEIR_BY_A_STORE], 1);
  assert_int_equal(v.after[WEIR_EARLIER_LAUNCH], 1);
  v = sum_of("+aa", &m); /* a store brought it: not alone, not first */
  assert_int_equal(v.reuse[0], 1);
  assert_int_equal(v.lone, 0);
  assert_int_equal(v.first, 0);
  assert_int_equal(v.access[0], 1);
  assert_int_equal(v.cause[WEIR_NO_MISS], 1);
}

/* Two sets of one way: a, c, e share one; b, d the other. */
static void test_causes(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(2, 1, false);
  struct weir_locality v = sum_of("aca", &m); /* two lines anywhere would do */
  assert_int_equal(v.cause[WEIR_COMPULSORY], 2);
  assert_int_equal(v.cause[WEIR_CONFLICT], 1);
  assert_int_equal(v.fits, 1);
  v = sum_of("acea", &m);
  assert_int_equal(v.cause[WEIR_CAPACITY], 1);
  v = sum_of("abab", &m);
  assert_int_equal(v.cause[WEIR_NO_MISS], 2);
  assert_int_equal(v.evicted, 0);
  const struct weir_machine sectored = machine_of(1, 4, true);
  struct weir_tape t = tape_of("aaa", 4);
  t.v[2].sectors = 3; /* one of them is new */
  t.v[3].sectors = 2; /* which is now there */
  struct weir_locality_set s;
  analyse(&s, &sectored, &t, 1, 1, 4);
  assert_int_equal(s.loads.v[0].of.cause[WEIR_SECTOR], 1);
  assert_int_equal(s.loads.v[0].of.cause[WEIR_NO_MISS], 1);
  weir_locality_free(&s);
}

/* One line: load 1 and load 2 take turns. */
static void test_contention(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 1, false);
  struct weir_tape t = tape_of("1a2b1a2b", 1);
  static const uint32_t warps[] = {0, 1, 0, 3}; /* blocks 0 and 1 of two warps */
  for (size_t i = 1; i < t.n; i++) {
    t.v[i].cta = warps[i - 1] / 2;
    t.v[i].warp = warps[i - 1] % 2;
  }
  struct weir_locality_set s;
  analyse(&s, &m, &t, 3, 2, 4);
  assert_int_equal(s.evictions.n, 2);
  assert_int_equal(s.evictions.v[0].by, 1); /* loads are numbered as they come */
  assert_int_equal(s.evictions.v[0].of, 0);
  assert_int_equal(s.evictions.v[0].n[WEIR_SAME_BLOCK], 1); /* warp 1 took what warp 0 wanted */
  assert_int_equal(s.evictions.v[1].by, 0);
  assert_int_equal(s.evictions.v[1].of, 1);
  assert_int_equal(s.evictions.v[1].n[WEIR_SAME_LAUNCH], 1); /* warp 0 what warp 3 wanted */
  assert_int_equal(s.loads.v[0].of.lost[WEIR_SAME_BLOCK], 1);
  assert_int_equal(s.loads.v[0].of.lost_warps[1], 1);
  assert_int_equal(s.loads.v[1].of.lost_warps[weir_distance_bin(3)], 1);
  weir_locality_free(&s);
}

/* What is hit after the fill counts, what the fill was for does not. */
static void test_used(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 1, false);
  struct weir_tape t = tape_of("aaabbc", 1);
  t.v[1].sectors = 15;
  t.v[2].sectors = 1;
  t.v[3].sectors = 6;
  t.v[4].sectors = 15; /* b: hit in one chunk */
  struct weir_locality_set s;
  analyse(&s, &m, &t, 1, 1, 4);
  const struct weir_locality *v = &s.loads.v[0].of;
  assert_int_equal(v->evicted, 2); /* c is still there */
  assert_int_equal(v->used[3], 1);
  assert_int_equal(v->used[1], 1);
  weir_locality_free(&s);
  struct weir_locality sum = sum_of("abc", &m);
  assert_int_equal(sum.used[0], 2);
}

static void test_footprint(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 4, false);
  struct weir_tape t = tape_of("aabcaddd|abe", 4);
  struct weir_locality_set s;
  analyse(&s, &m, &t, 1, 1, 4);
  assert_int_equal(s.kernels.v[0].launches, 2);
  assert_int_equal(s.kernels.v[0].stretches.n, 2);
  const struct weir_stretch *v = s.kernels.v[0].stretches.v;
  assert_int_equal(v[0].n, 2); /* of both launches */
  assert_int_equal(v[0].references, 4 + 3);
  assert_int_equal(v[0].lines, 3 + 3);
  assert_int_equal(v[0].fresh, 3 + 1);
  assert_int_equal(v[1].n, 1);
  assert_int_equal(v[1].lines, 2);
  assert_int_equal(v[1].fresh, 1);
  weir_locality_free(&s);
}

/* A place that a store emptied is filled before anything goes: "abBca" needs two lines. */
static void test_empty_places(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 2, false);
  struct weir_locality v = sum_of("abBca", &m);
  assert_int_equal(v.stack[1], 1);
  assert_int_equal(v.cause[WEIR_NO_MISS], 1);
  v = sum_of("abAcb", &m);
  assert_int_equal(v.stack[1], 1);
  v = sum_of("abcBab", &m);
  assert_int_equal(v.stack[2], 1);
  assert_int_equal(v.cause[WEIR_BY_A_STORE], 1);
}

/* ---- a plain search ---- */

enum { N_LINES = 24, N_INSNS = 5, N_WARPS = 3, MOST_WAYS = 32 };

/* An L1 as a list for each set, the newest first. */
struct plain {
  uint32_t sets, ways, n[8];
  uint32_t line[8][MOST_WAYS];
};

static bool plain_find(const struct plain *p, uint32_t line, uint32_t *at) {
  const uint32_t *v = p->line[line % p->sets];
  for (*at = 0; *at < p->n[line % p->sets]; ++*at)
    if (v[*at] == line) return true;
  return false;
}

static void plain_remove(struct plain *p, uint32_t line) {
  uint32_t at, set = line % p->sets;
  if (!plain_find(p, line, &at)) return;
  p->n[set]--;
  memmove(&p->line[set][at], &p->line[set][at + 1], (p->n[set] - at) * sizeof(uint32_t));
}

/* The line that went, or UINT32_MAX. */
static uint32_t plain_use(struct plain *p, uint32_t line) {
  uint32_t set = line % p->sets, gone = UINT32_MAX;
  plain_remove(p, line);
  if (p->n[set] == p->ways) gone = p->line[set][--p->n[set]];
  memmove(&p->line[set][1], &p->line[set][0], p->n[set] * sizeof(uint32_t));
  p->line[set][0] = line;
  p->n[set]++;
  return gone;
}

struct oracle {
  struct weir_locality of[N_INSNS];
  uint64_t evictions[N_INSNS][N_INSNS][WEIR_BETWEENS];
  struct plain l1, any[N_LINES + 1]; /* any: of so many lines */
  size_t evicted_by[N_LINES], brought_by[N_LINES];
  uint32_t valid[N_LINES], used[N_LINES];
};

static bool touches(const struct weir_taped *r) {
  return r->as == WEIR_TAPED_FILLS || (weir_is_taped_load(r) && r->as != WEIR_TAPED_PAST);
}
static bool refers(const struct weir_taped *r) {
  return touches(r) && r->as != WEIR_TAPED_FILLS;
}

/* The last use of the line of request i that it could still find, or 0 (a launch). *why: what it
 * cannot find it for. */
static size_t use_before(const struct weir_tape *t, size_t i, enum weir_miss_cause *why) {
  *why = WEIR_COMPULSORY;
  bool is_ended = false;
  for (size_t k = i; k-- > 0;) {
    const struct weir_taped *r = &t->v[k];
    if (r->as == WEIR_TAPED_KERNEL && r->is_flushed) return 0;
    if (r->as == WEIR_TAPED_KERNEL || r->addr != t->v[i].addr) continue;
    if (r->as == WEIR_TAPED_ENDS) is_ended = true;
    if (!touches(r)) continue;
    if (is_ended) *why = WEIR_BY_A_STORE;
    return is_ended ? 0 : k;
  }
  return 0;
}

static uint64_t launch_at(const struct weir_tape *t, size_t i) {
  while (t->v[i].as != WEIR_TAPED_KERNEL)
    i--;
  return t->v[i].addr;
}

static enum weir_between between(const struct weir_tape *t, size_t a, size_t b) {
  const struct weir_taped *x = &t->v[a], *y = &t->v[b];
  if (launch_at(t, a) != launch_at(t, b)) return WEIR_EARLIER_LAUNCH;
  if (x->cta != y->cta) return WEIR_SAME_LAUNCH;
  return x->warp != y->warp ? WEIR_SAME_BLOCK : WEIR_SAME_WARP;
}

/* References to a line from the request that began it on. */
static void oracle_chain(struct oracle *o, const struct weir_tape *t, size_t first) {
  enum weir_miss_cause why;
  uint64_t n = 0;
  size_t first_load = 0;
  for (size_t i = first, last = first; i < t->n; i++) {
    if (t->v[i].addr != t->v[first].addr || !touches(&t->v[i])) continue;
    if (i != first && use_before(t, i, &why) != last) break;
    last = i;
    if (!refers(&t->v[i])) continue;
    if (n++ == 0) first_load = i;
  }
  if (n == 0) return;
  struct weir_locality *v = &o->of[t->v[first_load].insn];
  v->lines++;
  v->reuse[n < 4 ? n - 1 : 3]++;
  v->lone += n == 1 && first_load == first;
}

static void oracle_gone(struct oracle *o, const struct weir_tape *t, uint32_t gone, size_t by) {
  if (gone == UINT32_MAX) return;
  const struct weir_taped *brought = &t->v[o->brought_by[gone]];
  o->evicted_by[gone] = by;
  if (brought->as == WEIR_TAPED_FILLS) return;
  o->of[brought->insn].evicted++;
  o->of[brought->insn].used[__builtin_popcount(o->used[gone])]++;
}

static void oracle_use(struct oracle *o, const struct weir_tape *t, size_t i, bool is_sectored) {
  uint32_t line = (uint32_t)(t->v[i].addr / LINE), at;
  if (!plain_find(&o->l1, line, &at)) {
    o->valid[line] = o->used[line] = 0;
    o->brought_by[line] = i;
  } else if (refers(&t->v[i])) {
    o->used[line] |= t->v[i].sectors & o->valid[line];
  }
  o->valid[line] |= is_sectored ? t->v[i].sectors : 15;
  oracle_gone(o, t, plain_use(&o->l1, line), i);
  for (uint32_t n = 1; n <= N_LINES; n++)
    plain_use(&o->any[n], line);
}

static void oracle_lost(struct oracle *o, const struct weir_tape *t, size_t i) {
  struct weir_locality *v = &o->of[t->v[i].insn];
  size_t by = o->evicted_by[t->v[i].addr / LINE];
  enum weir_between who = between(t, by, i);
  int a = (int)(t->v[by].cta * N_WARPS + t->v[by].warp);
  int b = (int)(t->v[i].cta * N_WARPS + t->v[i].warp);
  v->lost[who]++;
  if (who != WEIR_EARLIER_LAUNCH) v->lost_warps[weir_distance_bin((uint64_t)abs(a - b))]++;
  if (t->v[by].as != WEIR_TAPED_FILLS) o->evictions[t->v[by].insn][t->v[i].insn][who]++;
}

static void oracle_again(struct oracle *o, const struct weir_tape *t, size_t i, size_t before) {
  struct weir_locality *v = &o->of[t->v[i].insn];
  uint32_t line = (uint32_t)(t->v[i].addr / LINE), at, needs = 1, access = 0;
  for (size_t k = before + 1; k < i; k++)
    access += refers(&t->v[k]);
  while (needs <= N_LINES && !plain_find(&o->any[needs], line, &at))
    needs++;
  for (uint32_t n = needs; n <= N_LINES; n++) /* more lines never hurt */
    assert_true(plain_find(&o->any[n], line, &at));
  v->access[weir_distance_bin(access)]++;
  v->stack[weir_distance_bin(needs - 1)]++;
  uint32_t size = 0;
  while (1u << size < needs)
    size++;
  v->needs[size]++;
  v->fits += needs <= o->l1.sets * o->l1.ways;
  v->after[between(t, before, i)]++;
  v->after_access[between(t, before, i)][weir_distance_bin(access)]++;
  if (plain_find(&o->l1, line, &at)) {
    v->cause[(t->v[i].sectors & ~o->valid[line]) == 0 ? WEIR_NO_MISS : WEIR_SECTOR]++;
  } else {
    v->cause[needs <= o->l1.sets * o->l1.ways ? WEIR_CONFLICT : WEIR_CAPACITY]++;
    oracle_lost(o, t, i);
  }
}

static void oracle_bounds(struct oracle *o, const struct weir_tape *t) {
  for (int chunks = 0; chunks < 2; chunks++) {
    struct weir_opt opt;
    assert_int_equal(weir_opt_run(t, chunks ? 4 : 1, 0, &opt, NULL), WEIR_OK);
    for (size_t i = 0; i < t->n; i++)
      if (opt.says[i] & WEIR_OPT_HIT) {
        o->of[t->v[i].insn].opt += chunks == 0;
        o->of[t->v[i].insn].opt_chunk += chunks == 1;
      }
    weir_opt_free(&opt);
  }
}

static void oracle_run(struct oracle *o, const struct weir_tape *t, const struct weir_machine *m) {
  *o = (struct oracle){.l1 = {.sets = (uint32_t)m->l1.sets, .ways = (uint32_t)m->l1.ways}};
  for (uint32_t n = 1; n <= N_LINES; n++)
    o->any[n] = (struct plain){.sets = 1, .ways = n};
  for (size_t i = 0; i < t->n; i++) {
    const struct weir_taped *r = &t->v[i];
    enum weir_miss_cause why;
    if (r->as == WEIR_TAPED_KERNEL && r->is_flushed) {
      memset(o->l1.n, 0, sizeof o->l1.n);
      for (uint32_t n = 1; n <= N_LINES; n++)
        o->any[n].n[0] = 0;
    }
    if (r->as == WEIR_TAPED_PAST) o->of[r->insn].past++;
    if (r->as == WEIR_TAPED_ENDS) {
      plain_remove(&o->l1, (uint32_t)(r->addr / LINE));
      for (uint32_t n = 1; n <= N_LINES; n++)
        plain_remove(&o->any[n], (uint32_t)(r->addr / LINE));
    }
    if (!touches(r)) continue;
    size_t before = use_before(t, i, &why);
    if (before == 0) oracle_chain(o, t, i);
    if (refers(r)) {
      struct weir_locality *v = &o->of[r->insn];
      v->references++;
      for (uint32_t bit = 0; bit < 4; bit++)
        v->sectors += r->sectors >> bit & 1;
      v->answered += r->as == WEIR_TAPED_HIT;
      v->pending += r->as == WEIR_TAPED_PENDING || r->as == WEIR_TAPED_LATE;
      v->sent += r->as > WEIR_TAPED_LATE;
      v->partial += r->as == WEIR_TAPED_PARTIAL;
      if (before == 0)
        v->first++, v->cause[why]++;
      else
        oracle_again(o, t, i, before);
    }
    oracle_use(o, t, i, m->l1.sectored);
  }
  oracle_bounds(o, t);
}

/* ---- random tapes ---- */

static uint64_t rng = 1;
static uint32_t any(uint32_t n) {
  rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(rng >> 33) % n;
}

static struct weir_tape random_tape(size_t n, uint32_t lines, uint32_t n_lines) {
  struct weir_tape t = {.v = room};
  uint64_t launch = 0;
  room[t.n++] = (struct weir_taped){.as = WEIR_TAPED_KERNEL, .lines = lines, .is_flushed = true};
  while (t.n < n) {
    struct weir_taped r = {.addr = (uint64_t)any(n_lines) * LINE,
                           .cta = any(3),
                           .warp = any(N_WARPS),
                           .insn = any(N_INSNS),
                           .sectors = (uint16_t)(1 + any(15)),
                           .as = (uint8_t)(WEIR_TAPED_HIT + any(7))};
    uint32_t what = any(100);
    if (what < 1)
      r = (struct weir_taped){
          .as = WEIR_TAPED_KERNEL, .addr = ++launch, .lines = lines, .is_flushed = any(2) != 0};
    else if (what < 14)
      r.as = what < 8 ? WEIR_TAPED_ENDS : what < 12 ? WEIR_TAPED_FILLS : WEIR_TAPED_STORE;
    room[t.n++] = r;
  }
  return t;
}

static void compare(const struct weir_locality_set *s, const struct oracle *o) {
  struct weir_locality none = {0};
  for (uint32_t insn = 0; insn < N_INSNS; insn++) {
    uint32_t id = s->kernels.v[0].load[insn];
    const struct weir_locality *v = id != 0 ? &s->loads.v[id - 1].of : &none;
    const uint64_t *got = (const uint64_t *)v, *want = (const uint64_t *)&o->of[insn];
    for (size_t i = 0; i < sizeof *v / sizeof *got; i++)
      if (got[i] != want[i])
        fail_msg("load %u, word %zu: %ju, want %ju", insn, i, (uintmax_t)got[i],
                 (uintmax_t)want[i]);
  }
  uint64_t n = 0;
  for (size_t i = 0; i < s->evictions.n; i++) {
    const struct weir_eviction *e = &s->evictions.v[i];
    for (uint32_t w = 0; w < WEIR_BETWEENS; w++, n++)
      assert_int_equal(e->n[w], o->evictions[s->loads.v[e->by].insn][s->loads.v[e->of].insn][w]);
  }
  for (uint32_t a = 0; a < N_INSNS; a++)
    for (uint32_t b = 0; b < N_INSNS; b++) {
      uint64_t want = 0;
      for (uint32_t w = 0; w < WEIR_BETWEENS; w++)
        want += o->evictions[a][b][w];
      if (want > 0) n -= WEIR_BETWEENS;
    }
  assert_int_equal(n, 0); /* none is missing, none is there twice */
}

static void test_against_search(void **state) {
  (void)state;
  static const uint32_t sizes[][2] = {{1, 1}, {1, 4}, {2, 2}, {4, 2}, {8, 1}, {4, 4}};
  static struct oracle o;
  for (uint32_t k = 0; k < 120; k++) {
    const uint32_t *size = sizes[k % COUNT(sizes)];
    const struct weir_machine m = machine_of(size[0], size[1], k & 1);
    struct weir_tape t = random_tape(50 + any(400), size[0] * size[1], 4 + any(N_LINES - 4));
    struct weir_locality_set s;
    analyse(&s, &m, &t, N_INSNS, N_WARPS, 1 + any(40));
    oracle_run(&o, &t, &m);
    compare(&s, &o);
    weir_locality_free(&s);
  }
}

/* Enough lines and steps that the stack moves its places together, again and again. */
static void test_large_stack(void **state) {
  (void)state;
  enum { N = 3000, STEPS = 40000 };
  static uint32_t order[N]; /* the newest first */
  uint32_t n = 0, depth;
  struct weir_stack s = {0};
  for (uint32_t i = 0; i < STEPS; i++) {
    uint32_t line = any(2) ? any(N) : any(50), at = 0;
    while (at < n && order[at] != line)
      at++;
    assert_true(weir_stack_touch(&s, line, &depth));
    assert_int_equal(depth, at < n ? at : WEIR_NOT_THERE);
    if (at == n) n++;
    memmove(&order[1], &order[0], at * sizeof *order);
    order[0] = line;
    if (i == STEPS / 2) {
      weir_stack_clear(&s);
      n = 0;
    }
  }
  weir_stack_free(&s);
}

/* Two SMs and two launches are told apart, and one that was not announced is an error. */
static void test_sms(void **state) {
  (void)state;
  const struct weir_machine m = machine_of(1, 4, false);
  struct weir_tape t = tape_of("ab", 4);
  struct weir_locality_set s;
  struct weir_locality sum;
  struct weir_err err;
  analyse(&s, &m, &t, 1, 1, 4);
  assert_int_equal(weir_locality_tape(&s, 1, &t, &err), WEIR_OK);
  weir_locality_sum(&s, 0, &sum);
  assert_int_equal(sum.first, 4); /* each has them for the first time */
  assert_int_equal(s.kernels.v[0].stretches.v[0].fresh, 4);
  t.v[0].addr = 1;
  assert_int_equal(weir_locality_tape(&s, 1, &t, &err), WEIR_EBUG);
  assert_contains(err.msg, "launch 1");
  weir_locality_free(&s);
}

static int try_all(void) {
  const struct weir_machine m = machine_of(2, 2, false);
  struct weir_tape t = random_tape(200, 4, 20);
  struct weir_locality_set s;
  bool ok = weir_locality_begin(&s, &m, 8, NULL) == WEIR_OK;
  for (size_t i = 0; ok && i < t.n; i++)
    if (t.v[i].as == WEIR_TAPED_KERNEL)
      ok = weir_locality_launch(&s, 0, N_INSNS, N_WARPS, NULL) == WEIR_OK;
  ok = ok && weir_locality_tape(&s, 0, &t, NULL) == WEIR_OK;
  weir_locality_free(&s);
  return ok;
}

static void test_no_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(try_all) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bins),
      cmocka_unit_test(test_distances),
      cmocka_unit_test(test_reuse),
      cmocka_unit_test(test_causes),
      cmocka_unit_test(test_contention),
      cmocka_unit_test(test_used),
      cmocka_unit_test(test_footprint),
      cmocka_unit_test(test_empty_places),
      cmocka_unit_test(test_against_search),
      cmocka_unit_test(test_large_stack),
      cmocka_unit_test(test_sms),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
