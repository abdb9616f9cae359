#include "machine/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "machine/bounds.h"
#include "machine/classes.h"
#include "machine/msg.h"
static bool is_power_of_two(int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

/* A DRAM access carries the number of its slice in five bits; the other limit keeps memory in
 * bounds. */
enum { MAX_SLICES = 32, MAX_WAITERS = 1 << 22 };

/* Sizes of caches: lines of the L1 and of the L2 are powers of two, and need not be the same. */
static enum weir_status check_lines(const struct weir_machine *m, const struct weir_settings *s,
                                    struct weir_err *err) {
  const struct weir_l1_cfg *l1 = &m->l1;
  const struct weir_l2_cfg *l2 = &m->l2;
  const struct {
    const char *key;
    int64_t value;
  } powers[] = {{"l1.sets", l1->sets},
                {"l1.line", l1->line},
                {"l1.sector", l1->sector},
                {"l2.sets", l2->sets},
                {"l2.line", l2->line},
                {"l2.interleave", l2->interleave},
                {"l2.fetch_bytes", l2->fetch_bytes}};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
    int64_t v = powers[i].value, below = 1;
    if (is_power_of_two(v)) continue;
    while (2 * below < v)
      below *= 2;
    weir_fail_at(err, WEIR_EINVAL, &weir_settings_find(s, powers[i].key)->where,
                 "machine %s: %s (%" PRId64 ") must be a power of two", m->name, powers[i].key, v);
    weir_err_add(err, "remedy: %s=%" PRId64 " or %" PRId64, powers[i].key, below, 2 * below);
    return WEIR_EINVAL;
  }
  if (l1->line > 16 * l1->sector) {
    weir_fail_at(err, WEIR_EINVAL, &weir_settings_find(s, "l1.sector")->where,
                 "machine %s: l1.line (%" PRId64 ") is more than 16 of l1.sector (%" PRId64 ")",
                 m->name, l1->line, l1->sector);
    weir_err_add(err, "remedy: l1.sector=%" PRId64 ", or lines of at most %" PRId64 " bytes",
                 l1->line / 16, 16 * l1->sector);
    return WEIR_EINVAL;
  }
  if (l2->fetch_bytes > l2->line) {
    weir_fail_at(err, WEIR_EINVAL, &weir_settings_find(s, "l2.fetch_bytes")->where,
                 "machine %s: l2.fetch_bytes (%" PRId64 ") is more than l2.line (%" PRId64 ")",
                 m->name, l2->fetch_bytes, l2->line);
    weir_err_add(err, "remedy: l2.fetch_bytes=%" PRId64, l2->line);
    return WEIR_EINVAL;
  }
  if (l2->interleave < l2->line) {
    weir_fail_at(err, WEIR_EINVAL, &weir_settings_find(s, "l2.interleave")->where,
                 "machine %s: l2.interleave (%" PRId64 ") is less than l2.line (%" PRId64 ")",
                 m->name, l2->interleave, l2->line);
    weir_err_add(err, "remedy: l2.interleave=%" PRId64 ", or a smaller l2.line", l2->line);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

/* A texture cache: whole sets of whole lines. */
static enum weir_status check_texture(const struct weir_machine *m, const struct weir_settings *s,
                                      struct weir_err *err) {
  const int64_t bytes = m->sm.texture_bytes, set = m->sm.texture_ways * m->l1.line;
  if (bytes % set == 0) return WEIR_OK;
  weir_fail_at(err, WEIR_EINVAL, &weir_settings_find(s, "sm.texture_bytes")->where,
               "machine %s: sm.texture_bytes (%" PRId64
               ") is not a multiple of sm.texture_ways (%" PRId64 ") lines of l1.line (%" PRId64
               ") bytes",
               m->name, bytes, m->sm.texture_ways, m->l1.line);
  weir_err_add(err, "remedy: sm.texture_bytes=%" PRId64 ", or other ways", (bytes / set + 1) * set);
  return WEIR_EINVAL;
}

/* The queues between L2 and DRAM: what one store or load may need of them must fit when they are
 * empty, or it would wait for ever. */
static enum weir_status check_queues(const struct weir_machine *m, struct weir_err *err) {
  const struct weir_l2_cfg *l2 = &m->l2;
  const struct weir_dram_cfg *d = &m->dram;
  bool is_forward = l2->write_miss == WEIR_L2_FORWARD;
  int64_t most = is_forward ? 3 : 2, lines = is_forward ? 2 : 1;
  if (l2->partial_reads) most++;
  if (l2->partial_reads && d->queue < 2 * l2->line / d->atom_bytes)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: with l2.partial_reads dram.queue (%" PRId64
                     ") must have room for two lines, %" PRId64 " columns",
                     m->name, d->queue, 2 * l2->line / d->atom_bytes);
  if (d->input_queue != 0 && d->input_queue < most)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: dram.input_queue (%" PRId64 ") must be 0 or at least %" PRId64
                     ": a line may be written back%s while "
                     "another is fetched",
                     m->name, d->input_queue, most, is_forward ? " and a store sent on" : "");
  bool is_used = d->input_queue == 0 || m->l3.enabled;
  if (is_used && l2->write_queue < lines * l2->line / 32)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: l2.write_queue (%" PRId64
                     " sectors) has no room for the dirty sectors of a line%s: l2.line is %" PRId64,
                     m->name, l2->write_queue, is_forward ? " and a store besides" : "", l2->line);
  int64_t columns = (d->queue + d->banks) * (l2->line / d->atom_bytes);
  if (d->queue_counts == WEIR_DRAM_REQUESTS && columns > UINT16_MAX)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: requests of dram.queue (%" PRId64 ") and dram.banks (%" PRId64
                     ") would have %" PRId64 " columns of dram.atom_bytes (%" PRId64
                     "); at most %d",
                     m->name, d->queue, d->banks, columns, d->atom_bytes, UINT16_MAX);
  return WEIR_OK;
}

static enum weir_status check_collectors(const struct weir_machine *m, struct weir_err *err) {
  const struct weir_sm_cfg *sm = &m->sm;
  if (sm->collector_units == 0) return WEIR_OK;
  if (sm->collector_units % sm->schedulers != 0 || sm->register_banks % sm->schedulers != 0)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: sm.collector_units (%" PRId64 ") and sm.register_banks (%" PRId64
                     ") must be multiples of sm.schedulers (%" PRId64 ")",
                     m->name, sm->collector_units, sm->register_banks, sm->schedulers);
  if (sm->dependent_extra < WEIR_COLLECT_CYCLES)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: with sm.collector_units an instruction has %d cycles before its "
                     "unit, which sm.dependent_extra (%" PRId64 ") must contain",
                     m->name, WEIR_COLLECT_CYCLES, sm->dependent_extra);
  if (sm->units != WEIR_UNITS_BY_CLASS)
    return weir_fail(err, WEIR_EINVAL, "machine %s: sm.collector_units needs sm.units=class",
                     m->name);
  return WEIR_OK;
}

