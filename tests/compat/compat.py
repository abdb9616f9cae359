#!/usr/bin/env python3
"""What earlier versions of weir wrote, or read, is read by this one: README.md.

    tests/compat/compat.py PROGRAM traces|outputs|files|policies|exits
    tests/compat/compat.py PROGRAM write FOLDER     the outputs as this version writes them, for a new format
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
PROGRAM = ""


def weir(*arguments, code=0):
    """What it prints. Names in outputs are seen from this folder."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=HERE, capture_output=True, text=True, check=False,
                          env=dict(os.environ, WEIR_CACHE=""))
    text = done.stdout + done.stderr
    if done.returncode != code:
        sys.exit(f"weir {' '.join(map(str, arguments))}: exit code {done.returncode} instead of {code}\n{text}")
    return text


def expect(said, text):
    if said not in text:
        sys.exit(f"no '{said}' in:\n{text}")


# ---- traces: of each version how many there are, and the first instructions of one warp ----

TRACES = {1: ("1 kernel launch, 37,376 warp instructions", "matmul_tiled"), 2: ("1 kernel launch", "named_barriers"),
          3: ("2 kernel launches, 11,264 warp instructions", "gather"),
          4: ("1 kernel launch, 46 warp instructions", "operations")}


def traces():
    newest = max(TRACES)
    for version, (count, kernel) in TRACES.items():
        file = f"wtrace/version{version}.wtrace"
        expect(f"version                {version}\n", weir("trace", "info", file))
        expect(f"sound: {count}", weir("trace", "verify", file))
        head = weir("trace", "head", file, "-n", 40)
        if head != (HERE / f"wtrace/version{version}.head").read_text(encoding="utf-8"):
            sys.exit(f"{file} begins differently:\n{head}")
        expect(kernel, weir("replay", file, "--gpu", "files/machine.yaml", "--check"))
    with tempfile.TemporaryDirectory() as scratch:
        written, future = pathlib.Path(scratch, "now.wtrace"), pathlib.Path(scratch, "future.wtrace")
        weir("record", "-q", "files/launch.yaml", "-o", written)
        data = bytearray(written.read_bytes())
        if data[8] != newest:
            sys.exit(f"version {data[8]} is written, and wtrace/ has none: add one, and its line to TRACES")
        data[8] = newest + 1
        future.write_bytes(data)
        expect(f"version {newest + 1}; this weir reads versions 1 to {newest}", weir("trace", "info", future, code=2))


# ---- outputs ----

OUTPUTS = {  # file: the key with the number of its format, and the command that wrote it
    "run-1.json": ("weir_result", ["run", "files/launch.yaml", "--gpu", "files/machine.yaml", "--scheme",
                                   "files/scheme.yaml", "--config", "files/settings.yaml", "--per-sm", "--json"]),
    "functional-1.json": ("weir_result", ["run", "files/launch.yaml", "--input", "profile", "--functional", "--json"]),
    "replay-1.json": ("weir_result", ["replay", "wtrace/version3.wtrace", "--gpu", "files/machine.yaml", "--tags",
                                      "files/tags.yaml", "--scheme", "files/tagged.yaml", "--json"]),
    "compare-1.json": ("weir_compare", ["compare", "files/launch.yaml", "--gpus", "files/machine.yaml", "--schemes",
                                        "files/scheme.yaml,files/tagged.yaml,files/prepared.yaml", "--json"]),
    "compare-1.csv": ("csv", ["compare", "files/launch.yaml", "--gpus", "files/machine.yaml", "--schemes",
                              "files/scheme.yaml,files/tagged.yaml,files/prepared.yaml", "--csv"]),
    "classify-1.json": ("weir_classify", ["classify", "files/launch.yaml", "--gpu", "files/machine.yaml", "--json"]),
}


