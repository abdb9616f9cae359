#include "base/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"

/* ---- what there is: a list that only grows, so that a signal handler can walk it ---- */

enum { FREE = 0, TAKEN = -1 };

struct weir_temp_slot {
  struct weir_temp_slot *next;
  atomic_long owner; /* a process id, FREE, or TAKEN: being filled */
  bool is_folder;
  char path[PATH_MAX];
};

static _Atomic(struct weir_temp_slot *) slots;

static struct weir_temp_slot *take_slot(void) {
  for (struct weir_temp_slot *s = atomic_load(&slots); s != NULL; s = s->next) {
    long was = FREE;
    if (atomic_compare_exchange_strong(&s->owner, &was, TAKEN)) return s;
  }
  struct weir_temp_slot *s = weir_calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  atomic_store(&s->owner, TAKEN);
  s->next = atomic_load(&slots);
  while (!atomic_compare_exchange_weak(&slots, &s->next, s))
    continue;
  return s;
}

/* ---- removing, also in a signal handler: no memory, no stdio ---- */

struct entry { /* as the system gives it: glibc's readdir takes memory */
  uint64_t inode;
  int64_t next;
  unsigned short bytes;
  unsigned char type;
  char name[];
};

static bool is_dots(const char *name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/* True: something was removed, and there may be more that was not shown. */
static bool remove_some(int dir) {
  _Alignas(struct entry) char buf[4096];
  bool any = false;
  long n;
  lseek(dir, 0, SEEK_SET);
  while ((n = syscall(SYS_getdents64, dir, buf, sizeof buf)) > 0)
    for (long at = 0; at < n;) {
      const struct entry *e = (const struct entry *)(buf + at);
      if (!is_dots(e->name)) any |= unlinkat(dir, e->name, 0) == 0;
      at += e->bytes;
    }
  return any;
}

static void remove_folder(int at, const char *path) {
  int dir = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  while (dir >= 0 && remove_some(dir))
    continue;
  if (dir >= 0) close(dir);
  unlinkat(at, path, AT_REMOVEDIR);
}

static void remove_slot(const struct weir_temp_slot *s) {
  if (s->is_folder)
    remove_folder(AT_FDCWD, s->path);
  else
    unlink(s->path);
}

void weir_temps_remove(void) {
  int saved = errno;
  for (struct weir_temp_slot *s = atomic_load(&slots); s != NULL; s = s->next)
    if (atomic_load(&s->owner) == (long)getpid()) remove_slot(s); /* not a parent's */
  errno = saved;
}

/* ---- names ---- */

enum { HOST = 6, RANDOM = 8 };

/* "weir-HHHHHH-", the same for all processes of this host. */
static void host_prefix(char *out, size_t len, const char *dot) {
  char name[HOST_NAME_MAX + 1] = "";
  uint64_t h = 0;
  gethostname(name, sizeof name - 1);
  for (const char *p = name; *p != 0; p++)
    h = weir_splitmix64(h ^ (unsigned char)*p);
  snprintf(out, len, "%sweir-%0*llx-", dot, HOST, (unsigned long long)(h >> (64 - 4 * HOST)));
}

static bool is_ours(const char *name, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(name, prefix, n) == 0 && strlen(name) == n + RANDOM;
}

/* Short: the path of a socket in the folder has about a hundred bytes. */
static bool name_slot(struct weir_temp_slot *s, const char *folder, const char *prefix) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
  unsigned char bytes[RANDOM];
  char random[RANDOM + 1] = "";
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < RANDOM; i++)
    random[i] = letters[bytes[i] % 32];
  int n = snprintf(s->path, sizeof s->path, "%s/%s%s", folder, prefix, random);
  if (n > 0 && (size_t)n < sizeof s->path) return true;
  errno = ENAMETOOLONG;
  return false;
}

/* ---- what others left behind ---- */

static void remove_if_left(int dir, const char *name, bool is_folder) {
  struct stat info;
  int flags = is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR; /* some locks want to write */
  int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    if (is_folder)
      remove_folder(dir, name);
    else if (S_ISREG(info.st_mode))
      unlinkat(dir, name, 0);
  }
  close(fd);
}

