"""Plan human labels next to a judge: how many, and on which items."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import special

import betterthan
from betterthan import checks, names
from betterthan.exact.judged import best_ratio, mean_and_sd
from betterthan.judged.dataset import GOLD, JUDGED, SIGNAL, judged_counts
from betterthan.plan.answer import Plan
from betterthan.posterior.of_judged import judged_posterior, label_worth

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
        - ``best_ratio``, with both costs: best number of judged items per human label for a budget

        Over (pair, labels), the total number of human labels:

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
    costs = _costs(cost_human, cost_judge)
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
    return Plan(dataset, _lines(dataset))


def _costs(human: float | None, judge: float | None) -> tuple[float, float] | None:
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
    """Compute interval widths by the total number of labels, and the allocation of the next
    ones.
    """
    n_labels = data[GOLD].values.sum((1, 2))
    least = int(n_labels.max())
    most = int(data[JUDGED].values.sum(1).min())
    totals = [m for m in least * 2 ** np.arange(_DOUBLINGS + 1) if m <= most]
    unlabelled = data[JUDGED].values - data[GOLD].values.sum(1)
    by_total = [_with_labels(pairs, unlabelled, total - n_labels) for total in totals]
    wide = 2 * special.ndtri((1 + ci_prob) / 2)
    random, chosen, following = (np.stack(part, axis=1) for part in zip(*by_total, strict=True))
    by = (names.PAIR, LABELS)
    parts = {"width": (by, wide * random), "width_chosen": (by, wide * chosen)}
    coords = _pair_coords(data) | {LABELS: totals, SIGNAL: data[SIGNAL].values}
    return xr.Dataset({**parts, "next": ((*by, SIGNAL), following)}, coords)


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
    sds = [
        mean_and_sd(pairs.cells + labels[..., None] * truth, pairs.size)[1]
        for labels in (random, chosen)
    ]
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


def _lines(dataset: xr.Dataset) -> tuple[str, ...]:
    """The answer in words, pair by pair."""
    lines = []
    for k in range(dataset.sizes[names.PAIR]):
        pair = dataset.isel({names.PAIR: k})
        pair_name = str(pair[names.PAIR].item())
        lines.append(
            f"{pair_name}: {int(pair['n_gold']):,} human labels among {int(pair['n']):,} judged "
            "items have an effective number of about "
            f"{pair['effective_gold'].item():,.0f} human labels; with ever more judged items, of "
            f"at most {pair['ceiling'].item():,.0f}."
        )
        if "best_ratio" in pair:
            lines.append(
                f"At your costs, {pair['best_ratio'].item():.1f} judged items per human label are "
                "the most informative."
            )
        if pair.sizes[LABELS] > 1:
            lines.append(_doubled(pair.isel({LABELS: 1}), dataset.attrs["ci_prob"]))
    return tuple(lines)


def _doubled(pair: xr.Dataset, ci_prob: float) -> str:
    where = ", ".join(
        f"{int(number):,} more for {str(signal)!r}"
        for signal, number in zip(pair[SIGNAL].values, pair["next"].values, strict=True)
        if number > 0
    )
    random, chosen = (f"{pair[name].item():.2f}" for name in ("width", "width_chosen"))
    allocated = (
        "No allocation to judge outputs makes it narrower"
        if random == chosen
        else f"With the best allocation to judge outputs it is {chosen} ({where})"
    )
    return (
        f"With {int(pair[LABELS]):,} human labels in total, the {100 * ci_prob:g}% interval has a "
        f"width of {random} if their items are random. {allocated}."
    )
