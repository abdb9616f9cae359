/* The decoupled sectored cache: who shares a frame, who loses what to whom, and the same by a model
 * that is written the other way round. dsc SOURCE_FOLDER */
#include "rig_tsc.h"

static const char *folder;
static const struct weir_part *const part = &weir_org_dsc.part;
static struct rig g;
static struct part_cfg cfg;
#define STAT(f) (*part_stat(part, rig_part(&g, 0)->stats, #f))

static void init(uint32_t tags) {
  memset(&g, 0, sizeof g);
  part_defaults(part, &cfg);
  part_put(part, &cfg, "tags", tags);
  g.d = (struct weir_design){.org = &weir_org_dsc, .paranoid = true, .seed = 1};
}

/* One set of so many frames, whose lines have four sectors. */
static void open_l1(const char *ways, const char *more) {
  g.d.org_cfg = &cfg;
  rig_open(&g, ways, "l1.mshr_merge=64", "l1.mshr_entries=64", more, NULL);
}

static void reads(uint64_t line, uint32_t sectors, int outcome) {
  int got = rig_read(&g, line, sectors);
  if (got != outcome) fail_msg("line %d, sectors %x: outcome %d", (int)line, sectors, got);
}

enum { A, B, C, D, E };

/* ---- one frame ---- */

/* Two lines that want the same sector: the second gets a tag and takes it from the first. */
static void test_conflict(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=1", NULL);
  reads(A, 0x3, WEIR_MISS);
  reads(B, 0x1, WEIR_MISS);
  rig_expect(&g, 0, A, 0x2);
  rig_expect(&g, 1, B, 0x1);
  reads(A, 0x2, WEIR_HIT);
  reads(B, 0x1, WEIR_HIT);
  reads(A, 0x1, WEIR_PARTIAL);
  rig_expect(&g, 0, A, 0x3);
  rig_expect_empty(&g, 1); /* it had nothing else */
  assert_int_equal(STAT(stolen), 2);
  assert_int_equal(STAT(emptied), 1);
  assert_int_equal(STAT(victims), 0);
  assert_int_equal(STAT(tags_free), 2);
  assert_int_equal(STAT(reservations), 3);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_COLLATERAL], 1);
  rig_close(&g);
}

/* The tag-split cache keeps both. */
static void test_tagsplit_keeps_both(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, "l1.ways=1", NULL);
  reads(A, 0x3, WEIR_MISS);
  reads(B, 0x1, WEIR_MISS);
  reads(A, 0x3, WEIR_HIT);
  reads(B, 0x1, WEIR_HIT);
  rig_close(&g);
}

static void test_sharing(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=1", NULL);
  reads(A, 0x5, WEIR_MISS);
  reads(B, 0xa, WEIR_MISS);
  reads(A, 0x5, WEIR_HIT);
  reads(B, 0xa, WEIR_HIT);
  assert_int_equal(STAT(stolen), 0);
  /* Both tags are taken: A, which was used before B, goes with all it has. */
  reads(C, 0x1, WEIR_MISS);
  rig_expect(&g, 0, C, 0x1);
  rig_expect(&g, 1, B, 0xa);
  assert_int_equal(STAT(victims), 1);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_REPLACEMENT], 1);
  assert_int_equal(STAT(seen_lines), 1 + 2 + 2);
  assert_int_equal(STAT(seen_sectors), 2 + 4 + 3);
  rig_close(&g);
}

/* ---- frames ---- */

static void test_most_free_places(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=3", NULL);
  reads(A, 0x7, WEIR_MISS);
  rig_expect(&g, 0, A, 0x7);
  reads(B, 0x7, WEIR_MISS); /* three places are free in frames 1 and 2 */
  rig_expect(&g, 2, B, 0x7);
  reads(C, 0x3, WEIR_MISS);
  rig_expect(&g, 4, C, 0x3);
  reads(D, 0xe, WEIR_MISS); /* one place is free in frames 0 and 1, two in frame 2 */
  rig_expect(&g, 5, D, 0xe);
  rig_expect(&g, 4, C, 0x1);
  reads(E, 0x8, WEIR_MISS); /* one in frames 0 and 1 */
  rig_expect(&g, 1, E, 0x8);
  rig_close(&g);
}

