/* Lines of the L1 and of the L2 of 32 to 256 bytes, each with each: cold misses, latencies and
 * bandwidths in closed form; stores, atomics and write-backs that are split; marks; every
 * organisation and policy; the same bytes from every engine.
 *   test_lines SOURCE_FOLDER */
#include "rig.h"

#include <stdio.h>

#include "flow.h"
#include "machine/bounds.h"

static const char *folder;
static const unsigned sizes[] = {32, 64, 128, 256};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Two assignments of lines. */
struct pair {
  char l1[32], l2[32];
};

static struct pair pair_of(unsigned l1, unsigned l2) {
  struct pair p;
  snprintf(p.l1, sizeof p.l1, "l1.line=%u", l1);
  snprintf(p.l2, sizeof p.l2, "l2.line=%u", l2);
  return p;
}

static unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static void for_all(void (*test)(unsigned l1, unsigned l2)) {
  for (unsigned i = 0; i < SIZES; i++)
    for (unsigned k = 0; k < SIZES; k++)
      test(sizes[i], sizes[k]);
}

/* ---- counts: every byte of a range once, by one warp ---- */

enum { BYTES = 16384, FROM = 0x100000 };

static void walk(struct rig *g, enum weir_class cls, enum weir_cache_op op,
                 struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t i = synth_access(&s, cls, WEIR_SP_GLOBAL, 4, cls == WEIR_C_STORE ? -1 : 0, -1);
  s.insns[i].cache_op = (uint8_t)op;
  for (uint64_t a = 0; a < BYTES; a += 128)
    synth_stride(&s, 0, 0, i, UINT32_MAX, FROM + a, 4);
  rig_run(g, &s, r);
  synth_free(&s);
}

/* A line of 256 bytes is asked for twice, once for each half. */
static void count_reads(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  for (unsigned is_sectored = 0; is_sectored < 2; is_sectored++) {
    struct rig g;
    struct weir_sim_result r;
    rig_open(&g, "l1.sets=64", "l2.sets=1024", is_sectored ? "l1.sectored=true" : "l1.ways=4", p.l1,
             p.l2, NULL);
    walk(&g, WEIR_C_LOAD, WEIR_CO_NONE, &r);
    unsigned asked = is_sectored ? smaller(l1, 128) : l1; /* by an L1 miss, at once */
    assert_int_equal(r.l1.loads, BYTES / smaller(l1, 128));
    assert_int_equal(r.l1.misses, BYTES / l1);
    assert_int_equal(r.l1.misses + r.l1.partial_misses, BYTES / asked);
    assert_int_equal(r.l1.fills, BYTES / asked);
    assert_int_equal(r.l1.fill_sectors, BYTES / 32);
    assert_int_equal(r.l1.requests, BYTES / smaller(asked, l2));
    assert_int_equal(r.l2.reads, r.l1.requests);
    assert_int_equal(r.l2.read_misses, BYTES / l2);
    assert_int_equal(r.l2.read_sectors, BYTES / 32);
    assert_int_equal(r.dram.reads, BYTES / 32);
    /* A packet is a header, or a header and its part of the line. */
    assert_int_equal(r.l1.request_flits, r.l1.requests);
    assert_int_equal(r.l1.reply_flits, r.l1.requests * weir_flits(&g.x.m.noc, smaller(asked, l2)));
    rig_close(&g);
  }
}

/* Past the L1 the sectors of an access are asked for, wherever lines end. */
static void count_past(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l2.sets=1024", p.l1, p.l2, NULL);
  walk(&g, WEIR_C_LOAD, WEIR_CO_CG, &r);
  assert_int_equal(r.l1.bypassed, BYTES / smaller(l1, 128));
  assert_int_equal(r.l1.requests, BYTES / smaller(smaller(l1, 128), l2));
  assert_int_equal(r.l2.read_sectors, BYTES / 32);
  assert_int_equal(r.dram.reads, BYTES / 32);
  rig_close(&g);
}

