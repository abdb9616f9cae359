/* What a store survives: its process killed, two writers, a full disk, errors of the disk. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/hash.h"
#include "store_rig.h"

static void rest_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void assert_whole(const char *path, unsigned n) {
  struct weir_store *s = open_store(path, WEIR_STORE_READ);
  assert_string_equal(asked_of(s, "PRAGMA integrity_check"), "ok");
  for (unsigned i = 0; i < n; i++)
    if (has_some(s, i) != WEIR_STORED_OK) fail_msg("run %u of %u is not there", i, n);
  /* All of a run, or nothing. */
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs WHERE "
                                  "(SELECT count(*) FROM statistics WHERE run = id) <> 9 OR "
                                  "(SELECT count(*) FROM kernels WHERE run = id) <> 2"),
                      "0");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM statistics WHERE run NOT IN"
                                  " (SELECT id FROM runs)"),
                      "0");
  weir_store_close(s);
}

/* ---- other processes ---- */

/* A child that does something and says so: a byte for each thing. */
struct child {
  pid_t pid;
  int fd;
};

static struct child start(void (*work)(const char *path, int fd), const char *path) {
  struct child c;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  c.pid = fork();
  assert_true(c.pid >= 0);
  if (c.pid == 0) {
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failure there ends it, and not the next test */
    close(ends[0]);
    work(path, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  c.fd = ends[0];
  return c;
}

static void wait_byte(const struct child *c) {
  char byte;
  assert_int_equal(read(c->fd, &byte, 1), 1);
}

static int end_of(struct child *c) {
  int status;
  assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
  close(c->fd);
  return status;
}

/* With what it has said since. */
static unsigned killed(struct child *c) {
  unsigned n = 0;
  char bytes[256];
  kill(c->pid, SIGKILL);
  for (ssize_t got; (got = read(c->fd, bytes, sizeof bytes)) > 0;)
    n += (unsigned)got;
  end_of(c);
  return n;
}

static void say(int fd) {
  if (write(fd, "", 1) != 1) _exit(9);
}

static struct weir_store *open_here(const char *path, bool is_shard, uint32_t wait_ms) {
  struct weir_store *s;
  struct weir_err err;
  struct weir_store_options o = {.wait_ms = wait_ms, .is_shard = is_shard};
  if (weir_store_open(path, WEIR_STORE_WRITE, &o, &s, &err) == WEIR_OK) return s;
  fprintf(stderr, "%s\n", err.msg);
  _exit(8);
}

static void put_here(struct weir_store *s, unsigned n) {
  struct some_run r;
  struct weir_err err;
  if (weir_store_put(s, some_run(&r, n), NULL, &err) == WEIR_OK) return;
  fprintf(stderr, "%s\n", err.msg);
  _exit(7);
}

/* ---- killed ---- */

/* Runs that are there are not put again, as a study goes on after it was killed. */
static void put_for_ever(struct weir_store *s, int fd) {
  for (unsigned n = 0;; n++) {
    if (has_some(s, n) == WEIR_STORED_OK) continue;
    put_here(s, n);
    say(fd);
  }
}

static void put_with_log(const char *path, int fd) {
  put_for_ever(open_here(path, false, 0), fd);
}

static void put_with_journal(const char *path, int fd) {
  put_for_ever(open_here(path, true, 0), fd);
}

static void kill_often(void (*work)(const char *path, int fd), uint64_t seed) {
  const char *path = in_dir("s.db");
  unsigned n = 0;
  for (unsigned i = 0; i < 12 || n < 20; i++) { /* the disk may be slow */
    struct child c = start(work, path);
    if (i == 0) wait_byte(&c), n++; /* there is a store */
    rest_ms((long)(weir_splitmix64(seed + i) % 60));
    n += killed(&c);
    assert_whole(path, n);
  }
  /* The next one begins where they ended. */
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  put_some(s, 1000000);
  weir_store_close(s);
  assert_whole(path, n);
}

static void killed_with_a_log(void **state) {
  (void)state;
  kill_often(put_with_log, 1);
}

static void killed_with_a_journal(void **state) {
  (void)state;
  kill_often(put_with_journal, 100);
}

/* At any moment of the first one, too. */
static void killed_while_it_is_made(void **state) {
  (void)state;
  for (unsigned i = 0; i < 20; i++) {
    const char *path = in_dir("s.db");
    struct child c = start(put_with_log, path);
    rest_ms(i / 2);
    unsigned n = killed(&c);
    struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
    put_some(s, n + 1); /* which may be there */
    weir_store_close(s);
    assert_whole(path, n);
    remove_dir(NULL);
    assert_int_equal(mkdir(dir, 0777), 0);
  }
}

/* ---- two writers ---- */

static void hold(const char *path, int fd) {
  struct weir_store *s = open_here(path, false, 0);
  say(fd);
  rest_ms(100000);
  weir_store_close(s);
}

/* A child of the one that has it open. */
static void be_refused(const char *path, int fd) {
  (void)fd;
  char who[64];
  assert_refused(path, WEIR_STORE_WRITE, WEIR_ELIMIT, "is being written by another process: host ");
  snprintf(who, sizeof who, "pid %ld\n", (long)getppid());
  assert_refused(path, WEIR_STORE_WRITE, WEIR_ELIMIT, who);
}

static void a_second_writer_is_told_who(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  char host[256] = "", who[400];
  struct child c = start(hold, path);
  wait_byte(&c);
  gethostname(host, sizeof host - 1);
  snprintf(who, sizeof who, "is being written by another process: host %s, pid %ld", host,
           (long)c.pid);
  assert_refused(path, WEIR_STORE_WRITE, WEIR_ELIMIT, who);
  /* It may be read. */
  struct weir_store *s = open_store(path, WEIR_STORE_READ);
  assert_int_equal(has_some(s, 1), WEIR_STORED_NONE);
  weir_store_close(s);
  /* The lock goes with its process. */
  killed(&c);
  s = open_store(path, WEIR_STORE_WRITE);
  assert_true(put_some(s, 1));
  assert_refused(path, WEIR_STORE_WRITE, WEIR_ELIMIT, "already open for writing in this process");
  assert_true(put_some(s, 2)); /* that attempt did not end the lock */
  c = start(be_refused, path);
  assert_int_equal(end_of(&c), 0);
  weir_store_close(s);
}

static void hold_and_leave_a_child(const char *path, int fd) {
  open_here(path, false, 0);
  pid_t child = fork();
  if (child == 0) { /* as a worker that outlives its parent */
    rest_ms(100000);
    _exit(0);
  }
  if (write(fd, &child, sizeof child) != sizeof child) _exit(9);
  rest_ms(100000);
}

static void a_lock_is_not_inherited(void **state) {
  (void)state;
  pid_t orphan;
  const char *path = in_dir("s.db");
  struct child c = start(hold_and_leave_a_child, path);
  assert_int_equal(read(c.fd, &orphan, sizeof orphan), sizeof orphan);
  kill(c.pid, SIGKILL);
  end_of(&c);
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  assert_int_equal(kill(orphan, 0), 0);
  kill(orphan, SIGKILL);
  assert_true(put_some(s, 0));
  weir_store_close(s);
}

static void hold_a_moment(const char *path, int fd) {
  struct weir_store *s = open_here(path, false, 0);
  put_here(s, 0);
  say(fd);
  rest_ms(300);
  put_here(s, 1);
  weir_store_close(s);
}

static void a_second_writer_waits(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  struct weir_store *s;
  struct weir_err err;
  struct child c = start(hold_a_moment, path);
  wait_byte(&c);
  assert_int_equal(weir_store_open(path, WEIR_STORE_WRITE,
                                   &(struct weir_store_options){.wait_ms = 40}, &s, &err),
                   WEIR_ELIMIT);
  assert_contains(err.msg, "it was waited for");
  s = open_with(path, WEIR_STORE_WRITE, &(struct weir_store_options){.wait_ms = 60000});
  assert_int_equal(has_some(s, 1), WEIR_STORED_OK);
  put_some(s, 2);
  weir_store_close(s);
  assert_int_equal(end_of(&c), 0);
  assert_whole(path, 3);
}

/* Each opens it five times, and all want it at once: nobody is lost when a lock's file goes. */
static void take_turns(const char *path, int fd) {
  for (unsigned i = 0; i < 5; i++) {
    struct weir_store *s = open_here(path, false, 120000);
    unsigned n = 0;
    while (has_some(s, n) == WEIR_STORED_OK)
      n++;
    put_here(s, n);
    say(fd);
    weir_store_close(s);
  }
}

static void many_writers_take_turns(void **state) {
  (void)state;
  struct child c[6];
  for (size_t i = 0; i < COUNT(c); i++)
    c[i] = start(take_turns, in_dir("s.db"));
  for (size_t i = 0; i < COUNT(c); i++)
    assert_int_equal(end_of(&c[i]), 0);
  assert_whole(in_dir("s.db"), 30);
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_READ);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "30");
  weir_store_close(s);
}

