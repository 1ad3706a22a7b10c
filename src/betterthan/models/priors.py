"""Priors: of each pair by numbers, an array or a PyMC distribution; and of three probabilities.

An array has a row for each pair. Three probabilities have coordinates that are independent in prior
and posterior; groups of them are more or less alike.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.wins.clusters import KAPPA, STRETCH
from betterthan.models.sampling import without_compiler


def decisive_first() -> Any:
    """A PyMC transform: log odds of win against loss, and of either against tie.

    On PyMC's own simplex coordinates a pair with many examples but hardly a tie (100000, 99500, 1)
    mixes so badly that the gate refuses it; here it has the effective draws of any other pair.
    """
    import pytensor.tensor as pt
    from pymc.distributions.transforms import Transform

    class DecisiveFirst(Transform):
        name = "decisivefirst"  # PyMC cuts the name of the variable at an underscore

        def forward(self, value: Any, *inputs: Any) -> Any:
            win, loss, tie = (value[..., k] for k in range(3))
            odds: list[Any] = [pt.log(win / loss), pt.log((win + loss) / tie)]
            return pt.stack(odds, axis=-1)

        def backward(self, value: Any, *inputs: Any) -> Any:
            share, decisive = value[..., 0], value[..., 1]
            some: Any = pt.sigmoid(decisive)
            parts: list[Any] = [
                some * pt.sigmoid(share),
                some * pt.sigmoid(-share),
                pt.sigmoid(-decisive),
            ]
            return pt.stack(parts, axis=-1)

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:
            share, decisive = value[..., 0], value[..., 1]
            # p (1 - p) s^2 (1 - s), where log sigmoid(x) = -softplus(-x)
            parts: list[Any] = [
                pt.softplus(part) for part in (share, -share, decisive, -decisive, -decisive)
            ]
            return -sum(parts)

    return DecisiveFirst()


def concentration(correlation: Any) -> Any:
    """Kappa = 1 / correlation - 1, kept between 1e-9 and 1e6.

    Beyond that groups are alike, or all of one kind, to all digits asked for; and the difference of
    log gamma functions would be rounding alone, in which a chain can get caught.
    """
    import pytensor.tensor as pt

    kappa: Any = 1 / correlation - 1
    return pt.clip(kappa, *KAPPA)


def alike(name: str, a: float, b: float, dims: str) -> Any:
    """Kappa of a correlation ~ Beta(a, b), which is `name`; its logit is 6 sinh ``name_raw``.

    A prior with mass near 0 and 1 has a logit with long tails, in which NUTS makes many steps; and
    the gradient is none by way of a correlation that is 1 to all digits.
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    raw: Any = pm.CustomDist(
        f"{name}_raw", a, b, logp=_raw_log_density, random=_draw_raw, dims=dims
    )
    logit = _logit(raw)
    pm.Deterministic(name, pm.math.sigmoid(logit), dims=dims)
    # clipped first: of a number that overflowed there is no gradient
    return pt.exp(pt.clip(-logit, *np.log(KAPPA)))


def _logit(raw: Any) -> Any:
    import pytensor.tensor as pt

    stretched: Any = pt.sinh(raw)
    return STRETCH * stretched


def _raw_log_density(raw: Any, a: Any, b: Any) -> Any:
    """Log density of the raw coordinate, up to a constant."""
    import pytensor.tensor as pt

    logit = _logit(raw)
    both: list[Any] = [pt.softplus(-logit), pt.softplus(logit), pt.log(pt.cosh(raw))]
    return both[2] - a * both[0] - b * both[1]


def _draw_raw(a: Any, b: Any, rng: Any = None, size: Any = None) -> np.ndarray:
    return np.arcsinh(draw_log_odds(a, b, rng, size) / STRETCH)


def draw_log_odds(a: Any, b: Any, rng: Any, size: Any) -> np.ndarray:
    """Log odds of Beta variables."""
    # Gamma(a) = Gamma(a + 1) U^(1/a), in logarithms
    log = [np.log(rng.standard_gamma(k + 1, size)) + np.log(rng.random(size)) / k for k in (a, b)]
    return log[0] - log[1]


