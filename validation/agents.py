"""Repeated runs of agents on Terminal-Bench: ``python -m validation.agents DATA``.

Computes the numbers of the guide on repeated runs: pass^k of the six leading agents, the noise of
their runs, plans, and how verdicts of half of the tasks hold on the other half. `DATA` is a table
of successes and trials (system, task), which is not part of the project; the results are.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import betterthan as bt
from betterthan.counts.runs import Reliability
from betterthan.exact.joint import units

RESULTS = Path(__file__).parent / "results" / "held_out" / "agents.json"
TOP, KS, SPLITS, FEWEST = 6, (1, 3, 5), 40, 60
_COSTS = (1, 4, 25)


def results(trials: xr.Dataset) -> dict[str, object]:
    """All numbers of the page."""
    share = trials["successes"].sum("item") / trials["trials"].sum("item")
    top = share.to_series().sort_values(ascending=False).index[:TOP].tolist()
    reliability = bt.runs.reliability(trials, systems=top, k=KS)
    complete = bt.runs.reliability(trials, systems=top, k=KS, missing="complete")
    noise = bt.runs.noise(trials, systems=top)
    every = bt.runs.noise(trials)
    plans = {cost: bt.plan.runs(trials, systems=top, cost_item=cost) for cost in _COSTS}
    upper = np.triu_indices(TOP, 1)
    item, run = (np.median(plans[1][f"{part}_variance"].values[upper]) for part in ("item", "run"))
    tasks = trials.sizes["item"]
    designs = {
        f"{tasks} x 5": (tasks, 5),
        f"{tasks} x 1": (tasks, 1),
        f"{5 * tasks} x 1": (5 * tasks, 1),
    }
    return {
        "systems": [
            {
                "system": system,
                **{f"pass^{k}": _estimate(reliability, k, str(system)) for k in KS},
                "se": _rounded(noise["error"].sel(system=system).item()),
                "se of runs": _rounded(noise["error_of_runs"].sel(system=system).item()),
                "mixed": _rounded(noise["mixed"].sel(system=system).item()),
            }
            for system in top
        ],
        "verdicts": {
            f"pass^{k}": int(np.isin(reliability["verdict"].sel(k=k).values[upper], _DECIDED).sum())
            for k in KS
        },
        "prob_best": {f"pass^{k}": _rounded(complete["prob_best"].sel(k=k).values) for k in KS},
        "ratio": _rounded(np.nanmedian((every["error"] / every["error_of_runs"]).values)),
        "best_runs": {str(cost): _rounded(np.sqrt(run * cost / item)) for cost in _COSTS},
        "designs": {
            name: _rounded(np.sqrt((item + run / r) / n)) for name, (n, r) in designs.items()
        },
        "held out": held_out(trials),
    }


def _rounded(values: Any) -> Any:
    """To four decimals."""
    return np.round(np.asarray(values, dtype=float), 4).tolist()


_DECIDED = ("a_better", "b_better")


def _estimate(reliability: bt.runs.Runs, k: int, system: str) -> list[float]:
    names = ("pass_k", "pass_k_lower", "pass_k_upper")
    return _rounded([reliability[name].sel(k=k, system=system).item() for name in names])


def held_out(trials: xr.Dataset) -> list[dict[str, object]]:
    """Of halves of the tasks: how often the difference in one half is within the error of that in
    the other, and how often a verdict of one names the system that is behind in the other.
    """
    random, rows = np.random.default_rng(20261126), []
    for k in KS:
        chances = Reliability(k).scores(trials, max(KS)).values
        within, decided, against, pairs = 0, 0, 0, 0
        for _ in range(SPLITS):
            first = random.permutation(len(chances)) % 2 == 0
            halves = [_pairs(chances[side]) for side in (first, ~first)]
            enough = np.minimum(halves[0].units, halves[1].units) >= FEWEST // 2
            one, other = (half.take(enough) for half in halves)
            difference = one.difference - other.difference
            law = units.PairMeans(
                difference,
                np.hypot(one.error, other.error),
                one.units + other.units,
                one.won,
                one.lost,
                one.df + other.df,
            )
            low, high = law.interval(0.95)
            within += int(((low <= 0) & (high >= 0)).sum())
            pairs += len(difference)
            for half, rest in ((one, other), (other, one)):
                p = half.prob_above()
                side = np.where(p >= 0.95, 1, np.where(half.prob_below() >= 0.95, -1, 0))
                decided += int((side != 0).sum())
                against += int((side * rest.difference < 0).sum())
        rows.append(
            {
                "quantity": f"pass^{k}",
                "pairs": pairs,
                "within": _rounded(within / pairs),
                "verdicts": _rounded(decided / (2 * pairs)),
                "against": _rounded(against / decided),
            }
        )
    return rows


def _pairs(chances: np.ndarray) -> units.PairMeans:
    present = ~np.isnan(chances)
    rows = np.arange(len(chances))
    return units.pair_means(
        np.nan_to_num(chances), present.astype(float), rows, most=1, skewed=True
    )


def main() -> None:
    """Write the results."""
    parser = argparse.ArgumentParser(description="repeated runs of agents on Terminal-Bench")
    parser.add_argument("data", type=Path)
    table = pd.read_csv(parser.parse_args().data)
    trials = bt.counts.trials_from_table(table, item="task")
    text = json.dumps(results(trials), indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
