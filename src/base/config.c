/* YAML to a flat list, by libyaml's events. No recursion: the open containers stand on a stack of
 * fixed depth, so hostile nesting costs nothing. */
#include "base/config.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/mem.h"

enum form {
  PLAIN,
  SETTINGS,
  TAGGED,
  NAMED
}; /* keys with dots; and values with tags; with blanks */

struct reader {
  struct weir_config *c;
  struct weir_err *err;
  yaml_parser_t parser;
  struct {
    struct weir_entry *v;
    size_t n, cap;
  } list;
  uint32_t open[WEIR_CONFIG_DEPTH]; /* indices of the containers we are in */
  unsigned depth;
  const char *key; /* read, waiting for its value */
  yaml_mark_t key_mark;
  bool ended;
  enum form form;
};

static struct weir_where place(const struct weir_config *c, yaml_mark_t at, size_t width) {
  return (struct weir_where){.file = c->file,
                             .source = c->source,
                             .source_len = c->source_len,
                             .line = (unsigned)at.line + 1,
                             .col = (unsigned)at.column + 1,
                             .width = (unsigned)width};
}

__attribute__((format(printf, 4, 5))) static enum weir_status
refuse(struct reader *r, enum weir_status code, yaml_mark_t at, const char *fmt, ...) {
  struct weir_where where = place(r->c, at, 0);
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(r->err, code, &where, fmt, ap);
  va_end(ap);
  return code;
}

static enum weir_status no_memory(struct reader *r) {
  return weir_fail(r->err, WEIR_ENOMEM, "out of memory while reading '%s'", r->c->file);
}

/* The hash of (parent, key): FNV-1a, spread by multiplication. */
static uint32_t slot_of(const struct weir_config *c, uint32_t parent, const char *key) {
  uint64_t h = UINT64_C(0xcbf29ce484222325) ^ parent;
  for (; *key; key++)
    h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
  h *= UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(h >> 32) & (c->n_slots - 1);
}

/* The slot that holds the key, or the free one where it would go. */
static uint32_t *probe(const struct weir_config *c, const struct weir_entry *list, uint32_t parent,
                       const char *key) {
  uint32_t at = slot_of(c, parent, key);
  for (uint32_t i; (i = c->slot[at]) != 0; at = (at + 1) & (c->n_slots - 1)) {
    if (list[i].parent == parent && !strcmp(list[i].key, key)) break;
  }
  return &c->slot[at];
}

static bool grow_slots(struct reader *r) {
  struct weir_config *c = r->c;
  if (r->list.n * 2 < c->n_slots) return true;
  uint32_t *old = c->slot, n_slots = c->n_slots ? c->n_slots * 4 : 64;
  uint32_t *fresh = weir_calloc(n_slots, sizeof *fresh);
  if (!fresh) return false;
  c->slot = fresh;
  c->n_slots = n_slots;
  free(old);
  for (uint32_t i = 1; i < r->list.n; i++) {
    const struct weir_entry *e = &r->list.v[i];
    if (e->key) *probe(c, r->list.v, e->parent, e->key) = i;
  }
  return true;
}

/* Tells who holds the document's next node: nobody (the top), a map waiting for a key or a value,
 * or a sequence. */
static struct weir_entry *holder(struct reader *r) {
  return r->depth ? &r->list.v[r->open[r->depth - 1]] : NULL;
}

static enum weir_status add_entry(struct reader *r, const yaml_event_t *ev, struct weir_entry e) {
  struct weir_entry *in = holder(r);
  if (r->list.n >= WEIR_CONFIG_ENTRIES) {
    return refuse(r, WEIR_ELIMIT, ev->start_mark, "more than %d values in one file",
                  WEIR_CONFIG_ENTRIES);
  }
  if (in) {
    e.parent = r->open[r->depth - 1];
    e.index = in->index; /* while a container is open, its `index` counts its children */
    in->index++;
  }
  e.line = e.key_line = (uint32_t)ev->start_mark.line + 1;
  e.col = e.key_col = (uint32_t)ev->start_mark.column + 1;
  if (ev->end_mark.line == ev->start_mark.line) {
    e.width = (uint32_t)(ev->end_mark.column - ev->start_mark.column);
  }
  if (in && in->kind == WEIR_MAP) {
    e.key = r->key;
    e.key_line = (uint32_t)r->key_mark.line + 1;
    e.key_col = (uint32_t)r->key_mark.column + 1;
    r->key = NULL;
  }
  uint32_t at = (uint32_t)r->list.n;
  e.end = at + 1;
  if (!WEIR_PUSH(r->list, e) || !grow_slots(r)) return no_memory(r);
  if (e.key) *probe(r->c, r->list.v, e.parent, e.key) = at;
  return WEIR_OK;
}

static bool is_text_key(const char *s, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f) return false;
  return n > 0 && n <= WEIR_CONFIG_KEY;
}

