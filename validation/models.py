"""Evidence that a model is right: ``python -m validation.models NAME``.

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

from validation import calibration, designs, prior_predictive
from validation.computed import computes
from validation.in_step import what_differs
from validation.roster import ROSTER, Validation, validation_of

SEED = 20261120
LIBRARIES = ("betterthan", "pymc", "nutpie", "pytensor", "arviz", "numpy")
MODELS = tuple(row.name for row in ROSTER)


@dataclass(frozen=True)
class Run:
    """The numbers in print, how many simulations (as many as the gate of ranks needs, unless told),
    the seed, and a folder to keep in what takes long.
    """

    reference: dict[str, Any]
    simulations: int | None
    seed: int
    keep: Path


def evidence(name: str, folder: Path, *, simulations: int | None, seed: int) -> dict[str, Any]:
    """Run everything for one model; draws the rank plot into `folder`."""
    row, key = validation_of(name), computes(name)
    run = _run(name, key, folder, simulations, seed)
    found: dict[str, Any] = {
        "model": name,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": seed,
        "computes": key,
        "versions": {library: version(library) for library in LIBRARIES},
    } | collected(row, run)
    ranks(name, found["calibration"], folder / "ranks.png")
    return found


def with_ranks(name: str, folder: Path, *, simulations: int | None, seed: int) -> dict[str, Any]:
    """The evidence there is, ranked anew: all else stands while the model computes what it did.

    Raises
    ------
    ValueError
        If the model no longer computes what the evidence is of.
    """
    row, found = validation_of(name), _of_the_same_model(name, folder)
    run = _run(name, found["computes"], folder, simulations, seed)
    found |= ranked(row, run)
    ranks(name, found["calibration"], folder / "ranks.png")
    return found


def with_larger(
    name: str, folder: Path, *, simulations: int | None, seed: int
) -> dict[str, Any] | None:
    """The evidence there is, with ranks on the larger design; nothing where the model has none.

    Raises
    ------
    ValueError
        If the model no longer computes what the evidence is of.
    """
    row = validation_of(name)
    if row.larger is None:
        return None
    found = _of_the_same_model(name, folder)
    run = _run(name, found["computes"], folder, simulations, seed)
    return found | {"larger": calibrated(row, row.larger, run)}


def with_weights(
    name: str, folder: Path, *, simulations: int | None, seed: int
) -> dict[str, Any] | None:
    """The evidence there is, with ranks of fits by weights; nothing where the model has none.

    Raises
    ------
    ValueError
        If the model no longer computes what the evidence is of, or weights are not to be trusted in
        a simulation.
    """
    row = validation_of(name)
    more = (row.larger,) if row.larger else ()
    forms = [form for form in (*row.forms, *more) if form.weighted]
    if not forms:
        return None
    found = _of_the_same_model(name, folder)
    return found | {
        "laplace": {form.name: _by_weights(row, form, simulations, seed) for form in forms}
    }


def _by_weights(
    row: Validation, form: calibration.Form, simulations: int | None, seed: int
) -> dict[str, Any]:
    number = simulations or row.simulations(form)
    found, k_hat = calibration.by_weights(form, number, seed)
    worst = {"largest": max(k_hat), "median": float(np.median(k_hat))}
    told = calibration.summary(found, number) | form.design
    return {"calibration": told, "coverage": found.coverage, "pareto_k": worst}


def _of_the_same_model(name: str, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "evidence.json").read_text("utf-8"))
    differs = what_differs(found["computes"], computes(name))
    if differs:
        raise ValueError(f"{differs}; validate {name} as a whole first")
    return found


def _run(name: str, key: dict[str, Any], folder: Path, simulations: int | None, seed: int) -> Run:
    mark = hashlib.sha256(json.dumps([key, seed]).encode()).hexdigest()[:12]
    return Run(
        reference=tomllib.loads((folder / "reference.toml").read_text("utf-8")),
        simulations=simulations,
        seed=seed,
        keep=folder.parent.parent / ".validation" / f"{name}-{mark}",
    )


def collected(row: Validation, run: Run) -> dict[str, Any]:
    """What the simulations and fits show; what takes long goes on where a run was stopped."""
    first = row.forms[0]
    found = ranked(row, run)
    found["agreement"] = row.agreement(run.reference, run.seed)
    if row.looks is not None:
        found["prior_predictive"] = prior_predictive.expected(first, row.looks, run.seed)
    if row.fit_design is not None:
        run.keep.mkdir(parents=True, exist_ok=True)
        kept = run.keep / "quality.json"
        found["quality"] = designs.qualities(row.fit_design, run.seed, kept)
    return found | row.beside()


def ranked(row: Validation, run: Run) -> dict[str, Any]:
    """Ranks and coverage of all forms of a model; those of the first stand without its name."""
    first, *others = row.forms
    found = calibrated(row, first, run)
    return found | {form.name: calibrated(row, form, run) for form in others}


def calibrated(row: Validation, form: calibration.Form, run: Run) -> dict[str, Any]:
    """Ranks and coverage of one form of a model."""
    told = run.simulations
    simulations = row.simulations(form) if told is None else max(told // form.part, 1)
    found = calibration.calibrate(form, simulations, run.seed, run.keep)
    told = calibration.summary(found, simulations) | form.design
    return {"calibration": told, "coverage": found.coverage}


def ranks(name: str, told: dict[str, Any], path: Path) -> None:
    """Histogram of the ranks of each parameter, with the band that holds 99 % of bars when all is
    right.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    bars = {k: np.array(bar) for k, bar in told["histogram"].items()}
    figure = Figure(figsize=(2.6 * len(bars), 2.4), layout="constrained")
    FigureCanvasAgg(figure)
    for k, (label, bar) in enumerate(bars.items()):
        axes = figure.add_subplot(1, len(bars), k + 1)
        _histogram(axes, bar, told["simulations"])
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
        make = _MADE[chosen.part]
        try:
            found = make(name, folder, simulations=chosen.simulations, seed=chosen.seed)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        if found is None:
            print(f"{name}: {_WITHOUT[chosen.part]}")
            continue
        (folder / "evidence.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        for form, told in _told(name, found, chosen.part).items():
            print(f"{form}: {told['pooled']}, uniformity p {told['uniformity_p']}", flush=True)
    return 0


def _told(name: str, found: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    """The calibrations that were run, by form."""
    if part == "laplace":
        return {form: own["calibration"] for form, own in found["laplace"].items()}
    return {name: found["larger"]["calibration"] if part == "larger" else found["calibration"]}


_WITHOUT = {"larger": "has no larger design", "laplace": "is not fitted by weights"}
_MADE = {
    "all": evidence,
    "larger": with_larger,
    "ranks": with_ranks,
    "laplace": with_weights,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m validation.models", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", choices=MODELS)
    which.add_argument("--all", action="store_true", help="all models, one after the other")
    parser.add_argument("--simulations", type=int, help="default: as many as the gate needs")
    part = parser.add_mutually_exclusive_group()
    helps = {
        "larger": "rank on the larger design alone, and add that",
        "ranks": "rank anew alone; all else stands",
        "laplace": "rank fits by weights alone, and add that",
    }
    for key, told in helps.items():
        part.add_argument(f"--{key}", action="store_const", dest="part", const=key, help=told)
    parser.set_defaults(part="all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).resolve().parents[1] / "models"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
