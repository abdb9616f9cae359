/* Many small stack machines: a table of functions, a switch, messages by printf, and a virtual
 * clock. */
#include "common.h"

enum { PUSH, ADD, MUL, SWAP, DUP, JNZ, LOG, CALL, HALT };

typedef double (*Function)(double);
__device__ double halve(double x) {
  return x * 0.5;
}
__device__ double square(double x) {
  return x * x - 1.0;
}
__device__ double invert(double x) {
  return 1.0 / (x + 0.25);
}
__device__ double root(double x) {
  return sqrt(fabs(x));
}
__device__ Function functions[] = {halve, square, invert, root};

struct Code {
  unsigned char op;
  short arg;
};
__constant__ Code program[24];

__global__ void execute(double *result, int *ticks, int quiet) {
  double stack[8];
  int sp = 0, pc = 0, tick = 0, id = blockIdx.x * blockDim.x + threadIdx.x;
  stack[sp++] = id % 7 - 2.5;
  int counter = 3 + id % 5;
  for (; tick < 500; tick++) {
    Code c = program[pc++];
    switch (c.op) {
    case PUSH:
      stack[sp++] = c.arg / 16.0;
      break;
    case ADD:
      sp--;
      stack[sp - 1] += stack[sp];
      break;
    case MUL:
      sp--;
      stack[sp - 1] *= stack[sp];
      break;
    case SWAP: {
      double t = stack[sp - 1];
      stack[sp - 1] = stack[sp - 2];
      stack[sp - 2] = t;
      break;
    }
    case DUP:
      stack[sp] = stack[sp - 1];
      sp++;
      break;
    case JNZ:
      if (--counter > 0) pc += c.arg;
      break;
    case LOG:
      if (id == c.arg && !quiet)
        printf("machine %d: tick %d top %.10f depth %d left %d %s\n", id, tick, stack[sp - 1], sp,
               counter, stack[sp - 1] > 0 ? "up" : "down");
      break;
    case CALL:
      stack[sp - 1] = functions[(c.arg + id) & 3](stack[sp - 1]);
      break;
    case HALT:
      result[id] = stack[sp - 1];
      ticks[id] = tick;
      return;
    }
  }
  result[id] = -1;
  ticks[id] = tick;
}

int main() {
  const Code code[24] = {{PUSH, 24}, {LOG, 5},  {MUL, 0},  {CALL, 0}, {PUSH, 3}, {ADD, 0},
                         {DUP, 0},   {CALL, 1}, {SWAP, 0}, {CALL, 2}, {ADD, 0},  {LOG, 5},
                         {JNZ, -7},  {DUP, 0},  {CALL, 3}, {ADD, 0},  {LOG, 5},  {HALT, 0}};
  OK(cudaMemcpyToSymbol(program, code, sizeof code));
  double *d_result, result[160];
  int *d_ticks, ticks[160];
  OK(cudaMalloc(&d_result, sizeof result));
  OK(cudaMalloc(&d_ticks, sizeof ticks));
  for (int quiet = 0; quiet < 2; quiet++) {
    execute<<<5 - quiet, 32 + 8 * quiet>>>(d_result, d_ticks, quiet);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(ticks, d_ticks, sizeof ticks, cudaMemcpyDeviceToHost));
    printf("results %08x ticks %08x: %a %d\n", checksum(result, sizeof result),
           checksum(ticks, sizeof ticks), result[42], ticks[42]);
  }
}
