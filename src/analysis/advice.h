/* What to do about a workload, by rules with thresholds (docs/characterize.md lists them). Each
 * piece of advice comes with the numbers that it rests on. */
#ifndef WEIR_ANALYSIS_ADVICE_H
#define WEIR_ANALYSIS_ADVICE_H

#include "analysis/sites.h"

enum weir_advice_kind {
  WEIR_ADVICE_STREAMS,    /* v: share of references that are alone */
  WEIR_ADVICE_SPARSE,     /* v: sectors of a reference; sectors of a line; share that misses */
  WEIR_ADVICE_POLLUTES,   /* `load` streams, and evicts lines of `other`. v: share of the latter's
                             references that it costs */
  WEIR_ADVICE_EACH_OTHER, /* v: misses of `load` by `other`; of `other` by `load` */
  WEIR_ADVICE_SIZE, /* v: lines that have most; share of hits with these; with the L1's (anywhere);
                       lines with half of the gain, or the same; share of hits with these */
  WEIR_ADVICE_CONFLICTS,   /* v: share of references */
  WEIR_ADVICE_SECTORS,     /* v: share of references whose line is there, and not the sector */
  WEIR_ADVICE_WARP_AGAIN,  /* v: share of references; nine of ten within so many references (0: more
                              than the last bin) */
  WEIR_ADVICE_BLOCK_AGAIN, /* the same for other warps of the block */
  WEIR_ADVICE_WARPS,       /* v: share of references that miss for other warps; of all lost ones */
  WEIR_ADVICE_BOUND,       /* v: hits of the run, of the bound; shares */
  WEIR_ADVICE_ENOUGH,      /* the same, close together */
  WEIR_ADVICE_KINDS
};

/* Thresholds: shares of 1, unless a name says otherwise. */
#define WEIR_ADVICE_LEAST       0.01 /* of all references: what concerns fewer is not worth a word */
#define WEIR_ADVICE_LONE        0.95 /* STREAMS: of a load's references */
#define WEIR_ADVICE_SPARSE_PART 0.5  /* SPARSE: of a line that is read; and of what misses */
#define WEIR_ADVICE_HURT        0.05 /* POLLUTES, EACH_OTHER: of the references of those it hurts */
#define WEIR_ADVICE_FIT         0.9  /* SIZE: of all reuse; the L1 has less */
#define WEIR_ADVICE_GAIN        0.05 /* SIZE, BOUND: of all references, more hits than now */
#define WEIR_ADVICE_CONFLICT    0.05 /* CONFLICTS: of references */
#define WEIR_ADVICE_PARTIAL     0.05 /* SECTORS: of references */
#define WEIR_ADVICE_AGAIN       0.3  /* WARP_AGAIN, BLOCK_AGAIN: of references */
#define WEIR_ADVICE_MISSED      0.1  /* WARPS: of references */
#define WEIR_ADVICE_OTHERS      0.7  /* WARPS: of lost lines, those that other warps took */
#define WEIR_ADVICE_CLOSE       0.02 /* ENOUGH: of all references, to the bound at most */
#define WEIR_ADVICE_SOME        0.05 /* ENOUGH: of all references, hits of the bound */
enum { WEIR_ADVICE_MOST = 10 };

struct weir_advice {
  enum weir_advice_kind kind;
  uint32_t kernel;      /* UINT32_MAX: the whole workload */
  uint32_t load, other; /* sites; UINT32_MAX: none */
  uint64_t concerned;   /* references that would be better off, or that it is about */
  double v[5];
};

struct weir_advices {
  struct weir_advice v[WEIR_ADVICE_MOST];
  uint32_t n, n_found; /* found: n and those that were left out */
};

/* By the number of references concerned, most first. False: no memory. */
bool weir_advise(const struct weir_sites *s, struct weir_advices *out);

/* The smallest bin that nine of ten are in, or below. */
uint32_t weir_most_within(const uint64_t bins[WEIR_DISTANCES]);

#endif
