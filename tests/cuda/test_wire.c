/* Both ends of a wire over a socket pair: a thread is the program, the test is weir. Then bytes
 * that no program would send. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../base/testing.h"
#include "../trace/wtrace_util.h"
#include "cuda/wire.h"
#include "cuda/wire_code.h"

enum { BLOCKS = 40, INSNS = 600 };

static struct weir_stream_pool child_pool;
/* Both threads look at them. */
static struct weir_kernel_info kernels[4];
static const struct weir_wire_setting settings[] = {{"exec.quantum", "64"}, {"exec.simd", "auto"}};

static struct weir_wire_options sample_options(void) {
  return (struct weir_wire_options){.device = {.name = "fermi-s3",
                                               .capability = 90,
                                               .sms = 15,
                                               .warp_size = 32,
                                               .memory_bytes = UINT64_C(5) << 40,
                                               .bus_bits = 384},
                                    .settings = settings,
                                    .n_settings = COUNT(settings),
                                    .kernels = "^od+$",
                                    .skip = 1,
                                    .count = 2,
                                    .only_region = true,
                                    .want_streams = true,
                                    .want_modules = true,
                                    .is_strict = true};
}

/* What the thread does with its end. */
struct program {
  int fd;
  void (*act)(struct weir_wire *w);
};

static void *run_program(void *self) {
  const struct program *p = self;
  struct weir_wire *w;
  struct weir_err why;
  if (weir_wire_open(p->fd, "prog", &w, &why)) return NULL;
  p->act(w);
  weir_wire_close(w);
  return w;
}

/* Starts a program and greets it. */
static struct weir_wire *start(struct program *p, pthread_t *thread,
                               void (*act)(struct weir_wire *), const struct weir_wire_options *o) {
  int fd[2];
  struct weir_wire *w;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
  *p = (struct program){.fd = fd[0], .act = act};
  assert_int_equal(pthread_create(thread, NULL, run_program, p), 0);
  OK(weir_wire_adopt(fd[1], &pool, &w, &err));
  OK(weir_wire_meet(w, &err));
  OK(weir_wire_greet(w, o, &err));
  return w;
}

static void finish(struct weir_wire *w, pthread_t thread) {
  void *result;
  weir_wire_close(w);
  pthread_join(thread, &result);
  assert_non_null(result);
}

/* random_block() of wtrace_util.h, from the program's own pool. */
static struct weir_block_stream *child_block(uint32_t k, uint64_t id, uint32_t n_warps) {
  static struct gen g;
  struct weir_block_stream *b = NULL;
  weir_block_begin(&child_pool, id, n_warps, &b, NULL);
  for (uint32_t i = 0; i < n_warps; i++) {
    uint64_t seed = seed_of(k, id, i);
    gen_start(&g, seed);
    for (unsigned n = length_of(seed, INSNS); n; n--) {
      gen_put(&g, &b->writers[i]);
      if (n % 97 == 0) weir_writer_park(&b->writers[i]);
    }
  }
  weir_block_finish(b, NULL);
  return b;
}

static struct weir_func_stats sample_stats(uint64_t k) {
  struct weir_func_stats s;
  uint64_t v[WIRE_N_STATS];
  for (size_t i = 0; i < WIRE_N_STATS; i++)
    v[i] = k << 40 | i;
  memcpy(&s, v, sizeof s);
  return s;
}

static void send_launch(struct weir_wire *w, uint32_t k, bool has_streams, uint32_t n_blocks,
                        enum weir_status result) {
  struct weir_kernel_info info = kernels[k];
  struct weir_wire_launch l = {
      .info = &info, .number = k + 1, .stream = k, .module = 7, .has_streams = has_streams};
  struct weir_func_stats s = sample_stats(k);
  weir_wire_begin(w, &l, NULL);
  for (uint64_t id = 0; id < n_blocks && has_streams; id++) {
    struct weir_block_stream *b = child_block(k, id, info.n_warps);
    weir_wire_block(w, b, NULL);
    weir_block_release(b);
    if (id == 3) weir_wire_message(w, "amid", NULL);
  }
  if (n_blocks == BLOCKS) {
    const struct weir_stray stray = {.pc = k,
                                     .is_other = k > 0,
                                     .count = 3,
                                     .address = 0x7f0000000400,
                                     .block = {1, 2, 3},
                                     .thread = {4, 5, 6},
                                     .kernel = info.name,
                                     .access = "load",
                                     .near = "just past the end",
                                     .instruction = "ld.global",
                                     .position = "a.ptx:1",
                                     .source = ""};
    weir_wire_stray(w, &stray, NULL);
  }
  weir_wire_end(w, &s, result, NULL);
}

