/* Expressions: semantics at the edges, and messages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch/expr.h"

static const uint32_t array_u32[3] = {7, 4294967295u, 9};
static const float array_f32[2] = {1.5f, -2.0f};
static const struct weir_expr_array arrays[2] = {{array_u32, 3, PTX_T_u32},
                                                 {array_f32, 2, PTX_T_f32}};
static const uint64_t addresses[1] = {0x7f0000001000u};
static const struct weir_expr_name names[] = {
    {.name = "n", .kind = WEIR_EXPR_CONST, .value = {.i = 10}},
    {.name = "zero", .kind = WEIR_EXPR_CONST, .value = {.i = 0}},
    {.name = "half", .kind = WEIR_EXPR_CONST, .value = {.is_double = true, .d = 0.5}},
    {.name = "i", .kind = WEIR_EXPR_SLOT, .index = WEIR_SLOT_I},
    {.name = "prev", .kind = WEIR_EXPR_SLOT, .index = WEIR_SLOT_PREV, .value.is_double = true},
    {.name = "k", .kind = WEIR_EXPR_SLOT, .index = WEIR_SLOT_K},
    {.name = "u", .kind = WEIR_EXPR_BUFFER, .index = 0},
    {.name = "f", .kind = WEIR_EXPR_BUFFER, .index = 1, .value.is_double = true},
    {.name = "u", .kind = WEIR_EXPR_ADDRESS, .index = 0},
};
static const struct weir_expr_scope scope = {names, sizeof names / sizeof names[0]};

static enum weir_status eval(const char *text, struct weir_value *v, struct weir_err *err) {
  struct weir_arena arena = {0};
  struct weir_expr *e;
  struct weir_where where = {.file = "t", .line = 1, .col = 1};
  where.source = text;
  where.source_len = strlen(text);
  struct weir_expr_ctx ctx = {.slot = {3, 0, 5}, .arrays = arrays, .addresses = addresses};
  const double prev = 2.25;
  memcpy(&ctx.slot[WEIR_SLOT_PREV], &prev, sizeof prev);
  enum weir_status st = weir_expr_parse(&arena, text, strlen(text), &scope, &where, &e, err);
  if (st == WEIR_OK) st = weir_expr_eval(e, &ctx, v, err);
  weir_arena_free(&arena);
  return st;
}

static void gives_int(const char *text, int64_t want) {
  struct weir_value v;
  struct weir_err err;
  if (eval(text, &v, &err) != WEIR_OK) fail_msg("%s: %s", text, err.msg);
  if (v.is_double) fail_msg("%s: gave the double %g", text, v.d);
  if (v.i != want) fail_msg("%s: gave %lld, not %lld", text, (long long)v.i, (long long)want);
}

static void gives_double(const char *text, double want) {
  struct weir_value v;
  struct weir_err err;
  if (eval(text, &v, &err) != WEIR_OK) fail_msg("%s: %s", text, err.msg);
  if (!v.is_double) fail_msg("%s: gave the integer %lld", text, (long long)v.i);
  if (memcmp(&v.d, &want, sizeof want) != 0) fail_msg("%s: gave %a, not %a", text, v.d, want);
}

/* The message starts with "t:1:COL: " and contains `part`. */
static void gives_error(const char *text, unsigned col, const char *part) {
  struct weir_value v;
  struct weir_err err;
  char place[32];
  if (eval(text, &v, &err) == WEIR_OK) fail_msg("%s: accepted", text);
  snprintf(place, sizeof place, "t:1:%u: ", col);
  if (strncmp(err.msg, place, strlen(place)) != 0 || !strstr(err.msg, part))
    fail_msg("%s: wanted %s ... %s, got: %s", text, place, part, err.msg);
}

static void precedence(void **state) {
  (void)state;
  gives_int("1 + 2 * 3", 7);
  gives_int("(1 + 2) * 3", 9);
  gives_int("10 - 3 - 2", 5);
  gives_int("100 / 7 / 2", 7);
  gives_int("1 | 2 ^ 3 & 2", 1 | (2 ^ (3 & 2)));
  gives_int("1 << 2 + 1", 8);
  gives_int("1 < 2 == 1", 1);
  gives_int("3 & 2 == 2", 3 & (2 == 2));
  gives_int("0 && 1 || 1", 1);
  gives_int("1 || 0 && 0", 1);
  gives_int("1 ? 2 : 0 ? 3 : 4", 2);
  gives_int("0 ? 2 : 0 ? 3 : 4", 4);
  gives_int("1 ? 0 ? 5 : 6 : 7", 6);
  gives_int("-2 * -3", 6);
  gives_int("!0 + ~0", 0);
  gives_int("- - 5", 5);
  gives_int("+5", 5);
  gives_int("2>1>0", 1);
  gives_int(" (n + 3 - 1)\t/ 3 ", 4);
}

