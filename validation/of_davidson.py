"""Evidence for the models of judgments: two systems against sums over a grid, and a published table
by maximum likelihood.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import optimize, special, stats

from betterthan import names
from betterthan.models import davidson, paired_judgments, shrinkage
from betterthan.models.sampling import Sampling
from validation import distances, refit
from validation.calibration import Form, Scalars, numbered, one_by_one
from validation.designs import Design, judgments_of

SYSTEMS, JUDGES, JUDGMENTS = 4, 3, 240
_MANY = Sampling(draws=2000)
_AS_REFITS = Sampling(draws=refit.DRAWS)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Both tie models."""
    rows = []
    for k, ties in enumerate(paired_judgments.TIE_MODELS):
        data = davidson.simulate(2, judgments=40, tie_model=ties, rng=seed + k)
        tree = davidson.fit(
            data, tie_model=ties, sampler="nuts", rng=seed, sampling=_MANY, predictive=False
        )
        counts = tree["constant_data"].to_dataset()["counts"].values[0]
        x = distances.drawn(tree, "ability").isel(system=0)
        rows.append({"ties": ties} | distances.from_weights(x, two_abilities(counts, ties)))
    return {"quadrature": rows, "published": published(reference["table"])}


def published(table: dict[str, Any]) -> dict[str, float]:
    """Abilities of most likelihood, ties next to impossible, which is Bradley-Terry, less the
    printed ones.
    """
    wins, printed = np.array(table["wins"]), np.array(table["ability"])
    a, b = np.triu_indices(len(wins), 1)

    def loss(ability: np.ndarray) -> float:
        d = ability[a] - ability[b]
        log = paired_judgments.log_probabilities(d, np.full(d.shape, -40.0), "davidson")
        return -float(wins[a, b] @ log[:, 0] + wins[b, a] @ log[:, 1])

    best = optimize.minimize(loss, np.zeros(len(wins)), method="BFGS").x
    return {"max_error_of_abilities": float(np.abs(best - best[-1] - printed).max())}


def two_abilities(counts: np.ndarray, ties: str) -> distances.Weighed:
    """Values of the first of two abilities and their posterior weights, the tie parameter and the
    spread summed out.
    """
    x = np.linspace(-6, 6, 801)
    tie = np.linspace(-9, 6, 601)
    log = paired_judgments.log_probabilities(*np.meshgrid(2 * x, tie, indexing="ij"), ties) @ counts
    log = special.logsumexp(log + stats.norm.logpdf(tie, *paired_judgments.PRIOR[ties]), axis=1)
    return x, distances.weights(log + ability_prior(x))


def ability_prior(x: np.ndarray) -> np.ndarray:
    """Log prior of the first of two abilities that sum to zero, its spread summed out."""
    level = (np.arange(400) + 0.5) / 400
    sd = stats.gamma.ppf(level, shrinkage.SHAPE, scale=1 / shrinkage.RATE) / np.sqrt(2)
    log = special.logsumexp(stats.norm.logpdf(x[:, None], 0, sd), axis=1)
    return np.asarray(log - np.log(len(sd)))


def fit_design(design: Design, seed: int) -> xr.DataTree:
    """One of the twenty designs at the default settings."""
    several = design.datasets > 1
    data = judgments_of(design, seed)
    return davidson.fit(
        data, position=several, judges=several, sampler="nuts", rng=seed, predictive=False
    )


Row = tuple[str, str, str]  # the first system, the second, the judge


def rows_of(data: xr.Dataset, *, judges: bool, position: bool) -> list[Row]:
    """A row for every pair before every judge, so that rows are the same for all data."""
    systems = [str(s) for s in data[names.SYSTEM].values]
    who = [f"j{k}" for k in range(JUDGES if judges else 1)]
    rows = [(a, b, j) for a in systems for b in systems for j in who if a != b]
    return [row for row in rows if position or row[0] < row[1]]


def full(data: xr.Dataset, rows: list[Row]) -> xr.Dataset:
    """One judgment for each row."""
    a, b, judge = zip(*rows, strict=True)
    columns = {"system_a": a, "system_b": b, "outcome": np.zeros(len(rows), dtype=int)}
    return xr.Dataset(
        {k: ("judgment", list(v)) for k, v in columns.items()},
        coords={names.SYSTEM: data[names.SYSTEM].values, "judge": ("judgment", list(judge))},
    )


def counted(data: xr.Dataset, rows: list[Row], *, judges: bool) -> np.ndarray:
    """Counts (row, outcome) of the judgments, rows in the order of the model."""
    place = {row: k for k, row in enumerate(sorted(rows))}
    counts = np.zeros((len(rows), 3), dtype=np.int64)
    judge = data["judge"].values if judges else ["j0"] * data.sizes["judgment"]
    columns = (data[k].values for k in ("system_a", "system_b", "outcome"))
    for a, b, outcome, j in zip(*columns, judge, strict=True):
        row = (str(a), str(b), str(j))
        if row not in place:
            row, outcome = (str(b), str(a), str(j)), -outcome
        counts[place[row], [2, 0, 1][int(outcome)]] += 1
    return counts


def _scalars(data: xr.Dataset, kept: tuple[str, ...]) -> Scalars:
    found = numbered(data, kept, most=2)
    return found | {"ability_1_less_2": found["ability_1"] - found["ability_2"]}


def _form(
    name: str,
    kept: tuple[str, ...],
    judges: bool,
    systems: int = SYSTEMS,
    judgments: int = JUDGMENTS,
    **choices: Any,
) -> Form:
    """With judges also with position."""
    shape = {"judges": JUDGES, "position": True} if judges else {}
    among = {"judges": judges, "position": judges}
    draw = partial(davidson.simulate, systems, judgments=judgments)
    return Form(
        name=name,
        model=davidson,
        simulate=one_by_one(partial(draw, **shape, **choices)),
        build=lambda t: davidson.build(full(t, rows_of(t, **among)), **among, **choices),
        data=lambda t: {"counts": counted(t, rows_of(t, **among), judges=judges)},
        scalars=partial(_scalars, kept=kept),
        weighted=lambda t, seed: davidson.fit(
            t,
            **among,
            **choices,
            sampler="laplace",
            sampling=_AS_REFITS,
            rng=seed,
            predictive=False,
        ),
    )


_OF_JUDGES = ("position", "judge_tie_sd", "judge_position_sd")
FORMS = (
    _form("davidson", ("ability", "ability_sd", "tie", *_OF_JUDGES), True),
    _form("rao_kupper", ("ability", "ability_sd", "tie"), False, tie_model="rao_kupper"),
)
LARGER = _form("larger", ("ability", "ability_sd", "tie"), False, 20, 1000)
