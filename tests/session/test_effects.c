/* The conditions under which parameters have an effect, held against the simulator: where one is
 * said to have none nothing changes when it is changed all the same, and where it is said to have
 * one something does, somewhere. Argument: the source folder. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sim/synth.h"
#include "../stream/util.h"
#include "analysis/classify.h"
#include "cuda/device.h"
#include "session/effects.h"
#include "session/groups.h"

enum { N_KERNELS = 6, N_LAUNCHES = 7, MAX_SETS = 32, MAX_VALUES = 6 };

/* A set-up: what is said in files, and the L1. */
struct world {
  const char *organisation, *policies; /* NULL: the machine's own */
  const char *set[MAX_SETS];
};

/* Small, so that everything is short of room. */
#define SMALL                                                                                      \
  "sm.count=3", "sm.warps=16", "l1.sets=4", "l1.ways=2", "l1.mshr_entries=6", "l1.mshr_merge=3",   \
      "l1.miss_queue=3", "l1.bypass_queue=2", "l2.slices=4", "l2.sets=4", "l2.ways=2",             \
      "l2.mshr_entries=4", "l2.mshr_merge=2", "l2.write_queue=4", "dram.channels=2",               \
      "dram.queue=8"

static const struct world worlds[] = {
    {NULL, NULL, {SMALL}},
    {NULL, NULL, {SMALL, "l1.enabled=false"}},
    {NULL, NULL, {SMALL, "l1.enabled=false", "l1.probes_per_cycle=4", "l1.banks=4"}},
    {NULL, NULL, {SMALL, "l1.perfect=true", "l1.probes_per_cycle=2", "l1.banks=2"}},
    {NULL, NULL, {SMALL, "l1.sectored=true", "l1.write=alloc_nofetch", "l1.local_wb=false"}},
    {NULL, NULL, {SMALL, "l1.unified_bytes=8K", "l1.ways=4", "l1.carveouts=0,1K,2K,6K"}},
    {NULL,
     NULL,
     {SMALL, "l1.unified_bytes=8K", "l1.ways=16", "l1.carveouts=0,1K,2K,6K", "l1.alloc=fill"}},
    {NULL, NULL, {SMALL, "l3.enabled=true", "l3.sets=4", "l3.ways=2", "l3.queue=2"}},
    {NULL, NULL, {SMALL, "sm.scheduler=two-level", "sm.schedulers=1", "sm.ldst_queue=1"}},
    {NULL,
     NULL,
     {SMALL, "l2.slices=1", "dram.channels=1", "l2.sets=1", "l1.sets=1", "dram.bank_groups=1"}},
    {NULL, NULL, {SMALL, "l1.sets=32", "l1.ways=1", "noc.reply_buffer=6", "noc.request_buffer=6"}},
    {NULL, NULL, {SMALL, "l3.enabled=true", "l3.sets=2", "l3.ways=1", "l3.write_queue=4"}},
    {NULL,
     NULL,
     {SMALL, "l3.enabled=true", "l3.sets=1", "l3.ways=1", "l3.write_queue=4", "dram.burst_cyc=16",
      "dram.queue=4", "l2.sets=1", "l2.ways=1", "l2.write_queue=4"}},
    {NULL, NULL, {SMALL, "l1.line=32", "l2.line=32", "l1.sector=32"}},
    {NULL, NULL, {SMALL, "sm.registers=8192", "sm.max_registers_per_thread=40"}},
    {NULL, NULL, {SMALL, "dram.dual_bus=false", "dram.map=RRBCBCCCBCCBCCCCC"}},
    {NULL,
     NULL,
     {SMALL, "l2.sectored=false", "l2.whole_lines=true", "l2.write_queue=8",
      "l2.write_miss=forward"}},
    {NULL, NULL, {SMALL, "dram.input_queue=4", "dram.atom_bytes=64"}},
    {NULL,
     NULL,
     {SMALL, "dram.input_queue=4", "dram.queue_counts=requests", "dram.queue=2", "l3.enabled=true",
      "l3.sets=2", "l3.ways=1"}},
    {NULL, NULL, {SMALL, "noc.crossbar=fifo", "noc.input_buffer=8"}},
    {NULL,
     NULL,
     {SMALL, "l2.merge_reads=4", "l2.merge_cyc=40", "sm.count=3", "l1.enabled=false",
      "l2.mshr_merge=8", "l2.multicast=true"}},
    {NULL, NULL, {SMALL, "noc.request_flits=sectors", "l2.partial_reads=true", "dram.queue=16"}},
    {NULL,
     NULL,
     {SMALL, "l2.partitions=2", "l2.far_cyc=20", "l2.home=true", "l2.ways=4", "dram.queue=16"}},
    {NULL,
     NULL,
     {SMALL, "sm.coalesce_by=banks", "sm.coalesce_per_cycle=4", "l1.probes_per_cycle=4"}},
    {NULL, NULL, {SMALL, "sm.texture_lanes=4", "sm.fetch_lanes=8"}},
    {NULL, NULL, {SMALL, "sm.texture_bytes=6K", "sm.texture_ways=2"}},
    {NULL, NULL, {SMALL, "sm.const_bytes=256", "sm.store_end_cyc=9", "sm.code_bytes=256"}},
    {NULL,
     NULL,
     {SMALL, "sm.dispatch_interval=5", "sm.dispatch_warp_cyc=4", "sm.retire_tenths=25"}},
    {NULL,
     NULL,
     {SMALL, "sm.dependent_extra=5", "sm.collector_units=4", "sm.register_banks=4",
      "sm.register_ports=2"}},
    {NULL, NULL, {SMALL, "jitter.dispatch=40", "jitter.memory=40"}},
    {"decoupled", NULL, {SMALL, "l1.ways=4"}},
    {"decoupled", NULL, {SMALL, "decoupled.threshold=1", "decoupled.duel=false"}},
    {"decoupled", NULL, {SMALL, "decoupled.threshold=0"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.aging=shift_on_evict", "decoupled.duel_interval=20",
      "decoupled.duel_min_loads=1"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.duel_interval=20", "decoupled.duel_min_loads=1", "l1.ways=4"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.duel_interval=15", "decoupled.duel_min_loads=1", "decoupled.duel_diff=40",
      "decoupled.threshold=1"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.duel_interval=30", "decoupled.duel_min_loads=2", "decoupled.duel_diff=4",
      "decoupled.threshold=2", "decoupled.duel_bypass=skip"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.duel_interval=60", "decoupled.duel_min_loads=2", "decoupled.duel_diff=25",
      "l1.ways=8", "decoupled.duel_reset=true"}},
    {"decoupled",
     NULL,
     {SMALL, "decoupled.duel_interval=40", "decoupled.duel_min_loads=1", "decoupled.duel_diff=60",
      "decoupled.threshold=3"}},
    {"decoupled", NULL, {SMALL, "l1.enabled=false"}},
    {NULL, "two-level", {SMALL, "l1.enabled=false", "two-level.sample=40", "two-level.hold=60"}},
    {NULL, "two-level", {SMALL, "l1.perfect=true", "two-level.sample=40", "two-level.hold=60"}},
    {NULL, "coordinated", {SMALL, "l1.enabled=false", "sm.blocks=4"}},
    {NULL, "pc-bypass", {SMALL, "l1.enabled=false"}},
    {NULL, "pc-bypass", {SMALL, "l1.perfect=true", "pc-bypass.threshold=1"}},
    {NULL, "bypass-all", {SMALL, "l1.enabled=false"}},
    {"tag-split", "tsc-plus", {SMALL, "l1.perfect=true"}},
    {"tag-split", "tsc-plus", {SMALL, "l1.enabled=false"}},
    {NULL, "drrip", {SMALL, "l1.enabled=false"}},
    {NULL, "ship", {SMALL, "l1.perfect=true"}},
    {NULL, "ccws", {SMALL, "l1.enabled=false"}},
    {"decoupled", NULL, {SMALL, "l1.perfect=true"}},
    {"decoupled", "bypass-all", {SMALL, "sm.count=1"}},
    {"tag-split", NULL, {SMALL, "l1.sectored=true"}},
    {"tag-split", "tsc-plus", {SMALL, "tsc-plus.samplers=1"}},
    {"tag-split", "tsc-plus", {SMALL, "tsc-plus.mode=coarse"}},
    {"sectored", "nru", {SMALL, "l1.ways=4"}},
    {NULL, "nru", {SMALL, "nru.unit=sector"}},
    {NULL, "srrip", {SMALL, "l1.ways=4"}},
    {NULL, "brrip", {SMALL, "l1.ways=4"}},
    {NULL, "drrip", {SMALL, "l1.ways=4"}},
    {NULL, "ship", {SMALL, "l1.ways=4", "ship.sig_bits=3"}},
    {NULL, "bypass-all", {SMALL}},
    {NULL,
     "pc-bypass",
     {SMALL, "pc-bypass.threshold=1", "pc-bypass.duel=true", "pc-bypass.duel_period=4",
      "pc-bypass.sample=3", "pc-bypass.psel_off=512"}},
    {NULL, "pc-bypass", {SMALL, "pc-bypass.duel=false", "pc-bypass.threshold=1"}},
    {NULL, "random-bypass", {SMALL, "random-bypass.p=0.3"}},
    {NULL, "random-bypass", {SMALL, "random-bypass.p=1"}},
    {NULL,
     "two-level",
     {SMALL, "two-level.sample=40", "two-level.hold=60", "two-level.min_accesses=2"}},
    {NULL, "two-level", {SMALL, "two-level.sample=40", "two-level.hold=60", "two-level.levels=1"}},
    {NULL, "two-level", {SMALL, "two-level.sample=40", "two-level.persist=true"}},
    {NULL, "apcm", {SMALL, "apcm.loads=20", "apcm.stream_below=0.3", "l1.ways=4"}},
    {NULL,
     "apcm",
     {SMALL, "sm.count=1", "sm.warps=6", "apcm.dominates=1", "apcm.stream_below=0.01",
      "apcm.protect_gain=32", "l1.ways=4"}},
    {NULL, "carb-standin", {SMALL, "carb-standin.interval=40", "carb-standin.stall=0.1"}},
    {NULL, "pemp", {SMALL, "pemp.sample=40", "pemp.filter=60", "pemp.threshold=0.3"}},
    {NULL, "pdp", {SMALL, "l1.ways=4", "pdp.distance=6"}},
    {NULL,
     "pdp",
     {SMALL, "l1.ways=4", "pdp.dynamic=true", "pdp.period=24", "pdp.sampled_sets=2",
      "pdp.sample_every=2", "pdp.max_distance=32", "pdp.step=2"}},
    {NULL, "aip", {SMALL, "l1.ways=4", "aip.sample=3"}},
    {NULL, "aip", {SMALL, "l1.ways=4", "aip.mode=lvp"}},
    {NULL, "sdbp", {SMALL, "l1.ways=4", "sdbp.threshold=1", "sdbp.sampled_sets=4"}},
    {"sectored", "lamar", {SMALL, "lamar.swap_after=3", "lamar.filter_bits=64"}},
    {"dsc", NULL, {SMALL}},
    {NULL, "coordinated", {SMALL, "sm.blocks=4"}},
    {NULL, "coordinated", {SMALL, "coordinated.all_cm=true", "sm.blocks=4", "sm.count=1"}},
    {NULL, "coordinated", {SMALL, "coordinated.cm=ca"}},
    {NULL, "ccws", {SMALL, "ccws.k=64", "sm.warps=32"}},
    {NULL, "ccws", {SMALL, "ccws.k=0"}},
    {NULL, "ccws", {SMALL, "l1.perfect=true"}},
    {NULL, "swl", {SMALL, "swl.warps=2"}},
    {NULL, "swl", {SMALL, "swl.warps=64"}},
    {NULL, "two-level-active", {SMALL, "two-level-active.warps=2"}},
    {NULL, "fetch-groups", {SMALL, "fetch-groups.group=2", "sm.warps=32"}},
    {NULL, NULL, {SMALL, "sm.scheduler=fetch-groups", "sm.active_warps=2"}},
    {NULL, "tb-limit", {SMALL, "tb-limit.blocks=2"}},
    {NULL, "mrpb", {SMALL, "mrpb.nq=3", "mrpb.depth=3"}},
    {NULL, "mrpb", {SMALL, "mrpb.reorder=false"}},
    {NULL, "mrpb", {SMALL, "l1.enabled=false", "mrpb.nq=1"}},
};
enum { N_WORLDS = sizeof worlds / sizeof *worlds };

