#!/usr/bin/env python3
"""What programs that were linked with libweir.so rely on: its functions and the structs that they pass.

    tests/compat/library.py check    the headers still have every line of library/abi-N.txt, N being the number in
                                     libweir.so.N
    tests/compat/library.py write    add what is new to library/abi-N.txt
    tests/compat/library.py show

Functions may be added, kinds of statistics that no function returns, and pointers in the place of reserved ones. Whatever else changes or goes needs another number
(weir_abi in meson.build), and then a new file.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = ("err.h", "stat.h", "sim.h", "version.h.in")
# Of stat.h only the kinds are passed; its tables are for policies (abi.py).
STRUCTS = ("weir_err", "weir_where", "weir_line_up", "weir_statistic", "weir_status", "weir_stat_kind")


def lines():
    for header in HEADERS:
        text = (ROOT / "include/weir" / header).read_text(encoding="utf-8")
        text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/|^#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.DOTALL | re.M))
        for kind, name, body in re.findall(r"\b(struct|enum) (\w+) \{([^{}]*)\}", text):
            if name in STRUCTS:
                yield f"{kind} {name} {{{body}}}"
        yield from re.findall(r"\benum \{[^{}]*\}", text)
        for declared in re.findall(r"\bWEIR_API ([^;]*?)(?: __attribute__[^;]*)?;", text):
            yield declared


def number():
    return int(re.search(r"^weir_abi = '(\d+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M).group(1))


def is_kept(line, now):
    """It is there, or as an enum with more names at its end, or as a struct in which pointers have taken reserved
    places."""
    if line.startswith("enum weir_stat_kind ") and any(other.startswith(line.removesuffix(" }") + ",") for other in now):
        return True  # others are for samples over time, and no function returns one
    reserved = re.fullmatch(r"(struct .*)const void \*reserved\[(\d+)\]; \}", line)
    if line in now or not reserved:
        return line in now
    for other in now:
        if other.startswith(reserved[1]):
            rest = re.fullmatch(r"((?:[\w ]+\*[\w *]*; )+)(?:const void \*reserved\[(\d+)\]; )?\}", other[len(reserved[1]):])
            if rest and rest[1].count(";") + int(rest[2] or 0) == int(reserved[2]):
                return True
    return False


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    file = HERE / "library" / f"abi-{number()}.txt"
    now = list(lines())
    known = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    gone = [line for line in known if not is_kept(line, now)]
    if what == "show":
        print("\n".join(now))
    elif what not in ("check", "write"):
        sys.exit(__doc__)
    elif gone:
        sys.exit("\n".join(["Programs that were built before rely on:", *gone, "Raise weir_abi in meson.build."]))
    elif what == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(known + [line for line in now if line not in known]) + "\n", encoding="utf-8")
    elif new := [line for line in now if line not in known]:
        sys.exit("\n".join(["Promised from now on, if it is meant: tests/compat/library.py write", *new]))


if __name__ == "__main__":
    main()
