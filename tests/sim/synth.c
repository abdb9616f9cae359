#include "synth.h"

#include "base/hash.h"
#include "sched/reorder.h"
#include "session/data.h"

#include <inttypes.h>
#include <stdio.h>

#include "../stream/util.h"

/* ---- kernels ---- */

static void must(enum weir_status st, const struct weir_err *err) {
  if (st != WEIR_OK) fail_msg("%s", err->msg);
}

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  struct synth *s = src->self;
  *out = NULL;
  if (s->next_block == s->n_blocks) return WEIR_OK;
  uint32_t id = s->next_block;
  struct weir_block_stream *b;
  enum weir_status st = weir_block_begin(&s->pool, id, s->info.n_warps, &b, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < s->n; i++) {
    const struct synth_op *op = &s->ops[i];
    if (op->block != id) continue;
    struct weir_addrs a = op->addrs;
    a.lane = op->lane;
    if (op->has_addr)
      weir_put_mem(&b->writers[op->warp], op->insn, op->mask, &a);
    else
      weir_put(&b->writers[op->warp], op->insn, op->mask);
  }
  if ((st = weir_block_finish(b, err)) != WEIR_OK) {
    weir_block_release(b);
    return st;
  }
  *out = b;
  s->next_block++;
  return WEIR_OK;
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  struct synth *s = src->self;
  s->n_released++;
  weir_block_release(b);
}

void synth_init(struct synth *s, uint32_t n_blocks, uint32_t n_warps) {
  struct weir_err err;
  *s = (struct synth){.n_blocks = n_blocks};
  s->info = (struct weir_kernel_info){.name = "synth",
                                      .grid = {n_blocks, 1, 1},
                                      .block = {32 * n_warps, 1, 1},
                                      .n_warps = n_warps,
                                      .regs_per_thread = 8,
                                      .insns = s->insns};
  s->source = (struct weir_block_source){.next = next_block, .release = release_block};
  must(weir_stream_pool_init(&s->pool, 64 << 20, NULL, &err), &err);
}

void synth_free(struct synth *s) {
  weir_stream_pool_free(&s->pool);
  free(s->ops);
}

struct weir_block_source *synth_source(struct synth *s) {
  s->source.kernel = &s->info;
  s->source.self = s;
  s->next_block = 0;
  s->n_released = 0;
  return &s->source;
}

uint32_t synth_insn(struct synth *s, enum weir_class cls, int dst, int src) {
  assert_true(s->info.n_insns < SYNTH_INSNS);
  struct weir_static *i = &s->insns[s->info.n_insns];
  *i = (struct weir_static){.pc = 8 * s->info.n_insns, .cls = (uint8_t)cls};
  if (dst >= 0) i->dst[i->n_dst++] = (uint16_t)dst;
  if (src >= 0) i->src[i->n_src++] = (uint16_t)src;
  int top = dst > src ? dst : src;
  if (top >= (int)s->info.n_regs) s->info.n_regs = (uint32_t)top + 1;
  return s->info.n_insns++;
}

uint32_t synth_access(struct synth *s, enum weir_class cls, enum weir_space space, unsigned width,
                      int dst, int src) {
  uint32_t i = synth_insn(s, cls, dst, src);
  s->insns[i].space = (uint8_t)space;
  s->insns[i].width = (uint8_t)width;
  return i;
}

uint32_t synth_barrier(struct synth *s, unsigned id, unsigned warps, bool arrive) {
  uint32_t i = synth_insn(s, WEIR_C_BARRIER, -1, -1);
  s->insns[i].width = 1;
  s->insns[i].bar_id = (uint8_t)id;
  s->insns[i].bar_warps = (uint8_t)warps;
  s->insns[i].bar_arrive = arrive;
  return i;
}

static struct synth_op *append(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn) {
  if (s->n == s->cap) {
    s->cap = s->cap ? 2 * s->cap : 64;
    s->ops = realloc(s->ops, s->cap * sizeof *s->ops);
    assert_non_null(s->ops);
  }
  struct synth_op *op = &s->ops[s->n++];
  *op = (struct synth_op){.block = block, .warp = warp, .insn = insn, .mask = UINT32_MAX};
  return op;
}

void synth_put(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn) {
  append(s, block, warp, insn);
}

