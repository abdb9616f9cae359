// The matrix Q of a magnetic-resonance reconstruction, as Parboil's mri-q: first the squared
// magnitude of every sample's phase, then, for each voxel, the sum over the samples of k-space of
// magnitude * e^(2 pi i k.x). The samples lie in constant memory, 1024 at a time and a launch for
// each such chunk; a thread keeps its voxel in registers, and reads and writes its two sums once a
// launch. Global memory sees five coalesced streams and two more of stores between long stretches
// of arithmetic: nothing for a cache to keep.
//
// The original's host copies each chunk into constant memory. Here it is filled when the module is
// loaded, so every chunk has the same samples: sample s has the coordinates and the phase of sample
// s % 1024. The table holds each sample's x, y, z and magnitude.
#include "../suite.h"

#define CHUNK 1024

// A sample's five numbers: three coordinates, real and imaginary part of its phase.
constexpr float number(unsigned sample, unsigned which) {
  return ((int)((sample * 5u + which) * 2654435761u >> 22) - 512) / 1024.0f;
}

struct Samples {
  float v[CHUNK * 4];
};
constexpr Samples all_samples() {
  Samples s = {};
  for (unsigned i = 0; i < CHUNK; i++) {
    for (unsigned c = 0; c < 3; c++)
      s.v[i * 4 + c] = number(i, c);
    s.v[i * 4 + 3] = number(i, 3) * number(i, 3) + number(i, 4) * number(i, 4); // exact
  }
  return s;
}
__constant__ Samples samples = all_samples();

extern "C" __global__ void phi_magnitude(float *re, float *im, float *magnitude, int n) {
  int i = blockIdx.x * 512 + threadIdx.x;
  if (i < n) {
    float a = re[i], b = im[i];
    magnitude[i] = fmaf(b, b, a * a);
  }
}

// One sample's share of both sums.
__device__ static inline void add_sample(const float *s, float x, float y, float z, float *qr,
                                         float *qi) {
  float sine, cosine;
  suite_sincosf(6.28318548f * fmaf(s[2], z, fmaf(s[1], y, s[0] * x)), &sine, &cosine);
  *qr = fmaf(s[3], cosine, *qr);
  *qi = fmaf(s[3], sine, *qi);
}

extern "C" __global__ void compute_q(int n, int first, int chunk, float *vx, float *vy, float *vz,
                                     float *sum_re, float *sum_im) {
  int v = blockIdx.x * 256 + threadIdx.x;
  float x = vx[v], y = vy[v], z = vz[v], qr = sum_re[v], qi = sum_im[v];
  int s = 0;
  if (n % 2) {
    add_sample(samples.v, x, y, z, &qr, &qi);
    s++;
    first++;
  }
  LOOP
  for (; s < chunk && first < n; s += 2, first += 2) { // two samples a turn
    add_sample(samples.v + s * 4, x, y, z, &qr, &qi);
    add_sample(samples.v + s * 4 + 4, x, y, z, &qr, &qi);
  }
  sum_re[v] = qr;
  sum_im[v] = qi;
}
