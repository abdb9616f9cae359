#!/usr/bin/env python3
"""What launches prefer between L1 and shared memory arrives at the simulated machine, and stays in traces.

    tests/cuda/carveout.py WEIR FOLDER [--preload LIBRARY]

FOLDER holds the stand-ins (build/cuda). The programs launch kernels with preferences of each kind, in an order that is known here; `l1.bytes` of
each launch must be what the smallest carveout leaves that holds what is preferred and a block, or without preference all blocks; on an
H200 also what the system takes, and the size that its driver adds.
"""
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KIB = 1024
CARVEOUTS = {"h200": [0, 8, 16, 32, 64, 100, 132, 164, 196, 228], "v100": [0, 8, 16, 32, 64, 96]}
ARRAY = {"h200": 256, "v100": 128}
# Percent, or None, and the bytes that a block asks for; blocks of 256, 128 and 96 threads.
VALUES = [0, 1, 50, 99, 100, None, 33, 33, 33, 33]
LAUNCHES = {
    "rt_carveout": [(percent, dynamic, 256) for percent in VALUES for dynamic in (1024, 40000)],
    # Of the device and of the kernel; what is no configuration changes nothing.
    "rt_cache_config": [(percent, 512, 128) for percent in (None, 100, 0, 50, 50, 50)],
    # Those that are refused are not launched; the last is a node of a graph.
    "rt_launch_carveout": [(percent, 384, 96) for percent in (0, 25, 100, 100)],
}
ROOM = {"h200": (2048, 32, 228), "v100": (2048, 32, 96)}  # threads, blocks and KiB of shared memory of an SM
SYSTEM = {"h200": 1024, "v100": 0}  # bytes of each block
NOBODY = {"h200": 7, "v100": 0}  # KiB of the array


def expected(gpu, percent, own, threads):
    most_threads, most_blocks, most_shared = ROOM[gpu]
    sizes = [size * KIB for size in CARVEOUTS[gpu]]
    room, shared = most_shared * KIB, own + SYSTEM[gpu]
    preferred = 0
    if percent is not None:
        preferred = min(size for size in sizes if size >= -(-sizes[-1] * percent // 100))
        room = min(room, max(preferred, min(size for size in sizes if size >= shared)))
    blocks = min(most_blocks, most_threads // threads, room // -(-shared // 128 * 128))
    taken = min(size for size in sizes if size >= max(blocks * shared, preferred))
    if gpu == "h200" and percent is None and 4 <= blocks <= 16 and taken <= 100 * KIB:
        taken = min(size for size in sizes if size > taken)
    return (ARRAY[gpu] - NOBODY[gpu]) * KIB - taken


def run(command, scratch, env):
    done = subprocess.run(command, cwd=scratch, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")


def sizes_in(file):
    return [launch["timing"]["l1"]["bytes"] for launch in json.loads(file.read_text())["runs"][0]["launches"]]


def main():
    weir, folder = map(os.path.abspath, sys.argv[1:3])
    env = dict(os.environ, WEIR_CUDA=folder, LC_ALL="C")
    if "--preload" in sys.argv:
        env.update(LD_PRELOAD=sys.argv[-1], ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out.json")
        for name, launches in LAUNCHES.items():
            program = pathlib.Path(scratch, name)
            program.write_bytes(lzma.decompress((HERE / "programs" / "bin" / f"{name}.xz").read_bytes()))
            program.chmod(0o755)
            for gpu in CARVEOUTS:
                wanted = [expected(gpu, *launch) for launch in launches]
                run([weir, "run", "--gpu", gpu, "--json", out, "--", program], scratch, env)
                if sizes_in(out) != wanted:
                    sys.exit(f"{name} on {gpu}:\n{sizes_in(out)}, not\n{wanted}")
            # A machine whose L1 has a size of its own.
            run([weir, "run", "--gpu", "fermi-s3", "--json", out, "--", program], scratch, env)
            if len(set(sizes_in(out))) != 1:
                sys.exit(f"{name} on fermi-s3: {sizes_in(out)}")
        # The trace of the last program.
        run([weir, "record", "--gpu", "h200", "-o", "a.wtrace", "--", program], scratch, env)
        run([weir, "replay", "--gpu", "h200", "--json", out, "a.wtrace"], scratch, env)
        wanted = [expected("h200", *launch) for launch in LAUNCHES[name]]
        got = [kernel["timing"]["l1"]["bytes"] for kernel in json.loads(out.read_text())["kernels"]]
        if got != wanted:
            sys.exit(f"replayed: {got}, not\n{wanted}")


if __name__ == "__main__":
    main()
