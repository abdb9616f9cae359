/* What a compiler says about the loads of kernels: use the L1 (ca), bypass it (cg), or as their
 * block does (cm). By kernel and instruction; kept in files that people can read and change. */
#ifndef WEIR_SESSION_TAGS_H
#define WEIR_SESSION_TAGS_H

#include "base/text.h"
#include "stream/stream.h"
#include "weir/policy.h"

struct weir_tags;

enum { WEIR_TAGS_KERNELS = 4096, WEIR_TAGS_INSNS = 1 << 24 }; /* most; instructions of a kernel */

enum weir_status weir_tags_new(struct weir_tags **out);
void weir_tags_free(struct weir_tags *t);

/* The tag of an instruction; the last one wins. `line` is a line of the source, for readers; 0: not
 * known. WEIR_TAG_NONE: the kernel is known, and this instruction has no tag. */
enum weir_status weir_tags_put(struct weir_tags *t, const char *kernel, uint32_t insn, uint64_t pc,
                               uint32_t line, enum weir_tag tag);
/* Loads of a source line, "spmv.cu:12", of whatever kernel bypass the L1, whatever else is said of
 * them. */
enum weir_status weir_tags_bypass(struct weir_tags *t, const char *line, struct weir_err *err);
/* Every line that was to be bypassed has had a load, in one of the kernels that were matched. NULL
 * is fine. */
enum weir_status weir_tags_check_used(const struct weir_tags *t, struct weir_err *err);
/* A kernel, of whose loads none need have a tag. */
enum weir_status weir_tags_kernel(struct weir_tags *t, const char *kernel);
/* An enum weir_tag for each of `n_insns` instructions, valid until the next call with this table;
 * NULL: the kernel has none (or no memory). Instructions from n_insns on are left out. */
const uint8_t *weir_tags_find(const struct weir_tags *t, const char *kernel, uint32_t n_insns);
/* The same for a kernel that is about to run, a `tags` hook of struct weir_sim_options: `self` is
 * the table. A tag of something that is not a global load of this kernel is an error. *tags NULL:
 * the table does not know the kernel. */
enum weir_status weir_tags_match(const void *self, const struct weir_kernel_info *k,
                                 const uint8_t **tags, struct weir_err *err);

/* Can an access of this instruction be a load from global memory? */
bool weir_is_global_load(const struct weir_static *s);
const char *weir_tag_name(enum weir_tag tag); /* "ca"; "none" */

enum weir_status weir_tags_parse(struct weir_tags **out, const char *file, const char *text,
                                 size_t len, struct weir_err *err);
enum weir_status weir_tags_load(struct weir_tags **out, const char *path, struct weir_err *err);
/* As a file has them. `about` says where they come from; may be NULL. */
void weir_tags_text(const struct weir_tags *t, const char *about, struct weir_text *out);
enum weir_status weir_tags_save(const struct weir_tags *t, const char *path, const char *about,
                                struct weir_err *err);

#endif
