/* The order that loads get: dependences, copies of registers, memory, and streams through it.
 *   test_order FOLDER      the kernels of FOLDER/(*).ptx, walked at random */
#include "text.h"

#include <dirent.h>
#include <string.h>

#include "../stream/util.h"
#include "sched/reorder.h"

static const char *folder;

static struct weir_reorder_cfg config(void) {
  struct weir_reorder_cfg c;
  weir_param_defaults(weir_reorder_params.table, &c);
  c.order = WEIR_INSNS_LOOPS;
  return c;
}

static struct weir_reordered *reorder(const struct weir_reorder_cfg *c,
                                      const struct weir_kernel_info *k) {
  struct weir_reordered *r;
  struct weir_err err;
  assert_int_equal(weir_reorder_kernel(c, k, &r, &err), WEIR_OK);
  return r;
}

/* ---- a region is sound ---- */

static bool names(const uint16_t *reg, unsigned n, uint16_t r) {
  for (unsigned i = 0; i < n; i++)
    if (reg[i] == r) return true;
  return false;
}

static bool share(const uint16_t *a, unsigned n, const uint16_t *b, unsigned m) {
  for (unsigned i = 0; i < n; i++)
    if (a[i] != WEIR_NO_REG && names(b, m, a[i])) return true;
  return false;
}

/* True, anti and output dependences of registers as they are named in the copies. */
static bool depends(const struct weir_static *a, const struct weir_static *b) {
  return share(a->dst, a->n_dst, b->src, b->n_src) || share(a->src, a->n_src, b->dst, b->n_dst) ||
         share(a->dst, a->n_dst, b->dst, b->n_dst);
}

/* The last one before `i` that writes the register, as the PTX names it (is_ptx), or the copies;
 * what is left out does not count. */
static uint32_t writer_before(const struct weir_reordered *r, const uint32_t *path, uint32_t i,
                              uint16_t reg, bool is_ptx) {
  while (i-- > 0) {
    const struct weir_static *s =
        is_ptx ? &r->ptx->insns[r->origin[path[i]]] : &r->info.insns[path[i]];
    if (!r->is_left_out[path[i]] && names(s->dst, s->n_dst, reg)) return i;
  }
  return UINT32_MAX;
}

/* Copies read what their originals did, and leave the last value where the PTX has it. */
static void check_names(const struct weir_reordered *r, const uint32_t *path, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct weir_static *s = &r->info.insns[path[i]], *o = &r->ptx->insns[r->origin[path[i]]];
    if (r->is_left_out[path[i]]) continue;
    for (unsigned k = 0; k < s->n_src; k++) {
      if (o->src[k] == WEIR_NO_REG) continue;
      uint32_t from = writer_before(r, path, i, o->src[k], true);
      assert_int_equal(writer_before(r, path, i, s->src[k], false), from);
      if (from == UINT32_MAX) assert_int_equal(s->src[k], o->src[k]);
    }
    for (unsigned k = 0; k < s->n_dst; k++) {
      if (o->dst[k] == WEIR_NO_REG) continue;
      uint32_t last = writer_before(r, path, n, o->dst[k], true);
      if (last == i) assert_int_equal(s->dst[k], o->dst[k]);
      assert_int_equal(writer_before(r, path, n, o->dst[k], false), last);
    }
  }
}

/* Accesses that may meet for all that their text says: `at` is what bytes are counted from. */
static bool is_memory(const struct weir_static *s) {
  return s->cls == WEIR_C_LOAD || s->cls == WEIR_C_STORE;
}

static bool may_meet(const struct weir_static *a, const struct weir_outline_insn *pa,
                     const struct weir_static *b, const struct weir_outline_insn *pb) {
  if (!is_memory(a) || !is_memory(b) || (a->cls == WEIR_C_LOAD && b->cls == WEIR_C_LOAD))
    return false;
  if (a->cache_op == WEIR_CO_NC || b->cache_op == WEIR_CO_NC) return false;
  if (a->space != b->space && a->space != WEIR_SP_GENERIC && b->space != WEIR_SP_GENERIC)
    return false;
  return pa->base == WEIR_NO_REG || pa->base != pb->base; /* one base: tested by case */
}