def load(path):
    """As docs/outputs.md says: JSON, or the lines of a CSV below those with '#', and what these say."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    with open(path, newline="", encoding="utf-8") as lines:
        lines = list(lines)
    about = json.loads("".join(line[2:] for line in lines if line[0] == "#"))
    return {"csv": about.pop("csv"), "provenance": about,
            "rows": [{k: number(v) for k, v in row.items()} for row in csv.DictReader(x for x in lines if x[0] != "#")]}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def shape(value, at=""):
    """Every path to a value, with its types; elements of an array are one path. What could not be computed is null in
    JSON and empty in CSV, and goes with any type."""
    if isinstance(value, dict):
        return merge([shape(v, f"{at}/{k}") for k, v in value.items()] + [{at: {"object"}}])
    if isinstance(value, list):
        return merge([shape(v, at + "/*") for v in value] + [{at: {"array"}}])
    if value is None or value == "":
        return {at: set()}
    return {at: {"boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"}}


def merge(shapes):
    out = {}
    for one in shapes:
        for path, types in one.items():
            out.setdefault(path, set()).update(types)
    return out


def lost(old, new):
    """What a reader of the old one would miss."""
    was, now = shape(old), shape(new)
    for path, types in sorted(was.items()):
        if path not in now:
            yield f"{path} is gone"
        elif now[path] - types and types:
            yield f"{path} was {'/'.join(sorted(types))} and is {'/'.join(sorted(now[path]))}"


def facts(name, out):
    """What no model of time can change, read as a user's script would read it."""
    if name.startswith("compare"):
        runs = out["rows"] if "rows" in out else out["runs"]
        return [(r["gpu"], r["workload"], r["input"], r["scheme"], r["status"], int(r["launches"]), r["cycles"] > 0,
                 r["speedup"] > 0) for r in runs]
    if name.startswith("classify"):
        return out["workload"], out["input"], [(k["kernel"], [(x["pc"], x["line"], x["array"], x["accesses"]) for x in
                                                              k["loads"]]) for k in out["kernels"]]
    if name.startswith("replay"):
        return [(k["kernel"], k["timing"]["cycles"] > 0) for k in out["kernels"]]
    return [(r["workload"], r["input"], r["results_checked"], r["buffers"],
             [(x["kernel"], x["grid"], x["block"], x["statistics"]["warp_insns"]) for x in r["launches"]])
            for r in out["runs"]]


def outputs():
    with tempfile.TemporaryDirectory() as scratch:
        for name, (key, command) in OUTPUTS.items():
            old_file, new_file = HERE / "outputs" / name, pathlib.Path(scratch, name)
            weir(command[0], "--like", old_file, command[-1], new_file, "-q")
            again = new_file.with_stem("again")
            weir(command[0], "--like", new_file, command[-1], again, "-q")
            if new_file.read_bytes() != again.read_bytes():
                sys.exit(f"{name}: the same weir repeats it differently")
            old, new = load(old_file), load(new_file)
            if new[key] != old[key]:
                continue  # another format: this one is no longer written, and was repeated
            missing = list(lost(old, new))
            if missing:
                sys.exit(f"{name}: readers of format {old[key]} do not find what was there:\n  " +
                         "\n  ".join(missing) + f"\nGive it back, or raise '{key}' (docs/compatibility.md).")
            if facts(name, old) != facts(name, new):
                sys.exit(f"{name}: {facts(name, old)}\nis now {facts(name, new)}")
        newest = {key for key, _ in OUTPUTS.values()}
        for name, (key, command) in OUTPUTS.items():
            if load(pathlib.Path(scratch, name))[key] == load(HERE / "outputs" / name)[key]:
                newest.discard(key)
        if newest:
            sys.exit(f"{', '.join(newest)}: outputs/ has none of the format that is written; compat.py write FOLDER")


def write(folder):
    for name, (_, command) in OUTPUTS.items():
        weir(*command, pathlib.Path(folder).resolve() / name, "-q")


# ---- files that users write ----

