#include "cuda/runtime/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cuda/runtime/attributes.h"
#include "cuda/runtime/host.h"
#include "cuda/runtime/memory.h"
#include "exec/core.h"
#include "stream/stray.h"

enum { MAX_GRID_YZ = 65535, MAX_BLOCK_XY = 1024, MAX_BLOCK_Z = 64 };

uint8_t *weir_gpu_pack(const struct weir_gpu_kernel *k, void *const *args) {
  const struct ptx_func *f = k->entry;
  uint8_t *block = weir_calloc(1, (size_t)f->param_bytes + 1);
  for (uint32_t i = 0; block != NULL && i < f->n_params; i++)
    memcpy(block + f->params[i].offset, args[i], (size_t)f->params[i].bytes);
  return block;
}

/* ---- may it start? ---- */

static bool is_grid(const uint32_t g[3]) {
  return g[0] != 0 && g[1] != 0 && g[2] != 0 && g[0] <= INT32_MAX && g[1] <= MAX_GRID_YZ &&
         g[2] <= MAX_GRID_YZ;
}

static bool is_block(const uint32_t b[3]) {
  return b[0] != 0 && b[1] != 0 && b[2] != 0 && b[0] <= MAX_BLOCK_XY && b[1] <= MAX_BLOCK_XY &&
         b[2] <= MAX_BLOCK_Z && (uint64_t)b[0] * b[1] * b[2] <= weir_gpu.props.threads_per_block;
}

bool weir_gpu_is_configuration(const uint32_t grid[3], const uint32_t block[3]) {
  return is_grid(grid) && is_block(block);
}

static uint64_t product(const uint32_t v[3]) {
  return (uint64_t)v[0] * (v[1] ? v[1] : 1) * (v[2] ? v[2] : 1);
}

/* A kernel made for clusters of several blocks (__cluster_dims__) sees other numbers without them.
 */
static int check_clusters(const struct weir_gpu_kernel *k) {
  for (const char *const *d = k->entry->extra_directives; d != NULL && *d != NULL; d++)
    if (strstr(*d, "cluster") != NULL && strstr(*d, "maxclusterrank") == NULL) {
      weir_gpu_say("kernel %s: clusters of blocks (%s) are not supported", k->name, *d);
      return WEIR_E_NotSupported;
    }
  return 0;
}

static int check_bounds(const struct weir_gpu_launch *l) {
  const struct ptx_func *f = l->kernel->entry;
  for (int i = 0; i < 3 && f->reqntid[0] != 0; i++)
    if (l->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1)) return WEIR_E_InvalidValue;
  if (f->maxntid[0] != 0 && product(l->block) > product(f->maxntid)) return WEIR_E_InvalidValue;
  return 0;
}

static uint64_t shared_limit(const struct weir_gpu_kernel *k) {
  uint64_t fixed = k->program->static_shared;
  uint64_t asked = k->max_dynamic_shared != 0 ? k->max_dynamic_shared + fixed : 0;
  return asked > weir_gpu.props.shared_per_block ? asked : weir_gpu.props.shared_per_block;
}

int weir_gpu_launch_check(const struct weir_gpu_launch *l) {
  if (!weir_gpu_is_configuration(l->grid, l->block)) return WEIR_E_InvalidValue;
  int error = weir_gpu_kernel_load(l->kernel);
  if (error != 0) return error;
  error = check_bounds(l);
  if (error == 0) error = check_clusters(l->kernel);
  if (error != 0) return error;
  if (l->dyn_shared + l->kernel->program->static_shared > shared_limit(l->kernel))
    return WEIR_E_InvalidValue;
  if (!l->is_cooperative) return 0;
  int blocks;
  error = weir_gpu_occupancy(l->kernel, product(l->block), l->dyn_shared, &blocks);
  if (error != 0) return error;
  return product(l->grid) <= (uint64_t)blocks * weir_gpu.props.sms
             ? 0
             : WEIR_E_CooperativeLaunchTooLarge;
}

/* ---- how many fit ---- */

enum { REG_UNIT = 256, REGS_PER_THREAD_UNIT = 8, SHARED_UNIT = 128 };

static uint32_t regs_of(const struct weir_gpu_kernel *k) {
  uint32_t regs = k->program->regs_estimate;
  return k->entry->maxnreg != 0 && k->entry->maxnreg < regs ? k->entry->maxnreg : regs;
}

