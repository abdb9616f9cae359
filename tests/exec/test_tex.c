/* Texture and surface instructions: how they find their object, what they refuse, and what the
 * stream says. That they compute what a GPU computes is tested in tests/truth. */
#include "vm.h"

#include <stdio.h>

#include "exec/tex.h"
#include "stream/block.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
/* As KERNEL, with an object as the second parameter, in %d0. */
#define OBJECT_KERNEL(body)                                                                        \
  ".visible .entry k(.param .u64 out, .param .u64 obj) {\n"                                        \
  ".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .f32 %f<16>;\n"     \
  "ld.param.u64 %d30, [out]; ld.param.u64 %d0, [obj];\n"                                           \
  "mov.u32 %r28, %ctaid.x; mov.u32 %r29, %ntid.x; mov.u32 %r30, %tid.x;\n"                         \
  "mad.lo.u32 %r31, %r28, %r29, %r30;\n"                                                           \
  "mul.wide.u32 %d31, %r31, 4; add.u64 %d31, %d31, %d30;\n" body "\nret;\n}\n"

static const struct ptx_texel u32x1 = {1, 32, PTX_CHANNEL_UNSIGNED};
static const struct ptx_texel f32x1 = {1, 32, PTX_CHANNEL_FLOAT};

/* Texel i of the array holds i. */
static struct ptx_texels make_array(struct vm *vm, struct ptx_texels t) {
  if (ptx_array_create(&vm->dev, &t, "texels", &vm->err) != WEIR_OK) fail_msg("%s", vm->err.msg);
  uint32_t n = 0, height = t.height ? t.height : 1;
  for (uint64_t z = 0; z < ptx_texels_slices(&t); z++)
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < t.width; x++, n++) {
        float f = (float)n;
        memcpy(ptx_mem_host(&vm->dev.mem, t.addr + z * t.slice + y * t.pitch + 4 * (uint64_t)x),
               t.texel.kind == PTX_CHANNEL_FLOAT ? (const void *)&f : &n, 4);
      }
  return t;
}

static uint64_t make_texture(struct vm *vm, struct ptx_tex_desc d) {
  uint64_t handle;
  if (d.texels.addr == 0) d.texels = make_array(vm, d.texels);
  if (ptx_tex_create(&vm->dev, &d, &handle, &vm->err) != WEIR_OK) fail_msg("%s", vm->err.msg);
  return handle;
}

static uint64_t make_surface(struct vm *vm, struct ptx_texels t) {
  uint64_t handle;
  if (t.addr == 0) t = make_array(vm, t);
  if (ptx_surf_create(&vm->dev, &t, &handle, &vm->err) != WEIR_OK) fail_msg("%s", vm->err.msg);
  return handle;
}

static void run_with(struct vm *vm, struct vm_shape shape, uint64_t object) {
  if (vm_try(vm, "k", shape, &object, 1) != WEIR_OK) fail_msg("%s", vm->err.msg);
}

static void fault_with(struct vm *vm, uint64_t object, const char *part) {
  assert_int_equal(vm_try(vm, "k", LINE(1, 32), &object, 1), WEIR_EFAULT);
  if (strstr(vm->err.msg, part) == NULL) fail_msg("'%s' is not in:\n%s", part, vm->err.msg);
}

/* ---- how an object is named ---- */

#define FETCH(object) "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [" object ", {%r31}];\n"

#define REFERENCES ".global .texref other; .global .texref tr;\n"

