/* Changes to PTX text that a fuzzer of bytes seldom finds: whole lines are copied, moved and
 * deleted, and a word is replaced by one of its kind. Half of the changes stay the fuzzer's own.
 * Only the fuzzers link this; replaying needs no mutator. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "ptx/ir.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct span {
  size_t at, n;
};

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static size_t pick(uint32_t *state, size_t n) {
  return n > 0 ? next_random(state) % n : 0;
}

/* The line around a random byte, with its newline. */
static struct span random_line(const uint8_t *p, size_t n, uint32_t *state) {
  size_t at = pick(state, n), end = at;
  while (at > 0 && p[at - 1] != '\n')
    at--;
  while (end < n && p[end] != '\n')
    end++;
  if (end < n) end++;
  return (struct span){at, end - at};
}

static bool is_word(uint8_t c) {
  return isalnum(c) || c == '_' || c == '$' || c == '%' || c == ':';
}

/* A word near a random byte, with a dot in front of it if there is one. */
static struct span random_word(const uint8_t *p, size_t n, uint32_t *state) {
  size_t at = pick(state, n);
  while (at < n && !is_word(p[at]))
    at++;
  while (at > 0 && is_word(p[at - 1]))
    at--;
  size_t end = at;
  while (end < n && is_word(p[end]))
    end++;
  if (at > 0 && p[at - 1] == '.') at--;
  return (struct span){at, end - at};
}

/* Replaces `hole` by `text`; nothing happens when it does not fit. */
static size_t splice(uint8_t *p, size_t n, size_t max, struct span hole, const uint8_t *text,
                     size_t len) {
  if (n - hole.n + len > max) return n;
  memmove(p + hole.at + len, p + hole.at + hole.n, n - hole.at - hole.n);
  if (len > 0) memcpy(p + hole.at, text, len);
  return n - hole.n + len;
}

static size_t copy_line(uint8_t *p, size_t n, size_t max, uint32_t *state) {
  uint8_t copy[512];
  struct span from = random_line(p, n, state), to = random_line(p, n, state);
  if (from.n > sizeof copy) return n;
  memcpy(copy, p + from.at, from.n);
  if (next_random(state) % 2) to.n = 0;
  return splice(p, n, max, to, copy, from.n);
}

/* What may stand in for `word`: a row of a table if it has such a kind, or a number. */
static void stand_in(const uint8_t *word, size_t n, uint32_t *state, char *out, size_t len) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "31",
                                        "32",
                                        "64",
                                        "255",
                                        "4096",
                                        "65536",
                                        "0x7fffffff",
                                        "0x80000000",
                                        "4294967295",
                                        "4294967296",
                                        "0x7fffffffffffffff",
                                        "0x8000000000000000",
                                        "18446744073709551615",
                                        "0f7f800000",
                                        "0fffc00000",
                                        "0f00000001",
                                        "0d7ff0000000000001",
                                        "1.5e300"};
  if (word[0] == '.')
    snprintf(out, len, ".%s", ptx_mod_name((enum ptx_mod)(1 + pick(state, PTX_N_MODS - 1))));
  else if (word[0] == '%')
    snprintf(out, len, "%s", ptx_sreg_name((enum ptx_sreg)pick(state, PTX_N_SREGS)));
  else if (isdigit(word[0]))
    snprintf(out, len, "%s", numbers[pick(state, sizeof numbers / sizeof *numbers)]);
  else if (n > 0 && islower(word[0]))
    snprintf(out, len, "%s", ptx_op_name((enum ptx_op)pick(state, PTX_N_OPS)));
  else
    out[0] = 0;
}

/* By a word of the same text that starts alike, or by a row of the tables. */
static size_t replace_word(uint8_t *p, size_t n, size_t max, uint32_t *state) {
  char text[128];
  struct span hole = random_word(p, n, state);
  if (hole.n == 0) return n;
  if (next_random(state) % 4 == 0) {
    stand_in(p + hole.at, hole.n, state, text, sizeof text);
    return splice(p, n, max, hole, (const uint8_t *)text, strlen(text));
  }
  for (int i = 0; i < 32; i++) {
    struct span from = random_word(p, n, state);
    if (from.n == 0 || from.n > sizeof text) continue;
    uint8_t a = p[from.at], b = p[hole.at];
    if (a != b && !(isalpha(a) && isalpha(b)) && !(isdigit(a) && isdigit(b))) continue;
    memcpy(text, p + from.at, from.n);
    return splice(p, n, max, hole, (const uint8_t *)text, from.n);
  }
  return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  uint32_t state = seed;
  if (size < 8 || next_random(&state) % 2) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t changes = 1 + pick(&state, 3); changes > 0 && size > 0; changes--) {
    uint32_t kind = next_random(&state) % 8;
    if (kind < 4)
      size = replace_word(data, size, max_size, &state);
    else if (kind < 7)
      size = copy_line(data, size, max_size, &state);
    else
      size = splice(data, size, max_size, random_line(data, size, &state), NULL, 0);
  }
  return size > 0 ? size : LLVMFuzzerMutate(data, size, max_size);
}
