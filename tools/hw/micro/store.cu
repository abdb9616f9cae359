// Stores and atomics.
//
//   stores   32 warps on each SM (sms=all) or on one (sms=1) store, instruction after instruction,
//   further on in a buffer
//            that the L2 holds (level=l2, 16 MB) or not (level=dram, 4 GB, at least 1 GB of it
//            written). stores_per_cyc counts warp instructions, bytes_per_cyc the bytes that the
//            lanes meant. pattern=stride  lane i at i * stride, width bytes each pattern=group
//            groups of k lanes write 4 * k bytes side by side, one group per sector or line
//            (apart); below
//                            32 bytes a group leaves its sector partial
//            pattern=random  the same, each group in a random sector of the buffer
//            pattern=warp    all lanes of a warp at one address; pattern=one: all warps of all SMs
//            there
//   atomics  32-bit additions: red (no result) and atom, n distinct addresses in a warp, words side
//   by side
//            (layout=words) or lines apart (layout=lines); to addresses of the warp, of the SM, or
//            the same for all (scope). lane_ops_per_cyc counts lanes.
//   atom_latency  a chain of dependent atom, one lane
//   load_store  a warp loads a line (sectors=4) or a sector of one (sectors=1), waits for it, and
//   goes on to the next line; its store
//            goes to the words that it loads (store=same) or to the next sector (store=next) while
//            the load is under way, or to the words when they are there (store=after), or there is
//            none. The L2 has the lines (level=l2), or only their DRAM (level=dram). warps on each
//            of sms SMs do so, each with lines of its own. lines=2: the warp loads and stores two
//            lines at once; gap: multiplications between a load and its store, each of which needs
//            the one before
#include "micro.cuh"

enum { STRIDE, GROUP, RANDOM, WARP, ONE };

template <int WIDTH> static __device__ __forceinline__ void store(u64 a, unsigned x) {
  if (WIDTH == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(a), "r"(x) : "memory");
  if (WIDTH == 2)
    asm volatile("st.global.u16 [%0], %1;" ::"l"(a), "h"((unsigned short)x) : "memory");
  if (WIDTH == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(a), "r"(x) : "memory");
  if (WIDTH == 8) asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(a), "r"(x) : "memory");
  if (WIDTH == 16)
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(a), "r"(x) : "memory");
}

template <int WIDTH, int PATTERN>
__global__ void __launch_bounds__(1024, 1)
    store_all(u64 base, u64 mask, unsigned lane_at, unsigned span, int k, int loops, int sms,
              unsigned *count, u64 *times) {
  meet(count);
  if (smid() >= sms) return;
  unsigned warp = smid() * 32 + threadIdx.x / 32, lane = threadIdx.x % 32, warps = 32 * sms;
  lane_at *= PATTERN == STRIDE ? lane : lane / k;
  if (PATTERN == GROUP) lane_at += lane % k * 4;
  u64 at = (u64)warp * span, step = (u64)warps * span, t0 = clock64v();
#pragma unroll 4
  for (int i = 0; i < loops; i++, at += step) {
    u64 a;
    if (PATTERN == RANDOM) {
      unsigned h = (warp * 1024 + i) * 32 + lane / k;
      h ^= h >> 15, h *= 0x2c1b3c6d, h ^= h >> 12, h *= 0x297a2d39, h ^= h >> 15;
      a = base + ((u64)h * 32 & mask) + lane % k * 4;
    } else
      a = base + (at & mask) + lane_at;
    store<WIDTH>(a, (unsigned)i);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) times[smid()] = clock64v() - t0;
}

