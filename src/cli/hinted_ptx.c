#include "cli/hinted_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/retag.h"
#include "base/mem.h"
#include "cli/job.h"

enum weir_status weir_hinted_ptx_check(const char *path, const struct weir_launchfile *lf,
                                       uint32_t n_paths, struct weir_err *err) {
  if (n_paths == 0 || n_paths == lf->n_modules) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "%s has %u module%s, and -o was given %u time%s", path, lf->n_modules,
            lf->n_modules == 1 ? "" : "s", n_paths, n_paths == 1 ? "" : "s");
  for (uint32_t i = 0; i < lf->n_modules; i++)
    weir_err_add(err, "-o FILE for %s", lf->modules[i]);
  return WEIR_EINVAL;
}

/* ---- one module ---- */

struct retags {
  struct weir_retag *v;
  size_t n, cap;
};

/* A load of a function that several kernels call gets what all of them say, if they agree. */
static bool add_hint(struct retags *list, const struct ptx_insn *in, enum weir_hint hint) {
  struct weir_retag new = {in, hint};
  for (size_t i = 0; i < list->n; i++)
    if (list->v[i].insn == in) {
      if (list->v[i].hint != hint) list->v[i].hint = WEIR_HINT_NONE;
      return true;
    }
  return WEIR_PUSH(*list, new);
}

static bool collect(const struct weir_hinted_ptx *h, const struct ptx_module *m,
                    struct retags *list) {
  for (uint32_t k = 0; k < h->profile->n_kernels; k++) {
    const struct weir_loads *l = &h->profile->kernels[k].loads;
    for (uint32_t i = 0; i < l->n; i++)
      if (l->v[i].func->module == m && weir_can_retag(l->v[i].ptx) &&
          !add_hint(list, l->v[i].ptx, h->hint(h->self, k, i)))
        return false;
  }
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++) {
    struct weir_retag r = list->v[i];
    if (r.hint == WEIR_HINT_NONE) r.hint = h->otherwise;
    if (r.hint != WEIR_HINT_NONE) list->v[n++] = r;
  }
  list->n = n;
  return true;
}

static enum weir_status write_module(const struct weir_hinted_ptx *h, const struct ptx_module *m,
                                     const char *path, struct weir_err *err) {
  struct retags list = {0};
  struct weir_text out = {0};
  enum weir_status st =
      collect(h, m, &list) ? weir_retag(m, list.v, list.n, &out, err) : weir_no_memory(err);
  if (st == WEIR_OK) st = weir_cli_put(path, out.v, out.n, err);
  free(list.v);
  weir_text_free(&out);
  return st;
}

/* ---- all of them ---- */

/* "a.ptx" for the first module of a program, "a-2.ptx" for the second. */
static const char *numbered(struct weir_arena *a, const char *path, unsigned number) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  if (number == 1 || weir_cli_is_stdout(path)) return path;
  if (dot == NULL || (slash != NULL && dot < slash)) dot = path + strlen(path);
  return weir_arena_printf(a, "%.*s-%u%s", (int)(dot - path), path, number, dot);
}

/* Those that kernels were found in. */
static enum weir_status write_program(const struct weir_hinted_ptx *h, struct weir_err *err) {
  const struct weir_classify_program *p = h->program;
  enum weir_status st = WEIR_OK;
  unsigned n = 0;
  for (uint32_t i = 0; st == WEIR_OK && i < p->n_modules; i++) {
    bool is_used = false;
    for (uint32_t k = 0; k < h->profile->n_kernels; k++)
      is_used |= p->modules[i] != NULL && h->profile->kernels[k].loads.module == p->modules[i];
    if (!is_used) continue;
    const char *path = numbered(h->arena, h->paths[0], ++n);
    st = path != NULL ? write_module(h, p->modules[i], path, err) : weir_no_memory(err);
    if (st == WEIR_OK && !h->is_quiet && !weir_cli_is_stdout(path))
      fprintf(stderr, "weir: %s is %s\n", path, p->recording.modules.v[i].name);
  }
  return st;
}

enum weir_status weir_hinted_ptx_write(const struct weir_hinted_ptx *h, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (h->n_paths > 0 && h->program != NULL) return write_program(h, err);
  for (uint32_t i = 0; st == WEIR_OK && i < h->n_paths; i++)
    st = write_module(h, weir_workload_module(h->profile->workload, i), h->paths[i], err);
  return st;
}
