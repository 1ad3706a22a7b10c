"""What is printed: one verdict of a pair, a picture of differences, numbers for long names."""

import io
import re
import sys

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import numbers
from betterthan.results.brief import _more, brief_page
from betterthan.results.comparison import Comparison
from betterthan.results.marks import ASCII, UNICODE
from betterthan.results.text import short_names

LONG = [
    "20251205_sonar-foundation-agent_claude-opus-4-5",
    "20251103_sonar-foundation-agent_claude-sonnet-4-5",
    "20250928_trae_doubao_seed_code",
    "base",
]


def scores(systems, items=120, seed=3, **attrs):
    share = np.linspace(0.85, 0.5, len(systems))
    right = np.random.default_rng(seed).random((items, len(systems))) < share
    coords = {"system": list(systems)}
    return xr.DataArray(right.astype(float), dims=("item", "system"), coords=coords, attrs=attrs)


def picture(comparison):
    return brief_page(comparison.by_engine()).picture


def shown(comparison):
    """Of each system in the picture its last columns: difference, P(best), verdict."""
    marks = re.compile(r"[^│┃┼├┤─●■◆○┊]*$")
    return {line.split()[0]: marks.search(line)[0].split() for line in picture(comparison)[2:]}


def test_printed_verdicts_are_those_of_the_tables_and_of_the_data():
    """One number of a pair, wherever it stands."""
    comparison = bt.compare(scores("abcde"), baseline="e")
    pairs = comparison.pairs.set_index(["system", "other"])
    data = comparison.data
    text, seen = str(comparison), shown(comparison)
    for (system, other), row in pairs.iterrows():
        cell = data.sel(system_a=system, system_b=other)
        assert row["prob_better"] == float(cell["prob_better"])
        verdict = "better" if str(cell["verdict"].item()) == "a_better" else "undecided"
        assert row["verdict"] == verdict
        (line,) = re.findall(rf"^ {system} +{other} .*$", text, re.M)
        assert bt.results.numbers.probability(row["prob_better"]) in line
        assert line.endswith(f"{system} better" if row["verdict"] == "better" else "undecided")
        if other == "e":
            assert seen[system][-1] == row["verdict"]
            assert float(seen[system][0]) == pytest.approx(row["difference"], abs=0.005)
    assert seen["e"][-1] == "baseline"


def test_pairwise_numbers_have_columns_of_their_own():
    comparison = bt.compare(scores("abc"))
    alone = bt.compare(scores("abc"), systems=["a", "b"])
    row = comparison.pairs.set_index(["system", "other"]).loc[("a", "b")]
    assert row["pairwise_prob_better"] == alone.pairs["prob_better"][0]
    assert row["pairwise_difference"] == alone.pairs["difference"][0]
    assert row["prob_better"] != row["pairwise_prob_better"]
    assert "alone" not in str(comparison)
    assert "Pairwise P(better)" in " ".join(bt.report(comparison).split())


def test_long_names_are_numbered_and_the_table_of_systems_says_whose_number_it_is():
    text = str(bt.compare(scores(LONG)))
    tables = text.partition("Systems, best first")[2].partition("betterthan 0")[0]
    ranked = re.findall(r"^ #(\d) (\S+) ", tables, re.M)
    assert [number for number, _ in ranked] == ["1", "2", "3", "4"]
    assert len({name for _, name in ranked}) == 4
    assert all(len(name) <= 24 for _, name in ranked)
    assert len(re.findall(r"^ #\d +#\d ", tables, re.M)) == 6
    assert max(map(len, tables.splitlines())) <= 110
    assert LONG[0] in text.partition("\n\n")[0]  # sentences have whole names


def test_a_system_whose_name_is_a_number_is_not_taken_for_a_rank():
    """Ranked first to last: #3, the long one, #1. `#1` must stay the name of the last."""
    text = str(bt.compare(scores(["#3", LONG[0], "#1"])))
    (first, *_) = re.findall(r"^ (\S+) +\S+ .* (.+) better$", text, re.M)
    assert first[0] == first[1] == "#3"
    assert re.search(r"^ #1 +0\.\d+ \[", text, re.M)  # in the table of systems


def test_a_system_called_better_than_another_keeps_its_name():
    long = "a system with a name of many characters"
    text = str(bt.compare(scores([f"{long} better", long, "x"])))
    tables = text.partition("Systems, best first")[2]
    ranked = dict(re.findall(r"^ #(\d) (\S.*?)  ", tables, re.M))
    assert ranked["1"].endswith("better")
    assert not ranked["2"].endswith("better")
    assert re.search(r"^ #1 +#2 .* undecided$", tables, re.M)
    assert re.search(r"^ #1 +#3 .* #1 better$", tables, re.M)


