/* The tag-split cache: where chunks go, who leaves, what a load is called.
 *   tagsplit SOURCE_FOLDER */
#include "rig_tsc.h"

static const char *folder;

static struct rig g;

/* Line of a shared and a private tag: one set, 8 private bits. */
static uint64_t line(uint64_t shared, uint64_t own) {
  return shared << 8 | own;
}

static const void *stats(void) {
  return rig_part(&g, 0)->stats;
}

static void set_coarse(bool is_coarse) {
  ((struct weir_tsc_plus_state *)weir_state_edit(rig_part(&g, 1)))->is_coarse = is_coarse;
}

static void open_with_modes(void) {
  part_set(&weir_policy_tsc_plus.part, &g.plus, "mode", "coarse");
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  rig_open(&g, NULL);
}

/* ---- probes ---- */

static void test_mshr_mask(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  assert_int_equal(rig_load(&g, 0, 1), WEIR_MISS);
  assert_int_equal(g.sent[0].sectors, 1);
  assert_int_equal(rig_load(&g, 0, 3), WEIR_PARTIAL);
  assert_int_equal(g.sent[1].sectors, 2);
  assert_int_equal(rig_load(&g, 0, 1), WEIR_HIT_PENDING);
  assert_int_equal(g.n_sent, 2);
  assert_int_equal(rig_reply(&g, 0), 2); /* the first and the third */
  assert_false(weir_l1_is_idle(g.l1));
  assert_int_equal(rig_reply(&g, 0), 1);
  assert_true(weir_l1_is_idle(g.l1));
  assert_int_equal(rig_load(&g, 0, 3), WEIR_HIT);
  rig_close(&g);
}

/* By the chunks asked for, not by the line. */
static void test_classes(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_read(&g, 0, 1);
  assert_int_equal(rig_load(&g, 0, 2), WEIR_MISS); /* another chunk of a line that is there */
  assert_int_equal(rig_load(&g, 0, 4), WEIR_MISS); /* of one that is on its way: joins its entry */
  assert_int_equal(rig_stats(&g)->mshr_merges, 1);
  assert_int_equal(rig_load(&g, 0, 9), WEIR_PARTIAL);
  assert_int_equal(g.last.sectors, 8);
  assert_int_equal(rig_load(&g, 0, 7), WEIR_HIT_PENDING); /* one there, two on their way */
  rig_close(&g);
}

static void test_pending_is_part(void **state) {
  (void)state;
  for (unsigned is_part = 0; is_part < 2; is_part++) {
    rig_init(&g);
    rig_put_tsc(&g, "pending_is_part", is_part);
    rig_open(&g, NULL);
    rig_load(&g, 0, 1);
    assert_int_equal(rig_load(&g, 0, 3), is_part ? WEIR_PARTIAL : WEIR_MISS);
    assert_int_equal(g.last.sectors, 2);
    rig_settle(&g);
    assert_int_equal(rig_load(&g, 0, 5), WEIR_PARTIAL); /* something is there */
    rig_close(&g);
  }
}

/* A partial miss waits for what is missing, whoever sent for it. */
static void test_partial_waits(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_read(&g, 0, 1);
  rig_load(&g, 0, 2);
  assert_int_equal(rig_load(&g, 0, 7), WEIR_PARTIAL);
  assert_int_equal(g.last.sectors, 4);
  assert_int_equal(rig_reply(&g, 1), 0);
  assert_int_equal(rig_reply(&g, 0), 2);
  rig_close(&g);
}

/* Gone again while its entry lives for another chunk: fetched again. */
static void test_fetched_again(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_load(&g, 0, 1);
  rig_load(&g, 0, 2);
  assert_int_equal(rig_reply(&g, 0), 1);
  rig_store(&g, 0, 1);
  assert_int_equal(rig_load(&g, 0, 1), WEIR_MISS);
  assert_int_equal(g.last.sectors, 1);
  assert_int_equal(g.n_sent, 2);
  rig_close(&g);
}

static void test_extra_latency(void **state) {
  (void)state;
  for (int64_t extra = 0; extra < 4; extra++) {
    rig_init(&g);
    rig_put_tsc(&g, "extra_latency", (double)extra);
    rig_open(&g, NULL);
    rig_load(&g, 0, 1);
    assert_int_equal(g.last.at, g.now); /* a miss is sent at once */
    rig_settle(&g);
    struct weir_l1_result r = rig_present(&g, WEIR_LOAD, 0, 1);
    assert_int_equal(r.ready_at, g.now + 10 + (uint64_t)extra);
    rig_close(&g);
  }
}

