#include "stream/stream.h"

const char *weir_class_name(enum weir_class c) {
  static const char *const names[] = {
#define WEIR_CLASS(id, text, help) text,
#include "stream/classes.def"
#undef WEIR_CLASS
  };
  return (unsigned)c < WEIR_N_CLASSES ? names[c] : "?";
}
