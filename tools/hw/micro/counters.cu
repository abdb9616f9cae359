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
//   count_pairs   two warps of an SM load the same line, or another sector of it, the second so
//   many dependent additions (some 4 cycles each) later: are they one request to the L2?
//   count_after   a load after a store of the same thread, and what the L1 has of it; a read of
//   sectors that several stores have written together, from the L2 or from the DRAM
//   count_start   what a kernel takes that an empty one does not, step by step: a special register,
//   a parameter, the last of 4 KB of parameters, a store, a load, and `code` more instructions.
//   Each three times in a row, once with the caches emptied before each (caches=all, as all others)
//   and once not (CACHES=none)
//   count_first   blocks of which the first n do something, once, and all spin for 1,000 cycles:
//   what the first parameter, constant, load, ... of an SM takes (cycles in which it has a warp),
//   and what the end of a launch takes because of it (the other cycles). CACHES=none: the L2 has
//   the data
//
//   count_slices   an SM reads so many lines, each once: how evenly are they spread over the
//   slices?
//
//   count_sms   SM 0 and one other read the same 256 lines, both each line at the same time, or the
//   other one `later` cycles after it: whose reads are one at the L2? 512 sectors are read if none,
//   256 if all (and some with which the two wait for each other)
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

// Both warps meet before each line; the second comes `steps` additions later.
template <int KIND>
__global__ void probe_pair(u64 base, unsigned other, int steps, int lines, unsigned *sink) {
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = 0, y = lane;
  for (int i = 0; i < lines; i++) {
    u64 a = base + (u64)i * 512 + (warp ? other : 0) + lane % 8 * 4;
    __syncthreads();
    if (warp) {
#pragma unroll 1
      for (int k = 0; k < steps; k++)
        asm volatile("add.u32 %0, %0, 1;" : "+r"(y));
      a += y >> 31; // it waits for them
    }
    x ^= load32<KIND>(a);
    wait_for32(x);
  }
  sink[threadIdx.x] = x + y;
}

enum { LOAD_STORE_LOAD, STORE_LOAD, STORE_WORD_LOAD, STORE_WORD_LOAD_NEXT, N_AFTER };
static const char *const after_names[] = {"load,store,load", "store sector,load",
                                          "store word,load it", "store word,load next"};

// Of each line: the store is there before the load (a fence of the block between them).
__global__ void probe_after(u64 base, int what, int lines, unsigned *sink) {
  unsigned lane = threadIdx.x, x = 0;
  bool is_word = what == STORE_WORD_LOAD || what == STORE_WORD_LOAD_NEXT;
  for (int i = 0; i < lines; i++) {
    u64 a = base + (u64)i * 512;
    if (what == LOAD_STORE_LOAD) {
      x ^= load32<CA>(a + lane % 8 * 4);
      wait_for32(x);
    }
    if (!is_word || lane == 0)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(a + lane % 8 * 4), "r"(i) : "memory");
    __threadfence_block();
    x ^= load32<CA>(a + (is_word ? (what == STORE_WORD_LOAD ? 0 : 4) : lane % 8 * 4));
    wait_for32(x);
  }
  sink[lane] = x;
}

// Stores of every other word, then (both) of the others; then all is read by another SM.
__global__ void probe_written(u64 base, int both, int lines, unsigned *count, unsigned *sink) {
  unsigned lane = threadIdx.x % 32, x = 0;
  if (blockIdx.x == 0) {
    for (int half = 0; half <= both; half++)
      for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(base + (u64)i * 256 + 8 * lane + 4 * half),
                     "r"(i)
                     : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(count, 1);
    return;
  }
  while (atomicAdd(count, 0) == 0) {
  }
  for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32)
    for (int k = 0; k < 2; k++)
      x ^= load32<CG>(base + (u64)i * 256 + 128 * k + 4 * lane);
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

static void count_empty(counted &) {
  for (int blocks : {1, 2, 16, 132, 264, 1056, 4224, 16896, 135168})
    for (int threads : {32, 256, 1024}) {
      label("count_empty", par("blocks=%d threads=%d", blocks, threads));
      probe_empty<<<blocks, threads>>>();
      done();
    }
}

struct large {
  unsigned word[960]; // 3,840 bytes of the 4 KB that parameters can have
};

