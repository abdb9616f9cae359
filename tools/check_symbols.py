#!/usr/bin/env python3
"""Checks, by what nm says of a build's object files, that no module needs a symbol that only a higher one defines.

    tools/check_symbols.py BUILD

Includes (tools/check_deps.py) do not show this: a header may declare what another module defines.
"""
import json
import pathlib
import subprocess
import sys

import check_deps

# (module, higher one): symbols that it needs today. A row may only become shorter, and goes when it is empty.
KNOWN = {
}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def objects(build, root):
    """(module, object file) of each object in the build folder that comes from src."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        folder = pathlib.Path(entry["directory"])
        module = check_deps.module_of(folder / entry["file"], root / "src")
        if module is not None:
            yield module, folder / entry["output"]


def symbols(files):
    """{object file: (defined, needed)} of global symbols."""
    out = {}
    text = subprocess.run(["nm", "-A", "-g", "-P", "--", *map(str, files)], capture_output=True, text=True,
                          check=True).stdout
    for line in text.splitlines():
        file, rest = line.rsplit(": ", 1)
        name, kind = rest.split()[:2]
        defined, needed = out.setdefault(pathlib.Path(file), (set(), set()))
        (needed if kind in "Uvw" else defined).add(name)
    return out


def problems(objs, table, order=None, known=None):
    """`objs`: (module, object); `table`: what symbols() returns."""
    order = check_deps.ORDER if order is None else order
    known = KNOWN if known is None else known
    owner = {}  # symbol: the lowest module that defines it
    for module, obj in objs:
        for name in table.get(obj, ((), ()))[0]:
            owner[name] = min(owner.get(name, module), module, key=order.index)
    met = {}
    for module, obj in sorted(objs, key=lambda o: (order.index(o[0]), str(o[1]))):
        for name in sorted(table.get(obj, ((), ()))[1]):
            other = owner.get(name)
            if other is None or order.index(other) <= order.index(module):
                continue
            if name in known.get((module, other), ()):
                met.setdefault((module, other), set()).add(name)
            else:
                yield f"{obj.name}: '{module}' needs '{name}', which '{other}' above it defines"
    for pair, names in known.items():
        for name in sorted(set(names) - met.get(pair, set())):
            yield f"{pair[0]} does not need '{name}' of {pair[1]} any more: take it out of tools/check_symbols.py"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    objs = sorted(set(objects(pathlib.Path(sys.argv[1]).resolve(), ROOT)))
    missing = [str(o) for _, o in objs if not o.exists()]
    if missing or not objs:
        sys.exit(f"{sys.argv[1]} is not built: {', '.join(missing[:3])} ...")
    found = list(problems(objs, symbols([o for _, o in objs])))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
