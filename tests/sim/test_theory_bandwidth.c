/* Bandwidth of every machine in gpus/ at every level against the closed forms of machine/bounds.h,
 * within 5 %. test_theory_bandwidth SOURCE_FOLDER [MACHINE]
 *
 * A rate is taken between two runs of different length, so that the time to fill and to empty the
 * machine does not count. One protocol serves all machines: twice the loads in flight that the
 * bound asks for, over a fixed number of cycles. */
#include "rig.h"

#include <stdio.h>

#include "flow.h"
#include "machine/bounds.h"

static const char *folder;

/* ---- the whole machine ---- */

/* A stream by some or all SMs, one warp each. */
struct stream {
  const char *machine;
  enum weir_class cls;
  bool past, is_uniform, warm; /* past: the loads bypass the L1; warm: from the L2 */
  bool is_dirty;               /* all of the L2 and the L3 before the stream begins */
  uint32_t sms, regs;
  uint64_t (*addr)(const struct flow *f, uint32_t warp, uint32_t i);
  const void *self;
};

/* The memory side of GPGPU-Sim 3.2: whole lines, wide columns, a queue of requests. */
static const char older[] = "fermi-s3, older";
static const char *const older_set[] = {"l2.sectored=false",
                                        "l2.whole_lines=true",
                                        "l2.index=linear",
                                        "l2.port_bytes=32",
                                        "l2.write_miss=forward",
                                        "dram.atom_bytes=64",
                                        "dram.burst_cyc=2",
                                        "dram.t_ccd=2",
                                        "dram.t_ccdl=3",
                                        "dram.queue=16",
                                        "dram.queue_counts=requests",
                                        "dram.input_queue=116",
                                        NULL};

static void open_machine(struct machine *x, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/gpus/%s.yaml", folder, name == older ? "fermi-s3-v0" : name);
  /* The last stores count: a kernel waits for them. Bounds know nothing of packets that hold up
   * others, nor of lines under way that meet in a set by chance, as they do where it is hashed. The
   * one warp stands for those of all schedulers. */
  static const char *const ideal_set[] = {"noc.crossbar=ideal",
                                          "l1.index=linear",
                                          "sm.load_interval=1",
                                          "sm.store_interval=1",
                                          "sm.store_end_cyc=0",
                                          "sm.load_next_cyc=1",
                                          NULL};
  machine_init(x, path, name == older ? older_set : ideal_set);
}

static void one_kernel(struct weir_sim *sim, const struct stream *s, uint32_t each,
                       struct weir_sim_result *r) {
  struct flow f;
  struct weir_err err;
  flow_init(&f, s->cls, s->sms, 1, s->regs);
  f.each = each;
  f.is_uniform = s->is_uniform;
  f.addr = s->addr;
  f.self = s->self;
  for (uint32_t i = 0; i < s->regs; i++)
    f.insns[i].cache_op = s->past ? WEIR_CO_CG : WEIR_CO_NONE;
  if (weir_sim_kernel(sim, flow_source(&f), r, &err) != WEIR_OK) fail_msg("%s", err.msg);
  flow_free(&f);
}

/* Line after line, in a place that no other stream uses. */
static uint64_t far_line(const struct flow *f, uint32_t warp, uint32_t i) {
  return ((UINT64_C(1) << 24) + (uint64_t)i * f->n_blocks + warp) * 128;
}

/* Accesses of 128 bytes for which there is room. */
static uint64_t l2_lines(const struct weir_machine *m) {
  return (uint64_t)(m->l2.slices * m->l2.sets * m->l2.ways * m->l2.line / 128);
}
static uint64_t l3_lines(const struct weir_machine *m) {
  return m->l3.enabled ? (uint64_t)(m->dram.channels * m->l3.sets * m->l3.ways * m->l2.line / 128)
                       : 0;
}

/* Stores to as many lines as the L2 and the L3 have, and a quarter more: sets do not fill evenly.
 */
static void make_dirty(struct weir_sim *sim, const struct machine *x, const struct stream *s) {
  struct stream all = *s;
  struct weir_sim_result r;
  all.addr = far_line;
  one_kernel(sim, &all, (uint32_t)((l2_lines(&x->m) + l3_lines(&x->m)) * 5 / 4 / s->sms), &r);
  assert_true(r.l2.writeback_sectors > 0);
}

