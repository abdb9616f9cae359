// Finds white blood cells in a frame of a film and tracks them through the next ones (Rodinia's
// leukocyte), in three kernels. leukocyte_gicov: for each pixel, seven circles around it, 150
// points each; mean and variance of the image's gradient across the circle; the largest of
// mean^2 / variance counts. leukocyte_dilate: the largest of those within a disk. leukocyte_field:
// a block per cell smooths a gradient field around it until it no longer changes.
//
// Gradients and scores are read as 1D textures (column-major, so that the threads of a block, a
// column, read neighbours), circles and disk from constant memory, with the same index for all
// threads. The field stays in shared memory for all its steps; only the image beside it is loaded
// in each step, 13 KB for a block. Each cell's place and size are loaded first, one word each for
// the whole block.
#include "tables.h"
#include "../suite.h"

#define FIELD_ROWS    41
#define FIELD_COLUMNS 81
#define THREADS       320
#define HALF          256 // the largest power of two below

__constant__ struct tables table = make_tables();

extern "C" __global__ void leukocyte_gicov(cudaTextureObject_t gradient_x,
                                           cudaTextureObject_t gradient_y, int circles, int rows,
                                           float *score) {
  int column = blockIdx.x + MARGIN(circles), row = threadIdx.x + MARGIN(circles);
  float most = 0.0f;
  LOOP
  for (int c = 0; c < circles; c++) {
    float sum = 0.0f, squares = 0.0f, mean = 0.0f;
    LOOP
    for (int n = 0; n < POINTS; n++) {
      int y = row + table.y[c * POINTS + n], x = column + table.x[c * POINTS + n];
      int at = x * rows + y;
      float across = tex1Dfetch<float>(gradient_x, at) * table.cosine[n];
      across = fmaf(tex1Dfetch<float>(gradient_y, at), table.sine[n], across);
      sum += across;
      float delta = across - mean;
      mean = mean + delta / (float)(n + 1);
      squares = fmaf(delta, across - mean, squares);
    }
    mean = sum / (float)POINTS;
    float variance = squares / (float)(POINTS - 1);
    if (mean * mean / variance > most) most = mean * mean / variance;
  }
  score[column * rows + row] = most;
}

extern "C" __global__ void leukocyte_dilate(cudaTextureObject_t score, int rows, int columns,
                                            int size, float *dilated) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int row = t % rows, column = t / rows;
  int edge = (DISK - size) / 2; // the disk's middle, where it is not the whole one
  float most = 0.0f;
  LOOP
  for (int i = 0; i < size; i++) {
    int y = row - size / 2 + i;
    if (y >= 0 && y < rows) {
      LOOP
      for (int j = 0; j < size; j++) {
        int x = column - size / 2 + j;
        if (x >= 0 && x < columns && table.disk[(i + edge) * DISK + j + edge] != 0.0f) {
          float other = tex1Dfetch<float>(score, x * rows + y);
          if (other > most) most = other;
        }
      }
    }
  }
  dilated[row * columns + column] = most;
}

// fields and images have all cells' matrices, row-major; field_at and image_at say where each
// cell's begins.
extern "C" __global__ void leukocyte_field(float *fields, float *images, long long *field_at,
                                           long long *image_at, int *rows_of, int *columns_of,
                                           float vx, float vy, float e, int steps, float enough) {
  __shared__ float field[FIELD_ROWS * FIELD_COLUMNS], buffer[THREADS];
  __shared__ int done;
  int cell = blockIdx.x, t = threadIdx.x;
  float *whole_field = fields + field_at[cell], *image = images + image_at[cell];
  int rows = rows_of[cell], columns = columns_of[cell];
  int parts = (rows * columns + THREADS - 1) / THREADS;
  LOOP
  for (int part = 0; part < parts; part++) {
    int i = (t + part * THREADS) / columns, j = (t + part * THREADS) % columns;
    if (i < rows) field[i * columns + j] = whole_field[i * columns + j];
  }
  if (t == 0) done = 0;
  __syncthreads();
  float per_row = 1.0f / (float)columns, sharpness = (float)(1.0 / e);
  int first = t % columns, further = THREADS % columns;
  LOOP
  for (int step = 0; !done && step < steps; step++) {
    float change = 0.0f;
    int i = 0, j = first - further;
    LOOP
    for (int part = 0; part < parts; part++) {
      int before = i * columns + j; // this thread's element of the part before
      i = (int)(((float)(t + part * THREADS) + 0.5f) * per_row);
      j += further;
      if (j >= columns) j -= columns;
      float value = 0.0f, old = 0.0f;
      if (i < rows) {
        int above = (i == 0 ? 0 : i - 1) * columns, below = (i == rows - 1 ? i : i + 1) * columns;
        int left = j == 0 ? 0 : j - 1, right = j == columns - 1 ? j : j + 1;
        old = field[i * columns + j];
        float u = field[above + j] - old, d = field[below + j] - old;
        float l = field[i * columns + left] - old, r = field[i * columns + right] - old;
        float ur = field[above + right] - old, dr = field[below + right] - old;
        float ul = field[above + left] - old, dl = field[below + left] - old;
        float sum = leukocyte_step(u * -vy * sharpness) * u;
        sum = fmaf(leukocyte_step(d * vy * sharpness), d, sum);
        sum = fmaf(leukocyte_step(l * -vx * sharpness), l, sum);
        sum = fmaf(leukocyte_step(r * vx * sharpness), r, sum);
        sum = fmaf(leukocyte_step(ur * (vx - vy) * sharpness), ur, sum);
        sum = fmaf(leukocyte_step(dr * (vx + vy) * sharpness), dr, sum);
        sum = fmaf(leukocyte_step(ul * (-vx - vy) * sharpness), ul, sum);
        sum = fmaf(leukocyte_step(dl * (-vx + vy) * sharpness), dl, sum);
        value = (float)fma(0.1, (double)sum, (double)old);
        float own = image[i * columns + j];
        value = (float)fma(-0.2 * own, (double)(value - own), (double)value);
      }
      __syncthreads();
      if (part > 0) field[before] = buffer[t]; // all but the last part have an element for all
      if (part < parts - 1)
        buffer[t] = value;
      else if (i < rows)
        field[i * columns + j] = value;
      change += fabsf(value - old);
      __syncthreads();
    }

    buffer[t] = change;
    __syncthreads();
    if (t >= HALF) buffer[t - HALF] += buffer[t];
    __syncthreads();
    LOOP
    for (int half = HALF / 2; half > 0; half /= 2) {
      if (t < half) buffer[t] += buffer[t + half];
      __syncthreads();
    }
    if (t == 0 && buffer[0] / (float)(rows * columns) < enough) done = 1;
    __syncthreads();
  }
  LOOP
  for (int part = 0; part < parts; part++) {
    int i = (t + part * THREADS) / columns, j = (t + part * THREADS) % columns;
    if (i < rows) whole_field[i * columns + j] = field[i * columns + j];
  }
}
