// Probabilities of the difference d of two systems, without draws: under a Dirichlet posterior of
// win, loss and tie, and under Student's t.

function logGamma(x) {
  // Lanczos, g = 7, 9 terms: 15 digits
  const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  if (x > 1e5) { // Stirling: no digits are lost
    return (x - 0.5) * Math.log(x) - x + 0.91893853320467274 + 1 / (12 * x);
  }
  let sum = c[0];
  for (let k = 1; k < 9; k++) sum += c[k] / (x - 1 + k);
  const t = x + 6.5;
  return 0.91893853320467274 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// I_x(a, b), the share of a Beta(a, b) below x, by Lentz's continued fraction
function betaBelow(a, b, x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b)
    + a * Math.log(x) + b * Math.log1p(-x)) / a;
  if (front === 0) return 0;
  const tiny = 1e-300;
  let c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;
  function nonzero(v) { return Math.abs(v) < tiny ? tiny : v; }
  for (let m = 1; m < 100000; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    h *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return min(1, front * h);
}

// P(d > x) under Dirichlet(a, b, t) of win, loss and tie; t = 0 where there are no ties
function above(a, b, t, x) {
  if (x >= 1) return 0;
  if (x <= -1) return 1;
  if (x === 0 || t === 0) return betaBelow(b, a, (1 - x) / 2);
  return x < 0 ? 1 - inverted(b, a, t, -x) : inverted(a, b, t, x);
}

// For 0 < x < 1. With independent Gamma variables, d > x is
// Y = (1 - x) G_win - (1 + x) G_loss - x G_tie > 0, and P(Y > 0) is an integral of
// exp(K(z)) / z along a line through the saddle point of K, the cumulant function of Y.
function inverted(a, b, t, x) {
  const up = 1 - x, down = 1 + x;
  const square = (a + b + t) * up * down * x;
  const linear = a * up * (1 + 2 * x) - b * down * (2 * x - 1) - 2 * t * x * x;
  const constant = a * up - b * down - t * x;
  const root = Math.sqrt(max(linear * linear - 4 * square * constant, 0));
  let z = linear > 0 ? -2 * constant / (linear + root) : (root - linear) / (2 * square);
  z = min(max(z, -(1 - 1e-12) / down), (1 - 1e-12) / up);
  // keep off the pole at 0, by a standard deviation of the tilted law where there is room
  const side = z >= 0 ? 1 : -1, end = side > 0 ? 1 / up : 1 / down;
  const width = 1 / Math.sqrt(a * up * up + b * down * down + t * x * x);
  z = side * max(Math.abs(z), min(width, end / 2));
  // and off the branch point of a parameter so small that the saddle lies close to it
  if ((side > 0 ? a : b) < 1) z = side * min(Math.abs(z), 0.6 * end);
  const r1 = up / (1 - up * z), r2 = down / (1 + down * z), r3 = x / (1 + x * z);
  const level = -a * Math.log1p(-up * z) - b * Math.log1p(down * z) - t * Math.log1p(x * z);
  if (level < -32) return z > 0 ? 0 : 1;
  const second = a * r1 * r1 + b * r2 * r2 + t * r3 * r3;
  const third = 2 * (a * r1 * r1 * r1 - b * r2 * r2 * r2 - t * r3 * r3 * r3);
  const scale = min(1 / Math.sqrt(second), Math.abs(z), 1 / r1, 1 / r2);
  // a hyperbola, bent as the path of steepest descent is, but where it would climb
  const right = min(BEND, 2 / Math.sqrt(a)), left = min(BEND, 2 / Math.sqrt(b + t));
  const bend = a < 10 && b < 3 ? right
    : min(right, max(-left, third * scale / (3 * second)));
  let sum = 0.5 / z;
  for (let k = 1; k < 1200; k++) {
    const grow = Math.exp(k * STEP), sinh = (grow - 1 / grow) / 2, cosh = (grow + 1 / grow) / 2;
    const u = scale * sinh, on = scale * bend * (cosh - 1), re = z + on, far = on * on + u * u;
    const size = Math.exp(-0.5 * (a * Math.log1p(r1 * (r1 * far - 2 * on))
      + b * Math.log1p(r2 * (r2 * far + 2 * on)) + t * Math.log1p(r3 * (r3 * far + 2 * on))));
    const turn = a * Math.atan2(r1 * u, 1 - r1 * on) - b * Math.atan2(r2 * u, 1 + r2 * on)
      - t * Math.atan2(r3 * u, 1 + r3 * on);
    const away = re * re + u * u;
    sum += size * (Math.sin(turn) * (re * bend * sinh + u * cosh)
      + Math.cos(turn) * (re * cosh - u * bend * sinh)) / away;
    if (size * cosh < 1e-8 * Math.sqrt(away) * Math.abs(sum)) break;
  }
  const found = Math.exp(level) * sum * scale * STEP / Math.PI;
  return min(1, max(0, z > 0 ? found : 1 + found));
}

