#include "cuda/inspect.h"

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
#include "cuda/static_runtime.h"

/* The file, and what the user called it, for messages. */
struct file {
  const char *name;
  struct weir_elf elf;
};

/* ---- what it needs ---- */

/* Calls `each` for every entry of the dynamic section. */
static void each_dynamic(const struct file *e,
                         void (*each)(void *self, int64_t tag, const char *text), void *self) {
  const struct weir_elf *elf = &e->elf;
  const Elf64_Shdr *s = weir_elf_of_type(elf, SHT_DYNAMIC);
  const Elf64_Dyn *d = weir_elf_data(elf, s, 8);
  for (uint64_t i = 0; d && i < s->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++)
    each(self, d[i].d_tag, weir_elf_text(elf, weir_elf_linked(elf, s), d[i].d_un.d_val));
}

/* Imported under this name from some library. */
static bool imports(const struct file *e, const char *name) {
  struct weir_elf_symbols all = weir_elf_symbols(&e->elf, SHT_DYNSYM);
  for (uint64_t i = 0; i < all.n; i++)
    if (all.v[i].st_shndx == SHN_UNDEF &&
        !strcmp(weir_elf_text(&e->elf, all.texts, all.v[i].st_name), name))
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

static enum weir_status check_math(const struct file *e, const struct weir_text *math,
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

static enum weir_status no_symbols(const struct file *e, struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL,
            "%s has the CUDA runtime linked into it, which is what nvcc does unless told "
            "otherwise,\nand no table of symbols that says where: it is stripped",
            e->name);
  weir_err_add(err, "remedy: do not strip it (no -s, no strip), or add -cudart shared where nvcc "
                    "links it:\n          nvcc -cudart shared ...");
  weir_err_add(err, "        with CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared");
  weir_err_add(err, "        with another linker: -lcudart instead of -lcudart_static");
  return WEIR_EINVAL;
}

static enum weir_status not_redirected(const struct file *e, const char *why, const char *about,
                                       struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL, "%s has the CUDA runtime linked into it, and %s%.80s", e->name, why,
            about);
  weir_err_add(err, "remedy: link it with -cudart shared, and without -static: nvcc -cudart shared "
                    "...");
  return WEIR_EINVAL;
}

