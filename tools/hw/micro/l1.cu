// The L1's size for each carve-out, its ways and its index function.
//
// One warp walks a ring of lines, every lane at the same address, and times each step. A step of
// more than MISS cycles missed the L1. The marks are kept in registers (lane by lane), so that
// nothing but the ring is in the L1.
//
//   l1_size     misses per pass by footprint. carve=prefer asks for a carve-out as a program would;
//   carve=force
//               takes that much shared memory, so that there is no choice. The L1's usable size is
//               the largest footprint without misses in the last pass. The misses of each pass show
//               whether a ring that does not quite fit settles (no LRU) or not.
//   l1_block    lines that stay, by threads and shared memory of a block: which carve-out the
//   driver
//               chooses for a kernel
//   l1_ways     N lines at a stride of 2^k: the most that stay (fit) and where misses begin. With a
//   linear index
//               fit = size / stride until it is the number of ways; a hash shows as fit that does
//               not fall.
//   l1_random   N random lines of 64 MB whose low bits (up to 2^k) are the same: where misses begin
//   tells how
//               much a fixed choice of address bits costs; k = 7 are any lines.
//   l1_pattern  which lines of a ring of consecutive ones miss when it is a little too large: with
//   LRU those of
//               one set miss together, and their distances are the index function.
#include "micro.cuh"

enum { MISS = 120, PASSES = 8, MASK_WORDS = 4 };

struct pass_stats {
  unsigned misses, hit_cyc, miss_cyc, least, most;
};

// passes <= 32: lane p keeps what pass p counted; masks: MASK_WORDS * 32 words, the last pass's
// misses
__global__ void chase_steps(u64 p, int steps, int passes, pass_stats *out, unsigned *masks) {
  unsigned lane = threadIdx.x;
  if (lane >= 32) return; // of larger blocks, too, one warp walks
  pass_stats mine = {};
  unsigned mask[MASK_WORDS] = {};
  for (int pass = 0; pass < passes; pass++) {
    pass_stats s = {0, 0, 0, ~0u, 0};
    int i = 0;
#pragma unroll
    for (int w = 0; w < MASK_WORDS; w++) {
      unsigned bits = 0;
#pragma unroll 1
      for (int k = 0; k < 1024 && i < steps; k++, i++) {
        unsigned t0 = clock32();
        p = load64<CA>(p);
        wait_for(p);
        unsigned dt = clock32() - t0;
        bool miss = dt >= MISS;
        s.misses += miss;
        if (miss)
          s.miss_cyc += dt;
        else
          s.hit_cyc += dt;
        s.least = min(s.least, dt);
        s.most = max(s.most, dt);
        if (miss && lane == k / 32) bits |= 1u << k % 32;
      }
      mask[w] = bits;
    }
    if (pass == lane) mine = s;
  }
  if (lane < passes) out[lane] = mine;
  for (int w = 0; w < MASK_WORDS; w++)
    masks[32 * w + lane] = mask[w];
}

struct walked {
  std::vector<pass_stats> pass;
  std::vector<unsigned> mask;
};

static walked walk(u64 first, int steps, size_t shared, int passes = PASSES, int threads = 32) {
  static memory *out = new memory(32 * sizeof(pass_stats)),
                *masks = new memory(4 * 32 * MASK_WORDS);
  if (steps > 1024 * MASK_WORDS) {
    fprintf(stderr, "%d steps are too many\n", steps);
    exit(1);
  }
  chase_steps<<<1, threads, shared>>>(first, steps, passes, out->as<pass_stats>(),
                                      masks->as<unsigned>());
  done();
  return {out->get<pass_stats>((size_t)passes), masks->get<unsigned>(32 * MASK_WORDS)};
}

