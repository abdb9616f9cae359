// Wavelet transform of a colour image (integers, 5/3 taps, forward), level by level: a first kernel
// takes the bytes of the image apart into three planes, then each plane is transformed, and of each
// level the quarter of low frequencies again. A thread has a column; a block slides down a strip of
// columns in windows of eight rows, transforms them vertically and horizontally in shared memory,
// and writes each of the four bands in one piece.
//
// Rows stream in whole lines, every value once but for three columns at the edges of a strip and
// three rows at its top. The shared buffer keeps even and odd columns apart. What lies outside the
// image is mirrored; blocks far from the edges run code without the checks for that. The kernel is
// there in three widths, the widest for the largest levels.
#include "../suite.h"

#define THREADS 256 // of the first kernel
#define WINDOW  8   // rows
#define ROWS    (WINDOW + 3)

extern "C" __global__ void dwt2d_split(int *red, int *green, int *blue, unsigned char *image,
                                       int pixels) {
  __shared__ __align__(4) unsigned char bytes[THREADS * 3];
  int x = threadIdx.x, first = blockDim.x * blockIdx.x;
  if (x * 4 < THREADS * 3) ((float *)bytes)[x] = ((float *)image)[((first * 3) >> 2) + x];
  __syncthreads();
  int r = bytes[3 * x], g = bytes[3 * x + 1], b = bytes[3 * x + 2], at = first + x;
  if (at < pixels) {
    red[at] = r - 128;
    green[at] = g - 128;
    blue[at] = b - 128;
  }
}

// Places in the shared buffer of a strip of W columns and two more at each side: first the even
// columns, then, after a gap for the sake of the banks, the odd ones.
template <int W> struct place {
  enum {
    row = W / 2 + 2,
    part = row * ROWS,
    gap = 32 - (part + 16) % 32,
    odd = part + gap,
    all = 2 * part + gap
  };
  static __device__ int column(int x) { return (x + 2) / 2 + ((x + 2) & 1) * odd; }
};

// The 5/3 transform: an odd value loses the mean of its neighbours, an even one gains a quarter of
// the new odd ones'.
template <bool EVEN> static __device__ inline void lift(int before, int &value, int after) {
  if (EVEN)
    value += (before + after + 2) / 4;
  else
    value -= (before + after) / 2;
}

// All even or odd values of eight rows, one after the other over the ends of the rows: what comes
// of those at the very edges is not used.
template <int W, bool EVEN> static __device__ inline void lift_rows(int *data) {
  const int count = WINDOW * place<W>::row - 1, rest = count % W;
  int *middle = data + 2 * place<W>::row + (EVEN ? 1 : (int)place<W>::odd);
  int *before = data + 2 * place<W>::row + (EVEN ? (int)place<W>::odd : 0), *after = before + 1;
  LOOP for (int i = 0; i < count / W; i++) {
    int at = i * W + threadIdx.x;
    lift<EVEN>(before[at], middle[at], after[at]);
  }
  if (threadIdx.x < rest) {
    int at = count - rest + threadIdx.x;
    lift<EVEN>(before[at], middle[at], after[at]);
  }
}

// A column that a thread loads, from the top: its place in the buffer, the element loaded last, the
// way to the next one, the element below the last, and the three rows above a window.
template <int W, bool CHECKED> struct column {
  int place_of, at, step, end, kept[3];

  __device__ void begin(int width, int height, int x, int y) {
    if (x >= width)
      x = 2 * width - 2 - x;
    else if (x < 0)
      x = -x;
    step = width;
    end = CHECKED ? height * width + x : 0;
    at = x + width * (y - 1);
  }
  __device__ int load(const int *in) {
    at += step;
    if (CHECKED && at == end) { // turn at the lower edge
      at -= 2 * step;
      step = -step;
    }
    return in[at];
  }
  __device__ void first(const int *in, int width, int height, int x, int y) {
    place_of = place<W>::column(x);
    x += blockIdx.x * W;
    if (blockIdx.y == 0) { // rows 2, 1, 0 stand for -2, -1, 0
      begin(width, height, x, y);
      kept[2] = load(in);
      kept[1] = load(in);
      kept[0] = load(in);
      begin(width, height, x, y + 1);
    } else {
      begin(width, height, x, y - 2);
      kept[0] = load(in);
      kept[1] = load(in);
      kept[2] = load(in);
    }
  }
  __device__ void window(const int *in, int *data) {
    int *mine = data + place_of;
    mine[0] = kept[0];
    mine[place<W>::row] = kept[1];
    mine[2 * place<W>::row] = kept[2];
    LOOP for (int y = 3; y < ROWS; y++)
      mine[y * place<W>::row] = load(in);
    kept[0] = mine[(ROWS - 3) * place<W>::row];
    kept[1] = mine[(ROWS - 2) * place<W>::row];
    kept[2] = mine[(ROWS - 1) * place<W>::row];
    LOOP for (int y = 1; y < ROWS - 1; y += 2)
      lift<false>(mine[(y - 1) * place<W>::row], mine[y * place<W>::row],
                  mine[(y + 1) * place<W>::row]);
    LOOP for (int y = 2; y < ROWS - 1; y += 2)
      lift<true>(mine[(y - 1) * place<W>::row], mine[y * place<W>::row],
                 mine[(y + 1) * place<W>::row]);
  }
};