def files():
    """Each kind of file of version 1 does what it did, and is refused with another number."""
    with tempfile.TemporaryDirectory() as scratch:
        run = ["run", "files/launch.yaml", "-q", "--check", "--gpu"]
        for scheme in ("scheme", "tagged", "prepared"):
            weir(*run, "files/machine.yaml", "--scheme", f"files/{scheme}.yaml", "--config", "files/settings.yaml")
        weir("compare", "files/launch.yaml", "-q", "-g", "files/machine.yaml", "-S", "files/scheme.yaml")
        weir(*run, "files/machine.yaml", "--scheme", "coordinated", "--tags", "files/tags.yaml")
        expect("files/machine.yaml:", weir("explain", "--gpu", "files/machine.yaml", "sm.count"))
        uses = {"launch": lambda f: ["run", f], "machine": lambda f: [*run, f],
                "scheme": lambda f: [*run, "files/machine.yaml", "--scheme", f],
                "tags": lambda f: [*run, "files/machine.yaml", "--scheme", "coordinated", "--tags", f]}
        for kind, use in uses.items():
            text = (HERE / f"files/{kind}.yaml").read_text(encoding="utf-8")
            future = pathlib.Path(scratch, f"{kind}.yaml")
            future.write_text(re.sub(r"^(weir|weir-tags): 1$", r"\1: 99", text, flags=re.M), encoding="utf-8")
            expect("99", weir(*use(future), code=2))


# ---- plug-ins ----

def build(source, scratch, *flags):
    binary = pathlib.Path(scratch, "policy.so")
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-I", str(INCLUDE), *flags, "-o",
                    str(binary), str(source)], check=True)
    return binary


def policies():
    """A plug-in for the contract of today keeps its rules and runs; binaries for others are known by their numbers."""
    text = (INCLUDE / "weir/policy.h").read_text(encoding="utf-8")
    today = int(re.search(r"^#define WEIR_POLICY_ABI +(\d+)", text, flags=re.M).group(1))
    for table in (HERE / "policy").glob("abi-*.txt"):
        version = int(table.stem.split("-")[1])
        with tempfile.TemporaryDirectory() as scratch:
            if version == today:
                policy = build(HERE / f"policy/policy-{today}.c", scratch, "-Wall", "-Wextra", "-Werror")
                weir("check-policy", policy)
                weir("run", "files/launch.yaml", "-q", "--check", "--gpu", "files/machine.yaml", "--plugin", policy)
                continue
            size = int(re.search(r"^struct weir_policy_ops: (\d+) bytes", table.read_text(), flags=re.M).group(1))
            old = pathlib.Path(scratch, "old.c")
            old.write_text(f"const unsigned weir_policy_old[{size // 4}] = {{{version}}};\n", encoding="utf-8")
            expect(f"for version {version} of the policy contract; this weir has version {today}",
                   weir("check-policy", build(old, scratch), code=2))


# ---- exit codes ----

def exits():
    """0, 1, 2 and 130 from outside; 3, for what cannot happen, is tested in tests/base/test_err.c."""
    expect("0 good, 1 the run failed, 2 wrong usage or input, 3 weir itself is wrong", weir("--help"))
    weir("run", "files/launch.yaml")
    with tempfile.TemporaryDirectory() as scratch:
        wrong = pathlib.Path(scratch, "wrong.yaml")
        text = (HERE / "files/launch.yaml").read_text(encoding="utf-8")
        wrong.write_text(text.replace("[kernel.ptx]", f"[{HERE}/files/kernel.ptx]").replace("at(index, i))", "0)"),
                         encoding="utf-8")
        weir("run", wrong, code=1)
        weir("run", "files/launch.yaml", "--gpu", "files/machine.yaml", "--json", f"{scratch}/no/such/folder.json",
             code=2)
    weir("run", "files/no-such-file.yaml", code=2)
    weir("run", "--no-such-option", code=2)
    weir("no-such-command", code=2)
    interrupted()


def interrupted():
    """Ctrl-C while a comparison waits for its trace: 130, from weir itself and not by the signal."""
    with tempfile.TemporaryDirectory() as scratch:
        started = pathlib.Path(scratch, "started")
        script = f"echo > {started}; exec sleep 1000"
        child = subprocess.Popen([PROGRAM, "compare", "-S", "baseline", "--", "/bin/sh", "-c", script], cwd=HERE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not started.exists() and child.poll() is None:
            os.sched_yield()
        child.send_signal(signal.SIGINT)
        said = child.communicate()[1].decode(errors="replace")
        if child.returncode != 130:
            sys.exit(f"interrupted: exit code {child.returncode} instead of 130\n{said}")


def main():
    global PROGRAM
    tests = {f.__name__: f for f in (traces, outputs, files, policies, exits, write)}
    if len(sys.argv) < 3 or sys.argv[2] not in tests:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    tests[sys.argv[2]](*sys.argv[3:])


if __name__ == "__main__":
    main()
