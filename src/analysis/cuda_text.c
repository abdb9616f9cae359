#include "analysis/cuda_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- the mask ---- */

static void blank(struct weir_cuda_text *t, size_t from, size_t to) {
  for (size_t i = from; i < to && i < t->n; i++)
    if (t->mask[i] != '\n') t->mask[i] = ' ';
}

static size_t end_of_line(const struct weir_cuda_text *t, size_t at) {
  while (at < t->n && (t->text[at] != '\n' || (at > 0 && t->text[at - 1] == '\\')))
    at++;
  return at;
}

static size_t end_of_comment(const struct weir_cuda_text *t, size_t at) {
  if (t->text[at + 1] == '/') return end_of_line(t, at);
  for (at += 2; at + 1 < t->n; at++)
    if (t->text[at] == '*' && t->text[at + 1] == '/') return at + 2;
  return t->n;
}

static size_t end_of_quoted(const struct weir_cuda_text *t, size_t at) {
  char quote = t->text[at];
  for (at++; at < t->n && t->text[at] != '\n'; at++) {
    if (t->text[at] == '\\')
      at++;
    else if (t->text[at] == quote)
      return at + 1;
  }
  return at;
}

/* R"tag( ... )tag" */
static size_t end_of_raw(const struct weir_cuda_text *t, size_t at) {
  char tag[20] = ")";
  size_t n = 1, from = at + 1;
  while (from < t->n && t->text[from] != '(' && n < sizeof tag - 1)
    tag[n++] = t->text[from++];
  tag[n++] = '"';
  for (; from + n <= t->n; from++)
    if (memcmp(t->text + from, tag, n) == 0) return from + n;
  return t->n;
}

/* 1'000 is a number. */
static bool is_quote(const struct weir_cuda_text *t, size_t at) {
  if (t->text[at] == '"') return true;
  return t->text[at] == '\'' && (at == 0 || !weir_cuda_is_word(t->text[at - 1]));
}

static void make_mask(struct weir_cuda_text *t) {
  bool is_first = true; /* of the line: nothing but blanks before */
  for (size_t i = 0; i < t->n;) {
    char c = t->text[i];
    size_t to = i + 1;
    if (c == '/' && i + 1 < t->n && (t->text[i + 1] == '/' || t->text[i + 1] == '*'))
      blank(t, i, to = end_of_comment(t, i));
    else if (c == '#' && is_first)
      blank(t, i, to = end_of_line(t, i));
    else if (is_quote(t, i)) {
      to = i > 0 && t->text[i - 1] == 'R' && c == '"' ? end_of_raw(t, i) : end_of_quoted(t, i);
      blank(t, i + 1, to > i + 1 ? to - 1 : to);
      is_first = false;
    } else {
      is_first = c == '\n' || (is_first && (c == ' ' || c == '\t' || c == '\r'));
    }
    i = to;
  }
}

static bool find_lines(struct weir_cuda_text *t) {
  uint32_t n = 1;
  for (size_t i = 0; i < t->n; i++)
    n += t->text[i] == '\n' && i + 1 < t->n;
  t->line = weir_calloc(n + 1u, sizeof *t->line);
  if (t->line == NULL) return false;
  for (size_t i = 0; i < t->n; i++)
    if (t->text[i] == '\n' && i + 1 < t->n) t->line[++t->n_lines] = i + 1;
  t->line[++t->n_lines] = t->n;
  return true;
}

bool weir_cuda_text_open(struct weir_cuda_text *t, const char *text, size_t n) {
  *t = (struct weir_cuda_text){.text = text, .n = n, .mask = weir_malloc(n + 1)};
  if (t->mask == NULL || !find_lines(t)) {
    weir_cuda_text_close(t);
    return false;
  }
  memcpy(t->mask, text, n);
  t->mask[n] = 0;
  make_mask(t);
  return true;
}

void weir_cuda_text_close(struct weir_cuda_text *t) {
  free(t->mask);
  free(t->line);
  *t = (struct weir_cuda_text){0};
}

/* ---- words and brackets ---- */

bool weir_cuda_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\';
}

size_t weir_cuda_skip(const struct weir_cuda_text *t, size_t at) {
  while (at < t->n && is_blank(t->mask[at]))
    at++;
  return at;
}

char weir_cuda_before(const struct weir_cuda_text *t, size_t at, size_t *where) {
  while (at > 0 && is_blank(t->mask[at - 1]))
    at--;
  *where = at > 0 ? at - 1 : 0;
  return at > 0 ? t->mask[at - 1] : ';';
}