/* ---- places ---- */

static void test_free_chunks(void **state) {
  (void)state;
  rig_init(&g);
  rig_put_tsc(&g, "whole_group", false);
  rig_open(&g, NULL);
  rig_load(&g, line(1, 0), 4); /* the lowest empty group */
  rig_expect(&g, 0, line(1, 0), 4);
  rig_load(&g, line(2, 0), 3); /* another shared tag: the next group */
  rig_expect(&g, 4, line(2, 0), 1);
  rig_expect(&g, 5, line(2, 0), 2);
  rig_load(&g, line(1, 1), 15); /* matching first, then an empty one */
  rig_expect(&g, 1, line(1, 1), 1);
  rig_expect(&g, 2, line(1, 1), 2);
  rig_expect(&g, 3, line(1, 1), 4);
  rig_expect(&g, 8, line(1, 1), 8);
  assert_int_equal(TSC(stats(), chunks_matching), 3);
  assert_int_equal(TSC(stats(), chunks_empty), 1 + 2 + 1);
  assert_int_equal(TSC(stats(), victims), 0);
  rig_close(&g);
}

static void test_all_pending(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  for (uint64_t i = 0; i < 4; i++)
    assert_int_equal(rig_load(&g, line(i, 0), 15), WEIR_MISS);
  assert_int_equal(rig_load(&g, line(4, 0), 1), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(rig_load(&g, line(0, 1), 1), RIG_REFUSED + WEIR_NO_LINE);
  rig_reply(&g, 0);
  assert_int_equal(rig_load(&g, line(4, 0), 1), WEIR_MISS);
  rig_close(&g);
}

/* A group with a pending chunk keeps its shared tag; its other chunks can go for lines that have
 * that tag. All chunks are found, or none is taken. */
static void test_pending_group(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_read(&g, line(1, 0), 1);
  rig_load(&g, line(1, 1), 1);
  for (uint64_t i = 2; i < 5; i++)
    rig_load(&g, line(i, 0), 15);
  assert_int_equal(rig_load(&g, line(5, 0), 1), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(rig_load(&g, line(1, 2), 15), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(rig_load(&g, line(1, 0), 15), RIG_REFUSED + WEIR_NO_LINE); /* not itself */
  assert_int_equal(rig_load(&g, line(1, 2), 7), WEIR_MISS);
  rig_expect(&g, 0, line(1, 2), 4); /* free chunks first */
  rig_expect(&g, 2, line(1, 2), 1);
  rig_expect(&g, 3, line(1, 2), 2);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_REPLACEMENT], 1);
  assert_int_equal(TSC(stats(), retags), 0);
  rig_close(&g);
}

/* The allocation vector: group 0 (shared 5) holds three chunks, groups 1 to 3 are full with shared
 * 9, and all are used but chunk 1 of group 2. */
static void fill_vector(void) {
  rig_read(&g, line(5, 0), 7);
  for (uint64_t i = 0; i < 3; i++)
    rig_read(&g, line(9, i), 15);
  rig_read(&g, line(5, 9), 1);
  rig_store(&g, line(5, 9), 1);
  rig_read(&g, line(5, 0), 7);
  rig_read(&g, line(9, 0), 15);
  rig_read(&g, line(9, 2), 15);
  rig_read(&g, line(9, 1), 13);
  rig_read(&g, line(5, 0), 7);
  for (uint32_t i = 0; i < 16; i++)
    if (i == 3)
      rig_expect_empty(&g, i);
    else {
      rig_expect(&g, i, i < 3 ? line(5, 0) : line(9, i / 4 - 1), 1u << i % 4);
      assert_int_equal(rig_used(&g, i), i != 9);
    }
}

static void check_vector(const char *nru_age) {
  rig_init(&g);
  rig_set_tsc(&g, "nru_age", nru_age);
  rig_open(&g, NULL);
  fill_vector();
  uint64_t was[WEIR_MAX_PART_STATS];
  memcpy(was, stats(), weir_org_tagsplit.part.stats_bytes);
  assert_int_equal(rig_load(&g, line(5, 1), 2), WEIR_MISS);
  rig_expect(&g, 3, line(5, 1), 2);
  assert_true(rig_used(&g, 3));
  assert_int_equal(TSC(stats(), victims), TSC(was, victims));
  assert_int_equal(TSC(stats(), agings), TSC(was, agings));
  rig_settle(&g);
  assert_int_equal(rig_load(&g, line(7, 0), 4), WEIR_MISS);
  rig_expect(&g, 8, line(7, 0), 4);
  for (uint32_t i = 9; i < 12; i++)
    rig_expect_empty(&g, i);
  assert_int_equal(TSC(stats(), victims), TSC(was, victims) + 1);
  assert_int_equal(TSC(stats(), victims_used), TSC(was, victims_used));
  assert_int_equal(TSC(stats(), retags), TSC(was, retags) + 1);
  assert_int_equal(TSC(stats(), collateral_inval), TSC(was, collateral_inval) + 3);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_REPLACEMENT], 1);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_COLLATERAL], 3);
  bool clears = strcmp(nru_age, "valid") == 0;
  assert_int_equal(TSC(stats(), agings), TSC(was, agings) + clears);
  for (uint32_t i = 0; i < 9; i++)
    assert_int_equal(rig_used(&g, i), !clears);
  if (!clears) /* the bits of the chunks that went */
    for (uint32_t i = 9; i < 12; i++)
      assert_int_equal(rig_used(&g, i), i != 9 && strcmp(nru_age, "all_keep") == 0);
  rig_close(&g);
}

