/* Lanes and warps that meet: exchanges within a warp and barriers of a block, reached from
 * anywhere, with lanes that do not come, have exited or never were. What is asked of an H200 and of
 * the interpreter alike.
 *
 * A case is a module with kernel `k`, a launch and a table of operands, all made here from tables
 * and hashes alone, so that only results need to be stored. A thread gets 32 bytes of operands at
 * in + 32 * i and writes 16 bytes at out + 16 * i (i its number in the grid); what it does not
 * write stays MEET_UNWRITTEN. `count` are MEET_COUNTERS words that are zero at first. */
#ifndef WEIR_TESTS_MEET_CASES_H
#define WEIR_TESTS_MEET_CASES_H

#include <stddef.h>
#include <stdint.h>

enum { MEET_IN_WORDS = 8, MEET_OUT_WORDS = 4, MEET_COUNTERS = 64 };
#define MEET_UNWRITTEN UINT32_C(0xeeeeeeee)

/* What a lane does in a case of an exchange. */
enum meet_act { MEET_A, MEET_B, MEET_EXITS, MEET_AROUND, MEET_OFF /* its guard is false */ };

/* Who comes to an exchange, and what masks are named. */
enum meet_scene {
  MEET_ALL,          /* every lane, full mask */
  MEET_OUTSIDE,      /* a random mask, the others go around */
  MEET_EXITED,       /* some lanes have exited, full mask */
  MEET_EXITED_NAMED, /* some have exited, a mask that names some of them; the others go around */
  MEET_PARTIAL,      /* the block's last warp is not full, full mask */
  MEET_GROUPS,       /* each lane names its own group */
  MEET_TWO,          /* from two places, full mask */
  MEET_TWO_EXITED,
  MEET_TWO_OUTSIDE,
  MEET_TWO_GROUPS, /* one group at each place */
  MEET_GUARDED,    /* a random mask, the guard of the others is false */
  /* From here on the manual leaves open what happens; a GPU may wait for ever. */
  MEET_NOT_NAMED,     /* lanes that are not in the mask they name */
  MEET_AROUND_NAMED,  /* full mask, some go around */
  MEET_GUARDED_NAMED, /* full mask, the guard of some is false */
  MEET_OWN_MASKS,     /* each lane names itself and some others */
  MEET_TWO_KINDS,     /* another kind of exchange at the other place, full mask */
  MEET_BARRIERS       /* no exchange: the kernel is a text of its own */
};

struct meet_case {
  char name[96];
  char *text;
  enum meet_scene scene;
  uint32_t blocks, threads, draw;
  uint32_t key; /* of name, text and launch: to what a stored result belongs */
};

/* All cases, in a fixed order; malloc'ed with their texts. NULL when out of memory. */
struct meet_case *meet_cases(size_t *n);
void meet_cases_free(struct meet_case *cases, size_t n);
size_t meet_case_threads(const struct meet_case *c);
void meet_case_operands(const struct meet_case *c, uint32_t *in);

/* Results of a GPU: for each case a record, then out[] and nothing after other statuses. */
enum meet_status { MEET_OK, MEET_HANGS, MEET_UNSTABLE, MEET_REFUSED, MEET_FAULT };
struct meet_record {
  uint32_t key, status, detail, bytes;
};

#endif
