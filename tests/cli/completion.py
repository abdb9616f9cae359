#!/usr/bin/env python3
"""What a shell completes: completion.py PROGRAM SOURCE

The script for bash is loaded by bash, and asked as the shell would ask it; those for zsh and fish are read by their
shells where they are installed.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASES = [  # what is typed, what must be offered, what must not
    ("weir ", ["run", "compare", "reproduce", "--help"], ["docs"]),
    ("weir rep", ["replay", "reproduce"], ["run"]),
    ("weir run sp", ["spmv", "spmv-vector"], ["gather"]),
    ("weir run spmv --g", ["--gpu"], ["--input"]),
    ("weir run spmv --gpu fermi-s3", ["fermi-s3", "fermi-s3-v0"], ["v100"]),
    ("weir run spmv -g h", ["h200"], ["v100"]),
    ("weir compare spmv --schemes baseline,dec", ["baseline,decoupled"], ["decoupled", "baseline,tsc"]),
    ("weir run spmv --set l1.si", ["l1.size="], ["l1.ways="]),
    ("weir run spmv --input p", ["profile"], ["eval"]),
    ("weir reproduce s", ["s0", "s4"], ["spmv"]),
    ("weir list g", ["gpus"], ["schemes"]),
    ("weir help com", ["compare"], ["run"]),
    ("weir run -- ./prog --g", [], ["--gpu"]),
]
ASK = r'''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_weir 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
'''


def main():
    weir, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        texts = {}
        for shell in ("bash", "zsh", "fish"):
            texts[shell] = pathlib.Path(scratch) / shell
            texts[shell].write_text(subprocess.run([source / "tools/completion/completion.py", weir, shell], check=True, capture_output=True,
                                                   text=True).stdout)
        for typed, wanted, unwanted in CASES:
            words = [str(weir)] + typed.split(" ")[1:]
            offered = subprocess.run(["bash", "-c", ASK, "bash", texts["bash"], *words], check=True, capture_output=True,
                                     text=True).stdout.split("\n")
            wrong = [w for w in wanted if w not in offered] + [w for w in unwanted if w in offered]
            if wrong:
                failed += 1
                print(f"'{typed}': wrong are {wrong}; offered {offered[:20]}")
        for shell in ("zsh", "fish"):
            if shutil.which(shell) and subprocess.run([shell, "-n", texts[shell]], check=False).returncode != 0:
                failed += 1
    print(f"{len(CASES)} lines, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
