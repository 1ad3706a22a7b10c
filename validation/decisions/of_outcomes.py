"""Functions that predict a response from features: false features, the kinds of R2, few groups, the
best of several sets, the beta of F.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import names, schemas
from betterthan.exact import labels as formulas
from betterthan.exact import regression
from betterthan.features.comparing import compare
from betterthan.features.fitting import performance_function
from betterthan.features.tables import fit_beta
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, rate

STEPWISE, CLUSTERED, BEST, BETA = "stepwise AIC", "CR2", "five sets", "fit_beta"
KINDS = {  # of R2, in words
    "r2": "R2 of the fit",
    "r2_held_out": "R2 held out, features as chosen",
    "r2_held_out_chosen": "R2 held out, nested",
    "true": "R2 of the function on new rows",
}
LEVEL = 0.05
_ROWS_OF_GROUP = 6
_FEW = 10  # features, up to which sets are fast
_TURNS = 40  # of a dialogue
_STABLE = 0.9
_ENDS = (1 / 31, 31)  # an interval beyond them is of the whole grid


@dataclass(frozen=True)
class Truth:
    """Normal features, a response of which the first has a slope, and raters that are rows."""

    rows: int
    features: int
    slope: float = 0.0
    raters: int = 1

    def draw(self, random: np.random.Generator) -> pd.DataFrame:
        """One table; raters of a dialogue see the same features and share most of the response."""
        dialogues = self.rows // self.raters
        x = random.standard_normal((dialogues, self.features))
        y = self.slope * x[:, 0] + random.standard_normal(dialogues)
        of = np.repeat(np.arange(dialogues), self.raters)
        noise = 0.5 * random.standard_normal(len(of)) if self.raters > 1 else 0.0
        columns = [f"x{k}" for k in range(self.features)]
        return pd.DataFrame(x[of], [f"d{k}" for k in of], columns).assign(y=y[of] + noise)


def _fitted(frame: pd.DataFrame, **how: Any) -> xr.Dataset:
    """A fit, without what is told of rows that repeat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = performance_function(frame, "y", **how).fit
    assert found is not None
    return found


def _played(truth: Truth, frame: pd.DataFrame, seed: int) -> Values:
    fit = _fitted(frame, rng=seed)
    slope = np.zeros(truth.features)
    slope[0] = truth.slope
    off = float(((fit["coefficient"].values - slope) ** 2).sum()) + float(fit["intercept"]) ** 2
    found = {name: np.array(float(fit[name])) for name in KINDS if name in fit}
    found["true"] = np.array(1 - (1 + off) / (1 + truth.slope**2))
    return found | {k: fit[k].values for k in ("chosen", "inclusion", "lower", "upper")}


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    each = [_played(truth, truth.draw(random), int(random.integers(2**31))) for _ in range(sets)]
    return {k: np.stack([one[k] for one in each]) for k in each[0]}


def _rates(truth: Truth, values: Values) -> list[Rate]:
    noise = slice(1 if truth.slope else 0, None)
    chosen, share, lower, upper = (
        values[k][:, noise] for k in ("chosen", "inclusion", "lower", "upper")
    )
    kept = chosen.astype(bool)
    found = [
        rate(STEPWISE, "chooses noise", kept.any(1)),
        rate(STEPWISE, "features of noise chosen", kept.sum(1)),
        coverage(STEPWISE, lower, upper, 0.0, of="a chosen noise's 0"),
        rate(STEPWISE, "chosen noise has inclusion .9 or more", share >= _STABLE, among=kept),
        rate(STEPWISE, "inclusion of chosen noise", share, among=kept),
        rate(STEPWISE, "inclusion of noise not chosen", share, among=~kept),
        *(rate(STEPWISE, says, values[name]) for name, says in KINDS.items()),
        rate(STEPWISE, "R2 held out, nested, above 0", values["r2_held_out_chosen"] > 0),
    ]
    if truth.slope:
        found.append(rate(STEPWISE, "inclusion of what predicts", values["inclusion"][:, 0]))
    return found


def _cell(truth: Truth) -> Cell:
    told = f"slope {truth.slope:g} of one" if truth.slope else "noise"
    return Cell(
        name=f"outcomes/{truth.rows} rows, {truth.features} features, {told}",
        truth=f"{truth.rows} rows of {truth.features} independent normal features; the response is "
        f"normal noise of sd 1 and {truth.slope:g} times the first",
        play=partial(_play, truth),
        rates=partial(_rates, truth),
        sets=400 if truth.features <= _FEW else 200,
        block=50,
        key_sets=2,
    )