/* Cycles of `each` accesses of every SM. */
static uint64_t cycles(const struct machine *x, const struct stream *s, uint32_t each) {
  struct weir_err err;
  struct weir_sim *sim;
  struct weir_sim_result r;
  struct weir_sim_options o = {.threads = 1, .watchdog = 1000000};
  assert_int_equal(weir_sim_new(&x->m, NULL, &o, &sim, &err), WEIR_OK);
  if (s->is_dirty) make_dirty(sim, x, s);
  if (s->warm) one_kernel(sim, s, each, &r);
  one_kernel(sim, s, each, &r);
  if (s->warm) assert_int_equal(r.dram.reads, 0);
  weir_sim_free(sim);
  return r.cycles;
}

/* One command bus: a command may wait a cycle for that of another bank, which no closed form has.
 */
static void expect(const struct machine *x, const char *what, double got, double want) {
  double least = x->m.dram.dual_bus ? 0.95 : 0.93;
  print_message("%s: %.1f %%\n", what, 100 * got / want);
  if (got < least * want || got > 1.05 * want)
    fail_msg("%s: %.2f bytes per cycle, expected %.2f: %.1f %%", what, got, want, 100 * got / want);
}

/* Bytes per cycle of a stream whose bound is `want`, between about `over` and twice as many cycles.
 */
static double measure(const struct machine *x, const struct stream *s, unsigned bytes, double want,
                      unsigned over) {
  uint32_t each = (uint32_t)(over * want / bytes / s->sms) + 1;
  uint64_t a = cycles(x, s, each), b = cycles(x, s, 2 * each);
  return (double)bytes * each * s->sms / (double)(b - a);
}

/* Twice the loads that each SM must have under way for the bound. */
static uint32_t in_flight(double want, uint64_t latency, unsigned bytes, uint32_t sms) {
  double n = 2 * want * (double)latency / bytes / sms;
  return n < FLOW_REGS ? (uint32_t)n + 1 : FLOW_REGS;
}

static uint64_t hot_line(const struct flow *f, uint32_t warp, uint32_t i) {
  (void)f;
  return (warp + i) % 16 * UINT64_C(128);
}

/* All SMs work on one neighbourhood, line after line. */
struct walk {
  uint64_t wrap;  /* lines after which it begins again; 0: never */
  uint32_t turns; /* accesses after which SMs exchange places */
};

/* What begins again is shifted, so that an SM does not find its own lines in the L1. */
static uint64_t next_line(const struct flow *f, uint32_t warp, uint32_t i) {
  const struct walk *w = f->self;
  uint64_t n = (uint64_t)i * f->n_blocks;
  if (w->wrap == 0) return (n + (warp + i / w->turns) % f->n_blocks) * 128;
  n += warp;
  return (n + n / w->wrap) % w->wrap * 128;
}

static uint32_t common(uint32_t a, uint32_t b) {
  return b == 0 ? a : common(b, a % b);
}

/* Accesses until an SM has visited the sets that it comes to in steps of all SMs' accesses. Eight
 * SMs and the 32 sets of 64 bytes of gcn-s2 make two: four sets of eight ways would hold 32 lines,
 * as many as there are MSHRs, and requests would wait for the one set while the other has room. */
static uint32_t turns_of(const struct weir_machine *m) {
  uint32_t sets = (uint32_t)(m->l1.sets * m->l1.line / 128), sms = (uint32_t)m->sm.count,
           period = sets == 0 ? 1 : sets / common(sets, sms);
  return period == sets ? UINT32_MAX : period;
}

struct level {
  const char *machine;
  enum weir_flow flow;
};

