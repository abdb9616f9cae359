/* Running a program whose kernels weir wants to see: the part that run, record, compare and
 * classify share.
 *
 *   weir_program_open   the file is looked at; what weir cannot run is said now
 *   weir_program_run    it runs, with libraries that stand in for CUDA's; its launches arrive
 *
 * The program's input and outputs are its own. It may be a script, and each process that uses CUDA
 * has a connection and a machine of its own. */
#ifndef WEIR_CLI_PROGRAM_H
#define WEIR_CLI_PROGRAM_H

#include "base/arena.h"
#include "base/settings.h"
#include "cuda/inspect.h"
#include "cuda/wire.h"
#include "machine/machine.h"

/* The machine that programs run on unless another is named: large enough for any kernel that was
 * compiled for today's GPUs. */
#define WEIR_PROGRAM_GPU "v100"

struct weir_program {
  char **argv;           /* ends with NULL */
  const char *name;      /* argv[0] without folders */
  const char *path;      /* of its file */
  const char *libraries; /* folder of the libraries that stand in for CUDA's */
  struct weir_inspection inspection;
  struct weir_wire_options options;
  uint64_t clock_mhz;
  bool is_stdout_ours; /* the program's stdout goes to stderr */
  struct weir_arena arena;
};

void weir_program_free(struct weir_program *p);

/* What a command that takes one workload, or a program and at most one output, was given: -1 if
 * that can be, else what it has said why not. */
struct weir_program_choice;
struct weir_one_target {
  const char *command, *target, *input;
  char *const *argv; /* of the program; NULL: none */
  uint32_t n_outputs;
};
int weir_program_or_workload(const struct weir_one_target *t,
                             const struct weir_program_choice *choice);

/* Which launches: options that all of these commands have. */
struct weir_program_choice {
  const char *kernels; /* NULL: all */
  uint64_t skip, count;
  bool only_region; /* between cudaProfilerStart and cudaProfilerStop */
  bool is_strict;   /* not which, but how */
};
#define WEIR_PROGRAM_ALL                                                                           \
  (struct weir_program_choice) {                                                                   \
    .count = UINT64_MAX                                                                            \
  }
enum {
  WEIR_PROGRAM_OPT_KERNELS = 2000,
  WEIR_PROGRAM_OPT_SKIP,
  WEIR_PROGRAM_OPT_COUNT,
  WEIR_PROGRAM_OPT_REGION,
  WEIR_PROGRAM_OPT_MEMCHECK
};
#define WEIR_PROGRAM_OPTIONS                                                                       \
  {"kernels", 0, "REGEX",                                                                          \
   "of a program, only the kernels whose name, mangled or not, matches; the others are just\n"     \
   "executed",                                                                                     \
   WEIR_PROGRAM_OPT_KERNELS},                                                                      \
      {"skip", 0, "N", "of a program, leave out the first N launches (of these kernels)",          \
       WEIR_PROGRAM_OPT_SKIP},                                                                     \
      {"count", 0, "N", "of a program, take N launches at most (of these kernels)",                \
       WEIR_PROGRAM_OPT_COUNT},                                                                    \
      {"profiler-region", 0, NULL,                                                                 \
       "of a program, only the launches between cudaProfilerStart and cudaProfilerStop; the\n"     \
       "others are just executed",                                                                 \
       WEIR_PROGRAM_OPT_REGION},                                                                   \
  {                                                                                                \
    "memcheck", 0, NULL,                                                                           \
        "of a program, an access outside of allocations is a fault, and exit code 1, also\n"       \
        "where a GPU would not notice it; without this such accesses are made, and reported",      \
        WEIR_PROGRAM_OPT_MEMCHECK                                                                  \
  }
#define WEIR_PROGRAM_NAMES "--kernels, --skip, --count, --profiler-region and --memcheck"
static inline bool weir_is_program_option(int id) {
  return id >= WEIR_PROGRAM_OPT_KERNELS && id <= WEIR_PROGRAM_OPT_MEMCHECK;
}
/* Finds the program and fills its options for a machine that the settings describe. After a
 * failure, too, weir_program_free. */
