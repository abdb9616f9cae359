/* The driver's entry points for contexts. */
#include "cuda/runtime/driver.h"

#include "cuda/runtime/context.h"

enum { FLAGS_MASK = 0xff };

static bool is_initialised;
static unsigned n_others; /* contexts besides the primary one */

/* ---- entering and leaving ---- */

CUDA_API(cuInit, unsigned flags) {
  int error = weir_gpu_enter_always();
  if (error == 0 && flags != 0) error = WEIR_E_InvalidValue;
  if (error == 0) is_initialised = true;
  return cu_leave(error);
}

struct weir_gpu_context *cu_context_of(const void *handle) {
  return handle == NULL ? weir_gpu_current() : weir_gpu_handle(handle, WEIR_GPU_CONTEXT);
}

int cu_enter_any(void) {
  int error = weir_gpu_enter_always();
  if (error != 0) return error;
  return is_initialised || weir_gpu.has_runtime ? 0 : WEIR_E_InitializationError;
}

int cu_enter(void) {
  int error = cu_enter_any();
  if (error != 0) return error;
  const struct weir_gpu_context *c = weir_gpu_current();
  if (c == NULL) return WEIR_E_DeviceUninitialized;
  if (weir_gpu_handle(c, WEIR_GPU_CONTEXT) == NULL) return WEIR_E_ContextIsDestroyed;
  return weir_gpu.sticky;
}

int cu_leave(int error) {
  switch (error) {
  case WEIR_E_InvalidConfiguration:
  case WEIR_E_InvalidPitchValue:
  case WEIR_E_InvalidMemcpyDirection:
  case WEIR_E_InvalidChannelDescriptor:
  case WEIR_E_InvalidHostPointer:
  case WEIR_E_InvalidDevicePointer:
  case WEIR_E_InvalidFilterSetting:
  case WEIR_E_InvalidNormSetting:
    error = WEIR_E_InvalidValue;
    break;
  case WEIR_E_InvalidSymbol:
    error = WEIR_E_SymbolNotFound;
    break;
  case WEIR_E_InvalidDeviceFunction:
  case WEIR_E_InvalidTexture:
  case WEIR_E_InvalidSurface:
    error = WEIR_E_InvalidResourceHandle;
    break;
  default:
    break;
  }
  return weir_gpu_leave(error);
}

/* What is forwarded to libcudart's code needs a context, too. */
int cudart_enter(void) {
  return cu_enter();
}

int cudart_leave(int error) {
  return cu_leave(error);
}

const int cudart_bad_configuration = WEIR_E_InvalidValue;
const int cudart_no_kernel = WEIR_E_InvalidResourceHandle;
const bool cudart_is_driver = true;

/* libcuda keeps no last error. */
int cudart_return(int error) {
  return error;
}

/* ---- the thread's contexts ---- */

static int push_handle(const void *handle) {
  if (handle == NULL) return WEIR_E_InvalidValue;
  struct weir_gpu_context *c = weir_gpu_handle(handle, WEIR_GPU_CONTEXT);
  return c != NULL ? weir_gpu_push(c) : WEIR_E_DeviceUninitialized;
}

CUDA_API(cuCtxPushCurrent_v2, const void *context) {
  CU_CALL_ANY(push_handle(context));
}
CUDA_OLD_NAME(cuCtxPushCurrent, cuCtxPushCurrent_v2);

static int pop(void **out) {
  struct weir_gpu_context *c = weir_gpu_current();
  if (c == NULL) return WEIR_E_DeviceUninitialized;
  if (out != NULL) *out = c;
  weir_gpu_pop();
  return 0;
}

CUDA_API(cuCtxPopCurrent_v2, void **out) {
  CU_CALL_ANY(pop(out));
}
CUDA_OLD_NAME(cuCtxPopCurrent, cuCtxPopCurrent_v2);

/* Replaces the top; none takes it away. */
static int set_current(const void *handle) {
  struct weir_gpu_context *c = weir_gpu_handle(handle, WEIR_GPU_CONTEXT);
  if (handle != NULL && c == NULL) return WEIR_E_DeviceUninitialized;
  weir_gpu_pop();
  return c != NULL ? weir_gpu_push(c) : 0;
}

CUDA_API(cuCtxSetCurrent, const void *context) {
  CU_CALL_ANY(set_current(context));
}

CUDA_API(cuCtxGetCurrent, void **out) {
  CU_CALL_ANY(out != NULL ? (*out = weir_gpu_current(), 0) : WEIR_E_InvalidValue);
}

