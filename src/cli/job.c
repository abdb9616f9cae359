#include "cli/job.h"

#include <sched.h>

#include "base/number.h"

uint32_t weir_cli_cores(void) {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n > 0 ? (uint32_t)n : 1;
}

enum weir_status weir_cli_jobs(const char *text, uint32_t *out, struct weir_err *err) {
  int64_t n;
  if (!weir_parse_int(text, &n) || n < 1 || n > 1024)
    return weir_fail(err, WEIR_EINVAL, "--jobs %s: want a number from 1 to 1024", text);
  *out = (uint32_t)n;
  return WEIR_OK;
}
