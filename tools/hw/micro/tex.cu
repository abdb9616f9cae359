// Cycles that an SM takes per texture read of a warp that hits the L1, and how long one takes, by
// the texels of its lanes, how they lie in memory, and what they are.
//
//   tex_rate      One block of 1 to 32 warps; each warp has 4 independent reads in flight, 4 rows
//                 apart. With many warps the figure is the rate of the narrowest stage.
//   tex_latency   One warp; the coordinates of a read are those before it and what it read, 0.
//
// memory=linear is a texture of one dimension over a buffer (tex1Dfetch), rows a 2D texture over
// one, array a 2D texture over an array, whose order is the GPU's; filter=linear reads four texels
// for each lane, halfway between them. Patterns: same, one texel for all lanes; row and column, 32
// texels; tile, 8 by 4; lines n: 32 / n lanes side by side in each of n rows; random, texels of 32
// rows of a line each.
#include "micro.cuh"

enum { AHEAD = 4, WARM = 4, LOOPS = 128, ROWS = 64, STEPS = 64 };
enum { LINEAR, PITCHED, ARRAY };

template <class T> static __device__ __forceinline__ unsigned bits_of(T v);
template <> __device__ __forceinline__ unsigned bits_of(float v) {
  return __float_as_uint(v);
}
template <> __device__ __forceinline__ unsigned bits_of(unsigned char v) {
  return v;
}
template <> __device__ __forceinline__ unsigned bits_of(float4 v) {
  return __float_as_uint(v.x) ^ __float_as_uint(v.y) ^ __float_as_uint(v.z) ^ __float_as_uint(v.w);
}

template <class T, bool IS_1D>
static __device__ __forceinline__ unsigned texel(cudaTextureObject_t t, int width, float x,
                                                 float y) {
  if (IS_1D) return bits_of(tex1Dfetch<T>(t, (int)x + width * (int)y));
  return bits_of(tex2D<T>(t, x, y));
}

template <class T, bool IS_1D>
static __device__ __forceinline__ unsigned all_ahead(cudaTextureObject_t t, int width, float x,
                                                     float y) {
  unsigned v[AHEAD], all = 0;
#pragma unroll
  for (int j = 0; j < AHEAD; j++)
    v[j] = texel<T, IS_1D>(t, width, x, y + 4 * j);
#pragma unroll
  for (int j = 0; j < AHEAD; j++)
    all ^= v[j];
  return all;
}

// zero is 0. Without it the coordinates would be known to be those of the iteration before.
template <class T, bool IS_1D>
__global__ void reads(cudaTextureObject_t t, int width, float zero, const float2 *at,
                      unsigned *sink, u64 *times) {
  float2 a = at[threadIdx.x % 32];
  unsigned x = 0;
  for (int n = 0; n < WARM; n++, a.x += zero)
    x ^= all_ahead<T, IS_1D>(t, width, a.x, a.y);
  wait_for32(x);
  __syncthreads();
  u64 t0 = clock64v();
#pragma unroll 1
  for (int n = 0; n < LOOPS; n++, a.x += zero)
    x ^= all_ahead<T, IS_1D>(t, width, a.x, a.y);
  wait_for32(x);
  u64 t1 = clock64v();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = t0, times[threadIdx.x / 16 + 1] = t1;
  sink[threadIdx.x] = x;
}

template <class T, bool IS_1D>
__global__ void read_chain(cudaTextureObject_t t, int width, const float2 *at, unsigned *sink,
                           u64 *times) {
  float2 a = at[threadIdx.x % 32];
  u64 t0 = 0, t1;
  for (int round = 0; round < 2; round++) { // the first fills the L1
    t0 = clock64v();
#pragma unroll 1
    for (int n = 0; n < STEPS; n++)
      a.x += __uint_as_float(texel<T, IS_1D>(t, width, a.x, a.y));
    wait_for32(__float_as_uint(a.x));
    t1 = clock64v();
  }
  if (threadIdx.x == 0) times[0] = t0, times[1] = t1;
  sink[threadIdx.x] = __float_as_uint(a.x);
}

struct pattern {
  std::string name;
  std::vector<float2> at;
};

// Texels of a row are 128 bytes, or 32 texels if that is more.
static std::vector<pattern> patterns(unsigned width) {
  std::vector<pattern> v;
  auto add = [&](const std::string &name, auto of) {
    pattern p{name, {}};
    for (unsigned lane = 0; lane < 32; lane++)
      p.at.push_back(of(lane));
    v.push_back(p);
  };
  auto at = [](unsigned x, unsigned y) { return make_float2((float)x, (float)y); };
  add("pattern=same", [=](unsigned) { return at(0, 0); });
  add("pattern=row", [=](unsigned i) { return at(i, 0); });
  add("pattern=tile", [=](unsigned i) { return at(i % 8, i / 8); });
  add("pattern=column", [=](unsigned i) { return at(0, i); });
  for (unsigned n : {2, 4, 8, 16})
    add(par("pattern=lines n=%u", n), [=](unsigned i) { return at(i % (32 / n), i / (32 / n)); });
  for (unsigned seed = 1; seed <= 3; seed++) {
    std::mt19937 r(seed);
    add(par("pattern=random seed=%u", seed), [&](unsigned) {
      unsigned x = r() % width;
      return at(x, r() % 32);
    });
  }
  return v;
}

