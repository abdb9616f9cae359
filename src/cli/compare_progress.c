#include "cli/compare_progress.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/timing.h"

enum { FIRST_MS = 300, EVERY_MS = 200, LOG_MS = 60000 };

enum weir_status weir_compare_progress_begin(struct weir_compare_progress *p,
                                             const struct weir_study *s, struct weir_err *err) {
  bool is_terminal = isatty(STDERR_FILENO);
  *p = (struct weir_compare_progress){.show_at = weir_cli_ms() + (is_terminal ? FIRST_MS : LOG_MS),
                                      .is_terminal = is_terminal};
  p->runs = weir_calloc(weir_study_n_runs(s) + 1, sizeof *p->runs);
  return p->runs != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool has_ended(const struct weir_run *r) {
  return r->state == WEIR_RUN_DONE || r->state == WEIR_RUN_FAILED || r->state == WEIR_RUN_LEFT;
}

/* Mean time of the runs [first, first + n) that have ended; 0: none has. */
static double mean_ms(const struct weir_compare_progress *p, const struct weir_study *s,
                      size_t first, size_t n) {
  double sum = 0;
  size_t ended = 0;
  for (size_t i = first; i < first + n; i++)
    if (s->runs[i].state == WEIR_RUN_DONE && !s->runs[i].was_known) {
      sum += (double)p->runs[i].took;
      ended++;
    }
  return ended > 0 ? sum / (double)ended : 0;
}

/* A run takes what its like took before, or else the others of its workload; a workload that has
 * not run yet is taken to be like the others. */
static double left_ms(const struct weir_compare_progress *p, const struct weir_study *s,
                      uint64_t now) {
  size_t each = s->n_gpus * s->n_schemes * weir_study_repeats(s), waiting = 0;
  double all = mean_ms(p, s, 0, weir_study_n_runs(s)), left = 0, longest = 0;
  for (size_t w = 0; w < s->n_workloads; w++) {
    double own = mean_ms(p, s, w * each, each), mean = own > 0 ? own : all;
    for (size_t i = w * each; i < (w + 1) * each; i++) {
      if (has_ended(&s->runs[i])) continue;
      double spent = s->runs[i].state == WEIR_RUN_RUNNING ? (double)(now - p->runs[i].began) : 0;
      double took = s->costs != NULL && !isnan(s->costs[i]) ? s->costs[i] * 1000 : mean;
      double rest = took > spent ? took - spent : 0;
      left += rest;
      longest = rest > longest ? rest : longest;
      waiting++;
    }
  }
  double shared = left / (double)(waiting < s->jobs ? waiting + (waiting == 0) : s->jobs);
  return shared > longest ? shared : longest;
}

static void add_time(struct weir_text *line, double ms) {
  unsigned s = (unsigned)(ms / 1000 + 0.5);
  if (s < 60)
    weir_text_printf(line, ", about %u s left", s);
  else if (s < 3600)
    weir_text_printf(line, ", about %u:%02u min left", s / 60, s % 60);
  else
    weir_text_printf(line, ", about %u:%02u h left", s / 3600, s / 60 % 60);
}

static bool is_running(const struct weir_study *s, size_t w, size_t g, size_t c) {
  for (size_t r = 0; r < weir_study_repeats(s); r++)
    if (weir_study_repeat(s, w, g, c, r)->state == WEIR_RUN_RUNNING) return true;
  return false;
}

static void add_running(struct weir_text *line, const struct weir_study *s) {
  const char *mark = ": ";
  for (size_t w = 0; w < s->n_workloads; w++) {
    if (s->workloads[w].state == WEIR_RUN_RUNNING) {
      weir_text_printf(line, "%srecording %s", mark, s->workloads[w].name);
      mark = ", ";
    }
    for (size_t g = 0; g < s->n_gpus; g++)
      for (size_t c = 0; c < s->n_schemes; c++) {
        if (!is_running(s, w, g, c)) continue;
        weir_text_printf(line, "%s%s %s", mark, s->workloads[w].name, weir_study_label(s, c));
        if (s->n_gpus > 1) weir_text_printf(line, " %s", s->gpus[g]);
        if (s->variants != NULL && *s->variants[g] != '\0')
          weir_text_printf(line, " %s", s->variants[g]);
        mark = ", ";
      }
  }
}

/* A line that wraps cannot be overwritten. */
static size_t terminal_width(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80u;
}

static void show(struct weir_compare_progress *p, const struct weir_study *s, uint64_t now) {
  size_t n = weir_study_n_runs(s), ended = 0;
  struct weir_text line = {0};
  for (size_t i = 0; i < n; i++)
    ended += has_ended(&s->runs[i]);
  double left = left_ms(p, s, now);
  weir_text_printf(&line, "%zu of %zu runs", ended, n);
  if (left >= 1000) add_time(&line, left);
  if (p->is_terminal) {
    add_running(&line, s);
    if (!line.failed) fprintf(stderr, "\r\033[K%.*s", (int)terminal_width() - 1, line.v);
  } else if (!line.failed) {
    fprintf(stderr, "weir: %s\n", line.v);
  }
  fflush(stderr);
  weir_text_free(&line);
  p->show_at = now + (p->is_terminal ? EVERY_MS : LOG_MS);
  p->showed = p->is_terminal;
}

void weir_compare_progress_event(void *self, const struct weir_study *s,
                                 enum weir_study_event event,
                                 const struct weir_study_workload *workload,
                                 const struct weir_run *run) {
  struct weir_compare_progress *p = self;
  (void)workload;
  if (p->runs == NULL) return; /* quiet */
  uint64_t now = weir_cli_ms();
  if (run != NULL && event == WEIR_STUDY_STARTED) p->runs[run - s->runs].began = now;
  if (run != NULL && event == WEIR_STUDY_ENDED)
    p->runs[run - s->runs].took = now - p->runs[run - s->runs].began;
  if (now >= p->show_at) show(p, s, now);
}

void weir_compare_progress_end(struct weir_compare_progress *p) {
  if (p->showed) fputs("\r\033[K", stderr);
  free(p->runs);
  *p = (struct weir_compare_progress){0};
}
