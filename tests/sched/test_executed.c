/* Kernels executed, and their streams in another order: what a thread stores and loads at one
 * address keeps its order, and times are the same for any number of threads of the host.
 *   test_executed FOLDER      all kernels of FOLDER/(*).ptx; their pointers all lead into one array
 */
#include "text.h"

#include <dirent.h>
#include <string.h>

#include "../sim/synth.h"
#include "../stream/util.h"
#include "sim/engine.h"

static const char *folder;

enum { ARRAY = 1 << 21, MOST = 3000, AROUND = 600 };

struct access {
  uint64_t lane[WEIR_LANES];
  uint32_t insn, mask, at; /* at: place in the stream that it came from */
  uint8_t space;
  bool has_addr, is_seen;
};

struct list {
  struct access v[MOST];
  uint32_t n;
};

static void read_stream(struct weir_warp_reader *reader, const uint32_t *origin, struct list *l) {
  struct weir_dyn d;
  for (l->n = 0; l->n < MOST && weir_next(reader, &d); l->n++) {
    struct access *a = &l->v[l->n];
    *a = (struct access){.insn = origin != NULL ? origin[d.insn] : d.insn,
                         .mask = d.mask,
                         .at = l->n,
                         .space = d.has_addr ? d.addrs.space : WEIR_SP_NONE,
                         .has_addr = d.has_addr};
    if (d.has_addr) weir_expand(&d, a->lane);
  }
  assert_int_equal(reader->status, WEIR_OK);
  weir_reader_close(reader);
}

static bool is_same(const struct access *a, const struct access *b) {
  if (a->insn != b->insn || a->mask != b->mask || a->has_addr != b->has_addr) return false;
  for (uint32_t k = 0; a->has_addr && k < WEIR_LANES; k++)
    if (a->mask >> k & 1 && a->lane[k] != b->lane[k]) return false;
  return true;
}

/* Where each came from. */
static void match(struct list *in, struct list *out) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    uint32_t k = first;
    while (k < in->n && (in->v[k].is_seen || !is_same(&in->v[k], &out->v[i])))
      k++;
    if (k == in->n && in->n == MOST) { /* the list was cut */
      out->n = i;
      return;
    }
    assert_true(k < in->n);
    in->v[k].is_seen = true;
    out->v[i].at = k;
    while (first < in->n && (in->v[first].is_seen || first + 2 * AROUND < k))
      first++;
  }
}

static bool meet(const struct weir_kernel_info *k, const struct access *a, const struct access *b) {
  const struct weir_static *s = &k->insns[a->insn], *t = &k->insns[b->insn];
  if (!a->has_addr || !b->has_addr || a->space != b->space) return false;
  if (s->cls == WEIR_C_LOAD && t->cls == WEIR_C_LOAD) return false;
  if (s->cache_op == WEIR_CO_NC || t->cache_op == WEIR_CO_NC) return false; /* so it was promised */
  for (uint32_t both = a->mask & b->mask; both != 0; both &= both - 1) {
    uint64_t x = a->lane[__builtin_ctz(both)], y = b->lane[__builtin_ctz(both)];
    if (x < y + t->width && y < x + s->width) return true;
  }
  return false;
}

static uint32_t check_memory(const struct weir_kernel_info *k, const struct list *out) {
  uint32_t n_moved = 0;
  for (uint32_t i = 0; i < out->n; i++) {
    const struct access *a = &out->v[i];
    if (!a->has_addr) continue;
    for (uint32_t j = i + 1; j < out->n && j < i + AROUND; j++)
      if (out->v[j].at < a->at) {
        n_moved++;
        assert_false(meet(k, a, &out->v[j]));
      }
  }
  return n_moved;
}

/* ---- running ---- */

struct run {
  struct text t;
  uint64_t array;
  struct ptx_program *p;
  struct ptx_run *run;
  uint8_t params[4096];
};

