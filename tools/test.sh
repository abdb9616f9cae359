#!/bin/sh
# Runs the tests of a build folder and ends with 'N passed, N failed'.
#   tools/test.sh BUILD [meson test options, such as --suite base]
set -eu
build=$1
shift
status=0
meson test -C "$build" --print-errorlogs "$@" || status=$?
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
