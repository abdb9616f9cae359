#include "cuda/runtime/error.h"

#include <stddef.h>

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
#define CUDA_ERROR(name, number, text) {number, #name, text},
#include "cuda/runtime/errors.def"
#undef CUDA_ERROR
};
enum { N_ERRORS = sizeof errors / sizeof errors[0] };

const char *weir_gpu_error_name(int code) {
  for (size_t i = 0; i < N_ERRORS; i++)
    if (errors[i].code == code) return errors[i].name;
  return NULL;
}

const char *weir_gpu_error_text(int code) {
  for (size_t i = 0; i < N_ERRORS; i++)
    if (errors[i].code == code) return errors[i].text;
  return NULL;
}
