#include "meet_cases.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "meet_barriers.h"

/* ---- exchanges ---- */

/* %v value, %w the same in 64 bits, %b and %c of shuffles, %q a predicate, MEMBERS; results %d, %y.
 */
struct exchange {
  const char *name, *insn;
  bool is_old; /* before sm_70 */
};
static const struct exchange exchanges[] = {
    {"shfl.up", "shfl.sync.up.b32 %d|%y, %v, %b, %c, MEMBERS;", false},
    {"shfl.down", "shfl.sync.down.b32 %d|%y, %v, %b, %c, MEMBERS;", false},
    {"shfl.bfly", "shfl.sync.bfly.b32 %d|%y, %v, %b, %c, MEMBERS;", false},
    {"shfl.idx", "shfl.sync.idx.b32 %d|%y, %v, %b, %c, MEMBERS;", false},
    {"shfl.up-no-pred", "shfl.sync.up.b32 %d, %v, %b, %c, MEMBERS;", false},
    {"shfl.idx-no-pred", "shfl.sync.idx.b32 %d, %v, %b, %c, MEMBERS;", false},
    {"shfl.idx-in-place", "shfl.sync.idx.b32 %v|%y, %v, %b, %c, MEMBERS; mov.u32 %d, %v;", false},
    {"shfl.bfly-one", "shfl.sync.bfly.b32 %d|%y, %v, 1, 31, MEMBERS;", false},
    {"vote.all", "vote.sync.all.pred %y, %q, MEMBERS;", false},
    {"vote.any", "vote.sync.any.pred %y, %q, MEMBERS;", false},
    {"vote.uni", "vote.sync.uni.pred %y, %q, MEMBERS;", false},
    {"vote.ballot", "vote.sync.ballot.b32 %d, %q, MEMBERS;", false},
    {"match.any", "match.any.sync.b32 %d, %s, MEMBERS;", false},
    {"match.any.b64", "match.any.sync.b64 %d, %w, MEMBERS;", false},
    {"match.all", "match.all.sync.b32 %d|%y, %s, MEMBERS;", false},
    {"redux.add", "redux.sync.add.u32 %d, %v, MEMBERS;", false},
    {"redux.min", "redux.sync.min.s32 %d, %v, MEMBERS;", false},
    {"redux.max", "redux.sync.max.u32 %d, %v, MEMBERS;", false},
    {"redux.and", "redux.sync.and.b32 %d, %v, MEMBERS;", false},
    {"redux.or", "redux.sync.or.b32 %d, %v, MEMBERS;", false},
    {"redux.xor", "redux.sync.xor.b32 %d, %v, MEMBERS;", false},
    {"elect", "elect.sync %d|%y, MEMBERS;", false},
    {"bar.warp", "bar.warp.sync MEMBERS;", false},
    {"activemask", "activemask.b32 %d;", false},
    {"old.shfl.up", "shfl.up.b32 %d|%y, %v, %b, %c;", true},
    {"old.shfl.down", "shfl.down.b32 %d|%y, %v, %b, %c;", true},
    {"old.shfl.bfly", "shfl.bfly.b32 %d|%y, %v, %b, %c;", true},
    {"old.shfl.idx", "shfl.idx.b32 %d|%y, %v, %b, %c;", true},
    {"old.vote.all", "vote.all.pred %y, %q;", true},
    {"old.vote.ballot", "vote.ballot.b32 %d, %q;", true},
};

/* Full masks also as a constant, which an assembler may make less of. */
struct scene {
  enum meet_scene scene;
  const char *name;
  bool is_two, is_guarded, is_constant, is_old; /* is_old: also without .sync */
  uint32_t blocks, threads, draws;
};
static const struct scene scenes[] = {
    {MEET_ALL, "all", false, false, false, true, 8, 32, 1},
    {MEET_ALL, "all-const", false, false, true, false, 4, 32, 1},
    {MEET_OUTSIDE, "outside", false, false, false, true, 24, 32, 1},
    {MEET_EXITED, "exited", false, false, false, true, 16, 32, 1},
    {MEET_EXITED, "exited-const", false, false, true, false, 16, 32, 1},
    {MEET_EXITED_NAMED, "exited-named", false, false, false, false, 16, 32, 1},
    {MEET_PARTIAL, "partial-20", false, false, false, true, 6, 20, 1},
    {MEET_PARTIAL, "partial-40", false, false, false, false, 4, 40, 1},
    {MEET_PARTIAL, "partial-const", false, false, true, false, 6, 11, 1},
    {MEET_GROUPS, "groups", false, false, false, false, 16, 32, 1},
    {MEET_TWO, "two", true, false, false, false, 12, 32, 1},
    {MEET_TWO, "two-const", true, false, true, false, 12, 32, 1},
    {MEET_TWO_EXITED, "two-exited", true, false, false, false, 12, 32, 1},
    {MEET_TWO_OUTSIDE, "two-outside", true, false, false, false, 12, 32, 1},
    {MEET_TWO_GROUPS, "two-groups", true, false, false, false, 12, 32, 1},
    {MEET_GUARDED, "guarded", false, true, false, true, 12, 32, 1},
    {MEET_NOT_NAMED, "not-named", false, false, false, false, 1, 32, 3},
    {MEET_AROUND_NAMED, "around-named", false, false, false, false, 1, 32, 2},
    {MEET_AROUND_NAMED, "around-const", false, false, true, false, 1, 32, 3},
    {MEET_GUARDED_NAMED, "guarded-named", false, true, false, false, 1, 32, 2},
    {MEET_GUARDED_NAMED, "guarded-const", false, true, true, false, 1, 32, 3},
    {MEET_OWN_MASKS, "own-masks", false, false, false, false, 1, 32, 2},
    {MEET_TWO_KINDS, "two-kinds", true, false, false, false, 1, 32, 2},
};

