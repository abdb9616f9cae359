#include "launch/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "exec/tex.h"

enum { MAX_PTX_BYTES = 256 << 20, MAX_UNSUPPORTED = 64 };

struct weir_workload {
  struct ptx_device *dev;
  struct weir_launchfile *lf;
  struct ptx_module **modules;
  struct ptx_module *linked;     /* of all modules, if the file wants them linked */
  struct ptx_image **images;     /* of the modules, or one of the linked ones */
  uint64_t *addresses;           /* of buffers, then handles of textures */
  struct ptx_program **programs; /* one per launch entry; shared entries are built once */
};

struct weir_launchfile *weir_workload_file(struct weir_workload *w) {
  return w->lf;
}

const struct ptx_program *weir_workload_program(const struct weir_workload *w, uint32_t launch) {
  return w->programs[launch];
}

const struct ptx_module *weir_workload_module(const struct weir_workload *w, uint32_t module) {
  return w->modules[module];
}

static enum weir_status report_diags(const struct ptx_diags *d, struct weir_err *err) {
  if (err != NULL && d->n > 0) {
    *err = d->v[0];
    for (size_t i = 1; i < d->n; i++)
      weir_err_add(err, "%s", d->v[i].msg);
  }
  return d->n > 0 ? d->v[0].code : WEIR_EPARSE;
}

static enum weir_status refuse_unsupported(const struct ptx_module *m, struct weir_err *err) {
  struct ptx_unsupported list[MAX_UNSUPPORTED];
  size_t n = ptx_unsupported(m, list, MAX_UNSUPPORTED);
  if (n == 0) return WEIR_OK;
  weir_fail(err, WEIR_EPARSE, "%s: %zu construct%s cannot be executed yet", m->path, n,
            n == 1 ? "" : "s");
  for (size_t i = 0; i < n && i < MAX_UNSUPPORTED; i++)
    weir_err_add(err, "line %u: %s (%u time%s)", list[i].first_line, list[i].what, list[i].count,
                 list[i].count == 1 ? "" : "s");
  return WEIR_EPARSE;
}

static enum weir_status load_module(struct weir_workload *w, uint32_t i, struct weir_err *err) {
  char *text;
  size_t len;
  const char *path = w->lf->modules[i];
  enum weir_status st =
      weir_file_read(path, MAX_PTX_BYTES, &w->lf->module_where[i], &text, &len, err);
  if (st != WEIR_OK) return st;
  struct ptx_diags diags = {0};
  st = ptx_parse(text, len, path, &w->modules[i], &diags);
  free(text);
  if (st != WEIR_OK) {
    st = report_diags(&diags, err);
    ptx_diags_free(&diags);
    return st;
  }
  ptx_diags_free(&diags);
  if (w->lf->link) return WEIR_OK;
  st = refuse_unsupported(w->modules[i], err);
  if (st != WEIR_OK && w->lf->n_modules > 1)
    weir_err_add(err, "'link: true' makes one program of modules compiled with nvcc -rdc=true");
  return st == WEIR_OK ? ptx_image_load(w->dev, w->modules[i], &w->images[i], err) : st;
}

static enum weir_status link_modules(struct weir_workload *w, struct weir_err *err) {
  const struct ptx_module *all[WEIR_LF_MODULES];
  for (uint32_t i = 0; i < w->lf->n_modules; i++)
    all[i] = w->modules[i];
  enum weir_status st = ptx_link(all, w->lf->n_modules, &w->linked, err);
  if (st == WEIR_OK) st = refuse_unsupported(w->linked, err);
  return st == WEIR_OK ? ptx_image_load(w->dev, w->linked, &w->images[0], err) : st;
}

static enum weir_status fill_buffer(struct weir_workload *w, uint32_t i, struct weir_err *err) {
  const struct weir_lf_buffer *b = &w->lf->buffers[i];
  enum weir_status st =
      ptx_mem_alloc(&w->dev->mem, b->bytes, 0, b->name, false, &w->addresses[i], err);
  return st == WEIR_OK
             ? weir_buffer_generate(w->lf, i, ptx_mem_host(&w->dev->mem, w->addresses[i]), err)
             : st;
}

