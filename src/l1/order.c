#include "l1/order.h"

#include <stdlib.h>

#include "base/ring.h"

static bool allocate(struct weir_order_queues *o, struct weir_order shape) {
  *o = (struct weir_order_queues){.shape = shape};
  if (shape.queues == 0) return true;
  o->n = weir_calloc(shape.queues, sizeof *o->n);
  o->head = weir_calloc(shape.queues, sizeof *o->head);
  o->v = weir_calloc((size_t)shape.queues * shape.depth, sizeof *o->v);
  return o->n != NULL && o->head != NULL && o->v != NULL;
}

bool weir_order_init(struct weir_order_queues *o, const struct weir_l1 *l1) {
  return allocate(o, weir_l1_order(l1));
}

bool weir_order_clone(struct weir_order_queues *to, const struct weir_order_queues *from) {
  if (!allocate(to, from->shape)) return false;
  to->total = from->total;
  to->chosen = from->chosen;
  if (from->shape.queues == 0) return true;
  memcpy(to->n, from->n, from->shape.queues * sizeof *to->n);
  memcpy(to->head, from->head, from->shape.queues * sizeof *to->head);
  memcpy(to->v, from->v, (size_t)from->shape.queues * from->shape.depth * sizeof *to->v);
  return true;
}

void weir_order_free(struct weir_order_queues *o) {
  free(o->n);
  free(o->head);
  free(o->v);
}

static struct weir_l1_req *at(const struct weir_order_queues *o, uint32_t queue, uint32_t i) {
  uint32_t depth = o->shape.depth;
  return &o->v[(size_t)queue * depth + weir_ring_at(o->head[queue], i, depth)];
}

bool weir_order_push(struct weir_order_queues *o, struct weir_l1 *l1, struct weir_l1_req *r,
                     uint64_t now) {
  uint32_t queue = weir_l1_choose_queue(l1, r, now);
  if (o->n[queue] == o->shape.depth) return false;
  *at(o, queue, o->n[queue]++) = *r;
  o->total++;
  weir_l1_queued(l1, &r->a, queue);
  return true;
}

struct weir_l1_req *weir_order_head(struct weir_order_queues *o, const struct weir_l1 *l1) {
  o->chosen = weir_l1_next_queue(l1, o->n);
  return at(o, o->chosen, 0);
}

void weir_order_pop(struct weir_order_queues *o, struct weir_l1 *l1, uint64_t now) {
  uint32_t queue = o->chosen;
  struct weir_access a = at(o, queue, 0)->a;
  o->head[queue] = weir_ring_at(o->head[queue], 1, o->shape.depth);
  o->n[queue]--;
  o->total--;
  weir_l1_left_queue(l1, &a, queue, now);
}
