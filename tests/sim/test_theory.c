/* The model against closed forms: latencies of the machines in gpus/, bandwidth of whatever is the
 * bottleneck of a small one, LRU against stack distances, Little's law. test_theory SOURCE_FOLDER
 */
#include "rig.h"

#include <stdio.h>

#include "flow.h"
#include "machine/bounds.h"

static const char *folder;

static const char *const machines[] = {"fermi-s0",  "fermi-s3",   "fermi-s4", "gtx480-cfg",
                                       "pascal-s1", "pascal-cfg", "gcn-s2",   "v100-cfg",
                                       "v100",      "a100",       "h200"};
enum { MACHINES = sizeof machines / sizeof *machines };

static void open_machine(struct rig *g, const char *name, const char *const *set) {
  char path[4096];
  struct weir_err err;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000000, .check = true};
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, name);
  machine_init_plain(&g->x, path, set);
  assert_int_equal(weir_sim_new(&g->x.m, NULL, &o, &g->sim, &err), WEIR_OK);
}

/* ---- pointer chases: each load's address depends on the load before ---- */

/* Cycles per load of one warp that goes round `n` lines `rounds` times. */
static uint64_t chase(struct rig *g, unsigned n, unsigned rounds, struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  uint64_t line = (uint64_t)g->x.m.l1.line;
  for (unsigned i = 0; i < n * rounds; i++)
    synth_uniform(&s, 0, 0, ld, 0x100000 + i % n * line);
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

/* `n` loads, one after the other, of `addr`. */
static uint64_t chase_list(struct rig *g, const uint64_t *addr, unsigned n,
                           struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned i = 0; i < n; i++)
    synth_uniform(&s, 0, 0, ld, addr[i]);
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

/* One load from the L2, the others from the L1. The last result ends the block: no use is needed.
 */
static void chase_l1(const char *name, const char *at) {
  struct rig g;
  struct weir_sim_result r;
  const char *const set[] = {"l1.flush_on_kernel=true", at, NULL};
  open_machine(&g, name, set);
  const struct weir_machine *m = &g.x.m;
  chase(&g, 1, 1, &r);
  uint64_t t = chase(&g, 1, 100, &r);
  assert_int_equal(r.l2.read_hits, 1);
  assert_int_equal(r.l1.hits, 99);
  assert_int_equal(t, weir_l2_latency(m, weir_l2_fetch(m)) + 99 * weir_l1_latency(m));
  rig_close(&g);
}

/* More lines than one L1 holds, and fewer than the L2: every load of the second kernel goes there.
 */
static void chase_l2(const char *name, const char *at) {
  struct rig g;
  struct weir_sim_result r;
  const char *const small[] = {"l1.unified_bytes=0", "l1.ways=1", "l1.flush_on_kernel=true", at,
                               NULL};
  open_machine(&g, name, small);
  const struct weir_machine *m = &g.x.m;
  unsigned n = 2 * (unsigned)m->l1.sets;
  chase(&g, n, 1, &r);
  uint64_t t = chase(&g, n, 1, &r);
  assert_int_equal(r.l1.misses, n);
  assert_int_equal(r.l2.read_hits, n);
  assert_int_equal(t, n * weir_l2_latency(m, weir_l2_fetch(m)));
  rig_close(&g);
}

/* The first line of each channel from `from` on, and the next one of the same row, in pairs. Which
 * lines share a row is a matter of dram.map: neighbours need not. */
static void find_pairs(const struct weir_machine *m, uint64_t from, uint64_t *addr) {
  unsigned channels = (unsigned)m->dram.channels, n = 0;
  struct weir_bank_map map;
  struct weir_place *first = calloc(channels, sizeof *first);
  assert_non_null(first);
  assert_null(weir_bank_map_init(&map, &m->dram));
  for (uint64_t a = from; n < 2 * channels; a += (uint64_t)m->l2.line) {
    uint32_t slice = weir_slice_of(m, a), c = slice / (uint32_t)(m->l2.slices / m->dram.channels);
    struct weir_place p = weir_bank_place(&map, weir_addr_local(&m->map, a, slice));
    if (addr[2 * c] != 0 &&
        (addr[2 * c + 1] != 0 || p.row != first[c].row || p.bank != first[c].bank))
      continue;
    if (addr[2 * c] == 0) first[c] = p;
    addr[addr[2 * c] == 0 ? 2 * c : 2 * c + 1] = a;
    n++;
  }
  free(first);
}

/* In each channel two lines of one row: the first opens a closed bank, the second finds it open,
 * or closed again if rows are closed by their last access.
 * Every load meets another phase of the clocks. */
static void chase_dram(const char *name, const char *at) {
  struct rig g;
  struct weir_sim_result r;
  const char *const set[] = {at, NULL};
  open_machine(&g, name, set);
  const struct weir_machine *m = &g.x.m;
  unsigned channels = (unsigned)m->dram.channels, n = 2 * channels;
  uint64_t *addr = calloc(n, sizeof *addr);
  assert_non_null(addr);
  find_pairs(m, 0x100000, addr);
  const bool stays = m->dram.page == WEIR_DRAM_OPEN;
  uint64_t t = chase_list(&g, addr, n, &r), begin = r.start + (uint64_t)m->sm.start_delay,
           now = begin;
  for (unsigned i = 0; i < n; i++) {
    uint64_t accepted = now + 1 + weir_tags_latency(m) + (uint64_t)m->noc.request_cyc;
    now += weir_l2_latency(m, weir_l2_fetch(m)) +
           weir_dram_latency(m, weir_dram_fetch(m), accepted,
                             i % 2 != 0 && stays ? WEIR_BANK_HAS_ROW : WEIR_BANK_CLOSED);
  }
  assert_int_equal(r.dram.row_misses, stays ? channels : n);
  assert_int_equal(r.dram.row_conflicts, 0);
  assert_int_equal(t, now - begin);
  free(addr);
  rig_close(&g);
}

/* Lines of one set of an L2 of one way: each load takes the place of the one before, and the L3 has
 * them all. The first round comes from DRAM, through the L3. */
static void chase_l3(const char *name, const char *at) {
  struct rig g;
  struct weir_sim_result r;
  const char *const set[] = {
      "l3.enabled=true", "l3.latency=33", "l2.ways=1", "l1.flush_on_kernel=true", at, NULL};
  enum { N = 20 };
  uint64_t addr[N];
  open_machine(&g, name, set);
  const struct weir_machine *m = &g.x.m;
  unsigned n = 0;
  for (uint64_t a = 0x100000; n < N; a += (uint64_t)m->l2.line)
    if (weir_slice_of(m, a) == 0 && weir_addr_set(&m->map, a) == 1) addr[n++] = a;
  uint64_t t = chase_list(&g, addr, 1, &r);
  uint64_t accepted =
      r.start + weir_tags_latency(m) + (uint64_t)(m->sm.start_delay + 1 + m->noc.request_cyc);
  assert_int_equal(t, weir_l2_latency(m, weir_l2_fetch(m)) +
                          weir_dram_latency(m, weir_dram_fetch(m), accepted, WEIR_BANK_CLOSED));
  chase_list(&g, addr, n, &r);
  assert_int_equal(r.l3.read_misses, n - 1);
  t = chase_list(&g, addr, n, &r);
  assert_int_equal(r.l3.read_hits, n);
  assert_int_equal(r.dram.reads, 0);
  assert_int_equal(t, n * weir_l3_latency(m, weir_l2_fetch(m)));
  rig_close(&g);
}

static void test_latencies(void **state) {
  (void)state;
  static const char *const at[] = {"l1.latency_at=data", "l1.latency_at=tags"};
  for (unsigned i = 0; i < 2 * MACHINES; i++) {
    chase_l1(machines[i / 2], at[i % 2]);
    chase_l2(machines[i / 2], at[i % 2]);
    chase_dram(machines[i / 2], at[i % 2]);
    chase_l3(machines[i / 2], at[i % 2]);
  }
  static const char *const memory[] = {"dram.atom_bytes=64",         "dram.atom_bytes=128",
                                       "dram.queue_counts=requests", "dram.input_queue=4",
                                       "l2.sectored=false",          "l2.port_bytes=8"};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    chase_dram("fermi-s3", memory[i]);
}

/* ---- bandwidth: many warps, independent loads; the bottleneck is known ---- */

static void within(uint64_t got, double want, double part) {
  if ((double)got < want * (1 - part) || (double)got > want * (1 + part))
    fail_msg("%llu cycles, not %.0f within %.0f %%", (unsigned long long)got, want, 100 * part);
}

/* An L1 that is never short of anything. */
#define BIG "l1.sets=64", "l1.ways=8", "l1.mshr_entries=256", "l2.mshr_entries=256"

/* `warps` warps of `each` loads of whole lines, all different or (reuse) all in 16 lines. */
static uint64_t stream(struct rig *g, unsigned warps, unsigned each, bool reuse,
                       struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, warps);
  uint32_t ld[8];
  for (int i = 0; i < 8; i++)
    ld[i] = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, i, -1);
  for (unsigned i = 0; i < each; i++)
    for (unsigned w = 0; w < warps; w++) {
      uint64_t line = i * warps + w;
      synth_stride(&s, 0, w, ld[i % 8], UINT32_MAX, 0x100000 + (reuse ? line % 16 : line) * 128, 4);
    }
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

