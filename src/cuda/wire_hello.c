/* What the ends tell each other first: magic and version, then one of
 *   the program   1, process, name
 *   weir          2, the device, the settings, which launches are wanted
 * with numbers as LEB128 and texts with their length before them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cuda/wire_code.h"

static const uint64_t MAGIC = UINT64_C(0x0a65726977726977); /* "wirwire\n" */

enum { FROM_PROGRAM = 1, FROM_WEIR = 2, MAX_SETTINGS = 4096 };

#define FIELD(f) offsetof(struct weir_wire_device, f)
static const size_t device_fields[] = {
    FIELD(capability),        FIELD(sms),
    FIELD(warp_size),         FIELD(threads_per_sm),
    FIELD(threads_per_block), FIELD(blocks_per_sm),
    FIELD(registers_per_sm),  FIELD(registers_per_block),
    FIELD(shared_per_sm),     FIELD(shared_per_block),
    FIELD(shared_opt_in),     FIELD(memory_bytes),
    FIELD(l1_bytes),          FIELD(l2_bytes),
    FIELD(clock_khz),         FIELD(memory_clock_khz),
    FIELD(bus_bits),
};
#undef FIELD
enum { N_DEVICE_FIELDS = sizeof device_fields / sizeof *device_fields };
_Static_assert(sizeof(struct weir_wire_device) ==
                   sizeof(const char *) + N_DEVICE_FIELDS * sizeof(uint64_t),
               "every field is sent");

static uint64_t *device_field(struct weir_wire_device *d, size_t i) {
  return (uint64_t *)(void *)((char *)d + device_fields[i]);
}

static void put_options(struct wt_buf *b, const struct weir_wire_options *o) {
  struct weir_wire_device d = o->device;
  wt_buf_text(b, d.name);
  for (size_t i = 0; i < N_DEVICE_FIELDS; i++)
    wt_buf_leb(b, *device_field(&d, i));
  wt_buf_leb(b, o->n_settings);
  for (uint32_t i = 0; i < o->n_settings; i++) {
    wt_buf_text(b, o->settings[i].key);
    wt_buf_text(b, o->settings[i].value);
  }
  wt_buf_byte(b, (uint8_t)((o->kernels ? 1 : 0) | (o->want_streams ? 2 : 0) |
                           (o->want_modules ? 4 : 0) | (o->is_strict ? 8 : 0) |
                           (o->only_region ? 16 : 0)));
  wt_buf_text(b, o->kernels);
  wt_buf_leb(b, o->skip);
  wt_buf_leb(b, o->count);
}

void wire_put_hello(struct weir_wire *w, const char *program, const struct weir_wire_options *o) {
  struct wt_buf b = {0};
  wt_buf_byte(&b, o ? FROM_WEIR : FROM_PROGRAM);
  if (o) {
    put_options(&b, o);
  } else {
    wt_buf_leb(&b, (uint64_t)getpid());
    wt_buf_text(&b, program);
  }
  if (b.failed || b.n + 2 * sizeof(uint64_t) > WIRE_MAX_HELLO) {
    wire_fail(w, NULL, b.failed ? WEIR_ENOMEM : WEIR_EINVAL,
              b.failed ? "out of memory for a connection" : "options of more than 1 MiB");
  } else {
    wire_frame(w, WIRE_HELLO, 2 * sizeof(uint64_t) + b.n);
    wire_put64(w, MAGIC);
    wire_put64(w, WEIR_WIRE_VERSION);
    wire_put(w, b.v, b.n);
  }
  wt_buf_free(&b);
}

/* NULL and a bad cursor on nonsense; NULL with a good one without memory. */
static const char *get_text(struct weir_wire *w, struct wt_cursor *c) {
  uint64_t n = wt_read_leb(c);
  if (n > (size_t)(c->end - c->p) || memchr(c->p, 0, (size_t)n)) {
    c->is_bad = true;
    return NULL;
  }
  const char *text = weir_arena_strndup(&w->arena, (const char *)c->p, (size_t)n);
  c->p += n;
  return text;
}

