// The page comes alive: tables are sorted, cells tell of their pair, and sliders move verdicts.

const VIEWS = []; // one of each comparison on the page

// pre: what the ids of its chapter begin with
function viewOf(given, pre) {
  const data = given.data, model = new Model(data);
  const reported = { rope: data.rope || 0, threshold: data.threshold, ties: data.ties, prior: null,
    baseline: data.baseline === null ? null : data.systems.indexOf(data.baseline) };
  const view = { data, model, reported, base: given.facts, all: given.sentences, pinned: null, pre,
    settings: Object.assign({}, reported), index: new Map(data.systems.map((s, k) => [s, k])),
    cells: [], waiting: 0 };
  view.ropeMoves = data.kind === "counts" || data.kind === "units";
  view.ropeMost = mostRope(data, model);
  view.whyNot = data.kind === "drawn" ? "These answers were drawn: the page has no posterior to "
    + "move a rope over." : "The number of ties is unknown, and a rope needs it.";
  return view;
}

function start(given, pre) {
  const view = viewOf(given, pre), { model } = view;
  const id = (name) => pre + name;
  const answer = document.getElementById(id("answer"));
  view.root = answer.closest(".chapter");
  view.of = view.root.localName === "main" ? "" : " of " + view.root.querySelector("h2").textContent;
  view.answer = document.getElementById(id("answer-lines"));
  view.firstLine = document.getElementById(id("first"));
  view.card = make("aside", { id: id("bt-card"), class: "bt-card", "aria-label": "The pair" + view.of,
    hidden: true, tabindex: -1 });
  view.grey = make("p", { class: "grey", hidden: true });
  view.moved = make("p", { class: "grey", hidden: true });
  const controls = controlsOf(view);
  view.part = make("section", { id: id("try"), "aria-labelledby": id("bt-try")
    + (view.of ? " " + id("chapter-heading") : "") },
    make(answer.querySelector("h2, h3").localName, { id: id("bt-try"), class: "bt-try", text: "What if" }),
    controls.form, view.moved, view.grey,
    VIEWS.length ? null : make("p", { id: "bt-said", class: "quiet", role: "status" }));
  answer.after(view.part);
  VIEWS.push(view);
  document.body.append(view.card);
  attachPairs(view);
  attachMatrix(view);
  attachSystems(view);
  view.show = (i, j, from) => { if (view.pinned === null) showCard(view, i, j, from); };
  view.pin = (i, j) => {
    view.pinned = model.pair(i, j);
    view.settings.pair = view.pinned;
    showCard(view, i, j, null);
    remember();
    view.card.focus();
  };
  view.change = (what, done) => change(view, what, done, controls);
  view.unpin = () => unpin(view);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") view.unpin(); });
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
      gone.classList.add("was"); // and is printed
    }
    const filter = (k ? holder : view.live.element).previousElementSibling;
    if (filter && filter.matches("p.filter")) filter.remove();
  });
}

