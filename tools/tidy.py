#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the C files that a build folder compiles; what it finds fails.

    tools/tidy.py BUILD [FILE...]       files below src and bench; without FILE all of them

A file that was clean is not looked at again until it, a header of it, its command or the checks change: BUILD/tidy
holds an empty file for each such state. Ninja says which headers a file has, so the folder must be built.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "bench")


def commands(build, root):
    """{file, relative to root: entry of compile_commands.json}, one for each file; the entry's folder is `build`."""
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        if file.split(os.sep)[0] in FOLDERS and file.endswith(".c"):
            out.setdefault(file, entry)
    return out


def parse_deps(text):
    """{object: [file]} from what `ninja -t deps` prints."""
    out, current = {}, None
    for line in text.splitlines():
        if line.startswith("    ") and current is not None:
            current.append(line.strip())
        elif ": #deps" in line and "STALE" not in line:
            current = out.setdefault(line.split(": #deps")[0], [])
        else:
            current = None
    return out


def state(entry, deps, common):
    """A name for all that clang-tidy sees of a file; None: that is not known."""
    headers = deps.get(entry["output"])
    if headers is None:
        return None
    h = hashlib.sha256(common + entry["command"].encode())
    for name in sorted({os.path.normpath(os.path.join(entry["directory"], p)) for p in headers + [entry["file"]]}):
        try:
            h.update(name.encode() + b"\0" + hashlib.sha256(pathlib.Path(name).read_bytes()).digest())
        except OSError:
            return None
    return h.hexdigest()


def check(build, file):
    p = subprocess.run(["clang-tidy", "--quiet", "--warnings-as-errors=*", "-p", str(build), file], cwd=ROOT,
                       capture_output=True, text=True, check=False)
    return p.stdout if p.returncode != 0 or "warning:" in p.stdout else "", p.returncode, p.stderr


def common_part():
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_bytes()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = {os.path.relpath(os.path.abspath(f), ROOT) for f in sys.argv[2:]}
    entries = commands(build, ROOT)
    for file in wanted - set(entries):
        sys.exit(f"{file}: {build} does not compile it")
    deps = parse_deps(subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True,
                                     check=True).stdout)
    clean = build / "tidy"
    clean.mkdir(exist_ok=True)
    common = common_part()
    states = {f: state(e, deps, common) for f, e in entries.items() if not wanted or f in wanted}
    todo = [f for f, s in states.items() if s is None or not (clean / s).exists()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, (text, status, errors) in zip(todo, pool.map(lambda f: check(build, f), todo)):
            if text or status != 0:
                bad += 1
                print(text or errors, end="", flush=True)
            elif states[file] is not None:
                (clean / states[file]).touch()
    for old in clean.iterdir() if not wanted else []:
        if old.name not in states.values():
            old.unlink()
    print(f"clang-tidy: {len(states)} files, {len(todo)} of them new or changed, {bad} with findings")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
