/* Texts of users in JSON. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <jansson.h>

#include "base/arena.h"

/* A path, a name or an argument, which may be any bytes: those that are not UTF-8 are escaped as
 * weir_text_escape does it. NULL: no memory. */
json_t *weir_json_text(const char *s);
/* null for NULL. */
json_t *weir_json_text_or_null(const char *s);
/* null for NaN. */
json_t *weir_json_real(double v);
/* Add to an object or a list what they take over, NULL for want of memory; *o is NULL then, and
 * stays so. */
void weir_json_put(json_t **o, const char *key, json_t *value);
void weir_json_push(json_t **list, json_t *value);
/* The bytes that such a text stands for. NULL: `o` is no text, or no memory. */
const char *weir_json_bytes(const json_t *o, struct weir_arena *a);

#endif
