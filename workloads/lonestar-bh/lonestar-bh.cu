// Barnes and Hut's n-body simulation (LonestarGPU's bh): in each step the box around all bodies, an
// octree built by all threads at once with a lock in each child's slot, the mass and the centre of
// every cell from below, the order of bodies in the tree from above, the force on every body from
// the tree, and its motion. Cells take numbers downwards from the root's, the last; bodies are the
// first. Numbers of cells depend on which thread was first, and nothing else does: children are
// summed and visited in the order of their octants.
//
// In the force kernel the 32 bodies of a warp, neighbours in space, go through the tree together
// and open a cell if any of them must: every load is of one word for all lanes, and the upper
// cells are read over and over, by all warps. The other kernels wait for one another's stores
// (volatile loads, which go past the L1) or stream.
#include "../suite.h"

#define BOX_THREADS   512
#define SUM_THREADS   128
#define FORCE_THREADS 256
#define DEPTH         32 // at most, of the tree
#define EMPTY         -1
#define LOCKED        -2

__device__ volatile int step, bottom, deepest;
__device__ unsigned ticket;
__device__ volatile float radius;

struct tree {
  int *start, *child, *count, *sort;
  float *mass, *x, *y, *z;
};

extern "C" __global__ void bh_initialise(int *error) {
  *error = 0;
  step = -1;
  deepest = 1;
  ticket = 0;
}

// `low` and `high` have the blocks' boxes: gridDim.x floats each of x, y and z.
extern "C" __global__ void bh_box(int nodes, int bodies, struct tree t, volatile float *low,
                                  volatile float *high) {
  __shared__ float lx[BOX_THREADS], ly[BOX_THREADS], lz[BOX_THREADS];
  __shared__ float hx[BOX_THREADS], hy[BOX_THREADS], hz[BOX_THREADS];
  int me = threadIdx.x, blocks = gridDim.x, b = blockIdx.x;
  float x0 = t.x[0], y0 = t.y[0], z0 = t.z[0], x1 = x0, y1 = y0, z1 = z0;
  LOOP for (int i = b * BOX_THREADS + me; i < bodies; i += BOX_THREADS * blocks) {
    float v = t.x[i];
    x0 = fminf(x0, v);
    x1 = fmaxf(x1, v);
    v = t.y[i];
    y0 = fminf(y0, v);
    y1 = fmaxf(y1, v);
    v = t.z[i];
    z0 = fminf(z0, v);
    z1 = fmaxf(z1, v);
  }
  lx[me] = x0;
  ly[me] = y0;
  lz[me] = z0;
  hx[me] = x1;
  hy[me] = y1;
  hz[me] = z1;
  LOOP for (int half = BOX_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half) {
      lx[me] = x0 = fminf(x0, lx[me + half]);
      ly[me] = y0 = fminf(y0, ly[me + half]);
      lz[me] = z0 = fminf(z0, lz[me + half]);
      hx[me] = x1 = fmaxf(x1, hx[me + half]);
      hy[me] = y1 = fmaxf(y1, hy[me + half]);
      hz[me] = z1 = fmaxf(z1, hz[me + half]);
    }
  }
  if (me != 0) return;
  low[b] = x0;
  low[blocks + b] = y0;
  low[2 * blocks + b] = z0;
  high[b] = x1;
  high[blocks + b] = y1;
  high[2 * blocks + b] = z1;
  __threadfence();
  if (atomicInc(&ticket, blocks - 1) != blocks - 1) return;
  LOOP for (int i = 0; i < blocks; i++) { // the last block: all boxes, and the root
    x0 = fminf(x0, low[i]);
    y0 = fminf(y0, low[blocks + i]);
    z0 = fminf(z0, low[2 * blocks + i]);
    x1 = fmaxf(x1, high[i]);
    y1 = fmaxf(y1, high[blocks + i]);
    z1 = fmaxf(z1, high[2 * blocks + i]);
  }
  radius = fmaxf(fmaxf(x1 - x0, y1 - y0), z1 - z0) * 0.5f;
  bottom = nodes;
  t.mass[nodes] = -1.0f;
  t.start[nodes] = 0;
  t.x[nodes] = (x0 + x1) * 0.5f;
  t.y[nodes] = (y0 + y1) * 0.5f;
  t.z[nodes] = (z0 + z1) * 0.5f;
  LOOP for (int i = 0; i < 8; i++) t.child[nodes * 8 + i] = EMPTY;
  step = step + 1;
}

extern "C" __global__ void bh_clear_children(int nodes, int bodies, int *child) {
  int stride = blockDim.x * gridDim.x;
  int i = (8 * bodies & ~31) + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 8 * bodies) i += stride;
  LOOP for (; i < 8 * nodes; i += stride) child[i] = EMPTY;
}

struct corner {
  float x, y, z, r; // a cell's centre, half its edge
};

