/* A scheme on a machine: everything that a simulator is made from. */
#ifndef WEIR_SESSION_SETUP_H
#define WEIR_SESSION_SETUP_H

#include "base/settings.h"
#include "l1/scheme.h"
#include "session/energy.h"
#include "session/launches.h"
#include "session/tags.h"
#include "sim/engine.h"
#include "weir/sim.h"

struct weir_setup {
  struct weir_machine machine;
  struct weir_scheme scheme;
  struct weir_design design;
  struct weir_tags *tags; /* of loads, by a compiler; NULL: none */
  struct weir_energy_cfg energy;
  struct weir_reorder_cfg order;
  struct weir_launch_cfg launch;
  /* Bits of hardware beside tags and data: of the parts of one L1 (or WEIR_NOT_DECLARED), of those
   * of the machine's own L1, and in the L2. */
  uint64_t storage_bits, baseline_bits, l2_bits;
};

/* Read the scheme's file, and the tags that it names. Its values join the machine's in the
 * settings, which outlive the setup. */
enum weir_status weir_setup_load(struct weir_setup *s, const char *scheme, const char *path,
                                 struct weir_settings *settings, struct weir_err *err);
/* Tags from a file, instead of those that the scheme names. */
enum weir_status weir_setup_tags(struct weir_setup *s, const char *path, struct weir_err *err);
/* Loads of a source line, "FILE:LINE", bypass the L1; besides the tags that there are. */
enum weir_status weir_setup_bypass(struct weir_setup *s, const char *line, struct weir_err *err);
/* Lines that are to be bypassed need a scheme that decides by tags; after weir_setup_fit. */
enum weir_status weir_setup_bypasses(const struct weir_setup *s, struct weir_err *err);
/* A scheme by name or file, or what the name of a policy stands for: the baseline with it. */
enum weir_status weir_setup_named(struct weir_setup *setup, const char *scheme,
                                  struct weir_settings *s, struct weir_err *err);
/* The one of a line-up: that it names, or the baseline; "static" if lines are to be bypassed. */
const char *weir_line_up_scheme(const struct weir_line_up *l);
/* The same with changes. The policies of plug-ins come first, unless the line-up names policies:
 * then it must name them all. */
enum weir_status weir_setup_line_up(struct weir_setup *setup, const struct weir_line_up *l,
                                    struct weir_settings *s, struct weir_err *err);
/* Put the scheme on the machine that the settings describe, if it can stand there. `gpu` is the
 * machine's name and outlives the setup; `groups` are those of the settings, which then say what
 * holds. */
enum weir_status weir_setup_fit(struct weir_setup *s, const char *gpu,
                                struct weir_settings *settings,
                                const struct weir_param_group *const *groups, struct weir_err *err);
/* All of that: the line-up on the machine that the settings describe, with tags if it needs some
 * and is not prepared. `check`: plug-ins are looked at closely. After a failure it is to be freed,
 * too. */
enum weir_status weir_setup_open(struct weir_setup *s, const char *gpu,
                                 const struct weir_line_up *l, struct weir_settings *settings,
                                 bool check, struct weir_err *err);
void weir_setup_free(struct weir_setup *s);
/* Look closely at the policies of plug-ins: deciding hooks must change nothing. */
void weir_setup_watch_plugins(struct weir_setup *setup);

/* Does the scheme, with the parameters that it was fitted with, decide by tags? */
bool weir_setup_needs_tags(const struct weir_setup *s);
/* The preparation that makes tags of the loads of each workload: its scheme says so, it needs tags
 * and has none. Else NULL. */
const char *weir_setup_tags_by(const struct weir_setup *s);
bool weir_setup_is_classified(const struct weir_setup *s); /* is there one? */
/* One more line of an error: how tags for it are made apart, `how` if that is by 'weir classify'.
 */
void weir_setup_say_tags(const struct weir_setup *s, const char *how, struct weir_err *err);
/* What is to be prepared for each workload, each once: tags, policies that make rows. Returns how
 * many. */
uint32_t weir_setup_preparations(const struct weir_setup *s, const char *names[WEIR_MAX_PARTS]);
/* If it needs tags, has none and is not prepared: says what to do. */
enum weir_status weir_setup_has_tags(const struct weir_setup *s, struct weir_err *err);

/* A simulator in cycle 0 with cold caches. The setup outlives it, and so does `design` (NULL: that
 * of the setup, without prepared rows). Its tags are used unless the options have some. */
enum weir_status weir_setup_sim(const struct weir_setup *s, const struct weir_design *design,
                                const struct weir_sim_options *o, struct weir_sim **sim,
                                struct weir_err *err);
/* Part i of its L1, as weir_sim_part; NULL: no such part. */
const struct weir_part *weir_setup_part(const struct weir_setup *s, uint32_t i);
/* The conservation rules of a result. */
enum weir_status weir_setup_check(const struct weir_sim_result *r, struct weir_err *err);

/* Cycles without an event after which a run is given up. */
enum { WEIR_WATCHDOG_CYCLES = 5000000 };

#endif
