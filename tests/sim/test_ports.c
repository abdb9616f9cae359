/* What a current GPU does where the older models do not: banks of words in front of the L1,
 * requests in flits of a sector, atomics by words, an L2 that fetches pairs, reads what it has in
 * part, and has halves. Closed forms, at the exact cycle. */
#include "rig.h"

/* ---- the coalescer ---- */

typedef uint64_t place(unsigned lane);

static uint64_t row(unsigned lane) {
  return 4 * lane;
}
static uint64_t column(unsigned lane) {
  return UINT64_C(128) * lane;
}
static uint64_t diagonal(unsigned lane) {
  return UINT64_C(128) * lane + 4 * lane;
}
static uint64_t two_words(unsigned lane) {
  return UINT64_C(8) * lane;
}

struct access {
  enum weir_class cls;
  unsigned width;
  place *at;
  uint32_t mask;
  bool is_fetch;
};

/* Cycles that each further access takes: the same one n and 2n times. */
static uint64_t each_of(struct access x, const char *a, const char *b, const char *c,
                        const char *d) {
  enum { N = 40 };
  const bool is_texture = x.cls == WEIR_C_TEX;
  uint64_t cycles[2], lane[WEIR_LANES];
  for (unsigned i = 0; i < WEIR_LANES; i++)
    lane[i] = x.at(i);
  for (unsigned k = 0; k < 2; k++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, "l1.ways=64", a, b, c, d, NULL);
    synth_init(&s, 1, 1);
    uint32_t insn = synth_access(&s, x.cls, is_texture ? WEIR_SP_TEX : WEIR_SP_GLOBAL, x.width, -1,
                                 -1),
             other = synth_insn(&s, WEIR_C_INT, -1, -1);
    s.insns[insn].is_fetch = x.is_fetch;
    for (unsigned n = 0; n < N * (k + 1); n++) {
      synth_list(&s, 0, 0, insn, x.mask, lane);
      if (is_texture) synth_put(&s, 0, 0, other); /* else they are records of one read */
    }
    cycles[k] = rig_run(&g, &s, &r);
    synth_free(&s);
    rig_close(&g);
  }
  assert_int_equal((cycles[1] - cycles[0]) % N, 0);
  return (cycles[1] - cycles[0]) / N;
}

static uint64_t each(enum weir_class cls, unsigned width, place *at, const char *a, const char *b,
                     const char *c) {
  return each_of((struct access){cls, width, at, UINT32_MAX, false}, a, b, c, NULL);
}

static uint64_t hit(unsigned width, place *at) {
  return each(WEIR_C_LOAD, width, at, "sm.coalesce_by=banks", "sm.coalesce_per_cycle=4",
              "l1.probes_per_cycle=4");
}

/* An SM of an H200, tools/hw/results, l1_rate: 1, 32, 8, 2 and 4 cycles. */
static void test_banks(void **state) {
  (void)state;
  assert_int_equal(hit(4, row), 1);
  assert_int_equal(hit(4, column), 32);
  assert_int_equal(hit(4, diagonal), 8);
  assert_int_equal(hit(4, two_words), 2);
  assert_int_equal(hit(16, row), 4); /* a quarter of the warp at a time */
}

/* Without them, a line takes a cycle. */
static void test_lines(void **state) {
  (void)state;
  assert_int_equal(
      each(WEIR_C_LOAD, 4, diagonal, "sm.coalesce_by=lines", "l1.port_bytes=128", NULL), 32);
}

/* ---- the texture unit ---- */

#define BANKS "sm.coalesce_by=banks"
#define LINES "sm.coalesce_by=lines"

static uint64_t texels(bool is_fetch, place *at, uint32_t mask, const char *by) {
  return each_of((struct access){WEIR_C_TEX, 1, at, mask, is_fetch}, by,
                 is_fetch ? "sm.fetch_lanes=8" : "sm.texture_lanes=4", "sm.coalesce_per_cycle=4",
                 "l1.probes_per_cycle=4");
}

