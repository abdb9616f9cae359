#include "session/data.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "machine/machine_file.h"
#include "weir_build.h"

/* ---- the folder ---- */

static char data_dir[PATH_MAX];

/* The file that this code was loaded from: the program, or a shared library. */
static bool own_file(char *path) {
  Dl_info info;
  struct link_map *map = NULL;
  if (dladdr1(data_dir, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return false;
  return realpath(map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe", path) != NULL;
}

static bool has_data(const char *folder) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/workloads", folder);
  return access(path, R_OK | X_OK) == 0;
}

/* PREFIX/bin/weir, PREFIX/lib/libweir.so, PREFIX/lib/TRIPLET/libweir.so: PREFIX/share/weir. */
static bool is_installed(char *own) {
  for (unsigned up = 0; up < 3; up++) {
    char *slash = strrchr(own, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    if (up == 0) continue; /* bin or lib itself */
    int n = snprintf(data_dir, sizeof data_dir, "%s/share/weir", own);
    if (n > 0 && (size_t)n < sizeof data_dir && has_data(data_dir)) return true;
  }
  return false;
}

/* What is run from a build folder uses the tree beside it, even if another weir is installed. */
static void find_data(void) {
  char own[PATH_MAX];
  size_t n = strlen(WEIR_BUILD_ROOT);
  bool is_known = own_file(own);
  bool is_built = is_known && strncmp(own, WEIR_BUILD_ROOT, n) == 0 && own[n] == '/';
  if (is_known && !is_built && is_installed(own)) return;
  bool is_source = (is_built || !has_data(WEIR_INSTALL_DATA)) && has_data(WEIR_SOURCE_DATA);
  snprintf(data_dir, sizeof data_dir, "%s", is_source ? WEIR_SOURCE_DATA : WEIR_INSTALL_DATA);
}

/* For what was installed share/weir of that installation, wherever it was moved; else the source
 * tree. */
const char *weir_data_dir(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char *env = getenv("WEIR_DATA");
  if (env && *env) return env;
  pthread_once(&once, find_data);
  return data_dir;
}

/* ---- workloads ---- */

struct names {
  const char **v;
  size_t n, cap;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory for the list of workloads");
}

/* "stencil.yaml" in folder "stencil" is "stencil"; "lock.yaml" in "simt" is "simt/lock". */
static enum weir_status add_file(struct weir_arena *a, struct names *list, const char *folder,
                                 const char *file, struct weir_err *err) {
  size_t n = strlen(file), suffix = strlen(".yaml");
  if (n <= suffix || strcmp(file + n - suffix, ".yaml") != 0) return WEIR_OK;
  n -= suffix;
  bool same = strlen(folder) == n && !memcmp(folder, file, n);
  const char *name =
      same ? weir_arena_strndup(a, file, n) : weir_arena_printf(a, "%s/%.*s", folder, (int)n, file);
  return name && WEIR_PUSH(*list, name) ? WEIR_OK : no_memory(err);
}

static enum weir_status scan_folder(struct weir_arena *a, struct names *list, const char *top,
                                    const char *folder, struct weir_err *err) {
  char *path = weir_arena_printf(a, "%s/%s", top, folder);
  if (!path) return no_memory(err);
  DIR *dir = opendir(path);
  if (!dir) return WEIR_OK; /* a plain file */
  enum weir_status status = WEIR_OK;
  for (struct dirent *d; !status && (d = readdir(dir));) {
    status = add_file(a, list, folder, d->d_name, err);
  }
  closedir(dir);
  return status;
}

enum weir_status weir_data_workloads(struct weir_arena *a, const char *const **names, size_t *n,
                                     struct weir_err *err) {
  struct names list = {0};
  *names = NULL;
  *n = 0;
  char *top = weir_arena_printf(a, "%s/workloads", weir_data_dir());
  if (!top) return no_memory(err);
  DIR *dir = opendir(top);
  if (!dir) {
    weir_fail(err, WEIR_ENOENT, "cannot open the folder of workloads '%s': %s", top,
              strerror(errno));
    weir_err_add(err, "set WEIR_DATA to the folder that holds 'workloads'");
    return WEIR_ENOENT;
  }
  enum weir_status status = WEIR_OK;
  for (struct dirent *d; !status && (d = readdir(dir));) {
    if (d->d_name[0] != '.') status = scan_folder(a, &list, top, d->d_name, err);
  }
  closedir(dir);
  const char **sorted = status ? NULL : weir_arena_array(a, list.n, sizeof *sorted);
  if (sorted && list.n) {
    memcpy(sorted, list.v, list.n * sizeof *sorted);
    qsort(sorted, list.n, sizeof *sorted, weir_by_text);
  }
  if (!status && !sorted) status = no_memory(err);
  *names = sorted;
  *n = list.n;
  free(list.v);
  return status;
}

enum weir_status weir_data_workload(struct weir_arena *a, const char *name, const char **path,
                                    struct weir_err *err) {
  const char *const *names;
  size_t n;
  enum weir_status status = weir_data_workloads(a, &names, &n, err);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) != 0) continue;
    const char *dir = weir_data_dir();
    *path = strchr(name, '/') ? weir_arena_printf(a, "%s/workloads/%s.yaml", dir, name)
                              : weir_arena_printf(a, "%s/workloads/%s/%s.yaml", dir, name, name);
    return *path ? WEIR_OK : no_memory(err);
  }
  weir_fail(err, WEIR_ENOENT, "there is no workload '%.200s'", name);
  const char *near = weir_nearest(name, names, n);
  if (near) {
    weir_err_add(err, "did you mean '%s'?", near);
  } else {
    weir_err_add(err,
                 "'weir list workloads' shows all and their sets; a launch file is named with its "
                 "path: ./%s.yaml",
                 name);
  }
  return WEIR_ENOENT;
}

