#include "cuda/runtime/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cuda/runtime/array.h"
#include "cuda/runtime/context.h"

enum { PITCH = 512 };

/* ---- allocation ---- */

static const char *const kind_names[] = {
    [WEIR_GPU_DEVICE] = "cudaMalloc",         [WEIR_GPU_PINNED] = "cudaMallocHost",
    [WEIR_GPU_MANAGED] = "cudaMallocManaged", [WEIR_GPU_REGISTERED] = "cudaHostRegister",
    [WEIR_GPU_IN_ARRAY] = "cudaMallocArray",  [WEIR_GPU_MAPPED] = "cuMemMap",
};

/* Counted as the device's; what is mapped was counted when it was made. */
static bool is_on_device(enum weir_gpu_memory kind) {
  return kind == WEIR_GPU_DEVICE || kind == WEIR_GPU_MANAGED || kind == WEIR_GPU_IN_ARRAY;
}

/* A block with the name that messages about wrong accesses show: "cudaMalloc #3". */
static struct weir_gpu_block *new_block(enum weir_gpu_memory kind, uint64_t bytes, unsigned flags,
                                        char name[64]) {
  static uint64_t counts[WEIR_GPU_KINDS];
  struct weir_gpu_block *b = weir_calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  *b = (struct weir_gpu_block){.bytes = bytes, .kind = kind, .flags = flags};
  b->id = ++weir_gpu.next_id;
  b->owner = weir_gpu_owner;
  snprintf(name, 64, "%s #%" PRIu64, kind_names[kind], ++counts[kind]);
  return b;
}

static int keep_block(struct weir_gpu_block *b) {
  if (!weir_gpu_map_set(&weir_gpu.blocks, b->base, b)) {
    ptx_mem_release(&weir_gpu.dev.mem, b->base, NULL);
    free(b);
    return WEIR_E_MemoryAllocation;
  }
  if (is_on_device(b->kind)) weir_gpu.used_bytes += b->bytes;
  return 0;
}

static enum ptx_pool pool_of(enum weir_gpu_memory kind, unsigned flags) {
  if (kind == WEIR_GPU_PINNED) return PTX_POOL_PINNED;
  if (kind == WEIR_GPU_MANAGED) return PTX_POOL_MANAGED;
  bool is_ordered = (flags & (WEIR_GPU_OF_POOL | WEIR_GPU_OF_GRAPH)) != 0;
  return kind == WEIR_GPU_DEVICE && is_ordered ? PTX_POOL_ASYNC : PTX_POOL_DEVICE;
}

int weir_gpu_alloc(enum weir_gpu_memory kind, uint64_t bytes, unsigned flags, uint64_t *addr) {
  char name[64];
  *addr = 0;
  if (bytes == 0) return 0;
  uint64_t left, total; /* managed memory may exceed the device's */
  weir_gpu_memory_info(&left, &total);
  if (is_on_device(kind) && kind != WEIR_GPU_MANAGED && bytes > left)
    return WEIR_E_MemoryAllocation;
  struct weir_gpu_block *b = new_block(kind, bytes, flags, name);
  if (b == NULL) return WEIR_E_MemoryAllocation;
  if (ptx_mem_alloc_in(&weir_gpu.dev.mem, pool_of(kind, flags), bytes, 0, name, false, &b->base,
                       NULL) != WEIR_OK) {
    free(b);
    return WEIR_E_MemoryAllocation;
  }
  *addr = b->base;
  if (kind == WEIR_GPU_PINNED || kind == WEIR_GPU_MANAGED)
    ptx_mem_share(&weir_gpu.dev.mem, b->base);
  return keep_block(b);
}

int weir_gpu_alloc_pitch(uint64_t width, uint64_t rows, uint64_t *addr, uint64_t *pitch) {
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  if (*pitch < width || (rows != 0 && *pitch > UINT64_MAX / rows)) return WEIR_E_InvalidValue;
  return weir_gpu_alloc(WEIR_GPU_DEVICE, *pitch * rows, 0, addr);
}

static int adopt(enum weir_gpu_memory kind, uint64_t addr, uint64_t bytes, unsigned flags,
                 bool read_only) {
  char name[64];
  struct weir_gpu_block *b = new_block(kind, bytes, flags, name);
  if (b == NULL) return WEIR_E_MemoryAllocation;
  b->base = addr;
  enum weir_status st = ptx_mem_adopt(&weir_gpu.dev.mem, addr, bytes, name, read_only, NULL);
  if (st != WEIR_OK) {
    free(b);
    return st == WEIR_ENOMEM ? WEIR_E_MemoryAllocation : WEIR_E_InvalidValue;
  }
  return keep_block(b);
}

