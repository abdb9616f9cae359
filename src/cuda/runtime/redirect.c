/* libweir_static.so, which is preloaded: programs and libraries that have the CUDA runtime linked
 * into them use weir's instead. It writes a jump over the beginning of each of the runtime's entry
 * points, as the file's table of symbols has them, before any code of the file runs: at the start
 * of the process for what is loaded then, and for what dlopen() brings before its constructors run.
 *
 * The jumps lead to a table beside the code, as that of a linker's PLT (a jump of five bytes
 * reaches 2 GB): the library of the right version is opened by the first call, not while the loader
 * is at work. A process without such a file pays for looking at the headers of its libraries. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/static_runtime.h"

/* ---- saying what cannot be done ---- */

static void say(const char *object, const char *what, const char *about) {
  fprintf(stderr,
          "weir: %s has the CUDA runtime linked into it, and its calls cannot be redirected: %s%s\n"
          "  remedy: add -cudart shared where nvcc links it\n",
          object, what, about);
}

/* ---- tables of jumps ---- */

/* One for each file that holds the runtime. It stays if the file goes. They are listed so that
 * tools that look for leaks find them. */
struct table {
  uint8_t *code;       /* N_HEAD bytes, then N_STUB for each entry */
  void **slots;        /* two for the head, then one for each entry */
  const char *library; /* "libcudart.so.13" */
  const char **names;  /* of the entries */
  unsigned n;
  struct table *next;
};
static struct table *tables;
enum { N_HEAD = 16, N_STUB = 16, N_SLOTS = 2 };

/* What a call goes to before its slot is filled: weir_redirect_first has the table and the number
 * of the entry on the stack, above it the return address; it keeps every register of arguments. */
void weir_redirect_first(void);
void *weir_redirect_resolve(struct table *t, uint64_t number);
__asm__(".text\n"
        ".hidden weir_redirect_first\n"
        ".hidden weir_redirect_resolve\n"
        ".globl weir_redirect_first\n"
        ".type weir_redirect_first, @function\n"
        "weir_redirect_first:\n"
        "  pushq %rbp\n"
        "  movq %rsp, %rbp\n"
        "  andq $-16, %rsp\n"
        "  subq $192, %rsp\n"
        "  movq %rax, 0(%rsp)\n"
        "  movq %rdi, 8(%rsp)\n"
        "  movq %rsi, 16(%rsp)\n"
        "  movq %rdx, 24(%rsp)\n"
        "  movq %rcx, 32(%rsp)\n"
        "  movq %r8, 40(%rsp)\n"
        "  movq %r9, 48(%rsp)\n"
        "  movq %r10, 56(%rsp)\n"
        "  movups %xmm0, 64(%rsp)\n"
        "  movups %xmm1, 80(%rsp)\n"
        "  movups %xmm2, 96(%rsp)\n"
        "  movups %xmm3, 112(%rsp)\n"
        "  movups %xmm4, 128(%rsp)\n"
        "  movups %xmm5, 144(%rsp)\n"
        "  movups %xmm6, 160(%rsp)\n"
        "  movups %xmm7, 176(%rsp)\n"
        "  movq 8(%rbp), %rdi\n"
        "  movq 16(%rbp), %rsi\n"
        "  call weir_redirect_resolve\n"
        "  movq %rax, %r11\n"
        "  movq 0(%rsp), %rax\n"
        "  movq 8(%rsp), %rdi\n"
        "  movq 16(%rsp), %rsi\n"
        "  movq 24(%rsp), %rdx\n"
        "  movq 32(%rsp), %rcx\n"
        "  movq 40(%rsp), %r8\n"
        "  movq 48(%rsp), %r9\n"
        "  movq 56(%rsp), %r10\n"
        "  movups 64(%rsp), %xmm0\n"
        "  movups 80(%rsp), %xmm1\n"
        "  movups 96(%rsp), %xmm2\n"
        "  movups 112(%rsp), %xmm3\n"
        "  movups 128(%rsp), %xmm4\n"
        "  movups 144(%rsp), %xmm5\n"
        "  movups 160(%rsp), %xmm6\n"
        "  movups 176(%rsp), %xmm7\n"
        "  movq %rbp, %rsp\n"
        "  popq %rbp\n"
        "  addq $16, %rsp\n"
        "  jmp *%r11\n"
        ".size weir_redirect_first, . - weir_redirect_first\n");

