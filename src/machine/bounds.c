#include "machine/bounds.h"

#include <inttypes.h>

#include "machine/msg.h"

enum { SECTOR = 32 };

static uint64_t div_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static unsigned line_sectors(const struct weir_machine *m) {
  return (unsigned)m->l1.line / SECTOR;
}

/* What a packet carries at most: the smaller line. */
static unsigned packet_sectors(const struct weir_machine *m) {
  return (unsigned)(m->l1.line < m->l2.line ? m->l1.line : m->l2.line) / SECTOR;
}

/* Bytes that the L2 reads at once, and what is read from DRAM at once. */
static int64_t l2_read(const struct weir_machine *m) {
  return m->l2.sectored ? (int64_t)packet_sectors(m) * SECTOR : m->l2.line;
}
static int64_t dram_read(const struct weir_machine *m) {
  return !m->l3.enabled || m->l3.sectored ? l2_read(m) : m->l2.line;
}

/* What the DRAM is asked for at once, which may be more than anybody wants of it. */
static int64_t dram_fetch(const struct weir_machine *m) {
  const int64_t least = m->l2.sectored ? m->l2.fetch_bytes : m->l2.line;
  return dram_read(m) > least ? dram_read(m) : least;
}

/* What a column access is for: one of a request that is smaller brings the rest for nothing. */
static int64_t column_bytes(const struct weir_machine *m) {
  return dram_read(m) < m->dram.atom_bytes ? dram_read(m) : m->dram.atom_bytes;
}

/* Of a request for so many sectors, and of its answer. */
static uint64_t request_flits(const struct weir_machine *m, unsigned sectors, bool is_write) {
  if (m->noc.request_flits == WEIR_FLITS_SECTORS) return is_write ? sectors : 1;
  return is_write ? weir_flits(&m->noc, sectors * SECTOR)
                  : weir_read_flits(&m->noc, sectors * SECTOR);
}
static uint64_t reply_flits(const struct weir_machine *m, unsigned sectors, bool is_write) {
  return weir_flits(&m->noc, is_write ? 0 : sectors * SECTOR);
}

uint32_t weir_most_flits(const struct weir_machine *m, bool is_reply) {
  unsigned n = packet_sectors(m);
  if (is_reply) return (uint32_t)reply_flits(m, n, false);
  const bool has_mask = m->noc.request_flits == WEIR_FLITS_SECTORS;
  return (uint32_t)weir_max64(request_flits(m, n, true) + has_mask, request_flits(m, n, false));
}

/* ---- latencies ---- */

unsigned weir_l2_fetch(const struct weir_machine *m) {
  return m->l1.sectored ? 1 : line_sectors(m);
}

unsigned weir_dram_fetch(const struct weir_machine *m) {
  bool is_sectored = m->l2.sectored && (!m->l3.enabled || m->l3.sectored);
  unsigned l2 = (unsigned)m->l2.line / SECTOR, asked = weir_l2_fetch(m);
  return is_sectored || asked > l2 ? asked : l2;
}

/* A request is presented in the cycle after its load was issued. */
uint64_t weir_l1_latency(const struct weir_machine *m) {
  return (uint64_t)(1 + m->l1.hit_latency + m->sm.load_extra);
}

uint64_t weir_tags_latency(const struct weir_machine *m) {
  bool is_ahead = m->l1.enabled && m->l1.latency_at == WEIR_L1_AT_TAGS;
  return is_ahead ? (uint64_t)m->l1.hit_latency : 0;
}

/* It is injected in the cycle in which the L1 misses it, and arrives with its last flit. Further
 * packets follow the first at the pace of the ports: of the request port and the slice's input, or
 * of the reply port, whichever is slower. */
uint64_t weir_l2_latency(const struct weir_machine *m, unsigned sectors) {
  unsigned each = packet_sectors(m), first = sectors < each ? sectors : each;
  uint64_t more = div_up(sectors, each) - 1;
  return (uint64_t)(1 + m->noc.request_cyc + m->l2.latency + m->noc.reply_cyc +
                    m->noc.spread_cyc / 2 + m->sm.load_extra) +
         weir_tags_latency(m) + request_flits(m, first, false) - 1 + reply_flits(m, first, false) -
         1 + more * weir_max64(request_flits(m, first, false), reply_flits(m, first, false));
}

