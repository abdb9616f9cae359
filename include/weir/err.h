/* Status codes and the error record that every fallible function fills. */
#ifndef WEIR_ERR_H
#define WEIR_ERR_H

#include <stdarg.h>
#include <stddef.h>

/* What libweir.so exports. */
#define WEIR_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum weir_status {
  WEIR_OK,
  WEIR_EINVAL, /* a value is out of range or does not fit */
  WEIR_ENOMEM, /* the host is out of memory */
  WEIR_ENOENT, /* a file or a name does not exist */
  WEIR_EIO,    /* reading or writing failed */
  WEIR_EPARSE, /* text could not be understood */
  WEIR_EFAULT, /* the simulated program did something illegal */
  WEIR_ELIMIT, /* a limit that the user set was reached */
  WEIR_EBUG    /* weir itself is wrong */
};

enum { WEIR_ERR_TEXT = 1536 };

/* Where in a text something stands; line and col count from 1, 0 means unknown. `source` is the
 * text of the whole file if it is still in memory (then messages show the line and a caret). */
struct weir_where {
  const char *file;
  const char *source;
  size_t source_len;
  unsigned line, col, width; /* width: characters to underline, 0 = one caret */
};

/* An error. `msg` is complete: first line "file:line:col: message" (or "message"), then, if the
 * source is known, the line and a caret, then "remedy" lines. It owns no memory. */
struct weir_err {
  enum weir_status code;
  char msg[WEIR_ERR_TEXT];
};

/* Fill `err` (may be NULL) and return `code`, so that a caller can write `return weir_fail(err,
 * ...)`. */
WEIR_API enum weir_status weir_fail(struct weir_err *err, enum weir_status code, const char *fmt,
                                    ...) __attribute__((format(printf, 3, 4)));
WEIR_API enum weir_status weir_fail_at(struct weir_err *err, enum weir_status code,
                                       const struct weir_where *where, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
WEIR_API enum weir_status weir_vfail_at(struct weir_err *err, enum weir_status code,
                                        const struct weir_where *where, const char *fmt,
                                        va_list ap);
/* Append a further line ("  remedy: ...") to an error already filled. */
WEIR_API void weir_err_add(struct weir_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

WEIR_API const char *weir_status_name(enum weir_status code);
/* Exit code of the command line for a status: 0 ok, 1 run failed, 2 usage or input, 3 internal. */
WEIR_API int weir_status_exit(enum weir_status code);

#ifdef __cplusplus
}
#endif

#endif