static enum weir_status check(const struct weir_machine *m, struct weir_err *err) {
  const struct weir_l1_cfg *l1 = &m->l1;
  const struct weir_l2_cfg *l2 = &m->l2;
  const struct weir_dram_cfg *d = &m->dram;
  if (l1->index == WEIR_L1_FERMI_XOR && l1->sets != 32 && l1->sets != 64)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: l1.index fermi_xor is defined for 32 or 64 l1.sets, not %" PRId64,
                     m->name, l1->sets);
  if (l2->slices % d->channels != 0)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: l2.slices (%" PRId64
                     ") must be a multiple of dram.channels (%" PRId64 ")",
                     m->name, l2->slices, d->channels);
  if (!is_power_of_two(d->atom_bytes) || !is_power_of_two(d->row_bytes) ||
      d->row_bytes < l2->line || d->atom_bytes > l2->line || d->banks % d->bank_groups != 0)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: dram.row_bytes and dram.atom_bytes must be powers of two, a row "
                     "at least an l2.line, an atom at most one, and dram.banks a multiple of "
                     "dram.bank_groups",
                     m->name);
  enum weir_status st = check_queues(m, err);
  if (st == WEIR_OK) st = check_collectors(m, err);
  if (st != WEIR_OK) return st;
  if (l2->slices / d->channels > MAX_SLICES)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: %" PRId64 " l2.slices for each of dram.channels; at most %d",
                     m->name, l2->slices / d->channels, MAX_SLICES);
  if (l1->mshr_entries * l1->mshr_merge > MAX_WAITERS ||
      l2->mshr_entries * l2->mshr_merge > MAX_WAITERS)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: mshr_entries times mshr_merge is more than %d in l1 or l2",
                     m->name, MAX_WAITERS);
  if (l1->unified_bytes > 0 && l1->unified_bytes < l1->line * l1->sets)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: l1.unified_bytes (%" PRId64
                     ") has no room for one way: l1.line times l1.sets is %" PRId64,
                     m->name, l1->unified_bytes, l1->line * l1->sets);
  if (l1->local_wb && l1->miss_queue < 2)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: with l1.local_wb a miss may send a line and ask for another: "
                     "l1.miss_queue must be at least 2",
                     m->name);
  return weir_bounds_check(m, err);
}

