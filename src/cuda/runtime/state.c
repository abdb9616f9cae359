#include "cuda/runtime/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/host.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/pending.h"
#include "cuda/runtime/stream.h"

/* Ids below 16 are those of the default streams. */
struct weir_gpu weir_gpu = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_id = 15};

enum { KIB = 1 << 10, MIB = 1 << 20 };

/* Address space for pinned and managed memory, on top of the device's own. */
static const uint64_t HOST_RANGE = UINT64_C(64) << 30;

/* The machine of a program that runs without weir: an H200, with as much memory as exec.* says. */
static const struct weir_wire_device alone = {
    .name = "weir (as an H200)",
    .capability = 90,
    .sms = 132,
    .warp_size = 32,
    .threads_per_sm = 2048,
    .threads_per_block = 1024,
    .blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .registers_per_block = 65536,
    .shared_per_sm = 228 * KIB,
    .shared_per_block = 48 * KIB,
    .shared_opt_in = 227 * KIB,
    .memory_bytes = UINT64_C(16) << 30,
    .l1_bytes = 256 * KIB,
    .l2_bytes = 60 * MIB,
    .clock_khz = 1980000,
    .memory_clock_khz = 3126000,
    .bus_bits = 6144,
};

/* What weir does not say is as in `alone`. */
static void fill_props(const struct weir_wire_device *from) {
  struct weir_wire_device *p = &weir_gpu.props;
  *p = alone;
  if (from == NULL) return;
  char *name = from->name != NULL ? weir_strdup(from->name) : NULL;
  if (name != NULL) p->name = name;
#define TAKE(field)                                                                                \
  if (from->field != 0) p->field = from->field
  TAKE(capability);
  TAKE(sms);
  TAKE(warp_size);
  TAKE(threads_per_sm);
  TAKE(threads_per_block);
  TAKE(blocks_per_sm);
  TAKE(registers_per_sm);
  TAKE(registers_per_block);
  TAKE(shared_per_sm);
  TAKE(shared_per_block);
  TAKE(shared_opt_in);
  TAKE(memory_bytes);
  TAKE(l1_bytes);
  TAKE(l2_bytes);
  TAKE(clock_khz);
  TAKE(memory_clock_khz);
  TAKE(bus_bits);
#undef TAKE
  if (p->shared_opt_in < p->shared_per_block) p->shared_opt_in = p->shared_per_block;
}

static struct weir_arena texts; /* of settings; as long as the process */

static enum weir_status connect_wire(struct ptx_exec_cfg *cfg, struct weir_err *err) {
  const char *path = getenv(WEIR_WIRE_VARIABLE);
  weir_gpu.in_process = path == NULL || path[0] == 0;
  if (weir_gpu.in_process) {
    fill_props(NULL);
    return WEIR_OK;
  }
  enum weir_status st = weir_wire_connect(path, program_invocation_short_name, &weir_gpu.wire, err);
  if (st != WEIR_OK) {
    weir_gpu.in_process = true;
    return st;
  }
  const struct weir_wire_options *o = weir_wire_options(weir_gpu.wire);
  fill_props(&o->device);
  for (uint32_t i = 0; st == WEIR_OK && i < o->n_settings; i++) {
    const char *key = o->settings[i].key, *dot = strchr(key, '.');
    /* Texts of settings and of the device's name are needed longer than the connection is. */
    char *value = weir_arena_strndup(&texts, o->settings[i].value, strlen(o->settings[i].value));
    st = value == NULL
             ? weir_fail(err, WEIR_ENOMEM, "out of memory")
             : weir_param_set(ptx_exec_table, cfg, dot != NULL ? dot + 1 : key, value, NULL, err);
  }
  return st;
}

enum limit { STACK, PRINTF, HEAP, SYNC_DEPTH, PENDING, L2_FETCH, L2_PERSISTING, SHARED, N_LIMITS };

/* As an H200 has them. */
static void set_limits(void) {
  uint64_t *l = weir_gpu.limits;
  l[STACK] = KIB;
  l[PRINTF] = 8448 * KIB;
  l[HEAP] = 8 * MIB;
  l[SYNC_DEPTH] = 0;
  l[PENDING] = 2048;
  l[L2_FETCH] = 64;
  l[L2_PERSISTING] = weir_gpu.props.l2_bytes / 16 * 3;
  l[SHARED] = weir_gpu.props.shared_opt_in;
}

