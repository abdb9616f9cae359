// Arithmetic, shared memory, shuffles, barriers and branches of one SM.
//
//   arith_latency     cycles per operation in a chain of dependent ones, one warp
//   arith_rate        warp instructions per cycle of an SM, 8 independent chains in each warp, by
//   number of warps: an
//                     operation of N instructions (divisions are sequences) counts once. interval
//                     of a scheduler: 4 / rate
//   shared_latency    chain of dependent ld.shared, one thread
//   shared_rate       cycles per ld.shared of a warp by stride of its lanes (bank conflicts) and
//   width; 4 independent per warp const_latency     chain of dependent ld.const barrier cycles per
//   bar.sync of a block of n warps that do nothing else; also membar and bar.warp.sync branch
//   divergence: a chain of 32 FMAs by `paths` groups of lanes in turn; and a loop that is not
//   unrolled
//
// In names: "x2" is a pair that depend on each other (both count), "+add" has an addition in its
// step.
#include "micro.cuh"

enum { UNROLL = 16, LOOPS = 32, CHAINS = 8 };

// A step on a: asm with a in and out, c and d operands. TIMES operations count per step.
#define OP(NAME, T, LETTER, TIMES, TEXT)                                                           \
  struct op_##NAME {                                                                               \
    typedef T type;                                                                                \
    static const int times = TIMES;                                                                \
    static __device__ __forceinline__ void step(T &a, T &b, T c, T d) {                            \
      asm volatile(TEXT : "+" LETTER(a), "+" LETTER(b) : LETTER(c), LETTER(d));                    \
    }                                                                                              \
  };
#include "arith.inc"
#undef OP

template <class F>
__global__ void latency(const typename F::type *in, typename F::type *out, u64 *times) {
  typename F::type a = in[threadIdx.x], b = in[32 + threadIdx.x], c = in[64], d = in[65];
  u64 t0 = 0;
#pragma unroll 1
  for (int i = -2; i < LOOPS; i++) {
    if (i == 0) t0 = clock64v();
#pragma unroll
    for (int j = 0; j < UNROLL; j++)
      F::step(a, b, c, d);
  }
  out[threadIdx.x] = a; // the clock is read when a is there: the store needs it, and the next read
                        // of memory is behind it
  unsigned low;
  memcpy(&low, &a, sizeof low);
  wait_for32(low);
  u64 t1 = clock64v();
  out[32 + threadIdx.x] = b;
  if (threadIdx.x == 0) times[0] = t1 - t0;
}

template <class F>
__global__ void rate(const typename F::type *in, typename F::type *out, u64 *times) {
  typename F::type a[CHAINS], b[CHAINS], c = in[64], d = in[65];
  for (int k = 0; k < CHAINS; k++)
    a[k] = in[threadIdx.x % 32 + k], b[k] = in[32 + threadIdx.x % 32 - k];
  __syncthreads();
  u64 t0 = clock64v();
#pragma unroll 1
  for (int i = 0; i < LOOPS; i++) {
#pragma unroll
    for (int j = 0; j < UNROLL / 4; j++) {
#pragma unroll
      for (int k = 0; k < CHAINS; k++)
        F::step(a[k], b[k], c, d);
    }
  }
  __syncthreads(); // all have issued; what is in the pipes is little
  u64 t1 = clock64v();
  for (int k = 0; k < CHAINS; k++)
    out[(threadIdx.x * CHAINS + k) * 2] = a[k], out[(threadIdx.x * CHAINS + k) * 2 + 1] = b[k];
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = t0, times[threadIdx.x / 16 + 1] = t1;
}

static double span_of(const memory &times, int warps) {
  auto t = times.get<u64>(2 * (size_t)warps);
  u64 begin = t[0], end = t[1];
  for (size_t i = 0; i < t.size(); i += 2)
    begin = std::min(begin, t[i]), end = std::max(end, t[i + 1]);
  return (double)(end - begin);
}

// Operands of no special value; divisors of 64 bits that do not fit 32, so that the short way is
// not taken.
template <class T> static void inputs(const memory &in) {
  std::vector<T> v(128);
  for (size_t i = 0; i < v.size(); i++)
    v[i] = (T)(7 * i + 3);
  if constexpr (std::is_floating_point<T>::value) {
    for (size_t i = 0; i < v.size(); i++)
      v[i] = (T)(1.0 + 0.001 * (double)i);
    v[64] = (T)1.0001, v[65] = (T)0.4999;
  } else if constexpr (sizeof(T) == 8)
    v[64] = (T)17000000000000000003ull, v[65] = (T)1099511627779ull;
  else
    v[64] = (T)2100000011, v[65] = (T)65539;
  in.put(v);
}

template <class F> static void latency_of(const char *name) {
  static memory *in = new memory(1024), *out = new memory(1024), *times = new memory(1024);
  std::vector<double> v;
  inputs<typename F::type>(*in);
  for (int r = 0; r < REPS + 1; r++) {
    latency<F>
        <<<1, 32>>>(in->as<typename F::type>(), out->as<typename F::type>(), times->as<u64>());
    done();
    if (r) v.push_back((double)times->get<u64>(1)[0] / (LOOPS * UNROLL * F::times));
  }
  rows(par("op=%s", name), "cyc", v);
}

