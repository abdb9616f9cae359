/* Program files: any bytes are judged, and a refusal names the program. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/inspect.h"
#include "fuzz.h"

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
  close(fd);
  return 0;
}
