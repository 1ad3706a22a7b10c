"""The first screen alone says which system to take, how sure that is, and what would settle it."""

import re
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from golden.cases import CASES, scored
from scipy import special

import betterthan as bt
from betterthan.results.brief import answer_context, picture_of, statement
from betterthan.results.context import report_context
from betterthan.results.facts import Answer, Pair, answer_facts
from betterthan.results.first_screen import first_screen
from betterthan.results.kinds import build_page
from betterthan.results.markup import as_html, as_markdown
from betterthan.results.robustness import more_labels
from betterthan.results.score_sentences import Judged, judged_sentences
from betterthan.signed import Signature


def _printed(comparison):
    return " ".join(str(comparison).split())


@pytest.fixture(scope="module")
def clustered():
    """Graded scores of seven systems on five clusters of unequal size."""
    random = np.random.default_rng(6)
    cluster = np.repeat(np.arange(5), [8, 12, 16, 26, 38])
    level = np.linspace(0, 0.25, 7)
    values = level + random.normal(0, 0.5, (5, 7))[cluster] + random.normal(0, 0.3, (100, 7))
    return bt.compare(scored(values, list("abcdefg"), cluster=cluster))


@pytest.fixture(scope="module")
def votes():
    return CASES["judgments"]()


def _written_size(answer):
    line = next(line for line in statement(answer) if "Difference in" in line)
    return re.search(r"\(([^()]*) − ([^();]*)[^()]*\): (\S+) \[", line).groups()


@pytest.mark.parametrize("case", ["repeated_runs", "judgments", "judged_three_systems"])
def test_sentence_and_picture_have_the_same_sign(case):
    comparison = CASES[case]()
    context = answer_context(comparison.data)
    picture = picture_of(context) if context else None
    other, reference, size = _written_size(comparison)
    assert picture is not None
    assert reference == picture.reference
    drawn = next(row for row in picture.rows if row.label == other)
    assert drawn.size.partition(" ")[0] == size


def test_shrunken_difference_of_many_systems_is_one_number(clustered):
    text = _printed(clustered)
    assert "shrunk toward 0: the data hardly separate them" in text
    assert "shrunk from" not in text


def test_a_pair_with_a_verdict_is_never_called_hardly_separated():
    """The joint model halves a difference of 5 items, and still finds the best system."""
    scores = np.array([[1.0, 0, 0]] * 5)
    text = " ".join(statement(bt.compare(scores, systems=["A", "B", "C"])))
    assert text.startswith("A is the best of 3 systems (probability 0.961)")
    assert "shrunk from −1.00" in text
    assert "hardly" not in text


def test_one_warning_of_clusters_leaves_the_other_notes_to_the_report(clustered):
    text = " ".join(statement(clustered))
    assert text.count("! Few clusters") == 1
    assert "count as 3.4 of equal size. With" not in text
    assert "count as 3.4 of equal size." in " ".join(as_markdown(build_page(clustered)).split())


def test_plan_separates_the_first_from_all_candidates(clustered):
    more = answer_facts(clustered).more
    text = " ".join(statement(clustered))
    assert more is not None
    assert more.others > 1
    assert more.first != more.second
    # of one candidate the wins favor the other side
    assert (more.separated, more.split) == (more.others - 1, 1)
    assert f"from {more.separated} of the {more.others} other candidates" in text
    assert "1 may end split between wins and means" in text
    assert "on each pair" in text


def test_of_very_many_candidates_one_pair_is_planned_for():
    """The first of 30 equal systems: to separate it from 29 others says little, and takes long."""
    random = np.random.default_rng(2)
    scores = xr.DataArray(
        (random.random((60, 30)) < 0.5).astype(float),
        dims=("item", "system"),
        coords={"system": [f"s{k}" for k in range(30)]},
    )
    comparison = bt.compare(scores)
    more = answer_facts(comparison).more
    assert answer_facts(comparison).n_best_set > 21
    assert more.others == 1


def test_plan_states_what_its_chance_is_averaged_over():
    text = _printed(CASES["judgments"]())
    assert "80% chance of a verdict on this pair, averaged over plausible differences" in text


def test_second_shortlist_is_explained(clustered):
    answer, text = answer_facts(clustered), _printed(clustered)
    undecided = len(answer.best) - 1
    assert answer.n_best_set is not None
    assert answer.n_best_set < len(answer.best)
    assert answer.n_also_undecided == undecided - (answer.n_best_set - 1)
    assert "1 more is undecided against the first but unlikely to be the best (at most 5%)." in text


def test_single_shortlist_needs_no_explanation():
    assert "more is undecided" not in _printed(CASES["three_systems"]())