/* Of frames that are as full, that whose losers were not used for longest. */
static void test_losers_by_age(void **state) {
  (void)state;
  init(4);
  open_l1("l1.ways=3", NULL);
  reads(A, 0xf, WEIR_MISS);
  reads(B, 0xf, WEIR_MISS);
  reads(C, 0xf, WEIR_MISS);
  reads(A, 0xf, WEIR_HIT);
  reads(D, 0x6, WEIR_MISS);
  rig_expect(&g, 4, B, 0x9);
  rig_expect(&g, 5, D, 0x6);
  reads(E, 0x1, WEIR_MISS); /* C is the oldest now but for B, which would lose sector 0 */
  rig_expect(&g, 4, B, 0x8);
  rig_expect(&g, 6, E, 0x1);
  rig_close(&g);
}

/* A line's sectors lie in its frame, though another one is empty. */
static void test_own_frame(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=2", NULL);
  reads(A, 0x1, WEIR_MISS);
  reads(B, 0xe, WEIR_MISS); /* beside A, where as many places are free as in frame 1 */
  rig_expect(&g, 1, B, 0xe);
  reads(A, 0x2, WEIR_PARTIAL);
  rig_expect(&g, 0, A, 0x3);
  rig_expect(&g, 1, B, 0xc);
  rig_expect_empty(&g, 2);
  rig_close(&g);
}

/* Whoever was hit, waited for or asked for more last, stays. */
static void test_lru(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=2", NULL);
  reads(A, 0x1, WEIR_MISS);
  reads(B, 0x2, WEIR_MISS);
  reads(C, 0x4, WEIR_MISS);
  assert_int_equal(rig_load(&g, D, 0x1), WEIR_MISS); /* sector 0 is free in frame 1 */
  rig_expect(&g, 0, A, 0x1);
  rig_expect(&g, 1, B, 0x2);
  rig_expect(&g, 2, C, 0x4);
  rig_expect(&g, 3, D, 0x1);
  assert_int_equal(rig_load(&g, D, 0x1), WEIR_HIT_PENDING);
  rig_settle(&g);
  reads(A, 0x1, WEIR_HIT);
  reads(B, 0x6, WEIR_PARTIAL);
  reads(E, 0x8, WEIR_MISS); /* C is the oldest */
  rig_expect(&g, 2, E, 0x8);
  reads(C, 0x8, WEIR_MISS); /* D is; its frame has E's sector 3, which E loses, and its tag */
  rig_expect(&g, 3, C, 0x8);
  rig_expect_empty(&g, 2);
  rig_close(&g);
}

/* ---- sectors on their way ---- */

static void test_waits(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=1", NULL);
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, B, 0x3), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(rig_load(&g, B, 0x2), WEIR_MISS);
  assert_int_equal(rig_load(&g, B, 0x1), RIG_REFUSED + WEIR_NO_LINE); /* of a line that is there */
  assert_int_equal(rig_load(&g, C, 0x4), RIG_REFUSED + WEIR_NO_LINE); /* both tags wait */
  assert_int_equal(rig_reply(&g, 0), 1);
  assert_int_equal(rig_load(&g, B, 0x1), WEIR_PARTIAL);
  rig_expect(&g, 1, B, 0x3);
  rig_expect_empty(&g, 0);
  assert_int_equal(STAT(stolen_pending), 0);
  rig_close(&g);
}

static void test_takes(void **state) {
  (void)state;
  init(2);
  part_put(part, &cfg, "take_pending", true);
  open_l1("l1.ways=1", NULL);
  assert_int_equal(rig_load(&g, A, 0x5), WEIR_MISS);
  assert_int_equal(rig_load(&g, B, 0x1), WEIR_MISS);
  rig_expect(&g, 0, A, 0x4);
  rig_expect(&g, 1, B, 0x1);
  assert_int_equal(STAT(stolen_pending), 1);
  /* It is still on its way to whoever waits, and nothing more is sent for it. */
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_HIT_PENDING);
  assert_int_equal(g.n_sent, 2);
  assert_int_equal(rig_reply(&g, 0), 2);
  rig_expect(&g, 0, A, 0x4);
  assert_int_equal(rig_reply(&g, 0), 1);
  reads(B, 0x1, WEIR_HIT);
  reads(A, 0x4, WEIR_HIT);
  reads(A, 0x1, WEIR_PARTIAL);
  rig_close(&g);
}

