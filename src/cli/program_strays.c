/* Accesses of a program that missed their allocations: collected by instruction, and told. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/program.h"

enum { MOST_SHOWN = 20 };

static const size_t texts[WEIR_STRAY_TEXTS] = {
    offsetof(struct weir_stray, kernel),   offsetof(struct weir_stray, access),
    offsetof(struct weir_stray, near),     offsetof(struct weir_stray, instruction),
    offsetof(struct weir_stray, position), offsetof(struct weir_stray, source)};

static const char **text_of(struct weir_stray *s, unsigned i) {
  return (const char **)(void *)((char *)s + texts[i]);
}

static void free_stray(struct weir_program_stray *x) {
  for (unsigned i = 0; i < WEIR_STRAY_TEXTS; i++)
    free((char *)*text_of(&x->s, i));
  free(x->program);
}

static bool copy_stray(struct weir_program_stray *x, const struct weir_stray *s) {
  bool ok = x->program != NULL;
  x->s = *s;
  for (unsigned i = 0; i < WEIR_STRAY_TEXTS; i++) {
    *text_of(&x->s, i) = weir_strdup(*text_of(&x->s, i));
    ok &= *text_of(&x->s, i) != NULL;
  }
  return ok;
}

bool weir_program_add_stray(struct weir_program_result *r, const void *session, const char *program,
                            const struct weir_stray *s) {
  for (size_t i = 0; i < r->strays.n; i++) {
    struct weir_program_stray *x = &r->strays.v[i];
    if (x->session != session || x->s.pc != s->pc || x->s.is_other != s->is_other ||
        strcmp(x->s.kernel, s->kernel) != 0)
      continue;
    x->s.count += s->count;
    return true;
  }
  struct weir_program_stray x = {.session = session, .program = weir_strdup(program)};
  if (copy_stray(&x, s) && WEIR_PUSH(r->strays, x)) return true;
  free_stray(&x);
  return false;
}

void weir_program_result_free(struct weir_program_result *r) {
  for (size_t i = 0; i < r->strays.n; i++)
    free_stray(&r->strays.v[i]);
  free(r->strays.v);
  r->strays.v = NULL;
  r->strays.n = r->strays.cap = 0;
}

/* A store that damages what is another allocation's is told in any case. */
static bool is_to_show(const struct weir_stray *s, bool is_quiet) {
  return !is_quiet || (s->is_other && strncmp(s->access, "load", 4) != 0);
}

/* In an order that does not depend on which of several processes was faster. */
static int by_place(const void *a, const void *b) {
  const struct weir_program_stray *x = a, *y = b;
  int names = strcmp(x->program, y->program), kernels = strcmp(x->s.kernel, y->s.kernel);
  if (names != 0 || kernels != 0) return names != 0 ? names : kernels;
  if (x->s.pc != y->s.pc) return x->s.pc < y->s.pc ? -1 : 1;
  if (x->s.is_other != y->s.is_other) return x->s.is_other ? 1 : -1;
  return (x->s.address > y->s.address) - (x->s.address < y->s.address);
}

void weir_program_print_strays(struct weir_program_result *r, bool is_quiet) {
  struct weir_text out = {0};
  uint64_t count = 0, n = 0;
  char text[32];
  if (r->strays.n > 1) qsort(r->strays.v, r->strays.n, sizeof *r->strays.v, by_place);
  for (size_t i = 0; i < r->strays.n; i++) {
    const struct weir_program_stray *x = &r->strays.v[i];
    if (!is_to_show(&x->s, is_quiet)) continue;
    count += x->s.count;
    if (++n > MOST_SHOWN) continue;
    weir_stray_text(&x->s, x->program, &out);
  }
  if (n == 0) return;
  fprintf(stderr,
          "weir: %s access%s of %" PRIu64 " instruction%s missed %s allocation; a GPU does not "
          "notice, and the program went on\n%s",
          weir_text_thousands(count, text), count == 1 ? "" : "es", n, n == 1 ? "" : "s",
          count == 1 ? "its" : "their", out.v != NULL ? out.v : "");
  if (n > MOST_SHOWN) fprintf(stderr, "  and %" PRIu64 " more: --json lists all\n", n - MOST_SHOWN);
  fputs("  remedy: --memcheck ends a kernel with its first such access\n", stderr);
  weir_text_free(&out);
}