static void by_reference(void **state) {
  (void)state;
  static const char *const kernels[] = {
      REFERENCES KERNEL(FETCH("tr") "st.global.u32 [%d31], %r0;"),
      /* its address is a handle */
      REFERENCES KERNEL("mov.u64 %d1, tr;\n" FETCH("%d1") "st.global.u32 [%d31], %r0;"),
      REFERENCES KERNEL("tex.1d.v4.u32.s32 {%r0, _, _, _}, [tr, %r31];\n"
                        "st.global.u32 [%d31], %r0;")};
  for (size_t k = 0; k < COUNT(kernels); k++) {
    struct vm vm;
    vm_open(&vm, kernels[k]);
    expect_fault(&vm, "k", LINE(1, 32), "nothing is bound");
    struct ptx_tex_desc d = {.texels = make_array(&vm, (struct ptx_texels){.dim = PTX_TEX_1D,
                                                                           .is_buffer = true,
                                                                           .width = 100,
                                                                           .texel = u32x1})};
    assert_int_equal(ptx_image_bind_tex(vm.image, "tr", &d, &vm.err), WEIR_OK);
    vm_run(&vm, "k", LINE(4, 32));
    EACH_WORD(i, 128) assert_out(i, i < 100 ? i : 0);
    assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_LOAD], 4);
    assert_int_equal(ptx_image_bind_tex(vm.image, "tr", NULL, &vm.err), WEIR_OK);
    expect_fault(&vm, "k", LINE(1, 32), "nothing is bound");
    vm_close(&vm);
  }
}

static void parameter_that_is_a_reference(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".visible .entry k(.param .u64 out, .param .texref t) {\n"
               ".reg .b32 %r<8>; .reg .b64 %d<4>;\n"
               "ld.param.u64 %d0, [out]; mov.u32 %r4, %tid.x;\n"
               "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [t, {%r4}];\n"
               "mul.wide.u32 %d1, %r4, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r0; ret; }");
  run_with(
      &vm, LINE(1, 32),
      make_texture(
          &vm, (struct ptx_tex_desc){
                   .texels = {.dim = PTX_TEX_1D, .is_buffer = true, .width = 32, .texel = u32x1}}));
  EACH_WORD(i, 32) assert_out(i, i);
  vm_close(&vm);
}

/* Lanes with different objects: each gets its own. */
static void several_objects(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, OBJECT_KERNEL(
                   "and.b32 %r4, %r31, 1; cvt.u64.u32 %d1, %r4; add.u64 %d0, %d0, %d1;\n" FETCH(
                       "%d0") "st.global.u32 [%d31], %r0;"));
  struct ptx_tex_desc d = {
      .texels = {.dim = PTX_TEX_1D, .is_buffer = true, .width = 32, .texel = u32x1}};
  uint64_t a = make_texture(&vm, d), b;
  d.texels.addr = 0;
  b = make_texture(&vm, d);
  assert_int_equal(b, a + 1);
  uint32_t *texels =
      (uint32_t *)(void *)ptx_mem_host(&vm.dev.mem, ptx_tex_find(&vm.dev, b)->texels.addr);
  for (uint32_t i = 0; i < 32; i++)
    texels[i] += 1000;
  run_with(&vm, LINE(1, 32), a);
  EACH_WORD(i, 32) assert_out(i, i % 2 ? i + 1000 : i);
  /* Each object is an instruction of its own. */
  assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_LOAD], 2);
  vm_close(&vm);
}

static void objects_that_do_not_fit(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, OBJECT_KERNEL(FETCH("%d0") "st.global.u32 [%d31], %r0;"));
  struct ptx_texels one = {.dim = PTX_TEX_1D, .width = 32, .texel = u32x1};
  struct ptx_texels two = {.dim = PTX_TEX_2D, .width = 8, .height = 8, .texel = u32x1};
  fault_with(&vm, 0, "0x0 is no texture or surface object");
  fault_with(&vm, 77, "0x4d is no texture");
  fault_with(&vm, make_surface(&vm, one), "is a surface; a texture is needed");
  fault_with(&vm, make_texture(&vm, (struct ptx_tex_desc){.texels = two}), "other dimensions");
  struct ptx_tex_desc d = {.texels = make_array(&vm, one)};
  uint64_t t = make_texture(&vm, d);
  run_with(&vm, LINE(1, 32), t);
  assert_int_equal(ptx_array_free(&vm.dev, &d.texels, &vm.err), WEIR_OK);
  fault_with(&vm, t, "was freed");
  assert_int_equal(ptx_tex_destroy(&vm.dev, t, &vm.err), WEIR_OK);
  fault_with(&vm, t, "is no texture");
  vm_close(&vm);
  vm_open(&vm, OBJECT_KERNEL("suld.b.1d.b32.zero %r0, [%d0, {%r31}];"));
  fault_with(&vm, make_texture(&vm, (struct ptx_tex_desc){.texels = one}),
             "is a texture; a surface is needed");
  vm_close(&vm);
  vm_open(&vm, OBJECT_KERNEL("txq.width.b32 %r0, [%d0];"));
  fault_with(&vm, 5, "is no texture");
  vm_close(&vm);
}

