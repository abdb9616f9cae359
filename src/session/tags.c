#include "session/tags.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/file.h"
#include "base/mem.h"
#include "session/tag_lines.h"

static const uint64_t NO_PC = UINT64_MAX;

struct load {
  uint64_t pc; /* or NO_PC */
  uint32_t insn, line;
  uint32_t at;  /* line of the file that it was read from; 0: none */
  uint32_t seq; /* order of coming */
  uint8_t tag;
};

struct kernel {
  char *name;
  struct {
    struct load *v;
    size_t n, cap;
  } loads;
  struct weir_tag_lines lines; /* of the source; what `loads` says of an instruction comes first */
  bool is_sorted;
  uint8_t *by_insn;
};

/* Lines of all kernels. */
struct bypass {
  struct weir_tag_lines lines;
  uint8_t *by_insn; /* of a kernel that has nothing else */
};

struct weir_tags {
  char *file; /* NULL: not read from one */
  struct {
    struct kernel **v;
    size_t n, cap;
  } kernels;
  struct bypass *bypass; /* NULL: none */
};

static const char *const tag_names[] = {"none", "ca", "cg", "cm"};

const char *weir_tag_name(enum weir_tag tag) {
  return tag_names[tag];
}

bool weir_is_global_load(const struct weir_static *s) {
  return s->cls == WEIR_C_LOAD && (s->space == WEIR_SP_GLOBAL || s->space == WEIR_SP_GENERIC);
}

/* ---- the table ---- */

enum weir_status weir_tags_new(struct weir_tags **out) {
  *out = weir_calloc(1, sizeof **out);
  return *out != NULL ? WEIR_OK : WEIR_ENOMEM;
}

static void free_kernel(struct kernel *k) {
  free(k->name);
  free(k->loads.v);
  weir_tag_lines_free(&k->lines);
  free(k->by_insn);
  free(k);
}

void weir_tags_free(struct weir_tags *t) {
  if (t == NULL) return;
  for (size_t i = 0; i < t->kernels.n; i++)
    free_kernel(t->kernels.v[i]);
  free(t->kernels.v);
  if (t->bypass != NULL) {
    weir_tag_lines_free(&t->bypass->lines);
    free(t->bypass->by_insn);
    free(t->bypass);
  }
  free(t->file);
  free(t);
}

/* The kernel that came last is most often the one that is meant. */
static struct kernel *find_kernel(const struct weir_tags *t, const char *name) {
  for (size_t i = t->kernels.n; i-- > 0;)
    if (strcmp(t->kernels.v[i]->name, name) == 0) return t->kernels.v[i];
  return NULL;
}

static enum weir_status need_kernel(struct weir_tags *t, const char *name, struct kernel **out) {
  *out = find_kernel(t, name);
  if (*out != NULL) return WEIR_OK;
  if (t->kernels.n == WEIR_TAGS_KERNELS) return WEIR_ELIMIT;
  struct kernel *k = weir_calloc(1, sizeof *k);
  if (k != NULL) k->name = weir_strdup(name);
  if (k == NULL || k->name == NULL || !WEIR_PUSH(t->kernels, k)) {
    if (k != NULL) free_kernel(k);
    return WEIR_ENOMEM;
  }
  *out = k;
  return WEIR_OK;
}

static enum weir_status put_load(struct kernel *k, struct load l) {
  l.seq = (uint32_t)k->loads.n;
  k->is_sorted = false;
  return WEIR_PUSH(k->loads, l) ? WEIR_OK : WEIR_ENOMEM;
}

enum weir_status weir_tags_put(struct weir_tags *t, const char *kernel, uint32_t insn, uint64_t pc,
                               uint32_t line, enum weir_tag tag) {
  struct kernel *k;
  if (insn >= WEIR_TAGS_INSNS || tag > WEIR_TAG_CM) return WEIR_EINVAL;
  enum weir_status st = need_kernel(t, kernel, &k);
  return st == WEIR_OK ? put_load(k, (struct load){pc, insn, line, 0, 0, (uint8_t)tag}) : st;
}