// Nothing is ever equal to `never`: what was read is waited for, and the kernel ends.
__global__ void probe_register() {
  if (threadIdx.x == 4097) asm volatile("trap;");
}
__global__ void probe_parameter(unsigned never) {
  if (threadIdx.x == never) asm volatile("trap;");
}
__global__ void probe_parameters(unsigned never, large all) {
  if (threadIdx.x == never + all.word[959]) asm volatile("trap;");
}
__global__ void probe_one_store(unsigned *sink) {
  sink[threadIdx.x] = 1;
}
__global__ void probe_one_load(const unsigned *from, unsigned never) {
  if (*(const volatile unsigned *)(from + threadIdx.x) == never) asm volatile("trap;");
}
template <int INSNS> __global__ void probe_code(float one, float never) {
  float a = one, b = one, c = one, d = one;
#pragma unroll
  for (int i = 0; i < INSNS / 4; i++)
    asm volatile("fma.rn.f32 %0, %0, %0, %4;\n\tfma.rn.f32 %1, %1, %1, %4;\n\t"
                 "fma.rn.f32 %2, %2, %2, %4;\n\tfma.rn.f32 %3, %3, %3, %4;"
                 : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
                 : "f"(one));
  if (a + b + c + d == never) asm volatile("trap;");
}

static void count_start(counted &c) {
  static const char *const steps[] = {"empty", "register", "parameter", "parameters", "store",
                                      "load",  "code=64",  "code=256",  "code=1024",  "code=4096"};
  const char *caches = getenv("CACHES");
  unsigned *sink = c.sink.as<unsigned>(), never = 0xdeadbeef;
  large all = {};
  for (int step = 0; step < 10; step++)
    for (int blocks : {1, 132, 528})
      for (int threads : {32, 256})
        for (int again = 0; again < 3; again++) {
          label("count_start", par("caches=%s step=%s blocks=%d threads=%d again=%d",
                                   caches ? caches : "all", steps[step], blocks, threads, again));
          switch (step) {
          case 0:
            probe_empty<<<blocks, threads>>>();
            break;
          case 1:
            probe_register<<<blocks, threads>>>();
            break;
          case 2:
            probe_parameter<<<blocks, threads>>>(never);
            break;
          case 3:
            probe_parameters<<<blocks, threads>>>(never, all);
            break;
          case 4:
            probe_one_store<<<blocks, threads>>>(sink);
            break;
          case 5:
            probe_one_load<<<blocks, threads>>>(sink, never);
            break;
          case 6:
            probe_code<64><<<blocks, threads>>>(0.f, 1.f);
            break;
          case 7:
            probe_code<256><<<blocks, threads>>>(0.f, 1.f);
            break;
          case 8:
            probe_code<1024><<<blocks, threads>>>(0.f, 1.f);
            break;
          case 9:
            probe_code<4096><<<blocks, threads>>>(0.f, 1.f);
            break;
          }
          done();
        }
}

enum first_does {
  F_SPIN,
  F_PARAMETER,
  F_TWO_PARAMETERS,
  F_SIZE,
  F_CONSTANT,
  F_SHARED,
  F_SYMBOL,
  F_LOAD_CG,
  F_LOAD_CA,
  F_LOAD_SAME,
  F_CHAIN_2,
  F_TWO_LOADS,
  F_TWO_BUFFERS,
  F_STORE,
  F_LOAD_STORE,
  F_ADD,
  N_FIRST
};
static const char *const first_names[] = {
    "spin",        "parameter", "two_parameters", "block_size", "constant", "shared",
    "symbol",      "load.cg",   "load.ca",        "load_same",  "chain=2",  "two_loads",
    "two_buffers", "store",     "load,store",     "add"};

struct first_buffers {
  u64 a, gap[40], b;
};

__constant__ unsigned first_word[1024];
__device__ unsigned first_symbol[1024];

