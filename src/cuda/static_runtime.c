#include "cuda/static_runtime.h"

#include <stdlib.h>
#include <string.h>

/* The names that weir's libraries have. */
static const char *const known[] = {
#define CUDA_WORKS(name)   #name,
#define CUDA_OLD(name)     #name,
#define CUDA_REFUSED(name) #name,
#include "cuda/runtime/symbols.def"
#undef CUDA_WORKS
#undef CUDA_OLD
#undef CUDA_REFUSED
};

static bool starts(const char *text, const char *with) {
  return !strncmp(text, with, strlen(with));
}

/* The same text as one of these, or NULL. */
static const char *find_known(const char *name) {
  if (!starts(name, "cuda") && !starts(name, "__cuda")) return NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i], name)) return known[i];
  return NULL;
}

/* What NVIDIA calls the functions inside: libcudart_static_<hash> since CUDA 11, __cudart<number>
 * before and beside. */
static bool is_mark(const char *name) {
  static const char since[] = "libcudart_static_", before[] = "__cudart";
  if (starts(name, since)) {
    size_t n = strspn(name + sizeof since - 1, "0123456789abcdef");
    return n >= 8 && !name[sizeof since - 1 + n];
  }
  if (!starts(name, before)) return false;
  size_t n = strspn(name + sizeof before - 1, "0123456789");
  return n > 0 && !name[sizeof before - 1 + n];
}

static bool is_function(const Elf64_Sym *s) {
  return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_value != 0;
}

/* ---- what is there ---- */

enum { MIN_MARKS = 20 }; /* of several hundred */

struct marks {
  unsigned n;
  uint64_t from, to; /* the first and the last of them */
};

static struct marks find_marks(const struct weir_elf *e, const struct weir_elf_symbols *all) {
  struct marks m = {.from = UINT64_MAX};
  for (uint64_t i = 0; i < all->n; i++) {
    const Elf64_Sym *s = &all->v[i];
    if (!is_function(s) || !is_mark(weir_elf_text(e, all->texts, s->st_name))) continue;
    m.n++;
    if (s->st_value < m.from) m.from = s->st_value;
    if (s->st_value > m.to) m.to = s->st_value;
  }
  return m;
}

/* The library is one object, which comes in as a whole. The program can have functions of these
 * names beside it only as local ones: then a name is there twice, which is a doubt (below). */
static bool is_inside(const struct marks *m, const Elf64_Sym *s) {
  return s->st_value >= m->from && s->st_value <= m->to;
}

/* ---- its version ---- */

/* By names that came and went: texture references went with CUDA 12, cudaThreadSynchronize with 13,
 * which has copies in batches of a new kind. What is older or newer has other arguments. */
struct traits {
  bool configures, binds, old_threads, discards;
};

static void note_trait(struct traits *t, const char *name) {
  t->configures |= !strcmp(name, "cudaConfigureCall");
  t->binds |= !strcmp(name, "cudaBindTexture");
  t->old_threads |= !strcmp(name, "cudaThreadSynchronize");
  t->discards |= !strcmp(name, "cudaMemDiscardBatchAsync");
}

static const char *library_of(const struct traits *t) {
  if (t->configures) return NULL;
  if (t->binds) return "libcudart.so.11.0";
  if (t->old_threads) return "libcudart.so.12";
  return t->discards ? "libcudart.so.13" : NULL;
}

/* ---- its entry points ---- */

static int by_value(const void *a, const void *b) {
  uint64_t x = ((const struct weir_static_entry *)a)->value;
  uint64_t y = ((const struct weir_static_entry *)b)->value;
  return (x > y) - (x < y);
}

static void doubt(struct weir_static_runtime *r, const char *name) {
  r->state = WEIR_STATIC_DOUBTFUL;
  r->doubt = name;
}

/* A jump fits into the function and the padding behind it; functions begin at multiples of 16. */
static bool has_room(const Elf64_Sym *s) {
  uint64_t end = s->st_size ? (s->st_value + s->st_size + 15) & ~UINT64_C(15) : s->st_value;
  return end >= s->st_value && end - s->st_value >= WEIR_STATIC_JUMP;
}

/* Sorted by address: no two may be the same function, nor two functions have one name. */
static void check_entries(struct weir_static_runtime *r) {
  qsort(r->v, r->n, sizeof *r->v, by_value);
  for (unsigned i = 1; i < r->n; i++)
    if (r->v[i].value - r->v[i - 1].value < WEIR_STATIC_JUMP) doubt(r, r->v[i].name);
  for (unsigned i = 0; i < r->n; i++)
    for (unsigned k = i + 1; k < r->n; k++)
      if (r->v[i].name == r->v[k].name) doubt(r, r->v[i].name);
}

static bool is_in(const struct weir_static_runtime *r, const char *name) {
  for (unsigned i = 0; i < r->n; i++)
    if (!strcmp(r->v[i].name, name)) return true;
  return false;
}

static void judge(struct weir_static_runtime *r, const struct traits *t) {
  r->library = library_of(t);
  if (!r->library) r->state = WEIR_STATIC_VERSION;
  if (r->state != WEIR_STATIC_FOUND) return;
  check_entries(r);
  static const char *const needed[] = {"__cudaRegisterFatBinary", "__cudaRegisterFunction",
                                       "cudaLaunchKernel", "cudaMalloc"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!is_in(r, needed[i])) doubt(r, needed[i]);
}

bool weir_static_runtime_find(struct weir_static_runtime *r, const struct weir_elf *e) {
  struct weir_elf_symbols all = weir_elf_symbols(e, SHT_SYMTAB);
  struct marks m = find_marks(e, &all);
  struct traits t = {0};
  *r = (struct weir_static_runtime){.doubt = ""};
  if (m.n < MIN_MARKS) return true;
  enum { MOST = 2 * sizeof known / sizeof *known };
  r->v = malloc(MOST * sizeof *r->v);
  if (!r->v) return false;
  r->state = WEIR_STATIC_FOUND;
  for (uint64_t i = 0; i < all.n; i++) {
    const Elf64_Sym *s = &all.v[i];
    const char *name = weir_elf_text(e, all.texts, s->st_name);
    if (!is_function(s) || !is_inside(&m, s)) continue;
    note_trait(&t, name);
    name = find_known(name);
    if (!name) continue;
    if (!has_room(s) || r->n == MOST) {
      doubt(r, name);
      continue;
    }
    r->v[r->n++] = (struct weir_static_entry){name, s->st_value};
  }
  judge(r, &t);
  return true;
}

void weir_static_runtime_free(struct weir_static_runtime *r) {
  free(r->v);
  *r = (struct weir_static_runtime){.doubt = ""};
}

bool weir_static_runtime_is_hidden(const struct weir_elf *e) {
  static const char message[] = "CUDA driver version is insufficient for CUDA runtime version";
  const Elf64_Shdr *s = weir_elf_named(e, ".rodata");
  const void *text = weir_elf_data(e, s, 1);
  return text && memmem(text, s->sh_size, message, sizeof message - 1);
}
