#include "study/run_classes.h"

#include <math.h>
#include <stddef.h>

double weir_class_speedup(const struct weir_run_classes *c, enum weir_class_run run) {
  return c->cycles[run] > 0 ? (double)c->own / (double)c->cycles[run] : (double)NAN;
}

const char *weir_class_cache(const struct weir_run_classes *c) {
  double v = weir_class_speedup(c, WEIR_CLASS_BYPASS);
  if (isnan(v)) return NULL;
  return v > 1 + WEIR_CLASS_EPSILON ? "CNF" : v < 1 - WEIR_CLASS_EPSILON ? "CF" : "CI";
}

const char *weir_class_line(const struct weir_run_classes *c) {
  double a = weir_class_speedup(c, WEIR_CLASS_LINE_32);
  double b = weir_class_speedup(c, WEIR_CLASS_LINE_64);
  if (isnan(a) && isnan(b)) return NULL;
  return a > 1 || b > 1 ? "CLN" : "CLP";
}

bool weir_class_is_sensitive(const struct weir_run_classes *c) {
  return weir_class_speedup(c, WEIR_CLASS_PERFECT) >= WEIR_CLASS_SENSITIVE;
}