static void check_region(const struct weir_reordered *r, const uint32_t *path, uint32_t n,
                         const uint16_t *order, uint32_t n_order) {
  uint32_t place[1024], n_issued = 0;
  memset(place, 0xff, sizeof place);
  for (uint32_t i = 0; i < n_order; i++) {
    assert_true(order[i] < n);
    assert_int_equal(place[order[i]], UINT32_MAX);
    assert_false(r->is_left_out[path[order[i]]]);
    place[order[i]] = i;
  }
  for (uint32_t i = 0; i < n; i++)
    n_issued += !r->is_left_out[path[i]];
  assert_int_equal(n_order, n_issued);
  for (uint32_t j = 0; j < n; j++)
    for (uint32_t i = 0; i < j; i++) {
      if (place[i] == UINT32_MAX || place[j] == UINT32_MAX || place[i] < place[j]) continue;
      const struct weir_static *a = &r->info.insns[path[i]], *b = &r->info.insns[path[j]];
      const struct weir_outline_insn *text = r->ptx->outline->insns;
      assert_false(depends(a, b));
      assert_false(may_meet(a, &text[r->origin[path[i]]], b, &text[r->origin[path[j]]]));
      assert_true(b->cls <= WEIR_C_SFU || b->cls == WEIR_C_LOAD); /* nothing else rises */
    }
  check_names(r, path, n);
}

/* ---- ways through kernels ---- */

struct way {
  uint32_t insn[4096], mask[4096];
  uint32_t n;
};

/* From block to block by chance; back branches are taken a few times. */
static void walk(const struct ptx_program *p, uint64_t *seed, struct way *w) {
  const struct ptx_func *f = p->funcs[0].ir;
  uint32_t block = 0, mask = UINT32_MAX;
  w->n = 0;
  while (w->n + 600 < sizeof w->insn / sizeof *w->insn) {
    const struct ptx_block *b = &f->cfg.blocks[block];
    for (uint32_t i = b->first; i <= b->last && w->n < 4096; i++) {
      w->insn[w->n] = p->funcs[0].entry + i;
      w->mask[w->n++] = mask;
    }
    if (b->n_succ == 0) return;
    uint32_t to = b->succ[below(seed, b->n_succ)];
    for (uint32_t k = 0; k < b->n_succ; k++)
      if (b->succ[k] <= block && below(seed, 8) != 0) to = b->succ[k];
    if (below(seed, 40) == 0) mask = (uint32_t)rnd(seed) | 1;
    block = to;
  }
}

/* Regions as a warp would make them, straight from the way: whole groups of every size. */
static uint32_t check_groups(const struct weir_reordered *r, struct weir_orderer *o,
                             uint64_t *seed) {
  uint32_t path[1024], n_groups = 0;
  uint16_t order[1024];
  for (uint32_t l = 0; l < r->n_loops; l++)
    for (uint32_t size = r->loops[l].unroll; size > 1; size /= 2, n_groups++) {
      uint32_t n = 0;
      for (uint32_t k = 0; k < size; k++)
        for (uint32_t i = r->loops[l].first; i <= r->loops[l].last; i++) {
          bool is_covered = r->ptx->outline->insns[i].flags & WEIR_OUTLINE_COVERED;
          if (is_covered && below(seed, 2) == 0) continue; /* jumped over */
          path[n++] = weir_copy_of(&r->loops[l], i, size, k);
        }
      check_region(r, path, n, order, weir_order_find(o, path, n, order));
    }
  return n_groups;
}

/* A record of a way: accesses are told apart by their addresses. */
static uint64_t lane_of(uint32_t i, uint32_t lane) {
  return UINT64_C(0x1000) + UINT64_C(16384) * i + (i % 3 == 0 ? lane * lane * 8 : lane * 4);
}

static void write_way(const struct weir_kernel_info *k, const struct way *w,
                      struct weir_warp_writer *writer) {
  for (uint32_t i = 0; i < w->n; i++) {
    const struct weir_static *s = &k->insns[w->insn[i]];
    uint64_t lane[WEIR_LANES];
    if (s->width == 0 || s->cls == WEIR_C_BARRIER) {
      weir_put(writer, w->insn[i], w->mask[i]);
      continue;
    }
    for (uint32_t x = 0; x < WEIR_LANES; x++)
      lane[x] = lane_of(i, x);
    struct weir_addrs a = {.kind = WEIR_ADDR_LIST, .space = WEIR_SP_GLOBAL, .lane = lane};
    weir_put_mem(writer, w->insn[i], w->mask[i], &a);
  }
}

static bool is_record(const struct way *w, uint32_t i, uint32_t insn, const struct weir_dyn *d,
                      const uint64_t *lane) {
  if (w->insn[i] != insn || w->mask[i] != d->mask) return false;
  for (uint32_t k = 0; d->has_addr && k < WEIR_LANES; k++)
    if (d->mask >> k & 1 && lane[k] != lane_of(i, k)) return false;
  return true;
}

