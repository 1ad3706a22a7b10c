"""Votes in tables: which are evidence, and which are refused or warned of."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def test_copies_of_votes_with_sides_exchanged_are_copies():
    winner = np.random.default_rng(1).choice(["X", "Y"], 100, p=[0.6, 0.4])
    items = [f"q{k}" for k in range(100)]
    one = pd.DataFrame({"item": items, "model_a": "X", "model_b": "Y", "winner": winner})
    two = pd.DataFrame({"item": items, "model_a": "Y", "model_b": "X", "winner": winner})
    with pytest.warns(UserWarning, match="in several tables, which agree on 100%"):
        bt.read({"one": one, "two": two})


def test_a_third_table_is_held_against_the_first():
    rng = np.random.default_rng(1)
    votes = pd.DataFrame({"item": [f"q{k}" for k in range(100)], "model_a": "X", "model_b": "Y"})
    one, two = (votes.assign(winner=rng.choice(["X", "Y"], 100)) for _ in range(2))
    with pytest.warns(UserWarning, match="200 items of a pair have votes in several tables"):
        bt.read({"one": one, "two": two, "three": one.assign(when=1)[[*one]].copy()})


def test_votes_without_a_winner_do_not_hide_several_votes_on_an_item():
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": ["X"] * 6 + [""] * 6})
    with pytest.warns(UserWarning, match="6 votes are on 3 items of a pair, so"):
        bt.read(votes.assign(item=[*"uuvvwwabcdef"]))


def test_only_votes_with_a_winner_are_counted_by_judges():
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": ["X", "Y", "X", ""] * 10})
    with pytest.warns(UserWarning, match="30 votes are by 2 judges"):
        bt.read(votes.assign(judge=[*"aabb"] * 10))


def test_a_task_beside_votes_is_no_data_set():
    votes = pd.DataFrame({"task": ["write", "sum"], "model_a": "X", "model_b": "Y", "winner": "X"})
    assert bt.read(votes).dims == ("system_a", "system_b", "outcome")


def test_losses_of_a_system_against_itself_are_refused():
    rows = {"system_a": ["A", "A"], "system_b": ["B", "A"], "wins": [3, 0], "losses": [1, 2]}
    with pytest.raises(ValueError, match="'A' is compared with itself; wins and losses there"):
        bt.read(pd.DataFrame(rows))


def test_judgments_of_systems_that_look_alike_and_never_meet_are_refused():
    votes = pd.DataFrame({"model_a": ["GPT-4", "gpt-4"], "model_b": "X", "winner": "X"})
    with pytest.raises(ValueError, match=r"'GPT-4' and 'gpt-4' .* never meet each other"):
        bt.io.read_judgments(votes)


@pytest.mark.parametrize("layout", ["votes", "judgments"])
def test_data_sets_and_judges_that_look_alike_raise_a_warning(layout):
    column = "dataset" if layout == "votes" else "judge"
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": ["X", "Y"]})
    with pytest.warns(UserWarning, match=f"{column}s 'Ann' and 'ann' "):
        bt.read(votes.assign(**{column: ["Ann", "ann"]}), layout=layout)


def test_few_of_many_votes_may_be_alike(recwarn):
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": "X", "time": range(1000)})
    bt.read(votes.assign(time=votes["time"].replace({1: 0, 2: 0, 3: 0})))
    assert not recwarn.list


def test_votes_of_pairs_on_two_contexts_are_no_votes_on_items(recwarn):
    sides = {"model_a": [*"XXY"] * 16, "model_b": [*"YZZ"] * 16, "context": [*"sssttt"] * 8}
    assert bt.read(pd.DataFrame(sides | {"winner": "tie"})).attrs["n"] == 48
    assert not recwarn.list


def test_agreement_on_nine_of_ten_items_may_be_chance(recwarn):
    votes = pd.DataFrame({"item": range(10), "model_a": "X", "model_b": "Y"})
    one, two = (votes.assign(winner=["X"] * k + ["Y"] * (10 - k)) for k in (5, 6))
    bt.read({"one": one, "two": two})
    assert not recwarn.list


NUMBERS = [
    "count",
    "n_votes",
    "Votes",
    "weight",
    "n votes",
    "vote_count",
    "Number of votes",
    "freq",
]


@pytest.mark.parametrize("column", [*NUMBERS, "n_judgments", "sample_weight", "multiplicity"])
def test_a_number_of_votes_in_each_row_is_refused(column):
    votes = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": ["A"] * 2 + ["B"] * 4})
    weighed = votes.assign(**{column: [100, 90, 1, 1, 1, 1]})
    for read in (bt.read, bt.io.read_judgments):
        with pytest.raises(ValueError, match=f"row 0, column '{column}', value '?100.*one vote"):
            read(weighed)
    assert bt.read(weighed, ignore=column).attrs["n"] == 6
    with pytest.raises(ValueError, match="one vote"):
        bt.read(votes[:2].assign(**{column: [3, 2]}))
    for harmless in (1, range(6)):
        assert bt.read(votes.assign(**{column: harmless})).attrs["n"] == 6


def test_a_column_that_is_the_cluster_is_no_number_of_votes():
    votes = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": ["A"] * 2 + ["B"] * 4})
    judged = bt.io.read_judgments(votes.assign(n=[7, 7, 8, 8, 9, 9]), cluster="n")
    assert judged["cluster"].values.tolist() == [*"778899"]


@pytest.mark.parametrize("further", ["Y", "Z"])
def test_votes_that_another_file_begins_with_are_named(further):
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": [*"XXYXXYXXXYXXYXX"]})
    longer = pd.concat([votes, votes[:2].assign(model_b=further)])
    with pytest.warns(UserWarning, match=r"^b begins with the 15 votes of a, which both count"):
        bt.read({"a": votes, "b": longer})


def test_few_votes_that_another_file_begins_with_may_be_chance(recwarn):
    votes = pd.DataFrame({"model_a": "X", "model_b": "Y", "winner": [*"XXYXXYXXXYXXYX"]})
    bt.read({"a": votes, "b": pd.concat([votes, votes[:2].assign(model_b="Z")])})
    assert not recwarn.list


COUNTS = ["system_a", "system_b", "wins", "losses", "ties"]


@pytest.mark.parametrize("pair", ["X", "Z"])
def test_files_with_the_same_counts_of_a_pair_are_named(pair):
    first = pd.DataFrame([("X", "Y", 9, 4, 2)], columns=COUNTS)
    second = pd.DataFrame([("Y", "X", 4, 9, 2), ("Y", pair, 6, 1, 3)][: 1 + (pair == "Z")])
    second.columns = COUNTS
    with pytest.warns(
        UserWarning, match=r"'X' and 'Y' have the same counts in a and b, which both"
    ):
        bt.read({"a": first, "b": second})


@pytest.mark.parametrize("counts", [(9, 4, 1), (9, 6, 0), (8, 4, 3)])
def test_equal_counts_of_few_votes_or_without_ties_may_be_chance(recwarn, counts):
    first = pd.DataFrame([("X", "Y", *counts)], columns=COUNTS)
    second = first.copy() if counts != (8, 4, 3) else first.assign(wins=9, losses=3)
    bt.read({"a": first, "b": second})
    assert not recwarn.list


def test_the_summary_describes_each_of_several_files():
    one = pd.DataFrame([("P", "Q", 3, 2, 1)], columns=COUNTS)
    two = pd.DataFrame([("P", "R", 3, 2, 1), ("Q", "R", 5, 1, 0)], columns=COUNTS)
    reading = bt.read({"x": one, "y": two}).attrs["reading"]
    assert "2 systems, 1 pair, ties from column 'ties', then 3 systems, 2 pairs" in reading
    votes = pd.DataFrame({"model_a": ["P"], "model_b": ["Q"], "winner": ["tie"]})
    other = pd.DataFrame({"left": [*"PRS"], "right": [*"RSQ"], "winner": ["left", "S", "tie"]})
    reading = bt.read({"x": votes, "y": other}).attrs["reading"]
    assert "4 votes on 2 systems in columns 'model_a' and 'model_b', then on 4 systems" in reading


RUNNING = {
    "shuffled": np.random.default_rng(0).permutation(60) + 1,
    "newest first": np.arange(60, 0, -1),
    "some left out": np.delete(np.arange(70), range(3, 30, 3))[:60],
    "from 101": np.arange(101, 161),
    "anew": np.tile(np.arange(1, 31), 2),
}


@pytest.mark.parametrize("numbers", RUNNING.values(), ids=list(RUNNING))
def test_a_running_number_is_no_number_of_votes(numbers):
    sides = {"model_a": "A", "model_b": np.repeat(["B", "C"], 30)}
    votes = pd.DataFrame(sides | {"winner": ["model_a", "model_b", "tie"] * 20})
    assert bt.read(votes.assign(n=numbers)).attrs["n"] == 60


@pytest.mark.parametrize("numbers", [[1, 2, 3], np.arange(40, 0, -2), [3, 5] * 10])
def test_numbers_that_hardly_run_are_refused(numbers):
    votes = pd.DataFrame({"model_a": "A", "model_b": "B", "winner": [*"AAB"] * 8})
    with pytest.raises(ValueError, match="one vote"):
        bt.read(votes[: len(numbers)].assign(n=numbers))


def test_a_number_of_votes_next_to_a_judge_is_refused():
    table = pd.DataFrame(
        {"model_a": "A", "model_b": "B", "judge": [*"AB"] * 8, "human": [*"AABB"] * 4}
    )
    counted = table.assign(count=[1, 30] * 8)
    with pytest.raises(ValueError, match=r"column 'count'.*one vote"):
        bt.read(counted, judge="judge", human="human")
    assert bt.read(counted, judge="judge", human="human", ignore="count").attrs["n"] == 16
