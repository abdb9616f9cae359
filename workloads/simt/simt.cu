// Kernels that check how threads run rather than how memory behaves: independent thread scheduling,
// divergence, barriers, warp instructions, calls, and the spaces. Each writes only values that do
// not depend on the machine's choices.
#define FULL 0xffffffffu

static __device__ unsigned thread_number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Every lane takes a lock in turn: a lane that holds it must run on while its siblings spin.
extern "C" __global__ void spin_lock(int *lock, volatile unsigned *count, unsigned rounds) {
  for (unsigned r = 0; r < rounds; r++) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

// Lanes of one warp hand a token on, each waiting for its lower neighbour.
extern "C" __global__ void lane_chain(volatile unsigned *token, unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  volatile unsigned *mine = token + blockIdx.x;
  while (*mine != lane) {
  }
  out[thread_number()] = lane * lane + blockIdx.x;
  __threadfence();
  *mine = lane + 1;
}

// One shuffle by all lanes, met at two places of the program.
extern "C" __global__ void shfl_both_sides(unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  unsigned value = thread_number() * 3 + 1;
  unsigned got;
  if (lane < 16) {
    value += 100;
    got = __shfl_sync(FULL, value, lane + 16);
    got = got * 2;
  } else {
    value += 1000;
    got = __shfl_sync(FULL, value, 31 - lane);
    got = got * 5 + 1;
  }
  out[thread_number()] = got;
}

// __syncwarp() met at two places, ordering shared memory between the two sides.
extern "C" __global__ void syncwarp_both_sides(unsigned *out) {
  __shared__ volatile unsigned box[256];
  unsigned t = threadIdx.x, lane = t % 32;
  unsigned got;
  if (lane % 2) {
    box[t] = t * 11;
    __syncwarp();
    got = box[t - 1] + 1;
    __syncwarp();
    box[t] = got;
  } else {
    box[t] = t * 13;
    __syncwarp();
    got = box[t + 1] + 2;
    __syncwarp();
    box[t] = got;
  }
  __syncwarp();
  out[thread_number()] = box[t ^ 3];
}

// Disjoint sub-warps synchronise on their own masks.
extern "C" __global__ void partial_masks(unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  unsigned value = thread_number() + 7;
  unsigned got = 0;
  if (lane < 8)
    got = __shfl_xor_sync(0x000000ffu, value, 5);
  else if (lane < 24)
    got = __shfl_up_sync(0x00ffff00u, value, 3, 8) + __popc(__ballot_sync(0x00ffff00u, lane & 1));
  else
    got = __shfl_down_sync(0xff000000u, value, 2, 8) * (1 + __any_sync(0xff000000u, lane == 30));
  out[thread_number()] = got;
}

// A ring in shared memory from the block's first warp to its second, without any barrier of the
// block.
extern "C" __global__ void warp_pipe(unsigned *out, unsigned rounds) {
  __shared__ volatile unsigned slot[4][32];
  __shared__ volatile unsigned filled, drained;
  unsigned t = threadIdx.x, lane = t % 32;
  if (t == 0) filled = drained = 0;
  __syncthreads();
  if (t < 32) {
    for (unsigned r = 0; r < rounds; r++) {
      while (r - drained >= 4) {
      }
      slot[r % 4][lane] = r * 1000 + lane + blockIdx.x;
      __threadfence_block();
      __syncwarp();
      if (lane == 0) filled = r + 1;
    }
  } else {
    unsigned sum = 0;
    for (unsigned r = 0; r < rounds; r++) {
      while (filled <= r) {
      }
      __threadfence_block();
      sum = sum * 3 + slot[r % 4][lane ^ 1];
      __syncwarp();
      if (lane == 0) drained = r + 1;
    }
    out[blockIdx.x * 32 + lane] = sum;
  }
}

// Two pairs of warps, each with its own barrier; a third barrier at which one pair only arrives.
extern "C" __global__ void named_barriers(unsigned *out) {
  __shared__ volatile unsigned box[128];
  unsigned t = threadIdx.x, pair = t / 64;
  box[t] = t * 5 + 1;
  asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  unsigned got = box[t ^ 32];
  if (pair == 0) {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    box[t] = got + 7;
    asm volatile("bar.arrive 4, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 5, 64;" ::: "memory");
    asm volatile("bar.sync 4, 128;" ::: "memory");
    got += box[t - 64];
  }
  out[thread_number()] = got;
}

// Barriers that reduce a predicate over the block.
extern "C" __global__ void barrier_reduce(unsigned *out) {
  unsigned t = threadIdx.x;
  int count = __syncthreads_count(t % 3 == blockIdx.x % 3);
  int all = __syncthreads_and(t < 64 * (blockIdx.x + 1));
  int any = __syncthreads_or(t == 50 * blockIdx.x);
  out[thread_number()] = (unsigned)count * 4 + (all ? 2 : 0) + (any ? 1 : 0);
}

// Loops of different length in the lanes, with two ways out.
extern "C" __global__ void divergent_loop(unsigned *out) {
  unsigned x = thread_number() * 2654435761u;
  unsigned steps = 0;
  while (x != 1 && steps < 40) {
    x = x & 1 ? x * 3 + 1 : x >> 1;
    if (x % 37 == 5) break;
    if (x % 11 == 3) {
      steps += 2;
      continue;
    }
    steps++;
  }
  out[thread_number()] = x ^ steps << 24;
}

// Branches in branches in a loop; some lanes leave the kernel early.
extern "C" __global__ void nested_divergence(unsigned *out) {
  unsigned id = thread_number();
  unsigned lane = threadIdx.x % 32, value = id;
  for (unsigned i = 0; i < lane % 5 + 1; i++) {
    if (lane & 1) {
      if (lane & 2) {
        value = value * 3 + i;
        if (lane & 4) value ^= 0x55;
      } else if (lane & 8) {
        value += 17;
        if (value % 7 == 0) {
          out[id] = value;
          return;
        }
      }
    } else {
      for (unsigned j = 0; j < (lane & 6); j++)
        value += j * i + 1;
      if (lane & 16) value -= 5;
    }
  }
  out[id] = value + 1;
}

struct pair {
  unsigned low, high;
  float scale;
};

extern "C" __device__ __noinline__ unsigned mix(unsigned a, unsigned b) {
  return (a ^ b) * 2654435761u + (a >> 3);
}

extern "C" __device__ __noinline__ pair split(unsigned x, float f) {
  pair p;
  p.low = mix(x, 1) & 0xffff;
  p.high = mix(x, 2) >> 16;
  p.scale = f * 2.0f;
  return p;
}

// Functions that call functions, with structs by value, reached from divergent code.
extern "C" __global__ void calls(unsigned *out) {
  unsigned id = thread_number(), value;
  if (id % 3 == 0) {
    pair p = split(id, (float)id);
    value = p.low + p.high + (unsigned)p.scale;
  } else {
    value = mix(id, id % 3);
  }
  out[id] = value;
}

// A dense switch, which the compiler turns into a tree of branches (jump_table.ptx has a jump
// table).
extern "C" __global__ void switch_table(unsigned *out) {
  unsigned id = thread_number(), v = id * 7 + 3;
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
    switch ((v >> 2) % 10) {
    case 0:
      v = v * 3 + 1;
      break;
    case 1:
      v = v ^ 0x1234;
      break;
    case 2:
      v = v - id;
      break;
    case 3:
      v = __brev(v);
      break;
    case 4:
      v = v / 3;
      break;
    case 5:
      v = v + (v << 5); // falls through
    case 6:
      v = v | 64;
      break;
    case 7:
      v = __popc(v) + id;
      break;
    case 8:
      out[gridDim.x * blockDim.x + id] = v;
      break;
    default:
      v = ~v;
      break;
    }
  }
  out[id] = v;
}

