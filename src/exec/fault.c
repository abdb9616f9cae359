#include "exec/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "exec/image.h"
#include "exec/sync.h"
#include "exec/tex_insn.h"

enum { NULL_PAGE = 4096, MAX_WAITING = 4 };

/* ---- where ---- */

/* "FILE.cu:12" if the PTX says so, else "". */
static void source_position(const struct ptx_program *p, uint32_t pc, char *buf, size_t len) {
  const struct weir_static *s = &p->statics[pc];
  buf[0] = 0;
  if (s->line == 0) return;
  const struct ptx_module *m = p->image->module;
  for (uint32_t i = 0; i < m->n_files; i++)
    if (m->files[i].index == s->file) {
      snprintf(buf, len, "%s:%u", m->files[i].name, s->line);
      return;
    }
  snprintf(buf, len, "line %u", s->line);
}

static void add_place(const struct ptx_scene *s, const struct ptx_cta *c, const struct ptx_warp *w,
                      uint32_t lane, uint32_t pc, struct weir_err *err) {
  uint32_t t = w->index * LANES + lane;
  const uint32_t *b = s->launch->block;
  char pos[512], name[WEIR_DEMANGLED];
  source_position(s->prog, pc, pos, sizeof pos);
  weir_err_add(err, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)",
               weir_demangle(s->prog->entry->name, name, sizeof name), c->ctaid[0], c->ctaid[1],
               c->ctaid[2], t % b[0], t / b[0] % b[1], t / b[0] / b[1]);
  const struct ptx_fn_info *f = &s->prog->funcs[s->prog->func_of[pc]];
  if (f->ir != s->prog->entry)
    weir_err_add(err, "in function %s", weir_demangle(f->ir->name, name, sizeof name));
  char *text = pc - f->entry < f->ir->n_insns ? ptx_print_insn(f->ir, s->prog->insn[pc]) : NULL;
  weir_err_add(err, "instruction: %s  (%s:%u%s%s)", text != NULL ? text : "end of function",
               f->ir->module->path, s->prog->statics[pc].ptx_line, pos[0] ? ", source " : "", pos);
  free(text);
}

/* ---- accesses ---- */

static const char *space_name(unsigned space) {
  switch (space) {
  case PTX_SPACE_const:
    return "constant";
  case PTX_SPACE_local:
    return "local";
  case PTX_SPACE_param:
    return "parameter";
  case PTX_SPACE_shared:
    return "shared";
  case PTX_SPACE_none:
    return "generic";
  case PTX_SPACE_tex:
    return "surface";
  default:
    return "global";
  }
}

/* "store of 8 bytes at shared address 0x40 (generic 0x7e0000000040)" */
static void describe_access(const struct ptx_program *p, const struct ptx_fault *f, char *buf,
                            size_t len) {
  const char *what = p->code[f->pc].h == PTX_H_atom ? "atomic" : f->is_store ? "store" : "load";
  char generic[64] = "";
  bool is_global = f->space == PTX_SPACE_global || f->space == PTX_SPACE_const;
  if (f->generic != 0 && !is_global)
    snprintf(generic, sizeof generic, " (generic 0x%" PRIx64 ")", f->generic);
  snprintf(buf, len, "%s of %u byte%s at %s address 0x%" PRIx64 "%s", what, f->bytes,
           f->bytes == 1 ? "" : "s", space_name(f->space), f->addr, generic);
}

static const char *report_global_bounds(const struct ptx_scene *s, const char *access,
                                        const struct ptx_fault *f, struct weir_err *err) {
  char near[300];
  if (f->addr < NULL_PAGE) {
    weir_fail(err, WEIR_EFAULT, "null pointer: %s", access);
    return "an argument that is a pointer is the address of device memory; in a launch file: $name";
  }
  ptx_mem_describe(&s->dev->mem, f->addr, f->bytes, f->home, near, sizeof near);
  weir_fail(err, WEIR_EFAULT, "out of bounds: %s, %s", access, near);
  return "compare the buffer's size with what the threads of this grid access";
}

static const char *report_bounds(const struct ptx_scene *s, const struct ptx_warp *w,
                                 const char *access, struct weir_err *err) {
  const struct ptx_fault *f = &w->fault;
  uint32_t dynamic = s->launch->dyn_shared;
  switch (f->space) {
  case PTX_SPACE_shared:
    weir_fail(err, WEIR_EFAULT,
              "out of bounds: %s, but a block has %u bytes (%u static, %u dynamic)", access,
              w->shared_bytes, w->shared_bytes - dynamic, dynamic);
    return "dynamic shared memory is asked for in the launch: <<<grid, block, bytes>>>, or "
           "'shared' in a launch file";
  case PTX_SPACE_local:
    weir_fail(err, WEIR_EFAULT, "out of bounds: %s, but a thread has %u bytes", access,
              w->local_bytes);
    return NULL;
  case PTX_SPACE_param:
    if (f->generic != 0)
      weir_fail(err, WEIR_EFAULT,
                "out of bounds: %s of %u bytes at generic address 0x%" PRIx64
                ", where no memory is",
                f->is_store ? "store" : "load", f->bytes, f->generic);
    else
      weir_fail(err, WEIR_EFAULT, "out of bounds: %s, but the kernel has %u bytes of parameters",
                access, w->param_bytes);
    return NULL;
  default:
    return report_global_bounds(s, access, f, err);
  }
}

