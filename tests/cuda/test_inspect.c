/* Program files made by hand around the fat binaries of data/: what is accepted, what is refused
 * and with which remedy; and damaged ones. */
#include "../base/testing.h"

#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/inspect.h"

enum { ROOM = 1 << 16, MAX_SECTIONS = 10 };

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
  char strings[8192];
  size_t n_strings;
  bool has_no_loader; /* no PT_INTERP */
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
  f->n = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
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

/* A table of symbols: functions of 64 bytes, one after the other, of which `size` may be another
 * one's. The first 30 and the last are of names that only NVIDIA's library has. */
struct function {
  const char *name;
  uint64_t size;
};

static void symbols(struct file *f, const struct function *v, size_t n, unsigned n_marks) {
  Elf64_Sym s[80] = {{0}};
  unsigned at = 1;
  char mark[64];
  assert_true(n + n_marks + 1 < COUNT(s));
  for (unsigned i = 0; i < n_marks + n; i++, at++) {
    bool is_mark = i + 1 < n_marks || i + 1 == n_marks + n;
    snprintf(mark, sizeof mark, "libcudart_static_%08x%08x", i * 7919 + 1, i);
    const struct function *own = is_mark || !n_marks ? NULL : &v[i + 1 - n_marks];
    if (!n_marks) own = &v[i];
    s[at] = (Elf64_Sym){.st_name = string(f, own ? own->name : mark),
                        .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                        .st_shndx = 1,
                        .st_value = 0x1000 + 64 * i,
                        .st_size = own && own->size ? own->size : 60};
  }
  section(f, ".symtab", SHT_SYMTAB, s, at * sizeof *s);
}

static const struct function runtime_13[] = {{"__cudaRegisterFatBinary", 0},
                                             {"__cudaRegisterFunction", 0},
                                             {"cudaLaunchKernel", 0},
                                             {"cudaMalloc", 0},
                                             {"__cudaGetProcAddress", 3},
                                             {"cudaMemDiscardBatchAsync", 0},
                                             {"main", 0}};
enum { N_MARKS = 30 };

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
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_phnum = 1,
                  .e_phoff = sizeof(Elf64_Ehdr),
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
  Elf64_Phdr p = {.p_type = f->has_no_loader ? PT_LOAD : PT_INTERP};
  memcpy(f->v + sizeof h, &p, sizeof p);
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

static void message_of_the_runtime(struct file *f) {
  static const char text[] = "none\0CUDA driver version is insufficient for CUDA runtime version";
  section(f, ".rodata", SHT_PROGBITS, text, sizeof text);
}

static void a_stripped_static_runtime_is_refused(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, none, 0);
  device_code(f, ".nv_fatbin", "two");
  message_of_the_runtime(f);
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "./app has the CUDA runtime linked into it");
  assert_contains(err.msg, "it is stripped");
  assert_contains(err.msg, "nvcc -cudart shared");
  assert_contains(err.msg, "CMAKE_CUDA_RUNTIME_LIBRARY=Shared");
}

/* nvcc links the runtime into programs that use the driver alone. Whether they have kernels of
 * their own, and symbols, makes no difference. */
static void a_runtime_that_is_not_used_is_fine(void **state) {
  (void)state;
  static const char *const driver[] = {"libcuda.so.1", NULL};
  char file[128];
  snprintf(file, sizeof file, "%s/libcuda.so.1", stand_ins);
  assert_int_equal(weir_file_write(file, "", 0, &err), 0);
  for (int i = 0; i < 4; i++) {
    struct file *f = begin();
    dynamic(f, driver, 0);
    device_code(f, ".nv_fatbin", i % 2 ? "two" : "empty");
    message_of_the_runtime(f);
    if (i / 2) symbols(f, runtime_13, COUNT(runtime_13), N_MARKS);
    assert_int_equal(inspect_file(f), WEIR_OK);
    assert_true(found.needs_driver);
  }
  unlink(file);
  /* It opens libcuda by itself, and the only image is that which nvcc makes always. */
  struct file *f = begin();
  dynamic(f, none, 0);
  device_code(f, ".nv_fatbin", "empty");
  message_of_the_runtime(f);
  assert_int_equal(inspect_file(f), WEIR_OK);
  /* No runtime at all: nvcc -cudart none. */
  f = begin();
  dynamic(f, none, 0);
  device_code(f, ".nv_fatbin", "two");
  assert_int_equal(inspect_file(f), WEIR_OK);
}

static struct file *with_symbols(const struct function *v, size_t n) {
  struct file *f = begin();
  dynamic(f, none, 0);
  device_code(f, ".nv_fatbin", "two");
  message_of_the_runtime(f);
  symbols(f, v, n, N_MARKS);
  return f;
}

static void a_static_runtime_with_symbols_is_fine(void **state) {
  (void)state;
  assert_int_equal(inspect_file(with_symbols(runtime_13, COUNT(runtime_13))), WEIR_OK);
  assert_true(found.is_cuda);
  assert_true(found.is_inside);
  assert_string_equal(found.runtime, "libcudart.so.13");
  struct file *f = with_symbols(runtime_13, COUNT(runtime_13));
  f->has_no_loader = true;
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "(-static)");
}

