#!/usr/bin/env python3
"""Makes a tree that of a release: version and date where they stand, and names that are promised from now on.

    tools/release.py VERSION [YYYY-MM-DD]     default: today
    tools/release.py --check                  do they agree?

It changes meson.build, CITATION.cff, CHANGELOG.md and tests/compat/names.txt (by build/weir, or $WEIR); commit that.
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(os.environ.get("WEIR_RELEASE_TOP", pathlib.Path(__file__).resolve().parent.parent))
MESON = re.compile(r"^  version: '([^']*)'", re.M)
CITED = re.compile(r"^version: (\S+)$", re.M)
CITED_DATE = re.compile(r"^date-released: (\S+)$", re.M)
SECTION = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", re.M)
OPEN = "## [Unreleased]\n"


def read(name):
    return (TOP / name).read_text(encoding="utf-8")


def first(pattern, name):
    found = pattern.search(read(name))
    return found.group(1) if found else None


def disagreements():
    version = first(MESON, "meson.build")
    if not version or not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"meson.build: '{version}' is no version"
    if first(CITED, "CITATION.cff") != version:
        yield f"CITATION.cff has version {first(CITED, 'CITATION.cff')}, meson.build {version}"
    changes = read("CHANGELOG.md")
    if changes.count(OPEN) != 1:
        yield f"CHANGELOG.md has not one line '{OPEN.strip()}'"
    sections = SECTION.findall(changes)
    newest, date = sections[0] if sections else (version, None)
    if newest != version:
        yield f"CHANGELOG.md has {newest} as the newest version, meson.build {version}"
    if first(CITED_DATE, "CITATION.cff") != date:
        yield f"CITATION.cff is of {first(CITED_DATE, 'CITATION.cff')}, the newest section of CHANGELOG.md of {date}"
    if sections != sorted(sections, key=lambda s: [int(x) for x in s[0].split(".")], reverse=True):
        yield "CHANGELOG.md: versions are not in their order"


def replace(name, pattern, text):
    old = read(name)
    new, n = pattern.subn(lambda _: text, old, count=1)
    if n != 1:
        sys.exit(f"{name} has no line like {pattern.pattern}")
    (TOP / name).write_text(new, encoding="utf-8")


def release(version, date):
    datetime.date.fromisoformat(date)
    was = first(MESON, "meson.build")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"'{version}' is no version: MAJOR.MINOR.PATCH")
    if any(version == v for v, _ in SECTION.findall(read("CHANGELOG.md"))):
        sys.exit(f"{version} has been released")
    if [int(x) for x in version.split(".")] < [int(x) for x in was.split(".")]:
        sys.exit(f"{version} is older than {was}")
    replace("meson.build", MESON, f"  version: '{version}'")
    citation = CITED_DATE.sub("", read("CITATION.cff")).replace("\n\n", "\n")
    (TOP / "CITATION.cff").write_text(citation, encoding="utf-8")
    replace("CITATION.cff", CITED, f"version: {version}\ndate-released: {date}")
    replace("CHANGELOG.md", re.compile(re.escape(OPEN)), f"{OPEN}\n## [{version}] - {date}\n")
    program = os.environ.get("WEIR", str(TOP / "build/weir"))
    subprocess.run([str(TOP / "tests/compat/names.py"), program, "add"], check=True)


def main():
    words = sys.argv[1:]
    if not words or len(words) > 2 or (words[0] != "--check" and words[0].startswith("-")):
        sys.exit(__doc__)
    if words[0] != "--check":
        release(words[0], words[1] if len(words) > 1 else datetime.date.today().isoformat())
    wrong = list(disagreements())
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
