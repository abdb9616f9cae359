/* The predictor that learns by instruction which loads bring lines that nobody wants again. */
#ifndef WEIR_L1_ADMISSION_PC_BYPASS_H
#define WEIR_L1_ADMISSION_PC_BYPASS_H

#include "l1/parts.h"

struct weir_pc_bypass_cfg {
  int64_t hash_bits, counter_bits, threshold, correct_step, sample, duel_period, psel_off;
  bool duel, fill_on_mispredict, reset;
};

struct weir_pc_bypass_stats {
  uint64_t predictions, bypass_predictions, duelled, sampled, bypasses, false_positives;
  uint64_t feedback_bypass, feedback_fill, xcu_feedback, trained_up, trained_down;
};

/* The counter of an instruction. */
uint32_t weir_pc_bypass_counter(const struct weir_policy *p, uint64_t pc);

#endif
