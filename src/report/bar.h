/* Bars of block characters for a terminal. */
#ifndef WEIR_REPORT_BAR_H
#define WEIR_REPORT_BAR_H

#include <stddef.h>

/* A bar as long as that many characters, to an eighth; cut where `buf` ends (3 bytes a character).
 * Returns `buf`. */
const char *weir_bar(double chars, char *buf, size_t len);

#endif
