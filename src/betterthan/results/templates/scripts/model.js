// The pairs of a comparison under the reader's settings: probabilities and verdicts.

// By precedence: no_data, no_verdict, split, equivalent, a_better or b_better, undecided.
// of: {stays, p, q, within, error, against, low, high, reported}; stays is no_data, no_verdict or "";
// p lies between low and high where scores are missing with the difficulty of the items, else null.
function decide({ stays, p, q, within, error, against, low, high, reported }, rope, threshold) {
  if (stays) return stays;
  const ahead = aheadOf(p, threshold, q, 2 * error);
  if (low != null && aheadOf(low, threshold) !== aheadOf(high, threshold)) return "no_verdict";
  if (ahead === "a_better" ? against < 0.5 : ahead === "b_better" && against > 0.5) return "split";
  if (!(rope > 0 && within >= threshold)) return ahead;
  // what missing scores could change of an equivalence is known at the settings of the report
  return low == null || reported === "equivalent" ? "equivalent" : "no_verdict";
}

function aheadOf(p, threshold, q = 1 - p, error = 0) {
  return p - error >= threshold ? "a_better" : q - error >= threshold ? "b_better" : "undecided";
}

const POLICIES = { // halves of the ties that count as wins of A and of B
  third: null, drop: [0, 0], half: [1, 1], to_a: [2, 0], to_b: [0, 2]
};

class Model {
  constructor(data) {
    this.data = data;
    this.systems = data.systems;
    this.size = data.systems.length;
    const codes = data.kept || []; // i * size + j of each pair that the page contains
    for (let i = data.kept ? this.size : 0; i < this.size; i++) {
      for (let j = i + 1; j < this.size; j++) codes.push(i * this.size + j);
    }
    this.number = codes.length;
    this.first = codes.map((code) => Math.floor(code / this.size));
    this.second = codes.map((code) => code % this.size);
    this.index = new Map(codes.map((code, k) => [code, k]));
    this.place = []; // rank in the order of the report
    data.order.forEach((system, k) => { this.place[system] = k; });
    const { pairs } = data, rules = { rest: (w, l, n) => n - w - l, sign: (w, l) => Math.sign(w - l),
      right: (w, l, n, k) => w - data.right[0][this.first[k]] + data.right[0][this.second[k]] };
    for (const name in pairs) {
      const rule = rules[pairs[name]];
      if (rule) pairs[name] = codes.map((_, k) => rule(...[..."wln"].map((of) => this.at(of, k)), k));
    }
    this.settle(data.ties, null);
  }

  at(name, k) {
    const column = this.data.pairs[name], value = Array.isArray(column) ? column[k] : column;
    return value && this.data.per[name] ? value / this.data.per[name] : value;
  }

  // Index of the pair of two systems, in either order; undefined if the page does not contain it
  pair(i, j) { return this.index.get(min(i, j) * this.size + max(i, j)); }

  get asReported() { return this.ties === this.data.ties && !this.prior; }

  // Joint results are known only for the ROPE, ties and prior of the report
  get known() {
    return this.asReported && (!this.data.among || this.settings.rope === this.reported.rope);
  }

  // The settings of joint results
  get valid() { return this.known ? this.settings : this.reported; }

  get switches() { return this.data.kind === "counts" && "t" in this.data.pairs; }

  // Set the policy for ties and the prior by its name (null: that of the report)
  settle(ties, name) {
    this.ties = ties;
    this.priorName = name;
    this.prior = name && this.data.priors[name];
    this.cache = new Array(this.number);
    const held = () => new Float64Array(this.number);
    this.masses = { rope: NaN, within: held(), above: held(), done: held() };
  }

  // Parameters of the difference of a pair from the side of its first system, or null
  parameters(k) {
    const { kind, lower } = this.data;
    if (kind === "units") {
      const [d, e, f, g, n] = [..."defgk"].map((name) => this.at(name, k));
      if (d === null || f === null || !(e > 0)) return null;
      const skewness = (lower ? -1 : 1) * (g || 0) / 3 / Math.sqrt(n);
      return { d: lower ? -d : d, e, f, g: skewness, most: f >= 2 ? this.data.most : null };
    }
    if (kind !== "counts") return null;
    let [w, l, t] = [..."wlt"].map((name) => this.at(name, k));
    const prior = this.prior || this.data.prior, halves = POLICIES[this.ties];
    const third = t !== undefined && !halves;
    if (t && halves) [w, l] = [w, l].map((n, side) => n + Math.floor(t * halves[side] / 2));
    return { a: w + prior[0], b: l + prior[1], t: third ? t + prior[2] : 0 };
  }