/* Has an effect that no run of kernels shows. */
static const char *const unseen[][2] = {
    {"decoupled.layout", "the bits that its storage is said to have"},
    {"opt.chunks", "what is prepared for it"},
    {"profiled.filter", "with rows of a run before, which there is none of here"},
    {"profiled.threshold", "the same"},
    {"profiled.global", "the same"},
    {"profiled.count_stores", "on the rows"},
    {"l1.store_words", "on loads of words that were stored: test_ports.c"},
    {"l1.bypass_room", "on loads on their way, more than there are lines: test_l1_data.c"},
    {"l2.merge_writes", "on stores that write a sector together: test_ports.c"},
    {"sm.texture_ways", "on texture reads of lines of one set: test_texture.c"},
    {"sm.const_miss_cyc", "on constants beside those that were read: test_start_end.c"},
    {"sm.const_cold_cyc", "on constants that were not read before: test_start_end.c"},
    {"sm.param_cold_cyc", "on reads of parameters: test_start_end.c"},
    {"sm.branch_guard_cyc", "on branches that depend on something: test_start_end.c"},
    {"sm.rejoin_cyc", "on kernels with an outline: test_start_end.c"},
    {"sm.register_banks", "on instructions that read several registers: test_collect.c"},
};

static bool is_unseen(const char *path) {
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
    if (strcmp(unseen[i][0], path) == 0) return true;
  return false;
}

