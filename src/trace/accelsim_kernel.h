/* One kernel's file: header, static table, blocks. Used by accelsim.c only. */
#ifndef WEIR_TRACE_ACCELSIM_KERNEL_H
#define WEIR_TRACE_ACCELSIM_KERNEL_H

#include "base/arena.h"
#include "stream/block.h"
#include "trace/accelsim_sass.h"
#include "trace/accelsim_text.h"

/* A static instruction as its lines show it. Except for the mask and the addresses, all lines of an
 * instruction are equal:
 *
 *   [line] pc mask ndst [R..] OPCODE nsrc [R..] width | mode addresses... [immediate]
 *   \__head__/      \_____________tail______________/
 *
 * Without addresses (width 0) the tail reaches to the end of the line. Texts, not pcs, tell
 * instructions apart, because the functions that a kernel calls count their pcs from 0 again. */
struct weir_acc_insn {
  const char *head, *tail;
  uint32_t n_head, n_tail; /* n_head with the space behind it */
  uint32_t index;          /* in the kernel's table, known after the first reading */
  uint32_t after;          /* instruction that followed last time */
  uint32_t lanes;          /* whose addresses count */
  bool has_addr;           /* the trace gives addresses */
  uint8_t trouble;         /* enum weir_sass_trouble: UNKNOWN, else 0 */
  uint16_t n_opcode;
  const char *opcode;
  uint64_t n_seen; /* in the first reading */
  struct weir_static s;
};

struct weir_acc_header {
  uint64_t id, stream;
  uint32_t binary_version, tracer_version, shared_bytes, n_regs;
  bool has_lines;
  uint64_t shared_base, local_base; /* generic addresses of those windows; 0 = not known */
  uint32_t seen;                    /* a bit for each field of the table in accelsim_header.c */
};

struct weir_acc_kernel {
  struct weir_text_in in;
  struct weir_acc_header h;
  struct weir_kernel_info info;
  struct weir_block_source source;
  struct weir_stream_pool *pool;
  const struct weir_sass_override *over;
  size_t n_over;
  struct weir_arena arena;
  char *line, *end; /* the line being read */
  bool is_held;     /* it is to be read again */
  struct {
    struct weir_acc_insn *v;
    size_t n, cap;
  } insns;
  uint32_t *slots;        /* hash table of 1 + index into insns, 0 = free */
  uint32_t n_slots, last; /* last: the instruction before */
  struct weir_static *table;
  uint64_t n_grid, n_blocks; /* blocks of the grid, blocks read */
  uint64_t n_insts, local_max;
};

/* The line that follows, blank ones and comments left out; k->line is NULL at the end. */
enum weir_status weir_acc_line(struct weir_acc_kernel *k, struct weir_err *err);
#define WEIR_ACC_FAIL(k, at, code, ...)                                                            \
  weir_text_in_fail(&(k)->in, (k)->line, at, err, code, __VA_ARGS__)

/* accelsim_header.c: everything before the first block. */
enum weir_status weir_acc_header_read(struct weir_acc_kernel *k, struct weir_err *err);
/* "= 12" and "= 1,2,3" behind `name` in the line; an error names what is wrong. */
enum weir_status weir_acc_value(struct weir_acc_kernel *k, const char *name, const char *p,
                                uint64_t max, uint64_t *out, struct weir_err *err);
enum weir_status weir_acc_triple(struct weir_acc_kernel *k, const char *name, const char *p,
                                 uint32_t out[3], struct weir_err *err);

/* accelsim_insn.c: k->line is an instruction. `w` NULL is the first reading. `warp` counts over the
 * grid. */
enum weir_status weir_acc_insn_read(struct weir_acc_kernel *k, struct weir_warp_writer *w,
                                    uint64_t warp, struct weir_err *err);

/* Opens the file and reads it for the first time. `where` names the place that named it. The kernel
 * must be closed also after a failure. */
enum weir_status weir_acc_kernel_open(struct weir_acc_kernel *k, const char *path,
                                      const struct weir_where *where, struct weir_err *err);
void weir_acc_kernel_close(struct weir_acc_kernel *k);

#endif