  // Results that do not change with ROPE and threshold
  fixedOf(k) {
    if (this.cache[k]) return this.cache[k];
    const reported = this.data.verdicts[this.at("v", k)];
    const of = this.parameters(k);
    const exact = this.data.kind === "counts", p = exact ? null : this.at("p", k);
    const p1 = exact ? above(of.a, of.b, of.t, 0) : p === null ? NaN : p;
    const q1 = exact ? above(of.b, of.a, of.t, 0) : 1 - p1;
    const against = (this.data.splits ? this.at("other", k) : null) ?? NaN;
    const stays = reported?.startsWith("no_") ? reported : "";
    return this.cache[k] = { of, p: p1, q: q1, error: this.at("pe", k) || 0, against, stays, reported,
      low: this.at("ml", k), high: this.at("mh", k) };
  }

  // P(|d| <= rope) and P(d > rope) of a pair; NaN if unknown
  massesOf(k, rope) {
    const held = this.masses;
    if (held.rope !== rope) { held.rope = rope; held.done.fill(0); }
    if (!held.done[k]) {
      held.done[k] = 1;
      const { of } = this.fixedOf(k);
      held.above[k] = of ? pairAbove(of, rope) : NaN;
      held.within[k] = of ? max(0, pairAbove(of, -rope) - held.above[k])
        : this.data.kind === "drawn" && rope === this.data.rope ? this.at("r", k) : NaN;
    }
    return [held.within[k], held.above[k]];
  }

  verdict(k, rope, threshold) {
    const of = this.fixedOf(k);
    of.within = rope > 0 && !of.stays ? this.massesOf(k, rope)[0] : 0;
    if (this.data.kind === "drawn" && rope > 0) of.within -= 2 * (this.at("re", k) || 0);
    return decide(of, rope, threshold);
  }

  // The joint verdict at the ROPE of the report, "" if there is none
  amongVerdict(k, threshold) {
    if (!this.data.among) return "";
    const p = this.at("among", k);
    if (p === null) return "";
    if (this.data.rope > 0 && this.at("aw", k) >= threshold) return "equivalent";
    return aheadOf(p, threshold);
  }

  // The verdict that counts, as comparison/joint_ranking.py
  finalVerdict(k, rope, threshold) {
    const alone = this.verdict(k, rope, threshold);
    if (!this.data.among || ["no_data", "no_verdict", "split"].includes(alone)) return alone;
    return this.amongVerdict(k, threshold) || alone;
  }

  // Whether answers are joint: there is a joint one, and it is known
  get joint() { return this.data.among && this.known; }

  // What captions say where there is a joint answer and it is not known
  get alone() { return this.data.among && !this.known ? ", each pair by itself" : ""; }

  // P(first better), P(second better) and their Monte Carlo error
  probabilitiesOf(k) {
    const p = this.joint ? this.at("among", k) : null;
    if (p != null) return [p, 1 - p, 0];
    const of = this.fixedOf(k);
    return [of.p, of.q, of.error];
  }

  // The verdict that is shown: the joint one, or of the pair alone
  shownVerdict(k, rope, threshold) {
    return this.joint ? this.finalVerdict(k, rope, threshold) : this.verdict(k, rope, threshold);
  }

  // P(|d| <= rope) that is shown
  withinOf(k, rope) {
    if (this.joint && rope > 0) return this.at("aw", k);
    return this.massesOf(k, rope)[0];
  }

  // Whether the second system is listed first, because it is better or ahead
  turned(k, verdict) {
    return verdict === "b_better" || (verdict !== "a_better" && this.probabilitiesOf(k)[0] < 0.5);
  }

  // Mean and interval of the difference, first system minus second
  size_of(k) {
    if (this.joint && this.at("ad", k) !== null) {
      return ["ad", "alo", "aup"].map((name) => this.at(name, k));
    }
    return this.size_alone(k);
  }

  // The same of the pair alone
  size_alone(k) {
    const { of } = this.fixedOf(k), exact = this.data.kind === "counts";
    if (this.asReported) {
      return [exact ? pairMean(of) : this.at("d", k), this.at("lo", k), this.at("up", k)];
    }
    if (!of) return [null, null, null];
    return [pairMean(of), ...interval(of, this.data.ci_prob, this.data.ci_kind)];
  }
}
