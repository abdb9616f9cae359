/* The CUDA runtime inside a program or library that was linked with libcudart_static, which is what
 * nvcc does unless told otherwise: where its entry points are, from the table of symbols. */
#ifndef WEIR_CUDA_STATIC_RUNTIME_H
#define WEIR_CUDA_STATIC_RUNTIME_H

#include "cuda/elf.h"

enum weir_static_state {
  WEIR_STATIC_NONE,     /* there is no runtime inside, or no table of symbols tells */
  WEIR_STATIC_FOUND,    /* its entry points can be redirected */
  WEIR_STATIC_VERSION,  /* of a version that weir has nothing for */
  WEIR_STATIC_DOUBTFUL, /* there is one, but what its entry points are is not sure */
};

enum { WEIR_STATIC_JUMP = 5 }; /* bytes that are written over the beginning of an entry point */

struct weir_static_entry {
  const char *name;
  uint64_t value; /* as the symbol has it: an address before loading */
};

struct weir_static_runtime {
  enum weir_static_state state;
  const char *library; /* whose entries take their place: "libcudart.so.13" */
  const char *doubt;   /* the name that it is about, or "" */
  struct weir_static_entry *v;
  unsigned n;
};

/* Surely the runtime are functions of its names that lie between functions whose names only
 * NVIDIA's library has inside, each name once; anything else of such a name is left alone. The
 * texts of `r` are constants. false: out of memory. */
bool weir_static_runtime_find(struct weir_static_runtime *r, const struct weir_elf *e);
void weir_static_runtime_free(struct weir_static_runtime *r);

/* Is the runtime inside a file without a table of symbols? It has its messages then. */
bool weir_static_runtime_is_hidden(const struct weir_elf *e);

#endif
