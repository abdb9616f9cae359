// Tracks points of a heart's walls through the frames of an ultrasound film (Rodinia's heartwall):
// a launch per frame, a block of 256 threads per point. The first frame only cuts out each point's
// template; in the others a block cuts out the area around its point, correlates the template with
// it at every displacement and takes the best one not too far from the last. All matrices are
// column-major, and all but the template turned around are in global memory, a slice of each for
// each block.
//
// One long kernel of many phases with barriers between them. Most of the time goes to the full
// convolution: neighbouring threads have neighbouring rows of the result and walk down the same
// columns of the area, so the lines of a column are loaded again and again (once for each row of
// the template) by all warps of the block. In the cumulative sums down the columns, in the
// template's sums and in the search for the largest value each thread has a column of its own:
// 32 lines per load, each of them needed for the next 31 steps as well. What one phase stores the
// next one loads, often with other threads.
//
// t and s are the radii of template (2t + 1 rows and columns) and area (2s + 1). The sums of the
// area's windows come from sums down the columns of the area with as many zeros around it as the
// template has rows, less those one template higher, then the same along the rows.
#include "../suite.h"

#define THREADS      256
#define TEMPLATE_MAX 51 // rows of the template at most
#define RESULT_MAX   131

// Row and column of element e of a column-major matrix.
__device__ static void place(int e, int rows, int *row, int *column) {
  *row = (e + 1) % rows - 1;
  *column = (e + 1) / rows;
  if ((e + 1) % rows == 0) {
    *row = rows - 1;
    *column = *column - 1;
  }
}

// A window of a matrix with `from_rows` rows, from the given row and column on.
__device__ static void cut(float *to, int rows, int count, float *from, int from_rows,
                           int first_row, int first_column) {
  LOOP
  for (int e = threadIdx.x; e < count; e += THREADS) {
    int row, column;
    place(e, rows, &row, &column);
    to[e] = from[(column + first_column) * from_rows + row + first_row];
  }
}

// to = first - to
__device__ static void subtract(float *to, float *first, int count) {
  LOOP
  for (int e = threadIdx.x; e < count; e += THREADS)
    to[e] = first[e] - to[e];
}

// The square matrix with `edge` zeros around it.
__device__ static void pad(float *to, int to_rows, float *from, int rows, int edge) {
  LOOP
  for (int e = threadIdx.x; e < to_rows * to_rows; e += THREADS) {
    int row, column;
    place(e, to_rows, &row, &column);
    if (row > edge - 1 && row < edge + rows && column > edge - 1 && column < edge + rows)
      to[e] = from[(column - edge) * rows + row - edge];
    else
      to[e] = 0.0f;
  }
}

// Cumulative sums, a line of `length` elements `step` apart for each thread.
__device__ static void accumulate(float *m, int lines, int apart, int length, int step) {
  LOOP
  for (int line = threadIdx.x; line < lines; line += THREADS) {
    float sum = 0.0f;
    int first = line * apart;
    LOOP
    for (int p = first; p < first + length * step; p += step) {
      m[p] = m[p] + sum;
      sum = m[p];
    }
  }
}

__device__ static float *slice(float *all, int count) { // as if allocated by itself
  return all + blockIdx.x * ((count + 63) / 64 * 64);
}

