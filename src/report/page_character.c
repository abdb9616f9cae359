/* Characterised workloads on a page, with the source text of their loads. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/demangle.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/page.h"
#include "session/data.h"

enum { SOURCE_BYTES = 512 << 10 };

/* ---- source files ---- */

/* The JSON may be another's, and names the files: only what is a program's text is put into a page
 * that is handed on. */
static bool is_source(const char *name) {
  static const char *const ends[] = {".cu", ".cuh", ".c",   ".cc",  ".cpp", ".cxx", ".h",
                                     ".hh", ".hpp", ".inl", ".inc", ".ptx", ".cl"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot != NULL && i < sizeof ends / sizeof *ends; i++)
    if (strcmp(dot, ends[i]) == 0) return true;
  return false;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static char *read_source(const char *path) {
  struct stat info;
  struct weir_err why;
  char *data;
  size_t n;
  if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > SOURCE_BYTES)
    return NULL;
  return weir_file_read(path, SOURCE_BYTES, NULL, &data, &n, &why) == WEIR_OK ? data : NULL;
}

/* As it is named; in the folders of --source; beside the JSON; beside the workload. */
static char *find_source(const char *name, const char *workload, const char *beside,
                         const struct weir_page_options *o) {
  struct weir_arena a = {0};
  struct weir_err why;
  const char *launch;
  char *text = NULL;
  for (size_t i = 0; text == NULL && i < o->n_sources; i++) {
    text = read_source(weir_arena_printf(&a, "%s/%s", o->sources[i], name));
    if (text == NULL)
      text = read_source(weir_arena_printf(&a, "%s/%s", o->sources[i], last_part(name)));
  }
  if (text == NULL && workload != NULL &&
      weir_data_workload(&a, workload, &launch, &why) == WEIR_OK)
    text = read_source(weir_file_beside(&a, launch, last_part(name)));
  if (text == NULL) text = read_source(weir_file_beside(&a, beside, name));
  if (text == NULL) text = read_source(weir_file_beside(&a, beside, last_part(name)));
  if (text == NULL) text = read_source(name);
  weir_arena_free(&a);
  return text;
}

/* Its number in `sources`; -1: it has no name. A file that cannot be read is there without text. */
static int add_source(json_t **sources, const json_t *file, const char *workload,
                      const char *beside, const struct weir_page_options *o) {
  const char *name = json_string_value(file);
  if (name == NULL || *sources == NULL) return -1;
  size_t n = json_array_size(*sources);
  for (size_t i = 0; i < n; i++)
    if (strcmp(json_string_value(json_object_get(json_array_get(*sources, i), "name")), name) == 0)
      return (int)i;
  char *text = is_source(name) ? find_source(name, workload, beside, o) : NULL;
  weir_json_push(sources, json_pack("{s:s, s:o}", "name", name, "text",
                                    text != NULL ? weir_json_text(text) : json_null()));
  free(text);
  return (int)n;
}

/* ---- what is taken over ---- */

static void take(json_t **into, const json_t *from, const char *const *keys) {
  for (; *keys != NULL; keys++) {
    json_t *v = json_object_get(from, *keys);
    if (v != NULL) weir_json_put(into, *keys, json_incref(v));
  }
}

static json_t *locality_of(const json_t *from) {
  static const char *const keys[] = {
      "references",      "lines", "answered",       "pending", "sent",
      "partial",         "lone",  "first",          "misses",  "stack_distance",
      "access_distance", "reuse", "used_before_by", "evicted", "opt",
      "sectors",         NULL};
  json_t *o = json_object();
  take(&o, json_object_get(from, "locality"), keys);
  return o;
}

static json_t *name_of(const json_t *kernel) {
  char name[WEIR_DEMANGLED];
  const char *mangled = json_string_value(json_object_get(kernel, "kernel"));
  return weir_json_text(mangled != NULL ? weir_demangle(mangled, name, sizeof name) : "?");
}

static json_t *load_of(const json_t *load, json_t **sources, const char *workload,
                       const char *beside, const struct weir_page_options *o) {
  static const char *const keys[] = {"insn", "pc", "ptx_line", "line", "array", NULL};
  static const char *const counts[] = {"references", "answered", "pending", "sent",   "lone",
                                       "first",      "sectors",  "evicted", "misses", NULL};
  json_t *out = json_object();
  take(&out, load, keys);
  take(&out, json_object_get(load, "locality"), counts);
  int source = add_source(sources, json_object_get(load, "file"), workload, beside, o);
  weir_json_put(&out, "source", json_integer(source));
  return out;
}

static json_t *kernel_of(const json_t *kernel, json_t **sources, const char *workload,
                         const char *beside, const struct weir_page_options *o) {
  static const char *const keys[] = {"launches", "l1_lines", "blocks_per_sm", "warps_per_block",
                                     NULL};
  const json_t *loads = json_object_get(kernel, "loads");
  json_t *out = json_object(), *list = json_array();
  weir_json_put(&out, "name", name_of(kernel));
  take(&out, kernel, keys);
  json_t *cycles = json_object_get(json_object_get(kernel, "timing"), "cycles");
  if (cycles != NULL) weir_json_put(&out, "cycles", json_incref(cycles));
  weir_json_put(&out, "locality", locality_of(kernel));
  json_t *curve = json_object_get(kernel, "miss_ratio_curve");
  if (curve != NULL) weir_json_put(&out, "curve", json_incref(curve));
  for (size_t i = 0; i < json_array_size(loads); i++)
    weir_json_push(&list, load_of(json_array_get(loads, i), sources, workload, beside, o));
  weir_json_put(&out, "loads", list);
  return out;
}

static json_t *advice_of(const json_t *root) {
  static const char *const keys[] = {"rule", "concerned", "text", NULL};
  const json_t *all = json_object_get(root, "advice");
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(all); i++) {
    json_t *o = json_object();
    take(&o, json_array_get(all, i), keys);
    weir_json_push(&list, o);
  }
  return list;
}

enum weir_status weir_page_from_character(struct weir_page *p, const json_t *root, const char *path,
                                          const struct weir_page_options *o, struct weir_err *err) {
  static const char *const keys[] = {"workload", "input", "gpu", NULL};
  const char *workload = json_string_value(json_object_get(root, "workload"));
  const json_t *kernels = json_object_get(root, "kernels");
  json_t *out = json_object(), *sources = json_array(), *list = json_array();
  take(&out, root, keys);
  weir_json_put(&out, "advice", advice_of(root));
  weir_json_put(&out, "locality", locality_of(root));
  json_t *curve = json_object_get(root, "miss_ratio_curve");
  if (curve != NULL) weir_json_put(&out, "curve", json_incref(curve));
  for (size_t i = 0; i < json_array_size(kernels); i++)
    weir_json_push(&list, kernel_of(json_array_get(kernels, i), &sources, workload, path, o));
  weir_json_put(&out, "kernels", list);
  weir_json_put(&out, "sources", sources);
  weir_json_push(&p->characters, out);
  return p->characters != NULL ? WEIR_OK : weir_no_memory(err);
}
