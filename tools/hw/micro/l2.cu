// What a miss fetches, where lines lie in the L2, and how latency and bandwidth depend on footprint
// and SMs.
//
//   sectors     one thread touches sector 0..3 of a line, waits, then times another sector of the
//   line or of its
//               neighbours. level=l1: lines that the L2 has (.ca; a hit in the L1 is below 120
//               cycles); level=l2: lines that it does not have (.cg; below 500 cycles is a hit in
//               the L2). share_near is the share of lines for which the second load was a hit.
//               granularity: cudaLimitMaxL2FetchGranularity, which must be set before anything is
//               allocated, so that there is a benchmark for each.
//   slices      latency of .cg loads that hit the L2: each of 512 lines (64 KB) from each SM, the
//   least of five. Lines with
//               the same row of latencies over SMs are in the same slice; two heaps of an SM's
//               latencies are the near and the far partition.
//   slice_pairs all SMs read two sectors only, over and over: the rate is twice as high if they are
//   in different slices.
//               offset is the distance of the second from the first (32 bytes up to 4 KB, then
//               lines up to 128 KB).
//   l2_sms      bandwidth of reads that hit the L2 (8 MB, .cg, 16 bytes per lane), by the number of
//   SMs at it.
//               pick=first: SMs 0..n-1; pick=even: every other one (one SM of each TPC). data=zero
//               is what all other benchmarks read, too: random tells whether that is a special case
//   l2_size     read bandwidth and latency by footprint. reader=all: every SM reads the whole
//   footprint, piece by
//               piece together, several times; reader=one: one SM does. Latency: one thread, random
//               lines, after the footprint was read by the same SM (warmed=one) or by all
//               (warmed=all).
//   l2_spread   n SMs read from the L2 (.cg, 4 bytes a lane, 4 loads ahead, 32 warps) with lanes
//   `stride` bytes apart: 4 is a line, 32
//               every sector of eight, 64 and 128 some of 16 and 32 lines, 0 one word. order=same:
//               all SMs read the same places at about the same time; own: each begins elsewhere.
//               sectors_per_cyc: those of all SMs that the lanes ask for.
//   l2_hot      `warps` warps of n SMs read one word after the other (.cg, 4 loads ahead), all the
//               same at about the same time, so that one slice has all requests of a line:
//               warps_per_cyc. What limits reads that are one with others?
//   after_write  one warp reads lines one after the other, twice, which were written or read
//   before:
//               by its own SM, by one other SM, or by all of them. load_cyc of the first walk and
//               the second, of several readers. Which SMs is a line near to, when it was written?
//   merge_sms   n SMs read 256 MB, all of it each (reads=same) or a part each (parts). If requests
//   of different SMs for one
//               line in flight become one, and the L2 holds lines until the last SM has had them,
//               reads=same gives up to n times the bytes of the DRAM; the bandwidths of parts are
//               the DRAM's by number of SMs.
#include "micro.cuh"

static const size_t L2_PIECE = 4096;

// Touches sector `a` of each of n lines `apart` bytes apart, then times sector `b`; waits between.
template <int KIND>
__global__ void two_sectors(u64 base, const unsigned *order, int n, unsigned apart, unsigned a,
                            unsigned b, unsigned *times) {
  extern __shared__ unsigned t[];
  for (int i = 0; i < n; i++) {
    u64 line = base + (u64)order[i] * apart;
    wait_for(load64<KIND>(line + 32 * a));
    unsigned t0 = clock32();
    while (clock32() - t0 < 1500) {
    }
    t0 = clock32();
    wait_for(load64<KIND>(line + 32 * b));
    t[i] = clock32() - t0;
  }
  for (int i = 0; i < n; i++)
    times[i] = t[i];
}