/* An SM of an H200, tools/hw/results, tex_rate: 8 cycles whatever the texels, 4 by index. */
static void test_textures(void **state) {
  (void)state;
  static const char *const by[] = {BANKS, LINES};
  for (unsigned k = 0; k < 2; k++) {
    assert_int_equal(texels(false, row, UINT32_MAX, by[k]), 8);
    assert_int_equal(texels(false, row, 0x000f0011, by[k]), 3); /* groups with an active lane */
    assert_int_equal(texels(true, row, UINT32_MAX, by[k]), 4);
    assert_int_equal(texels(true, row, 0x80000001, by[k]), 2);
    assert_int_equal(texels(true, column, UINT32_MAX, by[k]), 32); /* a line takes a cycle */
    assert_int_equal(texels(true, column, 0x0000ffff, by[k]), 16);
  }
  assert_int_equal(texels(false, column, UINT32_MAX, BANKS), 8);
}

/* Cycles of a read that hits, as far as to what needs it. */
static uint64_t hit_takes(enum weir_class cls, bool is_fetch, const char *set, const char *more) {
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, set, more, NULL);
    synth_init(&s, 1, 1);
    uint32_t insn =
        synth_access(&s, cls, cls == WEIR_C_TEX ? WEIR_SP_TEX : WEIR_SP_GLOBAL, 1, 0, 0);
    uint32_t use = synth_insn(&s, WEIR_C_INT, 0, 0);
    s.insns[insn].is_fetch = is_fetch;
    for (unsigned n = 0; n <= k + 1; n++) {
      synth_stride(&s, 0, 0, insn, UINT32_MAX, 0, 1);
      synth_put(&s, 0, 0, use);
    }
    cycles[k] = rig_run(&g, &s, &r);
    synth_free(&s);
    rig_close(&g);
  }
  return cycles[1] - cycles[0];
}

static void test_texture_extra(void **state) {
  (void)state;
  const uint64_t load = hit_takes(WEIR_C_LOAD, false, NULL, NULL);
  assert_int_equal(hit_takes(WEIR_C_TEX, false, NULL, NULL), load);
  assert_int_equal(hit_takes(WEIR_C_LOAD, false, "sm.texture_extra=100", NULL), load);
  assert_int_equal(hit_takes(WEIR_C_TEX, false, "sm.texture_extra=100", NULL), load + 100);
  assert_int_equal(hit_takes(WEIR_C_TEX, true, "sm.texture_extra=100", NULL), load + 100);
  assert_int_equal(hit_takes(WEIR_C_TEX, true, "sm.fetch_lanes=32", "sm.fetch_extra=9"), load + 9);
}

/* ---- the request port ---- */

static uint64_t sent(enum weir_class cls, place *at) {
  return each(cls, 4, at, "noc.request_flits=sectors", "l1.atomics=words", "noc.flit_bytes=64");
}

static uint64_t apart32(unsigned lane) {
  return UINT64_C(32) * lane;
}
static uint64_t apart64(unsigned lane) {
  return UINT64_C(64) * lane;
}
static uint64_t one(unsigned lane) {
  (void)lane;
  return 0;
}
static uint64_t of_two(unsigned lane) {
  return 4 * (lane % 2);
}

/* stores: a sector of 32 bytes in a cycle, and one more for each line that has a part of one. */
static void test_stores(void **state) {
  (void)state;
  assert_int_equal(sent(WEIR_C_STORE, row), 4);
  assert_int_equal(sent(WEIR_C_STORE, two_words), 2 * 5);
  assert_int_equal(sent(WEIR_C_STORE, apart32), 8 * 5);
  assert_int_equal(sent(WEIR_C_STORE, apart64), 16 * 3);
  assert_int_equal(sent(WEIR_C_STORE, column), 32 * 2);
}

