"""The answers that are frozen: one function a case, on small data that it builds itself.

A case samples nothing and returns the same answer in every process. Draws come from fits that ship
with the package, from closed forms with a seed, and from one comparison in `stored/`.
"""

import json
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import betterthan as bt
from betterthan.results.comparison import Comparison

CASES: dict[str, Callable[[], Any]] = {}
# of one case of each kind of data also the texts are frozen; numbers of all
WITH_TEXTS = (
    "three_systems",
    "graded_by_mean",
    "missing_pairwise",
    "clusters_unequal",
    "repeated_runs",
    "several_data_sets",
    "tallies_f1",
    "judgments",
    "judged_three_systems",
    "orders_compared",
    "gate_inconclusive_with_looks",
    "plan_items_needed",
    "audit_of_logs",
)


def case(build: Callable[[], Any]) -> Callable[[], Any]:
    """Add a case under the name of its function."""
    CASES[build.__name__] = build
    return build


def scored(values: Any, systems: Any, attrs: Any = None, **coords: Any) -> xr.DataArray:
    """Scores over (item, system); each coordinate is on item."""
    labels = {"system": list(systems)} | {name: ("item", list(v)) for name, v in coords.items()}
    return xr.DataArray(values, dims=("item", "system"), coords=labels, attrs=attrs or {})


def right_or_wrong(items: int, skill: Any, seed: int, ease: Any = 0.0) -> np.ndarray:
    """Scores of 0 and 1: each system solves an item with its skill plus the ease of the item."""
    drawn = np.random.default_rng(seed).random((items, len(skill)))
    return (drawn < np.add.outer(np.broadcast_to(ease, items), skill)).astype(float)


def graded(items: int, level: Any, seed: int) -> np.ndarray:
    """Scores with two decimals, which share the ease of their item."""
    random = np.random.default_rng(seed)
    drawn = random.random((items, len(level))) * 0.4 + random.random((items, 1)) * 0.3
    return (drawn + level).round(2)


def in_clusters(unequal: bool = True) -> xr.DataArray:
    """Right and wrong on 48 items in 12 documents."""
    sizes = np.array([1, 2, 3, 4, 5, 6, 7, 8, 3, 4, 2, 3]) if unequal else np.full(12, 4)
    documents = np.repeat(np.arange(12), sizes)
    ease = np.random.default_rng(3).random(12)[documents] * 0.5 - 0.25
    values = right_or_wrong(48, [0.75, 0.5], 8, ease)
    return scored(values, ["tuned", "base"], cluster=[f"d{k}" for k in documents])


def with_gaps() -> xr.DataArray:
    """Right and wrong on 60 items, where one system has no score on some hard ones."""
    ease = np.linspace(0.3, -0.3, 60)
    values = right_or_wrong(60, [0.7, 0.5, 0.45], 5, ease)
    values[[40, 44, 47, 50, 53, 55, 58, 59], 0] = np.nan
    values[[3, 50], 2] = np.nan
    return scored(values, ["new", "old", "older"])


def tallies() -> xr.DataArray:
    """Counts of TP, FP and FN of three systems on 14 documents."""
    random = np.random.default_rng(12)
    rows = [
        {
            "system": system,
            "item": f"d{k}",
            "tp": int(random.random() * 6 + skill),
            "fp": int(random.random() * 4),
            "fn": int(random.random() * (4 - skill)),
        }
        for k in range(14)
        for system, skill in (("crf", 2), ("rules", 1), ("lookup", 0))
    ]
    return bt.io.tallies_from_table(pd.DataFrame(rows))


def votes() -> pd.DataFrame:
    """Sixty votes of four judges on three systems, by prompt."""
    random = np.random.default_rng(9)
    pairs = [("red", "green"), ("green", "blue"), ("blue", "red")]
    strength = {"red": 0.8, "green": 0.5, "blue": 0.3}
    rows = []
    for k in range(60):
        left, right = pairs[k % 3]
        drawn = random.random() * (strength[left] + strength[right] + 0.3)
        winner = "tie" if drawn < 0.3 else "left" if drawn < 0.3 + strength[left] else "right"
        rows.append((left, right, winner, f"judge {k % 4}", f"prompt {k // 6}"))
    return pd.DataFrame(rows, columns=["left", "right", "winner", "who", "prompt"])


def ordered(documents: int = 12) -> dict[str, dict[str, list[str]]]:
    """Orders of six items by two systems and a reference."""
    random, drawn = np.random.default_rng(7), {}
    for d in range(documents):
        spread = {"reference": 0, "near": 3, "far": 7}
        places = {name: np.arange(6) + random.random(6) * by for name, by in spread.items()}
        drawn[f"d{d}"] = {
            name: [*np.array([*"ABCDEF"])[np.argsort(p)]] for name, p in places.items()
        }
    return drawn