/* ---- making and destroying ---- */

static int create(void **out, unsigned flags, int device) {
  if (out == NULL || (flags & ~(unsigned)FLAGS_MASK) != 0) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  if (weir_gpu.sticky != 0) return weir_gpu.sticky;
  struct weir_gpu_context *c = weir_gpu_context_new(flags);
  if (c == NULL) return WEIR_E_MemoryAllocation;
  int error = weir_gpu_push(c);
  if (error != 0) {
    weir_gpu_drop(c);
    return error;
  }
  n_others++;
  *out = c;
  return 0;
}

CUDA_API(cuCtxCreate_v2, void **out, unsigned flags, int device) {
  CU_CALL_ANY(create(out, flags, device));
}
CUDA_OLD_NAME(cuCtxCreate, cuCtxCreate_v2);

/* A context on part of the SMs would change how kernels run. */
static int create_affine(void **out, int n_affinities, unsigned flags, int device) {
  return n_affinities > 0 ? WEIR_E_UnsupportedExecAffinity : create(out, flags, device);
}

CUDA_API(cuCtxCreate_v3, void **out, const void *affinities, int n, unsigned flags, int device) {
  (void)affinities;
  CU_CALL_ANY(create_affine(out, n, flags, device));
}

struct create_params {
  const void *affinities;
  int n_affinities;
  const void *graphics;
};

static int create_with(void **out, const struct create_params *p, unsigned flags, int device) {
  if (p != NULL && p->graphics != NULL) return WEIR_E_NotSupported;
  return create_affine(out, p != NULL ? p->n_affinities : 0, flags, device);
}

CUDA_API(cuCtxCreate_v4, void **out, const struct create_params *params, unsigned flags,
         int device) {
  CU_CALL_ANY(create_with(out, params, flags, device));
}

/* Takes the context from the thread's stack if it is on top. A fault stays: it ends the process's
 * use of the device. */
static int destroy(const void *handle) {
  struct weir_gpu_context *c = weir_gpu_handle(handle, WEIR_GPU_CONTEXT);
  if (c == NULL) return handle != NULL ? WEIR_E_ContextIsDestroyed : WEIR_E_InvalidValue;
  if (c == weir_gpu_primary()) return WEIR_E_DeviceUninitialized;
  n_others--;
  if (weir_gpu_current() == c) weir_gpu_pop();
  weir_gpu_free_owned(c->handle.id);
  weir_gpu_drop(c);
  return 0;
}

CUDA_API(cuCtxDestroy_v2, const void *context) {
  CU_CALL_ANY(destroy(context));
}
CUDA_OLD_NAME(cuCtxDestroy, cuCtxDestroy_v2);
CUDA_OLD_NAME(cuCtxDetach, cuCtxDestroy_v2);

/* ---- the primary context ---- */

static int retain(void **out, int device) {
  if (out == NULL) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  *out = weir_gpu_primary();
  if (*out == NULL) return WEIR_E_MemoryAllocation;
  weir_gpu_retain();
  return 0;
}

CUDA_API(cuDevicePrimaryCtxRetain, void **out, int device) {
  CU_CALL_ANY(retain(out, device));
}

/* Other contexts keep what they have; then nothing is given back. */
static int reset(int device) {
  if (device != 0) return WEIR_E_InvalidDevice;
  weir_gpu_primary_end();
  if (n_others == 0) return weir_gpu_reset();
  weir_gpu.sticky = 0;
  return 0;
}

/* libcudart may use the context still. */
static int release(int device) {
  if (device != 0) return WEIR_E_InvalidDevice;
  if (!weir_gpu_release()) return WEIR_E_DeviceUninitialized;
  return weir_gpu_primary_is_active() ? 0 : reset(device);
}

CUDA_API(cuDevicePrimaryCtxRelease_v2, int device) {
  CU_CALL_ANY(release(device));
}
CUDA_OLD_NAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

CUDA_API(cuDevicePrimaryCtxReset_v2, int device) {
  CU_CALL_ANY(reset(device));
}
CUDA_OLD_NAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

static int primary_state(int device, unsigned *flags, int *is_active) {
  if (flags == NULL || is_active == NULL) return WEIR_E_InvalidValue;
  *flags = *weir_gpu_primary_flags();
  *is_active = weir_gpu_primary_is_active();
  return cu_device(device);
}

CUDA_API(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *is_active) {
  CU_CALL_ANY(primary_state(device, flags, is_active));
}

