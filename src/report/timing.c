#include "report/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/stat_io.h"
#include "base/table.h"
#include "report/clocks.h"
#include "sim/derived.h"

/* ---- kernels ---- */

static void percent(struct weir_table *t, uint64_t part, uint64_t whole) {
  if (whole == 0)
    weir_table_cell(t, "-");
  else
    weir_table_cell(t, "%.1f", 100.0 * (double)part / (double)whole);
}

static uint64_t ldst_slots(const struct weir_sm_stats *s) {
  uint64_t n = 0;
  for (unsigned i = WEIR_SLOT_LDST; i < WEIR_N_ISSUE_SLOTS; i++)
    n += s->slot[i];
  return n;
}

static void add_row(struct weir_table *t, const struct weir_timed_kernel *k, bool is_first) {
  const struct weir_sim_result *r = &k->result;
  uint64_t slots = 0;
  char num[27], name[WEIR_DEMANGLED];
  for (unsigned i = 0; i < WEIR_N_ISSUE_SLOTS; i++)
    slots += r->sm.slot[i];
  weir_table_cell(t, "%s", is_first ? k->workload : "");
  weir_table_cell(t, "%s", weir_demangle(k->kernel, name, sizeof name));
  weir_table_cell(t, "%s", weir_text_thousands(r->cycles, num));
  weir_table_cell(t, "%.2f", r->cycles ? (double)r->sm.warp_insns / (double)r->cycles : 0.0);
  weir_table_cell(t, "%u (%s)%s", r->blocks_per_sm, r->limited_by,
                  k->regs_estimated || k->registers == 0 || k->registers_got < k->registers ? "*"
                                                                                            : "");
  percent(t, r->l1.hits + r->l1.hit_reserved, r->l1.loads);
  percent(t, r->l1.bypassed, r->l1.loads);
  percent(t, r->l2.read_sectors - r->l2.read_sectors_missed, r->l2.read_sectors);
  weir_table_cell(t, "%s", weir_text_thousands(r->dram.reads + r->dram.writes, num));
  percent(t, r->sm.slot[WEIR_SLOT_ISSUED], slots);
  percent(t, r->sm.slot[WEIR_SLOT_LOAD], slots);
  percent(t, ldst_slots(&r->sm), slots);
  percent(t, r->sm.slot[WEIR_SLOT_BARRIER], slots);
  percent(t, r->sm.slot[WEIR_SLOT_NO_WARP], slots);
}

/* Of a kernel whose registers are no compiler's figure, or not the ones that it gets. */
static void add_register_note(const struct weir_timed_kernel *k, int64_t limit,
                              struct weir_text *out) {
  char name[WEIR_DEMANGLED];
  weir_demangle(k->kernel, name, sizeof name);
  bool is_cut = k->registers_got < k->registers;
  if (k->registers != 0 && !k->regs_estimated && !is_cut) return;
  weir_text_printf(out, "* %s: registers per thread ", name);
  if (k->registers == 0)
    weir_text_puts(out, "are not known and limit nothing");
  else
    weir_text_printf(out, "%s: %u", k->regs_estimated ? "estimated from liveness" : "as compiled",
                     k->registers);
  if (is_cut && (int64_t)k->registers_got == limit)
    weir_text_printf(out, ", taken as the %u of sm.max_registers_per_thread; no spilling is added",
                     k->registers_got);
  else if (is_cut)
    weir_text_printf(out, ", taken as %u so that a block fits", k->registers_got);
  weir_text_puts(out, "\n");
}

static void add_notes(const struct weir_timing *t, struct weir_text *out) {
  for (size_t i = 0; i < t->kernels.n; i++)
    add_register_note(&t->kernels.v[i], t->setup->machine.sm.max_registers_per_thread, out);
}

