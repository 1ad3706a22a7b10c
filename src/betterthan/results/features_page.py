"""The pages and sentences on features that predict a response, and on predicted responses."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.exact.numeric import monte_carlo
from betterthan.posterior.from_draws import diagnose
from betterthan.results import numbers, tables
from betterthan.results.context import P_BEST, printable, table_by_system
from betterthan.results.document import Document, Figure, Part, Table, parts_present, plotted
from betterthan.results.first_screen import FirstScreen, levels_screen
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.pair_tables import P_BETTER, pairs_at, table_by_pair, verdict
from betterthan.results.score_sentences import prediction_facts, score_sentences
from betterthan.results.scores_page import first_systems
from betterthan.text import named


@dataclass(frozen=True, kw_only=True)
class FunctionFacts:
    """Facts of a performance function fitted to data."""

    response: str
    n_features: int
    chosen: list[str]  # features, the one with the largest standardized coefficient first
    coefficient: float = 0.0  # the largest standardized one in absolute value
    r2: float  # in held-out rows, with the choice of features repeated if there was one
    r2_se: float
    r2_fit: float  # in the rows used for the fit


def function_facts(fit: xr.Dataset) -> FunctionFacts:
    """Facts from the ``fit`` of a performance function."""
    held_out = "r2_held_out" if fit.attrs["direction"] == "none" else "r2_held_out_chosen"
    features = np.array(labels_on_one_line(fit[names.FEATURE].values))
    chosen = fit["chosen"].values.astype(bool)
    coefficients = np.where(chosen, fit["standardised"].values, 0.0)
    order = np.argsort(-np.abs(coefficients), kind="stable")[: int(chosen.sum())]
    return FunctionFacts(
        response=on_one_line(str(fit.attrs["response"])),
        n_features=len(features),
        chosen=features[order].tolist(),
        coefficient=float(coefficients[order[0]]) if len(order) else 0.0,
        r2=fit[held_out].item(),
        r2_se=fit[f"{held_out}_se"].item(),
        r2_fit=fit["r2"].item(),
    )


def function_sentences(facts: FunctionFacts) -> list[str]:
    """How well the chosen features predict the response, and which one has the most weight."""
    if not facts.chosen:
        return [
            f"None of the {facts.n_features:,} features was chosen, so {facts.response} is "
            "predicted by its mean."
        ]
    return [
        _prediction(facts),
        f"The largest standardized coefficient is that of {facts.chosen[0]} "
        f"({numbers.signed_score(facts.coefficient)}). In the rows used for the fit, R2 is "
        f"{numbers.score(facts.r2_fit)}, which is too optimistic.",
    ]


def _prediction(facts: FunctionFacts) -> str:
    r2, se = numbers.score(facts.r2), f"standard error {numbers.score(facts.r2_se)}"
    features, n = named(facts.chosen), len(facts.chosen)
    if facts.r2 > 2 * facts.r2_se:
        return (
            f"{n:,} of {facts.n_features:,} features {'predicts' if n == 1 else 'predict'} "
            f"{facts.response} in held-out rows with R2 {r2} ({se}): {features}."
        )
    chosen = f"The chosen {'feature is' if n == 1 else 'features are'} {features}."
    why = "no more than two standard errors above 0"
    if facts.r2 <= 0:
        why = "no better than predicting the mean of the other rows"
    return (
        f"The data do not show that the features predict {facts.response}. In held-out rows R2 "
        f"is {r2} ({se}), {why}. {chosen}"
    )


@dataclass(frozen=True, kw_only=True)
class CoefficientFacts:
    """Facts of ``models.performance_function.fit``."""

    response: str
    n_features: int
    positive: list[str]  # features whose coefficient is above 0 with the threshold probability
    negative: list[str]  # and below 0
    threshold: float = names.VERDICT_PROB
    failures: str = ""  # of the convergence diagnostics


def coefficient_facts(tree: xr.DataTree) -> CoefficientFacts:
    """Facts from a posterior of a performance function.

    A sign counts only if its probability exceeds the threshold by two Monte Carlo errors.
    """
    diagnosis, posterior = diagnose(tree), tree["posterior"].to_dataset()
    features = np.array(labels_on_one_line(posterior[names.FEATURE].values))
    coefficients: Any = posterior["coefficient"]
    p = (coefficients > 0).mean(("chain", "draw")).transpose(names.FEATURE).values
    positive = negative = np.zeros(len(features), bool)
    if diagnosis.passed:
        least = names.VERDICT_PROB + 2 * np.sqrt(p * (1 - p) / diagnosis.ess_min)
        positive, negative = p >= least, 1 - p >= least
    return CoefficientFacts(
        response=on_one_line(str(posterior.attrs["response"])),
        n_features=len(features),
        positive=features[positive].tolist(),
        negative=features[negative].tolist(),
        failures="" if diagnosis.passed else " ".join(diagnosis.failures),
    )


def coefficient_sentences(facts: CoefficientFacts) -> list[str]:
    """Which coefficients have a sign that is probable enough."""
    if facts.failures:
        return [f"No verdict: {facts.failures}"]
    n = len(facts.positive) + len(facts.negative)
    if not n:
        return [
            f"Undecided: for none of the {facts.n_features:,} features has the sign of the "
            f"coefficient for {facts.response} a probability of at least {facts.threshold:g}. This "
            "is not evidence that none of them matters."
        ]
    signs = [f"positive for {named(facts.positive)}"] if facts.positive else []
    signs += [f"negative for {named(facts.negative)}"] if facts.negative else []
    return [
        f"The coefficient for {facts.response} is {' and '.join(signs)} (marginal probability of "
        f"at least {facts.threshold:g} for {n:,} of {facts.n_features:,} features)."
    ]


@dataclass(frozen=True, kw_only=True)
class FeatureSetFacts:
    """Facts of `features.compare`."""

    response: str
    n_sets: int
    best: str  # the set with the highest R2
    r2: float  # in held-out rows
    r2_se: float
    # of several sets also
    rival: str = ""  # the other set that the best is least surely better than
    p: float = float("nan")  # that the best has smaller errors than that set
    as_good: tuple[str, ...] = ()  # with the same errors as the best, itself included
    r2_nested: float = float("nan")  # with the set chosen again in every fold, too
    r2_nested_se: float = float("nan")
    most_chosen: str = ""  # the set that is the best in most folds
    proportion: float = float("nan")  # of these folds


def feature_set_facts(sets: xr.Dataset) -> FeatureSetFacts:
    """Facts from the result of `features.compare`."""
    _refuse_a_part(sets)
    labels = labels_on_one_line(sets[names.FEATURE_SET].values)
    r2, proportions = sets["r2_held_out_chosen"].values, sets["picked"].values
    best = int(np.argmax(r2))
    equal = sets["mse_difference"].values[best] == 0
    better = np.where(equal, np.inf, sets["prob_better"].values[best])
    rival = int(better.argmin())
    return FeatureSetFacts(
        response=on_one_line(str(sets.attrs["response"])),
        n_sets=len(labels),
        best=labels[best],
        as_good=tuple(np.array(labels)[equal].tolist()),
        rival="" if equal.all() else labels[rival],
        p=float(better[rival]),
        r2=float(r2[best]),
        r2_se=float(sets["r2_held_out_chosen_se"].values[best]),
        r2_nested=sets["r2_held_out_best"].item(),
        r2_nested_se=sets["r2_held_out_best_se"].item(),
        most_chosen=labels[int(proportions.argmax())],
        proportion=float(proportions.max()),
    )


def _refuse_a_part(sets: xr.Dataset) -> None:
    """Refuse some of the sets that were compared."""
    axes = [names.FEATURE_SET, f"{names.FEATURE_SET}_a", f"{names.FEATURE_SET}_b"]
    axes = [sets[axis].values.tolist() for axis in axes]
    if axes[0] != axes[1] or axes[0] != axes[2] or sets["picked"].values.sum() < 1 - 1e-9:
        raise ValueError(
            "these are some of the feature sets that were compared, and the R2 of a repeated "
            "choice is of all; report them all, or call features.compare with these sets"
        )


def feature_set_sentences(facts: FeatureSetFacts) -> list[str]:
    """Which set predicts the response best, and how well once its choice is repeated."""
    pairs = (facts.r2, facts.r2_se), (facts.r2_nested, facts.r2_nested_se)
    r2, nested = (f"{numbers.score(x)} (standard error {numbers.score(se)})" for x, se in pairs)
    predicts = facts.r2 > 2 * facts.r2_se
    if facts.n_sets == 1:
        what = f"{facts.best} predicts {facts.response}"
        how = f"in held-out rows with R2 {r2}"
        if not predicts:
            what, how = f"The data do not show that {what}:", f"R2 is {r2} in held-out rows"
        return [f"{what} {how}; feature selection is repeated in every fold."]
    several = len(facts.as_good) > 1
    best, have, it, is_ = facts.best, "has", "It", "is"
    if several:
        best, have, it, is_ = named(facts.as_good), "have", "They", "are"
    p = numbers.probability(facts.p)
    if not facts.rival:
        sure = ""
    elif predicts and facts.p >= names.VERDICT_PROB:
        sure = f" {it} {is_} better than any other set (probability at least {p})."
    else:
        sure = f" The data do not show that {best} predict{'' if several else 's'} "
        sure += f"{facts.response} best (probability {p} against {facts.rival})."
    return [
        f"{best} {have} the highest R2 of {facts.n_sets:,} feature sets for {facts.response}: {r2} "
        f"in held-out rows, with feature selection repeated in every fold.{sure} If the choice of "
        f"the set is also repeated, R2 is {nested}; this estimate is free of selection bias. "
        + _best_in_folds(facts)
    ]


def _best_in_folds(facts: FeatureSetFacts) -> str:
    """Which set is the best in most folds; sets with the same errors share it."""
    several = len(facts.as_good) > 1 and facts.most_chosen in facts.as_good
    best = f"{named(facts.as_good)} are" if several else f"{facts.most_chosen} is"
    share = numbers.share(facts.proportion)
    return f"{best} the best {'sets' if several else 'set'} in {share} of the folds."


FEATURES_LISTED = 40  # the coefficients that are listed
CAUSES = (
    "Prediction is not causation: a feature can predict the response although changing the "
    "feature does not change the response."
)
LIKE_THESE = "Predictions hold only for components and users like those in the data."
_CHOSEN = (
    "The features were chosen from these data; with other data the formula would differ, as the "
    "inclusion frequencies show."
)
_ROWS_INDEPENDENT = (
    "Rows are treated as independent; if several belong to one user or dialogue, leave those out "
    "together."
)
_IN_OTHER_FOLDS = (
    "{} rows have the same features as a row in another fold. If they are from one dialogue, a fit "
    "has already used the row that it predicts; leave out the dialogue as a whole."
)
_INCLUSION = (
    "Inclusion: the proportion of {} bootstrap samples in which a feature is chosen. For chosen "
    "features that are pure noise it is about two thirds, rarely 90%. Related features replace "
    "each other and divide it between them."
)
_UNITS = {
    names.ROW: "one row",
    names.SAME_INDEX: "all rows with one label of the index",
    names.SAME_FEATURES: "all rows with the same features",
}
_NO_POSTERIOR = (
    "Least squares gives intervals for coefficients, but not for predictions; for both, use the "
    "posterior of models.performance_function."
)


def function_page(function: Any) -> Document:
    """Everything a report says of a function that was fitted to data."""
    fit = function.fit
    if fit is None:
        raise ValueError(
            "answers hold a PerformanceFunction of a published formula; give one that "
            "betterthan.features.performance_function fitted"
        )
    response = on_one_line(str(fit.attrs["response"]))
    steps = _steps(fit) if fit.sizes["step"] > 1 else None
    formula = Part("Formula", lines=[on_one_line(str(function))])
    sections = (formula, _measures(function), _coefficients(function))
    question = (
        f"Which of {fit.sizes[names.FEATURE]} features predict {response}, and how well in new "
        "dialogues?"
    )
    sentences = function_sentences(function_facts(fit))
    return Document(
        f"What predicts {response}",
        question,
        parts_present(*sections, steps, _data(fit)),
        _limits(fit),
        [_signature(fit)],
        sentences,
        screen=_screen(fit, sentences),
    )


def _screen(fit: xr.Dataset, answer: list[str]) -> FirstScreen:
    """The chosen features with their standardized coefficients."""
    chosen = fit.isel({names.FEATURE: fit["chosen"].values & (fit["coefficient"].values != 0)})
    ratio = chosen["standardised"] / chosen["coefficient"]
    ends = [chosen["lower"] * ratio, chosen["standardised"], chosen["upper"] * ratio]
    return _coefficient_screen(
        labels_on_one_line(chosen[names.FEATURE].values),
        np.column_stack([end.values for end in ends]),
        f"{100 * fit.attrs['ci_prob']:g}% interval",
        answer,
        _AFTER_CHOICE if fit.attrs["direction"] != "none" else "",
    )


def _coefficient_screen(
    features: list[str], limits: np.ndarray, interval: str, answer: list[str], note: str = ""
) -> FirstScreen:
    """Standardized coefficients with their intervals, the largest first."""
    order = np.argsort(-np.abs(limits[:, 1]), kind="stable")[:FEATURES_LISTED]
    rows = []
    for k in order[np.isfinite(limits[order]).all(1)].tolist():
        low, point, high = limits[k].tolist()
        text = f"{point:+.2f} [{low:+.2f}, {high:+.2f}]".replace("-", "−")
        rows.append((features[k], (low, point, high), text))
    what = "Standardized coefficient of each feature"
    return levels_screen(answer, rows, quantity=what, interval=interval, of="Feature", note=note)


_AFTER_CHOICE = (
    "Intervals are by least squares on the chosen features; after feature selection they are too "
    "narrow."
)


def _data(fit: xr.Dataset) -> Part:
    a = fit.attrs
    total = a["n"] + a["n_dropped_response"] + a["n_dropped_feature"]
    choice = f"stepwise by AIC ({a['direction']})"
    choice = "all features, no choice" if a["direction"] == "none" else choice
    by = str(a["left_out_by"])
    unit = _UNITS.get(by, f"one value of {by}")
    left_out = (
        f"{a['n_dropped_response']:,} without a response, {a['n_dropped_feature']:,} more without "
        "a feature"
    )
    facts = [
        ("Rows used", f"{a['n']:,} of {total:,}"),
        ("Rows left out", left_out),
        ("Fit", f"least squares, {choice}"),
        ("Cross-validation", f"{a['folds']:,} folds, each leaves out {unit}"),
    ]
    return Part("Data and method", facts=facts)


def _measures(function: Any) -> Part:
    fit: Any = function.fit
    spread = f"sd {fit['r2_training_sd'].item():.3f}"
    rows = [
        ("R2 of the fit", _r2(fit, "r2"), ""),
        ("R2 in training, mean over folds", _r2(fit, "r2_training"), spread),
        ("R2 held out, features as chosen", _held_out(fit, "r2_held_out"), _error(fit, "mse")),
    ]
    note = "R2 held out is not too optimistic: each row is predicted by a fit without that row."
    if fit.attrs["direction"] != "none":
        chosen = _held_out(fit, "r2_held_out_chosen")
        rows.append(("R2 held out, selection repeated", chosen, _error(fit, "mse_chosen")))
        note = (
            "The last line is free of selection bias: features were chosen without the rows that "
            "they predict. For the best of several functions even it is too high; use "
            "features.compare."
        )
    table = Table(("Measure", "Value", "Variation"), rows, "How well the response is predicted")
    figure = Figure("Observed and predicted response", plotted("predictions", function))
    return Part("How well", tables=[table], notes=[note], figures=[figure])


def _r2(fit: xr.Dataset, name: str) -> str:
    return f"{fit[name].item():.3f}"


def _held_out(fit: xr.Dataset, name: str) -> str:
    return f"{_r2(fit, name)} (standard error {fit[f'{name}_se'].item():.3f})"


def _error(fit: xr.Dataset, name: str) -> str:
    return f"MSE {fit[name].item():.4g} (sd {fit[f'{name}_sd'].item():.4g})"


def _coefficients(function: Any) -> Part:
    fit: Any = function.fit
    size, total = np.abs(fit["standardised"].values), fit.sizes[names.FEATURE]
    order = np.lexsort((-fit["inclusion"].values, -size))[:FEATURES_LISTED]
    rows = [_coefficient(fit.isel({names.FEATURE: int(k)})) for k in order]
    interval = f"{100 * fit.attrs['ci_prob']:g}%"
    heads = ("Feature", "Coefficient", interval, "Standardized", "Inclusion")
    caption = f"The {len(rows)} largest of {total} coefficients"
    table = Table(heads, rows, "All coefficients" if len(rows) == total else caption)
    notes = [_errors(fit)]
    if fit.attrs["direction"] != "none":
        notes += [_AFTER_CHOICE, _INCLUSION.format(f"{fit.attrs['resamples']:,}")]
    return Part("Coefficients", tables=[table], notes=notes)


def _errors(fit: xr.Dataset) -> str:
    """What the intervals rest on; few groups leave few degrees of freedom."""
    text = f"Intervals: Student's t, errors {fit.attrs['errors']}"
    df = fit["df"].values[np.isfinite(fit["df"].values)]
    if fit.attrs["left_out_by"] == names.ROW or not df.size:
        return f"{text}."
    degrees = dict.fromkeys(f"{df:.1f}" for df in (df.min(), df.max()))
    return f"{text}, {' to '.join(degrees)} degrees of freedom from {fit.attrs['folds']} groups."


def _coefficient(row: xr.Dataset) -> tuple[str, ...]:
    share = numbers.share(row["inclusion"].item())
    name = on_one_line(str(row[names.FEATURE].item()))
    if not row["chosen"]:
        return (name, "–", "–", "–", share)
    interval = f"[{row['lower'].item():.4g}, {row['upper'].item():.4g}]"
    value, standardised = row["coefficient"].item(), row["standardised"].item()
    return (name, f"{value:.4g}", interval, f"{standardised:+.2f}", share)


def _steps(fit: xr.Dataset) -> Part:
    changes = zip(fit["change"].values, fit["aic"].values, strict=True)
    rows = [(f"{k}", on_one_line(str(c)), f"{float(a):.2f}") for k, (c, a) in enumerate(changes)]
    table = Table(("Step", "Change", "AIC"), rows, "AIC = n log(RSS / n) + 2 coefficients", left=2)
    return Part("Stepwise selection", tables=[table])


def _limits(fit: xr.Dataset) -> list[str]:
    chosen = [_CHOSEN] if fit.attrs["direction"] != "none" else []
    independent = [_ROWS_INDEPENDENT] if fit.attrs["left_out_by"] == names.ROW else []
    shared = int(fit.attrs["n_in_other_folds"])
    by_rows = fit.attrs["left_out_by"] in _UNITS  # else by what the author says they belong to
    repeated = [_IN_OTHER_FOLDS.format(f"{shared:,}")] if shared and by_rows else []
    return [CAUSES, LIKE_THESE, *chosen, *independent, *repeated, _NO_POSTERIOR]


def _signature(fit: xr.Dataset) -> str:
    a = fit.attrs
    parts = [
        f"betterthan {a['version']}",
        f"response={on_one_line(str(a['response']))}",
        f"direction={a['direction']}",
        f"n={a['n']}",
        f"dropped={a['n_dropped_response']}+{a['n_dropped_feature']}",
        f"features={fit.sizes[names.FEATURE]}",
        f"folds={a['folds']} by {a['left_out_by']}",
        f"resamples={a['resamples']} seed={a['seed']}",
    ]
    return " | ".join(parts)


_PAIRED_COMPONENTS = 8  # components whose pairs are listed
_INTERVAL = {"ci_prob": names.CI_PROB, "ci_kind": names.CI_KIND}  # of the coefficients
_SHRUNK = (
    "Coefficients are shrunk toward 0 by design, more so with few rows. With 20 to 35 simulated "
    "rows, a true standardized coefficient of 0.6 is estimated as 0.38 on average. Its 95% "
    "interval contains it in 82% of cases; the interval of a noise feature contains 0 in 99%."
)
_SHRUNK_TOO = (
    "Differences between components come from coefficients that are shrunk toward 0, so on average "
    "they are smaller than the true differences."
)
_CORRECTED = (
    "Nested MSE difference: Student's t, its variance corrected for the training data that folds "
    "share (Nadeau and Bengio). It is cautious: of equally good sets p is at most 0.05 in 0 to 8% "
    "of simulated data. P(better): the probability that the first set has the smaller error."
)
_SETS = ("Features", "Chosen", "R2 training (SD)", "R2 held out", "R2 nested (SE)", "MSE (SD)")


def sets_page(sets: xr.Dataset) -> Document:
    """The page on feature sets, from `features.compare`."""
    a, response = sets.attrs, on_one_line(str(sets.attrs["response"]))
    total = sets.sizes[names.FEATURE_SET]
    rows = [_set_row(sets.isel({names.FEATURE_SET: k})) for k in range(total)]
    fitted = [Table((*_SETS, "Formula"), rows, "Feature sets, fitted to the same rows")]
    fitted += [_set_pairs(sets)] if total > 1 else []
    notes = [_best_set_note(sets), _CORRECTED] if total > 1 else []
    signature = [
        f"betterthan {betterthan.__version__}",
        f"response={response}",
        f"direction={a['direction']}",
        f"n={a['n']}",
        f"folds={a['folds']} by {a['left_out_by']}",
    ]
    return Document(
        f"Features that predict {response}",
        f"Which of {total} sets of features predicts {response} best?",
        [Part("Feature sets", tables=fitted, notes=notes)],
        [CAUSES, LIKE_THESE],
        [" | ".join(signature)],
        feature_set_sentences(feature_set_facts(sets)),
    )


def _set_pairs(sets: xr.Dataset) -> Table:
    """Each pair of the first sets: the difference of their errors in the same held-out rows."""
    rows = []
    for a, b in combinations(range(min(sets.sizes[names.FEATURE_SET], _PAIRED_COMPONENTS)), 2):
        pair = sets.isel({f"{names.FEATURE_SET}_a": a, f"{names.FEATURE_SET}_b": b})
        bounds = [pair[f"mse_difference{end}"].item() for end in ("", "_lower", "_upper")]
        rows.append(
            (
                *labels_on_one_line([pair[f"{names.FEATURE_SET}_{k}"].item() for k in "ab"]),
                "{:+.4f} [{:+.4f}, {:+.4f}]".format(*bounds),
                numbers.probability(pair["prob_better"].item()),
                numbers.p_value(pair["p_value"].item()),
            )
        )
    size = f"Nested MSE difference [{100 * sets.attrs['ci_prob']:g}%]"
    heads = ("Set", "Other", size, "P(better)", "p")
    return Table(heads, rows, "Errors of two sets in the same held-out rows", left=2)


def _with_error(row: xr.Dataset, name: str) -> str:
    return f"{row[name].item():.2f} ({row[f'{name}_se'].item():.2f})"


def _best_set_note(sets: xr.Dataset) -> str:
    """What is left of the best set once its choice is made without what it predicts."""
    total = sets.sizes[names.FEATURE_SET]
    return (
        f"R2 nested: feature selection is repeated in every fold. The largest of {total} is "
        "too high on average, because the set was chosen with the same folds. If the choice of the "
        f"set is also repeated, R2 held out is {_with_error(sets, 'r2_held_out_best')}; "
        + _best_in_folds(feature_set_facts(sets))
    )


def _set_row(row: xr.Dataset) -> tuple[str, ...]:
    training, error = (
        f"{row[name].item():.{places}f} ({row[f'{name}_sd'].item():.{places}f})"
        for name, places in (("r2_training", 2), ("mse", 4))
    )
    return (
        on_one_line(str(row[names.FEATURE_SET].item())),
        f"{int(row['n_chosen'])} of {int(row['n_features'])}",
        training,
        f"{row['r2_held_out'].item():.2f}",
        _with_error(row, "r2_held_out_chosen"),
        error,
        on_one_line(str(row["formula"].item())),
    )


def posterior_page(tree: xr.DataTree) -> Document:
    """The page on a posterior, from ``models.performance_function.fit``."""
    a, facts = tree["posterior"].attrs, coefficient_facts(tree)
    sentences = coefficient_sentences(facts)
    response, drawn = on_one_line(str(a["response"])), f"{a['chains']} x {a['draws']} draws"
    features = tree["posterior"].sizes[names.FEATURE]
    heads = ("Feature", "Coefficient", tables.interval_label(_INTERVAL), "Standardized", "P(> 0)")
    table = Table(heads, _posterior_rows(tree), "Coefficients (partial pooling)")
    part = Part("Posterior of all features", _fitted(tree), [table], notes=[_SHRUNK])
    signature = f"betterthan {betterthan.__version__} | response={response} | performance_function"
    return Document(
        f"What predicts {response}",
        f"Which of {features} features predict {response}?",
        [part],
        [CAUSES, LIKE_THESE],
        [f"{signature} | seed={a['seed']}, {drawn}, {a['inference_library']}"],
        sentences,
        screen=None if facts.failures else _posterior_screen(tree, sentences),
    )


def _posterior_screen(tree: xr.DataTree, answer: list[str]) -> FirstScreen:
    draws = tree["posterior"]["standardised"].transpose("chain", "draw", names.FEATURE)
    flat = draws.values.reshape(-1, draws.sizes[names.FEATURE])
    low, high = monte_carlo.interval(flat, names.CI_PROB, names.CI_KIND)
    return _coefficient_screen(
        labels_on_one_line(draws[names.FEATURE].values),
        np.column_stack([low, flat.mean(0), high]),
        tables.interval_label(_INTERVAL),
        answer,
    )


def _posterior_rows(tree: xr.DataTree) -> list[tuple[str, ...]]:
    draws = tree["posterior"].to_dataset().stack(each=("chain", "draw"))
    beta = draws["coefficient"].transpose("each", names.FEATURE).values
    low, high = monte_carlo.interval(beta, names.CI_PROB, names.CI_KIND)
    size = draws["standardised"].mean("each").values
    rows: list[tuple[str, ...]] = []
    for k in np.argsort(-np.abs(size), kind="stable")[:FEATURES_LISTED]:
        name = on_one_line(str(draws[names.FEATURE].values[k]))
        interval, above = f"[{low[k]:.4g}, {high[k]:.4g}]", float((beta[:, k] > 0).mean())
        mean = f"{beta[:, k].mean():.4g}"
        rows.append((name, mean, interval, f"{size[k]:+.2f}", numbers.probability(above)))
    return rows


def _fitted(tree: xr.DataTree) -> list[tuple[str, str]]:
    diagnosis, a = diagnose(tree), tree["posterior"].attrs
    kind = ", ordered categories" if a["ordinal"] else ""
    kind += f", intercepts by {a['grouped_by']}" if a["grouped_by"] else ""
    sampled = f"{diagnosis.chains} chains x {diagnosis.draws} draws, seed {a['seed']}"
    health = f"R-hat at most {diagnosis.rhat_max:.3f}, ESS at least {diagnosis.ess_min:.0f}"
    return [
        ("Model", f"R2D2 prior, all features{kind}"),
        ("Sampler", f"{sampled}, {health}, {diagnosis.divergences} divergences"),
        *tables.failed_checks(diagnosis.failures),
    ]


def prediction_page(prediction: xr.Dataset) -> Document:
    """The page on components by their predicted response, from `features.predict`."""
    a, response = prediction.attrs, on_one_line(str(prediction.attrs["response"]))
    order = np.argsort(-prediction["prob_best"].values, kind="stable")
    ordered = printable(prediction.isel(dict.fromkeys(tables.systems_dims(prediction), order)))
    pairs = [_pairs(ordered)] if len(order) > 1 else []
    facts = tables.failed_checks(np.atleast_1d(a["failures"]).tolist())
    heading = f"Components by predicted {response}"
    signature = [
        f"betterthan {a['version']}",
        f"response={response}",
        tables.sampled_by(a),
        f"rope={a['rope']:g}",
        f"interval={tables.interval_label(a)}",
        f"n={a['n']}",
    ]
    return Document(
        f"Components by predicted {response}",
        f"Which component has the best predicted {response}?",
        [Part(heading, facts=facts, tables=[_components(ordered), *pairs])],
        [LIKE_THESE, _SHRUNK_TOO],
        [" | ".join(signature)],
        score_sentences(prediction_facts(ordered, response)),
    )


def _components(prediction: xr.Dataset) -> Table:
    columns = [
        tables.values("Predicted", ["predicted"], "{:.3g}".format),
        tables.values(
            tables.interval_label(prediction.attrs), ["lower", "upper"], "[{:.3g}, {:.3g}]".format
        ),
        P_BEST,
        tables.Column("Outside the training data", lambda rows: map(str, rows["outside"].values)),
    ]
    response = on_one_line(str(prediction.attrs["response"]))
    caption = f"Predicted mean {response} of each component"
    return table_by_system(prediction, columns, caption, heading="Component")


def _pairs(prediction: xr.Dataset) -> Table:
    first = first_systems(prediction, _PAIRED_COMPONENTS)
    columns = [
        tables.difference("Difference", bracketed=tables.interval_label(prediction.attrs)),
        P_BETTER,
        verdict(),
    ]
    return table_by_pair(pairs_at(first, tables.ahead_first(first)), columns, "Pairs of components")
