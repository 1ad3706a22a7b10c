"""Does the critical difference hold on held-out items?

Run ``python -m validation.held_out_critical DATA``. As `validation.held_out` splits real tables,
some items are for training, and the rest show who is ahead. Of the pairs that are further apart on
the training items than their critical difference, how many are the other way round on the rest?
"""

import argparse
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from betterthan.significance.randomizing import randomization_test
from validation.held_out import SEED, SETTINGS, TABLES, Setting, systems_of

RESULTS = Path(__file__).parent / "results" / "held_out" / "critical.json"
LEVEL, SHUFFLES = 0.05, 999


def run(setting: Setting, values: np.ndarray) -> dict[str, Any]:
    """Counts of pairs over all splits, and the mean critical difference."""
    random = np.random.default_rng([SEED, zlib.crc32(setting.name.encode())])
    pairs = differ = reversed_ = even = 0
    critical = []
    for split in range(setting.splits):
        chosen = values[:, systems_of(setting, values, random)]
        order = random.permutation(len(chosen))
        training, rest = chosen[order[: setting.items]], chosen[order[setting.items :]]
        scores = xr.DataArray(
            training,
            dims=("item", "system"),
            coords={"system": [f"s{k}" for k in range(chosen.shape[1])]},
        )
        test = randomization_test(
            scores, correction="tukey", cutoff=LEVEL, shuffles=SHUFFLES, method="auto", rng=split
        )
        first, second = np.triu_indices(chosen.shape[1], 1)
        apart = test["difference"].values[first, second]
        ahead = np.sign(np.round(rest.mean(0)[first] - rest.mean(0)[second], 12))
        far = test["p_adjusted"].values[first, second] <= LEVEL
        critical.append(float(test["critical_difference"]))
        pairs, differ = pairs + len(far), differ + int(far.sum())
        reversed_ += int((far & (ahead == -np.sign(apart))).sum())
        even += int((far & (ahead == 0)).sum())
    return {
        "splits": setting.splits,
        "pairs": pairs,
        "differ": differ,
        "reversed": reversed_,
        "even": even,
        "critical": round(float(np.mean(critical)), 4),
    }


def main() -> None:
    """Run all settings."""
    parser = argparse.ArgumentParser(prog="python -m validation.held_out_critical")
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    results = {}
    for setting in SETTINGS:
        results[setting.name] = run(setting, TABLES[setting.table](data))
        print(setting.name, results[setting.name], flush=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