/* It is accepted in the cycle in which the L2 misses it. */
uint64_t weir_l3_latency(const struct weir_machine *m, unsigned sectors) {
  return weir_l2_latency(m, sectors) + (uint64_t)m->l3.latency;
}

/* DRAM cycles between column commands of one row. */
static uint64_t column_gap(const struct weir_dram_cfg *d) {
  return (uint64_t)weir_max64(weir_max64((uint64_t)d->t_ccd, (uint64_t)d->t_ccdl),
                              (uint64_t)d->burst_cyc);
}

uint64_t weir_dram_latency(const struct weir_machine *m, unsigned sectors, uint64_t at,
                           enum weir_bank bank) {
  const struct weir_dram_cfg *d = &m->dram;
  uint64_t core = (uint64_t)m->core.clock_mhz, dram = (uint64_t)d->clock_mhz;
  uint64_t columns = div_up(sectors * SECTOR, (uint64_t)d->atom_bytes);
  /* The first command can be issued in the DRAM cycle after the one that has begun by then. */
  uint64_t end = at * dram / core + 1 + (bank == WEIR_BANK_HAS_OTHER ? (uint64_t)d->t_rp : 0) +
                 (bank == WEIR_BANK_HAS_ROW ? 0 : (uint64_t)d->t_rcd) + (uint64_t)d->t_cl +
                 (uint64_t)d->burst_cyc + (columns - 1) * column_gap(d);
  uint64_t l3 = m->l3.enabled ? (uint64_t)m->l3.latency : 0;
  return div_up(end * core, dram) + (uint64_t)d->extra_latency + l3 - at;
}

/* ---- DRAM ---- */

/* DRAM cycles from the opening of a row to the next opening in its bank. */
static uint64_t row_cycle(const struct weir_dram_cfg *d, uint64_t columns, bool is_write) {
  uint64_t last = (uint64_t)d->t_rcd + (columns - 1) * column_gap(d);
  uint64_t close =
      is_write ? last + (uint64_t)(d->t_wl + d->burst_cyc + d->t_wr) : last + (uint64_t)d->t_rtpl;
  return weir_max64((uint64_t)d->t_rc, weir_max64(close, (uint64_t)d->t_ras) + (uint64_t)d->t_rp);
}

/* DRAM cycles that a change from reads to writes and back costs, beyond the gap between two
 * commands. */
static uint64_t turn_around(const struct weir_dram_cfg *d, uint64_t gap) {
  uint64_t to_read = (uint64_t)(d->t_wl + d->burst_cyc + d->t_cdlr),
           to_write = (uint64_t)(d->t_cl + d->burst_cyc);
  to_write = to_write > (uint64_t)d->t_wl ? to_write - (uint64_t)d->t_wl : 0;
  return (to_read > gap ? to_read - gap : 0) + (to_write > gap ? to_write - gap : 0);
}

/* Counted over one row in each bank while the banks take turns: the busiest of data bus, bank
 * groups, activations, banks and (if there is one only) command bus decides. Times are multiplied
 * by the number of groups, so that no division rounds. */
struct weir_rate weir_dram_rate(const struct weir_machine *m, const struct weir_dram_use *use) {
  const struct weir_dram_cfg *d = &m->dram;
  uint64_t banks = use->banks ? use->banks : (uint64_t)d->banks;
  uint64_t groups = use->groups ? use->groups : (uint64_t)d->bank_groups;
  uint64_t gap = weir_max64((uint64_t)d->t_ccd, (uint64_t)d->burst_cyc), n = use->columns * banks;
  uint64_t runs = use->run_reads + use->run_writes;
  bool writes = use->run_writes > 0, both = writes && use->run_reads > 0;
  uint64_t busy = n * weir_max64(gap * groups, (uint64_t)d->t_ccdl);
  if (both) busy += div_up(n * turn_around(d, gap), runs) * groups;
  /* A row takes an activation and a precharge on the row commands' bus. */
  busy = weir_max64(busy, banks * groups * weir_max64((uint64_t)d->t_rrd, 2));
  busy = weir_max64(busy, groups * row_cycle(d, use->columns, writes));
  if (!d->dual_bus) busy = weir_max64(busy, (n + 2 * banks) * groups);
  return (struct weir_rate){n * groups * (uint64_t)(d->atom_bytes * d->clock_mhz),
                            busy * (uint64_t)m->core.clock_mhz};
}

