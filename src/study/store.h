/* Results of runs in one SQLite file, whose tables and views are described in docs/store.md.
 *
 * A run is stored whole or not at all, and is on the disk when weir_store_put returns: whatever
 * happens to the process then, it is found by the next one. One process at a time writes; any
 * number read meanwhile. A store is used by one thread at a time, and not by children of the
 * process that opened it. Nothing else of that process opens its file: closing it again would take
 * away SQLite's locks.
 *
 * After an error the store is as it was before the call, and can be used again. */
#ifndef WEIR_STUDY_STORE_H
#define WEIR_STUDY_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "study/input_hash.h"

struct weir_store;
struct sqlite3;

enum weir_store_mode {
  WEIR_STORE_READ, /* the file must be there */
  WEIR_STORE_WRITE /* a file that is not there, or is empty, becomes a store */
};

struct weir_store_options {
  uint32_t wait_ms; /* for another writer to end; 0: one that is there is an error at once */
  /* The file will be merged into another, perhaps from another host: between two puts it is
   * complete without a second one beside it. Elsewhere that costs time, and readers may have to
   * wait for the writer. */
  bool is_shard;
  /* This process has opened it for writing before: its pages are not looked through again, which
   * takes as long as to read them all. */
  bool was_checked;
};

/* `o` may be NULL: all 0. WEIR_ELIMIT: another process writes, and is named; WEIR_EINVAL: no store,
 * a damaged one, or one of a version that cannot be used, which is left as it is. An older version
 * is brought up to date by opening it for writing. */
enum weir_status weir_store_open(const char *path, enum weir_store_mode mode,
                                 const struct weir_store_options *o, struct weir_store **out,
                                 struct weir_err *err);
/* NULL is fine. */
void weir_store_close(struct weir_store *s);
/* Nothing was ever stored there: its writer was ended while it made the file. */
bool weir_store_is_empty(const char *path);

/* What became of a run. */
enum weir_stored {
  WEIR_STORED_NONE,    /* it is not in the store */
  WEIR_STORED_OK,      /* it ended */
  WEIR_STORED_REFUSED, /* its set-up cannot be built: as final as a result */
  WEIR_STORED_FAILED   /* it may be run again, and is then replaced */
};
/* "ok", "refused", "failed"; "none". */
const char *weir_stored_name(enum weir_stored status);

/* The hash by which a run is found. `text` is canonical: all that the results depend on, and
 * nothing else, always written the same way. */
void weir_store_identity(const char *text, char out[WEIR_HASH_TEXT]);
/* Is a run with this identity text there? WEIR_EINVAL: one with the same hash and another text. */
enum weir_status weir_store_has(struct weir_store *s, const char *identity,
                                enum weir_stored *status, struct weir_err *err);

struct weir_store_setting {
  const char *key, *value;
  const char *origin; /* where it was set; NULL: not said */
};

enum weir_store_kind {
  WEIR_STORE_ABSENT, /* no value, as of a ratio of nothing */
  WEIR_STORE_COUNT,  /* beyond 2^63-1 it is stored as a real, as in JSON */
  WEIR_STORE_REAL    /* NaN: no value */
};
struct weir_store_stat {
  const char *name; /* printable ASCII; once in a list */
  enum weir_store_kind kind;
  uint64_t count;
  double real;
};

struct weir_store_kernel { /* number i + 1 in the store */
  const char *name;
  const struct weir_store_stat *stats;
  size_t n_stats;
};

/* What weir characterize found of a load. */
struct weir_store_load {
  size_t kernel; /* number in the store */
  uint32_t insn, ptx_line, line;
  uint64_t pc;
  const char *file, *array; /* NULL: not known */
  const char *locality;     /* JSON, weir_traits_json */
};

/* Texts may be any bytes (docs/files.md) and, but for `identity` and `workload`, NULL. */
struct weir_store_run {
  const char *identity; /* canonical text */
  const char *workload, *input, *gpu, *scheme;
  int64_t seed;
  enum weir_stored status;
  const char *message; /* why it was refused or has failed */
  const char *host;
  double seconds;         /* NaN: not known */
  const char *provenance; /* JSON */
  const struct weir_store_setting *settings;
  size_t n_settings;
  const struct weir_store_stat *stats; /* of the whole run */
  size_t n_stats;
  const struct weir_store_kernel *kernels;
  size_t n_kernels;
  /* Details, which a run may have or not and still be the same. */
  const struct weir_store_load *loads;
  size_t n_loads;
  const char *decisions; /* JSON, session/decisions.h; NULL: none */
};

/* In one transaction. A failed run of the same identity is replaced; any other stays, but gets
 * details that it lacks, and *is_stored (may be NULL) is false. */
enum weir_status weir_store_put(struct weir_store *s, const struct weir_store_run *run,
                                bool *is_stored, struct weir_err *err);

/* A name for an SQL expression of statistics, "1.0 * [l1.hits] / [l1.loads]"; another one of that
 * name is replaced. It is not looked at here. */
enum weir_status weir_store_metric(struct weir_store *s, const char *name, const char *expression,
                                   struct weir_err *err);

/* What is stored of a run that ended. Texts live as long as the call; kernel 0 is the whole run,
 * and comes first. False: no memory. */
struct weir_store_reader {
  bool (*kernel)(void *self, size_t number, const char *name);
  bool (*stat)(void *self, size_t kernel, const struct weir_store_stat *stat);
  void *self;
};
/* *out gets the decisions of a run, to be freed; NULL: it has none. */
enum weir_status weir_store_decisions(struct weir_store *s, const char *identity, char **out,
                                      struct weir_err *err);
/* `reader` may be NULL. *message (may be NULL) gets why it was refused or has failed, or NULL; the
 * caller frees it. WEIR_ENOENT: it is not there. */
enum weir_status weir_store_read(struct weir_store *s, const char *identity,
                                 const struct weir_store_reader *reader, char **message,
                                 struct weir_err *err);

struct weir_store_merged {
  uint64_t taken, replaced, skipped; /* replaced: of those taken, instead of one that was there */
};

/* Takes the runs of another store that `into` does not have, and those that failed here but not
 * there; all or, after an error, none. In whatever order stores are merged, the dump is the same.
 * WEIR_EINVAL: the same run has other results there. `merged` may be NULL. */
enum weir_status weir_store_merge(struct weir_store *into, const char *path,
                                  struct weir_store_merged *merged, struct weir_err *err);

/* Several at once: all of them or, after an error, none. `merged` has an element for each. */
enum weir_status weir_store_merge_all(struct weir_store *into, const char *const *paths, size_t n,
                                      struct weir_store_merged *merged, struct weir_err *err);
/* WEIR_ELIMIT: another process writes to it, and is named. Nothing is opened or waited for. */
enum weir_status weir_store_is_still(const char *path, struct weir_err *err);

/* All results as sorted text, without messages, times, hosts and where settings were set: equal
 * results give equal bytes. Each run is whole, though others may be stored meanwhile. */
enum weir_status weir_store_dump(struct weir_store *s, FILE *out, struct weir_err *err);

/* Tables of details are made when the first is stored. */
bool weir_store_has_table(struct weir_store *s, const char *table);

/* Its connection, for queries. In mode WEIR_STORE_READ nothing can be written through it; in mode
 * WEIR_STORE_WRITE nothing should be. */
struct sqlite3 *weir_store_sql(struct weir_store *s);

#endif