static struct synth kernels[N_KERNELS];
static unsigned n_wrong;

/* ---- kernels ---- */

/* Every class writes a register that the next instruction waits for. */
static void make_classes(struct synth *s) {
  synth_init(s, 3, 2);
  uint32_t wait = synth_insn(s, WEIR_C_INT, 60, 1);
  for (unsigned c = 0; c < WEIR_N_CLASSES; c++) {
    bool is_barrier = c == WEIR_C_BARRIER;
    uint32_t i = is_barrier ? synth_barrier(s, 1, 0, false) : synth_insn(s, c, 1, -1);
    if (is_barrier) {
      s->insns[i].n_dst = 1;
      s->insns[i].dst[0] = 1;
    }
    for (uint32_t b = 0; b < 3; b++)
      for (uint32_t w = 0; w < 2; w++)
        for (unsigned n = 0; n < 2; n++) {
          synth_put(s, b, w, i);
          synth_put(s, b, w, i);
          synth_put(s, b, w, wait);
        }
  }
}

/* Registers and shared memory are what limits the blocks of an SM. */
static void make_heavy(struct synth *s) {
  synth_init(s, 30, 1);
  s->info.regs_per_thread = 130;
  s->info.static_shared = 6200;
  uint32_t load = synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 1, -1);
  uint32_t use = synth_insn(s, WEIR_C_FP32, 2, 1);
  for (uint32_t b = 0; b < 30; b++)
    for (uint32_t n = 0; n < 6; n++) {
      synth_stride(s, b, 0, load, UINT32_MAX, 0x10000 + 128 * ((b * 6 + n * 5) % 48), 4);
      synth_put(s, b, 0, use);
    }
}

