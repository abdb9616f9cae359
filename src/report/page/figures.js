/* The sections of a study. Each makes its element from the runs that the filters leave. */

const need = (text) => el("p", { class: "dim" }, text);
const noBaseline = () => need("There are no runs of the scheme baseline, so nothing is relative to it: " +
  "weir report --baseline KEY=VALUE says which runs others are compared with.");

/* Logarithms of the speed-ups of each cell, by seed. */
function speedupGrid() {
  const runs = runsShown().filter((i) => isDrawn(i) && !isBase(i));
  if (!runs.length) return null;
  const g = gridOf(runs, rowKeys(), seriesKeys(runs));
  const logs = g.cells.map((row) => row.map((cell) => cell.filter((i) => M.speedup[i] !== null).map((i) => log(M.speedup[i]))));
  const { means, rows } = columnMeans(logs);
  return { ...g, logs, means, common: rows, value: logs.map((row) => row.map((l) => (l.length ? intervalOf(l) : null))) };
}

const meanName = (g) => (g.common === g.rows.names.length ? "geometric mean" : `geo. mean (${g.common} of ${g.rows.names.length})`);

function speedupChart(g) {
  return () => {
    const colours = coloursOf(g.columns);
    const values = [...g.value, g.means];
    return {
      type: "bar",
      about: `Speed-up over ${M.baseline}, by workload; the last group has the geometric means`,
      data: {
        labels: [...g.rows.names, meanName(g)],
        datasets: g.columns.names.map((label, c) => ({
          label,
          data: values.map((row) => row[c]?.mean ?? null),
          intervals: values.map((row) => row[c]),
          backgroundColor: colours[c].fill, borderColor: colours[c].line, borderWidth: 1,
        })),
      },
      options: {
        scales: { y: { beginAtZero: true, title: { display: true, text: "speed-up" } }, x: { grid: { display: false } } },
        plugins: { mark: { at: 1 }, tooltip: { callbacks: {
          label: (i) => `${i.dataset.label}: ${fmtMean(values[i.dataIndex][i.datasetIndex])}`,
        } } },
      },
    };
  };
}

function speedupTable(g) {
  const all = [...g.value.map((v, i) => ({ name: g.rows.names[i], v })), { name: meanName(g), v: g.means, mean: true }];
  const columns = [{ id: "workload", title: "workload", get: (r) => r.name },
    ...g.columns.names.map((name, c) => ({ id: name, title: name, number: true, get: (r) => r.v[c]?.mean ?? null,
      show: (r) => fmtMean(r.v[c]) }))];
  return tableBox("speedup", columns, all, { row: (r) => (r.mean ? { class: "mean" } : {}) });
}

function best(g) {
  const at = g.means.map((m, c) => ({ m, c, role: M.schemes[KEY.scheme.of[g.columns.run[c]]].role })).filter((x) => x.m);
  const top = (role) => at.filter((x) => (role === "design" ? x.role !== "control" && x.role !== "bound" : x.role === role))
    .sort((a, b) => b.m.mean - a.m.mean)[0];
  const parts = [["design", "best design"], ["control", "best control"], ["bound", "highest bound"]]
    .map(([role, text]) => [text, top(role)]).filter(([, x]) => x)
    .map(([text, x]) => `${text}: ${g.columns.names[x.c]} ${fmtMean(x.m)}`);
  return parts.length ? `Geometric mean over ${g.common} of ${g.rows.names.length} workloads; ${parts.join("; ")}.` : "";
}

function speedupSection() {
  if (!M.baseline) return [noBaseline()];
  const g = speedupGrid();
  if (!g) return [need("No run that is drawn has ended and has a baseline.")];
  const bars = g.columns.names.length * (g.rows.names.length + 1);
  const box = chartBox("speedup-chart", 340 + 18 * Math.ceil(g.columns.names.length / 6), speedupChart(g));
  if (bars * 7 > 1100) box.style.minWidth = bars * 7 + "px";
  const many = g.value.some((row) => row.some((v) => v && v.low !== null));
  return [el("p", { id: "speedup-summary" }, best(g)),
    el("div", { class: "wide" }, box),
    el("p", { class: "dim" }, `Relative to ${M.baseline}. ` + (many ? "Lines are 95 % intervals of the mean over seeds; \u2248 marks those that contain 1. " : "") +
      "Outlines are bounds, L1s with the most hits that there can be; grey are controls, which choose by chance."),
    speedupTable(g)];
}

/* ---- stacks ---- */

