/* Charts by Chart.js: colours, hover values in one place, arrow keys, drawn when they are seen. */
const PALETTE = M.palette;
let isPrinting = false;

function isDark() {
  if (isPrinting) return false;
  const t = document.documentElement.dataset.theme;
  return t ? t === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const ink = () => (isDark() ? "#e6e9ed" : "#1d2127");
const faint = () => (isDark() ? "#39414b" : "#d5d9df");

/* Designs have colours, a control is grey, a bound an outline. */
function coloursOf(axis) {
  let at = 0;
  return axis.run.map((run) => {
    const s = KEY.scheme.of[run], role = M.schemes[s].role;
    const grey = isDark() ? "#8d96a1" : "#9aa0a8";
    if (KEY.scheme.values[s] === "baseline") return { fill: isDark() ? "#6b7480" : "#777", line: "#777" };
    if (role === "control") return { fill: grey, line: grey };
    if (role === "bound") return { fill: "rgba(0,0,0,0)", line: ink() };
    const c = PALETTE[at++ % PALETTE.length];
    return { fill: c, line: c };
  });
}

/* ---- hover values ---- */

const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - w - 6)) + "px";
  tip.style.top = Math.max(4, y + 14 + h > innerHeight ? y - h - 10 : y + 14) + "px";
}
const hideTip = () => { tip.hidden = true; };
addEventListener("keydown", (e) => { if (e.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });

/* Anything with a data-tip says it when it is pointed at or has the focus. */
for (const kind of ["mouseover", "focusin"])
  addEventListener(kind, (e) => {
    const t = e.target.closest && e.target.closest("[data-tip]");
    if (!t) return kind === "mouseover" && e.target.tagName !== "CANVAS" ? hideTip() : undefined;
    const r = t.getBoundingClientRect();
    showTip(t.dataset.tip, e.clientX || r.left, e.clientY || r.bottom - 12);
  });

function chartTip({ chart, tooltip }) {
  if (!tooltip.opacity) return hideTip();
  const lines = [...tooltip.title, ...tooltip.body.flatMap((b) => b.lines)];
  const r = chart.canvas.getBoundingClientRect();
  showTip(lines.join("\n"), r.left + tooltip.caretX, r.top + tooltip.caretY);
}

/* ---- intervals ---- */

const intervals = {
  id: "intervals",
  afterDatasetsDraw(chart) {
    const { ctx } = chart;
    chart.data.datasets.forEach((set, d) => {
      if (!set.intervals || !chart.isDatasetVisible(d)) return;
      chart.getDatasetMeta(d).data.forEach((bar, i) => {
        const v = set.intervals[i];
        if (!v || v.low === null) return;
        const y = chart.scales.y, cap = Math.min(5, bar.width / 3);
        ctx.save();
        ctx.strokeStyle = ink();
        ctx.beginPath();
        for (const at of [v.low, v.high]) {
          ctx.moveTo(bar.x - cap, y.getPixelForValue(at));
          ctx.lineTo(bar.x + cap, y.getPixelForValue(at));
        }
        ctx.moveTo(bar.x, y.getPixelForValue(v.low));
        ctx.lineTo(bar.x, y.getPixelForValue(v.high));
        ctx.stroke();
        ctx.restore();
      });
    });
  },
};

/* A line across, at 1. */
const mark = {
  id: "mark",
  beforeDatasetsDraw(chart, args, options) {
    if (options.at === undefined) return;
    const { ctx, chartArea: a, scales: { y } } = chart, at = y.getPixelForValue(options.at);
    ctx.save();
    ctx.strokeStyle = ink();
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    ctx.moveTo(a.left, at);
    ctx.lineTo(a.right, at);
    ctx.stroke();
    ctx.restore();
  },
};

/* ---- drawing ---- */

const charts = new Map(); /* element: { make, chart } */
const seen = new IntersectionObserver((entries) => {
  for (const e of entries) if (e.isIntersecting) draw(e.target);
}, { rootMargin: "300px" });

function draw(box) {
  const c = charts.get(box);
  if (!c || c.chart) return;
  const canvas = box.querySelector("canvas");
  const config = c.make();
  canvas.setAttribute("aria-label", config.about);
  c.chart = new Chart(canvas, themed(config));
}

function themed(config) {
  Chart.defaults.color = ink();
  Chart.defaults.borderColor = faint();
  Chart.defaults.font.family = 'system-ui, "DejaVu Sans", sans-serif';
  const o = config.options;
  o.animation = false;
  o.maintainAspectRatio = false;
  o.responsive = true;
  o.plugins = { legend: { display: true, labels: { boxWidth: 12, boxHeight: 12 } }, ...o.plugins };
  o.plugins.tooltip = { enabled: false, external: chartTip, ...o.plugins.tooltip };
  config.plugins = [intervals, mark, ...(config.plugins ?? [])];
  return config;
}

/* A box for a chart that `make` describes; it is made when it comes into view. */
function chartBox(id, height, make) {
  const canvas = el("canvas", { id, tabindex: "0", role: "img", onkeydown: (e) => stepChart(e, box), onblur: hideTip });
  const box = el("div", { class: "chart", style: `height:${height}px` }, canvas);
  charts.set(box, { make, chart: null });
  return box;
}
function watchCharts(root) {
  for (const box of root.querySelectorAll(".chart")) seen.observe(box);
}
function dropCharts(root) {
  for (const box of root.querySelectorAll(".chart")) {
    const c = charts.get(box);
    if (c && c.chart) c.chart.destroy();
    charts.delete(box);
    seen.unobserve(box);
  }
}
function redrawCharts(all) {
  for (const [box, c] of charts) {
    const was = c.chart;
    if (was) was.destroy();
    c.chart = null;
    if (was || all) draw(box);
  }
}
function chartNamed(id) {
  const c = charts.get(document.getElementById(id)?.parentNode);
  return c && c.chart;
}

/* Arrow keys go from value to value, left and right within a series, up and down between them. */
function stepChart(e, box) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
  const c = charts.get(box)?.chart;
  if (!step || !c) return;
  e.preventDefault();
  const sets = c.data.datasets.map((_, d) => d).filter((d) => c.isDatasetVisible(d));
  const at = c.keyAt ?? { set: 0, index: -1 };
  const set = Math.max(0, Math.min(sets.length - 1, at.set + step[0]));
  const n = c.getDatasetMeta(sets[set]).data.length;
  const index = Math.max(0, Math.min(n - 1, at.index + step[1]));
  c.keyAt = { set, index };
  const active = [{ datasetIndex: sets[set], index }];
  const point = c.getDatasetMeta(sets[set]).data[index];
  c.setActiveElements(active);
  c.tooltip.setActiveElements(active, { x: point.x, y: point.y });
  c.update("none");
}

addEventListener("beforeprint", () => { isPrinting = true; redrawCharts(true); });
addEventListener("afterprint", () => { isPrinting = false; redrawCharts(false); });
