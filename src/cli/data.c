/* Where the data lies, and the built-in workloads in it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/cmd.h"
#include "weir_build.h"

const char *weir_cli_data_dir(void) {
  const char *env = getenv("WEIR_DATA");
  if (env && *env) return env;
  return access(WEIR_SOURCE_DATA "/workloads", R_OK | X_OK) == 0 ? WEIR_SOURCE_DATA
                                                                 : WEIR_INSTALL_DATA;
}

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

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum weir_status weir_cli_workloads(struct weir_arena *a, const char *const **names, size_t *n,
                                    struct weir_err *err) {
  struct names list = {0};
  *names = NULL;
  *n = 0;
  char *top = weir_arena_printf(a, "%s/workloads", weir_cli_data_dir());
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
    qsort(sorted, list.n, sizeof *sorted, by_name);
  }
  if (!status && !sorted) status = no_memory(err);
  *names = sorted;
  *n = list.n;
  free(list.v);
  return status;
}

enum weir_status weir_cli_workload_path(struct weir_arena *a, const char *name, const char **path,
                                        struct weir_err *err) {
  const char *const *names;
  size_t n;
  enum weir_status status = weir_cli_workloads(a, &names, &n, err);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) != 0) continue;
    const char *dir = weir_cli_data_dir();
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
                 "'weir list workloads' shows all; a launch file is named with its path: ./%s.yaml",
                 name);
  }
  return WEIR_ENOENT;
}