/* A stream through the rows, one after the other, as far as the queue lets it: a row is opened when
 * its first access has entered the queue, D cycles before its first column (its bank has another
 * one open, or none where rows are closed by their last access). A row has R columns, the queue Q
 * places. A row alone is issued at t_ccdl (g), two by turns at t_ccd (c); h is the
 * larger of g and 2 c. A row takes T cycles:
 *
 * - a row is over when the next begins (g Q <= D): T = D + g (R - Q), or D R / Q if Q >= R
 * - else Q - D / g of its columns are left when the next begins, and are issued with as many of
 *   that one. If they are gone before the row after it enters the queue:
 *   T = D + g (R - Q) + (h - g) (Q - D / g)
 * - else, on average, Q / R T = D + c (R - T / g) */
struct weir_rate weir_dram_window(const struct weir_machine *m) {
  const struct weir_dram_cfg *d = &m->dram;
  uint64_t r = (uint64_t)(d->row_bytes / d->atom_bytes), g = column_gap(d),
           c = weir_max64((uint64_t)d->t_ccd, (uint64_t)d->burst_cyc), h = weir_max64(g, 2 * c),
           close = d->page == WEIR_DRAM_CLOSED ? 0 : (uint64_t)d->t_rp,
           open = 1 + close + (uint64_t)d->t_rcd;
  /* A read is accepted if all of it has room. If requests are counted, the one at work is not. */
  uint64_t atoms = div_up((uint64_t)dram_fetch(m), (uint64_t)d->atom_bytes),
           q = (uint64_t)d->queue / atoms * atoms;
  if (d->input_queue > 0) q = (uint64_t)d->queue;
  if (d->queue_counts == WEIR_DRAM_REQUESTS) q = (uint64_t)(d->queue + 1) * atoms;
  uint64_t scale = (uint64_t)(d->atom_bytes * d->clock_mhz), core = (uint64_t)m->core.clock_mhz;
  if (q == 0) return (struct weir_rate){0, 1};
  if (g * q <= open && q >= r) return (struct weir_rate){q * scale, open * core};
  if (g * q <= open) return (struct weir_rate){r * scale, (open + g * (r - q)) * core};
  uint64_t left = g * q - open; /* of the columns, times g */
  if (left + g * q <= g * r)
    return (struct weir_rate){r * g * scale, (g * (open + g * (r - q)) + (h - g) * left) * core};
  return (struct weir_rate){(q * g + c * r) * scale, (open + c * r) * g * core};
}

/* ---- caps ---- */

const char *const weir_flow_names[WEIR_N_FLOWS] = {
    [WEIR_FLOW_L1_READ] = "L1 hits",           [WEIR_FLOW_L2_READ] = "L2 hits",
    [WEIR_FLOW_L2_BYPASS] = "L2 hits, bypass", [WEIR_FLOW_L2_WRITE] = "stores to L2",
    [WEIR_FLOW_DRAM_READ] = "DRAM reads",      [WEIR_FLOW_DRAM_BYPASS] = "DRAM reads, bypass",
    [WEIR_FLOW_DRAM_WRITE] = "stores to DRAM",
};

#define FLOW(f)    (1u << WEIR_FLOW_##f)
#define L1_MISSES  (FLOW(L2_READ) | FLOW(DRAM_READ))
#define BYPASSES   (FLOW(L2_BYPASS) | FLOW(DRAM_BYPASS))
#define WRITES     (FLOW(L2_WRITE) | FLOW(DRAM_WRITE))
#define DRAM_READS (FLOW(DRAM_READ) | FLOW(DRAM_BYPASS))
#define L2_HITS    (FLOW(L2_READ) | FLOW(L2_BYPASS))
#define READS      (L1_MISSES | BYPASSES)
#define ALL        (READS | WRITES | FLOW(L1_READ))

