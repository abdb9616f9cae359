/* meet_replay [--all] [FILE]: executes every case of meet_cases.c and compares what becomes of it
 * with an H200 (data/meet.bin.zst, as meet_gpu wrote it): every bit of a result must agree, what
 * hangs there must be a deadlock here, and what faults there must be a fault. Cases whose results
 * were not repeatable only must end. --all goes on after a difference. */
#include "base/file.h"
#include "meet_run.h"

static enum meet_status execute(const struct meet_case *c, uint32_t *out, struct weir_err *err) {
  struct meet_vm vm;
  struct ptx_run *run;
  struct weir_block_stream *b = NULL;
  meet_open(&vm, c);
  meet_must(ptx_run_begin(&vm.dev, vm.prog, &vm.launch, false, &run, err), err);
  enum weir_status st;
  do
    st = ptx_run_next(run, &b, err);
  while (st == WEIR_OK && b != NULL);
  enum ptx_fault_kind fault = ptx_run_fault(run);
  ptx_run_end(run);
  memcpy(out, meet_words(&vm, 0), 4 * MEET_OUT_WORDS * meet_case_threads(c));
  meet_close(&vm);
  return st == WEIR_OK ? MEET_OK : fault == PTX_F_HANG ? MEET_HANGS : MEET_FAULT;
}

/* ---- comparing ---- */

static const char *const status_name[] = {"ends", "hangs", "is not repeatable", "is refused",
                                          "faults"};

static size_t compare(const struct meet_case *c, const uint8_t *want, const uint32_t *got) {
  size_t n = 0, first = 0, words = MEET_OUT_WORDS * meet_case_threads(c);
  uint32_t w = 0, x;
  for (size_t i = 0; i < words; i++) {
    memcpy(&x, want + 4 * i, sizeof x);
    if (x == got[i]) continue;
    if (n++ == 0) first = i, w = x;
  }
  if (n != 0)
    printf("%s: %zu of %zu words; thread %zu word %zu: want %08x, got %08x\n", c->name, n, words,
           first / MEET_OUT_WORDS, first % MEET_OUT_WORDS, w, got[first]);
  return n;
}

/* True if the case came out as on the GPU. */
static bool check(const struct meet_case *c, const struct meet_record *r, const uint8_t *want) {
  struct weir_err err = {0};
  uint32_t *got = calloc(meet_case_threads(c), 4 * MEET_OUT_WORDS);
  if (got == NULL) exit(1);
  enum meet_status st = execute(c, got, &err);
  bool ok = r->status == MEET_UNSTABLE;
  if (!ok && st != (enum meet_status)r->status)
    printf("%s: %s on the GPU, %s here%s%s\n", c->name, status_name[r->status], status_name[st],
           st != MEET_OK ? ": " : "", st != MEET_OK ? err.msg : "");
  else if (!ok)
    ok = st != MEET_OK || compare(c, want, got) == 0;
  free(got);
  return ok;
}

static const uint8_t *find(const uint8_t *data, size_t len, uint32_t key, struct meet_record *r) {
  for (size_t at = 0; len - at >= sizeof *r; at += sizeof *r + r->bytes) {
    memcpy(r, data + at, sizeof *r);
    if (r->bytes > len - at - sizeof *r) return NULL;
    if (r->key == key) return data + at + sizeof *r;
  }
  return NULL;
}

int main(int argc, char **argv) {
  bool goes_on = argc > 1 && strcmp(argv[1], "--all") == 0;
  const char *path = argc > (goes_on ? 2 : 1) ? argv[argc - 1] : TRUTH_DATA "/meet.bin.zst";
  struct weir_err err = {0};
  size_t n, len, n_wrong = 0, n_of[MEET_FAULT + 1] = {0};
  char *data;
  struct meet_case *cases = meet_cases(&n);
  if (cases == NULL) return 1;
  meet_must(weir_file_read(path, 64 << 20, NULL, &data, &len, &err), &err);
  for (size_t i = 0; i < n && (goes_on || n_wrong == 0); i++) {
    struct meet_record r;
    const uint8_t *want = find((const uint8_t *)data, len, cases[i].key, &r);
    if (want == NULL || r.status > MEET_FAULT ||
        (r.status == MEET_OK && r.bytes != 4 * MEET_OUT_WORDS * meet_case_threads(&cases[i]))) {
      printf("%s: no result of a GPU in %s\n", cases[i].name, path);
      n_wrong++;
      continue;
    }
    n_of[r.status]++;
    n_wrong += !check(&cases[i], &r, want);
  }
  printf("%zu cases: on the GPU %zu end, %zu hang, %zu fault, %zu are not repeatable; %zu differ\n",
         n, n_of[MEET_OK], n_of[MEET_HANGS], n_of[MEET_FAULT], n_of[MEET_UNSTABLE], n_wrong);
  meet_cases_free(cases, n);
  free(data);
  return n_wrong != 0;
}
