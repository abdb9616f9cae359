/* A connection between a CUDA program that executes its own kernels and weir, which times them.
 *
 *   the program's end (child)                          weir's end (parent)
 *     weir_wire_connect ───────── hello ──────────────► weir_wire_accept, weir_wire_meet
 *                       ◄──────── hello: options ────── weir_wire_greet
 *     weir_wire_wants(kernel)?
 *     weir_wire_begin ─────────── LAUNCH ─────────────► weir_wire_next: kernel and block source
 *     weir_wire_block ─────────── BLOCK ...  ─────────►   source->next
 *     weir_wire_stray ─────────── STRAY ...  ─────────► weir_wire_next: accesses that missed
 *     weir_wire_end ───────────── END ────────────────► weir_wire_next: statistics
 *     weir_wire_times ─────────── ASK ────────────────► weir_wire_next: which launch
 *                       ◄──────── TIMES ───────────────   weir_wire_answer
 *     weir_wire_close ──────────────────────────────────► weir_wire_next: CLOSED
 *
 * The bytes are frames over a stream socket of one machine: type, length, payload, in the host's
 * byte order. Both ends come from one build; the hello has a version, so that others are refused.
 * What arrives is checked like any foreign file. The child runs ahead as far as the socket's buffer
 * allows, and waits only when it asks for times. One thread at a time may use an end. */
#ifndef WEIR_CUDA_WIRE_H
#define WEIR_CUDA_WIRE_H

#include <sys/types.h>

#include "stream/block.h"
#include "stream/func_stats.h"
#include "stream/stray.h"
#include "trace/wtrace.h"

/* Environment variable with the path of weir's socket. */
#define WEIR_WIRE_VARIABLE "WEIR_SOCKET"

enum { WEIR_WIRE_VERSION = 4 };

struct weir_wire;

/* The machine as its programs see it. 0: not known. */
struct weir_wire_device {
  const char *name;
  uint64_t capability; /* 90: compute capability 9.0 */
  uint64_t sms, warp_size, threads_per_sm, threads_per_block, blocks_per_sm, registers_per_sm,
      registers_per_block;
  uint64_t shared_per_sm, shared_per_block, shared_opt_in; /* opt_in: most that a block may ask */
  uint64_t memory_bytes, l1_bytes, l2_bytes;
  uint64_t clock_khz, memory_clock_khz, bus_bits;
};

struct weir_wire_setting {
  const char *key, *value; /* "exec.quantum", "64": one of ptx_exec_table */
};

/* What weir tells the program. */
struct weir_wire_options {
  struct weir_wire_device device;
  const struct weir_wire_setting *settings; /* all of exec.* */
  uint32_t n_settings;
  /* Launches whose kernel's name, mangled or not (base/demangle.h), matches this extended regular
   * expression (NULL: any) are counted; of these the first `skip` are not wanted, then `count` are.
   */
  const char *kernels;
  uint64_t skip, count;
  bool only_region;  /* only launches inside of weir_wire_region are counted */
  bool want_streams; /* false: launches are only executed and counted */
  bool want_modules; /* the PTX of wanted launches is sent, too */
  bool is_strict;    /* accesses outside of allocations are faults, wherever they go */
};

/* A kernel launch of the program. */
struct weir_wire_launch {
  const struct weir_kernel_info *info;
  uint64_t number;  /* from 1, over all launches of the process, wanted or not */
  uint64_t stream;  /* 0: the default stream */
  uint64_t module;  /* its id in weir_wire_module; 0: none */
  bool has_streams; /* blocks follow */
  bool is_wanted;   /* what weir_wire_wants said of it */
};

/* When a launch ran on the simulated machine, which starts with the connection at 0. */
struct weir_wire_times {
  uint64_t launch; /* its number; 0: before the first, with all times 0 */
  uint64_t begin_ns, end_ns, cycles;
};

/* ---- the program's end ---- */

/* Connects, says who is there, and waits for weir's options. `program` is the process's name. */
enum weir_status weir_wire_connect(const char *path, const char *program, struct weir_wire **out,
                                   struct weir_err *err);
/* The same on a socket that is connected; it is closed with the wire, and on failure. */
enum weir_status weir_wire_open(int fd, const char *program, struct weir_wire **out,
                                struct weir_err *err);
/* Valid until weir_wire_close. */
const struct weir_wire_options *weir_wire_options(const struct weir_wire *w);
/* To be asked once for each launch, in order: whether weir wants it. A launch that is not wanted is
 * sent without streams, so that its statistics are known. */
bool weir_wire_wants(struct weir_wire *w, const char *kernel);

/* The program says where the part begins and ends that it wants looked at (cudaProfilerStart). */
void weir_wire_region(struct weir_wire *w, bool is_inside);

