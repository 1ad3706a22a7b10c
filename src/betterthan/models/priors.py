"""The prior of each pair: numbers, an array with a row for each pair, or a PyMC distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.models import prior_distributions, simplex

ARRAY = "array"  # what attrs say of a prior by pair: its numbers are in group constant_data


@dataclass(frozen=True)
class Prior:
    """The prior of the probabilities of each pair."""

    numbers: np.ndarray | None  # (outcome,) or (pair, outcome)
    distribution: Any  # a PyMC variable, where there are no numbers
    labels: tuple[str, ...]  # of the outcomes
    pairs: int

    @classmethod
    def parse(cls, prior: Any, pairs: Any, labels: tuple[str, ...] = names.OUTCOMES) -> "Prior":
        """Parse the prior of a user, for counts over pairs and the outcomes of these labels.

        Raises
        ------
        ValueError
            If numbers are not positive, or not as many as there are outcomes, or rows not as many
            as pairs; or draws of a distribution are not such probabilities.
        """
        who = pairs[names.PAIR].values.tolist()
        if is_distribution(prior):
            prior_distributions.check(prior, len(who), labels)
            return cls(None, prior, labels, len(who))
        numbers = _rows(prior, who, labels) if is_table(prior) else _numbers(prior, labels)
        return cls(numbers, None, labels, len(who))

    @property
    def by_pair(self) -> bool:
        """Whether each pair has numbers of its own."""
        return self.numbers is not None and self.numbers.ndim == 2

    @property
    def weighted(self) -> bool:
        """Whether posteriors under it can be drawn by weights."""
        return self.numbers is not None and not self.by_pair

    @property
    def constant_data(self) -> dict[str, Any]:
        """Variables for group constant_data."""
        return {"prior": ((names.PAIR, names.OUTCOME), self.numbers)} if self.by_pair else {}

    @property
    def recorded(self) -> Any:
        """What ``posterior.attrs["prior"]`` holds: numbers, or in words what they are not.

        A Dirichlet or Beta distribution has numbers, and with them a closed form.
        """
        if self.numbers is None:
            numbers = prior_distributions.numbers(self.distribution)
            return self.text if numbers is None else numbers
        return ARRAY if self.by_pair else self.numbers.tolist()

    @property
    def text(self) -> str:
        """The prior as text."""
        if self.numbers is None:
            return prior_distributions.text(self.distribution)
        return "an array by pair" if self.by_pair else str(self.numbers.tolist())

    def columns(self) -> tuple[Any, ...]:
        """Numbers by outcome, each one number or (pair,); a distribution has none."""
        if self.numbers is None:
            raise ValueError(
                f"prior is {self.text}, and a closed form takes numbers; sample it: "
                "fit(counts, prior=...)"
            )
        return tuple(np.moveaxis(self.numbers, -1, 0))

    def parameters(self) -> Any:
        """Numbers as data of a PyMC model, which are kept with the draws; nan of a distribution
        that has none.
        """
        import pymc as pm

        model: Any = pm.modelcontext(None)
        model.add_coord(names.OUTCOME, list(self.labels))
        numbers, has_numbers = self.numbers, True
        if numbers is None:
            pair_prior = prior_distributions.numbers(self.distribution)
            has_numbers = pair_prior is not None
            numbers = np.array(pair_prior or [0.0] * len(self.labels))
        dims = (names.PAIR, names.OUTCOME) if self.by_pair else (names.OUTCOME,)
        data: Any = pm.Data("prior", numbers, dims=dims)
        if not has_numbers:  # pm.Data refuses nan, its variable takes it
            data.set_value(np.full(len(self.labels), np.nan))
        return data

    def by_outcome(self) -> list[Any]:
        """`parameters` by outcome, each a number or (pair,)."""
        assert self.numbers is not None
        if not self.by_pair:
            return self.numbers.tolist()
        rows = self.parameters()
        return [rows[:, k] for k in range(len(self.labels))]

    def simplex(self, name: str) -> Any:
        """A PyMC variable of three probabilities of each pair."""
        import pymc as pm

        dims, transform = (names.PAIR, names.OUTCOME), simplex.decisive_first()
        if self.numbers is None:
            self.parameters()
            drawn = prior_distributions.per_pair(self.distribution, self.pairs, event=1)
            return prior_distributions.register(drawn, name, dims, transform)
        return pm.Dirichlet(name, a=self.parameters(), dims=dims, default_transform=transform)

    def probabilities(self, *several: str) -> list[Any]:
        """PyMC variables of one probability of each pair, each with this prior."""
        import pymc as pm

        if not self.by_pair:
            self.parameters()  # recorded; what is computed does not depend on it
        if self.numbers is None:
            drawn = prior_distributions.per_pair(self.distribution, self.pairs, event=0)
            return [prior_distributions.register(drawn, name, (names.PAIR,)) for name in several]
        first, second = self.by_outcome()
        return [pm.Beta(name, alpha=first, beta=second, dims=names.PAIR) for name in several]


def is_distribution(prior: Any) -> bool:
    """Whether it is a variable of PyMC, which is not imported for that."""
    if not type(prior).__module__.startswith(("pytensor", "pymc")):
        return False
    from pytensor.graph.basic import Variable

    return isinstance(prior, Variable)


def is_table(prior: Any) -> bool:
    """Whether it is an array with a row for each pair, rather than numbers for all."""
    if isinstance(prior, (np.ndarray, xr.DataArray)):
        return prior.ndim > 1
    return isinstance(prior, (list, tuple)) and any(np.ndim(row) > 0 for row in prior)


def _numbers(prior: Any, labels: tuple[str, ...]) -> np.ndarray:
    return np.array(checks.prior(prior, len(labels)))


def _rows(prior: Any, pairs: Sequence[Any], labels: tuple[str, ...]) -> np.ndarray:
    """Numbers (pair, outcome), in the order of the pairs."""
    if isinstance(prior, xr.DataArray):
        prior = _aligned(prior, pairs, labels)
    wanted = (len(pairs), len(labels))
    try:
        rows = np.array(prior, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"prior is no array of numbers; give numbers of shape {wanted}, a row for each pair"
        ) from None
    if rows.shape[1:] == (3,) and len(labels) == 2:
        rows = rows[:, :2]  # as of three numbers for all pairs
    if rows.shape != wanted:
        raise ValueError(
            f"prior has shape {rows.shape}; give {wanted}, for each of {len(pairs)} pairs "
            f"{', '.join(labels)}"
        )
    refused = ~((rows > 0) & (rows <= names.MOST_PRIOR)).all(1)
    if refused.any():
        k = int(refused.argmax())
        try:
            checks.prior(rows[k], len(labels))
        except ValueError as error:
            raise ValueError(f"{error} (pair {pairs[k]!r})") from None
    return rows


def _aligned(prior: xr.DataArray, pairs: Sequence[Any], labels: tuple[str, ...]) -> xr.DataArray:
    """The prior over (pair, outcome), aligned by labels where it has them."""
    dims = (names.PAIR, names.OUTCOME)
    if set(prior.dims) != set(dims):
        raise ValueError(
            f"prior has dims ({', '.join(map(str, prior.dims))}); give (pair, outcome)"
        )
    for dim, wanted in zip(dims, (list(pairs), list(labels)), strict=True):
        if dim not in prior.coords:
            continue
        present = prior[dim].values.tolist()
        checks.unique(present, f"{dim} of the prior")
        for label in wanted:
            if label not in present:
                raise ValueError(f"prior has no {dim} {label!r}; give one for each {dim}")
        extra = [label for label in present if label not in wanted]
        if dim == names.PAIR and extra:
            raise ValueError(f"prior has a pair {extra[0]!r}, which the counts do not have")
        prior = prior.sel({dim: wanted})
    return prior.transpose(*dims)
