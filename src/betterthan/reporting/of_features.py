"""The report on which component scores predict a response."""

from pathlib import Path

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.answers import numbers
from betterthan.exact.numeric import weights
from betterthan.features.formulas import PerformanceFunction
from betterthan.posterior.gate import diagnose
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.page import Page, Part
from betterthan.reporting.rendering import write_page
from betterthan.reporting.sentences import title_of_verdict
from betterthan.reporting.tables import Table, pairs_of

_FEATURES_OF = 40  # the coefficients that are listed


def outcome_report(
    function: PerformanceFunction,
    *,
    sets: xr.Dataset | None = None,
    posterior: xr.DataTree | None = None,
    predicted: xr.Dataset | None = None,
    format: str = "text",
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
) -> str:
    """Write up which component scores predict a response, how well, and what that says of
    components.

    Parameters
    ----------
    function : PerformanceFunction
        From `features.performance_function`.
    sets : xarray.Dataset, optional
        From `features.compare`.
    posterior : xarray.DataTree, optional
        From ``betterthan.models.performance_function.fit`` on the same data.
    predicted : xarray.Dataset, optional
        From `features.predict`.
    format : {"text", "markdown", "html", "latex"}, default "text"
        See `report`.
    path : str or pathlib.Path, optional
        Also write it to this file, whole or not at all.
    title : str, optional
    figures : bool, default True
        Draw figures into HTML.

    Returns
    -------
    str
        The report.

    Raises
    ------
    ValueError
        If the function was not fitted, or the format is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> text = bt.outcome_report(bt.features.performance_function(table, "rating"))
    >>> "R2 held out, choice repeated" in text
    True
    """
    checks.one_of(format, names.FORMATS, "format")
    if not isinstance(function, PerformanceFunction) or function.fit is None:
        raise ValueError(
            "expected a fitted PerformanceFunction; see betterthan.features.performance_function"
        )
    fit = function.fit
    parts = [
        _data(fit),
        Part("Formula", lines=[on_one_line(str(function))]),
        _measures(fit),
        _coefficients(fit),
    ]
    if fit.sizes["step"] > 1:
        parts.append(_path(fit))
    parts += [_sets(sets)] if sets is not None else []
    parts += [_posterior(posterior)] if posterior is not None else []
    parts += [_predicted(predicted)] if predicted is not None else []
    drawn = _figures(function, posterior) if format == "html" and figures else []
    response = on_one_line(str(fit.attrs["response"]))
    page = Page(
        on_one_line(str(title)) if title else f"What predicts {response}",
        f"Which of {fit.sizes[names.FEATURE]} features predict {response}, and how well in "
        f"dialogues not yet seen?",
        parts,
        _limits(fit, posterior),
        _signature(fit, posterior),
    )
    return write_page(page, format, path, drawn)


def _data(fit: xr.Dataset) -> Part:
    a = fit.attrs
    dropped = a["n_dropped_response"] + a["n_dropped_feature"]
    choice = (
        "all features, no choice"
        if a["direction"] == "none"
        else f"stepwise by AIC ({a['direction']})"
    )
    unit = "row" if a["left_out_by"] == "row" else f"value of {a['left_out_by']}"
    return Part(
        "Data and method",
        facts=[
            ("Rows used", f"{a['n']:,} of {a['n'] + dropped:,}"),
            (
                "Rows left out",
                f"{a['n_dropped_response']:,} without a response, {a['n_dropped_feature']:,} more "
                f"without a feature",
            ),
            ("Fit", f"least squares, {choice}"),
            ("Cross-validation", f"{a['folds']:,} folds, each leaves out one {unit}"),
        ],
    )


def _measures(fit: xr.Dataset) -> Part:
    def value(name: str, places: int = 3) -> str:
        return f"{float(fit[name]):.{places}f}"

    def error(name: str) -> str:
        return f"MSE {float(fit[name]):.4g} (sd {float(fit[f'{name}_sd']):.4g})"

    rows = [
        ("R2 of the fit itself", value("r2"), ""),
        ("R2 in training, mean over folds", value("r2_training"), f"sd {value('r2_training_sd')}"),
        ("R2 held out, features as chosen", value("r2_held_out"), error("mse")),
    ]
    note = "R2 held out is the honest one: each row is predicted by a fit that has not seen it."
    if fit.attrs["direction"] != "none":
        rows.append(
            ("R2 held out, choice repeated", value("r2_held_out_chosen"), error("mse_chosen"))
        )
        note = "The last line is the honest one: features were chosen without the rows that they predict."
    table = Table(("Measure", "Value", "Beside"), rows, "How well the response is predicted")
    return Part("How well", tables=[table], notes=[note])


