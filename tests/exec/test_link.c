/* Modules that were compiled apart and are linked. */
#include "vm.h"

#define MAX_MODULES 4
struct linked {
  struct vm vm; /* its module is the linked one */
  struct ptx_module *parts[MAX_MODULES];
  uint32_t n;
};

static void parse_part(struct linked *l, const char *text) {
  static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
  char *all = malloc(sizeof head + strlen(text)), path[16] = "a.ptx";
  assert_non_null(all);
  strcpy(all, head);
  strcat(all, text);
  path[0] = (char)('a' + l->n);
  struct ptx_diags diags = {0};
  if (ptx_parse(all, strlen(all), path, &l->parts[l->n++], &diags) != WEIR_OK)
    fail_msg("%s", diags.v[0].msg);
  ptx_diags_free(&diags);
  free(all);
}

static enum weir_status link_parts(struct linked *l, const char *const *texts, uint32_t n) {
  memset(l, 0, sizeof *l);
  vm_defaults(&l->vm);
  for (uint32_t i = 0; i < n; i++)
    parse_part(l, texts[i]);
  const struct ptx_module *parts[MAX_MODULES];
  memcpy(parts, l->parts, sizeof parts);
  return ptx_link(parts, n, &l->vm.module, &l->vm.err);
}

static void free_parts(struct linked *l) {
  for (uint32_t i = 0; i < l->n; i++)
    ptx_module_free(l->parts[i]);
}

static void open_linked(struct linked *l, const char *const *texts, uint32_t n) {
  if (link_parts(l, texts, n) != WEIR_OK) fail_msg("%s", l->vm.err.msg);
  assert_int_equal(ptx_unsupported(l->vm.module, NULL, 0), 0);
  vm_start(&l->vm);
}

static void close_linked(struct linked *l) {
  vm_close(&l->vm);
  free_parts(l);
}

static void expect_failure(const char *const *texts, uint32_t n, const char *const *said) {
  struct linked l;
  assert_int_equal(link_parts(&l, texts, n), WEIR_EPARSE);
  assert_null(l.vm.module);
  for (; *said != NULL; said++)
    if (strstr(l.vm.err.msg, *said) == NULL) fail_msg("'%s' is not in:\n%s", *said, l.vm.err.msg);
  free_parts(&l);
}
#define EXPECT_FAILURE(texts, ...)                                                                 \
  expect_failure(texts, sizeof(texts) / sizeof *(texts), (const char *const[]){__VA_ARGS__, NULL})

#define assert_linked(i, want)                                                                     \
  do {                                                                                             \
    const struct vm vm = l.vm;                                                                     \
    assert_out(i, want);                                                                           \
  } while (0)

#define ADD(name, linkage, n)                                                                      \
  linkage ".func (.param .b32 r) " name "(.param .b32 a) {\n"                                      \
          ".reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, " n ";\n"                           \
          "st.param.b32 [r], %x; ret;\n}\n"
#define DECLARE(name) ".extern .func (.param .b32 r) " name "(.param .b32 a);\n"
#define CALL(reg, name)                                                                            \
  "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " reg "; call.uni (r), " name ", (a);\n"      \
  "ld.param.b32 " reg ", [r]; }\n"

static void functions_and_variables(void **state) {
  (void)state;
  static const char *const texts[] = {
      DECLARE(
          "far") ".extern .global .align 4 .u32 counts[];\n"
                 ".extern .const .align 4 .u32 scale;\n"
                 ".global .align 4 .u32 own = 5;\n" ADD("near", "", "1")
                     KERNEL(CALL("%r31", "far") CALL(
                         "%r31", "near") "ld.const.u32 %r1, [scale]; mul.lo.u32 %r31, %r31, %r1;\n"
                                         "ld.global.u32 %r2, [counts+8]; add.u32 %r31, %r31, %r2;\n"
                                         "ld.global.u32 %r2, [own]; add.u32 %r31, %r31, %r2;\n"
                                         "st.global.u32 [%d31], %r31;"),
      ".visible .global .align 4 .u32 counts[3] = {1, 2, 1000};\n"
      ".visible .const .align 4 .u32 scale = 3;\n"
      ".global .align 4 .u32 own = 7;\n" ADD(
          "near", "",
          "100") ".visible .func (.param .b32 r) "
                 "far(.param .b32 a) {\n"
                 ".reg .b32 %x<4>; ld.param.u32 %x0, [a];\n" CALL(
                     "%x0",
                     "near") "ld.global.u32 %x1, [own]; add.u32 %x0, %x0, %x1; st.param.b32 [r], "
                             "%x0; ret;\n}\n" KERNEL_AS("other", "ld.global.u32 %r1, [counts+4]; "
                                                                 "st.global.u32 [%d31], %r1;"),
  };
  struct linked l;
  open_linked(&l, texts, 2);
  vm_run(&l.vm, "k", LINE(1, 40));
  EACH_WORD(i, 40) assert_linked(i, (i + 107 + 1) * 3 + 1005);
  vm_run(&l.vm, "other", LINE(1, 32)); /* a kernel of the second module */
  EACH_WORD(i, 32) assert_linked(i, 2);
  uint64_t addr, bytes;
  assert_int_equal(ptx_image_var(l.vm.image, "counts", &addr, &bytes, NULL), WEIR_OK);
  assert_int_equal(bytes, 12);
  close_linked(&l);
}