static void energy_notes(const struct weir_setup *s, struct weir_text *out) {
  const struct weir_part *part;
  const char *mark = "energy: nothing was published about ";
  char size[160];
  if (*weir_energy_size_note(&s->machine, size, sizeof size) != '\0')
    weir_text_printf(out, "energy: %s\n", size);
  for (uint32_t i = 0; (part = weir_setup_part(s, i)) != NULL; i++) {
    if (weir_energy_is_known(part)) continue;
    weir_text_printf(out, "%s%s", mark, part->name);
    mark = ", ";
  }
  if (mark[0] == ',') weir_text_puts(out, ", whose own needs are not counted\n");
}

/* What the L1s cost: hardware beside tags and data, and energy of everything that was timed. */
static void cost_text(const struct weir_timing *t, struct weir_text *out) {
  const struct weir_setup *s = t->setup;
  struct weir_sim_result sum;
  struct weir_energy e;
  weir_timing_total(t, &sum);
  weir_energy(&s->energy, &s->machine, &sum, &e);
  weir_text_puts(out, "L1 storage beside tags and data: ");
  if (s->storage_bits == WEIR_NOT_DECLARED)
    weir_text_puts(out, "not declared");
  else
    weir_text_printf(out, "%.10g bytes per SM", (double)s->storage_bits / 8);
  weir_text_printf(out, " (the machine's own L1: %.10g)", (double)s->baseline_bits / 8);
  if (s->l2_bits > 0) weir_text_printf(out, ", %.10g in the L2", (double)s->l2_bits / 8);
  weir_text_printf(out, "\nL1 energy: %.1f nJ (tags %.1f, data %.1f, tables %.1f, leakage %.1f)\n",
                   weir_energy_nj(e.total_fj), weir_energy_nj(e.tag_fj), weir_energy_nj(e.data_fj),
                   weir_energy_nj(e.table_fj), weir_energy_nj(e.static_fj));
  energy_notes(s, out);
}

void weir_timed_profiles_free(struct weir_timed_profiles *p) {
  for (size_t i = 0; i < p->n; i++)
    free(p->v[i].workload);
  free(p->v);
  weir_preparations_free(&p->all);
  *p = (struct weir_timed_profiles){0};
}

static void add_profiles(const struct weir_timed_profiles *all, struct weir_text *out) {
  for (size_t i = 0; all != NULL && i < all->n; i++)
    for (uint32_t k = 0; k < all->v[i].n_found; k++) {
      const struct weir_preparation *p = all->v[i].found[k];
      if (p->tags != NULL)
        weir_text_printf(out, "%s: loads %s", all->v[i].workload,
                         strcmp(p->name, WEIR_PREPARE_TRAFFIC) == 0 ? "chosen by traffic"
                                                                    : "classified");
      else
        weir_text_printf(out, "%s: prepared by %s", all->v[i].workload, p->name);
      if (p->input[0] != 0) weir_text_printf(out, " on input %s", p->input);
      if (p->is_same_input)
        weir_text_puts(out,
                       p->input[0] != 0 ? ", which is the one that is timed" : " on what is timed");
      weir_text_puts(out, "\n");
    }
}

json_t *weir_profile_json(const struct weir_preparation *const *made, uint32_t n) {
  const struct weir_preparation *named = weir_preparation_named(made, n);
  json_t *o = json_pack("{s:o, s:b}", "input", weir_json_text(named->input), "is_timed_input",
                        (int)named->is_same_input),
         *names = json_array();
  bool ok = o != NULL && names != NULL;
  for (uint32_t i = 0; ok && i < n; i++)
    if (strcmp(made[i]->name, WEIR_PREPARE_CLASSIFY) != 0)
      ok = json_array_append_new(names, weir_json_text(made[i]->name)) == 0;
  if (ok && json_array_size(names) > 0) ok = json_object_set(o, "prepared_by", names) == 0;
  json_decref(names);
  if (ok) return o;
  json_decref(o);
  return NULL;
}

json_t *weir_timing_profile_json(const struct weir_timing *t,
                                 const struct weir_timed_profiles *profiles) {
  if (t == NULL || profiles == NULL || profiles->n == 0) return NULL;
  const struct weir_timed_profile *last = &profiles->v[profiles->n - 1];
  return last->n_found > 0 ? weir_profile_json(last->found, last->n_found) : NULL;
}

