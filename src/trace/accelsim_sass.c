#include "trace/accelsim_sass.h"

#include <string.h>

#include "base/suggest.h"

enum span { ONE, PAIR, WIDE, TWO, DATA, ASYNC, MATRIX };
enum field { WIDTH, COUNT, EXTENDED, STRONG, SCOPE, CACHE_OP, HINT, ARRIVE, NOTHING, N_FIELDS };
enum access { NEVER, ALWAYS, MAYBE, TOUCH };

enum { SCOPE_GPU = 3, RZ = 255, MAX_BARRIERS = 16, MATRIX_ROW_BYTES = 16 };

static const struct op {
  const char *name;
  uint8_t cls, cls_mem, space, span, access;
} ops[] = {
#define SASS_OP(name, cls, span)      {#name, WEIR_C_##cls, 0, WEIR_SP_NONE, span, NEVER},
#define SASS_TOUCH(name, cls)         {#name, WEIR_C_##cls, 0, WEIR_SP_NONE, ONE, TOUCH},
#define SASS_MEM(name, cls, sp, sn)   {#name, WEIR_C_##cls, WEIR_C_##cls, WEIR_SP_##sp, sn, ALWAYS},
#define SASS_MAYBE(name, no, yes, sp) {#name, WEIR_C_##no, WEIR_C_##yes, WEIR_SP_##sp, DATA, MAYBE},
#define SASS_SUFFIX(text, field, value)
#include "trace/sass.def"
#undef SASS_OP
#undef SASS_TOUCH
#undef SASS_MEM
#undef SASS_MAYBE
#undef SASS_SUFFIX
};

static const struct suffix {
  const char *text;
  uint8_t field, value;
} suffixes[] = {
#define SASS_OP(name, cls, span)
#define SASS_TOUCH(name, cls)
#define SASS_MEM(name, cls, sp, sn)
#define SASS_MAYBE(name, no, yes, sp)
#define SASS_SUFFIX(text, field, value) {text, field, value},
#include "trace/sass.def"
#undef SASS_OP
#undef SASS_TOUCH
#undef SASS_MEM
#undef SASS_MAYBE
#undef SASS_SUFFIX
};

enum weir_status weir_sass_override_parse(const char *text, struct weir_sass_override *out,
                                          struct weir_err *err) {
  const char *names[WEIR_N_CLASSES];
  const char *eq = strchr(text, '=');
  if (!eq || eq == text)
    return weir_fail(err, WEIR_EINVAL, "--opcode-class '%s' is not NAME=CLASS", text);
  *out = (struct weir_sass_override){.name = text, .n = (size_t)(eq - text)};
  for (int c = 0; c < WEIR_N_CLASSES; c++) {
    names[c] = weir_class_name((enum weir_class)c);
    if (strcmp(eq + 1, names[c]) != 0) continue;
    out->cls = (enum weir_class)c;
    return WEIR_OK;
  }
  weir_fail(err, WEIR_EINVAL, "--opcode-class '%s': there is no instruction class '%s'", text,
            eq + 1);
  const char *near = weir_nearest(eq + 1, names, WEIR_N_CLASSES);
  if (near) weir_err_add(err, "did you mean '%s'?", near);
  return WEIR_EINVAL;
}

static bool same(const char *name, const char *text, size_t n) {
  return strlen(name) == n && !memcmp(name, text, n);
}

/* The longest name that is the opcode or its beginning up to a dot. */
static const struct weir_sass_override *find_override(const struct weir_sass_line *l,
                                                      const struct weir_sass_override *over,
                                                      size_t n_over) {
  const struct weir_sass_override *best = NULL;
  for (size_t i = 0; i < n_over; i++) {
    const struct weir_sass_override *o = &over[i];
    bool fits = o->n <= l->n_opcode && !memcmp(o->name, l->opcode, o->n) &&
                (o->n == l->n_opcode || l->opcode[o->n] == '.');
    if (fits && (!best || o->n >= best->n)) best = o;
  }
  return best;
}

