#!/usr/bin/env python3
"""The manual pages: one for each command, and of weir; groff has nothing to say against them, and each says what the help of
its command says. Without groff (Debian's groff-base) only the texts are compared.

    tests/cli/man.py PROGRAM PAGES...
"""
import pathlib
import re
import shutil
import subprocess
import sys

DEVICE = ["-man", "-Tutf8", "-k", "-ww", "-rLL=100n"]


def say(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def render(text):
    """The page as a terminal shows it, and what groff complains about."""
    done = subprocess.run(["groff", *DEVICE], input=text.encode(), capture_output=True, check=True)
    shown = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode())
    return shown.replace("‐", "-").replace("−", "-").replace("’", "'").replace("‘", "'"), done.stderr.decode()


def flat(text):
    return re.sub(r"\s+", "", text)


def check(page, has_groff):
    text = page.read_text(encoding="utf-8")
    sections = re.findall(r"^\.SH (.*)$", text, flags=re.M)
    wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]
    assert [s for s in sections if s in wanted] == wanted and len(sections) == len(set(sections)), (page.name, sections)
    if not has_groff:
        return
    shown, complaints = render(text)
    assert not complaints, f"{page.name}: {complaints}"
    name = page.name[len("weir-"):-len(".1")]
    said = say("help", name) if name else say("--help")
    for paragraph in re.split(r"\n\n+", said.strip()):
        for line in paragraph.split("\n"):
            words = re.sub(r"^(Usage:|Options:|Examples:|Commands:|A first run:|Then:|More:|Exit codes:)", "", line)
            if name:
                assert flat(words) in flat(shown), f"{page.name} lacks: {line}"
            elif re.match(r"  [a-z-]+  +", line):
                assert flat(line.split(None, 1)[1]) in flat(shown), f"{page.name} lacks: {line}"


def main():
    pages = [pathlib.Path(p) for p in sys.argv[2:]]
    listed = re.findall(r"^  ([a-z-]+)  +", say("--help").partition("Commands:\n")[2].partition("\n\n")[0], flags=re.M)
    assert {p.name for p in pages} == {"weir.1"} | {f"weir-{n}.1" for n in listed}, (pages, listed)
    has_groff = shutil.which("groff") is not None
    if has_groff:  # it does complain
        assert "warning" in render(".TH X 1\n.SH NAME\n.NOSUCH macro\n")[1]
    for page in pages:
        check(page, has_groff)
    print(f"{len(pages)} pages{'' if has_groff else ', not rendered: there is no groff'}")


if __name__ == "__main__":
    main()
