/* Timelines, from samples that are made up here. */
#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "testing.h"

static const struct weir_stat stats[] = {
    {.name = "switches", .unit = "event", .help = "", .kind = WEIR_COUNTER},
    {.name = "side", .unit = "1", .help = "", .kind = WEIR_LEVEL, .offset = sizeof(uint64_t)},
    WEIR_STAT_END};
static const struct weir_part part = {.name = "duel", .stats = stats};
static const struct weir_kernel_info kernel = {
    .name = "a\"b", .grid = {4, 1, 1}, .block = {32, 2, 1}};
static const bool sms[] = {false, true};

static struct weir_timeline *new_timeline(uint64_t limit) {
  return weir_timeline_new(&(struct weir_timeline_options){
      .sms = sms, .n_sms = 2, .every = 10, .limit = limit, .gpu = "g", .by = "s"});
}

struct look {
  uint64_t cycle;
  uint8_t warp;                  /* the first */
  uint64_t hits, switches, side; /* the last two: statistics of the part */
  bool has_part;
};

static void see(const struct weir_timeline *t, const struct look *l) {
  const struct weir_sampler *s = weir_timeline_sampler(t);
  struct weir_l1_stats l1 = {.hits = l->hits};
  struct weir_sample x = {.sm = 1,
                          .n_warps = 2,
                          .cycle = l->cycle,
                          .look = {l->warp},
                          .l1_stats = &l1,
                          .part = {&part},
                          .part_stats = {l->has_part ? &l->switches : NULL}};
  s->sample(s->self, &x);
}

/* Two launches: the second is of another simulation, which begins with cycle 0. */
static const struct look looks[] = {{100, WEIR_LOOK_ABSENT, 5, 1, 4, false},
                                    {110, WEIR_LOOK_LOAD, 7, 1, 4, true},
                                    {120, WEIR_LOOK_LOAD, 7, 3, 2, true},
                                    {130, WEIR_LOOK_ISSUED, 7, 3, 2, true}};

static char *shown(struct weir_timeline *t, uint64_t *full_at) {
  struct weir_text out = {0};
  struct weir_err err;
  if (weir_timeline_text(t, &out, full_at, &err) == WEIR_OK) return out.v;
  assert_int_equal(err.code, WEIR_ENOMEM);
  weir_text_free(&out);
  return NULL;
}

/* `overrun`: samples were taken behind the end already, as they are with longer windows. */
static char *drawn(bool overrun, uint64_t limit, uint64_t *full_at) {
  struct weir_timeline *t = new_timeline(limit);
  if (t == NULL) return NULL;
  const struct weir_sampler *s = weir_timeline_sampler(t);
  for (unsigned n = 0; n < 2; n++) {
    uint64_t back = n * 100;
    s->begin(s->self, &kernel, 100 - back);
    for (unsigned i = 0; i < COUNT(looks); i++) {
      struct look l = looks[i];
      l.cycle -= back;
      see(t, &l);
    }
    const struct look end = {135 - back, WEIR_LOOK_ABSENT, 9, 3, 2, false},
                      late = {140 - back, WEIR_LOOK_ABSENT, 9, 4, 5, true},
                      later = {150 - back, WEIR_LOOK_ABSENT, 9, 4, 5, true};
    see(t, overrun ? &late : &end);
    if (overrun) see(t, &later);
    s->end(s->self, 135 - back);
  }
  char *text = shown(t, full_at);
  weir_timeline_free(t);
  return text;
}

static void samples_become_events(void **state) {
  (void)state;
  uint64_t full_at;
  char *text = drawn(false, 1 << 20, &full_at);
  static const char *const want[] = {
      "\"name\":\"a\\\"b\",\"args\":{\"grid\":\"4x1x1\",\"block\":\"32x2x1\",\"cycle\":100}}",
      "{\"ph\":\"M\",\"pid\":3,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"SM 1\"}}",
      "\"pid\":3,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"warp slot 1\"}}",
      "{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":0.110,\"dur\":0.020,\"name\":\"load\"}",
      "{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":0.130,\"dur\":0.005,\"name\":\"issued\"}",
      "\"ts\":0.100,\"name\":\"L1 hits\",\"args\":{\"value\":2}}",
      "\"ts\":0.110,\"name\":\"L1 hits\",\"args\":{\"value\":0}}",
      "\"ts\":0.130,\"name\":\"L1 hits\",\"args\":{\"value\":2}}",
      "\"ts\":0.135,\"name\":\"L1 hits\",\"args\":{\"value\":0}}",
      "\"ts\":0.110,\"name\":\"duel.switches\",\"args\":{\"value\":2}}",
      "\"ts\":0.120,\"name\":\"duel.switches\",\"args\":{\"value\":0}}",
      "\"ts\":0.110,\"name\":\"duel.side\",\"args\":{\"value\":4}}",
      "\"ts\":0.120,\"name\":\"duel.side\",\"args\":{\"value\":2}}",
      /* The second launch, from where the first has ended. */
      "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0.135,\"dur\":0.035",
      "{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":0.145,\"dur\":0.020,\"name\":\"load\"}",
      "\"is_complete\":true",
  };
  for (size_t i = 0; i < COUNT(want); i++)
    assert_contains(text, want[i]);
  assert_true(full_at == UINT64_MAX);
  assert_null(strstr(text, "\"pid\":2,")); /* SM 0 was not asked for */
  free(text);
}

static void samples_behind_the_end_show_nothing(void **state) {
  (void)state;
  uint64_t full_at;
  char *a = drawn(false, 1 << 20, &full_at), *b = drawn(true, 1 << 20, &full_at);
  assert_string_equal(a, b);
  free(a);
  free(b);
}

static void the_limit_holds(void **state) {
  (void)state;
  uint64_t full_at;
  for (uint64_t limit = 1000; limit < 6000; limit += 100) {
    char *text = drawn(true, limit, &full_at);
    assert_true(strlen(text) <= (limit > 1800 ? limit : 1800)); /* names are always there */
    assert_int_equal(strstr(text, "\"is_complete\":true") != NULL, full_at == UINT64_MAX);
    free(text);
  }
}

static int draw(void) {
  uint64_t full_at;
  char *text = drawn(false, 1 << 20, &full_at);
  free(text);
  return text != NULL;
}

static void missing_memory_is_survived(void **state) {
  (void)state;
  assert_true(with_failing_memory(draw) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_become_events),
      cmocka_unit_test(samples_behind_the_end_show_nothing),
      cmocka_unit_test(the_limit_holds),
      cmocka_unit_test(missing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
