"""Answers from draws: on pairs and systems, each with its Monte Carlo error, if they converged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import combinations, product
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import probability_error, quantile_error
from betterthan.progress import with_bar


def draws_of_pairs(variables: dict[str, np.ndarray], pairs: Any) -> xr.Dataset:
    """Draws (chain, draw, pair) or (chain, draw, pair, outcome) by name, labelled as `pairs`."""
    dims = (*SAMPLES, names.PAIR, names.OUTCOME)
    data = {name: (dims[: values.ndim], values) for name, values in variables.items()}
    coords: dict[str, Any] = {k: (names.PAIR, pairs[k].values) for k in (names.PAIR, *names.SQUARE)}
    coords |= {names.OUTCOME: list(names.OUTCOMES)} if "theta" in variables else {}
    chains, draws = next(iter(variables.values())).shape[:2]
    return xr.Dataset(data, coords | {"chain": np.arange(chains), "draw": np.arange(draws)})


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


_FREE, _ABILITY = "ability_raw", "ability"  # of which only the second has a fixed mean
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
    failures = [_SINGLE_CHAIN] if chains < 2 else _copied_chains(checked)
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


def _copied_chains(checked: xr.Dataset) -> list[str]:
    """A failure if two chains hold the same draws, which then count twice."""
    by_chain = [draws.transpose("chain", "draw", ...).values for draws in checked.values()]
    varying = [draws for draws in by_chain if (draws[0] != draws[0, :1]).any()]
    for i, j in combinations(range(checked.sizes["chain"]), 2) if varying else ():
        if all(np.array_equal(draws[i], draws[j]) for draws in varying):
            return [f"Chains {i} and {j} hold the same draws, which count twice; give them once."]
    return []


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
        elif name == _FREE and _ABILITY in posterior:
            continue
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
    value = str(draws.values[index]).replace("nan", "NaN")
    return f"holds {value} at {position(draws, index)}"


def position(array: xr.DataArray, index: Iterable[int]) -> str:
    """The labels of a cell, or its places where a dim has none."""
    places = zip(array.dims, index, strict=True)
    return ", ".join(f"{d} {array[d].values[k]}" for d, k in places)


def posterior_of(tree: Any) -> xr.Dataset:
    """The group posterior of a tree, with the systems of each pair; refused where there is none."""
    if not isinstance(tree, xr.DataTree) or "posterior" not in tree.children:
        raise ValueError(
            f"tree is a {type(tree).__name__} without a group posterior; give draws from "
            "betterthan.posterior.draws or from a model's fit"
        )
    posterior = tree["posterior"].to_dataset().compute()  # which a file may hold in blocks
    for dim in ("chain", "draw", names.PAIR):
        if dim in posterior.coords and not posterior[dim].dims:
            label = f"{dim} {posterior[dim].item()!r} alone"
            raise ValueError(f"tree has {label}; select it as a list, .sel({dim}=[...])")
    if "constant_data" in tree.children:
        constant = tree["constant_data"].to_dataset()
        posterior = with_systems(_in_same_order(constant, posterior), constant)
    if posterior.attrs.get("square") and names.PAIR in posterior.dims:
        complete = are_all_pairs(*(posterior[k].values.tolist() for k in names.SQUARE))
        return posterior.assign_attrs(square=int(complete))  # of some pairs there is no square
    return posterior


def are_all_pairs(a: list[str], b: list[str]) -> bool:
    """Whether pairs are all of their systems, each in one direction."""
    systems = len({*a, *b})
    pairs = {frozenset(both) for both in zip(a, b, strict=True)}
    return len(pairs) == len(a) == systems * (systems - 1) // 2


def _in_same_order(constant: xr.Dataset, posterior: xr.Dataset) -> xr.Dataset:
    """Draws in the order of the data of the fit, which are joined by place; refused where draws of
    some are gone.
    """
    for dim in (names.SYSTEM, names.FEATURE):
        if dim not in posterior.indexes or dim not in constant.indexes:
            continue
        drawn, expected = (list(group[dim].values) for group in (posterior, constant))
        if drawn != expected:
            if lacking := [label for label in expected if label not in set(drawn)]:
                raise ValueError(
                    f"tree has no draws of {dim} {str(lacking[0])!r}, which its data have; keep "
                    "all draws, and select in the answer"
                )
            posterior = posterior.sel({dim: expected})
    for name, places in constant.data_vars.items():
        labels = places.attrs.get("labels")
        if labels is not None and list(constant[names.SYSTEM].values) != list(labels):
            raise ValueError(
                f"the systems of tree were put in another order, or left out, and {name} has their "
                "places; keep the tree as it was, and select in the answer"
            )
    return posterior


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
    if (draws == draws.isel(chain=0, draw=0)).all(("chain", "draw")).any():
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
    stats = tree["sample_stats"].to_dataset().compute()
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
        labels = [
            str(array[d].values[i])
            for d, i in zip(array.dims, np.unravel_index(k, array.shape), strict=True)
            if d in array.coords
        ]
        places.append((float(flat[k]), f"{name}[{', '.join(labels)}]" if labels else str(name)))
    return min(places, key=lambda p: (not np.isnan(p[0]), -p[0] if worst is np.nanmax else p[0]))


SAMPLES = ("chain", "draw")
_LONG = 2e8  # differences above which a bar is shown, some seconds


def better(d: np.ndarray, *, higher_is_better: bool = True) -> dict[str, np.ndarray]:
    """Who is better, from draws (chain, draw, pair) of differences A - B.

    Parameters
    ----------
    d : numpy.ndarray, (chain, draw, pair)
    higher_is_better : bool, default True
        If not, A is better where the difference is below 0.

    Returns
    -------
    dict of str to numpy.ndarray, (pair,)
        ``prob_better`` (equal draws count half), ``prob_better_mcse``, and ``ess`` of its
        indicator.
    """
    ahead = d if higher_is_better else -d
    p, number = share((ahead > 0) + 0.5 * (ahead == 0), d)
    return {"prob_better": p, "prob_better_mcse": probability_error(p, number), "ess": number}


def masses(d: np.ndarray, rope: float, *, higher_is_better: bool = True) -> dict[str, np.ndarray]:
    """``mass`` (pair, region) of B better, within the rope and A better, and ``mass_mcse``; see
    `better`.
    """
    ahead = d if higher_is_better else -d
    regions = (ahead < -rope, np.abs(ahead) <= rope, ahead > rope)
    parts = [share(region, d) for region in regions]
    mass, number = (np.stack(part, axis=-1) for part in zip(*parts, strict=True))
    return {"mass": mass, "mass_mcse": probability_error(mass, number)}


def sizes(d: np.ndarray, ci_prob: float, ci_kind: str) -> dict[str, np.ndarray]:
    """By how much, from draws (chain, draw, pair) of differences A - B.

    Returns
    -------
    dict of str to numpy.ndarray, (pair,)
        ``difference_mean``, ``difference_lower``, ``difference_upper`` and their ``*_mcse``; that
        of an end is of the quantile found there: a narrowest interval as a whole may slide by more.
    """
    parts = means(d)
    ordered = np.sort(d.reshape(-1, d.shape[-1]), axis=0)
    bounds = monte_carlo.sorted_interval(ordered, ci_prob, ci_kind)
    for key, end in zip(("lower", "upper"), bounds, strict=True):
        level, number = share(d <= end, d)
        parts[f"difference_{key}"] = end
        parts[f"difference_{key}_mcse"] = quantile_error(ordered, level, number)
    return parts


def means(d: np.ndarray, *, independent: bool = False) -> dict[str, np.ndarray]:
    """``difference_mean`` (pair,) and its ``difference_mean_mcse``, from draws (chain, draw, pair);
    their effective number is found from the chains, unless they are independent.
    """
    mean = d.reshape(-1, d.shape[-1]).mean(0)
    error = mean_error(d, independent=independent)
    return {"difference_mean": mean, "difference_mean_mcse": error}


def joint_pairs(
    draws: np.ndarray,
    answer: Callable[[np.ndarray], dict[str, np.ndarray]],
    difference: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Answers on every pair of joint draws, row by row: never draws x systems x systems at once.

    Parameters
    ----------
    draws : numpy.ndarray, (chain, draw, system)
    answer : function of (chain, draw, pair) to a dict of (pair, ...)
    difference : function of (chain, draw, 1) and (chain, draw, pair), optional
        An odd function of two systems' draws that rises with the first. Default: their
        difference.

    Returns
    -------
    dict of str to numpy.ndarray
        In the order of a square's upper triangle.
    """
    systems = draws.shape[-1]
    between = difference or np.subtract
    if systems == 1:  # one alone is in no pair
        return {key: v[:0] for key, v in answer(between(draws, draws)).items()}
    long = float(draws.size) * systems > _LONG
    # numpy is slow across the long side
    draws = np.moveaxis(np.ascontiguousarray(np.moveaxis(draws, -1, 0)), 0, -1)
    rows = [
        answer(between(draws[..., k : k + 1], draws[..., k + 1 :]))
        for k in with_bar(range(systems - 1), systems - 1, "pairs", long=long)
    ]
    return {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}