// The octant of a cell that holds a point; the cell becomes that octant.
__device__ static int enter(struct corner *c, float px, float py, float pz) {
  int octant = 0;
  float r = c->r *= 0.5f, dx = -r, dy = -r, dz = -r;
  if (c->x < px) octant = 1, dx = r;
  if (c->y < py) octant |= 2, dy = r;
  if (c->z < pz) octant |= 4, dz = r;
  c->x += dx;
  c->y += dy;
  c->z += dz;
  return octant;
}

extern "C" __global__ void bh_build(int nodes, int bodies, int *error, struct tree t) {
  volatile int *child = t.child;
  struct corner root = {t.x[nodes], t.y[nodes], t.z[nodes], radius}, c;
  int stride = blockDim.x * gridDim.x, depth, deep = 1, cell, slot, in;
  float px, py, pz;
  bool fresh = true;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  LOOP while (i < bodies) {
    if (fresh) { // from the root
      fresh = false;
      px = t.x[i];
      py = t.y[i];
      pz = t.z[i];
      c = root;
      depth = 1;
      slot = nodes * 8 + enter(&c, px, py, pz);
    }
    in = child[slot];
    LOOP while (in >= bodies) {
      depth++;
      slot = in * 8 + enter(&c, px, py, pz);
      in = child[slot];
    }
    int done = 0, patch = -1, locked = slot; // locked slots: try again
    if (in == EMPTY) {
      if (atomicCAS(&t.child[slot], EMPTY, i) == EMPTY) done = 1;
    } else if (in != LOCKED && atomicCAS(&t.child[slot], in, LOCKED) == in) {
      // A body is there: new cells until the two part.
      LOOP do {
        depth++;
        cell = atomicSub((int *)&bottom, 1) - 1;
        if (cell <= bodies) {
          *error = 1;
          bottom = nodes;
        }
        if (patch != -1) child[slot] = cell;
        patch = max(patch, cell);
        int other = 0;
        if (c.x < t.x[in]) other = 1;
        if (c.y < t.y[in]) other |= 2;
        if (c.z < t.z[in]) other |= 4;
        child[cell * 8 + other] = in;
        slot = cell * 8 + enter(&c, px, py, pz);
        in = child[slot];
      } while (in >= 0);
      child[slot] = i;
      done = 2;
    }
    __threadfence();
    if (done == 2) child[locked] = patch; // and the new cells are seen
    if (done) {
      deep = max(deep, depth);
      i += stride;
      fresh = true;
    }
  }
  atomicMax((int *)&deepest, deep);
}

extern "C" __global__ void bh_clear_cells(int nodes, struct tree t) {
  int first = bottom, stride = blockDim.x * gridDim.x;
  int i = (first & ~31) + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first) i += stride;
  LOOP for (; i < nodes; i += stride) {
    t.mass[i] = -1.0f;
    t.start[i] = -1;
  }
}

// A cell whose children are all known, from their copies in shared memory.
__device__ static float sum_children(int cell, int bodies, struct tree *t, int *child,
                                     float *mass) {
  volatile float *x = t->x, *y = t->y, *z = t->z;
  volatile int *count = t->count;
  float all = 0.0f, px = 0.0f, py = 0.0f, pz = 0.0f;
  int many = 0;
  LOOP for (int i = 0; i < 8; i++) {
    int c = child[i * SUM_THREADS];
    if (c < 0) continue;
    float m;
    if (c >= bodies) {
      m = mass[i * SUM_THREADS];
      many += count[c];
    } else {
      m = t->mass[c];
      many++;
    }
    all += m;
    px = fmaf(x[c], m, px);
    py = fmaf(y[c], m, py);
    pz = fmaf(z[c], m, pz);
  }
  count[cell] = many;
  float per = __fdiv_rn(1.0f, all);
  x[cell] = px * per;
  y[cell] = py * per;
  z[cell] = pz * per;
  return all;
}

extern "C" __global__ void bh_summarise(int nodes, int bodies, struct tree t) {
  __shared__ int child_all[8 * SUM_THREADS];
  __shared__ float mass_all[8 * SUM_THREADS];
  int *child = child_all + threadIdx.x;
  float *mass = mass_all + threadIdx.x;
  volatile float *known = t.mass; // negative until it is
  int first = bottom, stride = blockDim.x * gridDim.x;
  int restart = (first & ~31) + blockIdx.x * blockDim.x + threadIdx.x;
  if (restart < first) restart += stride;
  LOOP for (int pass = 0; pass < 5; pass++) { // without waiting
    LOOP for (int cell = restart; cell <= nodes; cell += stride) {
      if (known[cell] >= 0.0f) continue;
      int i = 0;
      LOOP for (; i < 8; i++) {
        int c = t.child[cell * 8 + i];
        child[i * SUM_THREADS] = c;
        if (c >= bodies && (mass[i * SUM_THREADS] = known[c]) < 0.0f) break;
      }
      if (i < 8) continue;
      float all = sum_children(cell, bodies, &t, child, mass);
      __threadfence();
      known[cell] = all;
    }
  }
  int missing = 0;
  int cell = restart;
  LOOP while (cell <= nodes) {
    if (known[cell] >= 0.0f) {
      cell += stride;
      continue;
    }
    bool again = missing > 0;
    missing = 8;
    LOOP for (int i = 0; i < 8; i++) {
      int c = again ? child[i * SUM_THREADS] : t.child[cell * 8 + i];
      if (!again) child[i * SUM_THREADS] = c;
      if (c < bodies || (again && mass[i * SUM_THREADS] >= 0.0f) ||
          (mass[i * SUM_THREADS] = known[c]) >= 0.0f)
        missing--;
    }
    if (missing == 0) {
      float all = sum_children(cell, bodies, &t, child, mass);
      __threadfence();
      known[cell] = all;
      cell += stride;
    }
  }
}

