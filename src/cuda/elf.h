/* Program files (ELF, 64 bits) in memory. Any number in one may be wrong: everything that is given
 * out lies inside the file. */
#ifndef WEIR_CUDA_ELF_H
#define WEIR_CUDA_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_elf {
  const uint8_t *bytes;
  uint64_t len;
  const Elf64_Shdr *sections; /* NULL: no sound table of them */
  unsigned n_sections;
  const Elf64_Shdr *names; /* of the sections */
};

/* false: no such file. */
bool weir_elf_open(struct weir_elf *e, const void *bytes, uint64_t len);

/* NULL: not inside the file, or not at a multiple of `align`. */
const void *weir_elf_part(const struct weir_elf *e, uint64_t at, uint64_t n, unsigned align);
const void *weir_elf_data(const struct weir_elf *e, const Elf64_Shdr *s, unsigned align);
/* "" where there is no text. */
const char *weir_elf_text(const struct weir_elf *e, const Elf64_Shdr *table, uint64_t at);

/* The first one, or NULL. */
const Elf64_Shdr *weir_elf_of_type(const struct weir_elf *e, uint32_t type);
const Elf64_Shdr *weir_elf_named(const struct weir_elf *e, const char *name);
/* The section that `s` names as its own: the texts of a table of symbols. */
const Elf64_Shdr *weir_elf_linked(const struct weir_elf *e, const Elf64_Shdr *s);
/* The first segment of a type. */
const Elf64_Phdr *weir_elf_segment(const struct weir_elf *e, uint32_t type);

/* A table of symbols: SHT_SYMTAB or SHT_DYNSYM. */
struct weir_elf_symbols {
  const Elf64_Sym *v;
  uint64_t n;
  const Elf64_Shdr *texts;
};
struct weir_elf_symbols weir_elf_symbols(const struct weir_elf *e, uint32_t type);

#endif
