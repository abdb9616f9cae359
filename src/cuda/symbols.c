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

const struct weir_cuda_symbol weir_cuda_driver_symbols[] = {
#define CU_WORKS(name, since)   {#name, WEIR_CUDA_WORKS},
#define CU_TOLD(name, since)    {#name, WEIR_CUDA_REFUSED},
#define CU_REFUSED(name, since) {#name, WEIR_CUDA_REFUSED},
#include "cuda/runtime/driver.def"
#undef CU_WORKS
#undef CU_TOLD
#undef CU_REFUSED
    {0}};

static size_t count(const struct weir_cuda_symbol *s, enum weir_cuda_state state) {
  size_t n = 0;
  for (; s->name != NULL; s++)
    n += s->state == state;
  return n;
}

static void list(struct weir_text *out, const char *title, const struct weir_cuda_symbol *s,
                 enum weir_cuda_state state) {
  weir_text_printf(out, "\n### %s (%zu)\n\n", title, count(s, state));
  for (; s->name != NULL; s++)
    if (s->state == state) weir_text_printf(out, "- `%s`\n", s->name);
}

void weir_cuda_symbols_page(struct weir_text *out) {
  weir_text_puts(out,
                 "# Entry points of libcudart and libcuda\n\n"
                 "<!-- Written by weir docs; do not edit. -->\n\n"
                 "What the stand-ins for CUDA's libraries do with each name that CUDA's own "
                 "export: [the runtime](../cuda-runtime.md),\n[the driver](../cuda-driver.md).\n\n"
                 "## libcudart\n\n"
                 "`libcudart.so.13` is tried with programs of nvcc 13. `libcudart.so.12` and "
                 "`libcudart.so.11.0` hold the same code with\n"
                 "the structures of those versions; no program has been tried with them.\n");
  list(out, "Implemented", weir_cuda_symbols, WEIR_CUDA_WORKS);
  list(out, "Implemented, for CUDA 11 and 12 only, not tried", weir_cuda_symbols, WEIR_CUDA_OLD);
  list(out, "Answers \"not supported\"", weir_cuda_symbols, WEIR_CUDA_REFUSED);
  weir_text_puts(out, "\n## libcuda\n\n"
                      "All functions that `cuda.h` of CUDA 13.0 declares. Names without a version "
                      "that have one with `_v2` are\nthose of 32-bit device addresses, and "
                      "programs since CUDA 3.2 do not use them.\n");
  list(out, "Implemented", weir_cuda_driver_symbols, WEIR_CUDA_WORKS);
  list(out, "Answers \"not supported\"", weir_cuda_driver_symbols, WEIR_CUDA_REFUSED);
}