/* A line that lost all it waited for has no tag; its waiter gets its data. */
static void test_takes_all(void **state) {
  (void)state;
  init(2);
  part_put(part, &cfg, "take_pending", true);
  open_l1("l1.ways=1", NULL);
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, B, 0x1), WEIR_MISS);
  rig_expect_empty(&g, 0);
  assert_int_equal(STAT(emptied), 1);
  assert_int_equal(rig_load(&g, A, 0x3), WEIR_PARTIAL); /* its MSHR entry lives */
  assert_int_equal(g.sent[2].parts, 0x2);
  rig_expect(&g, 0, A, 0x2);
  assert_int_equal(rig_reply(&g, 0), 1);
  assert_int_equal(rig_reply(&g, 1), 1);
  rig_expect(&g, 0, A, 0x2);
  assert_int_equal(rig_reply(&g, 0), 1);
  rig_close(&g);
}

/* All tags wait: no line can go. */
static void test_full(void **state) {
  (void)state;
  init(1);
  open_l1("l1.ways=2", NULL);
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, B, 0x1), WEIR_MISS);
  assert_int_equal(rig_load(&g, C, 0x1), RIG_REFUSED + WEIR_NO_LINE);
  rig_reply(&g, 1);
  assert_int_equal(rig_load(&g, C, 0x1), WEIR_MISS);
  rig_expect(&g, 1, C, 0x1);
  rig_close(&g);
}

/* ---- stores, kernels ---- */

static void test_store(void **state) {
  (void)state;
  init(2);
  open_l1("l1.ways=1", NULL);
  reads(A, 0x3, WEIR_MISS);
  reads(B, 0xc, WEIR_MISS);
  rig_store(&g, A, 0x1);
  rig_expect(&g, 0, A, 0x2);
  rig_store(&g, A, 0xe); /* sectors of B are not A's */
  rig_expect_empty(&g, 0);
  rig_expect(&g, 1, B, 0xc);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_STORE], 1);
  /* On its way: its waiters get it, and it is gone. */
  assert_int_equal(rig_load(&g, A, 0x3), WEIR_MISS);
  rig_store(&g, A, 0x1);
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_HIT_PENDING);
  assert_int_equal(rig_reply(&g, 0), 2);
  rig_expect(&g, 0, A, 0x2);
  assert_int_equal(rig_load(&g, A, 0x1), WEIR_PARTIAL);
  rig_store(&g, A, 0xf);
  rig_settle(&g);
  rig_expect_empty(&g, 0);
  rig_kernel(&g);
  rig_expect_empty(&g, 1);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_FLUSH], 1);
  reads(C, 0x1, WEIR_MISS);
  rig_expect(&g, 0, C, 0x1);
  rig_close(&g);
}

/* Where stores would keep or take lines, they go through and change nothing. */
static void test_store_through(void **state) {
  (void)state;
  static const char *const writes[] = {"l1.write=through", "l1.write=alloc_nofetch"};
  for (unsigned i = 0; i < 2; i++) {
    init(2);
    open_l1("l1.ways=1", writes[i]);
    reads(A, 0x3, WEIR_MISS);
    rig_store(&g, A, 0xf);
    rig_store(&g, B, 0xf);
    rig_expect(&g, 0, A, 0x3);
    rig_expect_empty(&g, 1);
    rig_close(&g);
  }
}

/* ---- several tags at once ---- */

static enum weir_shortage present_at(uint64_t now, uint64_t line) {
  struct weir_l1_req q = {.a = {.addr = line * RIG_LINE, .sectors = 1, .full = 1, .op = WEIR_LOAD},
                          .id = g.next_id++};
  struct weir_l1_result r = weir_l1_present(g.l1, &q, 0, g.now = now);
  return r.answer == WEIR_L1_FAILED ? r.why : WEIR_N_SHORTAGES;
}

