/* weir check-policy FILE.so */
#include "base/table.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "l1/conform/conform.h"

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

static int check(const struct weir_policy_ops *o) {
  struct weir_err err;
  int code = WEIR_EXIT_OK;
  printf("%s (%s)\n", o->part.name, weir_policy_file(o));
  for (unsigned i = 0; i < WEIR_N_CONFORM; i++) {
    unsigned n;
    if (weir_conform(i, o, &n, &err) == WEIR_OK) {
      printf("  ok    %s: %u tried\n", names[i], n);
      if (n > 0 || i != WEIR_CONFORM_ALONE) continue;
      printf("  FAIL  it goes with no organisation\n");
    } else
      printf("  FAIL  %s: %s\n", names[i], err.msg);
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
