#include "cli/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/job.h"

/* $WEIR_CACHE (empty: nothing is kept), else weir in the user's folder for such files. */
static const char *cache_folder(char *path, size_t len) {
  const char *own = getenv("WEIR_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (own != NULL) return own[0] != 0 ? own : NULL;
  if (xdg != NULL && xdg[0] == '/')
    snprintf(path, len, "%s/weir", xdg);
  else if (home != NULL && home[0] == '/')
    snprintf(path, len, "%s/.cache/weir", home);
  else
    return NULL;
  return path;
}

static void show_progress(void *self, uint32_t done, uint32_t n_runs) {
  const struct weir_cli_preparing *r = self;
  if (n_runs == 0)
    fprintf(stderr, "\r\033[Krecording %s to classify its loads", r->workload);
  else
    fprintf(stderr, "\r\033[K%s on %s: %u of %u profiling runs", r->workload,
            r->setup->machine.name, done, n_runs);
  fflush(stderr);
}

static void say_not_kept(const char *workload, const struct weir_preparation *p) {
  if (p->tags != NULL)
    fprintf(stderr, "weir: the classes of %s's loads are not kept: %s\n", workload,
            p->keep_error.msg);
  else
    fprintf(stderr, "weir: what %s prepared for %s is not kept: %s\n", p->name, workload,
            p->keep_error.msg);
}

enum weir_status weir_cli_prepare(struct weir_preparations *all, const struct weir_cli_preparing *r,
                                  const struct weir_preparation *found[WEIR_MAX_PARTS], uint32_t *n,
                                  struct weir_err *err) {
  struct ptx_exec_cfg exec;
  struct weir_cls_cfg cls;
  char path[4000];
  const char *names[WEIR_MAX_PARTS];
  struct weir_cli_preparing copy = *r;
  bool shows = isatty(STDERR_FILENO);
  enum weir_status st = weir_settings_fill(r->settings, &ptx_exec_params, &exec, err);
  if (st == WEIR_OK) st = weir_settings_fill(r->settings, &weir_cls_params, &cls, err);
  struct weir_prepare_request request = {.profile = {.path = r->path,
                                                     .trace = r->trace,
                                                     .programs = r->programs,
                                                     .n_programs = r->n_programs,
                                                     .input = r->input,
                                                     .exec = &exec,
                                                     .machine = &r->setup->machine,
                                                     .cls = &cls,
                                                     .jobs = r->jobs,
                                                     .check = r->check,
                                                     .progress = shows ? show_progress : NULL,
                                                     .is_stopped = weir_cli_is_stopped,
                                                     .self = &copy},
                                         .setup = r->setup,
                                         .settings = r->settings,
                                         .opcode_class = r->opcode_class,
                                         .n_opcodes = r->n_opcodes,
                                         .choice = r->choice,
                                         .only_name = r->only_name,
                                         .folder = cache_folder(path, sizeof path)};
  uint32_t n_wanted = weir_setup_preparations(r->setup, names);
  for (*n = 0; st == WEIR_OK && *n < n_wanted; ++*n) {
    size_t before = all->n;
    request.name = names[*n];
    st = weir_prepare(all, &request, &found[*n], err);
    if (shows && (st != WEIR_OK || found[*n]->n_runs > 0)) fputs("\r\033[K", stderr);
    if (st == WEIR_OK && all->n > before && found[*n]->keep_error.code != WEIR_OK)
      say_not_kept(r->workload, found[*n]);
  }
  return st;
}

struct weir_prepared weir_cli_prepared(const struct weir_setup *setup,
                                       const struct weir_preparation *const *found, uint32_t n) {
  struct weir_prepared p = {0};
  for (uint32_t i = 0; i < n; i++)
    weir_preparation_use(found[i], setup, &p);
  return p;
}