static void test_vector(void **state) {
  (void)state;
  check_vector("valid");
  check_vector("all_keep");
  check_vector("all_zero");
}

static void test_keep_last(void **state) {
  (void)state;
  for (unsigned keep = 0; keep < 2; keep++) {
    rig_init(&g);
    rig_put_tsc(&g, "nru_keep_last", keep);
    rig_open(&g, NULL);
    rig_read(&g, line(1, 0), 3);
    rig_read(&g, line(2, 0), 1);
    rig_read(&g, line(1, 0), 2);
    assert_true(rig_used(&g, 4) && rig_used(&g, 1) && !rig_used(&g, 0));
    rig_read(&g, line(1, 0), 1); /* all are used now */
    assert_int_equal(rig_used(&g, 0), keep);
    assert_false(rig_used(&g, 1) || rig_used(&g, 4));
    rig_close(&g);
  }
}

static void test_prefer_match(void **state) {
  (void)state;
  for (unsigned prefer = 0; prefer < 2; prefer++) {
    rig_init(&g);
    rig_put_tsc(&g, "prefer_match", prefer);
    rig_open(&g, NULL);
    rig_read(&g, line(1, 0), 15);
    for (uint64_t i = 0; i < 3; i++)
      rig_read(&g, line(2, i), 15);
    rig_read(&g, line(1, 0), 15); /* all used: cleared */
    rig_read(&g, line(1, 0), 15);
    rig_load(&g, line(1, 1), 1);
    assert_int_equal(TSC(stats(), victims), 1);
    assert_int_equal(TSC(stats(), victims_used), prefer);
    assert_int_equal(TSC(stats(), retags), !prefer);
    assert_int_equal(TSC(stats(), collateral_inval), prefer ? 0 : 3);
    rig_close(&g);
  }
}

/* Victims are spread over all that can be had. */
static void test_chance(void **state) {
  (void)state;
  uint32_t seen = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    rig_init(&g);
    g.d.seed = seed;
    rig_open(&g, NULL);
    for (uint64_t i = 0; i < 4; i++)
      rig_read(&g, line(1, i), 15);
    rig_read(&g, line(1, 0), 15); /* cleared: all are alike */
    rig_load(&g, line(1, 4), 1);
    for (uint32_t i = 0; i < 16; i++)
      if (rig_way(&g, i).tag == line(1, 4) + 1) seen |= 1u << i;
    rig_close(&g);
  }
  assert_int_equal(seen, 0xffff);
}

/* ---- whole lines ---- */

static void test_coarse(void **state) {
  (void)state;
  rig_init(&g);
  open_with_modes();
  for (uint64_t i = 0; i < 4; i++) {
    assert_int_equal(rig_load(&g, line(1, i), 2), WEIR_MISS);
    assert_int_equal(g.last.sectors, 15);
    for (uint32_t c = 0; c < 4; c++)
      rig_expect(&g, 4 * (uint32_t)i + c, line(1, i), 1u << c);
  }
  assert_int_equal(rig_load(&g, line(1, 0), 1), WEIR_HIT_PENDING);
  assert_int_equal(rig_load(&g, line(2, 0), 1), RIG_REFUSED + WEIR_NO_LINE);
  rig_settle(&g);
  /* The first access of the set cleared its own bits; the others have theirs. */
  assert_int_equal(rig_load(&g, line(1, 0), 1), WEIR_HIT);
  assert_int_equal(rig_load(&g, line(1, 1), 1), WEIR_HIT);
  rig_load(&g, line(1, 2), 1);
  rig_load(&g, line(1, 3), 1);
  uint32_t unused = UINT32_MAX;
  for (uint32_t i = 0; i < 4; i++)
    if (!rig_used(&g, 4 * i)) unused = i;
  assert_int_not_equal(unused, UINT32_MAX);
  assert_int_equal(rig_load(&g, line(2, 0), 1), WEIR_MISS);
  rig_expect(&g, 4 * unused, line(2, 0), 1);
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_REPLACEMENT], 4);
  assert_int_equal(rig_stats(&g)->evictions_unused, 3); /* the touched one was hit again */
  assert_int_equal(TSC(stats(), groups_whole), 5);
  rig_close(&g);
}

