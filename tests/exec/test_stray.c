/* Accesses that miss their allocation: made and counted where there is memory, faults where there
 * is none, where they are asked to be, and in memory whose allocations are kept apart. */
#include "vm.h"

#include <stdio.h>

#include "stream/stray.h"

/* The instruction under test gets an address in %d2: parameter p and an offset for each lane. */
#define STRAY_AS(name, body)                                                                       \
  ".visible .entry " name                                                                          \
  "(.param .u64 out, .param .u64 p, .param .u64 off, .param .u64 step) {\n"                        \
  ".reg .b32 %r<16>; .reg .b64 %d<16>; .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n" \
  "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [p]; ld.param.u64 %d3, [off];\n"                     \
  "ld.param.u64 %d4, [step]; cvta.to.global.u64 %d1, %d1;\n"                                       \
  "mov.u32 %r0, %tid.x; cvt.u64.u32 %d5, %r0; mul.lo.u64 %d5, %d5, %d4;\n"                         \
  "add.u64 %d2, %d1, %d3; add.u64 %d2, %d2, %d5;\n"                                                \
  "mul.wide.u32 %d6, %r0, 4; add.u64 %d7, %d0, %d6;\n" body "\nret;\n}\n"

static const char text[] = ".const .align 4 .b8 fixed[16];\n" STRAY_AS(
    "load", "ld.global.u32 %r1, [%d2]; st.global.u32 [%d7], %r1;")
    STRAY_AS("store", "add.u32 %r1, %r0, 7; st.global.u32 [%d2], %r1;") STRAY_AS(
        "wide", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2]; st.global.u32 [%d7], %r4;")
        STRAY_AS("add", "atom.global.add.u32 %r1, [%d2], 1; st.global.u32 [%d7], %r1;")
            STRAY_AS("generic", "ld.u32 %r1, [%d2]; st.global.u32 [%d7], %r1;") STRAY_AS(
                "loaded",
                "ld.global.u64 %d8, [%d0]; add.u64 %d8, %d8, %d3; st.global.u32 [%d8], %r0;")
                STRAY_AS("copy", "mov.u64 %d8, s; cvt.u32.u64 %r5, %d8;\n"
                                 "cp.async.ca.shared.global [%r5], [%d2], 4; cp.async.wait_all;\n"
                                 "ld.shared.u32 %r1, [%r5]; st.global.u32 [%d7], %r1;")
                    STRAY_AS("shared", "mov.u64 %d8, s; add.u64 %d8, %d8, %d3; cvt.u32.u64 %r5, "
                                       "%d8; st.shared.u32 [%r5], 9; ld.shared.u32 %r1, [%r5];\n"
                                       "st.global.u32 [%d7], %r1;")
                        STRAY_AS("local",
                                 "mov.u64 %d8, l; add.u64 %d8, %d8, %d3; st.local.u32 [%d8], %r0;\n"
                                 "ld.local.u32 %r1, [%d8]; st.global.u32 [%d7], %r1;")
                            STRAY_AS(
                                "constant",
                                "mov.u64 %d8, fixed; cvta.const.u64 %d8, %d8; st.u32 [%d8], 5;\n"
                                "ld.const.u32 %r1, [fixed]; st.global.u32 [%d7], %r1;");

enum { MAX_STRAYS = 8 };

struct scene {
  struct vm vm;
  uint64_t a, b; /* side by side, of 512 bytes each */
  uint64_t c;    /* 400 bytes, behind them */
  uint64_t d;    /* 404 bytes, behind that */
  struct {
    bool is_other;
    uint64_t count, address;
    char access[100], near[200];
  } got[MAX_STRAYS];
  unsigned n;
};

static void keep(void *self, const struct weir_stray *x) {
  struct scene *s = self;
  assert_true(s->n < MAX_STRAYS);
  s->got[s->n].is_other = x->is_other;
  s->got[s->n].count = x->count;
  s->got[s->n].address = x->address;
  snprintf(s->got[s->n].access, sizeof s->got[s->n].access, "%s", x->access);
  snprintf(s->got[s->n].near, sizeof s->got[s->n].near, "%s", x->near);
  s->n++;
}

static void open_scene(struct scene *s, bool same) {
  vm_defaults(&s->vm);
  s->vm.same_addresses = same;
  vm_open_as_is(&s->vm, text);
  struct ptx_mem *m = &s->vm.dev.mem;
  assert_int_equal(ptx_mem_alloc(m, 512, 0, "a", false, &s->a, NULL), WEIR_OK);
  assert_int_equal(ptx_mem_alloc(m, 512, 0, "b", false, &s->b, NULL), WEIR_OK);
  assert_int_equal(ptx_mem_alloc(m, 400, 0, "c", false, &s->c, NULL), WEIR_OK);
  assert_int_equal(ptx_mem_alloc(m, 404, 0, "d", false, &s->d, NULL), WEIR_OK);
  if (same) assert_true(s->b == s->a + 512 && s->c == s->b + 512 && s->d == s->c + 512);
}

