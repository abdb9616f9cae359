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

/* What loads are read with. */
struct reader {
  const char *workload, *beside; /* names; the JSON */
  const struct weir_page_options *o;
  json_t *sources;
  struct weir_arena a;
  bool failed; /* for want of memory */
};

/* The text of a file in malloc(); NULL: there is none. */
static char *read_source(struct reader *d, const char *path) {
  struct stat info;
  struct weir_err why;
  char *data;
  size_t n;
  if (path == NULL) d->failed = true;
  if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > SOURCE_BYTES)
    return NULL;
  enum weir_status st = weir_file_read(path, SOURCE_BYTES, NULL, &data, &n, &why);
  d->failed = d->failed || st == WEIR_ENOMEM;
  return st == WEIR_OK ? data : NULL;
}

/* In the folders of --source; beside the workload; beside the JSON; as it is named. */
static char *find_source(struct reader *d, const char *name) {
  struct weir_err why;
  const char *launch;
  char *text = NULL;
  for (size_t i = 0; text == NULL && i < d->o->n_sources; i++) {
    const char *folder = d->o->sources[i];
    text = read_source(d, weir_arena_printf(&d->a, "%s/%s", folder, name));
    if (text == NULL)
      text = read_source(d, weir_arena_printf(&d->a, "%s/%s", folder, last_part(name)));
  }
  if (text == NULL && d->workload != NULL) {
    enum weir_status st = weir_data_workload(&d->a, d->workload, &launch, &why);
    d->failed = d->failed || st == WEIR_ENOMEM;
    if (st == WEIR_OK) text = read_source(d, weir_file_beside(&d->a, launch, last_part(name)));
  }
  if (text == NULL) text = read_source(d, weir_file_beside(&d->a, d->beside, name));
  if (text == NULL) text = read_source(d, weir_file_beside(&d->a, d->beside, last_part(name)));
  return text != NULL ? text : read_source(d, name);
}

/* Its number in `sources`; -1: it has no name. A file that cannot be read is there without text. */
static int add_source(struct reader *d, const json_t *file) {
  const char *name = json_string_value(file);
  size_t n = json_array_size(d->sources);
  if (name == NULL) return -1;
  for (size_t i = 0; i < n; i++) {
    const json_t *known = json_object_get(json_array_get(d->sources, i), "name");
    if (strcmp(json_string_value(known), name) == 0) return (int)i;
  }
  char *text = is_source(name) ? find_source(d, name) : NULL;
  weir_json_push(&d->sources, json_pack("{s:s, s:o}", "name", name, "text",
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

static json_t *load_of(struct reader *d, const json_t *load) {
  static const char *const keys[] = {"insn", "pc", "ptx_line", "line", "array", NULL};
  static const char *const counts[] = {"references", "answered", "pending", "sent",   "lone",
                                       "first",      "sectors",  "evicted", "misses", NULL};
  json_t *out = json_object();
  take(&out, load, keys);
  take(&out, json_object_get(load, "locality"), counts);
  weir_json_put(&out, "source", json_integer(add_source(d, json_object_get(load, "file"))));
  return out;
}

static json_t *kernel_of(struct reader *d, const json_t *kernel) {
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
    weir_json_push(&list, load_of(d, json_array_get(loads, i)));
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
  struct reader d = {.workload = json_string_value(json_object_get(root, "workload")),
                     .beside = path,
                     .o = o,
                     .sources = json_array()};
  const json_t *kernels = json_object_get(root, "kernels");
  json_t *out = json_object(), *list = json_array();
  take(&out, root, keys);
  weir_json_put(&out, "advice", advice_of(root));
  weir_json_put(&out, "locality", locality_of(root));
  json_t *curve = json_object_get(root, "miss_ratio_curve");
  if (curve != NULL) weir_json_put(&out, "curve", json_incref(curve));
  for (size_t i = 0; i < json_array_size(kernels); i++)
    weir_json_push(&list, kernel_of(&d, json_array_get(kernels, i)));
  weir_json_put(&out, "kernels", list);
  weir_json_put(&out, "sources", d.sources);
  weir_json_push(&p->characters, out);
  weir_arena_free(&d.a);
  return p->characters != NULL && !d.failed ? WEIR_OK : weir_no_memory(err);
}