/* Of groups without a pending chunk: all unused, then some, then any. */
static void test_coarse_rank(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    rig_init(&g);
    g.d.seed = seed;
    open_with_modes();
    for (uint64_t i = 0; i < 4; i++)
      rig_read(&g, line(1, i), 15);
    set_coarse(false);
    rig_read(&g, line(1, 0), 15); /* cleared */
    rig_read(&g, line(1, 0), 15);
    rig_read(&g, line(1, 2), 15);
    rig_read(&g, line(1, 3), 3); /* used in part; line 1 not at all */
    set_coarse(true);
    rig_load(&g, line(2, 0), 1); /* stays pending */
    rig_expect(&g, 4, line(2, 0), 1);
    rig_load(&g, line(2, 1), 1);
    rig_expect(&g, 12, line(2, 1), 1);
    rig_close(&g);
  }
}

/* A load that touches all chunks in fine mode gets a group of its own too, not places next to a
 * chunk that is pending. Of a line that is there in part the missing chunks lie anywhere. */
static void test_whole_line(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_load(&g, line(1, 0), 2);
  for (uint32_t i = 1; i < 4; i++) {
    assert_int_equal(rig_load(&g, line(1, i), 15), WEIR_MISS);
    for (uint32_t c = 0; c < 4; c++)
      rig_expect(&g, 4 * i + c, line(1, i), 1u << c);
  }
  assert_int_equal(TSC(stats(), groups_whole), 3);
  assert_int_equal(rig_load(&g, line(1, 4), 15), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(rig_load(&g, line(1, 0), 15), WEIR_PARTIAL);
  for (uint32_t c = 0; c < 4; c++)
    rig_expect(&g, c, line(1, 0), c == 1 ? 1 : c == 0 ? 2 : 1u << c);
  rig_close(&g);
}

/* What a stream of whole lines sees, in one number. */
static uint64_t whole_lines(const char *mode, uint64_t seed) {
  uint64_t rs = seed, *r = &rs, sum = 0;
  rig_init(&g);
  g.is_fast = true;
  g.d.seed = seed;
  part_set(&weir_policy_tsc_plus.part, &g.plus, "mode", mode);
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  rig_open(&g, "l1.sets=2", NULL);
  for (uint32_t i = 0; i < 5000; i++) {
    sum = sum * 31 + (uint64_t)rig_load(&g, below(r, 24) * 37, 15);
    if (g.n_sent > below(r, 8)) rig_reply(&g, below(r, g.n_sent));
  }
  assert_true(rig_stats(&g)->hits > 100 && rig_stats(&g)->misses > 100);
  rig_close(&g);
  return sum;
}

/* Where all loads touch whole lines, chunks and lines are the same. */
static void test_modes_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++)
    assert_true(whole_lines("fine", seed) == whole_lines("coarse", seed));
}

/* Both kinds of whole lines chunk by chunk, if that is switched off. */
static void test_not_grouped(void **state) {
  (void)state;
  for (unsigned coarse = 0; coarse < 2; coarse++) {
    rig_init(&g);
    rig_put_tsc(&g, "coarse_group", false);
    rig_put_tsc(&g, "whole_group", false);
    open_with_modes();
    set_coarse(false);
    rig_read(&g, line(1, 0), 1);
    set_coarse(coarse);
    rig_load(&g, line(1, 1), 15);
    rig_expect(&g, 1, line(1, 1), 1);
    rig_expect(&g, 4, line(1, 1), 8);
    rig_close(&g);
  }
  rig_init(&g);
  rig_put_tsc(&g, "whole_group", false);
  open_with_modes();
  set_coarse(false);
  rig_read(&g, line(1, 0), 1);
  rig_load(&g, line(1, 1), 15);
  rig_expect(&g, 1, line(1, 1), 1);
  set_coarse(true);
  rig_load(&g, line(1, 2), 15);
  rig_expect(&g, 8, line(1, 2), 1);
  /* Part of a line: the missing chunks wherever there is room. */
  assert_int_equal(rig_load(&g, line(1, 0), 1), WEIR_PARTIAL);
  assert_int_equal(g.last.sectors, 14);
  rig_close(&g);
}

