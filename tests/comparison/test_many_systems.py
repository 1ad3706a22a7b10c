"""Many systems at once: what is claimed of the best and of wrong verdicts holds on simulated
truth.
"""

import numpy as np
import pytest

import betterthan as bt
from betterthan.exact.joint import abilities
from betterthan.exact.joint.abilities import Abilities
from betterthan.exact.numeric import monte_carlo
from tests.comparison.test_joint import scores


def solved(rng, abilities, items):
    """Rasch items of which some are harder."""
    ease = rng.normal(0, 1.5, (items, 1))
    return scores(rng.random((items, len(abilities))) < 1 / (1 + np.exp(-(abilities + ease))))


def verdicts(found, name="verdict"):
    upper = np.triu_indices(found.data.sizes["system_a"], 1)
    return found[name].values[upper]


@pytest.fixture(scope="module")
def equal():
    """Sets of 20 equal systems: every verdict is wrong."""
    rng = np.random.default_rng(20)
    return [bt.compare(solved(rng, np.zeros(20), 100), tests="sign") for _ in range(8)]


def named(found, name="verdict"):
    return np.isin(verdicts(found, name), ("a_better", "b_better")).sum()


def test_among_all_equal_systems_are_told_apart_hundred_times_less(equal):
    alone = np.mean([named(c, "pairwise_verdict") for c in equal])
    among = np.mean([named(c) for c in equal])
    assert alone > 10  # 18.9 on average
    assert among < 1.5  # .20 +- .13


def test_what_is_said_to_be_wrong_is_not_far_too_low(equal):
    """Alone, half a verdict of nineteen (.03) was said to be wrong; all are."""
    alone = stated = 0
    for found in equal:
        decided = found["pairwise_verdict"].values == "a_better"
        alone += decided.sum()
        stated += found["prob_better"].values.T[decided].sum()
    assert stated > 0.2 * alone


def test_the_best_set_of_equal_systems_holds_most_of_them(equal):
    share = np.mean([c["in_best_set"].values.mean() for c in equal])
    assert share > 0.7  # .85; any of them is as good as the best


def test_the_best_set_holds_the_best():
    rng = np.random.default_rng(21)
    held = []
    for _ in range(100):
        ability = rng.normal(0, 0.1, 20)
        right = solved(rng, ability, 100).values
        of = abilities.evidence_from_right(right.T @ right, 100, (1, 1, 1))
        best = Abilities.fit(of).draws(1000, rng).argmax(1)
        share = np.bincount(best, minlength=20) / 1000
        held.append(monte_carlo.best_set(share, 0.95)[ability.argmax()])
    assert np.mean(held) > 0.88  # .96; the bootstrap held .68 to .78


def test_twenty_items_of_nine_systems_have_a_joint_answer():
    found = bt.compare(solved(np.random.default_rng(3), np.linspace(-1, 1, 9), 20))
    assert "no_joint" not in found.attrs
    assert found["prob_best"].sum().item() == pytest.approx(1)
    assert (found["rank_lower"] <= found["expected_rank"]).all()
    assert (found["expected_rank"] <= found["rank_upper"]).all()


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"margin": 0.1}, "more than a margin"),
        ({"ties": "half"}, "ties='half'"),
        ({"ties": "to_a"}, "ties='to_a'"),
        ({"prior": (2, 1, 1)}, "favors one side"),
    ],
)
def test_what_has_no_answer_among_all_says_why(choices, why):
    found = bt.compare(solved(np.random.default_rng(3), np.zeros(3), 30), **choices)
    assert "pairwise_prob_better" not in found
    assert why in found.attrs["no_joint"]


def test_counts_and_few_items_say_why():
    data = solved(np.random.default_rng(3), np.zeros(3), 30)
    counts = bt.count(data).assign_attrs(unit="unknown")
    assert "needs the scores of the items" in bt.compare(counts).attrs["no_joint"]
    assert "4 items are too few" in bt.compare(data[:4]).attrs["no_joint"]