/* ---- surfaces ---- */

static void surface_bounds(void **state) {
  (void)state;
  static const struct {
    const char *kernel, *part;
  } bad[] = {{OBJECT_KERNEL("mov.u32 %r1, 32; suld.b.2d.b32.trap %r0, [%d0, {%r1, 0}];"),
              "load of 4 bytes outside of surface"},
             {OBJECT_KERNEL("mov.u32 %r1, -4; sust.b.2d.b32.trap [%d0, {%r1, 0}], %r0;"),
              "store of 4 bytes outside of surface"},
             {OBJECT_KERNEL("mov.u32 %r1, 4; sust.b.2d.b32.trap [%d0, {0, %r1}], {%r0};"),
              "outside of surface"},
             {OBJECT_KERNEL("mov.u32 %r1, 28; suld.b.2d.v2.b32.zero {%r0, %r2}, [%d0, {%r1, 0}];"),
              "misaligned"},
             {OBJECT_KERNEL("mov.u32 %r1, 2; sured.b.add.2d.u32.trap [%d0, {%r1, 0}], %r1;"),
              "misaligned"}};
  for (size_t k = 0; k < COUNT(bad); k++) {
    struct vm vm;
    vm_open(&vm, bad[k].kernel);
    fault_with(
        &vm,
        make_surface(
            &vm, (struct ptx_texels){.dim = PTX_TEX_2D, .width = 8, .height = 4, .texel = u32x1}),
        bad[k].part);
    vm_close(&vm);
  }
}

/* A formatted reduction changes whole texels of 32 bits. */
static void formatted_reduction(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, OBJECT_KERNEL("and.b32 %r1, %r31, 3; sured.p.add.1d.b32.trap [%d0, {%r1}], %r31;"));
  struct ptx_texels t = {.dim = PTX_TEX_1D, .width = 4, .texel = u32x1}, bytes = t;
  assert_int_equal(ptx_array_create(&vm.dev, &t, "a", &vm.err), WEIR_OK);
  run_with(&vm, LINE(1, 32), make_surface(&vm, t));
  const uint32_t *sum = (const uint32_t *)(const void *)ptx_mem_host(&vm.dev.mem, t.addr);
  EACH_WORD(i, 4) assert_int_equal(sum[i], 8 * i + 112);
  bytes.texel = (struct ptx_texel){1, 8, PTX_CHANNEL_UNSIGNED};
  assert_int_equal(ptx_array_create(&vm.dev, &bytes, "b", &vm.err), WEIR_OK);
  fault_with(&vm, make_surface(&vm, bytes), "no texels of 32 bits");
  vm_close(&vm);
}

