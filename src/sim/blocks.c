/* Blocks and their warps on an SM: how many fit, arrival, instructions one after the other,
 * barriers, retirement. */
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "sim/sm_core.h"

/* ---- what fits ---- */

static uint64_t round_up(uint64_t v, int64_t unit) {
  uint64_t u = (uint64_t)unit;
  return (v + u - 1) / u * u;
}

/* What the blocks of a kernel can have of shared memory. On an H200 a preference decides, however
 * few blocks then fit; one always does. */
static uint64_t shared_room(const struct weir_machine *m, const struct weir_kernel_info *k,
                            uint64_t of_block) {
  uint64_t most = (uint64_t)m->sm.shared_bytes;
  if (k->carveout == 0 || m->l1.unified_bytes == 0 || m->n_carveouts == 0) return most;
  uint64_t room = weir_max64(weir_preferred_carveout(m, k->carveout),
                             weir_carveout(m, (uint32_t)weir_min64(of_block, most)));
  return weir_min64(room, most);
}

uint32_t weir_sm_registers(const struct weir_machine *m, const struct weir_kernel_info *k) {
  uint64_t regs = k->regs_per_thread, limit = (uint64_t)m->sm.max_registers_per_thread;
  if (limit != 0) regs = weir_min64(regs, limit);
  if (!k->regs_estimated || k->n_warps == 0) return (uint32_t)regs;
  /* Warps get whole units. */
  uint64_t units = (uint64_t)m->sm.registers / k->n_warps / (uint64_t)m->sm.register_unit;
  return (uint32_t)weir_min64(regs, units * (uint64_t)m->sm.register_unit / 32);
}

uint32_t weir_sm_fit(const struct weir_machine *m, const struct weir_kernel_info *k,
                     const char **why) {
  uint64_t threads = weir_volume(k->block);
  uint64_t of_thread = weir_sm_registers(m, k);
  uint64_t regs = round_up(of_thread * 32, m->sm.register_unit) * k->n_warps;
  uint64_t own = (uint64_t)k->static_shared + k->dyn_shared;
  uint64_t shared = round_up(own + weir_shared_of_system(m), m->sm.shared_unit);
  struct {
    uint64_t have, need;
    const char *name;
  } limit[] = {{(uint64_t)m->sm.blocks, 1, "sm.blocks"},
               {(uint64_t)m->sm.warps, k->n_warps, "sm.warps"},
               {(uint64_t)m->sm.threads, threads, "sm.threads"},
               {(uint64_t)m->sm.registers, regs, "sm.registers"},
               /* What the system takes has room for as many blocks as there can be. */
               {shared_room(m, k, shared), own > 0 ? shared : 0, "sm.shared_bytes"}};
  uint64_t fit = UINT32_MAX;
  for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
    uint64_t n = limit[i].need == 0 ? UINT32_MAX : limit[i].have / limit[i].need;
    if (n < fit) {
      fit = n;
      *why = limit[i].name;
    }
  }
  return (uint32_t)fit;
}

/* Kernels of a name differ by what they are made of, as far as a trace knows that too. */
static uint64_t id_of(const struct weir_kernel_info *k) {
  uint64_t id = XXH3_64bits_withSeed(k->name, strlen(k->name), k->n_insns);
  return id != 0 ? id : 1;
}

struct weir_kernel weir_sm_about(const struct weir_kernel_info *k, uint32_t uid,
                                 uint32_t blocks_per_sm) {
  uint64_t n = weir_volume(k->grid);
  return (struct weir_kernel){.name = k->name,
                              .id = id_of(k),
                              .uid = uid,
                              .n_insns = k->n_insns,
                              .n_ctas = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
                              .warps_per_cta = k->n_warps,
                              .ctas_per_sm = blocks_per_sm};
}

/* ---- warps ---- */