static void test_flow(void **state) {
  const struct level *l = *state;
  struct machine x;
  open_machine(&x, l->machine);
  const struct weir_machine *m = &x.m;
  struct weir_cap cap = weir_bottleneck(m, l->flow);
  double want = weir_cap_value(&cap);
  bool is_write = l->flow == WEIR_FLOW_L2_WRITE || l->flow == WEIR_FLOW_DRAM_WRITE,
       is_dram = l->flow >= WEIR_FLOW_DRAM_READ;
  struct walk walk = {.wrap = is_dram ? 0 : l2_lines(m) / 2, .turns = turns_of(m)};
  uint64_t latency =
      weir_l2_latency(m, 4) + (is_dram ? weir_dram_latency(m, 4, 0, WEIR_BANK_CLOSED) : 0);
  struct stream s = {.machine = l->machine,
                     .cls = is_write ? WEIR_C_STORE : WEIR_C_LOAD,
                     .past = l->flow == WEIR_FLOW_L2_BYPASS || l->flow == WEIR_FLOW_DRAM_BYPASS,
                     .sms = (uint32_t)m->sm.count,
                     .regs = in_flight(want, latency, 128, (uint32_t)m->sm.count),
                     .addr = next_line,
                     .warm = !is_dram,
                     .is_dirty = l->flow == WEIR_FLOW_DRAM_WRITE,
                     .self = &walk};
  if (l->flow == WEIR_FLOW_L1_READ) {
    s.addr = hot_line;
    s.regs = in_flight(want, weir_l1_latency(m), 128, s.sms);
  }
  /* Row conflicts come in bursts, and so do fills where a line takes the L1's port for more than a
   * cycle and requests wait behind them: these need a longer look. */
  bool in_bursts = is_dram || m->l1.port_bytes < m->l1.line;
  double got = measure(&x, &s, 128, want, in_bursts ? 10000 : 3000);
  /* What a store fetches while it is written turns the bus around, as often as the queue has it. */
  if (l->flow == WEIR_FLOW_DRAM_WRITE && m->l2.write_miss == WEIR_L2_FORWARD && got < want)
    assert_true(got > 0.5 * want);
  else
    expect(&x, weir_flow_names[l->flow], got, want);
  machine_free(&x);
}

/* ---- rows: an SM for each channel opens one row after the other ----
 *
 * Through the first slice of the channel only: two slices would each take requests in order, but
 * one could run ahead of the other. */

struct rows {
  uint64_t *line; /* the first line of each row, by channel */
  uint32_t n;
};

/* In the order of addresses, the lines whose rows have not been seen before. */
static void find_rows(struct rows *r, const struct weir_machine *m, uint32_t n) {
  uint32_t channels = (uint32_t)m->dram.channels, banks = (uint32_t)m->dram.banks, full = 0,
           slices = (uint32_t)(m->l2.slices / m->dram.channels);
  uint32_t *found = calloc(channels, sizeof *found);
  uint64_t *next = calloc((size_t)channels * banks, sizeof *next); /* row of each bank */
  struct weir_bank_map map;
  assert_null(weir_bank_map_init(&map, &m->dram));
  r->n = n;
  r->line = calloc((size_t)channels * n, sizeof *r->line);
  assert_non_null(found);
  assert_non_null(next);
  assert_non_null(r->line);
  for (uint64_t addr = 0; full < channels; addr += (uint64_t)m->l2.line) {
    uint32_t slice = weir_slice_of(m, addr), c = slice / slices;
    struct weir_place p = weir_bank_place(&map, weir_addr_local(&m->map, addr, slice));
    if (slice % slices != 0 || found[c] == n || p.row < next[c * banks + p.bank]) continue;
    next[c * banks + p.bank] = p.row + 1;
    r->line[c * n + found[c]++] = addr;
    full += found[c] == n;
  }
  free(found);
  free(next);
}

static uint64_t next_row(const struct flow *f, uint32_t warp, uint32_t i) {
  const struct rows *r = f->self;
  return r->line[warp * r->n + i];
}

static void test_rows(void **state) {
  const struct level *l = *state;
  enum { ROWS = 1200 };
  struct machine x;
  struct rows rows;
  open_machine(&x, l->machine);
  const struct weir_machine *m = &x.m;
  int64_t read = m->l2.sectored ? 32 : m->l2.line, columns = read / m->dram.atom_bytes;
  struct weir_dram_use use = {.columns = columns > 0 ? (uint64_t)columns : 1};
  double row = (double)use.columns * (double)m->dram.atom_bytes,
         want = weir_rate_value(weir_dram_rate(m, &use)) / row *
                32; /* a sector of each is asked for */
  uint64_t latency = weir_l2_latency(m, 1) + weir_dram_latency(m, 1, 0, WEIR_BANK_CLOSED);
  find_rows(&rows, m, ROWS);
  struct stream s = {.machine = l->machine,
                     .cls = WEIR_C_LOAD,
                     .past = true,
                     .is_uniform = true,
                     .sms = (uint32_t)m->dram.channels,
                     .regs = in_flight(want, latency, 32, 1),
                     .addr = next_row,
                     .self = &rows};
  uint64_t a = cycles(&x, &s, ROWS / 2), b = cycles(&x, &s, ROWS);
  expect(&x, "rows", 32.0 * (ROWS / 2) / (double)(b - a), want);
  free(rows.line);
  machine_free(&x);
}

/* ---- one DRAM channel, its queue kept full ---- */

struct access {
  uint64_t addr;
  bool is_write;
};

