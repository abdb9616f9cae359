#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/temp.h"
#include "testing.h"

/* Each test has an empty folder, in which nothing may be left but what it names at its end. */
static char dir[512];

static const char *in_dir(const char *name) {
  static char paths[4][600];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", dir, name);
  return path;
}

static int make_dir(void **state) {
  (void)state;
  const char *tmp = getenv("WEIR_TEST_TMP");
  snprintf(dir, sizeof dir, "%s/output-XXXXXX", tmp ? tmp : "/tmp");
  return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "link", "loop", "sub/a", "sub/link", "pipe"};
  for (size_t i = 0; i < COUNT(names); i++)
    unlink(in_dir(names[i]));
  rmdir(in_dir("sub"));
  return rmdir(dir);
}

static size_t n_entries(const char *path) {
  DIR *d = opendir(path);
  size_t n = 0;
  assert_non_null(d);
  while (readdir(d) != NULL)
    n++;
  closedir(d);
  return n - 2;
}

static void put(const char *path, const char *text) {
  struct weir_err err;
  if (weir_file_write(path, text, strlen(text), &err)) fail_msg("%s", err.msg);
}

static void assert_holds(const char *path, const char *text) {
  char *data;
  size_t n;
  struct weir_err err;
  if (weir_file_read(path, 0, NULL, &data, &n, &err)) fail_msg("%s", err.msg);
  assert_string_equal(data, text);
  free(data);
}

static struct weir_output *open_output(const char *path) {
  struct weir_output *o;
  struct weir_err err;
  if (weir_output_open(path, &o, &err)) fail_msg("%s", err.msg);
  return o;
}

static void assert_refused(const char *path, const char *why) {
  struct weir_output *o;
  struct weir_err err;
  assert_int_not_equal(weir_output_open(path, &o, &err), WEIR_OK);
  assert_null(o);
  assert_contains(err.msg, why);
}

static ino_t inode(const char *path) {
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  return info.st_ino;
}

static void links_are_followed(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_dir("sub"), 0777), 0);
  assert_int_equal(symlink("../a", in_dir("sub/link")), 0);
  assert_int_equal(symlink("sub/link", in_dir("link")), 0);
  put(in_dir("link"), "first"); /* there is nothing yet */
  put(in_dir("link"), "second");
  assert_holds(in_dir("a"), "second");
  struct stat info;
  assert_int_equal(lstat(in_dir("link"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(symlink("loop", in_dir("loop")), 0);
  assert_refused(in_dir("loop"), "symbolic links");
}

static void mode_and_owner_stay(void **state) {
  (void)state;
  struct stat info;
  mode_t mask = umask(027);
  put(in_dir("b"), "");
  umask(mask);
  stat(in_dir("b"), &info);
  assert_int_equal(info.st_mode & 07777, 0640);
  put(in_dir("a"), "old");
  assert_int_equal(chmod(in_dir("a"), 0751), 0);
  if (geteuid() == 0) assert_int_equal(chown(in_dir("a"), 1234, 4321), 0);
  put(in_dir("a"), "new");
  stat(in_dir("a"), &info);
  assert_int_equal(info.st_mode & 07777, 0751);
  if (geteuid() == 0) assert_true(info.st_uid == 1234 && info.st_gid == 4321);
}

static void devices_and_pipes_are_written_in_place(void **state) {
  (void)state;
  struct stat info;
  assert_int_equal(symlink("/dev/null", in_dir("link")), 0);
  put(in_dir("link"), "gone");
  assert_int_equal(stat("/dev/null", &info), 0);
  assert_true(S_ISCHR(info.st_mode));
  assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
  int reader = open(in_dir("pipe"), O_RDONLY | O_NONBLOCK);
  put(in_dir("pipe"), "through");
  char got[16] = "";
  assert_int_equal(read(reader, got, sizeof got), 7);
  assert_string_equal(got, "through");
  close(reader);
  struct weir_err err;
  assert_int_equal(weir_file_write("/dev/full", "x", 1, &err), WEIR_EIO);
  assert_contains(err.msg, "No space left");
}

static void a_descriptor_keeps_its_file_and_place(void **state) {
  (void)state;
  char name[32];
  int fd = open(in_dir("a"), O_WRONLY | O_CREAT, 0666);
  ino_t before = inode(in_dir("a"));
  assert_int_equal(write(fd, "one ", 4), 4);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  assert_int_equal(weir_output_descriptor(name), fd);
  assert_int_equal(symlink(name, in_dir("link")), 0);
  assert_int_equal(weir_output_descriptor(in_dir("link")), fd);
  put(in_dir("link"), "two ");
  assert_int_equal(write(fd, "three", 5), 5);
  close(fd);
  assert_true(inode(in_dir("a")) == before);
  assert_holds(in_dir("a"), "one two three");
  assert_int_equal(weir_output_descriptor("/dev/stdout"), 1);
  assert_int_equal(weir_output_descriptor(in_dir("a")), -1);
}

static void names_that_cannot_be(void **state) {
  (void)state;
  assert_refused("", "empty");
  assert_refused(dir, "Is a directory");
  assert_refused(in_dir("."), "Is a directory");
  assert_refused(in_dir("sub/"), "directory");
  assert_refused(in_dir("no/a"), "No such file");
  put(in_dir("a"), "");
  assert_refused(in_dir("a/b"), "Not a directory");
}

static void one_file_twice_is_refused(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_dir("sub"), 0777), 0);
  assert_int_equal(symlink("../a", in_dir("sub/link")), 0);
  for (int exists = 0; exists < 2; exists++) {
    struct weir_output *o = open_output(in_dir("a"));
    assert_refused(in_dir("a"), "two outputs are one file");
    assert_refused(in_dir("sub/../a"), "two outputs are one file");
    assert_refused(in_dir("sub/link"), "two outputs are one file");
    struct weir_output *other = open_output(in_dir("sub/a")); /* the same name elsewhere */
    weir_output_discard(other);
    assert_int_equal(weir_output_commit(o, NULL), WEIR_OK);
  }
  assert_int_equal(link(in_dir("a"), in_dir("b")), 0);
  struct weir_output *o = open_output(in_dir("a"));
  assert_refused(in_dir("b"), "two outputs are one file");
  weir_output_discard(o);
  struct weir_output *null[] = {open_output("/dev/null"), open_output("/dev/null")};
  weir_output_discard(null[0]);
  weir_output_discard(null[1]);
}