static void remove_left(const char *folder, const char *prefix, bool is_folder) {
  DIR *dir = opendir(folder);
  if (dir == NULL) return;
  for (struct dirent *d; (d = readdir(dir)) != NULL;)
    if (is_ours(d->d_name, prefix)) remove_if_left(dirfd(dir), d->d_name, is_folder);
  closedir(dir);
}

/* ---- making ---- */

static int create(const struct weir_temp_slot *s, mode_t mode) {
  if (!s->is_folder) return open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (mkdir(s->path, mode) != 0) return -1;
  int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) return fd;
  int why = errno == ENOENT ? EEXIST : errno; /* gone already, see below: another name */
  rmdir(s->path);
  errno = why;
  return -1;
}

/* Where there are no locks nothing is taken for left. */
static void lock(int fd) {
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
    continue;
}

/* Another may have taken it for one that was left, before it was locked. */
static bool is_gone(const struct weir_temp_slot *s, int fd) {
  struct stat named, held;
  return fstat(fd, &held) == 0 &&
         (stat(s->path, &named) != 0 || named.st_dev != held.st_dev || named.st_ino != held.st_ino);
}

/* errno says why not. */
static bool make(struct weir_temp *t, const char *folder, mode_t mode, bool is_folder) {
  char prefix[32];
  struct weir_temp_slot *s = take_slot();
  *t = (struct weir_temp){.fd = -1};
  errno = ENOMEM;
  if (s == NULL) return false;
  s->is_folder = is_folder;
  host_prefix(prefix, sizeof prefix, is_folder ? "" : ".");
  remove_left(folder, prefix, is_folder);
  do {
    if (t->fd >= 0) close(t->fd);
    atomic_store(&s->owner, TAKEN);
    t->fd = -1;
    if (!name_slot(s, folder, prefix)) break;
    atomic_store(&s->owner, (long)getpid()); /* before it exists: a signal may come */
    t->fd = create(s, mode);
    if (t->fd >= 0) lock(t->fd);
  } while (t->fd >= 0 ? is_gone(s, t->fd) : errno == EEXIST);
  if (t->fd >= 0) {
    t->slot = s;
    t->path = s->path;
    return true;
  }
  int saved = errno;
  atomic_store(&s->owner, FREE);
  errno = saved;
  return false;
}

const char *weir_temp_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder != NULL && folder[0] != 0 ? folder : "/tmp";
}

int weir_temp_unnamed(const char *folder) {
  struct weir_temp t;
  int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  if (weir_temp_file(&t, folder, 0600, NULL) != WEIR_OK) return -1;
  fd = fcntl(t.fd, F_DUPFD_CLOEXEC, 0); /* not every file system has O_TMPFILE */
  int saved = errno;
  weir_temp_remove(&t); /* its name; what it holds stays until it is closed */
  errno = saved;
  return fd;
}

enum weir_status weir_temp_make(struct weir_temp *t, struct weir_err *err) {
  const char *top = weir_temp_folder();
  char *real = realpath(top, NULL); /* it is removed from wherever the process is by then */
  bool good = make(t, real != NULL ? real : top, 0700, true);
  int saved = errno;
  free(real);
  if (good) return WEIR_OK;
  weir_fail(err, WEIR_EIO, "cannot make a temporary folder in %s: %s", top, strerror(saved));
  weir_err_add(err, "set TMPDIR to a folder that can be written");
  return WEIR_EIO;
}

enum weir_status weir_temp_file(struct weir_temp *t, const char *folder, mode_t mode,
                                struct weir_err *err) {
  if (make(t, folder, mode, false)) return WEIR_OK;
  int saved = errno;
  weir_fail(err, WEIR_EIO, "cannot make a file in '%s': %s", folder, strerror(saved));
  errno = saved;
  return WEIR_EIO;
}

static void let_go(struct weir_temp *t) {
  atomic_store(&t->slot->owner, FREE);
  close(t->fd);
  *t = (struct weir_temp){.fd = -1};
}

void weir_temp_keep(struct weir_temp *t) {
  if (t->path != NULL) let_go(t);
}

void weir_temp_remove(struct weir_temp *t) {
  if (t->path == NULL) return;
  remove_slot(t->slot);
  let_go(t);
}
