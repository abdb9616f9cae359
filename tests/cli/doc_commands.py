#!/usr/bin/env python3
"""Commands of README.md and of all pages run: doc_commands.py WEIR SAMPLE-STORE SOURCE-FOLDER CLIENT

Lines that begin with 'weir' or with a compiler, after a '$' or not; of docs/studies.md, store.md, cluster.md and report.md blocks of SQL and of
Python as well; sweeps on a cluster are not submitted. A command below which the page shows an error must fail with its first line, numbers aside. Workloads take their small
input. Sections of studies and store begin with the sample store as s.db; of what comes before "Looking at results", with none. Other
pages begin with what examples of help take for granted, too.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import examples

EMPTY = ("Sweeps", "Workers")
PAGES = {"studies.md": 8, "store.md": 8, "cluster.md": 4, "report.md": 3}  # so many commands at least


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
        lines = re.sub(r"\\\n\s*", "", block[2] if block[2] is not None else block[3]).splitlines()
        for line, after in zip(lines, lines[1:] + [""]):
            command = re.match(r"\s*(?:\$ )?(?:build/)?((?:echo .* \| )?weir [a-z].*|cc .*)", line)
            if command:
                error = re.match(r"\s*(weir: .*)", after)
                yield "weir", command[1], error and error[1]


def small(line):
    """The same line on small inputs."""
    line = line.replace(" --slurm", " --slurm --dry-run") if "--dry-run" not in line else line
    return line if ".yaml" in line else re.sub(r"^weir (sweep|worker) ", r"weir \1 --input test ", line)


def is_like(shown, got):
    """The same but for numbers, and for what the page leaves out as (...)."""
    pattern = re.escape(re.sub(r"\d+", "N", shown)).replace(r"\(\.\.\.\)", r"\(.*")
    return re.fullmatch(pattern, re.sub(r"\d+", "N", got)) is not None


class Page:
    def __init__(self, weir, sample, folder, cache):
        self.weir, self.sample, self.folder, self.n = weir, sample, folder, 0
        (folder / "bin").mkdir()
        (folder / "bin/weir").symlink_to(weir)
        for name, scheme in (("a.json", "baseline"), ("b.json", "tsc")):
            subprocess.run([weir, "run", "-q", "vecadd", "--input", "test", "--gpu", "fermi-s3", "--scheme", scheme, "--json", name],
                           cwd=folder, check=True)
        subprocess.run([weir, "compare", "-q", "vecadd", "--input", "test", "-S", "baseline,tsc", "--json", "compared.json"], cwd=folder,
                       check=True)
        subprocess.run([weir, "characterize", "-q", "vecadd", "--input", "test", "--json", "loads.json"], cwd=folder, check=True)
        (folder / "speedups.sql").write_text("SELECT count(*) FROM runs", encoding="utf-8")
        self.env = dict(os.environ, WEIR_CACHE=str(cache), PATH=f"{folder / 'bin'}:{os.environ['PATH']}")

    def begin(self, title):
        for store in self.folder.glob("*.db*"):
            store.unlink()
        if title in EMPTY:
            return
        for args in (["s.db"], ["before.db"], ["after.db", "later"]):
            subprocess.run([self.sample, *args], cwd=self.folder, check=True)

    def run(self, args, error=None, **how):
        done = subprocess.run(args, cwd=self.folder, env=self.env, capture_output=True, text=True, **how)
        got = done.stderr.partition("\n")[0]
        if (done.returncode != 0) != (error is not None) or (error is not None and not is_like(error, got)):
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


def furnish(folder, client, source, weir):
    """What pages but studies and store take for granted besides what help does."""
    examples.furnish(folder, client, source)
    (folder / "my-v100.yaml").write_text("weir: 1\nextends: v100\nmachine: {l1: {size: 64K}}\n", encoding="utf-8")
    for name in ("include", "examples"):
        (folder / name).symlink_to(source / name)
    for name in ("old.wtrace", "spmv.wtrace", "app.wtrace"):
        subprocess.run([weir, "record", "-q", "-o", name, "spmv", "--input", "test"], cwd=folder, check=True)
    for args in (["compare", "vecadd", "-S", "baseline,tsc", "--csv", "results.csv"], ["classify", "spmv", "--tags", "spmv.yaml"]):
        subprocess.run([weir, *args, "-q", "--input", "test"], cwd=folder, check=True)


def small_line(line):
    """A line of a page on small inputs, as words. Loads are classified on larger ones: only one page's line does that."""
    words = shlex.split(re.split(r"\s{3,}", line)[0], comments=True)
    if words[0] != "weir" or "--like" in words:
        return words
    words = ["test" if w == "eval" else w for w in words]
    if not {"--tags", "--bypass"} & set(words) and len(words) > 6:
        words = [re.sub(r",(static|coordinated)\b", "", w) for w in words]
    return ["weir"] + examples.small(words)


def other_pages(weir, sample, source, client, cache):
    n = 0
    for path in sorted([source / "README.md", *(source / "docs").glob("*.md")]):
        if path.name in PAGES:
            continue
        found = [c for c in commands(path.read_text(encoding="utf-8")) if c[0] == "weir" and not re.search(r"\.\.\.|\$[s(]|my\.c", c[1])]
        if not found:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            page = Page(weir, sample, pathlib.Path(scratch), cache)
            page.begin("")
            furnish(page.folder, client, source, weir)
            for _, what, error in found:
                page.run(small_line(what), error)
            n += page.n
    print(f"other pages: {n} commands")
    if n < 60:
        sys.exit("that are too few: do the pages still look as they did?")


def studies(weir, sample, source, cache):
    for name, least in PAGES.items():
        with tempfile.TemporaryDirectory() as scratch:
            page = Page(weir, sample, pathlib.Path(scratch), cache)
            (page.folder / "study.yaml").write_text("weir-study: 1\nworkloads: [vecadd]\ninput: test\n", encoding="utf-8")
            for title, text in sections((source / "docs" / name).read_text(encoding="utf-8")):
                page.begin(title)
                for kind, what, error in commands(text):
                    page.do(kind, what, error)
            print(f"docs/{name}: {page.n} commands")
            if page.n < least:
                sys.exit("that are too few: does the page still look as it did?")


def main():
    weir, sample, source, client = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
    weir, sample = str(weir), str(sample)
    with tempfile.TemporaryDirectory() as cache:
        other_pages(weir, sample, source, client, cache)
        studies(weir, sample, source, cache)


if __name__ == "__main__":
    main()
