// The card of a pair: everything that is known of it, from the side of the system that is ahead.

function cardOf(view, k) {
  const { model, data } = view, facts = pairFacts(view, k);
  const verdict = model.verdict(k, view.settings.rope, view.settings.threshold);
  const turn = model.turned(k, verdict), named_ = [facts.first, facts.second];
  const lines = said(view.all, clean(facts), "pair");
  const rows = [["Verdict" + (data.among ? " (pair alone)" : ""), wordsOf(facts.verdict, named_, oneOf(view, k))]];
  const add = (name, value) => { if (value !== null && value !== undefined) rows.push([name, value]); };
  add("Wins, losses, ties", tally(facts));
  if (facts.verdict !== "no_data" && facts.verdict !== "no_verdict") {
    add("P(" + facts.first + " better)", probability(facts.p, facts.p_mcse || 0));
    if (facts.among_p !== null) {
      add("P among all", probability(facts.among_p, 0) + ", "
        + wordsOf(facts.among_verdict, named_));
    } else if (data.among && !model.asReported) add("P among all", "as reported only: see above");
    sizes(view, k, facts, turn, add);
  }
  agreement(view, k, turn, named_, add);
  tests(view, k, turn, named_, add);
  extras(view, k, turn, named_, facts, add);
  const list = make("dl", {});
  for (const [name, value] of rows) {
    list.append(make("dt", { text: name }), make("dd", { text: value }));
  }
  const parts = [make("p", { class: "said", text: lines.join(" ") }), list];
  const picture = facts.verdict === "no_data" ? null : density(view, k, turn, facts);
  return make("div", {}, ...parts, picture);
}

function clean(facts) {
  const found = {};
  for (const name in facts) {
    const value = facts[name];
    if (value !== null && value !== undefined && !Number.isNaN(value)) found[name] = value;
  }
  return found;
}

// The cluster or item that holds all examples of a pair, where there is but one
function oneOf({ model, data }, k) {
  if (model.at("k", k) !== 1 || !model.at("n", k)) return "";
  return data.unit === "cluster" ? "cluster" : "item";
}

function wordsOf(verdict, [first, second], one = "") {
  if (verdict === "no_data" && one) return MARKS.no_verdict + " no verdict: one " + one;
  if (verdict === "better") return MARKS.better + " " + first + " better";
  if (verdict === "worse") return MARKS.worse + " " + second + " better";
  return (MARKS[verdict] || "") + " " + (WORDS[verdict] || verdict);
}

function tally(facts) {
  const counted = [facts.wins, facts.losses];
  if (facts.ties !== null && facts.ties !== undefined) counted.push(facts.ties);
  return counted.map(grouped).join(" / ")
    + (facts.n_units ? " in " + grouped(facts.n_units) + " units" : "");
}

function sizes(view, k, facts, turn, add) {
  const { model, data } = view, told_ = difference(facts.difference, facts.difference_lower,
    facts.difference_upper);
  if (facts.difference !== null && facts.difference !== undefined) {
    add(upperFirst(facts.difference_is), told_[0] + (told_[1] ? " " + facts.interval + " " + told_[1] : ""));
  }
  if (data.among && model.asReported && model.at("ad", k) !== null) {
    const among = turnedSize(["ad", "alo", "aup"].map((name) => model.at(name, k)), turn);
    const shown = difference(...among);
    add("The same among all", shown[0] + " " + general(100 * data.ci_prob, 6) + "% "
      + (data.ci_kind || "eti").toUpperCase() + " " + shown[1]);
  }
  if (view.settings.rope > 0 && facts.within_rope !== null) {
    add("P(|d| ≤ " + general(view.settings.rope, 4) + ")", probability(facts.within_rope, 0));
  }
}

// Right and wrong on the same examples, as reporting/agreeing.py has it
function agreement(view, k, turn, [first, second], add) {
  const { model, data } = view;
  if (!data.right) return;
  const [i, j] = [model.first[k], model.second[k]], [right, scored] = data.right;
  const [w, l, t] = ["w", "l", "t"].map((name) => model.at(name, k)), n = w + l + t;
  const both = right[i] - w, none = t - both;
  if (scored[i] !== n || scored[j] !== n || right[j] !== both + l || both < 0 || none < 0) return;
  add("Both right / only " + first + " / only " + second + " / both wrong",
    [both, turn ? l : w, turn ? w : l, none].map(grouped).join(" / "));
  const cross = both * none - w * l;
  const phi = cross / Math.sqrt((both + w) * (l + none) * (both + l) * (w + none));
  const kappa = 2 * cross / ((both + w) * (w + none) + (both + l) * (l + none));
  if (Number.isFinite(phi)) add("Agreement: phi, kappa", signed(Number(fixed(phi, 2)) + 0, 2) + ", "
    + signed(Number(fixed(kappa, 2)) + 0, 2));
}

