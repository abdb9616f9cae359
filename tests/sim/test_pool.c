/* The threads of the engine: how far apart they may be, where a turn ends, who owns what. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/pool.h"

enum { N = 37, THREADS = 64, TURNS = 400, MOST_STEPS = 12, STEPS = TURNS * MOST_STEPS + 8 };

struct rig {
  struct weir_pool *pool;
  uint32_t threads, depth;
  uint32_t active;              /* threads that take part: all, or thread 0 alone */
  uint64_t first;               /* step of the turn */
  uint32_t n_steps;             /* the most of the turn */
  uint64_t stop_in[THREADS];    /* each thread ends the turn in that step; 0: it does not */
  uint32_t took[THREADS];       /* steps of the turn */
  uint8_t done[THREADS][STEPS]; /* not atomic: the pool orders the accesses */
  uint64_t ran[N];
  atomic_uint bad;
  unsigned heavy; /* components that take longer */
  unsigned late;  /* milliseconds that thread 1 sleeps in the turn's first step */
};

/* A clock of each thread that only work moves. */
static _Thread_local uint64_t worked_ns;

static uint64_t clock_of_work(void) {
  return worked_ns;
}

static void spin(unsigned n) {
  worked_ns += n;
  volatile unsigned x = n;
  for (unsigned k = 0; k < n * 5; k++)
    x = x * 1664525u + 1013904223u;
}

static void run(void *self, uint32_t thread) {
  struct rig *r = self;
  uint32_t n = 0;
  for (; n < r->n_steps; n++) {
    uint64_t step = r->first + n;
    if (n == 0 && thread == 1 && r->late > 0) usleep(1000 * r->late);
    if (!weir_pool_begin(r->pool, thread, step)) break;
    for (uint32_t i = 0; i < r->active; i++)
      if (!r->done[i][step - r->depth]) atomic_fetch_add(&r->bad, 1);
    if (step > r->depth && !weir_pool_has_ended(r->pool, thread, step - r->depth))
      atomic_fetch_add(&r->bad, 1);
    for (uint32_t i = 0; i < N; i++)
      if (weir_pool_owner(r->pool, i) == thread) {
        unsigned work = i < r->heavy ? 100 : 1;
        spin(work);
        weir_pool_count(r->pool, i, work);
        r->ran[i]++;
      }
    weir_pool_hint(r->pool, thread);
    r->done[thread][step] = 1;
    weir_pool_end(r->pool, thread, step, step == r->stop_in[thread]);
  }
  r->took[thread] = n;
}

static struct rig *open_rig_by(uint32_t threads, uint32_t depth, uint64_t (*clock)(void)) {
  struct rig *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->threads = r->active = threads;
  r->depth = depth;
  r->first = depth;
  for (uint32_t i = 0; i < threads; i++)
    memset(r->done[i], 1, depth);
  const struct weir_pool_job job = {.self = r, .run = run, .clock = clock};
  r->pool = weir_pool_new(threads, N, depth, &job);
  assert_non_null(r->pool);
  return r;
}

static struct rig *open_rig(uint32_t threads, uint32_t depth) {
  return open_rig_by(threads, depth, NULL);
}

static void close_rig(struct rig *r) {
  weir_pool_free(r->pool);
  free(r);
}

static uint32_t owned(const struct rig *r, uint32_t thread) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < N; i++)
    n += weir_pool_owner(r->pool, i) == thread;
  return n;
}

static void weigh(struct rig *r) {
  if (!weir_pool_weigh(r->pool)) return;
  weir_pool_hand_over(r->pool);
  r->active = owned(r, 0) == N && weir_pool_is_late(r->pool) ? 1 : r->threads;
}

/* A turn of `most` steps, or fewer where a thread came late: the same number on all threads. */
static uint64_t take_turn(struct rig *r, uint64_t most) {
  for (uint32_t i = r->active; i < r->threads; i++) /* a thread that rests holds up nobody */
    memset(&r->done[i][r->first], 1, most);
  weir_pool_turn(r->pool);
  uint64_t n = r->took[0];
  for (uint32_t i = 1; i < r->active; i++)
    assert_int_equal(r->took[i], n);
  if (n != most) assert_true(n < most && weir_pool_is_late(r->pool));
  r->first += n;
  return n;
}

/* Turns of all lengths, some of them ended by a thread or two: all threads stop at the same step.
 */
static void all_steps(uint32_t threads, uint32_t depth) {
  struct rig *r = open_rig(threads, depth);
  uint64_t x = 1, all = 0;
  for (uint32_t t = 0; t < TURNS; t++) {
    x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
    r->n_steps = depth + (uint32_t)(x >> 33) % (MOST_STEPS - depth);
    uint64_t end = r->n_steps;
    memset(r->stop_in, 0, sizeof r->stop_in);
    for (unsigned k = 0; k < (x >> 41) % 3; k++) {
      uint64_t in = (x >> (44 + 4 * k)) % r->n_steps;
      r->stop_in[(x >> (50 + 3 * k)) % threads] = r->first + in;
    }
    for (uint32_t i = 0; i < r->active; i++)
      if (r->stop_in[i] != 0 && r->stop_in[i] - r->first + depth < end)
        end = r->stop_in[i] - r->first + depth;
    all += take_turn(r, end);
    for (uint32_t i = 0; i < N; i++)
      assert_int_equal(r->ran[i], all);
    if (t % 8 == 0 || weir_pool_is_late(r->pool)) weigh(r);
  }
  assert_int_equal(atomic_load(&r->bad), 0);
  close_rig(r);
}

