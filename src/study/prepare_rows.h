/* Rows that are made in a process of its own: it may crash with a plug-in, or be stopped. */
#ifndef WEIR_STUDY_PREPARE_ROWS_H
#define WEIR_STUDY_PREPARE_ROWS_H

#include "study/prepare.h"

/* The input of the request is the one to run. */
enum weir_status weir_prepare_rows_apart(const struct weir_prepare_request *r,
                                         struct weir_rows *rows, struct weir_err *err);

#endif
