#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/temp.h"
#include "cli/cmd.h"
#include "cli/job.h"
#include "cli/timing.h"
#include "cuda/device.h"
#include "exec/exec.h"
#include "weir_build.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- the file ---- */

static bool can_run(const char *path) {
  return access(path, X_OK) == 0;
}

/* As the shell finds it: a name without a slash is looked for in $PATH. */
static const char *find_file(struct weir_arena *a, const char *name) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/') != NULL) return name;
  if (folders == NULL) folders = "/bin:/usr/bin";
  for (const char *p = folders; p != NULL;) {
    size_t n = strcspn(p, ":");
    const char *path = n > 0 ? weir_arena_printf(a, "%.*s/%s", (int)n, p, name)
                             : weir_arena_printf(a, "./%s", name);
    if (path != NULL && can_run(path)) return path;
    p = p[n] == ':' ? p + n + 1 : NULL;
  }
  return NULL;
}

const char *weir_program_libraries(struct weir_arena *a) {
  static const char *const places[] = {"cuda", "../" WEIR_LIBDIR "/weir/cuda"};
  const char *env = getenv("WEIR_CUDA");
  char self[4000];
  if (env != NULL && *env) return env;
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  while (n > 0 && self[n - 1] != '/')
    n--;
  for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++) {
    const char *path = weir_arena_printf(a, "%.*s%s", (int)n, self, places[i]);
    if (path != NULL && can_run(path)) return path;
  }
  return WEIR_INSTALL_CUDA;
}

static enum weir_status inspect(struct weir_program *p, char **argv, unsigned sm,
                                struct weir_err *err) {
  p->path = find_file(&p->arena, argv[0]);
  if (p->path == NULL || !can_run(p->path)) {
    int code = p->path == NULL ? ENOENT : errno;
    weir_fail(err, WEIR_ENOENT, "cannot run %s: %s", argv[0], strerror(code));
    if (code == ENOENT && can_run(weir_arena_printf(&p->arena, "./%s", p->name)))
      weir_err_add(err, "it is in this folder: ./%s", p->name);
    return WEIR_ENOENT;
  }
  p->libraries = weir_program_libraries(&p->arena);
  return weir_inspect(p->path, argv[0], sm, p->libraries, &p->inspection, err);
}

void weir_program_free(struct weir_program *p) {
  weir_arena_free(&p->arena);
}

/* ---- options ---- */

static enum weir_status parse_number(const char *option, const char *text, uint64_t *out,
                                     struct weir_err *err) {
  int64_t v;
  if (!weir_parse_int(text, &v) || v < 0)
    return weir_fail(err, WEIR_EINVAL, "--%s %s: want a number from 0 on", option, text);
  *out = (uint64_t)v;
  return WEIR_OK;
}

enum weir_status weir_program_option(struct weir_program_choice *c, int id, const char *value,
                                     struct weir_err *err) {
  regex_t compiled;
  char why[200];
  if (id == WEIR_PROGRAM_OPT_SKIP) return parse_number("skip", value, &c->skip, err);
  if (id == WEIR_PROGRAM_OPT_MEMCHECK || id == WEIR_PROGRAM_OPT_REGION) {
    c->is_strict |= id == WEIR_PROGRAM_OPT_MEMCHECK;
    c->only_region |= id == WEIR_PROGRAM_OPT_REGION;
    return WEIR_OK;
  }
  if (id == WEIR_PROGRAM_OPT_COUNT) return parse_number("count", value, &c->count, err);
  int code = regcomp(&compiled, value, REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    regerror(code, &compiled, why, sizeof why);
    return weir_fail(err, WEIR_EINVAL, "--kernels %s: no regular expression: %s", value, why);
  }
  regfree(&compiled);
  c->kernels = value;
  return WEIR_OK;
}

