/* A case of meet_cases.h made ready to be launched by the interpreter. */
#ifndef WEIR_TESTS_MEET_RUN_H
#define WEIR_TESTS_MEET_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "meet_cases.h"

struct meet_vm {
  struct ptx_device dev;
  struct ptx_module *module;
  struct ptx_image *image;
  struct ptx_program *prog;
  uint64_t params[3]; /* out, in, count */
  struct ptx_launch launch;
};

static inline void meet_must(enum weir_status st, const struct weir_err *err) {
  if (st == WEIR_OK) return;
  fprintf(stderr, "meet: %s\n", err->msg);
  exit(1);
}

static inline uint32_t *meet_words(const struct meet_vm *vm, unsigned param) {
  return (uint32_t *)(void *)ptx_mem_host(&vm->dev.mem, vm->params[param]);
}

/* A failure ends the program. */
static inline void meet_open(struct meet_vm *vm, const struct meet_case *c) {
  struct weir_err err = {0};
  struct ptx_exec_cfg cfg;
  struct ptx_diags diags = {0};
  size_t threads = meet_case_threads(c), bytes = 4 * MEET_OUT_WORDS * threads;
  weir_param_defaults(ptx_exec_table, &cfg);
  cfg.device_memory = 16 << 20;
  cfg.deadlock_quanta = 500;
  meet_must(ptx_device_init(&vm->dev, &cfg, &err), &err);
  if (ptx_parse(c->text, strlen(c->text), c->name, &vm->module, &diags) != WEIR_OK) {
    fprintf(stderr, "meet: %s\n", diags.v[0].msg);
    exit(1);
  }
  ptx_diags_free(&diags);
  struct ptx_mem *mem = &vm->dev.mem;
  meet_must(ptx_image_load(&vm->dev, vm->module, &vm->image, &err), &err);
  meet_must(ptx_program_build(vm->image, "k", &cfg, &vm->prog, &err), &err);
  meet_must(ptx_mem_alloc(mem, bytes, 0, "out", false, &vm->params[0], &err), &err);
  meet_must(ptx_mem_alloc(mem, 4 * MEET_IN_WORDS * threads, 0, "in", false, &vm->params[1], &err),
            &err);
  meet_must(ptx_mem_alloc(mem, 4 * MEET_COUNTERS, 0, "count", false, &vm->params[2], &err), &err);
  meet_case_operands(c, meet_words(vm, 1));
  for (size_t i = 0; i < bytes / 4; i++)
    meet_words(vm, 0)[i] = MEET_UNWRITTEN;
  vm->launch = (struct ptx_launch){
      .grid = {c->blocks, 1, 1}, .block = {c->threads, 1, 1}, .params = vm->params};
}

static inline void meet_close(struct meet_vm *vm) {
  ptx_program_free(vm->prog);
  ptx_image_free(vm->image);
  ptx_module_free(vm->module);
  ptx_device_free(&vm->dev);
}

#endif
