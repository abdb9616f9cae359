/* Files of tags: what is read can be written, read again and is the same; tables have the length
 * that was asked for. */
#include <string.h>

#include "fuzz.h"
#include "session/tags.h"

enum { INSNS = 64 };

static void find_all(const struct weir_tags *t) {
  static const char *const names[] = {"k", "spmv", "", "a b"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const uint8_t *v = weir_tags_find(t, names[i], INSNS);
    for (uint32_t k = 0; v != NULL && k < INSNS; k++)
      PROMISE(v[k] <= WEIR_TAG_CM);
  }
}

/* A kernel with loads and other things. */
static void match(const struct weir_tags *t) {
  static struct weir_static insns[INSNS];
  const uint8_t *tags;
  struct weir_err err;
  for (uint32_t i = 0; i < INSNS; i++)
    insns[i] = (struct weir_static){.pc = 8 * i,
                                    .cls = i % 8 == 7 ? WEIR_C_STORE : WEIR_C_LOAD,
                                    .space = i % 8 == 6 ? WEIR_SP_LOCAL : WEIR_SP_GLOBAL};
  struct weir_kernel_info k = {.name = "k", .n_insns = INSNS, .insns = insns};
  if (weir_tags_match(t, &k, &tags, &err) == WEIR_OK) {
    for (uint32_t i = 0; tags != NULL && i < INSNS; i++)
      PROMISE(tags[i] == WEIR_TAG_NONE || weir_is_global_load(&insns[i]));
  } else
    PROMISE(memchr(err.msg, 0, sizeof err.msg) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_tags *t, *again;
  struct weir_err err;
  struct weir_text text = {0}, same = {0};
  enum weir_status st = weir_tags_parse(&t, "fuzz.yaml", (const char *)data, size, &err);
  PROMISE((st == WEIR_OK) == (t != NULL));
  if (st != WEIR_OK) {
    PROMISE(memchr(err.msg, 0, sizeof err.msg) != NULL);
    return 0;
  }
  find_all(t);
  match(t);
  weir_tags_text(t, "fuzz", &text);
  PROMISE(!text.failed && weir_tags_parse(&again, "again.yaml", text.v, text.n, &err) == WEIR_OK);
  weir_tags_text(again, "fuzz", &same);
  PROMISE(!same.failed && strcmp(text.v, same.v) == 0);
  weir_text_free(&text);
  weir_text_free(&same);
  weir_tags_free(t);
  weir_tags_free(again);
  return 0;
}