struct feed {
  struct access (*next)(const struct weir_dram_cfg *d, uint64_t i);
  uint64_t run;   /* > 0: the next run of that many comes when the queue is empty */
  uint64_t turns; /* changes from reads to writes, counted */
};

static void push_more(struct weir_dram *d, const struct feed *f, uint64_t *pushed) {
  uint64_t stop = f->run == 0 ? UINT64_MAX : d->n == 0 ? *pushed + f->run : 0;
  while (*pushed < stop && weir_dram_has_room(d, 1)) {
    struct access a = f->next(d->cfg, (*pushed)++);
    weir_dram_push(d, a.addr, a.is_write, 0);
  }
}

/* DRAM cycles until `n` accesses have been issued. */
static uint64_t serve(const struct weir_dram_cfg *cfg, struct feed *f, uint64_t n) {
  struct weir_dram d;
  uint64_t pushed = 0, now = 1, done_at, next;
  uint32_t token;
  bool was_write = false;
  f->turns = 0;
  assert_true(weir_dram_init(&d, cfg, 128, 64));
  while (d.stats.reads + d.stats.writes < n) {
    uint64_t reads = d.stats.reads, writes = d.stats.writes;
    push_more(&d, f, &pushed);
    weir_dram_step(&d, now, &token, &done_at, &next);
    bool is_idle = d.stats.reads == reads && d.stats.writes == writes;
    f->turns += d.stats.writes > writes && !was_write;
    if (!is_idle) was_write = d.stats.writes > writes;
    now = is_idle && next != WEIR_NEVER ? next : now + 1; /* a place is free: look at once */
  }
  weir_dram_free(&d);
  return now;
}

static struct access in_order(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i * (uint64_t)d->atom_bytes, false};
}
static struct access in_order_writes(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i * (uint64_t)d->atom_bytes, true};
}
/* A copy: rows are read, and others in other banks are written. */
static struct access copy(const struct weir_dram_cfg *d, uint64_t i) {
  uint64_t at = i / 2 * (uint64_t)d->atom_bytes,
           away = (UINT64_C(1) << 30) + (uint64_t)((d->banks / 2 + 1) * d->row_bytes);
  return (struct access){i % 2 == 0 ? at : at + away, i % 2 != 0};
}
static struct access row_each(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i * (uint64_t)d->row_bytes, false};
}
static struct access row_each_write(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i * (uint64_t)d->row_bytes, true};
}
static struct access one_row(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i % 2 * (uint64_t)d->atom_bytes, false};
}
enum { RUN = 8 };
/* Runs of reads and of writes in rows that stay open, one in each bank group. */
static struct access runs(const struct weir_dram_cfg *d, uint64_t i) {
  return (struct access){i % (uint64_t)d->bank_groups * (uint64_t)d->row_bytes, i / RUN % 2 != 0};
}

enum { ACCESSES = 20000 };

/* Bytes per core cycle, as the bounds are. The feeds are about rows: the map that keeps them whole.
 */
static double channel_rate(const struct weir_machine *m, struct feed *f) {
  struct weir_dram_cfg d = m->dram;
  d.map = "rotate";
  if (d.queue_counts == WEIR_DRAM_REQUESTS) { /* those of lines; one is at work */
    d.queue = (d.queue + 1) * m->l2.line / d.atom_bytes;
    d.queue_counts = WEIR_DRAM_COLUMNS;
  }
  uint64_t a = serve(&d, f, ACCESSES), turns = f->turns, b = serve(&d, f, 2 * ACCESSES);
  f->turns -= turns;
  return (double)(ACCESSES * m->dram.atom_bytes * m->dram.clock_mhz) /
         ((double)(b - a) * (double)m->core.clock_mhz);
}