static uint64_t round_up(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

int weir_gpu_occupancy(struct weir_gpu_kernel *k, uint64_t threads, uint64_t dyn_shared,
                       int *blocks) {
  const struct weir_wire_device *p = &weir_gpu.props;
  *blocks = 0;
  int error = weir_gpu_kernel_load(k);
  if (error != 0) return error;
  if (threads == 0) return WEIR_E_InvalidValue;
  uint64_t shared = dyn_shared + k->program->static_shared;
  if (threads > p->threads_per_block || shared > p->shared_opt_in) return 0;
  uint64_t warps = (threads + p->warp_size - 1) / p->warp_size;
  uint64_t regs = round_up(regs_of(k), REGS_PER_THREAD_UNIT);
  uint64_t of_warp = round_up(regs * p->warp_size, REG_UNIT);
  uint64_t n = smaller(p->blocks_per_sm, p->threads_per_sm / p->warp_size / warps);
  uint64_t by_regs = of_warp != 0 ? p->registers_per_sm / of_warp / warps : n;
  /* An estimate that is too high does not make a launch impossible. */
  n = smaller(n, by_regs > 0 ? by_regs : 1);
  if (shared != 0) {
    uint64_t reserved = weir_gpu_reserved_shared();
    n = smaller(n, p->shared_per_sm / round_up(shared + reserved, SHARED_UNIT));
  }
  *blocks = (int)n;
  return 0;
}

static uint64_t constant_bytes(const struct ptx_module *m) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < m->n_vars; i++)
    if (m->vars[i]->space == PTX_SPACE_const) sum += m->vars[i]->bytes;
  return sum;
}

static uint64_t most_dynamic(const struct weir_gpu_kernel *k) {
  uint64_t limit = shared_limit(k);
  return limit > k->program->static_shared ? limit - k->program->static_shared : 0;
}

int weir_gpu_kernel_figures(struct weir_gpu_kernel *k, struct weir_gpu_figures *f) {
  int error = weir_gpu_kernel_load(k);
  if (error != 0) return error;
  const struct ptx_func *e = k->entry;
  uint64_t limit = weir_gpu.props.threads_per_block;
  if (e->maxntid[0] != 0) limit = smaller(limit, product(e->maxntid));
  *f = (struct weir_gpu_figures){.shared = k->program->static_shared,
                                 .constant = constant_bytes(k->unit->ir),
                                 .local = k->program->local_bytes,
                                 .max_threads = (int)limit,
                                 .regs = (int)regs_of(k),
                                 .ptx_version = (int)k->unit->ir->sm,
                                 .max_dynamic_shared = (int)most_dynamic(k)};
  return 0;
}

int weir_gpu_kernel_max_shared(struct weir_gpu_kernel *k, int bytes) {
  int error = weir_gpu_kernel_load(k);
  if (error != 0) return error;
  if (bytes < 0 || (uint64_t)bytes + k->program->static_shared > weir_gpu.props.shared_opt_in)
    return WEIR_E_InvalidValue;
  k->max_dynamic_shared = (uint64_t)bytes;
  return 0;
}

/* ---- time ---- */

/* One warp instruction per SM and cycle, and a fixed cost to start: an order of magnitude that is
 * the same for every run. */
static double estimate_kernel(const struct weir_func_stats *s) {
  const double start_ns = 2000;
  double cycles = (double)s->warp_insns / (double)weir_gpu.props.sms;
  return start_ns + cycles * 1e6 / (double)weir_gpu.props.clock_khz;
}

/* 25 GB/s over the bus; within the device the memory's bandwidth, for reading and writing. */
double weir_gpu_estimate_copy(uint64_t bytes, bool crosses) {
  const double start_ns = 1000, bus_bytes_per_ns = 25;
  const struct weir_wire_device *p = &weir_gpu.props;
  double memory = 2.0 * (double)p->memory_clock_khz * (double)p->bus_bits / 8 / 1e6;
  return start_ns + (double)bytes / (crosses ? bus_bytes_per_ns : memory / 2);
}

/* ---- running ---- */

static int code_of(enum ptx_fault_kind kind) {
  switch (kind) {
  case PTX_F_BOUNDS:
  case PTX_F_READONLY:
  case PTX_F_TEXTURE:
  case PTX_F_STACK: /* what a GPU finds is an access past the stack */
    return WEIR_E_IllegalAddress;
  case PTX_F_ALIGN:
    return WEIR_E_MisalignedAddress;
  case PTX_F_ASSERT:
    return WEIR_E_Assert;
  case PTX_F_BRANCH:
  case PTX_F_CALL:
    return WEIR_E_InvalidPc;
  case PTX_F_BARRIER:
  case PTX_F_MEMBERS:
    return WEIR_E_IllegalInstruction;
  case PTX_F_HANG:
  case PTX_F_LIMIT:
    return WEIR_E_LaunchTimeout;
  case PTX_F_NOMEM:
    return WEIR_E_MemoryAllocation;
  default:
    return WEIR_E_LaunchFailure;
  }
}