// Blocks below `n` do it, on 4 KB each (of the symbol and with load_same: the same); then all spin.
template <first_does DOES> __global__ void probe_first(unsigned n, first_buffers buffers) {
  if (blockIdx.x < n) {
    __shared__ unsigned words[1024];
    u64 mine = 4096 * (u64)blockIdx.x + 4 * threadIdx.x, a = buffers.a + mine, b = buffers.b + mine;
    if (DOES == F_PARAMETER) wait_for(buffers.a);
    if (DOES == F_TWO_PARAMETERS) {
      wait_for(buffers.a);
      wait_for(buffers.b);
    }
    if (DOES == F_SIZE) wait_for32(blockDim.x);
    if (DOES == F_CONSTANT) wait_for32(first_word[n]);
    if (DOES == F_SHARED) {
      unsigned x;
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(x)
                   : "r"((unsigned)__cvta_generic_to_shared(words + threadIdx.x)));
      wait_for32(x);
    }
    if (DOES == F_SYMBOL) wait_for32(load32<CG>((u64)(first_symbol + threadIdx.x)));
    if (DOES == F_LOAD_CG) wait_for32(load32<CG>(a));
    if (DOES == F_LOAD_CA) wait_for32(load32<CA>(a));
    if (DOES == F_LOAD_SAME) wait_for32(load32<CG>(buffers.a + 4 * threadIdx.x));
    if (DOES == F_CHAIN_2) wait_for32(load32<CG>(a + load32<CG>(a)));
    if (DOES == F_TWO_LOADS || DOES == F_TWO_BUFFERS) {
      unsigned x = load32<CG>(a), y = load32<CG>(DOES == F_TWO_LOADS ? a + 2048 : b);
      wait_for32(x + y);
    }
    if (DOES == F_STORE || DOES == F_LOAD_STORE) {
      unsigned x = DOES == F_STORE ? 0 : load32<CG>(a);
      asm volatile("st.global.u32 [%0], %1;" ::"l"(b), "r"(x) : "memory");
    }
    if (DOES == F_ADD) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(b), "r"(0) : "memory");
  }
  unsigned t0 = clock32();
  while (clock32() - t0 < 1000) {
  }
}

template <int DOES>
static void first_launch(int does, int blocks, int threads, unsigned n, const first_buffers &b) {
  if (does == DOES)
    probe_first<(first_does)DOES><<<blocks, threads>>>(n, b);
  else if constexpr (DOES + 1 < N_FIRST)
    first_launch<DOES + 1>(does, blocks, threads, n, b);
}

// In random order, so that what changes with time (clocks, the profiler) is the same for all.
static void count_first(counted &c) {
  static const struct {
    int blocks, threads;
    unsigned n;
  } shapes[] = {{1, 32, 1},     {132, 32, 1},    {132, 32, 16},
                {132, 32, 132}, {132, 256, 132}, {528, 256, 528}};
  const int n_shapes = (int)(sizeof shapes / sizeof shapes[0]);
  first_buffers b = {};
  b.a = c.buffer.at, b.b = b.a + 64 * MB;
  CU(cudaMemset((void *)b.a, 0, 128 * MB));
  std::vector<int> order(n_shapes * N_FIRST);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  for (int again = 0; again < 9; again++) {
    std::shuffle(order.begin(), order.end(), random);
    for (int i : order) {
      auto &s = shapes[i / N_FIRST];
      label("count_first", par("caches=%s does=%s blocks=%d threads=%d n=%u again=%d",
                               getenv("CACHES") ? getenv("CACHES") : "all",
                               first_names[i % N_FIRST], s.blocks, s.threads, s.n, again));
      first_launch<0>(i % N_FIRST, s.blocks, s.threads, s.n, b);
      done();
    }
  }
}

// The warps of an SM read the first sector of each of these lines, each line once.
__global__ void probe_lines(u64 base, unsigned sm, unsigned apart, unsigned lines, unsigned *sink) {
  if (smid() != sm) return;
  unsigned x = 0;
  for (unsigned i = threadIdx.x; i < lines; i += blockDim.x)
    x ^= load32<CG>(base + (u64)i * apart * LINE);
  sink[threadIdx.x] = x;
}

static void count_slices(counted &c) {
  for (unsigned sm : {0u, 2u})
    for (unsigned apart : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 256u, 1024u})
      for (unsigned lines : {64u, 256u, 1024u, 4096u, 16384u})
        for (unsigned at = 0; at < 2; at++) {
          if ((u64)apart * lines * LINE > 128 * MB) continue;
          label("count_slices", par("sm=%u apart=%u lines=%u at=%u", sm, apart, lines, at));
          probe_lines<<<sm_count(), 512>>>(c.buffer.at + at * 192 * MB, sm, apart, lines,
                                           c.sink.as<unsigned>());
          done();
        }
}

