/* Queues between the LD/ST unit and the L1, for policies that order requests. */
#ifndef WEIR_L1_ORDER_H
#define WEIR_L1_ORDER_H

#include "sim/l1_port.h"

struct weir_order_queues {
  struct weir_order shape; /* queues 0: none */
  uint32_t total;          /* requests that wait */
  uint32_t *n, *head;      /* of each queue */
  struct weir_l1_req *v;   /* [queue][depth], rings */
};

/* False: out of memory. */
bool weir_order_init(struct weir_order_queues *o, struct weir_order shape);
bool weir_order_clone(struct weir_order_queues *to, const struct weir_order_queues *from);
void weir_order_free(struct weir_order_queues *o);
bool weir_order_push(struct weir_order_queues *o, uint32_t queue, const struct weir_l1_req *r);
struct weir_l1_req *weir_order_head(const struct weir_order_queues *o, uint32_t queue);
void weir_order_pop(struct weir_order_queues *o, uint32_t queue);

#endif
