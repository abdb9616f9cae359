/* What both ends of a wire share: frames over a socket.
 *
 *   u32 type │ u32 0 │ u64 bytes │ payload of so many bytes
 *
 *   HELLO    magic, version, then text of the sender: see wire_hello.c
 *   LAUNCH   number, stream, module, flags, bytes of the description and of the table; they; the
 *            outline of the text, if there is one (all as in a .wtrace)
 *   BLOCK    id, warps; for each warp: instructions, spans; for each span: bytes; they
 *   STRAY    instruction, whether it reaches another allocation, count, address, block (3),
 *            thread (3); the texts of struct weir_stray, each ended by NUL
 *   END      result, counters; the statistics, as counters
 *   COPY     kind, address, bytes
 *   MODULE   id, bytes of the name; it; the text
 *   MESSAGE  the text
 *   ASK      number of a launch
 *   TIMES    number, begin, end, cycles
 *
 * Numbers are u64 in the host's order. */
#ifndef WEIR_CUDA_WIRE_CODE_H
#define WEIR_CUDA_WIRE_CODE_H

#include <regex.h>

#include "base/arena.h"
#include "cuda/wire.h"
#include "trace/wtrace_format.h"

enum wire_frame {
  WIRE_HELLO = 1,
  WIRE_LAUNCH,
  WIRE_BLOCK,
  WIRE_END,
  WIRE_COPY,
  WIRE_MODULE,
  WIRE_MESSAGE,
  WIRE_ASK,
  WIRE_TIMES,
  WIRE_STRAY
};

enum { WIRE_HAS_STREAMS = 1, WIRE_IS_WANTED = 2 }; /* flags of a launch */

enum {
  WIRE_BUFFER = 256 << 10, /* bytes, of either direction */
  WIRE_MAX_HELLO = 1 << 20,
  WIRE_MAX_TEXT = 64 << 10, /* of a message */
  WIRE_MAX_MODULE = 256 << 20,
  WIRE_MAX_LAUNCH = 2 * WT_MAX_TABLE + WT_MAX_KERNEL,
  WIRE_N_STRAY = 10, /* numbers of a stray */
  WIRE_N_STATS = sizeof(struct weir_func_stats) / sizeof(uint64_t)
};

struct weir_wire {
  int fd;
  bool is_closed;        /* the other end has closed */
  struct weir_err error; /* the first failure: nothing goes on after it */
  struct wt_buf out;     /* not sent yet */
  uint8_t *in;
  size_t in_at, in_end;
  uint32_t type; /* of the frame being read, and its bytes that are still to come */
  uint64_t left;
  struct weir_arena arena; /* what the other end's hello says */

  /* the program's end */
  struct weir_wire_options options;
  regex_t kernels;
  bool has_kernels;
  uint64_t n_matched;
  bool is_in_region;

  /* weir's end */
  const char *program;
  pid_t pid;
  struct weir_stream_pool *pool;
  struct weir_kernel_info *info;
  struct weir_wire_launch launch;
  struct weir_block_source source;
  bool in_launch, has_end; /* has_end: END was read, and is to be told */
  uint64_t next_block, n_ended, n_asked;
  struct weir_func_stats stats;
  enum weir_status result;
  char *text; /* of the last event */
  struct {
    struct wire_note {
      uint32_t type;
      char *bytes;
      size_t n;
    } * v;
    size_t n, cap;
  } notes; /* messages and strays that came among blocks, from `told` on */
  size_t told;
};

/* With its memory; the descriptor is the wire's from now on, whatever is returned. */
enum weir_status wire_new(int fd, struct weir_wire **out, struct weir_err *err);
/* Records a failure of the connection, unless there was one before. */
enum weir_status wire_fail(struct weir_wire *w, struct weir_err *err, enum weir_status code,
                           const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ---- sending: a frame's head, then so many bytes; flush ---- */
void wire_frame(struct weir_wire *w, enum wire_frame type, uint64_t bytes);
void wire_put(struct weir_wire *w, const void *bytes, size_t n);
void wire_put64(struct weir_wire *w, uint64_t v);
/* Failures of all of these show here. */
enum weir_status wire_flush(struct weir_wire *w, struct weir_err *err);
enum weir_status wire_status(struct weir_wire *w, struct weir_err *err);

/* ---- receiving ---- */
/* The next frame's head. At a proper end of the connection w->is_closed is set and w->type 0. */
enum weir_status wire_head(struct weir_wire *w, struct weir_err *err);
/* Part of the frame's payload. */
enum weir_status wire_take(struct weir_wire *w, void *bytes, size_t n, struct weir_err *err);
enum weir_status wire_take64(struct weir_wire *w, uint64_t *v, size_t n, struct weir_err *err);
enum weir_status wire_skip(struct weir_wire *w, struct weir_err *err);
/* The rest of the payload, of `max` bytes at most, from malloc, with a NUL behind it. */
enum weir_status wire_rest(struct weir_wire *w, uint64_t max, char **out, size_t *n,
                           struct weir_err *err);

/* ---- hellos ---- */
void wire_put_hello(struct weir_wire *w, const char *program, const struct weir_wire_options *o);
/* The other end's; of the program's end name and process, of weir's end the options. */
enum weir_status wire_get_hello(struct weir_wire *w, bool is_child, struct weir_err *err);

#endif
