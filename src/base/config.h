/* YAML, flattened: a list of `path = text @file:line:col` in the order of the file. Values stay
 * text; whoever reads one gives it its type. Every reader marks what it used, and what nobody used
 * is an error.
 *
 * The list is a tree in pre-order: the children of entry i start at i + 1, and `end` is the first
 * entry after its subtree, so the next sibling of i is entry[i].end. Entry 0 is the top-level map
 * and has no key.
 *
 * Accepted: one document, block and flow style, comments, all scalar styles. Refused with a
 * message: anchors, aliases, tags, several documents, duplicate keys, keys that are not plain
 * names, a NUL inside a value, nesting beyond WEIR_CONFIG_DEPTH, more entries or bytes than the
 * limits below. Files of settings may have keys with dots ("l1.size: 32K"); such a key is one
 * entry, whose path is the same as that of nested ones. Where the reader knows what to do with
 * them, scalars may have a tag of one word ("count: !paper 15"). */
#ifndef WEIR_BASE_CONFIG_H
#define WEIR_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "weir/err.h"

enum {
  WEIR_CONFIG_DEPTH = 32,
  WEIR_CONFIG_BYTES = 16 << 20,
  WEIR_CONFIG_ENTRIES = 1 << 20,
  WEIR_CONFIG_KEY = 128,  /* bytes in one key */
  WEIR_CONFIG_PATH = 5120 /* enough for any path, with its NUL */
};

enum weir_node { WEIR_SCALAR, WEIR_MAP, WEIR_SEQ };

struct weir_entry {
  const char *key;  /* name within its map; NULL for an element of a sequence and for the top */
  const char *text; /* of a scalar, untouched; "" for a map or sequence */
  const char *tag;  /* of a scalar, without its '!'; NULL: none */
  enum weir_node kind;
  bool quoted; /* the scalar stood in quotes or was a block text: it was not meant as a number or a
                  name */
  bool used;
  uint32_t parent, end, index; /* index: position among its siblings */
  uint32_t line, col, width;   /* of the value */
  uint32_t key_line, key_col;
};

struct weir_config {
  const char *file; /* as given, for messages */
  const char *source;
  size_t source_len;
  struct weir_entry *entry;
  uint32_t n;
  /* private */
  struct weir_arena arena;
  uint32_t *slot; /* hash of (parent, key) to entry, 0 = free */
  uint32_t n_slots;
};

/* Parse `len` bytes that came from `file` (a name for messages). Both are copied. On failure *c is
 * empty. */
enum weir_status weir_config_parse(struct weir_config *c, const char *file, const char *text,
                                   size_t len, struct weir_err *err);
enum weir_status weir_config_load(struct weir_config *c, const char *path, struct weir_err *err);
/* The same for files of settings, whose keys may have dots. */
enum weir_status weir_config_parse_settings(struct weir_config *c, const char *file,
                                            const char *text, size_t len, struct weir_err *err);
enum weir_status weir_config_load_settings(struct weir_config *c, const char *path,
                                           struct weir_err *err);
/* One whose values may have tags, too. */
enum weir_status weir_config_load_tagged(struct weir_config *c, const char *path,
                                         struct weir_err *err);
/* One whose keys are names that people gave: with blanks and dots. */
enum weir_status weir_config_load_named(struct weir_config *c, const char *path,
                                        struct weir_err *err);
void weir_config_free(struct weir_config *c);

/* Walk. Entries are named by their index; 0 (the top, nobody's child) means "none". All mark what
 * they return as used. */
uint32_t weir_config_find(struct weir_config *c, uint32_t parent,
                          const char *key); /* child of a map */
uint32_t weir_config_first(struct weir_config *c,
                           uint32_t parent);                  /* first child of a map or sequence */
uint32_t weir_config_next(struct weir_config *c, uint32_t i); /* next sibling */
uint32_t weir_config_count(const struct weir_config *c, uint32_t parent); /* children */
/* "launches[0].grid[1]", from the top. */
uint32_t weir_config_at(struct weir_config *c, const char *path);
/* Text of the scalar at a path, or NULL when it is missing or not a scalar. */
const char *weir_config_get(struct weir_config *c, const char *path);

/* Demands, for readers that need one kind. Child `key` of map `parent`: absent is an error when
 * `required`, else *out = 0. */
enum weir_status weir_config_child(struct weir_config *c, uint32_t parent, const char *key,
                                   enum weir_node kind, bool required, uint32_t *out,
                                   struct weir_err *err);
enum weir_status weir_config_want(const struct weir_config *c, uint32_t i, enum weir_node kind,
                                  struct weir_err *err);
/* Whole number, K/M/G allowed, within lo..hi. */
enum weir_status weir_config_int(const struct weir_config *c, uint32_t i, int64_t lo, int64_t hi,
                                 int64_t *out, struct weir_err *err);
enum weir_status weir_config_real(const struct weir_config *c, uint32_t i, double *out,
                                  struct weir_err *err);

/* Mark a whole subtree, for parts that are kept for others. */
void weir_config_use_all(struct weir_config *c, uint32_t i);
/* A key of `parent` that is in none of `names` is an error, with the nearest name. */
enum weir_status weir_config_only(const struct weir_config *c, uint32_t parent,
                                  const char *const *names, size_t n, struct weir_err *err);
/* Anything that was never used is an error (the first is named; `names`, n known names to suggest
 * from, may be NULL, 0). */
enum weir_status weir_config_unused(const struct weir_config *c, const char *const *names, size_t n,
                                    struct weir_err *err);

/* Path of an entry into `buf` (WEIR_CONFIG_PATH bytes always suffice). Returns `buf`. */
const char *weir_config_path(const struct weir_config *c, uint32_t i, char *buf, size_t len);
struct weir_where weir_config_where(const struct weir_config *c, uint32_t i); /* of the value */
struct weir_where weir_config_key_where(const struct weir_config *c,
                                        uint32_t i); /* of the key; of the value if it has none */
/* Error at an entry: "file:line:col: path: message", with the line and a caret. */
enum weir_status weir_config_fail(const struct weir_config *c, uint32_t i, enum weir_status code,
                                  struct weir_err *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
