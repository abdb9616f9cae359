/* Runs small PTX texts for the tests of the interpreter. */
#ifndef TESTS_EXEC_VM_H
#define TESTS_EXEC_VM_H

/* cmocka needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

enum { VM_OUT_WORDS = 65536 };

/* A device with one module and one buffer 'out'. Kernels are called with its address as the first
 * parameter; further ones are 64-bit values. */
struct vm {
  struct ptx_exec_cfg cfg;
  struct ptx_device dev;
  struct ptx_module *module;
  struct ptx_image *image;
  uint64_t out_addr;
  uint32_t *out;
  struct weir_func_stats stats; /* of the last launch */
  bool cooperative;             /* launches are */
  bool was_interleaved;
  enum ptx_fault_kind fault;
  bool same_addresses; /* device addresses are host addresses */
  struct weir_err err;
};

struct vm_shape {
  uint32_t grid[3], block[3], dyn_shared;
};
/* blocks x threads */
#define LINE(blocks, threads) ((struct vm_shape){{blocks, 1, 1}, {threads, 1, 1}, 0})

static inline void vm_defaults(struct vm *vm) {
  memset(vm, 0, sizeof *vm);
  weir_param_defaults(ptx_exec_table, &vm->cfg);
  vm->cfg.device_memory = INT64_C(1) << 30;
}

/* A device with vm->module. */
static inline void vm_start(struct vm *vm) {
  if ((vm->same_addresses ? ptx_device_init_same : ptx_device_init)(&vm->dev, &vm->cfg, &vm->err) !=
          WEIR_OK ||
      ptx_image_load(&vm->dev, vm->module, &vm->image, &vm->err) != WEIR_OK ||
      ptx_mem_alloc(&vm->dev.mem, 4 * VM_OUT_WORDS, 0, "out", false, &vm->out_addr, &vm->err) !=
          WEIR_OK)
    fail_msg("%s", vm->err.msg);
  vm->out = (uint32_t *)(void *)ptx_mem_host(&vm->dev.mem, vm->out_addr);
}

/* Opens with vm->cfg as it is. */
static inline void vm_open_as_is(struct vm *vm, const char *text) {
  static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
  size_t len = sizeof head + strlen(text);
  char *all = malloc(len);
  assert_non_null(all);
  strcpy(all, head);
  strcat(all, text);
  struct ptx_diags diags = {0};
  if (ptx_parse(all, len - 1, "test.ptx", &vm->module, &diags) != WEIR_OK)
    fail_msg("%s", diags.v[0].msg);
  ptx_diags_free(&diags);
  free(all);
  vm_start(vm);
}

static inline void vm_open(struct vm *vm, const char *text) {
  vm_defaults(vm);
  vm_open_as_is(vm, text);
}

static inline void vm_close(struct vm *vm) {
  ptx_image_free(vm->image);
  ptx_module_free(vm->module);
  ptx_device_free(&vm->dev);
}

/* Launches; the status is the run's. `more` are the parameters after 'out'. */
static inline enum weir_status vm_try(struct vm *vm, const char *kernel, struct vm_shape shape,
                                      const uint64_t *more, size_t n_more) {
  uint64_t params[16] = {vm->out_addr};
  struct ptx_program *prog;
  assert_true(n_more < 16);
  if (n_more != 0) memcpy(params + 1, more, n_more * sizeof *more);
  if (ptx_program_build(vm->image, kernel, &vm->cfg, &prog, &vm->err) != WEIR_OK)
    fail_msg("%s", vm->err.msg);
  struct ptx_launch launch = {
      .dyn_shared = shape.dyn_shared, .params = params, .cooperative = vm->cooperative};
  memcpy(launch.grid, shape.grid, sizeof launch.grid);
  memcpy(launch.block, shape.block, sizeof launch.block);
  vm->dev.cfg = vm->cfg;
  struct ptx_run *run;
  struct weir_block_stream *b = NULL;
  enum weir_status st = ptx_run_begin(&vm->dev, prog, &launch, false, &run, &vm->err);
  if (st == WEIR_OK) {
    do
      st = ptx_run_next(run, &b, &vm->err);
    while (st == WEIR_OK && b != NULL);
    ptx_run_stats(run, &vm->stats);
    vm->fault = ptx_run_fault(run);
    vm->was_interleaved = ptx_run_info(run)->is_interleaved;
    ptx_run_end(run);
  }
  ptx_program_free(prog);
  return st;
}

static inline void vm_run(struct vm *vm, const char *kernel, struct vm_shape shape) {
  if (vm_try(vm, kernel, shape, NULL, 0) != WEIR_OK) fail_msg("%s", vm->err.msg);
}

/* One text, one launch of kernel 'k'. */
static inline void vm_once(struct vm *vm, const char *text, struct vm_shape shape) {
  vm_open(vm, text);
  vm_run(vm, "k", shape);
}

static inline void expect_fault(struct vm *vm, const char *kernel, struct vm_shape shape,
                                const char *part) {
  assert_int_equal(vm_try(vm, kernel, shape, NULL, 0), WEIR_EFAULT);
  if (strstr(vm->err.msg, part) == NULL) fail_msg("'%s' is not in:\n%s", part, vm->err.msg);
}

/* A kernel with registers, its thread's number over a line of blocks in %r31, and the address of
 * out[that number] in %d31. */
#define KERNEL_AS(name, body)                                                                      \
  ".visible .entry " name "(.param .u64 out) {\n"                                                  \
  ".reg .pred %p<16>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .f32 %f<8>;\n"     \
  "ld.param.u64 %d30, [out];\n"                                                                    \
  "mov.u32 %r28, %ctaid.x; mov.u32 %r29, %ntid.x; mov.u32 %r30, %tid.x;\n"                         \
  "mad.lo.u32 %r31, %r28, %r29, %r30;\n"                                                           \
  "mul.wide.u32 %d31, %r31, 4; add.u64 %d31, %d31, %d30;\n" body "\nret;\n}\n"
#define KERNEL(body) KERNEL_AS("k", body)
/* Instructions of KERNEL before the body; the ret behind it is one more. */
enum { KERNEL_HEAD = 7 };

#define EACH_WORD(i, n) for (uint32_t i = 0; i < (n); i++)
#define assert_out(i, want)                                                                        \
  do {                                                                                             \
    uint32_t want_ = (uint32_t)(want);                                                             \
    if (vm.out[i] != want_)                                                                        \
      fail_msg("out[%u] is %u (0x%x), expected %u (0x%x)", (unsigned)(i), vm.out[i], vm.out[i],    \
               want_, want_);                                                                      \
  } while (0)

#endif
