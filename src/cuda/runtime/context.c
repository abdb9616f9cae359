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
