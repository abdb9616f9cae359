#include "sim/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A turn lasts some tens of microseconds. A thread that waits looks so often before it helps the
 * others, then so often before it lets others run on its core (the one that it waits for may want
 * it, where cores are few), and after so many times of that it sleeps. */
enum { LOOKS_BEFORE_HELP = 40, LOOKS_BEFORE_YIELD = 300, YIELDS = 50 };

/* Of a component; alone in its cache line, which its owner writes in every turn: whom it belongs to
 * stands elsewhere, because every thread reads that. */
struct task {
  _Alignas(64) atomic_uint turn; /* the last one in which a thread took it */
  uint64_t work;                 /* since the last weighing */
};

struct worker {
  _Alignas(64) atomic_uint prepared; /* the last turn */
  struct weir_pool *pool;
  uint32_t index;
  pthread_t thread;
  bool is_started;
};

struct weir_pool {
  _Alignas(64) atomic_uint turn;
  _Alignas(64) atomic_uint left; /* of this turn: components to run, threads to prepare */
  _Alignas(64) atomic_uint sleepers;
  atomic_bool quit;
  _Alignas(64) uint32_t n_threads;
  uint32_t n_tasks;
  unsigned help_looks, yield_looks;
  struct weir_pool_job job;
  struct task *tasks;
  atomic_uint *owner; /* of each task */
  struct worker *workers;
  uint64_t *load;      /* of each thread, while weighing */
  struct task **order; /* likewise */
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

/* ---- waiting ---- */

static void relax(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

/* Sleepers are counted before their last look, and whoever changes what they look at reads the
 * count afterwards, both sequentially consistent: no wake-up is lost. */
static void wake_all(struct weir_pool *p) {
  if (atomic_load(&p->sleepers) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

typedef bool (*condition)(struct weir_pool *, unsigned);

static bool has_come(struct weir_pool *p, condition is_so, unsigned arg, unsigned looks) {
  for (unsigned i = 0; i < looks; i++) {
    if (is_so(p, arg)) return true;
    relax();
  }
  return is_so(p, arg);
}

static void await(struct weir_pool *p, condition is_so, unsigned arg) {
  if (has_come(p, is_so, arg, p->yield_looks)) return;
  for (int i = 0; i < YIELDS; i++) {
    sched_yield();
    if (is_so(p, arg)) return;
  }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->sleepers, 1);
  while (!is_so(p, arg))
    pthread_cond_wait(&p->changed, &p->lock);
  atomic_fetch_sub(&p->sleepers, 1);
  pthread_mutex_unlock(&p->lock);
}

static bool is_next_turn(struct weir_pool *p, unsigned seen) {
  return atomic_load(&p->turn) != seen || atomic_load(&p->quit);
}

static bool is_turn_done(struct weir_pool *p, unsigned unused) {
  (void)unused;
  return atomic_load(&p->left) == 0;
}

/* ---- a turn ---- */

static uint32_t owner_of(const struct weir_pool *p, uint32_t task) {
  return atomic_load_explicit(&p->owner[task], memory_order_relaxed);
}

static bool run_if_free(struct weir_pool *p, struct task *t, uint32_t index, unsigned turn) {
  unsigned before = turn - 1;
  if (!atomic_compare_exchange_strong_explicit(&t->turn, &before, turn, memory_order_relaxed,
                                               memory_order_relaxed))
    return false;
  t->work += p->job.run(p->job.self, index, (uint32_t)(t - p->tasks));
  return true;
}

static void count_down(struct weir_pool *p, unsigned n) {
  if (n > 0 && atomic_fetch_sub(&p->left, n) == n) wake_all(p);
}

static void run_own(struct weir_pool *p, uint32_t index, unsigned turn) {
  p->job.prepare(p->job.self, index);
  /* Whoever helps must see what was prepared. */
  atomic_store_explicit(&p->workers[index].prepared, turn, memory_order_release);
  unsigned n = 1;
  for (uint32_t i = 0; i < p->n_tasks; i++)
    if (owner_of(p, i) == index) n += run_if_free(p, &p->tasks[i], index, turn);
  count_down(p, n);
}

/* From the end, where the owners come last. Should the turn have ended meanwhile, nothing of it is
 * free any more. */
static void help(struct weir_pool *p, uint32_t index, unsigned turn) {
  for (uint32_t i = p->n_tasks; i-- > 0;) {
    struct task *t = &p->tasks[i];
    if (atomic_load_explicit(&t->turn, memory_order_relaxed) != turn - 1) continue;
    uint32_t owner = owner_of(p, i);
    if (owner != index &&
        atomic_load_explicit(&p->workers[owner].prepared, memory_order_acquire) == turn)
      count_down(p, run_if_free(p, t, index, turn));
  }
}

static void *work(void *arg) {
  struct worker *w = arg;
  struct weir_pool *p = w->pool;
  for (unsigned seen = 0;;) {
    await(p, is_next_turn, seen);
    if (atomic_load(&p->quit)) return NULL;
    seen++;
    run_own(p, w->index, seen);
    if (!has_come(p, is_next_turn, seen, p->help_looks)) help(p, w->index, seen);
  }
}

static int by_work(const void *a, const void *b) {
  const struct task *const *x = a, *const *y = b;
  return ((*x)->work < (*y)->work) - ((*x)->work > (*y)->work);
}

/* The heaviest first, each to the thread that has least, its present owner if that has no more. */
void weir_pool_weigh(struct weir_pool *p) {
  memset(p->load, 0, p->n_threads * sizeof *p->load);
  for (uint32_t i = 0; i < p->n_tasks; i++)
    p->order[i] = &p->tasks[i];
  qsort(p->order, p->n_tasks, sizeof *p->order, by_work);
  for (uint32_t i = 0; i < p->n_tasks; i++) {
    struct task *t = p->order[i];
    uint32_t task = (uint32_t)(t - p->tasks), best = owner_of(p, task);
    for (uint32_t k = 0; k < p->n_threads; k++)
      if (p->load[k] < p->load[best]) best = k;
    p->load[best] += t->work;
    t->work = 0;
    atomic_store_explicit(&p->owner[task], best, memory_order_relaxed);
  }
}

bool weir_pool_is_lopsided(struct weir_pool *p) {
  uint64_t sum = 0, most = 0;
  memset(p->load, 0, p->n_threads * sizeof *p->load);
  for (uint32_t i = 0; i < p->n_tasks; i++)
    p->load[owner_of(p, i)] += p->tasks[i].work;
  for (uint32_t i = 0; i < p->n_threads; i++) {
    sum += p->load[i];
    if (p->load[i] > most) most = p->load[i];
  }
  return most * p->n_threads > sum + sum / 16;
}

void weir_pool_turn(struct weir_pool *p) {
  unsigned turn = atomic_load_explicit(&p->turn, memory_order_relaxed) + 1;
  atomic_store(&p->left, p->n_tasks + p->n_threads);
  atomic_store(&p->turn, turn);
  wake_all(p);
  run_own(p, 0, turn);
  if (!has_come(p, is_turn_done, 0, p->help_looks)) help(p, 0, turn);
  await(p, is_turn_done, 0);
}

uint32_t weir_pool_owner(const struct weir_pool *p, uint32_t component) {
  return owner_of(p, component);
}

/* ---- life ---- */

static void *allocate(size_t n, size_t size) {
  void *v = aligned_alloc(64, (n * size + 63) / 64 * 64);
  if (v != NULL) memset(v, 0, n * size);
  return v;
}

struct weir_pool *weir_pool_new(uint32_t threads, uint32_t components,
                                const struct weir_pool_job *job) {
  struct weir_pool *p = allocate(1, sizeof *p);
  if (p == NULL) return NULL;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  bool has_cores = cores <= 0 || (unsigned long)cores >= threads;
  p->help_looks = has_cores ? LOOKS_BEFORE_HELP : 0;
  p->yield_looks = has_cores ? LOOKS_BEFORE_YIELD : 0;
  p->n_threads = threads;
  p->n_tasks = components;
  p->job = *job;
  pthread_mutex_init(&p->lock, NULL); /* with default attributes neither of the two can fail */
  pthread_cond_init(&p->changed, NULL);
  p->tasks = allocate(components, sizeof *p->tasks);
  p->owner = allocate(components, sizeof *p->owner);
  p->workers = allocate(threads, sizeof *p->workers);
  p->load = calloc(threads, sizeof *p->load);
  p->order = calloc(components, sizeof *p->order);
  bool ok = p->tasks != NULL && p->owner != NULL && p->workers != NULL && p->load != NULL &&
            p->order != NULL;
  for (uint32_t i = 0; ok && i < components; i++)
    atomic_init(&p->owner[i], i % threads);
  for (uint32_t i = 1; ok && i < threads; i++) {
    p->workers[i].pool = p;
    p->workers[i].index = i;
    ok = p->workers[i].is_started =
        pthread_create(&p->workers[i].thread, NULL, work, &p->workers[i]) == 0;
  }
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
  free(p->workers);
  free(p->load);
  free(p->order);
  free(p);
}
