/* What differs between the versions of libcudart: layouts of structures, and arguments. Compiled
 * once for each, with WEIR_CUDART_MAJOR. Those of 11 and 12 follow their documentation and have not
 * been tried with programs. */
#include "cuda/runtime/api.h"

#include <limits.h>
#include <string.h>

#include "cuda/runtime/attributes.h"

CUDA_API(cudaRuntimeGetVersion, int *version) {
  enum { MINOR = WEIR_CUDART_MAJOR == 11 ? 80 : 0 };
  if (version == NULL) return cudart_return(WEIR_E_InvalidValue);
  *version = WEIR_CUDART_MAJOR * 1000 + MINOR;
  return 0;
}

/* As an H200 has it with CUDA 13; before, as documented. */
const int cudart_bad_configuration =
    WEIR_CUDART_MAJOR >= 13 ? WEIR_E_InvalidValue : WEIR_E_InvalidConfiguration;
const int cudart_no_kernel =
    WEIR_CUDART_MAJOR >= 13 ? WEIR_E_InvalidResourceHandle : WEIR_E_InvalidDeviceFunction;

const bool cudart_is_driver = false;

/* ---- properties ---- */

/* Up to CUDA 12. What CUDA 11 knows ends with reserved_shared; CUDA 12 asks for more under the name
 * cudaGetDeviceProperties_v2. */
struct properties_12 {
  char name[256], uuid[16], luid[8];
  unsigned luid_mask;
  size_t memory, shared_per_block;
  int registers_per_block, warp_size;
  size_t mem_pitch;
  int threads_per_block, block_dim[3], grid_dim[3], clock_khz;
  size_t const_bytes;
  int major, minor;
  size_t texture_align, pitch_align;
  int overlap, sms, timeout, integrated, maps_host, compute_mode;
  int tex_1d, tex_1d_mip, tex_1d_linear, tex_2d[2], tex_2d_mip[2], tex_2d_linear[3],
      tex_2d_gather[2], tex_3d[3], tex_3d_alt[3], tex_cube, tex_1d_layered[2], tex_2d_layered[3],
      tex_cube_layered[2];
  int surf_1d, surf_2d[2], surf_3d[3], surf_1d_layered[2], surf_2d_layered[3], surf_cube,
      surf_cube_layered[2];
  size_t surface_align;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines,
      unified_addresses, memory_clock_khz, bus_bits, l2_bytes, persisting_l2, threads_per_sm,
      priorities, global_l1, local_l1;
  size_t shared_per_sm;
  int registers_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics, single_to_double,
      pageable, concurrent_managed, preemption, host_pointers, cooperative, cooperative_multi;
  size_t shared_opt_in;
  int host_page_tables, direct_managed, blocks_per_sm, access_window;
  size_t reserved_shared;
  /* from CUDA 12 on */
  int host_register, sparse_arrays, read_only_register, timeline, pools, rdma;
  unsigned rdma_flush;
  int rdma_order;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions, reserved[63];
};

/* CUDA 13: without clocks and what no machine lacks any more. */
struct properties_13 {
  char name[256], uuid[16], luid[8];
  unsigned luid_mask;
  size_t memory, shared_per_block;
  int registers_per_block, warp_size;
  size_t mem_pitch;
  int threads_per_block, block_dim[3], grid_dim[3];
  size_t const_bytes;
  int major, minor;
  size_t texture_align, pitch_align;
  int sms, integrated, maps_host;
  int tex_1d, tex_1d_mip, tex_2d[2], tex_2d_mip[2], tex_2d_linear[3], tex_2d_gather[2], tex_3d[3],
      tex_3d_alt[3], tex_cube, tex_1d_layered[2], tex_2d_layered[3], tex_cube_layered[2];
  int surf_1d, surf_2d[2], surf_3d[3], surf_1d_layered[2], surf_2d_layered[3], surf_cube,
      surf_cube_layered[2];
  size_t surface_align;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines,
      unified_addresses, bus_bits, l2_bytes, persisting_l2, threads_per_sm, priorities, global_l1,
      local_l1;
  size_t shared_per_sm;
  int registers_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics, pageable,
      concurrent_managed, preemption, host_pointers, cooperative;
  size_t shared_opt_in;
  int host_page_tables, direct_managed, blocks_per_sm, access_window;
  size_t reserved_shared;
  int host_register, sparse_arrays, read_only_register, timeline, pools, rdma;
  unsigned rdma_flush;
  int rdma_order;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps,
      host_numa, gpu_pci_device, gpu_pci_subsystem, numa_multinode, reserved[56];
};

