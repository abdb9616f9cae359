// What an H200 does with accesses outside of allocations. One measurement per process: an error is
// sticky.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#define OK(c)                                                                                      \
  do {                                                                                             \
    cudaError_t e_ = (c);                                                                          \
    if (e_) {                                                                                      \
      printf("! %s: %s\n", #c, cudaGetErrorName(e_));                                              \
      fflush(stdout);                                                                              \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)
#define CU(c)                                                                                      \
  do {                                                                                             \
    CUresult e_ = (c);                                                                             \
    if (e_) {                                                                                      \
      printf("! %s: %d\n", #c, (int)e_);                                                           \
      fflush(stdout);                                                                              \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

__device__ int dev_small = 7;
__device__ int dev_array[100];
__constant__ int con_small[4] = {1, 2, 3, 4};
__device__ unsigned out_value;

__global__ void touch1(uint64_t a, int op) {
  volatile unsigned char *p = (volatile unsigned char *)a;
  unsigned char v = *p;
  if (op) *p = v;
  out_value = v;
}
__global__ void touch4(uint64_t a, int op) {
  volatile unsigned *p = (volatile unsigned *)a;
  unsigned v = op == 2 ? 0 : *p;
  if (op == 1) *p = v;
  if (op == 2) *p = 0x11223344u;
  if (op == 3) v = atomicAdd((unsigned *)a, 1u);
  out_value = v;
}
__global__ void fill(unsigned char *p, size_t n, int v) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    p[i] = (unsigned char)v;
}
__global__ void wide(uint64_t a) { // 16 bytes
  unsigned x, y, z, w;
  asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "l"(a));
  out_value = x ^ y ^ z ^ w;
}
__global__ void shared_at(unsigned off, int op) { // static shared of 4 bytes
  __shared__ int x[1];
  if (threadIdx.x == 0) x[0] = 5;
  unsigned b, v = 0;
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(b) : "l"(x));
  if (op == 0) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(b + off));
  if (op == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(b + off), "r"(v));
  if (op == 2) v = *(volatile unsigned *)((volatile char *)x + off);
  out_value = v;
}
extern __shared__ int dyn[];
__global__ void dynamic_at(unsigned off, int op) {
  if (threadIdx.x == 0) dyn[0] = 5;
  unsigned v = 0;
  if (op == 0)
    asm volatile("ld.volatile.shared.u32 %0, [%1];"
                 : "=r"(v)
                 : "r"((unsigned)__cvta_generic_to_shared(dyn) + off));
  if (op == 1)
    asm volatile(
        "st.volatile.shared.u32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(dyn) + off),
        "r"(v));
  if (op == 2) v = *(volatile unsigned *)((volatile char *)dyn + off);
  out_value = v;
}
__global__ void local_at(long off, int op, int k) {
  volatile int x[64];
  for (int i = 0; i < 64; i++)
    x[(i + k) & 63] = i;
  volatile char *p = (volatile char *)x;
  unsigned v = 0;
  if (op == 0) v = *(volatile unsigned *)(p + off);
  if (op == 1) *(volatile unsigned *)(p + off) = 3;
  if (op == 2) {
    uint64_t l = __cvta_generic_to_local((void *)x);
    asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "l"(l + off));
  }
  if (op == 3) v = (unsigned)__cvta_generic_to_local((void *)x);
  out_value = v + x[k & 63];
}
__global__ void const_at(long i) {
  out_value = con_small[i];
}
__global__ void tex_at(cudaTextureObject_t t, int i) {
  out_value = tex1Dfetch<unsigned>(t, i);
}
__global__ void async_at(uint64_t a) {
  __shared__ alignas(16) int x[4];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(x)),
               "l"(a)
               : "memory");
  out_value = x[0] ^ x[1] ^ x[2] ^ x[3];
}

static unsigned value() {
  unsigned v = 0;
  cudaMemcpyFromSymbol(&v, out_value, 4);
  return v;
}
static const char *sync_name() {
  cudaError_t e = cudaDeviceSynchronize();
  return cudaGetErrorName(e);
}

