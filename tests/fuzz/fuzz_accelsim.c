/* Accel-Sim traces: a kernel's text is never trusted, and the streams made of it can be read. The
 * first byte chooses: bit 0 the bytes are an .xz file; bit 1 some opcodes are given a class; bit 2
 * the text is a list of commands. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/accelsim.h"

/* The reader wants files whose names end as traces' names do: links to one in memory serve. */
static char names[3][64];

static void forget_names(void) {
  for (int i = 0; i < 3; i++)
    unlink(names[i]);
}

static const char *put_file(const uint8_t *data, size_t n, int kind) {
  static const char *const ends[] = {".traceg", ".traceg.xz", ".g"};
  static int fd = -1;
  if (fd < 0) {
    char target[64];
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
    for (int i = 0; i < 3; i++) {
      snprintf(names[i], sizeof names[i], "/tmp/weir-fuzz-%ld%s", (long)getpid(), ends[i]);
      unlink(names[i]);
      PROMISE(symlink(target, names[i]) == 0);
    }
    atexit(forget_names);
  }
  PROMISE(ftruncate(fd, 0) == 0 && pwrite(fd, data, n, 0) == (ssize_t)n);
  return names[kind];
}

static void read_block(const struct weir_kernel_info *k, struct weir_block_stream *b) {
  for (uint32_t i = 0; i < b->n_warps; i++) {
    struct weir_warp_reader r;
    struct weir_dyn d;
    uint64_t lane[WEIR_LANES], n = 0;
    weir_reader_open(&r, &b->warps[i], k, true);
    for (; weir_next(&r, &d); n++) {
      PROMISE(d.insn < k->n_insns);
      if (!d.has_addr) continue;
      PROMISE(k->insns[d.insn].width > 0 && d.mask != 0);
      PROMISE(d.addrs.space != WEIR_SP_NONE && d.addrs.space != WEIR_SP_GENERIC);
      weir_expand(&d, lane);
    }
    PROMISE(r.status == WEIR_OK && n == b->warps[i].n_insns);
    weir_reader_close(&r);
  }
}

static void check_kernel(const struct weir_kernel_info *k) {
  PROMISE(k->name != NULL && k->n_warps >= 1 && k->n_warps <= 32);
  for (uint32_t i = 0; i < k->n_insns; i++) {
    const struct weir_static *s = &k->insns[i];
    PROMISE(s->cls < WEIR_N_CLASSES && s->space < WEIR_N_SPACES && s->width <= 32);
    PROMISE((s->width > 0) == (s->space != WEIR_SP_NONE));
    PROMISE(s->cls != WEIR_C_BARRIER || s->bar_id < WEIR_BARRIERS);
    PROMISE(s->n_dst <= WEIR_MAX_DST && s->n_src <= WEIR_MAX_SRC);
    for (unsigned r = 0; r < s->n_dst; r++)
      PROMISE(s->dst[r] < k->n_regs);
    for (unsigned r = 0; r < s->n_src; r++)
      PROMISE(s->src[r] < k->n_regs);
    PROMISE(i == 0 || s[-1].pc <= s->pc);
  }
}

static enum weir_status read_kernel(struct weir_block_source *src, struct weir_err *err) {
  struct weir_block_stream *b = NULL;
  uint64_t n_blocks = 0, n_grid = 1;
  enum weir_status st;
  check_kernel(src->kernel);
  for (int i = 0; i < 3; i++)
    n_grid *= src->kernel->grid[i];
  for (; (st = src->next(src, &b, err)) == WEIR_OK && b; n_blocks++) {
    PROMISE(b->id == n_blocks);
    read_block(src->kernel, b);
    src->release(src, b);
  }
  PROMISE(st != WEIR_OK || n_blocks == n_grid);
  return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const over[] = {"FOO=int", "FOO.X=load", "LDG.E.ODD=other"};
  struct weir_stream_pool pool;
  struct weir_err err;
  struct weir_accelsim *t;
  struct weir_accelsim_event e;
  if (size == 0) return 0;
  const char *path = put_file(data + 1, size - 1, data[0] & 4 ? 2 : data[0] & 1);
  PROMISE(weir_stream_pool_init(&pool, 1 << 20, NULL, &err) == WEIR_OK);
  PROMISE(weir_accelsim_open(path, over, data[0] & 2 ? 3 : 0, &pool, &t, &err) == WEIR_OK);
  enum weir_status st;
  while ((st = weir_accelsim_next(t, &e, &err)) == WEIR_OK && e.kind != WEIR_ACCELSIM_END)
    if (e.kind == WEIR_ACCELSIM_KERNEL && (st = read_kernel(e.source, &err)) != WEIR_OK) break;
  if (st != WEIR_OK) PROMISE(err.code == st && memchr(err.msg, 0, sizeof err.msg) != NULL);
  weir_accelsim_close(t);
  weir_stream_pool_free(&pool);
  return 0;
}
