// Start the page: sort tables, show cards, and recompute results when a control changes.

const VIEWS = []; // one for each comparison on the page

// pre: the prefix of all ids in the chapter of the comparison
function viewOf(data, pre) {
  const model = new Model(data);
  const reported = { rope: data.rope || 0, threshold: data.threshold, ties: data.ties, prior: null,
    baseline: data.baseline === null ? null : data.systems.indexOf(data.baseline) };
  const settings = { ...reported };
  Object.assign(model, { reported, settings });
  const view = { data, model, reported, pinned: null, pre,
    settings, index: new Map(data.systems.map((s, k) => [s, k])),
    cells: [], waiting: 0 };
  view.ropeMost = mostRope(data, model);
  view.outcomes = reportedOutcomes(view);
  return view;
}

function start(data) {
  const { pre } = data, view = viewOf(data, pre), { model } = view;
  const id = (name) => pre + name;
  const answer = document.getElementById(id("answer"));
  view.root = answer.closest(".chapter");
  view.of = view.root.localName === "main" ? "" : " of " + view.root.querySelector("h2").textContent;
  view.named = new Map([...view.root.querySelectorAll("table:not(.forest, .matrix) [title]:has(.cut)")]
    .map((cell) => [cell.title, cell]));
  view.card = make("aside", { id: id("bt-card"), class: "bt-card", "aria-label": "The pair" + view.of,
    hidden: true, tabindex: -1 });
  view.grey = make("p", { class: "grey", hidden: true });
  view.moved = make("p", { class: "grey change", hidden: true });
  const controls = controlsOf(view);
  view.fold = make("details", { class: "fold" }, make("summary", {},
    make(answer.querySelector("h2, h3").localName, { id: id("bt-try"), text: "Explore" }),
    make("span", { text: "another threshold, ROPE, baseline, prior, or rule for ties" })),
    make("div", {}, controls.form, make("div", { role: "status" }, view.moved), view.grey));
  view.part = make("section", { id: id("try"), class: "part explore", "aria-labelledby": id("bt-try")
    + (view.of ? " " + id("chapter-heading") : "") }, view.fold);
  const details = document.getElementById(id("details"));
  if (details) details.before(view.part); else view.root.append(view.part);
  if (!VIEWS.length) view.root.append(make("p", { id: "bt-status", class: "quiet", role: "status" }));
  VIEWS.push(view);
  document.body.append(view.card);
  attachPairs(view);
  attachMatrix(view);
  attachSystems(view);
  attachPicture(view);
  view.show = (i, j, from) => { if (view.pinned === null) showCard(view, i, j, from); };
  view.pin = (i, j) => {
    view.settings.pair = view.pinned = model.pair(i, j);
    showCard(view, i, j, null);
    remember();
    view.card.focus();
  };
  view.change = (what, done) => change(view, what, done, controls);
  view.unpin = () => unpin(view);
  on(document, "keydown", (event) => { if (event.key === "Escape") view.unpin(); });
  view.read = (hash) => read(view, controls, hash);
  return view;
}

function attachPairs(view) {
  view.live = liveTable(view);
  const old = [...view.root.querySelectorAll('table[data-table="pairs"]')];
  if (!old.length) { view.part.append(view.live.element); return; }
  old.forEach((table, k) => {
    const holder = table.closest("details.more") || table.closest(".scroll") || table;
    const rest = holder.nextElementSibling;
    if (k === 0) holder.before(view.live.element);
    for (const gone of [holder, rest && rest.matches("p.rest") ? rest : null]) {
      if (!gone) continue;
      gone.hidden = true;
      gone.classList.add("was"); // shown in print
    }
    const filter = (k ? holder : view.live.element).previousElementSibling;
    if (filter && filter.matches("p.filter")) filter.remove();
  });
}

// Cells that count the verdicts of each system, joint ones if there are any
function attachSystems(view) {
  const ends = { "Better than": "worse", "Worse than": "better", Undecided: "undecided",
    "Equivalent to": "equivalent" };
  view.ends = [];
  for (const table of view.root.querySelectorAll('table[data-table="systems"]')) {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      const system = view.index.get(row.dataset.of);
      heads.forEach((head, c) => {
        if (system !== undefined && ends[head] && !view.data.kept) {
          view.ends.push([row.cells[c], system, ends[head], row.cells[c].textContent]);
        }
      });
    }
  }
}

