/* Reading the compressed files; apart from store.c, since the runner on a GPU machine has no zstd.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "store.h"

static uint8_t *slurp(const char *path, size_t *len) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *text = NULL;
  FILE *out = open_memstream(&text, len);
  char buf[65536];
  for (size_t n; out && (n = fread(buf, 1, sizeof buf, f)) > 0;)
    fwrite(buf, 1, n, out);
  fclose(f);
  if (out) fclose(out);
  return (uint8_t *)text;
}

static uint8_t *unpack_file(const char *path, size_t *len) {
  size_t packed_len = 0;
  uint8_t *packed = slurp(path, &packed_len), *out = NULL;
  unsigned long long size =
      packed ? ZSTD_getFrameContentSize(packed, packed_len) : ZSTD_CONTENTSIZE_ERROR;
  if (size != ZSTD_CONTENTSIZE_ERROR && size != ZSTD_CONTENTSIZE_UNKNOWN && size < (1u << 28))
    out = malloc((size_t)size + 1);
  if (out) {
    size_t n = ZSTD_decompress(out, (size_t)size, packed, packed_len);
    *len = n;
    if (ZSTD_isError(n)) {
      free(out);
      out = NULL;
    }
  }
  free(packed);
  return out;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct store_record *)a)->name, ((const struct store_record *)b)->name);
}

static bool index_file(struct store *s, const uint8_t *data, size_t len) {
  struct store_record r;
  size_t at = 0;
  while (at < len && store_next(data, len, &at, &r)) {
    if ((s->n & (s->n + 1)) == 0) {
      struct store_record *more = realloc(s->v, (2 * s->n + 2) * sizeof *more);
      if (!more) return false;
      s->v = more;
    }
    s->v[s->n++] = r;
  }
  return at == len;
}

bool store_open(struct store *s) {
  *s = (struct store){0};
  for (int i = 0; i < TF_N; i++) {
    char path[4096];
    size_t len = 0;
    snprintf(path, sizeof path, "%s/%s.bin.zst", store_dir(), truth_family_names[i]);
    s->text[i] = unpack_file(path, &len);
    if (!s->text[i] || !index_file(s, s->text[i], len)) {
      fprintf(stderr, "%s: missing or damaged\n", path);
      store_close(s);
      return false;
    }
  }
  if (s->n) qsort(s->v, s->n, sizeof *s->v, by_name);
  return true;
}

const struct store_record *store_find(const struct store *s, const char *name) {
  struct store_record key;
  snprintf(key.name, sizeof key.name, "%s", name);
  return s->n ? bsearch(&key, s->v, s->n, sizeof key, by_name) : NULL;
}

void store_close(struct store *s) {
  for (int i = 0; i < TF_N; i++)
    free(s->text[i]);
  free(s->v);
  *s = (struct store){0};
}
