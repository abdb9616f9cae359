/* Functions of CUDA's device library: printf, assert, malloc and free. */
#include "vm.h"

#include <stdio.h>

#include "base/text.h"
#include "exec/fifo.h"
#include "exec/heap.h"

static void keep(void *self, const char *text, size_t n) {
  weir_text_add(self, text, n);
}

static void listen(struct vm *vm, struct weir_text *out, struct weir_text *complaints) {
  vm->dev.output.self = out;
  vm->dev.output.print = keep;
  if (complaints == NULL) return;
  vm->dev.output.self = complaints;
  vm->dev.output.print = NULL;
  vm->dev.output.complain = keep;
}

#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
/* A format as a variable; bytes of a C string. */
static void put_string(struct weir_text *t, const char *name, const char *s) {
  weir_text_printf(t, ".global .align 1 .b8 %s[%zu] = {", name, strlen(s) + 1);
  for (; *s != 0; s++)
    weir_text_printf(t, "%d,", (unsigned char)*s);
  weir_text_puts(t, "0};\n");
}

/* One thread prints `format` with the arguments that `stores` puts at [%SP]. Returns vprintf's
 * result; the text is appended to `out`. */
static uint32_t print_as(const char *format, const char *stores, struct weir_text *out) {
  struct weir_text ptx = {0};
  struct vm vm;
  weir_text_puts(&ptx, VPRINTF);
  put_string(&ptx, "fmt", format);
  put_string(&ptx, "word", "word");
  static const char kernel[] =
      KERNEL(".local .align 8 .b8 depot[512]; .reg .b64 %SP; .reg .b64 %w;\n"
             "mov.u64 %SP, depot; mov.u64 %w, word;\n@\n"
             "cvta.local.u64 %d1, %SP; mov.u64 %d2, fmt;\n"
             "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
             "st.param.b64 [f], %d2; st.param.b64 [a], %d1;\n"
             "call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }\n"
             "st.global.u32 [%d31], %r1;");
  const char *gap = strchr(kernel, '@');
  weir_text_add(&ptx, kernel, (size_t)(gap - kernel));
  weir_text_puts(&ptx, stores);
  weir_text_puts(&ptx, gap + 1);
  vm_open(&vm, ptx.v);
  listen(&vm, out, NULL);
  vm_run(&vm, "k", LINE(1, 1));
  uint32_t result = vm.out[0];
  vm_close(&vm);
  weir_text_free(&ptx);
  return result;
}

static void expect_print(const char *format, const char *stores, const char *want, int n) {
  struct weir_text out = {0};
  uint32_t got = print_as(format, stores, &out);
  assert_string_equal(out.v != NULL ? out.v : "", want);
  assert_int_equal((int)got, n);
  weir_text_free(&out);
}

static void integers(void **state) {
  (void)state;
  expect_print("[%d]\n", "st.local.u32 [%SP], -7;", "[-7]\n", 1);
  expect_print("%i|%u|%o|%x|%X",
               "st.local.v4.u32 [%SP], {-1, -1, 8, 0xabc}; st.local.u32 [%SP+16], 0xabc;",
               "-1|4294967295|10|abc|ABC", 5);
  expect_print("%+d|% d|%05d|%-5d|%5d|%#x|%#o", /* flags */
               "st.local.v4.u32 [%SP], {5, 5, 5, 5}; st.local.v2.u32 [%SP+16], {5, 255};\n"
               "st.local.u32 [%SP+24], 8;",
               "+5| 5|00005|5    |    5|0xff|010", 7);
  expect_print("%.3d|%8.4x|%-8.4xE", "st.local.v2.u32 [%SP], {7, 0x1f}; st.local.u32 [%SP+8], 31;",
               "007|    001f|001f    E", 3);
  expect_print("%hd|%hhu|%hx", "st.local.v2.u32 [%SP], {0x18000, 0x1ff}; st.local.u32 [%SP+8], -1;",
               "-32768|255|ffff", 3);
}