def draw_dirichlet(
    random: np.random.Generator, shape: np.ndarray, size: tuple[int, ...] = ()
) -> np.ndarray:
    """Dirichlet draws, a whole table of them at once; in logarithms, for parameters near 0."""
    alpha = np.broadcast_to(shape, (*size, *shape.shape))
    # Gamma(a) = Gamma(a + 1) U^(1/a)
    with np.errstate(divide="ignore", over="ignore"):  # a parameter that is 0 draws nothing
        log = np.log(random.standard_gamma(alpha + 1)) + np.log(random.random(alpha.shape)) / alpha
    return special.softmax(log, axis=-1)


_DRAWS = 20
_SEED = 1
_MODE = "FAST_COMPILE"  # a few draws need no compiled code
# names that models give after the variable of the prior
_LATER = {
    "theta": (
        *("counts", "difference", "y", "p", "s", "correlation", "confusion", "given", "gold"),
        "share",
        *(f"{k}_correlation{end}" for k in ("decisive", "win") for end in ("", "_raw")),
    ),
    "p": ("wins", "n", "y"),
    "p_win": ("decisive", "n", "p_loss", "difference", "y"),
    "p_loss": (),
    "mu": ("correlation", "counts", "y"),
}
_OUTSIDE = (-0.5, 1.5)  # where a probability has no density


def check_distribution(variable: Any, pairs: int, labels: tuple[str, ...]) -> None:
    """Refuse anything but a prior of three probabilities of each pair, or of one."""
    event = (3,) if len(labels) == 3 else ()
    if not _is_random(variable):
        raise ValueError(
            "prior is an expression of PyMC; give a distribution, such as "
            f"{_example(event)}, or pm.CustomDist.dist(dist=...)"
        )
    for above in (variable, *_hyperparameters(variable)):
        if _has_masses(above):
            raise ValueError(
                f"prior {'is' if above is variable else 'depends on'} "
                f"{_printed(above, _named(above))}, which has no density; give continuous "
                "distributions, as NUTS moves on these alone"
            )
    draws = _draws(variable)
    if draws.shape[1:] not in (event, (pairs, *event)):
        right = event or "()"
        raise ValueError(
            f"prior is {in_words(variable)}, whose draws have shape {draws.shape[1:]}; give "
            f"{right}, such as {_example(event)}, or {(pairs, *event)}, for each of {pairs} pairs"
        )
    right = ((draws >= 0) & (draws <= 1)).all() and variable.owner.op.ndim_supp == len(event)
    if right:
        right = np.allclose(draws.sum(-1), 1) if event else not _reaches_outside(variable)
    if not right:
        support = (
            "three probabilities that sum to 1" if event else "one probability, within 0 and 1"
        )
        raise ValueError(
            f"prior is {in_words(variable)}, which is no distribution of {support}; give one such "
            f"as {_example(event)}"
        )


def per_pair(variable: Any, pairs: int, event: int) -> Any:
    """One variable per pair, with named hyperparameters, from a copy of the user's variable."""
    from pymc.distributions.shape_utils import change_dist_size

    copy = _copied(variable)
    for above, name in _named(copy).items():
        above.name = name
    return copy if copy.ndim > event else change_dist_size(copy, (pairs,))


def register(drawn: Any, name: str, dims: tuple[str, ...], transform: Any = None) -> Any:
    """Put it into the model at hand, with the hyperparameters that are not there yet.

    Without a transform: its own, and log odds where it has none.
    """
    from pymc.distributions import transforms
    from pymc.pytensorf import find_rng_nodes
    from pytensor.compile.sharedvalue import shared
    from pytensor.graph.replace import graph_replace

    from betterthan.libraries import pm

    model: Any = pm.modelcontext(None)
    above, default_transform = _hyperparameters(drawn), cast(Any, transforms)._default_transform
    new = [variable for variable in above if variable not in model.free_RVs]
    duplicates = {str(v.name) for v in new} & {
        *model.named_vars,
        *model.coords,
        *_LATER.get(name, ()),
    }
    for duplicate in sorted(duplicates | ({name} & {str(v.name) for v in above})):
        raise ValueError(
            f"prior has a hyperparameter named {duplicate!r}, which is a name of the model itself; "
            f"give it another name, such as name='prior_{duplicate}'"
        )
    for variable in new:
        model.register_rv(variable, variable.name)
    # separate random generators: two variables may have the same distribution
    shared_with = find_rng_nodes(above)
    generators = [rng for rng in find_rng_nodes([drawn]) if rng not in shared_with]
    (drawn,) = graph_replace(
        [drawn], {rng: shared(np.random.default_rng(_SEED)) for rng in generators}
    )
    if transform is None:
        transform = default_transform(drawn.owner.op, drawn) or transforms.logodds
    return model.register_rv(drawn, name, dims=dims, default_transform=transform)