static uint32_t *words(const struct scene *s, uint64_t addr) {
  return (uint32_t *)(void *)ptx_mem_host(&s->vm.dev.mem, addr);
}

static enum weir_status try(struct scene *s, const char *kernel, uint64_t p, int64_t off,
                            uint64_t step, uint32_t threads) {
  struct vm *vm = &s->vm;
  uint64_t params[] = {vm->out_addr, p, (uint64_t)off, step};
  struct ptx_program *prog;
  struct ptx_run *run;
  struct weir_block_stream *b = NULL;
  s->n = 0;
  if (ptx_program_build(vm->image, kernel, &vm->cfg, &prog, &vm->err) != WEIR_OK)
    fail_msg("%s", vm->err.msg);
  struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = params};
  enum weir_status st = ptx_run_begin(&vm->dev, prog, &launch, false, &run, &vm->err);
  assert_int_equal(st, WEIR_OK);
  do
    st = ptx_run_next(run, &b, &vm->err);
  while (st == WEIR_OK && b != NULL);
  vm->fault = ptx_run_fault(run);
  assert_int_equal(ptx_run_strays(run, keep, s, NULL), WEIR_OK);
  ptx_run_end(run);
  ptx_program_free(prog);
  return st;
}

static void expect(struct scene *s, const char *kernel, uint64_t p, int64_t off, uint64_t step,
                   uint32_t threads, uint64_t count, const char *near) {
  if (try(s, kernel, p, off, step, threads) != WEIR_OK) fail_msg("%s", s->vm.err.msg);
  assert_int_equal(s->n, count > 0 ? 1 : 0);
  if (count == 0) return;
  assert_int_equal(s->got[0].count, count);
  if (strstr(s->got[0].near, near) == NULL) fail_msg("'%s' is not in: %s", near, s->got[0].near);
}

/* What is past the end, or before the start, is memory that keeps what is stored. */
static void beside_allocations(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  expect(&s, "store", s.c, 400, 4, 28, 28, "just past the end of 'c'");
  assert_true(s.got[0].address == s.c + 400 && !s.got[0].is_other);
  assert_string_equal(s.got[0].access, "store of 4 bytes at global address 0x20000ea40590");
  expect(&s, "load", s.c, 404, 4, 2, 2, "4 bytes past the end of 'c'");
  assert_int_equal(s.vm.out[0], 8);
  assert_int_equal(s.vm.out[1], 9);
  expect(&s, "load", s.c, 392, 4, 4, 2, "just past the end of 'c'"); /* two of four lanes */
  expect(&s, "generic", s.c, 408, 0, 1, 1, "8 bytes past the end of 'c'");
  assert_int_equal(s.vm.out[0], 9);
  expect(&s, "wide", s.c, 400, 0, 1, 1, "just past the end of 'c'");
  expect(&s, "wide", s.d, 400, 0, 1, 1,
         "crossing the end of 'd' (0x20000ea40600, 404 bytes) from byte 400 on");
  expect(&s, "add", s.c, 400, 0, 32, 32, "just past the end of 'c'");
  assert_int_equal(*words(&s, s.c + 400), 7 + 32);
  expect(&s, "copy", s.c, 400, 0, 1, 1, "just past the end of 'c'");
  assert_int_equal(s.vm.out[0], 7 + 32);
  expect(&s, "load", s.c, 0, 4, 100, 0, "");
  vm_close(&s.vm);
}

/* In another allocation an access has missed, too, if it is known whose the pointer is. */
static void inside_others(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  expect(&s, "store", s.a, 508, 4, 3, 2, "just past the end of 'a'");
  assert_true(s.got[0].is_other && s.got[0].address == s.b);
  assert_non_null(strstr(s.got[0].near, "inside 'b'"));
  assert_int_equal(*words(&s, s.a + 508), 7);
  assert_int_equal(words(&s, s.b)[1], 9);
  expect(&s, "load", s.c, -1024, 0, 1, 1, "1024 bytes before 'c'");
  assert_true(s.got[0].is_other);
  /* The end of one is the start of the next: a pointer to it may be either's. */
  expect(&s, "load", s.b, -4, 4, 2, 0, "");
  /* Nobody knows of a pointer that was loaded. */
  s.vm.out[0] = (uint32_t)s.a;
  s.vm.out[1] = (uint32_t)(s.a >> 32);
  expect(&s, "loaded", s.a, 512, 0, 1, 0, "");
  assert_int_equal(*words(&s, s.b), 0);
  vm_close(&s.vm);
}

