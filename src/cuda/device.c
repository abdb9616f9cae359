#include "cuda/device.h"

static const struct weir_param table[] = {
    WEIR_PARAM(weir_cuda_cfg, capability, "90", .min = 50, .max = 129,
               .help = "compute capability that programs see, 90 for 9.0; of their PTX, that for "
                       "the highest one up to this is executed"),
    WEIR_PARAM_END};

const struct weir_param_group weir_cuda_params = {"cuda",
                                                  "what CUDA programs are told about the machine",
                                                  table, sizeof(struct weir_cuda_cfg), "program"};

static uint64_t shared_per_sm(const struct weir_machine *m) {
  return m->n_carveouts > 0 ? m->carveout[m->n_carveouts - 1] : (uint64_t)m->sm.shared_bytes;
}

struct weir_wire_device weir_cuda_device(const struct weir_machine *m,
                                         const struct weir_cuda_cfg *cfg, uint64_t memory_bytes) {
  /* A kernel gets more than this only if the program asks for it, on every GPU there is. */
  enum { USUAL_SHARED = 48 << 10, BLOCK_THREADS = 1024 };
  uint64_t shared = shared_per_sm(m), threads = (uint64_t)m->sm.threads;
  const struct weir_dram_cfg *d = &m->dram;
  return (struct weir_wire_device){
      .name = m->name,
      .capability = (uint64_t)cfg->capability,
      .sms = (uint64_t)m->sm.count,
      .warp_size = WEIR_LANES,
      .threads_per_sm = threads,
      .threads_per_block = threads < BLOCK_THREADS ? threads : BLOCK_THREADS,
      .blocks_per_sm = (uint64_t)m->sm.blocks,
      .registers_per_sm = (uint64_t)m->sm.registers,
      .registers_per_block = (uint64_t)m->sm.registers,
      .shared_per_sm = shared,
      .shared_per_block = shared < USUAL_SHARED ? shared : USUAL_SHARED,
      /* what is more, the machine keeps for itself */
      .shared_opt_in =
          shared < (uint64_t)m->sm.shared_bytes ? shared : (uint64_t)m->sm.shared_bytes,
      .memory_bytes = memory_bytes,
      .l1_bytes = (uint64_t)m->l1.size,
      .l2_bytes = (uint64_t)(m->l2.slices * m->l2.sets * m->l2.ways * m->l2.line),
      .clock_khz = (uint64_t)m->core.clock_mhz * 1000,
      .memory_clock_khz = (uint64_t)d->clock_mhz * 1000,
      /* Programs take two transfers a clock from this: so that they find the machine's bandwidth.
       */
      .bus_bits = (uint64_t)(d->channels * d->atom_bytes * 8 / (2 * d->burst_cyc)),
  };
}
