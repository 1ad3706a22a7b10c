// The card of a pair: its numbers, the system that is ahead first.

function cardOf(view, k) {
  const { model, data } = view, pair = pairNumbers(view, k), systems = [pair.first, pair.second];
  const rows = [["Verdict" + (data.among && !model.joint ? " (pairwise)" : ""),
    markedVerdict(pair.verdict, systems, oneOf(view, k))]];
  const add = (name, value) => { if (value != null) rows.push([name, value]); };
  if (pair.verdict === "no_verdict") add("Reason", data.reason);
  add("Wins, losses, ties", tally(pair));
  if (!pair.verdict.startsWith("no_")) {
    add("P(" + pair.first + " better)", probability(pair.p, pair.p_mcse, view.settings.threshold));
    sizes(view, k, pair, add);
  }
  agreement(view, k, pair, add);
  tests(view, k, pair, add);
  extras(view, k, pair, add);
  const list = make("dl", {});
  for (const [name, value] of rows) {
    list.append(make("dt", { text: name }), make("dd", { text: value }));
  }
  return make("div", {}, list, pair.verdict === "no_data" ? null : density(view, k, pair));
}

function tally(pair) {
  const counted = [pair.wins, pair.losses];
  if (pair.ties != null) counted.push(pair.ties);
  return counted.map(grouped).join(" / ")
    + (pair.n_units ? " in " + grouped(pair.n_units) + " units" : "");
}

function sizes(view, k, pair, add) {
  const { model, data } = view, size = difference(pair.difference, pair.difference_lower,
    pair.difference_upper);
  if (pair.difference != null) {
    add(upperFirst(pair.difference_is), size[0] + (size[1] ? " " + pair.interval + " " + size[1] : "")
      + (pair.one_sided ? ", one-sided: the interval includes 0" : ""));
  }
  if (pair.alone_p != null) {
    const alone = difference(...turnedSize(model.size_alone(k), pair.turn));
    add("Pairwise", probability(pair.alone_p, pair.alone_mcse, view.settings.threshold) + ", "
      + markedVerdict(pair.alone_verdict, [pair.first, pair.second]) + "; "
      + alone[0] + (alone[1] ? " " + intervalName(data) + " " + alone[1] : ""));
  }
  if (view.settings.rope > 0 && pair.within_rope !== null) {
    add("P(|d| ≤ " + general(view.settings.rope, 4) + ")", probability(pair.within_rope));
  }
}

// Correct and wrong on the same items, as in reporting/agreeing.py
function agreement(view, k, { first, second, turn }, add) {
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

function tests(view, k, { first, second, turn }, add) {
  const { names, alpha, correction } = view.data.tests;
  names.forEach((test, place) => {
    const p = view.model.at("tp" + place, k), adjusted = view.model.at("ta" + place, k);
    if (p == null) return;
    let favours = view.model.at("tf" + place, k) || 0;
    if (turn) favours = -favours;
    const side = favours > 0 ? "for " + first : favours < 0 ? "for " + second : "for neither";
    const more = adjusted == null || correction === "none" ? ""
      : ", " + correction + " " + pValue(adjusted);
    const level = min(adjusted == null ? p : adjusted, 1);
    const passed = alpha ? (level <= alpha ? "; significant" : "; not significant") + " at "
      + general(alpha, 4) : "";
    add(upperFirst(test.replace(/_/g, " ")) + " test, two-sided",
      "p " + pValue(p) + more + ", " + side + passed);
  });
}

// Further results, which are known only under the settings of the report
function extras(view, k, pair, add) {
  const { model, data } = view, systems = [pair.first, pair.second];
  const bayes = model.at("bf", k);
  if (bayes != null && data.kind === "counts" && model.asReported) {
    add("Bayes factor for no difference", bayes >= 1e6 || bayes < 1e-4 ? exponent(bayes)
      : general(bayes, 3));
  }
  const wrong = model.at("wrong", k), how = model.at("wv", k);
  if (wrong != null) {
    const verdict = oriented(data.verdicts[how], pair.turn);
    add("Missing scores as wrong", markedVerdict(verdict, systems) + ", "
      + probability(pair.turn ? 1 - wrong : wrong));
  }
  const row = data.more.pairs.findIndex(([i, j]) => model.pair(i, j) === k);
  if (row >= 0 && sameSettings(view.settings, view.reported)) {
    for (const { name, cells } of data.more.columns) if (cells[row] !== "–") add(name, cells[row]);
  }
  if (pair.other_p !== null) {
    add(data.other === "mean" ? "P(mean of " + pair.first + " better)"
      : "P(" + pair.first + " wins more often)", probability(pair.other_p));
  }
}

// A small density: of the posterior if its parameters are known, else a normal with this mean and
// interval
function density(view, k, pair) {
  const { of } = view.model.fixedOf(k);
  let points = of ? curve(of, 72) : normal(pair, view.data.quantile);
  if (of && pair.turn !== Boolean(view.data.lower)) points = points.map(([x, y]) => [-x, y]);
  if (!points.length) return null;
  return pictureOf(points, view.settings.rope, pair,
    of ? "Posterior density of the difference" : "Normal curve through mean and interval");
}

function normal(pair, quantile) {
  const [mean, low, up] = [pair.difference, pair.difference_lower, pair.difference_upper];
  if (mean == null || low === null || !(up > low)) return [];
  const sd = (up - low) / 2 / quantile, points = [];
  for (let z = -4.4; z <= 4.4; z += 0.12) points.push([mean + z * sd, Math.exp(-z * z / 2) / sd]);
  return points;
}

function pictureOf(points, rope, pair, title) {
  const wide = 280, tall = 74, foot = 16;
  const xs = points.map((point) => point[0]);
  const low = min(...xs, rope > 0 ? -rope : 0, 0), high = max(...xs, rope > 0 ? rope : 0, 0);
  const top = max(...points.map((point) => point[1]));
  const x = (value) => 6 + (wide - 12) * (value - low) / (high - low || 1);
  const y = (value) => tall - (tall - 6) * value / top;
  const sorted = points.slice().sort((a, b) => a[0] - b[0]);
  const line = sorted.map(([u, v]) => x(u).toFixed(1) + " " + y(v).toFixed(1)).join(" L");
  const svg = drawing("svg", { viewBox: "0 0 " + wide + " " + (tall + foot), role: "img",
    class: "curve", "aria-label": title + ": " + difference(pair.difference,
      pair.difference_lower, pair.difference_upper).join(" ") });
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
