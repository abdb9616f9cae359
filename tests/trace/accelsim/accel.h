/* Files for the tests of the Accel-Sim reader, in a folder of their own. */
#ifndef WEIR_TESTS_ACCEL_H
#define WEIR_TESTS_ACCEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lzma.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/accelsim.h"

static char dir[] = "/tmp/weir-accelsim-XXXXXX";
static struct weir_stream_pool pool;
static struct weir_err err;

static inline const char *in_dir(const char *name) {
  static char path[4][512];
  static unsigned i;
  i = (i + 1) % 4;
  snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
  return path[i];
}

static inline void put_file(const char *name, const void *data, size_t n) {
  FILE *f = fopen(in_dir(name), "w");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

static inline size_t pack(const void *data, size_t n, uint8_t **out) {
  size_t cap = lzma_stream_buffer_bound(n), used = 0;
  *out = malloc(cap);
  assert_non_null(*out);
  assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, data, n, *out, &used, cap),
                   LZMA_OK);
  return used;
}

static inline int set_up(void **state) {
  (void)state;
  if (!mkdtemp(dir)) return -1;
  return weir_stream_pool_init(&pool, 16 << 20, NULL, &err) != WEIR_OK;
}

static inline int tear_down(void **state) {
  char command[600];
  (void)state;
  weir_stream_pool_free(&pool);
  snprintf(command, sizeof command, "rm -r %s", dir);
  return system(command);
}

/* Opens `name`, reads everything, drops it. The first failure is returned, in `err`. */
static inline enum weir_status read_all(const char *name, const char *const *over, size_t n,
                                        uint64_t *n_insts) {
  struct weir_accelsim *t;
  struct weir_accelsim_event e;
  enum weir_status st = weir_accelsim_open(in_dir(name), over, n, &pool, &t, &err);
  *n_insts = 0;
  while (!st && !(st = weir_accelsim_next(t, &e, &err)) && e.kind != WEIR_ACCELSIM_END) {
    struct weir_block_stream *b = NULL;
    if (e.kind != WEIR_ACCELSIM_KERNEL) continue;
    while (!(st = e.source->next(e.source, &b, &err)) && b) {
      for (uint32_t i = 0; i < b->n_warps; i++)
        *n_insts += b->warps[i].n_insns;
      e.source->release(e.source, b);
    }
  }
  weir_accelsim_close(t);
  return st;
}

#endif
