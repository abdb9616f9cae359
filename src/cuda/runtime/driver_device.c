/* The start of libcuda, errors, and the device. */
#include "cuda/runtime/driver.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/attributes.h"

int cu_device(int device) {
  return device == 0 ? 0 : WEIR_E_InvalidDevice;
}

/* The newest CUDA that this stands in for. */
CUDA_API(cuDriverGetVersion, int *version) {
  enum { VERSION = 13000 };
  return cu_put(version, VERSION);
}

/* ---- errors ---- */

static const struct {
  int code;
  const char *name;
} names[] = {
#define CU_ERROR(name, number) {number, #name},
#include "cuda/runtime/driver_errors.def"
#undef CU_ERROR
};

static const char *name_of(int error) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].code == error) return names[i].name;
  return NULL;
}

CUDA_API(cuGetErrorName, int error, const char **out) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = name_of(error);
  return *out != NULL ? 0 : WEIR_E_InvalidValue;
}

CUDA_API(cuGetErrorString, int error, const char **out) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = name_of(error) != NULL ? weir_gpu_error_text(error) : NULL;
  return *out != NULL ? 0 : WEIR_E_InvalidValue;
}

/* ---- which device ---- */

CUDA_API(cuDeviceGetCount, int *count) {
  CU_CALL_ANY(cu_put(count, 1));
}

CUDA_API(cuDeviceGet, int *device, int ordinal) {
  CU_CALL_ANY(ordinal == 0 ? cu_put(device, 0) : WEIR_E_InvalidDevice);
}

static const char pci_id[] = "0000:01:00.0";

static int get_pci_id(char *id, int len, int device) {
  if (id == NULL || len < 1) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  snprintf(id, (size_t)len, "%s", pci_id);
  return 0;
}

CUDA_API(cuDeviceGetPCIBusId, char *id, int len, int device) {
  CU_CALL_ANY(get_pci_id(id, len, device));
}

static int by_pci_id(int *device, const char *id) {
  enum { DOMAIN_CHARS = 5 }; /* which a program may leave out */
  if (device == NULL || id == NULL) return WEIR_E_InvalidValue;
  if (strcmp(id, pci_id) != 0 && strcmp(id, pci_id + DOMAIN_CHARS) != 0)
    return WEIR_E_InvalidDevice;
  *device = 0;
  return 0;
}

CUDA_API(cuDeviceGetByPCIBusId, int *device, const char *id) {
  CU_CALL_ANY(by_pci_id(device, id));
}

/* ---- what it is like ---- */

static int get_name(char *name, int len, int device) {
  if (name == NULL || len < 1) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  snprintf(name, (size_t)len, "%s", weir_gpu.props.name);
  return 0;
}

CUDA_API(cuDeviceGetName, char *name, int len, int device) {
  CU_CALL_ANY(get_name(name, len, device));
}

static int get_attribute(int *value, int attribute, int device) {
  if (value == NULL) return WEIR_E_InvalidValue;
  return device == 0 ? weir_gpu_attribute(attribute, value) : WEIR_E_InvalidDevice;
}

CUDA_API(cuDeviceGetAttribute, int *value, int attribute, int device) {
  CU_CALL_ANY(get_attribute(value, attribute, device));
}

static int get_capability(int *major, int *minor, int device) {
  int error = get_attribute(major, WEIR_GPU_A_CAPABILITY_MAJOR, device);
  return error != 0 ? error : get_attribute(minor, WEIR_GPU_A_CAPABILITY_MINOR, device);
}

CUDA_API(cuDeviceComputeCapability, int *major, int *minor, int device) {
  CU_CALL_ANY(get_capability(major, minor, device));
}

static int get_total(size_t *bytes, int device) {
  if (bytes == NULL) return WEIR_E_InvalidValue;
  *bytes = weir_gpu.props.memory_bytes;
  return cu_device(device);
}

CUDA_API(cuDeviceTotalMem_v2, size_t *bytes, int device) {
  CU_CALL_ANY(get_total(bytes, device));
}

/* The one that cudaGetDeviceProperties gives. */
static int get_uuid(char uuid[16], int device) {
  if (uuid == NULL) return WEIR_E_InvalidValue;
  memcpy(uuid, "weir simulated 0", 16);
  return cu_device(device);
}

CUDA_API(cuDeviceGetUuid_v2, char *uuid, int device) {
  CU_CALL_ANY(get_uuid(uuid, device));
}
CUDA_OLD_NAME(cuDeviceGetUuid, cuDeviceGetUuid_v2);

struct properties {
  int threads_per_block, block[3], grid[3], shared_per_block, const_bytes, warp_size, pitch,
      registers_per_block, clock_khz, texture_align;
};

static int get_properties(struct properties *p, int device) {
  static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  int values[sizeof attributes / sizeof attributes[0]];
  if (p == NULL) return WEIR_E_InvalidValue;
  int error = cu_device(device);
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0] && error == 0; i++)
    error = weir_gpu_attribute(attributes[i], &values[i]);
  if (error == 0) memcpy(p, values, sizeof *p);
  return error;
}
_Static_assert(sizeof(struct properties) == 14 * sizeof(int), "one for each attribute");

CUDA_API(cuDeviceGetProperties, struct properties *p, int device) {
  CU_CALL_ANY(get_properties(p, device));
}

static int texture_width(size_t *texels, int device) {
  enum { LINEAR_TEXELS = 1 << 28 };
  if (texels == NULL) return WEIR_E_InvalidValue;
  *texels = LINEAR_TEXELS;
  return cu_device(device);
}

CUDA_API(cuDeviceGetTexture1DLinearMaxWidth, size_t *texels, int format, unsigned channels,
         int device) {
  (void)format, (void)channels;
  CU_CALL_ANY(texture_width(texels, device));
}

CUDA_API(cuDeviceGetExecAffinitySupport, int *value, int type, int device) {
  (void)type;
  CU_CALL_ANY(device == 0 ? cu_put(value, 0) : WEIR_E_InvalidDevice);
}

/* ---- profilers ---- */

CUDA_API(cuProfilerStart, void) {
  CU_CALL(weir_gpu_region(true));
}

CUDA_API(cuProfilerStop, void) {
  CU_CALL(weir_gpu_region(false));
}

/* ---- other devices: there are none ---- */

CUDA_API(cuDeviceCanAccessPeer, int *can, int device, int peer) {
  CU_CALL_ANY(device != 0 || peer != 0 ? WEIR_E_InvalidDevice : cu_put(can, 0));
}

CUDA_API(cuDeviceGetP2PAttribute, int *value, int attribute, int from, int to) {
  (void)value, (void)attribute, (void)from, (void)to;
  CU_CALL_ANY(WEIR_E_InvalidDevice); /* of two different ones */
}

CUDA_API(cuCtxEnablePeerAccess, const void *peer, unsigned flags) {
  (void)peer;
  CU_CALL(flags != 0 ? WEIR_E_InvalidValue : WEIR_E_InvalidDevice);
}

CUDA_API(cuCtxDisablePeerAccess, const void *peer) {
  (void)peer;
  CU_CALL(WEIR_E_PeerAccessNotEnabled);
}
