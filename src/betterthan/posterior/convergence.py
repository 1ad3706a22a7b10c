"""Convergence checks: a fit that fails them gives no verdict, and says what to try.

Where a tree keeps which two systems each pair compares: as coordinates of pair in group
posterior, or in constant_data where ArviZ could not join the variables of the posterior.
"""

from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names


def joinable(data: xr.Dataset) -> xr.Dataset:
    """A group without ``system_a`` and ``system_b`` where a variable is not over pair.

    ArviZ joins the variables of a group, and each must then have the same coordinates.
    """
    if all(names.PAIR in array.dims for array in data.values()):
        return data
    return data.drop_vars([side for side in names.SQUARE if _by_pair(data, side)])


def with_systems(posterior: xr.Dataset, constant: xr.Dataset) -> xr.Dataset:
    """The posterior with ``system_a`` and ``system_b`` on pair, which `joinable` left out."""
    held = all(_by_pair(constant, side) for side in names.SQUARE)
    present = set(names.SQUARE) & {*posterior.coords, *posterior.dims}
    if present or not held or names.PAIR not in posterior.coords:
        return posterior
    place = {label: k for k, label in enumerate(constant[names.PAIR].values.tolist())}
    pairs = posterior[names.PAIR].values.tolist()
    if not set(pairs) <= set(place):
        return posterior
    order = [place[label] for label in pairs]
    sides = {side: (names.PAIR, constant[side].values[order]) for side in names.SQUARE}
    return posterior.assign_coords(sides)


def _by_pair(data: xr.Dataset, side: str) -> bool:
    return side in data.coords and data[side].dims == (names.PAIR,)


_FREE = "ability_raw"
_SINGLE_CHAIN = "Only 1 chain was drawn, so R-hat cannot tell whether chains agree; use chains=4."
_SIMPLEX = "theta"
_DIGITS = 15
_ANSWERING = ("theta", "p", "difference")
_UNCHECKED = (
    "Checked by R-hat and ESS alone: the tree has no group sample_stats, so divergences and energy "
    "are not known."
)
_NO_DIVERGENCES = "Divergences are not known: group sample_stats has no 'diverging'."
_LONGER = f"draw more (draws={2 * names.DRAWS}, tune={2 * names.TUNE})"
_BY_NUTS = "sample with sampler='nuts'"
_SMALLER_STEPS = "raise target_accept (0.95, then 0.99), or use a prior further from 0"


@dataclass(frozen=True)
class Diagnosis:
    """Convergence diagnostics of a posterior; ``passed`` is False if there are ``failures``.

    For draws by weights (``sampler="laplace"``), ``pareto_k`` is k-hat of the weights, ``ess_min``
    is the number of draws of equal weight with the same information, and ``rhat_max`` is NaN, as
    there are no chains to agree. For other draws ``pareto_k`` is NaN.

    Exact draws and draws by weights have no sampler, so ``bfmi_min`` is NaN and ``divergences`` and
    ``treedepth_reached`` are 0. ``treedepth_reached`` is reported but is not a failure: it costs
    time, not correctness. ``unchecked`` lists the diagnostics that an adopted tree lacks;
    ``divergences`` is then 0 and not known.
    """

    passed: bool
    failures: tuple[str, ...]
    rhat_max: float
    ess_min: float
    divergences: int
    bfmi_min: float
    treedepth_reached: int
    chains: int
    draws: int
    pareto_k: float = float("nan")
    unchecked: str = ""