static void report_misaligned(const struct ptx_scene *s, const char *access,
                              const struct ptx_fault *f, struct weir_err *err) {
  char near[300] = "";
  if (f->addr >= s->dev->mem.base) ptx_mem_describe(&s->dev->mem, f->addr, 0, 0, near, sizeof near);
  weir_fail(err, WEIR_EFAULT, "misaligned: %s, which is no multiple of %u%s%s", access, f->bytes,
            near[0] ? "; " : "", near);
}

static void report_read_only(const struct ptx_scene *s, const char *access,
                             const struct ptx_fault *f, struct weir_err *err) {
  const struct ptx_alloc *a =
      f->space == PTX_SPACE_const ? ptx_mem_find(&s->dev->mem, f->addr) : NULL;
  weir_fail(err, WEIR_EFAULT, "read-only memory: %s%s%s%s; a kernel cannot write %s memory", access,
            a != NULL ? ", in '" : "", a != NULL ? a->name : "", a != NULL ? "'" : "",
            space_name(f->space));
}

/* ---- the rest ---- */

static const char *report_stack(const struct ptx_scene *s, const struct ptx_warp *w,
                                struct weir_err *err) {
  const struct ptx_fault *f = &w->fault;
  weir_fail(err, WEIR_EFAULT,
            "stack overflow: calls nested %u deep, with %" PRIu64 " bytes of local memory",
            f->bytes + 1, f->addr);
  return f->bytes >= s->dev->cfg.max_depth
             ? "raise exec.max_depth if the recursion is meant to be so deep"
             : "raise exec.stack_bytes if a thread is meant to need so much";
}

static const char *report_call(const struct ptx_scene *s, const struct ptx_fault *f,
                               struct weir_err *err) {
  const struct ptx_module *m = s->prog->image->module;
  uint32_t i = ptx_func_at(m, f->addr);
  if (i == UINT32_MAX) {
    weir_fail(err, WEIR_EFAULT, "call of address 0x%" PRIx64 ", where no function is", f->addr);
    return f->addr == 0 ? "a pointer to a function was never set" : NULL;
  }
  weir_fail(err, WEIR_EFAULT,
            "call of function '%s' through a pointer: it does not take the arguments of this call",
            m->funcs[i]->name);
  return NULL;
}

static const char *report_texture(const struct ptx_fault *f, struct weir_err *err) {
  static const struct {
    const char *before, *after, *remedy;
  } texts[] = {
      [PTX_TEX_NO_OBJECT] = {"", " is no texture or surface object",
                             "pass the kernel an object that exists and was not destroyed"},
      [PTX_TEX_UNBOUND] =
          {"nothing is bound to reference ", "",
           "bind a texture or surface to it before the launch; a launch file does so by name"},
      [PTX_TEX_NO_TEXTURE] = {"object ", " is a surface; a texture is needed", NULL},
      [PTX_TEX_NO_SURFACE] = {"object ", " is a texture; a surface is needed", NULL},
      [PTX_TEX_GEOMETRY] = {"object ", " has other dimensions or layers than the instruction",
                            NULL},
      [PTX_TEX_MEMORY] = {"the memory of object ", " was freed", NULL},
      [PTX_TEX_READ_ONLY] = {"the memory of surface ", " cannot be written", NULL},
      [PTX_TEX_FORMAT] = {"surface ", " has no texels of 32 bits, which sured.p needs", NULL}};
  weir_fail(err, WEIR_EFAULT, "texture: %s0x%" PRIx64 "%s", texts[f->bytes].before, f->addr,
            texts[f->bytes].after);
  return texts[f->bytes].remedy;
}