/* A load that ends `n` lines holds the port n cycles. */
static void test_port(void **state) {
  (void)state;
  for (uint32_t n = 0; n <= 4; n++) {
    init(4);
    open_l1("l1.ways=1", "l1.probes_per_cycle=1");
    for (uint64_t i = 0; i < n; i++)
      reads(10 + i, 1u << i, WEIR_MISS);
    if (n < 4) reads(50, 0x8, WEIR_MISS);
    uint32_t wants = (1u << n) - 1;
    reads(A, wants != 0 ? wants : 0x1, WEIR_MISS);
    uint32_t longer = n > 1 ? n - 1 : 0;
    assert_int_equal(STAT(extra_repl_cycles), longer);
    rig_close(&g);
  }
  init(4);
  open_l1("l1.ways=1", NULL);
  for (uint64_t i = 0; i < 3; i++)
    reads(10 + i, 1u << i, WEIR_MISS);
  assert_int_equal(rig_load(&g, A, 0x7), WEIR_MISS); /* ends three lines */
  uint64_t then = g.now;
  assert_int_equal(present_at(then + 1, B), WEIR_NO_DATA_PORT);
  assert_int_equal(present_at(then + 2, B), WEIR_NO_DATA_PORT);
  assert_int_equal(present_at(then + 3, A), WEIR_N_SHORTAGES);
  g.now = then + 10;
  rig_close(&g);
}

/* ---- the same by other means ---- */

/* A frame as hardware has it: places that point to tags. */
enum { FRAMES = 4, PLACES = 4, MOST_TAGS = 4, SETS = 2, LINES = 40 };
enum { FREE, WAITS, THERE };
struct place {
  int state, tag;
};
struct frame {
  struct place place[PLACES];
  int64_t line[MOST_TAGS]; /* -1: the tag is free */
  uint64_t used[MOST_TAGS];
};
static struct model {
  struct frame set[SETS][FRAMES];
  uint32_t asked[LINES], spoilt[LINES]; /* sectors of lines that were sent for; then written */
  uint64_t clock, stolen, emptied, victims;
  int tags;
  bool takes;
} m;

static void model_init(int tags, bool takes) {
  memset(&m, 0, sizeof m);
  m.tags = tags;
  m.takes = takes;
  for (int i = 0; i < SETS * FRAMES * MOST_TAGS; i++)
    m.set[i / MOST_TAGS / FRAMES][i / MOST_TAGS % FRAMES].line[i % MOST_TAGS] = -1;
}

static bool model_holds(const struct frame *f, int tag) {
  for (int i = 0; i < PLACES; i++)
    if (f->place[i].state != FREE && f->place[i].tag == tag) return true;
  return false;
}

static bool model_waits(const struct frame *f, int tag) {
  for (int i = 0; i < PLACES; i++)
    if (f->place[i].state == WAITS && f->place[i].tag == tag) return true;
  return false;
}

static void model_leave(struct frame *f, int i) {
  int tag = f->place[i].tag;
  f->place[i].state = FREE;
  if (!model_holds(f, tag)) f->line[tag] = -1;
}

static struct frame *model_find(int64_t line, int *tag) {
  struct frame *set = m.set[line % SETS];
  for (int f = 0; f < FRAMES; f++)
    for (*tag = 0; *tag < m.tags; ++*tag)
      if (set[f].line[*tag] == line) return &set[f];
  return NULL;
}

/* Are the places to be had by a tag? */
static bool model_is_open(const struct frame *f, int tag, uint32_t fetch) {
  for (int i = 0; i < PLACES && !m.takes; i++)
    if ((fetch >> i & 1) && f->place[i].state == WAITS && f->place[i].tag != tag) return false;
  return true;
}

/* Better than others: free places first, then the age of those who would lose some. */
static double model_worth(const struct frame *f, uint32_t fetch) {
  double n = 0;
  uint64_t latest = 0;
  for (int i = 0; i < PLACES; i++) {
    if ((fetch >> i & 1) == 0) continue;
    if (f->place[i].state == FREE)
      n++;
    else if (f->used[f->place[i].tag] > latest)
      latest = f->used[f->place[i].tag];
  }
  return n - (double)latest / 1e9;
}

static struct frame *model_free_tag(struct frame *set, uint32_t fetch, int *tag) {
  struct frame *best = NULL;
  for (int f = 0; f < FRAMES; f++) {
    int t = 0;
    while (t < m.tags && set[f].line[t] >= 0)
      t++;
    if (t == m.tags || !model_is_open(&set[f], t, fetch) ||
        (best != NULL && model_worth(&set[f], fetch) <= model_worth(best, fetch)))
      continue;
    best = &set[f];
    *tag = t;
  }
  return best;
}

static struct frame *model_oldest(struct frame *set, uint32_t fetch, int *tag) {
  struct frame *best = NULL;
  for (int f = 0; f < FRAMES; f++)
    for (int t = 0; t < m.tags; t++)
      if (!model_waits(&set[f], t) && model_is_open(&set[f], t, fetch) &&
          (best == NULL || set[f].used[t] < best->used[*tag])) {
        best = &set[f];
        *tag = t;
      }
  return best;
}

