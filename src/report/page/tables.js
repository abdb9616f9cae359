/* Tables that can be sorted and filtered. What is chosen is in the address. */
const ROWS_FIRST = 40;

/* "scheme=tsc cycles>1000 spmv": conditions on columns, and words that must be there. */
function rowTest(columns, query) {
  const tests = query.trim().toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const m = /^([^<>=]+)(<=|>=|=|<|>)(.+)$/.exec(word);
    const c = m && columns.find((x) => x.id.toLowerCase() === m[1] || x.title.toLowerCase() === m[1]);
    if (!c) return (row) => columns.some((x) => String(x.show(row)).toLowerCase().includes(word));
    const number = Number(m[3]);
    return (row) => {
      const v = c.get(row);
      if (m[2] === "=") return String(c.show(row)).toLowerCase() === m[3] || (v !== null && v === number);
      if (v === null || Number.isNaN(number)) return false;
      return m[2] === "<" ? v < number : m[2] === ">" ? v > number : m[2] === "<=" ? v <= number : v >= number;
    };
  });
  return (row) => tests.every((t) => t(row));
}

function sorted(rows, column, down) {
  const sign = down ? -1 : 1;
  return rows.map((row) => [column.get(row), row]).sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  }).map(([, row]) => row);
}

/* A column is { id, title, get(row), show(row)?, number?, help? }; rows are anything. */
function tableBox(name, columns, rows, options = {}) {
  for (const c of columns) c.show ??= (row) => (c.number ? fmt(c.get(row)) : c.get(row) ?? "-");
  const count = el("span", { class: "dim", id: name + "-count" });
  const body = el("tbody");
  const more = el("button", { type: "button", onclick: () => { limit += 500; fill(); } }, "more rows");
  const input = el("input", { type: "search", id: name + "-filter", placeholder: "words, or column>value",
    value: state["q." + name] ?? "", oninput: () => { setState({ ["q." + name]: input.value }); fill(); } });
  let limit = ROWS_FIRST;
  const heads = columns.map((c) => el("th", { scope: "col", class: c.number ? "n" : "", title: c.help },
    el("button", { type: "button", "data-sort": c.id, onclick: () => sort(c) }, c.title)));

  function sort(c) {
    const was = state["sort." + name] ?? "";
    const first = c.number ? "-" : "";
    setState({ ["sort." + name]: was === first + c.id ? (first ? "" : "-") + c.id : first + c.id });
    fill();
  }
  function fill() {
    const query = state["q." + name] ?? "", by = state["sort." + name] ?? options.sort ?? "";
    const id = by.replace(/^-/, ""), column = columns.find((c) => c.id === id);
    let shown = query ? rows.filter(rowTest(columns, query)) : rows;
    if (column) shown = sorted(shown, column, by.startsWith("-"));
    columns.forEach((c, i) => {
      if (c === column) heads[i].setAttribute("aria-sort", by.startsWith("-") ? "descending" : "ascending");
      else heads[i].removeAttribute("aria-sort");
    });
    body.replaceChildren(...shown.slice(0, limit).map((row) => {
      const tr = el("tr", options.row ? options.row(row) : {});
      for (const c of columns) {
        const td = document.createElement("td");
        if (c.number || c.text) td.className = c.number ? "n" : "text";
        td.textContent = c.show(row);
        tr.append(td);
      }
      return tr;
    }));
    count.textContent = `${shown.length.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")}` +
      (shown.length > limit ? `, the first ${limit} shown` : "");
    more.hidden = shown.length <= limit;
  }
  fill();
  return el("div", {},
    el("div", { class: "tools" }, el("label", {}, "filter", input), count),
    el("div", { class: "scroll" }, el("table", { class: "long", id: name + "-table" }, el("thead", {}, el("tr", {}, ...heads)), body)),
    el("div", { class: "tools" }, more));
}
