// make_ptx: compute_90
// Things that move, grow or are worth something.

struct particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

extern "C" __global__ void push(particle *p, const float *field, int n, int steps, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  particle q = p[i];
  for (int s = 0; s < steps; s++) {
    float e = field[(int)q.x & 1023];
    q.vx += q.charge / q.mass * e * dt;
    q.x += q.vx * dt;
    q.y += q.vy * dt;
    q.z += q.vz * dt;
  }
  p[i] = q;
}

// Thirty-two cells in a word.
extern "C" __global__ void life(const unsigned *in, unsigned *out, int words, int rows) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (w >= words || y == 0 || y >= rows - 1) return;
  unsigned one = 0, two = 0, four = 0;
  unsigned centre = in[y * words + w];
  for (int dy = -1; dy <= 1; dy++) {
    const unsigned *row = in + (y + dy) * words;
    unsigned m = row[w], l = w > 0 ? row[w - 1] : 0, r = w + 1 < words ? row[w + 1] : 0;
    unsigned sides[3] = {m << 1 | l >> 31, m >> 1 | r << 31, dy ? m : 0};
    for (int k = 0; k < 3; k++) {
      unsigned c = one & sides[k];
      one ^= sides[k];
      four |= two & c;
      two ^= c;
    }
  }
  out[y * words + w] = two & ~four & (one | centre);
}

// Forces of the neighbours in a list of fixed length, which is filled up with -1.
extern "C" __global__ void pair_forces(const float4 *__restrict__ position,
                                       const int *__restrict__ neighbours,
                                       float4 *__restrict__ force, int atoms, int most,
                                       float cutoff2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms) return;
  float4 a = position[i];
  float fx = 0, fy = 0, fz = 0, energy = 0;
  for (int k = 0; k < most; k++) {
    int j = neighbours[k * atoms + i];
    if (j < 0) break;
    float4 b = position[j];
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cutoff2) {
      float i2 = 1.0f / r2, i6 = i2 * i2 * i2;
      float f = 48.0f * i6 * (i6 - 0.5f) * i2;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
      energy += 4.0f * i6 * (i6 - 1.0f);
    }
  }
  force[i] = make_float4(fx, fy, fz, energy);
}

// Density from the particles of the cell and of its two neighbours.
extern "C" __global__ void density(const float *x, const int *cell_begin, const int *cell_end,
                                   float *rho, int n, int cells, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int cell = (int)(x[i] / h);
  float sum = 0.0f;
  for (int c = max(cell - 1, 0); c <= min(cell + 1, cells - 1); c++)
    for (int j = cell_begin[c]; j < cell_end[c]; j++) {
      float d = h - fabsf(x[i] - x[j]);
      if (d > 0) sum += d * d * d;
    }
  rho[i] = sum;
}

extern "C" __global__ void ising(signed char *spin, const float *random, int size, int colour,
                                 float beta) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size || ((x + y) & 1) != colour) return;
  int left = x ? x - 1 : size - 1, right = x + 1 < size ? x + 1 : 0;
  int up = y ? y - 1 : size - 1, down = y + 1 < size ? y + 1 : 0;
  int around =
      spin[y * size + left] + spin[y * size + right] + spin[up * size + x] + spin[down * size + x];
  int s = spin[y * size + x];
  if (random[y * size + x] < __expf(-2.0f * beta * s * around)) spin[y * size + x] = -s;
}

extern "C" __global__ void random_walk(const unsigned *seed, const float *cost, float *out,
                                       int walkers, int steps, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= walkers) return;
  unsigned state = seed[i];
  int at = size / 2;
  float paid = 0.0f;
  for (int s = 0; s < steps; s++) {
    state = state * 1664525u + 1013904223u;
    at += (state >> 30) == 0 ? -1 : (state >> 30) == 3 ? 1 : 0;
    at = min(max(at, 0), size - 1);
    paid += cost[at];
  }
  out[i] = paid;
}

// Two species that eat each other, by Runge and Kutta.
extern "C" __global__ void two_species(double *prey, double *hunters, const double *rates, int n,
                                       int steps, double h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = prey[i], y = hunters[i];
  double a = rates[4 * i], b = rates[4 * i + 1], c = rates[4 * i + 2], d = rates[4 * i + 3];
  for (int s = 0; s < steps; s++) {
    double x1 = a * x - b * x * y, y1 = c * x * y - d * y;
    double u = x + 0.5 * h * x1, v = y + 0.5 * h * y1;
    double x2 = a * u - b * u * v, y2 = c * u * v - d * v;
    u = x + 0.5 * h * x2, v = y + 0.5 * h * y2;
    double x3 = a * u - b * u * v, y3 = c * u * v - d * v;
    u = x + h * x3, v = y + h * y3;
    x += h / 6 * (x1 + 2 * x2 + 2 * x3 + a * u - b * u * v);
    y += h / 6 * (y1 + 2 * y2 + 2 * y3 + c * u * v - d * v);
  }
  prey[i] = x;
  hunters[i] = y;
}

extern "C" __global__ void upwind(const float *__restrict__ u, const float *__restrict__ wind,
                                  float *__restrict__ out, int n, float k) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i < n - 1; i += gridDim.x * blockDim.x) {
    float w = wind[i];
    out[i] = u[i] - k * (w > 0 ? w * (u[i] - u[i - 1]) : w * (u[i + 1] - u[i]));
  }
}

// What a stream of payments is worth today.
extern "C" __global__ void present_value(const double *amount, const double *when, const int *first,
                                         const int *count, double *out, int bonds, double rate) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bonds) return;
  double sum = 0.0;
  int n = count[b];
  for (int k = 0; k < n; k++)
    sum += amount[first[b] + k] * exp(-rate * when[first[b] + k]);
  out[b] = sum;
}

extern "C" __global__ void drawdown(const float *prices, float *worst, int paths, int days) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float top = prices[p], most = 0.0f;
  for (int d = 1; d < days; d++) {
    float now = prices[(size_t)d * paths + p];
    top = fmaxf(top, now);
    most = fmaxf(most, 1.0f - now / top);
  }
  worst[p] = most;
}

extern "C" __global__ void yield_curve(const float *__restrict__ knots,
                                       const float *__restrict__ rates,
                                       const float *__restrict__ when, float *__restrict__ out,
                                       int n_knots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = when[i];
  int k = 1;
  while (k < n_knots - 1 && knots[k] < t)
    k++;
  float share = (t - knots[k - 1]) / (knots[k] - knots[k - 1]);
  out[i] = rates[k - 1] + share * (rates[k] - rates[k - 1]);
}

extern "C" __global__ void generations(const int *mother, const int *father, const float *gene,
                                       float *out, int first, int last, int loci) {
  int child = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (child >= last) return;
  int m = mother[child], f = father[child];
  float same = 0.0f;
  for (int l = 0; l < loci; l++) {
    float a = gene[(long long)m * loci + l], b = gene[(long long)f * loci + l];
    same += a * b;
  }
  out[child] = same / loci;
}
