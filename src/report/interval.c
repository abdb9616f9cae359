#include "report/interval.h"

#include <math.h>

/* The probability of |t| below a bound, for whole degrees of freedom: the finite sums of Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4. */
static double probability(double t, size_t degrees) {
  double angle = atan(t / sqrt((double)degrees)), c = cos(angle), term = 1, sum = 0;
  bool is_odd = degrees % 2 != 0;
  if (is_odd) term = c;
  for (size_t i = is_odd ? 1 : 0; i + 2 <= degrees; i += 2) {
    sum += term;
    term *= c * c * (double)(i + 1) / (double)(i + 2);
  }
  return is_odd ? (angle + sin(angle) * sum) * M_2_PI : sin(angle) * sum;
}

double weir_student_t(size_t degrees) {
  double low = 1.9, high = 13; /* of the normal distribution: 1.96; of one degree: 12.71 */
  for (unsigned i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (probability(middle, degrees) < 0.95)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

struct weir_interval weir_interval_of(const double *values, size_t n) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += values[i];
  double mean = n > 0 ? sum / (double)n : (double)NAN;
  for (size_t i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  struct weir_interval out = {mean, (double)NAN, (double)NAN};
  if (n < 2) return out;
  double half = weir_student_t(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
  out.low = mean - half;
  out.high = mean + half;
  return out;
}

struct weir_interval weir_interval_of_logs(const double *logs, size_t n) {
  struct weir_interval of = weir_interval_of(logs, n);
  return (struct weir_interval){exp(of.mean), exp(of.low), exp(of.high)};
}
