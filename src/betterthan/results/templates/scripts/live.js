// The table of all pairs, which follows the reader's settings.

const FIRST_ROWS = 50, MORE_ROWS = 500;

function liveTable(view) {
  const { data, model } = view;
  const ties = "t" in data.pairs, sized = data.kind !== "signs";
  const interval_ = data.ci_prob === null ? "" : " [" + intervalName(data) + "]";
  const judged = "Verdict";
  // name, class, value to sort by, its text
  const columns = [
    ["System", "l", (row) => row.sides[0], String], ["Other", "l", (row) => row.sides[1], String],
    ...(sized ? [["Difference" + interval_, "", (row) => row.d], ["", "plot"]] : []),
    ["P(better)", "", (row) => row.p], ["", "tally"],
    ["Wins", "", (row) => row.wins, grouped], ["Losses", "", (row) => row.losses, grouped],
    ...(ties ? [["Ties", "", (row) => row.ties, grouped]] : []),
    ...("other" in data.pairs ? [[data.other === "mean" ? "P(mean better)" : "P(wins more)", "",
      (row) => row.other, (p) => probability(p)]] : []),
    [judged, "l", (row) => row.verdict],
    ...(data.among ? [["Pairwise P(better)", "alone", (row) => row.alone]] : []),
    ...(sized ? [["P(|d| ≤ ROPE)", "within", (row) => row.within]] : []),
  ];
  const head = make("tr", {});
  const body = make("tbody", {});
  const caption = make("caption", {});
  const table = make("table", { class: "live cards" }, caption, make("thead", {}, head), body);
  const live = { view, table, body, caption, columns, rows: [], shown: [], limit: FIRST_ROWS,
    sort: null, wanted: "", only: "" };
  columns.forEach(([name, side, value], c) => {
    const cell = make(name ? "th" : "td", { scope: name ? "col" : null, class: side || null, text: name });
    head.append(cell);
    if (!name) return;
    table.style.setProperty("--c" + (c + 1), "'" + name + " '");
    sortButton(cell, (down) => { live.sort = [value, down]; live.judged = name === judged || side === "within";
      fill(live); });
  });
  live.places = [judged, "P(|d|", "Diff", "P(b", "Pair"].map((start) =>
    columns.findIndex(([name]) => name.startsWith(start)));
  live.within = live.places[1];
  live.more = make("button", { type: "button", class: "more",
    onclick: () => { live.limit = live.limit < MORE_ROWS ? MORE_ROWS : live.limit + MORE_ROWS; fill(live); } });
  const search = make("input", { type: "search", placeholder: "Filter by system", maxlength: 200,
    "aria-label": "Filter pairs by system",
    oninput: () => { live.wanted = search.value.trim().toLowerCase(); fill(live); } });
  const verdict = make("select", { "aria-label": "Filter pairs by verdict",
    onchange: () => { live.only = verdict.value; fill(live); } });
  for (const [value, text] of [["", "every verdict"], ["better", "decided"],
    ["undecided", "undecided"], ["equivalent", "equivalent"], ["split", "split"],
    ["no_data", "no examples, or one unit"]]) {
    verdict.append(make("option", { value, text }));
  }
  live.filter = make("p", { class: "filter" }, search, " ", verdict);
  for (const type of ["pointerover", "focusin"]) on(body, type, (event) => point(view, event));
  const names = make("datalist", { id: view.pre + "bt-names" },
    ...data.order.map((k) => make("option", { value: data.systems[k] })));
  const [one, other] = ["Compare", "with"].map((text) => make("input", { type: "search",
    list: names.id, "aria-label": text, onchange: () => {
      const [i, j] = [one, other].map((input) => view.index.get(input.value));
      if (i !== undefined && j !== undefined && i !== j) view.pin(i, j);
    } }));
  live.element = make("div", { class: "livepairs" }, data.kept ? make("p", { class: "filter", text: data.elsewhere }) : null,
    data.kept ? make("p", { class: "filter" }, "Compare ", one, " with ", other, names) : null, model.number > 3 ? live.filter : null,
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Every pair" + view.of }, table),
    live.more);
  return live;
}

