/* The warp stream: the joint between front ends (PTX execution, recorded and foreign traces) and
 * the timing model.
 *
 * A kernel has a table of static instructions. A warp's stream is a list of dynamic ones: static
 * index, active mask and, for memory instructions, lane addresses, encoded in a few bytes each and
 * read forward only. */
#ifndef WEIR_STREAM_STREAM_H
#define WEIR_STREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/cacheop.h"
#include "weir/err.h"

enum { WEIR_LANES = 32 };

enum weir_class {
#define WEIR_CLASS(id, text, number, help) WEIR_C_##id,
#include "stream/classes.def"
  WEIR_N_CLASSES
};
const char *weir_class_name(enum weir_class c);
/* The class that it was split from and follows; itself if it was not. */
enum weir_class weir_class_part_of(enum weir_class c);

enum weir_space {
  WEIR_SP_NONE,
  WEIR_SP_GLOBAL,
  WEIR_SP_SHARED,
  WEIR_SP_LOCAL,
  WEIR_SP_CONST,
  WEIR_SP_PARAM,
  WEIR_SP_TEX,
  WEIR_SP_GENERIC,
  WEIR_N_SPACES
};
enum { WEIR_MAX_DST = 4, WEIR_MAX_SRC = 8, WEIR_NO_REG = 0xffff };

struct weir_static {
  uint32_t pc;   /* byte address within the kernel: 8 per PTX instruction */
  uint8_t cls;   /* enum weir_class */
  uint8_t space; /* enum weir_space; of a generic access the dynamic record says which */
  uint8_t width; /* bytes per lane of a memory access (vector width included); 0: its records have
                    no addresses. Of a barrier whose records may carry a struct weir_barrier: 1 */
  uint8_t cache_op, evict_hint;
  uint8_t scope; /* level, of memory accesses and fences */
  /* Barriers: which one; for so many warps, 0 = all of the block; the warp is counted and does not
   * wait. */
  uint8_t bar_id, bar_warps;
  bool bar_arrive;
  /* Asynchronous copies: a load that is one, for which its group is waited; an instruction that
   * ends a group; one that waits while so many groups, or more, are under way (0: it does not). */
  bool is_copy, ends_copies;
  uint8_t waits_copies;
  bool reads_clock; /* a move or a conversion from one */
  bool is_fetch;    /* a texture read by index, of one dimension */
  uint8_t n_dst, n_src;
  uint16_t dst[WEIR_MAX_DST],
      src[WEIR_MAX_SRC]; /* register numbers of the kernel, predicates included */
  uint32_t file, line;   /* source position from .loc; line 0 = unknown */
  uint32_t ptx_line;
};

struct weir_outline;
struct weir_kernel_info {
  const char *name;
  uint32_t grid[3], block[3];
  uint32_t n_warps; /* per block */
  uint32_t n_regs;  /* stream register numbers used: 0 .. n_regs-1 */
  uint32_t regs_per_thread, static_shared, dyn_shared,
      local_bytes;     /* regs_per_thread 0 = unknown */
  bool regs_estimated; /* regs_per_thread is no compiler's figure */
  uint8_t
      carveout; /* preferred for shared memory, of the most there can be: percent + 1; 0: none */
  bool is_interleaved, reads_clock;
  uint32_t n_insns;
  const struct weir_static *insns;
  const struct weir_outline
      *outline; /* stream/outline.h; NULL: nothing is known, or it is machine code */
  uint32_t n_files;
  const char *const *files;
};

/* Blocks of a grid, threads of a block: the largest grid, 2^31 - 1 by 65535 by 65535, needs 64
 * bits.
 */
static inline uint64_t weir_volume(const uint32_t size[3]) {
  return (uint64_t)size[0] * size[1] * size[2];
}

/* Lane addresses of one memory instruction, as the producer found them. Lanes outside the mask are
 * ignored. */
enum weir_addr_kind { WEIR_ADDR_UNIFORM, WEIR_ADDR_STRIDE, WEIR_ADDR_LIST };
struct weir_addrs {
  enum weir_addr_kind kind;
  uint8_t space;  /* enum weir_space after generic addresses are resolved */
  uint64_t base;  /* UNIFORM: the address; STRIDE: that of lane 0 (even if lane 0 is inactive) */
  int64_t stride; /* STRIDE: bytes from lane to lane */
  const uint64_t *lane; /* LIST: 32 addresses */
};

/* What a barrier asks of a warp. Its static instruction says it, except where the id or the count
 * was in a register, and where only some of the warp's lanes have come: such a record carries this,
 * packed, as a uniform address (in global space, for want of a better one). */
enum { WEIR_BARRIERS = 16 };
struct weir_barrier {
  uint8_t id, warps; /* warps 0: all of the block that have not ended */
  bool is_partial;   /* other lanes are still missing: the warp is not counted and does not wait */
};

static inline uint64_t weir_barrier_pack(struct weir_barrier b) {
  return b.id | (uint64_t)b.warps << 8 | (uint64_t)b.is_partial << 16;
}

static inline struct weir_barrier weir_barrier_unpack(uint64_t v) {
  return (struct weir_barrier){
      .id = (uint8_t)(v % WEIR_BARRIERS), .warps = (uint8_t)(v >> 8), .is_partial = v >> 16 & 1};
}

#endif
