#include "exec/fifo.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Lost bytes are given up when they are most of the buffer, so that each byte moves once. */
static void compact(struct ptx_fifo *f) {
  if (f->start < 65536 || f->start < f->text.n / 2) return;
  memmove(f->text.v, f->text.v + f->start, f->text.n - f->start + 1);
  f->text.n -= f->start;
  f->entries.n -= f->first;
  for (size_t i = 0; i < f->entries.n; i++) {
    f->entries.v[i] = f->entries.v[f->first + i];
    f->entries.v[i].end -= f->start;
  }
  f->first = f->start = 0;
}

bool ptx_fifo_add(struct ptx_fifo *f, const char *s, size_t n, size_t cost, size_t limit) {
  weir_text_add(&f->text, s, n);
  struct ptx_fifo_entry e = {f->text.n, cost};
  if (f->text.failed || !WEIR_PUSH(f->entries, e)) return false;
  for (f->cost += cost; f->cost > limit; f->n_lost++) {
    f->start = f->entries.v[f->first].end;
    f->cost -= f->entries.v[f->first++].cost;
  }
  compact(f);
  return true;
}

bool ptx_fifo_move(struct ptx_fifo *f, struct ptx_fifo *from, size_t limit) {
  size_t at = from->start;
  bool ok = !from->text.failed;
  for (size_t i = from->first; ok && i < from->entries.n; i++) {
    const struct ptx_fifo_entry *e = &from->entries.v[i];
    ok = ptx_fifo_add(f, from->text.v + at, e->end - at, e->cost, limit);
    at = e->end;
  }
  f->n_lost += from->n_lost;
  from->n_lost = 0;
  ptx_fifo_clear(from);
  return ok;
}

const char *ptx_fifo_text(const struct ptx_fifo *f, size_t *n) {
  *n = f->text.n - f->start;
  return *n > 0 ? f->text.v + f->start : "";
}

void ptx_fifo_clear(struct ptx_fifo *f) {
  f->text.n = f->entries.n = f->first = f->start = f->cost = 0;
}

void ptx_fifo_free(struct ptx_fifo *f) {
  weir_text_free(&f->text);
  free(f->entries.v);
  *f = (struct ptx_fifo){0};
}