// An array that must live in local memory, since its index is data.
extern "C" __global__ void local_array(const unsigned *in, unsigned *out) {
  unsigned id = thread_number();
  unsigned char order[24];
  unsigned counts[16];
  for (unsigned i = 0; i < 24; i++)
    order[i] = (unsigned char)(id + i * 3);
  for (unsigned i = 0; i < 16; i++)
    counts[i] = id + i;
#pragma unroll 1
  for (unsigned i = 0; i < 24; i++) {
    unsigned x = in[(id + i * 5) % 256];
    order[x % 24] = (unsigned char)(x >> 8 | 1);
    counts[x >> 28] += order[(x >> 5) % 24];
  }
  unsigned sum = 0;
  for (unsigned i = 0; i < 16; i++)
    sum = sum * 31 + counts[(i * 7 + id) % 16];
  out[id] = sum;
}

// 64-bit atomics on global and shared memory; only order-independent results.
extern "C" __global__ void atomics64(unsigned long long *out) {
  __shared__ unsigned long long sum, high;
  unsigned long long id = thread_number();
  if (threadIdx.x == 0) sum = high = 0;
  __syncthreads();
  atomicAdd(&sum, id << 33 | id);
  atomicMax(&high, id * 0x123456789abull % 0xfffffffbull << 20);
  atomicAdd(&out[0], 0x100000001ull * id);
  atomicMin(&out[1], (id + 5) * 0x9E3779B97F4A7C15ull);
  atomicMax((long long *)&out[2], (long long)(id * 0x9E3779B97F4A7C15ull));
  atomicOr(&out[3], 1ull << id % 64);
  atomicXor(&out[4], id * id << 20);
  unsigned long long seen = out[5], before;
  do {
    before = seen;
    seen = atomicCAS(&out[5], before, before + id + 0x100000000ull);
  } while (seen != before);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[6 + blockIdx.x * 2] = sum;
    out[7 + blockIdx.x * 2] = high;
  }
}