static const char head[] =
    "(.param .u64 out, .param .u64 in, .param .u64 count)\n{\n"
    "  .reg .pred %y, %q, %e, %o;\n  .reg .pred %p<10>;\n  .reg .b32 %d, %v, %s, %b, %c, %m, %a, "
    "%x, "
    "%i, %r<24>;\n"
    "  .reg .b64 %w, %in, %to, %n, %u<8>;\n"
    "  .reg .b32 %t, %l, %k;\n"
    "  ld.param.u64 %to, [out];\n  ld.param.u64 %in, [in];\n  ld.param.u64 %n, [count];\n"
    "  cvta.to.global.u64 %to, %to;\n  cvta.to.global.u64 %in, %in;\n  cvta.to.global.u64 %n, %n;\n"
    "  mov.u32 %i, %ctaid.x;\n  mov.u32 %r0, %ntid.x;\n  mov.u32 %x, %tid.x;\n"
    "  mad.lo.u32 %i, %i, %r0, %x;\n"
    "  mad.wide.u32 %to, %i, 16, %to;\n  mad.wide.u32 %in, %i, 32, %in;\n";

/* ptxas knows neither masks nor lanes nor threads: all come from memory. */
static const char operands[] =
    "  ld.global.v4.u32 {%v, %b, %c, %m}, [%in];\n  ld.global.v4.u32 {%a, %s, %l, %t}, [%in+16];\n"
    "  shr.u32 %k, %t, 5;\n  mov.b64 %w, {%s, %b};\n  mov.u32 %d, 0xdddddddd;\n"
    "  and.b32 %r1, %s, 256;\n  setp.ne.u32 %q, %r1, 0;\n  and.b32 %s, %s, 255;\n"
    "  setp.eq.u32 %y, %l, 99;\n  mov.u32 %x, 0;\n";

static char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *print(const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
}

/* The instruction with what it says for MEMBERS. */
static void put_insn(char *to, size_t len, const char *insn, bool is_constant, bool is_guarded) {
  const char *at = strstr(insn, "MEMBERS");
  size_t before = at != NULL ? (size_t)(at - insn) : strlen(insn);
  snprintf(to, len, "%s%.*s%s%s", is_guarded ? "@%o " : "", (int)before, insn,
           at == NULL    ? ""
           : is_constant ? "-1"
                         : "%m",
           at != NULL ? at + 7 : "");
}

static char *exchange_text(const struct exchange *e, const struct scene *s) {
  char here[256], there[256], side[512] = "";
  bool is_vote = strncmp(e->name, "vote", 4) == 0;
  const char *other = s->scene != MEET_TWO_KINDS ? e->insn
                      : is_vote                  ? "shfl.sync.idx.b32 %d|%y, %v, %b, %c, MEMBERS;"
                                                 : "vote.sync.ballot.b32 %d, %q, MEMBERS;";
  put_insn(here, sizeof here, e->insn, s->is_constant, s->is_guarded);
  put_insn(there, sizeof there, other, s->is_constant, s->is_guarded);
  if (s->is_two)
    snprintf(side, sizeof side,
             "  bra JOIN;\nB:\n  add.u32 %%v, %%v, 5;\n  %s\n  mov.u32 %%x, 2;\n", there);
  return print(".version %s\n.target %s\n.address_size 64\n.visible .entry k%s%s"
               "  setp.eq.u32 %%e, %%a, %d;\n  @%%e exit;\n"
               "  setp.ne.u32 %%o, %%a, %d;\n"
               "  setp.eq.u32 %%e, %%a, %d;\n  @%%e bra AROUND;\n"
               "%s"
               "  %s\n  mov.u32 %%x, 1;\n%s"
               "JOIN:\nAROUND:\n  selp.u32 %%r1, 1, 0, %%y;\n"
               "  st.global.v4.u32 [%%to], {%%d, %%r1, %%x, 0};\n  ret;\n}\n",
               e->is_old ? "6.0" : "8.0", e->is_old ? "sm_60" : "sm_90", head, operands, MEET_EXITS,
               MEET_OFF, MEET_AROUND, s->is_two ? "  setp.eq.u32 %e, %a, 1;\n  @%e bra B;\n" : "",
               here, side);
}

