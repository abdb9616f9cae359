#include "cli/advise_patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/patch.h"

/* A load, and where its text is. */
struct item {
  const struct weir_static_load *load;
  const char *kernel; /* as its source has it */
  enum weir_hint hint;
};

struct patcher {
  const struct weir_advised *a;
  const char *beside;
  struct weir_arena arena;
  struct {
    struct item *v;
    size_t n, cap;
  } items;
  struct weir_cuda_text text; /* of the source that is looked at */
  struct weir_cuda_edits edits;
  struct {
    struct weir_patch_note *v;
    size_t n, cap;
  } notes;
  uint32_t n_hinted, n_noted; /* groups of loads */
};

/* ---- loads by place ---- */

/* "reduce" for ns::reduce<float, 256>. */
static const char *plain_name(struct weir_arena *a, const char *mangled) {
  char name[WEIR_DEMANGLED];
  weir_demangle(mangled, name, sizeof name);
  char *end = strchr(name, '<');
  if (end != NULL) *end = 0;
  const char *last = name;
  for (const char *p; (p = strstr(last, "::")) != NULL;)
    last = p + 2;
  return weir_arena_printf(a, "%s", last);
}

static int by_place(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  int order = strcmp(x->load->path, y->load->path);
  if (order != 0) return order;
  if (x->load->line != y->load->line) return x->load->line < y->load->line ? -1 : 1;
  order = strcmp(x->kernel, y->kernel);
  if (order != 0) return order;
  if (x->load->param != y->load->param) return x->load->param < y->load->param ? -1 : 1;
  return x->load->insn < y->load->insn ? -1 : x->load->insn > y->load->insn;
}

/* Loads of one array in one line of one kernel, be it a template with several instances. */
static bool is_together(const struct item *x, const struct item *y) {
  return strcmp(x->load->path, y->load->path) == 0 && x->load->line == y->load->line &&
         x->load->param == y->load->param && strcmp(x->kernel, y->kernel) == 0;
}

static bool collect(struct patcher *p) {
  for (uint32_t k = 0; k < p->a->profile.n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &p->a->profile.kernels[k];
    const char *name = plain_name(&p->arena, kernel->loads.kernel);
    if (name == NULL) return false;
    for (uint32_t i = 0; i < kernel->loads.n; i++) {
      struct item new = {&kernel->loads.v[i], name, p->a->loads[kernel->first + i].hint};
      if (new.load->path != NULL &&new.load->line > 0 && !WEIR_PUSH(p->items, new)) return false;
    }
  }
  if (p->items.n > 0) qsort(p->items.v, p->items.n, sizeof *p->items.v, by_place);
  return true;
}

/* ---- one source ---- */

static bool add_note(struct patcher *p, const struct item *v, size_t n, const char *why) {
  struct weir_text text = {0};
  const struct weir_static_load *first = v[0].load;
  for (size_t i = 0; i < n; i++)
    if (v[i].hint != WEIR_HINT_NONE)
      weir_text_printf(&text, "%s%s at 0x%x",
                       text.n > 0 ? ", " : "// weir: ", weir_hint_word(v[i].hint),
                       8 * v[i].load->insn);
  weir_text_printf(&text, " for %s of kernel %s: %s",
                   first->array != NULL ? first->array : "a load", v[0].kernel, why);
  struct weir_patch_note note = {first->line, NULL};
  if (!text.failed) note.text = weir_arena_strndup(&p->arena, text.v, text.n);
  weir_text_free(&text);
  p->n_noted++;
  return note.text != NULL && WEIR_PUSH(p->notes, note);
}

static bool hint_group(struct patcher *p, const struct item *v, size_t n) {
  size_t n_same = 0, n_hinted = 0;
  for (size_t i = 0; i < n; i++) {
    n_same += v[i].hint == v[0].hint;
    n_hinted += v[i].hint != WEIR_HINT_NONE;
  }
  if (n_hinted == 0) return true;
  const char *why = "not all loads of the line that read it";
  if (v[0].load->param == WEIR_NO_PARAM)
    why = "no array of the kernel is known";
  else if (n_same == n)
    why = weir_cuda_hint(&p->text,
                         &(struct weir_cuda_load){.line = v[0].load->line,
                                                  .kernel = v[0].kernel,
                                                  .param = v[0].load->param,
                                                  .hint = v[0].hint},
                         &p->edits);
  if (why != NULL) return add_note(p, v, n, why);
  p->n_hinted++;
  return true;
}

