"""The pages beside a performance function: feature sets, posterior, components by prediction."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.exact.numeric import weights
from betterthan.posterior.gate import diagnose
from betterthan.results import numbers
from betterthan.results.cells import interval_of, sampled_by
from betterthan.results.columns import Column, difference, number, values
from betterthan.results.context import printable, systems_dims
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.feature_sentences import (
    coefficient_facts,
    coefficient_sentences,
    feature_set_facts,
    feature_set_sentences,
)
from betterthan.results.of_features import CAUSES, FEATURES_OF, LIKE_THESE
from betterthan.results.pairs_table import P_BETTER, pairs_of, table_of_pairs, verdict
from betterthan.results.rows import ahead_first
from betterthan.results.score_pairs import first_of
from betterthan.results.score_sentences import predicted_of, score_sentences
from betterthan.results.systems_table import table_of_systems

_PAIRS_OF = 8  # components whose pairs are listed
_INTERVAL = {"ci_prob": names.CI_PROB, "ci_kind": names.CI_KIND}  # of the coefficients
_SHRUNK = (
    "Coefficients are shrunk towards 0 by design, most where rows are few: of 20 to 35 simulated "
    "rows, a true standardised coefficient of 0.6 is 0.38 on average, and its 95 % interval holds "
    "it in 82 %; those of noise hold 0 in 99 %."
)
_SHRUNK_TOO = (
    "Differences between components come from coefficients that are shrunk towards 0 and are "
    "smaller than true ones on average, too."
)
_SETS = ("Features", "Chosen", "R2 training (sd)", "R2 held out", "nested (SE)", "MSE (sd)")


def sets_page(sets: xr.Dataset) -> Document:
    """The page on feature sets, from `features.compare`."""
    a, response = sets.attrs, on_one_line(str(sets.attrs["response"]))
    total = sets.sizes[names.FEATURE_SET]
    rows = [_set_row(sets.isel({names.FEATURE_SET: k})) for k in range(total)]
    table = Table((*_SETS, "Formula"), rows, "The same rows, each set by itself")
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
        [Part("Feature sets", tables=[table], notes=[_of_best(sets)] if total > 1 else [])],
        [CAUSES, LIKE_THESE],
        [" | ".join(signature)],
        feature_set_sentences(feature_set_facts(sets)),
    )


def _with_error(at: xr.Dataset, name: str) -> str:
    return f"{at[name].item():.2f} ({at[f'{name}_se'].item():.2f})"


def _of_best(sets: xr.Dataset) -> str:
    """What is left of the best set once its choice is made without what it predicts."""
    shares = sets["picked"].values
    picked = on_one_line(str(sets[names.FEATURE_SET].values[shares.argmax()]))
    return (
        f"Nested: features chosen anew in every fold. The largest of {len(shares)} is too high on "
        "average, for it picked its set by these folds. With the set, too, chosen anew in every "
        f"fold, R2 held out is {_with_error(sets, 'r2_held_out_best')}; {picked} is the best set "
        f"in {100 * shares.max():.0f} % of the folds."
    )


def _set_row(at: xr.Dataset) -> tuple[str, ...]:
    training, error = (
        f"{at[name].item():.{places}f} ({at[f'{name}_sd'].item():.{places}f})"
        for name, places in (("r2_training", 2), ("mse", 4))
    )
    return (
        on_one_line(str(at[names.FEATURE_SET].item())),
        f"{int(at['n_chosen'])} of {int(at['n_features'])}",
        training,
        f"{at['r2_held_out'].item():.2f}",
        _with_error(at, "r2_held_out_chosen"),
        error,
        on_one_line(str(at["formula"].item())),
    )


def posterior_page(tree: xr.DataTree) -> Document:
    """The page on a posterior, from ``models.performance_function.fit``."""
    a = tree["posterior"].attrs
    response, drawn = on_one_line(str(a["response"])), f"{a['chains']} x {a['draws']} draws"
    features = tree["posterior"].sizes[names.FEATURE]
    figure = Figure("Posterior of the coefficients", plotted("coefficients", tree))
    heads = ("Feature", "Coefficient", interval_of(_INTERVAL), "Standardised", "P(> 0)")
    table = Table(heads, _posterior_rows(tree), "Coefficients, shrunk together")
    facts, notes = _fitted(tree), [_SHRUNK]
    part = Part("Posterior without a choice", facts, [table], notes=notes, figures=[figure])
    made = f"betterthan {betterthan.__version__} | response={response} | performance_function"
    return Document(
        f"What predicts {response}",
        f"Which of {features} features predict {response}?",
        [part],
        [CAUSES, LIKE_THESE],
        [f"{made} | seed={a['seed']}, {drawn}, {a['inference_library']}"],
        coefficient_sentences(coefficient_facts(tree)),
    )


def _posterior_rows(tree: xr.DataTree) -> list[tuple[str, ...]]:
    draws = tree["posterior"].to_dataset().stack(each=("chain", "draw"))
    beta = draws["coefficient"].transpose("each", names.FEATURE).values
    low, high = weights.interval(beta, names.CI_PROB, names.CI_KIND)
    size = draws["standardised"].mean("each").values
    rows = []
    for k in np.argsort(-np.abs(size), kind="stable")[:FEATURES_OF]:
        name = on_one_line(str(draws[names.FEATURE].values[k]))
        ends, above = f"[{low[k]:.4g}, {high[k]:.4g}]", float((beta[:, k] > 0).mean())
        mean = f"{beta[:, k].mean():.4g}"
        rows.append((name, mean, ends, f"{size[k]:+.2f}", numbers.probability(above)))
    return rows


def _fitted(tree: xr.DataTree) -> list[tuple[str, str]]:
    diagnosis, a = diagnose(tree), tree["posterior"].attrs
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
    return facts


def page(found: xr.Dataset) -> Document:
    """The page on components by their predicted response, from `features.predict`."""
    a, response = found.attrs, on_one_line(str(found.attrs["response"]))
    order = np.argsort(-found["prob_best"].values, kind="stable")
    ordered = printable(found.isel(dict.fromkeys(systems_dims(found), order)))
    pairs = [_pairs(ordered)] if len(order) > 1 else []
    failures = np.atleast_1d(a["failures"]).tolist()
    facts = [("Not to be trusted", " ".join(failures))] if failures else []
    heading = "Components by predicted response"
    signature = [
        f"betterthan {a['version']}",
        f"response={response}",
        sampled_by(a),
        f"rope={a['rope']:g}",
        f"interval={interval_of(a)}",
        f"n={a['n']}",
    ]
    return Document(
        f"Components by predicted {response}",
        f"Which component do its scores predict the better {response} for?",
        [Part(heading, facts=facts, tables=[_components(ordered), *pairs])],
        [LIKE_THESE, _SHRUNK_TOO],
        [" | ".join(signature)],
        score_sentences(predicted_of(ordered, response)),
    )


def _components(found: xr.Dataset) -> Table:
    columns = [
        values("Predicted", ["predicted"], "{:.3g}".format),
        values(interval_of(found.attrs), ["lower", "upper"], "[{:.3g}, {:.3g}]".format),
        number("P(best)", "prob_best", "{:.2f}".format),
        Column("Outside the training data", lambda rows: map(str, rows["outside"].values)),
    ]
    response = on_one_line(str(found.attrs["response"]))
    caption = f"Mean {response} that each component's scores predict"
    return table_of_systems(found, columns, caption, head="Component")


def _pairs(found: xr.Dataset) -> Table:
    shown = first_of(found, _PAIRS_OF)
    columns = [difference("Difference", bracketed=interval_of(found.attrs)), P_BETTER, verdict()]
    return table_of_pairs(pairs_of(shown, ahead_first(shown)), columns, "Pairs of components")
