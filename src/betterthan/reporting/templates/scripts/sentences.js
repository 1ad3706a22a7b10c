// Sentences chosen and filled from facts, as reporting/answering.py does it, and how numbers are
// written, as answers/numbers.py does it.

// As Python's f"{x:.3f}": a number that lies exactly between two is rounded to the even one
function fixed(x, places) {
  const text = x.toFixed(places), scaled = Math.abs(x) * 2 ** 40;
  if (Number.isInteger(scaled) && scaled < 2 ** 53) {
    const at = Math.abs(x) * 10 ** places, low = Math.floor(at);
    if (at - low === 0.5 && low % 2 === 0) {
      return (x < 0 ? "-" : "") + (low / 10 ** places).toFixed(places);
    }
  }
  return text;
}

function general(x, digits) { // Python's f"{x:.6g}"
  if (x === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(Number(x.toPrecision(digits)))));
  if (size < -4 || size >= digits) {
    const [front, power] = x.toExponential(digits - 1).split("e");
    const sign = power[0] === "-" ? "-" : "+", number = power.replace(/^[+-]/, "");
    return trimmed(front) + "e" + sign + number.padStart(2, "0");
  }
  return trimmed(x.toFixed(Math.max(0, digits - 1 - size)));
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

function grouped(n) { return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ","); }

function signed(x, places) { return (x < 0 ? "" : "+") + fixed(x, places); }

function placesOf(error) { return Math.min(6, Math.max(1, -Math.floor(Math.log10(error)))); }

function probability(p, error) {
  if (p === null || p === undefined || Number.isNaN(p)) return "–";
  if (error > 0) {
    const places = placesOf(error), text = fixed(p, places);
    if (error < 0.0005 && (Number(text) === 0 || Number(text) === 1)) {
      return p < 0.5 ? "<0.001" : ">0.999";
    }
    return text + " ± " + fixed(error, places);
  }
  if (p < 0.0005) return "<0.001";
  if (p >= 0.9995) return ">0.999";
  return fixed(p, 3);
}

function pValue(p) {
  if (p === null || p === undefined) return "–";
  return p < 1e-4 ? (p > 1e-300 ? exponent(p) : "<1e-300") : general(p, 3);
}

function exponent(p) {
  const [front, power] = p.toExponential(1).split("e");
  return front + "e" + power[0] + power.slice(1).padStart(2, "0");
}

// A difference and its ends in brackets, to the third digit of the interval's width, or as many as
// its error lets stand
function difference(mean, low, up, error) {
  if (mean === null || mean === undefined || Number.isNaN(mean)) return ["–", ""];
  const width = up - low;
  if (!(width === width) || low === null || up === null || low === undefined) {
    return [(mean < 0 ? "" : "+") + general(mean, 3), ""];
  }
  let places = width <= 0 ? 3
    : Math.max(2, 2 - Math.floor(Math.log10(width)) - (width >= 0.1 ? 1 : 0));
  if (error > 0) places = Math.min(places + 2, placesOf(error));
  const told = [mean, low, up].map((x) => signed(Number(fixed(x, places)) + 0, places));
  const beside = error > 0 ? " ± " + fixed(error, places) : "";
  return [told[0] + beside, "[" + told[1] + ", " + told[2] + "]"];
}

function named(systems) {
  if (systems.length > 4) {
    return systems.slice(0, 4).join(", ") + " and " + (systems.length - 4) + " more";
  }
  return [systems.slice(0, -1).join(", "), systems[systems.length - 1]].filter(Boolean)
    .join(" and ");
}

function own(facts, name) {
  const value = Object.prototype.hasOwnProperty.call(facts, name) ? facts[name] : null;
  return value === undefined ? null : value;
}

const COMPARES = {
  eq: (a, b) => a === b, ne: (a, b) => a !== b, lt: (a, b) => a < b, le: (a, b) => a <= b,
  gt: (a, b) => a > b, ge: (a, b) => a >= b, in: (a, b) => b.includes(a),
};

function holds(when, facts) {
  for (const name in when) {
    const given = when[name];
    if (name === "all") return given.every((each) => holds(each, facts));
    if (name === "any") return given.some((each) => holds(each, facts));
    if (name === "not") return !holds(given, facts);
    if (name === "has") return own(facts, given) !== null;
    const known = plainTruth(own(facts, given[0]));
    let value = given[1];
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      value = own(facts, value.fact);
    }
    value = plainTruth(value);
    return known !== null && value !== null && COMPARES[name](known, value);
  }
  return true;
}

function plainTruth(value) { return typeof value === "boolean" ? Number(value) : value; }

function written(facts, name, form) {
  const value = own(facts, name);
  if (value === null) throw new Error("no fact " + name);
  const ends = [own(facts, name + "_lower"), own(facts, name + "_upper")];
  if (form === "p") return probability(value, own(facts, name + "_mcse") || 0);
  if (form === "n") return grouped(fixed(value, 0));
  if (form === "pct") return fixed(100 * value, 0) + "%";
  if (form === "per") return percentOf(value) + "%";
  if (form === "score") return fixed(value, 3);
  if (form === "signed") return signed(Number(fixed(value, 3)) + 0, 3);
  if (form === "range") return "[" + fixed(ends[0], 3) + ", " + fixed(ends[1], 3) + "]";
  if (form === "diff" || form === "ends") {
    return difference(value, ...ends, own(facts, name + "_mcse") || 0)[form === "diff" ? 0 : 1];
  }
  if (typeof value === "string") return value;
  return typeof value === "number" ? general(value, 6) : named(value);
}

function filled(text, facts, all) {
  if (typeof text === "string") {
    return text.replace(/\{(\w+)(?::(\w+))?\}/g, (_, name, form) => written(facts, name, form));
  }
  return text.map((piece) => {
    if (typeof piece === "string") return filled(piece, facts, all);
    if (!holds(piece.when || {}, facts)) return "";
    const said = "say" in piece ? all.find((one) => one.id === piece.say).text : piece.text;
    return filled(said, facts, all);
  }).join("");
}

// The lines on "answer", "pair" or "paper" that hold
function said(all, facts, of) {
  const done = new Set(), lines = new Map();
  for (const one of all) {
    const group = one.group || one.id, line = one.line || one.id;
    if (!one.of.includes(of) || done.has(group) || !holds(one.when || {}, facts)) continue;
    done.add(group);
    const text = filled(one.text, facts, all);
    lines.set(line, lines.has(line) ? lines.get(line) + " " + text : text);
  }
  return [...lines.values()];
}
