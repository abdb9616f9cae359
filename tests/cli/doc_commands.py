#!/usr/bin/env python3
"""Commands and code of docs/studies.md and docs/store.md run: doc_commands.py WEIR SAMPLE-STORE SOURCE-FOLDER

Lines that begin with 'weir', after a '$' or not, blocks of SQL and of Python. A command below which the page shows an error must
fail with its first line, numbers aside. Sweeps take their small input, and each section begins with the sample store as s.db; of
what comes before "Looking at results", with none.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EMPTY = ("Sweeps", "Workers")


def sections(text):
    title = ""
    for part in re.split(r"^## (.*)$", text, flags=re.M):
        if "\n" in part or not part:
            yield title, part
        else:
            title = part


def commands(text):
    """(kind, what, the first line of the error that is shown or None)"""
    for block in re.finditer(r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n?)+)", text, flags=re.M | re.S):
        if block[1] in ("sql", "python", "yaml"):
            yield block[1], block[2], None
            continue
        lines = (block[2] if block[1] else block[3]).splitlines()
        for line, after in zip(lines, lines[1:] + [""]):
            command = re.match(r"\s*(?:\$ )?((?:echo .* \| )?weir [a-z].*)", line)
            if command:
                error = re.match(r"\s*(weir: .*)", after)
                yield "weir", command[1], error and error[1]


def small(line):
    """The same line on small inputs."""
    return line if ".yaml" in line else re.sub(r"^weir (sweep|worker) ", r"weir \1 --input test ", line)


class Page:
    def __init__(self, weir, sample, folder):
        self.weir, self.sample, self.folder, self.n = weir, sample, folder, 0
        (folder / "bin").mkdir()
        (folder / "bin/weir").symlink_to(weir)
        for name, scheme in (("a.json", "baseline"), ("b.json", "tsc")):
            subprocess.run([weir, "run", "-q", "vecadd", "--input", "test", "--gpu", "fermi-s3", "--scheme", scheme, "--json", name],
                           cwd=folder, check=True)
        (folder / "speedups.sql").write_text("SELECT count(*) FROM runs", encoding="utf-8")
        self.env = dict(os.environ, WEIR_CACHE=str(folder / "cache"), PATH=f"{folder / 'bin'}:{os.environ['PATH']}")

    def begin(self, title):
        for store in self.folder.glob("*.db*"):
            store.unlink()
        if title in EMPTY:
            return
        for args in (["s.db"], ["before.db"], ["after.db", "later"]):
            subprocess.run([self.sample, *args], cwd=self.folder, check=True)

    def run(self, args, error=None, **how):
        done = subprocess.run(args, cwd=self.folder, env=self.env, capture_output=True, text=True, **how)
        got = re.sub(r"\d+", "N", done.stderr.partition("\n")[0])
        if (done.returncode != 0) != (error is not None) or (error is not None and got != re.sub(r"\d+", "N", error)):
            sys.exit(f"{shlex.join(map(str, args))}\nexit code {done.returncode}, wanted {error or 0}\n{done.stdout}{done.stderr}")
        self.n += 1

    def do(self, kind, what, error):
        if kind == "yaml":
            (self.folder / "study.yaml").write_text(what, encoding="utf-8")
        elif kind == "sql":
            self.run([self.weir, "query", "s.db", what])
        elif kind == "python":
            self.run([sys.executable, "-c", what])
        elif "..." not in what:
            self.run(["bash", "-c", small(what)], error)


def main():
    weir, sample, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    weir, sample = str(pathlib.Path(weir).resolve()), str(pathlib.Path(sample).resolve())
    for name in ("studies.md", "store.md"):
        with tempfile.TemporaryDirectory() as scratch:
            page = Page(weir, sample, pathlib.Path(scratch))
            for title, text in sections((source / "docs" / name).read_text(encoding="utf-8")):
                page.begin(title)
                for kind, what, error in commands(text):
                    page.do(kind, what, error)
            print(f"docs/{name}: {page.n} commands")
            if page.n < 8:
                sys.exit("that are too few: does the page still look as it did?")


if __name__ == "__main__":
    main()
