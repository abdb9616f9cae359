// What all microbenchmarks share: rows of the table, loads of a given kind, clocks, rings to walk.
//
// A row is "benchmark <tab> key=value key=value <tab> metric <tab> value". A measurement is
// repeated; its rows have ".min" and ".med" behind the metric's name, and a list of values is one
// row with blanks between them. Times are cycles of the SM's clock unless the metric says
// otherwise.
#pragma once
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

typedef unsigned long long u64;

#define CU(call)                                                                                   \
  do {                                                                                             \
    cudaError_t cu_ = (call);                                                                      \
    if (cu_ != cudaSuccess) failed(#call, __FILE__, __LINE__, cu_);                                \
  } while (0)

enum { CA, CG }; // ld.global.ca, ld.global.cg
enum { LINE = 128, SECTOR = 32, REPS = 3 };
static const size_t KB = 1024, MB = 1024 * KB, GB = 1024 * MB;

static const char *bench_now = "?";

[[maybe_unused]] static void failed(const char *call, const char *file, int line, cudaError_t e) {
  printf("%s\tat=%s:%d\tFAILED\t%s: %s\n", bench_now, file, line, cudaGetErrorName(e), call);
  fflush(stdout);
  exit(1);
}

// Parameters of a row.
[[maybe_unused]] static std::string par(const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

[[maybe_unused]] static void row(const std::string &params, const char *metric, double value) {
  printf("%s\t%s\t%s\t%.6g\n", bench_now, params.c_str(), metric, value);
}

// The least and the median of repetitions.
[[maybe_unused]] static void rows(const std::string &params, const char *metric,
                                  std::vector<double> v) {
  std::sort(v.begin(), v.end());
  row(params, (std::string(metric) + ".min").c_str(), v[0]);
  row(params, (std::string(metric) + ".med").c_str(), v[v.size() / 2]);
}

template <class T>
static void list_row(const std::string &params, const char *metric, const T *v, size_t n) {
  printf("%s\t%s\t%s\t", bench_now, params.c_str(), metric);
  for (size_t i = 0; i < n; i++)
    printf("%s%lld", i ? " " : "", (long long)v[i]);
  printf("\n");
}

// min, quartiles, p90, p99, max and mean of many single values.
[[maybe_unused]] static void spread_rows(const std::string &params, const char *metric,
                                         std::vector<unsigned> v) {
  if (v.empty()) return;
  std::sort(v.begin(), v.end());
  static const struct {
    const char *name;
    double at;
  } parts[] = {{".min", 0},   {".p10", .1}, {".p25", .25}, {".med", .5},
               {".p75", .75}, {".p90", .9}, {".p99", .99}, {".max", 1}};
  for (auto &p : parts)
    row(params, (std::string(metric) + p.name).c_str(), v[(size_t)(p.at * (double)(v.size() - 1))]);
  row(params, (std::string(metric) + ".mean").c_str(),
      std::accumulate(v.begin(), v.end(), 0.0) / (double)v.size());
}

// ---- on the device

static __device__ __forceinline__ unsigned clock32() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
static __device__ __forceinline__ u64 clock64v() {
  u64 t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
static __device__ __forceinline__ u64 globaltimer() {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
static __device__ __forceinline__ unsigned smid() {
  unsigned s;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  return s;
}
// What follows in program order is issued only when x is there: the exit needs its value.
static __device__ __forceinline__ void wait_for(u64 x) {
  asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 0xdeadbeefdeadbeef; @q exit; }" ::"l"(x)
               : "memory");
}
static __device__ __forceinline__ void wait_for32(unsigned x) {
  asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0xdeadbeef; @q exit; }" ::"r"(x) : "memory");
}
template <int KIND> static __device__ __forceinline__ u64 load64(u64 a) {
  u64 v;
  if (KIND == CA)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(a) : "memory");
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(a) : "memory");
  return v;
}
template <int KIND> static __device__ __forceinline__ unsigned load32(u64 a) {
  unsigned v;
  if (KIND == CA)
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
  else
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
  return v;
}
template <int KIND> static __device__ __forceinline__ uint4 load128(u64 a) {
  uint4 v;
  if (KIND == CA)
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(a)
                 : "memory");
  else
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(a)
                 : "memory");
  return v;
}

// All blocks of the grid are there: the grid must fit the GPU at once. The count goes on from
// launch to launch, so that nothing need be set to zero.
static __device__ void meet(unsigned *count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned mine = atomicAdd(count, 1), want = (mine / gridDim.x + 1) * gridDim.x, now;
    do
      asm volatile("ld.global.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
    while ((int)(now - want) < 0);
  }
  __syncthreads();
}

// Writes the ring: each element holds the address of the next.
__global__ void ring_link(u64 base, const u64 *offsets, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    *(u64 *)(base + offsets[i]) = base + offsets[i + 1 == n ? 0 : i + 1];
}