/* A worker has a copy of what its parent has open: it must do no harm. */
static void a_child_cannot_use_it(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct some_run r;
    bool is_refused = weir_store_put(s, some_run(&r, 1), NULL, NULL) == WEIR_EBUG;
    weir_store_close(s);
    _exit(is_refused ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
  assert_refused(in_dir("s.db"), WEIR_STORE_WRITE, WEIR_ELIMIT, "in this process");
  put_some(s, 1);
  weir_store_close(s);
  assert_whole(in_dir("s.db"), 2);
}

/* ---- readers ---- */

static void read_for_ever(const char *path, int fd) {
  say(fd);
  for (;;) {
    struct weir_store *s;
    if (weir_store_open(path, WEIR_STORE_READ, NULL, &s, NULL) != WEIR_OK) _exit(6);
    FILE *out = fopen("/dev/null", "w");
    if (weir_store_dump(s, out, NULL) != WEIR_OK) _exit(5);
    fclose(out);
    weir_store_close(s);
  }
}

static void readers_do_not_stop_a_writer(void **state) {
  (void)state;
  for (int is_shard = 0; is_shard < 2; is_shard++) {
    const char *path = in_dir(is_shard ? "shard.db" : "s.db");
    struct weir_store *s =
        open_with(path, WEIR_STORE_WRITE, &(struct weir_store_options){.is_shard = is_shard});
    struct child c[2];
    for (size_t i = 0; i < COUNT(c); i++) {
      c[i] = start(read_for_ever, path);
      wait_byte(&c[i]);
    }
    for (unsigned n = 0; n < 40; n++)
      put_some(s, n);
    for (size_t i = 0; i < COUNT(c); i++) {
      assert_int_equal(waitpid(c[i].pid, NULL, WNOHANG), 0);
      killed(&c[i]);
    }
    weir_store_close(s);
    assert_whole(path, 40);
  }
}

/* One that never ends its transaction sees what was there then, and all else goes on. */
static void a_reader_keeps_its_moment(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 0);
  struct weir_store *reader = open_store(in_dir("s.db"), WEIR_STORE_READ);
  asked_of(reader, "BEGIN");
  assert_string_equal(asked_of(reader, "SELECT count(*) FROM runs"), "1");
  put_some(s, 1);
  assert_string_equal(asked_of(reader, "SELECT count(*) FROM runs"), "1");
  asked_of(reader, "COMMIT");
  assert_string_equal(asked_of(reader, "SELECT count(*) FROM runs"), "2");
  weir_store_close(s); /* before the reader */
  assert_int_equal(has_some(reader, 1), WEIR_STORED_OK);
  weir_store_close(reader);
  assert_whole(in_dir("s.db"), 2);
}

