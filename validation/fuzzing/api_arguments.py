"""Right arguments of every public function, odd values, and how a message may name an argument."""

import datetime
import functools
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import betterthan as bt
from betterthan.gating.inputs import CHOICES as OF_GATE
from betterthan.reading.read import ReadOptions

HUGE = 10**400  # no float, and no int of an array

VALUES = {
    "None": lambda: None,
    "10**400": lambda: HUGE,
    "2**62": lambda: 2**62,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1e308": lambda: 1e308,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "empty text": lambda: "",
    "a word": lambda: "x",
    "a long text": lambda: "x" * 5000,
    "two lines": lambda: "two\nlines",
    "bytes": lambda: b"x",
    "True": lambda: True,
    "1j": lambda: 1j,
    "a class": lambda: str,
    "an object": object,
    "a function": lambda: lambda *_: 0,
    "a date": lambda: datetime.date(2026, 1, 1),
    "an empty list": list,
    "an empty dict": dict,
    "a set": lambda: {1},
    "a generator": lambda: (k for k in range(2)),
    "a list of all kinds": lambda: [None, "x", HUGE, 1j],
    "a dict of 10**400": lambda: {"x": HUGE, 1: object()},
    "a NumPy number": lambda: np.int64(-3),
    "an empty array": lambda: np.array([]),
    "an empty frame": pd.DataFrame,
    "a frame of objects": lambda: pd.DataFrame({"x": [object(), HUGE]}),
    "an array of wrong dims": lambda: xr.DataArray(np.zeros((2, 2, 2)), dims=("a", "b", "c")),
    "a Dataset": lambda: xr.Dataset({"x": ("y", [1.0, 2.0])}),
}


# right arguments


def _array(values, *systems, **coords):
    named = {"system": list(systems)} | {k: ("item", v) for k, v in coords.items()}
    return xr.DataArray(values, dims=("item", "system"), coords=named)


def counts():
    return bt.counts.from_table({("A", "B"): (12, 6, 22)})


def of_three():
    return bt.counts.from_table(
        {("A", "B"): (9, 8, 3), ("A", "C"): (15, 2, 3), ("B", "C"): (9, 5, 6)}
    )


def scores():
    return _array([[1, 0], [1, 0], [1, 1], [0, 0], [1, 0], [0, 1]], "A", "B")


def missing():
    return _array(np.array([[1.0, 1.0]] * 12 + [[0.0, np.nan]] * 6), "A", "B")


def folds():
    return _array([[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]], "A", "B")


def repeated():
    rows = [[1, 0], [1, 1], [0, 0], [1, 0], [0, 1], [1, 0]]
    return _array(rows, "A", "B", item=list("aabbcc"), epoch=[1, 2] * 3)


def fit_of_runs():
    data = bt.models.repeated.simulate(9, systems=2, trials=2, rng=1)
    draws = data[["ability", "mean", "difficulty_sd", "trial_correlation"]]
    noise = np.random.default_rng(1).normal(1, 0.1, size=(4, 500))
    draws = draws * xr.DataArray(noise, dims=("chain", "draw"))
    posterior = draws.assign_attrs(model="repeated")
    return xr.DataTree.from_dict({"posterior": posterior, "constant_data": data})


def tallies():
    rows = [("A", 1, 30, 5, 5), ("B", 1, 25, 9, 9), ("A", 2, 20, 5, 8), ("B", 2, 27, 4, 9)]
    columns = ["system", "item", "tp", "fp", "fn"]
    return bt.io.tallies_from_table(pd.DataFrame(rows, columns=columns))


def frame():
    return pd.DataFrame({"item": ["q1", "q2", "q3"], "A": [1, 0, 1], "B": [1, 1, 0]})


def of_one_system(right=40):
    return pd.DataFrame({"item": range(60), "score": [1] * right + [0] * (60 - right)})


def ratings():
    return [list("aabbbcac"), list("aabbcccc")]


def table():
    return pd.DataFrame(
        {
            "subject": list("aaabbbccc"),
            "text": list("xyz") * 3,
            "tau": [0, 0.5, 1] * 3,
            "bin": list("uvw") * 3,
            "time": [9, 8, 6, 7, 7, 5.5, 9, 7, 8],
        }
    )


def two_groups():
    table = {"subject": range(8), "system": ["new"] * 4 + ["old"] * 4}
    return pd.DataFrame(table | {"rating": [5, 4, 4, 5, 2, 3, 4, 2]})


