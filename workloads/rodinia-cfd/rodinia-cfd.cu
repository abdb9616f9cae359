// Flow of a compressible gas (Euler's equations) over a mesh of tetrahedra, three steps of
// Runge-Kutta to an iteration. An element per thread, in blocks of 192: initial values, the length
// of each element's step, fluxes over its four faces, and the step itself.
//
// Data lie as structures of arrays, so an element's own values, its neighbours' indices and the
// normals of its faces stream in whole lines. Five values of each neighbour are gathered; how far
// those of a warp are apart is a matter of the mesh's numbering. The undisturbed flow is in
// constant memory.
#include "../suite.h"

#define FACES  4
#define VALUES 5 // density, momentum in x, y and z, energy
#define GAMMA  1.4f
#define STEPS  3

// The undisturbed flow at Mach 1.2 along x: its values, and what it carries of momentum (rows) and
// of energy through a unit of surface in x, y and z.
__constant__ float far_value[VALUES] = {1.4f, 1.68f, 0.0f, 0.0f, 3.508f};
__constant__ float far_momentum[3][3] = {
    {3.016f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
__constant__ float far_energy[3] = {5.4096f, 0.0f, 0.0f};

struct state {
  float density, mx, my, mz, energy;
  float vx, vy, vz, speed2, pressure, sound;
};

struct carried { // symmetric, so six of the nine for momentum
  float xx, xy, xz, yy, yz, zz, ex, ey, ez;
};

static __device__ inline state load_state(float *value, int n, int i) {
  state s;
  s.density = value[i];
  s.mx = value[i + n];
  s.my = value[i + 2 * n];
  s.mz = value[i + 3 * n];
  s.energy = value[i + 4 * n];
  s.vx = s.mx / s.density;
  s.vy = s.my / s.density;
  s.vz = s.mz / s.density;
  s.speed2 = fmaf(s.vz, s.vz, fmaf(s.vy, s.vy, s.vx * s.vx));
  s.pressure = (GAMMA - 1.0f) * fmaf(-0.5f * s.density, s.speed2, s.energy);
  s.sound = sqrtf(GAMMA * s.pressure / s.density);
  return s;
}

static __device__ inline carried carry(state s) {
  carried c;
  float total = s.energy + s.pressure;
  c.xx = fmaf(s.vx, s.mx, s.pressure);
  c.xy = s.vx * s.my;
  c.xz = s.vx * s.mz;
  c.yy = fmaf(s.vy, s.my, s.pressure);
  c.yz = s.vy * s.mz;
  c.zz = fmaf(s.vz, s.mz, s.pressure);
  c.ex = s.vx * total;
  c.ey = s.vy * total;
  c.ez = s.vz * total;
  return c;
}

extern "C" __global__ void cfd_initialise(int n, float *value) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  LOOP for (int v = 0; v < VALUES; v++)
    value[i + v * n] = far_value[v];
}

extern "C" __global__ void cfd_step_factor(int n, float *value, float *area, float *factor) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  state s = load_state(value, n, i);
  factor[i] = 0.5f / (sqrtf(area[i]) * (sqrtf(s.speed2) + s.sound));
}

extern "C" __global__ void cfd_flux(int n, int *neighbour, float *normal, float *value,
                                    float *flux) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  state s = load_state(value, n, i);
  carried c = carry(s);
  float speed = sqrtf(s.speed2);
  float density = 0.0f, mx = 0.0f, my = 0.0f, mz = 0.0f, energy = 0.0f;

#pragma unroll
  for (int f = 0; f < FACES; f++) {
    int u = neighbour[i + f * n];
    float nx = normal[i + f * n];
    float ny = normal[i + (f + FACES) * n];
    float nz = normal[i + (f + 2 * FACES) * n];
    float length = sqrtf(fmaf(nz, nz, fmaf(ny, ny, nx * nx)));
    if (u >= 0) {
      state t = load_state(value, n, u);
      carried d = carry(t);
      float k = -length * 0.2f * 0.5f * (speed + sqrtf(t.speed2) + s.sound + t.sound); // viscosity
      density = fmaf(k, s.density - t.density, density);
      energy = fmaf(k, s.energy - t.energy, energy);
      mx = fmaf(k, s.mx - t.mx, mx);
      my = fmaf(k, s.my - t.my, my);
      mz = fmaf(k, s.mz - t.mz, mz);
      k = 0.5f * nx;
      density = fmaf(k, t.mx + s.mx, density);
      energy = fmaf(k, d.ex + c.ex, energy);
      mx = fmaf(k, d.xx + c.xx, mx);
      my = fmaf(k, d.xy + c.xy, my);
      mz = fmaf(k, d.xz + c.xz, mz);
      k = 0.5f * ny;
      density = fmaf(k, t.my + s.my, density);
      energy = fmaf(k, d.ey + c.ey, energy);
      mx = fmaf(k, d.xy + c.xy, mx);
      my = fmaf(k, d.yy + c.yy, my);
      mz = fmaf(k, d.yz + c.yz, mz);
      k = 0.5f * nz;
      density = fmaf(k, t.mz + s.mz, density);
      energy = fmaf(k, d.ez + c.ez, energy);
      mx = fmaf(k, d.xz + c.xz, mx);
      my = fmaf(k, d.yz + c.yz, my);
      mz = fmaf(k, d.zz + c.zz, mz);
    } else if (u == -1) { // a wall
      mx = fmaf(nx, s.pressure, mx);
      my = fmaf(ny, s.pressure, my);
      mz = fmaf(nz, s.pressure, mz);
    } else if (u == -2) { // the end of the mesh
      float k = 0.5f * nx;
      density = fmaf(k, far_value[1] + s.mx, density);
      energy = fmaf(k, far_energy[0] + c.ex, energy);
      mx = fmaf(k, far_momentum[0][0] + c.xx, mx);
      my = fmaf(k, far_momentum[1][0] + c.xy, my);
      mz = fmaf(k, far_momentum[2][0] + c.xz, mz);
      k = 0.5f * ny;
      density = fmaf(k, far_value[2] + s.my, density);
      energy = fmaf(k, far_energy[1] + c.ey, energy);
      mx = fmaf(k, far_momentum[0][1] + c.xy, mx);
      my = fmaf(k, far_momentum[1][1] + c.yy, my);
      mz = fmaf(k, far_momentum[2][1] + c.yz, mz);
      k = 0.5f * nz;
      density = fmaf(k, far_value[3] + s.mz, density);
      energy = fmaf(k, far_energy[2] + c.ez, energy);
      mx = fmaf(k, far_momentum[0][2] + c.xz, mx);
      my = fmaf(k, far_momentum[1][2] + c.yz, my);
      mz = fmaf(k, far_momentum[2][2] + c.zz, mz);
    }
  }

  flux[i] = density;
  flux[i + n] = mx;
  flux[i + 2 * n] = my;
  flux[i + 3 * n] = mz;
  flux[i + 4 * n] = energy;
}

extern "C" __global__ void cfd_time_step(int step, int n, float *before, float *value,
                                         float *factor, float *flux) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float k = factor[i] / (float)(STEPS + 1 - step);
  value[i] = fmaf(k, flux[i], before[i]);
  value[i + 4 * n] = fmaf(k, flux[i + 4 * n], before[i + 4 * n]);
  value[i + n] = fmaf(k, flux[i + n], before[i + n]);
  value[i + 2 * n] = fmaf(k, flux[i + 2 * n], before[i + 2 * n]);
  value[i + 3 * n] = fmaf(k, flux[i + 3 * n], before[i + 3 * n]);
}
