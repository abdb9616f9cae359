#!/usr/bin/env python3
"""Checks that a unit test, a program of cmocka below tests, is named test_NAME.c.

    tools/check_tests.py [ROOT]
"""
import pathlib
import sys


def problems(root):
    for file in sorted((root / "tests").rglob("*.c")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if "cmocka_run_group_tests" in text and not file.name.startswith("test_"):
            yield f"{file.relative_to(root)}: a unit test is named test_{file.name}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(problems(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
