/* weir check-policy FILE.so */
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "l1/conform/conform.h"
#include "study/worker.h"

static const struct weir_usage usage = {
    .command = "check-policy",
    .synopsis = "FILE.so...",
    .about =
        "Does a policy of your own keep the rules? Small L1s with random requests are built with "
        "it, on\n"
        "every organisation that it works with, alone and before and after every other policy. "
        "Deciding\n"
        "hooks must change nothing, a request that was refused must leave no trace, the same input "
        "must\n"
        "give the same output, a copy taken half-way must go on as the original, every request "
        "must be\n"
        "answered once, and every parameter must work at its ends.\n"
        "The exit code is 0 if it does, 1 if a rule is broken, 2 if the file cannot be used.",
    .opts = (const struct weir_opt[]){{.name = NULL}},
    .examples = "  weir check-policy ./mine.so\n",
};

static const char *const names[WEIR_N_CONFORM] = {"declarations", "alone", "with others",
                                                  "parameters at their ends"};

struct rule {
  enum weir_conform what;
  const struct weir_policy_ops *policy;
};
struct finding {
  enum weir_status status;
  struct weir_conform_progress progress;
  struct weir_err err;
};

static void try_rule(const void *self, void *answer) {
  const struct rule *r = self;
  struct finding *f = answer;
  f->status = weir_conform(r->what, r->policy, &f->progress, &f->err);
}

/* In a process of its own: that a hook crashes is a finding like any other. */
static struct finding find(const struct rule *r) {
  struct finding f = {0};
  struct weir_worker w;
  struct weir_err err;
  enum weir_status st = weir_worker_start(&w, try_rule, r, sizeof f, &err);
  if (st == WEIR_OK) st = weir_worker_end(&w, &f, sizeof f, &err);
  if (st == WEIR_OK) return f;
  f.status = st;
  weir_fail(&f.err, st, "%s%s%s", f.progress.trying, f.progress.n > 0 ? ": " : "", err.msg);
  return f;
}

static int check(const struct weir_policy_ops *o) {
  int code = WEIR_EXIT_OK;
  printf("%s (%s)\n", o->part.name, weir_policy_file(o));
  for (unsigned i = 0; i < WEIR_N_CONFORM; i++) {
    const struct finding f = find(&(struct rule){i, o});
    if (f.status == WEIR_OK) {
      printf("  ok    %s: %u tried\n", names[i], f.progress.n);
      if (f.progress.n > 0 || i != WEIR_CONFORM_ALONE) continue;
      printf("  FAIL  it goes with no organisation\n");
    } else
      printf("  FAIL  %s: %s\n", names[i], f.err.msg);
    code = WEIR_EXIT_FAILED;
  }
  return code;
}

int weir_cmd_check_policy(int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  int code = WEIR_EXIT_OK;
  for (int opt; (opt = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (opt == WEIR_OPT_DONE) return args.exit_code;
    if (weir_groups_plugin(args.value, NULL, &err) != WEIR_OK) return weir_cli_error(&err);
  }
  size_t n = 0;
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    if (weir_policy_file(weir_policies[i]) != NULL) {
      if (check(weir_policies[i]) != WEIR_EXIT_OK) code = WEIR_EXIT_FAILED;
      n++;
    }
  return n > 0 ? code : weir_cli_usage("check-policy", "which plug-in?");
}
