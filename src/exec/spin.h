/* Launches that wait: what their warps look at again and again, and what they see there.
 *
 * A warp spins if in one stretch of time after another it makes the same loads and finds the same
 * values, while nobody stores. To find that out, its micro-operations are exchanged for ones that
 * watch; at other times loads cost nothing more.
 *
 * Memory that the host uses as well may change at any moment. In a launch that can be parked such a
 * word, once looked at (by a load that asks for the newest value), is frozen: until the kernel
 * itself stores there, or is parked and goes on, it stays as it was. So what a kernel executes does
 * not depend on when exactly the host wrote. */
#ifndef WEIR_EXEC_SPIN_H
#define WEIR_EXEC_SPIN_H

#include "exec/core.h"
#include "exec/sync.h"

struct ptx_spin {
  const struct ptx_uop *plain;   /* the launch's micro-operations as they are otherwise */
  struct ptx_uop *observing;     /* those that freeze words; NULL: the launch cannot be parked */
  struct ptx_uop *watching;      /* all that load or store */
  struct ptx_words frozen;       /* a hash table; `cap` a power of two */
  uint64_t frozen_lo, frozen_hi; /* its lowest address, and its highest */
  struct ptx_words seen;         /* what loads saw while `is_recording`, in any order */
  bool is_checking, is_recording, is_out_of_memory;
  bool is_cut;    /* there was more than could be recorded */
  bool is_stored; /* to a frozen word: who sleeps on one has to look */
};

/* `freezes`: of a launch that can be parked. False: out of memory. */
bool ptx_spin_init(struct ptx_spin *s, const struct ptx_program *prog, const struct ptx_uop *plain,
                   ptx_fn watch, bool freezes);
void ptx_spin_free(struct ptx_spin *s);
/* Which micro-operations warps execute now. */
static inline const struct ptx_uop *ptx_spin_code(const struct ptx_spin *s) {
  return s->is_checking ? s->watching : s->observing != NULL ? s->observing : s->plain;
}

/* What the watching handler does before and after an access; `addr` holds its lanes' addresses.
 * While loads are checked, a store that changes nothing is none. */
struct ptx_spin_before {
  uint64_t bytes; /* that are stored to, as a hash */
  bool is_stored, is_known;
};
struct ptx_spin_before ptx_spin_before(const struct ptx_warp *w, const struct ptx_uop *u,
                                       uint32_t mask, const uint64_t *addr);
void ptx_spin_note(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask, const uint64_t *addr,
                   const struct ptx_spin_before *before);

/* What loads see from now on is recorded, or no more. */
static inline void ptx_spin_record(struct ptx_spin *s, bool on) {
  s->is_recording = on;
  if (!on) return;
  s->is_cut = false;
  s->seen.n = 0;
}
/* Words are looked at anew. */
void ptx_spin_thaw(struct ptx_spin *s);
/* Takes what was recorded of global memory, once each, or if nothing was, what is frozen. */
void ptx_spin_take(struct ptx_spin *s, struct ptx_words *out);
/* Has one of these changed in memory? */
bool ptx_words_changed(const struct ptx_words *words, const struct ptx_mem *mem);
/* The warp sleeps on what was recorded, if that is little enough to be looked at every time. */
bool ptx_spin_sleep(struct ptx_spin *s, struct ptx_warp *w);
/* Has a word changed that the warp sleeps on? Frozen ones do not. */
bool ptx_spin_wakes(const struct ptx_warp *w);
/* Can the instruction see something that is not recorded? */
static inline bool ptx_spin_is_blind(const struct ptx_uop *u) {
  return (u->kind == PTX_K_MEM && u->watch == 0 && u->h != PTX_H_ldparam) ||
         u->kind == PTX_K_BUILTIN || (u->kind == PTX_K_SYNC && ptx_sync_is_matrix(u->aux));
}

/* The state of a warp that loads from memory do not hold: registers, and where its lanes are. */
uint64_t ptx_warp_state(const struct ptx_warp *w);

#endif