function upperFirst(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

function tests(view, k, turn, [first, second], add) {
  const { names, alpha, correction } = view.data.tests;
  names.forEach((test, place) => {
    const p = view.model.at("tp" + place, k), adjusted = view.model.at("ta" + place, k);
    if (p === null || p === undefined) return;
    let favours = view.model.at("tf" + place, k) || 0;
    if (turn) favours = -favours;
    const side = favours > 0 ? "for " + first : favours < 0 ? "for " + second : "for neither";
    const more = adjusted === null || adjusted === undefined || correction === "none" ? ""
      : ", " + correction + " " + pValue(adjusted);
    const level = Math.min(adjusted === undefined || adjusted === null ? p : adjusted, 1);
    const passed = alpha ? (level <= alpha ? "; significant" : "; not significant") + " at "
      + general(alpha, 4) : "";
    add(upperFirst(test.replace(/_/g, " ")) + " test, two-sided",
      "p " + pValue(p) + more + ", " + side + passed);
  });
}

// What else was found out about the pair under the settings of the report
function extras(view, k, turn, named_, facts, add) {
  const { model, data } = view;
  const bayes = model.at("bf", k);
  if (bayes !== null && bayes !== undefined && data.kind === "counts" && model.asReported) {
    add("Bayes factor for no difference", bayes >= 1e6 || bayes < 1e-4 ? exponent(bayes)
      : general(bayes, 3));
  }
  const wrong = model.at("wrong", k), how = model.at("wv", k);
  if (wrong !== null && wrong !== undefined) {
    const verdict = told(data.verdicts[how], turn);
    add("Missing scores as wrong", wordsOf(verdict, named_) + ", "
      + probability(turn ? 1 - wrong : wrong, 0));
  }
  for (const one of sameSettings(view.settings, view.reported) ? data.more : []) {
    const place = one.pairs.findIndex((pair) => pair.every((name) => named_.includes(name)));
    if (place >= 0 && one.told[place] !== "–") add(one.name, one.told[place]);
  }
  if (facts.other_p !== null) {
    add(data.other === "mean" ? "P(mean of " + facts.first + " better)"
      : "P(" + facts.first + " wins more often)", probability(facts.other_p, 0));
  }
}

// A small density: from the parameters of the posterior, or the normal through mean and interval
function density(view, k, turn, facts) {
  const { of } = view.model.fixedOf(k);
  let points = of ? curve(of, 72) : normal(facts, view.data.ci_prob);
  if (of && turn !== Boolean(view.data.lower)) points = points.map(([x, y]) => [-x, y]);
  if (!points.length) return null;
  return pictureOf(points, view.settings.rope, facts,
    of ? "Posterior density of the difference" : "Normal curve through mean and interval");
}

function normal(facts, prob) {
  const [mean, low, up] = [facts.difference, facts.difference_lower, facts.difference_upper];
  if (mean === null || mean === undefined || low === null || !(up > low)) return [];
  const sd = (up - low) / 2 / studentQuantile((1 + prob) / 2, 1e6), found = [];
  for (let z = -4.4; z <= 4.4; z += 0.12) found.push([mean + z * sd, Math.exp(-z * z / 2) / sd]);
  return found;
}

function pictureOf(points, rope, facts, title) {
  const wide = 280, tall = 74, foot = 16;
  const xs = points.map((point) => point[0]);
  const low = Math.min(...xs, rope > 0 ? -rope : 0, 0), high = Math.max(...xs, rope > 0 ? rope : 0, 0);
  const top = Math.max(...points.map((point) => point[1]));
  const x = (value) => 6 + (wide - 12) * (value - low) / (high - low || 1);
  const y = (value) => tall - (tall - 6) * value / top;
  const sorted = points.slice().sort((a, b) => a[0] - b[0]);
  const line = sorted.map(([u, v]) => x(u).toFixed(1) + " " + y(v).toFixed(1)).join(" L");
  const svg = drawing("svg", { viewBox: "0 0 " + wide + " " + (tall + foot), role: "img",
    class: "density", "aria-label": title + ": " + difference(facts.difference,
      facts.difference_lower, facts.difference_upper).join(" ") });
  if (rope > 0) {
    svg.append(drawing("rect", { class: "rope", x: x(-rope), y: 0, width: x(rope) - x(-rope),
      height: tall }));
  }
  svg.append(drawing("path", { class: "mass", d: "M" + x(sorted[0][0]) + " " + tall + " L" + line
    + " L" + x(sorted[sorted.length - 1][0]) + " " + tall + "Z" }));
  svg.append(drawing("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: tall }));
  const label = (value, anchor) => {
    const text = drawing("text", { x: x(value), y: tall + 12, "text-anchor": anchor });
    text.textContent = general(value, 2);
    return text;
  };
  svg.append(label(low, "start"), label(high, "end"));
  if (x(0) > 50 && x(0) < wide - 50) svg.append(label(0, "middle"));
  return svg;
}