/* A dot stands between two names. */
static bool is_plain_key(const char *s, size_t n, bool has_dots) {
  if (n == 0 || n > WEIR_CONFIG_KEY) return false;
  for (size_t i = 0; i < n; i++) {
    unsigned char ch = (unsigned char)s[i];
    if (ch == '.' && has_dots && i > 0 && i + 1 < n && s[i + 1] != '.') continue;
    if (ch <= 0x20 || ch == 0x7f || strchr(".[]=", ch)) return false;
  }
  return true;
}

static enum weir_status take_key(struct reader *r, const yaml_event_t *ev) {
  const char *s = (const char *)ev->data.scalar.value;
  size_t n = ev->data.scalar.length;
  bool has_dots = r->form != PLAIN;
  if (r->form == NAMED ? !is_text_key(s, n) : !is_plain_key(s, n, has_dots)) {
    return refuse(r, WEIR_EPARSE, ev->start_mark,
                  "a key is a name of 1 to %d characters without blanks, %s'=' and brackets",
                  WEIR_CONFIG_KEY, has_dots ? "" : "'.', ");
  }
  r->key = weir_arena_strndup(&r->c->arena, s, n);
  if (!r->key) return no_memory(r);
  r->key_mark = ev->start_mark;
  uint32_t twin = *probe(r->c, r->list.v, r->open[r->depth - 1], r->key);
  if (!twin) return WEIR_OK;
  return refuse(r, WEIR_EPARSE, ev->start_mark, "the key '%s' stands twice; first on line %u",
                r->key, (unsigned)r->list.v[twin].key_line);
}

static bool wants_key(struct reader *r) {
  const struct weir_entry *in = holder(r);
  return in && in->kind == WEIR_MAP && !r->key;
}

static enum weir_status refuse_extras(struct reader *r, const yaml_event_t *ev, const void *anchor,
                                      const void *tag) {
  if (anchor) {
    return refuse(r, WEIR_EPARSE, ev->start_mark, "anchors (&name) are not supported");
  }
  if (tag) return refuse(r, WEIR_EPARSE, ev->start_mark, "tags (!name) are not supported");
  return WEIR_OK;
}

/* "!word" in front of a value. */
static bool is_word_tag(const struct reader *r, const char *tag) {
  if (r->form != TAGGED || !tag || tag[0] != '!' || !tag[1]) return false;
  return !tag[1 + strspn(tag + 1, "abcdefghijklmnopqrstuvwxyz-")];
}

static enum weir_status take_scalar(struct reader *r, const yaml_event_t *ev) {
  const char *tag = (const char *)ev->data.scalar.tag;
  bool has_tag = !wants_key(r) && is_word_tag(r, tag);
  enum weir_status status = refuse_extras(r, ev, ev->data.scalar.anchor, has_tag ? NULL : tag);
  if (status) return status;
  const char *s = (const char *)ev->data.scalar.value;
  size_t n = ev->data.scalar.length;
  if (memchr(s, '\0', n)) {
    return refuse(r, WEIR_EPARSE, ev->start_mark, "a value may not hold a NUL character");
  }
  if (wants_key(r)) return take_key(r, ev);
  if (!r->depth) {
    return refuse(r, WEIR_EPARSE, ev->start_mark, "expected 'key: value' lines at the top");
  }
  struct weir_entry e = {.kind = WEIR_SCALAR,
                         .quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE,
                         .text = weir_arena_strndup(&r->c->arena, s, n)};
  if (has_tag) e.tag = weir_arena_strndup(&r->c->arena, tag + 1, strlen(tag + 1));
  return e.text && (e.tag || !has_tag) ? add_entry(r, ev, e) : no_memory(r);
}

static enum weir_status open_container(struct reader *r, const yaml_event_t *ev,
                                       enum weir_node kind) {
  bool map = kind == WEIR_MAP;
  enum weir_status status =
      refuse_extras(r, ev, map ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor,
                    map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag);
  if (status) return status;
  if (wants_key(r)) {
    return refuse(r, WEIR_EPARSE, ev->start_mark, "a key must be a plain name, not a map or list");
  }
  if (!r->depth && !map) {
    return refuse(r, WEIR_EPARSE, ev->start_mark,
                  "expected 'key: value' lines at the top, not a list");
  }
  if (r->depth == WEIR_CONFIG_DEPTH) {
    return refuse(r, WEIR_ELIMIT, ev->start_mark, "nested more than %d deep", WEIR_CONFIG_DEPTH);
  }
  uint32_t at = (uint32_t)r->list.n;
  status = add_entry(r, ev, (struct weir_entry){.kind = kind, .text = ""});
  if (!status) {
    struct weir_entry *e = &r->list.v[at];
    r->open[r->depth++] = at;
    /* The children's counter borrows `index`; the position itself waits in `end`. */
    e->end = e->index;
    e->index = 0;
  }
  return status;
}

static void close_container(struct reader *r) {
  struct weir_entry *e = &r->list.v[r->open[--r->depth]];
  e->index = e->end;
  e->end = (uint32_t)r->list.n;
}

