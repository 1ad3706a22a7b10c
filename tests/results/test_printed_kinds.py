"""What `print` shows of answers other than comparisons of scores, counts and votes."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from golden.cases import CASES

import betterthan as bt
from betterthan.results.reports import FORMAT_NAMES

FIRST_LINES = {
    "judged_by_a_model": "Undecided: the data do not show whether llama-7b or pythia-6.9b",
    "judged_three_systems": "No clear winner among 3 systems.",
    "fit_adopted": "No clear winner among 3 systems. Pair by pair, 2 are unbeaten: A (",
    "fit_clustered": "Undecided: the data do not show whether B0 or A0 is better",
    "fit_davidson": "s2 is the best of 3 systems (probability > 0.99).",
    "fit_graded": "A is better than B (probability > 0.99), and by more than 0.02 (probability",
    "fit_hierarchical": "A0 is better than B0 (probability > 0.99).",
    "folds": "No clear winner among 3 systems. Pair by pair, 2 are unbeaten: B (",
    "orders_compared": "near is better than far by mean tau (probability > 0.99).",
    "tallies_bootstrap": "crf is probably the best of 3 systems by F1 (P(best) = 0.935)",
}
PAIRS = {
    "judged_three_systems": "Difference P(|d| P(better) Verdict",
    "fit_adopted": "Difference P(better) Verdict",
    "fit_davidson": "Difference P(better) Verdict",
    "folds": "Difference P(better) Verdict",
    "tallies_bootstrap": "Difference P(|d| P(better) P(wins Wins Losses Verdict",
}


@pytest.fixture(scope="module", params=FIRST_LINES)
def printed(request):
    return request.param, str(CASES[request.param]())


def test_the_decision_is_first(printed):
    name, text = printed
    assert text.startswith(FIRST_LINES[name])


def test_no_monte_carlo_error_is_printed(printed):
    assert "±" not in re.sub("ROPE ±", "", printed[1])


def test_a_picture_of_at_most_twelve_lines_follows_the_sentences(printed):
    lines = printed[1].splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(" Difference"))
    stop = next(k for k in range(start, len(lines)) if not lines[k])
    assert stop - start <= 12
    assert {"├", "┤"} <= set("".join(lines[start:stop]))


def test_the_footer_says_what_a_verdict_needs_and_where_the_rest_is(printed):
    footer = " ".join(printed[1].split("\n\n")[-2].split())
    assert footer.startswith("A verdict needs a posterior probability of at least 0.95")
    assert footer.endswith('c.report(path="report.html").')
    undecided = re.search("undecided", printed[1]) is not None
    assert ('"Undecided" does not mean equal.' in footer) == undecided


def test_size_follows_the_decision(printed):
    second = printed[1].splitlines()[1:4]
    assert re.search(r"Difference.* \(\S+ − \S+\): [+−]\d", " ".join(second))


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_have_the_columns_of_compare_in_the_same_order(name):
    text = str(CASES[name]())
    table = text[text.index("All 3 pairs, the system ahead first") :]
    heads = table[: table.index("──")]
    places = [re.search(re.escape(head) + r"\s", heads) for head in PAIRS[name].split()]
    assert all(places)
    line = next(line for line in heads.splitlines() if line.startswith(" System"))
    order = [head for head in PAIRS[name].split() if head in line]
    assert sorted(order, key=line.index) == order
    assert not re.search(r"\b(p|MC error|R2|Holm p)\s\s", heads)


def test_few_human_labels_are_a_warning():
    text = str(CASES["judged_by_a_model"]())
    assert "\n! Few human labels: with fewer than 50 per pair" in text
    assert "raise their effective number to about 39 (95% interval: 32 to 56)" in " ".join(
        text.split()
    )


def test_two_systems_have_no_table():
    assert " System " not in str(CASES["orders_compared"]())


def test_concentrations_have_their_own_table_and_the_picture_of_theta():
    text = str(CASES["fit_mallows"]())
    assert " ".join(text.split()).startswith(
        "The rankings of s0 are the most concentrated around the reference ranking (probability > "
        "0.99). Concentration (Mallows theta; 0 for random rankings): s0 1.770 (95% HDI [0.675, "
        "2.867]; expected tau +0.877), next s1"
    )
    assert "\n Difference in concentration (theta), s0 − s1, point and 95% HDI\n" in text
    assert "±" not in text
    assert " order" not in text


FULL = {  # of answers that print as data, the title of the report and columns
    "orders_taus": ("Rankings of 2 systems", "System Mean tau SD Lowest Highest Documents"),
    "orders_agreement_and_consensus": ("Agreement of 4 systems", "System Mean tau with the others"),
    "homogeneous_groups": ("Homogeneous groups of systems", "System Rank Score 1 2 3 Groups"),
    "labels_with_uncertainty": ("A classifier by its labels", "Label Precision Recall F1"),
    "performance_function": ("What predicts rating", "Feature Coefficient 95% Standardized"),
}


@pytest.mark.parametrize("name", FULL)
def test_full_reports_of_the_other_kinds_use_words_of_the_field(name):
    title, heads = FULL[name]
    answer = CASES[name]()
    several = isinstance(answer, (list, tuple))
    text = bt.report(*answer) if several else bt.report(answer)
    assert text.startswith(title)
    assert heads in [" ".join(line.split())[: len(heads)] for line in text.splitlines()]
    for word in ("±", "told apart", "orders that", "nearer", "honest", "surely", " %"):
        assert word not in text


@pytest.mark.parametrize(
    "name", ["judged_by_a_model", "tallies_bootstrap", "orders_compared", "fit_adopted"]
)
def test_full_reports_have_the_monte_carlo_error_in_a_column(name):
    text = bt.report(CASES[name]())
    assert ("MC error" in text) == (name != "judged_by_a_model")
    p_values = re.sub(r"\d(\.\d+)? ± \d(\.\d+)?", "", text)
    assert "±" not in p_values


def test_of_many_pairs_those_with_the_first_system_are_printed():
    random = np.random.default_rng(0)
    values = random.random((40, 6)) * 0.4 + np.linspace(0.1, 0.4, 6)
    systems = [f"s{k}" for k in range(6)]
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": systems})
    text = str(bt.scores.compare(scores, rng=1))
    assert "The 5 of 15 pairs with s5, the system ahead first" in text
    table = text[text.index("The 5 of 15 pairs") :].partition("\n\nA verdict")[0]
    assert sum(line.startswith(" s") for line in table.splitlines()) == 5


def test_a_one_sided_verdict_is_marked():
    text = str(CASES["folds"]())
    assert "†: one-sided; the interval includes 0" in text
    assert re.search(r"B +C +\+0\.13 \[−0\.01, \+0\.26\] † +0\.966 +B better", text)


@pytest.fixture(scope="module", params=[1, 0.37])
def lacking(request):
    """A table with a system that has no score, and its comparison."""
    table = pd.DataFrame({"A": [1, 0, 1, 1, 1, 0], "B": [1, 0, 0, 1, 0, 0]}) * request.param
    table = table.assign(item=list("abcdef"), C=np.nan)
    return table, bt.compare(table)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", [name for name in FORMAT_NAMES if name != "html"])
def test_a_system_without_a_score_has_no_number(form, lacking):
    _, compared = lacking
    assert not re.search(r"\bnan\b", compared.report(format=form))
    assert "C (0 of 0)" not in str(compared)


def test_a_system_without_a_score_stops_the_audit(lacking):
    audit = bt.audit(lacking[0])
    assert audit.level == "stop"
    assert "C has no score" in audit.findings["message"].tolist()


def test_two_systems_of_which_one_has_no_score_are_not_compared():
    table = pd.DataFrame({"item": list("abc"), "A": [1, 0, 1], "C": [np.nan] * 3})
    with pytest.raises(ValueError, match="'C' has no score; leave it out with systems="):
        bt.compare(table)