def _play_raters(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    frames = [truth.draw(random) for _ in range(sets)]
    asked = {"grouped": None, "apart": names.ROW}
    return {
        way: np.array(
            [
                float(_fitted(frame, leave_out=by, resamples=1)["r2_held_out_chosen"])
                for frame in frames
            ]
        )
        for way, by in asked.items()
    }


def _rates_raters(values: Values) -> list[Rate]:
    told = {"grouped": "rows of one label together", "apart": 'leave_out="row"'}
    return [
        one
        for way, answer in told.items()
        for one in (
            rate(answer, "R2 held out, nested", values[way]),
            rate(answer, "R2 held out, nested, above 0", values[way] > 0),
        )
    ]


def _play_groups(groups: int, of_rows: bool, sets: int, random: np.random.Generator) -> Values:
    of, ends = np.repeat(np.arange(groups), _ROWS_OF_GROUP), []
    for _ in range(sets):
        own = random.standard_normal(len(of) if of_rows else groups)
        x = own if of_rows else own[of]
        y = random.standard_normal(groups)[of] + random.standard_normal(len(of))
        lower, upper = regression.fit(x[:, None], y, of).interval(names.CI_PROB)
        ends.append((lower[1], upper[1]))
    return dict(zip(("lower", "upper"), np.array(ends).T, strict=True))


def _rates_groups(values: Values) -> list[Rate]:
    return [coverage(CLUSTERED, values["lower"], values["upper"], 0.0, of="the coefficient")]


def _cell_groups(groups: int, of_rows: bool) -> Cell:
    whose = "rows" if of_rows else "groups"
    return Cell(
        name=f"outcomes/{groups} groups, feature of {whose}",
        truth=f"{groups} groups of {_ROWS_OF_GROUP} rows, a normal feature of {whose} and a normal "
        "response that has nothing to do with it; groups and rows within them have sd 1",
        play=partial(_play_groups, groups, of_rows),
        rates=_rates_groups,
        sets=2000,
    )


def _play_sets(rows: int, sets: int, random: np.random.Generator) -> Values:
    found = []
    for _ in range(sets):
        frame = Truth(rows, 15).draw(random)
        listed = {str(k): [f"x{3 * k + j}" for j in range(3)] for k in range(5)}
        one = compare(frame, "y", listed)
        found.append((one["r2_held_out_chosen"].max().item(), one["r2_held_out_best"].item()))
    return dict(zip(("best", "nested"), np.array(found).T, strict=True))


def _rates_sets(values: Values) -> list[Rate]:
    told = {"best": "the best of all", "nested": "chosen in every fold"}
    return [
        one
        for way, says in told.items()
        for one in (
            rate(BEST, f"R2 held out, {says}", values[way]),
            rate(BEST, f"R2 held out, {says}, above 0", values[way] > 0),
        )
    ]


def _cell_sets(rows: int) -> Cell:
    return Cell(
        name=f"outcomes/five sets of 3 features, {rows} rows",
        truth=f"{rows} rows, five sets of 3 normal features that have nothing to do with the "
        "response",
        play=partial(_play_sets, rows),
        rates=_rates_sets,
        sets=200 if rows <= 50 else 100,
        block=25,
        key_sets=1 if rows > 50 else 2,
    )


def _play_pair(
    rows: int,
    features: int,
    slopes: tuple[float, float],
    direction: str,
    sets: int,
    random: np.random.Generator,
) -> Values:
    """Two sets, each of which predicts by its first feature, with its slope."""
    listed = {k: [f"{k}{j}" for j in range(features)] for k in "ab"}
    found = []
    for _ in range(sets):
        x = random.standard_normal((rows, 2 * features))
        y = slopes[0] * x[:, 0] + slopes[1] * x[:, features] + random.standard_normal(rows)
        frame = pd.DataFrame(x, columns=listed["a"] + listed["b"]).assign(y=y)
        pair = compare(frame, "y", listed, direction=direction).isel(
            feature_set_a=0, feature_set_b=1
        )
        p, apart, upper = (
            pair[k].item() for k in ("p_value", "mse_difference", "mse_difference_upper")
        )
        # the paired t without the correction: its error is smaller by a known factor
        t = np.sqrt(1 + rows / (rows - 1)) * apart / (upper - apart) if upper > apart else 0.0
        plain = 2 * stats.t.sf(abs(t) * stats.t.ppf(0.975, rows - 1), rows - 1)
        found.append([p, plain])
    return dict(zip(("corrected", "plain"), np.array(found).T, strict=True))


def _rates_pair(equal: bool, values: Values) -> list[Rate]:
    told = {"plain": "paired t", "corrected": "corrected t"}
    says = f"p <= .05 of two {'equally good' if equal else 'unequal'} sets"
    nominal = LEVEL if equal else None
    return [rate(told[k], says, values[k] <= LEVEL, nominal) for k in told]


def _cell_pair(rows: int, features: int, slopes: tuple[float, float], direction: str) -> Cell:
    how = "chosen by AIC" if direction == "both" else "all kept"
    equal = slopes[0] == slopes[1]
    slope = f"slope {slopes[0]:g}" if equal else f"slopes {slopes[0]:g} and {slopes[1]:g}"
    return Cell(
        name=f"outcomes/two sets of {features}, {rows} rows, {slope}, {how}",
        truth=f"{rows} rows, two sets of {features} normal features, {how}; the first of each has "
        f"{slope}, noise sd 1",
        play=partial(_play_pair, rows, features, slopes, direction),
        rates=partial(_rates_pair, equal),
        sets=500,
        block=50,
        key_sets=2,
    )


def _play_beta(dialogues: int, slope: float, sets: int, random: np.random.Generator) -> Values:
    found = []
    for _ in range(sets):
        confusion = _confusion(dialogues, random)
        f = formulas.pooled(*schemas.confusion(confusion)[:2], 1.0)[:, 2]
        y = slope * (f - f.mean()) / f.std() + random.standard_normal(dialogues) / 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a negative slope is told
            one = fit_beta(confusion, y, average="pooled")
        found.append([float(one[k]) for k in ("lower", "upper", "slope")])
    return dict(zip(("lower", "upper", "slope"), np.array(found).T, strict=True))


def _confusion(dialogues: int, random: np.random.Generator) -> xr.DataArray:
    """Of two classes: dialogues differ in how much is right, and in how much is not answered."""
    shape, half = (dialogues, 2), _TURNS // 2
    right = random.binomial(half, random.uniform(0.3, 0.9, dialogues)[:, None], shape)
    wrong = random.binomial(half - right, random.uniform(0, 1, dialogues)[:, None])
    matrix = np.zeros((*shape, 2), dtype=int)
    for k in range(2):
        matrix[:, k, k], matrix[:, 1 - k, k] = right[:, k], wrong[:, k]
    dims = (names.DIALOGUE, names.PREDICTED, names.ACTUAL)
    labels = {names.PREDICTED: ["a", "b"], names.ACTUAL: ["a", "b"]}
    size = ((names.DIALOGUE, names.ACTUAL), np.full(shape, half))
    told: dict[Any, Any] = {names.DIALOGUE: np.arange(dialogues), "n_actual": size}
    return xr.DataArray(matrix, told | labels, dims)


def _rates_beta(slope: float, values: Values) -> list[Rate]:
    if slope:
        return [coverage(BETA, values["lower"], values["upper"], 1.0, of="beta")]
    whole = (values["lower"] < _ENDS[0]) & (values["upper"] > _ENDS[1])
    return [
        rate(BETA, "95 % interval is the whole grid", whole),
        rate(BETA, "slope below 0, with a warning", values["slope"] < 0),
    ]


def _cell_beta(dialogues: int, slope: float) -> Cell:
    how = "follows F of beta 1" if slope else "has nothing to do with F"
    return Cell(
        name=f"outcomes/beta, {dialogues} dialogues, slope {slope:g}",
        truth=f"{dialogues} dialogues of {_TURNS} turns; the response {how}"
        + (", its noise is half as wide" if slope else ""),
        play=partial(_play_beta, dialogues, slope),
        rates=partial(_rates_beta, slope),
        sets=100,
        block=50,
        key_sets=1,
    )


_STEPWISE = (
    Truth(20, 5),
    Truth(35, 10),
    Truth(35, 20),
    Truth(100, 20),
    Truth(35, 20, 0.6),
    Truth(20, 10, 1.0),
    Truth(100, 20, 0.4),
)
_RATED = Truth(48, 8, raters=4)
CELLS = (
    *(_cell(truth) for truth in _STEPWISE),
    Cell(
        name="outcomes/12 dialogues, 4 raters of each, noise",
        truth="12 dialogues of 4 raters, 8 normal features of dialogues that have nothing to do "
        "with the ratings, which share most of what is in them",
        play=partial(_play_raters, _RATED),
        rates=_rates_raters,
        sets=200,
        block=50,
        key_sets=2,
    ),
    *(_cell_groups(groups, of_rows) for of_rows in (False, True) for groups in (5, 8, 15, 40)),
    *(_cell_sets(rows) for rows in (20, 35, 100)),
    *(
        _cell_pair(rows, features, (slope, slope), direction)
        for rows in (20, 35, 60)
        for features in (3, 7)
        for slope, direction in ((0.0, "both"), (0.6, "both"), (0.6, "none"))
    ),
    *(_cell_pair(rows, 3, (1.0, 0.0), "both") for rows in (20, 35, 60)),
    *(_cell_beta(*shape) for shape in ((15, 1.0), (35, 1.0), (100, 1.0), (35, 0.0))),
)
