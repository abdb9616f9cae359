/* Warp streams to the parts of a group, and back. */
#ifndef WEIR_TRACE_WTRACE_CODE_H
#define WEIR_TRACE_WTRACE_CODE_H

#include "trace/wtrace_model.h"

/* ---- encoder ---- */

struct wt_encoder {
  const struct weir_kernel_info *kernel;
  struct wt_model model;
  uint8_t *part[WT_N_PARTS], *at[WT_N_PARTS]; /* start and end of what is there */
  uint64_t block, next_block;                 /* of the group's start; id that BLOCK 0 would mean */
  uint32_t warp;
  bool is_inside; /* the group starts inside a warp */
  uint32_t pos, mask, prev_mask;
  uint64_t n_insns, n_mem; /* of the group */
};

bool wt_encoder_init(struct wt_encoder *e); /* false: out of memory */
void wt_encoder_free(struct wt_encoder *e);
bool wt_encoder_kernel(struct wt_encoder *e, const struct weir_kernel_info *k);
/* A new group from this point on. */
void wt_encoder_restart(struct wt_encoder *e, uint64_t block, uint32_t warp, bool is_inside);
void wt_encoder_head(struct wt_encoder *e, uint32_t kernel, bool is_cut);
static inline size_t wt_encoder_bytes(const struct wt_encoder *e) {
  size_t n = 0;
  for (int i = WT_P_OPS; i < WT_N_PARTS; i++)
    n += (size_t)(e->at[i] - e->part[i]);
  return n;
}

void wt_encode_block(struct wt_encoder *e, uint64_t id);
void wt_encode_warp(struct wt_encoder *e, uint32_t warp);
void wt_encode_end(struct wt_encoder *e);
/* `n` instructions without addresses, or one with. */
void wt_encode_run(struct wt_encoder *e, uint32_t insn, uint32_t mask, uint32_t n);
void wt_encode_mem(struct wt_encoder *e, const struct weir_dyn *d);

/* ---- decoder ---- */

struct wt_decoder {
  const struct weir_kernel_info *kernel;
  struct wt_model model;
  const uint8_t *at[WT_N_PARTS], *end[WT_N_PARTS];
  uint32_t warp, pos, mask, prev_mask;
  uint64_t block, next_block, n_blocks; /* n_blocks: of the grid */
  uint64_t n_insns, n_mem, group_insns; /* of the source; of the group, as its head says */
  uint64_t group_began;                 /* n_insns when the group began */
  bool in_block, is_cut;
  struct weir_block_stream *stream;
};

bool wt_decoder_init(struct wt_decoder *d, const struct weir_kernel_info *k);
void wt_decoder_free(struct wt_decoder *d);
/* A new group: parts are followed by WT_SLACK readable bytes. With `is_fresh` the decoder forgets
 * the block it was in, and skips one that the group continues. NULL or what is wrong. */
const char *wt_decode_group(struct wt_decoder *d, uint32_t kernel, bool is_fresh);
/* Goes on until a block is complete (*done) or the group is used up. */
const char *wt_decode(struct wt_decoder *d, struct weir_stream_pool *pool, bool *done,
                      struct weir_err *err);

#endif
