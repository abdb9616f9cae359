/* The L1 between an SM and the L2, at the exact cycle. */
#include "rig.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000 };

static struct rig g;
static struct synth s;
static struct code c;
static struct weir_sim_result r;

static void one_warp(void) {
  synth_init(&s, 1, 1);
  c = rig_code(&s, WEIR_SP_GLOBAL);
}
static void load(uint32_t insn, uint64_t base) { /* a whole line */
  synth_stride(&s, 0, 0, insn, UINT32_MAX, base, 4);
}
static void word(uint32_t insn, uint64_t base) { /* one sector */
  synth_uniform(&s, 0, 0, insn, base);
}
static void put(uint32_t insn) {
  synth_put(&s, 0, 0, insn);
}
static uint64_t run(void) {
  return rig_run(&g, &s, &r);
}
static void end(void) {
  synth_free(&s);
  rig_close(&g);
}

/* ---- latencies ---- */

static void test_dram_latency(void **state) {
  (void)state;
  rig_open(&g, NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), DRAM_LINE);
  assert_int_equal(r.l1.misses, 1);
  assert_int_equal(r.dram.reads, 4);
  end();
}

static void test_l2_latency(void **state) {
  (void)state;
  rig_open(&g, NULL);
  rig_warm_l2(&g, A, 1);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  assert_int_equal(run(), L2_LINE);
  assert_int_equal(r.l2.read_hits, 1);
  assert_int_equal(r.dram.reads, 0);
  end();
}

/* ---- textures ---- */

/* Texture reads go through the L1 as loads do; the records of one instruction are one access. */
static void test_texture(void **state) {
  (void)state;
  rig_open(&g, NULL);
  rig_warm_l2(&g, A, 2);
  synth_init(&s, 1, 1);
  uint32_t tex = synth_access(&s, WEIR_C_TEX, WEIR_SP_TEX, 1, 0, -1);
  uint32_t use = synth_insn(&s, WEIR_C_INT, 4, 0);
  synth_stride(&s, 0, 0, tex, UINT32_MAX, A, 4);
  synth_put(&s, 0, 0, use);
  synth_stride(&s, 0, 0, tex, UINT32_MAX, A, 4);
  synth_put(&s, 0, 0, use);
  assert_int_equal(run(), L2_LINE + 1 + L1_HIT); /* the second is issued after the use */
  assert_int_equal(r.l1.loads, 2);
  assert_int_equal(r.l1.hits, 1);
  assert_int_equal(r.sm.load_insns, 2);
  end();
  rig_open(&g, NULL);
  rig_warm_l2(&g, A, 2);
  synth_init(&s, 1, 1);
  tex = synth_access(&s, WEIR_C_TEX, WEIR_SP_TEX, 1, 0, -1);
  use = synth_insn(&s, WEIR_C_INT, 4, 0);
  synth_stride(&s, 0, 0, tex, UINT32_MAX, A, 4);
  synth_stride(&s, 0, 0, tex, 0x0000ff00, A, 4);       /* nothing new */
  synth_stride(&s, 0, 0, tex, UINT32_MAX, A + 128, 4); /* a second line */
  synth_stride(&s, 0, 0, tex, 0x80000000, A + 96, 1);
  synth_put(&s, 0, 0, use);
  /* The second line follows five flits behind the first. */
  assert_int_equal(run(), L2_LINE + 5);
  assert_int_equal(r.sm.warp_insns, 2);
  assert_int_equal(r.sm.requests, 2);
  assert_int_equal(r.l1.loads, 2);
  end();
}

/* Lanes that went different ways execute it one after the other: no records of one instruction. */
static void test_texture_diverged(void **state) {
  (void)state;
  rig_open(&g, NULL);
  synth_init(&s, 1, 1);
  uint32_t tex = synth_access(&s, WEIR_C_TEX, WEIR_SP_TEX, 1, -1, -1);
  synth_stride(&s, 0, 0, tex, 0x0000ffff, A, 4);
  synth_stride(&s, 0, 0, tex, 0xffff0000, A, 4);
  run();
  assert_int_equal(r.sm.warp_insns, 2);
  assert_int_equal(r.sm.requests, 2);
  assert_int_equal(r.sm.load_insns, 2);
  end();
}