def features():
    table = {"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2]}
    return pd.DataFrame(table | {"rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})


def labels():
    table = {"gold": list("abab"), "A": list("aabb"), "B": list("abab")}
    return bt.labels.read(pd.DataFrame(table))


def confusion():
    return bt.labels.confusion_matrix(list("aabbab"), list("abbbaa"))


def confusions():
    by = [k for k in range(6) for _ in range(4)]
    predicted = list("aabbabbbaaaabbbbababbabb")
    return bt.labels.confusion_matrix(list("aabb") * 6, predicted, by=by)


def orders():
    return {"ref": list("abcd"), "A": list("abdc"), "B": list("bcda")}


def documents():
    return {f"d{k}": orders() for k in range(4)}


def preferences():
    return pd.DataFrame({"gold": [0.9, 0.5], "p1": [0.2, 0.7], "p2": [0.1, 0.5]}, ["d1", "d2"])


def judged():
    cells = ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))
    return bt.judged.from_table({("A", "B"): cells})


def judgments():
    rows = {"system_a": "new", "system_b": "old", "judge": ["new", "old", "tie", "new"]}
    return pd.DataFrame(rows).assign(human=["new", "", "old", ""])


def named_votes():
    rows = {"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]}
    return pd.DataFrame(rows | {"who": ["x", "y"]})


def clustered_votes():
    return votes().assign_coords(cluster=("judgment", np.arange(30) // 3))


@functools.cache
def votes():
    return bt.models.davidson.simulate(3, judgments=30, judges=2, position=True, rng=1)


@functools.cache
def folder_of_logs():
    folder = Path(tempfile.mkdtemp(prefix="logs", dir=Path.cwd()))
    for system, both in [("old", (1.0, 0.2)), ("new", (0.9, 0.4))]:
        text = "".join(f"map\tq{k}\t{score}\n" for k, score in enumerate(both, 1))
        (folder / f"{system}.txt").write_text(text)
    return folder


@functools.cache
def logs():
    return bt.read_logs(folder_of_logs())


@functools.cache
def comparison():
    return bt.compare(of_three(), rope=0.01)


@functools.cache
def saved():
    path = Path.cwd() / "saved.nc"
    comparison().save(path)
    return str(path)


@functools.cache
def tree():
    return bt.posterior.draws(counts(), draws=100, rng=1)


@functools.cache
def function():
    return bt.features.performance_function(features(), "rating", resamples=20, rng=1)


@functools.cache
def simulated(model, part, *sizes, **choices):
    made = getattr(bt.models, model).simulate(*sizes, rng=1, **choices)
    return made if part is None else made[part]


@functools.cache
def tests():
    return bt.randomization_test(_array([[3, 2, 1]] * 5, *"ABC"), shuffles=50, rng=1)


def axes():
    from matplotlib.figure import Figure

    return Figure().subplots()


# by the name of the parameter
SHARED = {
    "counts": counts,
    "scores": scores,
    "data": counts,
    "tallies": tallies,
    "orders": orders,
    "reference": "ref",
    "ratings": ratings,
    "tree": tree,
    "confusion": confusion,
    "labels": labels,
    "features": features,
    "response": "rating",
    "plan": lambda: bt.plan.assurance([20, 50], design=(6, 3, 11)),
    "rng": 1,
    "draws": 60,
    "shuffles": 60,
    "resamples": 20,
    "simulations": 60,
    "items": 5,
    "path": "x.txt",
    "n_max": 60,
    "difference": 0.15,
    "ax": axes,
    "x": lambda: [0.1, 0.4, 0.5, 0.9, 1.0],
    "y": lambda: [2, 3, 3, 5, 4],
}
_CASE = {"both_right": 69, "only_a": 12, "only_b": 2, "both_wrong": 28}
_SLOPES = {"table": table, "response": "time", "predictor": "tau"}
_FACTOR = {"table": table, "response": "time", "factor": "bin"}
_REGRESSION = {"features": features, "response": "rating"}
_DOCUMENTS = {"orders": documents}
SMALL = {"draws": 60, "tune": 20, "chains": 2}


def _of(model, part, *sizes, **choices):
    return lambda: simulated(model, part, *sizes, **choices)


DATA = {  # of each model
    "clustered": {"counts": _of("clustered", "counts", 6)},
    "davidson": {"data": votes},
    "graded": {"scores": lambda: _array(np.arange(24.0).reshape(12, 2) % 7, "A", "B")},
    "hierarchical": {"counts": _of("hierarchical", "counts", 3)},
    "item_response": {"data": repeated},
    "judge": {"counts": judged},
    "mallows": {"data": _of("mallows", None, 4)},
    "performance_function": _REGRESSION,
    "repeated": {"data": repeated},
    "subject_slopes": _SLOPES,
}
SIZES = {
    "beta_binomial": {"n": 20},
    "clustered": {"count": 6},
    "davidson": {"systems": 3, "judgments": 20},
    "dirichlet_multinomial": {"n": 20},
    "graded": {"items": 9},
    "hierarchical": {"datasets": 3, "n": 9},
    "independent_betas": {"n": 20},
    "item_response": {"items": 9},
    "judge": {"n": 20, "gold": 5},
    "mallows": {"documents": 4},
    "performance_function": {"n": 20},
    "repeated": {"items": 9},
    "subject_slopes": {"subjects": 5},
}
# by function, where it is not that of the name of the parameter
OWN = {
    "advise": {"data": frame},
    "audit": {"source": scores},
    "compare": {"data": scores},
    "count": {"data": scores},
    "gate": {"baseline": of_one_system, "candidate": lambda: of_one_system(39), "margin": 0.1},
    "load": {"path": saved},
    "randomization_test": {"data": scores},
    "read": {"source": frame},
    "read_logs": {"source": lambda: str(folder_of_logs())},
    "report": {"answers": comparison, "path": "x.md"},
    "signature": {"answer": comparison},
    "counts.apply_ties": {"ties": "half"},
    "counts.from_contingency": _CASE,
    "counts.from_measures": {"measures": bt.datasets.diag_measures},
    "counts.from_table": {"table": lambda: {("A", "B"): (12, 2, 986)}},
    "counts.missing_by_difficulty": {"scores": missing},
    "counts.to_pairs": {"square": counts},
    "counts.to_square": {"pairs": lambda: bt.counts.to_pairs(counts())},
    "counts.trials": {"scores": repeated},
    "counts.trials_from_table": {
        "table": lambda: pd.DataFrame(
            {"system": ["A", "B"], "item": ["q", "q"], "successes": [4, 2], "trials": [5, 5]}
        )
    },
    "datasets.contingency_case": {"case": "a"},
    "datasets.example_fit": {"name": "davidson"},
    "datasets.muc6_similarity": {"task": "named_entity"},
    "features.compare": {"sets": lambda: {"scores": ["f"], "length": ["words"]}},
    "features.compare_learners": {"learners": lambda: {"AIC": "both", "forward": "forward"}},
    "features.fit_beta": {
        "confusion": confusions,
        "response": lambda: [0.1, 0.4, 0.2, 0.8, 0.5, 1],
    },
    "features.learning_gain": {"pre": lambda: [0.5, 0.6], "post": lambda: [0.75, 0.6]},
    "features.predict": {
        "tree": lambda: example_fit("performance_function"),
        "components": lambda: {"A": {"x0": 1.0, "x1": 0.5}, "B": {"x0": 0.0, "x1": 0.5}},
    },
    "features.PerformanceFunction": {"intercept": 1.0, "coefficients": lambda: {"f": 2.0}},
    "features.PerformanceFunction.from_coefficients": {
        "intercept": 1.0,
        "coefficients": lambda: {"f": 2.0},
    },
    "features.PerformanceFunction.predict": {"component": lambda: {"f": 1.0, "words": 2.0}},
    "fits.adopt": {"idata": tree},
    "fits.compare": {"tree": lambda: example_fit("hierarchical")},
    "fits.leave_one_dataset_out": {"counts": _of("hierarchical", "counts", 3)},
    "fits.loo": {"trees": lambda: {m: example_fit(m) for m in ("davidson", "rao_kupper")}},
    "fits.reliability": {"tree": fit_of_runs},
    "fits.transitivity": {"tree": lambda: example_fit("davidson")},
    "io.read_judgments": {"source": named_votes, "judge": "who"},
    "io.tallies_from_table": {
        "table": lambda: pd.DataFrame(
            {"system": ["A", "B"], "doc": ["d", "d"], "tp": [3, 1], "fp": [1, 0], "fn": [0, 2]}
        )
    },
    "judged.count": {"frame": judgments, "judge": "judge", "human": "human"},
    "judged.from_table": {
        "table": lambda: {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
    },
    "judged.prediction_powered": {
        "judge": lambda: [0.3, 0.6, 0.1, 0.4, 0.5, 0.2],
        "human": lambda: [0.2, 0.5, -0.1, 0.4, np.nan, np.nan],
    },
    "labels.confusion_matrix": {
        "gold": lambda: list("aabb"),
        "predicted": lambda: list("abbb"),
        "labels": lambda: list("ab"),
    },
    "labels.from_table": {
        "table": lambda: pd.DataFrame({"a": [8, 2], "b": [1, 5]}, index=["a", "b"])
    },
    "labels.read": {"source": lambda: pd.DataFrame({"gold": list("ab"), "A": list("aa")})},
    "labels.read_confusion": {
        "source": lambda: pd.DataFrame({"predicted": ["a", "b"], "a": [8, 1], "b": [0, 5]})
    },
    "logs.Logs": {"records": lambda: logs().records, "runs": lambda: logs().runs},
    "logs.write": {"logs": logs, "path": "records.csv"},
    "models.davidson.by_cluster": {"judgments": clustered_votes},
    "orders.agreement": {"orders": orders},
    "orders.compare": _DOCUMENTS,
    "orders.from_lists": {"lists": orders},
    "orders.from_ranks": {
        "table": lambda: pd.DataFrame({"a": [1, 2], "b": [2, 1]}, index=["j", "k"])
    },
    "orders.posterior": _DOCUMENTS,
    "orders.preference_accuracy": {
        "scores": lambda: {"A": preferences(), "B": 1 - preferences()},
        "reference": "gold",
    },
    "orders.read": {
        "source": lambda: pd.DataFrame({"judge": ["1", "2"], "order": ["b > a", "a > b"]})
    },
    "orders.reference_rank": {
        "scores": lambda: [0.5, 0.3, 0.2],
        "orders": lambda: ["ab", "ba", "bb"],
        "reference": "ba",
    },
    "orders.stimuli": {
        "references": lambda: {f"text {k}": list("ABCDE") for k in range(3)},
        "edges": 4,
    },
    "orders.tau_scores": _DOCUMENTS,
    "orders.tau_test": _DOCUMENTS,
    "people.agreement": {
        "ratings": lambda: pd.DataFrame([[1, 2, 3, 4], [2, 2, 3, 4], [4, 3, 2, 2]])
    },
    "people.anova": _FACTOR,
    "people.bin_by": {
        "values": lambda: [5, 6, 2, 3],
        "score": lambda: [0.9, 0.7, -0.5, -0.2],
        "edges": lambda: [-1, 0, 1],
    },
    "people.mann_whitney": {"table": two_groups, "response": "rating", "factor": "system"},
    "people.slopes": _SLOPES,
    "people.winsorise": {"times": lambda: [1.0, 1.1, 0.9, 1.0, 9.0, 1.2], "by": lambda: ["a"] * 6},
    "plan.Plan": {"data": lambda: SHARED["plan"]().data},
    "plan.assurance": {"n": lambda: [20, 50]},
    "plan.cluster_power": {"sd": 0.6, "icc": 0.1, "clusters": 10, "size": 20},
    "plan.foresee": {"until": 80},
    "plan.gold": {"judged": judged},
    "plan.items_needed": {"most": 200},
    "plan.mcnemar_power": {"n": 20},
    "plan.micro_macro": {"data": _of("hierarchical", "counts", 3)},
    "plan.outlook": {"comparison": comparison},
    "plan.sign_power": {"n": 20},
    "plot.boundary": {"plan": lambda: bt.plan.stopping_boundary(60, looks=5)},
    "plot.cliques": {"data": comparison},
    "plot.coefficients": {"source": function},
    "plot.cross_check": {"checked": lambda: bt.fits.cross_check(counts(), tree())},
    "plot.differences": {"data": comparison},
    "plot.leaderboard": {"data": comparison},
    "plot.noise": {"runs": lambda: bt.runs.noise(repeated())},
    "plot.predictions": {"function": function},
    "plot.ranks": {"data": lambda: bt.scores.bootstrap(scores(), draws=60, rng=1)},
    "plot.reliability": {"runs": lambda: bt.runs.reliability(repeated(), k=(1, 2))},
    "plot.rope_curve": {"data": comparison},
    "plot.scores": {"tallies": tallies},
    "plot.tau": {"scores": lambda: bt.orders.tau_scores(documents(), "ref")},
    "plot.tau_bins": {"edges": 4},
    "posterior.cdf": {"x": lambda: [-0.5, 0, 0.5]},
    "posterior.decisive_density": {"p": lambda: [0.25, 0.5]},
    "posterior.missing_bounds": {"scores": missing},
    "posterior.pdf": {"x": lambda: [-0.5, 0.0]},
    "posterior.ppf": {"q": lambda: [0.1, 0.9]},
    "posterior.sf": {"delta": 0.01},
    "posterior.Diagnosis": {
        "passed": True,
        "failures": (),
        "rhat_max": 1.0,
        "ess_min": 900.0,
        "divergences": 0,
        "bfmi_min": 1.0,
        "treedepth_reached": 0,
        "chains": 4,
    },
    "plan.runs": {"data": repeated},
    "runs.noise": {"data": repeated},
    "runs.reliability": {"data": repeated},
    "runs.same_system": {"first": of_one_system, "second": lambda: of_one_system(38)},
    "scores.bootstrap": {"data": scores},
    "scores.bootstrap_draws": {"data": scores},
    "scores.compare": {"data": tallies},
    "scores.compare_folds": {"scores": folds, "test_share": 0.25},
    "scores.sign": {"scores": folds},
    "scores.signed_rank": {"scores": folds},
    "significance.adjust": {"p": lambda: xr.DataArray([0.01, 0.04, 0.03], dims="measure")},
    "significance.friedman": {"scores": lambda: _array([[3, 2, 1]] * 4, *"ABC")},
    "significance.groups": {"result": tests},
    "significance.mcnemar": _CASE,
    "significance.strength": {"p_values": lambda: {"B": (0.06, 0.1, 0.2), "A": (0.02, 0.17, 0.3)}},
    "significance.Tests.parse": {"tests": "sign"},
    "significance.Tests.on": {"data": scores},
    "compare().save": {"path": "x.nc"},
    "models.Sampling.settings": {"target_accept": 0.9},
}
OWNERS = {  # objects whose methods are public too
    "compare()": comparison,
    "plan.assurance()": SHARED["plan"],
    "gate()": lambda: bt.gate(of_one_system(), of_one_system(39), margin=0.1),
    "audit()": lambda: bt.audit(scores()),
    "features.PerformanceFunction": function,
    "significance.Tests": lambda: bt.significance.Tests("sign"),
    "models.Sampling": bt.models.Sampling,
}
_OF_REPORT = ("format", "path", "title", "figures", "p_values")
CHOICES = {  # of ``**``, by the name of it; those of `audit` and `gate` by the function
    "reading": tuple(ReadOptions.__annotations__),
    "options": tuple(ReadOptions.__annotations__),
    "audit": tuple(ReadOptions.__annotations__),
    "gate": OF_GATE,
    "fit": ("draws", "tune", "chains", "target_accept", "nuts_sampler", "random_seed"),
    "report": _OF_REPORT,
}
# how a message may name an argument, other than by its name: of data, what they hold
_OF_DATA = (
    "DataFrame|no such file|is a directory|folder|cannot be read|holds no|columns?|labels?|scores|"
    "counts|systems"
)
ALSO = dict.fromkeys(
    ("source", "table", "frame", "features", "measures", "baseline", "candidate"), _OF_DATA
) | {
    "data": f"{_OF_DATA}|tallies|judgments|comparison|successes",
    "idata": "tree|DataTree",
    "tree": "fit|DataTree",
    "others": "answers",
    "leave_out": "groups?|group by",
    "by": "groups?|group by|dialogue",
    "result": "check marks|p-values",
    "random_seed": "rng",
    "judgments": "counts|judgments",
    **dict.fromkeys(("response", "predictor", "factor", "subject", "text"), "column"),
    "unit": "column",
    "path": "no such file",
    **dict.fromkeys(("first", "second"), f"{_OF_DATA}|no such file|is a directory|system"),
    "orders": "lists?|the order",
    "reference": "orders|lists?",
    "design": "counts",
    "q": "quantile",
    "categories": "category",
    "p_values": "p-values?|systems",
    "other": "data",
    "lazy": "source",
}


@functools.cache
def example_fit(name):
    return bt.datasets.example_fit(name)
