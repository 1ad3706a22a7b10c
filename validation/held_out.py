"""Who is ahead on items that were held out? ``python -m validation.held_out DATA``.

Splits real tables of scores at random: some items are for training, the rest show who is ahead.
Three answers see the training items alone, and their probabilities are scored on the rest:
``joint``, the posterior of all systems; ``pairwise``, the closed form of each pair; ``normal``,
each pair drawn towards 0 by one normal prior whose spread is estimated by moments. Pairs that tie
on the rest are left out, and counted.

DATA is a folder with the tables, which are not ours to publish; the numbers are, and stand in
``validation/results/held_out/tables.json``. Seeds are fixed.
"""

import argparse
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan.exact.joint.abilities import Abilities, Evidence
from validation.decisions import of_many
from validation.decisions.tables_of_items import Scores

RESULTS = Path(__file__).parent / "results" / "held_out" / "tables.json"
SEED = 20261124
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)  # of the probability of the favored system
_LEAST = 1e-12


@dataclass(frozen=True)
class Setting:
    """A table, how many items are for training, and which systems: all, the best, or some."""

    table: str
    items: int
    systems: int = 0  # 0: all
    choice: str = "all"
    splits: int = 20

    @property
    def name(self) -> str:
        """In words."""
        which = f"{self.systems} {self.choice}" if self.systems else "all"
        return f"{self.table}, {self.items} items, {which}"


SETTINGS = (
    Setting("swebench_verified", 100, 20, "random"),
    Setting("swebench_verified", 50, 40, "random"),
    Setting("swebench_verified", 50, 60, "random", 10),
    Setting("swebench_verified", 100, 60, "random", 10),
    Setting("swebench_verified", 100, 40, "best", 12),
    Setting("swebench_verified", 250, 40, "best", 12),
    Setting("swebench_verified", 50, 10, "best"),
    Setting("swebench_verified", 100, splits=10),
    Setting("swebench_verified", 250, splits=10),
    Setting("hint3 sofmattress", 100),
    Setting("hint3 curekart", 100),
    Setting("hint3 powerplay11", 100),
    Setting("terminalbench", 44, splits=10),
    Setting("terminalbench", 44, 20, "best"),
    Setting("wmt_mqm_ted", 50),
    Setting("wmt_mqm_ted", 250),
    Setting("langchain_tool_use", 10, splits=30),
    Setting("conll2003", 100, splits=30),
)


def _hint3(folder: Path, name: str) -> np.ndarray:
    table = pd.read_csv(folder / "hint3" / f"{name}.csv.gz")
    systems = [column for column in table if f"{column}_score" in table]
    told = {
        one: table[one].where(table[f"{one}_score"] >= 0.3, "NO_NODES_DETECTED") for one in systems
    }
    return np.stack([(told[one] == table["label"]).to_numpy(float) for one in systems], axis=1)


def _swebench(folder: Path) -> np.ndarray:
    table = pd.read_csv(folder / "swebench_verified" / "swebench_verified.csv.gz", index_col=0)
    return table.to_numpy(float)


def _terminalbench(folder: Path) -> np.ndarray:
    table = pd.read_csv(folder / "terminalbench" / "terminalbench_trials.csv.gz")
    table["share"] = table["successes"] / table["trials"]
    return table.pivot(index="task", columns="system", values="share").dropna().to_numpy()


def _wmt(folder: Path) -> np.ndarray:
    table = pd.read_csv(folder / "wmt_mqm_ted" / "ted_ende.csv.gz")
    wide = table.pivot_table(index=["doc", "seg"], columns="system", values="mqm")
    return -wide.dropna().to_numpy()


def _langchain(folder: Path) -> np.ndarray:
    return pd.read_csv(folder / "langchain_tool_use" / "langchain_tool_use.csv").to_numpy(float)


def _conll(folder: Path) -> np.ndarray:
    """F1 of each document."""
    table = pd.read_csv(folder / "conll2003_ner" / "conll2003_documents.csv.gz")
    sums = table.groupby(["doc", "system"])[["tp", "fp", "fn"]].sum()
    f1 = 2 * sums["tp"] / (2 * sums["tp"] + sums["fp"] + sums["fn"])
    return f1.unstack("system").dropna().to_numpy()


TABLES: dict[str, Callable[[Path], np.ndarray]] = {
    "swebench_verified": _swebench,
    "hint3 sofmattress": lambda folder: _hint3(folder, "sofmattress"),
    "hint3 curekart": lambda folder: _hint3(folder, "curekart"),
    "hint3 powerplay11": lambda folder: _hint3(folder, "powerplay11"),
    "terminalbench": _terminalbench,
    "wmt_mqm_ted": _wmt,
    "langchain_tool_use": _langchain,
    "conll2003": _conll,
}