void synth_stride(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint32_t mask,
                  uint64_t base, int64_t stride) {
  struct synth_op *op = append(s, block, warp, insn);
  op->has_addr = true;
  op->mask = mask;
  op->addrs = (struct weir_addrs){.kind = stride == 0 ? WEIR_ADDR_UNIFORM : WEIR_ADDR_STRIDE,
                                  .space = s->insns[insn].space,
                                  .base = base,
                                  .stride = stride};
  if (s->insns[insn].cls == WEIR_C_BARRIER) op->addrs.space = WEIR_SP_GLOBAL;
}

void synth_uniform(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint64_t base) {
  synth_stride(s, block, warp, insn, UINT32_MAX, base, 0);
}

void synth_list(struct synth *s, uint32_t block, uint32_t warp, uint32_t insn, uint32_t mask,
                const uint64_t lane[WEIR_LANES]) {
  struct synth_op *op = append(s, block, warp, insn);
  op->has_addr = true;
  op->mask = mask;
  op->addrs = (struct weir_addrs){.kind = WEIR_ADDR_LIST, .space = s->insns[insn].space};
  memcpy(op->lane, lane, sizeof op->lane);
}

/* ---- kernels from a seed ---- */

enum { REGS = 12 };

static int any_reg(uint64_t *r) {
  return below(r, 3) == 0 ? -1 : (int)below(r, REGS);
}

static uint32_t random_access(struct synth *s, uint64_t *r) {
  static const uint8_t spaces[] = {WEIR_SP_GLOBAL, WEIR_SP_GLOBAL, WEIR_SP_GLOBAL, WEIR_SP_GLOBAL,
                                   WEIR_SP_LOCAL,  WEIR_SP_LOCAL,  WEIR_SP_SHARED, WEIR_SP_CONST,
                                   WEIR_SP_PARAM,  WEIR_SP_TEX};
  static const uint8_t loads[] = {WEIR_CO_NONE,     WEIR_CO_NONE,    WEIR_CO_CA,     WEIR_CO_CG,
                                  WEIR_CO_CS,       WEIR_CO_LU,      WEIR_CO_CV,     WEIR_CO_NC,
                                  WEIR_CO_VOLATILE, WEIR_CO_RELAXED, WEIR_CO_ACQUIRE};
  static const uint8_t stores[] = {WEIR_CO_NONE, WEIR_CO_WB, WEIR_CO_WT,
                                   WEIR_CO_CG,   WEIR_CO_CS, WEIR_CO_RELEASE};
  enum weir_space space = spaces[below(r, sizeof spaces)];
  unsigned kind = below(r, 10);
  bool can_write = space != WEIR_SP_CONST && space != WEIR_SP_PARAM;
  enum weir_class cls = WEIR_C_LOAD;
  if (can_write && kind >= 6) cls = WEIR_C_STORE;
  if (can_write && kind == 9 && space != WEIR_SP_LOCAL) cls = WEIR_C_ATOM;
  uint32_t i = synth_access(s, cls, space, 1u << below(r, 5), cls == WEIR_C_STORE ? -1 : any_reg(r),
                            any_reg(r));
  if (cls == WEIR_C_LOAD && space == WEIR_SP_TEX && i % 4 != 0) {
    s->insns[i].cls = WEIR_C_TEX;
    s->insns[i].is_fetch = i % 2 == 0;
  }
  if (cls == WEIR_C_LOAD) s->insns[i].cache_op = loads[below(r, sizeof loads)];
  if (cls == WEIR_C_STORE) s->insns[i].cache_op = stores[below(r, sizeof stores)];
  if (below(r, 6) == 0) s->insns[i].evict_hint = (uint8_t)below(r, WEIR_EV_NO_ALLOCATE + 1);
  return i;
}

/* Addresses fall into a few kilobytes, so that warps meet. */
static void random_addresses(struct synth *s, uint64_t *r, uint32_t block, uint32_t warp,
                             uint32_t insn) {
  static const int64_t strides[] = {1, 2, 4, 4, 4, 8, 16, 32, 36, 128, 132, 512, -4, -128};
  uint64_t range = UINT64_C(256) << below(r, 7), lane[WEIR_LANES];
  uint64_t width = s->insns[insn].width;
  uint64_t base = 0x10000 + rnd(r) % range / width * width;
  uint32_t mask = below(r, 12) == 0 ? 0 : rnd_mask(r);
  switch (below(r, 4)) {
  case 0:
    synth_stride(s, block, warp, insn, mask, base, 0);
    return;
  case 1:
    for (unsigned i = 0; i < WEIR_LANES; i++)
      lane[i] = 0x10000 + rnd(r) % range / width * width;
    synth_list(s, block, warp, insn, mask, lane);
    return;
  case 2:
    synth_stride(s, block, warp, insn, mask, base & ~UINT64_C(127), (int64_t)s->insns[insn].width);
    return;
  default:
    synth_stride(s, block, warp, insn, mask, base,
                 strides[below(r, sizeof strides / sizeof *strides)]);
  }
}

