#!/usr/bin/env python3
"""Checks that memory comes from weir_malloc and its kin (src/base/mem.h), which tests make fail, and not from libc.

    tools/check_alloc.py [--fix] [ROOT]     --fix writes the weir_ names, and the include, into the files

Memory that a library takes for itself (jansson, libyaml, zstd, pthread, stdio) is not seen and not meant.
"""
import pathlib
import re
import sys

import c_text

OURS = ["malloc", "calloc", "realloc", "aligned_alloc", "strdup"]
# Nothing of ours does what these do: a text in an arena or a weir_text serves instead.
OTHERS = ["reallocarray", "posix_memalign", "memalign", "valloc", "strndup", "wcsdup", "asprintf", "vasprintf",
          "open_memstream", "getline", "getdelim"]
CALL = re.compile(r"(?<![\w.>])(?:__builtin_)?(" + "|".join(OURS + OTHERS) + r")\b(?=\s*\()")
# Where libc's are called, and why.
EXEMPT = {
    "src/base": "the one place that calls them",
    "src/cuda/runtime/redirect.c": "preloaded into foreign programs: has libc alone beneath it",
    "src/cuda/static_runtime.c": "is linked into the preloaded library, too",
}


def is_exempt(name):
    return any(name == e or name.startswith(e + "/") for e in EXEMPT)


def files(root):
    for file in sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h", ".def", ".inc")):
        if not is_exempt(file.relative_to(root).as_posix()):
            yield file


def problems(root):
    for file in files(root):
        text = file.read_text(encoding="utf-8", errors="replace")
        for match in CALL.finditer(c_text.blank(text)):
            name = match.group(1)
            use = f"weir_{name} (base/mem.h)" if name in OURS else "an arena or a weir_text"
            yield f"{file.relative_to(root)}:{c_text.line_of(text, match.start())}: {name}() cannot be made to fail by a test; use {use}"
    for name in EXEMPT:
        if not (root / name).exists():
            yield f"tools/check_alloc.py: '{name}' is exempt and does not exist"


def include(text):
    """With base/mem.h among the quoted includes, in their order; clang-format sorts within a block."""
    line = '#include "base/mem.h"\n'
    if line in text:
        return text
    quoted = list(re.finditer(r'^#include "(base/[^"]*)"\n', text, re.MULTILINE)) or \
        list(re.finditer(r'^#include "[^"]*"\n', text, re.MULTILINE))
    if quoted:
        at = quoted[-1].end() if quoted[-1].group() < line else quoted[0].start()
        return text[:at] + line + text[at:]
    last = list(re.finditer(r"^#include <[^>]*>\n", text, re.MULTILINE))[-1]
    return text[:last.end()] + "\n" + line + text[last.end():]


def fix(root):
    for file in files(root):
        text = file.read_text(encoding="utf-8")
        at = [m.start(1) for m in CALL.finditer(c_text.blank(text)) if m.group(1) in OURS]
        if not at:
            continue
        for position in reversed(at):
            text = text[:position] + "weir_" + text[position:]
        file.write_text(include(text), encoding="utf-8")
        print(file.relative_to(root))


def main():
    args = sys.argv[1:]
    write = "--fix" in args
    args = [a for a in args if a != "--fix"]
    root = pathlib.Path(args[0] if args else pathlib.Path(__file__).parent.parent)
    if write:
        fix(root)
    found = list(problems(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
