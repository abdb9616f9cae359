/* Barriers of blocks, exchanges within warps, lanes that wait for one another. */
#include "vm.h"

#include <stdio.h>

/* ---- exchanges ---- */

static void shuffles(void **state) {
  (void)state;
  struct vm vm;
  /* Segments of 8 lanes: the mask in c selects them. Out of range keeps the own value and p false.
   */
  vm_once(&vm,
          KERNEL("add.u32 %r0, %r30, 100; shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10;\n"
                 "add.u64 %d0, %d0, %d30;\n"
                 "shfl.sync.up.b32 %r1|%p1, %r0, 3, 0x1800, -1;\n"
                 "shfl.sync.down.b32 %r2|%p2, %r0, 3, 0x181f, -1;\n"
                 "shfl.sync.bfly.b32 %r3|%p3, %r0, 5, 0x181f, -1;\n"
                 "shfl.sync.idx.b32 %r4|%p4, %r0, %r30, 0x181f, -1;\n"
                 "selp.u32 %r5, 1000, 0, %p1; add.u32 %r1, %r1, %r5;\n"
                 "selp.u32 %r5, 1000, 0, %p2; add.u32 %r2, %r2, %r5;\n"
                 "selp.u32 %r5, 1000, 0, %p3; add.u32 %r3, %r3, %r5;\n"
                 "selp.u32 %r5, 1000, 0, %p4; add.u32 %r4, %r4, %r5;\n"
                 "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    uint32_t seg = i & ~7u;
    assert_out(4 * i, i >= seg + 3 ? 1100 + i - 3 : 100 + i);
    assert_out(4 * i + 1, i + 3 <= seg + 7 ? 1100 + i + 3 : 100 + i);
    assert_out(4 * i + 2, 1100 + (i ^ 5));
    assert_out(4 * i + 3, 1100 + seg + (i & 7));
  }
  vm_close(&vm);
}

/* A lane that is not there gives 0: it is outside of the mask, has exited, or never was. The
 * predicate only tells whether it lies in the segment. */
static void shuffles_of_missing_lanes(void **state) {
  (void)state;
  static const char kernels[] =
      KERNEL_AS("outside", "add.u32 %r0, %r30, 100; mov.u32 %r1, 7; setp.ge.u32 %p0, %r30, 8;\n"
                           "@%p0 bra done; shfl.sync.bfly.b32 %r1|%p1, %r0, 12, 31, 0xff;\n"
                           "@!%p1 add.u32 %r1, %r1, 1000; done: st.global.u32 [%d31], %r1;")
          KERNEL_AS("guarded", "add.u32 %r0, %r30, 100; mov.u32 %r1, 7; setp.lt.u32 %p0, %r30, 8;\n"
                               "@%p0 shfl.sync.down.b32 %r1|%p1, %r0, 4, 31, 0xff;\n"
                               "st.global.u32 [%d31], %r1;")
              KERNEL_AS("gone",
                        "add.u32 %r0, %r30, 100; and.b32 %r1, %r30, 1; setp.eq.u32 %p0, %r1, 1;\n"
                        "@%p0 exit; shfl.sync.up.b32 %r1|%p1, %r0, 3, 0, -1;\n"
                        "st.global.u32 [%d31], %r1;")
                  KERNEL_AS("gone_two",
                            "add.u32 %r0, %r30, 100; setp.ge.u32 %p0, %r30, 16; @%p0 bra b;\n"
                            "shfl.sync.idx.b32 %r1, %r0, 20, 31, -1; bra done;\n"
                            "b: setp.lt.u32 %p1, %r30, 24; @%p1 exit;\n"
                            "shfl.sync.idx.b32 %r1, %r0, 3, 31, -1;\n"
                            "done: st.global.u32 [%d31], %r1;")
                      KERNEL_AS("never",
                                "add.u32 %r0, %r30, 100; shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;\n"
                                "st.global.u32 [%d31], %r1;");
  struct vm vm;
  vm_open(&vm, kernels);
  vm_run(&vm, "outside", LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i < 8 ? 0 : 7);
  vm_run(&vm, "guarded", LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i < 4 ? 104 + i : i < 8 ? 0 : 7);
  memset(vm.out, 0, 128);
  vm_run(&vm, "gone", LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i == 0 ? 100 : i == 2 ? 102 : 0); /* no such lane: one's own */
  vm_run(&vm, "gone_two", LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i >= 24 ? 103 : 0);
  vm_run(&vm, "never", LINE(1, 40));
  EACH_WORD(i, 40) assert_out(i, i < 32 ? 100 + (i ^ 16) : 0);
  vm_close(&vm);
}

/* The same exchange reached from both sides of a branch, at different instructions. */
static void exchange_from_two_splits(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("and.b32 %r0, %r30, 1; setp.eq.u32 %p0, %r0, 1; @%p0 bra odd;\n"
                 "mul.lo.u32 %r1, %r30, 10;\n"
                 "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
                 "vote.sync.ballot.b32 %r3, %p0, -1;\n"
                 "bra done;\n"
                 "odd: mul.lo.u32 %r1, %r30, 100;\n"
                 "add.u32 %r1, %r1, 0;\n"
                 "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
                 "vote.sync.ballot.b32 %r3, %p0, -1;\n"
                 "done: add.u32 %r2, %r2, %r3; st.global.u32 [%d31], %r2;"),
          LINE(2, 64));
  EACH_WORD(i, 128) {
    uint32_t t = i % 64 ^ 1;
    assert_out(i, (t % 2 ? 100 * t : 10 * t) + 0xaaaaaaaau);
  }
  vm_close(&vm);
}

