#include "exec/stray.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "exec/image.h"
#include "ptx/arrays.h"

/* ---- where pointers start ---- */

/* The operand that is an address in global memory, if there may be one. */
static const struct ptx_operand *address_of(const struct ptx_insn *in) {
  bool is_one = in->op == PTX_OP_ld || in->op == PTX_OP_st || in->op == PTX_OP_atom ||
                in->op == PTX_OP_red || in->op == PTX_OP_ldu;
  if (in->op == PTX_OP_cp && in->n_opnds > 1 && in->opnds[1].kind == PTX_O_addr)
    return &in->opnds[1]; /* the first is in shared memory */
  for (unsigned k = 0; is_one && k < in->n_opnds; k++)
    if (in->opnds[k].kind == PTX_O_addr) return &in->opnds[k];
  return NULL;
}

/* Parameters of calls within the kernel are none of its own. */
static bool is_own(const struct ptx_func *entry, const struct ptx_var *v) {
  bool is_found = false;
  for (uint32_t i = 0; i < entry->n_params; i++)
    is_found |= &entry->params[i] == v;
  return is_found;
}

static struct ptx_home home_of(const struct ptx_program *p, const struct weir_array *a) {
  if (is_own(p->entry, a->var) && a->var->offset + a->offset + 8 <= p->entry->param_bytes)
    return (struct ptx_home){PTX_HOME_PARAM, a->var->offset + a->offset};
  if (a->var->space == PTX_SPACE_global)
    return (struct ptx_home){PTX_HOME_VAR, ptx_image_addr(p->image, a->var)};
  return (struct ptx_home){0};
}

bool ptx_homes_find(struct ptx_program *p) {
  const struct ptx_fn_info *f = &p->funcs[0];
  struct weir_arrays arrays;
  p->homes = weir_arena_array(&p->arena, p->n_code + 1u, sizeof *p->homes);
  if (p->homes == NULL || weir_arrays_find(&arrays, f->ir, NULL) != WEIR_OK) return false;
  for (uint32_t i = 0; i < f->ir->n_insns; i++) {
    const struct ptx_operand *o = address_of(&f->ir->insns[i]);
    uint32_t k = o != NULL ? weir_array_at(&arrays, o) : WEIR_NO_ARRAY;
    if (k != WEIR_NO_ARRAY) p->homes[f->entry + i] = home_of(p, &arrays.v[k]);
  }
  weir_arrays_free(&arrays);
  return true;
}

/* The allocation that a pointer belongs to. One to the end of an allocation is also one to the
 * start of the next: then it may be either. Mappings of a program's own are made side by side to be
 * used as one. */
static bool find_home(const struct ptx_mem *m, uint64_t start, struct ptx_reach *r) {
  const struct ptx_alloc *a = ptx_mem_find(m, start);
  if (a == NULL || a->is_adopted) return false;
  r->home_lo = a->base;
  r->home_hi = a->base + a->bytes;
  if (start == a->base && a > m->allocs && a[-1].base + a[-1].bytes == start)
    r->home_lo = a[-1].base;
  return true;
}

void ptx_homes_fill(const struct ptx_program *p, const struct ptx_mem *m, const uint8_t *params,
                    struct ptx_reach *reach) {
  struct ptx_home last = {0};
  struct ptx_reach found = {0};
  for (uint32_t pc = 0; pc < p->n_code; pc++) {
    struct ptx_home h = p->homes[pc];
    if (h.kind == PTX_HOME_UNKNOWN) continue;
    if (h.kind != last.kind || h.at != last.at) {
      uint64_t start = h.at;
      if (h.kind == PTX_HOME_PARAM) memcpy(&start, params + h.at, sizeof start);
      found = (struct ptx_reach){0};
      find_home(m, start, &found);
      last = h;
    }
    reach[pc] = found;
  }
}

/* ---- counting ---- */

static struct ptx_stray *stray_of(struct ptx_strays *s, const struct ptx_fault *f) {
  for (size_t i = 0; i < s->n; i++)
    if (s->v[i].first.pc == f->pc && (s->v[i].first.home != 0) == (f->home != 0)) return &s->v[i];
  if (!WEIR_PUSH(*s, (struct ptx_stray){.first = *f})) return NULL;
  return &s->v[s->n - 1];
}

static bool is_mapped(const struct ptx_warp *w, const struct ptx_fault *f) {
  uint64_t end = f->addr + f->bytes;
  switch (f->space) {
  case PTX_SPACE_shared:
    return end > f->addr && end <= ptx_shared_mapped(w->shared_bytes);
  case PTX_SPACE_local:
    return end > f->addr && w->local != NULL && end <= w->local_step;
  case PTX_SPACE_global:
    return ptx_mem_is_mapped(w->mem, f->addr, f->bytes);
  default:
    return false;
  }
}

static void describe(const struct ptx_warp *w, struct ptx_stray *x) {
  const struct ptx_fault *f = &x->first;
  uint32_t dynamic = w->cta->launch->dyn_shared;
  if (f->space == PTX_SPACE_shared)
    snprintf(x->near, sizeof x->near, "but a block has %u bytes (%u static, %u dynamic)",
             w->shared_bytes, w->shared_bytes - dynamic, dynamic);
  else if (f->space == PTX_SPACE_local)
    snprintf(x->near, sizeof x->near, "but a thread has %u bytes", w->local_bytes);
  else
    ptx_mem_describe(w->mem, f->addr, f->bytes, f->home, x->near, sizeof x->near);
}

bool ptx_stray_note(struct ptx_warp *w, const struct ptx_fault *f) {
  struct ptx_strays *s = w->strays;
  if (s == NULL || !is_mapped(w, f)) return false;
  struct ptx_stray *x = stray_of(s, f);
  if (x == NULL) {
    w->fault.kind = PTX_F_NOMEM;
    return false;
  }
  if (x->count++ == 0) {
    x->block = w->cta->id;
    x->warp = w->index;
    describe(w, x);
  }
  struct ptx_chunk *c =
      f->is_store && f->space == PTX_SPACE_global ? ptx_chunk_find(s->mem, f->addr) : NULL;
  if (c != NULL) c->is_dirty = true;
  return true;
}
