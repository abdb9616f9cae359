#!/usr/bin/env python3
"""What commands do with files and signals: outputs, names of any bytes, interruptions, what is left behind.

    tests/cli/files.py PROGRAM CLIENT [TEST]...

CLIENT is tests/cli/program/client.c. Every test has an empty folder as its current one, and one for temporary files.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 600
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BFS = str(SOURCE / "workloads/bfs/bfs.yaml")
WEIR = CLIENT = ""
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Wrong(Exception):
    """A test found something."""


def check(good, what, shown=""):
    if not good:
        raise Wrong(f"{what}\n{shown}")


def environment():
    return dict(os.environ, TMPDIR=os.path.abspath("../tmp"), WEIR_CACHE="", LC_ALL="C")


def weir(*args, code=0, **how):
    done = subprocess.run([WEIR, *args], env=environment(), capture_output=True, timeout=LIMIT_S, check=False, **how)
    check(done.returncode == code, f"{args}: exit code {done.returncode}, not {code}", done.stdout + done.stderr)
    return done


def start(*args, **how):
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment(), **how}
    return subprocess.Popen([WEIR, *args], **how)


def put(name, text="old"):
    pathlib.Path(name).write_text(text, encoding="utf-8")


def get(name):
    return pathlib.Path(name).read_text(encoding="utf-8")


def left(*expected):
    """Nothing but these is here, and no temporary folder."""
    check(sorted(os.listdir(".")) == sorted(expected), f"there is {sorted(os.listdir('.'))}, not {sorted(expected)}")
    check(not os.listdir("../tmp"), f"left in TMPDIR: {os.listdir('../tmp')}")


def until(good, what):
    end = time.time() + LIMIT_S
    while not good():
        check(time.time() < end, f"never: {what}")
        time.sleep(0.01)


RUN = ("run", "-q", "vecadd", "--input", "test")
LONG = ("matmul-naive", "--input", "bench")  # many seconds

# ---- outputs ----


@test
def stdout_by_another_name():
    """As /dev/stdout, but what would replace it cannot hurt the machine."""
    os.symlink("/proc/self/fd/1", "out")
    with open("f", "w", encoding="utf-8") as f:
        f.write("before\n")
        f.flush()
        done = subprocess.run([WEIR, "run", "vecadd", "--input", "test", "--json", "out"], env=environment(),
                              stdout=f, check=True)
    check(done.returncode == 0 and os.path.islink("out"), "the link is still there")
    first, _, rest = get("f").partition("\n")
    check(first == "before" and json.loads(rest)["weir_result"] == 1, "JSON alone, behind what was there", get("f"))
    weir("run", "vecadd", "--input", "test", "--json", "-", "-o", "c=out", code=2)
    left("f", "out")


@test
def links_and_modes():
    os.mkdir("sub")
    os.symlink("sub/real", "link")
    put("sub/real")
    os.chmod("sub/real", 0o640)
    weir(*RUN, "--json", "link")
    check(os.path.islink("link") and json.loads(get("sub/real")), "the file behind the link is written")
    check(os.stat("sub/real").st_mode & 0o777 == 0o640, "its mode stays")
    weir("record", "-q", "-o", "link", "vecadd", "--input", "test")
    check(os.path.islink("link") and os.stat("sub/real").st_mode & 0o777 == 0o640, "traces, too")
    weir("trace", "verify", "sub/real")
    left("sub", "link")


@test
def devices_and_pipes():
    os.symlink("/dev/full", "full")
    for args in (RUN + ("--json", "full"), ("compare", "-q", "vecadd", "--input", "test", "--csv", "full"),
                 ("classify", "-q", "vecadd", "--tags", "full"), RUN + ("-o", "c=full"),
                 ("characterize", "-q", "vecadd", "--input", "test", "--csv", "full")):
        check(b"No space left" in weir(*args, code=1).stderr, "what is wrong is said")
    check(os.path.islink("full"), "a device is not replaced")
    weir("compare", "-q", "vecadd", "--input", "test", "-S", "baseline", "--csv", "/dev/null", "--json", "/dev/null")
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as cat:
        weir(*RUN, "--json", "pipe")
        check(json.loads(cat.communicate(timeout=LIMIT_S)[0]), "a pipe is written")
    left("full", "pipe")


@test
def a_file_that_is_mounted():
    """Containers have them; they cannot be replaced, but written."""
    put("real")
    put("a", "")
    if subprocess.run(["mount", "--bind", "real", "a"], capture_output=True, check=False).returncode != 0:
        return
    try:
        weir(*RUN, "--json", "a")
    finally:
        subprocess.run(["umount", "a"], check=True)
    check(json.loads(get("real")) and get("a") == "", "what is mounted is written")
    left("a", "real")


@test
def outputs_that_are_refused():
    put("a")
    os.symlink("a", "link")
    os.link("a", "hard")
    os.mkdir("folder")
    here = os.getcwd()
    twice = [("a", "./a"), ("a", "link"), ("a", "hard"), ("new", here + "/new"), ("folder/x", "folder/../folder/x")]
    for first, second in twice:
        for args in (("compare", "-q", *LONG, "--csv", first, "--json", second),
                     ("classify", "-q", *LONG, "--tags", first, "--json", second),
                     ("characterize", "-q", *LONG, "--csv", first, "--json", second),
                     ("run", "-q", *LONG, "--json", first, "-o", "c=" + second)):
            check(b"two outputs are one file" in weir(*args, code=2).stderr, "the same file twice is refused")
    for name in ("", "folder", "a/b", "nowhere/x"):
        for args in (("run", "-q", *LONG, "--json", name), ("record", *LONG, "-o", name),
                     ("compare", *LONG, "--csv", name), ("classify", *LONG, "--graph", name),
                     ("run", "-q", "--json", name, "--", CLIENT, BFS, "test", "wait")):
            done = subprocess.run([WEIR, *args], env=environment(), capture_output=True, timeout=LIMIT_S, check=False)
            check(done.returncode in (1, 2) and done.stderr, f"{args} is refused before it runs", done.stderr)
    with open("a", "r+", encoding="utf-8") as f:
        done = subprocess.run([WEIR, *RUN, "--json", "a"], env=environment(), stdout=f, stderr=subprocess.PIPE,
                              check=False)
        check(done.returncode == 2 and b"stdout goes to this file" in done.stderr, "--json a > a is refused")
    weir("record", *LONG, "-o", "-", code=2)
    check(get("a") == "old", "nothing was touched")
    left("a", "link", "hard", "folder")


@test
def inputs_are_not_replaced():
    for name in ("vecadd.yaml", "vecadd.ptx"):
        shutil.copy(SOURCE / "workloads/vecadd" / name, name)
    shutil.copy(CLIENT, "client")
    put("config.yaml", "exec:\n  quantum: 64\n")
    shutil.copy(SOURCE / "gpus/fermi-s3.yaml", "gpu.yaml")
    weir("record", "-q", "-o", "t.wtrace", "vecadd", "--input", "test")
    before = {name: pathlib.Path(name).read_bytes() for name in os.listdir(".")}
    own = ("vecadd.yaml", "--input", "test")
    for args in (("run", "-q", *own, "--json", "vecadd.yaml"), ("run", "-q", *own, "--json", "vecadd.ptx"),
                 ("run", "-q", *own, "-o", "c=vecadd.ptx"), ("record", "-q", *own, "-o", "vecadd.yaml"),
                 ("classify", "-q", *own, "-o", "vecadd.ptx"), ("classify", "-q", *own, "--tags", "./vecadd.yaml"),
                 ("run", "-q", *own, "--gpu", "gpu.yaml", "--json", "gpu.yaml"),
                 ("replay", "-q", "t.wtrace", "--gpu", "fermi-s3", "--json", "t.wtrace"),
                 ("compare", "-q", "t.wtrace", "--csv", "t.wtrace"), ("compare", "-q", *own, "--csv", "vecadd.ptx"),
                 ("compare", "-q", *own, "--config", "config.yaml", "--csv", "config.yaml"),
                 ("run", "-q", "--json", "client", "--", "./client", BFS, "test")):
        done = weir(*args, code=2)
        check(b"replace" in done.stderr, f"{args}: an input is refused as an output", done.stderr)
    after = {name: pathlib.Path(name).read_bytes() for name in os.listdir(".")}
    check(before == after, "nothing was touched")


# ---- any bytes ----


@test
def names_of_any_bytes():
    odd = b"n\xc3\xbc\xff\\x41"
    shown = "n\u00fc\\xff\\x5cx41"
    for name in ("yaml", "ptx"):
        shutil.copy(SOURCE / "workloads/vecadd" / f"vecadd.{name}", f"vecadd.{name}")
    os.rename(b"vecadd.yaml", odd + b".yaml")
    own = (odd + b".yaml", "--input", "test")
    weir("run", "-q", *own, "--gpu", "fermi-s3", "--json", "r")
    check(json.loads(get("r"))["runs"], "a run")
    weir("record", "-q", *own, "-o", odd + b".wtrace")
    weir("replay", "-q", odd + b".wtrace", "--gpu", "fermi-s3", "--json", "p")
    check(json.loads(get("p"))["trace"] == shown + ".wtrace", "a replay", get("p")[:300])
    weir("compare", "-q", *own, odd + b".wtrace", "-S", "baseline", "--csv", "c", "--json", "j")
    check(json.loads(get("j"))["runs"][1]["workload"] == shown + ".wtrace", "a comparison")
    check(f",{shown}.wtrace," in get("c"), "its CSV", get("c")[:300])
    weir("classify", "-q", *own, "--json", "k", "--tags", "t")
    check(json.loads(get("k")), "a classification")
    weir("run", "-q", "--json", "q", "--", CLIENT, BFS, "test", "say", odd)
    check(json.loads(get("q"))["runs"][0]["command"][-1] == shown, "arguments of a program", get("q")[:600])


# ---- errors ----


@test
def quiet_is_not_silent():
    done = weir("compare", "-q", "vecadd", "--input", "test", "-S", "baseline", "--set", "exec.max_instructions=10",
                code=1)
    check(b"vecadd" in done.stderr and b"max_instructions" in done.stderr, "the reason is said", done.stderr)
    done = weir("run", "-q", "--", CLIENT, BFS, "test", "abort", code=134)
    check(b"ended by signal 6" in done.stderr, "how a program ended is said", done.stderr)
    check(not done.stdout.startswith(b"weir"), "and nothing else")


@test
def closed_stdout():
    """A file that is opened must not become stdout."""
    def close():
        os.close(1)
    weir(*RUN, "--json", "j", preexec_fn=close)
    check(json.loads(get("j")), "the JSON is whole")
    done = subprocess.run([WEIR, "run", "vecadd", "--input", "test", "--json", "j"], env=environment(),
                          stderr=subprocess.PIPE, preexec_fn=close, check=False)
    check(done.returncode == 1 and b"cannot write" in done.stderr, "a table that cannot be written is an error")
    check(json.loads(get("j")), "the JSON is whole")


@test
def a_full_disk():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    put("f")
    for args in (RUN + ("--json", "f"), ("record", "-q", "vecadd", "--input", "test", "-o", "f"),
                 ("compare", "-q", "t.wtrace", "--csv", "f"), ("classify", "-q", "vecadd", "--json", "f"),
                 ("characterize", "-q", "t.wtrace", "--json", "f"),
                 ("run", "-q", "--json", "f", "--", CLIENT, BFS, "test")):
        if "t.wtrace" in args:
            weir("record", "-q", "vecadd", "--input", "test", "-o", "t.wtrace")
        done = weir(*args, code=1, preexec_fn=limit)
        check(b"File too large" in done.stderr, "it is said", done.stderr)
        check(get("f") == "old", "the old file stays")
        check(b"memory" not in done.stderr, "and nothing else", done.stderr)
    left("f", "t.wtrace")


@test
def few_descriptors():
    """Runs take none that they keep: there may be thousands of workloads, or of processes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    vecadd = SOURCE / "workloads/vecadd/vecadd.yaml"
    weir("run", "-q", "--json", "j", "--input", "test", *["vecadd"] * 50, preexec_fn=limit)
    check(len(json.loads(get("j"))["runs"]) == 50, "all workloads")
    script = f"for i in $(seq 50); do {CLIENT} {vecadd} test; done"
    weir("run", "-q", "--functional", "--json", "j", "--", "sh", "-c", script, preexec_fn=limit)
    check(len(json.loads(get("j"))["runs"]) == 50, "all processes")
    left("j")


