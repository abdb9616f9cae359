/* The inside of a store: its connection, statements, transactions and errors. */
#ifndef WEIR_STUDY_STORE_DB_H
#define WEIR_STUDY_STORE_DB_H

#include <sqlite3.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/text.h"
#include "study/store.h"
#include "study/store_lock.h"

/* Kept ready for as long as the store is open. */
enum weir_store_stmt {
  WEIR_STMT_FIND,
  WEIR_STMT_DELETE,
  WEIR_STMT_RUN,
  WEIR_STMT_SETTING,
  WEIR_STMT_KERNEL,
  WEIR_STMT_STATISTIC,
  WEIR_STMT_NAME,
  WEIR_STMT_METRIC,
  WEIR_STMT_NEXT,
  WEIR_STMT_READ_METRICS,
  WEIR_STMT_READ_RUN,
  WEIR_STMT_READ_SETTINGS,
  WEIR_STMT_READ_KERNELS,
  WEIR_STMT_READ_STATISTICS,
  WEIR_STMT_LOAD,
  WEIR_STMT_READ_LOADS,
  WEIR_STMT_DECISIONS,
  WEIR_STMT_READ_DECISIONS,
  WEIR_N_STMTS
};

struct weir_store_name {
  char *text;
  int64_t id;
};

struct weir_store {
  sqlite3 *db;
  char *path; /* as it was given */
  enum weir_store_mode mode;
  pid_t pid; /* that opened it */
  struct weir_store_lock lock;
  sqlite3_stmt *stmt[WEIR_N_STMTS];
  /* The names of statistics, sorted: those of the table `names`, which only this process adds to.
   */
  struct {
    struct weir_store_name *v;
    size_t n, cap;
  } names;
  bool are_names_known; /* else they are read before they are needed */
  bool are_views_old;   /* a name came that they do not have */
  struct weir_text scratch;
};

/* Fills `err` from what SQLite said last: which file, why, and a remedy. */
enum weir_status weir_store_fail(const struct weir_store *s, struct weir_err *err);
enum weir_status weir_store_exec(struct weir_store *s, const char *sql, struct weir_err *err);
/* The first column of the first row, 0 if there is none. */
enum weir_status weir_store_number(struct weir_store *s, const char *sql, int64_t *out,
                                   struct weir_err *err);

/* Reset, and ready to be bound. */
enum weir_status weir_store_prepared(struct weir_store *s, enum weir_store_stmt which,
                                     sqlite3_stmt **out, struct weir_err *err);
/* Of a statement that gives rows: *is_row is false, and it is reset, at their end. */
enum weir_status weir_store_step(struct weir_store *s, sqlite3_stmt *q, bool *is_row,
                                 struct weir_err *err);
/* Of one that gives none. */
enum weir_status weir_store_run_stmt(struct weir_store *s, sqlite3_stmt *q, struct weir_err *err);
/* Any bytes, as UTF-8; NULL is none. False: no memory. */
bool weir_store_bind_text(struct weir_store *s, sqlite3_stmt *q, int at, const char *text);

/* For messages: the first column of what `sql` gives, as far as it can be read. ?1 is `word`. */
struct weir_store_texts {
  struct weir_arena a;
  const char **v;
  size_t n, cap;
};
void weir_store_texts(struct weir_store *s, const char *sql, const char *word,
                      struct weir_store_texts *out);
void weir_store_texts_free(struct weir_store_texts *t);
/* Does it give any row? */
bool weir_store_gives(struct weir_store *s, const char *sql, const char *word);

/* What is written stands between these: `end` commits if `st` is WEIR_OK, and takes all back else;
 * it returns what became of it. */
enum weir_status weir_store_begin(struct weir_store *s, struct weir_err *err);
enum weir_status weir_store_end(struct weir_store *s, enum weir_status st, struct weir_err *err);
void weir_store_forget_names(struct weir_store *s);

/* ---- store.c ---- */

/* Looks for a run by the hash of its identity: *id is 0 if there is none. `text`, as it is stored,
 * must be that of the run that is found. */
enum weir_status weir_store_find(struct weir_store *s, const char *hash, const char *text,
                                 int64_t *id, enum weir_stored *status, struct weir_err *err);
/* The same by the text that a caller has. */
enum weir_status weir_store_find_text(struct weir_store *s, const char *identity, int64_t *id,
                                      enum weir_stored *status, struct weir_err *err);
enum weir_status weir_store_delete(struct weir_store *s, int64_t id, struct weir_err *err);
/* The number of a statistic's name, which may be a new one. */
enum weir_status weir_store_name_id(struct weir_store *s, const char *name, int64_t *id,
                                    struct weir_err *err);

/* ---- store_details.c: tables that are made when the first row comes ---- */

struct weir_store_detail {
  const char *table;
  enum weir_store_stmt write, read; /* the first column is the run */
  const char *sql;                  /* that makes it */
};
extern const struct weir_store_detail weir_store_details[]; /* ends with a NULL table */
/* Makes it, if it is not there. *lacks: the run has no rows in it. */
enum weir_status weir_store_detail(struct weir_store *s, const struct weir_store_detail *d,
                                   int64_t id, bool *lacks, struct weir_err *err);
/* Those that the run in the store lacks. */
enum weir_status weir_store_put_details(struct weir_store *s, const struct weir_store_run *r,
                                        int64_t id, struct weir_err *err);

/* ---- store_dump.c ---- */

/* The run that follows in the order of identities; *id is 0 after the last. `hash` begins as "" and
 * gets that of the run. */
enum weir_status weir_store_next(struct weir_store *s, char hash[WEIR_HASH_TEXT], int64_t *id,
                                 struct weir_err *err);
/* Appends what a dump says of a run: what it is, and what came out. */
enum weir_status weir_store_describe(struct weir_store *s, int64_t id, struct weir_text *about,
                                     struct weir_text *results, struct weir_err *err);

#endif
