// The reader's settings in the fragment of the address, so that a link shows the same page.
// A value in a fragment is a known name or a number within bounds; anything else is ignored.

const SETTINGS = ["threshold", "rope", "ties", "prior", "baseline"];
const KEYS = [...SETTINGS, "pair"];

function sameSettings(one, other) { return SETTINGS.every((key) => one[key] === other[key]); }

function settingsFrom(fragment, view) {
  const settings = { ...view.reported, pair: null };
  const text = String(fragment).replace(/^#/, "");
  if (!text.includes("=") || text.length > 500 * VIEWS.length) return settings;
  const all = new URLSearchParams(text), values = { get: (key) => all.get(view.pre + key) };
  const rope = numberIn(values.get("rope"), 0, view.ropeMost);
  const threshold = numberIn(values.get("threshold"), 0.5, 1);
  if (rope !== null && !view.data.ropeStays) settings.rope = rope;
  if (threshold !== null && threshold > 0.5 && threshold < 1) settings.threshold = threshold;
  if (view.model.switches) {
    const ties = values.get("ties"), prior = values.get("prior");
    if (ties !== null && Object.hasOwn(POLICIES, ties)) settings.ties = ties;
    if (prior !== null && Object.hasOwn(view.data.priors, prior)) {
      settings.prior = prior;
    }
  }
  const baseline = placeIn(values.get("baseline"), view.model.size);
  if (baseline !== null && view.model.size > 2) settings.baseline = baseline;
  else if (values.get("baseline") === "none") settings.baseline = null;
  settings.pair = placeIn(values.get("pair"), view.model.number);
  return settings;
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

// Settings of every comparison on the page; keys of the second begin with c2-
function fragmentNow() {
  const values = new URLSearchParams();
  for (const { settings, reported, pre } of VIEWS) {
    for (const key of KEYS) {
      const value = settings[key];
      if (value === undefined || value === (reported[key] === undefined ? null : reported[key])) continue;
      values.set(pre + key, value === null ? "none" : String(value));
    }
  }
  return values.toString();
}

function remember() {
  if (!VIEWS.every((view) => view.wasRead)) return; // not before the whole fragment was read
  const fragment = fragmentNow();
  const now = location.hash.replace(/^#/, "");
  if (fragment === now || (!fragment && !now.includes("="))) return;
  try {
    history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
  } catch (error) { /* a frame without an address of its own */ }
}
