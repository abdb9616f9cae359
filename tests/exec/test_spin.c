/* Launches that wait: waves that are widened, warps that sleep, launches that are put aside. */
#include "vm.h"

/* Every launch here would be through with fewer warp instructions than this: what is waited for by
 * counting rounds takes far more. */
enum { FEW = 400000 };

/* The first block waits for the last; HOW is the loop. */
#define WAITING(how)                                                                               \
  ".global .u32 flag;\n" KERNEL(                                                                   \
      ".shared .align 4 .u32 seen;\n"                                                              \
      "mov.u32 %r0, %nctaid.x; sub.u32 %r0, %r0, 1; setp.eq.u32 %p0, %r28, %r0; @%p0 bra set;\n"   \
      "setp.ne.u32 %p1, %r28, 0; @%p1 bra done;\n" how "st.global.u32 [%d31], %r1; bra done;\n"    \
      "set: st.release.gpu.global.u32 [flag], 42;\n"                                               \
      "done:")

#define PLAIN                                                                                      \
  "wait: ld.acquire.gpu.global.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;\n"
/* It counts its rounds: registers change. */
#define COUNTING                                                                                   \
  "wait: ld.volatile.global.u32 %r1, [flag]; add.u32 %r9, %r9, 1;\n"                               \
  "setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;\n"
/* One thread looks and tells the others, again and again: they meet, and it stores. */
#define MEETING                                                                                    \
  "wait: setp.ne.u32 %p3, %r30, 0; @%p3 bra skip;\n"                                               \
  "ld.volatile.global.u32 %r2, [flag]; st.shared.u32 [seen], %r2;\n"                               \
  "skip: bar.sync 0; ld.shared.u32 %r1, [seen]; bar.sync 0;\n"                                     \
  "setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;\n"

static void widened_at_once(void **state) {
  (void)state;
  static const char *const kernels[] = {WAITING(PLAIN), WAITING(COUNTING), WAITING(MEETING)};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    struct vm vm;
    uint64_t insns = 0;
    for (int again = 0; again < 2; again++) {
      vm_defaults(&vm);
      vm.cfg.max_instructions = FEW;
      vm_open_as_is(&vm, kernels[k]);
      vm_run(&vm, "k", LINE(600, 64));
      EACH_WORD(i, 64) assert_out(i, 42);
      if (again) assert_int_equal(vm.stats.warp_insns, insns);
      insns = vm.stats.warp_insns;
      vm_close(&vm);
    }
  }
}

/* All blocks wait, each for the next one: those that wait take no time. */
static void chain_of_blocks(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.max_instructions = 40 * FEW;
  vm_open_as_is(&vm, KERNEL("mov.u32 %r0, %nctaid.x; sub.u32 %r0, %r0, 1;\n"
                            "mov.u32 %r1, 0; setp.eq.u32 %p0, %r28, %r0; @%p0 bra go;\n"
                            "wait: ld.volatile.global.u32 %r1, [%d31+4]; setp.eq.u32 %p1, %r1, 0;\n"
                            "@%p1 bra wait;\n"
                            "go: add.u32 %r1, %r1, 1; st.volatile.global.u32 [%d31], %r1;"));
  vm_run(&vm, "k", LINE(3000, 1));
  EACH_WORD(i, 3000) assert_out(i, 3000 - i);
  vm_close(&vm);
}

/* A grid barrier of as many blocks as an H200 holds, of 256 threads each. */
static void grid_barrier(void **state) {
  (void)state;
  enum { BLOCKS = 132 * 32 };
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.max_instructions = 40 * FEW;
  vm_open_as_is(&vm, ".global .u32 n;\n" KERNEL(
                         "setp.ne.u32 %p0, %r30, 0; @%p0 bra meet;\n"
                         "atom.global.add.u32 %r0, [n], 1; mov.u32 %r2, %nctaid.x;\n"
                         "wait: ld.volatile.global.u32 %r1, [n]; setp.lt.u32 %p1, %r1, %r2;\n"
                         "@%p1 bra wait;\n"
                         "mul.wide.u32 %d1, %r28, 4; add.u64 %d1, %d1, %d30;\n"
                         "st.global.u32 [%d1], %r1;\n"
                         "meet: bar.sync 0;"));
  struct ptx_program *prog;
  assert_int_equal(ptx_program_build(vm.image, "k", &vm.cfg, &prog, &vm.err), WEIR_OK);
  struct ptx_launch launch = {.block = {256, 1, 1}};
  assert_true(ptx_most_blocks(&vm.dev, prog, &launch) >= BLOCKS);
  ptx_program_free(prog);
  vm_run(&vm, "k", LINE(BLOCKS, 256));
  EACH_WORD(i, BLOCKS) assert_out(i, BLOCKS);
  vm_close(&vm);
}