/* Addresses of another module's symbols, in initialisers. */
static void initialisers(void **state) {
  (void)state;
  static const char *const texts[] = {
      ".extern .global .align 4 .u32 there[2];\n"
      ".global .align 8 .u64 table[2] = {there, there+4};\n" KERNEL(
          "and.b32 %r1, %r31, 1; mul.wide.u32 %d1, %r1, 8; mov.u64 %d2, table;\n"
          "add.u64 %d1, %d1, %d2; ld.global.u64 %d3, [%d1]; ld.global.u32 %r2, [%d3];\n"
          "st.global.u32 [%d31], %r2;"),
      ".visible .global .align 4 .u32 there[2] = {11, 22};\n",
  };
  struct linked l;
  open_linked(&l, texts, 2);
  vm_run(&l.vm, "k", LINE(1, 32));
  EACH_WORD(i, 32) assert_linked(i, i % 2 ? 22 : 11);
  close_linked(&l);
}

static void weak_and_common(void **state) {
  (void)state;
  static const char *const texts[] = {
      ADD("f", ".weak ", "1")
          ADD("g", ".weak ", "10") ".weak .global .align 4 .u32 w = 1;\n.common .global .align 4 "
                                   ".u32 c;\n" KERNEL(CALL("%r31", "f") CALL(
                                       "%r31", "g") "ld.global.u32 %r1, [w]; add.u32 %r31, %r31, "
                                                    "%r1; st.global.u32 [c], 3;\n"
                                                    "ld.global.u32 %r1, [c]; add.u32 %r31, %r31, "
                                                    "%r1; st.global.u32 [%d31], %r31;"),
      ADD("f", ".visible ", "2")
          ADD("g", ".weak ",
              "20") ".weak .global .align 4 .u32 w = 2;\n.common .global .align 4 .u32 c[4];\n",
      ".visible .global .align 4 .u32 w = 400;\n",
  };
  struct linked l;
  open_linked(&l, texts, 3);
  uint64_t addr, bytes;
  vm_run(&l.vm, "k", LINE(1, 32));
  EACH_WORD(i, 32) assert_linked(i, i + 2 + 10 + 400 + 3);
  assert_int_equal(ptx_image_var(l.vm.image, "c", &addr, &bytes, NULL), WEIR_OK);
  assert_int_equal(bytes, 16);
  close_linked(&l);
}

static void shared_memory(void **state) {
  (void)state;
  static const char *const texts[] = {
      ".extern .shared .align 16 .b8 dynamic[];\n.extern .shared .align 4 .u32 fixed[2];\n"
      ".extern .func put(.param .b32 a);\n" KERNEL(
          "setp.ne.u32 %p1, %r30, 0; @%p1 bra wait;\n"
          "{ .param .b32 a; st.param.b32 [a], 77; call.uni put, (a); }\n"
          "wait: bar.sync 0; ld.shared.u32 %r1, [dynamic+4]; ld.shared.u32 %r2, [fixed+4];\n"
          "add.u32 %r1, %r1, %r2; st.global.u32 [%d31], %r1;"),
      ".extern .shared .align 16 .b8 dynamic[];\n.visible .shared .align 4 .u32 fixed[2];\n"
      ".visible .func put(.param .b32 a) { .reg .b32 %x; ld.param.u32 %x, [a];\n"
      "st.shared.u32 [dynamic+4], %x; st.shared.u32 [fixed+4], 1000; ret; }\n",
  };
  struct linked l;
  open_linked(&l, texts, 2);
  vm_run(&l.vm, "k", (struct vm_shape){{1, 1, 1}, {64, 1, 1}, 16});
  EACH_WORD(i, 64) assert_linked(i, 1077);
  close_linked(&l);
}