static void what_is_read_is_not_replaced(void **state) {
  (void)state;
  char *data;
  size_t n;
  struct weir_err err;
  put(in_dir("a"), "in");
  assert_int_equal(symlink("a", in_dir("link")), 0);
  struct weir_output *o = open_output(in_dir("link"));
  assert_false(weir_output_was_read(o));
  assert_int_equal(weir_file_read(in_dir("a"), 0, NULL, &data, &n, &err), WEIR_EINVAL);
  assert_contains(err.msg, "would replace it");
  weir_output_discard(o);
  assert_holds(in_dir("a"), "in");
  o = open_output(in_dir("link"));
  assert_true(weir_output_was_read(o));
  weir_output_discard(o);
}

static void what_is_given_up_leaves_nothing(void **state) {
  (void)state;
  put(in_dir("a"), "old");
  struct weir_output *o = open_output(in_dir("a")), *p = open_output(in_dir("b"));
  assert_int_equal(weir_output_write(o, "new", 3, NULL), WEIR_OK);
  assert_int_equal(n_entries(dir), 3);
  weir_output_discard(o);
  weir_output_discard(p);
  weir_output_discard(NULL);
  assert_int_equal(n_entries(dir), 1);
  assert_holds(in_dir("a"), "old");
}

static void a_full_disk_keeps_the_old_file(void **state) {
  (void)state;
  char big[4096] = "";
  struct rlimit old, small = {1000, RLIM_INFINITY};
  struct weir_err err;
  put(in_dir("a"), "old");
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  assert_int_equal(weir_file_write(in_dir("a"), big, sizeof big, &err), WEIR_EIO);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, was);
  assert_contains(err.msg, "File too large");
  assert_holds(in_dir("a"), "old");
  assert_int_equal(n_entries(dir), 1);
}

/* A process that has a temporary file and a folder, and ends or waits. */
static pid_t start_owner(int *ready) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct weir_output *o;
    struct weir_temp t;
    bool good = weir_output_open(in_dir("a"), &o, NULL) == WEIR_OK && !weir_temp_make(&t, NULL) &&
                write(ends[1], "", 1) == 1;
    for (;;)
      pause();
    _exit(good);
  }
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  *ready = ends[0];
  close(ends[1]);
  return pid;
}

