// Cycles that an SM takes per load instruction of a warp that hits the L1, by the addresses of its
// lanes.
//
// One block of 1 to 32 warps; each warp has 8 independent loads in flight, 4 KB apart, at the same
// pattern. With many warps the figure is the rate of the narrowest stage, with one warp it has part
// of the latency in it. Beside 8 loads of 4 bytes there are 4 XORs (of 8 bytes: 8, of 16 bytes: 16)
// and 7 instructions for the address and the loop. The SM issues 4 in a cycle, and 2 XORs: 8 loads
// take 5 cycles at least (6, and 9), so that up to 1.6 loads of 4 bytes in a cycle would show.
//
//   l1_rate   pattern=stride     lane i at i * stride bytes (0: broadcast)
//             pattern=lines      32 / n lanes in each of n lines, side by side: all banks differ
//             where they can pattern=column     lane i in line i % n, always the first word: banks
//             are the same pattern=diagonal   lane i in line i % n, word i: banks differ. column
//             against diagonal tells
//                                bank conflicts from tag look-ups
//             pattern=sectors    n sectors of one line; pattern=permuted: the words of a line,
//             shuffled pattern=random     random words of n lines (four seeds)
#include "micro.cuh"

enum { AHEAD = 8, WARM = 4, LOOPS = 128, APART = 4096 };

template <int WIDTH, int KIND> static __device__ __forceinline__ unsigned all_ahead(u64 a) {
  unsigned x = 0;
  if (WIDTH == 4) {
    unsigned v[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      v[j] = load32<KIND>(a + j * APART);
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      x ^= v[j];
  } else if (WIDTH == 8) {
    u64 v[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      v[j] = load64<KIND>(a + j * APART);
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      x ^= (unsigned)v[j] ^ (unsigned)(v[j] >> 32);
  } else {
    uint4 v[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      v[j] = load128<KIND>(a + j * APART);
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      x ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
  }
  return x;
}

// zero is 0. Without it the addresses would be known to be those of the iteration before.
template <int WIDTH, int KIND>
__global__ void hits(u64 base, u64 zero, const unsigned *offsets, unsigned *sink, u64 *times) {
  u64 a = base + offsets[threadIdx.x % 32];
  unsigned x = 0;
  for (int n = 0; n < WARM; n++, a += zero)
    x ^= all_ahead<WIDTH, KIND>(a);
  wait_for32(x);
  __syncthreads();
  u64 t0 = clock64v();
#pragma unroll 1 // no more in flight than AHEAD
  for (int n = 0; n < LOOPS; n++, a += zero)
    x ^= all_ahead<WIDTH, KIND>(a);
  wait_for32(x);
  u64 t1 = clock64v();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = t0, times[threadIdx.x / 16 + 1] = t1;
  sink[threadIdx.x] = x;
}

struct pattern {
  std::string name;
  int widths; // bits 2, 3 and 4: 4, 8 and 16 bytes
  std::vector<unsigned> offsets;
};

static std::vector<pattern> patterns() {
  std::vector<pattern> v;
  auto add = [&](const std::string &name, int widths, auto of) {
    pattern p{name, widths, {}};
    for (unsigned lane = 0; lane < 32; lane++)
      p.offsets.push_back(of(lane));
    v.push_back(p);
  };
  for (unsigned stride :
       {0, 4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 132, 160, 192, 256, 512, 1024})
    add(par("pattern=stride stride=%u", stride),
        stride % 16 == 0  ? 28
        : stride % 8 == 0 ? 12
                          : 4,
        [=](unsigned i) { return i * stride; });
  for (unsigned n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 28, 32}) {
    add(par("pattern=lines n=%u", n), 28,
        [=](unsigned i) { return i % n * 128 + i / n * 4 % 128 / 16 * 16; });
    add(par("pattern=column n=%u", n), 28, [=](unsigned i) { return i % n * 128; });
    add(par("pattern=diagonal n=%u", n), 4, [=](unsigned i) { return i % n * 128 + 4 * i; });
    add(par("pattern=diagonal16 n=%u", n), 28,
        [=](unsigned i) { return i % n * 128 + 16 * i % 128; });
  }
  for (unsigned n : {1, 2, 3, 4})
    add(par("pattern=sectors n=%u", n), 28, [=](unsigned i) { return i % n * 32; });
  for (unsigned seed = 1; seed <= 4; seed++) {
    auto order = steps_of(32, 4, true, seed);
    add(par("pattern=permuted seed=%u", seed), 4, [=](unsigned i) { return (unsigned)order[i]; });
    for (unsigned n : {1, 2, 4, 8, 16, 32, 64}) {
      std::mt19937 r(seed);
      add(par("pattern=random n=%u seed=%u", n, seed), 4,
          [&](unsigned) { return (unsigned)(r() % (32 * n) * 4); });
    }
  }
  return v;
}

template <int WIDTH, int KIND>
static void rate(const memory &buffer, const pattern &p, const memory &offsets) {
  static memory *sink = new memory(4096), *times = new memory(1024);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> cyc;
    for (int r = 0; r < REPS; r++) {
      hits<WIDTH, KIND><<<1, 32 * warps>>>(buffer.at, 0, offsets.as<unsigned>(),
                                           sink->as<unsigned>(), times->as<u64>());
      done();
      auto t = times->get<u64>(2 * (size_t)warps);
      u64 begin = t[0], end = t[1];
      for (size_t i = 0; i < t.size(); i += 2)
        begin = std::min(begin, t[i]), end = std::max(end, t[i + 1]);
      cyc.push_back((double)(end - begin) / (LOOPS * AHEAD * warps));
    }
    rows(par("kind=%s width=%d warps=%d ", KIND == CA ? "ca" : "cg", WIDTH, warps) + p.name,
         "cyc_per_load", cyc);
  }
}

static void l1_rate() {
  memory buffer(4 * MB), offsets(128);
  buffer.clear();
  for (auto &p : patterns()) {
    offsets.put(p.offsets);
    if (p.widths & 4) rate<4, CA>(buffer, p, offsets);
    if (p.widths & 8) rate<8, CA>(buffer, p, offsets);
    if (p.widths & 16) rate<16, CA>(buffer, p, offsets);
    if (p.name.find("pattern=stride") == 0 &&
        p.widths & 16) { // the same past the L1: the SM's rate to the L2
      rate<4, CG>(buffer, p, offsets);
      rate<16, CG>(buffer, p, offsets);
    }
  }
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"l1_rate", l1_rate}};
  return run_main(argc, argv, table);
}