/* ---- the way it should be ---- */

static struct weir_wire_times answered;
static bool wanted[6], options_came;

static void whole_program(struct weir_wire *w) {
  const struct weir_wire_options *o = weir_wire_options(w), mine = sample_options();
  options_came = !strcmp(o->device.name, mine.device.name) && o->device.sms == 15 &&
                 o->device.memory_bytes == mine.device.memory_bytes && o->device.bus_bits == 384 &&
                 o->n_settings == 2 && !strcmp(o->settings[0].key, "exec.quantum") &&
                 !strcmp(o->settings[1].value, "auto") && !strcmp(o->kernels, mine.kernels) &&
                 o->skip == 1 && o->count == 2 && o->want_streams && o->want_modules &&
                 o->is_strict && o->only_region && !weir_wire_wants(w, "odd");
  weir_wire_region(w, true);
  static const char *const names[] = {"odd", "even", "_Z3oddPf", "odder", "odd", "odd"};
  for (size_t i = 0; i < COUNT(names); i++)
    wanted[i] = weir_wire_wants(w, names[i]);
  weir_wire_region(w, false);
  options_came &= !weir_wire_wants(w, "odd");
  weir_wire_message(w, "before", NULL);
  weir_wire_module(w, 7, "a.cu", "text of\0a module", 16, NULL);
  weir_wire_copy(w, WEIR_EVENT_COPY_TO_DEVICE, 0x7f00, 4096, NULL);
  send_launch(w, 0, true, BLOCKS, WEIR_OK);
  send_launch(w, 1, false, 0, WEIR_OK);
  weir_wire_times(w, 2, &answered, NULL);
  send_launch(w, 2, true, BLOCKS, WEIR_OK);
}

static struct weir_wire_event next_event(struct weir_wire *w, enum weir_wire_kind kind) {
  struct weir_wire_event e;
  OK(weir_wire_next(w, &e, &err));
  assert_int_equal(e.kind, kind);
  return e;
}

static void check_info(const struct weir_kernel_info *got, uint32_t k) {
  struct weir_kernel_info info = kernels[k];
  assert_string_equal(got->name, info.name);
  assert_memory_equal(got->grid, info.grid, sizeof info.grid);
  assert_memory_equal(got->block, info.block, sizeof info.block);
  assert_int_equal(got->n_warps, info.n_warps);
  assert_int_equal(got->n_regs, info.n_regs);
  assert_int_equal(got->regs_per_thread, info.regs_per_thread);
  assert_int_equal(got->static_shared, info.static_shared);
  assert_int_equal(got->is_interleaved, info.is_interleaved);
  assert_int_equal(got->regs_estimated, info.regs_estimated);
  assert_int_equal(got->carveout, info.carveout);
  assert_int_equal(got->n_insns, info.n_insns);
  assert_memory_equal(got->insns, info.insns, info.n_insns * sizeof *info.insns);
  assert_int_equal(got->outline != NULL, info.outline != NULL);
  for (uint32_t i = 0; info.outline != NULL && i < info.n_insns; i++)
    assert_int_equal(got->outline->insns[i].offset, info.outline->insns[i].offset);
  assert_int_equal(got->n_files, info.n_files);
  assert_string_equal(got->files[2], info.files[2]);
}