template <class F> static void rate_of(const char *name) {
  static memory *in = new memory(1024), *out = new memory(1024 * CHAINS * 16),
                *times = new memory(1024);
  inputs<typename F::type>(*in);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    cudaFuncAttributes attr;
    CU(cudaFuncGetAttributes(&attr, rate<F>));
    if (attr.maxThreadsPerBlock < 32 * warps) continue;
    std::vector<double> v;
    for (int r = 0; r < REPS + 1; r++) {
      rate<F><<<1, 32 * warps>>>(in->as<typename F::type>(), out->as<typename F::type>(),
                                 times->as<u64>());
      done();
      double n = (double)LOOPS * (UNROLL / 4) * CHAINS * F::times * warps;
      if (r) v.push_back(span_of(*times, warps) / n);
    }
    std::sort(v.begin(), v.end());
    row(par("op=%s warps=%d", name, warps), "per_cyc.max", 1 / v[0]);
    row(par("op=%s warps=%d", name, warps), "per_cyc.med", 1 / v[v.size() / 2]);
  }
}

static void arith_latency() {
#define OP(NAME, T, LETTER, TIMES, TEXT) latency_of<op_##NAME>(#NAME);
#include "arith.inc"
#undef OP
}

static void arith_rate() {
#define OP(NAME, T, LETTER, TIMES, TEXT) rate_of<op_##NAME>(#NAME);
#include "arith.inc"
#undef OP
}

__global__ void shared_chain(unsigned stride, u64 *times) {
  extern __shared__ unsigned s[];
  unsigned at = (unsigned)__cvta_generic_to_shared(s), n = 4096 / stride, p = at;
  for (unsigned i = 0; i < n; i++)
    s[i * stride / 4] = at + (i + 1) % n * stride;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
#pragma unroll 8
    for (int i = 0; i < 512; i++)
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    wait_for32(p);
    times[w] = clock64v() - t0;
  }
}

static void shared_latency() {
  memory times(64);
  std::vector<double> v;
  for (int r = 0; r < REPS; r++) {
    shared_chain<<<1, 1, 4096>>>(4, times.as<u64>());
    done();
    v.push_back((double)times.get<u64>(2)[1] / 512);
  }
  rows("", "cyc_per_step", v);
}

// zero is 0. The four loads of an iteration are 8 KB apart, in the same banks: loads of addresses
// that are known to be the same become one.
template <int WIDTH>
__global__ void shared_loads(unsigned stride, unsigned lanes_same, unsigned zero, unsigned *sink,
                             u64 *times) {
  extern __shared__ unsigned s[];
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
    s[i] = i;
  unsigned a = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x % 32 / lanes_same * stride,
           x = 0;
  __syncthreads();
  u64 t0 = clock64v();
#pragma unroll 1
  for (int i = 0; i < 128; i++, a += zero) {
    unsigned v[4][4] = {};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      unsigned p = a + 8192 * j;
      if (WIDTH == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[j][0]) : "r"(p) : "memory");
      if (WIDTH == 8)
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];"
                     : "=r"(v[j][0]), "=r"(v[j][1])
                     : "r"(p)
                     : "memory");
      if (WIDTH == 16)
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v[j][0]), "=r"(v[j][1]), "=r"(v[j][2]), "=r"(v[j][3])
                     : "r"(p)
                     : "memory");
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      x ^= v[j][0] ^ v[j][1] ^ v[j][2] ^ v[j][3];
  }
  wait_for32(x);
  u64 t1 = clock64v();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = t0, times[threadIdx.x / 16 + 1] = t1;
  sink[threadIdx.x] = x;
}

template <int WIDTH> static void shared_rows() {
  memory sink(4096), times(1024);
  for (unsigned stride : {0, 4, 8, 16, 32, 64, 128, 132})
    for (unsigned same : {1, 2, 4}) {
      if (stride % WIDTH || (same > 1 && stride > 32)) continue;
      for (int warps : {1, 4, 8, 16, 32}) {
        std::vector<double> v;
        for (int r = 0; r < REPS; r++) {
          shared_loads<WIDTH>
              <<<1, 32 * warps, 32768>>>(stride, same, 0, sink.as<unsigned>(), times.as<u64>());
          done();
          v.push_back(span_of(times, warps) / (128 * 4 * warps));
        }
        rows(par("width=%d stride=%u lanes_same=%u warps=%d", WIDTH, stride, same, warps),
             "cyc_per_load", v);
      }
    }
}

static void shared_rate() {
  shared_rows<4>();
  shared_rows<8>();
  shared_rows<16>();
}

__constant__ unsigned const_ring[8192];

