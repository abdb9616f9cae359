/* Replies of an L2 slice: how they leave it. */
#include "sim/reply.h"

#include <string.h>

#include "base/fifo.h"
#include "base/hash.h"
#include "machine/machine.h"

enum { SECTOR = 32 };

void weir_take_credits(struct weir_slice *s, uint64_t now) {
  while (s->credits.n > 0 && WEIR_FIFO_HEAD(s->credits).at <= now) {
    s->credit[WEIR_FIFO_HEAD(s->credits).sm] += WEIR_FIFO_HEAD(s->credits).flits;
    WEIR_FIFO_POP(s->credits);
  }
}

void weir_push_reply(struct weir_slice *s, uint64_t addr, const struct weir_l2_waiter *w,
                     uint64_t now) {
  const struct weir_machine *m = s->channel->m;
  bool is_write = w->kind == WEIR_MSG_WRITE;
  unsigned bytes = weir_n_parts(w->parts) * (unsigned)m->l1.sector;
  unsigned n = is_write ? 0 : w->kind == WEIR_MSG_ATOM ? 1 : (bytes + SECTOR - 1) / SECTOR;
  struct weir_msg r = {.at = now + (uint64_t)m->l2.latency,
                       .addr = weir_line_of(s, addr) + w->place * SECTOR,
                       .src = (uint16_t)(s->channel->n_sms + s->id),
                       .dst = (uint16_t)w->src,
                       .id = w->id,
                       .flits = s->channel->flits[n],
                       .kind = is_write ? WEIR_MSG_ACK : WEIR_MSG_DATA,
                       .sectors = w->sectors,
                       .full = w->kind == WEIR_MSG_READ ? w->sectors : 0,
                       .parts = w->parts,
                       .flags = w->flags};
  if (!WEIR_FIFO_PUSH(s->out, r)) s->channel->outbox->is_failed = true;
}

static bool is_merged(const struct weir_msg *r) {
  return (r->flags & WEIR_REP_MERGED) != 0;
}

/* When the first reply can go, if the SM has room: data for several SMs go through the port once.
 */
static uint64_t next_reply(const struct weir_slice *s) {
  if (s->out.n == 0) return WEIR_NEVER;
  const struct weir_msg *r = &WEIR_FIFO_HEAD(s->out);
  return is_merged(r) ? r->at : weir_max64(r->at, s->port_free);
}

/* How much further the SM is from the slice than the nearest ones are (noc.spread_cyc). */
static uint64_t distance(const struct weir_noc_cfg *n, uint16_t slice, uint16_t sm) {
  if (n->spread_cyc == 0) return 0;
  const uint64_t x = weir_splitmix64((uint64_t)slice << 16 | sm) >> 32;
  return x * (uint64_t)(n->spread_cyc + 1) >> 32;
}

/* A reply enters the reply network, if its SM has room for it. */
static bool send_reply(struct weir_slice *s, const struct weir_msg *r, uint64_t now) {
  struct weir_channel *c = s->channel;
  uint32_t *credit = &s->credit[c->has_fifo ? 0 : r->dst];
  if (*credit < r->flits) return false;
  *credit -= r->flits;
  uint64_t at = now;
  if (!c->has_fifo)
    at += r->flits - 1 + (uint64_t)c->m->noc.reply_cyc + distance(&c->m->noc, r->src, r->dst);
  if (r->flags & WEIR_REP_FAR) at += (uint64_t)c->m->l2.far_cyc;
  struct weir_msg *sent = weir_outbox_slot(c->outbox, r->dst, at);
  if (sent != NULL) {
    *sent = *r;
    sent->at = at;
  }
  return true;
}

/* With `first`, which has left, goes the same data for other SMs that waits (l2.multicast). */
static void send_along(struct weir_slice *s, const struct weir_msg *first, uint64_t now) {
  uint16_t sms[WEIR_OUT_LIMIT] = {first->dst}, n = 1;
  for (uint32_t i = 0; i < s->out.n && n < WEIR_OUT_LIMIT; i++) {
    struct weir_msg *r = &WEIR_FIFO_HEAD(s->out);
    if (r[i].at > now) return;
    if (r[i].full != first->full || r[i].addr != first->addr || weir_has_sm(sms, n, r[i].dst) ||
        !send_reply(s, &r[i], now))
      continue;
    sms[n++] = r[i].dst;
    memmove(r + 1, r, i * sizeof *r);
    WEIR_FIFO_POP(s->out);
    i--;
  }
}

/* The port is taken for the packet's flits, by tenths of a cycle: what is left of one belongs to
 * the packet that leaves right behind. */
static void keep_port(struct weir_slice *s, uint32_t flits, uint64_t now) {
  const struct weir_channel *c = s->channel;
  const uint32_t each = c->has_fifo ? 10 : (uint32_t)c->m->noc.reply_tenths;
  const uint32_t rest = s->port_free == now ? s->port_rest : 0;
  const uint32_t tenths = flits * each + rest;
  s->port_free = now + tenths / 10;
  s->port_rest = tenths % 10;
}

/* The first reply leaves, if it can. */
static bool inject_reply(struct weir_slice *s, uint64_t now) {
  const struct weir_msg *r = &WEIR_FIFO_HEAD(s->out);
  s->wants_credit = !send_reply(s, r, now);
  if (s->wants_credit) return false;
  WEIR_FIFO_POP(s->out);
  if (is_merged(r)) return true;
  keep_port(s, r->flits, now);
  if (s->channel->m->l2.multicast && r->full != 0) {
    const struct weir_msg first = *r;
    send_along(s, &first, now);
  }
  return true;
}

/* Packets enter the reply network one after the other, if its port is free and the SM has room,
 * or the slice's queue in front of the crossbar; with it go those that are merged. */
uint64_t weir_inject_replies(struct weir_slice *s, uint64_t now) {
  uint64_t can;
  while ((can = next_reply(s)) <= now)
    if (!inject_reply(s, now)) return s->credits.n > 0 ? WEIR_FIFO_HEAD(s->credits).at : WEIR_NEVER;
  return can;
}
