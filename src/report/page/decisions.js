/* What policies decided over the cycles of a run. */

/* Rates that every L1 has, from what it counts. */
const RATES = { "hit rate": ["l1.hits", "l1.loads"], "bypass rate": ["l1.bypassed", "l1.loads"] };
const decided = (run) => M.decisions[run];
const isLevel = (d, name) => d.series[name]?.kind === "level";

/* Lines of one workload: a run for each series, of several seeds the first. */
function decisionLines(runs) {
  const axis = axisOf(runs, seriesKeys(runs));
  return { axis, runs: axis.names.map((_, c) => runs.find((i) => axis.of(i) === c)) };
}

function decisionNames(runs) {
  const levels = new Set(), counts = new Set();
  for (const i of runs) for (const [name, s] of Object.entries(decided(i).series)) (s.kind === "level" ? levels : counts).add(name);
  const own = (n) => n === "blocks";
  return [...[...levels].filter((n) => !own(n)), ...Object.keys(RATES), ...[...levels].filter(own), ...counts];
}

/* The first that is shown: a level that changes, or a rate. */
const changes = (runs, name) => RATES[name] || runs.some((i) => isLevel(decided(i), name) &&
  decided(i).series[name].values.some((v, _, all) => v !== all[0]));

/* A value holds from its cycle to the next: a level as it was then; of counts, which are noisy, the mean over some samples, in 1,000
 * cycles. */
const MEANS = 60;
function decisionPoints(d, name) {
  const at = d.cycles, last = at.length - 1, level = isLevel(d, name), out = [];
  const step = level ? 1 : Math.ceil(at.length / MEANS);
  const put = (x, y) => { /* what holds up to a gap has to end there */
    const before = out[out.length - 1];
    if (y === null && before && before.y !== null) out.push({ x, y: before.y, isEnd: true });
    out.push({ x, y });
  };
  for (let i = 0; i < at.length; i += step) {
    const to = Math.min(i + step, last), delta = (n) => (d.series[n] ? d.series[n].values[to] - d.series[n].values[i] : 0);
    if (level) put(at[i], d.series[name].values[i]);
    else if (to > i && RATES[name]) {
      const [part, whole] = RATES[name].map(delta);
      put(at[i], whole > 0 ? part / whole : null);
    } else if (to > i) put(at[i], 1000 * delta(name) / (at[to] - at[i]));
  }
  if (out.length) out.push({ x: level ? d.end : at[last], y: out[out.length - 1].y, isEnd: true });
  return out;
}

const launchAt = (d, cycle) => d.launches.filter((l) => l.cycle <= cycle).pop()?.kernel ?? "";

/* Where launches begin: a line across for one series, else a short one above the chart for each. */
const BORDER = 6;
const borders = {
  id: "borders",
  beforeDatasetsDraw(chart) {
    const shown = chart.data.datasets.map((s, n) => [s, n]).filter(([s, n]) => s.launches && chart.isDatasetVisible(n));
    const { ctx, chartArea: a, scales: { x } } = chart;
    ctx.save();
    shown.forEach(([set], row) => {
      const bottom = shown.length > 1 ? a.top - BORDER * row - 3 : a.bottom, top = shown.length > 1 ? bottom - BORDER + 1 : a.top;
      ctx.strokeStyle = shown.length > 1 ? set.borderColor : ink();
      ctx.globalAlpha = shown.length > 1 ? 1 : 0.45;
      ctx.setLineDash(shown.length > 1 ? [] : [2, 4]);
      ctx.beginPath();
      for (const l of set.launches) {
        const at = x.getPixelForValue(l.cycle);
        if (at < a.left - 1 || at > a.right + 1) continue;
        ctx.moveTo(at, bottom);
        ctx.lineTo(at, top);
      }
      ctx.stroke();
    });
    ctx.restore();
  },
};

function decisionUnit(lines, name) {
  if (RATES[name]) return name;
  const s = lines.runs.map((i) => decided(i).series[name]).find(Boolean);
  return s.kind === "level" ? `${name}, ${s.unit === "1" ? "value" : s.unit + "s"}` : `${name}, ${s.unit}s in 1,000 cycles`;
}

function decisionChart(lines, name, workload) {
  return () => {
    const colours = coloursOf(lines.axis);
    const shown = lines.runs.map((run, c) => ({ d: decided(run), c })).filter(({ d }) => RATES[name] || d.series[name]);
    const show = (v) => (v === null ? "-" : RATES[name] ? percent(v) : fmt(v));
    return {
      type: "line", about: `${name} of ${workload} over cycles`, plugins: [borders],
      data: { datasets: shown.map(({ d, c }) => ({ label: lines.axis.names[c], data: decisionPoints(d, name), launches: d.launches, stepped: true,
        borderColor: colours[c].line, backgroundColor: colours[c].line, borderWidth: 1.5, pointRadius: 0, pointHoverRadius: 4, pointHitRadius: 8,
        of: d })) },
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: { x: { type: "linear", min: 0, max: Math.max(1, ...shown.map(({ d }) => d.end)), title: { display: true, text: "cycle" },
          grid: { display: false }, ticks: { maxRotation: 40, maxTicksLimit: 10, includeBounds: false } },
        y: { beginAtZero: true, grace: RATES[name] ? 0 : "5%", max: RATES[name] ? 1 : undefined, title: { display: true, text: decisionUnit(lines, name) },
          ticks: RATES[name] ? { callback: (v) => +(100 * v).toFixed(1) + " %" } : { precision: shown.every(({ d }) => isLevel(d, name)) ? 0 : undefined } } },
        layout: { padding: { top: 4 + (shown.length > 1 ? BORDER * shown.length : 0) } },
        plugins: { legend: { position: "bottom", labels: { boxWidth: 12, boxHeight: 12 } }, tooltip: { callbacks: { title: () => "", label: (i) =>
          `${i.dataset.label}: ${show(i.raw.y)}\n${i.raw.isEnd ? "to" : "from"} cycle ${fmt(i.raw.x)}, ${launchAt(i.dataset.of, i.raw.x)}` } } },
      },
    };
  };
}

function decisionSection() {
  const runs = runsShown().filter(decided);
  if (!runs.length) return [need("The runs that are drawn have no samples.")];
  const rows = axisOf(runs, rowKeys());
  const at = Math.max(0, rows.names.indexOf(state.dw)), workload = rows.names[at];
  const lines = decisionLines(runs.filter((i) => rows.of(i) === at));
  const names = decisionNames(lines.runs), name = names.includes(state.d) ? state.d : names.find((n) => changes(lines.runs, n)) ?? names[0];
  const change = (key) => (v) => { setState({ [key]: v }); renderSection("decisions"); };
  const longest = lines.runs.map(decided).sort((a, b) => b.every - a.every)[0];
  const skipped = lines.runs.some((i) => decided(i).launched > decided(i).launches.length);
  const left = M.decisions_left_out ? ` Of ${fmt(M.decisions_left_out)} more runs samples are left out of this page.` : "";
  return [el("div", { class: "tools" }, choice("workload", "decisions-workload", rows.names, workload, change("dw")),
    choice("statistic", "decisions-name", names, name, change("d"))),
  chartBox("decisions-chart", 350 + BORDER * lines.runs.length, decisionChart(lines, name, workload)),
  el("p", { class: "dim" }, (M.decision_help[name] ? `${name}: ${M.decision_help[name]}. ` : "") +
    `As SM 0 had it, looked at every ${fmt(longest.every)} cycles or more often. Marks show where ${skipped ? "some of the " : ""}kernels begin.` + left)];
}
