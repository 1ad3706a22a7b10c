// The facts of an answer under the settings of the reader, as reporting/facts.py makes them.

// What was found out under the settings of the report alone
const STALE = /^(pseudo_|drop_|kept_|turn_|replicates|more_|open_first|open_second|ties_|n_ties_|missing_|also_ahead|too_close)/;

function factsNow(view) {
  const { model, settings, reported } = view;
  const base = view.base;
  if (sameSettings(settings, reported)) return base;
  const found = {};
  for (const name in base) if (!STALE.test(name)) found[name] = base[name];
  found.rope = settings.rope;
  found.threshold = settings.threshold;
  // whether other values of the missing scores turn the new verdicts is not known
  if (base.n_missing && ["pairwise", "complete"].includes(base.missing)) found.at_random = true;
  if (model.size === 2) return Object.assign(found, pairFacts(view, 0), scoresTurned(base, view));
  return Object.assign(found, manyFacts(view, found));
}

function sameSettings(one, other) {
  return ["rope", "threshold", "ties", "prior", "baseline"].every((k) => one[k] === other[k]);
}

// Facts of one pair, the system that is ahead first
function pairFacts(view, k) {
  const { model, settings, data } = view, { rope, threshold } = settings;
  const verdict = model.verdict(k, rope, threshold), turn = model.turned(k, verdict);
  const of = model.fixedOf(k);
  const [i, j] = turn ? [model.second[k], model.first[k]] : [model.first[k], model.second[k]];
  const [w, l, t, n] = ["w", "l", "t", "n"].map((name) => model.at(name, k));
  const [d, low, up] = turnedSize(model.size_of(k), turn);
  const found = {
    first: model.systems[i], second: model.systems[j], verdict: told(verdict, turn),
    p: turn ? of.q : of.p, p_mcse: of.error || null, wins: turn ? l : w, losses: turn ? w : l,
    ties: t, n, n_units: model.at("k", k), rope, threshold, difference: d,
    difference_lower: low, difference_upper: up, within_rope: null, beyond_rope: null,
    other_quantity: data.other, other_p: null, other_against: null, among_p: null, among_verdict: null,
    by_mean: data.quantity === "mean", reason: data.reason, unit: data.unit, difference_is: differenceIs(data, i, j),
    interval: data.ci_prob === null ? null
      : general(100 * data.ci_prob, 6) + "% " + (data.ci_kind || "eti").toUpperCase(),
  };
  found.one_sided = oneSided(found.verdict, d, low, up);
  const sure = Math.max(of.p, of.q) - 2 * of.error >= threshold;
  found.also_ahead = verdict === "equivalent" && sure;
  found.too_close = !sure && verdict === "undecided" && Math.max(of.p, of.q) >= threshold;
  if (rope > 0) {
    const [within, beyond] = model.massesOf(k, rope);
    found.within_rope = Number.isNaN(within) ? null : within;
    const ahead = turn ? 1 - within - beyond : beyond;
    found.beyond_rope = found.verdict === "better" && ahead >= threshold;
  }
  const other = model.at("other", k), among = model.at("among", k);
  if (data.other && other !== null && other !== undefined) {
    found.other_p = turn ? 1 - other : other;
    found.other_against = 1 - found.other_p;
  }
  if (among !== null && among !== undefined && model.asReported) {
    found.among_p = turn ? 1 - among : among;
    found.among_verdict = told(model.amongVerdict(k, rope, threshold), turn);
  }
  return found;
}

// A verdict looks at one side; its two-sided interval may include 0
function oneSided(verdict, mean, low, up) {
  const known = mean !== null && low !== null && low !== undefined;
  return known && (verdict === "better" || verdict === "worse") && low <= 0 && up >= 0;
}

// As the system named first reads a verdict
function told(verdict, turn) {
  if (verdict !== "a_better" && verdict !== "b_better") return verdict;
  return (verdict === "b_better") === turn ? "better" : "worse";
}

