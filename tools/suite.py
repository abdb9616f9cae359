#!/usr/bin/env python3
"""How faithful the workloads of the suite are to the programs they were made after.

tools/suite.py measure [--weir build/weir] [--work out/suite] [--jobs 2] [NAME ...]   runs what is new or has changed
tools/suite.py page [--work out/suite] [--output docs/reference/suite.md]              writes the page from that
tools/suite.py --check docs/reference/suite.md                                         is every workload of the suite on it?

A workload is measured with its input eval (fermi-s3, baseline, one thread, its first build) and its input profile
(pascal-s1, which holds the most blocks); a workload is measured again when a file of its folder has changed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = ROOT / "workloads"
TIMED, LARGEST = "fermi-s3", "pascal-s1"
SMS = {TIMED: 15, LARGEST: 56}
L1_BYTES = 24 * 1024  # of the largest
WAVES, FOOTPRINTS, LOADS = 2, 4, 0.2
SUITES = {"rodinia": "Rodinia", "parboil": "Parboil", "poly": "PolyBench-GPU", "lonestar": "LonestarGPU",
          "mars": "Mars (MapReduce)", "sdk": "CUDA samples", "dnn": "Layers of neural networks"}


def origin_of(text):
    """{key: words} of the origin block, which launch files have as plain scalars; {} if there is none."""
    block = re.search(r"^origin:.*\n((?:[ \t]+.*\n|\n)+)", text, re.M)
    found = {}
    for line in block[1].splitlines() if block else []:
        key = re.match(r"  (\w+): *(.*)$", line)
        if key:
            found[key[1]] = key[2].strip()
        elif found and line.strip():
            found[list(found)[-1]] += " " + line.strip()
    clean = {}
    for k, v in found.items():
        quoted = re.fullmatch(r"\"(.*)\"|'(.*)'", v)
        clean[k] = (quoted[1] or quoted[2] or "") if quoted else v if v[:1] == "{" else re.sub(r"\s+#.*$", "", v)
    return clean


def suite():
    """[(name, folder, launch file's text, origin)]"""
    found = []
    for path in sorted(WORKLOADS.glob("*/*.yaml")):
        text = path.read_text()
        origin = origin_of(text)
        if origin:
            found.append((path.stem, path.parent, text, origin))
    return found


def fingerprint(folder):
    h = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        h.update(path.name.encode() + b"\0" + path.read_bytes())
    return h.hexdigest()[:16]


def loads_of(folder, text):
    """{kernel: static global loads} of the first build; what a function that is called has counts for 'functions'."""
    module = re.search(r"modules: \[([^\],]*)", text)[1].strip()
    found, where = {}, None
    for line in (folder / module).read_text().splitlines():
        head = re.search(r"\.(entry|func)\b(?:\s*\([^)]*\))?\s*([\w$]+)", line)
        if head:
            where = head[2] if head[1] == "entry" else "functions"
        if where and re.search(r"^\s*(@!?%\w+\s+)?ld(\.volatile)?\.global\b", line):
            found[where] = found.get(where, 0) + 1
        elif where:
            found.setdefault(where, 0)
    return {k: n for k, n in found.items() if n or k != "functions"}


def shared_of(folder, text):
    module = re.search(r"modules: \[([^\],]*)", text)[1].strip()
    return {k: int(n) for k, n in re.findall(r"^// ptxas sm_\d+: (\w+) registers \d+ static_shared (\d+)$",
                                             (folder / module).read_text(), re.M)}


def run(weir, name, gpu, given):
    before = time.monotonic()
    code = ("import json,resource,subprocess,sys;p=subprocess.run(sys.argv[1:],capture_output=True,text=True);"
            "r=resource.getrusage(resource.RUSAGE_CHILDREN);sys.stderr.write(p.stderr);"
            "print(json.dumps({'seconds':r.ru_utime+r.ru_stime,'code':p.returncode,'out':p.stdout}))")
    done = subprocess.run([sys.executable, "-c", code, weir, "run", name, "-g", gpu, "-S", "baseline", "-t", "1", "-i", given,
                           "-q", "--no-provenance", "--json", "-"], capture_output=True, text=True)
    kept = json.loads(done.stdout) if done.stdout else {"code": 1}
    if kept["code"] != 0:
        sys.exit(f"suite: {name}, {given} on {gpu}:\n{done.stderr}")
    result = json.loads(kept["out"])["runs"][0]
    kernels = {}
    for launch in result["launches"]:
        n = 1
        for side in launch["grid"]:
            n *= side
        k = kernels.setdefault(launch["kernel"], {"launches": 0, "blocks": 0, "most": 0, "waves": 0, "shapes": []})
        k["launches"] += 1
        k["blocks"] += n
        k["most"] = max(k["most"], n)
        k["waves"] = max(k["waves"], n / (launch["timing"]["blocks_per_sm"] * SMS[gpu]))
        shape = "x".join(map(str, shorten(launch["block"])))
        if shape not in k["shapes"]:
            k["shapes"].append(shape)
    sums = [x["statistics"] for x in result["launches"]]
    return {"kernels": kernels, "seconds": kept["seconds"], "wall": time.monotonic() - before,
            "warp_insns": sum(s["warp_insns"] for s in sums), "thread_insns": sum(s["thread_insns"] for s in sums),
            "cycles": sum(x["timing"]["cycles"] for x in result["launches"]), "l1": hit_rate(result),
            "bytes": result["buffer_bytes"]}


def shorten(block):
    while len(block) > 1 and block[-1] == 1:
        block = block[:-1]
    return block


def hit_rate(result):
    loads = hits = 0
    for launch in result["launches"]:
        l1 = launch["timing"]["l1"]
        loads += l1["loads"]
        hits += l1["hits"] + l1["hit_reserved"]
    return hits / loads if loads else None


def measure(args):
    args.work.mkdir(parents=True, exist_ok=True)
    todo = []
    for name, folder, text, _ in suite():
        path = args.work / f"{name}.json"
        mark = fingerprint(folder)
        if args.names and name not in args.names:
            continue
        if not path.exists() or json.loads(path.read_text())["mark"] != mark:
            todo.append((name, folder, text, path, mark))

    def one(job):
        name, folder, text, path, mark = job
        kept = {"mark": mark, "loads": loads_of(folder, text), "shared": shared_of(folder, text),
                "eval": run(args.weir, name, TIMED, "eval"), "profile": run(args.weir, name, LARGEST, "profile")}
        path.write_text(json.dumps(kept, indent=1) + "\n")
        print(f"{name}: eval {kept['eval']['seconds']:.1f} s, {kept['eval']['warp_insns'] / 1e6:.2f} M warp instructions", flush=True)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(one, todo))


def number(text):
    found = re.match(r"\s*([\d,]+)", text or "")
    return int(found[1].replace(",", "")) if found else None


def loads_wanted(origin, loads):
    """[(wanted, ours)] of 'N', or of 'N in KERNEL, N in KERNEL'."""
    text = origin.get("loads")
    if text is None:
        return []
    by_kernel = re.findall(r"(\d+) in (\w+)", text)
    if by_kernel:
        return [(int(n), loads.get(k, 0)) for n, k in by_kernel]
    return [(number(text), sum(loads.values()))]


def judge(origin, m):
    """(verdict, [why])"""
    why = []
    if "sketch" in origin:
        why.append(origin["sketch"])
    kernels = len(m["eval"]["kernels"])
    if number(origin["kernels"]) != kernels:
        why.append(f"{kernels} kernels for {number(origin['kernels'])}")
    for wanted, ours in loads_wanted(origin, m["loads"]):
        if abs(ours - wanted) > LOADS * wanted:
            why.append(f"{ours} loads for {wanted}")
    waves = max(k["waves"] for k in m["profile"]["kernels"].values())
    times = m["profile"]["bytes"] / L1_BYTES
    if times < FOOTPRINTS:
        why.append(f"a profile of {times:.1f} times an L1")
    if why:
        return "sketch", why
    return ("few blocks", [f"{waves:.2f} waves"]) if waves < WAVES else ("full", [])


def wrap(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def row(cells):
    return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"


def plain(n):
    return f"{n:,}"


def shapes(m):
    return "; ".join("/".join(k["shapes"]) for k in m["eval"]["kernels"].values())


def page(args):
    members = suite()
    rows, sizes, counts, seconds = {}, {}, {}, 0
    for name, folder, text, o in members:
        path = args.work / f"{name}.json"
        if not path.exists():
            sys.exit(f"suite: {name} was not measured: tools/suite.py measure {name}")
        m = json.loads(path.read_text())
        if m["mark"] != fingerprint(folder):
            sys.exit(f"suite: {name} has changed since it was measured: tools/suite.py measure {name}")
        verdict, why = judge(o, m)
        if verdict == "sketch" and "sketch" not in o:
            sys.exit(f"suite: {name} is a sketch ({'; '.join(why)}), and its launch file must say so: origin: sketch")
        counts[verdict] = counts.get(verdict, 0) + 1
        group = name.split("-")[0]
        launches = sum(k["launches"] for k in m["eval"]["kernels"].values())
        wanted = loads_wanted(o, m["loads"])
        loads = ", ".join(f"{w} / {n}" for w, n in wanted) if wanted else f"- / {sum(m['loads'].values())}"
        shared = "; ".join(str(m["shared"].get(k, 0)) for k in m["eval"]["kernels"])
        ours = shapes(m)
        same = ours == re.sub(r"\s*x\s*", "x", o["block"])
        rows.setdefault(group, []).append(row([
            name, f"{number(o['kernels']) or o['kernels']} / {len(m['eval']['kernels'])}", f"{o['launches']} / {launches}",
            ours if same else f"{o['block']} / {ours}", o["shared"] if o["shared"] == shared else f"{o['shared']} / {shared}",
            loads, verdict + (f": {'; '.join(why)}" if why else "")]))
        seconds += m["eval"]["seconds"]
        waves = max(k["waves"] for k in m["profile"]["kernels"].values())
        sizes.setdefault(group, []).append(row([
            name, o["size"], o["lost"], f"{m['eval']['warp_insns'] / 1e6:.1f}", f"{m['eval']['seconds']:.1f}",
            plain(max(k["most"] for k in m["profile"]["kernels"].values())), f"{waves:.1f}", plain(m["profile"]["bytes"] // 1024)]))
    lines = [
        "# The suite", "",
        f"<!-- made by tools/suite.py page: {len(members)} workloads -->", "",
        *wrap("Programs that papers on GPU caches evaluate, implemented anew. What of the original each one has, and what is "
              "lost, is said by its launch file; the numbers after a slash are measured here (kernels and launches of the input "
              "`eval`; static global loads of the build for a Fermi; shared bytes without those given at launch)."), "",
        *wrap(f"**{counts.get('full', 0)} are full, {counts.get('few blocks', 0)} have few blocks, {counts.get('sketch', 0)} "
              "are sketches.** A workload is *full* if it has as many kernels as the original, as many global loads as a paper "
              f"counts (within 20 %), a profile of two full waves of blocks on {LARGEST} and of at least {FOOTPRINTS} times its "
              "L1. *Few blocks*: all of that, but the algorithm has no launch of two waves. A *sketch* counts for no claim."), "",
        *wrap("The counts of loads that s4 prints are those of the kernel that it evaluates: for backprop (12), bfs (8), cfd "
              "(41), gramschmidt (5), mri-q (5) and srad2 (9) one kernel of the public source has exactly as many, and the "
              "whole program more."), "",
        f"All inputs `eval` together take {seconds / 60:.1f} minutes of processor time (baseline, {TIMED}, one thread).", ""]
    for group, title in SUITES.items():
        if group not in rows:
            continue
        lines += [f"## {title}", "",
                  "| workload | kernels | launches | block | shared bytes | loads | verdict |",
                  "| --- | --- | --- | --- | --- | --- | --- |", *rows[group], "",
                  "| workload | the papers' or the original's size | what `eval` has less or different | M warp insns | s | "
                  "`profile`: most blocks | waves | KiB |",
                  "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |", *sizes[group], ""]
    args.output.write_text("\n".join(lines).rstrip() + "\n")
    print(f"{args.output}: {counts}; eval {seconds / 60:.1f} min")


def check(path):
    text = path.read_text()
    missing = [name for name, *_ in suite() if f"| {name} |" not in text]
    gone = [n for n in set(re.findall(r"^\| ([a-z][a-z0-9-]+) \|", text, re.M)) - {"workload"} if n not in [s[0] for s in suite()]]
    for name in missing + gone:
        print(f"{path}: {name} is {'not on the page' if name in missing else 'no workload'}: make suite")
    return 1 if missing or gone else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", type=pathlib.Path)
    sub = p.add_subparsers(dest="what")
    for what in ("measure", "page"):
        s = sub.add_parser(what)
        s.add_argument("--work", type=pathlib.Path, default=ROOT / "out/suite")
        if what == "measure":
            s.add_argument("--weir", default=str(ROOT / "build/weir"))
            s.add_argument("--jobs", type=int, default=2)
            s.add_argument("names", nargs="*", metavar="NAME")
        else:
            s.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/reference/suite.md")
    args = p.parse_args()
    if args.check:
        sys.exit(check(args.check))
    if args.what is None:
        p.error("say what: measure, page, or --check FILE")
    measure(args) if args.what == "measure" else page(args)


if __name__ == "__main__":
    main()
