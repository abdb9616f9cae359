#!/usr/bin/env python3
"""Three designs of an L1 on one workload, through the Python module of weir.

    PYTHONPATH=$(pkg-config --variable=pythondir weir) compare.py [WORKLOAD [INPUT [MACHINE]]]
"""
import sys

import weir

SCHEMES = ("baseline", "decoupled", "pc-bypass")


def main():
    workload, given, machine = (sys.argv[1:] + ["gather", "profile", "fermi-s3"][len(sys.argv) - 1 :])[:3]
    with weir.Session(machine) as s:
        for scheme in SCHEMES:
            s.add(scheme)
        s.run(workload, input=given)
        print(f"{workload}, input {given}, on {machine} with weir {weir.version()}")
        first = s.stat("cycles", "baseline")
        print(f"{'scheme':<12} {'cycles':>10} {'speed-up':>9} {'L1 hits':>8} {'bypassed':>9}")
        for name in s.designs:
            v = s.stats(name)
            print(
                f"{name:<12} {v['cycles']:>10} {first / v['cycles']:>9.3f} "
                f"{100 * v['derived.hit_rate_stream']:>6.1f} % {100 * v['derived.bypass_rate']:>7.1f} %"
            )
        for kernel in s.kernels:
            one = s.statistic("l1.loads", kernel=kernel)
            print(f"kernel {kernel}: {one.value} {one.unit} ({one.help})")


if __name__ == "__main__":
    try:
        main()
    except weir.Error as e:
        sys.exit(f"compare: {e}")
