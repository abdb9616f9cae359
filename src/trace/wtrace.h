/* .wtrace: warp streams on disk. docs/wtrace.md gives every byte.
 *
 *   header │ table kernel group group … │ kernel group … │ … │ index │ provenance │ trailer
 *
 * A group is a piece of about 1 to 4 MiB of a kernel's blocks that can be decoded without any other
 * piece. Writing keeps one group in memory and reading one per open kernel. Every byte of the file
 * is under a checksum. */
#ifndef WEIR_TRACE_WTRACE_H
#define WEIR_TRACE_WTRACE_H

#include "stream/block.h"

enum {
  WEIR_WTRACE_VERSION = 4, /* that is written */
  WEIR_WTRACE_OLDEST = 1,  /* that is read */
  WEIR_WTRACE_LEVEL = 15,
  WEIR_WTRACE_MAX_WARPS = 64
};

/* What happened on the device, in order. */
enum weir_event_kind {
  WEIR_EVENT_KERNEL,
  WEIR_EVENT_COPY_TO_DEVICE,
  WEIR_EVENT_COPY_FROM_DEVICE,
  WEIR_EVENT_COPY_ON_DEVICE, /* addr is the destination */
  WEIR_N_EVENTS
};
struct weir_event {
  enum weir_event_kind kind;
  uint32_t kernel;      /* of KERNEL: which */
  uint64_t addr, bytes; /* of copies */
};

/* What a kernel, or a file, holds. */
struct weir_wtrace_counts {
  uint64_t n_blocks, n_insns, n_mem; /* n_mem: instructions with addresses */
  uint64_t stream_bytes;             /* as warp streams */
  uint64_t file_bytes;               /* tables and groups as stored */
};

/* ---- writing ---- */

struct weir_output;
struct weir_wtrace_opts {
  int level;             /* of zstd, 1..19; 0: WEIR_WTRACE_LEVEL; negative: nothing is compressed */
  uint32_t target_bytes; /* of a group before compression; 0: 2 MiB; 4 MiB at most */
  const char *source;    /* a line on where the streams come from; may be NULL */
  /* Where to, opened already (base/output.h): the caller completes it, after finish. NULL: the
   * writer opens the path and completes it. */
  struct weir_output *output;
};

struct weir_wtrace_writer;
/* The file gets its name when it is complete; until then a temporary grows beside it. */
enum weir_status weir_wtrace_create(const char *path, const struct weir_wtrace_opts *opts,
                                    struct weir_wtrace_writer **out, struct weir_err *err);
/* Begins a kernel, which ends with the next kernel, copy or finish. `info` is copied. */
enum weir_status weir_wtrace_kernel(struct weir_wtrace_writer *w,
                                    const struct weir_kernel_info *info, struct weir_err *err);
/* A finished block of the kernel; ids go up. The caller still owns it. */
enum weir_status weir_wtrace_block(struct weir_wtrace_writer *w, struct weir_block_stream *b,
                                   struct weir_err *err);
/* A kernel with all blocks that a source gives. */
enum weir_status weir_wtrace_record(struct weir_wtrace_writer *w, struct weir_block_source *src,
                                    struct weir_err *err);
enum weir_status weir_wtrace_copy(struct weir_wtrace_writer *w, enum weir_event_kind kind,
                                  uint64_t addr, uint64_t bytes, struct weir_err *err);
/* How the trace was made, any text: it comes after everything else. Copied; before it is finished.
 */
enum weir_status weir_wtrace_provenance(struct weir_wtrace_writer *w, const char *text,
                                        struct weir_err *err);
/* Completes the file and frees the writer, whatever is returned. `total` may be NULL. */
enum weir_status weir_wtrace_finish(struct weir_wtrace_writer *w, struct weir_wtrace_counts *total,
                                    struct weir_err *err);
/* Nothing stays of the file. NULL is fine. */
void weir_wtrace_abandon(struct weir_wtrace_writer *w);

/* ---- reading ---- */

struct weir_wtrace;
/* Header and index are read and checked; groups are checked when they are used. */
enum weir_status weir_wtrace_open(const char *path, struct weir_wtrace **out, struct weir_err *err);
/* As above, but no checksum is looked at: for salvaging a damaged file and for tests. */
enum weir_status weir_wtrace_open_unchecked(const char *path, struct weir_wtrace **out,
                                            struct weir_err *err);
/* Every source must have been closed. */
void weir_wtrace_close(struct weir_wtrace *t);

uint32_t weir_wtrace_version(const struct weir_wtrace *t);
const char *weir_wtrace_source_text(const struct weir_wtrace *t);
/* How it was made; NULL: that was left out, or version 2 and before. */
const char *weir_wtrace_provenance_text(const struct weir_wtrace *t);
/* Everything but that, which ends here. */
uint64_t weir_wtrace_content_bytes(const struct weir_wtrace *t);
uint64_t weir_wtrace_file_bytes(const struct weir_wtrace *t);
uint32_t weir_wtrace_n_events(const struct weir_wtrace *t);
struct weir_event weir_wtrace_event(const struct weir_wtrace *t, uint32_t i);
uint32_t weir_wtrace_n_kernels(const struct weir_wtrace *t);
struct weir_wtrace_counts weir_wtrace_kernel_counts(const struct weir_wtrace *t, uint32_t kernel);
uint32_t weir_wtrace_n_groups(const struct weir_wtrace *t, uint32_t kernel);

/* A kernel's description, without its blocks. */
enum weir_status weir_wtrace_info(const struct weir_wtrace *t, uint32_t kernel,
                                  struct weir_kernel_info **out, struct weir_err *err);
void weir_wtrace_info_free(struct weir_kernel_info *info);

/* The blocks of a kernel from the first whose id is `first_block` or more. Streams take their
 * memory from `pool`, which outlives the source. Several sources may be open, each used by one
 * thread at a time (release: by any). */
enum weir_status weir_wtrace_source_open(const struct weir_wtrace *t, uint32_t kernel,
                                         uint64_t first_block, struct weir_stream_pool *pool,
                                         struct weir_block_source **out, struct weir_err *err);
/* Blocks that were delivered may be released later. */
void weir_wtrace_source_close(struct weir_block_source *src);

/* Every byte is under a right checksum, everything decodes, every stream can be read, all counts
 * are those of the index. */
enum weir_status weir_wtrace_verify(const struct weir_wtrace *t, struct weir_err *err);

#endif
