/* Accel-Sim traces: a list of commands (kernelslist.g) and one text file per kernel (.traceg, or
 * .traceg.xz), written by its NVBit tracer, versions 4 and 5.
 *
 *   weir_accelsim_open ─► weir_accelsim_next ─► ... ─► next (END) ─► weir_accelsim_close
 *                           │ a copy, or a kernel with its block source
 *                           └─ a kernel's file is read twice: first for its static instructions,
 *                              then, one thread block at a time, for their streams
 *
 * The first reading makes the static table complete and ordered by pc before the kernel is handed
 * out, and finds unknown opcodes, missing blocks and wrong counts before anything is simulated.
 * Memory: one buffer of text, the static table, the blocks not yet released.
 *
 * What a trace does not say: predicate and uniform registers, so dependences through them are not
 * known; the address of constant and texture reads, which therefore count as moves and texture
 * instructions without addresses; which source file a line number belongs to; that a wait is for
 * asynchronous copies (LDGSTS is a load whose result nobody waits for). Local memory is laid out
 * from 2^50 on, as hardware interleaves it; shared addresses are offsets. */
#ifndef WEIR_TRACE_ACCELSIM_H
#define WEIR_TRACE_ACCELSIM_H

#include "stream/block.h"

struct weir_accelsim;

enum weir_accelsim_kind { WEIR_ACCELSIM_END, WEIR_ACCELSIM_MEMCPY, WEIR_ACCELSIM_KERNEL };

/* One command of the list. Texts and the source are valid until the next command is read. */
struct weir_accelsim_event {
  enum weir_accelsim_kind kind;
  unsigned line;        /* of the list; 0 for a kernel file given by itself */
  uint64_t addr, bytes; /* MEMCPY: host to device */
  /* KERNEL */
  const char *path;
  uint64_t id, stream; /* the kernel's number and its CUDA stream */
  uint32_t binary_version, tracer_version;
  uint64_t n_insts;                 /* warp instructions in the file */
  struct weir_block_source *source; /* its blocks come in the order of their ids, all of the grid;
                                       NULL: it was to be skipped, and only its path is known */
};

/* `path` is a kernelslist.g or a single kernel's file. `opcode_class` are `n` texts NAME=CLASS:
 * NAME an opcode with or without its suffixes ("FOO" is also "FOO.X"; the longer name wins), CLASS
 * one of classes.def. An opcode that they make a load, store or atomic accesses generic memory.
 * Blocks come from `pool`, which outlives the trace. Nothing is kept of `path` and `opcode_class`.
 */
enum weir_status weir_accelsim_open(const char *path, const char *const *opcode_class, size_t n,
                                    struct weir_stream_pool *pool, struct weir_accelsim **out,
                                    struct weir_err *err);
/* The next command. Every block of the last kernel must have been released. After a failure only
 * weir_accelsim_close may follow. */
enum weir_status weir_accelsim_next(struct weir_accelsim *t, struct weir_accelsim_event *e,
                                    struct weir_err *err);
/* The files of the next n kernels are not looked at. */
void weir_accelsim_skip(struct weir_accelsim *t, uint64_t n);
void weir_accelsim_close(struct weir_accelsim *t);

/* True when the file looks like a list of commands or a kernel's trace, judged by its beginning. */
bool weir_is_accelsim(const char *path);
/* By its name one kernel's trace, which needs no list. */
bool weir_is_accelsim_kernel(const char *path);

#endif