/* Beside this library. */
static void *open_library(const char *name) {
  Dl_info self;
  char path[4096];
  if (!dladdr((void *)(uintptr_t)open_library, &self)) return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash + 1 - self.dli_fname) : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, name) >= (int)sizeof path)
    return NULL;
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

static int not_there(void) {
  enum { NOT_SUPPORTED = 801 };
  return NOT_SUPPORTED;
}

/* Threads may come here at the same time: they find the same. */
void *weir_redirect_resolve(struct table *t, uint64_t number) {
  void *library = open_library(t->library);
  void *at = library ? dlsym(library, t->names[number]) : NULL;
  if (!at) {
    const char *why = library ? NULL : dlerror();
    fprintf(stderr, "weir: %s is not in %s beside libweir_static.so%s%s\n", t->names[number],
            t->library, why ? ": " : "", why ? why : "");
    at = (void *)(uintptr_t)not_there;
  }
  __atomic_store_n(&t->slots[N_SLOTS + number], at, __ATOMIC_RELEASE);
  return at;
}

static int64_t distance(const void *to, const void *from) {
  return (int64_t)((uintptr_t)to - (uintptr_t)from);
}

static void put_distance(uint8_t *at, const void *to) {
  int32_t d = (int32_t)distance(to, at + 4);
  memcpy(at, &d, sizeof d);
}

static void put_jump(uint8_t *at, const void *to) {
  *at = 0xe9; /* jmp */
  put_distance(at + 1, to);
}

/* An instruction of two bytes with the address of a slot: push or jmp. */
static void put_slot(uint8_t *at, uint8_t second, const void *slot) {
  at[0] = 0xff;
  at[1] = second;
  put_distance(at + 2, slot);
}

static uint8_t *stub(const struct table *t, unsigned i) {
  return t->code + N_HEAD + (size_t)N_STUB * i;
}

static void fill_code(struct table *t) {
  enum { PUSH = 0x35, JMP = 0x25, PUSH_NUMBER = 0x68 };
  put_slot(t->code, PUSH, &t->slots[0]);
  put_slot(t->code + 6, JMP, &t->slots[1]);
  t->slots[0] = t;
  t->slots[1] = (void *)(uintptr_t)weir_redirect_first;
  for (uint32_t i = 0; i < t->n; i++) {
    uint8_t *s = stub(t, i);
    put_slot(s, JMP, &t->slots[N_SLOTS + i]);
    s[6] = PUSH_NUMBER;
    memcpy(s + 7, &i, sizeof i);
    put_jump(s + 11, t->code);
    t->slots[N_SLOTS + i] = s + 6;
  }
}

static size_t pages(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (n + page - 1) / page * page;
}

static bool is_near(const uint8_t *a, const uint8_t *b) {
  const int64_t reach = INT64_C(0x7ff00000);
  return distance(a, b) < reach && distance(b, a) < reach;
}

/* Memory that jumps from `first` and `last` reach, in steps of 1 MB on both sides; below first,
 * since the heap of a program at a fixed address grows above it. */
static void *map_near(const uint8_t *first, const uint8_t *last, size_t n) {
  enum { STEP = 1 << 20, STEPS = 1900 };
  uintptr_t from = (uintptr_t)first & ~(uintptr_t)(STEP - 1);
  for (int64_t i = 1; i < 2 * STEPS; i++) {
    int64_t step = STEP * ((i + 1) / 2);
    uintptr_t at = i % 2 ? from - (uintptr_t)step : from + (uintptr_t)step;
    uint8_t *p = mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) continue;
    if (is_near(p, first) && is_near(p, last) && is_near(p + n, first)) return p;
    munmap(p, n);
  }
  return NULL;
}

static struct table *make_table(const struct weir_static_runtime *r, uintptr_t base) {
  size_t code = pages(N_HEAD + (size_t)N_STUB * r->n);
  size_t data = pages((N_SLOTS + r->n) * sizeof(void *));
  struct table *t = calloc(1, sizeof *t);
  const char **names = calloc(r->n, sizeof *names);
  uint8_t *memory = NULL;
  if (t && names)
    memory = map_near((const uint8_t *)(base + r->v[0].value),
                      (const uint8_t *)(base + r->v[r->n - 1].value), code + data);
  if (memory) {
    for (unsigned i = 0; i < r->n; i++)
      names[i] = r->v[i].name;
    *t = (struct table){.code = memory,
                        .slots = (void **)(void *)(memory + code),
                        .library = r->library,
                        .names = names,
                        .n = r->n,
                        .next = tables};
    fill_code(t);
    if (!mprotect(memory, code, PROT_READ | PROT_EXEC)) return tables = t;
    munmap(memory, code + data);
  }
  free(names);
  free(t);
  return NULL;
}

