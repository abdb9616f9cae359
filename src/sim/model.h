/* The version of the model: raised by every change that moves results, so that results of an
 * earlier one are not taken for today's. It is the number of entries with the mark [MODEL] in
 * CHANGELOG.md (tools/check_model.py). */
#ifndef WEIR_SIM_MODEL_H
#define WEIR_SIM_MODEL_H

enum { WEIR_MODEL = 28 };

#endif
