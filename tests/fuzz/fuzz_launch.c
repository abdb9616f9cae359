/* Launch files: reading them, and everything that a run asks of one. Run in the top folder: files
 * that a launch file names are looked for in tests/launch/good. */
#include <string.h>

#include "fuzz.h"
#include "launch/launchfile.h"

enum { MAX_BYTES = 100000, MAX_LAUNCHES = 16, MAX_PARAMS = 8, PARAM_BLOCK = 256 };

static void use_buffer(struct weir_launchfile *lf, uint32_t b) {
  struct weir_err err;
  uint8_t *p = malloc(lf->buffers[b].bytes + 1);
  PROMISE(p != NULL);
  p[lf->buffers[b].bytes] = 0xa5;
  if (weir_buffer_generate(lf, b, p, &err) != WEIR_OK) memset(p, 0, lf->buffers[b].bytes);
  for (uint32_t e = 0; e < lf->n_expects && e < MAX_LAUNCHES; e++)
    if (lf->expects[e].buffer == b) weir_expect_check(lf, e, p, &err);
  for (uint32_t l = 0; l < lf->n_launches && l < MAX_LAUNCHES; l++)
    for (uint32_t s = 0; s < lf->launches[l].n_sets; s++)
      if (lf->launches[l].sets[s].buffer == b) weir_launch_set(lf, l, s, 1, p, &err);
  PROMISE(p[lf->buffers[b].bytes] == 0xa5);
  free(p);
}

/* A kernel with pointers, numbers and an array of bytes. */
static void use_launch(struct weir_launchfile *lf, uint32_t l, const uint64_t *addresses) {
  static const enum ptx_type types[] = {PTX_T_u64, PTX_T_u32, PTX_T_f32, PTX_T_b8,
                                        PTX_T_f64, PTX_T_s16, PTX_T_u64, PTX_T_s32};
  struct weir_err err;
  struct weir_launch_shape shape;
  struct weir_lf_param params[MAX_PARAMS];
  uint8_t block[PARAM_BLOCK];
  for (uint32_t i = 0; i < MAX_PARAMS; i++)
    params[i] = (struct weir_lf_param){.name = "p",
                                       .type = types[i],
                                       .bytes = i == 3 ? 24 : ptx_type_bytes(types[i]),
                                       .offset = 24 * i,
                                       .is_array = i == 3};
  const struct weir_lf_launch *launch = &lf->launches[l];
  if (weir_launch_shape(lf, l, 3, &shape, &err) == WEIR_OK)
    for (int i = 0; i < 3; i++)
      PROMISE(shape.grid[i] > 0 && shape.block[i] > 0);
  uint32_t n = launch->n_args < MAX_PARAMS ? launch->n_args : MAX_PARAMS;
  weir_launch_args(lf, l, 1, addresses, params, n, block, sizeof block, &err);
  if (!launch->has_until) return;
  uint64_t offset;
  bool holds;
  const struct weir_lf_buffer *b = &lf->buffers[launch->until_buffer];
  if (weir_until_offset(lf, l, 2, &offset, &err) != WEIR_OK) return;
  PROMISE(offset < b->bytes && b->bytes - offset >= b->element_bytes);
  memset(block, 0, sizeof block);
  weir_until_holds(lf, l, 2, block, &holds, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_launchfile *lf;
  struct weir_err err;
  enum weir_status st = weir_launchfile_parse("tests/launch/good/fuzz.yaml", (const char *)data,
                                              size, NULL, &lf, &err);
  PROMISE((st == WEIR_OK) == (lf != NULL));
  if (st != WEIR_OK) {
    PROMISE(memchr(err.msg, 0, sizeof err.msg) != NULL);
    return 0;
  }
  uint64_t *addresses = calloc(lf->n_buffers + 1u, sizeof *addresses);
  PROMISE(addresses != NULL);
  for (uint32_t b = 0; b < lf->n_buffers; b++) {
    addresses[b] = UINT64_C(0x7f0000000000) + 512 * (uint64_t)b;
    PROMISE(weir_launchfile_buffer(lf, lf->buffers[b].name) == (int)b);
    if (lf->total_bytes < MAX_BYTES) use_buffer(lf, b);
  }
  for (uint32_t l = 0; l < lf->n_launches && l < MAX_LAUNCHES; l++)
    use_launch(lf, l, addresses);
  free(addresses);
  weir_launchfile_free(lf);
  return 0;
}
