/* Program files made by hand around the fat binaries of data/: what is accepted, what is refused
 * and with which remedy; and damaged ones. */
#include "../base/testing.h"

#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/inspect.h"

enum { ROOM = 1 << 16, MAX_SECTIONS = 8 };

static const char *data_dir;
static struct weir_err err;
static struct weir_inspection found;
static char dir[] = "/tmp/weir-inspect-XXXXXX", path[64], stand_ins[64];

/* ---- an ELF file, section by section ---- */

struct file {
  uint8_t v[ROOM];
  size_t n;
  Elf64_Shdr section[MAX_SECTIONS];
  unsigned n_sections;
  char strings[2048];
  size_t n_strings;
};

static uint32_t string(struct file *f, const char *text) {
  size_t at = f->n_strings, n = strlen(text) + 1;
  assert_true(at + n <= sizeof f->strings);
  memcpy(f->strings + at, text, n);
  f->n_strings += n;
  return (uint32_t)at;
}

static void section(struct file *f, const char *name, uint32_t type, const void *bytes, size_t n) {
  f->n = (f->n + 7) & ~(size_t)7;
  assert_true(f->n + n <= sizeof f->v && f->n_sections < MAX_SECTIONS);
  if (n) memcpy(f->v + f->n, bytes, n);
  f->section[f->n_sections++] = (Elf64_Shdr){
      .sh_name = string(f, name), .sh_type = type, .sh_offset = f->n, .sh_size = n, .sh_link = 1};
  f->n += n;
}

/* Section 0 is nothing, section 1 all strings; dynamic entries and symbols follow. */
static struct file *begin(void) {
  struct file *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->n = sizeof(Elf64_Ehdr);
  string(f, "");
  section(f, "", SHT_NULL, NULL, 0);
  section(f, ".strings", SHT_STRTAB, NULL, 0);
  return f;
}

/* `needed` ends with NULL; `path_tag` is DT_RPATH, DT_RUNPATH or 0. */
static void dynamic(struct file *f, const char *const *needed, int64_t path_tag) {
  Elf64_Dyn d[16] = {0};
  size_t n = 0;
  for (; *needed; needed++)
    d[n++] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = string(f, *needed)};
  if (path_tag) d[n++] = (Elf64_Dyn){.d_tag = path_tag, .d_un.d_val = string(f, "/opt/cuda")};
  section(f, ".dynamic", SHT_DYNAMIC, d, (n + 1) * sizeof *d);
}

static void import(struct file *f, const char *name) {
  Elf64_Sym s[2] = {{0}, {.st_name = string(f, name)}};
  section(f, ".dynsym", SHT_DYNSYM, s, sizeof s);
}

static void device_code(struct file *f, const char *section_name, const char *name) {
  char from[600], *v;
  size_t n;
  snprintf(from, sizeof from, "%s/%s.fatbin", data_dir, name);
  if (weir_file_read(from, 0, NULL, &v, &n, &err)) fail_msg("%s", err.msg);
  section(f, section_name, SHT_PROGBITS, v, n);
  free(v);
}

/* A fat binary of one image: raw PTX of this text for compute_75. */
static void device_text(struct file *f, const char *text) {
  uint8_t v[1024] = {0};
  size_t n = strlen(text), padded = (n + 8) & ~(size_t)7;
  uint32_t magic = 0xba55ed50, header = 64, sm = 75;
  uint64_t all = header + padded, flags = 0x11;
  memcpy(v, &magic, 4);
  v[4] = 1;
  v[6] = 16;
  memcpy(v + 8, &all, 8);
  uint8_t *e = v + 16;
  e[0] = e[2] = e[3] = 1;
  memcpy(e + 4, &header, 4);
  memcpy(e + 8, &padded, 8);
  e[26] = 8; /* PTX ISA 8.0 */
  memcpy(e + 28, &sm, 4);
  memcpy(e + 40, &flags, 8);
  memcpy(e + 64, text, n);
  section(f, "__nv_relfatbin", SHT_PROGBITS, v, 16 + (size_t)all);
}

static void write_bytes(const void *v, size_t n) {
  if (weir_file_write(path, v, n, &err)) fail_msg("%s", err.msg);
}

static void finish(struct file *f) {
  Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                  .e_type = ET_DYN,
                  .e_machine = EM_X86_64,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shnum = (Elf64_Half)f->n_sections,
                  .e_shstrndx = 1};
  f->n = (f->n + 7) & ~(size_t)7;
  f->section[1].sh_offset = f->n;
  f->section[1].sh_size = f->n_strings;
  memcpy(f->v + f->n, f->strings, f->n_strings);
  f->n = (f->n + f->n_strings + 7) & ~(size_t)7;
  h.e_shoff = f->n;
  memcpy(f->v + f->n, f->section, f->n_sections * sizeof *f->section);
  f->n += f->n_sections * sizeof *f->section;
  memcpy(f->v, &h, sizeof h);
}