static const struct {
  unsigned flows;
  const char *where, *params;
} caps[WEIR_N_CAPS] = {
    [WEIR_CAP_ISSUE] = {ALL, "issue of an SM",
                        "sm.load_interval, sm.store_interval, sm.schedulers"},
    [WEIR_CAP_L1_HIT] = {FLOW(L1_READ), "data port of an L1, hits", "l1.port_bytes"},
    [WEIR_CAP_L1_FILL] = {L1_MISSES, "data port of an L1, fills", "l1.port_bytes"},
    [WEIR_CAP_L1_MSHR] = {L1_MISSES, "MSHRs of an L1", "l1.mshr_entries over the latency"},
    [WEIR_CAP_INFLIGHT] = {READS, "loads in flight of an SM", "sm.inflight over the latency"},
    [WEIR_CAP_REPLY_PORT] = {READS | WRITES, "reply port of an SM",
                             "noc.flit_bytes, noc.header_bytes"},
    [WEIR_CAP_REQUEST_PORT] = {READS | WRITES, "request port of an SM",
                               "noc.flit_bytes, noc.header_bytes"},
    [WEIR_CAP_REQUEST_QUEUE] = {READS | WRITES, "crossbar queue of an SM",
                                "noc.input_buffer over noc.credit_cyc"},
    [WEIR_CAP_REQUEST_CREDIT] = {READS | WRITES, "request credits of an SM and slice",
                                 "noc.request_buffer over noc.request_cyc + noc.credit_cyc"},
    [WEIR_CAP_SLICE_IN] = {READS | WRITES, "input port of an L2 slice",
                           "noc.flit_bytes, noc.header_bytes"},
    [WEIR_CAP_SLICE_OUT] = {READS | WRITES, "reply port of an L2 slice",
                            "noc.flit_bytes, noc.header_bytes"},
    [WEIR_CAP_L2_PORT] = {L2_HITS | WRITES, "data port of an L2 slice", "l2.port_bytes"},
    [WEIR_CAP_REPLY_QUEUE] = {READS | WRITES, "crossbar queue of an L2 slice",
                              "noc.input_buffer over noc.credit_cyc"},
    [WEIR_CAP_REPLY_CREDIT] = {READS | WRITES, "reply credits of a slice and SM",
                               "noc.reply_buffer over noc.reply_cyc + noc.credit_cyc"},
    [WEIR_CAP_L2_MSHR] = {DRAM_READS, "MSHRs of an L2 slice", "l2.mshr_entries over the latency"},
    [WEIR_CAP_L3] = {DRAM_READS | FLOW(DRAM_WRITE), "requests of an L3 slice", "one per cycle"},
    [WEIR_CAP_L3_MSHR] = {DRAM_READS, "MSHRs of an L3 slice", "l3.mshr_entries over the latency"},
    [WEIR_CAP_DRAM] = {DRAM_READS | FLOW(DRAM_WRITE), "DRAM channel",
                       "dram.clock_mhz, dram.atom_bytes, dram.burst_cyc, dram.t_*"},
};

static struct weir_rate lines(const struct weir_machine *m, uint64_t n, uint64_t cycles) {
  return (struct weir_rate){n * (uint64_t)m->l1.line, cycles};
}

static struct weir_rate packets(const struct weir_machine *m, uint64_t n, uint64_t cycles) {
  return (struct weir_rate){n * packet_sectors(m) * SECTOR, cycles};
}

/* A buffer of whole packets: each place is free again when the packet has arrived and the credit
 * has come back. */
static struct weir_rate credits(const struct weir_machine *m, int64_t buffer, uint64_t packet,
                                int64_t hop) {
  return packets(m, (uint64_t)buffer / packet, packet - 1 + (uint64_t)(hop + m->noc.credit_cyc));
}

/* From the probe of an L1 to its line, from the L2 or, with the row open, from DRAM. There a line
 * of several packets goes through columns and ports at once, and the slower of them decides; a
 * channel has as much of it as a slice has. */
static uint64_t line_latency(const struct weir_machine *m, bool is_dram) {
  unsigned all = line_sectors(m), each = packet_sectors(m), near = all;
  uint64_t before = (uint64_t)(1 + m->sm.load_extra) + weir_tags_latency(m);
  if (!is_dram) return weir_l2_latency(m, all) - before;
  if (m->dram.channels > 1 && m->l2.interleave < m->l1.line)
    near = (unsigned)m->l2.interleave / SECTOR;
  uint64_t columns = weir_l2_latency(m, each) + weir_dram_latency(m, near, 0, WEIR_BANK_HAS_ROW),
           ports = weir_l2_latency(m, all) + weir_dram_latency(m, each, 0, WEIR_BANK_HAS_ROW);
  return weir_max64(columns, ports) - before;
}