/* A texture is an object, and bound to every reference of its name. */
static enum weir_status make_texture(struct weir_workload *w, uint32_t i, struct weir_err *err) {
  const struct weir_lf_texture *t = &w->lf->textures[i];
  struct ptx_tex_desc d = t->desc;
  uint64_t *handle = &w->addresses[w->lf->n_buffers + i];
  d.texels.addr = w->addresses[t->buffer];
  enum weir_status st = t->is_surface ? ptx_surf_create(w->dev, &d.texels, handle, err)
                                      : ptx_tex_create(w->dev, &d, handle, err);
  for (uint32_t m = 0; st == WEIR_OK && m < w->lf->n_modules; m++) {
    if (w->images[m] == NULL) continue;
    const struct ptx_module *module = w->linked != NULL ? w->linked : w->modules[m];
    const struct ptx_var *v = ptx_find_var(module, t->name);
    if (v != NULL && v->type == PTX_T_texref && !t->is_surface)
      st = ptx_image_bind_tex(w->images[m], t->name, &d, err);
    else if (v != NULL && v->type == PTX_T_surfref && t->is_surface)
      st = ptx_image_bind_surf(w->images[m], t->name, &d.texels, err);
  }
  if (st != WEIR_OK)
    weir_err_add(err, "declared at %s:%u: '%s'", t->where.file, t->where.line, t->name);
  return st;
}

static enum weir_status report_no_kernel(const struct weir_workload *w,
                                         const struct weir_lf_launch *l, struct weir_err *err) {
  weir_fail_at(err, WEIR_ENOENT, &l->where, "no module has a kernel '%s'", l->kernel);
  for (uint32_t m = 0; m < w->lf->n_modules; m++) {
    const struct ptx_module *module = w->modules[m];
    if (ptx_find_func(module, l->kernel) != NULL)
      weir_err_add(err, "in %s it is not a kernel (.entry) with a body", w->lf->modules[m]);
    struct weir_text names = {0};
    for (uint32_t f = 0; f < module->n_funcs; f++)
      if (module->funcs[f]->is_entry) weir_text_printf(&names, " %s", module->funcs[f]->name);
    weir_err_add(err, "%s has:%s", w->lf->modules[m], names.n > 0 ? names.v : " none");
    weir_text_free(&names);
  }
  return WEIR_ENOENT;
}

static enum weir_status build_program(struct weir_workload *w, uint32_t i, struct weir_err *err) {
  const struct weir_lf_launch *l = &w->lf->launches[i];
  for (uint32_t k = 0; k < i; k++)
    if (strcmp(w->lf->launches[k].kernel, l->kernel) == 0) {
      w->programs[i] = w->programs[k];
      return WEIR_OK;
    }
  for (uint32_t m = 0; m < (w->lf->link ? 1 : w->lf->n_modules); m++) {
    const struct ptx_func *f = ptx_find_func(w->lf->link ? w->linked : w->modules[m], l->kernel);
    if (f != NULL && f->is_entry && f->has_body)
      return ptx_program_build(w->images[m], l->kernel, &w->dev->cfg, &w->programs[i], err);
  }
  return report_no_kernel(w, l, err);
}

