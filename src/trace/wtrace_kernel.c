/* Kernel descriptions as bytes: numbers, names, and the table of static instructions field by field
 * (all program counters, then all classes, ...), because neighbours in a field are alike. */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/wtrace_format.h"

/* Every instruction takes at least this many bytes in a table; in version 1 two less. */
enum { FIXED_FIELDS = 14, FIXED_FIELDS_1 = 12 };

const char WT_NO_MEMORY[] = "out of memory";

static bool shape_is_sound(const struct weir_kernel_info *k) {
  uint64_t threads = (uint64_t)k->block[0] * k->block[1];
  if (threads > 32 * WEIR_WTRACE_MAX_WARPS) return false;
  threads *= k->block[2];
  if (!threads || (threads + WEIR_LANES - 1) / WEIR_LANES != k->n_warps) return false;
  if (k->n_warps > WEIR_WTRACE_MAX_WARPS) return false;
  uint64_t plane = (uint64_t)k->grid[0] * k->grid[1];
  return !plane || k->grid[2] <= UINT64_MAX / plane;
}

static bool regs_are_sound(const uint16_t *reg, unsigned n, uint32_t n_regs) {
  for (unsigned i = 0; i < n; i++)
    if (reg[i] >= n_regs && reg[i] != WEIR_NO_REG) return false;
  return true;
}

static const char *insn_fault(const struct weir_static *s, uint32_t n_regs) {
  if (s->cls >= WEIR_N_CLASSES) return "an unknown instruction class";
  if (s->space >= WEIR_N_SPACES) return "an unknown memory space";
  if (s->cache_op >= WEIR_N_CACHE_OPS) return "an unknown cache operator";
  if (s->evict_hint > WEIR_EV_NO_ALLOCATE) return "an unknown eviction hint";
  if (s->cls == WEIR_C_BARRIER && s->bar_id >= WEIR_BARRIERS) return "a barrier beyond 15";
  if (s->n_dst > WEIR_MAX_DST || s->n_src > WEIR_MAX_SRC) return "too many registers";
  if (!regs_are_sound(s->dst, s->n_dst, n_regs) || !regs_are_sound(s->src, s->n_src, n_regs))
    return "a register beyond the number of registers";
  return NULL;
}

enum weir_status wt_info_check(const struct weir_kernel_info *k, const char **why) {
  *why = NULL;
  if (!shape_is_sound(k)) *why = "its grid, block and number of warps do not fit";
  if (k->n_regs > 1u << 16) *why = "too many registers";
  if (k->n_insns > WT_MAX_TABLE / FIXED_FIELDS_1) *why = "too many instructions";
  for (uint32_t i = 0; !*why && i < k->n_insns; i++)
    *why = insn_fault(&k->insns[i], k->n_regs);
  return *why ? WEIR_EINVAL : WEIR_OK;
}

/* Classes have a number of their own in files. Those of version 3 and before are the first ones. */
enum { OLD_CLASSES = 22 };
static const uint8_t class_number[WEIR_N_CLASSES] = {
#define WEIR_CLASS(id, text, number, help) [WEIR_C_##id] = number,
#include "stream/classes.def"
};

static uint8_t get_class(const struct weir_static *s) {
  return class_number[s->cls];
}

static void set_class(struct weir_static *s, uint8_t v) {
  static const uint8_t class_of[WEIR_N_CLASSES] = {
#define WEIR_CLASS(id, text, number, help) [number] = WEIR_C_##id,
#include "stream/classes.def"
  };
  s->cls = v < WEIR_N_CLASSES ? class_of[v] : WEIR_N_CLASSES; /* insn_fault finds the last */
}

static void set_old_class(struct weir_static *s, uint8_t v) {
  set_class(s, v < OLD_CLASSES ? v : WEIR_N_CLASSES);
}

/* Three bytes of the table mean something else by class; the class comes first. */
static uint8_t get_level(const struct weir_static *s) {
  return s->cls == WEIR_C_BARRIER ? s->bar_id : s->scope;
}

static void set_level(struct weir_static *s, uint8_t v) {
  *(s->cls == WEIR_C_BARRIER ? &s->bar_id : &s->scope) = v;
}

static uint8_t get_number(const struct weir_static *s) {
  return s->cls == WEIR_C_BARRIER ? s->bar_warps : s->waits_copies;
}

static void set_number(struct weir_static *s, uint8_t v) {
  *(s->cls == WEIR_C_BARRIER ? &s->bar_warps : &s->waits_copies) = v;
}

static bool is_move(const struct weir_static *s) {
  return s->cls == WEIR_C_MOVE || s->cls == WEIR_C_CVT;
}

static uint8_t get_flag(const struct weir_static *s) {
  return s->cls == WEIR_C_BARRIER ? s->bar_arrive
         : s->cls == WEIR_C_OTHER ? s->ends_copies
         : s->cls == WEIR_C_TEX   ? s->is_fetch
         : is_move(s)             ? s->reads_clock
                                  : s->is_copy;
}

