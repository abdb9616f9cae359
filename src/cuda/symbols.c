#include "cuda/symbols.h"

const struct weir_cuda_symbol weir_cuda_symbols[] = {
#define CUDA_WORKS(name)   {#name, WEIR_CUDA_WORKS},
#define CUDA_OLD(name)     {#name, WEIR_CUDA_OLD},
#define CUDA_REFUSED(name) {#name, WEIR_CUDA_REFUSED},
#include "cuda/runtime/symbols.def"
#undef CUDA_WORKS
#undef CUDA_OLD
#undef CUDA_REFUSED
    {0}};

static size_t count(enum weir_cuda_state state) {
  size_t n = 0;
  for (const struct weir_cuda_symbol *s = weir_cuda_symbols; s->name != NULL; s++)
    n += s->state == state;
  return n;
}

static void list(struct weir_text *out, const char *title, enum weir_cuda_state state) {
  weir_text_printf(out, "\n## %s (%zu)\n\n", title, count(state));
  for (const struct weir_cuda_symbol *s = weir_cuda_symbols; s->name != NULL; s++)
    if (s->state == state) weir_text_printf(out, "- `%s`\n", s->name);
}

void weir_cuda_symbols_page(struct weir_text *out) {
  weir_text_puts(out,
                 "# Entry points of libcudart\n\n"
                 "<!-- Written by weir docs; do not edit. -->\n\n"
                 "What the stand-in for CUDA's runtime library does with each name that CUDA's "
                 "own exports; [how it behaves](../cuda-runtime.md).\n"
                 "`libcudart.so.13` is tried with programs of nvcc 13. `libcudart.so.12` and "
                 "`libcudart.so.11.0` hold the same code with the\n"
                 "structures of those versions; no program has been tried with them.\n");
  list(out, "Implemented", WEIR_CUDA_WORKS);
  list(out, "Implemented, for CUDA 11 and 12 only, not tried", WEIR_CUDA_OLD);
  list(out, "Answers \"not supported\"", WEIR_CUDA_REFUSED);
}
