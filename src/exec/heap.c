#include "exec/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Memory is counted in units. Pieces of up to SMALL units that are given back wait in a list of
 * their size; everything else is found by a walk over all pieces from below, which also joins free
 * ones. */
enum { UNIT = 16, SMALL = 64 };
#define IN_USE UINT32_C(0x80000000)
#define NONE   UINT32_MAX

struct ptx_heap {
  uint64_t base;
  uint32_t n_units, top; /* units from `top` on have never been used */
  uint32_t *piece;       /* per unit: length of the piece that begins here, with IN_USE; else 0 */
  uint32_t *next;        /* per unit: next free piece of the same size */
  uint32_t list[SMALL + 1];
  uint32_t too_large; /* a walk found no piece of so many units; nothing was given back since */
};

enum weir_status ptx_heap_new(struct ptx_mem *mem, uint64_t bytes, struct ptx_heap **out,
                              struct weir_err *err) {
  *out = NULL;
  struct ptx_heap *h = weir_calloc(1, sizeof *h);
  if (h == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  /* First, for the tables of a heap that is far too large would be large, too. */
  enum weir_status st = ptx_mem_alloc(mem, bytes, 0, "device heap", false, &h->base, err);
  if (st != WEIR_OK) {
    ptx_heap_free(h);
    return st;
  }
  h->n_units = (uint32_t)(bytes / UNIT < IN_USE ? bytes / UNIT : IN_USE - 1);
  h->piece = weir_calloc(h->n_units + 1u, sizeof *h->piece);
  h->next = weir_calloc(h->n_units + 1u, sizeof *h->next);
  for (unsigned i = 0; i <= SMALL; i++)
    h->list[i] = NONE;
  h->too_large = NONE;
  if (h->piece == NULL || h->next == NULL) {
    ptx_mem_release(mem, h->base, NULL);
    ptx_heap_free(h);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  *out = h;
  return WEIR_OK;
}

void ptx_heap_free(struct ptx_heap *h) {
  if (h == NULL) return;
  free(h->piece);
  free(h->next);
  free(h);
}

/* Joins free pieces and gives the first that is large enough, cut to size. The lists are made anew.
 */
static uint32_t walk(struct ptx_heap *h, uint32_t units) {
  uint32_t found = NONE, last = NONE;
  for (unsigned i = 0; i <= SMALL; i++)
    h->list[i] = NONE;
  for (uint32_t at = 0, n; at < h->top; at += n) {
    n = h->piece[at] & ~IN_USE;
    if (h->piece[at] & IN_USE) {
      last = NONE;
      continue;
    }
    if (last != NONE) {
      h->piece[last] += n;
      h->piece[at] = 0;
    } else
      last = at;
    if (found == NONE && h->piece[last] >= units) {
      found = last;
      uint32_t rest = h->piece[found] - units;
      h->piece[found] = units | IN_USE;
      last = rest > 0 ? found + units : NONE;
      if (rest > 0) h->piece[last] = rest;
    }
  }
  if (last != NONE) { /* nothing is in use behind it */
    h->piece[last] = 0;
    h->top = last;
  }
  for (uint32_t at = 0; at < h->top; at += h->piece[at] & ~IN_USE) {
    uint32_t n = h->piece[at];
    if (n <= SMALL) { /* free, as IN_USE is more */
      h->next[at] = h->list[n];
      h->list[n] = at;
    }
  }
  return found;
}

static uint32_t take_new(struct ptx_heap *h, uint32_t units) {
  if (units > h->n_units - h->top) return NONE;
  h->top += units;
  return h->top - units;
}

uint64_t ptx_heap_take(struct ptx_heap *h, uint64_t bytes) {
  if (bytes > (uint64_t)h->n_units * UNIT) return 0;
  uint32_t units = bytes > 0 ? (uint32_t)((bytes + UNIT - 1) / UNIT) : 1, at = NONE;
  if (units <= SMALL && h->list[units] != NONE) {
    at = h->list[units];
    h->list[units] = h->next[at];
  } else
    at = take_new(h, units);
  if (at == NONE && units < h->too_large) {
    at = walk(h, units);
    if (at == NONE) at = take_new(h, units);
    if (at == NONE) h->too_large = units;
  }
  if (at == NONE) return 0;
  h->piece[at] = units | IN_USE;
  return h->base + (uint64_t)at * UNIT;
}

bool ptx_heap_give(struct ptx_heap *h, uint64_t addr) {
  uint64_t offset = addr - h->base;
  if (addr < h->base || offset % UNIT != 0 || offset / UNIT >= h->top) return false;
  uint32_t at = (uint32_t)(offset / UNIT);
  if ((h->piece[at] & IN_USE) == 0) return false;
  uint32_t n = h->piece[at] & ~IN_USE;
  h->piece[at] = n;
  h->too_large = NONE;
  if (n <= SMALL) {
    h->next[at] = h->list[n];
    h->list[n] = at;
  }
  return true;
}
