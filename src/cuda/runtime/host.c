#include "cuda/runtime/host.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "cuda/runtime/state.h"

/* ---- environment ---- */

static locale_t plain; /* "C"; made once, for the life of the process */

static struct { /* of the thread that holds the lock */
  fenv_t fp;
  locale_t locale;
} theirs;

void weir_gpu_lock(void) {
  pthread_mutex_lock(&weir_gpu.lock);
  fegetenv(&theirs.fp);
  fesetenv(FE_DFL_ENV);
  if (plain == NULL) plain = newlocale(LC_ALL_MASK, "C", NULL);
  theirs.locale = plain != NULL ? uselocale(plain) : NULL;
}

void weir_gpu_unlock(void) {
  if (theirs.locale != NULL) uselocale(theirs.locale);
  fesetenv(&theirs.fp);
  pthread_mutex_unlock(&weir_gpu.lock);
}

/* ---- stacks ---- */

/* Executing and compiling take some 20 KiB; a thread can have 16. */
enum { ENOUGH = 128 << 10, OWN_STACK = 1 << 20, GUARD = 64 << 10 };

static char *own; /* lowest address of weir's stack; used under the lock */

/* Of a stack that is not the one that the thread was made with (a fiber's) nothing is known. */
static bool has_room(void) {
  static __thread uintptr_t low, high;
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (own != NULL && here > (uintptr_t)own && here <= (uintptr_t)own + OWN_STACK) return true;
  if (high == 0) {
    pthread_attr_t a;
    void *at = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &a) != 0) return true;
    pthread_attr_getstack(&a, &at, &bytes);
    pthread_attr_destroy(&a);
    low = (uintptr_t)at;
    high = low + bytes;
  }
  return here >= low && here < high && here - low >= ENOUGH;
}

static bool make_stack(void) {
  if (own != NULL) return true;
  char *p = mmap(NULL, GUARD + OWN_STACK, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED) return false;
  mprotect(p, GUARD, PROT_NONE);
  own = p + GUARD;
  return true;
}

struct call {
  void (*fn)(void *);
  void *arg;
  ucontext_t back;
};

/* makecontext gives whole numbers only. */
static void on_own_stack(unsigned high, unsigned low) {
  struct call *c = (struct call *)((uintptr_t)high << 32 | low);
  c->fn(c->arg);
}

void weir_gpu_deep(void (*fn)(void *), void *arg) {
  if (has_room() || !make_stack()) {
    fn(arg);
    return;
  }
  struct call c = {.fn = fn, .arg = arg};
  ucontext_t there;
  if (getcontext(&there) != 0) {
    fn(arg);
    return;
  }
  there.uc_stack.ss_sp = own;
  there.uc_stack.ss_size = OWN_STACK;
  there.uc_link = &c.back;
  uintptr_t at = (uintptr_t)&c;
  makecontext(&there, (void (*)(void))on_own_stack, 2, (unsigned)(at >> 32), (unsigned)at);
  swapcontext(&c.back, &there);
}