static void count_writes(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l2.sets=1024", p.l1, p.l2, NULL);
  walk(&g, WEIR_C_STORE, WEIR_CO_NONE, &r);
  assert_int_equal(r.l1.stores, BYTES / smaller(l1, 128));
  assert_int_equal(r.l1.requests, BYTES / smaller(smaller(l1, 128), l2));
  assert_int_equal(r.l2.writes, r.l1.requests);
  assert_int_equal(r.l2.write_misses, BYTES / l2);
  assert_int_equal(r.l2.write_sectors, BYTES / 32);
  assert_int_equal(r.dram.reads, 0); /* all sectors are written whole */
  walk(&g, WEIR_C_LOAD, WEIR_CO_NONE, &r);
  assert_int_equal(r.dram.reads, 0);
  assert_int_equal(r.l2.read_hits, r.l2.reads);
  walk(&g, WEIR_C_ATOM, WEIR_CO_NONE, &r);
  assert_int_equal(r.l1.atomics, BYTES / smaller(l1, 128));
  assert_int_equal(r.l2.atomics, BYTES / smaller(smaller(l1, 128), l2));
  assert_int_equal(r.l2.atomics, r.l1.requests);
  rig_close(&g);
}

static void test_counts(void **state) {
  (void)state;
  for_all(count_reads);
  for_all(count_past);
  for_all(count_writes);
}

/* Local lines that are replaced go back whole, in packets. */
static void write_back(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "l1.sets=1", "l1.ways=1", "l1.local_wb=true", "l1.write=alloc_nofetch",
           "l2.sets=1024", p.l1, p.l2, NULL);
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_LOCAL, 4, 0, -1),
           st = synth_access(&s, WEIR_C_STORE, WEIR_SP_LOCAL, 4, -1, 0);
  for (uint64_t a = 0; a < 4096; a += l1) { /* first it is there, then it is dirty */
    uint32_t lanes = l1 >= 128 ? UINT32_MAX : (1u << l1 / 4) - 1;
    for (uint64_t half = 0; half < l1; half += 128)
      synth_stride(&s, 0, 0, ld, lanes, FROM + a + half, 4);
    for (uint64_t half = 0; half < l1; half += 128)
      synth_stride(&s, 0, 0, st, lanes, FROM + a + half, 4);
  }
  rig_run(&g, &s, &r);
  unsigned lines = 4096 / l1 - 1; /* the last one stays */
  assert_int_equal(r.l1.misses, lines + 1);
  assert_int_equal(r.l1.writebacks, lines);
  assert_int_equal(r.l2.writes, lines * (l1 / smaller(l1, l2)));
  assert_int_equal(r.l2.write_sectors, lines * (l1 / 32));
  assert_int_equal(r.l2.reads, (lines + 1) * (l1 / smaller(l1, l2)));
  synth_free(&s);
  rig_close(&g);
}

static void test_write_backs(void **state) {
  (void)state;
  for_all(write_back);
}

/* ---- latency ---- */

