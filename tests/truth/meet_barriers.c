/* Kernels in which threads come to barriers from different places.
 *
 * %t is the thread, %l its lane, %k its warp, from memory: an assembler does not know them. Results
 * are %r20 to %r23. A thread says that it comes (CAME), and after the barrier looks at who has come
 * (SEES): so the results tell for whom the barrier waited. LATE takes some time, so that who does
 * not wait is surely first. WATCH waits for a counter, but not for ever: 1 if it saw it. */
#include "meet_barriers.h"

#define CAME(k)    "  red.global.add.u32 [%n+4*" #k "], 1; membar.gl;\n"
#define SEES(r, k) "  ld.volatile.global.u32 " r ", [%n+4*" #k "];\n"
#define LATE(id)                                                                                   \
  "  mov.u32 %r10, 0;\nlate" #id ": ld.volatile.global.u32 %r11, [%n+252];\n  add.u32 %r10, "      \
  "%r10, 1;\n  add.u32 %r10, %r10, %r11;\n"                                                        \
  "  setp.lt.u32 %p9, %r10, 400;\n  @%p9 bra late" #id ";\n"
#define WATCH(id, r, k)                                                                            \
  "  mov.u32 %r10, 0;\nwatch" #id ": ld.volatile.global.u32 %r11, [%n+4*" #k                       \
  "];\n  add.u32 %r10, %r10, 1;\n  setp.ne.u32 %p9, %r11, 0;\n  @%p9 bra saw" #id ";\n"            \
  "  setp.lt.u32 %p9, %r10, 20000;\n  @%p9 bra watch" #id ";\nsaw" #id ": selp.u32 " r             \
  ", 1, 0, %p9;\n"
#define IF(p, cond, label) "  setp." cond ";\n  @" p " bra " label ";\n"
#define ODD(p, label)                                                                              \
  "  and.b32 %r2, %l, 1;\n  setp.eq.u32 " p ", %r2, 1;\n  @" p " bra " label ";\n"
#define HIGH(p, label) "  setp.ge.u32 " p ", %l, 16;\n  @" p " bra " label ";\n"
#define GO(label)      "  bra " label ";\n"

/* A word of shared memory for each thread, 7 at first: %u2 its own, %u3 its neighbour's. */
#define BOARD                                                                                      \
  "  .shared .u32 board[128];\n  mov.u64 %u1, board;\n  mad.wide.u32 %u2, %t, 4, %u1;\n"           \
  "  xor.b32 %r3, %t, 1;\n  mad.wide.u32 %u3, %r3, 4, %u1;\n  st.shared.u32 [%u2], 7;\n"           \
  "  bar.sync 0;\n"

static const char helper[] =
    ".visible .func meets(.param .u64 at)\n{\n  .reg .b64 %n;\n  ld.param.u64 %n, [at];\n"
    "  red.global.add.u32 [%n], 1;\n  membar.gl;\n  barrier.sync 0;\n  ret;\n}\n";