template <int KIND>
static void sector_rows(const memory &buffer, size_t granularity, unsigned a, unsigned b) {
  enum { LINES = 512 };
  static memory *times = new memory(4 * LINES), *order = new memory(4 * LINES);
  auto o = steps_of(LINES, 1, true);
  order->put(std::vector<unsigned>(o.begin(), o.end()));
  unsigned near = KIND == CA ? 120 : 500;
  std::vector<double> share, median;
  for (int r = 0; r < REPS; r++) {
    if (KIND == CA)
      touch<<<128, 256>>>(buffer.at, LINES * L2_PIECE, times->as<unsigned>());
    else
      flush_l2();
    done();
    two_sectors<KIND><<<1, 1, 4 * LINES>>>(buffer.at, order->as<unsigned>(), LINES, L2_PIECE, a, b,
                                           times->as<unsigned>());
    done();
    auto t = times->get<unsigned>(LINES);
    share.push_back(
        (double)std::count_if(t.begin(), t.end(), [=](unsigned x) { return x < near; }) / LINES);
    std::sort(t.begin(), t.end());
    median.push_back(t[LINES / 2]);
  }
  std::string s = par("level=%s granularity=%zu touched=%u timed=%u", KIND == CA ? "l1" : "l2",
                      granularity, a, b);
  rows(s, "share_near", share);
  rows(s, "load_cyc", median);
}

static void sectors(size_t granularity) {
  size_t is;
  if (granularity) CU(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, granularity));
  CU(cudaDeviceGetLimit(&is, cudaLimitMaxL2FetchGranularity));
  row(par("asked=%zu", granularity), "granularity", (double)is);
  memory buffer(64 * MB);
  buffer.clear();
  for (unsigned a = 0; a < 4; a++)
    for (unsigned b = 0; b < 16; b++)
      sector_rows<CG>(buffer, is, a, b);
  for (unsigned b : {20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 120})
    sector_rows<CG>(buffer, is, 0, b);
  if (granularity && granularity != 64) return; // the L1's fetches are the same
  for (unsigned a = 0; a < 4; a++)
    for (unsigned b = 0; b < 8; b++)
      sector_rows<CA>(buffer, is, a, b);
}
static void sectors_default() {
  sectors(0);
}
static void sectors_32() {
  sectors(32);
}
static void sectors_64() {
  sectors(64);
}
static void sectors_128() {
  sectors(128);
}

// One block per SM, one after the other: latency of each line, the least of five
__global__ void line_latencies(u64 base, int lines, int step, unsigned sm, unsigned short *out) {
  extern __shared__ unsigned best[];
  if (smid() != sm) return;
  for (int i = 0; i < lines; i++)
    best[i] = ~0u;
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < lines; i++) {
      unsigned t0 = clock32();
      wait_for(load64<CG>(base + (u64)i * step));
      best[i] = min(best[i], clock32() - t0);
    }
  for (int i = 0; i < lines; i++)
    out[i] = (unsigned short)min(best[i], 65535u);
}

