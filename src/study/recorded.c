#include "study/recorded.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "exec/exec.h"
#include "study/identity.h"

/* Any change of the program may change what it executes. */
static enum weir_status common_text(const struct weir_settings *settings, struct weir_text *out,
                                    struct weir_err *err) {
  char program[WEIR_HASH_TEXT];
  enum weir_status st = weir_hash_file("/proc/self/exe", program, err);
  if (st != WEIR_OK) return st;
  weir_text_printf(out, "streams 1\nprogram %s\n", program);
  for (size_t i = 0; i < settings->n; i++) {
    const struct weir_setting *v = &settings->v[i];
    if (v->group == &ptx_exec_params) weir_text_printf(out, "%s=%s\n", v->param->name, v->text);
  }
  return WEIR_OK;
}

enum weir_status weir_recorded_names(struct weir_study *s, const struct weir_settings *settings,
                                     const char *folder, struct weir_arena *a,
                                     struct weir_err *err) {
  struct weir_text text = {0};
  enum weir_status st = common_text(settings, &text, err);
  size_t common = text.n;
  for (size_t i = 0; st == WEIR_OK && i < s->n_workloads; i++) {
    struct weir_study_workload *w = &s->workloads[i];
    struct weir_workload_identity identity;
    char hash[WEIR_HASH_TEXT];
    if (w->is_trace || w->fault != NULL) continue;
    st = weir_workload_identity(w, &identity, err);
    if (st != WEIR_OK) break;
    text.n = common;
    weir_text_printf(&text, "workload %s\ninput %s\n", identity.hash, identity.input);
    if (text.failed) break;
    weir_hash_bytes(text.v, text.n, hash);
    w->streams = weir_arena_printf(a, "%s/%s.wtrace", folder, strchr(hash, ':') + 1);
    if (w->streams == NULL) st = weir_no_memory(err);
  }
  if (st == WEIR_OK && text.failed) st = weir_no_memory(err);
  weir_text_free(&text);
  return st;
}
