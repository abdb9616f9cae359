/* Basic blocks, successors, loops and immediate post-dominators.
 *
 * Post-dominators are the dominators of the reversed graph, rooted at a virtual exit. Blocks from
 * which the exit cannot be reached (endless loops) get an edge to it, so that every block has a
 * defined post-dominator and lanes that wait for reconvergence never wait for such a loop.
 * Dominators by the semi-NCA algorithm (Georgiadis, 2005): depth-first numbers, semidominators with
 * path compression, then nearest common ancestors. Nothing here recurses. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/parse.h"

enum { NONE = UINT32_MAX };

static bool ends_path(const struct ptx_insn *in) {
  return !in->guarded && (in->op == PTX_OP_ret || in->op == PTX_OP_exit || in->op == PTX_OP_trap);
}

static bool ends_block(const struct ptx_insn *in) {
  return in->op == PTX_OP_bra || in->op == PTX_OP_brx || in->op == PTX_OP_ret ||
         in->op == PTX_OP_exit || in->op == PTX_OP_trap;
}

/* Targets of a branch: labels, and how many. */
static uint32_t targets_of(const struct ptx_insn *in, const uint32_t **out, uint32_t *one) {
  if (in->op == PTX_OP_bra) {
    *one = in->opnds[0].label;
    *out = one;
    return 1;
  }
  if (in->op == PTX_OP_brx && in->opnds[1].table) {
    *out = in->opnds[1].table->labels;
    return in->opnds[1].table->n;
  }
  *out = NULL;
  return 0;
}

static bool find_blocks(struct ptx_func *f, struct weir_arena *a) {
  uint32_t n = f->n_insns, one;
  const uint32_t *to;
  uint32_t *of = weir_arena_array(a, n, sizeof *of);
  if (!of) return false;
  for (uint32_t i = 0; i < n; i++) { /* of[i] = 1: i begins a block */
    const struct ptx_insn *in = &f->insns[i];
    uint32_t k = targets_of(in, &to, &one);
    for (uint32_t t = 0; t < k; t++)
      if (to[t] < n) of[to[t]] = 1;
    if (ends_block(in) && i + 1 < n) of[i + 1] = 1;
  }
  of[0] = 1;
  uint32_t n_blocks = 0;
  for (uint32_t i = 0; i < n; i++)
    n_blocks += of[i];
  struct ptx_block *b = weir_arena_array(a, n_blocks, sizeof *b);
  if (!b) return false;
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (of[i]) b[at++].first = i;
    b[at - 1].last = i;
    of[i] = at - 1;
  }
  f->cfg = (struct ptx_cfg){n_blocks, b, of};
  return true;
}

/* Successors; a target behind the last instruction is the exit and is left out. */
static bool find_edges(struct ptx_func *f, struct weir_arena *a) {
  for (uint32_t i = 0; i < f->cfg.n_blocks; i++) {
    struct ptx_block *b = &f->cfg.blocks[i];
    const struct ptx_insn *last = &f->insns[b->last];
    const uint32_t *to;
    uint32_t one, k = targets_of(last, &to, &one);
    uint32_t *succ = weir_arena_array(a, (size_t)k + 1, sizeof *succ);
    if (!succ) return false;
    bool falls = !ends_path(last) && (last->guarded || !k);
    if (falls && b->last + 1 < f->n_insns) succ[b->n_succ++] = i + 1;
    for (uint32_t t = 0; t < k; t++) {
      if (to[t] >= f->n_insns) continue;
      uint32_t s = f->cfg.block_of[to[t]];
      if (k <= 64) { /* small tables: name a successor once */
        uint32_t d = 0;
        while (d < b->n_succ && succ[d] != s)
          d++;
        if (d < b->n_succ) continue;
      }
      succ[b->n_succ++] = s;
    }
    b->succ = succ;
  }
  return true;
}

bool ptx_block_leaves(const struct ptx_func *f, const struct ptx_block *b) {
  const struct ptx_insn *last = &f->insns[b->last];
  const uint32_t *to;
  uint32_t one, k = targets_of(last, &to, &one);
  for (uint32_t t = 0; t < k; t++)
    if (to[t] >= f->n_insns) return true;
  if (last->op == PTX_OP_ret || last->op == PTX_OP_exit || last->op == PTX_OP_trap) return true;
  return b->last + 1 == f->n_insns && (last->guarded || !k);
}

/* Scratch of the analyses: one allocation, cut into arrays of n + 1 numbers (the last is the
 * virtual exit). */