/* The first instructions of random kernels: barriers 0 and 7, and one that records name. */
enum { RANDOM_BARRIERS = 3 };

static void random_barrier(struct synth *s, uint64_t *r, uint32_t block, uint32_t warp,
                           uint32_t phase) {
  struct weir_barrier b = {.id = (uint8_t)(2 + phase)};
  uint32_t i = (block + phase) % RANDOM_BARRIERS;
  if (i < 2) {
    synth_put(s, block, warp, i);
    return;
  }
  b.is_partial = true;
  if (below(r, 3) == 0) synth_uniform(s, block, warp, i, weir_barrier_pack(b));
  b.is_partial = false;
  synth_uniform(s, block, warp, i, weir_barrier_pack(b));
}

/* Of a block: warps run to a barrier together, or end before it. */
static void random_block(struct synth *s, uint64_t *r, uint32_t block, uint32_t n_code) {
  uint32_t phases = below(r, 4), len = 1 + below(r, below(r, 8) ? 24 : 200);
  for (uint32_t w = 0; w < s->info.n_warps; w++) {
    if (below(r, 12) == 0) continue; /* an empty warp */
    for (uint32_t p = 0; p <= phases; p++) {
      for (uint32_t n = below(r, len + 1); n > 0; n--) {
        uint32_t i = below(r, n_code);
        if (i < RANDOM_BARRIERS) continue;
        if (s->insns[i].width != 0)
          random_addresses(s, r, block, w, i);
        else
          append(s, block, w, i)->mask = rnd_mask(r);
      }
      if (p < phases) random_barrier(s, r, block, w, p);
      if (below(r, 20) == 0) break; /* ends early */
    }
  }
}

/* In every other kernel some loads are asynchronous copies, and hints end groups or wait for them.
 */
static void random_copies(struct synth *s, uint64_t seed) {
  for (uint32_t i = 0; seed % 2 == 0 && i < s->info.n_insns; i++) {
    uint64_t h = weir_splitmix64(seed * 64 + i);
    struct weir_static *x = &s->insns[i];
    if (x->cls == WEIR_C_LOAD) x->is_copy = h % 3 == 0;
    if (x->cls == WEIR_C_OTHER) {
      x->ends_copies = h & 1;
      x->waits_copies = (uint8_t)(h >> 8 & 3);
    }
  }
}

void synth_random(struct synth *s, uint64_t seed) {
  uint64_t state = seed * 2 + 1, *r = &state;
  synth_init(s, 1 + below(r, 12), 1 + below(r, 6));
  s->info.regs_per_thread = below(r, 4) == 0 ? 0 : 4 + below(r, 16);
  s->info.static_shared = below(r, 3) == 0 ? 0 : below(r, 2048);
  uint32_t n = 8 + below(r, 40);
  synth_barrier(s, 0, 0, false);
  synth_barrier(s, 7, 0, false);
  synth_barrier(s, 0, 0, false);
  synth_insn(s, WEIR_C_FENCE, -1, -1);
  while (s->info.n_insns < n)
    if (below(r, 2))
      random_access(s, r);
    else {
      enum weir_class c = below(r, WEIR_N_CLASSES);
      if (c == WEIR_C_LOAD || c == WEIR_C_STORE || c == WEIR_C_ATOM || c == WEIR_C_BARRIER)
        c = WEIR_C_INT;
      synth_insn(s, c, any_reg(r), any_reg(r));
    }
  random_copies(s, seed);
  for (uint32_t b = 0; b < s->n_blocks; b++)
    random_block(s, r, b, n);
}

/* ---- machines ---- */

static const struct weir_param_group *const groups[] = {&weir_core_params,    &weir_sm_params,
                                                        &weir_l1_params,      &weir_noc_params,
                                                        &weir_l2_params,      &weir_l3_params,
                                                        &weir_dram_params,    &weir_jitter_params,
                                                        &weir_reorder_params, NULL};

enum weir_status machine_try(struct machine *x, const char *file, const char *const *set,
                             struct weir_err *err) {
  must(weir_settings_init(&x->settings, groups, err), err);
  if (file != NULL) must(weir_data_machine(&x->settings, file, err), err);
  for (; set != NULL && *set != NULL; set++)
    must(weir_settings_assign(&x->settings, *set, err), err);
  return weir_machine_fill(&x->m, "test", &x->settings, err);
}

