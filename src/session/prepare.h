/* Preparations: what a policy needs to know before it runs, from a run that another policy watches.
 *
 * The preparing policy is put before those of the machine's own L1, on the same machine with the
 * same settings; the rows that it yields after each kernel are summed and handed to the policies
 * that name it. Tags (weir_prepares_tags), whose runs are of another kind, are made by
 * study/profile.h. */
#ifndef WEIR_SESSION_PREPARE_H
#define WEIR_SESSION_PREPARE_H

#include "session/streams.h"
#include "session/timing.h"

#define WEIR_PROFILE_INPUT "profile"
/* Which input of a launch file to profile: the one that is asked for, or with `want` NULL
 * "profile", or else the first. *out lives in the arena, NULL: the file has no inputs. */
enum weir_status weir_profile_input(const char *path, const char *want, struct weir_arena *a,
                                    const char **out, struct weir_err *err);
/* The one for the preparation `name` of a run whose input is `timed` (NULL: the first): "profile",
 * or what is timed if there is none or the policy prepares on that. `out` has WEIR_INPUT_NAME
 * bytes. *is_same: it is what is timed. */
enum weir_status weir_preparation_input(const char *name, const char *path, const char *timed,
                                        char *out, bool *is_same, struct weir_err *err);

/* Rows of the policy `name`, or WEIR_PREPARE_OPT, for `setup`, whose settings are `settings`, on
 * what `source` runs. The options are those of a timing; its `rows` and `rows_part` are set here.
 */
enum weir_status weir_prepare_rows(const struct weir_setup *setup,
                                   const struct weir_settings *settings, const char *name,
                                   const struct weir_source *source,
                                   const struct weir_timing_options *options,
                                   struct weir_rows *rows, struct weir_err *err);
/* Tags for it by the preparation `name`, made in this process; `options` are those of the timings.
 */
typedef enum weir_status weir_make_tags(const char *name, const struct weir_setup *setup,
                                        const struct weir_settings *settings,
                                        const struct weir_source *source,
                                        const struct weir_timing_options *options,
                                        struct weir_tags **out, struct weir_err *err);
/* Who does that: a module above this one says so, before sessions are opened. NULL: nobody, and
 * sessions refuse schemes that would need it. */
void weir_tag_maker_set(weir_make_tags *maker);
weir_make_tags *weir_tag_maker(void);

/* The rows of `name` are for the policies of the setup that read them. */
void weir_prepared_put(struct weir_prepared *p, const struct weir_setup *setup, const char *name,
                       const struct weir_rows *rows);

#endif