function followSystems(view) {
  if (view.model.size > 2) {
    const same = sameSettings(view.settings, view.reported), met = new Map();
    for (const [cell, system, end, before] of view.ends) {
      if (!same && !met.has(system)) met.set(system, against(view, system));
      const of = same ? null : met.get(system), open = ["split", "no_verdict"];
      const number = same ? before : String((of[end] || []).length + (end === "undecided"
        ? open.reduce((sum, name) => sum + (of[name] || []).length, 0) : 0));
      setText(cell, number);
    }
  }
}

function attachMatrix(view) {
  const systems = view.data.order;
  const table = view.root.querySelector('table[data-table="matrix"]');
  if (table && table.tBodies[0].rows.length === systems.length) {
    view.cells = followTable(view, table, systems);
    view.caption = [table.caption, table.caption.textContent];
    return;
  }
  const svg = view.root.querySelector("svg.big");
  const paint = svg && followDrawing(view, svg, systems);
  if (!view.data.kept) view.paint = paint; // else the drawing stays as reported
}

// The picture of differences: verdicts follow threshold and ROPE
function attachPicture(view) {
  view.picture = [...view.root.querySelectorAll(".forest tr[data-of]")].map((row) =>
    ({ row, of: view.index.get(row.dataset.of), against: view.index.get(row.dataset.against),
      before: [...row.classList].find((name) => name.startsWith("v-")).slice(2) }))
    .filter(({ of, against, row }) => view.model.pair(of, against) !== undefined
      && row.querySelector(".iv"));
}

function followPicture(view) {
  const { model } = view, settings = model.valid;
  for (const { row, of, against, before } of view.picture) {
    const k = model.pair(of, against), words = row.querySelector(".verdict");
    const now = oriented(model.finalVerdict(k, settings.rope, settings.threshold), model.first[k] !== of);
    const verdict = model.known ? now : before;
    mark(row, verdict);
    setClass(words, "verdict v-" + verdict);
    if (model.size > 2) setText(words, verdict.replace("_", " "));
    else setVerdict(view, words, verdict, [model.systems[of], model.systems[against]], k);
  }
  for (const band of view.root.querySelectorAll("rect.rope")) {
    const [low, high, reverse] = band.dataset.scale.split(",").map(Number);
    const place = (value) => min(1, max(0, (value - low) / (high - low)));
    const [from, to] = [place(-settings.rope), place(settings.rope)];
    band.setAttribute("x", 100 * (reverse ? 1 - to : from) + "%");
    band.setAttribute("width", 100 * (to - from) + "%");
  }
}

// The theme follows the system, or is dark, or light; nothing is stored
function themeButton() {
  const root = document.documentElement, next = { undefined: "dark", dark: "light", light: "" };
  const button = make("button", { type: "button", class: "theme", text: "◐", onclick: () => {
    const theme = next[root.dataset.theme];
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    name();
  } });
  const name = () => button.setAttribute("aria-label", "Theme: " + (root.dataset.theme || "as the system"));
  name();
  document.querySelector("header.top .wrap").append(button);
}

function readAll() {
  const hash = location.hash;
  for (const view of VIEWS) view.wasRead = false;
  for (const view of VIEWS) view.read(hash);
  remember();
}

function read(view, controls, hash) {
  const settings = settingsFrom(hash, view), pair = settings.pair;
  view.pinned = null;
  change(view, settings, true, controls);
  if (pair !== null) view.pin(view.model.first[pair], view.model.second[pair]);
  view.wasRead = true;
}