# ---- signals ----


@test
def interrupted_before_anything_ended():
    put("c")
    put("j")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with start("compare", *LONG, "--csv", "c", "--json", "j", "-S", "baseline") as p:
            until(lambda: os.listdir("../tmp"), "the study begins")
            time.sleep(0.2)
            p.send_signal(number)
            shown = p.communicate(timeout=LIMIT_S)
        check(p.returncode == 128 + number, f"exit code {p.returncode}", shown)
        check(get("c") == get("j") == "old", "older results stay")
        left("c", "j")


@test
def a_program_that_is_interrupted():
    """Before its first launch there is nothing to write."""
    put("j")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        with start("run", "--json", "j", "--", "sh", "-c", "echo begins; exec sleep 1000") as p:
            p.stdout.readline()
            p.send_signal(number)
            shown = p.communicate(timeout=LIMIT_S)
        check(p.returncode == 128 + number, f"exit code {p.returncode}", shown)
        check(get("j") == "old", "the older result stays")
        left("j")


@test
def a_program_that_ends_by_a_signal():
    """That is why nothing was launched, and the exit code says so."""
    put("j")
    for args in (("record", "-o", "j"), ("run", "--json", "j")):
        for number in (signal.SIGTERM, signal.SIGSEGV):
            done = weir(*args, "--", "sh", "-c", f"kill -{int(number)} $$", code=128 + number)
            check(b"ended by signal" in done.stderr, "it is said", done.stderr)
            check(b"launched no kernel" not in done.stderr, "no other reason is", done.stderr)
            check(get("j") == "old", "the older result stays")
    left("j")


