/* What a trace says is what the streams say: addresses of every mode, both tracer versions, source
 * lines, xz, and the memory it takes. The traces are made here, and so are the expected addresses.
 */
#include "accel.h"

#include <malloc.h>
#include <sys/resource.h>

enum { WARPS = 3, BLOCKS = 6, INSTS = 40, SHARED_BASE = 0x10000000, LOCAL_BASE = 0x20000000 };

struct expected {
  uint32_t pc, mask, line;
  bool has_addr;
  uint8_t space;
  uint64_t lane[32];
};

static struct expected want[BLOCKS][WARPS][INSTS];
static uint64_t seed;

static uint32_t draw(uint32_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

static uint32_t draw_mask(void) {
  switch (draw(5)) {
  case 0:
    return 0;
  case 1:
    return 1u << draw(32);
  case 2:
    return UINT32_MAX;
  case 3:
    return UINT32_MAX >> draw(31) << draw(8);
  default:
    return draw(1u << 16) << 16 | draw(1u << 16);
  }
}

static bool is_run(uint32_t mask) {
  uint32_t low = mask & -mask;
  return !((mask + low) & mask);
}

/* The three ways to write addresses; `mode` 1 only for masks without gaps. */
static void put_addrs(struct weir_text *t, int mode, uint32_t mask, const uint64_t *lane,
                      int64_t stride) {
  uint64_t before = 0;
  bool is_first = true;
  weir_text_printf(t, " %d", mode);
  if (!mask && mode) weir_text_puts(t, mode == 1 ? " 0x0 0" : " 0x0");
  for (unsigned i = 0; i < 32; i++) {
    if (!(mask >> i & 1)) continue;
    if (mode == 0 || is_first)
      weir_text_printf(t, mode == 0 ? " 0x%016llx" : " 0x%llx", (unsigned long long)lane[i]);
    else if (mode == 2)
      weir_text_printf(t, " %lld", (long long)(int64_t)(lane[i] - before));
    if (mode == 1 && is_first) weir_text_printf(t, " %lld", (long long)stride);
    is_first = false;
    before = lane[i];
  }
}

static const struct kind {
  const char *text; /* results, opcode, sources, width */
  uint8_t space;    /* NONE: no addresses */
} kinds[] = {
    {"1 R1 IMAD.MOV.U32 2 R255 R255 0", WEIR_SP_NONE},
    {"0 EXIT 0 0", WEIR_SP_NONE},
    {"1 R2 LDG.E.SYS 1 R2 4", WEIR_SP_GLOBAL},
    {"0 STG.E.64.SYS 2 R6 R9 8", WEIR_SP_GLOBAL},
    {"1 R4 LDS.U 1 R2 4", WEIR_SP_SHARED},
    {"1 R4 LD.E 1 R2 4", WEIR_SP_GENERIC},
    {"1 R8 LDL 1 R2 4", WEIR_SP_LOCAL},
    {"0 CCTL.E.PF2 1 R2 4", WEIR_SP_TEX}, /* TEX here: addresses that are dropped */
    {"1 R2 LDSM.16.M88.2 1 R4 2", WEIR_SP_SHARED},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Local memory as its readers see it: words of the lanes side by side. */
static uint64_t local(uint64_t at, uint64_t warp, unsigned lane, uint64_t bytes) {
  return (UINT64_C(1) << 50) + warp * bytes * 32 + (at & ~UINT64_C(3)) * 32 + (at & 3) + 4 * lane;
}

enum { LOCAL_BYTES = 512 };

static void put_inst(struct weir_text *t, struct expected *x, unsigned k, int version, bool lines,
                     uint64_t warp) {
  const struct kind *kind = &kinds[k];
  uint64_t written[32];
  int64_t stride = (int64_t)draw(300) * 4 - 600;
  uint64_t base = UINT64_C(0x7fa200000000) + draw(1 << 20) * 4;
  bool is_strided = draw(2);
  *x = (struct expected){.pc = 16 * k, .line = 7 + k, .mask = draw_mask(), .space = kind->space};
  if (kind->space == WEIR_SP_SHARED) base = draw(2) ? 65536 : SHARED_BASE + 65536;
  if (kind->space == WEIR_SP_LOCAL) base = LOCAL_BASE, stride = 4, is_strided = true;
  if (kind->space == WEIR_SP_GENERIC && draw(2)) base = SHARED_BASE + 65536;
  for (unsigned i = 0; i < 32; i++)
    written[i] = is_strided ? base + (uint64_t)(stride * (int)i) : base + draw(1024) * 4;
  if (kind->space == WEIR_SP_LOCAL) written[31] = LOCAL_BASE + LOCAL_BYTES - 4, is_strided = false;
  if (kind->space == WEIR_SP_LOCAL && k == 6 && warp == 0) x->mask = UINT32_MAX;
  if (kind->space == WEIR_SP_GENERIC && !is_strided) {
    written[3] = SHARED_BASE + 16;
    x->mask &= draw(2) ? 8u : ~8u; /* one space each, so that one record is expected */
    if (base > LOCAL_BASE) x->mask &= ~8u;
  }
  if (lines) weir_text_printf(t, "%u ", x->line);
  weir_text_printf(t, "%04x %08x %s", x->pc, x->mask, kind->text);
  if (kind->space != WEIR_SP_NONE) {
    int mode = is_strided && is_run(x->mask) && draw(2) ? 1 : draw(2) ? 2 : 0;
    put_addrs(t, mode, x->mask, written, stride);
  }
  bool has_imm = version == 5 || (kind->space == WEIR_SP_NONE ? k == 1 : draw(2));
  weir_text_puts(t, has_imm ? " 0 \n" : "\n");
  if (k == 8) x->mask &= 0xffff; /* two matrices: rows from sixteen lanes */
  x->has_addr = kind->space != WEIR_SP_NONE && kind->space != WEIR_SP_TEX && x->mask;
  for (unsigned i = 0; i < 32; i++) {
    bool in_shared = written[i] >= SHARED_BASE && written[i] < LOCAL_BASE;
    x->lane[i] = in_shared ? written[i] - SHARED_BASE : written[i];
    if (kind->space == WEIR_SP_LOCAL)
      x->lane[i] = local(written[i] - LOCAL_BASE, warp, i, LOCAL_BYTES);
    if (kind->space == WEIR_SP_GENERIC && (x->mask >> i & 1))
      x->space = in_shared ? WEIR_SP_SHARED : WEIR_SP_GLOBAL;
  }
}

static void make(struct weir_text *t, int version, bool lines) {
  weir_text_printf(t,
                   "-kernel name = _Z3fooPi\n-kernel id = 7\n-grid dim = (3,2,1)\n"
                   "-block dim = (40,2,1)\n-shmem = 1024\n-nregs = 24\n-binary version = 70\n"
                   "-cuda stream id = 94031\n-shmem base_addr = 0x%016x\n"
                   "-local mem base_addr = 0x%016x\n-nvbit version = 1.7\n"
                   "-accelsim tracer version = %d\n-enable lineinfo = %d\n\n"
                   "#traces format = PC mask ...\n\n",
                   SHARED_BASE, LOCAL_BASE, version, lines);
  for (unsigned b = 0; b < BLOCKS; b++) {
    weir_text_printf(t, "#BEGIN_TB\n\nthread block = %u,%u,0\n\n", b % 3, b / 3);
    if (version == 5 && b % 2)
      weir_text_puts(t, "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n");
    for (unsigned w = 0; w < WARPS; w++) {
      weir_text_printf(t, "warp = %u\ninsts = %d\n", w, INSTS);
      for (unsigned i = 0; i < INSTS; i++)
        put_inst(t, &want[b][w][i], i < N_KINDS ? i : draw(N_KINDS), version, lines, b * WARPS + w);
      weir_text_puts(t, "\n");
    }
    weir_text_puts(t, "#END_TB\n\n");
  }
  assert_false(t->failed);
}

static void check_kernel(const struct weir_kernel_info *k, bool lines) {
  assert_string_equal(k->name, "_Z3fooPi");
  assert_int_equal(k->grid[0], 3);
  assert_int_equal(k->grid[1], 2);
  assert_int_equal(k->block[0], 40);
  assert_int_equal(k->n_warps, WARPS);
  assert_int_equal(k->regs_per_thread, 24);
  assert_int_equal(k->static_shared, 1024);
  assert_int_equal(k->local_bytes, LOCAL_BYTES);
  assert_int_equal(k->n_insns, N_KINDS);
  assert_int_equal(k->n_regs, 11); /* R10 of the pair stored by STG.64 */
  for (unsigned i = 0; i < k->n_insns; i++) {
    assert_int_equal(k->insns[i].pc, 16 * i);
    assert_int_equal(k->insns[i].line, lines ? 7 + i : 0);
  }
}

static void check_block(const struct weir_kernel_info *k, struct weir_block_stream *b) {
  for (unsigned w = 0; w < WARPS; w++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    uint64_t lane[32];
    weir_reader_open(&r, &b->warps[w], k, true);
    for (unsigned i = 0; i < INSTS; i++) {
      const struct expected *x = &want[b->id][w][i];
      assert_true(weir_next(&r, &d));
      assert_int_equal(k->insns[d.insn].pc, x->pc);
      assert_int_equal(d.mask, x->mask);
      assert_int_equal(d.has_addr, x->has_addr);
      if (!d.has_addr) continue;
      assert_int_equal(d.addrs.space, x->space);
      weir_expand(&d, lane);
      for (unsigned l = 0; l < 32; l++)
        if (x->mask >> l & 1) assert_int_equal(lane[l], x->lane[l]);
    }
    assert_false(weir_next(&r, &d));
    assert_int_equal(r.status, WEIR_OK);
    weir_reader_close(&r);
  }
}

static void round_trip(int version, bool lines, bool xz) {
  struct weir_text t = {0};
  struct weir_accelsim *trace;
  struct weir_accelsim_event e;
  const char *name = xz ? "kernel-7.traceg.xz" : "kernel-7.traceg";
  seed = (uint64_t)version * 4 + lines * 2 + xz;
  make(&t, version, lines);
  uint8_t *packed = NULL;
  size_t n = xz ? pack(t.v, t.n, &packed) : t.n;
  put_file(name, xz ? (void *)packed : t.v, n);
  free(packed);
  char list[200];
  snprintf(list, sizeof list,
           "# commands\nMemcpyHtoD,0x00007fa280000000,1048576\r\n\n%s\nMemcpyHtoD,0x10,12\n", name);
  put_file("kernelslist.g", list, strlen(list));
  assert_true(weir_is_accelsim(in_dir("kernelslist.g")));
  assert_int_equal(weir_accelsim_open(in_dir("kernelslist.g"), NULL, 0, &pool, &trace, &err), 0);
  assert_int_equal(weir_accelsim_next(trace, &e, &err), 0);
  assert_int_equal(e.kind, WEIR_ACCELSIM_MEMCPY);
  assert_int_equal(e.addr, 0x7fa280000000);
  assert_int_equal(e.bytes, 1048576);
  assert_int_equal(e.line, 2);
  if (weir_accelsim_next(trace, &e, &err)) fail_msg("%s", err.msg);
  assert_int_equal(e.kind, WEIR_ACCELSIM_KERNEL);
  assert_string_equal(e.path, in_dir(name));
  assert_int_equal(e.id, 7);
  assert_int_equal(e.stream, 94031);
  assert_int_equal(e.binary_version, 70);
  assert_int_equal(e.tracer_version, version);
  assert_int_equal(e.n_insts, BLOCKS * WARPS * INSTS);
  check_kernel(e.source->kernel, lines);
  for (unsigned b = 0; b < BLOCKS; b++) {
    struct weir_block_stream *s;
    if (e.source->next(e.source, &s, &err)) fail_msg("%s", err.msg);
    assert_non_null(s);
    assert_int_equal(s->id, b);
    check_block(e.source->kernel, s);
    e.source->release(e.source, s);
  }
  for (int again = 0; again < 2; again++) {
    struct weir_block_stream *s;
    assert_int_equal(e.source->next(e.source, &s, &err), WEIR_OK);
    assert_null(s);
  }
  assert_int_equal(weir_accelsim_next(trace, &e, &err), 0);
  assert_int_equal(e.kind, WEIR_ACCELSIM_MEMCPY);
  assert_int_equal(e.bytes, 12);
  assert_int_equal(weir_accelsim_next(trace, &e, &err), 0);
  assert_int_equal(e.kind, WEIR_ACCELSIM_END);
  weir_accelsim_close(trace);
  weir_text_free(&t);
}

static void versions(void **state) {
  (void)state;
  for (int version = 4; version <= 5; version++)
    for (int lines = 0; lines < 2; lines++)
      for (int xz = 0; xz < 2; xz++)
        round_trip(version, lines, xz);
}

static void header(struct weir_text *t, unsigned blocks) {
  weir_text_printf(t,
                   "-kernel name = k\n-grid dim = (%u,1,1)\n-block dim = (32,1,1)\n"
                   "-accelsim tracer version = 4\n-shmem base_addr = 0x10000000\n",
                   blocks);
}

/* Lanes of a generic access in two memories are two accesses; a list that is a stride becomes one.
 */
static void mixed_spaces(void **state) {
  (void)state;
  struct weir_text t = {0};
  struct weir_accelsim *trace;
  struct weir_accelsim_event e;
  struct weir_block_stream *b;
  struct weir_warp_reader r;
  struct weir_dyn d;
  header(&t, 1);
  weir_text_puts(&t, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                     "0000 00000007 1 R1 LD.E 1 R2 4 0 0x10000008 0x7000000000 0x10000010\n"
                     "0010 000000f0 1 R1 LDG.E 1 R2 4 0 0x100 0x108 0x110 0x118\n"
                     "#END_TB");
  put_file("mixed.traceg", t.v, t.n);
  assert_int_equal(weir_accelsim_open(in_dir("mixed.traceg"), NULL, 0, &pool, &trace, &err), 0);
  assert_int_equal(weir_accelsim_next(trace, &e, &err), 0);
  assert_int_equal(e.source->next(e.source, &b, &err), 0);
  weir_reader_open(&r, &b->warps[0], e.source->kernel, false);
  assert_true(weir_next(&r, &d));
  assert_int_equal(d.mask, 5);
  assert_int_equal(d.addrs.space, WEIR_SP_SHARED);
  assert_int_equal(d.addrs.kind, WEIR_ADDR_STRIDE);
  assert_int_equal(d.addrs.base, 8);
  assert_int_equal(d.addrs.stride, 4);
  assert_true(weir_next(&r, &d));
  assert_int_equal(d.mask, 2);
  assert_int_equal(d.addrs.space, WEIR_SP_GLOBAL);
  assert_int_equal(d.addrs.base, 0x7000000000);
  assert_true(weir_next(&r, &d));
  assert_int_equal(d.addrs.kind, WEIR_ADDR_STRIDE);
  assert_int_equal(d.addrs.base, 0x100 - 4 * 8);
  assert_int_equal(d.addrs.stride, 8);
  assert_false(weir_next(&r, &d));
  weir_reader_close(&r);
  e.source->release(e.source, b);
  weir_accelsim_close(trace);
  weir_text_free(&t);
}

/* Functions count their pcs from 0 again: the same pc with another text is another instruction. */
static void same_pc_twice(void **state) {
  (void)state;
  struct weir_text t = {0};
  struct weir_accelsim *trace;
  struct weir_accelsim_event e;
  header(&t, 1);
  weir_text_puts(&t, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4\n"
                     "0010 ffffffff 0 CALL.REL.NOINC 0 0 0\n0000 ffffffff 1 R2 MOV 1 R3 0 0\n"
                     "0010 ffffffff 0 RET 0 0 0\n0010 ffffffff 0 CALL.REL.NOINC 0 0 0\n#END_TB\n");
  put_file("calls.traceg", t.v, t.n);
  assert_int_equal(weir_accelsim_open(in_dir("calls.traceg"), NULL, 0, &pool, &trace, &err), 0);
  assert_int_equal(weir_accelsim_next(trace, &e, &err), 0);
  assert_int_equal(e.source->kernel->n_insns, 3);
  assert_int_equal(e.source->kernel->insns[0].pc, 0);
  assert_int_equal(e.source->kernel->insns[1].pc, 16);
  assert_int_equal(e.source->kernel->insns[2].pc, 16);
  weir_accelsim_close(trace);
  weir_text_free(&t);
}

static void put_long(const char *name, unsigned blocks) {
  struct weir_text t = {0};
  FILE *f = fopen(in_dir(name), "w");
  assert_non_null(f);
  header(&t, blocks);
  fputs(t.v, f);
  weir_text_free(&t);
  for (unsigned b = 0; b < blocks; b++) {
    fprintf(f, "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 100\n", b);
    for (unsigned i = 0; i < 100; i++)
      fprintf(f, "%04x ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4 0\n", 16 * (i % 50), b * 4096 + i * 128);
    fputs("#END_TB\n", f);
  }
  assert_int_equal(fclose(f), 0);
}

static long peak_kib(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

/* Forty times the blocks, 12 MB of text, take no more memory. */
static void constant_memory(void **state) {
  (void)state;
  uint64_t n;
  put_long("short.traceg", 60);
  put_long("long.traceg", 2400);
  assert_int_equal(read_all("short.traceg", NULL, 0, &n), WEIR_OK);
  long before = peak_kib();
  size_t held = pool.peak_held;
  assert_int_equal(read_all("long.traceg", NULL, 0, &n), WEIR_OK);
  assert_int_equal(n, 240000);
  assert_true(peak_kib() - before < 2048);
  assert_int_equal(pool.peak_held, held);
}

/* Every allocation fails once. */
static void no_memory(void **state) {
  (void)state;
  struct weir_text t = {0};
  static const char *const over[] = {"FOO=int"};
  uint64_t insts;
  seed = 99;
  make(&t, 5, true);
  put_file("oom.traceg", t.v, t.n);
  put_file("oom.g", "oom.traceg\n", 11);
  enum weir_status st = WEIR_ENOMEM;
  long n = 0;
  for (; st; n++) {
    assert_true(n < 10000);
    weir_malloc_fail_after(n);
    st = read_all("oom.g", over, 1, &insts);
    weir_malloc_fail_after(-1);
    if (st) assert_int_equal(st, WEIR_ENOMEM);
    weir_stream_pool_free(&pool); /* a pool that failed stays so */
    assert_int_equal(weir_stream_pool_init(&pool, 16 << 20, NULL, &err), WEIR_OK);
  }
  assert_true(n > 10);
  weir_text_free(&t);
}

static void looks_like(void **state) {
  (void)state;
  put_file("a.g", "\n# x\nkernel-1.traceg.xz\n", 24);
  put_file("b.g", "hello\n", 6);
  put_file("c", "Memcpy", 6);
  put_file("d.traceg", "", 0);
  assert_true(weir_is_accelsim(in_dir("a.g")));
  assert_false(weir_is_accelsim(in_dir("b.g")));
  assert_false(weir_is_accelsim(in_dir("c")));
  assert_true(weir_is_accelsim(in_dir("d.traceg")));
  assert_false(weir_is_accelsim(in_dir("missing.traceg")));
  assert_false(weir_is_accelsim(in_dir("missing")));
  assert_false(weir_is_accelsim(dir));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions),        cmocka_unit_test(mixed_spaces),
      cmocka_unit_test(same_pc_twice),   cmocka_unit_test(looks_like),
      cmocka_unit_test(constant_memory), cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
