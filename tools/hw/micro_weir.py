#!/usr/bin/env python3
"""What a simulated machine makes of patterns of the microbenchmarks, beside what the GPU made of them.

    tools/hw/micro_weir.py [--gpu h200] [--weir build/weir] [--set KEY=VALUE ...] [BENCHMARK ...]

BENCHMARK: l1_rate, inflight, inflight_small, l2_spread, stores, atomics, load_store (default: all). A rate is taken between two launches of different length,
so that what begins and ends them does not count. Loops are not unrolled, as on the GPU. Kernels are written here as plain PTX loops: they have the accesses of
micro/*.cu, and not the instructions around them.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLES = [HERE / f"results/{name}.tsv.zst" for name in ("h200", "h200_load_store", "h200_spread")]

HEAD = """.version 7.8
.target sm_80
.address_size 64
.visible .entry go(.param .u64 base, .param .u64 offsets, .param .u32 loops, .param .u64 out) {
  .reg .b64 %base, %off, %at, %step, %x<4>;
  .reg .b32 %n, %t, %lane, %warp, %block, %o, %v<64>, %sum;
  .reg .pred %p;
  ld.param.u64 %base, [base];
  ld.param.u64 %off, [offsets];
  ld.param.u32 %n, [loops];
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  and.b32 %lane, %t, 31;
  shr.u32 %warp, %t, 5;
  mad.wide.u32 %off, %lane, 4, %off;
  ld.global.u32 %o, [%off];
  cvt.u64.u32 %at, %o;
  add.u64 %base, %base, %at;
  mov.u32 %sum, 0;
"""
LOOP = """  mad.wide.u32 %base, %warp, {per_warp}, %base;
  mad.wide.u32 %base, %block, {per_block}, %base;
  mov.u64 %step, {step};
LOOP:
  .pragma "nounroll";
{body}  add.u64 %base, %base, %step;
  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
  ld.param.u64 %x0, [out];
  st.global.u32 [%x0], %sum;
  ret;
}}
"""


# A place within a table of {bytes} (a power of two) goes round; blocks begin {per_block} further, warps evenly over it.
ROUND = """  mul.lo.u32 %o, %warp, {each};
  mad.lo.u32 %o, %block, {per_block}, %o;
  and.b32 %o, %o, {last};
LOOP:
  .pragma "nounroll";
{body}  sub.u32 %n, %n, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra LOOP;
  ld.param.u64 %x0, [out];
  st.global.u32 [%x0], %sum;
  ret;
}}
"""


def round_loads(ahead, span, last, kind="cg"):
    """`ahead` loads of the places that come next, then a use of each."""
    one = (f"  cvt.u64.u32 %x0, %o;\n  add.u64 %x1, %base, %x0;\n  ld.global.{kind}.u32 %v{{j}}, [%x1];\n"
           f"  add.u32 %o, %o, {span};\n  and.b32 %o, %o, {last};\n")
    return "".join(one.format(j=j) for j in range(ahead)) + "".join(f"  xor.b32 %sum, %sum, %v{j};\n" for j in range(ahead))


def loads(ahead, apart, kind="ca", width=4):
    """`ahead` loads, `apart` bytes from one another, then a use of each."""
    word = {4: "u32 {v}", 8: "v2.u32 {{{v}, {w}}}", 16: "v4.u32 {{{v}, {w}, {w}, {w}}}"}[width]
    out = "".join(f"  ld.global.{kind}.{word.format(v=f'%v{j}', w='%v63')}, [%base+{j * apart}];\n" for j in range(ahead))
    return out + "".join(f"  xor.b32 %sum, %sum, %v{j};\n" for j in range(ahead))


def store(width):
    return {1: "  st.global.u8 [%base], %n;\n", 2: "  st.global.u16 [%base], %n;\n", 4: "  st.global.u32 [%base], %n;\n",
            8: "  st.global.v2.u32 [%base], {%n, %n};\n", 16: "  st.global.v4.u32 [%base], {%n, %n, %n, %n};\n"}[width]


RED = "  red.global.add.u32 [%base], %n;\n" * 4


class Case:
    """A row of the GPU's table, and the launches that stand for it. `per_loop`: what the figure is per; `options`:
    further ones of weir run."""

    def __init__(self, benchmark, parameters, metric, body, offsets, loops, per_loop, warps=32, blocks=1, per_warp=0,
                 per_block=0, step=0, room=1 << 22, is_rate=False, options=(), shared=0, form=LOOP, **where):
        self.benchmark, self.parameters, self.metric, self.is_rate = benchmark, parameters, metric, is_rate
        self.body, self.offsets, self.loops, self.per_loop = body, offsets, loops, per_loop
        self.warps, self.blocks, self.room = warps, blocks, room
        self.options, self.shared, self.form = options, shared, form
        self.where = {"per_warp": per_warp, "per_block": per_block, "step": step, **where}

    def write(self, folder):
        (folder / "go.ptx").write_text(HEAD + self.form.format(body=self.body, **self.where), encoding="utf-8")
        shape = f"grid: [{self.blocks}], block: [{32 * self.warps}], shared: {self.shared}"
        launches = "".join(f"  - {{kernel: go, {shape}, args: [$data, $offsets, {n}, $out]}}\n"
                           for n in (2 * self.loops, self.loops, 2 * self.loops))
        (folder / "go.yaml").write_text(f"""weir: 1
