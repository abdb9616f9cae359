/* What the two units of the program `two_units` know of each other. */
#ifndef PROGRAMS_TWO_UNITS_H
#define PROGRAMS_TWO_UNITS_H

int second_unit(int *data, int n);
void second_set_bias(int bias);

#endif