static void check_stray(struct weir_wire *w, uint32_t k) {
  struct weir_stray s = next_event(w, WEIR_WIRE_STRAY).stray;
  assert_true(s.pc == k && s.is_other == (k > 0) && s.count == 3 && s.address == 0x7f0000000400);
  assert_true(s.block[0] == 1 && s.block[2] == 3 && s.thread[0] == 4 && s.thread[2] == 6);
  assert_string_equal(s.kernel, kernels[k].name);
  assert_string_equal(s.access, "load");
  assert_string_equal(s.near, "just past the end");
  assert_string_equal(s.instruction, "ld.global");
  assert_string_equal(s.position, "a.ptx:1");
  assert_string_equal(s.source, "");
}

static void check_end(struct weir_wire *w, uint32_t k) {
  struct weir_wire_event e = next_event(w, WEIR_WIRE_END);
  struct weir_func_stats s = sample_stats(k);
  assert_memory_equal(&e.stats, &s, sizeof s);
  assert_int_equal(e.result, WEIR_OK);
  assert_int_equal(e.launch.number, k + 1);
}

static void test_round_trip(void **state) {
  (void)state;
  struct weir_wire_options o = sample_options();
  struct program p;
  pthread_t thread;
  struct weir_wire *w = start(&p, &thread, whole_program, &o);
  struct weir_block_stream *b;
  uint64_t n = 0;
  assert_string_equal(weir_wire_program(w), "prog");
  assert_int_equal(weir_wire_pid(w), getpid());
  assert_string_equal(next_event(w, WEIR_WIRE_MESSAGE).text, "before");
  struct weir_wire_event e = next_event(w, WEIR_WIRE_MODULE);
  assert_int_equal(e.module, 7);
  assert_string_equal(e.name, "a.cu");
  assert_memory_equal(e.text, "text of\0a module", 17);
  assert_int_equal(e.n_text, 16);
  e = next_event(w, WEIR_WIRE_COPY);
  assert_int_equal(e.copy.addr, 0x7f00);
  assert_int_equal(e.copy.bytes, 4096);
  e = next_event(w, WEIR_WIRE_LAUNCH);
  assert_int_equal(e.launch.number, 1);
  assert_int_equal(e.launch.module, 7);
  assert_false(e.launch.is_wanted);
  check_info(e.source->kernel, 0);
  for (; !e.source->next(e.source, &b, &err) && b; n++) {
    assert_int_equal(b->id, n);
    check_block(e.source->kernel, b, 0, INSNS);
    e.source->release(e.source, b);
  }
  assert_int_equal(n, BLOCKS);
  OK(e.source->next(e.source, &b, &err));
  assert_null(b);
  assert_string_equal(next_event(w, WEIR_WIRE_MESSAGE).text, "amid");
  check_stray(w, 0);
  check_end(w, 0);
  e = next_event(w, WEIR_WIRE_LAUNCH);
  assert_null(e.source);
  assert_int_equal(e.launch.stream, 1);
  check_info(e.launch.info, 1);
  check_end(w, 1);
  assert_int_equal(next_event(w, WEIR_WIRE_ASK).asked, 2);
  OK(weir_wire_answer(w, &(struct weir_wire_times){2, 100, 200, 70}, &err));
  /* Blocks that nobody wants. */
  next_event(w, WEIR_WIRE_LAUNCH);
  assert_string_equal(next_event(w, WEIR_WIRE_MESSAGE).text, "amid");
  check_stray(w, 2);
  check_end(w, 2);
  next_event(w, WEIR_WIRE_CLOSED);
  next_event(w, WEIR_WIRE_CLOSED);
  finish(w, thread);
  assert_true(options_came);
  assert_int_equal(answered.begin_ns, 100);
  assert_int_equal(answered.end_ns, 200);
  assert_int_equal(answered.cycles, 70);
  static const bool expected[] = {false, false, true, false, true, false};
  assert_memory_equal(wanted, expected, sizeof expected);
}

