#include "l1/guard.h"

#include <signal.h>
#include <stdio.h>

#include "l1/core.h"

/* ---- who runs ---- */

static struct weir_guarded guarded[WEIR_MAX_POLICIES];
static uint32_t n_guarded;

static _Thread_local struct weir_hook_note own_note;
static _Thread_local struct weir_hook_note *other_note;

static struct weir_hook_note *note(void) {
  return other_note != NULL ? other_note : &own_note;
}

static void begin(uint32_t number, enum weir_hook hook) {
  struct weir_hook_note *n = note();
  n->hook = hook;
  n->policy = number;
}
static void end(void) {
  note()->policy = 0;
}

void weir_hook_note_in(struct weir_hook_note *to) {
  other_note = to;
}

struct weir_hook_note weir_hook_noted(void) {
  return *note();
}

bool weir_hook_who(struct weir_hook_note n, const char **file, const char **policy,
                   const char **hook) {
  if (n.policy == 0 || n.policy > n_guarded || n.hook >= WEIR_N_HOOKS) return false;
  *file = guarded[n.policy - 1].file;
  *policy = guarded[n.policy - 1].ops.part.name;
  *hook = weir_hook_name(n.hook);
  return true;
}

const char *weir_hook_crash(int number) {
  switch (number) {
  case 0:
    return "called exit()";
  case SIGSEGV:
    return "used memory that is not there (SIGSEGV)";
  case SIGBUS:
    return "used memory in a way that cannot be (SIGBUS)";
  case SIGFPE:
    return "divided by zero (SIGFPE)";
  case SIGILL:
    return "ran into an illegal instruction (SIGILL)";
  case SIGABRT:
    return "gave up (SIGABRT: an assertion, or abort)";
  default:
    return NULL;
  }
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

static void blame(const struct weir_policy *p, enum weir_hook hook, const char *what) {
  char text[256];
  snprintf(text, sizeof text, "'%s' %.200s", weir_hook_name(hook), what);
  weir_chain_fault(chain_of(p), guarded_of(p)->ops.part.name, text);
}

static const struct weir_policy_ops *enter(const struct weir_policy *p, enum weir_hook hook) {
  const struct weir_guarded *who = guarded_of(p);
  begin(who->number, hook);
  return who->own;
}

static void leave(const struct weir_policy *p, enum weir_hook hook) {
  end();
  if (!weir_chain_is_sound(chain_of(p))) blame(p, hook, "wrote outside of its memory");
}

/* ---- what an answer must be ---- */

static bool is_answer(const struct weir_policy *p, enum weir_hook hook, unsigned answer,
                      unsigned most) {
  char text[96];
  if (answer <= most) return true;
  snprintf(text, sizeof text, "answered %d, which is none of its answers", (int)answer);
  blame(p, hook, text);
  return false;
}

static bool is_some(const struct weir_policy *p, enum weir_hook hook, uint32_t answer,
                    const char *otherwise) {
  if (answer == 0) blame(p, hook, otherwise);
  return answer != 0;
}

static bool has_sectors(const struct weir_policy *p, enum weir_hook hook, uint32_t answer,
                        uint32_t missing) {
  uint32_t all = (1u << weir_geometry(p)->sectors) - 1;
  if ((answer & missing) == missing && (answer & ~(all | WEIR_FETCH_TOGETHER)) == 0) return true;
  blame(p, hook, "must name the missing sectors, and none outside the line");
  return false;
}

#define ANY              true
#define UP_TO(most)      is_answer(p, hook, (unsigned)answer, most)
#define SOME(otherwise)  is_some(p, hook, answer, otherwise)
#define SECTORS(missing) has_sectors(p, hook, answer, missing)

/* ---- deciding and observing ---- */

#define CALL_PURE(...)
#define CALL_SETUP(...)
#define CALL_DECIDE(in, name, type, params, args, instead, check)                                  \
  static type guard_##name params {                                                                \
    const enum weir_hook hook = WEIR_H_##name;                                                     \
    if (has_failed(p)) return instead;                                                             \
    const struct weir_policy_ops *own = enter(p, hook);                                            \
    type answer = WEIR_HOOK_##in(own, name)args;                                                   \
    leave(p, hook);                                                                                \
    return (check) ? answer : (instead);                                                           \
  }