static void votes(void **state) {
  (void)state;
  struct vm vm;
  /* Lanes 0-15 and 16-31 vote apart, in diverged code; p = lane < 4, then p = lane >= 16. */
  vm_once(&vm,
          KERNEL("setp.lt.u32 %p0, %r30, 4; setp.ge.u32 %p1, %r30, 16; mov.u32 %r9, 0xffff;\n"
                 "@%p1 mov.u32 %r9, 0xffff0000;\n"
                 "@%p1 bra go;\n"
                 "go: vote.sync.all.pred %p2, %p1, %r9;\n"
                 "vote.sync.any.pred %p3, %p0, %r9;\n"
                 "vote.sync.uni.pred %p4, %p0, %r9;\n"
                 "vote.sync.ballot.b32 %r0, %p0, %r9;\n"
                 "vote.sync.ballot.b32 %r1, !%p0, %r9;\n"
                 "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;\n"
                 "or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4;\n"
                 "shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10; add.u64 %d0, %d0, %d30;\n"
                 "st.global.v4.u32 [%d0], {%r0, %r1, %r2, %r9};"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    bool high = i >= 16;
    assert_out(4 * i, high ? 0 : 0xf);
    assert_out(4 * i + 1, high ? 0xffff0000 : 0xfff0);
    assert_out(4 * i + 2, high ? 1 + 4 : 2);
  }
  vm_close(&vm);
}

/* One instruction, executed together, in which every lane names its own group. */
static void groups_by_mask(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("rem.u32 %r0, %r30, 5;\n"
                 "match.any.sync.b32 %r1, %r0, -1;\n"
                 "redux.sync.add.u32 %r2, %r30, %r1;\n"
                 "redux.sync.max.s32 %r3, %r30, %r1;\n"
                 "setp.gt.u32 %p0, %r30, 20; vote.sync.ballot.b32 %r4, %p0, %r1;\n"
                 "bar.warp.sync %r1;\n"
                 "activemask.b32 %r5;\n"
                 "shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10; add.u64 %d0, %d0, %d30;\n"
                 "st.global.v4.u32 [%d0], {%r2, %r3, %r4, %r5};"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    uint32_t sum = 0, top = 0, votes = 0;
    for (uint32_t k = i % 5; k < 32; k += 5) {
      sum += k, top = k;
      votes |= (uint32_t)(k > 20) << k;
    }
    assert_out(4 * i, sum);
    assert_out(4 * i + 1, top);
    assert_out(4 * i + 2, votes);
    assert_out(4 * i + 3, UINT32_MAX); /* all go on together */
  }
  vm_close(&vm);
}

static void matches(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("and.b32 %r0, %r30, 3; cvt.u64.u32 %d0, %r0; shl.b64 %d0, %d0, 40;\n"
                 "match.any.sync.b64 %r1, %d0, -1;\n"
                 "match.all.sync.b32 %r2|%p0, %r29, -1;\n"
                 "match.all.sync.b32 %r3|%p1, %r0, -1;\n"
                 "selp.u32 %r4, 1, 0, %p0; selp.u32 %r5, 2, 0, %p1; or.b32 %r4, %r4, %r5;\n"
                 "shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10; add.u64 %d0, %d0, %d30;\n"
                 "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};"),
          LINE(1, 40));
  EACH_WORD(i, 40) {
    uint32_t all = i < 32 ? UINT32_MAX : 0xff; /* 8 lanes live in the second warp */
    assert_out(4 * i, (0x11111111u << (i & 3)) & all);
    assert_out(4 * i + 1, all);
    assert_out(4 * i + 2, 0);
    assert_out(4 * i + 3, 1);
  }
  vm_close(&vm);
}

