/* The tables of a store, their versions, and the views that are made from the names of statistics.
 */
#ifndef WEIR_STUDY_STORE_SCHEMA_H
#define WEIR_STUDY_STORE_SCHEMA_H

#include "study/store_db.h"

enum {
  WEIR_STORE_APPLICATION = 0x77656972, /* "weir" */
  WEIR_STORE_VERSION = 1,
  /* SQLite allows 2,000 columns; the views have some before those of statistics. */
  WEIR_STORE_VIEW_NAMES = 1900
};

extern const char *const weir_store_sql_texts[WEIR_N_STMTS];

/* What makes version `from` the next one; the last of a list has sql NULL. Views are made anew
 * after the last step. */
struct weir_store_change {
  int64_t from;
  const char *sql;
};
extern const struct weir_store_change weir_store_changes[];

/* In an empty file. */
enum weir_status weir_store_create(struct weir_store *s, struct weir_err *err);
/* From the version that it has to `to`: all of it or nothing. */
enum weir_status weir_store_upgrade(struct weir_store *s, const struct weir_store_change *changes,
                                    int64_t to, struct weir_err *err);
/* Within a transaction: views with a column for each name that there is. */
enum weir_status weir_store_make_views(struct weir_store *s, struct weir_err *err);
/* Their columns of statistics, each after a comma, of a run and a kernel that SQL names. A look-up
 * for each, and no join or sum over all: a query pays for the columns that it uses, and no limit of
 * SQLite but that of columns is near. */
void weir_store_put_columns(struct weir_text *t, const struct weir_store *s, const char *run,
                            const char *kernel);

/* Names that are new since the table was read are added by weir_store_name_id. */
enum weir_status weir_store_load_names(struct weir_store *s, struct weir_err *err);

#endif
