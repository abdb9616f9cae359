/* The L1 data cache that an SM of the engine talks to. */
#ifndef WEIR_L1_L1_H
#define WEIR_L1_L1_H

#include "sim/l1_port.h"

/* Conventional or sectored, allocating on miss or on fill, by the machine's l1.* parameters. */
extern const struct weir_l1_ops weir_l1_baseline;

#endif