/* ---- stores ---- */

static void test_store(void **state) {
  (void)state;
  for (unsigned by_line = 0; by_line < 2; by_line++) {
    rig_init(&g);
    rig_set_tsc(&g, "store_inval", by_line ? "line" : "chunk");
    rig_open(&g, NULL);
    rig_read(&g, 0, 7);
    rig_load(&g, 0, 8);
    rig_store(&g, 0, 2);
    rig_expect_empty(&g, 1);
    assert_int_equal(rig_way(&g, 0).tag != 0, !by_line);
    assert_int_equal(rig_reply(&g, 0), 1);
    assert_int_equal(rig_way(&g, 3).tag != 0, !by_line); /* was pending: dropped when it came */
    assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_STORE], by_line ? 4 : 1);
    assert_int_equal(rig_stats(&g)->store_evictions, 1);
    rig_close(&g);
  }
}

static void test_store_pending(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_load(&g, 0, 3);
  rig_store(&g, 0, 1);
  assert_int_equal(rig_load(&g, 0, 1), WEIR_HIT_PENDING); /* joins, and is answered with it */
  assert_int_equal(rig_reply(&g, 0), 2);
  rig_expect_empty(&g, 0);
  rig_expect(&g, 1, 0, 2);
  assert_int_equal(rig_load(&g, 0, 1), WEIR_MISS);
  rig_close(&g);
}

/* Nothing is kept that would have to be written back, and nothing allocated. */
static void test_store_modes(void **state) {
  (void)state;
  static const char *const mode[] = {"l1.write=through", "l1.write=alloc_nofetch"};
  for (unsigned i = 0; i < 2; i++) {
    rig_init(&g);
    rig_open(&g, mode[i], NULL);
    rig_read(&g, 0, 1);
    rig_store(&g, 0, 1);
    rig_store(&g, 1, 15);
    assert_int_equal(rig_load(&g, 0, 1), WEIR_HIT);
    assert_int_equal(rig_load(&g, 1, 1), WEIR_MISS);
    rig_close(&g);
  }
}

/* ---- sizes ---- */

static void test_chunk_64(void **state) {
  (void)state;
  rig_init(&g);
  rig_put_tsc(&g, "chunk_bytes", 64);
  rig_open(&g, NULL);
  assert_int_equal(rig_chain(&g)->geometry.ways, 8);
  assert_int_equal(rig_load(&g, line(1, 0), 4), WEIR_MISS);
  assert_int_equal(g.last.sectors, 12);
  assert_int_equal(rig_load(&g, line(1, 0), 8), WEIR_HIT_PENDING);
  assert_int_equal(rig_load(&g, line(1, 0), 6), WEIR_PARTIAL);
  assert_int_equal(g.last.sectors, 3);
  rig_store(&g, line(1, 0), 1); /* half of a chunk on its way: all of it is dropped */
  rig_settle(&g);
  rig_expect(&g, 0, line(1, 0), 12);
  rig_expect_empty(&g, 1);
  assert_int_equal(rig_load(&g, line(1, 0), 12), WEIR_HIT);
  rig_store(&g, line(1, 0), 4);
  rig_expect_empty(&g, 0);
  rig_close(&g);
}

/* Chunks smaller than the L2's sectors: the L2 is asked for the sectors that they lie in, the reply
 * carries what was asked for, in packets of 32 bytes. */
static void test_chunk_8(void **state) {
  (void)state;
  rig_init(&g);
  rig_put_tsc(&g, "chunk_bytes", 8);
  rig_open(&g, "l1.sector=8", NULL);
  assert_int_equal(rig_chain(&g)->geometry.ways, 64);
  assert_int_equal(rig_load(&g, line(1, 0), 0x8010), WEIR_MISS);
  assert_int_equal(g.last.parts, 0x8010);
  assert_int_equal(g.last.sectors, 0xa); /* bytes 32 to 39 and 120 to 127 */
  assert_int_equal(rig_load(&g, line(1, 0), 0x0030), WEIR_PARTIAL);
  assert_int_equal(g.last.parts, 0x0020); /* its own 8 bytes, although the sector is on its way */
  rig_settle(&g);
  rig_expect(&g, 0, line(1, 0), 0x0010);
  rig_expect(&g, 1, line(1, 0), 0x8000);
  rig_expect(&g, 2, line(1, 0), 0x0020);
  rig_expect_empty(&g, 3);
  assert_int_equal(rig_load(&g, line(1, 0), 0x8030), WEIR_HIT);
  rig_store(&g, line(1, 0), 0x0010);
  rig_expect_empty(&g, 0);
  rig_expect(&g, 2, line(1, 0), 0x0020);
  rig_close(&g);
}

