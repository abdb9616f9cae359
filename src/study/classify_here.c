#include "study/classify_here.h"

#include <string.h>

#include "session/groups.h"
#include "study/profile.h"

static enum weir_status classify(const char *name, const struct weir_setup *setup,
                                 const struct weir_settings *settings,
                                 const struct weir_source *source,
                                 const struct weir_timing_options *options, struct weir_tags **out,
                                 struct weir_err *err) {
  struct weir_cls_cfg cls;
  struct weir_profile profile;
  struct weir_machine still = setup->machine;
  still.jitter = (struct weir_jitter_cfg){0}; /* as what is prepared in a process of its own */
  enum weir_status st = weir_settings_fill(settings, &weir_cls_params, &cls, err);
  if (st != WEIR_OK) return st;
  struct weir_profile_request r = {.path = source->path,
                                   .input = source->input,
                                   .exec = source->exec,
                                   .machine = &still,
                                   .cls = &cls,
                                   .by_traffic = strcmp(name, WEIR_PREPARE_TRAFFIC) == 0,
                                   .jobs = 1,
                                   .here = options};
  st = weir_profile_run(&r, &profile, err);
  if (st != WEIR_OK) return st;
  st = weir_profile_tags(&profile, out, err);
  weir_profile_free(&profile);
  return st;
}

void weir_classify_here(void) {
  weir_groups_add(&weir_cls_params);
  weir_tag_maker_set(classify);
}