def test_missing_scores_leave_pairs_alone_and_say_how_to_compare_all():
    rng = np.random.default_rng(4)
    data = solved(rng, np.linspace(-1, 1, 5), 100)
    holes = data.where(rng.random(data.shape) > 0.05)
    found = bt.compare(holes)
    assert "pairwise_prob_better" not in found
    assert "missing='complete'" in found.attrs["no_joint"]
    assert bt.compare(holes, missing="complete")["prob_better"].values[4, 0] > 0.95


def test_a_pair_decided_alone_and_not_among_all_says_so(equal):
    found = max(equal, key=lambda c: named(c, "pairwise_verdict"))
    row = found.pairs[found.pairs["pairwise_verdict"] == "better"].iloc[0]
    assert row["verdict"] == "undecided"
    upper = np.triu_indices(20, 1)
    decided = named(found)
    assert decided < named(found, "pairwise_verdict")
    pairs = len(upper[0])
    counted = next(line for line in found.statement() if f"{pairs} pairs " in line)
    expected = f"{decided} of {pairs} pairs" if decided else f"All {pairs} pairs are undecided"
    assert counted.startswith(expected)


def test_graded_wins_have_no_answer_among_all_and_means_have():
    rng = np.random.default_rng(6)
    graded = scores(rng.normal(0, 1, (40, 1)) + rng.normal(np.linspace(0, 1, 4), 1, (40, 4)))
    wins, mean = (bt.compare(graded, quantity=q) for q in ("wins", "mean"))
    assert "pairwise_prob_better" not in wins
    assert "wins are answered pair by pair" in wins.provenance.no_joint
    assert "prob_best" not in wins  # of the mean, which is another quantity
    assert mean["prob_better"].values[3, 0] > 0.9
    assert "by mean score" in mean.statement()[0]
    assert "by mean score" not in wins.statement()[0]


def test_many_alike_systems_on_few_clusters():
    """Ten equal systems on 10 clusters of 20: on items about 23 of 45 pairs were decided."""
    rng = np.random.default_rng(7)
    alone = among = 0
    for _ in range(6):
        shared = rng.normal(0, 2, (10, 10)).repeat(20, axis=0)  # of a cluster and a system
        data = scores(
            rng.random((200, 10)) < 1 / (1 + np.exp(-shared)), cluster=np.arange(200) // 20
        )
        found = bt.compare(data, tests="sign")
        alone += named(found, "pairwise_verdict")
        among += named(found)
    assert among / 6 < 1.0
    assert alone / 6 < 9  # 10 % of 45, with its spread over sets


GRADED = np.random.default_rng(0).normal(size=(20, 3))
RIGHT = (np.random.default_rng(1).random((40, 3)) < 0.6).astype(float)