/* Loads that depend on one another, one in each line of the L1. */
static uint64_t chase(struct rig *g, unsigned n, struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (unsigned i = 0; i < n; i++)
    synth_uniform(&s, 0, 0, ld, FROM + i * (uint64_t)g->x.m.l1.line);
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

/* From the L2, whose slices take turns at every line or share none. */
static void chase_l2(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  char turns[32];
  snprintf(turns, sizeof turns, "l2.interleave=%u", l2);
  for (unsigned k = 0; k < 12; k++) {
    struct rig g;
    struct weir_sim_result r;
    rig_open(&g, p.l1, p.l2, turns, "l2.sets=64", k & 1 ? "l2.slices=4" : "l2.slices=1",
             k & 2 ? "l1.sectored=true" : "l1.sectored=false",
             k / 4 == 0   ? "noc.flit_bytes=32"
             : k / 4 == 1 ? "noc.flit_bytes=4"
                          : "noc.flit_bytes=1024",
             "sm.load_extra=3", "noc.request_buffer=1024", "noc.reply_buffer=1024", NULL);
    const struct weir_machine *m = &g.x.m;
    enum { N = 64 };
    chase(&g, N, &r);
    uint64_t t = chase(&g, N, &r);
    assert_int_equal(r.l1.misses, N);
    assert_int_equal(r.dram.reads, 0);
    assert_int_equal(t, N * weir_l2_latency(m, weir_l2_fetch(m)));
    /* By hand: packets of at most the smaller line, one behind the other. */
    unsigned asked = k & 2 ? 32 : l1, each = smaller(asked, l2);
    uint64_t f = weir_flits(&m->noc, each), more = asked / each - 1;
    assert_int_equal(weir_l2_latency(m, weir_l2_fetch(m)),
                     REQUEST + L2 + REPLY + 3 + weir_flits(&m->noc, 0) + f - 1 + more * f);
    rig_close(&g);
  }
}

/* Cycles of a load of one closed bank, worked out packet by packet: each is accepted a cycle after
 * the one before, its columns follow those before it, its reply goes when the last that it wants is
 * there, and the ports send one after the other. `first`: sector of its L2 line that it begins
 * with; `want` sectors are asked for, of which packets have `each`. */
static uint64_t dram_by_hand(const struct weir_machine *m, unsigned first, unsigned want,
                             unsigned each) {
  uint64_t accepted = 1 + REQUEST, sent = 0, taken = 0,
           f = weir_flits(&m->noc, smaller(want, each) * 32);
  uint64_t column = accepted + 1 + RCD - CCDL; /* of the last; the first opens the row */
  unsigned all = (unsigned)m->l2.line / 32;
  for (unsigned at = 0; at < want; at += each, accepted++) {
    unsigned from = m->l2.sectored ? first : 0, to = m->l2.sectored ? first + each : all;
    uint64_t last = 0;
    for (unsigned k = from; k < to; k++) {
      column = weir_max64(column + CCDL, accepted + 1);
      if (k >= first && k < first + smaller(want, each)) last = column;
    }
    uint64_t ready = last + CL + BURST + EXTRA + L2;
    sent = at == 0 ? ready : weir_max64(ready, sent + f);
    uint64_t arrives = sent + f - 1 + REPLY;
    taken = at == 0 ? arrives : weir_max64(arrives, taken + f);
  }
  return taken;
}

static void chase_dram(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  for (unsigned k = 0; k < 4; k++)
    for (unsigned place = 0; place < l2; place += smaller(l1, l2)) {
      struct rig g;
      struct synth s;
      struct weir_sim_result r;
      rig_open(&g, p.l1, p.l2, k & 1 ? "l1.sectored=true" : "l1.sectored=false",
               k & 2 ? "l2.sectored=true" : "l2.sectored=false", NULL);
      if (l1 > l2 && place > 0) {
        rig_close(&g);
        continue;
      }
      synth_init(&s, 1, 1);
      uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
      synth_uniform(&s, 0, 0, ld, FROM + place);
      uint64_t t = rig_run(&g, &s, &r);
      unsigned want = k & 1 ? 1 : l1 / 32;
      assert_int_equal(t, dram_by_hand(&g.x.m, place / 32, want, smaller(want, l2 / 32)));
      assert_int_equal(r.dram.reads, weir_dram_fetch(&g.x.m));
      synth_free(&s);
      rig_close(&g);
    }
}

static void test_latencies(void **state) {
  (void)state;
  for_all(chase_l2);
  for_all(chase_dram);
}

/* A fence waits for each packet of a store: the last of them is acknowledged last. */
static void fence(unsigned l1, unsigned l2) {
  struct pair p = pair_of(l1, l2);
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, p.l1, p.l2, NULL);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  synth_stride(&s, 0, 0, c.st, UINT32_MAX, FROM, 4);
  synth_put(&s, 0, 0, c.fence);
  synth_put(&s, 0, 0, c.add);
  uint64_t t = rig_run(&g, &s, &r);
  unsigned each = smaller(smaller(l1, 128), l2), n = 128 / each;
  uint64_t f = weir_flits(&g.x.m.noc, each);
  assert_int_equal(r.l2.writes, n);
  /* Each leaves when the one before has; the last one arrives with its last flit, and is answered
   * by a flit. The instruction behind the fence issues then. */
  assert_int_equal(t, 1 + (n - 1) * f + f - 1 + REQUEST + L2 + REPLY);
  synth_free(&s);
  rig_close(&g);
}

