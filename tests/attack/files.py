#!/usr/bin/env python3
"""Attacks what commands do with files: signals at random moments, full disks, limits of the system.

    tests/attack/files.py PROGRAM CLIENT [--signals N] [--limits N] [--seed N] [--cuda APP]

After each attempt: every output is the old file or a complete new one; no temporary file and no process is left (after
SIGKILL: not after the next run); the exit code is one that is documented; nothing hangs. CLIENT is
tests/cli/program/client.c, APP a program that nvcc made (--cuda). Counts are printed; the exit code is 1 if anything was found.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 600
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
WORKLOADS = SOURCE / "workloads"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT, signal.SIGKILL]
OLD = "an older result\n"


def commands(weir, client, cuda):
    """Name, arguments, outputs: each with what makes it complete."""
    bfs = str(WORKLOADS / "bfs/bfs.yaml")
    script = f"{client} {bfs} test; {client} {bfs} test"
    out = [
        ("run", ["run", "bfs", "--input", "test", "--gpu", "fermi-s3", "--json", "a.json", "-o", "cost=a.bin"],
         {"a.json": is_json, "a.bin": is_any}),
        ("record", ["record", "-o", "a.wtrace", "spmv", "--input", "test", "-l", "19"], {"a.wtrace": is_trace(weir)}),
        ("compare", ["compare", "vecadd", "bfs", "--input", "test", "-S", "baseline,tsc+", "--jobs", "2",
                     "--csv", "a.csv", "--json", "a.json"], {"a.csv": is_csv, "a.json": is_json}),
        ("classify", ["classify", "bfs", "--input", "test", "--jobs", "2", "--tags", "a.yaml", "--json", "a.json", "-o", "a.ptx"],
         {"a.yaml": is_any, "a.json": is_json, "a.ptx": is_any}),
        ("replay", ["replay", "in.wtrace", "--gpu", "fermi-s3", "--json", "a.json"], {"a.json": is_json}),
        ("run program", ["run", "--json", "a.json", "--", client, bfs, "test"], {"a.json": is_json}),
        ("run script", ["run", "--json", "a.json", "--", "sh", "-c", script], {"a.json": is_json}),
        ("record program", ["record", "-o", "a.wtrace", "--", client, bfs, "test"], {"a.wtrace": is_trace(weir)}),
        ("compare program", ["compare", "-S", "baseline", "--jobs", "2", "--csv", "a.csv", "--", client, bfs, "test"],
         {"a.csv": is_csv}),
    ]
    if cuda:
        out.append(("run cuda", ["run", "--json", "a.json", "--", cuda], {"a.json": is_json}))
    return out


# ---- what a complete output is ----


def is_json(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return all(found.get(what, True) for what in ("runs", "kernels"))  # an empty result is none


def is_csv(path):
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return len(rows) > 1 and len({row.count(",") for row in rows}) == 1


def is_any(path):
    return path.stat().st_size > 0


def is_trace(weir):
    return lambda path: subprocess.run([weir, "trace", "verify", path], capture_output=True, check=False).returncode == 0


# ---- one attempt ----


def is_running(p):
    """Not even a zombie; nobody has waited for it."""
    return pathlib.Path("/proc", str(p.pid), "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"



class Attack:
    def __init__(self, args):
        self.weir, self.client = os.path.abspath(args.program), os.path.abspath(args.client)
        self.random = random.Random(args.seed)
        self.counts = collections.Counter()
        self.found = []
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="attack-"))
        self.here, self.tmp = self.scratch / "here", self.scratch / "tmp"
        self.here.mkdir()
        self.tmp.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.tmp), WEIR_CACHE="", LC_ALL="C", WEIR_ATTACK=str(self.scratch))

    def complain(self, name, what, shown=""):
        self.found.append(f"{name}: {what}")
        print(f"FOUND  {name}: {what}\n{shown}", flush=True)

    def start(self, args, **how):
        return subprocess.Popen([self.weir, *args], cwd=self.here, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **how)

    def finish(self, p, name):
        """Its exit code and what it said; None: it hangs."""
        try:
            said = p.communicate(timeout=LIMIT_S)[0]
            return p.returncode, said.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            self.complain(name, "hangs", p.communicate()[0].decode(errors="replace"))
            return None, ""

    def prepare(self, outputs):
        for old in self.here.iterdir():
            if old.name != "in.wtrace":
                old.unlink()
        for output in outputs:
            (self.here / output).write_text(OLD, encoding="utf-8")

    def ours(self):
        """Processes that come from this attack."""
        token, found = f"WEIR_ATTACK={self.scratch}".encode(), []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                if token in pathlib.Path("/proc", name, "environ").read_bytes().split(b"\0"):
                    found.append(name)
        return found

    def judge(self, name, outputs, is_killed=False):
        end = time.time() + LIMIT_S
        while self.ours() and time.time() < end:
            time.sleep(0.01)
        if self.ours():
            self.complain(name, f"processes are left: {self.ours()}")
        if is_killed:
            self.next_run(name)
        left = [f.name for f in self.here.iterdir() if f.name not in outputs and f.name != "in.wtrace"]
        left += [f.name for f in self.tmp.iterdir()]
        if left:
            self.complain(name, f"files are left: {left}")
            for f in self.tmp.iterdir():
                shutil.rmtree(f, ignore_errors=True)
        for output, is_complete in outputs.items():
            path = self.here / output
            try:
                if path.read_bytes() == OLD.encode():
                    self.counts["outputs: old"] += 1
                elif is_complete(path):
                    self.counts["outputs: new"] += 1
                else:
                    self.complain(name, f"{output} is neither old nor complete")
            except (OSError, ValueError) as wrong:
                self.complain(name, f"{output}: {wrong}")

    def next_run(self, name):
        """It removes what a killed one left: beside outputs, and in the folder of temporary files."""
        p = self.start(["compare", "-q", "in.wtrace", "-S", "baseline", "--csv", "next.csv"])
        if self.finish(p, name)[0] != 0:
            self.complain(name, "the next run failed")
        (self.here / "next.csv").unlink(missing_ok=True)

    # ---- the attacks ----

    def signals(self, n, all_commands):
        takes = {}
        for name, args, outputs in all_commands * 3:
            self.prepare(outputs)
            began = time.time()
            code, said = self.finish(self.start(args), name)
            takes[name] = min(time.time() - began, takes.get(name, LIMIT_S))
            if code != 0:
                self.complain(name, f"exit code {code} without an attack", said)
        for i in range(n):
            name, args, outputs = all_commands[i % len(all_commands)]
            number = self.random.choice(SIGNALS)
            is_group = self.random.random() < 0.3  # as a terminal or a service manager does it
            self.prepare(outputs)
            p = self.start(args)
            time.sleep(self.random.random() * takes[name])
            self.counts["signals: in time"] += is_running(p)
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if is_group else os.kill)(p.pid, number)
            what = f"{name}, {number.name}{' to all' if is_group else ''}"
            code, said = self.finish(p, what)
            self.counts[f"signals: exit code {code}"] += 1
            # A program may end by the signal that its group was sent; PIPE and KILL of a part of it are not told to weir.
            if code is not None and code not in (0, -number, 128 + number):
                self.complain(what, f"exit code {code}", said)
            self.judge(what, outputs, number == signal.SIGKILL)
        self.counts["signals"] = n

    def full_device(self, all_commands):
        for name, args, outputs in all_commands:
            for output in outputs:
                self.prepare(outputs)
                how = [a.replace(output, "/dev/full") if a.split("=")[-1] == output else a for a in args]
                what = f"{name} with {output} at /dev/full"
                code, said = self.finish(self.start(how), what)
                self.counts["/dev/full"] += 1
                if code not in (1, 2) or "weir" not in said:
                    self.complain(what, f"exit code {code}", said)
                self.judge(what, outputs)

    def full_disk(self, all_commands):
        """Outputs, then temporary files, on a file system that is full."""
        for folder in (self.here, self.tmp):
            for kib in (16, 40, 128):
                mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", folder],
                                         capture_output=True, check=False).returncode == 0
                if not mounted:
                    self.counts["full file systems: skipped, they cannot be mounted here"] += 1
                    return
                try:
                    self.on_full_disk(all_commands, f"{folder.name} of {kib} KiB")
                finally:
                    subprocess.run(["umount", folder], check=False)

    def on_full_disk(self, all_commands, where):
        for name, args, outputs in all_commands:
            if name == "replay":
                continue  # its input is elsewhere
            self.prepare(outputs)
            what = f"{name} on {where}"
            code, said = self.finish(self.start(args), what)
            self.counts["full file systems"] += 1
            self.counts[f"full file systems: exit code {code}"] += 1
            if code not in (0, 1) or (code == 1 and not said):
                self.complain(what, f"exit code {code}", said)
            self.judge(what, outputs)

    def limits(self, n, all_commands):
        kinds = {"-f": (resource.RLIMIT_FSIZE, 0, 20_000), "-v": (resource.RLIMIT_AS, 40 << 20, 1 << 30),
                 "-n": (resource.RLIMIT_NOFILE, 4, 40), "-s": (resource.RLIMIT_STACK, 128 << 10, 1 << 20),
                 "-u": (resource.RLIMIT_NPROC, 1, 100), "-t": (resource.RLIMIT_CPU, 0, 2)}
        for i in range(n):
            name, args, outputs = all_commands[i % len(all_commands)]
            kind = self.random.choice(list(kinds))
            what, low, high = kinds[kind]
            value = self.random.randint(low, high)
            self.prepare(outputs)

            def limit(what=what, value=value):
                resource.setrlimit(what, (value, resource.getrlimit(what)[1]))
            try:
                p = self.start(args, preexec_fn=limit)
            except (OSError, subprocess.SubprocessError):
                self.counts["limits: too small to start at all"] += 1
                continue
            label = f"{name} with ulimit {kind} {value}"
            code, said = self.finish(p, label)
            self.counts[f"limits: {kind}: exit code {code}"] += 1
            good = code in (0, 1, 2) or (kind == "-t" and code in (-signal.SIGXCPU, 128 + signal.SIGXCPU))
            # Too little for the loader, or for the program that weir runs.
            good = good or code == 127 or (kind in ("-v", "-s") and code in (-11, -6, -9, 139, 134)) or "--" in args
            if not good or (code != 0 and not said and code > 0):
                self.complain(label, f"exit code {code}", said)
            # A program that has too little to work with launches nothing: that is its result.
            self.judge(label, {o: is_any if "--" in args else f for o, f in outputs.items()})
        self.counts["limits"] = n

    def run(self, args):
        all_commands = commands(self.weir, self.client, os.path.abspath(args.cuda) if args.cuda else None)
        trace = ["record", "-q", "-o", "in.wtrace", "vecadd", "--input", "test"]
        self.finish(self.start(trace), "record")
        self.signals(args.signals, all_commands)
        self.full_device(all_commands)
        self.full_disk(all_commands)
        self.limits(args.limits, all_commands)
        for key in sorted(self.counts):
            print(f"{self.counts[key]:6}  {key}")
        print(f"{len(self.found):6}  found")
        shutil.rmtree(self.scratch, ignore_errors=True)
        return 1 if self.found else 0


def heed_signals():
    """What started this may have had them ignored (nohup, a shell's background); commands would inherit that."""
    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main():
    heed_signals()
    is_slow = "WEIR_SKIP_SLOW" in os.environ  # with a sanitizer
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("client")
    parser.add_argument("--signals", type=int, default=12 if is_slow else 36)
    parser.add_argument("--limits", type=int, default=8 if is_slow else 24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuda")
    args = parser.parse_args()
    return Attack(args).run(args)


if __name__ == "__main__":
    sys.exit(main())