enum weir_status weir_workload_open(struct ptx_device *dev, const char *path, const char *input,
                                    struct weir_workload **out, struct weir_err *err) {
  *out = NULL;
  struct weir_workload *w = weir_calloc(1, sizeof *w);
  if (w == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  w->dev = dev;
  enum weir_status st = weir_launchfile_load(path, input, &w->lf, err);
  if (st != WEIR_OK) {
    free(w);
    return st;
  }
  w->modules = weir_calloc(w->lf->n_modules + 1u, sizeof *w->modules);
  w->images = weir_calloc(w->lf->n_modules + 1u, sizeof *w->images);
  w->addresses = weir_calloc(w->lf->n_buffers + w->lf->n_textures + 1u, sizeof *w->addresses);
  w->programs = weir_calloc(w->lf->n_launches + 1u, sizeof *w->programs);
  if (w->modules == NULL || w->images == NULL || w->addresses == NULL || w->programs == NULL)
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  for (uint32_t i = 0; st == WEIR_OK && i < w->lf->n_modules; i++)
    st = load_module(w, i, err);
  if (st == WEIR_OK && w->lf->link) st = link_modules(w, err);
  for (uint32_t i = 0; st == WEIR_OK && i < w->lf->n_launches; i++)
    st = build_program(w, i, err);
  for (uint32_t i = 0; st == WEIR_OK && i < w->lf->n_buffers; i++)
    st = fill_buffer(w, i, err);
  for (uint32_t i = 0; st == WEIR_OK && i < w->lf->n_textures; i++)
    st = make_texture(w, i, err);
  if (st != WEIR_OK) {
    weir_workload_close(w);
    return st;
  }
  *out = w;
  return WEIR_OK;
}

void weir_workload_close(struct weir_workload *w) {
  if (w == NULL) return;
  for (uint32_t i = 0; w->programs != NULL && i < w->lf->n_launches; i++) {
    bool is_first = true;
    for (uint32_t k = 0; k < i; k++)
      is_first &= w->programs[k] != w->programs[i];
    if (is_first) ptx_program_free(w->programs[i]);
  }
  for (uint32_t i = 0; w->images != NULL && i < w->lf->n_modules; i++)
    ptx_image_free(w->images[i]);
  ptx_module_free(w->linked);
  for (uint32_t i = 0; w->modules != NULL && i < w->lf->n_modules; i++)
    ptx_module_free(w->modules[i]);
  for (uint32_t i = 0; w->addresses != NULL && i < w->lf->n_textures; i++)
    if (w->addresses[w->lf->n_buffers + i] != 0)
      ptx_tex_destroy(w->dev, w->addresses[w->lf->n_buffers + i], NULL);
  for (uint32_t i = 0; w->addresses != NULL && i < w->lf->n_buffers; i++)
    if (w->addresses[i] != 0) ptx_mem_release(&w->dev->mem, w->addresses[i], NULL);
  free(w->programs);
  free(w->images);
  free(w->modules);
  free(w->addresses);
  weir_launchfile_free(w->lf);
  free(w);
}

static uint8_t *host_of(const struct weir_workload *w, uint32_t buffer) {
  return ptx_mem_host(&w->dev->mem, w->addresses[buffer]);
}

/* The parameter block of repetition k of a launch; malloc'ed. */
static enum weir_status pack_arguments(struct weir_workload *w, uint32_t i, uint32_t k, void **out,
                                       struct weir_err *err) {
  const struct ptx_func *f = ptx_program_entry(w->programs[i]);
  struct weir_lf_param *params = weir_calloc(f->n_params + 1u, sizeof *params);
  size_t bytes = (size_t)f->param_bytes;
  *out = weir_calloc(1, bytes + 1);
  if (params == NULL || *out == NULL) {
    free(params);
    free(*out);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  for (uint32_t p = 0; p < f->n_params; p++)
    params[p] = (struct weir_lf_param){.name = f->params[p].name,
                                       .type = f->params[p].type,
                                       .bytes = f->params[p].bytes,
                                       .offset = f->params[p].offset,
                                       .is_array = f->params[p].n_dims > 0};
  enum weir_status st =
      weir_launch_args(w->lf, i, k, w->addresses, params, f->n_params, *out, bytes, err);
  free(params);
  if (st != WEIR_OK) free(*out);
  return st;
}

static void add_launch(const struct weir_lf_launch *l, uint32_t k, struct weir_err *err) {
  if (k == 0)
    weir_err_add(err, "launched at %s:%u", l->where.file, l->where.line);
  else
    weir_err_add(err, "launched at %s:%u, repetition k = %u", l->where.file, l->where.line, k);
}

static enum weir_status next_block(struct weir_block_source *src, struct weir_block_stream **out,
                                   struct weir_err *err) {
  return ptx_run_next(src->self, out, err);
}
static void release_block(struct weir_block_source *src, struct weir_block_stream *b) {
  ptx_run_release(src->self, b);
}

static enum weir_status run_kernel(struct weir_workload *w, uint32_t i, uint32_t k,
                                   const struct weir_workload_hooks *h, struct weir_err *err) {
  const struct weir_lf_launch *l = &w->lf->launches[i];
  struct weir_launch_shape shape;
  void *params;
  enum weir_status st = weir_launch_shape(w->lf, i, k, &shape, err);
  if (st == WEIR_OK) st = pack_arguments(w, i, k, &params, err);
  if (st != WEIR_OK) return st;
  struct ptx_launch launch = {.dyn_shared = shape.dyn_shared_bytes,
                              .regs_per_thread = l->registers > 0 ? (uint32_t)l->registers : 0,
                              .static_shared_ptxas =
                                  l->static_shared > 0 ? (uint32_t)l->static_shared : 0,
                              .params = params,
                              .cooperative = l->cooperative};
  memcpy(launch.grid, shape.grid, sizeof launch.grid);
  memcpy(launch.block, shape.block, sizeof launch.block);
  struct ptx_run *run;
  st = ptx_run_begin(w->dev, w->programs[i], &launch, h->want_streams, &run, err);
  free(params);
  if (st != WEIR_OK) {
    add_launch(l, k, err);
    return st;
  }
  struct weir_launch_report report = {
      .kernel = l->kernel, .launch = i, .k = k, .info = ptx_run_info(run)};
  uint64_t n_blocks = weir_volume(shape.grid);
  if (h->simulate != NULL) {
    struct weir_block_source source = {
        .kernel = report.info, .next = next_block, .release = release_block, .self = run};
    st = h->simulate(h->self, &source, err);
  } else
    for (struct weir_block_stream *b;;) {
      st = ptx_run_next(run, &b, err);
      if (st != WEIR_OK || b == NULL) break;
      if (h->want_streams)
        for (uint32_t q = 0; q < b->n_warps; q++)
          report.stream_bytes += b->warps[q].n_bytes;
      if (h->want_streams && h->block != NULL) h->block(h->self, report.info, b);
      ptx_run_release(run, b);
      uint64_t done = ptx_run_blocks_done(run);
      if (h->progress != NULL && done % 64 == 0) h->progress(h->self, l->kernel, done, n_blocks);
    }
  if (st != WEIR_OK) add_launch(l, k, err);
  ptx_run_stats(run, &report.stats);
  if (st == WEIR_OK && h->launched != NULL) h->launched(h->self, &report);
  ptx_run_end(run);
  return st;
}

static enum weir_status run_once(struct weir_workload *w, uint32_t i, uint32_t k,
                                 const struct weir_workload_hooks *h, struct weir_err *err) {
  const struct weir_lf_launch *l = &w->lf->launches[i];
  for (uint32_t s = 0; s < l->n_sets; s++) {
    enum weir_status st = weir_launch_set(w->lf, i, s, k, host_of(w, l->sets[s].buffer), err);
    if (st != WEIR_OK) return st;
  }
  return run_kernel(w, i, k, h, err);
}

/* One entry of `launches:`, from launch i on, with its repetitions. */
static enum weir_status run_entry(struct weir_workload *w, uint32_t i,
                                  const struct weir_workload_hooks *h, struct weir_err *err) {
  const struct weir_lf_launch *l = &w->lf->launches[i];
  enum weir_status st = WEIR_OK;
  for (uint32_t k = 0; k < l->repeat; k++) {
    for (uint32_t j = i; st == WEIR_OK && j < i + l->together; j++)
      st = run_once(w, j, k, h, err);
    if (st != WEIR_OK) return st;
    if (!l->has_until) continue;
    uint64_t offset;
    bool holds = false;
    st = weir_until_offset(w->lf, i, k, &offset, err);
    if (st == WEIR_OK)
      st = weir_until_holds(w->lf, i, k, host_of(w, l->until_buffer) + offset, &holds, err);
    if (st != WEIR_OK) return st;
    if (holds) return WEIR_OK;
  }
  if (!l->has_until) return WEIR_OK;
  return weir_fail_at(err, WEIR_EFAULT, &l->until_where,
                      "kernel %s was launched %u times and the condition does not hold yet",
                      l->kernel, l->repeat);
}

enum weir_status weir_workload_run(struct weir_workload *w, const struct weir_workload_hooks *hooks,
                                   struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (uint32_t i = 0; st == WEIR_OK && i < w->lf->n_launches; i += w->lf->launches[i].together)
    st = run_entry(w, i, hooks, err);
  return st;
}

enum weir_status weir_workload_check(struct weir_workload *w, struct weir_err *err) {
  for (uint32_t i = 0; i < w->lf->n_expects; i++) {
    enum weir_status st = weir_expect_check(w->lf, i, host_of(w, w->lf->expects[i].buffer), err);
    if (st != WEIR_OK) return st;
  }
  return WEIR_OK;
}

const void *weir_workload_buffer(const struct weir_workload *w, const char *name, uint64_t *bytes) {
  int i = weir_launchfile_buffer(w->lf, name);
  if (i < 0) return NULL;
  *bytes = w->lf->buffers[i].bytes;
  return host_of(w, (uint32_t)i);
}
