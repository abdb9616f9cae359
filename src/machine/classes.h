/* Latencies, issue intervals and units of the instruction classes. */
#ifndef WEIR_MACHINE_CLASSES_H
#define WEIR_MACHINE_CLASSES_H

#include "machine/machine.h"

struct weir_settings;
/* What a class that is part of another takes from it, and which unit each class uses. */
void weir_classes_fill(struct weir_machine *m, const struct weir_settings *s);
/* Put what a class takes from another back into the settings. */
enum weir_status weir_classes_settle(const struct weir_machine *m, struct weir_settings *s,
                                     struct weir_err *err);

#endif
