/* What a program sends to weir: bytes are never trusted; launches come in order and whole, blocks
 * are of the grid and in order, and their streams can be read to an end. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cuda/wire.h"
#include "fuzz.h"

/* What fits into a socket that nobody reads yet, and few blocks. */
enum { MAX_BYTES = 64 << 10, POOL = 16 << 20 };

static void read_warp(struct weir_warp_stream *s, const struct weir_kernel_info *k) {
  struct weir_warp_reader r;
  struct weir_dyn d;
  uint64_t lane[WEIR_LANES];
  uint64_t n = 0;
  weir_reader_open(&r, s, k, true);
  while (n++ < MAX_BYTES && weir_next(&r, &d)) {
    PROMISE(d.insn < k->n_insns);
    if (d.has_addr) weir_expand(&d, lane);
  }
  weir_reader_close(&r);
}

static void read_blocks(struct weir_block_source *src) {
  const struct weir_kernel_info *k = src->kernel;
  uint64_t n_grid = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2], next = 0;
  struct weir_block_stream *b;
  struct weir_err err;
  while (src->next(src, &b, &err) == WEIR_OK && b != NULL) {
    PROMISE(b->id >= next && b->id < n_grid && b->n_warps == k->n_warps);
    next = b->id + 1;
    for (uint32_t i = 0; i < b->n_warps; i++)
      read_warp(&b->warps[i], k);
    src->release(src, b);
  }
}

static void read_all(struct weir_wire *w) {
  const struct weir_wire_options o = {.device.name = "m", .count = UINT64_MAX};
  struct weir_wire_event e;
  struct weir_err err;
  uint64_t last = 0;
  bool in_launch = false;
  if (weir_wire_meet(w, &err) != WEIR_OK || weir_wire_greet(w, &o, &err) != WEIR_OK) return;
  PROMISE(weir_wire_program(w) != NULL && weir_wire_pid(w) > 0);
  while (weir_wire_next(w, &e, &err) == WEIR_OK && e.kind != WEIR_WIRE_CLOSED) {
    bool is_note = e.kind == WEIR_WIRE_MESSAGE || e.kind == WEIR_WIRE_STRAY;
    PROMISE(!in_launch || e.kind == WEIR_WIRE_END || is_note);
    PROMISE(in_launch || e.kind != WEIR_WIRE_STRAY);
    if (e.kind == WEIR_WIRE_STRAY)
      PROMISE(strlen(e.stray.kernel) + strlen(e.stray.source) < MAX_BYTES);
    if (e.kind == WEIR_WIRE_LAUNCH) {
      PROMISE(e.launch.number > last);
      if (e.source != NULL && e.launch.number % 2) read_blocks(e.source);
    }
    if (e.kind == WEIR_WIRE_END) last = e.launch.number;
    if (e.kind == WEIR_WIRE_ASK) PROMISE(e.asked <= last);
    if (e.text != NULL) PROMISE(e.text[e.n_text] == 0);
    in_launch = e.kind == WEIR_WIRE_LAUNCH || (in_launch && is_note);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct weir_stream_pool pool;
  struct weir_wire *w;
  struct weir_err err;
  int fd[2];
  if (size > MAX_BYTES || socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0) return 0;
  PROMISE(weir_stream_pool_init(&pool, POOL, NULL, &err) == WEIR_OK);
  PROMISE(size == 0 || send(fd[0], data, size, 0) == (ssize_t)size);
  shutdown(fd[0], SHUT_WR);
  if (weir_wire_adopt(fd[1], &pool, &w, &err) == WEIR_OK) {
    read_all(w);
    weir_wire_close(w);
  }
  close(fd[0]);
  weir_stream_pool_free(&pool);
  return 0;
}