static void test_fence(void **state) {
  (void)state;
  for_all(fence);
}

/* ---- bandwidth ---- */

/* An access of 256 bytes is whole lines of every size. */
static uint64_t next_bytes(const struct flow *f, uint32_t warp, uint32_t i) {
  const uint64_t *wrap = f->self;
  uint64_t n = (uint64_t)i * f->n_blocks + warp;
  return (*wrap == 0 ? n : (n + n / *wrap) % *wrap) * 256;
}

struct stream {
  bool past, is_write, is_dram;
  uint32_t sms, regs;
};

static uint64_t cycles(const struct machine *x, const struct stream *s, uint32_t each) {
  struct weir_err err;
  struct weir_sim *sim;
  struct weir_sim_result r;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000000, .check = true};
  uint64_t wrap =
      s->is_dram ? 0 : 1023; /* what begins again is shifted: no SM finds its own lines */
  assert_int_equal(weir_sim_new(&x->m, NULL, &o, &sim, &err), WEIR_OK);
  for (unsigned k = s->is_dram; k < 2; k++) { /* the first brings it into the L2 */
    struct flow f;
    flow_init(&f, s->is_write ? WEIR_C_STORE : WEIR_C_LOAD, s->sms, 1, s->regs);
    f.each = each;
    f.addr = next_bytes;
    f.self = &wrap;
    for (uint32_t i = 0; i < s->regs; i++) {
      f.insns[i].width = 8;
      f.insns[i].cache_op = s->past ? WEIR_CO_CG : WEIR_CO_NONE;
    }
    if (weir_sim_kernel(sim, flow_source(&f), &r, &err) != WEIR_OK) fail_msg("%s", err.msg);
    flow_free(&f);
  }
  weir_sim_free(sim);
  return r.cycles;
}

/* `less`: what there is too little of, for another bottleneck. Those are upper bounds, which are
 * not always reached: requests of one SM or slice wait for one another. */
static void bandwidth(unsigned l1, unsigned l2, enum weir_flow flow, const char *less) {
  struct pair p = pair_of(l1, l2);
  char turns[32];
  const char *set[64];
  struct machine x;
  snprintf(turns, sizeof turns, "l2.interleave=%u", l2);
  const char *const more[] = {"sm.count=3",
                              "l2.slices=2",
                              "dram.channels=1",
                              "l2.sets=2048",
                              "l1.sets=64",
                              "l1.ways=8",
                              "l1.mshr_entries=256",
                              "l2.mshr_entries=256",
                              "l2.mshr_merge=8",
                              "l1.port_bytes=256",
                              "noc.reply_buffer=1024",
                              "dram.queue=256",
                              "noc.request_buffer=1024",
                              turns,
                              p.l1,
                              p.l2,
                              less,
                              NULL};
  size_t n = sizeof rig_set / sizeof *rig_set;
  memcpy(set, rig_set, sizeof rig_set);
  memcpy(set + n, more, sizeof more);
  machine_init(&x, NULL, set);
  struct weir_cap cap = weir_bottleneck(&x.m, flow);
  double want = weir_cap_value(&cap);
  bool is_dram = flow >= WEIR_FLOW_DRAM_READ;
  uint64_t latency = weir_l2_latency(&x.m, l1 / 32) +
                     (is_dram ? weir_dram_latency(&x.m, l1 / 32, 0, WEIR_BANK_CLOSED) : 0);
  struct stream s = {.past = flow == WEIR_FLOW_L2_BYPASS,
                     .is_write = flow == WEIR_FLOW_L2_WRITE,
                     .is_dram = is_dram,
                     .sms = (uint32_t)x.m.sm.count,
                     .regs = (uint32_t)(2 * want * (double)latency / 256 / 3) + 8};
  uint32_t each = (uint32_t)(4000 * want / 256 / s.sms) + 1;
  uint64_t t = cycles(&x, &s, 2 * each) - cycles(&x, &s, each);
  double got = 256.0 * each * s.sms / (double)t;
  if (got < (less == NULL ? 0.95 : 0.7) * want || got > 1.05 * want)
    fail_msg("l1.line %u, l2.line %u, %s (%s): %.2f bytes per cycle, expected %.2f: %.1f %%\n", l1,
             l2, weir_flow_names[flow], cap.where, got, want, 100 * got / want);
  machine_free(&x);
}

