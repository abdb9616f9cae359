/* Characterised workloads: curves, distances, advice, and loads beside the source text. */

const characterName = (c) => [c.workload, c.input, c.gpu].filter(Boolean).join(", ");
const theCharacter = () => M.characters[Math.max(0, M.characters.findIndex((c) => characterName(c) === state.of))];

function curveChart(c) {
  const all = [{ name: "all kernels", curve: c.curve }, ...(c.kernels.length > 1 ? c.kernels : [])].filter((k) => k.curve?.length);
  return chartBox("mrc-chart", 320, () => ({
    type: "line", about: "Miss ratio by the size of a least-recently-used L1",
    data: { datasets: all.map((k, n) => ({ label: k.name, data: k.curve.map((p) => ({ x: p.bytes, y: p.miss_ratio })),
      borderColor: PALETTE[n % PALETTE.length], backgroundColor: PALETTE[n % PALETTE.length], pointRadius: 3, borderWidth: 2 })) },
    options: {
      scales: { x: { type: "logarithmic", title: { display: true, text: "size of an SM's L1" }, ticks: { callback: (v) => (Number.isInteger(Math.log2(v)) ? fmtBytes(v) : null), maxRotation: 50 },
        afterBuildTicks: (axis) => { const t = []; for (let v = 2 ** Math.ceil(Math.log2(axis.min)); v <= axis.max; v *= 4) t.push({ value: v }); axis.ticks = t; } },
        y: { min: 0, max: 1, title: { display: true, text: "miss ratio" } } },
      plugins: { tooltip: { callbacks: { title: () => "", label: (i) => `${i.dataset.label}, ${fmtBytes(i.raw.x)}: ${percent(i.raw.y)} miss` } } },
    },
  }));
}

function distanceChart(c) {
  const kinds = [["stack_distance", "other lines in between"], ["access_distance", "requests in between"]].filter(([k]) => c.locality[k]);
  if (!kinds.length) return need("There are no distances.");
  const bins = Object.keys(c.locality[kinds[0][0]]).sort((a, b) => (a === "more") - (b === "more") || a - b);
  const total = c.locality.references || 1;
  return chartBox("reuse-chart", 320, () => ({
    type: "bar", about: "Distances between two uses of a line",
    data: { labels: bins.map((b) => (b === "more" || b < 3 ? b : "to " + b)), datasets: kinds.map(([k, label], n) => ({ label,
      data: bins.map((b) => (c.locality[k][b] ?? 0) / total), backgroundColor: PALETTE[n] })) },
    options: { scales: { y: { title: { display: true, text: "share of requests" }, ticks: { callback: (v) => +(100 * v).toFixed(1) + " %" } },
      x: { grid: { display: false }, title: { display: true, text: "distance" } } },
      plugins: { tooltip: { callbacks: { label: (i) => `${i.dataset.label}: ${percent(i.raw)} of requests` } } } },
  }));
}

/* ---- loads and their lines ---- */

const missesOf = (l) => l.references - (l.misses?.none ?? l.references);
const loadsOf = (c) => c.kernels.flatMap((k) => (k.loads ?? []).map((l) => ({ ...l, kernel: k.name })));

function loadColumns(c) {
  const share = (f) => (l) => (l.references ? f(l) / l.references : null);
  const rate = (id, title, f, help) => ({ id, title, number: true, help, get: share(f), show: (l) => (l.references ? percent(f(l) / l.references) : "-") });
  return [
    { id: "kernel", title: "kernel", get: (l) => l.kernel },
    { id: "line", title: "line", get: (l) => l.line, show: (l) => (l.source >= 0 ? c.sources[l.source].name.split("/").pop() + ":" + l.line : "ptx:" + l.ptx_line) },
    { id: "array", title: "array", get: (l) => l.array ?? "?" },
    { id: "requests", title: "requests", number: true, get: (l) => l.references },
    { id: "misses", title: "misses", number: true, get: missesOf, help: "in a least-recently-used L1 of this size" },
    rate("missrate", "of its requests", missesOf),
    rate("compulsory", "first use", (l) => l.misses?.compulsory ?? 0, "compulsory misses"),
    rate("capacity", "capacity", (l) => l.misses?.capacity ?? 0),
    rate("conflict", "conflict", (l) => l.misses?.conflict ?? 0),
    rate("lone", "never again", (l) => l.lone ?? 0, "requests to lines that no other request uses"),
    rate("hits", "hit in the run", (l) => (l.answered ?? 0) + (l.pending ?? 0)),
  ];
}

function pickLine(source, line) {
  setState({ line: source + ":" + line, "q.loads": "line=" + nameOfLine(source, line) });
  renderSection("loads");
}
const nameOfLine = (source, line) => theCharacter().sources[source].name.split("/").pop() + ":" + line;

function sourceView(c, loads, source) {
  const file = c.sources[source], lines = new Map();
  for (const l of loads) if (l.source === source) {
    const at = lines.get(l.line) ?? { misses: 0, references: 0, n: 0 };
    lines.set(l.line, { misses: at.misses + missesOf(l), references: at.references + l.references, n: at.n + 1 });
  }
  const most = Math.max(1, ...[...lines.values()].map((l) => l.misses));
  if (file.text === null)
    return el("div", {}, el("h3", {}, file.name), need("The file was not found when this page was written; weir report --source DIR says where it is."));
  const on = state.line === undefined ? "" : state.line;
  const rows = file.text.replace(/\n$/, "").split("\n").map((text, n) => {
    const at = lines.get(n + 1), share = at ? at.misses / most : 0;
    const tr = el("tr", at ? { tabindex: "0", "data-line": n + 1, class: on === source + ":" + (n + 1) ? "on" : "",
      style: `background:rgba(213,94,0,${(0.08 + 0.5 * share).toFixed(3)})`,
      "data-tip": `line ${n + 1}: ${fmt(at.misses)} misses of ${fmt(at.references)} requests, by ${at.n} load${at.n > 1 ? "s" : ""}`,
      onclick: () => pickLine(source, n + 1), onkeydown: (e) => { if (e.key === "Enter") pickLine(source, n + 1); } } : {});
    tr.append(el("td", { class: "no" }, String(n + 1)), el("td", { class: "no" }, at ? fmt(at.misses) : ""), el("td", {}, text));
    return tr;
  });
  return el("div", {}, el("h3", {}, file.name, el("span", { class: "dim" }, " \u2014 misses of loads beside the line; choose one to see them in the table")),
    el("div", { class: "scroll source" }, el("table", {}, el("tbody", {}, ...rows))));
}

function loadSection() {
  const c = theCharacter(), loads = loadsOf(c);
  const out = [];
  if (M.characters.length > 1)
    out.push(el("div", { class: "tools" }, choice("workload", "character", M.characters.map(characterName), characterName(c),
      (v) => { setState({ of: v, line: "", "q.loads": "" }); renderSection("loads"); })));
  else out.push(el("p", { class: "dim" }, characterName(c)));
  if (c.advice?.length)
    out.push(el("ul", { id: "advice" }, ...c.advice.map((a) => el("li", {}, `${percent(a.concerned / (c.locality.references || 1))} of requests: ${a.text}`))));
  out.push(el("div", { class: "two" }, curveChart(c), distanceChart(c)));
  if (!loads.length) return out;
  const used = [...new Set(loads.map((l) => l.source).filter((s) => s >= 0))];
  out.push(el("h3", {}, "Loads"), tableBox("loads", loadColumns(c), loads, { sort: "-misses" }));
  for (const s of used) out.push(sourceView(c, loads, s));
  return out;
}
