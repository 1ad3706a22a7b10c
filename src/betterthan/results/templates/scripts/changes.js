// One line that compares the verdicts under the reader's settings with those of the report.

const DECIDED = new Set(["a_better", "b_better", "equivalent"]);
const TIES = { third: "kept", drop: "dropped", half: "split half and half",
  to_a: "counted for the first system", to_b: "counted for the second system" };

// The verdict of two systems in words; of more systems, how many pairs have a verdict
function outcomeOf(view, settings, rule) {
  const { model } = view, { rope, threshold, baseline } = settings;
  if (model.size === 2) {
    const verdict = oriented(model[rule](0, rope, threshold), false);
    return { words: verdictWords(verdict, model.systems, oneOf(view, 0)) };
  }
  let decided = 0, pairs = 0;
  for (let k = 0; k < model.number; k++) {
    if (baseline !== null && model.first[k] !== baseline && model.second[k] !== baseline) continue;
    pairs++;
    if (DECIDED.has(model[rule](k, rope, threshold))) decided++;
  }
  return { decided, pairs };
}

// By rule, before the reader changes a setting
function reportedOutcomes(view) {
  const rules = view.data.among ? ["finalVerdict", "verdict"] : ["finalVerdict"];
  return Object.fromEntries(rules.map((rule) => [rule, outcomeOf(view, view.reported, rule)]));
}

function changeLine(view) {
  const { settings, reported, model, data } = view;
  const rule = data.among && !model.known ? "verdict" : "finalVerdict";
  if (sameSettings(settings, reported)) return "";
  const changed = SETTINGS.filter((key) => settings[key] !== reported[key]);
  const now = outcomeOf(view, settings, rule), before = view.outcomes[rule];
  const asReported = "as reported (" + changed.map((key) => settingText(view, key, reported[key]))
    .join(", ") + ")";
  if (model.size === 2) {
    return condition(view, changed) + ": " + now.words + "; " + asReported + ": " + before.words + ".";
  }
  const where = settings.baseline !== null && !changed.includes("baseline") ? " with the baseline" : "";
  return condition(view, changed) + ", " + grouped(now.decided) + " of " + grouped(now.pairs)
    + " pairs" + (data.kept ? " on this page" : "") + where + (now.decided === 1 ? " has" : " have")
    + (rule === "verdict" ? " a pairwise verdict; " : " a verdict; ") + asReported + ", "
    + grouped(before.decided) + (before.pairs === now.pairs ? "" : " of " + grouped(before.pairs))
    + ".";
}

// What the page cannot recompute, "" if nothing
function limitLine(view) {
  const { data, model } = view;
  if (model.known || !(data.among || data.has_best)) return "";
  return "Joint results need the posterior of all systems: they stay as reported, in gray.";
}

// "At threshold 0.90 and ROPE 0.02, with ties dropped"
function condition(view, changed) {
  const { settings } = view;
  const isLevel = (key) => key === "threshold" || (key === "rope" && settings.rope > 0);
  const text = (key) => settingText(view, key, settings[key]);
  const levels = changed.filter(isLevel).map(text);
  const others = changed.filter((key) => !isLevel(key)).map(text);
  const parts = [levels.length ? "at " + listed(levels) : "", others.length ? "with " + listed(others) : ""];
  return upperFirst(parts.filter(Boolean).join(", "));
}

function settingText({ data }, key, value) {
  if (key === "threshold") return "threshold " + thresholdText(value);
  if (key === "rope") return value > 0 ? "ROPE " + general(value, 6) : "no ROPE";
  if (key === "ties") return "ties " + (TIES[value] || value);
  if (key === "prior") return "prior " + (value || data.prior_name);
  return value === null ? "no baseline" : "baseline " + data.systems[value];
}
