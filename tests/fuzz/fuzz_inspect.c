/* Program files: any bytes are judged, and a refusal names the program. Of a runtime inside, what
 * would be written over is in order and apart. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/inspect.h"
#include "cuda/static_runtime.h"
#include "fuzz.h"

static void look_inside(const uint8_t *data, size_t size) {
  struct weir_elf e;
  struct weir_static_runtime r;
  if (!weir_elf_open(&e, data, size)) return;
  PROMISE(weir_static_runtime_find(&r, &e));
  PROMISE((r.state == WEIR_STATIC_FOUND) <= (r.library != NULL && r.n > 0));
  for (unsigned i = 0; r.state == WEIR_STATIC_FOUND && i < r.n; i++) {
    PROMISE(strstr(r.v[i].name, "cuda") != NULL);
    PROMISE(i == 0 || r.v[i].value - r.v[i - 1].value >= WEIR_STATIC_JUMP);
  }
  weir_static_runtime_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_inspection in;
  struct weir_err err;
  char path[64];
  int fd = memfd_create("program", 0);
  if (fd < 0) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  PROMISE(write(fd, data, size) == (ssize_t)size);
  enum weir_status st = weir_inspect(path, "the-program", 90, ".", &in, &err);
  if (st != WEIR_OK) PROMISE(strstr(err.msg, "the-program") != NULL);
  if (st == WEIR_EINVAL) PROMISE(in.is_cuda && strstr(err.msg, "remedy: ") != NULL);
  PROMISE(memchr(in.runtime, 0, sizeof in.runtime) != NULL);
  if (in.is_inside) PROMISE(strncmp(in.runtime, "libcudart.so.", 13) == 0);
  if ((uintptr_t)data % 8 == 0) look_inside(data, size); /* as files are mapped */
  close(fd);
  return 0;
}
