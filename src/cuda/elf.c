#include "cuda/elf.h"

#include <string.h>

const void *weir_elf_part(const struct weir_elf *e, uint64_t at, uint64_t n, unsigned align) {
  if (at > e->len || n > e->len - at || at % align) return NULL;
  return e->bytes + at;
}

const void *weir_elf_data(const struct weir_elf *e, const Elf64_Shdr *s, unsigned align) {
  return s && s->sh_type != SHT_NOBITS ? weir_elf_part(e, s->sh_offset, s->sh_size, align) : NULL;
}

const char *weir_elf_text(const struct weir_elf *e, const Elf64_Shdr *table, uint64_t at) {
  const char *text = weir_elf_data(e, table, 1);
  if (!text || at >= table->sh_size || !memchr(text + at, 0, table->sh_size - at)) return "";
  return text + at;
}

const Elf64_Shdr *weir_elf_of_type(const struct weir_elf *e, uint32_t type) {
  for (unsigned i = 0; i < e->n_sections; i++)
    if (e->sections[i].sh_type == type) return &e->sections[i];
  return NULL;
}

const Elf64_Shdr *weir_elf_named(const struct weir_elf *e, const char *name) {
  for (unsigned i = 0; i < e->n_sections; i++)
    if (!strcmp(weir_elf_text(e, e->names, e->sections[i].sh_name), name)) return &e->sections[i];
  return NULL;
}

const Elf64_Shdr *weir_elf_linked(const struct weir_elf *e, const Elf64_Shdr *s) {
  return s && s->sh_link < e->n_sections ? &e->sections[s->sh_link] : NULL;
}

const Elf64_Phdr *weir_elf_segment(const struct weir_elf *e, uint32_t type) {
  const Elf64_Ehdr *h = weir_elf_part(e, 0, sizeof *h, 8);
  if (!h || h->e_phentsize != sizeof(Elf64_Phdr)) return NULL;
  const Elf64_Phdr *v = weir_elf_part(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof *v, 8);
  for (unsigned i = 0; v && i < h->e_phnum; i++)
    if (v[i].p_type == type) return &v[i];
  return NULL;
}

struct weir_elf_symbols weir_elf_symbols(const struct weir_elf *e, uint32_t type) {
  const Elf64_Shdr *s = weir_elf_of_type(e, type);
  const Elf64_Sym *v = weir_elf_data(e, s, 8);
  if (!v) return (struct weir_elf_symbols){0};
  return (struct weir_elf_symbols){v, s->sh_size / sizeof *v, weir_elf_linked(e, s)};
}

/* The table of sections, if there is a sound one. */
static void find_sections(struct weir_elf *e, const Elf64_Ehdr *h) {
  if (h->e_shentsize != sizeof(Elf64_Shdr)) return;
  e->sections = weir_elf_part(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), 8);
  if (!e->sections) return;
  e->n_sections = h->e_shnum;
  if (h->e_shstrndx < e->n_sections) e->names = &e->sections[h->e_shstrndx];
}

bool weir_elf_open(struct weir_elf *e, const void *bytes, uint64_t len) {
  *e = (struct weir_elf){.bytes = bytes, .len = len};
  const Elf64_Ehdr *h = weir_elf_part(e, 0, sizeof *h, 8);
  if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  find_sections(e, h);
  return true;
}
