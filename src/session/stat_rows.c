#include "session/stat_rows.h"

#include <string.h>

#include "base/mem.h"
#include "base/stat_io.h"
#include "sim/derived.h"

#define R(n, f, k, u, h)                                                                           \
  { .name = n, .unit = u, .help = h, .kind = k, .offset = offsetof(struct weir_run_stats, f) }
enum { CYCLES_ROW, LAUNCHES_ROW, STORAGE_ROW };
static const struct weir_stat run_table[] = {
    [CYCLES_ROW] =
        R("cycles", cycles, WEIR_COUNTER, "cycle", "from the begin of a kernel to its end"),
    [LAUNCHES_ROW] = R("launches", launches, WEIR_COUNTER, "launch", "of kernels"),
    [STORAGE_ROW] = R(WEIR_STAT_STORAGE, storage_bits, WEIR_MAXIMUM, "bit",
                      "hardware of the L1 beside tags and data"),
    R("storage.baseline_bits_per_sm", baseline_bits, WEIR_MAXIMUM, "bit",
      "the same of the machine's own L1"),
    R("storage.l2_bits", l2_bits, WEIR_MAXIMUM, "bit", "hardware that the L1 needs in the L2"),
    WEIR_STAT_END};

/* ---- the list ---- */

struct lister {
  const struct weir_setup *setup;
  struct weir_arena *arena;
  struct weir_stat_rows *rows;
};

static bool add_table(const struct lister *l, const char *prefix, const struct weir_stat *table,
                      enum weir_stat_place place, uint32_t part) {
  for (const struct weir_stat *s = table; s != NULL && s->name != NULL; s++) {
    if (s == &run_table[STORAGE_ROW] && l->setup->storage_bits == WEIR_NOT_DECLARED) continue;
    if (s->kind == WEIR_LEVEL) continue;
    struct weir_stat_row row = {.stat = s, .place = place, .part = part};
    row.name = prefix != NULL ? weir_arena_printf(l->arena, "%s.%s", prefix, s->name) : s->name;
    if (row.name == NULL || !WEIR_PUSH(*l->rows, row)) return false;
  }
  return true;
}

enum weir_status weir_stat_rows(const struct weir_setup *setup, struct weir_arena *a,
                                struct weir_stat_rows *rows, struct weir_err *err) {
  const struct lister l = {setup, a, rows};
  const struct weir_part *part;
  bool ok = add_table(&l, NULL, run_table, WEIR_IN_RUN, 0) &&
            add_table(&l, "derived", weir_derived_stat_table, WEIR_IN_DERIVED, 0) &&
            add_table(&l, "sm", weir_sm_stat_table, WEIR_IN_SM, 0) &&
            add_table(&l, "l1", weir_l1_stat_table, WEIR_IN_L1, 0);
  for (uint32_t i = 0; ok && (part = weir_setup_part(setup, i)) != NULL; i++)
    ok = add_table(&l, part->name, part->stats, WEIR_IN_PART, i);
  ok = ok && add_table(&l, "l2", weir_l2_stat_table, WEIR_IN_L2, 0);
  if (setup->machine.l3.enabled) ok = ok && add_table(&l, "l3", weir_l3_stat_table, WEIR_IN_L3, 0);
  ok = ok && add_table(&l, "dram", weir_dram_stat_table, WEIR_IN_DRAM, 0) &&
       add_table(&l, "energy", weir_energy_stat_table, WEIR_IN_ENERGY, 0) &&
       add_table(&l, "func", weir_func_stat_table, WEIR_IN_EXECUTION, 0);
  return ok ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- values ---- */

void weir_stat_values(struct weir_stat_values *v, const struct weir_setup *setup,
                      const struct weir_sim_result *r, uint64_t launches,
                      const struct weir_func_stats *executed) {
  *v = (struct weir_stat_values){.run = {.cycles = r->cycles,
                                         .launches = launches,
                                         .storage_bits = setup->storage_bits,
                                         .baseline_bits = setup->baseline_bits,
                                         .l2_bits = setup->l2_bits},
                                 .result = r,
                                 .setup = setup,
                                 .executed = executed};
  weir_energy(&setup->energy, &setup->machine, r, &v->energy);
}

void weir_stat_row_read(const struct weir_stat_values *v, const struct weir_stat_row *row,
                        uint64_t *count, double *value) {
  static const struct weir_func_stats nothing;
  const struct weir_sim_result *r = v->result;
  struct weir_derived derived;
  const void *base[WEIR_N_PLACES] = {
      &v->run, &derived, &r->sm,   &r->l1,     r->part[row->part],
      &r->l2,  &r->l3,   &r->dram, &v->energy, v->executed != NULL ? v->executed : &nothing};
  if (row->place == WEIR_IN_DERIVED) weir_derive(r, (uint32_t)v->setup->machine.sm.count, &derived);
  *value = weir_stat_value(row->stat, base[row->place]);
  *count = row->stat->kind != WEIR_RATIO ? weir_stat_count_of(row->stat, base[row->place]) : 0;
}

/* ---- and back ---- */

bool weir_stat_row_is_kept(const struct weir_stat_row *row) {
  if (row->place == WEIR_IN_RUN)
    return row->stat == &run_table[CYCLES_ROW] || row->stat == &run_table[LAUNCHES_ROW];
  return row->stat->kind != WEIR_RATIO && row->place != WEIR_IN_DERIVED &&
         row->place != WEIR_IN_ENERGY && row->place != WEIR_IN_EXECUTION;
}

void weir_stat_row_put(const struct weir_stat_row *row, uint64_t count, struct weir_sim_result *r,
                       uint64_t *launches) {
  void *const base[WEIR_IN_DRAM + 1] = {NULL,   NULL,   &r->sm,  &r->l1, r->part[row->part],
                                        &r->l2, &r->l3, &r->dram};
  if (row->stat == &run_table[CYCLES_ROW])
    r->cycles = count;
  else if (row->stat == &run_table[LAUNCHES_ROW])
    *launches = count;
  else
    memcpy((char *)base[row->place] + row->stat->offset, &count, sizeof count);
}
