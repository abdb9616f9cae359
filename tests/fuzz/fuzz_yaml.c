/* YAML: the flattened tree, its look-ups, and settings read from it. */
#include <string.h>

#include "base/settings.h"
#include "exec/exec.h"
#include "fuzz.h"

static const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
static const char *const names[] = {"exec", "wave", "buffers", "launches", "grid"};
enum { N_NAMES = sizeof names / sizeof *names, MAX_WALKED = 200 };

/* Every entry is found again by its path, and by walking from its parent. */
static void walk(struct weir_config *c) {
  static char path[WEIR_CONFIG_PATH];
  uint32_t n = c->n < MAX_WALKED ? c->n : MAX_WALKED;
  for (uint32_t i = 1; i < n; i++) {
    const struct weir_entry *e = &c->entry[i];
    PROMISE(e->parent < i && e->end > i && e->end <= c->entry[e->parent].end);
    weir_config_path(c, i, path, sizeof path);
    PROMISE(weir_config_at(c, path) == i);
    const char *text = weir_config_get(c, path);
    PROMISE((text != NULL) == (e->kind == WEIR_SCALAR));
    if (e->key != NULL) PROMISE(weir_config_find(c, e->parent, e->key) == i);
    uint32_t count = 0;
    for (uint32_t k = weir_config_first(c, i); k != 0; k = weir_config_next(c, k))
      count++;
    PROMISE(count == weir_config_count(c, i));
  }
}

static void demand(struct weir_config *c) {
  struct weir_err err;
  uint32_t n = c->n < MAX_WALKED ? c->n : MAX_WALKED;
  for (uint32_t i = 0; i < n; i++) {
    int64_t whole;
    double real;
    uint32_t child;
    if (c->entry[i].kind == WEIR_SCALAR) {
      if (weir_config_int(c, i, -1000, 1 << 20, &whole, &err) == WEIR_OK)
        PROMISE(whole >= -1000 && whole <= 1 << 20);
      weir_config_real(c, i, &real, &err);
    }
    weir_config_want(c, i, WEIR_SEQ, &err);
    if (c->entry[i].kind == WEIR_MAP) {
      weir_config_child(c, i, names[i % N_NAMES], WEIR_SCALAR, i % 2, &child, &err);
      weir_config_only(c, i, names, N_NAMES, &err);
    }
    struct weir_where at = weir_config_key_where(c, i);
    PROMISE(at.line > 0 || i == 0);
  }
}

static void settings(struct weir_config *c) {
  struct weir_settings s;
  struct weir_err err;
  struct ptx_exec_cfg cfg;
  PROMISE(weir_settings_init(&s, groups, &err) == WEIR_OK);
  weir_settings_config(&s, WEIR_LAYER_USER, c, 0, &err);
  weir_settings_config(&s, WEIR_LAYER_FILE, c, 0, &err);
  for (uint32_t i = 1; i < c->n && i < 8; i++) {
    if (c->entry[i].kind != WEIR_SCALAR) continue;
    weir_settings_assign(&s, c->entry[i].text, &err);
    weir_settings_set(&s, WEIR_LAYER_SET, "exec.quantum", c->entry[i].text, NULL, &err);
    weir_settings_set(&s, WEIR_LAYER_SET, "exec.simd", c->entry[i].text, NULL, &err);
    weir_settings_unknown(&s, c->entry[i].text, NULL, &err);
  }
  /* What was accepted can be used. */
  PROMISE(weir_settings_fill(&s, &ptx_exec_params, &cfg, &err) == WEIR_OK);
  PROMISE(cfg.quantum >= 1 && cfg.wave >= 1 && cfg.wave <= 65536);
  for (size_t i = 0; i < s.n; i++) {
    char origin[64];
    weir_setting_origin(&s.v[i], origin, sizeof origin);
    PROMISE(memchr(origin, 0, sizeof origin) != NULL);
  }
  weir_settings_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_config c;
  struct weir_err err;
  if (weir_config_parse(&c, "fuzz.yaml", (const char *)data, size, &err) != WEIR_OK) {
    PROMISE(c.entry == NULL && memchr(err.msg, 0, sizeof err.msg) != NULL);
    return 0;
  }
  PROMISE(c.n > 0 && c.entry[0].end == c.n);
  weir_config_unused(&c, names, N_NAMES, &err);
  settings(&c);
  demand(&c);
  walk(&c);
  weir_config_use_all(&c, 0);
  PROMISE(weir_config_unused(&c, NULL, 0, &err) == WEIR_OK);
  weir_config_free(&c);
  return 0;
}
