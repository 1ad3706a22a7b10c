// Number formats: the same text as results/numbers.py writes.

const { max, min } = Math;

// As Python's f"{x:.3f}": an exact tie is rounded to the even digit
function fixed(x, places) {
  const scaled = Math.abs(x) * 2 ** 40;
  if (Number.isInteger(scaled) && scaled < 2 ** 53) {
    const at = Math.abs(x) * 10 ** places, low = Math.floor(at);
    if (at - low === 0.5 && !(low % 2)) {
      return (x < 0 ? "-" : "") + (low / 10 ** places).toFixed(places);
    }
  }
  return x.toFixed(places);
}

function general(x, digits) { // Python's f"{x:.6g}"
  if (x === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(Number(x.toPrecision(digits)))));
  if (size < -4 || size >= digits) {
    const [front, power] = x.toExponential(digits - 1).split("e");
    return trimmed(front) + "e" + power[0] + power.slice(1).padStart(2, "0");
  }
  return trimmed(x.toFixed(max(0, digits - 1 - size)));
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

function grouped(n) { return withCommas(String(n)); }

function withCommas(text) {
  const [whole, rest] = text.split(".");
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + (rest == null ? "" : "." + rest);
}

function signed(x, places) { return (x < 0 ? "" : "+") + fixed(x, places); }

function placesOf(error, most) {
  return error > 0 ? min(most, max(1, -Math.floor(Math.log10(error)))) : most;
}

function probability(p, error, threshold) {
  if (p == null || p !== p) return "–";
  let places = placesOf(error, 3);
  const side = (x) => max(x, (1 - x).toFixed(15));
  while (!error && side(p) < threshold && side(fixed(p, places)) >= threshold) places++;
  const text = fixed(p, places);
  if (text % 1) return text;
  if (error >= 0.5 / 10 ** places) places = max(places - 1, 1); // the last digit of a bound would be noise
  const least = 1 / 10 ** places;
  return p < 0.5 ? "< " + fixed(least, places) : "> " + fixed(1 - least, places);
}

function pValue(p) {
  if (p == null) return "–";
  return p < 1e-4 ? (p > 1e-300 ? exponent(p) : "< 1e-300") : general(p, 3);
}

function exponent(p) {
  const [front, power] = p.toExponential(1).split("e");
  return front + "e" + power[0] + power.slice(1).padStart(2, "0");
}

// A difference, and its bounds in brackets: to the third digit of the interval's width, or the digit
// that its Monte Carlo error supports; no bound of an interval without 0 is written as 0
function difference(mean, low, up, error) {
  if (mean == null || mean !== mean) return ["–", ""];
  const width = up - low;
  if (low == null || up == null || width !== width) {
    return [((mean < 0 ? "" : "+") + general(mean, 3)).replace("-", "−"), ""];
  }
  const least = width < 10 ? 2 : width < 100 ? 1 : 0;
  let places = width <= 0 ? 3
    : max(least, 2 - Math.floor(Math.log10(width)) - (width >= 0.1 ? 1 : 0));
  const nearest = min(Math.abs(low), Math.abs(up));
  if (low * up > 0 && nearest < 0.5 / 10 ** places) {
    const needed = -Math.floor(Math.log10(nearest));
    if (needed <= places + 3) places = needed;
  }
  places = min(places, placesOf(error, 6));
  const texts = [mean, low, up].map((x) =>
    withCommas(signed(Number(fixed(x, places)) + 0, places).replace("-", "−")));
  return [texts[0], "[" + texts[1] + ", " + texts[2] + "]"];
}

// Whole percent that never rounds to 0 or 100, nor to a threshold that it does not reach
function percentOf(p, threshold) {
  if (p == null || p !== p) return "–";
  const low = p < 0.5, most = low ? 1 - p : p;
  if (most >= 0.995) return low ? "<1" : ">99";
  return most < threshold && Math.round(100 * most) >= 100 * threshold
    ? fixed((low ? Math.ceil : Math.floor)(1000 * p) / 10, 1) : fixed(100 * p, 0);
}

// At least two decimals: 0.90, 0.905
function thresholdText(x) { return Number(x.toFixed(2)) === x ? x.toFixed(2) : general(x, 6); }

function listed(texts) {
  if (texts.length < 3) return texts.join(" and ");
  return texts.slice(0, -1).join(", ") + ", and " + texts[texts.length - 1];
}

function upperFirst(text) { return text.charAt(0).toUpperCase() + text.slice(1); }
