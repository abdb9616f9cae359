/* What a program file says about itself: whether weir can run its kernels, and what to compile it
 * with if not. Only the file is looked at; nothing is run. */
#ifndef WEIR_CUDA_INSPECT_H
#define WEIR_CUDA_INSPECT_H

#include <stdbool.h>

#include "weir/err.h"

enum { WEIR_INSPECT_NAME = 64 };

struct weir_inspection {
  bool is_cuda;                    /* it has device code, or needs the CUDA runtime or driver */
  bool has_rpath;                  /* its own list of folders is searched before $LD_LIBRARY_PATH */
  char runtime[WEIR_INSPECT_NAME]; /* the runtime it needs, "libcudart.so.13"; "": none by name */
  bool is_inside;                  /* that runtime is linked into it, and can be redirected */
  bool needs_driver;               /* libcuda.so.1 */
};

/* `path` is the file that would be executed, `name` what the user called it, `sm` the compute
 * capability (90 for 9.0) that its PTX is chosen for. `folder` holds the libraries that stand in
 * for CUDA's. Scripts and programs without CUDA are fine. WEIR_EINVAL: weir cannot run it, and the
 * message has the remedy. */
enum weir_status weir_inspect(const char *path, const char *name, unsigned sm, const char *folder,
                              struct weir_inspection *out, struct weir_err *err);

#endif
