// Elements made by hand: text is only ever text.

function make(tag, given, ...children) {
  const element = document.createElement(tag);
  for (const name in given) {
    const value = given[name];
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

function drawing(tag, given, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in given) element.setAttribute(name, given[name]);
  element.append(...children);
  return element;
}

// Only what has changed is written
function setText(element, text) { if (element.textContent !== text) element.textContent = text; }
function setClass(element, name) { if (element.className !== name) element.className = name; }

const WORDS = {
  no_data: "no examples", no_verdict: "no verdict", equivalent: "equivalent",
  split: "split: wins and mean differ", undecided: "undecided",
};
const MARKS = { better: "●", worse: "●", equivalent: "≈", split: "✕", undecided: "○", no_data: "–",
  no_verdict: "–" };

function percentOf(p) { // whole per cent that never rounds to 0 or 100
  if (Number.isNaN(p) || p === null) return "–";
  if (p < 0.005) return "<1";
  return p >= 0.995 ? ">99" : fixed(100 * p, 0);
}
