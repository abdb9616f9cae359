// Lattice-Boltzmann flow in a cavity of 120 x ny x nz cells, 19 velocities, a launch per time step
// and a cell per thread, as Parboil's lbm: a structure of arrays of which 20 words belong to a cell
// (the 19 densities and a word of flags), rows of 120 cells padded to 128 words, and four planes of
// padding behind the last. A thread loads the densities of its cell, relaxes them (or, in an
// obstacle, turns them back) and scatters them to the neighbours in the other grid.
//
// All 20 loads stream: each word of the source is loaded once, a warp's words are one line. Ten of
// the 19 stores are shifted by one cell and touch two lines a warp. The arrays start at multiples
// of 4 KB from one another, so that without a hash all of a warp's lines fall into the same set of
// an L1.
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
  float n = from[N * array], s = from[S * array];
  float e = from[E * array], w = from[W * array];
  float t = from[T * array], b = from[B * array];
  float ne = from[NE * array], nw = from[NW * array];
  float se = from[SE * array], sw = from[SW * array];
  float nt = from[NT * array], nb = from[NB * array];
  float st = from[ST * array], sb = from[SB * array];
  float et = from[ET * array], eb = from[EB * array];
  float wt = from[WT * array], wb = from[WB * array];
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
  to[N * array + dy] = n;
  to[S * array - dy] = s;
  to[E * array + 1] = e;
  to[W * array - 1] = w;
  to[T * array + dz] = t;
  to[B * array - dz] = b;
  to[NE * array + dy + 1] = ne;
  to[NW * array + dy - 1] = nw;
  to[SE * array - dy + 1] = se;
  to[SW * array - dy - 1] = sw;
  to[NT * array + dy + dz] = nt;
  to[NB * array + dy - dz] = nb;
  to[ST * array - dy + dz] = st;
  to[SB * array - dy - dz] = sb;
  to[ET * array + 1 + dz] = et;
  to[EB * array + 1 - dz] = eb;
  to[WT * array - 1 + dz] = wt;
  to[WB * array - 1 - dz] = wb;
}
