"""Counts, designs and means that a plan starts from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names, schemas
from betterthan.counts.shapes import square_from_pairs, to_pairs, without_attrs
from betterthan.counts.units import CLUSTER, EPOCH, ids_of, item_ids, runs_together, several
from betterthan.exact.joint.units import pair_means
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import (
    VERDICTS,
    Items,
    Units,
    after,
    after_units,
    other_side,
)
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior.parameters import Parameters, parameters
from betterthan.posterior.verdicts import decide
from betterthan.results.robustness import BY_COUNTS
from betterthan.signed import Signature

SWAPPED = [1, 0, 2, 3]  # of these, seen from the other system
_HINT = "give counts with a dim 'outcome', or (wins, losses, ties)"


@dataclass(frozen=True)
class Pairs:
    """Each pair of systems once, a row each."""

    parameters: Parameters
    counts: np.ndarray  # (rows, 3), or (rows, 2) where only decisive items were counted

    @property
    def posterior(self) -> np.ndarray:
        """Dirichlet parameters, (rows, 3) or (rows, 2)."""
        return self.counts + np.asarray(self.parameters.prior)

    @property
    def items(self) -> np.ndarray:
        """How many there are, (rows,)."""
        return self.counts.sum(1)

    def wrap(
        self,
        values: np.ndarray,
        swapped: np.ndarray,
        itself: Any,
        extra: Mapping[str, Any] | None = None,
    ) -> xr.DataArray:
        """Answers (rows, ...) over the dims of the counts and `extra`; `swapped` is what they are
        seen from the other system, `itself` of a system and itself.
        """
        labels = self.parameters.counts.isel({names.OUTCOME: 0}, drop=True)
        extra = extra or {}
        if self.parameters.square:
            full = squared(values, swapped, itself, labels.shape)
        else:
            full = values.reshape((*labels.shape, *values.shape[1:]))
        coords = {**without_attrs(labels).coords, **extra}
        return xr.DataArray(full, dims=(*labels.dims, *extra), coords=coords)


def squared(
    values: np.ndarray, swapped: np.ndarray, itself: Any, shape: tuple[int, ...]
) -> np.ndarray:
    """Values of each pair once, (rows, ...), in a square of this shape."""
    rows = (*shape[:-2], -1, *values.shape[1:])
    both = values.reshape(rows), swapped.reshape(rows)
    return square_from_pairs(*both, itself, axis=len(shape) - 2)


def read_pairs(counts: Any, prior: Any, rope: float) -> Pairs:
    """Return checked counts, a row for each pair; a ROPE needs ties."""
    checked_counts = as_counts(counts)
    posterior = parameters(checked_counts, prior, "third", question="a rope" if rope else None)
    pair_counts = to_pairs(posterior.counts) if posterior.square else posterior.counts
    values = pair_counts.transpose(..., names.OUTCOME).values
    return Pairs(posterior, values.reshape(-1, values.shape[-1]).astype(np.int64))


def as_counts(counts: Any) -> xr.DataArray:
    """Counts of an array, or of one pair by its numbers."""
    counts = _comparison_counts(counts)
    if isinstance(counts, xr.DataArray):
        if dependent := counts.attrs.get("dependent"):
            checks.warn(dependent)
        return counts
    if not isinstance(counts, tuple | list) or len(counts) not in (2, 3):
        raise ValueError(f"counts are {checks.quoted(counts)}; {_HINT}")
    values = checks.nonnegative_integers(list(counts), "counts")
    coords = {names.OUTCOME: list(names.OUTCOMES[: len(values)])}
    unknown = {"ties": "unknown"} if len(values) == 2 else {}
    return xr.DataArray(values, dims=(names.OUTCOME,), coords=coords, attrs=unknown)


def _comparison_counts(source: Any) -> Any:
    """Return the counts of a comparison, whose verdicts must be by them; other input unchanged."""
    data = getattr(source, "data", None)
    if not isinstance(data, xr.Dataset) or "counts" not in data:
        return source
    if data.attrs.get("unit") == names.MEASURE:
        raise ValueError(
            "the comparison is of measures, which are no sample: no new ones can be planned or "
            "predicted; pass the scores of items or people"
        )
    if "n_gold" in data:
        raise ValueError(
            "the comparison is of judged items, and its verdict is by human labels and a judge; "
            "pass wins, losses and ties of the labels for what they say alone"
        )
    if data.attrs.get("model") not in BY_COUNTS:
        raise ValueError(
            f"the comparison is by the model {data.attrs['model']}, and not by counts of a pair; "
            "pass counts, or compare(...) by another method"
        )
    if reliability := Signature.from_attrs(data.attrs).reliability:
        raise ValueError(
            f"the comparison is of {reliability}, and its counts are of single items; its "
            "replication probability is in plan.outlook"
        )
    by = "means on units" if "n_units" in data else ""
    by = "means" if data.attrs.get("quantity") == "mean" else by
    by = "clusters" if data.attrs.get("unit") == "cluster" else by
    by = "an average over data sets" if data.attrs.get("over") else by
    if by:
        raise ValueError(
            f"the comparison is of {by}, and its counts are of single items; pass the scores that "
            "were compared"
        )
    attrs = {"pairwise": 1} if "pairwise_verdict" in data else {}
    if data.sizes[names.OUTCOME] == 2:
        attrs["ties"] = data.attrs["ties"]
    return data["counts"].assign_attrs(attrs)


def whole_numbers(
    numbers: Any, what: str, least: int = 1, of: str = "items"
) -> tuple[np.ndarray, bool]:
    """One number or several, checked, and whether there may be several."""
    several = isinstance(numbers, list | tuple | range | np.ndarray)
    whole = [checks.whole(k, what, least) for k in (numbers if several else [numbers])]
    if not whole:
        raise ValueError(f"{what} is empty; give at least one number of {of}")
    return np.array(whole, np.int64), several


def check_rule(prior: tuple[float, ...], threshold: float, rope: float) -> Rule:
    """Return the checked rule for verdicts."""
    return Rule(prior, checks.threshold(threshold), checks.rope(rope))


class CountLaw:
    """Posterior predictive law of wins, losses and ties, and the rule for verdicts on them."""

    def __init__(self, counts: Any, rope: float, prior: Any, threshold: float) -> None:
        self.pairs = read_pairs(counts, prior, checks.rope(rope))
        self.rule = check_rule(self.pairs.parameters.prior, threshold, rope)
        self.rope, self.items, self.wrap = self.rule.rope, self.pairs.items, self.pairs.wrap
        self.prob_better, self.verdicts = today(self.pairs, self.rule)

    def after(self, more: np.ndarray, *, kept: bool = True) -> np.ndarray:
        """P(each verdict) after so many more items, or on so many fresh ones, (rows, 4)."""
        counts = self.pairs.counts if kept else np.zeros_like(self.pairs.counts)
        return after(Items(self.pairs.posterior), counts, more, self.rule)

    def today(self) -> xr.Dataset:
        """The verdict, and P(A better)."""
        now, back = (v.astype("U16") for v in (self.verdicts, other_side(self.verdicts)))
        better = self.prob_better
        return xr.Dataset(
            {
                "now": self.wrap(now, back, alike(self.rope)),
                "prob_better": self.wrap(better, 1 - better, 0.5),
                "n": self.wrap(self.items, self.items, 0),
            }
        )

    def attrs(self, answer: str) -> dict[str, Any]:
        """Return the attrs of a result."""
        rule = {"answer": answer, "threshold": self.rule.threshold, "rope": self.rope}
        return self.pairs.parameters.attrs | rule

    def verdict_indices(self) -> list[int]:
        """The place of today's verdict among `VERDICTS`, (rows,)."""
        return [VERDICTS.index(verdict) for verdict in self.verdicts]


