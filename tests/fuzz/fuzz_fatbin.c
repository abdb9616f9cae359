/* Fat binaries: bytes are never trusted; entries lie inside what was given, and text that comes out
 * has the size that it declares at most. */
#include <string.h>

#include "cuda/fatbin.h"
#include "fuzz.h"

/* zstd makes much of little: more would be a test of it alone. */
enum { MAX_TEXT = 1 << 20 };

static void check_inside(const uint8_t *data, size_t size, const void *part, size_t n) {
  const uint8_t *p = part;
  if (n > 0) PROMISE(p >= data && n <= size && p <= data + (size - n));
}

static void check_entry(const struct weir_fatbin *f, const struct weir_fatbin_entry *e,
                        const uint8_t *data, size_t size) {
  char label[WEIR_FATBIN_LABEL];
  PROMISE(e->image < f->n_images && (e == f->v || e[-1].image <= e->image));
  PROMISE(e->packed_bytes <= e->data_bytes);
  check_inside(data, size, e->data, e->data_bytes);
  check_inside(data, size, e->name, e->name_bytes);
  check_inside(data, size, e->options, e->options_bytes);
  PROMISE(strlen(weir_fatbin_label(e, label)) < sizeof label);
}

static void read_text(const struct weir_fatbin_entry *e) {
  struct weir_err err;
  char *text;
  size_t n;
  if (e->text_bytes > MAX_TEXT && e->text_bytes <= WEIR_FATBIN_MAX_TEXT) return;
  enum weir_status st = weir_fatbin_text(e, &text, &n, &err);
  PROMISE((st == WEIR_OK) == (text != NULL));
  if (st == WEIR_OK) {
    PROMISE(e->kind == WEIR_FATBIN_PTX && n > 0 && strlen(text) == n);
    PROMISE(n <= (e->text_bytes > 0 ? e->text_bytes : e->data_bytes));
  } else
    PROMISE(err.code == st && memchr(err.msg, 0, sizeof err.msg) != NULL);
  free(text);
}

static void choose(const struct weir_fatbin *f, unsigned image, unsigned sm) {
  const struct weir_fatbin_entry *e;
  struct weir_err err;
  enum weir_status st = weir_fatbin_choose(f, image, sm, &e, &err);
  PROMISE((st == WEIR_OK) == (e != NULL));
  if (st == WEIR_OK)
    PROMISE(e->kind == WEIR_FATBIN_PTX && e->sm <= sm && e->image == image);
  else
    PROMISE(strstr(err.msg, "remedy: ") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_fatbin f;
  struct weir_err err;
  if (weir_fatbin_open(&f, data, size, &err) != WEIR_OK) {
    PROMISE(f.v == NULL && f.n == 0 && memchr(err.msg, 0, sizeof err.msg) != NULL);
    return 0;
  }
  for (size_t i = 0; i < f.n; i++) {
    check_entry(&f, &f.v[i], data, size);
    read_text(&f.v[i]);
  }
  for (unsigned i = 0; i < f.n_images; i++) {
    choose(&f, i, 75);
    choose(&f, i, 103);
  }
  weir_fatbin_free(&f);
  return 0;
}