/* A block transposes an image through two surfaces, and counts in a third. */
static void surfaces_by_reference(void **state) {
  (void)state;
  struct vm vm;
  vm_open(
      &vm,
      ".global .surfref from; .global .surfref to; .global .surfref count;\n" KERNEL(
          "and.b32 %r0, %r31, 7; shr.u32 %r1, %r31, 3; shl.b32 %r2, %r0, 2; shl.b32 %r3, %r1, 2;\n"
          "suld.b.2d.b32.trap {%r4}, [from, {%r2, %r1}];\n"
          "sust.b.2d.b32.trap [to, {%r3, %r0}], {%r4};\n"
          "sured.b.add.1d.u32.trap [count, {%r2}], 1;\n"
          "sured.b.max.1d.u32.trap [count, {32}], %r31;"));
  struct ptx_texels image = {.dim = PTX_TEX_2D, .width = 8, .height = 8, .texel = u32x1};
  struct ptx_texels from = make_array(&vm, image), to = make_array(&vm, image);
  struct ptx_texels count = {.dim = PTX_TEX_1D, .width = 9, .texel = u32x1};
  assert_int_equal(ptx_array_create(&vm.dev, &count, "count", &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_surf(vm.image, "from", &from, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_surf(vm.image, "to", &to, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_surf(vm.image, "count", &count, &vm.err), WEIR_OK);
  vm_run(&vm, "k", LINE(1, 64));
  const uint32_t *t = (const uint32_t *)(const void *)ptx_mem_host(&vm.dev.mem, to.addr);
  const uint32_t *c = (const uint32_t *)(const void *)ptx_mem_host(&vm.dev.mem, count.addr);
  EACH_WORD(i, 64) assert_int_equal(t[i], i % 8 * 8 + i / 8);
  EACH_WORD(i, 9) assert_int_equal(c[i], i < 8 ? 8 : 63);
  assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_LOAD], 2);
  assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_STORE], 2);
  assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_ATOM], 4);
  vm_close(&vm);
}

/* ---- formatted loads: no assembler takes them any more ---- */

static void formatted_load(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, OBJECT_KERNEL("suld.p.1d.v4.s32.zero {%r0, %r1, %r2, %r3}, [%d0, {%r31}];\n"
                             "shl.b32 %r1, %r1, 8; or.b32 %r0, %r0, %r1; shl.b32 %r3, %r3, 16;\n"
                             "or.b32 %r0, %r0, %r3; st.global.u32 [%d31], %r0;"));
  struct ptx_texels t = {.dim = PTX_TEX_1D, .width = 16, .texel = {2, 8, PTX_CHANNEL_UNSIGNED}};
  assert_int_equal(ptx_array_create(&vm.dev, &t, "a", &vm.err), WEIR_OK);
  for (unsigned i = 0; i < 32; i++)
    ptx_mem_host(&vm.dev.mem, t.addr)[i] = (uint8_t)(3 * i);
  run_with(&vm, LINE(1, 32), make_surface(&vm, t));
  EACH_WORD(i, 32) assert_out(i, i < 16 ? 6 * i | (6 * i + 3) << 8 : 0);
  vm_close(&vm);
}

/* ---- residency ---- */

static void resident_predicate(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, OBJECT_KERNEL("setp.ne.u32 %p0, %r31, %r31;\n"
                             "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}|%p0, [%d0, {%r31}];\n"
                             "selp.u32 %r0, 1, 0, %p0; st.global.u32 [%d31], %r0;"));
  run_with(&vm, LINE(1, 32),
           make_texture(&vm, (struct ptx_tex_desc){
                                 .texels = {.dim = PTX_TEX_1D, .width = 32, .texel = u32x1}}));
  EACH_WORD(i, 32) assert_out(i, 1);
  vm_close(&vm);
}

/* ---- the stream ---- */

struct seen {
  uint32_t n; /* records of texture space */
  uint32_t mask[64];
  uint64_t addr[64][32];
};