enum weir_status weir_program_open(struct weir_program *p, char **argv,
                                   const struct weir_settings *s, const char *gpu,
                                   const struct weir_program_choice *choice, struct weir_err *err);
enum weir_status weir_program_option(struct weir_program_choice *c, int id, const char *value,
                                     struct weir_err *err);
static inline bool weir_program_is_chosen(const struct weir_program_choice *c) {
  return c->kernels != NULL || c->skip > 0 || c->count != UINT64_MAX || c->only_region ||
         c->is_strict;
}

/* What a command does with launches. Hooks are called from several threads, but never two at a
 * time; `session` is what `begin` gave for the process. A failure is told to the user, and the
 * program goes on. */
struct weir_program_hooks {
  enum weir_status (*begin)(void *self, const char *program, void **session, struct weir_err *err);
  /* Consumes the blocks of a launch that weir wants; *cycles: what it took, 0 if that is not known.
   */
  enum weir_status (*launch)(void *session, const struct weir_wire_event *e, uint64_t *cycles,
                             struct weir_err *err);
  /* It has ended; `failed`: not properly, or `launch` has failed. Also of launches that are not
   * wanted, which have no streams. May be NULL. */
  enum weir_status (*ended)(void *session, const struct weir_wire_event *e, bool failed,
                            struct weir_err *err);
  /* Copies and modules; may be NULL. */
  enum weir_status (*other)(void *session, const struct weir_wire_event *e, struct weir_err *err);
  void *self;
};

/* An instruction whose accesses missed their allocations, in one process. */
struct weir_program_stray {
  const void *session;
  char *program;
  struct weir_stray s; /* its texts are owned */
};

struct weir_program_result {
  int exit_code;  /* of the program; 128 + n after signal n */
  int signal;     /* that ended it, or 0 */
  bool is_failed; /* something went wrong on weir's side, or --memcheck found something, and that
                     was said */
  uint64_t n_launches, n_wanted, n_processes;
  uint64_t n_faulted; /* launches */
  struct {
    struct weir_program_stray *v;
    size_t n, cap;
  } strays; /* in the order in which they were found */
};
void weir_program_result_free(struct weir_program_result *r);

/* Returns when the program has ended and everything that it sent is done. Ctrl-C is the program's;
 * when that has ended, it stops weir's work. SIGTERM and SIGHUP end both. */
enum weir_status weir_program_run(const struct weir_program *p,
                                  const struct weir_program_hooks *hooks,
                                  struct weir_program_result *out, struct weir_err *err);
/* The user wanted no more of it. */
bool weir_program_is_interrupted(const struct weir_program_result *r);
/* What a user should know after that, on stderr: how the program ended, if no kernel was seen,
 * which accesses missed. `is_quiet`: only of stores that reached what is another allocation's. */
void weir_program_notes(const struct weir_program *p, struct weir_program_result *r, bool is_quiet);

/* program_processes.c: sends a signal to all processes that come from this one. */
void weir_descendants_signal(int number);

/* Folder of the libraries: $WEIR_CUDA, else cuda/ beside this program (a build), else that of the
 * installation, which may have been moved as a whole. */
const char *weir_program_libraries(struct weir_arena *a);

/* ---- program_strays.c ---- */
/* Adds what a launch has done; false: out of memory. */
bool weir_program_add_stray(struct weir_program_result *r, const void *session, const char *program,
                            const struct weir_stray *s);
void weir_program_print_strays(struct weir_program_result *r, bool is_quiet);

/* ---- program_serve.c: for weir_program_run only ---- */
struct weir_service;
enum weir_status weir_service_new(const struct weir_program *p,
                                  const struct weir_program_hooks *hooks, struct weir_service **out,
                                  struct weir_err *err);
/* Takes the connection that waits at the socket. */
void weir_service_accept(struct weir_service *s, int listener);
/* A descriptor that can be read when a connection has ended; then weir_service_collect. */
int weir_service_fd(const struct weir_service *s);
void weir_service_collect(struct weir_service *s);
/* Connections that have not been collected. */
uint64_t weir_service_open(const struct weir_service *s);
/* Gives up what is being worked on. */
void weir_service_stop(struct weir_service *s);
/* All connections have ended. */
void weir_service_free(struct weir_service *s, struct weir_program_result *out);

#endif