static void set_flag(struct weir_static *s, uint8_t v) {
  *(s->cls == WEIR_C_BARRIER ? &s->bar_arrive
    : s->cls == WEIR_C_OTHER ? &s->ends_copies
    : s->cls == WEIR_C_TEX   ? &s->is_fetch
    : is_move(s)             ? &s->reads_clock
                             : &s->is_copy) = v;
}

#define EACH_FIRST_FIELD(X)  X(space) X(width) X(cache_op) X(evict_hint)
#define EACH_SECOND_FIELD(X) X(n_dst) X(n_src)
#define EACH_WORD_FIELD(X)   X(file) X(line) X(ptx_line)

static void put_delta(struct wt_buf *b, uint32_t v, uint32_t *before) {
  wt_buf_leb(b, wt_zigzag((int32_t)(v - *before)));
  *before = v;
}

static uint32_t get_delta(struct wt_cursor *c, uint32_t *before) {
  return *before += (uint32_t)wt_unzigzag(wt_read_leb(c));
}

static void put_bytes(struct wt_buf *b, const struct weir_static *s, uint32_t n,
                      uint8_t (*get)(const struct weir_static *s)) {
  for (uint32_t i = 0; i < n; i++)
    wt_buf_byte(b, get(&s[i]));
}

static void get_bytes(struct wt_cursor *c, struct weir_static *s, uint32_t n,
                      void (*set)(struct weir_static *s, uint8_t v)) {
  for (uint32_t i = 0; i < n; i++)
    set(&s[i], wt_read_byte(c));
}

void wt_put_table(struct wt_buf *b, const struct weir_kernel_info *k) {
  const struct weir_static *s = k->insns;
  uint32_t before = 0, step = 0, n = k->n_insns;
  wt_buf_leb(b, n);
  for (uint32_t i = 0; i < n; i++) {
    put_delta(b, s[i].pc - before, &step);
    before = s[i].pc;
  }
#define PUT(field)                                                                                 \
  for (uint32_t i = 0; i < n; i++)                                                                 \
    wt_buf_byte(b, s[i].field);
  put_bytes(b, s, n, get_class);
  EACH_FIRST_FIELD(PUT)
  put_bytes(b, s, n, get_level);
  EACH_SECOND_FIELD(PUT)
  put_bytes(b, s, n, get_number);
  put_bytes(b, s, n, get_flag);
#undef PUT
#define PUT(field)                                                                                 \
  before = 0;                                                                                      \
  for (uint32_t i = 0; i < n; i++)                                                                 \
    put_delta(b, s[i].field, &before);
  EACH_WORD_FIELD(PUT)
#undef PUT
  before = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (unsigned r = 0; r < s[i].n_dst; r++)
      put_delta(b, s[i].dst[r], &before);
    for (unsigned r = 0; r < s[i].n_src; r++)
      put_delta(b, s[i].src[r], &before);
  }
}

static const char *get_regs(struct wt_cursor *c, struct weir_static *s, uint32_t *before) {
  if (s->n_dst > WEIR_MAX_DST || s->n_src > WEIR_MAX_SRC) return "too many registers";
  for (unsigned r = 0; r < s->n_dst; r++)
    s->dst[r] = (uint16_t)get_delta(c, before);
  for (unsigned r = 0; r < s->n_src; r++)
    s->src[r] = (uint16_t)get_delta(c, before);
  return NULL;
}

static const char *get_fields(struct wt_cursor *c, struct weir_static *s, uint32_t n,
                              uint32_t version) {
  uint32_t before = 0, step = 0;
  const char *why = NULL;
  for (uint32_t i = 0; i < n; i++)
    before = s[i].pc = before + get_delta(c, &step);
#define GET(field)                                                                                 \
  for (uint32_t i = 0; i < n; i++)                                                                 \
    s[i].field = wt_read_byte(c);
  get_bytes(c, s, n, version < WT_WITH_PARTS ? set_old_class : set_class);
  EACH_FIRST_FIELD(GET)
  get_bytes(c, s, n, set_level);
  EACH_SECOND_FIELD(GET)
  if (version > 1) {
    get_bytes(c, s, n, set_number);
    get_bytes(c, s, n, set_flag);
  }
#undef GET
#define GET(field)                                                                                 \
  before = 0;                                                                                      \
  for (uint32_t i = 0; i < n; i++)                                                                 \
    s[i].field = get_delta(c, &before);
  EACH_WORD_FIELD(GET)
#undef GET
  before = 0;
  for (uint32_t i = 0; !why && i < n; i++)
    why = get_regs(c, &s[i], &before);
  return why;
}

const char *wt_get_table(const uint8_t *bytes, size_t n, uint32_t version,
                         struct weir_kernel_info *k) {
  struct wt_cursor c = {.p = bytes, .end = bytes + n};
  uint32_t n_insns = wt_read_u32(&c);
  if (n_insns > (size_t)(c.end - c.p) / (version > 1 ? FIXED_FIELDS : FIXED_FIELDS_1))
    return "more instructions than the table has bytes";
  struct weir_static *s = weir_calloc(n_insns + (size_t)1, sizeof *s);
  if (!s) return WT_NO_MEMORY;
  k->insns = s;
  k->n_insns = n_insns;
  const char *why = get_fields(&c, s, n_insns, version);
  if (!why && c.is_bad) why = "the table ends in the middle";
  if (!why && c.p != c.end) why = "bytes after the end of the table";
  if (!why) wt_info_check(k, &why);
  return why;
}

