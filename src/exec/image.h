/* A module whose variables have addresses. */
#ifndef WEIR_EXEC_IMAGE_H
#define WEIR_EXEC_IMAGE_H

#include "exec/exec.h"

struct ptx_placed {
  const struct ptx_var *var;
  uint64_t addr; /* of a texture, sampler or surface reference its handle */
  bool is_link;  /* the memory is another variable's */
};

struct ptx_image {
  const struct ptx_module *module;
  struct ptx_device *dev;
  struct ptx_placed *placed; /* sorted by pointer of var: looked up while decoding only */
  size_t n_placed;
};

/* Address of a variable of global or constant memory; 0 if it has none. */
uint64_t ptx_image_addr(const struct ptx_image *image, const struct ptx_var *var);
/* What a function's address is to the program: never dereferenced. */
uint64_t ptx_func_addr(const struct ptx_module *m, struct ptx_func *f);
/* Index in the module of the function at an address; UINT32_MAX: there is none. */
uint32_t ptx_func_at(const struct ptx_module *m, uint64_t addr);

#endif