// 32-bit and floating-point atomics; only order-independent results (the float sums are exact).
extern "C" __global__ void atomics32(unsigned *out, float *sum32, double *sum64) {
  unsigned id = thread_number();
  atomicAdd(&out[0], id);
  atomicSub(&out[1], id);
  atomicMin(&out[2], id * 2654435761u | 1);
  atomicMax((int *)&out[3], (int)(id * 2654435761u));
  atomicAnd(&out[4], ~(1u << id % 29));
  atomicOr(&out[5], 1u << id % 23);
  atomicXor(&out[6], id << id % 7);
  atomicInc(&out[7], 99);
  atomicDec(&out[8], 99);
  unsigned old = atomicAdd(&out[9], 1);
  atomicAdd(&out[10], old);
  atomicAdd(sum32, (float)(id % 64) * 0.25f);
  atomicAdd(sum64, (double)id * 0.125);
}

// match, vote and ballot over groups given by data.
extern "C" __global__ void match_vote(const unsigned *in, unsigned *out) {
  unsigned id = thread_number();
  unsigned key = in[id] % 6;
  unsigned long long wide = (unsigned long long)(in[id] % 3) << 40 | in[id] % 2;
  unsigned same = __match_any_sync(FULL, key);
  unsigned same64 = __match_any_sync(FULL, wide);
  int equal;
  unsigned all = __match_all_sync(FULL, key / 6, &equal);
  unsigned ballot = __ballot_sync(FULL, key & 1);
  unsigned mask = 0;
  if (key < 3) {
    unsigned low = __ballot_sync(__ballot_sync(FULL, key < 3), key == 1);
    mask = low + __all_sync(FULL, key < 3) * 3;
  } else {
    mask = ~__ballot_sync(FULL, key < 3);
    mask += __all_sync(FULL, key < 3) * 5;
  }
  out[id] = same ^ same64 * 3 ^ (all + equal) ^ ballot * 7 ^ mask * 11;
}