/* atomics of a warp: lanes on one word follow one another. */
static void test_atomics(void **state) {
  (void)state;
  assert_int_equal(sent(WEIR_C_ATOM, row), 5);
  assert_int_equal(sent(WEIR_C_ATOM, one), 32);
  assert_int_equal(sent(WEIR_C_ATOM, of_two), 16 * 2);
  assert_int_equal(sent(WEIR_C_ATOM, column), 32);
  assert_int_equal(sent(WEIR_C_ATOM, apart32), 8 * 5);
}

/* A slower clock of the slices: 13 tenths for each of the 5 flits of 8 lines. */
static void test_slower_slices(void **state) {
  (void)state;
  assert_int_equal(each(WEIR_C_STORE, 4, apart32, "noc.request_flits=sectors",
                        "noc.slice_tenths=13", "l1.miss_queue=64"),
                   8 * 5 * 13 / 10);
}

/* ---- replies ---- */

/* Of 40 lines in the L2; five flits each, so many of which an SM takes in a cycle. */
static uint64_t replies(const char *flits) {
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    rig_open(&g, flits, "l2.slices=2", "l2.sets=64", "l2.interleave=128", "l1.sets=64",
             "l1.mshr_entries=64", "noc.reply_buffer=4000", NULL);
    rig_warm_l2(&g, 0, 80);
    synth_init(&s, 1, 1);
    uint32_t cg = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
    s.insns[cg].cache_op = WEIR_CO_CG;
    for (unsigned i = 0; i < 20 * (k + 1); i++)
      synth_stride(&s, 0, 0, cg, UINT32_MAX, 128 * (uint64_t)i, 4);
    cycles[k] = rig_run(&g, &s, &r);
    synth_free(&s);
    rig_close(&g);
  }
  return cycles[1] - cycles[0];
}

static void test_reply_port(void **state) {
  (void)state;
  assert_int_equal(replies("noc.sm_flits=1"), 20 * 5);
  assert_int_equal(replies("noc.sm_flits=2"), 20 * 3);
  assert_int_equal(replies("noc.sm_flits=5"), 20 * 5 / 2); /* two slices with ports of their own */
}

/* ---- the L2 ---- */

static void load(struct synth *s, uint32_t insn, uint64_t at) {
  synth_uniform(s, 0, 0, insn, at);
}

static void run(struct rig *g, struct synth *s, struct weir_sim_result *r) {
  rig_run(g, s, r);
  synth_free(s);
}

static void test_fetch(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "l2.fetch_bytes=64", NULL);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  load(&s, c.cg, 32);
  synth_put(&s, 0, 0, c.use0);
  load(&s, c.cg, 0); /* came with it */
  synth_put(&s, 0, 0, c.use0);
  load(&s, c.cg, 64); /* did not */
  run(&g, &s, &r);
  assert_int_equal(r.l2.read_hits, 1);
  assert_int_equal(r.l2.read_sectors_missed, 2);
  assert_int_equal(r.l2.fills, 4);
  assert_int_equal(r.dram.read_bytes, 128);
  rig_close(&g);
}

/* Stores of a word to more lines than there are: all but the last ones go back, read before. */
static void test_partial(void **state) {
  (void)state;
  struct weir_sim_result r;
  for (unsigned k = 0; k < 2; k++) {
    struct rig g;
    struct synth s;
    rig_open(&g, "l2.sets=1", "l2.ways=4",
             k == 0 ? "l2.partial_reads=false" : "l2.partial_reads=true", NULL);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (unsigned i = 0; i < 12; i++)
      synth_stride(&s, 0, 0, c.st, 1, 128 * (uint64_t)i, 4);
    for (unsigned i = 0; i < 3; i++) /* whole sectors: nothing to be read */
      synth_stride(&s, 0, 0, c.st, UINT32_MAX, 128 * (uint64_t)(20 + i), 4);
    for (unsigned i = 0; i < 4; i++)
      synth_stride(&s, 0, 0, c.st, UINT32_MAX, 128 * (uint64_t)(40 + i), 4);
    run(&g, &s, &r);
    assert_int_equal(r.l2.writeback_sectors, 12 + 3 * 4);
    assert_int_equal(r.l2.partial_sectors, k == 0 ? 0 : 12);
    assert_int_equal(r.dram.reads, k == 0 ? 0 : 12);
    assert_int_equal(r.dram.writes, 12 + 3 * 4);
    rig_close(&g);
  }
}

