#include "report/bar.h"

#include <string.h>

const char *weir_bar(double chars, char *buf, size_t len) {
  static const char *const part[] = {"",       "\u258f", "\u258e", "\u258d",
                                     "\u258c", "\u258b", "\u258a", "\u2589"};
  int eighths = chars > 0 ? (int)(chars * 8 + 0.5) : 0;
  buf[0] = 0;
  for (int k = 0; k < eighths / 8 && strlen(buf) + 8 < len; k++)
    strcat(buf, "\u2588");
  strcat(buf, part[eighths % 8]);
  return buf;
}
