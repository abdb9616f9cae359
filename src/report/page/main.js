/* The page: sections, filters, theme, and how its runs were made. */

function madeSection() {
  const counts = {};
  for (const s of M.status) counts[s] = (counts[s] ?? 0) + 1;
  const out = [];
  if (N) out.push(el("p", {}, `${M.study}: ${fmt(N)} runs (${Object.entries(counts).map(([s, n]) => `${fmt(n)} ${s}`).join(", ")}).`));
  for (const p of M.provenance) {
    const m = p.made, words = [m.command, ...(m.arguments ?? [])].filter(Boolean).join(" ");
    out.push(el("details", {}, el("summary", {}, `${p.file}${p.runs ? `, ${fmt(p.runs)} runs` : ""}: weir ${m.weir ?? "?"} (${String(m.commit ?? "?").slice(0, 12)}) ${words}`),
      el("pre", {}, JSON.stringify(m, null, 1))));
  }
  if (!M.provenance.length) out.push(need("The files do not say how they were made."));
  return out;
}

/* Where the runs differ in something, a map can be drawn. */
const hasMap = () => M.keys.filter((k) => k.values.length > 1 && k.name !== "seed").length > 1;
const SECTIONS = [
  ...(N ? [["speedup", "Speed-up", speedupSection], ...M.stacks.map((s) => [s.name, s.title, () => stackSection(s)]),
    ["cost", "Energy and storage against speed-up", costSection], ...(hasMap() ? [["heat", "Map", heatSection]] : []),
    ["kernels", "Kernels", kernelSection],
    ...(Object.keys(M.decisions).length ? [["decisions", "Decisions over time", decisionSection]] : [])] : []),
  ...(M.characters.length ? [["loads", "Reuse and loads", loadSection]] : []),
  ...(N ? [["runs", "Runs", runSection]] : []),
  ["made", "How it was made", madeSection],
];
const NAMES = { decisions: "Decisions", composition: "Loads", stalls: "Stalls", cost: "Cost", made: "Provenance", loads: "Reuse" };

function renderSection(id) {
  const section = document.getElementById(id), [, title, make] = SECTIONS.find((s) => s[0] === id);
  const focus = document.activeElement?.id;
  dropCharts(section);
  section.replaceChildren(el("h2", {}, title), ...make());
  watchCharts(section);
  if (focus && section.querySelector("#" + CSS.escape(focus))) document.getElementById(focus).focus();
}
const renderAll = () => { for (const [id] of SECTIONS) renderSection(id); };

/* ---- filters ---- */

function pickList(key) {
  const without = hidden(key), values = KEY[key].values;
  const toggle = (v) => () => {
    if (without.has(v)) without.delete(v); else without.add(v);
    setState({ ["no." + key]: [...without].join("\u001f") });
    summary.textContent = text();
    renderAll();
  };
  const text = () => `${key}s: ${values.length - without.size} of ${values.length}`;
  const summary = el("summary", {}, text());
  return el("details", { class: "pick", id: "pick-" + key }, summary, el("div", {}, ...values.map((v) =>
    el("label", {}, el("input", { type: "checkbox", value: v, checked: !without.has(v), onchange: toggle(v) }), v))));
}

function renderFilters() {
  const form = document.getElementById("filters");
  const items = FILTERED.map((k) => choice(k.name, "filter-" + k.name, ["all", ...k.values], chosen(k.name),
    (v) => { setState({ [k.name]: v === (defaults[k.name] ?? "all") ? "" : v }); renderAll(); }));
  for (const key of ["workload", "scheme"]) if (KEY[key] && KEY[key].values.length > 1) items.push(pickList(key));
  form.replaceChildren(...items);
  form.hidden = !items.length;
  form.onsubmit = (e) => e.preventDefault();
}

/* ---- theme ---- */

function applyTheme() {
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  document.getElementById("theme").textContent = "theme: " + (state.theme ?? "auto");
}
document.getElementById("theme").onclick = () => {
  setState({ theme: { undefined: "dark", dark: "light", light: "" }[state.theme] });
  applyTheme();
  redrawCharts(false);
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawCharts(false));

/* ---- all of it ---- */

const nav = document.getElementById("nav");
function showView(view) {
  const section = document.getElementById(view ?? "");
  if (section) section.scrollIntoView();
}
function markView() {
  const at = SECTIONS.map(([id]) => document.getElementById(id)).filter((s) => s.getBoundingClientRect().top < 120).pop();
  for (const a of nav.children) {
    if (at && a.dataset.view === at.id) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
  }
}
function openPage() {
  readState();
  applyTheme();
  renderFilters();
  renderAll();
  showView(state.view);
  markView();
}

document.getElementById("main").replaceChildren(...SECTIONS.map(([id, title]) => el("section", { id, "aria-label": title })));
nav.replaceChildren(...SECTIONS.map(([id, title]) => el("a", { href: "#view=" + id, "data-view": id,
  onclick: (e) => { e.preventDefault(); setState({ view: id }); showView(id); } }, NAMES[id] ?? title)));
addEventListener("hashchange", openPage);
addEventListener("scroll", markView, { passive: true });
openPage();