static void kill_owner(pid_t pid, int fd) {
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(fd);
}

static void the_next_run_removes_what_is_left(void **state) {
  (void)state;
  int fd;
  setenv("TMPDIR", dir, 1);
  pid_t pid = start_owner(&fd);
  put(in_dir("b"), "");
  assert_int_equal(n_entries(dir), 3); /* b, and those of the owner, which lives */
  kill_owner(pid, fd);
  assert_int_equal(n_entries(dir), 3);
  put(in_dir("b"), "");
  assert_int_equal(n_entries(dir), 2);
  struct weir_temp t;
  assert_int_equal(weir_temp_make(&t, NULL), WEIR_OK);
  assert_int_equal(n_entries(dir), 2); /* the old one has gone */
  weir_temp_remove(&t);
  assert_int_equal(n_entries(dir), 1);
  unsetenv("TMPDIR");
}

static void make_many(void) {
  struct weir_temp t;
  struct weir_output *o;
  for (int i = 0; i < 200; i++) {
    if (weir_temp_make(&t, NULL) != WEIR_OK || access(t.path, W_OK) != 0) _exit(1);
    if (weir_output_open(in_dir("a"), &o, NULL) != WEIR_OK) _exit(2);
    weir_temp_remove(&t);
    if (weir_output_commit(o, NULL) != WEIR_OK) _exit(3);
  }
  _exit(0);
}

/* Each looks at what the others have just made. */
static void many_at_once_do_not_hurt_each_other(void **state) {
  (void)state;
  pid_t pid[6];
  int status;
  setenv("TMPDIR", dir, 1);
  for (size_t i = 0; i < COUNT(pid); i++)
    if ((pid[i] = fork()) == 0) make_many();
  for (size_t i = 0; i < COUNT(pid); i++) {
    waitpid(pid[i], &status, 0);
    assert_int_equal(status, 0);
  }
  assert_int_equal(n_entries(dir), 1);
  unsetenv("TMPDIR");
}

static void removing_all_is_for_the_owner(void **state) {
  (void)state;
  struct weir_temp t;
  setenv("TMPDIR", dir, 1);
  struct weir_output *o = open_output(in_dir("a"));
  assert_int_equal(weir_temp_make(&t, NULL), WEIR_OK);
  char file[600];
  snprintf(file, sizeof file, "%s/.hidden", t.path);
  close(open(file, O_WRONLY | O_CREAT, 0600));
  pid_t pid = fork();
  if (pid == 0) {
    weir_temps_remove();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  assert_int_equal(n_entries(dir), 2);
  weir_temps_remove();
  assert_int_equal(n_entries(dir), 0);
  weir_temp_remove(&t);
  weir_output_discard(o);
  unsetenv("TMPDIR");
}

static int write_one(void) {
  return weir_file_write(in_dir("a"), "x", 1, NULL) == WEIR_OK;
}

static void lack_of_descriptors_leaves_nothing(void **state) {
  (void)state;
  struct weir_temp t;
  struct weir_err err;
  struct rlimit all, few;
  setenv("TMPDIR", dir, 1);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
  int next = dup(STDERR_FILENO);
  assert_true(next > 0);
  close(next);
  few = (struct rlimit){(rlim_t)next, all.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  enum weir_status st = weir_temp_make(&t, &err);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
  assert_int_equal(st, WEIR_EIO);
  assert_contains(err.msg, "Too many open files");
  assert_int_equal(n_entries(dir), 0);
  unsetenv("TMPDIR");
}

static void lack_of_memory_is_reported(void **state) {
  (void)state;
  assert_true(with_failing_memory(write_one) > 2);
  assert_int_equal(n_entries(dir), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(links_are_followed),
      TEST(mode_and_owner_stay),
      TEST(devices_and_pipes_are_written_in_place),
      TEST(a_descriptor_keeps_its_file_and_place),
      TEST(names_that_cannot_be),
      TEST(one_file_twice_is_refused),
      TEST(what_is_read_is_not_replaced),
      TEST(what_is_given_up_leaves_nothing),
      TEST(a_full_disk_keeps_the_old_file),
      TEST(the_next_run_removes_what_is_left),
      TEST(many_at_once_do_not_hurt_each_other),
      TEST(removing_all_is_for_the_owner),
      TEST(lack_of_descriptors_leaves_nothing),
      TEST(lack_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