static void bandwidths(unsigned l1, unsigned l2) {
  bandwidth(l1, l2, WEIR_FLOW_L2_READ, NULL);
  bandwidth(l1, l2, WEIR_FLOW_L2_BYPASS, NULL);
  bandwidth(l1, l2, WEIR_FLOW_L2_WRITE, NULL);
  bandwidth(l1, l2, WEIR_FLOW_DRAM_READ, NULL);
  bandwidth(l1, l2, WEIR_FLOW_L2_READ, "l1.mshr_entries=2");
  bandwidth(l1, l2, WEIR_FLOW_L2_BYPASS, "sm.inflight=3");
  bandwidth(l1, l2, WEIR_FLOW_DRAM_READ, "l1.mshr_entries=4");
  bandwidth(l1, l2, WEIR_FLOW_DRAM_READ, "l2.mshr_entries=4");
  bandwidth(l1, l2, WEIR_FLOW_L2_READ, "noc.reply_buffer=18");
  bandwidth(l1, l2, WEIR_FLOW_L2_WRITE, "noc.request_buffer=18");
}

static void test_bandwidths(void **state) {
  (void)state;
  if (IS_SANITIZED) skip();
  for_all(bandwidths);
}

/* ---- a request and its packets ---- */

/* An L1 with lines of 256 bytes before an L2 with lines of 128, and a load of sectors on both sides
 * that misses. */
static struct weir_l1 *open_l1(struct machine *x) {
  const char *const set[] = {"l1.line=256", "l2.line=128", "l1.sectored=true", NULL};
  const struct weir_kernel k = {.n_insns = 1};
  struct weir_err err;
  machine_init(x, NULL, set);
  struct weir_l1 *l1 = weir_l1_create(&x->m, NULL, &(struct weir_l1_host){0}, &err);
  assert_non_null(l1);
  assert_true(weir_l1_kernel_begin(l1, &k, 0, 1));
  struct weir_l1_req q = {.a = {.addr = 0x1100, .sectors = 0x3c, .op = WEIR_LOAD}, .id = 5};
  assert_int_equal(weir_l1_present(l1, &q, 0, 1).answer, WEIR_L1_WAIT);
  return l1;
}

/* Each packet has its line, and sectors counted in it. */
static void take_packets(struct weir_l1 *l1, struct weir_msg packet[2]) {
  for (unsigned i = 0; i < 2; i++) {
    const struct weir_msg *p = weir_l1_peek(l1);
    assert_non_null(p);
    packet[i] = *p;
    weir_l1_pop(l1);
    assert_int_equal(p->kind, WEIR_MSG_READ);
    assert_int_equal(packet[i].addr, 0x1100 + 128 * i);
    assert_int_equal(packet[i].sectors, i == 0 ? 0xc : 0x3);
    assert_int_equal(packet[i].parts, i == 0 ? 0xc : 0x30);
    assert_int_not_equal(packet[i].flags & WEIR_REQ_PART, 0);
    packet[i].kind = WEIR_MSG_DATA;
  }
  assert_null(weir_l1_peek(l1));
  assert_int_equal(weir_l1_get_stats(l1, 1)->requests, 2);
}

/* The answer is whole when both have come, in any order, and marked if one of them was. */
static void answer_packets(struct weir_l1 *l1, const struct weir_msg packet[2], unsigned first,
                           uint8_t mark) {
  struct weir_msg whole, marked = packet[first];
  marked.flags |= mark;
  assert_false(weir_l1_join(l1, &marked, &whole));
  assert_true(weir_l1_join(l1, &packet[1 - first], &whole));
  assert_int_equal(whole.addr, 0x1100);
  assert_int_equal(whole.parts, 0x3c);
  assert_int_equal(whole.sectors, 0x3c);
  assert_int_equal(whole.flags, mark);
  assert_true(weir_l1_fill(l1, &whole, 100));
  assert_int_equal(weir_l1_drain(l1, 100), 5);
  assert_int_equal(weir_l1_get_stats(l1, 100)->fills, 1);
  assert_int_equal(weir_l1_get_stats(l1, 100)->fill_sectors, 4);
  assert_null(weir_l1_verify(l1));
}

