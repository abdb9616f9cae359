#!/usr/bin/env python3
"""A sweep on a cluster of one machine: slurm.py WEIR

Starts munged, slurmctld and slurmd for itself, on ports of the loopback interface and with all their files in a temporary folder, and
submits a sweep of 60 runs with 'weir sweep --slurm'. The node is drained while tasks wait and resumed, one task is killed, one is
requeued; the same command submits what is missing. In the end a dump of the merged store is that of a sweep without a cluster, byte
for byte. Exit code 77: Slurm is not installed, or this is not root.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
COMMANDS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")
TASKS = 6
POINTS = ["vecadd", "reduction", "-i", "test", "-S", "baseline,tsc+,decoupled", "--set", "l1.size=4K,8K,16K,32K,64K", "--repeat", "2"]
N_RUNS = 2 * 3 * 5 * 2
CONFIG = """ClusterName=weir
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
JobRequeue=1
ReturnToService=2
KillWait=5
InactiveLimit=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=small Nodes={host} Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
"""


def skip(why):
    print(f"slurm: skipped: {why}")
    sys.exit(SKIPPED)


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def wait_for(what, holds, limit_s=300):
    """How long it takes says nothing: others use the processors, too. For ever it is not."""
    end = time.monotonic() + limit_s
    while not (found := holds()):
        check(time.monotonic() < end, f"waited {limit_s} s in vain: {what}")
        time.sleep(0.05)
    return found


class Cluster:
    """One node with two processors. Only what was started here is ended."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.host = socket.gethostname().split(".")[0]
        self.env = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        for name in [n for n in self.env if n.startswith(("SBATCH_", "SQUEUE_", "SLURM_")) and n != "SLURM_CONF"]:
            del self.env[name]
        for name in ("state", "spool", "log"):
            (folder / name).mkdir()
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o600)
        with socket.socket() as a, socket.socket() as b:
            for s in (a, b):
                s.bind(("127.0.0.1", 0))
            ports = [s.getsockname()[1] for s in (a, b)]
        (folder / "slurm.conf").write_text(CONFIG.format(host=self.host, folder=folder, ports=ports), encoding="utf-8")

    def start(self, *command):
        name = pathlib.Path(command[0]).name
        with open(self.folder / "log" / name, "wb") as log:
            self.daemons.append((name, subprocess.Popen(command, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                                        stderr=log, start_new_session=True)))

    def begin(self):
        f = self.folder
        self.start("munged", "--foreground", "--force", "--num-threads", "1", "--key-file", f"{f}/key", "--socket", f"{f}/munge.socket",
                   "--pid-file", f"{f}/munged.pid", "--log-file", f"{f}/log/munged.log", "--seed-file", f"{f}/seed")
        wait_for("munge's socket", (f / "munge.socket").exists)
        self.start("slurmctld", "-D", "-f", f"{f}/slurm.conf")
        self.start("slurmd", "-D", "-f", f"{f}/slurm.conf")
        wait_for("an idle node", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"))

    def end(self):
        for _, p in reversed(self.daemons):
            if p.poll() is None:
                p.terminate()
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()

    def ask(self, *command):
        """What it prints; a controller that does not answer yet has nothing to say."""
        for name, p in self.daemons:
            check(p.poll() is None, f"{name} ended with {p.returncode}")
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=False).stdout

    def tell(self, *command):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")

    def jobs(self):
        """{"12_3": "RUNNING"}"""
        lines = self.ask("squeue", "-h", "-r", "-o", "%i %T").splitlines()
        return dict(line.split() for line in lines)

    def logs(self):
        for path in sorted((self.folder / "log").iterdir()):
            tail = path.read_text(encoding="utf-8", errors="replace").splitlines()[-25:]
            print(f"--- {path.name}", *tail, sep="\n")