static void run_streams(struct vm *vm, uint64_t object, struct seen *s) {
  uint64_t params[2] = {vm->out_addr, object};
  struct ptx_program *prog;
  struct ptx_run *run;
  struct weir_block_stream *b;
  struct weir_warp_reader r;
  struct weir_dyn d;
  struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params};
  assert_int_equal(ptx_program_build(vm->image, "k", &vm->cfg, &prog, &vm->err), WEIR_OK);
  assert_int_equal(ptx_run_begin(&vm->dev, prog, &launch, true, &run, &vm->err), WEIR_OK);
  assert_int_equal(ptx_run_next(run, &b, &vm->err), WEIR_OK);
  memset(s, 0, sizeof *s);
  weir_reader_open(&r, &b->warps[0], ptx_run_info(run), false);
  while (weir_next(&r, &d))
    if (d.has_addr && d.addrs.space == WEIR_SP_TEX) {
      s->mask[s->n] = d.mask;
      weir_expand(&d, s->addr[s->n++]);
    }
  assert_int_equal(r.status, WEIR_OK);
  weir_reader_close(&r);
  ptx_run_release(run, b);
  ptx_run_stats(run, &vm->stats);
  ptx_run_end(run);
  ptx_program_free(prog);
}

static void stream_of_a_filter(void **state) {
  (void)state;
  struct vm vm;
  struct seen s;
  vm_open(&vm, OBJECT_KERNEL("cvt.rn.f32.u32 %f0, %r31; mov.f32 %f1, 0f40000000;\n"
                             "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d0, {%f0, %f1}];\n"
                             "st.global.f32 [%d31], %f2;"));
  struct ptx_tex_desc d = {
      .texels = make_array(
          &vm, (struct ptx_texels){.dim = PTX_TEX_2D, .width = 64, .height = 8, .texel = f32x1}),
      .address = {PTX_TEX_CLAMP, PTX_TEX_CLAMP, PTX_TEX_CLAMP}};
  uint64_t base = d.texels.addr, row = d.texels.pitch;
  assert_int_equal(row, 256);
  /* One texel for each lane: one record. */
  run_streams(&vm, make_texture(&vm, d), &s);
  assert_int_equal(s.n, 1);
  assert_int_equal(s.mask[0], UINT32_MAX);
  for (unsigned i = 0; i < 32; i++)
    assert_int_equal(s.addr[0][i], base + 2 * row + 4 * i);
  uint64_t insns = vm.stats.warp_insns;
  /* Four texels in two rows: two records, and two more for lanes whose neighbours lie in the next
   * sector. It remains one instruction. */
  d.filter = PTX_TEX_LINEAR;
  run_streams(&vm, make_texture(&vm, d), &s);
  assert_int_equal(s.n, 4);
  assert_int_equal(s.mask[0], UINT32_MAX);
  uint32_t crossing = 1u << 8 | 1u << 16 | 1u << 24; /* lane 8 mixes texels 7 and 8 */
  assert_int_equal(s.mask[1], UINT32_MAX);
  assert_int_equal(s.mask[2], crossing);
  assert_int_equal(s.mask[3], crossing);
  assert_int_equal(s.addr[0][8], base + row + 4 * 7);
  assert_int_equal(s.addr[1][8], base + row + 4 * 8);
  assert_int_equal(s.addr[2][8], base + 2 * row + 4 * 7);
  assert_int_equal(s.addr[1][9], base + 2 * row + 4 * 8);
  assert_int_equal(vm.stats.warp_insns, insns);
  assert_int_equal(vm.stats.mem[WEIR_SP_TEX][WEIR_DIR_LOAD], 1);
  vm_close(&vm);
}

/* Lanes outside of a texture with a border read nothing. */
static void stream_of_a_border(void **state) {
  (void)state;
  struct vm vm;
  struct seen s;
  vm_open(&vm, OBJECT_KERNEL("cvt.rn.f32.u32 %f0, %r31;\n"
                             "tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d0, {%f0}];\n"
                             "add.f32 %f0, %f0, 0f42c80000;\n"
                             "tex.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d0, {%f0}];\n"
                             "st.global.f32 [%d31], %f2;"));
  struct ptx_tex_desc d = {.texels = {.dim = PTX_TEX_1D, .width = 8, .texel = f32x1},
                           .address = {PTX_TEX_BORDER}};
  run_streams(&vm, make_texture(&vm, d), &s);
  assert_int_equal(s.n, 1);
  for (unsigned i = 8; i < 32; i++)
    assert_int_equal(s.addr[0][i], s.addr[0][0]);
  vm_close(&vm);
}

