// The rates of change of a heart muscle cell's 91 states (Rodinia's myocyte with one cell), as a
// host's solver of differential equations asks for them thirteen times in each step: two blocks of
// 32 threads, in each of which one thread works. The first block has the membrane, the second one
// the calmodulin of the three compartments, one after the other.
//
// Hardly any memory: states and parameters are some hundred words in four or five lines, each word
// loaded once or a few times by a single lane, then long chains of exponentials, logarithms and
// divisions, and each rate stored by itself. There is nothing to hide a latency behind.
#include "cell.h"
#include "../suite.h"

extern "C" __global__ void myocyte_rates(int time, float *state, float *rate, float *parameter,
                                         float *flow) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) myocyte_membrane((float)time, state, rate, parameter);
  } else if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      myocyte_calmodulin(state + CALMODULIN(0), rate + CALMODULIN(0), parameter, parameter, flow,
                         state[35] * 1000.0f);
      myocyte_calmodulin(state + CALMODULIN(1), rate + CALMODULIN(1), parameter, parameter + 5,
                         flow + 1, state[36] * 1000.0f);
      myocyte_calmodulin(state + CALMODULIN(2), rate + CALMODULIN(2), parameter, parameter + 10,
                         flow + 2, state[37] * 1000.0f);
    }
  }
}
