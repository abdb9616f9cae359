/* truth_gen: writes the kernels as PTX modules, or lists the variants.
 *
 *   truth_gen --ptx FOLDER [--all]   modules m000.ptx ...; --all: those of data/refused.txt, too
 *   truth_gen --list                 a line per variant: name, cases, results, status */
#include <stdlib.h>
#include <string.h>

#include "store.h"

static const char *const status_names[] = {"truth", "no-result", "refused", "not-run"};

static int write_modules(const struct truth_set *s, const char *dir) {
  unsigned n = 0;
  for (size_t from = 0; from < s->n; n++) {
    size_t to = truth_module(s, &from);
    if (from >= s->n) break;
    char path[4096];
    snprintf(path, sizeof path, "%s/m%03u.ptx", dir, n);
    char *text = truth_module_text(s, from, to);
    FILE *f = fopen(path, "w");
    if (!text || !f || fputs(text, f) < 0 || fclose(f) != 0) {
      perror(path);
      return 1;
    }
    free(text);
    from = to;
  }
  return 0;
}

static int list(const struct truth_set *s) {
  size_t cases = 0;
  for (size_t i = 0; i < s->n; i++) {
    const struct truth_variant *v = &s->v[i];
    printf("%zu\t%s\t%u\t%u\t%s\n", i, v->name, v->n_cases, v->n_out, status_names[v->status]);
    if (v->status == TS_TRUTH) cases += v->n_cases;
  }
  printf("# %zu variants, %zu cases\n", s->n, cases);
  return 0;
}

int main(int argc, char **argv) {
  struct truth_set s;
  char *refused = argc > 1 && strcmp(argv[argc - 1], "--all") ? store_refused() : NULL;
  if (!truth_build(&s, refused)) return 1;
  int rc = 2;
  if (argc >= 3 && !strcmp(argv[1], "--ptx"))
    rc = write_modules(&s, argv[2]);
  else if (argc >= 2 && !strcmp(argv[1], "--list"))
    rc = list(&s);
  else
    fprintf(stderr, "usage: truth_gen --ptx FOLDER [--all] | --list [--all]\n");
  truth_free(&s);
  free(refused);
  return rc;
}
