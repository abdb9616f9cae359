// make_ptx: compute_90
// Points, triangles, rays.

struct sphere {
  float3 centre;
  float radius2;
};

extern "C" __global__ void first_hit(const float3 *origins, const float3 *directions,
                                     const sphere *spheres, int n_spheres, int *hit, int rays) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rays) return;
  float3 o = origins[i], d = directions[i];
  float nearest = 1e30f;
  int found = -1;
  for (int k = 0; k < n_spheres; k++) {
    sphere s = spheres[k];
    float x = s.centre.x - o.x, y = s.centre.y - o.y, z = s.centre.z - o.z;
    float along = x * d.x + y * d.y + z * d.z;
    float off = x * x + y * y + z * z - along * along;
    if (off > s.radius2) continue;
    float t = along - sqrtf(s.radius2 - off);
    if (t > 0.001f && t < nearest) {
      nearest = t;
      found = k;
    }
  }
  hit[i] = found;
}

extern "C" __global__ void any_hit(const float4 *boxes_low, const float4 *boxes_high,
                                   const float4 *points, int n_boxes, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = points[i];
  out[i] = 0;
  for (int k = 0; k < n_boxes; k++) {
    float4 l = boxes_low[k], h = boxes_high[k];
    if (p.x >= l.x && p.y >= l.y && p.z >= l.z && p.x <= h.x && p.y <= h.y && p.z <= h.z) {
      out[i] = 1;
      return;
    }
  }
}

extern "C" __global__ void in_polygon(const float2 *corners, int n_corners, const float2 *points,
                                      int *inside, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = points[i];
  int crossings = 0;
  for (int a = 0, b = n_corners - 1; a < n_corners; b = a++) {
    float2 u = corners[a], v = corners[b];
    if ((u.y > p.y) != (v.y > p.y) && p.x < (v.x - u.x) * (p.y - u.y) / (v.y - u.y) + u.x)
      crossings ^= 1;
  }
  inside[i] = crossings;
}

extern "C" __global__ void normals(const int *__restrict__ corner, const float *__restrict__ x,
                                   const float *__restrict__ y, const float *__restrict__ z,
                                   float3 *__restrict__ out, int triangles) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < triangles; t += gridDim.x * blockDim.x) {
    int a = corner[3 * t], b = corner[3 * t + 1], c = corner[3 * t + 2];
    float ux = x[b] - x[a], uy = y[b] - y[a], uz = z[b] - z[a];
    float vx = x[c] - x[a], vy = y[c] - y[a], vz = z[c] - z[a];
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    float s = rsqrtf(nx * nx + ny * ny + nz * nz);
    out[t] = make_float3(nx * s, ny * s, nz * s);
  }
}

struct bone {
  float4 row[3];
};

extern "C" __global__ void skin(const float4 *vertices, const int4 *which, const float4 *weights,
                                const bone *bones, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = vertices[i], w = weights[i];
  int4 b = which[i];
  int index[4] = {b.x, b.y, b.z, b.w};
  float part[4] = {w.x, w.y, w.z, w.w};
  float3 r = make_float3(0.0f, 0.0f, 0.0f);
  for (int k = 0; k < 4; k++) {
    const bone &m = bones[index[k]];
    r.x += part[k] * (m.row[0].x * v.x + m.row[0].y * v.y + m.row[0].z * v.z + m.row[0].w);
    r.y += part[k] * (m.row[1].x * v.x + m.row[1].y * v.y + m.row[1].z * v.z + m.row[1].w);
    r.z += part[k] * (m.row[2].x * v.x + m.row[2].y * v.y + m.row[2].z * v.z + m.row[2].w);
  }
  out[i] = make_float4(r.x, r.y, r.z, 1.0f);
}

extern "C" __global__ void line_length(const double2 *points, const int *begin, double *out,
                                       int lines) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  double sum = 0.0;
  for (int k = begin[l] + 1; k < begin[l + 1]; k++) {
    double2 a = points[k - 1], b = points[k];
    double dx = b.x - a.x, dy = b.y - a.y;
    sum += sqrt(dx * dx + dy * dy);
  }
  out[l] = sum;
}

extern "C" __global__ void bezier(const float2 *control, float2 *out, int curves, int steps) {
  int c = blockIdx.x;
  float2 p0 = control[4 * c], p1 = control[4 * c + 1], p2 = control[4 * c + 2],
         p3 = control[4 * c + 3];
  for (int s = threadIdx.x; s < steps; s += blockDim.x) {
    float t = (float)s / (steps - 1), u = 1.0f - t;
    float b0 = u * u * u, b1 = 3 * u * u * t, b2 = 3 * u * t * t, b3 = t * t * t;
    out[c * steps + s] = make_float2(b0 * p0.x + b1 * p1.x + b2 * p2.x + b3 * p3.x,
                                     b0 * p0.y + b1 * p1.y + b2 * p2.y + b3 * p3.y);
  }
}

// How far one sees over a map of heights.
extern "C" __global__ void horizon(const float *height, float *out, int width, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x >= width || y >= rows) return;
  float here = height[y * width + x], slope = 0.0f;
  for (int d = 1; x + d < width; d++) {
    float s = (height[y * width + x + d] - here) / d;
    if (s > slope) slope = s;
  }
  out[y * width + x] = atanf(slope);
}

// The largest of all distances to the nearest point of another set.
extern "C" __global__ void hausdorff(const float *ax, const float *ay, const float *bx,
                                     const float *by, int na, int nb, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na) return;
  float x = ax[i], y = ay[i], best = 3.4e38f;
  for (int j = 0; j < nb; j++) {
    float dx = bx[j] - x, dy = by[j] - y;
    best = fminf(best, dx * dx + dy * dy);
  }
  atomicMax(out, __float_as_int(best));
}

extern "C" __global__ void turn(float4 *q, float3 *v, const float3 *spin, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = q[i];
  float3 w = spin[i];
  float4 d = make_float4(w.x * a.w + w.y * a.z - w.z * a.y, w.y * a.w + w.z * a.x - w.x * a.z,
                         w.z * a.w + w.x * a.y - w.y * a.x, -w.x * a.x - w.y * a.y - w.z * a.z);
  a.x += 0.5f * dt * d.x;
  a.y += 0.5f * dt * d.y;
  a.z += 0.5f * dt * d.z;
  a.w += 0.5f * dt * d.w;
  float s = rsqrtf(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  q[i] = make_float4(a.x * s, a.y * s, a.z * s, a.w * s);
  v[i].x += w.x * dt;
  v[i].y += w.y * dt;
  v[i].z += w.z * dt;
}
