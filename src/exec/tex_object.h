/* Inside of textures and surfaces: the table of objects of a device. */
#ifndef WEIR_EXEC_TEX_OBJECT_H
#define WEIR_EXEC_TEX_OBJECT_H

#include "exec/tex.h"

enum ptx_tex_kind {
  PTX_OBJECT_FREE,
  PTX_OBJECT_TEXTURE,
  PTX_OBJECT_SURFACE,
  PTX_OBJECT_UNBOUND /* a reference of a module to which nothing is bound */
};

struct ptx_tex_object {
  enum ptx_tex_kind kind;
  uint32_t generation; /* how often the place was used: an old handle finds nothing */
  struct ptx_tex_desc desc;
};

struct ptx_tex_table {
  struct ptx_tex_object *v;
  size_t n, cap;
};

/* The object of a handle; NULL if there is none (any more). */
const struct ptx_tex_object *ptx_tex_object(const struct ptx_tex_table *t, uint64_t handle);
/* A handle without anything bound to it: what the address of a .texref is to a kernel. */
enum weir_status ptx_tex_reserve(struct ptx_device *dev, uint64_t *handle, struct weir_err *err);
void ptx_tex_table_free(struct ptx_tex_table *t);

#endif
