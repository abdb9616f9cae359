#include "ptx/fifo.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Lost bytes are given up when they are most of the buffer, so that each byte moves once. */
static void compact(struct ptx_fifo *f) {
  if (f->start < 65536 || f->start < f->text.n / 2) return;
  memmove(f->text.v, f->text.v + f->start, f->text.n - f->start + 1);
  f->text.n -= f->start;
  f->ends.n -= f->first;
  for (size_t i = 0; i < f->ends.n; i++)
    f->ends.v[i] = f->ends.v[f->first + i] - f->start;
  f->first = f->start = 0;
}

bool ptx_fifo_add(struct ptx_fifo *f, const char *s, size_t n, size_t limit) {
  weir_text_add(&f->text, s, n);
  if (f->text.failed || !WEIR_PUSH(f->ends, f->text.n)) return false;
  for (; f->text.n - f->start > limit; f->n_lost++)
    f->start = f->ends.v[f->first++];
  compact(f);
  return true;
}

bool ptx_fifo_move(struct ptx_fifo *f, struct ptx_fifo *from, size_t limit) {
  size_t at = from->start;
  bool ok = !from->text.failed;
  for (size_t i = from->first; ok && i < from->ends.n; i++) {
    ok = ptx_fifo_add(f, from->text.v + at, from->ends.v[i] - at, limit);
    at = from->ends.v[i];
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
  f->text.n = f->ends.n = f->first = f->start = 0;
}

void ptx_fifo_free(struct ptx_fifo *f) {
  weir_text_free(&f->text);
  free(f->ends.v);
  *f = (struct ptx_fifo){0};
}
