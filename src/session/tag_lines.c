#include "session/tag_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "session/tags.h"

void weir_tag_lines_free(struct weir_tag_lines *l) {
  for (size_t i = 0; i < l->want.n; i++)
    free(l->want.v[i].file);
  for (size_t i = 0; i < l->seen.n; i++)
    free(l->seen.v[i].file);
  free(l->want.v);
  free(l->seen.v);
  *l = (struct weir_tag_lines){0};
}

enum weir_status weir_tag_lines_add(struct weir_tag_lines *l, const char *text, uint32_t at,
                                    enum weir_tag tag) {
  const char *colon = strrchr(text, ':');
  int64_t line;
  if (colon == NULL || colon == text || colon[-1] == '/' || !weir_parse_int(colon + 1, &line) ||
      line < 1 || line > UINT32_MAX)
    return WEIR_EPARSE;
  struct weir_tag_line w = {.line = (uint32_t)line, .at = at, .tag = (uint8_t)tag};
  w.file = weir_strdup(text);
  if (w.file == NULL || !WEIR_PUSH(l->want, w)) {
    free(w.file);
    return WEIR_ENOMEM;
  }
  w.file[colon - text] = 0;
  return WEIR_OK;
}

/* ---- paths ---- */

static bool ends_in(const char *path, const char *end) {
  size_t n = strlen(path), k = strlen(end);
  return n >= k && strcmp(path + n - k, end) == 0 && (n == k || path[n - k - 1] == '/');
}

/* What a compiler wrote down and what a user writes are often parts of the same path. */
static bool is_same_file(const char *a, const char *b) {
  while (strncmp(a, "./", 2) == 0)
    a += 2;
  while (strncmp(b, "./", 2) == 0)
    b += 2;
  return ends_in(a, b) || ends_in(b, a);
}

static const char *file_of(const struct weir_kernel_info *k, const struct weir_static *s) {
  return s->line != 0 && s->file < k->n_files ? k->files[s->file] : NULL;
}

/* ---- kernels ---- */

static bool note_line(struct weir_tag_lines *l, const char *file, uint32_t line) {
  for (size_t i = l->seen.n; i-- > 0;)
    if (l->seen.v[i].line == line && strcmp(l->seen.v[i].file, file) == 0) return true;
  struct weir_source_line new = {.file = weir_strdup(file), .line = line};
  if (new.file != NULL && WEIR_PUSH(l->seen, new)) return true;
  free(new.file);
  return false;
}

bool weir_tag_lines_put(struct weir_tag_lines *l, const struct weir_kernel_info *k,
                        bool only_untagged, uint8_t *tags) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < k->n_insns; i++) {
    const struct weir_static *s = &k->insns[i];
    const char *file = weir_is_global_load(s) ? file_of(k, s) : NULL;
    if (file == NULL) continue;
    ok = note_line(l, file, s->line);
    for (size_t w = 0; w < l->want.n; w++) {
      struct weir_tag_line *want = &l->want.v[w];
      if (want->line != s->line || !is_same_file(want->file, file)) continue;
      want->is_used = true;
      if (tags[i] == WEIR_TAG_NONE || !only_untagged) tags[i] = want->tag;
    }
  }
  return ok;
}

/* ---- lines without loads ---- */

const struct weir_tag_line *weir_tag_lines_unused(const struct weir_tag_lines *l) {
  for (size_t i = 0; i < l->want.n; i++)
    if (!l->want.v[i].is_used) return &l->want.v[i];
  return NULL;
}

static uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

/* The nearest line of the file that is farther away than the last one, or as far and below it. */
static uint32_t next_nearest(const struct weir_tag_lines *l, const char *file, uint32_t line,
                             uint32_t last) {
  uint32_t best = 0;
  for (size_t i = 0; i < l->seen.n; i++) {
    uint32_t here = l->seen.v[i].line, far = distance(here, line);
    if (!is_same_file(l->seen.v[i].file, file)) continue;
    if (last != 0 && (far < distance(last, line) || (far == distance(last, line) && here <= last)))
      continue;
    uint32_t of_best = best != 0 ? distance(best, line) : UINT32_MAX;
    if (best == 0 || far < of_best || (far == of_best && here < best)) best = here;
  }
  return best;
}

/* "spmv.cu: 12, 14, 9" */
static void say_lines(const struct weir_tag_lines *l, const char *file, uint32_t line,
                      struct weir_err *err) {
  enum { LINES = 6 };
  struct weir_text out = {0};
  const char *before = ": ";
  uint32_t at = 0;
  weir_text_puts(&out, file);
  for (unsigned i = 0; i < LINES && (at = next_nearest(l, file, line, at)) != 0; i++) {
    weir_text_printf(&out, "%s%u", before, at);
    before = ", ";
  }
  if (!out.failed) weir_err_add(err, "lines with such loads, the nearest first: %s", out.v);
  weir_text_free(&out);
}

static bool is_first(const struct weir_tag_lines *l, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (is_same_file(l->seen.v[k].file, l->seen.v[i].file)) return false;
  return true;
}

enum weir_status weir_tag_line_fail(const struct weir_tag_lines *l, const struct weir_tag_line *w,
                                    const char *where, struct weir_err *err) {
  enum { FILES = 4 };
  unsigned n = 0;
  if (next_nearest(l, w->file, w->line, 0) != 0) {
    weir_fail(err, WEIR_EINVAL, "%s%s:%u: no load from global memory comes from this line", where,
              w->file, w->line);
    say_lines(l, w->file, w->line, err);
    return WEIR_EINVAL;
  }
  weir_fail(err, WEIR_EINVAL, "%s%s:%u: no load from global memory comes from this file", where,
            w->file, w->line);
  for (size_t i = 0; i < l->seen.n && n < FILES; i++)
    if (is_first(l, i)) {
      say_lines(l, l->seen.v[i].file, w->line, err);
      n++;
    }
  if (n == 0)
    weir_err_add(err, "what ran names no source lines: compile with 'nvcc -lineinfo', or tag loads "
                      "by their numbers (docs/tags.md)");
  return WEIR_EINVAL;
}