static const char *report_barrier(const struct ptx_fault *f, struct weir_err *err) {
  switch ((enum ptx_bar_fault)f->why) {
  case PTX_BAR_LANES:
    weir_fail(err, WEIR_EFAULT,
              "lanes of one warp come to different barriers, or for different numbers of threads");
    return "the whole warp must name the same";
  case PTX_BAR_COUNTS:
    weir_fail(err, WEIR_EFAULT,
              "barrier %" PRIu64 " for %u threads, but others wait there for another number",
              f->addr, f->bytes);
    return "a barrier without a number, and one with the number of all, are not the same either";
  case PTX_BAR_KINDS:
    weir_fail(err, WEIR_EFAULT,
              "barrier %" PRIu64 ": some warps reduce there, others do not, or in another way",
              f->addr);
    return NULL;
  case PTX_BAR_COUNT:
    break;
  }
  weir_fail(err, WEIR_EFAULT,
            "barrier %" PRIu64
            " for %u threads: the number must be a multiple of 32, from 32 to 1024",
            f->addr, f->bytes);
  return NULL;
}

enum weir_status ptx_report_fault(const struct ptx_scene *s, const struct ptx_cta *c,
                                  const struct ptx_warp *w, struct weir_err *err) {
  const struct ptx_fault *f = &w->fault;
  const char *remedy = NULL;
  char access[200];
  describe_access(s->prog, f, access, sizeof access);
  switch (f->kind) {
  case PTX_F_BOUNDS:
    remedy = report_bounds(s, w, access, err);
    break;
  case PTX_F_ALIGN:
    report_misaligned(s, access, f, err);
    break;
  case PTX_F_READONLY:
    report_read_only(s, access, f, err);
    break;
  case PTX_F_STACK:
    remedy = report_stack(s, w, err);
    break;
  case PTX_F_TRAP:
    weir_fail(err, WEIR_EFAULT, "the kernel executed a trap");
    break;
  case PTX_F_ASSERT: { /* what the first thread says; the others say the same */
    const char *text = c->complaint.v, *end = text != NULL ? strchr(text, '\n') : NULL;
    weir_fail(err, WEIR_EFAULT, "%.*s", end != NULL ? (int)(end - text) : 0, text);
    break;
  }
  case PTX_F_HEAP:
    weir_fail(err, WEIR_EFAULT,
              "free of 0x%" PRIx64 ", which malloc did not give, or which was freed already",
              f->addr);
    remedy = "memory of the host's malloc or cudaMalloc cannot be freed by a kernel";
    break;
  case PTX_F_BRANCH:
    weir_fail(err, WEIR_EFAULT, "branch index %" PRIu64 " is outside of the table of %u targets",
              f->addr, f->bytes);
    break;
  case PTX_F_CALL:
    remedy = report_call(s, f, err);
    break;
  case PTX_F_BARRIER:
    remedy = report_barrier(f, err);
    break;
  case PTX_F_MEMBERS:
    weir_fail(err, WEIR_EFAULT, "lane %u is not in the member mask 0x%08x which it names", f->lane,
              (unsigned)f->addr);
    break;
  case PTX_F_TEXTURE:
    remedy = report_texture(f, err);
    break;
  case PTX_F_SURFACE:
    weir_fail(err, WEIR_EFAULT, "out of bounds: %s of %u byte%s outside of surface 0x%" PRIx64,
              f->is_store ? "store" : "load", f->bytes, f->bytes == 1 ? "" : "s", f->addr);
    remedy = "the instruction has .trap; x counts bytes, not texels";
    break;
  default:
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  add_place(s, c, w, f->lane, f->pc, err);
  if (remedy != NULL) weir_err_add(err, "remedy: %s", remedy);
  return WEIR_EFAULT;
}

enum weir_status ptx_tell_stray(const struct ptx_scene *s, const struct ptx_stray *x,
                                void (*tell)(void *self, const struct weir_stray *stray),
                                void *self, struct weir_err *err) {
  const uint32_t *b = s->launch->block, *g = s->launch->grid, pc = x->first.pc;
  const struct ptx_fn_info *f = &s->prog->funcs[s->prog->func_of[pc]];
  uint32_t t = x->warp * LANES + x->first.lane;
  char access[200], source[512], position[600];
  describe_access(s->prog, &x->first, access, sizeof access);
  source_position(s->prog, pc, source, sizeof source);
  snprintf(position, sizeof position, "%s:%u", f->ir->module->path, s->prog->statics[pc].ptx_line);
  char *text = ptx_print_insn(f->ir, s->prog->insn[pc]);
  if (text == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  tell(self, &(struct weir_stray){.pc = pc,
                                  .is_other = x->first.home != 0,
                                  .count = x->count,
                                  .address = x->first.addr,
                                  .block = {(uint32_t)(x->block % g[0]),
                                            (uint32_t)(x->block / g[0] % g[1]),
                                            (uint32_t)(x->block / g[0] / g[1])},
                                  .thread = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]},
                                  .kernel = s->prog->entry->name,
                                  .access = access,
                                  .near = x->near,
                                  .instruction = text,
                                  .position = position,
                                  .source = source});
  free(text);
  return WEIR_OK;
}

