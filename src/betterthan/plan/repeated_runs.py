"""How many runs of how many items: the least standard error for a budget."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.counts.runs import RunSums, repeated_runs
from betterthan.counts.shapes import pair_indices, picked
from betterthan.exact.runs import best_runs, best_runs_range
from betterthan.plan.answer import Plan

_MOST = 10_000  # runs of an item that are tried
_LISTED = 10  # runs of an item in the table, at least


@dataclass(frozen=True)
class _Costs:
    """Of an item, and of one run of it in all systems."""

    item: float
    run: float

    def of(self, items: float, runs: float) -> float:
        """All of them."""
        return items * (self.item + runs * self.run)

    def items(self, budget: float, runs: np.ndarray) -> np.ndarray:
        """Whole items that a budget pays."""
        return np.floor(budget / (self.item + runs * self.run) * (1 + 1e-12))


@checks.one_system()
def runs(
    data: Any = None,
    *,
    cost_item: float = 1.0,
    cost_run: float = 1.0,
    budget: float | None = None,
    item_variance: float | None = None,
    run_variance: float | None = None,
    systems: Any = None,
    ci_prob: float = names.CI_PROB,
) -> Plan:
    """Plan how many runs of how many items give the least standard error.

    A mean over n items with r runs has the variance (item + run / r) / n. More runs reduce only its
    second part, and new items both; a new item also costs something to make.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset, optional
        Pilot: scores of repeated runs (item, system), or successes and trials. With one system the
        plan is for its mean; otherwise for the difference of every pair. Without it, pass both
        variances.
    cost_item : float, default 1
        Cost of a new item before it is run, such as writing and checking it. 0: items are free.
    cost_run : float, default 1
        Cost of one run of an item in all compared systems.
    budget : float, optional
        What items and runs may cost together. Default: the cost of the data.
    item_variance, run_variance : float, optional
        Variance between items (of the difference of a pair, without the noise of runs), and
        variance of one run (of a pair, the sum of both systems), in squared units of the score.
    systems : sequence of str, or mapping of str to str, optional
        Systems, as in `compare`.
    ci_prob : float, default 0.95
        Level of the jackknife interval of the best number of runs.

    Returns
    -------
    Plan
        Over (system_a, system_b) if there are several pairs:

        - ``best``, ``best_lower``, ``best_upper``: best number of runs, not rounded, with its
          interval over items; inf if items vary no more than the noise of their runs
        - ``item_variance``, ``run_variance``
        - ``best_runs``, ``best_items``, ``best_error``: whole numbers for the budget, and the
          standard error
        - ``n`` (runs), ``error`` (runs): items that the budget pays, and the standard error, for
          each number of runs; for one pair only

    Raises
    ------
    ValueError
        If neither data nor variances are passed, a cost is negative, or the budget pays fewer than
        two items.

    See Also
    --------
    betterthan.runs.noise : The variances, with standard errors.

    References
    ----------
    W. G. Cochran (1977), Sampling Techniques, 3rd ed., Wiley, section 10.6: the best number of
    second-stage units.

    Examples
    --------
    >>> plan = runs(item_variance=0.1, run_variance=0.2, cost_item=4, cost_run=1, budget=700)
    >>> print(plan.lines[0])
    For a budget of 700, the best is 3 runs of each of 100 items: standard error 0.0408.
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    costs = _costs(cost_item, cost_run)
    if data is None:
        item, run = _assumed(item_variance, run_variance)
        limits, pairs, now = (np.full(1, np.nan),) * 2, None, None
        systems_present: list[str] = []
    else:
        if item_variance is not None or run_variance is not None:
            raise ValueError(
                "variances come from the data; leave out item_variance= and run_variance="
            )
        sums = repeated_runs(picked(data, systems))
        systems_present = sums.systems
        pairs = pair_indices(len(systems_present)) if len(systems_present) > 1 else None
        item, run, limits = _variances(sums, pairs, costs, ci_prob)
        now = len(sums.items), float(sums.trials[sums.trials > 0].mean())
        budget = costs.of(*now) if budget is None else budget
    columns = {"best": best_runs(item, run, costs.item, costs.run)}
    columns |= {"best_lower": limits[0], "best_upper": limits[1]}
    columns |= {"item_variance": item, "run_variance": run}
    number = None
    if budget is not None:
        number, more = _for_budget(item, run, costs, checks.positive_real(budget, "budget"))
        columns |= more
    result = _dataset(columns, number, systems_present, pairs)
    result.attrs = {"answer": "repeated runs", "version": betterthan.__version__}
    result.attrs |= {"cost_item": costs.item, "cost_run": costs.run, "ci_prob": ci_prob}
    result.attrs |= {} if budget is None else {"budget": float(budget)}
    result.attrs |= {"systems": systems_present} if systems_present else {}
    result.attrs |= {} if now is None else {"items_now": now[0], "runs_now": now[1]}
    return Plan(result, tuple(_lines(columns, result.attrs, costs)))


