#include "report/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"

/* ---- what is kept of samples until a kernel's end is known ---- */

enum counter { /* of an SM; first those that are counted, shown by interval */
               ISSUED,
               HITS,
               PENDING,
               PARTIAL,
               MISSES,
               BYPASSES,
               N_COUNTED,
               MSHRS = N_COUNTED, /* from here on levels */
               MISS_QUEUE,
               BYPASS_QUEUE,
               LDST_QUEUE,
               INFLIGHT,
               BLOCKS,
               N_COUNTERS
};
static const char *const counter_names[N_COUNTERS] = {
    "warp instructions",  "L1 hits", "L1 hits on pending", "L1 partial misses", "L1 misses",
    "L1 bypasses",        "MSHRs",   "miss queue",         "bypass queue",      "LD/ST queue",
    "requests in flight", "blocks"};
static const char *const look_names[WEIR_N_LOOKS] = {
    "", "issued", "ready", "load", "dependency", "LD/ST", "unit", "barrier", "fence", "gate"};

enum kind { SLICE, COUNTER, PART };
struct entry {
  uint64_t at, value; /* value of a slice: its end */
  uint64_t seen;      /* the cycle of the sample that it comes from */
  uint8_t kind, a, b; /* slice: slot and look; counter; part and row of its statistics */
};

struct sm {
  struct {
    struct entry *v;
    size_t n, cap;
  } entries; /* of the kernel that runs */
  uint32_t n_warps;
  uint64_t lost_at; /* the first that was not kept */
  uint64_t last;    /* cycle of the last sample */
  bool has_last, is_failed;
  uint8_t look[WEIR_MAX_WARPS];
  uint64_t since[WEIR_MAX_WARPS];
  uint64_t counted[N_COUNTED]; /* until the last sample */
  uint64_t shown[N_COUNTERS];  /* the last value; UINT64_MAX: none */
  uint64_t parts[WEIR_MAX_PARTS][WEIR_MAX_PART_STATS];
  uint64_t shown_parts[WEIR_MAX_PARTS][WEIR_MAX_PART_STATS];
  const struct weir_part *part[WEIR_MAX_PARTS];
  bool has_parts;
};

struct weir_timeline {
  struct weir_timeline_options o;
  struct weir_sampler sampler;
  struct sm *sms;
  uint32_t n_wanted, first; /* SMs; the first of them */
  size_t max_entries;       /* of an SM in a kernel */
  const struct weir_kernel_info *kernel;
  uint64_t start, shift, last_end; /* shift: from cycles of the simulation to times */
  uint64_t full_at;
  struct weir_text text; /* events, each after a comma */
  bool is_failed;
};

/* Processes: that of the kernels, and one for each SM. 0 stands for idleness elsewhere. */
enum { KERNELS = 1, FIRST_SM = 2 };
/* An event takes at least as many bytes as this. */
enum { LEAST_BYTES = 56, TAIL_BYTES = 1024, NAME_BYTES = 200 };

static void keep(const struct weir_timeline *t, struct sm *m, struct entry e) {
  if (m->entries.n >= t->max_entries)
    m->lost_at = e.at < m->lost_at ? e.at : m->lost_at;
  else
    m->is_failed |= !WEIR_PUSH(m->entries, e);
}

static void see_warps(const struct weir_timeline *t, struct sm *m, const struct weir_sample *s) {
  for (uint32_t i = 0; i < s->n_warps; i++) {
    if (m->look[i] == s->look[i]) continue;
    if (m->look[i] != WEIR_LOOK_ABSENT)
      keep(t, m,
           (struct entry){.at = m->since[i],
                          .value = s->cycle,
                          .seen = s->cycle,
                          .kind = SLICE,
                          .a = (uint8_t)i,
                          .b = m->look[i]});
    m->look[i] = s->look[i];
    m->since[i] = s->cycle;
  }
}

