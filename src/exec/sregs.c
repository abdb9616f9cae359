/* What the register block holds before a warp's first instruction: constants, parameters, special
 * registers. */
#include <string.h>

#include "exec/run.h"

static enum ptx_sreg_scope scope_of(unsigned s) {
  switch (s) {
  case PTX_SR_ctaid_x:
  case PTX_SR_ctaid_y:
  case PTX_SR_ctaid_z:
  case PTX_SR_clusterid_x:
  case PTX_SR_clusterid_y:
  case PTX_SR_clusterid_z:
  case PTX_SR_smid:
    return PTX_SREG_BLOCK;
  default:
    return PTX_SREG_FIXED;
  }
}

static uint64_t sreg_value(const struct ptx_run *r, const struct ptx_cta *cta, uint32_t warp,
                           uint32_t lane, unsigned s) {
  const uint32_t *b = r->launch.block, *g = r->launch.grid;
  uint32_t t = warp * LANES + lane;
  switch (s) {
  case PTX_SR_tid_x:
    return t % b[0];
  case PTX_SR_tid_y:
    return t / b[0] % b[1];
  case PTX_SR_tid_z:
    return t / b[0] / b[1];
  case PTX_SR_ntid_x:
    return b[0];
  case PTX_SR_ntid_y:
    return b[1];
  case PTX_SR_ntid_z:
    return b[2];
  case PTX_SR_ctaid_x:
  case PTX_SR_clusterid_x:
    return cta->ctaid[0];
  case PTX_SR_ctaid_y:
  case PTX_SR_clusterid_y:
    return cta->ctaid[1];
  case PTX_SR_ctaid_z:
  case PTX_SR_clusterid_z:
    return cta->ctaid[2];
  case PTX_SR_nctaid_x:
  case PTX_SR_nclusterid_x:
    return g[0];
  case PTX_SR_nctaid_y:
  case PTX_SR_nclusterid_y:
    return g[1];
  case PTX_SR_nctaid_z:
  case PTX_SR_nclusterid_z:
    return g[2];
  case PTX_SR_cluster_nctaid_x:
  case PTX_SR_cluster_nctaid_y:
  case PTX_SR_cluster_nctaid_z:
  case PTX_SR_cluster_nctarank:
    return 1;
  case PTX_SR_laneid:
    return lane;
  case PTX_SR_warpid:
    return warp;
  case PTX_SR_nwarpid:
    return r->n_warps;
  case PTX_SR_smid:
    return cta->id % (uint64_t)r->dev->cfg.sm_count;
  case PTX_SR_nsmid:
    return (uint64_t)r->dev->cfg.sm_count;
  case PTX_SR_gridid:
    return r->launch_index;
  case PTX_SR_lanemask_eq:
    return UINT32_C(1) << lane;
  case PTX_SR_lanemask_lt:
    return (UINT32_C(1) << lane) - 1;
  case PTX_SR_lanemask_le:
    return ((UINT32_C(1) << lane) - 1) | UINT32_C(1) << lane;
  case PTX_SR_lanemask_gt:
    return ~(((UINT32_C(1) << lane) - 1) | UINT32_C(1) << lane);
  case PTX_SR_lanemask_ge:
    return ~((UINT32_C(1) << lane) - 1);
  case PTX_SR_total_smem_size:
  case PTX_SR_aggr_smem_size:
    return r->shared_bytes;
  case PTX_SR_dynamic_smem_size:
    return r->launch.dyn_shared;
  case PTX_SR_envreg1:
    return r->grid_workspace >> 32;
  case PTX_SR_envreg2:
    return r->grid_workspace & UINT32_MAX;
  default:
    return 0; /* environment, performance counters and clusters: nothing there */
  }
}

static void put_lane(uint8_t *slot, unsigned bytes, uint32_t lane, uint64_t v) {
  memcpy(slot + (size_t)lane * bytes, &v, bytes);
}

void ptx_sregs_fill(const struct ptx_run *r, struct ptx_cta *cta, enum ptx_sreg_scope scope) {
  for (uint32_t k = 0; k < r->prog->n_sregs; k++) {
    const struct ptx_sreg_slot *s = &r->prog->sregs[k];
    if (scope_of(s->sreg) != scope) continue;
    if (scope == PTX_SREG_BLOCK) { /* the same for all threads of the block */
      uint8_t lanes[8 * LANES];
      uint64_t v = sreg_value(r, cta, 0, 0, s->sreg);
      for (uint32_t lane = 0; lane < LANES; lane++)
        put_lane(lanes, s->bytes, lane, v);
      for (uint32_t w = 0; w < cta->n_warps; w++)
        memcpy(cta->warps[w].reg + s->slot, lanes, (size_t)s->bytes * LANES);
      continue;
    }
    for (uint32_t w = 0; w < cta->n_warps; w++)
      for (uint32_t lane = 0; lane < LANES; lane++)
        put_lane(cta->warps[w].reg + s->slot, s->bytes, lane, sreg_value(r, cta, w, lane, s->sreg));
  }
}

/* Constants and parameters are the same for all warps. */
void ptx_fixed_fill(const struct ptx_run *r, uint8_t *reg) {
  for (uint32_t k = 0; k < r->prog->n_consts; k++) {
    const struct ptx_const_slot *c = &r->prog->consts[k];
    for (uint32_t lane = 0; lane < LANES; lane++)
      put_lane(reg + c->slot, c->bytes, lane, c->value);
  }
  for (uint32_t k = 0; k < r->prog->n_params; k++) {
    const struct ptx_param_slot *p = &r->prog->params[k];
    uint64_t v = 0;
    memcpy(&v, r->params + p->offset, p->bytes);
    if (p->is_signed && p->bytes < 8)
      v = (uint64_t)((int64_t)(v << (64 - 8 * p->bytes)) >> (64 - 8 * p->bytes));
    for (uint32_t lane = 0; lane < LANES; lane++)
      put_lane(reg + p->slot, p->reg_bytes, lane, v);
  }
}
