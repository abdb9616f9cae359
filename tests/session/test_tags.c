/* Tags of loads: the table, its files, and their way to the accesses of a simulated kernel. */
#include "session/tags.h"

#include <stdio.h>
#include <unistd.h>

#include "../sim/rig.h"
#include "testing.h"

static struct weir_tags *new_tags(void) {
  struct weir_tags *t;
  assert_int_equal(weir_tags_new(&t), WEIR_OK);
  return t;
}

static void put(struct weir_tags *t, const char *kernel, uint32_t insn, enum weir_tag tag) {
  assert_int_equal(weir_tags_put(t, kernel, insn, UINT64_C(8) * insn, 0, tag), WEIR_OK);
}

static struct weir_tags *parsed(const char *text) {
  struct weir_tags *t;
  struct weir_err err;
  if (weir_tags_parse(&t, "t.yaml", text, strlen(text), &err) != WEIR_OK) fail_msg("%s", err.msg);
  return t;
}

/* ---- the table ---- */

static void the_last_tag_wins(void **state) {
  (void)state;
  struct weir_tags *t = new_tags();
  put(t, "a", 7, WEIR_TAG_CA);
  put(t, "b", 7, WEIR_TAG_CM);
  put(t, "a", 3, WEIR_TAG_CG);
  put(t, "a", 7, WEIR_TAG_CG);
  put(t, "a", 5, WEIR_TAG_CA);
  put(t, "a", 5, WEIR_TAG_NONE);
  static const uint8_t want[10] = {[3] = WEIR_TAG_CG, [7] = WEIR_TAG_CG};
  assert_memory_equal(weir_tags_find(t, "a", 10), want, 10);
  assert_memory_equal(weir_tags_find(t, "a", 7), want, 7); /* what lies beyond is left out */
  put(t, "a", 3, WEIR_TAG_CM);
  assert_int_equal(weir_tags_find(t, "a", 10)[3], WEIR_TAG_CM);
  assert_int_equal(weir_tags_find(t, "b", 8)[7], WEIR_TAG_CM);
  assert_null(weir_tags_find(t, "c", 8));
  assert_int_equal(weir_tags_put(t, "a", WEIR_TAGS_INSNS, 0, 0, WEIR_TAG_CA), WEIR_EINVAL);
  weir_tags_free(t);
  weir_tags_free(NULL);
}

static void a_kernel_may_be_known_without_tags(void **state) {
  (void)state;
  struct weir_tags *t = new_tags();
  assert_int_equal(weir_tags_kernel(t, "empty"), WEIR_OK);
  const uint8_t *v = weir_tags_find(t, "empty", 3);
  assert_non_null(v);
  assert_int_equal(v[0] + v[1] + v[2], 0);
  weir_tags_free(t);
}

static void kernels_are_limited(void **state) {
  (void)state;
  struct weir_tags *t = new_tags();
  char name[16];
  for (unsigned i = 0; i < WEIR_TAGS_KERNELS; i++) {
    snprintf(name, sizeof name, "k%u", i);
    put(t, name, 0, WEIR_TAG_CA);
  }
  assert_int_equal(weir_tags_put(t, "one more", 0, 0, 0, WEIR_TAG_CA), WEIR_ELIMIT);
  put(t, "k17", 1, WEIR_TAG_CA);
  weir_tags_free(t);
}

/* ---- files ---- */

static const char good[] = "weir-tags: 1\n"
                           "about: made by hand\n"
                           "kernels:\n"
                           "  - name: spmv\n"
                           "    loads:\n"
                           "      - {insn: 12, pc: 0x60, line: 33, tag: ca}\n"
                           "      - {insn: 3, tag: cm}\n"
                           "  - {name: _Z4fillPf, loads: []}\n";