static void test_over_a_path(void **state) {
  (void)state;
  char at[80], longer[200];
  int fd;
  snprintf(at, sizeof at, "%s/s", dir);
  OK(weir_wire_listen(at, &fd, &err));
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  memcpy(to.sun_path, at, strlen(at));
  int child = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(connect(child, (struct sockaddr *)&to, sizeof to), 0);
  struct weir_wire *w;
  OK(weir_wire_accept(fd, &pool, &w, &err));
  close(child);
  assert_int_equal(weir_wire_meet(w, &err), WEIR_EIO);
  weir_wire_close(w);
  close(fd);
  unlink(at);
  assert_int_equal(weir_wire_connect(at, "prog", &w, &err), WEIR_EIO);
  assert_contains(err.msg, at);
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  assert_int_equal(weir_wire_connect(longer, "prog", &w, &err), WEIR_EINVAL);
  assert_int_equal(weir_wire_listen(longer, &fd, &err), WEIR_EINVAL);
  assert_contains(err.msg, "TMPDIR");
}

static void failing_program(struct weir_wire *w) {
  send_launch(w, 0, true, 5, WEIR_EFAULT);
  send_launch(w, 1, true, 1, WEIR_OK);
}

static void test_kernel_fails(void **state) {
  (void)state;
  struct weir_wire_options o = {.device.name = "m", .count = UINT64_MAX, .want_streams = true};
  struct program p;
  pthread_t thread;
  struct weir_wire *w = start(&p, &thread, failing_program, &o);
  struct weir_wire_event e = next_event(w, WEIR_WIRE_LAUNCH);
  struct weir_block_stream *b;
  enum weir_status st;
  unsigned n = 0;
  for (; !(st = e.source->next(e.source, &b, &err)) && b; n++)
    e.source->release(e.source, b);
  assert_int_equal(n, 5);
  assert_int_equal(st, WEIR_EFAULT);
  next_event(w, WEIR_WIRE_MESSAGE);
  assert_int_equal(next_event(w, WEIR_WIRE_END).result, WEIR_EFAULT);
  next_event(w, WEIR_WIRE_LAUNCH);
  assert_int_equal(next_event(w, WEIR_WIRE_END).result, WEIR_OK);
  next_event(w, WEIR_WIRE_CLOSED);
  finish(w, thread);
}

static void ask_and_wait(struct weir_wire *w) {
  weir_wire_times(w, 0, &answered, &err);
}

static void test_weir_goes_first(void **state) {
  (void)state;
  struct weir_wire_options o = {.device.name = "m", .count = UINT64_MAX};
  struct program p;
  pthread_t thread;
  struct weir_wire *w = start(&p, &thread, ask_and_wait, &o);
  assert_int_equal(next_event(w, WEIR_WIRE_ASK).asked, 0);
  finish(w, thread);
  assert_int_equal(err.code, WEIR_EIO);
}

static void test_bad_options(void **state) {
  (void)state;
  struct weir_wire_options o = {.device.name = "m", .kernels = "a(b"};
  struct program p;
  pthread_t thread;
  void *result;
  struct weir_wire *w = start(&p, &thread, ask_and_wait, &o);
  next_event(w, WEIR_WIRE_CLOSED);
  weir_wire_close(w);
  pthread_join(thread, &result);
  assert_null(result);
}

/* ---- bytes that no program would send ---- */

/* What a good program sends, all of it. */
static struct wt_buf good;

static void *keep_bytes(void *self) {
  int fd = *(int *)self;
  uint8_t bytes[4096];
  ssize_t n;
  while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0)
    wt_buf_add(&good, bytes, (size_t)n);
  return NULL;
}

/* A table of few instructions, so that changed bytes hit other things as often. */
static struct weir_kernel_info small_kernel(void) {
  struct weir_kernel_info info = kernels[3];
  info.n_insns = 60;
  info.outline = NULL; /* which is of all of them */
  return info;
}