def today(pairs: Pairs, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of each row."""
    parameters_by_outcome = pairs.posterior.T
    a, b = parameters_by_outcome[:2]
    tie = parameters_by_outcome[2] if len(parameters_by_outcome) == 3 else np.zeros_like(a)
    better = prob_above_half(a, b)
    within = dirichlet.prob_within(a, b, tie, rule.rope) if rule.rope else np.zeros_like(a)
    return better, decide(better, prob_above_half(b, a), within, rule.rope, rule.threshold)[0]


def alike(rope: float) -> str:
    """The verdict on a system and itself."""
    return "equivalent" if rope else "undecided"


def itself(rope: float) -> np.ndarray:
    """The probabilities of `VERDICTS` for a system and itself."""
    return np.array([float(v == alike(rope)) for v in VERDICTS])


@dataclass(frozen=True)
class Design:
    """The next items, and the counts they come from."""

    items: Items
    pilot: np.ndarray | None = None  # (rows, 3) or (rows, 2)

    @property
    def rows(self) -> int:
        """Pairs."""
        return len(self.items.parts)

    @property
    def decisive_share(self) -> float:
        """How many of the items are expected to be won or lost."""
        parts = self.items.parts[0]
        return float(parts[:2].sum() / parts.sum())

    def pilot_counts(self, keep: bool) -> np.ndarray:
        """Return the pilot counts if the verdict includes them, else zeros."""
        if not checks.flag(keep, "keep"):
            return np.zeros(self.items.parts.shape, np.int64)
        if self.pilot is None:
            raise ValueError(
                "keep=True needs a pilot's items, and plain numbers are a belief; pass counts, "
                "such as bt.counts.from_table({('A', 'B'): (12, 6, 22)})"
            )
        return self.pilot


def check_design(design: Any, theta: Any, rope: float) -> Design:
    """What is believed, checked; a rope needs ties."""
    if theta is not None:
        if not (isinstance(design, str) and design == "uniform"):
            raise ValueError("theta is given and design, too; give one of the two")
        checked_design = Design(Items(_theta(theta), fixed=True))
    elif isinstance(design, xr.DataArray):
        pairs = read_pairs(design, None, rope)
        checked_design = Design(Items(pairs.posterior), pairs.counts)
    else:
        checked_design = Design(Items(np.array([_numbers(design)])))
    if checks.rope(rope) and checked_design.items.parts.shape[1] == 2:
        raise ValueError("a rope needs the ties; give win, loss and tie")
    return checked_design


def _numbers(design: Any) -> tuple[float, ...]:
    """Dirichlet or Beta parameters."""
    shape = () if isinstance(design, str | Mapping) else np.shape(design)
    length = 2 if shape == (2,) else 3
    if not (isinstance(design, str) or shape in ((2,), (3,))):
        raise ValueError(
            f"design is {checks.quoted(design)}; give counts of a pilot, a name "
            f"({', '.join(names.PRIORS)}), or one number for win, loss and tie"
        )
    return checks.prior(design, length, what="design")


def _theta(theta: Any) -> np.ndarray:
    """Probabilities of win, loss and tie, or of win and loss."""
    if isinstance(theta, str | Mapping) or np.shape(theta) not in ((2,), (3,)):
        text = checks.quoted(theta)
        raise ValueError(f"theta is {text}; give the probabilities of win, loss and tie")
    probabilities = np.array([checks.real(p, "theta") for p in theta])
    possible = np.isfinite(probabilities) & (probabilities >= 0)
    if not possible.all() or abs(probabilities.sum() - 1) > 1e-9:
        text = ", ".join(f"{p:g}" for p in probabilities)
        raise ValueError(f"theta is ({text}); give probabilities that add up to 1")
    return probabilities[None]


class MeanLaw:
    """Predictive law of the mean differences of all pairs of systems on the units both have."""

    def __init__(self, scores: xr.DataArray, rope: float, prior: Any, threshold: float) -> None:
        if prior is not None:
            raise ValueError("prior is of wins, losses and ties, not of means; leave it out")
        scores = schemas.scores(scores)
        binary = np.isin(scores.values[np.isfinite(scores.values)], (0, 1)).all()
        runs, scores = several(scores, EPOCH), runs_together(scores)
        values = scores.values.astype(float)
        observed = np.isfinite(values)
        ids = ids_of(scores, CLUSTER) if CLUSTER in scores.coords else item_ids(scores)
        unit = np.unique(ids, return_inverse=True)[1]
        single = len(set(unit.tolist())) == len(unit)
        if single and binary and not runs:
            raise ValueError(
                "scores are 0 and 1, one for each item, which are counted; give bt.count(scores)"
            )
        mean_differences = pair_means(
            np.where(observed, values, 0.0),
            observed.astype(float),
            unit,
            most=1.0 if binary else np.inf,
            skewed=single,
        )
        side = 1.0 if scores.attrs.get("higher_is_better", True) else -1.0
        self.units = Units.from_pairs(mean_differences, side)
        majority = mean_differences.won - mean_differences.lost
        # of graded items, of which `compare` then splits the verdict
        self.splits = (mean_differences.difference * majority < 0) & (single and not binary)
        self.side = 1.0 if binary else side  # as `compare` has differences: accuracy, or scores
        self.of_accuracy = binary and side < 0
        self.systems = [str(s) for s in scores[names.SYSTEM].values]
        self.rope = checks.margin(rope, "rope")
        self.threshold = checks.threshold(threshold)
        self.unit_name = "clusters" if CLUSTER in scores.coords else "items"

    @property
    def items(self) -> np.ndarray:
        """Units of each pair."""
        return self.units.units

    def after(self, more: Any, *, kept: bool = True) -> np.ndarray:
        """P(each verdict) after so many more units, or on so many fresh ones, (rows, 4)."""
        return after_units(self.units, more, self.rope, self.threshold, kept=kept)

    def today(self) -> xr.Dataset:
        """The verdict, the difference and its error."""
        now = np.where(self.some, np.array(VERDICTS)[self.verdict_indices()], "no_data")
        units, back = self.units, other_side(now).astype("U16")
        difference = self.side * units.difference
        result = xr.Dataset(
            {
                "now": self.wrap(now.astype("U16"), back, alike(self.rope)),
                "difference": self.wrap(difference, -difference, 0.0),
                "error": self.wrap(units.error, units.error, 0.0),
                "n": self.wrap(units.units, units.units, 0),
            }
        )
        if self.splits.any():
            result["wins_and_means_differ"] = self.wrap(self.splits, self.splits, False)
        return result

    def wrap(
        self, values: np.ndarray, swapped: np.ndarray, diagonal: Any, extra: Any = None
    ) -> xr.DataArray:
        """Over (system_a, system_b) and `extra`."""
        size, extra = len(self.systems), extra or {}
        full = squared(values, swapped, diagonal, (size, size))
        coords = dict.fromkeys(names.SQUARE, self.systems) | extra
        return xr.DataArray(full, dims=(*names.SQUARE, *extra), coords=coords)

    def attrs(self, answer: str) -> dict[str, Any]:
        """Return the attrs of a result."""
        attrs = {"version": __version__, "answer": answer, "units": self.unit_name}
        attrs |= {"lower_is_better": 1} if self.side < 0 else {}
        attrs |= {"difference_of": "accuracy"} if self.of_accuracy else {}
        return attrs | {"rope": self.rope, "threshold": self.threshold}

    @property
    def some(self) -> np.ndarray:
        """Pairs of two units or more that differ, (rows,)."""
        return (self.units.units > 1) & (self.units.error > 0)

    def verdict_indices(self) -> np.ndarray:
        """The place of today's verdict among `VERDICTS`, (rows,)."""
        sided = self.units.today(self.rope, self.threshold)
        return np.concatenate([sided, 1 - sided.sum(1, keepdims=True)], axis=1).argmax(1)


def is_scores(data: Any) -> bool:
    """Whether these are scores by item, not counts."""
    return isinstance(data, xr.DataArray) and names.ITEM in data.dims


def choices_of(
    data: Any, rope: float | None, prior: Any, threshold: float | None
) -> tuple[float, Any, float]:
    """ROPE, prior and threshold; what is None is that of a comparison, or the default."""
    dataset = getattr(data, "data", None)
    compared = Signature.from_attrs(dataset.attrs if isinstance(dataset, xr.Dataset) else {})
    if rope is None:
        rope = names.ROPE if compared.rope is None else compared.rope
    if threshold is None:
        threshold = compared.threshold or names.VERDICT_PROB
    return rope, compared.prior if prior is None else prior, threshold


def predictive_law(
    data: Any, rope: float | None, prior: Any, threshold: float | None
) -> CountLaw | MeanLaw:
    """The predictive law of counts, or of the means of scores."""
    law = MeanLaw if is_scores(data) else CountLaw
    return law(data, *choices_of(data, rope, prior, threshold))