static void a_file_is_read(void **state) {
  (void)state;
  struct weir_tags *t = parsed(good);
  static const uint8_t want[13] = {[3] = WEIR_TAG_CM, [12] = WEIR_TAG_CA};
  assert_memory_equal(weir_tags_find(t, "spmv", 13), want, 13);
  assert_non_null(weir_tags_find(t, "_Z4fillPf", 1));
  assert_null(weir_tags_find(t, "other", 1));
  weir_tags_free(t);
}

static void what_was_saved_is_read_again(void **state) {
  (void)state;
  struct weir_tags *t = parsed(good), *again;
  struct weir_err err;
  put(t, "a \"name\"\\with\tall of it", 1, WEIR_TAG_CG);
  char path[] = "test_tags_XXXXXX.yaml";
  int fd = mkstemps(path, 5);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(weir_tags_save(t, path, "two\nlines: \"quoted\"", &err), WEIR_OK);
  if (weir_tags_load(&again, path, &err) != WEIR_OK) fail_msg("%s", err.msg);
  unlink(path);
  struct weir_text a = {0}, b = {0};
  weir_tags_text(t, NULL, &a);
  weir_tags_text(again, NULL, &b);
  assert_string_equal(a.v, b.v);
  assert_contains(a.v, "      - {insn: 3, tag: cm}\n"
                       "      - {insn: 12, pc: 0x60, line: 33, tag: ca}\n");
  assert_contains(a.v, "  - name: \"_Z4fillPf\"\n    loads: []\n");
  assert_int_equal(weir_tags_find(again, "a \"name\"\\with\tall of it", 2)[1], WEIR_TAG_CG);
  weir_text_free(&a);
  weir_text_free(&b);
  weir_tags_free(t);
  weir_tags_free(again);
  assert_int_equal(weir_tags_load(&again, "no-such-file.yaml", &err), WEIR_ENOENT);
  assert_null(again);
}

/* Next line, no-break space, a line separator, an astral plane; and what is not UTF-8. */
static void names_of_all_kinds_are_saved(void **state) {
  (void)state;
  static const char *const names[] = {
      "\xc2\x85", "a\xc2\xa0z", "\xe2\x80\xa8", "\xf0\x9d\x94\xb8\xc3\xa9",
      "",         "# - : {",    "\x01\x7f"};
  struct weir_tags *t = new_tags();
  struct weir_text text = {0};
  for (size_t i = 0; i < COUNT(names); i++)
    put(t, names[i], 1, WEIR_TAG_CG);
  put(t, "\xff\xc2", 1, WEIR_TAG_CA);
  weir_tags_text(t, "\xe2\x80", &text);
  weir_tags_free(t);
  t = parsed(text.v);
  for (size_t i = 0; i < COUNT(names); i++)
    assert_non_null(weir_tags_find(t, names[i], 2));
  assert_non_null(weir_tags_find(t, "\xef\xbf\xbd\xef\xbf\xbd", 2));
  weir_tags_free(t);
  weir_text_free(&text);
}

