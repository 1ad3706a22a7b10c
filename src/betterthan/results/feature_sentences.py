"""Sentences on features that predict a response: a function, its posterior, and feature sets."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.posterior.gate import diagnose
from betterthan.results import numbers
from betterthan.results.escapes import labels_on_one_line, on_one_line
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
    if facts.r2 > 0:
        return (
            f"The data do not show that the features predict {facts.response}. In held-out rows R2 "
            f"is {r2} ({se}), no more than two standard errors above 0. {chosen}"
        )
    return (
        f"The features do not predict {facts.response}. In held-out rows R2 is {r2} ({se}), no "
        f"better than predicting the mean of the other rows. {chosen}"
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
            f"For none of the {facts.n_features:,} features does the sign of the coefficient for "
            f"{facts.response} have probability {facts.threshold:g} or more. This is not evidence "
            "that none of them matters."
        ]
    signs = [f"positive for {named(facts.positive)}"] if facts.positive else []
    signs += [f"negative for {named(facts.negative)}"] if facts.negative else []
    return [
        f"For {n:,} of {facts.n_features:,} features the sign of the coefficient for "
        f"{facts.response} has a marginal probability of {facts.threshold:g} or more. It is "
        f"{' and '.join(signs)}."
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
    r2_nested: float = float("nan")  # with the set chosen again in every fold, too
    r2_nested_se: float = float("nan")
    most_chosen: str = ""  # the set that is the best in most folds
    proportion: float = float("nan")  # of these folds


def feature_set_facts(sets: xr.Dataset) -> FeatureSetFacts:
    """Facts from the result of `features.compare`."""
    labels = labels_on_one_line(sets[names.FEATURE_SET].values)
    r2, proportions = sets["r2_held_out_chosen"].values, sets["picked"].values
    best = int(np.argmax(r2))
    return FeatureSetFacts(
        response=on_one_line(str(sets.attrs["response"])),
        n_sets=len(labels),
        best=labels[best],
        r2=float(r2[best]),
        r2_se=float(sets["r2_held_out_chosen_se"].values[best]),
        r2_nested=sets["r2_held_out_best"].item(),
        r2_nested_se=sets["r2_held_out_best_se"].item(),
        most_chosen=labels[int(proportions.argmax())],
        proportion=float(proportions.max()),
    )


def feature_set_sentences(facts: FeatureSetFacts) -> list[str]:
    """Which set predicts the response best, and how well once its choice is repeated."""
    r2 = f"{numbers.score(facts.r2)} (standard error {numbers.score(facts.r2_se)})"
    if facts.n_sets == 1:
        return [
            f"{facts.best} predicts {facts.response} in held-out rows with R2 {r2}; features are "
            "chosen again in every fold."
        ]
    nested = (
        f"{numbers.score(facts.r2_nested)} (standard error {numbers.score(facts.r2_nested_se)})"
    )
    return [
        f"Of {facts.n_sets:,} feature sets, {facts.best} predicts {facts.response} best in "
        f"held-out rows: R2 {r2}, with features chosen again in every fold. With the set chosen "
        f"again, too, R2 is {nested}; this estimate is free of selection bias. "
        f"{facts.most_chosen} is the best set in {facts.proportion:.0%} of the folds."
    ]