/* ---- errors ---- */

static void assert_put_fails(struct weir_store *s, unsigned n, enum weir_status st,
                             const char *path, const char *why) {
  struct some_run r;
  struct weir_err err;
  bool is_stored = true;
  assert_int_equal(weir_store_put(s, some_run(&r, n), &is_stored, &err), st);
  assert_false(is_stored);
  assert_contains(err.msg, path);
  assert_contains(err.msg, why);
  assert_contains(err.msg, "remedy: ");
}

static void another_program_writes(void **state) {
  (void)state;
  sqlite3 *db;
  const char *path = in_dir("s.db");
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  put_some(s, 0);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  asked(db, "BEGIN IMMEDIATE");
  sqlite3_busy_timeout(weir_store_sql(s), 50);
  assert_put_fails(s, 1, WEIR_ELIMIT, path, "another program uses it");
  asked(db, "ROLLBACK");
  sqlite3_close(db);
  put_some(s, 1);
  weir_store_close(s);
  assert_whole(path, 2);
}

static void no_more_pages(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  for (int is_shard = 0; is_shard < 2; is_shard++) {
    struct weir_store *s =
        open_with(path, WEIR_STORE_WRITE, &(struct weir_store_options){.is_shard = is_shard});
    unsigned n = 0;
    while (has_some(s, n) == WEIR_STORED_OK)
      n++;
    put_some(s, n++);
    char before[100], sql[200];
    snprintf(before, sizeof before, "%s", asked_of(s, "PRAGMA max_page_count"));
    asked_of(s, "PRAGMA max_page_count = 1"); /* as many as there are */
    struct some_run r;
    struct weir_err err;
    while (weir_store_put(s, some_run(&r, n), NULL, &err) == WEIR_OK)
      n++;
    assert_put_fails(s, n, WEIR_EIO, path, "no room is left on the disk");
    assert_int_equal(has_some(s, n), WEIR_STORED_NONE);
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %s", before);
    asked_of(s, sql);
    put_some(s, n++);
    weir_store_close(s);
    assert_whole(path, n);
  }
}

