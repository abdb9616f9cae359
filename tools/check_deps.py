#!/usr/bin/env python3
"""Checks that a module includes only its own headers, those of lower modules, and include/weir.

    tools/check_deps.py [ROOT]
"""
import pathlib
import re
import sys

# Lowest first, the only list: tools/check_symbols.py reads it, and meson.build must follow it. A module may be absent.
ORDER = ["base", "stream", "ptx", "exec", "launch", "trace", "machine", "sched", "l1", "sim", "session", "analysis", "study",
         "report", "cuda", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
GENERATED = {"l1/parts.inc", "report/page_files.inc", "weir_build.h", "weir_commit.h", "weir/version.h"}


def module_of(path, src):
    """The module a file below src belongs to, or None."""
    try:
        return path.resolve().relative_to(src.resolve()).parts[0]
    except ValueError:
        return None


def resolve(name, file, root):
    """Where the compiler finds an include: beside the file, in src, in include."""
    for base in (file.parent, root / "src", root / "include"):
        if (base / name).exists():
            return base / name
    return None


def build_order(root):
    """The modules of meson.build, if there is one."""
    file = root / "meson.build"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    match = re.search(r"^foreach module : \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    return re.findall(r"'([^']*)'", match.group(1)) if match else []


def problems(root):
    src = root / "src"
    built = build_order(root)
    if [m for m in ORDER if m in built] != built:
        yield f"meson.build: its modules are not in the order of tools/check_deps.py, {', '.join(ORDER)}"
    for file in sorted(src.rglob("*.[ch]")) + sorted(src.rglob("*.def")):
        own = module_of(file, src)
        if own not in ORDER:
            yield f"{file.relative_to(root)}: '{own}' is not a module; the order is in tools/check_deps.py"
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            name = match.group(1)
            place = f"{file.relative_to(root)}:{text.count(chr(10), 0, match.start(1)) + 1}"
            if name in GENERATED:
                continue
            target = resolve(name, file, root)
            if target is None:
                yield f"{place}: no header '{name}' in this tree; write system headers in <>"
                continue
            other = module_of(target, src)
            if other in ORDER and ORDER.index(other) > ORDER.index(own):
                yield f"{place}: '{own}' may not include '{name}': {other} is above it"
    for file in sorted((root / "include").rglob("*.h")):
        text = file.read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            if not match.group(1).startswith("weir/"):
                yield f"{file.relative_to(root)}: a public header may include only weir/..., not '{match.group(1)}'"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(problems(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
