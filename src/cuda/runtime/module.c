#include "cuda/runtime/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/host.h"
#include "cuda/runtime/memory.h"

/* ---- opening ---- */

static char *copy_text(const char *s, size_t n) {
  char *copy = weir_malloc(n + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

static struct weir_gpu_module *new_module(void) {
  struct weir_gpu_module *m = weir_calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  static uint64_t n;
  m->number = ++n;
  m->next = weir_gpu.modules;
  weir_gpu.modules = m;
  return m;
}

struct weir_gpu_module *weir_gpu_module_register(const void *wrapper) {
  struct weir_gpu_module *m = new_module();
  if (m != NULL) m->wrapper = wrapper;
  return m;
}

static bool add_units(struct weir_gpu_module *m, size_t n) {
  static uint64_t id;
  m->units = weir_calloc(n ? n : 1, sizeof *m->units);
  if (m->units == NULL) return false;
  m->n_units = n;
  for (size_t i = 0; i < n; i++)
    m->units[i].id = ++id;
  return true;
}

/* The PTX of every image. A machine older than all of it gets the newest: weir executes it as
 * well, and a program without any runs nowhere. */
static int take_texts(struct weir_gpu_module *m, struct weir_err *err) {
  if (!add_units(m, m->fatbin.n_images)) return WEIR_E_MemoryAllocation;
  unsigned sm = (unsigned)weir_gpu.props.capability;
  for (unsigned i = 0; i < m->fatbin.n_images; i++) {
    const struct weir_fatbin_entry *e = NULL;
    if (weir_fatbin_choose(&m->fatbin, i, sm, &e, err) != WEIR_OK &&
        weir_fatbin_choose(&m->fatbin, i, UINT16_MAX, &e, NULL) != WEIR_OK) {
      m->units[i].error = WEIR_E_NoKernelImageForDevice;
      continue;
    }
    m->units[i].sm = e->sm;
    enum weir_status st = weir_fatbin_text(e, &m->units[i].text, &m->units[i].n_text, err);
    if (st == WEIR_ENOMEM) return WEIR_E_MemoryAllocation;
    if (st != WEIR_OK) m->units[i].error = WEIR_E_InvalidKernelImage;
  }
  return 0;
}

static int open_module(struct weir_gpu_module *m) {
  if (m->is_open) return m->error;
  m->is_open = true;
  struct weir_err err;
  if (weir_fatbin_open_wrapper(&m->fatbin, m->wrapper, &err) != WEIR_OK)
    return m->error = weir_gpu_fail(WEIR_E_InvalidKernelImage, &err);
  return m->error = take_texts(m, &err);
}

enum { FATBIN_IMAGE_MAGIC = 0xba55ed50 };

static int set_text(struct weir_gpu_unit *u, const char *text, size_t n) {
  u->text = copy_text(text, n);
  u->n_text = n;
  return u->text != NULL ? 0 : WEIR_E_MemoryAllocation;
}

static int load_text(struct weir_gpu_module *m, const char *text, size_t bytes) {
  size_t n = bytes != 0 ? strnlen(text, bytes) : strlen(text);
  if (!add_units(m, 1)) return WEIR_E_MemoryAllocation;
  m->is_open = true;
  return set_text(&m->units[0], text, n);
}

static int load_fatbin(struct weir_gpu_module *m, const void *data, size_t bytes) {
  struct weir_err err;
  if (bytes == 0) { /* its header says how long it is */
    uint16_t head;
    uint64_t size;
    memcpy(&head, (const char *)data + 6, sizeof head);
    memcpy(&size, (const char *)data + 8, sizeof size);
    bytes = (size_t)(head + size);
  }
  m->is_open = true;
  if (weir_fatbin_open(&m->fatbin, data, bytes, &err) != WEIR_OK)
    return weir_gpu_fail(WEIR_E_InvalidKernelImage, &err);
  int error = take_texts(m, &err);
  /* Texts were copied; the caller's bytes may go. */
  weir_fatbin_free(&m->fatbin);
  bool any = false;
  for (size_t i = 0; i < m->n_units; i++)
    any |= m->units[i].text != NULL;
  return error != 0 ? error : any ? 0 : weir_gpu_fail(WEIR_E_NoKernelImageForDevice, &err);
}

int weir_gpu_module_load(const void *data, size_t bytes, struct weir_gpu_module **out) {
  struct weir_gpu_module *m = new_module();
  if (m == NULL) return WEIR_E_MemoryAllocation;
  m->owner = weir_gpu_owner;
  uint32_t magic;
  memcpy(&magic, data, sizeof magic);
  int error;
  if (magic == WEIR_FATBIN_MAGIC) {
    m->wrapper = data;
    error = open_module(m);
  } else if (magic == FATBIN_IMAGE_MAGIC)
    error = load_fatbin(m, data, bytes);
  else if (memcmp(data, "\177ELF", 4) == 0) {
    weir_gpu_say("a module of machine code (a cubin) cannot be executed\n"
                 "  remedy: load PTX: nvcc -ptx, or nvcc -fatbin with code=compute_NN");
    error = WEIR_E_NoKernelImageForDevice;
  } else
    error = load_text(m, data, bytes);
  if (error != 0) {
    weir_gpu_module_close(m);
    return error;
  }
  *out = m;
  return 0;
}

int weir_gpu_module_load_texts(const char *const *texts, size_t n, struct weir_gpu_module **out) {
  struct weir_gpu_module *m = new_module();
  if (m == NULL) return WEIR_E_MemoryAllocation;
  m->owner = weir_gpu_owner;
  m->is_open = m->is_to_link = true;
  int error = add_units(m, n) ? 0 : WEIR_E_MemoryAllocation;
  for (size_t i = 0; i < n && error == 0; i++)
    error = set_text(&m->units[i], texts[i], strlen(texts[i]));
  if (error != 0) {
    weir_gpu_module_close(m);
    return error;
  }
  *out = m;
  return 0;
}

int weir_gpu_module_load_file(const char *path, struct weir_gpu_module **out) {
  enum { MAX_BYTES = 1 << 30, MIN_BYTES = 16 };
  char *data;
  size_t n;
  struct weir_err err;
  if (weir_file_read(path, MAX_BYTES, NULL, &data, &n, &err) != WEIR_OK)
    return weir_gpu_fail(WEIR_E_FileNotFound, &err);
  int error = n >= MIN_BYTES ? weir_gpu_module_load(data, n, out) : WEIR_E_InvalidKernelImage;
  free(data);
  return error;
}

static void unload_module(struct weir_gpu_module *m) {
  for (struct weir_gpu_kernel *k = m->kernels; k != NULL; k = k->next) {
    ptx_program_free(k->program);
    k->program = NULL;
    k->entry = NULL;
  }
  for (struct weir_gpu_var *v = m->vars; v != NULL; v = v->next) {
    if (v->managed != NULL) weir_gpu_variable_gone(v->addr);
    v->addr = 0;
  }
  ptx_image_free(m->image);
  if (m->linked != NULL) ptx_module_free(m->linked);
  m->image = NULL;
  m->linked = NULL;
  for (size_t i = 0; i < m->n_units; i++) {
    if (m->units[i].ir != NULL) ptx_module_free(m->units[i].ir);
    m->units[i].ir = NULL;
  }
}

void weir_gpu_modules_unload(void) {
  for (struct weir_gpu_module *m = weir_gpu.modules; m != NULL; m = m->next)
    unload_module(m);
}

void weir_gpu_module_close(struct weir_gpu_module *m) {
  struct weir_gpu_module **at = &weir_gpu.modules;
  while (*at != NULL && *at != m)
    at = &(*at)->next;
  if (*at == NULL) return;
  *at = m->next;
  unload_module(m);
  for (struct weir_gpu_kernel *k = m->kernels, *next; k != NULL; k = next) {
    next = k->next;
    weir_gpu_map_remove(&weir_gpu.kernels, (uintptr_t)k->host);
    weir_gpu_map_remove(&weir_gpu.kernels, (uintptr_t)k);
    free(k->name);
    free(k->told.v);
    free(k);
  }
  for (struct weir_gpu_var *v = m->vars, *next; v != NULL; v = next) {
    next = v->next;
    weir_gpu_map_remove(&weir_gpu.vars, (uintptr_t)v->host);
    free(v->name);
    free(v);
  }
  for (size_t i = 0; i < m->n_units; i++)
    free(m->units[i].text);
  free(m->units);
  weir_fatbin_free(&m->fatbin);
  free(m);
}

/* ---- parsing ---- */

static int report_parse(struct ptx_diags *d) {
  for (size_t i = 0; i < d->n; i++)
    weir_gpu_say("%s", d->v[i].msg);
  ptx_diags_free(d);
  return WEIR_E_InvalidPtx;
}

static int parse_unit(struct weir_gpu_module *m, struct weir_gpu_unit *u) {
  if (u->ir != NULL || u->error != 0) return u->error;
  char path[300];
  if (m->n_units > 1)
    snprintf(path, sizeof path, "%s#%llu.%zu.ptx", program_invocation_short_name,
             (unsigned long long)m->number, (size_t)(u - m->units) + 1);
  else
    snprintf(path, sizeof path, "%s#%llu.ptx", program_invocation_short_name,
             (unsigned long long)m->number);
  struct ptx_diags diags = {0};
  if (ptx_parse(u->text, u->n_text, path, &u->ir, &diags) != WEIR_OK)
    return u->error = report_parse(&diags);
  ptx_diags_free(&diags);
  return 0;
}

/* libcudadevrt, which nvcc adds to relocatable code, has PTX for the newest machines only: of
 * several units, those that are newer than the machine are left out, or, if all are, those that are
 * newer than the oldest. */
static bool is_linked_in(const struct weir_gpu_module *m, const struct weir_gpu_unit *u) {
  unsigned lowest = UINT32_MAX;
  for (size_t i = 0; i < m->n_units; i++)
    if (m->units[i].text != NULL && m->units[i].sm < lowest) lowest = m->units[i].sm;
  unsigned sm = (unsigned)weir_gpu.props.capability;
  return u->text != NULL && u->sm <= (sm < lowest ? lowest : sm);
}

static int link_units(struct weir_gpu_module *m) {
  const struct ptx_module **parts = weir_calloc(m->n_units, sizeof *parts);
  if (parts == NULL) return WEIR_E_MemoryAllocation;
  uint32_t n = 0;
  int error = 0;
  for (size_t i = 0; i < m->n_units && error == 0; i++) {
    if (!is_linked_in(m, &m->units[i])) continue;
    error = parse_unit(m, &m->units[i]);
    parts[n++] = m->units[i].ir;
  }
  struct weir_err err;
  if (error == 0 && ptx_link(parts, n, &m->linked, &err) != WEIR_OK)
    error = weir_gpu_fail(WEIR_E_InvalidPtx, &err);
  free(parts);
  return error;
}

/* Parses what holds the unit, and gives its variables addresses. */
static int load_parsed(struct weir_gpu_module *m, struct weir_gpu_unit *u) {
  int error = m->n_units > 1 || m->is_to_link ? link_units(m) : parse_unit(m, u);
  if (error != 0) return m->error = error;
  struct weir_err err;
  const struct ptx_module *ir = m->linked != NULL ? m->linked : u->ir;
  enum weir_status st = ptx_image_load(&weir_gpu.dev, ir, &m->image, &err);
  if (st == WEIR_OK) return 0;
  return m->error = weir_gpu_fail(
             st == WEIR_ENOMEM ? WEIR_E_MemoryAllocation : WEIR_E_InvalidKernelImage, &err);
}

struct loading {
  struct weir_gpu_module *module;
  struct weir_gpu_unit *unit;
  struct weir_gpu_kernel *kernel;
  int error;
};

static void load_deep(void *self) {
  struct loading *l = self;
  l->error = load_parsed(l->module, l->unit);
}

static int load_unit(struct weir_gpu_module *m, struct weir_gpu_unit *u) {
  if (m->image != NULL || m->error != 0) return m->error;
  struct loading l = {.module = m, .unit = u};
  weir_gpu_deep(load_deep, &l);
  return l.error;
}

/* Does the text hold the name as a word? Parsing is slow, searching is not. */
static bool may_hold(const struct weir_gpu_unit *u, const char *name) {
  size_t n = strlen(name);
  const char *p = u->text, *end = u->text != NULL ? u->text + u->n_text : NULL;
  while (p != NULL && p < end && (p = memmem(p, (size_t)(end - p), name, n)) != NULL) {
    char after = p[n];
    bool is_word = after == ' ' || after == '(' || after == '\n' || after == '\t' || after == '[' ||
                   after == ';' || after == ',' || after == '\r' || after == '=';
    if (is_word) return true;
    p += n;
  }
  return false;
}

/* ---- kernels ---- */

struct weir_gpu_kernel *weir_gpu_kernel_add(struct weir_gpu_module *m, const char *name,
                                            const void *host) {
  struct weir_gpu_kernel *k = weir_calloc(1, sizeof *k);
  if (k == NULL) return NULL;
  *k = (struct weir_gpu_kernel){.module = m, .host = host, .carveout = -1, .told_carveout = -1};
  k->name = copy_text(name, strlen(name));
  if (k->name == NULL || !weir_gpu_map_set(&weir_gpu.kernels, (uintptr_t)k, k) ||
      (host != NULL && !weir_gpu_map_set(&weir_gpu.kernels, (uintptr_t)host, k))) {
    weir_gpu_map_remove(&weir_gpu.kernels, (uintptr_t)k);
    free(k->name);
    free(k);
    return NULL;
  }
  k->next = m->kernels;
  m->kernels = k;
  return k;
}

struct weir_gpu_kernel *weir_gpu_kernel_of(const void *function) {
  return weir_gpu_map_get(&weir_gpu.kernels, (uintptr_t)function);
}

static const struct ptx_func *entry_of(const struct weir_gpu_unit *u, const char *name) {
  const struct ptx_func *f = u->ir != NULL ? ptx_find_func(u->ir, name) : NULL;
  return f != NULL && f->is_entry && f->has_body ? f : NULL;
}

/* The text with the kernel, parsed. */
static int find_unit(struct weir_gpu_module *m, const char *name, struct weir_gpu_unit **out) {
  int error = open_module(m);
  for (size_t i = 0; error == 0 && i < m->n_units; i++) {
    struct weir_gpu_unit *u = &m->units[i];
    if (!may_hold(u, name) || !is_linked_in(m, u)) continue;
    error = load_unit(m, u);
    if (error == 0 && entry_of(u, name) != NULL) {
      *out = u;
      return 0;
    }
  }
  return error != 0 ? error : WEIR_E_SymbolNotFound;
}

static int report_no_kernel(const struct weir_gpu_kernel *k) {
  struct weir_gpu_module *m = k->module;
  struct weir_err err;
  const struct weir_fatbin_entry *e;
  for (unsigned i = 0; i < m->fatbin.n_images; i++)
    if (m->units[i].text == NULL &&
        weir_fatbin_choose(&m->fatbin, i, UINT16_MAX, &e, &err) != WEIR_OK) {
      weir_gpu_say("kernel %s: %s", k->name, err.msg);
      return WEIR_E_NoKernelImageForDevice;
    }
  weir_gpu_say("kernel %s: no PTX of the program defines it", k->name);
  return WEIR_E_InvalidDeviceFunction;
}

static int build(struct weir_gpu_kernel *k) {
  int error = find_unit(k->module, k->name, &k->unit);
  if (error == WEIR_E_SymbolNotFound) return report_no_kernel(k);
  if (error != 0) return error;
  struct weir_err err;
  enum weir_status st =
      ptx_program_build(k->module->image, k->name, &weir_gpu.dev.cfg, &k->program, &err);
  if (st != WEIR_OK)
    return weir_gpu_fail(st == WEIR_ENOMEM ? WEIR_E_MemoryAllocation : WEIR_E_InvalidPtx, &err);
  k->entry = ptx_program_entry(k->program);
  return 0;
}

static void build_deep(void *self) {
  struct loading *l = self;
  l->error = build(l->kernel);
}

int weir_gpu_kernel_load(struct weir_gpu_kernel *k) {
  if (k->program != NULL) return 0;
  struct loading l = {.kernel = k};
  weir_gpu_deep(build_deep, &l);
  return l.error;
}

int weir_gpu_kernel_find(struct weir_gpu_module *m, const char *name,
                         struct weir_gpu_kernel **out) {
  for (struct weir_gpu_kernel *k = m->kernels; k != NULL; k = k->next)
    if (strcmp(k->name, name) == 0) {
      *out = k;
      return 0;
    }
  struct weir_gpu_unit *u;
  int error = find_unit(m, name, &u);
  if (error != 0) return error;
  *out = weir_gpu_kernel_add(m, name, NULL);
  return *out != NULL ? 0 : WEIR_E_MemoryAllocation;
}

int weir_gpu_module_kernels(struct weir_gpu_module *m, struct weir_gpu_kernel **out, size_t max,
                            size_t *n) {
  *n = 0;
  int error = open_module(m);
  for (size_t i = 0; error == 0 && i < m->n_units; i++) {
    if (!is_linked_in(m, &m->units[i])) continue;
    error = load_unit(m, &m->units[i]);
    const struct ptx_module *ir = m->units[i].ir;
    for (uint32_t f = 0; error == 0 && f < ir->n_funcs; f++) {
      if (entry_of(&m->units[i], ir->funcs[f]->name) == NULL) continue;
      struct weir_gpu_kernel *k;
      error = weir_gpu_kernel_find(m, ir->funcs[f]->name, &k);
      if (error == 0 && *n < max) out[*n] = k;
      *n += error == 0;
    }
  }
  return error;
}

/* ---- variables ---- */

struct weir_gpu_var *weir_gpu_var_add(struct weir_gpu_module *m, const char *name, const void *host,
                                      uint64_t bytes) {
  struct weir_gpu_var *v = weir_calloc(1, sizeof *v);
  if (v == NULL) return NULL;
  *v = (struct weir_gpu_var){.module = m, .host = host, .bytes = bytes};
  v->name = copy_text(name, strlen(name));
  if (v->name == NULL || !weir_gpu_map_set(&weir_gpu.vars, (uintptr_t)host, v)) {
    free(v->name);
    free(v);
    return NULL;
  }
  v->next = m->vars;
  m->vars = v;
  return v;
}

struct weir_gpu_var *weir_gpu_var_of(const void *symbol) {
  return weir_gpu_map_get(&weir_gpu.vars, (uintptr_t)symbol);
}

int weir_gpu_module_var(struct weir_gpu_module *m, const char *name, uint64_t *addr,
                        uint64_t *bytes) {
  int error = open_module(m);
  for (size_t i = 0; error == 0 && i < m->n_units; i++) {
    struct weir_gpu_unit *u = &m->units[i];
    if (!may_hold(u, name) || !is_linked_in(m, u)) continue;
    error = load_unit(m, u);
    if (error == 0 && ptx_image_var(m->image, name, addr, bytes, NULL) == WEIR_OK) return 0;
  }
  return error != 0 ? error : WEIR_E_SymbolNotFound;
}

int weir_gpu_module_place(struct weir_gpu_module *m, const char *name) {
  int error = open_module(m);
  for (size_t i = 0; error == 0 && i < m->n_units; i++) {
    struct weir_gpu_unit *u = &m->units[i];
    if (may_hold(u, name) && is_linked_in(m, u)) return load_unit(m, u);
  }
  return error != 0 ? error : WEIR_E_SymbolNotFound;
}

int weir_gpu_var_load(struct weir_gpu_var *v) {
  if (v->addr != 0) return 0;
  uint64_t bytes;
  int error = weir_gpu_module_var(v->module, v->name, &v->addr, &bytes);
  if (error != 0) return error == WEIR_E_SymbolNotFound ? WEIR_E_InvalidSymbol : error;
  if (v->managed == NULL) return 0;
  *v->managed = (void *)(uintptr_t)v->addr;
  return weir_gpu_variable(v->addr, v->bytes);
}

int weir_gpu_module_init(struct weir_gpu_module *m) {
  int error = 0;
  for (struct weir_gpu_var *v = m->vars; v != NULL && error == 0; v = v->next)
    if (v->managed != NULL) error = weir_gpu_var_load(v);
  return error;
}
