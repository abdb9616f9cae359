#include "session/energy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stat_io.h"

#define SLIDES "Adaptive GPU Cache Bypassing, power table of a 16 KB L1"
#define E(f, d, u, h, ...)                                                                         \
  WEIR_PARAM(weir_energy_cfg, f, d, .min = 0, .max = 1e6, .unit = u, .help = h,                    \
             .source = __VA_ARGS__)

static const struct weir_param params[] = {
    E(tag_nj, "0.00134096", "nJ", "a look at the tags of a set", SLIDES),
    E(data_nj, "0.106434", "nJ", "a read or a write of the data, a fill included", SLIDES),
    E(table_nj, "0.000126232", "nJ", "a look at, or a change of, a table of predictions", SLIDES,
      .when = "part=pc-bypass"),
    E(static_mw, "7.538627", "mW", "leakage of an L1", SLIDES),
    E(pc_bypass_tag_nj, "0.00044574", "nJ", "what pc-bypass adds to a look at the tags",
      SLIDES ": 0.0017867 with it", .when = "part=pc-bypass"),
    E(pc_bypass_static_mw, "0.190413", "mW", "what pc-bypass adds to the leakage",
      SLIDES ": 7.72904 with it", .when = "part=pc-bypass"),
    E(decoupled_tag_nj, "0.002", "nJ", "what decoupled adds to a look at the tags",
      "Locality-Driven Dynamic GPU Cache Bypassing: per access", .when = "part=decoupled"),
    E(decoupled_static_mw, "0.113333", "mW", "what decoupled adds to the leakage",
      "Locality-Driven Dynamic GPU Cache Bypassing: 1.7 mW, taken to be of its 15 SMs",
      .when = "part=decoupled"),
    E(tag_split_tag_nj, "0.0008", "nJ", "what tag-split adds to a look at the tags",
      "Tag-Split Cache", .when = "part=tag-split"),
    E(tag_split_static_mw, "0.5", "mW", "what tag-split adds to the leakage", "Tag-Split Cache",
      .when = "part=tag-split"),
    WEIR_PARAM_END};
const struct weir_param_group weir_energy_params = {
    "energy", "Energy of an L1: published constants, not derived from a machine.", params,
    sizeof(struct weir_energy_cfg), "energy"};

#define S(f, u, h)  WEIR_STAT(weir_energy, f, u, h)
#define NJ(n, f, h) WEIR_STAT_RATIO(weir_energy, n, f, fj_per_nj, "nJ", h)
const struct weir_stat weir_energy_stat_table[] = {
    S(tag_accesses, "access",
      "requests that looked at tags, and cycles in which one that had looked waited"),
    S(data_accesses, "access", "loads that read, stores that wrote, and fills"),
    S(table_accesses, "access", "predictions read, and changes of their tables"),
    NJ("tag_nj", tag_fj, "energy of the tags, all L1s together"),
    NJ("data_nj", data_fj, "... of the data"),
    NJ("table_nj", table_fj, "... of tables of predictions"),
    NJ("static_nj", static_fj, "... of leakage, for as long as the kernels ran"),
    NJ("dynamic_nj", dynamic_fj, "... of all accesses"),
    NJ("total_nj", total_fj, "... of accesses and leakage"),
    WEIR_STAT_END};
const struct weir_stat_group weir_energy_stat_group = {
    "energy", "Energy of the L1s, from counts and published constants (docs/energy.md).",
    weir_energy_stat_table, NULL};

/* ---- what parts add ---- */

enum { MAX_TABLE_STATS = 6 };

/* tag, leak: offsets in the parameters. table: the part's counters of
 * accesses to its table, one for a look and one for a change. */