const sumOf = (stats, run) => stats.reduce((a, s) => a + (STAT[s]?.values[run] ?? 0), 0);
function sharesOf(stack, run) {
  const parts = stack.parts.map((p) => sumOf(p.stats, run));
  let whole = parts.reduce((a, b) => a + b, 0);
  if (stack.whole) whole = Math.max(whole, STAT[stack.whole]?.values[run] ?? 0);
  return whole > 0 ? parts.map((p) => p / whole) : null;
}

function stackSection(stack) {
  const runs = runsShown().filter((i) => isDrawn(i) && sharesOf(stack, i));
  if (!runs.length) return [need("The runs that are drawn have no such statistics.")];
  const rows = axisOf(runs, rowKeys());
  const at = state["of." + stack.name] ?? "all";
  const row = rows.names.indexOf(at);
  const used = row >= 0 ? runs.filter((i) => rows.of(i) === row) : runs;
  const series = axisOf(used, seriesKeys(runs));
  const shares = series.names.map((_, c) => {
    const list = used.filter((i) => series.of(i) === c).map((i) => sharesOf(stack, i));
    return stack.parts.map((_, p) => mean(list.map((s) => s[p])));
  });
  const parts = stack.parts.map((p, n) => n).filter((n) => shares.some((s) => s[n] > 0));
  const make = () => ({
    type: "bar", about: stack.title,
    data: { labels: series.names, datasets: parts.map((n) => ({ label: stack.parts[n].label, data: shares.map((s) => s[n]),
      backgroundColor: stack.parts[n].colour, borderWidth: 0 })) },
    options: {
      indexAxis: "y",
      scales: { x: { stacked: true, min: 0, max: 1, title: { display: true, text: stack.y }, ticks: { callback: (v) => +(100 * v).toFixed(1) + " %" } },
        y: { stacked: true, grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { tooltip: { callbacks: { label: (i) => `${i.dataset.label}: ${percent(i.raw)}` } } },
    },
  });
  const tool = choice("workload", stack.name + "-of", [["all", "mean of all"], ...rows.names], at,
    (v) => { setState({ ["of." + stack.name]: v === "all" ? "" : v }); renderSection(stack.name); });
  return [el("div", { class: "tools" }, tool), chartBox(stack.name + "-chart", 110 + 24 * series.names.length + 20 * Math.ceil(parts.length / 4), make)];
}

/* ---- what it costs ---- */

function costPoints(cost) {
  const runs = runsShown().filter((i) => isDrawn(i) && M.speedup[i] !== null && cost(i) > 0);
  if (!runs.length) return null;
  const g = gridOf(runs, rowKeys(), seriesKeys(runs));
  const logs = (f) => g.cells.map((row) => row.map((cell) => cell.map((i) => log(f(i)))));
  const x = columnMeans(logs(cost)).means, y = columnMeans(logs((i) => M.speedup[i])).means;
  return { columns: g.columns, points: g.columns.names.map((name, c) => (x[c] && y[c] ? { name, x: x[c].mean, y: y[c].mean } : null)) };
}

function costChart(id, title, cost, text) {
  const p = costPoints(cost);
  if (!p) return need("No run that is drawn has this: " + title + ".");
  return chartBox(id, 330, () => {
    const colours = coloursOf(p.columns);
    return {
      type: "scatter", about: title + " against speed-up",
      data: { datasets: p.points.map((d, c) => ({ label: p.columns.names[c], data: d ? [d] : [], pointRadius: 6, pointHoverRadius: 8,
        backgroundColor: colours[c].fill, borderColor: colours[c].line })) },
      options: { scales: { x: { title: { display: true, text: title } }, y: { title: { display: true, text: "speed-up" } } },
        plugins: { tooltip: { callbacks: { label: (i) => `${i.raw.name}: ${text(i.raw.x)}, speed-up ${fmt(i.raw.y, "x")}` } } } },
    };
  });
}

function costSection() {
  if (!M.baseline) return [noBaseline()];
  const energy = STAT["energy.total_nj"]?.values, bits = STAT["storage.bits_per_sm"]?.values;
  const boxes = [];
  if (energy) boxes.push(costChart("energy-chart", "L1 energy, relative to the baseline",
    (i) => (M.base[i] >= 0 ? energy[i] / energy[M.base[i]] : 0), (v) => "energy " + fmt(v, "x")));
  if (bits) boxes.push(costChart("storage-chart", "hardware of the L1 beside tags and data, KB per SM", (i) => bits[i] / 8192, (v) => fmt(v, "x") + " KB"));
  return [el("p", { class: "dim" }, "Geometric means over workloads."), el("div", { class: "two" }, ...boxes)];
}

/* ---- heat map ---- */

function heatColour(v, least, most, middle) {
  const low = [213, 94, 0], high = [0, 90, 160], none = [247, 247, 242];
  const from = middle ?? least, to = middle !== null && v < middle ? low : high;
  const length = middle !== null ? Math.max(middle - least, most - middle) : most - least;
  const share = length > 0 ? Math.min(1, Math.abs(v - from) / length) : 0;
  const rgb = none.map((c, i) => Math.round(c + (to[i] - c) * share));
  return { back: `rgb(${rgb})`, text: 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 140 ? "#fff" : "#1d2127" };
}

function heatAxes() {
  const keys = M.keys.filter((k) => k.values.length > 1 && k.name !== "seed");
  const order = [...keys.filter((k) => k.setting), ...keys.filter((k) => !k.setting && k.name === "scheme"),
    ...keys.filter((k) => !k.setting && k.name !== "scheme")].map((k) => k.name);
  const x = keys.some((k) => k.name === state.x) ? state.x : order[0] ?? "scheme";
  const y = keys.some((k) => k.name === state.y) && state.y !== x ? state.y : order.find((k) => k !== x) ?? "workload";
  return { x, y, names: keys.map((k) => k.name) };
}

/* A mean of cells that mix designs or machines would say nothing: those are chosen by the filters. */
function heatSection() {
  const { x, y, names } = heatAxes();
  const values = [...(M.baseline ? ["speedup"] : []), ...M.stats.map((s) => s.name)];
  const what = values.includes(state.v) ? state.v : values[0];
  let runs = runsShown([x, y]).filter(isDrawn);
  const mixed = M.keys.filter((k) => ![x, y, "workload", "input", "seed"].includes(k.name) && runs.some((i) => k.of[i] !== k.of[runs[0]]));
  const picks = mixed.map((k) => {
    const has = [...new Set(runs.map((i) => k.of[i]))].sort((a, b) => a - b);
    const first = k.name === "scheme" ? has.find((v) => k.values[v] !== "baseline") ?? has[0] : has[0];
    const at = has.find((v) => k.values[v] === state["h." + k.name]) ?? first;
    runs = runs.filter((i) => k.of[i] === at);
    return choice(k.name, "heat-" + k.name, has.map((v) => k.values[v]), k.values[at],
      (v) => { setState({ ["h." + k.name]: v }); renderSection("heat"); });
  });
  const change = (key) => (v) => { setState({ [key]: v }); renderSection("heat"); };
  const tools = el("div", { class: "tools" }, choice("columns", "heat-x", names, x, change("x")),
    choice("rows", "heat-y", names, y, change("y")), choice("value", "heat-v", values, what, change("v")), ...picks);
  const g = gridOf(runs, [y], [x]);
  const get = what === "speedup" ? (i) => M.speedup[i] : (i) => STAT[what].values[i];
  const all = runs.map(get).filter((v) => v !== null);
  const rate = what !== "speedup" && (STAT[what].unit === "1" || all.some((v) => v <= 0));
  const cells = g.cells.map((row) => row.map((cell) => {
    const v = cell.map(get).filter((q) => q !== null);
    return v.length ? { v: rate ? mean(v) : exp(mean(v.map(log))), n: v.length } : null;
  }));
  const flat = cells.flat().filter(Boolean).map((c) => c.v);
  const least = Math.min(...flat), most = Math.max(...flat), middle = what === "speedup" ? 1 : null;
  const body = cells.map((row, r) => el("tr", {}, el("th", { scope: "row" }, g.rows.names[r]), ...row.map((c, k) => {
    if (!c) return el("td", {}, "-");
    const colour = heatColour(c.v, least, most, middle);
    return el("td", { tabindex: "0", style: `background:${colour.back};color:${colour.text}`,
      "data-tip": `${y} ${g.rows.names[r]}, ${x} ${g.columns.names[k]}\n${what}: ${fmt(c.v, "x")}\n${rate ? "mean" : "geometric mean"} of ${c.n} runs` }, fmt(c.v, what === "speedup" || rate ? "x" : ""));
  })));
  const head = el("tr", {}, el("th", {}, `${y} \\ ${x}`), ...g.columns.names.map((n) => el("th", { scope: "col" }, n)));
  return [tools, el("div", { class: "wide" }, el("table", { class: "heat", id: "heat-table" }, el("thead", {}, head), el("tbody", {}, ...body))),
    el("p", { class: "dim" }, `${rate ? "Arithmetic" : "Geometric"} means over workloads, inputs and seeds that are not on an axis.`)];
}

/* ---- kernels and runs ---- */

const keyColumns = (get) => M.keys.filter((k) => k.values.length > 1 || ["workload", "scheme"].includes(k.name))
  .map((k) => ({ id: k.name, title: k.name, get: (r) => k.values[k.of[get(r)]] }));
const short = (name) => name.replace(/^derived\./, "");

function kernelChart(rows) {
  const K = M.kernels, names = axisOf([...new Set(rows.map((r) => K.run[r]))], rowKeys());
  const many = names.names.filter((_, n) => rows.some((r) => names.of(K.run[r]) === n && K.number[r] > 1));
  const pick = many.includes(state.kernels) ? state.kernels : many[0];
  if (!M.baseline || !pick) return [];
  const of = rows.filter((r) => names.names[names.of(K.run[r])] === pick && !isBase(K.run[r]) && K.speedup[r] !== null);
  if (!of.length) return [];
  const numbers = [...new Set(of.map((r) => K.number[r]))].sort((a, b) => a - b).slice(0, 40);
  const runs = [...new Set(of.map((r) => K.run[r]))], series = axisOf(runs, seriesKeys(runs));
  const cell = (n, c) => of.filter((r) => K.number[r] === n && series.of(K.run[r]) === c).map((r) => log(K.speedup[r]));
  const title = (n) => n + ": " + K.names[K.name[of.find((r) => K.number[r] === n)]].slice(0, 28);
  return [el("div", { class: "tools" }, choice("workload", "kernels-of", many, pick, (v) => { setState({ kernels: v }); renderSection("kernels"); })),
    el("div", { class: "wide" }, chartBox("kernels-chart", 280, () => {
      const colours = coloursOf(series);
      const values = series.names.map((_, c) => numbers.map((n) => { const l = cell(n, c); return l.length ? intervalOf(l) : null; }));
      return { type: "bar", about: `Speed-up of the kernels of ${pick}`,
        data: { labels: numbers.map(title), datasets: series.names.map((label, c) => ({ label, data: values[c].map((v) => v?.mean ?? null),
          intervals: values[c], backgroundColor: colours[c].fill, borderColor: colours[c].line, borderWidth: 1 })) },
        options: { scales: { y: { beginAtZero: true, title: { display: true, text: "speed-up" } }, x: { grid: { display: false } } },
          plugins: { mark: { at: 1 }, tooltip: { callbacks: { label: (i) => `${i.dataset.label}: ${fmtMean(values[i.datasetIndex][i.dataIndex])}` } } } } };
    }))];
}

function kernelSection() {
  const K = M.kernels, shown = new Set(runsShown());
  const rows = [...K.run.keys()].filter((r) => shown.has(K.run[r]));
  if (!rows.length) return [need("The runs that are drawn have no kernels of their own; weir compare --per-kernel keeps them.")];
  const columns = [...keyColumns((r) => K.run[r]), { id: "kernel", title: "kernel", get: (r) => K.number[r] + ":" + K.names[K.name[r]] },
    { id: "speedup", title: "speed-up", number: true, get: (r) => K.speedup[r], show: (r) => fmt(K.speedup[r], "x") },
    ...Object.entries(K.stats).map(([name, v]) => ({ id: name, title: short(name), number: true, help: STAT[name]?.help, get: (r) => v[r] }))];
  const left = K.left_out ? [need(`${fmt(K.left_out)} kernels that took the least time are left out of this page.`)] : [];
  return [...kernelChart(rows), tableBox("kernels", columns, rows), ...left];
}

/* Statistics that the table of runs begins with: those of kernels, and what was asked for. */
const STATS_FIRST = 13;
function runSection() {
  const all = state.stats === "all", some = all ? M.stats : M.stats.filter((s, n) => n < STATS_FIRST || s.asked);
  const more = M.stats.length > some.length || all ? [choice("statistics", "runs-stats", [["some", `${some.length} of ${M.stats.length}`], ["all", "all"]],
    all ? "all" : "some", (v) => { setState({ stats: v === "all" ? v : "" }); renderSection("runs"); })] : [];
  const columns = [{ id: "run", title: "run", number: true, get: (i) => M.ids[i], show: (i) => String(M.ids[i]) }, ...keyColumns((i) => i),
    { id: "status", title: "status", get: (i) => M.status[i] },
    { id: "speedup", title: "speed-up", number: true, get: (i) => M.speedup[i], show: (i) => fmt(M.speedup[i], "x") },
    ...some.map((s) => ({ id: s.name, title: short(s.name), number: true, help: `${s.help} [${s.unit}]`, get: (i) => s.values[i] })),
    ...(Object.keys(M.messages).length ? [{ id: "message", title: "message", text: true, get: (i) => M.messages[i] ?? "" }] : [])];
  return [el("div", { class: "tools" }, ...more), tableBox("runs", columns, runsShown())];
}
