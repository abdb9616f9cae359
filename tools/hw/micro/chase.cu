// Pointer chases over whole rings, for comparing a simulated machine with this one, and the DRAM's
// and the TLBs' latencies.
//
//   chase      one thread walks a ring twice, every element of it; the elements are 128 bytes
//   apart, shuffled.
//              cyc_per_step of the first and of the second walk; steps says how many there were.
//              mode=pointer: the element is the next one's 64-bit address, nothing else is on the
//              path; mode=index: a 32-bit index, with the address computed from it, as a program
//              does. Before each chase the L2 is filled with something else.
//   chase_large  the same for 80 MB to 1 GB, once each
//   chase_short  walks of 0 to 64 steps in the L1: walk_cyc is for all of them, and what is there
//   without a step is what the readings of the clock take tlb        N elements at a stride,
//   shuffled, each in another line of its stride's piece, past the L1; third walk.
//              N lines are few, so that the L2 holds them: what is above the L2's latency is
//              translation. Steps in the latency as N * stride grows are the TLBs' reaches.
//   dram       cold loads, each line once, after the L2 was filled with something else: one thread,
//   sequential or
//              shuffled, by stride and footprint; the spread of single latencies. pages=warm: the
//              pages (2 MB) were touched shortly before at other lines, by the same thread.
#include "micro.cuh"

template <int KIND> __global__ void walk_pointers(u64 first, u64 steps, int walks, u64 *cycles) {
  u64 p = first;
  for (int w = 0; w < walks; w++) {
    u64 t0 = clock64v();
#pragma unroll 8
    for (u64 i = 0; i < steps; i++)
      p = load64<KIND>(p);
    wait_for(p);
    cycles[w] = clock64v() - t0;
  }
}

template <int KIND>
__global__ void walk_indices(u64 base, unsigned first, u64 steps, int walks, u64 *cycles) {
  unsigned p = first;
  for (int w = 0; w < walks; w++) {
    u64 t0 = clock64v();
#pragma unroll 8
    for (u64 i = 0; i < steps; i++)
      p = load32<KIND>(base + 4ull * p);
    wait_for32(p);
    cycles[w] = clock64v() - t0;
  }
}

__global__ void index_link(unsigned *base, const u64 *offsets, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    base[offsets[i] / 4] = (unsigned)(offsets[i + 1 == n ? 0 : i + 1] / 4);
}

