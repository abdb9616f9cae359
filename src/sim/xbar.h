/* A crossbar with one queue at each input (noc.crossbar fifo): only the packet at the head of a
 * queue can go, so one that waits for its output holds up those behind it, whose outputs may be
 * free. Each output takes a flit per cycle from one of the heads that want it, by turns. An
 * input gives one, or with a speedup more: outputs choose in ascending order, and those that come
 * later see the packet behind a head that has gone.
 *
 * A packet is known to it from the cycle of its first flit on, and leaves with its last, for which
 * the receiver has kept room since the first. There are two crossbars, for requests and for
 * replies. They belong to the engine, which runs them between windows: all that was sent in one is
 * then known, and what leaves them arrives in the next or later. */
#ifndef WEIR_SIM_XBAR_H
#define WEIR_SIM_XBAR_H

#include "machine/msg.h"

struct weir_xbar_in {
  struct {
    struct weir_msg *v;
    uint32_t head, n, cap;
  } queue;        /* `at`: the cycle of the first flit */
  uint32_t sent;  /* flits of the head that are through */
  uint32_t given; /* flits in cycle `gave_at` */
  uint64_t gave_at;
};

struct weir_xbar_out {
  struct {
    struct place {
      uint64_t at;
      uint32_t flits;
    } * v;
    uint32_t head, n, cap;
  } freed;       /* places of the receiver that are free again from then on */
  uint32_t room; /* flits that the receiver has room for */
  uint32_t next; /* the input whose turn it is */
  /* Inputs whose head wants it, a bit each: those that have to begin, and those that have. */
  uint64_t *begin, *going;
  uint32_t n_begin, n_going;
};

/* Component ids of its inputs and of its outputs follow one another. */
struct weir_xbar_shape {
  uint32_t first_in, n_in, first_out, n_out;
  uint32_t room;    /* of a receiver, flits */
  uint32_t most;    /* of a packet; one begins when there is room for that much, or small ones could
                       keep a large one out for ever */
  uint32_t speedup; /* flits that an input gives in a cycle at most */
  uint64_t hop, credit_cyc; /* from the crossbar to the receiver; back to the sender */
};

struct weir_xbar {
  struct weir_xbar_shape shape;
  struct weir_xbar_in *in;
  struct weir_xbar_out *out;
  uint32_t n_active; /* inputs that have a packet; the head of each is wanted, or comes later */
  uint64_t *wanted;  /* outputs that a head asks for, a bit each */
  uint32_t *later;   /* inputs whose head has no flit yet, or may not ask in this cycle */
  uint32_t n_later;
  uint64_t soonest; /* when the first of these has one */
  uint32_t n_in_words, n_out_words;
  uint64_t *bits; /* of all masks */
  uint64_t flits_in, flits_out;
};

/* Takes a packet for its receiver, or a credit for its sender, which has `flits` places of its
 * queue back. */
struct weir_xbar_sink {
  void (*put)(void *self, const struct weir_msg *m);
  void *self;
};

/* False: out of memory. */
bool weir_xbar_init(struct weir_xbar *x, const struct weir_xbar_shape *shape);
void weir_xbar_free(struct weir_xbar *x);
/* A packet; those of a sender come in the order of sending. False: out of memory. */
bool weir_xbar_put(struct weir_xbar *x, const struct weir_msg *m);
/* The receiver `m->src` has `m->flits` places again, from cycle `m->at` on; they come in the order
 * of time. */
bool weir_xbar_credit(struct weir_xbar *x, const struct weir_msg *m);
/* Cycles from `from` to the one before `to`. */
void weir_xbar_run(struct weir_xbar *x, uint64_t from, uint64_t to,
                   const struct weir_xbar_sink *sink);
static inline bool weir_xbar_is_empty(const struct weir_xbar *x) {
  return x->n_active == 0;
}
/* At the end of a kernel, when nothing is under way: take all credits. NULL: everything has been
 * given back; else what has not. */
const char *weir_xbar_rest(struct weir_xbar *x);

#endif
