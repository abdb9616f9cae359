/* Arrays and the table of texture and surface objects. */
#include "vm.h"

#include "exec/tex.h"

static const struct ptx_texel f32x1 = {1, 32, PTX_CHANNEL_FLOAT};
static const struct ptx_texel u8x4 = {4, 8, PTX_CHANNEL_UNSIGNED};

static void open_device(struct vm *vm) {
  vm_open(vm, ".global .texref tr; .global .surfref sr; .global .u32 word;\n" KERNEL(""));
}

static void expect_error(struct vm *vm, enum weir_status st, enum weir_status want,
                         const char *part) {
  assert_int_equal(st, want);
  if (strstr(vm->err.msg, part) == NULL) fail_msg("'%s' is not in:\n%s", part, vm->err.msg);
}

static void array_layout(void **state) {
  (void)state;
  struct vm vm;
  open_device(&vm);
  struct ptx_texels t = {.dim = PTX_TEX_3D, .width = 5, .height = 3, .depth = 2, .texel = u8x4};
  assert_int_equal(ptx_array_create(&vm.dev, &t, "a", &vm.err), WEIR_OK);
  assert_int_equal(t.pitch, 32);
  assert_int_equal(t.slice, 96);
  assert_int_equal(ptx_texels_bytes(&t), 96 + 64 + 20);
  const struct ptx_alloc *a = ptx_mem_find(&vm.dev.mem, t.addr);
  assert_non_null(a);
  assert_int_equal(a->bytes, 192);
  assert_int_equal(ptx_array_free(&vm.dev, &t, &vm.err), WEIR_OK);
  assert_null(ptx_mem_find(&vm.dev.mem, t.addr));
  struct ptx_texels cube = {.dim = PTX_TEX_CUBE,
                            .is_layered = true,
                            .width = 8,
                            .height = 8,
                            .layers = 3,
                            .texel = f32x1};
  assert_int_equal(ptx_array_create(&vm.dev, &cube, "c", &vm.err), WEIR_OK);
  assert_int_equal(ptx_texels_slices(&cube), 18);
  vm_close(&vm);
}

static void shapes_that_make_no_sense(void **state) {
  (void)state;
  static const struct {
    struct ptx_texels t;
    const char *part;
  } bad[] = {
      {{.dim = PTX_TEX_1D, .texel = {1, 32, PTX_CHANNEL_FLOAT}}, "the width of a texture is 0"},
      {{.dim = PTX_TEX_1D, .width = 131073, .texel = {1, 32, PTX_CHANNEL_FLOAT}}, "131072"},
      {{.dim = PTX_TEX_1D, .width = 1, .height = 2, .texel = {1, 32, PTX_CHANNEL_FLOAT}}, "height"},
      {{.dim = PTX_TEX_2D, .width = 1, .height = 1, .texel = {3, 32, PTX_CHANNEL_FLOAT}},
       "3 channels"},
      {{.dim = PTX_TEX_2D, .width = 1, .height = 1, .texel = {1, 8, PTX_CHANNEL_FLOAT}}, "8 bits"},
      {{.dim = PTX_TEX_CUBE, .width = 4, .height = 5, .texel = {1, 32, PTX_CHANNEL_FLOAT}},
       "square"},
      {{.dim = PTX_TEX_2D, .is_layered = true, .width = 1, .texel = {1, 32, PTX_CHANNEL_FLOAT}},
       "layers"},
      {{.dim = PTX_TEX_2D, .is_buffer = true, .width = 1, .texel = {1, 32, PTX_CHANNEL_FLOAT}},
       "by index"},
      {{.width = 1, .texel = {1, 32, PTX_CHANNEL_FLOAT}}, "dimensions"},
  };
  struct vm vm;
  open_device(&vm);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ptx_texels t = bad[i].t;
    expect_error(&vm, ptx_array_create(&vm.dev, &t, "a", &vm.err), WEIR_EINVAL, bad[i].part);
  }
  vm_close(&vm);
}

