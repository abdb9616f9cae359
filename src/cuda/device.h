/* A machine as the CUDA programs that run on it see it. */
#ifndef WEIR_CUDA_DEVICE_H
#define WEIR_CUDA_DEVICE_H

#include "cuda/wire.h"
#include "machine/machine.h"

/* cuda.*: what the machine's description does not say. */
struct weir_cuda_cfg {
  int64_t capability;
};
extern const struct weir_param_group weir_cuda_params;

/* `memory_bytes` are those of exec.device_memory. The name is the machine's. */
struct weir_wire_device weir_cuda_device(const struct weir_machine *m,
                                         const struct weir_cuda_cfg *cfg, uint64_t memory_bytes);

#endif
