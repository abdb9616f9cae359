#include "l1/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "l1/core.h"

/* ---- crashes ---- */

struct frame { /* a hook that runs */
  sigjmp_buf back;
  const struct weir_guarded *who;
  const char *hook;
  struct frame *up;
  bool can_return;
};

static _Thread_local struct frame *running;
static _Thread_local volatile sig_atomic_t last_signal;
static _Thread_local const struct weir_part *sized;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static const char *signal_text(int number) {
  switch (number) {
  case SIGSEGV:
    return "used memory that is not there (SIGSEGV)";
  case SIGBUS:
    return "used memory in a way that cannot be (SIGBUS)";
  case SIGFPE:
    return "divided by zero (SIGFPE)";
  case SIGILL:
    return "ran into an illegal instruction (SIGILL)";
  default:
    return "gave up (SIGABRT: an assertion, or abort)";
  }
}

static void say(const char *text) {
  ssize_t n = write(STDERR_FILENO, text, strlen(text));
  (void)n; /* there is nobody else to tell */
}

static void on_signal(int number) {
  struct frame *f = running;
  if (f != NULL && f->can_return) {
    last_signal = number;
    siglongjmp(f->back, 1);
  }
  if (f != NULL) {
    const char *const words[] = {"weir: ", f->who->file, ": policy ", f->who->ops.part.name,
                                 ": '",    f->hook,      "' ",        signal_text(number),
                                 "\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      say(words[i]);
    weir_temps_remove();
    _exit(1);
  }
  weir_temps_remove();
  signal(number, SIG_DFL); /* none of a plug-in's: as if nobody had listened */
  raise(number);
}

/* exit() in a hook would end the run in the middle of things, with the plug-in's exit code. */
static void on_exit_of_process(void) {
  const struct frame *f = running;
  if (f == NULL) return;
  const char *const words[] = {"weir: ", f->who->file, ": policy ",        f->who->ops.part.name,
                               ": '",    f->hook,      "' called exit()\n"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    say(words[i]);
  weir_temps_remove(); /* others that were to be called at the end are not */
  _exit(1);
}

static void listen(void) {
  static bool has_hook;
  if (!has_hook) atexit(on_exit_of_process);
  has_hook = true;
  struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_ONSTACK};
  sigemptyset(&act.sa_mask);
  for (size_t i = 0; i < N_SIGNALS; i++)
    sigaction(signals[i], &act, NULL);
}

/* A hook may have used up the stack of its thread. A thread that has a second one keeps it. */
static void give_stack(void) {
  static _Thread_local char space[1 << 15];
  static _Thread_local bool has_stack;
  if (has_stack) return;
  const stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
  stack_t old;
  has_stack = sigaltstack(NULL, &old) == 0 &&
              (!(old.ss_flags & SS_DISABLE) || sigaltstack(&stack, NULL) == 0);
}

/* ---- the wall ---- */

static const struct weir_chain *chain_of(const struct weir_policy *p) {
  return p->core;
}

static const struct weir_guarded *guarded_of(const struct weir_policy *p) {
  return (const struct weir_guarded *)chain_of(p)->ops[p->index - 1];
}

/* What has failed is not called again: the run ends soon. */
static bool has_failed(const struct weir_policy *p) {
  return chain_of(p)->fault[0] != '\0';
}

static void enter(struct frame *f, const struct weir_guarded *who, const char *hook,
                  bool can_return) {
  give_stack();
  f->who = who;
  f->hook = hook;
  f->can_return = can_return;
  f->up = running;
}

static void blame(const struct weir_policy *p, const char *hook, const char *what) {
  char text[256];
  snprintf(text, sizeof text, "'%s' %.200s", hook, what);
  weir_chain_fault(chain_of(p), guarded_of(p)->ops.part.name, text);
}

static void crashed(const struct weir_policy *p, struct frame *f) {
  running = f->up;
  blame(p, f->hook, signal_text(last_signal));
}

/* Calls own->hook; `instead` is what to return if it crashes. */
#define CALL(p, hook, call, instead)                                                               \
  struct frame f;                                                                                  \
  const struct weir_guarded *who = guarded_of(p);                                                  \
  if (has_failed(p)) return instead;                                                               \
  enter(&f, who, hook, true);                                                                      \
  if (sigsetjmp(f.back, 0) != 0) {                                                                 \
    crashed(p, &f);                                                                                \
    return instead;                                                                                \
  }                                                                                                \
  running = &f;                                                                                    \
  call;                                                                                            \
  running = f.up;                                                                                  \
  if (!weir_chain_is_sound(chain_of(p))) blame(p, hook, "wrote outside of its memory")
#define NOTHING

static bool is_answer(const struct weir_policy *p, const char *hook, unsigned answer,
                      unsigned most) {
  char text[96];
  if (answer <= most) return true;
  snprintf(text, sizeof text, "answered %d, which is none of its answers", (int)answer);
  blame(p, hook, text);
  return false;
}

/* ---- the hooks of every part ---- */

void weir_guard_sizes(const struct weir_part *part) {
  sized = part;
}

/* There is no chain yet that could carry a message. */
#define CALL_PURE(hook)                                                                            \
  struct frame f;                                                                                  \
  const struct weir_guarded *who = (const struct weir_guarded *)sized;                             \
  enter(&f, who, #hook, false);                                                                    \
  running = &f;                                                                                    \
  uint64_t n = who->own->part.hook(cfg, g);                                                        \
  running = f.up;                                                                                  \
  return n

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  CALL_PURE(state_size);
}
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  CALL_PURE(storage_bits);
}