def ranks(draws: np.ndarray, *, independent: bool = False) -> dict[str, np.ndarray]:
    """Ranks from joint draws (chain, draw, system), of which the highest is the best.

    Returns
    -------
    dict of str to numpy.ndarray, (system,)
        ``prob_rank`` (system, rank), of which the first is ``prob_best``, and ``expected_rank``;
        ``*_mcse`` of each. Equal systems share their ranks.
    """
    flat = draws.reshape(-1, draws.shape[-1])
    counts = _places(flat) if independent else None
    if counts is not None:
        result = _ranks_from_places(counts, len(flat))
    else:
        best = _best_other(draws)
        rows = [_system_ranks(draws, best, k, independent) for k in range(draws.shape[-1])]
        result = {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}
    first = {f"prob_best{end}": result[f"prob_rank{end}"][:, 0] for end in ("", "_mcse")}
    return first | result


_HELD = 2**14  # numbers (draw, system) that are sorted at once


def _places(flat: np.ndarray) -> np.ndarray | None:
    """How often each system has each place (system, place), the best first; None where draws
    (draw, system) may be equal.

    The last bits of each number are replaced by its system, and the numbers sorted.
    """
    number, cells = flat.shape[1], np.empty(flat.shape, dtype=np.int64)
    systems = np.arange(number, dtype=np.uint64)
    bits, step = np.uint64(2 ** (number - 1).bit_length() - 1), max(1, _HELD // number)
    for start in range(0, len(flat), step):
        rows = slice(start, start + step)
        draws = flat[rows] + 0.0  # of which 0 has one sign
        if not np.isfinite(draws).all():
            return None
        keys = draws.view(np.uint64)
        keys &= ~bits
        keys |= systems
        draws.sort(axis=1)
        if (keys[:, 1:] ^ keys[:, :-1] <= bits).any():
            return None
        np.add(keys & bits, systems[::-1] * np.uint64(number), out=cells[rows], casting="unsafe")
    return np.bincount(cells.ravel(), minlength=number**2).reshape(number, number).T.copy()


def _ranks_from_places(counts: np.ndarray, draws: int) -> dict[str, np.ndarray]:
    """`ranks` of independent draws without ties, from how often each system has each place."""
    p, places = counts / draws, np.arange(1, len(counts) + 1)
    rank, squares = p @ places, p @ places**2.0
    spread = np.sqrt(np.maximum(squares - rank**2, 0.0) * draws / (draws - 1))
    return {
        "expected_rank": rank,
        "expected_rank_mcse": spread / np.sqrt(draws),
        "prob_rank": p,
        "prob_rank_mcse": probability_error(p, float(draws)),
    }


def _system_ranks(
    draws: np.ndarray, best: np.ndarray, k: int, independent: bool
) -> dict[str, np.ndarray]:
    """`ranks` of one system."""
    system = draws[..., k : k + 1]
    above, tied = (f(draws, system).sum(-1, keepdims=True) for f in (np.greater, np.equal))
    places = np.arange(draws.shape[-1])
    indicator = ((places >= above) & (places < above + tied)) / tied
    p, number = share(indicator, system - best[..., k : k + 1], independent)
    rank = above + (tied + 1) / 2
    return {
        "expected_rank": rank.mean((0, 1)),
        "expected_rank_mcse": mean_error(rank, independent=independent),
        "prob_rank": p[None],
        "prob_rank_mcse": probability_error(p, number)[None],
    }


def _best_other(draws: np.ndarray) -> np.ndarray:
    """Highest value among all other systems, (chain, draw, system)."""
    if draws.shape[-1] == 1:  # one alone is the best, and by itself
        return draws
    second, first = np.moveaxis(np.partition(draws, -2, axis=-1)[..., -2:], -1, 0)[..., None]
    is_top = np.arange(draws.shape[-1]) == draws.argmax(-1)[..., None]
    return np.where(is_top, second, first)


def share(
    indicator: np.ndarray, behind: np.ndarray, independent: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of indicators (chain, draw, column), and their effective sample size.

    For a constant indicator it is that of `behind`, the draws it was computed from. It is at most
    the number of draws.
    """
    total = indicator.shape[0] * indicator.shape[1]
    mean = indicator.mean((0, 1))
    number = np.full(mean.shape, float(total))
    if not independent:
        values = np.broadcast_to(behind, indicator.shape).astype(float)
        varies = indicator.min((0, 1)) != indicator.max((0, 1))
        values = np.where(varies, indicator, values)
        number = np.minimum(effective(values), total)
    return mean, number


def mean_error(draws: np.ndarray, *, independent: bool = False) -> np.ndarray:
    """Monte Carlo error of the mean of draws (chain, draw, column)."""
    flat = draws.reshape(-1, draws.shape[-1])
    number = len(flat) if independent else effective(draws)
    return flat.std(0, ddof=1) / np.sqrt(number)


def effective(draws: np.ndarray) -> np.ndarray:
    """Effective number of draws (chain, draw, column) for a mean; all of them, where unknown."""
    from betterthan.libraries import az

    array = xr.DataArray(draws.astype(float), dims=("chain", "draw", "column"))
    with np.errstate(invalid="ignore", divide="ignore"):
        number = az.ess(array, method="mean").values
    return np.where(np.isfinite(number), number, float(draws.shape[0] * draws.shape[1]))


def of_independent(
    d: np.ndarray, rope: float, ci_prob: float, ci_kind: str, *, higher_is_better: bool = True
) -> dict[str, np.ndarray]:
    """`better`, `masses` and `sizes` of independent draws (chain, draw, pair), without means and
    the number of draws: (pair, ...).
    """
    flat = d.reshape(-1, d.shape[-1])
    draws, count = len(flat), partial(np.count_nonzero, axis=0)
    minus, plus = count(flat < 0), count(flat > 0)
    lower, upper = (count(flat < -rope), count(flat > rope)) if rope else (minus, plus)
    if not higher_is_better:
        minus, plus, lower, upper = plus, minus, upper, lower
    p = (plus + 0.5 * (draws - minus - plus)) / draws
    mass = np.stack([lower, draws - lower - upper, upper], axis=-1) / draws
    parts = {"prob_better": p, "prob_better_mcse": probability_error(p, draws)}
    parts |= {"mass": mass, "mass_mcse": probability_error(mass, draws)}
    outside = draws - int(ci_prob * draws)
    ordered = _with_ordered_tails(flat, outside + int(2 * outside**0.5) + 4)
    bounds = monte_carlo.sorted_interval(ordered, ci_prob, ci_kind)
    places = [count(flat <= bound) for bound in bounds]
    if (places[0] > outside).any():  # many draws are equal: the errors need those between, too
        ordered = np.sort(flat, axis=0)
    for key, bound, place in zip(("lower", "upper"), bounds, places, strict=True):
        error = quantile_error(ordered, place / draws, np.full(place.shape, float(draws)))
        parts |= {f"difference_{key}": bound, f"difference_{key}_mcse": error}
    return parts


def _with_ordered_tails(flat: np.ndarray, number: int) -> np.ndarray:
    """Draws (draw, pair), of which this number of the lowest and of the highest are in order."""
    if 2 * number >= len(flat):
        return np.sort(flat, axis=0)
    ordered = flat.copy(order="K")
    # one place after the other: two at once would not be vectorized
    ordered.partition(len(flat) - number, axis=0)
    ordered[:-number].partition(number, axis=0)
    for tail in (ordered[:number], ordered[-number:]):
        tail.sort(axis=0)
    return ordered