extern "C" __global__ void bh_sort(int nodes, int bodies, struct tree t) {
  volatile int *start = t.start;
  int last = bottom, stride = blockDim.x * gridDim.x;
  int cell = nodes + 1 - stride + blockIdx.x * blockDim.x + threadIdx.x;
  LOOP while (cell >= last) {
    int at = start[cell];
    if (at < 0) continue; // the parent was not here yet
    int to = 0;
    LOOP for (int i = 0; i < 8; i++) {
      int c = t.child[cell * 8 + i];
      if (c < 0) continue;
      if (i != to) { // children to the front
        t.child[cell * 8 + i] = EMPTY;
        t.child[cell * 8 + to] = c;
      }
      to++;
      if (c >= bodies) {
        start[c] = at;
        at += t.count[c];
      } else {
        t.sort[at] = c;
        at++;
      }
    }
    cell -= stride;
  }
}

struct motion {
  float *vx, *vy, *vz, *ax, *ay, *az;
};

extern "C" __global__ void bh_force(int nodes, int bodies, int *error, float half_time,
                                    float per_theta2, float soft2, struct tree t,
                                    struct motion m) {
  __shared__ volatile int next[DEPTH * FORCE_THREADS / 32], node[DEPTH * FORCE_THREADS / 32];
  __shared__ float far[DEPTH * FORCE_THREADS / 32]; // distance^2 from which a cell is one body
  int me = threadIdx.x, lane = me & 31, base = me / 32 * DEPTH, levels = deepest;
  bool moves = step > 0;
  if (me == 0) {
    float d = radius * 2.0f;
    d = d * d * per_theta2;
    LOOP for (int i = 0; i < levels && i < DEPTH; i++) {
      far[i] = d + soft2;
      d *= 0.25f;
    }
    if (levels > DEPTH) *error = levels;
  }
  __syncthreads();
  if (levels > DEPTH) return;
  if (me >= 32) far[base + lane] = far[lane];
  __syncthreads();
  LOOP for (int k = blockIdx.x * blockDim.x + me; k < bodies; k += blockDim.x * gridDim.x) {
    int i = t.sort[k];
    float px = t.x[i], py = t.y[i], pz = t.z[i], ax = 0.0f, ay = 0.0f, az = 0.0f;
    int depth = base;
    if (lane == 0) {
      next[depth] = 0;
      node[depth] = nodes * 8;
    }
    __syncwarp();
    LOOP do {
      int at = next[depth], cell = node[depth];
      LOOP while (at < 8) {
        int c = t.child[cell + at];
        at++;
        if (c >= 0) {
          float dx = t.x[c] - px, dy = t.y[c] - py, dz = t.z[c] - pz;
          float d = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, soft2)));
          if (c < bodies || __all_sync(0xffffffffu, d >= far[depth])) {
            d = __fdiv_rn(1.0f, __fsqrt_rn(d));
            d = t.mass[c] * d * d * d;
            ax = fmaf(dx, d, ax);
            ay = fmaf(dy, d, ay);
            az = fmaf(dz, d, az);
          } else { // down into the cell, and back here later
            if (lane == 0) {
              next[depth] = at;
              node[depth] = cell;
            }
            __syncwarp();
            depth++;
            at = 0;
            cell = c * 8;
          }
        } else {
          at = 8; // no more children
        }
      }
      depth--;
    } while (depth >= base);
    if (moves) {
      m.vx[i] = fmaf(ax - m.ax[i], half_time, m.vx[i]);
      m.vy[i] = fmaf(ay - m.ay[i], half_time, m.vy[i]);
      m.vz[i] = fmaf(az - m.az[i], half_time, m.vz[i]);
    }
    m.ax[i] = ax;
    m.ay[i] = ay;
    m.az[i] = az;
  }
}

extern "C" __global__ void bh_integrate(int bodies, float time, float half_time, struct tree t,
                                        struct motion m) {
  int stride = blockDim.x * gridDim.x;
  LOOP for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bodies; i += stride) {
    float dx = m.ax[i] * half_time, dy = m.ay[i] * half_time, dz = m.az[i] * half_time;
    float hx = m.vx[i] + dx, hy = m.vy[i] + dy, hz = m.vz[i] + dz;
    t.x[i] = fmaf(hx, time, t.x[i]);
    t.y[i] = fmaf(hy, time, t.y[i]);
    t.z[i] = fmaf(hz, time, t.z[i]);
    m.vx[i] = hx + dx;
    m.vy[i] = hy + dy;
    m.vz[i] = hz + dz;
  }
}
