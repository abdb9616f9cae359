#include "l1/split.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { SECTOR = 32 };

bool weir_split_init(struct weir_split *s, const struct weir_machine *m, uint32_t most) {
  *s = (struct weir_split){.n = m->l1.line > m->l2.line ? (uint32_t)(m->l1.line / m->l2.line) : 1,
                           .in_line = (uint64_t)m->l2.line - 1,
                           .sectors = (unsigned)(m->l2.line / SECTOR),
                           .parts = (unsigned)(m->l2.line / m->l1.sector),
                           .free = UINT32_MAX};
  if (s->n == 1) return true;
  s->v = weir_calloc(most, sizeof *s->v);
  if (s->v == NULL) return false;
  s->cap = most;
  s->free = 0;
  for (uint32_t i = 0; i < most; i++)
    s->v[i].next_free = i + 1 < most ? i + 1 : UINT32_MAX;
  return true;
}

bool weir_split_clone(struct weir_split *to, const struct weir_split *from) {
  *to = *from;
  if (from->v == NULL) return true;
  to->v = weir_malloc(from->cap * sizeof *to->v);
  if (to->v == NULL) return false;
  memcpy(to->v, from->v, from->cap * sizeof *to->v);
  return true;
}

double weir_split_bytes(const struct weir_machine *m, uint32_t most) {
  return m->l1.line > m->l2.line ? (double)most * sizeof(struct weir_join) : 0;
}

struct weir_msg weir_split_cut(const struct weir_split *s, const struct weir_msg *whole) {
  uint32_t k = (uint32_t)__builtin_ctz(whole->sectors) / s->sectors;
  uint32_t one = (1u << s->sectors) - 1, shift = k * s->sectors;
  uint32_t parts = ((1u << s->parts) - 1) << k * s->parts;
  struct weir_msg p = *whole;
  p.addr += k * (s->in_line + 1);
  p.sectors = (uint8_t)(whole->sectors >> shift & one);
  p.full = (uint8_t)(whole->full >> shift & one);
  p.parts = (uint16_t)(whole->parts & parts);
  return p;
}

bool weir_split_sent(const struct weir_split *s, struct weir_msg *whole,
                     const struct weir_msg *packet) {
  uint32_t k = (uint32_t)((packet->addr - whole->addr) / (s->in_line + 1));
  whole->parts &= (uint16_t)~packet->parts;
  whole->sectors &= (uint8_t) ~(packet->sectors << k * s->sectors);
  return whole->sectors != 0;
}

void weir_split_open(struct weir_split *s, struct weir_msg *whole, uint32_t n) {
  uint32_t i = s->free;
  assert(i != UINT32_MAX); /* as many as can be under way */
  s->free = s->v[i].next_free;
  s->used++;
  s->v[i] = (struct weir_join){.id = whole->id, .asked = whole->parts, .left = (uint8_t)n};
  whole->id = i;
  whole->flags |= WEIR_REQ_PART;
}

bool weir_split_join(struct weir_split *s, const struct weir_machine *m, const struct weir_msg *r,
                     struct weir_msg *whole) {
  struct weir_join *j = &s->v[r->id];
  s->is_wrong |= (j->parts & r->parts) != 0;
  j->parts |= r->parts;
  j->flags |= r->flags;
  j->sectors |= (uint8_t)(r->sectors << r->addr / (s->in_line + 1) % s->n * s->sectors);
  if (--j->left > 0) return false;
  s->is_wrong |= j->parts != j->asked;
  *whole = *r;
  whole->addr = r->addr & ~((uint64_t)m->l1.line - 1);
  whole->id = j->id;
  whole->parts = j->parts;
  whole->flags = (uint8_t)(j->flags & ~WEIR_REQ_PART);
  whole->sectors = j->sectors;
  j->next_free = s->free;
  s->free = r->id;
  s->used--;
  return true;
}

const char *weir_split_verify(const struct weir_split *s) {
  if (s->used != 0) return "packets of a split request have not come";
  return s->is_wrong ? "packets of a split request brought what it had not asked for" : NULL;
}
