/* What the programs of the driver API share. */
#ifndef PROGRAMS_DRIVER_H
#define PROGRAMS_DRIVER_H
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

static inline const char *name_of(CUresult status) {
  const char *name = "no name";
  cuGetErrorName(status, &name);
  return name;
}

#define DRIVER_OK(call)                                                                            \
  do {                                                                                             \
    CUresult driver_status_ = (call);                                                              \
    if (driver_status_ != CUDA_SUCCESS) {                                                          \
      printf("%s: %s\n", #call, name_of(driver_status_));                                          \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#endif
