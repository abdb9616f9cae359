#include "l1/plugin.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/registry.h"
#include "l1/design.h"
#include "l1/guard.h"

static const char prefix[] = "weir_policy_";

static enum weir_status how_to_build(struct weir_err *err) {
  weir_err_add(err, "build one so: cc -O2 -shared -fPIC $(pkg-config --cflags weir) -o mine.so "
                    "mine.c");
  return WEIR_EINVAL;
}

/* ---- the file ---- */

/* The loader's own words for a file that is something else are short. */
static enum weir_status check_file(const char *path, struct weir_err *err) {
  unsigned char head[EI_NIDENT] = {0};
  struct stat s;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &s) != 0) {
    weir_fail(err, WEIR_ENOENT, "cannot open the plug-in %s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return WEIR_ENOENT;
  }
  ssize_t n = S_ISREG(s.st_mode) ? read(fd, head, sizeof head) : 0;
  enum weir_status st = weir_input_opened(fd, path, NULL, err);
  close(fd);
  if (st != WEIR_OK) return st;
  if (n == (ssize_t)sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "the plug-in %s is not a shared object", path);
  return how_to_build(err);
}

static enum weir_status open_file(const char *path, void **handle, struct weir_err *err) {
  char *real = realpath(path, NULL); /* without a slash the loader would look elsewhere */
  if (real == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  *handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
  free(real);
  if (*handle != NULL) return WEIR_OK;
  const char *why = dlerror();
  weir_fail(err, WEIR_EINVAL, "cannot load the plug-in %s: %s", path, why != NULL ? why : "");
  if (why != NULL && strstr(why, "undefined symbol: weir_") != NULL)
    weir_err_add(err, "a plug-in gets no functions from weir but those in weir/policy.h; to refuse "
                      "in 'init', call weir_refuse");
  else
    how_to_build(err);
  return WEIR_EINVAL;
}

/* ---- its symbols ---- */

struct symbols {
  const ElfW(Sym) * v;
  const char *names;
  size_t n;
};

/* The GNU hash table does not say how many symbols there are: the last one ends the chain of the
 * last bucket. */
static size_t count_gnu(const uint32_t *t) {
  uint32_t n_buckets = t[0], first = t[1], last = 0;
  const uint32_t *bucket = t + 4 + t[2] * (sizeof(ElfW(Addr)) / sizeof *t);
  const uint32_t *chain = bucket + n_buckets;
  for (uint32_t i = 0; i < n_buckets; i++)
    if (bucket[i] > last) last = bucket[i];
  if (last < first) return first;
  while (!(chain[last - first] & 1))
    last++;
  return last + 1;
}

static struct symbols symbols_of(void *handle) {
  struct symbols s = {0};
  struct link_map *map;
  const uint32_t *gnu = NULL, *plain = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return s;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    const void *at = (const void *)d->d_un.d_ptr; /* the loader has made it an address */
    if (d->d_tag == DT_SYMTAB) s.v = at;
    if (d->d_tag == DT_STRTAB) s.names = at;
    if (d->d_tag == DT_GNU_HASH) gnu = at;
    if (d->d_tag == DT_HASH) plain = at;
  }
  if (s.v == NULL || s.names == NULL) return s;
  s.n = plain != NULL ? plain[1] : gnu != NULL ? count_gnu(gnu) : 0;
  return s;
}

static bool is_policy(const struct symbols *s, size_t i) {
  const ElfW(Sym) *y = &s->v[i];
  return y->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(y->st_info) == STT_OBJECT &&
         strncmp(s->names + y->st_name, prefix, sizeof prefix - 1) == 0;
}

/* ---- a policy ---- */

static bool is_name(const char *name) {
  size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
  return islower((unsigned char)name[0]) && name[n] == '\0' && n <= 32;
}

/* With another version nothing but the number, which comes first, is where it is thought to be. */
static enum weir_status check_version(const char *path, const char *symbol, uint32_t abi,
                                      size_t bytes, struct weir_err *err) {
  if (abi == WEIR_POLICY_ABI && bytes == sizeof(struct weir_policy_ops)) return WEIR_OK;
  if (abi == WEIR_POLICY_ABI)
    weir_fail(err, WEIR_EINVAL,
              "%s: %s has %zu bytes, but version %d of the policy contract has %zu", path, symbol,
              bytes, WEIR_POLICY_ABI, sizeof(struct weir_policy_ops));
  else
    weir_fail(err, WEIR_EINVAL,
              "%s: %s was made for version %u of the policy contract; this weir has version %d",
              path, symbol, abi, WEIR_POLICY_ABI);
  weir_err_add(err, "compile it again with this weir's weir/policy.h, and set .part.abi to "
                    "WEIR_POLICY_ABI");
  return WEIR_EINVAL;
}