/* ---- operands ---- */

struct lane {
  uint32_t v, b, c, members, act, small;
};

static uint32_t pick(const struct meet_case *c, uint32_t what, uint32_t warp, uint32_t lane) {
  return weir_hash32(1000 * c->scene + 100 * c->draw + what, warp * 64 + lane);
}

/* A mask of few, half or most lanes. */
static uint32_t some_lanes(const struct meet_case *c, uint32_t what, uint32_t warp) {
  uint32_t x = pick(c, what, warp, 40), y = pick(c, what, warp, 41), z = pick(c, what, warp, 42);
  switch ((warp + c->draw) % 4) {
  case 0:
    return x;
  case 1:
    return x & y;
  case 2:
    return x | y;
  default:
    return (x & y & z) | UINT32_C(1) << (x >> 27);
  }
}

static void set_lane(const struct meet_case *c, uint32_t warp, uint32_t lane, struct lane *l) {
  static const uint32_t segments[] = {0x001f, 0x101f, 0x181f, 0x1c1f,
                                      0x1e1f, 0x1f1f, 0x0000, 0x1800};
  uint32_t named = some_lanes(c, 1, warp), gone = some_lanes(c, 2, warp), bit = UINT32_C(1) << lane;
  uint32_t h = pick(c, 3, warp, lane), group = pick(c, 4, warp, lane) % 3,
           side = pick(c, 5, warp, lane);
  bool is_named = (named & bit) != 0, is_gone = (gone & bit) != 0;
  l->v = warp % 3 == 0 ? 0x1000 + 64 * warp + lane : pick(c, 6, warp, lane);
  l->b = warp % 2 == 0 ? h % 32 : pick(c, 7, warp, 0) % 32;
  l->c = warp % 4 < 2 ? (warp % 4 == 0 ? 0x1f : 0) : segments[h >> 8 & 7];
  l->small = (h >> 16) % 2 + (warp % 3 == 1 || (h >> 20) % 4 < warp % 4 ? 256 : 0);
  l->members = UINT32_MAX;
  l->act = MEET_A;
  switch (c->scene) {
  case MEET_OUTSIDE:
    l->members = named;
    l->act = is_named ? MEET_A : MEET_AROUND;
    break;
  case MEET_EXITED:
    l->act = is_gone ? MEET_EXITS : MEET_A;
    break;
  case MEET_EXITED_NAMED:
    l->members = named;
    l->act = is_gone ? MEET_EXITS : is_named ? MEET_A : MEET_AROUND;
    break;
  case MEET_GROUPS:
  case MEET_TWO_GROUPS:
    l->members = 0;
    if (c->scene == MEET_TWO_GROUPS) group %= 2;
    for (uint32_t k = 0; k < 32; k++) {
      uint32_t g = pick(c, 4, warp, k) % 3;
      if ((c->scene == MEET_TWO_GROUPS ? g % 2 : g) == group) l->members |= UINT32_C(1) << k;
    }
    if (c->scene == MEET_TWO_GROUPS) l->act = group ? MEET_A : MEET_B;
    break;
  case MEET_TWO:
  case MEET_TWO_KINDS:
    l->act = side % 2 ? MEET_A : MEET_B;
    break;
  case MEET_TWO_EXITED:
    l->act = is_gone ? MEET_EXITS : side % 2 ? MEET_A : MEET_B;
    break;
  case MEET_TWO_OUTSIDE:
    l->members = named;
    l->act = !is_named ? MEET_AROUND : side % 2 ? MEET_A : MEET_B;
    break;
  case MEET_GUARDED:
    l->members = named;
    l->act = is_named ? MEET_A : MEET_OFF;
    break;
  case MEET_NOT_NAMED:
    l->members = named;
    break;
  case MEET_AROUND_NAMED:
    l->act = is_gone ? MEET_AROUND : MEET_A;
    break;
  case MEET_GUARDED_NAMED:
    l->act = is_gone ? MEET_OFF : MEET_A;
    break;
  case MEET_OWN_MASKS:
    l->members = pick(c, 8, warp, lane) | bit;
    break;
  case MEET_ALL:
  case MEET_PARTIAL:
  case MEET_BARRIERS:
    break;
  }
}

