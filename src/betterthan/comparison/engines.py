"""The ways of computing the answers for all pairs: closed forms, and PyMC."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.work import Work, work_on
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.comparison.on_clusters import net_wins
from betterthan.counts.arrays import without_attrs
from betterthan.counts.picking import systems_of
from betterthan.counts.units import CLUSTER
from betterthan.posterior import closed, differences, on_units, table
from betterthan.posterior.parameters import settled
from betterthan.results.stored_draws import kept

if TYPE_CHECKING:
    from betterthan.posterior.gate import Diagnosis


@dataclass(frozen=True)
class Engine:
    """Answers over (system_a, system_b), computed in one way."""

    name: str  # exact, mcmc, or the model that was advised
    answers: xr.Dataset
    beside: xr.Dataset = field(default_factory=xr.Dataset)  # over system, or data set
    signed: dict[str, Any] = field(default_factory=dict)
    fit: xr.DataTree | None = None  # its draws, where it sampled

    @property
    def converged(self) -> bool:
        """Whether its verdicts may be given."""
        return not self.signed.get("failures")


def exact_answers(given: Given, asked: Asked) -> Engine:
    """Probabilities, differences, masses and verdicts in closed form."""
    return Engine("exact", answers_of(given.quantity.lead, given, asked))


def answers_of(quantity: str, given: Given, asked: Asked) -> xr.Dataset:
    """The closed form of a quantity: of wins on single items by their counts, else Student's t on
    units.
    """
    scores, question = given.scores, asked.question
    if scores is not None and (
        quantity == "mean" or (quantity == "accuracy" and not _alone(given))
    ):
        # accuracy is higher where errors are fewer
        up = {"higher_is_better": scores.higher_is_better or quantity == "accuracy"}
        up |= {"prior_sd": asked.prior_sd}
        found = on_units.of_units(scores.pairs(), scores.systems, question, **up)
    elif given.unit == CLUSTER:
        wins, systems = net_wins(given, asked), systems_of(given.counts)
        found = on_units.of_net_wins(*wins, systems, question, prior_sd=asked.prior_sd)
    else:
        return _of_counts(given, asked)
    if quantity == given.quantity.lead != "mean":
        _refuse_of_items(given, asked)
    several = found["n_units"].copy(data=found["n_units"].values > 1)
    return table.with_verdicts(table.exact(found, facts=_OF_UNITS), question, n=several)


_OF_UNITS = ("n_units", "difference_error", "difference_df", "difference_skewness")


def working(given: Given) -> Work:
    """Who works on the pairs."""
    systems = given.counts.sizes[names.SYSTEM_A]
    return work_on(systems * (systems - 1) // 2, given.found.kind == "blocks")


def _refuse_of_items(given: Given, asked: Asked) -> None:
    """What is of independent items says nothing of units."""
    if asked.ties == "all":
        raise ValueError(
            f"ties='all' tells every policy of independent items, not of {given.unit}s; name one "
            "policy, or say unit='item'"
        )
    length = given.counts.sizes[names.OUTCOME]
    if asked.prior_sd:
        return
    if checks.prior(asked.prior, length) != checks.prior(None, length):
        raise ValueError(
            f"prior={asked.prior!r} is of win, loss and tie of independent items, and says nothing "
            f"of Student's t on {given.unit}s; leave it out, or pass unit='item' or quantity='wins'"
        )


def _alone(given: Given) -> bool:
    """Whether each item is an example of its own."""
    return given.scores is not None and given.scores.single


def _of_counts(given: Given, asked: Asked) -> xr.Dataset:
    of, question = settled(given.counts, asked.prior), asked.question
    found = {"prob_better": closed.better(of)}
    if given.ties_known:
        at_work = working(given)
        size = differences.size(of, question.ci_prob, question.ci_kind, at_work)
        found |= {f"difference_{key}": size[key] for key in ("mean", "lower", "upper")}
        found["mass"] = differences.masses(of, question.rope, at_work)
    return table.with_verdicts(table.exact(xr.Dataset(found)), question, n=_number(given))


def sampled_answers(given: Given, asked: Asked) -> Engine:
    """The same from PyMC, each number with its Monte Carlo error."""
    from betterthan.fits.checking import distance
    from betterthan.models import beta_binomial, dirichlet_multinomial

    three = given.counts.sizes[names.OUTCOME] == 3
    model = dirichlet_multinomial if three else beta_binomial
    tree = model.fit(
        given.counts, prior=asked.prior, sampling=asked.sampling, rng=asked.seed, predictive=False
    )
    found = table.of_posterior(tree, asked.question)
    if not three and given.ties_known:
        found = found.assign(_nothing(found["prob_better"]))
    from betterthan.posterior.gate import diagnose

    diagnosis = diagnose(tree)
    whole = table.with_verdicts(found, asked.question, converged=diagnosis.passed, n=_number(given))
    beside = xr.Dataset({"z": without_attrs(distance(given.counts, tree)["z"])})
    signed = _signed(tree["posterior"].attrs) | _judged(diagnosis)
    return Engine("mcmc", whole, beside, signed, tree)


def sampled_judged(data: xr.Dataset, n: xr.DataArray, asked: Asked) -> Engine:
    """The answers of judged counts from PyMC; `n` is the items of each pair, as a square."""
    from betterthan.fits.checking import distance
    from betterthan.models import judge

    tree = judge.fit(
        data, prior=asked.prior, sampling=asked.sampling, rng=asked.seed, predictive=False
    )
    from betterthan.posterior.gate import diagnose, posterior_of

    posterior, diagnosis = posterior_of(tree), diagnose(tree)
    found = table.of_differences(posterior["difference"], asked.question, square=True)
    whole = table.with_verdicts(found, asked.question, converged=diagnosis.passed, n=n)
    z = distance(data, tree)["z"]
    turned = table.of_pairs({"difference_mean": z.values}, z, square=True)  # of (B, A) it is -z
    beside = turned.rename({"difference_mean": "z"})
    return Engine("mcmc", whole, beside, _signed(posterior.attrs) | _judged(diagnosis), tree)


def fits_of(engines: list[Engine]) -> tuple[dict[str, xr.DataTree], tuple[str, ...]]:
    """The fits that are kept with the answer, by engine, and what was left out."""
    found = {engine.name: kept(engine.fit) for engine in engines if engine.fit is not None}
    trees = {name: tree for name, (tree, _) in found.items() if tree is not None}
    return trees, tuple(note for _, note in found.values() if note)


def _number(given: Given) -> xr.DataArray | None:
    """Examples of each pair, ties too; of two outcomes, none that was decisive is no lack of
    data.
    """
    three = given.raw.sizes[names.OUTCOME] == 3
    return given.raw.sum(names.OUTCOME) if three else None


def _nothing(better: xr.DataArray) -> dict[str, xr.DataArray]:
    """A two-way model has no draws of the difference."""
    nothing = xr.full_like(better, np.nan)
    regions = nothing.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
    parts = {f"difference_{key}": nothing for key in ("mean", "lower", "upper")} | {"mass": regions}
    return {f"{name}{end}": value for name, value in parts.items() for end in ("", "_mcse")}


def _signed(attrs: Any) -> dict[str, Any]:
    kept = ("seed", "draws", "chains", "inference_library", "model")
    return {k: attrs[k] for k in kept if k in attrs}


def _judged(diagnosis: "Diagnosis") -> dict[str, Any]:
    told = ("rhat_max", "ess_min", "divergences")
    return {k: getattr(diagnosis, k) for k in told} | {"failures": tuple(diagnosis.failures)}