// Bands lie one after the other: low, right, below, both. The rows of a column go to its low and
// its high band in turn.
template <bool CHECKED> struct writer {
  int at, end, to_high, to_low;

  __device__ void begin(int width, int height, int x, int y) {
    at = end = to_high = to_low = 0;
    if (x >= width) return;
    int first = x / 2, down = width / 2 + (x & 1 ? 0 : width & 1);
    to_high = (height + 1) / 2 * width;
    if (x & 1) {
      first += (width + 1) / 2 * ((height + 1) / 2);
      to_high = width * height / 2;
    }
    to_low = down - to_high;
    if (CHECKED) end = first + height / 2 * down + (height & 1) * to_high;
    at = first + y / 2 * down + (y & 1) * to_high;
  }
  __device__ void put(int *out, int value, int step) {
    if (!CHECKED || at != end) {
      out[at] = value;
      at += step;
    }
  }
};

template <int W, bool CHECK_LOADS, bool CHECK_STORES>
static __device__ void strip(int *data, const int *in, int *out, int width, int height, int steps) {
  column<W, CHECK_LOADS> main, edge; // the first three threads have a column at the edges as well
  int x = threadIdx.x, y = blockIdx.y * WINDOW * steps;
  main.first(in, width, height, x, y);
  edge.place_of = edge.at = edge.step = edge.end = 0;
  edge.kept[0] = edge.kept[1] = edge.kept[2] = 0;
  if (x < 3) edge.first(in, width, height, x == 0 ? W : x - 3, y);

  int mine = 2 * x - (W - 1) * (x / (W / 2)); // even columns first, then the odd ones
  int *result = data + place<W>::column(mine);
  writer<CHECK_STORES> to;
  to.begin(width, height, blockIdx.x * W + mine, y);

  LOOP for (int s = 0; s < steps; s++) {
    main.window(in, data);
    if (x < 3) edge.window(in, data);
    __syncthreads();
    lift_rows<W, false>(data);
    __syncthreads();
    lift_rows<W, true>(data);
    __syncthreads();
    LOOP for (int r = 2; r < 2 + WINDOW; r += 2) {
      to.put(out, result[r * place<W>::row], to.to_high);
      to.put(out, result[(r + 1) * place<W>::row], to.to_low);
    }
    __syncthreads();
  }
}

template <int W>
static __device__ inline void forward(const int *in, int *out, int width, int height, int steps) {
  __shared__ int data[place<W>::all];
  int right = (blockIdx.x + 1) * W + 1, bottom = (blockIdx.y + 1) * WINDOW * steps + 1;
  if (bottom >= height)
    strip<W, true, true>(data, in, out, width, height, steps);
  else if (right >= width)
    strip<W, false, true>(data, in, out, width, height, steps);
  else
    strip<W, false, false>(data, in, out, width, height, steps);
}

// The original asks for so many blocks on an SM, which limits the registers: here to a Fermi's.
#ifdef WEIR_FERMI
#define BOUNDS(threads, blocks, registers) __maxnreg__(registers)
#else
#define BOUNDS(threads, blocks, registers) __launch_bounds__(threads, blocks)
#endif

extern "C" BOUNDS(192, 5, 32) __global__
    void dwt2d_forward_192(const int *in, int *out, int width, int height, int steps) {
  forward<192>(in, out, width, height, steps);
}
extern "C" BOUNDS(128, 8, 32) __global__
    void dwt2d_forward_128(const int *in, int *out, int width, int height, int steps) {
  forward<128>(in, out, width, height, steps);
}
extern "C" BOUNDS(64, 8, 63) __global__
    void dwt2d_forward_64(const int *in, int *out, int width, int height, int steps) {
  forward<64>(in, out, width, height, steps);
}
