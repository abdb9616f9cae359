#include "stream/block.h"

#include <stdlib.h>

#include "base/mem.h"

static void free_block(struct weir_block_stream *b) {
  free(b->warps);
  free(b->writers);
  free(b);
}

static struct weir_block_stream *new_block(uint32_t n_warps) {
  struct weir_block_stream *b = weir_calloc(1, sizeof *b);
  if (!b) return NULL;
  b->n_warps = n_warps;
  b->warps = weir_calloc(n_warps, sizeof *b->warps);
  b->writers = weir_calloc(n_warps, sizeof *b->writers);
  if (b->warps && b->writers) return b;
  free_block(b);
  return NULL;
}

/* A kernel's blocks are all alike: a released block serves the next one. Those of another kernel's
 * size are freed when met. */
static struct weir_block_stream *reuse_block(struct weir_stream_pool *pool, uint32_t n_warps) {
  struct weir_block_stream *b, *misfits = NULL;
  pthread_mutex_lock(&pool->lock);
  while ((b = pool->free_blocks)) {
    pool->free_blocks = b->next_free;
    if (b->n_warps == n_warps) break;
    b->next_free = misfits;
    misfits = b;
  }
  pthread_mutex_unlock(&pool->lock);
  while (misfits) {
    struct weir_block_stream *next = misfits->next_free;
    free_block(misfits);
    misfits = next;
  }
  return b;
}

enum weir_status weir_block_begin(struct weir_stream_pool *pool, uint64_t id, uint32_t n_warps,
                                  struct weir_block_stream **out, struct weir_err *err) {
  *out = NULL;
  if (!n_warps) return weir_fail(err, WEIR_EINVAL, "a block without warps has no streams");
  struct weir_block_stream *b = reuse_block(pool, n_warps);
  if (!b) b = new_block(n_warps);
  if (!b) return weir_fail(err, WEIR_ENOMEM, "out of memory for the streams of a block");
  b->id = id;
  b->pool = pool;
  b->next_free = NULL;
  for (uint32_t i = 0; i < n_warps; i++) {
    b->warps[i] = (struct weir_warp_stream){.pool = pool};
    weir_writer_begin(&b->writers[i], &b->warps[i]);
  }
  *out = b;
  return WEIR_OK;
}

enum weir_status weir_block_finish(struct weir_block_stream *b, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; i < b->n_warps && !st; i++)
    st = weir_writer_finish(&b->writers[i], err);
  return st;
}

void weir_block_release(struct weir_block_stream *b) {
  if (!b) return;
  for (uint32_t i = 0; i < b->n_warps; i++)
    weir_stream_drop(&b->warps[i]);
  pthread_mutex_lock(&b->pool->lock);
  b->next_free = b->pool->free_blocks;
  b->pool->free_blocks = b;
  pthread_mutex_unlock(&b->pool->lock);
}

void weir_block_pool_free(struct weir_stream_pool *pool) {
  while (pool->free_blocks) {
    struct weir_block_stream *b = pool->free_blocks;
    pool->free_blocks = b->next_free;
    free_block(b);
  }
}
