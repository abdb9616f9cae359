// Loads in flight: how many an SM has, and whether equal ones become one.
//
//   inflight  `warps` warps of one SM, each with `ahead` independent loads of lines nobody of the
//   SM has loaded, then it
//             waits for all of them; cyc_per_batch is the time of one such round. While everything
//             fits, it is the latency; beyond, it grows with warps * ahead, and (warps * ahead) /
//             cyc_per_batch * latency is the number in flight. shape=sector: a sector per load,
//             lines apart; shape=line: 4 sectors of a line; shape=scatter: 32 sectors of 32 lines.
//             level=l2: the L2 has them; level=dram: it does not.
//   inflight_small  the same, .ca and .cg, where a block has so much shared memory that the L1 is
//   as small as it gets merge     two warps of an SM load a line that the L2 has and the L1 has
//   not, the second `delay` cycles later. If the
//             second load is merged with the first, it is there when the first is (lag of about 0
//             until the latency is over); if it is sent for itself, its own latency is the first's.
//             second=same: same sector, second=sector: next sector of the line; pair=far: warps 0
//             and 1 (two schedulers), near: warps 0 and 4. kinds=cg,ca: the first is .cg and the
//             second .ca, and so on
#include "micro.cuh"

enum { SECTOR_SHAPE, LINE_SHAPE, SCATTER_SHAPE };
static const char *const shapes[] = {"sector", "line", "scatter"};

template <int KIND, int AHEAD, int SHAPE, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    rounds(u64 base, int count_of_rounds, int warps, int on_one, unsigned *count, unsigned *slot,
           unsigned *sink, u64 *times) {
  __shared__ unsigned block;
  const int per_load = SHAPE == SCATTER_SHAPE ? 32 * LINE : LINE;
  if (on_one) {
    meet(count);
    if (smid() != 0) return;
  }
  if (threadIdx.x == 0) block = atomicAdd(slot, 1);
  __syncthreads();
  unsigned warp = block * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, x = 0;
  u64 a = base + (u64)warp * AHEAD * per_load +
          lane * (SHAPE == SECTOR_SHAPE ? 0
                  : SHAPE == LINE_SHAPE ? 4
                                        : LINE);
  u64 step = (u64)warps * AHEAD * per_load, t0 = clock64v();
  for (int n = 0; n < count_of_rounds; n++, a += step) {
    unsigned v[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      v[j] = load32<KIND>(a + j * per_load);
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      x ^= v[j];
    wait_for32(x);
  }
  u64 t1 = clock64v();
  if (lane == 0) times[2 * warp] = t0, times[2 * warp + 1] = t1;
  sink[warp * 32 + lane] = x;
}

struct flight {
  int shared = 0; // bytes of a block, for at most 32 warps
  memory buffer{64 * MB}, count{4}, slot{4}, sink{64 * 128}, times{2 * 8 * 64};
  flight() {
    buffer.clear();
    count.clear();
  }
  template <int KIND, int AHEAD, int SHAPE, int THREADS, int BLOCKS>
  void one(int warps, bool dram) {
    size_t per_round = (size_t)warps * AHEAD * (SHAPE == SCATTER_SHAPE ? 32 * LINE : LINE);
    int n = (int)std::min<size_t>(32, 16 * MB / per_round);
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      if (dram)
        flush_l2();
      else
        touch<<<1, 1024>>>(buffer.at, (size_t)n * per_round, sink.as<unsigned>());
      slot.clear();
      done();
      if (warps > 32)
        rounds<KIND, AHEAD, SHAPE, THREADS, BLOCKS>
            <<<2 * sm_count(), 1024>>>(buffer.at, n, warps, 1, count.as<unsigned>(),
                                       slot.as<unsigned>(), sink.as<unsigned>(), times.as<u64>());
      else
        rounds<KIND, AHEAD, SHAPE, THREADS, BLOCKS>
            <<<1, 32 * warps, shared>>>(buffer.at, n, warps, 0, count.as<unsigned>(),
                                        slot.as<unsigned>(), sink.as<unsigned>(), times.as<u64>());
      done();
      auto t = times.get<u64>(2 * (size_t)warps);
      u64 begin = t[0], end = t[1];
      for (size_t i = 0; i < t.size(); i += 2)
        begin = std::min(begin, t[i]), end = std::max(end, t[i + 1]);
      v.push_back((double)(end - begin) / n);
    }
    rows(par("kind=%s level=%s shape=%s warps=%d ahead=%d loads=%d", KIND == CA ? "ca" : "cg",
             dram ? "dram" : "l2", shapes[SHAPE], warps, AHEAD, warps * AHEAD),
         "cyc_per_batch", v);
  }
  template <int KIND, int AHEAD, int SHAPE> void all_warps(bool dram) {
    const int threads = AHEAD > 32 ? 512 : 1024, blocks = AHEAD > 8 ? 1 : 2;
    for (int warps : {1, 2, 4, 8, 12, 16, 20, 24, 32, 64})
      if (warps <= threads / 32 * blocks) one<KIND, AHEAD, SHAPE, threads, blocks>(warps, dram);
  }
  template <int KIND, int SHAPE> void all() {
    for (int dram = 0; dram < 2; dram++) {
      all_warps<KIND, 1, SHAPE>(dram);
      all_warps<KIND, 2, SHAPE>(dram);
      all_warps<KIND, 4, SHAPE>(dram);
      all_warps<KIND, 8, SHAPE>(dram);
      all_warps<KIND, 16, SHAPE>(dram);
      all_warps<KIND, 32, SHAPE>(dram);
      all_warps<KIND, 64, SHAPE>(dram);
    }
  }
};

