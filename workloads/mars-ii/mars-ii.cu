// Inverted index: which files link to a page, by a MapReduce over HTML text without reduction, after
// the program of that name of "Mars".
//
// A thread of the map kernels has a kilobyte of text of its own and steps through it by bytes, in a
// machine of five states: each load of a warp touches up to 32 lines, and each line is wanted 128
// times by one thread, if it stays. Threads find different numbers of links and drift apart. Keys
// are 16 bytes (where the link is, and its hash), values 4 (the file).
#include "../suite.h"

struct ii_key {
  unsigned long long file; // added to the text's address
  int offset, hash;
};
struct ii_value {
  int offset, bytes, file;
};

__device__ static inline int ii_compare(const char *first, const char *second, const char *text) {
  const ii_key *a = (const ii_key *)first, *b = (const ii_key *)second;
  if (a->hash > b->hash) return 1;
  if (a->hash < b->hash) return -1;
  const char *p = text + a->file + a->offset, *q = text + b->file + b->offset;
  LOOP
  for (; *p == *q && *p != '\0' && *q != '\0'; p++, q++)
    ;
  if (*p > *q) return 1;
  if (*p < *q) return -1;
  return 0;
}
#define MARS_COMPARE(a, b, text) ii_compare(a, b, text)
#define MARS_UNEVEN
#include "../mars-pvc/mars.h"

enum ii_state { TEXT, TAG, A_TAG, HREF, LINK };

// Calls found(start, end) for every link in a text of n bytes, where it stands in the loop over them:
// the lanes that have none meanwhile wait for this byte only.
template <class F> __device__ static inline void ii_links(char *s, int n, F found) {
  int state = TEXT;
  LOOP
  for (int i = 0; i < n; i++) {
    switch (state) {
    case TEXT:
      if (s[i] == '<') state = TAG;
      break;
    case TAG:
      if (s[i] == 'a')
        state = A_TAG;
      else if (s[i] != ' ')
        state = TEXT;
      break;
    case A_TAG:
      if (s[i] == 'h') {
        const unsigned long long href = 0x66657268; // "href" and an end
        int x = 0;
        LOOP
        for (; x < 5; x++)
          if ((char)(href >> 8 * x) != s[i + x]) break;
        if (x >= 4) {
          state = HREF;
          i += 3;
        } else {
          state = TEXT;
        }
      } else if (s[i] != ' ') {
        state = TEXT;
      }
      break;
    case HREF:
      if (s[i] == '"')
        state = LINK;
      else if (s[i] != ' ' && s[i] != '=')
        state = TEXT;
      break;
    case LINK:
      char *end = s + i;
      LOOP
      for (; *end != '"'; end++)
        ;
      found(i, end);
      i = (int)(end - s);
      state = TEXT;
      break;
    }
  }
}

__device__ static inline int ii_hash(const char *s, int n) {
  int h = n;
  LOOP
  for (int i = 0; i < n; i++)
    h = (int)((unsigned)h << 4) ^ (h >> 28) ^ s[i];
  return h;
}

__device__ static inline void mars_count_record(char *key, char *val, char *text, mars_sizes s) {
  const ii_value *v = (const ii_value *)val;
  char *part = text + ((const ii_key *)key)->file + v->offset;
  ii_links(part, v->bytes, [&](int, char *) { mars_emit_count(s, sizeof(ii_key), sizeof(int)); });
}

__device__ static inline void mars_map_record(char *key, char *val, char *text, mars_output o) {
  ii_key *k = (ii_key *)key;
  ii_value *v = (ii_value *)val;
  int offset = v->offset;
  char *part = text + k->file + offset;
  ii_links(part, v->bytes, [&](int at, char *end) {
    *end = '\0';
    k->offset = at + offset;
    k->hash = ii_hash(part + at, (int)(end - (part + at)));
    mars_emit(o, key, (const char *)&v->file, sizeof(ii_key), sizeof(int));
  });
}
