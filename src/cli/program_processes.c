/* The processes that a program has started, and those that these have. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/program.h"

struct process {
  pid_t pid, parent;
  bool is_ours;
};

struct processes {
  struct process *v;
  size_t n, cap;
};

/* "PID (NAME) STATE PARENT ...", where NAME may hold anything. */
static bool read_process(const char *name, struct process *p) {
  char path[64], line[512];
  int parent;
  snprintf(path, sizeof path, "/proc/%.20s/stat", name);
  FILE *f = fopen(path, "re");
  if (f == NULL) return false;
  size_t n = fread(line, 1, sizeof line - 1, f);
  fclose(f);
  line[n] = 0;
  const char *rest = strrchr(line, ')');
  /* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers */
  if (rest == NULL || sscanf(rest, ") %*c %d", &parent) != 1) return false;
  *p = (struct process){.pid = (pid_t)strtol(name, NULL, 10), .parent = parent};
  return true;
}

static void list(struct processes *all) {
  DIR *dir = opendir("/proc");
  struct process p;
  if (dir == NULL) return;
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && read_process(d->d_name, &p) &&
        !WEIR_PUSH(*all, p))
      break;
  closedir(dir);
}

static bool is_from(const struct processes *all, const struct process *p) {
  for (size_t i = 0; i < all->n; i++)
    if (all->v[i].is_ours && all->v[i].pid == p->parent) return true;
  return p->parent == getpid();
}

void weir_descendants_signal(int number) {
  struct processes all = {0};
  list(&all);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < all.n; i++)
      if (!all.v[i].is_ours && is_from(&all, &all.v[i])) more = all.v[i].is_ours = true;
  }
  for (size_t i = 0; i < all.n; i++)
    if (all.v[i].is_ours) kill(all.v[i].pid, number);
  free(all.v);
}