/* Of one dimension, by index: tex1Dfetch. */
static void which_are_fetches(void **state) {
  (void)state;
  struct vm vm;
  struct ptx_program *prog;
  struct ptx_run *run;
  uint64_t params[2] = {0};
  const struct ptx_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params};
  vm_open(&vm, OBJECT_KERNEL("tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%r31}];\n"
                             "tex.1d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0}];\n"
                             "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%r31, %r31}];\n"
                             "tex.a1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%r31, %r31}];\n"
                             "suld.b.1d.b32.trap {%r0}, [%d0, {%r31}];"));
  assert_int_equal(ptx_program_build(vm.image, "k", &vm.cfg, &prog, &vm.err), WEIR_OK);
  assert_int_equal(ptx_run_begin(&vm.dev, prog, &launch, true, &run, &vm.err), WEIR_OK);
  const struct weir_kernel_info *k = ptx_run_info(run);
  char seen[16] = "";
  for (uint32_t i = 0; i < k->n_insns; i++)
    if (k->insns[i].space == WEIR_SP_TEX) strcat(seen, k->insns[i].is_fetch ? "f" : "-");
  assert_string_equal(seen, "f----");
  ptx_run_end(run);
  ptx_program_free(prog);
  vm_close(&vm);
}

/* ---- what is not executed ---- */

static void listed_as_missing(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } missing[] = {
      {".global .samplerref s;\n", "sampler variables"},
      {".global .texref t[4];\n", "arrays of textures"},
      {".global .texref t; .global .texref s;\n.entry k() { .reg .f32 %f<4>;\n"
       "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, s, {%f0, %f1}]; ret; }\n",
       "sampler of its own"},
      {".global .texref t;\n.entry k() { .reg .f32 %f<4>; .reg .b32 %r<4>;\n"
       "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0, %f1}], {%r0, %r1}, %f0; ret; }\n",
       "tex.2d.v4.f32.f32"},
      {".global .texref t;\n.entry k() { .reg .b16 %h<4>; .reg .f32 %f<2>;\n"
       "tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [t, {%f0, %f1}]; ret; }\n",
       "tex.2d.v4.f16.f32"}};
  for (size_t k = 0; k < COUNT(missing); k++) {
    char text[1024];
    struct ptx_module *m;
    struct ptx_diags diags = {0};
    struct ptx_unsupported u[4];
    int n = snprintf(text, sizeof text, ".version 8.0\n.target sm_90\n.address_size 64\n%s",
                     missing[k].text);
    if (ptx_parse(text, (size_t)n, "t.ptx", &m, &diags) != WEIR_OK) fail_msg("%s", diags.v[0].msg);
    assert_true(ptx_unsupported(m, u, COUNT(u)) > 0);
    assert_non_null(strstr(u[0].what, missing[k].what));
    ptx_diags_free(&diags);
    ptx_module_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_reference),          cmocka_unit_test(parameter_that_is_a_reference),
      cmocka_unit_test(several_objects),       cmocka_unit_test(objects_that_do_not_fit),
      cmocka_unit_test(surface_bounds),        cmocka_unit_test(formatted_reduction),
      cmocka_unit_test(surfaces_by_reference), cmocka_unit_test(formatted_load),
      cmocka_unit_test(resident_predicate),    cmocka_unit_test(stream_of_a_filter),
      cmocka_unit_test(stream_of_a_border),    cmocka_unit_test(listed_as_missing),
      cmocka_unit_test(which_are_fetches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
