#include "base/json.h"

#include "base/text.h"

json_t *weir_json_text(const char *s) {
  struct weir_text t = {0};
  weir_text_escape(&t, s);
  json_t *o = t.failed || t.v == NULL ? NULL : json_stringn(t.v, t.n);
  weir_text_free(&t);
  return o;
}