static void long_integers(void **state) {
  (void)state;
  /* The second argument is aligned to its size. */
  expect_print("%d %lld %llx",
               "st.local.u32 [%SP], 1; st.local.u64 [%SP+8], -2;\n"
               "st.local.u64 [%SP+16], 0x123456789abcdef0;",
               "1 -2 123456789abcdef0", 3);
  expect_print("%ld %lu %c",
               "st.local.u64 [%SP], -3; st.local.u64 [%SP+8], -1;\n"
               "st.local.u32 [%SP+16], 65;",
               "-3 18446744073709551615 A", 3);
  expect_print("%zu %jd", "", "%zu %jd", 0); /* CUDA does not know them */
}

static void floats(void **state) {
  (void)state;
#define DOUBLE(at, bits) "mov.b64 %d5, " bits "; st.local.b64 [%SP+" at "], %d5;\n"
  expect_print("%f %e %g",
               DOUBLE("0", "0d3FF8000000000000") DOUBLE("8", "0d3FF8000000000000")
                   DOUBLE("16", "0d3FF8000000000000"),
               "1.500000 1.500000e+00 1.5", 3);
  expect_print("%.2f|%10.3f|%-10.1fE|%+.0f|%#.0f",
               DOUBLE("0", "0d400921FB54442D18") DOUBLE("8", "0d400921FB54442D18")
                   DOUBLE("16", "0d400921FB54442D18") DOUBLE("24", "0d400921FB54442D18")
                       DOUBLE("32", "0d400921FB54442D18"),
               "3.14|     3.142|3.1       E|+3|3.", 5);
  expect_print("%a %A %G %E",
               DOUBLE("0", "0d3FF8000000000000") DOUBLE("8", "0d3FF8000000000000")
                   DOUBLE("16", "0d3EB0C6F7A0B5ED8D") DOUBLE("24", "0dC08F400000000000"),
               "0x1.8p+0 0X1.8P+0 1E-06 -1.000000E+03", 4);
  expect_print("%f %f %g",
               DOUBLE("0", "0d7FF0000000000000") DOUBLE("8", "0dFFF0000000000000")
                   DOUBLE("16", "0d7FF8000000000000"),
               "inf -inf nan", 3);
}

static void strings_and_pointers(void **state) {
  (void)state;
  expect_print("<%s> <%8s> <%-8s> <%.2s>",
               "st.local.u64 [%SP], %w; st.local.u64 [%SP+8], %w;\n"
               "st.local.u64 [%SP+16], %w; st.local.u64 [%SP+24], %w;",
               "<word> <    word> <word    > <wo>", 4);
  expect_print("%s|%p|%p",
               "mov.u64 %d5, 0; st.local.u64 [%SP], %d5; st.local.u64 [%SP+8], %d5;\n"
               "mov.u64 %d5, 0x7f0000000200; st.local.u64 [%SP+16], %d5;",
               "(null)|(nil)|0x7f0000000200", 3);
  /* A string of the thread's own, and one of the block's. */
  expect_print("%s%s",
               ".shared .align 1 .b8 near[4];\n"
               "st.shared.u8 [near], 33; st.shared.u8 [near+1], 0;\n"
               "mov.u64 %d6, near; cvta.shared.u64 %d6, %d6;\n"
               "st.local.u8 [%SP+64], 72; st.local.u8 [%SP+65], 105; st.local.u8 [%SP+66], 0;\n"
               "add.u64 %d5, %SP, 64; cvta.local.u64 %d5, %d5; st.local.u64 [%SP], %d5;\n"
               "st.local.u64 [%SP+8], %d6;",
               "Hi!", 2);
}

static void odd_formats(void **state) {
  (void)state;
  expect_print("100%%\n", "", "100%\n", 0);
  expect_print("no arguments", "", "no arguments", 0);
  expect_print("", "", "", 0);
  expect_print("%*d|%-*d|%.*f|%*d",
               "st.local.v4.u32 [%SP], {4, 7, 4, 7}; st.local.u32 [%SP+16], 1;\n" DOUBLE(
                   "24", "0d400921FB54442D18") "st.local.v2.u32 [%SP+32], {-4, 7};",
               "   7|7   |3.1|7   ", 4);
  expect_print("%k %5% %", "", "%k %5% %", 0);
}

