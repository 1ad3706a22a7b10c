import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import document as told
from betterthan.results.document import Part, Table
from betterthan.results.numbers import latex, markdown
from betterthan.results.tables import pair_rows
from betterthan.results.text import as_text

NASTY = ('<script>alert("x")</script>', "50% & $more_{\\LaTeX}^~ #1 | `tick` [x]")


@pytest.fixture(scope="module")
def pair():
    return bt.compare(bt.datasets.contingency_case("a"), rope=0.01, ties="all")


@pytest.fixture(scope="module")
def table():
    return bt.compare(bt.datasets.intent_detection())


def nasty():
    counts = bt.counts.from_table(
        {NASTY: (12, 2, 30), (NASTY[0], "plain"): (3, 3, 38), (NASTY[1], "plain"): (1, 9, 34)}
    )
    return bt.compare(counts, rope=0.05)


class Page(HTMLParser):
    """Tags, attributes that load something, and whether what is opened is closed."""

    VOID = ("meta", "link", "br", "img", "hr", "wbr", "input")

    def __init__(self):
        super().__init__()
        self.tags, self.loads, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [
            v
            for k, v in attrs
            if k in ("src", "href", "xlink:href", "srcset") and not v.startswith(("#", "data:"))
        ]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(html):
    page = Page()
    page.feed(html)
    assert page.open == []
    return page


@pytest.mark.parametrize("format", ["text", "markdown", "html", "latex"])
def test_every_format_says_what_a_reader_needs(pair, format):
    written = bt.report(pair, format=format, figures=False)
    plain = re.sub(r"<[^>]+>|[\\{}]", "", written)
    for needed in (
        "0.996",
        "986",
        "Dirichlet",
        "0.0833",
        "betterthan 0.1.0",
        pair.attrs["data_hash"],
        "undecided",
    ):
        assert needed in plain, needed
    for head in ("Answer", "Data", "Model", "Diagnostics", "Limits"):
        assert head in written


def test_text_has_the_matrix_of_the_paper_in_whole_per_cent_with_what_is_decided(table):
    lines = bt.report(table).splitlines()
    row = next(line for line in lines if line.startswith(" Wit ") and " 63 " in line)
    assert row.split() == ["Wit", "2*", "63", "98*", "98*", "99*", ">99*", ">99*"]


def test_text_never_crops_a_number_or_a_name():
    text = bt.report(nasty())
    assert "…" not in text
    squeezed = re.sub(r"\s+", "", text)
    assert all(re.sub(r"\s+", "", name) in squeezed for name in NASTY)


def test_text_of_any_width_crops_no_last_column():
    rows = [("R", "Q", "+0.269 ± 0.004 [+0.103, +0.440]", "0.007 (A)", "A better")]
    table = Table(("A", "B", "Difference", "p", "Verdict"), rows, "The pair", left=2)
    for width in range(50, 80):
        text = as_text(told.Document("Of one pair", parts=[Part("Pairs", tables=[table])]), width)
        assert "A better" in text, width
        assert max(map(len, text.splitlines())) <= width


def test_html_escapes_names_and_asks_nothing_of_the_network():
    html = bt.report(nasty(), format="html")
    page = parsed(html)
    assert page.tags.count("script") == 2  # the data, and what works with it
    assert "<script>alert" not in html
    assert page.loads == []
    assert "&lt;script&gt;" in html
    assert not re.search(r"@import|url\((?!#)", html)


def test_html_figures_suit_the_number_of_systems(pair, table):
    drawn = bt.report(pair, format="html")
    assert drawn.count('<figure id="picture">') == drawn.count('class="density"') == 1
    html = bt.report(table, format="html")
    parsed(html)
    assert "<figure" not in html  # ties unknown: no differences; the matrix is a table


def test_html_is_the_same_every_time(pair):
    assert bt.report(pair, format="html") == bt.report(pair, format="html")


@pytest.mark.parametrize(
    ("escape", "text", "expected"),
    [
        (
            latex,
            "a_b & 5% $x$ {y} \\z ~^#",
            r"a\_b \& 5\% \$x\$ \{y\} \textbackslash{}z \textasciitilde{}\textasciicircum{}\#",
        ),
        (latex, "[x] < y > | \n z", r"{[}x{]} \textless{} y \textgreater{} \textbar{} z"),
        (markdown, "a|b *c* <d> `e` [f](g)\nh", r"a\|b \*c\* \<d\> \`e\` \[f\](g) h"),
    ],
)
def test_names_become_harmless(escape, text, expected):
    assert escape(text) == expected


