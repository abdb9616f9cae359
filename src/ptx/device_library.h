/* Functions that CUDA's device library gives and no module defines: vprintf, malloc, free,
 * __assertfail. */
#ifndef WEIR_PTX_DEVICE_LIBRARY_H
#define WEIR_PTX_DEVICE_LIBRARY_H

#include "ptx/ir.h"

enum ptx_builtin {
  PTX_B_NONE,
  PTX_B_vprintf,
  PTX_B_malloc,
  PTX_B_free,
  PTX_B_assertfail,
};
/* Which of them a function without a body is, by name and parameters. */
enum ptx_builtin ptx_builtin_find(const struct ptx_func *f);

#endif