static enum weir_status kernel_table(const struct weir_timing *t,
                                     const struct weir_timed_profiles *profiles,
                                     struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"workload", NULL, WEIR_LEFT},          {"kernel", NULL, WEIR_LEFT},
      {"cycles", NULL, WEIR_RIGHT},           {"warp insns", "per cycle", WEIR_RIGHT},
      {"blocks", "per SM", WEIR_RIGHT},       {"L1 hits", "% of loads", WEIR_RIGHT},
      {"bypassed", "% of loads", WEIR_RIGHT}, {"L2 hits", "% sectors", WEIR_RIGHT},
      {"DRAM", "accesses", WEIR_RIGHT},       {"issued", "% slots", WEIR_RIGHT},
      {"load", "% slots", WEIR_RIGHT},        {"LD/ST", "% slots", WEIR_RIGHT},
      {"barrier", "% slots", WEIR_RIGHT},     {"no warp", "% slots", WEIR_RIGHT}};
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (table == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < t->kernels.n; i++)
    add_row(table, &t->kernels.v[i],
            i == 0 || strcmp(t->kernels.v[i].workload, t->kernels.v[i - 1].workload) != 0);
  static const char *const l2[] = {[WEIR_L2_KEPT] = "",
                                   [WEIR_L2_COLD] = ", cold L2",
                                   [WEIR_L2_WARM] = ", warm L2: each launch was timed twice"};
  weir_text_printf(out, "machine %s, scheme %s%s\n", t->setup->machine.name, t->setup->scheme.label,
                   l2[t->setup->launch.l2]);
  enum weir_status st = weir_table_text(table, out, err);
  weir_table_free(table);
  cost_text(t, out);
  add_notes(t, out);
  add_profiles(profiles, out);
  return st;
}

/* ---- SMs ---- */

static enum weir_status sm_table(const struct weir_timing *t, struct weir_text *out,
                                 struct weir_err *err) {
  static const struct weir_column columns[] = {{"kernel", NULL, WEIR_LEFT},
                                               {"SM", NULL, WEIR_RIGHT},
                                               {"cycles", "to its end", WEIR_RIGHT},
                                               {"blocks", NULL, WEIR_RIGHT},
                                               {"warp insns", NULL, WEIR_RIGHT},
                                               {"L1 loads", NULL, WEIR_RIGHT},
                                               {"hits", "%", WEIR_RIGHT},
                                               {"pending", "%", WEIR_RIGHT},
                                               {"misses", "%", WEIR_RIGHT},
                                               {"bypassed", "%", WEIR_RIGHT},
                                               {"stalls", "% cycles", WEIR_RIGHT}};
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (table == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < t->kernels.n; i++)
    for (uint32_t s = 0; s < t->kernels.v[i].n_units; s++) {
      const struct weir_sim_unit *u = &t->kernels.v[i].units[s];
      char num[27], name[WEIR_DEMANGLED];
      uint64_t stalls = 0;
      for (unsigned k = 0; k < WEIR_N_SHORTAGES; k++)
        stalls += u->sm.stall[k];
      weir_demangle(t->kernels.v[i].kernel, name, sizeof name);
      weir_table_cell(table, "%s", s == 0 ? name : "");
      weir_table_cell(table, "%u", s);
      weir_table_cell(table, "%s", weir_text_thousands(u->cycles, num));
      weir_table_cell(table, "%" PRIu64, u->sm.blocks);
      weir_table_cell(table, "%s", weir_text_thousands(u->sm.warp_insns, num));
      weir_table_cell(table, "%s", weir_text_thousands(u->l1.loads, num));
      percent(table, u->l1.hits, u->l1.loads);
      percent(table, u->l1.hit_reserved, u->l1.loads);
      percent(table, u->l1.misses + u->l1.partial_misses, u->l1.loads);
      percent(table, u->l1.bypassed, u->l1.loads);
      percent(table, stalls, t->kernels.v[i].result.cycles);
    }
  enum weir_status st = weir_table_text(table, out, err);
  weir_table_free(table);
  return st;
}