static void test_two(void **state) {
  (void)state;
  for (uint32_t depth = 1; depth <= 4; depth++)
    all_steps(2, depth);
}

static void test_more_than_cores(void **state) {
  (void)state;
  all_steps(7, 2);
}

static void test_more_than_components(void **state) {
  (void)state;
  all_steps(N + 3, 2);
}

/* A thread that has no core for long: thread 0 takes everything, no step is left out or done twice,
 * and after a while both work again. The host may keep any thread waiting: sooner or later. */
static void test_late(void **state) {
  (void)state;
  struct rig *r = open_rig(2, 2);
  uint64_t all = 0;
  bool was_alone = false, was_together_again = false;
  r->n_steps = MOST_STEPS;
  while (!was_together_again && r->first + MOST_STEPS < STEPS) {
    r->late = was_alone ? 0 : 5;
    if (was_alone && r->active == 1) usleep(1000);
    all += take_turn(r, r->n_steps);
    if (weir_pool_is_late(r->pool)) weigh(r);
    for (uint32_t i = 0; i < N; i++)
      assert_int_equal(r->ran[i], all);
    if (was_alone && r->active == 2) was_together_again = true;
    was_alone |= r->active == 1;
  }
  assert_true(was_alone);
  assert_true(was_together_again);
  assert_int_equal(atomic_load(&r->bad), 0);
  close_rig(r);
}

/* How often the other threads of this process have gone to sleep. */
static uint64_t sleeps_of_others(void) {
  uint64_t all = 0;
  DIR *d = opendir("/proc/self/task");
  assert_non_null(d);
  for (const struct dirent *e; (e = readdir(d)) != NULL;) {
    char path[300], line[128];
    unsigned long long n = 0;
    if (e->d_name[0] == '.' || atoi(e->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
      if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1) all += n;
    if (f != NULL) fclose(f);
  }
  closedir(d);
  return all;
}

static uint64_t milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The core that a thread rests from belongs to others: it looks up once in a millisecond, and not
 * for every step. */
static void test_rest(void **state) {
  (void)state;
  struct rig *r = open_rig(2, 2);
  r->n_steps = MOST_STEPS;
  r->late = 5;
  while (r->active > 1) {
    take_turn(r, r->n_steps);
    if (weir_pool_is_late(r->pool)) weigh(r);
  }
  r->heavy = N; /* steps of some microseconds */
  uint64_t since = milliseconds(), before = sleeps_of_others();
  while (r->first + MOST_STEPS < STEPS)
    take_turn(r, r->n_steps);
  uint64_t sleeps = sleeps_of_others() - before, ms = milliseconds() - since;
  assert_in_range(sleeps, 0, 2 * ms + 10);
  assert_int_equal(atomic_load(&r->bad), 0);
  close_rig(r);
}

/* A signal that the caller has blocked, to wait for it, is not delivered to a worker. */
static void test_signals(void **state) {
  (void)state;
  sigset_t set, before, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  struct rig *r = open_rig(3, 1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  kill(getpid(), SIGCHLD);
  r->n_steps = 1;
  take_turn(r, 1);
  sigpending(&pending);
  assert_int_equal(sigismember(&pending, SIGCHLD), 1);
  const struct timespec none = {0};
  assert_int_equal(sigtimedwait(&set, NULL, &none), SIGCHLD);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close_rig(r);
}

/* Components 0, 2, 4, ... begin on thread 0. One of them takes longer than all others together: it
 * keeps its thread for itself, and no weighing after that changes a thing. */
static void test_weighing(void **state) {
  (void)state;
  struct rig *r = open_rig_by(2, 1, clock_of_work);
  r->heavy = 1;
  r->n_steps = 1;
  assert_int_equal(owned(r, 0), (N + 1) / 2);
  for (uint32_t t = 0; t < 200; t++) {
    take_turn(r, 1);
    if (t % 50 != 49) continue;
    assert_int_equal(weir_pool_weigh(r->pool), t == 49);
    if (t == 49) weir_pool_hand_over(r->pool);
    assert_int_equal(weir_pool_owner(r->pool, 0), 0);
    assert_int_equal(owned(r, 0), 1);
  }
  assert_int_equal(atomic_load(&r->bad), 0);
  close_rig(r);
}

static atomic_uint n_stacks;

static void look_for_stack(void *self, uint32_t thread) {
  (void)self, (void)thread;
  stack_t has;
  if (sigaltstack(NULL, &has) == 0 && !(has.ss_flags & SS_DISABLE) && has.ss_size >= 1 << 14)
    atomic_fetch_add(&n_stacks, 1);
}

/* A handler must be able to say that a thread has used up its stack. The caller's is its own
 * matter.
 */
static void test_threads_have_a_stack_for_signals(void **state) {
  (void)state;
  enum { MANY = 4 };
  stack_t own;
  const struct weir_pool_job job = {.run = look_for_stack};
  assert_int_equal(sigaltstack(NULL, &own), 0);
  struct weir_pool *p = weir_pool_new(MANY, N, 1, &job);
  assert_non_null(p);
  weir_pool_turn(p);
  weir_pool_free(p);
  assert_int_equal(atomic_load(&n_stacks), own.ss_flags & SS_DISABLE ? MANY - 1 : MANY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two),
      cmocka_unit_test(test_more_than_cores),
      cmocka_unit_test(test_more_than_components),
      cmocka_unit_test(test_late),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_signals),
      cmocka_unit_test(test_threads_have_a_stack_for_signals),
      cmocka_unit_test(test_weighing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