// What a lane may say of the active mask whatever the machine chose: it is in it, and the other
// side is not.
extern "C" __global__ void active_mask(unsigned *out) {
  unsigned lane = threadIdx.x % 32;
  unsigned ok;
  if (lane % 3 == 0) {
    unsigned mask = __activemask();
    ok = (mask >> lane & 1) && (mask & ~0x49249249u) == 0;
  } else {
    unsigned mask = __activemask();
    ok = (mask >> lane & 1) && (mask & 0x49249249u) == 0;
    ok *= 2;
  }
  out[thread_number()] = ok;
}

__constant__ unsigned table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ float scale = 1.5f;
__device__ unsigned counter = 40;
__device__ double weights[3] = {0.5, -2.1, 1e3};
__device__ unsigned char bytes[5] = {1, 2, 3, 254, 255};
__device__ unsigned *const where[2] = {&counter, (unsigned *)&weights[1]};
__device__ unsigned zeroed[32];

// Variables of the module, with and without initialisers, one of them an array of addresses.
extern "C" __global__ void module_vars(unsigned *out) {
  unsigned t = threadIdx.x;
  zeroed[t] += t + table[t % 8];
  if (t == 0) atomicAdd(&counter, 2);
  __syncthreads();
  double w = weights[t % 3] * 4.0 + (double)(scale * (float)t);
  unsigned at = *(volatile unsigned *)where[t / 16];
  out[t] = zeroed[t] * 1000 + (unsigned)(int)w + bytes[t % 5] + at;
}

// Shared memory whose size the launch gives, cut into three arrays.
extern "C" __global__ void dynamic_shared(unsigned *out, unsigned n) {
  extern __shared__ unsigned char pool[];
  unsigned long long *wide = (unsigned long long *)pool;
  unsigned *words = (unsigned *)(wide + n);
  unsigned char *small = (unsigned char *)(words + n);
  unsigned t = threadIdx.x;
  wide[t] = (unsigned long long)t << 32 | (t ^ 0xff);
  words[n - 1 - t] = t * t;
  small[t] = (unsigned char)(t * 7);
  __syncthreads();
  unsigned u = (t + 33) % n;
  out[thread_number()] = (unsigned)(wide[u] >> 32) + (unsigned)wide[u] * 3 + words[u] + small[u];
}

// Loads and stores of vectors, and of narrow types with their extension.
extern "C" __global__ void vectors(const float4 *f, const uchar4 *b, const short2 *s,
                                   const signed char *c, float4 *g, uint2 *out) {
  unsigned id = thread_number();
  float4 v = f[id];
  g[id] = make_float4(v.w, v.z + v.x, v.y * 0.5f, -v.x);
  uchar4 u = b[id];
  short2 w = s[id];
  out[id] = make_uint2(u.x + u.y * 256u + u.z * 65536u + u.w * 16777216u + (unsigned)w.x,
                       (unsigned)(w.y * c[id]));
}

// Clocks never run backwards; nothing else of them can be told in advance.
extern "C" __global__ void clocks(unsigned *out) {
  long long a = clock64();
  unsigned t0 = clock();
  __nanosleep(20);
  unsigned t1 = clock();
  long long b = clock64();
  unsigned long long g0, g1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0)::"memory");
  __syncthreads();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1)::"memory");
  out[thread_number()] = (b >= a) + 2 * (t1 - t0 < 0x80000000u) + 4 * (g1 >= g0);
}

// Threads that leave before a barrier no longer count for it.
extern "C" __global__ void early_exit(unsigned *out) {
  __shared__ unsigned box[96];
  unsigned t = threadIdx.x;
  if (t >= 96) return;
  box[t] = t * 3;
  __syncthreads();
  out[blockIdx.x * 96 + t] = box[95 - t];
}

// Special registers in three dimensions.
extern "C" __global__ void dimensions(unsigned *out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned lane, lower;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
      (blockIdx.x | blockIdx.y << 2 | blockIdx.z << 4 | threadIdx.x << 6 | threadIdx.y << 10 |
       threadIdx.z << 13) +
      (lane << 16) + (__popc(lower) << 24);
}
