"""Reports on a table of measures: every measure by name, every p, and nothing on new items."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.kinds import build_page
from betterthan.results.tests_page import sign_test_page

STRENGTHS = {
    "B": dict(zip("abcdefgh", (0.06, 0.10, 0.20, 0.30, 0.33, 0.35, 0.40, 0.40), strict=True)),
    "A": {"i": 0.02, "j": 0.17},
}


@pytest.fixture
def diag():
    return bt.datasets.diag_measures()


def table_of(page, heading):
    return next(part.tables[0] for part in page.parts if part.heading == heading)


def words(text):
    return " ".join(text.split())


def test_ticks_are_those_of_the_published_table(diag):
    """Di Eugenio, Glass and Scott 2002, Table 4."""
    table = table_of(build_page(bt.sign_test(diag)), "Measures")
    ticks = {row[0]: row[1] for row in table.rows}
    assert ticks.pop("feedback time (min)") == "left out (DIAG-NLP)"
    assert ticks.pop("RU recollection") == "✓ DIAG-orig"
    assert ticks.pop("helped stay on right track") == "✓ tie"
    assert len(ticks) == 8
    assert set(ticks.values()) == {"✓ DIAG-NLP"}
    assert next(row for row in table.rows if row[0] == "total time (min)")[3:] == ("29.8", "28")


def test_the_six_published_p_values_are_in_one_table(diag):
    """Section 3.1: 0.011, 0.0545 (0.0547 in 4.2), 0.02, 0.09, and without the tie 0.02, 0.035."""
    table = table_of(build_page(bt.sign_test(diag)), "All p-values")
    by = {(row[0], row[1]): (row[2], float(row[3]), row[4]) for row in table.rows}
    one_less = "without one for DIAG-NLP"
    expected = {
        ("all 10", "ties to DIAG-NLP"): ("9 of 10", 0.011, "significant"),
        ("all 10", "ties to DIAG-orig"): ("8 of 10", 0.0547, "marginal"),
        ("all 10", "ties dropped"): ("8 of 9", 0.0195, "significant"),
        (one_less, "ties to DIAG-NLP"): ("8 of 9", 0.0195, "significant"),
        (one_less, "ties to DIAG-orig"): ("7 of 9", 0.0898, "marginal"),
        (one_less, "ties dropped"): ("7 of 8", 0.0352, "significant"),
    }
    for key, (successes, p, level) in expected.items():
        assert by[key][0] == successes
        assert by[key][1] == pytest.approx(p, abs=0.0004)
        assert by[key][2] == level


@pytest.mark.parametrize("ties", ["drop", "half", "to_a", "to_b", "third"])
@pytest.mark.parametrize("turned", [False, True])
def test_the_first_sentence_has_the_p_of_the_test(diag, ties, turned):
    diag = diag[diag.columns[[1, 0, 2, 3]]] if turned else diag
    test = bt.sign_test(diag, ties=ties)
    p = test["p_value"].sel(system_a="DIAG-NLP", system_b="DIAG-orig").item()
    first = build_page(test).answer[0]
    assert f"(two-sided p = {p:.3g})" in first
    assert ("but not on significantly more" in first) == (p > 0.05)
    one = bt.sign_test(diag, ties=ties, alternative="greater")
    p = one["p_value"].sel(system_a="DIAG-NLP", system_b="DIAG-orig").item()
    assert f"(one-sided p = {p:.3g})" in build_page(one).answer[0]


@pytest.mark.parametrize(
    ("wins", "ties", "policy", "expected"),
    [
        ((5, 1), 0, "drop", "A is ahead on more measures than B, but not on significantly more"),
        ((3, 2), 20, "to_b", "A is ahead on more measures than B, but not with ties to B."),
        ((2, 3), 20, "to_a", "B is ahead on more measures than A, but not with ties to A."),
        ((4, 4), 2, "drop", "A and B are each ahead on 4 of 10 independent measures, 2 tied."),
        ((4, 4), 8, "to_a", "Sign test, ties to A (two-sided p = 0.0768)."),
        (
            (1, 0),
            0,
            "drop",
            "A is ahead on 1 of 1 independent measure, B on 0 (sign test, no ties;",
        ),
    ],
)
def test_the_answer_names_whoever_is_ahead(wins, ties, policy, expected):
    better = [1] * wins[0] + [0] * wins[1] + [0.5] * ties
    frame = pd.DataFrame({"A": better, "B": [1 - x for x in better], "higher_is_better": 1})
    page = build_page(bt.sign_test(frame, ties=policy))
    assert any(line.startswith(expected) for line in page.answer), page.answer


def test_measures_are_no_items_that_could_be_drawn_anew(diag):
    for written in (
        bt.report(bt.sign_test(diag)),
        bt.report(bt.compare(diag)),
        str(bt.compare(diag)),
        bt.report(bt.compare(diag), format="html", figures=False),
    ):
        assert "n counts measures, not items or people" in words(written)
        for phrase in ("non-tied item", "Fragile", "eplication prob", "new items", "10 items"):
            assert phrase not in words(written)
    assert "On 10 measures: 8 wins, 1 loss, 1 tie" in words(str(bt.compare(diag)))
    with pytest.raises(ValueError, match="of measures, which are no sample"):
        bt.plan.replication(bt.compare(diag))


def test_undecided_measures_are_not_to_be_made_more(diag):
    undecided = bt.compare(diag.head(4).assign(independent=1, higher_is_better=[0, 0, 1, 1]))
    assert "Undecided" in str(undecided)
    written = bt.report(undecided, format="html", figures=False)
    assert "Add measures" not in written
    assert "Plan for" not in written


def test_an_answer_on_measures_is_that_of_their_counts(diag, tmp_path):
    counts = bt.counts.from_measures(diag)
    for answer in (bt.compare(diag), bt.compare(counts)):
        pair = answer.pairs.iloc[0]
        assert pair["prob_better"] == pytest.approx(0.98926, abs=1e-5)
    diag.to_csv(tmp_path / "m.csv")
    read = bt.read(tmp_path / "m.csv", layout="measures")
    np.testing.assert_array_equal(read, counts)
    assert read.attrs["reading"].startswith("m.csv read as measures: 10 independent measures x 2")
    assert read.attrs["reading"].endswith("left out: feedback time (min)")
    assert build_page(bt.sign_test(read)).parts == build_page(bt.sign_test(diag)).parts[:2]
    with pytest.raises(ValueError, match="rows are measures and not items; pass layout='measures'"):
        bt.compare(tmp_path / "m.csv")


def test_counts_keep_their_table_of_measures_in_files(diag, tmp_path):
    bt.counts.from_measures(diag).to_netcdf(tmp_path / "c.nc", engine="h5netcdf")
    back = xr.load_dataarray(tmp_path / "c.nc", engine="h5netcdf")
    assert bt.report(bt.sign_test(back)) == bt.report(bt.sign_test(diag))


def test_three_systems_have_their_pairs_and_every_measure(diag):
    text = words(bt.report(bt.sign_test(diag.assign(third=diag["DIAG-NLP"] * 1.1), ties="all")))
    assert "1 of 3 pairs are significant at 0.05" in text
    assert "✓ third" in text
    assert "Mid-p" in text
    compared = words(str(bt.compare(diag.assign(third=diag["DIAG-NLP"] * 1.1))))
    assert "P(best) is not available: measures are not items of one kind." in compared


def test_a_test_of_items_is_reported_too():
    text = words(bt.report(bt.sign_test(bt.datasets.contingency_case("a"))))
    assert (
        "A is ahead on 12 items, B on 2: p = 0.0129 (sign test, two-sided, ties dropped)." in text
    )
    assert "measures" not in text


def test_the_published_strengths_and_the_usual_rule():
    """Section 4.2 and Table 5, with the erratum of A at 0.02."""
    page = build_page(bt.significance.strength(STRENGTHS, rng=1))
    rows = {row[:3]: row[3:] for row in table_of(page, "Strength").rows}
    assert rows["B", "g, h", "0.4"] == ("8", "0.0123", "yes")
    assert rows["A", "i", "0.02"] == ("1", "0.183", "yes")
    published = (0.4614, 0.2639, 0.3222, 0.3504, 0.2064, 0.0949, 0.0123)
    tails = [float(cells[1]) for (system, *_), cells in rows.items() if system == "B"]
    assert tails == pytest.approx(published, abs=0.0006)
    first, level, rule = page.answer
    assert first.startswith("B has the stronger results: 8 of 10 measures at p ≤ 0.4")
    assert "with probability 0.128, so this is no strong evidence." in level
    assert rule == (
        "By the usual rule, to count significant measures, A is better, against all measures "
        "together, which favor B. Significant at 0.05 for A: i (p = 0.02); for B: none."
    )


def test_strength_of_a_table_is_that_of_its_p_values(diag):
    p = np.linspace(0.04, 0.9, 11)
    found = bt.significance.strength(diag.assign(p_value=p), rng=1)
    nlp = [k for k in range(11) if k not in (1, 6, 8)]  # left out, for the other, tied
    halves = {"DIAG-orig": [p[6] / 2], "DIAG-NLP": p[nlp] / 2}
    expected = bt.significance.strength(halves, measures=10, rng=1)
    np.testing.assert_allclose(found["tail"], expected["tail"])
    assert found["level_overall"].item() == expected["level_overall"].item()
    assert found["measure"].values.tolist()[:2] == ["RU recollection", "total time (min)"]
    page = build_page(found)
    assert "Significant at 0.05 for DIAG-NLP: total time (min) (p = 0.04)" in page.answer[-1]
    with pytest.raises(ValueError, match="p_values have no column 'p_value'"):
        bt.significance.strength(diag)
    blank = diag.assign(p_value=[0.2, *[np.nan] * 10])
    assert bt.significance.strength(blank, rng=1).attrs["measures"] == 10


def test_every_policy_of_ties_names_the_system_that_won_more():
    random = np.random.default_rng(3)
    scores = pd.DataFrame(random.random((40, 3)) < [0.2, 0.5, 0.9], columns=[*"ABC"]).astype(int)
    for ties in ("drop", "half", "to_a", "to_b"):
        (answer,) = bt.sign_test(bt.read(scores), ties=ties).pipe(sign_test_page).answer
        assert ("C > A" in answer) or ("A < C" in answer), answer
        assert not {"A > C", "C < A", "B > C", "C < B"} & {*re.findall(r"\w [<>] \w", answer)}


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ({"essay score": 0.03}, "DIAG-NLP is better. Significant at 0.05 for DIAG-NLP: essay"),
        ({"RU recollection": 0.03}, "DIAG-orig is better, against all measures together"),
        ({"RU recollection": 0.03, "essay score": 0.01}, "significant at 0.05 for both systems"),
        ({"feedback time (min)": 0.01}, "No single measure is significant at 0.05"),
    ],
)
def test_the_usual_rule_lists_measures_of_either_side(diag, p, expected):
    test = bt.sign_test(diag.assign(p_value=pd.Series(p)))
    assert expected in words(bt.report(test))


def test_test_and_strength_are_one_report(diag):
    diag = diag.assign(p_value=0.3)
    page = bt.report(bt.sign_test(diag), bt.significance.strength(diag, rng=1), format="markdown")
    assert page.count("# Measures of DIAG-orig and DIAG-NLP") == 1
    assert page.count("n counts measures") == 1
    assert page.index("## Measures") < page.index("## All p-values") < page.index("## Strength")


@pytest.mark.parametrize("value", [1.2, "no"])
def test_a_p_value_that_is_none_is_refused(diag, value):
    frame = diag.assign(p_value=pd.Series([value] * 11, index=diag.index, dtype=object))
    with pytest.raises(ValueError, match="p_value"):
        bt.sign_test(frame)


@pytest.mark.parametrize("part", [{"system": [0]}, {"subset": [0]}])
def test_a_part_of_a_strength_is_refused(part):
    whole = bt.significance.strength(STRENGTHS, rng=1)
    with pytest.raises(ValueError, match="a part of the strength of two systems"):
        bt.report(whole.isel(part))


def test_equal_strengths_name_no_system():
    same = {"A": {"t": 0.04}, "B": {"u": 0.04}}
    for p_values in (same, {"B": same["B"], "A": same["A"]}):
        first = build_page(bt.significance.strength(p_values, rng=1)).answer[0]
        assert "have equally strong results" in first
        assert "has the stronger results" not in first


def three_systems():
    """The first is right on 10 of 30 items, the second on 28, the third on 29."""
    right = [np.r_[[0] * 20, [1] * 10], np.r_[[1] * 18, [0] * 2, [1] * 10], np.r_[[1] * 29, 0]]
    coords = {"system": ["weak", "good", "best"]}
    return xr.DataArray(np.column_stack(right), coords, ("item", "system"))


@pytest.mark.parametrize(("side", "sign"), [("greater", ">"), ("less", "<"), ("two-sided", ">")])
def test_significant_pairs_name_the_better_system(side, sign):
    scores = three_systems() if side != "greater" else three_systems()[:, ::-1]
    text = words(bt.report(bt.sign_test(scores, alternative=side)))
    better = ("good", "best") if side != "greater" else ("best", "good")
    pairs = [f"weak < {name}" if sign == "<" else f"{name} > weak" for name in better]
    assert "; ".join(pairs) in text


@pytest.mark.parametrize("ties", ["to_a", "to_b", "half"])
def test_ties_that_count_as_wins_are_no_items_that_a_system_is_ahead_on(ties):
    counts = bt.counts.from_table({("c", "e"): (19, 12, 29)})
    text = words(bt.report(bt.sign_test(counts, ties=ties)))
    assert "c is ahead on 19 items, e on 12" in text
    assert "c e 19 12 29" in text


def test_a_test_of_all_policies_states_whether_they_agree():
    test = bt.sign_test(three_systems(), ties="all")
    number = int(test["flips"].values[np.triu_indices(3, 1)].sum())
    assert number > 0
    text = words(bt.report(test))
    assert f"Ties: the policies change the result of {number} of 3 pairs; this page drops" in text
    assert "ties=all" in text
    clear = bt.counts.from_table({("A", "B"): (40, 1, 1)})
    assert "all lead to the same result" in words(bt.report(bt.sign_test(clear, ties="all")))
