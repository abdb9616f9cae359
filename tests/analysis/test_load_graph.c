/* Locality between loads: a graph made by hand, its controls, and random graphs against the rules
 * written down slowly. */
#include <stdio.h>

#include "../base/testing.h"
#include "analysis/load_graph.h"

/* Nine loads of four arrays, two guarded loops, a barrier before the last load. Node i is load i +
 * 1; node 9 is the barrier. */
enum { A, B, C, D, SYNC_NODE = 9, N_FIXTURE = 10 };

static const struct weir_lnode fixture_nodes[N_FIXTURE] = {
    {WEIR_LNODE_LOAD, A, 1}, {WEIR_LNODE_LOAD, B, 2}, {WEIR_LNODE_LOAD, C, 3},
    {WEIR_LNODE_LOAD, C, 4}, {WEIR_LNODE_LOAD, A, 5}, {WEIR_LNODE_LOAD, D, 6},
    {WEIR_LNODE_LOAD, B, 7}, {WEIR_LNODE_LOAD, C, 8}, {WEIR_LNODE_LOAD, A, 9},
    {WEIR_LNODE_SYNC, 0, 0}};

static const struct weir_ledge fixture_edges[] = {
    {0, 1, false}, {1, 2, false}, {1, 4, false}, {2, 3, false}, {3, 2, false},
    {3, 4, false}, {4, 5, false}, {4, 7, false}, {5, 6, false}, {6, 5, false},
    {6, 7, false}, {7, 9, false}, {9, 8, false}, {8, 0, true}};
enum { GUARD_1 = 2, GUARD_2 = 7, TO_SYNC = 11, FROM_SYNC = 12, ARTIFICIAL = 13, N_EDGES = 14 };

/* "{1,9} {2} ..." */
static void groups_text(const struct weir_load_graph *g, char *text, size_t len) {
  size_t n = 0;
  text[0] = 0;
  for (uint32_t k = 0; k < g->n_groups; k++) {
    const char *mark = k > 0 ? " {" : "{";
    for (uint32_t v = 0; v < g->n_nodes; v++) {
      if (g->group[v] != k) continue;
      n += (size_t)snprintf(text + n, len - n, "%s%u", mark, v + 1);
      mark = ",";
    }
    n += (size_t)snprintf(text + n, len - n, "}");
  }
}

static void solve(struct weir_load_graph *g, bool go_round) {
  struct weir_err err;
  if (weir_load_graph_solve(g, go_round, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static void assert_groups(const struct weir_ledge *edges, uint32_t n_edges, bool go_round,
                          const char *want) {
  struct weir_load_graph g = {
      .nodes = fixture_nodes, .edges = edges, .n_nodes = N_FIXTURE, .n_edges = n_edges};
  char text[200];
  solve(&g, go_round);
  groups_text(&g, text, sizeof text);
  assert_string_equal(text, want);
  weir_load_graph_free(&g);
}

static void fixture(void **state) {
  (void)state;
  struct weir_load_graph g = {
      .nodes = fixture_nodes, .edges = fixture_edges, .n_nodes = N_FIXTURE, .n_edges = N_EDGES};
  solve(&g, true);
  assert_int_equal(g.n_loops, 2);
  assert_int_equal(g.loops[0].header, 2);
  assert_int_equal(g.loops[1].header, 5);
  static const uint32_t loop_of[N_FIXTURE] = {
      WEIR_NO_LOOP, WEIR_NO_LOOP, 0,           0, WEIR_NO_LOOP, 1, 1,
      WEIR_NO_LOOP, WEIR_NO_LOOP, WEIR_NO_LOOP};
  assert_memory_equal(g.loop_of, loop_of, sizeof loop_of);
  assert_int_equal(g.n_round, 2);
  assert_true(g.round[0].a == GUARD_1 && g.round[0].b == 0);
  assert_true(g.round[1].a == GUARD_2 && g.round[1].b == 1);
  assert_int_equal(g.n_local, 2);
  assert_true(g.local[0].a == 0 && g.local[0].b == 8);
  assert_true(g.local[1].a == 2 && g.local[1].b == 3);
  assert_int_equal(g.group[SYNC_NODE], WEIR_NO_GROUP);
  weir_load_graph_free(&g);
  assert_groups(fixture_edges, N_EDGES, true, "{1,9} {2} {3,4} {5} {6} {7} {8}");
}

static void without_go_round(void **state) {
  (void)state;
  assert_groups(fixture_edges, N_EDGES, false, "{1,5,9} {2,7} {3,4,8} {6}");
}

/* The fixture's edges without some of them. */
static uint32_t edges_without(struct weir_ledge *out, uint32_t x, uint32_t y) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < N_EDGES; i++)
    if (i != x && i != y) out[n++] = fixture_edges[i];
  return n;
}

static void without_guards(void **state) {
  (void)state;
  struct weir_ledge edges[N_EDGES];
  uint32_t n = edges_without(edges, GUARD_1, GUARD_2);
  assert_groups(edges, n, true, "{1,9} {2} {3,4} {5} {6} {7} {8}");
}

static void without_sync(void **state) {
  (void)state;
  struct weir_ledge edges[N_EDGES];
  uint32_t n = edges_without(edges, TO_SYNC, FROM_SYNC);
  edges[n++] = (struct weir_ledge){7, 8, false};
  assert_groups(edges, n, true, "{1,9} {2,7} {3,4,8} {5} {6}");
}

static void without_artificial(void **state) {
  (void)state;
  struct weir_ledge edges[N_EDGES];
  uint32_t n = edges_without(edges, ARTIFICIAL, ARTIFICIAL);
  assert_groups(edges, n, true, "{1} {2} {3,4} {5} {6} {7} {8} {9}");
}

/* ---- random graphs ---- */

enum { MOST = 14 };

struct slow {
  const struct weir_load_graph *g;
  uint32_t dom[MOST], post[MOST]; /* sets of nodes; bit n: the exit */
  uint32_t loop[MOST];            /* of a header: the set of its loop, else 0 */
  bool back[MOST * MOST];
};

static uint32_t next_random(uint32_t *s) {
  *s = *s * 1664525u + 1013904223u;
  return *s >> 8;
}

static void slow_dominators(struct slow *s) {
  const struct weir_load_graph *g = s->g;
  uint32_t all = (UINT32_C(1) << (g->n_nodes + 1)) - 1;
  for (uint32_t v = 0; v < g->n_nodes; v++)
    s->dom[v] = v == 0 ? 1 : all;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t v = 1; v < g->n_nodes; v++) {
      uint32_t set = all;
      for (uint32_t i = 0; i < g->n_edges; i++)
        if (g->edges[i].to == v && !g->edges[i].is_artificial) set &= s->dom[g->edges[i].from];
      set |= UINT32_C(1) << v;
      changed |= set != s->dom[v];
      s->dom[v] = set;
    }
  }
}

