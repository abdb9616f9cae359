#include "cuda/inspect.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text.h"
#include "cuda/fatbin.h"

/* A file in memory. Any number in it may be wrong: everything goes through part_at(). */
struct elf {
  const char *name; /* the user's, for messages */
  const uint8_t *bytes;
  uint64_t len;
  const Elf64_Shdr *sections;
  unsigned n_sections;
  const Elf64_Shdr *names; /* of the sections */
};

static const void *part_at(const struct elf *e, uint64_t at, uint64_t n, unsigned align) {
  if (at > e->len || n > e->len - at || at % align) return NULL;
  return e->bytes + at;
}

static const void *section_data(const struct elf *e, const Elf64_Shdr *s, unsigned align) {
  return s && s->sh_type != SHT_NOBITS ? part_at(e, s->sh_offset, s->sh_size, align) : NULL;
}

/* "" where there is no text. */
static const char *text_at(const struct elf *e, const Elf64_Shdr *table, uint64_t at) {
  const char *text = section_data(e, table, 1);
  if (!text || at >= table->sh_size || !memchr(text + at, 0, table->sh_size - at)) return "";
  return text + at;
}

static const Elf64_Shdr *section_of_type(const struct elf *e, uint32_t type) {
  for (unsigned i = 0; i < e->n_sections; i++)
    if (e->sections[i].sh_type == type) return &e->sections[i];
  return NULL;
}

static const Elf64_Shdr *section_named(const struct elf *e, const char *name) {
  for (unsigned i = 0; i < e->n_sections; i++)
    if (!strcmp(text_at(e, e->names, e->sections[i].sh_name), name)) return &e->sections[i];
  return NULL;
}

static const Elf64_Shdr *linked(const struct elf *e, const Elf64_Shdr *s) {
  return s && s->sh_link < e->n_sections ? &e->sections[s->sh_link] : NULL;
}

/* The table of sections, if there is a sound one. */
static void find_sections(struct elf *e) {
  const Elf64_Ehdr *h = part_at(e, 0, sizeof *h, 8);
  if (h->e_shentsize != sizeof(Elf64_Shdr)) return;
  e->sections = part_at(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), 8);
  if (!e->sections) return;
  e->n_sections = h->e_shnum;
  if (h->e_shstrndx < e->n_sections) e->names = &e->sections[h->e_shstrndx];
}

/* ---- what it needs ---- */

/* Calls `each` for every entry of the dynamic section. */
static void each_dynamic(const struct elf *e,
                         void (*each)(void *self, int64_t tag, const char *text), void *self) {
  const Elf64_Shdr *s = section_of_type(e, SHT_DYNAMIC);
  const Elf64_Dyn *d = section_data(e, s, 8);
  for (uint64_t i = 0; d && i < s->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++)
    each(self, d[i].d_tag, text_at(e, linked(e, s), d[i].d_un.d_val));
}

/* Imported under this name from some library. */
static bool imports(const struct elf *e, const char *name) {
  const Elf64_Shdr *s = section_of_type(e, SHT_DYNSYM);
  const Elf64_Sym *v = section_data(e, s, 8);
  for (uint64_t i = 0; v && i < s->sh_size / sizeof *v; i++)
    if (v[i].st_shndx == SHN_UNDEF && !strcmp(text_at(e, linked(e, s), v[i].st_name), name))
      return true;
  return false;
}

