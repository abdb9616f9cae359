// What branches cost a warp, and what a kernel's first accesses cost an SM.
//
//   loops   one warp goes round a loop of `body` dependent fmas (4 cycles each): cyc_per_round.
//           ends=counter: the branch depends on a counter alone, and what is above 4 * body is what
//           the branch costs; ends=chain: on the last fma, so that the predicate's latency and the
//           way to the next instruction are on the path; ends=load: a ring in the L1 is walked
//           until a certain element comes.
//   ifs     one warp comes to 16 ifs of 16 dependent fmas each, of which all lanes, none, half of
//           them or one execute the inside; else=1: the others have 16 fmas of their own.
//           cyc_per_if; conditions are known long before.
//   start   one warp on each of n SMs reads lines that the L2 has, of its own (own=1) or all the
//           same, one after the other: the first of all, another of its page, those of pages 2 and
//           64 MB away; straight after its start, or `delay` cycles later. cyc of each, the median
//           and the largest over SMs.
//   constants  the same for words of constant memory: the first, the same again, 64 bytes and so on
//           away.
//   block_end  one block at a time on each SM, each of which spins: cyc_per_block is what one block
//           more on each takes, less its spinning. does=nothing, or a store or an atomic without a
//           result behind the spinning (store), or before it (early_store), so that it is long
//           acknowledged at the end. Is a block's place free before its stores are acknowledged?
//           early_load and early_load.cg have a load there that has come long before the end.
//   small   whole kernels as short as most launches of real programs, whose data the L2 has: ns
//   from
//           the start of the first warp to the end of the last one, by %globaltimer (steps of 32
//           ns), and cycles from a warp's start to its first and its last value. does=nothing, one
//           load, two loads of other buffers one after the other and a store (add), or three that
//           depend on one another (chain). With PROFILER=..., for a run under a profiler, the rows
//           say so: does it change what happens within a kernel?
#include "micro.cuh"

enum { ROUNDS = 512, IFS = 16, INSIDE = 16 };

template <int BODY> static __device__ __forceinline__ void fmas(float &a, float c) {
#pragma unroll
  for (int j = 0; j < BODY; j++)
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(c));
}

// `step` is a value of the lane, or the counter would be one of the warp.
template <int BODY>
__global__ void count_rounds(const int *step, float c, float *sink, u64 *times) {
  float a = (float)threadIdx.x;
  int by = step[threadIdx.x], end = by * ROUNDS;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
#pragma unroll 1
    for (int i = 0; i < end; i += by)
      fmas<BODY>(a, c);
    times[w] = clock64v() - t0;
  }
  sink[threadIdx.x] = a;
}

template <int BODY> __global__ void chain_rounds(float c, float add, float *sink, u64 *times) {
  float a = 0;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
    a = 0;
#pragma unroll 1
    do {
      fmas<BODY - 1>(a, c);
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(c), "f"(add));
    } while (a < (float)ROUNDS);
    times[w] = clock64v() - t0;
  }
  sink[threadIdx.x] = a;
}

__global__ void walk_until(u64 first, u64 last, float *sink, u64 *times) {
  u64 p = first;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
    p = first;
#pragma unroll 1
    do
      p = load64<CA>(p);
    while (p != last);
    times[w] = clock64v() - t0;
  }
  sink[threadIdx.x] = (float)p;
}

static void loop_row(const char *ends, int body, int rounds, void (*go)(u64 *times)) {
  static memory *times = new memory(64);
  std::vector<double> v;
  for (int r = 0; r < REPS; r++) {
    go(times->as<u64>());
    done();
    v.push_back((double)times->get<u64>(2)[1] / rounds);
  }
  rows(par("ends=%s body=%d", ends, body), "cyc_per_round", v);
}

static memory *loop_steps, *loop_sink, *loop_ring;

template <int BODY> static void loops_of() {
  loop_row("counter", BODY, ROUNDS, [](u64 *times) {
    count_rounds<BODY><<<1, 32>>>(loop_steps->as<int>(), 1.0f, loop_sink->as<float>(), times);
  });
  // c is 1, so that each round adds BODY - 1 and `add`
  loop_row("chain", BODY, ROUNDS, [](u64 *times) {
    chain_rounds<BODY><<<1, 32>>>(1.0f, (float)(2 - BODY), loop_sink->as<float>(), times);
  });
}