static void set_params(struct run *r) {
  const struct ptx_func *f = r->p->entry;
  memset(r->params, 0, sizeof r->params);
  for (uint32_t i = 0; i < f->n_params; i++) {
    uint64_t v = r->array + ARRAY / 2 + 4096 + 256 * i;
    if (f->params[i].bytes == 4 && f->params[i].type != PTX_T_f32) v = 21;
    if (f->params[i].type == PTX_T_f32) v = 0x3f800000;
    if (f->params[i].offset + 8 <= sizeof r->params && f->params[i].bytes <= 8)
      memcpy(r->params + f->params[i].offset, &v, f->params[i].bytes);
  }
}

static bool begin(struct run *r, const char *kernel) {
  struct weir_err err;
  assert_int_equal(ptx_program_build(r->t.image, kernel, &r->t.cfg, &r->p, &err), WEIR_OK);
  set_params(r);
  memset(ptx_mem_host(&r->t.dev.mem, r->array), 0, ARRAY); /* the same for every run */
  struct ptx_launch launch = {
      .grid = {2, 1, 1}, .block = {64, 1, 1}, .dyn_shared = 4096, .params = r->params};
  if (ptx_run_begin(&r->t.dev, r->p, &launch, true, &r->run, &err) == WEIR_OK) return true;
  ptx_program_free(r->p);
  return false;
}

static void end(struct run *r) {
  ptx_run_end(r->run);
  ptx_program_free(r->p);
}

/* True: some access has moved; what faults says nothing. */
static bool check_kernel(struct run *r, const char *kernel, uint32_t *n_run) {
  static struct list in, out;
  uint64_t counts[3] = {0};
  struct weir_reorder_cfg c;
  struct weir_reordered *k;
  struct weir_block_stream *b = NULL;
  struct weir_err err;
  uint32_t n_moved = 0;
  if (!begin(r, kernel)) return false;
  const struct weir_kernel_info *info = ptx_run_info(r->run);
  if (ptx_run_next(r->run, &b, &err) == WEIR_OK && b != NULL) {
    weir_param_defaults(weir_reorder_params.table, &c);
    c.order = WEIR_INSNS_LOOPS;
    c.tests = *n_run % 2;
    assert_int_equal(weir_reorder_kernel(&c, info, &k, &err), WEIR_OK);
    struct weir_reorderer *x =
        weir_reorderer_new(1, (struct weir_reorder_counts){&counts[0], &counts[1], &counts[2]});
    assert_non_null(x);
    assert_true(weir_reorderer_kernel(x, k));
    struct weir_warp_reader reader;
    weir_reader_open(&reader, &b->warps[0], info, false);
    read_stream(&reader, NULL, &in);
    assert_true(weir_reorderer_open(x, 0, &reader, &b->warps[0], false));
    read_stream(&reader, k->origin, &out);
    if (in.n < MOST) assert_int_equal(out.n + counts[2], in.n);
    match(&in, &out);
    n_moved = check_memory(info, &out);
    ++*n_run;
    weir_reorderer_free(x);
    weir_reordered_free(k);
    ptx_run_release(r->run, b);
  }
  end(r);
  return n_moved > 0;
}