static void test_packets(void **state) {
  (void)state;
  for (unsigned k = 0; k < 4; k++) {
    struct machine x;
    struct weir_msg packet[2];
    struct weir_l1 *l1 = open_l1(&x);
    take_packets(l1, packet);
    struct weir_l1 *twin = weir_l1_clone(l1, &(struct weir_l1_host){0});
    assert_non_null(twin);
    answer_packets(l1, packet, k & 1, k & 2 ? WEIR_REP_MARKED : 0);
    answer_packets(twin, packet, k & 1, k & 2 ? WEIR_REP_MARKED | WEIR_REP_OTHER : 0);
    weir_l1_destroy(l1);
    weir_l1_destroy(twin);
    machine_free(&x);
  }
}

/* Conservation: what was asked for comes, once. */
static void test_packets_lost(void **state) {
  (void)state;
  struct machine x;
  struct weir_msg packet[2], whole;
  struct weir_l1 *l1 = open_l1(&x);
  take_packets(l1, packet);
  assert_false(weir_l1_join(l1, &packet[0], &whole));
  assert_true(weir_l1_join(l1, &packet[0], &whole)); /* twice the same */
  whole.parts = 0x3c;
  assert_true(weir_l1_fill(l1, &whole, 100));
  weir_l1_drain(l1, 100);
  assert_string_equal(weir_l1_verify(l1),
                      "packets of a split request brought what it had not asked for");
  weir_l1_destroy(l1);
  machine_free(&x);
}

/* ---- the same bytes from every engine ---- */

static void compare_engines(unsigned l1, unsigned l2) {
  static const struct weir_sim_options ways[] = {{.threads = 1},
                                                 {.threads = 1, .literal = true},
                                                 {.threads = 1, .window = 1},
                                                 {.threads = 2},
                                                 {.threads = 3}};
  struct pair p = pair_of(l1, l2);
  const char *const set[] = {p.l1,
                             p.l2,
                             "sm.count=5",
                             "l1.sets=4",
                             "l2.sets=4",
                             "l2.interleave=256",
                             "l1.miss_queue=2",
                             "l1.mshr_entries=4",
                             NULL};
  struct machine x;
  struct synth a, b;
  struct synth *const kernels[] = {&a, &b};
  struct weir_sim_result want[2], got[2];
  machine_init(&x, NULL, set);
  synth_random(&a, 1000 * l1 + l2);
  synth_random(&b, 1000 * l2 + l1 + 1);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct weir_sim_options o = ways[i];
    o.watchdog = 200000;
    o.check = true;
    synth_run(&x, NULL, kernels, 2, &o, i == 0 ? want : got);
    for (unsigned k = 0; i > 0 && k < 2; k++)
      if (!same_result(&want[k], &got[k]))
        fail_msg("l1.line %u, l2.line %u: engine %zu differs", l1, l2, i);
  }
  synth_free(&a);
  synth_free(&b);
  machine_free(&x);
}

static void test_engines(void **state) {
  (void)state;
  if (IS_SANITIZED) skip();
  for_all(compare_engines);
}

/* ---- all parts ---- */

static const void *default_cfg(const struct weir_part *part, char *cfg) {
  assert_true(part->cfg_bytes <= 1024);
  memset(cfg, 0, 1024);
  if (part->params != NULL) weir_param_defaults(part->params, cfg);
  return cfg;
}