static void integers_wrap(void **state) {
  (void)state;
  gives_int("9223372036854775807 + 1", INT64_MIN);
  gives_int("0xffffffffffffffff", -1);
  gives_int("18446744073709551615", -1);
  gives_int("-9223372036854775808 - 1", INT64_MAX);
  gives_int("-(0x8000000000000000)", INT64_MIN);
  gives_int("abs(0x8000000000000000)", INT64_MIN);
  gives_int("0x8000000000000000 / -1", INT64_MIN);
  gives_int("0x8000000000000000 % -1", 0);
  gives_int("4611686018427387904 * 4", 0);
  gives_int("-7 / 2", -3);
  gives_int("-7 % 2", -1);
  gives_int("7 % -2", 1);
}

static void shifts(void **state) {
  (void)state;
  gives_int("1 << 63", INT64_MIN);
  gives_int("1 << 64", 0);
  gives_int("1 << -1", 0);
  gives_int("-1 >> 1", -1);
  gives_int("-8 >> 2", -2);
  gives_int("-1 >> 64", -1);
  gives_int("-1 >> -1", -1);
  gives_int("5 >> 64", 0);
  gives_int("i << k", 3 << 5);
}

static void doubles(void **state) {
  (void)state;
  gives_double("1 + 0.5", 1.5);
  gives_double("0.5 + 1", 1.5);
  gives_double("i * half", 1.5);
  gives_double("half * i", 1.5);
  gives_double("1e3", 1000);
  gives_double(".5", .5);
  gives_double("2.", 2);
  gives_double("1.0 / 0", (double)INFINITY);
  gives_double("-1 / 0.0", -(double)INFINITY);
  gives_double("7.5 % 2", 1.5);
  gives_double("1 ? 2 : 0.5", 2.0);
  gives_double("0 ? 0.5 : 2", 2.0);
  gives_double("i == 3 ? 2 : 0.5", 2.0);
  gives_double("min(1, 2.5)", 1.0);
  gives_double("max(1.5, 2)", 2.0);
  gives_double("abs(-1.5)", 1.5);
  gives_double("sqrt(9)", 3);
  gives_double("floor(-1.5)", -2);
  gives_double("prev", 2.25);
  gives_double("f32(0.1)", (double)0.1f);
  gives_double("fma32(0.1, 0.2, 0.3)", (double)fmaf(0.1f, 0.2f, 0.3f));
  gives_int("0.5 < 1", 1);
  gives_int("!0.5", 0);
  gives_int("0.5 && 1", 1);
  gives_int("nan == nan", 0);
  gives_int("int(nan)", 0);
  gives_int("int(1e300)", INT64_MAX);
  gives_int("int(-1e300)", INT64_MIN);
  gives_int("int(inf)", INT64_MAX);
  gives_int("int(-2.9)", -2);
  gives_int("int(9223372036854775807.0)", INT64_MAX);
  gives_int("floor(7)", 7);
  gives_int("min(3, -4) + max(3, -4)", -1);
}

static void short_circuit(void **state) {
  (void)state;
  gives_int("zero == 0 ? 1 : 8 / zero", 1);
  gives_int("zero != 0 && 8 / zero", 0);
  gives_int("zero == 0 || 8 / zero", 1);
  gives_int("i == 3 ? 1 : 8 / (i - 3)", 1);
  gives_int("i != 3 && 8 / (i - 3)", 0);
}

static void functions(void **state) {
  (void)state;
  /* first outputs of splitmix64 with state 0 and 1, upper halves */
  gives_int("hash(0, 0)", 0xe220a839);
  gives_int("hash(0, 1)", 0x910a2dec);
  gives_int("hash(1, 0)", 0x6e789e6a);
  gives_int("at(u, 1)", 4294967295);
  gives_double("at(f, i - 2)", -2.0);
  gives_double("at(f, 0) + at(u, 0)", 8.5);
  gives_int("$u + 16", 0x7f0000001010);
}

