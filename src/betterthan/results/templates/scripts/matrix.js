// The matrix: a cell that is hovered or focused shows the card of its pair.

// systems: their indices in the data, in the order of the rows
function followTable(view, table, systems) {
  const rows = [...table.tBodies[0].rows];
  const at = new Map(); // the two cells of each pair
  rows.forEach((row, r) => {
    [...row.cells].slice(1).forEach((cell, c) => {
      if (r === c || r >= systems.length || c >= systems.length) return;
      cell.dataset.i = systems[r];
      cell.dataset.j = systems[c];
      cell.tabIndex = -1;
      at.set(r + ":" + c, cell);
    });
  });
  const first = at.get("0:1");
  if (first) first.tabIndex = 0;
  table.setAttribute("role", "grid");
  rows.forEach((row) => [...row.cells].forEach((cell, c) => cell.setAttribute("role",
    c ? "gridcell" : "rowheader")));
  const cellOf = (event) => event.target.closest("td[data-i]");
  const show = (cell) => view.show(Number(cell.dataset.i), Number(cell.dataset.j), cell);
  for (const type of ["pointerover", "focusin"]) {
    on(table, type, (event) => { const c = cellOf(event); if (c) show(c); });
  }
  on(table, "click", (event) => { const c = cellOf(event); if (c) { c.focus(); } });
  on(table, "keydown", (event) => {
    const cell = cellOf(event), step = STEPS[event.key];
    if (!cell || !step) return;
    const r = systems.indexOf(Number(cell.dataset.i)), c = systems.indexOf(Number(cell.dataset.j));
    for (let n = 1; n < 3; n++) { // skip the diagonal
      const next = at.get((r + n * step[0]) + ":" + (c + n * step[1]));
      if (!next) continue;
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      break;
    }
    event.preventDefault();
  });
  return [...at.values()];
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// As in the report: the joint probability if there is one, and * if a system is better
function markCells(view, cells) {
  const { model, settings } = view;
  for (const cell of cells) {
    const i = Number(cell.dataset.i), j = Number(cell.dataset.j), k = model.pair(i, j);
    if (k === undefined) continue;
    const verdict = oriented(model.shownVerdict(k, settings.rope, settings.threshold), j < i);
    const p = model.probabilitiesOf(k)[j < i ? 1 : 0];
    const known = !verdict.startsWith("no_"), decided = verdict === "better" || verdict === "worse";
    setText(cell, known ? percentOf(p, settings.threshold) + (decided ? "*" : "") : "");
    setClass(cell, known ? "shade k" + matrixClass(p, decided) + (verdict === "equivalent" ? " same" : "") : "");
  }
}

// The class of a cell's color, as in results/marks.py
function matrixClass(p, decided) {
  if (decided) return p < 0.5 ? 0 : 6;
  return 1 + [0.25, 0.45, 0.55, 0.75].filter((bound) => p >= bound).length;
}

// A matrix of many systems is a drawing; arrow keys move (with Shift by 10), and the label names the
// cell
function followDrawing(view, svg, systems) {
  const n = systems.length, cross = drawing("path", { class: "cross" });
  svg.append(cross);
  let at = [0, 1];
  const label = () => view.model.systems[systems[at[0]]] + " against " + view.model.systems[systems[at[1]]];
  const pick = (r, c) => {
    if (r < 0 || c < 0 || r >= n || c >= n || r === c) return;
    at = [r, c];
    cross.setAttribute("d", "M" + (c + 0.5) + " 0V" + n + "M0 " + (r + 0.5) + "H" + n);
    svg.setAttribute("aria-label", "Matrix of " + n + " systems. " + label());
    view.show(systems[r], systems[c], svg);
  };
  const where = (event) => {
    const box = svg.getBoundingClientRect();
    return [Math.floor((event.clientY - box.top) / box.height * n),
      Math.floor((event.clientX - box.left) / box.width * n)];
  };
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-label", "Matrix of " + n + " systems; arrow keys move");
  on(svg, "pointermove", (event) => pick(...where(event)));
  on(svg, "click", (event) => { svg.focus(); pick(...where(event)); });
  on(svg, "focus", () => pick(...at));
  on(svg, "keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    const far = event.shiftKey ? 10 : 1;
    let [r, c] = at.map((place, k) => max(0, min(n - 1, place + far * step[k])));
    if (r === c) { r += step[0]; c += step[1]; }
    pick(r, c);
    event.preventDefault();
  });
  return () => drawRuns(view, svg, systems);
}

// A path for each class, of runs along the rows
function drawRuns(view, svg, systems) {
  const { model, settings } = view, { rope, threshold } = settings, paths = Array(7).fill("");
  systems.forEach((i, r) => {
    let start = 0, before = -1;
    for (let c = 0; c <= systems.length; c++) {
      let kind = -1;
      if (c < systems.length && c !== r) {
        const j = systems[c], k = model.pair(i, j), verdict = model.shownVerdict(k, rope, threshold);
        const p = model.probabilitiesOf(k)[j < i ? 1 : 0];
        if (!verdict.startsWith("no_")) kind = matrixClass(p, verdict === "a_better" || verdict === "b_better");
      }
      if (kind === before) continue;
      if (before >= 0) paths[before] += "M" + start + " " + r + "h" + (c - start) + "v1h-" + (c - start) + "z";
      start = c;
      before = kind;
    }
  });
  svg.querySelectorAll("path[class^=k]").forEach((path) => path.remove());
  svg.prepend(...paths.map((d, kind) => drawing("path", { class: "k" + kind, d })));
}
