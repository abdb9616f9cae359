#include "base/json.h"

#include <math.h>
#include <stdbool.h>

#include "base/text.h"

json_t *weir_json_text(const char *s) {
  struct weir_text t = {0};
  weir_text_escape(&t, s);
  json_t *o = t.failed || t.v == NULL ? NULL : json_stringn(t.v, t.n);
  weir_text_free(&t);
  return o;
}

json_t *weir_json_text_or_null(const char *s) {
  return s != NULL ? weir_json_text(s) : json_null();
}

json_t *weir_json_real(double v) {
  return isnan(v) ? json_null() : json_real(v);
}

static void keep_if(json_t **o, bool is_good) {
  if (is_good) return;
  json_decref(*o);
  *o = NULL;
}

void weir_json_put(json_t **o, const char *key, json_t *value) {
  keep_if(o, json_object_set_new(*o, key, value) == 0);
}

void weir_json_push(json_t **list, json_t *value) {
  keep_if(list, json_array_append_new(*list, value) == 0);
}

const char *weir_json_bytes(const json_t *o, struct weir_arena *a) {
  struct weir_text t = {0};
  if (!json_is_string(o)) return NULL;
  weir_text_unescape(&t, json_string_value(o));
  const char *bytes = t.failed || t.v == NULL ? NULL : weir_arena_strndup(a, t.v, t.n);
  weir_text_free(&t);
  return bytes;
}