static void in_shared_memory(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  if (try(&s, "shared", s.a, 124, 0, 1) != WEIR_OK) fail_msg("%s", s.vm.err.msg);
  assert_int_equal(s.n, 2); /* the store and the load */
  assert_int_equal(s.vm.out[0], 9);
  assert_string_equal(s.got[0].near, "but a block has 64 bytes (64 static, 0 dynamic)");
  assert_int_equal(try(&s, "shared", s.a, 128, 0, 1), WEIR_EFAULT);
  assert_int_equal(s.vm.fault, PTX_F_BOUNDS);
  vm_close(&s.vm);
}

static void in_local_memory(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  expect(&s, "local", s.a, 60, 0, 32, 0, "");
  if (try(&s, "local", s.a, 64 + 576 - 4, 0, 32) != WEIR_OK) fail_msg("%s", s.vm.err.msg);
  assert_int_equal(s.n, 2); /* the store and the load */
  assert_int_equal(s.got[1].count, 32);
  assert_int_equal(s.vm.out[31], 31); /* each thread has its own */
  assert_string_equal(s.got[0].near, "but a thread has 64 bytes");
  assert_int_equal(try(&s, "local", s.a, 64 + 576, 0, 1), WEIR_EFAULT);
  assert_int_equal(try(&s, "local", s.a, -4, 0, 1), WEIR_EFAULT);
  s.vm.dev.is_strict = true;
  assert_int_equal(try(&s, "local", s.a, 64, 0, 1), WEIR_EFAULT);
  vm_close(&s.vm);
}

static void store_to_constants(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  expect(&s, "constant", s.a, 0, 0, 1, 1, "inside 'fixed'");
  assert_int_equal(s.vm.out[0], 5);
  vm_close(&s.vm);
}

static void expect_faults(struct scene *s) {
  static const struct {
    const char *kernel;
    int64_t off;
  } cases[] = {{"load", 400}, {"store", 400}, {"wide", 400},   {"add", 400},
               {"copy", 400}, {"load", 404},  {"generic", 400}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(try(s, cases[i].kernel, s->c, cases[i].off, 0, 1), WEIR_EFAULT);
    assert_int_equal(s->vm.fault, PTX_F_BOUNDS);
    assert_int_equal(s->n, 0);
  }
  assert_int_equal(try(s, "shared", s->c, 64, 0, 1), WEIR_EFAULT);
  assert_int_equal(try(s, "local", s->c, 64, 0, 1), WEIR_EFAULT);
  assert_int_equal(try(s, "constant", s->c, 0, 0, 1), WEIR_EFAULT);
  assert_int_equal(s->vm.fault, PTX_F_READONLY);
}

/* --memcheck: also in another allocation. */
static void when_strict(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  s.vm.dev.is_strict = true;
  expect_faults(&s);
  assert_int_equal(try(&s, "store", s.a, 512, 0, 1), WEIR_EFAULT);
  assert_non_null(strstr(s.vm.err.msg, "just past the end of 'a'"));
  assert_non_null(strstr(s.vm.err.msg, "inside 'b'"));
  assert_int_equal(*words(&s, s.b), 0);
  vm_close(&s.vm);
}

/* Launch files: no address of theirs changes, and every miss is a fault. */
static void where_memory_is_spaced(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, false);
  assert_true(s.b == s.a + 1024);
  expect_faults(&s);
  vm_close(&s.vm);
}

static void faults_all_the_same(void **state) {
  (void)state;
  struct scene s;
  open_scene(&s, true);
  assert_int_equal(try(&s, "load", s.c, INT64_C(1) << 38, 0, 1), WEIR_EFAULT);
  assert_int_equal(s.vm.fault, PTX_F_BOUNDS);
  assert_int_equal(try(&s, "load", 0, 0, 0, 1), WEIR_EFAULT);
  assert_int_equal(s.vm.fault, PTX_F_BOUNDS);
  assert_int_equal(try(&s, "load", s.c, 401, 0, 1), WEIR_EFAULT);
  assert_int_equal(s.vm.fault, PTX_F_ALIGN);
  /* The lanes before the one that faults have missed, and that is told. */
  assert_int_equal(try(&s, "load", s.c, 400, UINT64_C(1) << 38, 2), WEIR_EFAULT);
  assert_int_equal(s.n, 1);
  vm_close(&s.vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beside_allocations),     cmocka_unit_test(inside_others),
      cmocka_unit_test(in_shared_memory),       cmocka_unit_test(in_local_memory),
      cmocka_unit_test(store_to_constants),     cmocka_unit_test(when_strict),
      cmocka_unit_test(where_memory_is_spaced), cmocka_unit_test(faults_all_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