def answers(training: np.ndarray) -> dict[str, np.ndarray]:
    """P(first better), (pair,), of each way to answer."""
    scores = Scores(values=training, unit=np.arange(len(training)), truth=np.zeros(0))
    of = of_many.evidence_of(scores)
    right_or_wrong = np.isin(training, (0, 1)).all()
    alone = (of_many.alone if right_or_wrong else of_many.on_units)(scores)["better"]
    joint = Abilities.fit(of).pairs(0.95, "eti", 0.0).better
    return {"joint": joint, "pairwise": alone, "normal": normal(of)}


def normal(of: Evidence) -> np.ndarray:
    """Each pair drawn towards 0 by a normal prior of differences, its variance by moments."""
    square, d = of.error**2, of.error * of.pairwise.z
    spread = max(0.0, float((d**2 - square).mean()))
    return special.ndtr(of.pairwise.z * np.sqrt(spread / (spread + square)))


Answer = Callable[[np.ndarray], dict[str, np.ndarray]]


def run(setting: Setting, values: np.ndarray, answer: Answer = answers) -> dict[str, Any]:
    """Scores of each answer: means over splits, and differences from pairwise with their errors."""
    random = np.random.default_rng([SEED, zlib.crc32(setting.name.encode())])
    losses: dict[str, list[float]] = {}
    briers: dict[str, list[float]] = {}
    stated: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    pairs = ties = 0
    for _ in range(setting.splits):
        chosen = values[:, systems_of(setting, values, random)]
        order = random.permutation(len(chosen))
        training, rest = chosen[order[: setting.items]], chosen[order[setting.items :]]
        first, second = np.triu_indices(chosen.shape[1], 1)
        ahead = np.sign(np.round(rest.mean(0)[first] - rest.mean(0)[second], 12))
        counts = ahead != 0
        pairs, ties = pairs + len(ahead), ties + int((~counts).sum())
        truth = (ahead[counts] + 1) / 2
        for name, better in answer(training).items():
            p = np.clip(better[counts], _LEAST, 1 - _LEAST)
            log = -np.where(truth > 0, np.log(p), np.log1p(-p))
            losses.setdefault(name, []).append(float(log.mean()))
            briers.setdefault(name, []).append(float(((p - truth) ** 2).mean()))
            held = np.where(p > 0.5, truth, 1 - truth)
            stated.setdefault(name, []).append((np.maximum(p, 1 - p), held))
    return {
        "splits": setting.splits,
        "pairs": pairs,
        "ties": ties,
        "answers": {name: _summary(losses, briers[name], stated[name], name) for name in losses},
    }


def systems_of(setting: Setting, values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Places of the systems; the best are those on all items, the same for every answer."""
    if not setting.systems:
        return np.arange(values.shape[1])
    if setting.choice == "best":
        return np.argsort(-values.mean(0), kind="stable")[: setting.systems]
    return random.choice(values.shape[1], setting.systems, replace=False)


def _summary(
    losses: dict[str, list[float]],
    brier: list[float],
    stated: list[tuple[np.ndarray, np.ndarray]],
    name: str,
) -> dict[str, Any]:
    loss = np.array(losses[name])
    apart = loss - np.array(losses.get("pairwise", losses[name]))
    p, held = (np.concatenate(part) for part in zip(*stated, strict=True))
    place = np.clip(np.searchsorted(BINS, p, side="right") - 1, 0, len(BINS) - 2)
    each = [place == k for k in range(len(BINS) - 1)]
    reliability = [
        [int(at.sum()), *(round(float(x[at].mean()), 4) for x in (p, held))]
        for at in each
        if at.any()
    ]
    return {
        "log_loss": round(float(loss.mean()), 5),
        "over_pairwise": round(float(apart.mean()), 5),
        "error": round(float(apart.std(ddof=1) / np.sqrt(len(apart))), 5),
        "brier": round(float(np.mean(brier)), 5),
        "reliability": reliability,  # pairs, stated, ahead on the rest
    }


def main() -> None:
    """Run all settings whose table is there; others keep their numbers."""
    parser = argparse.ArgumentParser(prog="python -m validation.held_out", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("only", nargs="?", default="")
    chosen = parser.parse_args()
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for setting in SETTINGS:
        if not setting.name.startswith(chosen.only):
            continue
        found = run(setting, TABLES[setting.table](chosen.data))
        before = kept.get(setting.name, {}).get("answers", {}).get("joint until 0.1")
        if before:  # of a model that is no more
            found["answers"]["joint until 0.1"] = before
        kept[setting.name] = found
        told = {name: one["log_loss"] for name, one in found["answers"].items()}
        print(setting.name, told, flush=True)
        ordered = {one.name: kept[one.name] for one in SETTINGS if one.name in kept}
        RESULTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
