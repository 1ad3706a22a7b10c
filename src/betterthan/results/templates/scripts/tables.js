// Sort any table of the page by its column heads, and filter its rows.

const SORTED_FROM = 3, FILTERED_FROM = 9; // rows

function valueOf(text) {
  const plain = text.replace(/,(?=\d{3})/g, "").replace(/−/g, "-");
  const match = /^\s*([<>≥≤]?)\s*([+-]?\d*\.?\d+(?:e[+-]?\d+)?)/i.exec(plain);
  if (!match) return null;
  const nudge = match[1] === "<" ? -1e-12 : match[1] === ">" ? 1e-12 : 0;
  return Number(match[2]) + nudge;
}

// Numbers before words; empty cells last in either direction
function compareTexts(a, b, down) {
  const empty = (text) => text.trim() === "" || text.trim() === "–";
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  const x = valueOf(a), y = valueOf(b), way = down ? -1 : 1;
  if (x !== null && y !== null) return way * (x - y);
  if (x !== null || y !== null) return x !== null ? -1 : 1;
  return way * a.localeCompare(b, "en", { numeric: true });
}

function sortButton(head, sort) {
  const name = head.textContent;
  const button = make("button", { type: "button", class: "sort" });
  while (head.firstChild) button.append(head.firstChild);
  button.append(make("span", { class: "arrow", "aria-hidden": "true" }));
  on(button, "click", () => {
    const down = head.getAttribute("aria-sort") === "ascending"
      || (head.getAttribute("aria-sort") !== "descending" && !head.classList.contains("l"));
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    sort(down);
    announce("Sorted by " + name + ", " + (down ? "descending" : "ascending"));
  });
  head.append(button);
}

function enhanceTable(table) {
  const body = table.tBodies[0], heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
  if (!body || body.rows.length < SORTED_FROM || table.matches(".matrix, .forest")) return;
  heads.forEach((head, column) => {
    if (head.localName !== "th") return;
    sortButton(head, (down) => {
      const rows = [...body.rows].map((row, k) => [row.cells[column].textContent, k, row]);
      rows.sort((a, b) => compareTexts(a[0], b[0], down) || a[1] - b[1]);
      body.append(...rows.map((row) => row[2]));
    });
  });
  if (body.rows.length >= FILTERED_FROM) table.parentElement.before(filterOf(table, body));
}

function filterOf(table, body) {
  const caption = table.caption ? table.caption.textContent.slice(0, 60) : "table";
  const count = make("span", { class: "count" });
  const input = make("input", { type: "search", placeholder: "Filter rows", maxlength: 200,
    "aria-label": "Filter rows: " + caption });
  on(input, "input", () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    setText(count, wanted ? grouped(shown) + " of " + grouped(body.rows.length) : "");
  });
  return make("p", { class: "filter" }, input, " ", count);
}

function announce(text) {
  setText(document.getElementById("bt-status"), text);
}
