#!/usr/bin/env python3
"""Every example of every command's help runs: examples.py WEIR CLIENT SAMPLE-STORE SOURCE-FOLDER

What an example takes for granted (a program, a policy, a launch file, a trace, a store) is put into the folder that it runs in. Workloads
are run on their small input, and 'all' is one of them: what is tested is that the line is right.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_S = 100


def examples(weir, command):
    """The command lines of its help, without what stands around them: a compiler before, a remark or a pipe after."""
    text = subprocess.run([weir, "help", command], capture_output=True, text=True, check=True).stdout
    for line in text.partition("\nExamples:\n")[2].splitlines():
        line = re.split(r"\s{3,}| \| | > ", line.strip())[0]
        yield line[line.index("weir "):]


def small(words):
    """The same line on small inputs."""
    command, rest = words[1], words[2:]
    if command == "reproduce":  # a paper of one figure
        return [command, "paper.yaml", "--quick"] + (rest[1:] if rest[1:2] and rest[1].startswith("--") else rest[2:])
    options = rest[:rest.index("--")] if "--" in rest else rest
    is_sized = command in ("run", "characterize", "classify", "advise", "compare", "record", "sweep", "worker") and "--" not in rest and "--input" not in rest
    machines = [options[i + 1] for i, w in enumerate(options[:-1]) if w in ("-g", "--gpu", "--gpus")]
    names_files = any(re.search(r"\.(yaml|wtrace|g)$", w) and not w.endswith("tags.yaml") and w not in machines for w in options
                      if w not in (options[options.index("-o") + 1] if "-o" in options else "",))
    rest = ["test" if w == "profile" else w for w in rest]
    rest = ["vecadd" if w in ("all", "kernels") and i == 0 and command != "trace" else w for i, w in enumerate(rest)]
    return [command] + rest + (["--input", "test"] if is_sized and not names_files else [])


def furnish(folder, client, source):
    """The files that examples name."""
    policy = source / "tests/cli/plugin/mine.c"
    for name in ("mine.so", "my_policy.so"):
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", source / "include", "-o", folder / name, policy], check=True)
    spmv = source / "workloads/spmv/spmv.yaml"
    app = folder / "app"
    app.write_text(f"#!/bin/sh\nexec {shlex.quote(str(client))} {shlex.quote(str(spmv))} test\n", encoding="utf-8")
    app.chmod(0o755)
    (folder / "my").mkdir()
    launch = ("weir: 1\nmodules: [%s]\nbuffers:\n  x: {type: f32, count: 64}\n  y: {type: f32, count: 64}\n"
              "  z: {type: f32, count: 64}\nlaunches:\n  - {kernel: vecadd, grid: [1], block: [64], args: [$x, $y, $z, 64]}\n"
              % (source / "workloads/vecadd/vecadd.ptx"))
    (folder / "my/launch.yaml").write_text(launch, encoding="utf-8")
    (folder / "my-launch.yaml").write_text(launch, encoding="utf-8")
    (folder / "study.yaml").write_text("weir-study: 1\nworkloads: [vecadd]\ninput: test\nschemes: [baseline]\nset: {l1.size: [16K, 32K]}\n",
                                       encoding="utf-8")
    (folder / "paper.yaml").write_bytes((source / "tests/cli/reproduce/small.yaml").read_bytes())
    (folder / "my-scheme.yaml").write_bytes((source / "schemes/decoupled.yaml").read_bytes())
    for name in ("kernel.ptx", "vecadd.ptx"):
        (folder / name).write_bytes((source / "workloads/vecadd/vecadd.ptx").read_bytes())
    (folder / "traces").mkdir()
    (folder / "traces/kernelslist.g").write_text("kernel-1.traceg\n", encoding="utf-8")
    (folder / "traces/kernel-1.traceg").write_bytes((source / "tests/cli/gpu/no_registers.traceg").read_bytes())


def main():
    weir, client, sample_store, source = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
    overview = subprocess.run([weir, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z-]+) ", overview.partition("Commands:\n")[2].partition("\n\n")[0], re.M)
    n, failed = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        furnish(folder, client, source)
        (folder / "shards").mkdir()
        subprocess.run([sample_store, "later.db", "later"], cwd=folder, check=True)
        env = dict(os.environ, WEIR_CACHE=str(folder / "cache"))
        subprocess.run([weir, "record", "-q", "-o", "app.wtrace", "vecadd", "--input", "test"], cwd=folder, check=True)
        subprocess.run([weir, "record", "-q", "-o", "spmv.wtrace", "spmv", "--input", "test"], cwd=folder, check=True)
        for result, scheme in (("before.json", "baseline"), ("after.json", "tsc")):
            subprocess.run([weir, "run", "-q", "vecadd", "--input", "test", "--gpu", "fermi-s3", "--scheme", scheme, "--json",
                            result], cwd=folder, check=True)
        subprocess.run([weir, "compare", "-q", "vecadd", "--input", "test", "-S", "baseline,tsc", "--json", "compared.json"],
                       cwd=folder, env=env, check=True)
        subprocess.run([weir, "characterize", "-q", "vecadd", "--input", "test", "--json", "loads.json"], cwd=folder, env=env, check=True)
        for command in commands:
            for name in ("s.db", "shards/1.db", "monday.db", "tuesday.db"):  # whatever others did to them
                (folder / name).unlink(missing_ok=True)
                subprocess.run([sample_store, name], cwd=folder, check=True)
            for line in examples(weir, command):
                n += 1
                done = subprocess.run([weir] + small(shlex.split(line)), cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=LIMIT_S, check=False)
                if done.returncode != 0:
                    failed += 1
                    print(f"{line}\n  exit code {done.returncode}\n{done.stderr}")
    print(f"{n - failed} of {n} examples of {len(commands)} commands run")
    sys.exit(1 if failed or n < len(commands) else 0)


if __name__ == "__main__":
    main()
