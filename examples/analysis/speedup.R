#!/usr/bin/env Rscript
# Speed-ups over a baseline from a store of results, with DBI and RSQLite (Debian: r-cran-rsqlite).
#
#   Rscript speedup.R STORE [SCHEME [SETTING]]     exit code 77: RSQLite is not installed
#
# Prints CSV: gpu, workload, input, scheme, setting, speedup; over seeds the geometric mean, NA where a run did not end.
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 1) stop("usage: Rscript speedup.R STORE [SCHEME [SETTING]]")
if (!requireNamespace("DBI", quietly = TRUE) || !requireNamespace("RSQLite", quietly = TRUE)) {
  message("speedup.R: RSQLite is not installed (Debian: r-cran-rsqlite)")
  quit(status = 77)
}
baseline <- if (length(arguments) > 1) arguments[2] else "baseline"
setting <- if (length(arguments) > 2) arguments[3] else ""

store <- DBI::dbConnect(RSQLite::SQLite(), arguments[1], flags = RSQLite::SQLITE_RO)
runs <- DBI::dbGetQuery(store, "
  SELECT r.gpu, r.workload, coalesce(r.input, '-') AS input, r.seed, r.scheme, coalesce(s.value, '-') AS setting,
         CAST(r.[cycles] AS REAL) AS cycles
  FROM run_results AS r LEFT JOIN settings AS s ON s.run = r.run AND s.key = ?", params = list(setting))
DBI::dbDisconnect(store)

if (any(duplicated(runs[, c("gpu", "workload", "input", "seed", "scheme", "setting")]))) {
  stop("two runs are the same in all that is looked at; name what was swept, and sweep one setting at a time")
}
base <- runs[runs$scheme == baseline, c("gpu", "workload", "input", "seed", "setting", "cycles")]
both <- merge(runs, base, by = c("gpu", "workload", "input", "seed", "setting"), all.x = TRUE, suffixes = c("", ".base"))
both$log <- log(both$cycles.base / both$cycles)
table <- aggregate(log ~ setting + scheme + input + workload + gpu, data = both, FUN = mean, na.action = na.pass)
table$speedup <- exp(table$log)
write.csv(table[, c("gpu", "workload", "input", "scheme", "setting", "speedup")], row.names = FALSE, quote = FALSE)
