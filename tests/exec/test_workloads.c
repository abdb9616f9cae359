/* Every built-in workload, executed in several ways that must give the same bits:
 * without and with streams, with streams that spill, with every vector width of this host, with
 * other waves and quanta. What the streams say, decoded, must be what the statistics say. */
#include "vm.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

#include "launch/workload.h"

static const char *folder; /* workloads/ */
static const char *truth;  /* what a GPU found */

/* One launch, and what its streams say about it. */
struct seen {
  struct weir_func_stats stats, decoded;
  uint64_t content; /* hash of the decoded streams */
  bool is_interleaved;
};

struct outcome {
  struct seen *launch;
  unsigned n, cap;
  uint64_t buffers; /* hash of all */
  bool is_interleaved;
  /* while it runs */
  struct weir_func_stats decoded;
  XXH64_state_t *hash;
};

/* ---- decoding ---- */

/* Lines of 128 bytes and sectors, by the full coalescer: what the functional statistics count is
 * found another way. */
static void count_requests(const uint64_t *addr, uint32_t mask, unsigned width, uint64_t *lines,
                           uint64_t *sectors) {
  struct weir_requests r;
  weir_coalesce(addr, mask, width, WEIR_COUNT_LINE_BYTES, WEIR_SECTOR_BYTES, &r);
  *lines += r.n;
  for (unsigned i = 0; i < r.n; i++)
    *sectors += (unsigned)__builtin_popcount(r.r[i].sectors);
}

static void count_access(struct weir_func_stats *s, const struct weir_static *in,
                         const struct weir_dyn *d, const uint64_t *addr) {
  bool is_read = in->cls == WEIR_C_LOAD || in->cls == WEIR_C_TEX;
  enum weir_mem_dir dir = is_read                   ? WEIR_DIR_LOAD
                          : in->cls == WEIR_C_STORE ? WEIR_DIR_STORE
                                                    : WEIR_DIR_ATOM;
  s->mem_insns++;
  s->mem_lanes += weir_mask_lanes(d->mask);
  s->mem[d->addrs.space][dir]++;
  switch (d->addrs.space) {
  case WEIR_SP_GLOBAL: {
    uint64_t lines = 0, sectors = 0;
    count_requests(addr, d->mask, in->width, &lines, &sectors);
    s->global_insns++;
    s->global_requests[dir] += lines;
    s->global_sectors[dir] += sectors;
    s->all_global_requests += lines;
    s->all_global_sectors += sectors;
    break;
  }
  case WEIR_SP_LOCAL: /* the words of an access lie a line apart */
    for (unsigned word = 0; word < in->width; word += 4)
      count_requests(addr, d->mask, in->width < 4 ? in->width : 4, &s->local_requests,
                     &s->local_sectors);
    break;
  case WEIR_SP_SHARED:
    s->shared_insns++;
    s->shared_passes += weir_bank_passes(addr, d->mask, in->width);
    break;
  default:
    break;
  }
}

static void decode_block(void *self, const struct weir_kernel_info *info,
                         struct weir_block_stream *b) {
  struct outcome *o = self;
  assert_int_equal(b->n_warps, info->n_warps);
  for (uint32_t w = 0; w < b->n_warps; w++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    uint64_t n = 0;
    weir_reader_open(&r, &b->warps[w], info, false);
    while (weir_next(&r, &d)) {
      uint64_t addr[WEIR_LANES];
      const struct weir_static *in = &info->insns[d.insn];
      n++;
      weir_count_insn(&o->decoded, (enum weir_class)in->cls, d.mask);
      XXH64_update(o->hash, &d.insn, sizeof d.insn);
      XXH64_update(o->hash, &d.mask, sizeof d.mask);
      if (!d.has_addr) continue;
      weir_expand(&d, addr);
      for (unsigned i = 0; i < WEIR_LANES; i++)
        if (!(d.mask >> i & 1)) addr[i] = 0;
      XXH64_update(o->hash, addr, sizeof addr);
      if (in->cls != WEIR_C_BARRIER) count_access(&o->decoded, in, &d, addr);
    }
    assert_int_equal(r.status, WEIR_OK);
    assert_int_equal(n, b->warps[w].n_insns);
    weir_reader_close(&r);
  }
}