static int set_flags(struct weir_gpu_context *c, unsigned flags) {
  if ((flags & ~(unsigned)FLAGS_MASK) != 0) return WEIR_E_InvalidValue;
  if (c == weir_gpu_primary()) *weir_gpu_primary_flags() = flags;
  if (c != NULL) c->flags = flags;
  return 0;
}

CUDA_API(cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags) {
  CU_CALL_ANY(device == 0 ? set_flags(weir_gpu_primary(), flags) : WEIR_E_InvalidDevice);
}
CUDA_OLD_NAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

/* ---- questions and settings ---- */

CUDA_API(cuCtxGetDevice, int *device) {
  CU_CALL(cu_put(device, 0));
}

CUDA_API(cuCtxGetDevice_v2, int *device, const void *context) {
  CU_CALL_ANY(cu_context_of(context) != NULL ? cu_put(device, 0) : WEIR_E_DeviceUninitialized);
}

CUDA_API(cuCtxGetFlags, unsigned *flags) {
  CU_CALL(flags != NULL ? (*flags = weir_gpu_current()->flags, 0) : WEIR_E_InvalidValue);
}

CUDA_API(cuCtxSetFlags, unsigned flags) {
  CU_CALL(set_flags(weir_gpu_current(), flags));
}

static int get_id(const void *handle, unsigned long long *id) {
  const struct weir_gpu_context *c = cu_context_of(handle);
  if (c == NULL) return WEIR_E_DeviceUninitialized;
  if (id == NULL) return WEIR_E_InvalidValue;
  *id = c->handle.id;
  return 0;
}

CUDA_API(cuCtxGetId, const void *context, unsigned long long *id) {
  CU_CALL_ANY(get_id(context, id));
}

static int get_api_version(const void *handle, unsigned *version) {
  const struct weir_gpu_context *c = cu_context_of(handle);
  if (c == NULL) return WEIR_E_DeviceUninitialized;
  if (version == NULL) return WEIR_E_InvalidValue;
  *version = c->api_version;
  return 0;
}

CUDA_API(cuCtxGetApiVersion, const void *context, unsigned *version) {
  CU_CALL_ANY(get_api_version(context, version));
}

CUDA_API(cuCtxSynchronize, void) {
  CU_CALL(weir_gpu_sync_all());
}

CUDA_API(cuCtxSynchronize_v2, const void *context) {
  CU_CALL(cu_context_of(context) != NULL ? weir_gpu_sync_all() : WEIR_E_DeviceUninitialized);
}

static int get_limit(size_t *value, int limit) {
  enum { GRAPHICS = 8 }; /* contexts that share the device with graphics */
  uint64_t v = 0;
  if (value == NULL) return WEIR_E_InvalidValue;
  int error = limit != GRAPHICS ? weir_gpu_get_limit(limit, &v) : 0;
  if (error == 0) *value = v;
  return error;
}

CUDA_API(cuCtxGetLimit, size_t *value, int limit) {
  CU_CALL(get_limit(value, limit));
}

CUDA_API(cuCtxSetLimit, int limit, size_t value) {
  CU_CALL(weir_gpu_set_limit(limit, value));
}

static int set_cache_config(int config) {
  enum { PREFER_EQUAL = 3 };
  if (config < 0 || config > PREFER_EQUAL) return WEIR_E_InvalidValue;
  weir_gpu.cache_config = config;
  return 0;
}

CUDA_API(cuCtxSetCacheConfig, int config) {
  CU_CALL(set_cache_config(config));
}

CUDA_API(cuCtxGetCacheConfig, int *config) {
  CU_CALL(cu_put(config, weir_gpu.cache_config));
}

CUDA_API(cuCtxSetSharedMemConfig, int config) {
  enum { EIGHT_BYTE_BANKS = 2 };
  CU_CALL(config < 0 || config > EIGHT_BYTE_BANKS ? WEIR_E_InvalidValue : 0);
}

CUDA_API(cuCtxGetSharedMemConfig, int *config) {
  enum { FOUR_BYTE_BANKS = 1 };
  CU_CALL(cu_put(config, FOUR_BYTE_BANKS));
}

CUDA_API(cuCtxGetStreamPriorityRange, int *least, int *greatest) {
  enum { GREATEST = -5 };
  CU_CALL((least != NULL ? *least = 0 : 0, greatest != NULL ? *greatest = GREATEST : 0, 0));
}

CUDA_API(cuCtxResetPersistingL2Cache, void) {
  CU_CALL(0);
}