struct storer {
  memory l2{16 * MB + 128 * KB}, dram{4 * GB + 128 * KB}, count{4}, times{8 * 1024};
  enum { SHARED = 160 * 1024 }; // one block per SM
  storer() {
    count.clear();
    l2.clear();
  }
  template <int WIDTH, int PATTERN>
  void rate(const std::string &what, unsigned lane_at, unsigned span, int k, double bytes,
            int only_sms = 0) {
    CU(cudaFuncSetAttribute(store_all<WIDTH, PATTERN>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            SHARED));
    for (int big = 0; big < 2; big++)
      for (int sms : {1, sm_count()}) {
        if ((big && sms == 1) || (only_sms && sms != only_sms)) continue;
        // at least 1 GB of sectors for the DRAM
        int loops = big ? std::max(256, (int)(GB / (span * 32ull * (unsigned)sms))) : 256;
        const memory &m = big ? dram : l2;
        // ONE has its address by the mask: of stores to one that is known, only the last remains
        u64 mask = PATTERN == ONE ? 0 : (big ? 4 * GB : 16 * MB) - 1;
        std::vector<double> v;
        for (int r = 0; r < REPS; r++) {
          times.clear();
          store_all<WIDTH, PATTERN><<<sm_count(), 1024, SHARED>>>(
              m.at, mask, lane_at, span, k, loops, sms, count.as<unsigned>(), times.as<u64>());
          done();
          auto t = times.get<u64>((size_t)sms);
          v.push_back((double)*std::max_element(t.begin(), t.end()));
        }
        std::sort(v.begin(), v.end());
        std::string s = par("level=%s sms=%d width=%d ", big ? "dram" : "l2", sms, WIDTH) + what;
        double n = 32.0 * sms * loops;
        row(s, "stores_per_cyc.max", n / v[0]);
        row(s, "stores_per_cyc.med", n / v[v.size() / 2]);
        row(s, "bytes_per_cyc.max", n * bytes / v[0]);
      }
  }
};

static void stores() {
  storer s;
  for (unsigned stride : {4, 8, 12, 16, 32, 64, 128, 256})
    s.rate<4, STRIDE>(par("pattern=stride stride=%u", stride), stride, 32 * stride, 1, 128);
  for (unsigned stride : {1, 4, 32})
    s.rate<1, STRIDE>(par("pattern=stride stride=%u", stride), stride, 32 * stride, 1, 32);
  for (unsigned stride : {2, 4, 32})
    s.rate<2, STRIDE>(par("pattern=stride stride=%u", stride), stride, 32 * stride, 1, 64);
  for (unsigned stride : {8, 16, 32, 64, 128})
    s.rate<8, STRIDE>(par("pattern=stride stride=%u", stride), stride, 32 * stride, 1, 256);
  for (unsigned stride : {16, 32, 64, 128, 256})
    s.rate<16, STRIDE>(par("pattern=stride stride=%u", stride), stride, 32 * stride, 1, 512);
  for (unsigned apart : {32, 64, 128, 256})
    for (unsigned k : {1, 2, 4, 8})
      s.rate<4, GROUP>(par("pattern=group k=%u apart=%u", k, apart), apart, 32 / k * apart, (int)k,
                       128);
  for (unsigned k : {1, 2, 4, 8})
    s.rate<4, RANDOM>(par("pattern=random k=%u", k), 0, 32 / k * 32, (int)k, 128);
  s.rate<4, WARP>("pattern=warp", 0, 128, 32, 128);
  s.rate<4, ONE>("pattern=one", 0, 128, 32, 128);
}

template <int OP> static __device__ __forceinline__ unsigned add(u64 a, unsigned x) {
  unsigned r = 0;
  if (OP == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(x) : "memory");
  if (OP == 1)
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(a), "r"(x) : "memory");
  if (OP == 2) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(a), "f"((float)x) : "memory");
  if (OP == 3)
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(r) : "l"(a), "r"(x) : "memory");
  return r;
}