def test_markdown_tables_have_one_width():
    block = []
    for line in [*bt.report(nasty(), format="markdown").splitlines(), ""]:
        if line.startswith("|"):
            block.append(len(re.findall(r"(?<!\\)\|", line)))
        elif block:
            assert len(block) > 2
            assert len(set(block)) == 1
            block = []


def test_verdicts_are_told_from_the_winner():
    counts = bt.counts.from_table({("A", "B"): (2, 20, 40)})
    text = " ".join(bt.report(bt.compare(counts)).split())
    assert "B is better than A (probability > 0.999)." in text
    assert "Difference in win rate (B − A): +0." in text
    assert "20 wins, 2 losses, 40 ties for B." in text


def test_equivalent_and_also_ahead():
    counts = bt.counts.from_table({("A", "B"): (60, 30, 9910)})
    comparison = bt.compare(counts, rope=0.02)
    assert comparison["verdict"].sel(system_a="A", system_b="B").item() == "equivalent"
    text = " ".join(bt.report(comparison).split())
    assert "practically equivalent" in text
    assert "A is slightly ahead (probability 0.999), but by less than the ROPE." in text


def test_no_examples_and_missing_are_said():
    counts = bt.counts.from_table({("A", "B"): (3, 1, 2), ("B", "C"): (1, 1, 1)})
    text = " ".join(bt.report(bt.compare(counts)).split())
    assert "1 cannot be compared: no item in common, or a single unit (A with C)" in text
    values = np.array([[1, 0], [1, np.nan], [0, 1.0]])
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    assert "1; left out: 1 of 3 items (missing=pairwise)" in " ".join(
        bt.report(bt.compare(scores)).split()
    )


def test_many_systems_are_cut_to_the_first_and_say_so():
    rng = np.random.default_rng(0)
    scores = xr.DataArray(
        (rng.random((60, 25)) < np.linspace(0.2, 0.8, 25)).astype(float),
        dims=("item", "system"),
        coords={"system": [f"s{k}" for k in range(25)]},
    )
    comparison = bt.compare(scores)
    text = bt.report(comparison)
    assert (
        "Pairs with the first system, the system ahead first; and pairs of neighbors"
        in " ".join(text.split())
    )  # 24 with the best, 23 beside
    assert "all 300 are in .pairs" in " ".join(text.split())
    pairs = text.split("Pairs with the first system")[1].split("More items: ")[0]
    named = re.findall(r"^ (s\d+) +(s\d+) ", pairs, re.M)
    assert len(set(named)) == 47
    assert len(pair_rows(comparison)) == 300


def test_pairs_without_examples_are_not_among_those_that_matter():
    systems = [f"s{k}" for k in range(12)]
    chain = dict.fromkeys(pairwise(systems), (5, 3, 2))
    comparison = bt.compare(bt.counts.from_table(chain))
    text = " ".join(bt.report(comparison).split())
    assert "not compared" not in text
    assert "the system ahead first; and pairs of neighbors; 10 more cannot be compared" in text
    brief = " ".join(str(comparison).split())
    assert "of the 11 pairs with the first system, the system ahead first; " in brief
    assert (comparison.pairs["verdict"] == "no_data").sum() == 66 - 11


def test_scores_say_that_lower_is_better_and_the_order_what_it_is_by():
    rng = np.random.default_rng(3)
    errors = xr.DataArray(
        rng.gamma([[1.0, 2.0, 3.0]], size=(30, 3)),
        dims=("item", "system"),
        coords={"system": list("ABC")},
    )
    errors.attrs["higher_is_better"] = False
    text = " ".join(bt.report(bt.compare(errors)).split())
    assert "lower is better" in text
    assert "Systems, best first" in text
    alone = bt.compare(bt.counts.from_table({("A", "B"): (5, 3, 2), ("B", "C"): (5, 1, 2)}))
    assert "highest mean P(better) first" in " ".join(bt.report(alone).split())


def test_the_picture_has_a_row_a_system():
    counts = bt.counts.from_table({("A", "B"): (5, 3, 2), ("B", "C"): (5, 1, 2)})
    page = bt.report(bt.compare(counts), format="html")
    picture = page[page.index('<figure id="picture">') : page.index("</figure>")]
    assert sorted(re.findall(r'class="name" title="(.)"', picture)) == ["A", "B", "C"]


