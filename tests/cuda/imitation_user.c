/* Opens the library that is named, uses it, closes it, three times: it is redirected each time. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 0; argc > 1 && i < 3; i++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*use)(void) = library ? (int (*)(void))dlsym(library, "imitation") : NULL;
    if (!use) {
      printf("%s\n", dlerror());
      return 1;
    }
    if (use()) return 1;
    dlclose(library);
  }
  return argc < 2;
}
