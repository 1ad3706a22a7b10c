// The controls: sliders for ROPE and threshold, and lists for ties, prior and baseline.

function controlsOf(view) {
  const { model, data, settings } = view, inputs = {};
  const form = make("form", { class: "controls", "aria-label": "Settings" + view.of,
    onsubmit: (event) => event.preventDefault() });
  const slider = (key, name, low, high, step, why) => {
    const id = view.pre + "bt-" + key;
    const range = make("input", { type: "range", id, min: low, max: high, step, disabled: why });
    const number = make("input", { type: "number", min: low, max: high, step: "any",
      "aria-label": name + ", as a number", disabled: why });
    const moved = (from, to, done) => {
      if (from.value === "") return;
      const value = min(high, max(low, +from.value));
      from.value = to.value = value; // the one that is applied
      view.change({ [key]: value }, done);
    };
    on(range, "input", () => moved(range, number, false));
    on(range, "change", () => moved(range, number, true));
    on(number, "change", () => moved(number, range, true));
    inputs[key] = (value) => { range.value = value; number.value = general(value, 6); };
    form.append(make("div", { class: "control" }, make("label", { for: id, text: name }), range,
      number, why ? make("p", { class: "why", text: why }) : null));
  };
  const select = (key, name, options) => {
    const id = view.pre + "bt-" + key, box = make("select", { id });
    for (const [value, text] of options) box.append(make("option", { value, text }));
    on(box, "change", () => view.change({ [key]: read(key, box.value) }, true));
    inputs[key] = (value) => { box.value = value === null ? "" : value; };
    form.append(make("div", { class: "control" }, make("label", { for: id, text: name }), box));
  };
  const read = (key, text) => (text === "" ? null : key === "baseline" ? Number(text) : text);
  if (model.size > 2) {
    select("baseline", "Baseline", [["", "none"],
      ...data.order.map((k) => [k, model.systems[k]])]);
  }
  slider("rope", "ROPE: |d| that counts as no difference", 0, view.ropeMost,
    niceStep(view.ropeMost / 200), data.ropeStays);
  slider("threshold", "Threshold: probability a verdict needs", 0.505, 0.995, 0.005, null);
  if (model.switches) {
    const results = data.among || data.has_best ? " (pairwise results)" : "";
    select("ties", "Ties" + results, Object.entries(TIES));
    select("prior", "Prior" + results, [["", "as reported: " + data.prior.map((a) =>
      general(a, 4)).join(", ")], ...Object.keys(data.priors).map((name) =>
      [name, name + ": " + general(data.priors[name][0], 4)])]);
  }
  const reset = make("button", { type: "button", text: "Back to the report",
    onclick: () => view.change({ ...view.reported }, true) });
  form.append(make("div", { class: "control" }, reset));
  const sync = () => {
    for (const key in inputs) inputs[key](settings[key]);
    reset.disabled = sameSettings(settings, view.reported);
  };
  return { form, sync };
}

function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x)), front = x / power;
  return Number(((front < 1.5 ? 1 : front < 3.5 ? 2 : front < 7.5 ? 5 : 10) * power)
    .toPrecision(3));
}

// The largest ROPE of the slider: 0.2 for probabilities, else the largest bound of a difference
function mostRope(data, model) {
  const most = max(0.2, 2 * (data.rope || 0));
  if (data.quantity !== "mean") return min(most, 0.99);
  let far = 2 * (data.rope || 0);
  for (let k = 0; k < model.number; k++) {
    far = max(far, Math.abs(model.at("lo", k) || 0), Math.abs(model.at("up", k) || 0));
  }
  return far > 0 ? Number(far.toPrecision(2)) : 1;
}