/* Surfaces are written and reduced as global memory is. */
static void test_surface(void **state) {
  (void)state;
  rig_open(&g, NULL);
  synth_init(&s, 1, 1);
  uint32_t st = synth_access(&s, WEIR_C_STORE, WEIR_SP_TEX, 4, -1, -1);
  uint32_t red = synth_access(&s, WEIR_C_ATOM, WEIR_SP_TEX, 4, -1, -1);
  load(st, A);
  load(red, B);
  run();
  assert_int_equal(r.l1.stores, 1);
  assert_int_equal(r.l1.atomics, 1);
  assert_int_equal(r.sm.requests, 2);
  end();
}

static void test_hit_latency(void **state) {
  (void)state;
  rig_open(&g, NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  load(c.ld1, A); /* issued one cycle after the first use */
  put(c.use1);
  assert_int_equal(run(), DRAM_LINE + 1 + L1_HIT);
  assert_int_equal(r.l1.hits, 1);
  end();
}

static void test_load_extra(void **state) {
  (void)state;
  rig_open(&g, "sm.load_extra=9", NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  load(c.ld1, A);
  put(c.use1);
  assert_int_equal(run(), DRAM_LINE + 9 + 1 + L1_HIT + 9);
  end();
}

/* ---- joining a pending line ---- */

/* Three warps of three schedulers want one line: they are answered one per cycle, in order. */
static void test_merge(void **state) {
  (void)state;
  rig_open(&g, "sm.schedulers=3", NULL);
  synth_init(&s, 1, 3);
  c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t w = 0; w < 3; w++) {
    synth_stride(&s, 0, w, c.ld0, UINT32_MAX, A, 4);
    synth_put(&s, 0, w, c.use0);
  }
  assert_int_equal(run(), DRAM_LINE + 2);
  assert_int_equal(r.l1.misses, 1);
  assert_int_equal(r.l1.hit_reserved, 2);
  assert_int_equal(r.l1.mshr_merges, 2);
  assert_int_equal(r.l2.reads, 1);
  end();
}

/* An entry lives until its last waiter is answered: the next line waits for it. */
static void test_entry_drains(void **state) {
  (void)state;
  rig_open(&g, "l1.mshr_entries=1", NULL);
  one_warp();
  uint32_t ld3 = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 3, -1);
  load(c.ld0, A); /* taken in cycle 1 */
  load(c.ld1, A);
  load(c.ld2, A);
  load(ld3, B); /* presented in cycle 4; the answers go out in F = DRAM_LINE, F + 1 and F + 2 */
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_DATA_PORT], 1); /* F: the fill */
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_LINE - 4 + 1);
  end();
}

/* ---- reservation failures: loads issue in cycles 0, 1, 2 and are presented in 1, 2, 3 ---- */

static void only_stall(enum weir_shortage kind, uint64_t cycles, uint64_t requests) {
  for (unsigned i = 0; i < WEIR_N_SHORTAGES; i++) {
    assert_int_equal(r.sm.stall[i], i == kind ? cycles : 0);
    assert_int_equal(r.sm.resv_fail[i], i == kind ? requests : 0);
  }
}

static void test_no_mshr(void **state) {
  (void)state;
  rig_open(&g, "l1.mshr_entries=1", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_LINE - 2);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_MSHR], 1);
  end();
}

static void test_no_merge(void **state) {
  (void)state;
  rig_open(&g, "l1.mshr_merge=1", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, A);
  put(c.use1);
  assert_int_equal(run(), DRAM_LINE + 1 + HIT); /* the port is busy in the cycle of the fill */
  assert_int_equal(r.sm.stall[WEIR_NO_MERGE], DRAM_LINE - 2);
  assert_int_equal(r.sm.stall[WEIR_NO_DATA_PORT], 1);
  assert_int_equal(r.l1.hits, 1);
  end();
}

