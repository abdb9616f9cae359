/* The global loads of a kernel: where they are, which array they read, which of them belong
 * together. */
#ifndef WEIR_ANALYSIS_LOADS_H
#define WEIR_ANALYSIS_LOADS_H

#include "analysis/load_graph.h"
#include "base/text.h"
#include "exec/exec.h"

#define WEIR_NO_PARAM UINT32_MAX

struct weir_static_load {
  const struct ptx_func *func;
  const struct ptx_insn *ptx;
  uint32_t insn;    /* static index in the kernel */
  const char *file; /* of the source, without folders; NULL: not known */
  const char *path; /* the same as .file has it */
  uint32_t line;
  const char *array; /* parameter or variable; NULL: not known */
  uint32_t param;    /* number of the parameter that is the array; WEIR_NO_PARAM: none */
  uint32_t group;    /* in the kernel; WEIR_NO_GROUP if is_fixed */
  bool is_fixed;     /* its own words say how it is cached: it is not classified */
};

struct weir_loads {
  const char *kernel;
  const struct ptx_module *module;
  uint32_t n_insns; /* of the kernel */
  struct weir_static_load *v;
  uint32_t n, n_groups;
  struct weir_load_part { /* one for each function of the kernel */
    const struct ptx_func *func;
    uint32_t first;               /* static index of its first instruction */
    struct weir_load_graph graph; /* insn of its nodes: index in the function */
  } * parts;
  uint32_t n_parts;
  struct weir_arena arena;
};

/* Loads in the order of the kernel's instructions. The program's module outlives them. A function
 * that the kernel calls has a graph of its own, and a call stops locality as a barrier does. */
enum weir_status weir_loads_find(struct weir_loads *l, const struct ptx_program *prog,
                                 bool go_round, struct weir_err *err);
void weir_loads_free(struct weir_loads *l);

/* How many loads a group has. */
uint32_t weir_loads_in_group(const struct weir_loads *l, uint32_t group);

/* The graph for Graphviz: loads with their arrays, locality edges, groups in colours. */
void weir_loads_dot(const struct weir_loads *l, struct weir_text *out);

#endif
