// Word count by a MapReduce without reduction, after the program of that name of "Mars": words of
// more than five letters, grouped; a group's size is the count.
//
// A thread of the map kernels has two kilobytes of text of its own and steps through them by bytes,
// twice, and ends each word with a zero. Keys are the words, of different lengths at odd places, so
// that the copy kernel's lanes leave its loop at different times; the sort compares words in memory.
#include "../suite.h"

struct wc_key {
  unsigned long long file; // added to the text's address
};
struct wc_value {
  int offset, bytes;
};

__device__ static inline int wc_compare(const char *p, const char *q, const char *) {
  LOOP
  for (; *p != '\0' && *q != '\0' && *p == *q; p++, q++)
    ;
  if (*p > *q) return 1;
  if (*p < *q) return -1;
  return 0;
}
#define MARS_COMPARE(a, b, text) wc_compare(a, b, text)
#define MARS_UNEVEN
#include "../mars-pvc/mars.h"

// Calls found(word, bytes with its end) for every word of a text of n bytes, which ends with a zero.
template <class F> __device__ static inline void wc_words(char *p, int n, F found) {
  char *word = p;
  int i = 0;
  LOOP
  while (true) {
    LOOP
    for (; *p >= 'A' && *p <= 'Z'; p++)
      i++;
    *p = '\0';
    p++;
    i++;
    found(word, (int)(p - word));
    LOOP
    for (; i < n && (*p < 'A' || *p > 'Z'); p++)
      i++;
    asm("" : "+r"(i)); // or else the loop above would be left in two ways, and lanes not meet here
    if (i >= n) break;
    word = p;
  }
}

__device__ static inline void mars_count_record(char *key, char *val, char *text, mars_sizes s) {
  const wc_value *v = (const wc_value *)val;
  wc_words(text + ((const wc_key *)key)->file + v->offset, v->bytes, [&](char *, int bytes) {
    if (bytes > 6) mars_emit_count(s, bytes, sizeof(int));
  });
}

__device__ static inline void mars_map_record(char *key, char *val, char *text, mars_output o) {
  extern __shared__ int results[]; // five words for each thread
  int *result = results + threadIdx.x * 5;
  const wc_value *v = (const wc_value *)val;
  wc_words(text + ((const wc_key *)key)->file + v->offset, v->bytes, [&](char *word, int bytes) {
    *result = bytes;
    if (bytes > 6) mars_emit(o, word, (const char *)result, bytes, sizeof(int));
  });
}
