/* Appends the dynamic instructions of one warp. code.h draws the bytes. */
#ifndef WEIR_STREAM_WRITER_H
#define WEIR_STREAM_WRITER_H

#include "stream/pool.h"

struct weir_warp_writer {
  uint32_t next, mask,
      run; /* position after the last instruction; its mask; instructions held back */
  uint32_t prev_mask;
  uint8_t *p, *end; /* both NULL without an open chunk */
  struct weir_warp_stream *stream;
  bool is_failed;
  struct weir_addr_state addr;
};

/* `s` is empty and stays where it is until weir_writer_finish. */
void weir_writer_begin(struct weir_warp_writer *w, struct weir_warp_stream *s);
/* Ends the stream. Fails if anything was lost on the way. */
enum weir_status weir_writer_finish(struct weir_warp_writer *w, struct weir_err *err);
/* Lets go of the open chunk, so that a warp that waits for long costs no memory. Writing may go on.
 */
void weir_writer_park(struct weir_warp_writer *w);

void weir_put_slow(struct weir_warp_writer *w, uint32_t insn, uint32_t mask);

/* An instruction without addresses. Failures are kept for weir_writer_finish. */
static inline void weir_put(struct weir_warp_writer *w, uint32_t insn, uint32_t mask) {
  if (__builtin_expect(((insn ^ w->next) | (mask ^ w->mask)) == 0, 1)) {
    w->next++;
    w->run++;
    return;
  }
  weir_put_slow(w, insn, mask);
}

/* `n` (not 0) instructions from `insn` on, all with this mask: as that many weir_put. */
static inline void weir_put_run(struct weir_warp_writer *w, uint32_t insn, uint32_t n,
                                uint32_t mask) {
  weir_put(w, insn, mask);
  w->next += n - 1;
  w->run += n - 1;
}

/* A memory instruction. `a->space` is neither NONE nor GENERIC. */
void weir_put_mem(struct weir_warp_writer *w, uint32_t insn, uint32_t mask,
                  const struct weir_addrs *a);

#endif
