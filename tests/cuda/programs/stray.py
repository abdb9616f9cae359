#!/usr/bin/env python3
"""Programs whose accesses miss their allocations: what weir reports, and what --memcheck makes of them.

    tests/cuda/programs/stray.py FOLDER WEIR [--preload LIBRARY]

FOLDER holds the stand-ins (build/cuda), WEIR is the program. Addresses are the same in every run.
"""
import argparse
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 120

STENCIL = """\
weir: 2 accesses of 2 instructions missed their allocation; a GPU does not notice, and the program went on
  oob_stencil: load of 4 bytes at global address 0x20000a0001fc, 4 bytes before 'cudaMalloc #2' (0x20000a000200, 4000 bytes)
    kernel smooth, block (0,0,0), thread (0,0,0)
    instruction: ld.global.f32 %f1, [%rd6+-4];  (oob_stencil#1.ptx:46, source /tmp/weir_programs/oob_stencil.cu:7)
  oob_stencil: load of 4 bytes at global address 0x20000a0011a0, just past the end of 'cudaMalloc #2' (0x20000a000200, 4000 bytes)
    kernel smooth, block (3,0,0), thread (231,0,0)
    instruction: ld.global.f32 %f5, [%rd6+4];  (oob_stencil#1.ptx:50, source /tmp/weir_programs/oob_stencil.cu:7)
  remedy: --memcheck ends a kernel with its first such access
"""
NEIGHBOURS = """\
weir: 2 accesses of 1 instruction missed their allocation; a GPU does not notice, and the program went on
  oob_neighbours: store of 4 bytes at global address 0x20000a000200, just past the end of 'cudaMalloc #1' (0x20000a000000, 512 bytes), inside 'cudaMalloc #2' (0x20000a000200, 512 bytes), at byte 0
    kernel scatter, block (0,0,0), thread (2,0,0)
    instruction: st.global.u32 [%rd8], %r4;  (oob_neighbours#1.ptx:41)
    2 such accesses
  remedy: --memcheck ends a kernel with its first such access
"""


class Tests:
    def __init__(self, args, scratch):
        self.weir = os.path.abspath(args.weir)
        self.scratch = pathlib.Path(scratch)
        self.libraries = os.path.abspath(args.folder)
        self.env = dict(os.environ, WEIR_CUDA=self.libraries, LC_ALL="C")
        self.env.pop("WEIR_SOCKET", None)
        if args.preload:
            self.env.update(LD_PRELOAD=args.preload,
                            ASAN_OPTIONS=self.env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        self.failed = 0

    def program(self, name):
        path = self.scratch / name
        if not path.exists():
            path.write_bytes(lzma.decompress((HERE / "bin" / f"{name}.xz").read_bytes()))
            path.chmod(0o755)
        return f"./{name}"

    def run(self, command, env=None):
        return subprocess.run(command, cwd=self.scratch, env=env or self.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False)

    def expect(self, what, good, shown):
        if not good:
            self.failed += 1
            print(f"not so: {what}\n{shown}")

    def weir_run(self, name, *options):
        return self.run([self.weir, *options, "--", self.program(name)])

    def reports(self):
        done = self.weir_run("oob_stencil", "run", "--functional", "--json", "out.json")
        self.expect("the stencil's report", STENCIL in done.stderr and done.returncode == 0, done.stderr)
        strays = json.loads((self.scratch / "out.json").read_text())["runs"][0]["stray_accesses"]
        self.expect("two instructions in the JSON",
                    [(s["kernel"], s["count"], s["address"], s["in_another_allocation"]) for s in strays] ==
                    [("_Z6smoothPKfPfi", 1, 0x20000a0001fc, False), ("_Z6smoothPKfPfi", 1, 0x20000a0011a0, False)],
                    json.dumps(strays, indent=1))
        timed = self.weir_run("oob_stencil", "run")
        self.expect("the same report of a timed run", STENCIL in timed.stderr, timed.stderr)
        # A store that damages another allocation is told in any case; other misses are not errors.
        done = self.weir_run("oob_neighbours", "run", "--functional", "-q")
        self.expect("a store into a neighbour, also with -q", done.stderr == NEIGHBOURS, done.stderr)
        done = self.weir_run("oob_stencil", "run", "--functional", "-q")
        self.expect("nothing else with -q", done.stderr == "" and done.returncode == 0, done.stderr)
        done = self.weir_run("oob_texture", "run", "--functional")
        self.expect("no word of texels that a texture does not have", "missed" not in done.stderr, done.stderr)
        done = self.weir_run("oob_atomic_bin", "run", "--functional")
        self.expect("all launches' accesses are counted",
                    "1,690 accesses of 4 instructions missed" in done.stderr and
                    "1,687 such accesses" in done.stderr, done.stderr)

    def good_programs(self):
        """Pointers from malloc, from memory, to ends of arrays, and of libraries: nobody is accused."""
        for name in ("app_device_tree", "app_managed_list", "cp_async", "device_malloc", "function_pointers", "thrust",
                     "virtual_functions"):
            done = self.weir_run(name, "run", "--functional", "--memcheck")
            self.expect(f"--memcheck of {name}, which is good", done.returncode == 0, done.stderr)

    def other_commands(self):
        for command in (("record", "-o", "t.wtrace"), ("compare", "-S", "baseline"), ("classify",)):
            done = self.weir_run("oob_stencil", *command)
            self.expect(f"{command[0]} reports, too", STENCIL in done.stderr and done.returncode == 0, done.stderr)
            done = self.weir_run("oob_stencil", *command, "--memcheck")
            self.expect(f"{command[0]} --memcheck", "out of bounds: load of 4 bytes" in done.stderr and
                        done.returncode == 1, done.stderr)

    def memcheck(self):
        done = self.weir_run("oob_stencil", "run", "--functional", "--memcheck")
        self.expect("--memcheck: a fault, which the program sees, and exit 1",
                    "cudaDeviceSynchronize(): cudaErrorIllegalAddress" in done.stdout and
                    "out of bounds: load of 4 bytes at global address 0x20000a0001fc, 4 bytes before" in done.stderr and
                    "missed" not in done.stderr and done.returncode == 1, done.stdout + done.stderr)
        done = self.weir_run("oob_far", "run", "--functional", "--memcheck")
        self.expect("exit 1 where the program itself ends with 0", done.returncode == 1, done.stderr)
        done = self.weir_run("oob_far", "run", "--functional")
        self.expect("without --memcheck the exit code is the program's", done.returncode == 0, done.stderr)
        done = self.weir_run("oob_neighbours", "run", "--functional", "--memcheck")
        self.expect("--memcheck: a fault in another allocation",
                    "inside 'cudaMalloc #2'" in done.stderr and done.returncode == 1, done.stderr)

    def alone(self):
        """Without weir the message comes once for each instruction, from the library."""
        env = dict(self.env, LD_LIBRARY_PATH=self.libraries)
        done = self.run([self.program("oob_shared")], env)
        self.expect("messages without weir", done.stderr.count("outside of allocations; the program goes on") == 2 and
                    "store of 4 bytes at shared address 0xd0, but a block has 208 bytes" in done.stderr, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("weir")
    parser.add_argument("--preload")
    with tempfile.TemporaryDirectory() as scratch:
        tests = Tests(parser.parse_args(), scratch)
        tests.reports()
        tests.good_programs()
        tests.other_commands()
        tests.memcheck()
        tests.alone()
        sys.exit(1 if tests.failed else 0)


if __name__ == "__main__":
    main()
