/* Stores stay in the L1 if what was stored there before was read again: their line is written back
 * when it ends, instead of every store going to the L2.
 *
 *   cc -O2 -shared -fPIC -I include -o reread.so examples/own-stores/reread.c
 *   weir run bfs --plugin ./reread.so */
#include <weir/policy.h>

struct stats {
  uint64_t kept, reread;
};
static const struct weir_stat stats[] = {
    WEIR_STAT(stats, kept, "request", "stores that it kept in the L1"),
    WEIR_STAT(stats, reread, "request", "loads that found what was stored in their line"),
    WEIR_STAT_END};
struct line {
  bool was_stored, was_reread; /* since it came; by a load after a store */
};

/* Decides: changes nothing. A store that finds no line goes on to the L2 in any case. */
static enum weir_write store(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set, int way) {
  if (way < 0 || a->op != WEIR_STORE) return WEIR_WRITE_PASS;
  const struct line *l = weir_line_peek(p, set.index, way);
  return l->was_reread ? WEIR_WRITE_BACK : WEIR_WRITE_THROUGH;
}
/* Observes: a request was accepted. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (way < 0) return;
  struct line *l = weir_line_edit(p, set.index, way);
  struct stats *s = weir_stats_edit(p);
  if (a->op == WEIR_STORE) {
    s->kept += l->was_reread;
    l->was_stored = true;
  } else if (a->op == WEIR_LOAD && outcome == WEIR_HIT && l->was_stored) {
    s->reread++;
    l->was_reread = true;
  }
}
static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  *(struct line *)weir_line_edit(p, set.index, way) = (struct line){false, false};
}
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg; /* both, and which sectors are dirty */
  return weir_bits_of_lines(g, 2 + g->sectors);
}
const struct weir_policy_ops weir_policy_reread = {
    .part = {WEIR_PART("reread", "stores stay in lines that are read after they were written"),
             WEIR_PART_STATS(stats, stats), .line_bytes = sizeof(struct line),
             .storage_bits = storage_bits},
    .store = store,
    .lookup = lookup,
    .alloc = alloc};
