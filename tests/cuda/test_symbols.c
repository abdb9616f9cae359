/* The stand-ins for libcudart export what their table says, under the versions that programs ask
 * for; that for libcuda what its own says, without versions. Arguments: the file of names that CUDA
 * programs were seen to import, then the libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cuda/symbols.h"

static char **arguments;

static const struct weir_cuda_symbol *find(const char *name) {
  const struct weir_cuda_symbol *s =
      strncmp(name, "cu", 2) == 0 && name[2] != 'd' ? weir_cuda_driver_symbols : weir_cuda_symbols;
  while (s->name != NULL && strcmp(s->name, name) != 0)
    s++;
  return s->name != NULL ? s : NULL;
}

static void table_is_sorted(void **state) {
  (void)state;
  for (const struct weir_cuda_symbol *s = weir_cuda_symbols; s[1].name != NULL; s++)
    assert_true(strcmp(s->name, s[1].name) < 0);
  for (const struct weir_cuda_symbol *s = weir_cuda_driver_symbols; s[1].name != NULL; s++)
    assert_true(strcmp(s->name, s[1].name) < 0);
}

/* All that programs were seen to import is there, and works. */
static void names_of_programs(void **state) {
  (void)state;
  FILE *f = fopen(arguments[1], "r");
  assert_non_null(f);
  char name[128];
  unsigned n = 0;
  while (fscanf(f, "%127s", name) == 1) {
    const struct weir_cuda_symbol *s = find(name);
    if (s == NULL || s->state == WEIR_CUDA_REFUSED) fail_msg("%s is not implemented", name);
    n++;
  }
  fclose(f);
  assert_true(n > 100);
}

static void exported_with_version(void **state) {
  (void)state;
  for (char **path = arguments + 2; *path != NULL; path++) {
    const char *version = strstr(*path, "libcudart.so.");
    if (version == NULL) continue;
    void *lib = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) fail_msg("%s", dlerror());
    for (const struct weir_cuda_symbol *s = weir_cuda_symbols; s->name != NULL; s++)
      if (dlvsym(lib, s->name, version) == NULL) fail_msg("%s has no %s", *path, s->name);
    /* Nothing of weir's own shows. */
    assert_null(dlvsym(lib, "cudart_return", version));
    dlclose(lib);
  }
}

static void exported_by_libcuda(void **state) {
  (void)state;
  unsigned n = 0;
  for (char **path = arguments + 2; *path != NULL; path++) {
    if (strstr(*path, "libcuda.so.1") == NULL) continue;
    void *lib = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) fail_msg("%s", dlerror());
    for (const struct weir_cuda_symbol *s = weir_cuda_driver_symbols; s->name != NULL; s++)
      if (dlsym(lib, s->name) == NULL) fail_msg("%s has no %s", *path, s->name);
    assert_null(dlsym(lib, "cudart_return"));
    assert_null(dlsym(lib, "cudaStreamQuery"));
    dlclose(lib);
    n++;
  }
  assert_int_equal(n, 1);
}

/* What an entry said on stderr when it was called twice, in `text`; its first answer. */
static int call_twice(int (*entry)(void *, void *), char *text, size_t len) {
  uint64_t zeros[8] = {0};
  FILE *f = tmpfile();
  assert_non_null(f);
  fflush(stderr);
  int before = dup(STDERR_FILENO);
  dup2(fileno(f), STDERR_FILENO);
  int answer = entry(zeros, zeros);
  entry(zeros, zeros);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  rewind(f);
  text[fread(text, 1, len - 1, f)] = '\0';
  fclose(f);
  return answer;
}

/* Entries that are not there say so, by name and once, and what to do. */
static void refused_by_name(void **state) {
  (void)state;
  enum { NOT_SUPPORTED = 801 };
  unsigned n = 0;
  for (char **path = arguments + 2; *path != NULL; path++) {
    bool is_driver = strstr(*path, "libcuda.so.1") != NULL;
    if (!is_driver && strstr(*path, "libcudart.so.13") == NULL) continue;
    void *lib = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) fail_msg("%s", dlerror());
    const struct weir_cuda_symbol *s = is_driver ? weir_cuda_driver_symbols : weir_cuda_symbols;
    for (; s->name != NULL; s++) {
      char text[1024], start[160];
      int (*entry)(void *, void *);
      if (s->state != WEIR_CUDA_REFUSED) continue;
      *(void **)&entry = dlsym(lib, s->name);
      if (strcmp(s->name, "cuGetExportTable") == 0) /* has no names to tell */
        snprintf(start, sizeof start, "weir: the program asks the driver for functions that have");
      else
        snprintf(start, sizeof start, "weir: %s is not supported", s->name);
      if (call_twice(entry, text, sizeof text) != NOT_SUPPORTED || strstr(text, start) != text ||
          strstr(text + 1, start) != NULL || strstr(text, "remedy:") == NULL)
        fail_msg("%s says '%s'", s->name, text);
      n++;
    }
    dlclose(lib);
  }
  assert_true(n > 200);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  arguments = argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_sorted),       cmocka_unit_test(names_of_programs),
      cmocka_unit_test(exported_with_version), cmocka_unit_test(exported_by_libcuda),
      cmocka_unit_test(refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
