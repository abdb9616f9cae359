#!/usr/bin/env python3
"""What is installed is enough for programs of others: installed.py BUILD-FOLDER SOURCE-FOLDER PROGRAM [sanitized]

The headers are C and C++, the library exports what they declare and nothing else, the example is built by its own
Makefile, and the Python module runs with the system's python3; both give what the command line gives, also after the
installation was moved. PROGRAM is the test of the Python module.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
IS_SANITIZED = "sanitized" in sys.argv[4:]  # such a library cannot be loaded by other programs
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def said(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def only(found):
    found = sorted(found)
    assert len(found) == 1, found
    return found[0]


def check_headers(top, flags):
    headers = only(top.rglob("weir/sim.h")).parent
    names = sorted(h.name for h in headers.glob("*"))
    assert names == ["cacheop.h", "err.h", "param.h", "policy.h", "sim.h", "stat.h", "version.h"], names
    for compiler, language in (("cc", "c"), ("c++", "c++")):
        if shutil.which(compiler) is None:
            print(f"no {compiler} here: headers not tried with it")
            continue
        for name in names:
            strict = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
            said(compiler, *strict, *flags, "-x", language, "-", input=f'#include "weir/{name}"\n')
    return headers


def check_symbols(top, headers):
    """Exactly the functions that are declared as WEIR_API."""
    library = only(p for p in top.rglob("libweir.so*") if not p.is_symlink())
    declared = set()
    for header in headers.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        declared |= set(re.findall(r"WEIR_API\s[^;]*?\b(weir_\w+)\(", text))
    lines = said("nm", "-D", "--defined-only", library).split("\n")
    exported = {line.split()[-1].split("@")[0] for line in lines if line}
    assert all(name.startswith("weir_") for name in exported), exported
    versions = {name for name in exported if re.fullmatch(r"weir_\d+", name)}
    assert exported - versions == declared, (exported - versions) ^ declared
    soname = re.search(r"SONAME.*\[(.*)\]", said("readelf", "-d", library)).group(1)
    assert soname == f"libweir.so.{said('pkg-config', '--variable=abi', 'weir').strip()}", soname
    return library


# A policy comes before those of every scheme, whose values it has then. No handler is put up for it.
PLUGIN = """
import sys, weir
def caught():
    with open("/proc/self/status") as f:
        return [line for line in f if line.startswith("SigCgt")]
before = caught()
weir.load_plugin(sys.argv[1])
with weir.Session("fermi-s3") as s:
    s.add("baseline")
    s.run("gather", input="profile")
    print(s.stat("pc-streak.bypasses"), s.stat("l1.bypassed"))
assert caught() == before, (before, caught())
try:
    weir.load_plugin(sys.argv[1] + ".not")
except weir.Error as e:
    print(e.code)
"""


def check_plugin(top, env):
    plugin, include = top / "pc_streak.so", only(top.rglob("weir/policy.h")).parent.parent
    source = SOURCE / "examples" / "own-policy" / "pc_streak.c"
    said("cc", "-O2", "-shared", "-fPIC", "-I", include, "-o", plugin, source)
    mine, all_of, code = said(PYTHON, "-c", PLUGIN, plugin, env=env).split()
    assert int(mine) == int(all_of) > 0 and code == "ENOENT", (mine, all_of, code)


# What is prepared before a run: tags, and the rows of a policy.
PREPARED = """
import sys, weir
weir.load_plugin(sys.argv[1])
with weir.Session("fermi-s4", settings={"cls.high": 0.8}) as s:
    s.add("static", policies="coordinated,pc-reuse", settings={"pc-reuse.percent": 30})
    s.add("static", name="rows", policies="pc-reuse")
    s.add("static", name="none", policies="pc-reuse", settings={"pc-reuse.percent": 0})
    s.run("gather", input=None)
    for design in s.designs:
        print(s.stat("cycles", design), s.stat("l1.bypassed_static", design), s.stat("l1.bypassed_profile", design))
"""


def check_prepared(top, env, weir):
    """A session prepares as the commands do."""
    plugin, include = top / "pc_reuse.so", only(top.rglob("weir/policy.h")).parent.parent
    source = SOURCE / "examples" / "prepared-policy" / "pc_reuse.c"
    said("cc", "-O2", "-shared", "-fPIC", "-I", include, "-o", plugin, source)
    got = [line.split() for line in said(PYTHON, "-c", PREPARED, plugin, env=env).splitlines()]
    run = f"run gather -g fermi-s4 -S static --plugin {plugin} --no-provenance -j - --set".split()
    for mine, options in zip(got, (["pc-reuse.percent=30", "-s", "cls.high=0.8", "-P", "coordinated,pc-reuse"],
                                   ["pc-reuse.percent=10", "-P", "pc-reuse"], ["pc-reuse.percent=0", "-P", "pc-reuse"])):
        launches = json.loads(said(weir, *run, *options, env={**env, "WEIR_CACHE": ""}))["runs"][0]["launches"]
        all_of = [one["timing"] for one in launches]
        want = [sum(t["cycles"] for t in all_of), *(sum(t["l1"][f"bypassed_{k}"] for t in all_of) for k in ("static", "profile"))]
        assert [int(v) for v in mine] == want, (mine, want, options)
    assert int(got[0][1]) > 0 and int(got[1][2]) > 0 and got[2][2] == "0", got


def main():
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder).resolve() / "root"
        said("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", env={**os.environ, "DESTDIR": str(top)})
        os.environ["PKG_CONFIG_PATH"] = str(only(top.rglob("weir.pc")).parent)
        os.environ["PKG_CONFIG_SYSROOT_DIR"] = str(top)
        headers = check_headers(top, said("pkg-config", "--cflags", "weir").split())
        library = check_symbols(top, headers)
        if IS_SANITIZED:
            return
        env = {k: v for k, v in os.environ.items() if k not in ("WEIR_DATA", "WEIR_LIBRARY", "PYTHONPATH")}
        env["LD_LIBRARY_PATH"] = str(library.parent)
        example = shutil.copytree(SOURCE / "examples" / "library", top / "example")
        said("make", "-C", example, "-s", "CFLAGS=-O2 -Wall -Wextra -Werror", env=env)
        first = said(example / "compare", env=env)
        print(first)
        # Moved, and without a word about where it is.
        moved = top.parent / "moved"
        top.rename(moved)
        env["LD_LIBRARY_PATH"] = str(moved / library.parent.relative_to(top))
        assert said(moved / "example" / "compare", env=env) == first
        del env["LD_LIBRARY_PATH"]
        env["PYTHONPATH"] = str(only(moved.rglob("share/weir/python")))
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        assert said(PYTHON, moved / "example" / "compare.py", env=env) == first
        weir = only(p for p in moved.rglob("bin/weir") if p.is_file())
        table = said(weir, *"compare gather -i profile -S baseline,decoupled,pc-bypass".split(), env=env)
        for line in first.split("\n")[2:5]:
            scheme, cycles = line.split()[:2]
            number = f"{int(cycles):,}"
            assert re.search(rf"^{scheme} .* {number} ", table, re.MULTILINE), (line, table)
        print(said(PYTHON, sys.argv[3], moved, env=env))
        check_plugin(moved, env)
        check_prepared(moved, env, weir)


main()
