/* What sched.order=loops makes of kernels, to be put beside machine code (order.py).
 *
 *   sched_order [NAME=VALUE...] FILE.ptx...     parameters of sched, without their prefix
 *
 * A line for each innermost loop, and for each basic block outside of these that loads:
 *   FILE KERNEL loop|block FIRST LAST UNROLL LOADS AHEAD    lines of the PTX; loads of one group,
 * and how many of them issue before the first instruction that uses one */
#include "text.h"

#include <string.h>

#include "sched/reorder.h"

enum { MOST = 1024 };

/* As sass.py counts those of machine code; textures=true: and texture reads. */
static bool is_load(const struct weir_reordered *r, const struct weir_static *s) {
  if (s->cls == WEIR_C_TEX) return r->moves_textures;
  return s->cls == WEIR_C_LOAD && (s->space == WEIR_SP_GLOBAL || s->space == WEIR_SP_GENERIC);
}

static bool uses(const struct weir_static *s, const struct weir_static *load) {
  for (unsigned i = 0; i < s->n_src; i++)
    for (unsigned k = 0; k < load->n_dst; k++)
      if (s->src[i] != WEIR_NO_REG && s->src[i] == load->dst[k]) return true;
  return false;
}

/* Loads, and those that issue before the first use of one. */
static void count(const struct weir_reordered *r, const uint32_t *path, const uint16_t *order,
                  uint32_t n, unsigned *loads, unsigned *ahead) {
  bool is_used = false;
  *loads = *ahead = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct weir_static *s = &r->info.insns[path[order[i]]];
    for (uint32_t k = 0; k < i && !is_used; k++)
      is_used =
          is_load(r, &r->info.insns[path[order[k]]]) && uses(s, &r->info.insns[path[order[k]]]);
    *loads += is_load(r, s);
    *ahead += is_load(r, s) && !is_used;
  }
}

static void print(const struct weir_reordered *r, const char *file, const char *kind,
                  uint32_t first, uint32_t last, uint32_t unroll, const uint32_t *path, uint32_t n,
                  struct weir_orderer *o) {
  uint16_t order[MOST];
  unsigned loads, ahead;
  uint32_t n_order = weir_order_find(o, path, n, order);
  count(r, path, order, n_order, &loads, &ahead);
  if (loads == 0 && *kind == 'b') return;
  printf("%s\t%s\t%s\t%u\t%u\t%u\t%u\t%u\n", file, r->ptx->name, kind,
         r->ptx->insns[first].ptx_line, r->ptx->insns[last].ptx_line, unroll, loads, ahead);
}

static bool ends_block(const struct weir_reordered *r, const struct weir_static *s) {
  if (s->cls == WEIR_C_TEX) return !r->moves_textures;
  return s->cls == WEIR_C_BRANCH || s->cls == WEIR_C_ATOM || s->cls == WEIR_C_BARRIER ||
         s->cls == WEIR_C_FENCE || s->cls == WEIR_C_OTHER || s->is_copy;
}

static void print_blocks(const struct weir_reordered *r, const char *file, struct weir_orderer *o,
                         uint32_t from, uint32_t to) {
  uint32_t path[MOST], n = 0;
  for (uint32_t i = from; i < to; i++) {
    bool begins = r->ptx->outline->insns[i].flags & WEIR_OUTLINE_LEADER;
    if (n > 0 && (begins || n == r->window))
      print(r, file, "block", path[0], i - 1, 1, path, n, o), n = 0;
    path[n++] = i;
    if (ends_block(r, &r->ptx->insns[i])) print(r, file, "block", path[0], i, 1, path, n, o), n = 0;
  }
  if (n > 0) print(r, file, "block", path[0], to - 1, 1, path, n, o);
}

/* A loop that is not unrolled and has branches is blocks. */
static void print_loop(const struct weir_reordered *r, const char *file, struct weir_orderer *o,
                       const struct weir_outline_loop *l) {
  uint32_t path[MOST], n = 0, unroll = 1;
  const struct weir_unrolled *u = NULL;
  for (uint32_t i = 0; i < r->n_loops; i++)
    if (r->loops[i].first == l->first) u = &r->loops[i];
  if (u != NULL) unroll = u->unroll;
  if (u == NULL && l->last - l->first + 1 > r->window) return;
  for (uint32_t k = 0; k < unroll; k++)
    for (uint32_t i = l->first; i <= l->last; i++)
      path[n++] = u != NULL ? weir_copy_of(u, i, unroll, k) : i;
  print(r, file, "loop", l->first, l->last, unroll, path, n, o);
}

static void print_kernel(const struct ptx_program *p, const struct weir_reorder_cfg *c,
                         const char *file) {
  struct weir_kernel_info k = text_kernel(p);
  struct weir_reordered *r = NULL;
  struct weir_err err;
  if (weir_reorder_kernel(c, &k, &r, &err) != WEIR_OK || r == NULL) return;
  struct weir_orderer *o = weir_orderer_new(r);
  uint32_t at = 0;
  for (uint32_t i = 0; o != NULL && i < p->outline->n_loops; i++) {
    print_blocks(r, file, o, at, p->outline->loops[i].first);
    print_loop(r, file, o, &p->outline->loops[i]);
    at = p->outline->loops[i].last + 1;
  }
  if (o != NULL) print_blocks(r, file, o, at, p->funcs[0].end);
  weir_orderer_free(o);
  weir_reordered_free(r);
}

static int print_file(const char *path, const struct weir_reorder_cfg *c) {
  const char *slash = strrchr(path, '/');
  struct text t;
  struct weir_err err;
  const char *why = text_open(&t, path);
  if (why != NULL) {
    fprintf(stderr, "%s: %s\n", path, why);
    return 2;
  }
  for (uint32_t i = 0; i < t.m->n_funcs; i++) {
    struct ptx_program *p;
    if (!t.m->funcs[i]->is_entry || !t.m->funcs[i]->has_body) continue;
    if (ptx_program_build(t.image, t.m->funcs[i]->name, &t.cfg, &p, &err) != WEIR_OK) {
      fprintf(stderr, "%s: %s\n", path, err.msg);
      return 2;
    }
    print_kernel(p, c, slash != NULL ? slash + 1 : path);
    ptx_program_free(p);
  }
  text_close(&t);
  return 0;
}

int main(int argc, char **argv) {
  struct weir_reorder_cfg c;
  struct weir_err err;
  int worst = 0;
  weir_param_defaults(weir_reorder_params.table, &c);
  c.order = WEIR_INSNS_LOOPS;
  for (int i = 1; i < argc; i++) {
    char *is = strchr(argv[i], '=');
    if (is != NULL) {
      *is = 0;
      if (weir_param_set(weir_reorder_params.table, &c, argv[i], is + 1, NULL, &err) != WEIR_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 2;
      }
      continue;
    }
    int code = print_file(argv[i], &c);
    if (code > worst) worst = code;
  }
  return worst;
}