static void reductions(void **state) {
  (void)state;
  struct vm vm;
  /* Odd lanes only; the even ones do not take part. */
  vm_once(&vm,
          KERNEL("and.b32 %r0, %r30, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra skip;\n"
                 "sub.s32 %r1, %r30, 9;\n"
                 "redux.sync.min.s32 %r2, %r1, 0xaaaaaaaa;\n"
                 "redux.sync.min.u32 %r3, %r1, 0xaaaaaaaa;\n"
                 "redux.sync.xor.b32 %r4, %r30, 0xaaaaaaaa;\n"
                 "redux.sync.and.b32 %r5, %r30, 0xaaaaaaaa;\n"
                 "shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10; add.u64 %d0, %d0, %d30;\n"
                 "st.global.v4.u32 [%d0], {%r2, %r3, %r4, %r5};\n"
                 "skip:"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    assert_out(4 * i, i % 2 ? -8 : 0);
    assert_out(4 * i + 1, 0); /* lane 9 brings 0 */
    assert_out(4 * i + 2, 0);
    assert_out(4 * i + 3, i % 2);
  }
  vm_close(&vm);
}

/* The lowest lane of the mask leads, also where the lanes come from two places. */
static void elections(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("mov.u32 %r1, 0; setp.lt.u32 %p2, %r30, 3; @%p2 bra join;\n"
                 "and.b32 %r0, %r30, 1; setp.eq.u32 %p0, %r0, 0; @%p0 bra even;\n"
                 "elect.sync %r1|%p1, 0xfffffff8; bra join;\n"
                 "even: elect.sync %r1|%p1, 0xfffffff8;\n"
                 "join: selp.u32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2;\n"
                 "elect.sync _|%p3, -1; @%p3 add.u32 %r1, %r1, 1000;\n"
                 "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, (i == 0 ? 1000 : 0) + (i < 3 ? 0 : i == 3 ? 103 : 3));
  vm_close(&vm);
}

/* Before sm_70: whoever is active takes part. */
static void without_sync(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  static const char text[] = KERNEL("setp.lt.u32 %p0, %r30, 8; @!%p0 bra skip;\n"
                                    "shfl.down.b32 %r0|%p1, %r30, 2, 31;\n"
                                    "vote.ballot.b32 %r1, %p0;\n"
                                    "vote.all.pred %p2, %p0;\n"
                                    "selp.u32 %r2, 4096, 0, %p2;\n"
                                    "mad.lo.u32 %r0, %r1, 16, %r0; add.u32 %r0, %r0, %r2;\n"
                                    "st.global.u32 [%d31], %r0;\n"
                                    "skip:");
  char old[sizeof text + 64];
  strcpy(old, ".version 6.0\n.target sm_60\n.address_size 64\n");
  strcat(old, text);
  struct ptx_diags diags = {0};
  if (ptx_parse(old, strlen(old), "old.ptx", &vm.module, &diags) != WEIR_OK)
    fail_msg("%s", diags.v[0].msg);
  assert_int_equal(ptx_device_init(&vm.dev, &vm.cfg, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_load(&vm.dev, vm.module, &vm.image, &vm.err), WEIR_OK);
  assert_int_equal(ptx_mem_alloc(&vm.dev.mem, 4096, 0, "out", false, &vm.out_addr, &vm.err),
                   WEIR_OK);
  vm.out = (uint32_t *)(void *)ptx_mem_host(&vm.dev.mem, vm.out_addr);
  vm_run(&vm, "k", LINE(1, 32));
  EACH_WORD(i, 6) assert_out(i, 0xff * 16 + i + 2 + 4096);
  EACH_WORD(i, 32) {
    if (i >= 8) assert_out(i, 0);
  }
  vm_close(&vm);
}

/* A guarded exchange: lanes whose guard is false do not take part and are not waited for. */
static void guarded_exchange(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.lt.u32 %p0, %r30, 12; mov.u32 %r1, 77;\n"
                 "@%p0 redux.sync.add.u32 %r1, 1, 0xfff;\n"
                 "@!%p0 redux.sync.add.u32 %r1, 2, 0xfffff000;\n"
                 "activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r1, %r2, 1000, %r1;\n"
                 "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 32000 + (i < 12 ? 12 : 40));
  vm_close(&vm);
}

/* Lanes that have exited are not waited for. */
static void exchange_after_exit(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.ge.u32 %p0, %r30, 20; @%p0 bra wait;\n"
                 "setp.lt.u32 %p1, %r30, 5; @%p1 exit;\n"
                 "add.u32 %r0, %r30, 0;\n"
                 "wait: vote.sync.ballot.b32 %r1, 1, -1;\n"
                 "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i < 5 ? 0 : 0xffffffe0);
  vm_close(&vm);
}

/* ---- barriers ---- */

static void barrier(void **state) {
  (void)state;
  struct vm vm;
  /* Each thread reads what the thread at the other end of the block wrote, several times over. */
  for (uint32_t threads = 1; threads <= 1024; threads = threads * 3 + 1) {
    vm_once(&vm,
            KERNEL(".shared .align 4 .b8 s[4096];\n"
                   "mov.u64 %d0, s; mul.wide.u32 %d1, %r30, 4; add.u64 %d1, %d1, %d0;\n"
                   "sub.u32 %r0, %r29, 1; sub.u32 %r0, %r0, %r30; mul.wide.u32 %d2, %r0, 4;\n"
                   "add.u64 %d2, %d2, %d0; mov.u32 %r5, %r30; mov.u32 %r6, 0;\n"
                   "again: st.shared.u32 [%d1], %r5; bar.sync 0; ld.shared.u32 %r5, [%d2];\n"
                   "barrier.sync 15; add.u32 %r5, %r5, 1; add.u32 %r6, %r6, 1;\n"
                   "setp.lt.u32 %p0, %r6, 5; @%p0 bra again;\n"
                   "st.global.u32 [%d31], %r5;"),
            LINE(2, threads));
    EACH_WORD(i, 2 * threads) assert_out(i, threads - 1 - i % threads + 5);
    assert_int_equal(vm.stats.barriers, 2 * 10 * ((threads + 31) / 32));
    vm_close(&vm);
  }
}

/* Pairs of warps use a barrier of their own; producers only arrive. */
static void named_barriers(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL(".shared .align 4 .b8 s[1024];\n"
                 "shr.u32 %r0, %r30, 6; add.u32 %r1, %r0, 1; and.b32 %r2, %r30, 63;\n"
                 "mov.u64 %d0, s; and.b32 %r3, %r30, 31; mad.lo.u32 %r4, %r0, 32, %r3;\n"
                 "mul.wide.u32 %d1, %r4, 4; add.u64 %d1, %d1, %d0;\n"
                 "setp.ge.u32 %p0, %r2, 32; @%p0 bra produce;\n"
                 "bar.sync %r1, 64;\n"
                 "ld.shared.u32 %r5, [%d1]; st.global.u32 [%d31], %r5; bra done;\n"
                 "produce: mov.u32 %r6, 0;\n"
                 "spin: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 300; @%p1 bra spin;\n"
                 "mul.lo.u32 %r7, %r4, 7; st.shared.u32 [%d1], %r7;\n"
                 "bar.arrive %r1, 64;\n"
                 "done:"),
          LINE(1, 256));
  EACH_WORD(i, 256) assert_out(i, i % 64 < 32 ? 7 * (i / 64 * 32 + i % 32) : 0);
  vm_close(&vm);
}

static void reducing_barriers(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.lt.u32 %p0, %r30, 70; setp.lt.u32 %p1, %r30, 1000;\n"
                 "bar.red.popc.u32 %r0, 0, %p0;\n"
                 "bar.red.popc.u32 %r1, 0, !%p0;\n"
                 "bar.red.and.pred %p2, 1, %p0; bar.red.and.pred %p3, 1, %p1;\n"
                 "bar.red.or.pred %p4, 2, %p0; bar.red.or.pred %p5, 2, !%p1;\n"
                 "selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; or.b32 %r2, %r2, %r3;\n"
                 "selp.u32 %r3, 4, 0, %p4; or.b32 %r2, %r2, %r3; selp.u32 %r3, 8, 0, %p5;\n"
                 "or.b32 %r2, %r2, %r3;\n"
                 "mad.lo.u32 %r0, %r0, 1000, %r1; mad.lo.u32 %r0, %r0, 16, %r2;\n"
                 "st.global.u32 [%d31], %r0;"),
          LINE(2, 100));
  EACH_WORD(i, 200) assert_out(i, (70 * 1000 + 30) * 16 + 2 + 4);
  vm_close(&vm);
}