static void describe_wait(const struct ptx_split *n, char *buf, size_t len) {
  switch ((enum ptx_split_state)n->state) {
  case PTX_S_BAR:
    snprintf(buf, len, "wait at barrier %u%s", n->bar_id,
             n->is_counted ? "" : " for the rest of their warp");
    break;
  case PTX_S_SYNC:
    snprintf(buf, len, "wait for lanes %08x of their warp", n->sync_mask);
    break;
  case PTX_S_JOIN:
    snprintf(buf, len, "wait for lanes %08x to meet them", n->expected & ~n->mask);
    break;
  default:
    snprintf(buf, len, "run without effect");
    break;
  }
}

static unsigned add_waiting(const struct ptx_scene *s, const struct ptx_cta *c, uint32_t warp,
                            unsigned shown, struct weir_err *err) {
  const struct ptx_warp *w = &c->warps[warp];
  for (uint32_t q = 0; w->live != 0 && q < w->n_splits && shown < MAX_WAITING; q++) {
    const struct ptx_split *n = &w->splits[q];
    if (n->state == PTX_S_FREE || (n->state == PTX_S_JOIN && n->mask == 0)) continue;
    char pos[512], what[80];
    source_position(s->prog, n->pc, pos, sizeof pos);
    describe_wait(n, what, sizeof what);
    weir_err_add(err, "block (%u,%u,%u), warp %u: lanes %08x %s  (%s:%u%s%s)", c->ctaid[0],
                 c->ctaid[1], c->ctaid[2], warp, n->mask, what,
                 s->prog->funcs[s->prog->func_of[n->pc]].ir->module->path,
                 s->prog->statics[n->pc].ptx_line, pos[0] ? ", source " : "", pos);
    shown++;
  }
  return shown;
}

/* Does a part of a warp wait at a barrier that is for whole ones? */
static bool has_parted_warp(const struct ptx_program *p, const struct ptx_cta *ctas, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < ctas[i].n_warps; k++) {
      const struct ptx_warp *w = &ctas[i].warps[k];
      for (uint32_t q = 0; w->live != 0 && q < w->n_splits; q++) {
        const struct ptx_split *s = &w->splits[q];
        if (s->state == PTX_S_BAR && !s->is_counted && p->code[s->pc].is_aligned) return true;
      }
    }
  return false;
}

enum weir_status ptx_report_deadlock(const struct ptx_scene *s, const struct ptx_cta *ctas,
                                     uint32_t n_ctas, enum ptx_stuck how, struct weir_err *err) {
  if (how == PTX_STUCK_QUIET)
    weir_fail(err, WEIR_EFAULT,
              "no progress: for %lld rounds nothing was stored, no barrier was reached and no "
              "thread exited",
              (long long)s->dev->cfg.deadlock_quanta);
  else if (how == PTX_STUCK_SPINS)
    weir_fail(err, WEIR_EFAULT,
              "no progress: threads look again and again at memory that nothing changes");
  else
    weir_fail(err, WEIR_EFAULT, "deadlock: every thread waits for another");
  char name[WEIR_DEMANGLED];
  weir_err_add(err, "kernel %s", weir_demangle(s->prog->entry->name, name, sizeof name));
  unsigned shown = 0;
  for (uint32_t i = 0; i < n_ctas && shown < MAX_WAITING; i++)
    for (uint32_t k = 0; k < ctas[i].n_warps && shown < MAX_WAITING; k++)
      shown = add_waiting(s, &ctas[i], k, shown, err);
  if (how == PTX_STUCK_QUIET)
    weir_err_add(err, "remedy: exec.deadlock_quanta sets how long to wait");
  if (has_parted_warp(s->prog, ctas, n_ctas))
    weir_err_add(err,
                 "remedy: bar.sync (__syncthreads) is for whole warps; barrier.sync (sync() of a "
                 "block's cooperative group) is not");
  return WEIR_EFAULT;
}

enum weir_status ptx_report_limit(const struct ptx_scene *s, const struct ptx_cta *c,
                                  const struct ptx_warp *w, struct weir_err *err) {
  const struct ptx_split *n = w->current >= 0 ? &w->splits[w->current] : NULL;
  char name[WEIR_DEMANGLED];
  weir_fail(err, WEIR_ELIMIT,
            "stopped after %lld warp instructions (--max-instructions, exec.max_instructions)",
            (long long)s->dev->cfg.max_instructions);
  if (n != NULL && n->mask != 0)
    add_place(s, c, w, (uint32_t)__builtin_ctz(n->mask), n->pc, err);
  else
    weir_err_add(err, "kernel %s, block (%u,%u,%u)",
                 weir_demangle(s->prog->entry->name, name, sizeof name), c->ctaid[0], c->ctaid[1],
                 c->ctaid[2]);
  return WEIR_ELIMIT;
}