function turnedSize([d, low, up], turn) {
  if (!turn || d === null) return [d, low, up];
  return [-d, up === null ? null : -up, low === null ? null : -low];
}

function differenceIs(data, i, j) {
  const said = (data.difference_is || "difference").replace("P(A wins) - P(B wins)",
    () => "P(" + data.systems[i] + " wins) - P(" + data.systems[j] + " wins)");
  return said + (data.lower ? ", lower is better," : "");
}

// Scores of the first and the second, where these have changed places
function scoresTurned(base, view) {
  const k = 0, verdict = view.model.verdict(k, view.settings.rope, view.settings.threshold);
  const first = view.model.systems[view.model.turned(k, verdict) ? view.model.second[k]
    : view.model.first[k]];
  if (first === base.first) return {};
  const found = {};
  for (const name in base) {
    if (name.startsWith("first_")) found[name.replace("first_", "second_")] = base[name];
    if (name.startsWith("second_")) found[name.replace("second_", "first_")] = base[name];
  }
  return found;
}

function manyFacts(view, base) {
  const { model, settings } = view, { rope, threshold } = settings;
  const number = { undecided: 0, equivalent: 0, split: 0, no_data: 0, no_verdict: 0 };
  const beaten = new Array(model.size).fill(false);
  let alone = 0, both = 0, decided = 0;
  for (let k = 0; k < model.number; k++) {
    const by = model.verdict(k, rope, threshold), last = model.finalVerdict(k, rope, threshold);
    const named_ = by === "a_better" || by === "b_better";
    if (named_) alone++;
    if (last === "a_better" || last === "b_better") {
      decided++;
      if (named_) both++;
      beaten[last === "a_better" ? model.second[k] : model.first[k]] = true;
    } else number[last]++;
  }
  const systems = base.systems;
  const unbeaten = systems.filter((name) => !beaten[view.index.get(name)]);
  const found = {
    systems, n_decided: decided, n_open: number.undecided, n_equivalent: number.equivalent,
    n_split: number.split, n_no_data: number.no_data, n_no_verdict: number.no_verdict,
    n_alone: alone, n_both: both, unbeaten, n_unbeaten: unbeaten.length, wrong: null,
    leader: base.best || (unbeaten.length ? unbeaten[0] : systems[0]),
  };
  found.ranked_first = found.leader === systems[0] ? null : systems[0];
  const met = against(view, view.index.get(found.leader), systems);
  Object.assign(found, lists({
    beats: met.worse || [], loses_to: met.better || [], open_with: met.undecided || [],
  }));
  return Object.assign(found, baselineFacts(view, systems));
}

function baselineFacts(view, systems) {
  const baseline = view.settings.baseline, found = { baseline: null };
  for (const end of ["better", "worse", "equivalent", "open"]) {
    found["base_" + end] = null;
    found["n_base_" + end] = null;
  }
  if (baseline === null) return found;
  const met = against(view, baseline, systems);
  const known = ["better", "worse", "equivalent"], ends = {};
  for (const end of known) ends["base_" + end] = met[end] || [];
  ends.base_open = systems.filter((name) => Object.keys(met)
    .some((end) => !known.includes(end) && met[end].includes(name)));
  return Object.assign(found, { baseline: view.model.systems[baseline] }, lists(ends));
}

// The other systems, by what they are against one: better, worse, or another verdict
function against(view, one, systems) {
  const { model, settings, index } = view, met = {};
  for (const name of systems) {
    const other = index.get(name);
    if (other === one) continue;
    const k = model.pair(one, other);
    const verdict = model.finalVerdict(k, settings.rope, settings.threshold);
    const end = told(verdict, model.first[k] !== other);
    (met[end] = met[end] || []).push(name);
  }
  return met;
}

function lists(found) {
  const counted = {};
  for (const name in found) counted["n_" + name] = found[name].length;
  return Object.assign(found, counted);
}