/* Halves of sectors, written one after the other, are whole; what is written twice counts twice. */
static void test_halves_of_sectors(void **state) {
  (void)state;
  struct weir_sim_result r;
  for (unsigned k = 0; k < 2; k++) {
    struct rig g;
    struct synth s;
    rig_open(&g, "noc.request_flits=sectors",
             k == 0 ? "l2.merge_writes=false" : "l2.merge_writes=true", NULL);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (unsigned half = 0; half < 2; half++)
      synth_stride(&s, 0, 0, c.st, UINT32_MAX, 4 * half, 8);
    synth_stride(&s, 0, 0, c.st, UINT32_MAX, 1024, 8); /* one half only */
    synth_put(&s, 0, 0, c.fence);
    for (unsigned line = 0; line < 2; line++)
      synth_stride(&s, 0, 0, c.cg, UINT32_MAX, 128 * (uint64_t)line, 4);
    synth_stride(&s, 0, 0, c.cg, UINT32_MAX, 1024, 4);
    run(&g, &s, &r);
    assert_int_equal(r.l2.read_sectors_missed, k == 0 ? 12 : 4);
    rig_close(&g);
  }
}

/* Loads of lines, each with a store to its line behind it: a pair keeps the slice until the line is
 * there, and for as long after that as is said. A store to another line does not. */
static void test_store_wait(void **state) {
  (void)state;
  enum { N = 16, FETCH = DRAM_ONE + 3 * CCDL, WAIT = 40, LOAD = 1, STORE = 5, COLUMNS = 4 * 2 };
  for (unsigned is_on = 0; is_on < 2; is_on++)
    for (unsigned is_there = 0; is_there < 2; is_there++)
      for (unsigned other = 0; other < 2; other++) {
        uint64_t cycles[2];
        struct weir_sim_result r;
        for (unsigned k = 0; k < 2; k++) {
          struct rig g;
          struct synth s;
          rig_open(&g, "dram.page=closed", "sm.inflight=64", "l2.sets=256",
                   is_on ? "l2.store_wait_cyc=40" : "l2.store_wait_cyc=0", NULL);
          rig_warm_l2(&g, 0, is_there ? 1 + 2 * N : 1);
          synth_init(&s, 1, 1);
          const uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1),
                         st = synth_access(&s, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, -1, -1);
          s.insns[ld].cache_op = WEIR_CO_CG;
          for (unsigned i = 0; i < N * (k + 1); i++) {
            const uint64_t line =
                is_there ? 128 * (uint64_t)(1 + i) : 0x100000 + 1024 * (uint64_t)i;
            synth_stride(&s, 0, 0, ld, UINT32_MAX, line, 4);
            synth_stride(&s, 0, 0, st, UINT32_MAX, other ? 0 : line, 4);
          }
          cycles[k] = rig_run(&g, &s, &r);
          synth_free(&s);
          rig_close(&g);
        }
        const bool waits = is_on && !other;
        const uint64_t pair =
            is_there ? (waits ? WAIT : LOAD + STORE) : (waits ? FETCH + WAIT : COLUMNS);
        assert_int_equal(cycles[1] - cycles[0], N * pair);
        /* The first one comes when all its flits have. */
        const uint64_t stall = 2 * N * (FETCH - LOAD) - (STORE - 1);
        assert_int_equal(r.l2.stall_pending, waits && !is_there ? stall : 0);
      }
}

/* A store of words, then a load: tools/hw/results, count_after. Of the sectors that it wants, which
 * are hits, and how many are read? An atomic takes what is there with it. */
