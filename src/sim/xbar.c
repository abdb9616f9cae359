#include "sim/xbar.h"

#include "base/mem.h"

enum { NOBODY = UINT32_MAX };

bool weir_xbar_init(struct weir_xbar *x, const struct weir_xbar_shape *shape) {
  *x = (struct weir_xbar){.shape = *shape};
  x->in = weir_calloc(shape->n_in, sizeof *x->in);
  x->out = weir_calloc(shape->n_out, sizeof *x->out);
  x->active = weir_calloc(shape->n_in, sizeof *x->active);
  x->n_words = (shape->n_out + 63) / 64;
  x->wanted = weir_calloc(x->n_words, sizeof *x->wanted);
  if (x->in == NULL || x->out == NULL || x->active == NULL || x->wanted == NULL) return false;
  for (uint32_t i = 0; i < shape->n_out; i++) {
    x->out[i].room = shape->room;
    x->out[i].best = NOBODY;
  }
  return true;
}

void weir_xbar_free(struct weir_xbar *x) {
  for (uint32_t i = 0; x->in != NULL && i < x->shape.n_in; i++)
    free(x->in[i].queue.v);
  for (uint32_t i = 0; x->out != NULL && i < x->shape.n_out; i++)
    free(x->out[i].freed.v);
  free(x->in);
  free(x->out);
  free(x->active);
  free(x->wanted);
}

bool weir_xbar_put(struct weir_xbar *x, const struct weir_msg *m) {
  uint32_t i = m->src - x->shape.first_in;
  struct weir_xbar_in *in = &x->in[i];
  if (!WEIR_FIFO_PUSH(in->queue, *m)) return false;
  x->flits_in += m->flits;
  if (in->queue.n > 1) return true;
  in->sent = 0;
  in->position = x->n_active;
  x->active[x->n_active++] = i;
  return true;
}

bool weir_xbar_credit(struct weir_xbar *x, const struct weir_msg *m) {
  struct place p = {.at = m->at, .flits = m->flits};
  return WEIR_FIFO_PUSH(x->out[m->src - x->shape.first_out].freed, p);
}

static void take_credits(struct weir_xbar_out *o, uint64_t now) {
  while (o->freed.n > 0 && WEIR_FIFO_HEAD(o->freed).at <= now) {
    o->room += WEIR_FIFO_HEAD(o->freed).flits;
    WEIR_FIFO_POP(o->freed);
  }
}

/* Steps from the input whose turn it is. */
static uint32_t distance(const struct weir_xbar *x, const struct weir_xbar_out *o, uint32_t input) {
  return input >= o->next ? input - o->next : input + x->shape.n_in - o->next;
}

/* The head of an input asks for its output, if that is not below `from`; returns when it can do so
 * if not now. */
static uint64_t ask(struct weir_xbar *x, uint32_t input, uint32_t from, uint64_t now) {
  const struct weir_xbar_in *in = &x->in[input];
  const struct weir_msg *m = &WEIR_FIFO_HEAD(in->queue);
  if (m->at + in->sent > now) return m->at + in->sent;
  uint32_t output = m->dst - x->shape.first_out;
  if (output < from) return now;
  struct weir_xbar_out *o = &x->out[output];
  if (in->sent == 0) {
    take_credits(o, now);
    if (o->room < x->shape.most) return o->freed.n > 0 ? WEIR_FIFO_HEAD(o->freed).at : WEIR_NEVER;
  }
  x->wanted[output / 64] |= UINT64_C(1) << output % 64;
  if (o->best == NOBODY || distance(x, o, input) < distance(x, o, o->best)) o->best = input;
  return now;
}

static void leave(struct weir_xbar *x, uint32_t input, uint64_t now,
                  const struct weir_xbar_sink *sink) {
  struct weir_xbar_in *in = &x->in[input];
  struct weir_msg m = WEIR_FIFO_HEAD(in->queue);
  const struct weir_msg credit = {.at = now + x->shape.credit_cyc,
                                  .kind = WEIR_MSG_CREDIT,
                                  .src = (uint16_t)x->shape.first_out,
                                  .dst = m.src,
                                  .flits = m.flits};
  WEIR_FIFO_POP(in->queue);
  in->sent = 0;
  if (in->queue.n == 0) {
    uint32_t last = x->active[--x->n_active];
    x->active[in->position] = last;
    x->in[last].position = in->position;
  }
  x->flits_out += m.flits;
  m.at = now + x->shape.hop;
  sink->put(sink->self, &m);
  sink->put(sink->self, &credit);
}

/* The input that was chosen gives a flit; if its packet is through, the next may still find its
 * output. */
static void grant(struct weir_xbar *x, uint32_t output, uint64_t now,
                  const struct weir_xbar_sink *sink) {
  struct weir_xbar_out *o = &x->out[output];
  uint32_t input = o->best;
  struct weir_xbar_in *in = &x->in[input];
  o->best = NOBODY;
  o->next = input + 1 < x->shape.n_in ? input + 1 : 0;
  uint16_t flits = WEIR_FIFO_HEAD(in->queue).flits;
  if (in->sent++ == 0) o->room -= flits;
  in->given++;
  if (in->sent < flits) return;
  leave(x, input, now, sink);
  if (in->queue.n > 0 && in->given < x->shape.speedup) ask(x, input, output + 1, now);
}

void weir_xbar_run(struct weir_xbar *x, uint64_t from, uint64_t to,
                   const struct weir_xbar_sink *sink) {
  for (uint64_t now = from; now < to && x->n_active > 0;) {
    uint64_t next = WEIR_NEVER;
    for (uint32_t k = 0; k < x->n_active; k++) {
      x->in[x->active[k]].given = 0;
      next = weir_min64(next, ask(x, x->active[k], 0, now));
    }
    for (uint32_t w = 0; w < x->n_words; w++)
      while (x->wanted[w] != 0) {
        uint32_t bit = (uint32_t)__builtin_ctzll(x->wanted[w]);
        x->wanted[w] &= x->wanted[w] - 1;
        grant(x, 64 * w + bit, now, sink);
      }
    now = weir_max64(next, now + 1);
  }
}

const char *weir_xbar_rest(struct weir_xbar *x) {
  if (x->n_active > 0) return "packets in a queue";
  if (x->flits_in != x->flits_out) return "flits that came in, and that went out";
  for (uint32_t i = 0; i < x->shape.n_out; i++) {
    take_credits(&x->out[i], WEIR_NEVER);
    if (x->out[i].room != x->shape.room) return "places of a receiver";
  }
  return NULL;
}
