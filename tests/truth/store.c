#include "store.h"

#include <stdlib.h>
#include <string.h>

const char *store_dir(void) {
  const char *dir = getenv("TRUTH_DATA");
#ifdef TRUTH_DATA
  if (!dir) dir = TRUTH_DATA;
#endif
  return dir ? dir : "tests/truth/data";
}

char *store_refused(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/refused.txt", store_dir());
  FILE *f = fopen(path, "r");
  if (!f) return NULL;
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  for (int c; out && (c = getc(f)) != EOF;)
    putc(c, out);
  fclose(f);
  if (out) fclose(out);
  return text;
}

static void put(FILE *f, uint64_t x, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    putc((int)(x >> (8 * i) & 0xff), f);
}

static uint64_t get(const uint8_t *p, unsigned bytes) {
  uint64_t x = 0;
  for (unsigned i = 0; i < bytes; i++)
    x |= (uint64_t)p[i] << (8 * i);
  return x;
}

void store_write(FILE *f, const struct truth_variant *v, const uint8_t *packed) {
  size_t len = strlen(v->name);
  put(f, len, 1);
  fwrite(v->name, 1, len, f);
  put(f, v->n_cases, 4);
  put(f, v->n_out, 1);
  for (unsigned s = 0; s < v->n_out; s++)
    put(f, truth_out_bytes((enum ptx_type)v->out_type[s]), 1);
  put(f, truth_input_hash(v), 8);
  fwrite(packed, 1, truth_result_bytes(v), f);
}

bool store_next(const uint8_t *data, size_t len, size_t *at, struct store_record *r) {
  size_t left = len - *at;
  const uint8_t *p = data + *at;
  if (left < 1 || p[0] >= sizeof r->name || left < (size_t)p[0] + 6) return false;
  size_t name = p[0];
  memcpy(r->name, p + 1, name);
  r->name[name] = 0;
  p += 1 + name;
  left -= 1 + name;
  r->n_cases = (uint32_t)get(p, 4);
  r->n_out = p[4];
  if (r->n_out > TRUTH_OUT || r->n_cases > 65535 || left < 5u + r->n_out + 8u) return false;
  size_t per_case = 0;
  for (unsigned s = 0; s < r->n_out; s++)
    per_case += r->bytes[s] = p[5 + s];
  p += 5 + r->n_out;
  left -= 5u + r->n_out;
  r->input_hash = get(p, 8);
  p += 8;
  left -= 8;
  if (left < per_case * r->n_cases) return false;
  r->packed = p;
  *at = (size_t)(p - data) + per_case * r->n_cases;
  return true;
}