static void test_no_line(void **state) {
  (void)state;
  rig_open(&g, "l1.sets=1", "l1.ways=1", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_LINE], DRAM_LINE - 2);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_LINE], 1);
  end();
}

/* A way that is reserved cannot be had; when allocating on fill none is reserved. */
static void test_allocate_on_fill(void **state) {
  (void)state;
  rig_open(&g, "l1.sets=1", "l1.ways=1", "l1.alloc=fill", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  put(c.use0);
  put(c.use1);
  load(c.ld2, B);
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_LINE], 0);
  assert_int_equal(r.l1.misses, 2);
  assert_int_equal(r.l1.evictions[WEIR_BY_REPLACEMENT], 1);
  assert_int_equal(r.l1.hits, 1); /* B came last */
  end();
}

static void test_no_inflight(void **state) {
  (void)state;
  rig_open(&g, "sm.inflight=1", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  run();
  assert_int_equal(r.sm.stall[WEIR_NO_INFLIGHT], DRAM_LINE - 2);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_INFLIGHT], 1);
  end();
}

/* A request of 8 flits keeps the port busy. The first leaves in cycle 1, the second is taken in 2
 * and leaves in 9; the third fails from 3 until 10, because probes come before injection. */
static void test_no_miss_queue(void **state) {
  (void)state;
  rig_open(&g, "noc.flit_bytes=1", "noc.request_buffer=200", "noc.reply_buffer=200",
           "l1.miss_queue=1", "l1.local_wb=false", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  load(c.ld2, C);
  run();
  only_stall(WEIR_NO_QUEUE, 7, 1);
  end();
}

static void test_no_bypass_queue(void **state) {
  (void)state;
  rig_open(&g, "noc.flit_bytes=1", "noc.request_buffer=200", "noc.reply_buffer=200",
           "l1.bypass_queue=1", NULL);
  one_warp();
  s.insns[c.ld0].cache_op = s.insns[c.ld1].cache_op = s.insns[c.ld2].cache_op = WEIR_CO_CG;
  load(c.ld0, A);
  load(c.ld1, B);
  load(c.ld2, C);
  run();
  only_stall(WEIR_NO_ICNT, 7, 1);
  end();
}

/* A quarter of a line per cycle. The fill takes the port for 4 cycles from F on; a load issued at
 * F + 1 is presented at F + 2 and waits for 2 cycles; the next is presented at F + 5 and waits for
 * 3. */
static void test_data_port(void **state) {
  (void)state;
  rig_open(&g, "l1.port_bytes=32", NULL);
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  load(c.ld1, A);
  load(c.ld2, A);
  put(c.use2);
  assert_int_equal(run(), DRAM_LINE + 8 + HIT);
  only_stall(WEIR_NO_DATA_PORT, 2 + 3, 2);
  end();
}

/* Two replies of one flit arrive one cycle apart; the second waits until the first has left the
 * port. */
static void test_fill_waits_for_port(void **state) {
  (void)state;
  rig_open(&g, "l1.port_bytes=32", "noc.flit_bytes=136", NULL);
  rig_warm_l2(&g, A, 2);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, A + 128);
  put(c.use1);
  assert_int_equal(run(), 1 + REQUEST + L2 + REPLY + 4);
  end();
}

/* Two requests of one cycle: the first is taken, so that in this cycle nothing stalls. */
static void test_stall_of_second_probe(void **state) {
  (void)state;
  uint64_t lane[WEIR_LANES];
  rig_open(&g, "l1.mshr_entries=1", "l1.sectored=true", "l1.probes_per_cycle=2", "l1.banks=2",
           "sm.coalesce_per_cycle=2", NULL);
  one_warp();
  for (unsigned i = 0; i < WEIR_LANES; i++)
    lane[i] = i % 2 ? B + 32 : A;
  synth_list(&s, 0, 0, c.ld0, UINT32_MAX, lane);
  run();
  assert_int_equal(r.sm.resv_fail[WEIR_NO_MSHR], 1);
  assert_int_equal(r.sm.stall[WEIR_NO_MSHR], DRAM_SECTOR - 2);
  end();
}

