#include "base/json.h"

#include "base/text.h"

json_t *weir_json_text(const char *s) {
  struct weir_text t = {0};
  weir_text_escape(&t, s);
  json_t *o = t.failed || t.v == NULL ? NULL : json_stringn(t.v, t.n);
  weir_text_free(&t);
  return o;
}

const char *weir_json_bytes(const json_t *o, struct weir_arena *a) {
  struct weir_text t = {0};
  if (!json_is_string(o)) return NULL;
  weir_text_unescape(&t, json_string_value(o));
  const char *bytes = t.failed || t.v == NULL ? NULL : weir_arena_strndup(a, t.v, t.n);
  weir_text_free(&t);
  return bytes;
}
