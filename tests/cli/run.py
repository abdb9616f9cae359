#!/usr/bin/env python3
"""Runs the golden cases of the command line.

    tests/cli/run.py PROGRAM [--bless] [CASE.cmd | FOLDER]...
    tests/cli/run.py --folders

A case is NAME.cmd: shell commands, run by bash in the case's folder with `weir` as the program and $TMP as an empty folder.
NAME.stdout and NAME.stderr hold what must be printed (absent: nothing), NAME.exit the exit code (absent: 0).
In the expected files {{*}} stands for any text within a line, {{0-9}} for digits (and separators . , e + -), and a line that is
just {{...}} for any number of lines. The source tree's path reads as {{SRC}}. Everything else is compared exactly.
A case with a line '# slow: WHY' is left out where WEIR_SKIP_SLOW is set, as tools/sanitize.sh does.
--bless writes the expected files of cases that differ: read the diff before committing it.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = str(HERE.parent.parent)
LIMIT_S = 3600  # of a case that waits for ever; one that computes for ever is stopped by tools/test.sh


def pattern(expected):
    """The expected text as a regular expression."""
    out = []
    for line in expected.splitlines(keepends=True):
        if line.strip() == "{{...}}":
            out.append(r"(?:.*\n)*")
            continue
        parts = re.split(r"(\{\{\*\}\}|\{\{0-9\}\})", line)
        named = {"{{*}}": r"[^\n]*", "{{0-9}}": r"[0-9][0-9.,e+-]*"}
        out.append("".join(named.get(part, re.escape(part)) for part in parts))
    return "".join(out)


def run(case, program):
    with tempfile.TemporaryDirectory() as scratch:
        wrapper = pathlib.Path(scratch, "bin")
        work = pathlib.Path(scratch, "tmp")
        wrapper.mkdir()
        work.mkdir()
        (wrapper / "weir").symlink_to(program)
        env = dict(os.environ, PATH=f"{wrapper}:{os.environ['PATH']}", TMP=str(work), LC_ALL="C")
        env.pop("WEIR_DATA", None)
        built = pathlib.Path(program).resolve().parent
        env["CLIENT"] = str(built / "tests/cli/program_client")
        env["SAMPLE_STORE"] = str(built / "tests/study/sample_store")
        env["WEIR_CACHE"] = str(pathlib.Path(scratch, "cache"))
        try:
            done = subprocess.run(["bash", case.name], cwd=case.parent, env=env, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code, out, err = 124, late.stdout or b"", late.stderr or b""
        texts = [t.decode("utf-8", "backslashreplace") for t in (out, err)]
        texts = [t.replace(str(work), "{{TMP}}").replace(SOURCE, "{{SRC}}") for t in texts]
        return {"stdout": texts[0], "stderr": texts[1], "exit": f"{code}\n"}


def expected_of(case, part):
    file = case.with_suffix("." + part)
    if file.exists():
        return file.read_text(encoding="utf-8")
    return "0\n" if part == "exit" else ""


def bless(case, part, text):
    file = case.with_suffix("." + part)
    if text == ("0\n" if part == "exit" else ""):
        file.unlink(missing_ok=True)
    else:
        file.write_text(text, encoding="utf-8")


def check(case, program, blessing):
    """True when the case passes."""
    good = True
    for part, actual in run(case, program).items():
        expected = expected_of(case, part)
        if re.fullmatch(pattern(expected), actual):
            continue
        good = False
        if blessing:
            bless(case, part, actual)
        else:
            sys.stdout.writelines(difflib.unified_diff(
                expected.splitlines(keepends=True), actual.splitlines(keepends=True),
                f"{case.stem}.{part} expected", f"{case.stem}.{part} actual"))
            print()
    return good


def collect(names):
    cases = []
    for name in names or [HERE / folder for folder in folders()]:
        path = pathlib.Path(name).resolve()
        cases += [c for c in sorted(path.glob("*.cmd")) if not is_left_out(c)] if path.is_dir() else [path]
    return cases


def is_left_out(case):
    return bool(os.environ.get("WEIR_SKIP_SLOW")) and "\n# slow: " in case.read_text(encoding="utf-8")


def folders():
    """Those that hold cases, as seen from here."""
    return sorted({os.path.relpath(case.parent, HERE) for case in HERE.rglob("*.cmd")})


def main():
    if sys.argv[1:] == ["--folders"]:
        print("\n".join(folders()))
        return
    blessing = "--bless" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--bless"]
    if not words:
        sys.exit(__doc__)
    program = pathlib.Path(words[0]).resolve()
    cases = collect(words[1:])
    failed = [case for case in cases if not check(case, program, blessing)]
    for case in failed:
        print(("blessed: " if blessing else "FAILED: ") + os.path.relpath(case, HERE))
    print(f"{len(cases) - len(failed)} of {len(cases)} cases pass")
    sys.exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
