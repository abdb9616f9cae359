// Electrostatic potential of charges on the points of a lattice, up to a cutoff, as Parboil's
// cutcp: space is cut into cubic bins of eight atoms (128 bytes, unused places have no charge), the
// lattice into regions of 8x8x8 points, and a block of 8x2x8 threads does one region, four points a
// thread, going through the bins of its neighbourhood (335 of them, offsets in constant memory) 32
// at a time by way of shared memory. A launch does one layer of regions.
//
// A half warp loads a bin in two loads of 64 bytes; the bins of a row are neighbours in memory. Two
// neighbouring blocks share six of seven bins, but a block's neighbourhood is 43 KB, more than an
// L1, and is gone through once.
//
// 1 / sqrt(r2) is a square root and a reciprocal, where the original has an approximation.
#include "../suite.h"

#define REACH  3  // bins to each side: a cutoff of 12 in bins of 4
#define NEAR   335
#define CACHED 32 // bins in shared memory

struct Offset {
  int x, y, z;
};
struct Neighbours {
  int count;
  Offset at[NEAR];
};
// Bins that may hold an atom within the cutoff of some point of the bin in the middle.
constexpr Neighbours all_neighbours() {
  Neighbours n = {};
  for (int z = -REACH; z <= REACH; z++)
    for (int y = -REACH; y <= REACH; y++)
      for (int x = -REACH; x <= REACH; x++)
        if (x * x + y * y + z * z < 23) { // (12 + 4 sqrt 3)^2 / 4^2 is 22.4
          n.at[n.count] = {x, y, z};
          n.count++;
        }
  return n;
}
__constant__ Neighbours neighbours = all_neighbours();

__device__ static inline void add_atom(float *energy, float charge, float r2, float cutoff2,
                                       float inverse) {
  if (r2 < cutoff2) {
    float s = fmaf(-r2, inverse, 1.0f);
    *energy = fmaf(charge * __frcp_rn(__fsqrt_rn(r2)) * s, s, *energy);
  }
}

extern "C" __global__ void cutoff_potential(int bins_x, int bins_y, float *bins, float spacing,
                                            float cutoff2, float inverse, float *regions,
                                            int layer) {
  __shared__ float cache[CACHED * 32];
  int t = (threadIdx.z * 2 + threadIdx.y) * 8 + threadIdx.x;
  float x = (float)(8 * blockIdx.x + threadIdx.x) * spacing;
  float y = (float)(8 * blockIdx.y + threadIdx.y) * spacing;
  float z = (float)(8 * layer + threadIdx.z) * spacing;
  int home_x = (int)floorf((float)(8 * blockIdx.x + 4) * spacing * 0.25f);
  int home_y = (int)floorf((float)(8 * blockIdx.y + 4) * spacing * 0.25f);
  int home_z = (int)floorf((float)(8 * layer + 4) * spacing * 0.25f);
  float energy0 = 0, energy1 = 0, energy2 = 0, energy3 = 0;
  int next = t >> 4; // the half warp's next bin
  int here = CACHED;
  LOOP
  for (int done = 0; done < neighbours.count; done += here) {
    LOOP
    for (int turn = 0; turn < 4 && next < neighbours.count; turn++, next += 8) {
      Offset o = neighbours.at[next];
      float *bin = bins + (((home_z + o.z) * bins_y + home_y + o.y) * bins_x + home_x + o.x) * 32;
      float *place = cache + ((t >> 4) + turn * 8) * 32 + (t & 15);
      place[0] = bin[t & 15];
      place[16] = bin[(t & 15) + 16];
    }
    __syncthreads();
    if (done + CACHED > neighbours.count) here = neighbours.count - done;
    LOOP
    for (int bin = 0; bin < here * 32; bin += 32) {
      LOOP
      for (int atom = 0; atom < 8; atom++) {
        float *a = cache + bin + atom * 4;
        float charge = a[3];
        if (charge == 0.0f) break;
        float dx = a[0] - x, dz = a[2] - z, dy = a[1] - y;
        float xz = fmaf(dx, dx, dz * dz);
        add_atom(&energy0, charge, fmaf(dy, dy, xz), cutoff2, inverse);
        dy -= 2.0f * spacing;
        add_atom(&energy1, charge, fmaf(dy, dy, xz), cutoff2, inverse);
        dy -= 2.0f * spacing;
        add_atom(&energy2, charge, fmaf(dy, dy, xz), cutoff2, inverse);
        dy -= 2.0f * spacing;
        add_atom(&energy3, charge, fmaf(dy, dy, xz), cutoff2, inverse);
      }
    }
    __syncthreads();
  }
  float *out = regions + ((layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 512;
  out += (t >> 4) * 64 + (t & 15);
  out[0] = energy0;
  out[16] = energy1;
  out[32] = energy2;
  out[48] = energy3;
}
