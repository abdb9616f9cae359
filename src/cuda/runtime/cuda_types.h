/* The structures that CUDA programs pass to the runtime, as far as they are used here. Their layout
 * is that of CUDA's headers; names and comments are ours. Enums are int. */
#ifndef WEIR_CUDA_RUNTIME_CUDA_TYPES_H
#define WEIR_CUDA_RUNTIME_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct cuda_dim3 {
  uint32_t x, y, z;
};
struct cuda_extent { /* width in elements if an array takes part, else in bytes */
  size_t width, height, depth;
};
struct cuda_pos {
  size_t x, y, z;
};
struct cuda_pitched {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct cuda_channel {
  int x, y, z, w, kind;
};
struct cuda_location {
  int type, id;
};

struct cuda_copy3d {
  void *src_array;
  struct cuda_pos src_pos;
  struct cuda_pitched src;
  void *dst_array;
  struct cuda_pos dst_pos;
  struct cuda_pitched dst;
  struct cuda_extent extent;
  int kind;
};
struct cuda_copy3d_peer {
  void *src_array;
  struct cuda_pos src_pos;
  struct cuda_pitched src;
  int src_device;
  void *dst_array;
  struct cuda_pos dst_pos;
  struct cuda_pitched dst;
  int dst_device;
  struct cuda_extent extent;
};

struct cuda_func_attributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, regs, ptx_version, binary_version, cache_ca, max_dynamic_shared, carveout;
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy,
      cluster_non_portable;
  int reserved[16];
};

struct cuda_pointer_attributes {
  int type, device;
  void *device_ptr, *host_ptr;
  /* CUDA 13 has 64 reserved bytes here. They are not written: earlier versions do not have them. */
};

/* ---- graphs ---- */

struct cuda_kernel_params {
  void *func;
  struct cuda_dim3 grid, block;
  unsigned shared;
  void **args, **extra;
};
struct cuda_memset_params {
  void *dst;
  size_t pitch;
  unsigned value, elem_bytes;
  size_t width, height;
};
struct cuda_host_params {
  void (*fn)(void *);
  void *data;
};
struct cuda_access_desc {
  struct cuda_location location;
  int flags;
};
struct cuda_pool_props {
  int alloc_type, handle_types;
  struct cuda_location location;
  void *security;
  size_t max_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
struct cuda_alloc_params {
  struct cuda_pool_props pool;
  const struct cuda_access_desc *access;
  size_t n_access, bytes;
  void *ptr; /* out */
};
struct cuda_node_params { /* of cudaGraphAddNode */
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    struct cuda_kernel_params kernel;
    struct {
      int flags, reserved[3];
      struct cuda_copy3d copy;
    } copy;
    struct cuda_memset_params set;
    struct cuda_host_params host;
    void *graph;
    void *event;
    struct cuda_alloc_params alloc;
    void *free_ptr;
  } u;
  long long reserved2;
};
struct cuda_update_info {
  int result;
  void *error_node, *error_from;
};
struct cuda_instantiate_params {
  unsigned long long flags;
  void *upload_stream, *error_node;
  int result;
};

/* ---- launches ---- */

struct cuda_launch_attribute {
  int id;
  char pad[4];
  union {
    char pad[64];
    int cooperative;
    struct cuda_dim3 cluster;
    int priority, carveout;
  } value;
};
enum { CUDA_ATTRIBUTE_COOPERATIVE = 2, CUDA_ATTRIBUTE_CLUSTER = 4, CUDA_ATTRIBUTE_CARVEOUT = 14 };
struct cuda_launch_config {
  struct cuda_dim3 grid, block;
  size_t shared;
  void *stream;
  struct cuda_launch_attribute *attributes;
  unsigned n_attributes;
};

/* ---- textures ---- */

struct cuda_resource {
  int type; /* 0 array, 1 mipmap, 2 linear, 3 pitched */
  union {
    void *array, *mipmap;
    struct {
      void *ptr;
      struct cuda_channel channel;
      size_t bytes;
    } linear;
    struct {
      void *ptr;
      struct cuda_channel channel;
      size_t width, height, pitch;
    } pitched;
    int reserved[32];
  } u;
  unsigned flags;
};
struct cuda_texture {
  int address[3];
  int filter, read_mode, srgb;
  float border[4];
  int normalized;
  unsigned max_anisotropy;
  int mip_filter;
  float mip_bias, mip_min, mip_max;
  int no_trilinear, seamless_cube;
};
struct cuda_view {
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};
struct cuda_requirements {
  size_t bytes, alignment;
  unsigned reserved[4];
};

/* As CUDA 13's headers have them. */
#define CUDA_SAME_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
CUDA_SAME_SIZE(cuda_copy3d, 160);
CUDA_SAME_SIZE(cuda_copy3d_peer, 168);
CUDA_SAME_SIZE(cuda_func_attributes, 144);
CUDA_SAME_SIZE(cuda_kernel_params, 56);
CUDA_SAME_SIZE(cuda_memset_params, 40);
CUDA_SAME_SIZE(cuda_host_params, 16);
CUDA_SAME_SIZE(cuda_access_desc, 12);
CUDA_SAME_SIZE(cuda_pool_props, 88);
CUDA_SAME_SIZE(cuda_alloc_params, 120);
CUDA_SAME_SIZE(cuda_node_params, 256);
CUDA_SAME_SIZE(cuda_update_info, 24);
CUDA_SAME_SIZE(cuda_instantiate_params, 32);
CUDA_SAME_SIZE(cuda_launch_attribute, 72);
CUDA_SAME_SIZE(cuda_launch_config, 56);
CUDA_SAME_SIZE(cuda_resource, 144);
CUDA_SAME_SIZE(cuda_texture, 72);
CUDA_SAME_SIZE(cuda_view, 112);
CUDA_SAME_SIZE(cuda_requirements, 32);
CUDA_SAME_SIZE(cuda_channel, 20);
#undef CUDA_SAME_SIZE

#endif
