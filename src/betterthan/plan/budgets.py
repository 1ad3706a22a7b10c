"""Spend a budget: how many runs of each item, and how many human labels next to a judge."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from scipy import special

import betterthan
from betterthan import checks, names
from betterthan.counts.runs import RunSums, repeated_runs
from betterthan.counts.shapes import pair_indices, picked, square_from_pairs
from betterthan.exact.judged import best_ratio, mean_and_sd
from betterthan.exact.runs import best_runs, best_runs_range
from betterthan.judged.dataset import GOLD, JUDGED, SIGNAL, judged_counts
from betterthan.plan.answer import Plan
from betterthan.posterior.of_judged import judged_posterior, label_worth
from betterthan.text import named

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
    """Plan how many runs of how many items give the narrowest interval.

    A mean over n items with r runs has the variance (item + run / r) / n, and its interval is by
    Student's t with n - 1 degrees of freedom. More runs reduce only the second part of the
    variance, and new items both; a new item also costs something to make.

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
        Level of the interval to make narrow, and of the jackknife interval of the best number of
        runs.

    Returns
    -------
    Plan
        Over (system_a, system_b) if there are several pairs:

        - ``best``, ``best_lower``, ``best_upper``: number of runs with the least standard error at
          any budget, not rounded, with its interval over items; inf if items vary no more than the
          noise of their runs
        - ``item_variance``, ``run_variance``
        - ``best_runs``, ``best_items``, ``best_error``: whole numbers for the budget, and the
          standard error
        - ``n`` (runs), ``error`` (runs): items that the budget pays, and the standard error, for
          each number of runs; for one pair only

    Raises
    ------
    ValueError
        If neither data nor variances are passed, nothing varies, a cost is negative, or the budget
        pays fewer than two items.

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
    costs = _run_costs(cost_item, cost_run)
    if data is None:
        item, run = _assumed(item_variance, run_variance)
        limits, now, clusters = (np.full(1, np.nan),) * 2, None, 0
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
        unknown = np.flatnonzero(np.isnan(item + run))
        if len(unknown):
            of = [systems_present[int(p[unknown[0]])] for p in pairs] if pairs else systems_present
            raise ValueError(
                f"the variances of {named(of)} are unknown: they need two items with runs of "
                "each system, and an item that it runs twice; leave a system out with systems="
            )
        if not (item.any() or run.any()):
            raise ValueError("the scores vary neither over items nor over runs; nothing to plan")
        now = len(sums.items), float(sums.trials[sums.trials > 0].mean())
        budget = costs.of(*now) if budget is None else budget
        clusters = 0 if sums.unit is None else int(sums.unit.max()) + 1
    columns = {"best": best_runs(item, run, costs.item, costs.run)}
    columns |= {"best_lower": limits[0], "best_upper": limits[1]}
    columns |= {"item_variance": item, "run_variance": run}
    number = None
    if budget is not None:
        budget = checks.positive_real(budget, "budget")
        number, more = _for_budget(item, run, costs, budget, ci_prob)
        columns |= more
    result = _dataset(columns, number, systems_present)
    result.attrs = {"answer": "repeated runs", "version": betterthan.__version__}
    result.attrs |= {"cost_item": costs.item, "cost_run": costs.run, "ci_prob": ci_prob}
    result.attrs |= {} if budget is None else {"budget": float(budget)}
    result.attrs |= {"systems": systems_present} if systems_present else {}
    result.attrs |= {} if now is None else {"items_now": now[0], "runs_now": now[1]}
    result.attrs |= {"clusters": clusters} if clusters else {}
    lines = _run_lines(columns, result.attrs, costs)
    if clusters:
        lines.append(
            f"! Items come in {clusters} clusters, and this plan takes them as independent: its "
            "errors may be too small, and more items of the same clusters help less."
        )
    return Plan(result, tuple(lines))


def _run_costs(item: float, run: float) -> _Costs:
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
    of, _ = sums.of_systems() if pairs is None else sums.of_pairs()
    limits = sums.shares_of_runs(ci_prob, pairs=pairs is not None)
    return of.item, of.run, best_runs_range(of, limits, costs.item / costs.run)


def _for_budget(
    item: np.ndarray, run: np.ndarray, costs: _Costs, budget: float, ci_prob: float
) -> tuple[np.ndarray | None, dict[str, np.ndarray]]:
    """Whole numbers of runs, the items that a budget then pays, and the errors; the best numbers
    have the narrowest interval by Student's t, which few items widen.
    """
    number = np.arange(1, _MOST + 1)
    n = costs.items(budget, number)
    number, n = number[n >= 2], n[n >= 2]
    if not len(number):
        least = costs.of(2, 1)
        raise ValueError(f"budget is {budget:g}; two items with one run cost {least:g}")
    error = np.sqrt((item[:, None] + run[:, None] / number) / n)
    best = (error * special.stdtrit(n - 1, (1 + ci_prob) / 2)).argmin(1)
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
    columns: dict[str, np.ndarray], number: np.ndarray | None, systems: list[str]
) -> xr.Dataset:
    """Over pairs; of a single one over numbers of runs."""
    if len(columns["best"]) == 1:
        dims = {name: ("runs",) if values.ndim > 1 else () for name, values in columns.items()}
        variables = {name: (dims[name], values[0]) for name, values in columns.items()}
        return xr.Dataset(variables, coords={} if number is None else {"runs": number})
    by_pair = {name: values.astype(float) for name, values in columns.items()}
    variables = {k: (names.SQUARE, square_from_pairs(v, v, 0.0)) for k, v in by_pair.items()}
    return xr.Dataset(variables, coords=dict.fromkeys(names.SQUARE, systems))