const STEP = 0.27, BEND = 0.6;

// P(T < x) of Student's t
function studentBelow(x, freedom) {
  const tail = betaBelow(freedom / 2, 0.5, freedom / (freedom + x * x)) / 2;
  return x > 0 ? 1 - tail : tail;
}

// P(d > x) of a pair in which A is better the larger d is: {a, b, t}, or Student's t of {d, e, f}
// truncated to differences of at most {most}; with a skewness {g} also Hall's t, and of the two
// probabilities the one nearer to 1/2
function pairAbove(of, x) {
  if (of.a !== undefined) return above(of.a, of.b, of.t, x);
  if (!(of.e > 0)) return NaN;
  const plain = studentAbove(of, x, 0);
  if (!of.g) return plain;
  const hall = studentAbove(of, x, of.g);
  return max(min(plain, hall), min(max(plain, hall), 0.5));
}

function studentAbove(of, x, skew) {
  const over = (y) => {
    const t = (of.d - y) / of.e;
    return studentBelow(t + skew * t * t + skew * skew * t * t * t / 3 + skew / 2, of.f);
  };
  if (of.most == null) return over(x);
  const high = over(of.most), low = over(-of.most);
  return (over(max(-of.most, min(of.most, x))) - high) / (low - high);
}

function pairMean(of) {
  return of.a !== undefined ? (of.a - of.b) / (of.a + of.b + of.t) : of.d;
}

function pairSpread(of) {
  if (of.a === undefined) return of.e * (of.f > 2 ? Math.sqrt(of.f / (of.f - 2)) : 3);
  const n = of.a + of.b + of.t;
  return Math.sqrt((4 * of.a * of.b + (of.a + of.b) * of.t) / (n * n * (n + 1)));
}

// The x with P(d < x) = p, by bisection on its own scale
function quantile(of, p) {
  const mean = pairMean(of), sd = pairSpread(of), bounded = of.a !== undefined || of.most === 1;
  let low = bounded ? max(-1, mean - 12 * sd) : mean - 40 * sd;
  let high = bounded ? min(1, mean + 12 * sd) : mean + 40 * sd;
  for (let k = 0; k < 60 && high - low > 1e-7 * sd; k++) {
    const middle = (low + high) / 2;
    if (1 - pairAbove(of, middle) < p) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

// The narrowest interval of this mass, or the equal-tailed one
function interval(of, mass, kind) {
  const tail = (1 - mass) / 2;
  if (kind === "eti" || of.a === undefined) return [quantile(of, tail), quantile(of, 1 - tail)];
  const golden = (Math.sqrt(5) - 1) / 2;
  const width = (left) => quantile(of, min(1, left + mass)) - quantile(of, left);
  let low = 0, high = 1 - mass;
  let p = high - golden * (high - low), q = low + golden * (high - low);
  let atP = width(p), atQ = width(q);
  for (let k = 0; k < 20; k++) {
    if (atP < atQ) {
      high = q; q = p; atQ = atP; p = high - golden * (high - low); atP = width(p);
    } else {
      low = p; p = q; atP = atQ; q = low + golden * (high - low); atQ = width(q);
    }
  }
  const left = (low + high) / 2;
  return [quantile(of, left), quantile(of, left + mass)];
}

// Density of d on a grid, as differences of P(d > x): [[x, height], ...]
function curve(of, points) {
  const mean = pairMean(of), sd = pairSpread(of);
  if (!(sd > 0)) return [];
  const bounded = of.a !== undefined || of.most === 1;
  const low = bounded ? max(-1, mean - 4.5 * sd) : mean - 4.5 * sd;
  const high = bounded ? min(1, mean + 4.5 * sd) : mean + 4.5 * sd;
  const width = (high - low) / points;
  const found = [];
  let before = pairAbove(of, low);
  for (let k = 1; k <= points; k++) {
    const here = pairAbove(of, low + k * width);
    found.push([low + (k - 0.5) * width, max(0, before - here) / width]);
    before = here;
  }
  return found;
}
