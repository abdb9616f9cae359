/* Kernels of warp-wide instructions, barriers and control flow. */
#include <string.h>

#include "maker.h"

/* ---- member masks ---- */

enum members { ALL, LOW_HALF, EVEN_ODD };
static const char *const member_use[] = {NULL, "low-half", "even-odd"};

/* Places an instruction, to which its mask is still to be added, so that exactly its members
 * execute it: everyone, lanes 0 to 15 while the others branch around it, or two disjoint groups at
 * two places. */
static void place(struct maker *m, enum members who, const char *insn) {
  struct reg p = mk_reg(m, PTX_T_pred), l = mk_reg(m, PTX_T_u32);
  mk_line(m, "mov.u32 %s, %%laneid;", l.name);
  if (who == ALL) {
    mk_line(m, "%s, -1;", insn);
  } else if (who == LOW_HALF) {
    mk_line(m, "setp.ge.u32 %s, %s, 16;", p.name, l.name);
    mk_line(m, "@%s bra SKIP;", p.name);
    mk_line(m, "%s, 65535;", insn);
    mk_line(m, "SKIP:");
  } else {
    mk_line(m, "and.b32 %s, %s, 1;", l.name, l.name);
    mk_line(m, "setp.ne.u32 %s, %s, 0;", p.name, l.name);
    mk_line(m, "@%s bra ODD;", p.name);
    mk_line(m, "%s, 0x55555555;", insn);
    mk_line(m, "bra JOIN;");
    mk_line(m, "ODD:");
    mk_line(m, "%s, 0xaaaaaaaa;", insn);
    mk_line(m, "JOIN:");
  }
}

static void zero(struct maker *m, enum ptx_type t, struct reg r) {
  if (t == PTX_T_pred)
    mk_line(m, "setp.ne.u32 %s, 0, 0;", r.name);
  else
    mk_line(m, "mov.b32 %s, 0;", r.name);
}

static void shfl(struct maker *m, enum members who) {
  bool sync = mk_has(m, PTX_M_sync), up = mk_has(m, PTX_M_up);
  char insn[256];
  mk_begin(m, member_use[who]);
  if (m->v) {
    m->v->old_target = !sync;
    m->v->n_cases = 2 * TRUTH_BLOCK;
  }
  struct reg a = mk_in(m, PTX_T_b32, TK_B32), b = mk_in(m, PTX_T_u32, TK_LANE),
             c = mk_in(m, PTX_T_u32, TK_SEGMENT);
  struct reg d = mk_reg(m, PTX_T_b32), p = mk_reg(m, PTX_T_pred);
  /* Members must not read lanes outside: segments of 16. */
  if (who == LOW_HALF) mk_line(m, "mov.u32 %s, %s;", c.name, up ? "0x1000" : "0x101f");
  zero(m, PTX_T_b32, d);
  zero(m, PTX_T_pred, p);
  snprintf(insn, sizeof insn, "%s %s|%s, %s, %s, %s", m->opcode, d.name, p.name, a.name, b.name,
           c.name);
  if (sync)
    place(m, who, insn);
  else
    mk_line(m, "%s;", insn);
  mk_out(m, PTX_T_b32, d);
  mk_out(m, PTX_T_pred, p);
  mk_end(m);
}

/* vote, match, redux: one source, one or two results. Predicates come from few values, so that some
 * warps agree. */
static void collective(struct maker *m, enum members who) {
  bool sync = mk_has(m, PTX_M_sync), vote = m->form->op == PTX_OP_vote;
  bool all = m->form->op == PTX_OP_match && mk_has(m, PTX_M_all);
  enum ptx_type t = vote ? PTX_T_pred : ptx_insn_type(&m->insn, 0);
  enum ptx_type dt = vote && !mk_has(m, PTX_M_ballot) ? PTX_T_pred
                     : m->form->op == PTX_OP_redux    ? t
                                                      : PTX_T_b32;
  char insn[256], dst[32];
  mk_begin(m, member_use[who]);
  if (m->v) {
    m->v->old_target = !sync;
    m->v->n_cases = 2 * TRUTH_BLOCK;
  }
  struct reg a;
  if (vote) { /* TK_CLASS has a warp of equal values */
    struct reg x = mk_in(m, PTX_T_u32, TK_CLASS), w = mk_reg(m, PTX_T_u32);
    a = mk_reg(m, PTX_T_pred);
    mk_line(m, "shr.u32 %s, %%ci, 5;", w.name);
    mk_line(m, "and.b32 %s, %s, 4;", w.name, w.name);
    mk_line(m, "setp.ne.u32 %s, %s, 5;", a.name, x.name);
    mk_line(m, "setp.eq.or.u32 %s, %s, 4, %s;", a.name, w.name, a.name);
  } else {
    a = mk_in(m, t, m->form->op == PTX_OP_match ? TK_CLASS : mk_kind(t));
  }
  struct reg d = mk_reg(m, dt), p = mk_reg(m, PTX_T_pred);
  zero(m, dt, d);
  zero(m, PTX_T_pred, p);
  snprintf(dst, sizeof dst, all ? "%s|%s" : "%s", d.name, p.name);
  if (sync) {
    snprintf(insn, sizeof insn, "%s %s, %s", m->opcode, dst, a.name);
    place(m, who, insn);
  } else {
    mk_line(m, "%s %s, %s;", m->opcode, dst, a.name);
  }
  mk_out(m, dt, d);
  if (all) mk_out(m, PTX_T_pred, p);
  mk_end(m);
}

