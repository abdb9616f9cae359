#include "cuda/runtime/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cuda/runtime/graph.h"
#include "cuda/runtime/host.h"
#include "cuda/runtime/pending.h"

enum { NON_BLOCKING = 1 };

static struct weir_gpu_stream legacy = {.handle = {.kind = WEIR_GPU_STREAM, .id = 1}};
/* The thread's own; work may be pending in it when the thread ends. */
static __thread struct weir_gpu_stream *own;
/* What the host has waited for: what it submits afterwards begins later. */
static struct weir_gpu_mark host;

static struct weir_gpu_stream *own_stream(void) {
  if (own == NULL) own = weir_calloc(1, sizeof *own);
  if (own != NULL) own->handle = (struct weir_gpu_handle){.kind = WEIR_GPU_STREAM, .id = 2};
  return own;
}

struct weir_gpu_stream *weir_gpu_stream_of(const void *handle) {
  uintptr_t n = (uintptr_t)handle;
  if (n <= 1) return &legacy;
  if (n == 2) return own_stream();
  return weir_gpu_handle(handle, WEIR_GPU_STREAM);
}

int weir_gpu_stream_new(unsigned flags, int priority, struct weir_gpu_stream **out) {
  struct weir_gpu_stream *s = weir_gpu_new(WEIR_GPU_STREAM, sizeof *s);
  if (s == NULL) return WEIR_E_MemoryAllocation;
  s->flags = flags;
  s->priority = priority;
  s->next = weir_gpu.streams;
  weir_gpu.streams = s;
  *out = s;
  return 0;
}

int weir_gpu_stream_free(struct weir_gpu_stream *s) {
  struct weir_gpu_stream **at = &weir_gpu.streams;
  while (*at != NULL && *at != s)
    at = &(*at)->next;
  if (*at == NULL) return WEIR_E_InvalidResourceHandle;
  *at = s->next;
  weir_gpu_capture_leave(s);
  s->is_gone = true;
  weir_gpu_map_remove(&weir_gpu.handles, (uintptr_t)s);
  weir_gpu_stream_release(s);
  return 0;
}

void weir_gpu_stream_release(struct weir_gpu_stream *s) {
  if (s->is_gone && s->n_pending == 0) free(s);
}

bool weir_gpu_stream_is_default(const struct weir_gpu_stream *s) {
  return s == &legacy;
}

bool weir_gpu_stream_is_blocking(const struct weir_gpu_stream *s) {
  return s != &legacy && (s->flags & NON_BLOCKING) == 0;
}

void weir_gpu_streams_reset(void) {
  while (weir_gpu.streams != NULL)
    weir_gpu_stream_free(weir_gpu.streams);
  weir_gpu_capture_leave(&legacy);
}

/* ---- time ---- */

void weir_gpu_mark_advance(struct weir_gpu_mark *to, const struct weir_gpu_mark *from) {
  if (from->launch > to->launch) {
    to->launch = from->launch;
    to->kernel_ns = from->kernel_ns;
  }
  if (from->copy_ns > to->copy_ns) to->copy_ns = from->copy_ns;
}

/* The default stream waits for all blocking streams, and they for it. */
static void meet(struct weir_gpu_stream *s) {
  weir_gpu_mark_advance(&s->mark, &host);
  if (s != &legacy) {
    if ((s->flags & NON_BLOCKING) == 0) weir_gpu_mark_advance(&s->mark, &legacy.mark);
    return;
  }
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    if ((o->flags & NON_BLOCKING) == 0) weir_gpu_mark_advance(&legacy.mark, &o->mark);
}

/* ---- work ---- */

static int run_host(const struct weir_gpu_op *op) {
  void (*fn)(void *) = op->u.host.fn;
  void *data = op->u.host.data;
  weir_gpu_flush();
  /* The program's code may take its time, or start threads that call us. */
  weir_gpu_unlock();
  fn(data);
  weir_gpu_lock();
  return 0;
}

bool weir_gpu_kernel_go_on(struct weir_gpu_stream *s, struct weir_gpu_running *g) {
  if (!weir_gpu_launch_go_on(g)) return false;
  s->mark.launch = weir_gpu.n_launches;
  s->mark.kernel_ns = weir_gpu.kernel_ns;
  return true;
}

static int run_kernel(struct weir_gpu_stream *s, const struct weir_gpu_launch *l,
                      struct weir_gpu_running **parked) {
  struct weir_gpu_running *g;
  int error = weir_gpu_launch_begin(l, s == &legacy ? 0 : s->handle.id, &g);
  if (error == 0 && !weir_gpu_kernel_go_on(s, g)) *parked = g;
  return error;
}

static int run_free(const struct weir_gpu_op *op) {
  return weir_gpu_free(op->u.memory.addr, 1u << WEIR_GPU_DEVICE, WEIR_E_InvalidValue);
}

static int run_alloc(const struct weir_gpu_op *op) {
  struct weir_gpu_block *b = weir_gpu_graph_block(op->u.memory.addr);
  if (b != NULL) b->is_live = true;
  return 0;
}

