/* Numbers as users write them. */
#ifndef WEIR_BASE_NUMBER_H
#define WEIR_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal or 0x..., with an optional sign and an optional suffix K, M or G (powers of 1024; "16K",
 * "16KiB" and "16KB" are the same). False when the text is anything else or does not fit 64 bits.
 */
bool weir_parse_int(const char *text, int64_t *out);
/* Decimal, with '.' and an exponent; suffix as above. Not infinite, not NaN. Independent of the
 * locale. */
bool weir_parse_real(const char *text, double *out);
/* Either of the two. */
bool weir_parse_number(const char *text, double *out);
/* true false yes no on off 1 0 */
bool weir_parse_bool(const char *text, bool *out);

/* The order in which values are shown: numbers by their value (16K before 128K), then names by the
 * alphabet, then "-", which is none. */
int weir_value_order(const char *a, const char *b);
/* Written alike, or numbers of the same value. */
bool weir_value_equal(const char *a, const char *b);

#endif