static void errors(void **state) {
  (void)state;
  gives_error("", 1, "nothing");
  gives_error("1 +", 4, "the end");
  gives_error("1 + * 2", 5, "'*'");
  gives_error("(1 + 2", 7, "')'");
  gives_error("1 2", 3, "unexpected");
  gives_error("n = 2", 3, "==");
  gives_error("m + 1", 1, "'m' is not defined");
  gives_error("1 + hlaf", 5, "'half'");
  gives_error("8 / zero", 3, "division by zero");
  gives_error("8 % zero", 3, "division by zero");
  gives_error("1 + 8 / (i - 3)", 7, "division by zero");
  gives_error("at(u, 3)", 1, "outside 0..2");
  gives_error("at(u, -1)", 1, "outside 0..2");
  gives_error("at(v, 0)", 4, "buffer 'v' is not defined");
  gives_error("at(u, 0.5)", 7, "integer");
  gives_error("at(0, 0)", 4, "name of a buffer");
  gives_error("half & 1", 6, "integers");
  gives_error("~half", 1, "integer");
  gives_error("hash(0.5, 1)", 6, "integers");
  gives_error("min(1)", 6, "','");
  gives_error("min(1, 2, 3)", 9, "2 arguments");
  gives_error("foo(1)", 1, "no function");
  gives_error("010", 1, "octal");
  gives_error("1.5f", 1, "not a number");
  gives_error("0x", 1, "not a number");
  gives_error("1e999", 1, "too large");
  gives_error("18446744073709551616", 1, "64 bits");
  gives_error("1 ? 2", 6, "':'");
  gives_error("$q", 2, "buffer 'q'");
  gives_error("$", 1, "buffer");
  gives_error("1 + \x01", 5, "not ASCII");
  gives_error("n..2", 2, "unexpected");
}

static void repeated(char *buf, const char *part, unsigned times, const char *end) {
  buf[0] = '\0';
  for (unsigned t = 0; t < times; t++)
    strcat(buf, part);
  strcat(buf, end);
}

static void depth_is_limited(void **state) {
  (void)state;
  char *text = malloc(70000);
  struct weir_value v;
  struct weir_err err;
  assert_non_null(text);
  const char *const parts[] = {"(", "-", "1?", "min(1,", "1+(1*(", "1||(1<(1+(1*("};
  for (unsigned p = 0; p < sizeof parts / sizeof parts[0]; p++) {
    repeated(text, parts[p], 4000, "1");
    assert_int_equal(eval(text, &v, &err), WEIR_EPARSE);
    assert_non_null(strstr(err.msg, "deep"));
  }
  repeated(text, "(", 40, "1");
  repeated(text + strlen(text), ")", 40, "");
  gives_int(text, 1);
  repeated(text, "1+", 4000, "1"); /* long, but not deep */
  gives_int(text, 4001);
  memset(text, ' ', 69999);
  text[69999] = '\0';
  assert_int_equal(eval(text, &v, &err), WEIR_EPARSE);
  free(text);
}

static void elements(void **state) {
  (void)state;
  uint8_t b[8];
  struct weir_value v = {.i = -1};
  weir_element_store(PTX_T_u8, b, v);
  assert_int_equal(weir_element_load(PTX_T_u8, b).i, 255);
  assert_int_equal(weir_element_load(PTX_T_s8, b).i, -1);
  weir_element_store(PTX_T_s16, b, (struct weir_value){.i = 0x18000});
  assert_int_equal(weir_element_load(PTX_T_s16, b).i, -32768);
  weir_element_store(PTX_T_u64, b, (struct weir_value){.is_double = true, .d = 0x1p63});
  assert_true((uint64_t)weir_element_load(PTX_T_u64, b).i == UINT64_C(1) << 63);
  weir_element_store(PTX_T_s32, b, (struct weir_value){.is_double = true, .d = -1.9});
  assert_int_equal(weir_element_load(PTX_T_s32, b).i, -1);
  /* rounded once: through a double first, the last bit would be lost and the tie go down */
  weir_element_store(PTX_T_f32, b,
                     (struct weir_value){.i = (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1});
  assert_true(weir_element_load(PTX_T_f32, b).d == 0x1p60 + 0x1p37);
  weir_element_store(PTX_T_f32, b, (struct weir_value){.is_double = true, .d = -(double)NAN});
  uint32_t bits;
  memcpy(&bits, b, 4);
  assert_int_equal(bits, 0x7fc00000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(precedence), cmocka_unit_test(integers_wrap),    cmocka_unit_test(shifts),
      cmocka_unit_test(doubles),    cmocka_unit_test(short_circuit),    cmocka_unit_test(functions),
      cmocka_unit_test(errors),     cmocka_unit_test(depth_is_limited), cmocka_unit_test(elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
