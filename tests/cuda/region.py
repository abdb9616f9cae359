#!/usr/bin/env python3
"""Which launches --profiler-region takes: those between cudaProfilerStart and cudaProfilerStop, of either library.

    tests/cuda/region.py WEIR FOLDER [--preload LIBRARY]

FOLDER holds the stand-ins (build/cuda). The program is this file, with 'program' as its argument.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
"""


def program():
    """Launches 1 to 8; 2, 3 and 5 are in a region of the driver, 7 is in one of the runtime."""
    cuda, cudart = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libcudart.so.13")
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()

    def check(code):
        if code != 0:
            sys.exit(f"error {code}")

    def launch(n=1):
        for _ in range(n):
            check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None))

    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"nothing"))
    launch()
    check(cuda.cuProfilerStart())
    launch(2)
    check(cuda.cuProfilerStop())
    launch()
    check(cuda.cuProfilerStart())
    check(cuda.cuProfilerStart())
    launch()
    check(cuda.cuProfilerStop())
    check(cuda.cuProfilerStop())
    launch()
    check(cudart.cudaProfilerStart())
    launch()
    check(cudart.cudaProfilerStop())
    launch()
    check(cuda.cuCtxSynchronize())


def main():
    weir, folder = map(os.path.abspath, sys.argv[1:3])
    env = dict(os.environ, WEIR_CUDA=folder, LC_ALL="C")
    if "--preload" in sys.argv:
        env.update(LD_PRELOAD=sys.argv[-1], ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    with tempfile.TemporaryDirectory() as scratch:
        for options, wanted in (([], [1, 2, 3, 4, 5, 6, 7, 8]), (["--profiler-region"], [2, 3, 5, 7]),
                                (["--profiler-region", "--skip", "1", "--count", "2"], [3, 5])):
            out = os.path.join(scratch, "out.json")
            command = [weir, "run", "--gpu", "fermi-s3", *options, "--json", out, "--", sys.executable, __file__, "program"]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
            with open(out, encoding="utf-8") as f:
                got = [launch["launch"] for launch in json.load(f)["runs"][0]["launches"]]
            if got != wanted:
                sys.exit(f"{options}: launches {got} were timed, not {wanted}\n{done.stderr}")


if __name__ == "__main__":
    if sys.argv[1:] == ["program"]:
        program()
    else:
        main()
