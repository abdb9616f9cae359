/* The most hits that there can be: against hand-made streams, a search of all choices, and Belady's
 * rule written down plainly; and through the engine, where no L1 may have more. */
#include <stdio.h>
#include <stdlib.h>

#include "l1/opt.h"
#include "rig_rep.h"

enum { MOST = 4096 };

static struct weir_taped room[MOST];

/* "abA": lower case is a load of line a, b; upper case a store that ends it; '+x' a store that
 * fills it; '=x' a store after which it stays; '!x' a load that goes past; '|' a kernel that begins
 * with an empty L1, '/' one that does not. */
static struct weir_tape tape_of(const char *text, uint32_t lines) {
  struct weir_tape t = {.v = room};
  room[t.n++] = (struct weir_taped){
      .as = WEIR_TAPED_KERNEL, .lines = lines, .is_flushed = true, .op = WEIR_OTHER};
  for (const char *s = text; *s != '\0'; s++) {
    struct weir_taped r = {.as = WEIR_TAPED_MISS, .op = WEIR_LOAD};
    if (*s == '|' || *s == '/') {
      r = (struct weir_taped){
          .as = WEIR_TAPED_KERNEL, .lines = lines, .is_flushed = *s == '|', .op = WEIR_OTHER};
    } else if (*s == '+' || *s == '=') {
      r.op = WEIR_STORE;
      r.as = *s == '+' ? WEIR_TAPED_FILLS : WEIR_TAPED_STORE;
      r.addr = (uint64_t)(*++s) * 128;
    } else if (*s == '!') {
      r.as = WEIR_TAPED_PAST;
      r.addr = (uint64_t)(*++s) * 128;
    } else if (*s < 'a') {
      r.op = WEIR_STORE;
      r.as = WEIR_TAPED_ENDS;
      r.addr = (uint64_t)(*s - 'A' + 'a') * 128;
    } else
      r.addr = (uint64_t)*s * 128;
    room[t.n++] = r;
  }
  return t;
}

static uint64_t hits_of(const char *text, uint32_t lines) {
  struct weir_tape t = tape_of(text, lines);
  struct weir_opt o;
  assert_int_equal(weir_opt_run(&t, 1, 0, &o, NULL), WEIR_OK);
  uint64_t hits = o.hits;
  weir_opt_free(&o);
  return hits;
}

static void test_by_hand(void **state) {
  (void)state;
  assert_int_equal(hits_of("abcabc", 1), 1); /* one of them is kept */
  assert_int_equal(hits_of("abcabc", 2), 2);
  assert_int_equal(hits_of("abcabc", 3), 3);
  assert_int_equal(hits_of("aabbcc", 1), 3);
  assert_int_equal(hits_of("abcdabcdabcd", 2), 4); /* LRU has none */
  assert_int_equal(hits_of("abab", 0), 0);
  assert_int_equal(hits_of("aAa", 4), 0); /* a store ended it */
  assert_int_equal(hits_of("a=aa", 4), 1);
  assert_int_equal(hits_of("+aa", 4), 1); /* a store brought it */
  assert_int_equal(hits_of("+aA+aa", 4), 1);
  assert_int_equal(hits_of("!a!aa", 4), 0); /* what goes past brings nothing */
  assert_int_equal(hits_of("a!aa", 1), 1);  /* and takes nothing away */
  assert_int_equal(hits_of("a|a", 4), 0);
  assert_int_equal(hits_of("a/a", 4), 1);
  assert_int_equal(hits_of("ab/ab|ab", 1), 1);
  assert_int_equal(hits_of("", 4), 0);
}

/* Which requests: a line that is kept says so where it was used before. */
static void test_says(void **state) {
  (void)state;
  struct weir_tape t = tape_of("abab=bb", 1);
  struct weir_opt o;
  assert_int_equal(weir_opt_run(&t, 1, 0, &o, NULL), WEIR_OK);
  static const uint8_t want[] = {0, /* kernel */
                                 WEIR_OPT_KEEP,
                                 0,
                                 WEIR_OPT_HIT,
                                 WEIR_OPT_KEEP,
                                 WEIR_OPT_KEEP,
                                 WEIR_OPT_HIT};
  assert_memory_equal(o.says, want, sizeof want);
  assert_int_equal(o.hits, 2);
  assert_int_equal(o.loads, 5);
  weir_opt_free(&o);
  /* Twice the lines, and one more. */
  t = tape_of("abcabc", 1);
  assert_int_equal(weir_opt_run(&t, 2, 0, &o, NULL), WEIR_OK);
  assert_int_equal(o.hits, 2);
  weir_opt_free(&o);
  assert_int_equal(weir_opt_run(&t, 2, 1, &o, NULL), WEIR_OK);
  assert_int_equal(o.hits, 3);
  weir_opt_free(&o);
}