def _coefficients(fit: xr.Dataset) -> Part:
    size = np.abs(fit["standardised"].values)
    order = np.lexsort((-fit["chosen_share"].values, -size))[:_FEATURES_OF]
    rows = []
    for k in order:
        at = fit.isel({names.FEATURE: int(k)})
        share = f"{100 * float(at['chosen_share']):.0f} %"
        name = on_one_line(str(at[names.FEATURE].item()))
        if not at["chosen"]:
            rows.append((name, "–", "–", "–", share))
            continue
        ends = f"[{float(at['lower']):.4g}, {float(at['upper']):.4g}]"
        rows.append(
            (
                name,
                f"{float(at['coefficient']):.4g}",
                ends,
                f"{float(at['standardised']):+.2f}",
                share,
            )
        )
    interval = f"{100 * fit.attrs['ci_prob']:g}%"
    heads = ("Feature", "Coefficient", interval, "Standardised", "Chosen in folds")
    total = fit.sizes[names.FEATURE]
    caption = (
        "Coefficients" if len(rows) == total else f"The {len(rows)} largest of {total} coefficients"
    )
    notes = [f"Intervals: Student's t, errors {fit.attrs['errors']}."]
    if fit.attrs["direction"] != "none":
        notes.append(
            "They are those of least squares on these features alone; after a choice they are too "
            "narrow."
        )
    return Part("Coefficients", tables=[Table(heads, rows, caption)], notes=notes)


def _path(fit: xr.Dataset) -> Part:
    rows = [
        (str(k), on_one_line(str(c)), f"{float(a):.2f}")
        for k, (c, a) in enumerate(zip(fit["change"].values, fit["aic"].values, strict=True))
    ]
    return Part(
        "The way there",
        tables=[
            Table(("Step", "Change", "AIC"), rows, "AIC = n log(RSS / n) + 2 coefficients", left=2)
        ],
    )


def _sets(sets: xr.Dataset) -> Part:
    rows = []
    for k, name in enumerate(sets[names.FEATURE_SET].values):
        at = sets.isel({names.FEATURE_SET: k})
        rows.append(
            (
                on_one_line(str(name)),
                f"{int(at['n_chosen'])} of {int(at['n_features'])}",
                f"{float(at['r2_training']):.2f} ({float(at['r2_training_sd']):.2f})",
                f"{float(at['r2_held_out']):.2f}",
                f"{float(at['r2_held_out_chosen']):.2f}",
                f"{float(at['mse']):.4f} ({float(at['mse_sd']):.4f})",
                on_one_line(str(at["formula"].item())),
            )
        )
    heads = (
        "Features",
        "Chosen",
        "R2 training (sd)",
        "R2 held out",
        "choice repeated",
        "MSE (sd)",
        "Formula",
    )
    return Part("Feature sets", tables=[Table(heads, rows, "The same rows, each set by itself")])


def _posterior(tree: xr.DataTree) -> Part:
    beta = tree["posterior"]["coefficient"].transpose("chain", "draw", names.FEATURE)
    standard = tree["posterior"]["standardised"].transpose("chain", "draw", names.FEATURE)
    flat = beta.values.reshape(-1, beta.sizes[names.FEATURE])
    low, high = weights.interval(flat, names.CI_PROB, names.CI_KIND)
    size = standard.mean(("chain", "draw")).values
    rows = []
    for k in np.argsort(-np.abs(size), kind="stable")[:_FEATURES_OF]:
        above = float((flat[:, k] > 0).mean())
        name, ends = (
            on_one_line(str(beta[names.FEATURE].values[k])),
            f"[{low[k]:.4g}, {high[k]:.4g}]",
        )
        rows.append(
            (name, f"{flat[:, k].mean():.4g}", ends, f"{size[k]:+.2f}", numbers.probability(above))
        )
    diagnosis = diagnose(tree)
    a = tree["posterior"].attrs
    kind = ", ordered categories" if a["ordinal"] else ""
    kind += f", intercepts by {a['grouped_by']}" if a["grouped_by"] else ""
    sampled = f"{diagnosis.chains} chains x {diagnosis.draws} draws, seed {a['seed']}"
    health = f"R-hat at most {diagnosis.rhat_max:.3f}, ESS at least {diagnosis.ess_min:.0f}"
    facts = [
        ("Model", f"R2D2 prior, all features{kind}"),
        ("Sampler", f"{sampled}, {health}, {diagnosis.divergences} divergences"),
    ]
    if not diagnosis.passed:
        facts.append(("Not to be trusted", " ".join(diagnosis.failures)))
    interval = f"{100 * names.CI_PROB:g}% {names.CI_KIND.upper()}"
    heads = ("Feature", "Coefficient", interval, "Standardised", "P(> 0)")
    return Part(
        "Posterior without a choice",
        facts=facts,
        tables=[Table(heads, rows, "Coefficients, shrunk together")],
    )


