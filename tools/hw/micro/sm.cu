// Scheduler, launches, block dispatch, clocks.
//
//   scheduler  warps of one scheduler (every fourth of the block; the others have ended) read the
//   clock RECORDS times, with
//              six FMAs between readings. issue_clock: a warp's readings, from the block's first.
//              Sorted by clock they say who went on: one warp for long stretches (greedy), or all
//              in turn (round robin). mode=free: FMAs independent; mode=chain: dependent, so that
//              each warp stalls all the time; mode=load: a load from the L2 is waited for after
//              every 12 readings; mode=barrier: all begin together, after a bar.sync in the middle
//              again. These are unrolled; mode=loop is a short loop that keeps the readings in
//              shared memory, so that instruction fetch cannot play a part
//   launch     microseconds of empty kernels by blocks and threads: one between two events, and per
//   launch of 200 in a row,
//              and of 200 in a graph. gap_ns: from the last block's end to the next kernel's first
//              instruction, by globaltimer, for launches that wait in the stream; timer_ns is
//              globaltimer's step.
//   dispatch   blocks that spin; each notes its SM and the clock. start_interval_cyc: between
//   blocks that begin on one SM in
//              the first wave; begin_spread_ns: from the first to the last begin of the first wave
//              on the GPU (globaltimer); replace_cyc: from the end of a block to the first
//              instruction of the next on that SM; sm_of_block: where the first blocks went.
//   clocks     clock64 over globaltimer in MHz, and what the driver says of the device
#include "micro.cuh"

enum { RECORDS = 48 };
enum { FREE, CHAIN, LOAD, BARRIER, LOOP };
static const char *const modes[] = {"free", "chain", "load", "barrier", "loop"};

// Never 0, but ptxas does not know that: it takes what is below `if (lane_bit())` for code that
// some lanes may not be in, and uses no uniform registers there.
static __device__ __forceinline__ unsigned lane_bit() {
  unsigned bit;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(bit));
  return bit;
}

template <int MODE>
__global__ void __launch_bounds__(1024) record(u64 base, float c, unsigned *out, float *sink) {
  unsigned warp = threadIdx.x / 32, t[RECORDS], x = 0;
  float a[6];
  for (int k = 0; k < 6; k++)
    a[k] = c * k;
  if (MODE == LOAD) x = load32<CG>(base + 4096 + 256 * warp);
  __syncthreads();
  if (warp % 4) {
    if (MODE == BARRIER) __syncthreads();
    return;
  }
  if (lane_bit()) { // else half of the readings are S2UR, whose result comes late: warps take turns
#pragma unroll
    for (int i = 0; i < RECORDS; i++) {
      if (MODE == LOAD && i && i % 12 == 0) {
        x += load32<CG>(base + 4096 * i + 256 * warp);
        wait_for32(x);
      }
      if (MODE == BARRIER && i == RECORDS / 2) asm volatile("bar.sync 0;" ::: "memory");
      t[i] = clock32();
#pragma unroll
      for (int k = 0; k < 6; k++) {
        float &y = a[MODE == CHAIN ? 0 : k];
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(c));
      }
    }
    if (threadIdx.x % 32 == 0)
      for (int i = 0; i < RECORDS; i++)
        out[warp / 4 * RECORDS + i] = t[i];
  }
  for (int k = 0; k < 6; k++)
    sink[threadIdx.x * 6 + k] = a[k] + (float)x;
}

// All lanes write the same reading.
__global__ void record_loop(float c, unsigned *out, float *sink) {
  __shared__ unsigned t[8][RECORDS];
  unsigned warp = threadIdx.x / 32;
  float a[6];
  for (int k = 0; k < 6; k++)
    a[k] = c * k;
  __syncthreads();
  if (warp % 4) return;
  unsigned at = (unsigned)__cvta_generic_to_shared(t[warp / 4]);
#pragma unroll 1
  for (int i = 0; i < RECORDS; i++) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + 4 * i), "r"(clock32()) : "memory");
#pragma unroll
    for (int k = 0; k < 6; k++)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[k]) : "f"(c));
  }
  for (int i = threadIdx.x % 32; i < RECORDS; i += 32)
    out[warp / 4 * RECORDS + i] = t[warp / 4][i];
  for (int k = 0; k < 6; k++)
    sink[threadIdx.x * 6 + k] = a[k];
}