/* ---- all choices ---- */

/* The most hits from request i on, with these lines in the L1 (bits). After each load or filling
 * store any part of what is there and its line may stay. */
static uint64_t search(const char *text, unsigned at, unsigned in, unsigned lines) {
  uint64_t best = 0;
  if (text[at] == '\0') return 0;
  bool ends = text[at] < 'a', fills = text[at] == '+';
  if (fills) at++;
  unsigned line = 1u << (text[at] - (ends && !fills ? 'A' : 'a'));
  if (ends && !fills) return search(text, at + 1, in & ~line, lines);
  uint64_t hit = !fills && (in & line) ? 1 : 0;
  unsigned all = in | line;
  for (unsigned stay = all;; stay = (stay - 1) & all) {
    if ((unsigned)__builtin_popcount(stay) <= lines) {
      uint64_t n = hit + search(text, at + 1, stay, lines);
      if (n > best) best = n;
    }
    if (stay == 0) break;
  }
  return best;
}

static void test_all_choices(void **state) {
  (void)state;
  uint64_t x = 1;
  char text[32];
  for (unsigned k = 0; k < (IS_SANITIZED ? 40 : 400); k++) {
    unsigned n = 0;
    for (unsigned i = 0; i < 8; i++) {
      x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      unsigned what = (unsigned)(x >> 40) % 10;
      char name = (char)('a' + (x >> 50) % 4);
      if (what == 0) text[n++] = '+';
      text[n++] = what == 1 ? (char)(name - 'a' + 'A') : name;
    }
    text[n] = '\0';
    for (unsigned lines = 1; lines <= 3; lines++)
      assert_int_equal(hits_of(text, lines), search(text, 0, 0, lines));
  }
}

/* ---- the rule, plainly ---- */

static uint64_t next_use(const struct weir_tape *t, size_t i, uint64_t addr) {
  for (size_t k = i + 1; k < t->n; k++)
    if (t->v[k].addr == addr && t->v[k].as != WEIR_TAPED_KERNEL)
      return t->v[k].as == WEIR_TAPED_ENDS ? UINT64_MAX : k;
  return UINT64_MAX;
}

static uint64_t plain_hits(const struct weir_tape *t, uint32_t lines) {
  uint64_t in[64], hits = 0;
  uint32_t n = 0;
  for (size_t i = 1; i < t->n; i++) {
    const struct weir_taped *r = &t->v[i];
    uint32_t at = 0;
    while (at < n && in[at] != r->addr)
      at++;
    if (r->as == WEIR_TAPED_ENDS) {
      if (at < n) in[at] = in[--n];
      continue;
    }
    hits += at < n;
    if (at == n) in[n++] = r->addr;
    if (n <= lines) continue;
    uint32_t far = 0;
    for (uint32_t k = 1; k < n; k++)
      if (next_use(t, i, in[k]) > next_use(t, i, in[far])) far = k;
    in[far] = in[--n];
  }
  return hits;
}

static void test_rule(void **state) {
  (void)state;
  uint64_t x = 7;
  char text[MOST / 2];
  for (unsigned k = 0; k < 30; k++) {
    for (unsigned i = 0; i < sizeof text - 1; i++) {
      x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
      char name = (char)('a' + ((x >> 33) % 26) * ((x >> 50) % 4 + 1) / 4);
      text[i] = (x >> 58) == 0 ? (char)(name - 'a' + 'A') : name;
    }
    text[sizeof text - 1] = '\0';
    uint32_t lines = 1 + k % 20;
    struct weir_tape t = tape_of(text, lines);
    assert_int_equal(hits_of(text, lines), plain_hits(&t, lines));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_says),
                                     cmocka_unit_test(test_all_choices),
                                     cmocka_unit_test(test_rule)};
  return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