static bool is_gone(const void *handle, enum weir_gpu_kind kind) {
  return handle != NULL && weir_gpu_handle(handle, kind) == NULL;
}

/* A graph may hold what the program has destroyed since. */
int weir_gpu_op_check(const struct weir_gpu_op *op) {
  switch (op->kind) {
  case WEIR_GPU_OP_KERNEL:
    return weir_gpu_launch_check(&op->u.kernel);
  case WEIR_GPU_OP_COPY:
    if (is_gone(op->u.copy.dst.array, WEIR_GPU_ARRAY) ||
        is_gone(op->u.copy.src.array, WEIR_GPU_ARRAY))
      return WEIR_E_InvalidResourceHandle;
    return weir_gpu_copy_check(&op->u.copy);
  case WEIR_GPU_OP_RECORD:
  case WEIR_GPU_OP_WAIT:
    return is_gone(op->u.event, WEIR_GPU_EVENT) ? WEIR_E_InvalidResourceHandle : 0;
  case WEIR_GPU_OP_SET:
    return weir_gpu_set_check(&op->u.set);
  default:
    return 0;
  }
}

int weir_gpu_op_run(struct weir_gpu_stream *s, const struct weir_gpu_op *op,
                    struct weir_gpu_running **parked) {
  *parked = NULL;
  if (weir_gpu.sticky != 0) return weir_gpu.sticky;
  int error = weir_gpu_op_check(op);
  if (error != 0) return error;
  meet(s);
  switch (op->kind) {
  case WEIR_GPU_OP_KERNEL:
    return run_kernel(s, &op->u.kernel, parked);
  case WEIR_GPU_OP_COPY: {
    const struct weir_gpu_copy *c = &op->u.copy;
    s->mark.copy_ns += weir_gpu_estimate_copy(weir_gpu_copy_bytes(c), weir_gpu_copy_crosses(c));
    weir_gpu_tell_copy(c);
    weir_gpu_copy_run(c);
    if (s == &legacy) weir_gpu_flush();
    return 0;
  }
  case WEIR_GPU_OP_SET: {
    const struct weir_gpu_set *f = &op->u.set;
    uint64_t bytes = f->width * f->elem_bytes * f->height * f->depth;
    s->mark.copy_ns += weir_gpu_estimate_copy(bytes / 2, false);
    weir_gpu_set_run(f);
    return 0;
  }
  case WEIR_GPU_OP_HOST:
    return run_host(op);
  case WEIR_GPU_OP_CHILD:
    return weir_gpu_graph_run(op->u.child, s);
  case WEIR_GPU_OP_RECORD:
    return weir_gpu_event_record(op->u.event, s);
  case WEIR_GPU_OP_WAIT:
    return weir_gpu_event_wait(s, op->u.event);
  case WEIR_GPU_OP_FREE:
    return run_free(op);
  case WEIR_GPU_OP_ALLOC:
    return run_alloc(op);
  case WEIR_GPU_OP_EMPTY:
    return 0;
  }
  return WEIR_E_InvalidValue;
}

/* Work in the default stream waits for the blocking streams; a captured one cannot be waited for.
 */
static int check_implicit(const struct weir_gpu_stream *s) {
  if (s != &legacy) return 0;
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    if (o->capture != NULL && (o->flags & NON_BLOCKING) == 0) {
      weir_gpu_capture_break(o->capture);
      return WEIR_E_StreamCaptureImplicit;
    }
  return 0;
}

int weir_gpu_op_do(struct weir_gpu_stream *s, const struct weir_gpu_op *op) {
  struct weir_gpu_running *parked;
  if (weir_gpu_must_wait(s)) return weir_gpu_pend(s, op);
  int error = weir_gpu_op_run(s, op, &parked);
  if (error == 0 && parked != NULL) error = weir_gpu_pend_parked(s, parked);
  weir_gpu_poke();
  return error;
}

/* Memory of a graph that is not allocated now; its nodes may be made before it is. */
static bool is_dead(uint64_t addr) {
  const struct weir_gpu_block *b = weir_gpu_graph_block(addr);
  return b != NULL && !b->is_live;
}

static bool uses_dead_memory(const struct weir_gpu_op *op) {
  if (op->kind == WEIR_GPU_OP_COPY)
    return is_dead(op->u.copy.dst.ptr) || is_dead(op->u.copy.src.ptr);
  return op->kind == WEIR_GPU_OP_SET && is_dead(op->u.set.ptr);
}

int weir_gpu_submit(struct weir_gpu_stream *s, const struct weir_gpu_op *op) {
  if (s->capture == NULL) {
    int error = check_implicit(s);
    if (error == 0 && !weir_gpu_must_wait(s) && uses_dead_memory(op)) error = WEIR_E_InvalidValue;
    return error != 0 ? error : weir_gpu_op_do(s, op);
  }
  int error = weir_gpu_op_check(op);
  if (error == 0) return weir_gpu_capture_add(s, op);
  weir_gpu_capture_break(s->capture);
  return error;
}