/* False if some suffix is not known. */
static bool read_suffixes(const char *p, const char *end, uint8_t v[N_FIELDS]) {
  bool all_known = true;
  while (p < end) {
    const char *from = ++p; /* past the dot */
    while (p < end && *p != '.')
      p++;
    bool known = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !known; i++) {
      known = same(suffixes[i].text, from, (size_t)(p - from));
      if (known) v[suffixes[i].field] = suffixes[i].value;
    }
    all_known &= known;
  }
  return all_known;
}

/* `n` registers from `first` on. RZ is no register, and none follows R254. */
static uint8_t add_regs(uint16_t *to, uint8_t have, unsigned max, unsigned first, unsigned n) {
  for (unsigned r = first; r < first + n && r < RZ && have < max; r++)
    to[have++] = (uint16_t)r;
  return have;
}

/* With .E an address is a pair, and pairs begin at even registers: an odd one is 32 bits that are
 * added to a uniform register, which the trace does not name ([R3.U32+UR4]). */
static unsigned address_regs(unsigned first, const uint8_t v[N_FIELDS]) {
  return v[EXTENDED] && first % 2 == 0 ? 2 : 1;
}

static void set_regs(const struct weir_sass_line *l, enum span span, const uint8_t v[N_FIELDS],
                     struct weir_static *s) {
  bool is_data = span == DATA || span == ASYNC || span == MATRIX;
  unsigned words = is_data && s->width > 4 ? s->width / 4u : 1;
  if (span == MATRIX) words = v[COUNT];
  unsigned n_dst = is_data ? words : span == ONE ? 1 : 2;
  for (unsigned i = 0; i < l->n_dst; i++)
    s->n_dst = add_regs(s->dst, s->n_dst, WEIR_MAX_DST, l->dst[i], n_dst);
  for (unsigned i = 0; i < l->n_src; i++) {
    unsigned n = span == PAIR || (span == WIDE && i == 2) ? 2 : 1;
    if (span == ASYNC && i == 1) n = address_regs(l->src[i], v);
    if (span == DATA || span == MATRIX) n = i ? words : address_regs(l->src[i], v);
    s->n_src = add_regs(s->src, s->n_src, WEIR_MAX_SRC, l->src[i], n);
  }
}

static void set_cache(const uint8_t v[N_FIELDS], struct weir_static *s) {
  s->cache_op = v[CACHE_OP];
  s->evict_hint = v[HINT];
  s->scope = v[SCOPE];
  if (!v[STRONG] || s->cls == WEIR_C_ATOM) return;
  if (v[SCOPE] < SCOPE_GPU)
    s->cache_op = WEIR_CO_CA;
  else if (v[SCOPE] == SCOPE_GPU)
    s->cache_op = WEIR_CO_CG;
  else
    s->cache_op = s->cls == WEIR_C_STORE ? WEIR_CO_WT : WEIR_CO_CV;
}

static enum weir_sass_trouble set_mem(const struct weir_sass_line *l, const struct op *op,
                                      const uint8_t v[N_FIELDS], struct weir_static *s,
                                      uint32_t *lanes) {
  unsigned width = v[WIDTH] ? v[WIDTH] : l->width;
  if (op->span == MATRIX) {
    width = MATRIX_ROW_BYTES;
    *lanes = v[COUNT] == 4 ? UINT32_MAX : (1u << (8 * v[COUNT])) - 1;
  }
  if (width > 32 || (width & (width - 1))) return WEIR_SASS_WIDTH;
  s->cls = op->cls_mem;
  s->space = op->space;
  s->width = (uint8_t)width;
  set_cache(v, s);
  return WEIR_SASS_FINE;
}