static void slices() {
  enum { LINES = 512, AT_ONCE = 64 };
  memory buffer(2 * MB), out(2 * LINES);
  buffer.clear();
  const int shared = 160 * 1024; // one block per SM
  CU(cudaFuncSetAttribute(line_latencies, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  for (int sm = 0; sm < sm_count(); sm++) {
    CU(cudaMemset((void *)out.at, 0, 2 * LINES));
    line_latencies<<<sm_count(), 1, shared>>>(buffer.at, LINES, LINE, (unsigned)sm,
                                              out.as<unsigned short>());
    done();
    auto v = out.get<unsigned short>(LINES);
    for (int i = 0; i < LINES; i += AT_ONCE)
      list_row(par("sm=%d first_line=%d", sm, i), "load_cyc.min", v.data() + i, AT_ONCE);
  }
}

// Each SM, or only `one`, writes lines of its own, or reads them.
__global__ void prepare_lines(u64 base, int lines, int how, int one, unsigned *sink) {
  int sm = (int)smid(), n = one >= 0 ? 1 : gridDim.x;
  unsigned x = 0;
  if (one >= 0 && sm != one) return;
  for (int i = one >= 0 ? 0 : sm; i < lines; i += n)
    if (how)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(base + (u64)i * LINE + 4 * threadIdx.x), "r"(i)
                   : "memory");
    else
      x ^= load32<CG>(base + (u64)i * LINE + 4 * threadIdx.x);
  if (x == 0x12345678) *sink = x;
}

__global__ void walk_lines(u64 base, int lines, unsigned sm, unsigned *out) {
  extern __shared__ unsigned times[];
  if (smid() != sm) return;
  for (int w = 0; w < 2; w++)
    for (int i = 0; i < lines; i++) {
      unsigned t0 = clock32();
      wait_for(load64<CG>(base + (u64)i * LINE));
      times[w * lines + i] = clock32() - t0;
    }
  for (int i = 0; i < 2 * lines; i++)
    out[i] = times[i];
}

static void after_write() {
  enum { LINES = 2048, OTHER = 7 };
  static const char *const whos[] = {"itself", "another", "all"};
  memory buffer(LINES * LINE), out(8 * LINES), sink(4096);
  const int shared = 160 * 1024; // one block per SM
  CU(cudaFuncSetAttribute(prepare_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  CU(cudaFuncSetAttribute(walk_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  for (int how = 0; how < 2; how++)
    for (int who = 0; who < 3; who++)
      for (unsigned reader : {0u, 1u, 2u, 40u, 41u, 100u}) {
        flush_l2();
        int one = who == 0 ? (int)reader : who == 1 ? OTHER : -1;
        prepare_lines<<<sm_count(), 32, shared>>>(buffer.at, LINES, how, one, sink.as<unsigned>());
        walk_lines<<<sm_count(), 1, shared>>>(buffer.at, LINES, reader, out.as<unsigned>());
        done();
        auto v = out.get<unsigned>(2 * LINES);
        for (int w = 0; w < 2; w++)
          spread_rows(par("before=%s by=%s reader=%u walk=%d", how ? "written" : "read", whos[who],
                          reader, w + 1),
                      "load_cyc",
                      std::vector<unsigned>(v.begin() + w * LINES, v.begin() + (w + 1) * LINES));
      }
}

// zero is 0: loads of one address would become one
__global__ void two_places(u64 a, u64 b, u64 zero, unsigned *count, unsigned *sink, u64 *times) {
  u64 p = blockIdx.x % 2 ? b : a;
  unsigned x = 0;
  meet(count);
  u64 t0 = clock64v();
#pragma unroll 1
  for (int i = 0; i < 32; i++) {
    unsigned v[8];
#pragma unroll
    for (int j = 0; j < 8; j++, p += zero)
      v[j] = load32<CG>(p);
#pragma unroll
    for (int j = 0; j < 8; j++)
      x ^= v[j];
  }
  wait_for32(x);
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = clock64v() - t0;
  sink[threadIdx.x] = x;
}

static void slice_pairs() {
  memory buffer(2 * MB), count(4), sink(4096), times(8 * 1024);
  buffer.clear();
  count.clear();
  int sms = sm_count();
  std::vector<size_t> offsets;
  for (size_t o = 0; o < 4 * KB; o += 32)
    offsets.push_back(o);
  for (size_t o = 4 * KB; o < 128 * KB; o += 128)
    offsets.push_back(o);
  for (size_t o : offsets) {
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      two_places<<<sms / 2 * 2, 256>>>(buffer.at, buffer.at + o, 0, count.as<unsigned>(),
                                       sink.as<unsigned>(), times.as<u64>());
      done();
      auto t = times.get<u64>((size_t)(sms / 2 * 2));
      double mean = std::accumulate(t.begin(), t.end(), 0.0) / (double)t.size();
      v.push_back((double)t.size() * 8 * 32 * 8 / mean);
    }
    rows(par("offset=%zu", o), "loads_per_cyc", v);
  }
}

// Reads pieces of bytes/part, beginning at another place on each SM unless together; active SMs
// only
__global__ void __launch_bounds__(1024, 1)
    stream(u64 base, size_t bytes, int passes, unsigned first, unsigned step, unsigned n, int share,
           unsigned *count, unsigned *sink, u64 *times) {
  unsigned sm = smid(), x = 0;
  bool active = sm >= first && (sm - first) % step == 0 && (sm - first) / step < n;
  unsigned mine = active ? (sm - first) / step : 0;
  meet(count);
  if (!active) return;
  // share: the SMs divide a pass among them; else each reads all of it
  size_t chunk = 1024 * 16, chunks = bytes / chunk, begin = share ? mine : 0, every = share ? n : 1;
  u64 t0 = clock64v();
  for (int p = 0; p < passes; p++) {
    size_t c = begin;
    for (; c + 3 * every < chunks; c += 4 * every) {
      uint4 v[4];
#pragma unroll
      for (int j = 0; j < 4; j++)
        v[j] = load128<CG>(base + (c + j * every) * chunk + 16 * threadIdx.x);
#pragma unroll
      for (int j = 0; j < 4; j++)
        x ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
    }
    for (; c < chunks; c += every) {
      uint4 v = load128<CG>(base + c * chunk + 16 * threadIdx.x);
      x ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  wait_for32(x);
  __syncthreads();
  if (threadIdx.x == 0) times[sm] = clock64v() - t0;
  sink[threadIdx.x] = x;
}

struct streamer {
  memory count{4}, sink{4096}, times{8 * 1024};
  enum { SHARED = 160 * 1024 };
  streamer() {
    count.clear();
    CU(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  }
  // bytes per cycle of all: each one's bytes over the longest time
  double rate(u64 base, size_t bytes, int passes, unsigned first, unsigned step, unsigned n,
              bool share) {
    times.clear();
    stream<<<sm_count(), 1024, SHARED>>>(base, bytes, passes, first, step, n, share,
                                         count.as<unsigned>(), sink.as<unsigned>(),
                                         times.as<u64>());
    done();
    auto t = times.get<u64>(1024);
    return (double)bytes * passes * (share ? 1 : n) / (double)*std::max_element(t.begin(), t.end());
  }
};

static void l2_sms_rows(streamer &s, const memory &buffer, size_t bytes, unsigned step,
                        const char *data) {
  unsigned sms = (unsigned)sm_count();
  for (unsigned n = 1; n <= sms / step; n += n < 16 ? 1 : 4) {
    std::vector<double> v;
    for (int r = 0; r < REPS + 1; r++) {
      double rate = s.rate(buffer.at, bytes, (int)std::max(1u, n / 4), 0, step, n, true);
      if (r) v.push_back(-rate); // the best is first
    }
    std::string what =
        par("bytes=%zu pick=%s sms=%u data=%s", bytes, step == 1 ? "first" : "even", n, data);
    std::sort(v.begin(), v.end());
    row(what, "bytes_per_cyc.max", -v[0]);
    row(what, "bytes_per_cyc.med", -v[v.size() / 2]);
  }
}

static void l2_sms() {
  memory buffer(16 * MB);
  buffer.clear();
  streamer s;
  for (size_t mb : {2, 8, 16})
    for (unsigned step = 1; step <= 2; step++)
      l2_sms_rows(s, buffer, mb * MB, step, "zero");
  std::vector<u64> random(buffer.bytes / sizeof(u64));
  std::mt19937_64 r(1);
  for (auto &x : random)
    x = r();
  buffer.put(random);
  for (size_t mb : {8, 16})
    l2_sms_rows(s, buffer, mb * MB, 1, "random");
}

__global__ void random_latencies(u64 base, size_t lines, int steps, unsigned *times) {
  extern __shared__ unsigned t[];
  if (smid() != 0) return;
  u64 r = 88172645463325252ull;
  for (int i = 0; i < steps; i++) {
    r ^= r << 13, r ^= r >> 7, r ^= r << 17;
    u64 a = base + (r >> 8) % lines * LINE;
    wait_for(a);
    unsigned t0 = clock32();
    wait_for(load64<CG>(a));
    t[i] = clock32() - t0;
  }
  for (int i = 0; i < steps; i++)
    times[i] = t[i];
}

static void l2_size() {
  enum { STEPS = 8192 };
  memory buffer(128 * MB), times(4 * STEPS);
  buffer.clear();
  streamer s;
  const int shared = 160 * 1024;
  CU(cudaFuncSetAttribute(random_latencies, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  unsigned sms = (unsigned)sm_count();
  for (size_t mb = 1; mb <= 128; mb += mb < 72 ? 1 : 4) {
    size_t bytes = mb * MB;
    std::vector<double> all, one;
    for (int r = 0; r < REPS; r++) {
      s.rate(buffer.at, bytes, 2, 0, 1, sms, true);
      all.push_back(s.rate(buffer.at, bytes, (int)std::max<size_t>(4, 128 / mb), 0, 1, sms, true));
      s.rate(buffer.at, bytes, 1, 0, 1, 1, true);
      one.push_back(s.rate(buffer.at, bytes, 1, 0, 1, 1, true));
    }
    rows(par("bytes=%zu reader=all", bytes), "bytes_per_cyc", all);
    rows(par("bytes=%zu reader=one", bytes), "bytes_per_cyc", one);
    for (int warm_all = 0; warm_all < 2; warm_all++) {
      std::vector<unsigned> lat;
      for (int r = 0; r < REPS; r++) {
        flush_l2();
        s.rate(buffer.at, bytes, 2, 0, 1, warm_all ? sms : 1, true);
        random_latencies<<<(int)sms, 1, shared>>>(buffer.at, bytes / LINE, STEPS,
                                                  times.as<unsigned>());
        done();
        auto t = times.get<unsigned>(STEPS);
        lat.insert(lat.end(), t.begin(), t.end());
      }
      spread_rows(par("bytes=%zu warmed=%s", bytes, warm_all ? "all" : "one"), "load_cyc", lat);
    }
  }
}

static void merge_sms() {
  memory buffer(256 * MB);
  buffer.clear();
  streamer s;
  unsigned sms = (unsigned)sm_count();
  for (unsigned n : {1u, 2u, 4u, 8u, 16u, 32u, 64u, sms})
    for (int share = 0; share < 2; share++) {
      std::vector<double> v;
      for (int r = 0; r < REPS; r++)
        v.push_back(-s.rate(buffer.at, buffer.bytes, 1, 0, 1, n, share));
      std::sort(v.begin(), v.end());
      std::string what =
          par("bytes=%zu sms=%u reads=%s", buffer.bytes, n, share ? "parts" : "same");
      row(what, "bytes_per_cyc.max", -v[0]);
      row(what, "bytes_per_cyc.med", -v[v.size() / 2]);
    }
}

// Each warp has AHEAD loads in flight, one piece of `span` bytes after the other. zero is 0:
// without it loads of a round could be those of the one before.
enum { SPREAD_AHEAD = 4, SPREAD_ROUNDS = 64 };

__global__ void __launch_bounds__(1024, 1)
    spread(u64 base, u64 zero, unsigned stride, unsigned span, unsigned bytes, unsigned n_sms,
           unsigned apart, unsigned *count, unsigned *sink, u64 *times) {
  unsigned sm = smid(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = 0;
  u64 lane_at = base + (u64)lane * stride;
  unsigned at = (sm * apart * span + warp * (bytes / 32)) & (bytes - 1); // bytes is a power of two
  meet(count);
  if (sm >= n_sms) return;
  u64 t0 = clock64v();
#pragma unroll 1 // no more in flight than SPREAD_AHEAD
  for (int n = 0; n < SPREAD_ROUNDS; n++, lane_at += zero) {
    unsigned v[SPREAD_AHEAD];
#pragma unroll
    for (int j = 0; j < SPREAD_AHEAD; j++, at = (at + span) & (bytes - 1))
      v[j] = load32<CG>(lane_at + at);
#pragma unroll
    for (int j = 0; j < SPREAD_AHEAD; j++)
      x ^= v[j];
  }
  wait_for32(x);
  __syncthreads();
  if (threadIdx.x == 0) times[sm] = clock64v() - t0;
  sink[threadIdx.x] = x;
}

// All read the words at the beginning of the same lines, one line after the other.
__global__ void __launch_bounds__(1024, 1)
    hot(u64 base, u64 zero, unsigned bytes, unsigned n_sms, unsigned n_warps, unsigned *count,
        unsigned *sink, u64 *times) {
  unsigned sm = smid(), warp = threadIdx.x / 32, x = 0, at = 0;
  meet(count);
  if (sm >= n_sms || warp >= n_warps) return;
  u64 t0 = clock64v();
#pragma unroll 1
  for (int n = 0; n < SPREAD_ROUNDS; n++, base += zero) {
    unsigned v[SPREAD_AHEAD];
#pragma unroll
    for (int j = 0; j < SPREAD_AHEAD; j++, at = (at + LINE) & (bytes - 1))
      v[j] = load32<CG>(base + at);
#pragma unroll
    for (int j = 0; j < SPREAD_AHEAD; j++)
      x ^= v[j];
  }
  wait_for32(x);
  if (threadIdx.x % 32 == 0) times[sm * 32 + warp] = clock64v() - t0;
  sink[threadIdx.x] = x;
}

static void l2_hot() {
  enum { SHARED = 160 * 1024, BYTES = 64 * 1024 };
  memory buffer(BYTES), count(4), sink(4096), times(8 * 32 * 256);
  buffer.clear();
  count.clear();
  CU(cudaFuncSetAttribute(hot, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  for (unsigned n : {1u, 2u, 4u, 16u, 64u, (unsigned)sm_count()})
    for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
      std::vector<double> v;
      for (int r = 0; r < REPS + 1; r++) {
        times.clear();
        touch<<<64, 256>>>(buffer.at, BYTES, sink.as<unsigned>());
        hot<<<sm_count(), 1024, SHARED>>>(buffer.at, 0, BYTES, n, warps, count.as<unsigned>(),
                                          sink.as<unsigned>(), times.as<u64>());
        done();
        auto t = times.get<u64>(32 * 256);
        double most = (double)*std::max_element(t.begin(), t.end());
        if (r) v.push_back((double)n * warps * SPREAD_ROUNDS * SPREAD_AHEAD / most);
      }
      rows(par("bytes=%d sms=%u warps=%u", BYTES, n, warps), "warps_per_cyc", v);
    }
}

static void l2_spread() {
  enum { SHARED = 160 * 1024, LOADS = 32 * SPREAD_ROUNDS * SPREAD_AHEAD };
  memory buffer(16 * MB), count(4), sink(4096), times(8 * 1024);
  buffer.clear();
  count.clear();
  CU(cudaFuncSetAttribute(spread, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  for (size_t bytes : {(size_t)128 << 10, (size_t)1 << 20, (size_t)16 << 20})
    for (unsigned stride : {0u, 4u, 32u, 64u, 128u})
      for (unsigned n : {1u, 4u, 16u, 64u, (unsigned)sm_count()})
        for (unsigned own = 0; own < 2; own++) {
          unsigned span = stride <= 4 ? LINE : 32 * stride;
          unsigned sectors = stride == 0 ? 1 : stride == 4 ? 4 : 32;
          std::vector<double> v;
          for (int r = 0; r < REPS + 1; r++) {
            times.clear();
            touch<<<64, 256>>>(buffer.at, bytes, sink.as<unsigned>());
            spread<<<sm_count(), 1024, SHARED>>>(buffer.at, 0, stride, span, (unsigned)bytes, n,
                                                 own * 977u, count.as<unsigned>(),
                                                 sink.as<unsigned>(), times.as<u64>());
            done();
            auto t = times.get<u64>(1024);
            double most = (double)*std::max_element(t.begin(), t.end());
            if (r) v.push_back((double)n * LOADS * sectors / most);
          }
          rows(par("bytes=%zu stride=%u sms=%u order=%s", bytes, stride, n, own ? "own" : "same"),
               "sectors_per_cyc", v);
        }
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"sectors_default", sectors_default},
                                    {"sectors_32", sectors_32},
                                    {"sectors_64", sectors_64},
                                    {"sectors_128", sectors_128},
                                    {"slices", slices},
                                    {"slice_pairs", slice_pairs},
                                    {"l2_sms", l2_sms},
                                    {"l2_size", l2_size},
                                    {"l2_spread", l2_spread},
                                    {"l2_hot", l2_hot},
                                    {"after_write", after_write},
                                    {"merge_sms", merge_sms}};
  return run_main(argc, argv, table);
}