/* All that went in comes out once, or is counted as left out; accesses with all their lanes. */
static void read_all(const struct weir_reordered *r, const struct way *w,
                     struct weir_warp_reader *reader, uint64_t *n) {
  static bool is_seen[4096];
  struct weir_dyn d;
  uint64_t lane[WEIR_LANES];
  uint32_t first = 0;
  memset(is_seen, 0, sizeof is_seen);
  for (*n = 0; weir_next(reader, &d); ++*n) {
    uint32_t i = first;
    assert_false(r->is_left_out[d.insn]);
    if (d.has_addr) weir_expand(&d, lane);
    while (i < w->n && (is_seen[i] || !is_record(w, i, r->origin[d.insn], &d, lane)))
      i++;
    assert_true(i < w->n);
    is_seen[i] = true;
    while (first < w->n && (is_seen[first] || first + 2048 < i))
      first++;
  }
}

static void check_stream(const struct weir_reordered *r, const struct way *w) {
  struct weir_stream_pool pool;
  struct weir_block_stream *b;
  struct weir_warp_reader reader;
  struct weir_err err;
  uint64_t warps = 0, threads = 0, left_out = 0, n;
  struct weir_reorderer *x =
      weir_reorderer_new(1, (struct weir_reorder_counts){&warps, &threads, &left_out});
  assert_non_null(x);
  assert_true(weir_reorderer_kernel(x, r));
  assert_int_equal(weir_stream_pool_init(&pool, 1 << 24, NULL, &err), WEIR_OK);
  assert_int_equal(weir_block_begin(&pool, 0, 1, &b, &err), WEIR_OK);
  write_way(r->ptx, w, &b->writers[0]);
  assert_int_equal(weir_block_finish(b, &err), WEIR_OK);
  assert_true(weir_reorderer_open(x, 0, &reader, &b->warps[0], true));
  read_all(r, w, &reader, &n);
  assert_int_equal(reader.status, WEIR_OK);
  assert_int_equal(n + left_out, w->n);
  assert_int_equal(warps, left_out);
  weir_reader_close(&reader);
  weir_block_release(b);
  weir_stream_pool_free(&pool);
  weir_reorderer_free(x);
}

static uint32_t check_kernel(const struct text *t, const char *name, uint64_t *seed) {
  static struct way w;
  struct ptx_program *p;
  struct weir_err err;
  struct weir_reorder_cfg c = config();
  uint32_t n = 0;
  assert_int_equal(ptx_program_build(t->image, name, &t->cfg, &p, &err), WEIR_OK);
  struct weir_kernel_info k = text_kernel(p);
  c.unroll = 1 + below(seed, 8);
  c.registers = below(seed, 2) ? 32 : 8 + below(seed, 60);
  c.tests = below(seed, 2);
  c.window = below(seed, 3) ? 256 : 16 + below(seed, 500);
  struct weir_reordered *r = reorder(&c, &k);
  struct weir_orderer *o = weir_orderer_new(r);
  assert_non_null(o);
  n = check_groups(r, o, seed);
  walk(p, seed, &w);
  check_stream(r, &w);
  weir_orderer_free(o);
  weir_reordered_free(r);
  ptx_program_free(p);
  return n;
}

static void all_kernels(void **state) {
  (void)state;
  uint64_t seed = 1;
  uint32_t n = 0, n_groups = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    size_t len = strlen(e->d_name);
    char path[4096];
    struct text t;
    if (len < 4 || strcmp(e->d_name + len - 4, ".ptx") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    const char *why = text_open(&t, path);
    if (why != NULL) fail_msg("%s", why);
    for (uint32_t i = 0; i < t.m->n_funcs; i++)
      if (t.m->funcs[i]->is_entry && t.m->funcs[i]->has_body) {
        n_groups += check_kernel(&t, t.m->funcs[i]->name, &seed);
        n++;
      }
    text_close(&t);
  }
  closedir(dir);
  assert_true(n > 200);
  assert_true(n_groups > 100);
}

/* ---- by case ---- */