/* Threads, then whole warps, exit early; the others' barriers do not wait for them. */
static void barrier_after_exit(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.ge.u32 %p0, %r30, 70; @%p0 exit;\n"
                 "bar.sync 0;\n"
                 "setp.lt.u32 %p0, %r30, 32; @%p0 exit;\n"
                 "bar.red.popc.u32 %r0, 0, 1;\n"
                 "st.global.u32 [%d31], %r0;"),
          LINE(1, 128));
  EACH_WORD(i, 128) assert_out(i, i >= 32 && i < 70 ? 38 : 0);
  vm_close(&vm);
}

/* Lanes of one warp reach the same barrier from both sides of a branch. */
static void barrier_from_two_splits(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL(".shared .u32 s; and.b32 %r0, %r30, 1; setp.eq.u32 %p0, %r0, 1; @%p0 bra odd;\n"
                 "barrier.sync 0; bra done;\n"
                 "odd: red.shared.add.u32 [s], 1; barrier.sync 0;\n"
                 "done: ld.shared.u32 %r1, [s]; st.global.u32 [%d31], %r1;"),
          LINE(1, 96));
  EACH_WORD(i, 96) assert_out(i, 48);
  vm_close(&vm);
}

/* A sum whose barrier stands inside the condition, before any other branch of the kernel: those who
 * do not add wait behind it, and must not wait for ever. */