/* One array for each counter, with a value for each SM. */
static json_t *unit_json(const struct weir_sim_unit *u, uint32_t n, const struct weir_stat *table,
                         size_t offset) {
  json_t *o = json_object();
  for (const struct weir_stat *s = table; o != NULL && s->name != NULL; s++) {
    json_t *row = json_array();
    for (uint32_t i = 0; row != NULL && i < n; i++)
      json_array_append_new(
          row, json_integer((json_int_t)weir_stat_count_of(s, (const char *)&u[i] + offset)));
    if (row == NULL || json_object_set_new(o, s->name, row) != 0) {
      json_decref(o);
      return NULL;
    }
  }
  return o;
}

static json_t *units_json(const struct weir_timing *t) {
  uint32_t n;
  const struct weir_sim_unit *u = weir_sim_units(t->sim, &n);
  json_t *cycles = json_array();
  for (uint32_t i = 0; cycles != NULL && i < n; i++)
    json_array_append_new(cycles, json_integer((json_int_t)u[i].cycles));
  return json_pack("{s:o, s:o, s:o}", "cycles", cycles, "sm",
                   unit_json(u, n, weir_sm_stat_table, offsetof(struct weir_sim_unit, sm)), "l1",
                   unit_json(u, n, weir_l1_stat_table, offsetof(struct weir_sim_unit, l1)));
}

/* ---- memory instructions ---- */

static const char *access_name(const struct weir_static *s) {
  return s->cls == WEIR_C_STORE ? "store" : s->cls == WEIR_C_ATOM ? "atomic" : "load";
}

const char *weir_insn_source(const struct weir_timed_kernel *k, const struct weir_static *s,
                             char *text, size_t len) {
  const char *file = s->file < k->n_files ? k->files[s->file] : NULL;
  const char *name = file != NULL && strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
  if (s->line > 0 && name != NULL)
    snprintf(text, len, "%s:%u", name, s->line);
  else if (s->ptx_line > 0)
    snprintf(text, len, "PTX line %u", s->ptx_line);
  else
    snprintf(text, len, "-");
  return text;
}

static enum weir_status load_table(const struct weir_timing *t, struct weir_text *out,
                                   struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"kernel", NULL, WEIR_LEFT},           {"pc", NULL, WEIR_RIGHT},
      {"source", NULL, WEIR_LEFT},           {"access", NULL, WEIR_LEFT},
      {"requests", NULL, WEIR_RIGHT},        {"hits", "%", WEIR_RIGHT},
      {"pending", "%", WEIR_RIGHT},          {"misses", "%", WEIR_RIGHT},
      {"partial", "%", WEIR_RIGHT},          {"bypassed", "%", WEIR_RIGHT},
      {"sectors", "per request", WEIR_RIGHT}};
  struct weir_table *table = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (table == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (size_t i = 0; i < t->kernels.n; i++) {
    const struct weir_timed_kernel *k = &t->kernels.v[i];
    bool is_first = true;
    for (uint32_t n = 0; n < k->n_insns; n++) {
      const struct weir_pc_stats *p = &k->insn_stats[n];
      char text[96], num[27], name[WEIR_DEMANGLED];
      if (p->requests == 0) continue;
      bool is_load = k->insns[n].cls != WEIR_C_STORE && k->insns[n].cls != WEIR_C_ATOM;
      uint64_t of = is_load ? p->requests : 0; /* stores have no such classes */
      weir_table_cell(table, "%s", is_first ? weir_demangle(k->kernel, name, sizeof name) : "");
      weir_table_cell(table, "0x%x", k->insns[n].pc);
      weir_table_cell(table, "%s", weir_insn_source(k, &k->insns[n], text, sizeof text));
      weir_table_cell(table, "%s", access_name(&k->insns[n]));
      weir_table_cell(table, "%s", weir_text_thousands(p->requests, num));
      percent(table, p->hits, of);
      percent(table, p->hit_reserved, of);
      percent(table, p->misses, of);
      percent(table, p->partial_misses, of);
      percent(table, p->bypassed, of);
      weir_table_cell(table, "%.2f", (double)p->sectors / (double)p->requests);
      is_first = false;
    }
  }
  enum weir_status st = weir_table_text(table, out, err);
  weir_table_free(table);
  return st;
}