#define CALL_OBSERVE(in, name, type, params, args, instead, check)                                 \
  static void guard_##name params {                                                                \
    if (has_failed(p)) return;                                                                     \
    const struct weir_policy_ops *own = enter(p, WEIR_H_##name);                                   \
    WEIR_HOOK_##in(own, name)args;                                                                 \
    leave(p, WEIR_H_##name);                                                                       \
  }
#define CALL_EVENT(...)           CALL_OBSERVE(__VA_ARGS__)
#define HOOK(in, kind, axis, ...) CALL_##kind(in, __VA_ARGS__)
#include "l1/hooks.def"

/* ---- by parameters alone: there is no chain yet that could carry a message ---- */

static uint32_t number_of(const void *o) {
  for (uint32_t i = 0; i < n_guarded; i++)
    if (o == &guarded[i].ops) return i + 1;
  return 0;
}

#define ASK_PURE(in, name, type, params, args)                                                     \
  type weir_ask_##name(const WEIR_HOOKS_OF_##in *o, WEIR_ALL params) {                             \
    begin(number_of(o), WEIR_H_##name);                                                            \
    type answer = o->name args;                                                                    \
    end();                                                                                         \
    return answer;                                                                                 \
  }
#define WEIR_ALL(...) __VA_ARGS__
#define ASK_SETUP(...)
#define ASK_DECIDE(...)
#define ASK_OBSERVE(...)
#define ASK_EVENT(...)
#define HOOK(in, kind, axis, name, type, params, args, ...) ASK_##kind(in, name, type, params, args)
#include "l1/hooks.def"

/* ---- set-up ---- */

static enum weir_status fault_of_init(const struct weir_policy *p, struct weir_err *err) {
  return weir_fail(err, WEIR_EFAULT, "%s", chain_of(p)->fault);
}

/* What a plug-in says, as something that can be shown: one line that ends, of characters. Read
 * while its hook is noted, for it may not be text at all. */
static void copy_text(char *to, size_t len, const char *from) {
  size_t n = 0;
  for (; n + 1 < len && from[n] != '\0'; n++)
    to[n] = (unsigned char)from[n] < ' ' || (unsigned char)from[n] > '~' ? '?' : from[n];
  to[n] = '\0';
}

static enum weir_status guard_init(struct weir_policy *p, struct weir_err *err) {
  struct weir_err own = {0};
  char text[WEIR_ERR_TEXT / 2];
  if (has_failed(p)) return fault_of_init(p, err);
  enum weir_status st = enter(p, WEIR_H_init)->part.init(p, &own);
  own.msg[sizeof own.msg - 1] = '\0';
  copy_text(text, sizeof text, own.msg);
  leave(p, WEIR_H_init);
  if (has_failed(p)) return fault_of_init(p, err);
  if (st == WEIR_OK) return WEIR_OK;
  if (text[0] != '\0' && (st == WEIR_EINVAL || st == WEIR_ENOMEM))
    return weir_fail(err, st, "%s: policy %s: %s", guarded_of(p)->file,
                     guarded_of(p)->ops.part.name, text);
  blame(p, WEIR_H_init, text[0] != '\0' ? text : "refused, and did not say why (weir_refuse does)");
  return fault_of_init(p, err);
}

static const char *guard_verify(const struct weir_policy *p) {
  static _Thread_local char text[256];
  if (has_failed(p)) return NULL;
  const char *bad = enter(p, WEIR_H_verify)->part.verify(p);
  if (bad != NULL) copy_text(text, sizeof text, bad);
  leave(p, WEIR_H_verify);
  return bad != NULL ? text : NULL;
}

static struct weir_order guard_order(const struct weir_policy *p) {
  struct weir_order o = {0};
  if (has_failed(p)) return o;
  o = enter(p, WEIR_H_order)->order(p);
  leave(p, WEIR_H_order);
  return o;
}

struct weir_guarded *weir_guard(const struct weir_policy_ops *own, const char *file) {
  if (n_guarded == WEIR_MAX_POLICIES) return NULL;
  struct weir_guarded *g = &guarded[n_guarded++];
  *g = (struct weir_guarded){.ops = *own, .own = own, .file = file, .number = n_guarded};
#define WRAP_PURE(...)
#define WRAP_SETUP(in, name)                                                                       \
  if (WEIR_HOOK_##in(own, name) != NULL) WEIR_HOOK_##in(&g->ops, name) = guard_##name;
#define WRAP_DECIDE(in, name)           WRAP_SETUP(in, name)
#define WRAP_OBSERVE(in, name)          WRAP_SETUP(in, name)
#define WRAP_EVENT(in, name)            WRAP_SETUP(in, name)
#define HOOK(in, kind, axis, name, ...) WRAP_##kind(in, name)
#include "l1/hooks.def"
  return g;
}