/* Empty the oldest line; take the places, from others if need be. */
static void model_take(struct frame *f, int tag, int64_t line, uint32_t fetch) {
  if (f->line[tag] != line && f->line[tag] >= 0) {
    m.victims++;
    for (int i = 0; i < PLACES; i++)
      if (f->place[i].state != FREE && f->place[i].tag == tag) model_leave(f, i);
  }
  f->line[tag] = line;
  for (int i = 0; i < PLACES; i++) {
    if ((fetch >> i & 1) == 0) continue;
    if (f->place[i].state != FREE) {
      int other = f->place[i].tag;
      model_leave(f, i);
      m.stolen++;
      m.emptied += f->line[other] < 0;
    }
    f->place[i] = (struct place){WAITS, tag};
  }
}

static int model_load(int64_t line, uint32_t want) {
  int tag = 0;
  struct frame *f = model_find(line, &tag);
  uint32_t there = 0;
  for (int i = 0; f != NULL && i < PLACES; i++)
    if (f->place[i].state == THERE && f->place[i].tag == tag) there |= 1u << i;
  uint32_t missing = want & ~there, fetch = missing & ~m.asked[line];
  int outcome = missing == 0 ? WEIR_HIT
                : fetch == 0 ? WEIR_HIT_PENDING
                             : (f != NULL || m.asked[line] != 0 ? WEIR_PARTIAL : WEIR_MISS);
  if (fetch != 0) {
    struct frame *set = m.set[line % SETS];
    if (f != NULL && !model_is_open(f, tag, fetch)) return RIG_REFUSED + WEIR_NO_LINE;
    if (f == NULL) f = model_free_tag(set, fetch, &tag);
    if (f == NULL) f = model_oldest(set, fetch, &tag);
    if (f == NULL) return RIG_REFUSED + WEIR_NO_LINE;
    model_take(f, tag, line, fetch);
    m.asked[line] |= fetch;
  }
  if (f != NULL) f->used[tag] = ++m.clock;
  return outcome;
}

static void model_store(int64_t line, uint32_t sectors) {
  int tag;
  struct frame *f = model_find(line, &tag);
  m.spoilt[line] |= sectors & m.asked[line];
  for (int i = 0; f != NULL && i < PLACES; i++)
    if ((sectors >> i & 1) && f->place[i].state == THERE && f->place[i].tag == tag)
      model_leave(f, i);
}

static void model_reply(int64_t line, uint32_t sectors) {
  int tag;
  struct frame *f = model_find(line, &tag);
  for (int i = 0; f != NULL && i < PLACES; i++) {
    struct place *at = &f->place[i];
    if ((sectors >> i & 1) == 0 || at->state != WAITS || at->tag != tag) continue;
    at->state = THERE;
    if (m.spoilt[line] >> i & 1) model_leave(f, i);
  }
  m.asked[line] &= ~sectors;
  m.spoilt[line] &= ~sectors;
}

static void compare_sets(void) {
  for (uint32_t s = 0; s < SETS; s++) {
    const struct weir_line *l = weir_org_dsc.view(rig_part(&g, 0), s).line;
    for (int w = 0; w < FRAMES * m.tags; w++) {
      const struct frame *f = &m.set[s][w / m.tags];
      uint32_t there = 0, waits = 0;
      for (int i = 0; i < PLACES; i++) {
        if (f->place[i].tag != w % m.tags) continue;
        there |= (uint32_t)(f->place[i].state == THERE) << i;
        waits |= (uint32_t)(f->place[i].state == WAITS) << i;
      }
      assert_int_equal(l[w].tag, f->line[w % m.tags] + 1);
      assert_int_equal(l[w].valid_mask, there);
      assert_int_equal(l[w].pending_mask, waits);
    }
  }
}

static void step(uint64_t *r) {
  uint64_t line = below(r, below(r, 2) ? LINES : LINES / 4);
  uint32_t sectors = below(r, 4) ? 1u << below(r, 4) : 1 + below(r, 15);
  if (below(r, 12) == 0) {
    rig_store(&g, line, sectors);
    model_store((int64_t)line, sectors);
  } else
    assert_int_equal(rig_load(&g, line, sectors), model_load((int64_t)line, sectors));
  compare_sets();
  for (uint32_t late = below(r, 10); g.n_sent > late;) {
    uint32_t i = below(r, g.n_sent);
    struct weir_msg msg = g.sent[i];
    rig_reply(&g, i);
    model_reply((int64_t)(msg.addr / RIG_LINE), msg.parts);
    compare_sets();
  }
}

