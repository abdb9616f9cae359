/* Connections with the processes of a program, each in a thread of its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/signal_stack.h"
#include "cli/program.h"
#include "session/streams.h"

struct weir_service {
  const struct weir_program *program;
  const struct weir_program_hooks *hooks;
  int ended_fd;
  uint64_t n_open; /* for the thread that accepts: the others only write to ended_fd */
  atomic_bool is_stopped;
  pthread_mutex_t lock; /* of what follows; held while a launch is worked on */
  struct weir_program_result result;
};

/* A process. */
struct connection {
  struct weir_service *s;
  struct weir_wire *wire;
  struct weir_stream_pool pool;
  void *session;
  struct weir_err said; /* the last failure that was told */
  uint64_t cycles;      /* of its machine */
  struct {
    struct weir_wire_times *v;
    size_t n, cap;
  } times; /* of launches, in their order */
};

/* ---- what the user is told ---- */

static void say(const char *program, const char *text) {
  fprintf(stderr, "weir: %s: %s\n", program, text);
}

/* A failure of weir's, not of the program. What a kernel's every launch would repeat is said once.
 */
static void complain(struct connection *c, const struct weir_err *err) {
  const char *name = weir_wire_program(c->wire);
  c->s->result.is_failed = true;
  if (atomic_load(&c->s->is_stopped) || strcmp(c->said.msg, err->msg) == 0) return;
  c->said = *err;
  say(name != NULL ? name : c->s->program->name, err->msg);
}

/* ---- launches ---- */

/* A source that ends when the user wants no more. */
struct stoppable {
  struct weir_block_source pub, *inner;
  struct weir_service *s;
};

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  struct stoppable *w = src->self;
  *out = NULL;
  if (atomic_load(&w->s->is_stopped)) return weir_fail(err, WEIR_ELIMIT, "stopped");
  return w->inner->next(w->inner, out, err);
}

static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  struct stoppable *w = src->self;
  w->inner->release(w->inner, b);
}

/* For launches that are only executed: a program may wait until time has passed. */
static uint64_t estimate(const struct weir_program *p, const struct weir_func_stats *stats) {
  enum { LAUNCH_US = 2 };
  uint64_t sms = p->options.device.sms;
  return LAUNCH_US * p->clock_mhz + stats->warp_insns / (sms > 0 ? sms : 1);
}

/* When it ran, one kernel after the other. */
static enum weir_status note_times(struct connection *c, uint64_t launch, uint64_t cycles,
                                   struct weir_err *err) {
  uint64_t mhz = c->s->program->clock_mhz;
  struct weir_wire_times t = {.launch = launch, .cycles = cycles};
  t.begin_ns = c->cycles * 1000 / mhz;
  c->cycles += cycles;
  t.end_ns = c->cycles * 1000 / mhz;
  return WEIR_PUSH(c->times, t) ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* Messages and strays may come before the end. */
static enum weir_status wait_for_end(struct connection *c, struct weir_wire_event *e,
                                     struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  do {
    st = weir_wire_next(c->wire, e, err);
    if (st == WEIR_OK && e->kind == WEIR_WIRE_MESSAGE) say(weir_wire_program(c->wire), e->text);
    if (st == WEIR_OK && e->kind == WEIR_WIRE_STRAY &&
        !weir_program_add_stray(&c->s->result, c->session, weir_wire_program(c->wire), &e->stray))
      st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  } while (st == WEIR_OK && e->kind != WEIR_WIRE_END);
  return st;
}

static enum weir_status serve_launch(struct connection *c, struct weir_wire_event *e,
                                     struct weir_err *err) {
  const struct weir_program_hooks *h = c->s->hooks;
  struct stoppable w = {.inner = e->source, .s = c->s};
  struct weir_err why = {.code = WEIR_OK};
  uint64_t cycles = 0;
  c->s->result.n_launches++;
  c->s->result.n_wanted += e->launch.is_wanted;
  if (e->source != NULL) {
    struct weir_wire_event wanted = *e;
    w.pub = (struct weir_block_source){
        .kernel = e->source->kernel, .next = next_block, .release = release_block, .self = &w};
    wanted.source = &w.pub;
    h->launch(c->session, &wanted, &cycles, &why);
  }
  enum weir_status st = wait_for_end(c, e, err);
  if (st != WEIR_OK) return st;
  /* A kernel that fails makes its source fail; the program has said why. */
  bool is_faulty = e->result != WEIR_OK;
  c->s->result.n_faulted += is_faulty;
  if (why.code != WEIR_OK && !is_faulty) complain(c, &why);
  if (h->ended != NULL) st = h->ended(c->session, e, is_faulty || why.code != WEIR_OK, err);
  if (cycles == 0) cycles = estimate(c->s->program, &e->stats);
  return st == WEIR_OK ? note_times(c, e->launch.number, cycles, err) : st;
}

static struct weir_wire_times times_of(const struct connection *c, uint64_t launch) {
  size_t lo = 0, hi = c->times.n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (c->times.v[mid].launch <= launch)
      lo = mid + 1;
    else
      hi = mid;
  }
  struct weir_wire_times t = {.launch = launch};
  if (lo == 0) return t;
  t = c->times.v[lo - 1];
  if (t.launch != launch) t.begin_ns = t.end_ns, t.cycles = 0;
  t.launch = launch;
  return t;
}