// One warp on each SM; those that are not asked for end at once. %globaltimer has steps of 32 ns,
// which all SMs see together: both begin within some cycles, and go on by their own clocks.
__global__ void probe_sms(u64 base, unsigned one, unsigned other, unsigned later, int lines,
                          volatile u64 *start, unsigned *sink) {
  extern __shared__ unsigned room[];
  unsigned sm = smid(), x = 0;
  if (sm != one && sm != other) return;
  if (sm == one && threadIdx.x == 0) *start = globaltimer() + 20000;
  while (*start == 0)
    __nanosleep(500);
  u64 at = *start;
  while (globaltimer() < at) {
  }
  unsigned t0 = clock32() + (sm == other && one != other ? later : 0);
  for (int i = 0; i < lines; i++) {
    while (clock32() - t0 > 0x80000000u || clock32() - t0 < 2000u * (unsigned)i) {
    }
    x ^= load32<CG>(base + (u64)i * 512 + threadIdx.x % 8 * 4);
    wait_for32(x ^ 1);
  }
  sink[threadIdx.x] = x;
}

static void count_sms(counted &c) {
  enum { LINES = 256, ROOM = 200 * 1024 };
  memory start(8);
  CU(cudaFuncSetAttribute(probe_sms, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
  auto go = [&](unsigned other, unsigned later) {
    CU(cudaMemset((void *)start.at, 0, 8));
    label("count_sms", par("other=%u later=%u lines=%d", other, later, (int)LINES));
    probe_sms<<<sm_count(), 32, ROOM>>>(c.buffer.at, 0, other, later, LINES, start.as<u64>(),
                                        c.sink.as<unsigned>());
    done();
  };
  for (unsigned other = 0; other < (unsigned)sm_count(); other++)
    go(other, 0);
  for (unsigned other : {1u, 2u, 4u, 8u, 16u, 32u, 64u})
    for (unsigned later : {30u, 60u, 120u, 250u, 500u})
      go(other, later);
}

static void count_pairs(counted &c) {
  for (unsigned other : {0u, 32u})
    for (int steps : {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64}) {
      label("count_pairs",
            par("kind=cg second=%s steps=%d lines=2048", other ? "sector" : "same", steps));
      probe_pair<CG><<<1, 64>>>(c.buffer.at, other, steps, 2048, c.sink.as<unsigned>());
      done();
    }
}

static void count_after(counted &c) {
  memory flag(4);
  for (int what = 0; what < N_AFTER; what++) {
    label("count_after", par("what=%d lines=2048", what) + " (" + after_names[what] + ")");
    probe_after<<<1, 32>>>(c.buffer.at, what, 2048, c.sink.as<unsigned>());
    done();
  }
  for (int both = 0; both < 2; both++) {
    label("count_after", par("written=%s lines=4096", both ? "halves" : "half"));
    CU(cudaMemset((void *)flag.at, 0, 4));
    probe_written<<<2, 256>>>(c.buffer.at, both, 4096, flag.as<unsigned>(), c.sink.as<unsigned>());
    done();
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(counted &);
  } all[] = {{"count_pairs", count_pairs},   {"count_after", count_after},
             {"count_empty", count_empty},   {"count_hits", count_hits},
             {"count_stores", count_stores}, {"count_atomics", count_atomics},
             {"count_loads", count_loads},   {"count_start", count_start},
             {"count_first", count_first},   {"count_slices", count_slices},
             {"count_sms", count_sms}};
  const int n_all = sizeof all / sizeof *all;
  for (int i = 1; i < argc; i++)
    if (std::none_of(all, all + n_all, [&](auto &b) { return strcmp(b.name, argv[i]) == 0; })) {
      fprintf(stderr, "counters: no benchmark %s; there are", argv[i]);
      for (auto &b : all)
        fprintf(stderr, " %s", b.name);
      fprintf(stderr, "\n");
      return 2;
    }
  bench_now = "counters";
  counted c;
  for (auto &b : all)
    if (argc == 1 ||
        std::any_of(argv + 1, argv + argc, [&](char *a) { return !strcmp(a, b.name); }))
      b.run(c);
  return 0;
}