/* ---- the shape of the L1: of size, sets and ways two give the third ---- */

enum { SIZE, SETS, WAYS, N_SHAPES };
static const char *const shape_key[N_SHAPES] = {"l1.size", "l1.sets", "l1.ways"};
static const char *const two_of[N_SHAPES] = {"l1.sets and l1.ways", "l1.size and l1.ways",
                                             "l1.size and l1.sets"};

/* Which of the three was said, NULL: it was not, or what was said since then tells another story.
 * The ways that a file gives to a unified array are those of the whole: with other sets, lines or
 * bytes they are not. */
static void find_said(const struct weir_machine *m, const struct weir_settings *s,
                      const struct weir_setting *said[N_SHAPES]) {
  for (unsigned i = 0; i < N_SHAPES; i++) {
    said[i] = weir_settings_find(s, shape_key[i]);
    if (said[i]->derived != NULL) said[i] = NULL;
  }
  if (m->l1.unified_bytes == 0) return;
  const struct weir_setting *array = weir_settings_find(s, "l1.unified_bytes"),
                            *line = weir_settings_find(s, "l1.line");
  if (said[SIZE] != NULL && weir_setting_order(said[SIZE], array) < 0) said[SIZE] = NULL;
  if (said[WAYS] != NULL &&
      (weir_setting_order(said[WAYS], array) < 0 || weir_setting_order(said[WAYS], line) < 0 ||
       (said[SETS] != NULL && weir_setting_order(said[WAYS], said[SETS]) < 0)))
    said[WAYS] = NULL;
}

static int order(const struct weir_setting *a, const struct weir_setting *b) {
  if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
  return weir_setting_order(a, b);
}

/* The one that gives way to the other two; N_SHAPES: all three were said at once. What was said
 * last counts; of what was said at once before, the sets are kept, or with them the ways. */
static unsigned find_third(const struct weir_setting *const said[N_SHAPES]) {
  static const unsigned gives_way[N_SHAPES] = {WAYS, SIZE, SIZE};
  unsigned last = SIZE;
  for (unsigned i = 0; i < N_SHAPES; i++)
    if (order(said[i], said[last]) > 0) last = i;
  unsigned a = (last + 1) % N_SHAPES, b = (last + 2) % N_SHAPES;
  bool has_a = order(said[a], said[last]) == 0, has_b = order(said[b], said[last]) == 0;
  if (has_a && has_b)
    return said[last] == NULL || said[last]->layer == WEIR_LAYER_DEFAULT ? SIZE : N_SHAPES;
  if (has_a != has_b) return has_a ? b : a;
  int which = order(said[a], said[b]);
  return which < 0 ? a : which > 0 ? b : gives_way[last];
}

static enum weir_status check_shape(const struct weir_machine *m, unsigned third,
                                    struct weir_err *err) {
  const struct weir_l1_cfg *c = &m->l1;
  if (third == N_SHAPES && c->sets * c->ways * c->line != c->size) {
    weir_fail(err, WEIR_EINVAL,
              "machine %s: l1.size (%" PRId64 ") is not what l1.sets (%" PRId64
              ") and l1.ways (%" PRId64 ") give: %" PRId64,
              m->name, c->size, c->sets, c->ways, c->sets * c->ways * c->line);
    weir_err_add(err, "remedy: leave one of the three out");
    return WEIR_EINVAL;
  }
  int64_t fixed = c->line * (third == SETS ? c->ways : c->sets);
  if (third != SETS && third != WAYS) return WEIR_OK;
  if (c->size % fixed != 0 || c->size < fixed) {
    weir_fail(err, WEIR_EINVAL,
              "machine %s: l1.size (%" PRId64 ") is no multiple of l1.line times l1.%s (%" PRId64
              ")",
              m->name, c->size, third == SETS ? "ways" : "sets", fixed);
    char least[32] = "";
    if (c->size > fixed) snprintf(least, sizeof least, "%" PRId64 " or ", c->size / fixed * fixed);
    weir_err_add(err, "remedy: l1.size=%s%" PRId64 ", or other l1.%s", least,
                 (c->size / fixed + 1) * fixed, third == SETS ? "ways" : "sets");
    return WEIR_EINVAL;
  }
  int64_t n = c->size / fixed, most = third == SETS ? 65536 : 2048;
  if (n <= most && (third == WAYS || is_power_of_two(n))) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "machine %s: l1.size (%" PRId64 ") would need %" PRId64 " l1.%s; %s %" PRId64, m->name,
            c->size, n, third == SETS ? "sets" : "ways",
            third == SETS ? "a power of two is accepted, up to" : "at most", most);
  weir_err_add(err, "remedy: other l1.%s", third == SETS ? "ways" : "sets");
  return WEIR_EINVAL;
}

