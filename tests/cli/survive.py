#!/usr/bin/env python3
"""A sweep survives what may happen to it: survive.py WEIR [--runs N] [--kills N] [--shards N]

It is killed at random moments and goes on, split into shards, loses its disk, finds others at its store and stores that it cannot
use. In the end a dump of the results is that of a sweep that nothing happened to, byte for byte.
"""
import argparse
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SIZES = [str(1024 * k) for k in (4, 8, 16, 32)]
SCHEMES = "baseline,tsc+,decoupled"


class Rig:
    def __init__(self, args, folder):
        self.weir, self.args, self.folder = str(pathlib.Path(args.weir).resolve()), args, folder
        self.env = dict(os.environ, WEIR_CACHE=str(folder / "cache"), TMPDIR=str(folder / "tmp"))
        (folder / "tmp").mkdir()
        # The smallest number of repeats that makes so many runs.
        self.repeats = max(1, -(-args.runs // (len(SIZES) * 2 * 3)))
        self.points = ["vecadd", "reduction", "-i", "test", "-S", SCHEMES, "--set", f"l1.size={','.join(SIZES)}",
                       *(["--repeat", str(self.repeats)] if self.repeats > 1 else [])]
        self.n = self.repeats * len(SIZES) * 2 * 3

    def start(self, command, store, *options, **how):
        return subprocess.Popen([self.weir, command, *self.points, "--store", str(store), *options], env=self.env, cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **how)

    def run(self, command, store, *options, **how):
        p = self.start(command, store, *options, **how)
        out, err = p.communicate()
        return p.returncode, out, err

    def good(self, command, store, *options):
        code, out, err = self.run(command, store, *options)
        check(code == 0, f"{command} ended with {code}: {err}")
        return out

    def dump(self, store):
        path = self.folder / "dump"
        path.unlink(missing_ok=True)
        done = subprocess.run([self.weir, "export", str(store), "--dump", str(path)], capture_output=True, text=True, env=self.env)
        check(done.returncode == 0, f"export: {done.stderr}")
        return path.read_bytes()


def check(holds, what):
    if not holds:
        sys.exit(f"survive: {what}")


def rows(store):
    """Runs in it, by the tables alone; what is wrong with the file."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        ok = db.execute("PRAGMA integrity_check").fetchone()[0]
        return db.execute("SELECT count(*) FROM runs").fetchone()[0], ok


def wait_for_rows(store, n, p):
    while p.poll() is None:
        try:
            if store.exists() and rows(store)[0] >= n:
                return
        except sqlite3.Error:
            pass  # it is being made
        time.sleep(0.01)


def killed(rig, whole):
    """Ten times at random moments, each time after it came some way."""
    store, chance = rig.folder / "killed.db", random.Random(15)
    kills = lost = 0
    for _ in range(rig.args.kills):
        before = rows(store)[0] if store.exists() else 0
        p = rig.start("sweep", store)
        wait_for_rows(store, before + chance.randrange(rig.n // rig.args.kills + 1), p)
        time.sleep(chance.random() * 0.05)
        if p.poll() is None:
            os.kill(p.pid, signal.SIGKILL)
            kills += 1
        p.communicate()
        n, ok = rows(store) if store.exists() else (0, "ok")
        check(ok == "ok", f"after a kill: {ok}")
        check(n >= before, f"{before} runs before a kill, {n} after")
    check(kills > 0, "it was never killed")
    rig.good("sweep", store)
    check(rows(store) == (rig.n, "ok"), f"{rows(store)} in the end, not {rig.n}")
    check(rig.dump(store) == whole, "another dump than without kills")
    strays = subprocess.run(["pgrep", "-f", str(rig.folder)], capture_output=True, text=True).stdout
    check(strays == "", f"processes are left: {strays}")
    print(f"killed {kills} times: the same dump of {rig.n} runs, {len(whole)} bytes")


def shards(rig, whole):
    folder, n = rig.folder / "shards", rig.args.shards
    workers = [rig.start("worker", folder, "--shard", f"{i}/{n}", "--jobs", "1") for i in range(1, n + 1)]
    first = folder / f"shard-1-of-{n}.db"
    wait_for_rows(first, 1, workers[0])
    was_running = workers[0].poll() is None
    if was_running:
        os.kill(workers[0].pid, signal.SIGKILL)
    for i, p in enumerate(workers):
        _, err = p.communicate()
        check(p.returncode == 0 or (i == 0 and was_running), f"worker {i + 1} ended with {p.returncode}: {err}")
    rig.good("worker", folder, "--shard", f"1/{n}")
    merged = rig.folder / "merged.db"
    done = subprocess.run([rig.weir, "merge", str(folder), "-o", str(merged)], capture_output=True, text=True, env=rig.env)
    check(done.returncode == 0, f"merge: {done.stderr}")
    check(rig.dump(merged) == whole, "another dump from shards")
    print(f"{n} shards, one killed and started again: the same dump")


def full_disk(rig, whole):
    """A limit on the size of files is met as a full disk is: by an error of a write."""
    store = rig.folder / "full.db"
    limit = 400 << 10

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, _, err = rig.run("sweep", store, preexec_fn=limited)
    check(code not in (0, -signal.SIGXFSZ) and "full.db" in err, f"full disk: exit code {code}: {err}")
    n, ok = rows(store)
    check(ok == "ok" and 0 < n < rig.n, f"full disk: {n} runs, {ok}")
    rig.good("sweep", store)
    check(rig.dump(store) == whole, "another dump after a full disk")
    print(f"disk full after {n} runs: '{err.splitlines()[0]}', and it goes on")


def read_only(rig, whole):
    store = rig.folder / "ro" / "s.db"
    store.parent.mkdir()
    store.write_bytes((rig.folder / "whole.db").read_bytes())
    before = store.read_bytes()
    store.chmod(0o444)
    store.parent.chmod(0o555)

    def other_user():
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    try:
        code, _, err = rig.run("sweep", store, preexec_fn=other_user)
    except PermissionError:
        print("read-only store: left out, another user cannot start the program here")
        return
    finally:
        store.parent.chmod(0o755)
    check(code != 0 and "s.db" in err, f"read-only: exit code {code}: {err}")
    check(store.read_bytes() == before, "a read-only store changed")
    check(rig.dump(store) == whole, "another dump of a read-only store")
    print(f"read-only: '{err.splitlines()[0]}'")


def two_writers(rig, whole):
    store = rig.folder / "two.db"
    first = rig.start("sweep", store, "--jobs", "1")
    wait_for_rows(store, 1, first)
    code, _, err = rig.run("sweep", store, "--wait", "0")
    if first.poll() is None:
        check(code != 0 and str(first.pid) in err, f"a second writer: exit code {code}: {err}")
        print(f"two writers: '{err.splitlines()[0]}'")
    code, out, err = rig.run("sweep", store, "--wait", "600")
    check(code == 0, f"a writer that waits: {code}: {err}")
    first.communicate()
    check(first.returncode == 0, "the first writer")
    check(rig.dump(store) == whole, "another dump after two writers")


def unusable(rig, _whole):
    """Refused with a message, and left as it is."""
    good = (rig.folder / "whole.db").read_bytes()
    newer = rig.folder / "newer.db"
    newer.write_bytes(good)
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    for name, content in (("newer.db", newer.read_bytes()), ("cut.db", good[:len(good) // 2]), ("text.db", b"no store\n" * 200)):
        store = rig.folder / name
        store.write_bytes(content)
        code, _, err = rig.run("sweep", store)
        check(code == 2 and name in err, f"{name}: exit code {code}: {err}")
        check(store.read_bytes() == content, f"{name} changed")
        print(f"{name}: '{err.splitlines()[0]}'")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("weir")
    p.add_argument("--runs", type=int, default=24, help="at least so many")
    p.add_argument("--kills", type=int, default=10)
    p.add_argument("--shards", type=int, default=3)
    args = p.parse_args()
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(args, pathlib.Path(folder))
        os.chmod(folder, 0o755)
        os.chmod(rig.folder / "tmp", 0o1777)
        store = rig.folder / "whole.db"
        print(rig.good("sweep", store), end="", flush=True)
        check(rows(store) == (rig.n, "ok"), f"{rows(store)} runs, not {rig.n}")
        whole = rig.dump(store)
        for case in (killed, shards, full_disk, read_only, two_writers, unusable):
            case(rig, whole)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