def _costs(item: float, run: float) -> _Costs:
    item, run = checks.real(item, "cost_item"), checks.positive_real(run, "cost_run")
    if item < 0:
        raise ValueError(f"cost_item is {item:g}; give a number of at least 0")
    return _Costs(item and checks.positive_real(item, "cost_item"), run)


def _assumed(item: float | None, run: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Variances that are assumed."""
    if item is None or run is None:
        raise ValueError("give scores of repeated runs, or item_variance= and run_variance=")
    values = checks.real(item, "item_variance"), checks.real(run, "run_variance")
    for name, value in zip(("item_variance", "run_variance"), values, strict=True):
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} is {value:g}; give a number of at least 0")
    if not any(values):
        raise ValueError("item_variance and run_variance are both 0; nothing varies")
    return np.array(values[:1]), np.array(values[1:])


def _variances(
    sums: RunSums, pairs: Any, costs: _Costs, ci_prob: float
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Of items and runs, of each pair or of the only system, and limits of the best number."""
    if pairs is None:
        of, _ = sums.of_systems()
        parts = sums.means, sums.spread, sums.of_mean
    else:
        of, _ = sums.of_pairs()
        parts = sums.differences(*pairs)
    return of.item, of.run, best_runs_range(*parts, costs.item / costs.run, ci_prob)


def _for_budget(
    item: np.ndarray, run: np.ndarray, costs: _Costs, budget: float
) -> tuple[np.ndarray | None, dict[str, np.ndarray]]:
    """Whole numbers of runs, the items that a budget then pays, and the errors."""
    number = np.arange(1, _MOST + 1)
    n = costs.items(budget, number)
    number, n = number[n >= 2], n[n >= 2]
    if not len(number):
        least = costs.of(2, 1)
        raise ValueError(f"budget is {budget:g}; two items with one run cost {least:g}")
    error = np.sqrt((item[:, None] + run[:, None] / number) / n)
    best = error.argmin(1)
    columns = {
        "best_runs": number[best],
        "best_items": n[best],
        "best_error": error[np.arange(len(best)), best],
    }
    if len(item) > 1:
        return None, columns
    listed = number <= max(_LISTED, 2 * int(number[best].max()))
    columns |= {
        "n": np.broadcast_to(n[listed], (len(item), int(listed.sum()))),
        "error": error[:, listed],
    }
    return number[listed], columns


def _dataset(
    columns: dict[str, np.ndarray], number: np.ndarray | None, systems: list[str], pairs: Any
) -> xr.Dataset:
    """Over pairs; of a single one over numbers of runs."""
    if len(columns["best"]) == 1:
        dims = {name: ("runs",) if values.ndim > 1 else () for name, values in columns.items()}
        variables = {name: (dims[name], values[0]) for name, values in columns.items()}
        return xr.Dataset(variables, coords={} if number is None else {"runs": number})
    square = np.zeros((len(systems), len(systems)))
    variables = {}
    for name, values in columns.items():
        both = square.copy()
        both[pairs[0], pairs[1]] = both[pairs[1], pairs[0]] = values
        variables[name] = names.SQUARE, both
    return xr.Dataset(variables, coords=dict.fromkeys(names.SQUARE, systems))


def _lines(columns: dict[str, np.ndarray], attrs: dict[str, Any], costs: _Costs) -> list[str]:
    """The plan in words; of several pairs for the one with the largest error."""
    best, several = columns["best"], len(columns["best"]) > 1
    lines = []
    if "best_runs" in columns:
        k = int(np.argmax(columns["best_error"]))
        r, n, error = (columns[f"best_{name}"][k] for name in ("runs", "items", "error"))
        of = " of the pair with the largest error" if several else ""
        lines.append(
            f"For a budget of {attrs['budget']:g}, the best is {checks.numbered(int(r), 'run')} of "
            f"each of {n:,.0f} items: standard error {error:.3g}{of}."
        )
        if "items_now" in attrs:
            lines.append(_now(columns, attrs, k))
    if np.isinf(best).all():
        return [
            *lines,
            "Items vary no more than the noise of their runs: the more runs the better.",
        ]
    ranges = [float(np.min(best)), float(np.max(best))]
    each = f"{ranges[0]:.1f}" if not several else f"{ranges[0]:.1f} to {ranges[1]:.1f}"
    limits = ""
    if not several and not np.isnan(columns["best_lower"][0]):
        low, high = columns["best_lower"][0], columns["best_upper"][0]
        limits = f" [{low:.1f}, {'any number' if np.isinf(high) else f'{high:.1f}'}]"
    lines.append(
        f"If an item costs {costs.item:g} and a run {costs.run:g}, the best number of runs is "
        f"{each}{limits} at any budget."
    )
    return lines


def _now(columns: dict[str, np.ndarray], attrs: dict[str, Any], k: int) -> str:
    """What the data so far give."""
    n, r = attrs["items_now"], attrs["runs_now"]
    error = np.sqrt((columns["item_variance"][k] + columns["run_variance"][k] / r) / n)
    cost = n * (attrs["cost_item"] + r * attrs["cost_run"])
    return (
        f"The data, {r:g} runs of each of {n:,} items, cost {cost:g}: standard error {error:.3g}."
    )