static void loops() {
  enum { LINES = 256 };
  loop_steps = new memory(4 * 32), loop_sink = new memory(4096);
  loop_ring = new memory(LINES * LINE);
  loop_steps->put(std::vector<int>(32, 1));
  loops_of<1>();
  loops_of<2>();
  loops_of<4>();
  loops_of<8>();
  loops_of<16>();
  loops_of<32>();
  static std::vector<u64> order = steps_of(LINES, LINE, true);
  memory d(LINES * sizeof(u64));
  d.put(order);
  ring_link<<<1, 256>>>(loop_ring->at, d.as<u64>(), LINES);
  done();
  loop_row("load", 1, LINES, [](u64 *times) {
    u64 first = loop_ring->at + order[0];
    walk_until<<<1, 32>>>(first, first, loop_sink->as<float>(), times);
  });
}

template <int ELSE>
__global__ void come_to_ifs(const unsigned *masks, float c, float *sink, u64 *times) {
  float a = (float)threadIdx.x;
  unsigned bits = masks[threadIdx.x];
  wait_for32(bits);
  for (int w = 0; w < 3; w++) {
    u64 t0 = clock64v();
#pragma unroll
    for (int i = 0; i < IFS; i++) {
      if (bits >> i & 1)
        fmas<INSIDE>(a, c);
      else if (ELSE)
        fmas<INSIDE>(a, 2 * c);
    }
    times[w] = clock64v() - t0;
  }
  sink[threadIdx.x] = a;
}

static void ifs() {
  memory masks(4 * 32), sink(4096), times(64);
  static const struct {
    const char *name;
    unsigned lanes;
  } who[] = {{"all", ~0u}, {"none", 0}, {"half", 0xffff}, {"odd", 0xaaaaaaaa}, {"one", 1}};
  for (auto &x : who)
    for (int other = 0; other < 2; other++) {
      std::vector<unsigned> m;
      for (int lane = 0; lane < 32; lane++)
        m.push_back(x.lanes >> lane & 1 ? 0xffff : 0);
      masks.put(m);
      std::vector<double> v;
      for (int r = 0; r < REPS; r++) {
        if (other)
          come_to_ifs<1><<<1, 32>>>(masks.as<unsigned>(), 1.01f, sink.as<float>(), times.as<u64>());
        else
          come_to_ifs<0><<<1, 32>>>(masks.as<unsigned>(), 1.01f, sink.as<float>(), times.as<u64>());
        done();
        v.push_back((double)times.get<u64>(3)[2] / IFS);
      }
      rows(par("lanes=%s else=%d", x.name, other), "cyc_per_if", v);
    }
}

enum { STEPS = 7 };
struct places {
  u64 at[STEPS];
};

__global__ void first_loads(u64 base, places where, unsigned own, unsigned n, unsigned delay,
                            unsigned *times) {
  unsigned sm = smid();
  if (sm >= n) return;
  unsigned t[STEPS + 1];
  u64 mine = base + (own ? sm * LINE : 0), at[STEPS];
  for (int i = 0; i < STEPS; i++)
    at[i] = mine + where.at[i];
  for (int i = 0; i < STEPS; i++)
    wait_for(at[i]);
  t[0] = clock32();
  while (clock32() - t[0] < delay) {
  }
  t[0] = clock32();
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    wait_for(load64<CG>(at[i]));
    t[i + 1] = clock32();
  }
#pragma unroll
  for (int i = 0; i < STEPS; i++)
    times[sm * STEPS + i] = t[i + 1] - t[i];
}

static void first_rows(const std::string &what, const char *const *names, memory &times,
                       unsigned n) {
  auto t = times.get<unsigned>(n * STEPS);
  for (int i = 0; i < STEPS; i++) {
    std::vector<unsigned> v;
    for (unsigned sm = 0; sm < n; sm++)
      v.push_back(t[sm * STEPS + i]);
    std::sort(v.begin(), v.end());
    std::string p = what + par(" sms=%u step=%d what=%s", n, i, names[i]);
    row(p, "cyc.med", v[v.size() / 2]);
    row(p, "cyc.max", v.back());
  }
}