/* Loads and stores of a hot and a cold region, of global and of local memory, in many DRAM rows. */
static void make_traffic(struct synth *s) {
  enum { BLOCKS = 8, WARPS = 3, OPS = 36 };
  uint64_t x = 12345;
  synth_init(s, BLOCKS, WARPS);
  const uint32_t load[4] = {synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 1, -1),
                            synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 8, 2, -1),
                            synth_access(s, WEIR_C_LOAD, WEIR_SP_LOCAL, 4, 3, -1),
                            synth_access(s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 4, -1)};
  const uint32_t store[2] = {synth_access(s, WEIR_C_STORE, WEIR_SP_GLOBAL, 4, -1, 1),
                             synth_access(s, WEIR_C_STORE, WEIR_SP_LOCAL, 4, -1, 2)};
  uint32_t atom = synth_access(s, WEIR_C_ATOM, WEIR_SP_GLOBAL, 4, 5, 1);
  for (uint32_t b = 0; b < BLOCKS; b++)
    for (uint32_t w = 0; w < WARPS; w++)
      for (uint32_t n = 0; n < OPS; n++) {
        uint64_t r = rnd(&x), hot = 0x20000 + r % 24 * 128 + r % 3 * 32,
                 cold = 0x400000 + (r >> 8) % 8192 * 128;
        unsigned kind = r >> 40 & 15;
        if (kind < 9)
          synth_stride(s, b, w, load[kind & 3], UINT32_MAX >> (r >> 50 & 15), kind < 6 ? hot : cold,
                       (r >> 45 & 7) == 0 ? 128 : 4);
        else if (kind < 15)
          synth_stride(s, b, w, store[kind & 1], UINT32_MAX, kind < 11 ? hot : cold, 4);
        else
          synth_stride(s, b, w, atom, 0xff, hot, 4);
      }
}

