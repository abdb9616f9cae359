/* A folder for the files of a study, which goes when the study ends. */
#ifndef WEIR_STUDY_TEMP_H
#define WEIR_STUDY_TEMP_H

#include "weir/err.h"

struct weir_temp {
  char path[4000]; /* empty: there is none */
};

/* In $TMPDIR, else in /tmp. */
enum weir_status weir_temp_make(struct weir_temp *t, struct weir_err *err);
/* With all files in it. */
void weir_temp_remove(struct weir_temp *t);

#endif
