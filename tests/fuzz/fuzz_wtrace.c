/* .wtrace files: bytes are never trusted. Checksums are not looked at, or nothing but them would be
 * tested; parts may be stored without compression, so that a changed byte reaches the decoder. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/wtrace.h"

enum { MAX_KERNELS = 8, MAX_BLOCKS = 64, MAX_DYN = 20000, POOL_BYTES = 16 << 20 };

static char path[64];
static int file = -1;

static void put_file(const uint8_t *data, size_t size) {
  if (file < 0) {
    file = memfd_create("fuzz.wtrace", MFD_CLOEXEC);
    PROMISE(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  PROMISE(ftruncate(file, 0) == 0);
  for (size_t at = 0; at < size;) {
    ssize_t n = pwrite(file, data + at, size - at, (off_t)at);
    PROMISE(n > 0);
    at += (size_t)n;
  }
}

/* What the decoder lets through is a sound stream of as many instructions as it says. */
static void read_block(const struct weir_kernel_info *k, struct weir_block_stream *b) {
  PROMISE(b->n_warps == k->n_warps && b->n_warps <= WEIR_WTRACE_MAX_WARPS);
  for (uint32_t i = 0; i < b->n_warps; i++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    uint64_t n = 0;
    weir_reader_open(&r, &b->warps[i], k, false);
    for (; n < MAX_DYN && weir_next(&r, &d); n++) {
      uint64_t lanes[WEIR_LANES];
      PROMISE(d.insn < k->n_insns);
      const struct weir_static *s = &k->insns[d.insn];
      if (s->cls == WEIR_C_BARRIER) PROMISE(weir_barrier_of(s, &d).id < WEIR_BARRIERS);
      if (!d.has_addr) continue;
      PROMISE(s->width > 0 && d.addrs.space < WEIR_N_SPACES);
      weir_expand(&d, lanes);
    }
    PROMISE(r.status == WEIR_OK && (n == MAX_DYN || n == b->warps[i].n_insns));
    weir_reader_close(&r);
  }
}

static void read_kernel(const struct weir_wtrace *t, uint32_t kernel, uint64_t first,
                        struct weir_stream_pool *pool) {
  struct weir_block_source *src;
  struct weir_block_stream *b;
  struct weir_err err;
  if (weir_wtrace_source_open(t, kernel, first, pool, &src, &err) != WEIR_OK) return;
  uint64_t next = first;
  for (unsigned n = 0; n < MAX_BLOCKS && src->next(src, &b, &err) == WEIR_OK && b; n++) {
    PROMISE(b->id >= next);
    next = b->id + 1;
    read_block(src->kernel, b);
    src->release(src, b);
  }
  weir_wtrace_source_close(src);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_stream_pool pool;
  struct weir_wtrace *t;
  struct weir_err err;
  put_file(data, size);
  if (weir_wtrace_open(path, &t, &err) == WEIR_OK) weir_wtrace_close(t);
  if (weir_wtrace_open_unchecked(path, &t, &err) != WEIR_OK) return 0;
  PROMISE(weir_stream_pool_init(&pool, POOL_BYTES, NULL, &err) == WEIR_OK);
  for (uint32_t i = 0; i < weir_wtrace_n_events(t); i++)
    PROMISE(weir_wtrace_event(t, i).kind < WEIR_N_EVENTS);
  for (uint32_t k = 0; k < weir_wtrace_n_kernels(t) && k < MAX_KERNELS; k++) {
    read_kernel(t, k, 0, &pool);
    read_kernel(t, k, 3, &pool);
  }
  weir_wtrace_close(t);
  weir_stream_pool_free(&pool);
  return 0;
}