/* Texture reads that hit, by index and otherwise, with nothing else to do. */
static void make_textures(struct synth *s) {
  synth_init(s, 1, 1);
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t tex = synth_access(s, WEIR_C_TEX, WEIR_SP_TEX, 1, 1, -1),
             use = synth_insn(s, WEIR_C_INT, 2, 1);
    s->insns[tex].is_fetch = k == 1;
    for (uint32_t n = 0; n < 8; n++) {
      synth_stride(s, 0, 0, tex, UINT32_MAX, 0x10000, 4);
      synth_put(s, 0, 0, use);
    }
  }
}

/* ---- a run ---- */

struct outcome {
  bool fits; /* false: the machine or the L1 is refused */
  struct weir_sim_result result[N_LAUNCHES];
  struct weir_energy energy;
};

static enum weir_status tags(const void *self, const struct weir_kernel_info *k,
                             const uint8_t **out, struct weir_err *err) {
  static uint8_t tag[SYNTH_INSNS];
  (void)self, (void)err;
  for (uint32_t i = 0; i < k->n_insns; i++)
    tag[i] = i % 3 == 0 ? WEIR_TAG_CA : i % 3 == 1 ? WEIR_TAG_CG : WEIR_TAG_CM;
  *out = tag;
  return WEIR_OK;
}