/* Resources are asked for in a fixed order: with several short, the first is counted. */
static void test_order_of_failures(void **state) {
  (void)state;
  rig_open(&g, "sm.inflight=1", "l1.mshr_entries=1", "l1.sets=1", "l1.ways=1", NULL);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, B);
  run();
  assert_int_equal(r.sm.resv_fail[WEIR_NO_INFLIGHT], 1);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_LINE] + r.sm.resv_fail[WEIR_NO_MSHR], 0);
  end();
}

/* ---- bypass ---- */

static void test_bypass(void **state) {
  (void)state;
  rig_open(&g, NULL);
  rig_warm_l2(&g, A, 1);
  one_warp();
  word(c.cg, A);
  put(c.use0);
  assert_int_equal(run(), L2_SECTOR);
  assert_int_equal(r.l1.bypassed, 1);
  assert_int_equal(r.l1.fills, 0);
  end();
}

static void test_bypass_whole_line(void **state) {
  (void)state;
  rig_open(&g, "l1.bypass_gran=line", NULL);
  rig_warm_l2(&g, A, 1);
  one_warp();
  word(c.cg, A);
  put(c.use0);
  assert_int_equal(run(), L2_LINE);
  end();
}

/* 32, 64 or 128 bytes that have all that is asked for: 2, 3 or 5 flits of 32 with their header. */
static void test_bypass_segment(void **state) {
  (void)state;
  static const struct {
    uint64_t base;
    int64_t stride;
    uint64_t flits;
  } cases[] = {{A + 64, 4, 2}, {A, 32, 3}, {A + 64, 32, 3}, {A + 32, 32, 5}, {A, 96, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig_open(&g, "l1.bypass_gran=segment", NULL);
    rig_warm_l2(&g, A, 1);
    one_warp();
    synth_stride(&s, 0, 0, c.cg, 3, cases[i].base, cases[i].stride);
    put(c.use0);
    run();
    assert_int_equal(r.l1.bypassed, 1);
    assert_int_equal(r.l1.reply_flits, cases[i].flits);
    end();
  }
}

/* Two slices answer one cycle apart; the SM's port takes five cycles for a line. */
static void test_reply_port(void **state) {
  (void)state;
  rig_open(&g, "l1.bypass_gran=line", "l2.slices=2", "dram.channels=2", NULL);
  rig_warm_l2(&g, A, 4);
  one_warp();
  word(c.cg, A);
  s.insns[c.ld1].cache_op = WEIR_CO_CG;
  word(c.ld1, A + 256);
  put(c.use1);
  assert_int_equal(run(), L2_LINE + 5);
  end();
}

static void test_disabled(void **state) {
  (void)state;
  rig_open(&g, "l1.enabled=false", NULL);
  one_warp();
  word(c.ld0, A);
  put(c.use0);
  word(c.ld1, A);
  run();
  assert_int_equal(r.l1.bypassed, 2);
  end();
}

/* ---- stores ---- */

static void store_between_loads(uint64_t hits, uint64_t misses, uint64_t dropped) {
  one_warp();
  load(c.ld0, A);
  put(c.use0);
  load(c.st, A);
  load(c.ld1, A);
  run();
  assert_int_equal(r.l1.store_hits, 1);
  assert_int_equal(r.l1.hits, hits);
  assert_int_equal(r.l1.misses, misses);
  assert_int_equal(r.l1.store_evictions, dropped);
  assert_int_equal(r.l2.writes, 1);
  end();
}

static void test_write_evict(void **state) {
  (void)state;
  rig_open(&g, "l1.write=evict", NULL);
  store_between_loads(0, 2, 1);
}

static void test_write_through(void **state) {
  (void)state;
  rig_open(&g, "l1.write=through", NULL);
  store_between_loads(1, 1, 0);
}

/* A store that misses takes no line. */
static void test_no_allocate(void **state) {
  (void)state;
  rig_open(&g, "l1.write=through", NULL);
  one_warp();
  load(c.st, A);
  load(c.ld0, A);
  run();
  assert_int_equal(r.l1.misses, 1);
  assert_int_equal(r.l1.store_hits, 0);
  end();
}

static void test_alloc_nofetch(void **state) {
  (void)state;
  rig_open(&g, "l1.write=alloc_nofetch", "l1.sectored=true", NULL);
  one_warp();
  load(c.st, A); /* whole sectors: they can be read */
  load(c.ld0, A);
  put(c.use0);
  word(c.st, B); /* part of a sector: a read fetches it */
  word(c.ld1, B);
  run();
  assert_int_equal(r.l1.hits, 1);
  assert_int_equal(r.l1.misses, 0);
  assert_int_equal(r.l1.partial_misses, 1);
  assert_int_equal(r.l2.reads, 1);
  end();
}

/* A store to a pending line: those who wait are answered, later ones fetch again. */
static void test_store_poisons_pending(void **state) {
  (void)state;
  for (unsigned poisons = 0; poisons < 2; poisons++) {
    rig_open(&g, poisons ? "l1.store_poisons_pending=true" : "l1.store_poisons_pending=false",
             NULL);
    one_warp();
    load(c.ld0, A);
    load(c.st, A);
    load(c.ld1, A);
    put(c.use1);
    load(c.ld2, A);
    run();
    assert_int_equal(r.l1.hit_reserved, 1);
    assert_int_equal(r.l1.misses, 1 + poisons);
    assert_int_equal(r.l1.hits, 1 - poisons);
    end();
  }
}

/* The acknowledgement of a store of one word: 2 flits there, 1 back. */
static void test_fence(void **state) {
  (void)state;
  rig_open(&g, NULL);
  one_warp();
  word(c.st, A);
  put(c.fence);
  put(c.add);
  assert_int_equal(run(), 1 + 1 + REQUEST + L2 + REPLY);
  assert_true(r.sm.slot[WEIR_SLOT_FENCE] > 0);
  end();
}

static void test_fence_without_stores(void **state) {
  (void)state;
  rig_open(&g, NULL);
  one_warp();
  put(c.fence);
  put(c.add);
  assert_int_equal(run(), 1);
  end();
}

/* An atomic waits for the L2 and drops the line. */
static void test_atomic(void **state) {
  (void)state;
  rig_open(&g, NULL);
  one_warp();
  uint32_t atom = synth_access(&s, WEIR_C_ATOM, WEIR_SP_GLOBAL, 4, 0, -1);
  load(c.ld0, A);
  put(c.use0);
  word(atom, A);
  put(c.use0);
  load(c.ld1, A);
  run();
  assert_int_equal(r.l1.atomics, 1);
  assert_int_equal(r.l1.misses, 2);
  assert_int_equal(r.l2.atomics, 1);
  end();
}

/* ---- sectors, local memory, banks ---- */

static void test_partial_miss(void **state) {
  (void)state;
  rig_open(&g, "l1.sectored=true", NULL);
  one_warp();
  word(c.ld0, A);
  put(c.use0);
  word(c.ld1, A + 32);
  put(c.use1);
  word(c.ld2, A);
  put(c.use2);
  /* The second sector is in the open row. */
  assert_int_equal(run(), DRAM_SECTOR + 1 + DRAM_SECTOR - RCD + 1 + L1_HIT);
  assert_int_equal(r.l1.misses, 1);
  assert_int_equal(r.l1.partial_misses, 1);
  assert_int_equal(r.l1.hits, 1);
  assert_int_equal(r.l1.sectors_missed, 2);
  assert_int_equal(r.dram.reads, 2);
  assert_int_equal(r.dram.row_hits, 1);
  end();
}

/* What an instruction sends for: of a line as a whole, of sectors and of a bypass. */
static void test_fetched(void **state) {
  (void)state;
  for (unsigned sectored = 0; sectored < 2; sectored++) {
    uint32_t n;
    rig_open(&g, sectored ? "l1.sectored=true" : "l1.sectored=false", "l1.bypass_gran=sector",
             NULL);
    one_warp();
    word(c.ld0, A);
    put(c.use0);
    word(c.ld1, A + 32);
    put(c.use1);
    word(c.ld2, A);
    put(c.use2);
    word(c.cg, B);
    put(c.use0);
    run();
    const struct weir_pc_stats *p = weir_sim_insns(g.sim, &n);
    assert_int_equal(p[c.ld0].sectors_fetched, sectored ? 1 : 4);
    assert_int_equal(p[c.ld0].sectors_missed, 1);
    assert_int_equal(p[c.ld1].sectors_fetched, sectored ? 1 : 0);
    assert_int_equal(p[c.ld2].sectors_fetched, 0);
    assert_int_equal(p[c.cg].sectors_fetched, 1);
    end();
  }
  rig_open(&g, "l1.bypass_gran=line", NULL);
  one_warp();
  word(c.cg, A);
  run();
  uint32_t n;
  assert_int_equal(weir_sim_insns(g.sim, &n)[c.cg].sectors_fetched, 4);
  assert_int_equal(weir_sim_insns(g.sim, &n)[c.cg].sectors_missed, 1);
  end();
}

static void test_local_write_back(void **state) {
  (void)state;
  for (unsigned stays = 0; stays < 2; stays++) {
    rig_open(&g, "l1.sets=1", "l1.ways=1", stays ? "l1.local_wb=true" : "l1.local_wb=false", NULL);
    synth_init(&s, 1, 1);
    c = rig_code(&s, WEIR_SP_LOCAL);
    load(c.ld0, A);
    put(c.use0);
    load(c.st, A);
    load(c.st, A);
    put(c.fence);
    load(c.ld1, B); /* drives A out */
    run();
    assert_int_equal(r.l1.stores, 2);
    assert_int_equal(r.l2.writes, stays ? 1 : 2);
    assert_int_equal(r.l2.write_sectors, stays ? 4 : 8);
    assert_int_equal(r.l1.evictions[WEIR_BY_REPLACEMENT], stays ? 1 : 0);
    end();
  }
}

/* Eight local stores that stay in the L1: as many in a cycle as banks allow. */
static uint64_t eight_stores(bool conflict) {
  uint64_t lane[WEIR_LANES];
  rig_open(&g, "l1.ways=8", "l1.probes_per_cycle=8", "l1.banks=2", "l1.bank_bytes=32",
           "sm.coalesce_per_cycle=8", NULL);
  synth_init(&s, 1, 1);
  c = rig_code(&s, WEIR_SP_LOCAL);
  for (unsigned i = 0; i < WEIR_LANES; i++)
    lane[i] = A + 128 * (i % 8) + (conflict ? 0 : 32 * (i % 2));
  synth_list(&s, 0, 0, c.ld0, UINT32_MAX, lane);
  put(c.use0);
  synth_list(&s, 0, 0, c.st, UINT32_MAX, lane);
  put(c.fence);
  put(c.add);
  uint64_t t = run();
  assert_int_equal(r.l1.stores, 8);
  assert_int_equal(r.l1.store_hits, 8);
  end();
  return t;
}

static void test_bank_conflict(void **state) {
  (void)state;
  /* All sectors in one bank: eight cycles; in both: four. */
  assert_int_equal(eight_stores(true) - eight_stores(false), 4);
}

/* ---- interconnect ---- */

/* Stores of a whole line have 5 flits. */
static uint64_t two_stores(const char *buffer) {
  rig_open(&g, buffer, NULL);
  one_warp();
  load(c.st, A);
  load(c.st, B);
  uint64_t t = run();
  end();
  return t;
}

static void test_request_credits(void **state) {
  (void)state;
  uint64_t first = 1 + 4 + REQUEST; /* accepted; the second takes the port in 6 or waits */
  assert_int_equal(two_stores("noc.request_buffer=10"), first + 5 + L2 + REPLY);
  assert_int_equal(two_stores("noc.request_buffer=9"), first + CREDIT + 4 + REQUEST + L2 + REPLY);
  assert_int_equal(two_stores("noc.request_buffer=5"), first + CREDIT + 4 + REQUEST + L2 + REPLY);
}

static uint64_t two_loads(const char *buffer) {
  rig_open(&g, buffer, NULL);
  rig_warm_l2(&g, A, 2);
  one_warp();
  load(c.ld0, A);
  load(c.ld1, A + 128);
  put(c.use0);
  put(c.use1);
  uint64_t t = run();
  assert_int_equal(r.l2.read_hits, 2);
  end();
  return t;
}

static void test_reply_credits(void **state) {
  (void)state;
  assert_int_equal(two_loads("noc.reply_buffer=10"), L2_LINE + 5);
  assert_int_equal(two_loads("noc.reply_buffer=5"), L2_LINE + CREDIT + 4 + REPLY);
}

/* Replies leave one by one as credits come back, while requests fill the reply queue: a credit must
 * not wait behind a request that waits for it. */
static void test_full_reply_queue(void **state) {
  (void)state;
  rig_open(&g, "noc.reply_buffer=5", "noc.request_buffer=1000", "l1.sets=64", "l1.mshr_entries=256",
           "l2.sets=256", "sm.ldst_queue=256", NULL);
  rig_warm_l2(&g, A, 200);
  one_warp();
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, -1, -1);
  for (unsigned i = 0; i < 200; i++)
    load(ld, A + 128 * i);
  /* Each reply but the first waits for the credit of the one before. */
  assert_int_equal(run(), L2_LINE + 199 * (4 + REPLY + CREDIT));
  assert_int_equal(r.l2.read_hits, 200);
  assert_true(r.l2.stall_reply > 0);
  end();
}