/* One line per cycle from the L1. */
static void test_l1_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l1.flush_on_kernel=false", NULL);
  stream(&g, 16, 1, true, &r);
  uint64_t t = stream(&g, 16, 200, true, &r);
  assert_int_equal(r.l1.hits, 3200);
  within(t, 3200, 0.05);
  rig_close(&g);
  rig_open(&g, "l1.flush_on_kernel=false", "l1.port_bytes=64", NULL);
  stream(&g, 16, 1, true, &r);
  within(stream(&g, 16, 200, true, &r), 2 * 3200, 0.05); /* half a line per cycle */
  rig_close(&g);
}

/* A slice sends a line in 5 flits. */
static void test_reply_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "l2.sets=1024", NULL);
  stream(&g, 16, 100, false, &r);
  uint64_t t = stream(&g, 16, 100, false, &r);
  assert_int_equal(r.l2.read_hits, 1600);
  within(t, 5 * 1600, 0.05);
  rig_close(&g);
}

/* Replies of one SM under way: buffer over the time until a credit is back. */
static void test_credit_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "l2.sets=1024", "noc.reply_buffer=10", NULL);
  stream(&g, 16, 100, false, &r);
  uint64_t t = stream(&g, 16, 100, false, &r);
  /* Two lines for each round: last flit, reply, credit. */
  within(t, 1600 / 2.0 * (4 + REPLY + CREDIT), 0.05);
  rig_close(&g);
}

