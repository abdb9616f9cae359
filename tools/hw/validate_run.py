#!/usr/bin/env python3
"""Runs workloads on a GPU under Nsight Compute and writes what each launch counted; tools/hw/validate.sh starts it.

    tools/hw/validate.sh OUTDIR CONFIG [OPTIONS] [WORKLOAD ...]

WORKLOAD is a launch file, a folder of them or of folders with them, or the name of a folder below workloads/ (default:
all of workloads/). Writes OUTDIR/validate-CONFIG.tsv. CONFIG:

    default    the L1 as the driver divides it
    l1-large   the carve-out preferred for L1 (0 % shared memory)
    l1-small   the carve-out preferred for shared memory (100 %)
    cg         as default, with .cg written into every plain global load (ld.global, ld.global.nc) before ptxas sees it

All workloads go through one process per start of the profiler, and counters are in groups that need one pass each:
nothing is replayed, and a launch finds in the L2 what the launches before it left there. Before the first of a
workload the L2 has none of its data.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import micro_read

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EMPTY = HERE / "empty" / "empty.yaml"
CONFIGS = {"default": [], "l1-large": ["--carveout", "0"], "l1-small": ["--carveout", "100"], "cg": []}
L1, L2 = "l1tex__t_", "lts__t_sectors_"
UNITS = {  # {part of the GPU: {our name: counter}}: parts count side by side, one part only so many at a time
    "sm": {"inst": "smsp__inst_executed.sum", "sm_cycles": "sm__cycles_elapsed.max",
           "gpc_cycles": "gpc__cycles_elapsed.max", "ns": "gpu__time_duration.sum"},
    "l1": {"l1_ld_requests": L1 + "requests_pipe_lsu_mem_global_op_ld.sum",
           "l1_ld_sectors": L1 + "sectors_pipe_lsu_mem_global_op_ld.sum",
           "l1_ld_hits": L1 + "sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
           "l1_ld_misses": L1 + "sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
           "l1_st_requests": L1 + "requests_pipe_lsu_mem_global_op_st.sum",
           "l1_st_sectors": L1 + "sectors_pipe_lsu_mem_global_op_st.sum",
           "l1_red_sectors": L1 + "sectors_pipe_lsu_mem_global_op_red.sum",
           "l1_atom_sectors": L1 + "sectors_pipe_lsu_mem_global_op_atom.sum"},
    "l2": {"l2_tex_reads": L2 + "srcunit_tex_op_read.sum",
           "l2_tex_read_hits": L2 + "srcunit_tex_op_read_lookup_hit.sum",
           "l2_tex_read_misses": L2 + "srcunit_tex_op_read_lookup_miss.sum",
           "l2_tex_writes": L2 + "srcunit_tex_op_write.sum",
           "l2_reads": L2 + "op_read.sum",
           "l2_writes": L2 + "op_write.sum",
           "l2_fabric": L2 + "srcunit_ltcfabric.sum"},
    "dram": {"dram_rd_sectors": "dram__sectors_read.sum", "dram_wr_sectors": "dram__sectors_write.sum"},
}
INSTEAD = {"l2_tex_read_hits": ("l2_tex_hits", L2 + "srcunit_tex_lookup_hit.sum")}  # where a GPU does not have the first
STALLS = ("barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle membar "
          "mio_throttle misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait").split()
PIPES = "adu alu cbu fma fmaheavy fp64 lsu tex uniform xu".split()
WHY = {  # what the time goes into: warps by what they wait for, units by how busy they are
    "stall": {f"stall_{s}": f"smsp__average_warps_issue_stalled_{s}_per_issue_active.ratio" for s in STALLS},
    "sm": {"inst": "smsp__inst_executed.sum", "issued": "smsp__inst_issued.sum", "gpc_cycles": "gpc__cycles_elapsed.max",
           "sm_active": "sm__cycles_active.sum", "sm_active_max": "sm__cycles_active.max",
           "warp_cycles": "sm__warps_active.sum", "threads": "smsp__thread_inst_executed.sum"},
    "pipe": {f"pipe_{p}": f"smsp__inst_executed_pipe_{p}.sum" for p in PIPES},
    "code": {"icc_requests": "sm__icc_requests.sum", "icc_misses": "sm__icc_requests_lookup_miss.sum",
             "idc_requests": "idc__requests.sum", "idc_misses": "idc__requests_lookup_miss.sum"},
    "l1": {"l1_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
           "l1_wavefronts_shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
           "l1_lsuin": "l1tex__lsuin_requests.sum",
           "l1_tag_wavefronts": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
           "l1_in_sectors": "l1tex__m_xbar2l1tex_read_sectors.sum",
           "l1_in_sectors_max": "l1tex__m_xbar2l1tex_read_sectors.max",
           "l1_out_cycles": "l1tex__m_l1tex2xbar_req_cycles_active.sum",
           "l1_out_cycles_max": "l1tex__m_l1tex2xbar_req_cycles_active.max"},
    "l2": {name: f"lts__{counter}" for unit, counter in {
        "requests": "t_requests", "sectors": "t_sectors", "tags": "t_tag_requests", "data": "d_sectors",
        "in": "xbar2lts_cycles_active", "out": "lts2xbar_cycles_active", "cycles": "cycles_elapsed"}.items()
        for name, counter in ((f"l2_{unit}", f"{counter}.sum"), (f"l2_{unit}_max", f"{counter}.max"))},
}
SETS = {"validate": UNITS, "why": WHY}
COUNTERS = {name: counter for units in SETS.values() for unit in units.values() for name, counter in unit.items()}
COUNTERS |= dict(INSTEAD.values())
PASSES = "profiler__replayer_passes"  # asked for with every group
COLUMNS = ["workload", "kernel", "launch", "repeat", "metric", "value"]
UNKNOWN_CHUNK = 4  # counters of a part in a group, where ncu does not say how many passes it makes
STALL_S, FEWEST, LARGEST_BYTES = 90, 8, 14 << 20

Label = collections.namedtuple("Label", "workload input run launch kernel grid block dyn_shared us profiled")


# ---- what ncu and launch_gpu write

def read_labels(text):
    """The rows of launch_gpu --launches; a last line that was cut is left out."""
    rows = [line.split("\t") for line in text.split("\n")[1:-1]]
    return [Label(r[0], r[1], int(r[2]), int(r[3]), r[4], r[5], r[6], int(r[7]), float(r[8]), r[9] == "1")
            for r in rows if len(r) == len(Label._fields)]


def read_passes(text):
    """The most passes that ncu made for a launch, by its own counter; None if it does not say."""
    counts = [values.get(PASSES, "") for _, values in micro_read.read_counters(text).values()]
    found = [int(float(n)) for n in counts if re.fullmatch(r"\d+(\.\d+)?", n)]
    return max(found) if found else None


def join(labels, counted):
    """([(label, values)], counted launches that have no label, labels without counters). `counted` is as
    micro_read.read_counters gives it. Order tells which is which; a launch of another name, of the driver's own say,
    is passed over."""
    want = [x for x in labels if x.profiled]
    pairs, extra, at = [], 0, 0
    for _, (kernel, values) in sorted(counted.items()):
        if at < len(want) and want[at].kernel == kernel:
            pairs.append((want[at], values))
            at += 1
        else:
            extra += 1
    return pairs, extra, len(want) - at


def read_results(text, files):
    """[(file, "ok" or what is wrong)] of launch_gpu's table, in the files' order; the file that ended it is the last."""
    out = []
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) == 9 and cells[0] != "workload" and len(out) < len(files):
            out.append((files[len(out)], cells[8]))
        elif len(cells) == 2 and cells[1].startswith("FAILED") and len(out) < len(files):
            out.append((files[len(out)], cells[1]))
            break
    return out


def write_cg(text):
    """.cg in every global load that has no cache operator, order or scope of its own."""
    return re.sub(r"\bld\.global\.(?!(?:ca|cg|cs|lu|cv|relaxed|acquire|mmio)\b)", "ld.global.cg.", text)


# ---- groups of counters

def known_counters(wanted, there):
    """{part: our names} of counters that --query-metrics lists; all, if it lists next to nothing."""
    def is_known(name):
        return len(there) < 50 or COUNTERS[name] in there or COUNTERS[name].rsplit(".", 1)[0] in there
    units = {}
    for unit, names in wanted.items():
        names = [n if is_known(n) else INSTEAD.get(n, (n,))[0] for n in names]
        units[unit] = [n for n in names if is_known(n)]
    return units


def groups_of(units, passes):
    """Lists of our names such that passes(names) is 1, as few as the parts allow; one that counts alone and still
    needs more stays as it is, and its rows say so."""
    chunks = {}
    for unit, names in units.items():
        if names:
            n = passes(names)
            size = UNKNOWN_CHUNK if n is None else -(-len(names) // n)
            chunks[unit] = [names[i:i + size] for i in range(0, len(names), size)]
    made = []
    for i in range(max(map(len, chunks.values()), default=0)):
        todo = [[name for c in chunks.values() if i < len(c) for name in c[i]]]
        while todo:
            group = todo.pop(0)
            if len(group) > 1 and (passes(group) or 1) > 1:
                half = -(-len(group) // 2)
                todo = [group[:half], group[half:], *todo]
            else:
                made.append(group)
    return made


# ---- the run

class Runner:
    def __init__(self, args):
        self.args = args
        self.begin = time.monotonic()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="validate-"))
        self.units = SETS[args.counters]
        self.path = args.outdir / f"{args.counters}-{args.config}.tsv"
        self.most = args.most
        self.longest = 0.0
        self.names, self.failed = {}, {}
        self.ncu = os.environ.get("NCU") or shutil.which("ncu") or self.find_ncu()
        args.outdir.mkdir(parents=True, exist_ok=True)
        self.out = open(self.path, "w", encoding="utf-8")

    @staticmethod
    def find_ncu():
        found = sorted(pathlib.Path("/opt/nvidia/nsight-compute").glob("*/ncu")) + [pathlib.Path("/usr/local/cuda/bin/ncu")]
        there = [p for p in found if p.exists()]
        return str(there[-1]) if there else None

    def left(self):
        return self.args.limit - (time.monotonic() - self.begin)

    def row(self, *cells):
        self.out.write("\t".join(" ".join(str(c).split()) for c in cells) + "\n")

    def note(self, text):
        self.out.write(f"# {text}\n")
        self.out.flush()
        print(f"{time.monotonic() - self.begin:5.0f} s: {text}", flush=True)

    def fail(self, file, why):
        name = self.names.get(file, pathlib.Path(file).stem)
        if file not in self.failed:
            self.row(name, "", "", "", "FAILED", why)
            self.note(f"{name}: {why}")
        self.failed[file] = why

    def output(self, command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as e:
            return f"{e}"
        return (done.stdout + done.stderr).strip()

    def header(self):
        fields = "name,driver_version,clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem,vbios_version"
        version = [line for line in self.output(["ptxas", "--version"]).splitlines() if "release" in line]
        ncu = [line for line in self.output([self.ncu, "--version"]).splitlines() if line.startswith("Version")]
        for line in [time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()) + ", tools/hw/validate.sh " + " ".join(sys.argv[1:]),
                     self.output(["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]) + f" ({fields})",
                     *version, *("ncu " + line for line in ncu),
                     f"configuration {self.args.config}, input {self.args.input}, build {self.args.build}",
                     f"counters of the first {self.most} launches of a workload at most; no replay, caches and clocks "
                     "as they are",
                     *(f"metric {name} = {COUNTERS[name]}" for name in self.names_of_counters()),
                     "metric us = microseconds between events before and after the launch, without the profiler"]:
            self.out.write(f"# {line}\n")
        self.out.write("\t".join(COLUMNS) + "\n")
        self.out.flush()

    def names_of_counters(self):
        names = [n for unit in self.units.values() for n in unit]
        return names + [INSTEAD[n][0] for n in names if n in INSTEAD]

    # workloads

    def launch_gpu(self, *options):
        return [str(self.args.program), *options, "--input", self.args.input, "--build", self.args.build]

    def files(self):
        """Launch files that have the input, after their modules were compiled; the empty launches come first."""
        def ask(file):
            return subprocess.run([*self.launch_gpu("--modules"), file], capture_output=True, text=True)
        modules, asked = {}, [str(EMPTY), *find_files(self.args.workloads)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(ask, asked))
        for file, done in zip(asked, answers):
            rows = [line.split("\t") for line in done.stdout.splitlines()]
            if done.returncode != 0:
                self.fail(file, rows[-1][-1] if rows else done.stderr.strip() or f"exit status {done.returncode}")
                continue
            if rows:
                self.names[file] = rows[0][1]
                modules[file] = [r[3] for r in rows]
            if any(r[4] == "linked" for r in rows):
                self.fail(file, "FAILED: modules that are linked cannot be compiled beforehand")
        paths = {p for used in modules.values() for p in used}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            bad = {p: why for p, why in zip(sorted(paths), pool.map(self.compile, sorted(paths))) if why}
        names = collections.Counter(pathlib.Path(p).name for p in paths)
        for file, used in modules.items():
            for p in used:
                if names[pathlib.Path(p).name] > 1:
                    self.fail(file, f"FAILED: two modules are called {pathlib.Path(p).name}; run them one after the other")
                elif p in bad:
                    self.fail(file, f"FAILED: {bad[p]}")
        return [f for f in modules if f not in self.failed]

    def compile(self, path):
        """'' or what ptxas says."""
        folder = self.work / "cubins"
        folder.mkdir(exist_ok=True)
        name, source = pathlib.Path(path).name, path
        if self.args.config == "cg":
            source = str(self.work / name)
            pathlib.Path(source).write_text(write_cg(pathlib.Path(path).read_text(encoding="utf-8")), encoding="utf-8")
        done = subprocess.run(["ptxas", f"-arch={self.args.arch}", "-o", str(folder / f"{name}.cubin"), source],
                              capture_output=True, text=True)
        return "" if done.returncode == 0 else (done.stderr + done.stdout).strip().splitlines()[0]

    # runs

    def start(self, files, options, counters):
        """One process over the files, under ncu if there are counters: (results, labels, ncu's text, why it ended)."""
        labels, log = self.work / "labels", self.work / "ncu.log"
        for p in (labels, log):
            p.unlink(missing_ok=True)
        ncu = [self.ncu, "--csv", "--print-units", "base", "--print-kernel-base", "mangled", "--clock-control", "none",
               "--cache-control", "none", "--replay-mode", "kernel", "--profile-from-start", "off", "--metrics",
               ",".join([*counters, PASSES]), "--log-file", str(log)] if counters else []
        command = [*ncu, *self.launch_gpu(*options, "--launches", str(labels), "--cubins", str(self.work / "cubins")),
                   *CONFIGS[self.args.config], *files]
        with open(self.work / "stdout", "w+", encoding="utf-8") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, start_new_session=True)
            why = self.watch(process, [labels, log])
            out.seek(0)
            text = out.read()
        log_text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        label_text = labels.read_text(encoding="utf-8") if labels.exists() else ""
        errors = [line for line in (log_text + text).splitlines() if "==ERROR==" in line or line.startswith("launch_gpu")]
        return read_results(text, files), read_labels(label_text), log_text + text, why or " ".join(errors[:2])

    def watch(self, process, paths):
        """Ends what makes no progress, or what would outlast the limit; '' or why."""
        size, since, why = -1, time.monotonic(), ""
        while process.poll() is None:
            time.sleep(0.05)
            now = sum(p.stat().st_size for p in paths if p.exists())
            if now != size:
                size, since = now, time.monotonic()
            if time.monotonic() - since > STALL_S:
                why = f"no progress for {STALL_S} s"
            elif self.left() < -20:
                why = "the time is over"
            if why:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return why or ("" if process.returncode >= 0 else f"signal {-process.returncode}")

    def over_all(self, files, options, counters, each):
        """start() over the files; one that ends the process is marked, and those after it get another start. Two starts
        in a row without any result are the profiler's fault, or the machine's."""
        todo, suspect = [f for f in files if f not in self.failed], None
        while todo:
            results, labels, text, why = self.start(todo, options, counters)
            each(results, labels, text)
            good = [f for f, result in results if not result.startswith("FAILED")]
            ended = [result for _, result in results if result.startswith("FAILED")]
            last = ended[0] if ended else why or "no result"
            if not good and suspect:
                self.note(f"given up after two starts without a result: {last}")
                return
            if suspect:
                self.fail(*suspect)
                suspect = None
            if why == "the time is over":
                self.note(why)
                return
            if good and len(good) < len(todo):
                self.fail(todo[len(good)], last)
            elif not good:
                suspect = (todo[0], last)
            todo = todo[len(good) + 1:]

    def times(self, files):
        def each(results, labels, _):
            for file, result in results:
                if result not in ("ok", "nothing is expected") and not result.startswith("FAILED"):
                    self.row(self.names[file], "", "", "", "result", result)
            for x in labels:
                self.row(x.workload, x.kernel, x.launch, x.run + 1, "us", f"{x.us:.2f}")
            runs = collections.Counter((x.workload, x.run) for x in labels)
            for (workload, run), n in runs.items():
                self.row(workload, "", "", run + 1, "launches", n)
        begin = time.monotonic()
        self.over_all(files, ["--together", "--runs", str(self.args.repeats)], [], each)
        self.note(f"times without the profiler, {self.args.repeats} runs: {time.monotonic() - begin:.0f} s")

    def count(self, files, repeat, runs, number, group):
        """A group's counters in `runs` repeats from `repeat` on; how long it took."""
        names = {COUNTERS[n]: n for n in group}
        told = {"launches": 0, "passes": 0}

        def each(results, labels, text):
            pairs, extra, lacking = join(labels, micro_read.read_counters(text))
            for label, values in pairs:
                for counter, value in values.items():
                    if counter in names and re.fullmatch(r"\d+(\.\d+)?", value):
                        self.row(label.workload, label.kernel, label.launch, repeat + label.run, names[counter], value)
            told["launches"] += len(pairs)
            told["passes"] = max(told["passes"], read_passes(text) or 0)
            if extra or lacking:
                self.note(f"{extra} launches were counted that are nobody's, {lacking} lack their counters")
        begin = time.monotonic()
        self.over_all(files, ["--profile", str(self.most), "--runs", str(runs)], list(names), each)
        took = time.monotonic() - begin
        self.longest = max(self.longest, took)
        clocks = self.output(["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader"])
        which = f"repeats {repeat} to {repeat + runs - 1}" if runs > 1 else f"repeat {repeat}"
        self.note(f"{which}, group {number} ({' '.join(group)}): {took:.0f} s, {told['launches']} launches, passes "
                  f"{told['passes'] or 'not told'}, clocks {clocks}")
        return took

    def groups(self):
        """Which counters go together; kept beside the program, for the next configuration."""
        version = self.output([self.ncu, "--version"]).splitlines()
        key = json.dumps([version[-1:], self.args.arch, self.units], sort_keys=True)
        kept = self.args.program.parent / f"{self.args.counters}-groups.json"
        if kept.exists():
            known = json.loads(kept.read_text(encoding="utf-8"))
            if known["key"] == key:
                return known["groups"]
        there = {line.split()[0] for line in self.output([self.ncu, "--query-metrics"]).splitlines() if line.split()}
        units = known_counters(self.units, there)
        for n in sorted({n for names in self.units.values() for n in names} - {n for names in units.values() for n in names}):
            self.note(f"this GPU or ncu does not have {COUNTERS[n]}")

        told = []

        def passes(names):
            _, _, text, why = self.start([str(EMPTY)], ["--profile", "1", "--runs", "1"], [COUNTERS[n] for n in names])
            n = read_passes(text)
            told.append(n)
            self.note(f"{' '.join(names)}: passes {n or 'not told'} {why}".strip())
            return n
        made = groups_of(units, passes)
        if None not in told:
            kept.write_text(json.dumps({"key": key, "groups": made}), encoding="utf-8")
        return made

    def run(self):
        self.header()
        files = self.files()
        self.note(f"{len(files)} workloads, compiled by ptxas for {self.args.arch}")
        if not files:
            return
        self.times(files)
        if self.ncu is None:
            self.row("", "", "", "", "FAILED", "ncu is not installed")
            return
        groups = self.groups()
        for repeat in range(1, self.args.repeats + 1, self.args.per_start):
            runs = min(self.args.per_start, self.args.repeats + 1 - repeat)
            for number, group in enumerate(groups, 1):
                if self.left() < 1.1 * self.longest:
                    self.note(f"repeat {repeat} from group {number} on is left out: {self.left():.0f} s are left")
                    return
                took = self.count(files, repeat, runs, number, group)
                rounds = max(0, -(-(min(3, self.args.repeats) - repeat + 1) // runs) - 1)  # to three repeats
                if took * (rounds * len(groups) + len(groups) - number) > self.left() and self.most > FEWEST:
                    self.most //= 2
                    self.longest = 0
                    self.note(f"three repeats would take too long: from here on {self.most} launches have counters")

    def close(self):
        self.out.close()
        if self.path.stat().st_size > LARGEST_BYTES:
            with open(self.path, "rb") as source, gzip.open(f"{self.path}.gz", "wb") as packed:
                shutil.copyfileobj(source, packed)
            self.path.unlink()
        shutil.rmtree(self.work, ignore_errors=True)


def find_files(given):
    """Launch files of what was named, or of all workloads."""
    found = []
    for name in given or [str(ROOT / "workloads")]:
        path = pathlib.Path(name) if pathlib.Path(name).exists() else ROOT / "workloads" / name
        if path.is_dir():
            found += sorted([*path.glob("*.yaml"), *path.glob("*/*.yaml")])
        elif path.exists():
            found.append(path)
        else:
            sys.exit(f"validate: {name}: no launch file, no folder, and no folder of workloads/")
    return [str(f.resolve()) for f in found]


def main():
    parser = argparse.ArgumentParser(prog="tools/hw/validate.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir", type=pathlib.Path, metavar="OUTDIR")
    parser.add_argument("config", choices=CONFIGS, metavar="CONFIG")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--input", default="profile",
                        help="of every workload (default: %(default)s); those without it are left out")
    parser.add_argument("--build", default="nvcc", help="of workloads with several builds (default: %(default)s)")
    parser.add_argument("--counters", choices=SETS, default="validate",
                        help="validate: what docs/validation.md has; why: what warps wait for and how busy units are, into "
                             "OUTDIR/why-CONFIG.tsv (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--per-start", type=int, default=1, metavar="N",
                        help="repeats in one start of the profiler: faster, but all with the same addresses (default: %(default)s)")
    parser.add_argument("--most", type=int, default=64,
                        help="launches of a workload with counters, the first ones (default: %(default)s)")
    parser.add_argument("--arch", default=os.environ.get("ARCH", "sm_90"), help="for ptxas (default: $ARCH, or sm_90)")
    parser.add_argument("--limit", type=float, default=float(os.environ.get("LIMIT", "520")),
                        help="seconds after which nothing is begun (default: $LIMIT, or 520)")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "launch_gpu",
                        help="default: build/launch_gpu")
    args = parser.parse_intermixed_args()
    if not args.program.exists():
        sys.exit(f"validate: {args.program} is missing: tools/hw/launch_gpu.sh build makes it, here or elsewhere")
    if min(args.repeats, args.per_start, args.most) < 1:
        parser.error("--repeats, --per-start and --most are at least 1")
    args.program, args.outdir = args.program.resolve(), args.outdir.resolve()
    runner = Runner(args)
    try:
        runner.run()
    finally:
        runner.close()
    print(f"{len(runner.failed)} workloads failed; {runner.path}")


if __name__ == "__main__":
    main()
