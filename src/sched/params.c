#include "sched/reorder.h"

#define P(f, def_text, lo, hi, h, ...)                                                             \
  WEIR_PARAM(weir_reorder_cfg, f, def_text, .min = lo, .max = hi, .help = h, __VA_ARGS__)
/* docs/scheduling.md */
#define BY_PTXAS "fitted to ptxas 13.0 for sm_90"
static const struct weir_param table[] = {
    WEIR_PARAM(weir_reorder_cfg, order, "off", .choices = WEIR_CHOICES(WEIR_INSN_ORDERS),
               .help = "the order of a kernel's instructions: off: that of its PTX; blocks: loads "
                       "are moved up in their basic block, as in machine code; loops: innermost "
                       "loops are unrolled too. Traces of machine code stay as they are"),
    P(unroll, "4", 1, 16,
      "iterations of an unrolled loop that are ordered together; what is left "
      "is taken by halves of that",
      .source = "most loops that ptxas 13.0 unrolls for sm_90 (tests/sched)",
      .when = "order=loops"),
    P(full, "16", 1, 16,
      "the same of loops whose number of iterations is known, which compilers "
      "make straight code of",
      .source = "guess", .when = "order=loops"),
    P(body, "44", 1, 4096,
      "instructions of the largest loop that is unrolled, constants not counted",
      .source = BY_PTXAS, .when = "order=loops"),
    P(registers, "28", 8, 255,
      "registers of a thread that loads are moved up with, if the kernel is not known to have "
      "other",
      .source = BY_PTXAS, .when = "order=blocks|loops"),
    P(window, "256", 16, 1024, "instructions of a warp that are looked at together",
      .source = "guess", .when = "order=blocks|loops"),
    WEIR_PARAM(weir_reorder_cfg, textures, "false",
               .help = "texture reads are moved up as loads are", .source = "off",
               .when = "order=blocks|loops"),
    WEIR_PARAM(weir_reorder_cfg, tests, "false",
               .help = "what a branch depends on is moved up, if it needs no load of its region",
               .source = "off", .when = "order=blocks|loops"),
    WEIR_PARAM(weir_reorder_cfg, pc, "ptx", .choices = WEIR_CHOICES(WEIR_COPY_PCS),
               .help = "what policies see as the program counter of an unrolled copy: that of its "
                       "instruction in the PTX, or its own",
               .when = "order=loops"),
    WEIR_PARAM_END};
const struct weir_param_group weir_reorder_params = {
    "sched", "The order that a compiler would give instructions.", table,
    sizeof(struct weir_reorder_cfg), "timed"};