static void bad_files_are_refused_with_the_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"kernels: []\n", "weir-tags"},
      {"weir-tags: 2\nkernels: []\n", "t.yaml:1:12"},
      {"weir-tags: 1\n", "kernels"},
      {"weir-tags: 1\nkernels: [{name: k}]\n", "loads"},
      {"weir-tags: 1\nkernels: [{loads: []}]\n", "name"},
      {"weir-tags: 1\nkernels: [7]\n", "t.yaml:2:11"},
      {"weir-tags: 1\nkernel: []\nkernels: []\n", "t.yaml:2:1"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [3]}]\n", "t.yaml:2:29"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{insn: 3}]}]\n", "tag"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{tag: ca}]}]\n", "insn"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{insn: -1, tag: ca}]}]\n", "t.yaml:2:36"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{insn: 99999999, tag: ca}]}]\n", "t.yaml:2:36"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{insn: 3, tag: cx}]}]\n",
       "'cx' is no tag; want ca"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{insn: 3, tag: ca, at: 5}]}]\n", "t.yaml:2:48"},
      {"weir-tags: 1\nkernels: [{name: k, loads: []}, {name: k, loads: []}]\n", "twice"},
      {"weir-tags: 1\nkernels:\n- name: k\n  loads:\n  - {insn: 3, tag: ca}\n"
       "  - {insn: 4, tag: ca}\n  - {insn: 3, tag: cg}\n",
       "t.yaml:7: kernel k: instruction 3 has a tag in line 5 already"},
      {"weir-tags: [\n", "t.yaml:"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{line: 12, tag: ca}]}]\n",
       "'12' is no line of a source; want FILE:LINE"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{line: 'a.cu:0', tag: ca}]}]\n", "t.yaml:2:36"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{line: 'a.cu:1'}]}]\n", "tag"},
      {"weir-tags: 1\nkernels: [{name: k, loads: [{line: 'a.cu:1', tag: ca, pc: 8}]}]\n", "pc"},
      {"weir-tags: 1\nbypass: [12]\n", "'12' is no line of a source"},
      {"weir-tags: 1\nbypass: [{line: 'a.cu:1'}]\n", "t.yaml:2:10"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct weir_tags *t;
    struct weir_err err;
    assert_int_not_equal(weir_tags_parse(&t, "t.yaml", cases[i].text, strlen(cases[i].text), &err),
                         WEIR_OK);
    assert_null(t);
    assert_contains(err.msg, cases[i].message);
  }
}

/* ---- lines ---- */

/* Loads 0 and 1 come from line 4 of one file, 2 from line 9, 3 from another; 4 is a store, 5 is
 * from nowhere. */
static const char *const files[] = {NULL, "/src/a.cu", "b.h"};
static const struct weir_static lined[] = {
    {.cls = WEIR_C_LOAD, .space = WEIR_SP_GLOBAL, .file = 1, .line = 4},
    {.cls = WEIR_C_LOAD, .space = WEIR_SP_GENERIC, .file = 1, .line = 4},
    {.cls = WEIR_C_LOAD, .space = WEIR_SP_GLOBAL, .file = 1, .line = 9},
    {.cls = WEIR_C_LOAD, .space = WEIR_SP_GLOBAL, .file = 2, .line = 4},
    {.cls = WEIR_C_STORE, .space = WEIR_SP_GLOBAL, .file = 1, .line = 7},
    {.cls = WEIR_C_LOAD, .space = WEIR_SP_GLOBAL, .file = 9, .line = 4},
};
static const struct weir_kernel_info lined_kernel = {
    .name = "k", .n_insns = COUNT(lined), .insns = lined, .n_files = 3, .files = files};

static void match(const struct weir_tags *t, const char *want) {
  static const char letters[] = "-acm";
  const uint8_t *tags;
  struct weir_err err;
  char found[COUNT(lined) + 1] = "";
  if (weir_tags_match(t, &lined_kernel, &tags, &err) != WEIR_OK) fail_msg("%s", err.msg);
  for (unsigned i = 0; tags != NULL && i < COUNT(lined); i++)
    found[i] = letters[tags[i]];
  assert_string_equal(found, want);
}

/* What is said of an instruction comes before what is said of its line, a bypass before both. */
static void loads_are_tagged_by_line(void **state) {
  (void)state;
  struct weir_err err;
  struct weir_tags *t = parsed("weir-tags: 1\nkernels:\n- name: k\n  loads:\n"
                               "  - {line: 'a.cu:4', tag: cm}\n  - {insn: 1, tag: ca}\n"
                               "  - {line: ./b.h:4, tag: ca}\n");
  match(t, "ma-a--");
  assert_int_equal(weir_tags_bypass(t, "src/a.cu:4", &err), WEIR_OK);
  match(t, "cc-a--");
  assert_int_equal(weir_tags_check_used(t, &err), WEIR_OK);
  struct weir_text a = {0}, b = {0};
  weir_tags_text(t, NULL, &a);
  weir_tags_free(t);
  t = parsed(a.v); /* all of it can be kept */
  weir_tags_text(t, NULL, &b);
  assert_string_equal(a.v, b.v);
  match(t, "cc-a--");
  weir_text_free(&a);
  weir_text_free(&b);
  weir_tags_free(t);
  t = new_tags();
  match(t, "");
  assert_int_equal(weir_tags_bypass(t, "/home/me/b.h:4", &err), WEIR_OK);
  match(t, "---c--"); /* a kernel that the table does not know */
  assert_int_equal(weir_tags_check_used(t, &err), WEIR_OK);
  weir_tags_free(t);
  assert_int_equal(weir_tags_check_used(NULL, &err), WEIR_OK);
}

