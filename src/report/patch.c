#include "report/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CONTEXT = 3 };

/* What is to stand in place of a line, and before it. */
struct change {
  struct weir_text before, now;
  bool is_new; /* `now` counts */
};

struct writer {
  const struct weir_patch *p;
  struct change *line; /* of each, from 1 on */
  uint32_t n;
};

static uint32_t count_lines(const struct weir_text *t) {
  uint32_t n = 0;
  for (size_t i = 0; i < t->n; i++)
    n += t->v[i] == '\n';
  return n;
}

static bool is_changed(const struct writer *w, uint32_t line) {
  return w->line[line].before.n > 0 || w->line[line].is_new;
}

/* ---- changes of lines ---- */

static int by_place(const void *a, const void *b) {
  const struct weir_cuda_edit *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->n < y->n ? -1 : x->n > y->n;
}

static void apply_edits(struct writer *w) {
  const struct weir_cuda_text *t = w->p->source;
  struct weir_cuda_edits *e = w->p->edits;
  size_t i = 0;
  if (e->list.n > 0) qsort(e->list.v, e->list.n, sizeof *e->list.v, by_place);
  for (uint32_t l = 1; l <= w->n; l++) {
    size_t from = t->line[l - 1], end = t->line[l];
    for (; i < e->list.n && e->list.v[i].at < end; i++) {
      const struct weir_cuda_edit *x = &e->list.v[i];
      w->line[l].is_new = true;
      weir_text_add(&w->line[l].now, t->text + from, x->at - from);
      weir_text_puts(&w->line[l].now, x->put);
      from = x->at + x->n;
    }
    if (w->line[l].is_new) weir_text_add(&w->line[l].now, t->text + from, end - from);
  }
}

/* A line that goes on from the one before has no place for a comment above it. */
static uint32_t place_of_note(const struct weir_cuda_text *t, uint32_t line) {
  while (line > 1) {
    size_t end = t->line[line - 1] - 1; /* of the line before: its '\n' */
    if (end > t->line[line - 2] && t->text[end - 1] == '\r') end--;
    if (end <= t->line[line - 2] || t->text[end - 1] != '\\') break;
    line--;
  }
  return line;
}

static void add_notes(struct writer *w) {
  for (size_t i = 0; i < w->p->n_notes; i++) {
    const struct weir_patch_note *note = &w->p->notes[i];
    if (note->line == 0 || note->line > w->n) continue;
    uint32_t at = place_of_note(w->p->source, note->line);
    weir_text_printf(&w->line[at].before, "%s\n", note->text);
  }
}

/* ---- hunks ---- */

static void put_line(char mark, const char *s, size_t n, struct weir_text *out) {
  weir_text_add(out, &mark, 1);
  weir_text_add(out, s, n);
  if (n == 0 || s[n - 1] != '\n') weir_text_puts(out, "\n\\ No newline at end of file\n");
}

static void put_added(const struct weir_text *t, struct weir_text *out) {
  for (size_t from = 0, i = 0; i < t->n; i++)
    if (t->v[i] == '\n') {
      put_line('+', t->v + from, i + 1 - from, out);
      from = i + 1;
    }
}

static void put_hunk(const struct writer *w, uint32_t first, uint32_t last, uint32_t *added,
                     struct weir_text *out) {
  const struct weir_cuda_text *t = w->p->source;
  uint32_t more = 0, n = last - first + 1;
  for (uint32_t l = first; l <= last; l++)
    more += count_lines(&w->line[l].before);
  weir_text_printf(out, "@@ -%u,%u +%u,%u @@\n", first, n, first + *added, n + more);
  *added += more;
  for (uint32_t l = first; l <= last; l++) {
    const struct change *c = &w->line[l];
    const char *text = t->text + t->line[l - 1];
    size_t len = t->line[l] - t->line[l - 1];
    put_added(&c->before, out);
    put_line(c->is_new ? '-' : ' ', text, len, out);
    if (c->is_new) put_line('+', c->now.v, c->now.n, out);
  }
}

static void put_hunks(const struct writer *w, struct weir_text *out) {
  uint32_t added = 0;
  bool is_begun = false;
  for (uint32_t l = 1; l <= w->n; l++) {
    if (!is_changed(w, l)) continue;
    uint32_t first = l > CONTEXT ? l - CONTEXT : 1, last = l;
    for (uint32_t next = l; next <= w->n && next <= last + 2 * CONTEXT; next++)
      if (is_changed(w, next)) last = next;
    l = last;
    last = last + CONTEXT < w->n ? last + CONTEXT : w->n;
    if (!is_begun) weir_text_printf(out, "--- a/%s\n+++ b/%s\n", w->p->name, w->p->name);
    is_begun = true;
    put_hunk(w, first, last, &added, out);
  }
}

enum weir_status weir_patch_text(const struct weir_patch *p, struct weir_text *out,
                                 struct weir_err *err) {
  struct writer w = {.p = p, .n = p->source->n_lines};
  w.line = weir_calloc(w.n + 1u, sizeof *w.line);
  if (w.line == NULL) return weir_no_memory(err);
  bool is_whole = !p->edits->has_failed;
  if (w.n > 0) weir_cuda_helpers(p->edits, &w.line[1].before);
  apply_edits(&w);
  add_notes(&w);
  put_hunks(&w, out);
  for (uint32_t l = 1; l <= w.n; l++) {
    is_whole &= !w.line[l].before.failed && !w.line[l].now.failed;
    weir_text_free(&w.line[l].before);
    weir_text_free(&w.line[l].now);
  }
  free(w.line);
  return is_whole && !out->failed ? WEIR_OK : weir_no_memory(err);
}