static CUmemAllocationProp on_device() {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return prop;
}
// `n` bytes of memory `at` bytes into a range of addresses, which nobody may access yet
static CUdeviceptr map_pages(size_t range, size_t at, size_t n) {
  CUmemAllocationProp prop = on_device();
  CUdeviceptr a;
  CUmemGenericAllocationHandle h;
  CU(cuMemAddressReserve(&a, range, 0, 0, 0));
  CU(cuMemCreate(&h, n, &prop, 0));
  CU(cuMemMap(a + at, n, 0, h, 0));
  return a + at;
}
static CUresult allow(CUdeviceptr a, size_t n, CUmemAccess_flags flags) {
  CUmemAccessDesc d = {};
  d.location = on_device().location;
  d.flags = flags;
  return cuMemSetAccess(a, n, &d, 1);
}

static uint64_t make(const std::string &kind, size_t n) {
  void *p = nullptr;
  size_t pitch;
  if (kind == "malloc")
    OK(cudaMalloc(&p, n));
  else if (kind == "managed")
    OK(cudaMallocManaged(&p, n));
  else if (kind == "managed_dev") {
    OK(cudaMallocManaged(&p, n));
    fill<<<8, 256>>>((unsigned char *)p, n, 1);
    OK(cudaDeviceSynchronize());
  } else if (kind == "host")
    OK(cudaMallocHost(&p, n));
  else if (kind == "mapped")
    OK(cudaHostAlloc(&p, n, cudaHostAllocMapped));
  else if (kind == "wc")
    OK(cudaHostAlloc(&p, n, cudaHostAllocWriteCombined | cudaHostAllocMapped));
  else if (kind == "async") {
    OK(cudaMallocAsync(&p, n, 0));
    OK(cudaDeviceSynchronize());
  } else if (kind == "pitch")
    OK(cudaMallocPitch(&p, &pitch, n, 3));
  else if (kind == "registered") { // in the middle of 64 pages, after a page and 100 bytes
    char *m = (char *)mmap(nullptr, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0);
    memset(m, 9, 64 * 4096);
    p = m + 16 * 4096 + 128;
    OK(cudaHostRegister(p, n, cudaHostRegisterMapped));
    void *d;
    OK(cudaHostGetDevicePointer(&d, p, 0));
    if (d != p) printf("# device pointer differs\n");
    p = d;
  } else if (kind == "symbol")
    OK(cudaGetSymbolAddress(&p, dev_small));
  else if (kind == "symarray")
    OK(cudaGetSymbolAddress(&p, dev_array));
  else if (kind == "consym")
    OK(cudaGetSymbolAddress(&p, con_small));
  else if (kind == "vmm") {
    size_t g, gr;
    CUmemAllocationProp prop = on_device();
    CU(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU(cuMemGetAllocationGranularity(&gr, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    printf("# vmm granularity %zu recommended %zu\n", g, gr);
    CUdeviceptr a = map_pages(16 * g, 4 * g, g);
    CU(allow(a, g, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    p = (void *)a;
  } else if (kind == "second") {
    for (int i = 0; i < 4; i++)
      OK(cudaMalloc(&p, 700000)); // in the second chunk
  } else if (kind == "second_large") {
    void *q;
    OK(cudaMalloc(&q, 8 << 20));
    OK(cudaMalloc(&p, n));
    OK(cudaMalloc(&q, 8 << 20));
    printf("# next at %+lld\n", (long long)((char *)q - (char *)p));
  } else if (kind == "second_huge") {
    void *q;
    OK(cudaMalloc(&q, 64 << 20));
    OK(cudaMalloc(&p, n));
    OK(cudaMalloc(&q, 64 << 20));
    printf("# next at %+lld\n", (long long)((char *)q - (char *)p));
  } else if (kind == "array") {
    cudaArray_t ar;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&ar, &d, 64, 64));
    OK(cudaMalloc(&p, n));
  } else {
    printf("! kind\n");
    exit(1);
  }
  return (uint64_t)p;
}

// walk KIND SIZE + 0|1 : step outwards until it fails
static void walk(const std::string &kind, size_t n, char dir, int op) {
  uint64_t p = make(kind, n), end = p + n;
  touch1<<<1, 1>>>(p, op);
  OK(cudaDeviceSynchronize());
  uint64_t zero = 0, other = 0, steps = 0, last_ok = 0;
  const uint64_t cap = 160ull << 20;
  uint64_t at = dir == '+' ? end : p - 1;
  const char *err = "none";
  for (;;) {
    uint64_t dist = dir == '+' ? at - end : p - 1 - at;
    if (dist > cap) break;
    touch1<<<1, 1>>>(at, op);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
      err = cudaGetErrorName(e);
      break;
    }
    last_ok = dist + 1;
    steps++;
    if (steps <= 64 || steps % 64 == 0) {
      if (value())
        other++;
      else
        zero++;
    }
    if (dir == '+') {
      if (dist < 64)
        at++;
      else {
        uint64_t unit = dist < (4 << 20) ? 512 : 65536;
        at = (at / unit + 1) * unit;
      }
    } else {
      if (dist < 64)
        at--;
      else {
        uint64_t unit = dist < (4 << 20) ? 512 : 65536;
        at = at / unit * unit - 1;
      }
    }
  }
  uint64_t dist = dir == '+' ? at - end : p - 1 - at;
  printf("walk %s %zu %c%d: start %% 2M = %#llx, %% 32M = %#llx; good to distance %llu, first bad "
         "at %llu (address %% 2M = %#llx), %s; read zero %llu other %llu\n",
         kind.c_str(), n, dir, op, (unsigned long long)(p % (2 << 20)),
         (unsigned long long)(p % (32 << 20)), (unsigned long long)last_ok,
         (unsigned long long)dist, (unsigned long long)((dir == '+' ? at : at + 1) % (2 << 20)),
         err, (unsigned long long)zero, (unsigned long long)other);
}

static void layout(const char *what) {
  uint64_t a[64];
  std::string w = what;
  auto show = [&](int n) {
    printf("layout %s: first %% 2M = %#llx;", what, (unsigned long long)(a[0] % (2 << 20)));
    for (int i = 1; i < n; i++)
      printf(" %+lld", (long long)(a[i] - a[i - 1]));
    printf("\n");
  };
  if (w == "mix") {
    size_t s[] = {1, 512,     513, 1024,          4000, 100000,   1, 1 << 20, 1,      (1 << 20) + 1,
                  1, 2 << 20, 1,   (2 << 20) + 1, 1,    64 << 20, 1, 300000,  700000, 1};
    int n = sizeof s / sizeof *s;
    printf("layout mix sizes:");
    for (int i = 0; i < n; i++)
      printf(" %zu", s[i]);
    printf("\n");
    for (int i = 0; i < n; i++)
      a[i] = make("malloc", s[i]);
    show(n);
  } else if (w == "reuse") {
    for (int i = 0; i < 8; i++)
      a[i] = make("malloc", 1000);
    uint64_t base = a[0];
    cudaFree((void *)a[2]);
    cudaFree((void *)a[5]);
    cudaFree((void *)a[4]);
    uint64_t x = make("malloc", 1000), y = make("malloc", 2500), z = make("malloc", 100),
             u = make("malloc", 100);
    printf("layout reuse: 8 x 1000 B, freed 2, 5, 4; then 1000 at %+lld, 2500 at %+lld, 100 at "
           "%+lld, 100 at %+lld (of the first); ",
           (long long)(x - base), (long long)(y - base), (long long)(z - base),
           (long long)(u - base));
    printf("order of the eight:");
    for (int i = 1; i < 8; i++)
      printf(" %+lld", (long long)(a[i] - a[i - 1]));
    printf("\n");
  } else if (w == "small_chunk") { // how many of 100000 B until a new chunk
    for (int i = 0; i < 60; i++)
      a[i] = make("malloc", 100000);
    show(60);
  } else if (w == "async") {
    size_t s[] = {1,      1,        512,           513,     4000,
                  100000, 1 << 20,  (1 << 20) + 1, 2 << 20, (2 << 20) + 1,
                  1,      20 << 20, 40 << 20,      1};
    for (int i = 0; i < 14; i++)
      a[i] = make("async", s[i]);
    show(14);
  } else if (w == "managed") {
    size_t s[] = {1, 1, 512, 513, 4096, 4097, 70000, 1 << 20, 2 << 20, (2 << 20) + 1, 1};
    for (int i = 0; i < 11; i++)
      a[i] = make("managed", s[i]);
    show(11);
  } else if (w == "host") {
    size_t s[] = {1, 1, 512, 513, 4096, 4097, 70000, 1 << 20, 2 << 20, (2 << 20) + 1, 1};
    for (int i = 0; i < 11; i++)
      a[i] = make("host", s[i]);
    show(11);
  } else {
    size_t n = strtoull(what, 0, 0);
    for (int i = 0; i < 24; i++)
      a[i] = make("malloc", n);
    show(24);
  }
}

static void try_read(const char *label, uint64_t a, int op = 0) {
  touch4<<<1, 1>>>(a, op);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("%s: %s\n", label, cudaGetErrorName(e));
    fflush(stdout);
    _exit(0);
  }
  printf("%s: %#x\n", label, value());
}

static void freed(const std::string &w) {
  printf("freed %s\n", w.c_str());
  if (w == "small") { // another allocation lives in the chunk
    uint64_t a = make("malloc", 1000), b = make("malloc", 1000), c = make("malloc", 1000);
    fill<<<1, 256>>>((unsigned char *)b, 1000, 0x5a);
    OK(cudaDeviceSynchronize());
    OK(cudaFree((void *)b));
    try_read("read after free, others live", b);
    try_read("write after free", b, 2);
    try_read("read again", b);
    uint64_t d = make("malloc", 1000);
    printf("next malloc: %+lld\n", (long long)(d - b));
    try_read("fresh", d);
    try_read("fresh + 4", d + 4);
    (void)a;
    (void)c;
  } else if (w == "last") { // the only one of the chunk
    uint64_t b = make("malloc", 1000);
    fill<<<1, 256>>>((unsigned char *)b, 1000, 0x5a);
    OK(cudaDeviceSynchronize());
    OK(cudaFree((void *)b));
    try_read("read after free, none left", b);
    uint64_t d = make("malloc", 1000);
    printf("next malloc: %+lld\n", (long long)(d - b));
    try_read("fresh", d);
  } else if (w == "large") {
    uint64_t keep = make("malloc", 1000), b = make("malloc", 8 << 20);
    (void)keep;
    fill<<<1, 256>>>((unsigned char *)b, 8 << 20, 0x5a);
    OK(cudaDeviceSynchronize());
    OK(cudaFree((void *)b));
    try_read("read after free of 8 MB", b);
  } else if (w == "large_reuse") {
    uint64_t b = make("malloc", 8 << 20);
    fill<<<1, 256>>>((unsigned char *)b, 8 << 20, 0x5a);
    OK(cudaDeviceSynchronize());
    OK(cudaFree((void *)b));
    uint64_t d = make("malloc", 8 << 20);
    printf("next malloc: %+lld\n", (long long)(d - b));
    try_read("fresh", d);
    try_read("fresh 4M", d + (4 << 20));
  } else if (w == "mid") { // exactly 1 MB and a bit more
    uint64_t keep = make("malloc", 1000), b = make("malloc", 1 << 20);
    (void)keep;
    OK(cudaFree((void *)b));
    try_read("read after free of 1 MB", b);
  } else if (w == "twomb") {
    uint64_t keep = make("malloc", 1000), b = make("malloc", 2 << 20);
    (void)keep;
    OK(cudaFree((void *)b));
    try_read("read after free of 2 MB", b);
  } else if (w == "async") {
    uint64_t a = make("async", 1000), b = make("async", 1000);
    (void)a;
    fill<<<1, 256>>>((unsigned char *)b, 1000, 0x5a);
    OK(cudaFreeAsync((void *)b, 0));
    touch4<<<1, 1>>>(b, 0);
    OK(cudaDeviceSynchronize());
    printf("before a sync: %#x\n", value());
    try_read("after a sync, another lives", b);
    OK(cudaFreeAsync((void *)a, 0));
    OK(cudaDeviceSynchronize());
    try_read("after a sync, none lives", b);
  } else if (w == "managed") {
    uint64_t a = make("managed_dev", 1000), b = make("managed_dev", 1000);
    (void)a;
    OK(cudaFree((void *)b));
    try_read("managed after free, another lives", b);
  } else if (w == "host") {
    uint64_t a = make("host", 1000), b = make("host", 1000);
    memset((void *)b, 0x5a, 1000);
    (void)a;
    OK(cudaFreeHost((void *)b));
    try_read("pinned after free, another lives", b);
  } else if (w == "registered") {
    uint64_t b = make("registered", 1000);
    OK(cudaHostUnregister((void *)b));
    try_read("registered after unregister", b);
  }
}

static void show(const char *label, uint64_t a, int op) {
  touch4<<<1, 1>>>(a, op);
  printf("%s: %s\n", label, sync_name());
}

static void stray_slack(uint64_t a, uint64_t b) {
  printf("b - a = %lld\n", (long long)(b - a));
  try_read("a + 400", a + 400);
  try_read("write a + 400", a + 400, 2);
  try_read("a + 400 again", a + 400);
  try_read("a + 512 is b", a + 512);
  try_read("write a + 512", a + 512, 2);
  try_read("b is", b);
  try_read("atomic a + 404", a + 404, 3);
  try_read("a + 404", a + 404);
  wide<<<1, 1>>>(a + 400);
  printf("16 bytes at a + 400: %s\n", sync_name());
  wide<<<1, 1>>>(a + 384);
  printf("16 bytes at a + 384 (inside): %s\n", sync_name());
  async_at<<<1, 1>>>(a + 400);
  printf("cp.async at a + 400: %s\n", sync_name());
  try_read("a - 4", a - 4);
  try_read("b - 4", b - 4);
}

// memory of the host that the driver was not told of
static void stray_host(const std::string &w) {
  int on_stack = 78, *p = w == "stack" ? &on_stack : (int *)malloc(4096);
  if (w != "stack") *p = 77;
  touch4<<<1, 1>>>((uint64_t)p, w == "heap_w" ? 2 : 0);
  const char *e = sync_name();
  if (w == "heap_w")
    printf("write of the host's malloc: %s %#x\n", e, *p);
  else
    printf("the host's %s: %s %u\n", w == "stack" ? "stack" : "malloc", e, value());
}

static void stray_constant() {
  void *p;
  OK(cudaGetSymbolAddress(&p, con_small));
  touch4<<<1, 1>>>((uint64_t)p, 2);
  const char *e = sync_name();
  int x = 0;
  cudaMemcpyFromSymbol(&x, con_small, 4);
  printf("write of constant memory by its address: %s %#x\n", e, x);
}

static void show_texel(const char *label, cudaTextureObject_t o, int i) {
  tex_at<<<1, 1>>>(o, i);
  const char *e = sync_name();
  printf("%s: %s %#x\n", label, e, value());
}
static cudaError_t make_texture(uint64_t a, size_t n, cudaTextureObject_t *o) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = (void *)a;
  r.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  r.res.linear.sizeInBytes = n;
  cudaTextureDesc t = {};
  return cudaCreateTextureObject(o, &r, &t, 0);
}
static void stray_texture(uint64_t a) {
  cudaTextureObject_t o;
  OK(make_texture(a, 400, &o));
  show_texel("texel 99", o, 99);
  show_texel("texel 100 of 100", o, 100);
  show_texel("texel 128", o, 128);
  show_texel("texel -1", o, -1);
  show_texel("texel 2^27", o, 1 << 27);
  printf("a texture of 1024 bytes over 400: %s\n", cudaGetErrorName(make_texture(a, 1024, &o)));
  show_texel("texel 128 of it", o, 128);
  printf("a texture of 64 MB over 400: %s\n", cudaGetErrorName(make_texture(a, 64 << 20, &o)));
  show_texel("texel at 32 MB", o, 8 << 20);
}