/* What kernels have printed since the program last waited for them. */
static struct weir_text printed;

static void print(void *self, const char *text, size_t n) {
  (void)self;
  weir_text_add(&printed, text, n);
}

void weir_gpu_flush(void) {
  if (printed.n == 0) return;
  fwrite(printed.v, 1, printed.n, stdout);
  printed.n = 0;
}

static void complain(void *self, const char *text, size_t n) {
  (void)self;
  fwrite(text, 1, n, stderr);
}

/* Where address space is limited (ulimit -v), less of it is taken for memory of the host's, and
 * then the device has less memory. */
static enum weir_status make_device(struct ptx_exec_cfg *cfg, struct weir_err *err) {
  const uint64_t least = 64 * MIB, wanted = weir_gpu.props.memory_bytes;
  enum weir_status st = WEIR_ENOMEM;
  for (uint64_t memory = wanted; st == WEIR_ENOMEM && memory >= least; memory /= 2) {
    cfg->device_memory = (int64_t)(memory + HOST_RANGE);
    st = ptx_device_init_same(&weir_gpu.dev, cfg, err);
    if (st == WEIR_ENOMEM) {
      cfg->device_memory =
          (int64_t)(memory + (memory < HOST_RANGE / 32 ? memory : HOST_RANGE / 32));
      st = ptx_device_init_same(&weir_gpu.dev, cfg, err);
    }
    if (st == WEIR_OK) weir_gpu.props.memory_bytes = memory;
  }
  if (st == WEIR_OK && weir_gpu.props.memory_bytes < wanted)
    weir_gpu_say(
        "address space is limited (ulimit -v): the device has %llu MiB of memory instead of "
        "%llu",
        (unsigned long long)(weir_gpu.props.memory_bytes / MIB),
        (unsigned long long)(wanted / MIB));
  return st;
}

static enum weir_status start(struct weir_err *err) {
  struct ptx_exec_cfg cfg;
  weir_param_defaults(ptx_exec_table, &cfg);
  enum weir_status st = connect_wire(&cfg, err);
  if (st != WEIR_OK) return st;
  weir_gpu.pid = getpid();
  set_limits();
  st = make_device(&cfg, err);
  weir_gpu.dev.is_strict = weir_gpu.wire != NULL && weir_wire_options(weir_gpu.wire)->is_strict;
  weir_gpu.dev.output = (struct ptx_output){.print = print, .complain = complain};
  return st;
}

/* A forked child must not use the device that its parent has used, as with CUDA. Kernels are
 * registered before main, though: a child of a program that has launched none is a process like any
 * other. The wire is its parent's, which has to send what is not sent yet: it is not closed here.
 */
static void notice_fork(void) {
  struct weir_err err;
  if (weir_gpu.wire == NULL || weir_gpu.pid == getpid()) return;
  weir_gpu.pid = getpid();
  weir_gpu.wire = NULL;
  if (weir_gpu.n_launches > 0 ||
      weir_wire_connect(getenv(WEIR_WIRE_VARIABLE), program_invocation_short_name, &weir_gpu.wire,
                        &err) != WEIR_OK)
    weir_gpu.in_process = true;
}

int weir_gpu_enter_always(void) {
  weir_gpu_lock();
  notice_fork();
  weir_gpu_poke();
  if (weir_gpu.is_ready) return 0;
  if (weir_gpu.init_error != 0) return weir_gpu.init_error;
  struct weir_err err;
  enum weir_status st = start(&err);
  weir_gpu.is_ready = st == WEIR_OK;
  if (st != WEIR_OK) weir_gpu.init_error = weir_gpu_fail(WEIR_E_InitializationError, &err);
  return weir_gpu.init_error;
}

int weir_gpu_enter(void) {
  int error = weir_gpu_enter_always();
  return error != 0 ? error : weir_gpu.sticky;
}

int weir_gpu_leave(int error) {
  weir_gpu_unlock();
  return error;
}

__thread struct weir_gpu_log *weir_gpu_log;

static void log_text(struct weir_gpu_log *log, const char *text) {
  size_t n = strlen(text), room = log->size - log->used;
  if (room < 2) return;
  if (n > room - 2) n = room - 2;
  memcpy(log->at + log->used, text, n);
  memcpy(log->at + log->used + n, "\n", 2);
  log->used += n + 1;
}