static bool make(const struct world *w, const char *path, const char *value,
                 struct weir_settings *s, struct weir_setup *setup) {
  struct weir_err err;
  *setup = (struct weir_setup){0};
  assert_int_equal(weir_settings_init(s, weir_param_groups(), &err), WEIR_OK);
  for (const char *const *p = w->set; *p != NULL; p++) {
    char key[128];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(*p, "="), *p);
    if (weir_settings_set(s, WEIR_LAYER_FILE, key, strchr(*p, '=') + 1, NULL, &err) != WEIR_OK)
      fail_msg("%s", err.msg);
  }
  if (path != NULL)
    assert_int_equal(weir_settings_set(s, WEIR_LAYER_SET, path, value, NULL, &err), WEIR_OK);
  if (weir_setup_named(setup, "baseline", s, &err) != WEIR_OK) fail_msg("%s", err.msg);
  if (weir_scheme_change(&setup->scheme, w->organisation, w->policies, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  bool fits = weir_setup_fit(setup, "test", s, weir_param_groups(), &err) == WEIR_OK;
  if (!fits && path == NULL) fail_msg("%s", err.msg);
  return fits;
}

static void run(const struct weir_setup *setup, struct outcome *o) {
  const struct weir_sim_options options = {.threads = 1,
                                           .watchdog = 500000,
                                           .check = true,
                                           .tags = tags,
                                           .cold = setup->launch.l2 == WEIR_L2_COLD};
  struct weir_err err;
  struct weir_sim *sim;
  struct weir_sim_result sum = {0};
  memset(o, 0, sizeof *o);
  if (weir_sim_new(&setup->machine, &setup->design, &options, &sim, &err) != WEIR_OK) return;
  o->fits = true;
  for (unsigned i = 0; o->fits && i < N_LAUNCHES; i++) { /* the first kernel comes again */
    struct synth *k = &kernels[i % N_KERNELS];
    k->info.carveout = weir_launch_carveout(&setup->launch, 0);
    o->fits = weir_sim_kernel(sim, synth_source(k), &o->result[i], &err) == WEIR_OK;
    if (o->fits) weir_sim_result_add(&sum, &o->result[i]);
    o->result[i].l1.bytes = 0; /* says what was set, whether or not anybody feels it */
  }
  if (o->fits) weir_energy(&setup->energy, &setup->machine, &sum, &o->energy);
  weir_sim_free(sim);
}

/* What a part counts of its own is not what others feel: one that nobody asks may still count. */
static bool is_same(const struct outcome *a, const struct outcome *b, bool has_parts) {
  for (unsigned i = 0; i < N_LAUNCHES; i++) {
    const struct weir_sim_result *x = &a->result[i], *y = &b->result[i];
    if (x->cycles != y->cycles || x->start != y->start || x->blocks_per_sm != y->blocks_per_sm ||
        memcmp(&x->sm, &y->sm, sizeof x->sm) || memcmp(&x->l1, &y->l1, sizeof x->l1) ||
        memcmp(&x->l2, &y->l2, sizeof x->l2) || memcmp(&x->l3, &y->l3, sizeof x->l3) ||
        memcmp(&x->dram, &y->dram, sizeof x->dram) ||
        (has_parts && memcmp(x->part, y->part, sizeof x->part)))
      return false;
  }
  return memcmp(&a->energy, &b->energy, sizeof a->energy) == 0;
}

/* ---- other values ---- */

static unsigned other_choices(const struct weir_setting *v, char out[][64]) {
  unsigned n = 0;
  for (const char *p = v->param->choices; p != NULL && n < MAX_VALUES;) {
    size_t len = strcspn(p, "|");
    snprintf(out[n], 64, "%.*s", (int)len, p);
    n += strcmp(out[n], v->text) != 0;
    p = p[len] == '|' ? p + len + 1 : NULL;
  }
  return n;
}

static unsigned other_values(const struct weir_setting *v, char out[][64]) {
  const struct weir_param *p = v->param;
  unsigned n = 0;
  if (p->choices != NULL) return other_choices(v, out);
  if (p->type == WEIR_BOOL) {
    snprintf(out[0], 64, "%s", strcmp(v->text, "true") == 0 ? "false" : "true");
    return 1;
  }
  if (p->type == WEIR_STR) { /* carve-outs and the map of DRAM rows */
    bool is_map = strcmp(p->name, "map") == 0;
    snprintf(out[0], 64, "%s", is_map ? "RBBBBCCCCCCSSSSS" : "0,2K,5K");
    snprintf(out[1], 64, "%s", is_map ? "RRRBBBBCCCCCCCCCCC" : "0,8K");
    return 2;
  }
  char shown[64];
  double now, tries[] = {0, 0, p->min, 1, 0, 0};
  struct weir_param one[2] = {*p, WEIR_PARAM_END};
  int64_t whole;
  one[0].offset = 0;
  if (p->type == WEIR_INT) {
    assert_int_equal(weir_param_set(one, &whole, p->name, v->text, NULL, NULL), WEIR_OK);
    now = (double)whole;
  } else {
    assert_int_equal(weir_param_set(one, &now, p->name, v->text, NULL, NULL), WEIR_OK);
  }
  tries[0] = now * 2, tries[1] = p->type == WEIR_INT ? (double)((int64_t)now / 2) : now / 2;
  tries[4] = now + 1, tries[5] = now * 16;
  for (unsigned i = 0; i < 6; i++) {
    if (tries[i] == now ||
        ((p->min != 0 || p->max != 0) && (tries[i] < p->min || tries[i] > p->max)))
      continue;
    snprintf(shown, sizeof shown, "%.10g", tries[i]);
    snprintf(out[n++], 64, "%s", shown);
  }
  return n;
}

/* ---- the property ---- */

/* Those of a part that is not here are left to the worlds that have it, but for a few. */
static bool is_simulated(const struct weir_setting *v) {
  static const char *const others[] = {"exec", "cls", "cuda", "sched"}; /* on PTX */
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(v->group->prefix, others[i]) == 0) return false;
  return true;
}

/* That something has no effect is tried where it is near: parts that are not there in a few worlds,
 * the machine beside other parts for the L1 only. */
static bool is_for_others(const struct weir_settings *s, size_t i, size_t world) {
  const struct world *w = &worlds[world];
  const struct weir_param_group *g = s->v[i].group;
  bool is_part = strncmp(g->when, "part=", 5) == 0, is_plain = !w->organisation && !w->policies;
  bool is_here = (w->organisation && strcmp(w->organisation, g->prefix) == 0) ||
                 (w->policies && strstr(w->policies, g->prefix) != NULL);
  if (is_part) return !is_here && (world + i) % 16 != 0;
  return !is_plain && strcmp(g->prefix, "l1") != 0;
}

