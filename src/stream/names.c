#include "stream/stream.h"

const char *weir_class_name(enum weir_class c) {
  static const char *const names[] = {
#define WEIR_CLASS(id, text, number, help) text,
#include "stream/classes.def"
  };
  return (unsigned)c < WEIR_N_CLASSES ? names[c] : "?";
}

enum weir_class weir_class_part_of(enum weir_class c) {
  static const uint8_t part_of[] = {
#define WEIR_CLASS(id, text, number, help)                         WEIR_C_##id,
#define WEIR_CLASS_PART(id, text, whole, whole_text, number, help) WEIR_C_##whole,
#include "stream/classes.def"
  };
  return (enum weir_class)part_of[c];
}
