/* Fat binaries: what nvcc puts beside the host code of a CUDA program. docs/fatbin.md has the form.
 *
 * A fat binary holds one program or more (images): one for each source file, or one for each object
 * that was linked with -rdc=true. An image holds the same code in several forms (entries): PTX or
 * SASS, for several architectures. weir executes PTX, so an image's use begins with a choice. */
#ifndef WEIR_CUDA_FATBIN_H
#define WEIR_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

enum { WEIR_FATBIN_MAGIC = 0x466243b1 };

/* What __cudaRegisterFatBinary is given. Version 1: `data` is a fat binary of one image, `aux` is
 * NULL. Version 2: `aux` is a list of such, ended by NULL, one for each linked object; `data` is
 * what the device linker made of them, SASS or nothing. */
struct weir_fatbin_wrapper {
  uint32_t magic, version;
  const void *data;
  const void *const *aux;
};

/* Other numbers are possible: such an entry is kept and never chosen. */
enum { WEIR_FATBIN_PTX = 1, WEIR_FATBIN_SASS = 2, WEIR_FATBIN_LTO = 8 };

enum {
  WEIR_FATBIN_64BIT = 0x1,
  WEIR_FATBIN_DEBUG = 0x2,
  WEIR_FATBIN_LINUX = 0x10,
  WEIR_FATBIN_LZ4 = 0x2000,
  WEIR_FATBIN_ZSTD = 0x8000,
  WEIR_FATBIN_ARCH = 0x100000,   /* compute_90a: for this compute capability only */
  WEIR_FATBIN_FAMILY = 0x200000, /* compute_100f: for this and later ones of its major number */
};

/* PTX text beyond this is refused, whatever its header says. */
enum { WEIR_FATBIN_MAX_TEXT = 256 << 20 };

struct weir_fatbin_entry {
  unsigned image; /* which one it belongs to, from 0 */
  unsigned kind;
  unsigned sm;         /* 75: compute capability 7.5 */
  unsigned version[2]; /* major, minor: the PTX ISA's for PTX */
  uint64_t flags;
  const uint8_t *data; /* as stored, padding included; inside what was opened */
  size_t data_bytes;
  size_t packed_bytes; /* of `data`, when compressed; 0: it is not */
  uint64_t text_bytes; /* once decompressed; 0: it is not compressed */
  const char *name;    /* of the source file, name_bytes without NUL; mostly there is none */
  size_t name_bytes;
  const char *options; /* for ptxas, as name; "--compile-only" of relocatable code */
  size_t options_bytes;
};

struct weir_fatbin {
  struct weir_fatbin_entry *v; /* image by image, in the order of the file */
  size_t n, cap;
  unsigned n_images;
};

/* Find the entries in `len` bytes that may be anything: fat binaries one after the other, as in the
 * section .nv_fatbin or __nv_relfatbin of a program. The bytes must outlive `f`, which holds
 * nothing after a failure. */
enum weir_status weir_fatbin_open(struct weir_fatbin *f, const void *bytes, size_t len,
                                  struct weir_err *err);
/* The same from the wrapper that a program registers. The program is trusted to have what its
 * headers say in memory. */
enum weir_status weir_fatbin_open_wrapper(struct weir_fatbin *f, const void *wrapper,
                                          struct weir_err *err);
void weir_fatbin_free(struct weir_fatbin *f);

/* The PTX of an image that a machine of compute capability `sm` runs: that for the highest one not
 * above it, and of two for the same the one without features of that architecture alone.
 * WEIR_ENOENT when there is none; the message says what there is and what to compile with. */
enum weir_status weir_fatbin_choose(const struct weir_fatbin *f, unsigned image, unsigned sm,
                                    const struct weir_fatbin_entry **out, struct weir_err *err);

/* The text of a PTX entry, decompressed, from malloc(): *len bytes without a NUL, then a NUL. */
enum weir_status weir_fatbin_text(const struct weir_fatbin_entry *e, char **text, size_t *len,
                                  struct weir_err *err);

/* "PTX for compute_90a", "SASS for sm_75", "kind 12 for sm_75". Returns `buf`, which needs
 * WEIR_FATBIN_LABEL bytes. */
enum { WEIR_FATBIN_LABEL = 48 };
const char *weir_fatbin_label(const struct weir_fatbin_entry *e, char *buf);

#endif
