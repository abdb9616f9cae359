#include "stream/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/temp.h"
#include "stream/block.h"

enum { HOLE_BYTES = 512 };
_Static_assert(WEIR_SPILL_CLASSES *HOLE_BYTES > WEIR_CHUNK_BYTES + 512, "worst compressed chunk");

static size_t chunk_bytes(bool is_large) {
  return is_large ? WEIR_CHUNK_BYTES : WEIR_CHUNK_SMALL;
}

enum weir_status weir_stream_pool_init(struct weir_stream_pool *p, size_t budget_bytes,
                                       const char *tmp_dir, struct weir_err *err) {
  memset(p, 0, sizeof *p);
  p->budget = budget_bytes;
  p->fd = -1;
  if (!tmp_dir || !*tmp_dir) tmp_dir = weir_temp_folder();
  size_t n = strlen(tmp_dir) + 1;
  p->tmp_dir = weir_malloc(n);
  if (!p->tmp_dir) return weir_fail(err, WEIR_ENOMEM, "out of memory for a stream pool");
  memcpy(p->tmp_dir, tmp_dir, n);
  if (pthread_mutex_init(&p->lock, NULL)) {
    free(p->tmp_dir);
    return weir_fail(err, WEIR_ENOMEM, "cannot make the lock of a stream pool");
  }
  return WEIR_OK;
}

static void free_list(void *head) {
  while (head) {
    void *next;
    memcpy(&next, head, sizeof next);
    free(head);
    head = next;
  }
}

void weir_stream_pool_free(struct weir_stream_pool *p) {
  weir_block_pool_free(p);
  free_list(p->free_small);
  free_list(p->free_large);
  for (int i = 0; i <= WEIR_SPILL_CLASSES; i++) {
    struct weir_chunk *c = i < WEIR_SPILL_CLASSES ? p->holes[i] : p->free_chunks;
    while (c) {
      struct weir_chunk *next = c->next;
      free(c);
      c = next;
    }
  }
  if (p->fd >= 0) close(p->fd);
  ZSTD_freeCCtx(p->compress);
  ZSTD_freeDCtx(p->expand);
  free(p->packed);
  free(p->tmp_dir);
  pthread_mutex_destroy(&p->lock);
}

enum weir_status weir_stream_pool_status(struct weir_stream_pool *p, struct weir_err *err) {
  pthread_mutex_lock(&p->lock);
  enum weir_status st = p->err.code;
  if (st && err) *err = p->err;
  pthread_mutex_unlock(&p->lock);
  return st;
}

/* ---- buffers; the lock is held from here on ---- */

static void give_buffer(struct weir_stream_pool *p, void *buf, bool is_large) {
  void **list = is_large ? &p->free_large : &p->free_small;
  memcpy(buf, list, sizeof *list);
  *list = buf;
}

static void *pop_buffer(struct weir_stream_pool *p, bool is_large) {
  void **list = is_large ? &p->free_large : &p->free_small;
  void *buf = *list;
  if (buf) memcpy(list, buf, sizeof *list);
  return buf;
}

static void cold_add(struct weir_stream_pool *p, struct weir_chunk *c) {
  c->is_cold = true;
  c->newer = NULL;
  c->older = p->newest;
  if (p->newest) p->newest->newer = c;
  p->newest = c;
}

static void cold_remove(struct weir_stream_pool *p, struct weir_chunk *c) {
  if (!c->is_cold) return;
  c->is_cold = false;
  if (c->newer)
    c->newer->older = c->older;
  else
    p->newest = c->older;
  if (c->older) c->older->newer = c->newer;
}

static bool open_file(struct weir_stream_pool *p) {
  p->fd = weir_temp_unnamed(p->tmp_dir);
  if (p->fd >= 0) return true;
  weir_fail(&p->err, WEIR_EIO, "cannot make a temporary file for streams in %s: %s", p->tmp_dir,
            strerror(errno));
  weir_err_add(&p->err, "  remedy: set TMPDIR to a directory that can be written, or raise the "
                        "memory budget of streams");
  return false;
}

