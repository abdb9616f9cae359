#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "testing.h"

static char *escaped(const char *s) {
  struct weir_text t = {0};
  weir_text_escape(&t, s);
  assert_false(t.failed);
  return t.v;
}

static void assert_escaped(const char *s, const char *expected) {
  char *got = escaped(s);
  assert_string_equal(got, expected);
  free(got);
}

/* As the header says: the byte for each \xNN. */
static void unescape(const char *s, char *out) {
  while (*s != 0)
    if (s[0] == '\\' && s[1] == 'x' && strspn(s + 2, "0123456789abcdef") >= 2)
      *out++ = (char)strtol((const char[]){s[2], s[3], 0}, NULL, 16), s += 4;
    else
      *out++ = *s++;
  *out = 0;
}

static void bytes_that_are_no_character(void **state) {
  (void)state;
  assert_escaped("", "");
  assert_escaped("plain a\\b C:\\x \\xg1 \n\x01", "plain a\\b C:\\x \\xg1 \n\x01");
  assert_escaped("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8a",
                 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8a");
  assert_escaped("a\xff", "a\\xff");
  assert_escaped("\xc3(", "\\xc3(");
  assert_escaped("\xe2\x82", "\\xe2\\x82");                   /* cut off */
  assert_escaped("\xc0\xaf", "\\xc0\\xaf");                   /* longer than need be */
  assert_escaped("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* half of a pair */
  assert_escaped("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond Unicode */
  assert_escaped("\\x41", "\\x5cx41");
  assert_escaped("\\\\x4F", "\\\\x5cx4F");
}

static void nothing_is_lost(void **state) {
  (void)state;
  static const char letters[] = "\\x41f\xc3\xbc\xe2\x82\xac\xff\x80\xf0 ";
  struct weir_arena arena = {0};
  uint64_t random = 1;
  for (int i = 0; i < 20000; i++) {
    char raw[16] = "", back[64];
    for (int k = 0; k < 15; k++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      raw[k] = letters[(random >> 33) % (sizeof letters - 1)];
    }
    char *text = escaped(raw);
    unescape(text, back);
    assert_string_equal(back, raw);
    json_t *o = weir_json_text(raw);
    assert_non_null(o);
    assert_string_equal(json_string_value(o), text);
    assert_string_equal(weir_json_bytes(o, &arena), raw);
    json_decref(o);
    free(text);
  }
  assert_null(weir_json_bytes(NULL, &arena));
  assert_null(weir_json_bytes(json_true(), &arena));
  weir_arena_free(&arena);
}

static void tables_have_them_too(void **state) {
  (void)state;
  struct weir_table *t = weir_table_new((const struct weir_column[]){{"name", NULL, WEIR_LEFT}}, 1);
  struct weir_text csv = {0}, text = {0};
  weir_table_cell(t, "%s,%d", "a\xff", 1);
  assert_int_equal(weir_table_csv(t, &csv, NULL), WEIR_OK);
  assert_string_equal(csv.v, "name\n\"a\\xff,1\"\n");
  assert_int_equal(weir_table_text(t, &text, NULL), WEIR_OK);
  assert_contains(text.v, "a\\xff,1");
  weir_text_free(&csv);
  weir_text_free(&text);
  weir_table_free(t);
}

static void assert_wrapped(const char *s, size_t most, const char *indent, const char *expected) {
  struct weir_text t = {0};
  weir_text_wrap(&t, s, most, indent);
  assert_false(t.failed);
  assert_string_equal(t.v ? t.v : "", expected);
  weir_text_free(&t);
}

static void lines_are_as_wide_as_may_be(void **state) {
  (void)state;
  assert_wrapped("", 5, "  ", "");
  assert_wrapped("one two", 7, "  ", "one two");
  assert_wrapped("one two", 6, "  ", "one\n  two");
  assert_wrapped("- a bc  def", 5, "  ", "- a\n  bc\n  def"); /* the indent counts */
  assert_wrapped("longer a", 3, "", "longer\na");
  assert_wrapped("\xc3\xbc\xc3\xbc \xc3\xbc", 4, "", "\xc3\xbc\xc3\xbc \xc3\xbc");
}

static void reals_read_back(void **state) {
  (void)state;
  static const struct {
    double v;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {2, "2.0"},
               {-0.0, "-0.0"},
               {1.0 / 3, "0.3333333333333333"},
               {0.1 + 0.2, "0.30000000000000004"},
               {1e300, "1e+300"},
               {123456789012345680.0, "1.2345678901234568e+17"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_text t = {0};
    weir_text_real(&t, cases[i].v);
    assert_string_equal(t.v, cases[i].text);
    assert_true(strtod(t.v, NULL) == cases[i].v);
    weir_text_free(&t);
  }
}

static void words_of_a_list(void **state) {
  (void)state;
  static const char *const wanted[] = {"scheme", "", "l1.", ""};
  char word[4 + 3]; /* what is longer is cut */
  const char *at = "scheme,,l1.,";
  for (size_t i = 0; i < 4; i++) {
    assert_true(weir_next_word(&at, word, sizeof word));
    assert_string_equal(word, wanted[i]);
  }
  assert_false(weir_next_word(&at, word, sizeof word));
  const char *names[] = {"b", "B", "a"};
  qsort(names, 3, sizeof *names, weir_by_text);
  assert_string_equal(names[0], "B");
  assert_string_equal(names[2], "b");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_that_are_no_character),
      cmocka_unit_test(nothing_is_lost),
      cmocka_unit_test(tables_have_them_too),
      cmocka_unit_test(lines_are_as_wide_as_may_be),
      cmocka_unit_test(words_of_a_list),
      cmocka_unit_test(reals_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