/* ---- connections ---- */

static enum weir_status serve_event(struct connection *c, struct weir_wire_event *e,
                                    struct weir_err *err) {
  const struct weir_program_hooks *h = c->s->hooks;
  struct weir_wire_times t;
  switch (e->kind) {
  case WEIR_WIRE_LAUNCH:
    return serve_launch(c, e, err);
  case WEIR_WIRE_MESSAGE:
    say(weir_wire_program(c->wire), e->text);
    return WEIR_OK;
  case WEIR_WIRE_ASK:
    t = times_of(c, e->asked);
    return weir_wire_answer(c->wire, &t, err);
  default:
    return h->other != NULL ? h->other(c->session, e, err) : WEIR_OK;
  }
}

static enum weir_status serve(struct connection *c, struct weir_err *err) {
  struct weir_service *s = c->s;
  struct weir_wire_event e;
  struct weir_err none;
  enum weir_status st = weir_wire_meet(c->wire, err);
  if (st == WEIR_OK) {
    pthread_mutex_lock(&s->lock);
    s->result.n_processes++;
    st = s->hooks->begin(s->hooks->self, weir_wire_program(c->wire), &c->session, err);
    pthread_mutex_unlock(&s->lock);
  }
  /* Now that it has its place among the others: one that is started after it comes behind it. One
   * that speaks another version is told so, too. */
  enum weir_status greeted = weir_wire_greet(c->wire, &s->program->options, &none);
  if (st == WEIR_OK && greeted != WEIR_OK) {
    *err = none;
    st = greeted;
  }
  while (st == WEIR_OK && !atomic_load(&s->is_stopped)) {
    st = weir_wire_next(c->wire, &e, err);
    if (st != WEIR_OK || e.kind == WEIR_WIRE_CLOSED) break;
    pthread_mutex_lock(&s->lock);
    st = serve_event(c, &e, err);
    pthread_mutex_unlock(&s->lock);
  }
  return st;
}

/* After the last line the service may be gone. */
static void end_connection(struct connection *c) {
  uint64_t one = 1;
  int fd = c->s->ended_fd;
  weir_wire_close(c->wire);
  weir_stream_pool_free(&c->pool);
  free(c->times.v);
  free(c);
  while (write(fd, &one, sizeof one) < 0)
    continue;
}

static void *serve_thread(void *self) {
  char space[WEIR_SIGNAL_STACK];
  struct connection *c = self;
  struct weir_err err;
  weir_signal_stack(space, sizeof space);
  if (serve(c, &err) != WEIR_OK) {
    pthread_mutex_lock(&c->s->lock);
    complain(c, &err);
    pthread_mutex_unlock(&c->s->lock);
  }
  end_connection(c);
  return NULL;
}

/* ---- the service ---- */

enum weir_status weir_service_new(const struct weir_program *p,
                                  const struct weir_program_hooks *hooks, struct weir_service **out,
                                  struct weir_err *err) {
  struct weir_service *s = *out = weir_calloc(1, sizeof *s);
  if (s == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  s->program = p;
  s->hooks = hooks;
  s->ended_fd = eventfd(0, EFD_CLOEXEC);
  pthread_mutex_init(&s->lock, NULL);
  if (s->ended_fd >= 0) return WEIR_OK;
  free(s);
  *out = NULL;
  return weir_fail(err, WEIR_EIO, "cannot make an event descriptor");
}

static enum weir_status open_connection(struct weir_service *s, int listener,
                                        struct weir_err *err) {
  struct connection *c = weir_calloc(1, sizeof *c);
  pthread_t thread;
  if (c == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  c->s = s;
  enum weir_status st = weir_stream_pool_init(&c->pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  if (st != WEIR_OK) {
    free(c);
    return st;
  }
  st = weir_wire_accept(listener, &c->pool, &c->wire, err);
  if (st == WEIR_OK) {
    if (pthread_create(&thread, NULL, serve_thread, c) == 0) {
      s->n_open++;
      pthread_detach(thread);
      return WEIR_OK;
    }
    st = weir_fail(err, WEIR_ENOMEM, "cannot start a thread for a connection");
  }
  weir_wire_close(c->wire);
  weir_stream_pool_free(&c->pool);
  free(c);
  return st;
}

void weir_service_accept(struct weir_service *s, int listener) {
  struct weir_err err;
  if (open_connection(s, listener, &err) == WEIR_OK) return;
  pthread_mutex_lock(&s->lock);
  say(s->program->name, err.msg);
  s->result.is_failed = true;
  pthread_mutex_unlock(&s->lock);
}

int weir_service_fd(const struct weir_service *s) {
  return s->ended_fd;
}

void weir_service_collect(struct weir_service *s) {
  uint64_t n;
  if (read(s->ended_fd, &n, sizeof n) == sizeof n) s->n_open -= n;
}

uint64_t weir_service_open(const struct weir_service *s) {
  return s->n_open;
}

void weir_service_stop(struct weir_service *s) {
  atomic_store(&s->is_stopped, true);
}

void weir_service_free(struct weir_service *s, struct weir_program_result *out) {
  if (s == NULL) return;
  *out = s->result;
  pthread_mutex_destroy(&s->lock);
  close(s->ended_fd);
  free(s);
}