static void the_version_of_a_static_runtime_is_seen(void **state) {
  (void)state;
  static const struct {
    const char *name, *library;
  } cases[] = {{"cudaThreadSynchronize", "needs libcudart.so.12"},
               {"cudaBindTexture", "needs libcudart.so.11.0"},
               {"cudaConfigureCall", "of another CUDA than 11, 12 or 13"},
               {"cudaSomethingNew", "of another CUDA than 11, 12 or 13"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct function v[COUNT(runtime_13)];
    memcpy(v, runtime_13, sizeof v);
    v[5].name = cases[i].name;
    assert_int_equal(inspect_file(with_symbols(v, COUNT(v))), WEIR_EINVAL);
    assert_contains(err.msg, cases[i].library);
  }
}

/* What is not surely the runtime's is not touched. */
static void doubtful_runtimes_are_refused(void **state) {
  (void)state;
  struct function v[COUNT(runtime_13)];
  memcpy(v, runtime_13, sizeof v);
  v[6].name = "cudaMalloc"; /* a second one */
  assert_int_equal(inspect_file(with_symbols(v, COUNT(v))), WEIR_EINVAL);
  assert_contains(err.msg, "not sure which function of it is cudaMalloc");
  v[6].name = "main";
  v[2].name = "another"; /* no cudaLaunchKernel */
  assert_int_equal(inspect_file(with_symbols(v, COUNT(v))), WEIR_EINVAL);
  assert_contains(err.msg, "not sure which function of it is cudaLaunchKernel");
  /* Functions of these names without the library around them are the program's. */
  struct file *f = begin();
  dynamic(f, none, 0);
  symbols(f, runtime_13, COUNT(runtime_13), 0);
  assert_int_equal(inspect_file(f), WEIR_OK);
  assert_false(found.is_inside);
  assert_false(found.is_cuda);
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
  device_text(f, ".version 8.0\n.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n(\n)\n;\n"
                 ".entry k(){\ncall.uni (r0), \n__cudaCDP2LaunchDeviceV2, \n(p0);\n}\n");
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "dynamic parallelism");
}

/* libcudadevrt is in every program of CUDA 11, with PTX for sm_90 beside the program's own. */
static void what_could_launch_from_kernels_is_fine(void **state) {
  (void)state;
  static const char devrt_calls[] =
      ".version 7.8\n.extern .func (.param .b32 r) cnpLaunchDevice\n(\n)\n;\n"
      ".visible .func cudaLaunchDevice()\n{\ncall.uni (r0), \ncnpLaunchDevice, \n(p0);\n}\n";
  static const char *const texts[] = {
      ".version 8.0\n.visible .func cudaLaunchDevice()\n{\n}\n// .extern LaunchDevice\n",
      ".version 8.0\n.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2\n(\n)\n;\n",
      devrt_calls};
  for (size_t i = 0; i < COUNT(texts); i++) {
    struct file *f = begin();
    dynamic(f, usual, 0);
    device_text(f, texts[i]);
    assert_int_equal(inspect_file(f), WEIR_OK);
  }
  /* Its image is no PTX of the program's own. */
  static const char devrt[] =
      ".version 7.8\n.extern .func (.param .b32 r) cnpLaunchDevice\n(\n)\n;\n"
      ".entry __nv_static_22_cuda_device_runtime_cu_memset(){\nret;\n}\n";
  struct file *f = begin();
  dynamic(f, usual, 0);
  device_text(f, devrt);
  device_code(f, ".nv_fatbin", "sass");
  assert_int_equal(inspect_file(f), WEIR_EINVAL);
  assert_contains(err.msg, "no PTX in this program");
  f = begin();
  dynamic(f, usual, 0);
  device_text(f, devrt);
  device_code(f, ".nv_fatbin", "two");
  assert_int_equal(inspect_file(f), WEIR_OK);
}

/* ---- damage ---- */

static void damaged_files_do_no_harm(void **state) {
  (void)state;
  struct file *f = begin();
  dynamic(f, usual, DT_RPATH);
  import(f, "__cudaRegisterFatBinary");
  device_code(f, ".nv_fatbin", "two");
  symbols(f, runtime_13, COUNT(runtime_13), N_MARKS);
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
      cmocka_unit_test(a_stripped_static_runtime_is_refused),
      cmocka_unit_test(a_runtime_that_is_not_used_is_fine),
      cmocka_unit_test(a_static_runtime_with_symbols_is_fine),
      cmocka_unit_test(the_version_of_a_static_runtime_is_seen),
      cmocka_unit_test(doubtful_runtimes_are_refused),
      cmocka_unit_test(a_program_without_ptx_is_refused),
      cmocka_unit_test(another_runtime_is_refused),
      cmocka_unit_test(libraries_with_kernels_are_refused),
      cmocka_unit_test(launches_from_kernels_are_refused),
      cmocka_unit_test(what_could_launch_from_kernels_is_fine),
      cmocka_unit_test(damaged_files_do_no_harm),
  };
  if (argc < 2) return 2;
  data_dir = argv[1];
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