static void finish_warp(struct weir_sm *sm, uint32_t slot) {
  struct weir_sm_warp *w = &sm->warps[slot];
  weir_sm_stop_warp(sm, slot, WEIR_W_DONE);
  weir_reader_close(&w->reader);
  struct weir_sm_block *b = &sm->blocks[w->block];
  b->busy_until = weir_max64(b->busy_until, w->collected_at);
  if (--b->n_left == 0) sm->ending |= UINT64_C(1) << w->block;
}

uint32_t weir_sm_barrier_wants(const struct weir_sm_block *b, uint32_t id) {
  return b->barrier[id].warps != 0 ? b->barrier[id].warps : b->n_left;
}

void weir_sm_tell_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_event e, uint64_t now) {
  if (sm->hears_warps) weir_l1_warp(sm->l1, slot, e, now);
}

static void release_barrier(struct weir_sm *sm, uint32_t block, uint32_t id, uint64_t now) {
  struct weir_sm_block *b = &sm->blocks[block];
  uint32_t arrived = b->barrier[id].arrived;
  if (arrived == 0 || arrived < weir_sm_barrier_wants(b, id)) return;
  b->barrier[id].arrived = b->barrier[id].warps = 0;
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.warps; i++) {
    struct weir_sm_warp *w = &sm->warps[i];
    if (w->state != WEIR_W_BARRIER || w->block != block || w->at_barrier != id) continue;
    w->state = WEIR_W_RUN;
    weir_sm_find_ready(sm, i, now + 1);
    weir_sm_tell_warp(sm, i, WEIR_WARP_RUNS, now);
  }
}

/* The warp has issued a barrier and stands at what follows it. One that has ended with it is
 * missing among those that are left, but not in a count. */
void weir_sm_reach_barrier(struct weir_sm *sm, uint32_t slot, struct weir_barrier at, bool waits,
                           uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  struct weir_sm_block *b = &sm->blocks[w->block];
  if (at.is_partial || (w->state == WEIR_W_DONE && at.warps == 0)) return;
  if (waits && w->state == WEIR_W_RUN) {
    weir_sm_stop_warp(sm, slot, WEIR_W_BARRIER);
    w->at_barrier = at.id;
    weir_sm_tell_warp(sm, slot, WEIR_WARP_WAITS, now);
  }
  b->barrier[at.id].arrived++;
  if (at.warps != 0) b->barrier[at.id].warps = at.warps;
  release_barrier(sm, w->block, at.id, now);
}

void weir_sm_advance(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  if (!weir_next(&w->reader, &w->next)) {
    if (w->reader.status != WEIR_OK) {
      sm->is_failed = true;
      sm->status = weir_reader_error(&w->reader, &sm->err);
    }
    finish_warp(sm, slot);
    for (uint32_t id = 0; id < WEIR_BARRIERS; id++)
      release_barrier(sm, w->block, id, now);
    return;
  }
  weir_sm_take_next(sm, slot, now);
}

/* The cycle in which a line of instructions is there, which a warp comes to. */
static uint64_t code_there(struct weir_sm *sm, uint32_t line, uint64_t now) {
  const uint64_t tag = sm->code_tag + 2 * (uint64_t)line;
  struct weir_code_line *l = &sm->code[(sm->code_tag / 2 + line) % sm->n_code];
  if (l->tag != tag) {
    l->tag = tag;
    l->ready = now + (uint64_t)sm->m->sm.code_cold_cyc;
  }
  return l->ready;
}

/* Cycles from an instruction to the next one of its warp, more than one: for a branch or a
 * division, for lanes that were not there before, and for instructions that are not there. */