/* In a child: limits and mounts cannot be taken back. Exit 77: not possible here. */
static void in_child(int (*work)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    _exit(work());
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
  assert_int_equal(status, 0);
}

static bool put_until_full(struct weir_store *s, unsigned *n) {
  struct some_run r;
  struct weir_err err;
  for (*n = 0; *n < 100000; (*n)++) {
    enum weir_status st = weir_store_put(s, some_run(&r, *n), NULL, &err);
    if (st == WEIR_EIO && strstr(err.msg, "no room is left on the disk") != NULL) return true;
    if (st != WEIR_OK) fprintf(stderr, "%s\n", err.msg);
    if (st != WEIR_OK) return false;
  }
  return false;
}

static int limit_of_files(void) {
  unsigned n;
  struct weir_store *s = open_here(in_dir("s.db"), false, 0);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){150000, 1000000});
  if (!put_until_full(s, &n) || n == 0) return 1;
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000000, 1000000});
  put_here(s, n);
  weir_store_close(s);
  assert_whole(in_dir("s.db"), n + 1);
  return 0;
}

static void files_have_a_limit(void **state) {
  (void)state;
  in_child(limit_of_files);
}

static int full_disk(void) {
  const char *mnt = in_dir("mnt"), *path = in_dir("mnt/s.db"), *large = in_dir("mnt/large");
  char zeros[4096] = "";
  if (mkdir(mnt, 0700) != 0) return 1;
  if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", mnt, "tmpfs", 0, "size=2m") != 0)
    return 77;
  int fd = open(large, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) return 77; /* who is not root may have no name there */
  for (int i = 0; i < 400; i++)
    if (write(fd, zeros, sizeof zeros) < 0) return 2;
  close(fd);
  for (int is_shard = 0; is_shard < 2; is_shard++) {
    unsigned n;
    struct weir_store *s = open_here(path, is_shard, 0);
    if (!put_until_full(s, &n) || n < 5) return 3;
    unlink(large);
    put_here(s, n);
    weir_store_close(s);
    assert_whole(path, n + 1);
    unlink(path);
    fd = open(large, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 400; i++)
      if (write(fd, zeros, sizeof zeros) < 0) return 4;
    close(fd);
  }
  /* No room for a new one. */
  fd = open(large, O_WRONLY | O_APPEND);
  while (write(fd, zeros, sizeof zeros) > 0) {
  }
  close(fd);
  struct weir_store *s;
  struct weir_err err;
  if (weir_store_open(path, WEIR_STORE_WRITE, NULL, &s, &err) != WEIR_EIO) return 5;
  assert_contains(err.msg, "no room is left on the disk");
  unlink(large);
  s = open_here(path, false, 0);
  put_here(s, 0);
  weir_store_close(s);
  return 0;
}