enum weir_status weir_tags_kernel(struct weir_tags *t, const char *kernel) {
  struct kernel *k;
  return need_kernel(t, kernel, &k);
}

static enum weir_status add_bypass(struct weir_tags *t, const char *line, uint32_t at) {
  if (t->bypass == NULL) t->bypass = weir_calloc(1, sizeof *t->bypass);
  if (t->bypass == NULL) return WEIR_ENOMEM;
  return weir_tag_lines_add(&t->bypass->lines, line, at, WEIR_TAG_CG);
}

enum weir_status weir_tags_bypass(struct weir_tags *t, const char *line, struct weir_err *err) {
  enum weir_status st = add_bypass(t, line, 0);
  if (st == WEIR_ENOMEM) return weir_fail(err, st, "out of memory");
  if (st == WEIR_OK) return st;
  return weir_fail(err, WEIR_EINVAL, "--bypass %s: want FILE:LINE, such as spmv.cu:12", line);
}

static int by_number(const void *a, const void *b) {
  const struct load *x = a, *y = b;
  if (x->insn != y->insn) return x->insn < y->insn ? -1 : 1;
  return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Each instruction once: the last that came. */
static void sort_loads(struct kernel *k) {
  size_t kept = 0;
  if (k->is_sorted || k->loads.n == 0) return;
  qsort(k->loads.v, k->loads.n, sizeof *k->loads.v, by_number);
  for (size_t i = 0; i < k->loads.n; i++) {
    if (kept > 0 && k->loads.v[kept - 1].insn == k->loads.v[i].insn) kept--;
    k->loads.v[kept] = k->loads.v[i];
    k->loads.v[kept].seq = (uint32_t)kept;
    kept++;
  }
  k->loads.n = kept;
  k->is_sorted = true;
}

/* ---- by instruction ---- */

static const uint8_t *spread(struct kernel *k, uint32_t n_insns) {
  sort_loads(k);
  free(k->by_insn);
  k->by_insn = weir_calloc((size_t)n_insns + 1, 1);
  for (size_t i = 0; k->by_insn != NULL && i < k->loads.n; i++)
    if (k->loads.v[i].insn < n_insns) k->by_insn[k->loads.v[i].insn] = k->loads.v[i].tag;
  return k->by_insn;
}

const uint8_t *weir_tags_find(const struct weir_tags *t, const char *kernel, uint32_t n_insns) {
  struct kernel *k = find_kernel(t, kernel);
  return k != NULL ? spread(k, n_insns) : NULL;
}

/* "tags.yaml:7: kernel spmv, instruction 12: ..." */
static enum weir_status mismatch(const struct weir_tags *t, const struct kernel *k,
                                 const struct load *l, struct weir_err *err, const char *what) {
  if (t->file != NULL)
    weir_fail(err, WEIR_EINVAL, "%s:%u: kernel %s, instruction %u: %s", t->file, l->at, k->name,
              l->insn, what);
  else
    weir_fail(err, WEIR_EINVAL, "tags of kernel %s, instruction %u: %s", k->name, l->insn, what);
  weir_err_add(err, "these tags are of another version of the kernel, or were changed by hand");
  weir_err_add(err, "make them again: weir classify WORKLOAD --tags FILE");
  return WEIR_EINVAL;
}

static enum weir_status check_load(const struct weir_tags *t, const struct kernel *k,
                                   const struct load *l, const struct weir_kernel_info *info,
                                   struct weir_err *err) {
  char text[96];
  if (l->tag == WEIR_TAG_NONE) return WEIR_OK;
  if (l->insn >= info->n_insns) {
    snprintf(text, sizeof text, "the kernel has instructions 0 to %" PRIu32,
             info->n_insns > 0 ? info->n_insns - 1 : 0);
    return mismatch(t, k, l, err, text);
  }
  const struct weir_static *s = &info->insns[l->insn];
  if (!weir_is_global_load(s)) {
    snprintf(text, sizeof text, "it is no load from global memory (class %s, pc 0x%" PRIx32 ")",
             weir_class_name(s->cls), s->pc);
    return mismatch(t, k, l, err, text);
  }
  if (l->pc != NO_PC && l->pc != s->pc) {
    snprintf(text, sizeof text, "its pc is 0x%" PRIx32 ", not 0x%" PRIx64, s->pc, l->pc);
    return mismatch(t, k, l, err, text);
  }
  return WEIR_OK;
}

/* Of a kernel that the table knows. */
static enum weir_status match_kernel(const struct weir_tags *t, struct kernel *k,
                                     const struct weir_kernel_info *info, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  char where[512];
  sort_loads(k);
  for (size_t i = 0; st == WEIR_OK && i < k->loads.n; i++)
    st = check_load(t, k, &k->loads.v[i], info, err);
  if (st != WEIR_OK) return st;
  if (spread(k, info->n_insns) == NULL || !weir_tag_lines_put(&k->lines, info, true, k->by_insn))
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  const struct weir_tag_line *unused = weir_tag_lines_unused(&k->lines);
  if (unused == NULL) return WEIR_OK;
  snprintf(where, sizeof where, "%.200s:%u: kernel %.200s, line ", t->file, unused->at, k->name);
  return weir_tag_line_fail(&k->lines, unused, where, err);
}

enum weir_status weir_tags_match(const void *self, const struct weir_kernel_info *info,
                                 const uint8_t **tags, struct weir_err *err) {
  const struct weir_tags *t = self;
  struct kernel *k = find_kernel(t, info->name);
  struct bypass *b = t->bypass;
  enum weir_status st = k != NULL ? match_kernel(t, k, info, err) : WEIR_OK;
  uint8_t *found = k != NULL ? k->by_insn : NULL;
  *tags = NULL;
  if (st != WEIR_OK) return st;
  if (b != NULL && found == NULL) {
    free(b->by_insn);
    found = b->by_insn = weir_calloc((size_t)info->n_insns + 1, 1);
  }
  if (b != NULL && (found == NULL || !weir_tag_lines_put(&b->lines, info, false, found)))
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  *tags = found;
  return WEIR_OK;
}

enum weir_status weir_tags_check_used(const struct weir_tags *t, struct weir_err *err) {
  const struct weir_tag_line *unused =
      t != NULL && t->bypass != NULL ? weir_tag_lines_unused(&t->bypass->lines) : NULL;
  char where[256] = "--bypass ";
  if (unused == NULL) return WEIR_OK;
  if (unused->at != 0) snprintf(where, sizeof where, "%.200s:%u: bypass: ", t->file, unused->at);
  return weir_tag_line_fail(&t->bypass->lines, unused, where, err);
}

/* ---- files ---- */

static enum weir_status read_tag(struct weir_config *c, uint32_t i, uint8_t *tag,
                                 struct weir_err *err) {
  for (unsigned k = WEIR_TAG_CA; k <= WEIR_TAG_CM; k++)
    if (strcmp(c->entry[i].text, tag_names[k]) == 0) {
      *tag = (uint8_t)k;
      return WEIR_OK;
    }
  return weir_config_fail(c, i, WEIR_EPARSE, err,
                          "'%s' is no tag; want ca (use the L1), cg (bypass it) or cm (as the "
                          "block does)",
                          c->entry[i].text);
}

static enum weir_status read_number(struct weir_config *c, uint32_t map, const char *key,
                                    bool required, int64_t max, int64_t *out,
                                    struct weir_err *err) {
  uint32_t i;
  enum weir_status st = weir_config_child(c, map, key, WEIR_SCALAR, required, &i, err);
  return st == WEIR_OK && i != 0 ? weir_config_int(c, i, 0, max, out, err) : st;
}

/* "FILE:LINE". */
static enum weir_status bad_line(struct weir_config *c, uint32_t i, enum weir_status st,
                                 struct weir_err *err) {
  if (st == WEIR_ENOMEM) return weir_fail(err, st, "out of memory");
  return weir_config_fail(c, i, WEIR_EPARSE, err,
                          "'%s' is no line of a source; want FILE:LINE, such as spmv.cu:12",
                          c->entry[i].text);
}

/* Loads that are known by the line that they come from. */
static enum weir_status read_line(struct weir_config *c, uint32_t i, struct kernel *k,
                                  struct weir_err *err) {
  static const char *const keys[] = {"line", "tag"};
  uint32_t line = 0, tag = 0;
  uint8_t what = WEIR_TAG_NONE;
  enum weir_status st = weir_config_child(c, i, "line", WEIR_SCALAR, true, &line, err);
  if (st == WEIR_OK) st = weir_config_child(c, i, "tag", WEIR_SCALAR, true, &tag, err);
  if (st == WEIR_OK) st = read_tag(c, tag, &what, err);
  if (st == WEIR_OK) st = weir_config_only(c, i, keys, sizeof keys / sizeof *keys, err);
  if (st != WEIR_OK) return st;
  st = weir_tag_lines_add(&k->lines, c->entry[line].text, c->entry[i].line, what);
  return st == WEIR_OK ? st : bad_line(c, line, st, err);
}

static enum weir_status read_load(struct weir_config *c, uint32_t i, struct load *l,
                                  struct weir_err *err) {
  static const char *const keys[] = {"insn", "pc", "line", "tag"};
  int64_t insn = 0, pc = -1, line = 0;
  uint32_t tag = 0;
  enum weir_status st = read_number(c, i, "insn", true, WEIR_TAGS_INSNS - 1, &insn, err);
  if (st == WEIR_OK) st = read_number(c, i, "pc", false, INT64_MAX, &pc, err);
  if (st == WEIR_OK) st = read_number(c, i, "line", false, UINT32_MAX, &line, err);
  if (st == WEIR_OK) st = weir_config_child(c, i, "tag", WEIR_SCALAR, true, &tag, err);
  if (st == WEIR_OK) st = read_tag(c, tag, &l->tag, err);
  if (st == WEIR_OK) st = weir_config_only(c, i, keys, sizeof keys / sizeof *keys, err);
  l->insn = (uint32_t)insn;
  l->pc = pc >= 0 ? (uint64_t)pc : NO_PC;
  l->line = (uint32_t)line;
  l->at = c->entry[i].line;
  return st;
}

/* Two tags for one instruction: nobody could say which was meant. */
static enum weir_status check_once(const struct weir_config *c, struct kernel *k,
                                   struct weir_err *err) {
  const struct load *v = k->loads.v;
  if (k->loads.n > 0) qsort(k->loads.v, k->loads.n, sizeof *k->loads.v, by_number);
  for (size_t i = 1; i < k->loads.n; i++)
    if (v[i].insn == v[i - 1].insn)
      return weir_fail(err, WEIR_EPARSE,
                       "%s:%u: kernel %s: instruction %u has a tag in line %u already", c->file,
                       v[i].at, k->name, v[i].insn, v[i - 1].at);
  return WEIR_OK;
}

static enum weir_status read_kernel(struct weir_tags *t, struct weir_config *c, uint32_t i,
                                    struct weir_err *err) {
  static const char *const keys[] = {"name", "loads"};
  uint32_t name = 0, loads = 0;
  struct kernel *k = NULL;
  enum weir_status st = weir_config_want(c, i, WEIR_MAP, err);
  if (st == WEIR_OK) st = weir_config_child(c, i, "name", WEIR_SCALAR, true, &name, err);
  if (st == WEIR_OK) st = weir_config_child(c, i, "loads", WEIR_SEQ, true, &loads, err);
  if (st == WEIR_OK) st = weir_config_only(c, i, keys, sizeof keys / sizeof *keys, err);
  if (st != WEIR_OK) return st;
  if (find_kernel(t, c->entry[name].text) != NULL)
    return weir_config_fail(c, name, WEIR_EPARSE, err, "the kernel '%s' is in this file twice",
                            c->entry[name].text);
  st = need_kernel(t, c->entry[name].text, &k);
  if (st == WEIR_ELIMIT)
    return weir_config_fail(c, name, st, err, "at most %d kernels", WEIR_TAGS_KERNELS);
  if (st != WEIR_OK) return weir_fail(err, st, "out of memory");
  for (uint32_t e = weir_config_first(c, loads); st == WEIR_OK && e != 0;
       e = weir_config_next(c, e)) {
    struct load l = {0};
    st = weir_config_want(c, e, WEIR_MAP, err);
    bool has_insn = st == WEIR_OK && weir_config_find(c, e, "insn") != 0;
    if (st == WEIR_OK && !has_insn && weir_config_find(c, e, "line") != 0) {
      st = read_line(c, e, k, err);
      continue;
    }
    if (st == WEIR_OK) st = read_load(c, e, &l, err);
    if (st == WEIR_OK && put_load(k, l) != WEIR_OK)
      st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  return st == WEIR_OK ? check_once(c, k, err) : st;
}

static enum weir_status read_file(struct weir_tags *t, struct weir_config *c,
                                  struct weir_err *err) {
  static const char *const keys[] = {"weir-tags", "about", "kernels", "bypass"};
  uint32_t version, about, list = 0, lines = 0;
  int64_t number;
  enum weir_status st = weir_config_child(c, 0, "weir-tags", WEIR_SCALAR, true, &version, err);
  if (st == WEIR_OK) st = weir_config_int(c, version, 1, 1, &number, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "about", WEIR_SCALAR, false, &about, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "bypass", WEIR_SEQ, false, &lines, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "kernels", WEIR_SEQ, lines == 0, &list, err);
  if (st == WEIR_OK) st = weir_config_only(c, 0, keys, sizeof keys / sizeof *keys, err);
  if (st != WEIR_OK) return st;
  for (uint32_t i = lines != 0 ? weir_config_first(c, lines) : 0; st == WEIR_OK && i != 0;
       i = weir_config_next(c, i)) {
    st = weir_config_want(c, i, WEIR_SCALAR, err);
    enum weir_status how = st == WEIR_OK ? add_bypass(t, c->entry[i].text, c->entry[i].line) : st;
    if (st == WEIR_OK && how != WEIR_OK) st = bad_line(c, i, how, err);
  }
  for (uint32_t i = list != 0 ? weir_config_first(c, list) : 0; st == WEIR_OK && i != 0;
       i = weir_config_next(c, i))
    st = read_kernel(t, c, i, err);
  return st;
}

static enum weir_status read_config(struct weir_tags **out, struct weir_config *c,
                                    struct weir_err *err) {
  enum weir_status st = weir_tags_new(out);
  if (st == WEIR_OK) {
    (*out)->file = weir_strdup(c->file);
    if ((*out)->file == NULL) st = WEIR_ENOMEM;
  }
  st = st == WEIR_OK ? read_file(*out, c, err) : weir_fail(err, st, "out of memory");
  if (st != WEIR_OK) {
    weir_tags_free(*out);
    *out = NULL;
  }
  return st;
}

enum weir_status weir_tags_parse(struct weir_tags **out, const char *file, const char *text,
                                 size_t len, struct weir_err *err) {
  struct weir_config c;
  *out = NULL;
  enum weir_status st = weir_config_parse(&c, file, text, len, err);
  if (st != WEIR_OK) return st;
  st = read_config(out, &c, err);
  weir_config_free(&c);
  return st;
}

enum weir_status weir_tags_load(struct weir_tags **out, const char *path, struct weir_err *err) {
  struct weir_config c;
  *out = NULL;
  enum weir_status st = weir_config_load(&c, path, err);
  if (st != WEIR_OK) return st;
  st = read_config(out, &c, err);
  weir_config_free(&c);
  return st;
}

/* The character at *s, which is moved on; of broken UTF-8 one byte, as U+FFFD. */
static uint32_t next_char(const char **s) {
  const unsigned char *p = (const unsigned char *)*s;
  unsigned more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
  uint32_t c = p[0] < 0x80 ? p[0] : p[0] & (0x3fu >> more);
  bool is_broken = p[0] >= 0x80 && more == 0;
  for (unsigned i = 1; i <= more && !is_broken; i++) {
    is_broken = (p[i] & 0xc0) != 0x80;
    c = c << 6 | (p[i] & 0x3f);
  }
  *s += is_broken ? 1 : more + 1;
  return is_broken || c > 0x10ffff ? 0xfffd : c;
}

/* As YAML's double quotes want it. All but ASCII is escaped: a few of the others end lines, or are
 * not allowed as they are. */
static void put_quoted(struct weir_text *out, const char *s) {
  weir_text_puts(out, "\"");
  while (*s != 0) {
    uint32_t c = next_char(&s);
    if (c == '"' || c == '\\')
      weir_text_printf(out, "\\%c", (int)c);
    else if (c >= 0x20 && c < 0x7f)
      weir_text_printf(out, "%c", (int)c);
    else
      weir_text_printf(out, "\\U%08" PRIx32, c);
  }
  weir_text_puts(out, "\"");
}

static void put_line(struct weir_text *out, const struct weir_tag_line *l) {
  char number[16];
  struct weir_text text = {0};
  snprintf(number, sizeof number, ":%" PRIu32, l->line);
  weir_text_puts(&text, l->file);
  weir_text_puts(&text, number);
  out->failed |= text.failed;
  if (!text.failed) put_quoted(out, text.v);
  weir_text_free(&text);
}

static void put_kernel(struct weir_text *out, struct kernel *k) {
  bool any = false;
  sort_loads(k);
  weir_text_puts(out, "  - name: ");
  put_quoted(out, k->name);
  weir_text_puts(out, "\n    loads:");
  for (size_t i = 0; i < k->loads.n; i++) {
    const struct load *l = &k->loads.v[i];
    if (l->tag == WEIR_TAG_NONE) continue;
    weir_text_printf(out, "\n      - {insn: %" PRIu32, l->insn);
    if (l->pc != NO_PC) weir_text_printf(out, ", pc: 0x%" PRIx64, l->pc);
    if (l->line != 0) weir_text_printf(out, ", line: %" PRIu32, l->line);
    weir_text_printf(out, ", tag: %s}", tag_names[l->tag]);
    any = true;
  }
  for (size_t i = 0; i < k->lines.want.n; i++) {
    weir_text_puts(out, "\n      - {line: ");
    put_line(out, &k->lines.want.v[i]);
    weir_text_printf(out, ", tag: %s}", tag_names[k->lines.want.v[i].tag]);
    any = true;
  }
  weir_text_puts(out, any ? "\n" : " []\n");
}

void weir_tags_text(const struct weir_tags *t, const char *about, struct weir_text *out) {
  weir_text_puts(out, "weir-tags: 1\n");
  if (about != NULL) {
    weir_text_puts(out, "about: ");
    put_quoted(out, about);
    weir_text_puts(out, "\n");
  }
  if (t->bypass != NULL) weir_text_puts(out, "bypass:\n");
  for (size_t i = 0; t->bypass != NULL && i < t->bypass->lines.want.n; i++) {
    weir_text_puts(out, "  - ");
    put_line(out, &t->bypass->lines.want.v[i]);
    weir_text_puts(out, "\n");
  }
  weir_text_puts(out, t->kernels.n > 0 ? "kernels:\n" : "kernels: []\n");
  for (size_t i = 0; i < t->kernels.n; i++)
    put_kernel(out, t->kernels.v[i]);
}

enum weir_status weir_tags_save(const struct weir_tags *t, const char *path, const char *about,
                                struct weir_err *err) {
  struct weir_text out = {0};
  weir_tags_text(t, about, &out);
  enum weir_status st = out.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory")
                                   : weir_file_write(path, out.v, out.n, err);
  weir_text_free(&out);
  return st;
}
