"""Simulation-based calibration: truths from the prior, data from the truths, ranks of truths in the
fits.

A model is compiled once and then sampled on new data each time; a run that was stopped goes on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

from betterthan.blocks.scheduling import open_client, shared_map
from betterthan.models import sampling
from validation import rank_gate, refit

EXAMPLES = (10, 40, 200)  # examples of a simulated pair, in turn
BINS = 20
PROBS = (0.5, 0.8, 0.95)
KEEP_EVERY = 20  # simulations after which what was found is written down

Scalars = dict[str, np.ndarray]
Steps = Callable[[Sequence[Any]], Iterable[Any]]  # yields as many as it is given


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of a model, on the small design on which it is calibrated."""

    name: str  # that of the model, or of a second form
    model: ModuleType
    simulate: Callable[[int, int], list[xr.Dataset]]  # of a number of data sets and a seed
    build: Callable[[xr.Dataset], Any]  # the PyMC model of one of them
    data: Callable[[xr.Dataset], dict[str, np.ndarray]]  # what takes the place of that one's data
    scalars: Callable[[xr.Dataset], Scalars]  # what is ranked, of truth and posterior alike
    design: dict[str, Any] = field(default_factory=dict)  # told in the evidence
    part: int = 1  # one in so many simulations is run of it
    # a fit by weights of one of them with a seed, where the model has that
    weighted: Callable[[xr.Dataset, int], xr.DataTree] | None = None

    def needed(self, least: int) -> int:
        """Simulations with which the gate of its ranks has its power, or more."""
        quantities = len(self.scalars(self.simulate(1, 0)[0]))
        return max(rank_gate.needed(quantities), least // self.part)


@dataclass(frozen=True)
class Calibration:
    """What the simulations showed, by parameter."""

    ranks: dict[str, np.ndarray]
    rank_values: int  # ranks run from 0 up to, not including, this
    # kind, parameter, mass -> share of truths inside
    coverage: dict[str, dict[str, dict[str, float]]]
    divergences: int


def calibrate(form: Form, simulations: int, seed: int, keep: Path | None = None) -> Calibration:
    """Rank each truth among the draws of its refit; where a dask client is open, its workers refit.

    Parameters
    ----------
    form : Form
    simulations, seed : int
    keep : pathlib.Path, optional
        A folder that holds what was found so far; a run that was stopped goes on from there.

    References
    ----------
    Talts, Betancourt, Simpson, Vehtari & Gelman 2018, arXiv:1804.06788.
    """
    truths = form.simulate(simulations, seed)
    kept = keep / f"{form.name}.npz" if keep is not None else None
    done = _found(kept)
    rest = [(truths[k], seed + k) for k in range(len(done), simulations)]
    for found in in_parts(partial(_refits, form), rest):
        done.append(found)
        if kept is not None and len(done) % KEEP_EVERY == 0:
            _write(kept, done)
    draws = _stacked(done[:simulations])
    divergences = int(draws.pop(_DIVERGENCES).sum())
    return ranked(draws, _stacked([form.scalars(truth) for truth in truths]), divergences)


def in_parts(steps: Steps, values: Sequence[Any]) -> Iterator[Any]:
    """Yield what `steps` yields of the values, in their order; each worker gets one part, so that
    setup such as compiling is done once per worker.
    """
    client = open_client()
    if client is None:
        yield from steps(values)
        return
    number = min(len(client.scheduler_info(n_workers=-1)["workers"]), len(values))
    edges = [len(values) * k // number for k in range(number + 1)] if number else []
    parts = [values[a:b] for a, b in pairwise(edges)]
    for future in client.map(partial(_listed, steps), parts, pure=False):
        yield from future.result()


def _listed(steps: Steps, values: Sequence[Any]) -> list[Any]:
    return list(steps(values))


def _refits(form: Form, given: Sequence[tuple[xr.Dataset, int]]) -> Iterator[Scalars]:
    """Draws of the fit of each truth's data, with its seed; the model is compiled once."""
    if not given:
        return
    compiled = refit.compiled(form.build(given[0][0]))
    target = sampling.default_target_accept(form.model)
    for truth, seed in given:
        tree = refit.sampled(compiled.with_data(**form.data(truth)), seed, target)
        diverging = tree["sample_stats"].to_dataset()["diverging"].values
        here = {_DIVERGENCES: diverging.sum(keepdims=True)}
        yield form.scalars(tree["posterior"].to_dataset()) | here


def by_weights(form: Form, simulations: int, seed: int) -> tuple[Calibration, Sequence[float]]:
    """Rank each truth among the draws of a fit by weights, and k-hat of each."""
    if form.weighted is None:
        raise ValueError(f"{form.name} is not drawn by weights")
    truths = form.simulate(simulations, seed)
    given = [(truth, seed + k) for k, truth in enumerate(truths)]
    k_hat, done = zip(*shared_map(partial(_weighted, form), given), strict=True)
    return ranked(_stacked([*done]), _stacked([form.scalars(truth) for truth in truths]), 0), k_hat


def _weighted(form: Form, given: tuple[xr.Dataset, int]) -> tuple[float, Scalars]:
    assert form.weighted is not None
    posterior = form.weighted(*given)["posterior"].to_dataset()
    return float(posterior.attrs["pareto_k"]), form.scalars(posterior)


def one_by_one(simulate: Callable[..., xr.Dataset]) -> Callable[[int, int], list[xr.Dataset]]:
    """Data sets each from a seed of its own."""
    return lambda count, seed: [simulate(rng=seed + k) for k in range(count)]


def numbered(
    data: xr.Dataset, kept: tuple[str, ...], *, first: int = 1, most: int | None = None
) -> Scalars:
    """The scalars of some variables, numbered where there are several; at most so many of each."""
    found = {}
    for name in kept:
        own = [d for d in data[name].dims if d not in ("chain", "draw")]
        if not own:
            found[name] = data[name].values
            continue
        flat = data[name].stack(_all=own).transpose("_all", ...).values
        found |= {f"{name}_{k}": values for k, values in enumerate(flat[:most], first)}
    return found


def ranked(
    draws: dict[str, np.ndarray], truth: dict[str, np.ndarray], divergences: int
) -> Calibration:
    """Rank each truth (simulation,) among its draws (simulation, chain, draw), parameter by
    parameter.
    """
    thinned = {k: v[..., :: refit.THIN].reshape(len(v), -1)[:, :-1] for k, v in draws.items()}
    return Calibration(
        ranks={k: (thinned[k] < truth[k][:, None]).sum(1) for k in draws},
        rank_values=next(iter(thinned.values())).shape[1] + 1,
        coverage=_coverage(draws, truth),
        divergences=divergences,
    )


def summary(calibrated: Calibration, simulations: int) -> dict[str, Any]:
    """What goes into the evidence: divergences, bars of the ranks, and whether they are level, one
    by one and all together.
    """
    from scipy import stats

    bars = {k: histogram(r, calibrated.rank_values) for k, r in calibrated.ranks.items()}
    return {
        "simulations": simulations,
        "rank_values": calibrated.rank_values,
        "divergences": calibrated.divergences,
        "pooled": asdict(rank_gate.level(calibrated.ranks, calibrated.rank_values)),
        "uniformity_p": {k: float(stats.chisquare(bar).pvalue) for k, bar in bars.items()},
        "histogram": {k: bar.tolist() for k, bar in bars.items()},
    }


def histogram(ranks: np.ndarray, rank_values: int) -> np.ndarray:
    """Counts of the ranks in bins of equal width."""
    return np.bincount(ranks * BINS // rank_values, minlength=BINS)


_DIVERGENCES = "divergences"


def _stacked(each: list[Scalars]) -> Scalars:
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def _found(kept: Path | None) -> list[Scalars]:
    """Draws of the simulations done so far."""
    if kept is None or not kept.is_file():
        return []
    with np.load(kept) as stored:
        whole = {k: stored[k] for k in stored.files}
    return [{k: v[i] for k, v in whole.items()} for i in range(len(next(iter(whole.values()))))]


def _write(kept: Path, done: list[Scalars]) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(".part.npz")
    stacked: dict[str, Any] = _stacked(done)
    np.savez_compressed(fresh, **stacked)
    fresh.replace(kept)


def _coverage(draws: dict[str, np.ndarray], truth: dict[str, np.ndarray]) -> dict[str, Any]:
    import arviz as az

    table: dict[str, Any] = {"eti": {}, "hdi": {}}
    for name, values in draws.items():
        array = xr.DataArray(values, dims=("simulation", "chain", "draw"))
        for kind, interval in (("eti", az.eti), ("hdi", az.hdi)):
            inside = {}
            for prob in PROBS:
                ends = interval(array, prob=prob, dim=["chain", "draw"])
                low, high = (ends.sel(ci_bound=b).values for b in ("lower", "upper"))
                inside[str(prob)] = float(((low <= truth[name]) & (truth[name] <= high)).mean())
            table[kind][name] = inside
    return table
