/* Memory for streams: chunks under one budget, and a compressed temporary file for what exceeds it.
 *
 *   warp stream ──► chunk ──► chunk ──► chunk (open)
 *                   sealed    sealed      the writer appends here
 *                     │
 *                     └─ nobody reads it: may be spilled, the newest first, because blocks are read
 *                        in the order in which they were written
 *
 * The budget counts chunk buffers, in use or kept for reuse. Chunks that are being written or read
 * stay in memory even beyond it. A pool may be used by several threads; a stream by one at a time.
 */
#ifndef WEIR_STREAM_POOL_H
#define WEIR_STREAM_POOL_H

#include <pthread.h>

#include "stream/code.h"

enum { WEIR_CHUNK_SMALL = 2048, WEIR_CHUNK_BYTES = 16384, WEIR_SPILL_CLASSES = 40 };

struct weir_chunk {
  struct weir_chunk *next;          /* in its stream or in a free list */
  struct weir_chunk *older, *newer; /* among the chunks that may be spilled */
  uint8_t *data;                    /* NULL while spilled */
  uint64_t file_at;
  uint32_t used, stored; /* bytes of tokens; compressed bytes in the file, 0 = not there */
  uint16_t pins;
  uint8_t hole;                    /* size of its place in the file, in classes */
  bool is_large, is_open, is_cold; /* cold: sealed, in memory, nobody reads it */
};

/* The finished or growing stream of one warp. */
struct weir_warp_stream {
  struct weir_stream_pool *pool;
  struct weir_chunk *first, *last;
  uint64_t n_bytes, n_insns; /* complete once finished */
};

struct weir_stream_pool {
  pthread_mutex_t lock;
  size_t budget, held, peak_held; /* bytes of buffers */
  void *free_small, *free_large;
  struct weir_chunk *free_chunks, *newest;
  struct weir_chunk *holes[WEIR_SPILL_CLASSES]; /* unused places in the file, by size */
  struct weir_block_stream *free_blocks;
  char *tmp_dir;
  int fd;
  uint64_t file_end, n_spilled, spilled_bytes, n_reloaded;
  struct ZSTD_CCtx_s *compress;
  struct ZSTD_DCtx_s *expand;
  uint8_t *packed;
  struct weir_err err; /* the first failure; nothing is written after it */
};

/* `tmp_dir` NULL: $TMPDIR, else /tmp. The file is made when first needed and has no name. */
enum weir_status weir_stream_pool_init(struct weir_stream_pool *p, size_t budget_bytes,
                                       const char *tmp_dir, struct weir_err *err);
/* Every block and stream must have been released. */
void weir_stream_pool_free(struct weir_stream_pool *p);
/* The first failure of any writer or reader. Writers never stop: a producer asks here now and then.
 */
enum weir_status weir_stream_pool_status(struct weir_stream_pool *p, struct weir_err *err);

/* Seal the open chunk, if any, at `used` bytes; with `more`, append an empty one. False on failure.
 */
bool weir_stream_seal(struct weir_warp_stream *s, size_t used, bool more);
/* Give back all memory; the stream is empty afterwards. */
void weir_stream_drop(struct weir_warp_stream *s);

/* The stored bytes of a finished stream, span by span: for the decoder and for recording. A span is
 * valid until the next call. With `consume`, memory is given back as the cursor moves on, and the
 * stream can be read only once. */
struct weir_span_cursor {
  struct weir_warp_stream *stream;
  struct weir_chunk *at;
  bool consume, is_started;
};
void weir_span_open(struct weir_span_cursor *c, struct weir_warp_stream *s, bool consume);
/* *bytes is NULL at the end. */
enum weir_status weir_span_next(struct weir_span_cursor *c, const uint8_t **bytes, size_t *n,
                                struct weir_err *err);
void weir_span_close(struct weir_span_cursor *c);

#endif