int weir_gpu_stream_sync(struct weir_gpu_stream *s) {
  if (s->capture == NULL) {
    int error = weir_gpu_wait_stream(s);
    if (error != 0) return error;
    meet(s);
    weir_gpu_mark_advance(&host, &s->mark);
    weir_gpu_flush();
    return check_implicit(s);
  }
  weir_gpu_capture_break(s->capture);
  return WEIR_E_StreamCaptureUnsupported;
}

int weir_gpu_stream_query(struct weir_gpu_stream *s) {
  if (s->capture == NULL && weir_gpu_is_pending(s)) return WEIR_E_NotReady;
  return weir_gpu_stream_sync(s);
}

int weir_gpu_copied(int error) {
  return error != 0 ? error : weir_gpu_wait_stream(&legacy);
}

int weir_gpu_check_capture(void) {
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    if (o->capture != NULL && !weir_gpu_capture_is_relaxed(o->capture)) {
      weir_gpu_capture_break(o->capture);
      return WEIR_E_StreamCaptureUnsupported;
    }
  return 0;
}

int weir_gpu_sync_all(void) {
  int error = weir_gpu_check_capture();
  if (error == 0) error = weir_gpu_wait_all();
  if (error != 0) return error;
  for (const struct weir_gpu_stream *o = weir_gpu.streams; o != NULL; o = o->next)
    weir_gpu_mark_advance(&host, &o->mark);
  weir_gpu_mark_advance(&host, &legacy.mark);
  if (own != NULL) weir_gpu_mark_advance(&host, &own->mark);
  weir_gpu_flush();
  return 0;
}

/* ---- events ---- */

int weir_gpu_event_new(unsigned flags, struct weir_gpu_event **out) {
  struct weir_gpu_event *e = weir_gpu_new(WEIR_GPU_EVENT, sizeof *e);
  if (e == NULL) return WEIR_E_MemoryAllocation;
  e->flags = flags;
  *out = e;
  return 0;
}

int weir_gpu_event_free(struct weir_gpu_event *e) {
  weir_gpu_pend_forget(e);
  free(e->tail);
  weir_gpu_drop(e);
  return 0;
}

int weir_gpu_event_record(struct weir_gpu_event *e, struct weir_gpu_stream *s) {
  if (s->capture != NULL) return weir_gpu_capture_record(e, s);
  e->capture = NULL;
  e->is_recorded = true;
  e->pending = 0;
  if (weir_gpu_must_wait(s))
    return weir_gpu_pend(s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_RECORD, .u.event = e});
  weir_gpu_event_reached(e, s);
  return 0;
}

void weir_gpu_event_reached(struct weir_gpu_event *e, struct weir_gpu_stream *s) {
  meet(s);
  e->mark = s->mark;
}

int weir_gpu_event_sync(struct weir_gpu_event *e) {
  if (e->capture != NULL) {
    if (weir_gpu_capture_is_on(e)) weir_gpu_capture_break(e->capture);
    return WEIR_E_CapturedEvent;
  }
  int error = weir_gpu_wait_event(e);
  if (error != 0) return error;
  weir_gpu_mark_advance(&host, &e->mark);
  weir_gpu_flush();
  return 0;
}

int weir_gpu_event_query(struct weir_gpu_event *e) {
  if (e->capture == NULL && weir_gpu_is_event_pending(e)) return WEIR_E_NotReady;
  return weir_gpu_event_sync(e);
}

int weir_gpu_event_wait(struct weir_gpu_stream *s, struct weir_gpu_event *e) {
  if (e->capture != NULL) return weir_gpu_capture_wait(s, e);
  if (s->capture != NULL)
    return e->is_recorded ? WEIR_E_StreamCaptureIsolation : 0; /* nothing to wait for */
  if (e->pending != 0 || weir_gpu_must_wait(s))
    return weir_gpu_pend(s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_WAIT, .u.event = e});
  weir_gpu_mark_advance(&s->mark, &e->mark);
  return 0;
}

static double ns_of(const struct weir_gpu_mark *m) {
  struct weir_wire_times t;
  struct weir_err err;
  if (weir_gpu.wire == NULL || m->launch == 0) return m->kernel_ns + m->copy_ns;
  if (weir_wire_times(weir_gpu.wire, m->launch, &t, &err) == WEIR_OK)
    return (double)t.end_ns + m->copy_ns;
  weir_gpu_say("%s", err.msg);
  return m->kernel_ns + m->copy_ns;
}

int weir_gpu_event_elapsed(float *ms, const struct weir_gpu_event *from,
                           const struct weir_gpu_event *to) {
  enum { DISABLE_TIMING = 2 };
  if (((from->flags | to->flags) & DISABLE_TIMING) != 0 || !from->is_recorded || !to->is_recorded)
    return WEIR_E_InvalidResourceHandle;
  if (from->pending != 0 || to->pending != 0) return WEIR_E_NotReady;
  *ms = (float)((ns_of(&to->mark) - ns_of(&from->mark)) / 1e6);
  return 0;
}
