/* Inside of the interpreter: micro-operations, warps, splits.
 *
 * A warp's registers are one block of memory. A register is 32 lanes side by side (1, 2, 4 or 8
 * bytes each), aligned to 64 bytes; a predicate is one 32-bit mask. Constants, parameters and
 * special registers are slots of the same block, filled before the first instruction, so that a
 * handler sees registers only:
 *
 *   | true | cc | false | registers of the kernel | of function 1 | ... | constants, ... |
 *   0      4    8       64                                              fixed
 *
 * A micro-operation addresses them by byte offset. One PTX instruction is one micro-operation, so
 * static indices, statistics and messages need no map. */
#ifndef WEIR_EXEC_CORE_H
#define WEIR_EXEC_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "exec/fifo.h"
#include "exec/fp.h"
#include "exec/mem.h"
#include "ptx/ir.h"
#include "stream/func_stats.h"
#include "stream/stream.h"

enum { LANES = 32, SLOT_TRUE = 0, SLOT_CC = 4, SLOT_FALSE = 8, SLOT_FIRST = 64 };
#define FULL UINT32_C(0xffffffff)

enum ptx_handler {
  PTX_H_none,
#define PTX_H(id) PTX_H_##id,
#include "exec/handlers.def"
#undef PTX_H
  PTX_N_HANDLERS
};

/* What the warp loop does with a micro-operation. */
enum ptx_kind {
  PTX_K_PLAIN, /* call fn */
  PTX_K_MEM,   /* call fn, then look for a fault */
  PTX_K_NOP,
  PTX_K_BRA,
  PTX_K_BRX,
  PTX_K_CALL,
  PTX_K_ICALL,   /* call of the function whose address is in a register */
  PTX_K_BUILTIN, /* call of a function of CUDA's device library */
  PTX_K_RET,
  PTX_K_EXIT,
  PTX_K_TRAP,
  PTX_K_BAR,  /* block barrier */
  PTX_K_SYNC, /* warp-wide exchange: shfl, vote, match, redux, bar.warp */
  PTX_K_SLEEP,
  PTX_K_FENCE
};

struct ptx_warp;
struct ptx_uop;
typedef void (*ptx_fn)(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask);

struct ptx_uop {
  ptx_fn fn;
  uint32_t d, a, b, c; /* byte offsets into the register block */
  uint32_t guard;      /* offset of the guard's mask */
  uint32_t guard_xor;  /* FULL for @!p */
  uint64_t imm;        /* immediate, address offset */
  union {
    void (*fn)(void);     /* a function of fp.h, cast back by the handler */
    const uint32_t *list; /* offsets of vector elements or branch targets */
    ptx_cvt_fn cvt;
    ptx_half_fn half;
    const struct ptx_video *video;
    const struct ptx_call *call;
    const struct ptx_call *const *calls; /* by index of the function; NULL: cannot be called here */
    const struct ptx_matrix *matrix;
    const struct ptx_copy_async *copy;
    const struct ptx_tex_op *tex;
  } x;
  uint32_t target; /* branch target; number of list entries */
  uint32_t rpc;    /* where both sides of a branch meet; PTX_NO_RPC = only at the end */
  uint16_t h;      /* enum ptx_handler */
  uint8_t kind;    /* enum ptx_kind */
  uint8_t aux, aux2, aux3;
  uint8_t space;     /* enum ptx_space of memory operations */
  uint8_t size;      /* bytes per element of memory operations */
  uint8_t n_vec;     /* elements: 1, 2, 4 or 8 */
  uint8_t reg_bytes; /* width of the data registers */
  uint8_t is_signed;
  uint8_t base_kind; /* enum ptx_base */
  bool is_aligned;   /* of barriers: for whole warps */
  uint8_t watch;     /* enum ptx_watch */
  struct ptx_fpmode mode;
};

