#include "study/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "study/store.h"

enum { PAUSE_MS = 20, HOLDER = 300 };

static const char ending[] = ".lock";

/* Of this process. The system does not keep its threads apart, and takes a lock back when any
 * descriptor of the file is closed: a file whose lock is held here is not opened again. */
static struct weir_store_lock *held;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum attempt { TAKEN, HELD, FAILED };

static bool is_held_here(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return false;
  for (const struct weir_store_lock *l = held; l != NULL; l = l->next)
    if (l->pid == getpid() && l->dev == info.st_dev && l->ino == info.st_ino) return true;
  return false;
}

static void say_holder(int fd) {
  char text[HOLDER], host[256] = "";
  gethostname(host, sizeof host - 1);
  int n = snprintf(text, sizeof text, "%s %ld\n", host, (long)getpid());
  /* A disk without room for it does not matter: the lock holds, and its holder has no name. */
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) return;
}

/* Whoever may write the store may lock it after us. */
static void share(int fd, const char *file) {
  struct stat info;
  if (stat(file, &info) == 0 && fchmod(fd, info.st_mode & 0666) != 0) return;
}

/* The file may have been removed by its last holder while it was being opened: then what is locked
 * has no name any more. */
static enum attempt try_lock(struct weir_store_lock *l, const char *file) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  struct stat info, named;
  if (is_held_here(l->path)) return HELD;
  for (;;) {
    l->fd = open(l->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (l->fd < 0) return FAILED;
    if (fcntl(l->fd, F_SETLK, &whole) != 0 || fstat(l->fd, &info) != 0) {
      int why = errno;
      close(l->fd);
      errno = why;
      return why == EACCES || why == EAGAIN ? HELD : FAILED;
    }
    if (stat(l->path, &named) == 0 && named.st_ino == info.st_ino && named.st_dev == info.st_dev)
      break;
    close(l->fd);
  }
  l->pid = getpid();
  l->dev = info.st_dev;
  l->ino = info.st_ino;
  share(l->fd, file);
  say_holder(l->fd);
  return TAKEN;
}

static enum attempt try_once(struct weir_store_lock *l, const char *file) {
  pthread_mutex_lock(&mutex);
  enum attempt a = try_lock(l, file);
  if (a == TAKEN) {
    l->next = held;
    held = l;
  }
  int why = errno;
  pthread_mutex_unlock(&mutex);
  errno = why;
  return a;
}

/* Not of one that is held here: closing it would end that lock. */
static void read_holder(const char *path, char *text) {
  text[0] = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, text, HOLDER - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  text[strcspn(text, "\n")] = 0;
}

/* Who writes to the store `name`. */
static void name_holder(const struct weir_store_lock *l, const char *name, struct weir_err *err) {
  char text[HOLDER], *pid;
  pthread_mutex_lock(&mutex);
  bool is_here = is_held_here(l->path);
  if (!is_here) read_holder(l->path, text);
  pthread_mutex_unlock(&mutex);
  if (is_here) {
    weir_fail(err, WEIR_ELIMIT, "'%s' is already open for writing in this process (pid %ld)", name,
              (long)getpid());
  } else if ((pid = strrchr(text, ' ')) != NULL) {
    weir_fail(err, WEIR_ELIMIT, "'%s' is being written by another process: host %.*s, pid %s", name,
              (int)(pid - text), text, pid + 1);
  } else {
    weir_fail(err, WEIR_ELIMIT, "'%s' is being written by another process", name);
  }
}

static enum weir_status refuse(const struct weir_store_lock *l, const char *name, uint32_t wait_ms,
                               struct weir_err *err) {
  name_holder(l, name, err);
  if (wait_ms > 0) weir_err_add(err, "it was waited for: %.1f s", wait_ms / 1000.0);
  weir_err_add(err, "remedy: wait until it has ended, or write to another store and merge the two");
  return WEIR_ELIMIT;
}

static enum weir_status cannot(const struct weir_store_lock *l, const char *name,
                               struct weir_err *err) {
  int why = errno;
  weir_fail(err, WEIR_EIO, "cannot write '%s': its lock '%s' cannot be had: %s", name, l->path,
            strerror(why));
  if (why == EACCES || why == EROFS || why == EPERM)
    weir_err_add(err, "remedy: a folder that may be written: a store needs files beside it");
  if (why == ENOSPC || why == EDQUOT) weir_err_add(err, "remedy: make room on the disk");
  if (why == ENOLCK || why == EOPNOTSUPP)
    weir_err_add(err, "remedy: a folder on a file system with locks, and a copy at the end");
  return WEIR_EIO;
}

static enum weir_status wait_for(struct weir_store_lock *l, const char *file, const char *name,
                                 uint32_t wait_ms, struct weir_err *err) {
  static const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  for (uint64_t waited = 0;; waited += PAUSE_MS) {
    enum attempt a = try_once(l, file);
    if (a == TAKEN) return WEIR_OK;
    if (a == FAILED) return cannot(l, name, err);
    if (waited >= wait_ms) return refuse(l, name, wait_ms, err);
    nanosleep(&pause, NULL);
  }
}

enum weir_status weir_store_lock(struct weir_store_lock *l, const char *file, const char *name,
                                 uint32_t wait_ms, struct weir_err *err) {
  size_t n = strlen(file);
  *l = (struct weir_store_lock){.path = weir_malloc(n + sizeof ending)};
  if (l->path == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  memcpy(l->path, file, n);
  memcpy(l->path + n, ending, sizeof ending);
  enum weir_status st = wait_for(l, file, name, wait_ms, err);
  if (st != WEIR_OK) {
    free(l->path);
    l->path = NULL;
  }
  return st;
}

void weir_store_unlock(struct weir_store_lock *l) {
  if (l->path == NULL) return;
  pthread_mutex_lock(&mutex);
  struct weir_store_lock **at = &held;
  while (*at != NULL && *at != l)
    at = &(*at)->next;
  if (*at != NULL) *at = l->next;
  unlink(l->path);
  close(l->fd);
  pthread_mutex_unlock(&mutex);
  free(l->path);
  l->path = NULL;
}

/* Not of one that is held here: closing it would end that lock. */
static bool is_held_elsewhere(const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (is_held_here(path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool is_held = fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  close(fd);
  return is_held;
}

enum weir_status weir_store_is_still(const char *path, struct weir_err *err) {
  char file[PATH_MAX], name[PATH_MAX + sizeof ending];
  if (realpath(path, file) == NULL) return WEIR_OK; /* opening it says what is wrong */
  snprintf(name, sizeof name, "%s%s", file, ending);
  pthread_mutex_lock(&mutex);
  bool is_held = is_held_elsewhere(name);
  pthread_mutex_unlock(&mutex);
  if (!is_held) return WEIR_OK;
  name_holder(&(struct weir_store_lock){.path = name}, path, err);
  weir_err_add(err, "remedy: wait until it has ended");
  return WEIR_ELIMIT;
}
