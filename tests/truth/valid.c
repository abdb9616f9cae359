/* Constraints of the PTX manual (9.0) between modifiers of one instruction, for sm_90. They steer
 * which combinations become variants; what slips through is found by ptxas and listed in
 * data/refused.txt. */
#include "maker.h"

static bool any_of(const struct ptx_insn *in, const enum ptx_mod *mods) {
  for (; *mods != PTX_M_none; mods++)
    if (ptx_has(in, *mods)) return true;
  return false;
}
#define ANY(in, ...) any_of(in, (const enum ptx_mod[]){__VA_ARGS__, PTX_M_none})

static unsigned vec_bytes(const struct ptx_insn *in) {
  unsigned n = ptx_has(in, PTX_M_v4) ? 4 : ptx_has(in, PTX_M_v2) ? 2 : 1;
  return n * truth_type_bytes(ptx_insn_type(in, 0));
}

static bool valid_memory(const struct ptx_insn *in) {
  bool global = ANY(in, PTX_M_global),
       generic = !ANY(in, PTX_M_global, PTX_M_shared, PTX_M_shared_cta, PTX_M_local, PTX_M_const,
                      PTX_M_param, PTX_M_param_entry, PTX_M_param_func);
  bool prio = ANY(in, PTX_M_L1_evict_normal, PTX_M_L1_evict_unchanged, PTX_M_L1_evict_first,
                  PTX_M_L1_evict_last, PTX_M_L1_no_allocate);
  bool cop = ANY(in, PTX_M_ca, PTX_M_cg, PTX_M_cs, PTX_M_lu, PTX_M_cv, PTX_M_wb, PTX_M_wt);
  /* 256-bit accesses and the L2 priorities that only they take came with sm_100. */
  if (ANY(in, PTX_M_v8, PTX_M_L2_evict_normal, PTX_M_L2_evict_first, PTX_M_L2_evict_last) ||
      vec_bytes(in) > 16)
    return false;
  if (prio && cop) return false;
  if ((prio || ANY(in, PTX_M_L2_64B, PTX_M_L2_128B, PTX_M_L2_256B)) && !global && !generic)
    return false;
  if (ANY(in, PTX_M_relaxed, PTX_M_acquire, PTX_M_release) && ANY(in, PTX_M_const, PTX_M_local))
    return false;
  if (ptx_has(in, PTX_M_volatile) && ANY(in, PTX_M_const, PTX_M_local)) return false;
  if (ptx_has(in, PTX_M_weak) && ptx_has(in, PTX_M_nc)) return false;
  return true;
}

static bool valid_cvt(const struct ptx_insn *in) {
  enum ptx_type d = ptx_insn_type(in, 0), s = ptx_insn_type(in, 1);
  if (ptx_has(in, PTX_M_ftz) && d != PTX_T_f32 && s != PTX_T_f32) return false;
  return true;
}

bool mk_valid(const struct ptx_insn *in) {
  switch ((int)in->op) {
  case PTX_OP_ld:
  case PTX_OP_ldu:
  case PTX_OP_st:
    return valid_memory(in);
  case PTX_OP_cvt:
    return valid_cvt(in);
  case PTX_OP_set: /* flushing is for f32 operands */
    return !ptx_has(in, PTX_M_ftz) || ptx_insn_type(in, 1) == PTX_T_f32 ||
           ptx_insn_type(in, 1) == PTX_T_f16 || ptx_insn_type(in, 1) == PTX_T_f16x2;
  case PTX_OP_mbarrier: { /* .relaxed came with PTX 8.6; semantics and scope stand together */
    bool sem = ANY(in, PTX_M_release, PTX_M_acquire, PTX_M_relaxed);
    if (ANY(in, PTX_M_complete_tx) ||
        (ANY(in, PTX_M_expect_tx) && !ANY(in, PTX_M_arrive, PTX_M_arrive_drop)))
      return true;
    return !ptx_has(in, PTX_M_relaxed) && sem == ANY(in, PTX_M_cta, PTX_M_cluster);
  }
  default:
    return true;
  }
}