/* Sizes that are known of the others. */
_Static_assert(sizeof(struct properties_12) == 1032, "CUDA 12");
_Static_assert(offsetof(struct properties_12, host_register) == 728, "CUDA 11");
_Static_assert(sizeof(struct properties_13) == 1008, "as CUDA 13's header has it");
_Static_assert(offsetof(struct properties_13, memory) == 288, "");
_Static_assert(offsetof(struct properties_13, surface_align) == 552, "");
_Static_assert(offsetof(struct properties_13, shared_per_sm) == 624, "");
_Static_assert(offsetof(struct properties_13, reserved_shared) == 696, "");
_Static_assert(offsetof(struct properties_13, numa_multinode) == 780, "");

static int attribute(int number) {
  int value = 0;
  weir_gpu_attribute(number, &value);
  return value;
}

/* What both have, under the names that both have. */
#define FILL_COMMON(p)                                                                             \
  do {                                                                                             \
    const struct weir_wire_device *d = &weir_gpu.props;                                            \
    memset((p), 0, sizeof *(p));                                                                   \
    strncpy((p)->name, d->name, sizeof(p)->name - 1);                                              \
    memcpy((p)->uuid, "weir simulated 0", sizeof(p)->uuid);                                        \
    (p)->memory = d->memory_bytes;                                                                 \
    (p)->shared_per_block = d->shared_per_block;                                                   \
    (p)->registers_per_block = (int)d->registers_per_block;                                        \
    (p)->warp_size = (int)d->warp_size;                                                            \
    (p)->mem_pitch = INT_MAX;                                                                      \
    (p)->threads_per_block = (int)d->threads_per_block;                                            \
    for (int i = 0; i < 3; i++) {                                                                  \
      (p)->block_dim[i] = attribute(2 + i);                                                        \
      (p)->grid_dim[i] = attribute(5 + i);                                                         \
      (p)->tex_3d[i] = attribute(24 + i);                                                          \
      (p)->tex_2d_layered[i] = attribute(27 + i);                                                  \
      (p)->tex_3d_alt[i] = attribute(47 + i);                                                      \
      (p)->surf_3d[i] = attribute(58 + i);                                                         \
      (p)->surf_2d_layered[i] = attribute(63 + i);                                                 \
      (p)->tex_2d_linear[i] = attribute(70 + i);                                                   \
    }                                                                                              \
    for (int i = 0; i < 2; i++) {                                                                  \
      (p)->tex_2d[i] = attribute(22 + i);                                                          \
      (p)->tex_1d_layered[i] = attribute(42 + i);                                                  \
      (p)->tex_2d_gather[i] = attribute(45 + i);                                                   \
      (p)->tex_cube_layered[i] = attribute(53 + i);                                                \
      (p)->surf_2d[i] = attribute(56 + i);                                                         \
      (p)->surf_1d_layered[i] = attribute(61 + i);                                                 \
      (p)->surf_cube_layered[i] = attribute(67 + i);                                               \
      (p)->tex_2d_mip[i] = attribute(73 + i);                                                      \
    }                                                                                              \
    (p)->const_bytes = (size_t)attribute(9);                                                       \
    (p)->major = attribute(75);                                                                    \
    (p)->minor = attribute(76);                                                                    \
    (p)->texture_align = (size_t)attribute(14);                                                    \
    (p)->pitch_align = (size_t)attribute(51);                                                      \
    (p)->sms = (int)d->sms;                                                                        \
    (p)->maps_host = attribute(19);                                                                \
    (p)->tex_1d = attribute(21);                                                                   \
    (p)->tex_1d_mip = attribute(77);                                                               \
    (p)->tex_cube = attribute(52);                                                                 \
    (p)->surf_1d = attribute(55);                                                                  \
    (p)->surf_cube = attribute(66);                                                                \
    (p)->surface_align = (size_t)attribute(30);                                                    \
    (p)->concurrent_kernels = attribute(31);                                                       \
    (p)->ecc = attribute(32);                                                                      \
    (p)->pci_bus = attribute(33);                                                                  \
    (p)->copy_engines = attribute(40);                                                             \
    (p)->unified_addresses = attribute(41);                                                        \
    (p)->bus_bits = attribute(37);                                                                 \
    (p)->l2_bytes = attribute(38);                                                                 \
    (p)->persisting_l2 = attribute(108);                                                           \
    (p)->threads_per_sm = attribute(39);                                                           \
    (p)->priorities = attribute(78);                                                               \
    (p)->global_l1 = attribute(79);                                                                \
    (p)->local_l1 = attribute(80);                                                                 \
    (p)->shared_per_sm = d->shared_per_sm;                                                         \
    (p)->registers_per_sm = attribute(82);                                                         \
    (p)->managed = attribute(83);                                                                  \
    (p)->concurrent_managed = attribute(89);                                                       \
    (p)->preemption = attribute(90);                                                               \
    (p)->host_pointers = attribute(91);                                                            \
    (p)->cooperative = attribute(95);                                                              \
    (p)->shared_opt_in = d->shared_opt_in;                                                         \
    (p)->blocks_per_sm = attribute(106);                                                           \
    (p)->access_window = attribute(109);                                                           \
    (p)->reserved_shared = (size_t)attribute(111);                                                 \
    (p)->host_register = attribute(99);                                                            \
    (p)->pools = attribute(115);                                                                   \
  } while (0)