@test
def ended_in_the_midst():
    put("f")
    env = environment()  # a sanitizer leaves crashes to weir
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGUSR1,
                   signal.SIGSEGV, signal.SIGABRT, signal.SIGXCPU):
        for n, args in ((1, ("record", *LONG, "-o", "f")),
                        (2, ("run", *LONG, "--gpu", "fermi-s3", "--json", "f", "-o", "c=g"))):
            with start(*args, env=env) as p:
                until(lambda n=n: len(os.listdir(".")) == 1 + n, "the outputs are opened")
                p.send_signal(number)
                p.communicate(timeout=LIMIT_S)
            check(p.returncode == -number, f"exit code {p.returncode}")
            check(get("f") == "old", "the old file stays")
            left("f")


@test
def ignored_signals_stay_ignored():
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for args in (("record", "-q", "spmv", "-o", "f"), ("compare", "-q", "spmv", "--input", "test", "-S", "baseline", "--csv", "f"),
                 ("classify", "-q", "bfs", "--tags", "f"), ("run", "-q", "--json", "f", "--", CLIENT, BFS, "test")):
        with start(*args, preexec_fn=ignore) as p:
            while p.poll() is None:
                p.send_signal(signal.SIGHUP)
                p.send_signal(signal.SIGINT)
                time.sleep(0.01)
            shown = p.communicate(timeout=LIMIT_S)
        check(p.returncode == 0 and os.path.getsize("f"), f"{args}: {p.returncode}", shown)
        left("f")
        os.unlink("f")


