/* For tests of what depends on the file system. */
#ifndef WEIR_STUDY_STORE_OPEN_H
#define WEIR_STUDY_STORE_OPEN_H

#include <stdbool.h>

/* Does statfs's f_type stand for a file system of one host? A WAL needs memory that all who use the
 * file share. What is not known is taken for a network's: slower, and right everywhere. */
bool weir_store_is_local(unsigned long f_type);

#endif