static void start() {
  static const char *const names[] = {"first",     "same_page", "2MB_away",  "same_page",
                                      "64MB_away", "same_page", "first_page"};
  const places where = {
      {0, 32 * KB, 2 * MB, 2 * MB + 32 * KB, 64 * MB, 64 * MB + 32 * KB, 64 * KB}};
  memory buffer(66 * MB), sink(4096), times(4 * STEPS * 256);
  buffer.clear();
  for (unsigned n : {1u, 16u, (unsigned)sm_count()})
    for (unsigned own = 0; own < 2; own++)
      for (unsigned delay : {0u, 20000u})
        for (int r = 0; r < REPS; r++) {
          for (u64 at : where.at)
            touch<<<64, 256>>>(buffer.at + at, 32 * KB, sink.as<unsigned>());
          first_loads<<<sm_count(), 32>>>(buffer.at, where, own, n, delay, times.as<unsigned>());
          done();
          if (r) first_rows(par("own=%u delay=%u again=%d", own, delay, r), names, times, n);
        }
}

__constant__ unsigned table[16384];

__global__ void first_words(places where, unsigned n, unsigned *times) {
  unsigned sm = smid();
  if (sm >= n) return;
  unsigned t[STEPS + 1], at[STEPS], x = 0;
  for (int i = 0; i < STEPS; i++) {
    at[i] = (unsigned)where.at[i];
    wait_for32(at[i]);
  }
  u64 first;
  asm volatile("mov.u64 %0, table;" : "=l"(first));
  t[0] = clock32();
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(first + at[i]));
    wait_for32(x);
    t[i + 1] = clock32();
  }
#pragma unroll
  for (int i = 0; i < STEPS; i++)
    times[sm * STEPS + i] = t[i + 1] - t[i];
}

static void constants() {
  static const char *const names[] = {"first",    "same",      "64_away",   "256_away",
                                      "4KB_away", "32KB_away", "first_line"};
  const places where = {{0, 0, 64, 320, 4 * KB, 32 * KB, 32}};
  memory times(4 * STEPS * 256);
  for (unsigned n : {1u, 16u, (unsigned)sm_count()})
    for (int r = 0; r < REPS; r++) {
      first_words<<<sm_count(), 32>>>(where, n, times.as<unsigned>());
      done();
      first_rows(par("again=%d", r), names, times, n);
    }
}

enum { NOTHING, STORE, EARLY_STORE, ADD, LOAD, EARLY_LOAD, EARLY_LOAD_CG };
enum { SPIN = 2000 };

template <int DOES> __global__ void spin_and_end(u64 base) {
  u64 mine = base + LINE * (u64)blockIdx.x + 4 * threadIdx.x;
  unsigned t0 = clock32();
  if (DOES == EARLY_STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(mine), "r"(t0) : "memory");
  if (DOES == EARLY_LOAD) wait_for32(load32<CA>(mine));
  if (DOES == EARLY_LOAD_CG) wait_for32(load32<CG>(mine));
  while (clock32() - t0 < SPIN) {
  }
  if (DOES == LOAD && load32<CA>(mine) == 0xdeadbeef) asm volatile("trap;");
  if (DOES == STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(mine), "r"(t0) : "memory");
  if (DOES == ADD) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine), "r"(t0) : "memory");
}

