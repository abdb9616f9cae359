/* Writes the PTX texts in the fat binaries of a program, each ended by a NUL, to stdout. For
 * kernels.py: Python cannot unpack all of nvcc's compressions. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cuda/elf.h"
#include "cuda/fatbin.h"

static bool write_text(const struct weir_fatbin_entry *e, struct weir_err *err) {
  char *text;
  size_t n;
  if (e->kind != WEIR_FATBIN_PTX) return true;
  if (weir_fatbin_text(e, &text, &n, err) != WEIR_OK) return false;
  fwrite(text, 1, n + 1, stdout);
  free(text);
  return true;
}

static bool write_section(const struct weir_elf *elf, const char *name, struct weir_err *err) {
  const Elf64_Shdr *s = weir_elf_named(elf, name);
  const void *bytes = weir_elf_data(elf, s, 1);
  struct weir_fatbin f;
  if (bytes == NULL || s->sh_size == 0) return true;
  if (weir_fatbin_open(&f, bytes, s->sh_size, err) != WEIR_OK) return false;
  bool ok = true;
  for (size_t i = 0; ok && i < f.n; i++)
    ok = write_text(&f.v[i], err);
  weir_fatbin_free(&f);
  return ok;
}

int main(int argc, char **argv) {
  struct weir_err err;
  struct weir_elf elf;
  char *bytes;
  size_t n;
  if (argc != 2 || weir_file_read(argv[1], 0, NULL, &bytes, &n, &err) != WEIR_OK) {
    fprintf(stderr, "%s\n", argc != 2 ? "usage: ptx PROGRAM" : err.msg);
    return 1;
  }
  bool is_elf = weir_elf_open(&elf, bytes, n);
  bool ok = is_elf && write_section(&elf, "__nv_relfatbin", &err) &&
            write_section(&elf, ".nv_fatbin", &err);
  if (!ok) fprintf(stderr, "%s: %s\n", argv[1], is_elf ? err.msg : "no program");
  free(bytes);
  return ok && fflush(stdout) == 0 ? 0 : 1;
}
