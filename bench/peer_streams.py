#!/usr/bin/env python3
"""Streams that the mechanisms of GPGPU-Sim 4 slow down: each is made for one of them, as Accel-Sim traces.

    bench/peer_streams.py OUT                     write the traces
    bench/peer_streams.py OUT WEIR [KEY=VALUE...] and time them on v100-cfg, without and with the settings
"""
import json
import subprocess
import sys
from pathlib import Path

HEAD = """-kernel name = {name}
-kernel id = 1
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = {shared}
-nregs = 20
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0100000000
-nvbit version = 1.7
-accelsim tracer version = 4
-enable lineinfo = 0

"""
IN, OUT, BINS = 0x7E0000000000, 0x7E4000000000, 0x7E8000000000
ALL = "ffffffff"


def op(pc, text, dst=None, src=()):
    regs = "".join(f"R{r} " for r in src)
    return f"{pc:04x} {ALL} {'0' if dst is None else f'1 R{dst}'} {text} {len(src)} {regs}0 0"


def access(pc, text, base, stride, dst=None, src=(), width=4):
    regs = "".join(f"R{r} " for r in src)
    return f"{pc:04x} {ALL} {'0' if dst is None else f'1 R{dst}'} {text} {len(src)} {regs}{width} 1 {base:#x} {stride} 0"


def fill(warp):
    """Stores only: a line after the other, nothing is read."""
    return [access(0x10, "STG.E.SYS", OUT + (k * 8192 + warp) * 128, 4, src=(2, 3)) for k in range(8)]


def scatter(warp):
    """Stores of 32 lanes to 32 slices' lines, and loads that queue up behind them."""
    lines = []
    for k in range(4):
        lines.append(access(0x10, "LDG.E.SYS", IN + (k * 8192 + warp) * 128, 4, dst=4, src=(2,)))
        lines.append(access(0x20, "STG.E.SYS", OUT + (warp * 4 + k) * 4, 2048, src=(5, 4)))
    return lines


def count(warp):
    """Atomics without a result to a few lines that all warps share."""
    return [access(0x10, "RED.E.ADD.STRONG.GPU", BINS + (warp + k) % 16 * 128, 4, src=(2, 3)) for k in range(4)]


def tree(warp):
    """A reduction in shared memory: each step needs the one before."""
    lines = [access(0x10, "LDG.E.SYS", IN + warp * 128, 4, dst=4, src=(2,))]
    for _ in range(24):
        lines += [access(0x20, "STS", warp % 8 * 128, 4, src=(5, 4)),
                  access(0x30, "LDS.U", warp % 8 * 128, 4, dst=6, src=(5,)),
                  op(0x40, "FADD", 4, (4, 6)), op(0x50, "BRA")]
    return lines


def doubles(warp):
    """A polynomial in double precision: a chain of DFMA."""
    lines = [access(0x10, "LDG.E.64.SYS", IN + warp * 256, 8, dst=4, src=(2,), width=8)]
    lines += [op(0x20, "DFMA", 6, (6, 4, 8)) for _ in range(48)]
    return lines + [access(0x30, "STG.E.64.SYS", OUT + warp * 256, 8, src=(2, 6), width=8)]


STREAMS = {"fill": (fill, 512), "scatter": (scatter, 160), "count": (count, 160), "tree": (tree, 160),
           "doubles": (doubles, 160)}


def write(out, name):
    body, blocks = STREAMS[name]
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    text = [HEAD.format(name=name, blocks=blocks, threads=256, shared=1024 if name == "tree" else 0)]
    for block in range(blocks):
        text.append(f"#BEGIN_TB\n\nthread block = {block},0,0\n\n")
        for warp in range(8):
            lines = body(block * 8 + warp) + [op(0xf0, "EXIT")]
            text.append(f"warp = {warp}\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n\n")
        text.append("#END_TB\n\n")
    (folder / "kernel-1.traceg").write_text("".join(text))
    (folder / "kernelslist.g").write_text("kernel-1.traceg\n")


def cycles(weir, out, name, settings):
    more = [word for s in settings for word in ("-s", s)]
    run = subprocess.run([weir, "replay", str(out / name / "kernelslist.g"), "-g", "v100-cfg", "--check", "-j", "-"] +
                         more, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["kernels"][0]["timing"]["cycles"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, weir, settings = Path(sys.argv[1]), sys.argv[2:3], sys.argv[3:]
    for name in STREAMS:
        write(out, name)
        if weir:
            before, after = cycles(weir[0], out, name, []), cycles(weir[0], out, name, settings)
            print(f"{name:8s} {before:8d} {after:8d} {100 * (after / before - 1):+6.1f} %")


if __name__ == "__main__":
    main()