def diagnose(tree: xr.DataTree) -> Diagnosis:
    """Check the convergence of a posterior.

    The same check runs before any verdict. It compares these diagnostics with the limits in
    `betterthan.names`: R-hat, bulk and tail ESS of the parameters, divergences, energy (BFMI), and
    the number of chains. It skips indicators, which may be constant, and ``ability_raw``, whose
    mean nothing depends on (the abilities, computed from it, are checked). For draws by weights it
    checks k-hat of the weights and their effective number of draws.

    Parameters
    ----------
    tree : xarray.DataTree
        Posterior, with or without a group sample_stats.

    Returns
    -------
    Diagnosis
        Diagnostics; ``passed`` is True if all are within the limits.

    Raises
    ------
    ValueError
        If the tree holds no posterior.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, Bayesian Analysis 16(2),
    doi:10.1214/20-BA1221.

    Examples
    --------
    >>> import betterthan as bt
    >>> diagnose(bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)).passed
    True
    """
    posterior = posterior_of(tree)
    if "pareto_k" in posterior.attrs:
        return _weight_diagnosis(posterior)
    unchecked: list[str] = []
    if posterior.attrs.get("model") == names.ADOPTED:
        checked, unchecked = _checked_variables(posterior), _unchecked(tree, posterior)
    else:
        checked = posterior[[v for v in parameters(posterior) if v != _FREE]]
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    failures = [_SINGLE_CHAIN] if chains < 2 else []
    rhat, ess = _mixing(checked, failures)
    divergences, bfmi, depth = _sampler(tree, failures)
    return Diagnosis(
        passed=not failures,
        failures=tuple(failures),
        rhat_max=rhat,
        ess_min=ess,
        divergences=divergences,
        bfmi_min=bfmi,
        treedepth_reached=depth,
        chains=chains,
        draws=draws,
        unchecked=" ".join(unchecked),
    )


def _unchecked(tree: xr.DataTree, posterior: xr.Dataset) -> list[str]:
    """Messages on diagnostics that the user's sampler did not record, and on variables that were
    not checked, as no answer depends on them.
    """
    messages: list[str] = []
    if "sample_stats" not in tree.children:
        messages.append(_UNCHECKED)
    elif "diverging" not in tree["sample_stats"].to_dataset():
        messages.append(_NO_DIVERGENCES)
    for name, draws in posterior.data_vars.items():
        if name not in _ANSWERING and draws.dtype.kind == "f":
            place = _first_not_finite(draws)
            messages += [f"{name} {place}, which was not checked."] if place else []
    return messages


def _checked_variables(posterior: xr.Dataset) -> xr.Dataset:
    """Variables of a user's model that are checked: the answering ones, and of the others all
    numbers that vary and are finite.
    """
    checked: dict[Any, xr.DataArray] = {}
    for name, draws in posterior.data_vars.items():
        if name in _ANSWERING:
            checked[name] = draws
        elif draws.dtype.kind in "fiu":
            checked[name] = _varying(draws.transpose("chain", "draw", ...), f"{name}_cell")
    return xr.Dataset({k: v for k, v in checked.items() if v.size})


def _varying(draws: xr.DataArray, dim: str) -> xr.DataArray:
    """Draws (chain, draw, `dim`) of the cells that vary and are finite, each under its labels."""
    cells_flat = draws.values.reshape(*draws.shape[:2], -1)
    varying = (cells_flat != cells_flat[:1, :1]).any((0, 1)) & np.isfinite(cells_flat).all((0, 1))
    result = xr.DataArray(cells_flat[..., varying], dims=("chain", "draw", dim))
    labels = [draws[d].values for d in draws.dims[2:]]
    if not labels:
        return result
    cells = [", ".join(map(str, cell)) for cell in product(*labels)]
    return result.assign_coords({dim: np.array(cells)[varying]})


def _first_not_finite(draws: xr.DataArray) -> str:
    """Where a variable is no finite number, in words; empty where it is one everywhere."""
    bad = ~np.isfinite(draws.values)
    if not bad.any():
        return ""
    index = tuple(np.argwhere(bad)[0])
    position = [
        f"{d} {draws[d].values[k] if d in draws.coords else k}"
        for d, k in zip(draws.dims, index, strict=True)
    ]
    value = str(draws.values[index]).replace("nan", "NaN")
    return f"holds {value} at {', '.join(position)}"


