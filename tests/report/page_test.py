#!/usr/bin/env python3
"""A page of results in a headless browser: page_test.py chromium|firefox WEIR SAMPLE-STORE [SCREENSHOTS]

Values are those of weir show; tables sort and filter; charts say what is under the mouse, and under the arrow keys; an address
restores a view; nothing is asked of a network; a study of 2,000 runs opens in 2 s (Chromium). With SCREENSHOTS, a folder, the page
is drawn there as well: on a desktop, dark, as wide as a phone (Chromium), and printed.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402  pylint: disable=wrong-import-position

OPENS_S = 2.0
BYTES_MOST = 5_000_000
RUNS_MANY = 2000
CELLS = "[...document.querySelectorAll('#%s-table tbody tr')].map(r => [...r.cells].map(c => c.textContent))"


def same(got, wanted, what):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


def weir(folder, *words):
    done = subprocess.run([WEIR, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"weir {' '.join(words)}: {done.stderr}"
    return done.stdout


def column(b, table, name):
    heads = b.run(f"return [...document.querySelectorAll('#{table}-table thead th')].map(h => h.textContent)")
    at = heads.index(name)
    return [row[at] for row in b.run("return " + CELLS % table)]


def number(text):
    return float(text.replace(",", "").split()[0])


def check_quiet(b, *pages):
    """Nothing was asked for but the pages, and no script complained."""
    own = tuple(pathlib.Path(page).resolve().as_uri() for page in pages)
    others = [u for u in b.requests() if not u.startswith((*own, "about:", "data:"))]
    same(others, [], "requests")
    same(b.complaints(), [], "messages of scripts")


def speedups(b, folder, page):
    """The means and intervals of the page are those of weir show."""
    b.open(page)
    show = json.loads(weir(folder, "show", "s.db", "--baseline", "scheme=baseline", "--where", "gpu = 'fermi-s3'", "--format", "json"))
    wanted = {}
    for table in show["tables"]:
        for cell in table["cells"]:
            name = f"{cell['column']['scheme']} {cell['column']['l1.size']}"
            if cell["column"]["scheme"] != "baseline" and cell["status"] == "ok":
                wanted[cell["row"]["workload"], name] = cell["mean"]
    heads = b.run("return [...document.querySelectorAll('#speedup-table thead th')].map(h => h.textContent)")
    got = {}
    for row in b.run("return " + CELLS % "speedup"):
        for name, text in zip(heads[1:], row[1:]):
            if text != "-" and "mean" not in row[0]:
                got[row[0], name] = text
    assert wanted and set(got) == set(wanted), (sorted(got), sorted(wanted))
    for at, mean in wanted.items():
        same(got[at].split()[0], f"{mean:.3f}", f"speed-up of {at}")
    assert "geometric mean" in [row[0] for row in b.run("return " + CELLS % "speedup")]


def sorting(b):
    b.click("#runs-table button[data-sort=cycles]")
    down = [number(x) for x in column(b, "runs", "cycles")]
    same(down, sorted(down, reverse=True), "sorted by cycles, the most first")
    b.click("#runs-table button[data-sort=cycles]")
    up = [number(x) for x in column(b, "runs", "cycles")]
    same(up, sorted(up), "sorted by cycles, the least first")
    same(b.run("return document.querySelector('#runs-table th[aria-sort]').textContent"), "cycles", "what it is sorted by")


def filtering(b):
    before = b.run("return document.getElementById('runs-count').textContent")
    b.type("#runs-filter", "scheme=tsc spmv")
    same(set(column(b, "runs", "scheme")), {"tsc"}, "schemes after filtering")
    same(set(column(b, "runs", "workload")), {"spmv"}, "workloads after filtering")
    same(b.run("return document.getElementById('runs-count').textContent"), "4 of 36", "count")
    assert before.startswith("36 of 36"), before
    b.run("const s = document.getElementById('filter-gpu'); s.value = 'v100'; s.dispatchEvent(new Event('change'))")
    same(set(column(b, "runs", "gpu")), {"v100"}, "machine after filtering")


def deep_link(b, page):
    """The address of what is seen, opened anew, is the same view."""
    b.click("#nav a[data-view=heat]")
    fragment = b.run("return location.hash")
    rows = column(b, "runs", "cycles")
    b.open(page, fragment)
    same(column(b, "runs", "cycles"), rows, "runs of the link")
    same(b.run("return document.getElementById('runs-filter').value"), "scheme=tsc spmv", "filter of the link")
    same(b.run("return document.getElementById('filter-gpu').value"), "v100", "machine of the link")
    top = b.run("return document.getElementById('heat').getBoundingClientRect().top")
    assert -5 <= top <= 200, f"the link does not show its section: {top}"


def hover(b, page):
    b.open(page)
    b.until("typeof chartNamed === 'function' && !!chartNamed('speedup-chart')", "the chart of speed-ups")
    x, y = b.run("const c = chartNamed('speedup-chart'), p = c.getDatasetMeta(1).data[0], r = c.canvas.getBoundingClientRect();"
                 "return [r.left + p.x, r.top + (p.y + p.base) / 2]")
    b.point(x, y)
    text = b.until("!document.getElementById('tip').hidden && document.getElementById('tip').textContent", "a hover value")
    cell = b.run("return " + CELLS % "speedup")[0]
    head = b.run("return document.querySelectorAll('#speedup-table thead th')[2].textContent")
    same(text.split("\n")[:2], [cell[0], f"{head}: {cell[2]}"], "hover value")
    b.keys("\ue00c")  # Escape
    assert b.run("return document.getElementById('tip').hidden"), "Escape hides the value"
    b.run("document.getElementById('speedup-chart').focus()")
    b.keys("\ue014", "\ue014")  # right, right
    text = b.until("!document.getElementById('tip').hidden && document.getElementById('tip').textContent", "a value by keys")
    cell = b.run("return " + CELLS % "speedup")[1]
    assert text.startswith(cell[0]) and cell[1] in text, (text, cell)


def heat(b, page):
    b.open(page, "#x=l1.size&y=workload&h.scheme=tsc&gpu=v100&view=heat")
    cell = b.run("return document.querySelector('#heat-table tbody tr td').textContent")
    same(cell, "1.075", "gather with 16K")
    tip = b.run("const t = document.querySelector('#heat-table tbody td'); t.focus(); return document.getElementById('tip').textContent")
    assert "gather" in tip and "16K" in tip and "1.075" in tip, tip
    b.run("const s = document.getElementById('heat-v'); s.value = 'cycles'; s.dispatchEvent(new Event('change'))")
    assert "v=cycles" in b.run("return location.hash")


def loads(b, page):
    b.open(page, "#view=loads")
    line = b.run("return document.querySelector('.source tr[data-line]').dataset.line")
    misses = b.run("return document.querySelector('.source tr[data-line]').cells[1].textContent")
    rows = b.run("return " + CELLS % "loads")
    same(sum(number(r[4]) for r in rows if r[1].endswith(":" + line)), number(misses), "misses of a line")
    assert "table[index[i]]" in b.run("return document.querySelector('.source tr[data-line]').textContent")
    b.click(".source tr[data-line] td:last-child")
    assert "line=" in b.run("return location.hash")
    assert all(r[1].endswith(":" + line) for r in b.run("return " + CELLS % "loads"))
    b.until("!!chartNamed('mrc-chart') && !!chartNamed('reuse-chart')", "charts of reuse")
    same(b.run("return chartNamed('mrc-chart').data.datasets[0].data[0].y > 0.9"), True, "misses of the smallest L1")


def decisions(b, folder):
    """What the file has is drawn; what is chosen is in the address; arrow keys say values, their cycles and kernels."""
    runs = json.loads((folder / "d.json").read_text(encoding="utf-8"))["runs"]
    samples = next(r["decisions"] for r in runs if r["workload"] == "lud" and r["scheme"] == "two-level")
    b.open(folder / "d.html", "#view=decisions")
    b.until("!!chartNamed('decisions-chart')", "the chart of decisions")
    for chosen, value in (("decisions-workload", "lud"), ("decisions-name", "two-level.mode")):
        b.run("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", chosen, value)
    fragment = b.run("return location.hash")
    assert "dw=lud" in fragment and "d=two-level.mode" in fragment, fragment
    b.open(folder / "d.html", fragment)
    b.until("!!chartNamed('decisions-chart')", "the chart of the link")
    points = b.run("return chartNamed('decisions-chart').data.datasets.map(s => [s.label, s.data.map(p => [p.x, p.y])])")
    wanted = [list(p) for p in zip(samples["cycles"], samples["series"]["two-level.mode"]["values"])]
    same(points, [["two-level", wanted + [[samples["end"], wanted[-1][1]]]]], "levels over cycles")
    assert {v for _, v in wanted} >= {1, 3}, "it changes its mode"
    assert samples["launched"] == len(samples["launches"]) > 1, samples["launches"]
    b.run("document.getElementById('decisions-chart').focus()")
    b.keys("\ue014", "\ue014")  # right, right
    text = b.until("!document.getElementById('tip').hidden && document.getElementById('tip').textContent", "a value by keys")
    same(text.strip().split("\n"), [f"two-level: {wanted[1][1]}", f"from cycle {wanted[1][0]:,}, {samples['launches'][0]['kernel']}"], "what it says")
    b.open(folder / "d.html", "#dw=lud&d=hit+rate&view=decisions")
    names = b.until("!!chartNamed('decisions-chart') && chartNamed('decisions-chart').data.datasets.map(s => s.label)", "rates")
    same(sorted(names), ["baseline", "drrip", "two-level"], "rates of all schemes")
    b.open(folder / "s.html")
    same(b.run("return document.getElementById('decisions')"), None, "a section of a study without samples")


def stored_loads(b, folder):
    """Those of a store are those of the JSON, with the same source text."""
    model = "return JSON.parse(document.getElementById('model').textContent).characters[0]"
    kept = []
    for page in ("all.html", "kept.html"):
        b.open(folder / page)
        c = b.run(model)
        kept.append([c["sources"], c["curve"], [(k["name"], k["loads"], k["curve"]) for k in c["kernels"]]])
    same(kept[1], kept[0], "characterised workload of a store")
    loads(b, folder / "kept.html")


def many(b, folder):
    """2,000 runs, with all that a run has."""
    study = json.loads((folder / "c.json").read_text(encoding="utf-8"))
    runs = []
    for i in range(RUNS_MANY):
        run = dict(study["runs"][i % len(study["runs"])], workload=f"workload-{i // 50}", seed=i // 5 % 10 + 1, cycles=100000 + 37 * i)
        runs.append(run)
    (folder / "many.json").write_text(json.dumps(dict(study, runs=runs)), encoding="utf-8")
    weir(folder, "report", "many.json", "-o", "many.html")
    size = (folder / "many.html").stat().st_size
    assert size < BYTES_MOST, f"{size} bytes for {RUNS_MANY} runs"
    took = []
    for _ in range(3):  # others may be busy
        b.open(folder / "many.html")
        took.append(b.until("performance.getEntriesByType('navigation')[0].loadEventEnd", "the end of loading") / 1000)
        if took[-1] < OPENS_S:
            break
    same(b.run("return document.getElementById('runs-count').textContent.split(',')[0] + N"), "2" + str(RUNS_MANY), "runs")
    b.until("!!chartNamed('speedup-chart')", "the chart of speed-ups")
    print(f"{RUNS_MANY} runs: {size:,} bytes, opened in {', '.join(f'{t:.2f}' for t in took)} s")
    assert min(took) < OPENS_S, f"{RUNS_MANY} runs took {took} s to open"


def phone(b, page):
    """It needs no scrolling sideways."""
    b.devtools("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    b.open(page)
    same(b.run("return document.documentElement.scrollWidth"), 390, "width on a phone")
    if SHOTS:
        b.screenshot(SHOTS / "phone.png")
    b.devtools("Emulation.clearDeviceMetricsOverride")


def looks(b, folder, page):
    """Dark is dark, and it prints."""
    b.open(page, "#theme=dark")
    dark = b.run("return getComputedStyle(document.body).backgroundColor")
    same(dark, "rgb(20, 23, 27)", "background in the dark")
    if SHOTS:
        b.screenshot(SHOTS / "dark.png")
    if NAME == "chromium":
        phone(b, page)
    b.open(page)
    target = (SHOTS or folder) / "print.pdf"
    b.pdf(target)
    assert target.read_bytes().startswith(b"%PDF"), "it does not print"
    if SHOTS:
        b.screenshot(SHOTS / "desktop.png")


def main():
    lacks = browser.missing(NAME)
    if lacks:
        print(f"skipped: there is no {lacks}; 'tools/bootstrap.sh all' installs it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([STORE, "s.db"], cwd=folder, check=True)
        weir(folder, "compare", "-q", "gather", "vecadd", "--input", "test", "-S", "baseline,random-bypass,tsc,tsc+,opt", "--per-kernel",
             "--json", "c.json")
        weir(folder, "characterize", "-q", "gather", "--input", "test", "--json", "l.json", "--store", "l.db")
        weir(folder, "compare", "-q", "lud", "vecadd", "--input", "test", "-S", "baseline,drrip,two-level", "--decisions", "--json", "d.json",
             "--store", "d.db")
        weir(folder, "report", "s.db", "-o", "s.html")
        weir(folder, "report", "d.db", "-o", "d.html")
        weir(folder, "report", "c.json", "l.json", "-o", "all.html")
        weir(folder, "report", "l.db", "-o", "kept.html")
        with browser.start(NAME) as b:
            speedups(b, folder, folder / "s.html")
            sorting(b)
            filtering(b)
            deep_link(b, folder / "s.html")
            hover(b, folder / "s.html")
            heat(b, folder / "s.html")
            check_quiet(b, folder / "s.html")
            decisions(b, folder)
            check_quiet(b, folder / "d.html", folder / "s.html")
            loads(b, folder / "all.html")
            stored_loads(b, folder)
            looks(b, folder, folder / "all.html")
            check_quiet(b, folder / "all.html", folder / "kept.html")
            if NAME == "chromium":
                many(b, folder)
                check_quiet(b, folder / "many.html")
    print("the page does what it should")


if __name__ == "__main__":
    NAME = sys.argv[1]
    WEIR, STORE = (str(pathlib.Path(p).resolve()) for p in sys.argv[2:4])
    SHOTS = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
    main()