const struct meet_barrier meet_barriers[] = {
    /* ---- one barrier, several places ---- */
    {"both arms", 96, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0)
         SEES("%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"both arms, halves", 64, NULL,
     HIGH("%p1", "B") LATE(1) CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES(
         "%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" CAME(1) "  $.sync 0;\n" SEES("%r20", 0)
         SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"both arms, one warp", 32, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0)
         SEES("%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"both arms, counted", 96, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 3, 96;\n" SEES("%r20", 0)
         SEES("%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 3, 96;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"both arms, partial block", 40, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0)
         SEES("%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"arms by warp", 96, NULL,
     "  and.b32 %r2, %k, 1;\n" IF("%p1", "eq.u32 %p1, %r2, 1", "B") CAME(0) "  $.sync 0;\n" SEES(
         "%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
         CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"four arms", 64, NULL,
     "  and.b32 %r2, %l, 3;\n" IF("%p1", "eq.u32 %p1, %r2, 1", "B")
         IF("%p1", "eq.u32 %p1, %r2, 2", "C") IF("%p1", "eq.u32 %p1, %r2, 3", "D")
             CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) SEES("%r22", 2) SEES("%r23", 3)
                 GO("END") "B:\n" CAME(1) "  $.sync 0;\n" SEES("%r21", 1) SEES("%r20", 0)
                     SEES("%r22", 2) SEES("%r23",
                                          3) "  add.u32 %r20, %r20, 100;\n" GO("END") "C:\n" LATE(1)
                         CAME(2) "  $.sync 0;\n" SEES("%r22", 2) SEES("%r20", 0) SEES("%r21", 1)
                             SEES("%r23", 3) "  add.u32 %r20, %r20, 200;\n" GO("END") "D:\n" CAME(
                                 3) "  $.sync 0;\n" SEES("%r23", 3) SEES("%r20", 0) SEES("%r21", 1)
                                 SEES("%r22", 2) "  add.u32 %r20, %r20, 300;\n"},
    {"nested arms", 64, NULL,
     HIGH("%p1", "C") ODD("%p2", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         SEES("%r22", 2) "  mov.u32 %r23, 1;\n" GO("END") "B:\n" LATE(1) CAME(
             1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
             SEES("%r22", 2) "  mov.u32 %r23, 2;\n" GO("END") "C:\n" CAME(2) "  $.sync 0;\n" SEES(
                 "%r20", 0) SEES("%r21", 1) SEES("%r22", 2) "  mov.u32 %r23, 3;\n"},
    {"in a function", 64, helper,
     ODD("%p1", "B") "  {\n  .param .u64 q;\n  st.param.u64 [q], %n;\n  call meets, (q);\n  "
                     "}\n" SEES("%r20", 0) "  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(
                         1) "  {\n  .param .u64 q;\n  st.param.u64 [q], %n;\n  call meets, (q);\n  "
                            "}\n" SEES("%r20", 0) "  mov.u32 %r22, 2;\n"},
    {"twice in both arms", 64, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         CAME(2) "  $.sync 0;\n" SEES("%r22", 2) SEES("%r23", 3) GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) LATE(2) CAME(
                 3) "  $.sync 0;\n" SEES("%r22", 2) SEES("%r23", 3) "  add.u32 %r20, %r20, 100;\n"},
    /* ---- not everyone comes ---- */
    {"one arm, others exit", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) GO("END") "B:\n  exit;\n"},
    {"one arm, others exit late", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n" LATE(1) CAME(1) "  exit;\n"},
    {"one arm, others around", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) "B:\n"},
    {"one arm, others around late", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n" LATE(1) CAME(1) "  mov.u32 %r22, 7;\n"},
    {"two against one", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 1)
         CAME(2) "  $.sync 0;\n" SEES("%r21", 1) GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r22", 0) "  mov.u32 %r23, 7;\n"},
    {"exits before", 96, NULL,
     "  setp.ge.u32 %p1, %t, 52;\n  @%p1 exit;\n" CAME(0) "  $.sync 0;\n" SEES(
         "%r20",
         0) "  setp.lt.u32 %p1, %t, 32;\n  @%p1 bra END;\n" CAME(1) "  $.sync 0;\n" SEES("%r21",
                                                                                         1)},
    {"exits before, counted", 96, NULL,
     "  setp.ge.u32 %p1, %t, 52;\n  @%p1 exit;\n" CAME(0) "  $.sync 2, 64;\n" SEES("%r20", 0)},
    {"exits before, all counted", 96, NULL,
     "  setp.ge.u32 %p1, %t, 52;\n  @%p1 exit;\n" CAME(0) "  $.sync 2, 96;\n" SEES("%r20", 0)},
    {"partial block, counted", 40, NULL, CAME(0) "  $.sync 2, 64;\n" SEES("%r20", 0)},
    {"others watch", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) CAME(1)
         GO("END") "B:\n" WATCH(1, "%r21", 1)},
    {"others watch, then all", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) CAME(1)
         GO("C") "B:\n" WATCH(1, "%r21", 1) "C:\n  $.sync 0;\n  mov.u32 %r22, 5;\n"},
    {"a warp watches, then all", 64, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) CAME(1)
         GO("C") "B:\n" WATCH(1, "%r21", 1) "C:\n  $.sync 0;\n  mov.u32 %r22, 5;\n"},
    {"others at their warp's barrier", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n  bar.warp.sync 0xffff0000;\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1) "  mov.u32 %r22, 2;\n"},
    {"others at the warp's barrier", 64, NULL,
     HIGH("%p1", "B")
         CAME(0) "  $.sync 0;\n" SEES("%r20", 0) "  bar.warp.sync -1;\n  mov.u32 %r22, 1;\n" GO(
             "END") "B:\n  bar.warp.sync -1;\n  mov.u32 %r22, 2;\n"},
    {"others at the warp's barrier first", 64, NULL,
     HIGH("%p1", "B")
         CAME(0) "  $.sync 0;\n" SEES("%r20", 0) "  bar.warp.sync -1;\n  mov.u32 %r22, 1;\n" GO(
             "END") "B:\n  bar.warp.sync -1;\n" LATE(1) "  $.sync 0;\n  mov.u32 %r22, 2;\n"},
    {"others shuffle", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n  shfl.sync.bfly.b32 %r22, %t, 3, 31, 0xffff0000;\n" CAME(
             1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)},
    /* ---- loops ---- */
    {"trips by lane", 64, NULL,
     "  and.b32 %r5, %l, 3;\n  mov.u32 %r6, 0;\n  mov.u64 %u1, %n;\nloop:\n  red.global.add.u32 "
     "[%u1], "
     "1; membar.gl;\n  $.sync 0;\n  ld.volatile.global.u32 %r7, [%u1];\n  mad.lo.u32 %r20, %r20, "
     "100, "
     "%r7;\n  add.u64 %u1, %u1, 4;\n  add.u32 %r6, %r6, 1;\n" IF("%p1", "le.u32 %p1, %r6, %r5",
                                                                 "loop")},
    {"trips by warp", 96, NULL,
     "  mov.u32 %r6, 0;\n  mov.u64 %u1, %n;\nloop:\n  red.global.add.u32 [%u1], 1; membar.gl;\n"
     "  $.sync 0;\n  ld.volatile.global.u32 %r7, [%u1];\n  mad.lo.u32 %r20, %r20, 100, %r7;\n"
     "  add.u64 %u1, %u1, 4;\n  add.u32 %r6, %r6, 1;\n" IF("%p1", "le.u32 %p1, %r6, %k", "loop")},
    /* A reduction with its barrier inside the condition. */
    {"tree", 128, NULL,
     "  .shared .u32 part[128];\n  mov.u64 %u1, part;\n  mad.wide.u32 %u2, %t, 4, %u1;\n"
     "  st.shared.u32 [%u2], %t;\n  bar.sync 0;\n  mov.u32 %r5, 64;\nloop:\n" IF(
         "%p1", "ge.u32 %p1, %t, %r5",
         "skip") "  mad.wide.u32 %u3, %r5, 4, %u2;\n  ld.shared.u32 %r6, [%u3];\n  ld.shared.u32 "
                 "%r7, [%u2];\n"
                 "  add.u32 %r7, %r7, %r6;\n  st.shared.u32 [%u2], %r7;\n  $.sync 0;\nskip:\n  "
                 "shr.u32 %r5, %r5, "
                 "1;\n" IF("%p1", "ne.u32 %p1, %r5, 0",
                           "loop") "  ld.shared.u32 %r20, [%u2];\n"
                                   "  setp.eq.u32 %p1, %t, 0;\n  selp.u32 %r20, %r20, 0, %p1;\n"},
    /* ---- counts ---- */
    {"counted, part of a warp", 64, NULL,
     IF("%p1", "ge.u32 %p1, %t, 48", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0)
         SEES("%r21", 1) GO("END") "B:\n" LATE(1) CAME(1) "  mov.u32 %r22, 7;\n"},
    {"counted, part of a warp, then all", 64, NULL,
     IF("%p1", "ge.u32 %p1, %t, 48", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0)
         SEES("%r21", 1) GO("C") "B:\n" LATE(1) CAME(1) "C:\n  $.sync 0;\n  mov.u32 %r22, 7;\n"},
    {"counted, half warps as two", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n" LATE(1) CAME(1) "  mov.u32 %r22, 7;\n"},
    {"counted, half warps as two, then all", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("C") "B:\n" LATE(1) CAME(1) "C:\n  $.sync 0;\n  mov.u32 %r22, 7;\n"},
    {"counted, half a warp", 32, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 1, 32;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n" LATE(1) CAME(1) "  mov.u32 %r22, 7;\n"},
    {"counted, both halves of a warp", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") HIGH("%p1", "B")
         CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1) GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1) GO("END") "D:\n" LATE(2)
                 CAME(2) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1) SEES("%r22", 2)},
    {"counts differ, small last", 96, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1", "B") LATE(1) CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0)
         GO("END") "B:\n" CAME(1) "  $.sync 1, 96;\n" SEES("%r20", 0)},
    {"counts differ, small first", 96, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1", "B") CAME(0) "  $.sync 1, 64;\n  mov.u32 %r20, 1;\n" GO(
         "END") "B:\n" LATE(1) CAME(1) "  $.sync 1, 96;\n  mov.u32 %r20, 2;\n"},
    {"counted and not", 64, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1)
         GO("END") "B:\n" LATE(1) CAME(1) "  $.sync 1;\n" SEES("%r20", 0) SEES("%r21", 1)},
    {"more than there are", 64, NULL, CAME(0) "  $.sync 1, 128;\n" SEES("%r20", 0)},
    {"count of 40", 64, NULL, "  add.u32 %r5, %a, 40;\n  $.sync 1, %r5;\n  mov.u32 %r20, 1;\n"},
    {"count of none", 64, NULL, "  add.u32 %r5, %a, 0;\n  $.sync 1, %r5;\n  mov.u32 %r20, 1;\n"},
    {"count of 2080", 64, NULL, "  add.u32 %r5, %a, 2080;\n  $.sync 1, %r5;\n  mov.u32 %r20, 1;\n"},
    {"barrier 16", 64, NULL, "  add.u32 %r5, %a, 16;\n  $.sync %r5;\n  mov.u32 %r20, 1;\n"},
    {"barrier 17, counted", 64, NULL,
     "  add.u32 %r5, %a, 17;\n  $.sync %r5, 64;\n  mov.u32 %r20, 1;\n"},
    /* ---- two barriers ---- */
    {"two ids by warp", 64, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1",
        "B") "  $.sync 1;\n  mov.u32 %r20, 1;\n" GO("END") "B:\n  $.sync 2;\n  mov.u32 %r20, 2;\n"},
    {"two ids by warp, then exit", 96, NULL,
     IF("%p1", "ge.u32 %p1, %k, 1", "B") "  $.sync 1, 32;\n" LATE(1) "  mov.u32 %r20, 1;\n" GO(
         "END") "B:\n  $.sync 2;\n  mov.u32 %r20, 2;\n"},
    {"two ids by lane", 64, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 1;\n" SEES("%r20", 0) GO("END") "B:\n" LATE(1)
         CAME(1) "  $.sync 2;\n" SEES("%r20", 1) "  mov.u32 %r21, 2;\n"},
    {"two ids by lane, counted", 64, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) GO("END") "B:\n" LATE(1)
         CAME(1) "  $.sync 2, 64;\n" SEES("%r20", 1) "  mov.u32 %r21, 2;\n"},
    {"two ids by lane, one warp", 32, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 1, 32;\n" SEES("%r20", 0) GO("END") "B:\n" LATE(1)
         CAME(1) "  $.sync 2, 32;\n" SEES("%r20", 1) "  mov.u32 %r21, 2;\n"},
    {"two ids by lane, then both", 64, NULL,
     ODD("%p1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) GO("C") "B:\n" LATE(1) CAME(
         1) "  $.sync 2, 64;\n" SEES("%r20", 1) "C:\n" CAME(2) "  $.sync 0;\n" SEES("%r22", 2)},
    {"two ids crossed", 64, NULL,
     ODD("%p1", "B") "  $.sync 1;\n  $.sync 2;\n  mov.u32 %r20, 1;\n" GO(
         "END") "B:\n  $.sync 2;\n  $.sync 1;\n  mov.u32 %r20, 2;\n"},
    {"two ids crossed, counted", 64, NULL,
     ODD("%p1", "B") "  $.sync 1, 64;\n  $.sync 2, 64;\n  mov.u32 %r20, 1;\n" GO(
         "END") "B:\n  $.sync 2, 64;\n  $.sync 1, 64;\n  mov.u32 %r20, 2;\n"},
    {"id of each lane", 64, NULL,
     "  and.b32 %r5, %l, 1;\n  add.u32 %r5, %r5, 1;\n" CAME(0) "  $.sync %r5;\n" SEES("%r20", 0)},
    {"id of each lane, counted", 64, NULL,
     "  and.b32 %r5, %l, 1;\n  add.u32 %r5, %r5, 1;\n" CAME(0) "  $.sync %r5, 64;\n" SEES("%r20",
                                                                                          0)},
    {"id of each warp, counted", 64, NULL,
     "  add.u32 %r5, %k, 1;\n" CAME(0) "  $.sync %r5, 32;\n  mov.u32 %r20, 1;\n"},
    {"count of each lane", 64, NULL,
     "  and.b32 %r5, %l, 1;\n  mad.lo.u32 %r5, %r5, 32, 64;\n" CAME(0) "  $.sync 1, %r5;\n" SEES(
         "%r20", 0)},
    {"half at a barrier of its own", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 1, 64;\n" SEES("%r20", 0) GO("C") "B:\n" LATE(1) CAME(
         1) "  $.sync 0;\n  mov.u32 %r20, 9;\n" GO("END") "C:\n  $.sync 0;\n  mov.u32 %r21, 3;\n"},
    /* ---- reductions ---- */
    {"popc in both arms", 96, NULL,
     ODD("%p1", "B") "  setp.lt.u32 %p2, %t, 50;\n  $.red.popc.u32 %r20, 0, %p2;\n  mov.u32 %r22, "
                     "1;\n" GO("END") "B:\n" LATE(
                         1) "  setp.gt.u32 %p2, %t, 70;\n  $.red.popc.u32 %r20, 0, !%p2;\n"
                            "  mov.u32 %r22, 2;\n"},
    {"popc in both arms, counted", 64, NULL,
     HIGH("%p1",
          "B") "  setp.lt.u32 %p2, %t, 40;\n  $.red.popc.u32 %r20, 1, 64, %p2;\n  mov.u32 %r22, "
               "1;\n" GO(
                   "END") "B:\n  setp.gt.u32 %p2, %t, 20;\n  $.red.popc.u32 %r20, 1, 64, %p2;\n"
                          "  mov.u32 %r22, 2;\n"},
    {"and, or in both arms", 96, NULL,
     ODD("%p1", "B") "  setp.lt.u32 %p2, %t, 500;\n  setp.gt.u32 %p3, %t, 93;\n  $.red.and.pred "
                     "%p4, 0, %p2;\n"
                     "  $.red.or.pred %p5, 0, %p3;\n" GO("C") "B:\n" LATE(
                         1) "  setp.ne.u32 %p2, %t, 7;\n  setp.gt.u32 %p3, "
                            "%t, 93;\n  $.red.and.pred %p4, 0, %p2;\n  $.red.or.pred %p5, 0, "
                            "%p3;\n  mov.u32 %r22, 2;\n"
                            "C:\n  selp.u32 %r20, 1, 0, %p4;\n  selp.u32 %r21, 1, 0, %p5;\n"},
    {"and true in both arms", 64, NULL,
     ODD("%p1", "B") "  setp.lt.u32 %p2, %t, 500;\n  $.red.and.pred %p4, 0, %p2;\n" GO(
         "C") "B:\n" LATE(1) "  setp.ne.u32 %p2, %t, 700;\n  $.red.and.pred %p4, 0, %p2;\n  "
                             "mov.u32 %r22, 2;\n"
                             "C:\n  selp.u32 %r20, 1, 0, %p4;\n"},
    {"popc, others exit", 96, NULL,
     HIGH("%p1", "B") "  setp.lt.u32 %p2, %t, 70;\n  $.red.popc.u32 %r20, 0, %p2;\n" GO(
         "END") "B:\n" LATE(1) "  exit;\n"},
    {"and, others exit", 96, NULL,
     HIGH("%p1",
          "B") "  setp.lt.u32 %p2, %l, 16;\n  $.red.and.pred %p3, 0, %p2;\n  selp.u32 %r20, 1, 0, "
               "%p3;\n" GO("END") "B:\n" LATE(1) "  exit;\n"},
    {"popc, partial block", 40, NULL,
     "  setp.lt.u32 %p2, %t, 500;\n  $.red.popc.u32 %r20, 0, %p2;\n  $.red.popc.u32 %r21, 1, 64, "
     "%p2;\n"
     "  $.red.and.pred %p3, 2, %p2;\n  selp.u32 %r22, 1, 0, %p3;\n"},
    {"popc, others around", 64, NULL,
     HIGH("%p1", "B") "  setp.lt.u32 %p2, %t, 40;\n  $.red.popc.u32 %r20, 0, %p2;\n" GO(
         "END") "B:\n" LATE(1) "  mov.u32 %r21, 7;\n"},
    {"popc and sync", 64, NULL,
     ODD("%p1", "B") "  setp.lt.u32 %p2, %t, 40;\n  $.red.popc.u32 %r20, 0, %p2;\n" GO(
         "END") "B:\n" LATE(1) "  $.sync 0;\n  mov.u32 %r21, 7;\n"},
    {"popc and sync by warp", 96, NULL,
     IF("%p1", "eq.u32 %p1, %k, 1",
        "B") "  setp.lt.u32 %p2, %t, 80;\n  $.red.popc.u32 %r20, 0, "
             "%p2;\n" GO("END") "B:\n" LATE(1) "  $.sync 0;\n  mov.u32 %r21, 7;\n"},
    {"and, or, sync by warp", 96, NULL,
     IF("%p1", "eq.u32 %p1, %k, 1",
        "B") "  setp.lt.u32 %p2, %t, 800;\n  $.red.and.pred %p3, 0, %p2;\n"
             "  selp.u32 %r20, 1, 0, %p3;\n" GO("END") "B:\n" LATE(
                 1) "  $.sync 0;\n  mov.u32 %r21, 7;\n"},
    {"popc and and by warp", 64, NULL,
     IF("%p1", "eq.u32 %p1, %k, 1",
        "B") "  setp.lt.u32 %p2, %t, 20;\n  $.red.popc.u32 %r20, 0, "
             "%p2;\n" GO("END") "B:\n" LATE(1) "  setp.lt.u32 %p2, %t, 200;\n  $.red.and.pred "
                                               "%p3, 0, %p2;\n  selp.u32 %r20, 1, 0, %p3;\n"},
    {"popc after popc", 64, NULL,
     ODD("%p1", "B") "  setp.lt.u32 %p2, %t, 40;\n  $.red.popc.u32 %r20, 0, %p2;\n  $.red.popc.u32 "
                     "%r21, 0, "
                     "!%p2;\n" GO("END") "B:\n" LATE(1) "  setp.lt.u32 %p2, %t, 50;\n  "
                                                        "$.red.popc.u32 %r20, 0, %p2;\n" LATE(
                                                            2) "  $.red.popc.u32 %r21, 0, !%p2;\n  "
                                                               "mov.u32 %r22, 2;\n"},
    /* ---- arrivals ---- */
    {"half arrives, half waits", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.arrive 1, 64;\n  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(1)
         CAME(1) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 1)},
    {"half arrives, half around", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") HIGH("%p1", "B") LATE(1)
         CAME(0) "  $.arrive 1, 64;\n  mov.u32 %r22, "
                 "1;\n" GO("END") "B:\n" LATE(2) CAME(1)
                     GO("END") "D:\n" CAME(2) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 2)},
    {"half arrives, half late", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") HIGH("%p1", "B")
         CAME(0) "  $.arrive 1, 64;\n  mov.u32 %r22, 1;\n" GO("END") "B:\n" LATE(2) CAME(
             1) "  $.arrive 1, 64;\n" GO("END") "D:\n" CAME(2) "  $.sync 1, 64;\n" SEES("%r20", 0)
             SEES("%r21", 1)},
    {"half arrives twice", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") HIGH("%p1", "END")
         CAME(0) "  $.arrive 1, 96;\n" CAME(1) "  $.arrive 1, 96;\n  mov.u32 %r22, 1;\n" GO(
             "END") "D:\n" CAME(2) "  $.sync 1, 96;\n  mov.u32 %r20, 4;\n"},
    {"a warp arrives twice", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") CAME(0) "  $.arrive 1, 96;\n" LATE(1)
         CAME(1) "  $.arrive 1, 96;\n"
                 "  mov.u32 %r22, 1;\n" GO("END") "D:\n" CAME(2) "  $.sync 1, 96;\n" SEES("%r20", 0)
                     SEES("%r21", 1)},
    {"arrival and exit", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") HIGH("%p1", "B")
         CAME(0) "  $.arrive 1, 64;\n  exit;\nB:\n" LATE(1)
             CAME(1) "  exit;\nD:\n" CAME(2) "  $.sync 1, 64;\n" SEES("%r20", 0) SEES("%r21", 2)},
    {"a lane arrives", 64, NULL,
     IF("%p2", "ge.u32 %p2, %k, 1", "D") IF("%p1", "ne.u32 %p1, %l, 3", "B")
         CAME(0) "  $.arrive 1, 64;\n" GO("END") "B:\n" LATE(1) "  mov.u32 %r23, 9;\n" GO(
             "END") "D:\n" CAME(2) "  $.sync 1, 64;\n" SEES("%r20", 0)},
    /* ---- and then all: who is early must not be counted by the others ---- */
    {"one arm, then all", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 5) GO("C") "B:\n" LATE(1)
         CAME(5) "C:\n  $.sync 0;\n" SEES("%r22", 0)},
    {"one arm, then all, one warp", 32, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 5) GO("C") "B:\n" LATE(1)
         CAME(5) "C:\n  $.sync 0;\n" SEES("%r22", 0)},
    {"one arm of one warp, then all", 96, NULL,
     IF("%p1", "ge.u32 %p1, %t, 80", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 5)
         GO("C") "B:\n" LATE(1) CAME(5) "C:\n  $.sync 0;\n" SEES("%r22", 0)},
    {"one lane, then all", 64, NULL,
     IF("%p1", "ne.u32 %p1, %l, 0", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 5)
         GO("C") "B:\n" LATE(1) CAME(5) "C:\n  $.sync 0;\n" SEES("%r22", 0)},
    {"some warps, then all", 96, NULL,
     IF("%p1", "ge.u32 %p1, %k, 2", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 5)
         GO("C") "B:\n" LATE(1) CAME(5) "C:\n  $.sync 0;\n" SEES("%r22", 0)},
    {"two against one, then all", 64, NULL,
     HIGH("%p1", "B") CAME(0) "  $.sync 0;\n" SEES("%r20", 1)
         CAME(2) "  $.sync 0;\n" SEES("%r21", 2) GO("C") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) "C:\n  $.sync 0;\n  mov.u32 %r22, 3;\n"},
    {"trips by lane, then all", 64, NULL,
     "  and.b32 %r5, %l, 3;\n  mov.u32 %r6, 0;\n  mov.u64 %u1, %n;\nloop:\n  red.global.add.u32 "
     "[%u1], "
     "1; membar.gl;\n  $.sync 0;\n  ld.volatile.global.u32 %r7, [%u1];\n  mad.lo.u32 %r20, %r20, "
     "100, "
     "%r7;\n  add.u64 %u1, %u1, 4;\n  add.u32 %r6, %r6, 1;\n" IF(
         "%p1", "le.u32 %p1, %r6, %r5", "loop") "  $.sync 0;\n  mov.u32 %r21, 9;\n"},
    {"trips by warp, then all", 96, NULL,
     "  mov.u32 %r6, 0;\n  mov.u64 %u1, %n;\nloop:\n  red.global.add.u32 [%u1], 1; membar.gl;\n"
     "  $.sync 0;\n  ld.volatile.global.u32 %r7, [%u1];\n  mad.lo.u32 %r20, %r20, 100, %r7;\n"
     "  add.u64 %u1, %u1, 4;\n  add.u32 %r6, %r6, 1;\n" IF(
         "%p1", "le.u32 %p1, %r6, %k", "loop") "  $.sync 0;\n  mov.u32 %r21, 9;\n"},
    /* ---- arms that an assembler makes guarded instructions of ---- */
    {"short arm", 64, NULL,
     BOARD HIGH("%p1", "B") "  st.shared.u32 [%u2], 1;\n  $.sync 0;\n"
                            "  ld.shared.u32 %r20, [%u3];\nB:\n"},
    {"short arm, then all", 64, NULL,
     BOARD HIGH("%p1", "B") "  st.shared.u32 [%u2], 1;\n  $.sync 0;\n"
                            "  ld.shared.u32 %r20, [%u3];\nB:\n  $.sync 0;\n  mov.u32 %r21, 5;\n"},
    {"short arms", 64, NULL,
     BOARD ODD("%p1", "B") "  st.shared.u32 [%u2], 1;\n  $.sync 0;\n"
                           "  ld.shared.u32 %r20, [%u3];\n" GO(
                               "C") "B:\n  st.shared.u32 [%u2], 2;\n  $.sync 0;\n"
                                    "  ld.shared.u32 %r21, [%u3];\nC:\n"},
    {"short arms, counted", 64, NULL,
     BOARD ODD("%p1", "B") "  st.shared.u32 [%u2], 1;\n  $.sync 2, 64;\n"
                           "  ld.shared.u32 %r20, [%u3];\n" GO(
                               "C") "B:\n  st.shared.u32 [%u2], 2;\n  $.sync 2, 64;\n"
                                    "  ld.shared.u32 %r21, [%u3];\nC:\n"},
    {"short arms, two ids", 64, NULL,
     BOARD ODD("%p1", "B") "  st.shared.u32 [%u2], 1;\n  $.sync 1;\n"
                           "  ld.shared.u32 %r20, [%u3];\n" GO(
                               "C") "B:\n  st.shared.u32 [%u2], 2;\n  $.sync 2;\n"
                                    "  ld.shared.u32 %r21, [%u3];\nC:\n"},
    {"short arm in a short arm", 64, NULL,
     BOARD HIGH("%p1", "C") ODD("%p2", "C") "  st.shared.u32 [%u2], 1;\n  $.sync 0;\n  "
                                            "ld.shared.u32 %r20, [%u3];\nC:\n  $.sync 0;\n"},
    {"guarded", 64, NULL,
     "  setp.lt.u32 %p1, %l, 16;\n  @%p1 $.sync 0;\n  @!%p1 $.sync 0;\n  mov.u32 %r20, 1;\n"},
    {"guarded by half", 64, NULL,
     "  setp.lt.u32 %p1, %l, 16;\n  @%p1 $.sync 0;\n  mov.u32 %r20, 1;\n"},
    {"guarded by half, then all", 64, NULL,
     "  setp.lt.u32 %p1, %l, 16;\n  @%p1 $.sync 0;\n  $.sync 0;\n  mov.u32 %r20, 1;\n"},
    {"guarded, two ids", 64, NULL,
     "  setp.lt.u32 %p1, %l, 16;\n  @%p1 $.sync 1;\n  @!%p1 $.sync 2;\n  mov.u32 %r20, 1;\n"},
    /* ---- numbers ---- */
    {"barrier 16 is 0", 64, NULL,
     "  add.u32 %r5, %a, 16;\n" IF("%p1", "ge.u32 %p1, %k, 1", "B")
         CAME(0) "  $.sync %r5;\n" SEES("%r20", 0) SEES("%r21", 1) GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 0;\n" SEES("%r20", 0) SEES("%r21", 1)},
    {"count of none is all", 64, NULL,
     "  add.u32 %r5, %a, 0;\n" IF("%p1", "ge.u32 %p1, %k, 1", "B")
         CAME(0) "  $.sync 1, %r5;\n" SEES("%r20", 0) SEES("%r21", 1) GO("END") "B:\n" LATE(1)
             CAME(1) "  $.sync 1;\n" SEES("%r20", 0) SEES("%r21", 1)},
    {"count of 1024", 64, NULL, "  add.u32 %r5, %a, 1024;\n  $.sync 1, %r5;\n  mov.u32 %r20, 1;\n"},
    {"arrival and popc", 64, NULL,
     IF("%p1", "eq.u32 %p1, %k, 1",
        "B") "  setp.lt.u32 %p2, %t, 20;\n  $.red.popc.u32 %r20, 1, "
             "64, %p2;\n" GO("END") "B:\n" LATE(1) "  $.arrive 1, 64;\n  mov.u32 %r21, 4;\n"},
    {"popc after sync", 64, NULL,
     "  setp.lt.u32 %p2, %t, 20;\n  $.sync 1;\n  $.red.popc.u32 %r20, 1, %p2;\n"
     "  $.sync 1, 64;\n  $.red.and.pred %p3, 1, 64, %p2;\n  selp.u32 %r21, 1, 0, %p3;\n"},
};
const size_t meet_n_barriers = sizeof meet_barriers / sizeof *meet_barriers;
