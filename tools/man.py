#!/usr/bin/env python3
"""Writes the manual page weir(1) from what the program says about itself: man.py PROGRAM VERSION > weir.1"""
import re
import subprocess
import sys


def say(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def roff(text):
    """Plain text of one or several lines, of which none is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def options(lines):
    """Rows of `  -x, --name ARG   help`, with more help below."""
    out = []
    for line in lines:
        row = re.match(r"  (-\w, |    )(--[\w-]+(?: \S+)?)(?:  +(.*))?$", line)
        if row:
            letter = row.group(1).strip()
            out += [".TP", f"\\fB{roff((letter + ' ' if letter else '') + row.group(2))}\\fR", roff(row.group(3) or "")]
        else:
            out.append(roff(line.strip()))
    return [line for line in out if line]


def verbatim(lines):
    return [".nf", *(roff(line.strip()) or "" for line in lines), ".fi"]


def command(name):
    """Its help: paragraphs, of which the first has the usage; options; examples."""
    out = [f".SS weir {name}"]
    for number, block in enumerate(re.split(r"\n\n+", say("help", name).strip("\n"))):
        lines = block.split("\n")
        if number == 0:
            out += verbatim([re.sub(r"^Usage: ", "", line) for line in lines])
        elif lines[0] == "Options:":
            out += options(lines[1:])
        elif lines[0] == "Examples:":
            out += [".PP", "Examples:", *verbatim(lines[1:])]
        elif any(line.startswith(" ") for line in lines):
            out += [".PP", *verbatim(lines)]
        else:
            out += [".PP", roff(block)]
    return out


def main():
    about, *rest = say("--help").split("\n\n")
    listed = next(block for block in rest if block.startswith("Commands:"))
    commands = re.findall(r"^  ([\w-]+)  +(.*)$", listed, flags=re.M)
    codes = re.search(r"Exit codes: +(.*)", rest[-1]).group(1)
    out = [f'.TH WEIR 1 "" "weir {sys.argv[2]}" "User Commands"', ".SH NAME",
           "weir \\- simulate the memory hierarchy of a GPU", ".SH SYNOPSIS",
           "\\fBweir\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...", ".SH DESCRIPTION", roff(about)]
    for name, help_text in commands:
        out += [".TP", f"\\fB{roff(name)}\\fR", roff(help_text)]
    out.append(".SH COMMANDS")
    for name, _ in commands:
        out += command(name)
    out += [".SH EXIT STATUS", roff(codes + "; 128 + n if signal n ended it."), ".SH ENVIRONMENT",
            ".TP", "\\fBWEIR_DATA\\fR", "folder of workloads, machines and schemes",
            ".TP", "\\fBWEIR_CACHE\\fR", "folder where classifications are kept; empty: nowhere"]
    print("\n".join(out))


if __name__ == "__main__":
    main()
