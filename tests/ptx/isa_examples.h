/* Example instructions for every row of isa.def: each alternative of each group at least once. */
#ifndef WEIR_TESTS_PTX_ISA_EXAMPLES_H
#define WEIR_TESTS_PTX_ISA_EXAMPLES_H

#include "ptx/isa.h"

/* The declarations that the examples use, up to and including the body's "{"; and what closes it.
 */
extern const char isa_prologue[], isa_epilogue[];

/* Example `k` of a row as one instruction, ended by ";". False when there are no more. Empty
 * when the choice has no valid instruction. */
bool isa_example(size_t row, unsigned k, char *buf, size_t len);

#endif