int weir_gpu_register(uint64_t addr, uint64_t bytes, unsigned flags) {
  if (addr == 0 || bytes == 0) return WEIR_E_InvalidValue;
  if (weir_gpu_kind_of(addr) != WEIR_GPU_UNKNOWN) return WEIR_E_HostMemoryAlreadyRegistered;
  return adopt(WEIR_GPU_REGISTERED, addr, bytes, flags, false);
}

/* It is of no context. */
int weir_gpu_adopt(uint64_t addr, uint64_t bytes, bool read_only) {
  int error = adopt(WEIR_GPU_MAPPED, addr, bytes, 0, read_only);
  if (error == 0) weir_gpu_block_of(addr)->owner = 0;
  return error;
}

static void drop_block(struct weir_gpu_block *b) {
  if (is_on_device(b->kind)) weir_gpu.used_bytes -= b->bytes;
  ptx_mem_release(&weir_gpu.dev.mem, b->base, NULL);
  weir_gpu_map_remove(&weir_gpu.blocks, b->base);
  free(b);
}

int weir_gpu_free(uint64_t addr, unsigned kinds, int otherwise) {
  if (addr == 0) return 0;
  struct weir_gpu_block *b = weir_gpu_map_get(&weir_gpu.blocks, addr);
  if (b == NULL || (kinds >> b->kind & 1) == 0) return otherwise;
  bool is_graphs = (b->flags & WEIR_GPU_OF_GRAPH) != 0 && kinds != ~0u;
  if (is_graphs && !b->is_live) return otherwise;
  b->is_live = false;
  if (!is_graphs || b->n_nodes == 0) drop_block(b);
  return 0;
}

struct weir_gpu_block *weir_gpu_graph_block(uint64_t addr) {
  struct weir_gpu_block *b = weir_gpu_block_of(addr);
  return b != NULL && (b->flags & WEIR_GPU_OF_GRAPH) != 0 ? b : NULL;
}

void weir_gpu_graph_block_left(struct weir_gpu_block *b) {
  if (b->n_nodes > 0) b->n_nodes--;
  if (b->n_nodes == 0 && !b->is_live) drop_block(b);
}

int weir_gpu_variable(uint64_t addr, uint64_t bytes) {
  struct weir_gpu_block *b = weir_calloc(1, sizeof *b);
  if (b == NULL) return WEIR_E_MemoryAllocation;
  *b = (struct weir_gpu_block){.base = addr, .bytes = bytes, .kind = WEIR_GPU_MANAGED};
  ptx_mem_share(&weir_gpu.dev.mem, addr);
  if (weir_gpu_map_set(&weir_gpu.blocks, addr, b)) return 0;
  free(b);
  return WEIR_E_MemoryAllocation;
}

void weir_gpu_variable_gone(uint64_t addr) {
  free(weir_gpu_map_remove(&weir_gpu.blocks, addr));
}

struct weir_gpu_block *weir_gpu_block_of(uint64_t addr) {
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, addr);
  return a != NULL ? weir_gpu_map_get(&weir_gpu.blocks, a->base) : NULL;
}

uint64_t weir_gpu_left(uint64_t addr) {
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, addr);
  return a != NULL ? a->base + a->bytes - addr : 0;
}

enum weir_gpu_memory weir_gpu_kind_of(uint64_t addr) {
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, addr);
  if (a == NULL) return WEIR_GPU_UNKNOWN;
  const struct weir_gpu_block *b = weir_gpu_map_get(&weir_gpu.blocks, a->base);
  return b != NULL ? b->kind : WEIR_GPU_DEVICE;
}

bool weir_gpu_range_of(uint64_t addr, uint64_t *base, uint64_t *bytes) {
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, addr);
  if (a == NULL) return false;
  *base = a->base;
  *bytes = a->bytes;
  return true;
}

void weir_gpu_memory_info(uint64_t *free_bytes, uint64_t *total) {
  *total = weir_gpu.props.memory_bytes;
  *free_bytes = weir_gpu.used_bytes < *total ? *total - weir_gpu.used_bytes : 0;
}

/* Registered memory stays: it is the program's. */
void weir_gpu_memory_reset(void) {
  for (size_t i = 0; i < weir_gpu.blocks.cap; i++) {
    struct weir_gpu_block *b = weir_gpu.blocks.slots[i].value;
    if (b != NULL) weir_gpu_free(b->base, ~0u, 0);
  }
}

/* ---- copies ---- */

/* Where the first byte is, and the distances; an array is memory with a pitch. */
struct plane {
  uint64_t at, pitch, slice;
};

static struct plane plane_of(const struct weir_gpu_side *s) {
  const struct weir_gpu_array *a = s->array;
  uint64_t pitch = a != NULL ? a->pitch : s->pitch;
  uint64_t rows = a == NULL ? s->rows : a->height != 0 ? a->height : 1;
  uint64_t base = a != NULL ? a->addr : s->ptr;
  return (struct plane){base + s->x + s->y * pitch + s->z * rows * pitch, pitch, rows * pitch};
}