static void open_file(struct run *r, const char *path) {
  struct weir_err err;
  *r = (struct run){0};
  const char *why = text_open(&r->t, path);
  if (why != NULL) fail_msg("%s", why);
  r->t.dev.cfg.max_instructions = 40000; /* some go round in circles here */
  if (ptx_mem_alloc(&r->t.dev.mem, ARRAY, 0, "array", false, &r->array, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
}

typedef void (*each)(struct run *r, const char *kernel, void *self);

static void for_kernels(each f, void *self) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    size_t len = strlen(e->d_name);
    char path[4096];
    struct run r;
    if (len < 4 || strcmp(e->d_name + len - 4, ".ptx") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    open_file(&r, path);
    for (uint32_t i = 0; i < r.t.m->n_funcs; i++)
      if (r.t.m->funcs[i]->is_entry && r.t.m->funcs[i]->has_body)
        f(&r, r.t.m->funcs[i]->name, self);
    text_close(&r.t);
  }
  closedir(dir);
}

struct tally {
  uint32_t n, n_run, n_moved;
};

static void check_one(struct run *r, const char *kernel, void *self) {
  struct tally *t = self;
  t->n++;
  t->n_moved += check_kernel(r, kernel, &t->n_run);
}

static void memory(void **state) {
  (void)state;
  struct tally t = {0};
  for_kernels(check_one, &t);
  assert_true(t.n > 200);
  assert_true(t.n_run > t.n / 2);
  assert_true(t.n_moved > t.n / 4);
}

/* ---- time ---- */

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  return ptx_run_next(src->self, out, err);
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  ptx_run_release(src->self, b);
}

static bool time_kernel(struct run *r, const char *kernel, const struct machine *x,
                        const struct weir_reorder_cfg *c, uint32_t threads,
                        struct weir_sim_result *result) {
  const struct weir_sim_options o = {
      .threads = threads, .check = true, .watchdog = 1000000, .order = c};
  struct weir_err err;
  struct weir_sim *sim;
  struct weir_func_stats stats;
  if (!begin(r, kernel)) return false;
  assert_int_equal(weir_sim_new(&x->m, NULL, &o, &sim, &err), WEIR_OK);
  struct weir_block_source source = {
      .kernel = ptx_run_info(r->run), .next = next_block, .release = release_block, .self = r->run};
  memset(result, 0, sizeof *result);
  bool ok = weir_sim_kernel(sim, &source, result, &err) == WEIR_OK;
  if (!ok && ptx_run_fault(r->run) == PTX_F_NONE) fail_msg("%s: %s", kernel, err.msg);
  ptx_run_stats(r->run, &stats);
  if (ok) {
    assert_int_equal(result->sm.warp_insns, stats.warp_insns);
    assert_int_equal(result->sm.slot[WEIR_SLOT_ISSUED] + result->sm.insns_left_out,
                     stats.warp_insns);
  }
  weir_sim_free(sim);
  end(r);
  return ok;
}

struct timing {
  struct machine x;
  uint32_t n, n_faster, n_left_out;
};

/* Every eighth kernel: in each order, with one thread and with three. */
static void time_one(struct run *r, const char *kernel, void *self) {
  struct timing *t = self;
  struct weir_reorder_cfg c;
  struct weir_sim_result off, none, one, three;
  if (t->n++ % 8 != 0) return;
  weir_param_defaults(weir_reorder_params.table, &c);
  if (!time_kernel(r, kernel, &t->x, NULL, 1, &off)) return;
  assert_true(time_kernel(r, kernel, &t->x, &c, 1, &none)); /* off is the default */
  assert_memory_equal(&off, &none, sizeof off);
  c.order = WEIR_INSNS_LOOPS;
  c.pc = t->n % 2 ? WEIR_PC_COPY : WEIR_PC_PTX;
  c.tests = t->n / 2 % 2;
  assert_true(time_kernel(r, kernel, &t->x, &c, 1, &one));
  assert_true(time_kernel(r, kernel, &t->x, &c, 3, &three));
  assert_memory_equal(&one, &three, sizeof one);
  assert_int_equal(one.sm.requests, off.sm.requests);
  t->n_faster += one.cycles < off.cycles;
  t->n_left_out += one.sm.insns_left_out > 0;
}

static void times(void **state) {
  (void)state;
  struct timing t = {0};
  const char *const set[] = {"sm.count=2", NULL};
  machine_init(&t.x, NULL, set);
  for_kernels(time_one, &t);
  assert_true(t.n_faster > 5);
  assert_true(t.n_left_out > 3);
  machine_free(&t.x);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(times)};
  if (argc != 2) return 2;
  folder = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