static void fill_12(struct properties_12 *p) {
  FILL_COMMON(p);
  p->clock_khz = attribute(13);
  p->overlap = attribute(15);
  p->memory_clock_khz = attribute(36);
  p->tex_1d_linear = attribute(69);
  p->single_to_double = attribute(87);
}

static int properties(void *out, int device, bool is_new) {
  if (out == NULL) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  if (is_new && WEIR_CUDART_MAJOR >= 13) {
    FILL_COMMON((struct properties_13 *)out);
    ((struct properties_13 *)out)->numa_id = -1;
    ((struct properties_13 *)out)->host_numa = -1;
    return 0;
  }
  struct properties_12 p;
  fill_12(&p);
  size_t known = offsetof(struct properties_12, reserved_shared) + sizeof p.reserved_shared;
  memcpy(out, &p, is_new ? sizeof p : known);
  return 0;
}

CUDA_API(cudaGetDeviceProperties, void *out, int device) {
  CUDA_ASK(properties(out, device, WEIR_CUDART_MAJOR >= 13));
}

CUDA_API(cudaGetDeviceProperties_v2, void *out, int device) {
  CUDA_ASK(properties(out, device, true));
}

/* ---- functions ---- */

/* CUDA 11 knows nothing of clusters, so they are not written there. */
static int function_attributes(struct cuda_func_attributes *a, const void *func) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(func);
  if (k == NULL) return cudart_no_kernel;
  struct weir_gpu_figures f;
  int error = weir_gpu_kernel_figures(k, &f);
  if (error != 0) return error;
  memset(a, 0,
         WEIR_CUDART_MAJOR >= 12 ? sizeof *a
                                 : offsetof(struct cuda_func_attributes, cluster_must_be_set));
  a->shared_bytes = f.shared;
  a->const_bytes = f.constant;
  a->local_bytes = f.local;
  a->max_threads = f.max_threads;
  a->regs = f.regs;
  a->ptx_version = f.ptx_version;
  a->binary_version = f.ptx_version;
  a->max_dynamic_shared = f.max_dynamic_shared;
  a->carveout = k->told_carveout;
  return 0;
}

CUDA_API(cudaFuncGetAttributes, struct cuda_func_attributes *out, const void *func) {
  CUDA_CALL(out != NULL ? function_attributes(out, func) : WEIR_E_InvalidValue);
}

/* ---- graphs ---- */

#if WEIR_CUDART_MAJOR >= 12
CUDA_API(cudaGraphInstantiate, void **out, void *graph, unsigned long long flags) {
  CUDA_CALL(cudart_instantiate(out, graph, flags));
}

CUDA_API(cudaGraphExecUpdate, void *exec, void *graph, struct cuda_update_info *info) {
  CUDA_CALL(cudart_exec_update(exec, graph, info));
}
#else
CUDA_API(cudaGraphInstantiate, void **out, void *graph, void **error_node, char *log,
         size_t log_bytes) {
  if (error_node != NULL) *error_node = NULL;
  if (log != NULL && log_bytes > 0) log[0] = 0;
  CUDA_CALL(cudart_instantiate(out, graph, 0));
}

CUDA_API(cudaGraphExecUpdate, void *exec, void *graph, void **error_node, int *result) {
  struct cuda_update_info info = {0};
  int error = weir_gpu_enter();
  if (error == 0) error = cudart_exec_update(exec, graph, &info);
  if (error_node != NULL) *error_node = info.error_node;
  if (result != NULL) *result = info.result;
  return cudart_return(weir_gpu_leave(error));
}
#endif

/* Since CUDA 12.3 there is data for each edge, which no kind of edge here needs. These names end in
 * _v2 (or _v3) in CUDA 12; in CUDA 13 they are plain. */
CUDA_API(cudaGraphAddDependencies_v2, void *graph, void *const *from, void *const *to,
         const void *edges, size_t n) {
  (void)edges;
  CUDA_CALL(cudart_edit_edges(graph, from, to, n, true));
}

