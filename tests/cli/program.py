#!/usr/bin/env python3
"""Signals while weir runs a program: they are the program's, weir reports all the same, and nothing is left behind.

    tests/cli/program.py PROGRAM CLIENT
"""
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 3600  # for what never comes: a busy machine may take its time
LAUNCH_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../workloads/bfs/bfs.yaml")


def judge(name, checks, shown):
    failed = [what for what, good in checks.items() if not good]
    if failed:
        sys.exit(f"{name}: not so: {', '.join(failed)}\n{shown}")


def command(program, client, *more):
    return [program, "run", "--gpu", "fermi-s3", "--", client, LAUNCH_FILE, "test", *more, "wait"]


def on_terminal(program, client, temporary):
    """Ctrl-C reaches both; the report follows."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ["TMPDIR"] = temporary
        os.execv(program, command(program, client))
    shown, pressed, end = "", False, time.time() + LIMIT_S
    while time.time() < end:
        try:
            data = os.read(master, 4096)
        except OSError:
            break  # the terminal is gone with the program
        shown += data.decode(errors="replace")
        if not pressed and "client waits" in shown:
            os.write(master, b"\x03")
            pressed = True
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    judge("Ctrl-C", {"exit code 130": code == 130, "a report": "6 launches" in shown,
                     "says why": "signal 2" in shown, "nothing left": not os.listdir(temporary)}, shown)


def by_kill(program, client, temporary):
    """A signal to weir alone is passed on. The client asks for times, so that all is timed when it waits."""
    env = dict(os.environ, TMPDIR=temporary)
    with subprocess.Popen(command(program, client, "ask"), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as weir:
        while weir.stdout.readline() not in ("client waits\n", ""):
            pass
        weir.send_signal(signal.SIGTERM)
        shown = weir.communicate(timeout=LIMIT_S)[1]
    judge("SIGTERM", {"exit code 143": weir.returncode == 143, "a report": "6 launches" in shown,
                      "nothing left": not os.listdir(temporary)}, shown)


def after_its_end(program, client, temporary):
    """When the program has ended and weir still times what it sent, a signal is weir's."""
    env = dict(os.environ, TMPDIR=temporary)
    workload = os.path.join(os.path.dirname(LAUNCH_FILE), "../rowmv/rowmv.yaml")
    run = [program, "run", "--gpu", "h200", "--", client, workload, "eval"]
    with subprocess.Popen(run, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as weir:
        children = f"/proc/{weir.pid}/task/{weir.pid}/children"
        weir.stdout.readline()
        while weir.poll() is None and open(children, encoding="ascii").read().strip():
            time.sleep(0.02)
        weir.send_signal(signal.SIGINT)
        shown = weir.communicate(timeout=LIMIT_S)[1]
    judge("SIGINT after the end", {"exit code 130": weir.returncode == 130, "says so": "interrupted" in shown,
                                   "nothing left": not os.listdir(temporary)}, shown)


def main():
    program, client = (os.path.abspath(a) for a in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as temporary:
        on_terminal(program, client, temporary)
        by_kill(program, client, temporary)
        after_its_end(program, client, temporary)


if __name__ == "__main__":
    main()
