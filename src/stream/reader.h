/* Reads a warp's stream forward, instruction by instruction. Malformed bytes end the stream with an
 * error; they are never trusted. code.h draws the bytes. */
#ifndef WEIR_STREAM_READER_H
#define WEIR_STREAM_READER_H

#include "stream/pool.h"

/* One dynamic instruction. Of a list only the first active lane's address (addrs.base) is decoded;
 * weir_expand gives the others. Valid until the next weir_next. */
struct weir_dyn {
  uint32_t insn, mask;
  bool has_addr;
  uint8_t list_head;
  struct weir_addrs addrs; /* addrs.lane is NULL */
  const uint8_t *list;
};

struct weir_filter;
struct weir_warp_reader {
  /* Position and mask stand apart: compilers would copy both at once to a weir_dyn, just after the
   * position alone was stored, and the host would wait for that store. */
  uint32_t next, run; /* run: instructions of the current RUN still to come */
  uint32_t prev_mask, mask;
  const uint8_t *p, *end, *span;
  const struct weir_kernel_info *kernel;
  struct weir_span_cursor cursor; /* .stream NULL: all bytes are in one span */
  enum weir_status status;        /* not WEIR_OK: the stream ended with an error */
  bool is_done, is_begun;
  const char *why;
  struct weir_filter *filter; /* what is read comes from it; is_done is set then */
  uint64_t span_at;           /* bytes before `span` */
  struct weir_addr_state addr;
};

/* Whoever changes a stream on its way to who reads it, with the reader of the stream itself. `next`
 * is as weir_next. */
struct weir_filter {
  bool (*next)(struct weir_filter *f, struct weir_dyn *d);
  struct weir_warp_reader in;
};

/* Read a finished stream; with `consume` its memory is given back on the way. `kernel` outlives the
 * reader; only its static table is used. */
void weir_reader_open(struct weir_warp_reader *r, struct weir_warp_stream *s,
                      const struct weir_kernel_info *kernel, bool consume);
/* Read from memory; `bytes` is followed by WEIR_STREAM_SLACK readable bytes of any value. */
void weir_reader_open_bytes(struct weir_warp_reader *r, const uint8_t *bytes, size_t n,
                            const struct weir_kernel_info *kernel);
/* Read what a filter gives; its own reader is open, and is closed with this one. */
void weir_reader_open_filter(struct weir_warp_reader *r, struct weir_filter *f);
void weir_reader_close(struct weir_warp_reader *r);
/* Says what was wrong when r->status is set, and where. */
enum weir_status weir_reader_error(const struct weir_warp_reader *r, struct weir_err *err);

bool weir_next_slow(struct weir_warp_reader *r, struct weir_dyn *d);

/* False at the end and on errors: ask r->status. */
static inline bool weir_next(struct weir_warp_reader *r, struct weir_dyn *d) {
  if (__builtin_expect(!r->run, 0)) return weir_next_slow(r, d);
  r->run--;
  d->insn = r->next++;
  d->mask = r->mask;
  d->has_addr = false;
  return true;
}

/* Of a barrier instruction. Without lanes it is none. */
static inline struct weir_barrier weir_barrier_of(const struct weir_static *s,
                                                  const struct weir_dyn *d) {
  if (d->has_addr) return weir_barrier_unpack(d->addrs.base);
  return (struct weir_barrier){.id = s->bar_id, .warps = s->bar_warps, .is_partial = d->mask == 0};
}

/* The addresses of all lanes; those of lanes outside the mask mean nothing. */
void weir_expand(const struct weir_dyn *d, uint64_t out[WEIR_LANES]);

#endif
