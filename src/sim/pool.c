#include "sim/pool.h"
#include "base/mem.h"
#include "base/signal_stack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A step lasts some microseconds. A thread that waits looks for about as long before it lets others
 * run on its core, and then sleeps. Where looking was in vain, because the thread that it waits for
 * has no core, it will look for less long next time. It yields only where the threads themselves
 * share cores, and not again once something else has used the core for long: on a busy machine a
 * yield costs the time slices of all others. */
enum { MOST_LOOKS = 2000, LEAST_LOOKS = 20, YIELDS = 50, LONGEST_SLEEP_NS = 1000000 };
/* No step takes that long: the thread that was waited for has no core. Then one thread does the
 * work of all, for a while that doubles when the next attempt ends in the same way. */
enum { LATE_NS = 2000000, FIRST_ALONE_NS = 20000000, LONGEST_ALONE_NS = 2000000000 };

/* Of a component; alone in its cache line, which its owner writes in every step. Whom it belongs to
 * stands elsewhere: every thread reads that. */
struct task {
  _Alignas(64) uint64_t work; /* since the last weighing */
};

struct worker {
  /* What the others read, in one cache line. */
  _Alignas(64) atomic_uint_least64_t ended; /* the last step */
  atomic_uint_least64_t stop;               /* nobody is to begin it */
  /* Its own. */
  _Alignas(64) uint64_t all_ended; /* a step that all threads are known to have ended */
  uint64_t first_stop;             /* of all threads, as far as they had ended then */
  uint64_t busy_ns, waited_ns;     /* since the last weighing; in this turn */
  unsigned looks;                  /* before it yields */
  struct weir_pool *pool;
  uint32_t index;
  pthread_t thread;
  bool is_started;
};

