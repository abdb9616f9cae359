/* PTX kernels: whatever a program does, it ends with a result or an error, writes only into its
 * allocations, and does the same with every vector width, with and without streams. */
#include <string.h>

#include "exec/exec.h"
#include "exec/tex.h"
#include "fuzz.h"

enum {
  MAX_INSNS = 20000,
  BUFFER_BYTES = 4096,
  MAX_PARAM_BYTES = 8192,
  BLOCK_THREADS = 40, /* a full warp and a part of one */
  MAX_KERNELS = 4
};

struct outcome {
  struct ptx_device dev;
  struct weir_func_stats stats;
  struct weir_err err;
  enum weir_status status;
};

/* Pointers for 8 bytes, small numbers for the rest. */
static void fill_params(const struct ptx_func *f, uint64_t buffer, uint8_t *params) {
  for (uint32_t i = 0; i < f->n_params; i++) {
    uint64_t value = f->params[i].bytes == 8 ? buffer : 3 + 17 * i;
    size_t n = f->params[i].bytes < 8 ? (size_t)f->params[i].bytes : 8;
    PROMISE(f->params[i].offset <= f->param_bytes && n <= f->param_bytes - f->params[i].offset);
    memcpy(params + f->params[i].offset, &value, n);
  }
}

static void fill_buffer(uint8_t *p) {
  for (uint32_t i = 0; i < BUFFER_BYTES; i++)
    p[i] = (uint8_t)(i % 4 == 0 ? i / 4 : i % 64 == 3);
}

/* Textures and surfaces of all kinds lie in the buffer: the name of a reference says of which. */
static void bind_references(struct ptx_image *image, const struct ptx_module *m, uint64_t buffer) {
  for (uint32_t i = 0; i < m->n_vars; i++) {
    const struct ptx_var *v = m->vars[i];
    unsigned first = (unsigned char)v->name[0], last = (unsigned char)v->name[strlen(v->name) - 1];
    struct ptx_tex_desc d = {
        .texels = {.dim = (enum ptx_tex_dim)(1 + last % 4),
                   .is_layered = last / 4 % 2,
                   .is_buffer = last / 8 % 2,
                   .width = 4,
                   .height = last % 4 ? 4 : 0,
                   .depth = 3,
                   .layers = 2,
                   .texel = {(uint8_t)(1 << first % 3), (uint8_t)(8 << first / 3 % 3),
                             (uint8_t)(first / 9 % 3)},
                   .addr = buffer,
                   .pitch = 64,
                   .slice = 256},
        .filter = last / 16 % 2,
        .read = first / 2 % 2,
        .is_normalised = first % 2,
        .border = {1, 2, 3, 4}};
    if (d.texels.dim != PTX_TEX_3D) d.texels.depth = 0;
    memset(d.address, (int)(first / 4 % 4), sizeof d.address);
    if (v->type == PTX_T_texref) ptx_image_bind_tex(image, v->name, &d, NULL);
    if (v->type == PTX_T_surfref) ptx_image_bind_surf(image, v->name, &d.texels, NULL);
  }
}

/* Instructions in the streams of a block. Those of textures may have several records. */
static uint64_t read_streams(struct weir_block_stream *b, const struct weir_kernel_info *info) {
  uint64_t n = 0;
  for (uint32_t w = 0; w < b->n_warps; w++) {
    struct weir_warp_reader r;
    struct weir_dyn d, before = {.insn = UINT32_MAX};
    weir_reader_open(&r, &b->warps[w], info, true);
    while (weir_next(&r, &d)) {
      PROMISE(d.insn < info->n_insns);
      bool is_same = d.has_addr && d.addrs.space == WEIR_SP_TEX && d.insn == before.insn &&
                     (d.mask & ~before.mask) == 0;
      n += !is_same;
      if (!is_same) before = d;
    }
    PROMISE(r.status == WEIR_OK);
    weir_reader_close(&r);
  }
  return n;
}