/* Little's law: `n` places for `bytes` in each of `units`, taken for `idle` cycles and for what the
 * rows of the DRAM add.
 *
 * A stream of lines in order keeps so many columns under way in a channel, and opens a row every
 * `row` of them. The first of a row waits D for that, the others arrive behind it and leave in the
 * same distance; a place that one of them gives back D later is taken D later by the column that
 * comes so many after it. Once a row is under way as a whole all its columns inherit D from the
 * first, and before that as great a part of them as is under way. */
static struct weir_rate places(const struct weir_machine *m, int64_t n, int64_t bytes,
                               int64_t units, uint64_t idle, bool is_dram) {
  uint64_t all = (uint64_t)(n * bytes);
  if (!is_dram) return (struct weir_rate){all, idle};
  const struct weir_dram_cfg *d = &m->dram;
  unsigned sectors = (unsigned)bytes / SECTOR;
  enum weir_bank before = d->page == WEIR_DRAM_CLOSED ? WEIR_BANK_CLOSED : WEIR_BANK_HAS_OTHER;
  uint64_t opening = weir_dram_latency(m, sectors, 0, before) -
                     weir_dram_latency(m, sectors, 0, WEIR_BANK_HAS_ROW),
           row = (uint64_t)(d->row_bytes / column_bytes(m)),
           under_way = (uint64_t)(n * units * bytes / column_bytes(m) / d->channels),
           waiting = under_way < row ? under_way : row;
  return (struct weir_rate){all * row, idle * row + opening * waiting};
}

static struct weir_rate sm_rate(const struct weir_machine *m, enum weir_cap_id id, bool is_write,
                                bool is_dram) {
  const bool by_banks = m->sm.coalesce_by == WEIR_BY_BANKS; /* of 4 bytes, 32 of them */
  uint64_t port = div_up((uint64_t)m->l1.line, by_banks ? 128 : (uint64_t)m->l1.port_bytes);
  int64_t interval = m->sm.interval[is_write ? WEIR_C_STORE : WEIR_C_LOAD];
  switch (id) {
  case WEIR_CAP_ISSUE: /* one access per cycle, whichever scheduler issues it */
    return lines(m, (uint64_t)m->sm.schedulers,
                 weir_max64((uint64_t)interval, (uint64_t)m->sm.schedulers));
  case WEIR_CAP_L1_HIT:
    return lines(m, 1, port);
  case WEIR_CAP_L1_FILL: /* the probe needs a cycle in which the port is free */
    return lines(m, 1, by_banks ? port : port + 1);
  case WEIR_CAP_L1_MSHR:
    return places(m, m->l1.mshr_entries, m->l1.line, m->sm.count, line_latency(m, is_dram),
                  is_dram);
  case WEIR_CAP_INFLIGHT:
    return places(m, m->sm.inflight, m->l1.line, m->sm.count, line_latency(m, is_dram), is_dram);
  case WEIR_CAP_REPLY_PORT:
    return packets(m, 1,
                   div_up(reply_flits(m, packet_sectors(m), is_write), (uint64_t)m->noc.sm_flits));
  default: /* WEIR_CAP_REQUEST_PORT */
    return packets(m, 1, request_flits(m, packet_sectors(m), is_write));
  }
}

/* What an MSHR of the L2 or L3 stands for at best: its line, as far as reads can merge to it. */
static int64_t merged(const struct weir_machine *m, int64_t merge, int64_t read) {
  return merge * read < m->l2.line ? merge * read : m->l2.line;
}

/* Those of the L2 or L3, each for `bytes`, which are there `early` cycles before they are in the
 * L2. */
static struct weir_rate mshrs(const struct weir_machine *m, int64_t n, int64_t bytes, int64_t units,
                              uint64_t early) {
  uint64_t idle = weir_dram_latency(m, (unsigned)bytes / SECTOR, 0, WEIR_BANK_HAS_ROW) - early;
  return places(m, n, bytes, units, idle, true);
}

/* The data port of a slice. A store that finds its line has no more to do; one that does not
 * replaces another line, which is read to be written back. */