void machine_init(struct machine *x, const char *file, const char *const *set) {
  struct weir_err err;
  must(machine_try(x, file, set, &err), &err);
}

void machine_init_plain(struct machine *x, const char *file, const char *const *set) {
  const char *all[64] = {"noc.spread_cyc=0", "sm.load_end_cyc=0", "sm.access_end_cyc=0"};
  for (size_t n = 3; set != NULL && *set != NULL; n++) {
    assert_true(n + 1 < sizeof all / sizeof *all);
    all[n] = *set++;
  }
  machine_init(x, file, all);
}

void machine_free(struct machine *x) {
  weir_settings_free(&x->settings);
}

void machine_print(const struct machine *x) {
  for (size_t i = 0; i < x->settings.n; i++) {
    const struct weir_setting *v = &x->settings.v[i];
    if (v->layer != WEIR_LAYER_DEFAULT)
      print_message(" --set %s.%s=%s", v->group->prefix, v->param->name, v->text);
  }
  print_message("\n");
}

/* Values where the table's range alone would give machines too large or too slow, or hardly ever a
 * legal one. */
static const struct {
  const char *name, *values;
} choices[] = {
    {"core.clock_mhz", "700 1000 1132 1755"},
    {"sm.count", "1 1 2 3 5"},
    {"sm.warps", "6 7 8 16 48 64"},
    {"sm.threads", "256 1024 2048"},
    {"sm.blocks", "1 2 3 8 32"},
    {"sm.registers", "8192 65536"},
    {"sm.register_unit", "1 64 256"},
    {"sm.shared_bytes", "4096 49152"},
    {"sm.shared_unit", "1 128 256"},
    {"sm.inflight", "1 2 5 16 64 1024"},
    {"sm.ldst_queue", "1 2 3 8 16"},
    {"sm.launch_latency", "0 0 7 100"},
    {"sm.collector_units", "0 4 8 12 12 24"}, /* refused where schedulers cannot share them */
    {"sm.register_banks", "4 12 12 16 24"},
    {"sm.register_ports", "1 2 2 2 3"},
    {"sm.idiv_slots", "1 1 20"},
    {"sm.fdiv_slots", "1 1 3 12"},
    {"sm.fdiv_next_cyc", "1 1 9 60"},
    {"sm.load_next_cyc", "1 1 6 20"},
    {"sm.load_end_cyc", "0 0 55"},
    {"sm.access_end_cyc", "0 0 7 230"},
    {"noc.spread_cyc", "0 0 3 64"},
    {"sm.texture_bytes", "0 0 12K 24K"},
    {"sm.texture_ways", "1 4 24"},
    {"l1.enabled", "true true true true true false"},
    {"l1.perfect", "false false false false false false true"},
    {"l1.line", "32 64 128 128 128 256"},
    {"l2.line", "32 64 128 128 128 256"},
    {"l1.sets", "1 2 4 32 64"},
    {"l1.ways", "1 2 3 4 8"},
    {"l1.mshr_entries", "1 2 3 8 32 64"},
    {"l1.mshr_merge", "1 2 3 8"},
    {"l1.miss_queue", "1 2 3 8 16"},
    {"l1.bypass_queue", "1 2 3 8"},
    {"l1.probes_per_cycle", "1 1 2 4 8"},
    {"l1.banks", "1 2 4 8"},
    {"l1.bank_bytes", "32 64 128"},
    {"l1.port_bytes", "8 16 32 64 128 256"},
    {"l1.unified_bytes", "0 0 0 8192 65536"},
    {"l1.reserved_bytes", "0 0 1024 1920"},
    {"sm.shared_per_block", "0 0 256"},
    {"l1.sector", "32 32 32 8 16"},
    {"l1.carveouts", "0 0 0 0,2K,4K"}, /* refused where there is no such array */
    {"noc.sm_flits", "1 1 2 3"},
    {"noc.slice_tenths", "10 10 13 25"},
    {"noc.flit_bytes", "1 4 8 16 32 40 64"},
    {"noc.header_bytes", "0 1 8 64"},
    {"noc.request_buffer", "5 8 33 64 400"},
    {"noc.reply_buffer", "5 8 33 64 400"},
    {"noc.input_buffer", "5 8 33 64 400"},
    {"noc.input_speedup", "1 1 2 64"},
    {"l2.slices", "1 2 3 4 6 8"},
    {"l2.sets", "1 2 4 16 64"},
    {"l2.ways", "1 2 3 8"},
    {"l2.mshr_entries", "1 2 4 32"},
    {"l2.mshr_merge", "1 2 4"},
    {"l2.write_queue", "1 2 4 5 8 64"},
    {"l2.port_bytes", "0 0 4 16 32 100"},
    {"l2.merge_reads", "1 1 2 4"},
    {"l2.merge_cyc", "3 20 100"},
    {"l2.merge_groups", "1 1 2 3"},
    {"l2.multicast", "false true"},
    {"l2.store_wait_cyc", "0 0 7 60"},
    {"l2.fetch_bytes", "32 32 64 128"}, /* refused where it is more than a line */
    {"l2.interleave", "32 64 128 256 1024"},
    {"l3.enabled", "false true"},
    {"l3.sectored", "false false true"},
    {"l3.sets", "1 2 4 16 64"},
    {"l3.ways", "1 2 3 8"},
    {"l3.mshr_entries", "1 2 4 32"},
    {"l3.mshr_merge", "1 2 4"},
    {"l3.queue", "1 2 3 8 32"},
    {"l3.write_queue", "4 5 8 64"},
    {"dram.channels", "1 1 2 3 4"},
    {"dram.banks", "1 2 4 16"},
    {"dram.bank_groups", "1 1 2 4"},
    {"dram.row_bytes", "64 128 256 1024 2048"},
    {"dram.atom_bytes", "8 16 32 64 128 256"},
    {"dram.input_queue", "0 0 2 3 8 40"},
    {"dram.queue", "1 4 8 16 64"},
    {"dram.map", "rotate rotate rotate RBBBBCCCCCCSSSSS RRBCBCCCBCCBCCCCC RBCBCCCCCC RCCCCCCBCC"},
    {"dram.clock_mhz", "350 700 924 850 1000 2600"},
};

