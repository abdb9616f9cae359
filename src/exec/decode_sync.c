/* Barriers and exchanges between lanes. */
#include "exec/decode_operand.h"
#include "exec/decode_ops.h"
#include "exec/sync.h"

void dec_bar(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  if (dec_has(d, PTX_M_warp)) {
    u->kind = PTX_K_SYNC;
    u->aux = PTX_SYNC_BARRIER;
    u->size = 4;
    uint32_t *list = dec_list(d, PTX_SYNC_SLOTS);
    if (list == NULL) return;
    list[PTX_SYNC_MEMBERS] = dec_src(d, 0, PTX_T_b32);
    u->x.list = list;
    return;
  }
  u->kind = PTX_K_BAR;
  u->d = UINT32_MAX;
  u->b = UINT32_MAX;
  unsigned k = 0, n = d->insn->n_opnds;
  bool is_red = dec_has(d, PTX_M_red);
  if (is_red) {
    bool neg = false;
    u->d = dec_dst(d, 0);
    u->c = dec_pred_src(d, n - 1, &neg);
    u->aux2 = neg;
    k = 1;
    n--;
  }
  u->aux = dec_has(d, PTX_M_arrive) ? PTX_BAR_ARRIVE
           : !is_red                ? PTX_BAR_SYNC
           : dec_has(d, PTX_M_popc) ? PTX_BAR_POPC
           : dec_has(d, PTX_M_and)  ? PTX_BAR_AND
                                    : PTX_BAR_OR;
  u->is_aligned = d->insn->op == PTX_OP_bar || dec_has(d, PTX_M_aligned);
  u->a = dec_src(d, k, PTX_T_u32);
  if (n > k + 1) u->b = dec_src(d, k + 1, PTX_T_u32);
}

void dec_exchange(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool is_sync = dec_has(d, PTX_M_sync);
  uint32_t *list = dec_list(d, PTX_SYNC_SLOTS);
  if (list == NULL) return;
  for (unsigned k = 0; k < PTX_SYNC_SLOTS; k++)
    list[k] = UINT32_MAX;
  u->x.list = list;
  u->kind = PTX_K_SYNC;
  u->size = 4;
  unsigned n = d->insn->n_opnds;
  if (is_sync) list[PTX_SYNC_MEMBERS] = dec_src(d, n - 1, PTX_T_b32);
  dec_pair_dst(d, 0, &u->d, &list[PTX_SYNC_PRED]);
  switch ((enum ptx_op)d->insn->op) {
  case PTX_OP_shfl:
    u->aux = dec_has(d, PTX_M_up)     ? PTX_SYNC_SHFL_UP
             : dec_has(d, PTX_M_down) ? PTX_SYNC_SHFL_DOWN
             : dec_has(d, PTX_M_bfly) ? PTX_SYNC_SHFL_BFLY
                                      : PTX_SYNC_SHFL_IDX;
    u->a = dec_src(d, 1, PTX_T_b32);
    u->b = dec_src(d, 2, PTX_T_u32);
    u->c = dec_src(d, 3, PTX_T_u32);
    break;
  case PTX_OP_vote: {
    bool neg = false;
    u->aux = dec_has(d, PTX_M_all)   ? PTX_SYNC_VOTE_ALL
             : dec_has(d, PTX_M_any) ? PTX_SYNC_VOTE_ANY
             : dec_has(d, PTX_M_uni) ? PTX_SYNC_VOTE_UNI
                                     : PTX_SYNC_VOTE_BALLOT;
    u->a = dec_pred_src(d, 1, &neg);
    u->aux2 = neg;
    break;
  }
  case PTX_OP_match:
    u->aux = dec_has(d, PTX_M_any) ? PTX_SYNC_MATCH_ANY : PTX_SYNC_MATCH_ALL;
    u->size = (uint8_t)ptx_type_bytes(dec_type(d, 0));
    u->a = dec_src(d, 1, dec_type(d, 0));
    break;
  case PTX_OP_elect:
    u->aux = PTX_SYNC_ELECT;
    break;
  default: /* redux */
    u->aux = dec_has(d, PTX_M_add)   ? PTX_SYNC_RED_ADD
             : dec_has(d, PTX_M_min) ? PTX_SYNC_RED_MIN
             : dec_has(d, PTX_M_max) ? PTX_SYNC_RED_MAX
             : dec_has(d, PTX_M_and) ? PTX_SYNC_RED_AND
             : dec_has(d, PTX_M_or)  ? PTX_SYNC_RED_OR
                                     : PTX_SYNC_RED_XOR;
    u->is_signed = ptx_type_is_signed(dec_type(d, 0));
    u->a = dec_src(d, 1, dec_type(d, 0));
    break;
  }
}

void dec_activemask(struct decoder *d) {
  d->uop->d = dec_dst(d, 0);
  dec_set_handler(d, PTX_H_activemask);
}

void dec_fence(struct decoder *d) {
  d->uop->kind = PTX_K_FENCE;
}

void dec_sleep(struct decoder *d) {
  d->uop->kind = PTX_K_SLEEP;
}

/* Hints, and what has no meaning where blocks have no clusters and kernels do not overlap. */
void dec_nop(struct decoder *d) {
  d->uop->kind = PTX_K_NOP;
}
