// One pair under the reader's settings: its numbers, and its verdict in words.

const WORDS = {
  no_data: "no examples", no_verdict: "no verdict", equivalent: "equivalent",
  split: "split: wins and means disagree", undecided: "undecided"
};
const MARKS = { better: "●", worse: "■", equivalent: "◆", split: "○", undecided: "○", no_data: "–",
  no_verdict: "–" };

// The numbers of pair k, the system that is ahead first
function pairNumbers(view, k) {
  const { model, settings, data } = view, { rope, threshold } = settings;
  const verdict = model.shownVerdict(k, rope, threshold), turn = model.turned(k, verdict);
  const [p, q, error] = model.probabilitiesOf(k);
  const of = model.fixedOf(k);
  const [i, j] = turn ? [model.second[k], model.first[k]] : [model.first[k], model.second[k]];
  const [w, l, t] = [..."wlt"].map((name) => model.at(name, k));
  const [d, low, up] = turnedSize(model.size_of(k), turn);
  const pair = {
    first: model.systems[i], second: model.systems[j], turn, verdict: oriented(verdict, turn),
    p: turn ? q : p, p_mcse: error, wins: turn ? l : w, losses: turn ? w : l,
    ties: t, n_units: model.at("k", k), difference: d, difference_lower: low,
    difference_upper: up, difference_is: differenceIs(data, i, j), within_rope: null,
    other_p: null, alone_p: null, alone_mcse: of.error, alone_verdict: null,
    interval: data.ci_prob === null ? null : intervalName(data),
  };
  pair.one_sided = oneSided(pair.verdict, d, low, up);
  if (rope > 0) {
    const within = model.withinOf(k, rope);
    pair.within_rope = Number.isNaN(within) ? null : within;
  }
  const other = model.at("other", k);
  if (data.other && other != null) pair.other_p = turn ? 1 - other : other;
  if (model.joint) {
    pair.alone_p = turn ? of.q : of.p;
    pair.alone_verdict = oriented(model.verdict(k, rope, threshold), turn);
  }
  return pair;
}

function intervalName(data) {
  return general(100 * data.ci_prob, 6) + "% " + (data.ci_kind || "eti").toUpperCase();
}

// A verdict is one-sided where its two-sided interval includes 0
function oneSided(verdict, mean, low, up) {
  return low != null && low <= 0 && up >= 0 && (verdict === "better" || verdict === "worse");
}

// A verdict from the side of the first system, or with turn from that of the second
function oriented(verdict, turn) {
  if (verdict !== "a_better" && verdict !== "b_better") return verdict;
  return (verdict === "b_better") === turn ? "better" : "worse";
}

function turnedSize([d, low, up], turn) {
  if (!turn || d === null) return [d, low, up];
  return [-d, up === null ? null : -up, low === null ? null : -low];
}

function differenceIs(data, i, j) {
  const name = (data.difference_is || "difference").replace("P(A wins) - P(B wins)",
    () => "P(" + data.systems[i] + " wins) - P(" + data.systems[j] + " wins)");
  return name + (data.lower ? ", lower is better," : "");
}

// The kind of unit where all items of the pair are in one unit; else ""
function oneOf({ model, data }, k) {
  if (model.at("k", k) !== 1 || !model.at("n", k)) return "";
  return data.unit === "cluster" ? "cluster" : "item";
}

function verdictWords(verdict, [first, second], one = "") {
  if (verdict === "no_data" && one) return "no verdict: one " + one;
  if (verdict === "better") return first + " better";
  if (verdict === "worse") return second + " better";
  return WORDS[verdict] || verdict;
}

function markedVerdict(verdict, systems, one = "") {
  return (MARKS[verdict] || "") + " " + verdictWords(verdict, systems, one);
}

// The other systems by their verdict against one: better, worse, or another
function against(view, one) {
  const { model } = view, { rope, threshold } = model.valid, groups = {};
  for (let other = 0; other < model.size; other++) {
    if (other === one) continue;
    const k = model.pair(one, other);
    const verdict = model.finalVerdict(k, rope, threshold);
    const group = oriented(verdict, model.first[k] !== other);
    (groups[group] = groups[group] || []).push(other);
  }
  return groups;
}