/* The body of a loop over %r1 with %rd1, %rd2, ... as pointers. */
static void open_loop(struct text *t, struct ptx_program **p, const char *body) {
  static const char form[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
      ".reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<9>;\n"
      "ld.param.u64 %%rd1, [a];\nld.param.u64 %%rd2, [b];\nld.param.u32 %%r2, [n];\n"
      "mov.u32 %%r1, 0;\nmov.f32 %%f1, 0f00000000;\nL:\n%s\n"
      "add.s32 %%r1, %%r1, 1;\nsetp.lt.s32 %%p1, %%r1, %%r2;\n@%%p1 bra L;\n"
      "st.global.f32 [%%rd1], %%f1;\nret;\n}\n";
  char text[4096];
  struct weir_err err;
  int n = snprintf(text, sizeof text, form, body);
  const char *why = text_load(t, text, (size_t)n, "case");
  if (why != NULL) fail_msg("%s", why);
  if (ptx_program_build(t->image, "k", &t->cfg, p, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

/* The order of a group of all iterations, as letters: L a load, S a store, T a comparison
 * (sched.tests), . another. */
static void order_of(const char *body, const struct weir_reorder_cfg *c, char *out) {
  struct text t;
  struct ptx_program *p;
  uint32_t path[1024], n = 0;
  uint16_t order[1024];
  open_loop(&t, &p, body);
  struct weir_kernel_info k = text_kernel(p);
  struct weir_reordered *r = reorder(c, &k);
  *out = 0;
  if (r->n_loops == 1) {
    const struct weir_unrolled *l = &r->loops[0];
    struct weir_orderer *o = weir_orderer_new(r);
    assert_non_null(o);
    for (uint32_t i = 0; i < l->unroll; i++)
      for (uint32_t insn = l->first; insn <= l->last; insn++)
        path[n++] = weir_copy_of(l, insn, l->unroll, i);
    uint32_t n_order = weir_order_find(o, path, n, order);
    check_region(r, path, n, order, n_order);
    for (uint32_t i = 0; i < n_order; i++) {
      uint8_t cls = r->info.insns[path[order[i]]].cls;
      out[i] = cls == WEIR_C_LOAD               ? 'L'
               : cls == WEIR_C_STORE            ? 'S'
               : cls == WEIR_C_PRED && c->tests ? 'T'
                                                : '.';
    }
    out[n_order] = 0;
    weir_orderer_free(o);
  }
  weir_reordered_free(r);
  ptx_program_free(p);
  text_close(&t);
}

static void check_case(const char *body, const char *want) {
  struct weir_reorder_cfg c = config();
  char got[1024];
  order_of(body, &c, got);
  assert_string_equal(got, want);
}

#define SUM      "add.f32 %f1, %f1, %f2;\n"
#define NEXT_RD1 "add.s64 %rd1, %rd1, 4;\n"
#define NEXT_RD2 "add.s64 %rd2, %rd2, 4;\n"

/* Four loads, four sums, the step and the counter once, the test and the branch. */
static void loads_of_iterations(void **state) {
  (void)state;
  check_case("ld.global.f32 %f2, [%rd1];\n" SUM NEXT_RD1, "LLLL........");
}

/* Those that need a load come behind all that need none: with what makes their addresses. */
static void gathers(void **state) {
  (void)state;
  check_case("ld.global.u32 %r3, [%rd1];\nmul.wide.s32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
             "ld.global.f32 %f2, [%rd4];\n" SUM NEXT_RD1,
             "LLLL..L..L..L..L........");
}

static void stores(void **state) {
  (void)state;
  const char copy[] = "ld.global%s.f32 %%f2, [%%rd2%s];\nst.global.f32 [%%rd%c], %%f2;\n%s";
  char body[512];
  /* may alias; read-only; another place of one array; the place that the next iteration reads */
  snprintf(body, sizeof body, copy, "", "", '1', NEXT_RD1 NEXT_RD2);
  check_case(body, "LSLSLSLS.....");
  snprintf(body, sizeof body, copy, ".nc", "", '1', NEXT_RD1 NEXT_RD2);
  check_case(body, "LLLLSSSS.....");
  snprintf(body, sizeof body, copy, "", "+4096", '2', NEXT_RD1 NEXT_RD2);
  check_case(body, "LLLLSSSS.....");
  snprintf(body, sizeof body, copy, "", "+-4", '2', NEXT_RD1 NEXT_RD2);
  check_case(body, "LSLSLSLS.....");
  /* shared memory is no global memory */
  check_case("ld.global.f32 %f2, [%rd1];\nst.shared.f32 [%rd2], %f2;\n" NEXT_RD1 NEXT_RD2,
             "LLLLSSSS.....");
}

/* A step that a load needs waits for what still needs the register as it was. */
static void steps_first(void **state) {
  (void)state;
  check_case(NEXT_RD2 "ld.global.nc.f32 %f2, [%rd2];\nst.global.f32 [%rd2+64], %f2;\n",
             "LLLSSS.LS...");
}

static void volatile_loads(void **state) {
  (void)state;
  check_case("ld.volatile.global.f32 %f2, [%rd1];\nld.volatile.global.f32 %f3, [%rd2];\n" SUM
             "add.f32 %f1, %f1, %f3;\n" NEXT_RD1,
             "LLLLLLLL............");
}

/* No more results wait than there are registers for. */
static void registers(void **state) {
  (void)state;
  struct weir_reorder_cfg c = config();
  char few[1024], many[1024];
  const char body[] =
      "ld.global.v4.f32 {%f2,%f3,%f4,%f5}, [%rd1];\n" SUM
      "add.f32 %f1, %f1, %f3;\nadd.f32 %f1, %f1, %f4;\nadd.f32 %f1, %f1, %f5;\n" NEXT_RD1;
  order_of(body, &c, many);
  c.registers = 16;
  order_of(body, &c, few);
  assert_memory_equal(many, "LLLL.", 5);
  assert_memory_equal(few, "LL.", 3);
}

/* A comparison of the counter comes right behind the first loads and what it needs, one of
 * something that was loaded stays. */
static void comparisons(void **state) {
  (void)state;
  struct weir_reorder_cfg c = config();
  char got[1024];
  c.tests = true;
  order_of("ld.global.f32 %f2, [%rd1];\n" SUM NEXT_RD1, &c, got);
  assert_string_equal(got, "LLLL.T......");
  order_of("ld.global.f32 %f2, [%rd1];\nsetp.gt.f32 %p2, %f2, %f1;\n@%p2 add.f32 %f1, %f1, "
           "%f2;\n" NEXT_RD1,
           &c, got);
  assert_string_equal(got, "LLLL.TT.T.T.T...");
}

static uint32_t factor(const char *body) {
  struct weir_reorder_cfg c = config();
  struct text t;
  struct ptx_program *p;
  open_loop(&t, &p, body);
  struct weir_kernel_info k = text_kernel(p);
  struct weir_reordered *r = reorder(&c, &k);
  uint32_t n = r->n_loops == 1 ? r->loops[0].unroll : 1;
  weir_reordered_free(r);
  ptx_program_free(p);
  text_close(&t);
  return n;
}

/* What is unrolled, and what is not. */
static void which_loops(void **state) {
  (void)state;
  assert_int_equal(factor("ld.global.f32 %f2, [%rd1];\n"), 4);
  assert_int_equal(factor(".pragma \"nounroll\";\nld.global.f32 %f2, [%rd1];\n"), 1);
  assert_int_equal(factor("bar.sync 0;\n"), 1);
  assert_int_equal(factor("div.rn.f32 %f2, %f1, %f3;\n"), 1);
  assert_int_equal(factor("red.global.add.u32 [%rd1], 1;\n"), 1);
  assert_int_equal(factor("@%p2 bra E;\nld.global.f32 %f2, [%rd1];\nE:\n"), 4);
  assert_int_equal(factor("@%p2 ret;\n"), 1);
  assert_int_equal(factor("shl.b32 %r1, %r1, 1;\n"), 1); /* its counter is no sum */
  assert_int_equal(factor("mov.u32 %r2, 10;\n"), 1);     /* nor is its end fixed */
}

/* Nothing is known of it, or it is off: it stays as it is. */
static void untouched(void **state) {
  (void)state;
  struct weir_reorder_cfg c = config();
  struct text t;
  struct ptx_program *p;
  open_loop(&t, &p, "ld.global.f32 %f2, [%rd1];\n");
  struct weir_kernel_info k = text_kernel(p);
  c.order = WEIR_INSNS_OFF;
  assert_null(reorder(&c, &k));
  c.order = WEIR_INSNS_BLOCKS;
  struct weir_reordered *r = reorder(&c, &k);
  assert_int_equal(r->n_loops, 0);
  weir_reordered_free(r);
  k.outline = NULL;
  assert_null(reorder(&c, &k));
  ptx_program_free(p);
  text_close(&t);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_of_iterations),
      cmocka_unit_test(gathers),
      cmocka_unit_test(stores),
      cmocka_unit_test(steps_first),
      cmocka_unit_test(volatile_loads),
      cmocka_unit_test(registers),
      cmocka_unit_test(comparisons),
      cmocka_unit_test(which_loops),
      cmocka_unit_test(untouched),
      cmocka_unit_test(all_kernels),
  };
  if (argc != 2) return 2;
  folder = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