static uint64_t path_takes(struct weir_sm *sm, struct weir_sm_warp *w, uint64_t now) {
  const struct weir_sm_cfg *c = &sm->m->sm;
  const struct weir_outline *outline = sm->outline;
  const uint32_t insn = w->next.insn;
  const bool is_behind_branch = w->last_class == WEIR_C_BRANCH;
  uint64_t takes = w->last_class < WEIR_N_CLASSES ? sm->m->next_cyc[w->last_class] - 1 : 0;
  if (outline != NULL) {
    const uint32_t origin = sm->reordered != NULL ? sm->reordered->origin[insn] : insn;
    if (!(outline->insns[origin].flags & WEIR_OUTLINE_GUARDED)) {
      const bool is_new = w->lanes != 0 && (w->next.mask & ~w->lanes) != 0;
      if (is_new && !is_behind_branch) takes = weir_max64(takes, (uint64_t)c->rejoin_cyc);
      w->lanes = w->next.mask;
    }
  }
  w->last_class = sm->kernel->insns[insn].cls;
  const uint32_t line =
      sm->kernel->insns[insn].pc / (8 * WEIR_CODE_INSNS); /* 8 bytes each in PTX */
  if (sm->n_code > 0 && w->code != line + 1) {
    w->code = line + 1;
    takes = weir_max64(takes + now, code_there(sm, line, now)) - now;
  }
  return takes;
}

/* The warp's next instruction is fetched. */
void weir_sm_take_next(struct weir_sm *sm, uint32_t slot, uint64_t now) {
  struct weir_sm_warp *w = &sm->warps[slot];
  const struct weir_static *s = &sm->kernel->insns[w->next.insn];
  if (s->cls == WEIR_C_BARRIER) {
    w->barrier = weir_barrier_of(s, &w->next);
    w->next.has_addr = false; /* it was none */
  }
  weir_sm_find_ready(sm, slot, now + 1 + (sm->has_paths ? path_takes(sm, w, now) : 0));
}

/* Cycles after the arrival of a block in which no other one arrives. */
static uint64_t arrival_takes(const struct weir_sm_cfg *c, uint32_t n_warps) {
  const uint64_t least = (uint64_t)c->dispatch_interval + n_warps,
                 by_warps = (uint64_t)c->dispatch_warp_cyc * n_warps;
  return weir_max64(least, by_warps);
}

void weir_sm_place(struct weir_sm *sm, struct weir_block_stream *block, uint64_t at) {
  if (sm->m->sm.dispatch_interval > 0) {
    at = weir_max64(at, sm->next_arrival);
    sm->next_arrival = at + arrival_takes(&sm->m->sm, block->n_warps);
  }
  sm->arriving[sm->n_arriving].at = at;
  sm->arriving[sm->n_arriving++].stream = block;
  sm->wake = weir_min64(sm->wake, at);
}

static void open_stream(struct weir_sm *sm, uint32_t slot, struct weir_warp_stream *s) {
  struct weir_warp_reader *r = &sm->warps[slot].reader;
  if (sm->reordered != NULL && weir_reorderer_open(sm->reorderer, slot, r, s, true)) return;
  weir_reader_open(r, s, sm->kernel, true);
  if (sm->reordered == NULL) return;
  sm->is_failed = true;
  sm->status = weir_no_memory(&sm->err);
}

