// Instructions that are not there yet.
//
//   fetch     straight code of `insns` FFMA (16 bytes each) in four independent chains, run three
//   times in a row by each
//             of `warps` warps of a block: cyc is the time from the first warp's first clock to the
//             last one's last. pass=0 finds them nowhere near, pass=1 and 2 as the pass before left
//             them. before=nothing: the kernel was launched just before, so that the L2 has its
//             code; flush: 256 MB were written in between, so that the L2 has it no more; code: 256
//             KB of other instructions ran on all SMs, so that the SMs have none of it. blocks=1 or
//             one on each SM (the times are then medians over SMs, and of the latest one as well)
#include "micro.cuh"

#define F1                                                                                         \
  "fma.rn.f32 %0, %0, %0, %4;\n\tfma.rn.f32 %1, %1, %1, %4;\n\tfma.rn.f32 %2, %2, %2, "            \
  "%4;\n\tfma.rn.f32 %3, %3, %3, %4;\n\t"
#define F4 F1 F1 F1 F1

template <int INSNS> // a multiple of 16
__global__ void straight(float one, float *sink, unsigned *times) {
  float a = one, b = one, c = one, d = one;
#pragma unroll 1 // the same code three times
  for (int pass = 0; pass < 3; pass++) {
    __syncthreads();
    unsigned t0 = clock32();
#pragma unroll
    for (int i = 0; i < INSNS / 16; i++)
      asm volatile(F4 : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(one));
    unsigned t1 = clock32();
    if (threadIdx.x % 32 == 0) {
      unsigned *t = times + ((blockIdx.x * 32 + threadIdx.x / 32) * 3 + pass) * 2;
      t[0] = t0, t[1] = t1;
    }
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

enum { LARGEST = 16384 }; // more than any cache of instructions has

template <int INSNS> static void rows_of(const memory &sink, const memory &times) {
  static const char *const befores[] = {"nothing", "flush", "code", "code,flush"};
  for (int before = 0; before < 4; before++)
    for (int blocks : {1, sm_count()})
      for (int warps : {1, 4, 16}) {
        std::vector<double> all[3], latest[3];
        for (int r = 0; r < REPS + 1; r++) {
          if (before & 2)
            straight<LARGEST><<<2 * sm_count(), 128>>>(0.f, sink.as<float>(), times.as<unsigned>());
          if (before & 1) flush_l2();
          straight<INSNS><<<blocks, 32 * warps>>>(0.f, sink.as<float>(), times.as<unsigned>());
          done();
          if (r == 0) continue;
          auto t = times.get<unsigned>((size_t)blocks * 192);
          for (int pass = 0; pass < 3; pass++) {
            std::vector<double> of;
            for (int b = 0; b < blocks; b++) {
              unsigned begin = t[(b * 32 * 3 + pass) * 2], end = begin;
              int least = 0, most = 0;
              for (int w = 0; w < warps; w++) {
                const unsigned *p = &t[((b * 32 + w) * 3 + pass) * 2];
                least = std::min(least, (int)(p[0] - begin)),
                most = std::max(most, (int)(p[1] - end));
              }
              of.push_back(most - least);
            }
            std::sort(of.begin(), of.end());
            all[pass].push_back(of[of.size() / 2]), latest[pass].push_back(of.back());
          }
        }
        for (int pass = 0; pass < 3; pass++) {
          auto what = par("insns=%d before=%s blocks=%d warps=%d pass=%d", INSNS, befores[before],
                          blocks, warps, pass);
          rows(what, "cyc", all[pass]);
          if (blocks > 1) rows(what, "latest_cyc", latest[pass]);
        }
      }
}

static void fetch() {
  memory sink(4 * 1024 * 512), times(4 * 192 * 1024); // of 1024 blocks
  rows_of<16>(sink, times);
  rows_of<64>(sink, times);
  rows_of<128>(sink, times);
  rows_of<256>(sink, times);
  rows_of<512>(sink, times);
  rows_of<1024>(sink, times);
  rows_of<2048>(sink, times);
  rows_of<4096>(sink, times);
  rows_of<8192>(sink, times);
  rows_of<LARGEST>(sink, times);
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"fetch", fetch}};
  return run_main(argc, argv, table);
}
