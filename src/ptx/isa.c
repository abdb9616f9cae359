/* The instruction table: isa.def compiled to groups and slots, and the name lookups. */
#include "ptx/isa.h"

#include <pthread.h>
#include <string.h>

#include "base/suggest.h"

#define YES true
#define NO  false
static struct ptx_form forms[] = {
#define PTX_FORM(o, syn, opn, c, e)                                                                \
  {.op = PTX_OP_##o, .syntax = syn, .operands = opn, .cls = WEIR_C_##c, .exec = e},
#include "ptx/isa.def"
#undef PTX_FORM
};
#undef YES
#undef NO

enum { N_FORMS = sizeof forms / sizeof *forms, MAX_ALTS = 8192, HASH_SIZE = 2048 };

static const char *const op_names[] = {
#define PTX_OP(id, text) text,
#include "ptx/ops.def"
#undef PTX_OP
};

static const char *const mod_names[] = {
    "",
#define PTX_MOD(id, text) text,
#include "ptx/mods.def"
#undef PTX_MOD
};

static const char *const sreg_names[] = {
#define PTX_SREG(id, text, type) text,
#include "ptx/sregs.def"
#undef PTX_SREG
};

/* Open addressing: entry 0 is empty, else index + 1. */
struct name_table {
  const char *const *names;
  uint16_t slot[HASH_SIZE];
  uint8_t len[HASH_SIZE];
};

static struct {
  struct ptx_alt alts[MAX_ALTS];
  size_t n_alts;
  uint16_t by_op[N_FORMS];
  uint16_t first[PTX_N_OPS + 1];
  struct name_table ops, mods, sregs;
  const char *problem;
} isa;

static pthread_once_t isa_once = PTHREAD_ONCE_INIT;

static uint32_t hash_name(const char *s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)s[i]) * 16777619u;
  return h ^ (h >> 15);
}

static void fill_names(struct name_table *t, const char *const *names, size_t n, size_t from) {
  t->names = names;
  for (size_t i = from; i < n; i++) {
    size_t len = strlen(names[i]), at = hash_name(names[i], len) % HASH_SIZE;
    while (t->slot[at])
      at = (at + 1) % HASH_SIZE;
    t->slot[at] = (uint16_t)(i + 1);
    t->len[at] = (uint8_t)len;
  }
}

static size_t find_name(const struct name_table *t, const char *s, size_t len, size_t missing) {
  for (size_t at = hash_name(s, len) % HASH_SIZE; t->slot[at]; at = (at + 1) % HASH_SIZE) {
    size_t i = t->slot[at] - 1u;
    if (t->len[at] == len && !memcmp(t->names[i], s, len)) return i;
  }
  return missing;
}

/* .name(.name)* up to one of |, ], ), [, (, end or, outside a choice, the next dot. */
static const char *compile_alt(const char *s, struct ptx_alt *alt, bool sequence) {
  do {
    const char *end = ++s;
    while (*end && !strchr(".|[]()", *end))
      end++;
    size_t mod = find_name(&isa.mods, s, (size_t)(end - s), 0);
    if (!mod || alt->n == PTX_MAX_SEQ) isa.problem = s;
    if (alt->n < PTX_MAX_SEQ) alt->mods[alt->n++] = (uint16_t)mod;
    s = end;
  } while (sequence && *s == '.');
  return s;
}

static void compile_groups(struct ptx_form *f) {
  for (const char *s = f->syntax; *s;) {
    if (f->n_groups == PTX_MAX_GROUPS || isa.n_alts + 128 > MAX_ALTS) {
      isa.problem = f->syntax;
      return;
    }
    struct ptx_group *g = &f->groups[f->n_groups++];
    g->alts = &isa.alts[isa.n_alts];
    bool choice = *s != '.';
    g->optional = *s == '[';
    do {
      if (choice) s++; /* the bracket or the bar */
      if (*s != '.') {
        isa.problem = f->syntax;
        return;
      }
      s = compile_alt(s, &isa.alts[isa.n_alts++], choice);
      g->n_alts++;
    } while (*s == '|');
    if (choice) s++;
  }
}