function point(view, event) {
  const row = event.target.closest("tr[data-i]");
  if (row) view.show(Number(row.dataset.i), Number(row.dataset.j), row);
}

// Rebuild the rows: which system is first depends on ties and prior, not on ROPE or threshold
function reread(live) {
  const { view } = live, { model, settings } = view, rows = [];
  for (let k = 0; k < model.number; k++) {
    const of = model.fixedOf(k), [p, q, error] = model.probabilitiesOf(k), turn = p < 0.5;
    const [a, b] = turn ? [model.second[k], model.first[k]] : [model.first[k], model.second[k]];
    if (settings.baseline !== null && a !== settings.baseline && b !== settings.baseline) continue;
    const d = model.joint ? model.at("ad", k) : of.of ? pairMean(of.of) * (view.data.lower ? -1 : 1) : model.at("d", k);
    const [w, l, ties, other] = ["w", "l", "t", "other"].map((name) => model.at(name, k) ?? NaN);
    const known = of.stays ? NaN : 1;
    rows.push({ k, a, b, turn, sides: [model.systems[a], model.systems[b]], wins: turn ? l : w,
      losses: turn ? w : l, ties, d: d == null ? NaN : turn ? -d : d, p: known * (turn ? q : p), error,
      other: known * (turn ? 1 - other : other), alone: known * (turn ? of.q : of.p),
      mcse: of.error, verdict: "", within: NaN, stays: of.stays });
  }
  const none = (row) => row.stays === "no_data"; // pairs that were not compared come last
  rows.sort((x, y) => none(x) - none(y) || model.place[x.a] - model.place[y.a]
    || model.place[x.b] - model.place[y.b]);
  live.rows = rows;
  live.scale = scaleOf(rows.map((row) => turnedSize(model.size_of(row.k), row.turn)));
}

// Where a value stands, in percent of a scale that shows all intervals
function scaleOf(sizes) {
  let [low, high] = [0, 0];
  for (const [, from, to] of sizes) { low = min(low, from || 0); high = max(high, to || 0); }
  const pad = 0.03 * (high - low || 1);
  return (value) => 100 * (value - low + pad) / (high - low + 2 * pad) + "%";
}

const SHAPES = new Set(["better", "worse", "equivalent"]);
function shapeOf(verdict) { return "#m-" + (SHAPES.has(verdict) ? verdict : "undecided"); }

// The interval of a row with a zero line and a point
function intervalMark(scale, [d, low, up]) {
  const svg = drawing("svg", { class: "small", "aria-hidden": "true" },
    drawing("line", { class: "zero", x1: scale(0), x2: scale(0), y2: "100%" }));
  if (d === null || low == null) return svg;
  svg.append(drawing("line", { class: "iv", x1: scale(low), x2: scale(up), y1: "50%", y2: "50%" }),
    drawing("use", { x: scale(d), y: "50%" }));
  return svg;
}

// Wins, ties and losses as a bar
function tallyMark({ wins, losses, ties }) {
  const parts = [["v-better", wins], ["empty", ties || 0], ["v-worse", losses]], svg = drawing("svg",
    { class: "stacked", "aria-hidden": "true" });
  const all = wins + losses + (ties || 0) || 1;
  let left = 0;
  for (const [kind, n] of parts) {
    svg.append(drawing("rect", { class: kind, x: 100 * left / all + "%", width: 100 * n / all + "%", height: "100%" }));
    left += n;
  }
  return svg;
}

// A name as the written tables have it: cut in the middle where it is long
function nameNodes({ named }, name) {
  return named.has(name) ? [...named.get(name).cloneNode(true).childNodes] : [name];
}

function setVerdict(view, cell, verdict, sides, k) {
  const words = verdictWords(verdict, sides, oneOf(view, k));
  if (cell.textContent === words) return;
  const name = sides[["better", "worse"].indexOf(verdict)];
  cell.replaceChildren(...(name === undefined ? [words] : [...nameNodes(view, name), " better"]));
}

