// make_ptx: compute_90
// Texture reads: how many stand in front of the first use of one of them.
#include "../common.h"

typedef cudaTextureObject_t tex;

KERNEL tex_pair(float *out, tex t, int n) {
  int i = TID;
  if (i >= n) return;
  float x = (float)i;
  out[i] = tex2D<float>(t, x, 0) * 2 + tex2D<float>(t, x, 1);
}

KERNEL tex_row8(float *out, tex t, int n) {
  int i = TID;
  if (i >= n) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++)
    s = s * 0.5f + tex2D<float>(t, (float)(i + k), 0);
  out[i] = s;
}

KERNEL tex_box16(unsigned *out, tex t, int n) {
  int i = TID;
  if (i >= n) return;
  unsigned s = 0;
#pragma unroll
  for (int y = 0; y < 4; y++)
#pragma unroll
    for (int x = 0; x < 4; x++)
      s = max(s ^ 3u, (unsigned)tex2D<unsigned short>(t, (float)(i + x), (float)y));
  out[i] = s;
}

KERNEL tex_quads(float4 *out, tex t, int n) { // four results each
  int i = TID;
  if (i >= n) return;
  float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int k = 0; k < 6; k++) {
    float4 v = tex2D<float4>(t, (float)i, (float)k);
    s.x = s.x * 0.5f + v.x, s.y = s.y * 0.5f + v.y, s.z = s.z * 0.5f + v.z, s.w = s.w * 0.5f + v.w;
  }
  out[i] = s;
}

KERNEL tex_chain(float *out, tex t, int n) { // each place is the value before
  int i = TID;
  if (i >= n) return;
  float x = (float)i;
#pragma unroll
  for (int k = 0; k < 4; k++)
    x = tex2D<float>(t, x, 0);
  out[i] = x;
}

KERNEL tex_and_loads(float *out, const float *in, tex t, int n) {
  int i = TID;
  if (i >= n) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    s = s * in[i + k * n] + tex2D<float>(t, (float)i, (float)k);
  out[i] = s;
}

KERNEL tex_after_store(float *out, tex t, int n) { // stores between them may not meet textures
  int i = TID;
  if (i >= n) return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    out[i + k * n] = tex2D<float>(t, (float)i, (float)k) * 3;
}

KERNEL tex_linear(float *out, tex t, const int *at, int n) { // of linear memory, by index
  int i = TID;
  if (i >= n) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    s = s * 0.5f + tex1Dfetch<float>(t, at[i] + k);
  out[i] = s;
}