static enum weir_status inspect(void) {
  err.msg[0] = 0;
  return weir_inspect(path, "./app", 90, stand_ins, &found, &err);
}

static enum weir_status inspect_file(struct file *f) {
  finish(f);
  write_bytes(f->v, f->n);
  free(f);
  return inspect();
}

static const char *const none[] = {NULL}, *const usual[] = {"libcudart.so.13", "libc.so.6", NULL};

/* ---- what is fine ---- */

static void a_usual_program_is_fine(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, usual, 0);
  import(f, "__cudaRegisterFatBinary");
  device_code(f, ".nv_fatbin", "two");
  assert_int_equal(inspect_file(f), WEIR_OK);
  assert_true(found.is_cuda);
  assert_string_equal(found.runtime, "libcudart.so.13");
  assert_false(found.needs_driver);
  assert_false(found.has_rpath);
}

static void device_codes(struct file *f, const char *section_name, const char *const names[2]) {
  char both[ROOM / 2], from[600], *v;
  size_t n, all = 0;
  for (size_t i = 0; i < 2; i++) {
    snprintf(from, sizeof from, "%s/%s.fatbin", data_dir, names[i]);
    if (weir_file_read(from, 0, NULL, &v, &n, &err)) fail_msg("%s", err.msg);
    assert_true(all + n <= sizeof both);
    memcpy(both + all, v, n);
    all += n;
    free(v);
  }
  section(f, section_name, SHT_PROGBITS, both, all);
}

/* libcudadevrt has PTX that is too new, beside the program's own. */
static void some_images_may_lack_ptx(void **state) {
  (void)state;
  static const char *const names[] = {"sass", "two"};
  struct file *f = begin();
  dynamic(f, usual, 0);
  device_codes(f, "__nv_relfatbin", names);
  device_code(f, ".nv_fatbin", "sass"); /* what the device linker made: not looked at */
  assert_int_equal(inspect_file(f), WEIR_OK);
}

/* nvcc 13 puts an image of SASS before those of the source files. */
static void ptx_that_is_too_new_is_named(void **state) {
  (void)state;
  static const char *const names[] = {"sass", "special"};
  struct file *f = begin();
  dynamic(f, usual, 0);
  device_codes(f, ".nv_fatbin", names);
  finish(f);
  write_bytes(f->v, f->n);
  free(f);
  assert_int_equal(weir_inspect(path, "./app", 75, stand_ins, &found, &err), WEIR_EINVAL);
  assert_contains(err.msg, "compute capability 7.5 runs, only PTX for compute_90");
}

static void other_programs_are_fine(void **state) {
  (void)state;
  static const char *const needed[] = {"libc.so.6", NULL};
  static const char script[] = "#!/bin/sh\nexit 0\n";
  struct file *f = begin();
  dynamic(f, needed, DT_RPATH);
  assert_int_equal(inspect_file(f), WEIR_OK);
  assert_false(found.is_cuda);
  assert_true(found.has_rpath);
  write_bytes(script, sizeof script - 1);
  assert_int_equal(inspect(), WEIR_OK);
  assert_false(found.is_cuda);
  write_bytes("", 0);
  assert_int_equal(inspect(), WEIR_OK);
  unlink(path);
  assert_int_equal(inspect(), WEIR_ENOENT);
  assert_contains(err.msg, "./app");
}

static void a_library_may_bring_the_runtime(void **state) {
  (void)state;
  static const char *const needed[] = {"libmine.so", NULL};
  struct file *f = begin();
  dynamic(f, needed, 0);
  import(f, "__cudaRegisterFatBinary");
  device_code(f, ".nv_fatbin", "two");
  assert_int_equal(inspect_file(f), WEIR_OK);
  assert_true(found.is_cuda);
  assert_string_equal(found.runtime, "");
}

static void folders_of_the_program_come_first_or_not(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct file *f = begin();
    dynamic(f, usual, i ? DT_RUNPATH : DT_RPATH);
    assert_int_equal(inspect_file(f), WEIR_OK);
    assert_int_equal(found.has_rpath, !i);
  }
}

static void the_driver_is_seen(void **state) {
  (void)state;
  static const char *const needed[] = {"libcuda.so.1", "libnvrtc.so.13", NULL};
  struct file *f = begin();
  dynamic(f, needed, 0);
  assert_int_equal(inspect_file(f), WEIR_EINVAL); /* no library of that name in the folder */
  assert_contains(err.msg, "./app needs libcuda.so.1");
  assert_true(found.needs_driver);
  assert_true(found.is_cuda);
}