static void elect(struct maker *m, enum members who) {
  char insn[256];
  mk_begin(m, member_use[who]);
  struct reg d = mk_reg(m, PTX_T_b32), p = mk_reg(m, PTX_T_pred);
  zero(m, PTX_T_b32, d);
  zero(m, PTX_T_pred, p);
  snprintf(insn, sizeof insn, "%s %s|%s", m->opcode, d.name, p.name);
  place(m, who, insn);
  mk_out(m, PTX_T_b32, d);
  mk_out(m, PTX_T_pred, p);
  mk_end(m);
}

static void activemask(struct maker *m) {
  mk_begin(m, NULL);
  struct reg d = mk_reg(m, PTX_T_b32);
  mk_line(m, "%s %s;", m->opcode, d.name);
  mk_out(m, PTX_T_b32, d);
  mk_end(m);
}

void mk_warp(struct maker *m) {
  if (m->form->op == PTX_OP_activemask) {
    activemask(m);
    return;
  }
  for (enum members who = ALL; who <= EVEN_ODD; who++) {
    bool is_shfl = m->form->op == PTX_OP_shfl;
    if (who != ALL && !mk_has(m, PTX_M_sync)) break;
    if (is_shfl && who == EVEN_ODD) break;
    if (is_shfl)
      shfl(m, who);
    else if (m->form->op == PTX_OP_elect)
      elect(m, who);
    else
      collective(m, who);
  }
}

/* ---- mbarrier ---- */

/* Threads write to shared memory, arrive, and read what another one wrote when the phase is
 * complete: whoever waits does so by state or by parity, with the instruction of the variant where
 * it is one that waits, and arrives with it where it is one that arrives. Then a second phase, of
 * half of the threads. */
