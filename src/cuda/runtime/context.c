#include "cuda/runtime/context.h"

#include "cuda/runtime/array.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/pending.h"
#include "cuda/runtime/stream.h"

__thread uint64_t weir_gpu_owner;

static void free_handle(struct weir_gpu_handle *h) {
  switch (h->kind) {
  case WEIR_GPU_STREAM:
    weir_gpu_stream_free((struct weir_gpu_stream *)h);
    break;
  case WEIR_GPU_EVENT:
    weir_gpu_event_free((struct weir_gpu_event *)h);
    break;
  case WEIR_GPU_ARRAY:
    if (((struct weir_gpu_array *)h)->level_of == NULL)
      weir_gpu_array_free((struct weir_gpu_array *)h);
    break;
  case WEIR_GPU_MIPMAP:
    weir_gpu_mipmap_free((struct weir_gpu_mipmap *)h);
    break;
  default:
    break; /* graphs and pools are of no context */
  }
}

void weir_gpu_free_owned(uint64_t owner) {
  weir_gpu_pend_drop();
  for (size_t i = 0; i < weir_gpu.handles.cap; i++) {
    struct weir_gpu_handle *h = weir_gpu.handles.slots[i].value;
    if (h != NULL && h->owner == owner) free_handle(h);
  }
  for (size_t i = 0; i < weir_gpu.blocks.cap; i++) {
    const struct weir_gpu_block *b = weir_gpu.blocks.slots[i].value;
    if (b != NULL && b->owner == owner) weir_gpu_free(b->base, ~0u, 0);
  }
  for (struct weir_gpu_module *m = weir_gpu.modules, *next; m != NULL; m = next) {
    next = m->next;
    if (m->owner == owner) weir_gpu_module_close(m);
  }
}

/* ---- the thread's contexts ---- */

enum { MAX_CURRENT = 64, API_VERSION = 3020 };

static __thread struct weir_gpu_context *stack[MAX_CURRENT];
static __thread unsigned n_stack;

static struct {
  struct weir_gpu_context *context;
  unsigned flags, n_retained;
  bool is_runtimes; /* the runtime uses it */
} primary;

struct weir_gpu_context *weir_gpu_context_new(unsigned flags) {
  struct weir_gpu_context *c = weir_gpu_new(WEIR_GPU_CONTEXT, sizeof *c);
  if (c == NULL) return NULL;
  c->flags = flags;
  c->api_version = API_VERSION;
  return c;
}

struct weir_gpu_context *weir_gpu_current(void) {
  return n_stack > 0 ? stack[n_stack - 1] : NULL;
}

/* From now on, who owns what this thread makes. */
static void set_owner(void) {
  const struct weir_gpu_context *c = weir_gpu_current();
  weir_gpu_owner = c != NULL && c != primary.context ? c->handle.id : 0;
}

int weir_gpu_push(struct weir_gpu_context *c) {
  if (n_stack == MAX_CURRENT) return WEIR_E_MemoryAllocation;
  stack[n_stack++] = c;
  set_owner();
  return 0;
}

void weir_gpu_pop(void) {
  if (n_stack > 0) n_stack--;
  set_owner();
}

/* ---- the primary one ---- */

struct weir_gpu_context *weir_gpu_primary(void) {
  if (primary.context == NULL) primary.context = weir_gpu_context_new(primary.flags);
  return primary.context;
}

bool weir_gpu_primary_is_active(void) {
  return primary.n_retained > 0 || primary.is_runtimes;
}

unsigned *weir_gpu_primary_flags(void) {
  return &primary.flags;
}

void weir_gpu_retain(void) {
  primary.n_retained++;
}

bool weir_gpu_release(void) {
  if (!weir_gpu_primary_is_active()) return false;
  if (primary.n_retained > 0)
    primary.n_retained--;
  else
    primary.is_runtimes = false;
  return true;
}

void weir_gpu_primary_end(void) {
  primary.n_retained = primary.flags = 0;
  primary.is_runtimes = false;
}

void weir_gpu_runtime_begin(void) {
  weir_gpu.has_runtime = primary.is_runtimes = true;
}

int weir_gpu_runtime_use(bool instead) {
  const struct weir_gpu_context *c = weir_gpu_current();
  weir_gpu.has_runtime = true;
  if (c != NULL && c != primary.context && !instead) return 0;
  primary.is_runtimes = true;
  if (c != NULL && c == primary.context) return 0;
  struct weir_gpu_context *own = weir_gpu_primary();
  if (own == NULL) return WEIR_E_MemoryAllocation;
  if (c != NULL) weir_gpu_pop();
  return weir_gpu_push(own);
}