static enum weir_sass_trouble decode_override(const struct weir_sass_line *l, enum weir_class cls,
                                              struct weir_static *s) {
  bool is_mem = cls == WEIR_C_LOAD || cls == WEIR_C_STORE || cls == WEIR_C_ATOM;
  const struct op op = {.cls_mem = (uint8_t)cls, .space = WEIR_SP_GENERIC, .span = DATA};
  uint8_t v[N_FIELDS] = {[COUNT] = 1};
  uint32_t lanes;
  const char *end = l->opcode + l->n_opcode, *dot = memchr(l->opcode, '.', l->n_opcode);
  if (is_mem && !l->width) return WEIR_SASS_NO_ADDRESS;
  if (is_mem) {
    if (dot) read_suffixes(dot, end, v);
    enum weir_sass_trouble bad = set_mem(l, &op, v, s, &lanes);
    if (bad) return bad;
  }
  s->cls = (uint8_t)cls;
  set_regs(l, is_mem ? DATA : ONE, v, s);
  return WEIR_SASS_FINE;
}

/* Results of two registers that suffixes tell. */
static enum span refine(const struct weir_sass_line *l, const struct op *op) {
  const char *end = l->opcode + l->n_opcode, *p = l->opcode + strlen(op->name);
  char text[64];
  size_t n = (size_t)(end - p) < sizeof text - 2 ? (size_t)(end - p) : sizeof text - 2;
  memcpy(text, p, n);
  memcpy(text + n, ".", 2);
  if (!strcmp(op->name, "IMAD") && strstr(text, ".WIDE.")) return WIDE;
  if (!strcmp(op->name, "CS2R") && strstr(text, ".32.")) return ONE;
  /* the type of the result stands first */
  bool is_cvt = op->cls == WEIR_C_CVT;
  if (is_cvt && (!strncmp(text, ".F64.", 5) || strstr(text, ".S64.") || strstr(text, ".U64.")))
    return TWO;
  return (enum span)op->span;
}

enum weir_sass_trouble weir_sass_decode(const struct weir_sass_line *l,
                                        const struct weir_sass_override *over, size_t n_over,
                                        struct weir_static *s, uint32_t *lanes) {
  const char *end = l->opcode + l->n_opcode, *dot = memchr(l->opcode, '.', l->n_opcode);
  size_t n = dot ? (size_t)(dot - l->opcode) : l->n_opcode;
  const struct weir_sass_override *o = find_override(l, over, n_over);
  const struct op *op = NULL;
  uint8_t v[N_FIELDS] = {[COUNT] = 1};
  *lanes = UINT32_MAX;
  if (o) return decode_override(l, o->cls, s);
  for (size_t i = 0; i < sizeof ops / sizeof *ops && !op; i++)
    if (same(ops[i].name, l->opcode, n)) op = &ops[i];
  if (!op) return WEIR_SASS_UNKNOWN;
  if (op->access == ALWAYS && !l->width) return WEIR_SASS_NO_ADDRESS;
  if (op->access == NEVER && l->width) return WEIR_SASS_ADDRESS;
  bool is_mem = op->access == ALWAYS || (op->access == MAYBE && l->width);
  bool all_known = !dot || read_suffixes(dot, end, v);
  s->cls = op->cls;
  if (is_mem) {
    if (!all_known && op->access == ALWAYS) return WEIR_SASS_UNKNOWN;
    enum weir_sass_trouble bad = set_mem(l, op, v, s, lanes);
    if (bad) return bad;
  } else if (op->cls == WEIR_C_BARRIER) {
    if (l->has_imm && (l->imm < 0 || l->imm >= MAX_BARRIERS)) return WEIR_SASS_BARRIER_COUNT;
    s->bar_id = (uint8_t)l->imm;
    s->bar_arrive = v[ARRIVE];
  } else if (op->cls == WEIR_C_FENCE) {
    s->scope = v[SCOPE];
  }
  set_regs(l, is_mem ? (enum span)op->span : op->access == MAYBE ? ONE : refine(l, op), v, s);
  return WEIR_SASS_FINE;
}
