/* The part of the Itanium C++ ABI's grammar that names of kernels use:
 *
 *   _Z name parameters...
 *
 *   name      N qualifiers part... E
 *             part
 *   part      number letters, with L before an internal name
 *             St
 *             I argument... E, after another part
 *   argument  type
 *             L type value E
 *             J argument... E
 *   type      a letter
 *             qualifiers type
 *             name
 *
 * S_, S0_, S1_ ... stand for what came before: each name, each beginning of a nested one, each type
 * that is no letter, in the order in which they end. */
#include "base/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_KNOWN = 64 };

struct reader {
  const char *p;
  char *out;
  size_t n, cap;
  unsigned depth;
  bool is_cut, is_bad;
  struct {
    size_t at, n;
  } known[MAX_KNOWN]; /* places in `out` that S_ and the like stand for */
  size_t n_known;
};

static void put(struct reader *r, const char *text, size_t n) {
  size_t room = r->cap - 1 - r->n;
  if (n > room) {
    r->is_cut = true;
    n = room;
  }
  memcpy(r->out + r->n, text, n);
  r->n += n;
}

static void puts_to(struct reader *r, const char *text) {
  put(r, text, strlen(text));
}

/* What was put since `at` may be meant again. */
static void know(struct reader *r, size_t at) {
  if (r->n_known == MAX_KNOWN || r->is_bad) return;
  r->known[r->n_known].at = at;
  r->known[r->n_known++].n = r->n - at;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static void bad(struct reader *r) {
  r->is_bad = true;
}

static bool take(struct reader *r, char c) {
  if (*r->p != c) return false;
  r->p++;
  return true;
}

/* number letters */
static void source_name(struct reader *r) {
  size_t n = 0;
  while (is_digit(*r->p) && n < 100000)
    n = n * 10 + (size_t)(*r->p++ - '0');
  if (!n || strnlen(r->p, n) < n) {
    bad(r);
    return;
  }
  static const char anonymous[] = "_GLOBAL__N_";
  if (n >= sizeof anonymous - 1 && !memcmp(r->p, anonymous, sizeof anonymous - 1))
    puts_to(r, "(anonymous)");
  else
    put(r, r->p, n);
  r->p += n;
}

static void arguments(struct reader *r);
static void type(struct reader *r);

/* S_ is the first, S0_ the second; digits go on with letters. */
static void substitution(struct reader *r) {
  size_t i = 0;
  r->p++;
  if (take(r, 't')) {
    puts_to(r, "std");
    return;
  }
  if (*r->p >= 'a' && *r->p <= 'z') { /* something of std that has a letter of its own */
    r->p++;
    puts_to(r, "std::...");
    return;
  }
  bool is_first = *r->p == '_';
  for (; (is_digit(*r->p) || (*r->p >= 'A' && *r->p <= 'Z')) && i < MAX_KNOWN; r->p++)
    i = i * 36 + (size_t)(is_digit(*r->p) ? *r->p - '0' : *r->p - 'A' + 10);
  if (!is_first) i++;
  if (!take(r, '_'))
    bad(r);
  else if (i < r->n_known)
    put(r, r->out + r->known[i].at, r->known[i].n);
  else
    puts_to(r, "...");
}

static void part(struct reader *r) {
  take(r, 'L');
  if (is_digit(*r->p))
    source_name(r);
  else
    bad(r);
}

static void nested(struct reader *r, bool is_type) {
  size_t at = r->n;
  while (strchr("rVKRO", *r->p) && *r->p)
    r->p++;
  for (bool is_first = true; !r->is_bad && *r->p != 'E'; is_first = false) {
    bool is_new = *r->p != 'S';
    if (!is_first && *r->p == 'I') {
      arguments(r);
    } else {
      if (!is_first) puts_to(r, "::");
      if (is_new)
        part(r);
      else
        substitution(r);
    }
    if (is_new && (is_type || *r->p != 'E')) know(r, at);
  }
  if (!take(r, 'E')) bad(r);
}

static void name(struct reader *r, bool is_type) {
  size_t at = r->n;
  if (++r->depth > MAX_DEPTH) {
    bad(r);
  } else if (take(r, 'N')) {
    nested(r, is_type);
  } else {
    if (r->p[0] == 'S' && r->p[1] == 't') {
      r->p += 2;
      puts_to(r, "std::");
    }
    part(r);
    bool is_template = !r->is_bad && *r->p == 'I';
    if (is_type || is_template) know(r, at);
    if (is_template) {
      arguments(r);
      if (is_type) know(r, at);
    }
  }
  r->depth--;
}

static const char *builtin(char c) {
  switch (c) {
#define TYPE(letter, text)                                                                         \
  case letter:                                                                                     \
    return text;
    TYPE('v', "void")
    TYPE('b', "bool")
    TYPE('c', "char")
    TYPE('a', "signed char")
    TYPE('h', "unsigned char")
    TYPE('w', "wchar_t")
    TYPE('s', "short")
    TYPE('t', "unsigned short")
    TYPE('i', "int")
    TYPE('j', "unsigned")
    TYPE('l', "long")
    TYPE('m', "unsigned long")
    TYPE('x', "long long")
    TYPE('y', "unsigned long long")
    TYPE('f', "float")
    TYPE('d', "double")
#undef TYPE
  default:
    return NULL;
  }
}

/* Pointers, references and qualifiers follow what they belong to. */
static void qualified(struct reader *r, const char *suffix) {
  size_t at = r->n;
  r->p++;
  type(r);
  puts_to(r, suffix);
  know(r, at);
}

static void type(struct reader *r) {
  const char *text = builtin(*r->p);
  if (r->is_bad || ++r->depth > MAX_DEPTH) {
    bad(r);
    return;
  }
  if (text) {
    r->p++;
    puts_to(r, text);
  } else if (*r->p == 'P') {
    qualified(r, "*");
  } else if (*r->p == 'R') {
    qualified(r, "&");
  } else if (*r->p == 'K') {
    qualified(r, " const");
  } else if (*r->p == 'V') {
    qualified(r, " volatile");
  } else if (*r->p == 'S' && r->p[1] != 't') {
    size_t at = r->n;
    substitution(r);
    if (*r->p == 'I') {
      arguments(r);
      know(r, at);
    }
  } else {
    name(r, true);
  }
  r->depth--;
}

/* L type value E. Of numbers the value says enough. */
static void literal(struct reader *r) {
  char kind = *r->p;
  if (builtin(kind)) {
    r->p++;
  } else {
    puts_to(r, "(");
    type(r);
    puts_to(r, ")");
  }
  if (take(r, 'n')) puts_to(r, "-");
  size_t n = strspn(r->p, "0123456789");
  if (!n || r->p[n] != 'E')
    bad(r);
  else if (kind == 'b')
    puts_to(r, *r->p == '0' ? "false" : "true");
  else
    put(r, r->p, n);
  r->p += n + !r->is_bad;
}

/* Up to the E. */
static void list(struct reader *r, bool *is_first) {
  if (++r->depth > MAX_DEPTH) bad(r);
  while (!r->is_bad && !take(r, 'E')) {
    if (take(r, 'J')) {
      list(r, is_first);
      continue;
    }
    if (!*is_first) puts_to(r, ", ");
    *is_first = false;
    if (take(r, 'L'))
      literal(r);
    else
      type(r);
  }
  r->depth--;
}

static void arguments(struct reader *r) {
  bool is_first = true;
  if (++r->depth > MAX_DEPTH) bad(r);
  r->p++;
  puts_to(r, "<");
  list(r, &is_first);
  puts_to(r, ">");
  r->depth--;
}

const char *weir_demangle(const char *mangled, char *buf, size_t len) {
  struct reader r = {.p = mangled, .out = buf, .cap = len};
  if (!strncmp(mangled, "_Z", 2)) {
    r.p += 2;
    name(&r, false);
  } else {
    r.is_bad = true;
  }
  if (r.is_bad) {
    r.n = 0;
    r.is_cut = false;
    puts_to(&r, mangled);
  }
  buf[r.n] = 0;
  if (r.is_cut && len > 3) memcpy(buf + len - 4, "...", 4);
  return buf;
}
