/* Organisation and policies of one L1: their memory, the order in which they are asked and told,
 * and the services they can use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "l1/core.h"
#include "l1/guard.h"

/* ---- services ---- */

static struct weir_chain *chain_of(const struct weir_policy *p) {
  return p->core;
}

static const struct weir_part *part_at(const struct weir_chain *c, uint32_t i) {
  return i == 0 ? &c->org_ops->part : &c->ops[i - 1]->part;
}

static struct weir_policy *policy_at(struct weir_chain *c, uint32_t i) {
  return i == 0 ? &c->org : &c->policy[i - 1];
}

static void find_next_wake(struct weir_chain *c) {
  c->next_wake = WEIR_NEVER;
  for (uint32_t i = 0; i <= c->n; i++)
    if (c->wake[i] < c->next_wake) c->next_wake = c->wake[i];
}

static void wake(struct weir_policy *p, uint64_t cycle) {
  struct weir_chain *c = chain_of(p);
  if (cycle < c->wake[p->index]) c->wake[p->index] = cycle;
  if (cycle < c->next_wake) c->next_wake = cycle;
}

static bool broadcast(struct weir_policy *p, const uint64_t v[4]) {
  struct weir_chain *c = chain_of(p);
  c->host.broadcast(c->host.sm, p->index, v);
  return true;
}

static bool ask(struct weir_policy *p, struct weir_ask a) {
  struct weir_chain *c = chain_of(p);
  if (c->n_asks == WEIR_MAX_ASKS) return false;
  a.part = p->index;
  c->asks[c->n_asks++] = a;
  return true;
}

static bool invalidate(struct weir_policy *p, uint32_t set, int way) {
  return ask(p, (struct weir_ask){.set = set, .way = way});
}

static bool prefetch(struct weir_policy *p, uint64_t addr, uint32_t sectors) {
  return ask(p, (struct weir_ask){.addr = addr, .sectors = sectors, .is_prefetch = true});
}

static void view(struct weir_policy *p, struct weir_sm_view *v) {
  struct weir_chain *c = chain_of(p);
  c->host.view(c->host.sm, v);
}

static bool note(struct weir_policy *p, const struct weir_row *row) {
  struct weir_chain *c = chain_of(p);
  struct weir_err err;
  if (c->noting != p->index) return false;
  if (weir_rows_add(&c->notes, row, &err) != WEIR_OK) weir_chain_refuse(c, err.msg);
  return true;
}

static const struct weir_services services = {wake, broadcast, invalidate, prefetch, view, note};

/* ---- set-up ---- */

static size_t align(size_t n) {
  return (n + 15) / 16 * 16;
}

static size_t state_bytes(const struct weir_part *part, const void *cfg,
                          const struct weir_geometry *g) {
  return part->state_size != NULL ? weir_ask_state_size(part, cfg, g) : part->state_bytes;
}

/* Behind each piece of memory, and before the first, lies a zone that nobody writes: from the last
 * byte of the piece to the next multiple of 16, and 16 bytes more. */
enum { ZONE = 16, ZONE_BYTE = 0xa7, N_PIECES = 4 };

/* State, sets, lines, counters. */
static void piece_sizes(const struct weir_part *part, size_t state, const struct weir_geometry *g,
                        size_t bytes[N_PIECES]) {
  bytes[0] = state;
  bytes[1] = part->set_bytes * g->sets;
  bytes[2] = part->line_bytes * g->sets * g->ways;
  bytes[3] = part->stats_bytes;
}

/* All of it, and no more than MOST: what a plug-in asks for may be anything. */
static bool part_bytes(const struct weir_part *part, size_t state, const struct weir_geometry *g,
                       size_t *bytes, struct weir_err *err) {
  const size_t MOST = (size_t)1 << 31; /* as of a whole machine: sim/need.c */
  size_t n[N_PIECES];
  const char *what = state > MOST                                  ? "'state_size'"
                     : part->set_bytes > MOST / g->sets            ? ".part.set_bytes"
                     : part->line_bytes > MOST / g->sets / g->ways ? ".part.line_bytes"
                     : part->stats_bytes > MOST                    ? ".part.stats_bytes"
                                                                   : NULL;
  if (what != NULL) {
    const char *file = weir_policy_file(weir_policy_find(part->name));
    weir_fail(err, file != NULL ? WEIR_EFAULT : WEIR_EBUG,
              "%s%spolicy %s: %s asks for more memory than there can be", file != NULL ? file : "",
              file != NULL ? ": " : "", part->name, what);
    return false;
  }
  piece_sizes(part, state, g, n);
  *bytes = 0;
  for (unsigned i = 0; i < N_PIECES; i++)
    *bytes += align(n[i]) + ZONE;
  return true;
}