static const char *compile_slot_type(const char *s, struct ptx_slot *slot) {
  if (*s == 'W') {
    slot->how = PTX_ST_WIDE;
    return s + 1;
  }
  if (*s >= '1' && *s <= '9') {
    slot->nth = (uint8_t)(*s - '1');
    return s + 1;
  }
  const char *end = s;
  while (*end && !strchr(",[]~", *end))
    end++;
  slot->how = PTX_ST_FIXED;
  slot->type = (enum ptx_type)find_name(&isa.mods, s, (size_t)(end - s), 0);
  if (slot->type == PTX_T_none || slot->type >= PTX_N_TYPES) isa.problem = s;
  return end;
}

static void compile_slots(struct ptx_form *f) {
  bool optional = false;
  for (const char *s = f->operands; *s;) {
    if (*s == '[' || *s == ']' || *s == ',') {
      if (*s != ',') optional = *s == '[';
      s++;
      continue;
    }
    if (f->n_slots == PTX_MAX_SLOTS || !strchr("dabcewoxrPpiMDSyLTCXtsgVvuFGz", *s)) {
      isa.problem = f->operands;
      return;
    }
    struct ptx_slot *slot = &f->slots[f->n_slots++];
    slot->kind = *s++;
    slot->optional = optional;
    slot->wider_ok = strchr("DSts", slot->kind) != NULL;
    if (!optional) f->n_required++;
    if (*s == ':') s = compile_slot_type(s + 1, slot);
    if (*s == '~') {
      slot->wider_ok = true;
      s++;
    }
  }
}

static void build(void) {
  fill_names(&isa.ops, op_names, PTX_N_OPS, 0);
  fill_names(&isa.mods, mod_names, PTX_N_MODS, 1);
  fill_names(&isa.sregs, sreg_names, PTX_N_SREGS, 0);
  for (size_t i = 0; i < N_FORMS; i++) {
    compile_groups(&forms[i]);
    compile_slots(&forms[i]);
    isa.first[forms[i].op + 1]++;
  }
  for (size_t op = 0; op < PTX_N_OPS; op++)
    isa.first[op + 1] += isa.first[op];
  uint16_t next[PTX_N_OPS];
  memcpy(next, isa.first, sizeof next);
  for (size_t i = 0; i < N_FORMS; i++)
    isa.by_op[next[forms[i].op]++] = (uint16_t)i;
}

static void ensure(void) {
  pthread_once(&isa_once, build);
}

const char *ptx_isa_check(void) {
  ensure();
  return isa.problem;
}

size_t ptx_n_forms(void) {
  return N_FORMS;
}

const struct ptx_form *ptx_form(size_t row) {
  ensure();
  return row < N_FORMS ? &forms[row] : NULL;
}

const uint16_t *ptx_forms_of(enum ptx_op op, size_t *n) {
  ensure();
  *n = (size_t)(isa.first[op + 1] - isa.first[op]);
  return &isa.by_op[isa.first[op]];
}

static bool alt_fits(const struct ptx_alt *alt, const uint16_t *mods, unsigned left) {
  if (alt->n > left) return false;
  for (unsigned i = 0; i < alt->n; i++)
    if (alt->mods[i] != mods[i]) return false;
  return true;
}

/* Backtracks where a group may be left out, or where one alternative begins with another (.async,
 * .async.global). */
static bool match_ordered(const struct ptx_form *f, unsigned group, const uint16_t *mods,
                          unsigned n) {
  for (; group < f->n_groups; group++) {
    const struct ptx_group *g = &f->groups[group];
    for (unsigned i = 0; i < g->n_alts; i++) {
      unsigned taken = g->alts[i].n;
      if (alt_fits(&g->alts[i], mods, n) && match_ordered(f, group + 1, mods + taken, n - taken))
        return true;
    }
    if (!g->optional) return false;
  }
  return n == 0;
}

static bool group_has(const struct ptx_group *g, uint16_t mod) {
  for (unsigned i = 0; i < g->n_alts; i++)
    if (g->alts[i].n == 1 && g->alts[i].mods[0] == mod) return true;
  return false;
}

/* Each modifier takes the first free group that has it, so that types keep their order. */
static bool match_any_order(const struct ptx_form *f, const uint16_t *mods, unsigned n) {
  uint32_t used = 0;
  for (unsigned m = 0; m < n; m++) {
    unsigned g = 0;
    while (g < f->n_groups && ((used >> g & 1) || !group_has(&f->groups[g], mods[m])))
      g++;
    if (g == f->n_groups) return false;
    used |= UINT32_C(1) << g;
  }
  for (unsigned g = 0; g < f->n_groups; g++)
    if (!f->groups[g].optional && !(used >> g & 1)) return false;
  return true;
}