/* ---- writing into code ---- */

/* Bytes of a loaded file that are in the same place in memory. */
struct object {
  const char *name; /* of its file */
  uintptr_t base;
  const ElfW(Phdr) * segments;
  unsigned n_segments;
};

/* The executable segment that an address lies in, or NULL. */
static const ElfW(Phdr) * code_at(const struct object *o, uint64_t value) {
  for (unsigned i = 0; i < o->n_segments; i++) {
    const ElfW(Phdr) *p = &o->segments[i];
    if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && value >= p->p_vaddr &&
        value - p->p_vaddr <= p->p_filesz && p->p_filesz - (value - p->p_vaddr) >= WEIR_STATIC_JUMP)
      return p;
  }
  return NULL;
}

static bool set_access(const struct object *o, const ElfW(Phdr) * p, bool is_written) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = (o->base + p->p_vaddr) / page * page;
  int flags = (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0) |
              (is_written || p->p_flags & PF_W ? PROT_WRITE : 0);
  return !mprotect((void *)from, o->base + p->p_vaddr + p->p_memsz - from, flags);
}

/* The same in memory as in the file: nobody else has changed it, and it is not redirected yet. */
static bool is_as_stored(const struct object *o, const struct weir_elf *e, const ElfW(Phdr) * p,
                         uint64_t value) {
  const void *stored = weir_elf_part(e, p->p_offset + (value - p->p_vaddr), WEIR_STATIC_JUMP, 1);
  return stored && !memcmp(stored, (const void *)(o->base + value), WEIR_STATIC_JUMP);
}

/* Code that stays writable because its access cannot be changed back works as well. */
static bool write_jumps(const struct object *o, const struct weir_static_runtime *r,
                        const struct table *t, const ElfW(Phdr) * p) {
  if (!set_access(o, p, true)) return false;
  for (unsigned i = 0; i < r->n; i++)
    put_jump((uint8_t *)(o->base + r->v[i].value), stub(t, i));
  set_access(o, p, false);
  return true;
}

static void redirect(const struct object *o, const struct weir_elf *e,
                     const struct weir_static_runtime *r) {
  const ElfW(Phdr) *p = code_at(o, r->v[0].value);
  for (unsigned i = 0; i < r->n; i++) {
    if (!p || code_at(o, r->v[i].value) != p || !is_as_stored(o, e, p, r->v[i].value)) {
      say(o->name, "its code is not as in the file: ", r->v[i].name);
      return;
    }
  }
  struct table *t = make_table(r, o->base);
  if (!t)
    say(o->name, "there is no memory near its code", "");
  else if (!write_jumps(o, r, t, p))
    say(o->name, "its code cannot be written: ", strerror(errno));
}

/* ---- files ---- */

static void look_at_file(const struct object *o, const void *bytes, size_t n) {
  struct weir_elf e;
  struct weir_static_runtime r;
  if (!weir_elf_open(&e, bytes, n)) return;
  if (!weir_static_runtime_find(&r, &e)) say(o->name, "out of memory", "");
  if (r.state == WEIR_STATIC_FOUND) redirect(o, &e, &r);
  if (r.state == WEIR_STATIC_VERSION) say(o->name, "it is not that of CUDA 11, 12 or 13", "");
  if (r.state == WEIR_STATIC_DOUBTFUL) say(o->name, "it is not sure what is to be: ", r.doubt);
  weir_static_runtime_free(&r);
}

static void look_at(const struct object *o) {
  struct stat info;
  int fd = open(*o->name ? o->name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *bytes = MAP_FAILED;
  if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size > 0)
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED) return;
  struct object named = *o;
  if (!*o->name) named.name = "the program";
  look_at_file(&named, bytes, (size_t)info.st_size);
  munmap(bytes, (size_t)info.st_size);
}

/* ---- what is loaded ---- */

/* What was looked at: the addresses of their segments' tables, which are the objects' own. */
static struct {
  const void **v;
  size_t n, cap;
} seen;