static void launch(struct outcome *o, const struct ptx_program *prog, uint64_t buffer,
                   bool streams) {
  const struct ptx_func *f = ptx_program_entry(prog);
  uint8_t params[MAX_PARAM_BYTES + 1] = {0};
  struct ptx_launch l = {
      .grid = {2, 1, 1}, .block = {BLOCK_THREADS, 1, 1}, .dyn_shared = 256, .params = params};
  struct ptx_run *run;
  if (f->param_bytes > MAX_PARAM_BYTES) return;
  if (f->reqntid[0] != 0)
    for (int i = 0; i < 3; i++)
      l.block[i] = f->reqntid[i] != 0 ? f->reqntid[i] : 1;
  fill_params(f, buffer, params);
  o->status = ptx_run_begin(&o->dev, prog, &l, streams, &run, &o->err);
  if (o->status != WEIR_OK) return;
  uint64_t n_streamed = 0;
  for (struct weir_block_stream *b;;) {
    o->status = ptx_run_next(run, &b, &o->err);
    if (o->status != WEIR_OK || b == NULL) break;
    if (streams) n_streamed += read_streams(b, ptx_run_info(run));
    ptx_run_release(run, b);
  }
  ptx_run_stats(run, &o->stats);
  PROMISE(!streams || o->status != WEIR_OK || n_streamed == o->stats.warp_insns);
  ptx_run_end(run);
}

/* Bytes between allocations belong to nobody. Returns the end of the last one. */
static size_t check_gaps(const struct ptx_mem *mem) {
  size_t end = 0;
  for (size_t i = 0; i < mem->n_allocs; i++) {
    size_t base = (size_t)(mem->allocs[i].base - PTX_GLOBAL_BASE);
    for (; end < base; end++)
      PROMISE(mem->host[end] == 0);
    end = base + (size_t)mem->allocs[i].bytes;
  }
  return end;
}

static void run(struct outcome *o, const struct ptx_module *m, const char *kernel,
                enum ptx_simd simd, bool streams) {
  struct ptx_exec_cfg cfg;
  struct ptx_image *image;
  struct ptx_program *prog;
  uint64_t buffer;
  memset(o, 0, sizeof *o);
  weir_param_defaults(ptx_exec_table, &cfg);
  cfg.device_memory = 1 << 20;
  cfg.max_instructions = MAX_INSNS;
  cfg.stack_bytes = 4096;
  cfg.max_depth = 12;
  cfg.quantum = 16;
  cfg.yield_after = 3;
  cfg.deadlock_quanta = 40;
  cfg.stream_memory = 1 << 20;
  cfg.simd = simd;
  PROMISE(ptx_device_init(&o->dev, &cfg, NULL) == WEIR_OK);
  o->status = ptx_mem_alloc(&o->dev.mem, BUFFER_BYTES, 0, "buffer", false, &buffer, &o->err);
  PROMISE(o->status == WEIR_OK);
  fill_buffer(ptx_mem_host(&o->dev.mem, buffer));
  o->status = ptx_image_load(&o->dev, m, &image, &o->err);
  if (o->status != WEIR_OK) return;
  bind_references(image, m, buffer);
  o->status = ptx_program_build(image, kernel, &cfg, &prog, &o->err);
  if (o->status == WEIR_OK) {
    launch(o, prog, buffer, streams);
    check_gaps(&o->dev.mem);
    ptx_program_free(prog);
  }
  ptx_image_free(image);
}

static void compare(const struct ptx_module *m, const char *kernel) {
  struct outcome a, b;
  run(&a, m, kernel, PTX_SIMD_BASE, false);
  run(&b, m, kernel, PTX_SIMD_AUTO, true);
  PROMISE(a.status == b.status);
  PROMISE(strcmp(a.err.msg, b.err.msg) == 0);
  PROMISE(memcmp(&a.stats, &b.stats, sizeof a.stats) == 0);
  size_t end = check_gaps(&a.dev.mem);
  PROMISE(end == check_gaps(&b.dev.mem));
  PROMISE(memcmp(a.dev.mem.host, b.dev.mem.host, end) == 0);
  ptx_device_free(&a.dev);
  ptx_device_free(&b.dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  ptx_parse((const char *)data, size, "fuzz.ptx", &m, &diags);
  ptx_diags_free(&diags);
  if (m == NULL) return 0;
  unsigned n = 0;
  if (ptx_unsupported(m, NULL, 0) == 0)
    for (uint32_t f = 0; f < m->n_funcs && n < MAX_KERNELS; f++)
      if (m->funcs[f]->is_entry && m->funcs[f]->has_body) {
        compare(m, m->funcs[f]->name);
        n++;
      }
  ptx_module_free(m);
  return 0;
}
