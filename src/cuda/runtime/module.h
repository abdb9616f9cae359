/* Device code of a program: fat binaries that it registers, PTX and fat binaries that it loads.
 *
 * Nothing is read before it is needed: a program registers all its code when it starts, and much of
 * it (libcudadevrt's) is never used. A kernel's first use finds the PTX that holds it, parses that,
 * places its variables and decodes the kernel; all this is kept. */
#ifndef WEIR_CUDA_RUNTIME_MODULE_H
#define WEIR_CUDA_RUNTIME_MODULE_H

#include "cuda/fatbin.h"
#include "cuda/runtime/state.h"

/* One PTX text. */
struct weir_gpu_unit {
  char *text; /* NULL: this image has no PTX that can be used */
  size_t n_text;
  unsigned sm;           /* the compute capability that it was compiled for */
  struct ptx_module *ir; /* NULL: not parsed yet */
  uint64_t id;           /* for the wire */
  bool is_sent;
  int error; /* why it could not be loaded */
};

struct weir_gpu_kernel {
  struct weir_gpu_module *module;
  char *name;
  const void *host; /* the host's function of that name; may be NULL */
  struct weir_gpu_unit *unit;
  struct ptx_program *program; /* NULL: not used yet */
  const struct ptx_func *entry;
  uint64_t max_dynamic_shared; /* what was asked for; 0: the default */
  /* Preferences between L1 and shared memory. carveout: percent for shared memory, or -1; the
   * runtime goes on telling what it was given itself. */
  int carveout, told_carveout, cache_config;
  struct { /* instructions whose accesses missed, as far as the user was told: launch.c */
    uint64_t *v;
    size_t n, cap;
  } told;
  struct weir_gpu_kernel *next; /* of the module */
};

struct weir_gpu_var {
  struct weir_gpu_module *module;
  char *name;
  const void *host;
  uint64_t bytes, addr; /* addr 0: not placed yet */
  void **managed;       /* the host's pointer to a managed variable, which is filled in */
  struct weir_gpu_var *next;
};

struct weir_gpu_module {
  const void *wrapper; /* what a program registered; NULL: loaded */
  struct weir_fatbin fatbin;
  bool is_open;
  int error;                   /* why it could not be opened */
  struct weir_gpu_unit *units; /* several: they are linked (nvcc -rdc=true) */
  size_t n_units;
  bool is_to_link;           /* if there is only one as well */
  struct ptx_module *linked; /* of several units */
  struct ptx_image *image;   /* NULL: not placed yet */
  struct weir_gpu_kernel *kernels;
  struct weir_gpu_var *vars;
  uint64_t number;
  uint64_t owner; /* of one that was loaded: context.h */
  struct weir_gpu_module *next;
};

/* What __cudaRegisterFatBinary is given. NULL: out of memory. */
WEIR_GPU_SHARED struct weir_gpu_module *weir_gpu_module_register(const void *wrapper);
/* PTX text (ended by NUL or `bytes` long), a fat binary, or a wrapper of one; `bytes` 0: not known.
 * Copied where it need be. */
WEIR_GPU_SHARED int weir_gpu_module_load(const void *data, size_t bytes,
                                         struct weir_gpu_module **out);
/* Several PTX texts, which are linked. */
WEIR_GPU_SHARED int weir_gpu_module_load_texts(const char *const *texts, size_t n,
                                               struct weir_gpu_module **out);
/* The same from a file. */
WEIR_GPU_SHARED int weir_gpu_module_load_file(const char *path, struct weir_gpu_module **out);
WEIR_GPU_SHARED void weir_gpu_module_close(struct weir_gpu_module *m);

/* A kernel of the module, added by name without a look at the code. */
WEIR_GPU_SHARED struct weir_gpu_kernel *weir_gpu_kernel_add(struct weir_gpu_module *m,
                                                            const char *name, const void *host);
/* The same if the module has it; WEIR_E_SymbolNotFound if not. */
WEIR_GPU_SHARED int weir_gpu_kernel_find(struct weir_gpu_module *m, const char *name,
                                         struct weir_gpu_kernel **out);
/* From a host function or a handle of a kernel; NULL: neither. */
WEIR_GPU_SHARED struct weir_gpu_kernel *weir_gpu_kernel_of(const void *function);
/* Makes it ready to run. */
WEIR_GPU_SHARED int weir_gpu_kernel_load(struct weir_gpu_kernel *k);

WEIR_GPU_SHARED struct weir_gpu_var *weir_gpu_var_add(struct weir_gpu_module *m, const char *name,
                                                      const void *host, uint64_t bytes);
/* From a host variable; NULL: none. */
WEIR_GPU_SHARED struct weir_gpu_var *weir_gpu_var_of(const void *symbol);
/* Gives it its address. */
WEIR_GPU_SHARED int weir_gpu_var_load(struct weir_gpu_var *v);
/* Any variable of the module, by name. */
WEIR_GPU_SHARED int weir_gpu_module_var(struct weir_gpu_module *m, const char *name, uint64_t *addr,
                                        uint64_t *bytes);
/* Gives m->image, with what declares `name`; WEIR_E_SymbolNotFound: nothing does. */
int weir_gpu_module_place(struct weir_gpu_module *m, const char *name);
/* Fills in the host's pointers to managed variables. */
WEIR_GPU_SHARED int weir_gpu_module_init(struct weir_gpu_module *m);
/* All kernels of all texts are parsed and listed: *n of them. */
WEIR_GPU_SHARED int weir_gpu_module_kernels(struct weir_gpu_module *m, struct weir_gpu_kernel **out,
                                            size_t max, size_t *n);

/* Variables are as at the start, and get new addresses when they are used again. */
void weir_gpu_modules_unload(void);

#endif