static bool starts(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

/* Libraries with kernels of their own, which are machine code. */
static bool is_math_library(const char *name) {
  static const char *const stems[] = {"libcublas",   "libcudnn",    "libcufft",    "libcurand",
                                      "libcusolver", "libcusparse", "libcutensor", "libnccl",
                                      "libnpp",      "libnvblas",   "libnvjpeg",   "libcudss"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
    if (starts(name, stems[i])) return true;
  return false;
}

enum { MAX_LISTED = 400 }; /* bytes of names: the remedy must have room, too */

struct needs {
  struct weir_inspection *out;
  struct weir_text math; /* "libcublas.so.13, libcufft.so.12" */
  bool has_runpath;
};

static void note_dynamic(void *self, int64_t tag, const char *text) {
  struct needs *n = self;
  if (tag == DT_RPATH) n->out->has_rpath = true;
  if (tag == DT_RUNPATH) n->has_runpath = true;
  if (tag != DT_NEEDED) return;
  if (starts(text, "libcudart.so")) snprintf(n->out->runtime, sizeof n->out->runtime, "%s", text);
  if (starts(text, "libcuda.so")) n->out->needs_driver = true;
  if (is_math_library(text) && n->math.n < MAX_LISTED)
    weir_text_printf(&n->math, "%s%.60s", n->math.n ? ", " : "", text);
}

static enum weir_status check_math(const struct elf *e, const struct weir_text *math,
                                   struct weir_err *err) {
  if (math->failed) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (!math->n) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "%s uses %s, whose kernels are machine code for GPUs; weir executes PTX", e->name,
            math->v);
  weir_err_add(err, "remedy: build the program without it, with kernels of its own instead");
  return WEIR_EINVAL;
}

/* ---- how the runtime is linked ---- */

static enum weir_status runtime_inside(const struct elf *e, struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL,
            "%s has the CUDA runtime linked into it, which is what nvcc does unless told "
            "otherwise;\nweir can take the place of a shared one only",
            e->name);
  weir_err_add(err, "remedy: add -cudart shared where nvcc links the program: nvcc -cudart shared "
                    "...");
  weir_err_add(err, "        with CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared");
  weir_err_add(err, "        with another linker: -lcudart instead of -lcudart_static");
  return WEIR_EINVAL;
}

/* A library that stands in for `name` must be there. */
static enum weir_status check_stand_in(const struct elf *e, const char *name, const char *folder,
                                       struct weir_err *err) {
  char path[4096];
  if (!*name) return WEIR_OK;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (access(path, R_OK) == 0) return WEIR_OK;
  bool is_other = access(folder, X_OK) == 0;
  weir_fail(err, WEIR_EINVAL, "%s needs %s, and weir has none to take its place in %s", e->name,
            name, folder);
  if (is_other)
    weir_err_add(err, "remedy: compile the program with the nvcc of CUDA 11, 12 or 13");
  else
    weir_err_add(err, "remedy: that folder is not there: build or install all of weir, or name the "
                      "folder in $WEIR_CUDA");
  return WEIR_EINVAL;
}

static enum weir_status check_runtime(const struct elf *e, const struct weir_inspection *in,
                                      bool has_code, const char *folder, struct weir_err *err) {
  /* Some library may bring the runtime along: then the program names none, but imports from it. */
  if (has_code && !*in->runtime && !imports(e, "__cudaRegisterFatBinary"))
    return runtime_inside(e, err);
  enum weir_status st = check_stand_in(e, in->runtime, folder, err);
  return st || !in->needs_driver ? st : check_stand_in(e, "libcuda.so.1", folder, err);
}

/* ---- its device code ---- */

/* Launching kernels from kernels needs functions of libcudadevrt, which are declared then. That
 * library defines them itself. */
static bool launches_from_device(const char *text, size_t n) {
  static const char name[] = "LaunchDevice", external[] = ".extern";
  const char *end = text + n, *at = text;
  while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1))) {
    const char *line = at;
    while (line > text && line[-1] != '\n')
      line--;
    if (!strncmp(line, external, sizeof external - 1)) return true;
    at += sizeof name - 1;
  }
  return false;
}

static enum weir_status check_image(const struct elf *e, const struct weir_fatbin_entry *entry,
                                    struct weir_err *err) {
  struct weir_err why;
  char *text;
  size_t n;
  enum weir_status st = weir_fatbin_text(entry, &text, &n, &why);
  if (st) return weir_fail(err, st, "%s: %s", e->name, why.msg);
  bool is_nested = launches_from_device(text, n);
  free(text);
  if (!is_nested) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL,
            "%s launches kernels from kernels (dynamic parallelism), which weir "
            "does not do",
            e->name);
  weir_err_add(err, "remedy: launch them from the host");
  return WEIR_EINVAL;
}

struct device_code {
  unsigned n_images, n_usable;
  struct weir_err none; /* why an image has no usable PTX, one that has other PTX if there is any */
  bool none_is_of_ptx;
};

