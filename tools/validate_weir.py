"""weir's side of the validation: the launches that a GPU has counters for, on a simulated machine. Part of validate.py.

Results are kept in a folder, one table for each configuration: CONFIG.tsv with a row for each launch, rings.tsv with
one for each pointer chase. A row has a key, made of all that its result depends on: values of the machine, version of
the model, settings, launch file, PTX and data. Rows with another key are run again, those with the same are not.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "hw"))
import sensitivity  # noqa: E402
import validate_run  # noqa: E402

CONFIGS = {"default": [], "cg": [], "l1-large": ["launch.carveout=0"], "l1-small": ["launch.carveout=100"]}
WITHOUT = "without-"  # configurations without one rule, with the launches of the default one
RULES = {  # what the model has for GPUs of today: what it is called on the page, and the settings that take it away
    "order": ("the order of machine code", ["sched.order=off"]),
    "unroll": ("unrolled loops", ["sched.order=blocks"]),
    "textures": ("texture reads moved up", ["sched.textures=false"]),
    "texture-unit": ("a texture unit", ["sm.texture_lanes=0", "sm.texture_extra=0", "sm.fetch_lanes=0"]),
    "scheduler": ("the warp that came last as the next one (the oldest)", ["sm.scheduler=gto"]),
    "blocks": ("blocks that begin and end as measured", ["sm.dispatch_interval=0", "sm.retire_tenths=0"]),
    "banks": ("banks of words before the L1 (lines)", ["sm.coalesce_by=lines"]),
    "pool": ("an L1 whose tags stay when shared memory takes its data", ["l1.pool=false"]),
    "store-words": ("words that stores leave in the L1", ["l1.store_words=false"]),
    "atomics": ("atomics by words (lines)", ["l1.atomics=line"]),
    "request-flits": ("requests by sectors (bytes)", ["noc.request_flits=bytes"]),
    "sm-flits": ("three flits in a cycle to an SM (one)", ["noc.sm_flits=1"]),
    "slice-tenths": ("slices at 1/1.3 of the clock", ["noc.slice_tenths=10"]),
    "fetch": ("misses of the L2 that fetch 64 bytes (32)", ["l2.fetch_bytes=32"]),
    "partial-reads": ("parts of sectors that are read before they are written back", ["l2.partial_reads=false"]),
    "merge-writes": ("stores that fill a sector together", ["l2.merge_writes=false"]),
    "merge-groups": ("GPCs, within which alone reads are one", ["l2.merge_groups=1"]),
    "merge-reads": ("reads that come together", ["l2.merge_reads=1"]),
    "multicast": ("replies that wait and go with the first that has their data", ["l2.multicast=false"]),
    "bypass-room": ("loads past the L1 that take its data", ["l1.bypass_room=false"]),
    "division-slots": ("slots of divisions", ["sm.idiv_slots=1", "sm.fdiv_slots=1", "sm.ddiv_slots=1"]),
    "store-wait": ("stores that wait for reads of their line", ["l2.store_wait_cyc=0"]),
    "reply-tenths": ("flits of replies that take 0.7 cycles of a slice (1)", ["noc.reply_tenths=10"]),
    "home": ("lines that are near to their own half, too", ["l2.home=false"]),
    "partitions": ("an L2 of two halves", ["l2.partitions=1"]),
    "branches": ("what branches take", ["sm.branch_next_cyc=1", "sm.branch_guard_cyc=0", "sm.rejoin_cyc=0"]),
    "tests": ("comparisons as early as they can be", ["sched.tests=false"]),
    "first-reads": ("parameters, constants and code that are not there yet",
                    ["sm.param_cold_cyc=0", "sm.const_bytes=0", "sm.code_bytes=0"]),
    "store-end": ("blocks that end without acknowledgements", ["sm.store_end_cyc=0"]),
    "access-end": ("what blocks and kernels that have loaded take to end", ["sm.load_end_cyc=0", "sm.access_end_cyc=0"]),
    "division-next": ("warps that wait for their divisions",
                      ["sm.idiv_next_cyc=1", "sm.fdiv_next_cyc=1", "sm.ddiv_next_cyc=1"]),
    "load-next": ("loads of a warp 6 cycles apart (each scheduler's 4)", ["sm.load_next_cyc=1", "sm.load_interval=4"]),
    "passes-back": ("data that take as many passes as addresses", ["sm.passes_back=false"]),
    "spread": ("slices that are nearer and further (all in the middle)", ["noc.spread_cyc=0", "noc.reply_cyc=110"]),
    "dealt": ("slices by chance (by turns)", ["l2.hash=xor", "l2.interleave=256"]),
    "pages": ("rows that are closed by their last access", ["dram.page=open"]),
}
RINGS = "rings"
CARVES = {"default": [], "max_l1": ["launch.carveout=0"], "min_l1": ["launch.carveout=100"]}  # in micro/chase.cu
RING_PTX = HERE / "hw/ring/ring.ptx"
LINE = 128
METRICS = {  # the hardware's names (docs/ncu.md has what differs)
    "inst": lambda t: t["sm"]["warp_insns"],
    "l1_ld_sectors": lambda t: t["l1"]["global_load_sectors"],
    "l1_local_sectors": lambda t: t["l1"]["local_load_sectors"],
    "l1_ld_misses": lambda t: t["l1"]["sectors_missed"] + t["l1"]["sectors_bypassed"]
    - t["l1"]["texture_sectors_missed"],
    "l2_tex_reads": lambda t: t["l2"]["load_sectors"],
    "l2_tex_read_hits": lambda t: t["l2"]["load_sectors"] - t["l2"]["load_sectors_missed"],
    "l2_tex_writes": lambda t: t["l2"]["write_sectors"],
    "dram_rd_sectors": lambda t: t["dram"]["read_bytes"] // 32,
    "dram_wr_sectors": lambda t: t["dram"]["write_bytes"] // 32,
    "sm_cycles": lambda t: t["cycles"],
    "l1_bytes": lambda t: t["l1"]["bytes"],
}
COLUMNS = ["workload", "key", "launch", "kernel", *METRICS]
RING_COLUMNS = ["kind", "carve", "bytes", "key", "walk1", "walk2"]


def is_known(config):
    return config in CONFIGS or (config.startswith(WITHOUT) and config[len(WITHOUT):] in RULES)


def settings_of(config):
    return CONFIGS[config] if config in CONFIGS else RULES[config[len(WITHOUT):]][1]


def counted_as(config):
    """The configuration of the GPU that it is held against."""
    return config if config in CONFIGS else "default"


class Failed(Exception):
    """A workload has no result; the text says why."""


class Stored:
    """What is kept of a configuration. about: {machine, state, model, settings}; keys[workload];
    launches[workload]: {launch: (kernel, {metric: number})}; failed[workload]: text."""

    def __init__(self, path):
        self.path, self.about, self.keys, self.launches, self.failed = path, {}, {}, {}, {}

    def drop(self, workload):
        for of in (self.keys, self.launches, self.failed):
            of.pop(workload, None)

    def put(self, workload, key, launches, why=""):
        """One of launches and why."""
        self.drop(workload)
        self.keys[workload] = key
        if why:
            self.failed[workload] = " ".join(why.split())
        else:
            self.launches[workload] = launches

    def rows(self):
        for w in sorted(self.keys):
            if w in self.failed:
                yield [w, self.keys[w], "", "FAILED", self.failed[w]]
            for n, (kernel, values) in sorted(self.launches.get(w, {}).items()):
                yield [w, self.keys[w], n, kernel, *(values[m] for m in METRICS)]

    def save(self):
        write(self.path, self.about, COLUMNS, self.rows())


def write(path, about, columns, rows):
    """In one step, so that a run that is killed leaves a whole table."""
    fresh = path.with_suffix(".new")
    lines = [*(f"# {k} {v}".rstrip() for k, v in about.items()), "\t".join(columns),
             *("\t".join(map(str, row)) for row in rows)]
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(path)


def read_rows(path, columns, of_failed=None):
    """(about, [(where, cells)]) of a table; nothing if there is none."""
    about, found, seen = {}, [], False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        cells = line.split("\t")
        if line.startswith("# "):
            key, _, value = line[2:].partition(" ")
            about[key] = value
        elif not seen:
            if cells != columns:
                sys.exit(f"{path}:{number}: the columns should be {', '.join(columns)}: delete it, and run it again")
            seen = True
        elif len(cells) not in (len(columns), of_failed):
            sys.exit(f"{path}:{number}: not a row of {len(columns)} cells: delete it, and it is run again")
        else:
            found.append((f"{path}:{number}", cells))
    return about, found


def read(path):
    """A Stored of a configuration; empty if there is no file."""
    stored = Stored(path)
    stored.about, rows = read_rows(path, COLUMNS, 5)
    for where, cells in rows:
        try:
            if cells[3] == "FAILED" and len(cells) == 5:
                stored.put(cells[0], cells[1], {}, cells[4])
            else:
                stored.keys[cells[0]] = cells[1]
                values = dict(zip(METRICS, map(int, cells[4:])))
                stored.launches.setdefault(cells[0], {})[int(cells[2])] = (cells[3], values)
        except ValueError:
            sys.exit(f"{where}: a cell is no number: delete the row, and it is run again")
    return stored


def read_rings(path):
    """(about, {(kind, carve, bytes): (key, cycles per step of the first walk, of the second)})"""
    about, rows = read_rows(path, RING_COLUMNS)
    try:
        return about, {(c[0], c[1], int(c[2])): (c[3], float(c[4]), float(c[5])) for _, c in rows}
    except ValueError:
        sys.exit(f"{path}: a cell is no number: delete it, and run it again")


# ---- keys

def digest(*parts):
    h = hashlib.sha256()
    for p in parts:
        data = p if isinstance(p, bytes) else str(p).encode()
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()[:12]


def file_of(workload):
    """The launch file of a built-in workload."""
    path = ROOT / "workloads" / workload / f"{workload}.yaml"
    if not path.exists():
        raise Failed(f"there is no workloads/{workload}/{workload}.yaml")
    return path


def input_of(file, given, build):
    """What --input is for it: a build is named only where there are several."""
    return f"{given}@{build}" if re.search(r"^builds:", file.read_text(encoding="utf-8"), re.M) else given


def data_of(file):
    """All that it may read: everything beside it but sources."""
    beside = sorted(p for p in file.parent.iterdir() if p.is_file() and p.suffix not in (".c", ".cu", ".h"))
    return [x for p in beside for x in (p.name, p.read_bytes())]


# ---- runs

class Runner:
    """Runs weir; commands that are under way end with it."""

    def __init__(self, args):
        self.weir, self.gpu, self.limit, self.set = args.weir, args.gpu, args.limit, args.set
        self.lock, self.running, self.is_over = threading.Lock(), set(), False

    def settings(self, more):
        return [word for s in [*self.set, *more] for word in ("--set", s)]

    def call(self, *words):
        """What went wrong is Failed."""
        with self.lock:
            if self.is_over:
                raise Failed("stopped")
            process = subprocess.Popen([self.weir, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       text=True, cwd=ROOT)
            self.running.add(process)
        try:
            _, said = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"weir {words[0]} takes longer than {self.limit:g} s") from None
        finally:
            with self.lock:
                self.running.discard(process)
        if process.returncode != 0:
            said = said.strip().splitlines() or [f"exit status {process.returncode}"]
            raise Failed(f"weir {words[0]}: " + said[0].removeprefix("weir: "))

    def stop(self):
        with self.lock:
            self.is_over = True
            for process in self.running:
                process.kill()

    def workload(self, name, given, build, is_cg, todo):
        """{config: {launch: (kernel, values)} or Failed}; todo: {config: (launches, {launch: kernel} of the GPU)}. What
        is executed is written down once for all of them."""
        with tempfile.TemporaryDirectory(prefix="validate-") as folder:
            folder = pathlib.Path(folder)
            file = with_cg(file_of(name), folder) if is_cg else file_of(name)
            trace = folder / "workload.wtrace"
            self.call("record", "-q", "--level", 1, "--no-provenance", "-o", trace, file,
                      "-i", input_of(file, given, build))
            made = {}
            for config, (launches, kernels) in todo.items():
                try:
                    made[config] = self.replay(trace, folder / "out.json", settings_of(config), launches, kernels)
                except Failed as why:
                    made[config] = why
            return made

    def replay(self, trace, out, settings, launches, kernels):
        self.call("replay", trace, "-g", self.gpu, "--count", max(launches) + 1, "-q", "--threads", 1,
                  "--no-provenance", "-j", out, *self.settings(settings))
        timed = json.loads(out.read_text(encoding="utf-8"))["kernels"]
        found = {}
        for n in launches:
            if n >= len(timed):
                raise Failed(f"there are {len(timed)} launches, and the GPU had {max(launches) + 1} at least")
            if timed[n]["kernel"] != kernels[n]:
                raise Failed(f"launch {n} is {timed[n]['kernel']}, on the GPU {kernels[n]}")
            found[n] = (kernels[n], {m: int(of(timed[n]["timing"])) for m, of in METRICS.items()})
        return found

    def ring(self, kind, carve, size):
        """Cycles per step of the first and of the second walk, between clock reads as on the GPU."""
        n = size // LINE
        order = [LINE * i for i in range(n)]
        random.Random(1).shuffle(order)
        with tempfile.TemporaryDirectory(prefix="validate-") as folder:
            folder = pathlib.Path(folder)
            (folder / "order.bin").write_bytes(struct.pack(f"<{n}Q", *order))
            (folder / "ring.ptx").symlink_to(RING_PTX)
            (folder / "ring.yaml").write_text(ring_file(kind, n, order[0]), encoding="utf-8")
            self.call("run", folder / "ring.yaml", "-g", self.gpu, "--cold", "--clocks", "-q", "--no-provenance",
                      "-j", folder / "out.json", *self.settings(CARVES[carve]))
            launches = json.loads((folder / "out.json").read_text(encoding="utf-8"))["runs"][0]["launches"]
            return [pair["min"] / n for pair in launches[-1]["timing"]["clocks"]]


def with_cg(file, folder):
    """The launch file in a copy of its folder, in whose PTX loads are as the hardware's cg had them."""
    copy = folder / file.parent.name
    copy.mkdir()
    for p in file.parent.iterdir():
        if p.suffix == ".ptx":
            (copy / p.name).write_text(validate_run.write_cg(p.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            (copy / p.name).symlink_to(p.resolve())
    return copy / file.name


def ring_file(kind, n, first):
    """A launch file for ring.ptx."""
    return f"""weir: 1
name: ring
modules: [ring.ptx]
buffers:
  ring: {{type: u64, count: {n * LINE // 8}}}
  order: {{type: u64, count: {n}, init: {{file: order.bin}}}}
  out: {{type: u64, count: 2}}
launches:
  - {{kernel: link, grid: [{-(-n // 256)}], block: [256], args: [$ring, $order, {n}]}}
  - {{kernel: walk_{kind}, grid: [1], block: [1], args: [$ring + {first}, {n // 8}, $out]}}
"""


def say(text):
    print(f"validate: {text}", file=sys.stderr, flush=True)


def model():
    """The version of the model of these sources."""
    return re.search(r"WEIR_MODEL = (\d+)", (ROOT / "src/sim/model.h").read_text(encoding="utf-8"))[1]


def about_of(args):
    return {"machine": args.gpu, "state": sensitivity.state(args.weir, args.gpu), "model": model(),
            "settings": " ".join(args.set)}


def plan(args, wanted, about):
    """({config: Stored without stale rows}, what is to be run: {what is executed, as the arguments of Runner.workload:
    {config: (key, launches, kernels)}}).

    wanted: {config: (input, build, {workload: (launches, {launch: kernel})})}"""
    stored, todo = {}, {}
    for config, (given, build, workloads) in wanted.items():
        kept = stored[config] = read(args.work / f"{config}.tsv")
        kept.about = about
        keys = {}
        for w, (launches, kernels) in workloads.items():
            try:
                data = data_of(file_of(w))
            except Failed as why:
                kept.put(w, "none", {}, str(why))
                keys[w] = "none"
                continue
            keys[w] = digest(*about.values(), config, *settings_of(config), given, build, launches, *data)
        for w in [w for w in kept.keys if kept.keys[w] != keys.get(w)]:
            kept.drop(w)
        for w, (launches, kernels) in workloads.items():
            is_done = w in kept.keys and not (args.retry and w in kept.failed)
            if not is_done and (not args.workloads or w in args.workloads):
                todo.setdefault((w, given, build, config == "cg"), {})[config] = (keys[w], launches, kernels)
    return stored, dict(sorted(todo.items()))


def run(args, wanted, rings):
    """Runs what is missing of configurations (see plan) and rings [(kind, carve, bytes)]."""
    args.work.mkdir(parents=True, exist_ok=True)
    about = about_of(args)
    runner = Runner(args)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        try:
            if rings:
                run_rings(args, runner, pool, about, rings)
            if wanted:
                run_workloads(args, runner, pool, about, wanted)
        finally:
            runner.stop()
            pool.shutdown(cancel_futures=True)


def run_rings(args, runner, pool, about, rings):
    path = args.work / f"{RINGS}.tsv"
    key = digest(*about.values(), RING_PTX.read_bytes())
    _, kept = read_rings(path)
    done = {ring: of for ring, of in kept.items() if of[0] == key and ring in rings}
    todo = {pool.submit(runner.ring, *ring): ring for ring in rings if ring not in done}
    for i, future in enumerate(concurrent.futures.as_completed(todo), 1):
        kind, carve, size = todo[future]
        try:
            done[todo[future]] = (key, *future.result())
        except Failed as why:
            say(f"ring of {size} bytes, {kind}, {carve}: {why}")
        rows = [[*ring, k, f"{a:.3f}", f"{b:.3f}"] for ring, (k, a, b) in sorted(done.items())]
        write(path, about, RING_COLUMNS, rows)
        if i % 20 == 0 or i == len(todo):
            say(f"rings: {i} of {len(todo)}")


def run_workloads(args, runner, pool, about, wanted):
    stored, todo = plan(args, wanted, about)
    for kept in stored.values():
        kept.save()

    def one(what, of):
        begin = time.monotonic()
        try:
            made = runner.workload(*what, {c: x[1:] for c, x in of.items()})
        except Failed as why:
            made = dict.fromkeys(of, why)
        return made, time.monotonic() - begin

    say(f"{len(todo)} to run, of {', '.join(stored)}" if todo else "nothing is missing")
    futures = {pool.submit(one, what, of): (what[0], of) for what, of in todo.items()}
    for i, future in enumerate(concurrent.futures.as_completed(futures), 1):
        name, of = futures[future]
        made, seconds = future.result()
        for config, found in made.items():
            if isinstance(found, Failed):
                say(f"{name}, {config}: {found}")
                stored[config].put(name, of[config][0], {}, str(found))
            else:
                stored[config].put(name, of[config][0], found)
            stored[config].save()
        say(f"{i} of {len(todo)}: {name} ({', '.join(made)}), {seconds:.1f} s")