enum ptx_base {
  PTX_BASE_REG64,
  PTX_BASE_REG32,
  PTX_BASE_CONST,
  PTX_BASE_FRAME /* local memory of this activation */
};
/* What spin.h has to know of memory operations. */
enum ptx_watch {
  PTX_WATCH_LOADS = 1,
  PTX_WATCH_VALUES = 2,   /* its destination holds what was loaded */
  PTX_WATCH_OBSERVES = 4, /* it asks for the newest value */
  PTX_WATCH_STORES = 8
};
enum ptx_atom {
  PTX_ATOM_ADD,
  PTX_ATOM_MIN,
  PTX_ATOM_MAX,
  PTX_ATOM_INC,
  PTX_ATOM_DEC,
  PTX_ATOM_AND,
  PTX_ATOM_OR,
  PTX_ATOM_XOR,
  PTX_ATOM_EXCH,
  PTX_ATOM_CAS
};
enum ptx_atom_type {
  PTX_ATOM_UNSIGNED,
  PTX_ATOM_SIGNED,
  PTX_ATOM_FLOAT,
  PTX_ATOM_F16, /* one half, or a pair, by size */
  PTX_ATOM_BF16
};
/* Destinations of setp and set: one predicate, two or with a Boolean operator, values. */
enum ptx_set { SET_PRED, SET_PRED_FULL, SET_U32, SET_F32, SET_B16 };
#define PTX_NO_RPC UINT32_MAX

/* A call: where arguments go and what must be saved. Copies are lane by lane under the mask. */
struct ptx_copy {
  uint32_t to, from,
      lane_bytes; /* both sides are arrays of 32 elements of lane_bytes; 0 = predicate masks */
};
struct ptx_call {
  uint32_t func; /* index into program->funcs */
  uint32_t n_in, n_out;
  const struct ptx_copy *in, *out; /* out is carried out at return */
};

/* cp.async: the micro-operation's address is the source; where the bytes go, and how many. */
struct ptx_copy_async {
  uint64_t imm; /* address in shared memory, as of a micro-operation */
  uint32_t a;
  uint8_t base_kind;
  enum { PTX_COPY_ALL, PTX_COPY_SIZE, PTX_COPY_UNLESS } how;
  uint32_t at; /* slot of the number of bytes, or of the predicate */
  bool neg;
};

/* aux2 of PTX_K_BRA: sides that an assembler makes guarded instructions of */
enum { PTX_BRA_NEXT_GUARDED = 1, PTX_BRA_TARGET_GUARDED = 2 };

struct ptx_lanes { /* 32 elements of lane_bytes from `at` on; lane_bytes 0 = a predicate's mask */
  uint32_t at, lane_bytes;
};

struct ptx_fn_info { /* a function of a program */
  const struct ptx_func *ir;
  uint32_t entry; /* first micro-operation */
  uint32_t end;
  uint32_t reg_lo, reg_hi;      /* its part of the register block */
  uint32_t local_bytes;         /* of one activation, 16-aligned */
  bool is_recursive;            /* can be on a call path twice: registers are saved at the call */
  const struct ptx_lanes *zero; /* registers that may be read before they are written */
  const struct ptx_lanes *contents; /* registers and parameters: what a recursive call saves */
  uint32_t n_zero, n_contents;
};

struct ptx_pc_stat { /* per static instruction and launch */
  uint64_t execs, lanes, diverged;
};

/* ---- SIMT ---- */
/* A node is a set of lanes at one place: running, waiting at a barrier or exchange, or a join that
 * collects lanes. */
