// Kernels for tools/hw/micro_ncu.sh, which counts what each does. Every launch of a kernel
// "probe_..." has a line on standard output that says what it was, in the same order: "benchmark
// <tab> parameters".
//
//   count_loads   each warp loads by the pattern, further on in the buffer each time (same=0), or
//   all warps the same
//                 lines (same=1: merging in an SM, or between SMs). Sectors: those asked for are
//                 known, so what is above them in the L2 (lts__t_sectors_op_read) is the L1's
//                 fetching more, in the DRAM the L2's
//   count_hits    loads that hit the L1, by the lanes' pattern: wavefronts are the passes through
//   the data array count_stores  sectors of stores, full and partial; reads of the DRAM are fills
//   of partial sectors count_atomics the same for red and atom count_empty   cycles of an empty
//   launch by blocks and threads
#include "micro.cuh"

static void label(const char *benchmark, const std::string &params) {
  printf("%s\t%s\n", benchmark, params.c_str());
}

struct lanes {
  unsigned at[32];
};

template <int KIND>
__global__ void probe_load(u64 base, lanes where, unsigned span, int loops, int same, int repeat,
                           unsigned *sink) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32,
           x = 0;
  for (int r = 0; r < repeat; r++)
    for (int i = 0; i < loops; i++)
      x ^= load32<KIND>(base + (same ? (u64)i : (u64)i * warps + warp) * span +
                        where.at[threadIdx.x % 32]);
  sink[threadIdx.x] = x;
}

__global__ void probe_store(u64 base, lanes where, unsigned span, int loops) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
  for (int i = 0; i < loops; i++) {
    u64 a = base + ((u64)i * warps + warp) * span + where.at[threadIdx.x % 32];
    asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(i) : "memory");
  }
}

template <int ATOM>
__global__ void probe_add(u64 base, lanes where, unsigned span, int loops, unsigned *sink) {
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, x = 1;
  u64 a = base + (u64)warp * span + where.at[threadIdx.x % 32];
  for (int i = 0; i < loops; i++) {
    if (ATOM)
      asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(x) : "l"(a) : "memory");
    else
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(x) : "memory");
  }
  sink[threadIdx.x] = x;
}

__global__ void probe_empty() {}

template <class F> static lanes by(F of) {
  lanes l;
  for (unsigned i = 0; i < 32; i++)
    l.at[i] = of(i);
  return l;
}

struct counted {
  memory buffer{512 * MB}, sink{4096};
  counted() {
    buffer.clear(1);
  }
  template <int KIND>
  void load(const std::string &what, lanes l, unsigned span, int blocks, int warps, int loops,
            int same, int repeat = 1, const char *bench = "count_loads") {
    label(bench, what + par(" kind=%s span=%u blocks=%d warps=%d loops=%d same=%d repeat=%d",
                            KIND == CA ? "ca" : "cg", span, blocks, warps, loops, same, repeat));
    probe_load<KIND>
        <<<blocks, 32 * warps>>>(buffer.at, l, span, loops, same, repeat, sink.as<unsigned>());
    done();
  }
};