static enum weir_status check_name(const char *path, const char *symbol, const char *name,
                                   struct weir_err *err) {
  if (name == NULL || !is_name(name))
    return weir_fail(err, WEIR_EINVAL,
                     "%s: %s: .part.name is '%s'; a name has small letters, digits and '-', begins "
                     "with a letter and has 32 characters at most",
                     path, symbol, name != NULL ? name : "");
  const struct weir_policy_ops *other = weir_policy_find(name);
  const char *file = other != NULL ? weir_policy_file(other) : NULL;
  if (other == NULL && weir_organisation_find(name) == NULL) return WEIR_OK;
  if (file != NULL)
    weir_fail(err, WEIR_EINVAL, "%s: there is a policy '%s' already, from %s", path, name, file);
  else
    weir_fail(err, WEIR_EINVAL, "%s: weir has a part called '%s' of its own", path, name);
  weir_err_add(err, "give .part.name another name");
  return WEIR_EINVAL;
}

static enum weir_status check_tables(const char *path, const struct weir_part *part,
                                     unsigned reason, struct weir_err *err) {
  struct weir_param_group params = {part->name, part->help, part->params, part->cfg_bytes, NULL};
  struct weir_stat_group stats = {part->name, part->help, part->stats, NULL};
  struct weir_err why;
  if (reason >= WEIR_N_REASONS)
    return weir_fail(err, WEIR_EINVAL, "%s: policy %s: .reason is %u; there are %d reasons", path,
                     part->name, reason, WEIR_N_REASONS);
  if (part->help == NULL || part->help[0] == '\0')
    return weir_fail(err, WEIR_EINVAL, "%s: policy %s: .part.help is empty", path, part->name);
  if (part->params != NULL && weir_param_group_check(&params, &why) != WEIR_OK)
    return weir_fail(err, WEIR_EINVAL, "%s: %s", path, why.msg);
  if (part->stats == NULL) return WEIR_OK;
  if (weir_stat_group_check(&stats, &why) != WEIR_OK)
    return weir_fail(err, WEIR_EINVAL, "%s: %s", path, why.msg);
  if (part->stats_bytes > WEIR_MAX_PART_STATS * sizeof(uint64_t))
    return weir_fail(err, WEIR_EINVAL, "%s: policy %s has more than %d statistics", path,
                     part->name, WEIR_MAX_PART_STATS);
  for (const struct weir_stat *s = part->stats; s->name != NULL; s++)
    if (s->offset + sizeof(uint64_t) > part->stats_bytes)
      return weir_fail(err, WEIR_EINVAL, "%s: statistic %s.%s lies outside .part.stats_bytes", path,
                       part->name, s->name);
  return WEIR_OK;
}

static enum weir_status add(const char *path, const char *symbol, const void *at, size_t bytes,
                            const struct weir_policy_ops **out, struct weir_err *err) {
  const struct weir_policy_ops *o = at;
  uint32_t abi = 0;
  if (bytes >= sizeof abi) memcpy(&abi, at, sizeof abi);
  enum weir_status st = check_version(path, symbol, abi, bytes, err);
  if (st == WEIR_OK) st = check_name(path, symbol, o->part.name, err);
  if (st == WEIR_OK) st = check_tables(path, &o->part, o->reason, err);
  if (st != WEIR_OK) return st;
  char *file = weir_strdup(path); /* as long as the process: results and settings point to it */
  if (file == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  struct weir_guarded *g = weir_guard(o, file);
  if (g == NULL || !weir_policy_add(&g->ops, file))
    return weir_fail(err, WEIR_ELIMIT, "%s: more than %d policies", path, WEIR_MAX_POLICIES);
  *out = &g->ops;
  return WEIR_OK;
}

enum weir_status weir_plugin_load(const char *path, const struct weir_policy_ops **first,
                                  struct weir_err *err) {
  void *handle = NULL;
  enum weir_status st = check_file(path, err);
  if (st == WEIR_OK) st = open_file(path, &handle, err);
  if (st != WEIR_OK) return st;
  struct symbols s = symbols_of(handle);
  const struct weir_policy_ops *o = NULL, *found = NULL;
  for (size_t i = 0; st == WEIR_OK && i < s.n; i++) {
    if (!is_policy(&s, i)) continue;
    const char *name = s.names + s.v[i].st_name;
    st = add(path, name, dlsym(handle, name), s.v[i].st_size, &o, err);
    if (st == WEIR_OK && found == NULL) found = o;
  }
  if (st == WEIR_OK && found == NULL) {
    weir_fail(err, WEIR_EINVAL, "the plug-in %s has no policy: it exports no variable %sNAME", path,
              prefix);
    weir_err_add(err,
                 "end it with: const struct weir_policy_ops %smine = {...}; not static, not "
                 "hidden",
                 prefix);
    return WEIR_EINVAL;
  }
  if (first != NULL) *first = found;
  return st;
}
