"""Today's answers are the frozen ones, and the comparison reports what is not."""

import json
from functools import cache

import pytest
from golden import freeze
from golden.cases import CASES
from golden.differences import (
    Allowed,
    differences,
    no_longer_needed,
    not_allowed,
    read_allowed,
    same,
)
from golden.freeze import ALLOWED, FROZEN, read
from golden.written import normal, page

import betterthan as bt

ONE = "three_systems"
_MOST = 40  # lines of a message


@cache
def differences_of(case):
    return differences(case, read(case), freeze.today(case))


@pytest.mark.parametrize("case", CASES)
def test_answer_is_the_frozen_one(case):
    lines = [str(one) for one in not_allowed(differences_of(case), read_allowed(ALLOWED))]
    if lines:
        pytest.fail("\n".join([f"{len(lines)} differences", *lines[:_MOST]]), pytrace=False)


def test_every_allowed_difference_still_occurs():
    every = [one for case in CASES for one in differences_of(case)]
    assert no_longer_needed(every, read_allowed(ALLOWED)) == []


def test_every_case_is_frozen_and_the_store_is_small():
    assert {folder.name for folder in FROZEN.iterdir()} == set(CASES)
    assert len(CASES) >= 30
    files = [path for path in FROZEN.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000


def changed(file, old, new):
    """What is reported of a frozen case in one file of which a text is another."""
    files = read(ONE)
    assert old in files[file]
    other = files | {file: files[file].replace(old, new, 1)}
    return [str(one) for one in differences(ONE, files, other)]


def test_a_changed_number_is_reported():
    values = json.loads(read(ONE)["data.json"])["data"]["variables"]["prob_better"]["values"]
    value = values[2][0]
    reported = changed("data.json", f"{value!r}", f"{value + 1e-9!r}")
    place = f"{ONE}/data.json: data.variables."
    assert reported[0].startswith(place)
    assert reported[0].endswith(f": was {value!r}, is {value + 1e-9!r}")
    whole = changed("data.json", '"n_items": 80', '"n_items": 81')
    assert whole == [f"{ONE}/data.json: data.attrs.n_items: was 80, is 81"]


def test_a_changed_word_is_reported():
    for file in ("answer.txt", "report.md", "report.tex", "report.html", "notebook.html"):
        (reported,) = changed(file, "is the best of 3 systems", "is best of 3 systems")
        assert reported.startswith(f"{ONE}/{file}: line ")
        assert "is the best of 3 systems" in reported.partition(", is ")[0]
        assert "is best of 3 systems" in reported.partition(", is ")[2]


def test_of_a_long_line_the_changed_part_is_reported():
    (reported,) = changed("report.txt", " | ties=third | ", " | ties=half | ")
    was, now = reported.partition(": was ")[2].split(", is ")
    assert "ties=third" in was
    assert "ties=half" in now
    assert len(was) < 140


def test_a_lost_attribute_is_reported():
    assert changed("data.json", '"baseline": "base",', "") == [
        f"{ONE}/data.json: data.attrs.baseline: was 'base', is absent"
    ]


def test_a_lost_and_a_new_file_are_reported():
    files = read(ONE)
    less = {name: text for name, text in files.items() if name != "report.tex"}
    lines = [[str(x) for x in differences(ONE, *sides)] for sides in ((files, less), (less, files))]
    assert lines == [
        [f"{ONE}/report.tex: whole file: was frozen, is absent"],
        [f"{ONE}/report.tex: whole file: was absent, is new"],
    ]


def test_dims_names_order_and_layout_are_exact():
    assert changed("data.json", '"dims": ["system_a"', '"dims": ["system_b"')
    assert changed("data.json", '"prob_best":', '"prob_first":')
    assert changed("data.json", '"dtype": "int64"', '"dtype": "int32"')
    assert changed("answer.json", "\n", "\n ")[0].startswith(f"{ONE}/answer.json: layout, line 2: ")


def test_rounding_alone_is_no_difference():
    assert same(0.1 + 0.2, 0.3)
    assert same(1e9, 1e9 + 1e-4)
    assert same(float("nan"), float("nan"))
    assert not same(0.3, 0.3 + 3e-12)
    assert not same(3, 3.0)
    assert not same(1, True)
    assert not same(float("nan"), 0.0)
    values = json.loads(read(ONE)["data.json"])["data"]["variables"]["prob_better"]["values"]
    value = values[2][0]
    assert changed("data.json", f"{value!r}", f"{value * (1 + 4e-16)!r}") == []


def test_an_allowed_difference_has_a_reason_and_still_occurs(tmp_path):
    files = read(ONE)
    other = files | {"report.md": files["report.md"].replace("## Systems", "## All systems", 1)}
    seen = differences(ONE, files, other)
    assert len(seen) == 1
    rows = [
        Allowed("three_*", "report.*", "Headings name what they count.", path="line *"),
        Allowed("three_*", "report.tex", "A row that covers nothing."),
    ]
    assert not_allowed(seen, rows[:1]) == []
    assert not_allowed(seen, rows[1:]) == seen
    assert no_longer_needed(seen, rows) == rows[1:]
    listed = tmp_path / "allowed.toml"
    listed.write_text('[[allowed]]\ncase = "a"\nfile = "report.md"\nreason = "better"\n')
    with pytest.raises(ValueError, match=r"a/report\.md has no reason; write one sentence"):
        read_allowed(listed)


def test_freezing_writes_what_is_new_or_listed_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(freeze, "FROZEN", tmp_path / "frozen")
    monkeypatch.setattr(freeze, "ALLOWED", tmp_path / "allowed.toml")
    freeze.ALLOWED.write_text("")
    case = "plan_fragility"
    monkeypatch.setattr(freeze, "WITH_TEXTS", (case,))
    assert read(case) == {}
    assert freeze.main([case]) == 0
    now = read(case)
    assert "answer.txt" in now
    old = now | {"answer.txt": now["answer.txt"].replace("A is better", "A was better")}
    freeze.write(case, old)
    (freeze.FROZEN / "no_case").mkdir()
    assert freeze.main([case]) == 1
    assert "plan_fragility/answer.txt: line 1: was 'A was better" in capsys.readouterr().out
    assert read(case) == old
    assert not (freeze.FROZEN / "no_case").exists()
    reason = "The present tense is used."
    freeze.ALLOWED.write_text(
        f'[[allowed]]\ncase = "{case}"\nfile = "answer.txt"\nreason = "{reason}"\n'
    )
    assert freeze.main([case]) == 0
    assert read(case) == now


def test_a_large_page_is_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(freeze, "FROZEN", tmp_path)
    files = {"report.html": "<p>a</p>\n" * 9_000, "data.json": "{}\n"}
    freeze.write("large", files)
    assert {path.name for path in (tmp_path / "large").iterdir()} == {"report.html.gz", "data.json"}
    assert read("large") == files


def test_versions_dates_scripts_and_drawings_are_not_frozen():
    text = f"betterthan {bt.__version__} | NumPy 2.3.1, 2026-01-02T03:04:05 | p 0.125 | 10.1.0"
    assert normal(text) == "betterthan VERSION | NumPy VERSION, DATE | p 0.125 | 10.1.0"
    drawn = '<svg role="img" aria-label="A &amp; B" width="3"><path d="M0"/></svg>'
    assert page(f"<p>{drawn}</p><script>x < 1</script>") == "<p><svg>A &amp; B</svg></p>"
    assert page("<style>b</style>") != page("<style>i</style>")
    assert (
        page('<img src="data:image/png;base64,iVBOR/+="/>') == '<img src="data:image/png;base64,"/>'
    )
