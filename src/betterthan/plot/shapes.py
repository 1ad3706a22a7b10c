"""Densities and probabilities of one pair: in closed form, or from draws."""

from typing import Any, NamedTuple, Protocol

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.exact.wins import beta, dirichlet
from betterthan.plot import inputs
from betterthan.posterior import of_draws
from betterthan.posterior.sampled import checked_rope, in_other_unit

POINTS = 401
_TAIL = 1e-5  # mass that may lie outside of the figure, on either side
# of each figure, the variable it takes and what that is
_NEEDED = {
    "outcomes": ("p_win", "the probabilities of a win and of a loss"),
    "decisive": ("p", "p or theta"),
    "difference": ("difference", "the difference"),
}


class Won(NamedTuple):
    """Densities of the probabilities that A wins and that B wins, and a text of each."""

    x: np.ndarray
    densities: tuple[np.ndarray, np.ndarray]
    texts: tuple[str, str]


class Sides(NamedTuple):
    """A density, and its masses above, below and within the rope around the middle."""

    x: np.ndarray
    density: np.ndarray
    above: float
    below: float
    within: float = 0.0


class Source(Protocol):
    """One pair, from the side of the first."""

    sampled: str  # in words, of how many draws; empty in closed form
    per_example: bool  # whether the difference is P(A wins) - P(B wins)

    def outcomes(self) -> Won:
        """Of an example: that A wins it, and that B does."""
        ...

    def decisive(self) -> Sides:
        """Of an example that is not a tie: that A wins it."""
        ...

    def difference(self, rope: float) -> Sides:
        """The first of the two less the second."""
        ...


class Closed:
    """Densities from counts (outcome) and a prior."""

    sampled = ""
    per_example = True

    def __init__(self, pair: xr.DataArray, prior: Any, show: str) -> None:
        if show != "decisive":
            # a sum over wins and losses alone is not the number of examples
            pair_checked = pair.assign_attrs(ties="unknown") if show == "outcomes" else pair
            schemas.ties_known(pair_checked, f"show={show!r}")
        self._pair, self._prior = pair, prior

    def outcomes(self) -> Won:
        """Each as a Beta of its own."""
        success, failure = _success_prior(self._prior)
        n = int(self._pair.sum())
        wins, losses = (int(v) for v in self._pair.values[:2])
        shapes = [(success + k, failure + n - k) for k in (wins, losses)]
        x = _grid(*_span(shapes), 0.0)
        first, second = (_beta_density(s, f, x) for s, f in shapes)
        return Won(x, (first, second), (f"{wins} of {n}", f"{losses} of {n}"))

    def decisive(self) -> Sides:
        """A Beta."""
        a, b = inputs.posterior(self._pair, self._prior)[:2]
        low, high = _span([(a, b)])
        x = _grid(min(low, 0.5), max(high, 0.5), 0.0)
        above, below = float(beta.prob_above_half(a, b)), float(beta.prob_above_half(b, a))
        return Sides(x, _beta_density(a, b, x), above, below)

    def difference(self, rope: float) -> Sides:
        """Of a Dirichlet; without ties d = 2 p - 1."""
        alpha = inputs.posterior(self._pair, self._prior)
        a, b, t = (np.asarray(v) for v in (*alpha, 0.0)[:3])
        edge = np.asarray(rope)
        mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
        # five standard deviations on either side
        low, high = max(float(mean - 5 * sd), -1.0), min(float(mean + 5 * sd), 1.0)
        x = _grid(*_past_rope(low, high, rope), -1.0)
        y = dirichlet.density(a, b, t, x)
        return Sides(
            x,
            np.where(np.isfinite(y), y, np.nan),
            float(dirichlet.prob_above(a, b, t, edge)),
            float(dirichlet.prob_below(a, b, t, -edge)),
            float(dirichlet.prob_within(a, b, t, edge)) if rope else 0.0,
        )