static void handles_are_used_once(void **state) {
  (void)state;
  struct vm vm;
  open_device(&vm);
  struct ptx_tex_desc d = {.texels = {.dim = PTX_TEX_2D, .width = 4, .height = 4, .texel = f32x1}};
  uint64_t a, b, s, again;
  assert_int_equal(ptx_array_create(&vm.dev, &d.texels, "a", &vm.err), WEIR_OK);
  assert_int_equal(ptx_tex_create(&vm.dev, &d, &a, &vm.err), WEIR_OK);
  assert_int_equal(ptx_tex_create(&vm.dev, &d, &b, &vm.err), WEIR_OK);
  assert_int_equal(ptx_surf_create(&vm.dev, &d.texels, &s, &vm.err), WEIR_OK);
  assert_true(a != 0 && b != 0 && a != b && s != b);
  assert_int_equal(ptx_tex_find(&vm.dev, a)->texels.addr, d.texels.addr);
  assert_int_equal(ptx_tex_find(&vm.dev, s)->texels.width, 4);
  assert_int_equal(ptx_tex_destroy(&vm.dev, a, &vm.err), WEIR_OK);
  assert_null(ptx_tex_find(&vm.dev, a));
  expect_error(&vm, ptx_tex_destroy(&vm.dev, a, &vm.err), WEIR_EINVAL, "no texture");
  assert_int_equal(ptx_tex_create(&vm.dev, &d, &again, &vm.err), WEIR_OK);
  assert_int_equal((uint32_t)again, (uint32_t)a); /* the same place ... */
  assert_true(again != a);                        /* ... but not the same handle */
  assert_null(ptx_tex_find(&vm.dev, a));
  assert_null(ptx_tex_find(&vm.dev, 0));
  assert_null(ptx_tex_find(&vm.dev, 1000));
  vm_close(&vm);
}

static void descriptions_that_make_no_sense(void **state) {
  (void)state;
  struct vm vm;
  open_device(&vm);
  uint64_t h;
  struct ptx_tex_desc good = {
      .texels = {.dim = PTX_TEX_2D, .width = 5, .height = 4, .texel = u8x4}};
  assert_int_equal(ptx_array_create(&vm.dev, &good.texels, "a", &vm.err), WEIR_OK);
  struct ptx_tex_desc d = good;
  d.filter = PTX_TEX_LINEAR;
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "cannot be filtered");
  d.read = PTX_TEX_NORMALISED_FLOAT;
  assert_int_equal(ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_OK);
  d.texels.texel = (struct ptx_texel){1, 32, PTX_CHANNEL_SIGNED};
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "8 and 16 bits");
  d = good;
  d.address[1] = 4;
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "address mode");
  d = good;
  d.texels.addr += 2;
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "cannot begin");
  d = good;
  d.texels.height = 5;
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "inside an allocation");
  d = good;
  d.texels.pitch = 16;
  expect_error(&vm, ptx_tex_create(&vm.dev, &d, &h, &vm.err), WEIR_EINVAL, "do not fit a pitch");
  d = good;
  d.texels.addr = 0;
  expect_error(&vm, ptx_surf_create(&vm.dev, &d.texels, &h, &vm.err), WEIR_EINVAL,
               "inside an allocation");
  d = good;
  d.texels.dim = PTX_TEX_1D, d.texels.height = 1, d.texels.is_buffer = true;
  expect_error(&vm, ptx_surf_create(&vm.dev, &d.texels, &h, &vm.err), WEIR_EINVAL,
               "needs an array");
  vm_close(&vm);
}

static void references(void **state) {
  (void)state;
  struct vm vm;
  open_device(&vm);
  struct ptx_tex_desc d = {.texels = {.dim = PTX_TEX_2D, .width = 4, .height = 4, .texel = f32x1}};
  uint64_t addr, bytes;
  assert_int_equal(ptx_array_create(&vm.dev, &d.texels, "a", &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_tex(vm.image, "tr", &d, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_tex(vm.image, "tr", NULL, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_surf(vm.image, "sr", &d.texels, &vm.err), WEIR_OK);
  assert_int_equal(ptx_image_bind_surf(vm.image, "sr", NULL, &vm.err), WEIR_OK);
  expect_error(&vm, ptx_image_bind_tex(vm.image, "sr", &d, &vm.err), WEIR_ENOENT, ".texref");
  expect_error(&vm, ptx_image_bind_tex(vm.image, "word", &d, &vm.err), WEIR_ENOENT, ".texref");
  expect_error(&vm, ptx_image_bind_surf(vm.image, "no", &d.texels, &vm.err), WEIR_ENOENT, "'no'");
  /* A reference is no memory. */
  expect_error(&vm, ptx_image_var(vm.image, "tr", &addr, &bytes, &vm.err), WEIR_ENOENT, "'tr'");
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(array_layout),
      cmocka_unit_test(shapes_that_make_no_sense),
      cmocka_unit_test(handles_are_used_once),
      cmocka_unit_test(descriptions_that_make_no_sense),
      cmocka_unit_test(references),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