/* A library that stands in for `name` must be there. */
static enum weir_status check_stand_in(const struct file *e, const char *name, const char *folder,
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

/* The runtime inside. A program that the dynamic loader does not load cannot be given anything. */
static enum weir_status check_inside(const struct file *e, const struct weir_static_runtime *r,
                                     struct weir_inspection *out, const char *folder,
                                     struct weir_err *err) {
  if (r->state == WEIR_STATIC_VERSION)
    return not_redirected(e, "that is of another CUDA than 11, 12 or 13", "", err);
  if (r->state == WEIR_STATIC_DOUBTFUL)
    return not_redirected(e, "it is not sure which function of it is ", r->doubt, err);
  if (!weir_elf_segment(&e->elf, PT_INTERP))
    return not_redirected(e, "everything else, too (-static): no library can take its place", "",
                          err);
  out->is_inside = true;
  snprintf(out->runtime, sizeof out->runtime, "%s", r->library);
  return check_stand_in(e, r->library, folder, err);
}

static enum weir_status check_runtime(const struct file *e, struct weir_inspection *out,
                                      bool has_kernels, const char *folder, struct weir_err *err) {
  struct weir_static_runtime r;
  enum weir_status st = WEIR_OK;
  if (!weir_static_runtime_find(&r, &e->elf))
    return weir_fail(err, WEIR_ENOMEM, "%s: out of memory", e->name);
  /* nvcc links it into programs of the driver API, too, which never call it. */
  bool is_unknown = r.state == WEIR_STATIC_NONE && has_kernels && !*out->runtime &&
                    !out->needs_driver && !imports(e, "__cudaRegisterFatBinary");
  if (is_unknown && weir_static_runtime_is_hidden(&e->elf)) {
    st = no_symbols(e, err);
  } else if (r.state != WEIR_STATIC_NONE) {
    st = check_inside(e, &r, out, folder, err);
  } else {
    st = check_stand_in(e, out->runtime, folder, err);
  }
  if (!st && out->needs_driver) st = check_stand_in(e, "libcuda.so.1", folder, err);
  weir_static_runtime_free(&r);
  return st;
}

/* ---- its device code ---- */

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

/* The next place where `name` stands as a whole word, or NULL. */
static const char *next_word(const char *at, const char *end, const char *name) {
  size_t n = strlen(name);
  const char *begin = at;
  while ((at = memmem(at, (size_t)(end - at), name, n))) {
    bool is_begin = at == begin || !is_word(at[-1]), is_end = at + n == end || !is_word(at[n]);
    if (is_begin && is_end) return at;
    at += n;
  }
  return NULL;
}

/* Used, not just declared or described: not in a line with .extern, .func or a comment. */
static bool is_called(const char *text, size_t n, const char *name) {
  const char *end = text + n;
  for (const char *at = next_word(text, end, name); at; at = next_word(at + 1, end, name)) {
    const char *line = at;
    while (line > text && line[-1] != '\n')
      line--;
    size_t before = (size_t)(at - line);
    if (!memmem(line, before, ".func", 5) && !memmem(line, before, "//", 2)) return true;
  }
  return false;
}

/* Launching kernels from kernels is a call of these functions of libcudadevrt. That library, which
 * CUDA 11 links into every program, has them, and calls others (cnpLaunchDevice). */
static bool launches_from_device(const char *text, size_t n) {
  static const char *const names[] = {"cudaLaunchDevice",
                                      "cudaLaunchDeviceV2",
                                      "cudaLaunchDevice_ptsz",
                                      "cudaLaunchDeviceV2_ptsz",
                                      "__cudaCDP2LaunchDevice",
                                      "__cudaCDP2LaunchDeviceV2",
                                      "__cudaCDP2LaunchDevice_ptsz",
                                      "__cudaCDP2LaunchDeviceV2_ptsz"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_called(text, n, names[i])) return true;
  return false;
}

/* libcudadevrt's own image, whose kernels nobody launches by name. */
static bool is_device_runtime(const char *text, size_t n) {
  return memmem(text, n, "cuda_device_runtime", 19) && memmem(text, n, "cnpLaunchDevice", 15);
}

/* nvcc puts an image of machine code without a kernel into every program. The names of a kernel's
 * sections begin with .text. */
static bool may_have_kernels(const struct weir_fatbin *f, unsigned image) {
  for (size_t i = 0; i < f->n; i++) {
    const struct weir_fatbin_entry *e = &f->v[i];
    if (e->image == image && (e->kind != WEIR_FATBIN_SASS || e->packed_bytes ||
                              memmem(e->data, e->data_bytes, ".text.", 6)))
      return true;
  }
  return false;
}

static enum weir_status check_image(const struct file *e, const struct weir_fatbin_entry *entry,
                                    bool *is_own, struct weir_err *err) {
  struct weir_err why;
  char *text;
  size_t n;
  enum weir_status st = weir_fatbin_text(entry, &text, &n, &why);
  if (st) return weir_fail(err, st, "%s: %s", e->name, why.msg);
  *is_own = !is_device_runtime(text, n);
  bool is_nested = *is_own && launches_from_device(text, n);
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

static enum weir_status check_section(const struct file *e, const char *section, unsigned sm,
                                      struct device_code *c, struct weir_err *err) {
  const Elf64_Shdr *s = weir_elf_named(&e->elf, section);
  const void *bytes = weir_elf_data(&e->elf, s, 1);
  struct weir_fatbin f;
  struct weir_err why;
  if (!bytes || !s->sh_size) return WEIR_OK;
  enum weir_status st = weir_fatbin_open(&f, bytes, s->sh_size, &why);
  if (st) return weir_fail(err, st, "%s: section %s: %s", e->name, section, why.msg);
  for (unsigned i = 0; !st && i < f.n_images; i++) {
    const struct weir_fatbin_entry *entry;
    bool is_own = true;
    if (!may_have_kernels(&f, i)) continue;
    if (!weir_fatbin_choose(&f, i, sm, &entry, &why)) {
      st = check_image(e, entry, &is_own, err);
      c->n_images += is_own;
      c->n_usable += is_own;
    } else {
      c->n_images++;
      note_unusable(c, &f, i, &why);
    }
  }
  weir_fatbin_free(&f);
  return st;
}

/* An image without PTX is no reason to refuse a program: libcudadevrt has PTX for the newest
 * machines only, and nobody may want its kernels; and with -rdc=true .nv_fatbin has what the device
 * linker made of __nv_relfatbin. A program of nothing but such images is refused. */
static enum weir_status check_code(const struct file *e, unsigned sm, struct device_code *c,
                                   struct weir_err *err) {
  enum weir_status st = check_section(e, "__nv_relfatbin", sm, c, err);
  if (!st) st = check_section(e, ".nv_fatbin", sm, c, err);
  if (st || c->n_usable || !c->n_images) return st;
  return weir_fail(err, WEIR_EINVAL, "%s: %s", e->name, c->none.msg);
}

/* ---- the file ---- */

static bool has_section(const struct file *e, const char *name) {
  return weir_elf_named(&e->elf, name) != NULL;
}

static enum weir_status inspect_elf(const struct file *e, unsigned sm, const char *folder,
                                    struct weir_inspection *out, struct weir_err *err) {
  struct needs n = {.out = out};
  struct device_code code = {0};
  struct weir_err code_err;
  bool has_code = has_section(e, ".nv_fatbin") || has_section(e, "__nv_relfatbin");
  each_dynamic(e, note_dynamic, &n);
  out->has_rpath &= !n.has_runpath; /* which wins, and comes after $LD_LIBRARY_PATH */
  out->is_cuda = has_code || *out->runtime || out->needs_driver || n.math.n;
  enum weir_status of_code = has_code ? check_code(e, sm, &code, &code_err) : WEIR_OK;
  enum weir_status st = check_runtime(e, out, of_code || code.n_images, folder, err);
  out->is_cuda |= out->is_inside || st;
  if (!st) st = check_math(e, &n.math, err);
  if (!st && of_code) {
    *err = code_err;
    st = of_code;
  }
  weir_text_free(&n.math);
  return st;
}

enum weir_status weir_inspect(const char *path, const char *name, unsigned sm, const char *folder,
                              struct weir_inspection *out, struct weir_err *err) {
  struct file e = {.name = name};
  struct stat info;
  void *bytes = MAP_FAILED;
  *out = (struct weir_inspection){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno == EACCES ? WEIR_OK /* it may be run, but not be read */
                           : weir_fail(err, WEIR_ENOENT, "%s: %s", name, strerror(errno));
  enum weir_status st = weir_input_opened(fd, name, NULL, err);
  if (!st && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (st || bytes == MAP_FAILED) return st;
  if (weir_elf_open(&e.elf, bytes, (uint64_t)info.st_size))
    st = inspect_elf(&e, sm, folder, out, err);
  munmap(bytes, (size_t)info.st_size);
  return st;
}