size_t meet_case_threads(const struct meet_case *c) {
  return (size_t)c->blocks * c->threads;
}

void meet_case_operands(const struct meet_case *c, uint32_t *in) {
  uint32_t warps = (c->threads + 31) / 32;
  for (uint32_t block = 0; block < c->blocks; block++)
    for (uint32_t t = 0; t < c->threads; t++) {
      struct lane l;
      set_lane(c, block * warps + t / 32, t % 32, &l);
      uint32_t words[MEET_IN_WORDS] = {l.v, l.b, l.c, l.members, l.act, l.small, t % 32, t};
      memcpy(in + (size_t)(block * c->threads + t) * MEET_IN_WORDS, words, sizeof words);
    }
}

/* ---- barriers ---- */

/* In a text: `$` is bar or barrier (which need not be aligned). */
static char *barrier_text(const struct meet_barrier *b, const char *op) {
  char *body = calloc(1, strlen(b->body) * 8 + 1), *text;
  if (body == NULL) return NULL;
  char *to = body;
  for (const char *p = b->body; *p != 0; p++)
    if (*p == '$')
      to = stpcpy(to, op);
    else
      *to++ = *p;
  text =
      print(".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k%s%s"
            "  mov.u32 %%r20, 0;\n  mov.u32 %%r21, 0;\n  mov.u32 %%r22, 0;\n  mov.u32 %%r23, 0;\n"
            "%s\nEND:\n  st.global.v4.u32 [%%to], {%%r20, %%r21, %%r22, %%r23};\n  ret;\n}\n",
            b->outer != NULL ? b->outer : "", head, operands, body);
  free(body);
  return text;
}

/* ---- the list ---- */

struct list {
  struct meet_case *v;
  size_t n, cap;
  bool is_bad;
};

static struct meet_case *add(struct list *l) {
  if (l->n == l->cap) {
    l->cap = 2 * l->cap + 256;
    struct meet_case *v = realloc(l->v, l->cap * sizeof *v);
    if (v == NULL) {
      l->is_bad = true;
      return NULL;
    }
    l->v = v;
  }
  memset(&l->v[l->n], 0, sizeof *l->v);
  return &l->v[l->n++];
}

static void add_exchange(struct list *l, const struct exchange *e, const struct scene *s) {
  if (e->is_old && !s->is_old) return;
  if (s->is_constant && strstr(e->insn, "MEMBERS") == NULL) return;
  for (uint32_t draw = 0; draw < s->draws; draw++) {
    struct meet_case *c = add(l);
    if (c == NULL) return;
    snprintf(c->name, sizeof c->name, "%s %s%s%c", e->name, s->name, s->draws > 1 ? " " : "",
             s->draws > 1 ? (int)('0' + draw) : 0);
    c->text = exchange_text(e, s);
    c->scene = s->scene;
    c->blocks = s->blocks;
    c->threads = s->threads;
    c->draw = draw;
    l->is_bad |= c->text == NULL;
  }
}

static void add_barrier(struct list *l, const struct meet_barrier *b, const char *op) {
  struct meet_case *c = add(l);
  if (c == NULL) return;
  snprintf(c->name, sizeof c->name, "%s%s%s", b->name, *op ? " " : "", op);
  c->text = barrier_text(b, op);
  c->scene = MEET_BARRIERS;
  c->blocks = 1;
  c->threads = b->threads;
  l->is_bad |= c->text == NULL;
}

static void set_keys(struct list *l) {
  for (size_t i = 0; i < l->n && !l->is_bad; i++) {
    struct meet_case *c = &l->v[i];
    uint32_t key = UINT32_C(2166136261) ^ (c->blocks << 16) ^ c->threads;
    for (const char *p = c->name; *p != 0; p++)
      key = (key ^ (uint8_t)*p) * UINT32_C(16777619);
    for (const char *p = c->text; *p != 0; p++)
      key = (key ^ (uint8_t)*p) * UINT32_C(16777619);
    c->key = key;
  }
}

struct meet_case *meet_cases(size_t *n) {
  struct list l = {0};
  for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
      add_exchange(&l, &exchanges[i], &scenes[k]);
  for (size_t i = 0; i < meet_n_barriers; i++) {
    bool has_two = strchr(meet_barriers[i].body, '$') != NULL ||
                   (meet_barriers[i].outer != NULL && strchr(meet_barriers[i].outer, '$') != NULL);
    add_barrier(&l, &meet_barriers[i], has_two ? "bar" : "");
    if (has_two) add_barrier(&l, &meet_barriers[i], "barrier");
  }
  set_keys(&l);
  if (l.is_bad) {
    meet_cases_free(l.v, l.n);
    return NULL;
  }
  *n = l.n;
  return l.v;
}

void meet_cases_free(struct meet_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(cases[i].text);
  free(cases);
}