#define ADDS(f)                                                                                    \
  offsetof(struct weir_energy_cfg, f##_tag_nj), offsetof(struct weir_energy_cfg, f##_static_mw)
static const struct adder {
  const char *part;
  size_t tag, leak;
  const char *table[MAX_TABLE_STATS];
} adders[] = {
    {"pc-bypass",
     ADDS(pc_bypass),
     {"predictions", "trained_up", "trained_down", "feedback_bypass", "feedback_fill"}},
    {"decoupled", ADDS(decoupled), {NULL}},
    {"tag-split", ADDS(tag_split), {NULL}},
};
enum { N_ADDERS = sizeof adders / sizeof *adders };

static const struct adder *adder_of(const struct weir_part *part) {
  for (size_t i = 0; i < N_ADDERS; i++)
    if (strcmp(adders[i].part, part->name) == 0) return &adders[i];
  return NULL;
}

static double cfg_at(const struct weir_energy_cfg *cfg, size_t offset) {
  double v;
  memcpy(&v, (const char *)cfg + offset, sizeof v);
  return v;
}

static uint64_t table_accesses(const struct adder *a, const struct weir_part *part,
                               const uint64_t *counters) {
  uint64_t n = 0;
  for (size_t i = 0; i < MAX_TABLE_STATS && a->table[i] != NULL; i++)
    n += weir_stat_count_of(weir_stat_find(part->stats, a->table[i]), counters);
  return n;
}

/* ---- sums ---- */

enum { FJ_PER_NJ = 1000000 };

static uint64_t fj(double nj) {
  return (uint64_t)(nj * FJ_PER_NJ + 0.5);
}

double weir_energy_nj(uint64_t of) {
  return (double)of / FJ_PER_NJ;
}

void weir_energy(const struct weir_energy_cfg *cfg, const struct weir_machine *m,
                 const struct weir_sim_result *r, struct weir_energy *e) {
  const struct weir_l1_stats *l1 = &r->l1;
  double tag_nj = cfg->tag_nj, static_mw = cfg->static_mw;
  *e = (struct weir_energy){.tag_accesses = l1->probes + r->sm.stall_probed,
                            .data_accesses = l1->data_reads + l1->fills + l1->data_writes,
                            .fj_per_nj = FJ_PER_NJ};
  for (uint32_t i = 0; i < WEIR_MAX_PARTS && r->parts[i] != NULL; i++) {
    const struct adder *a = adder_of(r->parts[i]);
    if (a == NULL) continue;
    tag_nj += cfg_at(cfg, a->tag);
    static_mw += cfg_at(cfg, a->leak);
    e->table_accesses += table_accesses(a, r->parts[i], r->part[i]);
  }
  /* mW for a microsecond is a nJ. */
  double us = m->core.clock_mhz > 0 ? (double)r->cycles / (double)m->core.clock_mhz : 0;
  e->tag_fj = fj((double)e->tag_accesses * tag_nj);
  e->data_fj = fj((double)e->data_accesses * cfg->data_nj);
  e->table_fj = fj((double)e->table_accesses * cfg->table_nj);
  e->static_fj = fj(static_mw * us * (double)m->sm.count);
  e->dynamic_fj = e->tag_fj + e->data_fj + e->table_fj;
  e->total_fj = e->dynamic_fj + e->static_fj;
}

/* ---- notes ---- */

const char *weir_energy_size_note(const struct weir_machine *m, char *buf, size_t len) {
  enum { PUBLISHED_BYTES = 16384 };
  const struct weir_l1_cfg *l1 = &m->l1;
  bool is_whole = l1->unified_bytes > 0 && l1->size == l1->unified_bytes;
  int64_t bytes = l1->size;
  buf[0] = '\0';
  if (bytes != PUBLISHED_BYTES)
    snprintf(buf, len,
             "the constants are those of an L1 of 16 KB and are not scaled; here it has %" PRId64
             " KB%s",
             bytes / 1024, is_whole ? ", shared memory included" : "");
  return buf;
}

bool weir_energy_is_known(const struct weir_part *part) {
  static const char *const plain[] = {"conventional", "sectored", "lru", "bypass-all",
                                      "random-bypass"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(part->name, plain[i]) == 0) return true;
  return adder_of(part) != NULL;
}