static enum weir_status fault_of_init(const struct weir_policy *p, struct weir_err *err) {
  return weir_fail(err, WEIR_EFAULT, "%s", chain_of(p)->fault);
}

/* What a plug-in says, as something that can be shown: one line that ends, of characters. Read
 * inside the wall, for it may not be text at all. */
static void copy_text(char *to, size_t len, const char *from) {
  size_t n = 0;
  for (; n + 1 < len && from[n] != '\0'; n++)
    to[n] = (unsigned char)from[n] < ' ' || (unsigned char)from[n] > '~' ? '?' : from[n];
  to[n] = '\0';
}

static enum weir_status call_init(const struct weir_guarded *who, struct weir_policy *p, char *text,
                                  size_t len) {
  struct weir_err own = {0};
  enum weir_status st = who->own->part.init(p, &own);
  own.msg[sizeof own.msg - 1] = '\0';
  copy_text(text, len, own.msg);
  return st;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  enum weir_status st;
  char text[WEIR_ERR_TEXT / 2];
  CALL(p, "init", st = call_init(who, p, text, sizeof text), fault_of_init(p, err));
  if (has_failed(p)) return fault_of_init(p, err);
  if (st == WEIR_OK) return WEIR_OK;
  if (text[0] != '\0' && (st == WEIR_EINVAL || st == WEIR_ENOMEM))
    return weir_fail(err, st, "%s: policy %s: %s", guarded_of(p)->file,
                     guarded_of(p)->ops.part.name, text);
  blame(p, "init", text[0] != '\0' ? text : "refused, and did not say why (weir_refuse does)");
  return fault_of_init(p, err);
}

static const char *call_verify(const struct weir_guarded *who, const struct weir_policy *p) {
  static _Thread_local char text[256];
  const char *bad = who->own->part.verify(p);
  if (bad == NULL) return NULL;
  copy_text(text, sizeof text, bad);
  return text;
}

static const char *verify(const struct weir_policy *p) {
  const char *bad;
  CALL(p, "verify", bad = call_verify(who, p), "its 'verify' crashed");
  return bad;
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  CALL(p, "kernel_begin", who->own->part.kernel_begin(p, k), NOTHING);
}
static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  CALL(p, "kernel_end", who->own->part.kernel_end(p, k, cycle), NOTHING);
}
static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  CALL(p, "cta_begin", who->own->part.cta_begin(p, c, cycle), NOTHING);
}
static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  CALL(p, "cta_end", who->own->part.cta_end(p, c, cycle), NOTHING);
}
static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  CALL(p, "warp", who->own->part.warp(p, slot, e, cycle), NOTHING);
}
static void tick(struct weir_policy *p, uint64_t now) {
  CALL(p, "tick", who->own->part.tick(p, now), NOTHING);
}
static void broadcast_received(struct weir_policy *p, uint32_t from, const uint64_t v[4],
                               uint64_t cycle) {
  CALL(p, "broadcast_received", who->own->part.broadcast_received(p, from, v, cycle), NOTHING);
}

