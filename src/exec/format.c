/* printf of device code. The compiler stores the arguments one behind the other, each promoted as
 * in C and aligned to its size, and hands over two addresses: the format's and theirs. Each
 * conversion is carried out by the host's printf, as CUDA does it. */
#include "exec/format.h"

#include <stdio.h>
#include <string.h>

#include "exec/builtin.h"

enum {
  MAX_ARGS = 32,   /* CUDA's: conversions beyond them are printed as they are written */
  MAX_WIDTH = 4095 /* of a field, as much as C demands; more is cut, as it is hardly meant */
};

struct conversion {
  const char *at; /* the % */
  size_t n;       /* characters of the whole conversion */
  char flags[8];
  int width, precision;            /* -1: not given */
  bool star_width, star_precision; /* they are arguments */
  char length[3];                  /* "", "hh", "h", "l", "ll" or "L" */
  char type;
};

struct printing {
  struct ptx_warp *w;
  uint32_t lane;
  uint64_t args, offset; /* address of the arguments, first byte that was not taken */
  unsigned n_done;       /* conversions */
  size_t cost;           /* bytes that this would take in CUDA's buffer */
  struct weir_text *out;
};

void ptx_format_string(struct ptx_warp *w, uint32_t lane, uint64_t addr, size_t max,
                       struct weir_text *out) {
  uint64_t left;
  const uint8_t *p = ptx_lane_bytes(w, lane, addr, &left);
  if (p == NULL) return;
  size_t n = left < max ? (size_t)left : max;
  const uint8_t *end = memchr(p, 0, n);
  if (end != NULL)
    n = (size_t)(end - p);
  else if (left < max) /* it runs over the end of its object */
    ptx_lane_bytes(w, lane, addr + left, &left);
  weir_text_add(out, (const char *)p, n);
}

/* The next argument of 4 or 8 bytes. */
static uint64_t take(struct printing *p, unsigned bytes) {
  uint64_t at = p->args + ((p->offset + bytes - 1) & ~(uint64_t)(bytes - 1)), left, v = 0;
  p->offset = at - p->args + bytes;
  p->cost += 8;
  const uint8_t *from = ptx_lane_bytes(p->w, p->lane, at, &left);
  if (from != NULL && left >= bytes)
    memcpy(&v, from, bytes);
  else if (from != NULL) /* an argument that lies half in memory */
    ptx_lane_bytes(p->w, p->lane, at + left, &left);
  return v;
}

static int number(const char **s) {
  int v = 0;
  for (; **s >= '0' && **s <= '9'; (*s)++)
    v = v < MAX_WIDTH ? 10 * v + (**s - '0') : v;
  return v < MAX_WIDTH ? v : MAX_WIDTH;
}

/* conversion = "%" flags [width | "*"] ["." [precision | "*"]] [length] type; false: it is none */
static bool parse(const char *s, struct conversion *c) {
  *c = (struct conversion){.at = s++, .width = -1, .precision = -1};
  for (size_t n = 0; *s != 0 && strchr("-+ #0", *s) != NULL; s++)
    if (strchr(c->flags, *s) == NULL && n + 1 < sizeof c->flags) c->flags[n++] = *s;
  if (*s == '*')
    c->star_width = true, s++;
  else if (*s >= '0' && *s <= '9')
    c->width = number(&s);
  if (*s == '.') {
    s++;
    if (*s == '*')
      c->star_precision = true, s++;
    else
      c->precision = number(&s);
  }
  static const char *const lengths[] = {"hh", "h", "ll", "l", "L"}; /* CUDA knows no others */
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths && c->length[0] == 0; i++)
    if (strncmp(s, lengths[i], strlen(lengths[i])) == 0) strcpy(c->length, lengths[i]);
  s += strlen(c->length);
  c->type = *s;
  c->n = (size_t)(s - c->at) + (*s != 0);
  if (*s == '%') return c->n == 2; /* "%5%" is printed as it is written */
  return *s != 0 && strchr("diouxXcspeEfFgGaA", *s) != NULL;
}