struct weir_pool {
  _Alignas(64) atomic_uint turn;
  _Alignas(64) atomic_uint left; /* threads that are still at this turn */
  _Alignas(64) atomic_uint sleepers;
  atomic_bool quit;
  _Alignas(64) atomic_bool is_late;          /* in this turn somebody waited for LATE_NS */
  _Alignas(64) uint32_t n_threads, n_active; /* all; those that take turns: all or one */
  uint32_t n_tasks, depth;
  bool is_alone;                  /* thread 0 is to be, from the next hand-over on */
  uint64_t alone_until, alone_ns; /* the present time alone; how long the next one is to be */
  bool has_cores;                 /* for all threads */
  struct weir_pool_job job;
  struct task *tasks;
  uint32_t *owner, *next_owner; /* of each task */
  uint32_t *home;               /* its owner before one thread took all */
  double *load, *price;         /* of each thread, while weighing: time; time per unit of work */
  struct worker *workers;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

/* ---- waiting ---- */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void relax(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

/* A thread that changes what others wait for does not stop until they see it, and may overlook one
 * that is about to sleep: nobody sleeps for long without a look. */
static void wake_all(struct weir_pool *p) {
  if (atomic_load_explicit(&p->sleepers, memory_order_relaxed) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

typedef bool (*condition)(struct weir_pool *, uint32_t thread, uint64_t step);

/* Looks without a pause in which another thread could have the core. */
static bool has_come(struct weir_pool *p, struct worker *me, condition is_so, uint32_t thread,
                     uint64_t step) {
  for (unsigned i = 0; i < me->looks; i++) {
    if (is_so(p, thread, step)) {
      me->looks = 2 * me->looks < MOST_LOOKS ? 2 * me->looks : MOST_LOOKS;
      return true;
    }
    relax();
  }
  if (me->looks > LEAST_LOOKS) me->looks /= 2;
  return false;
}

static void await(struct weir_pool *p, struct worker *me, condition is_so, uint32_t thread,
                  uint64_t step) {
  if (p->has_cores && has_come(p, me, is_so, thread, step)) return;
  for (unsigned i = 0; !p->has_cores && i < YIELDS; i++) {
    if (is_so(p, thread, step)) return;
    uint64_t since = now_ns();
    sched_yield();
    if (now_ns() - since > LATE_NS / 2) break;
  }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->sleepers, 1);
  while (!is_so(p, thread, step)) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LONGEST_SLEEP_NS;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&p->changed, &p->lock, &t);
  }
  atomic_fetch_sub(&p->sleepers, 1);
  pthread_mutex_unlock(&p->lock);
}

static bool is_next_turn(struct weir_pool *p, uint32_t unused, uint64_t seen) {
  (void)unused;
  return atomic_load(&p->turn) != seen || atomic_load(&p->quit);
}

static bool is_turn_done(struct weir_pool *p, uint32_t unused, uint64_t unused_too) {
  (void)unused;
  (void)unused_too;
  return atomic_load(&p->left) == 0;
}

static bool has_ended(struct weir_pool *p, uint32_t thread, uint64_t step) {
  return atomic_load(&p->workers[thread].ended) >= step;
}

/* ---- steps ---- */

/* Whatever a thread stopped in a step that it has ended is seen here; what it stopped since is a
 * later step, and will be seen in time. */
static void look(struct weir_pool *p, struct worker *me) {
  uint64_t all = UINT64_MAX;
  for (uint32_t i = 0; i < p->n_active; i++) {
    struct worker *w = &p->workers[i];
    uint64_t ended = atomic_load(&w->ended), stop = atomic_load(&w->stop);
    if (ended < all) all = ended;
    if (stop < me->first_stop) me->first_stop = stop;
  }
  me->all_ended = all;
}

void weir_pool_hint(const struct weir_pool *p, uint32_t thread) {
  for (uint32_t i = 0; i < p->n_active; i++)
    if (i != thread) __builtin_prefetch(&p->workers[i].ended);
}

bool weir_pool_has_ended(struct weir_pool *p, uint32_t thread, uint64_t step) {
  struct worker *me = &p->workers[thread];
  if (me->all_ended < step) look(p, me);
  return me->all_ended >= step;
}

static void note_wait(struct weir_pool *p, struct worker *me, uint64_t since) {
  uint64_t ns = p->job.clock() - since;
  me->waited_ns += ns;
  if (ns > LATE_NS) atomic_store_explicit(&p->is_late, true, memory_order_relaxed);
}

bool weir_pool_begin(struct weir_pool *p, uint32_t thread, uint64_t step) {
  struct worker *me = &p->workers[thread];
  uint64_t needed = step - p->depth;
  if (!weir_pool_has_ended(p, thread, needed)) {
    uint64_t since = p->job.clock();
    for (uint32_t i = 0; i < p->n_active; i++)
      if (i != thread) await(p, me, has_ended, i, needed);
    look(p, me);
    note_wait(p, me, since);
  }
  return step < me->first_stop;
}

void weir_pool_end(struct weir_pool *p, uint32_t thread, uint64_t step, bool is_last) {
  struct worker *me = &p->workers[thread];
  is_last |= atomic_load_explicit(&p->is_late, memory_order_relaxed);
  if (is_last && atomic_load_explicit(&me->stop, memory_order_relaxed) > step + p->depth)
    atomic_store_explicit(&me->stop, step + p->depth, memory_order_relaxed);
  atomic_store_explicit(&me->ended, step, memory_order_release);
  if (p->n_active > 1) wake_all(p); /* who rests does not wait for a step */
}

void weir_pool_count(struct weir_pool *p, uint32_t component, uint64_t work) {
  p->tasks[component].work += work;
}

/* ---- turns ---- */

static void take_turn(struct weir_pool *p, uint32_t thread) {
  struct worker *me = &p->workers[thread];
  uint64_t since = p->job.clock();
  me->first_stop = UINT64_MAX;
  me->waited_ns = 0;
  p->job.run(p->job.self, thread);
  me->busy_ns += p->job.clock() - since - me->waited_ns;
  if (atomic_fetch_sub(&p->left, 1) == 1 && thread != 0) wake_all(p); /* thread 0 waits for it */
}

static void *work(void *arg) {
  char space[WEIR_SIGNAL_STACK];
  struct worker *w = arg;
  weir_signal_stack(space, sizeof space); /* for the handlers of whoever uses the pool */
  struct weir_pool *p = w->pool;
  for (unsigned seen = 0;; seen++) {
    await(p, w, is_next_turn, 0, seen);
    if (atomic_load(&p->quit)) return NULL;
    take_turn(p, w->index);
  }
}

void weir_pool_turn(struct weir_pool *p) {
  for (uint32_t i = 0; i < p->n_active; i++)
    if (atomic_load_explicit(&p->workers[i].stop, memory_order_relaxed) != UINT64_MAX)
      atomic_store_explicit(&p->workers[i].stop, UINT64_MAX, memory_order_relaxed);
  atomic_store(&p->left, p->n_active);
  if (p->n_active > 1) {
    atomic_fetch_add(&p->turn, 1);
    wake_all(p);
  }
  take_turn(p, 0);
  if (p->n_active == 1) return; /* nobody can have come late */
  uint64_t since = p->job.clock();
  await(p, &p->workers[0], is_turn_done, 0, 0);
  note_wait(p, &p->workers[0], since);
}

/* ---- who does what ---- */

uint32_t weir_pool_owner(const struct weir_pool *p, uint32_t component) {
  return p->owner[component];
}

static double cost_of(const struct weir_pool *p, uint32_t task) {
  return p->price[p->owner[task]] * (double)p->tasks[task].work;
}

/* Of the components that `from` is to have, the one that brings it and `to` nearest together; none:
 * n_tasks. */
static uint32_t best_move(const struct weir_pool *p, uint32_t from, uint32_t to) {
  double gap = p->load[from] - p->load[to], left = gap * 0.99;
  uint32_t best = p->n_tasks;
  for (uint32_t i = 0; i < p->n_tasks; i++) {
    if (p->next_owner[i] != from || p->tasks[i].work == 0) continue;
    double after = gap - 2 * cost_of(p, i);
    if (after < 0) after = -after;
    if (after < left) left = after, best = i;
  }
  return best;
}

/* From the thread that has most to the one that has least, as long as they are apart and it brings
 * them nearer. A component is taken to need as much time for its work as the others of its owner.
 */
static bool share_out(struct weir_pool *p) {
  bool any = false;
  for (uint32_t n = 0; n < p->n_tasks; n++) {
    uint32_t most = 0, least = 0;
    for (uint32_t i = 1; i < p->n_threads; i++) {
      if (p->load[i] > p->load[most]) most = i;
      if (p->load[i] < p->load[least]) least = i;
    }
    if (p->load[most] - p->load[least] <= p->load[most] / 16) break;
    uint32_t task = best_move(p, most, least);
    if (task == p->n_tasks) break;
    p->load[most] -= cost_of(p, task);
    p->load[least] += cost_of(p, task);
    p->next_owner[task] = least;
    any = true;
  }
  return any;
}

/* Of all threads, thread 0 will have everything: it has the core that is working. */
static bool go_alone(struct weir_pool *p) {
  atomic_store(&p->is_late, false);
  memcpy(p->home, p->owner, p->n_tasks * sizeof *p->home);
  memset(p->next_owner, 0, p->n_tasks * sizeof *p->next_owner);
  p->is_alone = true;
  p->alone_until = p->job.clock() + p->alone_ns;
  if (p->alone_ns < LONGEST_ALONE_NS) p->alone_ns *= 2;
  return true;
}

static bool go_together(struct weir_pool *p) {
  if (p->job.clock() < p->alone_until) return false;
  p->is_alone = false;
  memcpy(p->next_owner, p->home, p->n_tasks * sizeof *p->home);
  for (uint32_t i = 0; i < p->n_threads; i++)
    p->workers[i].busy_ns = 0;
  for (uint32_t i = 0; i < p->n_tasks; i++)
    p->tasks[i].work = 0;
  return true;
}

bool weir_pool_is_late(const struct weir_pool *p) {
  return p->n_active == 1 || atomic_load_explicit(&p->is_late, memory_order_relaxed);
}

bool weir_pool_weigh(struct weir_pool *p) {
  if (p->n_active == 1) return go_together(p);
  if (atomic_load(&p->is_late)) return go_alone(p);
  double *price = p->price;
  for (uint32_t i = 0; i < p->n_threads; i++) {
    p->load[i] = (double)p->workers[i].busy_ns;
    price[i] = 0;
    p->workers[i].busy_ns = 0;
  }
  for (uint32_t i = 0; i < p->n_tasks; i++) {
    p->next_owner[i] = p->owner[i];
    price[p->owner[i]] += (double)p->tasks[i].work;
  }
  for (uint32_t i = 0; i < p->n_threads; i++)
    price[i] = price[i] > 0 ? p->load[i] / price[i] : 0;
  bool any = share_out(p);
  for (uint32_t i = 0; i < p->n_tasks; i++)
    p->tasks[i].work = 0;
  if (p->alone_ns > FIRST_ALONE_NS) p->alone_ns /= 2; /* all had cores since the last weighing */
  return any;
}

/* A thread that did not take part takes up where thread 0 is. */
void weir_pool_hand_over(struct weir_pool *p) {
  memcpy(p->owner, p->next_owner, p->n_tasks * sizeof *p->owner);
  p->n_active = p->is_alone ? 1 : p->n_threads;
  for (uint32_t i = 1; i < p->n_threads; i++)
    atomic_store(&p->workers[i].ended, atomic_load(&p->workers[0].ended));
}

/* ---- life ---- */

static void *allocate(size_t n, size_t size) {
  void *v = weir_aligned_alloc(64, n * size);
  if (v != NULL) memset(v, 0, n * size);
  return v;
}

struct weir_pool *weir_pool_new(uint32_t threads, uint32_t components, uint32_t depth,
                                const struct weir_pool_job *job) {
  struct weir_pool *p = allocate(1, sizeof *p);
  if (p == NULL) return NULL;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  p->has_cores = cores <= 0 || (unsigned long)cores >= threads;
  p->depth = depth;
  p->n_threads = p->n_active = threads;
  p->n_tasks = components;
  p->alone_ns = FIRST_ALONE_NS;
  p->job = *job;
  if (p->job.clock == NULL) p->job.clock = now_ns;
  pthread_condattr_t clock; /* with a clock that exists none of these can fail */
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, &clock);
  pthread_condattr_destroy(&clock);
  p->tasks = allocate(components, sizeof *p->tasks);
  p->owner = weir_calloc(components, sizeof *p->owner);
  p->next_owner = weir_calloc(components, sizeof *p->owner);
  p->home = weir_calloc(components, sizeof *p->home);
  p->load = weir_calloc(threads, sizeof *p->load);
  p->price = weir_calloc(threads, sizeof *p->price);
  p->workers = allocate(threads, sizeof *p->workers);
  bool ok = p->tasks != NULL && p->owner != NULL && p->next_owner != NULL && p->home != NULL &&
            p->load != NULL && p->price != NULL && p->workers != NULL;
  for (uint32_t i = 0; ok && i < components; i++)
    p->owner[i] = i % threads;
  for (uint32_t i = 0; ok && i < threads; i++) {
    atomic_init(&p->workers[i].ended, depth - 1);
    atomic_init(&p->workers[i].stop, UINT64_MAX);
    p->workers[i].all_ended = depth - 1;
    p->workers[i].looks = MOST_LOOKS;
  }
  /* Signals are for the threads of whoever uses the pool: one that waits for them would miss what
   * is delivered to a worker. */
  sigset_t all, before;
  sigfillset(&all);
  for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 0}; *s; s++)
    sigdelset(&all, *s); /* of its own doing */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (uint32_t i = 1; ok && i < threads; i++) {
    p->workers[i].pool = p;
    p->workers[i].index = i;
    ok = p->workers[i].is_started =
        pthread_create(&p->workers[i].thread, NULL, work, &p->workers[i]) == 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (ok) return p;
  weir_pool_free(p);
  return NULL;
}

void weir_pool_free(struct weir_pool *p) {
  if (p == NULL) return;
  atomic_store(&p->quit, true);
  wake_all(p);
  for (uint32_t i = 1; p->workers != NULL && i < p->n_threads; i++)
    if (p->workers[i].is_started) pthread_join(p->workers[i].thread, NULL);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
  free(p->tasks);
  free(p->owner);
  free(p->next_owner);
  free(p->home);
  free(p->load);
  free(p->price);
  free(p->workers);
  free(p);
}