static void lines_without_loads_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"a.cu:7",
       "--bypass a.cu:7: no load from global memory comes from this line\n  lines with such loads, "
       "the nearest first: a.cu: 9, 4"},
      {"c.cu:5", "--bypass c.cu:5: no load from global memory comes from this file\n"
                 "  lines with such loads, the nearest first: /src/a.cu: 4, 9\n"
                 "  lines with such loads, the nearest first: b.h: 4"},
      {"other/src/a.cu:4", "comes from this file"}, /* a path from the root has nothing before it */
  };
  const uint8_t *tags;
  struct weir_err err;
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct weir_tags *t = new_tags();
    assert_int_equal(weir_tags_bypass(t, cases[i].line, &err), WEIR_OK);
    match(t, "------");
    assert_int_equal(weir_tags_check_used(t, &err), WEIR_EINVAL);
    assert_contains(err.msg, cases[i].message);
    weir_tags_free(t);
  }
  static const char *const bad[] = {"a.cu", "a.cu:", "a.cu:0", ":4", "a/:4", "a.cu:4294967296"};
  struct weir_tags *t = new_tags();
  for (size_t i = 0; i < COUNT(bad); i++) {
    assert_int_equal(weir_tags_bypass(t, bad[i], &err), WEIR_EINVAL);
    assert_contains(err.msg, "want FILE:LINE");
  }
  weir_tags_free(t);
  t = parsed("weir-tags: 1\nkernels:\n- name: k\n  loads:\n  - {line: 'a.cu:5', tag: cm}\n");
  assert_int_equal(weir_tags_match(t, &lined_kernel, &tags, &err), WEIR_EINVAL);
  assert_contains(err.msg, "t.yaml:5: kernel k, line a.cu:5: no load");
  weir_tags_free(t);
  t = parsed("weir-tags: 1\nbypass: ['x.cu:5']\n");
  struct weir_kernel_info plain = lined_kernel;
  plain.n_files = 0; /* no source lines */
  assert_int_equal(weir_tags_match(t, &plain, &tags, &err), WEIR_OK);
  assert_int_equal(weir_tags_check_used(t, &err), WEIR_EINVAL);
  assert_contains(err.msg, "t.yaml:2: bypass: x.cu:5: no load");
  assert_contains(err.msg, "-lineinfo");
  weir_tags_free(t);
}

static int match_lines(void) {
  static const char text[] = "weir-tags: 1\nbypass: ['b.h:4']\nkernels:\n- name: k\n"
                             "  loads: [{line: 'a.cu:4', tag: cm}]\n";
  struct weir_tags *t;
  struct weir_err err;
  const uint8_t *tags;
  struct weir_kernel_info other = lined_kernel;
  other.name = "other";
  if (weir_tags_parse(&t, "t.yaml", text, sizeof text - 1, &err) != WEIR_OK) {
    assert_int_equal(err.code, WEIR_ENOMEM);
    return 0;
  }
  int ok = weir_tags_match(t, &lined_kernel, &tags, &err) == WEIR_OK &&
           weir_tags_match(t, &other, &tags, &err) == WEIR_OK;
  weir_tags_free(t);
  return ok;
}