bool ptx_form_matches(const struct ptx_form *f, const uint16_t *mods, unsigned n_mods,
                      bool any_order) {
  return any_order ? match_any_order(f, mods, n_mods) : match_ordered(f, 0, mods, n_mods);
}

enum ptx_type ptx_slot_type_of(const struct ptx_slot *s, const struct ptx_insn *in) {
  if (s->how == PTX_ST_FIXED) return s->type;
  enum ptx_type t = ptx_insn_type(in, s->how == PTX_ST_WIDE ? 0 : s->nth);
  if (s->how != PTX_ST_WIDE) return t;
  switch ((int)t) {
  case PTX_T_u16:
    return PTX_T_u32;
  case PTX_T_s16:
    return PTX_T_s32;
  case PTX_T_u32:
    return PTX_T_u64;
  case PTX_T_s32:
    return PTX_T_s64;
  default:
    return PTX_T_none;
  }
}

const struct ptx_slot *ptx_slot_at(const struct ptx_form *f, unsigned n_opnds, unsigned i) {
  if (n_opnds < f->n_required || n_opnds > f->n_slots) return NULL;
  unsigned extra = n_opnds - f->n_required;
  for (unsigned s = 0; s < f->n_slots; s++) {
    if (f->slots[s].optional && extra == 0) continue;
    if (f->slots[s].optional) extra--;
    if (i-- == 0) return &f->slots[s];
  }
  return NULL;
}

enum ptx_op ptx_op_find(const char *s, size_t len) {
  ensure();
  return (enum ptx_op)find_name(&isa.ops, s, len, PTX_N_OPS);
}

enum ptx_mod ptx_mod_find(const char *s, size_t len) {
  ensure();
  return (enum ptx_mod)find_name(&isa.mods, s, len, PTX_M_none);
}

enum ptx_sreg ptx_sreg_find(const char *s, size_t len) {
  ensure();
  return (enum ptx_sreg)find_name(&isa.sregs, s, len, PTX_N_SREGS);
}

unsigned ptx_video_lanes(enum ptx_op op) {
  switch ((int)op) {
  case PTX_OP_vadd:
  case PTX_OP_vsub:
  case PTX_OP_vabsdiff:
  case PTX_OP_vmin:
  case PTX_OP_vmax:
  case PTX_OP_vshl:
  case PTX_OP_vshr:
  case PTX_OP_vmad:
  case PTX_OP_vset:
    return 1;
  case PTX_OP_vadd2:
  case PTX_OP_vsub2:
  case PTX_OP_vavrg2:
  case PTX_OP_vabsdiff2:
  case PTX_OP_vmin2:
  case PTX_OP_vmax2:
  case PTX_OP_vset2:
    return 2;
  case PTX_OP_vadd4:
  case PTX_OP_vsub4:
  case PTX_OP_vavrg4:
  case PTX_OP_vabsdiff4:
  case PTX_OP_vmin4:
  case PTX_OP_vmax4:
  case PTX_OP_vset4:
    return 4;
  default:
    return 0;
  }
}

const char *ptx_op_nearest(const char *word) {
  return weir_nearest(word, op_names, PTX_N_OPS);
}

const char *ptx_op_name(enum ptx_op op) {
  return (unsigned)op < PTX_N_OPS ? op_names[op] : "?";
}

const char *ptx_mod_name(enum ptx_mod m) {
  return (unsigned)m < PTX_N_MODS ? mod_names[m] : "?";
}

const char *ptx_sreg_name(enum ptx_sreg s) {
  return (unsigned)s < PTX_N_SREGS ? sreg_names[s] : "?";
}

bool ptx_sreg_is_clock(enum ptx_sreg s) {
  switch (s) {
  case PTX_SR_clock:
  case PTX_SR_clock_hi:
  case PTX_SR_clock64:
  case PTX_SR_globaltimer:
  case PTX_SR_globaltimer_lo:
  case PTX_SR_globaltimer_hi:
    return true;
  default:
    return false;
  }
}