// Reads n bytes, so that they are in the L2 (or something else is not).
__global__ void touch(u64 base, size_t bytes, unsigned *sink) {
  unsigned x = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes / 16;
       i += (size_t)gridDim.x * blockDim.x) {
    uint4 v = load128<CG>(base + 16 * i);
    x ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (x == 0x12345678) *sink = x;
}

// clock64 over globaltimer while it spins.
__global__ void clock_probe(u64 ns, u64 *out) {
  u64 g0 = globaltimer(), g;
  do
    g = globaltimer();
  while (g == g0); // begin with a tick
  u64 c0 = clock64v();
  g0 = g;
  do
    g = globaltimer();
  while (g - g0 < ns);
  u64 c1 = clock64v();
  out[0] = c1 - c0, out[1] = g - g0;
}

// ---- on the host

struct memory { // of the device, freed with the struct
  u64 at = 0;
  size_t bytes = 0;
  explicit memory(size_t n) : bytes(n) {
    void *p;
    CU(cudaMalloc(&p, n));
    at = (u64)p;
  }
  memory(const memory &) = delete;
  ~memory() {
    cudaFree((void *)at);
  }
  template <class T> T *as() const {
    return (T *)at;
  }
  template <class T> std::vector<T> get(size_t n) const {
    std::vector<T> v(n);
    CU(cudaMemcpy(v.data(), (void *)at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  template <class T> void put(const std::vector<T> &v) const {
    CU(cudaMemcpy((void *)at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  void clear(int byte = 0) const {
    CU(cudaMemset((void *)at, byte, bytes));
  }
};

[[maybe_unused]] static void done() {
  CU(cudaGetLastError());
  CU(cudaDeviceSynchronize());
}

[[maybe_unused]] static int sm_count() {
  int n;
  CU(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
  return n;
}

// Links the elements at these offsets, in this order.
[[maybe_unused]] static void make_ring(u64 base, const std::vector<u64> &offsets) {
  memory d(offsets.size() * sizeof(u64));
  d.put(offsets);
  ring_link<<<256, 256>>>(base, d.as<u64>(), offsets.size());
  done();
}

// 0, step, 2 * step, ...: in this order, or shuffled (always the same way).
[[maybe_unused]] static std::vector<u64> steps_of(size_t n, size_t step, bool shuffled,
                                                  unsigned seed = 1) {
  std::vector<u64> v(n);
  for (size_t i = 0; i < n; i++)
    v[i] = i * step;
  std::mt19937_64 r(seed);
  if (shuffled)
    for (size_t i = n; i > 1; i--)
      std::swap(v[i - 1], v[r() % i]);
  return v;
}

// Fills the L2 with something else.
[[maybe_unused]] static void flush_l2() {
  static memory *other = nullptr;
  if (!other) {
    other = new memory(256 * MB + 64);
    other->clear();
  }
  touch<<<4 * sm_count(), 1024>>>(other->at, 256 * MB, (unsigned *)(other->at + 256 * MB));
  done();
}

[[maybe_unused]] static double sm_mhz(u64 ns) {
  memory out(16);
  clock_probe<<<1, 1>>>(ns, out.as<u64>());
  done();
  auto v = out.get<u64>(2);
  return 1000.0 * (double)v[0] / (double)v[1];
}

// An idle GPU's clock is low and rises with work, and latencies in cycles depend on it: wait until
// it is high, or does not change any more.
[[maybe_unused]] static void wake_up() {
  int khz, same = 0;
  double last = 0;
  CU(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  for (int i = 0; i < 100 && same < 20; i++) {
    double now = sm_mhz(5000000);
    if (now > 0.97 * khz / 1000) break;
    same = now > 0.995 * last && now < 1.005 * last ? same + 1 : 0;
    last = now;
  }
}

struct benchmark {
  const char *name;
  void (*run)();
};

// PROGRAM NAME runs a benchmark; PROGRAM alone lists them.
template <size_t N> static int run_main(int argc, char **argv, const benchmark (&table)[N]) {
  setvbuf(stdout, nullptr, _IOLBF, 1 << 16); // whole lines, even if it is stopped
  if (argc < 2)
    for (auto &b : table)
      printf("%s\n", b.name);
  for (int i = 1; i < argc; i++) {
    const benchmark *found = nullptr;
    for (auto &b : table)
      if (!strcmp(argv[i], b.name)) found = &b;
    if (!found) {
      fprintf(stderr, "%s: no benchmark %s\n", argv[0], argv[i]);
      return 2;
    }
    bench_now = found->name;
    CU(cudaFree(nullptr));
    wake_up();
    row("when=before", "sm_mhz", sm_mhz(2000000));
    found->run();
    done();
    row("when=after", "sm_mhz", sm_mhz(2000000));
    fflush(stdout);
  }
  return 0;
}
