#include "sim/xbar.h"

#include "base/mem.h"

static uint32_t words_for(uint32_t n) {
  return (n + 63) / 64;
}

bool weir_xbar_init(struct weir_xbar *x, const struct weir_xbar_shape *shape) {
  *x = (struct weir_xbar){.shape = *shape, .soonest = WEIR_NEVER};
  x->n_in_words = words_for(shape->n_in);
  x->n_out_words = words_for(shape->n_out);
  x->in = weir_calloc(shape->n_in, sizeof *x->in);
  x->out = weir_calloc(shape->n_out, sizeof *x->out);
  x->later = weir_calloc(shape->n_in, sizeof *x->later);
  x->bits = weir_calloc(x->n_out_words + 2 * (size_t)shape->n_out * x->n_in_words, sizeof *x->bits);
  if (x->in == NULL || x->out == NULL || x->later == NULL || x->bits == NULL) return false;
  uint64_t *bits = x->bits;
  x->wanted = bits;
  bits += x->n_out_words;
  for (uint32_t i = 0; i < shape->n_out; i++, bits += 2 * (size_t)x->n_in_words) {
    x->out[i].room = shape->room;
    x->out[i].begin = bits;
    x->out[i].going = bits + x->n_in_words;
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
  free(x->later);
  free(x->bits);
}

static void put_bit(uint64_t *mask, uint32_t i) {
  mask[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *mask, uint32_t i) {
  mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void wait_until(struct weir_xbar *x, uint32_t input, uint64_t at) {
  x->later[x->n_later++] = input;
  x->soonest = weir_min64(x->soonest, at);
}

bool weir_xbar_put(struct weir_xbar *x, const struct weir_msg *m) {
  uint32_t i = m->src - x->shape.first_in;
  struct weir_xbar_in *in = &x->in[i];
  if (!WEIR_FIFO_PUSH(in->queue, *m)) return false;
  x->flits_in += m->flits;
  if (in->queue.n > 1) return true;
  in->sent = 0;
  x->n_active++;
  wait_until(x, i, m->at);
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

/* The head of an input, whose first flit is there, asks for its output. */
static void ask(struct weir_xbar *x, uint32_t input) {
  uint32_t output = WEIR_FIFO_HEAD(x->in[input].queue).dst - x->shape.first_out;
  put_bit(x->out[output].begin, input);
  x->out[output].n_begin++;
  put_bit(x->wanted, output);
}

/* Heads that have their first flit now, or that could not ask in the cycle before. */
static void ask_later(struct weir_xbar *x, uint64_t now) {
  if (x->soonest > now) return;
  uint32_t n = x->n_later;
  x->n_later = 0;
  x->soonest = WEIR_NEVER;
  for (uint32_t k = 0; k < n; k++) {
    uint64_t at = WEIR_FIFO_HEAD(x->in[x->later[k]].queue).at;
    if (at <= now)
      ask(x, x->later[k]);
    else
      wait_until(x, x->later[k], at);
  }
}

/* The first input of either mask from `next` on, round; there is one. */
static uint32_t nearest(const struct weir_xbar *x, const uint64_t *a, const uint64_t *b,
                        uint32_t next) {
  uint32_t w = next / 64;
  uint64_t bits = (a[w] | b[w]) >> next % 64 << next % 64;
  while (bits == 0) {
    w = w + 1 < x->n_in_words ? w + 1 : 0;
    bits = a[w] | b[w];
  }
  return 64 * w + (uint32_t)__builtin_ctzll(bits);
}

/* A packet is through. The one behind it asks in this cycle if the input may give another flit; an
 * output that has chosen sees it in the next. */
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
  if (in->queue.n == 0)
    x->n_active--;
  else if (WEIR_FIFO_HEAD(in->queue).at <= now && in->given < x->shape.speedup)
    ask(x, input);
  else
    wait_until(x, input, weir_max64(WEIR_FIFO_HEAD(in->queue).at, now + 1));
  x->flits_out += m.flits;
  m.at = now + x->shape.hop;
  sink->put(sink->self, &m);
  sink->put(sink->self, &credit);
}

/* A flit of the input, for an output that has chosen it. */
static void give(struct weir_xbar *x, struct weir_xbar_out *o, uint32_t input, uint64_t now,
                 const struct weir_xbar_sink *sink) {
  struct weir_xbar_in *in = &x->in[input];
  const uint32_t flits = WEIR_FIFO_HEAD(in->queue).flits;
  const bool begins = in->sent++ == 0, ends = in->sent >= flits;
  in->given = in->gave_at == now ? in->given + 1 : 1;
  in->gave_at = now;
  if (begins) {
    o->room -= flits;
    o->n_begin--;
    clear_bit(o->begin, input);
  }
  if (begins && !ends) {
    o->n_going++;
    put_bit(o->going, input);
  } else if (ends && !begins) {
    o->n_going--;
    clear_bit(o->going, input);
  }
  if (ends) leave(x, input, now, sink);
}

/* One flit of the heads that want the output, if one may go. Returns when to look again. */
static uint64_t grant(struct weir_xbar *x, uint32_t output, uint64_t now,
                      const struct weir_xbar_sink *sink) {
  struct weir_xbar_out *o = &x->out[output];
  if (o->n_begin > 0 && o->room < x->shape.most) take_credits(o, now);
  const bool has_room = o->room >= x->shape.most;
  if (o->n_going == 0 && !has_room)
    return o->freed.n > 0 ? WEIR_FIFO_HEAD(o->freed).at : WEIR_NEVER;
  const uint32_t input = nearest(x, o->going, has_room ? o->begin : o->going, o->next);
  o->next = input + 1 < x->shape.n_in ? input + 1 : 0;
  give(x, o, input, now, sink);
  if (o->n_begin + o->n_going == 0) clear_bit(x->wanted, output);
  return now + 1;
}

void weir_xbar_run(struct weir_xbar *x, uint64_t from, uint64_t to,
                   const struct weir_xbar_sink *sink) {
  for (uint64_t now = from; now < to && x->n_active > 0;) {
    uint64_t next = WEIR_NEVER;
    ask_later(x, now);
    for (uint32_t w = 0; w < x->n_out_words; w++)
      for (uint64_t above = UINT64_MAX, left; (left = x->wanted[w] & above) != 0;) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(left);
        above = (UINT64_MAX - 1) << bit; /* a packet that becomes the head can ask for these */
        next = weir_min64(next, grant(x, 64 * w + bit, now, sink));
      }
    now = weir_max64(weir_min64(next, x->soonest), now + 1);
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