static void set_carve_out(int percent) { // -1: the driver's choice
  const void *all[] = {(const void *)walk_pointers<CA>, (const void *)walk_pointers<CG>,
                       (const void *)walk_indices<CA>, (const void *)walk_indices<CG>};
  for (auto f : all)
    CU(cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

static void chase_ring(const memory &buffer, size_t bytes, const char *carve, bool pointers,
                       int kind, int tries) {
  static memory *cycles = new memory(64);
  size_t n = bytes / LINE;
  auto order = steps_of(n, LINE, true);
  memory d(n * sizeof(u64));
  d.put(order);
  if (pointers)
    ring_link<<<1024, 256>>>(buffer.at, d.as<u64>(), n);
  else
    index_link<<<1024, 256>>>(buffer.as<unsigned>(), d.as<u64>(), n);
  done();
  std::vector<double> walk[2];
  for (int r = 0; r < tries; r++) {
    flush_l2();
    if (pointers && kind == CA)
      walk_pointers<CA><<<1, 1>>>(buffer.at + order[0], n, 2, cycles->as<u64>());
    if (pointers && kind == CG)
      walk_pointers<CG><<<1, 1>>>(buffer.at + order[0], n, 2, cycles->as<u64>());
    unsigned first = (unsigned)(order[0] / 4);
    if (!pointers && kind == CA)
      walk_indices<CA><<<1, 1>>>(buffer.at, first, n, 2, cycles->as<u64>());
    if (!pointers && kind == CG)
      walk_indices<CG><<<1, 1>>>(buffer.at, first, n, 2, cycles->as<u64>());
    done();
    auto c = cycles->get<u64>(2);
    for (int i = 0; i < 2; i++)
      walk[i].push_back((double)c[(size_t)i] / (double)n);
  }
  for (int i = 0; i < 2; i++)
    rows(par("mode=%s kind=%s carve=%s bytes=%zu steps=%zu tries=%d walk=%d",
             pointers ? "pointer" : "index", kind == CA ? "ca" : "cg", carve, bytes, n, tries,
             i + 1),
         "cyc_per_step", walk[i]);
  fflush(stdout);
}

static void chase() {
  static const struct {
    const char *name;
    int percent;
    size_t upto;
  } carves[] = {{"default", -1, 64 * MB}, {"max_l1", 0, 2 * MB}, {"min_l1", 100, 2 * MB}};
  std::vector<size_t> kbs = {4,   8,   16,  24,  28,  32,  48,  64,  96,  112,
                             128, 144, 160, 176, 192, 200, 208, 216, 224, 232,
                             240, 248, 256, 272, 288, 320, 384, 512, 768};
  for (size_t mb : {1, 2, 4, 8, 12, 16, 20, 24, 28, 30, 32, 40, 48, 56, 60, 64})
    kbs.push_back(mb * 1024);
  memory buffer(64 * MB);
  for (size_t kb : kbs)
    for (auto &c : carves)
      if (kb * KB <= c.upto) {
        set_carve_out(c.percent);
        for (int kind : {CA, CG}) {
          chase_ring(buffer, kb * KB, c.name, true, kind, REPS);
          if (c.percent < 0)
            chase_ring(buffer, kb * KB, c.name, false, kind, kb * KB > 8 * MB ? 1 : REPS);
        }
      }
}

// Once each: a walk of 1 GB takes seconds.
static void chase_large() {
  memory buffer(GB);
  for (size_t mb : {80, 96, 128, 256, 512, 1024}) {
    chase_ring(buffer, mb * MB, "default", true, CA, 1);
    if (mb <= 256) chase_ring(buffer, mb * MB, "default", true, CG, 1);
  }
}

static void chase_short() {
  enum { LINES = 64 };
  memory buffer(LINES * LINE), cycles(64), d(LINES * sizeof(u64));
  auto order = steps_of(LINES, LINE, true);
  d.put(order);
  ring_link<<<1, 256>>>(buffer.at, d.as<u64>(), LINES);
  done();
  for (int steps : {0, 8, 16, 24, 32, 48, 64}) {
    std::vector<double> v;
    for (int r = 0; r < 2 * REPS; r++) { // a ring's third walk: lines and code are there
      walk_pointers<CA><<<1, 1>>>(buffer.at + order[0], (u64)steps, 8, cycles.as<u64>());
      done();
      auto c = cycles.get<u64>(8);
      v.insert(v.end(), c.end() - 2, c.end());
    }
    rows(par("steps=%d", steps), "walk_cyc", v);
  }
}

static size_t free_bytes() {
  size_t have, all;
  CU(cudaMemGetInfo(&have, &all));
  return have;
}

static void tlb() {
  size_t bytes = 96 * GB;
  for (size_t have = free_bytes(); bytes + 2 * GB > have;)
    bytes /= 2;
  memory buffer(bytes), cycles(64);
  row("", "buffer_bytes", (double)bytes);
  for (size_t stride : {4 * KB, 64 * KB, 512 * KB, 2 * MB, 4 * MB, 8 * MB, 16 * MB, 32 * MB,
                        64 * MB, 256 * MB, 512 * MB})
    for (size_t n = 1; n <= 65536 && n * stride <= bytes; n = std::max(n + 1, n * 5 / 4)) {
      auto order = steps_of(n, stride, true);
      for (auto &o : order)
        o += o / stride * 37 % (stride / LINE) * LINE;
      make_ring(buffer.at, order);
      std::vector<double> v;
      u64 steps = std::max<u64>(n, 512 / n * n);
      for (int r = 0; r < REPS; r++) {
        walk_pointers<CG><<<1, 1>>>(buffer.at + order[0], steps, 3, cycles.as<u64>());
        done();
        v.push_back((double)cycles.get<u64>(3)[2] / (double)steps);
      }
      rows(par("stride=%zu n=%zu bytes=%zu", stride, n, n * stride), "cyc_per_step", v);
    }
}

// steps <= 8192: single latencies; warm: reads another line of each page first
__global__ void walk_timed(u64 p, int steps, u64 pages, int page_count, unsigned *times) {
  extern __shared__ unsigned t[];
  u64 x = 0;
  for (int i = 0; i < page_count; i++)
    x += load64<CG>(pages + 2097152ull * i);
  wait_for(x);
  for (int i = 0; i < steps; i++) {
    unsigned t0 = clock32();
    p = load64<CG>(p);
    wait_for(p);
    t[i] = clock32() - t0;
  }
  for (int i = 0; i < steps; i++)
    times[i] = t[i];
}

static void dram() {
  enum { STEPS = 8192 };
  size_t most = 4 * MB; // stride
  for (size_t have = free_bytes(); STEPS * most + 2 * GB > have;)
    most /= 2;
  memory buffer(STEPS * most + MB), times(STEPS * 4);
  CU(cudaFuncSetAttribute(walk_timed, cudaFuncAttributeMaxDynamicSharedMemorySize, STEPS * 4));
  for (int shuffled = 0; shuffled < 2; shuffled++)
    for (size_t stride = 32; stride <= most; stride *= 2)
      for (int warm = 0; warm < 2; warm++) {
        size_t pages = (STEPS * stride + 2 * MB - 1) / (2 * MB);
        if (warm && pages > 32) continue;
        // elements begin behind the first lines of the pages, which the warming touches
        auto order = steps_of(STEPS, stride, shuffled);
        make_ring(buffer.at + 4096, order);
        std::vector<unsigned> all;
        for (int r = 0; r < REPS; r++) {
          flush_l2();
          walk_timed<<<1, 1, STEPS * 4>>>(buffer.at + 4096 + order[0], STEPS, buffer.at,
                                          warm ? (int)pages : 0, times.as<unsigned>());
          done();
          auto t = times.get<unsigned>(STEPS);
          all.insert(all.end(), t.begin(), t.end());
        }
        std::string s =
            par("order=%s stride=%zu bytes=%zu pages=%s", shuffled ? "shuffled" : "sequential",
                stride, stride * STEPS, warm ? "warm" : "cold");
        spread_rows(s, "load_cyc", all);
        if (!shuffled) list_row(s, "load_cyc.first", all.data(), 256);
      }
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"chase", chase},
                                    {"chase_large", chase_large},
                                    {"chase_short", chase_short},
                                    {"tlb", tlb},
                                    {"dram", dram}};
  return run_main(argc, argv, table);
}
