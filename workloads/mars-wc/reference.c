#include "../mars-pvc/mars_reference.h"

static int compare(const uint8_t *first, const uint8_t *second) {
  int order = strcmp((const char *)first, (const char *)second);
  return (order > 0) - (order < 0);
}

static int is_letter(uint8_t c) {
  return c >= 'A' && c <= 'Z';
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t pieces = ref_var(&r, "pieces"), bytes = ref_var(&r, "bytes");
  uint32_t part = ref_var(&r, "part"), parts = ref_var(&r, "parts"), words = ref_var(&r, "words");
  uint32_t letters = ref_var(&r, "letters"), vocabulary = ref_var(&r, "vocabulary");
  uint32_t groups = ref_var(&r, "groups"), size = 1u << ref_var(&r, "log");
  uint8_t *text = ref_alloc((size_t)pieces * 12 + 1, 1), *p = text;
  for (uint32_t i = 0; i < pieces; i++) {
    uint32_t a = ref_hash(1, i) % vocabulary, b = ref_hash(2, i) % vocabulary;
    uint32_t word = (uint32_t)((uint64_t)a * b / vocabulary);
    uint32_t length = 1 + ref_hash(3, word) % 5 + ref_hash(4, word) % 5, gap = ref_hash(5, i) % 16;
    for (uint32_t j = 0; j < length; j++)
      *p++ = (uint8_t)('A' + ref_hash(6 + j, word) % 26);
    if (gap == 0) *p++ = ',';
    *p++ = gap == 1 ? '\n' : ' ';
  }
  p[-1] = 0;
  mars_want("bytes", (uint32_t)(p - text), bytes);

  struct mars m = {.keys = ref_alloc(bytes, 1), .vals = ref_alloc(bytes, 1), .compare = compare};
  struct mars_entry *index = ref_alloc(size + 1, sizeof *index);
  m.index = index + 1;
  int32_t keys = 0, vals = 0;
  uint32_t found = 0, n = 0, end;
  for (uint32_t start = 0; start < bytes; start = end, n++) {
    end = start + part < bytes ? start + part : bytes - 1;
    while (is_letter(text[end]))
      end++;
    text[end++] = 0;
    for (uint32_t at = start; at < end; at++) {
      uint32_t word = at;
      while (is_letter(text[at]))
        at++;
      if (at > word || at == start) text[at] = 0;
      int32_t length = (int32_t)(at + 1 - word);
      if (length <= 6) continue;
      mars_want("words at most", found < size ? 0 : found, 0);
      mars_add(&m, found++, text + word, &length, length, sizeof length, &keys, &vals);
    }
  }
  mars_want("parts", n, parts);
  mars_want("words", found, words);
  mars_want("letters", (uint32_t)keys, letters);
  m.out_keys = ref_alloc(letters, 1);
  m.out_vals = ref_alloc(words, 4);
  m.ranges = ref_alloc(words, sizeof *m.ranges);
  mars_want("groups", mars_group(&m, words, size), groups);

  ref_expect(&r, "text", text, bytes);
  ref_expect(&r, "index", index, (size + 1) * sizeof *index);
  ref_expect(&r, "out_keys", m.out_keys, letters);
  ref_expect(&r, "out_vals", m.out_vals, (size_t)words * 4);
  ref_expect(&r, "ranges", m.ranges, groups * sizeof *m.ranges);
  free(text);
  free(index);
  free(m.keys);
  free(m.vals);
  free(m.out_keys);
  free(m.out_vals);
  free(m.ranges);
  return 0;
}