/* The text of a module, before the first launch that uses it; `id` is not 0. `name` says where it
 * comes from. */
enum weir_status weir_wire_module(struct weir_wire *w, uint64_t id, const char *name,
                                  const char *text, size_t n, struct weir_err *err);
/* begin ─► block ... ─► stray ... ─► end, also when the kernel fails. `l` and what it points to are
 * not kept. */
enum weir_status weir_wire_begin(struct weir_wire *w, const struct weir_wire_launch *l,
                                 struct weir_err *err);
/* A finished block; ids go up. The caller still owns it. */
enum weir_status weir_wire_block(struct weir_wire *w, struct weir_block_stream *b,
                                 struct weir_err *err);
/* An instruction of the launch whose accesses missed. */
enum weir_status weir_wire_stray(struct weir_wire *w, const struct weir_stray *s,
                                 struct weir_err *err);
/* `result` other than WEIR_OK: the kernel failed, and weir_wire_message has said why. All is sent
 * on return: the program may end in any way. */
enum weir_status weir_wire_end(struct weir_wire *w, const struct weir_func_stats *stats,
                               enum weir_status result, struct weir_err *err);
/* A copy between launches, for traces. */
enum weir_status weir_wire_copy(struct weir_wire *w, enum weir_event_kind kind, uint64_t addr,
                                uint64_t bytes, struct weir_err *err);
/* Something that the user should read, with or without a launch going on; weir prints it after the
 * program's name. */
enum weir_status weir_wire_message(struct weir_wire *w, const char *text, struct weir_err *err);
/* Waits until weir has timed the launch, which has ended. */
enum weir_status weir_wire_times(struct weir_wire *w, uint64_t launch, struct weir_wire_times *out,
                                 struct weir_err *err);

/* Either end; sends what is not sent yet. NULL is fine. */
void weir_wire_close(struct weir_wire *w);

/* ---- weir's end ---- */

/* A socket at `path` that programs can connect to; *fd is for weir_wire_accept. */
enum weir_status weir_wire_listen(const char *path, int *fd, struct weir_err *err);
/* Takes the next program that connects; waits for one. Streams will take their memory from `pool`,
 * which outlives the wire. */
enum weir_status weir_wire_accept(int fd, struct weir_stream_pool *pool, struct weir_wire **out,
                                  struct weir_err *err);
/* The same on a socket that is connected; it is closed with the wire, and on failure. */
enum weir_status weir_wire_adopt(int fd, struct weir_stream_pool *pool, struct weir_wire **out,
                                 struct weir_err *err);
/* Waits for the program's hello. Afterwards its name and process are known. */
enum weir_status weir_wire_meet(struct weir_wire *w, struct weir_err *err);
/* Answers it; before that the program does not go on. */
enum weir_status weir_wire_greet(struct weir_wire *w, const struct weir_wire_options *o,
                                 struct weir_err *err);
const char *weir_wire_program(const struct weir_wire *w);
pid_t weir_wire_pid(const struct weir_wire *w);

enum weir_wire_kind {
  WEIR_WIRE_CLOSED, /* the program has closed the connection, or ended between launches */
  WEIR_WIRE_LAUNCH,
  WEIR_WIRE_END,
  WEIR_WIRE_COPY,
  WEIR_WIRE_MODULE,
  WEIR_WIRE_MESSAGE,
  WEIR_WIRE_STRAY, /* of the launch, before its END */
  WEIR_WIRE_ASK    /* answer with weir_wire_answer before the next event */
};

/* Texts, the launch and the source are valid until the next call of weir_wire_next; a launch until
 * the one after its END. */
struct weir_wire_event {
  enum weir_wire_kind kind;
  struct weir_wire_launch launch; /* LAUNCH and END */
  /* LAUNCH with streams: its blocks. What is not taken is skipped by the next call. When the kernel
   * failed, the source fails after the last complete block with WEIR_EFAULT. */
  struct weir_block_source *source;
  struct weir_func_stats stats; /* END */
  enum weir_status result;      /* END */
  struct weir_event copy;       /* COPY */
  uint64_t module;              /* MODULE: id */
  const char *name, *text;      /* MODULE: both; MESSAGE: text. They end with NUL */
  size_t n_text;
  struct weir_stray stray; /* STRAY */
  uint64_t asked;          /* ASK: number of the launch, which has ended; or 0 */
};
/* Waits for the program. WEIR_EIO: the connection ended in the middle of something, as when the
 * program crashes; WEIR_EPARSE: what came is no frame. Only weir_wire_close may follow a failure.
 */
enum weir_status weir_wire_next(struct weir_wire *w, struct weir_wire_event *out,
                                struct weir_err *err);
enum weir_status weir_wire_answer(struct weir_wire *w, const struct weir_wire_times *t,
                                  struct weir_err *err);

#endif
