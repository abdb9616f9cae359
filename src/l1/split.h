/* A request of the L1 on its way to lines of the L2, which may be of another size.
 *
 * The L1 speaks of its own lines. A line that is smaller lies in one of the L2: its request is one
 * packet, whose sectors are counted in the L2's line. One that is larger becomes a packet for each
 * line of the L2 that it touches, when it leaves its queue; its answer is whole, and seen by the
 * organisation and the policies, when the last of them has come. */
#ifndef WEIR_L1_SPLIT_H
#define WEIR_L1_SPLIT_H

#include "machine/machine.h"
#include "machine/msg.h"

/* A read, or an atomic, of which packets are under way. */
struct weir_join {
  uint32_t id, next_free; /* id: of the request */
  uint16_t asked, parts;  /* parts: that have come */
  uint8_t sectors, flags; /* the same of 32 bytes; flags of those that have come */
  uint8_t left;           /* packets that have not */
};

/* Where sectors lie. `n` lines of the L2 make one of the L1; 1: a line of the L1 is not larger. */
struct weir_split {
  uint32_t n;
  uint64_t in_line;         /* bytes of an L2 line, less one */
  unsigned sectors, parts;  /* of an L2 line: of 32 bytes, and of l1.sector */
  struct weir_join *v;      /* NULL if n is 1 */
  uint32_t cap, used, free; /* free: first */
  bool is_wrong;            /* an answer was not what had been asked for */
};

/* `most`: reads and atomics that can be under way at once. False: out of memory. */
bool weir_split_init(struct weir_split *s, const struct weir_machine *m, uint32_t most);
bool weir_split_clone(struct weir_split *to, const struct weir_split *from);
/* Memory that it takes. */
double weir_split_bytes(const struct weir_machine *m, uint32_t most);

/* The first packet of what is left of a request, but for its flits. */
struct weir_msg weir_split_cut(const struct weir_split *s, const struct weir_msg *whole);
/* It has been sent; false: it was the last. */
bool weir_split_sent(const struct weir_split *s, struct weir_msg *whole,
                     const struct weir_msg *packet);
/* A read or atomic of `n` packets: they get a name by which their answers find one another. */
void weir_split_open(struct weir_split *s, struct weir_msg *whole, uint32_t n);
/* One of them has come. True: it is the last, and *whole is the answer. */
bool weir_split_join(struct weir_split *s, const struct weir_machine *m, const struct weir_msg *r,
                     struct weir_msg *whole);

/* With nothing under way: what is wrong; NULL: nothing is. */
const char *weir_split_verify(const struct weir_split *s);

#endif
