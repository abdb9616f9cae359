#include "../reference.h"

#include <math.h>

// What an element has (density, momentum, energy), what follows from it, and what it carries of
// each through a unit of surface along each axis.
struct state {
  float value[5], velocity[3], speed2, pressure, sound, carried[5][3];
};

static struct state state_of(const float *value, size_t n, size_t i) {
  struct state s;
  for (size_t q = 0; q < 5; q++)
    s.value[q] = value[i + q * n];
  const float *momentum = &s.value[1];
  s.speed2 = 0;
  for (size_t a = 0; a < 3; a++) {
    s.velocity[a] = momentum[a] / s.value[0];
    s.speed2 = fmaf(s.velocity[a], s.velocity[a], s.speed2);
  }
  s.pressure = (1.4f - 1.0f) * fmaf(-0.5f * s.value[0], s.speed2, s.value[4]);
  s.sound = sqrtf(1.4f * s.pressure / s.value[0]);
  for (size_t a = 0; a < 3; a++) {
    s.carried[0][a] = momentum[a];
    for (size_t b = 0; b < 3; b++) {
      size_t low = a < b ? a : b, high = a < b ? b : a;
      s.carried[1 + b][a] =
          a == b ? fmaf(s.velocity[a], momentum[a], s.pressure) : s.velocity[low] * momentum[high];
    }
    s.carried[4][a] = s.velocity[a] * (s.value[4] + s.pressure);
  }
  return s;
}

static const float distant[5] = {1.4f, 1.68f, 0.0f, 0.0f, 3.508f};
static const float distant_carried[5][3] = {{1.68f, 0.0f, 0.0f},
                                            {3.016f, 0.0f, 0.0f},
                                            {0.0f, 1.0f, 0.0f},
                                            {0.0f, 0.0f, 1.0f},
                                            {5.4096f, 0.0f, 0.0f}};

static double unit_hash(uint64_t seed, uint64_t x) {
  return ref_hash(seed, x) / 4294967296.0;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), steps = ref_var(&r, "steps");
  float *area = ref_uniform_f32(n, 0.01, 0.03, 1);
  int32_t *neighbour = ref_alloc(4 * n, sizeof *neighbour);
  float *normal = ref_alloc(12 * n, sizeof *normal);
  float *value = ref_alloc(5 * n, sizeof *value), *flux = ref_alloc(5 * n, sizeof *flux);
  float *factor = ref_alloc(n, sizeof *factor);

  for (size_t face = 0; face < 4; face++)
    for (size_t e = 0; e < n; e++) {
      size_t i = face * n + e;
      int64_t h = ref_hash(3, i), at = (int64_t)e;
      at += face == 0   ? -1 - h % 32
            : face == 1 ? 1 + h % 32
            : face == 2 ? h % 2048 - 1024
                        : h % 32768 - 16384;
      at %= (int64_t)n;
      neighbour[i] = ref_hash(2, i) % 64 == 0 ? -1 : (int32_t)(at < -2 ? -2 : at);
      for (size_t axis = 0; axis < 3; axis++) {
        uint64_t seed = 10 + 4 * axis;
        normal[i + 4 * axis * n] = (float)(face < 3 ? (unit_hash(seed + face, e) - 0.5) * 0.02
                                                    : (unit_hash(seed, e) + unit_hash(seed + 1, e) +
                                                       unit_hash(seed + 2, e) - 1.5) *
                                                          -0.02);
      }
    }
  for (size_t e = 0; e < n; e++) {
    for (size_t q = 0; q < 5; q++)
      value[e + q * n] = distant[q];
    struct state s = state_of(value, n, e);
    factor[e] = 0.5f / (sqrtf(area[e]) * (sqrtf(s.speed2) + s.sound));
  }

  for (size_t step = 0; step < steps; step++) {
    for (size_t e = 0; e < n; e++) {
      struct state s = state_of(value, n, e);
      float sum[5] = {0};
      for (size_t face = 0; face < 4; face++) {
        int32_t u = neighbour[e + face * n];
        float surface[3], length2 = 0;
        for (size_t a = 0; a < 3; a++) {
          surface[a] = normal[e + (face + 4 * a) * n];
          length2 = fmaf(surface[a], surface[a], length2);
        }
        struct state t;
        if (u >= 0) {
          t = state_of(value, n, (size_t)u);
          float k = -sqrtf(length2) * 0.2f * 0.5f *
                    (sqrtf(s.speed2) + sqrtf(t.speed2) + s.sound + t.sound);
          for (size_t q = 0; q < 5; q++)
            sum[q] = fmaf(k, s.value[q] - t.value[q], sum[q]);
        } else {
          memcpy(t.carried, distant_carried, sizeof t.carried);
        }
        for (size_t a = 0; a < 3; a++) {
          if (u == -1)
            sum[1 + a] = fmaf(surface[a], s.pressure, sum[1 + a]);
          else
            for (size_t q = 0; q < 5; q++)
              sum[q] = fmaf(0.5f * surface[a], t.carried[q][a] + s.carried[q][a], sum[q]);
        }
      }
      for (size_t q = 0; q < 5; q++)
        flux[e + q * n] = sum[q];
    }
    for (size_t e = 0; e < n; e++) {
      float k = factor[e] / (float)(4 - step);
      for (size_t q = 0; q < 5; q++)
        value[e + q * n] = fmaf(k, flux[e + q * n], distant[q]);
    }
  }

  ref_expect(&r, "value", value, 5 * n * sizeof *value);
  ref_expect(&r, "flux", flux, 5 * n * sizeof *flux);
  ref_expect(&r, "factor", factor, n * sizeof *factor);
  free(area);
  free(neighbour);
  free(normal);
  free(value);
  free(flux);
  free(factor);
  return 0;
}
