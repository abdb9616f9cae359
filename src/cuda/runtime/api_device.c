#include "cuda/runtime/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/runtime/array.h"
#include "cuda/runtime/attributes.h"
#include "cuda/runtime/context.h"

/* There is one device, number 0. */
static int only(int device) {
  return device == 0 ? 0 : WEIR_E_InvalidDevice;
}

/* ---- which device ---- */

static int put(int *out, int value) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = value;
  return 0;
}

CUDA_API(cudaGetDeviceCount, int *count) {
  CUDA_ASK(put(count, 1));
}

/* The primary context becomes the thread's, whichever was. */
CUDA_API(cudaSetDevice, int device) {
  CUDA_ASK(device == 0 ? weir_gpu_runtime_use(true) : WEIR_E_InvalidDevice);
}

CUDA_API(cudaGetDevice, int *device) {
  CUDA_ASK(put(device, 0));
}

static int set_flags(unsigned flags) {
  enum { KNOWN = 0xff };
  if ((flags & ~(unsigned)KNOWN) != 0) return WEIR_E_InvalidValue;
  *weir_gpu_primary_flags() = flags;
  struct weir_gpu_context *c = weir_gpu_primary();
  if (c != NULL) c->flags = flags;
  return 0;
}

/* The primary context is there then, but no thread's. */
static int init_device(int device, unsigned device_flags, unsigned flags) {
  enum { FLAGS_ARE_VALID = 1 };
  if (device != 0) return WEIR_E_InvalidDevice;
  weir_gpu_runtime_begin();
  return flags & FLAGS_ARE_VALID ? set_flags(device_flags) : 0;
}

CUDA_API(cudaInitDevice, int device, unsigned device_flags, unsigned flags) {
  CUDA_PLAIN(init_device(device, device_flags, flags));
}

CUDA_API(cudaChooseDevice, int *device, const void *properties) {
  CUDA_PLAIN(properties != NULL ? put(device, 0) : WEIR_E_InvalidValue);
}

CUDA_API(cudaSetValidDevices, int *devices, int n) {
  CUDA_CALL(devices == NULL || n < 1 ? WEIR_E_InvalidValue : only(devices[0]));
}

CUDA_API(cudaSetDeviceFlags, unsigned flags) {
  CUDA_CALL(set_flags(flags));
}

CUDA_API(cudaGetDeviceFlags, unsigned *flags) {
  enum { MAPS_HOST = 8 };
  CUDA_PLAIN(flags != NULL ? (*flags = *weir_gpu_primary_flags() | MAPS_HOST, 0)
                           : WEIR_E_InvalidValue);
}

/* ---- synchronisation ---- */

CUDA_API(cudaDeviceSynchronize, void) {
  CUDA_CALL(weir_gpu_sync_all());
}
CUDA_OLD_NAME(cudaThreadSynchronize, cudaDeviceSynchronize);

/* Also after a fault, which it ends. */
CUDA_API(cudaDeviceReset, void) {
  int error = weir_gpu_enter_always();
  if (error == 0) error = weir_gpu_reset();
  weir_gpu_primary_end();
  return cudart_return(weir_gpu_leave(error));
}
CUDA_OLD_NAME(cudaThreadExit, cudaDeviceReset);

/* ---- attributes ---- */

CUDA_API(cudaDeviceGetAttribute, int *value, int attribute, int device) {
  CUDA_ASK(value == NULL ? WEIR_E_InvalidValue
           : device != 0 ? WEIR_E_InvalidDevice
                         : weir_gpu_attribute(attribute, value));
}

static const char pci_id[] = "0000:01:00.0";

CUDA_API(cudaDeviceGetPCIBusId, char *id, int len, int device) {
  CUDA_PLAIN(device != 0                              ? WEIR_E_InvalidDevice
             : id == NULL || len < (int)sizeof pci_id ? WEIR_E_InvalidValue
                                                      : (memcpy(id, pci_id, sizeof pci_id), 0));
}

CUDA_API(cudaDeviceGetByPCIBusId, int *device, const char *id) {
  CUDA_PLAIN(id == NULL                                               ? WEIR_E_InvalidValue
             : strcmp(id, pci_id) == 0 || strcmp(id, pci_id + 5) == 0 ? put(device, 0)
                                                                      : WEIR_E_InvalidDevice);
}