static enum weir_status collect_settings(struct weir_program *p, const struct weir_settings *s,
                                         struct weir_err *err) {
  struct weir_wire_setting *v = weir_arena_array(&p->arena, s->n, sizeof *v);
  if (v == NULL) return no_memory(err);
  p->options.settings = v;
  for (size_t i = 0; i < s->n; i++) {
    if (s->v[i].group != &ptx_exec_params) continue;
    v->key = weir_arena_printf(&p->arena, "%s.%s", s->v[i].group->prefix, s->v[i].param->name);
    v->value = s->v[i].text;
    if (v->key == NULL) return no_memory(err);
    v++;
    p->options.n_settings++;
  }
  return WEIR_OK;
}

enum weir_status weir_program_open(struct weir_program *p, char **argv,
                                   const struct weir_settings *s, const char *gpu,
                                   const struct weir_program_choice *choice, struct weir_err *err) {
  const char *slash = strrchr(argv[0], '/');
  struct weir_machine m;
  struct weir_cuda_cfg cuda;
  struct ptx_exec_cfg exec;
  *p = (struct weir_program){.argv = argv, .name = slash != NULL ? slash + 1 : argv[0]};
  enum weir_status st = weir_settings_fill(s, &weir_cuda_params, &cuda, err);
  if (st == WEIR_OK) st = inspect(p, argv, (unsigned)cuda.capability, err);
  if (st == WEIR_OK) st = weir_machine_fill(&m, gpu, s, err);
  if (st == WEIR_OK) st = weir_settings_fill(s, &ptx_exec_params, &exec, err);
  if (st != WEIR_OK) return st;
  p->options = (struct weir_wire_options){
      .device = weir_cuda_device(&m, &cuda, (uint64_t)exec.device_memory),
      .kernels = choice->kernels,
      .skip = choice->skip,
      .count = choice->count,
      .only_region = choice->only_region,
      .is_strict = choice->is_strict};
  p->clock_mhz = (uint64_t)m.core.clock_mhz;
  return collect_settings(p, s, err);
}

/* ---- the process ---- */

struct process {
  pid_t pid;
  struct weir_temp folder;
  const char *socket;
  int listener, signals;
  bool is_ended;
  int status;       /* of waitpid */
  uint64_t kill_at; /* ms; 0: nobody has asked weir to end */
  sigset_t mask;    /* as it was */
};

/* Before the folders that are searched already. */
static bool put_before(struct weir_arena *a, const char *variable, const char *text) {
  const char *old = getenv(variable);
  bool has_old = old != NULL && *old;
  const char *new = weir_arena_printf(a, "%s%s%s", text, has_old ? ":" : "", has_old ? old : "");
  return new != NULL &&setenv(variable, new, 1) == 0;
}

static bool preload(struct weir_program *p, const char *library) {
  const char *path = weir_arena_printf(&p->arena, "%s/%s", p->libraries, library);
  return path != NULL && (access(path, R_OK) != 0 || put_before(&p->arena, "LD_PRELOAD", path));
}

/* LD_LIBRARY_PATH suffices, unless the file has folders that come before it. Whatever the program
 * loads or starts may have the runtime linked into it, which libweir_static.so redirects; a host
 * that was built with -fsanitize=address wants its library to be the first unless told not to. */
static bool set_environment(struct weir_program *p, const struct process *c) {
  bool ok = setenv(WEIR_WIRE_VARIABLE, c->socket, 1) == 0 &&
            put_before(&p->arena, "LD_LIBRARY_PATH", p->libraries);
  if (ok && p->inspection.has_rpath && *p->inspection.runtime)
    ok = preload(p, p->inspection.runtime);
  return ok && preload(p, "libweir_static.so") &&
         put_before(&p->arena, "ASAN_OPTIONS", "verify_asan_link_order=0");
}

