#include "cuda/runtime/attributes.h"

#include <limits.h>

#include "cuda/runtime/state.h"

enum { CONST_BYTES = 65536, TEXTURE_ALIGN = 512, PITCH_ALIGN = 32, MAX_PITCH = INT_MAX };

/* Limits that no machine of weir changes, as an H200 has them: CUDA's number and the value. */
static const struct {
  int attribute, value;
} fixed[] = {
    {2, 1024},        /* block x */
    {3, 1024},        /* block y */
    {4, 64},          /* block z */
    {5, INT_MAX},     /* grid x */
    {6, 65535},       /* grid y */
    {7, 65535},       /* grid z */
    {9, CONST_BYTES}, /* constant memory */
    {11, MAX_PITCH},  /* pitch of copies */
    {14, TEXTURE_ALIGN},
    {15, 1},      /* copies beside kernels */
    {17, 0},      /* time limit on kernels */
    {18, 0},      /* integrated */
    {19, 1},      /* maps host memory */
    {20, 0},      /* compute mode */
    {21, 131072}, /* textures: 1D */
    {22, 131072}, /* 2D */
    {23, 65536},
    {24, 16384}, /* 3D */
    {25, 16384},
    {26, 16384},
    {27, 32768}, /* 2D, layers */
    {28, 32768},
    {29, 2048},
    {30, TEXTURE_ALIGN},
    {31, 1}, /* concurrent kernels */
    {32, 1}, /* ECC */
    {33, 1}, /* PCI bus */
    {34, 0},
    {35, 0},     /* Windows' compute driver */
    {40, 3},     /* copy engines */
    {41, 1},     /* unified addresses */
    {42, 32768}, /* 1D, layers */
    {43, 2048},
    {44, 1},     /* gather from 2D textures */
    {45, 32768}, /* 2D, gather */
    {46, 32768},
    {47, 8192}, /* 3D, other shape */
    {48, 8192},
    {49, 32768},
    {50, 0}, /* PCI domain */
    {51, PITCH_ALIGN},
    {52, 32768}, /* cubes */
    {53, 32768},
    {54, 2046},
    {55, 32768},  /* surfaces: 1D */
    {56, 131072}, /* 2D */
    {57, 65536},
    {58, 16384}, /* 3D */
    {59, 16384},
    {60, 16384},
    {61, 32768}, /* 1D, layers */
    {62, 2048},
    {63, 32768}, /* 2D, layers */
    {64, 32768},
    {65, 2048},
    {66, 32768}, /* cubes */
    {67, 32768},
    {68, 2046},
    {69, 268435456}, /* 1D from linear memory */
    {70, 131072},    /* 2D from linear memory */
    {71, 65000},
    {72, 2097120},
    {73, 32768}, /* 2D, mipmaps */
    {74, 32768},
    {77, 32768}, /* 1D, mipmaps */
    {78, 1},     /* priorities of streams */
    {79, 1},     /* global memory in the L1 */
    {80, 1},     /* local memory in the L1 */
    {83, 1},     /* managed memory */
    {84, 0},     /* one of several GPUs on a board */
    {85, 0},
    {86, 0}, /* atomics between host and device */
    {87, 2}, /* single to double precision */
    {88, 0}, /* pageable memory in kernels */
    {89, 1}, /* managed memory on both sides at once */
    {90, 1}, /* preemption */
    {91, 1}, /* host pointers of registered memory */
    {92, 0}, /* reserved, as those below without a word */
    {93, 0},
    {94, 0},
    {95, 1}, /* cooperative launches */
    {96, 0},
    {98, 0},
    {99, 1}, /* cudaHostRegister */
    {100, 0},
    {101, 0}, /* device memory used by the host */
    {102, 0}, /* mapping of memory by the driver interface */
    {103, 0},
    {104, 0},
    {105, 0},
    {107, 0},
    {110, 0},
    {112, 0}, /* sparse arrays */
    {113, 0},
    {114, 0},
    {115, 1}, /* memory pools */
    {116, 0},
    {117, 0},
    {118, 0},
    {119, 0},
    {120, 0}, /* clusters */
    {121, 0},
    {122, 0},
    {123, 0},
    {124, 0},
    {125, 0}, /* events between processes */
    {126, 1},
    {127, 0},
    {128, 0},
    {129, 0},
    {130, 0},
    {131, -1},
    {132, 0},
    {133, 0},
    {134, 0},
    {135, 0},
    {136, 0},
    {137, 0},
    {138, 0},
    {139, 0},
    {140, 0},
    {141, 0},
    {142, 0},
    {143, 0},
    {144, 0},
    {145, 0},
    {146, 0},
    {147, 0},
};

/* The one block that has all that it may ask for fills the SM with it. */
uint64_t weir_gpu_reserved_shared(void) {
  enum { MOST = 1024 };
  const struct weir_wire_device *p = &weir_gpu.props;
  uint64_t rest = p->shared_per_sm > p->shared_opt_in ? p->shared_per_sm - p->shared_opt_in : 0;
  return rest <= MOST ? rest : 0;
}

int weir_gpu_attribute(int attribute, int *value) {
  const struct weir_wire_device *p = &weir_gpu.props;
  uint64_t v;
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    if (fixed[i].attribute == attribute) {
      *value = fixed[i].value;
      return 0;
    }
  switch (attribute) {
  case WEIR_GPU_A_MAX_THREADS_PER_BLOCK:
    v = p->threads_per_block;
    break;
  case WEIR_GPU_A_MAX_SHARED_PER_BLOCK:
    v = p->shared_per_block;
    break;
  case WEIR_GPU_A_WARP_SIZE:
    v = p->warp_size;
    break;
  case 12:
    v = p->registers_per_block;
    break;
  case 13:
    v = p->clock_khz;
    break;
  case WEIR_GPU_A_SMS:
    v = p->sms;
    break;
  case 36:
    v = p->memory_clock_khz;
    break;
  case 37:
    v = p->bus_bits;
    break;
  case 38:
    v = p->l2_bytes;
    break;
  case 39:
    v = p->threads_per_sm;
    break;
  case WEIR_GPU_A_CAPABILITY_MAJOR:
    v = p->capability / 10;
    break;
  case WEIR_GPU_A_CAPABILITY_MINOR:
    v = p->capability % 10;
    break;
  case 81:
    v = p->shared_per_sm;
    break;
  case 82:
    v = p->registers_per_sm;
    break;
  case 97:
    v = p->shared_opt_in;
    break;
  case 106:
    v = p->blocks_per_sm;
    break;
  case 108: /* lines that persist in the L2 */
    v = p->l2_bytes * 5 / 8;
    break;
  case 109: /* window of an access policy */
    v = 128 << 20;
    break;
  case 111:
    v = weir_gpu_reserved_shared();
    break;
  default:
    return WEIR_E_InvalidValue;
  }
  *value = v < INT_MAX ? (int)v : INT_MAX;
  return 0;
}