CUDA_API(cudaGraphRemoveDependencies_v2, void *graph, void *const *from, void *const *to,
         const void *edges, size_t n) {
  (void)edges;
  CUDA_CALL(cudart_edit_edges(graph, from, to, n, false));
}

CUDA_API(cudaGraphGetEdges_v2, void *graph, void **from, void **to, void *edges, size_t *n) {
  CUDA_CALL(cudart_edges(graph, from, to, edges, n));
}

CUDA_API(cudaGraphNodeGetDependencies_v2, void *node, void **deps, void *edges, size_t *n) {
  CUDA_CALL(cudart_neighbours(node, deps, edges, n, true));
}

CUDA_API(cudaGraphNodeGetDependentNodes_v2, void *node, void **deps, void *edges, size_t *n) {
  CUDA_CALL(cudart_neighbours(node, deps, edges, n, false));
}

CUDA_API(cudaStreamGetCaptureInfo_v3, void *stream, int *status, unsigned long long *id,
         void **graph, const void ***deps, const void **edges, size_t *n) {
  CUDA_CALL(cudart_capture_info(stream, status, id, graph, deps, edges, n));
}
CUDA_ALIAS(cudaStreamGetCaptureInfo_v3, _ptsz);

CUDA_API(cudaStreamUpdateCaptureDependencies_v2, void *stream, void **deps, const void *edges,
         size_t n, unsigned flags) {
  (void)edges;
  CUDA_CALL(cudart_capture_update(stream, deps, n, flags));
}
CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_v2, _ptsz);

CUDA_API(cudaGraphAddNode_v2, void **out, void *graph, void *const *deps, const void *edges,
         size_t n, struct cuda_node_params *params) {
  (void)edges;
  CUDA_CALL(cudart_add_node(out, graph, deps, n, params));
}

CUDA_API(cudaStreamGetCaptureInfo_v2, void *stream, int *status, unsigned long long *id,
         void **graph, const void ***deps, size_t *n) {
  CUDA_CALL(cudart_capture_info(stream, status, id, graph, deps, NULL, n));
}
CUDA_ALIAS(cudaStreamGetCaptureInfo_v2, _ptsz);

#if WEIR_CUDART_MAJOR >= 13
CUDA_OLD_NAME(cudaGraphAddDependencies, cudaGraphAddDependencies_v2);
CUDA_OLD_NAME(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2);
CUDA_OLD_NAME(cudaGraphGetEdges, cudaGraphGetEdges_v2);
CUDA_OLD_NAME(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2);
CUDA_OLD_NAME(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2);
CUDA_OLD_NAME(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3);
CUDA_OLD_NAME(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v3);
CUDA_OLD_NAME(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
CUDA_OLD_NAME(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies_v2);
CUDA_OLD_NAME(cudaGraphAddNode, cudaGraphAddNode_v2);
#else
CUDA_API(cudaGraphAddDependencies, void *graph, void *const *from, void *const *to, size_t n) {
  CUDA_CALL(cudart_edit_edges(graph, from, to, n, true));
}

CUDA_API(cudaGraphRemoveDependencies, void *graph, void *const *from, void *const *to, size_t n) {
  CUDA_CALL(cudart_edit_edges(graph, from, to, n, false));
}

CUDA_API(cudaGraphGetEdges, void *graph, void **from, void **to, size_t *n) {
  CUDA_CALL(cudart_edges(graph, from, to, NULL, n));
}

CUDA_API(cudaGraphNodeGetDependencies, void *node, void **deps, size_t *n) {
  CUDA_CALL(cudart_neighbours(node, deps, NULL, n, true));
}

CUDA_API(cudaGraphNodeGetDependentNodes, void *node, void **deps, size_t *n) {
  CUDA_CALL(cudart_neighbours(node, deps, NULL, n, false));
}

CUDA_API(cudaStreamGetCaptureInfo, void *stream, int *status, unsigned long long *id) {
  CUDA_CALL(cudart_capture_info(stream, status, id, NULL, NULL, NULL, NULL));
}
CUDA_ALIAS(cudaStreamGetCaptureInfo, _ptsz);

CUDA_API(cudaStreamUpdateCaptureDependencies, void *stream, void **deps, size_t n, unsigned flags) {
  CUDA_CALL(cudart_capture_update(stream, deps, n, flags));
}
CUDA_ALIAS(cudaStreamUpdateCaptureDependencies, _ptsz);

CUDA_API(cudaGraphAddNode, void **out, void *graph, void *const *deps, size_t n,
         struct cuda_node_params *params) {
  CUDA_CALL(cudart_add_node(out, graph, deps, n, params));
}
#endif