struct work {
  uint32_t n;
  uint32_t *pred_first, *pred; /* predecessors of each block, all edges */
  uint8_t *to_exit;            /* has an edge to the exit, real or virtual */
  uint32_t *num, *vertex, *parent, *semi, *label, *idom, *ancestor, *stack, *next;
  void *mem;
};

static bool new_work(struct work *w, const struct ptx_cfg *cfg) {
  size_t edges = 0, n = (size_t)cfg->n_blocks + 1;
  for (uint32_t i = 0; i < cfg->n_blocks; i++)
    edges += cfg->blocks[i].n_succ;
  uint32_t *m = weir_calloc(n * 11 + 2 + edges, sizeof *m);
  if (!m) return false;
  uint32_t **parts[] = {&w->num,  &w->vertex,   &w->parent, &w->semi, &w->label,
                        &w->idom, &w->ancestor, &w->stack,  &w->next};
  w->mem = m;
  w->n = cfg->n_blocks;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, m += n)
    *parts[i] = m;
  w->to_exit = (uint8_t *)m;
  m += n;
  w->pred_first = m;
  w->pred = m + n + 1;
  return true;
}

static void find_preds(struct work *w, const struct ptx_cfg *cfg) {
  for (uint32_t i = 0; i < w->n; i++)
    for (uint32_t s = 0; s < cfg->blocks[i].n_succ; s++)
      w->pred_first[cfg->blocks[i].succ[s] + 1]++;
  for (uint32_t i = 0; i < w->n; i++)
    w->pred_first[i + 1] += w->pred_first[i];
  for (uint32_t i = 0; i < w->n; i++)
    w->next[i] = w->pred_first[i];
  for (uint32_t i = 0; i < w->n; i++)
    for (uint32_t s = 0; s < cfg->blocks[i].n_succ; s++)
      w->pred[w->next[cfg->blocks[i].succ[s]]++] = i;
}

static void find_reachable(struct work *w, struct ptx_cfg *cfg) {
  uint32_t top = 0;
  w->stack[top++] = 0;
  cfg->blocks[0].reachable = true;
  while (top) {
    const struct ptx_block *b = &cfg->blocks[w->stack[--top]];
    for (uint32_t s = 0; s < b->n_succ; s++) {
      if (cfg->blocks[b->succ[s]].reachable) continue;
      cfg->blocks[b->succ[s]].reachable = true;
      w->stack[top++] = b->succ[s];
    }
  }
}

/* to_exit: blocks that leave, then every block that cannot reach one of those. */
static void find_exits(struct work *w, const struct ptx_func *f) {
  uint8_t *reaches = (uint8_t *)w->semi; /* not in use yet */
  uint32_t top = 0;
  memset(reaches, 0, w->n);
  for (uint32_t i = 0; i < w->n; i++) {
    w->to_exit[i] = ptx_block_leaves(f, &f->cfg.blocks[i]);
    if (!w->to_exit[i]) continue;
    reaches[i] = 1;
    w->stack[top++] = i;
  }
  while (top) {
    uint32_t b = w->stack[--top];
    for (uint32_t k = w->pred_first[b]; k < w->pred_first[b + 1]; k++) {
      if (reaches[w->pred[k]]) continue;
      reaches[w->pred[k]] = 1;
      w->stack[top++] = w->pred[k];
    }
  }
  for (uint32_t i = 0; i < w->n; i++)
    if (!reaches[i]) w->to_exit[i] = 1;
  memset(w->semi, 0, ((size_t)w->n + 1) * sizeof *w->semi);
}

/* Numbers the reversed graph depth first from the exit, whose successors there are the blocks with
 * to_exit. */
static uint32_t number_reverse(struct work *w) {
  uint32_t count = 0, top = 0, exit = w->n;
  for (uint32_t i = 0; i <= w->n; i++) {
    w->num[i] = NONE;
    w->next[i] = i < w->n ? w->pred_first[i] : 0;
  }
  w->num[exit] = 0;
  w->vertex[count++] = exit;
  w->stack[top++] = exit;
  while (top) {
    uint32_t b = w->stack[top - 1], to = NONE;
    if (b == exit) {
      while (w->next[b] < w->n && !w->to_exit[w->next[b]])
        w->next[b]++;
      if (w->next[b] < w->n) to = w->next[b]++;
    } else if (w->next[b] < w->pred_first[b + 1]) {
      to = w->pred[w->next[b]++];
    }
    if (to == NONE) {
      top--;
    } else if (w->num[to] == NONE) {
      w->parent[count] = w->num[b];
      w->num[to] = count;
      w->vertex[count++] = to;
      w->stack[top++] = to;
    }
  }
  return count;
}

