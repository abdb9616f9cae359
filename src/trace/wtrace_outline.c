/* What is known of a kernel's text, as bytes: the second part of a table, which not all have. */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/outline.h"
#include "trace/wtrace_format.h"

/* Of an instruction; of a loop. */
enum { INSN_BYTES = 4, LOOP_BYTES = 4 };

void wt_put_outline(struct wt_buf *b, const struct weir_kernel_info *k) {
  const struct weir_outline *o = k->outline;
  uint32_t before = 0;
  if (o == NULL) return;
  wt_buf_leb(b, o->n_loops);
  for (uint32_t i = 0; i < o->n_loops; i++) {
    wt_buf_leb(b, o->loops[i].first - before);
    wt_buf_leb(b, o->loops[i].last - o->loops[i].first);
    wt_buf_leb(b, o->loops[i].trips);
    wt_buf_byte(b, o->loops[i].flags);
    before = o->loops[i].last + 1;
  }
  for (uint32_t i = 0; i < k->n_insns; i++)
    wt_buf_byte(b, o->insns[i].flags);
  for (uint32_t i = 0; i < k->n_insns; i++)
    wt_buf_byte(b, o->insns[i].live);
  before = 0;
  for (uint32_t i = 0; i < k->n_insns; i++) {
    wt_buf_leb(b, wt_zigzag((int32_t)(o->insns[i].base - before)));
    before = o->insns[i].base;
  }
  for (uint32_t i = 0; i < k->n_insns; i++)
    wt_buf_leb(b, wt_zigzag(o->insns[i].offset));
}

static const char *get_loops(struct wt_cursor *c, struct weir_outline_loop *v, uint32_t n,
                             uint32_t n_insns) {
  uint64_t before = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t first = before + wt_read_u32(c), last = first + wt_read_u32(c);
    if (last >= n_insns) return "a loop beyond the kernel's end";
    v[i] = (struct weir_outline_loop){.first = (uint32_t)first, .last = (uint32_t)last};
    v[i].trips = wt_read_u32(c);
    v[i].flags = wt_read_byte(c);
    if (v[i].flags > WEIR_LOOP_ALL) return "a loop of an unknown kind";
    before = last + 1;
  }
  return NULL;
}

static const char *get_insns(struct wt_cursor *c, struct weir_outline_insn *v,
                             const struct weir_kernel_info *k) {
  int64_t base = 0;
  for (uint32_t i = 0; i < k->n_insns; i++)
    if ((v[i].flags = wt_read_byte(c)) > WEIR_OUTLINE_ALL) return "an unknown mark";
  for (uint32_t i = 0; i < k->n_insns; i++)
    v[i].live = wt_read_byte(c);
  for (uint32_t i = 0; i < k->n_insns; i++) {
    base += (int32_t)wt_unzigzag(wt_read_leb(c));
    if (base < 0 || (base >= k->n_regs && base != WEIR_NO_REG))
      return "a register beyond the number of registers";
    v[i].base = (uint16_t)base;
  }
  for (uint32_t i = 0; i < k->n_insns; i++)
    v[i].offset = (int32_t)wt_unzigzag(wt_read_leb(c));
  return NULL;
}

const char *wt_get_outline(const uint8_t *bytes, size_t n, struct weir_kernel_info *k) {
  struct wt_cursor c = {.p = bytes, .end = bytes + n};
  uint32_t n_loops = wt_read_u32(&c);
  if (n_loops > n / LOOP_BYTES || k->n_insns > n / INSN_BYTES)
    return "fewer bytes than instructions and loops";
  struct weir_outline *o = weir_calloc(1, sizeof *o);
  struct weir_outline_loop *loops = weir_calloc(n_loops + (size_t)1, sizeof *loops);
  struct weir_outline_insn *insns = weir_calloc(k->n_insns + (size_t)1, sizeof *insns);
  if (o == NULL || loops == NULL || insns == NULL) {
    free(o);
    free(loops);
    free(insns);
    return WT_NO_MEMORY;
  }
  *o = (struct weir_outline){.insns = insns, .loops = loops, .n_loops = n_loops};
  k->outline = o;
  const char *why = get_loops(&c, loops, n_loops, k->n_insns);
  if (!why) why = get_insns(&c, insns, k);
  if (!why && c.is_bad) why = "it ends in the middle";
  if (!why && c.p != c.end) why = "bytes after its end";
  return why;
}

void wt_outline_free(const struct weir_outline *o) {
  if (o == NULL) return;
  free((void *)(uintptr_t)o->insns);
  free((void *)(uintptr_t)o->loops);
  free((void *)(uintptr_t)o);
}