/* Sequential lines of one channel: every column takes the data bus for `burst`; a row is opened in
 * one bank while another gives data. */
static void test_dram_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, BIG, "dram.burst_cyc=4", "dram.t_ccd=2", "dram.t_ccdl=4", "dram.queue=64", NULL);
  uint64_t t = stream(&g, 16, 100, false, &r);
  assert_int_equal(r.dram.reads, 6400);
  within(t, 6400 * 4, 0.05);
  rig_close(&g);
  /* Half the clock: twice the time. */
  rig_open(&g, BIG, "dram.burst_cyc=4", "dram.t_ccd=2", "dram.t_ccdl=4", "dram.queue=64",
           "dram.clock_mhz=500", NULL);
  within(stream(&g, 16, 100, false, &r), 6400 * 8, 0.05);
  rig_close(&g);
}

/* One column of each row in one bank: every access pays t_rc. */
static void test_row_cycle_bandwidth(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "dram.banks=1", "dram.bank_groups=1", "l1.sectored=true", "dram.t_rc=60",
           "dram.t_rp=20", "dram.t_ras=40", NULL);
  synth_init(&s, 1, 8);
  uint32_t ld[8];
  for (int i = 0; i < 8; i++)
    ld[i] = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, i, -1);
  for (unsigned i = 0; i < 400; i++)
    synth_uniform(&s, 0, i % 8, ld[i / 8 % 8], 0x100000 + i * UINT64_C(2048));
  uint64_t t = rig_run(&g, &s, &r);
  assert_int_equal(r.dram.activates, 400);
  within(t, 400 * 60, 0.05);
  synth_free(&s);
  rig_close(&g);
}

