/* Shared by the files that read launch files; see launchfile.h for the result. */
#ifndef WEIR_LAUNCH_LAUNCHFILE_LOAD_H
#define WEIR_LAUNCH_LAUNCHFILE_LOAD_H

#include "launch/launchfile.h"

#define TRY(call)                                                                                  \
  do {                                                                                             \
    enum weir_status try_status = (call);                                                          \
    if (try_status != WEIR_OK) return try_status;                                                  \
  } while (0)
/* Memory in the file's arena; never NULL. */
#define NEW(v, n)                                                                                  \
  do {                                                                                             \
    (v) = weir_arena_array(l->arena, (n) ? (n) : 1, sizeof *(v));                                  \
    if (!(v)) return weir_lf_no_memory(l);                                                         \
  } while (0)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct loader {
  struct weir_launchfile *lf;
  struct weir_config *c;
  struct weir_arena *arena;
  struct weir_err *err;
  struct {
    struct weir_expr_name *v;
    size_t n, cap;
  } vars;
  struct weir_lf_buffer *buffers;
  uint32_t n_buffers;
  struct weir_lf_texture *textures;
  uint32_t n_textures;
  uint32_t build, registers; /* entries of the chosen build and of its registers; 0: none */
  struct weir_expr_scope launch_scope, args_scope;
  struct weir_expr_name *formula_names;
};

static inline const struct weir_entry *entry(const struct loader *l, uint32_t i) {
  return &l->c->entry[i];
}

enum weir_status weir_lf_no_memory(struct loader *l);
enum weir_status weir_lf_limit_count(struct loader *l, uint32_t i, uint32_t limit,
                                     const char *what);
/* Can the key of entry i name a `what`? */
enum weir_status weir_lf_check_name(struct loader *l, uint32_t i, const char *what);
enum weir_status weir_lf_expr(struct loader *l, uint32_t i, const struct weir_expr_scope *scope,
                              const struct weir_expr **out);
/* An integer expression, not yet run. */
enum weir_status weir_lf_int_expr(struct loader *l, uint32_t i, const struct weir_expr_scope *scope,
                                  const struct weir_expr **out);
/* A value of variables only. */
enum weir_status weir_lf_value(struct loader *l, uint32_t i, struct weir_value *out);
enum weir_status weir_lf_int(struct loader *l, uint32_t i, int64_t lo, int64_t hi, int64_t *out);
/* `key` of a map, true or false; false if it is not there. */
enum weir_status weir_lf_flag(struct loader *l, uint32_t map, const char *key, bool *out);
enum weir_status weir_lf_buffer_ref(struct loader *l, const char *name,
                                    const struct weir_where *where, uint32_t *out);
/* A file that will be read later: it must be there, and if it is not compressed, of the right size
 * (`bytes` 0: any). "$input" in its name is the chosen input. */
enum weir_status weir_lf_path(struct loader *l, uint32_t i, uint64_t bytes, const char **out);
enum weir_status weir_lf_contents(struct loader *l, uint32_t i, enum weir_contents_kind kind,
                                  const struct weir_lf_buffer *b, uint32_t seed,
                                  struct weir_contents *out);
/* The one key of `map` that says what the elements are. */
enum weir_status weir_lf_find_contents(struct loader *l, uint32_t map, const char *choices,
                                       uint32_t *at, enum weir_contents_kind *kind);
/* Version, name, what it is, sets, origin. */
enum weir_status weir_lf_head(struct loader *l);
/* INPUT, INPUT@BUILD, @BUILD or NULL: which input (its entry, 0 if the file has none) and build. */
enum weir_status weir_lf_choose(struct loader *l, const char *wanted, uint32_t *input);
enum weir_status weir_lf_modules(struct loader *l);
/* What the chosen build says of the launches. */
enum weir_status weir_lf_build_registers(struct loader *l, struct weir_lf_launch *v, uint32_t n);
enum weir_status weir_lf_textures(struct loader *l);
enum weir_status weir_lf_launches(struct loader *l);
enum weir_status weir_lf_expects(struct loader *l);

#endif
