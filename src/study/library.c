/* What the shared library does when it is loaded, besides what its functions do. */
#include "study/classify_here.h"

__attribute__((constructor)) static void begin(void) {
  weir_classify_here();
}
