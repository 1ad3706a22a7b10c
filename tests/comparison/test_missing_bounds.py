"""What missing scores could do to verdicts: a condition in the first sentence, or no verdict."""

import itertools
import warnings

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names

SURE = 0.95


def as_scores(values, **coords):
    values = np.asarray(values, float)
    told = {k: ("item", v) for k, v in coords.items()}
    told["system"] = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(values, dims=("item", "system"), coords=told)


def compared(scores, **asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of scores missing with difficulty
        return bt.compare(scores, tests="sign", **asked)


def first_lines(c):
    report = " ".join(c.report().split()).partition("  - ")[0]
    return [c.statement()[0], report, c.report(format="sentence")]


# wins ahead by far, or barely; items without a score for s1
FIRM = [[1, 0]] * 30 + [[1, 1]] * 10 + [[0, np.nan]] * 2
FRAGILE = [[1, 0]] * 9 + [[0, 1]] * 2 + [[1, 1]] * 10 + [[0, np.nan]] * 2


@pytest.mark.parametrize(("values", "conditional"), [(FIRM, False), (FRAGILE, True)])
def test_the_first_sentence_is_conditional_where_bounds_hold_another_verdict(values, conditional):
    c = compared(as_scores(values))
    assert c.data["verdict"].values[0, 1] == "a_better"
    assert bool(c.data["missing_holds"].values[0, 1]) is not conditional
    for line in first_lines(c):
        assert ("missing at random" in line) is conditional


def test_the_condition_stands_in_every_format():
    c = compared(as_scores(FRAGILE))
    for form in ("text", "markdown", "html", "latex", "sentence"):
        assert "missing scores are missing at random" in " ".join(c.report(format=form).split())


def hard_items(graded, n=60, seed=1):
    """Three systems; s2 has no score on most items that the others fail."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    values = (rng.random((n, 3)) > hard[:, None] * [1, 0.9, 0.6]).astype(float)
    gone = (values[:, :2].mean(1) < 0.5) & (rng.random(n) < 0.6)
    values += graded * rng.normal(0, 0.1, values.shape)
    values[gone, 2] = np.nan
    return as_scores(values)


@pytest.mark.parametrize("graded", [False, True])
def test_no_verdict_where_scores_are_missing_with_difficulty_and_decide(graded):
    c = compared(hard_items(graded))
    assert c.data["missing_differs"].values.tolist() == [False, False, True]
    verdict, reason = (c.data[k].values for k in ("verdict", "reason"))
    holds = c.data["missing_holds"].values
    for k in (0, 1):
        assert not holds[k, 2]
        assert verdict[k, 2] == verdict[2, k] == "no_verdict"
        assert reason[k, 2] == names.MISSING_DECIDES
    assert (verdict[0, 1], reason[0, 1]) == ("undecided", "")
    assert "2 have none: scores are missing with the difficulty of the items" in " ".join(
        c.report().split()
    )
    assert c.pairs["reason"].tolist().count(names.MISSING_DECIDES) == 2


def test_two_systems_without_a_verdict_are_not_said_to_be_unconverged():
    c = compared(hard_items(False).isel(system=[0, 2]))
    text = " ".join(c.report().split())
    assert "No verdict on s2 and s0: scores are missing with the difficulty" in text
    assert "converged" not in text
    assert "the verdict on s2 and s0 depends on the " in text  # the audit names no verdict either


def test_another_engine_gives_no_verdict_either():
    scores = hard_items(False)
    found = compared(scores)
    assert found.data["sign_error"].isnull().values[0, 2]


def test_a_verdict_that_holds_stands_although_scores_are_missing_with_difficulty():
    values = [[1, 0, 1]] * 60 + [[1, 1, 0]] * 10 + [[1, 0, np.nan]] * 4
    values = np.array(values, float)
    values[:60:2, 2] = 0
    c = compared(as_scores(values))
    assert c.data["verdict"].values[0, 2] == "a_better"
    assert bool(c.data["missing_holds"].values[0, 2])


@pytest.mark.parametrize("beside", ["nothing", "cluster", "epoch"])
@pytest.mark.parametrize("quantity", ["mean", "wins"])
def test_no_values_lead_to_another_verdict_where_it_is_said_to_hold(beside, quantity):
    """Fills of the missing scores, all corners of them and some at random, for 8 data sets."""
    rng = np.random.default_rng(4)
    n, seen = 96, set()
    coords = {
        "nothing": {},
        "cluster": {"cluster": np.arange(n) // 3},
        "epoch": {"item": np.arange(n) // 2, "epoch": np.arange(n) % 2},
    }[beside]
    for k in range(8):
        base = rng.random(n)
        values = np.clip(np.array([base + 0.03 * k, base]).T + rng.normal(0, 0.1, (n, 2)), 0, 1)
        gone = rng.choice(n, 2, replace=False)
        values[gone, [0, 1]] = np.nan
        if beside == "epoch":  # an item without any run
            values[gone[:1] // 2 * 2 + [[0], [1]], 0] = np.nan
        c = compared(as_scores(values, **coords), quantity=quantity)
        holds, verdict = bool(c.data["missing_holds"].values[0, 1]), c.data["verdict"].values[0, 1]
        seen.add(holds)
        if not holds:
            continue
        at = np.isnan(values)
        for fill in [*itertools.product((0, 1), repeat=at.sum()), *rng.random((6, at.sum()))]:
            whole = values.copy()
            whole[at] = fill
            other = compared(as_scores(whole, **coords), quantity=quantity)
            assert other.data["verdict"].values[0, 1] == verdict
    assert True in seen, "no case held, so no verdict was compared"


def test_bounds_are_of_what_the_answer_is_of():
    """Runs of an item: by wins on items A is surely better, by means on items it is open."""
    rng = np.random.default_rng(3)
    items = np.repeat(np.arange(12), 3)
    values = np.array([np.where(items < 8, 1, 0), np.where(items < 6, 1, 0)]).T.astype(float)
    values[rng.choice(36, 3, replace=False), 1] = np.nan
    c = compared(as_scores(values, item=items, epoch=np.tile([1, 2, 3], 12)))
    line = c.provenance.bounds[0]
    assert str(c.data["verdict"].values[0, 1]).replace("_", " ") in line
    assert "by wins" not in line


def test_complete_items_are_no_way_around_the_condition():
    c = compared(as_scores(FRAGILE), missing="complete")
    assert "missing at random" in c.statement()[0]
    assert "missing at random" not in compared(as_scores(FRAGILE), missing="wrong").statement()[0]


def test_the_audit_says_where_it_speaks_of_another_quantity():
    values = np.array([[0.5, 0.25], [0.75, 0.5], [1.0, np.nan], [0.5, 0.75]] * 4)
    found = bt.audit(as_scores(values)).findings
    told = found[found["code"] == "verdict"]["message"].tolist()
    assert told
    assert all(line.endswith("by wins on items") for line in told)


def pair_of(a, b, **coords):
    return as_scores(np.stack([a, b], axis=1), **coords)


def test_a_fill_that_makes_all_units_alike_is_thought_of():
    """Three clusters that all show one difference are wins alone: P(better) is then 15 of 16."""
    a, b, cluster = np.array([1, 1, 1, 1, 1.02, np.nan]), np.full(6, 0.9), list("aabbcc")
    c = compared(pair_of(a, b, cluster=cluster))
    assert c.data["verdict"].values[0, 1] == "a_better"
    assert not c.data["missing_holds"].values[0, 1]
    filled = compared(pair_of(np.where(np.isnan(a), 0.98, a), b, cluster=cluster))
    assert filled.data["verdict"].values[0, 1] == "undecided"


def test_a_fill_that_makes_items_skewed_is_thought_of():
    seen = [1.24, 1.06, 0.9, 0.86, 1.17, 1.3]
    c = compared(pair_of([*seen, np.nan, np.nan, np.nan], np.zeros(9)), quantity="mean")
    filled = compared(pair_of([*seen, 1.3, 0.0, 1.3], np.zeros(9)), quantity="mean")
    assert c.data["verdict"].values[0, 1] == "a_better"
    assert filled.data["verdict"].values[0, 1] == "undecided"
    assert not c.data["missing_holds"].values[0, 1]


@pytest.mark.parametrize("beside", [{}, {"cluster": list("aabb")}])
@pytest.mark.parametrize("binary", [False, True])
def test_complete_items_have_bounds_of_all_items(beside, binary):
    values = np.array([[1, 0.2], [0.9, 0.3], [np.nan, 0.1], [0.8, 0.5]])
    values = np.where(np.isnan(values), np.nan, np.round(values)) if binary else values
    c = compared(as_scores(values, **beside), missing="complete")
    assert c.data["n_missing"].values[0, 1] == 1


def test_a_joint_answer_of_complete_items_has_the_condition():
    rng = np.random.default_rng(2)
    values = (rng.random((100, 3)) < [0.8, 0.5, 0.4]).astype(float)
    values[:3, 0] = np.nan
    c = compared(as_scores(values), missing="complete")
    assert "pairwise_verdict" in c.data
    for line in first_lines(c):
        assert "missing at random" in line


def test_where_no_verdict_is_there_is_no_condition_in_any_form():
    values = np.random.default_rng(3).random((20, 3))
    values[0, 0] = np.nan
    c = compared(as_scores(values))
    assert not set(c.data["verdict"].values.ravel()) - {"undecided"}
    for line in first_lines(c):
        assert "missing at random" not in line


def test_a_skeptical_prior_is_that_of_the_scores_there_are():
    rng = np.random.default_rng(0)
    values = (rng.random((60, 2)) < [0.7, 0.5]).astype(float)
    values[:8, 0] = np.nan
    scores = as_scores(values)
    bounds = bt.posterior.missing_bounds(scores, prior="skeptical").isel(system_a=0, system_b=1)
    answer = compared(scores, prior="skeptical").data["prob_better"].values[0, 1]
    assert bounds["prob_better"].values[0] == pytest.approx(answer, abs=1e-12)


def test_bounds_with_a_skeptical_prior_hold_whatever_the_missing_scores_are():
    """The prior follows the ties, so that of filled scores is another."""
    rng = np.random.default_rng(0)
    values = (rng.random((60, 2)) < [0.95, 0.45]).astype(float)
    values[:8, 0] = values[4:12, 1] = np.nan
    c = compared(as_scores(values), prior="skeptical")
    low, high = c.data["missing_probability"].values[0, 1]
    assert low < c.data["prob_better"].values[0, 1] < high
    worst, best = ([[end, 1 - end]] * 60 for end in (0.0, 1.0))
    for fill in (worst, best, 0.0, 1.0, *rng.integers(0, 2, (20, 60, 2))):
        filled = as_scores(np.where(np.isnan(values), fill, values))
        p = compared(filled, prior="skeptical").data["prob_better"].values[0, 1]
        assert low <= p <= high
    assert not c.data["missing_holds"].values[0, 1]
    assert "! Missing data: 16 scores are missing; whatever their values" in str(c.statement())


@pytest.mark.parametrize("cluster", [None, list("aabbccddeeff")])
def test_means_with_a_skeptical_prior_have_an_alarm_and_no_bounds(cluster):
    values = np.random.default_rng(0).random((12, 1)) + np.array([0.06, 0])
    values[:, 0] += np.tile([0.04, -0.03], 6)
    values[:2, 1] = np.nan
    beside = {"cluster": cluster} if cluster else {}
    c = compared(as_scores(values, **beside), prior="skeptical")
    assert not c.provenance.bounds
    assert "missing_probability" not in c.data
    alarm = "2 scores of s1 are missing; other values could lead to another verdict."
    assert f"! Missing data: {alarm}" in c.statement()


def test_who_has_no_verdict_does_not_depend_on_chance():
    """p by random permutations is near 0.05 for some system of some table."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        values = rng.integers(0, 4, (150, 4)) / 3
        values[rng.random(150) < 0.4, 0] = np.nan
        scores = as_scores(values)
        first, again = compared(scores), compared(scores)
        assert first.data["verdict"].equals(again.data["verdict"])
        assert ("reason" in first.data) == ("reason" in again.data)


def test_a_verdict_that_bounds_of_means_leave_open_may_hold():
    """All values of five scores leave A and B undecided; bounds of clusters do not show it."""
    rng = np.random.default_rng(22)
    clusters = int(rng.integers(4, 9))
    values = (rng.random((4 * clusters, 2)) < [0.75, 0.5]).astype(float)
    values.ravel()[rng.choice(8 * clusters, int(rng.integers(2, 9)), replace=False)] = np.nan
    third = (rng.random((4 * clusters, 1)) < 0.2).astype(float)
    coords = {"system": list("ABC"), "cluster": ("item", np.repeat(np.arange(clusters), 4))}
    scores = xr.DataArray(np.hstack([values, third]), dims=("item", "system"), coords=coords)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bounds = bt.compare(scores, rng=0, tests="sign").attrs["bounds"]
    assert 'the pairwise verdict on A and B, "undecided", may depend on' in bounds


def test_undecided_does_not_hold_where_a_fill_is_equivalent():
    values = np.tile([[1.0], [0.0]], (36, 2))
    values[[30, 35, 57, 66]] = [[1, 0], [0, 1], [0, 1], [0, 0]]
    values[[33, 58, 66], 0] = np.nan
    scores = as_scores(values, cluster=np.repeat(np.arange(24), 3).astype(str))
    c = bt.compare(scores, rope=0.05, tests="sign")
    even = scores.copy()
    even[[33, 58, 66], 0] = [1, 1, 0]  # as many wins as losses
    even = bt.compare(even, rope=0.05, tests="sign")
    assert c["verdict"].values[0, 1] == "undecided"
    assert even["verdict"].values[0, 1] == "equivalent"
    assert not c["missing_holds"].values[0, 1]


def test_bounds_of_clusters_that_count_once_are_those_of_their_means():
    values = (np.random.default_rng(0).random((60, 2)) < [0.8, 0.5]).astype(float)
    values[3, 0] = np.nan
    scores = as_scores(values, cluster=np.repeat(list("abcdefghijkl"), [1, 9] * 6))
    bounds = bt.compare(scores, weight="unit")["missing_probability"].values[0, 1]
    filled = [bt.compare(scores.fillna(x), weight="unit")["prob_better"] for x in (0, 1)]
    np.testing.assert_allclose(bounds, [p.values[0, 1] for p in filled], atol=0.01)


def test_bounds_of_wins_in_clusters_keep_to_the_margin():
    values = np.random.default_rng(0).integers(0, 5, (60, 2)).astype(float)
    values[:, 0] += 1
    values[3, 0] = np.nan
    scores = as_scores(values, cluster=np.repeat(np.arange(20), 3).astype(str))
    bounds = bt.compare(scores, quantity="wins", margin=1)["missing_probability"].values[0, 1]
    filled = [
        bt.compare(scores.fillna(x), quantity="wins", margin=1)["prob_better"].values[0, 1]
        for x in (0, 5)
    ]
    np.testing.assert_allclose(bounds, filled, atol=0.002)


def test_the_worst_missing_error_is_the_highest():
    scores = as_scores(np.array([[0, 1]] * 9 + [[0, 0]] * 20 + [[np.nan, 0]]))
    c = bt.compare(scores.assign_attrs(higher_is_better=False))
    assert c["extreme_score"].sel(system="s0").values.tolist() == [1.0, 0.0]