static bool slow_reaches(const struct slow *s, uint32_t from, uint32_t to, bool forward) {
  const struct weir_load_graph *g = s->g;
  uint32_t set = UINT32_C(1) << from, before;
  do {
    before = set;
    for (uint32_t i = 0; i < g->n_edges; i++)
      if (!g->edges[i].is_artificial && (set >> g->edges[i].from & 1) && !(forward && s->back[i]))
        set |= UINT32_C(1) << g->edges[i].to;
  } while (set != before);
  return set >> to & 1;
}

static bool slow_leaves(const struct slow *s, uint32_t v) {
  const struct weir_load_graph *g = s->g;
  bool has_edge = false;
  for (uint32_t i = 0; i < g->n_edges; i++)
    if (g->edges[i].from == v) {
      if (g->edges[i].is_artificial) return true;
      has_edge = true;
    }
  return !has_edge;
}

static void slow_post_dominators(struct slow *s) {
  const struct weir_load_graph *g = s->g;
  uint32_t n = g->n_nodes, all = (UINT32_C(1) << (n + 1)) - 1, end = UINT32_C(1) << n;
  bool exits[MOST];
  for (uint32_t v = 0; v < n; v++) {
    bool can_leave = false;
    for (uint32_t x = 0; x < n; x++)
      can_leave |= slow_leaves(s, x) && slow_reaches(s, v, x, false);
    exits[v] = slow_leaves(s, v) || !can_leave;
    s->post[v] = all;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t v = 0; v < n; v++) {
      uint32_t set = exits[v] ? end : all;
      for (uint32_t i = 0; i < g->n_edges; i++)
        if (g->edges[i].from == v && !g->edges[i].is_artificial) set &= s->post[g->edges[i].to];
      set |= UINT32_C(1) << v;
      changed |= set != s->post[v];
      s->post[v] = set;
    }
  }
}

static void slow_loops(struct slow *s) {
  const struct weir_load_graph *g = s->g;
  for (uint32_t i = 0; i < g->n_edges; i++)
    s->back[i] = !g->edges[i].is_artificial && (s->dom[g->edges[i].from] >> g->edges[i].to & 1);
  for (uint32_t h = 0; h < g->n_nodes; h++) {
    uint32_t set = 0, before;
    for (uint32_t i = 0; i < g->n_edges; i++)
      if (s->back[i] && g->edges[i].to == h)
        set |= UINT32_C(1) << g->edges[i].from | UINT32_C(1) << h;
    do {
      before = set;
      for (uint32_t i = 0; i < g->n_edges; i++)
        if (!g->edges[i].is_artificial && g->edges[i].to != h && (set >> g->edges[i].to & 1))
          set |= UINT32_C(1) << g->edges[i].from;
    } while (set != before);
    s->loop[h] = set;
  }
}

/* Header of the innermost loop of a node, or -1. */
static int slow_innermost(const struct slow *s, uint32_t v) {
  int best = -1;
  for (uint32_t h = 0; h < s->g->n_nodes; h++)
    if (s->loop[h] >> v & 1)
      if (best < 0 || __builtin_popcount(s->loop[h]) < __builtin_popcount(s->loop[best]))
        best = (int)h;
  return best;
}