static void stray_mapped(bool may_read) {
  CUdeviceptr v = map_pages(4 << 20, 0, 2 << 20);
  if (!may_read) {
    try_read("mapped without access", v);
    return;
  }
  CUresult r = allow(v, 2 << 20, CU_MEM_ACCESS_FLAGS_PROT_READ);
  printf("read-only access: %d\n", r);
  if (r == 0) {
    try_read("read of it", v);
    try_read("write of it", v, 2);
  }
}

static void stray(const std::string &w) {
  printf("stray %s\n", w.c_str());
  uint64_t a = make("malloc", 400), b = make("malloc", 400), big = make("malloc", 2 << 20);
  make("host", 64);
  fill<<<1, 256>>>((unsigned char *)a, 400, 0x11);
  fill<<<1, 256>>>((unsigned char *)b, 400, 0x22);
  OK(cudaDeviceSynchronize());
  const struct {
    const char *name, *label;
    uint64_t address;
    int op;
  } places[] = {{"misaligned", "misaligned past the end", a + 401, 0},
                {"misaligned_far", "misaligned and unmapped", big + (64ull << 30) + 1, 0},
                {"null", "address 0", 0, 0},
                {"null4", "address 4096", 4096, 0},
                {"null_w", "write of address 0", 0, 2},
                {"mb", "address 1 MB", 1 << 20, 0},
                {"gb", "address 1 GB", 1 << 30, 0},
                {"huge", "address 2^60", 1ull << 60, 0}};
  for (const auto &p : places)
    if (w == p.name) show(p.label, p.address, p.op);
  if (w == "slack") stray_slack(a, b);
  if (w == "heap" || w == "heap_w" || w == "stack") stray_host(w);
  if (w == "consym_w") stray_constant();
  if (w == "tex") stray_texture(a);
  if (w == "vmm_ro" || w == "vmm_none") stray_mapped(w == "vmm_ro");
}