static void a_full_disk(void **state) {
  (void)state;
  in_child(full_disk);
}

/* For root nothing is forbidden. */
static int somebody_else(void) {
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ||
                         setresuid(65534, 65534, 65534) != 0))
    return 77;
  const char *path = in_dir("s.db");
  assert_refused(path, WEIR_STORE_WRITE, WEIR_EIO, "it may not be written");
  assert_whole(path, 3); /* a file that may only be read in a folder that may only be read */
  assert_refused(in_dir("new.db"), WEIR_STORE_WRITE, WEIR_EIO, "Permission denied");
  assert_refused(in_dir("open.db"), WEIR_STORE_WRITE, WEIR_EIO,
                 "remedy: a folder that may be written");
  assert_refused(in_dir("closed.db"), WEIR_STORE_READ, WEIR_EIO, "Permission denied");
  return 0;
}

static void what_may_not_be_written(void **state) {
  (void)state;
  static const char *const names[] = {"s.db", "open.db", "closed.db"};
  static const mode_t modes[] = {0444, 0666, 0};
  for (size_t i = 0; i < COUNT(names); i++) {
    struct weir_store *s = open_store(in_dir(names[i]), WEIR_STORE_WRITE);
    for (unsigned n = 0; n < 3; n++)
      put_some(s, n);
    weir_store_close(s);
    chmod(in_dir(names[i]), modes[i]);
  }
  chmod(dir, 0555);
  in_child(somebody_else);
  chmod(dir, 0755);
}

static void a_store_that_is_moved_away(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  put_some(s, 0);
  assert_int_equal(rename(path, in_dir("t.db")), 0);
  assert_put_fails(s, 1, WEIR_EIO, path, "was moved or removed");
  assert_int_equal(rename(in_dir("t.db"), path), 0);
  put_some(s, 1);
  weir_store_close(s);
  assert_whole(path, 2);
}

/* ---- errors of the disk: SQLite's own access to files, whose n-th change fails ---- */

static sqlite3_vfs *real_vfs, bad_vfs;
static long changes_left = -1; /* below 0: all succeed */

static bool fails(void) {
  if (changes_left > 0) changes_left--;
  return changes_left == 0;
}

static struct {
  const sqlite3_io_methods *real;
  sqlite3_io_methods bad;
} kinds[8];

static const sqlite3_io_methods *real_of(sqlite3_file *f) {
  for (size_t i = 0; i < COUNT(kinds); i++)
    if (f->pMethods == &kinds[i].bad) return kinds[i].real;
  return NULL;
}

static int bad_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at) {
  return fails() ? SQLITE_IOERR_WRITE : real_of(f)->xWrite(f, bytes, n, at);
}
static int bad_sync(sqlite3_file *f, int flags) {
  return fails() ? SQLITE_IOERR_FSYNC : real_of(f)->xSync(f, flags);
}
static int bad_truncate(sqlite3_file *f, sqlite3_int64 n) {
  return fails() ? SQLITE_IOERR_TRUNCATE : real_of(f)->xTruncate(f, n);
}

