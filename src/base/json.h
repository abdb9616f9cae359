/* Texts of users in JSON. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <jansson.h>

#include "base/arena.h"

/* A path, a name or an argument, which may be any bytes: those that are not UTF-8 are escaped as
 * weir_text_escape does it. NULL: no memory. */
json_t *weir_json_text(const char *s);
/* The bytes that such a text stands for. NULL: `o` is no text, or no memory. */
const char *weir_json_bytes(const json_t *o, struct weir_arena *a);

#endif