static char *give_piece(char **at, size_t bytes) {
  char *piece = *at;
  *at += align(bytes) + ZONE;
  memset(piece + bytes, ZONE_BYTE, (size_t)(*at - piece) - bytes);
  return piece;
}

/* Is the zone behind a piece as it was made? */
static bool is_whole(const void *piece, size_t bytes) {
  static const unsigned char zone[2 * ZONE] = {[0 ... 2 * ZONE - 1] = ZONE_BYTE};
  return memcmp((const char *)piece + bytes, zone, align(bytes) + ZONE - bytes) == 0;
}

bool weir_chain_is_sound(const struct weir_chain *c) {
  if (!is_whole(c->memory, 0)) return false;
  for (uint32_t i = 0; i <= c->n; i++) {
    const struct weir_policy *p = i == 0 ? &c->org : &c->policy[i - 1];
    size_t n[N_PIECES];
    piece_sizes(part_at(c, i), p->state_bytes, p->geometry, n);
    if (!is_whole(p->state, n[0]) || !is_whole(p->sets, n[1]) || !is_whole(p->lines, n[2]) ||
        !is_whole(p->stats, n[3]))
      return false;
  }
  return true;
}

static double about_bytes(const struct weir_part *part, const void *cfg,
                          const struct weir_geometry *g, bool is_built_in) {
  double sets = g->sets, lines = sets * g->ways;
  double own = is_built_in && part->state_size != NULL ? (double)part->state_size(cfg, g) : 0;
  return own + sets * (double)part->set_bytes + lines * (double)part->line_bytes;
}

double weir_chain_bytes(const struct weir_design *d, const struct weir_geometry *g) {
  double sum = about_bytes(&d->org->part, d->org_cfg, g, true);
  for (uint32_t i = 0; i < d->n_policies; i++) {
    const struct weir_policy_ops *o = d->policy[i].ops;
    sum += about_bytes(&o->part, d->policy[i].cfg, g, weir_policy_file(o) == NULL);
  }
  return sum;
}

/* What p->cfg and p->state_bytes say is kept. */
static char *give_memory(struct weir_chain *c, struct weir_policy *p, const struct weir_part *part,
                         uint32_t index, char *at) {
  const struct weir_geometry *g = &c->geometry;
  size_t n[N_PIECES];
  *p = (struct weir_policy){.cfg = p->cfg,
                            .set_bytes = part->set_bytes,
                            .line_bytes = part->line_bytes,
                            .state_bytes = p->state_bytes,
                            .geometry = g,
                            .accepted = &c->accepted,
                            .kernel_id = &c->kernel_id,
                            .services = &services,
                            .core = c,
                            .index = index};
  piece_sizes(part, p->state_bytes, g, n);
  p->state = give_piece(&at, n[0]);
  p->sets = give_piece(&at, n[1]);
  p->lines = give_piece(&at, n[2]);
  p->stats = give_piece(&at, n[3]);
  return at;
}

static void add_hook(struct weir_chain *c, enum weir_hook h, uint32_t who) {
  c->hook[h].who[c->hook[h].n++] = (uint8_t)who;
}

