"""Evidence that a model is right: ``python -m betterthan.evidence.validate NAME``.

Writes ``models/NAME/evidence.json`` and ``models/NAME/ranks.png``: simulation-based calibration,
coverage of its intervals, agreement of its PyMC fit with its closed form (or with quadrature, where
it has none), and the published numbers it must reproduce (``models/NAME/reference.toml``).
"""

import argparse
import datetime
import hashlib
import importlib
import json
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.evidence import calibration, designs, joint_agreement, mallows, regression, slopes
from betterthan.evidence import joint as joint_evidence
from betterthan.evidence.computed import computes
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.exact.wins.beta import prob_above_half, prob_greater
from betterthan.models import of_pairs
from betterthan.models.sampling import Sampling

SEED = 20261120
DRAWS = 2000
JOINT = ("clustered", "davidson", "graded", "hierarchical", "item_response")
# a second one of a model
FORMS = {"hierarchical": "crossed", "davidson": "rao_kupper", "item_response": "trials"}
SIMULATIONS, JOINT_SIMULATIONS = 1000, 200  # unless told; those of joint models take seconds each
MODELS = (
    "beta_binomial",
    "clustered",
    "davidson",
    "dirichlet_multinomial",
    "graded",
    "hierarchical",
    "independent_betas",
    "item_response",
    "mallows",
    "performance_function",
    "subject_slopes",
)
LIBRARIES = ("betterthan", "pymc", "nutpie", "pytensor", "arviz", "numpy")
# (win, loss, tie): none, few, many, one-sided, all ties, nearly equal, and the two published cases
GRID = [
    *[(w, l, t) for w in (0, 1, 5, 30) for l in (0, 2, 25) for t in (0, 100)],
    *[
        (1000, 0, 0),
        (0, 1000, 0),
        (0, 0, 1000),
        (0, 1, 10_000),
        (500, 500, 0),
        (100_000, 99_500, 1),
    ],
    *[(12, 2, 986), (210, 200, 590)],
]