extern "C" __global__ void
heartwall_frame(float *film, int frame_rows, int frame, int frames, int period, int t, int s,
                int reach, float alpha, int *row_of, int *column_of, int *row_at, int *column_at,
                float *templates, float *areas, float *convolutions, float *padded_all,
                float *lower_all, float *across_all, float *righter_all, float *sums_all,
                float *squares, float *square_sums_all, float *template_squares, float *masks,
                float *results) {
  __shared__ float turned[TEMPLATE_MAX * TEMPLATE_MAX];
  __shared__ float part[TEMPLATE_MAX], part_square[TEMPLATE_MAX];
  __shared__ float total, total_square, spread;
  __shared__ float best[RESULT_MAX];
  __shared__ int best_at[RESULT_MAX];
  int point = blockIdx.x, tx = threadIdx.x;
  int small = 2 * t + 1, large = 2 * s + 1; // rows of template and area
  int wide = small + large - 1;             // of the result
  int padded_rows = large + 2 * small;      // of the padded area
  int small_count = small * small, large_count = large * large, wide_count = wide * wide;
  int strip_count = wide * padded_rows; // the result's rows, the padded area's columns
  float *own = templates + point * small_count;

  if (frame == 0) {
    if (tx == 0) {
      row_at[point * frames] = row_of[point];
      column_at[point * frames] = column_of[point];
    }
    LOOP
    for (int e = tx; e < small_count; e += THREADS) {
      int row, column;
      place(e, small, &row, &column);
      int film_row = row_of[point] - t + row - 1, film_column = column_of[point] - t + column - 1;
      own[column * small + row] = film[film_column * frame_rows + film_row];
    }
  }

  if (frame != 0) {
    float *area = slice(areas, large_count), *convolution = slice(convolutions, wide_count);
    float *padded = slice(padded_all, padded_rows * padded_rows);
    float *lower = slice(lower_all, strip_count), *across = slice(across_all, strip_count);
    float *righter = slice(righter_all, wide_count), *sums = slice(sums_all, wide_count);
    float *square = slice(squares, large_count);
    float *square_sums = slice(square_sums_all, wide_count);
    float *own_square = slice(template_squares, small_count);
    float *mask = slice(masks, wide_count), *result = slice(results, wide_count);

    cut(area, large, large_count, film, frame_rows, row_of[point] - s - 1,
        column_of[point] - s - 1);
    __syncthreads();

    LOOP
    for (int e = tx; e < small_count; e += THREADS) {
      int row, column;
      place(e, small, &row, &column);
      turned[e] = own[(small - 1 - column) * small + small - 1 - row];
    }
    __syncthreads();

    LOOP
    for (int e = tx; e < wide_count; e += THREADS) {
      int row, column;
      place(e, wide, &row, &column);
      int b0 = max(column - (large - 1), 0), b1 = min(column, small - 1);
      int a0 = max(row - (large - 1), 0), a1 = min(row, small - 1);
      float sum = 0.0f;
      LOOP
      for (int b = b0; b <= b1; b++) {
        float *weight = turned + small * b + a0, *value = area + large * (column - b) + row - a0;
        LOOP
        for (int a = a0; a <= a1; a++)
          sum = fmaf(*weight++, *value--, sum);
      }
      convolution[e] = sum;
    }
    __syncthreads();

    // The sums of the area's windows, then of their squares.
    pad(padded, padded_rows, area, large, small);
    __syncthreads();
    accumulate(padded, padded_rows, padded_rows, padded_rows, 1);
    __syncthreads();
    cut(lower, wide, strip_count, padded, padded_rows, small, 0);
    __syncthreads();
    cut(across, wide, strip_count, padded, padded_rows, 0, 0);
    __syncthreads();
    subtract(across, lower, strip_count);
    __syncthreads();
    accumulate(across, wide, 1, padded_rows, wide);
    __syncthreads();
    cut(righter, wide, wide_count, across, wide, 0, small);
    __syncthreads();
    cut(sums, wide, wide_count, across, wide, 0, 0);
    __syncthreads();
    subtract(sums, righter, wide_count);
    __syncthreads();
    LOOP
    for (int e = tx; e < large_count; e += THREADS) {
      float value = area[e];
      square[e] = value * value;
    }
    __syncthreads();
    pad(padded, padded_rows, square, large, small);
    __syncthreads();
    accumulate(padded, padded_rows, padded_rows, padded_rows, 1);
    __syncthreads();
    cut(lower, wide, strip_count, padded, padded_rows, small, 0);
    __syncthreads();
    cut(across, wide, strip_count, padded, padded_rows, 0, 0);
    __syncthreads();
    subtract(across, lower, strip_count);
    __syncthreads();
    accumulate(across, wide, 1, padded_rows, wide);
    __syncthreads();
    cut(righter, wide, wide_count, across, wide, 0, small);
    __syncthreads();
    cut(square_sums, wide, wide_count, across, wide, 0, 0);
    __syncthreads();
    subtract(square_sums, righter, wide_count);
    __syncthreads();

    // The windows' deviations, the template's own, and the correlation of both.
    LOOP
    for (int e = tx; e < wide_count; e += THREADS) {
      float sum = sums[e];
      float variance = square_sums[e] - sum * sum / (float)small_count;
      if (variance < 0.0f) variance = 0.0f;
      square_sums[e] = sqrtf(variance);
    }
    __syncthreads();
    LOOP
    for (int e = tx; e < small_count; e += THREADS) {
      float value = own[e];
      own_square[e] = value * value;
    }
    __syncthreads();
    LOOP
    for (int column = tx; column < small; column += THREADS) {
      float sum = 0.0f;
      LOOP
      for (int i = 0; i < small; i++)
        sum = sum + own[column * small + i];
      part[column] = sum;
    }
    __syncthreads();
    LOOP
    for (int row = tx; row < small; row += THREADS) {
      float sum = 0.0f;
      LOOP
      for (int i = 0; i < small; i++)
        sum = sum + own_square[row + small * i];
      part_square[row] = sum;
    }
    __syncthreads();
    if (tx == 0) {
      total = 0.0f;
      LOOP
      for (int i = 0; i < small; i++)
        total = total + part[i];
    } else if (tx == 1) {
      total_square = 0.0f;
      LOOP
      for (int i = 0; i < small; i++)
        total_square = total_square + part_square[i];
    }
    __syncthreads();
    if (tx == 0) {
      float mean = total / (float)small_count;
      float variance = fmaf(-mean, mean, total_square / (float)small_count);
      spread = sqrtf((float)(small_count - 1)) * sqrtf(variance);
    }
    __syncthreads();
    LOOP
    for (int e = tx; e < wide_count; e += THREADS)
      square_sums[e] = square_sums[e] * spread;
    __syncthreads();
    LOOP
    for (int e = tx; e < wide_count; e += THREADS)
      convolution[e] = convolution[e] - sums[e] * total / (float)small_count;
    __syncthreads();
    LOOP
    for (int e = tx; e < wide_count; e += THREADS)
      square_sums[e] = convolution[e] / square_sums[e];
    __syncthreads();

    // Only what lies within `reach` of where the point was last.
    int last = point * frames + frame - 1;
    int last_row = s + t + row_at[last] - row_of[point];
    int last_column = s + t + column_at[last] - column_of[point];
    LOOP
    for (int e = tx; e < wide_count; e += THREADS) {
      if (e == last_column * wide + last_row)
        mask[e] = 1.0f;
      else
        mask[e] = 0.0f;
    }
    __syncthreads();
    LOOP
    for (int e = tx; e < wide_count; e += THREADS) {
      int row, column;
      place(e, wide, &row, &column);
      int b0 = max(column + reach / 2 - reach + 1, 0), b1 = min(column + reach / 2, wide - 1);
      int a0 = max(row + reach / 2 - reach + 1, 0), a1 = min(row + reach / 2, wide - 1);
      float sum = 0.0f;
      LOOP
      for (int b = b0; b <= b1; b++) {
        float *value = mask + wide * b + a0;
        LOOP
        for (int a = a0; a <= a1; a++)
          sum = sum + *value++;
      }
      result[e] = square_sums[e] * sum;
    }
    __syncthreads();

    float largest = 0.0f;
    int largest_at = 0;
    LOOP
    for (int column = tx; column < wide; column += THREADS) {
      LOOP
      for (int i = 0; i < wide; i++) {
        float value = fabsf(result[column * wide + i]);
        if (value > largest) {
          largest_at = column * wide + i;
          largest = value;
        }
      }
      best_at[column] = largest_at;
      best[column] = largest;
    }
    __syncthreads();
    if (tx == 0) {
      largest = 0.0f;
      largest_at = 0;
      LOOP
      for (int i = 0; i < wide; i++)
        if (best[i] > largest) {
          largest = best[i];
          largest_at = best_at[i];
        }
      int row, column;
      place(largest_at, wide, &row, &column);
      row_at[last + 1] = row_of[point] + row - (s + t);
      column_at[last + 1] = column_of[point] + column - (s + t);
    }
    __syncthreads();
  }

  // Now and then the point moves for good, and its template takes on what is there.
  if (frame != 0 && frame % period == 0) {
    row_of[point] = row_at[point * frames + frame];
    column_of[point] = column_at[point * frames + frame];
    LOOP
    for (int e = tx; e < small_count; e += THREADS) {
      int row, column;
      place(e, small, &row, &column);
      int film_row = row_of[point] - t + row - 1, film_column = column_of[point] - t + column - 1;
      own[e] = (float)fma(1.0 - alpha, (double)film[film_column * frame_rows + film_row],
                          (double)(alpha * own[e]));
    }
  }
}
