/* Memory that a program allocates, and copies. Addresses are the same on both sides, so a copy is
 * a copy; what is checked is that device memory exists where a program says it does. */
#ifndef WEIR_CUDA_RUNTIME_MEMORY_H
#define WEIR_CUDA_RUNTIME_MEMORY_H

#include "cuda/runtime/state.h"

enum weir_gpu_memory {
  WEIR_GPU_UNKNOWN,    /* the program's own */
  WEIR_GPU_DEVICE,     /* cudaMalloc, and variables of modules */
  WEIR_GPU_PINNED,     /* cudaMallocHost */
  WEIR_GPU_MANAGED,    /* cudaMallocManaged */
  WEIR_GPU_REGISTERED, /* the program's own, after cudaHostRegister */
  WEIR_GPU_IN_ARRAY,   /* behind a cudaArray: not for cudaFree */
  WEIR_GPU_MAPPED,     /* cuMemMap */
  WEIR_GPU_KINDS
};

/* Flags of a block. OF_GRAPH: it belongs to nodes of graphs, and keeps its address from launch to
 * launch; it is allocated from when a node does so until something frees it. OF_POOL: it comes from
 * a pool (cudaMallocAsync). */
enum { WEIR_GPU_OF_GRAPH = 1 << 30, WEIR_GPU_OF_POOL = 1 << 29 };

struct weir_gpu_pool;
struct weir_gpu_block {
  uint64_t base, bytes;
  enum weir_gpu_memory kind;
  unsigned flags; /* as the program gave them */
  uint64_t id;
  uint64_t owner;             /* context.h */
  struct weir_gpu_pool *pool; /* cudaMallocAsync */
  unsigned n_nodes;           /* of graphs, that allocate it */
  bool is_live;               /* of a graph's: it is allocated now */
};

/* 0 bytes give address 0. */
WEIR_GPU_SHARED int weir_gpu_alloc(enum weir_gpu_memory kind, uint64_t bytes, unsigned flags,
                                   uint64_t *addr);
/* Rows of `width` bytes at a pitch that suits textures. */
WEIR_GPU_SHARED int weir_gpu_alloc_pitch(uint64_t width, uint64_t rows, uint64_t *addr,
                                         uint64_t *pitch);
WEIR_GPU_SHARED int weir_gpu_register(uint64_t addr, uint64_t bytes, unsigned flags);
/* Device memory that the caller has made, at an address of its own. */
WEIR_GPU_SHARED int weir_gpu_adopt(uint64_t addr, uint64_t bytes, bool read_only);
/* `addr` must be the start of a block of one of `kinds` (bits 1 << kind), else `otherwise`. */
WEIR_GPU_SHARED int weir_gpu_free(uint64_t addr, unsigned kinds, int otherwise);
/* The block of a graph at an address; NULL: none. */
WEIR_GPU_SHARED struct weir_gpu_block *weir_gpu_graph_block(uint64_t addr);
/* One node less allocates it. */
void weir_gpu_graph_block_left(struct weir_gpu_block *b);
/* A managed variable is a block as well, while its module is loaded. */
int weir_gpu_variable(uint64_t addr, uint64_t bytes);
void weir_gpu_variable_gone(uint64_t addr);
/* The block that holds an address; NULL: none, or a module's variable. */
WEIR_GPU_SHARED struct weir_gpu_block *weir_gpu_block_of(uint64_t addr);
/* Bytes from an address to the end of its allocation; 0: there is none. */
WEIR_GPU_SHARED uint64_t weir_gpu_left(uint64_t addr);
WEIR_GPU_SHARED enum weir_gpu_memory weir_gpu_kind_of(uint64_t addr);
/* The allocation or variable of a module that holds an address; false: none. */
WEIR_GPU_SHARED bool weir_gpu_range_of(uint64_t addr, uint64_t *base, uint64_t *bytes);
WEIR_GPU_SHARED void weir_gpu_memory_info(uint64_t *free_bytes, uint64_t *total);
void weir_gpu_memory_reset(void);

/* ---- copies ---- */

struct weir_gpu_array;

/* One side of a copy: memory, or an array. */
struct weir_gpu_side {
  uint64_t ptr;
  struct weir_gpu_array *array; /* NULL: ptr counts */
  uint64_t pitch, rows;         /* of memory: bytes from row to row, rows from slice to slice */
  uint64_t x, y, z;             /* where it begins: byte, row, slice */
};

enum { WEIR_GPU_H2H, WEIR_GPU_H2D, WEIR_GPU_D2H, WEIR_GPU_D2D, WEIR_GPU_ANY };

struct weir_gpu_copy {
  struct weir_gpu_side dst, src;
  uint64_t width, height, depth; /* bytes, rows, slices */
  int kind;                      /* WEIR_GPU_H2H ..., as cudaMemcpyKind */
};
WEIR_GPU_SHARED int weir_gpu_copy_check(const struct weir_gpu_copy *c);
void weir_gpu_copy_run(const struct weir_gpu_copy *c);
static inline uint64_t weir_gpu_copy_bytes(const struct weir_gpu_copy *c) {
  return c->width * c->height * c->depth;
}
bool weir_gpu_side_on_device(const struct weir_gpu_side *s);
/* The address of its first byte. */
uint64_t weir_gpu_side_start(const struct weir_gpu_side *s);
/* Does it move bytes between host and device? */
bool weir_gpu_copy_crosses(const struct weir_gpu_copy *c);
/* `bytes` in a row. */
static inline struct weir_gpu_copy weir_gpu_copy_line(uint64_t dst, uint64_t src, uint64_t bytes,
                                                      int kind) {
  return (struct weir_gpu_copy){.dst = {.ptr = dst, .pitch = bytes, .rows = 1},
                                .src = {.ptr = src, .pitch = bytes, .rows = 1},
                                .width = bytes,
                                .height = 1,
                                .depth = 1,
                                .kind = kind};
}

struct weir_gpu_set {
  uint64_t ptr, pitch, rows; /* rows: from slice to slice */
  uint32_t value, elem_bytes;
  uint64_t width, height, depth; /* elements, rows, slices */
};
WEIR_GPU_SHARED int weir_gpu_set_check(const struct weir_gpu_set *s);
void weir_gpu_set_run(const struct weir_gpu_set *s);

#endif