static void list_hooks(struct weir_chain *c) {
  for (uint32_t i = 0; i <= c->n; i++) {
    const struct weir_part *part = part_at(c, i);
    const struct weir_policy_ops *o = i > 0 ? c->ops[i - 1] : NULL;
#define LIST_PART(name)                                                                            \
  if (part->name != NULL) add_hook(c, WEIR_H_##name, i);
#define LIST_POLICY(name)                                                                          \
  if (o != NULL && o->name != NULL) add_hook(c, WEIR_H_##name, i - 1);
#define HOOK(in, kind, axis, name, ...) LIST_##in(name)
#include "l1/hooks.def"
  }
}

/* Memory of the machine's scheduler: like that of a part, behind all others. */
static bool add_own(struct weir_chain *c, const struct weir_machine *m, struct weir_err *err) {
  size_t bytes;
  c->own_ops = weir_scheduler_of(m, &c->own_cfg);
  c->own.cfg = &c->own_cfg;
  c->own.state_bytes = c->own_ops->part.state_bytes;
  if (!part_bytes(&c->own_ops->part, c->own.state_bytes, &c->geometry, &bytes, err)) return false;
  c->memory_bytes += bytes;
  return true;
}

bool weir_chain_init(struct weir_chain *c, const struct weir_machine *m,
                     const struct weir_design *d, const struct weir_geometry *g,
                     const struct weir_l1_host *host, struct weir_err *err) {
  *c = (struct weir_chain){.org_ops = d->org,
                           .n = d->n_policies,
                           .geometry = *g,
                           .host = *host,
                           .paranoid = d->paranoid};
  const struct weir_part *part, *largest = &d->org->part;
  size_t most = 0;
  for (uint32_t i = 0; i < c->n; i++)
    c->ops[i] = d->policy[i].ops;
  c->memory_bytes = ZONE;
  for (uint32_t i = 0; i <= c->n; i++) {
    size_t bytes;
    struct weir_policy *p = weir_chain_part(c, i, &part);
    p->cfg = i == 0 ? d->org_cfg : d->policy[i - 1].cfg;
    p->state_bytes = state_bytes(part, p->cfg, g); /* once: a plug-in's answers may differ */
    if (!part_bytes(part, p->state_bytes, g, &bytes, err)) return false;
    c->memory_bytes += bytes;
    if (bytes > most) most = bytes, largest = part;
  }
  if (!add_own(c, m, err)) return false;
  char *at = c->memory = weir_calloc(1, c->memory_bytes);
  if (at == NULL) {
    weir_fail(err, WEIR_ENOMEM, "out of memory: %s asks for %zu bytes on each SM", largest->name,
              most);
    return false;
  }
  give_piece(&at, 0);
  for (uint32_t i = 0; i <= c->n; i++) {
    struct weir_policy *p = weir_chain_part(c, i, &part);
    at = give_memory(c, p, part, i, at);
    const struct weir_rows *rows = i > 0 ? d->policy[i - 1].rows : d->org_rows;
    if (i > 0 && d->policy[i - 1].prepares) c->noting = i;
    if (rows == NULL) continue;
    p->rows = rows->v;
    p->n_rows = rows->n;
  }
  give_memory(c, &c->own, &c->own_ops->part, c->n + 1, at);
  list_hooks(c);
  weir_chain_forget_wakes(c);
  for (uint32_t i = 0; i <= c->n; i++) {
    struct weir_policy *p = weir_chain_part(c, i, &part);
    if (part->init != NULL && part->init(p, err) != WEIR_OK) return false;
  }
  return true;
}

void weir_chain_free(struct weir_chain *c) {
  free(c->memory);
  c->memory = NULL;
  weir_rows_free(&c->notes);
}

static void move_part(struct weir_chain *to, struct weir_policy *p, const struct weir_chain *from) {
  ptrdiff_t by = (char *)to->memory - (char *)from->memory;
  p->state = (char *)p->state + by;
  p->sets = (char *)p->sets + by;
  p->lines = (char *)p->lines + by;
  p->stats = (char *)p->stats + by;
  p->geometry = &to->geometry;
  p->accepted = &to->accepted;
  p->kernel_id = &to->kernel_id;
  p->core = to;
}

static bool copy_notes(struct weir_rows *to, const struct weir_rows *from) {
  enum weir_status st = WEIR_OK;
  *to = (struct weir_rows){0};
  for (size_t i = 0; st == WEIR_OK && i < from->n; i++)
    st = weir_rows_add(to, &from->v[i], NULL);
  return st == WEIR_OK;
}

bool weir_chain_clone(struct weir_chain *to, const struct weir_chain *from,
                      const struct weir_l1_host *host) {
  to->memory = weir_malloc(from->memory_bytes);
  if (!copy_notes(&to->notes, &from->notes) || to->memory == NULL) return false;
  memcpy(to->memory, from->memory, from->memory_bytes);
  to->host = *host;
  move_part(to, &to->org, from);
  for (uint32_t i = 0; i < to->n; i++)
    move_part(to, &to->policy[i], from);
  move_part(to, &to->own, from);
  to->own.cfg = &to->own_cfg;
  return true;
}

struct weir_policy *weir_chain_part(struct weir_chain *c, uint32_t i, const struct weir_part **is) {
  if (i > c->n) return NULL;
  *is = part_at(c, i);
  return policy_at(c, i);
}

uint64_t weir_chain_hash(const struct weir_chain *c) {
  return XXH3_64bits(c->memory, c->memory_bytes);
}

/* The SM looks for a fault after each cycle; the first one is kept. */
void weir_chain_fault(const struct weir_chain *c, const char *policy, const char *what) {
  struct weir_chain *e = chain_of(&c->org);
  if (e->fault[0] != '\0') return;
  const char *file = weir_policy_file(weir_policy_find(policy));
  if (file != NULL)
    snprintf(e->fault, sizeof e->fault, "%s: policy %s: %s", file, policy, what);
  else
    snprintf(e->fault, sizeof e->fault, "policy %s: %s", policy, what);
  e->fault_code = file != NULL ? WEIR_EFAULT : WEIR_EBUG;
}

void weir_chain_refuse(const struct weir_chain *c, const char *why) {
  struct weir_chain *e = chain_of(&c->org);
  if (e->fault[0] != '\0') return;
  snprintf(e->fault, sizeof e->fault, "%.511s", why);
  e->fault_code = WEIR_EINVAL;
}

/* ---- deciding ---- */

#define EACH(c, h, i)                                                                              \
  for (uint32_t k_ = 0, i;                                                                         \
       k_ < (c)->hook[WEIR_H_##h].n && (i = (c)->hook[WEIR_H_##h].who[k_], true); k_++)

/* Around questions of a paranoid chain: all at first, later some, for this is most of what such a
 * run takes. 0: not around this one. */
static uint64_t before(const struct weir_chain *c) {
  enum { ALL = 256, ONE_IN = 16 };
  if (!c->paranoid) return 0;
  uint64_t n = ++chain_of(&c->org)->n_questions;
  return n <= ALL || n % ONE_IN == 0 ? weir_chain_hash(c) : 0;
}
static void changed(const struct weir_chain *c, uint32_t i, enum weir_hook hook) {
  char text[96];
  snprintf(text, sizeof text, "the deciding hook '%s' changed the state of a policy",
           weir_hook_name(hook));
  weir_chain_fault(c, c->ops[i]->part.name, text);
}
static void after(const struct weir_chain *c, uint64_t hash, uint32_t i, enum weir_hook hook) {
  if (hash != 0 && weir_chain_hash(c) != hash) changed(c, i, hook);
}

/* ask_route(c, i, a): what policy i answers. */
#define ASK_DECIDE(name, type, params, args)                                                       \
  static type ask_##name(const struct weir_chain *c, uint32_t i, WEIR_REST params) {               \
    uint64_t hash = before(c);                                                                     \
    type answer = c->ops[i]->name(&c->policy[i], WEIR_REST args);                                  \
    after(c, hash, i, WEIR_H_##name);                                                              \
    return answer;                                                                                 \
  }
#define ASK_PURE(...)
#define ASK_SETUP(...)
#define ASK_OBSERVE(...)
#define ASK_EVENT(...)
#define HOOK(in, kind, axis, name, type, params, args, ...) ASK_##kind(name, type, params, args)
#include "l1/hooks.def"

static void refused(const struct weir_chain *c, uint32_t i, enum weir_hook hook) {
  struct weir_chain *e = chain_of(&c->org);
  e->refusal.policy = c->ops[i]->part.name;
  e->refusal.hook = hook;
  e->refusal.accepted = c->accepted;
}

void weir_chain_blame_refusal(struct weir_chain *c) {
  char text[96];
  if (c->refusal.policy == NULL || c->refusal.accepted != c->accepted) return;
  snprintf(text, sizeof text, "'%s' refuses for ever, and nothing moves any more",
           weir_hook_name(c->refusal.hook));
  weir_chain_fault(c, c->refusal.policy, text);
}

enum weir_answer weir_chain_route(const struct weir_chain *c, const struct weir_access *a,
                                  uint32_t *who) {
  EACH(c, route, i) {
    enum weir_answer r = ask_route(c, i, a);
    *who = i;
    if (r != WEIR_PASS) return r;
  }
  return WEIR_PASS;
}

enum weir_answer weir_chain_admit(const struct weir_chain *c, const struct weir_access *a,
                                  struct weir_set set, uint32_t *who) {
  EACH(c, admit, i) {
    enum weir_answer r = ask_admit(c, i, a, set);
    *who = i;
    if (r != WEIR_PASS) return r;
  }
  return WEIR_PASS;
}

/* A set of a pool that has run out of data is asked before it is full; most policies have never
 * seen that, and may name an empty way: the rule of those that have none is taken. */
static bool has_room(struct weir_set set) {
  for (uint32_t w = 0; w < set.ways; w++)
    if (set.line[w].tag == 0) return true;
  return false;
}

int weir_chain_victim(const struct weir_chain *c, const struct weir_access *a,
                      struct weir_set set) {
  EACH(c, victim, i) {
    int way = ask_victim(c, i, a, set);
    if (way == WEIR_WAY_PASS) continue;
    if (way == WEIR_WAY_STALL) {
      refused(c, i, WEIR_H_victim);
      return -1;
    }
    if (way >= 0 && (uint32_t)way < set.ways && set.line[way].tag == 0 && has_room(set)) break;
    if (way < 0 || (uint32_t)way >= set.ways || set.line[way].tag == 0 ||
        set.line[way].pending_mask != 0) {
      weir_chain_fault(c, c->ops[i]->part.name,
                       "'victim' named a way that is empty, pending or outside the set");
      return -1;
    }
    return way;
  }
  for (uint32_t w = 0; w < set.ways; w++)
    if (set.line[w].tag != 0 && set.line[w].pending_mask == 0) return (int)w;
  return -1;
}

enum weir_answer weir_chain_blocked(const struct weir_chain *c, const struct weir_access *a,
                                    enum weir_shortage why) {
  EACH(c, blocked, i) {
    enum weir_answer r = ask_blocked(c, i, a, why);
    if (r != WEIR_PASS) return r;
  }
  return WEIR_PASS;
}

enum weir_write weir_chain_store(const struct weir_chain *c, const struct weir_access *a,
                                 struct weir_set set, int way) {
  EACH(c, store, i) {
    enum weir_write r = ask_store(c, i, a, set, way);
    if (r != WEIR_WRITE_PASS) return r;
  }
  return WEIR_WRITE_PASS;
}

uint32_t weir_chain_fetch_mask(const struct weir_chain *c, const struct weir_access *a,
                               uint32_t missing) {
  uint32_t together = 0;
  EACH(c, fetch_mask, i) {
    uint32_t answer = ask_fetch_mask(c, i, a, missing);
    together |= answer & WEIR_FETCH_TOGETHER;
    missing |= answer & ~WEIR_FETCH_TOGETHER;
  }
  return missing | together;
}

bool weir_chain_gate(const struct weir_chain *c, uint32_t warp, enum weir_op op) {
  EACH(c, gate, i) {
    bool ok = ask_gate(c, i, warp, op);
    if (!ok) {
      refused(c, i, WEIR_H_gate);
      return false;
    }
  }
  return true;
}

uint32_t weir_chain_max_ctas(const struct weir_chain *c, const struct weir_kernel *k) {
  uint32_t most = UINT32_MAX;
  EACH(c, max_ctas, i) {
    uint32_t n = ask_max_ctas(c, i, k);
    if (n < most) most = n;
  }
  return most;
}

int weir_chain_pick_warp(const struct weir_chain *c, const struct weir_sched_view *v,
                         uint64_t ready) {
  EACH(c, pick_warp, i) {
    int w = ask_pick_warp(c, i, v, ready);
    if (w == WEIR_WARP_PASS) continue;
    if (w == WEIR_WARP_NONE)
      refused(c, i, WEIR_H_pick_warp);
    else if (w < 0 || w >= WEIR_MAX_WARPS || !(ready >> w & 1)) {
      weir_chain_fault(c, c->ops[i]->part.name, "'pick_warp' named a warp that is not ready");
      return WEIR_WARP_NONE;
    }
    return w;
  }
  return c->own_ops->pick_warp(&c->own, v, ready);
}

uint32_t weir_chain_queue(const struct weir_chain *c, const struct weir_access *a,
                          uint32_t n_queues) {
  uint32_t i = c->hook[WEIR_H_order].who[0], queue = ask_queue(c, i, a);
  if (queue < n_queues) return queue;
  weir_chain_fault(c, c->ops[i]->part.name, "'queue' named a queue that there is not");
  return 0;
}

uint32_t weir_chain_next_queue(const struct weir_chain *c, const uint32_t *n, uint32_t n_queues) {
  uint32_t i = c->hook[WEIR_H_order].who[0], queue = ask_next_queue(c, i, n);
  if (queue < n_queues && n[queue] > 0) return queue;
  weir_chain_fault(c, c->ops[i]->part.name,
                   "'next_queue' named a queue that is empty or not there");
  for (queue = 0; n[queue] == 0; queue++) {
  }
  return queue;
}

/* ---- observing ---- */

#define TELL_PART(name, params, args)                                                              \
  void weir_chain_##name(struct weir_chain *c, WEIR_REST params) {                                 \
    EACH(c, name, i) part_at(c, i)->name(policy_at(c, i), WEIR_REST args);                         \
  }
#define TELL_POLICY(name, params, args)                                                            \
  void weir_chain_##name(struct weir_chain *c, WEIR_REST params) {                                 \
    EACH(c, name, i) c->ops[i]->name(&c->policy[i], WEIR_REST args);                               \
  }
#define TELL_OF_OBSERVE(in, name, params, args) TELL_##in(name, params, args)
#define TELL_OF_PURE(...)
#define TELL_OF_SETUP(...)
#define TELL_OF_DECIDE(...)
#define TELL_OF_EVENT(...)
#define HOOK(in, kind, axis, name, type, params, args, ...) TELL_OF_##kind(in, name, params, args)
#include "l1/hooks.def"

void weir_chain_forbid_asks(struct weir_chain *c, enum weir_hook hook) {
  char text[96];
  if (c->n_asks == 0) return;
  snprintf(text, sizeof text, "'%s' asked for something", weir_hook_name(hook));
  weir_chain_fault(c, part_at(c, c->asks[0].part)->name, text);
  c->n_asks = 0;
}

void weir_chain_forget_wakes(struct weir_chain *c) {
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    c->wake[i] = WEIR_NEVER;
  c->next_wake = WEIR_NEVER;
}

void weir_chain_tick(struct weir_chain *c, uint64_t now) {
  const struct weir_part *part;
  for (uint32_t i = 0; i <= c->n; i++) {
    if (c->wake[i] > now) continue;
    struct weir_policy *p = weir_chain_part(c, i, &part);
    c->wake[i] = WEIR_NEVER;
    if (part->tick == NULL) continue;
    part->tick(p, now);
    if (c->wake[i] <= now) c->wake[i] = now + 1; /* this cycle has been told */
  }
  find_next_wake(c);
}

void weir_chain_broadcast_received(struct weir_chain *c, uint32_t part, uint32_t from,
                                   const uint64_t v[4], uint64_t cycle) {
  const struct weir_part *is;
  struct weir_policy *p = weir_chain_part(c, part, &is);
  if (p != NULL && is->broadcast_received != NULL) is->broadcast_received(p, from, v, cycle);
}

/* ---- preparing ---- */

bool weir_chain_row(const struct weir_chain *c, uint32_t part, uint32_t i, struct weir_row *row) {
  const struct weir_policy_ops *o = c->ops[part - 1];
  *row = (struct weir_row){.kernel = c->kernel_id};
  if (o->row == NULL || c->fault[0] != '\0') return false;
  if (i == WEIR_MAX_ROWS) {
    weir_chain_fault(c, o->part.name, "'row' does not come to an end");
    return false;
  }
  return ask_row(c, part - 1, i, row) && c->fault[0] == '\0';
}

enum weir_status weir_chain_take_notes(struct weir_chain *c, uint32_t part, struct weir_rows *rows,
                                       struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (part != c->noting) return st;
  weir_rows_settle(&c->notes);
  for (size_t i = 0; st == WEIR_OK && i < c->notes.n; i++)
    st = weir_rows_add(rows, &c->notes.v[i], err);
  c->notes.n = 0;
  return st;
}

size_t weir_chain_digest(const struct weir_chain *c, uint32_t part, struct weir_row *rows,
                         size_t n) {
  const struct weir_policy_ops *o = c->ops[part - 1];
  if (o->digest == NULL) return n;
  size_t left = ask_digest(c, part - 1, rows, n);
  if (left <= n) return left;
  weir_chain_fault(c, o->part.name, "'digest' returned more rows than it was given");
  return 0;
}
