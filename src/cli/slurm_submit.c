/* Slurm's commands: sbatch, squeue and scancel, as processes. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temp.h"
#include "cli/cmd.h"
#include "cli/sweep_slurm.h"

extern char **environ;

/* ---- a process ---- */

struct answer {
  char *out, *err; /* what it printed, without blanks at the end */
};

static void answer_free(struct answer *a) {
  free(a->out);
  free(a->err);
  *a = (struct answer){0};
}

static char *read_back(int fd) {
  off_t n = lseek(fd, 0, SEEK_END);
  char *text = weir_malloc((size_t)(n > 0 ? n : 0) + 1);
  if (text == NULL) return NULL;
  ssize_t got = n > 0 ? pread(fd, text, (size_t)n, 0) : 0;
  size_t len = got > 0 ? (size_t)got : 0;
  while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
    len--;
  text[len] = '\0';
  return text;
}

static enum weir_status not_here(const char *command, int why, struct weir_err *err) {
  if (why != ENOENT) return weir_fail(err, WEIR_EIO, "cannot start %s: %s", command, strerror(why));
  weir_fail(err, WEIR_ENOENT, "%s is not here: a command of Slurm's", command);
  weir_err_add(err,
               "remedy: a machine of the cluster (its login node), or Slurm's commands (Debian: "
               "slurm-client)");
  weir_err_add(err, "--dry-run shows without Slurm what would be submitted");
  return WEIR_ENOENT;
}

static int spawn(const char *const *argv, const int fds[2], pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int why = posix_spawn_file_actions_init(&actions);
  if (why != 0) return why;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fds[0], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
  why = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return why;
}

static enum weir_status finish(const char *command, pid_t pid, const int fds[2],
                               struct answer *answer, struct weir_err *err) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  answer->out = read_back(fds[0]);
  answer->err = read_back(fds[1]);
  if (answer->out == NULL || answer->err == NULL) return weir_no_memory(err);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return WEIR_OK;
  const char *said = answer->err[0] != '\0' ? answer->err : answer->out;
  if (WIFSIGNALED(status))
    weir_fail(err, WEIR_EIO, "%s was ended by signal %d", command, WTERMSIG(status));
  else
    weir_fail(err, WEIR_EIO, "%s failed (exit code %d)", command, WEXITSTATUS(status));
  if (said[0] != '\0') weir_err_add(err, "%s", said);
  return WEIR_EIO;
}

/* argv ends with NULL. After an error, too, `answer` is to be freed. */
static enum weir_status call(const char *const *argv, struct answer *answer, struct weir_err *err) {
  int fds[2] = {weir_temp_unnamed(weir_temp_folder()), weir_temp_unnamed(weir_temp_folder())};
  pid_t pid = -1;
  enum weir_status st = WEIR_OK;
  *answer = (struct answer){0};
  if (fds[0] < 0 || fds[1] < 0)
    st = weir_fail(err, WEIR_EIO, "%s: cannot make a temporary file: %s", weir_temp_folder(),
                   strerror(errno));
  int why = st == WEIR_OK ? spawn(argv, fds, &pid) : 0;
  if (why != 0) st = not_here(argv[0], why, err);
  if (st == WEIR_OK) st = finish(argv[0], pid, fds, answer, err);
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0) close(fds[i]);
  return st;
}

enum weir_status weir_slurm_is_here(struct weir_err *err) {
  struct answer answer;
  enum weir_status st = call((const char *const[]){"sbatch", "--version", NULL}, &answer, err);
  answer_free(&answer);
  return st;
}

/* ---- jobs that were submitted before ---- */

/* The numbers in the file of jobs: ",12,13,14,". NULL: there is none. */
static enum weir_status read_jobs(const struct weir_slurm *s, struct weir_arena *a,
                                  const char **out, struct weir_err *err) {
  const char *path = weir_slurm_path(s, a, "jobs"), *all = ",";
  char *text = NULL;
  size_t len;
  *out = NULL;
  if (path == NULL) return weir_no_memory(err);
  if (access(path, F_OK) != 0) return WEIR_OK;
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &len, err);
  if (st != WEIR_OK) return st;
  for (char *save = NULL, *line = strtok_r(text, "\n", &save); line != NULL && all != NULL;
       line = strtok_r(NULL, "\n", &save)) {
    const char *blank = strchr(line, ' ');
    if (blank == NULL || strspn(blank + 1, "0123456789") != strlen(blank + 1)) {
      st = weir_fail(err, WEIR_EINVAL, "%s: want lines with the number of a job: tasks 12", path);
      break;
    }
    all = weir_arena_printf(a, "%s%s,", all, blank + 1);
  }
  free(text);
  if (st == WEIR_OK && all == NULL) return weir_no_memory(err);
  *out = all;
  return st;
}

static bool is_listed(const char *jobs, const char *number, size_t n) {
  for (const char *at = strstr(jobs, ","); at != NULL && at[1] != '\0'; at = strchr(at + 1, ','))
    if (strncmp(at + 1, number, n) == 0 && at[1 + n] == ',') return true;
  return false;
}

