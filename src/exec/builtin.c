#include "exec/builtin.h"

#include <string.h>

#include "exec/fifo.h"
#include "exec/format.h"
#include "exec/heap.h"

#define EACH_BIT(i, mask)                                                                          \
  for (uint32_t i##_left = (mask), i; i##_left != 0 && (i = (uint32_t)__builtin_ctz(i##_left), 1); \
       i##_left &= i##_left - 1)

/* ---- memory as a lane sees it ---- */

const uint8_t *ptx_lane_bytes(struct ptx_warp *w, uint32_t lane, uint64_t addr, uint64_t *left) {
  const struct {
    uint64_t window;
    const uint8_t *at;
    uint64_t bytes;
    uint8_t space;
  } windows[] = {
      {PTX_SHARED_BASE, w->shared, w->shared_bytes, PTX_SPACE_shared},
      {PTX_LOCAL_BASE, w->local != NULL ? w->local + (size_t)lane * w->local_step : NULL,
       w->local_bytes, PTX_SPACE_local},
      {PTX_PARAM_BASE, w->param, w->param_bytes, PTX_SPACE_param},
  };
  uint8_t space = PTX_SPACE_global;
  uint64_t offset = addr;
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
    if (addr - windows[i].window >= PTX_WINDOW) continue;
    space = windows[i].space;
    offset = addr - windows[i].window;
    if (offset >= windows[i].bytes) break;
    *left = windows[i].bytes - offset;
    return windows[i].at + offset;
  }
  const struct ptx_alloc *a = space == PTX_SPACE_global ? ptx_mem_find(w->mem, addr) : NULL;
  if (a != NULL) {
    *left = a->base + a->bytes - addr;
    return ptx_mem_host(w->mem, addr);
  }
  if (w->fault.kind == PTX_F_NONE)
    w->fault = (struct ptx_fault){.kind = PTX_F_BOUNDS,
                                  .lane = lane,
                                  .addr = offset,
                                  .generic = addr,
                                  .bytes = 1,
                                  .space = space};
  return NULL;
}

/* ---- the functions ---- */

static uint64_t arg(const struct ptx_warp *w, const struct ptx_uop *u, unsigned k, unsigned bytes,
                    uint32_t lane) {
  uint64_t v = 0;
  memcpy(&v, w->reg + u->x.list[PTX_B_ARGS + k] + (size_t)lane * bytes, bytes);
  return v;
}

static void result(struct ptx_warp *w, const struct ptx_uop *u, unsigned bytes, uint32_t lane,
                   uint64_t v) {
  uint32_t at = u->x.list[PTX_B_RESULT];
  if (at != UINT32_MAX) memcpy(w->reg + at + (size_t)lane * bytes, &v, bytes);
}

static void call_vprintf(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  struct weir_text text = {0};
  struct ptx_cta *c = w->cta;
  EACH_BIT(i, mask) {
    text.n = 0;
    size_t cost;
    int32_t n = ptx_format(w, i, arg(w, u, 0, 8, i), arg(w, u, 1, 8, i), &text, &cost);
    if (w->fault.kind != PTX_F_NONE) break;
    if (text.failed ||
        !ptx_fifo_add(&c->printed, text.v != NULL ? text.v : "", text.n, cost, c->printed_limit)) {
      w->fault.kind = PTX_F_NOMEM;
      break;
    }
    result(w, u, 4, i, (uint32_t)n);
  }
  weir_text_free(&text);
}

static void call_malloc(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  EACH_BIT(i, mask) result(w, u, 8, i, ptx_heap_take(w->cta->heap, arg(w, u, 0, 8, i)));
}

static void call_free(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  EACH_BIT(i, mask) {
    uint64_t addr = arg(w, u, 0, 8, i);
    if (addr == 0 || ptx_heap_give(w->cta->heap, addr)) continue;
    w->fault = (struct ptx_fault){.kind = PTX_F_HEAP, .lane = i, .addr = addr};
    return;
  }
}

/* What failed, once per thread, in CUDA's words. */
static void call_assertfail(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  struct weir_text *t = &w->cta->complaint;
  const uint32_t *block = w->cta->launch->block, *at = w->cta->ctaid;
  EACH_BIT(i, mask) {
    uint32_t n = w->index * LANES + i;
    ptx_format_string(w, i, arg(w, u, 1, 8, i), SIZE_MAX, t);
    weir_text_printf(t, ":%u: ", (uint32_t)arg(w, u, 2, 4, i));
    ptx_format_string(w, i, arg(w, u, 3, 8, i), SIZE_MAX, t);
    weir_text_printf(t, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", at[0], at[1], at[2],
                     n % block[0], n / block[0] % block[1], n / block[0] / block[1]);
    ptx_format_string(w, i, arg(w, u, 0, 8, i), SIZE_MAX, t);
    weir_text_puts(t, "` failed.\n");
  }
  if (w->fault.kind != PTX_F_NONE) return; /* one of the strings is no string */
  w->fault.kind = t->failed ? PTX_F_NOMEM : PTX_F_ASSERT;
  w->fault.lane = (uint32_t)__builtin_ctz(mask);
}

void ptx_builtin_call(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask) {
  w->is_stored = true; /* of malloc and free other warps feel something; printing is progress */
  switch ((enum ptx_builtin)u->aux) {
  case PTX_B_vprintf:
    call_vprintf(w, u, mask);
    break;
  case PTX_B_malloc:
    call_malloc(w, u, mask);
    break;
  case PTX_B_free:
    call_free(w, u, mask);
    break;
  default:
    call_assertfail(w, u, mask);
    break;
  }
}