template <int MODE> static void record_rows() {
  memory buffer(MB), out(4 * RECORDS * 8), sink(4 * 6 * 1024);
  buffer.clear();
  for (unsigned warps : {1, 2, 3, 4, 8})
    for (int r = 0; r < REPS + 1; r++) {
      if (MODE == LOOP)
        record_loop<<<1, 128 * warps>>>(1.01f, out.as<unsigned>(), sink.as<float>());
      else
        record<MODE><<<1, 128 * warps>>>(buffer.at, 1.01f, out.as<unsigned>(), sink.as<float>());
      done();
      if (!r) continue; // instructions were fetched
      auto t = out.get<unsigned>(warps * RECORDS);
      unsigned least = *std::min_element(t.begin(), t.end());
      for (auto &x : t)
        x -= least;
      for (unsigned w = 0; w < warps; w++)
        list_row(par("mode=%s warps=%u run=%d warp=%u", modes[MODE], warps, r, w), "issue_clock",
                 &t[w * RECORDS], RECORDS);
    }
}

static void scheduler() {
  record_rows<FREE>();
  record_rows<CHAIN>();
  record_rows<LOAD>();
  record_rows<BARRIER>();
  record_rows<LOOP>();
}

__global__ void empty() {}

__global__ void spin(u64 ns) {
  u64 g = globaltimer();
  while (globaltimer() - g < ns) {
  }
}

__global__ void stamp(u64 *begin, u64 *end) {
  u64 g = globaltimer();
  if (threadIdx.x == 0) atomicMin(begin, g);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(end, globaltimer());
}

__global__ void ticks(u64 *out) {
  u64 least = ~0ull, last = globaltimer();
  for (int i = 0; i < 20000; i++) {
    u64 g = globaltimer();
    if (g != last && g - last < least) least = g - last;
    last = g;
  }
  *out = least;
}

static double event_us(cudaStream_t s, cudaEvent_t e[2], int n, int blocks, int threads,
                       cudaGraphExec_t graph) {
  float ms;
  CU(cudaEventRecord(e[0], s));
  if (graph)
    CU(cudaGraphLaunch(graph, s));
  else
    for (int i = 0; i < n; i++)
      empty<<<blocks, threads, 0, s>>>();
  CU(cudaEventRecord(e[1], s));
  CU(cudaStreamSynchronize(s));
  CU(cudaEventElapsedTime(&ms, e[0], e[1]));
  return 1000.0 * ms;
}

static void gaps(cudaStream_t s, int blocks, int threads) {
  enum { N = 64 };
  memory stamps(16 * N);
  std::vector<double> gap, length;
  for (int r = 0; r < REPS; r++) {
    std::vector<u64> v(2 * N, 0);
    for (size_t i = 0; i < N; i++)
      v[i] = ~0ull;
    stamps.put(v);
    spin<<<1, 1, 0, s>>>(2000000); // the launches below wait in the stream
    for (int i = 0; i < N; i++)
      stamp<<<blocks, threads, 0, s>>>(stamps.as<u64>() + i, stamps.as<u64>() + N + i);
    CU(cudaStreamSynchronize(s));
    v = stamps.get<u64>(2 * N);
    for (size_t i = 8; i < N; i++) {
      gap.push_back((double)v[i] - (double)v[N + i - 1]);
      length.push_back((double)v[N + i] - (double)v[i]);
    }
  }
  rows(par("blocks=%d threads=%d", blocks, threads), "gap_ns", gap);
  rows(par("blocks=%d threads=%d", blocks, threads), "begin_to_end_ns", length);
}

static void launch() {
  enum { N = 200 };
  memory out(8);
  cudaStream_t s;
  cudaEvent_t e[2];
  CU(cudaStreamCreate(&s));
  for (auto &x : e)
    CU(cudaEventCreate(&x));
  ticks<<<1, 1>>>(out.as<u64>());
  done();
  row("", "timer_ns", (double)out.get<u64>(1)[0]);
  for (int blocks : {1, 2, 16, 132, 264, 1056, 4224, 16896, 135168, 1081344})
    for (int threads : {32, 256, 1024}) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
      for (int i = 0; i < N; i++)
        empty<<<blocks, threads, 0, s>>>();
      CU(cudaStreamEndCapture(s, &graph));
      CU(cudaGraphInstantiate(&exec, graph, 0));
      std::vector<double> one, many, graphed;
      bool long_ones = blocks > 20000;
      for (int r = 0; r < 2 * REPS; r++) {
        one.push_back(event_us(s, e, 1, blocks, threads, nullptr));
        if (!long_ones || r < REPS)
          many.push_back(event_us(s, e, long_ones ? 10 : N, blocks, threads, nullptr) /
                         (long_ones ? 10 : N));
        if (!long_ones) graphed.push_back(event_us(s, e, N, blocks, threads, exec) / N);
      }
      std::string p = par("blocks=%d threads=%d", blocks, threads);
      rows(p, "one_us", one);
      rows(p, "in_a_row_us", many);
      if (!graphed.empty()) rows(p, "in_a_graph_us", graphed);
      CU(cudaGraphExecDestroy(exec));
      CU(cudaGraphDestroy(graph));
      if (blocks <= 20000) gaps(s, blocks, threads);
    }
}

