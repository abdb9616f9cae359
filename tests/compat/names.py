#!/usr/bin/env python3
"""Names that users write stay: commands, options, parameters and their choices, statistics, machines, schemes.

    tests/compat/names.py PROGRAM check     names.txt has nothing that is gone
    tests/compat/names.py PROGRAM add       add to names.txt what is new: tools/release.py does

A name is promised from the release that first has it.
"""
import pathlib
import re
import subprocess
import sys

FILE = pathlib.Path(__file__).resolve().parent / "names.txt"


def say(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def table(program, what):
    """Rows of a list, as cells cut at the columns of its heading."""
    lines = say(program, "list", what).splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("---"))
    starts = [m.start() for m in re.finditer(r"\S+", lines[0])]
    for line in lines[rule + 1:]:
        if not line.strip():
            break
        yield line.split()[0], [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None])]


def names(program):
    for line in say(program, "--help").splitlines():
        command = re.match(r"  ([a-z-]+)  +\S", line)
        if command:
            yield f"command {command.group(1)}"
            text = say(program, "help", command.group(1))
            for letter, option in re.findall(r"^  (?:-(\w), |    )--([a-z-]+)", text, flags=re.M):
                yield f"option {command.group(1)} --{option}"
                if letter:
                    yield f"option {command.group(1)} -{letter}"
    for name, cells in table(program, "params"):
        yield f"parameter {name}"
        accepted = cells[-2]
        if accepted != "true, false" and re.fullmatch(r"[\w-]+(, [\w-]+)+", accepted):
            yield from (f"parameter {name}={choice}" for choice in accepted.split(", "))
    for kind, what in (("statistic", "stats"), ("machine", "gpus"), ("scheme", "schemes"), ("policy", "policies"),
                       ("workload", "workloads")):
        yield from (f"{kind} {name}" for name, _ in table(program, what))


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("check", "add"):
        sys.exit(__doc__)
    today = set(names(sys.argv[1]))
    promised = set(FILE.read_text(encoding="utf-8").splitlines()) if FILE.exists() else set()
    if sys.argv[2] == "add":
        FILE.write_text("".join(f"{name}\n" for name in sorted(promised | today)), encoding="utf-8")
        return
    gone = sorted(promised - today)
    if gone:
        sys.exit("These are promised (docs/compatibility.md) and gone:\n  " + "\n  ".join(gone))
    if len(promised) < 500:
        sys.exit(f"{FILE} is too short")


if __name__ == "__main__":
    main()
