#!/usr/bin/env python3
"""No two of the programs share a kernel: compares the PTX of all kernels in bin/.

    tests/cuda/programs/kernels.py PTX [--list]

PTX is the program of ptx.c. Two kernels are the same if their instructions are, whatever their registers, labels,
parameters and variables are called, and wherever their lines came from; the functions that they call count as a part of
them. --list shows what each program has.
"""
import collections
import hashlib
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# What is listed here must be so, and nothing else.
WITHOUT = {"copy_2d_3d", "properties"}  # have no kernel
SHARED = {  # programs that share kernels, all of them as they are sorted: why
    ("app_cub_blocks", "app_thrust_sales", "cub", "errors_peek", "thrust"):
        "an empty one: CUB's, which is in every program that uses it and is never launched, and that of errors_peek",
    ("app_thrust_sales", "thrust"): "Thrust's: filling, the end of a sum of long long, a step of sorting by int",
    ("cub", "thrust"): "CUB's: the preparation of a scan of int",
}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LINES = re.compile(r"^\s*\.(?:loc|file)\b[^\n]*|^\s*\.section\b[^{]*\{[^}]*\}", re.M)
FUNCTION = re.compile(r"\.(entry|func)\b\s*(?:\([^)]*\)\s*)?([\w$]+)\s*(?:\([^)]*\))?[^{};]*\{")
EXTERNAL = re.compile(r"\.extern\s+\.func\b\s*(?:\([^)]*\)\s*)?([\w$]+)")
REGISTERS = re.compile(r"\.reg\b[^;]*;")
TOKEN = re.compile(r'"[^"]*"|[%$A-Za-z_.][\w$.%]*|\d[\w.]*|\S')
SPECIAL = re.compile(r"%(?:n?tid|n?ctaid|laneid|n?warpid|n?smid|gridid|lanemask_\w+|clock\w*|pm\d+\w*|envreg\d+|"
                     r"globaltimer\w*|\w+_smem\w*|is_explicit_cluster|n?clusterid|cluster_\w+|current_graph_exec)")


class Program:
    """The functions of all modules of a program."""

    def __init__(self, texts):
        self.bodies, self.external, self.kernels, self.digests = {}, set(), set(), {}
        for text in texts:
            self.read(LINES.sub(" ", COMMENT.sub(" ", text)))

    def read(self, text):
        self.external.update(EXTERNAL.findall(text))
        for match in FUNCTION.finditer(text):
            depth, end = 1, match.end()
            while depth > 0:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            self.bodies[match.group(2)] = text[match.end():end - 1]
            if match.group(1) == "entry":
                self.kernels.add(match.group(2))

    def word(self, token, names):
        """A name by its place among the names; a function of the program by what it does."""
        name, dot, rest = token.partition(".")
        if name in self.bodies:
            return self.digest(name)
        if name in self.external or SPECIAL.fullmatch(name):
            return token
        return f"#{names.setdefault(name, len(names))}{dot}{rest}"

    def normal(self, body):
        names, out, at_start, in_guard = {}, [], True, False
        tokens = TOKEN.findall(REGISTERS.sub(" ", body))
        for token, following in zip(tokens, tokens[1:] + [""]):
            if token[0] in "%$_" or token[0].isalpha():
                is_opcode = at_start and not in_guard and following != ":"
                at_start = at_start and not is_opcode
                in_guard = False
                token = token if is_opcode else self.word(token, names)
            elif token == "@":
                in_guard = True
            elif token == ";" or token[0] == ".":
                at_start = token == ";"
            out.append(token)
        return " ".join(out)

    def digest(self, name):
        if name not in self.digests:
            self.digests[name] = "itself"  # of a function that calls itself
            self.digests[name] = hashlib.sha256(self.normal(self.bodies[name]).encode()).hexdigest()
        return self.digests[name]


def read_program(path, ptx):
    data = lzma.decompress(path.read_bytes())
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        packed = subprocess.run([ptx, file.name], capture_output=True, check=True).stdout
    texts = packed.split(b"\0")[:-1] + re.findall(rb"\.version [^\0]*", data)  # the latter for the driver API
    return Program(text.decode("utf-8", "replace") for text in texts)


def read_all(ptx):
    """The kernels of each program, by what they do; compress.cu is one program, built four times."""
    programs = collections.defaultdict(dict)
    for path in sorted((HERE / "bin").glob("*.xz")):
        name = "compress" if path.stem.startswith("compress_") else path.stem
        program = read_program(path, ptx)
        if (name in WITHOUT) != (not program.kernels):
            sys.exit(f"{name}: {len(program.kernels)} kernels were found in it")
        for kernel in program.kernels:
            programs[name].setdefault(program.digest(kernel), kernel)
    return programs


def main():
    programs = read_all(sys.argv[1])
    users = collections.defaultdict(list)
    for name, kernels in programs.items():
        for digest in kernels:
            users[digest].append(name)
    shared = {digest: tuple(names) for digest, names in users.items() if len(names) > 1}
    if "--list" in sys.argv:
        for name, kernels in programs.items():
            print(f"{name}: {', '.join(sorted(kernels.values()))}")
    bad = sorted(set(shared.values()) ^ set(SHARED))
    for names in bad:
        what = [programs[names[0]][digest] for digest, of in shared.items() if of == names]
        print(f"{', '.join(names)}: {'share ' + ', '.join(what) if what else 'are said to share a kernel, and do not'}")
    sharing = {name for names in shared.values() for name in names}
    print(f"{len(programs)} programs have {len(users)} different kernels; {len(programs) - len(sharing)} share none")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