def posterior_of(tree: Any) -> xr.Dataset:
    """The group posterior of a tree, with the systems of each pair; refused where there is none."""
    if not isinstance(tree, xr.DataTree) or "posterior" not in tree.children:
        raise ValueError(
            f"tree is a {type(tree).__name__} without a group posterior; give draws from "
            "betterthan.posterior.draws or from a model's fit"
        )
    posterior = tree["posterior"].to_dataset()
    if "constant_data" not in tree.children:
        return posterior
    return with_systems(posterior, tree["constant_data"].to_dataset())


def parameters(posterior: xr.Dataset) -> list[str]:
    """The variables that are looked at: all but ``difference``, which follows from the others."""
    every = [str(name) for name in posterior.data_vars if posterior[name].dtype.kind in "fiub"]
    return [name for name in every if name != "difference"] or every


def _weight_diagnosis(posterior: xr.Dataset) -> Diagnosis:
    """Diagnosis of draws that were weighted and then resampled."""
    k, weighed = float(posterior.attrs["pareto_k"]), float(posterior.attrs["weights_ess"])
    chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
    ess = min(weighed, chains * draws)  # no more are worth something than were kept
    failures = []
    if not k <= names.PARETO_K_MAX:
        failures.append(
            f"k-hat of the weights is {_formatted(k, names.PARETO_K_MAX, 2)}, above "
            f"{names.PARETO_K_MAX}: a few draws may stand for all; {_BY_NUTS}."
        )
    if not ess >= names.ESS_MIN:
        failures.append(
            f"The weighted draws are worth {_formatted(ess, names.ESS_MIN, 0)} of equal weight, "
            f"below {names.ESS_MIN}; draw more, or {_BY_NUTS}."
        )
    return Diagnosis(
        passed=not failures,
        failures=tuple(failures),
        rhat_max=float("nan"),
        ess_min=ess,
        divergences=0,
        bfmi_min=float("nan"),
        treedepth_reached=0,
        chains=chains,
        draws=draws,
        pareto_k=k,
    )


def _mixing(checked: xr.Dataset, failures: list[str]) -> tuple[float, float]:
    """Largest R-hat and smallest ESS; failures are appended."""
    statistics = {name: _statistics(draws) for name, draws in checked.data_vars.items()}
    every, bulk, tail = (xr.Dataset({n: s[k] for n, s in statistics.items()}) for k in range(3))
    if _SIMPLEX in every:  # such as ties that a model excludes, next to wins that vary
        every[_SIMPLEX] = every[_SIMPLEX].where(~_partly_constant(checked[_SIMPLEX]), 1.0)
    rhat, where = _worst(every, np.nanmax)
    sizes = {"Bulk": _worst(bulk, np.nanmin), "Tail": _worst(tail, np.nanmin)}
    if checked.sizes["chain"] > 1 and not rhat <= names.RHAT_MAX:
        failures.append(
            f"R-hat of {where} is {_formatted(rhat, names.RHAT_MAX, 3)}, above {names.RHAT_MAX}: "
            f"the chains disagree; {_LONGER}."
            if np.isfinite(rhat)
            else _no_rhat(checked, where)
        )
    for label, (ess, spot) in sizes.items():
        if not ess >= names.ESS_MIN and not np.isnan([rhat, ess]).all():
            failures.append(
                f"{label} ESS of {spot} is {_formatted(ess, names.ESS_MIN, 0)}, below "
                f"{names.ESS_MIN}: too few draws; {_LONGER}."
            )
    return rhat, float(np.min([ess for ess, _ in sizes.values()]))


# By the digest of the draws. Adopting, comparing, reporting and drawing a fit each check it.
_CACHE: dict[bytes, tuple[xr.DataArray, ...]] = {}
_MOST_CACHED = 256