static void barrier_in_condition(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL(".shared .align 4 .b8 s[512]; mov.u64 %d0, s; mul.wide.u32 %d1, %r30, 4;\n"
                 "add.u64 %d1, %d1, %d0; st.shared.u32 [%d1], %r30; bar.sync 0; mov.u32 %r5, 64;\n"
                 "loop: setp.ge.u32 %p0, %r30, %r5; @%p0 bra skip;\n"
                 "mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d2, %d1; ld.shared.u32 %r6, [%d2];\n"
                 "ld.shared.u32 %r7, [%d1]; add.u32 %r7, %r7, %r6; st.shared.u32 [%d1], %r7;\n"
                 "bar.sync 0; skip: shr.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra loop;\n"
                 "ld.shared.u32 %r7, [s]; st.global.u32 [%d31], %r7;"),
          LINE(1, 128));
  assert_out(0, 127 * 64);
  vm_close(&vm);
}

/* What the streams of block 0 say of barriers: "warp: id.warps" with > for an arrival and - where
 * lanes are missing. */
static void barrier_records(struct vm *vm, struct weir_block_stream *b,
                            const struct weir_kernel_info *info, char *text, size_t len) {
  for (uint32_t k = 0; k < b->n_warps; k++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    size_t at = strlen(text);
    snprintf(text + at, len - at, "%s%u:", at ? " " : "", k);
    weir_reader_open(&r, &b->warps[k], info, false);
    while (weir_next(&r, &d)) {
      const struct weir_static *s = &info->insns[d.insn];
      if (s->cls != WEIR_C_BARRIER) continue;
      struct weir_barrier x = weir_barrier_of(s, &d);
      at = strlen(text);
      snprintf(text + at, len - at, " %s%u.%u%s", s->bar_arrive ? ">" : "", x.id, x.warps,
               x.is_partial ? "-" : "");
    }
    if (weir_reader_error(&r, &vm->err) != WEIR_OK) fail_msg("%s", vm->err.msg);
    weir_reader_close(&r);
  }
}