def _run_lines(columns: dict[str, np.ndarray], attrs: dict[str, Any], costs: _Costs) -> list[str]:
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
        if "error" in columns and error > 1.001 * columns["error"][k].min():
            lines.append(
                "Its interval is the narrowest: with fewer items the standard error may be "
                "smaller, but the quantile of Student's t is larger."
            )
        if "items_now" in attrs:
            lines.append(_now(columns, attrs, k))
    if np.isinf(best).all():
        how = "estimated" if "items_now" in attrs else "assumed"
        lines.append(
            f"The {how} variance between items is 0, so the standard error depends on the number "
            "of all runs alone."
        )
        if not several and 1 < columns["best_lower"][0] < np.inf:
            lines.append(f"The best number of runs is {columns['best_lower'][0]:.1f} or more.")
        return lines
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
    data = f"{r:.3g} runs of each of {n:,} items"
    return f"The data, {data}, cost {cost:g}: standard error {error:.3g}."


LABELS = "labels"
_DOUBLINGS = 5  # labels to have in all, doubled so often


def gold(
    judged: xr.Dataset,
    *,
    cost_human: float | None = None,
    cost_judge: float | None = None,
    prior: Any = None,
    ci_prob: float = names.CI_PROB,
) -> Plan:
    """Plan human labels: the interval width with more labels, and which items to label next.

    Parameters
    ----------
    judged : xarray.Dataset
        Judged counts with a first few human labels, from `judged.count` or `judged.from_table`.
    cost_human, cost_judge : float, optional
        Costs of a human label and of a judge output, in any unit.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie. Default: all ones.
    ci_prob : float, default 0.95
        Level of the credible interval.

    Returns
    -------
    Plan
        Over (pair,):

        - ``n_gold``, ``n``: human labels, and all items
        - ``r2``: proportion of the variance of the truth that the judge output explains
        - ``effective_gold``: effective number of human labels
        - ``ceiling``: its limit as judged items grow in number
        - ``best_ratio``, with both costs: best number of judged items per human label for a budget;
          1 if labels without a judge are the better buy

        Over (pair, labels), the total number of human labels; nan where a pair has fewer items:

        - ``width``: width of the interval if labels are a random part of the judged items
        - ``width_chosen``: width if they are placed where they are most informative
        - ``next`` (signal): number of these labels for each value of the judge output

    Raises
    ------
    ValueError
        If the data are not judged counts, a cost is not positive, or one of the two costs is
        missing.

    Notes
    -----
    The widths are those of a normal interval with the exact standard deviation, if the truth of new
    labels has the proportions that are expected now. You may label some values of the judge output
    more than others, because only the truth for that value is learned from them. Within one value,
    choose the items at random.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.judged.from_table(
    ...     {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
    ... )
    >>> plan = bt.plan.gold(counts, cost_human=1, cost_judge=0.02)
    >>> plan["effective_gold"].values.round(1).tolist(), plan["ceiling"].values.round(1).tolist()
    ([77.6], [80.9])
    """
    data = judged_counts(judged)
    costs = _label_costs(cost_human, cost_judge)
    checks.probability(ci_prob, "ci_prob")
    pairs = judged_posterior(data, prior)
    values = label_worth(data, pairs)
    values["ceiling"] = values["n_gold"] / (1 - values["r2"])
    if costs:
        values["best_ratio"] = best_ratio(values["r2"], *costs)
    dataset = xr.Dataset({k: (names.PAIR, v) for k, v in values.items()}, _pair_coords(data))
    dataset = dataset.merge(_widths(data, pairs, ci_prob), join="exact")
    dataset.attrs = {"version": betterthan.__version__, "answer": "labels beside a judge"}
    dataset.attrs |= {"prior": list(checks.prior(prior)), "ci_prob": ci_prob}
    return Plan(dataset, _label_lines(dataset))


def _label_costs(human: float | None, judge: float | None) -> tuple[float, float] | None:
    if human is None and judge is None:
        return None
    if human is None or judge is None:
        missing = "cost_human" if human is None else "cost_judge"
        raise ValueError(f"{missing} is not given; give cost_human and cost_judge, or neither")
    costs = []
    for name, value in (("cost_human", human), ("cost_judge", judge)):
        costs.append(checks.real(value, name))
        if not (costs[-1] > 0 and np.isfinite(costs[-1])):
            raise ValueError(f"{name} is {costs[-1]:g}; give a positive number")
    return costs[0], costs[1]