static enum weir_status check_in_array(const struct weir_machine *m, struct weir_err *err) {
  if (m->l1.unified_bytes == 0 || m->l1.size <= m->l1.unified_bytes) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "machine %s: l1.size (%" PRId64 ") is more than l1.unified_bytes (%" PRId64
            "), of which it is a part",
            m->name, m->l1.size, m->l1.unified_bytes);
  weir_err_add(err, "remedy: a smaller l1.size (l1.ways), a larger l1.unified_bytes, or "
                    "l1.unified_bytes=0 for an L1 of its own");
  return WEIR_EINVAL;
}

static enum weir_status shape_l1(struct weir_machine *m, const struct weir_settings *s,
                                 struct weir_err *err) {
  struct weir_l1_cfg *c = &m->l1;
  const struct weir_setting *said[N_SHAPES];
  find_said(m, s, said);
  if (c->unified_bytes > 0 && said[SIZE] == NULL && said[WAYS] == NULL) {
    c->size = c->unified_bytes;
    c->ways = c->size / (c->line * c->sets);
    m->l1_from[SIZE] = "l1.unified_bytes";
    m->l1_from[WAYS] = "l1.unified_bytes and l1.sets";
    return WEIR_OK;
  }
  unsigned third = find_third(said);
  enum weir_status st = check_shape(m, third, err);
  if (st != WEIR_OK) return st;
  if (third == SIZE) c->size = c->sets * c->ways * c->line;
  if (third == SETS) c->sets = c->size / (c->line * c->ways);
  if (third == WAYS) c->ways = c->size / (c->line * c->sets);
  if (third < N_SHAPES) m->l1_from[third] = two_of[third];
  return check_in_array(m, err);
}

enum weir_status weir_machine_settle(const struct weir_machine *m, struct weir_settings *s,
                                     struct weir_err *err) {
  const int64_t value[N_SHAPES] = {m->l1.size, m->l1.sets, m->l1.ways};
  enum weir_status st = WEIR_OK;
  for (unsigned i = 0; st == WEIR_OK && i < N_SHAPES; i++) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value[i]);
    if (m->l1_from[i] != NULL) st = weir_settings_derive(s, shape_key[i], text, m->l1_from[i], err);
  }
  return st == WEIR_OK ? weir_classes_settle(m, s, err) : st;
}

uint32_t weir_l1_lines(const struct weir_machine *m, uint32_t shared_used) {
  const struct weir_l1_cfg *c = &m->l1;
  if (c->unified_bytes == 0) return (uint32_t)(c->sets * c->ways);
  int64_t left = c->unified_bytes - c->reserved_bytes - (int64_t)weir_carveout(m, shared_used);
  int64_t unit = c->pool ? 1 : c->sets; /* lines that come and go together */
  int64_t fit = (left < c->size ? left : c->size) / (c->line * unit);
  return (uint32_t)((fit > 0 ? fit : 1) * unit);
}

/* Of each degree the one over which lines at odd distances up to 600, half as many as there are
 * sets, lie most evenly (of those of degree 13 and more, one of the first thousand). */
const uint32_t weir_set_poly[17] = {1,      3,      7,      0xb,    0x13,   0x3b,
                                    0x57,   0xd3,   0x1bd,  0x3c7,  0x597,  0x9ef,
                                    0x1fff, 0x23a3, 0x437b, 0x82cb, 0x105f5};

/* "0,8K,64K" */
static enum weir_status read_carveouts(struct weir_machine *m, struct weir_err *err) {
  const char *at = m->l1.carveouts;
  while (*at != '\0') {
    char *end;
    unsigned long long v = strtoull(at, &end, 10);
    if (end > at && (*end == 'K' || *end == 'k')) v *= 1024, end++;
    bool ok = end > at && (*end == ',' || *end == '\0') && m->n_carveouts < WEIR_MAX_CARVEOUTS &&
              (m->l1.unified_bytes == 0 || v <= (uint64_t)m->l1.unified_bytes) &&
              (m->n_carveouts == 0 || v > m->carveout[m->n_carveouts - 1]);
    if (!ok)
      return weir_fail(err, WEIR_EINVAL,
                       "machine %s: l1.carveouts '%s' must be at most %d ascending sizes, such as "
                       "0,8K,16K, of at most l1.unified_bytes (%" PRId64 ")",
                       m->name, m->l1.carveouts, WEIR_MAX_CARVEOUTS, m->l1.unified_bytes);
    m->carveout[m->n_carveouts++] = (uint32_t)v;
    at = *end == ',' ? end + 1 : end;
  }
  return WEIR_OK;
}

