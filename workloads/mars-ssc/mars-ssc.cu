// Similarity score of every pair of documents, the cosine of their feature vectors, sorted from the
// most alike: a MapReduce without reduction, after the program of that name of "Mars".
//
// The map kernel has a pair per thread: the first document is the same for most of a warp, the
// second another row for each lane, read by 16 bytes, so that a line serves eight steps of its lane
// if it stays. A step of the sort streams the index and compares scores at places all over the keys;
// the copy kernel fetches keys of four bytes and values of eight from there, byte by byte.
#include "../suite.h"

struct ssc_key {
  unsigned long long matrix; // added to the matrix' address
};
struct ssc_value {
  float result;
  int first, second, features;
};

// From the highest; hardly different ones are equal.
__device__ static inline int ssc_compare(const char *first, const char *second, const char *) {
  float a = *(const float *)first, b = *(const float *)second;
  if (fabsf(a - b) < 1e-7f) return 0;
  if (a < b) return 1;
  return -1;
}
#define MARS_COMPARE(a, b, text) ssc_compare(a, b, text)
#include "../mars-pvc/mars.h"

__device__ static inline void mars_count_record(char *, char *, char *, mars_sizes s) {
  mars_emit_count(s, sizeof(float), sizeof(int2));
}

__device__ static inline void mars_map_record(char *key, char *val, char *text, mars_output o) {
  extern __shared__ int results[]; // five words for each thread
  const float *matrix = (const float *)(text + ((const ssc_key *)key)->matrix);
  const ssc_value *v = (const ssc_value *)val;
  int first = v->first, second = v->second, features = v->features;
  const float4 *p = (const float4 *)(matrix + first * features);
  const float4 *q = (const float4 *)(matrix + second * features);
  float dot = 0, square_p = 0, square_q = 0; // small integers: exact in any order
  LOOP
  for (int i = 0; i < features / 4; i++) {
    float4 a = p[i], b = q[i];
    dot += fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x)));
    square_p += fmaf(a.w, a.w, fmaf(a.z, a.z, fmaf(a.y, a.y, a.x * a.x)));
    square_q += fmaf(b.w, b.w, fmaf(b.z, b.z, fmaf(b.y, b.y, b.x * b.x)));
  }
  const float *rest_p = (const float *)(p + features / 4), *rest_q = (const float *)(q + features / 4);
  LOOP
  for (int i = 0; i < (features & 3); i++) {
    float a = rest_p[i], b = rest_q[i];
    dot = fmaf(a, b, dot);
    square_p = fmaf(a, a, square_p);
    square_q = fmaf(b, b, square_q);
  }
  int *result = results + threadIdx.x * 5;
  *(float *)result = __fdiv_rn(dot, __fsqrt_rn(square_p) * __fsqrt_rn(square_q));
  result[1] = first;
  result[2] = second;
  mars_emit(o, (const char *)result, (const char *)(result + 1), sizeof(float), sizeof(int2));
}