static void note_unusable(struct device_code *c, const struct weir_fatbin *f, unsigned image,
                          const struct weir_err *why) {
  bool has_ptx = false;
  for (size_t i = 0; i < f->n; i++)
    has_ptx |= f->v[i].image == image && f->v[i].kind == WEIR_FATBIN_PTX;
  if (c->none.code && (c->none_is_of_ptx || !has_ptx)) return;
  c->none = *why;
  c->none_is_of_ptx = has_ptx;
}

static enum weir_status check_section(const struct elf *e, const char *section, unsigned sm,
                                      struct device_code *c, struct weir_err *err) {
  const Elf64_Shdr *s = section_named(e, section);
  const void *bytes = section_data(e, s, 1);
  struct weir_fatbin f;
  struct weir_err why;
  if (!bytes || !s->sh_size) return WEIR_OK;
  enum weir_status st = weir_fatbin_open(&f, bytes, s->sh_size, &why);
  if (st) return weir_fail(err, st, "%s: section %s: %s", e->name, section, why.msg);
  for (unsigned i = 0; !st && i < f.n_images; i++) {
    const struct weir_fatbin_entry *entry;
    c->n_images++;
    if (!weir_fatbin_choose(&f, i, sm, &entry, &why)) {
      c->n_usable++;
      st = check_image(e, entry, err);
    } else {
      note_unusable(c, &f, i, &why);
    }
  }
  weir_fatbin_free(&f);
  return st;
}

/* An image without PTX is no reason to refuse a program: libcudadevrt has PTX for the newest
 * machines only, and nobody may want its kernels. A program of nothing but such images is refused.
 */
static enum weir_status check_code(const struct elf *e, unsigned sm, struct weir_err *err) {
  struct device_code c = {0};
  enum weir_status st = check_section(e, "__nv_relfatbin", sm, &c, err);
  bool is_linked = c.n_images > 0; /* then .nv_fatbin has what the device linker made of it */
  if (!st && !is_linked) st = check_section(e, ".nv_fatbin", sm, &c, err);
  if (st || c.n_usable || !c.n_images) return st;
  return weir_fail(err, WEIR_EINVAL, "%s: %s", e->name, c.none.msg);
}

/* ---- the file ---- */

static enum weir_status inspect_elf(const struct elf *e, unsigned sm, const char *folder,
                                    struct weir_inspection *out, struct weir_err *err) {
  struct needs n = {.out = out};
  bool has_code = section_named(e, ".nv_fatbin") || section_named(e, "__nv_relfatbin");
  each_dynamic(e, note_dynamic, &n);
  out->has_rpath &= !n.has_runpath; /* which wins, and comes after $LD_LIBRARY_PATH */
  out->is_cuda = has_code || *out->runtime || out->needs_driver || n.math.n;
  enum weir_status st = check_runtime(e, out, has_code, folder, err);
  if (!st) st = check_math(e, &n.math, err);
  if (!st && has_code) st = check_code(e, sm, err);
  weir_text_free(&n.math);
  return st;
}

static bool is_elf64(const struct elf *e) {
  const Elf64_Ehdr *h = part_at(e, 0, sizeof *h, 8);
  return h && !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
         h->e_ident[EI_DATA] == ELFDATA2LSB;
}

enum weir_status weir_inspect(const char *path, const char *name, unsigned sm, const char *folder,
                              struct weir_inspection *out, struct weir_err *err) {
  struct elf e = {.name = name};
  struct stat info;
  *out = (struct weir_inspection){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == EACCES ? WEIR_OK /* it may be run, but not be read */
                           : weir_fail(err, WEIR_ENOENT, "%s: %s", name, strerror(errno));
  enum weir_status st = weir_input_opened(fd, name, NULL, err);
  if (!st && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    e.len = (uint64_t)info.st_size;
    void *bytes = mmap(NULL, e.len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) e.bytes = bytes;
  }
  close(fd);
  if (st || !e.bytes) return st;
  if (is_elf64(&e)) {
    find_sections(&e);
    st = inspect_elf(&e, sm, folder, out, err);
  }
  munmap((void *)(uintptr_t)e.bytes, e.len);
  return st;
}