def judged_counts() -> xr.Dataset:
    """Outcomes by people and by a judge, and outcomes by the judge alone."""
    return bt.judged.from_table(
        {
            ("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170)),
            ("A", "C"): ([[14, 3, 4], [5, 12, 4], [3, 3, 9]], (180, 160, 140)),
            ("B", "C"): ([[9, 4, 4], [4, 13, 3], [3, 2, 10]], (130, 190, 160)),
        }
    )


def run_of(scores: Any) -> pd.DataFrame:
    """One system's scores by item."""
    return pd.DataFrame({"item": [f"q{k + 1}" for k in range(len(scores))], "score": scores})


# right and wrong


@case
def two_systems() -> Any:
    return bt.compare(bt.datasets.contingency_case("b"), rope=0.05)


@case
def one_sided() -> Any:
    counts = bt.counts.from_table({("new", "old"): (8, 2, 50)})
    return bt.compare(counts, threshold=0.975, ci_kind="eti", ci_prob=0.9)


@case
def three_systems() -> Any:
    values = right_or_wrong(80, [0.8, 0.6, 0.5], 4, np.linspace(-0.2, 0.2, 80))
    return bt.compare(scored(values, ["fine-tuned", "new prompt", "base"]), baseline="base")


@case
def five_systems_with_rope() -> Any:
    values = right_or_wrong(90, [0.7, 0.68, 0.66, 0.5, 0.3], 14)
    names = ["a_long_name/of-a.system", "B & C", "<d>", "ünï", "e"]
    return bt.compare(scored(values, names), rope=0.02)


@case
def ties_every_policy() -> Any:
    values = right_or_wrong(40, [0.7, 0.55], 21)
    tests = ("sign", "mid_p", "trinomial")
    return bt.compare(scored(values, "AB"), ties="all", tests=tests)


@case
def ties_half_with_tests() -> Any:
    tests = bt.significance.Tests(("sign", "randomization"), correction="bh", alpha=0.1)
    values = right_or_wrong(40, [0.8, 0.5, 0.45], 32)
    return bt.compare(scored(values, "ABC"), ties="half", tests=tests)


@case
def pairs_not_compared() -> Any:
    counts = {("A", "B"): (20, 10, 30), ("B", "C"): (0, 0, 12), ("D", "A"): (4, 9, 20)}
    return bt.compare(bt.counts.from_table(counts))


@case
def skeptical_prior() -> Any:
    counts = {("A", "B"): (20, 10, 70), ("A", "C"): (25, 9, 66), ("B", "C"): (18, 14, 68)}
    return bt.compare(bt.counts.from_table(counts), prior="skeptical", rope=0.02)


@case
def advised_closed_form() -> Any:
    values = right_or_wrong(50, [0.8, 0.6], 30)
    return bt.compare(scored(values, ["new", "old"]), method="advised")


@case
def in_blocks() -> Any:
    values = right_or_wrong(200, [0.6, 0.5, 0.45], 31)
    return bt.compare(scored(values, ["x", "y", "z"]).chunk({"item": 50}))


# graded scores


@case
def graded_by_mean() -> Any:
    values = graded(40, [0.3, 0.27, 0.2], 6)
    return bt.compare(scored(values, ["north", "east", "south"]), rope=0.01)


@case
def graded_by_wins() -> Any:
    values = graded(40, [0.3, 0.27, 0.2], 16)
    return bt.compare(scored(values, ["north", "east", "south"]), quantity="wins", margin=0.05)


@case
def graded_split_lower_is_better() -> Any:
    base = graded(60, [0.3], 17)[:, 0]
    other = np.where(np.arange(60) % 3 == 0, base + 0.3, base - 0.02).round(2)
    scores = scored(np.stack([base, other], 1), ["steady", "wild"], {"higher_is_better": False})
    return bt.compare(scores, rng=1)


# missing scores


@case
def missing_pairwise() -> Any:
    return bt.compare(with_gaps())


@case
def missing_as_wrong() -> Any:
    return bt.compare(with_gaps(), missing="wrong", baseline="old")


@case
def missing_graded() -> Any:
    values = graded(36, [0.3, 0.2], 18)
    values[[2, 9, 30], 1] = np.nan
    return bt.compare(scored(values, ["north", "south"]), rope=0.02)


# clusters, repeated runs, data sets


@case
def clusters_unequal() -> Any:
    return bt.compare(in_clusters(), rope=0.05)


@case
def clusters_each_once() -> Any:
    return bt.compare(in_clusters(), weight="unit")


@case
def clusters_taken_as_items() -> Any:
    return bt.compare(in_clusters(unequal=False), unit="item")


@case
def repeated_runs() -> Any:
    ease = np.repeat(np.random.default_rng(2).random(16) * 0.6 - 0.3, 3)
    values = right_or_wrong(48, [0.7, 0.55, 0.5], 19, ease)
    scores = scored(values, ["A", "B", "C"], epoch=[1, 2, 3] * 16)
    return bt.compare(scores.assign_coords(item=[f"q{k // 3 + 1}" for k in range(48)]))


@case
def several_data_sets() -> Any:
    values = right_or_wrong(75, [0.75, 0.5], 24)
    sets = ["news"] * 40 + ["law"] * 20 + ["chat"] * 15
    return bt.compare(scored(values, ["new", "old"], dataset=sets))


# tallies, counts, votes


@case
def tallies_f1() -> Any:
    return bt.compare(tallies())


@case
def tallies_bootstrap() -> Any:
    with warnings.catch_warnings():  # random counts of each system are of no common gold
        warnings.simplefilter("ignore")
        return bt.scores.compare(tallies(), statistic="f1", rope=0.02, draws=2_000, rng=3)


@case
def counts_of_a_paper() -> Any:
    return bt.compare(bt.datasets.intent_detection())


@case
def counts_by_measure() -> Any:
    return bt.compare(bt.counts.from_measures(bt.datasets.diag_measures()))


@case
def judgments() -> Any:
    return bt.compare(bt.io.read_judgments(votes(), judge="who", cluster="prompt"))


@case
def folds() -> Any:
    values = graded(10, [0.35, 0.3, 0.2], 25)
    return bt.scores.compare_folds(scored(values, "ABC"), test_share=0.1, rope=0.01)


# judged outcomes


@case
def judged_three_systems() -> Any:
    return bt.compare(judged_counts(), rope=0.05)


@case
def judged_by_a_model() -> Any:
    return bt.compare(bt.datasets.pandalm(labels="30"))


# orders


@case
def orders_compared() -> Any:
    return bt.orders.compare(ordered(), "reference", draws=2_000, shuffles=2_000, rng=1)


@case
def orders_taus() -> Any:
    orders = bt.orders.from_lists(ordered(4))
    return bt.orders.kendall_tau(orders, "reference"), orders


@case
def orders_agreement_and_consensus() -> Any:
    lists = {"1": list("abcd"), "2": list("abdc"), "3": list("bacd"), "4": list("dcba")}
    return bt.orders.agreement(lists), bt.orders.consensus(lists)


# fits that ship with the package, and draws that were adopted


@case
def fit_clustered() -> Any:
    return bt.fits.compare(bt.datasets.example_fit("clustered"), rope=0.02)


@case
def fit_davidson() -> Any:
    return bt.fits.compare(bt.datasets.example_fit("davidson"))


@case
def fit_graded() -> Any:
    return bt.fits.compare(bt.datasets.example_fit("graded"), rope=0.02)


@case
def fit_hierarchical() -> Any:
    return bt.fits.compare(bt.datasets.example_fit("hierarchical"))


@case
def fit_mallows() -> Any:
    return bt.fits.compare(bt.datasets.example_fit("mallows"))


@case
def fit_adopted() -> Any:
    counts = {("A", "B"): (18, 9, 13), ("A", "C"): (22, 7, 11), ("B", "C"): (12, 11, 17)}
    drawn = bt.posterior.draws(bt.counts.from_table(counts), draws=500, rng=1)
    tree = xr.DataTree.from_dict({"posterior": drawn["posterior"].to_dataset()})
    return bt.fits.compare(bt.fits.adopt(tree), rope=0.05)


@case
def two_engines() -> Any:
    """The counts of `fit_adopted` by `compare` with method="both", rope=0.05, rng=1 and 500 draws a
    chain, as `save` stored it.
    """
    answer = bt.load(Path(__file__).parent / "stored" / "two_engines.nc")
    data = answer.data.assign_attrs(version=bt.__version__)
    return Comparison(data, answer.alternatives, answer.fits)


@case
def fit_predictions() -> Any:
    components = {"A": {"x0": 1.0, "x1": 0.5}, "B": {"x0": 0.0, "x1": 0.5}}
    return bt.features.predict(bt.datasets.example_fit("performance_function"), components)


# features and labels


@case
def performance_function() -> Any:
    random = np.random.default_rng(11)
    table = pd.DataFrame(random.random((24, 3)).round(2), columns=["f", "words", "turns"])
    noise = random.random(24) * 0.4
    table["rating"] = (1 + 3 * table["f"] - table["turns"] + noise).round(2)
    return bt.features.performance_function(table, "rating", resamples=40, rng=1)


@case
def labels_with_uncertainty() -> Any:
    confusion = bt.datasets.beetle_confusion()
    return bt.labels.posterior(confusion, draws=2_000, rng=1), confusion


# tests alone


@case
def sign_test_every_policy() -> Any:
    return bt.sign_test(bt.counts.from_table({("A", "B"): (14, 5, 11)}), ties="all")


@case
def randomization_of_tallies() -> Any:
    return bt.randomization_test(tallies(), statistic="f1", shuffles=2_000, rng=2)


@case
def homogeneous_groups() -> Any:
    return bt.significance.groups(randomization_of_tallies(), correction="none")


# gate, plan, audit


@case
def gate_passes() -> Any:
    old = [1] * 40 + [0] * 20
    new = [1] * 39 + [0] * 18 + [1] * 3
    return bt.gate(run_of(old), run_of(new), margin=0.1)


@case
def gate_inconclusive_with_looks() -> Any:
    old, new = right_or_wrong(30, [0.7, 0.7], 26).T
    return bt.gate(run_of(old), run_of(new), margin=0.05, looks=(4, 120))


@case
def gate_graded_and_missing() -> Any:
    old, new = graded(40, [0.4, 0.2], 27).T
    return bt.gate(run_of(old), run_of(np.where(np.arange(40) == 5, np.nan, new)), margin=0.02)


@case
def plan_items_needed() -> Any:
    return bt.plan.items_needed((12, 6, 22))


@case
def plan_outlook() -> Any:
    values = right_or_wrong(60, [0.75, 0.6, 0.5], 28)
    return bt.plan.outlook(bt.compare(scored(values, "ABC")))


@case
def plan_fragility() -> Any:
    return bt.plan.fragility((12, 2, 986))


@case
def plan_labels_of_people() -> Any:
    counts = {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
    return bt.plan.gold(bt.judged.from_table(counts), cost_human=1, cost_judge=0.02)


@case
def plan_stopping() -> Any:
    return bt.plan.stopping_boundary(100, looks=range(20, 101, 20))


@case
def audit_of_scores() -> Any:
    values = right_or_wrong(40, [0.9, 0.5, 0.5], 29)
    values[[3, 8, 20, 22, 30], 2] = np.nan
    values[:, 1] = 1.0
    twins = np.concatenate([values, values[:, :1]], 1)
    return bt.audit(scored(twins, ["good", "constant", "patchy", "twin"]))


@case
def audit_of_logs() -> Any:
    """Two logs: in one a sample ended in an error, the other has another prompt and fewer items."""
    with tempfile.TemporaryDirectory() as folder:
        for name, prompt, scores in (
            ("old", "Be brief.", [1, 0, 1, 1, None, 0, 1, 1]),
            ("new", "Be exact.", [1, 1, 1, 0, 1, 0]),
        ):
            Path(folder, f"{name}.json").write_text(inspect_log(name, prompt, scores), "utf-8")
        return bt.audit(folder)


def inspect_log(name: str, prompt: str, scores: Sequence[int | None]) -> str:
    """A log as Inspect writes it; None is a sample that ended in an error."""
    samples = [
        {"id": f"q{k}", "epoch": 1, "input": f"What is {k} times {k}?", "target": str(k * k)}
        | ({"scores": {}, "error": {"message": "429 rate limit"}} if score is None else {})
        | ({"scores": {"match": {"value": "CI"[score == 0]}}} if score is not None else {})
        for k, score in enumerate(scores)
    ]
    about = {"task": "squares", "run_id": name, "model": name, "scorers": [{"name": "match"}]}
    about |= {"config": {"epochs": 1}, "dataset": {"sample_ids": [s["id"] for s in samples]}}
    steps = [{"solver": "system_message", "params": {"template": prompt}}]
    log = {"version": 2, "status": "success", "eval": about, "plan": {"steps": steps}}
    return json.dumps(log | {"samples": samples})


# one page on several answers


@case
def several_answers() -> Any:
    counts = bt.counts.from_table({("new", "old"): (12, 5, 40)})
    confusion = bt.labels.from_table(pd.DataFrame({"a": [8, 2], "b": [1, 5]}, index=["a", "b"]))
    return bt.compare(counts), bt.labels.posterior(confusion, draws=1_000, rng=1), confusion
