/* Which call of the runtime makes the primary context, and for which thread it is current: each
 * case is a process of its own, since a context stays. */
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

__device__ int word;
__global__ void touch(int *p) {
  atomicAdd(p, 1);
}

static int number;
static size_t bytes, total;
static cudaDeviceProp prop;
static char text[64];
static void *memory;
static cudaStream_t stream;
static cudaEvent_t event;
static cudaPointerAttributes pointer;
static cudaFuncAttributes attributes;
static cudaMemPool_t pool;
static unsigned flags;
static cudaGraph_t graph;
static cudaStreamCaptureStatus capture;

#define CASES(X)                                                                                   \
  X(cudaRuntimeGetVersion(&number))                                                                \
  X(cudaDriverGetVersion(&number))                                                                 \
  X(cudaGetLastError())                                                                            \
  X(cudaGetDeviceCount(&number))                                                                   \
  X(cudaGetDevice(&number))                                                                        \
  X(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0))                                       \
  X(cudaGetDeviceProperties(&prop, 0))                                                             \
  X(cudaChooseDevice(&number, &prop))                                                              \
  X(cudaDeviceGetPCIBusId(text, sizeof text, 0))                                                   \
  X(cudaDeviceCanAccessPeer(&number, 0, 0))                                                        \
  X(cudaGetDeviceFlags(&flags))                                                                    \
  X(cudaSetDeviceFlags(cudaDeviceScheduleYield))                                                   \
  X(cudaSetDevice(0))                                                                              \
  X(cudaSetDevice(77))                                                                             \
  X(cudaInitDevice(0, 0, 0))                                                                       \
  X(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid))                        \
  X(cudaFree(0))                                                                                   \
  X(cudaFreeHost(0))                                                                               \
  X(cudaMalloc(&memory, 64))                                                                       \
  X(cudaMallocHost(&memory, 64))                                                                   \
  X(cudaMallocManaged(&memory, 64))                                                                \
  X(cudaMemGetInfo(&bytes, &total))                                                                \
  X(cudaDeviceSynchronize())                                                                       \
  X(cudaDeviceReset())                                                                             \
  X(cudaDeviceGetLimit(&bytes, cudaLimitStackSize))                                                \
  X(cudaDeviceSetLimit(cudaLimitStackSize, 2048))                                                  \
  X(cudaDeviceGetDefaultMemPool(&pool, 0))                                                         \
  X(cudaDeviceGetStreamPriorityRange(&number, NULL))                                               \
  X(cudaStreamCreate(&stream))                                                                     \
  X(cudaStreamQuery(0))                                                                            \
  X(cudaStreamIsCapturing(0, &capture))                                                            \
  X(cudaEventCreate(&event))                                                                       \
  X(cudaGraphCreate(&graph, 0))                                                                    \
  X(cudaPointerGetAttributes(&pointer, &number))                                                   \
  X(cudaFuncGetAttributes(&attributes, touch))                                                     \
  X(cudaGetSymbolAddress(&memory, word))                                                           \
  X(cudaGetSymbolSize(&bytes, word))                                                               \
  X(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, touch, 64, 0))

static void show(const char *what, int status) {
  CUcontext context = NULL;
  unsigned state = 99;
  int active = 99;
  int asked = cuCtxGetCurrent(&context);
  cuDevicePrimaryCtxGetState(0, &state, &active);
  printf("%s: %d, current %d %s, active %d, flags %u\n", what, status, asked,
         context ? "one" : "none", active, state);
}

/* In the child. */
static void one(int which) {
  int at = 0;
  cuInit(0);
#define CASE(call)                                                                                 \
  if (at++ == which) show(#call, (int)(call));
  CASES(CASE)
}

static void flags_before_and_after() {
  cuInit(0);
  show("cudaSetDeviceFlags before", cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  show("cudaSetDevice then", cudaSetDevice(0));
  show("cudaSetDeviceFlags after", cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  show("cudaGetDeviceFlags", cudaGetDeviceFlags(&flags));
  printf("flags %u\n", flags);
  show("cudaDeviceReset", cudaDeviceReset());
  show("cudaSetDevice again", cudaSetDevice(0));
}

static void with_the_driver() {
  CUcontext primary, current;
  cuInit(0);
  show("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&primary, 0));
  show("cudaSetDevice", cudaSetDevice(0));
  cuCtxGetCurrent(&current);
  printf("it is the primary one: %d\n", current == primary);
  show("cuCtxSetCurrent(NULL)", cuCtxSetCurrent(NULL));
  show("cudaGetDevice", cudaGetDevice(&number));
  show("cudaFree(0)", cudaFree(0));
  show("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease(0));
  show("cuDevicePrimaryCtxRelease again", cuDevicePrimaryCtxRelease(0));
}

int main() {
  int n = 0;
#define COUNT(call) n++;
  CASES(COUNT)
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < n + 2; i++) {
    pid_t child = fork();
    if (child == 0) {
      if (i == n) flags_before_and_after();
      else if (i == n + 1) with_the_driver();
      else one(i);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) printf("case %d ended with %d\n", i, status);
  }
  return 0;
}
