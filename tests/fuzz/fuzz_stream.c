/* Warp streams: bytes are never trusted, and what they say can be written down and read back. */
#include <string.h>

#include "fuzz.h"
#include "stream/block.h"
#include "stream/func_stats.h"

enum { N_INSNS = 300, MAX_DYN = 20000 };
static struct weir_static insns[N_INSNS];
static struct weir_kernel_info kernel = {.name = "fuzz", .n_insns = N_INSNS, .insns = insns};

static void make_kernel(void) {
  static const uint8_t widths[] = {0, 0, 4, 0, 8, 1, 0, 16, 2, 0, 32};
  for (uint32_t i = 0; i < N_INSNS; i++) {
    insns[i].pc = 8 * i;
    insns[i].width = widths[i % sizeof widths];
    insns[i].cls = insns[i].width ? WEIR_C_LOAD : WEIR_C_INT;
    insns[i].space = insns[i].width ? WEIR_SP_GENERIC : WEIR_SP_NONE;
  }
}

/* The coalescer and the counts agree about any addresses. */
static void coalesce(const struct weir_dyn *d, const uint64_t *lanes) {
  static struct weir_line_counter counter;
  struct weir_requests requests;
  struct weir_addrs list = {.kind = WEIR_ADDR_LIST, .space = d->addrs.space, .lane = lanes};
  const struct weir_addrs *a = d->addrs.kind == WEIR_ADDR_LIST ? &list : &d->addrs;
  unsigned width = insns[d->insn].width, sectors;
  weir_coalesce(lanes, d->mask, width, WEIR_COUNT_LINE_BYTES, WEIR_SECTOR_BYTES, &requests);
  PROMISE(weir_count_lines(&counter, a, d->mask, width, &sectors) == requests.n);
  unsigned n = 0;
  for (unsigned i = 0; i < requests.n; i++)
    n += (unsigned)__builtin_popcount(requests.r[i].sectors);
  PROMISE(n == sectors);
  PROMISE(weir_bank_passes_addrs(a, d->mask, width) == weir_bank_passes(lanes, d->mask, width));
}

static void write_again(struct weir_warp_writer *w, const struct weir_dyn *d,
                        const uint64_t *lanes) {
  struct weir_addrs a = d->addrs;
  if (!d->has_addr) {
    weir_put(w, d->insn, d->mask);
    return;
  }
  a.lane = lanes;
  weir_put_mem(w, d->insn, d->mask, &a);
}

static void same(const struct weir_dyn *x, const struct weir_dyn *y) {
  uint64_t a[WEIR_LANES], b[WEIR_LANES];
  PROMISE(x->insn == y->insn && x->mask == y->mask && x->has_addr == y->has_addr);
  if (!x->has_addr) return;
  PROMISE(x->addrs.space == y->addrs.space);
  weir_expand(x, a);
  weir_expand(y, b);
  for (unsigned i = 0; i < WEIR_LANES; i++)
    if (x->mask >> i & 1) PROMISE(a[i] == b[i]);
}

/* Reads `bytes` to their end and writes what they say to `s`. Returns the number of instructions,
 * 0 if the bytes are not a whole stream or a long one. */
static unsigned rewrite(const uint8_t *bytes, size_t size, struct weir_warp_stream *s) {
  struct weir_warp_reader r;
  struct weir_warp_writer w;
  struct weir_dyn d;
  struct weir_err err;
  unsigned n = 0;
  weir_writer_begin(&w, s);
  weir_reader_open_bytes(&r, bytes, size, &kernel);
  while (n < MAX_DYN && weir_next(&r, &d)) {
    uint64_t lanes[WEIR_LANES] = {0};
    PROMISE(d.insn < N_INSNS);
    if (d.has_addr) {
      PROMISE(insns[d.insn].width > 0 && d.addrs.space < WEIR_N_SPACES);
      weir_expand(&d, lanes);
      coalesce(&d, lanes);
    }
    write_again(&w, &d, lanes);
    n++;
  }
  bool is_whole = n < MAX_DYN && r.status == WEIR_OK;
  if (r.status != WEIR_OK) PROMISE(weir_reader_error(&r, &err) == r.status);
  weir_reader_close(&r);
  PROMISE(weir_writer_finish(&w, &err) == WEIR_OK);
  return is_whole ? n : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_stream_pool pool;
  struct weir_err err;
  struct weir_warp_stream s = {.pool = &pool};
  if (insns[1].pc == 0) make_kernel();
  uint8_t *bytes = malloc(size + WEIR_STREAM_SLACK);
  PROMISE(bytes != NULL && weir_stream_pool_init(&pool, 1 << 20, NULL, &err) == WEIR_OK);
  if (size > 0) memcpy(bytes, data, size);
  memset(bytes + size, 0xff, WEIR_STREAM_SLACK);
  unsigned n = rewrite(bytes, size, &s);
  if (n > 0) {
    struct weir_warp_reader first, second;
    struct weir_dyn x, y;
    weir_reader_open_bytes(&first, bytes, size, &kernel);
    weir_reader_open(&second, &s, &kernel, false);
    for (unsigned i = 0; i < n; i++) {
      PROMISE(weir_next(&first, &x) && weir_next(&second, &y));
      same(&x, &y);
    }
    PROMISE(!weir_next(&second, &y) && second.status == WEIR_OK);
    weir_reader_close(&first);
    weir_reader_close(&second);
  }
  weir_stream_drop(&s);
  weir_stream_pool_free(&pool);
  free(bytes);
  return 0;
}