static const char *word(const char *list, char sep, uint64_t *r, char *buf, size_t len) {
  unsigned n = 1;
  for (const char *p = list; *p; p++)
    n += *p == sep;
  for (unsigned k = below(r, n); k > 0; k--)
    list = strchr(list, sep) + 1;
  size_t i = 0;
  for (; list[i] != '\0' && list[i] != sep && i + 1 < len; i++)
    buf[i] = list[i];
  buf[i] = '\0';
  return buf;
}

static const char *random_value(const struct weir_param *p, const char *path, uint64_t *r,
                                char *buf, size_t len) {
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (strcmp(choices[i].name, path) == 0) return word(choices[i].values, ' ', r, buf, len);
  if (p->type == WEIR_BOOL) return below(r, 2) ? "true" : "false";
  if (p->choices != NULL) return word(p->choices, '|', r, buf, len);
  int64_t lo = (int64_t)p->min, hi = p->max < 24 ? (int64_t)p->max : 24;
  snprintf(buf, len, "%" PRId64, lo + (int64_t)below(r, (uint32_t)(hi - lo + 1)));
  return buf;
}

void machine_random(struct machine *x, uint64_t seed, uint32_t *n_refused) {
  uint64_t state = seed * 2 + UINT64_C(0x51ed), *r = &state;
  for (;;) {
    struct weir_err err;
    char path[128], value[64];
    must(weir_settings_init(&x->settings, groups, &err), &err);
    uint32_t keep = below(r, 3); /* how many of three settings stay as they are */
    for (size_t i = 0; i < x->settings.n; i++) {
      struct weir_setting *v = &x->settings.v[i];
      snprintf(path, sizeof path, "%s.%s", v->group->prefix, v->param->name);
      bool small = strncmp(path, "sm.count", 8) == 0 || strncmp(path, "l2.", 3) == 0 ||
                   strncmp(path, "l3.", 3) == 0 || strcmp(path, "dram.channels") == 0 ||
                   strcmp(path, "sm.warps") == 0;
      if (strcmp(path, "l1.size") == 0) continue; /* sets and ways say it */
      if (!small && below(r, 3) < keep) continue;
      const char *text = random_value(v->param, path, r, value, sizeof value);
      must(weir_settings_set(&x->settings, WEIR_LAYER_SET, path, text, NULL, &err), &err);
    }
    if (weir_machine_fill(&x->m, "random", &x->settings, &err) == WEIR_OK) return;
    ++*n_refused;
    machine_free(x);
  }
}

/* ---- runs ---- */

