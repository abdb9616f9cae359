/* meet_gpu FILE [WORKER WORKERS]: runs the cases of meet_cases.c on a GPU through the CUDA driver
 * (every WORKERS-th, from WORKER on) and writes the results to FILE (meet_cases.h). A case that
 * does not end in time is noted as one that hangs. Its process is lost with it and a new one goes
 * on, so that this must be called until it exits with 0: it begins behind what FILE holds. */
#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "meet_cases.h"

enum { REPEATS = 4, PATIENCE_MS = 2500 };

static FILE *results;
static struct meet_case *cases;

static void put(size_t index, enum meet_status st, CUresult r, const uint32_t *out, size_t bytes) {
  struct meet_record rec = {cases[index].key, st, (uint32_t)r, (uint32_t)bytes};
  fwrite(&rec, sizeof rec, 1, results);
  fwrite(out, 1, bytes, results);
  fflush(results);
}

static size_t running; /* case */

static void must(CUresult r, const char *what) {
  const char *s = NULL;
  if (r == CUDA_SUCCESS) return;
  cuGetErrorName(r, &s);
  fprintf(stderr, "meet_gpu: %s: %s\n", what, s != NULL ? s : "?");
  if (results != NULL) put(running, MEET_FAULT, r, NULL, 0);
  _exit(1);
}

static void *alloc(size_t bytes) {
  void *p = calloc(1, bytes + 1);
  if (p == NULL) exit(1);
  return p;
}

static CUdeviceptr d_in, d_out, d_count;

static bool ends_in_time(CUresult *r) {
  struct timespec pause = {0, 200000};
  for (int i = 0; i < PATIENCE_MS * 5; i++) {
    *r = cuStreamQuery(NULL);
    if (*r != CUDA_ERROR_NOT_READY) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

static enum meet_status run(const struct meet_case *c, uint32_t *out, CUresult *r) {
  CUmodule module;
  CUfunction f;
  size_t threads = meet_case_threads(c), bytes = 4 * MEET_OUT_WORDS * threads;
  uint32_t *in = alloc(4 * MEET_IN_WORDS * threads), *again = alloc(bytes);
  enum meet_status st = MEET_OK;
  *r = cuModuleLoadData(&module, c->text);
  if (*r != CUDA_SUCCESS) return MEET_REFUSED;
  must(cuModuleGetFunction(&f, module, "k"), c->name);
  meet_case_operands(c, in);
  must(cuMemcpyHtoD(d_in, in, 4 * MEET_IN_WORDS * threads), "in");
  for (int i = 0; i < REPEATS; i++) {
    void *args[] = {&d_out, &d_in, &d_count};
    must(cuMemsetD32(d_out, MEET_UNWRITTEN, bytes / 4), "out");
    must(cuMemsetD32(d_count, 0, MEET_COUNTERS), "count");
    must(cuCtxSynchronize(), "set");
    *r = cuLaunchKernel(f, c->blocks, 1, 1, c->threads, 1, 1, 0, NULL, args, NULL);
    if (*r != CUDA_SUCCESS) return MEET_FAULT;
    if (!ends_in_time(r)) return MEET_HANGS;
    if (*r != CUDA_SUCCESS) return MEET_FAULT;
    must(cuMemcpyDtoH(again, d_out, bytes), "results");
    if (i > 0 && memcmp(again, out, bytes) != 0) {
      st = MEET_UNSTABLE;
      break;
    }
    memcpy(out, again, bytes);
  }
  cuModuleUnload(module);
  free(in);
  free(again);
  return st;
}

/* How many cases FILE has, whole ones. */
static size_t n_done(const char *path) {
  FILE *f = fopen(path, "rb");
  struct meet_record rec;
  size_t n = 0;
  if (f == NULL) return 0;
  while (fread(&rec, sizeof rec, 1, f) == 1 && fseek(f, rec.bytes, SEEK_CUR) == 0)
    n++;
  fclose(f);
  return n;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"ok", "hangs", "not repeatable", "refused", "fault"};
  size_t n, most = 1, worker = 0, workers = 1;
  CUdevice dev;
  CUcontext ctx;
  cases = meet_cases(&n);
  if (cases == NULL || (argc != 2 && argc != 4)) return 2;
  if (argc == 4) worker = strtoul(argv[2], NULL, 10), workers = strtoul(argv[3], NULL, 10);
  for (size_t i = 0; i < n; i++)
    most = meet_case_threads(&cases[i]) > most ? meet_case_threads(&cases[i]) : most;
  size_t from = worker + workers * n_done(argv[1]);
  if (from >= n) return 0;
  must(cuInit(0), "cuInit");
  must(cuDeviceGet(&dev, 0), "device");
  must(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
  must(cuCtxSetCurrent(ctx), "context");
  must(cuMemAlloc(&d_in, 4 * MEET_IN_WORDS * most), "memory");
  must(cuMemAlloc(&d_out, 4 * MEET_OUT_WORDS * most), "memory");
  must(cuMemAlloc(&d_count, 4 * MEET_COUNTERS), "memory");
  uint32_t *out = alloc(4 * MEET_OUT_WORDS * most);
  results = fopen(argv[1], "ab");
  if (results == NULL) return 2;
  for (running = from; running < n; running += workers) {
    const struct meet_case *c = &cases[running];
    CUresult r = CUDA_SUCCESS;
    enum meet_status st = run(c, out, &r);
    put(running, st, r, out, st == MEET_OK ? 4 * MEET_OUT_WORDS * meet_case_threads(c) : 0);
    printf("%zu\t%s\t%s %d\n", running, c->name, names[st], (int)r);
    fflush(stdout);
    if (st == MEET_HANGS || st == MEET_FAULT) _exit(3); /* the context is lost */
  }
  return 0;
}