def test_contenders_are_marked_in_picture_and_table(clustered):
    text, size = str(clustered), answer_facts(clustered).n_best_set
    assert text.count("* may be the best") == 2
    assert len(re.findall(r"^ \w .* \* 0\.\d{3}", text, re.MULTILINE)) == 2 * size


def test_up_to_eight_possible_bests_are_all_named():
    random = np.random.default_rng(1)
    systems = [f"s{k}" for k in range(7)]
    scores = xr.DataArray(
        (random.random((60, 7)) < 0.6).astype(float),
        dims=("item", "system"),
        coords={"system": systems},
    )
    answer = bt.compare(scores).statement()[0]
    assert "; also " in answer
    assert set(re.findall(r"s\d", answer.partition("P(best)")[2])) == set(systems)


def test_single_best_has_no_mark():
    text = str(bt.compare(bt.datasets.contingency_case("a")))
    assert "*" not in text
    assert "*" not in str(CASES["three_systems"]())


def test_votes_state_their_number_and_their_only_verdict(votes):
    first = statement(votes)[0]
    assert first.startswith("No clear winner among 3 systems on 60 judgments in 10 clusters.")
    assert "The only verdict: red is better than blue (probability 0.998)." in first
    meta = first_screen(report_context(votes.by_engine()), "").meta
    assert list(meta)[:2] == ["3 systems", "60 judgments in 10 clusters"]


def test_long_list_of_candidates_is_cut_by_name_and_not_left_out():
    systems = [f"2025-12-{k}5_an-agent-with-a-long-name_large-model" for k in (0, 1, 2)]
    values = (np.random.default_rng(3).random((60, 3)) < [0.7, 0.68, 0.66]).astype(float)
    page = as_html(build_page(bt.compare(values, systems=systems)))
    listed = page.partition('<span class="listed">')[2].partition("</h")[0]
    assert "listed far" not in page
    assert listed.count('<i class="cut"') == 3
    assert re.sub("<[^>]*>", "", listed).count(systems[0]) == 1


def test_undecided_judged_pair_has_a_number_of_labels_to_plan():
    comparison = CASES["judged_by_a_model"]()
    text = " ".join(statement(comparison))
    assert "plan for about 160 more human labels (80% chance of a verdict" in text
    assert "; only 64 judged items lack one)." in text
    step = build_page(comparison).screen.step
    assert step.do.startswith("Plan for about 160 more human labels to separate llama-7b from")
    assert "30 human labels so far" in step.condition


def test_labels_of_a_pair_are_as_many_as_a_simulation_needs():
    """Human labels of new items, drawn as the labels so far predict."""
    random = np.random.default_rng(1)
    row = {"n": 400, "n_gold": 40, "r2": 0.0, "effective_gold": 40.0, "system": "A", "other": "B"}
    counts = np.array([20, 12, 8])
    share = random.dirichlet(counts + 1, 4_000)
    size = share[:, 0] - share[:, 1]
    low, high = np.quantile(size, [0.025, 0.975])
    more = more_labels(row | {"difference": size.mean(), "lower": low, "upper": high}, Signature())
    assert more is not None
    assert more.items is not None
    after = counts + 1 + np.array([random.multinomial(more.items, p) for p in share])
    better = special.betainc(after[:, 1], after[:, 0], 0.5)
    decided = ((better >= 0.95) | (better <= 0.05)).mean()
    assert 0.78 < decided < 0.88


def test_number_of_labels_is_not_named_where_nothing_can_be_predicted():
    row = {"n": 9, "n_gold": 1, "r2": 0.0, "effective_gold": 1.0, "system": "A", "other": "B"}
    assert more_labels(row | {"difference": 0.1, "lower": -1, "upper": 1}, Signature()) is None
    answer = Answer(n_systems=2, pair=Pair(first="A", second="B", verdict="undecided", p=0.6))
    judged = Judged(answer=answer, labels_by="people", n_labels=1, n_judged=9, too_few=True)
    assert "No number of further labels can be named" in " ".join(judged_sentences(judged))


def test_narrow_screen_leaves_out_only_a_list_that_its_picture_marks():
    systems = [f"2025-12-{k}5_an-agent-with-a-long-name_large-model" for k in range(5)]
    skill = [0.7, 0.68, 0.69, 0.66, 0.1]
    values = (np.random.default_rng(3).random((60, 5)) < skill).astype(float)
    page = build_page(bt.compare(values, systems=systems))
    assert page.screen.marks_all
    assert '<span class="listed far">P(best): ' in as_html(page)
    fewer = replace(page.screen.picture, n_marked=page.screen.picture.n_marked + 1)
    page = replace(page, screen=replace(page.screen, picture=fewer))
    assert '<span class="listed">P(best): ' in as_html(page)