static bool spill_start(struct weir_stream_pool *p) {
  if (p->packed) return true;
  if (p->fd < 0 && !open_file(p)) return false;
  if (!p->compress) p->compress = ZSTD_createCCtx();
  if (!p->expand) p->expand = ZSTD_createDCtx();
  if (p->compress && p->expand) p->packed = weir_malloc(WEIR_SPILL_CLASSES * HOLE_BYTES);
  if (!p->packed) {
    weir_fail(&p->err, WEIR_ENOMEM, "out of memory for spilling streams");
    return false;
  }
  ZSTD_CCtx_setParameter(p->compress, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(p->compress, ZSTD_c_checksumFlag, 1);
  return true;
}

static bool write_all(struct weir_stream_pool *p, size_t n, uint64_t at) {
  for (size_t done = 0; done < n;) {
    ssize_t w = pwrite(p->fd, p->packed + done, n - done, (off_t)(at + done));
    if (w < 0 && errno == EINTR) continue;
    if (w <= 0) {
      weir_fail(&p->err, WEIR_EIO, "cannot write streams to a temporary file in %s: %s", p->tmp_dir,
                w < 0 ? strerror(errno) : "nothing was written");
      weir_err_add(&p->err, "  remedy: set TMPDIR to a directory with more room, or raise the "
                            "memory budget of streams");
      return false;
    }
    done += (size_t)w;
  }
  return true;
}

static bool read_all(struct weir_stream_pool *p, size_t n, uint64_t at) {
  for (size_t done = 0; done < n;) {
    ssize_t r = pread(p->fd, p->packed + done, n - done, (off_t)(at + done));
    if (r < 0 && errno == EINTR) continue;
    if (r <= 0) {
      weir_fail(&p->err, WEIR_EIO, "cannot read streams back from a temporary file in %s: %s",
                p->tmp_dir, r < 0 ? strerror(errno) : "it is too short");
      return false;
    }
    done += (size_t)r;
  }
  return true;
}

/* Finds a place in the file. The unused ones are kept as chunk records of their own, so that
 * freeing allocates nothing; a larger one than needed keeps its size and returns to its list. */
static void place_in_file(struct weir_stream_pool *p, struct weir_chunk *c, size_t stored) {
  unsigned need = (unsigned)((stored - 1) / HOLE_BYTES), k = need;
  while (k < WEIR_SPILL_CLASSES && !p->holes[k])
    k++;
  if (k < WEIR_SPILL_CLASSES) {
    struct weir_chunk *h = p->holes[k];
    p->holes[k] = h->next;
    h->next = p->free_chunks;
    p->free_chunks = h;
    c->file_at = h->file_at;
    c->hole = (uint8_t)k;
  } else {
    c->file_at = p->file_end;
    c->hole = (uint8_t)need;
    p->file_end += (uint64_t)(need + 1) * HOLE_BYTES;
  }
  c->stored = (uint32_t)stored;
}

static bool write_chunk(struct weir_stream_pool *p, struct weir_chunk *c) {
  if (!spill_start(p)) return false;
  size_t n =
      ZSTD_compress2(p->compress, p->packed, WEIR_SPILL_CLASSES * HOLE_BYTES, c->data, c->used);
  if (ZSTD_isError(n)) {
    weir_fail(&p->err, WEIR_ENOMEM, "cannot compress streams: %s", ZSTD_getErrorName(n));
    return false;
  }
  place_in_file(p, c, n);
  if (!write_all(p, n, c->file_at)) {
    c->stored = 0;
    return false;
  }
  p->spilled_bytes += n;
  return true;
}

/* The buffer of the newest cold chunk goes to the free list; a sealed chunk never changes, so that
 * one that was read back need not be written again. */
static bool spill_newest(struct weir_stream_pool *p) {
  struct weir_chunk *c = p->newest;
  if (!c->stored && !write_chunk(p, c)) return false;
  cold_remove(p, c);
  give_buffer(p, c->data, c->is_large);
  c->data = NULL;
  p->n_spilled++;
  return true;
}

static void *new_buffer(struct weir_stream_pool *p, bool is_large) {
  size_t n = chunk_bytes(is_large);
  uint8_t *buf = weir_malloc(n);
  if (!buf) {
    weir_fail(&p->err, WEIR_ENOMEM, "out of memory for streams (%zu bytes held)", p->held);
    return NULL;
  }
  memset(buf + n - WEIR_STREAM_SLACK, 0, WEIR_STREAM_SLACK);
  p->held += n;
  if (p->held > p->peak_held) p->peak_held = p->held;
  return buf;
}

/* From the free list, else new within the budget, else by freeing buffers of the other size, else
 * by spilling, else beyond the budget. NULL only on failure. */
static void *take_buffer(struct weir_stream_pool *p, bool is_large) {
  for (;;) {
    void *buf = pop_buffer(p, is_large);
    if (buf) return buf;
    if (p->held + chunk_bytes(is_large) <= p->budget) return new_buffer(p, is_large);
    if ((buf = pop_buffer(p, !is_large))) {
      free(buf);
      p->held -= chunk_bytes(!is_large);
    } else if (!p->newest) {
      return new_buffer(p, is_large);
    } else if (!spill_newest(p)) {
      return NULL;
    }
  }
}

static bool reload(struct weir_stream_pool *p, struct weir_chunk *c) {
  uint8_t *buf = take_buffer(p, c->is_large);
  if (!buf) return false;
  bool ok = read_all(p, c->stored, c->file_at);
  if (ok) {
    size_t n = ZSTD_decompressDCtx(p->expand, buf, chunk_bytes(c->is_large), p->packed, c->stored);
    ok = n == c->used;
    if (!ok)
      weir_fail(&p->err, WEIR_EIO, "a temporary file of streams in %s was damaged", p->tmp_dir);
  }
  if (!ok) {
    give_buffer(p, buf, c->is_large);
    return false;
  }
  p->n_reloaded++;
  c->data = buf;
  return true;
}

static struct weir_chunk *new_chunk(struct weir_stream_pool *p, bool is_large) {
  struct weir_chunk *c = p->free_chunks;
  if (c) {
    p->free_chunks = c->next;
  } else if (!(c = weir_malloc(sizeof *c))) {
    weir_fail(&p->err, WEIR_ENOMEM, "out of memory for streams (%zu bytes held)", p->held);
    return NULL;
  }
  memset(c, 0, sizeof *c);
  c->is_large = is_large;
  c->data = take_buffer(p, is_large);
  if (c->data) return c;
  c->next = p->free_chunks;
  p->free_chunks = c;
  return NULL;
}

static void free_chunk(struct weir_stream_pool *p, struct weir_chunk *c) {
  cold_remove(p, c);
  struct weir_chunk **list = &p->free_chunks;
  if (c->data) give_buffer(p, c->data, c->is_large);
  if (c->stored) list = &p->holes[c->hole];
  c->next = *list;
  *list = c;
}

/* ---- streams; the lock is taken inside ---- */

bool weir_stream_seal(struct weir_warp_stream *s, size_t used, bool more) {
  struct weir_stream_pool *p = s->pool;
  bool ok = true;
  pthread_mutex_lock(&p->lock);
  struct weir_chunk *open = s->last;
  if (open && open->is_open) {
    open->is_open = false;
    open->used = (uint32_t)used;
    s->n_bytes += used;
    cold_add(p, open);
  }
  if (more) {
    struct weir_chunk *c = p->err.code ? NULL : new_chunk(p, open != NULL);
    if (!c) {
      ok = false;
    } else {
      if (s->last)
        s->last->next = c;
      else
        s->first = c;
      s->last = c;
      c->is_open = true;
    }
  }
  pthread_mutex_unlock(&p->lock);
  return ok;
}

void weir_stream_drop(struct weir_warp_stream *s) {
  struct weir_stream_pool *p = s->pool;
  if (!s->first) return;
  pthread_mutex_lock(&p->lock);
  for (struct weir_chunk *c = s->first, *next; c; c = next) {
    next = c->next;
    free_chunk(p, c);
  }
  pthread_mutex_unlock(&p->lock);
  s->first = s->last = NULL;
}

void weir_span_open(struct weir_span_cursor *c, struct weir_warp_stream *s, bool consume) {
  *c = (struct weir_span_cursor){.stream = s, .consume = consume};
}

static void leave(struct weir_span_cursor *c) {
  struct weir_stream_pool *p = c->stream->pool;
  struct weir_chunk *at = c->at;
  if (--at->pins) return;
  if (!c->consume) {
    cold_add(p, at);
    return;
  }
  c->stream->first = at->next;
  if (!at->next) c->stream->last = NULL;
  free_chunk(p, at);
}

enum weir_status weir_span_next(struct weir_span_cursor *c, const uint8_t **bytes, size_t *n,
                                struct weir_err *err) {
  struct weir_stream_pool *p = c->stream->pool;
  enum weir_status st = WEIR_OK;
  *bytes = NULL;
  *n = 0;
  pthread_mutex_lock(&p->lock);
  struct weir_chunk *next = c->at ? c->at->next : c->is_started ? NULL : c->stream->first;
  if (c->at) leave(c);
  c->at = NULL;
  c->is_started = true;
  if (next) {
    if (next->data || reload(p, next)) {
      cold_remove(p, next);
      next->pins++;
      c->at = next;
      *bytes = next->data;
      *n = next->used;
    } else {
      st = p->err.code;
      if (err) *err = p->err;
    }
  }
  pthread_mutex_unlock(&p->lock);
  return st;
}

void weir_span_close(struct weir_span_cursor *c) {
  if (!c->at) return;
  pthread_mutex_lock(&c->stream->pool->lock);
  leave(c);
  pthread_mutex_unlock(&c->stream->pool->lock);
  c->at = NULL;
}
