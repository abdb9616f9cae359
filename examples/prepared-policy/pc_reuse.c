/* Loads bypass the L1 if their instruction seldom hit in it in a run before this one.
 *
 *   cc -O2 -shared -fPIC -I include -o pc_reuse.so examples/prepared-policy/pc_reuse.c
 *   weir run vecadd --plugin ./pc_reuse.so */
#include <string.h>
#include <weir/policy.h>

enum { INSNS = 256 };
struct cfg {
  int64_t percent;
};
static const struct weir_param params[] = {
    WEIR_PARAM(cfg, percent, "10", .min = 0, .max = 100, .help = "bypass below this hit rate"),
    WEIR_PARAM_END};
struct state {
  uint64_t loads[INSNS], hits[INSNS]; /* in this kernel */
};

/* ---- the run before: what each instruction did ---- */

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  memset(weir_state_edit(p), 0, sizeof(struct state));
}
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  struct state *s = weir_state_edit(p);
  (void)set, (void)way;
  if (a->op != WEIR_LOAD || a->pc / 8 >= INSNS) return;
  s->loads[a->pc / 8]++;
  s->hits[a->pc / 8] += outcome == WEIR_HIT || outcome == WEIR_HIT_PENDING;
}
static bool row(const struct weir_policy *p, uint32_t i, struct weir_row *r) {
  const struct state *s = weir_state_peek(p);
  if (i >= INSNS) return false;
  r->key = UINT64_C(8) * i;
  r->v[0] = s->loads[i];
  r->v[1] = s->hits[i];
  return true;
}
/* All SMs and launches are added up: of what is left, only instructions that loaded are kept. */
static size_t digest(const struct weir_policy *p, struct weir_row *rows, size_t n) {
  size_t kept = 0;
  (void)p;
  for (size_t i = 0; i < n; i++)
    if (rows[i].v[0] > 0) rows[kept++] = rows[i];
  return kept;
}

/* ---- this run ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  const struct cfg *c = weir_cfg(p);
  const struct weir_row *r = weir_prepared(p, weir_kernel_id(p), a->pc);
  return r != NULL && 100 * r->v[1] < (uint64_t)c->percent * r->v[0] ? WEIR_BYPASS : WEIR_PASS;
}
const struct weir_policy_ops weir_policy_pc_reuse = {
    .part = {WEIR_POLICY_ABI, "pc-reuse", "loads bypass if they seldom hit in a run before",
             .params = params, .cfg_bytes = sizeof(struct cfg), .state_bytes = sizeof(struct state),
             .kernel_begin = kernel_begin},
    .reason = WEIR_R_PROFILE,
    .prepare = "pc-reuse", /* its own rows */
    .route = route,
    .lookup = lookup,
    .row = row,
    .digest = digest};