static void inflight() {
  flight f;
  f.all<CA, SECTOR_SHAPE>();
  f.all<CA, LINE_SHAPE>();
  f.all<CA, SCATTER_SHAPE>();
  f.all<CG, SECTOR_SHAPE>();
  f.all<CG, LINE_SHAPE>();
  f.all<CG, SCATTER_SHAPE>();
}

template <int KIND, int AHEAD, int SHAPE> static void small(flight &f) {
  const int threads = AHEAD > 32 ? 512 : 1024, blocks = AHEAD > 8 ? 1 : 2;
  f.shared = 226 * 1024;
  CU(cudaFuncSetAttribute(rounds<KIND, AHEAD, SHAPE, threads, blocks>,
                          cudaFuncAttributeMaxDynamicSharedMemorySize, f.shared));
  for (int dram = 0; dram < 2; dram++)
    for (int warps : {1, 4, 8, 16, 32})
      if (32 * warps <= threads) f.one<KIND, AHEAD, SHAPE, threads, blocks>(warps, dram);
}

template <int KIND> static void small_of_kind(flight &f) {
  small<KIND, 2, SECTOR_SHAPE>(f), small<KIND, 2, LINE_SHAPE>(f), small<KIND, 2, SCATTER_SHAPE>(f);
  small<KIND, 8, SECTOR_SHAPE>(f), small<KIND, 8, LINE_SHAPE>(f), small<KIND, 8, SCATTER_SHAPE>(f);
  small<KIND, 32, SECTOR_SHAPE>(f), small<KIND, 32, LINE_SHAPE>(f);
  small<KIND, 32, SCATTER_SHAPE>(f);
}

static void inflight_small() {
  flight f;
  small_of_kind<CA>(f);
  small_of_kind<CG>(f);
}

// Warps 0 and `other` load line after line; the others only meet at the barriers.
template <int FIRST, int SECOND>
__global__ void two_warps(u64 base, int lines, unsigned other, unsigned delay, unsigned second_at,
                          unsigned *out) {
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < lines; i++) {
    u64 a = base + (u64)i * 512;
    __syncthreads();
    unsigned t0 = clock32(), t1 = t0;
    if (warp == 0) {
      t0 = clock32();
      wait_for32(load32<FIRST>(a));
      t1 = clock32();
    } else if (warp == other) {
      while (clock32() - t0 < delay) {
      }
      t0 = clock32();
      wait_for32(load32<SECOND>(a + second_at));
      t1 = clock32();
    }
    if (lane == 0 && (warp == 0 || warp == other)) {
      unsigned *o = out + 4 * i + (warp ? 2 : 0);
      o[0] = t0, o[1] = t1;
    }
  }
}

template <int FIRST, int SECOND> static void merge_rows(const char *kinds) {
  enum { LINES = 512 };
  memory buffer(LINES * 512), out(16 * LINES);
  buffer.clear();
  for (unsigned other : {1u, 4u})
    for (unsigned second_at : {0u, 32u})
      for (unsigned delay = 0; delay <= 400; delay += delay < 100 ? 10 : 20) {
        std::vector<double> issued, first, second, lag;
        for (int r = 0; r < REPS; r++) {
          touch<<<64, 256>>>(buffer.at, buffer.bytes, out.as<unsigned>());
          two_warps<FIRST, SECOND>
              <<<1, 160>>>(buffer.at, LINES, other, delay, second_at, out.as<unsigned>());
          done();
          auto t = out.get<unsigned>(4 * LINES);
          std::vector<double> d[4];
          for (size_t i = LINES / 8; i < LINES; i++) {
            const unsigned *o = &t[4 * i];
            d[0].push_back((int)(o[2] - o[0])), d[1].push_back(o[1] - o[0]),
                d[2].push_back(o[3] - o[2]);
            d[3].push_back((int)(o[3] - o[1]));
          }
          for (auto &v : d)
            std::sort(v.begin(), v.end());
          issued.push_back(d[0][d[0].size() / 2]), first.push_back(d[1][d[1].size() / 2]);
          second.push_back(d[2][d[2].size() / 2]), lag.push_back(d[3][d[3].size() / 2]);
        }
        std::string s = par("kinds=%s pair=%s second=%s delay=%u", kinds,
                            other == 1 ? "far" : "near", second_at ? "sector" : "same", delay);
        rows(s, "issued_later_cyc", issued);
        rows(s, "first_cyc", first);
        rows(s, "second_cyc", second);
        rows(s, "lag_cyc", lag);
      }
}

static void merge() {
  merge_rows<CA, CA>("ca,ca");
  merge_rows<CG, CG>("cg,cg");
  merge_rows<CG, CA>("cg,ca");
  merge_rows<CA, CG>("ca,cg");
}

int main(int argc, char **argv) {
  static const benchmark table[] = {
      {"inflight", inflight}, {"inflight_small", inflight_small}, {"merge", merge}};
  return run_main(argc, argv, table);
}