static int read_good(void) {
  struct weir_tags *t;
  struct weir_err err;
  struct weir_text text = {0};
  if (weir_tags_parse(&t, "t.yaml", good, sizeof good - 1, &err) != WEIR_OK) {
    assert_int_equal(err.code, WEIR_ENOMEM);
    return 0;
  }
  weir_tags_text(t, "x", &text);
  int ok = !text.failed && weir_tags_put(t, "new", 1, 8, 0, WEIR_TAG_CA) == WEIR_OK &&
           weir_tags_find(t, "spmv", 20) != NULL;
  weir_text_free(&text);
  weir_tags_free(t);
  return ok;
}

static void missing_memory_is_survived(void **state) {
  (void)state;
  assert_true(with_failing_memory(read_good) > 5);
  assert_true(with_failing_memory(match_lines) > 5);
}

/* ---- kernels ---- */

struct seen { /* accesses by tag, of loads and of others, when decided and when answered */
  uint64_t route[4], other[4], fill[4], local[4];
};
static struct seen seen;

static enum weir_answer see_route(const struct weir_policy *p, const struct weir_access *a) {
  (void)p;
  (a->is_local ? seen.local : seen.route)[a->tag]++;
  return WEIR_PASS;
}
static enum weir_write see_store(const struct weir_policy *p, const struct weir_access *a,
                                 struct weir_set set, int way) {
  (void)p, (void)set, (void)way;
  seen.other[a->tag]++;
  return WEIR_WRITE_PASS;
}
static void see_fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                     int way, uint32_t flags) {
  (void)p, (void)set, (void)way, (void)flags;
  seen.fill[a->tag]++;
}
static const struct weir_policy_ops observer = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "observer", .help = "sees tags"},
    .route = see_route,
    .store = see_store,
    .fill = see_fill};

struct fixture {
  struct rig g;
  struct weir_design d;
  struct synth s;
  struct code c;
  uint32_t generic;
};

static void fixture_open(struct fixture *f, const struct weir_tags *t) {
  struct weir_err err;
  struct weir_sim_options o = {
      .threads = 1, .check = true, .tags = t != NULL ? weir_tags_match : NULL, .tags_self = t};
  rig_open(&f->g, NULL);
  weir_sim_free(f->g.sim);
  weir_design_baseline(&f->d, &f->g.x.m);
  f->d.policy[f->d.n_policies++].ops = &observer;
  assert_int_equal(weir_sim_new(&f->g.x.m, &f->d, &o, &f->g.sim, &err), WEIR_OK);
  synth_init(&f->s, 1, 1);
  f->c = rig_code(&f->s, WEIR_SP_GLOBAL);
  f->generic = synth_access(&f->s, WEIR_C_LOAD, WEIR_SP_GENERIC, 4, 3, -1);
  memset(&seen, 0, sizeof seen);
}

static void fixture_close(struct fixture *f) {
  synth_free(&f->s);
  rig_close(&f->g);
}

static void run_accesses(struct fixture *f) {
  struct weir_sim_result r;
  const uint32_t insns[] = {f->c.ld0, f->c.ld1, f->c.ld2, f->c.st};
  for (unsigned i = 0; i < COUNT(insns); i++)
    synth_stride(&f->s, 0, 0, insns[i], UINT32_MAX, 0x1000 + 128 * i, 4);
  rig_run(&f->g, &f->s, &r);
}

static void tags_reach_the_accesses(void **state) {
  (void)state;
  struct fixture f;
  struct weir_tags *t = new_tags();
  fixture_open(&f, t);
  for (unsigned i = 0; i < 2; i++) {
    const uint32_t insn = i == 0 ? f.c.ld0 : f.c.ld2;
    assert_int_equal(weir_tags_put(t, f.s.info.name, insn, f.s.insns[insn].pc, 0,
                                   i == 0 ? WEIR_TAG_CA : WEIR_TAG_CM),
                     WEIR_OK);
  }
  run_accesses(&f);
  static const uint64_t want[4] = {1, 1, 0, 1}, stores[4] = {1};
  assert_memory_equal(seen.route, want, sizeof want);
  assert_memory_equal(seen.fill, want, sizeof want);
  assert_memory_equal(seen.other, stores, sizeof stores);
  fixture_close(&f);
  weir_tags_free(t);
}