static void test_stored_words(void **state) {
  (void)state;
  enum { WORD, NEXT, BOTH, HALVES, ATOMIC, N };
  static const struct {
    unsigned hits, reads;
  } want[N] = {
      [WORD] = {4, 0}, [NEXT] = {0, 4}, [BOTH] = {0, 4}, [HALVES] = {4, 0}, [ATOMIC] = {0, 4}};
  for (unsigned what = 0; what < N; what++)
    for (unsigned is_on = 0; is_on < 2; is_on++) {
      struct rig g;
      struct synth s;
      struct weir_sim_result r;
      rig_open(&g, "l1.write=alloc_nofetch", "l1.sectored=true", "l1.local_wb=false",
               is_on ? "l1.store_words=true" : "l1.store_words=false", NULL);
      synth_init(&s, 1, 1);
      struct code c = rig_code(&s, WEIR_SP_GLOBAL);
      const uint32_t four = 0xf, atom = synth_access(&s, WEIR_C_ATOM, WEIR_SP_GLOBAL, 4, -1, -1);
      synth_stride(&s, 0, 0, c.st, what == HALVES ? 0xffff : four, 0, what == HALVES ? 8 : 32);
      if (what == HALVES) synth_stride(&s, 0, 0, c.st, 0xffff, 4, 8);
      if (what == ATOMIC) synth_stride(&s, 0, 0, atom, four, 0, 32);
      synth_put(&s, 0, 0, c.fence);
      if (what == BOTH || what == HALVES)
        synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, 0, 4);
      else
        synth_stride(&s, 0, 0, c.ld0, four, what == NEXT ? 4 : 0, 32);
      run(&g, &s, &r);
      assert_int_equal(r.l1.sectors_hit, is_on ? want[what].hits : 0);
      assert_int_equal(r.l1.sectors_hit_stored, is_on ? want[what].hits : 0);
      assert_int_equal(r.l2.load_sectors, is_on ? want[what].reads : 4);
      rig_close(&g);
    }
}

/* Whole sectors of a line say nothing of its other ones. */
static void test_stored_sectors(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "l1.write=alloc_nofetch", "l1.sectored=true", "l1.local_wb=false",
           "l1.store_words=true", NULL);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  synth_stride(&s, 0, 0, c.st, UINT32_MAX, 64,
               4); /* the last two of a line, the first two of the next */
  synth_put(&s, 0, 0, c.fence);
  synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, 0, 4);
  run(&g, &s, &r);
  assert_int_equal(r.l1.sectors_hit, 2);
  assert_int_equal(r.l1.sectors_hit_stored, 0);
  assert_int_equal(r.l2.load_sectors, 2);
  rig_close(&g);
}

/* Six SMs that read a line at the same time: four are one, and two; in three groups two each. */
static void test_merged(void **state) {
  (void)state;
  static const struct {
    const char *most, *groups;
    unsigned reads;
  } cases[] = {{"l2.merge_reads=1", NULL, 12},
               {"l2.merge_reads=4", NULL, 4},
               {"l2.merge_reads=4", "l2.merge_groups=3", 6}};
  struct weir_sim_result r;
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    const unsigned merged = 12 - cases[k].reads;
    struct rig g;
    struct synth s;
    rig_open(&g, "sm.count=6", "l2.mshr_merge=16", cases[k].most, "l2.merge_cyc=50",
             cases[k].groups, NULL);
    synth_init(&s, 6, 1);
    uint32_t cg = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1);
    uint32_t use = synth_insn(&s, WEIR_C_INT, 4, 0);
    s.insns[cg].cache_op = WEIR_CO_CG;
    for (uint32_t b = 0; b < 6; b++)
      for (unsigned i = 0; i < 2; i++) {
        synth_stride(&s, b, 0, cg, UINT32_MAX, 0, 4);
        synth_put(&s, b, 0, use);
      }
    run(&g, &s, &r);
    assert_int_equal(r.l2.reads, cases[k].reads);
    assert_int_equal(r.l2.merged, merged);
    assert_int_equal(r.l2.merged_sectors, 4 * merged);
    assert_int_equal(r.l2.fills, 4);
    rig_close(&g);
  }
}

