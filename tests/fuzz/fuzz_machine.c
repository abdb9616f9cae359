/* Machine files: what they say, what they extend, the machine that comes of it, the memory it would
 * take, and whether each of its settings has an effect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "l1/l1.h"
#include "machine/machine_file.h"
#include "session/effects.h"
#include "sim/engine.h"
#include "sim/need.h"

static const struct weir_param_group *const groups[] = {
    &weir_core_params, &weir_sm_params, &weir_l1_params,   &weir_noc_params,
    &weir_l2_params,   &weir_l3_params, &weir_dram_params, NULL};

/* One name is known, whatever the file's is. */
static enum weir_status find(void *self, struct weir_arena *a, const char *name, const char **path,
                             struct weir_err *err) {
  (void)a;
  if (strcmp(name, "self") == 0) {
    *path = self;
    return WEIR_OK;
  }
  *path = "gpus/v100.yaml";
  if (strcmp(name, "v100") == 0) return WEIR_OK;
  return weir_fail(err, WEIR_ENOENT, "there is no machine '%.100s'", name);
}

static const char *write_file(const uint8_t *data, size_t size) {
  static char path[64];
  if (path[0] == '\0')
    snprintf(path, sizeof path, "/tmp/weir-fuzz-machine-%ld.yaml", (long)getpid());
  FILE *f = fopen(path, "wb");
  PROMISE(f != NULL);
  PROMISE(fwrite(data, 1, size, f) == size && fclose(f) == 0);
  return path;
}

/* Small enough to be made here. */
static void simulate(const struct weir_setup *setup) {
  const struct weir_sim_options options = {.threads = 1};
  struct weir_sim *sim;
  struct weir_err err;
  const struct weir_machine *m = &setup->machine;
  if ((double)m->sm.count * (double)(m->sm.inflight + m->l1.sets * m->l1.ways + m->l1.mshr_entries +
                                     m->l1.miss_queue + m->l1.bypass_queue) >
          2e5 ||
      (double)m->l2.slices *
              (double)(m->l2.sets * m->l2.ways + m->l2.mshr_entries * m->l2.mshr_merge) >
          1e6 ||
      (double)m->sm.count * (double)m->l2.slices > 1e5 ||
      (m->l3.enabled && (double)m->dram.channels * (double)(m->l3.sets * m->l3.ways +
                                                            m->l3.mshr_entries * m->l3.mshr_merge) >
                            1e6))
    return;
  if (weir_sim_new(m, &setup->design, &options, &sim, &err) == WEIR_OK) weir_sim_free(sim);
}

static void use(struct weir_settings *s) {
  struct weir_setup setup = {0};
  struct weir_machine again;
  struct weir_err err;
  struct weir_fact table[WEIR_N_FACTS + 1];
  struct weir_text why = {0};
  if (weir_machine_fill(&setup.machine, "fuzz", s, &err) != WEIR_OK) return;
  const struct weir_l1_cfg *l1 = &setup.machine.l1;
  PROMISE(l1->ways >= 1 && l1->sets >= 1 && l1->sets * l1->ways * l1->line <= l1->size);
  PROMISE(l1->unified_bytes == 0 || l1->size <= l1->unified_bytes);
  PROMISE(weir_l1_lines(&setup.machine, 0) <= (uint32_t)(l1->sets * l1->ways));
  PROMISE(weir_l1_lines(&setup.machine, UINT32_MAX / 2) >= 1);
  PROMISE(weir_machine_settle(&setup.machine, s, &err) == WEIR_OK);
  PROMISE(weir_machine_fill(&again, "fuzz", s, &err) == WEIR_OK);
  PROMISE(again.l1.size == l1->size && again.l1.sets == l1->sets && again.l1.ways == l1->ways);
  weir_design_baseline(&setup.design, &setup.machine);
  struct weir_facts f =
      weir_facts_of(&(struct weir_use){.setup = &setup, .has_results = true}, table);
  for (size_t i = 0; i < s->n; i++)
    PROMISE(weir_has_effect(s, &s->v[i], &f, &why) || (why.v != NULL && why.v[0] != '\0'));
  weir_text_free(&why);
  if (weir_machine_affordable(&setup.machine, &setup.design, &err) == WEIR_OK) simulate(&setup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_settings s;
  struct weir_err err;
  const char *path = write_file(data, size);
  PROMISE(weir_settings_init(&s, groups, &err) == WEIR_OK);
  if (weir_machine_load(&s, path, find, (void *)path, &err) == WEIR_OK)
    use(&s);
  else
    PROMISE(err.msg[0] != '\0' && memchr(err.msg, 0, sizeof err.msg) != NULL);
  weir_settings_free(&s);
  unlink(path);
  return 0;
}