static struct weir_rate port_rate(const struct weir_machine *m, enum weir_flow flow) {
  uint64_t line = (uint64_t)m->l2.line, packet = packet_sectors(m) * SECTOR,
           port = (uint64_t)m->l2.port_bytes, each = div_up(packet, port);
  if (flow != WEIR_FLOW_DRAM_WRITE) return (struct weir_rate){packet, each};
  return (struct weir_rate){line, (line / packet - 1) * each + each + div_up(line, port)};
}

/* Rows from end to end. Where stores go on to the DRAM and fetch their sectors, these are read
 * besides, and at best nothing is lost by changes of direction. */
static struct weir_rate channel_rate(const struct weir_machine *m, bool is_write) {
  int64_t each = is_write ? m->dram.atom_bytes : column_bytes(m);
  bool is_fetched = is_write && m->l2.write_miss == WEIR_L2_FORWARD;
  struct weir_dram_use rows = {.columns = (uint64_t)(m->dram.row_bytes / each),
                               .run_writes = is_write};
  struct weir_rate r = weir_dram_rate(m, &rows);
  r.bytes = r.bytes / (uint64_t)m->dram.atom_bytes * (uint64_t)each;
  if (is_fetched) r.cycles *= 2;
  return r;
}

static struct weir_rate memory_rate(const struct weir_machine *m, enum weir_cap_id id,
                                    enum weir_flow flow) {
  bool is_write = WRITES >> flow & 1;
  unsigned n = packet_sectors(m);
  uint64_t request = request_flits(m, n, is_write), reply = reply_flits(m, n, is_write);
  const struct weir_dram_cfg *d = &m->dram;
  switch (id) {
  case WEIR_CAP_REQUEST_QUEUE: /* a place is free when its packet has left the queue */
    return credits(m, m->noc.input_buffer, request, 0);
  case WEIR_CAP_REPLY_QUEUE:
    return credits(m, m->noc.input_buffer, reply, 0);
  case WEIR_CAP_REQUEST_CREDIT:
    return credits(m, m->noc.request_buffer, request, m->noc.request_cyc);
  case WEIR_CAP_SLICE_IN:
    return packets(m, 10, request * (uint64_t)m->noc.slice_tenths);
  case WEIR_CAP_SLICE_OUT:
    return packets(m, 10, reply * (uint64_t)m->noc.reply_tenths);
  case WEIR_CAP_L2_PORT:
    return port_rate(m, flow);
  case WEIR_CAP_REPLY_CREDIT:
    return credits(m, m->noc.reply_buffer, reply, m->noc.reply_cyc);
  case WEIR_CAP_L2_MSHR:
    return mshrs(m, m->l2.mshr_entries, merged(m, m->l2.mshr_merge, l2_read(m)), m->l2.slices, 0);
  case WEIR_CAP_L3: /* L2 lines are written back whole */
    return (struct weir_rate){(uint64_t)(is_write ? m->l2.line : l2_read(m)), 1};
  case WEIR_CAP_L3_MSHR: /* until the data are in the L3 */
    return mshrs(m, m->l3.mshr_entries, merged(m, m->l3.mshr_merge, dram_read(m)), d->channels,
                 (uint64_t)m->l3.latency);
  default: /* WEIR_CAP_DRAM */
    return channel_rate(m, is_write);
  }
}

