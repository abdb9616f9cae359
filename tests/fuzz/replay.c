/* Runs a fuzz target over files, without a fuzzer: every argument is a file or a folder of files.
 * Ends with the number of inputs; a finding ends it earlier. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "fuzz.h"

enum { MAX_INPUT_BYTES = 1 << 24 };

static unsigned n_inputs;

static int run_file(const char *path) {
  struct weir_err err;
  char *text;
  size_t n;
  if (weir_file_read(path, MAX_INPUT_BYTES, NULL, &text, &n, &err) != WEIR_OK) {
    fprintf(stderr, "%s\n", err.msg);
    return 1;
  }
  /* Without the NUL that weir_file_read adds, so that reading one byte too far is found. */
  uint8_t *exact = malloc(n > 0 ? n : 1);
  if (exact == NULL) {
    free(text);
    return 1;
  }
  memcpy(exact, text, n);
  free(text);
  LLVMFuzzerTestOneInput(exact, n);
  free(exact);
  n_inputs++;
  return 0;
}

static int run_folder(const char *path, DIR *dir) {
  char name[4096];
  int failed = 0;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    failed |= run_file(name);
  }
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    DIR *dir = opendir(argv[i]);
    if (dir != NULL) {
      failed |= run_folder(argv[i], dir);
      closedir(dir);
    } else if (errno == ENOTDIR) {
      failed |= run_file(argv[i]);
    } else {
      perror(argv[i]);
      failed = 1;
    }
  }
  printf("%u inputs\n", n_inputs);
  return failed || n_inputs == 0;
}