/* Two SMs send at once: the lower number is served first. */
static void test_order_of_messages(void **state) {
  (void)state;
  rig_open(&g, "sm.count=2", "sm.blocks=1", NULL);
  rig_warm_l2(&g, A, 2);
  synth_init(&s, 2, 1);
  c = rig_code(&s, WEIR_SP_GLOBAL);
  synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, A, 4);
  synth_stride(&s, 1, 0, c.ld0, UINT32_MAX, A + 128, 4);
  synth_put(&s, 1, 0, c.use0);
  synth_stride(&s, 1, 0, c.ld1, UINT32_MAX, A + 128, 4);
  synth_put(&s, 1, 0, c.use1);
  assert_int_equal(run(), L2_LINE + 5 + 1 + L1_HIT);
  end();
}

/* Two packets of 5 flits arrive at a slice at once: the second is taken when the first is in. */
static void test_input_port(void **state) {
  (void)state;
  rig_open(&g, "sm.count=2", "sm.blocks=1", NULL);
  synth_init(&s, 2, 1);
  c = rig_code(&s, WEIR_SP_GLOBAL);
  synth_stride(&s, 0, 0, c.st, UINT32_MAX, A, 4);
  synth_stride(&s, 1, 0, c.st, UINT32_MAX, B, 4);
  assert_int_equal(run(), 1 + 4 + REQUEST + 5 + L2 + REPLY);
  end();
}