// A move of a slider updates the rows that are shown; results over all pairs follow at rest
function change(view, what, done, controls) {
  const { model, settings } = view;
  const wasKnown = model.known;
  Object.assign(settings, what);
  const switched = settings.ties !== model.ties || settings.prior !== model.priorName;
  if (switched) model.settle(settings.ties, settings.prior);
  const all = switched || "baseline" in what || model.known !== wasKnown;
  if (all) { reread(view.live); fill(view.live); } else follow(view.live);
  clearTimeout(view.waiting);
  const rest = () => settle(view, controls);
  if (done) rest(); else view.waiting = setTimeout(rest, 60);
}

function settle(view, controls) {
  controls.sync();
  markCells(view, view.cells);
  if (view.paint && !sameSettings(view.settings, view.painted || view.reported)) { view.paint(); view.painted = { ...view.settings }; }
  followSystems(view);
  followPicture(view);
  describeChange(view);
  if (!view.card.hidden && view.at) showCard(view, ...view.at);
  remember();
}

// The answer stays as written; one line compares it with the reader's settings
function describeChange(view) {
  const line = changeLine(view), limit = limitLine(view);
  view.root.classList.toggle("moved", line !== "");
  view.root.classList.toggle("alone", !view.model.known);
  const { caption, model } = view;
  if (caption) setText(caption[0], caption[1].replace(/,\sfrom the joint[^;]*/, model.alone || "$&"));
  view.live.table.classList.toggle("without", !(view.settings.rope > 0));
  view.moved.hidden = line === "";
  setText(view.moved, line);
  if (line) view.fold.open = true;
  view.grey.hidden = limit === "";
  setText(view.grey, limit);
}

function showCard(view, i, j, from) {
  const k = view.model.pair(i, j);
  for (const other of VIEWS) if (other !== view && !other.card.hidden) hideCard(other);
  view.at = [i, j, from];
  view.card.replaceChildren(
    make("button", { type: "button", class: "close", "aria-label": "Close", text: "×",
      onclick: () => view.unpin() }),
    make("h2", { text: view.model.systems[i] + " and " + view.model.systems[j] }),
    k === undefined ? elsewhere(view, i, j) : cardOf(view, k));
  view.card.hidden = false;
  if (from && from === document.activeElement) {
    announce(view.card.querySelector("h2").textContent + ": "
      + view.card.querySelector("dd").textContent);
  }
}

// Of a pair that the page does not contain
function elsewhere({ model: { systems } }, i, j) {
  const [a, b] = [i, j].map((system) => JSON.stringify(systems[system]));
  return make("dd", { text: "This page does not contain the pair. In Python: c.data.sel(system_a=" + a
    + ", system_b=" + b + ")" });
}

function hideCard(view) {
  view.pinned = null;
  view.settings.pair = null;
  view.card.hidden = true;
  view.at = null;
}

function unpin(view) {
  const from = view.at && view.at[2];
  hideCard(view);
  remember();
  if (from && document.contains(from) && view.card.contains(document.activeElement)) from.focus();
}

// On paper all results are those of the written answer
function printAsReported() {
  const moved = new Map();
  on(window, "beforeprint", () => {
    for (const view of VIEWS) {
      if (sameSettings(view.settings, view.reported)) continue;
      moved.set(view, { ...view.settings });
      view.change({ ...view.reported }, true);
    }
  });
  on(window, "afterprint", () => {
    for (const [view, settings] of moved) view.change(settings, true);
    moved.clear();
  });
}

function begin(chapters) {
  for (const table of document.querySelectorAll("table")) enhanceTable(table);
  themeButton();
  const views = chapters.map(([texts, { data }]) => start({ ...data, ...texts })), view = views[0] || null;
  readAll();
  on(window, "hashchange", readAll);
  printAsReported();
  Object.defineProperty(window, "betterthan", { value: Object.freeze({ view, views, above, decide,
    probability, difference, studentBelow, interval }) });
  document.documentElement.classList.add("scripts");
}

const CHAPTERS = [...document.querySelectorAll("script.bt-data")].map((place) =>
  [place.dataset, JSON.parse(place.textContent)]);
if (CHAPTERS.some(([, { data }]) => data.systems.length > 20)) { // show the answer first
  requestAnimationFrame(() => setTimeout(() => begin(CHAPTERS), 0));
} else begin(CHAPTERS);