static json_t *loads_json(const struct weir_timing *t, const struct weir_kernel_info *k) {
  uint32_t n;
  const struct weir_pc_stats *p = weir_sim_insns(t->sim, &n);
  json_t *list = json_array();
  for (uint32_t i = 0; list != NULL && i < n && i < k->n_insns; i++) {
    const struct weir_static *s = &k->insns[i];
    const char *file = s->line > 0 && s->file < k->n_files ? k->files[s->file] : NULL;
    if (p[i].requests == 0) continue;
    json_t *o = weir_stat_json(weir_pc_stat_table, &p[i]);
    if (o == NULL || json_object_set_new(o, "pc", json_integer(s->pc)) != 0 ||
        json_object_set_new(o, "access", json_string(access_name(s))) != 0 ||
        json_object_set_new(o, "ptx_line", json_integer(s->ptx_line)) != 0 ||
        json_object_set_new(o, "line", json_integer(s->line)) != 0 ||
        json_object_set_new(o, "file", file != NULL ? weir_json_text(file) : json_null()) != 0 ||
        json_array_append_new(list, o) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

/* ---- everything ---- */

static enum weir_status part_text(const struct weir_timing *t, const struct weir_sim_result *sum,
                                  struct weir_text *out, struct weir_err *err) {
  const struct weir_part *part;
  for (uint32_t i = 0; (part = weir_setup_part(t->setup, i)) != NULL; i++) {
    if (part->stats == NULL) continue;
    enum weir_status st = weir_stat_text(part->stats, part->name, sum->part[i], out, err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

static enum weir_status all_text(const struct weir_timing *t, struct weir_text *out,
                                 struct weir_err *err) {
  struct weir_sim_result sum;
  struct weir_derived derived;
  struct weir_energy energy;
  weir_timing_total(t, &sum);
  weir_derive(&sum, (uint32_t)t->setup->machine.sm.count, &derived);
  weir_text_puts(out, "\n");
  enum weir_status st = weir_stat_text(weir_derived_stat_table, "derived", &derived, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_sm_stat_table, "sm", &sum.sm, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_l1_stat_table, "l1", &sum.l1, out, err);
  if (st == WEIR_OK) st = part_text(t, &sum, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_l2_stat_table, "l2", &sum.l2, out, err);
  if (st == WEIR_OK && t->setup->machine.l3.enabled)
    st = weir_stat_text(weir_l3_stat_table, "l3", &sum.l3, out, err);
  if (st == WEIR_OK) st = weir_stat_text(weir_dram_stat_table, "dram", &sum.dram, out, err);
  weir_energy(&t->setup->energy, &t->setup->machine, &sum, &energy);
  if (st == WEIR_OK) st = weir_stat_text(weir_energy_stat_table, "energy", &energy, out, err);
  return st;
}

enum weir_status weir_timing_text(const struct weir_timing *t,
                                  const struct weir_timed_profiles *profiles,
                                  const struct weir_timing_views *v, struct weir_text *out,
                                  struct weir_err *err) {
  enum weir_status st = kernel_table(t, profiles, out, err);
  if (st == WEIR_OK && v->per_load) {
    weir_text_puts(out, "\n");
    st = load_table(t, out, err);
  }
  if (st == WEIR_OK && v->per_sm) {
    weir_text_puts(out, "\n");
    st = sm_table(t, out, err);
  }
  if (st == WEIR_OK && v->clocks) {
    weir_text_puts(out, "\n");
    st = weir_clocks_text(t, out, err);
  }
  return st == WEIR_OK && v->all ? all_text(t, out, err) : st;
}

static json_t *parts_json(const struct weir_timing *t) {
  json_t *o = json_object();
  const struct weir_part *part;
  for (uint32_t i = 0; o != NULL && (part = weir_setup_part(t->setup, i)) != NULL; i++) {
    json_t *stats =
        part->stats != NULL ? weir_stat_json(part->stats, t->last.part[i]) : json_object();
    if (stats == NULL || json_object_set_new(o, part->name, stats) != 0) {
      json_decref(o);
      return NULL;
    }
  }
  return o;
}

json_t *weir_storage_json(uint64_t bits) {
  return bits == WEIR_NOT_DECLARED ? json_null() : json_integer((json_int_t)bits);
}

static bool add_costs(json_t *o, const struct weir_timing *t) {
  const struct weir_setup *s = t->setup;
  struct weir_energy e;
  weir_energy(&s->energy, &s->machine, &t->last, &e);
  struct weir_text notes = {0};
  energy_notes(s, &notes);
  bool ok = !notes.failed &&
            (notes.n == 0 || json_object_set_new(o, "energy_notes", weir_json_text(notes.v)) == 0);
  weir_text_free(&notes);
  return ok && json_object_set_new(o, "energy", weir_stat_json(weir_energy_stat_table, &e)) == 0 &&
         json_object_set_new(o, "storage",
                             json_pack("{s:o, s:I, s:I}", "bits_per_sm",
                                       weir_storage_json(s->storage_bits), "baseline_bits_per_sm",
                                       (json_int_t)s->baseline_bits, "l2_bits",
                                       (json_int_t)s->l2_bits)) == 0;
}

static bool add_clocks(json_t *o, const struct weir_clock_pairs *p,
                       const struct weir_kernel_info *k) {
  if (json_object_set_new(o, "clocks", weir_clocks_json(p, k)) != 0) return false;
  return p->n_lost == 0 ||
         json_object_set_new(o, "clocks_left_out", json_integer((json_int_t)p->n_lost)) == 0;
}

json_t *weir_timing_json(const struct weir_timing *t, const struct weir_kernel_info *k,
                         bool per_sm) {
  const struct weir_sim_result *r = &t->last;
  struct weir_derived derived;
  weir_derive(r, (uint32_t)t->setup->machine.sm.count, &derived);
  json_t *o = json_pack(
      "{s:I, s:i, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "cycles",
      (json_int_t)r->cycles, "blocks_per_sm", (int)r->blocks_per_sm, "blocks_limited_by",
      r->limited_by, "registers_per_thread",
      k->regs_per_thread != 0 ? json_integer(k->regs_per_thread) : json_null(),
      "registers_estimated", (int)k->regs_estimated, "derived",
      weir_stat_json(weir_derived_stat_table, &derived), "sm",
      weir_stat_json(weir_sm_stat_table, &r->sm), "l1", weir_stat_json(weir_l1_stat_table, &r->l1),
      "parts", parts_json(t), "l2", weir_stat_json(weir_l2_stat_table, &r->l2), "dram",
      weir_stat_json(weir_dram_stat_table, &r->dram), "instructions", loads_json(t, k));
  if (o != NULL && t->setup->machine.l3.enabled &&
      json_object_set_new(o, "l3", weir_stat_json(weir_l3_stat_table, &r->l3)) != 0) {
    json_decref(o);
    return NULL;
  }
  if (o != NULL && t->setup->machine.sm.store_end_cyc > 0 &&
      json_object_set_new(o, "drain_cyc", json_integer((json_int_t)r->drain)) != 0) {
    json_decref(o);
    return NULL;
  }
  uint32_t got = weir_sm_registers(&t->setup->machine, k);
  if (o != NULL && got < k->regs_per_thread &&
      json_object_set_new(o, "registers_taken", json_integer(got)) != 0) {
    json_decref(o);
    return NULL;
  }
  if (o != NULL && !add_costs(o, t)) {
    json_decref(o);
    return NULL;
  }
  if (o != NULL && per_sm && json_object_set_new(o, "per_sm", units_json(t)) != 0) {
    json_decref(o);
    return NULL;
  }
  const struct weir_clock_pairs *clocks = weir_sim_clocks(t->sim);
  if (o != NULL && clocks != NULL && !add_clocks(o, clocks, k)) {
    json_decref(o);
    return NULL;
  }
  return o;
}
