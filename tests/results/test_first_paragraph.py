"""The first paragraph: which pair it compares, and that its numbers explain themselves."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from golden.cases import CASES

import betterthan as bt
from betterthan.results.facts import Answer, Pair, answer_facts
from betterthan.results.marks import Row, draw
from betterthan.results.robustness import Missing
from betterthan.results.sentences import answer_sentences
from betterthan.results.tables import order_by

RUNS = CASES["repeated_runs"]


@pytest.fixture(scope="module")
def runs():
    return RUNS()


def test_plan_concerns_the_pair_of_the_first_paragraph(runs):
    answer = answer_facts(runs)
    assert {answer.more.first, answer.more.second} == {answer.leader.first, answer.leader.second}


def test_systems_with_one_score_are_listed_by_p_best(runs):
    data = runs.data
    scores, best = data["score"].values, data["prob_best"].values
    assert len(set(scores)) < len(scores), "the test needs two equal scores"
    order = np.argsort(order_by(data))
    for first, second in itertools.pairwise(order):
        if scores[first] == scores[second]:
            assert round(best[first], 3) >= round(best[second], 3)


def test_much_shrunken_difference_is_the_only_size(runs):
    text = answer_sentences(answer_facts(runs))[1]
    leader = answer_facts(runs).leader
    assert "shrunk toward 0" in text
    assert text.startswith("Difference in accuracy")
    assert f"{leader.difference:+.2f}".replace("-", "−") in text


def test_difference_that_is_not_shrunk_says_nothing():
    text = str(bt.compare(bt.datasets.contingency_case("a")))
    assert "shrunk from" not in text


@pytest.mark.parametrize("systems", [2, 3])
def test_shrunken_difference_of_error_rates_has_the_sign_of_the_difference(systems):
    """Of error rates the difference is that of accuracies: it is above 0 for the better one."""
    wrong = np.random.default_rng(1).random((30, systems)) < [0.2, 0.5, 0.6][:systems]
    scores = xr.DataArray(
        wrong.astype(float),
        dims=("item", "system"),
        coords={"system": list("ABC")[:systems]},
        attrs={"higher_is_better": 0},
    )
    answer = answer_facts(bt.compare(scores, rng=1))
    pair = answer.pair or answer.leader
    rate = {score.system: score.score for score in answer.scores}
    observed = rate[pair.second] - rate[pair.first]
    assert observed * pair.difference > 0
    written = f"{observed:+.2f}".replace("-", "−")
    assert f"shrunk from {written}" in answer_sentences(answer)[1]


def test_an_average_over_data_sets_is_not_shrunk_from_the_pooled_wins():
    """A large data set that the first system wins, and two small ones that it does not."""
    parts = [{("A", "B"): (80, 20, 100)}, {("A", "B"): (5, 5, 10)}, {("A", "B"): (4, 6, 10)}]
    counts = xr.concat(map(bt.counts.from_table, parts), dim="dataset")
    counts = counts.assign_coords(dataset=list("xyz"))
    assert "shrunk from" not in str(bt.compare(counts, over="dataset", rng=1))


@pytest.mark.parametrize(("systems", "quantity"), [(2, "win rate"), (3, "accuracy")])
def test_joint_difference_is_of_accuracy_where_ties_are_dropped(systems, quantity):
    """The joint model has no ties: its difference is that of the scores, not of non-tied items."""
    right = np.random.default_rng(1).random((60, systems)) < [0.8, 0.6, 0.5][:systems]
    scores = xr.DataArray(
        right.astype(float), dims=("item", "system"), coords={"system": list("ABC")[:systems]}
    )
    text = str(bt.compare(scores, ties="drop", rng=1))
    assert f"Difference in {quantity} (" in text


def test_scores_of_complete_items_are_not_called_each_its_own():
    values = np.array([[1, 1, 0, 1, 1, 1, np.nan], [0, 1, 0, np.nan, 0, 1, 1]] + 2 * [[1.0] * 7])
    values[3, 0] = np.nan
    scores = xr.DataArray(
        values, dims=("system", "item"), coords={"system": list("ABCD"), "item": list("abcdefg")}
    )
    for systems, note in (("AB", "the 5 items with both"), ("ABCD", "the 4 items with all scores")):
        comparison = bt.compare(scores, systems=list(systems), missing="complete", rng=1)
        text = " ".join(str(comparison).split())
        assert "each on all its own items" not in text
        assert f"Accuracy (on {note}): " in text


@pytest.mark.parametrize("threshold", [0.95, 0.975])
def test_undecided_pair_names_the_threshold(threshold):
    pair = Pair(first="A", second="B", verdict="undecided", p=0.9, threshold=threshold)
    line = answer_sentences(Answer(n_systems=2, pair=pair))[0]
    assert f"P(A better) = 0.900; a verdict needs {threshold:g}" in line


def test_more_than_the_rope_has_its_probability():
    text = str(CASES["clusters_unequal"]())
    assert "better than base (probability 0.996), and by more than 0.05 (probability 0.9" in text


def _missing_pair(lowest=0.837, highest=0.9995, verdict="better", **facts):
    pair = Pair(first="A", second="B", verdict=verdict, p=0.99, at_random=True, **facts)
    missing = Missing(n=3, n_pairs=1, n_hold=0, lowest=lowest, highest=highest)
    return answer_sentences(Answer(n_systems=2, pair=pair, missing=missing))[-1]


def test_bounds_of_missing_scores_are_stated_as_bounds():
    assert "whatever their values, P(A better) stays between 0.837 and > 0.999" in _missing_pair()
    assert "depends on them" not in _missing_pair()


@pytest.mark.parametrize("lowest", [0.02, 0.837])
@pytest.mark.parametrize("facts", [{"quantity": "mean"}, {"n_units": 12}])
def test_outer_bounds_of_missing_scores_may_change_the_verdict(lowest, facts):
    assert "Some values may lead to another verdict." in _missing_pair(lowest, **facts)


@pytest.mark.parametrize(
    ("limits", "verdict", "better"),
    [
        ((0.96, 0.99), "undecided", "A"),
        ((0.01, 0.04), "undecided", "B"),
        ((0.01, 0.04), "better", "B"),
    ],
)
def test_values_that_all_lead_to_one_verdict_name_its_system(limits, verdict, better):
    line = _missing_pair(*limits, verdict, quantity="mean")
    assert f"With any of them {better} is better. Obtain the scores" in line


def test_rows_of_missing_scores_name_the_values_filled_in():
    text = str(CASES["missing_graded"]())
    assert "if missing: south 0 " in text
    assert "if missing: south 1 " in text


@pytest.mark.parametrize("order", [["south", "north"], ["north", "south"]])
def test_rows_of_missing_scores_belong_to_the_values_filled_in(order):
    """Whichever system is named first, and whichever is ahead."""
    columns = {"south": [1.0] * 9 + [0.0] * 6 + [1.0] * 5, "north": [1.0] * 15 + [np.nan] * 5}
    scores = pd.DataFrame(columns)[order]
    text = str(bt.compare(scores))
    for fill in (0, 1):
        filled = bt.compare(scores.fillna(fill)).pairs["prob_better"][0]
        (row,) = (line for line in text.splitlines() if f"if missing: north {fill} " in line)
        assert f" {filled:.3f} " in row


RED_WINS = {("red", "green"): (30, 6, 4), ("red", "blue"): (28, 8, 4), ("green", "blue"): (9, 9, 2)}


def _votes(counts):
    rows = [(*pair, *outcomes) for pair, outcomes in counts.items()]
    return pd.DataFrame(rows, columns=["system_a", "system_b", "wins", "losses", "ties"])


def _first_line(counts):
    return answer_sentences(answer_facts(bt.compare(_votes(counts))))[0]


def test_unbeaten_systems_are_listed_with_the_number_they_are_better_than():
    votes = {
        ("green", "red"): (10, 6, 4),
        ("green", "blue"): (8, 8, 4),
        ("red", "blue"): (11, 2, 7),
    }
    first = _first_line(votes)
    assert first.startswith("No clear winner among 3 systems.")
    assert "2 are unbeaten: green (better than 0 of 2 others) and red (1 of 2)" in first


def test_system_that_is_better_than_each_other_is_named_so():
    first = _first_line(RED_WINS)
    assert first.startswith("Pair by pair, red is better than each of the other 2 systems.")


def test_pairs_without_a_joint_model_need_not_add_up():
    assert "need not add up" in " ".join(str(bt.compare(_votes(RED_WINS))).split())
    assert "need not add up" not in str(bt.compare(bt.datasets.contingency_case("a")))


def test_picture_of_a_split_heads_its_probability_with_the_quantity():
    text = str(CASES["graded_split_lower_is_better"]())
    assert "P(better mean)  Verdict" in text


def test_rope_is_on_the_scale_of_an_equivalent_pair():
    lines = draw("", [], [Row("a", "equivalent", (-0.03, 0.01, 0.04))], rope=0.05)
    assert lines[-1] == " (dotted: ROPE ±0.05)"
    assert lines[2].count("┊") == 2


def test_rope_far_beyond_all_intervals_is_stated():
    lines = draw("", [], [Row("a", "equivalent", (-0.003, 0.001, 0.004))], rope=0.5)
    assert lines[-1] == " (ROPE ±0.5: beyond the scale)"


def test_rankings_state_who_is_ahead_more_often():
    text = " ".join(str(CASES["orders_compared"]()).split())
    assert "near is ahead on more documents with probability" in text


def test_joint_answer_is_named_in_the_provenance(runs):
    assert "joint=partial pooling" in bt.signature(runs)
    assert "joint=" not in bt.signature(bt.compare(bt.datasets.contingency_case("a")))


def test_table_that_is_too_wide_for_names_in_verdicts_stays_in_one_piece():
    text = str(CASES["five_systems_with_rope"]())
    assert text.count(" System ") == 2  # the table of systems and that of pairs


def test_sentences_have_each_long_name_once_and_then_its_number():
    names = ["2025-12-05_first-agent_large-model", "2025-12-15_second-agent_large-model", "base"]
    values = (np.random.default_rng(3).random((60, 3)) < [0.7, 0.68, 0.3]).astype(float)
    text = str(bt.compare(values, systems=names))
    sentences = " ".join(text.split("\n\n")[0].split())
    for number, name in enumerate(sorted(names[:2], reverse=True), 1):
        assert sentences.count(name) == sentences.count(f"#{number} {name} (") == 1
    assert "Difference in accuracy (#2 − #1): " in sentences
    assert "To separate #1 from #2, plan for" in sentences


def test_missing_scores_that_decide_are_stated_so():
    pair = Pair(first="A", second="B", verdict="better", p=0.99, at_random=True)
    missing = Missing(n=3, n_pairs=1, n_hold=0, lowest=0.0001, highest=0.9999)
    line = answer_sentences(Answer(n_systems=2, pair=pair, missing=missing))[-1]
    assert "and their values decide which system is better" in line


def test_undecided_judged_pair_names_what_would_settle_it():
    text = " ".join(str(CASES["judged_by_a_model"]()).split())
    assert "plan for about 160 more human labels" in text


def _graded(systems=2):
    """Graded scores on 60 items, a few of which are missing."""
    rng = np.random.default_rng(3)
    values = np.clip(rng.normal([0.65, 0.45, 0.4][:systems], 0.3, (60, systems)), 0, 1)
    values[:5, 0] = np.nan
    labels = {"system": list("ABC")[:systems]}
    return xr.DataArray(values, dims=("item", "system"), coords=labels)


def _of(kind):
    """Right or wrong answers, or graded scores, of items that belong together."""
    clusters = {"cluster": ("item", np.repeat(np.arange(15), [1, 7] + 13 * [4]))}
    right = (_graded() > 0.5).astype(float).assign_coords(clusters)
    runs = right.drop_vars("cluster").assign_coords(item=np.arange(60) // 3)
    return {
        "clusters": right,
        "missing": right.where(_graded().notnull()),
        "runs": runs.assign_coords(epoch=("item", np.arange(60) % 3)),
        "means": _graded().dropna("item"),
        "errors": _graded().assign_attrs(higher_is_better=0),
        "graded clusters": _graded().assign_coords(clusters),
    }[kind]


@pytest.mark.filterwarnings("ignore:Scores of")
@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        *((kind, {}) for kind in ("clusters", "missing", "runs", "means", "errors")),
        ("clusters", {"quantity": "wins"}),
        ("clusters", {"weight": "unit"}),
        ("graded clusters", {}),
    ],
    ids=str,
)
def test_difference_moved_by_the_skeptical_prior_names_the_observed_one(kind, choices):
    """The observed difference is that of the same analysis without a prior."""
    scores = _of(kind)
    text = bt.compare(scores, prior="skeptical", rng=1, **choices).statement()[1]
    flat = bt.compare(scores, rng=1, **choices)
    pair = answer_facts(flat).pair
    ahead = {"system_a": pair.first, "system_b": pair.second}
    observed = f"{flat['difference_mean'].sel(ahead).item():+.2f}".replace("-", "−")
    assert f"(95% HDI; shrunk from {observed} by the prior)" in text
    assert "shrunk from" not in flat.statement()[1]


def test_wins_of_clusters_that_count_once_are_not_what_was_shrunk():
    """Wins and losses are of items; the difference is of clusters."""
    choices = {"quantity": "wins", "weight": "unit", "prior": "skeptical"}
    assert "shrunk from" not in bt.compare(_of("clusters"), rng=1, **choices).statement()[1]


def test_leader_of_several_systems_names_the_difference_that_the_skeptical_prior_moved():
    scores = _graded(3).dropna("item")
    text = bt.compare(scores, prior="skeptical", rng=1).statement()
    a, b, _ = scores.mean("item").values
    observed = f"{b - a:+.2f}".replace("-", "−")
    assert any(f"shrunk from {observed} by the prior" in line for line in text)
