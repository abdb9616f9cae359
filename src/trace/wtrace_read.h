/* What the files of the reader share. */
#ifndef WEIR_TRACE_WTRACE_READ_H
#define WEIR_TRACE_WTRACE_READ_H

#include "trace/wtrace_code.h"

struct wt_group_entry {
  uint64_t at,
      block; /* place in the file; first block that begins in it, or that it goes on with */
  bool is_inside;
};

struct wt_kernel_entry {
  uint64_t at;
  struct weir_wtrace_counts counts;
  uint32_t first_group, n_groups;
};

struct weir_wtrace {
  char *path, *text, *provenance; /* provenance may be NULL */
  int fd;
  bool is_checked;
  uint32_t version;
  uint64_t file_bytes, first_section, index_at, content_bytes;
  struct weir_event *events;
  struct wt_kernel_entry *kernels;
  struct wt_group_entry *groups;
  uint32_t n_events, n_kernels, n_groups;
};

/* A section in memory. Parts lie one after the other in `raw`, each followed by WT_SLACK zeros. */
struct wt_section {
  uint8_t *stored, *raw;
  size_t cap_stored, cap_raw;
  uint64_t at, bytes; /* place in the file, size with head */
  uint8_t kind;
  unsigned n_parts;
  const uint8_t *part[WT_N_PARTS];
  size_t n[WT_N_PARTS];
};

/* Reads the section at `at`, checks it, and unpacks it if it is of `kind` (0: any kind, not
 * unpacked). `what` names it in messages. */
enum weir_status wt_section_read(const struct weir_wtrace *t, struct wt_section *s, uint64_t at,
                                 uint8_t kind, const char *what, struct weir_err *err);
void wt_section_free(struct wt_section *s);

/* "FILE: WHAT (section at byte N): WHY". */
enum weir_status wt_damaged(const struct weir_wtrace *t, uint64_t at, const char *what,
                            struct weir_err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
enum weir_status wt_read_at(const struct weir_wtrace *t, uint64_t at, void *bytes, size_t n,
                            struct weir_err *err);
/* Goes through all sections up to the index and the provenance after it, or the end of the file,
 * and names the first that is incomplete or damaged. *end: of the last; *has_index: there is one.
 */
enum weir_status wt_scan(const struct weir_wtrace *t, uint64_t *end, bool *has_index,
                         struct weir_err *err);

#endif