def _statistics(draws: xr.DataArray) -> list[xr.DataArray]:
    """R-hat, bulk ESS and tail ESS of each number; NaN for a constant one, which is a failure."""
    from betterthan.libraries import az

    values = np.ascontiguousarray(draws.values)
    digest = sha256(repr((draws.dims, values.shape, values.dtype.str)).encode())
    digest.update(values)
    key = digest.digest()
    if key not in _CACHE:
        bare = xr.DataArray(values, dims=draws.dims)
        if len(_CACHE) >= _MOST_CACHED:
            _CACHE.clear()
        with np.errstate(invalid="ignore", divide="ignore"):
            _CACHE[key] = (az.rhat(bare), az.ess(bare, method="bulk"), az.ess(bare, method="tail"))
    labels = {d: draws[d] for d in draws.dims if d in draws.coords and d not in ("chain", "draw")}
    return [statistic.assign_coords(labels) for statistic in _CACHE[key]]


def _partly_constant(draws: xr.DataArray) -> xr.DataArray:
    """Cells of a simplex that are the same in every draw, next to others that vary."""
    constant = (draws == draws.isel(chain=0, draw=0)).all(("chain", "draw"))
    if names.OUTCOME not in constant.dims:
        return constant & False
    return constant & ~constant.all(names.OUTCOME)


def _no_rhat(checked: xr.Dataset, where: str) -> str:
    """Why there is no R-hat at a place."""
    draws = checked[where.partition("[")[0]]
    place = _first_not_finite(draws)
    if place:
        return f"R-hat of {where} is not known: {draws.name} {place}; give finite draws."
    constant = (draws == draws.isel(chain=0, draw=0)).all(("chain", "draw"))
    if constant.any():
        return f"R-hat of {where} is not known: it is the same in every draw; give draws that vary."
    return f"R-hat of {where} is not known; {_LONGER}."


def _formatted(value: float, limit: float, digits: int) -> str:
    """Format a number with enough digits to tell it from a limit."""
    while digits < _DIGITS and float(f"{value:.{digits}f}") == limit != value:
        digits += 1
    return f"{value:.{digits}f}"


def _sampler(tree: xr.DataTree, failures: list[str]) -> tuple[int, float, int]:
    """Divergences, smallest BFMI and draws at the greatest tree depth; failures are appended."""
    from betterthan.libraries import az

    if "sample_stats" not in tree.children:
        return 0, float("nan"), 0
    stats = tree["sample_stats"].to_dataset()
    divergences = int(stats["diverging"].sum()) if "diverging" in stats else 0
    if divergences:
        draws = stats["diverging"].size
        failures.append(
            f"{divergences} of {draws} transitions diverged: the draws miss a region; "
            f"{_SMALLER_STEPS}."
        )
    bfmi = float("nan")
    if "energy" in stats:
        bfmi = float(np.min(az.bfmi(stats)["energy"].values))
        if not bfmi >= names.BFMI_MIN:
            failures.append(
                f"BFMI is {_formatted(bfmi, names.BFMI_MIN, 2)}, below {names.BFMI_MIN}: the "
                f"energy mixes badly; {_LONGER}."
            )
    reached = [stats[k] for k in ("maxdepth_reached", "reached_max_treedepth") if k in stats]
    return divergences, bfmi, int(reached[0].sum()) if reached else 0


def _worst(values: Any, worst: Any) -> tuple[float, str]:
    """The worst number of a Dataset and the name of its place; nan, anywhere, is the worst of
    all.
    """
    places = []
    for name, array in values.data_vars.items():
        flat = array.values.reshape(-1)
        bad = np.isnan(flat)
        k = int(np.argmax(bad)) if bad.any() else int(np.flatnonzero(flat == worst(flat))[0])
        index = np.unravel_index(k, array.shape)
        labels = [
            str(array[d].values[i])
            for d, i in zip(array.dims, index, strict=True)
            if d in array.coords
        ]
        places.append((float(flat[k]), f"{name}[{', '.join(labels)}]" if labels else str(name)))
    return min(places, key=lambda p: (not np.isnan(p[0]), -p[0] if worst is np.nanmax else p[0]))
