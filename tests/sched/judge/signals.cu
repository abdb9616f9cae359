// make_ptx: compute_90
// Series of samples: filters, correlations, statistics of frames.

// A filter whose number of taps is known where it is compiled.
extern "C" __global__ void fir24(const float *__restrict__ in, const float *__restrict__ taps,
                                 float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 24 > n) return;
  float sum = 0.0f;
  for (int k = 0; k < 24; k++)
    sum += taps[k] * in[i + k];
  out[i] = sum;
}

extern "C" __global__ void fir(const float *in, const float *taps, float *out, int n, int n_taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + n_taps > n) return;
  float sum = 0.0f;
  for (int k = 0; k < n_taps; k++)
    sum += taps[k] * in[i + k];
  out[i] = sum;
}

struct biquad {
  float b0, b1, b2, a1, a2;
};

// One thread per channel; samples of a channel lie behind each other.
extern "C" __global__ void biquads(const float *in, float *out, const biquad *filters, int channels,
                                   int samples) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  biquad f = filters[c];
  float z1 = 0.0f, z2 = 0.0f;
  const float *x = in + (size_t)c * samples;
  float *y = out + (size_t)c * samples;
  for (int i = 0; i < samples; i++) {
    float v = x[i];
    float r = f.b0 * v + z1;
    z1 = f.b1 * v - f.a1 * r + z2;
    z2 = f.b2 * v - f.a2 * r;
    y[i] = r;
  }
}

extern "C" __global__ void autocorrelation(const float *x, float *out, int n, int lags) {
  int lag = blockIdx.x * blockDim.x + threadIdx.x;
  if (lag >= lags) return;
  double sum = 0.0;
  for (int i = 0; i + lag < n; i++)
    sum += (double)x[i] * x[i + lag];
  out[lag] = (float)(sum / n);
}

extern "C" __global__ void resample(const float *in, float *out, int n_in, int n_out, float ratio) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_out; i += gridDim.x * blockDim.x) {
    float at = i * ratio;
    int j = (int)at;
    float part = at - j;
    int next = min(j + 1, n_in - 1);
    out[i] = in[j] * (1.0f - part) + in[next] * part;
  }
}

extern "C" __global__ void envelope(const float *__restrict__ in, float *__restrict__ out,
                                    int channels, int samples, float attack, float release) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float level = 0.0f;
  for (int i = 0; i < samples; i++) {
    float v = fabsf(in[i * channels + c]);
    level += (v > level ? attack : release) * (v - level);
    out[i * channels + c] = level;
  }
}

// Power of one frequency in each frame.
extern "C" __global__ void goertzel(const short *frames, float *power, int n_frames,
                                    float coefficient) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= n_frames) return;
  const short *s = frames + f * 205;
  float q1 = 0.0f, q2 = 0.0f;
  for (int i = 0; i < 205; i++) {
    float q0 = coefficient * q1 - q2 + s[i];
    q2 = q1;
    q1 = q0;
  }
  power[f] = q1 * q1 + q2 * q2 - q1 * q2 * coefficient;
}

extern "C" __global__ void zero_crossings(const float *x, int *out, int frames, int length) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= frames) return;
  int count = 0;
  float before = x[f * length];
  for (int i = 1; i < length; i++) {
    float now = x[f * length + i];
    if ((now < 0) != (before < 0)) count++;
    before = now;
  }
  out[f] = count;
}

// Mean and variance in one pass over every `stride`-th sample.
extern "C" __global__ void welford(const double *x, double *mean, double *variance, int series,
                                   int n, int stride) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= series) return;
  double m = 0.0, m2 = 0.0;
  for (int i = 0; i < n; i++) {
    double v = x[s + (long long)i * stride];
    double d = v - m;
    m += d / (i + 1);
    m2 += d * (v - m);
  }
  mean[s] = m;
  variance[s] = m2 / (n - 1);
}

extern "C" __global__ void loudness(const float *left, const float *right, float *out, int frames) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= frames) return;
  float l = 0.0f, r = 0.0f;
  for (int i = 0; i < 480; i++) {
    l += left[f * 480 + i] * left[f * 480 + i];
    r += right[f * 480 + i] * right[f * 480 + i];
  }
  out[f] = 10.0f * log10f((l + r) / 480.0f + 1e-10f);
}

// Every thread takes the largest of its window, by comparing all.
extern "C" __global__ void window_max(const float *__restrict__ in, float *__restrict__ out, int n,
                                      int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int first = max(0, i - width), last = min(n - 1, i + width);
  float best = in[first];
  for (int j = first + 1; j <= last; j++)
    best = fmaxf(best, in[j]);
  out[i] = best;
}

// Complex samples times a turning phase, into the same array.
extern "C" __global__ void mix_down(float2 *samples, int n, float step) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 s = samples[i];
    float sn, cs;
    __sincosf(step * i, &sn, &cs);
    samples[i] = make_float2(s.x * cs - s.y * sn, s.x * sn + s.y * cs);
  }
}