name: go
modules: [go.ptx]
buffers:
  data: {{type: u32, count: {self.room // 4}}}
  offsets: {{type: u32, count: 32, init: {{values: {self.offsets}}}}}
  out: {{type: u32, count: 32}}
launches:
{launches}""", encoding="utf-8")
        return folder / "go.yaml"

    def time(self, args):
        with tempfile.TemporaryDirectory(prefix="micro-") as folder:
            folder = pathlib.Path(folder)
            command = [args.weir, "run", self.write(folder), "-g", args.gpu, "-q", "--no-provenance", "-j",
                       folder / "out.json", *self.options]
            for s in args.set:
                command += ["--set", s]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{self.parameters}: {done.stderr}")
            launches = json.loads((folder / "out.json").read_text(encoding="utf-8"))["runs"][0]["launches"]
        short, long = [launch["timing"]["cycles"] for launch in launches[1:]]
        per = (long - short) / self.loops / self.per_loop
        return 1 / per if self.is_rate else per


def l1_rate():
    def one(kind, width, warps, name, of):
        return Case("l1_rate", f"kind={kind} width={width} warps={warps} pattern={name}", "cyc_per_load.med",
                    loads(8, 4096, kind, width), [of(i) for i in range(32)], 32, 8 * warps, warps)

    for stride in (0, 4, 8, 16, 32, 64, 96, 128, 132, 160, 256):
        for warps in (1, 8, 32):
            yield one("ca", 4, warps, f"stride stride={stride}", lambda i: i * stride)
    for stride in (16, 32, 64, 128):
        yield one("ca", 16, 32, f"stride stride={stride}", lambda i: i * stride)
        yield one("cg", 4, 32, f"stride stride={stride}", lambda i: i * stride)
    for n in (2, 4, 8, 16, 32):
        yield one("ca", 4, 32, f"column n={n}", lambda i: i % n * 128)
        yield one("ca", 4, 32, f"diagonal n={n}", lambda i: i % n * 128 + 4 * i)


def inflight():
    shapes = {"sector": (128, lambda i: 0), "line": (128, lambda i: 4 * i), "scatter": (4096, lambda i: 128 * i)}
    for shape, (each, of) in shapes.items():
        for warps in (1, 4, 8, 16, 32):
            for ahead in (1, 4, 8, 16, 32):
                loops = max(2, min(16, (4 << 20) // (warps * ahead * each)))
                yield Case("inflight", f"kind=ca level=l2 shape={shape} warps={warps} ahead={ahead} loads={warps * ahead}",
                           "cyc_per_batch.med", loads(ahead, each), [of(i) for i in range(32)], loops, 1, warps,
                           per_warp=ahead * each, step=warps * ahead * each, room=16 << 20)


def inflight_small():
    shapes = {"sector": (128, lambda i: 0), "line": (128, lambda i: 4 * i), "scatter": (4096, lambda i: 128 * i)}
    for kind in ("ca", "cg"):
        for shape, (each, of) in shapes.items():
            for warps in (1, 8, 32):
                for ahead in (2, 8, 32):
                    loops = max(2, min(16, (4 << 20) // (warps * ahead * each)))
                    yield Case("inflight_small",
                               f"kind={kind} level=l2 shape={shape} warps={warps} ahead={ahead} loads={warps * ahead}",
                               "cyc_per_batch.med", loads(ahead, each, kind), [of(i) for i in range(32)], loops, 1, warps,
                               per_warp=ahead * each, step=warps * ahead * each, room=16 << 20, shared=226 * 1024)


def l2_spread():
    for size in (1 << 17, 1 << 20, 1 << 24):
        for stride, sectors in ((4, 4), (32, 32), (64, 32), (128, 32)):
            span = 128 if stride == 4 else 32 * stride
            for sms in (1, 16, 132):
                for order, apart in (("same", 0), ("own", 977 * span)):
                    yield Case("l2_spread", f"bytes={size} stride={stride} sms={sms} order={order}", "sectors_per_cyc.med",
                               round_loads(4, span, size - 1), [i * stride for i in range(32)], 16,
                               4 * 32 * sms * sectors, 32, sms, per_block=apart % size, room=size, is_rate=True,
                               shared=160 * 1024, form=ROUND, each=size // 32, last=size - 1)


def stores():
    def one(sms, width, name, of, span, k):
        warps, loops = 32, 8 if sms > 1 else 64
        return Case("stores", f"level=l2 sms={sms} width={width} pattern={name}", "stores_per_cyc.max", store(width),
                    [of(i) for i in range(32)], loops, warps * sms, warps, sms, per_warp=span, per_block=span * warps,
                    step=span * warps * sms, room=2 * loops * span * warps * sms + (1 << 16), is_rate=True)

    for sms in (1, 132):
        for width, strides in ((4, (4, 8, 16, 32, 64, 128)), (16, (16, 32, 64))):
            for stride in strides:
                if sms == 1 or stride <= 16:  # else more than the L2 has
                    yield one(sms, width, f"stride stride={stride}", lambda i: i * stride, 32 * stride, 1)
        for k, apart in ((8, 64), (8, 128), (2, 32), (4, 32)):
            yield one(sms, 4, f"group k={k} apart={apart}", lambda i: i // k * apart + i % k * 4, 32 // k * apart, k)


def atomics():
    scopes = {"all": (0, 0), "warp": (4096, 32 * 4096)}
    for scope, (per_warp, per_block) in scopes.items():
        for sms in (1, 132):
            for apart, counts in ((4, (1, 2, 8, 32)), (32, (8, 32)), (128, (8, 32))):
                for n in counts:
                    yield Case("atomics", f"op=red.u32 scope={scope} apart={apart} n={n} sms={sms}",
                               "lane_ops_per_cyc.max", RED, [i % n * apart for i in range(32)], 4 if sms > 1 else 8,
                               1024 * 4 * sms, 32, sms, per_warp, per_block, room=per_block * sms + (1 << 20),
                               is_rate=True)


def load_store():
    load, there = "  ld.global.cg.u32 %v0, [%base];\n", "  setp.eq.u32 %p, %v0, 0xdeadbeef;\n  @%p exit;\n"
    after = {"none": there, "same": store(4) + there, "next": store(4).replace("base", "base+32") + there,
             "after": there + store(4)}
    for level, options in (("l2", []), ("dram", ["--cold"])):
        for name, body in after.items():
            for sectors in (1, 4):
                for warps in (1, 4, 16):
                    for sms in (1, 132):
                        yield Case("load_store", f"level={level} store={name} sectors={sectors} warps={warps} sms={sms}",
                                   "cyc_per_step.med", load + body, [i % (8 * sectors) * 4 for i in range(32)], 32, 1,
                                   warps, sms, 128, 128 * warps, 128 * warps * sms, 64 * 128 * warps * sms,
                                   options=options)
        for lines in (1, 2):
            for gap in (0, 2, 4, 8, 16):
                steps = "  mad.lo.u32 %v1, %v1, %v1, 32;\n" * gap
                yield Case("load_store", f"level={level} store=same sectors=4 warps=16 sms=132 lines={lines} gap={gap}",
                           "cyc_per_step.med", load + steps + store(4).replace("%n", "%v1") + there,
                           [i * 4 * lines for i in range(32)], 32, 1, 16, 132, 128 * lines, 128 * 16 * lines,
                           128 * 16 * 132 * lines, 64 * 128 * 16 * 132 * lines, options=options)


BENCHMARKS = {"l1_rate": l1_rate, "inflight": inflight, "inflight_small": inflight_small, "l2_spread": l2_spread,
              "stores": stores, "atomics": atomics, "load_store": load_store}


def measured():
    text = subprocess.run(["zstd", "-dcq", *TABLES], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {(b, p, m): float(v) for b, p, m, v in (r for r in rows if len(r) == 4 and r[1] != "parameters")
            if m.endswith((".med", ".max"))}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gpu", default="h200")
    p.add_argument("--weir", default=ROOT / "build/weir")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("benchmarks", nargs="*", metavar="BENCHMARK")
    args = p.parse_args()
    unknown = set(args.benchmarks) - set(BENCHMARKS)
    if unknown:
        p.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    gpu = measured()
    for name in args.benchmarks or BENCHMARKS:
        cases = [c for c in BENCHMARKS[name]() if (c.benchmark, c.parameters, c.metric) in gpu]
        errors = []
        print(f"\n{name}\n{'pattern':62}{'GPU':>10}{'weir':>10}  weir/GPU")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for c, here in zip(cases, pool.map(lambda c: c.time(args), cases)):
                there = gpu[c.benchmark, c.parameters, c.metric]
                errors.append(abs(math.log(here / there)))
                print(f"{c.parameters:62}{there:10.4g}{here:10.4g}{here / there:10.2f}", flush=True)
        print(f"{len(errors)} rows, off by {100 * (math.exp(statistics.median(errors)) - 1):.1f} % in the median, "
              f"{100 * (math.exp(max(errors)) - 1):.0f} % at most")


if __name__ == "__main__":
    sys.exit(main())