function fill(live) {
  const { view, body } = live, { model, settings: { baseline } } = view;
  let rows = live.rows;
  if (live.only || live.judged) for (const row of rows) judge(live, row);
  if (live.wanted) {
    rows = rows.filter((row) => [row.a, row.b].some((s) => model.systems[s].toLowerCase()
      .includes(live.wanted)));
  }
  if (live.only) {
    rows = rows.filter(({ verdict }) => verdict === live.only
      || (live.only === "better" && verdict === "worse"));
  }
  if (live.sort) rows = sorted(rows, ...live.sort);
  live.shown = rows.slice(0, live.limit);
  body.replaceChildren(...live.shown.map((row) => rowOf(live, row)));
  const of = live.rows.length;
  live.title = (rows.length < of ? grouped(rows.length) + " of " : "") + grouped(of)
    + (of === 1 ? " pair" : " pairs") + (baseline === null ? ""
    : " with the baseline " + model.systems[baseline]) + ", the system ahead first"
    + model.alone;
  writeCaption(live);
  live.more.hidden = live.shown.length >= rows.length;
  setText(live.more, "Show more of " + grouped(rows.length) + " pairs");
}

function writeCaption(live) {
  setText(live.caption, live.title + (live.shown.some((row) => row.sided)
    ? ". †: one-sided; the interval includes 0" : ""));
}

function sorted(rows, value, down) {
  const way = down ? -1 : 1;
  const missing = (v) => v == null || v !== v;
  return rows.map((row, k) => [value(row), k, row]).sort((x, y) => {
    const gap = missing(x[0]) - missing(y[0]);
    if (gap) return gap;
    const order = typeof x[0] === "string" ? x[0].localeCompare(y[0], "en", { numeric: true })
      : x[0] - y[0];
    return way * order || x[1] - y[1];
  }).map((one) => one[2]);
}

function judge(live, row) {
  const { model, settings } = live.view;
  row.verdict = oriented(model.shownVerdict(row.k, settings.rope, settings.threshold), row.turn);
  row.within = settings.rope > 0 && live.within >= 0 && !row.stays
    ? model.withinOf(row.k, settings.rope) : NaN;
}

function rowOf(live, row) {
  const { view } = live;
  judge(live, row);
  const size = live.within < 0 || row.stays ? [null] : turnedSize(view.model.size_of(row.k), row.turn);
  row.ends = size;
  row.text = size[0] === null ? "" : difference(...size).join(" ");
  const element = make("tr", { "data-i": row.a, "data-j": row.b });
  live.columns.forEach(([, side, value, write], c) => {
    const text = write ? write(value(row), row) : "", long = c < 2 && text.length > 20;
    const cell = make("td", { class: side + (long ? " long" : "") || null,
      title: view.named.has(text) ? text : null });
    // the keyboard opens the card in the first cell
    const place = c ? cell : cell.appendChild(make("button", { type: "button", class: "pick",
      onclick: () => view.pin(row.a, row.b) }));
    place.append(...nameNodes(view, text));
    if (side === "plot") { row.mark = intervalMark(live.scale, size); cell.append(row.mark); }
    if (side === "tally") cell.append(tallyMark(row));
    element.append(cell);
  });
  row.cells = live.places.map((at) => at < 0 ? null : element.cells[at]);
  write(live, row);
  return element;
}

function write(live, row) {
  const { threshold } = live.view.settings, [verdict, within, size, p, alone] = row.cells;
  setVerdict(live.view, verdict, row.verdict, row.sides, row.k);
  setClass(verdict, "l verdict v-" + row.verdict);
  if (row.mark) mark(row.mark, row.verdict);
  setText(within, probability(row.within));
  setText(p, probability(row.p, row.error, threshold));
  setText(alone, probability(row.alone, row.mcse, threshold));
  row.sided = size && oneSided(row.verdict, ...row.ends);
  setText(size, row.text + (row.sided ? " †" : ""));
}

// The color and the shape of a verdict
function mark(element, verdict) {
  const list = element.classList, name = "v-" + verdict;
  if (list.contains(name)) return;
  list.remove(...[...list].filter((one) => one.startsWith("v-")));
  list.add(name);
  const use = element.querySelector("use");
  if (use) use.setAttribute("href", shapeOf(verdict));
}

// Update the rows that are shown after a move of a slider
function follow(live) {
  for (const row of live.shown) {
    judge(live, row);
    write(live, row);
  }
  writeCaption(live);
}