static void test_channel(void **state) {
  const struct level *l = *state;
  struct machine x;
  open_machine(&x, l->machine);
  uint64_t row = (uint64_t)(x.m.dram.row_bytes / x.m.dram.atom_bytes);
  struct {
    const char *name;
    struct feed feed;
    struct weir_dram_use use;
    enum { ALWAYS, IF_OPEN, IF_CLOSED } when; /* by dram.page */
  } cases[] = {
      {"reads in order", {.next = in_order}, {.columns = row}, ALWAYS},
      {"writes in order", {.next = in_order_writes}, {.columns = row, .run_writes = 1}, ALWAYS},
      {"a read of each row", {.next = row_each}, {.columns = 1}, ALWAYS},
      {"a write of each row", {.next = row_each_write}, {.columns = 1, .run_writes = 1}, ALWAYS},
      {"runs",
       {.next = runs, .run = RUN},
       {.columns = ACCESSES, .run_reads = RUN, .run_writes = RUN},
       IF_OPEN},
      /* each closes the row that the next one wants */
      {"one row, one by one",
       {.next = one_row, .run = 1},
       {.columns = 1, .banks = 1, .groups = 1},
       IF_CLOSED},
  };
  const bool is_closed = x.m.dram.page == WEIR_DRAM_CLOSED;
  double window = weir_rate_value(weir_dram_window(&x.m));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].when == (is_closed ? IF_OPEN : IF_CLOSED)) continue;
    double want = weir_rate_value(weir_dram_rate(&x.m, &cases[i].use));
    if (cases[i].use.columns == row && window < want) want = window;
    expect(&x, cases[i].name, channel_rate(&x.m, &cases[i].feed), want);
  }
  machine_free(&x);
}

/* Where the scheduler itself decides when to turn around, the turns that it made give a bound. */
static void test_copy(void **state) {
  const struct level *l = *state;
  struct machine x;
  open_machine(&x, l->machine);
  struct feed f = {.next = copy};
  double got = channel_rate(&x.m, &f);
  assert_true(f.turns > 0);
  struct weir_dram_use use = {.columns = (uint64_t)(x.m.dram.row_bytes / x.m.dram.atom_bytes),
                              .run_reads = ACCESSES / 2 / f.turns,
                              .run_writes = ACCESSES / 2 / f.turns};
  double bound = weir_rate_value(weir_dram_rate(&x.m, &use));
  if (got > 1.01 * bound || got < 0.5 * bound) fail_msg("a copy: %.2f, bound %.2f", got, bound);
  machine_free(&x);
}

/* The queue decides how much of the opening of rows is hidden. */
static void test_window(void **state) {
  const struct level *l = *state;
  static const int64_t queues[] = {8, 12, 16, 20, 24, 32, 48, 64, 96, 128};
  struct machine x;
  open_machine(&x, l->machine);
  struct weir_dram_use use = {.columns = (uint64_t)(x.m.dram.row_bytes / x.m.dram.atom_bytes)};
  for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
    struct feed f = {.next = in_order};
    x.m.dram.queue = queues[i];
    double want = weir_rate_value(weir_dram_rate(&x.m, &use)),
           window = weir_rate_value(weir_dram_window(&x.m));
    expect(&x, "in order", channel_rate(&x.m, &f), window < want ? window : want);
  }
  machine_free(&x);
}

int main(int argc, char **argv) {
  /* With one command bus, or with stores that go on to the DRAM, the closed forms are upper bounds:
   * the Fermis as they were have neither. */
  static const char *const machines[] = {
      "fermi-s0-v0", "fermi-s3-v0", "fermi-s4-v0", "gtx480-cfg-v0", "pascal-s1", "pascal-cfg",
      "gcn-s2",      "v100-cfg",    "v100",        "a100",          "h200",      older};
  static const struct {
    const char *name;
    CMUnitTestFunction test;
  } others[] = {{"rows", test_rows},
                {"DRAM channel", test_channel},
                {"DRAM copy", test_copy},
                {"DRAM queue", test_window}};
  enum {
    MACHINES = sizeof machines / sizeof *machines,
    FLOWS = WEIR_N_FLOWS,
    TESTS = FLOWS + sizeof others / sizeof *others
  };
  static struct level levels[MACHINES][TESTS];
  static char names[MACHINES][TESTS][64];
  struct CMUnitTest tests[MACHINES * TESTS];
  unsigned n = 0;
  if (argc != 2 && argc != 3) return 2;
  folder = argv[1];
  for (unsigned i = 0; i < MACHINES; i++)
    for (unsigned k = 0; k < TESTS && (argc == 2 || strcmp(argv[2], machines[i]) == 0); k++) {
      bool is_flow = k < FLOWS;
      levels[i][k] = (struct level){machines[i], is_flow ? k : WEIR_N_FLOWS};
      snprintf(names[i][k], sizeof names[i][k], "%s, %s", machines[i],
               is_flow ? weir_flow_names[k] : others[k - FLOWS].name);
      tests[n++] = (struct CMUnitTest){names[i][k], is_flow ? test_flow : others[k - FLOWS].test,
                                       NULL, NULL, &levels[i][k]};
    }
  return _cmocka_run_group_tests("bandwidth", tests, n, NULL, NULL);
}
