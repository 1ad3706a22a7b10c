// The matrix: a cell that is hovered or focused shows the card of its pair. With more systems than
// a table can hold, the matrix is drawn on a canvas.

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
  table.addEventListener("pointerover", (event) => { const c = cellOf(event); if (c) show(c); });
  table.addEventListener("focusin", (event) => { const c = cellOf(event); if (c) show(c); });
  table.addEventListener("click", (event) => { const c = cellOf(event); if (c) { c.focus(); } });
  table.addEventListener("keydown", (event) => {
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
    const verdict = oriented(model.shownVerdict(k, settings.rope, settings.threshold), j < i);
    const p = model.probabilitiesOf(k)[j < i ? 1 : 0];
    const known = verdict !== "no_data", decided = verdict === "better" || verdict === "worse";
    setText(cell, known ? percentOf(p) + (decided ? "*" : "") : "");
    setClass(cell, known ? "shade " + (decided ? "decided" + (p >= 0.86 ? " deep" : "")
      : verdict === "equivalent" ? "open same" : "open") : "");
    cell.style.setProperty("--p", String(Math.round(100 * p)));
  }
}

function shadeOf(p) { return "hsl(212 45% " + (100 - Math.round(60 * p)) + "%)"; }

// A matrix of many systems on a canvas; arrow keys move, and the label names the cell
function paintedMatrix(view, systems) {
  const n = systems.length, size = Math.max(4, Math.min(9, Math.floor(900 / n)));
  const canvas = make("canvas", { width: n * size, height: n * size, tabindex: 0, role: "img",
    class: "matrix", "aria-describedby": view.pre + "bt-matrix-how" });
  const label = (r, c) => view.model.systems[systems[r]] + " against "
    + view.model.systems[systems[c]];
  let at = [0, 1];
  const pick = (r, c) => {
    if (r < 0 || c < 0 || r >= n || c >= n || r === c) return;
    at = [r, c];
    paint();
    canvas.setAttribute("aria-label", "Matrix of " + n + " systems. " + label(r, c));
    view.show(systems[r], systems[c], canvas);
  };
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    return [Math.floor((event.clientY - box.top) / box.height * n),
      Math.floor((event.clientX - box.left) / box.width * n)];
  };
  canvas.addEventListener("pointermove", (event) => pick(...where(event)));
  canvas.addEventListener("click", (event) => { canvas.focus(); pick(...where(event)); });
  canvas.addEventListener("focus", () => pick(...at));
  canvas.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    let [r, c] = [at[0] + step[0], at[1] + step[1]];
    if (r === c) { r += step[0]; c += step[1]; }
    pick(r, c);
    event.preventDefault();
  });
  const paint = () => {
    const pen = canvas.getContext("2d"), { model, settings } = view;
    pen.clearRect(0, 0, n * size, n * size);
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) {
        if (r === c) continue;
        const k = model.pair(systems[r], systems[c]), of = model.fixedOf(k);
        if (of.stays) continue;
        const [p, q] = model.probabilitiesOf(k), shown = systems[c] < systems[r] ? q : p;
        pen.fillStyle = shadeOf(shown);
        pen.fillRect(c * size, r * size, size, size);
        const sure = Math.max(p, q) >= settings.threshold;
        if (!sure) { // dotted: undecided
          pen.fillStyle = "#8a8a8a";
          pen.fillRect(c * size + size / 2 - 0.5, r * size + size / 2 - 0.5, 1, 1);
        }
      }
    }
    pen.strokeStyle = "#e39a3b";
    pen.lineWidth = 2;
    pen.strokeRect(at[1] * size, at[0] * size, size, size);
  };
  canvas.setAttribute("aria-label", "Matrix of " + n + " systems");
  return { canvas, paint };
}
