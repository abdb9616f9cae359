#include "../reference.h"
#include "cell.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t steps = ref_var(&r, "steps");
  float state[STATES], rate[STATES], flow[3];
  float parameter[PARAMETERS] = {418,  0, 120, 3.6, 96.5,  5.65, 24.2, 0.1, 0.003,
                                 0.57, 6, 24,  0.1, 0.003, 0.57, 1000, 135, 1};
  for (uint32_t i = 0; i < STATES; i++) {
    static const double special[] = {0.55, 9, 9, 9, 135, 1.7e-4, 1.1e-4, 9e-5, -85};
    double h = ref_hash(1, i);
    if (i >= 30 && i < 39)
      state[i] = (float)special[i - 30];
    else
      state[i] = (float)(i < 46 ? 0.05 + 0.9 * h / 4294967296.0 : 0.01 + 0.09 * h / 4294967296.0);
  }
  // Each launch makes all rates again; the last one counts.
  myocyte_membrane((float)steps, state, rate, parameter);
  for (int n = 0; n < 3; n++)
    myocyte_calmodulin(state + CALMODULIN(n), rate + CALMODULIN(n), parameter, parameter + 5 * n,
                       flow + n, state[35 + n] * 1000.0f);
  ref_expect(&r, "rate", rate, sizeof rate);
  ref_expect(&r, "flow", flow, sizeof flow);
  return 0;
}
