/* Which weir this is. A file of its own: a new commit builds nothing but this. */
#include "weir_build.h"
#include "weir_commit.h"

#include "cli/version.h"

const char *weir_cli_version(void) {
  return WEIR_VERSION;
}

const char *weir_cli_commit_id(void) {
  return WEIR_COMMIT;
}