/* Of all lines "12_3 RUNNING 12" those whose job is listed: "12_3 RUNNING, 14 PENDING". */
static enum weir_status find_listed(char *lines, const char *jobs, struct weir_arena *a,
                                    const char **out, struct weir_err *err) {
  for (char *save = NULL, *line = strtok_r(lines, "\n", &save); line != NULL;
       line = strtok_r(NULL, "\n", &save)) {
    char *number = strrchr(line, ' ');
    if (number == NULL) continue;
    if (!is_listed(jobs, number + 1, strlen(number + 1))) continue;
    *number = '\0';
    *out = *out == NULL ? weir_arena_printf(a, "%s", line)
                        : weir_arena_printf(a, "%s, %s", *out, line);
    if (*out == NULL) return weir_no_memory(err);
  }
  return WEIR_OK;
}

/* All jobs of the user are asked for: of one that ended long ago Slurm says that it never was. */
enum weir_status weir_slurm_active(const struct weir_slurm *s, struct weir_arena *a,
                                   const char **jobs, struct weir_err *err) {
  const char *numbers, *user = weir_arena_printf(a, "--user=%ld", (long)getuid());
  struct answer answer;
  *jobs = NULL;
  if (user == NULL) return weir_no_memory(err);
  enum weir_status st = read_jobs(s, a, &numbers, err);
  if (st != WEIR_OK || numbers == NULL) return st;
  st = call((const char *const[]){"squeue", "--noheader", user, "--format=%i %T %F", NULL}, &answer,
            err);
  if (st == WEIR_OK) st = find_listed(answer.out, numbers, a, jobs, err);
  answer_free(&answer);
  return st;
}

/* ---- submitting ---- */

static enum weir_status write_scripts(const struct weir_slurm *s, struct weir_arena *a,
                                      struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (enum weir_slurm_kind i = 0; st == WEIR_OK && i < WEIR_SLURM_KINDS; i++) {
    const char *path = weir_arena_printf(a, "%s/%s.sh", s->folder, weir_slurm_name(i));
    struct weir_text text = {0};
    if (!s->is_wanted[i]) continue;
    weir_slurm_script(s, i, &text);
    st = path == NULL || text.failed ? weir_no_memory(err)
                                     : weir_file_write(path, text.v, text.n, err);
    if (st == WEIR_OK && path != NULL && chmod(path, 0755) != 0)
      st = weir_fail(err, WEIR_EIO, "cannot change the mode of '%s': %s", path, strerror(errno));
    weir_text_free(&text);
  }
  return st;
}

/* sbatch --parsable says the job's number and nothing else. */
static enum weir_status submit_one(const struct weir_slurm *s, enum weir_slurm_kind kind,
                                   const char *after, struct weir_arena *a, const char **id,
                                   struct weir_err *err) {
  struct weir_names words = {0};
  struct answer answer = {0};
  enum weir_status st =
      weir_slurm_sbatch(s, kind, after, a, &words) && WEIR_PUSH(words, (const char *)NULL)
          ? WEIR_OK
          : weir_no_memory(err);
  if (st == WEIR_OK) st = call(words.v, &answer, err);
  if (st == WEIR_OK) {
    size_t n = strspn(answer.out, "0123456789");
    if (n == 0 || answer.out[n] != '\0')
      st = weir_fail(err, WEIR_EIO, "sbatch did not say the number of a job, but '%s'", answer.out);
    else if ((*id = weir_arena_strndup(a, answer.out, n)) == NULL)
      st = weir_no_memory(err);
  }
  answer_free(&answer);
  free(words.v);
  return st;
}

/* Half of the jobs are no use, and the next time they would be in the way. */
static void take_back(const char *const ids[WEIR_SLURM_KINDS], struct weir_err *err) {
  for (enum weir_slurm_kind i = 0; i < WEIR_SLURM_KINDS; i++) {
    struct answer answer;
    struct weir_err why;
    if (ids[i] == NULL) continue;
    if (call((const char *const[]){"scancel", ids[i], NULL}, &answer, &why) == WEIR_OK)
      weir_err_add(err, "job %s, which was submitted, is cancelled", ids[i]);
    else
      weir_err_add(err, "job %s was submitted and cannot be cancelled: %s", ids[i], why.msg);
    answer_free(&answer);
  }
}

static enum weir_status write_jobs(const struct weir_slurm *s, struct weir_arena *a,
                                   const char *const ids[WEIR_SLURM_KINDS], struct weir_err *err) {
  const char *path = weir_slurm_path(s, a, "jobs");
  struct weir_text text = {0};
  for (enum weir_slurm_kind i = 0; i < WEIR_SLURM_KINDS; i++)
    if (ids[i] != NULL) weir_text_printf(&text, "%s %s\n", weir_slurm_name(i), ids[i]);
  enum weir_status st = path == NULL || text.failed ? weir_no_memory(err)
                                                    : weir_file_write(path, text.v, text.n, err);
  weir_text_free(&text);
  return st;
}

enum weir_status weir_slurm_submit(const struct weir_slurm *s, struct weir_arena *a,
                                   const char *ids[WEIR_SLURM_KINDS], struct weir_err *err) {
  const char *after = NULL;
  for (enum weir_slurm_kind i = 0; i < WEIR_SLURM_KINDS; i++)
    ids[i] = NULL;
  enum weir_status st = write_scripts(s, a, err);
  for (enum weir_slurm_kind i = 0; st == WEIR_OK && i < WEIR_SLURM_KINDS; i++) {
    if (!s->is_wanted[i]) continue;
    st = submit_one(s, i, after, a, &ids[i], err);
    after = ids[i];
  }
  if (st == WEIR_OK) st = write_jobs(s, a, ids, err);
  if (st != WEIR_OK) take_back(ids, err);
  return st;
}
