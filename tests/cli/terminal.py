#!/usr/bin/env python3
"""On a terminal tables keep to its width and lose nothing, and colours are there if they are wanted; elsewhere everything
is as plain and wide as it always was.

    tests/cli/terminal.py PROGRAM SAMPLE-STORE     which writes a store
"""
import collections
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

STYLE = re.compile(r"\033\[[0-9;]*m")
RED, GREEN, BOLD = "\033[31m", "\033[32m", "\033[1m"
LISTS = [["list", what] for what in ("workloads", "gpus", "schemes", "papers", "policies", "preparations", "params", "stats")]
TABLES = [["help", "gpu", "fermi-s3"], ["help", "scheme", "tsc+"], ["help", "policy", "decoupled"],
          ["run", "bfs", "--input", "test", "--gpu", "fermi-s3"],
          ["compare", "vecadd", "bfs", "--input", "test", "--schemes", "baseline,bypass-all,decoupled,tsc+,opt-chunk", "--per-kernel"],
          ["characterize", "gather", "--input", "test"],
          ["reproduce", "s0", "--list"]]


def run(words, width=None, stderr=False, **variables):
    """What it prints to a terminal of that width, or to a pipe; and its exit code."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")} | {"TERM": "xterm"} | variables
    words = [sys.argv[1], *words]
    if width is None:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False)
        return (done.stderr if stderr else done.stdout).decode(), done.returncode
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if stderr else terminal,
                          stderr=terminal if stderr else subprocess.DEVNULL, env=env) as command:
        os.close(terminal)
        text = b""
        while True:
            try:
                part = os.read(main, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
    os.close(main)
    return text.decode().replace("\r\n", "\n"), command.returncode


def pieces(text):
    """What no wrapping takes apart: words between blanks and marks, if they fit into the narrowest column."""
    return collections.Counter(w for w in re.split(r"[\s,;|/=_:.*]+", text) if 0 < len(w) <= 12 and not set(w) <= {"-"})


def check_width(words, width, is_list):
    plain, code = run(words)
    shown, same = run(words, width)
    assert code == same == 0 and plain.count("\n") > 2, (words, code, same, plain)
    bare = STYLE.sub("", shown)
    for line in bare.split("\n"):
        if is_list or re.fullmatch(r"-+", line):
            assert len(line) <= width, f"{words} at {width}: {len(line)} columns: {line}"
    lost = pieces(plain) - pieces(bare)
    assert not lost, f"{words} at {width}: lost {dict(lost)}"
    longest = max(len(line) for line in plain.split("\n"))
    if is_list and longest <= width:
        assert bare == plain, f"{words} fits into {width} and is another text"
    return longest


def check_plain(words):
    """Not on a terminal: the same, whatever the variables say."""
    plain, _ = run(words)
    assert "\033" not in plain, words
    for variables in ({"COLUMNS": "40"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}):
        assert run(words, **variables)[0] == plain, (words, variables)
    assert run([*words, "--color", "never"])[0] == plain, words
    coloured, _ = run([*words, "--color", "always"])
    assert "\033[" in coloured and STYLE.sub("", coloured) == plain, words


def check_help():
    """Paragraphs and options keep to the width; usage and examples are lines to copy."""
    for command in ("run", "compare", "show", "characterize"):
        plain, _ = run(["help", command])
        for width in (60, 80, 120):
            shown = STYLE.sub("", run(["help", command], width)[0])
            assert re.sub(r"\s+", " ", shown) == re.sub(r"\s+", " ", plain), (command, width)
            text = shown.partition("\n\n")[2].partition("\nExamples:\n")[0]
            assert max(len(line) for line in text.split("\n")) <= width, (command, width, text)


def check_colours():
    compare = ["compare", "vecadd", "bfs", "--input", "test", "--schemes", "baseline,bypass-all,decoupled"]
    shown, _ = run(compare, 120)
    assert BOLD in shown and RED + "0.4" in shown and "\033[1;32m1.0" in shown, shown
    for words, variables in (([*compare, "--color=never"], {}), (["--color", "never", *compare], {}), (compare, {"NO_COLOR": "1"}),
                             (compare, {"TERM": "dumb"})):
        assert "\033" not in run(words, 120, **variables)[0], (words, variables)
    assert BOLD in run(compare, 120, NO_COLOR="")[0], "an empty NO_COLOR is none"
    assert BOLD in run([*compare, "--color", "always"], 120, NO_COLOR="1")[0], "the option is stronger"
    for words in (["run", "nothing-of-this-name"], ["list", "nothing"], ["nothing"]):
        said, code = run(words, 100, stderr=True)
        plain, same = run(words, stderr=True)
        assert code == same != 0 and said.startswith(RED + "weir") and STYLE.sub("", said) == plain, (words, said, plain)
    for words in (["list", "gpus", "--color", "blue"], ["--color", "blue", "list", "gpus"], ["--color"]):
        said, code = run(words, stderr=True)
        assert code == 2 and "auto, always or never" in said, (words, said)


def check_columns():
    """COLUMNS, if it is a number, is stronger than what the terminal says."""
    for value, width in (("60", 60), ("none", 100), ("0", 100), ("-5", 100)):
        rules = [len(line) for line in run(["list", "policies"], 100, COLUMNS=value)[0].split("\n") if re.fullmatch(r"-+", line)]
        assert max(rules) <= width and (width == 60 or max(rules) > 60), (value, rules)


def main():
    wide = 0
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "s.db")
        subprocess.run([sys.argv[2], store], check=True)
        for width in (60, 80, 120):
            for words in LISTS:
                wide += check_width(words, width, True) > width
            for words in TABLES + [["show", store], ["query", store, "SELECT * FROM runs"]]:
                wide += check_width(words, width, False) > width
    assert wide > 30, wide  # else nothing was wrapped, and nothing tested
    for words in LISTS[:3]:
        check_plain(words)
    check_help()
    check_colours()
    check_columns()
    print(f"{wide} outputs wider than their terminal: nothing lost")


if __name__ == "__main__":
    main()
