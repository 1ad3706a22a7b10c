"""The command `show`, the answer beside what is written, and colour on a terminal alone."""

import sys
import webbrowser

import pytest

import betterthan as bt
from betterthan.cli.commands import main

CSV = "item,A,B\n" + "".join(f"q{k},{int(k % 9 != 0)},{int(k % 2)}\n" for k in range(40))


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text(CSV)
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)

    def call(*given):
        monkeypatch.setattr(sys, "argv", ["betterthan", *given])
        with pytest.raises(SystemExit) as done:
            main()
        said = capsys.readouterr()
        return done.value.code, said.out, said.err, opened

    return call


def test_a_page_is_made_and_opened(run, tmp_path):
    code, _, err, opened = run("show", "results.csv", "-o", "page.html")
    assert code == 0
    assert opened == [(tmp_path / "page.html").as_uri()]
    assert "A is better than B (probability" in err
    assert '<section id="answer"' in (tmp_path / "page.html").read_text("utf-8")


def test_saved_answers_stand_on_one_page(run, tmp_path):
    run("compare", "results.csv", "-o", "one")
    run("compare", "results.csv", "--rope", "0.1", "-o", "two")
    files = ("one/comparison.nc", "two/comparison.nc")
    code, _, _, opened = run("show", *files, "-o", "both.html", "--no-browser")
    page = (tmp_path / "both.html").read_text("utf-8")
    assert (code, opened) == (0, [])
    assert page.count(">A and B compared<") == 2 + 2  # title, head; part and contents
    assert page.count("Signature</a></h2>") == 1
    assert run("show", files[0], "results.csv")[0] == 2
    assert run("show", "results.csv", "-o", "results.csv")[0] == 2
    assert (tmp_path / "results.csv").read_text() == CSV


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b"not netCDF"])
def test_a_damaged_saved_answer_is_one_line_and_code_2(run, tmp_path, damage):
    run("compare", "results.csv", "-o", "one")
    file = tmp_path / "one" / "comparison.nc"
    file.write_bytes(damage(file.read_bytes()))
    code, out, err, opened = run("show", "one/comparison.nc", "-o", "page.html")
    assert (code, out, opened) == (2, "", [])
    assert err.startswith("error: one/comparison.nc: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_the_verdict_is_said_where_it_is_written_to_a_file(run):
    _, out, err, _ = run("compare", "results.csv", "-o", "report.md")
    assert out == ""
    assert "A is better than B (probability" in err


def test_colour_is_for_terminals_and_not_where_it_is_refused(run, monkeypatch):
    assert "\x1b[" not in run("compare", "results.csv")[1]
    monkeypatch.setattr("betterthan.results.text.sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b[1m" in run("compare", "results.csv")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("compare", "results.csv")[1]


def test_terminals_and_pipes_get_the_brief_answer_and_full_the_report(run, monkeypatch, tmp_path):
    names = [f"s{k}" for k in range(7)]
    rows = [[f"q{i}", *(int(i % (k + 2) > 0) for k in range(7))] for i in range(30)]
    lines = [",".join(map(str, row)) for row in [["item", *names], *rows]]
    (tmp_path / "many.csv").write_text("\n".join(lines))
    whole = run("compare", "many.csv", "--full")[1]
    pipe = run("compare", "many.csv")[1]
    monkeypatch.setattr("betterthan.results.text.sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    first = run("compare", "many.csv")[1]
    assert "Analysis report (BARG)" in whole
    assert pipe.split("\n\n")[0].split() == first.split("\n\n")[0].split()
    assert "├" in pipe
    assert "├" in first  # of 80 columns
    rest = "Tests, priors and robustness: --full, or -o report.html."
    assert rest in " ".join(first.split())
    before, _, after = str(bt.compare("many.csv")).partition("A verdict needs")
    assert first.startswith(before)
    assert first.rstrip().endswith(after.rpartition("\n")[2])
    for heading in ("7 systems", "Systems, best first", "Pairs with the first system"):
        assert heading in first
    assert 3 * len(first.splitlines()) < len(whole.splitlines())


def test_a_picture_can_be_left_out(run):
    assert "├" in run("compare", "results.csv")[1]
    assert "├" not in run("compare", "results.csv", "--no-picture")[1]