/* Loads in flight = rate times latency: with n allowed, n loads per latency. */
static void test_littles_law(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 4; n++) {
    char inflight[32];
    struct rig g;
    struct weir_sim_result r;
    snprintf(inflight, sizeof inflight, "sm.inflight=%u", n);
    rig_open(&g, BIG, "l2.sets=1024", inflight, NULL);
    stream(&g, 4, 100, false, &r);
    uint64_t t = stream(&g, 4, 100, false, &r);
    assert_int_equal(r.l2.read_hits, 400);
    within(t, 400.0 / n * (L2_LINE - 1), 0.05);
    rig_close(&g);
  }
}

/* Arrivals and departures of blocks, seen from outside. The engine asks for blocks and gives them
 * back between windows, which are of one cycle here; the call of `progress` that follows tells the
 * time. */
struct watch {
  struct flow flow;
  uint64_t n_arrived, n_left, arrived, left; /* since the last call; sums of times */
  uint64_t now, dispatch;
};

static enum weir_status watched_next(struct weir_block_source *src, struct weir_block_stream **out,
                                     struct weir_err *err) {
  struct watch *w = src->self; /* begins with its flow */
  enum weir_status st = flow_next(src, out, err);
  if (st == WEIR_OK && *out != NULL) w->n_arrived++;
  return st;
}

static void watched_release(struct weir_block_source *src, struct weir_block_stream *b) {
  struct watch *w = src->self;
  w->n_left++;
  flow_release(src, b);
}

static bool watch_progress(void *self, uint64_t cycle, uint64_t blocks_done) {
  struct watch *w = self;
  (void)blocks_done;
  uint64_t at = cycle - 1;
  w->left += w->n_left * at;
  if (w->now == 0) /* the first blocks: one per cycle */
    for (uint64_t i = 0; i < w->n_arrived; i++)
      w->arrived += i;
  else
    w->arrived += w->n_arrived * (at + w->dispatch);
  w->n_arrived = w->n_left = 0;
  w->now = cycle;
  return true;
}

static uint64_t random_addr(const struct flow *f, uint32_t warp, uint32_t i) {
  (void)f;
  uint64_t state = UINT64_C(1000003) * warp + i;
  return rnd(&state) % 1024 * 128;
}

/* Blocks of one warp whose loads depend on one another, in random lines that hit and miss in the L1
 * and in the L2: the loads in flight are as many as the resident blocks, which sm.blocks says.
 * Their number must be the rate that the statistics give, times the mean time that the blocks took.
 */
static void test_littles_law_random(void **state) {
  (void)state;
  enum { BLOCKS = 300, LOADS = 40 };
  for (unsigned n = 1; n <= 32; n *= 2) {
    char blocks[32];
    struct machine x;
    struct weir_sim *sim;
    struct weir_sim_result r;
    struct weir_err err;
    struct watch w = {.dispatch = 1};
    snprintf(blocks, sizeof blocks, "sm.blocks=%u", n);
    const char *set[64], *const more[] = {blocks, "sm.dispatch_latency=1", "l1.mshr_entries=64",
                                          "l2.sets=16", NULL};
    memcpy(set, rig_set, sizeof rig_set);
    memcpy(set + sizeof rig_set / sizeof *rig_set, more, sizeof more);
    machine_init(&x, NULL, set);
    struct weir_sim_options o = {.threads = 1,
                                 .window = 1,
                                 .watchdog = 100000,
                                 .check = true,
                                 .progress = watch_progress,
                                 .self = &w};
    flow_init(&w.flow, WEIR_C_LOAD, BLOCKS, 1, 1);
    w.flow.each = LOADS;
    w.flow.is_uniform = true;
    w.flow.addr = random_addr;
    w.flow.insns[0].src[0] = 0;
    w.flow.insns[0].n_src = 1;
    struct weir_block_source *src = flow_source(&w.flow);
    src->next = watched_next;
    src->release = watched_release;
    assert_int_equal(weir_sim_new(&x.m, NULL, &o, &sim, &err), WEIR_OK);
    if (weir_sim_kernel(sim, src, &r, &err) != WEIR_OK) fail_msg("%s", err.msg);
    assert_int_equal(r.blocks_per_sm, n);
    assert_int_equal(r.l1.loads, BLOCKS * LOADS);
    assert_true(r.l1.hits > 0 && r.l2.read_hits > 0 && r.dram.reads > 0);
    double rate = (double)r.l1.loads / (double)r.cycles,
           latency = (double)(w.left - w.arrived) / (BLOCKS * LOADS);
    if (rate * latency < 0.95 * n || rate * latency > 1.05 * n)
      fail_msg("%u blocks: %.4f loads per cycle of %.1f cycles", n, rate, latency);
    weir_sim_free(sim);
    flow_free(&w.flow);
    machine_free(&x);
  }
}

