"""What is written for a paper and for a pull request."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import numbers


@pytest.fixture(scope="module")
def three():
    random = np.random.default_rng(3)
    values = (random.random((60, 3)) < [0.9, 0.55, 0.5]).astype(float)
    names = ["best_of & all", "gpt-4-1106-preview (functions)/v2_long", "c"]
    return bt.compare(xr.DataArray(values, dims=("item", "system"), coords={"system": names}))


def scores(items, **coords):
    values = (np.random.default_rng(3).random((items, 3)) < [0.9, 0.55, 0.5]).astype(float)
    coords = {name: ("item", values) for name, values in coords.items()}
    return xr.DataArray(values, dims=("item", "system"), coords={"system": list("xyz"), **coords})


@pytest.fixture(scope="module")
def clustered():
    return bt.compare(scores(120, cluster=np.arange(120) // 6))


@pytest.fixture(scope="module")
def repeated():
    return bt.compare(scores(120, item=np.arange(120) // 4, epoch=np.arange(120) % 4))


@pytest.fixture(scope="module")
def pair():
    return bt.compare(bt.datasets.contingency_case("a"))


def test_the_sentence_says_what_was_found_and_how(pair):
    said = bt.report(pair, format="sentence")
    assert said.startswith(
        "On 1,000 items, A was better than B with posterior probability 0.996 (difference in win "
        "rate +0.0100, 95% HDI [+0.0024, +0.0180]; 12 wins, 2 losses, 986 ties for A)."
    )
    assert bt.signature(pair) in said
    assert said.count("\n") == 1


def test_items_whose_ties_are_unknown_are_those_that_one_of_the_two_won():
    said = bt.report(bt.compare(bt.counts.from_table({("A", "B"): (12, 2)})), format="sentence")
    assert said.startswith("On 14 items that one of the two won, A was better than B with")


def macros_of(found):
    written = bt.report(found, format="latex-macros")
    return dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\} %", written))


def test_macros_hold_the_numbers(pair, three):
    macros = macros_of(pair)
    assert (macros["btPAoverB"], macros["btItems"]) == ("0.996", "1,000")
    macros, systems = macros_of(three), three.systems["system"].tolist()
    assert macros["btNameA"] == r"best\_of \& all"
    assert macros["btScoreA"] == f"{three.systems['score'][0]:.3f}"
    square = three.data["prob_better"].sel(system_a=systems, system_b=systems).values
    ahead = (1, 2) if square[1, 2] >= 0.5 else (2, 1)
    name = "btP{}over{}".format(*("ABC"[k] for k in ahead))
    assert macros[name] == numbers.probability(square[ahead])
    assert all(name.isalpha() for name in macros)


def test_the_best_set_is_bold_and_decided_pairs_are_marked(three):
    table = bt.report(three, format="latex-table")
    rows = re.findall(r"^(.*) \\\\$", table, re.M)[1:]
    assert [r"\textbf" in row for row in rows] == three.systems["in_best_set"].tolist()
    verdict = three.data["verdict"].sel(system_a="best_of & all", system_b="c").item()
    assert verdict == "a_better"
    assert "^{*}" in rows[0]
    assert r"\label{tab:betterthan}" in table
    assert "3 systems, best first, on 60 items. Accuracy with its 95\\% HDI." in table
    assert (
        "Model: joint model of all systems, Dirichlet(1, 1, 1) prior on win, loss and tie." in table
    )
    assert "verdict, at 0.95 or above" in table


def test_p_values_are_a_column_and_the_caption_names_test_reference_and_correction(three):
    c = three.data
    assert " p &" not in bt.report(three, format="latex-table")
    table = bt.report(three, format="latex-table", p_values="sign")
    systems = three.systems["system"].tolist()
    reference = three.systems.loc[three.systems["prob_best"].idxmax(), "system"]
    rows = [row.split(" & ") for row in re.findall(r"^(.*) \\\\$", table, re.M)]
    at = rows[0].index("p")
    p = c["p_adjusted"].sel(test="sign", system_b=reference, system_a=systems).values
    for system, row, value in zip(systems, rows[1:], p, strict=True):
        small = "<0.001" if value < 0.001 else numbers.p_value(float(value))
        assert row[at].strip("$") == ("--" if system == reference else small)
    caption = re.search(r"\\caption\{(.*)\}", table)[1]
    assert "p: two-sided sign test against best" in caption
    assert caption.endswith("Holm correction for 3 pairs.")


def test_p_values_on_clusters_say_so(clustered):
    table = bt.report(clustered, format="latex-table", p_values="randomization")
    assert "randomization test against" in table
    assert "on clusters, Holm correction for 3 pairs" in table


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"format": "latex-table", "p_values": "t"},
            "p_values is 't', but the comparison has sign",
        ),
        ({"format": "sentence", "p_values": "sign"}, "p_values is for format='latex-table'"),
        ({"p_values": "sign"}, "p_values is for format='latex-table', not for 'text'"),
    ],
)
def test_p_values_of_no_test_or_of_another_format_are_an_error(three, choices, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.report(three, **choices)
    assert "\n" not in str(caught.value)


PAPERS = ("sentence", "latex-table", "latex-macros")
PRIVATE = ("told", "by itself", "decided among", "stayed", "per cent", "±", " right", "pair alone")


@pytest.mark.parametrize("format", PAPERS)
@pytest.mark.parametrize("which", ["pair", "three", "clustered", "repeated"])
def test_papers_use_the_terms_of_the_field(which, format, request):
    text = bt.report(request.getfixturevalue(which), format=format)
    assert not [word for word in PRIVATE if word in text]


@pytest.mark.parametrize("format", ["sentence", "latex-table"])
def test_items_clusters_and_runs_are_counted_as_they_are(clustered, repeated, format):
    text = bt.report(clustered, format=format)
    assert "on 120 items in 20 clusters" in text.lower()
    assert "120 clusters" not in text
    text = bt.report(repeated, format=format)
    assert "on 30 items with repeated runs" in text.lower()


def test_a_joint_answer_says_which_numbers_to_cite(three, pair):
    assert "Cite these joint numbers" in bt.report(three, format="sentence")
    assert "from a joint model of all systems" in bt.report(three, format="sentence")
    assert r"% Cite \btP" in bt.report(three, format="latex-macros")
    for format in ("sentence", "latex-macros"):
        assert "Cite" not in bt.report(pair, format=format)


def test_verdicts_name_the_winner(pair, three):
    assert macros_of(pair)["btVerdictAoverB"] == "A better"
    assert r"best\_of \& all better" in macros_of(three).values()
    against = bt.compare(bt.datasets.contingency_case("a"), baseline="B")
    assert "A was better than B" in bt.report(against, format="sentence")


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="pdflatex is a program of the system that this project does not install; the tests "
    "above check what the table and the macros hold without it",
)
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_table_and_macros_compile_in_one_column_and_in_two(tmp_path, pair, three, columns):
    """Nothing is wider than its column."""
    bt.report(pair, format="latex-macros", path=tmp_path / "macros.tex")
    for name, found in (("two", pair), ("three", three)):
        path = tmp_path / f"{name}.tex"
        bt.report(found, format="latex-table", p_values="sign", path=path)
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[{columns}]{{article}}\usepackage{{booktabs}}"
        r"\begin{document}\input{macros}P is \btPAoverB.\input{two}\input{three}\end{document}"
    )
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    told = done.stdout.decode("latin-1")
    assert done.returncode == 0, told[-2000:]
    assert "Overfull" not in told
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_a_pull_request_is_short_and_folds_the_pairs(three):
    said = bt.report(three, format="pull-request")
    assert said.startswith("### 3 systems compared")
    assert said.index("best of 3 systems") < said.index("| System |")
    assert "<details><summary>Pairs</summary>" in said
    assert "## Model" not in said


@pytest.mark.parametrize("format", ["sentence", "latex-table", "latex-macros", "pull-request"])
def test_formats_for_papers_are_of_one_comparison(pair, format):
    for given in ([pair, pair], [bt.datasets.beetle_confusion()]):
        with pytest.raises(ValueError, match=f"format='{format}' is of one comparison"):
            bt.report(*given, format=format)


@pytest.mark.filterwarnings("ignore:Scores of s1 are missing")
def test_pairs_without_a_verdict_have_no_probability_in_any_form():
    """The first two systems share no item, and s2 lacks scores of hard items."""
    values = (np.random.default_rng(0).random((60, 3)) < [0.9, 0.65, 0.4]).astype(float)
    values[:30, 0] = values[30:, 1] = np.nan
    comparison = bt.compare(
        xr.DataArray(values, dims=("item", "system"), coords={"system": ["s0", "s1", "s2"]})
    )
    verdicts = dict(zip(["s1", "s2", "-"], comparison.pairs["verdict"], strict=True))
    assert verdicts == {"s1": "no_data", "s2": "better", "-": "no_verdict"}
    macros = macros_of(comparison)
    assert (macros["btPAoverB"], macros["btDAoverB"]) == ("--", "--")
    assert (macros["btPBoverC"], macros["btDBoverC"]) == ("--", "--")
    assert macros["btPAoverC"] == "0.999"
    table = bt.report(comparison, format="latex-table")
    assert r" &  &  & $>99^{*}$ \\" in table
    assert r" &  &  &  \\" in table
    assert "or above; empty: no verdict. Model" in table
    page = bt.report(comparison, format="markdown")
    assert "| s1 |  |  |  |" in page
    assert "\\* decided; empty: no verdict" in page
    drawn = [text.get_text() for text in bt.plot.matrix(comparison).texts]
    assert [text for text in drawn if text.strip("<>").isdigit()] == [">99", "<1"]


@pytest.mark.parametrize("format", ["latex", "latex-table", "latex-macros"])
def test_negative_scores_have_a_minus_in_latex(format):
    rows = {"item": [f"q-{k}" for k in range(12)]}
    scores = {
        system: [-2.0 - k % 4 - place for k in range(12)] for place, system in enumerate("AB")
    }
    answer = bt.compare(pd.DataFrame(rows | scores), higher_is_better=True)
    written = bt.report(answer, format=format)
    assert "$-$3.5" in written
    assert not re.search(r"(^|[ &{\[}])-\d", written)


def gaps(systems="xyz"):
    """Scores of three systems on 100 items; the first and the second lack 40 items each."""
    values = scores(100).copy()
    values[:40, 0] = values[60:, 1] = np.nan
    return values.sel(system=list(systems))


def caption_of(found):
    return re.search(r"\\caption\{(.*)\}", bt.report(found, format="latex-table"))[1]


@pytest.mark.filterwarnings("ignore:Scores of")
def test_pairs_with_unequal_items_have_their_range_in_every_form():
    found = bt.compare(gaps())
    place = "on the 20 to 60 items that each pair shares"
    assert f"3 systems, best first, {place}. Accuracy" in caption_of(found)
    assert "95\\% HDI, each on all items that the system has a score for." in caption_of(found)
    assert place in bt.report(found, format="sentence").lower()
    macros = bt.report(found, format="latex-macros")
    assert "\\btItems}{100} % items; each pair shares 20 to 60 of them" in macros


@pytest.mark.filterwarnings("ignore:Scores of")
def test_complete_items_are_counted_alike_in_every_form():
    found = bt.compare(gaps(), missing="complete")
    assert "3 systems, best first, on 20 items. Accuracy with its" in caption_of(found)
    assert "On 20 items, " in bt.report(found, format="sentence")
    assert macros_of(found)["btItems"] == "20"


def test_scores_of_two_systems_are_on_the_items_with_both_in_every_form():
    values = gaps(systems="xz")
    found = bt.compare(values)
    mean = {name: f"{values.sel(system=name)[40:].mean().item():.3f}" for name in "xz"}
    assert mean["z"] != f"{values.sel(system='z').mean().item():.3f}"
    text = " ".join(str(found).split())
    assert f"Accuracy (on the 60 items with both): x {mean['x']}, z {mean['z']}." in text
    table = bt.report(found, format="latex-table")
    assert f"1 x}} & ${mean['x']}$ & " in table
    assert f"2 z & ${mean['z']}$ & " in table
    assert "). Accuracy on the 60 items with both. Numbered" in caption_of(found)
    macros = macros_of(found)
    assert (macros["btScoreA"], macros["btScoreB"]) == (mean["x"], mean["z"])
    assert macros["btItems"] == "60"
    assert "score of z on the 60 items with both" in bt.report(found, format="latex-macros")


def test_dropped_ties_belong_to_the_items_of_a_paper():
    for systems in (2, 3):
        found = bt.compare(scores(60)[:, :systems], ties="drop")
        assert "On 60 items, " in bt.report(found, format="sentence")
        assert "on 60 items" in caption_of(found).lower()


def test_captions_and_sentences_name_the_data_sets_that_are_averaged():
    found = bt.compare(scores(60, dataset=np.repeat(["x", "y", "z"], [6, 14, 40])), over="dataset")
    averaged = "on 60 items, averaged over 3 data sets, each counted once"
    assert f"3 systems, best first, {averaged}. Accuracy with its" in caption_of(found)
    assert averaged in bt.report(found, format="sentence").lower()


@pytest.mark.parametrize("systems", [2, 3])
@pytest.mark.parametrize(("units", "choices"), [("clusters", {}), ("items", {"quantity": "mean"})])
def test_captions_name_the_prior_of_clusters_and_means(units, choices, systems):
    values = scores(60, cluster=np.arange(60) // 4)[:, :systems]
    if units == "items":
        values = (values.drop_vars("cluster") + 0.5 * (np.arange(60)[:, None] % 3)) / 2
    prior = f"Student's t on {units}, normal(0, 0.05) prior on the difference."
    assert prior in caption_of(bt.compare(values, prior="skeptical", **choices))
    assert "normal(" not in caption_of(bt.compare(values, **choices))


@pytest.mark.parametrize("systems", [2, 3])
def test_captions_and_sentences_name_an_advised_model(systems):
    data = scores(60, dataset=np.repeat(["x", "y", "z"], 20)).isel(system=slice(systems))
    found = bt.compare(data, method="advised", rng=0)
    assert found.report(format="sentence").startswith("On 60 items, by the hierarchical model, ")
    caption = caption_of(found)
    assert "hierarchical model. Bold" in caption
    assert "Dirichlet" not in caption


@pytest.mark.sampled
def test_papers_say_that_a_fitted_model_of_all_systems_is_joint():
    votes = bt.models.davidson.simulate(3, judgments=90, rng=1)
    found = bt.compare(votes, method="advised", rng=1)
    assert "are from a joint model of all systems" in bt.report(found, format="sentence")
    table = " ".join(bt.report(found, format="latex-table").split())
    assert "Model: joint model of all systems, Davidson model." in table
    least = int(found["prob_best"].values.argmin())
    p, error = (found[name].values[least].item() for name in ("prob_best", "prob_best_mcse"))
    assert numbers.latex(numbers.probability(p, error)) in macros_of(found).values()


def test_clusters_are_those_that_a_pair_shares():
    random = np.random.default_rng(0)
    values = (random.random((120, 3)) < [0.8, 0.6, 0.5]) * 1.0
    values[:24, 2] = np.nan  # of four of the 20 clusters
    clusters = ("item", [f"d{k // 6}" for k in range(120)])
    coords = {"system": list("ABC"), "cluster": clusters}
    scores = xr.DataArray(values, dims=("item", "system"), coords=coords)

    def place(data):
        return bt.report(bt.compare(data, rng=1), format="sentence").partition(",")[0]

    assert place(scores) == "On the 96 to 120 items in 16 to 20 clusters that each pair shares"
    assert place(scores[24:]) == "On 96 items in 16 clusters"
    assert place(scores[:, [0, 2]]) == "On 96 items in 16 clusters"


def test_an_average_over_data_sets_says_that_counts_and_tests_are_pooled():
    """A wins two small data sets, and loses more items of a large one."""
    sizes = {"large": (40, 100, 260), "small": (12, 2, 16), "third": (13, 2, 15)}
    rows = [
        (name, *scores)
        for name, counts in sizes.items()
        for scores, n in zip(((1, 0), (0, 1), (1, 1)), counts, strict=True)
        for _ in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "A", "B"])
    averaged = bt.compare(frame.assign(item=range(len(frame))), over="dataset")
    assert "291 ties for A, of all items pooled)" in bt.report(averaged, format="sentence")
    table = bt.report(averaged, format="latex-table", p_values="sign")
    assert "two-sided sign test against B, of all items pooled." in table
    text = " ".join(bt.report(averaged).split())
    assert "tests count items, pooled over data sets" in text
    assert "2. The verdict is on an average over data sets, the test on all items pooled" in text
    assert "The posterior starts from a prior" not in text


def test_p_values_of_random_swaps_have_no_digits_of_noise():
    rng = np.random.default_rng(1)
    ease = np.log([3.5, 2.8, 1.5, 1.4]) + rng.normal(0, 1.3, (164, 1))
    values = (rng.random((164, 4)) < 1 / (1 + np.exp(-ease))).astype(float)
    coords = {"system": list("ABCD"), "cluster": ("item", np.arange(164) // 6)}
    found = bt.compare(xr.DataArray(values, dims=("item", "system"), coords=coords), rng=1)
    p, error = (found[k].sel(system_a="C", system_b="A") for k in ("p_adjusted", "p_value_mcse"))
    p, error = p.sel(test="randomization").item(), error.item()
    raw = found["p_value"].sel(test="randomization", system_a="C", system_b="A").item()
    expected = numbers.p_value(p, error * p / raw)
    assert len(expected) < len(numbers.p_value(p))
    assert f"${expected}$" in bt.report(found, format="latex-table", p_values="randomization")
    adjusted = numbers.p_value(p, error * p / raw, with_error=True)
    assert f"{adjusted} (A)" in bt.report(found)


def test_pairs_with_as_many_items_each_of_their_own_are_no_common_items():
    values = scores(60).copy()
    for k in range(3):
        values[5 * k : 5 * k + 5, k] = np.nan
    found = bt.compare(values)
    place = "the 50 items that each pair shares"
    assert bt.report(found, format="sentence").startswith(f"On {place}, ")
    assert place in caption_of(found)
    macros = bt.report(found, format="latex-macros")
    assert "\\btItems}{60} % items; each pair shares 50 of them" in macros
    assert "15 scores were missing; each pair was" in bt.report(found, format="sentence")


def test_missing_runs_leave_no_item_out_and_worst_scores_are_counted():
    values = scores(120, item=np.arange(120) // 4, epoch=np.arange(120) % 4).copy()
    values[[5, 50, 90], [0, 1, 2]] = np.nan
    said = bt.report(bt.compare(values), format="sentence")
    assert said.startswith("On 30 items with repeated runs, ")
    assert "9 scores were missing, of runs of items that have others." in said
    worst = bt.compare(values, missing="wrong")
    counted = "9 missing scores were counted as the worst score."
    assert counted in bt.report(worst, format="sentence")
    assert counted in caption_of(worst)


def test_stars_are_not_said_to_mark_equivalent_pairs():
    same = (np.random.default_rng(3).random((600, 1)) < 0.7).astype(float)
    values = np.concatenate([same, same, np.zeros((600, 1))], axis=1)
    values[:6, 1] = 1 - values[:6, 1]
    coords = {"system": list("abc")}
    found = bt.compare(xr.DataArray(values, dims=("item", "system"), coords=coords), rope=0.05)
    assert "*: verdict that one of the two is better, at 0.95 or above; no star for" in caption_of(
        found
    )
    assert "(differences of at most 0.05)" in caption_of(found)
    assert "; * one of the two is better" in " ".join(bt.report(found).split())
    coords = {"system": list("ac")}
    found = bt.compare(
        xr.DataArray(values[:, ::2], dims=("item", "system"), coords=coords), rope=0.05
    )
    assert "star" not in caption_of(found)


def test_a_score_that_is_not_one_is_not_printed_as_one():
    values = np.ones((2500, 3))
    values[0, 0] = values[5:40, 1] = 0
    coords = {"system": list("abc")}
    found = bt.compare(xr.DataArray(values, dims=("item", "system"), coords=coords))
    assert re.search(r" a +0\.9996 \[", str(found))


def test_a_table_names_the_package_that_its_quotes_need():
    counts = bt.counts.from_table({('prompt "brief"', "base"): (18, 9, 13)})
    first = bt.report(bt.compare(counts), format="latex-table").partition("\n")[0]
    assert first == r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}"


def test_what_the_answer_warns_of_goes_with_numbers_for_a_paper():
    few = bt.compare(scores(24, cluster=np.arange(24) // 8))
    (alarm,) = (line[2:] for line in few.statement() if line.startswith("! Few clusters"))
    for format in ("latex-table", "latex-macros"):
        assert f"% State this, too: {alarm}\n" in bt.report(few, format=format)