/* Bytes from the first to the last that are touched. */
static uint64_t span(const struct plane *p, const struct weir_gpu_copy *c) {
  return (c->depth - 1) * p->slice + (c->height - 1) * p->pitch + c->width;
}

static bool fits_array(const struct weir_gpu_side *s, const struct weir_gpu_copy *c) {
  const struct weir_gpu_array *a = s->array;
  uint64_t rows = a->height != 0 ? a->height : 1, slices = a->depth != 0 ? a->depth : 1;
  return s->x + c->width <= a->width * a->elem_bytes && s->y + c->height <= rows &&
         s->z + c->depth <= slices;
}

static int check_side(const struct weir_gpu_side *s, const struct weir_gpu_copy *c,
                      bool as_device) {
  if (s->array != NULL) return fits_array(s, c) ? 0 : WEIR_E_InvalidValue;
  struct plane p = plane_of(s);
  if (s->ptr == 0) return WEIR_E_InvalidValue;
  if (c->height > 1 && s->pitch < c->width) return WEIR_E_InvalidPitchValue;
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, p.at);
  if (a != NULL && !a->is_adopted && p.at - a->base + span(&p, c) > a->bytes)
    return WEIR_E_InvalidValue;
  /* Device memory may be called the host's: an H200's runtime looks at the address. */
  bool is_wrong = as_device && weir_gpu_kind_of(p.at) == WEIR_GPU_UNKNOWN;
  return is_wrong ? WEIR_E_InvalidValue : 0;
}

int weir_gpu_copy_check(const struct weir_gpu_copy *c) {
  if (c->kind < WEIR_GPU_H2H || c->kind > WEIR_GPU_ANY) return WEIR_E_InvalidMemcpyDirection;
  if (weir_gpu_copy_bytes(c) == 0) return 0;
  int error = check_side(&c->dst, c, c->kind == WEIR_GPU_H2D || c->kind == WEIR_GPU_D2D);
  return error != 0 ? error
                    : check_side(&c->src, c, c->kind == WEIR_GPU_D2H || c->kind == WEIR_GPU_D2D);
}

void weir_gpu_copy_run(const struct weir_gpu_copy *c) {
  struct plane d = plane_of(&c->dst), s = plane_of(&c->src);
  if (weir_gpu_copy_bytes(c) == 0) return;
  for (uint64_t z = 0; z < c->depth; z++)
    for (uint64_t y = 0; y < c->height; y++)
      memmove((void *)(uintptr_t)(d.at + z * d.slice + y * d.pitch),
              (const void *)(uintptr_t)(s.at + z * s.slice + y * s.pitch), (size_t)c->width);
}

bool weir_gpu_side_on_device(const struct weir_gpu_side *s) {
  enum weir_gpu_memory kind = weir_gpu_kind_of(s->ptr);
  return s->array != NULL || is_on_device(kind) || kind == WEIR_GPU_MAPPED;
}

uint64_t weir_gpu_side_start(const struct weir_gpu_side *s) {
  return plane_of(s).at;
}

bool weir_gpu_copy_crosses(const struct weir_gpu_copy *c) {
  return weir_gpu_side_on_device(&c->dst) != weir_gpu_side_on_device(&c->src);
}

/* ---- filling ---- */

int weir_gpu_set_check(const struct weir_gpu_set *s) {
  uint64_t width = s->width * s->elem_bytes;
  if (s->elem_bytes != 1 && s->elem_bytes != 2 && s->elem_bytes != 4) return WEIR_E_InvalidValue;
  if (width == 0 || s->height == 0 || s->depth == 0) return 0;
  if (s->height > 1 && s->pitch < width) return WEIR_E_InvalidValue;
  const struct ptx_alloc *a = ptx_mem_find(&weir_gpu.dev.mem, s->ptr);
  if (a == NULL || s->ptr % s->elem_bytes != 0) return WEIR_E_InvalidValue;
  uint64_t last = (s->depth - 1) * s->rows * s->pitch + (s->height - 1) * s->pitch + width;
  return a->is_adopted || s->ptr - a->base + last <= a->bytes ? 0 : WEIR_E_InvalidValue;
}

static void fill_row(uint8_t *at, const struct weir_gpu_set *s) {
  if (s->elem_bytes == 1)
    memset(at, (int)(s->value & 0xff), (size_t)s->width);
  else
    for (uint64_t i = 0; i < s->width; i++)
      memcpy(at + i * s->elem_bytes, &s->value, s->elem_bytes);
}

void weir_gpu_set_run(const struct weir_gpu_set *s) {
  for (uint64_t z = 0; z < s->depth; z++)
    for (uint64_t y = 0; y < s->height; y++)
      fill_row((uint8_t *)(uintptr_t)(s->ptr + (z * s->rows + y) * s->pitch), s);
}