struct begun {
  u64 begin, end, timer;
  unsigned sm, pad;
};

__global__ void spin_blocks(unsigned cycles, begun *out) {
  u64 c = clock64v(), g = globaltimer();
  while (clock64v() - c < cycles) {
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = {c, clock64v(), g, smid(), 0};
}

static void dispatch_rows(int threads, int waves, unsigned cycles) {
  int per_sm, sms = sm_count();
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, spin_blocks, threads, 0));
  int blocks = per_sm * sms * waves;
  memory out((size_t)blocks * sizeof(begun));
  std::string p = par("threads=%d per_sm=%d waves=%d spin=%u", threads, per_sm, waves, cycles);
  std::vector<double> interval, replace, spread, first;
  for (int r = 0; r < REPS; r++) {
    spin_blocks<<<blocks, threads>>>(cycles, out.as<begun>());
    done();
    auto all = out.get<begun>((size_t)blocks);
    std::vector<std::vector<begun>> by_sm((size_t)sms);
    u64 t0 = ~0ull, t1 = 0;
    for (auto &b : all)
      by_sm[b.sm].push_back(b), t0 = std::min(t0, b.timer);
    for (auto &v : by_sm) {
      std::sort(v.begin(), v.end(),
                [](const begun &a, const begun &b) { return a.begin < b.begin; });
      std::vector<u64> ends;
      for (auto &b : v)
        ends.push_back(b.end);
      std::sort(ends.begin(), ends.end());
      size_t wave = std::min(v.size(), (size_t)per_sm);
      for (size_t i = 1; i < wave; i++)
        interval.push_back((double)(v[i].begin - v[i - 1].begin));
      for (size_t i = 0; i < wave; i++)
        t1 = std::max(t1, v[i].timer);
      for (size_t i = wave; i < v.size(); i++) { // the last end before it
        auto e = std::upper_bound(ends.begin(), ends.end(), v[i].begin);
        if (e != ends.begin()) replace.push_back((double)(v[i].begin - e[-1]));
      }
    }
    spread.push_back((double)(t1 - t0));
    if (r + 1 < REPS) continue;
    std::vector<u64> where, begins;
    for (size_t i = 0; i < std::min(all.size(), (size_t)(4 * sms)); i++)
      where.push_back(all[i].sm);
    list_row(p, "sm_of_block", where.data(), where.size());
    for (auto &b : by_sm[0])
      begins.push_back(b.begin - by_sm[0][0].begin);
    list_row(p, "begin_cyc_on_sm0", begins.data(), std::min(begins.size(), (size_t)256));
  }
  if (!interval.empty()) rows(p, "start_interval_cyc", interval);
  if (!replace.empty()) rows(p, "replace_cyc", replace);
  rows(p, "begin_spread_ns", spread);
}

static void dispatch() {
  for (int threads : {32, 64, 128, 256, 512, 1024})
    for (int waves : {1, 4}) {
      dispatch_rows(threads, waves, 20000);
      if (waves == 4) dispatch_rows(threads, waves, 1000);
    }
}

static void clocks() {
  for (u64 ms : {1, 10, 50}) {
    std::vector<double> v;
    for (int r = 0; r < REPS; r++)
      v.push_back(sm_mhz(1000000 * ms));
    rows(par("probe_ms=%llu", ms), "sm_mhz", v);
  }
  static const struct {
    const char *name;
    cudaDeviceAttr attr;
  } what[] = {{"clock_khz", cudaDevAttrClockRate},
              {"memory_clock_khz", cudaDevAttrMemoryClockRate},
              {"memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth},
              {"l2_bytes", cudaDevAttrL2CacheSize},
              {"l2_persisting_bytes", cudaDevAttrMaxPersistingL2CacheSize},
              {"sms", cudaDevAttrMultiProcessorCount},
              {"shared_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
              {"shared_per_block", cudaDevAttrMaxSharedMemoryPerBlockOptin},
              {"shared_reserved_per_block", cudaDevAttrReservedSharedMemoryPerBlock},
              {"registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor},
              {"threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
              {"blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor}};
  for (auto &w : what) {
    int v;
    CU(cudaDeviceGetAttribute(&v, w.attr, 0));
    row("", w.name, v);
  }
}

int main(int argc, char **argv) {
  static const benchmark table[] = {
      {"clocks", clocks}, {"scheduler", scheduler}, {"launch", launch}, {"dispatch", dispatch}};
  return run_main(argc, argv, table);
}