static const void *default_cfg(const struct weir_part *part, char *cfg) {
  assert_true(part->cfg_bytes <= 1024);
  memset(cfg, 0, 1024);
  if (part->params != NULL) weir_param_defaults(part->params, cfg);
  return cfg;
}

static void add_policy(struct random_design *d, const struct weir_policy_ops *o) {
  uint32_t n = d->d.n_policies++;
  d->d.policy[n].ops = o;
  d->d.policy[n].cfg = default_cfg(&o->part, d->cfg[n + 1]);
  size_t used = strlen(d->name);
  snprintf(d->name + used, sizeof d->name - used, " %s", o->part.name);
}

void design_random(struct random_design *d, const struct weir_machine *m, uint64_t seed) {
  struct weir_err err;
  uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + 77;
  uint32_t n_orgs = 0, n_policies = 0;
  while (weir_organisations[n_orgs] != NULL)
    n_orgs++;
  while (weir_policies[n_policies] != NULL)
    n_policies++;
  for (;;) {
    memset(d, 0, sizeof *d);
    weir_design_baseline(&d->d, m);
    d->d.seed = seed;
    snprintf(d->name, sizeof d->name, "%s", d->d.org->part.name);
    if (seed % 3 == 0) return;
    d->d.org = weir_organisations[below(&x, n_orgs)];
    d->d.org_cfg = default_cfg(&d->d.org->part, d->cfg[0]);
    d->d.n_policies = 0;
    snprintf(d->name, sizeof d->name, "%s", d->d.org->part.name);
    for (uint32_t n = 1 + below(&x, 3); n > 0; n--)
      add_policy(d, weir_policies[below(&x, n_policies)]);
    if (weir_design_check(&d->d, m, &err) == WEIR_OK) return;
  }
}

void synth_run(const struct machine *x, const struct weir_design *d, struct synth *const *kernels,
               unsigned n, const struct weir_sim_options *o, struct weir_sim_result *r) {
  struct weir_err err;
  struct weir_sim *sim;
  enum weir_status st = WEIR_OK;
  must(weir_sim_new(&x->m, d, o, &sim, &err), &err);
  for (unsigned i = 0; i < n && st == WEIR_OK; i++) {
    st = weir_sim_kernel(sim, synth_source(kernels[i]), &r[i], &err);
    if (st == WEIR_OK) assert_int_equal(kernels[i]->n_released, kernels[i]->n_blocks);
  }
  weir_sim_free(sim);
  if (st != WEIR_OK) machine_print(x);
  must(st, &err);
}

/* Every statistic that differs is printed: one alone says little. */
static bool same_group(const struct weir_stat_group *g, const void *a, const void *b) {
  bool same = true;
  for (const struct weir_stat *t = g->table; t->name != NULL; t++) {
    uint64_t x, y;
    memcpy(&x, (const char *)a + t->offset, sizeof x);
    memcpy(&y, (const char *)b + t->offset, sizeof y);
    if (x == y) continue;
    same = false;
    print_message("%s.%s: %" PRIu64 " and %" PRIu64 "\n", g->prefix, t->name, x, y);
  }
  return same;
}

bool same_result(const struct weir_sim_result *a, const struct weir_sim_result *b) {
  bool same = a->cycles == b->cycles && a->start == b->start && a->drain == b->drain &&
              a->blocks_per_sm == b->blocks_per_sm && strcmp(a->limited_by, b->limited_by) == 0;
  if (!same)
    print_message("cycles: %" PRIu64 " and %" PRIu64 ", start: %" PRIu64 " and %" PRIu64 "\n",
                  a->cycles, b->cycles, a->start, b->start);
  same &= same_group(&weir_sm_stat_group, &a->sm, &b->sm);
  same &= same_group(&weir_l1_stat_group, &a->l1, &b->l1);
  same &= same_group(&weir_l2_stat_group, &a->l2, &b->l2);
  same &= same_group(&weir_l3_stat_group, &a->l3, &b->l3);
  same &= same_group(&weir_dram_stat_group, &a->dram, &b->dram);
  /* These hold counters only; a counter without a row would be seen here. */
  return same && memcmp(&a->sm, &b->sm, sizeof a->sm) == 0 &&
         memcmp(&a->l1, &b->l1, sizeof a->l1) == 0 && memcmp(&a->l2, &b->l2, sizeof a->l2) == 0 &&
         memcmp(&a->l3, &b->l3, sizeof a->l3) == 0 &&
         memcmp(&a->dram, &b->dram, sizeof a->dram) == 0 &&
         memcmp(a->part, b->part, sizeof a->part) == 0;
}