struct texture {
  memory buffer;
  cudaArray_t array = nullptr;
  cudaTextureObject_t object = 0;
  template <class T>
  texture(T, int kind, unsigned width, bool filters) : buffer((size_t)ROWS * 512 * sizeof(T)) {
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    buffer.clear();
    if (kind == LINEAR) {
      from.resType = cudaResourceTypeLinear;
      from.res.linear = {(void *)buffer.at, format, (size_t)ROWS * width * sizeof(T)};
    } else if (kind == PITCHED) {
      from.resType = cudaResourceTypePitch2D;
      from.res.pitch2D = {(void *)buffer.at, format, width, ROWS, width * sizeof(T)};
    } else {
      CU(cudaMallocArray(&array, &format, width, ROWS));
      CU(cudaMemcpy2DToArray(array, 0, 0, (void *)buffer.at, width * sizeof(T), width * sizeof(T),
                             ROWS, cudaMemcpyDeviceToDevice));
      from.resType = cudaResourceTypeArray;
      from.res.array.array = array;
    }
    how.readMode = cudaReadModeElementType;
    how.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    CU(cudaCreateTextureObject(&object, &from, &how, nullptr));
  }
  texture(const texture &) = delete;
  ~texture() {
    cudaDestroyTextureObject(object);
    if (array) cudaFreeArray(array);
  }
};

// A lane reads the middle of its texel, or with a filter the corner of four.
static void put_places(const memory &at, const pattern &p, bool filters) {
  std::vector<float2> v = p.at;
  for (auto &a : v)
    a.x += filters ? 1 : 0.5f, a.y += filters ? 1 : 0.5f;
  at.put(v);
}

template <class T, bool IS_1D>
static void rate(const std::string &params, const texture &t, unsigned width, const memory &at) {
  static memory *sink = new memory(4096), *times = new memory(1024);
  for (int warps : {1, 4, 8, 16, 32}) {
    std::vector<double> cyc;
    for (int r = 0; r < REPS; r++) {
      reads<T, IS_1D><<<1, 32 * warps>>>(t.object, (int)width, 0, at.as<float2>(),
                                         sink->as<unsigned>(), times->as<u64>());
      done();
      auto v = times->get<u64>(2 * (size_t)warps);
      u64 begin = v[0], end = v[1];
      for (size_t i = 0; i < v.size(); i += 2)
        begin = std::min(begin, v[i]), end = std::max(end, v[i + 1]);
      cyc.push_back((double)(end - begin) / (LOOPS * AHEAD * warps));
    }
    rows(par("warps=%d ", warps) + params, "cyc_per_read", cyc);
  }
}

template <class T, bool IS_1D>
static void latency(const std::string &params, const texture &t, unsigned width, const memory &at) {
  static memory *sink = new memory(4096), *times = new memory(1024);
  std::vector<double> cyc;
  for (int r = 0; r < REPS; r++) {
    read_chain<T, IS_1D>
        <<<1, 32>>>(t.object, (int)width, at.as<float2>(), sink->as<unsigned>(), times->as<u64>());
    done();
    auto v = times->get<u64>(2);
    cyc.push_back((double)(v[1] - v[0]) / STEPS);
  }
  rows(params, "cyc", cyc);
}

template <class T, bool IS_1D>
static void all_patterns(const char *type, const char *memory_name, int kind, bool filters,
                         bool is_rate) {
  unsigned width = std::max<unsigned>(32, 128 / sizeof(T));
  texture t(T(), kind, width, filters);
  memory at(32 * sizeof(float2));
  for (auto &p : patterns(width)) {
    std::string params =
        par("memory=%s type=%s filter=%s ", memory_name, type, filters ? "linear" : "point") +
        p.name;
    put_places(at, p, filters);
    if (is_rate)
      rate<T, IS_1D>(params, t, width, at);
    else
      latency<T, IS_1D>(params, t, width, at);
  }
}

template <class T> static void all_of(const char *type, bool may_filter, bool is_rate) {
  all_patterns<T, true>(type, "linear", LINEAR, false, is_rate);
  all_patterns<T, false>(type, "rows", PITCHED, false, is_rate);
  all_patterns<T, false>(type, "array", ARRAY, false, is_rate);
  if (may_filter) all_patterns<T, false>(type, "array", ARRAY, true, is_rate);
}

static void all_types(bool is_rate) {
  all_of<unsigned char>("u8", false, is_rate);
  all_of<float>("f32", true, is_rate);
  all_of<float4>("f32x4", true, is_rate);
}

static void tex_rate() {
  all_types(true);
}

static void tex_latency() {
  all_types(false);
}

int main(int argc, char **argv) {
  static const benchmark table[] = {{"tex_rate", tex_rate}, {"tex_latency", tex_latency}};
  return run_main(argc, argv, table);
}
