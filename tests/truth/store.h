/* The files of stored results. */
#ifndef WEIR_TESTS_TRUTH_STORE_H
#define WEIR_TESTS_TRUTH_STORE_H

#include "truth.h"

/* data/refused.txt as text, NULL if there is none. The folder is TRUTH_DATA, or $TRUTH_DATA if set.
 */
char *store_refused(void);
const char *store_dir(void);

/* One record of a family's file: name length and name, cases, results, a byte each for their sizes,
 * the hash of the operands, then the packed results. All numbers little-endian. */
void store_write(FILE *f, const struct truth_variant *v, const uint8_t *packed);

struct store_record {
  char name[128];
  uint32_t n_cases;
  uint8_t n_out, bytes[TRUTH_OUT];
  uint64_t input_hash;
  const uint8_t *packed;
};
/* Next record of `len` bytes at `data` from *at; false at the end or when the file is damaged (*at
 * is then not len). */
bool store_next(const uint8_t *data, size_t len, size_t *at, struct store_record *r);

/* All records of data/FAMILY.bin.zst. False when a file is missing or damaged (said on stderr). */
struct store {
  uint8_t *text[TF_N];
  struct store_record *v; /* sorted by name */
  size_t n;
};
bool store_open(struct store *s);
const struct store_record *store_find(const struct store *s, const char *name);
void store_close(struct store *s);

#endif