static enum weir_status take_event(struct reader *r, const yaml_event_t *ev) {
  switch (ev->type) {
  case YAML_SCALAR_EVENT:
    return take_scalar(r, ev);
  case YAML_SEQUENCE_START_EVENT:
    return open_container(r, ev, WEIR_SEQ);
  case YAML_MAPPING_START_EVENT:
    return open_container(r, ev, WEIR_MAP);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    close_container(r);
    return WEIR_OK;
  case YAML_ALIAS_EVENT:
    return refuse(r, WEIR_EPARSE, ev->start_mark,
                  "aliases (*name) are not supported; quote the text "
                  "if it is meant to start with '*'");
  case YAML_DOCUMENT_START_EVENT:
    if (!r->list.n) return WEIR_OK;
    return refuse(r, WEIR_EPARSE, ev->start_mark, "only one document per file");
  case YAML_STREAM_END_EVENT:
    r->ended = true;
    return WEIR_OK;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_DOCUMENT_END_EVENT:
    return WEIR_OK;
  }
  return WEIR_OK;
}

static enum weir_status syntax_error(struct reader *r) {
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return no_memory(r);
  if (p->error == YAML_READER_ERROR) {
    return weir_fail(r->err, WEIR_EPARSE, "%s: not UTF-8 text: %s at byte %zu", r->c->file,
                     p->problem ? p->problem : "bad character", p->problem_offset);
  }
  refuse(r, WEIR_EPARSE, p->problem_mark, "not valid YAML: %s%s%s",
         p->problem ? p->problem : "syntax error", p->context ? ", " : "",
         p->context ? p->context : "");
  return WEIR_EPARSE;
}

static enum weir_status read_events(struct reader *r) {
  enum weir_status status = WEIR_OK;
  while (!status && !r->ended) {
    yaml_event_t ev;
    if (!yaml_parser_parse(&r->parser, &ev)) return syntax_error(r);
    status = take_event(r, &ev);
    yaml_event_delete(&ev);
  }
  if (!status && !r->list.n) {
    status = weir_fail(r->err, WEIR_EPARSE, "%s: the file is empty", r->c->file);
  }
  return status;
}

static enum weir_status parse(struct reader *r) {
  struct weir_config *c = r->c;
  if (!grow_slots(r) || !yaml_parser_initialize(&r->parser)) return no_memory(r);
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)c->source, c->source_len);
  enum weir_status status = read_events(r);
  yaml_parser_delete(&r->parser);
  c->entry = r->list.v;
  c->n = (uint32_t)r->list.n;
  if (!status) c->entry[0].used = true;
  return status;
}

static enum weir_status parse_text(struct weir_config *c, const char *file, const char *text,
                                   size_t len, enum form form, struct weir_err *err) {
  *c = (struct weir_config){.file = file};
  if (len > WEIR_CONFIG_BYTES) {
    return weir_fail(err, WEIR_ELIMIT, "%s: larger than %d bytes", file, WEIR_CONFIG_BYTES);
  }
  struct reader r = {.c = c, .err = err, .form = form};
  c->source = weir_arena_strndup(&c->arena, text, len);
  c->source_len = len;
  const char *name = weir_arena_strndup(&c->arena, file, strlen(file));
  if (name) c->file = name;
  enum weir_status status = c->source && name ? parse(&r) : no_memory(&r);
  if (status) weir_config_free(c);
  return status;
}

enum weir_status weir_config_parse(struct weir_config *c, const char *file, const char *text,
                                   size_t len, struct weir_err *err) {
  return parse_text(c, file, text, len, PLAIN, err);
}

enum weir_status weir_config_parse_settings(struct weir_config *c, const char *file,
                                            const char *text, size_t len, struct weir_err *err) {
  return parse_text(c, file, text, len, SETTINGS, err);
}

static enum weir_status load(struct weir_config *c, const char *path, enum form form,
                             struct weir_err *err) {
  *c = (struct weir_config){0};
  char *text;
  size_t len;
  enum weir_status status = weir_file_read(path, WEIR_CONFIG_BYTES, NULL, &text, &len, err);
  if (status) return status;
  status = parse_text(c, path, text, len, form, err);
  free(text);
  return status;
}

enum weir_status weir_config_load(struct weir_config *c, const char *path, struct weir_err *err) {
  return load(c, path, PLAIN, err);
}

enum weir_status weir_config_load_settings(struct weir_config *c, const char *path,
                                           struct weir_err *err) {
  return load(c, path, SETTINGS, err);
}

enum weir_status weir_config_load_tagged(struct weir_config *c, const char *path,
                                         struct weir_err *err) {
  return load(c, path, TAGGED, err);
}

enum weir_status weir_config_load_named(struct weir_config *c, const char *path,
                                        struct weir_err *err) {
  return load(c, path, NAMED, err);
}

void weir_config_free(struct weir_config *c) {
  weir_arena_free(&c->arena);
  free(c->entry);
  free(c->slot);
  *c = (struct weir_config){0};
}

uint32_t weir_config_find(struct weir_config *c, uint32_t parent, const char *key) {
  if (parent >= c->n) return 0;
  uint32_t i = *probe(c, c->entry, parent, key);
  if (i) c->entry[i].used = true;
  return i;
}