bool weir_cap(const struct weir_machine *m, enum weir_cap_id id, enum weir_flow flow,
              struct weir_cap *cap) {
  if (!(caps[id].flows >> flow & 1)) return false;
  if (!m->l1.enabled && ((FLOW(L1_READ) | L1_MISSES) >> flow & 1)) return false;
  bool is_l3 = id == WEIR_CAP_L3 || id == WEIR_CAP_L3_MSHR;
  if (is_l3 && !m->l3.enabled) return false;
  if (id == WEIR_CAP_L2_PORT && m->l2.port_bytes == 0) return false;
  bool has_fifo = m->noc.crossbar == WEIR_XBAR_FIFO;
  bool is_queue = id == WEIR_CAP_REQUEST_QUEUE || id == WEIR_CAP_REPLY_QUEUE;
  if (is_queue && !has_fifo) return false;
  bool is_write = WRITES >> flow & 1, is_dram = DRAM_READS >> flow & 1;
  uint64_t sms = (uint64_t)m->sm.count, slices = (uint64_t)m->l2.slices;
  *cap = (struct weir_cap){.where = caps[id].where, .params = caps[id].params, .units = sms};
  if ((id == WEIR_CAP_L1_HIT || id == WEIR_CAP_L1_FILL) && m->sm.coalesce_by == WEIR_BY_BANKS)
    cap->params = "sm.coalesce_by";
  if (id == WEIR_CAP_REPLY_PORT && m->noc.sm_flits > 1)
    cap->params = "noc.flit_bytes, noc.header_bytes, noc.sm_flits";
  const bool is_in = id == WEIR_CAP_REQUEST_PORT || id == WEIR_CAP_SLICE_IN;
  if (is_in && m->noc.request_flits == WEIR_FLITS_SECTORS) cap->params = "noc.request_flits";
  if (id <= WEIR_CAP_REQUEST_PORT) {
    cap->each = sm_rate(m, id, is_write, is_dram);
    return true;
  }
  cap->each = memory_rate(m, id, flow);
  bool is_credit = id == WEIR_CAP_REQUEST_CREDIT || id == WEIR_CAP_REPLY_CREDIT;
  if (id == WEIR_CAP_REQUEST_QUEUE || (id == WEIR_CAP_REPLY_CREDIT && has_fifo))
    cap->units = sms;
  else if (is_credit && !has_fifo)
    cap->units = sms * slices;
  else
    cap->units = is_l3 || id == WEIR_CAP_DRAM ? (uint64_t)m->dram.channels : slices;
  return true;
}

struct weir_cap weir_bottleneck(const struct weir_machine *m, enum weir_flow flow) {
  struct weir_cap best = {0}, c;
  for (unsigned id = 0; id < WEIR_N_CAPS; id++)
    if (weir_cap(m, id, flow, &c) &&
        (best.where == NULL || weir_cap_value(&c) < weir_cap_value(&best)))
      best = c;
  return best;
}

/* A store of parts of sectors has one flit more than one of whole ones, by which the caps go. */
static bool is_short(const struct weir_machine *m, unsigned id, unsigned flow) {
  if (!(WRITES >> flow & 1)) return false;
  const int64_t most = weir_most_flits(m, false);
  return (id == WEIR_CAP_REQUEST_CREDIT && most > m->noc.request_buffer) ||
         (id == WEIR_CAP_REQUEST_QUEUE && most > m->noc.input_buffer);
}

/* Whole packets and whole lines are the only things that may not fit: every other cap is a quotient
 * of numbers that are at least one. */
enum weir_status weir_bounds_check(const struct weir_machine *m, struct weir_err *err) {
  struct weir_cap c;
  uint64_t packet = weir_most_flits(m, false);
  if (weir_dram_window(m).bytes == 0)
    return weir_fail(err, WEIR_EINVAL,
                     "machine %s: DRAM reads have no bandwidth: one is %" PRId64
                     " column accesses, but dram.queue holds only %" PRId64,
                     m->name, dram_fetch(m) / m->dram.atom_bytes, m->dram.queue);
  for (unsigned flow = 0; flow < WEIR_N_FLOWS; flow++)
    for (unsigned id = 0; id < WEIR_N_CAPS; id++) {
      if (!weir_cap(m, id, flow, &c) || (c.each.bytes > 0 && !is_short(m, id, flow))) continue;
      bool is_request = id == WEIR_CAP_REQUEST_CREDIT;
      bool is_queue = id == WEIR_CAP_REQUEST_QUEUE || id == WEIR_CAP_REPLY_QUEUE;
      weir_fail(err, WEIR_EINVAL,
                "machine %s: %s have no bandwidth: a packet has up to %" PRIu64
                " flits, but %s holds only %" PRId64,
                m->name, weir_flow_names[flow], packet,
                is_queue     ? "noc.input_buffer"
                : is_request ? "noc.request_buffer"
                             : "noc.reply_buffer",
                is_queue     ? m->noc.input_buffer
                : is_request ? m->noc.request_buffer
                             : m->noc.reply_buffer);
      weir_err_add(err, "remedy: enlarge the buffer or noc.flit_bytes");
      return WEIR_EINVAL;
    }
  return WEIR_OK;
}