/* ---- LRU: a load hits if fewer than `ways` other lines of its set were used since ---- */

enum { LOADS = 2000, LINES = 96, MAX_SETS = 8 };

struct oracle {
  uint64_t stack[MAX_SETS][LINES]; /* of each set, the most recent first */
  unsigned depth[MAX_SETS], sets;
};

/* The stack distance of a line, which is then the most recent; LINES: never used before. */
static unsigned distance(struct oracle *o, uint64_t line) {
  uint64_t *set = o->stack[line % o->sets];
  unsigned n = o->depth[line % o->sets], k = 0;
  while (k < n && set[k] != line)
    k++;
  if (k == n) o->depth[line % o->sets]++;
  memmove(set + 1, set, k * sizeof *set);
  set[0] = line;
  return k < n ? k : LINES;
}

/* Three kinds of stream: even, half of the loads in a quarter of the lines, and a walk that turns.
 */
static uint64_t random_line(uint64_t *rng, unsigned kind, uint64_t last) {
  if (kind == 0) return below(rng, LINES);
  if (kind == 1) return below(rng, below(rng, 2) ? LINES / 4 : LINES);
  return (last + LINES + below(rng, 9) - 4) % LINES;
}

static void one_lru(unsigned sets, unsigned ways, unsigned kind) {
  char set_sets[32], set_ways[32];
  uint64_t rng = 100 * sets + 10 * ways + kind, hits = 0, line = 0;
  struct oracle o = {.sets = sets};
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  snprintf(set_sets, sizeof set_sets, "l1.sets=%u", sets);
  snprintf(set_ways, sizeof set_ways, "l1.ways=%u", ways);
  rig_open(&g, set_sets, set_ways, NULL);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned i = 0; i < LOADS; i++) {
    line = random_line(&rng, kind, line);
    hits += distance(&o, line) < ways;
    synth_uniform(&s, 0, 0, ld, line * 128);
  }
  rig_run(&g, &s, &r);
  assert_int_equal(r.l1.hits, hits);
  assert_int_equal(r.l1.hits + r.l1.misses, LOADS);
  assert_true(hits > 0 && hits < LOADS);
  synth_free(&s);
  rig_close(&g);
}

static void test_lru_oracle(void **state) {
  (void)state;
  for (unsigned ways = 1; ways <= 16; ways++)
    for (unsigned sets = 1; sets <= MAX_SETS; sets *= 2)
      for (unsigned kind = 0; kind < 3; kind++)
        one_lru(sets, ways, kind);
}

/* More ways never hurt LRU with the same sets. */
static void test_inclusion(void **state) {
  (void)state;
  uint64_t last = 0;
  for (unsigned ways = 1; ways <= 8; ways++) {
    char set[32];
    uint64_t rng = 7;
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    snprintf(set, sizeof set, "l1.ways=%u", ways);
    rig_open(&g, set, NULL);
    synth_init(&s, 1, 1);
    uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
    for (unsigned i = 0; i < 1000; i++)
      synth_uniform(&s, 0, 0, ld, below(&rng, 32) * UINT64_C(128));
    rig_run(&g, &s, &r);
    assert_true(r.l1.hits >= last);
    last = r.l1.hits;
    synth_free(&s);
    rig_close(&g);
  }
  assert_int_equal(last, 1000 - 32); /* everything fits */
}

#define T(f) cmocka_unit_test(f)
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      T(test_latencies),        T(test_l1_bandwidth),       T(test_reply_bandwidth),
      T(test_credit_bandwidth), T(test_dram_bandwidth),     T(test_row_cycle_bandwidth),
      T(test_littles_law),      T(test_littles_law_random), T(test_lru_oracle),
      T(test_inclusion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