uint32_t weir_carveout(const struct weir_machine *m, uint32_t used) {
  for (uint32_t i = 0; i < m->n_carveouts; i++)
    if (m->carveout[i] >= used) return m->carveout[i];
  return used;
}

uint64_t weir_shared_of_system(const struct weir_machine *m) {
  return m->l1.unified_bytes > 0 ? (uint64_t)m->sm.shared_per_block : 0;
}

/* Found on an H200 (tools/hw, l1_block): a kernel without shared memory has 4 KB of it for each
 * block, up to 32; with some, it has the next size where 4 to 16 blocks fit into one of up to 100
 * KB. So it is in 53 of 60 cases of blocks and sizes, and one size less in the others. */
uint32_t weir_shared_of_blocks(const struct weir_machine *m, uint32_t blocks, uint64_t own) {
  enum { SPARE = 4096, MOST_SPARE = 32768, LAST = 102400 };
  uint64_t need = blocks * (own + weir_shared_of_system(m));
  if (!m->l1.carveout_spare) return (uint32_t)need;
  if (own == 0) return (uint32_t)weir_max64(need, weir_min64(blocks * (uint64_t)SPARE, MOST_SPARE));
  uint32_t size = weir_carveout(m, (uint32_t)need);
  return blocks >= 4 && blocks <= 16 && size <= LAST ? weir_carveout(m, size + 1) : size;
}

uint32_t weir_preferred_carveout(const struct weir_machine *m, uint8_t carveout) {
  if (carveout == 0 || m->l1.unified_bytes == 0 || m->n_carveouts == 0) return 0;
  uint64_t most = m->carveout[m->n_carveouts - 1];
  return weir_carveout(m, (uint32_t)((most * (carveout - 1u) + 99) / 100));
}

static enum weir_status check_l3(const struct weir_machine *m, struct weir_err *err) {
  const struct weir_l3_cfg *l3 = &m->l3;
  if (!is_power_of_two(l3->sets))
    return weir_fail(err, WEIR_EINVAL, "machine %s: l3.sets must be a power of two", m->name);
  if (l3->write_queue < m->l2.line / 32)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: l3.write_queue (%" PRId64
                     " sectors) has no room for the dirty sectors of a line: l2.line is %" PRId64,
                     m->name, l3->write_queue, m->l2.line);
  if (l3->mshr_entries * l3->mshr_merge > MAX_WAITERS)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: mshr_entries times mshr_merge is more than %d in l3", m->name,
                     MAX_WAITERS);
  return WEIR_OK;
}

enum weir_status weir_machine_fill(struct weir_machine *m, const char *name,
                                   const struct weir_settings *s, struct weir_err *err) {
  *m = (struct weir_machine){.name = name};
  enum weir_status st = weir_settings_fill(s, &weir_core_params, &m->core, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_sm_params, &m->sm, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_l1_params, &m->l1, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_noc_params, &m->noc, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_l2_params, &m->l2, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_l3_params, &m->l3, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_dram_params, &m->dram, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &weir_jitter_params, &m->jitter, err);
  if (st == WEIR_OK) weir_classes_fill(m, s);
  if (st == WEIR_OK) st = shape_l1(m, s, err);
  if (st == WEIR_OK) st = check_lines(m, s, err);
  if (st == WEIR_OK) st = check_texture(m, s, err);
  if (st == WEIR_OK) st = check(m, err);
  if (st == WEIR_OK) st = read_carveouts(m, err);
  if (st == WEIR_OK && m->l3.enabled) st = check_l3(m, err);
  if (st == WEIR_OK) st = weir_addr_map_init(&m->map, name, &m->l2, &m->dram, err);
  if (st != WEIR_OK) return st;
  int64_t w = m->noc.request_cyc;
  if (m->noc.reply_cyc < w) w = m->noc.reply_cyc;
  if (m->noc.credit_cyc < w) w = m->noc.credit_cyc;
  if (m->sm.dispatch_latency < w) w = m->sm.dispatch_latency;
  if (m->sm.broadcast_latency < w) w = m->sm.broadcast_latency;
  m->window = (uint64_t)w;
  return WEIR_OK;
}