def _pair_coords(data: xr.Dataset) -> dict[Any, Any]:
    return {k: data[k] for k in (names.PAIR, *names.SQUARE)}


def _widths(data: xr.Dataset, pairs: Any, ci_prob: float) -> xr.Dataset:
    """Compute interval widths by the total number of labels, nan where a pair has fewer items, and
    the allocation of the next ones.
    """
    n_labels, items = data[GOLD].values.sum((1, 2)), data[JUDGED].values.sum(1)
    totals = int(n_labels.max()) * 2 ** np.arange(_DOUBLINGS + 1)
    totals = totals[totals <= items.max()]
    unlabelled = data[JUDGED].values - data[GOLD].values.sum(1)
    more = (np.clip(total - n_labels, 0, items - n_labels) for total in totals)
    by_total = [_with_labels(pairs, unlabelled, labels) for labels in more]
    known = np.where(totals <= items[:, None], 1, np.nan)
    wide = 2 * special.ndtri((1 + ci_prob) / 2) * known
    random, chosen, following = (np.stack(part, axis=1) for part in zip(*by_total, strict=True))
    by = (names.PAIR, LABELS)
    parts = {"width": (by, wide * random), "width_chosen": (by, wide * chosen)}
    coords = _pair_coords(data) | {LABELS: totals, SIGNAL: data[SIGNAL].values}
    return xr.Dataset({**parts, "next": ((*by, SIGNAL), known[..., None] * following)}, coords)


def _with_labels(
    pairs: Any, bare: np.ndarray, more: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard deviations with so many labels more, at random and where they tell most, and how
    many of the latter each signal gets.
    """
    truth = pairs.cells / pairs.cells.sum(-1, keepdims=True)
    share = bare / np.maximum(bare.sum(-1, keepdims=True), 1)
    random = share * more[:, None]
    chosen = np.stack([_where(pairs, bare, k, int(number)) for k, number in enumerate(more)])
    cells = (pairs.cells + labels[..., None] * truth for labels in (random, chosen))
    sds = [mean_and_sd(k, pairs.size)[1] for k in cells]
    return sds[0], sds[1], chosen


def _where(pairs: Any, unlabelled: np.ndarray, k: int, number: int) -> np.ndarray:
    """Place labels one by one where they reduce the variance of pair `k` most."""
    cells, size = pairs.cells[k], pairs.size[k]
    n_labelled = cells.sum(-1)
    mean = (cells[:, 0] - cells[:, 1]) / n_labelled
    spread = size * (size + 1) * ((cells[:, 0] + cells[:, 1]) / n_labelled - mean**2)
    labels = np.zeros(size.size)
    for _ in range(number):
        gain = spread / ((n_labelled + labels + 1) * (n_labelled + labels + 2))
        labels[np.argmax(np.where(labels < unlabelled[k], gain, -1.0))] += 1
    return labels


def _label_lines(dataset: xr.Dataset) -> tuple[str, ...]:
    """The answer in words, pair by pair."""
    lines = []
    for k in range(dataset.sizes[names.PAIR]):
        pair = dataset.isel({names.PAIR: k})
        pair_name = str(pair[names.PAIR].item())
        if not pair["n_gold"]:
            lines.append(
                f"{pair_name}: none of {int(pair['n']):,} judged items has a human label, so "
                "nothing is known of how good the judge is. Label some first."
            )
            continue
        lines.append(
            f"{pair_name}: {int(pair['n_gold']):,} human labels among {int(pair['n']):,} judged "
            "items have an effective number of about "
            f"{pair['effective_gold'].item():,.0f} human labels; with ever more judged items, of "
            f"at most {pair['ceiling'].item():,.0f}."
        )
        if "best_ratio" in pair:
            ratio = pair["best_ratio"].item()
            how = f"{ratio:.1f} judged items per human label are"
            if ratio == 1:
                how = "human labels alone are"
            lines.append(f"At your costs, {how} the most informative.")
        if pair.sizes[LABELS] > 1 and pair["width"][1].notnull():
            lines.append(_doubled(pair.isel({LABELS: 1}), dataset.attrs["ci_prob"]))
    return tuple(lines)


def _doubled(pair: xr.Dataset, ci_prob: float) -> str:
    where = ", ".join(
        f"{int(number):,} more for {str(signal)!r}"
        for signal, number in zip(pair[SIGNAL].values, pair["next"].values, strict=True)
        if number > 0
    )
    random, chosen = (f"{pair[name].item():.2f}" for name in ("width", "width_chosen"))
    allocated = f"With the best allocation to judge outputs it is {chosen} ({where})"
    if random == chosen:
        allocated = "The best allocation to judge outputs makes it less than 0.01 narrower"
    return (
        f"With {int(pair[LABELS]):,} human labels in total, the {100 * ci_prob:g}% interval has a "
        f"width of {random} if their items are random. {allocated}."
    )