static void see_counters(const struct weir_timeline *t, struct sm *m, const struct weir_sample *s) {
  const struct weir_l1_stats *l = s->l1_stats;
  const uint64_t now[N_COUNTERS] = {
      [ISSUED] = s->issued,
      [HITS] = l->hits,
      [PENDING] = l->hit_reserved,
      [PARTIAL] = l->partial_misses,
      [MISSES] = l->misses,
      [BYPASSES] = l->bypassed,
      [MSHRS] = s->l1.mshrs,
      [MISS_QUEUE] = s->l1.miss_queue,
      [BYPASS_QUEUE] = s->l1.bypass_queue,
      [LDST_QUEUE] = s->ldst_queue,
      [INFLIGHT] = s->inflight,
      [BLOCKS] = s->blocks,
  };
  for (unsigned i = 0; i < N_COUNTERS; i++) {
    bool is_counted = i < N_COUNTED;
    uint64_t v = is_counted ? now[i] - m->counted[i] : now[i];
    if (is_counted) m->counted[i] = now[i];
    if ((is_counted && !m->has_last) || v == m->shown[i]) continue;
    m->shown[i] = v;
    keep(t, m,
         (struct entry){.at = is_counted ? m->last : s->cycle,
                        .value = v,
                        .seen = s->cycle,
                        .kind = COUNTER,
                        .a = (uint8_t)i});
  }
}

static void see_part(const struct weir_timeline *t, struct sm *m, const struct weir_sample *s,
                     uint8_t part) {
  const struct weir_stat *rows = s->part[part]->stats;
  for (uint8_t i = 0; rows != NULL && rows[i].name != NULL && i < UINT8_MAX; i++) {
    bool is_level = rows[i].kind == WEIR_LEVEL;
    if (rows[i].kind != WEIR_COUNTER && !is_level) continue;
    uint64_t now, k = rows[i].offset / sizeof now;
    memcpy(&now, (const char *)s->part_stats[part] + rows[i].offset, sizeof now);
    uint64_t v = is_level ? now : now - m->parts[part][k];
    m->parts[part][k] = now;
    if ((!m->has_parts && !is_level) || v == m->shown_parts[part][k]) continue;
    m->shown_parts[part][k] = v;
    keep(t, m,
         (struct entry){.at = is_level ? s->cycle : m->last,
                        .value = v,
                        .seen = s->cycle,
                        .kind = PART,
                        .a = part,
                        .b = i});
  }
}

static void sample(void *self, const struct weir_sample *s) {
  const struct weir_timeline *t = self;
  struct sm *m = &t->sms[s->sm];
  memcpy(m->part, s->part, sizeof m->part);
  m->n_warps = s->n_warps;
  see_warps(t, m, s);
  see_counters(t, m, s);
  bool has_parts = false;
  for (unsigned i = 0; i < WEIR_MAX_PARTS; i++)
    if (s->part_stats[i] != NULL) {
      see_part(t, m, s, (uint8_t)i);
      has_parts = true;
    }
  m->has_parts |= has_parts;
  m->last = s->cycle;
  m->has_last = true;
}

/* ---- kernels ---- */

static void begin(void *self, const struct weir_kernel_info *k, uint64_t start) {
  struct weir_timeline *t = self;
  t->kernel = k;
  t->start = start;
  if (start + t->shift < t->last_end) t->shift = t->last_end - start; /* another simulation */
  for (uint32_t i = 0; i < t->o.n_sms; i++) {
    struct sm *m = &t->sms[i];
    m->entries.n = 0;
    m->has_last = m->has_parts = false;
    m->lost_at = UINT64_MAX;
    memset(m->look, 0, sizeof m->look);
    memset(m->shown, 0xff, sizeof m->shown);
    memset(m->shown_parts, 0, sizeof m->shown_parts);
  }
}

/* Microseconds with three digits: a nanosecond is a cycle. */
static void put_time(struct weir_text *out, const char *name, uint64_t cycles) {
  weir_text_printf(out, ",\"%s\":%" PRIu64 ".%03u", name, cycles / 1000, (unsigned)(cycles % 1000));
}

static bool has_room(struct weir_timeline *t, uint64_t at) {
  if (t->full_at != UINT64_MAX) return false;
  uint64_t names = (uint64_t)t->n_wanted * (t->sms[t->first].n_warps + 1) * NAME_BYTES;
  if (t->text.n + names + TAIL_BYTES < t->o.limit) return true;
  t->full_at = at;
  return false;
}

/* What was seen of parts behind the end may come from any time. */
static bool is_shown(const struct entry *e, uint64_t end) {
  return e->at < end && (e->kind != PART || e->seen < end);
}

