/* The data, what is chosen of it, and the arithmetic of means. */
const M = JSON.parse(document.getElementById("model").textContent);
const N = M.status.length;
const byName = (list) => Object.fromEntries(list.map((x) => [x.name, x]));
const KEY = byName(M.keys);
const STAT = byName(M.stats);
const SERIES_MOST = 24;

const textOf = (key, run) => KEY[key].values[KEY[key].of[run]];
/* It ended, and so did those that are the same but for the seed: means are those of all seeds. */
const UNDRAWN = new Set(M.undrawn);
const isDrawn = (run) => !UNDRAWN.has(run);
const isBase = (run) => M.base[run] === run;

/* ---- what is chosen, as the fragment of the address has it ---- */

let state = {};
const readState = () => { state = Object.fromEntries(new URLSearchParams(location.hash.slice(1))); };
function setState(changes) {
  Object.assign(state, changes);
  const kept = Object.entries(state).filter(([, v]) => v !== null && v !== undefined && v !== "");
  state = Object.fromEntries(kept);
  history.replaceState(null, "", kept.length ? "#" + new URLSearchParams(kept) : location.pathname + location.search);
}

/* Keys with a filter of one value. Workloads and schemes are chosen one by one. */
const FILTERED = M.keys.filter((k) => k.values.length > 1 && !["workload", "scheme", "seed"].includes(k.name));
const defaults = {};
(() => {
  let series = KEY.scheme ? KEY.scheme.values.length : 0;
  for (const k of FILTERED) if (k.setting) series *= k.values.length;
  for (const k of FILTERED) {
    defaults[k.name] = "all";
    if (k.name === "gpu") defaults.gpu = k.values[0];
    if (k.setting && series > SERIES_MOST) {
      defaults[k.name] = k.values[0];
      series /= k.values.length;
    }
  }
})();
const chosen = (key) => state[key] ?? defaults[key] ?? "all";
const hidden = (key) => new Set((state["no." + key] ?? "").split("\u001f").filter(Boolean));

/* Runs that the filters leave; `free` names keys whose filter does not count. */
function runsShown(free = []) {
  const tests = [];
  for (const k of FILTERED) {
    const at = k.values.indexOf(chosen(k.name));
    if (at >= 0 && !free.includes(k.name)) tests.push((i) => k.of[i] === at);
  }
  for (const key of ["workload", "scheme"]) {
    const without = hidden(key);
    if (without.size && KEY[key] && !free.includes(key))
      tests.push((i) => !without.has(textOf(key, i)));
  }
  const out = [];
  for (let i = 0; i < N; i++) if (tests.every((t) => t(i))) out.push(i);
  return out;
}

/* ---- means ---- */

const exp = Math.exp, log = Math.log;
const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;

/* Geometric mean and 95 % interval of ratios, by Student's t of their logarithms. */
function intervalOf(logs) {
  const m = mean(logs), n = logs.length;
  if (n < 2) return { mean: exp(m), low: null, high: null, n };
  const s = Math.sqrt(logs.reduce((a, x) => a + (x - m) ** 2, 0) / (n - 1) / n);
  const t = M.student[Math.min(n - 2, M.student.length - 1)];
  return { mean: exp(m), low: exp(m - t * s), high: exp(m + t * s), n };
}

/* ---- rows and columns ---- */

/* Names of what the runs differ in, in order; `of` has the place of each run. */
function axisOf(runs, keys) {
  const places = new Map();
  for (const i of runs) {
    const at = keys.map((k) => KEY[k].of[i]);
    const id = at.join(",");
    if (!places.has(id)) places.set(id, { at, run: i });
  }
  const sorted = [...places.entries()].sort((a, b) => {
    for (let k = 0; k < keys.length; k++) if (a[1].at[k] !== b[1].at[k]) return a[1].at[k] - b[1].at[k];
    return 0;
  });
  const names = sorted.map(([, p]) =>
    keys.map((k) => (k === "scheme" ? M.schemes[KEY.scheme.of[p.run]].label : textOf(k, p.run)))
      .filter((t) => keys.length === 1 || t !== "-").join(" "));
  const place = new Map(sorted.map(([id], n) => [id, n]));
  return { keys, names, run: sorted.map(([, p]) => p.run), of: (i) => place.get(keys.map((k) => KEY[k].of[i]).join(",")) };
}

const rowKeys = () => (KEY.input.values.length > 1 ? ["workload", "input"] : ["workload"]);
function seriesKeys(runs) {
  const varies = (k) => runs.some((i) => k.of[i] !== k.of[runs[0]]);
  const keys = ["scheme", ...M.keys.filter((k) => k.setting && varies(k)).map((k) => k.name)];
  if (varies(KEY.gpu)) keys.unshift("gpu");
  return keys;
}

/* Cells of rows and columns, each a list of runs. */
function gridOf(runs, rows, columns) {
  const r = axisOf(runs, rows), c = axisOf(runs, columns);
  const cells = r.names.map(() => c.names.map(() => []));
  for (const i of runs) cells[r.of(i)][c.of(i)].push(i);
  return { rows: r, columns: c, cells };
}

/* Means of a grid of lists of ratios: over the rows that all columns with a value have. */
function columnMeans(logs) {
  const n = logs.length ? logs[0].length : 0;
  const used = [...Array(n).keys()].filter((c) => logs.some((row) => row[c].length));
  const common = logs.filter((row) => used.every((c) => row[c].length));
  const means = [...Array(n).keys()].map((c) => {
    if (!common.length || !used.includes(c)) return null;
    const seeds = common[0][c].length;
    if (common.every((row) => row[c].length === seeds))
      return intervalOf([...Array(seeds).keys()].map((s) => mean(common.map((row) => row[c][s]))));
    return { mean: exp(mean(common.map((row) => mean(row[c])))), low: null, high: null, n: 1 };
  });
  return { means, rows: common.length };
}

/* ---- numbers for people ---- */

function fmt(v, unit) {
  if (v === null || v === undefined || Number.isNaN(v)) return "-";
  if (Number.isInteger(v) && unit !== "x") return v.toLocaleString("en-US");
  const a = Math.abs(v);
  return a >= 1e5 ? Math.round(v).toLocaleString("en-US") : a >= 100 ? v.toFixed(1) : v.toFixed(3);
}
const fmtMean = (m) => (m === null ? "-" : m.low === null ? fmt(m.mean, "x")
  : `${fmt(m.mean, "x")} \u00b1${fmt((m.high - m.low) / 2, "x")}${m.low <= 1 && m.high >= 1 ? "\u2248" : ""}`);
const percent = (v) => (100 * v).toFixed(1) + " %";
function fmtBytes(b) {
  const units = ["B", "KB", "MB", "GB"];
  let u = 0;
  while (b >= 1024 && u < 3) { b /= 1024; u++; }
  return +b.toPrecision(4) + " " + units[u];
}

/* ---- elements ---- */

function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}
function choice(label, id, values, value, change) {
  const s = el("select", { id, onchange: () => change(s.value) },
    ...values.map((v) => {
      const [id_, text] = Array.isArray(v) ? v : [v, v];
      return el("option", { value: id_, selected: id_ === value }, text);
    }));
  return el("label", {}, label, s);
}
