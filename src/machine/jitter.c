#include "machine/jitter.h"

#define P(f, def_text, hi, u, h, ...)                                                              \
  WEIR_PARAM(weir_jitter_cfg, f, def_text, .min = 0, .max = hi, .unit = u, .help = h, __VA_ARGS__)

static const struct weir_param table[] = {
    P(dispatch, "0", 1000000, "cycle",
      "the arrival of each block is delayed by chance, by 0 to so many (0: not)"),
    P(memory, "0", 1000000, "cycle",
      "the data of each DRAM read are delayed by chance, by 0 to so many (0: not)"),
    P(seed, "0", UINT32_MAX, NULL,
      "another seed, other delays, and other choices of policies that choose by chance",
      .when = "dispatch>0 or memory>0"),
    WEIR_PARAM_END};
const struct weir_param_group weir_jitter_params = {
    "jitter", "Small delays by chance, to see how much of a result hangs on exact cycles.", table,
    sizeof(struct weir_jitter_cfg), "timed"};
