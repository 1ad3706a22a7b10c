"""Sentences state what the data show: n, the difference, the baseline, digits at the threshold."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.comparison import Comparison
from betterthan.results.facts import answer_facts
from betterthan.results.numbers import probability


def scores(values, **coords):
    values = np.asarray(values, float)
    coords = {name: ("item", list(of)) for name, of in coords.items()}
    systems = list("abc")[: values.shape[1]]
    systems += [f"s{k}" for k in range(3, values.shape[1])]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": systems} | coords)


@pytest.mark.parametrize(
    ("shift", "first"),
    [
        (0.0, "a and b are practically equivalent: they differ by at most 0.1"),
        (0.05, "b and a are practically equivalent: they differ by at most 0.1"),
        (0.2, "b is better than a (probability > 0.999), and by more than 0.1 (probability"),
    ],
)
def test_a_constant_difference_is_within_the_rope_or_beyond_it(shift, first):
    base = 0.8 * np.random.default_rng(0).random((50, 1))
    found = bt.compare(
        scores(np.repeat(base, 2, 1) + np.array([0, shift])), rope=0.1, quantity="mean"
    )
    assert found.statement()[0].startswith(first)
    masses = found["mass"].sel(system_a="a", system_b="b").values
    # P(d < -0.1) and P(d > 0.1), where d = shift + win - loss of Dirichlet(1, 1, 1 + 50)
    sides = [(1 - abs(x)) ** 52 / 2 for x in (-0.1 + shift, 0.1 + shift)]
    behind = sides[0] if shift < 0.1 else 1 - sides[0]
    np.testing.assert_allclose(masses, [behind, 1 - behind - sides[1], sides[1]], atol=1e-9)


@pytest.mark.parametrize("items", [5, 10, 20])
def test_few_items_on_which_systems_are_alike_do_not_show_that_they_are_equivalent(items):
    base = np.linspace(0.2, 0.7, items)[:, None]
    alike = scores(np.repeat(base, 2, 1))
    of_two = bt.compare(alike, rope=0.05)
    other = base + np.random.default_rng(1).normal(0, 0.1, (items, 1))
    of_three = bt.compare(scores(np.hstack([base, base, other.clip(0, 1)])), rope=0.05)
    clusters = bt.compare(
        scores(
            np.repeat(np.arange(2 * items)[:, None] % 2, 2, 1), cluster=np.arange(2 * items) // 2
        ),
        rope=0.05,
    )
    within = 1 - 0.95 ** (items + 2)
    for found in (of_two, of_three, clusters):
        assert found["verdict"].values[0, 1] == "undecided"
        assert found["mass"].values[0, 1, 1] == pytest.approx(within)


def test_copies_are_equivalent_on_many_items():
    base = np.linspace(0.2, 0.7, 100)[:, None]
    assert (
        bt.compare(scores(np.repeat(base, 2, 1)), rope=0.05)["verdict"].values[0, 1] == "equivalent"
    )
    # the largest difference that there can be is not known where all scores are one
    found = bt.compare(scores(np.full((100, 2), 3.0)), rope=0.05)
    assert found["verdict"].values[0, 1] == "undecided"
    assert np.isnan(found["mass"].values[0, 1]).all()


@pytest.mark.parametrize("ties", ["drop", "to_b"])
def test_moved_ties_make_no_difference_in_accuracy(ties):
    outcomes = [[1, 1]] * 70 + [[0, 0]] * 10 + [[1, 0]] * 15 + [[0, 1]] * 5
    evidence = bt.compare(scores(outcomes), ties=ties).statement()[1]
    assert "Difference in win rate" in evidence
    assert "Difference in accuracy" not in evidence


@pytest.mark.filterwarnings("ignore:Scores of")
def test_scores_and_their_difference_are_on_the_items_that_both_have():
    rng = np.random.default_rng(0)
    values = 0.9 * rng.random((60, 1)) + 0.1 * rng.random((60, 2)) + np.array([0.02, 0])
    values[rng.random(values.shape) < 0.25] = np.nan
    found = bt.compare(scores(values))
    both = values[~np.isnan(values).any(axis=1)]
    a, b = both.mean(axis=0)
    assert f"Mean score (on the 33 items with both): a {a:.3f}, b {b:.3f}." in found.statement()[1]
    assert found["difference_mean"].values[0, 1] == pytest.approx(a - b)
    assert f"On {int(found['n'].values[0, 1])} items" in found.statement()[1]


def test_dropped_ties_are_counted_and_belong_to_the_items_that_both_have():
    outcomes = [[1, 1]] * 70 + [[1, 0]] * 15 + [[0, 1]] * 5 + [[np.nan, 1]] * 24 + [[np.nan, 0]] * 6
    found = bt.compare(scores(outcomes), ties="drop").statement()[1]
    assert "on the 90 items with both" in found
    assert "On 90 items: 15 wins, 5 losses for a; 70 ties are dropped." in found
    assert "30 items without a score of a are left out." in found
    assert "fewer than half" not in found  # of 120 items


def test_systems_of_which_one_never_won_are_answered_with_ties_dropped():
    outcomes = [[0, np.nan, 0], [0, 0, 0], [0, np.nan, 0]]
    assert "on the 1 item with both" in str(bt.compare(scores(outcomes), ties="drop"))


@pytest.mark.filterwarnings("ignore:Scores of")
@pytest.mark.parametrize("systems", [2, 3])
def test_a_paper_states_the_items_that_were_compared(systems):
    rng = np.random.default_rng(1)
    values = (rng.random((200, systems)) < 0.6).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    found = bt.compare(scores(values), missing="complete")
    n = int(found["n"].values[0, 1])
    assert n < 200
    assert found.report(format="sentence").startswith(f"On {n} items, ")
    found = bt.compare(scores(values))
    shared = found["n"].values[np.triu_indices(systems, 1)].astype(int)
    place = f"the {min(shared)} to {max(shared)} items that each pair shares"
    assert systems == 2 or min(shared) < max(shared)
    place = place if systems == 3 else f"{n} items"
    assert found.report(format="sentence").startswith(f"On {place}, ")


def test_the_baseline_line_calls_no_missing_verdict_undecided():
    rng = np.random.default_rng(2)
    found = bt.compare(scores(rng.integers(0, 2, (20, 3)), cluster=["k"] * 20), baseline="a")
    line = next(one for one in found.statement() if one.startswith("Compared with"))
    assert line.endswith("no verdict: b and c.")


def test_a_paper_counts_practically_equivalent_pairs():
    rng = np.random.default_rng(3)
    same = (rng.random((2000, 1)) < 0.5).astype(float)
    values = np.concatenate([same, same, np.zeros((2000, 1))], axis=1)
    values[:3, 1] = 1 - values[:3, 1]
    said = bt.compare(scores(values), rope=0.1).report(format="sentence")
    assert "3 of 3 pairs had a verdict (posterior probability at least 0.95), 1 of them" in said


def test_counts_without_ties_are_of_items_that_one_won():
    counts = bt.counts.from_table({("A", "B"): (30, 10)})
    assert "On 40 items that one of the two won: 30 wins" in bt.compare(counts).statement()[1]
    close = " ".join(bt.compare(bt.counts.from_table({("A", "B"): (12, 10)})).statement())
    assert "more items that one of the two wins" in close


@pytest.mark.parametrize(
    ("p", "threshold", "text"),
    [
        (0.94968, 0.95, "0.9497"),
        (0.94, 0.95, "0.940"),
        (0.99987, 0.9999, "0.99987"),
        (0.9999999, 0.99999999, "0.9999999"),
    ],
)
def test_a_probability_below_the_threshold_reads_below_it(p, threshold, text):
    assert probability(p, threshold=threshold) == text
    other = probability(1 - p, threshold=threshold)
    assert threshold > float(text) == pytest.approx(1 - float(other), abs=1e-12)


@pytest.mark.parametrize("kind", ["text", "markdown", "latex", "html"])
def test_every_report_shows_that_a_pair_is_below_the_threshold(kind):
    shown = bt.compare(bt.counts.from_table({("A", "B"): (43, 29, 9)})).report(format=kind)
    assert "0.9497" in shown
    assert "0.950" not in shown.partition("<script")[0]


@pytest.mark.parametrize(
    ("ties", "text"),
    [
        ("to_a", "11 wins, 2 losses for A; 7 ties count as wins of A."),
        ("to_b", "9 wins, 4 losses for B; 7 ties count as wins of B."),
        ("half", "7 wins, 5 losses for A; 3 ties count as wins of each."),
    ],
)
def test_ties_that_count_as_wins_are_counted_for_their_system(ties, text):
    counts = bt.counts.from_table({("A", "B"): (4, 2, 7)})
    assert bt.compare(counts, ties=ties).statement()[1].endswith(text)
    assert text.removesuffix(".") in bt.compare(counts, ties=ties).report(format="sentence")
    three = bt.counts.from_table({("A", "B"): (4, 2, 7), ("A", "C"): (5, 5, 1)})
    of_pairs = "In each pair, ties count "
    (line,) = (k for k in bt.compare(three, ties=ties).statement() if k.startswith(of_pairs))
    assert line.endswith(f"({6 if ties == 'half' else 8} in all).")


def test_no_difference_from_a_baseline_is_stated_without_a_verdict():
    random = np.random.default_rng(12)
    hard = random.random((120, 1))
    right = random.random((120, 4)) < 1 - 0.8 * hard + [0, 0.02, 0.05, 0.08]
    gone = (hard[:, 0] > 0.75) & (random.random(120) < 0.6)  # a score of the last on hard items
    values = np.where(np.c_[np.zeros((120, 3), bool), gone], np.nan, right)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABCD")})
    with pytest.warns(UserWarning, match="missing on harder items"):
        text = " ".join(bt.compare(scores, baseline="A").statement())
    assert "no verdict: D." in text


def test_a_difference_is_shrunk_only_from_one_of_the_same_kind():
    values = [[1, 0]] * 20 + [[0, 1]] * 12 + [[1, 1]] * 9
    won = bt.compare(scores(values), ties="to_b").statement()[1]
    assert "21 wins, 20 losses for b" in won  # 1 of 41 is +0.02, and accuracies differ by 8 of 41
    assert "shrunk" not in won
    assert (
        "shrunk from +0.25 by the prior" in bt.compare(scores(values), ties="drop").statement()[1]
    )


@pytest.mark.parametrize("choices", [{"ci_prob": 0.5}, {"ci_prob": 0.5, "threshold": 0.8}])
def test_no_system_is_the_best_less_probably_than_a_verdict_needs(choices):
    rng = np.random.default_rng(2)
    compared = bt.compare(scores((rng.random((60, 3)) < [0.62, 0.55, 0.5]) * 1.0), **choices)
    first = compared.systems.sort_values("prob_best").iloc[-1]
    assert compared.systems["in_best_set"].sum() == 1
    assert choices["ci_prob"] < first["prob_best"] < 0.8
    texts = {kind: compared.report(format=kind) for kind in ("text", "sentence", "html")}
    for text in texts.values():
        assert "the best of 3 systems" not in text.partition("<script")[0]
        assert "o clear winner among 3 systems" in text
    assert f"choose {first['system']}" not in texts["html"]
    decisive = bt.compare(scores((rng.random((60, 3)) < [0.9, 0.5, 0.4]) * 1.0), **choices)
    assert "a is the best of 3 systems" in decisive.statement()[0]


def test_the_stated_rate_of_verdicts_on_equal_systems_holds_for_the_rule():
    """Equal systems are practically equivalent with a ROPE, and half ties are cautious."""
    values = (np.random.default_rng(0).random((200, 10)) < 0.7) * 1.0
    line = "of two equal systems is called better {}about 10 times in 100"
    for choices, most in (({"rope": 0.05}, ""), ({"ties": "half"}, "at most ")):
        report = " ".join(bt.report(bt.compare(scores(values[:, :2]), **choices)).split())
        assert line.format(most) in report
        assert f"one is called better in {most}about 10%" in report
    joint = " ".join(bt.report(bt.compare(scores(values), rng=1)).split())
    assert f"by pairwise verdicts, one {line.format('')}" in joint


def test_a_joint_model_has_no_probability_of_zero():
    values = (np.random.default_rng(3).random((200, 40)) < np.linspace(0.5, 0.7, 40)) * 1.0
    compared = bt.compare(scores(values), rng=1)
    *_, third = compared.provenance.joint_groups
    assert 0 < third < 0.005
    report = " ".join(bt.report(compared).split())
    assert f"of three {probability(third)};" in report


def test_no_score_is_minus_zero():
    values = np.random.default_rng(0).normal(0, 1, (60, 3))
    values += [-0.003, -0.5, -0.3] - values.mean(0)
    text = str(bt.compare(scores(values), rng=1))
    assert " 0.00 [−0.30, 0.28]" in text
    assert "−0.00 " not in text


@pytest.mark.parametrize(("n", "text"), [(1, "1 score missing"), (2, "2 scores missing")])
def test_the_page_counts_missing_scores(n, text):
    values = (np.random.default_rng(0).random((50, 3)) < [0.7, 0.6, 0.5]) * 1.0
    values[:n, 0] = np.nan
    assert text in bt.report(bt.compare(scores(values)), format="html", figures=False)


@pytest.mark.parametrize(("size", "written"), [(2e-4, "0.00"), (45_000, "4")])
def test_scores_of_each_data_set_have_the_digits_of_their_scale(size, written):
    values = np.random.default_rng(0).normal(1, 0.1, (90, 3)) * size
    sets = np.repeat(["x", "y", "z"], 30)
    compared = bt.compare(scores(values, dataset=sets), over="dataset", rng=1)
    table = str(compared).partition("Each data set by itself")[2].split("A verdict")[0]
    (row,) = (line.split() for line in table.splitlines() if line.split()[:1] == ["x"])
    assert all(cell.startswith(written) and float(cell.replace(",", "")) for cell in row[2:])
    assert all(len(cell) <= 7 for cell in row[2:])


def test_a_judge_with_as_many_votes_for_each_system_favors_none():
    judge = np.array(["A"] * 40 + ["B"] * 40 + ["tie"] * 4, object)
    np.random.default_rng(3).shuffle(judge)
    human = np.where(np.random.default_rng(4).random(84) < 0.8, judge, "A").astype(object)
    human[40:] = None
    rows = {"item": range(84), "system_a": "A", "system_b": "B", "judge": judge, "human": human}
    compared = bt.compare(bt.read(pd.DataFrame(rows), judge="judge", human="human"))
    (line,) = (text for text in compared.statement() if "judge only" in text)
    assert "0.500" in line
    assert "favors" not in line


def test_a_table_of_tallies_names_what_its_p_values_are_of():
    random = np.random.default_rng(2)
    rows = [
        (system, f"d{k}", random.binomial(5, rate), random.poisson(1), 2)
        for system, rate in zip("ABC", (0.8, 0.7, 0.6), strict=True)
        for k in range(40)
    ]
    frame = pd.DataFrame(rows, columns=["system", "doc", "tp", "fp", "fn"])
    compared = bt.compare(bt.read(frame), rng=1)
    table = bt.report(compared, format="latex-table", p_values="randomization")
    assert "test of F1 over all items together against" in table


def test_sampled_probabilities_are_written_alike_in_answer_paper_and_macros():
    counts = bt.counts.from_table({("A", "B"): (40, 5, 30)})
    exact = bt.compare(counts)
    data = exact.data.assign({"prob_better_mcse": exact.data["prob_better"] * 0 + 0.002})
    sampled = Comparison(data)
    assert "(probability > 0.99)" in sampled.statement()[0]
    assert "posterior probability > 0.99 " in bt.report(sampled, format="sentence")
    assert r"{\textgreater{} 0.99}" in bt.report(sampled, format="latex-macros")


def test_provenance_records_each_choice_that_changes_a_number():
    random = np.random.default_rng(3)
    graded = scores(random.random((30, 3)).round(1))
    documents = {
        f"d{k}": {
            "ref": list("uvwx"),
            "two": list("uvxw"),
            "A": list(random.permutation(list("uvwx"))),
        }
        for k in range(12)
    }
    counted = [("a", k, 3, 1, 2) for k in range(9)] + [("b", k, 2, 2, k % 3) for k in range(9)]
    frame = pd.DataFrame(counted, columns=["system", "item", "tp", "fp", "fn"])
    tallies = bt.io.tallies_from_table(frame)
    lines = {
        "prior=Dirichlet(5, 1, 5) of wins": bt.compare(graded, quantity="mean", prior=(5, 1, 5)),
        "alternative=greater": bt.sign_test(graded, alternative="greater"),
        "beta=0.5": bt.scores.posterior(tallies, statistic="f_beta", beta=0.5),
        "references=best": bt.orders.posterior(documents, ["ref", "two"], references="best", rng=1),
        "limits=-1, 2": bt.posterior.missing_bounds(graded.where(graded < 0.9), limits=(-1, 2)),
    }
    for line, answer in lines.items():
        assert line in bt.signature(answer).split(" | ")
    runs = scores(random.random((30, 2)), item=np.repeat(range(10), 3), epoch=[1, 2, 3] * 10)
    assert " | success=0.5 | " in bt.runs.reliability(runs, k=3, success=0.5).signature()


def test_missing_runs_of_both_systems_are_not_of_the_one_that_lacks_items():
    random = np.random.default_rng(1)
    runs = (random.random((60, 5, 2)) < random.beta(0.6, 0.5, (60, 1, 1))).astype(float)
    runs[random.random(runs.shape) < 0.15] = np.nan
    places = np.argwhere(~np.isnan(runs))
    rows = [(f"i{i}", f"e{e}", "ab"[s], runs[i, e, s]) for i, e, s in places]
    frame = pd.DataFrame(rows, columns=["item", "epoch", "system", "score"])
    text = " ".join(bt.compare(frame, quantity="pass^3").statement())
    assert f"{(np.isnan(runs).sum(2) == 1).sum()} scores are missing" in text


def test_pairs_of_unequal_numbers_of_items_have_none_in_common():
    scores = np.random.default_rng(1).integers(0, 2, (60, 3)).astype(float)
    scores[:5, 2] = np.nan
    facts = answer_facts(bt.compare(bt.read(pd.DataFrame(scores, columns=[*"ABC"]))))
    assert (facts.n, facts.n_shared) == (None, (55, 60))


def test_wins_and_losses_of_the_leading_pair_are_from_the_side_of_its_difference():
    scores = np.repeat([[1, 1, 1], [1, 0, 0], [0, 1, 1], [0, 0, 1]], [20, 22, 4, 4], axis=0)
    leader = answer_facts(bt.compare(bt.read(pd.DataFrame(scores, columns=[*"ABC"])))).leader
    assert (leader.first, leader.second) == ("C", "A")
    assert (leader.wins, leader.losses, leader.difference < 0) == (8, 22, True)


def test_a_system_that_met_nobody_is_not_unbeaten():
    scores = pd.DataFrame({"A": [1.0] * 30, "B": [0.0] * 25 + [1.0] * 5, "C": np.nan})
    facts = answer_facts(bt.compare(bt.read(scores, systems=[*"ABC"])))
    assert [unbeaten.system for unbeaten in facts.unbeaten] == ["A"]