enum ptx_split_state { PTX_S_FREE, PTX_S_RUN, PTX_S_JOIN, PTX_S_BAR, PTX_S_SYNC };
struct ptx_split {
  uint32_t pc, mask;   /* JOIN: where it goes on; lanes that arrived */
  uint32_t expected;   /* JOIN: lanes that will still have to arrive or have */
  uint32_t rpc;        /* place at which these lanes meet their siblings */
  int32_t parent;      /* the join to which they go, -1 = none */
  uint32_t n_back;     /* backward branches since it was chosen */
  uint32_t local_base; /* first byte of this activation's local memory */
  uint16_t depth;      /* calls */
  uint8_t state;
  bool is_call; /* JOIN made by a call: lanes arrive by ret */
  const struct ptx_call *call;
  uint8_t *saved;  /* the callee's part of the register block as it was, if the call is recursive */
  bool is_guarded; /* an assembler makes guarded instructions of what leads here from the parent */
  uint32_t sync_mask; /* SYNC: member mask */
  uint32_t bar_count; /* BAR: threads; 0: all of the block */
  uint8_t bar_id;
  bool is_counted; /* BAR: its warp has come */
};

struct ptx_fault {
  enum ptx_fault_kind kind;
  uint32_t pc, lane;
  uint64_t addr;
  uint64_t generic; /* the address as the program had it, if that was a generic one; else 0 */
  uint64_t
      home; /* the access is in an allocation, but its pointer starts in that at this address */
  uint32_t bytes;
  uint8_t space, why; /* why: of PTX_F_BARRIER, an enum ptx_bar_fault */
  bool is_store;
};

struct ptx_word { /* of global or shared memory, as a warp saw it */
  uint64_t addr, value;
  const uint8_t *at; /* where it is; NULL: nobody but the launch can change it now */
  uint32_t bytes;    /* 0: no word */
  bool is_global;
};
struct ptx_words {
  struct ptx_word *v;
  size_t n, cap;
};

/* The loads of a stretch of time: equal sets of them give equal signatures. */
struct ptx_signature {
  uint64_t max, min, bits, n;
};

struct weir_warp_writer;
struct ptx_reach;
struct ptx_strays;

struct ptx_warp {
  uint8_t *reg; /* the register block */
  const struct ptx_program *prog;
  struct ptx_cta *cta;
  struct ptx_pc_stat *stat; /* per micro-operation */
  const struct ptx_uop *code;
  struct weir_warp_writer *writer; /* NULL = no stream wanted */
  const struct ptx_mem *mem;
  struct ptx_reach *reach;   /* per micro-operation: the bounds check is two comparisons */
  struct ptx_strays *strays; /* NULL: an access outside of allocations is a fault */
  const struct ptx_tex_table *tex;
  struct weir_func_stats
      *func_stats; /* of the launch: memory accesses are counted where they are made */
  struct weir_line_counter *counter;
  uint8_t *shared;
  uint32_t shared_bytes;
  uint32_t local_base;  /* of the running split */
  uint8_t *local;       /* [lane][local_step] */
  uint32_t local_bytes; /* per lane */
  uint32_t local_step;  /* the same, and what a GPU has mapped behind it */
  uint32_t local_used;  /* of these: the deepest call since the block began */
  uint32_t max_depth;   /* of calls */
  const uint8_t *param; /* the launch's parameter block */
  uint32_t param_bytes;
  uint32_t live;     /* lanes that have not exited */
  uint32_t index;    /* in the block */
  int32_t current;   /* split to go on with, -1 = none can run */
  uint32_t n_splits; /* highest used + 1 */
  uint64_t executed; /* warp instructions so far */
  const uint64_t *launch_executed;
  struct ptx_split *splits;
  uint32_t cap_splits;
  struct ptx_arrival { /* the last arrival of lanes at a barrier, not in the stream yet: whether it
                          is the one with which the warp counts is known when others come or exit */
    uint32_t pc, mask, warps, id; /* mask 0: none */
  } arrival;
  bool is_held; /* all its lanes wait at a barrier to which some came */
  struct ptx_fault fault;
  bool is_stored;        /* something happened that another warp could see */
  bool has_met;          /* it reached a barrier */
  bool has_run;          /* since signatures were taken last */
  bool is_asleep;        /* it would do the same again and again until one of `sleeps_on` changes */
  uint32_t n_quiet;      /* quanta in a row in which it stored nothing */
  struct ptx_spin *spin; /* of the launch; NULL: it cannot spin */
  struct ptx_words sleeps_on;
  struct ptx_signature signature, signature_before;
};

