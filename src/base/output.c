#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/temp.h"

struct identity {
  dev_t dev;
  ino_t ino;
};

struct weir_output {
  struct weir_output *next;
  char *path, *target; /* as it was named; where it leads, NULL: written in place */
  int fd;
  struct weir_temp temporary;
  bool exists; /* target: there is a file */
  struct stat old;
  struct identity folder; /* target: of its folder */
};

static struct {
  pthread_mutex_t lock;
  struct weir_output *open;
  struct {
    struct reading { /* changed: numbers of files that are gone are given to others */
      struct identity file;
      struct timespec changed;
    } * v;
    size_t n, cap;
  } read;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum weir_status no_memory(const char *path, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory writing '%s'", path);
}

static enum weir_status cannot_write(const char *path, int code, struct weir_err *err) {
  return weir_fail(err, code == ENOENT || code == ENOTDIR ? WEIR_ENOENT : WEIR_EIO,
                   "cannot write '%s': %s", path, strerror(code));
}

/* ---- names ---- */

enum { MAX_LINKS = 40 };

/* Where a name leads, whether or not there is a file: its folder, which must exist, and its last
 * part. */
struct place {
  char folder[PATH_MAX], name[NAME_MAX + 1];
  int descriptor; /* of this process, or -1 */
};

static int descriptor_of(const struct place *at) {
  char own[64], *end;
  snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
  if (strcmp(at->folder, own) != 0) return -1;
  long n = strtol(at->name, &end, 10);
  return end != at->name && *end == 0 && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

/* One step, without the link that may be there. */
static int split(const char *path, struct place *at) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  char folder[PATH_MAX] = ".";
  if (slash != NULL) {
    size_t n = slash > path ? (size_t)(slash - path) : 1;
    if (n >= sizeof folder) return ENAMETOOLONG;
    memcpy(folder, path, n);
    folder[n] = 0;
  }
  if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
  if (*name == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return EISDIR;
  strcpy(at->name, name);
  return realpath(folder, at->folder) != NULL ? 0 : errno;
}

static int full_name(const struct place *at, const char *name, char *out) {
  bool is_top = strcmp(at->folder, "/") == 0;
  int n = snprintf(out, PATH_MAX, "%s/%s", is_top ? "" : at->folder, name);
  return n > 0 && n < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* Follows links by hand: realpath wants the file to exist, and reads /dev/stdout as the file that
 * it was redirected to. Returns 0, or what errno would be. */
static int find_place(const char *path, struct place *at) {
  char next[PATH_MAX], link[PATH_MAX];
  int code = split(path, at);
  for (int i = 0; code == 0 && i < MAX_LINKS; i++) {
    at->descriptor = descriptor_of(at);
    if (at->descriptor >= 0) return 0;
    code = full_name(at, at->name, next);
    ssize_t n = code == 0 ? readlink(next, link, sizeof link - 1) : -1;
    if (n < 0) return code;
    link[n] = 0;
    if (link[0] != '/')
      code = full_name(at, link, next);
    else
      strcpy(next, link);
    if (code == 0) code = split(next, at);
  }
  return code != 0 ? code : ELOOP;
}

int weir_output_descriptor(const char *path) {
  struct place at = {.descriptor = -1};
  return find_place(path, &at) == 0 ? at.descriptor : -1;
}

/* ---- which file it is ---- */

static bool is_same(struct identity a, dev_t dev, ino_t ino) {
  return a.dev == dev && a.ino == ino;
}

static const char *last_part(const char *path) {
  return strrchr(path, '/') + 1;
}

/* Nothing is lost when two write to a device that is no terminal (/dev/null). */
static bool may_share(const struct weir_output *o) {
  return S_ISCHR(o->old.st_mode) && !isatty(o->fd);
}

static bool is_same_file(const struct weir_output *a, const struct weir_output *b) {
  if (a->exists && b->exists)
    return a->old.st_dev == b->old.st_dev && a->old.st_ino == b->old.st_ino && !may_share(a);
  return !a->exists && !b->exists && is_same(a->folder, b->folder.dev, b->folder.ino) &&
         strcmp(last_part(a->target), last_part(b->target)) == 0;
}

/* Adds it to those that are open. */
static enum weir_status join(struct weir_output *o, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  pthread_mutex_lock(&all.lock);
  for (const struct weir_output *p = all.open; st == WEIR_OK && p != NULL; p = p->next)
    if (is_same_file(o, p))
      st = weir_fail(err, WEIR_EINVAL, "two outputs are one file: '%s' and '%s'", p->path, o->path);
  if (st == WEIR_OK) {
    o->next = all.open;
    all.open = o;
  }
  pthread_mutex_unlock(&all.lock);
  return st;
}

static void leave(const struct weir_output *o) {
  pthread_mutex_lock(&all.lock);
  for (struct weir_output **p = &all.open; *p != NULL; p = &(*p)->next)
    if (*p == o) {
      *p = o->next;
      break;
    }
  pthread_mutex_unlock(&all.lock);
}

bool weir_output_was_read(const struct weir_output *o) {
  bool was = false;
  pthread_mutex_lock(&all.lock);
  for (size_t i = 0; !was && o->exists && i < all.read.n; i++)
    was = is_same(all.read.v[i].file, o->old.st_dev, o->old.st_ino) &&
          all.read.v[i].changed.tv_sec == o->old.st_ctim.tv_sec &&
          all.read.v[i].changed.tv_nsec == o->old.st_ctim.tv_nsec;
  pthread_mutex_unlock(&all.lock);
  return was;
}

enum weir_status weir_input_found(const struct stat *info, const char *path,
                                  const struct weir_where *where, struct weir_err *err) {
  struct reading r = {{info->st_dev, info->st_ino}, info->st_ctim};
  enum weir_status st = WEIR_OK;
  if (!S_ISREG(info->st_mode)) return WEIR_OK;
  pthread_mutex_lock(&all.lock);
  for (const struct weir_output *o = all.open; st == WEIR_OK && o != NULL; o = o->next)
    if (o->exists && is_same(r.file, o->old.st_dev, o->old.st_ino))
      st = weir_fail_at(err, WEIR_EINVAL, where,
                        "'%s' is read, and the output '%s' would replace it", path, o->path);
  if (st == WEIR_OK && !WEIR_PUSH(all.read, r))
    st = weir_fail_at(err, WEIR_ENOMEM, where, "out of memory while reading '%s'", path);
  pthread_mutex_unlock(&all.lock);
  return st;
}

enum weir_status weir_input_opened(int fd, const char *path, const struct weir_where *where,
                                   struct weir_err *err) {
  struct stat info;
  return fstat(fd, &info) == 0 ? weir_input_found(&info, path, where, err) : WEIR_OK;
}

/* ---- opening ---- */

static enum weir_status in_place(struct weir_output *o, int fd, struct weir_err *err) {
  o->fd = fd;
  if (fd < 0 || fstat(o->fd, &o->old) != 0) return cannot_write(o->path, errno, err);
  o->exists = true;
  return WEIR_OK;
}

/* A file that is replaced: nobody can read the new one who could not read the old one. */
static enum weir_status open_beside(struct weir_output *o, const struct place *at,
                                    struct weir_err *err) {
  struct stat folder;
  if (stat(at->folder, &folder) != 0) return cannot_write(o->path, errno, err);
  o->folder = (struct identity){folder.st_dev, folder.st_ino};
  if (o->exists && faccessat(AT_FDCWD, o->target, W_OK, AT_EACCESS) != 0)
    return cannot_write(o->path, errno, err);
  if (weir_temp_file(&o->temporary, at->folder, o->exists ? 0600 : 0666, NULL) != WEIR_OK)
    return cannot_write(o->path, errno, err);
  o->fd = o->temporary.fd;
  return WEIR_OK;
}

static enum weir_status open_at(struct weir_output *o, const struct place *at,
                                struct weir_err *err) {
  char name[PATH_MAX];
  if (at->descriptor >= 0) return in_place(o, fcntl(at->descriptor, F_DUPFD_CLOEXEC, 0), err);
  int code = full_name(at, at->name, name);
  if (code != 0) return cannot_write(o->path, code, err);
  o->exists = stat(name, &o->old) == 0;
  if (o->exists && S_ISDIR(o->old.st_mode)) return cannot_write(o->path, EISDIR, err);
  if (o->exists && !S_ISREG(o->old.st_mode))
    return in_place(o, open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC), err);
  o->target = weir_malloc(strlen(name) + 1);
  if (o->target == NULL) return no_memory(o->path, err);
  strcpy(o->target, name);
  return open_beside(o, at, err);
}

static void free_output(struct weir_output *o) {
  if (o->target != NULL)
    weir_temp_remove(&o->temporary);
  else if (o->fd >= 0)
    close(o->fd);
  free(o->path);
  free(o->target);
  free(o);
}

enum weir_status weir_output_open(const char *path, struct weir_output **out,
                                  struct weir_err *err) {
  struct place at = {.descriptor = -1};
  *out = NULL;
  if (path[0] == 0) return weir_fail(err, WEIR_EINVAL, "the name of an output is empty");
  int code = find_place(path, &at);
  if (code != 0) return cannot_write(path, code, err);
  struct weir_output *o = weir_calloc(1, sizeof *o);
  if (o == NULL) return no_memory(path, err);
  o->fd = -1;
  o->path = weir_strdup(path);
  enum weir_status st = o->path != NULL ? open_at(o, &at, err) : no_memory(path, err);
  if (st == WEIR_OK) st = join(o, err);
  if (st == WEIR_OK)
    *out = o;
  else
    free_output(o);
  return st;
}

bool weir_output_is_file(const struct weir_output *o) {
  return o->target != NULL;
}

/* ---- writing ---- */

static bool write_all(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t put = write(fd, bytes, n);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes += put;
    n -= (size_t)put;
  }
  return true;
}

enum weir_status weir_output_write(struct weir_output *o, const void *bytes, size_t n,
                                   struct weir_err *err) {
  return write_all(o->fd, bytes, n) ? WEIR_OK : cannot_write(o->path, errno, err);
}

/* A file on which another is mounted, as containers have them, cannot be replaced. */
static bool copy_over(const struct weir_output *o) {
  char buf[64 << 10];
  ssize_t n = -1;
  int to = open(o->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (to < 0) return false;
  bool good = lseek(o->fd, 0, SEEK_SET) == 0;
  while (good && (n = read(o->fd, buf, sizeof buf)) > 0)
    good = write_all(to, buf, (size_t)n);
  good = good && n == 0;
  return close(to) == 0 && good;
}

/* Errors that some systems keep for close() must come while the old file is still there; closing a
 * second descriptor keeps the lock. */
static bool flush_file(int fd) {
  int second = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return second >= 0 && close(second) == 0;
}

/* Of a group that it cannot be given to, the new file's own has no more than others have. */
static void pass_on_mode(const struct weir_output *o) {
  mode_t mode = o->old.st_mode & 07777;
  if (!o->exists) return;
  if (fchown(o->fd, o->old.st_uid, o->old.st_gid) != 0) mode &= 0777;
  struct stat new;
  if (fstat(o->fd, &new) != 0 || new.st_gid != o->old.st_gid) mode &= ~070u | (mode & 07) << 3;
  fchmod(o->fd, mode);
}

static bool put_in_place(struct weir_output *o) {
  if (!flush_file(o->fd)) return false;
  pass_on_mode(o);
  if (rename(o->temporary.path, o->target) == 0) {
    weir_temp_keep(&o->temporary);
    return true;
  }
  return errno == EBUSY && copy_over(o);
}

enum weir_status weir_output_commit(struct weir_output *o, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  leave(o);
  if (o->target != NULL) {
    if (!put_in_place(o)) st = cannot_write(o->path, errno, err);
  } else {
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) != 0) st = cannot_write(o->path, errno, err);
  }
  free_output(o);
  return st;
}

void weir_output_discard(struct weir_output *o) {
  if (o == NULL) return;
  leave(o);
  free_output(o);
}