static void expect_records(const char *body, uint32_t threads, const char *want) {
  struct vm vm;
  struct ptx_program *prog;
  struct ptx_run *run;
  struct weir_block_stream *b;
  char text[512] = "";
  vm_open(&vm, body);
  assert_int_equal(ptx_program_build(vm.image, "k", &vm.cfg, &prog, &vm.err), WEIR_OK);
  struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = &vm.out_addr};
  assert_int_equal(ptx_run_begin(&vm.dev, prog, &launch, true, &run, &vm.err), WEIR_OK);
  if (ptx_run_next(run, &b, &vm.err) != WEIR_OK) fail_msg("%s", vm.err.msg);
  barrier_records(&vm, b, ptx_run_info(run), text, sizeof text);
  assert_string_equal(text, want);
  ptx_run_stats(run, &vm.stats);
  uint64_t n = 0;
  for (uint32_t k = 0; k < b->n_warps; k++)
    n += b->warps[k].n_insns;
  assert_int_equal(n, vm.stats.warp_insns); /* nothing is lost, nothing written twice */
  ptx_run_release(run, b);
  ptx_run_end(run);
  ptx_program_free(prog);
  vm_close(&vm);
}

/* Timing learns from a warp's stream which barrier it comes to, and when all its lanes have. */
static void streams_of_barriers(void **state) {
  (void)state;
  expect_records(KERNEL("bar.sync 3; barrier.sync 4, 64; bar.red.popc.u32 %r0, 5, 64, %p0;"), 64,
                 "0: 3.0 4.2 5.2 1: 3.0 4.2 5.2");
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 32; mov.u32 %r1, 6; mov.u32 %r2, 64;\n"
                        "@%p0 bra go; bar.arrive 7, %r2; barrier.sync %r1, %r2; bra done;\n"
                        "go: bar.sync 7, 64; bar.sync %r1, 64; done: @!%p0 bar.sync 9;"),
                 64, "0: 7.2 6.2 9.0- 1: >7.2 6.2 9.0");
  /* Both sides of a branch: the warp has come with the second. */
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 7; @%p0 bra low; barrier.sync 1; bra done;\n"
                        "low: barrier.sync 1; done:"),
                 32, "0: 1.0- 1.0");
  /* The others exit: the first was all. */
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 7; @%p0 bra low; barrier.sync 1; bra done;\n"
                        "low: exit; done:"),
                 32, "0: 1.0");
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 7; setp.ge.u32 %p1, %r30, 32; @%p1 bra wait;\n"
                        "@%p0 bra low; bar.arrive 2, 64; bra done; low: exit;\n"
                        "wait: bar.sync 2, 64; done:"),
                 64, "0: >2.2 1: 2.2");
  /* Arrivals from both sides of a branch: lanes wait for their warp, which then goes on. */
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 7; @%p0 bra low; barrier.arrive 1, 32; bra done;\n"
                        "low: barrier.arrive 1, 32; done:"),
                 32, "0: >1.1- >1.1");
  /* In an arm that becomes guarded instructions the warp counts with those who are there. */
  expect_records(KERNEL("setp.lt.u32 %p0, %r30, 7; @%p0 bra low; add.u32 %r1, %r1, 1; bar.sync 1;\n"
                        "low: bar.sync 1;"),
                 32, "0: 1.0 1.0");
}

/* What an H200 refuses as an illegal instruction. */
static void barrier_faults(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL_AS("lanes", "and.b32 %r0, %r30, 1; barrier.sync %r0;")
                   KERNEL_AS("arms", "and.b32 %r0, %r30, 1; setp.eq.u32 %p0, %r0, 1; @%p0 bra b;\n"
                                     "barrier.sync 1; bra done; b: barrier.sync 2; done:")
                       KERNEL_AS("counts", "setp.lt.u32 %p0, %r30, 32; @%p0 bra b;\n"
                                           "bar.sync 1; bra done; b: bar.sync 1, 64; done:")
                           KERNEL_AS("kinds", "setp.lt.u32 %p0, %r30, 32; @%p0 bra b; bar.sync 1;\n"
                                              "bra done; b: bar.red.popc.u32 %r0, 1, %p0; done:"));
  expect_fault(&vm, "lanes", LINE(1, 64), "lanes of one warp come to different barriers");
  expect_fault(&vm, "arms", LINE(1, 64), "lanes of one warp come to different barriers");
  expect_fault(&vm, "counts", LINE(1, 64), "others wait there for another number");
  expect_fault(&vm, "kinds", LINE(1, 64), "some warps reduce there");
  vm_close(&vm);
}