static void too_many_arguments(void **state) {
  (void)state;
  struct weir_text format = {0}, want = {0}, stores = {0};
  for (int i = 0; i < 34; i++) {
    weir_text_puts(&format, "%d ");
    weir_text_printf(&stores, "st.local.u32 [%%SP+%d], %d;\n", 4 * i, i);
    if (i < 32) weir_text_printf(&want, "%d ", i);
  }
  weir_text_puts(&want, "%d %d ");
  expect_print(format.v, stores.v, want.v, 32);
  weir_text_free(&format);
  weir_text_free(&want);
  weir_text_free(&stores);
}

/* Threads of a block in the order of execution, blocks in that of their ids, also where blocks run
 * together. */
#define SAY(sync)                                                                                  \
  VPRINTF ".global .align 1 .b8 fmt[7] = {37, 117, 46, 37, 117, 32, 0};\n"                         \
          ".global .align 4 .u32 n;\n" KERNEL(                                                     \
              ".local .align 8 .b8 depot[8]; .reg .b64 %SP; mov.u64 %SP, depot;\n" sync            \
              "st.local.v2.u32 [%SP], {%r28, %r30}; cvta.local.u64 %d1, %SP; mov.u64 %d2, fmt;\n"  \
              "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"                                   \
              "st.param.b64 [f], %d2; st.param.b64 [a], %d1; call (r), vprintf, (f, a); }")

static void order(void **state) {
  (void)state;
  static const char *const texts[] = {SAY(""), SAY("atom.global.add.u32 %r1, [n], 1;\n"
                                                   "st.global.u32 [%d31], %r1;\n")};
  for (int t = 0; t < 2; t++) {
    struct vm vm;
    struct weir_text out = {0}, want = {0};
    vm_open(&vm, texts[t]);
    listen(&vm, &out, NULL);
    vm_run(&vm, "k", LINE(5, 40));
    assert_int_equal(vm.was_interleaved, t == 1);
    for (unsigned b = 0; b < 5; b++)
      for (unsigned i = 0; i < 40; i++)
        weir_text_printf(&want, "%u.%u ", b, i);
    assert_string_equal(out.v, want.v);
    vm_close(&vm);
    weir_text_free(&out);
    weir_text_free(&want);
  }
}

static void overflow(void **state) {
  (void)state;
  struct vm vm;
  struct weir_text out = {0};
  vm_defaults(&vm);
  vm.cfg.printf_bytes = 3 * 24 + 8;
  vm_open_as_is(&vm, SAY(""));
  listen(&vm, &out, NULL);
  vm_run(&vm, "k", LINE(5, 40)); /* 200 texts of 4 or 5 bytes */
  assert_string_equal(out.v, "4.37 4.38 4.39 ");
  assert_int_equal(vm.dev.n_lost, 197);
  vm_close(&vm);
  weir_text_free(&out);
}

/* What was printed before a fault comes out, and nothing of the fault's own call. */
static void bad_strings(void **state) {
  (void)state;
  struct vm vm;
  struct weir_text out = {0};
  vm_open(&vm, VPRINTF ".global .align 1 .b8 fmt[4] = {37, 115, 10, 0};\n"
                       ".global .align 1 .b8 open[2] = {65, 66};\n" KERNEL(
                           ".local .align 8 .b8 depot[8]; .reg .b64 %SP; mov.u64 %SP, depot;\n"
                           "mov.u64 %d3, fmt; setp.eq.u32 %p1, %r31, 3; @%p1 mov.u64 %d3, open;\n"
                           "st.local.u64 [%SP], %d3; cvta.local.u64 %d1, %SP; mov.u64 %d2, fmt;\n"
                           "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
                           "st.param.b64 [f], %d2; st.param.b64 [a], %d1;\n"
                           "call (r), vprintf, (f, a); }"));
  listen(&vm, &out, NULL);
  expect_fault(&vm, "k", LINE(1, 32), "thread (3,0,0)");
  assert_int_equal(vm.fault, PTX_F_BOUNDS);
  assert_string_equal(out.v, "%s\n\n%s\n\n%s\n\n");
  vm_close(&vm);
  weir_text_free(&out);
}

