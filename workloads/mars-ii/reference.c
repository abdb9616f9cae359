#include "../mars-pvc/mars_reference.h"

struct key {
  uint64_t file;
  int32_t offset, hash;
};

static uint8_t *text;

static int compare(const uint8_t *first, const uint8_t *second) {
  struct key a, b;
  memcpy(&a, first, sizeof a);
  memcpy(&b, second, sizeof b);
  if (a.hash != b.hash) return a.hash > b.hash ? 1 : -1;
  int order = strcmp((char *)text + a.file + a.offset, (char *)text + b.file + b.offset);
  return (order > 0) - (order < 0);
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t pieces = ref_var(&r, "pieces"), bytes = ref_var(&r, "bytes");
  uint32_t parts = ref_var(&r, "parts"), links = ref_var(&r, "links");
  uint32_t pages = ref_var(&r, "pages"), groups = ref_var(&r, "groups");
  uint32_t size = 1u << ref_var(&r, "log"), part = ref_var(&r, "part");
  text = ref_alloc((size_t)pieces * 45 + 1, 1);
  char *p = (char *)text;
  for (uint32_t i = 0; i < pieces; i++) {
    uint32_t kind = ref_hash(1, i) % 40, letters = 2 + ref_hash(2, i) % 8;
    if (kind == 0) {
      p += sprintf(p, "<a href=\"http://www.example.com/%05u.html\">", ref_hash(3, i) % pages);
    } else if (kind == 1) {
      p += sprintf(p, "<p>");
    } else {
      for (uint32_t j = 0; j < letters; j++)
        *p++ = (char)('a' + ref_hash(4 + j, i) % 26);
      *p++ = kind < 6 ? '\n' : ' ';
    }
  }
  p[-1] = '\n';
  mars_want("bytes", (uint32_t)(p - (char *)text), bytes);

  uint32_t *start = ref_alloc(bytes / part + 2, sizeof *start), n = 0;
  for (; start[n] < bytes; n++) {
    start[n + 1] =
        start[n] + part < bytes
            ? (uint32_t)((uint8_t *)strchr((char *)text + start[n] + part, '\n') - text) + 1
            : bytes;
    text[start[n + 1] - 1] = 0;
  }
  mars_want("parts", n, parts);

  struct mars m = {.keys = ref_alloc(bytes / 42 + 1, 16), .vals = ref_alloc(bytes / 42 + 1, 4)};
  struct mars_entry *index = ref_alloc(size + 1, sizeof *index);
  m.compare = compare;
  m.index = index + 1;
  int32_t keys = 0, vals = 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < parts; i++) {
    char *at = (char *)text + start[i];
    int32_t file = (int32_t)(i / 64), base = (int32_t)start[file * 64];
    while ((at = strstr(at, "<a href=\""))) {
      at += 9;
      char *end = strchr(at, '"');
      *end = 0;
      struct key k = {(uint64_t)base, (int32_t)(at - (char *)text) - base, (int32_t)(end - at)};
      for (; at < end; at++)
        k.hash = (int32_t)((uint32_t)k.hash << 4) ^ (k.hash >> 28) ^ *at;
      at++;
      mars_want("links at most", found < size ? 0 : found, 0);
      mars_add(&m, found++, &k, &file, sizeof k, sizeof file, &keys, &vals);
    }
  }
  mars_want("links", found, links);
  m.out_keys = ref_alloc(links, 16);
  m.out_vals = ref_alloc(links, 4);
  m.ranges = ref_alloc(links, sizeof *m.ranges);
  mars_want("groups", mars_group(&m, links, size), groups);

  ref_expect(&r, "text", text, bytes);
  ref_expect(&r, "index", index, (size + 1) * sizeof *index);
  ref_expect(&r, "out_keys", m.out_keys, (size_t)links * 16);
  ref_expect(&r, "out_vals", m.out_vals, (size_t)links * 4);
  ref_expect(&r, "ranges", m.ranges, groups * sizeof *m.ranges);
  free(text);
  free(start);
  free(index);
  free(m.keys);
  free(m.vals);
  free(m.out_keys);
  free(m.out_vals);
  free(m.ranges);
  return 0;
}
