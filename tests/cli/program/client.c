/* A program that uses weir as a CUDA program would through the libraries that stand in for CUDA's,
 * for tests of what weir does with it: it executes a launch file and sends its launches.
 *
 *   client FILE.yaml INPUT [what]... (INPUT may be empty)
 *
 * what: device (what it is told, printed); exit N; abort; crash (in the middle of the second
 * launch); say TEXT; ask (times of the launches, printed); wait (until a signal comes); faulty (a
 * launch that fails is not the program's end); region (it wants its second and third launch looked
 * at). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "cuda/wire.h"
#include "launch/workload.h"

struct client {
  struct weir_wire *wire;
  uint64_t n_launches;
  bool crash, ask, is_faulty, has_region;
  struct weir_err err;
};

static void give_up(const struct weir_err *err) {
  fprintf(stderr, "client: %s\n", err->msg);
  exit(9);
}

static void check(enum weir_status st, const struct weir_err *err) {
  if (st) give_up(err);
}

static void begin_launch(struct client *c, const struct weir_kernel_info *info, bool is_wanted,
                         bool has_streams) {
  struct weir_wire_launch l = {.info = info,
                               .number = ++c->n_launches,
                               .module = 1,
                               .has_streams = has_streams,
                               .is_wanted = is_wanted};
  check(weir_wire_begin(c->wire, &l, &c->err), &c->err);
}

/* The blocks of a launch: sent, if weir wants them. */
static enum weir_status simulate(void *self, struct weir_block_source *src, struct weir_err *err) {
  struct client *c = self;
  struct weir_block_stream *b;
  if (c->has_region) weir_wire_region(c->wire, c->n_launches == 1 || c->n_launches == 2);
  bool is_wanted = weir_wire_wants(c->wire, src->kernel->name);
  bool wanted = is_wanted && weir_wire_options(c->wire)->want_streams;
  enum weir_status st;
  begin_launch(c, src->kernel, is_wanted, wanted);
  while (!(st = src->next(src, &b, err)) && b) {
    if (wanted) check(weir_wire_block(c->wire, b, &c->err), &c->err);
    src->release(src, b);
    if (c->crash && c->n_launches == 2) raise(SIGKILL);
  }
  return st;
}

static void launched(void *self, const struct weir_launch_report *r) {
  struct client *c = self;
  struct weir_wire_times t;
  check(weir_wire_end(c->wire, &r->stats, WEIR_OK, &c->err), &c->err);
  if (!c->ask) return;
  check(weir_wire_times(c->wire, c->n_launches, &t, &c->err), &c->err);
  printf("launch %u: %s from %u to %u ns\n", (unsigned)t.launch, r->kernel, (unsigned)t.begin_ns,
         (unsigned)t.end_ns);
}

static void end_faulty(struct client *c, enum weir_status fault) {
  struct weir_func_stats none = {0};
  check(weir_wire_message(c->wire, c->err.msg, &c->err), &c->err);
  check(weir_wire_end(c->wire, &none, fault, &c->err), &c->err);
}

static struct ptx_exec_cfg settings_of(struct client *c, struct weir_settings *s) {
  static const struct weir_param_group *const groups[] = {&ptx_exec_params, NULL};
  const struct weir_wire_options *o = weir_wire_options(c->wire);
  struct ptx_exec_cfg cfg;
  check(weir_settings_init(s, groups, &c->err), &c->err);
  for (uint32_t i = 0; i < o->n_settings; i++)
    check(weir_settings_set(s, WEIR_LAYER_SET, o->settings[i].key, o->settings[i].value, NULL,
                            &c->err),
          &c->err);
  check(weir_settings_fill(s, &ptx_exec_params, &cfg, &c->err), &c->err);
  return cfg;
}

static void execute(struct client *c, const char *file, const char *input) {
  struct weir_settings settings;
  struct ptx_exec_cfg cfg = settings_of(c, &settings);
  struct ptx_device dev;
  struct weir_workload *w;
  struct weir_workload_hooks h = {
      .launched = launched, .simulate = simulate, .self = c, .want_streams = true};
  check(ptx_device_init(&dev, &cfg, &c->err), &c->err);
  check(weir_workload_open(&dev, file, input, &w, &c->err), &c->err);
  const struct ptx_module *m = weir_workload_module(w, 0);
  if (weir_wire_options(c->wire)->want_modules)
    check(weir_wire_module(c->wire, 1, "client.cu", m->source, m->source_len, &c->err), &c->err);
  enum weir_status st = weir_workload_run(w, &h, &c->err);
  if (!c->is_faulty) check(st, &c->err);
  if (st) end_faulty(c, st);
  if (!st) check(weir_workload_check(w, &c->err), &c->err);
  weir_workload_close(w);
  ptx_device_free(&dev);
  weir_settings_free(&settings);
}

static bool has(char **what, const char *word) {
  for (; *what; what++)
    if (!strcmp(*what, word)) return true;
  return false;
}

static void show_device(const struct weir_wire_device *d) {
  const struct {
    const char *name;
    uint64_t value;
  } rows[] = {
      {"compute capability x 10", d->capability},
      {"SMs", d->sms},
      {"threads per SM", d->threads_per_sm},
      {"threads per block", d->threads_per_block},
      {"blocks per SM", d->blocks_per_sm},
      {"registers per SM", d->registers_per_sm},
      {"shared bytes per SM", d->shared_per_sm},
      {"shared bytes per block", d->shared_per_block},
      {"shared bytes per block, on demand", d->shared_opt_in},
      {"memory bytes", d->memory_bytes},
      {"L1 bytes", d->l1_bytes},
      {"L2 bytes", d->l2_bytes},
      {"clock, kHz", d->clock_khz},
      {"bytes per second of memory", d->memory_clock_khz * 2000 * d->bus_bits / 8},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    printf("%s: %llu\n", rows[i].name, (unsigned long long)rows[i].value);
}

static void wait_for_signal(void) {
  puts("client waits");
  fflush(stdout);
  pause();
}

int main(int argc, char **argv) {
  struct client c = {0};
  int code = 0;
  const char *path = getenv(WEIR_WIRE_VARIABLE);
  if (argc < 3 || !path) return 8;
  char **what = argv + 3;
  c.crash = has(what, "crash");
  c.ask = has(what, "ask");
  c.is_faulty = has(what, "faulty");
  c.has_region = has(what, "region");
  check(weir_wire_connect(path, "client", &c.wire, &c.err), &c.err);
  printf("client of %s begins\n", weir_wire_options(c.wire)->device.name);
  if (has(what, "device")) show_device(&weir_wire_options(c.wire)->device);
  fflush(stdout);
  execute(&c, argv[1], *argv[2] ? argv[2] : NULL);
  for (; *what; what++) {
    if (!strcmp(*what, "abort")) abort();
    if (!strcmp(*what, "wait")) wait_for_signal();
    if (!strcmp(*what, "exit") && what[1]) code = atoi(what[1]);
    if (!strcmp(*what, "say") && what[1]) check(weir_wire_message(c.wire, what[1], &c.err), &c.err);
  }
  puts("client ends");
  weir_wire_close(c.wire);
  return code;
}