static void assertions(void **state) {
  (void)state;
  struct vm vm;
  struct weir_text ptx = {0}, out = {0};
  weir_text_puts(&ptx, ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,\n"
                       "                           .param .b64 d, .param .b64 e);\n");
  put_string(&ptx, "message", "i < n");
  put_string(&ptx, "file", "a.cu");
  put_string(&ptx, "function", "void k(int *)");
  weir_text_puts(
      &ptx,
      KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mul.lo.u32 %r1, %r1, %r30;\n"
             "setp.ne.u32 %p1, %r1, 27; @%p1 bra fine; setp.ne.u32 %p1, %r2, 0; @%p1 bra fine;\n"
             "mov.u64 %d1, message; mov.u64 %d2, file; mov.u64 %d3, function;\n"
             "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"
             "  .param .b64 e; st.param.b64 [a], %d1; st.param.b64 [b], %d2;\n"
             "  st.param.b32 [c], 19; st.param.b64 [d], %d3; st.param.b64 [e], 1;\n"
             "  call.uni __assertfail, (a, b, c, d, e); }\n"
             "fine: st.global.u32 [%d31], 1;"));
  vm_open(&vm, ptx.v);
  listen(&vm, NULL, &out);
  struct vm_shape shape = {{2, 2, 1}, {10, 4, 2}, 0};
  expect_fault(&vm, "k", shape,
               "a.cu:19: void k(int *): block: [0,0,0], thread: [9,3,0] Assertion "
               "`i < n` failed.\n");
  assert_int_equal(vm.fault, PTX_F_ASSERT);
  assert_string_equal(out.v, "a.cu:19: void k(int *): block: [0,0,0], thread: [9,3,0] Assertion "
                             "`i < n` failed.\n");
  vm_close(&vm);
  weir_text_free(&ptx);
  weir_text_free(&out);
}

#define MALLOC                                                                                     \
  ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define TAKE(reg, n)                                                                               \
  "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " n "; call.uni (r), malloc, (n);\n"          \
  "ld.param.b64 " reg ", [r]; }\n"
#define GIVE(reg) "{ .param .b64 p; st.param.b64 [p], " reg "; call.uni free, (p); }\n"

static void device_malloc(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.heap = 4096;
  /* Memory of one launch is used by the next; what is given back is given out again. */
  vm_open_as_is(
      &vm,
      MALLOC ".global .align 8 .u64 kept[64];\n" KERNEL_AS(
          "fill", "mul.wide.u32 %d1, %r31, 8; mov.u64 %d2, kept;\n"
                  "add.u64 %d1, %d1, %d2;\n" TAKE(
                      "%d3", "20") "st.global.u64 [%d1], %d3; st.u32 [%d3+16], %r31;\n"
                                   "cvt.u32.u64 %r1, %d3; st.global.u32 [%d31], %r1;")
          KERNEL_AS("look", "mul.wide.u32 %d1, %r31, 8; mov.u64 %d2, kept;\n"
                            "add.u64 %d1, %d1, %d2; ld.global.u64 %d3, [%d1];\n"
                            "ld.u32 %r1, [%d3+16]; st.global.u32 [%d31], %r1;\n" GIVE("%d3"))
              KERNEL_AS("large", TAKE("%d3", "4000") "setp.ne.u64 %p1, %d3, 0;\n"
                                                     "selp.u32 %r1, 1, 0, %p1;\n"
                                                     "st.global.u32 [%d31], %r1;\n" GIVE("%d3")));
  for (int round = 0; round < 3; round++) {
    vm_run(&vm, "fill", LINE(2, 32));
    EACH_WORD(i, 64)
    EACH_WORD(k, i) assert_true(vm.out[i] - vm.out[k] >= 32 || vm.out[k] > vm.out[i]);
    EACH_WORD(i, 64) assert_int_equal(vm.out[i] % 16, 0);
    vm_run(&vm, "look", LINE(2, 32));
    EACH_WORD(i, 64) assert_out(i, i);
    vm_run(&vm, "large", LINE(1, 4)); /* only one fits */
    EACH_WORD(i, 4) assert_out(i, i == 0);
  }
  vm_close(&vm);
}

