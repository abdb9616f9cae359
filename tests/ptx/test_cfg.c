/* Control-flow graphs: blocks, successors, loops and post-dominators, also against a slow and
 * obvious computation. */
#include <stdio.h>

#include "../base/testing.h"
#include "ptx/ir.h"

static struct ptx_module *parse_body(const char *body) {
  size_t len = strlen(body) + 400;
  char *text = malloc(len);
  assert_non_null(text);
  int n = snprintf(text, len,
                   ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
                   ".reg .pred %%p<4>; .reg .b32 %%r<4>;\n%s}\n",
                   body);
  struct ptx_module *m;
  struct ptx_diags d = {0};
  if (ptx_parse(text, (size_t)n, "cfg", &m, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  free(text);
  return m;
}

static void diamond(void **state) {
  (void)state;
  struct ptx_module *m = parse_body("@%p1 bra B;\nadd.s32 %r1, %r1, 1;\nbra C;\n"
                                    "B: add.s32 %r1, %r1, 2;\nC: ret;\n");
  const struct ptx_cfg *c = &m->funcs[0]->cfg;
  assert_int_equal(c->n_blocks, 4);
  assert_int_equal(c->blocks[0].n_succ, 2);
  assert_int_equal(c->blocks[0].succ[0], 1);
  assert_int_equal(c->blocks[0].succ[1], 2);
  assert_int_equal(c->blocks[0].ipdom, 3);
  assert_int_equal(c->blocks[1].ipdom, 3);
  assert_int_equal(c->blocks[2].ipdom, 3);
  assert_int_equal(c->blocks[3].ipdom, 4);
  assert_false(c->blocks[0].in_loop);
  assert_true(c->blocks[2].reachable);
  assert_int_equal(c->block_of[4], 3);
  ptx_module_free(m);
}

static void loop_and_guarded_exit(void **state) {
  (void)state;
  struct ptx_module *m = parse_body("L: add.s32 %r1, %r1, 1;\n@%p1 exit;\n@%p2 bra L;\nret;\n");
  const struct ptx_cfg *c = &m->funcs[0]->cfg;
  assert_int_equal(c->n_blocks, 3);
  assert_int_equal(c->blocks[0].n_succ, 1); /* a guarded exit falls through */
  assert_int_equal(c->blocks[0].ipdom, 3);
  assert_true(c->blocks[0].in_loop && c->blocks[1].in_loop && !c->blocks[2].in_loop);
  assert_int_equal(c->blocks[1].ipdom, 3); /* lanes may also leave from block 0 */
  ptx_module_free(m);
}

static void endless_loop(void **state) {
  (void)state;
  struct ptx_module *m = parse_body("@%p1 bra L;\nbra E;\nL: add.s32 %r1, %r1, 1;\nbra L;\n"
                                    "E: ret;\nbra E;\n");
  const struct ptx_cfg *c = &m->funcs[0]->cfg;
  assert_int_equal(c->n_blocks, 5);
  assert_int_equal(c->blocks[0].ipdom, 5); /* lanes never wait for the endless loop */
  assert_int_equal(c->blocks[2].ipdom, 5);
  assert_int_equal(c->blocks[1].ipdom, 3);
  assert_true(c->blocks[2].in_loop);
  assert_false(c->blocks[4].reachable);
  assert_int_equal(c->blocks[4].ipdom, 3);
  ptx_module_free(m);
}

static void jump_table(void **state) {
  (void)state;
  struct ptx_module *m = parse_body("T: .branchtargets A, B, A, Z;\nbrx.idx %r1, T;\n"
                                    "A: bra Z;\nB: add.s32 %r1, %r1, 1;\nZ: ret;\n");
  const struct ptx_cfg *c = &m->funcs[0]->cfg;
  assert_int_equal(c->blocks[0].n_succ, 3);
  assert_int_equal(c->blocks[0].ipdom, 3);
  ptx_module_free(m);
}

static void empty_body(void **state) {
  (void)state;
  struct ptx_module *m = parse_body("");
  assert_int_equal(m->funcs[0]->cfg.n_blocks, 0);
  ptx_module_free(m);
  m = parse_body("bra E;\nE:\n");
  assert_int_equal(m->funcs[0]->cfg.n_blocks, 1);
  assert_int_equal(m->funcs[0]->cfg.blocks[0].n_succ, 0);
  assert_int_equal(m->funcs[0]->cfg.blocks[0].ipdom, 1);
  ptx_module_free(m);
}

/* ---- random graphs against sets ---- */

enum { MAX_BLOCKS = 24 };

static uint32_t next_random(uint32_t *s) {
  *s = *s * 1664525u + 1013904223u;
  return *s >> 8;
}

static bool leaves(const struct ptx_func *f, uint32_t block) {
  const struct ptx_insn *last = &f->insns[f->cfg.blocks[block].last];
  return last->op == PTX_OP_ret;
}

/* pdom[b]: set of blocks (bit n = the exit) that are on every path from b to the exit; as the
 * greatest fixed point. */
static void slow_post_dominators(const struct ptx_func *f, uint32_t *pdom) {
  const struct ptx_cfg *c = &f->cfg;
  uint32_t n = c->n_blocks, all = (UINT32_C(1) << (n + 1)) - 1, exit = UINT32_C(1) << n;
  bool reaches[MAX_BLOCKS] = {false}, changed = true;
  while (changed) {
    changed = false;
    for (uint32_t b = 0; b < n; b++) {
      bool r = leaves(f, b);
      for (uint32_t s = 0; s < c->blocks[b].n_succ; s++)
        r |= reaches[c->blocks[b].succ[s]];
      changed |= r != reaches[b];
      reaches[b] = r;
    }
  }
  for (uint32_t b = 0; b < n; b++)
    pdom[b] = all;
  for (changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < n; b++) {
      uint32_t set = leaves(f, b) || !reaches[b] ? exit : all;
      for (uint32_t s = 0; s < c->blocks[b].n_succ; s++)
        set &= pdom[c->blocks[b].succ[s]];
      set |= UINT32_C(1) << b;
      changed |= set != pdom[b];
      pdom[b] = set;
    }
  }
}

static bool slow_in_loop(const struct ptx_cfg *c, uint32_t from) {
  bool seen[MAX_BLOCKS] = {false};
  uint32_t stack[MAX_BLOCKS + 1], top = 0;
  stack[top++] = from;
  while (top) {
    const struct ptx_block *b = &c->blocks[stack[--top]];
    for (uint32_t s = 0; s < b->n_succ; s++) {
      if (b->succ[s] == from) return true;
      if (seen[b->succ[s]]) continue;
      seen[b->succ[s]] = true;
      stack[top++] = b->succ[s];
    }
  }
  return false;
}

static void random_graphs(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++) {
    char body[4096];
    uint32_t n = 2 + next_random(&seed) % (MAX_BLOCKS - 2);
    size_t used = 0;
    for (uint32_t b = 0; b < n; b++) {
      uint32_t kind = next_random(&seed) % 8, to = next_random(&seed) % n;
      const char *guard = kind < 4 ? "@%p1 " : "";
      if (kind == 7 || b + 1 == n) {
        used += (size_t)snprintf(body + used, sizeof body - used, "L%u: ret;\n", b);
      } else {
        used +=
            (size_t)snprintf(body + used, sizeof body - used, "L%u: %sbra L%u;\n", b, guard, to);
      }
    }
    struct ptx_module *m = parse_body(body);
    const struct ptx_func *f = m->funcs[0];
    uint32_t pdom[MAX_BLOCKS];
    assert_int_equal(f->cfg.n_blocks, n);
    slow_post_dominators(f, pdom);
    for (uint32_t b = 0; b < n; b++) {
      uint32_t ip = f->cfg.blocks[b].ipdom;
      /* The immediate one is post-dominated by all the others. */
      uint32_t strict = pdom[b] & ~(UINT32_C(1) << b);
      uint32_t of_ip = ip == n ? UINT32_C(1) << n : pdom[ip];
      if (!(strict >> ip & 1) || (strict & ~of_ip))
        fail_msg("round %d: block %u has ipdom %u\n%s", round, b, ip, body);
      assert_int_equal(f->cfg.blocks[b].in_loop, slow_in_loop(&f->cfg, b));
    }
    ptx_module_free(m);
  }
}

/* A long chain of nested and crossing branches: quadratic work would take minutes. */
static void hundred_thousand(void **state) {
  (void)state;
  enum { N = 100000 };
  size_t cap = (size_t)N * 40, used = 0;
  char *body = malloc(cap);
  assert_non_null(body);
  for (unsigned i = 0; i < N; i++) {
    unsigned to = i % 3 == 0 ? N - 1 - i / 2 : i % 3 == 1 ? i / 2 : i + 1;
    used += (size_t)snprintf(body + used, cap - used, "L%u: @%%p1 bra L%u;\n", i, to);
  }
  struct ptx_module *m = parse_body(body);
  free(body);
  assert_int_equal(m->funcs[0]->cfg.n_blocks, N);
  ptx_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diamond),          cmocka_unit_test(loop_and_guarded_exit),
      cmocka_unit_test(endless_loop),     cmocka_unit_test(jump_table),
      cmocka_unit_test(empty_body),       cmocka_unit_test(random_graphs),
      cmocka_unit_test(hundred_thousand),
  };
  return cmocka_run_group_tests_name("cfg", tests, NULL, NULL);
}