static int star(struct printing *p) {
  int32_t v = (int32_t)(uint32_t)take(p, 4);
  return v > MAX_WIDTH ? MAX_WIDTH : v < -MAX_WIDTH ? -MAX_WIDTH : v;
}

static void put_string(struct printing *p, const char *spec, const struct conversion *c,
                       uint64_t addr) {
  struct weir_text s = {0};
  if (addr == 0) /* as glibc does it, which CUDA leaves it to */
    weir_text_puts(&s, c->precision >= 0 && c->precision < 6 ? "" : "(null)");
  else
    ptx_format_string(p->w, p->lane, addr, c->precision >= 0 ? (size_t)c->precision : SIZE_MAX, &s);
  weir_text_printf(p->out, spec, s.v != NULL ? s.v : "");
  p->cost += s.n;
  p->out->failed |= s.failed;
  weir_text_free(&s);
}

static void put(struct printing *p, struct conversion *c) {
  char spec[64];
  if (c->star_width) {
    int w = star(p);
    if (w < 0 && strchr(c->flags, '-') == NULL) strcat(c->flags, "-");
    c->width = w < 0 ? -w : w;
  }
  if (c->star_precision) c->precision = star(p); /* a negative one counts as none */
  size_t n = (size_t)snprintf(spec, sizeof spec, "%%%s", c->flags);
  if (c->width >= 0) n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", c->width);
  if (c->precision >= 0) n += (size_t)snprintf(spec + n, sizeof spec - n, ".%d", c->precision);
  bool is_long = c->length[0] == 'l';
  switch (c->type) {
  case '%':
    weir_text_add(p->out, "%", 1);
    return;
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    snprintf(spec + n, sizeof spec - n, "%s%c", c->length, c->type);
    if (!is_long)
      weir_text_printf(p->out, spec, (unsigned)take(p, 4));
    else if (c->length[1] == 'l')
      weir_text_printf(p->out, spec, (unsigned long long)take(p, 8));
    else
      weir_text_printf(p->out, spec, (unsigned long)take(p, 8));
    return;
  case 'c':
    snprintf(spec + n, sizeof spec - n, "c");
    weir_text_printf(p->out, spec, (int)take(p, 4));
    return;
  case 's':
    snprintf(spec + n, sizeof spec - n, "s");
    put_string(p, spec, c, take(p, 8));
    return;
  case 'p':
    snprintf(spec + n, sizeof spec - n, "p");
    weir_text_printf(p->out, spec, (void *)(uintptr_t)take(p, 8));
    return;
  default: { /* floating point */
    uint64_t bits = take(p, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    snprintf(spec + n, sizeof spec - n, "%c", c->type);
    weir_text_printf(p->out, spec, v);
    return;
  }
  }
}

int32_t ptx_format(struct ptx_warp *w, uint32_t lane, uint64_t format, uint64_t args,
                   struct weir_text *out, size_t *cost) {
  *cost = 0;
  if (format == 0) return -1;
  struct weir_text text = {0};
  struct printing p = {.w = w, .lane = lane, .args = args, .cost = 8, .out = out};
  ptx_format_string(w, lane, format, SIZE_MAX, &text);
  const char *s = text.v != NULL ? text.v : "";
  while (*s != 0 && w->fault.kind == PTX_F_NONE) {
    size_t plain = strcspn(s, "%");
    weir_text_add(out, s, plain);
    s += plain;
    if (*s == 0) break;
    struct conversion c;
    bool is_one = parse(s, &c) && (c.type == '%' || p.n_done < MAX_ARGS);
    if (is_one)
      put(&p, &c);
    else
      weir_text_add(out, c.at, c.n);
    p.n_done += is_one && c.type != '%';
    s += c.n;
  }
  out->failed |= text.failed;
  weir_text_free(&text);
  *cost = p.cost;
  return (int32_t)p.n_done;
}