// How the pairs of each system end, among all where it is told
function attachSystems(view) {
  const ends = { "Better than": "worse", "Worse than": "better", Open: "undecided",
    "Equivalent to": "equivalent" };
  view.ends = [];
  for (const table of view.root.querySelectorAll('table[data-table="systems"]')) {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      const system = view.index.get(row.dataset.of);
      heads.forEach((head, c) => {
        if (system !== undefined && ends[head]) {
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
      if (!same && !met.has(system)) met.set(system, against(view, system, view.model.systems));
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
    return;
  }
  if (systems.length < 3 || systems.length > 400) return;
  const painted = paintedMatrix(view, systems);
  view.paint = painted.paint;
  const part = document.getElementById(view.pre + "systems") || view.part;
  part.append(make("figure", { class: "painted" }, painted.canvas, make("figcaption", {
    id: view.pre + "bt-matrix-how", text: "Every system against every other, the best first: darker where the "
      + "row is more probably better than the column, dotted where it is open. Hover, or focus "
      + "and use the arrow keys.",
  })));
}

function readAll() {
  const hash = location.hash;
  for (const view of VIEWS) view.wasRead = false;
  for (const view of VIEWS) view.read(hash);
  remember();
}

function read(view, controls, hash) {
  const given = settingsFrom(hash, view), pair = given.pair;
  view.pinned = null;
  change(view, given, true, controls);
  if (pair !== null) view.pin(view.model.first[pair], view.model.second[pair]);
  view.wasRead = true;
}

// A move of a slider writes the rows that are shown; what needs every pair follows when it rests
function change(view, what, done, controls) {
  const { model, settings } = view;
  Object.assign(settings, what);
  const switched = settings.ties !== model.ties
    || settings.prior !== (view.priorName === undefined ? null : view.priorName);
  const all = switched || "baseline" in what;
  if (switched) {
    view.priorName = settings.prior;
    model.settle(settings.ties, settings.prior === null ? null : view.data.priors[settings.prior]);
  }
  if (all) { reread(view.live); fill(view.live); } else follow(view.live);
  if (model.number <= 500) markCells(view, view.cells);
  clearTimeout(view.waiting);
  const rest = () => settle(view, controls);
  if (done) rest(); else view.waiting = setTimeout(rest, 60);
}

function settle(view, controls) {
  controls.sync();
  if (view.model.number > 500) markCells(view, view.cells);
  if (view.paint) view.paint();
  followSystems(view);
  sayAnswer(view);
  greyOut(view);
  if (!view.card.hidden && view.at) showCard(view, ...view.at);
  remember();
}

function sayAnswer(view) {
  if (!view.answer) return;
  const lines = said(view.all, clean(factsNow(view)), "answer");
  const now = [...view.answer.children].map((line) => line.textContent);
  if (lines.length === now.length && lines.every((line, k) => line === now[k])) return;
  view.answer.replaceChildren(...lines.map((text) => make("li", { text })));
  if (view.firstLine) setText(view.firstLine, lines[0]);
}

// What the settings of the reader do not reach is greyed, and it is said why
function greyOut(view) {
  const { model, data, settings, reported } = view;
  const same = sameSettings(settings, reported);
  view.root.classList.toggle("moved", !same);
  view.root.classList.toggle("alone", !model.asReported);
  view.moved.hidden = same;
  setText(view.moved, same ? "" : "Shown as set here. The report has rope "
    + general(reported.rope, 4) + ", threshold " + general(reported.threshold, 4)
    + (reported.baseline === null ? "" : ", baseline " + data.systems[reported.baseline])
    + "; whatever does not change here stands as reported.");
  const hidden = model.asReported || !(data.among || view.base.best);
  view.grey.hidden = hidden;
  setText(view.grey, hidden ? "" : "Ties and prior are switched for each pair alone. What is among "
    + "all systems comes from one joint posterior, which the page does not have; it is greyed and "
    + "stands as reported.");
}

function showCard(view, i, j, from) {
  const k = view.model.pair(i, j);
  for (const other of VIEWS) if (other !== view && !other.card.hidden) hideCard(other);
  view.at = [i, j, from];
  view.card.replaceChildren(
    make("button", { type: "button", class: "close", "aria-label": "Close", text: "×",
      onclick: () => view.unpin() }),
    make("h2", { text: view.model.systems[i] + " and " + view.model.systems[j] }), cardOf(view, k));
  view.card.hidden = false;
  if (from && from === document.activeElement) {
    announce(view.card.querySelector(".said").textContent);
  }
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

// Where there are many systems the answer is shown before anything is computed
function begin(given) {
  for (const table of document.querySelectorAll("table")) enhanceTable(table);
  const views = given.map(([mark, each]) => start(Object.assign({ sentences: given[0][1].sentences },
    each), mark)), view = views[0] || null;
  readAll();
  window.addEventListener("hashchange", readAll);
  Object.defineProperty(window, "betterthan", { value: Object.freeze({ view, views, above, decide,
    said, clean, probability, difference, studentBelow, interval,
    factsNow: () => factsNow(view) }) });
  document.documentElement.classList.add("scripts");
}

const read_ = [...document.querySelectorAll("script.bt-data")].map((place) =>
  [place.dataset.pre, JSON.parse(place.textContent)]);
if (read_.some(([, given]) => given.data.systems.length > 20)) {
  requestAnimationFrame(() => setTimeout(() => begin(read_), 0));
} else begin(read_);
