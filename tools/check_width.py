#!/usr/bin/env python3
"""Checks that no line of a Markdown page is wider than 120 columns.

    tools/check_width.py [--fix] [FILE...]      default: every page that git tracks; --fix wraps paragraphs anew

Rows of tables may be wider, since they cannot be broken, and so may what a program prints (in code, below a line that
begins with "$ ", or from one on that begins with "weir: ") and a line that has no blank to break it at. --fix touches only paragraphs and list items that have a
line that is too wide, and leaves code, tables and headings alone.
"""
import pathlib
import re
import subprocess
import sys

WIDTH = 120
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
# A line that began so would be another thing than text.
STARTS_BLOCK = re.compile(r"^(?:[-*+>|]|\d+[.)]|#{1,6}|```.*|~~~.*|=+)$")
# Blanks between words, but not those in a short piece of code or in the address of a link.
WORD = re.compile(r"(?:`[^`]{1,60}`|\]\([^)\s]*\)|\S)+")


def is_too_wide(line):
    return len(line) > WIDTH and not line.lstrip().startswith("|") and len(line.split()) > 1


def pieces(lines):
    """(kind, lines): 'text' is a paragraph or one list item, 'other' is never touched."""
    out, fence = [], None
    for line in lines:
        mark = re.match(r"^\s*(```|~~~)", line)
        if fence or mark:
            fence = None if fence and mark and mark.group(1) == fence else fence or mark.group(1)
            out.append(("other", [line]))
        elif not line.strip() or re.match(r"\s*(\||#|<!--|>)", line) or re.match(r"^\[[^]]+\]: ", line):
            out.append(("other", [line]))
        elif ITEM.match(line):
            out.append(("text", [line]))
        elif out and out[-1][0] == "text":
            out[-1][1].append(line)
        elif line.startswith("    "):
            out.append(("other", [line]))  # code, since it continues no paragraph
        else:
            out.append(("text", [line]))
    return out


def wrap(lines):
    """The lines of a paragraph or a list item, filled up to WIDTH."""
    item = ITEM.match(lines[0])
    first = item.group() if item else re.match(r"\s*", lines[0]).group()
    rest = " " * len(first)
    words = []
    for word in WORD.findall(" ".join([lines[0][len(first):]] + lines[1:])):
        if words and STARTS_BLOCK.match(word):
            words[-1] += " " + word  # stays behind the one before it
        else:
            words.append(word)
    out, line = [], first + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) <= WIDTH:
            line += " " + word
        else:
            out.append(line)
            line = rest + word
    return out + [line]


def fixed(text):
    out = []
    for kind, lines in pieces(text.split("\n")):
        breaks = any(line.endswith("  ") or line.endswith("\\") for line in lines[:-1])
        touch = kind == "text" and not breaks and any(map(is_too_wide, lines))
        out += wrap(lines) if touch else lines
    return "\n".join(out)


def printed(lines):
    """For each line: a program prints it."""
    out, is_output, fence = [], False, False
    for line in lines:
        if line.startswith("```"):
            fence = not fence
            is_output = False
        elif not fence and line.strip() and not line.startswith("    "):
            is_output = False
        start = re.match(r"\s*(\$|weir:) (?!\d+$)", line) if fence or line.startswith("    ") else None
        is_output |= start is not None
        out.append(is_output and not (start and start.group(1) == "$"))
    return out


def problems(name, text):
    lines = text.split("\n")
    for number, (line, is_output) in enumerate(zip(lines, printed(lines)), 1):
        if is_too_wide(line) and not is_output:
            yield f"{name}:{number}: {len(line)} columns, more than {WIDTH}; tools/check_width.py --fix wraps text"


def tracked():
    root = pathlib.Path(__file__).resolve().parent.parent
    names = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=root, capture_output=True, text=True, check=True)
    return [root / name for name in names.stdout.split("\0") if name]


def main():
    args = [a for a in sys.argv[1:] if a != "--fix"]
    found = []
    for file in map(pathlib.Path, args or tracked()):
        text = file.read_text(encoding="utf-8")
        if "--fix" in sys.argv and fixed(text) != text:
            text = fixed(text)
            file.write_text(text, encoding="utf-8")
        found += problems(file, text)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