static void arrive(struct weir_sm *sm, struct weir_block_stream *block, uint64_t now) {
  uint32_t b = 0;
  while (sm->blocks[b].is_used)
    b++;
  sm->blocks[b] = (struct weir_sm_block){
      .stream = block, .n_warps = block->n_warps, .n_left = block->n_warps, .is_used = true};
  sm->n_blocks++;
  uint32_t slot = 0;
  for (uint32_t k = 0; k < block->n_warps; k++, slot++) {
    while (sm->warps[slot].state != WEIR_W_FREE)
      slot++;
    struct weir_sm_warp *w = &sm->warps[slot];
    uint64_t *reg = w->reg;
    memset(reg, 0, sm->regs_per_warp * sizeof *reg);
    open_stream(sm, slot, &block->warps[k]);
    w->reg = reg;
    w->state = WEIR_W_RUN;
    sm->age[slot] = sm->next_age++;
    w->block = b;
    w->in_block = k;
    w->n_requests = 0;
    w->loads = w->atoms = 0; /* acknowledgements of the slot's last warp may be on their way */
    w->lanes = 0;
    w->code = 0;
    w->last_class = WEIR_N_CLASSES;
    w->load_at = 0;
    w->group = 0;
    memset(w->copies, 0, sizeof w->copies);
    if (sm->clocks != NULL) weir_clocks_warp(sm->clocks, slot);
    sm->order[sm->n_order++] = slot;
    sm->blocks[b].warps |= UINT64_C(1) << slot;
    weir_sm_advance(sm, slot, now - 1);
    if (sm->m->sm.start_delay > 0 && w->state == WEIR_W_RUN)
      weir_sm_find_ready(sm, slot, now + (uint64_t)sm->m->sm.start_delay);
  }
  const struct weir_cta cta = {.slot = b, .uid = (uint32_t)block->id, .warps = sm->blocks[b].warps};
  weir_l1_cta_begin(sm->l1, &cta, now);
  for (uint64_t left = cta.warps; sm->hears_warps && left != 0; left &= left - 1)
    if (sm->warps[__builtin_ctzll(left)].state == WEIR_W_DONE) /* one without instructions */
      weir_sm_tell_warp(sm, (uint32_t)__builtin_ctzll(left), WEIR_WARP_ENDS, now);
}

void weir_sm_take_blocks(struct weir_sm *sm, uint64_t now) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    if (sm->arriving[i].at <= now)
      arrive(sm, sm->arriving[i].stream, now);
    else
      sm->arriving[kept++] = sm->arriving[i];
  sm->n_arriving = kept;
}

/* ---- retirement ---- */

/* A block ends when its warps have, and all that they asked for has come. */
bool weir_sm_retire_blocks(struct weir_sm *sm, uint64_t now, uint64_t *wake) {
  bool any = false;
  for (uint64_t left = sm->ending; left != 0; left &= left - 1) {
    const uint32_t b = (uint32_t)__builtin_ctzll(left);
    struct weir_sm_block *k = &sm->blocks[b];
    if (k->pending > 0) continue;
    if (k->end_cyc > 0) {
      k->busy_until = weir_max64(k->busy_until, now) + k->end_cyc;
      k->end_cyc = 0;
    }
    if (k->busy_until > now) {
      *wake = weir_min64(*wake, k->busy_until);
      continue;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sm->n_order; i++) {
      struct weir_sm_warp *w = &sm->warps[sm->order[i]];
      if (w->block == b && w->state == WEIR_W_DONE)
        w->state = WEIR_W_FREE;
      else
        sm->order[kept++] = sm->order[i];
    }
    sm->n_order = kept;
    sm->is_dirty = true;
    const struct weir_cta cta = {.slot = b, .uid = (uint32_t)k->stream->id, .warps = k->warps};
    sm->retired[sm->n_retired].at = now;
    sm->retired[sm->n_retired++].stream = k->stream;
    k->is_used = false;
    sm->ending &= ~(left & -left);
    sm->n_blocks--;
    sm->stats.blocks++;
    weir_l1_cta_end(sm->l1, &cta, now);
    sm->last_event = weir_max64(sm->last_event, now);
    any = true;
  }
  return any;
}

void weir_sm_abandon(struct weir_sm *sm, struct weir_block_source *source) {
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.warps; i++)
    if (sm->warps[i].state != WEIR_W_FREE && sm->warps[i].state != WEIR_W_DONE)
      weir_reader_close(&sm->warps[i].reader);
  for (uint32_t i = 0; i < (uint32_t)sm->m->sm.blocks; i++)
    if (sm->blocks[i].is_used) source->release(source, sm->blocks[i].stream);
  for (uint32_t i = 0; i < sm->n_arriving; i++)
    source->release(source, sm->arriving[i].stream);
  for (uint32_t i = 0; i < sm->n_retired; i++)
    source->release(source, sm->retired[i].stream);
}
