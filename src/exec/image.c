#include "exec/image.h"

#include "base/mem.h"
#include "exec/tex_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_placed(const struct ptx_var *v) {
  return v->space == PTX_SPACE_global || v->space == PTX_SPACE_const;
}

/* An opaque variable has no memory: its address is a handle. */
static bool is_reference(const struct ptx_var *v) {
  return v->type >= PTX_T_texref;
}

static int by_var(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct ptx_placed *)a)->var,
            y = (uintptr_t)((const struct ptx_placed *)b)->var;
  return (x > y) - (x < y);
}

uint64_t ptx_image_addr(const struct ptx_image *image, const struct ptx_var *var) {
  struct ptx_placed key = {.var = var};
  const struct ptx_placed *p = bsearch(&key, image->placed, image->n_placed, sizeof key, by_var);
  return p != NULL ? p->addr : 0;
}

uint64_t ptx_func_addr(const struct ptx_module *m, struct ptx_func *name) {
  const struct ptx_func *f = ptx_callee(m, name);
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (m->funcs[i] == f) return 16 * ((uint64_t)i + 1);
  return 0;
}

uint32_t ptx_func_at(const struct ptx_module *m, uint64_t addr) {
  uint64_t i = addr / 16 - 1;
  return addr % 16 == 0 && addr != 0 && i < m->n_funcs ? (uint32_t)i : UINT32_MAX;
}

static enum weir_status place(struct ptx_image *image, const struct ptx_var *v,
                              struct weir_err *err) {
  uint64_t addr;
  if (is_reference(v)) {
    enum weir_status st = ptx_tex_reserve(image->dev, &addr, err);
    if (st == WEIR_OK)
      image->placed[image->n_placed++] = (struct ptx_placed){.var = v, .addr = addr};
    return st;
  }
  if (v->linkage == PTX_LINK_extern && v->bytes == 0)
    return weir_fail(err, WEIR_EPARSE,
                     "%s:%u: variable '%s' is declared .extern and defined nowhere",
                     image->module->path, v->line, v->name);
  enum weir_status st =
      ptx_mem_alloc_in(&image->dev->mem, PTX_POOL_MODULE, v->bytes ? v->bytes : 1, v->align,
                       v->name, v->space == PTX_SPACE_const, &addr, err);
  if (st != WEIR_OK) return st;
  if (v->init != NULL) memcpy(ptx_mem_host(&image->dev->mem, addr), v->init, v->init_bytes);
  image->placed[image->n_placed++] = (struct ptx_placed){.var = v, .addr = addr};
  return WEIR_OK;
}

/* Declarations that linking resolved have the address of what they declare. */
static void place_links(struct ptx_image *image) {
  const struct ptx_module *m = image->module;
  size_t n = image->n_placed;
  qsort(image->placed, n, sizeof *image->placed, by_var);
  for (uint32_t i = 0; i < m->n_var_links; i++)
    if (is_placed(m->var_links[i].of))
      image->placed[n++] = (struct ptx_placed){.var = m->var_links[i].var,
                                               .addr = ptx_image_addr(image, m->var_links[i].of),
                                               .is_link = true};
  image->n_placed = n;
  qsort(image->placed, n, sizeof *image->placed, by_var);
}

static void relocate(struct ptx_image *image, const struct ptx_placed *p) {
  for (uint32_t i = 0; i < p->var->n_relocs; i++) {
    const struct ptx_reloc *r = &p->var->relocs[i];
    uint64_t v = r->func != NULL ? ptx_func_addr(image->module, r->func)
                 : r->var        ? ptx_image_addr(image, r->var)
                                 : 0;
    v += (uint64_t)r->addend;
    if (r->mask_byte != 0) v = (v >> (8 * (r->mask_byte - 1))) & 0xff;
    memcpy(ptx_mem_host(&image->dev->mem, p->addr) + r->offset, &v, r->bytes);
  }
}

enum weir_status ptx_image_load(struct ptx_device *dev, const struct ptx_module *m,
                                struct ptx_image **out, struct weir_err *err) {
  *out = NULL;
  size_t n = m->n_var_links;
  for (uint32_t i = 0; i < m->n_vars; i++)
    n += is_placed(m->vars[i]);
  for (uint32_t f = 0; f < m->n_funcs; f++)
    for (uint32_t i = 0; i < m->funcs[f]->n_vars; i++)
      n += is_placed(m->funcs[f]->vars[i]);
  struct ptx_image *image = weir_calloc(1, sizeof *image);
  if (image == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  image->module = m;
  image->dev = dev;
  image->placed = weir_calloc(n ? n : 1, sizeof *image->placed);
  if (image->placed == NULL) {
    ptx_image_free(image);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; i < m->n_vars && st == WEIR_OK; i++)
    if (is_placed(m->vars[i])) st = place(image, m->vars[i], err);
  for (uint32_t f = 0; f < m->n_funcs && st == WEIR_OK; f++)
    for (uint32_t i = 0; i < m->funcs[f]->n_vars && st == WEIR_OK; i++)
      if (is_placed(m->funcs[f]->vars[i])) st = place(image, m->funcs[f]->vars[i], err);
  if (st != WEIR_OK) {
    ptx_image_free(image);
    return st;
  }
  place_links(image);
  for (size_t i = 0; i < image->n_placed; i++)
    if (!image->placed[i].is_link) relocate(image, &image->placed[i]);
  *out = image;
  return WEIR_OK;
}

void ptx_image_free(struct ptx_image *image) {
  if (image == NULL) return;
  for (size_t i = 0; i < image->n_placed; i++)
    if (is_reference(image->placed[i].var) && !image->placed[i].is_link)
      ptx_tex_destroy(image->dev, image->placed[i].addr, NULL);
    else if (!image->placed[i].is_link)
      ptx_mem_release(&image->dev->mem, image->placed[i].addr, NULL);
  free(image->placed);
  free(image);
}

enum weir_status ptx_image_var(const struct ptx_image *image, const char *name, uint64_t *addr,
                               uint64_t *bytes, struct weir_err *err) {
  const struct ptx_var *v = ptx_find_var(image->module, name);
  *addr = v != NULL && !is_reference(v) ? ptx_image_addr(image, v) : 0;
  if (*addr == 0)
    return weir_fail(err, WEIR_ENOENT, "%s: no variable '%s' in global or constant memory",
                     image->module->path, name);
  *bytes = v->bytes;
  return WEIR_OK;
}
