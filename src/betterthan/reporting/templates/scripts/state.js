// The settings of the reader in the fragment of the address, so that a link shows the same page.
// What a fragment says is looked up or read as a number in bounds; anything else is ignored.

const KEYS = ["rope", "threshold", "ties", "prior", "baseline", "pair"];

function settingsFrom(fragment, view) {
  const found = Object.assign({}, view.reported, { pair: null });
  const text = String(fragment).replace(/^#/, "");
  if (!text.includes("=") || text.length > 500 * VIEWS.length) return found;
  const all = new URLSearchParams(text), given = { get: (key) => all.get(view.pre + key) };
  const rope = numberIn(given.get("rope"), 0, view.ropeMost);
  const threshold = numberIn(given.get("threshold"), 0.5, 1);
  if (rope !== null && view.ropeMoves) found.rope = rope;
  if (threshold !== null && threshold > 0.5 && threshold < 1) found.threshold = threshold;
  if (view.model.switches) {
    const ties = given.get("ties"), prior = given.get("prior");
    if (ties !== null && Object.prototype.hasOwnProperty.call(POLICIES, ties)) found.ties = ties;
    if (prior !== null && Object.prototype.hasOwnProperty.call(view.data.priors, prior)) {
      found.prior = prior;
    }
  }
  const baseline = placeIn(given.get("baseline"), view.model.size);
  if (baseline !== null && view.model.size > 2) found.baseline = baseline;
  else if (given.get("baseline") === "none") found.baseline = null;
  found.pair = placeIn(given.get("pair"), view.model.number);
  return found;
}

function numberIn(text, low, high) {
  if (text === null || !/^\d*\.?\d+(e-?\d+)?$/.test(text)) return null;
  const value = Number(text);
  return value >= low && value <= high ? value : null;
}

function placeIn(text, size) {
  if (text === null || !/^\d{1,7}$/.test(text)) return null;
  return Number(text) < size ? Number(text) : null;
}

// Of every comparison on the page; the keys of the second begin with c2-
function fragmentNow() {
  const given = new URLSearchParams();
  for (const { settings, reported, pre } of VIEWS) {
    for (const key of KEYS) {
      const value = settings[key];
      if (value === (reported[key] === undefined ? null : reported[key])) continue;
      given.set(pre + key, value === null ? "none" : String(value));
    }
  }
  return given.toString();
}

function remember() {
  if (!VIEWS.every((view) => view.wasRead)) return; // not before all of it was looked at
  const fragment = fragmentNow();
  const now = location.hash.replace(/^#/, "");
  if (fragment === now || (!fragment && !now.includes("="))) return;
  try {
    history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
  } catch (error) { /* a frame without an address of its own */ }
}
