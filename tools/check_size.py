#!/usr/bin/env python3
"""Checks that no C file below src has more than 800 lines, and no function more than 80, its head and braces included.

    tools/check_size.py [--list] [ROOT]     --list prints all that is larger, as the rows of LARGER

Tables belong into .def and .inc files, which may be of any length.
"""
import pathlib
import re
import sys

import c_text

FILE_LINES, FUNCTION_LINES = 800, 80
# What is larger today, with its lines: a row may only become smaller, and goes when it is not needed any more.
LARGER = {
}
FUNCTION = re.compile(r"^(?=\S)(?!(?:struct|union|enum|typedef)\b[^()]*\{)(?:[^\n;{}#]|\n(?!\n))*\)[^\n;{}=()]*\{[^\n]*$",
                      re.MULTILINE)
NAME = re.compile(r"(\w+)\s*\(")


def without_directives(text):
    """Blank lines for directives, with those that continue them."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.MULTILINE)


def functions(text):
    """(name, lines) of each function definition; its closing brace is the first one in column 0."""
    text = without_directives(c_text.blank(text))
    at = 0
    while (head := FUNCTION.search(text, at)) is not None:
        at = head.end()
        end = re.compile(r"^\}", re.MULTILINE).search(text, head.start())
        name = NAME.search(re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head.group(), flags=re.DOTALL))
        if end is None or name is None:
            continue
        at = max(at, end.end())
        yield name.group(1), text.count("\n", head.start(), end.start()) + 1


def sizes(root):
    """{what: (lines, limit)} of each file and each function."""
    out = {}
    for file in sorted((root / "src").rglob("*.[ch]")):
        name = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8", errors="replace")
        out[name] = (text.count("\n"), FILE_LINES)
        for function, lines in functions(text):
            what = f"{name}:{function}"
            out[what] = (max(lines, out.get(what, (0,))[0]), FUNCTION_LINES)
    return out


def problems(root, larger=None):
    larger = LARGER if larger is None else larger
    found = sizes(root)
    for what, (lines, limit) in found.items():
        allowed = larger.get(what, limit)
        if lines > allowed:
            yield f"{what}: {lines} lines, more than {allowed}"
    for what in larger:
        lines, limit = found.get(what, (0, 0))
        if lines <= limit:
            yield f"{what} is not larger than {limit} lines any more: take its row out of tools/check_size.py"


def main():
    args = [a for a in sys.argv[1:] if a != "--list"]
    root = pathlib.Path(args[0] if args else pathlib.Path(__file__).parent.parent)
    if "--list" in sys.argv:
        for what, (lines, limit) in sizes(root).items():
            if lines > limit:
                print(f'    "{what}": {lines},')
        return
    found = list(problems(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
