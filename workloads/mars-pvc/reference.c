#include "mars_reference.h"

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
  int order = strcmp((char *)text + a.offset, (char *)text + b.offset);
  return (order > 0) - (order < 0);
}

static int32_t hash_of(const uint8_t *s, int32_t n) {
  int32_t h = n;
  for (int32_t i = 0; i < n; i++)
    h = (int32_t)((uint32_t)h << 4) ^ (h >> 28) ^ s[i];
  return h;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "records"), bytes = ref_var(&r, "bytes");
  uint32_t distinct = ref_var(&r, "distinct"), pages = ref_var(&r, "pages");
  uint32_t size = 1u << ref_var(&r, "log"), size2 = 1u << ref_var(&r, "log2");
  text = ref_alloc((size_t)n * 64, 1);
  int32_t *start = ref_alloc(n + 1, sizeof *start);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t s = i > 0 && ref_hash(1, i) % 8 == 0 ? ref_hash(2, i) % i : i;
    start[i + 1] =
        start[i] + 1 +
        sprintf((char *)text + start[i], "http://www.example.com/%u.html\t%u.%u.%u.%u\t%u",
                ref_hash(4, s) % 1024, ref_hash(3, s) % 256, ref_hash(5, s) % 256,
                ref_hash(7, s) % 256, ref_hash(9, s) % 256, ref_hash(11, s) % 1000);
  }
  mars_want("bytes", (uint32_t)start[n], bytes);

  struct mars m = {.keys = ref_alloc(n, 16), .vals = ref_alloc(n, 8), .compare = compare};
  struct mars_entry *index = ref_alloc(size + 1, sizeof *index);
  m.out_keys = ref_alloc(n, 16);
  m.out_vals = ref_alloc(n, 8);
  m.ranges = ref_alloc(n, sizeof *m.ranges);
  m.index = index + 1;
  int32_t keys = 0, vals = 0;
  for (uint32_t i = 0; i < n; i++) {
    int32_t length = start[i + 1] - start[i], val[2] = {length, 0};
    struct key k = {0, start[i], hash_of(text + start[i], length)};
    mars_add(&m, i, &k, val, sizeof k, sizeof val, &keys, &vals);
  }
  mars_want("distinct", mars_group(&m, n, size), distinct);

  struct key *entry = ref_alloc(distinct, sizeof *entry); // the first of each group
  for (uint32_t g = 0; g < distinct; g++) {
    memcpy(entry + g, m.out_keys + 16 * m.ranges[g][0], sizeof *entry);
    uint32_t phase = 1;
    memcpy(m.out_vals + 8 * m.ranges[g][0] + 4, &phase, sizeof phase);
  }
  keys = vals = 0;
  for (uint32_t g = 0; g < distinct; g++) {
    uint8_t *page = text + entry[g].offset, *end = (uint8_t *)strchr((char *)page, '\t');
    int32_t address = (int32_t)(end + 1 - text);
    *end = 0;
    *strchr((char *)end + 1, '\t') = 0;
    entry[g].hash = hash_of(page, (int32_t)(end + 1 - page));
    mars_add(&m, g, entry + g, &address, sizeof *entry, sizeof address, &keys, &vals);
  }
  mars_want("pages", mars_group(&m, distinct, size2), pages);

  ref_expect(&r, "text", text, bytes);
  ref_expect(&r, "index", index, (size + 1) * sizeof *index);
  ref_expect(&r, "out_keys", m.out_keys, n * 16);
  ref_expect(&r, "out_vals", m.out_vals, n * 8);
  ref_expect(&r, "ranges", m.ranges, distinct * sizeof *m.ranges);
  free(text);
  free(start);
  free(index);
  free(m.keys);
  free(m.vals);
  free(m.out_keys);
  free(m.out_vals);
  free(m.ranges);
  free(entry);
  return 0;
}