void wt_put_info(struct wt_buf *b, const struct weir_kernel_info *k, uint64_t table_at) {
  wt_buf_leb(b, table_at);
  for (int i = 0; i < 3; i++)
    wt_buf_leb(b, k->grid[i]);
  for (int i = 0; i < 3; i++)
    wt_buf_leb(b, k->block[i]);
  wt_buf_leb(b, k->n_regs);
  wt_buf_leb(b, k->regs_per_thread);
  wt_buf_leb(b, k->static_shared);
  wt_buf_leb(b, k->dyn_shared);
  wt_buf_leb(b, k->local_bytes);
  wt_buf_byte(b, (uint8_t)((k->is_interleaved ? 1 : 0) | (k->reads_clock ? 2 : 0) |
                           (k->regs_estimated ? 4 : 0) | (k->carveout != 0 ? 8 : 0)));
  if (k->carveout != 0) wt_buf_byte(b, (uint8_t)(k->carveout - 1));
  wt_buf_text(b, k->name);
  wt_buf_leb(b, k->n_files);
  for (uint32_t i = 0; i < k->n_files; i++)
    wt_buf_text(b, k->files[i]);
}

static char *get_text(struct wt_cursor *c, const char **why) {
  uint64_t n = wt_read_leb(c);
  if (n > (size_t)(c->end - c->p) || n > WT_MAX_NAME) {
    *why = "a name that is longer than what is there";
    return NULL;
  }
  char *text = weir_malloc((size_t)n + 1);
  if (!text) {
    *why = WT_NO_MEMORY;
    return NULL;
  }
  memcpy(text, c->p, (size_t)n);
  text[n] = 0;
  c->p += n;
  if (strlen(text) != n) *why = "a name with a zero in it";
  return text;
}

static const char *get_names(struct wt_cursor *c, struct weir_kernel_info *k) {
  const char *why = NULL;
  k->name = get_text(c, &why);
  if (why) return why;
  uint32_t n = wt_read_u32(c);
  if (n > (size_t)(c->end - c->p)) return "more file names than what is there";
  char **files = weir_calloc(n + (size_t)1, sizeof *files);
  if (!files) return WT_NO_MEMORY;
  k->files = (const char *const *)files;
  k->n_files = n;
  for (uint32_t i = 0; !why && i < n; i++)
    files[i] = get_text(c, &why);
  return why;
}

const char *wt_get_info(const uint8_t *bytes, size_t n, uint32_t version,
                        struct weir_kernel_info **out, uint64_t *table_at) {
  struct wt_cursor c = {.p = bytes, .end = bytes + n};
  struct weir_kernel_info *k = *out = weir_calloc(1, sizeof *k);
  if (!k) return WT_NO_MEMORY;
  *table_at = wt_read_leb(&c);
  for (int i = 0; i < 3; i++)
    k->grid[i] = wt_read_u32(&c);
  for (int i = 0; i < 3; i++)
    k->block[i] = wt_read_u32(&c);
  k->n_regs = wt_read_u32(&c);
  k->regs_per_thread = wt_read_u32(&c);
  k->static_shared = wt_read_u32(&c);
  k->dyn_shared = wt_read_u32(&c);
  k->local_bytes = wt_read_u32(&c);
  uint8_t flags = wt_read_byte(&c);
  k->is_interleaved = flags & 1;
  k->reads_clock = flags & 2;
  k->regs_estimated = flags & 4;
  if (flags > (version > 1 ? 15 : 3)) return "an unknown flag";
  if (flags & 8) {
    uint8_t percent = wt_read_byte(&c);
    if (percent > 100) return "a preferred carveout of more than 100 percent";
    k->carveout = (uint8_t)(percent + 1);
  }
  uint64_t threads = (uint64_t)k->block[0] * k->block[1];
  if (threads > 32 * WEIR_WTRACE_MAX_WARPS || threads * k->block[2] > 32 * WEIR_WTRACE_MAX_WARPS)
    return "a block of too many threads";
  k->n_warps = (uint32_t)((threads * k->block[2] + WEIR_LANES - 1) / WEIR_LANES);
  const char *why = get_names(&c, k);
  if (!why && c.is_bad) why = "it ends in the middle";
  if (!why && c.p != c.end) why = "bytes after the end";
  if (!why) wt_info_check(k, &why);
  return why;
}

void weir_wtrace_info_free(struct weir_kernel_info *k) {
  if (!k) return;
  for (uint32_t i = 0; k->files && i < k->n_files; i++)
    free((void *)(uintptr_t)k->files[i]);
  free((void *)(uintptr_t)k->files);
  free((void *)(uintptr_t)k->insns);
  wt_outline_free(k->outline);
  free((void *)(uintptr_t)k->name);
  free(k);
}
