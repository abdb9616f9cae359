/* The streams of one thread block, and where blocks come from. */
#ifndef WEIR_STREAM_BLOCK_H
#define WEIR_STREAM_BLOCK_H

#include "stream/reader.h"
#include "stream/writer.h"

/* Life: begin ─► written through writers[] ─► finish ─► read through warps[] ─► release. Release is
 * allowed at any time and takes back what was written so far. */
struct weir_block_stream {
  uint64_t id; /* x + grid.x * (y + grid.y * z) */
  uint32_t n_warps;
  struct weir_warp_stream *warps;
  struct weir_warp_writer *writers; /* used until finish */
  struct weir_stream_pool *pool;
  struct weir_block_stream *next_free;
};

enum weir_status weir_block_begin(struct weir_stream_pool *pool, uint64_t id, uint32_t n_warps,
                                  struct weir_block_stream **out, struct weir_err *err);
/* On failure some stream is incomplete and none may be read. */
enum weir_status weir_block_finish(struct weir_block_stream *b, struct weir_err *err);
void weir_block_release(struct weir_block_stream *b);

/* Called by weir_stream_pool_free. */
void weir_block_pool_free(struct weir_stream_pool *pool);

/* A producer of blocks: PTX execution, a recorded trace, a foreign trace. */
struct weir_block_source {
  const struct weir_kernel_info *kernel;
  const char *file; /* the trace that it reads; NULL: it executes */
  /* The next block in the order of ids, finished; NULL after the last. */
  enum weir_status (*next)(struct weir_block_source *src, struct weir_block_stream **out,
                           struct weir_err *err);
  /* The consumer has read the block, or does not want it. Any order, any thread. */
  void (*release)(struct weir_block_source *src, struct weir_block_stream *b);
  void *self;
};

#endif