/* In the child. Addresses are the same in every run where the system allows it. */
static void become(struct weir_program *p, const struct process *c, int told) {
  int code = ENOMEM;
  if (set_environment(p, c)) {
    if (p->is_stdout_ours) dup2(STDERR_FILENO, STDOUT_FILENO);
    personality(ADDR_NO_RANDOMIZE);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* weir itself was killed */
    weir_cli_signals_exec();
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    execv(p->path, p->argv);
    code = errno;
  }
  if (write(told, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

/* What the child could not do comes through a pipe that a successful exec closes. */
static enum weir_status start(struct weir_program *p, struct process *c, struct weir_err *err) {
  int told[2], code;
  if (pipe2(told, O_CLOEXEC) != 0)
    return weir_fail(err, WEIR_EIO, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL);
  c->pid = fork();
  if (c->pid == 0) become(p, c, told[1]);
  close(told[1]);
  enum weir_status st = WEIR_OK;
  if (c->pid < 0) {
    st = weir_fail(err, WEIR_EIO, "cannot start a process: %s", strerror(errno));
  } else if (read(told[0], &code, sizeof code) == sizeof code) {
    st = weir_fail(err, WEIR_EINVAL, "cannot run %s: %s", p->argv[0], strerror(code));
    if (code == ENOEXEC)
      weir_err_add(err, "a script begins with the program that runs it: #!/bin/sh");
    waitpid(c->pid, NULL, 0);
  }
  close(told[0]);
  return st;
}

/* ---- while it runs ---- */

/* Processes whose parents have ended have become weir's children. */
static void reap(struct process *c) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == c->pid) {
      c->status = status;
      c->is_ended = true;
    }
}

enum { GRACE_MS = 5000 };

/* A signal from the terminal has reached the program, too; any other is passed on, to all that it
 * has started. SIGTERM and SIGHUP are for weir as well, and so is any when the program has ended.
 */
static void take_signal(struct process *c, struct weir_service *s) {
  struct signalfd_siginfo info;
  if (read(c->signals, &info, sizeof info) != sizeof info) return;
  int number = (int)info.ssi_signo;
  if (number == SIGCHLD) {
    reap(c);
    return;
  }
  if (info.ssi_code != SI_KERNEL) weir_descendants_signal(number);
  bool is_end = number == SIGTERM || number == SIGHUP;
  if (!is_end && !c->is_ended) return;
  weir_cli_note_signal(number);
  weir_service_stop(s);
  if (is_end && c->kill_at == 0) c->kill_at = weir_cli_ms() + GRACE_MS;
}

/* Milliseconds that poll may wait. What has not ended in time is ended. */
static int time_left(struct process *c) {
  if (c->kill_at == 0) return -1;
  uint64_t now = weir_cli_ms();
  if (now < c->kill_at) return (int)(c->kill_at - now);
  weir_descendants_signal(SIGKILL);
  c->kill_at = now + GRACE_MS;
  return GRACE_MS;
}

/* Asked to end, weir leaves nobody behind. */
static bool may_leave(const struct process *c) {
  siginfo_t info;
  return c->kill_at == 0 ||
         (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD);
}

static void serve(struct process *c, struct weir_service *s) {
  for (;;) {
    struct pollfd fds[] = {{.fd = c->signals, .events = POLLIN},
                           {.fd = c->listener, .events = POLLIN},
                           {.fd = weir_service_fd(s), .events = POLLIN}};
    bool may_end = c->is_ended && weir_service_open(s) == 0 && may_leave(c);
    /* Connections that the program made before it ended may still wait. */
    int ready = poll(fds, 3, may_end ? 0 : time_left(c));
    if (ready == 0 && may_end) return;
    if (ready <= 0) continue;
    if (fds[0].revents & POLLIN) take_signal(c, s);
    if (fds[1].revents & POLLIN) weir_service_accept(s, c->listener);
    if (fds[2].revents & POLLIN) weir_service_collect(s);
  }
}

static enum weir_status prepare(struct weir_program *p, struct process *c, struct weir_err *err) {
  enum weir_status st = weir_temp_make(&c->folder, err);
  if (st != WEIR_OK) return st;
  c->socket = weir_arena_printf(&p->arena, "%s/socket", c->folder.path);
  if (c->socket == NULL) return no_memory(err);
  st = weir_wire_listen(c->socket, &c->listener, err);
  if (st != WEIR_OK) return st;
  sigset_t set;
  sigemptyset(&set);
  for (const int *n = (const int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0}; *n != 0; n++)
    if (!weir_cli_is_ignored(*n)) sigaddset(&set, *n);
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the program starts stays known when that has ended */
  pthread_sigmask(SIG_BLOCK, &set, &c->mask);
  c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return c->signals >= 0 ? WEIR_OK : weir_fail(err, WEIR_EIO, "cannot watch for signals");
}

static void clean_up(struct process *c) {
  if (c->signals >= 0) {
    close(c->signals);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
  }
  if (c->listener >= 0) close(c->listener);
  weir_temp_remove(&c->folder);
}

enum weir_status weir_program_run(const struct weir_program *program,
                                  const struct weir_program_hooks *hooks,
                                  struct weir_program_result *out, struct weir_err *err) {
  struct weir_program p = *program; /* its arena grows */
  struct process c = {.listener = -1, .signals = -1};
  struct weir_service *s = NULL;
  *out = (struct weir_program_result){0};
  p.arena = (struct weir_arena){0};
  enum weir_status st = prepare(&p, &c, err);
  if (st == WEIR_OK) st = weir_service_new(&p, hooks, &s, err);
  if (st == WEIR_OK) st = start(&p, &c, err);
  if (st == WEIR_OK) serve(&c, s);
  weir_service_free(s, out);
  clean_up(&c);
  weir_arena_free(&p.arena);
  if (st != WEIR_OK) return st;
  if (WIFSIGNALED(c.status)) out->signal = WTERMSIG(c.status);
  out->exit_code = out->signal != 0 ? 128 + out->signal : WEXITSTATUS(c.status);
  if (p.options.is_strict && out->n_faulted > 0) out->is_failed = true;
  return st;
}

bool weir_program_is_interrupted(const struct weir_program_result *r) {
  return r->signal == SIGINT || r->signal == SIGTERM || r->signal == SIGHUP;
}

void weir_program_notes(const struct weir_program *p, struct weir_program_result *r,
                        bool is_quiet) {
  weir_program_print_strays(r, is_quiet);
  if (r->signal != 0)
    fprintf(stderr, "weir: %s was ended by signal %d (%s)\n", p->name, r->signal,
            strsignal(r->signal));
  if (r->n_launches == 0 && r->signal == 0) {
    fprintf(stderr, "weir: %s launched no kernel that weir could see\n", p->name);
    if (!p->inspection.is_cuda)
      fprintf(stderr, "  a library or program that it uses may have the CUDA runtime linked into "
                      "it and be stripped: link that with nvcc -cudart shared\n");
  } else if (r->n_launches > 0 && r->n_wanted == 0) {
    fprintf(stderr,
            "weir: none of the %llu launches of %s was one that --kernels, --skip and "
            "--count ask for\n",
            (unsigned long long)r->n_launches, p->name);
    if (p->options.only_region)
      fputs("  and that came between cudaProfilerStart and cudaProfilerStop, as --profiler-region "
            "says\n",
            stderr);
  }
}

int weir_program_or_workload(const struct weir_one_target *t,
                             const struct weir_program_choice *choice) {
  const bool is_program = t->argv != NULL;
  if (is_program && t->argv[0] == NULL)
    return weir_cli_usage(t->command, "which program? It comes after --");
  if (is_program && (t->target != NULL || t->input != NULL))
    return weir_cli_usage(t->command, "workloads and --input do not go with a program");
  if (is_program && t->n_outputs > 1)
    return weir_cli_usage(t->command, "of a program, -o names the first module's file only");
  if (!is_program && weir_program_is_chosen(choice))
    return weir_cli_usage(t->command, WEIR_PROGRAM_NAMES " go with a program: -- PROGRAM");
  if (!is_program && t->target == NULL)
    return weir_cli_usage(t->command,
                          "which workload? See 'weir list workloads', or name a launch file");
  return -1;
}
