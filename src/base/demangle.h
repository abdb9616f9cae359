/* Names of C++ functions as people write them. */
#ifndef WEIR_BASE_DEMANGLE_H
#define WEIR_BASE_DEMANGLE_H

#include <stddef.h>

/* Long enough for names that fit on a line. */
enum { WEIR_DEMANGLED = 80 };

/* "ns::reduce<float, 256>" for "_ZN2ns6reduceIfLi256EEEvPT_i": without parameters, cut with "..."
 * where it is too long for `buf`. A name that is not mangled, or in a way that is not understood
 * here (kernels are plain functions, seldom more than templates), is given as it is. Returns `buf`.
 */
const char *weir_demangle(const char *name, char *buf, size_t len);

#endif
