"""A PyMC distribution as a prior: checked, put into a model with its hyperpriors, and in words."""

import re
from typing import Any, cast

import numpy as np

from betterthan.models.sampling import without_compiler

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


def check(variable: Any, pairs: int, labels: tuple[str, ...]) -> None:
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
            f"prior is {text(variable)}, whose draws have shape {draws.shape[1:]}; give "
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
            f"prior is {text(variable)}, which is no distribution of {support}; give one such as "
            f"{_example(event)}"
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
    import pymc as pm
    from pymc.distributions import transforms
    from pymc.pytensorf import find_rng_nodes
    from pytensor.compile.sharedvalue import shared
    from pytensor.graph.replace import graph_replace

    model: Any = pm.modelcontext(None)
    above, default_transform = _hyperparameters(drawn), cast(Any, transforms)._default_transform
    new = [variable for variable in above if variable not in model.free_RVs]
    duplicates = {str(v.name) for v in new} & {
        *model.named_vars,
        *model.coords,
        *_LATER.get(name, ()),
    }
    _refuse_duplicates(duplicates | ({name} & {str(v.name) for v in above}))
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


def _refuse_duplicates(duplicates: set[str]) -> None:
    for name in sorted(duplicates):
        raise ValueError(
            f"prior has a hyperparameter named {name!r}, which is a name of the model itself; give "
            f"it another name, such as name='prior_{name}'"
        )


def numbers(variable: Any) -> list[float] | None:
    """The parameters of a Dirichlet or Beta without hyperparameters: its closed form is known."""
    from pytensor.tensor.random.basic import BetaRV, DirichletRV

    if not isinstance(variable.owner.op, (BetaRV, DirichletRV)) or _hyperparameters(variable):
        return None
    values = [np.asarray(a.eval(mode=_MODE)) for a in _parameters(variable.owner)]
    if isinstance(variable.owner.op, BetaRV):
        values = [np.stack(np.broadcast_arrays(*values), axis=-1)]
    return values[0].tolist() if values[0].ndim == 1 else None


def text(variable: Any) -> str:
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
    import pymc as pm

    try:
        with without_compiler():
            return np.asarray(pm.draw(_copied(variable), _DRAWS, random_seed=_SEED, mode=_MODE))
    except Exception as error:  # of whatever class the distribution raises
        why = str(error).splitlines()[0]
        raise ValueError(f"prior is {text(variable)}, which cannot be drawn: {why}") from None


def _reaches_outside(variable: Any) -> bool:
    """Whether it has a density below 0 or above 1, however far out its draws are."""
    import pymc as pm

    copy = _copied(variable)
    with without_compiler():
        shape = copy.shape.eval(mode=_MODE)
        # hyperparameters stay random: the density is drawn with them
        logs = [pm.logp(copy, np.full(shape, x), warn_rvs=False) for x in _OUTSIDE]
        densities = pm.draw(logs, _DRAWS, random_seed=_SEED, mode=_MODE)
    return bool(np.isfinite(densities).any())


def _example(event: tuple[int, ...]) -> str:
    return "pm.Dirichlet.dist(a=[2, 2, 1])" if event else "pm.Beta.dist(2, 2)"