// Where a lane adds comes from memory: what is known to be one address would be summed in the warp
// first.
template <int OP>
__global__ void __launch_bounds__(1024, 1)
    add_all(u64 base, const unsigned *offsets, u64 per_warp, u64 per_sm, int loops, int sms,
            unsigned *count, unsigned *sink, u64 *times) {
  meet(count);
  if (smid() >= sms) return;
  unsigned warp = threadIdx.x / 32, x = threadIdx.x + 1;
  u64 a = base + per_warp * warp + per_sm * smid() + offsets[threadIdx.x % 32], t0 = clock64v();
  for (int i = 0; i < loops; i++) {
    unsigned v[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
      v[j] = add<OP>(a, x);
#pragma unroll
    for (int j = 0; j < 4; j++)
      x ^= v[j];
  }
  wait_for32(x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) times[smid()] = clock64v() - t0;
  sink[threadIdx.x] = x;
}

template <int OP> static void atomic_rows(const memory &buffer, const char *name) {
  enum { SHARED = 160 * 1024, LOOPS = 16 };
  memory count(4), sink(4096), times(8 * 1024), offsets(128);
  count.clear();
  CU(cudaFuncSetAttribute(add_all<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  static const struct {
    const char *name;
    u64 per_warp, per_sm;
  } scopes[] = {{"all", 0, 0}, {"sm", 0, 4096}, {"warp", 4096, 32 * 4096}};
  for (auto &scope : scopes)
    for (int apart : {4, 32, 128})
      for (unsigned n : {1, 2, 4, 8, 16, 32})
        for (int sms : {1, 2, 8, 32, sm_count()}) {
          if (sms != 1 && sms != sm_count() && (n != 1 || apart != 4)) continue;
          if (apart != 4 && n == 1) continue;
          std::vector<unsigned> o;
          for (unsigned i = 0; i < 32; i++)
            o.push_back(i % n * (unsigned)apart);
          offsets.put(o);
          std::vector<double> v;
          for (int r = 0; r < REPS; r++) {
            times.clear();
            add_all<OP><<<sm_count(), 1024, SHARED>>>(
                buffer.at, offsets.as<unsigned>(), scope.per_warp, scope.per_sm, LOOPS, sms,
                count.as<unsigned>(), sink.as<unsigned>(), times.as<u64>());
            done();
            auto t = times.get<u64>((size_t)sms);
            v.push_back((double)*std::max_element(t.begin(), t.end()));
          }
          std::sort(v.begin(), v.end());
          std::string s =
              par("op=%s scope=%s apart=%d n=%u sms=%d", name, scope.name, apart, n, sms);
          double ops = 1024.0 * 4 * LOOPS * sms;
          row(s, "lane_ops_per_cyc.max", ops / v[0]);
          row(s, "lane_ops_per_cyc.med", ops / v[v.size() / 2]);
        }
}

static void atomics() {
  memory buffer(32 * MB);
  buffer.clear();
  atomic_rows<0>(buffer, "red.u32");
  atomic_rows<1>(buffer, "atom.u32");
  atomic_rows<2>(buffer, "red.f32");
  atomic_rows<3>(buffer, "atom.cas");
}

template <int OP>
__global__ void add_chain(u64 base, const unsigned *offsets, int steps, u64 *out) {
  u64 a = base + offsets[threadIdx.x];
  unsigned x = 0;
  for (int w = 0; w < 2; w++) {
    u64 t0 = clock64v();
    for (int i = 0; i < steps; i++)
      x = add<OP>(a, x);
    wait_for32(x);
    out[w] = clock64v() - t0;
  }
}

static void atom_latency() {
  memory buffer(64 * KB), out(16), offsets(128);
  offsets.clear();
  for (unsigned lanes : {1, 32})
    for (unsigned line = 0; line < 16; line++) {
      std::vector<double> add, cas;
      for (int r = 0; r < REPS; r++) {
        buffer.clear();
        add_chain<1>
            <<<1, lanes>>>(buffer.at + line * LINE, offsets.as<unsigned>(), 256, out.as<u64>());
        done();
        add.push_back((double)out.get<u64>(2)[1] / 256);
        add_chain<3>
            <<<1, lanes>>>(buffer.at + line * LINE, offsets.as<unsigned>(), 256, out.as<u64>());
        done();
        cas.push_back((double)out.get<u64>(2)[1] / 256);
      }
      rows(par("op=atom.u32 lanes=%u line=%u", lanes, line), "cyc_per_step", add);
      rows(par("op=atom.cas lanes=%u line=%u", lanes, line), "cyc_per_step", cas);
    }
}

enum { NONE, SAME, NEXT, AFTER };

template <int STORE, int GAP>
__global__ void __launch_bounds__(1024, 1)
    load_and_store(u64 base, unsigned lanes, unsigned bytes, unsigned x, int loops, int sms,
                   unsigned *count, u64 *times) {
  meet(count);
  if (smid() >= sms) return;
  const unsigned warps = blockDim.x / 32, warp = smid() * warps + threadIdx.x / 32;
  const u64 width = LINE * (bytes / 4), step = (u64)warps * sms * width;
  u64 a = base + warp * width + threadIdx.x % lanes * bytes, t0 = clock64v();
#pragma unroll 1
  for (int i = 0; i < loops; i++, a += step) {
    unsigned v = load32<CG>(a);
#pragma unroll
    for (int k = 0; k < GAP; k++)
      asm volatile("mad.lo.u32 %0, %0, %0, %1;" : "+r"(x) : "r"(lanes) : "memory");
    if (STORE == SAME) store<4>(a, x);
    if (STORE == NEXT) store<4>(a + 32, x);
    wait_for32(v);
    if (STORE == AFTER) store<4>(a, x);
  }
  if (threadIdx.x == 0) times[smid()] = clock64v() - t0;
  wait_for32(x);
}

struct load_storer {
  enum { SHARED = 160 * 1024, LOOPS = 64 };
  memory buffer{2 * LOOPS * (size_t)sm_count() * 16 * LINE}, count{4}, times{8 * 1024};
  load_storer() {
    buffer.clear();
    count.clear();
  }
  template <int STORE, int GAP>
  void step(const char *name, int level, int sectors, int warps, int sms, int lines = 1) {
    std::vector<double> v;
    CU(cudaFuncSetAttribute(load_and_store<STORE, GAP>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            SHARED));
    for (int r = 0; r < REPS; r++) {
      flush_l2();
      if (level == 0) touch<<<4 * sm_count(), 1024>>>(buffer.at, buffer.bytes, nullptr);
      times.clear();
      load_and_store<STORE, GAP><<<sm_count(), 32 * warps, SHARED>>>(
          buffer.at, 8 * (unsigned)sectors, 4 * (unsigned)lines, 3, LOOPS, sms,
          count.as<unsigned>(), times.as<u64>());
      done();
      auto t = times.get<u64>((size_t)sms);
      v.push_back((double)*std::max_element(t.begin(), t.end()) / LOOPS);
    }
    std::string s = par("level=%s store=%s sectors=%d warps=%d sms=%d", level ? "dram" : "l2", name,
                        sectors, warps, sms);
    if (lines > 1 || GAP > 0) s += par(" lines=%d gap=%d", lines, GAP);
    rows(s, "cyc_per_step", v);
  }
  template <int STORE> void all(const char *name) {
    for (int level = 0; level < 2; level++)
      for (int sectors : {1, 4})
        for (int warps : {1, 4, 16})
          for (int sms : {1, sm_count()})
            if (STORE != NEXT || sectors == 1) step<STORE, 0>(name, level, sectors, warps, sms);
  }
  template <int GAP> void gap() {
    for (int lines : {1, 2})
      for (int level = 0; level < 2; level++) {
        if (lines == 2 || GAP > 0) step<SAME, GAP>("same", level, 4, 16, sm_count(), lines);
        if (lines == 2 || GAP > 0) step<NONE, GAP>("none", level, 4, 16, sm_count(), lines);
      }
  }
};

static void load_store() {
  load_storer s;
  s.all<NONE>("none");
  s.all<SAME>("same");
  s.all<NEXT>("next");
  s.all<AFTER>("after");
  s.gap<0>(), s.gap<1>(), s.gap<2>(), s.gap<3>(), s.gap<4>(), s.gap<6>();
  s.gap<8>(), s.gap<12>(), s.gap<16>();
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"stores", stores},
                                    {"atomics", atomics},
                                    {"atom_latency", atom_latency},
                                    {"load_store", load_store}};
  return run_main(argc, argv, table);
}
