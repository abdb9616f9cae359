#!/usr/bin/env python3
"""Checks that the version of the model is the number of entries of CHANGELOG.md that have the mark [MODEL].

    tools/check_model.py [ROOT]

Results in a store are found again by that version: a change that moves results raises it, and says so. Where only
machines move that say so in their files, the settings tell results apart: the mark [MODEL, machine] does not count.
"""
import pathlib
import re
import sys


def check(changelog, header):
    """What is wrong, or None."""
    marks = changelog.partition("\n## [")[2].count("[MODEL]")
    version = re.search(r"\bWEIR_MODEL = (\d+)", header)
    if version is None:
        return "src/sim/model.h: WEIR_MODEL is not there"
    if int(version[1]) != marks:
        return (f"src/sim/model.h: WEIR_MODEL is {version[1]}, and CHANGELOG.md has {marks} marks [MODEL]: raise it with every "
                "entry, one mark each, and leave the old ones")
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    wrong = check((root / "CHANGELOG.md").read_text(encoding="utf-8"), (root / "src/sim/model.h").read_text(encoding="utf-8"))
    if wrong:
        sys.exit(wrong)


if __name__ == "__main__":
    main()