/* Without private bits a group holds one line; with all tag bits private, any lines. */
static void test_private_bits(void **state) {
  (void)state;
  rig_init(&g);
  rig_put_tsc(&g, "private_bits", 0);
  rig_open(&g, NULL);
  for (uint64_t i = 0; i < 5; i++)
    rig_read(&g, i, 1);
  assert_int_equal(TSC(stats(), seen_mixed_groups), 0);
  assert_int_equal(TSC(stats(), retags), 1);
  rig_close(&g);
  rig_init(&g);
  rig_put_tsc(&g, "private_bits", 20);
  rig_open(&g, NULL);
  for (uint64_t i = 0; i < 16; i++)
    rig_read(&g, i << 15, 1);
  assert_int_equal(TSC(stats(), victims), 0);
  rig_read(&g, UINT64_C(16) << 15, 1);
  assert_int_equal(TSC(stats(), victims), 1);
  assert_int_equal(TSC(stats(), retags), 0);
  rig_close(&g);
}

static void test_storage(void **state) {
  (void)state;
  static const struct {
    int64_t bits, chunk;
    uint64_t added;
  } want[] = {{8, 32, 4736}, {5, 32, 3584}, {0, 32, 1664}, {20, 32, 9344},
              {8, 64, 1408}, {8, 8, 27264}, {8, 16, 11904}};
  /* The paper's sums are against lines with LRU of two bits each. */
  const uint64_t lru = UINT64_C(2) * 128;
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    rig_init(&g);
    rig_put_tsc(&g, "private_bits", (double)want[i].bits);
    rig_put_tsc(&g, "chunk_bytes", (double)want[i].chunk);
    rig_open(&g, "l1.sets=32", "l1.sector=8", NULL);
    assert_int_equal(weir_org_tagsplit.part.storage_bits(weir_cfg(rig_part(&g, 0)),
                                                         weir_geometry(rig_part(&g, 0))),
                     want[i].added + lru);
    rig_close(&g);
  }
}

static void test_refused(void **state) {
  (void)state;
  struct weir_err err;
  rig_init(&g);
  rig_put_tsc(&g, "chunk_bytes", 64);
  assert_false(rig_try(&g, &err, (const char *[]){"l1.line=32", "l2.line=32", NULL}));
  assert_non_null(strstr(err.msg, "chunk_bytes"));
  rig_init(&g);
  rig_put_tsc(&g, "chunk_bytes", 48);
  assert_false(rig_try(&g, &err, NULL));
  rig_init(&g);
  rig_put_tsc(&g, "chunk_bytes", 16);
  assert_false(rig_try(&g, &err, NULL));
  assert_non_null(strstr(err.msg, "set l1.sector, which is 32, to 16 too"));
  rig_init(&g);
  rig_add(&g, &weir_policy_lru, NULL);
  assert_false(rig_try(&g, &err, NULL));
  assert_non_null(strstr(err.msg, "own replacement"));
}

static void test_next_kernel(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_read(&g, line(1, 0), 7);
  rig_read(&g, line(2, 0), 1);
  assert_true(rig_used(&g, 4));
  rig_kernel(&g);
  rig_verify(&g);
  for (uint32_t i = 0; i < 16; i++) {
    rig_expect_empty(&g, i);
    assert_false(rig_used(&g, i));
  }
  assert_int_equal(rig_stats(&g)->evictions[WEIR_BY_FLUSH], 4);
  assert_int_equal(rig_load(&g, line(1, 0), 1), WEIR_MISS);
  rig_close(&g);
}