__global__ void const_chain(unsigned first, int steps, u64 *times) {
  unsigned p = first;
  for (int w = 0; w < 3; w++) {
    u64 t0 = clock64v();
#pragma unroll 4
    for (int i = 0; i < steps; i++)
      p = *(const unsigned *)((const char *)const_ring + p);
    wait_for32(p);
    times[w] = clock64v() - t0;
  }
}

static void const_latency() {
  memory times(64);
  for (size_t bytes = 256; bytes <= 32768; bytes += bytes < 4096 ? 256 : 2048) {
    std::vector<unsigned> ring(8192);
    size_t step = 16, n = bytes / 4 / step; // 64 bytes apart
    for (size_t i = 0; i < n; i++)
      ring[i * step] = (unsigned)((i + 1) % n * step * 4); // in bytes: no shift in the chain
    CU(cudaMemcpyToSymbol(const_ring, ring.data(), ring.size() * 4));
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      const_chain<<<1, 1>>>(0, (int)(512 / n * n + n), times.as<u64>());
      done();
      v.push_back((double)times.get<u64>(3)[2] / (double)(512 / n * n + n));
    }
    rows(par("bytes=%zu step=64", bytes), "cyc_per_step", v);
  }
}

// Of bar.warp.sync ptxas leaves a NOP (and a branch before it that only a divergent warp takes,
// where a warp might be): that is then what is timed, and what programs have.
template <int WHAT> __global__ void barriers(unsigned *sink, u64 *times) {
  __syncthreads();
  u64 t0 = clock64v();
#pragma unroll 8
  for (int i = 0; i < 256; i++) {
    if (WHAT == 0) asm volatile("bar.sync 0;" ::: "memory");
    if (WHAT == 1) asm volatile("membar.cta;" ::: "memory");
    if (WHAT == 2) asm volatile("membar.gl;" ::: "memory");
    if (WHAT == 3) asm volatile("bar.warp.sync -1;" ::: "memory");
    if (WHAT == 4) {
      sink[threadIdx.x] = i;
      asm volatile("membar.gl;" ::: "memory");
    }
    if (WHAT == 5) {
      sink[threadIdx.x] = i;
      asm volatile("membar.cta;" ::: "memory");
    }
  }
  u64 t1 = clock64v();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = t0, times[threadIdx.x / 16 + 1] = t1;
}

template <int WHAT> static void barrier_rows(const char *name) {
  memory sink(4096), times(1024);
  for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      barriers<WHAT><<<1, 32 * warps>>>(sink.as<unsigned>(), times.as<u64>());
      done();
      v.push_back(span_of(times, warps) / 256);
    }
    rows(par("what=%s warps=%d", name, warps), "cyc", v);
  }
}

static void barrier() {
  barrier_rows<0>("bar.sync");
  barrier_rows<1>("membar.cta");
  barrier_rows<2>("membar.gl");
  barrier_rows<3>("bar.warp.sync");
  barrier_rows<4>("store+membar.gl");
  barrier_rows<5>("store+membar.cta");
}

// Each group of lanes has the chain for itself; it is too long to be predicated.
__global__ void paths_of(unsigned paths, float c, float *sink, u64 *times) {
  unsigned lane = threadIdx.x % 32, mine = lane % paths;
  float a = (float)lane;
  u64 t0 = 0;
  asm volatile("mov.u32 %0, %0;" : "+r"(mine)); // or the remainder is computed in each round
  for (int i = -2; i < 16; i++) {
    if (i == 0) t0 = clock64v();
#pragma unroll 1
    for (unsigned k = 0; k < paths; k++)
      if (mine == k) {
#pragma unroll
        for (int j = 0; j < 32; j++)
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(c));
      }
  }
  sink[lane] = a;
  times[0] = clock64v() - t0;
}

__global__ void loop_of(int n, float c, float *sink, u64 *times) {
  float a = (float)threadIdx.x;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
#pragma unroll 1
    for (int i = 0; i < n; i++)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(c));
    times[w] = clock64v() - t0;
  }
  sink[threadIdx.x] = a;
}

static void branch() {
  memory sink(1024), times(64);
  for (unsigned paths : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      paths_of<<<1, 32>>>(paths, 1.01f, sink.as<float>(), times.as<u64>());
      done();
      v.push_back((double)times.get<u64>(1)[0] / 16);
    }
    rows(par("paths=%u", paths), "cyc_per_round", v);
  }
  std::vector<double> v;
  for (int r = 0; r < REPS; r++) {
    loop_of<<<1, 32>>>(1024, 1.01f, sink.as<float>(), times.as<u64>());
    done();
    v.push_back((double)times.get<u64>(2)[1] / 1024);
  }
  rows("loop=not_unrolled body=fma", "cyc_per_round", v);
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"arith_latency", arith_latency},
                                    {"arith_rate", arith_rate},
                                    {"shared_latency", shared_latency},
                                    {"shared_rate", shared_rate},
                                    {"const_latency", const_latency},
                                    {"barrier", barrier},
                                    {"branch", branch}};
  return run_main(argc, argv, table);
}