#define T(f) cmocka_unit_test(f)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_dram_latency),
      T(test_l2_latency),
      T(test_texture),
      T(test_texture_diverged),
      T(test_surface),
      T(test_hit_latency),
      T(test_load_extra),
      T(test_merge),
      T(test_entry_drains),
      T(test_no_mshr),
      T(test_no_merge),
      T(test_no_line),
      T(test_allocate_on_fill),
      T(test_no_inflight),
      T(test_no_miss_queue),
      T(test_no_bypass_queue),
      T(test_data_port),
      T(test_fill_waits_for_port),
      T(test_stall_of_second_probe),
      T(test_order_of_failures),
      T(test_bypass),
      T(test_bypass_whole_line),
      T(test_bypass_segment),
      T(test_reply_port),
      T(test_disabled),
      T(test_write_evict),
      T(test_write_through),
      T(test_no_allocate),
      T(test_alloc_nofetch),
      T(test_store_poisons_pending),
      T(test_fence),
      T(test_fence_without_stores),
      T(test_atomic),
      T(test_partial_miss),
      T(test_fetched),
      T(test_local_write_back),
      T(test_bank_conflict),
      T(test_request_credits),
      T(test_reply_credits),
      T(test_full_reply_queue),
      T(test_order_of_messages),
      T(test_input_port),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
