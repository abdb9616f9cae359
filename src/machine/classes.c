#include "machine/classes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/settings.h"

enum { KEY_BYTES = 32 };
static const char *const field_name[WEIR_N_CLASS_FIELDS] = {"latency", "interval"};

static const char *key_of(enum weir_class c, enum weir_class_field f, char key[KEY_BYTES]) {
  snprintf(key, KEY_BYTES, "sm.%s_%s", weir_class_name(c), field_name[f]);
  return key;
}

/* What was said last counts: a value for the whole takes the place of those that a file read before
 * gave to its parts. */
static bool follows(const struct weir_settings *s, enum weir_class c, enum weir_class_field f) {
  char part[KEY_BYTES], whole[KEY_BYTES];
  const struct weir_setting *p = weir_settings_find(s, key_of(c, f, part));
  const struct weir_setting *w = weir_settings_find(s, key_of(weir_class_part_of(c), f, whole));
  return p->derived != NULL || p->layer == WEIR_LAYER_DEFAULT || weir_setting_order(p, w) < 0;
}

/* GPGPU-Sim sends every instruction of its Fermi to an SP, of which each scheduler has one, or to
 * the SFU, of which the SM has one. Which ones the SFU gets differs: version 3.2 sends integer
 * multiplications there, version 4 doubles. */
static enum weir_class unit_of(enum weir_class c, enum weir_units units) {
  switch (c) {
  case WEIR_C_IDIV:
  case WEIR_C_FDIV:
  case WEIR_C_DDIV:
  case WEIR_C_SFU:
    return WEIR_C_SFU;
  case WEIR_C_IMUL:
  case WEIR_C_IMAD:
    return units == WEIR_UNITS_IMUL_ON_SFU ? WEIR_C_SFU : WEIR_C_INT;
  case WEIR_C_FP64:
  case WEIR_C_DMAX:
  case WEIR_C_DMUL:
  case WEIR_C_DFMA:
    return units == WEIR_UNITS_FP64_ON_SFU ? WEIR_C_SFU : WEIR_C_INT;
  case WEIR_C_BRANCH:
  case WEIR_C_WARP:
    return WEIR_C_INT;
  default:
    return c < WEIR_C_SFU ? WEIR_C_INT : c;
  }
}

void weir_classes_fill(struct weir_machine *m, const struct weir_settings *s) {
  int64_t *const value[WEIR_N_CLASS_FIELDS] = {m->sm.latency, m->sm.interval};
  for (enum weir_class c = 0; c < WEIR_N_CLASSES; c++) {
    enum weir_class whole = weir_class_part_of(c);
    for (enum weir_class_field f = 0; f < WEIR_N_CLASS_FIELDS; f++)
      if (whole != c && follows(s, c, f)) {
        value[f][c] = value[f][whole];
        m->class_follows[f] |= 1u << c;
      }
    m->unit[c] = (uint8_t)(m->sm.units == WEIR_UNITS_BY_CLASS ? whole : unit_of(c, m->sm.units));
  }
  for (enum weir_class c = 0; c < WEIR_N_CLASSES; c++)
    m->slots[c] = 1, m->next_cyc[c] = 1;
  m->slots[WEIR_C_IDIV] = (uint16_t)m->sm.idiv_slots;
  m->slots[WEIR_C_FDIV] = (uint16_t)m->sm.fdiv_slots;
  m->slots[WEIR_C_DDIV] = (uint16_t)m->sm.ddiv_slots;
  m->next_cyc[WEIR_C_BRANCH] = (uint32_t)m->sm.branch_next_cyc;
  m->next_cyc[WEIR_C_IDIV] = (uint32_t)m->sm.idiv_next_cyc;
  m->next_cyc[WEIR_C_FDIV] = (uint32_t)m->sm.fdiv_next_cyc;
  m->next_cyc[WEIR_C_DDIV] = (uint32_t)m->sm.ddiv_next_cyc;
  m->unit_of_sm = m->sm.units == WEIR_UNITS_BY_CLASS ? WEIR_N_CLASSES : WEIR_C_SFU;
}

enum weir_status weir_classes_settle(const struct weir_machine *m, struct weir_settings *s,
                                     struct weir_err *err) {
  const int64_t *const value[WEIR_N_CLASS_FIELDS] = {m->sm.latency, m->sm.interval};
  enum weir_status st = WEIR_OK;
  for (enum weir_class_field f = 0; f < WEIR_N_CLASS_FIELDS; f++)
    for (enum weir_class c = 0; st == WEIR_OK && c < WEIR_N_CLASSES; c++) {
      char text[32], part[KEY_BYTES], whole[KEY_BYTES];
      if ((m->class_follows[f] >> c & 1) == 0) continue;
      snprintf(text, sizeof text, "%" PRId64, value[f][c]);
      st = weir_settings_derive(s, key_of(c, f, part), text,
                                key_of(weir_class_part_of(c), f, whole), err);
    }
  return st;
}
