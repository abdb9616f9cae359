// Page-view count, by two MapReduces over a web log after the program of that name of "Mars": the
// first removes entries that occur twice (map: hash of a whole entry; group by hash, then text;
// reduce: the first of a group), the second groups by page (map: hash of the URL, offset of the
// address behind it).
//
// Each thread has a record: it walks over some 50 bytes of text of its own in the map kernel, and
// over 16 bytes of a key and 8 or 4 of a value in the copy kernel, one byte at a time, so that the 32
// lanes of a load touch up to 32 lines which only the next bytes' loads want again. The steps of the
// sort stream the index and compare hashes at places all over the keys.
#include "../suite.h"

struct pvc_key {
  unsigned long long file; // added to the text's address
  int offset, hash;
};
struct pvc_value {
  int bytes, phase;
};

// Keys by hash; if that is equal, by text.
__device__ static inline int pvc_compare(const char *first, const char *second, const char *text) {
  const pvc_key *a = (const pvc_key *)first, *b = (const pvc_key *)second;
  int hash_a = a->hash, hash_b = b->hash;
  if (hash_a > hash_b) return 1;
  if (hash_a < hash_b) return -1;
  const char *p = text + a->file + a->offset, *q = text + b->file + b->offset;
  LOOP
  for (; *p == *q && *p != '\0' && *q != '\0'; p++, q++)
    ;
  if (*p > *q) return 1;
  if (*p < *q) return -1;
  return 0;
}
#define MARS_COMPARE(a, b, text) pvc_compare(a, b, text)
#define MARS_REDUCE
#include "mars.h"

__device__ static inline int pvc_hash(const char *s, int n) {
  int h = n;
  LOOP
  for (int i = 0; i < n; i++)
    h = (int)((unsigned)h << 4) ^ (h >> 28) ^ s[i];
  return h;
}

__device__ static inline void mars_count_record(char *, char *val, char *, mars_sizes s) {
  const pvc_value *v = (const pvc_value *)val;
  if (v->phase == 0) {
    mars_emit_count(s, sizeof(pvc_key), sizeof(pvc_value));
    asm volatile(""); // a compiler of that time left the two branches apart
  } else {
    mars_emit_count(s, sizeof(pvc_key), sizeof(int));
  }
}

__device__ static inline void mars_map_record(char *key, char *val, char *text, mars_output o) {
  extern __shared__ int results[]; // five words for each thread
  pvc_key *k = (pvc_key *)key;
  pvc_value *v = (pvc_value *)val;
  char *entry = text + k->file + k->offset;
  if (v->phase == 0) {
    k->hash = pvc_hash(entry, v->bytes);
    mars_emit(o, key, val, sizeof(pvc_key), sizeof(pvc_value));
  } else {
    char *p = entry; // page, tabulator, address, tabulator, cookie; the tabulators become ends
    int page = 1;
    LOOP
    for (; *p != '\t'; p++)
      page++;
    *p = '\0';
    int address = k->offset + page;
    LOOP
    for (; *p != '\t'; p++)
      ;
    *p = '\0';
    int *result = results + threadIdx.x * 5;
    *result = address;
    k->hash = pvc_hash(entry, page);
    mars_emit(o, key, (const char *)result, sizeof(pvc_key), sizeof(int));
  }
}

__device__ static inline void mars_count_group(char *, char *, int, mars_sizes s) {
  mars_emit_count(s, sizeof(pvc_key), sizeof(pvc_value));
}

__device__ static inline void mars_reduce_group(char *key, char *vals, int, mars_output o) {
  ((pvc_value *)vals)->phase = 1; // for the second MapReduce
  mars_emit_group(o, key, vals, sizeof(pvc_key), sizeof(pvc_value));
}
