/* The version of the model: raised by every change that moves results, so that results of an
 * earlier one are not taken for today's. It is the number of entries with the mark [MODEL] in
 * CHANGELOG.md (tools/check_model.py).
 *
 * A new mechanism that is off unless a machine's file asks for it needs none: whoever asks has
 * other settings, and by these a result is found. Its entry has the mark [MODEL, machine].
 *
 * A change that moves results of traces only raises a version of their own, with the mark
 * [MODEL, traces]: what is executed here need not be run again. So does one of the estimate of
 * registers, [MODEL, registers]: it counts for workloads that leave some to be estimated. */
#ifndef WEIR_SIM_MODEL_H
#define WEIR_SIM_MODEL_H

enum { WEIR_MODEL = 28, WEIR_MODEL_TRACES = 1, WEIR_MODEL_REGISTERS = 1 };

#endif