def distribution_numbers(variable: Any) -> list[float] | None:
    """The parameters of a Dirichlet or Beta without hyperparameters: its closed form is known."""
    from pytensor.tensor.random.basic import BetaRV, DirichletRV

    if not isinstance(variable.owner.op, (BetaRV, DirichletRV)) or _hyperparameters(variable):
        return None
    values = [np.asarray(a.eval(mode=_MODE)) for a in _parameters(variable.owner)]
    if isinstance(variable.owner.op, BetaRV):
        values = [np.stack(np.broadcast_arrays(*values), axis=-1)]
    return values[0].tolist() if values[0].ndim == 1 else None


def in_words(variable: Any) -> str:
    """In words, as ``Dirichlet(concentration * [1. 1. 1.]), concentration ~ Gamma(2, 1 / 0.1)``."""
    hyperparameters = _named(variable)
    hyper = [
        f"{name} ~ {_printed(above, hyperparameters)}" for above, name in hyperparameters.items()
    ]
    return ", ".join([_printed(variable, hyperparameters), *hyper])


def _printed(variable: Any, hyperparameters: dict[Any, str]) -> str:
    """The name of a distribution and its parameters; a random parameter is written by its name."""
    from pytensor.graph.replace import clone_replace
    from pytensor.printing import pprint

    def named(name: str, above: Any) -> Any:
        return above.type(name=name)

    parts = _components(variable.owner)
    replacements = {a: named(name, a) for a, name in hyperparameters.items()}
    replacements |= {part: named(_printed(part, hyperparameters), part) for part in parts}
    inner = [pprint(clone_replace(a, replacements)) for a in _parameters(variable.owner)]
    bare = [a[1:-1] if a.startswith("(") else a for a in inner]  # around every sum and product
    values = re.sub(r"Reciprocal\(([^()]*)\)", r"1 / \1", " ".join(", ".join(bare).split()))
    return f"{_distribution(variable)}({values})"


def _distribution(variable: Any) -> str:
    from pymc.printing import str_for_dist

    return str_for_dist(variable, include_params=False).rpartition(" ~ ")[2]


def _parameters(node: Any) -> list[Any]:
    """Of a distribution, without generators and sizes."""
    from pytensor.tensor.random.type import RandomType
    from pytensor.tensor.type_other import NoneTypeT

    try:
        return list(node.op.dist_params(node))
    except ValueError:  # of a distribution that is made of others
        return [a for a in node.inputs if not isinstance(a.type, (RandomType, NoneTypeT))]


def _components(node: Any) -> list[Any]:
    """Distributions that a mixture is of: they are no variables of their own."""
    from pymc.distributions.mixture import MixtureRV

    return _parameters(node)[1:] if node and isinstance(node.op, MixtureRV) else []


def _is_random(variable: Any) -> bool:
    from pymc.distributions.distribution import SymbolicRandomVariable
    from pytensor.tensor.random.op import RandomVariable
    from pytensor.tensor.random.type import RandomType

    node = variable.owner
    random = node is not None and isinstance(node.op, (RandomVariable, SymbolicRandomVariable))
    return random and not isinstance(variable.type, RandomType)


def _hyperparameters(variable: Any) -> list[Any]:
    """Random variables that it depends on, in topological order."""
    from pytensor.graph.traversal import toposort, walk

    def above(child: Any) -> list[Any]:
        if child.owner is None:
            return []
        parts = _components(child.owner)
        return [a for a in child.owner.inputs if a not in parts] + [
            b for a in parts for b in above(a)
        ]

    random = [a for a in walk([variable], above) if a is not variable and _is_random(a)]
    outputs = [a for node in toposort([variable]) for a in node.outputs]
    return [a for a in outputs if a in random]


