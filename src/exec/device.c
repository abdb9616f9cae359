/* The device: its settings, memory, heap and textures. */
#include "exec/exec.h"
#include "exec/heap.h"
#include "exec/tex_object.h"

const struct weir_param ptx_exec_table[] = {
    WEIR_PARAM(ptx_exec_cfg, wave, "160", .min = 1, .max = 65536, .unit = "block",
               .help = "blocks that run together where blocks can feel one another"),
    WEIR_PARAM(ptx_exec_cfg, wave_memory, "4G", .min = 1048576, .max = 1099511627776.0,
               .unit = "byte",
               .help = "registers, shared and local memory that a widened wave may take; a wave "
                       "whose blocks spin is widened to as many blocks of the grid as fit"),
    WEIR_PARAM(ptx_exec_cfg, interleave, "false",
               .help =
                   "the blocks of every kernel run together in waves, not only where blocks can "
                   "feel one another"),
    WEIR_PARAM(ptx_exec_cfg, quantum, "256", .min = 1, .max = 1000000000, .unit = "insn",
               .help = "instructions of one warp before the next warp of the block (or wave) runs"),
    WEIR_PARAM(ptx_exec_cfg, yield_after, "32", .min = 1, .max = 1000000,
               .help = "backward branches of a loop that watches memory before other lanes of the "
                       "warp get their turn"),
    WEIR_PARAM(ptx_exec_cfg, deadlock_quanta, "20000", .min = 1, .max = 1000000000,
               .help = "rounds without a store, barrier or exit after which a launch that waits is "
                       "given up, if it is not known earlier that it waits for ever"),
    WEIR_PARAM(ptx_exec_cfg, clock_factor, "4", .min = 1, .max = 1000, .unit = "cycle",
               .help = "what %clock advances per executed warp instruction (not simulated cycles)"),
    WEIR_PARAM(ptx_exec_cfg, max_instructions, "0", .min = 0, .max = 1e18, .unit = "insn",
               .help =
                   "end a launch with an error after this many warp instructions; 0 = no limit"),
    WEIR_PARAM(ptx_exec_cfg, stack_bytes, "64K", .min = 1024, .max = 16777216, .unit = "byte",
               .help = "largest local memory of one thread: local variables and call frames"),
    WEIR_PARAM(ptx_exec_cfg, max_depth, "1000", .min = 1, .max = 65000,
               .help = "deepest nesting of calls"),
    WEIR_PARAM(ptx_exec_cfg, heap, "8M", .min = 16, .max = 17179869184.0, .unit = "byte",
               .help = "heap of malloc in kernels; made by the first launch that can use it"),
    WEIR_PARAM(
        ptx_exec_cfg, printf_bytes, "1M", .min = 1, .max = 1099511627776.0, .unit = "byte",
        .help =
            "buffer of printf in kernels for one launch: 8 bytes a call and each of its arguments, "
            "and the strings; when it is full the oldest output is lost"),
    WEIR_PARAM(ptx_exec_cfg, device_memory, "16G", .min = 1048576, .max = 1099511627776.0,
               .unit = "byte",
               .help = "device memory that can be allocated (reserved, used only where written)"),
    WEIR_PARAM(
        ptx_exec_cfg, stream_memory, "256M", .min = 1048576, .max = 1099511627776.0, .unit = "byte",
        .help = "warp streams kept in memory before they spill to a compressed temporary file",
        .when = "streams"),
    WEIR_PARAM(ptx_exec_cfg, sm_count, "132", .min = 1, .max = 4096,
               .help = "what %nsmid tells the program; block b runs on %smid = b modulo this"),
    WEIR_PARAM(ptx_exec_cfg, contract, "true",
               .help = "mul and add or sub without a rounding modifier become one fused "
                       "multiply-add where the assembler for an H200 fuses them; false = as the "
                       "text has it"),
    WEIR_PARAM(ptx_exec_cfg, simd, "auto", .choices = WEIR_CHOICES(PTX_SIMDS),
               .help = "vector code used for execution; results are the same for all"),
    WEIR_PARAM_END};

const struct weir_param_group ptx_exec_params = {.prefix = "exec",
                                                 .when = "executed",
                                                 .about = "Functional execution of PTX.",
                                                 .table = ptx_exec_table,
                                                 .cfg_bytes = sizeof(struct ptx_exec_cfg)};

enum weir_status ptx_device_init(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                 struct weir_err *err) {
  *dev = (struct ptx_device){.cfg = *cfg};
  return ptx_mem_init(&dev->mem, (uint64_t)cfg->device_memory, err);
}

enum weir_status ptx_device_init_same(struct ptx_device *dev, const struct ptx_exec_cfg *cfg,
                                      struct weir_err *err) {
  *dev = (struct ptx_device){.cfg = *cfg};
  return ptx_mem_init_same(&dev->mem, (uint64_t)cfg->device_memory, err);
}

void ptx_device_free(struct ptx_device *dev) {
  ptx_heap_free(dev->heap);
  dev->heap = NULL;
  ptx_tex_table_free(dev->tex);
  dev->tex = NULL;
  ptx_mem_free_all(&dev->mem);
}
