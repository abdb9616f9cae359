#!/usr/bin/env python3
"""Checks that the version of the model is the number of entries of CHANGELOG.md that have the mark [MODEL].

    tools/check_model.py [ROOT]

Results in a store are found again by that version: a change that moves results raises it, and says so. Where only
machines move that say so in their files, the settings tell results apart: the mark [MODEL, machine] does not count.
Traces have a version of their own, which counts the marks [MODEL, traces], and so have registers that are estimated.
"""
import pathlib
import re
import sys


def check(changelog, header):
    """What is wrong, or None."""
    entries = changelog.partition("\n## [")[2]
    for name, mark in (("WEIR_MODEL", "[MODEL]"), ("WEIR_MODEL_TRACES", "[MODEL, traces]"),
                       ("WEIR_MODEL_REGISTERS", "[MODEL, registers]")):
        marks = entries.count(mark)
        version = re.search(rf"\b{name} = (\d+)", header)
        if version is None:
            return f"src/sim/model.h: {name} is not there"
        if int(version[1]) != marks:
            return (f"src/sim/model.h: {name} is {version[1]}, and CHANGELOG.md has {marks} marks {mark}: raise it with every "
                    "entry, one mark each, and leave the old ones")
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    wrong = check((root / "CHANGELOG.md").read_text(encoding="utf-8"), (root / "src/sim/model.h").read_text(encoding="utf-8"))
    if wrong:
        sys.exit(wrong)


if __name__ == "__main__":
    main()