@pytest.mark.parametrize(
    "values",
    [
        RIGHT[:, [0, 1, 1]],
        np.repeat(RIGHT[:, :2], 10, axis=1),
        np.c_[RIGHT[:, :2], np.ones(40)],
        np.ones((30, 3)),
        RIGHT[:5],
        GRADED[:, [0, 1, 1]],
        np.c_[GRADED[:, :2], np.full(20, 0.3)],
        GRADED[:5],
    ],
    ids=[
        "copy",
        "copies",
        "constant",
        "all right",
        "5",
        "graded copy",
        "graded constant",
        "5 graded",
    ],
)
@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_odd_tables_have_a_joint_answer(values, rope):
    """A warning would be an error."""
    quantity = None if np.isin(values, (0, 1)).all() else "mean"
    found = bt.compare(scores(values), quantity=quantity, rope=rope)
    p = found["prob_better"].values
    np.testing.assert_allclose(p + p.T, 1, atol=1e-12)
    assert found["prob_best"].sum().item() == pytest.approx(1)
    alike = (values[:, :, None] == values[:, None]).all(0)
    assert (p[alike] == 0.5).all()
    best = found["prob_best"].values
    assert np.ptp(best[alike[0]]) < 0.03  # copies share it
    assert found.statement()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.repeat(GRADED[:, :1], 3, axis=1), "the same on every item"),
        (GRADED[:1], "1 item is too few"),
        (RIGHT[:2], "2 items are too few"),
        (np.where(np.eye(40, 3) > 0, np.nan, RIGHT), "scores are missing"),
    ],
    ids=["equal", "1", "2", "missing"],
)
def test_tables_without_a_joint_answer_say_why(values, why):
    quantity = None if np.isin(values[~np.isnan(values)], (0, 1)).all() else "mean"
    assert why in bt.compare(scores(values), quantity=quantity).attrs["no_joint"]


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (1e300, r"score at position \(0, 0\) is 1.257\S+e\+299; give at most 1e\+100 in size"),
        (1e-300, r"the largest score is \S+e-300; give scores in a larger unit"),
    ],
)
def test_scores_whose_squares_are_no_numbers_are_refused(times, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(scores(GRADED * times), quantity="mean")


def test_systems_in_two_groups_are_named():
    rng = np.random.default_rng(8)
    found = bt.compare(solved(rng, np.r_[np.zeros(5), np.full(5, 2.5)], 200), tests="sign")
    (line, *_) = found.provenance.joint_notes
    assert line.startswith("The systems fall into two groups (probability of more than one group ")
    upper, lower = line.partition(": ")[2].rstrip(".").split("; ")
    assert set(upper.split(", ")) == set("FGHIJ")
    assert set(lower.split(", ")) == set("ABCDE")
    assert line in " ".join(found.statement())


def test_near_copies_are_equivalent_only_where_the_pair_is_by_itself():
    rng = np.random.default_rng(9)
    base = solved(rng, np.array([0.0, 0.2]), 100).values
    other = rng.random((100, 12)) < 0.5
    copies = np.where(rng.random((100, 12)) < 0.05, other, np.repeat(base, 6, axis=1))
    found = bt.compare(scores(copies), tests="sign", rope=0.06)
    assert any("nearly the same errors" in line for line in found.provenance.joint_notes)
    np.testing.assert_allclose(found["mass"], found["pairwise_mass"], atol=1e-9)
    assert (found["prob_better"].values != found["pairwise_prob_better"].values).any()
    upper = np.triu_indices(12, 1)
    pairwise, joint = (found[k].values[upper] for k in ("pairwise_verdict", "verdict"))
    assert (joint == "equivalent").any()
    both = ((pairwise == joint) & np.isin(pairwise, ("a_better", "b_better"))).sum()
    assert both <= np.isin(joint, ("a_better", "b_better")).sum()
    alone = int(np.isin(pairwise, ("a_better", "b_better")).sum())
    assert f"Pairwise, there would be {alone} such verdict{'s' * (alone != 1)}." in " ".join(
        bt.report(found).split()
    )


def test_one_dominating_document_is_named():
    rng = np.random.default_rng(10)
    graded = rng.normal(size=(12, 3))
    graded[4] *= 30
    found = bt.compare(scores(graded), quantity="mean", tests="sign")
    assert "One item makes up" in " ".join(found.provenance.joint_notes)
    assert "squared differences" in " ".join(found.statement())


def test_equal_scores_at_the_top_are_not_ranked():
    rng = np.random.default_rng(11)
    right = solved(rng, np.array([0.5, 0.4, 0.3, -2.0]), 60).values
    right[:, 1] = right[::-1, 0]  # as many right as the first
    right[:, 2] = 0
    found = bt.compare(scores(right[:, :3]), tests="sign")
    first = found.statement()[0]
    assert first.startswith(
        "No clear winner among 3 systems: the best is one of 2 with 95% probability."
    )
    assert found.systems["system"].tolist()[:2] == ["A", "B"]