/* The label with the least semidominator on the path from v up to (not including) vertices below
 * `last`. */
static uint32_t eval(struct work *w, uint32_t v, uint32_t last) {
  if (w->ancestor[v] < last) return w->label[v];
  uint32_t top = 0;
  uint32_t u = v;
  do {
    w->stack[top++] = u;
    u = w->ancestor[u];
  } while (w->ancestor[u] >= last);
  uint32_t up = u;
  while (top) {
    uint32_t x = w->stack[--top];
    if (w->semi[w->label[up]] < w->semi[w->label[x]]) w->label[x] = w->label[up];
    w->ancestor[x] = w->ancestor[up];
    up = x;
  }
  return w->label[v];
}

/* Semi-NCA over depth-first numbers; `idom` is filled by number. */
static void post_dominators(struct work *w, const struct ptx_cfg *cfg, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    w->semi[i] = w->label[i] = i;
    w->ancestor[i] = i ? w->parent[i] : 0;
    w->idom[i] = w->ancestor[i];
  }
  for (uint32_t i = count; i-- > 1;) {
    const struct ptx_block *b = &cfg->blocks[w->vertex[i]];
    uint32_t semi = w->parent[i];
    for (uint32_t s = 0; s < b->n_succ; s++) {
      uint32_t v = w->num[b->succ[s]];
      uint32_t from = v <= i ? v : w->semi[eval(w, v, i + 1)];
      if (from < semi) semi = from;
    }
    if (w->to_exit[w->vertex[i]]) semi = 0;
    w->semi[i] = semi;
  }
  for (uint32_t i = 1; i < count; i++) {
    uint32_t d = w->idom[i];
    while (d > w->semi[i])
      d = w->idom[d];
    w->idom[i] = d;
  }
}

/* Strongly connected components (Tarjan), without recursion: a block is in a loop if its component
 * has several blocks or it is its own successor. */
static void find_loops(struct work *w, struct ptx_cfg *cfg) {
  uint32_t *low = w->semi, *scc = w->label, *calls = w->parent;
  uint32_t counter = 0, n_scc = 0;
  for (uint32_t i = 0; i <= w->n; i++) {
    w->num[i] = NONE;
    w->next[i] = 0;
    w->idom[i] = 0; /* on the component stack */
  }
  for (uint32_t root = 0; root < w->n; root++) {
    if (w->num[root] != NONE) continue;
    uint32_t depth = 0;
    calls[depth++] = root;
    while (depth) {
      uint32_t v = calls[depth - 1];
      if (w->num[v] == NONE) {
        w->num[v] = low[v] = counter++;
        scc[n_scc++] = v;
        w->idom[v] = 1;
      }
      const struct ptx_block *b = &cfg->blocks[v];
      if (w->next[v] < b->n_succ) {
        uint32_t s = b->succ[w->next[v]++];
        if (s == v) cfg->blocks[v].in_loop = true;
        if (w->num[s] == NONE) {
          calls[depth++] = s;
        } else if (w->idom[s] && w->num[s] < low[v]) {
          low[v] = w->num[s];
        }
        continue;
      }
      depth--;
      if (depth && low[v] < low[calls[depth - 1]]) low[calls[depth - 1]] = low[v];
      if (low[v] != w->num[v]) continue;
      bool several = scc[n_scc - 1] != v;
      uint32_t u;
      do {
        u = scc[--n_scc];
        w->idom[u] = 0;
        if (several) cfg->blocks[u].in_loop = true;
      } while (u != v);
    }
  }
}

bool ptx_cfg_build(struct ptx_func *f, struct weir_arena *a) {
  if (!f->n_insns) return true;
  struct work w = {0};
  if (!find_blocks(f, a) || !find_edges(f, a) || !new_work(&w, &f->cfg)) return false;
  find_preds(&w, &f->cfg);
  find_reachable(&w, &f->cfg);
  find_exits(&w, f);
  uint32_t count = number_reverse(&w);
  post_dominators(&w, &f->cfg, count);
  for (uint32_t i = 0; i < w.n; i++)
    f->cfg.blocks[i].ipdom = w.num[i] == NONE ? w.n : w.vertex[w.idom[w.num[i]]];
  find_loops(&w, &f->cfg);
  free(w.mem);
  return true;
}
