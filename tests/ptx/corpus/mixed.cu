#include <cstdio>
#include <cassert>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__constant__ float coef[16] = {1.f,2.f,3.5f};
__constant__ int ctab[2][3] = {{1,2,3},{4,5,6}};
__device__ int counter = 7;
__device__ int *pcounter = &counter;
__device__ double darr[4] = {1.0, -2.5, 1e300};
struct S { char c; short s; int i; double d; void *p; };
__device__ S sarr[2] = {{1,2,3,4.0,&counter},{5,6,7,8.0,(char*)&counter+2}};
__managed__ int mg = 3;
__device__ __noinline__ float slow(float a, int n) { float s = 0; for (int i = 0; i < n; i++) s += sinf(a * i); return s; }
__device__ __noinline__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
struct Big { int a[10]; double d; };
__device__ __noinline__ Big mkbig(int x) { Big b; for (int i = 0; i < 10; i++) b.a[i] = x * i; b.d = x; return b; }
typedef int (*op_t)(int, int);
__device__ __noinline__ int addf(int a, int b) { return a + b; }
__device__ __noinline__ int subf(int a, int b) { return a - b; }
__device__ op_t ops[2] = {addf, subf};
template <typename T> __global__ void tmpl(T *p, T v) { p[threadIdx.x] += v; }
template __global__ void tmpl<int>(int *, int);
template __global__ void tmpl<double>(double *, double);
template __global__ void tmpl<unsigned char>(unsigned char *, unsigned char);
__global__ void structp(Big b, S s, char c, short h, long long l, float f, double d, bool q) { if (threadIdx.x == 0) counter = b.a[c] + s.i + h + (int)l + (int)f + (int)d + q; }
__global__ void __launch_bounds__(128, 4) bounds(float *a) { extern __shared__ float dyn[]; __shared__ double st[33]; dyn[threadIdx.x] = a[threadIdx.x]; st[threadIdx.x & 31] = a[0]; __syncthreads(); a[threadIdx.x] = dyn[127 - threadIdx.x] + (float)st[3]; }
__global__ void ind(int *o, int k) { o[threadIdx.x] = ops[k & 1](o[0], k); }
__global__ void sw(int *o, int k) { int r; switch (k) { case 0: r = o[1] * 3; break; case 1: r = o[5] / 7; break; case 2: r = o[2] ^ 9; break; case 3: r = o[8] + 1; break; case 4: r = __popc(o[3]); break; case 5: r = __clz(o[1]); break; case 6: r = __brev(o[4]); break; case 7: r = o[9] << 3; break; case 8: r=o[11]-o[12]; break; default: r = 0; } o[0] = r; }
__global__ void pr(int x) { printf("hello %d %f\n", x, (double)x); assert(x > 3); }
__global__ void calls(float *f, int n) { f[0] = slow(f[1], n) + fact(n); Big b = mkbig(n); f[2] = b.a[3] + b.d; f[3] = pow((double)f[4], (double)f[5]); f[6] = fmodf(f[7], f[8]); }
__global__ void half_k(__half *h, __half2 *h2) { h[0] = __hadd(h[1], h[2]); h2[0] = __hfma2(h2[1], h2[2], h2[3]); h[3] = __float2half(1.5f * __half2float(h[4])); if (__hlt(h[1],h[2])) h[5] = h[6]; }
__global__ void warp(int *o) { int v = o[threadIdx.x]; v += __shfl_xor_sync(~0u, v, 1); v += __shfl_up_sync(~0u, v, 2); unsigned m = __ballot_sync(~0u, v > 3); if (__any_sync(~0u, v)) o[1] = m; o[2] = __all_sync(~0u, v); o[3] = __activemask(); o[4] = __match_any_sync(~0u, v); int p; o[5] = __match_all_sync(~0u, v, &p); o[6] = p; __syncwarp(); o[7] = __syncthreads_or(v); o[8] = __syncthreads_count(v); o[9] = __syncthreads_and(v); }
__global__ void atoms(int *i, unsigned *u, unsigned long long *l, float *f, double *d) { atomicAdd(i, 1); i[1] = atomicMin(i, 4); i[2] = atomicMax(i, 3); i[3] = atomicExch(i, 3); i[4] = atomicCAS(i, 3, 4); u[1] = atomicInc(u, 5); u[2] = atomicDec(u, 5); u[3] = atomicAnd(u, 4); u[4] = atomicOr(u, 5); u[5] = atomicXor(u, 7); l[1] = atomicAdd(l, 3ull); f[1] = atomicAdd(f, 3.f); d[1] = atomicAdd(d, 3.0); i[5] = atomicAdd_system(i, 4); i[6] = atomicAdd_block(i, 4); i[7] = atomicCAS((unsigned short *)u, (unsigned short)3, (unsigned short)5); __threadfence(); __threadfence_block(); __threadfence_system(); }
__global__ void lds(const float *__restrict__ a, float4 *b, volatile int *v, float *o) { float4 x = b[threadIdx.x]; o[0] = __ldg(a + 3) + x.x + x.w; o[1] = __ldcg(a + 1); o[2] = __ldcs(a + 2); o[3] = __ldca(a); o[4] = __ldcv(o + 7); __stcg(o + 9, 1.f); __stwt(o + 10, 2.f); v[1] = v[0]; float loc[40]; for (int i = 0; i < 40; i++) loc[i] = a[i]; o[5] = loc[v[3]]; o[20] = __ldlu(o+3);}
__global__ void cgk(int *o) { auto g = cg::this_grid(); g.sync(); auto t = cg::tiled_partition<16>(cg::this_thread_block()); o[t.thread_rank()] = t.shfl_down(o[0], 3); cg::this_thread_block().sync(); auto c = cg::coalesced_threads(); o[1] = c.size(); }
__global__ void clk(long long *o) { o[0] = clock64(); o[1] = clock(); unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); o[2] = t; __nanosleep(100); unsigned s; asm("mov.u32 %0, %%smid;" : "=r"(s)); o[3] = s; asm volatile("{ .reg .pred p<3>; .reg .u32 t1; setp.eq.u32 p1, %1, 3; @p1 add.u32 t1, %1, 4; @!p1 mov.u32 t1, 9; mov.u32 %0, t1; }" : "=r"(s) : "r"(s)); o[4] = s; asm volatile("{ .reg .s32 a, b; mov.s32 a, %1; shl.b32 b, a, 2; mov.u32 %0, b; }" : "=r"(s) : "r"(s)); o[5]=s; }
__global__ void misc(int *i, float *f, double *d, long long *l) { i[0] = __dp4a(i[1], i[2], i[3]); i[4] = __byte_perm(i[1], i[2], 0x1234); i[5] = __funnelshift_l(i[1], i[2], 5); i[6] = __ffs(i[1]); i[7] = __mulhi(i[1], i[2]); i[8] = __mul24(i[1], i[2]); i[9] = __sad(i[1], i[2], 5u); l[1] = __mul64hi(l[2], l[3]); f[0] = __fdividef(f[1], f[2]); f[3] = __fadd_rz(f[1], f[2]); f[4] = __fsqrt_rn(f[1]); f[5] = rsqrtf(f[1]); f[6] = __expf(f[1]); f[7] = __logf(f[2]); f[8] = __sinf(f[1]); f[9] = tanhf(f[2]); f[10] = fminf(f[1], f[2]); f[11] = __saturatef(f[1]); d[0] = __dadd_ru(d[1], d[2]); d[3] = d[1] / d[2]; d[4] = sqrt(d[1]); d[5] = rint(d[1]); i[10] = (int)d[1]; i[11] = __float2int_rn(f[1]); l[4] = (long long)f[2]; f[12] = (float)l[5]; i[12] = __vabsdiffu4(i[1], i[2]); i[13] = l[1] % l[2]; i[14] = i[1] % i[2]; f[13] = copysignf(f[1], f[2]); f[14] = fmaf(f[1],f[2],f[3]); i[15] = isnan(d[1]); f[15]=floorf(f[2]); i[16]=(signed char)i[17]; }