template <int DOES> static double blocks_us(const memory &buffer, int each, int threads) {
  enum { SHARED = 160 * 1024 };
  CU(cudaFuncSetAttribute(spin_and_end<DOES>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  cudaEvent_t from, to;
  CU(cudaEventCreate(&from));
  CU(cudaEventCreate(&to));
  double least = 1e30;
  for (int r = 0; r < 5; r++) {
    CU(cudaEventRecord(from));
    spin_and_end<DOES><<<each * sm_count(), threads, SHARED>>>(buffer.at);
    CU(cudaEventRecord(to));
    CU(cudaEventSynchronize(to));
    float ms;
    CU(cudaEventElapsedTime(&ms, from, to));
    least = std::min(least, 1e3 * ms);
  }
  return least;
}

template <int DOES> static void end_rows(const memory &buffer, const char *name) {
  enum { FEW = 20, MANY = 220 };
  for (int threads : {32, 256}) {
    std::vector<double> v;
    for (int r = 0; r < REPS; r++) {
      double us = blocks_us<DOES>(buffer, MANY, threads) - blocks_us<DOES>(buffer, FEW, threads);
      v.push_back(us * sm_mhz(1000000) / (MANY - FEW) - SPIN);
    }
    rows(par("does=%s threads=%d", name, threads), "cyc_per_block", v);
  }
}

static void block_end() {
  memory buffer(256 * 256 * LINE);
  buffer.clear();
  end_rows<NOTHING>(buffer, "nothing");
  end_rows<STORE>(buffer, "store");
  end_rows<EARLY_STORE>(buffer, "early_store");
  end_rows<ADD>(buffer, "add");
  end_rows<LOAD>(buffer, "load");
  end_rows<EARLY_LOAD>(buffer, "early_load");
  end_rows<EARLY_LOAD_CG>(buffer, "early_load.cg");
}

enum { S_NOTHING, S_LOAD, S_ADD, S_CHAIN };

struct small_times {
  u64 begin, end;
  unsigned first, last, sm, unused;
};

template <int DOES>
__global__ void small_kernel(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d,
                             small_times *times) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t0 = clock32(), t1 = t0, t2 = t0;
  u64 begin = globaltimer();
  if (DOES == S_LOAD) {
    wait_for32(load32<CA>((u64)(a + i)));
    t1 = t2 = clock32();
  } else if (DOES == S_ADD) {
    unsigned x = load32<CA>((u64)(a + i)), y = load32<CA>((u64)(b + i));
    wait_for32(x);
    t1 = clock32();
    wait_for32(y);
    t2 = clock32();
    d[i] = x + y;
  } else if (DOES == S_CHAIN) {
    unsigned x = load32<CA>((u64)(a + i));
    wait_for32(x);
    t1 = clock32();
    unsigned y = load32<CA>((u64)(b + x));
    wait_for32(load32<CA>((u64)(c + y)));
    t2 = clock32();
  }
  if (threadIdx.x % 32 == 0) times[i / 32] = {begin, globaltimer(), t1 - t0, t2 - t0, smid(), 0};
}

template <int DOES> static void small_rows(const char *name, const char *profiler) {
  enum { MOST = 1056 * 256, TRIES = 12 };
  memory a(66 * MB), b(66 * MB), c(66 * MB), d(66 * MB), times(MOST / 32 * sizeof(small_times));
  std::vector<unsigned> same(MOST);
  for (unsigned i = 0; i < MOST; i++)
    same[i] = i;
  a.put(same), b.put(same), c.put(same);
  static const int grids[][2] = {{1, 32}, {132, 32}, {132, 256}, {528, 256}, {1056, 256}};
  for (auto &g : grids) {
    std::vector<double> ns;
    std::vector<unsigned> first, last;
    for (int r = 0; r < TRIES; r++) {
      small_kernel<DOES><<<g[0], g[1]>>>(a.as<unsigned>(), b.as<unsigned>(), c.as<unsigned>(),
                                         d.as<unsigned>(), times.as<small_times>());
      done();
      if (r < 2) continue;
      u64 begin = ~0ull, end = 0;
      for (auto &t : times.get<small_times>((size_t)g[0] * g[1] / 32)) {
        begin = std::min(begin, t.begin), end = std::max(end, t.end);
        first.push_back(t.first), last.push_back(t.last);
      }
      ns.push_back((double)(end - begin));
    }
    std::string p = par("profiler=%s does=%s blocks=%d threads=%d", profiler, name, g[0], g[1]);
    rows(p, "ns", ns);
    spread_rows(p, "first_cyc", first);
    spread_rows(p, "last_cyc", last);
  }
}

static void small() {
  const char *profiler = getenv("PROFILER");
  if (!profiler) profiler = "none";
  small_rows<S_NOTHING>("nothing", profiler);
  small_rows<S_LOAD>("load", profiler);
  small_rows<S_ADD>("add", profiler);
  small_rows<S_CHAIN>("chain", profiler);
}

int main(int argc, char **argv) {
  static const benchmark benchmarks[] = {{"loops", loops},         {"ifs", ifs},
                                         {"start", start},         {"constants", constants},
                                         {"block_end", block_end}, {"small", small}};
  return run_main(argc, argv, benchmarks);
}
