#!/bin/bash
# Runs the tests of a build folder and ends with 'N passed, N failed'.
#   tools/test.sh BUILD [meson test options, such as --suite base]
# WEIR_TEST_CPU_S: seconds of processor time that a process may take (default 600). A test that runs for ever is
# stopped by that and not by the clock: how long a test waits for a processor says nothing about it.
set -eu
build=$1
shift
status=0
began=$(date +%s)
ulimit -t "${WEIR_TEST_CPU_S:-600}"
meson test -C "$build" --print-errorlogs --timeout-multiplier 0 "$@" || status=$?
echo "tests in $build took $(($(date +%s) - began)) s"
python3 - "$build/meson-logs/testlog.json" <<'PY'
import json, sys
passed = failed = skipped = 0
for line in open(sys.argv[1], encoding="utf-8"):
    result = json.loads(line)["result"]
    passed += result in ("OK", "EXPECTEDFAIL")
    skipped += result == "SKIP"
    failed += result not in ("OK", "EXPECTEDFAIL", "SKIP")
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {failed} failed")
PY
exit "$status"