class Sweep:
    def __init__(self, weir, cluster, folder):
        self.weir, self.cluster, self.folder = str(weir), cluster, folder
        folder.mkdir()
        self.parts = folder / "s.db.slurm"

    def run(self, *words, code=0):
        done = subprocess.run([self.weir, *words], env=self.cluster.env, cwd=self.folder, capture_output=True, text=True, check=False)
        check(done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, *options):
        out = self.run("sweep", *POINTS, "--store", "s.db", "--slurm", "--array", str(TASKS), "--partition", "small", *options)
        print("  " + out.strip().replace("\n", "\n  "), flush=True)
        return out, {does: job for job, does in re.findall(r"job (\d+) (\w+)", out)}

    def dump(self, store):
        path = self.folder / "dump"
        path.unlink(missing_ok=True)
        self.run("export", store, "--dump", str(path))
        return path.read_bytes()

    def in_shards(self):
        """Runs that tasks have stored; while one writes, those of others."""
        n = 0
        for path in (self.parts / "shards").glob("*.db"):
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0) as db:
                    n += db.execute("SELECT count(*) FROM runs").fetchone()[0]
            except sqlite3.Error:
                pass
        return n

    def worker(self, shard):
        """The process of a task."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
                parent = int(re.search(r"^PPid:\s*(\d+)", (path.parent / "status").read_text(), re.M)[1])
            except OSError:
                continue
            if f"--shard={shard}/{TASKS}".encode() in words and f"--store={self.parts}/shards".encode() in words:
                if b"slurmstepd" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes():
                    return int(path.parent.name)
        return None

    def logs(self):
        for path in sorted(self.parts.glob("logs/*")):
            print(f"--- {path.name}", path.read_text(encoding="utf-8", errors="replace"), sep="\n")


def hit(sweep, action):
    """Does something to the first task that can be caught while it runs; returns its number."""
    caught = {}

    def catch():
        for job, state in sweep.cluster.jobs().items():
            shard = job.partition("_")[2]
            if state != "RUNNING" or not shard.isdigit():
                continue
            pid = sweep.worker(shard)
            if pid and action(job, pid):
                caught["shard"] = shard
                return True
        return False

    wait_for("a task that runs", catch)
    return caught["shard"]


def kill(_job, pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def is_over(cluster):
    return not cluster.jobs()


def first_part(sweep, cluster):
    """Drained while tasks wait: nothing runs. Then one is killed and one requeued."""
    cluster.tell("scontrol", "update", f"NodeName={cluster.host}", "State=DRAIN", "Reason=test")
    out, jobs = sweep.submit()
    check(set(jobs) == {"prepares", "runs", "merges"} and f"{N_RUNS} to run in {TASKS} tasks" in out, f"submitted: {out}")
    out, again = sweep.submit()
    check(not again and "still wait or run" in out, f"twice: {out}")
    time.sleep(2)
    states = set(cluster.jobs().values())
    check(states == {"PENDING"} and sweep.in_shards() == 0, f"on a node that is drained: {states}")
    cluster.tell("scontrol", "update", f"NodeName={cluster.host}", "State=RESUME")
    wait_for("the first run", lambda: sweep.in_shards() > 0)
    streams = sorted(path.name for path in (sweep.parts / "streams").iterdir())
    check(len(streams) == 2, f"streams: {streams}")
    # Tasks run: no more begin, and those that run are left to it.
    cluster.tell("scontrol", "update", f"NodeName={cluster.host}", "State=DRAIN", "Reason=test")
    requeued = hit(sweep, lambda job, _pid: subprocess.run(["scontrol", "requeue", job], env=cluster.env, check=False,
                                                           capture_output=True).returncode == 0)
    wait_for("tasks that run to end", lambda: not {"RUNNING", "COMPLETING"} & set(cluster.jobs().values()))
    check("Restarts=1" in cluster.ask("scontrol", "-o", "show", "job", f"{jobs['runs']}_{requeued}"), "it was not requeued")
    # Slurm has a task that was requeued wait for two minutes.
    cluster.tell("scontrol", "update", f"JobId={jobs['runs']}_{requeued}", "StartTime=now")
    check("PENDING" in cluster.jobs().values(), "nothing waits for the node")
    cluster.tell("scontrol", "update", f"NodeName={cluster.host}", "State=RESUME")
    killed = hit(sweep, kill)
    wait_for("the end of the jobs", lambda: is_over(cluster))
    print(f"  task {requeued} was requeued, task {killed} killed, the node drained twice")


def main():
    missing = [name for name in COMMANDS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None]
    if missing:
        skip(f"not installed: {', '.join(missing)} (tools/bootstrap.sh all)")
    if os.geteuid() != 0:
        skip("its daemons want root")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    weir, began = pathlib.Path(sys.argv[1]).resolve(), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        folder = pathlib.Path(name)
        cluster = Cluster(folder)
        sweep = Sweep(weir, cluster, folder / "study")
        try:
            print(sweep.run("sweep", *POINTS, "--store", "alone.db"), end="", flush=True)
            cluster.begin()
            print(f"a cluster after {time.monotonic() - began:.0f} s", flush=True)
            first_part(sweep, cluster)
            there = int(re.search(r"(\d+) in s\.db", sweep.run("sweep", *POINTS, "--store", "s.db", "--slurm", "--dry-run"))[1])
            check(0 < there < N_RUNS, f"{there} runs after a task was killed")
            _, jobs = sweep.submit()
            check(set(jobs) == {"runs", "merges"}, f"what is missing: {jobs}")
            wait_for("the end of the jobs", lambda: is_over(cluster))
            out, jobs = sweep.submit()
            check(not jobs and f"{N_RUNS} runs: {N_RUNS} in s.db" in out, f"when all is there: {out}")
            check(sweep.dump("s.db") == sweep.dump("alone.db"), "another dump than without a cluster")
            print(f"the same dump of {N_RUNS} runs, after {time.monotonic() - began:.0f} s")
        except BaseException:
            cluster.logs()
            sweep.logs()
            raise
        finally:
            cluster.end()


if __name__ == "__main__":
    main()
