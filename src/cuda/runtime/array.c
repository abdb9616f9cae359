#include "cuda/runtime/array.h"

#include "cuda/runtime/memory.h"
#include "cuda/runtime/pending.h"

enum { PITCH_ALIGN = 32, FLAG_LAYERED = 1, FLAG_CUBEMAP = 4 };

uint64_t weir_gpu_format_bytes(const struct weir_gpu_format *f) {
  int sum = 0, n = 0;
  for (int i = 0; i < 4; i++) {
    int b = f->bits[i];
    if (b == 0) continue;
    if (i != n || (b != 8 && b != 16 && b != 32) || b != f->bits[0]) return 0;
    sum += b;
    n++;
  }
  if (n == 0 || n == 3 || f->kind < 0 || f->kind > 2) return 0;
  if (f->kind == 2 && f->bits[0] == 8) return 0;
  return (uint64_t)sum / 8;
}

static uint64_t at_least_1(uint64_t n) {
  return n != 0 ? n : 1;
}

int weir_gpu_array_new(const struct weir_gpu_format *f, uint64_t width, uint64_t height,
                       uint64_t depth, unsigned flags, struct weir_gpu_array **out) {
  uint64_t bytes = weir_gpu_format_bytes(f), limit = UINT64_C(1) << 24;
  if (bytes == 0) return WEIR_E_InvalidChannelDescriptor;
  if (width == 0 || width > limit || height > limit || depth > limit) return WEIR_E_InvalidValue;
  struct weir_gpu_array *a = weir_gpu_new(WEIR_GPU_ARRAY, sizeof *a);
  if (a == NULL) return WEIR_E_MemoryAllocation;
  a->format = *f;
  a->width = width;
  a->height = height;
  a->depth = depth;
  a->flags = flags;
  a->elem_bytes = bytes;
  a->pitch = (width * bytes + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
  int error = weir_gpu_alloc(WEIR_GPU_IN_ARRAY, a->pitch * at_least_1(height) * at_least_1(depth),
                             0, &a->addr);
  if (error != 0) {
    weir_gpu_drop(a);
    return error;
  }
  *out = a;
  return 0;
}

int weir_gpu_array_free(struct weir_gpu_array *a) {
  weir_gpu_wait_all();
  int error = weir_gpu_free(a->addr, 1u << WEIR_GPU_IN_ARRAY, WEIR_E_InvalidValue);
  weir_gpu_drop(a);
  return error;
}

static uint64_t halved(uint64_t n) {
  return n > 1 ? n / 2 : n;
}

int weir_gpu_mipmap_new(const struct weir_gpu_format *f, uint64_t width, uint64_t height,
                        uint64_t depth, uint32_t n_levels, unsigned flags,
                        struct weir_gpu_mipmap **out) {
  if (n_levels == 0 || n_levels > WEIR_GPU_MAX_LEVELS) return WEIR_E_InvalidValue;
  struct weir_gpu_mipmap *m = weir_gpu_new(WEIR_GPU_MIPMAP, sizeof *m);
  if (m == NULL) return WEIR_E_MemoryAllocation;
  bool is_layered = (flags & (FLAG_LAYERED | FLAG_CUBEMAP)) != 0;
  int error = 0;
  while (error == 0 && m->n_levels < n_levels) {
    struct weir_gpu_array **level = &m->levels[m->n_levels];
    error = weir_gpu_array_new(f, width, height, depth, flags, level);
    if (error == 0) {
      (*level)->level_of = m;
      m->n_levels++;
    }
    width = halved(width);
    height = halved(height);
    if (!is_layered) depth = halved(depth);
  }
  if (error != 0) {
    weir_gpu_mipmap_free(m);
    return error;
  }
  *out = m;
  return 0;
}

int weir_gpu_mipmap_free(struct weir_gpu_mipmap *m) {
  for (uint32_t i = 0; i < m->n_levels; i++)
    weir_gpu_array_free(m->levels[i]);
  weir_gpu_drop(m);
  return 0;
}
