// Sums of absolute differences for motion search (Parboil's sad): each 4 x 4 block of a frame
// against the 33 x 33 places around it in the frame before, then the sums of the seven shapes up to
// 16 x 16. A thread block of 61 threads has one 4 x 4 block, a thread 18 places, three side by side
// at a time.
//
// The frame before is a texture; of global memory the first kernel reads 16 pixels and writes 2192
// bytes for each of its blocks. The other two read those sums back, two to a word, in whole lines,
// once, and write them added up: streams.
#include "../suite.h"

#define RANGE  16
#define SIDE   (2 * RANGE + 1)
#define PLACES (SIDE * SIDE)
#define PADDED ((PLACES + 7) / 8 * 8) // of a block's sums in memory
#define EACH   18                     // places of a thread; a multiple of 3

extern "C" __global__ void sad_4x4(unsigned short *sums, unsigned short *frame,
                                   cudaTextureObject_t before, int mb_width, int mb_height) {
  __shared__ unsigned short block[16];
  extern __shared__ __align__(8) unsigned short sum[];
  int me = threadIdx.x, bx = blockIdx.x, by = blockIdx.y;
  if (me < 16) block[me] = frame[(by * 4 + (me >> 2)) * mb_width * 16 + bx * 4 + (me & 3)];
  if (me < PADDED - PLACES) sum[PLACES + me] = 0;
  __syncthreads();

  int place = me * EACH, end = min(place + EACH, PLACES);
  int row = place / SIDE, column = place - row * SIDE;
  int y = by * 4 - RANGE + row, x0 = bx * 4 - RANGE;
  LOOP for (; place < end; place += 3) {
    unsigned short a = 0, b = 0, c = 0;
    int x = x0 + column;
    LOOP for (int r = 0; r < 4; r++) {
      int p0 = block[r * 4], p1 = block[r * 4 + 1], p2 = block[r * 4 + 2], p3 = block[r * 4 + 3];
      int t = tex2D<unsigned short>(before, x, y + r);
      a += abs(t - p0);
      t = tex2D<unsigned short>(before, x + 1, y + r);
      a += abs(t - p1);
      b += abs(t - p0);
      t = tex2D<unsigned short>(before, x + 2, y + r);
      a += abs(t - p2);
      b += abs(t - p1);
      c += abs(t - p0);
      t = tex2D<unsigned short>(before, x + 3, y + r);
      a += abs(t - p3);
      b += abs(t - p2);
      c += abs(t - p1);
      t = tex2D<unsigned short>(before, x + 4, y + r);
      b += abs(t - p3);
      c += abs(t - p2);
      t = tex2D<unsigned short>(before, x + 5, y + r);
      c += abs(t - p3);
    }
    sum[place] = a;
    sum[place + 1] = b;
    sum[place + 2] = c;
    column += 3;
    if (column >= SIDE) {
      column -= SIDE;
      y++;
    }
  }
  __syncthreads();

  if (me < 32) { // the sums of a macroblock's 16 blocks follow one another, behind 25 larger ones
    int mb = (by >> 2) * mb_width + (bx >> 2), inside = (by & 3) * 4 + (bx & 3);
    uint2 *to = (uint2 *)(sums + (mb_width * mb_height * 25 + mb * 16 + inside) * PADDED);
    LOOP for (int i = me; i < PADDED / 4; i += 32) to[i] = ((uint2 *)sum)[i];
  }
}

// From 4 x 4 to 4 x 8, 8 x 4 and 8 x 8, an 8 x 8 block for each warp.
extern "C" __global__ void sad_8x8(unsigned short *sums, int mb_width, int mb_height) {
  int tx = threadIdx.y & 1, ty = threadIdx.y >> 1;
  int mbs = mb_width * mb_height, mb = blockIdx.y * mb_width + blockIdx.x;
  const int words = PADDED / 2;
  unsigned *all = (unsigned *)sums;
  unsigned *in = all + (mbs * 25 + mb * 16 + ty * 8 + tx * 2) * words;
  unsigned *tall = all + (mbs * 17 + mb * 8 + ty * 4 + tx * 2) * words;
  unsigned *wide = all + (mbs * 9 + mb * 8 + ty * 4 + tx) * words;
  unsigned *both = all + (mbs * 5 + mb * 4 + ty * 2 + tx) * words;
  LOOP for (int i = threadIdx.x; i < (PLACES + 1) / 2; i += 32) {
    unsigned a = in[i], b = in[i + words], c = in[i + 4 * words], d = in[i + 5 * words];
    tall[i] = a + c;
    tall[i + words] = b + d;
    wide[i] = a + b;
    wide[i + 2 * words] = c + d;
    both[i] = (a + b) + (c + d);
  }
}

// From 8 x 8 to 8 x 16, 16 x 8 and 16 x 16, a macroblock for each warp.
extern "C" __global__ void sad_16x16(unsigned short *sums, int mb_width, int mb_height) {
  int mbs = mb_width * mb_height, mb = blockIdx.y * mb_width + blockIdx.x;
  const int words = PADDED / 2;
  unsigned *all = (unsigned *)sums;
  unsigned *in = all + (mbs * 5 + mb * 4) * words;
  unsigned *tall = all + (mbs * 3 + mb * 2) * words;
  unsigned *wide = all + (mbs + mb * 2) * words;
  unsigned *both = all + mb * words;
  LOOP for (int i = threadIdx.x; i < (PLACES + 1) / 2; i += 32) {
    unsigned a = in[i], b = in[i + words], c = in[i + 2 * words], d = in[i + 3 * words];
    tall[i] = a + c;
    tall[i + words] = b + d;
    wide[i] = a + b;
    wide[i + words] = c + d;
    both[i] = (a + b) + (c + d);
  }
}