struct ptx_cta {
  uint64_t id;
  uint32_t ctaid[3];
  struct ptx_warp *warps;
  uint32_t n_warps, n_live_warps;
  uint8_t *shared;
  struct ptx_bar {              /* counts threads, in whole warps */
    uint32_t arrived, expected; /* expected 0: all warps that have not exited */
    uint32_t n_true, n_voted;   /* bar.red */
    uint8_t red;                /* enum ptx_bar_op: what it reduces, or PTX_BAR_SYNC */
    bool is_open;
  } bar[WEIR_BARRIERS];
  struct weir_block_stream *stream;
  const struct ptx_launch *launch;
  struct ptx_fifo printed; /* by printf, until the block is done */
  size_t printed_limit;
  struct weir_text complaint; /* of an assertion that failed */
  struct ptx_heap *heap;      /* the device's, if the program can ask for it */
};

/* Handler tables of the vector widths this build has; index by enum ptx_handler. */
extern const ptx_fn ptx_handlers_base[PTX_N_HANDLERS];
#ifdef WEIR_HAVE_AVX2
extern const ptx_fn ptx_handlers_avx2[PTX_N_HANDLERS];
#endif
#ifdef WEIR_HAVE_AVX512
extern const ptx_fn ptx_handlers_avx512[PTX_N_HANDLERS];
#endif

/* ---- program: a kernel, decoded ---- */
struct ptx_param_slot {
  uint32_t slot, offset;
  uint8_t bytes, reg_bytes;
  bool is_signed;
};
struct ptx_const_slot {
  uint32_t slot;
  uint8_t bytes;
  uint64_t value;
};
struct ptx_sreg_slot {
  uint32_t slot;
  uint8_t bytes;
  uint16_t sreg;
};

/* Where the pointer that an instruction uses comes from: a parameter at this offset of the block,
 * or a variable at this address. */
struct ptx_home {
  enum { PTX_HOME_UNKNOWN, PTX_HOME_PARAM, PTX_HOME_VAR } kind;
  uint64_t at;
};

struct ptx_program {
  struct weir_arena arena;
  const struct ptx_image *image;
  const struct ptx_func *entry;
  struct ptx_uop *code;
  const struct ptx_insn **insn; /* IR of each micro-operation */
  uint32_t *func_of;            /* function index of each */
  uint32_t n_code;
  struct ptx_fn_info *funcs;
  uint32_t n_funcs;
  uint32_t *func_at;      /* by index in the module: index into funcs, or UINT32_MAX; NULL without
                             indirect calls */
  uint32_t reg_bytes;     /* size of the register block */
  uint32_t fixed_lo;      /* from here on: constants, parameters and special registers */
  uint32_t n_stream_regs; /* registers of all functions, numbered for streams */
  uint32_t regs_estimate; /* per thread, if ptxas was not asked */
  struct ptx_const_slot *consts;
  uint32_t n_consts;
  struct ptx_param_slot *params;
  uint32_t n_params;
  struct ptx_sreg_slot *sregs;
  uint32_t n_sregs;
  uint32_t
      static_shared;    /* bytes of static shared memory; dynamic shared starts there, 16-aligned */
  uint32_t local_bytes; /* of a non-recursive program: the deepest call path; else 0 =
                           exec.stack_bytes */
  bool is_recursive, is_interleaved, reads_clock, has_calls, has_builtins, uses_heap;
  struct weir_static *statics;
  const struct weir_outline *outline; /* of the statics */
  struct ptx_home *homes; /* of each micro-operation; NULL where every miss is a fault */
};

#endif