static bool slow_may_follow(const struct slow *s, uint32_t u, uint32_t v, uint32_t edge) {
  const struct weir_ledge *e = &s->g->edges[edge];
  if (s->g->nodes[e->to].kind == WEIR_LNODE_SYNC) return false;
  int lu = slow_innermost(s, u), lv = slow_innermost(s, v);
  if (s->back[edge] && !(lu == lv && lu == (int)e->to)) return false;
  for (uint32_t h = 0; h < s->g->n_nodes; h++) {
    uint32_t set = s->loop[h];
    if (set == 0 || (set >> u & 1) || (set >> v & 1)) continue;
    bool from_in = set >> e->from & 1, to_in = set >> e->to & 1;
    if (e->to == h && !from_in) return false;
    if (!e->is_artificial && !from_in && !to_in && (s->dom[h] >> e->from & 1) &&
        (s->post[h] >> e->to & 1) && !slow_reaches(s, e->to, h, true))
      return false;
  }
  return true;
}

static bool slow_path(const struct slow *s, uint32_t u, uint32_t v) {
  const struct weir_load_graph *g = s->g;
  uint32_t set = UINT32_C(1) << u, got = 0, before;
  do {
    before = got;
    for (uint32_t i = 0; i < g->n_edges; i++)
      if (((set | got) >> g->edges[i].from & 1) && slow_may_follow(s, u, v, i))
        got |= UINT32_C(1) << g->edges[i].to;
  } while (got != before);
  return got >> v & 1;
}

static bool has_local(const struct weir_load_graph *g, uint32_t u, uint32_t v) {
  for (uint32_t i = 0; i < g->n_local; i++)
    if (g->local[i].a == u && g->local[i].b == v) return true;
  return false;
}

/* A chain with random branches: every node is reached. */
static uint32_t random_graph(uint32_t *seed, struct weir_lnode *nodes, struct weir_ledge *edges,
                             uint32_t n) {
  uint32_t n_edges = 0;
  for (uint32_t v = 0; v < n; v++) {
    uint32_t kind = next_random(seed) % 8;
    nodes[v] = (struct weir_lnode){kind < 5   ? WEIR_LNODE_LOAD
                                   : kind < 7 ? WEIR_LNODE_PLAIN
                                              : WEIR_LNODE_SYNC,
                                   next_random(seed) % 2, v};
    if (v + 1 < n) edges[n_edges++] = (struct weir_ledge){v, v + 1, false};
    uint32_t to = next_random(seed) % n;
    if (next_random(seed) % 2 == 0 && v + 1 < n && to != v + 1)
      edges[n_edges++] = (struct weir_ledge){v, to, false};
  }
  if (next_random(seed) % 3 > 0) edges[n_edges++] = (struct weir_ledge){n - 1, 0, true};
  return n_edges;
}

static void random_graphs(void **state) {
  (void)state;
  uint32_t seed = 7, n_pairs = 0, n_round = 0, n_nested = 0;
  for (int round = 0; round < 4000; round++) {
    struct weir_lnode nodes[MOST];
    struct weir_ledge edges[2 * MOST + 1];
    uint32_t n = 2 + next_random(&seed) % (MOST - 2);
    struct weir_load_graph g = {.nodes = nodes, .edges = edges, .n_nodes = n};
    g.n_edges = random_graph(&seed, nodes, edges, n);
    struct slow s = {.g = &g};
    solve(&g, true);
    slow_dominators(&s);
    slow_post_dominators(&s);
    slow_loops(&s);
    for (uint32_t v = 0; v < n; v++) {
      int inner = slow_innermost(&s, v);
      assert_int_equal(g.loop_of[v] == WEIR_NO_LOOP ? -1 : (int)g.loops[g.loop_of[v]].header,
                       inner);
      if (nodes[v].kind != WEIR_LNODE_LOAD) continue;
      for (uint32_t u = 0; u < v; u++) {
        if (nodes[u].kind != WEIR_LNODE_LOAD || nodes[u].array != nodes[v].array) continue;
        bool want = slow_path(&s, u, v) || slow_path(&s, v, u);
        if (has_local(&g, u, v) != want) fail_msg("round %d: loads %u and %u", round, u, v);
        if (want) assert_int_equal(g.group[u], g.group[v]);
        n_pairs += want;
      }
    }
    n_round += g.n_round;
    for (uint32_t l = 0; l < g.n_loops; l++)
      n_nested += g.loops[l].parent != WEIR_NO_LOOP;
    weir_load_graph_free(&g);
  }
  /* The graphs had what the rules are about. */
  assert_true(n_pairs > 1000 && n_round > 100 && n_nested > 100);
}

static int attempt(void) {
  struct weir_load_graph g = {
      .nodes = fixture_nodes, .edges = fixture_edges, .n_nodes = N_FIXTURE, .n_edges = N_EDGES};
  bool ok = weir_load_graph_solve(&g, true, NULL) == WEIR_OK;
  if (ok) weir_load_graph_free(&g);
  return ok;
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(attempt) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixture),        cmocka_unit_test(without_go_round),
      cmocka_unit_test(without_guards), cmocka_unit_test(without_sync),
      cmocka_unit_test(random_graphs),  cmocka_unit_test(without_artificial),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests_name("load_graph", tests, NULL, NULL);
}
