/* Lines of a source whose loads get a tag: FILE.cu:12. A file is known by the end of its path. */
#ifndef WEIR_SESSION_TAG_LINES_H
#define WEIR_SESSION_TAG_LINES_H

#include "base/text.h"
#include "stream/stream.h"
#include "weir/policy.h"

struct weir_tag_line {
  char *file;
  uint32_t line, at; /* at: line of the file that it was read from; 0: none */
  uint8_t tag;
  bool is_used; /* a kernel has had a load there */
};

struct weir_tag_lines {
  struct {
    struct weir_tag_line *v;
    size_t n, cap;
  } want;
  struct {
    struct weir_source_line {
      char *file;
      uint32_t line;
    } * v;
    size_t n, cap;
  } seen; /* lines with loads, of the kernels until now */
};

void weir_tag_lines_free(struct weir_tag_lines *l);
/* WEIR_EPARSE: `text` is not FILE:LINE; WEIR_ENOMEM. */
enum weir_status weir_tag_lines_add(struct weir_tag_lines *l, const char *text, uint32_t at,
                                    enum weir_tag tag);
/* Gives the global loads of those lines their tag, or only those that have none yet. False: out of
 * memory. */
bool weir_tag_lines_put(struct weir_tag_lines *l, const struct weir_kernel_info *k,
                        bool only_untagged, uint8_t *tags);
/* One that no kernel has had a load in; NULL: there is none. */
const struct weir_tag_line *weir_tag_lines_unused(const struct weir_tag_lines *l);
/* Why it is wrong, after `where`, and the nearest lines that have loads. */
enum weir_status weir_tag_line_fail(const struct weir_tag_lines *l, const struct weir_tag_line *w,
                                    const char *where, struct weir_err *err);

#endif
