/* Prices of European options, with the polynomial for the normal distribution; results to the
 * digits that do not depend on how a GPU approximates ex2 and 1/x. */
#include "common.h"
#include <cmath>

__device__ inline float cnd(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
              a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c =
      0.39894228f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - c : c;
}

__global__ void price(float2 *out, const float *spot, const float *strike, const float *years,
                      float rate, float vol, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = spot[i], x = strike[i], t = years[i];
    float sq = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * vol * vol) * t) / (vol * sq);
    float d2 = d1 - vol * sq;
    float n1 = cnd(d1), n2 = cnd(d2);
    float disc = expf(-rate * t);
    out[i] = make_float2(s * n1 - x * disc * n2, x * disc * (1.0f - n2) - s * (1.0f - n1));
  }
}

/* The same in double with erfc, to compare with. */
__global__ void price_exact(double *out, const float *spot, const float *strike, const float *years,
                            double rate, double vol, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = spot[i], x = strike[i], t = years[i];
  double d1 = (log(s / x) + (rate + 0.5 * vol * vol) * t) / (vol * sqrt(t));
  double d2 = d1 - vol * sqrt(t);
  out[i] = s * 0.5 * erfc(-d1 * M_SQRT1_2) - x * exp(-rate * t) * 0.5 * erfc(-d2 * M_SQRT1_2);
}

int main() {
  const int n = 1500;
  static float spot[n], strike[n], years[n];
  static float2 out[n];
  static double exact[n];
  unsigned seed = 5347;
  for (int i = 0; i < n; i++) {
    spot[i] = 5.0f + 25.0f * (next_random(&seed) / 16777216.0f);
    strike[i] = 1.0f + 99.0f * (next_random(&seed) / 16777216.0f);
    years[i] = 0.25f + 9.75f * (next_random(&seed) / 16777216.0f);
  }
  float *d_in[3];
  const float *host[3] = {spot, strike, years};
  for (int k = 0; k < 3; k++) {
    OK(cudaMalloc(&d_in[k], sizeof spot));
    OK(cudaMemcpy(d_in[k], host[k], sizeof spot, cudaMemcpyHostToDevice));
  }
  float2 *d_out;
  double *d_exact;
  OK(cudaMalloc(&d_out, sizeof out));
  OK(cudaMalloc(&d_exact, sizeof exact));
  price<<<4, 128>>>(d_out, d_in[0], d_in[1], d_in[2], 0.02f, 0.30f, n);
  price_exact<<<(n + 95) / 96, 96>>>(d_exact, d_in[0], d_in[1], d_in[2], 0.02, 0.30, n);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(exact, d_exact, sizeof exact, cudaMemcpyDeviceToHost));
  int close = 0;
  for (int i = 0; i < n; i++)
    close += fabs(out[i].x - exact[i]) < 1e-4;
  printf("close %d of %d\n", close, n);
  for (int i = 0; i < 4; i++)
    printf("%.4f %.4f %.12f\n", out[i].x, out[i].y, exact[i]);
}
