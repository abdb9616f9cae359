#include "cuda/runtime/pending.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cuda/runtime/graph.h"
#include "cuda/runtime/host.h"

struct work {
  uint64_t number;
  struct weir_gpu_stream *stream;
  struct weir_gpu_op op;           /* owned */
  struct weir_gpu_running *parked; /* a kernel that has begun */
  uint64_t needs;                  /* of a wait: the work that records the event; 0: none */
  struct weir_gpu_mark mark;       /* of a wait: when the event was recorded */
  uint8_t *staged;                 /* what a copy reads, if that was memory which is not pinned */
  struct work *next;
};

static struct {
  struct work *first, **end;
  struct work *of_parent; /* of a forked child: never done here, and not lost */
  size_t n, n_blocking;   /* of these: in streams that the default stream waits for */
  uint64_t n_so_far, n_walks;
  bool is_walking; /* by a thread that may have given the lock back: `walker` */
  pthread_t walker;
  bool has_thread; /* which looks at words */
  bool is_closing;
  unsigned n_pokes; /* calls of the program */
  double last_call; /* when it last called; seconds */
} pending = {.end = &pending.first};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_for(long us) {
  nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* ---- the list ---- */

bool weir_gpu_must_wait(const struct weir_gpu_stream *s) {
  if (pending.n == 0) return false;
  if (s->n_pending > 0) return true;
  if (weir_gpu_stream_is_default(s)) return pending.n_blocking > 0;
  return weir_gpu_stream_is_blocking(s) && weir_gpu_stream_of(NULL)->n_pending > 0;
}

static struct work *append(struct weir_gpu_stream *s) {
  struct work *w = weir_calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->number = ++pending.n_so_far;
  w->stream = s;
  w->op.kind = WEIR_GPU_OP_EMPTY;
  *pending.end = w;
  pending.end = &w->next;
  pending.n++;
  pending.n_blocking += weir_gpu_stream_is_blocking(s);
  s->n_pending++;
  return w;
}

static void remove_at(struct work **at) {
  struct work *w = *at;
  *at = w->next;
  if (pending.end == &w->next) pending.end = at;
  pending.n--;
  pending.n_blocking -= weir_gpu_stream_is_blocking(w->stream);
  w->stream->n_pending--;
  weir_gpu_stream_release(w->stream);
  weir_gpu_op_disown(&w->op);
  free(w->staged);
  free(w);
}

/* Memory that is not pinned is read when the call is made, and has been written when it returns. */
static bool is_pageable(const struct weir_gpu_side *s) {
  return s->array == NULL && weir_gpu_kind_of(s->ptr) == WEIR_GPU_UNKNOWN;
}

static int stage(struct work *w) {
  struct weir_gpu_copy *c = &w->op.u.copy, in = *c;
  uint64_t bytes = weir_gpu_copy_bytes(c);
  if (bytes == 0 || !is_pageable(&c->src)) return 0;
  w->staged = weir_malloc((size_t)bytes);
  if (w->staged == NULL) return WEIR_E_MemoryAllocation;
  in.dst =
      (struct weir_gpu_side){.ptr = (uintptr_t)w->staged, .pitch = c->width, .rows = c->height};
  weir_gpu_copy_run(&in);
  c->src = in.dst;
  return 0;
}

static int fill(struct work *w, const struct weir_gpu_op *op) {
  struct weir_gpu_op copy = *op;
  int error = weir_gpu_op_own(&copy);
  if (error != 0) return error;
  w->op = copy;
  if (op->kind == WEIR_GPU_OP_COPY) return stage(w);
  if (op->kind == WEIR_GPU_OP_RECORD) {
    op->u.event->is_recorded = true;
    op->u.event->pending = w->number;
  }
  if (op->kind == WEIR_GPU_OP_WAIT) {
    w->needs = op->u.event->pending;
    w->mark = op->u.event->mark;
  }
  return 0;
}

static struct work **place_of(const struct work *w) {
  struct work **at = &pending.first;
  while (*at != w)
    at = &(*at)->next;
  return at;
}

int weir_gpu_pend(struct weir_gpu_stream *s, const struct weir_gpu_op *op) {
  if (op->kind == WEIR_GPU_OP_CHILD) return weir_gpu_graph_run(op->u.child, s);
  int error = weir_gpu_op_check(op);
  if (error != 0) return error;
  struct work *w = append(s);
  error = w != NULL ? fill(w, op) : WEIR_E_MemoryAllocation;
  if (error != 0 && w != NULL) remove_at(place_of(w));
  bool blocks = op->kind == WEIR_GPU_OP_COPY && is_pageable(&op->u.copy.dst);
  return error == 0 && blocks ? weir_gpu_wait_stream(s) : error;
}

void weir_gpu_pend_forget(const struct weir_gpu_event *e) {
  for (struct work *w = pending.first; w != NULL; w = w->next)
    if ((w->op.kind == WEIR_GPU_OP_RECORD || w->op.kind == WEIR_GPU_OP_WAIT) && w->op.u.event == e)
      w->op.u.event = NULL;
}

/* ---- doing it ---- */

/* Those that wait for the record know when it was made, whatever becomes of the event. */
static void reach_record(struct work *w) {
  struct weir_gpu_event none = {.pending = w->number}, *e = w->op.u.event;
  if (e == NULL) e = &none;
  if (e->pending != w->number) e = &none; /* recorded again since */
  weir_gpu_event_reached(e, w->stream);
  e->pending = 0;
  for (struct work *o = w->next; o != NULL; o = o->next)
    if (o->needs == w->number) {
      o->needs = 0;
      o->mark = e->mark;
    }
}

/* True: it is done. *moved: something was. `all`: also what may find nothing new. */
static bool try_work(struct work *w, bool all, bool *moved) {
  if (w->needs != 0) return false;
  if (w->parked != NULL) {
    enum ptx_wake wake = weir_gpu_launch_wake(w->parked);
    if (wake == PTX_WAKE_NO || (wake == PTX_WAKE_MAYBE && !all)) return false;
    *moved = true;
    return weir_gpu_kernel_go_on(w->stream, w->parked);
  }
  *moved = true;
  if (w->op.kind == WEIR_GPU_OP_RECORD)
    reach_record(w);
  else if (w->op.kind == WEIR_GPU_OP_WAIT)
    weir_gpu_mark_advance(&w->stream->mark, &w->mark);
  else {
    /* What is wrong with other work was said when it was submitted. */
    int error = weir_gpu_op_run(w->stream, &w->op, &w->parked);
    if (w->op.kind == WEIR_GPU_OP_KERNEL && weir_gpu.sticky == 0) weir_gpu.sticky = error;
  }
  return w->parked == NULL;
}

static bool is_behind(const struct weir_gpu_stream *s, uint64_t walk, bool is_default_blocked,
                      bool is_any_blocked) {
  return s->blocked_at == walk || (weir_gpu_stream_is_default(s) && is_any_blocked) ||
         (weir_gpu_stream_is_blocking(s) && is_default_blocked);
}

/* One pass in the order of the calls. */
static bool pass(bool all) {
  uint64_t walk = ++pending.n_walks;
  bool moved = false, is_default_blocked = false, is_any_blocked = false;
  for (struct work **at = &pending.first; *at != NULL && weir_gpu.sticky == 0;) {
    struct work *w = *at;
    struct weir_gpu_stream *s = w->stream;
    if (!is_behind(s, walk, is_default_blocked, is_any_blocked) && try_work(w, all, &moved)) {
      remove_at(at);
      continue;
    }
    s->blocked_at = walk;
    is_default_blocked |= weir_gpu_stream_is_default(s);
    is_any_blocked |= weir_gpu_stream_is_blocking(s);
    at = &w->next;
  }
  return moved;
}

/* `why`: the reason that the user is told. */
static void drop_all(const char *why) {
  while (pending.first != NULL) {
    struct work *w = pending.first;
    if (w->parked != NULL) weir_gpu_launch_drop(w->parked, why);
    if (w->op.kind == WEIR_GPU_OP_RECORD && w->op.u.event != NULL) w->op.u.event->pending = 0;
    remove_at(&pending.first);
  }
}

static const char *const NOT_WAITED_FOR = "the program did not wait for it";
static const char *const OTHERS_FAILED = "another one failed";

/* Passes until nothing moves. `all` counts for the first: a launch that is never at rest must not
 * keep everything else waiting. */
static bool walk(bool all) {
  if (pending.n == 0 || pending.is_walking) return false;
  pending.is_walking = true;
  pending.walker = pthread_self();
  bool moved = pass(all), again = moved;
  while (again && pending.n > 0)
    again = pass(false);
  pending.is_walking = false;
  if (weir_gpu.sticky != 0) drop_all(OTHERS_FAILED);
  return moved;
}

/* A program may wait by calling again and again, whatever it calls. */
void weir_gpu_poke(void) {
  enum { NOW_AND_THEN = 16 };
  if (pending.n == 0) return;
  pending.last_call = now();
  walk(++pending.n_pokes % NOW_AND_THEN == 0);
}

bool weir_gpu_is_pending(struct weir_gpu_stream *s) {
  if (weir_gpu_must_wait(s)) walk(true);
  return weir_gpu_must_wait(s);
}

bool weir_gpu_is_event_pending(const struct weir_gpu_event *e) {
  if (e->pending != 0) walk(true);
  return e->pending != 0;
}

/* ---- the thread that looks at words ---- */

/* What goes on by itself goes on while the program does not call. */
static const double IDLE_S = 0.02;

static void *look(void *unused) {
  enum { SHORTEST_US = 20, LONGEST_US = 1000 };
  long us = SHORTEST_US;
  for (;;) {
    pause_for(us);
    weir_gpu_lock();
    if (pending.n == 0 || pending.is_closing) break;
    bool moved = walk(now() - pending.last_call > IDLE_S);
    weir_gpu_unlock();
    us = moved ? SHORTEST_US : 2 * us < LONGEST_US ? 2 * us : LONGEST_US;
  }
  pending.has_thread = false;
  weir_gpu_unlock();
  return unused;
}

/* A forked child has no such thread, nor one that would give the lock back or end a walk. What is
 * pending is its parent's. */
static void after_fork(void) {
  pending.has_thread = false;
  if (!pending.is_walking || !pthread_equal(pending.walker, pthread_self())) {
    pending.of_parent = pending.first;
    pending.is_walking = false;
    pending.first = NULL;
    pending.end = &pending.first;
    pending.n = pending.n_blocking = 0;
  }
  weir_gpu_unlock();
}

/* Signals are the program's own. */
static void start_thread(void) {
  static bool is_ready_to_fork;
  sigset_t all, before;
  pthread_t thread;
  if (pending.has_thread) return;
  if (!is_ready_to_fork)
    is_ready_to_fork = pthread_atfork(weir_gpu_lock, weir_gpu_unlock, after_fork) == 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pending.has_thread = pthread_create(&thread, NULL, look, NULL) == 0;
  if (pending.has_thread) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int weir_gpu_pend_parked(struct weir_gpu_stream *s, struct weir_gpu_running *g) {
  struct work *w = append(s);
  if (w == NULL) {
    weir_gpu_launch_drop(g, "out of memory");
    return WEIR_E_MemoryAllocation;
  }
  w->parked = g;
  pending.last_call = now();
  start_thread();
  return 0;
}

/* ---- waiting ---- */

/* For how long another thread of the program may take to write what a kernel waits for. */
static const double HOST_S = 10;

/* Has the program threads of its own besides this one? */
static bool has_other_threads(void) {
  DIR *d = opendir("/proc/self/task");
  int n = 0;
  if (d == NULL) return true;
  for (const struct dirent *e; (e = readdir(d)) != NULL;)
    n += e->d_name[0] != '.';
  closedir(d);
  return n > 1 + (pending.has_thread ? 1 : 0);
}

/* The first kernel that waits fails, and with it everything. */
static void give_up(void) {
  for (struct work *w = pending.first; w != NULL; w = w->next) {
    if (w->parked == NULL) continue;
    weir_gpu_launch_give_up(w->parked);
    w->parked = NULL;
    break;
  }
  if (weir_gpu.sticky == 0) weir_gpu.sticky = WEIR_E_LaunchTimeout;
  drop_all(OTHERS_FAILED);
}

static int wait_until(bool (*is_done)(const void *), const void *of) {
  double since = now();
  while (!is_done(of)) {
    if (walk(true)) since = now();
    if (weir_gpu.sticky != 0) return weir_gpu.sticky;
    if (is_done(of)) break;
    if (!pending.is_walking && (now() - since > HOST_S || !has_other_threads())) {
      give_up();
      return weir_gpu.sticky;
    }
    weir_gpu_unlock();
    pause_for(100);
    weir_gpu_lock();
    pending.last_call = now();
  }
  return 0;
}

static bool is_stream_done(const void *of) {
  return !weir_gpu_must_wait(of);
}

static bool is_event_done(const void *of) {
  const struct weir_gpu_event *e = weir_gpu_handle(of, WEIR_GPU_EVENT);
  return e == NULL || e->pending == 0;
}

static bool is_all_done(const void *of) {
  (void)of;
  return pending.n == 0;
}

int weir_gpu_wait_stream(struct weir_gpu_stream *s) {
  return wait_until(is_stream_done, s);
}

int weir_gpu_wait_event(struct weir_gpu_event *e) {
  return wait_until(is_event_done, e);
}

int weir_gpu_wait_all(void) {
  return wait_until(is_all_done, NULL);
}

/* ---- the end ---- */

void weir_gpu_pend_drop(void) {
  while (pending.is_walking) {
    weir_gpu_unlock();
    pause_for(100);
    weir_gpu_lock();
  }
  drop_all(NOT_WAITED_FOR);
}

void weir_gpu_pend_close(void) {
  pending.is_closing = true;
  if (!pending.is_walking) drop_all(NOT_WAITED_FOR);
}