static void launched(void *self, const struct weir_launch_report *report) {
  struct outcome *o = self;
  if (o->n == o->cap) {
    o->cap = o->cap > 0 ? 2 * o->cap : 64;
    o->launch = realloc(o->launch, o->cap * sizeof o->launch[0]);
    assert_non_null(o->launch);
  }
  struct seen *l = &o->launch[o->n++];
  l->stats = report->stats;
  l->decoded = o->decoded;
  l->content = XXH64_digest(o->hash);
  l->is_interleaved = report->info->is_interleaved;
  o->is_interleaved |= l->is_interleaved;
  memset(&o->decoded, 0, sizeof o->decoded);
  XXH64_reset(o->hash, 0);
}

/* ---- running ---- */

static void run_input(const char *path, const char *input, const struct ptx_exec_cfg *cfg,
                      bool streams, struct outcome *o) {
  struct weir_err err;
  struct ptx_device dev;
  struct weir_workload *w;
  free(o->launch); /* of the last run in this place */
  memset(o, 0, sizeof *o);
  o->hash = XXH64_createState();
  XXH64_reset(o->hash, 0);
  if (ptx_device_init(&dev, cfg, &err) != WEIR_OK) fail_msg("%s", err.msg);
  if (weir_workload_open(&dev, path, input, &w, &err) != WEIR_OK &&
      weir_workload_open(&dev, path, NULL, &w, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  struct weir_workload_hooks h = {
      .launched = launched, .block = decode_block, .self = o, .want_streams = streams};
  if (weir_workload_run(w, &h, &err) != WEIR_OK || weir_workload_check(w, &err) != WEIR_OK)
    fail_msg("%s: %s", path, err.msg);
  const struct weir_launchfile *lf = weir_workload_file(w);
  for (uint32_t i = 0; i < lf->n_buffers; i++) {
    uint64_t bytes;
    const void *data = weir_workload_buffer(w, lf->buffers[i].name, &bytes);
    o->buffers = XXH64(data, bytes, o->buffers);
  }
  weir_workload_close(w);
  ptx_device_free(&dev);
  XXH64_freeState(o->hash);
}

static void run(const char *path, const struct ptx_exec_cfg *cfg, bool streams, struct outcome *o) {
  run_input(path, "test", cfg, streams, o);
}

static void same_stats(const char *path, const char *how, const struct outcome *a,
                       const struct outcome *b) {
  if (a->buffers != b->buffers) fail_msg("%s: %s: buffers differ", path, how);
  if (a->n != b->n) fail_msg("%s: %s: %u and %u launches", path, how, a->n, b->n);
  for (unsigned i = 0; i < a->n; i++)
    if (memcmp(&a->launch[i].stats, &b->launch[i].stats, sizeof a->launch[i].stats) != 0)
      fail_msg("%s: %s: statistics of launch %u differ", path, how, i);
}

static void same_streams(const char *path, const char *how, const struct outcome *a,
                         const struct outcome *b) {
  same_stats(path, how, a, b);
  for (unsigned i = 0; i < a->n; i++)
    if (a->launch[i].content != b->launch[i].content)
      fail_msg("%s: %s: streams of launch %u differ", path, how, i);
}

/* The decoded streams against the statistics: all that a stream can tell. */
static void check_decoded(const char *path, const struct outcome *o) {
  for (unsigned i = 0; i < o->n; i++) {
    struct weir_func_stats s = o->launch[i].stats;
    s.branches = s.divergent_branches = s.barriers = 0;
    assert_int_equal(o->launch[i].stats.barriers, o->launch[i].decoded.by_class[WEIR_C_BARRIER]);
#define SAME(field)                                                                                \
  if (memcmp(&s.field, &o->launch[i].decoded.field, sizeof s.field) != 0)                          \
  fail_msg("%s: launch %u: the streams give another " #field, path, i)
    SAME(warp_insns);
    SAME(thread_insns);
    SAME(by_class);
    SAME(mem_insns);
    SAME(mem_lanes);
    SAME(mem);
    SAME(global_requests);
    SAME(global_sectors);
    SAME(local_requests);
    SAME(local_sectors);
    SAME(shared_insns);
    SAME(shared_passes);
    SAME(global_insns);
    SAME(all_global_requests);
    SAME(all_global_sectors);
#undef SAME
  }
}

static bool has_simd(enum ptx_simd simd) {
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.simd = simd;
  vm_open_as_is(&vm, KERNEL(""));
  bool has = vm_try(&vm, "k", LINE(1, 32), NULL, 0) == WEIR_OK;
  vm_close(&vm);
  return has;
}

/* ---- over all workloads ---- */

typedef void (*check_fn)(const char *path, const struct ptx_exec_cfg *cfg);

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static unsigned scan(const char *dir, check_fn check, unsigned depth) {
  struct dirent **list;
  unsigned done = 0;
  int n = scandir(dir, &list, NULL, by_name);
  for (int i = 0; i < n; i++) {
    char path[1024];
    const char *name = list[i]->d_name, *end = strrchr(name, '.');
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (end != NULL && strcmp(end, ".yaml") == 0) {
      struct vm vm;
      vm_defaults(&vm);
      check(path, &vm.cfg);
      done++;
    } else if (depth == 0 && name[0] != '.')
      done += scan(path, check, 1);
    free(list[i]);
  }
  if (n >= 0) free(list);
  return done;
}

static void each(check_fn check) {
  assert_true(scan(folder, check, 0) >= 30);
}

static void check_streams(const char *path, const struct ptx_exec_cfg *cfg) {
  static struct outcome plain, streams, spilled;
  struct ptx_exec_cfg tiny = *cfg;
  tiny.stream_memory = 8192;
  run(path, cfg, false, &plain);
  run(path, cfg, true, &streams);
  run(path, &tiny, true, &spilled);
  same_stats(path, "with streams", &plain, &streams);
  check_decoded(path, &streams);
  same_streams(path, "spilled streams", &streams, &spilled);
}
static void streams_say_the_same(void **state) {
  (void)state;
  each(check_streams);
}

static const struct width {
  enum ptx_simd simd;
  const char *name;
} widths[] = {{PTX_SIMD_AVX2, "avx2"}, {PTX_SIMD_AVX512, "avx512"}}, *width;

static void check_width(const char *path, const struct ptx_exec_cfg *cfg) {
  static struct outcome base, other;
  struct ptx_exec_cfg c = *cfg;
  c.simd = PTX_SIMD_BASE;
  run(path, &c, true, &base);
  c.simd = width->simd;
  run(path, &c, true, &other);
  same_streams(path, width->name, &base, &other);
}
static void widths_give_the_same(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    width = &widths[i];
    if (has_simd(width->simd))
      each(check_width);
    else
      print_message("this host has no %s\n", width->name);
  }
}

/* A wave means nothing to an ordinary kernel. A quantum does where warps of a block race, but
 * results must come out. */
static void check_waves(const char *path, const struct ptx_exec_cfg *cfg) {
  static struct outcome usual, other;
  struct ptx_exec_cfg c = *cfg;
  run(path, cfg, true, &usual);
  c.wave = 3;
  c.deadlock_quanta = 3000;
  run(path, &c, true, &other);
  if (!usual.is_interleaved) same_streams(path, "another wave", &usual, &other);
  c.quantum = 17;
  run(path, &c, false, &other);
}
static void waves_change_interleaved_only(void **state) {
  (void)state;
  each(check_waves);
}

/* Where the nodes of a tree lie depends on the order of atomics that give out places. Its launch
 * file checks what does not. */
static bool is_by_order(const char *name) {
  static const char *const by_order[] = {"lonestar-bh", NULL};
  for (size_t i = 0; by_order[i] != NULL; i++)
    if (strcmp(name, by_order[i]) == 0) return true;
  return false;
}

/* All buffers, scratch and all, are left as on a GPU (tools/hw/launch_gpu.sh suite). */
static void a_gpu_gives_the_same(void **state) {
  (void)state;
  static struct outcome ours;
  char line[1024], name[64], input[64], result[64];
  unsigned long long buffers;
  unsigned n = 0, n_other = 0;
  FILE *f = fopen(truth, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f) != NULL) {
    char path[1024];
    struct vm vm;
    if (sscanf(line, "%63[a-z0-9-]\t%63[a-z@]\t%*[^\t]\t%*s\t%*s\t%*s\t%*s\t%llx\t%63s", name,
               input, &buffers, result) != 4 ||
        strncmp(input, "test", 4) != 0)
      continue;
    assert_string_equal(result, "ok");
    snprintf(path, sizeof path, "%s/%s/%s.yaml", folder, name, name);
    if (access(path, R_OK) != 0) snprintf(path, sizeof path, "%s/simt/%s.yaml", folder, name);
    vm_defaults(&vm);
    run_input(path, input, &vm.cfg, false, &ours);
    n++;
    if (ours.buffers == buffers || is_by_order(name)) continue;
    print_error("%s, %s: other buffers than on the GPU\n", name, input);
    n_other++;
  }
  fclose(f);
  assert_int_equal(n_other, 0);
  assert_true(n >= 120);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  folder = argv[1];
  truth = argv[2];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams_say_the_same),
      cmocka_unit_test(widths_give_the_same),
      cmocka_unit_test(waves_change_interleaved_only),
      cmocka_unit_test(a_gpu_gives_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