static int bad_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
  (void)v;
  int code = real_vfs->xOpen(real_vfs, name, f, flags, out);
  if (code != SQLITE_OK || f->pMethods == NULL) return code;
  size_t i = 0;
  while (kinds[i].real != NULL && kinds[i].real != f->pMethods)
    i++;
  assert_true(i + 1 < COUNT(kinds));
  if (kinds[i].real == NULL) {
    kinds[i].real = f->pMethods;
    kinds[i].bad = *f->pMethods;
    kinds[i].bad.xWrite = bad_write;
    kinds[i].bad.xSync = bad_sync;
    kinds[i].bad.xTruncate = bad_truncate;
  }
  f->pMethods = &kinds[i].bad;
  return code;
}

static int bad_delete(sqlite3_vfs *v, const char *name, int sync_dir) {
  (void)v;
  return fails() ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync_dir);
}

/* After each the store goes on, and has what it had. An error at the very end of a put may leave
 * the run there: it was not acknowledged, and is whole. */
static void fail_each_change(bool is_shard) {
  struct some_run r;
  struct weir_err err;
  unsigned n = 0, n_failed = 0;
  const char *path = in_dir(is_shard ? "shard.db" : "s.db");
  struct weir_store *s =
      open_with(path, WEIR_STORE_WRITE, &(struct weir_store_options){.is_shard = is_shard});
  for (long at = 1; at < 200; at++) {
    put_some(s, n++);
    changes_left = at;
    enum weir_status st = weir_store_put(s, some_run(&r, n), NULL, &err);
    bool is_over = changes_left != 0;
    changes_left = -1;
    if (st == WEIR_OK) {
      n++;
      if (is_over) break;
      continue;
    }
    n_failed++;
    assert_int_equal(st, WEIR_EIO);
    assert_contains(err.msg, path);
    assert_contains(err.msg, "remedy: check the disk");
    assert_string_equal(asked_of(s, "PRAGMA integrity_check"), "ok");
    for (unsigned i = 0; i < n; i++)
      assert_int_equal(has_some(s, i), WEIR_STORED_OK);
    put_some(s, n++);
  }
  assert_true(n_failed >= 3);
  assert_int_equal(has_some(s, n - 1), WEIR_STORED_OK);
  weir_store_close(s);
  assert_whole(path, n);
}

static void errors_of_the_disk(void **state) {
  (void)state;
  real_vfs = sqlite3_vfs_find(NULL);
  bad_vfs = *real_vfs;
  bad_vfs.zName = "bad";
  bad_vfs.pNext = NULL;
  bad_vfs.xOpen = bad_open;
  bad_vfs.xDelete = bad_delete;
  assert_int_equal(sqlite3_vfs_register(&bad_vfs, 1), SQLITE_OK);
  fail_each_change(false);
  fail_each_change(true);
  sqlite3_vfs_unregister(&bad_vfs);
  sqlite3_vfs_register(real_vfs, 1);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void) {
  const struct CMUnitTest tests[] = {IN_DIR(killed_with_a_log),
                                     IN_DIR(killed_with_a_journal),
                                     IN_DIR(killed_while_it_is_made),
                                     IN_DIR(a_second_writer_is_told_who),

                                     IN_DIR(a_lock_is_not_inherited),
                                     IN_DIR(a_second_writer_waits),
                                     IN_DIR(many_writers_take_turns),
                                     IN_DIR(a_child_cannot_use_it),
                                     IN_DIR(readers_do_not_stop_a_writer),
                                     IN_DIR(a_reader_keeps_its_moment),
                                     IN_DIR(another_program_writes),
                                     IN_DIR(no_more_pages),
                                     IN_DIR(files_have_a_limit),
                                     IN_DIR(a_full_disk),
                                     IN_DIR(what_may_not_be_written),
                                     IN_DIR(a_store_that_is_moved_away),
                                     IN_DIR(errors_of_the_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