/* The connection is lost: go on without it. */
static void lose_wire(const struct weir_err *err) {
  weir_wire_close(weir_gpu.wire);
  weir_gpu.wire = NULL;
  weir_gpu.in_process = true;
  weir_gpu_say("%s\n  the program goes on without timing", err->msg);
}

/* The wire gets `call`, if there is one and it works. */
#define ON_WIRE(call)                                                                              \
  do {                                                                                             \
    struct weir_err wire_err;                                                                      \
    struct weir_err *err_ = &wire_err;                                                             \
    if (weir_gpu.wire != NULL && (call) != WEIR_OK) lose_wire(&wire_err);                          \
  } while (0)

void weir_gpu_tell_copy(const struct weir_gpu_copy *c) {
  bool to = weir_gpu_side_on_device(&c->dst), from = weir_gpu_side_on_device(&c->src);
  if (!to && !from) return;
  enum weir_event_kind kind = to && from ? WEIR_EVENT_COPY_ON_DEVICE
                              : to       ? WEIR_EVENT_COPY_TO_DEVICE
                                         : WEIR_EVENT_COPY_FROM_DEVICE;
  const struct weir_gpu_side *s = to ? &c->dst : &c->src;
  ON_WIRE(
      weir_wire_copy(weir_gpu.wire, kind, weir_gpu_side_start(s), weir_gpu_copy_bytes(c), err_));
}

int weir_gpu_region(bool is_inside) {
  if (weir_gpu.wire != NULL) weir_wire_region(weir_gpu.wire, is_inside);
  return 0;
}

/* A launch that has begun. Weir is told of it when it ends, or when nothing can park it any more:
 * what it is told is one launch after the other. */
struct weir_gpu_running {
  struct ptx_run *run;
  struct weir_gpu_kernel *kernel;
  uint64_t stream, module;
  bool is_wanted, has_streams, is_told;
  uint8_t carveout; /* as in struct weir_kernel_info */
};

static void ask_wire(struct weir_gpu_running *g, struct weir_gpu_unit *u) {
  if (weir_gpu.wire == NULL) return;
  const struct weir_wire_options *o = weir_wire_options(weir_gpu.wire);
  g->is_wanted = weir_wire_wants(weir_gpu.wire, g->kernel->name);
  g->has_streams = g->is_wanted && o->want_streams;
  if (g->is_wanted && o->want_modules && !u->is_sent) {
    ON_WIRE(weir_wire_module(weir_gpu.wire, u->id, u->ir->path, u->text, u->n_text, err_));
    u->is_sent = true;
  }
  g->module = u->is_sent ? u->id : 0;
}

static void tell_begin(struct weir_gpu_running *g) {
  if (g->is_told) return;
  g->is_told = true;
  uint64_t number = ++weir_gpu.n_launches;
  struct weir_kernel_info info = *ptx_run_info(g->run);
  info.carveout = g->carveout;
  ON_WIRE(weir_wire_begin(weir_gpu.wire,
                          &(struct weir_wire_launch){.info = &info,
                                                     .number = number,
                                                     .stream = g->stream,
                                                     .module = g->module,
                                                     .has_streams = g->has_streams,
                                                     .is_wanted = g->is_wanted},
                          err_));
}

static enum weir_status run_blocks(struct weir_gpu_running *g, struct weir_err *err) {
  struct weir_block_stream *b = NULL;
  enum weir_status st;
  do {
    st = ptx_run_next(g->run, &b, err);
    if (st != WEIR_OK || b == NULL) break;
    tell_begin(g);
    if (!g->has_streams) continue;
    ON_WIRE(weir_wire_block(weir_gpu.wire, b, err_));
    ptx_run_release(g->run, b);
  } while (true);
  return st;
}

static bool is_told(struct weir_gpu_kernel *k, const struct weir_stray *s) {
  uint64_t key = 2 * (uint64_t)s->pc + s->is_other;
  for (size_t i = 0; i < k->told.n; i++)
    if (k->told.v[i] == key) return true;
  return !WEIR_PUSH(k->told, key);
}