// Lane i reads sector s of its line where bit s of the mask is set; 32 lines per instruction if one
// bit is.
static void count_loads(counted &c) {
  for (size_t granularity : {0, 32, 64, 128}) {
    if (granularity) CU(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, granularity));
    for (unsigned sectors : {1, 2, 3, 4}) // the first ones of each line
      for (unsigned lines_apart : {1, 2, 4}) {
        unsigned lines = 32 / sectors;
        auto l = by(
            [=](unsigned i) { return i / sectors % lines * 128 * lines_apart + i % sectors * 32; });
        std::string s = par("granularity=%zu sectors=%u lines=%u lines_apart=%u", granularity,
                            sectors, lines, lines_apart);
        c.load<CA>(s, l, lines * 128 * lines_apart, 132, 8, 8, 0);
        if (granularity == 0) c.load<CG>(s, l, lines * 128 * lines_apart, 132, 8, 8, 0);
      }
    for (unsigned which : {1, 2, 3}) // another sector than the first
      c.load<CA>(par("granularity=%zu sector=%u lines=32", granularity, which),
                 by([=](unsigned i) { return i * 128 + which * 32; }), 4096, 132, 8, 8, 0);
  }
  auto line = by([](unsigned i) { return i * 4; });
  auto sector = by([](unsigned i) { return i % 8 * 4; });
  for (int warps : {1, 2, 4, 8, 16, 32}) { // the same lines at the same time in one SM
    c.load<CA>("merge=sm sectors=4", line, 128, 1, warps, 2048, 1);
    c.load<CG>("merge=sm sectors=4", line, 128, 1, warps, 2048, 1);
    c.load<CA>("merge=sm sectors=1", sector, 128, 1, warps, 2048, 1);
    c.load<CG>("merge=sm sectors=1", sector, 128, 1, warps, 2048, 1);
  }
  for (int blocks : {1, 2, 8, 32, 132}) { // in several
    c.load<CA>("merge=gpu sectors=4", line, 128, blocks, 1, 2048, 1);
    c.load<CG>("merge=gpu sectors=4", line, 128, blocks, 1, 2048, 1);
  }
  for (int mb : {1, 8, 16, 32, 48, 64, 128}) // two passes of all SMs: what the second finds in the
                                             // L2, and what goes between its halves
    c.load<CG>(par("two_passes=1 bytes=%zu", mb * MB), line, 128, 132, 32,
               (int)((size_t)mb * MB / (132 * 32 * 128)), 0, 2);
}

static void count_hits(counted &c) {
  auto hit = [&](const std::string &what, lanes l) {
    c.load<CA>(what, l, 0, 1, 8, 1024, 1, 1, "count_hits");
  };
  for (unsigned stride : {0, 4, 8, 16, 32, 64, 128, 256})
    hit(par("pattern=stride stride=%u", stride), by([=](unsigned i) { return i * stride; }));
  for (unsigned n : {2, 4, 8, 16, 32}) {
    hit(par("pattern=column n=%u", n), by([=](unsigned i) { return i % n * 128; }));
    hit(par("pattern=diagonal n=%u", n), by([=](unsigned i) { return i % n * 128 + 4 * i; }));
  }
}

static void count_stores(counted &c) {
  for (unsigned apart : {32, 128})
    for (unsigned k : {1, 2, 4, 8}) { // groups of k lanes
      label("count_stores",
            par("pattern=group k=%u apart=%u blocks=132 warps=32 loops=16", k, apart));
      probe_store<<<132, 1024>>>(c.buffer.at,
                                 by([=](unsigned i) { return i / k * apart + i % k * 4; }),
                                 32 / k * apart, 16);
      done();
    }
  label("count_stores", "pattern=line blocks=132 warps=32 loops=512");
  probe_store<<<132, 1024>>>(c.buffer.at, by([](unsigned i) { return i * 4; }), 128, 512);
  done();
}

static void count_atomics(counted &c) {
  for (unsigned apart : {4, 32, 128})
    for (unsigned n : {1, 2, 4, 8, 16, 32}) {
      auto l = by([=](unsigned i) { return i % n * apart; });
      label("count_atomics", par("op=red n=%u apart=%u blocks=132 warps=8 loops=16", n, apart));
      probe_add<0><<<132, 256>>>(c.buffer.at, l, 4096, 16, c.sink.as<unsigned>());
      done();
      label("count_atomics", par("op=atom n=%u apart=%u blocks=132 warps=8 loops=16", n, apart));
      probe_add<1><<<132, 256>>>(c.buffer.at, l, 4096, 16, c.sink.as<unsigned>());
      done();
    }
}

static void count_empty() {
  for (int blocks : {1, 2, 16, 132, 264, 1056, 4224, 16896, 135168})
    for (int threads : {32, 256, 1024}) {
      label("count_empty", par("blocks=%d threads=%d", blocks, threads));
      probe_empty<<<blocks, threads>>>();
      done();
    }
}

int main() {
  bench_now = "counters";
  counted c;
  count_empty();
  count_hits(c);
  count_stores(c);
  count_atomics(c);
  count_loads(c);
  return 0;
}