static void send_small(struct weir_wire *w, bool has_streams) {
  struct weir_kernel_info info = small_kernel();
  struct weir_wire_launch l = {.info = &info, .number = has_streams + 1u};
  struct weir_func_stats s = sample_stats(0);
  struct weir_block_stream *b;
  l.has_streams = has_streams;
  weir_wire_begin(w, &l, NULL);
  for (uint64_t id = 0; id < 3 && has_streams; id++) {
    weir_block_begin(&child_pool, id, info.n_warps, &b, NULL);
    for (uint32_t i = 0; i < 200 * info.n_warps; i++) {
      struct weir_addrs at = {.space = WEIR_SP_GLOBAL, .base = (uint64_t)i * i};
      uint32_t insn = i * i % info.n_insns;
      if (info.insns[insn].width)
        weir_put_mem(&b->writers[i % info.n_warps], insn, i, &at);
      else
        weir_put(&b->writers[i % info.n_warps], insn, i);
    }
    weir_block_finish(b, NULL);
    weir_wire_block(w, b, NULL);
    weir_block_release(b);
  }
  weir_wire_end(w, &s, WEIR_OK, NULL);
}

static void good_program(struct weir_wire *w) {
  weir_wire_module(w, 7, "a.cu", "text", 4, NULL);
  weir_wire_copy(w, WEIR_EVENT_COPY_TO_DEVICE, 0x7f00, 4096, NULL);
  send_small(w, false);
  send_small(w, true);
  weir_wire_message(w, "text", NULL);
}

static int record_good(void **state) {
  int fd[2], options[2];
  pthread_t thread;
  struct weir_wire_options o = {.device.name = "m", .count = UINT64_MAX, .want_streams = true};
  struct weir_wire *w, *weir;
  if (make_folder(state)) return -1;
  for (uint32_t k = 0; k < COUNT(kernels); k++)
    kernels[k] = random_kernel(k, BLOCKS);
  if (weir_stream_pool_init(&child_pool, 32 << 20, NULL, &err)) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, options))
    return -1;
  /* Weir's hello goes into the socket before anybody reads what the program says. */
  if (wire_new(options[0], &weir, &err)) return -1;
  wire_put_hello(weir, NULL, &o);
  if (wire_flush(weir, &err)) return -1;
  uint8_t hello[4096];
  ssize_t n = recv(options[1], hello, sizeof hello, 0);
  if (n <= 0 || send(fd[1], hello, (size_t)n, 0) != n) return -1;
  weir_wire_close(weir);
  close(options[1]);
  pthread_create(&thread, NULL, keep_bytes, &fd[1]);
  if (weir_wire_open(fd[0], "prog", &w, &err)) return -1;
  good_program(w);
  weir_wire_close(w);
  pthread_join(thread, NULL);
  close(fd[1]);
  return good.failed;
}

static int drop_good(void **state) {
  wt_buf_free(&good);
  weir_stream_pool_free(&child_pool);
  return remove_folder(state);
}

struct bytes {
  int fd;
  const uint8_t *v;
  size_t n;
};

static void *send_bytes(void *self) {
  const struct bytes *b = self;
  for (size_t at = 0; at < b->n;) {
    ssize_t n = send(b->fd, b->v + at, b->n - at, MSG_NOSIGNAL);
    if (n <= 0) break;
    at += (size_t)n;
  }
  shutdown(b->fd, SHUT_WR);
  return NULL;
}

static enum weir_status read_source(struct weir_block_source *src) {
  struct weir_block_stream *b;
  enum weir_status st;
  struct weir_dyn d;
  while (!(st = src->next(src, &b, &err)) && b) {
    for (uint32_t i = 0; i < b->n_warps; i++) {
      struct weir_warp_reader r;
      weir_reader_open(&r, &b->warps[i], src->kernel, true);
      while (weir_next(&r, &d))
        continue;
      weir_reader_close(&r);
    }
    src->release(src, b);
  }
  return st;
}

