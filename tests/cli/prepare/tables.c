/* Preparations whose rows are known before, and one that cannot be made. */
#include <weir/policy.h>

static bool no_row(const struct weir_policy *p, uint32_t i, struct weir_row *r) {
  (void)p, (void)i, (void)r;
  return false;
}
/* Every instruction of every kernel loaded, and nothing hit; all SMs say so. */
static bool any_row(const struct weir_policy *p, uint32_t i, struct weir_row *r) {
  (void)p;
  r->kernel = 0;
  r->key = UINT64_C(8) * i;
  r->v[0] = 1;
  return i < 1000;
}
static bool crash_row(const struct weir_policy *p, uint32_t i, struct weir_row *r) {
  volatile int *nowhere = 0;
  (void)p, (void)i, (void)r;
  return *nowhere != 0;
}
static size_t too_many(const struct weir_policy *p, struct weir_row *rows, size_t n) {
  (void)p, (void)rows;
  return n + 1;
}

#define TABLE(id, text, ...)                                                                       \
  const struct weir_policy_ops weir_policy_##id = {                                                \
      .part = {WEIR_POLICY_ABI, text, "rows for a test"}, __VA_ARGS__}
#ifndef PREPARE /* the last is loaded alone */
TABLE(none, "no-rows", .row = no_row);
TABLE(all, "all-rows", .row = any_row);
TABLE(crash, "crash-rows", .row = crash_row);
TABLE(many, "many-rows", .row = any_row, .digest = too_many);
#else
TABLE(reader, "reader", .prepare = PREPARE);
#endif