static int get_limit(size_t *value, int limit) {
  uint64_t v;
  if (value == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_get_limit(limit, &v);
  if (error == 0) *value = v;
  return error;
}

CUDA_API(cudaDeviceGetLimit, size_t *value, int limit) {
  CUDA_CALL(get_limit(value, limit));
}
CUDA_OLD_NAME(cudaThreadGetLimit, cudaDeviceGetLimit);

CUDA_API(cudaDeviceSetLimit, int limit, size_t value) {
  CUDA_CALL(weir_gpu_set_limit(limit, value));
}
CUDA_OLD_NAME(cudaThreadSetLimit, cudaDeviceSetLimit);

/* The machine's L1 is what weir simulates, whatever a program prefers. */
static int shared_config;

static int set_in(int *place, int value, int most) {
  if (value < 0 || value > most) return WEIR_E_InvalidValue;
  *place = value;
  return 0;
}

CUDA_API(cudaDeviceSetCacheConfig, int config) {
  CUDA_CALL(set_in(&weir_gpu.cache_config, config, 3));
}
CUDA_OLD_NAME(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

CUDA_API(cudaDeviceGetCacheConfig, int *config) {
  CUDA_CALL(put(config, weir_gpu.cache_config));
}
CUDA_OLD_NAME(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

CUDA_API(cudaDeviceSetSharedMemConfig, int config) {
  CUDA_CALL(set_in(&shared_config, config, 2));
}

CUDA_API(cudaDeviceGetSharedMemConfig, int *config) {
  enum { FOUR_BYTE_BANKS = 1 };
  CUDA_CALL(put(config, FOUR_BYTE_BANKS));
}

CUDA_API(cudaCtxResetPersistingL2Cache, void) {
  CUDA_CALL(0);
}

static int texture_width(size_t *texels, const struct cuda_channel *channel, int device) {
  enum { LINEAR_TEXELS = 1 << 28 };
  if (texels == NULL || channel == NULL) return WEIR_E_InvalidValue;
  *texels = LINEAR_TEXELS;
  return only(device);
}

CUDA_API(cudaDeviceGetTexture1DLinearMaxWidth, size_t *texels, const struct cuda_channel *channel,
         int device) {
  CUDA_CALL(texture_width(texels, channel, device));
}

/* ---- other devices: there are none ---- */

CUDA_API(cudaDeviceCanAccessPeer, int *can, int device, int peer) {
  CUDA_PLAIN(device != 0 || peer != 0 ? WEIR_E_InvalidDevice : put(can, 0));
}

CUDA_API(cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
  CUDA_CALL(flags != 0  ? WEIR_E_InvalidValue
            : peer != 0 ? WEIR_E_InvalidDevice
                        : WEIR_E_PeerAccessUnsupported);
}

CUDA_API(cudaDeviceDisablePeerAccess, int peer) {
  CUDA_CALL(peer == 0 ? WEIR_E_PeerAccessNotEnabled : WEIR_E_InvalidDevice);
}

CUDA_API(cudaDeviceGetP2PAttribute, int *value, int attribute, int from, int to) {
  (void)value, (void)attribute, (void)from, (void)to;
  CUDA_CALL(WEIR_E_InvalidDevice); /* of two different ones */
}

/* ---- other ---- */

/* The newest CUDA that this stands in for. */
CUDA_API(cudaDriverGetVersion, int *version) {
  enum { VERSION = 13000 };
  if (version == NULL) return cudart_return(WEIR_E_InvalidValue);
  *version = VERSION;
  return 0;
}

/* Newer forms of an entry point have a suffix; programs ask for the plain name. */
static void *driver_symbol(const char *name) {
  static void *driver;
  if (driver == NULL) driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = NULL;
  for (int version = 4; driver != NULL && found == NULL && version > 0; version--) {
    char full[256];
    snprintf(full, sizeof full, version > 1 ? "%s_v%d" : "%s", name, version);
    found = dlsym(driver, full);
  }
  return found;
}

static int entry_point(const char *name, void **out, int *status) {
  enum { FOUND, NOT_FOUND };
  if (name == NULL || out == NULL) return WEIR_E_InvalidValue;
  *out = driver_symbol(name);
  if (status != NULL) *status = *out != NULL ? FOUND : NOT_FOUND;
  return *out != NULL || status != NULL ? 0 : WEIR_E_SymbolNotFound;
}

CUDA_API(cudaGetDriverEntryPoint, const char *name, void **out, unsigned long long flags,
         int *status) {
  (void)flags;
  CUDA_CALL(entry_point(name, out, status));
}
CUDA_ALIAS(cudaGetDriverEntryPoint, _ptsz);

CUDA_API(cudaGetDriverEntryPointByVersion, const char *name, void **out, unsigned version,
         unsigned long long flags, int *status) {
  (void)version, (void)flags;
  CUDA_CALL(entry_point(name, out, status));
}
CUDA_ALIAS(cudaGetDriverEntryPointByVersion, _ptsz);

CUDA_API(cudaProfilerStart, void) {
  CUDA_CALL(weir_gpu_region(true));
}

CUDA_API(cudaProfilerStop, void) {
  CUDA_CALL(weir_gpu_region(false));
}