/* As patch -p1 wants it: from here on, or from the root. */
static const char *name_from_here(struct weir_arena *a, const char *path, bool *is_below) {
  char *whole = realpath(path, NULL), here[4096];
  const char *name = NULL;
  *is_below = false;
  if (whole != NULL && getcwd(here, sizeof here) != NULL) {
    size_t n = strlen(here);
    *is_below = strncmp(whole, here, n) == 0 && whole[n] == '/';
    name = weir_arena_printf(a, "%s", *is_below ? whole + n + 1 : whole + 1);
  }
  free(whole);
  return name;
}

static enum weir_status patch_source(struct patcher *p, const char *path, const struct item *v,
                                     size_t n, struct weir_text *out, struct weir_err *err) {
  char *text;
  size_t len;
  bool is_below, is_whole = true;
  const char *name = name_from_here(&p->arena, path, &is_below);
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &len, err);
  if (st != WEIR_OK) return st;
  p->edits = (struct weir_cuda_edits){.arena = &p->arena};
  p->notes.n = 0;
  if (name == NULL || !weir_cuda_text_open(&p->text, text, len)) {
    free(text);
    return weir_no_memory(err);
  }
  for (size_t i = 0, to; is_whole && i < n; i = to) {
    for (to = i + 1; to < n && is_together(&v[i], &v[to]);)
      to++;
    is_whole = hint_group(p, v + i, to - i);
  }
  struct weir_patch patch = {&p->text, name, &p->edits, p->notes.v, p->notes.n};
  st = is_whole ? weir_patch_text(&patch, out, err) : weir_no_memory(err);
  if (st == WEIR_OK && !is_below)
    fprintf(stderr, "weir: %s is not below this folder: apply with patch -p1 -d /\n", path);
  weir_cuda_edits_free(&p->edits);
  weir_cuda_text_close(&p->text);
  free(text);
  return st;
}

/* ---- all of them ---- */

static const char *find_source(struct patcher *p, const struct item *x) {
  const char *name = x->load->path, *module = x->load->func->module->path;
  const char *places[] = {name, weir_file_beside(&p->arena, module, name),
                          p->beside != NULL ? weir_file_beside(&p->arena, p->beside, name) : NULL};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] != NULL && access(places[i], R_OK) == 0) return places[i];
  return NULL;
}

static enum weir_status patch_sources(struct patcher *p, struct weir_text *out,
                                      struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0, to; st == WEIR_OK && i < p->items.n; i = to) {
    const struct item *v = p->items.v;
    uint32_t n = 0;
    for (to = i; to < p->items.n && strcmp(v[i].load->path, v[to].load->path) == 0; to++)
      n += v[to].hint != WEIR_HINT_NONE;
    if (n == 0) continue;
    const char *path = find_source(p, &v[i]);
    if (path != NULL)
      st = patch_source(p, path, v + i, to - i, out, err);
    else
      fprintf(stderr,
              "weir: %s, which %u of the loads are from, is not here: they are not in the patch; "
              "remedy: run it where the source is\n",
              v[i].load->path, n);
  }
  return st;
}

static uint32_t without_place(const struct weir_advised *a) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < a->profile.n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &a->profile.kernels[k];
    for (uint32_t i = 0; i < kernel->loads.n; i++)
      n += a->loads[kernel->first + i].hint != WEIR_HINT_NONE &&
           (kernel->loads.v[i].path == NULL || kernel->loads.v[i].line == 0);
  }
  return n;
}

enum weir_status weir_advise_patch(const struct weir_advised *a, const char *beside, bool is_quiet,
                                   struct weir_text *out, struct weir_err *err) {
  struct patcher p = {.a = a, .beside = beside};
  enum weir_status st = collect(&p) ? patch_sources(&p, out, err) : weir_no_memory(err);
  uint32_t n = without_place(a);
  if (st == WEIR_OK && n > 0)
    fprintf(stderr,
            "weir: %u of the loads have no line of a source, and are not in the patch; remedy: "
            "nvcc -lineinfo\n",
            n);
  if (st == WEIR_OK && !is_quiet && p.n_hinted + p.n_noted > 0)
    fprintf(stderr, "weir: patch: %u hint%s written, %u left as comment%s\n", p.n_hinted,
            p.n_hinted == 1 ? "" : "s", p.n_noted, p.n_noted == 1 ? "" : "s");
  free(p.items.v);
  free(p.notes.v);
  weir_arena_free(&p.arena);
  return st;
}
