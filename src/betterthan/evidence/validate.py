"""Evidence that a model is right: ``python -m betterthan.evidence.validate NAME``.

Writes ``models/NAME/evidence.json`` and ``models/NAME/ranks.png``: simulation-based calibration,
coverage of its intervals, agreement of its PyMC fit with its closed form (or with quadrature, where
it has none), and the published numbers it must reproduce (``models/NAME/reference.toml``).
"""

import argparse
import datetime
import hashlib
import json
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.evidence import calibration, designs, prior_predictive
from betterthan.evidence.computed import computes
from betterthan.evidence.roster import ROSTER, Validation, validation_of

SEED = 20261120
LIBRARIES = ("betterthan", "pymc", "nutpie", "pytensor", "arviz", "numpy")
MODELS = tuple(row.name for row in ROSTER)


@dataclass(frozen=True)
class Run:
    """The numbers in print, how many simulations, the seed, and a folder to keep in what takes
    long.
    """

    reference: dict[str, Any]
    simulations: int
    seed: int
    keep: Path


def evidence(name: str, folder: Path, *, simulations: int | None, seed: int) -> dict[str, Any]:
    """Run everything for one model; draws the rank plot into `folder`."""
    row, key = validation_of(name), computes(name)
    simulations = simulations or row.simulations
    mark = hashlib.sha256(json.dumps([key, seed]).encode()).hexdigest()[:12]
    run = Run(
        reference=tomllib.loads((folder / "reference.toml").read_text("utf-8")),
        simulations=simulations,
        seed=seed,
        keep=folder.parent.parent / ".validation" / f"{name}-{mark}",
    )
    found = {
        "model": name,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": seed,
        "computes": key,
        "versions": {library: version(library) for library in LIBRARIES},
    } | collected(row, run)
    bars = {k: np.array(bar) for k, bar in found["calibration"]["histogram"].items()}
    ranks(name, bars, simulations, folder / "ranks.png")
    return found


def collected(row: Validation, run: Run) -> dict[str, Any]:
    """What the simulations and fits show; what takes long goes on where a run was stopped."""
    first, *others = row.forms
    keep = run.keep if row.fit_design is not None else None
    found = calibrated(first, run, keep)
    found |= {form.name: calibrated(form, run, keep) for form in others}
    found["agreement"] = row.agreement(run.reference, run.seed)
    if row.looks is not None:
        found["prior_predictive"] = prior_predictive.expected(first, row.looks, run.seed)
    if row.fit_design is not None:
        run.keep.mkdir(parents=True, exist_ok=True)
        kept = run.keep / "quality.json"
        found["quality"] = designs.qualities(row.fit_design, run.seed, kept)
    return found | row.beside()


def calibrated(form: calibration.Form, run: Run, keep: Path | None) -> dict[str, Any]:
    """Ranks and coverage of one form of a model."""
    simulations = max(run.simulations // form.part, 1)
    found = calibration.calibrate(form, simulations, run.seed, keep)
    told = calibration.summary(found, simulations) | form.design
    return {"calibration": told, "coverage": found.coverage}


def ranks(name: str, bars: dict[str, np.ndarray], simulations: int, path: Path) -> None:
    """Histogram of the ranks of each parameter, with the band that holds 99 % of bars when all is
    right.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.6 * len(bars), 2.4), layout="constrained")
    FigureCanvasAgg(figure)
    for k, (label, bar) in enumerate(bars.items()):
        axes = figure.add_subplot(1, len(bars), k + 1)
        _histogram(axes, bar, simulations)
        axes.set_title(label, fontsize=9)
    figure.axes[0].set_ylabel("simulations", fontsize=8)
    figure.suptitle(name, fontsize=10)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def _histogram(axes: Any, bar: np.ndarray, simulations: int) -> None:
    from scipy import stats

    low, high = stats.binom.interval(0.99, simulations, 1 / calibration.BINS)
    axes.axhspan(low, high, color="0.88", label="99 % of bars")
    axes.axhline(simulations / calibration.BINS, color="0.5", linewidth=1)
    axes.bar((np.arange(len(bar)) + 0.5) / len(bar), bar, width=0.9 / len(bar), color="#33608c")
    axes.set(xlim=(0, 1), ylim=(0, 2 * simulations / len(bar)))
    axes.set_xlabel("rank of the truth among the draws", fontsize=8)
    axes.tick_params(labelsize=7)


def main(arguments: list[str] | None = None) -> int:
    """Command line: validate one model and write its evidence."""
    chosen = _parser().parse_args(arguments)
    for name in MODELS if chosen.all else (chosen.name,):
        folder = chosen.output / name
        if not (folder / "reference.toml").is_file():
            print(
                f"no reference.toml in {folder}; run in a checkout of betterthan or give --output",
                file=sys.stderr,
            )
            return 2
        found = evidence(name, folder, simulations=chosen.simulations, seed=chosen.seed)
        (folder / "evidence.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(
            f"{name}: uniformity p {found['calibration']['uniformity_p']}, agreement "
            f"{found['agreement']}",
            flush=True,
        )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m betterthan.evidence.validate", description=__doc__
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", choices=MODELS)
    which.add_argument("--all", action="store_true", help="all models, one after the other")
    parser.add_argument("--simulations", type=int)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).resolve().parents[3] / "models"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