static void barrier_deadlocks(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm,
          KERNEL_AS("a", "setp.lt.u32 %p0, %r30, 32; @%p0 bar.sync 1; @!%p0 bar.sync 2;")
              KERNEL_AS("b", "bar.sync 0, 128;") KERNEL_AS(
                  "c", "setp.lt.u32 %p0, %r30, 1; @%p0 bra x; bar.warp.sync 0xfffffffe;\n"
                       "bar.sync 0; bra y;\n x: vote.sync.ballot.b32 %r0, 1, 3; y:")
                  KERNEL_AS("d", "setp.lt.u32 %p0, %r30, 7; @%p0 bra x; membar.cta; bar.sync 0;\n"
                                 "bra y; x: membar.gl; bar.sync 0; y:"));
  expect_fault(&vm, "a", LINE(1, 64), "warp 1: lanes ffffffff wait at barrier 2");
  expect_fault(&vm, "b", LINE(1, 64), "deadlock");
  expect_fault(&vm, "c", LINE(1, 32), "lanes 00000001 wait for lanes 00000003");
  expect_fault(&vm, "d", LINE(1, 32),
               "lanes 0000007f wait at barrier 0 for the rest of their warp");
  expect_fault(&vm, "d", LINE(1, 32), "remedy: bar.sync (__syncthreads) is for whole warps");
  vm_close(&vm);
}

/* ---- progress ---- */

/* A lock taken by one lane at a time: lanes that spin must let the holder go on. */
static void lane_lock(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".global .u32 lock; .global .u32 count;\n" KERNEL(
              "again: atom.global.cas.b32 %r0, [lock], 0, 1; setp.ne.u32 %p0, %r0, 0;\n"
              "@%p0 bra again;\n"
              "ld.volatile.global.u32 %r1, [count]; add.u32 %r1, %r1, 1;\n"
              "st.volatile.global.u32 [count], %r1; membar.gl;\n"
              "atom.global.exch.b32 %r2, [lock], 0;\n"
              "st.global.u32 [%d31], %r1;"),
          LINE(3, 64));
  uint64_t addr, bytes;
  assert_int_equal(ptx_image_var(vm.image, "count", &addr, &bytes, &vm.err), WEIR_OK);
  assert_int_equal(*(uint32_t *)(void *)ptx_mem_host(&vm.dev.mem, addr), 192);
  bool seen[193] = {0}; /* every thread saw a count of its own */
  EACH_WORD(i, 192) {
    assert_in_range(vm.out[i], 1, 192);
    assert_false(seen[vm.out[i]]);
    seen[vm.out[i]] = true;
  }
  vm_close(&vm);
}

/* Warp 1 produces through shared memory; warp 0 spins. */
static void warp_pipe(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      KERNEL(".shared .u32 flag; .shared .align 4 .b8 data[128];\n"
             "mov.u64 %d0, data; and.b32 %r0, %r30, 31; mul.wide.u32 %d1, %r0, 4;\n"
             "add.u64 %d1, %d1, %d0; setp.ge.u32 %p0, %r30, 32; @%p0 bra produce;\n"
             "wait: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra wait;\n"
             "ld.shared.u32 %r2, [%d1]; st.global.u32 [%d31], %r2; bra done;\n"
             "produce: mul.lo.u32 %r3, %r0, 3; st.shared.u32 [%d1], %r3; membar.cta;\n"
             "bar.warp.sync -1; setp.eq.u32 %p2, %r0, 0; @%p2 st.volatile.shared.u32 [flag], 1;\n"
             "done:"),
      LINE(1, 64));
  EACH_WORD(i, 32) assert_out(i, 3 * i);
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shuffles),
      cmocka_unit_test(shuffles_of_missing_lanes),
      cmocka_unit_test(exchange_from_two_splits),
      cmocka_unit_test(votes),
      cmocka_unit_test(groups_by_mask),
      cmocka_unit_test(matches),
      cmocka_unit_test(reductions),
      cmocka_unit_test(without_sync),
      cmocka_unit_test(guarded_exchange),
      cmocka_unit_test(exchange_after_exit),
      cmocka_unit_test(barrier),
      cmocka_unit_test(named_barriers),
      cmocka_unit_test(reducing_barriers),
      cmocka_unit_test(barrier_after_exit),
      cmocka_unit_test(barrier_from_two_splits),
      cmocka_unit_test(barrier_in_condition),
      cmocka_unit_test(streams_of_barriers),
      cmocka_unit_test(barrier_faults),
      cmocka_unit_test(barrier_deadlocks),
      cmocka_unit_test(lane_lock),
      cmocka_unit_test(warp_pipe),
      cmocka_unit_test(elections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