/* Everything that weir would read of it. */
static enum weir_status read_all(const uint8_t *v, size_t n) {
  int fd[2];
  struct weir_wire_options o = {.device.name = "m"};
  struct weir_wire_event e = {.kind = WEIR_WIRE_LAUNCH};
  struct weir_wire *w;
  pthread_t thread;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
  struct bytes b = {fd[0], v, n};
  pthread_create(&thread, NULL, send_bytes, &b);
  err.code = WEIR_OK;
  enum weir_status st = weir_wire_adopt(fd[1], &pool, &w, &err);
  if (!st) {
    st = weir_wire_meet(w, &err);
    if (!st) st = weir_wire_greet(w, &o, &err);
    while (!st && !(st = weir_wire_next(w, &e, &err)) && e.kind != WEIR_WIRE_CLOSED)
      if (e.source) read_source(e.source);
    weir_wire_close(w);
  }
  pthread_join(thread, NULL);
  close(fd[0]);
  return st;
}

static void test_good(void **state) {
  (void)state;
  if (read_all(good.v, good.n) != WEIR_OK) fail_msg("%s", err.msg);
}

/* A connection may end between frames outside of launches; anywhere else that is an error. */
static void test_truncated(void **state) {
  (void)state;
  unsigned n_good = 0;
  size_t step = good.n / 1000 + 1;
  for (size_t n = 0; n < good.n; n += n < 600 ? 1 : step) {
    enum weir_status st = read_all(good.v, n);
    n_good += st == WEIR_OK;
    if (st) assert_int_equal(st, WEIR_EIO);
    if (st) assert_true(err.msg[0]);
  }
  assert_in_range(n_good, 1, 6);
}

static void test_changed(void **state) {
  (void)state;
  uint8_t *bytes = malloc(good.n);
  uint64_t rng = 1;
  unsigned n_refused = 0;
  enum { TRIES = 5000 };
  assert_non_null(bytes);
  for (int i = 0; i < TRIES; i++) {
    memcpy(bytes, good.v, good.n);
    for (unsigned k = 1 + below(&rng, 3); k; k--)
      bytes[below(&rng, (unsigned)good.n)] ^= (uint8_t)(1 + below(&rng, 255));
    enum weir_status st = read_all(bytes, good.n);
    assert_in_range(st, WEIR_OK, WEIR_EIO + 1);
    n_refused += st != WEIR_OK;
  }
  /* Most bytes are addresses, of which any is as good. */
  assert_true(n_refused > TRIES / 10);
  free(bytes);
}

static void test_wrong_version(void **state) {
  (void)state;
  uint8_t bytes[64];
  memcpy(bytes, good.v, sizeof bytes);
  bytes[24]++;
  assert_int_equal(read_all(bytes, sizeof bytes), WEIR_EINVAL);
  assert_contains(err.msg, "versions 4 and 5");
  memcpy(bytes, good.v, sizeof bytes);
  bytes[16]++;
  assert_int_equal(read_all(bytes, sizeof bytes), WEIR_EPARSE);
}

static int read_without_memory(void) {
  return read_all(good.v, good.n) == WEIR_OK;
}

static void test_no_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(read_without_memory) > 10);
}

static int open_without_memory(void) {
  int fd[2], ok;
  struct weir_wire *w, *weir;
  struct weir_wire_options o = sample_options();
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) return 0;
  ok = !weir_wire_adopt(fd[1], &pool, &weir, &err);
  if (!ok) {
    close(fd[0]);
    return 0;
  }
  wire_put_hello(weir, NULL, &o);
  ok = !wire_flush(weir, &err);
  if (!ok) close(fd[0]);
  ok = ok && !weir_wire_open(fd[0], "prog", &w, &err);
  if (ok) {
    struct weir_kernel_info info = small_kernel();
    struct weir_wire_launch l = {.info = &info, .number = 1};
    ok = !weir_wire_begin(w, &l, &err);
    weir_wire_close(w);
  }
  weir_wire_close(weir);
  return ok;
}

static void test_program_without_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(open_without_memory) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_over_a_path),
      cmocka_unit_test(test_kernel_fails),
      cmocka_unit_test(test_weir_goes_first),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_good),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_changed),
      cmocka_unit_test(test_wrong_version),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_program_without_memory),
  };
  return cmocka_run_group_tests(tests, record_good, drop_good);
}
