#!/usr/bin/env python3
"""Writes the manual pages weir(1) and weir-COMMAND(1) from what the program says about itself.

man.py PROGRAM VERSION FOLDER [PAGE...]   PAGE: the files that are expected, no more and no fewer
"""
import pathlib
import re
import subprocess
import sys

ENVIRONMENT = [("WEIR_DATA", "folder of workloads, machines, schemes and papers"),
               ("WEIR_CACHE", "folder where classifications are kept; empty: nowhere"),
               ("COLUMNS", "on a terminal: how wide it is, if that is to be another width than its own"),
               ("NO_COLOR, TERM", "no colours where NO_COLOR is anything, or TERM is dumb or nothing; \\-\\-color is stronger")]


def say(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def roff(text):
    """Plain text of one or several lines, of which none is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join("\\&" + line if line[:1] in (".", "\\(aq") else line for line in text.splitlines())


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
    return [".nf", *(roff(line.strip()) or ".sp" for line in lines), ".fi"]


def blocks(text):
    return re.split(r"\n\n+", text.strip("\n"))


def head(name, about, version):
    return [f'.TH {name.upper()} 1 "" "weir {version}" "User Commands"', ".nh", ".ad l", ".SH NAME", f"{roff(name)} \\- {roff(about)}"]


def see_also(names):
    return [".SH SEE ALSO"] + [f".BR {roff(n)} (1)" + ("," if n != names[-1] else "") for n in names]


def command(name, about, version, others):
    """Its help: paragraphs, of which the first has the usage; options; examples."""
    out = head(f"weir-{name}", about, version)
    is_text = False
    for number, block in enumerate(blocks(say("help", name))):
        lines = block.split("\n")
        is_section = lines[0] in ("Options:", "Examples:")
        if number > 0 and not is_text and not is_section:
            out.append(".SH DESCRIPTION")
        elif number > 0 and not is_section:
            out.append(".PP")
        is_text = number > 0
        if number == 0:
            out += [".SH SYNOPSIS", *verbatim([re.sub(r"^Usage: ", "", line) for line in lines])]
        elif lines[0] == "Options:":
            out += [".SH OPTIONS", *options(lines[1:])]
        elif lines[0] == "Examples:":
            out += [".SH EXAMPLES", *verbatim(lines[1:])]
        elif any(line.startswith(" ") for line in lines):
            out += verbatim(lines)
        else:
            out.append(roff(block))
    return out + [".SH EXIT STATUS", "As of", ".BR weir (1).", *see_also(["weir", *others])]


def overview(groups, version):
    """What `weir --help` says, in a manual's order."""
    parts = blocks(say("--help"))
    about = parts[0]
    rows = next(p for p in parts if p.startswith("Options:")).split("\n")[1:]
    last = dict(re.findall(r"^([\w ]+): +(.*)$", parts[-1], flags=re.M))
    out = head("weir", "simulate the memory hierarchy of a GPU", version)
    out += [".SH SYNOPSIS", "\\fBweir\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...", ".SH DESCRIPTION", roff(about), ".SH COMMANDS"]
    for group, commands in groups:
        out.append(f".SS {roff(group[0].upper() + group[1:])}")
        for name, text in commands:
            out += [".TP", f"\\fBweir\\-{roff(name)}\\fR(1)", roff(text)]
    out += [".SH OPTIONS", *options(rows), ".SH EXIT STATUS", roff(last["Exit codes"] + "; 128 + n if signal n ended it."), ".SH ENVIRONMENT"]
    for name, text in ENVIRONMENT:
        out += [".TP", f"\\fB{name}\\fR", text]
    out += [".SH EXAMPLES", *verbatim([last["A first run"], last["Then"]])]
    return out + see_also([f"weir-{name}" for _, commands in groups for name, _ in commands])


def main():
    version, folder, expected = sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    listed = next(b for b in blocks(say("--help")) if b.startswith("Commands:")).split("\n")[1:]
    groups = []
    for line in listed:
        row = re.match(r"  ([\w-]+)  +(.*)$", line)
        if row:
            groups[-1][1].append(row.groups())
        else:
            groups.append((line.strip(), []))
    pages = {"weir.1": overview(groups, version)}
    for _, commands in groups:
        for name, about in commands:
            pages[f"weir-{name}.1"] = command(name, about, version, [f"weir-{n}" for n, _ in commands if n != name])
    names = {pathlib.Path(e).name for e in expected}
    if expected and names != set(pages):
        sys.exit(f"man.py: the program has other commands than src/cli/commands.def: {sorted(names ^ set(pages))}")
    for name, lines in pages.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