static bool is_listed(struct weir_config *c, const char *key, const char *word) {
  uint32_t list = weir_config_at(c, key);
  for (uint32_t i = list ? weir_config_first(c, list) : 0; i; i = weir_config_next(c, i))
    if (c->entry[i].text && strcmp(c->entry[i].text, word) == 0) return true;
  return false;
}

/* INPUT or INPUT@BUILD */
static bool has_input(struct weir_config *c, const char *input) {
  const char *at = strchr(input, '@');
  uint32_t inputs = weir_config_at(c, "inputs"), builds = weir_config_at(c, "builds");
  char name[WEIR_CONFIG_KEY + 1];
  snprintf(name, sizeof name, "%.*s", (int)(at ? at - input : (int)strlen(input)), input);
  return inputs && weir_config_find(c, inputs, name) &&
         (!at || (builds && weir_config_find(c, builds, at + 1)));
}

/* Is a workload of the set, and is it meant? */
static enum weir_status look_at(struct weir_arena *a, const char *name, const char *word,
                                const char *input, bool *is_of, bool *is_meant,
                                struct weir_err *err) {
  const char *path;
  struct weir_config c;
  enum weir_status status = weir_data_workload(a, name, &path, err);
  if (!status) status = weir_config_load(&c, path, err);
  if (status) return status;
  *is_of = strcmp(word, "all") == 0 || is_listed(&c, "sets", word);
  *is_meant = *is_of && has_input(&c, input ? input : "eval");
  weir_config_free(&c);
  return WEIR_OK;
}

enum weir_status weir_data_set(struct weir_arena *a, const char *word, const char *input,
                               const char *const **names, size_t *n, struct weir_err *err) {
  const char *const *all;
  const char **found;
  size_t n_all;
  bool any = false;
  *names = NULL;
  *n = 0;
  if (strpbrk(word, "/.") != NULL) return WEIR_OK;
  enum weir_status status = weir_data_workloads(a, &all, &n_all, err);
  if (status) return status;
  for (size_t i = 0; i < n_all; i++)
    if (strcmp(all[i], word) == 0) return WEIR_OK;
  found = weir_arena_array(a, n_all + 1, sizeof *found);
  if (!found) return no_memory(err);
  for (size_t i = 0; !status && i < n_all; i++) {
    bool is_of = false, is_meant = false;
    status = look_at(a, all[i], word, input, &is_of, &is_meant, err);
    any |= is_of;
    if (is_meant) found[(*n)++] = all[i];
  }
  if (status || !any) return status;
  *names = found;
  if (*n > 0) return WEIR_OK;
  weir_fail(err, WEIR_ENOENT, "no workload of '%s' has an input '%s'", word,
            input ? input : "eval");
  weir_err_add(err, "'weir list workloads' shows the inputs");
  return WEIR_ENOENT;
}

