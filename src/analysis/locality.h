/* How a workload uses the L1s, from what they accepted (l1/tape.h): reuse, distances, causes of
 * misses, who evicts whom, footprint. docs/characterize.md has the definitions.
 *
 * References are loads that an L1 could answer. A line that a store ended, and one in an L1 that
 * was emptied, begins anew: its next reference is a first one. A line that a store brought is there
 * for the loads that follow. Everything is counted for the load (static instruction) that it is due
 * to, so that loads add up to kernels, and kernels to the workload. */
#ifndef WEIR_ANALYSIS_LOCALITY_H
#define WEIR_ANALYSIS_LOCALITY_H

#include "analysis/map.h"
#include "l1/tape.h"
#include "machine/machine.h"

/* Bins of distances: 0, 1, 2, up to 4, up to 8, ... up to 2048, more. */
enum { WEIR_DISTANCES = 14, WEIR_FAR = WEIR_DISTANCES - 1 };
uint32_t weir_distance_bin(uint64_t distance);
/* The largest distance of a bin; 0 of WEIR_FAR: there is none. */
uint64_t weir_distance_most(uint32_t bin);

/* What else used a line: a load of the same warp, of another warp of the block, of another block,
 * or of an earlier launch. */
enum weir_between {
  WEIR_SAME_WARP,
  WEIR_SAME_BLOCK,
  WEIR_SAME_LAUNCH,
  WEIR_EARLIER_LAUNCH,
  WEIR_BETWEENS
};

/* What becomes of a reference in an L1 with the lines, sets and hash of the machine's that replaces
 * the least recently used line, when what it misses is there at once. */
enum weir_miss_cause {
  WEIR_NO_MISS,
  WEIR_COMPULSORY, /* the first reference to its line */
  WEIR_BY_A_STORE, /* the first since a store ended the line */
  WEIR_CAPACITY,   /* as many lines anywhere would not do */
  WEIR_CONFLICT,   /* they would */
  WEIR_SECTOR,     /* the line is there, but not all of its sectors */
  WEIR_MISS_CAUSES
};

enum { WEIR_REUSE_COUNTS = 4, WEIR_SIZES = 33, WEIR_CHUNK_COUNTS = 17 };

/* Counters only: sums are made word by word. */
struct weir_locality {
  uint64_t references, past;         /* past: loads that are none, by their own operator */
  uint64_t sectors;                  /* that the references touch */
  uint64_t answered, pending, sent;  /* in the run: had it, joined it, sent for it */
  uint64_t partial;                  /* of those sent: it had the line, not all of its sectors */
  uint64_t lines;                    /* first used by it: since they began */
  uint64_t reuse[WEIR_REUSE_COUNTS]; /* of these, by references of any load: 1, 2, 3, more */
  uint64_t lone;                     /* references without another one to their line */
  uint64_t first;                    /* with no earlier one; the others by distance: */
  uint64_t access[WEIR_DISTANCES];   /* references in between */
  uint64_t stack[WEIR_DISTANCES];    /* places above it in the stack (stack.h) */
  uint64_t needs[WEIR_SIZES];        /* hit with 2^i lines anywhere, not with fewer */
  uint64_t fits;                     /* hit with as many as the L1 has */
  uint64_t after[WEIR_BETWEENS];     /* not first, by who was there before */
  uint64_t after_access[WEIR_BETWEENS][WEIR_DISTANCES];
  uint64_t cause[WEIR_MISS_CAUSES];
  uint64_t evicted;                    /* lines that it brought, and that went for another */
  uint64_t used[WEIR_CHUNK_COUNTS];    /* of these, by sectors that were hit later */
  uint64_t lost[WEIR_BETWEENS];        /* capacity and conflict misses, by who evicted the line */
  uint64_t lost_warps[WEIR_DISTANCES]; /* of the same launch, by distance of the warps' numbers */
  uint64_t opt, opt_chunk;             /* hits of the bounds (l1/opt.h) */
};
void weir_locality_add(struct weir_locality *sum, const struct weir_locality *v);

/* A stretch of a launch on one SM: so many references; those of all SMs and launches added up. */
struct weir_stretch {
  uint64_t n;                 /* that were added up */
  uint64_t references, lines; /* lines: different ones */
  uint64_t fresh;             /* of these, those that the SM sees for the first time at all */
};

struct weir_locality_load {
  uint32_t kernel, insn;
  struct weir_locality of;
};

struct weir_locality_kernel {
  uint32_t warps; /* of a block */
  uint32_t *load; /* of each static instruction: number of the load + 1; 0: none */
  uint32_t n_insns;
  uint64_t launches;
  uint32_t lines_most, lines_least; /* that the L1 had in its launches */
  struct {
    struct weir_stretch *v;
    size_t n, cap;
  } stretches;
};

/* Capacity and conflict misses of a load on lines that another load, or itself, had evicted. */
struct weir_eviction {
  uint32_t by, of; /* loads */
  uint64_t n[WEIR_BETWEENS];
};

struct weir_sm_locality;
struct weir_locality_set {
  const struct weir_machine *machine;
  uint32_t stretch; /* references */
  struct {
    struct weir_locality_load *v;
    size_t n, cap;
  } loads;
  struct {
    struct weir_locality_kernel *v;
    size_t n, cap;
  } kernels;
  struct {
    uint32_t *v; /* kernel */
    size_t n, cap;
  } launches;
  struct {
    struct weir_eviction *v;
    size_t n, cap;
  } evictions;
  struct weir_sm_locality *sms;
  uint32_t n_sms;
  struct weir_map pairs; /* of loads: number in evictions */
};

/* `stretch`: references of one, at least 1. The machine outlives it. After a failure it is to be
 * freed, too. */
enum weir_status weir_locality_begin(struct weir_locality_set *s, const struct weir_machine *m,
                                     uint32_t stretch, struct weir_err *err);
void weir_locality_free(struct weir_locality_set *s);
/* Before tapes have it: the next launch is one of kernel k (numbers begin with 0, without gaps). */
enum weir_status weir_locality_launch(struct weir_locality_set *s, uint32_t kernel,
                                      uint32_t n_insns, uint32_t warps, struct weir_err *err);
/* What an SM's L1 accepted since the last time; each launch of it is known. */
enum weir_status weir_locality_tape(struct weir_locality_set *s, uint32_t sm,
                                    const struct weir_tape *t, struct weir_err *err);

/* ---- what follows ---- */

/* Of a kernel, or with kernel UINT32_MAX of all. */
void weir_locality_sum(const struct weir_locality_set *s, uint32_t kernel,
                       struct weir_locality *sum);
/* Hits with so many lines anywhere, a power of two. */
uint64_t weir_locality_hits(const struct weir_locality *v, uint32_t log2_lines);

#endif
