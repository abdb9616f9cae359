#include "cli/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "cli/cmd.h"
#include "cli/job.h"

int weir_timeline_option(struct weir_cli_timeline *t, const char *command, int id,
                         const char *value) {
  int64_t n = 0;
  switch (id) {
  case WEIR_TIMELINE_OPT_FILE:
    t->file = value;
    return -1;
  case WEIR_TIMELINE_OPT_SMS:
    t->sms = value;
    t->tuned = "timeline-sms";
    return -1;
  case WEIR_TIMELINE_OPT_EVERY:
    if (!weir_parse_int(value, &n) || n < 1 || n > INT32_MAX)
      return weir_cli_usage(command, "--timeline-every %s: want a number of cycles, from 1 on",
                            value);
    t->every = (uint64_t)n;
    t->tuned = "timeline-every";
    return -1;
  default: /* WEIR_TIMELINE_OPT_LIMIT */
    if (!weir_parse_int(value, &n) || n < 65536 || n > INT64_C(1) << 40)
      return weir_cli_usage(command, "--timeline-limit %s: want bytes, such as 8M; 64K at least",
                            value);
    t->limit = (uint64_t)n;
    t->tuned = "timeline-limit";
    return -1;
  }
}

/* One piece of a list: a number, or two with a dash between them. */
static bool parse_range(const char *text, size_t len, int64_t *from, int64_t *to) {
  char word[32];
  if (len == 0 || len >= sizeof word) return false;
  memcpy(word, text, len);
  word[len] = 0;
  char *dash = strchr(word, '-');
  if (dash != NULL) *dash = 0;
  if (!weir_parse_int(word, from) || !weir_parse_int(dash != NULL ? dash + 1 : word, to))
    return false;
  return *from >= 0 && *from <= *to;
}

static enum weir_status choose(struct weir_cli_timeline *t, uint32_t n_sms, struct weir_err *err) {
  const char *list = t->sms != NULL ? t->sms : "0";
  for (uint32_t i = 0; strcmp(list, "all") == 0 && i < n_sms; i++)
    t->wanted[i] = true;
  if (strcmp(list, "all") == 0) return WEIR_OK;
  for (const char *at = list; at != NULL;) {
    const char *comma = strchr(at, ',');
    int64_t from, to;
    if (!parse_range(at, comma != NULL ? (size_t)(comma - at) : strlen(at), &from, &to))
      return weir_fail(err, WEIR_EINVAL,
                       "--timeline-sms %s: want numbers and ranges of SMs, such as 0,3 or 0-7, or "
                       "'all'",
                       list);
    if (to >= n_sms)
      return weir_fail(err, WEIR_EINVAL, "--timeline-sms %s: the machine has SMs 0 to %" PRIu32,
                       list, n_sms - 1);
    for (int64_t i = from; i <= to; i++)
      t->wanted[i] = true;
    at = comma != NULL ? comma + 1 : NULL;
  }
  return WEIR_OK;
}

enum weir_status weir_cli_timeline_open(struct weir_cli_timeline *t, const struct weir_setup *setup,
                                        struct weir_timing_options *with, struct weir_err *err) {
  uint32_t n_sms = (uint32_t)setup->machine.sm.count;
  if (t->file == NULL) return WEIR_OK;
  enum weir_status st = weir_cli_output("--timeline", t->file, err);
  if (st != WEIR_OK) return st;
  t->wanted = weir_calloc(n_sms, sizeof *t->wanted);
  if (t->wanted == NULL) return weir_no_memory(err);
  st = choose(t, n_sms, err);
  if (st != WEIR_OK) return st;
  t->it = weir_timeline_new(&(struct weir_timeline_options){.sms = t->wanted,
                                                            .n_sms = n_sms,
                                                            .every = t->every,
                                                            .limit = t->limit,
                                                            .gpu = setup->machine.name,
                                                            .by = setup->scheme.name});
  if (t->it == NULL) return weir_no_memory(err);
  with->sampler = weir_timeline_sampler(t->it);
  return WEIR_OK;
}

enum weir_status weir_cli_timeline_write(struct weir_cli_timeline *t, struct weir_err *err) {
  struct weir_text out = {0};
  uint64_t full_at;
  if (t->it == NULL) return WEIR_OK;
  enum weir_status st = weir_timeline_text(t->it, &out, &full_at, err);
  if (st == WEIR_OK) st = weir_cli_put(t->file, out.v, out.n, err);
  weir_text_free(&out);
  if (st == WEIR_OK && full_at != UINT64_MAX)
    fprintf(stderr,
            "weir: the timeline is full: from cycle %" PRIu64
            " on events are missing; fewer SMs, a "
            "larger --timeline-every or --timeline-limit\n",
            full_at);
  return st;
}

void weir_cli_timeline_free(struct weir_cli_timeline *t) {
  weir_timeline_free(t->it);
  free(t->wanted);
}