static void aliases(void **state) {
  (void)state;
  static const char *const texts[] = {
      DECLARE("other") KERNEL(CALL("%r31", "other") "st.global.u32 [%d31], %r31;"),
      ADD("real", ".visible ", "9") ".visible .func (.param .b32 r) other(.param .b32 a);\n"
                                    ".alias other, real;\n",
  };
  struct linked l;
  open_linked(&l, texts, 2);
  vm_run(&l.vm, "k", LINE(1, 32));
  EACH_WORD(i, 32) assert_linked(i, i + 9);
  close_linked(&l);
}

/* A fault names the file in which its instruction stands, and that file's source. */
static void places(void **state) {
  (void)state;
  static const char *const texts[] = {
      ".file 1 \"main.cu\"\n.extern .func bad();\n" KERNEL(".loc 1 3 0\ncall.uni bad;"),
      ".file 1 \"far.cu\"\n.visible .func bad() {\n.loc 1 44 0\ntrap; ret; }\n",
  };
  struct linked l;
  open_linked(&l, texts, 2);
  expect_fault(&l.vm, "k", LINE(1, 32), "trap;  (b.ptx:7, source far.cu:44)");
  close_linked(&l);
}

static void one_module(void **state) {
  (void)state;
  static const char *const texts[] = {
      ".extern .func unused(.param .b32 a);\n.extern .global .u32 unused_var;\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .b8 fmt[2] = {33, 0};\n" KERNEL(
          "mov.u64 %d1, fmt; mov.u64 %d2, 0; { .param .b64 f; .param .b64 a; .param .b32 r;\n"
          "st.param.b64 [f], %d1; st.param.b64 [a], %d2; call.uni (r), vprintf, (f, a); }\n"
          "st.global.u32 [%d31], 1;")};
  struct linked l;
  open_linked(&l, texts, 1);
  vm_run(&l.vm, "k", LINE(1, 32));
  assert_linked(31, 1);
  close_linked(&l);
}

/* What cannot run is listed with the file in which it stands. */
static void unsupported(void **state) {
  (void)state;
  static const char *const texts[] = {
      KERNEL("ret;"),
      "\n.visible .func f() { .reg .b32 %x<4>;\nwgmma.fence.sync.aligned; ret; }\n"};
  struct linked l;
  struct ptx_unsupported u[2];
  assert_int_equal(link_parts(&l, texts, 2), WEIR_OK);
  assert_int_equal(ptx_unsupported(l.vm.module, u, 2), 1);
  assert_string_equal(u[0].what, "b.ptx: wgmma.fence.sync.aligned");
  assert_int_equal(u[0].first_line, 6);
  ptx_module_free(l.vm.module);
  free_parts(&l);
}

static void failures(void **state) {
  (void)state;
  static const char *const twice[] = {ADD("f", ".visible ", "1"),
                                      "\n\n" ADD("f", ".visible ", "1")};
  EXPECT_FAILURE(twice, "'f' is defined twice: a.ptx:4 and b.ptx:6");
  static const char *const vars[] = {".visible .global .u32 v;\n",
                                     ".visible .global .u32 v = 1;\n"};
  EXPECT_FAILURE(vars, "'v' is defined twice: a.ptx:4 and b.ptx:4");
  static const char *const nowhere[] = {
      DECLARE("f") ".extern .global .u32 v;\n" KERNEL(CALL("%r31", "f") "ld.global.u32 %r1, [v];"),
      ".extern .global .u32 w;\n.visible .global .u64 t = w;\n"};
  EXPECT_FAILURE(nowhere, "3 symbols are declared .extern, and no module defines them",
                 "f (a.ptx:4)", "v (a.ptx:5)", "w (b.ptx:4)");
  static const char *const params[] = {DECLARE("f") KERNEL(CALL("%r31", "f")),
                                       ".visible .func f(.param .b64 a) { ret; }\n"};
  EXPECT_FAILURE(params, "'f' has not the same parameters everywhere: b.ptx:4 and a.ptx:4");
  static const char *const sizes[] = {".extern .global .u32 v[2];\n",
                                      ".visible .global .u32 v[3];\n"};
  EXPECT_FAILURE(sizes, "'v' has not the same space and size everywhere: b.ptx:4 and a.ptx:4");
  static const char *const spaces[] = {".extern .const .u32 v;\n", ".visible .global .u32 v;\n"};
  EXPECT_FAILURE(spaces, "'v' has not the same space and size");
  static const char *const kinds[] = {".extern .global .u32 f;\n", ADD("f", ".visible ", "1")};
  EXPECT_FAILURE(kinds, "'f' has not the same");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_and_variables),
      cmocka_unit_test(initialisers),
      cmocka_unit_test(weak_and_common),
      cmocka_unit_test(shared_memory),
      cmocka_unit_test(aliases),
      cmocka_unit_test(places),
      cmocka_unit_test(one_module),
      cmocka_unit_test(unsupported),
      cmocka_unit_test(failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
