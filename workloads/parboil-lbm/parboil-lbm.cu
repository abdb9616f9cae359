// Lattice-Boltzmann flow in a cavity of 120 x ny x nz cells, 19 velocities, a launch per time step
// and a cell per thread, as Parboil's lbm: a structure of arrays of which 20 words belong to a cell
// (the 19 densities and a word of flags), rows of 120 cells padded to 128 words, and four planes of
// padding behind the last. A thread gathers each density from the neighbour that it streams in
// from, relaxes them (or, in an obstacle, turns them back) and writes its own cell of the other
// grid.
//
// All 20 loads stream: each word of the source is loaded once. Ten of them are shifted by one cell
// and touch two lines a warp, the second of which is the next warp's first; the arrays start at
// multiples of 4 KB from one another, so that without a hash all of a warp's lines fall into the
// same set of an L1.
#include "../suite.h"

#define PITCH 128 // words of a row

// Order of the arrays: rest; the six along an axis; the twelve along two.
enum { C, N, S, E, W, T, B, NE, NW, SE, SW, NT, NB, ST, SB, ET, EB, WT, WB, FLAGS };
#define OBSTACLE 1u
#define DRIVEN   2u

__device__ static inline float relax(float f, float weight, float v, float base) {
  return fmaf(1.0f - 1.95f, f, weight * fmaf(v, fmaf(4.5f, v, 3.0f), -base));
}

extern "C" __global__ void lbm_step(const float *from, float *to, int array) {
  int dy = PITCH, dz = PITCH * gridDim.x;
  int cell = threadIdx.x + blockIdx.x * dy + blockIdx.y * dz;
  from += cell;
  to += cell;
  float c = from[C * array];
  float n = from[N * array - dy], s = from[S * array + dy];
  float e = from[E * array - 1], w = from[W * array + 1];
  float t = from[T * array - dz], b = from[B * array + dz];
  float ne = from[NE * array - 1 - dy], nw = from[NW * array + 1 - dy];
  float se = from[SE * array - 1 + dy], sw = from[SW * array + 1 + dy];
  float nt = from[NT * array - dy - dz], nb = from[NB * array - dy + dz];
  float st = from[ST * array + dy - dz], sb = from[SB * array + dy + dz];
  float et = from[ET * array - 1 - dz], eb = from[EB * array - 1 + dz];
  float wt = from[WT * array + 1 - dz], wb = from[WB * array + 1 + dz];
  unsigned flags = __float_as_uint(from[FLAGS * array]);
  if (flags & OBSTACLE) { // everything leaves as it came
    float x;
    x = n, n = s, s = x;
    x = e, e = w, w = x;
    x = t, t = b, b = x;
    x = ne, ne = sw, sw = x;
    x = nw, nw = se, se = x;
    x = nt, nt = sb, sb = x;
    x = nb, nb = st, st = x;
    x = et, et = wb, wb = x;
    x = eb, eb = wt, wt = x;
  } else {
    float rho = c + n + s + e + w + t + b + ne + nw + se + sw + nt + nb + st + sb + et + eb + wt +
                wb;
    float ux = e - w + ne - nw + se - sw + et + eb - wt - wb;
    float uy = n - s + ne + nw - se - sw + nt + nb - st - sb;
    float uz = t - b + nt - nb + st - sb + et - eb + wt - wb;
    ux = __fdiv_rn(ux, rho);
    uy = __fdiv_rn(uy, rho);
    uz = __fdiv_rn(uz, rho);
    if (flags & DRIVEN) {
      ux = 0.005f;
      uy = 0.002f;
      uz = 0.0f;
    }
    float base = fmaf(1.5f, fmaf(uz, uz, fmaf(uy, uy, ux * ux)), -1.0f);
    float share = 1.95f * rho, one = share * (1.0f / 18.0f), two = share * (1.0f / 36.0f);
    c = fmaf(1.0f - 1.95f, c, share * (1.0f / 3.0f) * -base);
    n = relax(n, one, uy, base);
    s = relax(s, one, -uy, base);
    t = relax(t, one, uz, base);
    b = relax(b, one, -uz, base);
    e = relax(e, one, ux, base);
    w = relax(w, one, -ux, base);
    nt = relax(nt, two, uy + uz, base);
    nb = relax(nb, two, uy - uz, base);
    st = relax(st, two, uz - uy, base);
    sb = relax(sb, two, -uy - uz, base);
    ne = relax(ne, two, ux + uy, base);
    se = relax(se, two, ux - uy, base);
    et = relax(et, two, ux + uz, base);
    eb = relax(eb, two, ux - uz, base);
    nw = relax(nw, two, uy - ux, base);
    sw = relax(sw, two, -ux - uy, base);
    wt = relax(wt, two, uz - ux, base);
    wb = relax(wb, two, -ux - uz, base);
  }
  to[C * array] = c;
  to[N * array] = n;
  to[S * array] = s;
  to[E * array] = e;
  to[W * array] = w;
  to[T * array] = t;
  to[B * array] = b;
  to[NE * array] = ne;
  to[NW * array] = nw;
  to[SE * array] = se;
  to[SW * array] = sw;
  to[NT * array] = nt;
  to[NB * array] = nb;
  to[ST * array] = st;
  to[SB * array] = sb;
  to[ET * array] = et;
  to[EB * array] = eb;
  to[WT * array] = wt;
  to[WB * array] = wb;
}
