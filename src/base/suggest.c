/* Edit distance with neighbour swaps (optimal string alignment), in half steps so that a difference
 * of case costs less than another letter. */
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

enum { WORD_MAX = 64, STEP = 2 };

static unsigned min3(unsigned a, unsigned b, unsigned c) {
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

static unsigned replace_cost(char a, char b) {
  if (a == b) return 0;
  return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : STEP;
}

static unsigned distance(const char *a, size_t na, const char *b, size_t nb) {
  unsigned rows[3][WORD_MAX + 1];
  unsigned *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= nb; j++)
    above[j] = (unsigned)j * STEP;
  for (size_t i = 1; i <= na; i++) {
    row[0] = (unsigned)i * STEP;
    for (size_t j = 1; j <= nb; j++) {
      row[j] =
          min3(above[j] + STEP, row[j - 1] + STEP, above[j - 1] + replace_cost(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        unsigned swap = before[j - 2] + STEP;
        if (swap < row[j]) row[j] = swap;
      }
    }
    unsigned *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[nb];
}

const char *weir_nearest(const char *word, const char *const *names, size_t n) {
  size_t len = strlen(word);
  if (len == 0 || len > WORD_MAX) return NULL;
  const char *best = NULL;
  unsigned least = 0;
  for (size_t i = 0; i < n; i++) {
    size_t name_len = strlen(names[i]);
    if (name_len == 0 || name_len > WORD_MAX) continue;
    unsigned d = distance(word, len, names[i], name_len);
    /* One slip in three letters is a slip; more is another word. */
    size_t longer = len > name_len ? len : name_len;
    if (d > STEP * (longer + 2) / 3 || (longer <= 2 && d > 1)) continue;
    if (!best || d < least) {
      best = names[i];
      least = d;
    }
  }
  return best;
}