/* Warp 0 waits in a loop, warp 1 computes for longer than it takes the other to fall asleep, then
 * lets it go on. */
#define SLOWLY(before, wait, then)                                                                 \
  ".shared .align 16 .b8 s[68]; .reg .b128 %q<2>; mov.u64 %d0, s; cvt.u32.u64 %r3, %d0;\n" before  \
  "\nbar.sync 0; setp.ge.u32 %p0, %r30, 32; @%p0 bra slow;\n" wait                                 \
  "\nst.global.u32 [%d31], 42; bra done; slow: mov.u32 %r0, 5000;\n"                               \
  "more: sub.u32 %r0, %r0, 1; setp.ne.u32 %p1, %r0, 0; @%p1 bra more;\n" then "\ndone:"

static void wakes_up(void **state) {
  (void)state;
  static const char *const kernels[] = {
      /* an mbarrier */
      KERNEL(SLOWLY("setp.ne.u32 %p3, %r30, 0; @!%p3 mbarrier.init.shared.b64 [%r3], 32;",
                    "wait: mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra wait;",
                    "mbarrier.arrive.shared.b64 _, [%r3];")),
      /* words of 128 bits; only the upper half changes */
      KERNEL(SLOWLY("",
                    "wait: ld.relaxed.gpu.global.b128 %q1, [%d30+4096]; mov.b128 {%d2, %d3}, %q1;\n"
                    "setp.eq.u64 %p2, %d3, 0; @%p2 bra wait;",
                    "mov.u64 %d2, 0; mov.u64 %d3, 7; mov.b128 %q1, {%d2, %d3};\n"
                    "st.global.b128 [%d30+4096], %q1;")),
      /* shared memory that is past the block's own, but mapped */
      KERNEL(SLOWLY("",
                    "wait: ld.volatile.shared.u32 %r1, [%r3+96]; setp.eq.u32 %p2, %r1, 0;\n"
                    "@%p2 bra wait;",
                    "st.shared.u32 [%r3+96], 1;"))};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    struct vm vm;
    vm_defaults(&vm);
    vm.same_addresses = true;
    vm_open_as_is(&vm, kernels[k]);
    vm_run(&vm, "k", LINE(1, 64));
    EACH_WORD(i, 32) assert_out(i, 42);
    vm_close(&vm);
  }
}

/* A launch that can only wait is known to at once, without counting rounds. */
static void never_ends(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.max_instructions = FEW;
  vm_open_as_is(&vm, ".global .u32 flag;\n" KERNEL(PLAIN));
  expect_fault(&vm, "k", LINE(4, 64), "memory that nothing changes");
  vm_close(&vm);
}

/* ---- put aside ---- */

struct launch {
  struct vm vm;
  struct ptx_program *prog;
  struct ptx_run *run;
};

static void begin_as_is(struct launch *l, const char *text, struct vm_shape shape) {
  vm_open_as_is(&l->vm, text);
  assert_int_equal(ptx_program_build(l->vm.image, "k", &l->vm.cfg, &l->prog, &l->vm.err), WEIR_OK);
  struct ptx_launch launch = {.params = &l->vm.out_addr, .may_park = true};
  memcpy(launch.grid, shape.grid, sizeof launch.grid);
  memcpy(launch.block, shape.block, sizeof launch.block);
  if (ptx_run_begin(&l->vm.dev, l->prog, &launch, false, &l->run, &l->vm.err) != WEIR_OK)
    fail_msg("%s", l->vm.err.msg);
}

static void begin(struct launch *l, const char *text, struct vm_shape shape) {
  vm_defaults(&l->vm);
  begin_as_is(l, text, shape);
}