size_t weir_cuda_close(const struct weir_cuda_text *t, size_t at, size_t end) {
  unsigned depth = 0;
  for (; at < end; at++) {
    char c = t->mask[at];
    depth += c == '(' || c == '[' || c == '{';
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at;
  }
  return end;
}

size_t weir_cuda_find(const struct weir_cuda_text *t, const char *word, size_t n, size_t at,
                      size_t end) {
  for (; at + n <= end; at++)
    if (memcmp(t->mask + at, word, n) == 0 && (at == 0 || !weir_cuda_is_word(t->mask[at - 1])) &&
        (at + n == t->n || !weir_cuda_is_word(t->mask[at + n])))
      return at;
  return end;
}

/* ---- kernels ---- */

struct kernel {
  size_t open, close, body, body_end; /* of its parameters, and of its body: the brackets */
};

/* After __global__: up to the name and its parameters come attributes and the type, but no body. */
static bool read_kernel(const struct weir_cuda_text *t, const char *name, size_t at,
                        struct kernel *k) {
  size_t n = strlen(name), stop = at;
  while (stop < t->n && t->mask[stop] != '{' && t->mask[stop] != ';')
    stop++;
  for (at = weir_cuda_find(t, name, n, at, stop); at < stop;
       at = weir_cuda_find(t, name, n, at + 1, stop)) {
    k->open = weir_cuda_skip(t, at + n);
    if (k->open >= stop || t->mask[k->open] != '(') continue;
    k->close = weir_cuda_close(t, k->open, stop);
    if (k->close == stop || stop == t->n || t->mask[stop] != '{') return false;
    k->body = stop;
    k->body_end = weir_cuda_close(t, stop, t->n);
    return k->body_end < t->n;
  }
  return false;
}

static bool find_kernel(const struct weir_cuda_text *t, const char *name, size_t at,
                        struct kernel *k) {
  static const char word[] = "__global__";
  size_t n = sizeof word - 1;
  for (size_t i = weir_cuda_find(t, word, n, 0, at); i < at;
       i = weir_cuda_find(t, word, n, i + 1, at))
    if (read_kernel(t, name, i + n, k) && k->body < at && at < k->body_end) return true;
  return false;
}

/* ---- parameters ---- */

/* Those of the list between `from` and `to` have commas between them. */
static bool nth(const struct weir_cuda_text *t, size_t *from, size_t *to, uint32_t index) {
  size_t at = *from;
  for (uint32_t i = 0;; i++) {
    size_t begin = at;
    int depth = 0;
    for (; at < *to && (depth > 0 || t->mask[at] != ','); at++) {
      char c = t->mask[at];
      depth += (c == '(' || c == '<' || c == '[') - (c == ')' || c == '>' || c == ']');
    }
    if (i == index) {
      *from = begin;
      *to = at;
      return begin < at;
    }
    if (at >= *to) return false;
    at++;
  }
}

static bool has_word(const struct weir_cuda_text *t, const char *word, size_t from, size_t to) {
  return weir_cuda_find(t, word, strlen(word), from, to) < to;
}

/* TYPE * [words] NAME */
static bool read_param(const struct weir_cuda_text *t, size_t from, size_t to,
                       struct weir_cuda_param *p) {
  size_t star = to, end, n_stars = 0;
  for (size_t i = from; i < to; i++) {
    char c = t->mask[i];
    if (c == '*' && n_stars++ == 0) star = i;
    if (c == '=' || c == '[' || c == '&' || c == '(' || c == '<') return false;
  }
  if (n_stars != 1) return false;
  from = weir_cuda_skip(t, from);
  for (end = to; end > star && is_blank(t->mask[end - 1]);)
    end--;
  size_t name = end;
  while (name > star && weir_cuda_is_word(t->mask[name - 1]))
    name--;
  p->name = t->mask + name;
  p->n_name = end - name;
  p->type = t->mask + from;
  p->n_type = star - from;
  p->is_const = has_word(t, "const", from, star);
  p->is_volatile = has_word(t, "volatile", from, to);
  p->is_restrict = has_word(t, "__restrict__", star, name) || has_word(t, "__restrict", star, name);
  return p->n_name > 0 && p->n_type > 0;
}

bool weir_cuda_param(const struct weir_cuda_text *t, const char *name, size_t at, uint32_t index,
                     struct weir_cuda_param *out) {
  struct kernel k;
  if (!find_kernel(t, name, at, &k)) return false;
  size_t from = k.open + 1, to = k.close;
  *out = (struct weir_cuda_param){.body = k.body, .body_end = k.body_end};
  return nth(t, &from, &to, index) && read_param(t, from, to, out);
}