def processes(token):
    """Those that have it in their environment."""
    found = []
    for name in os.listdir("/proc"):
        try:
            text = pathlib.Path("/proc", name, "environ").read_bytes() if name.isdigit() else b""
        except OSError:
            continue
        if token in text and int(name) != os.getpid():
            found.append(int(name))
    return found


@test
def one_signal_ends_all():
    """A script, which the signal ends, has started processes: one that uses weir, and one that does not."""
    token = os.path.abspath("../tmp").encode()
    script = f'{CLIENT} {BFS} test wait & sleep 1000 & echo begins; wait; wait'
    for number in (signal.SIGTERM, signal.SIGHUP):
        with start("run", "--", "sh", "-c", script) as p:
            until(lambda: len(processes(token)) >= 4, "all run")
            time.sleep(0.3)
            p.send_signal(number)
            shown = p.communicate(timeout=LIMIT_S)
        check(p.returncode == 128 + number, f"exit code {p.returncode}", shown)
        until(lambda: not processes(token), "all have ended")
        left()


@test
def what_does_not_listen():
    """A program that ignores SIGTERM is ended after a while, and so is what one that does not leaves behind."""
    for script in (f"trap '' TERM; {CLIENT} {BFS} test; echo begins; while :; do sleep 1; done",
                   "(trap '' TERM; echo begins; exec sleep 1000) & wait"):
        with start("run", "--", "sh", "-c", script) as p:
            while "begins" not in p.stdout.readline().decode():
                pass
            p.send_signal(signal.SIGTERM)
            shown = p.communicate(timeout=LIMIT_S)
        check(p.returncode == 143, f"exit code {p.returncode}", shown)
        until(lambda: not processes(os.path.abspath("../tmp").encode()), "all have ended")
        left()


