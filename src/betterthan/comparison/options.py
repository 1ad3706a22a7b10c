"""The options of `compare`, checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from numbers import Real
from typing import Any, Self

import xarray as xr

from betterthan import checks, names
from betterthan.counts.runs import Reliability
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models.priors import is_distribution, is_table
from betterthan.models.sampling import Sampling
from betterthan.posterior.parameters import prior_of
from betterthan.posterior.table import Question
from betterthan.significance.roster import Tests

_NAMES = (Real, date, tuple)  # that are no text, as the columns of a frame may have


@dataclass(frozen=True)
class Options:
    """The options of `compare`; see there."""

    question: Question
    method: str
    quantity: str | None
    unit: str | None
    weight: str
    ties: str
    missing: str
    margin: float
    prior: Any
    tests: Tests
    sampling: Sampling
    systems: Sequence[str] | Mapping[str, str] | None
    baseline: str | None
    seed: int
    prior_sd: float  # of a normal prior of differences of means; 0 for none
    rank_seed: int  # of draws for ranks: fixed if none was given, so that data have one answer
    over: str | None = None  # the column whose values are averaged
    weights: Any = None  # of these
    reliability: Reliability | None = None  # where the quantity is pass^k or pass@k

    @property
    def tie_policy(self) -> str:
        """The policy that answers; where all are asked for, ties are an outcome."""
        return "third" if self.ties == "all" else self.ties

    @property
    def skeptical(self) -> bool:
        """Whether the prior is the skeptical one, which follows the data."""
        return isinstance(self.prior, str) and self.prior == names.SKEPTICAL

    def with_prior(self, counts: xr.DataArray, scale: float) -> Self:
        """With a prior in numbers: of counts, and of differences of scores on a scale."""
        prior = prior_of(self.prior, counts)
        return replace(self, prior=prior, prior_sd=names.SKEPTICAL_SD * scale)

    @classmethod
    def validate(cls, *, rng: Any, tests: Any, sampling: Any, **choices: Any) -> Self:
        """The options, or an error that names the one that is wrong."""
        limits: Any = {k: choices.pop(k) for k in ("rope", "ci_prob", "ci_kind", "threshold")}
        reliability = _reliability(choices)
        choices["quantity"] = "mean" if reliability else choices["quantity"]
        for name, allowed in _CHOICES.items():
            checks.one_of(choices[name], allowed, name)
        if choices["unit"] is not None:
            checks.one_of(choices["unit"], names.EVIDENCE_UNITS, "unit")
        question = Question.checked(**limits, of_score=choices["quantity"] != "wins")
        if choices["method"] == "advised" and choices["ties"] != "third":
            raise ValueError(
                f"method='advised' keeps ties as an outcome; ties={choices['ties']!r} is for the "
                "other methods"
            )
        if choices["weight"] == "unit" and choices["method"] != "exact":
            raise ValueError(
                f"weight='unit' has a closed form; method={choices['method']!r} weighs items alike"
            )
        _refuse_over(choices)
        if isinstance(choices["baseline"], _NAMES):  # of a column that is a number or a date
            choices["baseline"] = str(choices["baseline"])
        sampling = Sampling() if sampling is None else sampling
        checks.instance(sampling, Sampling, "sampling is", "betterthan.models.Sampling(...)")
        _refuse_prior(choices["prior"])
        seed = one_seed(rng)  # one seed for all that samples
        choices["margin"] = checks.margin(choices["margin"])
        return cls(
            **choices,
            reliability=reliability,
            question=question,
            tests=Tests.parse(tests),
            sampling=sampling,
            prior_sd=0.0,
            seed=seed,
            rank_seed=0 if rng is None else seed,
        )


def _reliability(choices: dict[str, Any]) -> Reliability | None:
    """The quantity where it is pass^k or pass@k; what has no meaning for it is refused."""
    name = choices["quantity"]
    if name is None or (isinstance(name, str) and name in names.QUANTITIES):
        return None
    if (reliability := Reliability.parse(name)) is None:
        raise ValueError(
            f"quantity is {checks.quoted(name)}; choose one of {', '.join(names.QUANTITIES)}, or "
            "pass^k or pass@k of repeated runs, such as pass^3"
        )
    for key, default, what in (
        ("method", "exact", "has a closed form"),
        ("unit", None, "takes the runs of an item together"),
        ("margin", 0.0, "has no ties"),
    ):
        if choices[key] != default:
            raise ValueError(f"quantity={name!r} {what}; leave out {key}={choices[key]!r}")
    return reliability


def _refuse_over(choices: dict[str, Any]) -> None:
    """Refuse what an average over data sets has no meaning for."""
    over = choices.get("over")
    if over is None:
        if choices.get("weights") is not None:
            raise ValueError("weights are of data sets; also pass over='dataset', or leave it out")
        return
    if not isinstance(over, str):
        raise ValueError(f"over is {checks.quoted(over)}; pass the name of a column")
    if choices["method"] != "exact":
        raise ValueError(
            f"over={over!r} has a closed form; method={choices['method']!r} is without over="
        )
    if choices["ties"] != "third":
        raise ValueError(
            f"over={over!r} keeps ties as an outcome; ties={choices['ties']!r} is without over="
        )


def _refuse_prior(prior: Any) -> None:
    """Refuse at once a prior that `fit` takes, and a comparison in closed form does not."""
    array = is_table(prior)
    if not array and not is_distribution(prior):
        return
    what = "an array with one prior per pair" if array else "a PyMC distribution"
    raise ValueError(
        f"prior is {what}, which compare does not take; sample it by "
        "betterthan.models.dirichlet_multinomial.fit(counts, prior=prior) or another model, and "
        "give the fit to betterthan.fits.compare"
    )


_CHOICES = {
    "method": names.METHODS,
    "ties": names.TIES,
    "missing": names.MISSING,
    "weight": names.WEIGHTS,
}