/* Damage is found. */
static void test_verify(void **state) {
  (void)state;
  rig_init(&g);
  rig_open(&g, NULL);
  rig_read(&g, line(1, 0), 3);
  rig_read(&g, line(2, 0), 1);
  const struct weir_policy *org = rig_part(&g, 0);
  const char *(*verify)(const struct weir_policy *) = weir_org_tagsplit.part.verify;
  struct weir_line *l = (struct weir_line *)weir_org_tagsplit.view(org, 0).line;
  struct weir_line was = l[1];
  assert_null(verify(org));
  l[1] = l[0];
  assert_string_equal(verify(org), "a chunk is there twice");
  l[1].valid_mask = 6;
  assert_string_equal(verify(org), "a way does not hold one chunk");
  l[1] = was;
  l[1].pending_mask = 2;
  assert_string_equal(verify(org), "a chunk is both valid and pending");
  l[1] = l[4];
  assert_string_equal(verify(org), "a chunk lies in a group with another shared tag");
  l[1] = (struct weir_line){0};
  assert_string_equal(verify(org), "a set's chunks are counted wrongly");
  l[1] = was;
  rig_close(&g);
}

/* ---- random streams ---- */

static uint32_t touched(uint64_t *r) {
  return below(r, 3) == 0 ? 15 : 1 + below(r, 15);
}

/* `n` loads, and a few stores if wished, of `lines` lines; replies come late. */
static void stream(uint64_t seed, uint32_t n, uint32_t lines, uint64_t spread, uint32_t stores) {
  uint64_t state = seed, *r = &state;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t at = below(r, below(r, 2) ? lines : lines / 4 + 1) * spread;
    uint32_t mask = touched(r), late = below(r, 12);
    if (stores != 0 && below(r, stores) == 0)
      rig_store(&g, at, mask);
    else
      while (rig_load(&g, at, mask) >= RIG_REFUSED)
        rig_reply(&g, 0);
    while (g.n_sent > late)
      rig_reply(&g, below(r, g.n_sent));
  }
}

/* An accepted load finds all its chunks or has sent for them, and nothing else of its line went. */
static void test_invariants(void **state) {
  (void)state;
  static const char *const ages[] = {"valid", "all_keep", "all_zero"};
  for (uint64_t seed = 0; seed < 24; seed++) {
    uint64_t rs = seed + 1, *r = &rs;
    rig_init(&g);
    g.d.seed = seed;
    rig_set_tsc(&g, "nru_age", ages[seed % 3]);
    rig_put_tsc(&g, "private_bits", below(r, 9));
    rig_put_tsc(&g, "chunk_bytes", below(r, 3) ? 32 : 64);
    rig_put_tsc(&g, "prefer_match", below(r, 2));
    rig_put_tsc(&g, "coarse_group", below(r, 2));
    rig_put_tsc(&g, "whole_group", below(r, 2));
    rig_put_tsc(&g, "nru_keep_last", below(r, 2));
    rig_set_tsc(&g, "store_inval", below(r, 2) ? "chunk" : "line");
    part_set(&weir_policy_tsc_plus.part, &g.plus, "mode", "fine");
    rig_add(&g, &weir_policy_tsc_plus, &g.plus);
    rig_open(&g, below(r, 2) ? "l1.sets=2" : "l1.sets=1", NULL);
    for (uint32_t i = 0; i < 3000; i++) {
      uint64_t at = below(r, 24) * 37;
      uint32_t mask = touched(r);
      struct weir_access a = {.addr = at * RIG_LINE,
                              .set = (uint32_t)(at % (uint64_t)g.x.m.l1.sets)};
      struct weir_policy *org = rig_part(&g, 0);
      if (below(r, 50) == 0) set_coarse(below(r, 2));
      if (below(r, 10) == 0)
        rig_store(&g, at, mask);
      else {
        uint32_t had = weir_org_tagsplit.probe(org, &a, 15).valid;
        if (rig_load(&g, at, mask) < RIG_REFUSED) {
          struct weir_probe p = weir_org_tagsplit.probe(org, &a, mask);
          assert_int_equal(mask & ~(p.valid | p.pending), 0);
          assert_int_equal(had & ~p.valid, 0);
        }
      }
      if (g.n_sent > below(r, 10)) rig_reply(&g, below(r, g.n_sent));
    }
    rig_close(&g);
  }
}

struct tally {
  uint64_t sent, loads, sectors;
};