/* Accesses that missed, and a GPU would not have noticed. weir counts them; without it the user is
 * told once of each instruction. */
static void tell_stray(void *self, const struct weir_stray *s) {
  ON_WIRE(weir_wire_stray(weir_gpu.wire, s, err_));
  if (weir_gpu.wire != NULL || is_told(self, s)) return;
  struct weir_text text = {0};
  weir_stray_text(s, NULL, &text);
  if (text.v != NULL && text.n > 0) text.v[text.n - 1] = 0; /* the last end of line */
  if (text.v != NULL)
    weir_gpu_say("outside of %s; the program goes on, as on a GPU:\n%s",
                 s->is_other ? "its allocation" : "allocations", text.v);
  weir_text_free(&text);
}

static void finish(struct weir_gpu_running *g, enum weir_status st, const struct weir_err *err) {
  struct weir_func_stats stats;
  tell_begin(g);
  ptx_run_stats(g->run, &stats);
  ptx_run_strays(g->run, tell_stray, g->kernel, NULL);
  weir_gpu.kernel_ns += estimate_kernel(&stats);
  if (st != WEIR_OK) weir_gpu.sticky = weir_gpu_fail(code_of(ptx_run_fault(g->run)), err);
  ON_WIRE(weir_wire_end(weir_gpu.wire, &stats, st, err_));
  ptx_run_end(g->run);
  free(g);
}

/* What is preferred for this launch, as weir_kernel_info has it: percent of the largest carveout,
 * and 1. */
static uint8_t preferred(const struct weir_gpu_launch *l) {
  static const uint8_t of_config[] = {0, 101, 1, 51}; /* none, shared, L1, equal */
  const struct weir_gpu_kernel *k = l->kernel;
  if (l->carveout != 0) return l->carveout;
  if (weir_gpu_is_percent(k->carveout)) return (uint8_t)(k->carveout + 1);
  return of_config[k->cache_config != 0 ? k->cache_config : weir_gpu.cache_config];
}

int weir_gpu_launch_begin(const struct weir_gpu_launch *l, uint64_t stream,
                          struct weir_gpu_running **out) {
  struct ptx_launch launch = {.dyn_shared = (uint32_t)l->dyn_shared,
                              .params = l->params,
                              .cooperative = l->is_cooperative,
                              .may_park = true};
  memcpy(launch.grid, l->grid, sizeof launch.grid);
  memcpy(launch.block, l->block, sizeof launch.block);
  weir_gpu_flush();
  *out = NULL;
  struct weir_gpu_running *g = weir_calloc(1, sizeof *g);
  if (g == NULL) return WEIR_E_MemoryAllocation;
  g->kernel = l->kernel;
  g->stream = stream;
  g->carveout = preferred(l);
  ask_wire(g, l->kernel->unit);
  struct weir_err err;
  enum weir_status st =
      ptx_run_begin(&weir_gpu.dev, l->kernel->program, &launch, g->has_streams, &g->run, &err);
  if (st != WEIR_OK) {
    free(g);
    return weir_gpu_fail(st == WEIR_ENOMEM ? WEIR_E_MemoryAllocation : WEIR_E_InvalidConfiguration,
                         &err);
  }
  if (!ptx_run_can_park(g->run)) tell_begin(g);
  *out = g;
  return 0;
}

struct going_on {
  struct weir_gpu_running *launch;
  bool has_ended;
};

static void go_on(void *self) {
  struct going_on *s = self;
  struct weir_err err;
  enum weir_status st = run_blocks(s->launch, &err);
  s->has_ended = st != WEIR_OK || !ptx_run_is_parked(s->launch->run);
  if (s->has_ended) finish(s->launch, st, &err);
}

bool weir_gpu_launch_go_on(struct weir_gpu_running *g) {
  struct going_on s = {.launch = g};
  weir_gpu_deep(go_on, &s);
  return s.has_ended;
}

enum ptx_wake weir_gpu_launch_wake(const struct weir_gpu_running *g) {
  return ptx_run_wake(g->run);
}

void weir_gpu_launch_give_up(struct weir_gpu_running *g) {
  struct weir_err err;
  enum weir_status st = ptx_run_give_up(g->run, &err);
  finish(g, st, &err);
}

void weir_gpu_launch_drop(struct weir_gpu_running *g, const char *why) {
  weir_gpu_say("kernel %s has not ended: %s", g->kernel->name, why);
  ptx_run_end(g->run);
  free(g);
}
