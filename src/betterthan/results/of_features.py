"""The page on which component scores predict a response, from a performance function."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.document import Document, Figure, Part, Table, parts_told, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.feature_sentences import function_facts, function_sentences

FEATURES_OF = 40  # the coefficients that are listed
CAUSES = (
    "That a feature predicts the response does not say that raising it would raise the response."
)
LIKE_THESE = "Predictions hold for components and users like those the function was fitted to."
_CHOSEN = (
    "The features were chosen from these data: the formula would differ on others, as the "
    "inclusion frequencies tell."
)
_ROWS_INDEPENDENT = (
    "Rows are taken as independent; where several belong to one user or dialogue, leave those out "
    "together."
)
_IN_OTHER_FOLDS = (
    "{} rows have the features of a row in another fold: where they are of one dialogue, a fit has "
    "seen what it predicts; leave the dialogue out as a whole."
)
_INCLUSION = (
    "Inclusion: the share of {} bootstrap samples in which a feature is chosen. Features of pure "
    "noise that were chosen have about two thirds, seldom 90 %. Related features stand in for each "
    "other and share it."
)
_UNITS = {
    names.ROW: "one row",
    names.SAME_INDEX: "all rows with one label of the index",
    names.SAME_FEATURES: "all rows with the same features",
}
_NO_POSTERIOR = (
    "Least squares gives intervals to the coefficients, none to the predictions; a posterior, from "
    "models.performance_function, gives both."
)


def page(function: Any) -> Document:
    """Everything a report says of a function that was fitted to data."""
    fit = function.fit
    if fit is None:
        raise ValueError(
            "answers hold a PerformanceFunction of a published formula; give one that "
            "betterthan.features.performance_function fitted"
        )
    response = on_one_line(str(fit.attrs["response"]))
    steps = _steps(fit) if fit.sizes["step"] > 1 else None
    of_fit = (_formula(function), _measures(function), _coefficients(function))
    parts = parts_told(*of_fit, steps, _data(fit))
    question = (
        f"Which of {fit.sizes[names.FEATURE]} features predict {response}, and how well in "
        "dialogues not yet seen?"
    )
    sentences = function_sentences(function_facts(fit))
    signed = [_signature(fit)]
    return Document(f"What predicts {response}", question, parts, _limits(fit), signed, sentences)


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


def _formula(function: Any) -> Part:
    return Part("Formula", lines=[on_one_line(str(function))])


def _measures(function: Any) -> Part:
    fit: Any = function.fit
    spread = f"sd {fit['r2_training_sd'].item():.3f}"
    rows = [
        ("R2 of the fit itself", _r2(fit, "r2"), ""),
        ("R2 in training, mean over folds", _r2(fit, "r2_training"), spread),
        ("R2 held out, features as chosen", _held_out(fit, "r2_held_out"), _error(fit, "mse")),
    ]
    note = "R2 held out is the honest one: each row is predicted by a fit that has not seen it."
    if fit.attrs["direction"] != "none":
        chosen = _held_out(fit, "r2_held_out_chosen")
        rows.append(("R2 held out, choice repeated (nested)", chosen, _error(fit, "mse_chosen")))
        note = (
            "The last line is the honest one: features were chosen without the rows that they "
            "predict. Of the best of several functions it is too high, too: see features.compare."
        )
    table = Table(("Measure", "Value", "Beside"), rows, "How well the response is predicted")
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
    order = np.lexsort((-fit["inclusion"].values, -size))[:FEATURES_OF]
    rows = [_coefficient(fit.isel({names.FEATURE: int(k)})) for k in order]
    interval = f"{100 * fit.attrs['ci_prob']:g}%"
    heads = ("Feature", "Coefficient", interval, "Standardised", "Inclusion")
    caption = f"The {len(rows)} largest of {total} coefficients"
    table = Table(heads, rows, "Coefficients" if len(rows) == total else caption)
    notes = [_errors(fit)]
    if fit.attrs["direction"] != "none":
        notes.append(
            "They are those of least squares on these features alone; after a choice they are too "
            "narrow."
        )
        notes.append(_INCLUSION.format(f"{fit.attrs['resamples']:,}"))
    figure = Figure("Coefficients by least squares", plotted("coefficients", function))
    return Part("Coefficients", tables=[table], notes=notes, figures=[figure])


def _errors(fit: xr.Dataset) -> str:
    """What the intervals rest on; few groups leave few degrees of freedom."""
    told = f"Intervals: Student's t, errors {fit.attrs['errors']}"
    df = fit["df"].values[np.isfinite(fit["df"].values)]
    if fit.attrs["left_out_by"] == names.ROW or not df.size:
        return f"{told}."
    ends = dict.fromkeys(f"{end:.1f}" for end in (df.min(), df.max()))
    return f"{told}, {' to '.join(ends)} degrees of freedom from {fit.attrs['folds']} groups."


def _coefficient(at: xr.Dataset) -> tuple[str, ...]:
    share = f"{100 * at['inclusion'].item():.0f} %"
    name = on_one_line(str(at[names.FEATURE].item()))
    if not at["chosen"]:
        return (name, "–", "–", "–", share)
    ends = f"[{at['lower'].item():.4g}, {at['upper'].item():.4g}]"
    value, standardised = at["coefficient"].item(), at["standardised"].item()
    return (name, f"{value:.4g}", ends, f"{standardised:+.2f}", share)


def _steps(fit: xr.Dataset) -> Part:
    changes = zip(fit["change"].values, fit["aic"].values, strict=True)
    rows = [
        (f"{k}", on_one_line(str(c)), f"{float(aic):.2f}") for k, (c, aic) in enumerate(changes)
    ]
    caption = "AIC = n log(RSS / n) + 2 coefficients"
    return Part("The way there", tables=[Table(("Step", "Change", "AIC"), rows, caption, left=2)])


def _limits(fit: xr.Dataset) -> list[str]:
    chosen = [_CHOSEN] if fit.attrs["direction"] != "none" else []
    independent = [_ROWS_INDEPENDENT] if fit.attrs["left_out_by"] == names.ROW else []
    shared = int(fit.attrs["n_in_other_folds"])
    seen = [_IN_OTHER_FOLDS.format(f"{shared:,}")] if shared else []
    return [CAUSES, LIKE_THESE, *chosen, *independent, *seen, _NO_POSTERIOR]


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