/* Two SMs read a line while others keep the port of its slice, one of them between the two: they
 * are one all the same, since they waited together. */
static void test_merged_waiting(void **state) {
  (void)state;
  static const uint64_t of[] = {0x8000, 0, 0x10000, 0};
  enum { SMS = sizeof of / sizeof *of };
  struct weir_sim_result r;
  struct rig g;
  struct synth s;
  rig_open(&g, "sm.count=4", "l2.mshr_merge=16", "l2.merge_reads=4", "l2.merge_cyc=2",
           "noc.slice_tenths=1000", NULL);
  synth_init(&s, SMS, 1);
  uint32_t cg = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  s.insns[cg].cache_op = WEIR_CO_CG;
  for (uint32_t b = 0; b < SMS; b++)
    synth_stride(&s, b, 0, cg, UINT32_MAX, of[b], 4);
  run(&g, &s, &r);
  assert_int_equal(r.l2.reads, 3);
  assert_int_equal(r.l2.merged, 1);
  rig_close(&g);
}

/* Six warps read a line through a port that takes eight cycles for it: what waits for other SMs
 * goes with the first reply, and neither other data nor the same for one SM do. */
static void test_multicast(void **state) {
  (void)state;
  static const struct {
    uint32_t sms, apart, saved;
  } cases[] = {{6, 0, 5 * 8}, {6, 128, 0}, {1, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t sms = cases[i].sms;
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
      struct weir_sim_result r;
      struct rig g;
      struct synth s;
      rig_open(&g, "sm.count=6", "noc.flit_bytes=16", "noc.header_bytes=0", "l2.mshr_merge=16",
               k == 0 ? "l2.multicast=false" : "l2.multicast=true", NULL);
      synth_init(&s, sms, 6 / sms);
      uint32_t cg = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1);
      s.insns[cg].cache_op = WEIR_CO_CG;
      for (uint32_t n = 0; n < 6; n++)
        synth_stride(&s, n % sms, n / sms, cg, UINT32_MAX, n * cases[i].apart, 4);
      cycles[k] = rig_run(&g, &s, &r);
      assert_int_equal(r.l2.reads, 6);
      synth_free(&s);
      rig_close(&g);
    }
    assert_int_equal(cycles[0] - cycles[1], cases[i].saved);
  }
}

/* Cycles of a load that waits for `n` lines read before it, the first of which is its own. */
static uint64_t again(unsigned n, const char *with_home, uint64_t *far) {
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  uint64_t cycles[2];
  for (unsigned k = 0; k < 2; k++) {
    rig_open(&g, "l2.sets=1", "l2.ways=8", "l2.partitions=2", "l2.far_cyc=100", with_home, NULL);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (unsigned i = 0; i < n + k; i++) {
      load(&s, c.cg, 128 * (uint64_t)(i % n));
      synth_put(&s, 0, 0, c.use0);
    }
    cycles[k] = rig_run(&g, &s, &r);
    synth_free(&s);
    rig_close(&g);
  }
  *far = r.l2.far_reads;
  return cycles[1] - cycles[0];
}

/* Four of eight ways are near; a ring of more finds none of its lines near, and of more than eight
 * none at all. */
static void test_halves(void **state) {
  (void)state;
  static const char *const home[] = {NULL, "l2.home=true"}; /* of lines that come, not that stay */
  for (unsigned k = 0; k < 2; k++) {
    uint64_t far, near = again(1, home[k], &far);
    assert_int_equal(far, 0);
    assert_int_equal(again(4, home[k], &far), near);
    assert_int_equal(far, 0);
    assert_int_equal(again(5, home[k], &far), near + 100);
    assert_int_equal(far, 1);
    assert_int_equal(again(8, home[k], &far), near + 100);
    assert_true(again(9, home[k], &far) != near + 100);
    assert_int_equal(far, 0);
  }
}

