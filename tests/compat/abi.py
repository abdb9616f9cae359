#!/usr/bin/env python3
"""The policy contract as compiled plug-ins know it: every struct, field and constant that weir/policy.h brings with it.

    tests/compat/abi.py check CC     the headers have what policy/abi-N.txt says, N being WEIR_POLICY_ABI
    tests/compat/abi.py write        write policy/abi-N.txt for a number that has none yet, and policy/policy-N.c, a
                                     copy of the example, which must compile and run for as long as N stays
    tests/compat/abi.py show

A plug-in that was compiled against other headers is known by its number alone. So whatever changes here needs a new
WEIR_POLICY_ABI and then `abi.py write`; a file that is there is not written again. While a number has never been in a
release, delete its two files and write them anew.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
FOLDER = HERE / "policy"
EXAMPLE = HERE.parent.parent / "examples/own-policy/pc_streak.c"


def own(compiler):
    """What the preprocessor makes of weir's own headers, in one line, and their paths."""
    done = subprocess.run([*compiler, "-std=gnu11", "-E", "-I", str(INCLUDE), "-x", "c", "-"], check=True, text=True,
                          capture_output=True, input='#include "weir/policy.h"\n')
    lines, paths, path = [], [], ""
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = marker.group(1)
        elif path.startswith(str(INCLUDE)):
            lines.append(line)
            if path not in paths:
                paths.append(path)
    return re.sub(r"\s+", " ", " ".join(lines)), paths


def fields(declaration):
    """Of `int a, *b[2]`: a with `int a`, b with `int *b[2]`; of `int (*f)(int)`: f."""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
    if pointer:
        return [(pointer.group(1), declaration)]
    parts = declaration.split(",")
    kind = re.match(r"(.*?)\**\w+\s*(?:\[[^]]*\]\s*)*$", parts[0]).group(1)
    parts = [parts[0]] + [kind + part.strip() for part in parts[1:]]
    return [(re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*$", part).group(1), part) for part in parts]


def structs(text):
    for found in re.finditer(r"\b((?:struct|union) \w+) \{([^{}]*)\}", text):
        yield found.group(1), [part.strip() for part in found.group(2).split(";") if part.strip()]


def constants(text):
    for found in re.finditer(r"\benum (?:\w+ )?\{([^{}]*)\}", text):
        yield from re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"=[^,]*", "", found.group(1)))


def macros(path):
    """Those that are numbers."""
    text = pathlib.Path(path).read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(r"^#define (WEIR_\w+) +\(?(?:\d|U?INT\d+_)", text, flags=re.M)


def program(compiler):
    """C that prints the table."""
    text, paths = own(compiler)
    out = ["#include <stdio.h>", "#include <inttypes.h>", '#include "weir/policy.h"', "int main(void) {"]
    for struct, declarations in structs(text):
        out.append(f'printf("{struct}: %zu bytes\\n", sizeof({struct}));')
        for name, declaration in [field for one in declarations for field in fields(one)]:
            out.append(f'printf("  %4zu  {declaration}\\n", offsetof({struct}, {name}));')
    for constant in [*constants(text), *(macro for path in paths for macro in macros(path))]:
        out.append(f'printf("{constant} = %" PRId64 "\\n", (int64_t)({constant}));')
    return "\n".join(out + ["return 0; }", ""])


def table(compiler):
    with tempfile.TemporaryDirectory() as scratch:
        source, binary = pathlib.Path(scratch, "abi.c"), pathlib.Path(scratch, "abi")
        source.write_text(program(compiler), encoding="utf-8")
        subprocess.run([*compiler, "-std=gnu11", "-w", "-I", str(INCLUDE), "-o", str(binary), str(source)], check=True)
        return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout


def number():
    text = (INCLUDE / "weir/policy.h").read_text(encoding="utf-8")
    return int(re.search(r"^#define WEIR_POLICY_ABI +(\d+)", text, flags=re.M).group(1))


def check(actual, file):
    if not file.exists():
        sys.exit(f"{file} is not there: the contract has a new number; run tests/compat/abi.py write")
    expected = file.read_text(encoding="utf-8")
    if actual != expected:
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True),
                                                   str(file.name), "the headers"))
        sys.exit("The contract is another one, and plug-ins compiled before would not notice: raise WEIR_POLICY_ABI,\n"
                 "then run tests/compat/abi.py write.")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what not in ("check", "write", "show"):
        sys.exit(__doc__)
    actual = table(sys.argv[2:] or [os.environ.get("CC", "cc")])
    file = FOLDER / f"abi-{number()}.txt"
    if what == "show":
        print(actual, end="")
    elif what == "check":
        check(actual, file)
    elif file.exists() and file.read_text(encoding="utf-8") != actual:
        sys.exit(f"{file.name} says otherwise: raise WEIR_POLICY_ABI. If {number()} has never been in a release,\n"
                 f"delete {file} and its policy, and write again.")
    else:
        file.write_text(actual, encoding="utf-8")
        shutil.copy(EXAMPLE, FOLDER / f"policy-{number()}.c")


if __name__ == "__main__":
    main()