@test
def killed():
    """What a killed process leaves goes with the next run, and what runs meanwhile is not hurt."""
    minutes = (*LONG, "-S", "baseline", "--repeat", "50")  # no run may end by itself, however slow the rest is
    with start("compare", *minutes, "--csv", "c") as other, start("compare", *minutes, "--csv", "d") as p:
        until(lambda: len(os.listdir("../tmp")) == 2 and len(os.listdir(".")) == 2, "both run")
        time.sleep(0.2)
        p.kill()
        p.wait()
        check(len(os.listdir("../tmp")) == 2 and len(os.listdir(".")) == 2, "something is left")
        until(lambda: len(processes(os.path.abspath("../tmp").encode())) == 2, "its workers have ended")

        def is_swept():
            """A worker that is gone from /proc may keep its files, and their locks, for a moment longer."""
            weir("compare", "-q", "vecadd", "--input", "test", "-S", "baseline", "--csv", "e")
            return len(os.listdir("../tmp")) == 1 and sorted(os.listdir("."))[1:] == ["e"]

        until(is_swept, "one folder and one temporary stay, of the one that lives")
        other.terminate()
        other.communicate(timeout=LIMIT_S)
    left("e")


def main():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):  # as nohup or a shell's & left them
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    global WEIR, CLIENT
    WEIR, CLIENT = (os.path.abspath(a) for a in sys.argv[1:3])
    wanted = sys.argv[3:]
    failed = 0
    for function in TESTS:
        if wanted and function.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for folder in ("here", "tmp"):
                os.mkdir(os.path.join(scratch, folder))
            os.chdir(os.path.join(scratch, "here"))
            began = time.time()
            try:
                function()
                print(f"ok      {function.__name__} ({time.time() - began:.1f} s)", flush=True)
            except (Wrong, subprocess.SubprocessError, OSError, ValueError) as wrong:
                failed += 1
                print(f"FAILED  {function.__name__}: {wrong}", flush=True)
            os.chdir("/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
