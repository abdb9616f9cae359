#include "sim/constants.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "machine/machine.h"
#include "machine/msg.h"
#include "stream/reader.h"

enum { LINE = 64, BLOCK = 256, MAX_BLOCKS = 256 };

struct line {
  uint64_t addr, used, ready; /* used 0: there is none */
};

struct weir_constants {
  const struct weir_sm_cfg *cfg;
  struct line *line;
  uint32_t n_lines;
  uint64_t clock;
  uint64_t near[MAX_BLOCKS]; /* blocks that were read, the last so many */
  uint32_t n_near;
};

struct weir_constants *weir_constants_new(const struct weir_sm_cfg *cfg) {
  struct weir_constants *c = weir_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->cfg = cfg;
  c->n_lines = (uint32_t)((cfg->const_bytes + LINE - 1) / LINE);
  c->line = weir_calloc(c->n_lines, sizeof *c->line);
  if (c->line != NULL) return c;
  free(c);
  return NULL;
}

void weir_constants_free(struct weir_constants *c) {
  if (c == NULL) return;
  free(c->line);
  free(c);
}

void weir_constants_empty(struct weir_constants *c) {
  memset(c->line, 0, c->n_lines * sizeof *c->line);
  c->n_near = 0;
}

/* Whether the block was read before. */
static bool come_near(struct weir_constants *c, uint64_t block) {
  const uint32_t n = c->n_near < MAX_BLOCKS ? c->n_near : MAX_BLOCKS;
  for (uint32_t i = 0; i < n; i++)
    if (c->near[i] == block) return true;
  c->near[c->n_near++ % MAX_BLOCKS] = block;
  return false;
}

/* The cycle in which the line is there. */
static uint64_t read_line(struct weir_constants *c, uint64_t line, uint64_t now) {
  struct line *oldest = &c->line[0];
  for (uint32_t i = 0; i < c->n_lines; i++) {
    struct line *l = &c->line[i];
    if (l->used != 0 && l->addr == line) {
      l->used = ++c->clock;
      return l->ready;
    }
    if (l->used < oldest->used) oldest = l;
  }
  const bool is_near = come_near(c, line & ~(uint64_t)(BLOCK - 1));
  const int64_t takes = is_near ? c->cfg->const_miss_cyc : c->cfg->const_cold_cyc;
  *oldest = (struct line){.addr = line, .used = ++c->clock, .ready = now + (uint64_t)takes};
  return oldest->ready;
}

uint64_t weir_constants_read(struct weir_constants *c, const struct weir_dyn *d, uint64_t now) {
  uint64_t lane[WEIR_LANES], ready = now, last = UINT64_MAX;
  weir_expand(d, lane);
  for (uint32_t left = d->mask; left != 0; left &= left - 1) {
    const uint64_t line = lane[__builtin_ctz(left)] & ~(uint64_t)(LINE - 1);
    if (line == last) continue;
    last = line;
    ready = weir_max64(ready, read_line(c, line, now));
  }
  return ready - now;
}
