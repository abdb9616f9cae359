#!/usr/bin/env python3
"""Checks the links between pages: each page under docs/ is on docs/README.md, and no link leads to a file that is not there.

    tools/check_index.py
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def problems(root, pages):
    index = root / "docs/README.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    for name in sorted(pages):
        page = root / name
        if page.is_relative_to(index.parent) and page != index and page.resolve() not in listed:
            yield f"{name}: docs/README.md does not lead to it"
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)):
            if not re.match(r"\w+:", link) and not (page.parent / link).exists():
                yield f"{name}: there is no {link}"


def main():
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    found = list(problems(ROOT, pages))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