/* ---- deciding ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  enum weir_answer r;
  CALL(p, "route", r = who->own->route(p, a), WEIR_PASS);
  return is_answer(p, "route", r, WEIR_BYPASS_MARKED) ? r : WEIR_PASS;
}
static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  enum weir_answer r;
  CALL(p, "admit", r = who->own->admit(p, a, set), WEIR_PASS);
  return is_answer(p, "admit", r, WEIR_BYPASS_MARKED) ? r : WEIR_PASS;
}
static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  int way;
  CALL(p, "victim", way = who->own->victim(p, a, set), WEIR_WAY_STALL);
  return way; /* the chain looks at it */
}
static enum weir_answer blocked(const struct weir_policy *p, const struct weir_access *a,
                                enum weir_shortage why) {
  enum weir_answer r;
  CALL(p, "blocked", r = who->own->blocked(p, a, why), WEIR_PASS);
  return is_answer(p, "blocked", r, WEIR_BYPASS_MARKED) ? r : WEIR_PASS;
}
static enum weir_write store(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set, int way) {
  enum weir_write r;
  CALL(p, "store", r = who->own->store(p, a, set, way), WEIR_WRITE_PASS);
  return is_answer(p, "store", r, WEIR_WRITE_EVICT) ? r : WEIR_WRITE_PASS;
}
static uint32_t fetch_mask(const struct weir_policy *p, const struct weir_access *a,
                           uint32_t asked) {
  const volatile uint32_t missing = asked; /* compilers fear for it at the jump back */
  uint32_t r, all = (1u << weir_geometry(p)->sectors) - 1;
  CALL(p, "fetch_mask", r = who->own->fetch_mask(p, a, asked), missing);
  if ((r & missing) == missing && (r & ~(all | WEIR_FETCH_TOGETHER)) == 0) return r;
  blame(p, "fetch_mask", "must name the missing sectors, and none outside the line");
  return missing;
}
static bool gate(const struct weir_policy *p, uint32_t slot, enum weir_op op) {
  bool ok;
  CALL(p, "gate", ok = who->own->gate(p, slot, op), true);
  return ok;
}
static uint32_t max_ctas(const struct weir_policy *p, const struct weir_kernel *k) {
  uint32_t n;
  CALL(p, "max_ctas", n = who->own->max_ctas(p, k), UINT32_MAX);
  if (n > 0) return n;
  blame(p, "max_ctas", "allowed no block at all");
  return UINT32_MAX;
}

static struct weir_order order(const struct weir_policy *p) {
  struct weir_order o;
  CALL(p, "order", o = who->own->order(p), (struct weir_order){0});
  return o;
}
static uint32_t queue(const struct weir_policy *p, const struct weir_access *a) {
  uint32_t i;
  CALL(p, "queue", i = who->own->queue(p, a), 0);
  return i; /* the chain looks at it, and at the next */
}
static uint32_t next_queue(const struct weir_policy *p, const uint32_t *n) {
  uint32_t i;
  CALL(p, "next_queue", i = who->own->next_queue(p, n), 0);
  return i;
}

/* ---- observing ---- */

static void queued(struct weir_policy *p, const struct weir_access *a, uint32_t i) {
  CALL(p, "queued", who->own->queued(p, a, i), NOTHING);
}
static void left_queue(struct weir_policy *p, const struct weir_access *a, uint32_t i) {
  CALL(p, "left_queue", who->own->left_queue(p, a, i), NOTHING);
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  CALL(p, "lookup", who->own->lookup(p, a, set, way, outcome), NOTHING);
}
static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  CALL(p, "alloc", who->own->alloc(p, a, set, way), NOTHING);
}
static void fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                 uint32_t flags) {
  CALL(p, "fill", who->own->fill(p, a, set, way, flags), NOTHING);
}
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  CALL(p, "evict", who->own->evict(p, a, set, way, cause), NOTHING);
}
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  CALL(p, "bypass", who->own->bypass(p, a), NOTHING);
}
static void bypass_return(struct weir_policy *p, const struct weir_access *a, uint32_t flags) {
  CALL(p, "bypass_return", who->own->bypass_return(p, a, flags), NOTHING);
}

/* ---- putting it up ---- */

#define WRAP(hook)                                                                                 \
  if (o->hook != NULL) o->hook = hook

static void wrap_part(struct weir_part *o) {
  WRAP(state_size);
  WRAP(init);
  WRAP(storage_bits);
  WRAP(verify);
  WRAP(kernel_begin);
  WRAP(kernel_end);
  WRAP(cta_begin);
  WRAP(cta_end);
  WRAP(warp);
  WRAP(tick);
  WRAP(broadcast_received);
}

static void wrap_policy(struct weir_policy_ops *o) {
  WRAP(route);
  WRAP(admit);
  WRAP(victim);
  WRAP(blocked);
  WRAP(store);
  WRAP(fetch_mask);
  WRAP(gate);
  WRAP(max_ctas);
  WRAP(lookup);
  WRAP(alloc);
  WRAP(fill);
  WRAP(evict);
  WRAP(bypass);
  WRAP(bypass_return);
  WRAP(order);
  WRAP(queue);
  WRAP(next_queue);
  WRAP(queued);
  WRAP(left_queue);
}

void weir_guard(struct weir_guarded *g, const struct weir_policy_ops *own, const char *file) {
  *g = (struct weir_guarded){.ops = *own, .own = own, .file = file};
  wrap_part(&g->ops.part);
  wrap_policy(&g->ops);
  listen();
}
