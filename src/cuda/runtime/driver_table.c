/* What libcuda exports, as a table: entries that only say that they are not supported, and finding
 * an entry by name. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/driver.h"

/* Arguments are not looked at, so one form serves all. */
#define CU_WORKS(name, since)
#define CU_TOLD(name, since)
#define CU_REFUSED(name, since)                                                                    \
  CUDA_API(name, void) {                                                                           \
    return weir_gpu_unsupported(#name);                                                            \
  }
#include "cuda/runtime/driver.def"
#undef CU_WORKS
#undef CU_TOLD
#undef CU_REFUSED

/* Tables of functions without names: CUDA's own libraries use them, and the runtime that nvcc links
 * into a program by default. */
CUDA_API(cuGetExportTable, const void **out, const void *id) {
  static bool is_told;
  (void)id;
  if (out != NULL) *out = NULL;
  weir_gpu_enter_always();
  if (!is_told)
    weir_gpu_say(
        "the program asks the driver for functions that have no names: it has a CUDA runtime "
        "linked "
        "into it that was not redirected (it is stripped, or libweir_static.so is not preloaded), "
        "or it uses a library of CUDA's (cuBLAS ...)\n"
        "  remedy: link it with nvcc -cudart shared, without such libraries");
  is_told = true;
  return weir_gpu_leave(WEIR_E_NotSupported);
}

static const struct entry {
  const char *name;
  int since; /* the version of CUDA that its arguments are of */
} entries[] = {
#define CU_WORKS(name, since)   {#name, since},
#define CU_TOLD(name, since)    {#name, since},
#define CU_REFUSED(name, since) {#name, since},
#include "cuda/runtime/driver.def"
#undef CU_WORKS
#undef CU_TOLD
#undef CU_REFUSED
};
enum { N_ENTRIES = sizeof entries / sizeof entries[0] };

static bool is_digits(const char *s) {
  size_t n = strspn(s, "0123456789");
  return n > 0 && s[n] == 0;
}

/* Is `name` the function `base`, or a later version of it: cuMemAlloc_v2 of cuMemAlloc? */
static bool is_version_of(const char *name, const char *base) {
  size_t n = strlen(base);
  if (strncmp(name, base, n) != 0) return false;
  return name[n] == 0 || (strncmp(name + n, "_v", 2) == 0 && is_digits(name + n + 2));
}

static const char *newest(const char *base, int version, bool *is_known) {
  const struct entry *best = NULL;
  *is_known = false;
  for (size_t i = 0; i < N_ENTRIES; i++) {
    if (!is_version_of(entries[i].name, base)) continue;
    *is_known = true;
    if (entries[i].since <= version && (best == NULL || entries[i].since >= best->since))
      best = &entries[i];
  }
  return best != NULL ? best->name : NULL;
}

static void *address_of(const char *name) {
  Dl_info self;
  if (dladdr((void *)(uintptr_t)address_of, &self) == 0) return NULL;
  void *lib = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (lib == NULL) return NULL;
  void *at = dlsym(lib, name);
  dlclose(lib);
  return at;
}

/* The variant for the thread's own default stream, if there is one. */
static void *per_thread(const char *name) {
  static const char *const suffixes[] = {"_ptsz", "_ptds"};
  char full[128];
  for (int i = 0; i < 2; i++) {
    snprintf(full, sizeof full, "%s%s", name, suffixes[i]);
    void *at = address_of(full);
    if (at != NULL) return at;
  }
  return NULL;
}

enum { FOUND, NO_SUCH_NAME, TOO_OLD }; /* CUdriverProcAddressQueryResult */
enum { PER_THREAD = 2 };

static int find(const char *base, void **out, int version, uint64_t flags, int *status) {
  bool is_known;
  if (base == NULL || out == NULL) return WEIR_E_InvalidValue;
  *out = NULL;
  const char *name = newest(base, version, &is_known);
  *status = name != NULL ? FOUND : is_known ? TOO_OLD : NO_SUCH_NAME;
  if (name == NULL) return WEIR_E_SymbolNotFound;
  if ((flags & PER_THREAD) != 0) *out = per_thread(name);
  if (*out == NULL) *out = address_of(name);
  return *out != NULL ? 0 : WEIR_E_SymbolNotFound;
}

CUDA_API(cuGetProcAddress, const char *name, void **out, int version, uint64_t flags) {
  int status;
  return find(name, out, version, flags, &status);
}

/* A name that is not there is no error here. */
CUDA_API(cuGetProcAddress_v2, const char *name, void **out, int version, uint64_t flags,
         int *status) {
  int found = NO_SUCH_NAME;
  int error = find(name, out, version, flags, &found);
  if (status != NULL) *status = found;
  return error == WEIR_E_SymbolNotFound ? 0 : error;
}
