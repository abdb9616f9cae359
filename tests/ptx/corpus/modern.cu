#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;
__global__ void tensor(const __half *a, const __half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void copy(const float4 *in, float4 *out) {
  __shared__ float4 buf[128];
  __pipeline_memcpy_async(&buf[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = buf[127 - threadIdx.x];
}
__global__ void textures(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaSurfaceObject_t s, float *o) {
  float4 v = tex2D<float4>(t1, 0.5f, 0.25f);
  o[0] = v.x + tex1Dfetch<float>(t2, 3) + tex3D<float>(t1, 0.f, 1.f, 2.f) + tex2DLod<float>(t2, 1.f, 2.f, 0.f) + tex2DLayered<float>(t1, 1.f, 2.f, 1) + texCubemap<float>(t2, 0.f, 1.f, 2.f);
  surf2Dwrite(v.y, s, 4, 5);
  o[1] = surf2Dread<float>(s, 8, 9);
}
__global__ void bf(__nv_bfloat16 *h, float *f) {
  h[0] = __hfma(h[1], h[2], h[3]);
  h[4] = __float2bfloat16(f[0]);
  f[1] = __bfloat162float(h[5]);
  f[2] = __reduce_add_sync(0xffffffffu, (unsigned)f[3]);
  asm volatile("{ .reg .b64 st; mbarrier.arrive.shared.b64 st, [%0]; }" ::"r"(16));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(f));
  float x;
  asm volatile("ld.global.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(x) : "l"(f + 9));
  asm volatile("ld.global.nc.L1::evict_last.f32 %0, [%1];" : "=f"(x) : "l"(f + 9));
  asm volatile("st.global.L1::no_allocate.f32 [%1], %0;" ::"f"(x), "l"(f + 8));
}