/* What the first of two SMs has read, then read by itself or by the other: how much was far. */
static uint64_t far_of(unsigned reader, const char *home) {
  enum { N = 64 };
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "sm.count=2", "l2.sets=64", "l2.ways=8", "l2.partitions=2", "l2.far_cyc=100", home,
           NULL);
  for (unsigned k = 0; k < 2; k++) {
    struct synth s;
    synth_init(&s, 2, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    for (unsigned i = 0; i < N; i++)
      synth_stride(&s, k == 0 ? 0 : reader, 0, c.cg, UINT32_MAX, 128 * (uint64_t)i, 4);
    rig_run(&g, &s, &r);
    synth_free(&s);
  }
  rig_close(&g);
  return r.l2.far_reads;
}

/* As on an H200, after_write: all is near to the half that has brought it, half of it to the other.
 */
static void test_home(void **state) {
  (void)state;
  assert_int_equal(far_of(0, NULL), 0);
  assert_int_equal(far_of(1, NULL), 64);
  assert_int_equal(far_of(0, "l2.home=true"), 0);
  assert_int_equal(far_of(1, "l2.home=true"), 32);
}

/* ---- blocks ---- */

/* Blocks of one instruction in each of their warps, all on one SM at once, or one after the other.
 */
static uint64_t blocks(uint32_t n, uint32_t n_warps, const char *a, const char *b) {
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "sm.blocks=16", "sm.dispatch_latency=40", a, b, NULL);
  synth_init(&s, n, n_warps);
  uint32_t insn = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (uint32_t i = 0; i < n * n_warps; i++)
    synth_put(&s, i / n_warps, i % n_warps, insn);
  const uint64_t cycles = rig_run(&g, &s, &r);
  synth_free(&s);
  rig_close(&g);
  return cycles;
}

/* An SM of an H200, tools/hw/results, dispatch: blocks of 1, 2, 4, 16 and 32 warps begin 24, 25,
 * 27, 46 and 98 cycles one after the other. */
static void test_arrivals(void **state) {
  (void)state;
  static const uint32_t takes[][2] = {{1, 24}, {2, 25}, {4, 27}, {16, 48}, {32, 96}};
  const char *const least = "sm.dispatch_interval=23", *const by_warps = "sm.dispatch_warp_cyc=3";
  for (unsigned i = 0; i < sizeof takes / sizeof *takes; i++) {
    const uint32_t w = takes[i][0], n = 32 / w < 16 ? 32 / w : 16;
    if (n > 1)
      assert_int_equal(blocks(n, w, least, by_warps) - blocks(n - 1, w, least, by_warps),
                       takes[i][1]);
  }
  assert_int_equal(blocks(9, 1, NULL, NULL) - blocks(8, 1, NULL, NULL), 1);
}

static void test_retirement(void **state) {
  (void)state;
  const char *const tenths = "sm.retire_tenths=52", *const alone = "sm.blocks=1";
  for (uint32_t n = 1; n <= 16; n += 3) /* in the last tenth the kernel ends */
    assert_int_equal(blocks(n, 1, tenths, NULL) - blocks(1, 1, NULL, NULL), 52 * (n - 1) / 10);
  /* Nobody waits where there is one at a time. */
  assert_int_equal(blocks(5, 1, alone, tenths), blocks(5, 1, alone, NULL));
  /* Sixteen places, and one more block: it comes as soon as the first one is taken note of. */
  assert_int_equal(blocks(17, 1, tenths, NULL), blocks(16, 1, tenths, NULL) + 5);
}

int main(void) {
#define T(f) cmocka_unit_test(f)
  const struct CMUnitTest tests[] = {T(test_banks),          T(test_lines),
                                     T(test_textures),

                                     T(test_texture_extra),  T(test_stores),
                                     T(test_atomics),        T(test_slower_slices),
                                     T(test_reply_port),     T(test_fetch),
                                     T(test_partial),        T(test_halves),
                                     T(test_home),           T(test_halves_of_sectors),
                                     T(test_merged),         T(test_multicast),
                                     T(test_merged_waiting), T(test_stored_words),
                                     T(test_stored_sectors), T(test_store_wait),
                                     T(test_arrivals),       T(test_retirement)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
