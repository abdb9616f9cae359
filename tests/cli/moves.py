#!/usr/bin/env python3
"""Every scheme does what it is there for: its own counters move. A policy that is never called cannot pass. And none is
faster than an L1 that always hits (docs/timing.md has the reasons why one could be; these workloads have none of them).

moves.py WEIR. A scheme that is not in the table fails.
"""
import json
import subprocess
import sys
import tempfile

WORKLOADS = ["gather", "spmv"]
# What must not be 0 over the workloads together: counters of its parts, or those of the run.
MOVES = {
    "access-level": "mrpb.bypassed_line l1.bypassed",
    "aip": "aip.predictions aip.bypasses aip.expired aip.confirmed l1.bypassed",
    "apcm": "apcm.monitored apcm.bypassed_stream apcm.pinned apcm.insns_stream apcm.insns_intra",
    "baseline": "l1.hits l1.misses",
    "bypass-all": "l1.bypassed",
    "carb": "carb-standin.intervals carb-standin.stalled carb-standin.bypassed carb-standin.chosen",
    "ccws": "ccws.vta_hits ccws.raised ccws.held_warp_cycles",
    "coordinated": "coordinated.blocks_bg coordinated.periods coordinated.cg_bypassed coordinated.cm_loads",
    "decoupled": "decoupled.commits decoupled.bypass_first decoupled.aged decoupled.duel_kept",
    "dsc-2": "dsc.reservations dsc.stolen dsc.victims",
    "dsc-4": "dsc.reservations dsc.stolen dsc.victims",
    "dynamic": "coordinated.blocks_bg coordinated.periods coordinated.cm_bypassed",
    "fetch-groups": "fetch-groups.switches",
    "gto": "l1.hits",
    "instruction-level": "coordinated.ca_loads coordinated.cg_bypassed",
    "lamar": "lamar.fine lamar.coarse lamar.inserted",
    "lrr": "l1.hits",
    "lvp": "aip.predictions aip.bypasses aip.expired aip.confirmed",
    "miss-rate": "two-level.samples two-level.to_cache two-level.misses",
    "mrpb": "mrpb.queued mrpb.reordered mrpb.bypassed_line mrpb.bypassed_mshr",
    "opt": "l1.hits l1.bypassed_profile",
    "opt-chunk": "l1.hits l1.bypassed_profile",
    "pc-bypass": "pc-bypass.bypasses pc-bypass.trained_up pc-bypass.trained_down pc-bypass.feedback_bypass",
    "pdp": "pdp.bypasses pdp.replaced pdp.occupancy_used",
    "pdp-best": "pdp.bypasses pdp.replaced pdp.occupancy_used",
    "pdp-dynamic": "pdp.sampled pdp.reuses pdp.bypasses",
    "pemp": "pemp.samples pemp.armed pemp.bypassed pemp.predicted_hits pemp.right",
    "profiled-both": "profiled.admitted profiled.bypassed",
    "profiled-global": "profiled.admitted profiled.bypassed",
    "profiled-local": "profiled.admitted profiled.bypassed",
    "random-best": "l1.bypassed_predictor",
    "random-bypass": "l1.bypassed_predictor",
    "sdbp": "sdbp.sampled sdbp.dead_predictions sdbp.bypasses sdbp.dead_replaced",
    "sector": "l1.partial_misses",
    "static": "coordinated.ca_loads coordinated.cg_bypassed",
    "swl": "swl.held_warp_cycles",
    "tlp": "l1.hits",
    "tsc": "tag-split.chunks_fetched tag-split.victims tag-split.chunks_matching",
    "tsc+": "tag-split.chunks_fetched tsc-plus.sampled_misses_fine tsc-plus.sampled_misses_coarse",
    "two-level": "two-level.samples two-level.to_bypass two-level.bypass_cycles",
}
# Without counters of their own: the run must be another one than this scheme's.
DIFFERS = {"gto": "lrr", "lrr": "gto", "fetch-groups": "lrr", "tlp": "lrr", "opt": "baseline", "opt-chunk": "opt",
           "sector": "baseline"}


def perfect(weir):
    """Cycles of each workload with an L1 that always hits."""
    done = subprocess.run([weir, "compare", *WORKLOADS, "--input", "test", "--gpus", "fermi-s3", "--schemes", "baseline", "--set",
                           "l1.perfect=true", "--json", "-", "--check"], capture_output=True, text=True, check=True)
    return {r["workload"]: r["cycles"] for r in json.loads(done.stdout)["runs"]}


def main():
    weir = sys.argv[1]
    schemes = subprocess.run([weir, "list", "schemes", "--names"], capture_output=True, text=True, check=True).stdout.split()
    bad = [f"{s}: it is not in the table of tests/cli/moves.py" for s in schemes if s not in MOVES]
    bad += [f"{s}: there is no such scheme" for s in MOVES if s not in schemes]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [weir, "compare", *WORKLOADS, "--input", "test", "--gpus", "fermi-s3", "--schemes", ",".join(schemes),
                   "--json", out.name, "--quiet", "--check", "--best", "swl.warps=4", "--best", "tb-limit.blocks=2",
                   "--best", "pdp.distance=12", "--best", "random-bypass.p=0.5"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"moves: {' '.join(command)}\n{done.stderr}")
        runs = json.load(open(out.name))["runs"]
    of = {s: [r for r in runs if r["scheme"] == s] for s in schemes}
    for scheme in schemes:
        for name in MOVES.get(scheme, "").split():
            part, stat = name.split(".")
            if not any(r.get(part, r["parts"].get(part, {})).get(stat, 0) for r in of[scheme]):
                bad.append(f"{scheme}: {name} does not move")
    least = perfect(weir)
    bad += [f"{r['scheme']} takes {r['cycles']} cycles for {r['workload']}; an L1 that always hits {least[r['workload']]}"
            for r in runs if r["cycles"] < least[r["workload"]]]
    for scheme, other in DIFFERS.items():
        if [r["cycles"] for r in of[scheme]] == [r["cycles"] for r in of[other]]:
            bad.append(f"{scheme} takes the same cycles as {other}")
    for line in bad:
        print(line)
    print(f"{len(schemes)} schemes, {len(bad)} wrong")
    sys.exit(1 if bad else 0)


main()