static void prefer(int percent) {
  CU(cudaFuncSetAttribute(chase_steps, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

// misses of the last pass over n lines, the least of some tries
static unsigned misses_of(u64 base, const std::vector<u64> &offsets, unsigned *most = nullptr,
                          int tries = REPS) {
  unsigned least = ~0u, top = 0;
  make_ring(base, offsets);
  for (int r = 0; r < tries; r++) {
    unsigned m = walk(base + offsets[0], (int)offsets.size(), 0).pass[PASSES - 1].misses;
    least = std::min(least, m), top = std::max(top, m);
  }
  if (most) *most = top;
  return least;
}

static void size_rows(u64 base, const std::string &what, size_t lines, bool shuffled,
                      size_t shared) {
  auto order = steps_of(lines, LINE, shuffled);
  make_ring(base, order);
  std::vector<double> last, hit, miss;
  std::vector<unsigned> by_pass(PASSES);
  for (int r = 0; r < REPS; r++) {
    auto w = walk(base + order[0], (int)lines, shared);
    auto &p = w.pass[PASSES - 1];
    last.push_back(p.misses);
    if (p.misses < lines) hit.push_back(p.hit_cyc / (double)(lines - p.misses));
    if (p.misses) miss.push_back(p.miss_cyc / (double)p.misses);
    for (int i = 0; i < PASSES; i++)
      by_pass[(size_t)i] = w.pass[(size_t)i].misses;
  }
  std::string s = what + par(" order=%s bytes=%zu lines=%zu", shuffled ? "shuffled" : "sequential",
                             lines * LINE, lines);
  rows(s, "misses", last);
  if (!hit.empty()) rows(s, "hit_cyc", hit);
  if (!miss.empty()) rows(s, "miss_cyc", miss);
  list_row(s, "misses.by_pass", by_pass.data(), PASSES);
}

static void size_of(u64 base, const std::string &what, bool shuffled, size_t shared) {
  const size_t COARSE = 32, FINE = 4, TOP = 2176;
  size_t first = 0; // lines of the first footprint with misses
  for (size_t lines = COARSE; lines <= TOP; lines += COARSE) {
    if (lines % 64 == 0) size_rows(base, what, lines, shuffled, shared);
    if (first) continue;
    auto order = steps_of(lines, LINE, shuffled);
    make_ring(base, order);
    if (walk(base + order[0], (int)lines, shared).pass[PASSES - 1].misses) first = lines;
  }
  for (size_t lines = first > 64 ? first - 64 : FINE; first && lines <= first + 2 * FINE;
       lines += FINE)
    if (lines % 64) size_rows(base, what, lines, shuffled, shared);
}

static void l1_size() {
  static const int kbs[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  memory buffer(MB);
  CU(cudaFuncSetAttribute(chase_steps, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int force = 0; force < 2; force++)
    for (int kb : kbs) {
      prefer((100 * kb + 227) / 228);
      size_t shared =
          force && kb ? (size_t)(kb - 1) * KB : 0; // the system takes 1 KB of each block's
      for (int shuffled = 0; shuffled < 2; shuffled++)
        size_of(buffer.at, par("carve=%s shared_kb=%d", force ? "force" : "prefer", kb), shuffled,
                shared);
    }
}

// The carve-out that the driver chooses, seen from the L1: by threads and shared memory of a block,
// without a preference (-1) and with some.
static void l1_block() {
  memory buffer(MB);
  CU(cudaFuncSetAttribute(chase_steps, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int percent : {-1, 0, 4, 25, 50, 100})
    for (int threads : {32, 64, 128, 256, 512, 1024})
      for (size_t shared : {0, 16, 1024, 2048, 4096, 8192, 16384, 24576, 49152, 102400}) {
        prefer(percent);
        size_t low = 0, high = 2048 + 8; // lines that fit, and do not
        while (high - low > 8) {
          size_t n = (low + high) / 16 * 8;
          auto order = steps_of(n, LINE, true);
          make_ring(buffer.at, order);
          bool fits =
              !walk(buffer.at + order[0], (int)n, shared, PASSES, threads).pass[PASSES - 1].misses;
          (fits ? low : high) = n;
        }
        int blocks = 0;
        CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, chase_steps, threads, shared));
        std::string s = par("prefer=%d threads=%d shared=%zu", percent, threads, shared);
        row(s, "lines_fit", (double)low);
        row(s, "blocks_fit", blocks);
      }
}

// The numbers of lines to try: all up to 40, then in steps of an eighth.
static std::vector<size_t> numbers(size_t most) {
  std::vector<size_t> v;
  for (size_t n = 1; n <= most; n += n < 40 ? 1 : n / 16)
    v.push_back(n);
  return v;
}

static void l1_ways() {
  memory buffer(GB);
  prefer(0);
  for (int k = 7; k <= 19; k++) {
    size_t stride = (size_t)1 << k, fit = 0, begin = 0,
           most = std::min((size_t)2400, buffer.bytes / stride);
    for (size_t n : numbers(most)) {
      unsigned top = 0, least = misses_of(buffer.at, steps_of(n, stride, false), &top);
      std::string s = par("stride=%zu lines=%zu", stride, n);
      if (!top)
        fit = n;
      else if (!begin)
        begin = n;
      row(s, "misses.min", least);
      row(s, "misses.max", top);
      if (begin && n > 2 * begin) break;
    }
    row(par("stride=%zu", stride), "lines_fit", (double)fit);
    row(par("stride=%zu", stride), "lines_misses_begin", (double)begin);
  }
}

static void l1_random() {
  size_t span = 64 * MB;
  memory buffer(span);
  prefer(0);
  for (int k = 7; k <= 15; k++)
    for (size_t n = 64; n <= 2304; n += n < 512 ? 64 : 128) {
      if (n > (span >> k) / 2) break;
      std::vector<double> m;
      for (unsigned seed = 1; seed <= REPS; seed++) {
        auto all = steps_of(span >> k, (size_t)1 << k, true, seed);
        all.resize(n);
        m.push_back(misses_of(buffer.at, all, nullptr, 1));
      }
      rows(par("same_low_bits=%d lines=%zu", k, n), "misses", m);
    }
}

static void l1_pattern() {
  memory buffer(GB);
  prefer(0);
  for (size_t stride : {128, 256, 512, 1024, 4096, 16384}) {
    size_t fit = 0;
    for (size_t n = 16; n <= 2304; n += 8) {
      if (misses_of(buffer.at, steps_of(n, stride, false), nullptr, 1)) break;
      fit = n;
    }
    for (size_t n = fit + 1; n < fit + 48 && n < 4096; n += n < fit + 12 ? 1 : 6) {
      auto order = steps_of(n, stride, false);
      make_ring(buffer.at, order);
      auto w = walk(buffer.at, (int)n, 0, 16);
      std::vector<unsigned> which;
      for (size_t i = 0; i < n; i++)
        if (w.mask[i / 32] >> i % 32 & 1) which.push_back((unsigned)i);
      std::string s = par("stride=%zu fit=%zu lines=%zu", stride, fit, n);
      row(s, "misses", (double)which.size());
      if (!which.empty())
        list_row(s, "missing_lines", which.data(), std::min(which.size(), (size_t)600));
    }
  }
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"l1_size", l1_size},
                                    {"l1_block", l1_block},
                                    {"l1_ways", l1_ways},
                                    {"l1_random", l1_random},
                                    {"l1_pattern", l1_pattern}};
  return run_main(argc, argv, table);
}
