#include "../reference.h"
#include "../suite.h"

struct complex {
  float re, im;
};

static struct complex add(struct complex a, struct complex b) {
  return (struct complex){a.re + b.re, a.im + b.im};
}
static struct complex sub(struct complex a, struct complex b) {
  return (struct complex){a.re - b.re, a.im - b.im};
}
static struct complex mul(struct complex a, struct complex b) {
  return (struct complex){fmaf(a.re, b.re, -(a.im * b.im)), fmaf(a.re, b.im, a.im * b.re)};
}

// Of eight numbers `stride` apart, by decimation in frequency; the order of operations is the
// kernel's.
static void fft8(struct complex *v, size_t stride) {
  const float half = 0.707106781f;
  struct complex b[2][4], *x;
  for (size_t i = 0; i < 4; i++) {
    b[0][i] = add(v[i * stride], v[(i + 4) * stride]);
    b[1][i] = sub(v[i * stride], v[(i + 4) * stride]);
  }
  x = b[1];
  x[1] = (struct complex){(x[1].re + x[1].im) * half, (x[1].im - x[1].re) * half};
  x[2] = (struct complex){x[2].im, -x[2].re};
  x[3] = (struct complex){(x[3].im - x[3].re) * half, -(x[3].re + x[3].im) * half};
  for (size_t h = 0; h < 2; h++) {
    x = b[h];
    struct complex s = add(x[0], x[2]), t = sub(x[0], x[2]), u = add(x[1], x[3]);
    struct complex d = sub(x[1], x[3]), w = {d.im, -d.re};
    v[h * stride] = add(s, u);
    v[(2 + h) * stride] = add(t, w);
    v[(4 + h) * stride] = sub(s, u);
    v[(6 + h) * stride] = sub(t, w);
  }
}

static void twiddle(struct complex *v, size_t stride, float step) {
  struct complex w, power;
  suite_sincosf(-6.28318548f * step, &w.im, &w.re);
  power = w;
  for (size_t k = 1; k < 8; k++) {
    v[k * stride] = mul(v[k * stride], power);
    power = mul(power, w);
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t batch = ref_var(&r, "batch");
  float *data = ref_uniform_f32(batch * 1024, -1, 1, 1);
  for (size_t b = 0; b < batch; b++) {
    struct complex v[512], *out = (struct complex *)(void *)(data + b * 1024);
    memcpy(v, out, sizeof v);
    // Number 64 j + 8 l + m: over j, then over l, then over m.
    for (size_t t = 0; t < 64; t++) {
      fft8(v + t, 64);
      twiddle(v + t, 64, (float)t * (1.0f / 512));
    }
    for (size_t j = 0; j < 8; j++)
      for (size_t m = 0; m < 8; m++) {
        fft8(v + 64 * j + m, 8);
        twiddle(v + 64 * j + m, 8, (float)m * (1.0f / 64));
      }
    for (size_t j = 0; j < 8; j++)
      for (size_t l = 0; l < 8; l++) {
        fft8(v + 64 * j + 8 * l, 1);
        for (size_t m = 0; m < 8; m++) // digits in reverse
          out[j + 8 * l + 64 * m] = v[64 * j + 8 * l + m];
      }
  }
  ref_expect(&r, "data", data, batch * 1024 * sizeof *data);
  free(data);
  return 0;
}
