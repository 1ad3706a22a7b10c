"""One report: any answers, in the order given, in the format that is asked for."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import reports
from betterthan.results.document import Document, Part, Table, joined
from betterthan.results.kinds import KINDS, build_page, plain
from betterthan.results.reports import BY_SUFFIX, FORMATS


@pytest.fixture(scope="module")
def pair():
    return bt.compare(bt.datasets.contingency_case("a"))


@pytest.fixture(scope="module")
def answers(pair, regression_frame):
    regression_tree = bt.datasets.example_fit("performance_function")  # of x0 and x1
    random = np.random.default_rng(2)
    scores = xr.DataArray(
        random.random((30, 3)), dims=("item", "system"), coords={"system": list("ABC")}
    )
    items = list("abcdef")
    lists = {
        f"d{k}": {s: list(random.permutation(items)) for s in ("gold", "x", "y")} for k in range(40)
    }
    orders = bt.orders.from_lists(lists)
    taus = bt.orders.kendall_tau(orders, "gold")
    matrix = bt.datasets.beetle_confusion()
    components = {"c": {"x0": 0.5, "x1": 1.0}, "d": {"x0": 0.6, "x1": 1.1}}
    return {
        "compare": pair,
        "scores.compare": bt.scores.compare(scores, draws=500, shuffles=200, rng=1),
        "orders.kendall_tau": taus,
        "orders.compare": bt.orders.compare(orders, "gold", draws=500, shuffles=200, rng=1),
        "orders.agreement": bt.orders.agreement(orders),
        "orders.consensus": bt.orders.consensus(orders.isel(document=0)),
        "fits.compare of mallows": dispersions(),
        "fits.compare": bt.fits.compare(bt.datasets.example_fit("clustered")),
        "scores.compare_folds": bt.scores.compare_folds(scores[:10], test_share=0.1),
        "orders.read": orders,
        "features.performance_function": bt.features.performance_function(regression_frame, "gain"),
        "models.performance_function.fit": regression_tree,
        "features.compare": bt.features.compare(regression_frame, "gain", {"f": ["f"]}),
        "features.predict": bt.features.predict(regression_tree, components),
        "labels.posterior": bt.labels.posterior(matrix, rng=1),
        "labels.confusions": matrix,
        "audit": bt.audit(scores),
        "gate": gated(),
        "plan": bt.plan.items_needed((12, 6, 22)),
        "people.mann_whitney": bt.people.mann_whitney(
            pd.DataFrame({"system": list("AAAAABBBBB"), "time": range(10)}),
            "time",
            "system",
            unit=None,
            higher_is_better=False,
        ),
        "runs": bt.runs.reliability(tried(), k=(1, 3, 4)),
        "sign_test": bt.sign_test(bt.datasets.diag_measures().assign(p_value=0.2)),
        "significance.strength": bt.significance.strength({"A": {"t": 0.02}, "B": {}}, rng=1),
        "significance.groups": bt.significance.groups(bt.datasets.muc6_similarity("named_entity")),
    }


@pytest.fixture(scope="module")
def page_of(answers):
    """The page on the answer of a kind, built once for all formats."""
    return cache(lambda by: build_page(answers[by]))


def tried():
    """Successes of 3 trials of 8 items."""
    right = [3, 3, 2, 0, 1, 3, 2, 3, 3, 1, 2, 0, 0, 3, 1, 2]
    items = [f"t{k}" for k in range(8)] * 2
    table = pd.DataFrame({"system": ["A"] * 8 + ["B"] * 8, "item": items, "successes": right})
    return bt.counts.trials_from_table(table.assign(trials=3))


def gated():
    """A candidate with one loss."""
    old, new = ([1] * 40 + [0] * 20), ([1] * 39 + [0] * 18 + [1] * 3)
    runs = (pd.DataFrame({"item": range(60), "score": scores}) for scores in (old, new))
    return bt.gate(*runs, margin=0.1)


def dispersions():
    """As `fits.compare` of a Mallows model returns them, without a fit."""
    values = {
        "theta": [0.5, 1.2],
        "lower": [0.2, 0.9],
        "upper": [0.8, 1.5],
        "expected_tau": [0.3, 0.6],
        "new_tau_lower": [-0.4, 0.1],
        "new_tau_upper": [0.7, 0.9],
        "prob_best": [0.02, 0.98],
    }
    attrs = {"answer": "dispersions", "version": "0", "pooling": "partial", "seed": 3}
    return xr.Dataset(
        {name: ("system", value) for name, value in values.items()},
        coords={"system": ["x", "y"]},
        attrs=attrs | {"failures": [], "draws": 100, "items": 6, "ci_prob": 0.95, "ci_kind": "hdi"},
    )


@pytest.mark.parametrize(("failures", "untrusted"), [("", False), ("R-hat is 1.2.", True)])
def test_dispersions_are_untrusted_only_if_the_fit_failed(failures, untrusted):
    text = bt.report(dispersions().assign_attrs(failures=failures))
    assert ("No verdict: R-hat is 1.2." in text) == untrusted


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.by)
@pytest.mark.parametrize("format", FORMATS, ids=lambda form: form.name)
def test_every_kind_in_every_format(answers, page_of, kind, format, monkeypatch):
    answer = answers[kind.by]
    assert [k.by for k in KINDS if k.holds(plain(answer))] == [kind.by]
    page = page_of(kind.by)
    assert page.title
    assert page.signatures
    assert all(isinstance(part, Part) for part in page.parts)
    monkeypatch.setattr(reports, "build_page", lambda _: page)
    written = bt.report(answer, format=format.name, figures=False)
    for part in page.parts:
        for table in part.tables:
            assert all(len(row) == len(table.heads) == len(table.sides) for row in table.rows)
    if format.name == "html":
        for part in page.parts:
            named = part.heading.replace("'", "&#39;")
            has_heading = f">{named}</a></h2>" in written or f">{named}</h3></summary>" in written
            assert has_heading == (not part.figures or bool(part.tables))


def test_answers_that_travelled_are_still_known(answers, tmp_path):
    for k, (by, answer) in enumerate(answers.items()):
        if isinstance(answer, xr.Dataset):
            answer.to_netcdf(tmp_path / f"{k}.nc", engine="h5netcdf")
            back = xr.load_dataset(tmp_path / f"{k}.nc", engine="h5netcdf")
            assert bt.report(back) == bt.report(answer), by


def test_parts_stand_in_the_order_given(answers):
    pair, matrix = answers["compare"], answers["labels.confusions"]
    written = bt.report(pair, matrix, format="markdown")
    assert written.startswith("# A and B compared")
    assert written.index("## Diagnostics") < written.index("## Labels") < written.index("## Limits")
    assert bt.report(matrix, pair).startswith("A classifier by its confusions")
    assert written.count("## Limits") == written.count("## Signature") == 1
    assert bt.signature(pair) in written
    assert "Dirichlet over cells" in written


def test_a_second_answer_of_a_kind_has_its_own_title(pair, answers):
    other = bt.compare(bt.datasets.intent_detection())
    written = bt.report(pair, other, format="markdown")
    assert "## 8 systems compared" in written
    assert written.count("## Pairs") == 2
    assert written.index("## 8 systems compared") > written.index("## Diagnostics")


def test_pages_are_joined_by_their_headings():
    facts = Part("Data", facts=[("a", "1")])
    table = Part("Pairs", tables=[Table(("x",), [("1",)])])
    first = Document("One", "Who?", [facts, table], ["l"], ["s"])
    more = Document(
        "Two", "Why?", [Part("Data", facts=[("a", "1"), ("b", "2")])], ["l", "m"], ["s"]
    )
    found = joined([first, more])
    assert (found.title, found.question) == ("One", "Who?")
    assert found.parts == [table, Part("Data", facts=[("a", "1"), ("b", "2")])]
    assert (found.limits, found.signatures) == (["l", "m"], ["s"])
    again = joined([first, Document("Two", "Why?", [table])])
    assert [[part.heading for part in one.parts] for one in again.chapters] == [
        ["Data", "Pairs"],
        ["Pairs"],
    ]
    assert joined([Document("Data alone", parts=[facts]), first]).title == "One"


@pytest.mark.parametrize("suffix", list(BY_SUFFIX))
def test_the_suffix_says_the_format(pair, tmp_path, suffix):
    target = tmp_path / f"report{suffix.upper() if suffix == '.md' else suffix}"
    name = BY_SUFFIX[suffix].name
    written = bt.report(pair, path=target, figures=False)
    assert written == target.read_text("utf-8")
    assert written == bt.report(pair, format=name, figures=False)
    assert written == bt.report(pair, format=name, path=str(target), figures=False)


def test_a_file_without_a_suffix_needs_a_format(pair, tmp_path):
    assert bt.report(pair, format="latex", path=tmp_path / "README").startswith(r"\documentclass")
    with pytest.raises(ValueError, match=r"ends in no suffix; give one of \.txt, \.md, \.html"):
        bt.report(pair, path=tmp_path / "other")
    assert [p.name for p in tmp_path.iterdir()] == ["README"]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"path": "x.pdf"}, "path 'x.pdf' ends in .pdf; give one of .txt, .md, .html, .htm, .tex"),
        ({"path": "x.pdf", "format": "html"}, "path 'x.pdf' ends in .pdf"),
        ({"path": "x.md", "format": "html"}, "asks for markdown, but format is html; give one of"),
        ({"path": ""}, "path is ''; give the name of a file"),
        ({"path": 3}, "path is 3; give the name of a file"),
        ({"format": "pdf"}, "format is 'pdf'; choose one of text, markdown, html, latex"),
        ({"format": 3}, "format is 3; choose one of"),
    ],
)
def test_what_is_refused_leaves_nothing(pair, tmp_path, monkeypatch, choices, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message) as caught:
        bt.report(pair, **choices)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        object(),
        np.eye(3),
        pd.DataFrame({"a": [1]}),
        xr.Dataset({"x": 1}, attrs={"answer": "nothing"}),
        xr.DataArray(np.eye(3), dims=("item", "system")),
        xr.DataTree(),
    ],
)
def test_what_is_no_answer_is_refused_in_one_line(pair, answer):
    for given in ([answer], [pair, answer]):
        with pytest.raises(ValueError, match=r"answers hold a \w+ that no report") as caught:
            bt.report(*given)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400
    with pytest.raises(ValueError, match="answers are missing"):
        bt.report()


def test_an_answer_that_lost_something_is_refused(answers):
    found = answers["scores.compare"].data
    for broken, lost in ((found.drop_vars("p_value"), "p_value"), (found.copy(), "seed")):
        broken.attrs.pop(lost, None)
        with pytest.raises(ValueError, match="answers hold what scores") as caught:
            bt.report(broken)
        assert lost in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


def test_figures_are_drawn_into_html_alone(answers):
    found = answers["scores.compare"]
    html = bt.report(found, format="html")
    assert html.count("<figure>") == 1  # of ranks
    assert 'data-table="matrix"' in html  # a table, in every format
    assert "<figure>" not in bt.report(found, format="html", figures=False)
    for format in ("text", "markdown", "latex"):
        assert "Figures" not in bt.report(answers["compare"], format=format)


def test_a_comparison_that_shows_itself_is_taken(pair):
    assert pair.report() == bt.report(pair) == bt.report(pair.by_engine())