def _named(variable: Any) -> dict[Any, str]:
    """Hyperparameters by name: their own, or that of their distribution."""
    named: dict[Any, str] = {}
    for above in _hyperparameters(variable):
        base = above.name or f"prior_{_distribution(above).lower()}"
        suffixes = ("", *(f"_{k}" for k in range(2, len(named) + 2)))
        named[above] = next(base + end for end in suffixes if base + end not in named.values())
    return named


def _has_masses(variable: Any) -> bool:
    from pymc.distributions.censored import CensoredRV

    return variable.dtype.startswith(("int", "uint", "bool")) or isinstance(
        variable.owner.op, CensoredRV
    )


def _copied(variable: Any) -> Any:
    """A copy with separate random generators."""
    from pymc.pytensorf import replace_rng_nodes
    from pytensor.graph.replace import clone_replace

    (copy,) = replace_rng_nodes([clone_replace(variable)])
    return copy


def _draws(variable: Any) -> np.ndarray:
    from betterthan.libraries import pm

    try:
        with without_compiler():
            return np.asarray(pm.draw(_copied(variable), _DRAWS, random_seed=_SEED, mode=_MODE))
    except Exception as error:  # of whatever class the distribution raises
        why = str(error).splitlines()[0]
        raise ValueError(f"prior is {in_words(variable)}, which cannot be drawn: {why}") from None


def _reaches_outside(variable: Any) -> bool:
    """Whether it has a density below 0 or above 1, however far out its draws are."""
    from betterthan.libraries import pm

    copy = _copied(variable)
    with without_compiler():
        shape = copy.shape.eval(mode=_MODE)
        # hyperparameters stay random: the density is drawn with them
        logs = [pm.logp(copy, np.full(shape, x), warn_rvs=False) for x in _OUTSIDE]
        densities = pm.draw(logs, _DRAWS, random_seed=_SEED, mode=_MODE)
    return bool(np.isfinite(densities).any())


def _example(event: tuple[int, ...]) -> str:
    return "pm.Dirichlet.dist(a=[2, 2, 1])" if event else "pm.Beta.dist(2, 2)"


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
            check_distribution(prior, len(who), labels)
            return cls(None, prior, labels, len(who))
        numbers = (
            _rows(prior, who, labels)
            if is_table(prior)
            else np.array(checks.prior(prior, len(labels)))
        )
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
            numbers = distribution_numbers(self.distribution)
            return self.text if numbers is None else numbers
        return ARRAY if self.by_pair else self.numbers.tolist()

    @property
    def text(self) -> str:
        """The prior as text."""
        if self.numbers is None:
            return in_words(self.distribution)
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
        from betterthan.libraries import pm

        model: Any = pm.modelcontext(None)
        model.add_coord(names.OUTCOME, list(self.labels))
        numbers, has_numbers = self.numbers, True
        if numbers is None:
            pair_prior = distribution_numbers(self.distribution)
            has_numbers = pair_prior is not None
            numbers = np.array(pair_prior or [0.0] * len(self.labels))
        dims = (names.PAIR, names.OUTCOME) if self.by_pair else (names.OUTCOME,)
        data: Any = pm.Data("prior", numbers, dims=dims)
        if not has_numbers:  # pm.Data refuses nan, its variable takes it
            data.set_value(np.full(len(self.labels), np.nan))
        return data

    def by_outcome(self) -> list[Any]:
        """`parameters` by outcome, each a scalar or (pair,)."""
        numbers = self.parameters()
        return [numbers[..., k] for k in range(len(self.labels))]

    def simplex(self, name: str) -> Any:
        """A PyMC variable of three probabilities of each pair."""
        from betterthan.libraries import pm

        dims, transform = (names.PAIR, names.OUTCOME), decisive_first()
        if self.numbers is None:
            self.parameters()
            drawn = per_pair(self.distribution, self.pairs, event=1)
            return register(drawn, name, dims, transform)
        return pm.Dirichlet(name, a=self.parameters(), dims=dims, default_transform=transform)

    def probabilities(self, *several: str) -> list[Any]:
        """PyMC variables of one probability of each pair, each with this prior."""
        from betterthan.libraries import pm

        first, second = self.by_outcome()
        if self.numbers is None:
            drawn = per_pair(self.distribution, self.pairs, event=0)
            return [register(drawn, name, (names.PAIR,)) for name in several]
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