// shared KIND(static|DYNBYTES) OP : first offset that fails
static void shared(const char *kind, int op) {
  bool is_static = !strcmp(kind, "static");
  unsigned n = is_static ? 0 : (unsigned)strtoul(kind, 0, 0);
  if (n > 48 << 10)
    OK(cudaFuncSetAttribute(dynamic_at, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)n));
  uint64_t zero = 0, other = 0;
  unsigned off = 0;
  const char *err = "none";
  for (; off < 300 << 10; off += off < 8192 ? 4 : 64) {
    if (is_static)
      shared_at<<<1, 32>>>(off, op);
    else
      dynamic_at<<<1, 32, n>>>(off, op);
    cudaError_t e = cudaDeviceSynchronize();
    if (e) {
      err = cudaGetErrorName(e);
      break;
    }
    if (off % 256 == 0) {
      if (value())
        other++;
      else
        zero++;
    }
  }
  printf("shared %s op %d: first bad offset %u, %s; zero %llu other %llu\n", kind, op, off, err,
         (unsigned long long)zero, (unsigned long long)other);
}
static void shared_neg(int op,
                       unsigned off) { // before its start: the first kilobyte is the system's
  dynamic_at<<<1, 32, 1024>>>(0u - off, op);
  const char *e = sync_name();
  printf("shared -%u op %d: %s %#x\n", off, op, e, value());
}
static void local(int op, long off) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, local_at);
  local_at<<<1, 1>>>(off, op, 5);
  cudaError_t e = cudaDeviceSynchronize();
  printf("local op %d offset %ld: %s value %#x (frame of %zu bytes)\n", op, off,
         cudaGetErrorName(e), e ? 0 : value(), a.localSizeBytes);
}
static void constant(long i) {
  const_at<<<1, 1>>>(i);
  cudaError_t e = cudaDeviceSynchronize();
  printf("constant byte offset %ld: %s value %#x\n", 4 * i, cudaGetErrorName(e), e ? 0 : value());
}
static void copies() {
  uint64_t a = make("malloc", 400), b = make("malloc", 400), big = make("malloc", 3 << 20),
           mg = make("managed", 400), ho = make("host", 400), as = make("async", 400);
  static char host[8 << 20];
#define S(c) printf("%s: %s\n", #c, cudaGetErrorName(c)), cudaGetLastError()
#define P(x) (void *)(x)
  printf("b - a = %lld\n", (long long)(b - a));
  S(cudaMemcpy(host, P(a), 401, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(a), 512, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(a), 513, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(a), 912, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(a), 4 << 20, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(P(a), host, 401, cudaMemcpyHostToDevice));
  S(cudaMemcpy(P(a), host, 912, cudaMemcpyHostToDevice));
  S(cudaMemcpy(P(a), P(b), 401, cudaMemcpyDeviceToDevice));
  S(cudaMemcpyAsync(host, P(a), 401, cudaMemcpyDeviceToHost, 0));
  S(cudaMemcpyAsync(P(a), P(big), 401, cudaMemcpyDeviceToDevice, 0));
  S(cudaDeviceSynchronize());
  S(cudaMemcpy(host, P(a + 400), 4, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(a - 4), 4, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(P(a + 400), host, 4, cudaMemcpyHostToDevice));
  S(cudaMemcpy(P(a + 400), P(b), 4, cudaMemcpyDeviceToDevice));
  S(cudaMemset(P(a), 0, 401));
  S(cudaMemset(P(a), 0, 512));
  S(cudaMemset(P(a), 0, 513));
  S(cudaMemset(P(a + 400), 0, 4));
  S(cudaMemsetAsync(P(a), 0, 401, 0));
  S(cudaDeviceSynchronize());
  S(cudaMemcpy(host, P(big), (3 << 20) + 1, cudaMemcpyDeviceToHost));
  S(cudaMemset(P(big), 0, (3 << 20) + 1));
  S(cudaMemcpy(host, P(mg), 401, cudaMemcpyDeviceToHost));
  S(cudaMemset(P(mg), 0, 401));
  S(cudaMemcpy(P(a), P(mg), 400, cudaMemcpyDefault));
  S(cudaMemcpy(P(a), P(ho), 400, cudaMemcpyHostToDevice));
  S(cudaMemcpy(P(big), P(ho), 401, cudaMemcpyHostToDevice));
  S(cudaMemset(P(ho), 0, 401));
  S(cudaMemcpy(P(ho), P(big), 401, cudaMemcpyDeviceToHost));
  S(cudaMemcpy(host, P(as), 401, cudaMemcpyDeviceToHost));
  S(cudaMemset(P(as), 0, 401));
  S(cudaMemcpy2D(host, 512, P(a), 256, 200, 2, cudaMemcpyDeviceToHost));
  S(cudaMemcpy2D(host, 512, P(a), 200, 200, 3, cudaMemcpyDeviceToHost));
  S(cudaMemset2D(P(a), 256, 0, 200, 2));
  S(cudaMemset2D(P(a), 200, 0, 200, 3));
  S((cudaError_t)cuMemcpyDtoH(host, a, 401));
  S((cudaError_t)cuMemcpyHtoD(a, host, 401));
  S((cudaError_t)cuMemsetD8(a, 0, 401));
  S((cudaError_t)cuMemsetD32(a + 400, 0, 1));
  S((cudaError_t)cuMemcpyDtoD(a, b, 401));
  S((cudaError_t)cuMemcpyDtoH(host, a + 400, 4));
  OK(cudaFree(P(b)));
  S(cudaMemcpy(host, P(b), 4, cudaMemcpyDeviceToHost));
  S(cudaMemset(P(b), 0, 4));
  char *p;
  OK(cudaMalloc(&p, 100));
  S(cudaFree(p + 4));
  S(cudaFree(p));
  S(cudaFree(p));
  cudaPointerAttributes at;
  S(cudaPointerGetAttributes(&at, P(a + 400)));
  printf("type %d\n", at.type);
  S(cudaPointerGetAttributes(&at, P(b)));
  printf("type %d\n", at.type);
  CUdeviceptr base;
  size_t n;
  printf("range of a + 4: %d", cuMemGetAddressRange(&base, &n, a + 4));
  printf(" %zu; of a + 400: %d\n", n, cuMemGetAddressRange(&base, &n, a + 400));
}

int main(int argc, char **argv) {
  alarm(18);
  setvbuf(stdout, 0, _IOLBF, 0);
  std::string m = argc > 1 ? argv[1] : "";
  OK(cudaFree(0));
  if (m == "walk")
    walk(argv[2], strtoull(argv[3], 0, 0), argv[4][0], atoi(argv[4] + 1));
  else if (m == "layout")
    layout(argv[2]);
  else if (m == "freed")
    freed(argv[2]);
  else if (m == "stray")
    stray(argv[2]);
  else if (m == "shared")
    shared(argv[2], atoi(argv[3]));
  else if (m == "sharedneg")
    shared_neg(atoi(argv[2]), atoi(argv[3]));
  else if (m == "local")
    local(atoi(argv[2]), atol(argv[3]));
  else if (m == "constant")
    constant(atol(argv[2]));
  else if (m == "copies")
    copies();
  else if (m == "props") {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int d, r;
    cudaDriverGetVersion(&d);
    cudaRuntimeGetVersion(&r);
    printf("%s driver %d runtime %d pageable %d uses host tables %d managed %d concurrent %d "
           "alignment %zu pitch %zu\n",
           p.name, d, r, p.pageableMemoryAccess, p.pageableMemoryAccessUsesHostPageTables,
           p.managedMemory, p.concurrentManagedAccess, p.textureAlignment, p.texturePitchAlignment);
    size_t f0, f1, t;
    void *q;
    cudaMemGetInfo(&f0, &t);
    cudaMalloc(&q, 1);
    cudaMemGetInfo(&f1, &t);
    printf("free after malloc(1): %+lld;", (long long)(f1 - f0));
    f0 = f1;
    cudaMalloc(&q, 1 << 20);
    cudaMemGetInfo(&f1, &t);
    printf(" malloc(1 MB): %+lld;", (long long)(f1 - f0));
    f0 = f1;
    cudaMalloc(&q, (2 << 20) + 1);
    cudaMemGetInfo(&f1, &t);
    printf(" malloc(2 MB + 1): %+lld\n", (long long)(f1 - f0));
  }
  fflush(stdout);
  _exit(0);
}
