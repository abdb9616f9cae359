#include "session/launches.h"

#include <stdio.h>

#include "session/streams.h"

static const struct weir_param table[] = {
    WEIR_PARAM(weir_launch_cfg, l2, "kept", .choices = WEIR_CHOICES(WEIR_LAUNCH_L2S),
               .help = "what a launch finds in the L2 (and the L3): kept: what those before it "
                       "left there; cold: nothing; warm: what it leaves there itself, since each "
                       "is timed twice in a row and the second time counts"),
    WEIR_PARAM(weir_launch_cfg, carveout, "-1", .min = -1, .max = 100, .unit = "%",
               .help = "of an array that L1 and shared memory have together, what kernels without "
                       "a preference of their own prefer to be shared memory, in percent of its "
                       "largest size: 0, the largest L1, to 100 (-1: they prefer nothing)",
               .when = "l1.unified_bytes>0"),
    WEIR_PARAM_END};
const struct weir_param_group weir_launch_params = {"launch", "What a launch finds and prefers.",
                                                    table, sizeof(struct weir_launch_cfg),
                                                    "timed and measured"};

uint8_t weir_launch_carveout(const struct weir_launch_cfg *c, uint8_t own) {
  return own != 0 ? own : (uint8_t)(c->carveout + 1);
}

static enum weir_status write_down(const char *path, struct weir_block_source *source,
                                   struct weir_err *err) {
  struct weir_wtrace_writer *w;
  enum weir_status st = weir_wtrace_create(path, &(struct weir_wtrace_opts){.level = 1}, &w, err);
  if (st != WEIR_OK) return st;
  st = weir_wtrace_record(w, source, err);
  if (st == WEIR_OK) return weir_wtrace_finish(w, NULL, err);
  weir_wtrace_abandon(w);
  return st;
}

enum weir_status weir_launch_keep(struct weir_kept_launch *k, struct weir_block_source *source,
                                  struct weir_err *err) {
  char path[4096];
  *k = (struct weir_kept_launch){.file = source->file};
  enum weir_status st = weir_temp_make(&k->folder, err);
  if (st != WEIR_OK) return st;
  snprintf(path, sizeof path, "%s/launch.wtrace", k->folder.path);
  st = write_down(path, source, err);
  if (st == WEIR_OK) st = weir_wtrace_open(path, &k->trace, err);
  if (st == WEIR_OK) st = weir_stream_pool_init(&k->pool, WEIR_REPLAY_POOL_BYTES, NULL, err);
  k->has_pool = st == WEIR_OK;
  return st;
}

enum weir_status weir_launch_again(struct weir_kept_launch *k, struct weir_block_source **out,
                                   struct weir_err *err) {
  enum weir_status st = weir_wtrace_source_open(k->trace, 0, 0, &k->pool, out, err);
  if (st == WEIR_OK) (*out)->file = k->file; /* messages are about what the user gave */
  return st;
}

void weir_launch_free(struct weir_kept_launch *k) {
  if (k->trace != NULL) weir_wtrace_close(k->trace);
  if (k->has_pool) weir_stream_pool_free(&k->pool);
  weir_temp_remove(&k->folder);
}