static void put_entry(struct weir_timeline *t, uint32_t sm, const struct entry *e, uint64_t end) {
  struct weir_text *out = &t->text;
  uint64_t at = e->at + t->shift;
  if (!is_shown(e, end) || !has_room(t, at)) return;
  weir_text_printf(out, ",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", e->kind == SLICE ? 'X' : 'C',
                   FIRST_SM + sm, e->kind == SLICE ? e->a + 1u : 0);
  put_time(out, "ts", at);
  if (e->kind == SLICE) {
    put_time(out, "dur", (e->value < end ? e->value : end) - e->at);
    weir_text_printf(out, ",\"name\":\"%s\"}", look_names[e->b]);
  } else if (e->kind == COUNTER)
    weir_text_printf(out, ",\"name\":\"%s\",\"args\":{\"value\":%" PRIu64 "}}", counter_names[e->a],
                     e->value);
  else {
    const struct weir_part *part = t->sms[sm].part[e->a];
    weir_text_printf(out, ",\"name\":\"%s.%s\",\"args\":{\"value\":%" PRIu64 "}}", part->name,
                     part->stats[e->b].name, e->value);
  }
}

/* Quoted and escaped. */
static void put_string(struct weir_timeline *t, const char *text) {
  json_t *o = weir_json_text(text);
  char *quoted = o != NULL ? json_dumps(o, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
  t->is_failed |= quoted == NULL;
  if (quoted != NULL) weir_text_puts(&t->text, quoted);
  free(quoted);
  json_decref(o);
}

static void put_kernel(struct weir_timeline *t, uint64_t end) {
  const struct weir_kernel_info *k = t->kernel;
  char name[WEIR_DEMANGLED];
  weir_text_puts(&t->text, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1");
  put_time(&t->text, "ts", t->start + t->shift);
  put_time(&t->text, "dur", end - t->start);
  weir_text_puts(&t->text, ",\"name\":");
  put_string(t, weir_demangle(k->name, name, sizeof name));
  weir_text_printf(
      &t->text, ",\"args\":{\"grid\":\"%ux%ux%u\",\"block\":\"%ux%ux%u\",\"cycle\":%" PRIu64 "}}",
      k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], t->start);
}

static void put_zero(struct weir_timeline *t, uint32_t sm, const char *a, const char *b,
                     uint64_t end) {
  if (!has_room(t, end + t->shift)) return;
  weir_text_printf(&t->text, ",\n{\"ph\":\"C\",\"pid\":%u,\"tid\":0", FIRST_SM + sm);
  put_time(&t->text, "ts", end + t->shift);
  weir_text_printf(&t->text, ",\"name\":\"%s%s%s\",\"args\":{\"value\":0}}", a, *b != 0 ? "." : "",
                   b);
}

/* Counters are zero until the next kernel. What samples behind the end have changed is not shown.
 */
static void put_zeros(struct weir_timeline *t, uint32_t sm, struct sm *m, uint64_t end) {
  memset(m->shown, 0, sizeof m->shown);
  memset(m->shown_parts, 0, sizeof m->shown_parts);
  for (size_t i = 0; i < m->entries.n; i++) {
    const struct entry *e = &m->entries.v[i];
    if (!is_shown(e, end)) continue;
    if (e->kind == COUNTER) m->shown[e->a] = e->value;
    if (e->kind == PART)
      m->shown_parts[e->a][m->part[e->a]->stats[e->b].offset / sizeof(uint64_t)] = e->value;
  }
  for (unsigned i = 0; i < N_COUNTERS; i++)
    if (m->shown[i] != 0) put_zero(t, sm, counter_names[i], "", end);
  for (unsigned p = 0; p < WEIR_MAX_PARTS && m->part[p] != NULL; p++)
    for (const struct weir_stat *r = m->part[p]->stats; r != NULL && r->name != NULL; r++)
      if ((r->kind == WEIR_COUNTER || r->kind == WEIR_LEVEL) &&
          m->shown_parts[p][r->offset / sizeof(uint64_t)] != 0)
        put_zero(t, sm, m->part[p]->name, r->name, end);
}

static void end_kernel(void *self, uint64_t end) {
  struct weir_timeline *t = self;
  if (has_room(t, t->start + t->shift)) put_kernel(t, end);
  for (uint32_t i = 0; i < t->o.n_sms; i++) {
    struct sm *m = &t->sms[i];
    if (!t->o.sms[i]) continue;
    for (size_t k = 0; k < m->entries.n; k++)
      put_entry(t, i, &m->entries.v[k], end);
    if (m->lost_at < end && t->full_at == UINT64_MAX) t->full_at = m->lost_at + t->shift;
    put_zeros(t, i, m, end);
    t->is_failed |= m->is_failed;
  }
  t->last_end = end + t->shift;
}

/* ---- the whole ---- */

struct weir_timeline *weir_timeline_new(const struct weir_timeline_options *o) {
  struct weir_timeline *t = weir_calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->o = *o;
  t->full_at = UINT64_MAX;
  t->sms = weir_calloc(o->n_sms + 1, sizeof *t->sms);
  if (t->sms == NULL) {
    free(t);
    return NULL;
  }
  for (uint32_t i = 0; i < o->n_sms; i++)
    if (o->sms[i] && t->n_wanted++ == 0) t->first = i;
  t->max_entries = (size_t)(o->limit / LEAST_BYTES / (t->n_wanted > 0 ? t->n_wanted : 1)) + 1;
  t->sampler = (struct weir_sampler){.every = o->every,
                                     .sms = o->sms,
                                     .n_sms = o->n_sms,
                                     .self = t,
                                     .begin = begin,
                                     .sample = sample,
                                     .end = end_kernel};
  return t;
}

void weir_timeline_free(struct weir_timeline *t) {
  if (t == NULL) return;
  for (uint32_t i = 0; i < t->o.n_sms; i++)
    free(t->sms[i].entries.v);
  free(t->sms);
  weir_text_free(&t->text);
  free(t);
}

const struct weir_sampler *weir_timeline_sampler(const struct weir_timeline *t) {
  return &t->sampler;
}

static void put_name(struct weir_text *out, const char *what, unsigned pid, unsigned tid,
                     const char *name, unsigned number) {
  weir_text_printf(out,
                   "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_name\",\"args\":{"
                   "\"name\":\"%s",
                   pid == KERNELS && tid == 0 ? "" : ",", pid, tid, what, name);
  if (pid != KERNELS) weir_text_printf(out, " %u", number);
  weir_text_puts(out, "\"}}");
}

static void put_sort(struct weir_text *out, const char *what, unsigned pid, unsigned tid) {
  weir_text_printf(out,
                   ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_sort_index\",\"args\":{"
                   "\"sort_index\":%u}}",
                   pid, tid, what, tid != 0 ? tid : pid);
}

static void put_names(const struct weir_timeline *t, struct weir_text *out) {
  put_name(out, "process", KERNELS, 0, "kernels", 0);
  put_sort(out, "process", KERNELS, 0);
  put_name(out, "thread", KERNELS, 1, "launches", 0);
  for (uint32_t i = 0; i < t->o.n_sms; i++) {
    if (!t->o.sms[i]) continue;
    put_name(out, "process", FIRST_SM + i, 0, "SM", i);
    put_sort(out, "process", FIRST_SM + i, 0);
    for (unsigned w = 0; w < t->sms[i].n_warps; w++) {
      put_name(out, "thread", FIRST_SM + i, w + 1, "warp slot", w);
      put_sort(out, "thread", FIRST_SM + i, w + 1);
    }
  }
}

enum weir_status weir_timeline_text(struct weir_timeline *t, struct weir_text *out,
                                    uint64_t *full_at, struct weir_err *err) {
  json_t *about = json_pack("{s:s, s:o, s:o, s:I, s:b}", "made_by", "weir run --timeline", "gpu",
                            weir_json_text(t->o.gpu), "scheme", weir_json_text(t->o.by),
                            "cycles_between_samples", (json_int_t)t->o.every, "is_complete",
                            (int)(t->full_at == UINT64_MAX));
  char *text = about != NULL ? json_dumps(about, JSON_COMPACT) : NULL;
  json_decref(about);
  t->is_failed |= text == NULL;
  weir_text_printf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":%s,\"traceEvents\":[",
                   text != NULL ? text : "");
  free(text);
  put_names(t, out);
  if (t->text.n > 0) weir_text_add(out, t->text.v, t->text.n);
  weir_text_puts(out, "\n]}\n");
  *full_at = t->full_at;
  return t->is_failed || t->text.failed || out->failed ? weir_no_memory(err) : WEIR_OK;
}
