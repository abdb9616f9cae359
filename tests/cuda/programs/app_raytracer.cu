/* A ray tracer with recursive reflections, shadows and a chequered floor. */
#include "common.h"
#include <cstring>

struct Vec {
  float x, y, z;
  __host__ __device__ Vec(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
  __device__ Vec operator+(const Vec &o) const {
    return Vec(x + o.x, y + o.y, z + o.z);
  }
  __device__ Vec operator-(const Vec &o) const {
    return Vec(x - o.x, y - o.y, z - o.z);
  }
  __device__ Vec operator*(float s) const {
    return Vec(x * s, y * s, z * s);
  }
  __device__ Vec operator*(const Vec &o) const {
    return Vec(x * o.x, y * o.y, z * o.z);
  }
  __device__ float dot(const Vec &o) const {
    return x * o.x + y * o.y + z * o.z;
  }
  __device__ Vec unit() const {
    return *this * (1.0f / sqrtf(dot(*this)));
  }
};

struct Sphere {
  Vec centre, colour;
  float radius, mirror;
  __device__ bool hit(const Vec &from, const Vec &to, float &t) const {
    Vec l = centre - from;
    float along = l.dot(to), d2 = l.dot(l) - along * along, r2 = radius * radius;
    if (along < 0 || d2 > r2) return false;
    float half = sqrtf(r2 - d2);
    t = along - half < 1e-3f ? along + half : along - half;
    return t > 1e-3f;
  }
};

__constant__ unsigned char spheres_raw[sizeof(Sphere) * 8];

__device__ __noinline__ Vec trace(const Vec &from, const Vec &to, int depth) {
  const Sphere *spheres = (const Sphere *)spheres_raw;
  float nearest = 1e30f, t;
  int which = -1;
  for (int i = 0; i < 5; i++)
    if (spheres[i].hit(from, to, t) && t < nearest) {
      nearest = t;
      which = i;
    }
  Vec normal, colour;
  float mirror;
  if (which >= 0) {
    Vec p = from + to * nearest;
    normal = (p - spheres[which].centre) * (1.0f / spheres[which].radius);
    colour = spheres[which].colour;
    mirror = spheres[which].mirror;
  } else if (to.y < -1e-4f && (nearest = -(from.y + 1.0f) / to.y) > 1e-3f) {
    Vec p = from + to * nearest;
    normal = Vec(0, 1, 0);
    colour =
        ((int)floorf(p.x) + (int)floorf(p.z)) & 1 ? Vec(0.9f, 0.9f, 0.9f) : Vec(0.15f, 0.2f, 0.3f);
    mirror = 0.2f;
  } else {
    return Vec(0.5f, 0.6f, 0.8f) * (0.5f + 0.5f * to.y);
  }
  Vec p = from + to * nearest, light = Vec(0.6f, 0.9f, -0.4f).unit();
  float bright = fmaxf(normal.dot(light), 0.0f);
  for (int i = 0; i < 5 && bright > 0; i++)
    if (spheres[i].hit(p, light, t)) bright = 0;
  Vec result = colour * (0.15f + 0.85f * bright);
  if (depth > 0 && mirror > 0) {
    Vec away = to - normal * (2.0f * to.dot(normal));
    result = result * (1.0f - mirror) + trace(p, away, depth - 1) * mirror;
  }
  return result;
}

__global__ void render(uchar4 *image, float3 *linear, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  Vec c = trace(Vec(0, 0.5f, -4), Vec((x - w * 0.5f) / w, (h * 0.5f - y) / w, 1).unit(), 4);
  linear[y * w + x] = make_float3(c.x, c.y, c.z);
  auto byte = [](float v) { return (unsigned char)(__saturatef(v) * 255.0f + 0.5f); };
  image[y * w + x] = make_uchar4(byte(c.x), byte(c.y), byte(c.z), 255);
}

int main() {
  const int w = 60, h = 36;
  Sphere s[8];
  for (int i = 0; i < 5; i++) {
    s[i].centre = Vec(i * 1.1f - 2.2f, i % 2 * 0.6f - 0.3f, i % 3 * 0.7f);
    s[i].colour = Vec(0.3f + i * 0.15f, 0.9f - i * 0.15f, 0.5f);
    s[i].radius = 0.5f + i * 0.05f;
    s[i].mirror = i * 0.2f;
  }
  OK(cudaMemcpyToSymbol(spheres_raw, s, sizeof s));
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  static uchar4 image[w * h];
  static float3 linear[w * h];
  uchar4 *d_image;
  float3 *d_linear;
  OK(cudaMalloc(&d_image, sizeof image));
  OK(cudaMalloc(&d_linear, sizeof linear));
  render<<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(d_image, d_linear, w, h);
  OK(cudaMemcpy(image, d_image, sizeof image, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(linear, d_linear, sizeof linear, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y += 2) {
    for (int x = 0; x < w; x++)
      putchar(" .:-=+*#%@"[image[y * w + x].y * 10 / 256]);
    putchar('\n');
  }
  printf("image %08x linear %08x\n", checksum(image, sizeof image),
         checksum(linear, sizeof linear));
  for (int y = 0; y < h; y += 6)
    printf("%a %a %a row %08x\n", linear[y * w + 30].x, linear[y * w + 30].y, linear[y * w + 30].z,
           checksum(linear + y * w, w * sizeof(float3)));
}
