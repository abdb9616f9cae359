/* Warp-wide exchanges and block barriers: how their micro-operations are laid out. */
#ifndef WEIR_EXEC_SYNC_H
#define WEIR_EXEC_SYNC_H

#include <stdbool.h>

/* aux of PTX_K_SYNC */
enum ptx_sync {
  PTX_SYNC_BARRIER,
  PTX_SYNC_SHFL_UP,
  PTX_SYNC_SHFL_DOWN,
  PTX_SYNC_SHFL_BFLY,
  PTX_SYNC_SHFL_IDX,
  PTX_SYNC_VOTE_ALL,
  PTX_SYNC_VOTE_ANY,
  PTX_SYNC_VOTE_UNI,
  PTX_SYNC_VOTE_BALLOT,
  PTX_SYNC_MATCH_ANY,
  PTX_SYNC_MATCH_ALL,
  PTX_SYNC_RED_ADD,
  PTX_SYNC_RED_MIN,
  PTX_SYNC_RED_MAX,
  PTX_SYNC_RED_AND,
  PTX_SYNC_RED_OR,
  PTX_SYNC_RED_XOR,
  PTX_SYNC_ELECT,
  PTX_SYNC_MATRIX,    /* all lanes: the handler is called once for all of them; x.matrix */
  PTX_SYNC_MATRIX_MEM /* likewise; it writes the stream's record itself */
};
static inline bool ptx_sync_is_matrix(unsigned aux) {
  return aux >= PTX_SYNC_MATRIX;
}
/* x.list of PTX_K_SYNC: slots of the member mask (UINT32_MAX = the lanes that are here) and of the
 * second destination */
enum { PTX_SYNC_MEMBERS, PTX_SYNC_PRED, PTX_SYNC_SLOTS };

/* aux of PTX_H_mbarrier */
enum ptx_mbarrier {
  PTX_MB_INIT,
  PTX_MB_INVAL,
  PTX_MB_ARRIVE,
  PTX_MB_EXPECT, /* more bytes to wait for */
  PTX_MB_COMPLETE,
  PTX_MB_ARRIVE_EXPECT,
  PTX_MB_TEST,  /* by the state that an arrival gave */
  PTX_MB_PARITY /* by the parity of the phase */
};

/* aux of PTX_K_BAR */
enum ptx_bar_op { PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_POPC, PTX_BAR_AND, PTX_BAR_OR };
/* Why a barrier is refused. */
enum ptx_bar_fault {
  PTX_BAR_COUNT,  /* not a number of whole warps */
  PTX_BAR_LANES,  /* lanes of a warp name different barriers, or numbers of threads */
  PTX_BAR_COUNTS, /* warps name different numbers of threads */
  PTX_BAR_KINDS   /* some warps reduce, others do not or otherwise */
};

#endif
