/* How an output was made, from the command line: collected for outputs, and taken back from them
 * (--like). A command calls
 *
 *   weir_prov_begin     first: its line may become that of an earlier output
 *   weir_prov_open      when it knows whether there will be an output
 *   weir_prov_setup, _workload, ...   what it resolved
 *   weir_prov_close     before it runs: is everything as it was?
 */
#ifndef WEIR_CLI_PROVENANCE_H
#define WEIR_CLI_PROVENANCE_H

#include "base/arena.h"
#include "cli/opt.h"
#include "report/provenance.h"
#include "report/timing.h"

enum { WEIR_PROV_OPT_LIKE = 3000, WEIR_PROV_OPT_CHANGED, WEIR_PROV_OPT_NONE };
#define WEIR_PROV_OPTIONS                                                                          \
  {"like", 0, "FILE",                                                                              \
   "repeat what an output says about itself (JSON, CSV or trace of this command); further\n"       \
   "options and workloads take the place of its own",                                              \
   WEIR_PROV_OPT_LIKE},                                                                            \
      {"allow-changed", 0, NULL,                                                                   \
       "with --like: go on though a machine, a scheme or an input is not what it was",             \
       WEIR_PROV_OPT_CHANGED},                                                                     \
  {                                                                                                \
    "no-provenance", 0, NULL, "leave out of outputs how they were made", WEIR_PROV_OPT_NONE        \
  }
#define WEIR_PROV_NEUTRAL " like allow-changed no-provenance"
static inline bool weir_is_prov_option(int id) {
  return id >= WEIR_PROV_OPT_LIKE && id <= WEIR_PROV_OPT_NONE;
}

struct weir_prov_item {
  const char *name, *value; /* an option, with or without a value; name NULL: a word */
};

struct weir_prov {
  struct weir_provenance block;
  const struct weir_usage *usage;
  struct {
    struct weir_prov_item *v;
    size_t n, cap;
  } items;
  char **program;
  const char *like; /* the file, or NULL */
  json_t *earlier;  /* its block */
  bool is_left_out, may_differ, is_quiet;
  struct weir_arena arena;
};

/* Looks at the command line and, with --like, makes it a longer one, which lives as long as the
 * struct. Returns -1 to go on, else the exit code: help was printed, or something is wrong and that
 * was said. */
int weir_prov_begin(struct weir_prov *p, const struct weir_usage *u, int *argc, char ***argv);
void weir_prov_free(struct weir_prov *p);

/* `is_wanted`: there will be an output that carries it. */
enum weir_status weir_prov_open(struct weir_prov *p, bool is_wanted, struct weir_err *err);
/* What stands for an option that was left out or that names something else: `value` outlives it. */
void weir_prov_option(struct weir_prov *p, const char *name, const char *value);
/* The words, if the command knows better. They outlive it. */
void weir_prov_words(struct weir_prov *p, const char *const *words, size_t n);
/* A machine and a scheme by name (both may be NULL: none), and a file of tags (or NULL), as `s`
 * came about. */
enum weir_status weir_prov_setup(struct weir_prov *p, const char *gpu, const char *scheme,
                                 const char *tags, const struct weir_settings *s,
                                 struct weir_err *err);
/* A file that is needed as it is, with its text. */
enum weir_status weir_prov_file(struct weir_prov *p, const char *path, struct weir_err *err);
enum weir_status weir_prov_workload(struct weir_prov *p, const char *name, const char *path,
                                    const char *input, struct weir_err *err);
enum weir_status weir_prov_trace(struct weir_prov *p, const char *path, struct weir_err *err);
enum weir_status weir_prov_program(struct weir_prov *p, const char *name, const char *path,
                                   struct weir_err *err);
/* All is known. */
enum weir_status weir_prov_close(struct weir_prov *p, struct weir_err *err);

/* What was prepared for workloads on a machine, when it is known. */
enum weir_status weir_prov_profiles(struct weir_prov *p, const char *gpu,
                                    const struct weir_timed_profiles *profiles,
                                    struct weir_err *err);

/* For outputs; NULL: nothing is to be said. */
const struct weir_provenance *weir_prov_shown(const struct weir_prov *p);

#endif