static struct tally run_stream(const struct weir_org_ops *org, uint64_t seed) {
  uint64_t rs = seed * 3 + 1, *r = &rs;
  rig_init(&g);
  g.is_fast = true;
  g.d.paranoid = false;
  g.d.seed = seed;
  g.d.org = org;
  rig_put_tsc(&g, "private_bits", 0);
  rig_put_tsc(&g, "whole_group", false); /* a victim by chance among groups, not among sectors */
  rig_nru(&g, "sector");
  if (org == &weir_org_sectored) rig_add(&g, &weir_policy_nru, &g.nru);
  rig_open(&g, "l1.sets=32", seed % 2 ? "l1.index=fermi_xor" : "l1.index=linear", NULL);
  stream(seed, 100000, 160 + below(r, 400), 1 + below(r, 3), seed % 4 == 0 ? 20 : 0);
  const struct weir_l1_stats *s = rig_stats(&g);
  struct tally t = {s->misses + s->partial_misses, s->loads, s->fill_sectors};
  rig_close(&g);
  return t;
}

/* Without private bits a group is a line: the same as sectored lines with NRU by sectors. Both even
 * choose alike, so that this is exact, where two per cent would do. */
static void test_like_sectored(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES(20); seed++) {
    struct tally a = run_stream(&weir_org_tagsplit, seed);
    struct tally b = run_stream(&weir_org_sectored, seed);
    assert_int_equal(a.loads, b.loads);
    assert_in_range(a.sent, 10000, a.loads);
    assert_int_equal(a.sent, b.sent);
    assert_int_equal(a.sectors, b.sectors);
  }
}

/* Coarse from the start, every line is there whole or not at all. */
static void test_coarse_stream(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    rig_init(&g);
    g.is_fast = true;
    g.d.paranoid = false;
    part_set(&weir_policy_tsc_plus.part, &g.plus, "mode", "coarse");
    rig_add(&g, &weir_policy_tsc_plus, &g.plus);
    rig_open(&g, "l1.sets=32", NULL);
    stream(seed, 100000, 300, seed * 8191, 0);
    assert_int_equal(rig_stats(&g)->partial_misses, 0);
    assert_true(rig_stats(&g)->misses > 1000 && rig_stats(&g)->hits > 1000);
    rig_close(&g);
  }
}

/* ---- through the engine ---- */

static void test_engine_random(void **state) {
  (void)state;
  static const char *const ages[] = {"valid", "all_keep", "all_zero"};
  unsigned n = 0;
  for (uint64_t seed = 0; seed < CASES(60); seed++) {
    struct weir_sim_result r;
    rig_init(&g);
    rig_set_tsc(&g, "nru_age", ages[seed % 3]);
    rig_put_tsc(&g, "private_bits", (double)(seed % 5 * 2));
    rig_put_tsc(&g, "chunk_bytes", seed % 4 == 3 ? 64 : 32);
    rig_set_tsc(&g, "store_inval", seed % 2 ? "chunk" : "line");
    g.d.org_cfg = &g.tsc;
    g.d.seed = seed;
    n += rig_engine_random(&g.d, seed, &r);
  }
  assert_true(n > CASES(20));
}

static void test_engine_workloads(void **state) {
  (void)state;
  rig_init(&g);
  g.d.org_cfg = &g.tsc;
  engine_on_fermi(folder, "gather", &g.d);
  engine_on_fermi(folder, "spmv", &g.d);
  engine_on_fermi(folder, "reduction", &g.d);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mshr_mask),
      cmocka_unit_test(test_classes),
      cmocka_unit_test(test_pending_is_part),
      cmocka_unit_test(test_partial_waits),
      cmocka_unit_test(test_fetched_again),
      cmocka_unit_test(test_extra_latency),
      cmocka_unit_test(test_free_chunks),
      cmocka_unit_test(test_all_pending),
      cmocka_unit_test(test_pending_group),
      cmocka_unit_test(test_vector),
      cmocka_unit_test(test_keep_last),
      cmocka_unit_test(test_prefer_match),
      cmocka_unit_test(test_chance),
      cmocka_unit_test(test_coarse),
      cmocka_unit_test(test_coarse_rank),
      cmocka_unit_test(test_whole_line),
      cmocka_unit_test(test_modes_agree),
      cmocka_unit_test(test_not_grouped),
      cmocka_unit_test(test_store),
      cmocka_unit_test(test_store_pending),
      cmocka_unit_test(test_store_modes),
      cmocka_unit_test(test_chunk_64),
      cmocka_unit_test(test_chunk_8),
      cmocka_unit_test(test_private_bits),
      cmocka_unit_test(test_storage),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_next_kernel),
      cmocka_unit_test(test_verify),
      cmocka_unit_test(test_invariants),
      cmocka_unit_test(test_like_sectored),
      cmocka_unit_test(test_coarse_stream),
      cmocka_unit_test(test_engine_random),
      cmocka_unit_test(test_engine_workloads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