static void bad_free(void **state) {
  (void)state;
  static const char *const bodies[] = {
      KERNEL(TAKE("%d3", "20") GIVE("%d3") GIVE("%d3")),
      KERNEL(TAKE("%d3", "64") "add.u64 %d3, %d3, 16;\n" GIVE("%d3")),
      KERNEL(GIVE("%d30")),
  };
  for (size_t i = 0; i < 3; i++) {
    struct vm vm;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", MALLOC, bodies[i]);
    vm_open(&vm, text);
    expect_fault(&vm, "k", LINE(1, 1), "which malloc did not give");
    assert_int_equal(vm.fault, PTX_F_HEAP);
    vm_close(&vm);
  }
}

/* Random requests against a map of the bytes that are in use. */
static void heap_pieces(void **state) {
  (void)state;
  enum { BYTES = 16384, PIECES = 200 };
  struct ptx_mem mem;
  struct ptx_heap *h;
  static uint8_t used[BYTES];
  uint64_t at[PIECES] = {0}, size[PIECES] = {0}, base, rng = 12345;
  assert_int_equal(ptx_mem_init(&mem, 1 << 24, NULL), WEIR_OK);
  assert_int_equal(ptx_heap_new(&mem, BYTES, &h, NULL), WEIR_OK);
  base = mem.allocs[0].base;
  assert_int_equal(ptx_heap_take(h, BYTES + 1), 0);
  assert_false(ptx_heap_give(h, base));
  assert_int_equal(ptx_heap_take(h, 0), base);
  assert_true(ptx_heap_give(h, base));
  for (int round = 0; round < 20000; round++) {
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    size_t k = (size_t)(rng >> 33) % PIECES;
    if (at[k] != 0) {
      memset(used + (at[k] - base), 0, size[k]);
      assert_true(ptx_heap_give(h, at[k]));
      assert_false(ptx_heap_give(h, at[k]));
      at[k] = 0;
      continue;
    }
    size[k] = 1 + (rng >> 20) % ((rng >> 60) == 0 ? 2000 : 90);
    at[k] = ptx_heap_take(h, size[k]);
    if (at[k] == 0) continue;
    assert_int_equal(at[k] % 16, 0);
    assert_true(at[k] - base + size[k] <= BYTES);
    assert_null(memchr(used + (at[k] - base), 1, size[k]));
    memset(used + (at[k] - base), 1, size[k]);
  }
  for (size_t k = 0; k < PIECES; k++)
    if (at[k] != 0) assert_true(ptx_heap_give(h, at[k]));
  assert_int_equal(ptx_heap_take(h, BYTES), base); /* all free pieces are one again */
  ptx_heap_free(h);
  ptx_mem_free_all(&mem);
}

static void fifo_entries(void **state) {
  (void)state;
  struct ptx_fifo f = {0}, g = {0};
  size_t n;
  for (int i = 0; i < 100000; i++) {
    char s[16];
    size_t n_text = (size_t)snprintf(s, sizeof s, "%d,", i);
    assert_true(ptx_fifo_add(&f, s, n_text, n_text, 20));
  }
  assert_string_equal(ptx_fifo_text(&f, &n), "99997,99998,99999,");
  assert_int_equal(n, 18);
  assert_int_equal(f.n_lost, 99997);
  assert_true(ptx_fifo_add(&g, "old,", 4, 4, 100));
  assert_true(ptx_fifo_move(&g, &f, 14));
  assert_string_equal(ptx_fifo_text(&g, &n), "99998,99999,");
  assert_int_equal(g.n_lost, 99999);
  assert_string_equal(ptx_fifo_text(&f, &n), "");
  assert_true(ptx_fifo_add(&g, "too long for it", 15, 15, 14));
  assert_string_equal(ptx_fifo_text(&g, &n), "");
  ptx_fifo_free(&f);
  ptx_fifo_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),      cmocka_unit_test(long_integers),
      cmocka_unit_test(floats),        cmocka_unit_test(strings_and_pointers),
      cmocka_unit_test(odd_formats),   cmocka_unit_test(too_many_arguments),
      cmocka_unit_test(order),         cmocka_unit_test(overflow),
      cmocka_unit_test(bad_strings),   cmocka_unit_test(assertions),
      cmocka_unit_test(device_malloc), cmocka_unit_test(bad_free),
      cmocka_unit_test(heap_pieces),   cmocka_unit_test(fifo_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
