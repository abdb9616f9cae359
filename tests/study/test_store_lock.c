/* The lock of a store's writer, as fast as can be: its file comes and goes, and whoever opens one
 * that is going must not take it for the next. */
#include "study/store_lock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing.h"

static char folder[] = "/tmp/weir-test-lock-XXXXXX";
static char file[64];

static atomic_uint *inside; /* shared: how many hold it */

static void take_and_release(void) {
  for (unsigned n = 0; n < 150;) {
    struct weir_store_lock l;
    if (weir_store_lock(&l, file, file, 0, NULL) != WEIR_OK) continue;
    bool is_alone = atomic_fetch_add(inside, 1) == 0;
    sched_yield();
    is_alone = is_alone && atomic_fetch_sub(inside, 1) == 1;
    weir_store_unlock(&l);
    if (!is_alone) _exit(1);
    n++;
  }
  _exit(0);
}

static void only_one_holds_it(void **state) {
  (void)state;
  pid_t pid[4];
  int status;
  inside = mmap(NULL, sizeof *inside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(inside, MAP_FAILED);
  for (size_t i = 0; i < COUNT(pid); i++) {
    pid[i] = fork();
    assert_true(pid[i] >= 0);
    if (pid[i] == 0) take_and_release();
  }
  for (size_t i = 0; i < COUNT(pid); i++) {
    assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
    assert_int_equal(status, 0);
  }
  munmap(inside, sizeof *inside);
}

static void a_holder_is_named(void **state) {
  (void)state;
  struct weir_store_lock l, second;
  struct weir_err err;
  char text[300] = "", host[256] = "", expected[300];
  assert_int_equal(weir_store_lock(&l, file, "s.db", 0, &err), WEIR_OK);
  gethostname(host, sizeof host - 1);
  snprintf(expected, sizeof expected, "%s %ld\n", host, (long)getpid());
  assert_true(pread(l.fd, text, sizeof text - 1, 0) > 0);
  assert_string_equal(text, expected);
  assert_int_equal(weir_store_lock(&second, file, "s.db", 0, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "'s.db' is already open for writing in this process");
  weir_store_unlock(&second); /* which is not held */
  weir_store_unlock(&l);
  weir_store_unlock(&l);
  assert_int_equal(weir_store_lock(&l, "/nowhere/s.db", "s.db", 0, &err), WEIR_EIO);
  assert_contains(err.msg, "No such file");
}

/* A link that somebody put there does not lead to a file of the user's. */
static void a_link_is_not_followed(void **state) {
  (void)state;
  struct weir_store_lock l;
  struct weir_err err;
  char name[80];
  snprintf(name, sizeof name, "%s.lock", file);
  assert_int_equal(symlink("precious", name), 0);
  assert_int_equal(weir_store_lock(&l, file, "s.db", 0, &err), WEIR_EIO);
  unlink(name);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_one_holds_it),
                                     cmocka_unit_test(a_holder_is_named),
                                     cmocka_unit_test(a_link_is_not_followed)};
  if (mkdtemp(folder) == NULL) return 1;
  snprintf(file, sizeof file, "%s/s.db", folder);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed + (rmdir(folder) != 0);
}