static void test_model(void **state) {
  (void)state;
  uint64_t pending = 0;
  for (uint64_t seed = 1; seed <= CASES(24); seed++) {
    uint64_t rs = seed, *r = &rs;
    int tags = 1 << below(r, 3);
    bool takes = below(r, 2);
    init((uint32_t)tags);
    part_put(part, &cfg, "take_pending", takes);
    model_init(tags, takes || tags == 1);
    open_l1("l1.ways=4", "l1.sets=2");
    for (unsigned i = 0; i < 4000; i++)
      step(r);
    assert_int_equal(STAT(stolen), m.stolen);
    assert_int_equal(STAT(emptied), m.emptied);
    assert_int_equal(STAT(victims), m.victims);
    assert_true(tags == 1 || m.stolen > 100);
    pending += STAT(stolen_pending);
    rig_close(&g);
  }
  assert_true(pending > 100);
}

/* ---- one tag is a sectored cache ---- */

static struct weir_l1_stats stream(const struct weir_org_ops *org, uint64_t seed) {
  uint64_t *r = &seed;
  init(1);
  g.is_fast = true;
  g.d.paranoid = false;
  if (org == &weir_org_sectored) {
    g.d.org = org;
    rig_add(&g, &weir_policy_lru, NULL);
    rig_open(&g, "l1.sets=8", "l1.mshr_merge=64", "l1.mshr_entries=64", NULL);
  } else
    open_l1("l1.ways=4", "l1.sets=8");
  for (unsigned i = 0; i < 30000; i++) {
    uint64_t line = below(r, 100);
    uint32_t late = below(r, 8), sectors = 1 + below(r, 15);
    while (rig_load(&g, line, sectors) >= RIG_REFUSED)
      rig_reply(&g, 0);
    while (g.n_sent > late)
      rig_reply(&g, below(r, g.n_sent));
  }
  struct weir_l1_stats s = *rig_stats(&g);
  rig_close(&g);
  return s;
}

static void test_one_tag(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    struct weir_l1_stats a = stream(&weir_org_dsc, seed), b = stream(&weir_org_sectored, seed);
    assert_true(a.misses > 1000 && a.hits > 1000 && a.partial_misses > 1000);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

/* ---- the engine ---- */

static void test_engine(void **state) {
  (void)state;
  struct weir_sim_result r;
  uint64_t stolen = 0, longer = 0;
  unsigned done = 0;
  for (uint64_t seed = 1; done < CASES(128); seed++) {
    init(1u << seed % 4);
    part_put(part, &cfg, "take_pending", seed % 5 != 0);
    g.d.org_cfg = &cfg;
    g.d.paranoid = seed % 4 == 0;
    if (!rig_engine_random(&g.d, seed, &r)) continue;
    stolen += *part_stat(part, r.part[0], "stolen");
    longer += *part_stat(part, r.part[0], "extra_repl_cycles");
    done++;
  }
  assert_true(stolen > 0 && longer > 0);
}

static void test_workload(void **state) {
  (void)state;
  init(2);
  g.d.org_cfg = &cfg;
  g.d.paranoid = false;
  const struct launches *l = engine_on_fermi(folder, "spmv", &g.d);
  assert_true(*part_stat(part, l->r[0].part[0], "stolen") > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conflict),      cmocka_unit_test(test_tagsplit_keeps_both),
      cmocka_unit_test(test_sharing),       cmocka_unit_test(test_most_free_places),
      cmocka_unit_test(test_losers_by_age), cmocka_unit_test(test_own_frame),
      cmocka_unit_test(test_lru),           cmocka_unit_test(test_waits),
      cmocka_unit_test(test_takes),         cmocka_unit_test(test_takes_all),
      cmocka_unit_test(test_full),          cmocka_unit_test(test_store),
      cmocka_unit_test(test_store_through), cmocka_unit_test(test_port),
      cmocka_unit_test(test_model),         cmocka_unit_test(test_one_tag),
      cmocka_unit_test(test_engine),        cmocka_unit_test(test_workload)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