/* True: it has ended. */
static bool go_on(struct launch *l) {
  struct weir_block_stream *b;
  do
    if (ptx_run_next(l->run, &b, &l->vm.err) != WEIR_OK) fail_msg("%s", l->vm.err.msg);
  while (b != NULL);
  ptx_run_stats(l->run, &l->vm.stats);
  return !ptx_run_is_parked(l->run);
}

static void end(struct launch *l) {
  ptx_run_end(l->run);
  ptx_program_free(l->prog);
  vm_close(&l->vm);
}

/* Waits for out[1000], then for out[1001]. */
static const char twice[] =
    KERNEL("one: ld.volatile.global.u32 %r1, [%d30+4000]; setp.eq.u32 %p2, %r1, 0; @%p2 bra one;\n"
           "st.global.u32 [%d31], %r1;\n"
           "two: ld.volatile.global.u32 %r2, [%d30+4004]; setp.eq.u32 %p2, %r2, 0; @%p2 bra two;\n"
           "add.u32 %r1, %r1, %r2; st.global.u32 [%d31], %r1;");

static void put_aside(void **state) {
  (void)state;
  struct launch l;
  struct vm vm;
  uint64_t insns[2];
  for (int is_hosts = 0; is_hosts < 2; is_hosts++) {
    begin(&l, twice, LINE(3, 64));
    if (is_hosts) ptx_mem_share(&l.vm.dev.mem, l.vm.out_addr);
    assert_false(go_on(&l));
    assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_NO);
    l.vm.out[1000] = 5;
    assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_YES);
    assert_false(go_on(&l));
    assert_int_equal(l.vm.out[191], 5);
    assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_NO);
    l.vm.out[1001] = 70;
    assert_true(go_on(&l));
    vm = l.vm;
    EACH_WORD(i, 192) assert_out(i, 75);
    insns[is_hosts] = l.vm.stats.warp_insns;
    end(&l);
  }
  assert_int_equal(insns[0], insns[1]); /* the same number of rounds, whoever writes */
}

/* Counting, it might come to an end by itself; in the end it does not. */
static void counts_while_waiting(void **state) {
  (void)state;
  struct launch l;
  begin(&l, WAITING(COUNTING), LINE(1, 32)); /* the only block is the last: it does not wait */
  assert_true(go_on(&l));
  end(&l);
  begin(&l, ".global .u32 flag;\n" KERNEL(COUNTING), LINE(2, 32));
  assert_false(go_on(&l));
  l.vm.dev.cfg.deadlock_quanta = 2000;
  assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_MAYBE);
  for (int i = 0; i < 100 && ptx_run_wake(l.run) == PTX_WAKE_MAYBE; i++)
    assert_false(go_on(&l));
  assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_NO);
  assert_int_equal(ptx_run_give_up(l.run, &l.vm.err), WEIR_EFAULT);
  assert_int_equal(ptx_run_fault(l.run), PTX_F_HANG);
  assert_non_null(strstr(l.vm.err.msg, "memory that nothing changes"));
  end(&l);
}

/* It stores all the time and looks at a word of the host's, which stays as it was for a while. */
static void goes_on_storing(void **state) {
  (void)state;
  struct launch l;
  begin(&l,
        KERNEL("loop: add.u32 %r0, %r0, 1; st.global.u32 [%d31], %r0;\n"
               "ld.volatile.global.u32 %r1, [%d30+4000]; setp.eq.u32 %p0, %r1, 0;\n"
               "@%p0 bra loop; st.global.u32 [%d31+128], %r1;"),
        LINE(1, 32));
  ptx_mem_share(&l.vm.dev.mem, l.vm.out_addr);
  assert_false(go_on(&l));
  uint32_t before = l.vm.out[31];
  assert_true(before > 1000);
  assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_MAYBE);
  assert_false(go_on(&l));
  assert_true(l.vm.out[31] > before);
  l.vm.out[1000] = 9;
  assert_true(go_on(&l));
  assert_int_equal(l.vm.out[63], 9);
  end(&l);
}