static bool get_settings(struct weir_wire *w, struct wt_cursor *c) {
  uint32_t n = wt_read_u32(c);
  if (n > MAX_SETTINGS) c->is_bad = true;
  if (c->is_bad) return false;
  struct weir_wire_setting *v = weir_arena_array(&w->arena, n + (size_t)1, sizeof *v);
  if (!v) return false;
  w->options.settings = v;
  for (; w->options.n_settings < n; w->options.n_settings++, v++) {
    v->key = get_text(w, c);
    v->value = get_text(w, c);
    if (!v->key || !v->value) return false;
  }
  return true;
}

/* False without memory, or with a bad cursor. */
static bool get_options(struct weir_wire *w, struct wt_cursor *c) {
  struct weir_wire_options *o = &w->options;
  o->device.name = get_text(w, c);
  for (size_t i = 0; i < N_DEVICE_FIELDS; i++)
    *device_field(&o->device, i) = wt_read_leb(c);
  if (!o->device.name || !get_settings(w, c)) return false;
  uint8_t flags = wt_read_byte(c);
  const char *kernels = get_text(w, c);
  if (flags > 31) c->is_bad = true;
  o->kernels = flags & 1 ? kernels : NULL;
  o->want_streams = flags & 2;
  o->want_modules = flags & 4;
  o->is_strict = flags & 8;
  o->only_region = flags & 16;
  o->skip = wt_read_leb(c);
  o->count = wt_read_leb(c);
  return kernels && !c->is_bad;
}

static bool get_program(struct weir_wire *w, struct wt_cursor *c) {
  uint64_t pid = wt_read_leb(c);
  w->pid = (pid_t)pid;
  w->program = get_text(w, c);
  if (w->pid <= 0 || (uint64_t)w->pid != pid) c->is_bad = true;
  return w->program && !c->is_bad;
}

static enum weir_status check_version(struct weir_wire *w, bool is_child, struct weir_err *err) {
  uint64_t head[2];
  enum weir_status st = wire_take64(w, head, 2, err);
  if (st) return st;
  if (head[0] != MAGIC)
    return wire_fail(w, err, WEIR_EPARSE, "what is at the other end of the connection is not %s",
                     is_child ? "weir" : "a program that weir runs");
  if (head[1] == WEIR_WIRE_VERSION) return WEIR_OK;
  return wire_fail(w, err, WEIR_EINVAL,
                   "weir and the library that stands in for CUDA speak versions %llu and %llu: "
                   "they come from different builds",
                   (unsigned long long)(is_child ? head[1] : WEIR_WIRE_VERSION),
                   (unsigned long long)(is_child ? WEIR_WIRE_VERSION : head[1]));
}

enum weir_status wire_get_hello(struct weir_wire *w, bool is_child, struct weir_err *err) {
  char *bytes;
  size_t n;
  enum weir_status st = wire_head(w, err);
  if (!st && w->is_closed)
    st = wire_fail(w, err, WEIR_EIO, "the connection was closed before it began");
  if (!st && w->type != WIRE_HELLO)
    st = wire_fail(w, err, WEIR_EPARSE, "a connection that begins without a hello");
  if (!st) st = check_version(w, is_child, err);
  if (!st) st = wire_rest(w, WIRE_MAX_HELLO, &bytes, &n, err);
  if (st) return st;
  struct wt_cursor c = {.p = (const uint8_t *)bytes, .end = (const uint8_t *)bytes + n};
  bool is_right = wt_read_byte(&c) == (is_child ? FROM_WEIR : FROM_PROGRAM);
  bool is_good = is_right && (is_child ? get_options(w, &c) : get_program(w, &c));
  bool is_bad = !is_right || c.is_bad || (is_good && c.p != c.end);
  free(bytes);
  if (is_bad) return wire_fail(w, err, WEIR_EPARSE, "a hello that makes no sense");
  return is_good ? WEIR_OK : wire_fail(w, err, WEIR_ENOMEM, "out of memory for a connection");
}