void weir_gpu_say(const char *fmt, ...) {
  struct weir_text text = {0};
  va_list ap;
  va_start(ap, fmt);
  weir_text_vprintf(&text, fmt, ap);
  va_end(ap);
  if (text.v == NULL) return;
  if (weir_gpu_log != NULL) log_text(weir_gpu_log, text.v);
  bool is_sent = weir_gpu.wire != NULL && weir_wire_message(weir_gpu.wire, text.v, NULL) == WEIR_OK;
  if (!is_sent) fprintf(stderr, "weir: %s\n", text.v);
  weir_text_free(&text);
}

int weir_gpu_fail(int code, const struct weir_err *err) {
  weir_gpu_say("%s", err->msg);
  return code;
}

int weir_gpu_unsupported(const char *name) {
  static struct weir_gpu_map told; /* by the literal's address: one for each name */
  int error = weir_gpu_enter_always();
  if (weir_gpu_map_get(&told, (uintptr_t)name) == NULL) {
    weir_gpu_map_set(&told, (uintptr_t)name, &told);
    weir_gpu_say(
        "%s is not supported: it returns an error to the program\n"
        "  remedy: do without it; docs/reference/cuda-symbols.md lists the entries that work",
        name);
  }
  return weir_gpu_leave(error != 0 ? error : WEIR_E_NotSupported);
}

static int check_limit(int limit) {
  if (limit < 0 || limit >= N_LIMITS) return WEIR_E_InvalidValue;
  return limit != SYNC_DEPTH ? 0 : WEIR_E_UnsupportedLimit;
}

int weir_gpu_get_limit(int limit, uint64_t *value) {
  int error = check_limit(limit);
  if (error != 0) return error;
  *value = weir_gpu.limits[limit];
  return 0;
}

int weir_gpu_set_limit(int limit, uint64_t value) {
  enum { LEAST_HEAP = 4 * MIB };
  struct ptx_exec_cfg *cfg = &weir_gpu.dev.cfg;
  int error = check_limit(limit);
  if (error != 0) return error;
  if (value > INT64_MAX) return WEIR_E_InvalidValue;
  if (limit == HEAP && value < LEAST_HEAP) value = LEAST_HEAP;
  weir_gpu.limits[limit] = value;
  if (limit == PRINTF && value > (uint64_t)cfg->printf_bytes) cfg->printf_bytes = (int64_t)value;
  if (limit == HEAP && value > (uint64_t)cfg->heap) cfg->heap = (int64_t)value;
  if (limit == STACK && value > (uint64_t)cfg->stack_bytes) cfg->stack_bytes = (int64_t)value;
  return 0;
}

int weir_gpu_reset(void) {
  weir_gpu_pend_drop();
  weir_gpu_flush();
  weir_gpu_streams_reset();
  weir_gpu_modules_unload();
  weir_gpu_memory_reset();
  weir_gpu.sticky = 0;
  set_limits();
  return 0;
}

void *weir_gpu_new(enum weir_gpu_kind kind, size_t bytes) {
  struct weir_gpu_handle *h = weir_calloc(1, bytes);
  if (h == NULL) return NULL;
  *h = (struct weir_gpu_handle){.kind = kind, .id = ++weir_gpu.next_id, .owner = weir_gpu_owner};
  if (weir_gpu_map_set(&weir_gpu.handles, (uintptr_t)h, h)) return h;
  free(h);
  return NULL;
}

void *weir_gpu_handle(const void *p, enum weir_gpu_kind kind) {
  struct weir_gpu_handle *h = weir_gpu_map_get(&weir_gpu.handles, (uintptr_t)p);
  return h != NULL && h->kind == kind ? h : NULL;
}

void weir_gpu_drop(void *handle) {
  free(weir_gpu_map_remove(&weir_gpu.handles, (uintptr_t)handle));
}

/* What is sent to weir is complete at any time, however the program ends. A GPU drops what was
 * printed and never waited for; here it is shown. */
__attribute__((destructor)) static void finish(void) {
  weir_gpu_lock();
  notice_fork();
  weir_gpu_pend_close();
  weir_gpu_flush();
  fflush(stdout);
  weir_wire_close(weir_gpu.wire);
  weir_gpu.wire = NULL;
  weir_gpu_unlock();
}

void *weir_gpu_host_calloc(size_t n, size_t size) {
  return weir_calloc(n, size);
}

void *weir_gpu_host_realloc(void *p, size_t bytes) {
  return weir_realloc(p, bytes);
}

char *weir_gpu_host_strdup(const char *s) {
  return weir_strdup(s);
}