def _predicted(found: xr.Dataset) -> Part:
    order = np.argsort(-found["prob_best"].values, kind="stable")
    ordered = found.isel(dict.fromkeys((names.SYSTEM, names.SYSTEM_A, names.SYSTEM_B), order))
    interval = f"{100 * found.attrs['ci_prob']:g}% {found.attrs['ci_kind'].upper()}"
    rows = []
    for k, system in enumerate(ordered[names.SYSTEM].values):
        at = ordered.isel({names.SYSTEM: k})
        ends = f"[{float(at['lower']):.3g}, {float(at['upper']):.3g}]"
        rows.append(
            (
                on_one_line(str(system)),
                f"{float(at['predicted']):.3g}",
                ends,
                f"{float(at['prob_best']):.2f}",
                str(at["outside"].item()),
            )
        )
    pairs = []
    for i, j in pairs_of(min(len(rows), 8)):
        cell = ordered.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        ends = [float(cell[f"difference_{k}"]) for k in ("mean", "lower", "upper", "mean_mcse")]
        who = [on_one_line(str(cell[d].item())) for d in (names.SYSTEM_A, names.SYSTEM_B)]
        p = numbers.probability(float(cell["prob_better"]), float(cell["prob_better_mcse"]))
        verdict = title_of_verdict(str(cell["verdict"].item()), "A", "B")
        pairs.append((*who, numbers.difference(*ends), p, verdict))
    tables = [
        Table(
            ("Component", "Predicted", interval, "P(best)", "Outside the training data"),
            rows,
            f"Mean {found.attrs['response']} that each component's scores predict",
        )
    ]
    tables += (
        [
            Table(
                ("A", "B", f"Difference [{interval}]", "P(A better)", "Verdict"),
                pairs,
                "Pairs of components",
                left=2,
            )
        ]
        if pairs
        else []
    )
    return Part("Components by predicted response", tables=tables)


def _limits(fit: xr.Dataset, posterior: xr.DataTree | None) -> list[str]:
    limits = [
        "That a feature predicts the response does not say that raising it would raise the "
        "response.",
        "Predictions hold for components and users like those the function was fitted to.",
    ]
    if fit.attrs["direction"] != "none":
        limits.append(
            "The features were chosen from these data: the formula would differ on others, see "
            "the share of folds."
        )
    if fit.attrs["left_out_by"] == "row":
        limits.append(
            "Rows are taken as independent; where several belong to one user or dialogue, leave "
            "those out together."
        )
    if posterior is None:
        limits.append(
            "No posterior was fitted: the coefficients have intervals, the predictions have none."
        )
    return limits


def _signature(fit: xr.Dataset, posterior: xr.DataTree | None) -> str:
    a = fit.attrs
    parts = [
        f"betterthan {a['version']}",
        f"response={on_one_line(str(a['response']))}",
        f"direction={a['direction']}",
        f"n={a['n']}",
        f"dropped={a['n_dropped_response']}+{a['n_dropped_feature']}",
        f"features={fit.sizes[names.FEATURE]}",
        f"folds={a['folds']} by {a['left_out_by']}",
    ]
    if posterior is not None:
        record = posterior["posterior"].attrs
        parts.append(
            f"seed={record['seed']}, {record['chains']} x {record['draws']} draws, "
            f"{record['inference_library']}"
        )
    return " | ".join(parts)


def _figures(function: PerformanceFunction, posterior: xr.DataTree | None) -> list[tuple[str, str]]:
    from betterthan.plot.regression import coefficients, predictions
    from betterthan.reporting.figures import as_svg, steady_svg

    with steady_svg():
        drawn = [("Coefficients by least squares", as_svg(coefficients(function)))]
        if posterior is not None:
            drawn.append(("Posterior of the coefficients", as_svg(coefficients(posterior))))
        return [*drawn, ("Observed and predicted response", as_svg(predictions(function)))]