def test_names_that_differ_in_the_middle_are_short_alike_in_any_order():
    betas = ["0.5", "0.05", "0.3", "0.01", "0.2", "0.1"]
    names = [f"outputs/llama3-8b-dpo-beta{b}-lr5e-7-epochs2-bs64/checkpoint" for b in betas]
    short = short_names(names)
    assert short == short_names(names[::-1])
    assert all(f"beta{b}-" in short[name] for b, name in zip(betas, names, strict=True))
    assert max(map(len, short.values())) <= 24
    numbered = [f"{k}{'-same' * 8}{k % 2}" for k in range(100, 104)]
    assert short_names(numbered, 9) == short_names(numbered[::-1], 9)


@pytest.mark.parametrize("most", [8, 24])
def test_short_names_differ(most):
    names = [f"the same long beginning {k} the same long end" for k in range(30)]
    names += ["short", "a name of another kind that is long"]
    short = short_names(names, most)
    labels = [short.get(name, name) for name in names]
    assert len(set(labels)) == len(names)
    assert "short" in labels


def test_of_many_systems_those_that_matter_have_rows():
    comparison = bt.compare(scores([f"s{k}" for k in range(20)], items=300), baseline="s15")
    lines = picture(comparison)
    assert len(lines) <= 12
    seen = shown(comparison)
    assert seen["s15"][-1] == "baseline"
    best = comparison.systems["system"][comparison.systems["in_best_set"]].tolist()
    assert set(best[:3]) <= set(seen)
    assert re.search(r"\d+ more systems: ", lines[-1])


def test_two_systems_have_one_row_and_their_own_probability():
    comparison = bt.compare(bt.datasets.contingency_case("a"))
    title, heads, row = picture(comparison)
    assert title == " Difference in win rate, A − B, point and 95% HDI"
    assert heads.endswith("P(better)  Verdict")
    assert row.startswith(" A − B ")
    assert row.endswith("+0.0100      0.996  better")


def test_two_long_names_are_shortened_in_the_picture():
    row = picture(bt.compare(scores(LONG[:2])))[2]
    assert re.match(r" \S{24} − \S{24} ", row)


def test_systems_without_a_row_are_counted_by_verdict():
    assert _more(["reference", "worse", "undecided"], [0, 1]) == "1 more system: undecided"
    assert _more(["reference", "worse", "worse"], [0]) == "2 more systems: all worse"
    rest = ["reference", "worse", "worse", "better"]
    assert _more(rest, [0]) == "3 more systems: 2 worse, 1 better"
    assert _more(rest, [0, 1, 2, 3]) == ""


def test_chains_that_have_not_converged_have_no_picture():
    comparison = bt.compare(scores("abc"))
    failed = comparison.data.assign_attrs(failures="R-hat is 1.2")
    assert picture(comparison)
    assert not picture(Comparison(failed))


def test_better_is_on_the_right_where_lower_is_better():
    values = np.random.default_rng(1).random((60, 2)) + np.array([0.0, 0.4])
    graded = xr.DataArray(values, dims=("item", "system"), coords={"system": ["x", "y"]})
    oriented = (graded.assign_attrs(higher_is_better=better) for better in (True, False))
    up, down = (picture(bt.compare(data))[2] for data in oriented)
    for row in (up, down):  # the system ahead stands first, its mark right of zero
        assert row.index("│") < row.index("●")
    assert up.startswith(" y − x")
    assert down.startswith(" x − y")


@pytest.mark.parametrize(
    "data",
    [
        bt.datasets.intent_detection(),  # ties unknown
        scores("ab").assign_coords(cluster=("item", ["one"] * 120)),
    ],
)
def test_without_an_interval_there_is_no_picture(data):
    assert not picture(bt.compare(data))


def test_a_narrow_terminal_has_no_picture(monkeypatch):
    comparison = bt.compare(scores("abc"))
    assert UNICODE.worse in str(comparison)
    monkeypatch.setattr("betterthan.results.text.terminal_width", lambda: 60)
    assert UNICODE.worse not in str(comparison)


def test_ascii_output_has_ascii_marks(monkeypatch):
    class Narrow:
        encoding = "ascii"

        def isatty(self):
            return False

    comparison = bt.compare(scores("abc"))
    monkeypatch.setattr("sys.stdout", Narrow())
    lines = picture(comparison)
    assert any(f"-{ASCII.worse}-" in line for line in lines)
    "\n".join(lines).encode("ascii")