/* ---- what is refused ---- */

static void a_static_runtime_is_refused(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, none, 0);
  device_code(f, ".nv_fatbin", "two");
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "./app has the CUDA runtime linked into it");
  assert_contains(err.msg, "nvcc -cudart shared");
  assert_contains(err.msg, "CMAKE_CUDA_RUNTIME_LIBRARY=Shared");
}

static void a_program_without_ptx_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"sass", "lto"};
  for (size_t i = 0; i < COUNT(names); i++) {
    struct file *f = begin();
    dynamic(f, usual, 0);
    device_code(f, ".nv_fatbin", names[i]);
    assert_int_equal(inspect_file(f), WEIR_EINVAL);
    assert_contains(err.msg, "./app: no PTX in this program");
    assert_contains(err.msg, "-gencode arch=compute_75,code=compute_75");
  }
}

static void another_runtime_is_refused(void **state) {
  (void)state;
  static const char *const old[] = {"libcudart.so.10.1", NULL};
  struct file *f = begin();
  dynamic(f, old, 0);
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "libcudart.so.10.1");
  assert_contains(err.msg, "CUDA 11, 12 or 13");
}

static void libraries_with_kernels_are_refused(void **state) {
  (void)state;
  static const char *const needed[] = {"libcublas.so.13", "libcudart.so.13", "libcufft.so.12",
                                       NULL};
  struct file *f = begin();
  dynamic(f, needed, 0);
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "./app uses libcublas.so.13, libcufft.so.12");
}

static void launches_from_kernels_are_refused(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, usual, 0);
  device_text(f, ".version 8.0\n.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n(\n)\n;\n");
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "dynamic parallelism");
  f = begin();
  dynamic(f, usual, 0);
  device_text(f,
              ".version 8.0\n.visible .func cudaLaunchDevice()\n{\n}\n// .extern LaunchDevice\n");
  assert_int_equal(inspect_file(f), WEIR_OK);
}

/* ---- damage ---- */

static void damaged_files_do_no_harm(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, usual, DT_RPATH);
  import(f, "__cudaRegisterFatBinary");
  device_code(f, ".nv_fatbin", "two");
  finish(f);
  uint64_t rng = 7;
  uint8_t *v = malloc(f->n);
  assert_non_null(v);
  for (int i = 0; i < 1500; i++) {
    memcpy(v, f->v, f->n);
    for (int k = 0; k < 4; k++) {
      rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
      /* Headers are at the beginning and at the end. */
      size_t at = (size_t)(rng >> 33) % 700;
      if (rng >> 20 & 1) at = f->n - 1 - at;
      v[at] = (uint8_t)(rng >> 25);
    }
    write_bytes(v, i % 5 ? f->n : (size_t)(rng >> 33) % f->n);
    inspect();
  }
  free(v);
  free(f);
}

static int make_folder(void **state) {
  (void)state;
  char file[128];
  if (!mkdtemp(dir)) return -1;
  snprintf(path, sizeof path, "%s/app", dir);
  snprintf(stand_ins, sizeof stand_ins, "%s/cuda", dir);
  snprintf(file, sizeof file, "%s/libcudart.so.13", stand_ins);
  return mkdir(stand_ins, 0700) || weir_file_write(file, "", 0, &err);
}

static int remove_folder(void **state) {
  (void)state;
  char file[128];
  snprintf(file, sizeof file, "%s/libcudart.so.13", stand_ins);
  unlink(file);
  unlink(path);
  return rmdir(stand_ins) || rmdir(dir);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_usual_program_is_fine),
      cmocka_unit_test(some_images_may_lack_ptx),
      cmocka_unit_test(ptx_that_is_too_new_is_named),
      cmocka_unit_test(other_programs_are_fine),
      cmocka_unit_test(a_library_may_bring_the_runtime),
      cmocka_unit_test(folders_of_the_program_come_first_or_not),
      cmocka_unit_test(the_driver_is_seen),
      cmocka_unit_test(a_static_runtime_is_refused),
      cmocka_unit_test(a_program_without_ptx_is_refused),
      cmocka_unit_test(another_runtime_is_refused),
      cmocka_unit_test(libraries_with_kernels_are_refused),
      cmocka_unit_test(launches_from_kernels_are_refused),
      cmocka_unit_test(damaged_files_do_no_harm),
  };
  if (argc < 2) return 2;
  data_dir = argv[1];
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
