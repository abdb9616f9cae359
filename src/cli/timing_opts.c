#include "cli/timing_opts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "cli/cmd.h"
#include "cli/job.h"

static int set_threads(struct weir_timing_opts *o, const char *command, const char *value) {
  int64_t n;
  if (!weir_parse_int(value, &n) || n < 1 || n > 256)
    return weir_cli_usage(command, "--threads %s: want a number from 1 to 256", value);
  o->threads = (uint32_t)n;
  return -1;
}

static int set_setting(struct weir_timing_opts *o, int id, const char *value) {
  struct weir_err err;
  enum weir_status st = id == WEIR_TIMING_OPT_SET ? weir_settings_assign(&o->settings, value, &err)
                                                  : weir_settings_file(&o->settings, value, &err);
  return st == WEIR_OK ? -1 : weir_cli_error(&err);
}

static int set_l2(struct weir_timing_opts *o, const char *name) {
  struct weir_err err;
  const struct weir_where option = {.file = name};
  enum weir_status st = weir_opt_l2(&o->l2, name, &err);
  if (st == WEIR_OK)
    st = weir_settings_set(&o->settings, WEIR_LAYER_SET, WEIR_L2_KEY, name + strlen("--"), &option,
                           &err);
  return st == WEIR_OK ? -1 : weir_cli_error(&err);
}

static int add_bypass(struct weir_timing_opts *o, const char *line) {
  struct weir_err err;
  if (o->bypass.n > 0) o->bypass.n--;
  if (WEIR_PUSH(o->bypass, line) && WEIR_PUSH(o->bypass, NULL)) {
    o->line_up.bypass = o->bypass.v;
    return -1;
  }
  weir_fail(&err, WEIR_ENOMEM, "out of memory");
  return weir_cli_error(&err);
}

void weir_timing_opts_free(struct weir_timing_opts *o) {
  free(o->bypass.v);
  weir_settings_free(&o->settings);
}

int weir_timing_option(struct weir_timing_opts *o, const char *command, int id, const char *value) {
  switch (id) {
  case WEIR_TIMING_OPT_SCHEME:
    o->line_up.scheme = value;
    break;
  case WEIR_TIMING_OPT_TAGS:
    o->line_up.tags = value;
    break;
  case WEIR_TIMING_OPT_BYPASS:
    return add_bypass(o, value);
  case WEIR_TIMING_OPT_POLICIES:
    o->line_up.policies = value;
    break;
  case WEIR_TIMING_OPT_ORGANISATION:
    o->line_up.organisation = value;
    break;
  case WEIR_TIMING_OPT_THREADS:
    return set_threads(o, command, value);
  case WEIR_TIMING_OPT_CONFIG:
  case WEIR_TIMING_OPT_SET:
    return set_setting(o, id, value);
  case WEIR_TIMING_OPT_COLD:
    return set_l2(o, "--cold");
  case WEIR_TIMING_OPT_WARM:
    return set_l2(o, "--warm");
  case WEIR_TIMING_OPT_JSON:
    o->json = value;
    break;
  case WEIR_TIMING_OPT_PER_LOAD:
    o->views.per_load = true;
    break;
  case WEIR_TIMING_OPT_PER_SM:
    o->views.per_sm = true;
    break;
  case WEIR_TIMING_OPT_CLOCKS:
    o->views.clocks = true;
    break;
  case WEIR_TIMING_OPT_ALL:
    o->views.all = true;
    break;
  case WEIR_TIMING_OPT_CHECK:
    o->check = true;
    break;
  default: /* WEIR_TIMING_OPT_QUIET */
    o->quiet = true;
  }
  return -1;
}

const char *weir_timing_only(const struct weir_timing_opts *o) {
  return o->line_up.scheme         ? "scheme"
         : o->line_up.policies     ? "policies"
         : o->line_up.organisation ? "organisation"
         : o->line_up.tags         ? "tags"
         : o->line_up.bypass       ? "bypass"
         : o->views.per_load       ? "per-load"
         : o->views.per_sm         ? "per-sm"
         : o->views.clocks         ? "clocks"
                                   : NULL;
}

static enum weir_status put_to(void *path, const char *text, size_t n, struct weir_err *err) {
  return weir_cli_put(path, text, n, err);
}

enum weir_status weir_timing_opts_json(const struct weir_run_report *r, const char *path,
                                       struct weir_err *err) {
  enum weir_status st = weir_run_report_json(r, put_to, (char *)path, err);
  return st == WEIR_OK && weir_cli_is_stdout(path) ? weir_cli_put(path, "\n", 1, err) : st;
}