class Sampled:
    """Of draws of the variables of a pair, by a kernel; masses are shares of draws."""

    def __init__(
        self, draws: dict[str, np.ndarray], model: str, show: str, has_own_unit: bool
    ) -> None:
        needed, required = _NEEDED[show]
        if needed not in draws:
            can = [repr(kind) for kind, (name, _) in _NEEDED.items() if name in draws]
            raise ValueError(
                f"show={show!r} needs {required}, which the draws of {model} do not hold; "
                f"use show={' or '.join(can)}"
            )
        self._draws = draws
        self.sampled = f"{len(draws[needed]):,} draws"
        self.per_example = not has_own_unit

    def outcomes(self) -> Won:
        """Each by itself."""
        both = self._draws["p_win"], self._draws["p_loss"]
        x = _grid(min(d.min() for d in both), max(d.max() for d in both), 0.0)
        first, second = (_kernel(d, x) for d in both)
        return Won(x, (first, second), (f"mean {both[0].mean():.3f}", f"mean {both[1].mean():.3f}"))

    def decisive(self) -> Sides:
        """Equal draws count half on either side."""
        p = self._draws["p"]
        x = _grid(min(p.min(), 0.5), max(p.max(), 0.5), 0.0)
        return _sides(p - 0.5, x, _kernel(p, x), 0.0)

    def difference(self, rope: float) -> Sides:
        """The density of the difference, from its draws."""
        d = self._draws["difference"]
        limits = _past_rope(d.min(), d.max(), rope)
        x = _grid(*limits, -1.0) if self.per_example else np.linspace(*limits, POINTS)
        return _sides(d, x, _kernel(d, x), rope)


def pair_densities(
    data: Any, systems: Any, prior: Any, show: str, rope: float | None
) -> tuple[str, str, Source, float]:
    """Return both systems to draw, their densities, and the ROPE."""
    if isinstance(data, xr.DataTree):
        of_draws.refuse_choices(prior)
        a, b, draws = inputs.pair_draws(data, systems)
        posterior = data["posterior"].to_dataset()
        half = checked_rope(posterior, names.ROPE if rope is None else rope)
        source = Sampled(draws, posterior.attrs["model"], show, in_other_unit(posterior))
        return a, b, source, half
    a, b, pair = inputs.one_pair(data, systems)
    return a, b, Closed(pair, prior, show), inputs.effective_rope(pair, rope)


def shares(margin: np.ndarray, rope: float = 0.0) -> tuple[float, float, float]:
    """Of the draws (draw,) of a margin: above, below and within a rope; equal ones count half."""
    if rope:
        above, below = (margin > rope).mean(), (margin < -rope).mean()
        return float(above), float(below), float((np.abs(margin) <= rope).mean())
    even = 0.5 * (margin == 0).mean()
    return float((margin > 0).mean() + even), float((margin < 0).mean() + even), 0.0


def _sides(margin: np.ndarray, x: np.ndarray, density: np.ndarray, rope: float) -> Sides:
    return Sides(x, density, *shares(margin, rope))


def _kernel(draws: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Density at points; draws that are all one number have none."""
    if draws.min() == draws.max():
        raise ValueError(
            f"all {len(draws):,} draws are {draws[0]:g}: they have no density; give draws that "
            "differ"
        )
    return np.interp(x, *of_draws.kernel(draws), left=0.0, right=0.0)


def _success_prior(prior: Any) -> tuple[float, ...]:
    """Two numbers: three, of win, loss and tie, would mean something else."""
    if not (prior is None or isinstance(prior, str)) and len(tuple(prior)) != 2:
        raise ValueError(
            f"prior has {checks.numbered(len(tuple(prior)), 'number')}; show='outcomes' takes two "
            "numbers, of success and failure"
        )
    return checks.prior(prior, 2)


def _past_rope(low: float, high: float, rope: float) -> tuple[float, float]:
    """Ends with 0 and both edges of the rope between them."""
    return min(low, -1.3 * rope, 0.0), max(high, 1.3 * rope, 0.0)


def _span(shapes: list[tuple[float, float]]) -> tuple[float, float]:
    """Where all but a trace of the mass of the Betas lies."""
    low = min(float(special.betaincinv(a, b, _TAIL)) for a, b in shapes)
    high = max(float(special.betainccinv(a, b, _TAIL)) for a, b in shapes)
    return low, high


def _grid(low: float, high: float, least: float) -> np.ndarray:
    """Points from a little below `low` to a little above `high`, between `least` and 1."""
    pad = 0.04 * (high - low)
    low, high = max(low - pad, least), min(high + pad, 1.0)
    step = (high - low) / POINTS
    # at the very ends it may be infinite
    return np.linspace(max(low, least + step), min(high, 1 - step), POINTS)


def _beta_density(a: float, b: float, x: np.ndarray) -> np.ndarray:
    """Density of Beta(a, b)."""
    return np.exp(beta.log_density_of_log_odds(np.asarray(a), np.asarray(b), special.logit(x))) / (
        x * (1 - x)
    )
