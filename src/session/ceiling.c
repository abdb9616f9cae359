#include "session/ceiling.h"

#include <inttypes.h>
#include <string.h>

#include "l1/organisation/opt.h"

uint32_t weir_ceiling_factor(const struct weir_design *d, const struct weir_machine *m) {
  return d->org->ways != NULL ? d->org->ways(d->org_cfg, 1, (uint32_t)m->l1.line) : 1;
}

static bool is_bound(const struct weir_timing *t) {
  const struct weir_l1_cfg *c = &t->setup->machine.l1;
  return c->enabled && !c->perfect && t->design.org->prepare == NULL &&
         t->sum.l1.prefetches + t->last.l1.prefetches == 0;
}

enum weir_status weir_ceiling_check(const struct weir_timing *t, uint32_t sm,
                                    const struct weir_tape *tape, struct weir_err *err) {
  const struct weir_machine *m = &t->setup->machine;
  struct weir_opt opt;
  uint64_t hits = 0;
  if (!is_bound(t)) return WEIR_OK;
  uint32_t factor = weir_ceiling_factor(&t->design, m);
  enum weir_status st = weir_opt_run(tape, factor, weir_opt_extra(m), &opt, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < tape->n; i++)
    hits += weir_is_taped_hit(&tape->v[i]);
  if (hits > opt.hits)
    st = weir_fail(err, WEIR_EBUG,
                   "workload %s, SM %u: the L1 has %" PRIu64
                   " hits; with its %s no L1 can have more "
                   "than %" PRIu64 " of these %" PRIu64 " loads",
                   t->workload, sm, hits, factor > 1 ? "chunks" : "lines", opt.hits, opt.loads);
  weir_opt_free(&opt);
  return st;
}

enum weir_status weir_ceiling_rows(const struct weir_tape *tape, const struct weir_opt *opt,
                                   struct weir_rows *rows, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  uint64_t launch = 0;
  for (size_t i = 0; st == WEIR_OK && i < tape->n; i++) {
    const struct weir_taped *r = &tape->v[i];
    if (r->as == WEIR_TAPED_KERNEL) launch = r->addr;
    if (r->as == WEIR_TAPED_KERNEL || opt->says[i] == 0) continue;
    struct weir_row row = weir_opt_row(launch, r->cta, r->warp, r->nth, opt->says[i]);
    st = weir_rows_add(rows, &row, err);
  }
  return st;
}