bool weir_is_launch_file(const char *name) {
  size_t n = strlen(name);
  return (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
         (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

/* ---- machines and schemes ---- */

/* Files NAME.yaml of a data folder. */
static enum weir_status list_files(struct weir_arena *a, const char *what,
                                   const char *const **names, size_t *n, struct weir_err *err) {
  struct {
    const char **v;
    size_t n, cap;
  } list = {0};
  const char *folder = weir_arena_printf(a, "%s/%s", weir_data_dir(), what);
  if (folder == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  DIR *dir = opendir(folder);
  if (dir == NULL)
    return weir_fail(err, WEIR_ENOENT, "cannot read the folder %s: %s", folder, strerror(errno));
  bool ok = true;
  for (struct dirent *d; ok && (d = readdir(dir)) != NULL;) {
    size_t len = strlen(d->d_name);
    if (len <= 5 || strcmp(d->d_name + len - 5, ".yaml") != 0) continue;
    const char *name = weir_arena_strndup(a, d->d_name, len - 5);
    ok = name != NULL && WEIR_PUSH(list, name);
  }
  closedir(dir);
  const char **out = ok ? weir_arena_array(a, list.n + 1, sizeof *out) : NULL;
  if (out == NULL) {
    free(list.v);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  if (list.n > 0) memcpy(out, list.v, list.n * sizeof *out);
  qsort(out, list.n, sizeof *out, weir_by_text);
  free(list.v);
  *names = out;
  *n = list.n;
  return WEIR_OK;
}

enum weir_status weir_data_gpus(struct weir_arena *a, const char *const **names, size_t *n,
                                struct weir_err *err) {
  return list_files(a, "gpus", names, n, err);
}

enum weir_status weir_data_schemes(struct weir_arena *a, const char *const **names, size_t *n,
                                   struct weir_err *err) {
  return list_files(a, "schemes", names, n, err);
}

static bool is_file_name(const char *gpu) {
  size_t n = strlen(gpu);
  return n > 5 && strcmp(gpu + n - 5, ".yaml") == 0;
}

/* The path of NAME.yaml in a data folder, or an error that names the nearest one. */
static enum weir_status find_file(struct weir_arena *a, const char *folder, const char *what,
                                  const char *name, const char **path, struct weir_err *err) {
  *path = name;
  if (is_file_name(name)) return WEIR_OK;
  const char *const *names;
  size_t n;
  enum weir_status st = list_files(a, folder, &names, &n, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) {
      *path = weir_arena_printf(a, "%s/%s/%s.yaml", weir_data_dir(), folder, name);
      return *path != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
    }
  weir_fail(err, WEIR_ENOENT, "there is no %s '%s'", what, name);
  const char *near = weir_nearest(name, names, n);
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_err_add(err, "'weir list %s' shows all; a file must end in .yaml", folder);
  return WEIR_ENOENT;
}

static enum weir_status machine_path(struct weir_arena *a, const char *gpu, const char **path,
                                     struct weir_err *err) {
  return find_file(a, "gpus", "machine", gpu, path, err);
}

enum weir_status weir_data_scheme(struct weir_arena *a, const char *scheme, const char **path,
                                  struct weir_err *err) {
  return find_file(a, "schemes", "scheme", scheme, path, err);
}

enum weir_status weir_data_papers(struct weir_arena *a, const char *const **names, size_t *n,
                                  struct weir_err *err) {
  return list_files(a, "papers", names, n, err);
}

enum weir_status weir_data_paper(struct weir_arena *a, const char *paper, const char **path,
                                 struct weir_err *err) {
  char *name = weir_arena_printf(a, "%s", paper);
  if (name == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (char *p = name; *p != 0 && !is_file_name(paper); p++)
    if (*p >= 'A' && *p <= 'Z') *p = (char)(*p + 'a' - 'A');
  return find_file(a, "papers", "paper", name, path, err);
}

static enum weir_status find_machine(void *self, struct weir_arena *a, const char *name,
                                     const char **path, struct weir_err *err) {
  (void)self;
  return machine_path(a, name, path, err);
}

enum weir_status weir_data_machine(struct weir_settings *s, const char *gpu, struct weir_err *err) {
  struct weir_arena a = {0};
  const char *path;
  enum weir_status st = machine_path(&a, gpu, &path, err);
  if (st == WEIR_OK) st = weir_machine_load(s, path, find_machine, NULL, err);
  weir_arena_free(&a);
  return st;
}

enum weir_status weir_data_machine_files(const char *path, struct weir_arena *a,
                                         const char *names[WEIR_MAX_EXTENDS], uint32_t *n,
                                         struct weir_err *err) {
  return weir_machine_files(path, find_machine, NULL, a, names, n, err);
}

bool weir_data_has_scheme(const char *name) {
  char path[PATH_MAX];
  if (is_file_name(name)) return true;
  int n = snprintf(path, sizeof path, "%s/schemes/%s.yaml", weir_data_dir(), name);
  return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}
