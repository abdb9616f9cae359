#include "analysis/retag.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/lex.h"

bool weir_can_retag(const struct ptx_insn *in) {
  static const enum ptx_mod others[] = {PTX_M_ca,
                                        PTX_M_cg,
                                        PTX_M_cs,
                                        PTX_M_lu,
                                        PTX_M_cv,
                                        PTX_M_volatile,
                                        PTX_M_relaxed,
                                        PTX_M_acquire,
                                        PTX_M_mmio,
                                        PTX_M_L1_evict_normal,
                                        PTX_M_L1_evict_unchanged,
                                        PTX_M_L1_evict_first,
                                        PTX_M_L1_evict_last,
                                        PTX_M_L1_no_allocate,
                                        PTX_M_L2_evict_normal,
                                        PTX_M_L2_evict_first,
                                        PTX_M_L2_evict_last};
  if (in->op != PTX_OP_ld) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ptx_has(in, others[i])) return false;
  return true;
}

bool weir_has_l1_priorities(const struct ptx_module *m) {
  return m->version_major * 10 + m->version_minor >= 74 && m->sm >= 70;
}

static int by_place(const void *a, const void *b) {
  const struct ptx_insn *x = ((const struct weir_retag *)a)->insn;
  const struct ptx_insn *y = ((const struct weir_retag *)b)->insn;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return x->col < y->col ? -1 : x->col > y->col;
}

/* A place in the text that only moves on. */
struct cursor {
  const char *p, *end;
  uint32_t line, col; /* columns count characters, as the lexer's do */
};

static bool find_insn(struct cursor *c, const struct ptx_insn *in) {
  while (c->p < c->end && (c->line != in->line || c->col != in->col)) {
    char ch = *c->p++;
    if (ch == '\n') {
      c->line++;
      c->col = 1;
    } else if (c->p == c->end || ((unsigned char)*c->p & 0xc0) != 0x80) {
      c->col++;
    }
  }
  return c->p < c->end;
}

static bool is_word(const struct ptx_tok *t, const char *word) {
  return t->len == strlen(word) && memcmp(t->s, word, t->len) == 0;
}

/* Where the word of a hint goes, and from where the text goes on. */
struct gap {
  const char *at, *resume;
};

static bool find_gap(const struct cursor *c, enum weir_hint hint, struct gap *out) {
  bool is_priority = hint == WEIR_HINT_NO_ALLOCATE || hint == WEIR_HINT_EVICT_LAST;
  const char *nc = NULL, *at;
  struct ptx_lexer lx;
  struct ptx_tok t;
  ptx_lex_init(&lx, c->p, (size_t)(c->end - c->p));
  ptx_lex_next(&lx, &t);
  if (!is_word(&t, "ld")) return false;
  at = t.s + t.len;
  for (ptx_lex_next(&lx, &t); t.kind == PTX_TOK_dot; ptx_lex_next(&lx, &t)) {
    if (is_word(&t, ".weak") || is_word(&t, ".global")) at = t.s + t.len;
    if (is_word(&t, ".nc")) nc = t.s;
  }
  const char *behind = nc != NULL ? nc + strlen(".nc") : NULL;
  *out = (struct gap){at, at};
  if (nc != NULL && hint == WEIR_HINT_CG) *out = (struct gap){nc, behind};
  if (nc != NULL && is_priority) *out = (struct gap){behind, behind};
  return true;
}

/* Copy the words of one instruction with its hint; returns where the rest begins, NULL if this is
 * no load. */
static const char *put_words(const struct cursor *c, enum weir_hint hint, struct weir_text *out) {
  struct gap gap;
  if (!find_gap(c, hint, &gap)) return NULL;
  weir_text_add(out, c->p, (size_t)(gap.at - c->p));
  weir_text_puts(out, ".");
  weir_text_puts(out, weir_hint_word(hint));
  return gap.resume;
}

/* What was written must be PTX. */
static enum weir_status check(const struct ptx_module *m, const struct weir_text *t,
                              struct weir_err *err) {
  struct ptx_diags diags = {0};
  struct ptx_module *again;
  enum weir_status st = ptx_parse(t->v, t->n, m->path, &again, &diags);
  if (st != WEIR_OK) st = weir_fail(err, WEIR_EBUG, "PTX with hints is wrong: %s", diags.v[0].msg);
  ptx_module_free(again);
  ptx_diags_free(&diags);
  return st;
}

enum weir_status weir_retag(const struct ptx_module *m, struct weir_retag *list, size_t n,
                            struct weir_text *out, struct weir_err *err) {
  struct cursor c = {m->source, m->source + m->source_len, 1, 1};
  const char *from = m->source;
  struct weir_text text = {0};
  if (n > 0) qsort(list, n, sizeof *list, by_place);
  for (size_t i = 0; i < n; i++) {
    bool found = find_insn(&c, list[i].insn);
    if (found) weir_text_add(&text, from, (size_t)(c.p - from));
    from = found ? put_words(&c, list[i].hint, &text) : NULL;
    if (from == NULL) {
      weir_text_free(&text);
      return weir_fail(err, WEIR_EBUG, "%s:%u:%u: this is no load", m->path, list[i].insn->line,
                       list[i].insn->col);
    }
  }
  weir_text_add(&text, from, (size_t)(c.end - from));
  enum weir_status st =
      text.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : check(m, &text, err);
  if (st == WEIR_OK) weir_text_add(out, text.v, text.n);
  weir_text_free(&text);
  if (st == WEIR_OK && out->failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  return st;
}
