/* What a launch finds in the L2 and prefers of the L1, and launches that are timed twice. */
#ifndef WEIR_SESSION_LAUNCHES_H
#define WEIR_SESSION_LAUNCHES_H

#include "base/registry.h"
#include "base/temp.h"
#include "stream/block.h"
#include "trace/wtrace.h"

#define WEIR_LAUNCH_L2S(X) X(WEIR_L2_KEPT, "kept") X(WEIR_L2_COLD, "cold") X(WEIR_L2_WARM, "warm")
enum weir_launch_l2 { WEIR_LAUNCH_L2S(WEIR_CHOICE_ID) };

struct weir_launch_cfg {
  enum weir_launch_l2 l2;
  int64_t carveout;
};
extern const struct weir_param_group weir_launch_params;
/* The preference that a kernel has with these settings; its own comes first. Both are as in struct
 * weir_kernel_info. */
uint8_t weir_launch_carveout(const struct weir_launch_cfg *c, uint8_t own);

/* The blocks of a launch, to be had more than once: a source gives each of them only once, and may
 * execute them meanwhile. They lie in a temporary trace. */
struct weir_kept_launch {
  struct weir_temp folder;
  struct weir_stream_pool pool;
  struct weir_wtrace *trace;
  const char *file; /* of the source */
  bool has_pool;
};
/* Takes all blocks of the source. Whatever is returned, it is to be freed. */
enum weir_status weir_launch_keep(struct weir_kept_launch *k, struct weir_block_source *source,
                                  struct weir_err *err);
/* All of them from the first on; closed by weir_wtrace_source_close. */
enum weir_status weir_launch_again(struct weir_kept_launch *k, struct weir_block_source **out,
                                   struct weir_err *err);
void weir_launch_free(struct weir_kept_launch *k);

#endif