/* An organisation, with LRU if it has none of its own to choose lines, and a policy. */
static bool make_design(struct weir_design *d, const struct machine *x,
                        const struct weir_org_ops *org, const struct weir_policy_ops *policy,
                        bool with_lru, struct weir_err *err) {
  static char cfg[3][1024];
  *d = (struct weir_design){.org = org, .org_cfg = default_cfg(&org->part, cfg[0])};
  const struct weir_policy_ops *const list[] = {policy, with_lru ? weir_policy_find("lru") : NULL};
  for (unsigned i = 0; i < 2; i++) {
    if (list[i] == NULL) continue;
    d->policy[d->n_policies].ops = list[i];
    d->policy[d->n_policies++].cfg = default_cfg(&list[i]->part, cfg[i + 1]);
  }
  if (weir_design_check(d, &x->m, err) != WEIR_OK) return false;
  struct weir_l1 *l1 = weir_l1_create(&x->m, d, &(struct weir_l1_host){0}, err);
  if (l1 != NULL) weir_l1_destroy(l1);
  return l1 != NULL;
}

/* True: it can be made, and runs. */
static bool run_parts(const struct machine *x, const struct weir_org_ops *org,
                      const struct weir_policy_ops *policy, struct synth *s, struct weir_err *err) {
  struct weir_design d;
  struct weir_sim_result r;
  struct weir_sim_options o = {.threads = 1, .watchdog = 200000, .check = true};
  struct synth *const kernels[] = {s};
  if (!make_design(&d, x, org, policy, false, err) && !make_design(&d, x, org, policy, true, err))
    return false;
  synth_run(x, &d, kernels, 1, &o, &r);
  return true;
}

enum { MOST_ORGS = 16 };

/* Bit k: policy k runs with organisation i; bit 63: this one runs at all. */
static void run_all(const char *gpu, unsigned l1, uint64_t runs[MOST_ORGS]) {
  struct pair p = pair_of(l1, 128);
  char path[4096];
  const char *const set[] = {p.l1, p.l2, "sm.count=2", NULL};
  struct weir_err err;
  struct machine x;
  struct synth s;
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, gpu);
  machine_init(&x, path, set);
  synth_random(&s, 17);
  for (unsigned i = 0; weir_organisations[i] != NULL; i++) {
    assert_true(i < MOST_ORGS);
    runs[i] = (uint64_t)run_parts(&x, weir_organisations[i], NULL, &s, &err) << 63;
    for (unsigned k = 0; weir_policies[k] != NULL; k++) {
      assert_true(k < 63);
      runs[i] |= (uint64_t)run_parts(&x, weir_organisations[i], weir_policies[k], &s, &err) << k;
    }
    if (runs[i] == 0 && l1 != 128)
      assert_non_null(strstr(err.msg, weir_organisations[i]->part.name)); /* it says who */
  }
  synth_free(&s);
  machine_free(&x);
}

/* What runs with lines of 128 bytes runs with lines of any size. */
static void test_parts(void **state) {
  (void)state;
  static const char *const gpus[] = {"fermi-s3", "v100-cfg"};
  for (unsigned g = 0; g < (IS_SANITIZED ? 1 : 2); g++) {
    uint64_t want[MOST_ORGS] = {0}, got[MOST_ORGS];
    run_all(gpus[g], 128, want);
    for (unsigned i = 0; i < SIZES; i++) {
      run_all(gpus[g], sizes[i], got);
      for (unsigned k = 0; weir_organisations[k] != NULL; k++) {
        const char *name = weir_organisations[k]->part.name;
        if (got[k] != want[k])
          fail_msg("%s, %s, l1.line %u: policies 0x%llx, not 0x%llx", gpus[g], name, sizes[i],
                   (unsigned long long)got[k], (unsigned long long)want[k]);
      }
    }
    unsigned n = 0;
    for (unsigned k = 0; weir_organisations[k] != NULL; k++)
      n += (unsigned)__builtin_popcountll(want[k]);
    print_message("%s: %u designs with each line\n", gpus[g], n);
    assert_true(n > 20);
  }
}

#define T(f) cmocka_unit_test(f)
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {T(test_counts),       T(test_write_backs), T(test_latencies),
                                     T(test_fence),        T(test_bandwidths),  T(test_packets),
                                     T(test_packets_lost), T(test_engines),     T(test_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
