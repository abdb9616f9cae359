/* An instruction whose accesses missed the allocations, in memory that is there all the same: what
 * a user is told about it. */
#ifndef WEIR_STREAM_STRAY_H
#define WEIR_STREAM_STRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct weir_stray {
  uint32_t pc;      /* of the kernel */
  bool is_other;    /* the accesses reach an allocation which is not the pointer's own */
  uint64_t count;   /* of accesses, by thread */
  uint64_t address; /* of the first, and what follows, too */
  uint32_t block[3], thread[3];
  const char *kernel;                 /* mangled */
  const char *access;                 /* "load of 4 bytes at global address 0x7f0000000400" */
  const char *near;                   /* "12 bytes past the end of 'x' (0x..., 400 bytes)" */
  const char *instruction, *position; /* PTX, and its file and line */
  const char *source;                 /* file and line; empty: not known */
};
enum { WEIR_STRAY_TEXTS = 6 };

/* Several lines, indented; `program` may be NULL. */
void weir_stray_text(const struct weir_stray *s, const char *program, struct weir_text *out);

#endif
