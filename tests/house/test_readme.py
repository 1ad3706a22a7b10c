"""What README shows must run and say what it claims."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

README = Path(__file__).parents[2] / "README.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def block(part):
    """The only block of Python that holds a text."""
    (found,) = (code for code in blocks("python") if part in code)
    return found


@pytest.mark.sampled
def test_the_model_answers_as_its_closed_form_does():
    code = block("pm.sample")
    assert code in "".join(README.read_text(encoding="utf-8").splitlines(True)[:60])
    given = {}
    exec(code, given)
    pair = {"system_a": "A", "system_b": "B"}
    sampled = bt.prob_better(given["bt"].fits.adopt(given["idata"])).sel(pair)
    exact = bt.prob_better(given["counts"]).sel(pair).item()
    assert f"closed form: {exact:.4f}" in code
    assert abs(sampled.item() - exact) < 4 * sampled["mcse"].item()


def test_the_first_screen_is_what_the_code_prints(monkeypatch):
    """The code, the answer below it, and that of the script that draws the picture are one."""
    monkeypatch.syspath_prepend(README.parent / "docs")
    import first_screen

    assert block("c = bt.compare") == first_screen.CODE
    assert blocks("text")[0].strip() == first_screen.answer().strip()
    assert (README.parent / "docs" / "_static" / "first-screen.png").is_file()


def test_counts_of_a_paper_and_their_comments_are_true():
    second = block("# 0.9963")
    given = {"bt": bt}
    exec(second, given)
    for case, claimed in (("close", 0.9963), ("noisy", 0.6891)):
        assert f"# {claimed}" in second
        p = bt.prob_better(given[case]).sel(system_a="A", system_b="B").item()
        assert np.round(p, 4) == claimed
        verdict = bt.compare(given[case]).pairs["verdict"].item()
        assert verdict == ("better" if case == "close" else "undecided")


def test_the_two_commands_exist():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.M)


def test_third_block_runs_on_tallies(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        "system,doc,tp,fp,fn",
        *(f"{s},d{k},{5 + (s == 'A')},{k % 2},{k % 3}" for s in "AB" for k in range(8)),
    ]
    Path("tallies.csv").write_text("\n".join(rows))
    pd.DataFrame({"item": ["q1", "q2"], "A": [1, 1], "B": [0, 1]}).to_csv("results.csv")
    exec(block("bt.sign_test"), {"bt": bt})
    assert "Homogeneous groups of systems" in capsys.readouterr().out