/* A kernel sees at once what it stores itself into a word that it has looked at. */
static void sees_its_own_stores(void **state) {
  (void)state;
  struct launch l;
  begin(&l,
        KERNEL("loop: ld.volatile.global.u32 %r0, [%d30+4000]; add.u32 %r0, %r0, 1;\n"
               "setp.eq.u32 %p1, %r30, 0; @%p1 st.volatile.global.u32 [%d30+4000], %r0;\n"
               "ld.volatile.global.u32 %r1, [%d30+4000]; setp.lt.u32 %p0, %r1, 100;\n"
               "@%p0 bra loop; st.global.u32 [%d31], %r1;"),
        LINE(1, 32));
  ptx_mem_share(&l.vm.dev.mem, l.vm.out_addr);
  assert_true(go_on(&l));
  struct vm vm = l.vm;
  EACH_WORD(i, 32) assert_out(i, 100);
  end(&l);
}

/* Signed and unsigned loads of one word that is frozen. */
static void signs_of_frozen_words(void **state) {
  (void)state;
  struct launch l;
  begin(&l,
        KERNEL(
            "one: ld.volatile.global.s8 %r1, [%d30+4000]; ld.volatile.global.u8 %r2, [%d30+4000];\n"
            "ld.volatile.global.s32 %d1, [%d30+4004]; ld.volatile.global.u32 %d2, [%d30+4004];\n"
            "setp.eq.u32 %p2, %r1, 0; @%p2 bra one;\n"
            "st.global.u32 [%d30], %r1; st.global.u32 [%d30+4], %r2;\n"
            "st.global.u64 [%d30+8], %d1; st.global.u64 [%d30+16], %d2;"),
        LINE(1, 1));
  ptx_mem_share(&l.vm.dev.mem, l.vm.out_addr);
  l.vm.out[1000] = 0xfe;
  l.vm.out[1001] = 0x80000001;
  assert_true(go_on(&l));
  static const uint32_t wanted[] = {0xfffffffe, 0xfe, 0x80000001, 0xffffffff, 0x80000001, 0};
  assert_memory_equal(l.vm.out, wanted, sizeof wanted);
  end(&l);
}

/* A word outside of allocations, where a GPU has memory: it can be waited for like any other. */
static void waits_beside_allocations(void **state) {
  (void)state;
  struct launch l;
  vm_defaults(&l.vm);
  l.vm.same_addresses = true;
  begin_as_is(&l,
              KERNEL("one: ld.volatile.global.u32 %r1, [%d30+262208]; setp.eq.u32 %p2, %r1, 0;\n"
                     "@%p2 bra one; st.global.u32 [%d31], %r1;"),
              LINE(1, 32));
  assert_false(go_on(&l));
  assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_NO);
  l.vm.out[VM_OUT_WORDS + 16] = 6;
  assert_int_equal(ptx_run_wake(l.run), PTX_WAKE_YES);
  assert_true(go_on(&l));
  assert_int_equal(l.vm.out[31], 6);
  end(&l);
}

/* ---- exec.interleave ---- */

/* Every block counts in one word without atomics, in loops longer than a quantum. */
static void races(void **state) {
  (void)state;
  static const uint32_t sums[] = {4000, 1000};
  for (int interleave = 0; interleave < 2; interleave++) {
    struct vm vm;
    vm_defaults(&vm);
    vm.cfg.interleave = interleave;
    vm.cfg.quantum = 4;
    vm_open_as_is(&vm, KERNEL("mov.u32 %r1, 1000;\n"
                              "loop: ld.global.u32 %r0, [%d30]; add.u32 %r0, %r0, 1;\n"
                              "st.global.u32 [%d30], %r0; sub.u32 %r1, %r1, 1;\n"
                              "setp.ne.u32 %p0, %r1, 0; @%p0 bra loop;"));
    vm_run(&vm, "k", LINE(4, 1));
    assert_int_equal(vm.was_interleaved, interleave);
    if (interleave)
      assert_in_range(vm.out[0], sums[1], sums[0] - 1);
    else
      assert_out(0, sums[0]);
    vm_close(&vm);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(widened_at_once),
      cmocka_unit_test(chain_of_blocks),
      cmocka_unit_test(grid_barrier),
      cmocka_unit_test(never_ends),
      cmocka_unit_test(put_aside),
      cmocka_unit_test(counts_while_waiting),
      cmocka_unit_test(goes_on_storing),
      cmocka_unit_test(sees_its_own_stores),
      cmocka_unit_test(wakes_up),
      cmocka_unit_test(signs_of_frozen_words),
      cmocka_unit_test(waits_beside_allocations),
      cmocka_unit_test(races),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