def test_failed_chains_give_no_verdict(pair):
    failed = pair.by_engine()
    failed["verdict"] = xr.full_like(failed["verdict"], "no_verdict")
    failed.attrs |= {
        "failures": "R-hat of theta is 1.4.",
        "rhat_max": 1.4,
        "ess_min": 7.0,
        "divergences": 3,
        "seed": 1,
        "chains": 4,
        "draws": 10,
        "inference_library": "nutpie",
    }
    text = " ".join(bt.report(failed).split())
    assert "No verdict on A and B: R-hat of theta is 1.4." in text
    assert "FAILED" in text
    assert "R-hat of theta is 1.4." in text


def test_written_whole_or_not_at_all(pair, tmp_path):
    target = tmp_path / "new" / "report.md"
    assert bt.report(pair, format="markdown", path=target) == target.read_text(encoding="utf-8")
    assert [p.name for p in target.parent.iterdir()] == ["report.md"]
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written"):
        bt.report(pair, path=tmp_path / "file" / "report.txt")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda c: bt.report(c, format="pdf"),
            "format is 'pdf'; choose one of text, markdown, html, latex",
        ),
        (lambda c: bt.report(c["prob_better"].to_dataset()), "answers hold a Dataset that no"),
        (lambda c: bt.report(c.by_engine().drop_vars("verdict")), "expected a comparison"),
    ],
)
def test_bad_calls(pair, call, message):
    with pytest.raises(ValueError, match=message):
        call(pair)


def test_ties_to_a_are_for_the_system_ahead():
    counts = bt.counts.from_table({("z", "a"): (1, 2, 40)})  # the report ranks a first
    text = bt.report(bt.compare(counts, ties="all"), format="markdown")
    row = next(line for line in text.splitlines() if line.startswith("| a | z") and ", p " in line)
    assert re.search(r"a better, p \S+ \(a\) \| z better, p \S+ \(z\) \| verdict, test \|$", row)


def test_direction_and_blanks_are_told():
    values = np.array([[1, 0], [1, np.nan], [0, 1.0]])
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    text = " ".join(
        bt.report(bt.compare(scores.assign_attrs(higher_is_better=False), missing="wrong")).split()
    )
    assert "Better scores are LOWER" in text
    assert "lower is better" in text
    assert "1, each counted as the worst score" in text


def test_votes_are_not_called_examples():
    counts = bt.counts.from_table({("A", "B"): (9, 1, 0), ("B", "C"): (1, 1, 1)}, unit="judgment")
    text = " ".join(bt.report(bt.compare(counts)).split())
    assert "in direct judgments" in text
    assert "1 cannot be compared: no judgment compares them (A with C)" in text
    assert "Judgments are treated as independent" in text
    assert "Not compared" in bt.report(bt.compare(counts), format="markdown")
    assert "Pairs compared: 2, of which 1" in text
    assert "it needs a joint model, which compare(..., method='advised') fits" in text


def test_a_prior_that_is_not_even_is_told():
    text = " ".join(
        bt.report(
            bt.compare(bt.counts.from_table({("B", "A"): (3, 1, 2)}), prior=(5, 1, 1))
        ).split()
    )
    assert "its first number is for whichever system comes first in the data: B, A" in text


def test_names_stay_on_their_line_and_cannot_act_on_a_terminal():
    counts = bt.counts.from_table({("bad\u202e[31m\nname", "B"): (3, 1, 2)})
    for format in ("text", "markdown", "html", "latex"):
        assert "\u202e" not in bt.report(bt.compare(counts), format=format, figures=False)
    assert "name and B compared" in bt.report(bt.compare(counts)).splitlines()[0]


def test_text_is_plain_whatever_the_surroundings(pair, monkeypatch):
    before = bt.report(pair)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert bt.report(pair) == before
    assert "\x1b" not in before


@pytest.mark.parametrize("call", [bt.report, bt.signature])
def test_one_line_on_what_is_no_comparison(call, pair):
    for data in (xr.Dataset(), pair.data.isel(system_a=[0]), pair["n"]):
        with pytest.raises(
            ValueError, match=r"comparison|give what one of these returned: compare"
        ) as caught:
            call(data)
        assert "\n" not in str(caught.value)


def test_scripts_are_small_and_cannot_be_ended_from_inside():
    from betterthan.results.markup import script_json, scripts

    assert len(scripts().encode()) < 60_000
    assert "</" not in scripts()
    assert script_json({"</script>": "<!-- &\u2028"}) == (
        '{"\\u003c/script\\u003e":"\\u003c!-- \\u0026\\u2028"}'
    )