static void check_param(const struct world *w, const struct weir_settings *s, size_t i,
                        bool has_effect, const struct outcome *base, bool *is_seen) {
  const struct weir_setting *v = &s->v[i];
  char path[128], value[MAX_VALUES][64];
  snprintf(path, sizeof path, "%s.%s", v->group->prefix, v->param->name);
  unsigned n = other_values(v, value);
  if (!has_effect && n > 1) n = 1 + (strcmp(v->group->prefix, "l1") == 0);
  for (unsigned k = 0; k < n && !(has_effect && *is_seen); k++) {
    struct weir_settings changed;
    struct weir_setup setup;
    struct outcome *o = malloc(sizeof *o);
    assert_non_null(o);
    o->fits = false;
    if (make(w, path, value[k], &changed, &setup)) run(&setup, o);
    bool differs = o->fits && !is_same(base, o, has_effect);
    if (differs && !has_effect) {
      print_message("world %zu: %s=%s is said to have no effect, but it has\n",
                    (size_t)(w - worlds), path, value[k]);
      n_wrong++;
    }
    *is_seen |= differs && has_effect;
    weir_setup_free(&setup);
    weir_settings_free(&changed);
    free(o);
  }
}

static void test_conditions_hold(void **state) {
  bool *is_seen = NULL, *is_felt = NULL;
  struct weir_settings s;
  struct weir_setup setup;
  struct outcome *base = malloc(sizeof *base);
  (void)state;
  size_t n = 0;
  unsigned missing = 0;
  for (size_t k = 0; k < N_WORLDS; k++) {
    struct weir_fact table[WEIR_N_FACTS + 1];
    assert_true(make(&worlds[k], NULL, NULL, &s, &setup));
    struct weir_facts f = weir_facts_of(
        &(struct weir_use){
            .setup = &setup, .is_executed = true, .has_streams = true, .has_results = true},
        table);
    run(&setup, base);
    assert_true(base->fits);
    n = s.n;
    if (is_seen == NULL) {
      is_seen = calloc(n, sizeof *is_seen);
      is_felt = calloc(n, sizeof *is_felt);
    }
    for (size_t i = 0; i < n; i++) {
      bool has = weir_has_effect(&s, &s.v[i], &f, NULL);
      if (!is_simulated(&s.v[i]) || (has && is_seen[i]) || (!has && is_for_others(&s, i, k)))
        continue;
      is_felt[i] |= has;
      check_param(&worlds[k], &s, i, has, base, &is_seen[i]);
    }
    weir_setup_free(&setup);
    if (k + 1 < N_WORLDS) weir_settings_free(&s);
  }
  for (size_t i = 0; i < n; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s.%s", s.v[i].group->prefix, s.v[i].param->name);
    if (!is_simulated(&s.v[i]) || is_seen[i] || is_unseen(path)) continue;
    if (s.v[i].param->when != NULL && strncmp(s.v[i].param->when, "never", 5) == 0) continue;
    print_message("%s: %s\n", path,
                  is_felt[i] ? "is said to have an effect; none was seen" : "has no world");
    missing++;
  }
  assert_int_equal(missing, 0);
  assert_int_equal(n_wrong, 0);
  weir_settings_free(&s);
  free(base);
  free(is_seen);
  free(is_felt);
}

static void test_conditions_are_sound(void **state) {
  struct weir_settings s;
  struct weir_err err;
  (void)state;
  assert_int_equal(weir_settings_init(&s, weir_param_groups(), &err), WEIR_OK);
  if (weir_effects_sound(&s, weir_fact_table, &err) != WEIR_OK) fail_msg("%s", err.msg);
  weir_settings_free(&s);
}

int main(int argc, char **argv) {
  if (argc > 1) setenv("WEIR_DATA", argv[1], 1);
  weir_groups_add(&weir_cls_params);
  weir_groups_add(&weir_cuda_params);
  synth_random(&kernels[0], 40);
  synth_random(&kernels[1], 42);
  make_classes(&kernels[2]);
  make_heavy(&kernels[3]);
  make_traffic(&kernels[4]);
  make_textures(&kernels[5]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conditions_are_sound),
      cmocka_unit_test(test_conditions_hold),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (unsigned i = 0; i < N_KERNELS; i++)
    synth_free(&kernels[i]);
  return failed;
}