void mk_mbarrier(struct maker *m) {
  bool tests = mk_has(m, PTX_M_test_wait) || mk_has(m, PTX_M_try_wait);
  bool parity = mk_has(m, PTX_M_parity), drop = mk_has(m, PTX_M_arrive_drop);
  bool is_copy = m->form->op == PTX_OP_cp; /* the barrier waits for copies */
  bool arrives = drop || (mk_has(m, PTX_M_arrive) && !is_copy),
       expects = mk_has(m, PTX_M_expect_tx);
  bool generic = !mk_has(m, PTX_M_shared) && !mk_has(m, PTX_M_shared_cta);
  bool no_complete = mk_has(m, PTX_M_noComplete);
  mk_begin(m, NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), mine = mk_reg(m, PTX_T_u64),
             there = mk_reg(m, PTX_T_u64), bar = mk_reg(m, PTX_T_u64), any = mk_reg(m, PTX_T_u64),
             state = mk_reg(m, PTX_T_b64), d = mk_reg(m, PTX_T_u32), n = mk_reg(m, PTX_T_u32),
             first = mk_reg(m, PTX_T_pred), done = mk_reg(m, PTX_T_pred),
             low = mk_reg(m, PTX_T_pred);
  mk_line(m, ".shared .align 16 .b8 sm[512];");
  mk_line(m, ".shared .align 8 .b64 meet;");
  mk_line(m, "mov.u64 %s, sm;", mine.name);
  mk_line(m, "xor.b32 %%ni, %%ti, 77;");
  mk_line(m, "mad.wide.u32 %s, %%ni, 4, %s;", there.name, mine.name);
  mk_line(m, "mad.wide.u32 %s, %%ti, 4, %s;", mine.name, mine.name);
  mk_line(m, "mov.u64 %s, meet;", bar.name);
  mk_line(m, "mov.u64 %s, %s;", any.name, bar.name);
  if (generic) mk_line(m, "cvta.shared.u64 %s, %s;", any.name, any.name);
  mk_line(m, "setp.eq.u32 %s, %%ti, 0;", first.name);
  mk_line(m, "setp.lt.u32 %s, %%ti, 64;", low.name);
  if (mk_has(m, PTX_M_init))
    mk_line(m, "@%s %s [%s], %d;", first.name, m->opcode, any.name, TRUTH_BLOCK);
  else
    mk_line(m, "@%s mbarrier.init.shared.b64 [%s], %d;", first.name, bar.name,
            mk_has(m, PTX_M_noinc) ? 2 * TRUTH_BLOCK : TRUTH_BLOCK);
  mk_line(m, "bar.sync 0;");
  if (is_copy) {
    mk_line(m, "cp.async.ca.shared.global [%s], [%%in], 4;", mine.name);
    mk_line(m, "%s [%s];", m->opcode, any.name);
  } else
    mk_line(m, "st.shared.u32 [%s], %s;", mine.name, x.name);
  if (mk_has(m, PTX_M_expect_tx) && !arrives) mk_line(m, "%s [%s], 16;", m->opcode, any.name);
  if (mk_has(m, PTX_M_complete_tx))
    mk_line(m, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%s], 16;", bar.name);
  if (no_complete) { /* not the last to arrive, so it comes before the others */
    mk_line(m, "@%s %s %s, [%s], 1;", first.name, m->opcode, state.name, any.name);
    mk_line(m, "bar.sync 0;");
    mk_line(m, "@!%s mbarrier.arrive.shared.b64 %s, [%s];", first.name, state.name, bar.name);
  } else if (drop) { /* the upper half takes no part in the second phase */
    mk_line(m, "@%s mbarrier.arrive.shared.b64 %s, [%s];", low.name, state.name, bar.name);
    mk_line(m, "@!%s %s %s, [%s]%s;", low.name, m->opcode, state.name, any.name,
            expects ? ", 16" : "");
    if (expects)
      mk_line(m, "@!%s mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 16;", low.name,
              bar.name);
  } else if (arrives)
    mk_line(m, "%s %s, [%s]%s;", m->opcode, state.name, any.name, expects ? ", 16" : "");
  else
    mk_line(m, "mbarrier.arrive.shared.b64 %s, [%s];", state.name, bar.name);
  if (mk_has(m, PTX_M_complete_tx))
    mk_line(m, "%s [%s], 16;", m->opcode, any.name);
  else if (expects && !drop)
    mk_line(m, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 16;", bar.name);
  mk_line(m, "WAIT:");
  if (tests && parity)
    mk_line(m, "%s %s, [%s], 0;", m->opcode, done.name, any.name);
  else if (tests)
    mk_line(m, "%s %s, [%s], %s;", m->opcode, done.name, any.name, state.name);
  else
    mk_line(m, "mbarrier.test_wait.shared.b64 %s, [%s], %s;", done.name, bar.name, state.name);
  mk_line(m, "@!%s bra WAIT;", done.name);
  mk_line(m, "ld.shared.u32 %s, [%s];", d.name, there.name);
  mk_out(m, PTX_T_u32, d);
  mk_line(m, "bar.sync 0;");
  if (drop && !no_complete) {
    mk_line(m, "@!%s bra END;", low.name);
    mk_line(m, "mbarrier.arrive.shared.b64 %s, [%s];", state.name, bar.name);
    mk_line(m, "AGAIN:");
    mk_line(m, "mbarrier.test_wait.parity.shared.b64 %s, [%s], 1;", done.name, bar.name);
    mk_line(m, "@!%s bra AGAIN;", done.name);
    mk_line(m, "END:");
    mk_line(m, "bar.sync 0;");
  }
  /* Nothing is pending: what the first of the next phase sees. */
  mk_line(m, "mov.u32 %s, 0;", n.name);
  mk_line(m, "@!%s bra LAST;", first.name);
  mk_line(m, "mbarrier.arrive.shared.b64 %s, [%s];", state.name, bar.name);
  mk_line(m, "mbarrier.pending_count.b64 %s, %s;", n.name, state.name);
  mk_line(m, "LAST:");
  mk_out(m, PTX_T_u32, n);
  if (mk_has(m, PTX_M_inval))
    mk_line(m, "bar.sync 0; @%s %s [%s];", first.name, m->opcode, any.name);
  mk_end(m);
}

/* ---- barriers ---- */

/* Threads write to shared memory, meet at the barrier, and read what another one wrote. */
static void exchange(struct maker *m, bool counted, bool arrive) {
  mk_begin(m, counted && !arrive ? "counted" : NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), a = mk_reg(m, PTX_T_u64), b = mk_reg(m, PTX_T_u64),
             d = mk_reg(m, PTX_T_u32);
  struct reg p = mk_reg(m, PTX_T_pred);
  mk_line(m, ".shared .align 16 .b8 sm[512];");
  mk_line(m, "mov.u64 %s, sm;", a.name);
  mk_line(m, "xor.b32 %%ni, %%ti, 96;");
  mk_line(m, "mad.wide.u32 %s, %%ni, 4, %s;", b.name, a.name);
  mk_line(m, "mad.wide.u32 %s, %%ti, 4, %s;", a.name, a.name);
  mk_line(m, "mov.u32 %s, 0;", d.name);
  mk_line(m, "st.volatile.shared.u32 [%s], %s;", a.name, x.name);
  if (mk_has(m, PTX_M_warp)) { /* lanes of one warp */
    mk_line(m, "xor.b32 %%ni, %%ti, 5;");
    mk_line(m, "mov.u64 %s, sm;", b.name);
    mk_line(m, "mad.wide.u32 %s, %%ni, 4, %s;", b.name, b.name);
    mk_line(m, "%s -1;", m->opcode);
  } else if (arrive) { /* warps 0 and 1 arrive, 2 and 3 wait and read */
    mk_line(m, "setp.ge.u32 %s, %%ti, 64;", p.name);
    mk_line(m, "@%s bra WAIT;", p.name);
    mk_line(m, "%s 3, 128;", m->opcode);
    mk_line(m, "bra DONE;");
    mk_line(m, "WAIT:");
    mk_line(m, "bar.sync 3, 128;");
  } else {
    mk_line(m, counted ? "%s 2, 128;" : "%s 2;", m->opcode);
  }
  mk_line(m, "ld.volatile.shared.u32 %s, [%s];", d.name, b.name);
  mk_line(m, "DONE:");
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

static void reduce(struct maker *m, bool counted, bool negated) {
  char use[32];
  snprintf(use, sizeof use, "%s%s%s", counted ? "counted" : "", counted && negated ? "-" : "",
           negated ? "negated" : "");
  bool popc = mk_has(m, PTX_M_popc);
  mk_begin(m, *use ? use : NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_CLASS), p = mk_reg(m, PTX_T_pred),
             d = mk_reg(m, popc ? PTX_T_u32 : PTX_T_pred);
  mk_line(m, "setp.%s.u32 %s, %s, 7;", mk_has(m, PTX_M_and) && counted ? "ne" : "eq", p.name,
          x.name);
  if (popc) mk_line(m, "setp.eq.u32 %s, %s, 5;", p.name, x.name);
  mk_line(m, "%s %s, 1, %s%s%s;", m->opcode, d.name, counted ? "128, " : "", negated ? "!" : "",
          p.name);
  mk_out(m, popc ? PTX_T_u32 : PTX_T_pred, d);
  mk_end(m);
}

void mk_barrier(struct maker *m) {
  if (mk_has(m, PTX_M_red)) {
    for (int i = 0; i < 4; i++)
      reduce(m, i & 1, i & 2);
  } else if (mk_has(m, PTX_M_arrive)) {
    exchange(m, true, true);
  } else {
    exchange(m, false, false);
    if (!mk_has(m, PTX_M_warp)) exchange(m, true, false);
  }
}

/* ---- control flow ---- */

static void branch(struct maker *m) {
  bool uni = mk_has(m, PTX_M_uni);
  mk_begin(m, NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), n = mk_in(m, PTX_T_u32, TK_INDEX5),
             d = mk_reg(m, PTX_T_u32), p = mk_reg(m, PTX_T_pred);
  mk_line(m, "mov.u32 %s, %s;", d.name, x.name);
  if (uni) mk_line(m, "mov.u32 %s, 3;", n.name);
  mk_line(m, "LOOP:");
  mk_line(m, "mad.lo.u32 %s, %s, 5, 1;", d.name, d.name);
  mk_line(m, "setp.eq.u32 %s, %s, 0;", p.name, n.name);
  mk_line(m, "sub.u32 %s, %s, 1;", n.name, n.name);
  mk_line(m, "@!%s %s LOOP;", p.name, m->opcode);
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

static void jump_table(struct maker *m) {
  bool uni = mk_has(m, PTX_M_uni);
  mk_begin(m, NULL);
  struct reg x = mk_in(m, PTX_T_u32, TK_B32), n = mk_in(m, PTX_T_u32, TK_INDEX5),
             d = mk_reg(m, PTX_T_u32);
  if (uni) mk_line(m, "shr.u32 %s, %%ti, 5;", n.name);
  mk_line(m, "mov.u32 %s, %s;", d.name, x.name);
  mk_line(m, "TARGETS: .branchtargets L0, L1, L2, L1, L4;");
  mk_line(m, "%s %s, TARGETS;", m->opcode, n.name);
  mk_line(m, "L0: add.u32 %s, %s, 7; bra DONE;", d.name, d.name);
  mk_line(m, "L1: mul.lo.u32 %s, %s, 3;", d.name, d.name);
  mk_line(m, "L2: not.b32 %s, %s; bra DONE;", d.name, d.name);
  mk_line(m, "L4: brev.b32 %s, %s;", d.name, d.name);
  mk_line(m, "DONE:");
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

/* A function reached from divergent code; `ret` from its middle is the variant of ret. */
static void call(struct maker *m) {
  bool is_ret = m->form->op == PTX_OP_ret, uni = mk_has(m, PTX_M_uni);
  mk_begin(m, NULL);
  fprintf(m->outer,
          ".func (.param .b32 back) fKERNEL(.param .b32 a, .param .b64 b)\n{\n  .reg .b32 "
          "%%r<3>;\n  .reg .b64 %%w;\n"
          "  .reg .pred %%p;\n  ld.param.b32 %%r0, [a];\n  ld.param.b64 %%w, [b];\n  cvt.u32.u64 "
          "%%r1, %%w;\n"
          "  xor.b32 %%r2, %%r0, %%r1;\n  st.param.b32 [back], %%r2;\n  setp.eq.u32 %%p, %%r0, "
          "%s;\n  @%%p %s;\n"
          "  mul.lo.u32 %%r2, %%r2, 3;\n  st.param.b32 [back], %%r2;\n  ret;\n}\n",
          uni ? "77" : "0", is_ret ? m->opcode : "ret");
  struct reg n = mk_in(m, PTX_T_u32, TK_INDEX5), w = mk_in(m, PTX_T_u64, TK_B64),
             d = mk_reg(m, PTX_T_u32);
  struct reg p = mk_reg(m, PTX_T_pred);
  mk_line(m, "mov.u32 %s, 1;", d.name);
  mk_line(m, "setp.eq.u32 %s, %s, %d;", p.name, n.name, uni ? 77 : 2);
  mk_line(m, "@%s bra DONE;", p.name);
  mk_line(m, "{");
  mk_line(m, ".param .b32 pa;");
  mk_line(m, ".param .b64 pb;");
  mk_line(m, ".param .b32 pr;");
  mk_line(m, "st.param.b32 [pa], %s;", n.name);
  mk_line(m, "st.param.b64 [pb], %s;", w.name);
  mk_line(m, "%s (pr), fKERNEL, (pa, pb);", is_ret ? "call" : m->opcode);
  mk_line(m, "ld.param.b32 %s, [pr];", d.name);
  mk_line(m, "}");
  mk_line(m, "DONE:");
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

static void leave(struct maker *m) {
  mk_begin(m, NULL);
  struct reg n = mk_in(m, PTX_T_u32, TK_INDEX5), p = mk_reg(m, PTX_T_pred),
             d = mk_reg(m, PTX_T_u32);
  mk_line(m, "setp.eq.u32 %s, %s, 2;", p.name, n.name);
  mk_line(m, "@%s %s;", p.name, m->opcode);
  mk_line(m, "add.u32 %s, %s, 1;", d.name, n.name);
  mk_out(m, PTX_T_u32, d);
  mk_end(m);
}

void mk_control(struct maker *m) {
  switch ((int)m->form->op) {
  case PTX_OP_bra:
    branch(m);
    break;
  case PTX_OP_brx:
    jump_table(m);
    break;
  case PTX_OP_exit:
    leave(m);
    break;
  default:
    call(m);
    break;
  }
}