def test_a_notebook_shows_the_picture():
    html = bt.compare(scores("abc"))._repr_html_()
    assert "<pre> Difference in accuracy from" in html


def gaps():
    """Two systems, of which one has no score on the first 30 of 200 items."""
    values = (np.random.default_rng(0).random((200, 2)) < [0.74, 0.62]).astype(float)
    values[:30, 1] = np.nan
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["haptik", "luis"]})


def test_missing_scores_have_their_extremes_in_the_picture():
    comparison = bt.compare(gaps())
    *_, both, best, worst = picture(comparison)
    assert both.startswith(" 170 items with both ")
    for row, case in ((best, (1.0, 0.0)), (worst, (0.0, 1.0))):
        filled = gaps().copy(data=np.where(np.isnan(gaps()), case, gaps()))
        alone = bt.compare(filled)
        assert row.startswith(f" if missing: luis {case[1]:g} ")
        difference, p = (alone[name].values[0, 1] for name in ("difference_mean", "prob_better"))
        assert row.endswith(f"  {numbers.probability(p)}  {WORDS[alone['verdict'].values[0, 1]]}")
        assert f" {numbers.size(difference)} " in row
    limits = comparison["missing_probability"].values[0, 1].tolist()
    low, high = map(numbers.probability, limits)
    text = " ".join(str(comparison).split())
    assert f"P(haptik better) stays between {low} and {high}. Some values may" in text


WORDS = {"a_better": "better", "b_better": "worse", "undecided": "undecided"}


def test_two_scores_and_their_difference_are_on_the_same_items():
    evidence = bt.compare(gaps()).statement()[1]
    shared = gaps()[30:]
    expected = ", ".join(
        f"{s} {shared.sel(system=s).mean().item():.3f}" for s in ("haptik", "luis")
    )
    assert f"Accuracy (on the {shared.sizes['item']} items with both): {expected}." in evidence
    three = str(
        bt.compare(xr.concat([gaps(), gaps()[:, :1].assign_coords(system=["x"])], "system"))
    )
    assert "each score is on all items that the system has a score for" in " ".join(three.split())


@pytest.mark.parametrize("weight", ["item", "unit"])
@pytest.mark.parametrize("higher", [True, False])
def test_scores_on_shared_items_differ_by_the_difference(weight, higher):
    rng = np.random.default_rng(3)
    values = rng.random((60, 4)).round(2)
    values[rng.random(values.shape) < 0.2] = np.nan
    coords = {"system": list("abcd"), "cluster": ("item", np.arange(60) // rng.integers(3, 9))}
    data = xr.DataArray(
        values, dims=("item", "system"), coords=coords, attrs={"higher_is_better": higher}
    )
    found = bt.compare(data, weight=weight).data
    shared = found["score_shared"].values
    different = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(
        (shared - shared.T)[different], found["difference_mean"].values[different], atol=1e-12
    )


def test_what_a_verdict_needs_stands_before_the_provenance():
    comparison = bt.compare(scores("abc"), threshold=0.9)
    *_, rule, provenance = str(comparison).split("\n\n")
    rule = " ".join(rule.split())
    assert rule.startswith("A verdict needs a posterior probability of at least 0.9.")
    assert "one joint model" in rule
    assert 'c.report(path="report.html").' in rule
    assert provenance == comparison.signature()
    assert ('"Undecided" does not mean equal.' in rule) == (
        "undecided" in comparison.pairs["verdict"].tolist()
    )


def test_of_many_systems_the_pairs_with_the_first_and_the_baseline_have_rows():
    names = [f"s{k}" for k in range(9)]
    comparison = bt.compare(scores(names, items=200), baseline="s4")
    text = str(comparison)
    rows = re.findall(r"^ (s\d) +(s\d) +[+−]", text, re.M)
    first = comparison.systems["system"][0]
    assert 0 < len(rows) <= 12
    assert all({first, "s4"} & set(row) for row in rows)
    assert "all 36 are in .pairs of the comparison" in " ".join(text.split())


@pytest.mark.parametrize("data", [gaps(), scores("abc"), scores(LONG)])
def test_a_stream_in_ascii_gets_the_answer(data, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    print(bt.compare(data))
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    assert "?" not in text
    assert "|--" in text or "|'" in text


def test_a_verdict_that_one_item_would_overturn_is_fragile_and_others_are_not():
    firm = str(bt.compare(bt.counts.from_table({("A", "B"): (40, 10, 50)})))
    close = str(bt.compare(bt.counts.from_table({("A", "B"): (20, 10, 30)})))
    assert "Fragile" not in firm
    assert "! Fragile: the verdict A > B would change if 1 of the 30 non-tied items" in close