def agreement(model: ModuleType, published: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Fit the grid and the published cases at once, and compare with the closed form and with
    print.
    """
    import arviz as az

    grid = [(*case["counts"], 0)[:3] for case in published] + GRID
    counts = _pairs(grid)
    tree = model.fit(counts, sampling=Sampling(draws=DRAWS), rng=seed, predictive=False)
    posterior = tree["posterior"].to_dataset()
    exact = model.closed_form(counts)
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    better = (margin > 0).astype(float)
    ess = az.ess(better, method="mean").clip(max=better.sizes["chain"] * better.sizes["draw"])
    z = probability_z(exact.values, better.mean(("chain", "draw")).values, ess.values)
    looked_at = posterior[[v for v in posterior.data_vars if v != "difference"]]
    worst = int(np.abs(z).argmax())
    found = {
        "pairs": len(grid),
        "draws": DRAWS * names.CHAINS,
        "max_abs_z_probability": float(np.abs(z).max()),
        "worst_counts": list(grid[worst]),
        "max_abs_error_probability": float(
            np.abs(better.mean(("chain", "draw")).values - exact.values).max()
        ),
        "max_abs_z_mean": _mean_z(looked_at, np.array(grid)),
        "rhat_max": _extreme(az.rhat(looked_at), np.max),
        "ess_min": min(_extreme(az.ess(looked_at, method=m), np.min) for m in ("bulk", "tail")),
        "divergences": int(tree["sample_stats"]["diverging"].sum()),
    }
    k = len(published)
    return {"grid": found, "published": _published(published, exact.values[:k], z[:k])}


def approximation_error() -> list[dict[str, Any]]:
    """On one test set the independent Betas are an approximation: by how much they miss the exact
    answer.
    """
    cases = [
        (12, 2, 1000),
        (210, 200, 1000),
        (60, 50, 1000),
        (60, 50, 200),
        (60, 50, 110),
        (5, 2, 20),
        (9, 1, 10),
    ]
    rows = []
    for wins, losses, n in cases:
        betas = float(
            prob_greater(
                *(np.array(float(v)) for v in (1 + wins, 1 + n - wins, 1 + losses, 1 + n - losses))
            )
        )
        exact = float(prob_above_half(np.array(1.0 + wins), np.array(1.0 + losses)))
        rows.append(
            {
                "counts": [wins, losses, n - wins - losses],
                "independent": betas,
                "exact": exact,
                "error": betas - exact,
            }
        )
    return rows


def evidence(name: str, folder: Path, *, simulations: int, seed: int) -> dict[str, Any]:
    """Run everything for one model; draws the rank plot into `folder`."""
    model = importlib.import_module(f"betterthan.models.{name}")
    reference = tomllib.loads((folder / "reference.toml").read_text("utf-8"))
    found = {
        "model": name,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": seed,
        "computes": computes(name),
        "versions": {library: version(library) for library in LIBRARIES},
    }
    collectors = {
        "mallows": mallows,
        "performance_function": regression,
        "subject_slopes": slopes,
    }
    if name in JOINT:
        found |= joint(model, name, reference, folder, simulations=simulations, seed=seed)
    elif name in collectors:
        found |= collectors[name].collect(model, reference, simulations=simulations, seed=seed)
    else:
        calibrated = calibration.calibrate(model, simulations, seed)
        found["calibration"] = calibration.summary(calibrated, simulations)
        found["calibration"]["examples_per_pair"] = list(calibration.EXAMPLES)
        found |= {
            "coverage": calibrated.coverage,
            "agreement": agreement(model, reference["case"], seed),
        }
    if name == "independent_betas":
        found["error_on_one_test_set"] = approximation_error()
    bars = {k: np.array(bar) for k, bar in found["calibration"]["histogram"].items()}
    ranks(name, bars, simulations, folder / "ranks.png")
    return found


def joint(
    model: ModuleType,
    name: str,
    reference: dict[str, Any],
    folder: Path,
    *,
    simulations: int,
    seed: int,
) -> dict[str, Any]:
    """Evidence of a model beyond two systems; calibration and the twenty designs go on where a run
    was stopped.
    """
    mark = hashlib.sha256(json.dumps([computes(name), seed]).encode()).hexdigest()[:12]
    keep = folder.parent.parent / ".validation" / f"{name}-{mark}"
    keep.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    for form in filter(None, (name, FORMS.get(name))):
        calibrated = joint_evidence.calibrate(form, simulations, seed, keep)
        part = {
            "calibration": calibration.summary(calibrated, simulations),
            "coverage": calibrated.coverage,
        }
        found |= part if form == name else {form: part}
    found["agreement"] = joint_agreement.collect(model, name, reference, seed)
    found["prior_predictive"] = joint_evidence.prior_predictive(name, seed)
    rows = (
        json.loads((keep / "quality.json").read_text()) if (keep / "quality.json").is_file() else []
    )
    for place in range(len(rows), len(designs.DESIGNS)):
        rows.append(designs.quality(name, place, seed))
        (keep / "quality.json").write_text(json.dumps(rows))
    return found | {"quality": rows}


def ranks(name: str, bars: dict[str, np.ndarray], simulations: int, path: Path) -> None:
    """Histogram of the ranks of each parameter, with the band that holds 99 % of bars when all is
    right.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from scipy import stats

    figure = Figure(figsize=(2.6 * len(bars), 2.4), layout="constrained")
    FigureCanvasAgg(figure)
    low, high = stats.binom.interval(0.99, simulations, 1 / calibration.BINS)
    for k, (label, bar) in enumerate(bars.items()):
        axes = figure.add_subplot(1, len(bars), k + 1)
        axes.axhspan(low, high, color="0.88", label="99 % of bars")
        axes.axhline(simulations / calibration.BINS, color="0.5", linewidth=1)
        axes.bar((np.arange(len(bar)) + 0.5) / len(bar), bar, width=0.9 / len(bar), color="#33608c")
        axes.set(
            title=label,
            xlabel="rank of the truth among the draws",
            xlim=(0, 1),
            ylim=(0, 2 * simulations / len(bar)),
        )
        axes.title.set_fontsize(9)
        axes.xaxis.label.set_fontsize(8)
        axes.tick_params(labelsize=7)
    figure.axes[0].set_ylabel("simulations", fontsize=8)
    figure.suptitle(name, fontsize=10)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def main(arguments: list[str] | None = None) -> int:
    """Command line: validate one model and write its evidence."""
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
    chosen = parser.parse_args(arguments)
    for name in MODELS if chosen.all else (chosen.name,):
        folder = chosen.output / name
        if not (folder / "reference.toml").is_file():
            print(
                f"no reference.toml in {folder}; run in a checkout of betterthan or give --output",
                file=sys.stderr,
            )
            return 2
        usual = JOINT_SIMULATIONS if name in JOINT else SIMULATIONS
        found = evidence(name, folder, simulations=chosen.simulations or usual, seed=chosen.seed)
        (folder / "evidence.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(
            f"{name}: uniformity p {found['calibration']['uniformity_p']}, agreement "
            f"{found['agreement']}",
            flush=True,
        )
    return 0


def _pairs(grid: list[tuple[int, ...]]) -> xr.DataArray:
    coords = of_pairs.simulated(len(grid)) | {names.OUTCOME: list(names.OUTCOMES)}
    return xr.DataArray(np.array(grid), dims=(names.PAIR, names.OUTCOME), coords=coords)


def _mean_z(posterior: xr.Dataset, counts: np.ndarray) -> float:
    """Largest distance of a posterior mean from its closed form, in Monte Carlo standard errors."""
    import arviz as az

    wins, losses, n = counts[:, 0], counts[:, 1], counts.sum(1)
    expected = {
        "theta": (counts + 1) / (n + 3)[:, None],
        "p": (wins + 1) / (wins + losses + 2),
        "p_win": (wins + 1) / (n + 2),
        "p_loss": (losses + 1) / (n + 2),
    }
    z = [
        np.abs(
            (v.mean(("chain", "draw")).values - expected[str(k)]) / az.mcse(v, method="mean").values
        ).max()
        for k, v in posterior.data_vars.items()
    ]
    return float(max(z))


def _published(cases: list[dict[str, Any]], exact: np.ndarray, z: np.ndarray) -> dict[str, Any]:
    printed = np.array([case["p_better"] for case in cases])
    half_unit = 0.5 * 10.0 ** -np.array([case["decimals"] for case in cases])
    return {
        "cases": len(cases),
        "reproduced_by_closed_form": int((np.abs(exact - printed) <= half_unit * (1 + 1e-9)).sum()),
        "max_abs_z_probability": float(np.abs(z).max()),
    }


def _extreme(values: Any, pick: Any) -> float:
    return float(pick([pick(v.values) for v in values.data_vars.values()]))


if __name__ == "__main__":
    sys.exit(main())
