/* Queues between the LD/ST unit and an L1 whose policies order requests. They belong to the LD/ST
 * unit. */
#ifndef WEIR_L1_ORDER_H
#define WEIR_L1_ORDER_H

#include "l1/l1.h"

struct weir_order_queues {
  struct weir_order shape; /* queues 0: none */
  uint32_t total;          /* requests that wait */
  uint32_t chosen;         /* queue of the request that is presented */
  uint32_t *n, *head;      /* of each queue */
  struct weir_l1_req *v;   /* [queue][depth], rings */
};

/* As many as the L1's policies ask for. False: out of memory. */
bool weir_order_init(struct weir_order_queues *o, const struct weir_l1 *l1);
bool weir_order_clone(struct weir_order_queues *to, const struct weir_order_queues *from);
void weir_order_free(struct weir_order_queues *o);
/* Requests that they can hold; 0: there are none. */
static inline uint32_t weir_order_room(const struct weir_order_queues *o) {
  return o->shape.queues * o->shape.depth;
}
/* Into the queue that the policy chooses; false: that is full. */
bool weir_order_push(struct weir_order_queues *o, struct weir_l1 *l1, struct weir_l1_req *r,
                     uint64_t now);
/* The one to present next (some wait); it leaves its queue when it was taken. */
struct weir_l1_req *weir_order_head(struct weir_order_queues *o, const struct weir_l1 *l1);
void weir_order_pop(struct weir_order_queues *o, struct weir_l1 *l1, uint64_t now);

#endif
