#include "study/temp.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum weir_status weir_temp_make(struct weir_temp *t, struct weir_err *err) {
  const char *top = getenv("TMPDIR");
  if (top == NULL || top[0] == 0) top = "/tmp";
  snprintf(t->path, sizeof t->path, "%s/weir-study-XXXXXX", top);
  if (mkdtemp(t->path) != NULL) return WEIR_OK;
  weir_fail(err, WEIR_EIO, "cannot make a temporary folder in %s: %s", top, strerror(errno));
  weir_err_add(err, "set TMPDIR to a folder that can be written");
  t->path[0] = 0;
  return WEIR_EIO;
}

void weir_temp_remove(struct weir_temp *t) {
  DIR *dir = t->path[0] != 0 ? opendir(t->path) : NULL;
  if (dir == NULL) return;
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    if (d->d_name[0] != '.') unlinkat(dirfd(dir), d->d_name, 0);
  closedir(dir);
  rmdir(t->path);
  t->path[0] = 0;
}
