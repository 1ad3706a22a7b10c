// Create elements. Text is set as text, never as HTML.

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const name in attributes) {
    const value = attributes[name];
    if (value == null || value === false) continue;
    if (name.startsWith("on")) on(element, name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child != null) element.append(child);
  return element;
}

function drawing(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}

// Write only if there is an element and the value has changed
function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}
function setClass(element, name) { if (element.className !== name) element.className = name; }

function on(element, type, listener) { element.addEventListener(type, listener); }
