/* Texts in the order in which they were added; beyond a limit the oldest are lost. */
#ifndef WEIR_EXEC_FIFO_H
#define WEIR_EXEC_FIFO_H

#include <stdint.h>

#include "base/text.h"

struct ptx_fifo {
  struct weir_text text; /* bytes before `start` are lost already */
  struct {
    struct ptx_fifo_entry {
      size_t end, cost; /* where it ends in the text; what it counts for */
    } * v;
    size_t n, cap;
  } entries;
  size_t first, start; /* the oldest entry that is kept, and its first byte */
  size_t cost;         /* of all that are kept */
  uint64_t n_lost;
};

/* `limit`: of the costs of all that are kept. False when the host is out of memory. */
bool ptx_fifo_add(struct ptx_fifo *f, const char *s, size_t n, size_t cost, size_t limit);
/* Adds the entries of `from`, which is empty afterwards. */
bool ptx_fifo_move(struct ptx_fifo *f, struct ptx_fifo *from, size_t limit);
/* What is kept. */
const char *ptx_fifo_text(const struct ptx_fifo *f, size_t *n);
/* Empty again; n_lost stays. */
void ptx_fifo_clear(struct ptx_fifo *f);
void ptx_fifo_free(struct ptx_fifo *f);

#endif