static bool is_new(const void *segments) {
  for (size_t i = 0; i < seen.n; i++)
    if (seen.v[i] == segments) return false;
  return true;
}

static void note(const void *segments) {
  if (seen.n == seen.cap) {
    size_t cap = seen.cap ? 2 * seen.cap : 64;
    const void **v = realloc(seen.v, cap * sizeof *v);
    if (!v) return;
    seen.v = v;
    seen.cap = cap;
  }
  seen.v[seen.n++] = segments;
}

struct visit {
  const void **still; /* those of `seen` that are there */
  size_t n;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *self) {
  (void)size, (void)self;
  if (!is_new(info->dlpi_phdr)) return 0;
  struct object o = {.name = info->dlpi_name ? info->dlpi_name : "",
                     .base = info->dlpi_addr,
                     .segments = info->dlpi_phdr,
                     .n_segments = info->dlpi_phnum};
  note(info->dlpi_phdr);
  look_at(&o);
  return 0;
}

static int keep_object(struct dl_phdr_info *info, size_t size, void *self) {
  struct visit *v = self;
  (void)size;
  if (!is_new(info->dlpi_phdr) && v->n < seen.n) v->still[v->n++] = info->dlpi_phdr;
  return 0;
}

/* What was unloaded may come again, at the same place. */
static void forget_unloaded(void) {
  struct visit v = {.still = calloc(seen.n + 1, sizeof *v.still)};
  if (!v.still) return;
  dl_iterate_phdr(keep_object, &v);
  free(seen.v);
  seen.v = v.still;
  seen.cap = seen.n + 1;
  seen.n = v.n;
}

/* Called by the loader when it has mapped libraries or taken them away, with its lock held. */
static void loaded_or_unloaded(void) {
  int code = errno;
  if (_r_debug.r_state == RT_CONSISTENT) {
    forget_unloaded();
    dl_iterate_phdr(visit_object, NULL);
  }
  errno = code;
}

/* ---- being called by the loader ---- */

/* _r_debug.r_brk is a function of the loader that does nothing, and is called at every change: a
 * debugger has its breakpoint there. Between mapping a library and running its code nothing else of
 * the process is called. Where it is not that function as glibc has it, libraries that dlopen()
 * brings are not redirected. */
static bool is_empty_function(const uint8_t *code) {
  static const uint8_t with_mark[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3}; /* endbr64; ret */
  if (!memcmp(code, with_mark, sizeof with_mark)) return true;
  bool is_padded = (uintptr_t)code % 16 == 0 && code[0] == 0xc3;
  for (int i = 1; i < WEIR_STATIC_JUMP; i++) /* parts of nop of any length */
    is_padded &= code[i] == 0x90 || code[i] == 0x66 || code[i] == 0x2e || code[i] == 0x0f ||
                 code[i] == 0x1f || code[i] == 0x00 || code[i] == 0x84 || code[i] == 0xcc;
  return is_padded;
}

static int find_code(struct dl_phdr_info *info, size_t size, void *self) {
  struct object *o = self;
  struct object here = {
      .base = info->dlpi_addr, .segments = info->dlpi_phdr, .n_segments = info->dlpi_phnum};
  (void)size;
  if (!code_at(&here, _r_debug.r_brk - here.base)) return 0;
  *o = here;
  return 1;
}

static void follow_loader(void) {
  uint8_t *at = (uint8_t *)(uintptr_t)_r_debug.r_brk;
  struct object loader;
  if (!at || !dl_iterate_phdr(find_code, &loader) || !is_empty_function(at)) return;
  const ElfW(Phdr) *p = code_at(&loader, (uintptr_t)at - loader.base);
  size_t n = pages(N_STUB);
  uint8_t *stub = map_near(at, at, n);
  if (!stub) return;
  void *target = (void *)(uintptr_t)loaded_or_unloaded;
  put_slot(stub, 0x25, stub + 8); /* jmp *8(stub) */
  memcpy(stub + 8, &target, sizeof target);
  if (mprotect(stub, n, PROT_READ | PROT_EXEC) || !set_access(&loader, p, true)) return;
  put_jump(at, stub);
  set_access(&loader, p, false);
}

/* Linked with -z initfirst: before the constructors of the program and of its other libraries. */
__attribute__((constructor)) static void start(void) {
  dl_iterate_phdr(visit_object, NULL);
  follow_loader();
}