/* A generic load that comes to local memory has none. */
static void local_accesses_have_no_tag(void **state) {
  (void)state;
  struct fixture f;
  struct weir_sim_result r;
  struct weir_tags *t = new_tags();
  fixture_open(&f, t);
  assert_int_equal(
      weir_tags_put(t, f.s.info.name, f.generic, f.s.insns[f.generic].pc, 0, WEIR_TAG_CG), WEIR_OK);
  synth_stride(&f.s, 0, 0, f.generic, UINT32_MAX, 0x1000, 4);
  f.s.ops[f.s.n - 1].addrs.space = WEIR_SP_LOCAL;
  synth_stride(&f.s, 0, 0, f.generic, UINT32_MAX, 0x2000, 4);
  f.s.ops[f.s.n - 1].addrs.space = WEIR_SP_GLOBAL;
  rig_run(&f.g, &f.s, &r);
  static const uint64_t local[4] = {1}, global[4] = {[WEIR_TAG_CG] = 1};
  assert_memory_equal(seen.local, local, sizeof local);
  assert_memory_equal(seen.route, global, sizeof global);
  fixture_close(&f);
  weir_tags_free(t);
}

static void without_tags_all_is_none(void **state) {
  (void)state;
  struct fixture f;
  struct weir_tags *t = new_tags(); /* knows no kernel */
  static const uint64_t want[4] = {3};
  for (unsigned i = 0; i < 2; i++) {
    fixture_open(&f, i == 0 ? NULL : t);
    run_accesses(&f);
    assert_memory_equal(seen.route, want, sizeof want);
    fixture_close(&f);
  }
  weir_tags_free(t);
}

static void tags_of_another_kernel_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *load, *message;
  } cases[] = {
      {"{insn: 12, tag: ca}",
       "t.yaml:4: kernel synth, instruction 12: the kernel has instructions"},
      {"{insn: 3, tag: cm}", "instruction 3: it is no load from global memory (class int"},
      {"{insn: 6, tag: cg}", "instruction 6: it is no load from global memory (class store"},
      {"{insn: 1, pc: 0x7, tag: ca}", "instruction 1: its pc is 0x8, not 0x7"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct fixture f;
    struct weir_err err;
    struct weir_sim_result r;
    char text[200];
    snprintf(text, sizeof text, "weir-tags: 1\nkernels:\n- name: synth\n  loads: [%s]\n",
             cases[i].load);
    struct weir_tags *t = parsed(text);
    fixture_open(&f, t);
    f.s.info.name = "synth";
    if (i == 0) f.s.info.n_insns = 12;
    synth_stride(&f.s, 0, 0, f.c.ld0, UINT32_MAX, 0x1000, 4);
    assert_int_equal(weir_sim_kernel(f.g.sim, synth_source(&f.s), &r, &err), WEIR_EINVAL);
    assert_contains(err.msg, cases[i].message);
    assert_contains(err.msg, "weir classify");
    fixture_close(&f);
    weir_tags_free(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_tag_wins),
      cmocka_unit_test(a_kernel_may_be_known_without_tags),
      cmocka_unit_test(kernels_are_limited),
      cmocka_unit_test(a_file_is_read),
      cmocka_unit_test(what_was_saved_is_read_again),
      cmocka_unit_test(names_of_all_kinds_are_saved),
      cmocka_unit_test(bad_files_are_refused_with_the_place),
      cmocka_unit_test(loads_are_tagged_by_line),
      cmocka_unit_test(lines_without_loads_are_refused),
      cmocka_unit_test(missing_memory_is_survived),
      cmocka_unit_test(tags_reach_the_accesses),
      cmocka_unit_test(local_accesses_have_no_tag),
      cmocka_unit_test(without_tags_all_is_none),
      cmocka_unit_test(tags_of_another_kernel_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
