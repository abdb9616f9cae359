#include "profile.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

const char *const prof_group_names[PROF_GROUPS] = {"library", "other", "stream",  "loop", "arith",
                                                   "memory",  "count", "blocks",  "SM",   "L1",
                                                   "L2",      "DRAM",  "exchange"};

enum { MAX_SAMPLES = 1 << 16, PERIOD_US = 997 };

struct symbol {
  uintptr_t at, end; /* addresses in this process */
  const char *name, *file;
  uint64_t n;
};

static struct symbol *symbols;
static size_t n_symbols;
static void *image = MAP_FAILED;
static size_t image_bytes;
/* Functions of shared libraries as they are met. */
static struct symbol others[64];
static size_t n_others;

static uintptr_t samples[MAX_SAMPLES];
static volatile sig_atomic_t n_samples;
static volatile sig_atomic_t n_lost;

/* ---- symbols ---- */

static int first_object(struct dl_phdr_info *info, size_t size, void *self) {
  (void)size;
  *(uintptr_t *)self = info->dlpi_addr;
  return 1; /* the program itself comes first */
}

static int by_address(const void *a, const void *b) {
  const struct symbol *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* Functions of the symbol table, with the file they come from where the table says so (statics). */
static bool read_symbols(const uint8_t *elf, const Elf64_Shdr *table, const Elf64_Shdr *strings,
                         uintptr_t base) {
  const Elf64_Sym *sym = (const void *)(elf + table->sh_offset);
  const char *text = (const char *)elf + strings->sh_offset, *file = "";
  size_t n = table->sh_size / sizeof *sym;
  symbols = calloc(n + 1, sizeof *symbols);
  if (!symbols) return false;
  for (size_t i = 0; i < n; i++) {
    unsigned type = ELF64_ST_TYPE(sym[i].st_info);
    if (type == STT_FILE) file = text + sym[i].st_name;
    if (type != STT_FUNC || !sym[i].st_size) continue;
    bool is_local = ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL;
    symbols[n_symbols++] = (struct symbol){.at = base + sym[i].st_value,
                                           .end = base + sym[i].st_value + sym[i].st_size,
                                           .name = text + sym[i].st_name,
                                           .file = is_local ? file : ""};
  }
  qsort(symbols, n_symbols, sizeof *symbols, by_address);
  return n_symbols > 0;
}

bool prof_open(void) {
  uintptr_t base = 0;
  struct stat st;
  dl_iterate_phdr(first_object, &base);
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  if (fstat(fd, &st) == 0) {
    image_bytes = (size_t)st.st_size;
    image = mmap(NULL, image_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  close(fd);
  if (image == MAP_FAILED) return false;
  const Elf64_Ehdr *head = image;
  if (image_bytes < sizeof *head || head->e_ident[EI_CLASS] != ELFCLASS64) return false;
  const Elf64_Shdr *s = (const void *)((const uint8_t *)image + head->e_shoff);
  for (unsigned i = 0; i < head->e_shnum; i++)
    if (s[i].sh_type == SHT_SYMTAB) return read_symbols(image, &s[i], &s[s[i].sh_link], base);
  return false;
}

void prof_close(void) {
  free(symbols);
  symbols = NULL;
  n_symbols = 0;
  if (image != MAP_FAILED) munmap(image, image_bytes);
  image = MAP_FAILED;
}

/* ---- samples ---- */

static void on_sample(int sig, siginfo_t *info, void *context) {
  (void)sig;
  (void)info;
  const ucontext_t *c = context;
#if defined(__x86_64__)
  uintptr_t at = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  uintptr_t at = (uintptr_t)c->uc_mcontext.pc;
#else
  uintptr_t at = 0;
  (void)c;
#endif
  if (n_samples < MAX_SAMPLES)
    samples[n_samples++] = at;
  else
    n_lost++;
}

static void set_timer(long period_us) {
  struct itimerval t = {.it_interval.tv_usec = period_us, .it_value.tv_usec = period_us};
  setitimer(ITIMER_PROF, &t, NULL);
}

void prof_start(void) {
  struct sigaction a = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&a.sa_mask);
  sigaction(SIGPROF, &a, NULL);
  set_timer(PERIOD_US);
}

void prof_stop(void) {
  set_timer(0);
}

/* ---- groups ---- */

static bool starts_with(const char *s, const char *with) {
  return strncmp(s, with, strlen(with)) == 0;
}

static enum prof_group group_of(const struct symbol *s) {
  static const struct {
    const char *start;
    enum prof_group group;
  } by_file[] = {{"simt.c", PROF_LOOP},      {"run.c", PROF_BLOCK},
                 {"vec_mem.c", PROF_MEM},    {"mem.c", PROF_MEM},
                 {"vec_", PROF_ARITH},       {"fp_", PROF_ARITH},
                 {"coalesce.c", PROF_COUNT}, {"func_stats", PROF_COUNT},
                 {"writer.c", PROF_STREAM},  {"pool.c", PROF_STREAM},
                 {"block.c", PROF_STREAM},   {"workload.c", PROF_BLOCK},
                 {"launchfile", PROF_BLOCK}, {"sm.c", PROF_SM},
                 {"l1.c", PROF_L1},          {"chain.c", PROF_L1},
                 {"lines.c", PROF_L1},       {"lru.c", PROF_L1},
                 {"memory.c", PROF_L2},      {"addr_map.c", PROF_L2},
                 {"dram.c", PROF_DRAM},      {"engine.c", PROF_EXCHANGE},
                 {"reader.c", PROF_STREAM},  {"wtrace", PROF_STREAM}},
    by_name[] = {{"ptx_h_ld", PROF_MEM},        {"ptx_h_st", PROF_MEM},
                 {"ptx_h_atom", PROF_MEM},      {"ptx_mem_", PROF_MEM},
                 {"ptx_h_", PROF_ARITH},        {"ptx_f", PROF_ARITH},
                 {"ptx_cvt", PROF_ARITH},       {"ptx_warp_start", PROF_BLOCK},
                 {"ptx_warp_", PROF_LOOP},      {"ptx_run_", PROF_BLOCK},
                 {"weir_count_", PROF_COUNT},   {"weir_bank_", PROF_COUNT},
                 {"weir_coalesce", PROF_COUNT}, {"weir_put", PROF_STREAM},
                 {"weir_writer_", PROF_STREAM}, {"weir_block_", PROF_STREAM},
                 {"weir_stream_", PROF_STREAM}, {"weir_workload_", PROF_BLOCK},
                 {"weir_launch", PROF_BLOCK},   {"weir_sm_", PROF_SM},
                 {"weir_chain_", PROF_L1},      {"weir_l1_", PROF_L1},
                 {"weir_channel_", PROF_L2},    {"weir_slice", PROF_L2},
                 {"weir_poly", PROF_L2},        {"weir_dram_", PROF_DRAM},
                 {"weir_sim_", PROF_EXCHANGE},  {"weir_next", PROF_STREAM},
                 {"weir_reader", PROF_STREAM},  {"weir_expand", PROF_STREAM},
                 {"wt_", PROF_STREAM},          {"__", PROF_LIBRARY}};
  if (s->file[0]) {
    for (size_t i = 0; i < sizeof by_file / sizeof *by_file; i++)
      if (starts_with(s->file, by_file[i].start)) return by_file[i].group;
  }
  for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
    if (starts_with(s->name, by_name[i].start)) return by_name[i].group;
  return PROF_OTHER;
}

static struct symbol *find_symbol(uintptr_t at) {
  size_t lo = 0, hi = n_symbols;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (symbols[mid].at <= at)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo && at < symbols[lo - 1].end ? &symbols[lo - 1] : NULL;
}

/* A function of a shared library, by its nearest exported name. */
static struct symbol *find_other(uintptr_t at) {
  Dl_info info;
  const char *name = "unknown";
  if (dladdr((void *)at, &info)) {
    const char *slash = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (info.dli_sname)
      name = info.dli_sname;
    else if (slash)
      name = slash + 1;
  }
  for (size_t i = 0; i < n_others; i++)
    if (strcmp(others[i].name, name) == 0) return &others[i];
  if (n_others == sizeof others / sizeof *others) return &others[n_others - 1];
  others[n_others] = (struct symbol){.name = name, .file = ""};
  return &others[n_others++];
}

void prof_settle(struct prof_counts *out) {
  *out = (struct prof_counts){.n = (uint64_t)n_samples, .lost = (uint64_t)n_lost};
  for (sig_atomic_t i = 0; i < n_samples; i++) {
    struct symbol *s = find_symbol(samples[i]);
    enum prof_group g = s ? group_of(s) : PROF_LIBRARY;
    if (!s) s = find_other(samples[i]);
    s->n++;
    out->group[g]++;
  }
  n_samples = n_lost = 0;
}

static void keep_hottest(struct prof_hot *out, size_t *n, size_t max, const struct symbol *s,
                         enum prof_group g) {
  if (!s->n || !max) return;
  size_t at = *n < max ? (*n)++ : max;
  if (at == max) {
    if (out[max - 1].n >= s->n) return;
    at = max - 1;
  }
  for (; at && out[at - 1].n < s->n; at--)
    out[at] = out[at - 1];
  out[at] = (struct prof_hot){s->name, g, s->n};
}

size_t prof_hottest(struct prof_hot *out, size_t max) {
  size_t n = 0;
  for (size_t i = 0; i < n_symbols; i++)
    keep_hottest(out, &n, max, &symbols[i], group_of(&symbols[i]));
  for (size_t i = 0; i < n_others; i++)
    keep_hottest(out, &n, max, &others[i], PROF_LIBRARY);
  return n;
}
